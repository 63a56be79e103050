// Strict on output: what never was a card becomes one, and nothing is written that is only
// tolerated when reading.

import Foundation
import Testing

@testable import Formats

@Suite("Strict vCards") struct VCardStrictTests {
    /// Rows of a reader as the lines of cards.
    private func cards(_ reader: any RecordReader, _ context: ExchangeContext) throws -> [String] {
        let batch = RecordBatch(schema: reader.schema)
        let bytes = try PlainCard.written { sink in
            let writer = try VCardContactWriter(sink: sink, context: context)
            while try reader.next(into: batch) { try writer.write(batch) }
        }
        return String(decoding: bytes, as: UTF8.self)
            .replacingOccurrences(of: "\r\n ", with: "").components(separatedBy: "\r\n")
    }

    private func book(_ text: String, _ context: ExchangeContext = ExchangeContext()) throws
        -> [String]
    {
        let document = try CSVDocument(
            input(text), knownHeaders: AddressBook.knownHeaders, context: context)
        let book = try #require(AddressBook(document.names, isAsked: true))
        return try cards(AddressBookReader(document: document, book: book), context)
    }

    @Test func addressBooksBecomeCardsOf3() throws {
        let lines = try book(
            """
            First Name,Last Name,Anniversary,Gender,Spouse,Manager's Name,Birthday,Notes
            Ann,Lee,2/3/2001,Female,Bo,Max,long ago,n
            """)
        #expect(lines.contains("VERSION:3.0"))
        for name in ["ANNIVERSARY", "GENDER", "RELATED", "BDAY"] {
            #expect(!lines.contains { $0.hasPrefix(name) }, "\(name)")
        }
        #expect(lines.contains { $0.hasSuffix("X-ABDATE:2001-02-03") })
        #expect(lines.contains("X-GENDER:F"))
        #expect(lines.contains { $0.hasSuffix("X-ABRELATEDNAMES:Bo") })
        #expect(lines.contains { $0.hasSuffix("X-ABLabel:_$!<Spouse>!$_") })
        #expect(lines.contains { $0.hasSuffix("X-ABRELATEDNAMES:Max") })
        #expect(lines.filter { $0.hasSuffix("X-ABLabel:Manager") }.count == 1)
        #expect(lines.contains("X-BDAY;VALUE=text:long ago"))
        #expect(lines.contains("N:Lee;Ann;;;"))
    }

    /// Both bytes of its characters are ASCII, so that some look like signs of the format.
    @Test func theCharsetISO2022JPCanBeForced() throws {
        var options = ExchangeOptions()
        options.encoding = "iso-2022-jp"
        let context = ExchangeContext(options: options)
        let name = "\u{1B}$B4A;z\u{1B}(B"
        let reader = VCardReader(
            input: input("BEGIN:VCARD\r\nVERSION:3.0\r\nFN:\(name)\r\nEND:VCARD\r\n"),
            context: context)
        let lines = ContentLines()
        #expect(try reader.next(into: lines))
        #expect((0..<lines.count).contains { lines.string(lines[$0].value) == "漢字" })
    }

    @Test func formattedAddressesAreLabels() throws {
        let lines = try book(
            """
            Name,Address 1 - Formatted,Address 1 - City
            A,"Somewhere else",C
            """)
        #expect(lines.contains("ADR:;;;C;;;"))
        #expect(lines.contains("LABEL:Somewhere else"))
    }

    @Test func appsContactsHaveNames() throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("rtool-strict-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let csv = folder.appendingPathComponent("a.csv").path
        let store = folder.appendingPathComponent("a.realm").path
        let card = folder.appendingPathComponent("a.vcf").path
        try "name,phone,isBuddy\nAnn Lee,1,true\n".write(
            toFile: csv, atomically: true, encoding: .utf8)
        var job = Import([csv], into: store, context: ExchangeContext())
        job.map = "mycontacts"
        try job.run()
        try Conversion(from: store, to: card, context: ExchangeContext()).run()
        let text = try String(contentsOfFile: card, encoding: .utf8)
        #expect(text.contains("VERSION:3.0"))
        #expect(text.contains("N:Lee;Ann;;;"))
    }

