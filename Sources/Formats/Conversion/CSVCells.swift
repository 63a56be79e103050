// Nested values in CSV cells are JSON text: the JSON room's readers and writers behind the hooks
// of the CSV room, which knows no other format.

/// Reads and writes JSON text in cells of one class.
final class CSVCells {
    private let classSchema: ClassSchema
    private let rows: JSONRowReader
    private let shape: JSONRowShape
    private let schema: Schema
    private let report: Report
    @exclusivity(unchecked) private var writer: JSONValueWriter?
    /// The same two, without being counted for each cell.
    @exclusivity(unchecked) private var used: (Unmanaged<JSONValueWriter>, Unmanaged<JSONRowPlan>)?
    /// The neighbouring columns that were met, and those that were written last.
    private var runs: [JSONCellRun] = []
    @exclusivity(unchecked) private var run: JSONCellRun?
    private var places: [String: Int] = [:]

    init(schema: Schema, classIndex: Int, name: String, context: ExchangeContext)
        throws(FormatError)
    {
        let nothing = InputBytes(name: name, copying: UnsafeRawBufferPointer(start: nil, count: 0))
        self.schema = schema
        classSchema = schema.classes[classIndex]
        rows = JSONRowReader(
            source: try JSONSource(nothing), schema: schema, context: context, isLenient: true)
        if let links = context.links {
            rows.follow(links, comesIn: { $0 == classIndex })
        }
        shape = rows.shape(class: classIndex)
        report = context.report
        for (i, property) in classSchema.properties.enumerated() { places[property.name] = i }
    }

    /// Appends the value of a cell to its column.
    func read(_ text: UnsafeRawBufferPointer, into column: Column) throws(FormatError) {
        guard let place = places[column.property.name] else { return column.appendNull() }
        var scanner = JSONScanner(text)
        do throws(FormatError) {
            try rows.value(&scanner, into: column, shape, place)
            try scanner.finish()
        } catch {
            // Offsets count within the cell; the row's reader knows where that is.
            throw error.with {
                $0.message = "the cell's JSON: \($0.message)"
                $0.offset = nil
            }
        }
    }

    /// Readies for the rows of a batch.
    /// - Parameter doublesQuotes: whether the text is written as it stands in a quoted cell.
    func begin(_ batch: RecordBatch, into out: RawVector<UInt8>, doublesQuotes: Bool) {
        let writer =
            self.writer
            ?? JSONValueWriter(
                out: out, schema: schema, omitEmpty: true, report: report,
                doublesQuotes: doublesQuotes)
        self.writer = writer
        let plan = writer.keptPlan(batch, columns: nil)
        writer.beginBatch()
        used = (.passUnretained(writer), .passUnretained(plan))
    }

    /// Appends the cells of neighbouring columns (`CSVWriterHooks.jsonCells`).
    func write(_ first: Int, _ count: Int, from written: Int, _ row: Int, _ delimiter: UInt8) -> Int
    {
        guard let (writer, plan) = used else { return written }
        if run?.first != first || run?.count != count {
            run = runs.first { $0.first == first && $0.count == count }
        }
        let run =
            self.run ?? JSONCellRun(first: first, count: count, delimiter: delimiter)
        if self.run == nil {
            self.run = run
            runs.append(run)
        }
        return writer._withUnsafeGuaranteedRef { writer in
            plan._withUnsafeGuaranteedRef { writer.cells(row, run, from: written, $0) }
        }
    }

    /// Appends the text of a value of the batch: a column by its position, and a row.
    func write(_ place: Int, _ row: Int) {
        guard let (writer, plan) = used else { return }
        writer._withUnsafeGuaranteedRef { writer in
            plan._withUnsafeGuaranteedRef { writer.cell(place, row, $0) }
        }
    }
}
