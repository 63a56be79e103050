// A table of damaged and mistaken files: for each the verdict, and with it the exit code and what
// is suggested. The store they are made from is written here.

import Foundation
import Testing

@testable import Formats

@Suite("Every file gets its verdict") struct VerdictTests {
    /// One file and what is to be said of it.
    struct Case: CustomTestStringConvertible {
        var name: String
        var bytes: [UInt8]
        var key: [UInt8]?
        var word: StoreVerdict.Word
        /// A part of what is suggested; empty for nothing.
        var next = ""
        /// A part of the explanation.
        var says = ""

        var testDescription: String { name }
    }

    static let rows = 700

    /// Writes the store everything is made from: two classes, one of 700 rows in three clusters.
    static func write(streaming: Bool = false, format: Int = 24) -> [UInt8] {
        let schema = Schema(
            version: 1,
            classes: [
                ClassSchema(
                    "T", primaryKey: "n",
                    properties: [
                        Property("n", .int), Property("s", .string),
                        Property("list", .string, collection: .list),
                    ]),
                ClassSchema("U", properties: [Property("t", .link, isOptional: true, target: "T")]),
            ])
        let batch = RecordBatch(schema: schema)
        for n in 0..<rows {
            batch.append(values: [
                .int(Int64(n)), .string("row number \(n)"), .list(n % 9 == 0 ? [.string("x")] : []),
            ])
        }
        do {
            let folder = try Folder()
            var options = StoreWriterOptions()
            options.isStreaming = streaming
            options.padsStream = streaming
            options.fileFormat = format
            let writer = try StoreWriter(
                output: try OutputFile.create(folder.path("s"), force: true), schema: schema,
                context: ExchangeContext(), options: options)
            try writer.write(batch)
            batch.begin(class: 1)
            for n in 0..<20 { batch.append(values: [.link("T", Int64(n))]) }
            try writer.write(batch)
            try writer.finish()
            return [UInt8](FileManager.default.contents(atPath: folder.path("s")) ?? Data())
        } catch {
            Issue.record("\(error)")
            return []
        }
    }

    static let good = write()
    static let stream = write(streaming: true)
    static let sealed = (try? EncryptionTests.encrypt(good)) ?? []
    static let sealedStream = (try? EncryptionTests.encrypt(stream)) ?? []

    static func changed(_ bytes: [UInt8], _ changes: (Int, UInt8)...) -> [UInt8] {
        var bytes = bytes
        for (at, value) in changes { bytes[at] = value }
        return bytes
    }

