// Lines of a contact that no list of its class holds, as address books can say them: relations and
// days under labels, columns kept from another table, and what Android, Samsung and Outlook write
// as lines of their own.

extension AddressBookContactReader {
    // MARK: Other lines

    /// Lines of its own kind come back as the columns they were, the older names of relations and
    /// dates as what they mean; others have no column.
    func extras(
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
            case .androidCustom where android(items, child, &contact): break
            default:
                if NameKey.equals(name, AddressBookReader.keptLine) {
                    custom(items, child, keptLabel(items, child), &contact)
                } else if NameKey.equals(name, "X-FILE-AS")
                    || NameKey.equals(name, "X-EVOLUTION-FILE-AS")
                {
                    custom(items, child, "File As", &contact)
                } else if NameKey.equals(name, "X-SAMSUNGADR") {
                    address(items, child, &contact)
                } else if NameKey.equals(name, "X-MS-TEL") {
                    phone(items, child, &contact)
                } else if NameKey.equals(name, "X-GROUP-MEMBERSHIP") {
                    contact.add(.categories, value(items, child))
                } else {
                    let name = String(decoding: name, as: UTF8.self).uppercased()
                    var text = value(items, child, limit: limit)
                    if let elements = items.parameters.elements {
                        let said = items.parameters.range(child).map { elements.string($0) }
                        if !said.isEmpty { text += " (\(said.joined(separator: ", ")))" }
                    }
                    contact.leftOver.append((name, 1, text))
                }
            }
        }
    }

    /// What a kept line says, without its escapes.
    func value(_ items: ItemColumns, _ child: Int, limit: Int = .max) -> String {
        scratch.removeAll()
        let bytes = UnsafeRawBufferPointer(rebasing: items.own[1].bytes(child).prefix(limit))
        CardBuilder.unescape(bytes, isLegacy: isLegacy, to: scratch)
        return String(decoding: scratch.elements, as: UTF8.self)
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

    func custom(
        _ items: ItemColumns, _ child: Int, _ label: String, _ contact: inout AddressBookContact
    ) {
        var item = AddressBookContact.Item(field: .custom, list: "extras")
        item.label = label
        item.value = value(items, child)
        contact.items.append(item)
    }

    func relation(
        _ items: ItemColumns, _ child: Int, _ label: String?, _ contact: inout AddressBookContact
    ) {
        var item = AddressBookContact.Item(field: .relation, list: "relations")
        item.value = value(items, child)
        item.label = label ?? (items.label.isNull(child) ? nil : items.label.string(child))
        item.isPreferred = !items.preference.isNull(child) && items.preference.words[child] == 1
        // The same is often said in two ways.
        if !contact.has(.relation, item.label, item.value) { contact.items.append(item) }
    }

    func event(
        _ items: ItemColumns, _ child: Int, _ label: String, _ contact: inout AddressBookContact
    ) {
        event(value(items, child), label, &contact)
    }

    func event(_ text: String, _ label: String, _ contact: inout AddressBookContact) {
        var item = AddressBookContact.Item(field: .event, list: "dates", value: text)
        item.label = label
        let bytes = Array(text.utf8)
        if let date = bytes.withUnsafeBytes({ CardDate($0) }) {
            item.value = Self.text(date.year, date.month, date.day) ?? text
        }
        if !contact.has(.event, label, item.value) { contact.items.append(item) }
    }

    // MARK: Lines of phones

    /// The components of a kept line, without their escapes.
    private func components(_ items: ItemColumns, _ child: Int) -> [String] {
        CardBuilder.components(items.own[1].bytes(child), isLegacy: isLegacy)
    }

    /// `X-ANDROID-CUSTOM:mimetype;value;kind;label`; false when it means nothing here.
    private func android(
        _ items: ItemColumns, _ child: Int, _ contact: inout AddressBookContact
    ) -> Bool {
        let values = components(items, child)
        guard values.count >= 2, !values[1].isEmpty else { return false }
        let kind = values.count > 2 ? Int(values[2]) ?? -1 : -1
        let custom = values.count > 3 ? values[3] : ""
        switch values[0] {
        case "vnd.android.cursor.item/nickname": contact.add(.nickname, values[1])
        case "vnd.android.cursor.item/contact_event":
            let bytes = Array(values[1].utf8)
            let date = bytes.withUnsafeBytes { CardDate($0) }
            let text = date.flatMap { Self.text($0.year, $0.month, $0.day) } ?? values[1]
            if kind == 3 {
                let birthday = contact.single[.birthday] ?? ""
                if birthday == text { return true }
                if birthday.isEmpty {
                    contact.single[.birthday] = text
                    contact.single[.birthYear] = date?.year.map(String.init)
                    contact.single[.birthMonth] = date?.month.map(String.init)
                    contact.single[.birthDay] = date?.day.map(String.init)
                    return true
                }
            }
            let labels = [0: custom.isEmpty ? "Other" : custom, 1: "Anniversary", 3: "birthday"]
            event(text, labels[kind] ?? "Other", &contact)
        case "vnd.android.cursor.item/relation":
            var item = AddressBookContact.Item(
                field: .relation, list: "relations", value: values[1])
            let known = VCardUpgrade.androidRelations
            let label = known.indices.contains(kind) && kind > 0 ? known[kind] : custom
            item.label =
                label.isEmpty ? "Other" : label.prefix(1).uppercased() + label.dropFirst()
            if !contact.has(.relation, item.label, item.value) { contact.items.append(item) }
        default: return false
        }
        return true
    }

    /// An address under a name of its own.
    func address(
        _ items: ItemColumns, _ child: Int, _ contact: inout AddressBookContact
    ) {
        var item = AddressBookContact.Item(field: .address, list: "addresses")
        item.types = items.types.range(child).map { items.typeElements.string($0).lowercased() }
        let parts: [ColumnMeaning.Part] = [
            .pobox, .extended, .street, .city, .region, .code, .country,
        ]
        let texts = components(items, child)
        for (part, text) in zip(parts, texts) { item.parts[part] = text }
        item.more = texts.dropFirst(7).filter { !$0.isEmpty }.joined(separator: " ")
        item.parts[.formatted] = Self.formatted(item)
        if texts.contains(where: { !$0.isEmpty }) { contact.items.append(item) }
    }

    /// A number under a name of its own.
    func phone(
        _ items: ItemColumns, _ child: Int, _ contact: inout AddressBookContact
    ) {
        var item = AddressBookContact.Item(
            field: .phone, list: "phones", value: value(items, child))
        item.types = items.types.range(child).map { items.typeElements.string($0).lowercased() }
        Self.settle(phone: &item)
        if !item.value.isEmpty { contact.items.append(item) }
    }
}
