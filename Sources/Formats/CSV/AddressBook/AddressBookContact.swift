// A contact as the columns of an address book see it: names, and items with their types. Taken
// from one row of a batch of `Contact`; what no column takes is left over and counted.

/// The values of one contact.
struct AddressBookContact {
    /// An e-mail, phone, address and so on.
    struct Item {
        var field: ColumnMeaning.Field
        /// The list of `Contact` it comes from.
        var list: String
        var value = ""
        var parts: [ColumnMeaning.Part: String] = [:]
        var types: [String] = []
        var label: String?
        /// 1 for the best; nil where the source does not rank.
        var preference: Int?
        /// The best of its list.
        var isPreferred = false
        var isUsed = false
        /// What an address has beyond the usual parts.
        var more = ""
        /// The source says an address as one text, too.
        var hasText = false

        /// A part of the item, its value for the first.
        func text(_ part: ColumnMeaning.Part) -> String {
            part == .value ? value : parts[part] ?? ""
        }

        func has(_ type: String) -> Bool { types.contains(type) }

        /// What a note shows of it.
        var shown: String {
            let parts: [ColumnMeaning.Part] = [.value, .name, .title, .formatted, .department]
            let text = parts.lazy.map { self.text($0) }.first { !$0.isEmpty } ?? ""
            let more = field == .relation && !types.isEmpty
            return (label.map { "\($0): " } ?? "") + text
                + (more ? " (\(types.joined(separator: " ")))" : "")
        }

        /// A relation that names another card or page, and no person.
        var isLink: Bool {
            field == .relation
                && ["urn:", "http:", "https:", "mailto:", "data:"].contains {
                    value.lowercased().hasPrefix($0)
                }
        }

        /// Where it stands among those that would fit the same columns.
        var rank: Int { (isLink ? 1000 : 0) + (preference ?? 101) }
    }

    /// Values that stand once: names, note, dates.
    var single: [ColumnMeaning.Field: String] = [:]
    var items: [Item] = []
    /// What has no column in any profile: list or property name, how many, and the first value.
    var leftOver: [(list: String, count: Int, value: String)] = []
    /// Addresses as text that stand beside the addresses (LABEL of 3.0).
    var labels: [(types: [String], text: String)] = []

    /// Whether an item of these words is there already.
    func has(_ field: ColumnMeaning.Field, _ label: String?, _ value: String) -> Bool {
        items.contains { $0.field == field && $0.label == label && $0.value == value }
    }

    /// Finds what is preferred: the best of each list that is ranked.
    mutating func settlePreferences() {
        var best: [String: Int] = [:]
        for item in items {
            if let rank = item.preference { best[item.list] = min(best[item.list] ?? rank, rank) }
        }
        for i in items.indices {
            items[i].isPreferred =
                items[i].preference != nil && items[i].preference == best[items[i].list]
        }
    }

    /// Joins the labels with the addresses they say.
    mutating func settleLabels() {
        for label in labels {
            let at = items.firstIndex {
                $0.list == "addresses" && !$0.hasText && Set($0.types) == Set(label.types)
            }
            if let at {
                items[at].parts[.formatted] = label.text
                items[at].hasText = true
            } else {
                var item = Item(field: .address, list: "labels")
                item.types = label.types
                item.parts[.formatted] = label.text
                item.hasText = true
                items.append(item)
            }
        }
        labels = []
    }
}

/// Takes contacts out of batches.
final class AddressBookContactReader {
    private let batch: RecordBatch
    private let columns: ContactColumns
    private let lookup = ContactProperty.Lookup()
    private let scratch = RawVector<UInt8>(capacity: 256)
    private var isLegacy = false

    deinit { scratch.destroy() }

    init?(_ batch: RecordBatch) {
        guard let columns = ContactColumns(batch) else { return nil }
        self.batch = batch
        self.columns = columns
    }

