// What a person or an app puts into the fields of a stored card is written as the card's version has
// it; the lines that the card had itself stay as they were.

import Foundation
import Testing

@testable import Formats

@Suite("Edited fields of cards") struct VCardFieldEditTests {
    private func text(_ lines: [String], _ version: String) -> String {
        (["BEGIN:VCARD", "VERSION:" + version] + lines + ["END:VCARD", ""])
            .joined(separator: "\r\n")
    }

    /// The lines of a card whose contact, as an object, was edited.
    private func edited(
        _ lines: [String], version: String = "3.0", _ edit: (inout [String: Any]) -> Void
    ) throws -> (lines: [String], report: Report) {
        let json = try JSONTextToTextTests.convert(text(lines, version), "vcf", "json").text
        var all = try #require(
            try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [[String: Any]])
        edit(&all[0])
        let data = try JSONSerialization.data(withJSONObject: all)
        let made = try JSONTextToTextTests.convert(
            String(decoding: data, as: UTF8.self), "json", "vcf")
        let found = made.text.replacingOccurrences(of: "\r\n ", with: "")
            .components(separatedBy: "\r\n")
        return (found.filter { !$0.isEmpty }, made.report)
    }

    private func set(_ list: String, _ changes: [String: Any], _ i: Int = 0)
        -> (inout [String: Any]) -> Void
    {
        { contact in
            var items = contact[list] as? [[String: Any]] ?? []
            for (name, value) in changes { items[i][name] = value }
            contact[list] = items
        }
    }

    private func add(_ list: String, _ item: [String: Any]) -> (inout [String: Any]) -> Void {
        { contact in
            contact[list] = (contact[list] as? [[String: Any]] ?? []) + [item]
        }
    }

    private static let head = ["UID:u1", "FN:A B", "N:B;A;;;"]

    @Test(arguments: ["3.0", "2.1", "4.0"])
    func whatACardHasOfAnotherVersionStays(_ version: String) throws {
        let lines =
            Self.head + [
                "GENDER:F", "ANNIVERSARY:2001-02-03", "DEATHDATE:2001", "MEMBER:urn:uuid:1",
                "LANG:de", "KIND:org", "item1.X-ABLabel:of nothing", "item2.X-ABADR:de",
                version == "2.1" ? "RELATED:Jane" : "RELATED;VALUE=text:Jane",
                "ADR;LABEL=Text:;;S;;;;", "EMAIL;PREF=5:a@x", "EMAIL;PREF=1:b@x",
            ]
        let again = try edited(lines, version: version) { _ in }
        let frame = ["BEGIN:VCARD", "VERSION:" + version, "END:VCARD"]
        #expect(again.lines.sorted() == (frame + lines).sorted())
        #expect(!again.report.hasLoss)
    }

    @Test func fieldsOfFourAreWrittenAsThreeHasThem() throws {
        let made = try edited(Self.head) {
            for edit in [
                add("dates", ["kind": "anniversary", "year": 2001, "month": 2, "day": 3]),
                add("dates", ["kind": "death", "year": 2001]),
                add("relations", ["value": "Typed", "types": ["spouse"]]),
                add("members", ["value": "urn:uuid:1"]),
            ] { edit(&$0) }
            $0["gender"] = ["sex": "F"]
            $0["kind"] = "group"
        }
        let plain = made.lines.map { $0.replacing(/^item\d+\./, with: "") }
        for line in [
            "X-ABDATE:2001-02-03", "X-ABLabel:_$!<Anniversary>!$_", "X-DEATHDATE:2001",
            "X-GENDER:F", "X-ADDRESSBOOKSERVER-MEMBER:urn:uuid:1",
            "X-ADDRESSBOOKSERVER-KIND:group", "X-ABRELATEDNAMES:Typed",
            "X-ABLabel:_$!<Spouse>!$_",
        ] {
            #expect(plain.contains(line), "\(line) in \(made.lines)")
        }
        let four = try edited(Self.head, version: "4.0") {
            add("members", ["value": "urn:uuid:1"])(&$0)
        }
        #expect(four.lines.contains("MEMBER:urn:uuid:1"))
    }

    @Test func theBestOfRanksIsPreferred() throws {
        let made = try edited(Self.head + ["EMAIL:a@x", "EMAIL:b@x"]) {
            set("emails", ["preference": 5])(&$0)
            set("emails", ["preference": 9], 1)(&$0)
        }
        #expect(made.lines.contains("EMAIL;TYPE=PREF:a@x") && made.lines.contains("EMAIL:b@x"))
        #expect(made.report.items.contains { $0.code == "pref-order" && $0.kind == .lost })
    }

    @Test func theTextOfAnAddressHasALineOfItsOwn() throws {
        let card = Self.head + ["ADR;TYPE=HOME,PREF:;;S;;;;", "LABEL;TYPE=HOME:Old"]
        let made = try edited(card, set("addresses", ["formatted": "New, text"]))
        #expect(made.lines.contains("ADR;TYPE=HOME,PREF:;;S;;;;"), "\(made.lines)")
        #expect(made.lines.contains { $0.hasPrefix("LABEL;") && $0.hasSuffix(":New\\, text") })
        #expect(!made.lines.contains { $0.contains("Old") })
        #expect(made.report.items.contains { $0.code == "label-replaced" })
    }

    private static let apple =
        head + [
            "item1.ADR;type=HOME:;;S;;;;", "item1.X-ABADR:de", "item1.X-ABLabel:Cabin",
            "item2.TEL:1", "item2.X-ABLabel:_$!<Mobile>!$_",
        ]

    @Test func theCountryOfAnAddressIsThatOfItsGroup() throws {
        let found = try contacts(cardInput(text(Self.apple, "3.0")))
        let addresses = try #require(found.first?["addresses"] as? [[String: Any]])
        #expect(addresses.first?["countryCode"] as? String == "de")
        #expect(try edited(Self.apple) { _ in }.lines.contains("item1.X-ABADR:de"))
        let made = try edited(Self.apple, set("addresses", ["countryCode": "fr"])).lines
        #expect(made.contains("item1.X-ABADR:fr") && !made.contains { $0.contains("CC=") })
        let none = try edited(Self.apple, set("addresses", ["countryCode": NSNull()])).lines
        #expect(!none.contains { $0.contains("X-ABADR") })
    }

    @Test func anEditedLabelWinsOverThoseOfKeptLines() throws {
        let made = try edited(Self.apple, set("addresses", ["label": "Hut"])).lines
        #expect(made.contains("item1.X-ABLabel:Hut") && !made.contains { $0.contains("Cabin") })
        let none = try edited(Self.apple, set("addresses", ["label": NSNull()])).lines
        #expect(!none.contains { $0.hasPrefix("item1.X-ABLabel") })
    }

    @Test func aLabelGoesWithItsItem() throws {
        let made = try edited(Self.apple, set("phones", ["group": "item9"])).lines
        #expect(made.contains("item9.TEL:1"))
        #expect(made.contains("item9.X-ABLabel:_$!<Mobile>!$_"))
        #expect(!made.contains { $0.hasPrefix("item2.") })
        let none = try edited(Self.apple) { $0["phones"] = [[String: Any]]() }.lines
        #expect(!none.contains { $0.hasPrefix("item2.") })
    }

    @Test func aNumberWithBlanksKeepsItsExtension() throws {
        let card = Self.head + ["TEL;VALUE=uri:tel:+1;ext=5"]
        let made = try edited(card, set("phones", ["value": "+1 777"]))
        #expect(made.lines.contains("TEL;VALUE=uri:tel:+1-777;ext=5"), "\(made.lines)")
        #expect(made.report.items.contains { $0.code == "number-spelling" })
    }

    @Test(arguments: [
        ("3.0", "PHOTO;ENCODING=b;TYPE=PNG:iVBORw0KGgo=", "PHOTO;ENCODING=b;TYPE=JPEG:/9j/4AAQ"),
        (
            "4.0", "PHOTO:data:image/png;base64,iVBORw0KGgo=",
            "PHOTO:data:image/jpeg;base64,/9j/4AAQ"
        ),
    ])
    func otherPicturesAreOfTheirOwnType(_ version: String, _ line: String, _ expected: String)
        throws
    {
        let made = try edited(
            Self.head + [line], version: version,
            set("photos", ["data": ["$binary": ["base64": "/9j/4AAQ", "subType": "00"]]]))
        #expect(made.lines.contains(expected), "\(made.lines)")
    }

    @Test func twoNamesAreAChoice() throws {
        let made = try edited(Self.head, set("formattedNames", ["value": "Other"]))
        #expect(made.lines.contains("FN:A B"))
        #expect(made.report.items.contains { $0.code == "name-choice" && $0.value == "Other" })
    }

    @Test(arguments: ["3.0", "4.0"])
    func controlCharactersAreLeftOut(_ version: String) throws {
        let card = text(
            Self.head + ["NOTE:a\u{1}b\u{0B}c\td\u{7F}", "X-O\u{2}K:\u{0}v", "X-P;Q=r\u{3}s:t"],
            version)
        let made = try JSONTextToTextTests.convert(card, "vcf", "vcf")
        #expect(made.text.contains("NOTE:ab c\td\r\n"), "\(made.text)")
        #expect(made.text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || [9, 10, 13].contains($0) })
        #expect(
            made.report.items.contains {
                $0.code == "control-character" && $0.property == "NOTE" && $0.count == 3
            })
    }

    @Test func quotedPrintableHasControlCharacters() throws {
        let card = text(["N:B;A", "NOTE;ENCODING=QUOTED-PRINTABLE:a=01b"], "2.1")
        let made = try JSONTextToTextTests.convert(card, "vcf", "vcf")
        #expect(made.text.contains("NOTE;ENCODING=QUOTED-PRINTABLE:a=01b"), "\(made.text)")
        #expect(made.report.items.isEmpty)
    }
}
