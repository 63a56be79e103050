// Texts of a record in an arena, and numbers for texts that come again: each against the obvious way
// to do the same with strings.

import Testing

@testable import Formats

@Suite("Texts of a record") struct TextArenaTests {
    private func withArena<T>(_ body: (TextArena) throws -> T) rethrows -> T {
        let arena = TextArena()
        defer { arena.storage.destroy() }
        return try body(arena)
    }

    @Test(arguments: ["", "a", "a\u{0}b", "\u{0}\u{0}a\u{0}", "é\u{0}\u{301}", "\u{0}"])
    func piecesAreThoseOfASplit(_ text: String) {
        withArena { arena in
            var rest = arena.add(text)
            var pieces: [String] = []
            while let piece = arena.nextPiece(&rest, 0) { pieces.append(arena.string(piece)) }
            #expect(pieces == text.split(separator: "\u{0}").map(String.init))
        }
    }

    @Test(arguments: [0, 7, 10, 99, 100, 1980, 12345, -5, .max, .min])
    func numbersHaveAtLeastSoManyDigits(_ value: Int) {
        for width in [1, 2, 4] {
            withArena { arena in
                arena.append(value, width: width)
                let digits = String(value)
                let zeros = String(repeating: "0", count: max(0, width - digits.count))
                #expect(arena.string(arena.since(0)) == zeros + digits)
            }
        }
    }

    @Test(arguments: [
        ("a", "a"), ("a", "b"), ("é", "e\u{301}"), ("K", "\u{212A}"), ("", ""), ("", "a"),
        ("a longer text", "a longer text"), ("a longer text", "a longer tent"),
    ])
    func textsAreTheSameWhenStringsAre(_ a: String, _ b: String) {
        withArena { arena in
            let x = arena.add(a)
            let y = arena.add(b)
            #expect(arena.isSame(x, y) == (a == b))
        }
    }

    @Test func illFormedTextIsRepaired() {
        withArena { arena in
            let bytes: [UInt8] = [0x61, 0xC3, 0x62]
            let text = bytes.withUnsafeBytes { arena.add($0, isKnown: false) }
            #expect(arena.string(text) == "a\u{FFFD}b")
            let start = arena.end
            for byte in bytes { arena.storage.append(byte) }
            #expect(arena.string(arena.repaired(since: start)) == "a\u{FFFD}b")
        }
    }

    @Test func joinsPutNothingAroundEmptyTexts() {
        withArena { arena in
            let texts = ["", "a", "", "b", ""].map { arena.add($0 as String) }
            let start = arena.end
            for text in texts { arena.join(text, since: start, ", ") }
            #expect(arena.string(arena.since(start)) == "a, b")
        }
    }

    @Test func equalBytesHaveAnEqualNumber() {
        let numbers = ByteNumbers()
        var known: [String: Int] = [:]
        var generator = SeededGenerator(11)
        for _ in 0..<2 {
            for _ in 0..<20_000 {
                let length = Int.random(in: 0...20, using: &generator)
                var text = String((0..<length).map { _ in ["a", "b"].randomElement() ?? "a" })
                let number = text.withUTF8 { numbers.number(UnsafeRawBufferPointer($0)) }
                #expect(number == known[text] ?? known.count)
                known[text] = number
            }
            #expect(numbers.count == known.count)
            numbers.removeAll()
            known = [:]
        }
    }
}

@Suite("Full notes") struct FullNoteTests {
    @Test func aFullNoteIsCountedWithoutExamples() {
        let report = Report()
        for i in 0..<Report.limit {
            report.note(.lost, "code", record: i, property: "p", value: "v")
            #expect(report.fullPlace(.lost, "code", property: "p") == nil)
        }
        report.note(.lost, "code", record: Report.limit, property: "p", value: "v")
        let place = report.fullPlace(.lost, "code", property: "p")
        #expect(place == 0)
        if let place { report.count(3, at: place) }
        #expect(report.items.first?.count == Report.limit + 4)
        #expect(report.items.first?.others.count == Report.limit)
        #expect(report.fullPlace(.changed, "code", property: "p") == nil)
    }

    @Test func contactsWithLabelsOfTheirOwnAreToldApart() throws {
        // More kinds than are kept from contact to contact.
        let cards = (0..<5000).map { i in
            "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:N\(i)\r\nN:N\(i);;;;\r\nitem1.TEL:\(i)\r\n"
                + "item1.X-ABLabel:L\(i)\r\nX-LINE\(i):x\r\nEND:VCARD\r\n"
        }
        let context = ExchangeContext()
        let reader = VCardContactReader(input: cardInput(cards.joined()), context: context)
        let batch = RecordBatch(schema: reader.schema)
        let bytes = try PlainCard.written { sink in
            let writer = try AddressBookWriter(
                sink: sink, profile: AddressBookProfile("google"), context: context)
            while try reader.next(into: batch) { try writer.write(batch) }
        }
        let rows = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n")
        #expect(rows.count == 5001)
        for i in [0, 1, 4095, 4096, 4097, 4999] {
            #expect(rows[i + 1].contains(",L\(i),\(i),"))
        }
        let lost = context.report.items.filter { $0.code == "no-column" }
        #expect(lost.reduce(0) { $0 + $1.count } == 5000)
        #expect(lost.last?.property == "extras")
        #expect(lost.last?.count == 4900)
    }
}
