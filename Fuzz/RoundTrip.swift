// Reads an input as a format does, writes it, reads it again, and holds both readings against each
// other. Rows are compared as the JSON text they make, which has the same row spelled the same.

@testable import Formats

/// One format, fuzzed.
struct RoundTrip {
    /// What is to be equal after the way through the format's own text.
    enum Law {
        /// Nothing: only reading and writing must end well.
        case none
        /// What is written of the rows read back is what was written first. Input that says
        /// something the writer says otherwise (a card without a version, a stray parameter) is
        /// told apart from loss by that.
        case text
        /// That, and where the reader found nothing to remark the rows read back are those that
        /// were read.
        case rows
    }

    var read: Format
    /// The format written and read back; nil only reads.
    var write: Format?
    var wish: ReadWish = .whatItIs
    var law = Law.rows
    var options = ExchangeOptions()
    /// Inputs for which the law of rows holds.
    var isPlain: (UnsafeRawBufferPointer) -> Bool = { _ in true }

    nonisolated(unsafe) private static let sinks = (
        MemorySink(), MemorySink(), MemorySink(), MemorySink()
    )
    static let checksLaws = environment("RTOOL_FUZZ_LAWS") != "0"

    /// What was read, and what the reader and writer had to say about it.
    private struct Pass {
        var source: ReadSource
        var items: [Report.Item]
    }

    /// What a pass made: rows as JSON, and the other format's text.
    private func pass(
        _ format: Format, _ bytes: UnsafeRawBufferPointer, _ wish: ReadWish,
        rows: MemorySink, text: MemorySink
    ) throws(FormatError) -> Pass? {
        let input = InputBytes(name: "fuzz", copying: bytes)
        let context = ExchangeContext(options: options)
        guard let read = format.read else { return nil }
        let source = try read(
            ReadRequest(path: "fuzz", input: input, context: context, wish: wish))
        let schema = source.reader.schema
        let isStore = source.content == .store
        let main = schema.classes.firstIndex { $0.kind != .embedded && !$0.isTable } ?? 0
        guard main < schema.classes.count || isStore else { return nil }
        let (batch, json) = RoundTrip.kit(source.content, schema, main, rows)
        var writer: (any RecordWriter)?
        if let write = write?.write {
            writer = try write(
                WriteRequest(
                    sink: text, schema: schema, classIndex: isStore ? nil : main,
                    content: source.content, context: context))
        }
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
        return Pass(source: source, items: report.items)
    }

    /// A batch, and the writer of its rows as JSON. The many columns of the built-in classes are
    /// made once, or making them would be all that is fuzzed.
    private static func kit(
        _ content: Format.Content, _ schema: Schema, _ main: Int, _ rows: MemorySink
    ) -> (RecordBatch, any RecordWriter) {
        let key = KitKey(sink: ObjectIdentifier(rows), content: content)
        if content == .contacts || content == .tasks, let known = kits[key] { return known }
        let quiet = ExchangeContext()
        let json: any RecordWriter =
            content == .store
            ? JSONStoreWriter(sink: rows, schema: schema, fileFormat: nil, context: quiet)
            : JSONRowsWriter(
                sink: rows, schema: schema, classIndex: main, style: .ndjson, omitEmpty: true,
                context: quiet)
        let kit = (RecordBatch(schema: schema), json)
        if content == .contacts || content == .tasks, keptSinks.contains(ObjectIdentifier(rows)) {
            kits[key] = kit
        }
        return kit
    }

    private struct KitKey: Hashable {
        var sink: ObjectIdentifier
        var content: Format.Content
    }
    nonisolated(unsafe) private static var kits: [KitKey: (RecordBatch, any RecordWriter)] = [:]
    private static let keptSinks: Set<ObjectIdentifier> = [
        ObjectIdentifier(sinks.0), ObjectIdentifier(sinks.2),
    ]

    func run(_ bytes: UnsafeRawBufferPointer) {
        let (rows1, text1, rows2, text2) = (
            RoundTrip.sinks.0.clear(), RoundTrip.sinks.1.clear(), RoundTrip.sinks.2.clear(),
            RoundTrip.sinks.3.clear()
        )
        let first: Pass
        do throws(FormatError) {
            guard let made = try pass(read, bytes, wish, rows: rows1, text: text1) else { return }
            first = made
        } catch {
            if error.code == .defect { finding("\(error)") }
            return
        }
        guard let write, write.isReadable, law != .none, RoundTrip.checksLaws else { return }
        // No rows are no text, which is no JSON.
        if text1.buffer.isEmpty { return }
        var again: ReadWish
        switch first.source.content {
        case .contacts: again = .contacts
        case .tasks: again = .tasks
        case .rows:
            let schema = first.source.reader.schema
            let main = schema.classes.firstIndex { $0.kind != .embedded && !$0.isTable } ?? 0
            again = .rows(TargetClass(schema: schema, classIndex: main))
        case .store: again = .whatItIs
        }
        if case .plainRows = wish { again = .plainRows }
        do throws(FormatError) {
            _ = try pass(write, text1.bytes, again, rows: rows2, text: text2)
        } catch {
            finding("what was written cannot be read: \(error)\n\(RoundTrip.shown(text1))")
        }
        if !RoundTrip.same(text1, text2), !isSameLines(write, text1, text2),
            !isSameMeaning(write, again, text2, rows2)
        {
            finding(
                "other text\n--- first\n\(RoundTrip.shown(text1))\n--- second\n\(RoundTrip.shown(text2))"
            )
        }
        // A header alone may be taken for a row: one line does not tell.
        if rows1.buffer.isEmpty { return }
        if law == .rows, isPlain(bytes), first.items.isEmpty, !RoundTrip.same(rows1, rows2),
            RoundTrip.plain(rows1) != RoundTrip.plain(rows2)
        {
            finding(
                "other rows\n--- read\n\(RoundTrip.shown(rows1))\n--- written\n\(RoundTrip.shown(text1))\n"
                    + "--- read back\n\(RoundTrip.shown(rows2))")
        }
    }

