// Nested values as JSON text inside the cells of another format: lists, sets, dictionaries,
// embedded objects and mixed values in CSV (DESIGN 1.3). One value at a time; the spelling is
// that of the rows.

/// Writes and reads single values as JSON text.
final class JSONCells {
    private let schema: Schema
    private let report: Report
    private let text = RawVector<UInt8>(capacity: 256)
    private let writer: JSONValueWriter
    private let reader: JSONRowReader
    private var holders: [String: (batch: RecordBatch, plan: JSONRowPlan)] = [:]
    private var shapes: [String: JSONRowShape] = [:]

    /// Cells of the classes of a schema.
    init(schema: Schema, context: ExchangeContext) throws(FormatError) {
        self.schema = schema
        report = context.report
        writer = JSONValueWriter(out: text, schema: schema, omitEmpty: false, report: report)
        let nothing = InputBytes(
            name: "cell", copying: UnsafeRawBufferPointer(start: nil, count: 0))
        reader = JSONRowReader(
            source: try JSONSource(nothing), schema: schema, context: context, isLenient: true)
    }

    deinit { text.destroy() }

    /// Appends the JSON text of one value of a column.
    func write(_ column: Column, _ i: Int, to out: RawVector<UInt8>) {
        let property = column.property
        let (batch, plan): (RecordBatch, JSONRowPlan)
        if let known = holders[property.name], known.batch.columns[0].property == property {
            (batch, plan) = known
        } else {
            let cell = ClassSchema("cell", properties: [property])
            batch = RecordBatch(
                schema: Schema(classes: schema.classes + [cell]),
                classIndex: schema.classes.count)
            plan = writer.plan(batch, columns: nil)
            holders[property.name] = (batch, plan)
        }
        batch.removeAll()
        batch.columns[0].append(i, of: column)
        batch.closeRow()
        text.removeAll()
        writer.beginBatch()
        writer.row(0, plan, key: nil)
        // The row reads {"name":VALUE}; the value alone is wanted.
        let start = 1 + plan.fields[0].nameCount
        guard text.count > start + 1 else { return }
        out.append(bytes: text.bytes(from: start, to: text.count - 1))
    }

    /// Appends a value read from JSON text to a column; throws what is wrong with the text.
    func read(_ bytes: UnsafeRawBufferPointer, into column: Column) throws(FormatError) {
        let name = column.property.name
        let shape: JSONRowShape
        if let known = shapes[name] {
            shape = known
        } else {
            shape = JSONRowShape(ClassSchema("cell", properties: [column.property]))
            shapes[name] = shape
        }
        var scanner = JSONScanner(bytes)
        try reader.value(&scanner, into: column, shape, 0)
        guard scanner.isAtEnd() else {
            throw FormatError(
                .malformed, "text follows the JSON value", property: name,
                fix: "keep one JSON value in the cell")
        }
    }
}
