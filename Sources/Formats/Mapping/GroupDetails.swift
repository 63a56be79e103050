// The card of a group: its name, its members, and what else it says, for which a category has no
// place.

/// Looks into the cards of groups.
struct GroupDetails {
    private let lookup = ContactProperty.Lookup()

    /// What says that a card is a group's, whom it holds, or only tells of the card.
    private static let told: Set<String> = [
        "_id", "uid", "kind", "version", "productID", "formattedName", "formattedNames", "names",
        "revision", "members", "extras",
    ]

    func isGroup(_ row: Int, _ columns: ContactColumns) -> Bool {
        if !columns.kind.isNull(row) { return NameKey.equals(columns.kind.bytes(row), "group") }
        var isGroup = false
        forEach(row, columns) { property, _, value in
            if property == .serverKind, NameKey.equals(value, "group") { isGroup = true }
        }
        return isGroup
    }

    func name(_ row: Int, _ columns: ContactColumns) -> String {
        let full = columns.formattedName.string(row)
        if !full.isEmpty { return full }
        for j in columns.names.owner.range(row) where !columns.names.objects.isNull(j) {
            let family = columns.names.own[0].string(Int(columns.names.objects.words[j]))
            if !family.isEmpty { return family }
        }
        return "Group"
    }

    /// The members, as the card spells them.
    func members(_ row: Int, _ columns: ContactColumns) -> [String] {
        var members: [String] = []
        if let at = columns.batch.classSchema.index(of: "members"), let items = columns.items[at] {
            for j in items.owner.range(row) where !items.objects.isNull(j) {
                members.append(items.own[0].string(Int(items.objects.words[j])))
            }
        }
        forEach(row, columns) { property, _, value in
            guard property == .serverMember else { return }
            members.append(String(decoding: value, as: UTF8.self))
        }
        return members
    }

    /// Notes what a group's card says that no category can.
    func note(_ row: Int, _ columns: ContactColumns, record: Int, _ context: ExchangeContext) {
        func note(_ property: String, _ value: String?, _ count: Int = 1) {
            context.report.note(
                .lost, "group-detail", record: record, property: property, value: value,
                count: count, action: "a category has a name and nothing else")
        }
        for (i, items) in columns.items.enumerated() {
            let name = columns.name(i)
            guard let items, !Self.told.contains(name) else { continue }
            let isList = items.owner.layout == .collection
            let range =
                isList ? items.owner.range(row) : items.owner.isNull(row) ? 0..<0 : row..<row + 1
            let objects = isList ? items.objects : items.owner
            for j in range where !objects.isNull(j) {
                let child = Int(objects.words[j])
                let texts = items.own.filter { $0.layout == .bytes && $0.type == .string }
                note(
                    name,
                    texts.lazy.filter { !$0.isNull(child) }.map { $0.string(child) }
                        .first { !$0.isEmpty })
            }
        }
        forEach(row, columns) { property, name, value in
            switch property {
            case .serverKind, .serverMember, .kind, .uid, .version, .prodid, .abLabel: return
            default:
                note(
                    String(decoding: name.prefix(40), as: UTF8.self),
                    String(decoding: value.prefix(400), as: UTF8.self))
            }
        }
    }

    /// The extra lines of a card.
    private func forEach(
        _ row: Int, _ columns: ContactColumns,
        _ body: (ContactProperty, UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Void
    ) {
        let items = columns.extras
        for j in items.owner.range(row) where !items.objects.isNull(j) {
            let child = Int(items.objects.words[j])
            let name = items.own[0].bytes(child)
            let property = ContactProperty(rawValue: lookup(NameKey.of(name), name)) ?? .other
            body(property, name, items.own[1].bytes(child))
        }
    }
}
