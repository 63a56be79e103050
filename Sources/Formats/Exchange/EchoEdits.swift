// What a row that comes in says otherwise than its source would say of the stored row. What stands in the
// notes of a table because it had no other place is taken out first.

/// The differences between what came in and what the source would say.
struct EchoEdits {
    let stored: RowPlace
    let incoming: RowPlace
    let said: RowPlace
    /// What came in and was said.
    let match: EchoMatch
    /// What was said and did not come in.
    let gone: [ItemPlace]
    /// What came in and was not said.
    let new: [ItemPlace]
    /// Stored items that stand in the row word for word, though the source would have said them
    /// otherwise.
    let claimed: Set<ItemPlace>
    /// True when nothing was edited.
    let isEmpty: Bool

    /// - Parameters:
    ///   - copy: the stored row as the source was asked about it.
    ///   - said: what the source would say of it.
    ///   - ignored: single values that say nothing.
    init(
        _ stored: RowPlace, copy: RowPlace, _ incoming: RowPlace, said: RowPlace,
        ignoring ignored: Set<String>, _ echo: any RowEcho
    ) {
        let came = EchoEdits.withoutOverflow(incoming, said, copy, echo)
        let match = EchoMatch(said, came)
        // Where all that came in was said, nothing needs to be looked for in the stored row.
        let known =
            match.leftSecond.isEmpty
            ? nil : EchoMatch(stored, came, besides: ["order", "group", "raw"])
        self.stored = stored
        self.said = said
        self.incoming = came
        self.match = match
        claimed = Set(match.leftSecond.compactMap { known?.first[$0] })
        new = match.leftSecond.filter { known?.first[$0] == nil }
        gone = match.leftFirst.filter { EchoEdits.isReplaced($0, of: said, in: came) }
        isEmpty =
            gone.isEmpty && new.isEmpty
            && EchoEdits.areSingleValuesSame(came, said, ignoring: ignored)
    }

    /// True when the items of a list, or those of one kind, were said anew: a list without any says
    /// nothing.
    private static func isReplaced(
        _ item: ItemPlace, of said: RowPlace, in incoming: RowPlace
    ) -> Bool {
        let list = said.batch.columns[item.list].property.name
        let others = incoming.items(item.list) ?? []
        let objects = incoming.objects(item.list)
        let key = EchoItems.key(list, said.objects(item.list), item.row)
        return others.contains {
            !ImportTransfer.isAttribute(objects, $0) && EchoItems.key(list, objects, $0) == key
        }
    }

    /// True when values that a contact has once are the ones that were said, or say nothing.
    private static func areSingleValuesSame(
        _ incoming: RowPlace, _ said: RowPlace, ignoring ignored: Set<String>
    ) -> Bool {
        zip(incoming.batch.columns, said.batch.columns).allSatisfy { x, y in
            if ignored.contains(x.property.name) || x.layout == .collection || x.layout == .object {
                return true
            }
            if x.isNull(incoming.row) || x.layout == .bytes && x.bytes(incoming.row).isEmpty {
                return true
            }
            return x.isEqual(incoming.row, to: y, said.row)
        }
    }

    // MARK: Notes

    /// The row that came in without what stands in its notes for lack of another place.
    static func withoutOverflow(
        _ incoming: RowPlace, _ said: RowPlace, _ stored: RowPlace, _ echo: any RowEcho
    ) -> RowPlace {
        guard let list = incoming.batch.classSchema.index(of: "notes"),
            let items = incoming.items(list), items.count == 1,
            let value = incoming.objects(list).classSchema.index(of: "value")
        else { return incoming }
        func text(_ place: RowPlace) -> [UInt8] {
            guard let row = place.items(list)?.first else { return [] }
            return Array(place.objects(list).columns[value].bytes(row))
        }
        let (came, own) = (text(incoming), text(said))
        // Lines of the kind are `label: value`.
        guard came != own, came.indices.contains(where: { came[$0...].starts(with: [0x3A, 0x20]) })
        else { return incoming }
        let one = RecordBatch(schema: stored.batch.schema)
        one.append(row: stored.row, of: stored.batch)
        one.groups.names = stored.batch.groups.names
        if let groups = stored.batch.groups.categories[stored.row] {
            one.groups.categories[0] = groups
        }
        guard let whole = echo.echo(of: one, hasOverflow: true), whole.rowCount == 1 else {
            return incoming
        }
        let all = text(RowPlace(whole, 0))
        guard all.count > own.count, all.starts(with: own) else { return incoming }
        // The lines, with the end of the note's own last one.
        let lines = Array(all[own.count...])
        var rest: [UInt8]
        if came.count >= lines.count, came.suffix(lines.count).elementsEqual(lines) {
            rest = Array(came.dropLast(lines.count))
        } else if lines.first == 10, came.elementsEqual(lines.dropFirst()) {
            rest = []
        } else {
            return incoming
        }
        if own.isEmpty, rest.last == 10 { rest.removeLast() }
        let copy = RecordBatch(
            schema: incoming.batch.schema, classIndex: incoming.batch.classIndex)
        for (i, (column, source)) in zip(copy.columns, incoming.batch.columns).enumerated() {
            if i == list, rest.isEmpty {
                column.appendNull()
            } else {
                column.append(incoming.row, of: source)
            }
        }
        copy.closeRow()
        if !rest.isEmpty { copy.columns[list].elements?.child.columns[value].replace([0: rest]) }
        return RowPlace(copy, 0)
    }
}
