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
        var isPreferred = false
        var isUsed = false

        /// A part of the item, its value for the first.
        func text(_ part: ColumnMeaning.Part) -> String {
            part == .value ? value : parts[part] ?? ""
        }

        func has(_ type: String) -> Bool { types.contains(type) }
    }

    /// Values that stand once: names, note, dates.
    var single: [ColumnMeaning.Field: String] = [:]
    var items: [Item] = []
    /// What has no column in any profile: list name and how many.
    var leftOver: [(list: String, count: Int)] = []
}

/// Takes contacts out of batches.
final class AddressBookContactReader {
    private let batch: RecordBatch
    private let columns: ContactColumns

    init?(_ batch: RecordBatch) {
        guard let columns = ContactColumns(batch) else { return nil }
        self.batch = batch
        self.columns = columns
    }

    func contact(_ row: Int) -> AddressBookContact {
        var contact = AddressBookContact()
        contact.single[.full] = columns.formattedName.string(row)
        if !columns.uid.isNull(row) { contact.single[.uid] = columns.uid.string(row) }
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
        func leave(_ count: Int) {
            if count > 0 { contact.leftOver.append((list, count)) }
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
            leave(children.count - 1)
        case "nicknames":
            first(.nickname, children.map { text(0, $0) }.joined(separator: " ::: "))
        case "categories":
            first(.categories, children.map { text(0, $0) }.joined(separator: "\u{0}"))
        case "notes": first(.note, children.map { text(0, $0) }.joined(separator: "\n"))
        case "roles":
            first(.role, text(0, children[0]))
            leave(children.count - 1)
        case "gender":
            let word = ["M": "Male", "F": "Female"][text(0, children[0])] ?? text(1, children[0])
            first(.gender, word)
        case "photos":
            let uris = children.map { text(1, $0) }.filter { !$0.isEmpty }
            first(.photo, uris.first ?? "")
            leave(children.count - min(uris.count, 1))
        case "dates": dates(items, children, &contact)
        case "emails", "phones", "urls", "relations", "services", "addresses", "organizations",
            "titles":
            for child in children { contact.items.append(item(list, items, child, text, texts)) }
        case "extras": extras(items, children, text, &contact)
        case "formattedNames": leave(children.count - 1)
        case "revision": break
        default: leave(children.count)
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
        item.isPreferred = !items.preference.isNull(child) && items.preference.words[child] == 1
        switch list {
        case "services":
            item.parts[.service] = text(0, child)
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
            let formatted = text(8, child)
            item.parts[.formatted] = formatted.isEmpty ? Self.formatted(item) : formatted
        default: item.value = text(0, child)
        }
        return item
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
        for child in children {
            let kind = items.own[0].string(child)
            func number(_ k: Int) -> Int? {
                items.own[k].isNull(child) ? nil : Int(items.own[k].words[child])
            }
            var value = ""
            if let month = number(2), let day = number(3) {
                let year = number(1).map { Self.padded($0, 4) } ?? "-"
                value = "\(year)-\(Self.padded(month, 2))-\(Self.padded(day, 2))"
            } else if let year = number(1) {
                value = Self.padded(year, 4)
            } else if !items.own[5].isNull(child) {
                value = items.own[5].string(child)
            }
            if kind == "birthday", contact.single[.birthday] == nil {
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

    private static func padded(_ value: Int, _ width: Int) -> String {
        let digits = String(value)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }

    /// Lines of its own kind come back as the columns they were; others have none.
    private func extras(
        _ items: ItemColumns, _ children: [Int], _ text: (Int, Int) -> String,
        _ contact: inout AddressBookContact
    ) {
        var others = 0
        let silent: Set<String> = [
            "VERSION", "PRODID", "UID", "KIND", "REV", "X-ABLABEL", "X-PHONETIC-FIRST-NAME",
            "X-PHONETIC-MIDDLE-NAME", "X-PHONETIC-LAST-NAME",
        ]
        for child in children {
            let name = text(0, child).uppercased()
            if silent.contains(name) { continue }
            guard name == AddressBookReader.keptLine else {
                others += 1
                continue
            }
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
            var item = AddressBookContact.Item(field: .custom, list: "extras")
            item.label = label
            item.value = Self.unescaped(text(1, child))
            contact.items.append(item)
        }
        if others > 0 { contact.leftOver.append(("extras", others)) }
    }

    private static func unescaped(_ text: String) -> String {
        var out: [UInt8] = []
        var isEscaped = false
        for byte in text.utf8 {
            if isEscaped {
                out.append(byte == 0x6E || byte == 0x4E ? 10 : byte)
                isEscaped = false
            } else if byte == 0x5C {
                isEscaped = true
            } else {
                out.append(byte)
            }
        }
        return String(decoding: out, as: UTF8.self)
    }
}