    static func word(_ bytes: [UInt8], _ at: Int) -> Int {
        bytes.withUnsafeBytes {
            Int(UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: at, as: UInt64.self)))
        }
    }

    static func put(_ bytes: [UInt8], _ at: Int, _ value: UInt64) -> [UInt8] {
        var bytes = bytes
        for i in 0..<8 { bytes[at + i] = UInt8(truncatingIfNeeded: value >> UInt64(8 * i)) }
        return bytes
    }

    static let top = word(good, 0)
    /// The slots of the top, 64 bits each.
    static func slot(_ i: Int) -> Int { top + 8 + 8 * i }

    static let headers: [Case] = [
        Case(name: "whole", bytes: good, word: .ok, says: "720 rows"),
        Case(name: "streaming", bytes: stream, word: .ok, says: "720 rows"),
        Case(name: "format 22", bytes: write(format: 22), word: .ok, says: "format 22"),
        Case(name: "format 23", bytes: write(format: 23), word: .ok, says: "format 23"),
        Case(
            name: "first top is odd", bytes: changed(good, (0, good[0] | 1)), word: .damaged,
            next: "rtool verify"),
        Case(
            name: "first top is 4 off", bytes: put(good, 0, UInt64(top + 4)), word: .damaged,
            next: "rtool verify"),
        Case(
            name: "first top inside the header", bytes: put(good, 0, 8), word: .damaged,
            next: "rtool verify"),
        Case(
            name: "first top at the end", bytes: put(good, 0, UInt64(good.count)),
            word: .truncated, next: "--top other", says: "cut off"),
        Case(
            name: "first top far behind", bytes: put(good, 0, 1 << 40), word: .truncated,
            next: "--top other"),
        Case(
            name: "first top negative", bytes: put(good, 0, 1 << 63), word: .truncated,
            next: "--top other"),
        Case(name: "no top at all", bytes: put(good, 0, 0), word: .ok, says: "0 rows"),
        Case(
            name: "first top all ones", bytes: put(good, 0, .max), word: .truncated,
            says: "footer"),
        Case(name: "second top is odd", bytes: put(good, 8, 7), word: .ok),
        Case(name: "magic 0", bytes: changed(good, (16, 0x74)), word: .notRealm, next: "--from"),
        Case(name: "magic 1", bytes: changed(good, (17, 0)), word: .notRealm, next: "--from"),
        Case(name: "magic 2", bytes: changed(good, (18, 0x45)), word: .notRealm, next: "--from"),
        Case(name: "magic 3", bytes: changed(good, (19, 0)), word: .notRealm, next: "--from"),
        Case(name: "format 0", bytes: changed(good, (20, 0)), word: .tooOld, next: "TightDB"),
        Case(name: "format 1", bytes: changed(good, (20, 1)), word: .tooOld, next: "TightDB"),
        Case(
            name: "format 12", bytes: changed(good, (20, 12)), word: .unknownVersion,
            next: "--top other", says: "never existed"),
        Case(
            name: "format 25", bytes: changed(good, (20, 25)), word: .unknownVersion,
            next: "--top other", says: "newer"),
        Case(
            name: "format 255", bytes: changed(good, (20, 255)), word: .unknownVersion,
            next: "--top other"),
        Case(name: "other format", bytes: changed(good, (21, 99)), word: .ok),
        Case(name: "reserved byte", bytes: changed(good, (22, 9)), word: .ok),
        Case(
            name: "the empty slot is live", bytes: changed(good, (23, 1)), word: .okOtherTop,
            next: "--top other", says: "holds 720"),
        Case(name: "unknown flags", bytes: changed(good, (23, 0xFE)), word: .ok),
        Case(
            name: "the live slot is broken, the other good",
            bytes: put(changed(put(good, 8, UInt64(top)), (21, 24), (23, 0)), 0, 24),
            word: .okOtherTop, next: "--top other"),
        Case(
            name: "format 9 over modern content", bytes: changed(good, (20, 9)), word: .damaged),
    ]

    static let cuts: [Case] = [
        Case(name: "nothing", bytes: [], word: .empty, next: "backup"),
        Case(name: "1 byte", bytes: Array(good.prefix(1)), word: .notRealm),
        Case(name: "18 bytes", bytes: Array(good.prefix(18)), word: .truncated),
        Case(name: "23 bytes", bytes: Array(good.prefix(23)), word: .truncated),
        Case(name: "24 bytes", bytes: Array(good.prefix(24)), word: .truncated, says: "24 bytes"),
        Case(name: "half", bytes: Array(good.prefix(good.count / 2)), word: .truncated),
        Case(name: "before the top", bytes: Array(good.prefix(top)), word: .truncated),
        Case(name: "inside the top", bytes: Array(good.prefix(top + 20)), word: .damaged),
        Case(
            name: "behind the top", bytes: Array(good.prefix(top + 96)), word: .truncated,
            next: "convert", says: "all 720 rows"),
        Case(
            name: "one byte short", bytes: Array(good.dropLast()), word: .truncated,
            next: "convert", says: "all 720 rows"),
        Case(name: "8 bytes more", bytes: good + [UInt8](repeating: 0, count: 8), word: .ok),
        Case(name: "3 bytes more", bytes: good + [1, 2, 3], word: .ok),
        Case(
            name: "stream, one byte short", bytes: Array(stream.dropLast()), word: .truncated,
            says: "footer"),
        Case(
            name: "stream, half", bytes: Array(stream.prefix(stream.count / 2)), word: .truncated,
            says: "footer"),
        Case(
            name: "stream, cookie broken", bytes: changed(stream, (stream.count - 1, 0)),
            word: .truncated, says: "footer"),
        Case(
            name: "stream, top in the footer broken",
            bytes: put(stream, stream.count - 16, UInt64(stream.count)), word: .truncated),
    ]

    static let tops: [Case] = [
        Case(
            name: "names lead nowhere", bytes: put(good, slot(0), 1 << 40), word: .damaged,
            next: "verify"),
        Case(
            name: "names are a number", bytes: put(good, slot(0), 9), word: .damaged,
            next: "verify"),
        Case(
            name: "tables lead into the header", bytes: put(good, slot(1), 16), word: .damaged,
            next: "verify"),
        Case(
            name: "the logical size is larger than the file",
            bytes: put(good, slot(2), UInt64(good.count * 2 + 16) << 1 | 1), word: .truncated,
            says: "all 720 rows"),
        Case(
            name: "the logical size is no number", bytes: put(good, slot(2), 0), word: .damaged),
        Case(name: "the free list leads nowhere", bytes: put(good, slot(3), 1 << 40), word: .ok),
        Case(
            name: "a sync client's history", bytes: put(good, slot(7), 7), word: .okSync,
            says: "sync"),
        Case(
            name: "a sync server's history", bytes: put(good, slot(7), 9), word: .okSync,
            says: "sync"),
        Case(
            name: "the top claims 4 slots", bytes: changed(good, (top + 7, 4)), word: .damaged),
        Case(
            name: "the top claims 16 million slots",
            bytes: changed(good, (top + 5, 255), (top + 6, 255), (top + 7, 255)), word: .damaged),
        Case(name: "the top is a leaf", bytes: changed(good, (top + 4, 7)), word: .damaged),
    ]

    /// A store of 2012: its root's reference first, nodes with their capacity at the end.
    static let unmarked: [UInt8] =
        [0x18, 0, 0, 0, 0, 0, 0, 0, 0x0D, 0, 0, 1, 0, 0, 0x80, 0] + Array("people".utf8)
        + [0, 0, 0x45, 0, 0, 2, 0, 0, 0x80, 0xD0, 8, 0, 0, 0, 0, 0, 0, 0]

    static let foreign: [Case] = [
        Case(
            name: "TightDB of 2012", bytes: unmarked + [UInt8](repeating: 0, count: 8),
            word: .tooOld, next: "TightDB", says: "2012"),
        Case(
            name: "SQLite",
            bytes: Array("SQLite format 3\0".utf8) + [UInt8](repeating: 0, count: 100),
            word: .notRealm, next: "--from", says: "SQLite"),
        Case(
            name: "vCard", bytes: Array("BEGIN:VCARD\r\nVERSION:3.0\r\nEND:VCARD\r\n".utf8),
            word: .notRealm, next: "rtool convert", says: "vCard"),
        Case(
            name: "calendar", bytes: Array("BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n".utf8),
            word: .notRealm, next: "rtool convert", says: "calendar"),
        Case(
            name: "JSON", bytes: Array("  {\"rtool\": 1, \"classes\": []}".utf8), word: .notRealm,
            next: "rtool convert", says: "JSON"),
        Case(
            name: "ZIP", bytes: [0x50, 0x4B, 3, 4] + [UInt8](repeating: 7, count: 60),
            word: .notRealm, says: "ZIP"),
        Case(
            name: "gzip", bytes: [0x1F, 0x8B, 8] + [UInt8](repeating: 200, count: 60),
            word: .notRealm, says: "gzip"),
        Case(
            name: "zeros", bytes: [UInt8](repeating: 0, count: 8192), word: .notRealm,
            says: "zero"),
        Case(
            name: "text", bytes: Array("name,phone\nAda,1\n".utf8), word: .notRealm, says: "text"),
        Case(
            name: "XML", bytes: Array("<?xml version=\"1.0\"?><a/>".utf8), word: .notRealm,
            says: "XML"),
    ]

    static let key = EncryptionTests.key
    static let other = [UInt8](repeating: 7, count: 64)

    static let keys: [Case] = [
        Case(name: "encrypted, its key", bytes: sealed, key: key, word: .ok, says: "720 rows"),
        Case(
            name: "encrypted stream, its key", bytes: sealedStream, key: key, word: .ok,
            says: "720 rows"),
        Case(name: "encrypted, no key", bytes: sealed, word: .encrypted, next: "--key HEX"),
        Case(name: "encrypted, another key", bytes: sealed, key: other, word: .wrongKey),
        Case(
            name: "encrypted, halves exchanged", bytes: sealed,
            key: Array(key[32...] + key[..<32]), word: .wrongKey, says: "halves"),
        Case(
            name: "encrypted, bytes reversed", bytes: sealed, key: key.reversed(), word: .wrongKey,
            says: "reversed"),
        Case(
            name: "encrypted, wrong first half", bytes: sealed,
            key: Array(other[..<32] + key[32...]), word: .wrongKey, says: "second half"),
        Case(
            name: "encrypted, wrong second half", bytes: sealed,
            key: Array(key[..<32] + other[32...]), word: .wrongKey),
        Case(
            name: "encrypted, 63 bytes", bytes: sealed, key: Array(key.dropLast()),
            word: .wrongKey, says: "63 bytes"),
        Case(
            name: "plain, with a key", bytes: good, key: key, word: .notEncrypted,
            next: "rtool info"),
        Case(
            name: "text, with a key", bytes: Array("hello".utf8), key: key, word: .notRealm),
        Case(
            name: "encrypted, first page damaged",
            bytes: changed(
                sealed, (PageLayout.position(0) + 9, sealed[PageLayout.position(0) + 9] ^ 1)),
            key: key, word: .damaged),
        Case(
            name: "encrypted, cut to one page", bytes: Array(sealed.prefix(4096)), key: key,
            word: .truncated),
        Case(
            name: "encrypted, half", bytes: Array(sealed.prefix(4096 * (sealed.count / 8192))),
            key: key, word: .truncated),
    ]

    @Test(
        "the verdict, its exit code and what is suggested",
        arguments: headers + cuts + tops + foreign + keys)
    func verdict(_ example: Case) {
        let verdict = example.bytes.withUnsafeBytes {
            StoreInspector.inspect(InputBytes(name: "x.realm", copying: $0), key: example.key)
        }
        #expect(verdict.word == example.word, "\(verdict.explanation)")
        #expect(
            verdict.explanation.contains(example.says), "it says: \(verdict.explanation)")
        let next = verdict.nextCommand ?? ""
        #expect(next.contains(example.next), "it suggests: \(next)")
        if example.word == .ok { #expect(verdict.nextCommand == nil) }
        if ![.ok, .okSync].contains(example.word) {
            #expect(!verdict.explanation.isEmpty && verdict.nextCommand != nil)
        }
        #expect(!verdict.explanation.isEmpty)
    }

    @Test("each verdict has the exit code of the contract")
    func exitCodes() {
        let expected: [StoreVerdict.Word: Int32] = [
            .ok: 0, .okSync: 0, .okOtherTop: 1, .okHybrid: 1, .truncated: 1, .tornPages: 1,
            .damaged: 1, .notRealm: 65, .empty: 65, .unknownVersion: 65, .tooOld: 65,
            .encrypted: 77, .wrongKey: 77, .notEncrypted: 77,
        ]
        for word in StoreVerdict.Word.allCases { #expect(word.exitCode == expected[word]) }
    }

    @Test("a damaged page costs the rows on it, and they are counted")
    func tornPage() {
        let last = PageLayout.pageCount(Self.sealed.count) - 1
        var words: [StoreVerdict.Word] = []
        for page in 1...last {
            var bytes = Self.sealed
            bytes[PageLayout.position(page) + 77] ^= 1
            for i in 0..<32 { bytes[PageLayout.record(page) + 32 + i] = 9 }
            let verdict = bytes.withUnsafeBytes {
                StoreInspector.inspect(InputBytes(name: "x.realm", copying: $0), key: Self.key)
            }
            words.append(verdict.word)
            #expect([.damaged, .tornPages].contains(verdict.word), "\(verdict.explanation)")
            #expect(verdict.nextCommand != nil)
        }
        #expect(words.contains(.damaged))
    }

    @Test("whatever one byte of the header or the top becomes, the verdict says why")
    func singleBytes() {
        let places = Array(0..<24) + Array(Self.top..<Self.top + 96)
        for at in places {
            for value: UInt8 in [0, 1, 0x40, 0x7F, 0xFF] where Self.good[at] != value {
                let bytes = Self.changed(Self.good, (at, value))
                let verdict = bytes.withUnsafeBytes {
                    StoreInspector.inspect(InputBytes(name: "x.realm", copying: $0), key: nil)
                }
                #expect(!verdict.explanation.isEmpty, "byte \(at) became \(value)")
                if verdict.word == .ok {
                    #expect(verdict.rowsReadable == 720 || verdict.rowsReadable == 0)
                }
            }
        }
    }
}
