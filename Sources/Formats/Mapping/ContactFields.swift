// The fields of `Contact` by the words of a map, in both directions.

struct ContactFields: MapFields {
    static var schema: Schema { ContactClass.schema }
    static let unremarkable: Set<String> = ["_id", "version", "productID", "revision"]

    private let batch: RecordBatch
    private let uidColumn: Column?
    private let formattedName: Column?
    private let names: MapItems
    private let organizations: MapItems
    private let emails: MapItems
    private let phones: MapItems
    private let phoneURI: Column?
    private let categories: MapItems
    private let lists: [String: MapItems]
    private let addresses: MapItems
    private let dates: MapItems

    init(_ batch: RecordBatch, zone: String?) {
        self.batch = batch
        uidColumn = batch.column("uid")
        formattedName = batch.column("formattedName")
        names = MapItems(batch, "names", "family")
        organizations = MapItems(batch, "organizations", "name")
        emails = MapItems(batch, "emails")
        phones = MapItems(batch, "phones")
        phoneURI = phones.column("uri")
        categories = MapItems(batch, "categories")
        lists = [
            "nickname": MapItems(batch, "nicknames"), "title": MapItems(batch, "titles"),
            "role": MapItems(batch, "roles"), "note": MapItems(batch, "notes"),
            "url": MapItems(batch, "urls"),
        ]
        addresses = MapItems(batch, "addresses", "formatted")
        dates = MapItems(batch, "dates", "kind")
    }

    func uid(_ row: Int) -> (uid: UnsafeRawBufferPointer, recurrence: UnsafeRawBufferPointer?)? {
        guard var uid = uidColumn?.presentText(row) else { return nil }
        while let c = uid.last, c <= 0x20 { uid = .init(rebasing: uid.dropLast()) }
        while let c = uid.first, c <= 0x20 { uid = .init(rebasing: uid.dropFirst()) }
        return uid.isEmpty ? nil : (uid, nil)
    }

    func flag(_ word: String, _ category: String?, _ row: Int) -> Bool {
        guard let category else { return false }
        return categoryItem(category, row) != nil || isInGroup(category, row)
    }

    /// The names of the groups a contact is in.
    func groups(_ row: Int) -> [String] { batch.groups.categories[row] ?? [] }

    /// True for the card of a group, which is no contact.
    func isGroup(_ row: Int) -> Bool { batch.groups.isGroup.contains(row) }

    func isSilent(_ field: AppMap.Field, _ row: Int) -> Bool {
        field.category != nil && categories.range(row).isEmpty && groups(row).isEmpty
    }

    private func isInGroup(_ name: String, _ row: Int) -> Bool {
        groups(row).contains { $0.lowercased() == name.lowercased() }
    }

    private func categoryItem(_ category: String, _ row: Int) -> Int? {
        categories.range(row).first { i in
            guard let text = categories.text(i) else { return false }
            return NameKey.equals(text, category)
                || String(decoding: text, as: UTF8.self).lowercased() == category.lowercased()
        }
    }

    /// A phone number; for one that is only a URI, what it says.
    private func phone(_ i: Int) -> UnsafeRawBufferPointer? {
        if let value = phones.text(i) { return value }
        guard let uri = phones.text(i, phoneURI), NameKey.starts(uri, with: "tel:"), uri.count > 4
        else { return nil }
        return UnsafeRawBufferPointer(rebasing: uri[4...])
    }

