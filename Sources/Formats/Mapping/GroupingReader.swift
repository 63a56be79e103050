// What is known of all contacts goes along with each batch of them: the groups, and the names of the
// cards that relations lead to.

/// Another reader's contacts, told which of them are groups, who is in them, and whom links name.
final class GroupingReader: WrappingReader {
    let reader: any RecordReader
    private let groups: ContactGroups
    private let names: CardNames
    private let context: ExchangeContext

    init(
        _ reader: any RecordReader, _ groups: ContactGroups, _ names: CardNames,
        _ context: ExchangeContext
    ) {
        self.reader = reader
        self.groups = groups
        self.names = names
        self.context = context
    }

    func next(into batch: RecordBatch) throws(FormatError) -> Bool {
        let isThere = try reader.next(into: batch)
        if isThere {
            batch.groups = RowGroups()
            batch.groups.names = names.found
            if !groups.isEmpty { groups.mark(batch, context) }
        } else {
            groups.noteRest(context)
        }
        return isThere
    }
}
