// What fuzzing found in cards, as the smallest inputs that show it.

import Foundation
import Testing

@testable import Formats

@Suite("cards that fuzzing found") struct VCardFuzzFindingTests {
    private func converted(_ lines: String..., version: String? = nil) throws -> String {
        let out = try PlainCard.converted(
            input(lines.joined(separator: "\r\n")), version: version)
        return String(decoding: out, as: UTF8.self)
    }

    @Test func aLongNameIsNoEndOfTheCard() throws {
        let name = String(repeating: "-", count: 16) + "END"
        let out = try converted(
            "BEGIN:VCARD", "VERSION:3.0", "\(name):VCARD", "FN:Ann", "N:;Ann;;;", "END:VCARD")
        #expect(out.contains("\r\n\(name):VCARD\r\nFN:Ann\r\n"))
    }

    @Test func aLongNameIsNoCharset() throws {
        let name = "CH" + String(repeating: "X", count: 16) + "ARSET"
        let out = try converted(
            "BEGIN:VCARD", "VERSION:3.0", "FN:Ann", "NOTE;\(name)=ISO-8859-1:Zo\u{EB}", "END:VCARD")
        #expect(out.contains("NOTE;\(name)=ISO-8859-1:Zo\u{EB}\r\n"))
    }

    @Test func aSecondLabelOfAGroupIsKept() throws {
        let card =
            "BEGIN:VCARD\r\nVERSION:3.0\r\nN:A;;;;\r\nFN:A\r\nitem1.EMAIL:a@b\r\n"
            + "item1.X-ABLabel:one\r\nitem1.X-ABLabel:two\r\nEND:VCARD\r\n"
        let again = try PlainCard.throughContacts(input(card))
        #expect(String(decoding: again, as: UTF8.self) == card)
    }

    @Test(arguments: ["F.", "F.;A=b", ".", "a.b.c", "g.F."]) func dotsLoseNoLine(_ head: String)
        throws
    {
        let card = "BEGIN:VCARD\r\nVERSION:4.0\r\nFN:Ann\r\n\(head):x\r\nEND:VCARD\r\n"
        for once in [
            try PlainCard.converted(input(card)), try PlainCard.throughContacts(input(card)),
        ] {
            let text = String(decoding: once, as: UTF8.self)
            #expect(text.contains(":x\r\n"), "\(text)")
            #expect(try PlainCard.converted(cardInput(once)) == once)
            #expect(try PlainCard.throughContacts(cardInput(once)) == once)
        }
    }

    @Test(arguments: ["3.0", "4.0"])
    func bareWordsBecomeParametersWithoutControlCharacters(_ version: String) throws {
        let out = try converted(
            "BEGIN:VCARD", "VERSION:2.1", "N:A;B", "TEL;X\u{1}Y:1", "END:VCARD", version: version)
        #expect(!out.contains("\u{1}"))
        #expect(out.uppercased().contains("TEL;TYPE=X Y:1\r\n"))
    }

    @Test func theNamesOfParametersAreTextToo() throws {
        let bytes =
            Array("BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Ann\r\nTEL;V".utf8) + [0x80]
            + Array("=:1\r\nTEL;W".utf8) + [0x80] + Array("=a:2\r\nEND:VCARD\r\n".utf8)
        let out = try PlainCard.converted(cardInput(bytes))
        #expect(String(validating: out, as: UTF8.self) != nil)
        #expect(try PlainCard.converted(cardInput(out)) == out)
    }

    @Test(arguments: ["UID", "KIND", "PRODID"])
    func repeatedLinesOfAScalarAreKept(_ name: String) throws {
        let card = [
            "BEGIN:VCARD", "VERSION:4.0", "\(name):one", "\(name):two", "\(name):three", "FN:Ann",
            "END:VCARD", "",
        ].joined(separator: "\r\n")
        let out = try PlainCard.throughContacts(input(card))
        #expect(String(decoding: out, as: UTF8.self) == card)
    }

