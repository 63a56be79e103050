// Which stored items are behind what a source says of a row. Spellings are many, so it is not looked up
// but found out: the source is asked about the row without one item after the other, and what it then
// no longer says was that item's.

/// The stored items behind what a source says.
struct EchoTraces {
    private var found: [ItemPlace: [ItemPlace]] = [:]
    private let stored: RowPlace
    private let said: RowPlace

    /// - Parameters:
    ///   - copy: the stored row as the source was asked about it.
    ///   - most: rows with more items than that are left alone.
    /// - Returns: nil where it cannot be told.
    init?(_ stored: RowPlace, copy: RowPlace, _ said: RowPlace, _ echo: any RowEcho, most: Int) {
        self.stored = stored
        self.said = said
        var items: [ItemPlace] = []
        // The same items where they are stored.
        var origins: [ItemPlace] = []
        for list in copy.batch.columns.indices {
            let objects = copy.objects(list)
            for (row, origin) in zip(copy.items(list) ?? [], stored.items(list) ?? [])
            where !ImportTransfer.isAttribute(objects, row) {
                items.append(ItemPlace(list: list, row: row))
                origins.append(ItemPlace(list: list, row: origin))
            }
        }
        guard items.count <= most else { return nil }
        if items.isEmpty { return }
        let variants = EchoRows.withoutEach(items, of: copy)
        guard let echoes = echo.echo(of: variants, hasOverflow: false),
            echoes.rowCount == items.count
        else { return nil }
        for (i, origin) in origins.enumerated() {
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
                if !isSaid { found[left, default: []].append(origin) }
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
