// What a table would say of stored contacts: they are written under its columns and read back, both in
// memory. The writer and the reader are the ones that files have, so whatever either of them does not
// know is no difference between a contact and its row.

/// Writes contacts under the columns of a table and reads them back.
final class AddressBookEcho: RowEcho, @unchecked Sendable {
    let schema = ContactMapper.schema
    private let book: AddressBook
    private let width: Int
    private let options: ExchangeOptions
    private var usual: Way?
    private var overflowing: Way?

    /// A writer with what it writes to.
    private struct Way {
        let writer: AddressBookWriter
        let sink: MemorySink
    }

    init(_ book: AddressBook, width: Int, _ context: ExchangeContext) {
        self.book = book
        self.width = width
        var options = ExchangeOptions()
        // The order in which dates are written here.
        options.extra["date-order"] = DateOrder.monthFirst.rawValue
        options.extra["keep-x"] = context.options.extra["keep-x"]
        self.options = options
    }

    func echo(of rows: RecordBatch, hasOverflow: Bool) -> RecordBatch? {
        do throws(FormatError) {
            guard let way = try way(hasOverflow) else { return nil }
            way.sink.clear()
            try way.writer.write(rows)
            let text = way.sink.text
            return try read(text)
        } catch { return nil }
    }

    private func way(_ hasOverflow: Bool) throws(FormatError) -> Way? {
        if let known = hasOverflow ? overflowing : usual { return known }
        var options = options
        let profile = AddressBookProfile(book, width: width)
        if hasOverflow {
            guard profile.plan.note != nil else { return nil }
            options.extra["overflow"] = "notes"
        }
        let sink = MemorySink()
        let way = Way(
            writer: try AddressBookWriter(
                sink: sink, profile: profile, context: ExchangeContext(options: options)),
            sink: sink)
        if hasOverflow { overflowing = way } else { usual = way }
        return way
    }

    private func read(_ text: UnsafeRawBufferPointer) throws(FormatError) -> RecordBatch {
        let document = try CSVDocument(
            InputBytes(name: "", copying: text), dialect: CSVDialect(),
            context: ExchangeContext(options: options))
        let reader = AddressBookReader(document: document, book: book)
        reader.keepsBlank = true
        let all = RecordBatch(schema: schema)
        let batch = RecordBatch(schema: schema)
        while try reader.next(into: batch) { all.append(rows: 0..<batch.rowCount, of: batch) }
        return all
    }
}

/// Bytes that stay in memory. The first row, which names the columns, stays when the others go.
private final class MemorySink: ByteSink {
    private var heading = 0

    init() { super.init(name: "", descriptor: -1, closes: false) }

    override func flush() throws(FormatError) {}

    var text: UnsafeRawBufferPointer { UnsafeRawBufferPointer(buffer.elements) }

    /// Drops all rows but the first.
    func clear() {
        if heading == 0, let end = buffer.elements.firstIndex(of: 10) { heading = end + 1 }
        buffer.truncate(to: heading)
    }
}
