// Which stored items are behind what a source says of a row. Spellings are many, so it is not looked up
// but found out: the source is asked about the row without one item after the other, and what it then
// no longer says was that item's.

/// The stored items behind what a source says.
struct EchoTraces {
    private var found: [ItemPlace: [ItemPlace]] = [:]
    private let stored: RowPlace
    private let said: RowPlace

    /// - Parameter most: rows with more items than that are left alone.
    /// - Returns: nil where it cannot be told.
    init?(_ stored: RowPlace, _ said: RowPlace, _ echo: any RowEcho, most: Int) {
        self.stored = stored
        self.said = said
        var items: [ItemPlace] = []
        for list in stored.batch.columns.indices {
            let objects = stored.objects(list)
            for row in stored.items(list) ?? [] where !ImportTransfer.isAttribute(objects, row) {
                items.append(ItemPlace(list: list, row: row))
            }
        }
        guard items.count <= most else { return nil }
        if items.isEmpty { return }
        let variants = EchoRows.withoutEach(items, of: stored)
        guard let echoes = echo.echo(of: variants, hasOverflow: false),
            echoes.rowCount == items.count
        else { return nil }
        for (i, item) in items.enumerated() {
            let other = RowPlace(echoes, i)
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