    /// True when a second text of content lines has those of the first in another order.
    private func isSameLines(_ format: Format, _ first: MemorySink, _ second: MemorySink) -> Bool {
        switch format.name {
        case Format.vcard.name: SameLines.check(first, second, inOrder: true)
        case Format.ical.name: SameLines.check(first, second, inOrder: false)
        default: false
        }
    }

    /// True when a second text that differs from the first still says the same.
    private func isSameMeaning(
        _ format: Format, _ wish: ReadWish, _ text: MemorySink, _ rows: MemorySink
    ) -> Bool {
        let again = MemorySink()
        do throws(FormatError) {
            var reading = self
            reading.write = nil
            _ = try reading.pass(format, text.bytes, wish, rows: again, text: MemorySink())
        } catch { return false }
        return RoundTrip.plain(again) == RoundTrip.plain(rows)
    }

    /// Rows without what only tells how something was spelled: the `raw` line, the place in the
    /// card, and the identity that is made of both.
    static func plain(_ rows: MemorySink) -> [UInt8] {
        let bytes = rows.bytes
        var out: [UInt8] = []
        out.reserveCapacity(bytes.count)
        let marks = ["\"raw\":\"", "\"order\":", "\"_id\":{"].map { Array($0.utf8) }
        let ends: [UInt8] = [0x22, 0x2C, 0x7D]
        var i = 0
        next: while i < bytes.count {
            if bytes[i] == 0x22, i + 8 < bytes.count {
                for (mark, end) in zip(marks, ends)
                where bytes[i] == mark[0] && bytes[i...].starts(with: mark) {
                    i += mark.count
                    while i < bytes.count, bytes[i] != end, end != 0x2C || bytes[i] != 0x7D {
                        if bytes[i] == 0x5C { i += 1 }
                        i += 1
                    }
                    if end != 0x2C { i += 1 }
                    if i < bytes.count, bytes[i] == 0x2C { i += 1 }
                    continue next
                }
            }
            // A comma left in front of what was taken out.
            if bytes[i] == 0x7D, out.last == 0x2C { out.removeLast() }
            out.append(bytes[i])
            i += 1
        }
        return out
    }

    static func same(_ a: MemorySink, _ b: MemorySink) -> Bool {
        a.buffer.count == b.buffer.count && a.bytes.elementsEqual(b.bytes)
    }

    static func shown(_ sink: MemorySink) -> String {
        String(decoding: sink.bytes.prefix(4000), as: UTF8.self)
    }
}

/// Converts a text of lines into itself twice: the second time changes nothing.
struct LineTrip {
    var convert: (InputBytes, ByteSink, ExchangeContext) throws(FormatError) -> Void
    var options = ExchangeOptions()
    /// True for texts that are spelled otherwise and say the same.
    var isSame: (MemorySink, MemorySink) -> Bool = { _, _ in false }
    nonisolated(unsafe) private static let sinks = (MemorySink(), MemorySink())

    func run(_ bytes: UnsafeRawBufferPointer) {
        let (once, twice) = (LineTrip.sinks.0.clear(), LineTrip.sinks.1.clear())
        do throws(FormatError) {
            try convert(
                InputBytes(name: "fuzz", copying: bytes), once, ExchangeContext(options: options))
        } catch {
            if error.code == .defect { finding("\(error)") }
            return
        }
        do throws(FormatError) {
            try convert(
                InputBytes(name: "fuzz", copying: once.bytes), twice,
                ExchangeContext(options: options))
        } catch { finding("what was converted cannot be read: \(error)") }
        guard RoundTrip.checksLaws, !RoundTrip.same(once, twice) else { return }
        if !isSame(once, twice) {
            finding(
                "converting twice differs\n--- once\n"
                    + String(decoding: once.bytes.prefix(4000), as: UTF8.self) + "\n--- twice\n"
                    + String(decoding: twice.bytes.prefix(4000), as: UTF8.self))
        }
    }
}