    func contact(_ row: Int) -> AddressBookContact {
        var contact = AddressBookContact()
        contact.single[.full] = columns.formattedName.string(row)
        if !columns.uid.isNull(row) { contact.single[.uid] = columns.uid.string(row) }
        if !columns.productID.isNull(row) {
            contact.leftOver.append(("productID", 1, columns.productID.string(row)))
        }
        if !columns.kind.isNull(row), columns.kind.string(row).lowercased() != "individual" {
            contact.leftOver.append(("kind", 1, columns.kind.string(row)))
        }
        isLegacy = !columns.version.isNull(row) && columns.version.string(row) == "2.1"
        for (i, items) in columns.items.enumerated() {
            guard let items else { continue }
            let name = columns.name(i)
            var children: [Int] = []
            if items.owner.layout == .collection {
                for j in items.owner.range(row) where !items.objects.isNull(j) {
                    children.append(Int(items.objects.words[j]))
                }
            } else if !items.owner.isNull(row) {
                children.append(Int(items.owner.words[row]))
            }
            if !children.isEmpty { take(name, items, children, &contact) }
        }
        if let groups = batch.groups.categories[row] {
            var words = contact.single[.categories].map { [$0] } ?? []
            let known = Set(words.joined().split(separator: "\u{0}"))
            words += groups.filter { !known.contains($0[...]) }
            contact.single[.categories] = words.joined(separator: "\u{0}")
        }
        contact.settleLabels()
        contact.settlePreferences()
        return contact
    }

    private func take(
        _ list: String, _ items: ItemColumns, _ children: [Int],
        _ contact: inout AddressBookContact
    ) {
        func text(_ column: Int, _ child: Int) -> String {
            items.own[column].isNull(child) ? "" : items.own[column].string(child)
        }
        func texts(_ column: Int, _ child: Int) -> String {
            guard let elements = items.own[column].elements else { return "" }
            return items.own[column].range(child).map { elements.string($0) }
                .filter { !$0.isEmpty }.joined(separator: " ")
        }
        func first(_ field: ColumnMeaning.Field, _ value: String) {
            if !value.isEmpty, contact.single[field] == nil { contact.single[field] = value }
        }
        /// The items from one on have no place.
        func leave(from first: Int, _ column: Int = 0) {
            guard first < children.count else { return }
            let isText = items.own[column].layout == .bytes && items.own[column].type == .string
            var shown = isText ? text(column, children[first]) : ""
            if ["logos", "sounds", "keys"].contains(list) {
                // Data, else the address of some.
                shown = text(1, children[first])
                if shown.isEmpty {
                    shown = "\(items.own[0].bytes(children[first]).count) bytes"
                }
            }
            contact.leftOver.append((list, children.count - first, shown))
        }
        switch list {
        case "names":
            let child = children[0]
            first(.family, text(0, child))
            first(.given, text(1, child))
            first(.middle, texts(2, child))
            first(.prefix, texts(3, child))
            first(.suffix, texts(4, child))
            first(.phoneticFamily, text(7, child))
            first(.phoneticGiven, text(8, child))
            first(.phoneticMiddle, text(9, child))
            for part in [texts(5, child), texts(6, child)] where !part.isEmpty {
                contact.leftOver.append((list, 1, part))
            }
            leave(from: 1)
        case "nicknames":
            first(.nickname, children.map { text(0, $0) }.joined(separator: "\u{0}"))
        case "categories":
            first(.categories, children.map { text(0, $0) }.joined(separator: "\u{0}"))
        case "notes": first(.note, children.map { text(0, $0) }.joined(separator: "\n"))
        case "roles":
            first(.role, text(0, children[0]))
            leave(from: 1)
        case "gender":
            gender(text(0, children[0]), text(1, children[0]), &contact)
        case "photos":
            let uris = children.map { text(1, $0) }.filter { !$0.isEmpty }
            first(.photo, uris.first ?? "")
            if children.count > min(uris.count, 1) {
                let data = children.first { !items.own[0].isNull($0) }
                let size = data.map { "\(items.own[0].bytes($0).count) bytes" } ?? ""
                contact.leftOver.append(
                    (list, children.count - min(uris.count, 1), uris.dropFirst().first ?? size))
            }
        case "dates": dates(items, children, &contact)
        case "emails", "phones", "urls", "relations", "services", "addresses", "organizations",
            "titles":
            for child in children { contact.items.append(item(list, items, child, text, texts)) }
        case "labels":
            for child in children {
                let types = items.types.range(child).map {
                    items.typeElements.string($0).lowercased()
                }
                contact.labels.append((types, text(0, child)))
            }
        case "extras": extras(items, children, &contact)
        case "formattedNames": leave(from: 1)
        case "revision": leave(from: 0, 1)
        default: leave(from: 0)
        }
    }