    @Test func aVersionThatDoesNotExistIsKept() throws {
        let card = "BEGIN:VCARD\r\nVERSION:5.0\r\nFN:Ann\r\nEND:VCARD\r\n"
        let out = try PlainCard.throughContacts(input(card))
        #expect(String(decoding: out, as: UTF8.self) == card)
    }

    @Test func aCardInsideACardIsAnAgentIn30() throws {
        let out = try converted(
            "BEGIN:VCARD", "VERSION:4.0", "FN:Ann", "BEGIN:VCARD", "VERSION:4.0", "FN:Bob",
            "END:VCARD", "END:VCARD", version: "3.0")
        #expect(out.contains("\r\nAGENT:BEGIN:VCARD\\n"), "\(out)")
        #expect(try PlainCard.converted(cardInput(out), version: "3.0") == Array(out.utf8))
    }

    @Test(arguments: [
        "BEGIN:VCARD\\nFN:Bob\\nEND:VCARD\\n", "BEGIN:VCARD\\nFN:Bob",
        "BEGIN:VCARD\\nEND:VCARD\\nEND:VCARD\\nX:1", "BEGIN:VCARD\\nEND:VCARD\\nX:1",
    ])
    func anAgentTakesNotTheEndOfItsCard(_ agent: String) throws {
        let card =
            "BEGIN:VCARD\r\nVERSION:3.0\r\nAGENT:\(agent)\r\nFN:Ann\r\nN:Ann;;;;\r\nEND:VCARD\r\n"
        let once = try PlainCard.converted(input(card), version: "2.1")
        let rows = try contacts(cardInput(once))
        #expect(rows.map { $0["formattedName"] as? String } == ["Ann"])
        #expect((rows[0]["agents"] as? [Any])?.count == 1)
        #expect(try PlainCard.converted(cardInput(once), version: "2.1") == once)
    }

    @Test func caretsMeanNothingIn21() throws {
        let card = "BEGIN:VCARD\r\nVERSION:2.1\r\nN:A;B\r\nTEL;TYPE=a^'b:1\r\nEND:VCARD\r\n"
        let once = try PlainCard.throughContacts(input(card))
        #expect(String(decoding: once, as: UTF8.self).lowercased().contains("a^'b"))
        #expect(try PlainCard.throughContacts(cardInput(once)) == once)
    }

    @Test func whatIsCalledBase64IsNotCutInsideACharacter() throws {
        let out = try PlainCard.converted(
            input("BEGIN:VCARD\r\nVERSION:3.0\r\nPHOTO;ENCODING=b:QQ\u{EB}\r\nEND:VCARD\r\n"))
        #expect(String(decoding: out, as: UTF8.self).contains("QQ\u{EB}\r\n"))
    }

