// Rows that a plan keeps out, in a pair of files: the rows as JSON lines, as they stood when they
// were refused, and a line of reasons for each.

package import Formats

/// Writes rows that are kept out.
package final class RejectedRowsFile {
    private let data: OutputFile
    private let reasons: OutputFile
    private var writer: JSONRowsWriter?
    private var batch: RecordBatch?
    private weak var origin: RecordBatch?
    private var classIndex = -1
    private var failure: FormatError?

    /// Begins the pair `path` and `path.reasons`.
    package init(_ path: String, force: Bool) throws(FormatError) {
        data = try OutputFile.create(path, force: force)
        reasons = try OutputFile.create(path + ".reasons", force: force)
    }

    /// Takes a row.
    package func add(_ rejected: RejectedRow) {
        guard failure == nil else { return }
        do throws(FormatError) { try write(rejected) } catch { failure = error }
    }

    private func write(_ rejected: RejectedRow) throws(FormatError) {
        let source = rejected.batch
        if origin !== source || classIndex != source.classIndex || writer == nil {
            batch = RecordBatch(schema: source.schema, classIndex: source.classIndex)
            writer = JSONRowsWriter(
                sink: data, schema: source.schema, classIndex: source.classIndex, style: .ndjson,
                keys: true, context: ExchangeContext())
            origin = source
            classIndex = source.classIndex
        }
        guard let batch, let writer else { return }
        batch.begin(class: source.classIndex)
        batch.append(row: rejected.row, of: source)
        try writer.write(batch)
        var line = "\(rejected.className) \(rejected.key): "
        if let property = rejected.property { line += property + ": " }
        line += rejected.reason + " (\(rejected.line))"
        try reasons.write(line.replacing("\n", with: " ") + "\n")
    }

    /// Gives the pair its names.
    package func finish() throws(FormatError) {
        if let failure { throw failure }
        try data.finish()
        try reasons.finish()
    }
}