    private func item(
        _ list: String, _ items: ItemColumns, _ child: Int, _ text: (Int, Int) -> String,
        _ texts: (Int, Int) -> String
    ) -> AddressBookContact.Item {
        let fields: [String: ColumnMeaning.Field] = [
            "emails": .email, "phones": .phone, "urls": .url, "relations": .relation,
            "services": .im, "addresses": .address, "organizations": .org, "titles": .org,
        ]
        var item = AddressBookContact.Item(field: fields[list] ?? .custom, list: list)
        item.types = items.types.range(child).map { items.typeElements.string($0).lowercased() }
        item.label = items.label.isNull(child) ? nil : items.label.string(child)
        item.preference = Self.preference(items, child)
        // Apple's programs name some kinds by a label.
        if let label = item.label, item.field != .relation,
            let types = AddressBookLabels.types(label.lowercased(), item.field)
        {
            item.types += types.filter { !item.types.contains($0) }
            item.label = nil
        }
        switch list {
        case "services":
            var service = text(0, child)
            let usual: Set<String> = ["home", "work", "other", "internet", "voice"]
            if service.isEmpty, let i = item.types.firstIndex(where: { !usual.contains($0) }) {
                // Some name the service by a type.
                service = item.types.remove(at: i)
            }
            item.parts[.service] = service
            item.value = text(1, child)
        case "organizations":
            item.parts[.name] = text(0, child)
            item.parts[.department] = texts(1, child)
        case "titles": item.parts[.title] = text(0, child)
        case "addresses":
            let parts: [ColumnMeaning.Part] = [
                .pobox, .extended, .street, .city, .region, .code, .country,
            ]
            for (k, part) in parts.enumerated() { item.parts[part] = text(k, child) }
            item.more = texts(7, child)
            let formatted = text(8, child)
            item.hasText = !formatted.isEmpty
            item.parts[.formatted] = formatted.isEmpty ? Self.formatted(item) : formatted
        case "relations":
            item.value = text(0, child)
            Self.settle(relation: &item)
        case "phones":
            item.value = text(0, child)
            let number = text(2, child)
            if !number.isEmpty { item.value += ";ext=" + number }
        default: item.value = text(0, child)
        }
        return item
    }

    private static func preference(_ items: ItemColumns, _ child: Int) -> Int? {
        items.preference.isNull(child) ? nil : Int(items.preference.words[child])
    }

    private static func formatted(_ item: AddressBookContact.Item) -> String {
        let town = [item.text(.city), item.text(.region)].filter { !$0.isEmpty }
            .joined(separator: ", ")
        let line = [town, item.text(.code)].filter { !$0.isEmpty }.joined(separator: " ")
        return [
            item.text(.street), item.text(.extended), item.text(.pobox), line, item.text(.country),
        ].filter { !$0.isEmpty }.joined(separator: "\n")
    }

    private func dates(
        _ items: ItemColumns, _ children: [Int], _ contact: inout AddressBookContact
    ) {
        // Of several birthdays one that is a date says more than a text.
        let dated = children.first { child in
            items.own[0].string(child) == "birthday"
                && (1...3).contains { !items.own[$0].isNull(child) }
        }
        for child in children {
            let kind = items.own[0].string(child)
            func number(_ k: Int) -> Int? {
                items.own[k].isNull(child) ? nil : Int(items.own[k].words[child])
            }
            var value = Self.text(number(1), number(2), number(3)) ?? ""
            if value.isEmpty, !items.own[5].isNull(child) { value = items.own[5].string(child) }
            if !items.own[4].isNull(child) {
                contact.leftOver.append(("dates", 1, "T" + items.own[4].string(child)))
            }
            if kind == "birthday", contact.single[.birthday] == nil, child == dated ?? child {
                contact.single[.birthday] = value
                contact.single[.birthYear] = number(1).map(String.init)
                contact.single[.birthMonth] = number(2).map(String.init)
                contact.single[.birthDay] = number(3).map(String.init)
                continue
            }
            var item = AddressBookContact.Item(field: .event, list: "dates", value: value)
            item.label = items.label.isNull(child) ? nil : items.label.string(child)
            if item.label == nil { item.label = kind == "anniversary" ? "Anniversary" : kind }
            contact.items.append(item)
        }
    }

