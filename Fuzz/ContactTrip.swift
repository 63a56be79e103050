// Cards through `Contact` and back, with the parts that VCardContactReader and VCardContactWriter are
// made of, kept from input to input: making the hundreds of columns of a contact takes far longer
// than reading a card.

@testable import Formats

enum ContactTrip {
    private final class Side {
        let rows = MemorySink()
        let text = MemorySink()
        let batch = RecordBatch(schema: ContactMapper.schema)
        let context = ExchangeContext()
        let mapper: ContactMapper
        let back: ContactMapper
        let json: JSONRowsWriter
        let lines = ContentLines()

        init() {
            mapper = ContactMapper(context: context, source: "fuzz")
            back = ContactMapper(context: context, mintsIDs: false)
            json = JSONRowsWriter(
                sink: rows, schema: ContactMapper.schema, classIndex: 0, style: .ndjson,
                omitEmpty: true, context: context)
        }

        /// Reads cards and writes them; the number of things that were noted.
        func run(_ bytes: UnsafeRawBufferPointer) throws(FormatError) -> Int {
            _ = rows.clear()
            _ = text.clear()
            let own = ExchangeContext()
            let before = context.report.items.reduce(0) { $0 + $1.count }
            let reader = VCardReader(input: InputBytes(name: "fuzz", copying: bytes), context: own)
            batch.begin(class: 0)
            var count = 0
            while try reader.next(into: lines) {
                mapper.append(lines, to: batch)
                count += 1
            }
            mapper.complete(batch)
            for column in batch.columns where column.count != count {
                finding("column \(column.property.name) has \(column.count) of \(count)")
            }
            try json.write(batch)
            let writer = VCardWriter(sink: text, context: own)
            let version = try VCardVersion(own)
            for row in 0..<batch.rowCount {
                back.lines(of: row, in: batch, into: lines)
                try writer.write(version.lines(lines))
            }
            return own.report.items.count + context.report.items.reduce(0) { $0 + $1.count }
                - before
        }
    }
    nonisolated(unsafe) private static let sides = (Side(), Side(), Side())

    /// True when two files hold the same contacts.
    static func isSame(_ a: MemorySink, _ b: MemorySink) -> Bool {
        do throws(FormatError) {
            _ = try sides.0.run(a.bytes)
            _ = try sides.1.run(b.bytes)
        } catch { return false }
        return RoundTrip.plain(sides.0.rows) == RoundTrip.plain(sides.1.rows)
    }

    static func run(_ bytes: UnsafeRawBufferPointer) {
        let (a, b) = (sides.0, sides.1)
        let remarks: Int
        do throws(FormatError) { remarks = try a.run(bytes) } catch {
            if error.code == .defect { finding("\(error)") }
            return
        }
        guard RoundTrip.checksLaws else { return }
        do throws(FormatError) {
            _ = try b.run(a.text.bytes)
            if !RoundTrip.same(a.text, b.text) {
                _ = try sides.2.run(b.text.bytes)
                if RoundTrip.plain(sides.2.rows) != RoundTrip.plain(b.rows) {
                    finding(
                        "other text\n--- first\n\(RoundTrip.shown(a.text))\n--- second\n"
                            + RoundTrip.shown(b.text))
                }
            }
        } catch { finding("what was written cannot be read: \(error)\n\(RoundTrip.shown(a.text))") }
        // How a transfer encoding is named is not kept, nor control characters.
        if remarks == 0, saysVersion(bytes), !mentionsEncoding(bytes),
            !RoundTrip.same(a.rows, b.rows),
            RoundTrip.plain(a.rows) != RoundTrip.plain(b.rows)
        {
            finding(
                "other rows\n--- read\n\(RoundTrip.shown(a.rows))\n--- written\n"
                    + "\(RoundTrip.shown(a.text))\n--- read back\n\(RoundTrip.shown(b.rows))")
        }
    }

    private static func mentionsEncoding(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let isControl = { (c: UInt8) in c < 0x20 && c != 9 && c != 10 && c != 13 || c == 0x7F }
        if bytes.contains(where: isControl) { return true }
        var i = 0
        while i + 8 <= bytes.count {
            let word = UnsafeRawBufferPointer(rebasing: bytes[i..<i + 8])
            if NameKey.equals(word, "ENCODING") || NameKey.starts(word, with: "BASE64")
                || NameKey.starts(word, with: "CHARSET")
            {
                return true
            }
            i += 1
        }
        return false
    }
}
