// Writes the JSON store document (DESIGN 1.2): all schemas, then all rows, one object a line so
// that two documents can be compared line by line. Values are spelled by JSONValueWriter.

/// Writes a whole store as one JSON document that loses nothing.
public final class JSONStoreWriter: RecordWriter {
    private let report: Report
    private let sink: ByteSink
    private let schema: Schema
    private let values: JSONValueWriter
    /// Rows of plain tables that came before all classes were done.
    private let tableRows: RawVector<UInt8>
    private let tableValues: JSONValueWriter
    private var plans: [ObjectIdentifier: [Int: JSONRowPlan]] = [:]

    /// The classes that have an entry under `objects`, and the tables under `rows`.
    private let objectClasses: [Int]
    private let tableClasses: [Int]
    /// The position in `objectClasses`, `tableClasses` of the class being written; -1 before.
    private var objectAt = -1
    private var tableAt = -1
    private var isClassEmpty = true
    private var isTableEmpty = true
    private var nextKey: [Int: Int64] = [:]

    /// Begins the document.
    /// - Parameters:
    ///   - sink: where the text goes; `finish()` ends it, too.
    ///   - schema: the classes of the rows to come.
    ///   - fileFormat: the file format of the store the rows come from.
    ///   - context: options and report.
    public init(sink: ByteSink, schema: Schema, fileFormat: Int?, context: ExchangeContext) {
        report = context.report
        self.sink = sink
        self.schema = schema
        tableRows = RawVector(capacity: 64)
        values = JSONValueWriter(
            out: sink.buffer, schema: schema, omitEmpty: false, report: context.report)
        tableValues = JSONValueWriter(
            out: tableRows, schema: schema, omitEmpty: false, report: context.report)
        values.isCanonical = JSONValueWriter.isCanonical(context.options)
        tableValues.isCanonical = values.isCanonical
        objectClasses = schema.classes.indices.filter {
            !schema.classes[$0].isTable && schema.classes[$0].kind != .embedded
        }
        tableClasses = schema.classes.indices.filter { schema.classes[$0].isTable }
        let out = sink.buffer
        out.append("{\"rtool\": 1, \"source\": {")
        if let fileFormat { out.append("\"fileFormat\": \(fileFormat)") }
        out.append("}, \"schemaVersion\": ")
        out.append(schema.version.map(String.init) ?? "null")
        out.append(",\n")
        JSONSchemaText.appendMembers(schema, to: out)
        out.append(",\n \"objects\": {")
    }

    deinit { tableRows.destroy() }

    /// Writes the rows of a batch.
    /// - Throws: `defect` when classes come out of order, and what the output throws.
    public func write(_ batch: RecordBatch) throws(FormatError) {
        let index = batch.classIndex
        report.written += batch.rowCount
        let c = schema.classes[index]
        if c.isTable {
            try openTable(index)
            let keys = keys(of: batch)
            tableValues.beginBatch()
            let plan = plan(for: batch, tableValues)
            for i in 0..<batch.rowCount {
                tableRows.append(isTableEmpty ? "\n    " : ",\n    ")
                isTableEmpty = false
                tableValues.row(i, plan, key: keys(i))
            }
        } else {
            try openClass(index)
            let keys = keys(of: batch)
            values.beginBatch()
            let plan = plan(for: batch, values)
            let out = sink.buffer
            for i in 0..<batch.rowCount {
                out.append(isClassEmpty ? "\n    " : ",\n    ")
                isClassEmpty = false
                values.row(i, plan, key: keys(i))
                try sink.flushIfFull()
            }
        }
    }

    /// Ends the document and its output.
    public func finish() throws(FormatError) {
        try openClass(nil)
        try openTable(nil)
        let out = sink.buffer
        out.append("},\n \"rows\": {")
        try sink.write(UnsafeRawBufferPointer(tableRows.elements))
        out.append("}}\n")
        try sink.finish()
    }

    /// Object keys as given, or counted on from the last one.
    private func keys(of batch: RecordBatch) -> (Int) -> Int64 {
        let index = batch.classIndex
        if batch.keys.count >= batch.rowCount, batch.rowCount > 0 {
            nextKey[index] = batch.keys[batch.rowCount - 1] &+ 1
            let keys = batch.keys
            return { keys[$0] }
        }
        let first = nextKey[index] ?? 0
        nextKey[index] = first + Int64(batch.rowCount)
        return { first + Int64($0) }
    }

    private func plan(for batch: RecordBatch, _ writer: JSONValueWriter) -> JSONRowPlan {
        let id = ObjectIdentifier(batch)
        if let known = plans[id]?[batch.classIndex] { return known }
        let plan = writer.plan(batch, columns: nil)
        plans[id, default: [:]][batch.classIndex] = plan
        return plan
    }

    /// Ends the class being written and begins the next ones up to `index`; all with nil.
    private func openClass(_ index: Int?) throws(FormatError) {
        if objectAt >= 0, objectAt < objectClasses.count, objectClasses[objectAt] == index {
            return
        }
        let until = index.map { i in objectClasses.firstIndex(of: i) ?? -1 } ?? objectClasses.count
        guard until > objectAt else { throw outOfOrder(index) }
        while objectAt < until {
            JSONStoreWriter.step(
                &objectAt, objectClasses, schema, isEmpty: &isClassEmpty, sink.buffer)
        }
    }

    private func openTable(_ index: Int?) throws(FormatError) {
        if tableAt >= 0, tableAt < tableClasses.count, tableClasses[tableAt] == index { return }
        let until = index.map { i in tableClasses.firstIndex(of: i) ?? -1 } ?? tableClasses.count
        guard until > tableAt else { throw outOfOrder(index) }
        while tableAt < until {
            JSONStoreWriter.step(&tableAt, tableClasses, schema, isEmpty: &isTableEmpty, tableRows)
        }
    }

    private static func step(
        _ at: inout Int, _ list: [Int], _ schema: Schema, isEmpty: inout Bool,
        _ out: RawVector<UInt8>
    ) {
        if at >= 0 { out.append("]") }
        at += 1
        guard at < list.count else { return }
        out.append(at == 0 ? "\n  " : ",\n  ")
        JSONText.write(schema.classes[list[at]].name, to: out)
        out.append(": [")
        isEmpty = true
    }

    private func outOfOrder(_ index: Int?) -> FormatError {
        FormatError(
            .defect, "rows of a class came after those of a later one", file: sink.name,
            property: index.map { schema.classes[$0].name })
    }
}
