// Which stored items are behind what a source says of a row. Spellings are many, so it is not looked up
// but found out: the source is asked about the row without one item after the other, and what it then
// no longer says was that item's.

/// The stored items behind what a source says.
struct EchoTraces {
    /// What a source says of a row without each of its items.
    struct Variants {
        fileprivate let said: RecordBatch
        /// The row without the first item; the others follow.
        fileprivate let first: Int
        /// The items where they are stored.
        fileprivate let items: [ItemPlace]
    }

    /// Rows with more items are left alone.
    private static let mostItems = 500
    /// As many rows are asked about at once.
    private static let askedRows = 2000

    private var found: [ItemPlace: [ItemPlace]] = [:]
    private let stored: RowPlace
    private let said: RowPlace

    /// Asks about rows; nil for those of which it cannot be told.
    /// - Parameter rows: stored rows, each with the copy that the source is asked about.
    static func variants(
        of rows: [(stored: RowPlace, copy: RowPlace)], _ echo: any RowEcho
    ) -> [Variants?] {
        var result = [Variants?](repeating: nil, count: rows.count)
        var next = 0
        while next < rows.count {
            let asked = RecordBatch(schema: echo.schema)
            asked.groups.names = rows[next].copy.batch.groups.names
            var parts: [(row: Int, first: Int, items: [ItemPlace])] = []
            while next < rows.count, asked.rowCount < askedRows {
                let (stored, copy) = rows[next]
                let (copies, items) = places(stored, copy)
                if items.count <= mostItems {
                    parts.append((next, asked.rowCount, items))
                    EchoRows.append(withoutEach: copies, of: copy, to: asked)
                }
                next += 1
            }
            guard let said = echo.echo(of: asked, hasOverflow: false),
                said.rowCount == asked.rowCount
            else { continue }
            for part in parts {
                result[part.row] = Variants(said: said, first: part.first, items: part.items)
            }
        }
        return result
    }

    /// The items of a copy, and the same where they are stored.
    private static func places(_ stored: RowPlace, _ copy: RowPlace) -> (
        copies: [ItemPlace], items: [ItemPlace]
    ) {
        var (copies, items): ([ItemPlace], [ItemPlace]) = ([], [])
        for list in copy.batch.columns.indices {
            let objects = copy.objects(list)
            for (row, origin) in zip(copy.items(list) ?? [], stored.items(list) ?? [])
            where !ImportTransfer.isAttribute(objects, row) {
                copies.append(ItemPlace(list: list, row: row))
                items.append(ItemPlace(list: list, row: origin))
            }
        }
        return (copies, items)
    }

    /// - Parameter said: what the source says of the whole row.
    init(_ stored: RowPlace, _ said: RowPlace, _ variants: Variants) {
        self.stored = stored
        self.said = said
        for (i, item) in variants.items.enumerated() {
            let other = RowPlace(variants.said, variants.first + i)
            let match = EchoMatch(said, other)
            for left in match.leftFirst {
                let list = said.batch.columns[left.list].property.name
                // Said in another way is not unsaid.
                let isSaid =
                    !EchoItems.isOneOfAKind(list)
                    && match.leftSecond.contains {
                        $0.list == left.list
                            && EchoItems.isSameValue(
                                list, said.objects(left.list), left.row,
                                other.objects($0.list), $0.row)
                    }
                if !isSaid { found[left, default: []].append(item) }
            }
        }
    }

    /// The stored items behind something that is said; those of the same value where several say it.
    func sources(of item: ItemPlace) -> [ItemPlace] {
        if let known = found[item] { return known }
        let list = said.batch.columns[item.list].property.name
        let (a, b) = (said.objects(item.list), stored.objects(item.list))
        return (stored.items(item.list) ?? []).filter {
            !ImportTransfer.isAttribute(b, $0)
                && EchoItems.isSameValue(list, a, item.row, b, $0)
        }.map { ItemPlace(list: item.list, row: $0) }
    }
}