    /// A date as ISO text, without a year as `--MM-DD`; nil for parts that make none.
    private static func text(_ year: Int?, _ month: Int?, _ day: Int?) -> String? {
        let start = year.map { padded($0, 4) }
        guard let month else { return start ?? day.map { "---" + padded($0, 2) } }
        guard let day else { return (start ?? "-") + "-" + padded(month, 2) }
        return "\(start ?? "-")-\(padded(month, 2))-\(padded(day, 2))"
    }

    private static func padded(_ value: Int, _ width: Int) -> String {
        let digits = String(value)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }

    /// A relation is called by its label, or by what its types mean.
    private static func settle(relation item: inout AddressBookContact.Item) {
        if let label = item.label {
            let told = RelationTypes.types(of: label)
            item.types.removeAll { told.contains($0) }
        } else if !item.types.isEmpty {
            let said = RelationTypes.label(of: item.types)
            item.label = said.text.prefix(1).uppercased() + said.text.dropFirst()
            item.types = said.rest.filter { $0 != said.text }
        }
    }

    private func gender(_ sex: String, _ text: String, _ contact: inout AddressBookContact) {
        let words = ["M": "Male", "F": "Female", "O": "Other", "N": "None", "U": "Unknown"]
        let isWhole = text.isEmpty || sex.isEmpty
        let word = isWhole || sex == "M" || sex == "F" ? words[sex] ?? text : text
        if !word.isEmpty, contact.single[.gender] == nil { contact.single[.gender] = word }
        if !isWhole { contact.leftOver.append(("gender", 1, word == text ? sex : text)) }
    }

    // MARK: Other lines

    /// Lines of its own kind come back as the columns they were, the older names of relations and
    /// dates as what they mean; others have no column.
    private func extras(
        _ items: ItemColumns, _ children: [Int], _ contact: inout AddressBookContact
    ) {
        for child in children {
            let name = items.own[0].bytes(child)
            let property = ContactProperty(rawValue: lookup(NameKey.of(name), name)) ?? .other
            switch property {
            case .version, .prodid, .uid, .kind, .rev, .abLabel, .phoneticFirst, .phoneticMiddle,
                .phoneticLast, .n:
                continue
            case .sound
            where items.types.range(child).contains(where: {
                NameKey.equals(items.typeElements.bytes($0), "X-IRMC-N")
            }):
                // How the name sounds, which stands with the name.
                continue
            case .abRelatedNames: relation(items, child, nil, &contact)
            case .xSpouse: relation(items, child, "Spouse", &contact)
            case .xManager: relation(items, child, "Manager", &contact)
            case .xAssistant: relation(items, child, "Assistant", &contact)
            case .xChild: relation(items, child, "Child", &contact)
            case .xAnniversary: event(items, child, "Anniversary", &contact)
            case .xDeathdate: event(items, child, "death", &contact)
            case .abDate: event(items, child, "Other", &contact)
            case .xBirthday where contact.single[.birthday] == nil:
                contact.single[.birthday] = value(items, child)
            case .xGender where contact.single[.gender] == nil:
                let parts = value(items, child).split(
                    separator: ";", maxSplits: 1, omittingEmptySubsequences: false)
                let sex = parts.first.map(String.init) ?? ""
                let isLetter = ["M", "F", "O", "N", "U", ""].contains(sex)
                let text = parts.count > 1 ? String(parts[1]) : ""
                gender(isLetter ? sex : "", isLetter ? text : value(items, child), &contact)
            case .maidenName: custom(items, child, "Maiden Name", &contact)
            default:
                if NameKey.equals(name, AddressBookReader.keptLine) {
                    custom(items, child, keptLabel(items, child), &contact)
                } else if NameKey.equals(name, "X-MS-TEL") {
                    phone(items, child, &contact)
                } else if NameKey.equals(name, "X-FILE-AS")
                    || NameKey.equals(name, "X-EVOLUTION-FILE-AS")
                {
                    custom(items, child, "File As", &contact)
                } else {
                    let name = String(decoding: name, as: UTF8.self).uppercased()
                    let parameters = Self.parameters(items, child)
                    contact.leftOver.append(
                        (
                            name, 1,
                            value(items, child, limit: 400)
                                + (parameters.isEmpty ? "" : " (\(parameters))")
                        ))
                }
            }
        }
    }

