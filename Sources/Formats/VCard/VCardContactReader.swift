// A vCard file as rows of `Contact`: the card reader and the mapper joined.

/// Reads a vCard file as batches of `Contact`.
public final class VCardContactReader: RecordReader {
    /// The classes of contacts.
    public var schema: Schema { ContactMapper.schema }

    private let cards: CardReadAhead
    private let mapper: ContactMapper
    private let isForStore: Bool
    /// Rows a batch may have, and bytes of cards that end it early.
    private static let rows = 2000
    private static let bytes = 4 << 20

    /// A reader of an input, which it keeps.
    public convenience init(input: InputBytes, context: ExchangeContext) {
        self.init(input: input, context: context, isForStore: false)
    }

    /// - Parameter isForStore: whether cards with a value that no store can hold are set aside.
    init(input: InputBytes, context: ExchangeContext, isForStore: Bool) {
        self.isForStore = isForStore
        cards = CardReadAhead(input: input, context: context)
        mapper = ContactMapper(context: context, source: input.name)
    }

    /// Fills the batch with the next contacts.
    public func next(into batch: RecordBatch) throws(FormatError) -> Bool {
        batch.begin(class: 0)
        mapper.isTextKnown = true
        var size = 0
        while batch.rowCount < VCardContactReader.rows, size < VCardContactReader.bytes,
            let lines = try cards.next()
        {
            if batch.rowCount == 0 { batch.firstRecord = lines.record }
            mapper.append(lines, to: batch)
            var bytes = lines.arena.count
            for i in 0..<lines.count { bytes += lines[i].value.count }
            if isForStore, bytes > ContactMapper.closeLook, let refusal = mapper.refuseLast(batch) {
                cards.setAside(lines, refusal)
            } else {
                size += bytes
            }
        }
        mapper.complete(batch)
        if mapper.isTextKnown { batch.trustText() }
        return batch.rowCount > 0
    }
}
