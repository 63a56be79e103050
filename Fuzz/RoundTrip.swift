// Reads an input as a format does, writes it, reads it again, and holds both readings against each
// other. Rows are compared as the JSON text they make, which has the same row spelled the same.

@testable import Formats

/// One format, fuzzed.
struct RoundTrip {
    /// What is to be equal after the way through the format's own text.
    enum Law {
        /// Nothing: only reading and writing must end well.
        case none
        /// The rows read back are those that were read.
        case rows
        /// What is written of the rows read back is what was written first.
        case text
    }

    var read: Format
    /// The format written and read back; nil only reads.
    var write: Format?
    var wish: ReadWish = .whatItIs
    var law = Law.rows
    var options = ExchangeOptions()

    nonisolated(unsafe) private static let sinks = (
        MemorySink(), MemorySink(), MemorySink(), MemorySink()
    )
    static let checksLaws = environment("RTOOL_FUZZ_LAWS") != "0"

    /// What a pass made: rows as JSON, and the other format's text.
    private func pass(
        _ format: Format, _ bytes: UnsafeRawBufferPointer, _ wish: ReadWish,
        rows: MemorySink, text: MemorySink
    ) throws(FormatError) -> ReadSource? {
        let input = InputBytes(name: "fuzz", copying: bytes)
        let context = ExchangeContext(options: options)
        guard let read = format.read else { return nil }
        let source = try read(
            ReadRequest(path: "fuzz", input: input, context: context, wish: wish))
        let schema = source.reader.schema
        let isStore = source.content == .store
        let main = schema.classes.firstIndex { $0.kind != .embedded && !$0.isTable } ?? 0
        guard main < schema.classes.count || isStore else { return nil }
        let quiet = ExchangeContext()
        let json: any RecordWriter =
            isStore
            ? JSONStoreWriter(
                sink: rows, schema: schema, fileFormat: nil, context: quiet)
            : JSONRowsWriter(
                sink: rows, schema: schema, classIndex: main, style: .ndjson, omitEmpty: true,
                context: quiet)
        var writer: (any RecordWriter)?
        if let write = write?.write {
            writer = try write(
                WriteRequest(
                    sink: text, schema: schema, classIndex: isStore ? nil : main,
                    content: source.content, context: context))
        }
        let batch = RecordBatch(schema: schema)
        while try source.reader.next(into: batch) {
            for column in batch.columns where column.count != batch.rowCount {
                finding("column \(column.property.name) has \(column.count) of \(batch.rowCount)")
            }
            try json.write(batch)
            if isStore || batch.classIndex == main { try writer?.write(batch) }
        }
        try json.finish()
        try writer?.finish()
        let report = context.report
        if writer != nil,
            report.read < report.written + report.setAside + report.skipped + report.merged
        {
            if RoundTrip.checksLaws {
                finding(
                    "read \(report.read), written \(report.written), set aside \(report.setAside), "
                        + "skipped \(report.skipped), merged \(report.merged)")
            }
        }
        return source
    }

    func run(_ bytes: UnsafeRawBufferPointer) {
        let (rows1, text1, rows2, text2) = (
            RoundTrip.sinks.0.clear(), RoundTrip.sinks.1.clear(), RoundTrip.sinks.2.clear(),
            RoundTrip.sinks.3.clear()
        )
        let first: ReadSource
        do throws(FormatError) {
            guard let source = try pass(read, bytes, wish, rows: rows1, text: text1) else { return }
            first = source
        } catch {
            if error.code == .defect { finding("\(error)") }
            return
        }
        guard let write, write.isReadable, law != .none, RoundTrip.checksLaws else { return }
        var again: ReadWish
        switch first.content {
        case .contacts: again = .contacts
        case .tasks: again = .tasks
        case .rows:
            let schema = first.reader.schema
            let main = schema.classes.firstIndex { $0.kind != .embedded && !$0.isTable } ?? 0
            again = .rows(TargetClass(schema: schema, classIndex: main))
        case .store: again = .whatItIs
        }
        if case .plainRows = wish, law == .text { again = .plainRows }
        do throws(FormatError) {
            _ = try pass(write, text1.bytes, again, rows: rows2, text: text2)
        } catch {
            finding("what was written cannot be read: \(error)\n\(shown(text1))")
        }
        switch law {
        case .none: break
        case .rows:
            if !same(rows1, rows2) {
                finding(
                    "other rows\n--- read\n\(shown(rows1))\n--- written\n\(shown(text1))\n"
                        + "--- read back\n\(shown(rows2))")
            }
        case .text:
            if !same(text1, text2) {
                finding("other text\n--- first\n\(shown(text1))\n--- second\n\(shown(text2))")
            }
        }
    }

    private func same(_ a: MemorySink, _ b: MemorySink) -> Bool {
        a.buffer.count == b.buffer.count && a.bytes.elementsEqual(b.bytes)
    }

    private func shown(_ sink: MemorySink) -> String {
        String(decoding: sink.bytes.prefix(4000), as: UTF8.self)
    }
}

/// Converts a text of lines into itself twice: the second time changes nothing.
struct LineTrip {
    var convert: (InputBytes, ByteSink, ExchangeContext) throws(FormatError) -> Void
    nonisolated(unsafe) private static let sinks = (MemorySink(), MemorySink())

    func run(_ bytes: UnsafeRawBufferPointer) {
        let (once, twice) = (LineTrip.sinks.0.clear(), LineTrip.sinks.1.clear())
        do throws(FormatError) {
            try convert(InputBytes(name: "fuzz", copying: bytes), once, ExchangeContext())
        } catch {
            if error.code == .defect { finding("\(error)") }
            return
        }
        do throws(FormatError) {
            try convert(InputBytes(name: "fuzz", copying: once.bytes), twice, ExchangeContext())
        } catch { finding("what was converted cannot be read: \(error)") }
        guard RoundTrip.checksLaws else { return }
        if once.buffer.count != twice.buffer.count || !once.bytes.elementsEqual(twice.bytes) {
            finding(
                "converting twice differs\n--- once\n"
                    + String(decoding: once.bytes.prefix(4000), as: UTF8.self) + "\n--- twice\n"
                    + String(decoding: twice.bytes.prefix(4000), as: UTF8.self))
        }
    }
}