    /// What a kept line says, without its escapes.
    private func value(_ items: ItemColumns, _ child: Int, limit: Int = .max) -> String {
        scratch.removeAll()
        let bytes = UnsafeRawBufferPointer(rebasing: items.own[1].bytes(child).prefix(limit))
        CardBuilder.unescape(bytes, isLegacy: isLegacy, to: scratch)
        return String(decoding: scratch.elements, as: UTF8.self)
    }

    /// The parameters of a kept line, for notes.
    private static func parameters(_ items: ItemColumns, _ child: Int) -> String {
        guard let elements = items.parameters.elements else { return "" }
        return items.parameters.range(child).prefix(10).map { elements.string($0) }
            .joined(separator: " ")
    }

    /// Outlook's numbers of kinds that the standard does not know.
    private func phone(
        _ items: ItemColumns, _ child: Int, _ contact: inout AddressBookContact
    ) {
        var item = AddressBookContact.Item(field: .phone, list: "phones")
        item.value = value(items, child)
        item.types = items.types.range(child).map { items.typeElements.string($0).lowercased() }
        item.label = items.label.isNull(child) ? nil : items.label.string(child)
        item.preference = Self.preference(items, child)
        let kinds = [
            ("assistant", "Assistant"), ("callback", "Callback"), ("company", "Company Main"),
            ("radio", "Radio"), ("ttytdd", "TTY/TDD"), ("tty-tdd", "TTY/TDD"), ("telex", "Telex"),
        ]
        for (type, label) in kinds where item.has(type) && item.label == nil {
            item.types.removeAll { $0 == type }
            if type == "company" { item.types.append("work") }
            item.label = label
        }
        contact.items.append(item)
    }

    private func keptLabel(_ items: ItemColumns, _ child: Int) -> String {
        var label = ""
        if let elements = items.parameters.elements {
            for j in items.parameters.range(child) {
                let parameter = elements.string(j)
                if parameter.hasPrefix("LABEL=") { label = String(parameter.dropFirst(6)) }
            }
        }
        if label.hasPrefix("\""), label.count >= 2 {
            label = String(label.dropFirst().dropLast())
        }
        return label
    }

    private func custom(
        _ items: ItemColumns, _ child: Int, _ label: String, _ contact: inout AddressBookContact
    ) {
        var item = AddressBookContact.Item(field: .custom, list: "extras")
        item.label = label
        item.value = value(items, child)
        contact.items.append(item)
    }

    private func relation(
        _ items: ItemColumns, _ child: Int, _ label: String?, _ contact: inout AddressBookContact
    ) {
        var item = AddressBookContact.Item(field: .relation, list: "relations")
        item.value = value(items, child)
        item.label = label ?? (items.label.isNull(child) ? nil : items.label.string(child))
        item.preference = Self.preference(items, child)
        // The same is often said in two ways.
        if !contact.has(.relation, item.label, item.value) { contact.items.append(item) }
    }

    private func event(
        _ items: ItemColumns, _ child: Int, _ label: String, _ contact: inout AddressBookContact
    ) {
        let text = value(items, child)
        var item = AddressBookContact.Item(field: .event, list: "dates", value: text)
        item.label = label
        let bytes = Array(text.utf8)
        if let date = bytes.withUnsafeBytes({ CardDate($0) }) {
            item.value = Self.text(date.year, date.month, date.day) ?? text
        }
        if !contact.has(.event, label, item.value) { contact.items.append(item) }
    }
}