    func append(_ field: AppMap.Field, _ row: Int, to column: Column) -> [MapUse]? {
        if let category = field.category {
            let item = categoryItem(category, row)
            column.append(word: item == nil && !isInGroup(category, row) ? 0 : 1)
            return item == nil ? [] : [MapUse("categories")]
        }
        func put(_ text: UnsafeRawBufferPointer?, _ property: String) -> [MapUse]? {
            guard let text else { return nil }
            column.append(bytes: text)
            return [MapUse(property)]
        }
        func put(_ items: MapItems, _ property: String) -> [MapUse]? {
            let best = items.best(row) { items.text($0) != nil }
            return put(best.flatMap { items.text($0) }, property)
        }
        func putAll(_ items: MapItems, _ property: String, _ text: (Int) -> UnsafeRawBufferPointer?)
            -> [MapUse]?
        {
            var count = 0
            for i in items.range(row) {
                guard let text = text(i) else { continue }
                column.elements?.append(bytes: text)
                count += 1
            }
            column.closeCollection()
            return [MapUse(property, count)]
        }
        switch field.from {
        case "uid": return put(uid(row)?.uid, "uid")
        case "name": return name(row, to: column)
        case "givenName", "familyName":
            let part = names.column(field.from == "givenName" ? "given" : "family")
            return put(names.range(row).lazy.compactMap { names.text($0, part) }.first, "names")
        case "organization": return put(organizations, "organizations")
        case "email": return put(emails, "emails")
        case "emails": return putAll(emails, "emails") { emails.text($0) }
        case "phone":
            let best = phones.best(row) { phone($0) != nil }
            return put(best.flatMap { phone($0) }, "phones")
        case "phones": return putAll(phones, "phones") { phone($0) }
        case "category":
            if let uses = put(categories, "categories") { return uses }
            guard let group = groups(row).first else { return nil }
            column.append(group)
            return []
        case "categories":
            var count = 0
            for i in categories.range(row) {
                guard let text = categories.text(i) else { continue }
                column.elements?.append(bytes: text)
                count += 1
            }
            for group in groups(row) where categoryItem(group, row) == nil {
                column.elements?.append(group)
            }
            column.closeCollection()
            return [MapUse("categories", count)]
        case "address":
            guard let text = address(row) else { return nil }
            column.append(text)
            return [MapUse("addresses")]
        case "birthday":
            guard let text = birthday(row) else { return nil }
            column.append(text)
            return [MapUse("dates")]
        default:
            guard let items = lists[field.from] else { return nil }
            return put(items, field.from + "s")
        }
    }

    /// The formatted name, or one made of what else there is.
    private func name(_ row: Int, to column: Column) -> [MapUse]? {
        if let text = formattedName?.presentText(row) {
            column.append(bytes: text)
            return [MapUse("formattedName"), MapUse("formattedNames"), MapUse("names")]
        }
        for i in names.range(row) {
            var parts: [String] = []
            func add(_ name: String) {
                guard let inner = names.column(name), let at = names.itemRow(i) else { return }
                if inner.layout == .collection, let elements = inner.elements {
                    for j in inner.range(at) where elements.nulls[j] == 0 {
                        if elements.bytes(j).count > 0 { parts.append(elements.string(j)) }
                    }
                } else if let text = inner.presentText(at) {
                    parts.append(String(decoding: text, as: UTF8.self))
                }
            }
            for part in ["prefixes", "given", "additional", "family", "suffixes"] { add(part) }
            if !parts.isEmpty {
                column.append(parts.joined(separator: " "))
                return [MapUse("names")]
            }
        }
        for (items, property) in [(organizations, "organizations"), (emails, "emails")] {
            if let text = items.range(row).lazy.compactMap({ items.text($0) }).first {
                column.append(bytes: text)
                return [MapUse(property)]
            }
        }
        guard let text = phones.range(row).lazy.compactMap({ phone($0) }).first else { return nil }
        column.append(bytes: text)
        return []
    }

    private func address(_ row: Int) -> String? {
        guard let i = addresses.best(row, where: { addresses.itemRow($0) != nil }),
            let at = addresses.itemRow(i)
        else { return nil }
        if let text = addresses.text(i) { return String(decoding: text, as: UTF8.self) }
        let parts = ["street", "extended", "postalCode", "locality", "region", "country"]
            .compactMap { addresses.column($0)?.presentText(at) }
            .map { String(decoding: $0, as: UTF8.self) }
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }

