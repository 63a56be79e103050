// Which item of a contact may stand in which columns of an address book: first those meant for its
// kind, then neighbours with room, so that no value is lost for want of a column of its own. What a
// neighbour does not say of the item is noted by the writer.

/// The rules by which a profile's columns take items.
struct AddressBookFit {
    /// A column takes the preferred number.
    private let hasPrimary: Bool

    init(_ plan: AddressBookPlan) {
        hasPrimary = plan.items.contains { $0.field == .phone && $0.types == ["pref"] }
    }

    /// Whether items of a kind may stand in some columns.
    func fits(
        _ item: ItemKind, _ place: AddressBookPlan.Item, _ isExact: Bool
    ) -> Bool {
        guard item.field == place.field else { return false }
        switch item.field {
        case .org:
            return item.list == .organizations
                ? place.has(.name) : place.has(.title) && !place.has(.name)
        case .custom:
            if place.has(.type) { return true }
            guard let label = item.label.map(HeaderNames.fold) else { return false }
            let name = HeaderNames.fold(place.name)
            return label == name || !isExact && isOpen(place) && isLike(label, name)
        case .email, .event: return place.types.isEmpty || item.types.contains(place.types[0])
        default: break
        }
        // Columns with a cell for the label take anything.
        if place.has(.type) { return true }
        if item.field == .relation {
            guard let word = place.label ?? place.types.first else { return !isExact }
            return item.label.map { HeaderNames.fold($0) == HeaderNames.fold(word) } ?? false
        }
        if let label = place.label {
            return item.label.map { HeaderNames.fold($0) == HeaderNames.fold(label) } ?? false
        }
        let wanted = Set(place.types)
        if item.field == .phone { return fits(phone: item, wanted, isExact) }
        if item.field == .im {
            return wanted.isEmpty
                || wanted.contains { item.service.lowercased() == $0.lowercased() }
        }
        if wanted.isEmpty { return isExact ? item.types.isEmpty : true }
        if wanted.contains("other") {
            return !item.has("home") && !item.has("work") || !isExact
        }
        if wanted.contains(where: { item.has($0) }) { return true }
        // An address or page without a type goes where there is room.
        return !isExact && !item.has("home") && !item.has("work")
    }

    /// Whether a column of somebody's own has, in another language or program, this name: of equal
    /// number, such as `Benutzerdef. 2` and `Custom 2`.
    private func isLike(_ label: String, _ name: String) -> Bool {
        guard let digit = label.last, digit.isNumber, digit == name.last,
            label.dropLast().last?.isNumber == false
        else { return false }
        return AddressBook.sections.contains { $0[label]?.field == .custom }
    }

    private func fits(
        phone item: ItemKind, _ wanted: Set<String>, _ isExact: Bool
    ) -> Bool {
        let kinds: Set<String> = ["fax", "pager", "cell", "car", "isdn", "main"]
        var own = kinds.intersection(item.types)
        if item.has("iphone") { own.insert("cell") }
        let isVoice = own.isDisjoint(with: ["fax", "pager", "isdn"])
        // Nothing but a label, if that.
        let isPlain = own.isSubset(of: ["main"]) && !item.has("home") && !item.has("work")
        let wantedKinds = kinds.intersection(wanted)
        if !wantedKinds.isEmpty {
            guard wantedKinds.isSubset(of: own) else { return false }
            let places = wanted.intersection(["home", "work"])
            return places.isEmpty
                ? !isExact || own == wantedKinds && !item.has("home") || own == ["cell"]
                : places.isSubset(of: Set(item.types))
        }
        if wanted.contains("pref") {
            return item.isPreferred && (isExact ? isPlain : isVoice)
        }
        if wanted.contains("other") {
            return isExact ? isPlain && !(item.isPreferred && hasPrimary) : isVoice
        }
        if !own.isSubset(of: ["main"]) { return false }
        if wanted.contains("home") { return item.has("home") || (!isExact && isPlain) }
        if wanted.contains("work") { return item.has("work") || (!isExact && isPlain) }
        return isExact ? isPlain : true
    }

    /// Whether columns may hold anything a user wants: numbered ones without a meaning.
    func isOpen(_ place: AddressBookPlan.Item) -> Bool {
        guard place.field == .custom, place.has(.value) else { return false }
        if place.has(.type) { return true }
        let name = HeaderNames.fold(place.name)
        return ["user", "custom"].contains { word in
            name.hasPrefix(word) && name.dropFirst(word.count).allSatisfy(\.isNumber)
        }
    }
}
