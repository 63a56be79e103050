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
        /// What says how much it is preferred: 1 is the most.
        var rank = 101
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

        /// A relation that is told by the address of a card.
        var isLink: Bool {
            field == .relation
                && Array(value.utf8).withUnsafeBytes { MediaText.hasScheme($0) }
                && !value.contains(" ")
        }

        /// What a note shows of it.
        var shown: String {
            let parts: [ColumnMeaning.Part] = [.value, .name, .title, .formatted, .department]
            let text = parts.lazy.map { self.text($0) }.first { !$0.isEmpty } ?? ""
            return label.map { "\($0): \(text)" } ?? text
        }
    }

    /// Values that stand once: names, note, dates.
    var single: [ColumnMeaning.Field: String] = [:]
    var items: [Item] = []
    /// What has no column in any profile: list or property name, how many, and the first value.
    var leftOver: [(list: String, count: Int, value: String)] = []
    /// Names of the photos whose bytes are kept in files.
    var photoFiles: Set<String> = []
    /// Addresses as text that stand beside the addresses (LABEL of 3.0).
    var labels: [(types: [String], text: String)] = []

    /// Adds a value to those that stand in one cell.
    mutating func add(_ field: ColumnMeaning.Field, _ value: String) {
        if value.isEmpty { return }
        let known = single[field] ?? ""
        if known.split(separator: "\u{0}").contains(value[...]) { return }
        single[field] = known.isEmpty ? value : known + "\u{0}" + value
    }

    /// Whether an item of these words is there already.
    func has(_ field: ColumnMeaning.Field, _ label: String?, _ value: String) -> Bool {
        items.contains { $0.field == field && $0.label == label && $0.value == value }
    }

    /// Joins messengers that name one account, as some write it in two ways.
    mutating func settleServices() {
        var at: [String: Int] = [:]
        var rest: [Item] = []
        for item in items {
            guard item.field == .im, !item.value.isEmpty else {
                rest.append(item)
                continue
            }
            let service = Self.plain(service: item.text(.service))
            let key = service + "\u{0}" + item.value.lowercased()
            guard !service.isEmpty, let known = at[key] else {
                at[key] = rest.count
                rest.append(item)
                continue
            }
            rest[known].types += item.types.filter { !rest[known].types.contains($0) }
            rest[known].label = rest[known].label ?? item.label
            rest[known].isPreferred = rest[known].isPreferred || item.isPreferred
            rest[known].rank = min(rest[known].rank, item.rank)
        }
        items = rest
    }

    /// A service by one of its names.
    private static func plain(service: String) -> String {
        let word = String(service.lowercased().filter { $0.isLetter || $0.isNumber })
        let others = [
            "xmpp": "jabber", "gtalk": "googletalk", "ymsgr": "yahoo", "msnim": "msn",
            "skypeusername": "skype", "gg": "gadugadu", "twitterusername": "twitter",
        ]
        return others[word] ?? word
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

    /// Kinds of numbers that have a column of their own in some address books.
    private static func settle(phone item: inout AddressBookContact.Item) {
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
    private func value(_ items: ItemColumns, _ child: Int, limit: Int = .max) -> String {
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
        item.isPreferred = !items.preference.isNull(child) && items.preference.words[child] == 1
        // The same is often said in two ways.
        if !contact.has(.relation, item.label, item.value) { contact.items.append(item) }
    }

    private func event(
        _ items: ItemColumns, _ child: Int, _ label: String, _ contact: inout AddressBookContact
    ) {
        event(value(items, child), label, &contact)
    }

    private func event(_ text: String, _ label: String, _ contact: inout AddressBookContact) {
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
    private func address(
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
    private func phone(
        _ items: ItemColumns, _ child: Int, _ contact: inout AddressBookContact
    ) {
        var item = AddressBookContact.Item(
            field: .phone, list: "phones", value: value(items, child))
        item.types = items.types.range(child).map { items.typeElements.string($0).lowercased() }
        Self.settle(phone: &item)
        if !item.value.isEmpty { contact.items.append(item) }
    }
}
