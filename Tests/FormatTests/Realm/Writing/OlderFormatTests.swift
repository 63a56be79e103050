// Stores of formats 22 and 23: what they hold is read back, what they cannot hold is named.

import Foundation
import Testing

@testable import Formats

@Suite("Formats 22 and 23 are written") struct OlderFormatTests {
    static func options(_ format: Int) -> StoreWriterOptions {
        var options = StoreWriterOptions()
        options.fileFormat = format
        return options
    }

    @Test(
        "random stores of all types are sound and read back", arguments: [22, 23], [1, 300, 600])
    func random(format: Int, rows: Int) throws {
        let store = RandomStore(
            RandomStoreOptions(
                seed: UInt64(rows + format), rows: rows, givesKeys: rows == 300,
                nestsMixed: false, hasFullText: format > 22, batchSize: 150))
        let folder = try Folder()
        let path = folder.path("s.realm")
        let report = try StoreWriterTests.write(store, to: path, writer: Self.options(format))
        #expect(!report.hasLoss)
        #expect(try Store.open(path).fileFormat == format)
        try StoreWriterTests.expectSound(path)
        try StoreWriterTests.expectSame(store, path)
        if rows == 1 { try Checker.check(path) }
    }

    @Test("long dictionaries become trees of several leaves", arguments: [22, 23])
    func longDictionary(format: Int) throws {
        let schema = Schema(classes: [
            ClassSchema("T", properties: [Property("d", .int, collection: .dictionary)])
        ])
        let entries = (0..<3000).map { n in ("key number \(n * 7919 % 3000)", Value.int(Int64(n))) }
        let folder = try Folder()
        let path = folder.path("s.realm")
        let batch = RecordBatch(schema: schema)
        batch.append(values: [.dictionary(entries.map { Value.DictionaryEntry($0.0, $0.1) })])
        let writer = try StoreWriter(
            output: try OutputFile.create(path, force: true), schema: schema,
            context: ExchangeContext(), options: Self.options(format))
        try writer.write(batch)
        try writer.finish()
        try StoreWriterTests.expectSound(path)
        try Checker.check(path)
        let rows = try StoreWriterTests.read(path).rows
        guard case .dictionary(let read)? = rows.first?.values.first else {
            Issue.record("no dictionary")
            return
        }
        #expect(read.count == 3000)
        let expected = Dictionary(uniqueKeysWithValues: entries)
        for entry in read { #expect(entry.value == expected[entry.key]) }
    }

    @Test("the hash of a dictionary's keys is the engine's")
    func hashes() {
        // The first six stand in stores written by the engine, the others follow the published
        // function for lengths it has a way of its own for.
        let known: [(String, Int64)] = [
            ("", 0x1AE1_6A3B_2F90_404F), ("æøå", 0x2EF6_8658_EBD3_1A11),
            ("quote\"d", 0x43E4_F567_B9F0_5718), ("\u{1F511}", 0x555C_A54A_3A93_6AE7),
            (String(repeating: "0123456789", count: 7), 0x681A_B32A_BD5D_8138),
            (String(repeating: "0123456789", count: 30), 0x59C9_CEBA_BEC7_768B),
            ("k", 0x6985_F793_7E82_1A21), ("ninechars", 0x3DC3_A488_3D3B_0F4A),
            ("seventeen letters", 0x7D42_67D0_DD5F_77F4),
            (String(repeating: "x", count: 32), 0x42FF_C109_2798_337F),
            ("the quick brown fox jumps over it all", 0x2B6B_D5A2_BA01_A0DE),
            (String(repeating: "x", count: 64), 0x4F26_FD0D_81E1_048E),
        ]
        for (text, hash) in known {
            let found = Array(text.utf8).withUnsafeBytes { DictionaryHash.objectKey($0) }
            #expect(found == hash, "\(text)")
        }
    }

    @Test("sets of text and bytes stand in the order of signed bytes before format 24")
    func order() {
        let column = Column(Property("", .string), schema: Schema(classes: []))
        for text in ["a", "é", "b"] { column.append(text) }
        #expect(StoredOrder(WriterDialect(24)).sortedKeys(column, 0..<3) == [0, 2, 1])
        #expect(StoredOrder(WriterDialect(23)).sortedKeys(column, 0..<3) == [1, 0, 2])
    }

    @Test("what an older format cannot hold is named, all of it, and nothing is written")
    func refused() throws {
        let schema = Schema(classes: [
            ClassSchema(
                "T",
                properties: [
                    Property("m", .mixed, isOptional: true),
                    Property("n", .mixed, collection: .list, isOptional: true),
                    Property("text", .string, isFullText: true),
                ])
        ])
        let folder = try Folder()
        for (format, named) in [(22, ["T.m", "T.n", "T.text"]), (23, ["T.m", "T.n"])] {
            let path = folder.path("\(format).realm")
            let batch = RecordBatch(schema: schema)
            for _ in 0..<3 {
                batch.append(values: [
                    .list([.int(1), .list([.null])]), .list([.int(1), .list([])]), .string("x"),
                ])
            }
            let report = Report()
            let error = Self.failure(writing: batch, to: path, format, report)
            #expect(error?.code == .unsupported)
            let message = error?.details.message ?? ""
            for name in named { #expect(message.contains(name)) }
            #expect(message.contains("T.text") == (format == 22))
            #expect(message.contains("x 3"))
            #expect(report.hasLoss)
            #expect(!FileManager.default.fileExists(atPath: path))
        }
    }

    static func failure(
        writing batch: RecordBatch, to path: String, _ format: Int, _ report: Report
    ) -> FormatError? {
        do throws(FormatError) {
            let writer = try StoreWriter(
                output: try OutputFile.create(path, force: true), schema: batch.schema,
                context: ExchangeContext(report: report), options: options(format))
            try writer.write(batch)
            try writer.finish()
            return nil
        } catch {
            return error
        }
    }

    @Test("formats that are not written are refused", arguments: [9, 20, 21, 25])
    func unknown(format: Int) throws {
        let folder = try Folder()
        #expect(throws: FormatError.self) {
            _ = try StoreWriter(
                output: try OutputFile.create(folder.path("x.realm"), force: true),
                schema: Schema(classes: []), context: ExchangeContext(),
                options: Self.options(format))
        }
    }
}
