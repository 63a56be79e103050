// What the columns of an address book do not say of a contact: values without a column, and kinds,
// labels and preferences that reading the file again would not give back.

extension AddressBookWriter {
    /// A value that stands once and has no column.
    struct Unplaced {
        var field: ColumnMeaning.Field
        /// What notes call it, and what it is called in a contact's notes.
        var property: Int
        var label: String?
    }

    static func unplaced(_ plan: AddressBookPlan, _ notes: AddressBookNotes) -> [Unplaced] {
        let names: [(ColumnMeaning.Field, String)] = [
            (.prefix, "names"), (.given, "names"), (.middle, "names"), (.family, "names"),
            (.suffix, "names"), (.phoneticGiven, "names"), (.phoneticMiddle, "names"),
            (.phoneticFamily, "names"), (.nickname, "nicknames"), (.role, "roles"),
            (.gender, "gender"), (.categories, "categories"), (.note, "notes"),
            (.photo, "photos"), (.uid, "uid"),
        ]
        return names.compactMap { field, list in
            // Where there is one column for the whole name, it says these parts.
            let isSaid = (field == .given || field == .family) && plan.full != nil
            guard plan.column(field) == nil, !isSaid else { return nil }
            return Unplaced(
                field: field, property: notes.property(list), label: NotesOverflow.labels[field])
        }
    }

    /// The name of the first of some columns.
    func header(_ place: AddressBookPlan.Item) -> String {
        place.columns.first.map { profile.headers[$0] } ?? place.name
    }

    /// Notes what has no column, unless it goes to the notes.
    /// - Parameter label: what to call it in the notes.
    private func lost(
        _ property: Int, _ count: Int = 1, label: @autoclosure () -> String,
        value: @autoclosure () -> String?
    ) {
        if overflow == nil, notes.count(.noColumn, property, count) { return }
        let value = value()
        if let overflow, let value, count == 1, overflow.take(label(), value) {
            return notes.add(
                .inNotes, property, value: value,
                action: "the profile \(profile.name) has no column for it; it stands in the notes")
        }
        notes.add(
            .noColumn, property, count: count, value: value?.isEmpty == true ? nil : value,
            action: "the profile \(profile.name) has no column for it; plain keeps everything")
    }

    /// Notes the loss of a text of an item.
    private func lost(_ i: Int, _ value: @autoclosure () -> String) {
        lost(
            Int(contact.items[i].list.rawValue),
            label: NotesOverflow.label(kinds.all[contact.items[i].kind]), value: value())
    }

    // MARK: Items

    /// Notes what an item loses in the columns it was put in.
    func noteChange(_ i: Int, _ seat: Int) {
        let item = contact.items[i]
        let its = seats[seat]
        let missing = item.filled & ~(its.parts | ColumnMeaning.Part.formatted.bit)
        if missing != 0 { noteParts(i, seat, missing) }
        if item.field == .im {
            notePage(i)
        } else if !item.more.isEmpty || item.hasText {
            noteAddress(i, its)
        }
        let changes = seats.changes(item.kind, seat)
        if changes.contains(.isRenamed) {
            notes.add(
                .customRenamed, Int(item.list.rawValue),
                value: contact.shown(i, kinds.all[item.kind]),
                action: "written under \(header(seats.places[seat]))")
        }
        if item.isLink || !item.link.isNone { noteLink(i, seats.places[seat]) }
        if !changes.isDisjoint(with: [.changesKind, .dropsLabel, .dropsPreference]) {
            noteKind(i, seat, changes)
        }
    }

    /// Notes what became of a link to a card.
    private func noteLink(_ i: Int, _ place: AddressBookPlan.Item) {
        let item = contact.items[i]
        let property = Int(item.list.rawValue)
        if !item.link.isNone {
            notes.add(
                .relationNamed, property, value: contact.texts.string(item.link),
                action: "the link to a card became its name under \(header(place))")
        } else {
            notes.add(
                .relationURI, property, value: contact.shown(i, kinds.all[item.kind]),
                action: "the link to a card that the input does not have stands as its address "
                    + "under \(header(place))")
        }
    }

    /// The parts of an item that have no column.
    private func noteParts(_ i: Int, _ seat: Int, _ missing: UInt32) {
        let field = seats[seat].field
        for part in ColumnMeaning.Part.allCases where missing & part.bit != 0 {
            if field == .im, !seats.places[seat].types.isEmpty { continue }
            // A title has columns of its own.
            if field == .org, part == .title { continue }
            lost(i, contact.texts.string(contact[i, part]))
        }
    }

    /// The page of a messenger whose user alone has a column.
    func notePage(_ i: Int) {
        let page = contact.items[i].more
        if !page.isEmpty { lost(i, contact.texts.string(page)) }
    }

