// Cards and lines that run into each other in files that were put together or broken by hand.

import Testing

@testable import Formats

@Suite("vCards run together") struct VCardJoinedTests {
    private func contacts(_ text: String, _ context: ExchangeContext = ExchangeContext()) throws
        -> [[String: Any]]
    {
        let reader = VCardContactReader(input: cardInput(text), context: context)
        let batch = RecordBatch(schema: reader.schema)
        var result: [[String: Any]] = []
        while try reader.next(into: batch) { result += Plain.rows(batch) }
        return result
    }

    @Test(arguments: ["", " ", "\u{FEFF}"])
    func cardsJoinedOnOneLineAreTwo(_ between: String) throws {
        let context = ExchangeContext()
        let text =
            "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Ann\r\nEND:VCARD\(between)BEGIN:VCARD\r\n"
            + "VERSION:3.0\r\nFN:Bob\r\nEND:VCARD\(between)begin:vcard\r\nVERSION:3.0\r\n"
            + "FN:Cem\r\nEND:VCARD\r\n"
        let names = try contacts(text, context).compactMap { $0["formattedName"] as? String }
        #expect(names == ["Ann", "Bob", "Cem"])
        #expect(context.report.items.contains { $0.code == "cards-joined" && $0.count == 2 })
    }

    @Test func aNoteThatSpeaksOfCardsStaysANote() throws {
        let text =
            "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Ann\r\nNOTE:END:VCARDBEGIN:VCARD\r\nTEL:1\r\nEND:VCARD\r\n"
        let all = try contacts(text)
        #expect(all.count == 1)
        #expect(items(all[0], "notes") == ["END:VCARDBEGIN:VCARD"])
        #expect(items(all[0], "phones") == ["1"])
    }

    /// What follows a soft break, and the note and phones that are read.
    @Test(arguments: [
        // Behind an empty line a property of cards is one.
        ("one=0D=0A=\r\n\r\nTEL:1", "one\n", ["1"]),
        ("one=\r\n\r\nTEL;CELL:1", "one", ["1"]),
        ("one=0D=0A=\r\n\r\nX-JABBER:a@b.test\r\nTEL:1", "one\n", ["1"]),
        // What is none is text.
        ("one=0D=0A=\r\n\r\ntel: none\r\nTEL:1", "one\ntel: none", ["1"]),
        ("one=0D=0A=\r\n\r\nCall: me\r\nTEL:1", "one\nCall: me", ["1"]),
        ("one=0D=0A=\r\ntwo\r\nTEL:1", "one\ntwo", ["1"]),
        // Without an empty line the text goes on, whatever it looks like.
        ("one=0D=0A=\r\nTEL:2\r\nTEL:1", "one\nTEL:2", ["1"]),
        // White space behind the mark.
        ("one =  \r\ntwo\r\nTEL:1", "one two", ["1"]),
        ("one=20=\t\r\ntwo=\t \r\nthree\r\nTEL:1", "one twothree", ["1"]),
    ])
    func softBreaks(_ lines: String, _ note: String, _ phones: [String]) throws {
        let text =
            "BEGIN:VCARD\r\nVERSION:2.1\r\nN:A\r\nFN:A\r\nNOTE;ENCODING=QUOTED-PRINTABLE:\(lines)\r\n"
            + "END:VCARD\r\n"
        let one = try #require(try contacts(text).first)
        let notes = (one["notes"] as? [[String: Any]] ?? []).compactMap { $0["value"] as? String }
        #expect(notes == [note])
        #expect(items(one, "phones").map { String($0.prefix(1)) } == phones)
    }

    /// An AGENT whose card begins on its line, also one in another.
    @Test func agentsBegunOnTheirLine() throws {
        let inner = "BEGIN:VCARD\r\nVERSION:2.1\r\nN:Help;Al\r\nTEL:2\r\nEND:VCARD\r\n"
        let context = ExchangeContext()
        let all = try contacts(
            "BEGIN:VCARD\r\nVERSION:2.1\r\nN:Boss;Big\r\nFN:Big Boss\r\nAGENT:\(inner)TEL:1\r\n"
                + "AGENT:BEGIN:VCARD\r\nN:Two\r\nAGENT:\(inner)END:VCARD\r\nEMAIL:a@b.test\r\n"
                + "END:VCARD\r\n\(inner)", context)
        #expect(all.count == 2)
        #expect(items(all[0], "phones") == ["1"])
        #expect(items(all[0], "emails") == ["a@b.test"])
        let agents = items(all[0], "agents")
        #expect(agents.count == 2)
        #expect(agents.first == String(inner.replacing("\r\n", with: "\n").dropLast()))
        #expect(agents.last?.contains("AGENT:BEGIN:VCARD\nVERSION:2.1\nN:Help;Al") == true)
        #expect(context.report.items.isEmpty)
    }

    @Test func textBeyondASCIIUnderItsNameIsUTF8() throws {
        let all = try contacts(
            "BEGIN:VCARD\r\nVERSION:2.1\r\nN:A\r\nFN;CHARSET=US-ASCII:Müller\r\n"
                + "NOTE;CHARSET=ascii;ENCODING=QUOTED-PRINTABLE:=C3=BC\r\nEND:VCARD\r\n")
        #expect(all[0]["formattedName"] as? String == "Müller")
        #expect(items(all[0], "notes") == ["ü"])
    }
}
