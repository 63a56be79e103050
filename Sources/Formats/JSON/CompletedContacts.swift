// Contacts by their long names as people write them: without ids, which are made as those of cards are.

/// Reads rows of `Contact` of which some have no `_id`.
final class CompletedContacts: RecordReader {
    let schema = ContactMapper.schema

    private let reader: JSONRowsReader
    private let writing = ContactMapper(mintsIDs: false)
    private let mapper: ContactMapper
    private let lines = ContentLines()

    /// Contacts of a text.
    /// - Parameter open: makes the reader for a class whose ids may be missing.
    init(
        source: String, context: ExchangeContext,
        open: (TargetClass) throws(FormatError) -> JSONRowsReader
    ) throws(FormatError) {
        var target = TargetClass(schema: ContactMapper.schema, classIndex: 0)
        target.schema.classes[0].properties[0].isOptional = true
        reader = try open(target)
        reader.fillsItems = true
        mapper = ContactMapper(context: context, source: source)
    }

    var gaps: RowGaps { reader.gaps }

    func next(into batch: RecordBatch) throws(FormatError) -> Bool {
        guard try reader.next(into: batch) else { return false }
        guard let id = batch.columns.first, id.layout == .pair else { return true }
        for row in 0..<batch.rowCount where id.nulls[row] != 0 {
            writing.lines(of: row, in: batch, into: lines)
            lines.record = batch.firstRecord + row
            let made = mapper.id(of: lines)
            id.words[row] = Int64(bitPattern: made.high)
            id.extra[row] = Int64(made.low)
            id.nulls[row] = 0
        }
        return true
    }
}
