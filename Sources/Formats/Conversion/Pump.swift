// Batches from a reader to a writer. Readers count what they read, writers what they write.

/// Moves batches.
enum Pump {
    /// Moves everything; rows of other classes than `classIndex` are passed over when it is given.
    static func run(
        _ reader: any RecordReader, into writer: any RecordWriter, classIndex: Int? = nil,
        progress: ((Int) -> Void)? = nil
    ) throws(FormatError) {
        let batch = RecordBatch(schema: reader.schema)
        var total = 0
        while try reader.next(into: batch) {
            if let classIndex, batch.classIndex != classIndex { continue }
            try writer.write(batch)
            total += batch.rowCount
            progress?(total)
        }
    }
}

/// Several readers of the same schema, one after the other.
final class ChainReader: RecordReader {
    let schema: Schema
    private var readers: [any RecordReader]
    private var at = 0

    /// A chain; the schemas must be equal.
    init(_ readers: [any RecordReader], schema: Schema) {
        self.readers = readers
        self.schema = schema
    }

    var gaps: RowGaps { at < readers.count ? readers[at].gaps : RowGaps() }
    var inputNumber: Int { at }

    func next(into batch: RecordBatch) throws(FormatError) -> Bool {
        while at < readers.count {
            if try readers[at].next(into: batch) {
                // Rows of several sources number their keys independently.
                if readers.count > 1 { batch.keys.removeAll() }
                return true
            }
            at += 1
        }
        batch.removeAll()
        return false
    }
}