    /// Texts that hold what looks like the first or last line of a card, at every column.
    @Test(arguments: ["BEGIN:VCARD", "END:VCARD", "begin:vcard", "End:Vcalendar", "=", "x=", "=="])
    func softBreaksMakeNoFirstOrLastLine(_ words: String) throws {
        for length in 0...80 {
            let note = "\u{EB}" + String(repeating: "x", count: length) + words
            let nested =
                "AGENT:\r\nBEGIN:VCARD\r\nVERSION:2.1\r\nN:B\r\nNOTE;"
                + "ENCODING=QUOTED-PRINTABLE:\(words == "=" ? "=3D" : "x")\r\nEND:VCARD\r\n"
            let card = "BEGIN:VCARD\r\nVERSION:2.1\r\nNOTE:\(note)\r\n\(nested)N:A\r\nEND:VCARD\r\n"
            let once = try PlainCard.converted(input(card))
            let rows = try contacts(cardInput(once))
            #expect(rows.count == 1, "\(length)")
            #expect(
                (rows[0]["notes"] as? [[String: Any]])?.map { $0["value"] as? String } == [note])
            #expect(try PlainCard.converted(cardInput(once)) == once)
        }
    }

    @Test(arguments: ["QUOTED-PRINTAB,LE", "WORK,VOICE", "WORK,PREF", ",WORK,", ","])
    func commasInBareWordsPartThem(_ word: String) throws {
        let card = "BEGIN:VCARD\r\nVERSION:2.1\r\nN:A;B\r\nTEL;\(word):1\r\nEND:VCARD\r\n"
        let types = word.lowercased().split(separator: ",").map(String.init).filter { $0 != "pref" }
        for version in [nil, "2.1", "3.0", "4.0"] as [String?] {
            let once = try PlainCard.converted(input(card), version: version)
            let phone = try #require(
                (contacts(cardInput(once))[0]["phones"] as? [[String: Any]])?.first)
            #expect(phone["types"] as? [String] ?? [] == types, "\(version ?? "own")")
            #expect((phone["preference"] != nil) == word.contains("PREF"))
            #expect(try PlainCard.converted(cardInput(once), version: version) == once)
        }
        let through = try PlainCard.throughContacts(input(card))
        #expect(try PlainCard.throughContacts(cardInput(through)) == through)
    }

    /// Words that a bare word cannot say stay values of TYPE.
    @Test(arguments: [
        " OICE", "A\u{16}B", "\u{16}OICE", "URL", "INLINE", "CID", "BASE64", "B", "8BIT",
        "QUOTED-PRINTABLE", "QUOTED-PRINTAB", "a:b", "a;b", "HOME FAX",
    ])
    func typesOf21SayTheSameTwice(_ word: String) throws {
        let card =
            "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:A\r\nN:A;B;;;\r\nTEL;TYPE=\"\(word)\":QQ==\r\n"
            + "END:VCARD\r\n"
        let once = try PlainCard.converted(input(card), version: "2.1")
        let rows = try contacts(cardInput(once))
        let phone = try #require((rows[0]["phones"] as? [[String: Any]])?.first)
        let written = word.map { $0 < " " || $0 == ":" || $0 == ";" ? " " : $0 }
        #expect(phone["types"] as? [String] == [String(written).lowercased()])
        #expect(try PlainCard.converted(cardInput(once), version: "2.1") == once)
        let through = try PlainCard.throughContacts(cardInput(once))
        #expect(through == once)
    }

    @Test func whatWasDecodedIsNotDecodedTwice() throws {
        let card = "BEGIN:VCARD\r\nVERSION:2.1\r\nN:A\r\nNOTE;ENCODING=Q:a=3D41\r\nEND:VCARD\r\n"
        let once = try PlainCard.converted(input(card))
        #expect(String(decoding: once, as: UTF8.self).contains("\r\nNOTE:a=41\r\n"))
    }

    /// Types that are no plain words stay apart, and whole.
    @Test(arguments: [
        ("TYPE=a/b,WORK", ["a/b", "work"]), ("TYPE=M\u{E4}x,WORK", ["m\u{E4}x", "work"]),
        ("TYPE=\"a:b\",WORK", ["a:b", "work"]), ("TYPE=\"x\\\",WORK", ["x\\", "work"]),
        ("TYPE=\"HOME,WORK\"", ["home", "work"]), ("TYPE=HOME\\,WORK", ["home", "work"]),
        ("TYPE=\"a+,b\"", ["a+,b"]), ("TYPE=\"a\\\\,+b\"", ["a\\,+b"]),
        ("x\\,+y", ["x,+y"]), ("x\\;=HOME", ["x\\", "home"]),
    ])
    func listsOfTypesArePartedOnce(_ parameter: String, _ types: [String]) throws {
        let card =
            "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:A\r\nN:A;B;;;\r\nTEL;\(parameter):1\r\nEND:VCARD\r\n"
        for version in [nil, "2.1", "3.0", "4.0"] as [String?] {
            let once = try PlainCard.converted(input(card), version: version)
            let phone = try #require(
                (contacts(cardInput(once))[0]["phones"] as? [[String: Any]])?.first)
            let written =
                version == "2.1" ? types.map { $0.replacingOccurrences(of: ":", with: " ") } : types
            #expect(phone["types"] as? [String] == written, "\(version ?? "own")")
            #expect(try PlainCard.converted(cardInput(once), version: version) == once)
            let through = try PlainCard.throughContacts(cardInput(once))
            #expect(try PlainCard.throughContacts(cardInput(through)) == through)
        }
    }
}