    /// A birthday as ISO text; without a year as `--MM-DD`.
    private func birthday(_ row: Int) -> String? {
        for i in dates.range(row) {
            guard let kind = dates.text(i), kind.elementsEqual("birthday".utf8),
                let at = dates.itemRow(i)
            else { continue }
            func number(_ name: String) -> Int64? {
                guard let column = dates.column(name), column.layout == .word,
                    column.nulls[at] == 0
                else { return nil }
                return column.words[at]
            }
            func padded(_ value: Int64, _ width: Int) -> String {
                let digits = String(value)
                return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
            }
            guard let month = number("month"), let day = number("day") else {
                return dates.text(i, dates.column("text"))
                    .map { String(decoding: $0, as: UTF8.self) }
                    ?? number("year").map { padded($0, 4) }
            }
            let year = number("year").map { padded($0, 4) } ?? "-"
            return "\(year)-\(padded(month, 2))-\(padded(day, 2))"
        }
        return nil
    }

    // MARK: The way back

    private static let lists: [String: (words: Set<String>, text: String)] = [
        "formattedNames": (["name"], "value"), "nicknames": (["nickname"], "value"),
        "titles": (["title"], "value"), "roles": (["role"], "value"), "notes": (["note"], "value"),
        "emails": (["email", "emails"], "value"), "urls": (["url"], "value"),
        "organizations": (["organization"], "name"), "phones": (["phone", "phones"], "value"),
        "addresses": (["address"], "street"),
    ]

    static func appendBack(
        _ property: Property, _ row: MapBackRow, to column: Column, order: inout Int64
    ) {
        switch property.name {
        case "_id": column.append(row.id)
        case "uid":
            if let uid = row.text("uid") { return column.append(bytes: uid) }
            ScalarText.write(row.id, to: column.bytes)
            column.closeBytes()
        case "formattedName":
            column.append(bytes: row.text("name") ?? UnsafeRawBufferPointer(start: nil, count: 0))
        case "names":
            let given = row.text("givenName")
            let family = row.text("familyName")
            if given != nil || family != nil {
                column.elements?.appendItem(order: order) { property, column in
                    let text = ["given": given, "family": family][property.name] ?? nil
                    guard let text else { return false }
                    column.append(bytes: text)
                    return true
                }
                order += 1
            }
            column.closeCollection()
        case "categories":
            let place = order
            var isFirst = true
            func add(_ text: UnsafeRawBufferPointer) {
                // The values of one line have one order.
                column.elements?.appendItem(order: place, "value", text)
                isFirst = false
            }
            for text in row.texts(["category", "categories"]) { add(text) }
            for var name in row.markedCategories() {
                name.withUTF8 { add(UnsafeRawBufferPointer($0)) }
            }
            if !isFirst { order += 1 }
            column.closeCollection()
        case "dates":
            if let text = row.text("birthday") {
                appendBirthday(String(decoding: text, as: UTF8.self), to: column, order)
                order += 1
            }
            column.closeCollection()
        default:
            if let list = lists[property.name] {
                for text in row.texts(list.words) {
                    column.elements?.appendItem(order: order, list.text, text)
                    order += 1
                }
                column.closeCollection()
            } else {
                column.appendNull()
            }
        }
    }

    private static func appendBirthday(_ text: String, to column: Column, _ order: Int64) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        var numbers: [String: Int64] = [:]
        if parts.count >= 3, let month = Int64(parts[parts.count - 2]),
            let day = Int64(parts[parts.count - 1]), (1...12).contains(month),
            (1...31).contains(day)
        {
            numbers = ["month": month, "day": day]
            if let year = Int64(parts[0]) { numbers["year"] = year }
        }
        column.elements?.appendItem(order: order) { property, column in
            switch property.name {
            case "kind": column.append("birthday")
            case "text" where numbers.isEmpty: column.append(text)
            default:
                guard let number = numbers[property.name] else { return false }
                column.append(word: number)
            }
            return true
        }
    }
}
