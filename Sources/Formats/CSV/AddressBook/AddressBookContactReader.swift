// Rows of `Contact` as the contacts that address books have room for.

/// Takes contacts out of batches.
final class AddressBookContactReader {
    let batch: RecordBatch
    let columns: ContactColumns
    let lookup = ContactProperty.Lookup()
    let scratch = RawVector<UInt8>(capacity: 256)
    var isLegacy = false
    /// The most bytes of a line without a column that are looked at.
    var limit = 400

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
        if let files = batch.photoFiles[row] {
            contact.photoFiles = files
            contact.leftOver.removeAll { $0.list == "photos" && files.contains($0.value) }
        }
        contact.settleLabels()
        contact.settleServices()
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
            let isText = items.own[column].layout == .bytes && items.own[column].type == .string
            for child in children.dropFirst(first) {
                contact.leftOver.append((list, 1, isText ? text(column, child) : ""))
            }
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
            for uri in uris.dropFirst() { contact.leftOver.append((list, 1, uri)) }
            if children.count > uris.count {
                contact.leftOver.append((list, children.count - uris.count, ""))
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
        case "revision", "keys", "logos", "sounds": leave(from: 0, 1)
        default: leave(from: 0)
        }
    }

    func item(
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
        if !items.preference.isNull(child) {
            item.rank = Int(min(max(items.preference.words[child], 1), 101))
            item.isPreferred = items.preference.words[child] == 1
        }
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
            if !batch.groups.names.isEmpty, item.isLink,
                let name = batch.groups.names[ContactGroups.plain(item.value)]
            {
                item.link = item.value
                item.value = name
            }
            Self.settle(relation: &item)
        case "phones":
            item.value = text(0, child)
            let number = text(2, child)
            if !number.isEmpty { item.value += ";ext=" + number }
            Self.settle(phone: &item)
        default: item.value = text(0, child)
        }
        return item
    }

    static func formatted(_ item: AddressBookContact.Item) -> String {
        let town = [item.text(.city), item.text(.region)].filter { !$0.isEmpty }
            .joined(separator: ", ")
        let line = [town, item.text(.code)].filter { !$0.isEmpty }.joined(separator: " ")
        return [
            item.text(.street), item.text(.extended), item.text(.pobox), line, item.text(.country),
        ].filter { !$0.isEmpty }.joined(separator: "\n")
    }

    func dates(
        _ items: ItemColumns, _ children: [Int], _ contact: inout AddressBookContact
    ) {
        // A day is a better birthday than a text.
        let birthdays = children.filter { items.own[0].string($0) == "birthday" }
        let birthday = birthdays.first { !items.own[3].isNull($0) } ?? birthdays.first
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
            if child == birthday {
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
    static func text(_ year: Int?, _ month: Int?, _ day: Int?) -> String? {
        let start = year.map { padded($0, 4) }
        guard let month else { return start ?? day.map { "---" + padded($0, 2) } }
        guard let day else { return (start ?? "-") + "-" + padded(month, 2) }
        return "\(start ?? "-")-\(padded(month, 2))-\(padded(day, 2))"
    }

    private static func padded(_ value: Int, _ width: Int) -> String {
        let digits = String(value)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }

    /// Kinds of numbers that have a column of their own in some address books.
    static func settle(phone item: inout AddressBookContact.Item) {
        guard item.label == nil else { return }
        for word in ["assistant", "callback", "radio", "telex"] {
            guard let i = item.types.firstIndex(where: { $0 == word || $0 == "x-" + word }) else {
                continue
            }
            item.types.remove(at: i)
            item.label = word.prefix(1).uppercased() + word.dropFirst()
            return
        }
    }

    /// A relation is called by its label, or by what its types mean.
    static func settle(relation item: inout AddressBookContact.Item) {
        if let label = item.label {
            let told = RelationTypes.types(of: label)
            item.types.removeAll { told.contains($0) }
        } else if !item.types.isEmpty {
            let said = RelationTypes.label(of: item.types)
            item.label = said.text.prefix(1).uppercased() + said.text.dropFirst()
            item.types = said.rest.filter { $0 != said.text }
        }
    }

    func gender(_ sex: String, _ text: String, _ contact: inout AddressBookContact) {
        let words = ["M": "Male", "F": "Female", "O": "Other", "N": "None", "U": "Unknown"]
        let isWhole = text.isEmpty || sex.isEmpty
        let word = isWhole || sex == "M" || sex == "F" ? words[sex] ?? text : text
        if !word.isEmpty, contact.single[.gender] == nil { contact.single[.gender] = word }
        if !isWhole { contact.leftOver.append(("gender", 1, word == text ? sex : text)) }
    }

}
