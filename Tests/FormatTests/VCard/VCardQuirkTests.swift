// What exporters write beyond the standards, on the way to another version or into columns.

import Foundation
import Testing

@testable import Formats

@Suite("vCard quirks") struct VCardQuirkTests {
    /// The lines of a card in a version.
    private func lines(_ card: String, _ version: String) throws -> [String] {
        let text =
            "BEGIN:VCARD\r\n" + card.replacingOccurrences(of: "|", with: "\r\n")
            + "\r\nEND:VCARD\r\n"
        let out = try PlainCard.converted(cardInput(text), version: version)
        return String(decoding: out, as: UTF8.self)
            .replacingOccurrences(of: "\r\n ", with: "").components(separatedBy: "\r\n")
    }

    @Test(arguments: [
        // Text in base64.
        (
            "VERSION:2.1|N;CHARSET=UTF-8;ENCODING=BASE64:TcO8bGxlcjtKYW47Ozs=|FN:Jan", "3.0",
            "N:Müller;Jan;;;"
        ),
        ("VERSION:2.1|N:A|NOTE;BASE64:SGFsbG8gV2VsdMO8|FN:A", "3.0", "NOTE:Hallo Weltü"),
        ("VERSION:3.0|N:A;;;;|FN:A|NOTE;ENCODING=b:YSxi", "4.0", "NOTE:a\\,b"),
        // Half of a character of two bytes is no separator.
        (
            "VERSION:2.1|N:A|ORG;CHARSET=ISO-2022-JP;ENCODING=QUOTED-PRINTABLE:"
                + "=1B=24=42=3B=33=45=44=1B=28=42;=1B=24=42=42=40=4F=3A=1B=28=42|FN:A",
            "3.0", "ORG:山田;太郎"
        ),
        (
            "VERSION:2.1|N;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:A=3BB;C|FN:A", "3.0",
            "N:A\\;B;C"
        ),
        // Accounts of messengers.
        ("VERSION:3.0|N:A;;;;|FN:A|IMPP;TYPE=SKYPE:sky", "4.0", "IMPP:skype:sky"),
        (
            "VERSION:3.0|N:A;;;;|FN:A|IMPP;TYPE=qq,home:12", "4.0",
            "IMPP;SERVICE-TYPE=qq;TYPE=home:x-apple:12"
        ),
        ("VERSION:3.0|N:A;;;;|FN:A|IMPP:xmpp:a@b.test", "4.0", "IMPP:xmpp:a@b.test"),
        // Relations as Outlook writes them.
        ("VERSION:2.1|N:A|X-MS-CHILD;N:Kid", "4.0", "RELATED;TYPE=child;VALUE=text:Kid"),
        ("VERSION:2.1|N:A|X-MS-SPOUSE;N:Eva", "4.0", "RELATED;TYPE=spouse;VALUE=text:Eva"),
        // Companies have no given name.
        ("VERSION:4.0|FN:Acme Inc.|ORG:Acme Inc.", "2.1", "N:Acme Inc.;;;;"),
        ("VERSION:4.0|FN:Acme Inc.|KIND:org", "3.0", "N:Acme Inc.;;;;"),
        ("VERSION:3.0|FN:Acme Inc.|X-ABShowAs:COMPANY", "2.1", "N:Acme Inc.;;;;"),
        ("VERSION:4.0|FN:Ann Lee|ORG:Acme Inc.", "3.0", "N:Lee;Ann;;;"),
        // Space around dates.
        ("VERSION:4.0|FN:A|N:A;;;;|BDAY:19800102 ", "3.0", "BDAY:1980-01-02"),
        ("VERSION:3.0|FN:A|N:A;;;;|BDAY:1980-01-02 ", "4.0", "BDAY:19800102"),
        // Data in 2.1.
        (
            "VERSION:3.0|N:A;;;;|FN:A|PHOTO;VALUE=uri:data:image/jpeg;base64,AAAA", "2.1",
            "PHOTO;ENCODING=BASE64;JPEG:AAAA"
        ),
        (
            "VERSION:3.0|N:A;;;;|FN:A|PHOTO;ENCODING=b;TYPE=image/png:AAAA", "2.1",
            "PHOTO;ENCODING=BASE64;PNG:AAAA"
        ),
    ])
    func quirksBecomeWhatTheyMean(_ card: String, _ version: String, _ line: String) throws {
        let lines = try lines(card, version)
        #expect(lines.contains(line), "\(lines)")
    }

    @Test(arguments: ["3.0", "4.0"])
    func anEmptyDateIsLeftOut(_ version: String) throws {
        let from = version == "3.0" ? "4.0" : "3.0"
        let lines = try lines("VERSION:\(from)|FN:A|N:A;;;;|BDAY:", version)
        #expect(!lines.contains { $0.contains("BDAY") })
    }

    @Test func whatIsNoTextStaysBase64() throws {
        // Two bytes that are no UTF-8, and a length that base64 does not have.
        for value in ["gICAgA==", "hello"] {
            let lines = try lines("VERSION:3.0|N:A;;;;|FN:A|NOTE;ENCODING=b:\(value)", "4.0")
            #expect(lines.contains { $0.hasPrefix("NOTE;ENCODING=b") })
        }
    }

    @Test func aTypeCanNameTheService() throws {
        let card =
            "BEGIN:VCARD\r\nVERSION:3.0\r\nN:A;;;;\r\nFN:A\r\nIMPP;TYPE=SKYPE:sky\r\nEND:VCARD\r\n"
        let contact = try #require(contacts(cardInput(card)).first)
        #expect(component(contact, "services", "service") == "skype")
        #expect(component(contact, "services", "user") == "sky")
        let back = String(decoding: try PlainCard.throughContacts(cardInput(card)), as: UTF8.self)
        #expect(back.contains("\r\nIMPP;TYPE=SKYPE:sky\r\n"))
    }

    /// Data of two types is read and written in one order, by whatever name its encoding goes.
    @Test(arguments: ["ENCODING=b;TYPE=JP;TYPE=OTHER", "TYPE=JP;ENCODING=bogus;TYPE=OTHER"])
    func theFirstTypeOfDataStaysTheFirst(_ parameters: String) throws {
        let card =
            "BEGIN:VCARD\r\nVERSION:3.0\r\nN:A;;;;\r\nFN:A\r\nPHOTO;\(parameters):"
            + "RCNDVERICAgQDAgICAgUEBAM=\r\nEND:VCARD\r\n"
        let once = try PlainCard.throughContacts(cardInput(card))
        let text = String(decoding: once, as: UTF8.self)
        #expect(
            text.contains("ENCODING=b;TYPE=JP;TYPE=OTHER:")
                || text.contains("TYPE=JP;TYPE=OTHER;ENCODING=b:"))
        #expect(try PlainCard.throughContacts(cardInput(once)) == once)
    }
}