    /// What an address says beyond its parts.
    private func noteAddress(_ i: Int, _ seat: AddressBookSeats.Seat) {
        let texts = contact.texts
        let item = contact.items[i]
        let formatted = contact[i, .formatted]
        // Google's eighth part is the whole address once more.
        if !item.more.isEmpty, !texts.isTold(item.more, by: [formatted]) {
            lost(i, texts.string(item.more))
        }
        if item.hasText, seat.parts & ColumnMeaning.Part.formatted.bit == 0,
            !texts.isTold(formatted, by: ColumnMeaning.Part.ofAddress.map { contact[i, $0] })
        {
            lost(i, texts.string(formatted))
        }
    }

    /// What the columns do not say of an item's kind.
    private func noteKind(_ i: Int, _ seat: Int, _ changes: AddressBookSeats.Answer) {
        let item = contact.items[i]
        let property = Int(item.list.rawValue)
        func shown() -> String { contact.shown(i, kinds.all[item.kind]) }
        func under() -> String { "; written under \(header(seats.places[seat]))" }
        if changes.contains(.changesKind) {
            func value() -> String {
                let words = AddressBookSeats.shownTypes(kinds.all[item.kind])
                return words.isEmpty ? shown() : "\(shown()) (\(words))"
            }
            notes.add(
                .kindChanged, property, value: value(),
                action: "\(profile.name) has no column with room for this kind" + under())
        }
        if changes.contains(.dropsLabel) {
            let isKept =
                overflow?.take(
                    NotesOverflow.label(kinds.all[item.kind]),
                    NotesOverflow.value(i, of: contact)) == true
            notes.add(
                isKept ? .inNotes : .labelDropped, property, value: shown(),
                action: "\(profile.name) has no place for the label"
                    + (isKept ? "; it stands in the notes" : "") + under())
        }
        if changes.contains(.dropsPreference) {
            notes.add(
                .prefOrder, property, value: shown(),
                action: "\(profile.name) has no place for what is preferred" + under())
        }
    }

    // MARK: Contacts

    /// Notes what found no column.
    func noteLoss() {
        let texts = contact.texts
        if isNameLost {
            lost(
                notes.property("formattedName"), label: NotesOverflow.label("formattedName"),
                value: texts.string(contact[.full]))
        }
        if profile.plan.categories != nil { noteCategories() }
        for i in 0..<contact.items.count where !contact.items[i].isUsed {
            lost(
                i,
                overflow == nil
                    ? contact.shown(i, kinds.all[contact.items[i].kind])
                    : NotesOverflow.value(i, of: contact))
        }
        for i in 0..<contact.leftOver.count { noteLeftOver(contact.leftOver[i]) }
        for it in unplaced {
            let value = contact[it.field]
            if value.isEmpty { continue }
            if it.field == .photo, contact.photoFiles.contains(texts.string(value)) { continue }
            lost(
                it.property, label: it.label ?? NotesOverflow.label(notes.name(it.property)),
                value: texts.string(joined(value, ", ")))
        }
        noteBirthday()
    }

    private func noteCategories() {
        let texts = contact.texts
        let separator: StaticString = isGoogle ? ":::" : ";"
        let byte = separator.utf8Start[0]
        guard texts.bytes(contact[.categories]).contains(byte) else { return }
        for word in texts.string(contact[.categories]).split(separator: "\u{0}")
        where word.contains("\(separator)") {
            notes.add(
                .categorySeparator, notes.property("categories"), source: sink.name,
                value: String(word),
                action: "\(separator) separates categories here, so it will be read as several")
        }
    }

    private func noteLeftOver(_ it: AddressBookContact.LeftOver) {
        while propertyOfName.count <= it.name { propertyOfName.append(-1) }
        if propertyOfName[it.name] < 0 {
            propertyOfName[it.name] = notes.property(bounded(kinds.names[it.name]))
        }
        let property = propertyOfName[it.name]
        guard overflow != nil, let reader else {
            return lost(
                property, it.count, label: "",
                value: reader.map { contact.texts.string($0.text(it)) })
        }
        lost(
            property, it.count,
            label: NotesOverflow.label(notes.name(property), reader.words(of: it)),
            value: contact.texts.string(reader.whole(it)))
    }

    private func noteBirthday() {
        guard profile.plan.birthday == nil, !contact[.birthday].isEmpty else { return }
        let parts: [ColumnMeaning.Field] = [.birthYear, .birthMonth, .birthDay]
        let isPlaced =
            profile.plan.birthMonth != nil && parts.contains { !contact[$0].isNone }
        if isPlaced { return }
        lost(
            notes.property("dates"), label: "Birthday",
            value: contact.texts.string(contact[.birthday]))
    }

    /// The name of a line, as long as there are few different ones.
    private func bounded(_ name: String) -> String {
        if named.count < 100 { named.insert(name) }
        return named.contains(name) ? name : "extras"
    }
}
