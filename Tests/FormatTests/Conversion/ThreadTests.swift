// Reading and writing side by side: the same bytes and the same report as on one thread, and an end
// without hanging when either side stops. Outputs that are no ordinary files stay what they are.

import Foundation
import Testing

@testable import Formats

@Suite("Reading beside writing") struct ThreadTests {
    private static let folder: String = {
        let folder = NSTemporaryDirectory() + "rtool-threads-\(UUID().uuidString)"
        try? FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        return folder
    }()

    /// Enough cards for several batches, some with flaws that both sides note.
    private static let cards: String = {
        var text = ""
        for i in 0..<5000 {
            text += "BEGIN:VCARD\r\nVERSION:3.0\r\nN:Nr \(i);Ada;;;\r\nFN:Ada \(i)\r\n"
            text += "TEL;TYPE=CELL:+46 \(i)\r\nUID:u\(i)\r\n"
            if i % 700 == 3 { text += "PHOTO;ENCODING=b:no base64!\r\n" }
            if i % 900 == 5 { text += "a line without a colon\r\n" }
            text += "END:VCARD\r\n"
        }
        return text
    }()

    private static func table(_ rows: Int, bad: Int? = nil) -> String {
        var text = "name,phone,isBuddy\n"
        for i in 0..<rows { text += "Ada \(i),\(i),\(i == bad ? "perhaps" : "true")\n" }
        return text
    }

    private func convert(_ input: String, _ output: String, threads: Int, map: String? = nil)
        throws -> (bytes: Data, report: Report)
    {
        var options = ExchangeOptions()
        options.threads = threads
        options.force = true
        let context = ExchangeContext(options: options)
        var conversion = Conversion(
            from: input, to: Self.folder + "/\(threads)-" + output, context: context)
        conversion.map = map
        try conversion.run()
        let url = URL(fileURLWithPath: Self.folder + "/\(threads)-" + output)
        return (try Data(contentsOf: url), context.report)
    }

    @Test(
        arguments: [
            ("c.vcf", "c.json", nil), ("c.vcf", "c.csv", nil), ("c.vcf", "c.realm", nil),
            ("c.vcf", "d.vcf", nil),
            ("t.csv", "t.realm", "mycontacts"), ("t.csv", "t.ndjson", nil),
        ] as [(String, String, String?)])
    func oneThreadGivesTheSame(_ input: String, _ output: String, _ map: String?) throws {
        // A file of its own: the cases run side by side.
        let path = Self.folder + "/from-" + output + "-" + input
        let text = input.hasSuffix("vcf") ? Self.cards : Self.table(20_000, bad: 12_345)
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        let one = try convert(path, output, threads: 1, map: map)
        let two = try convert(path, output, threads: 2, map: map)
        let isSame = one.bytes == two.bytes
        #expect(isSame)
        #expect(one.report.read == two.report.read && one.report.written == two.report.written)
        #expect(
            one.report.items.map { "\($0.code) \($0.count) \($0.record ?? 0)" }
                == two.report.items.map { "\($0.code) \($0.count) \($0.record ?? 0)" })
    }

    @Test func cardsReadAheadMayBeLeftUnread() throws {
        let path = Self.folder + "/ahead.vcf"
        try Data(Self.cards.utf8).write(to: URL(fileURLWithPath: path))
        let context = ExchangeContext()
        var cards: CardReadAhead? = CardReadAhead(input: try .open(path), context: context)
        #expect(try cards?.next()?.record == 1)
        #expect(try cards?.next()?.record == 2)
        // Its thread waits for room by now; this ends it.
        cards = nil
        #expect(context.report.read < 5000)
    }

    /// Fails at a batch.
    private final class Failing: RecordReader, RecordWriter {
        let schema = Schema(classes: [ClassSchema("A", properties: [Property("a", .int)])])
        private var left: Int
        private let code: FormatErrorCode

        init(after count: Int, _ code: FormatErrorCode) {
            left = count
            self.code = code
        }

        private func step() throws(FormatError) {
            if left == 0 { throw FormatError(code, "stopped") }
            left -= 1
        }

        func next(into batch: RecordBatch) throws(FormatError) -> Bool {
            batch.begin(class: 0)
            try step()
            batch.append(values: [.int(1)])
            return true
        }

        func write(_ batch: RecordBatch) throws(FormatError) { try step() }

        func finish() throws(FormatError) {}
    }

    @Test(arguments: [1, 2], [0, 1, 7])
    func whoStopsFirstIsTheError(_ threads: Int, _ count: Int) {
        #expect(throws: FormatError(.malformed, "")) {
            try Pump.run(
                Failing(after: count, .malformed), into: Failing(after: count + 1, .diskFull),
                threads: threads)
        }
        #expect(throws: FormatError(.diskFull, "")) {
            try Pump.run(
                Failing(after: count + 9, .malformed), into: Failing(after: count, .diskFull),
                threads: threads)
        }
    }

    @Test func aLinkStaysALinkAndItsFileIsReplaced() throws {
        let target = Self.folder + "/target.json"
        let link = Self.folder + "/link.json"
        try Data("old".utf8).write(to: URL(fileURLWithPath: target))
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
        let file = try ByteSink.output(to: link, force: true)
        try file.write("new")
        try file.finish()
        #expect(try String(contentsOfFile: target, encoding: .utf8) == "new")
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == target)
    }

    @Test func aDeviceIsWrittenToAsItIs() throws {
        let sink = try ByteSink.output(to: "/dev/null", force: false)
        try sink.write("nothing")
        try sink.finish()
        #expect(sink as? OutputFile == nil)
        #expect(System.status(path: "/dev/null").map { !$0.isRegular } == true)
        #expect(throws: FormatError(.cannotCreate, "")) {
            _ = try OutputFile.create("/dev/null", force: true)
        }
    }
}
