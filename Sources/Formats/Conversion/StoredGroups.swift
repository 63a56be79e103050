// The groups and links among the contacts of a store that is imported into: a table says the names of
// groups as categories of their members, and the names of the people that links lead to.

/// What is known of all contacts of a store, found out when it is asked for.
final class StoredGroups {
    private let open: () throws(FormatError) -> any RecordReader
    private var known: (groups: ContactGroups, names: CardNames)?
    private let silent = ExchangeContext()
    /// Members that tell nothing of groups and may be large.
    private static let unread: Set<String> = ["photos", "logos", "sounds", "keys"]

    /// - Parameter open: gives a reader of the stored rows.
    init(_ open: @escaping () throws(FormatError) -> any RecordReader) { self.open = open }

    /// Says which contacts of a batch are in which groups.
    func find(_ batch: RecordBatch) throws(FormatError) {
        let (groups, names) = try look()
        batch.groups = RowGroups()
        batch.groups.names = names.found
        if !groups.isEmpty { groups.mark(batch, silent) }
    }

    private func look() throws(FormatError) -> (groups: ContactGroups, names: CardNames) {
        if let known { return known }
        let groups = ContactGroups()
        let names = CardNames()
        let reader = try open()
        let batch = RecordBatch(schema: reader.schema)
        for (i, it) in reader.schema.classes.enumerated() where it.kind != .embedded {
            batch.begin(class: i)
            for column in batch.columns {
                column.isWanted =
                    it.name == "Contact" && !Self.unread.contains(column.property.name)
            }
        }
        while try reader.next(into: batch) {
            guard batch.classSchema.name == "Contact" else { continue }
            groups.note(batch)
            names.note(batch)
        }
        names.settle()
        known = (groups, names)
        return (groups, names)
    }
}