    @Test func jCardsWithoutVersionAre4() throws {
        let context = ExchangeContext()
        let json = "[\"vcard\",[[\"fn\",{},\"text\",\"A B\"],[\"bday\",{},\"date\",\"--04-12\"]]]"
        let lines = try cards(
            JCardReader(input: input(json, name: "a.json"), context: context), context)
        #expect(lines.contains("VERSION:4.0"))
        #expect(lines.contains("BDAY:--0412"))
        #expect(context.report.items.contains { $0.code == "version-missing" })
    }

    @Test(arguments: ["2.1", "3.0", "4.0"])
    func linesWithoutColonComeBack(_ version: String) throws {
        let broken = "foo; bar, C:\\new".replacingOccurrences(of: ":", with: "")
        let text =
            "BEGIN:VCARD\r\nVERSION:\(version)\r\nN:a;;;;\r\nFN:a\r\n\(broken)\r\nEND:VCARD\r\n"
        let context = ExchangeContext()
        let out = try PlainCard.converted(cardInput(text), context: context)
        let written = String(decoding: out, as: UTF8.self)
        #expect(written.contains("X-BROKEN-LINE:"))
        #expect(!written.contains("\r\nfoo"))
        #expect(context.report.items.contains { $0.code == "line-without-colon" })
        let before = try PlainCard.cards(cardInput(text))
        let after = try PlainCard.cards(input(out, name: "b.vcf"))
        #expect(before.map(\.lines) == after.map(\.lines))
        #expect(after.first?.lines.contains("| " + broken) == true)
        let through = try PlainCard.throughContacts(cardInput(text))
        #expect(try PlainCard.cards(input(through)).map(\.lines) == before.map(\.lines))
    }

    @Test func escapedLineBreaksOf21AreSaid() throws {
        let text =
            "BEGIN:VCARD\r\nVERSION:2.1\r\nN:a\r\nNOTE:C:\\Temp\\new\r\nEND:VCARD\r\n"
        let context = ExchangeContext()
        _ = try PlainCard.converted(cardInput(text), context: context)
        #expect(context.report.items.contains { $0.code == "escaped-line-break" })
        let quiet = ExchangeContext()
        _ = try PlainCard.converted(
            cardInput(text.replacingOccurrences(of: "\\new", with: "\\\\new")), context: quiet)
        #expect(!quiet.report.items.contains { $0.code == "escaped-line-break" })
    }

    @Test func softBreaksCutNoCharacter() throws {
        for count in 60...75 {
            let note =
                String(repeating: "x", count: count % 16) + String(repeating: "é€😀", count: 9)
            let text =
                "BEGIN:VCARD\r\nVERSION:3.0\r\nN:a;;;;\r\nFN:a\r\nNOTE:\(note)\r\nEND:VCARD\r\n"
            let out = try PlainCard.converted(cardInput(text), version: "2.1")
            for line in String(decoding: out, as: UTF8.self).components(separatedBy: "\r\n")
            where line.hasSuffix("=") {
                #expect(line.utf8.count <= 76)
                var bytes: [UInt8] = []
                let value = line.dropLast().split(separator: ":").last ?? ""
                for part in value.split(separator: "=") where part.count >= 2 {
                    if let byte = UInt8(part.prefix(2), radix: 16), byte >= 0x80 {
                        bytes.append(byte)
                    }
                }
                #expect(bytes.withUnsafeBytes { UTF8Check.isValid($0) })
            }
            let again = try PlainCard.cards(input(out))
            #expect(again.first?.lines.contains { $0.hasSuffix(note) } == true)
        }
    }

    @Test func emptyTypesAreNoTypes() throws {
        let text =
            "BEGIN:VCARD\r\nVERSION:3.0\r\nN:a;;;;\r\nFN:a\r\nTEL;TYPE=:7\r\n"
            + "EMAIL;type=;pref:a@b\r\nTEL;CELL=;LANGUAGE=;VALUE=:8\r\nEND:VCARD\r\n"
        let out = String(
            decoding: try PlainCard.converted(cardInput(text), version: "4.0"), as: UTF8.self)
        #expect(out.contains("\r\nTEL:7\r\n"))
        #expect(out.contains("\r\nEMAIL;PREF=1:a@b\r\n"))
        #expect(out.contains("\r\nTEL;TYPE=cell:8\r\n"))
        let batch = RecordBatch(schema: ContactClass.schema)
        let reader = VCardContactReader(input: cardInput(text), context: ExchangeContext())
        #expect(try reader.next(into: batch))
        let contact = try #require(Plain.rows(batch).first)
        #expect(items(contact, "phones") == ["7", "8 [cell]"])
    }
}
