// Rows of one class as a plain array or as NDJSON, spelled as in the store document.

/// Writes rows of one class as JSON.
public final class JSONRowsWriter: RecordWriter {
    private let report: Report
    /// The shape of the text.
    public enum Style: Sendable {
        /// One array, an object a line.
        case array
        /// An object a line and nothing else.
        case ndjson
    }

    private let sink: ByteSink
    private let classIndex: Int
    private let style: Style
    private let columns: [Int]?
    private let keys: Bool
    private let values: JSONValueWriter
    private var isEmpty = true
    private var nextKey: Int64 = 0

    /// Begins the text.
    /// - Parameters:
    ///   - sink: where the text goes; `finish()` ends it, too.
    ///   - schema: the schema of the rows' batches.
    ///   - classIndex: the class whose rows are written; those of others are passed over.
    ///   - style: an array or NDJSON.
    ///   - columns: the properties to write, in this order; all with nil.
    ///   - omitEmpty: leave out nulls and empty collections.
    ///   - keys: begin each object with its `$key`.
    ///   - context: options and report.
    public init(
        sink: ByteSink, schema: Schema, classIndex: Int, style: Style, columns: [Int]? = nil,
        omitEmpty: Bool = false, keys: Bool = false, context: ExchangeContext
    ) {
        report = context.report
        self.sink = sink
        self.classIndex = classIndex
        self.style = style
        self.columns = columns
        self.keys = keys
        values = JSONValueWriter(
            out: sink.buffer, schema: schema, omitEmpty: omitEmpty, report: context.report)
        values.isCanonical = JSONValueWriter.isCanonical(context.options)
        values.keepsWrappers = context.options.extra["ejson"] != nil
        if style == .array { sink.buffer.append("[") }
    }

    /// Lets rows stand in the place of links to them.
    func embed(_ rows: LinkTargets?, _ schema: Schema) {
        values.embedding = rows.map { JSONEmbedding($0, schema) }
    }

    /// Writes the rows of a batch.
    public func write(_ batch: RecordBatch) throws(FormatError) {
        guard batch.classIndex == classIndex else { return }
        report.written += batch.rowCount
        let plan = values.keptPlan(batch, columns: columns)
        values.beginBatch()
        let out = sink.buffer
        let hasKeys = batch.keys.count >= batch.rowCount
        for i in 0..<batch.rowCount {
            if style == .array { out.append(isEmpty ? "\n  " : ",\n  ") }
            isEmpty = false
            if keys {
                let key = hasKeys ? batch.keys[i] : nextKey
                nextKey = key &+ 1
                values.row(i, plan, key: key)
            } else {
                values.row(i, plan, key: nil)
            }
            if style == .ndjson { out.append(0x0A) }
            try sink.flushIfFull()
        }
    }

    /// Ends the text and its output.
    public func finish() throws(FormatError) {
        if style == .array { sink.buffer.append(isEmpty ? "]\n" : "\n]\n") }
        try sink.finish()
    }
}
