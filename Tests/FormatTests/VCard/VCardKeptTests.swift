// What must come back from other versions, from classes and from the same version as it was.

import Foundation
import Testing

@testable import Formats

@Suite("vCards keep") struct VCardKeptTests {
    private func card(_ version: String, _ lines: String...) -> InputBytes {
        cardInput(
            (["BEGIN:VCARD", "VERSION:" + version] + lines + ["END:VCARD", ""])
                .joined(separator: "\r\n"))
    }

    private func lines(_ bytes: [UInt8]) -> [String] {
        String(decoding: bytes, as: UTF8.self).replacingOccurrences(of: "\r\n ", with: "")
            .components(separatedBy: "\r\n")
    }

    @Test(arguments: RelationTypes.known.sorted() + ["agent", "parent,x-mother", "x-coach"])
    func typesOfRelationsComeBackFrom3(_ type: String) throws {
        let down = try PlainCard.converted(
            card("4.0", "FN:A", "RELATED;TYPE=\(type);VALUE=text:Bob"), version: "3.0")
        let up = try PlainCard.converted(cardInput(down), version: "4.0")
        #expect(lines(up).contains { $0.hasPrefix("RELATED;TYPE=\(type)") && $0.hasSuffix(":Bob") })
        #expect(!lines(up).contains { $0.contains("X-ABLabel") })
    }

    @Test(arguments: [
        "Coach", "coach", "Großmutter (Käthe)", "Trainer\\, good", "母亲", "_$!<Mother>!$_",
        "_$!<Spouse>!$_", "domestic partner", "Co-Worker", "agent", "Other",
    ])
    func labelsOfRelationsComeBackFrom4(_ label: String) throws {
        let up = try PlainCard.converted(
            card(
                "3.0", "N:A;;;;", "FN:A", "item1.X-ABRELATEDNAMES:Bob", "item1.X-ABLabel:" + label),
            version: "4.0")
        for line in lines(up) where line.contains("RELATED") {
            let head = line.split(separator: ":").first ?? ""
            #expect(head.utf8.allSatisfy { $0 < 0x80 }, "\(line)")
        }
        let down = try lines(PlainCard.converted(cardInput(up), version: "3.0"))
        #expect(down.contains { $0.hasSuffix("X-ABRELATEDNAMES:Bob") })
        let expected = label == "Other" ? "_$!<Other>!$_" : label
        #expect(down.contains { $0.hasSuffix(".X-ABLabel:" + expected) }, "\(down)")
    }

    @Test func aLabelThatOthersOfItsGroupNeedStays() throws {
        let up = try PlainCard.converted(
            card(
                "3.0", "N:A;;;;", "FN:A", "item1.X-ABRELATEDNAMES:Bob", "item1.TEL:1",
                "item1.X-ABLabel:_$!<Spouse>!$_"), version: "4.0")
        #expect(lines(up).contains("item1.RELATED;TYPE=spouse;VALUE=text:Bob"))
        #expect(lines(up).contains("item1.TEL:1"))
        #expect(lines(up).contains { $0.hasPrefix("item1.X-ABLabel:") })
    }

    @Test func genderComesBackFrom21() throws {
        var bytes = try PlainCard.converted(card("4.0", "FN:A", "GENDER:O;my own"), version: "2.1")
        bytes = try PlainCard.converted(cardInput(bytes), version: "4.0")
        #expect(lines(bytes).contains("GENDER:O;my own"))
    }

    @Test func labelledDatesWithoutAYearHaveNone() throws {
        let input = card(
            "3.0", "N:A;;;;", "FN:A", "item1.X-ABDATE;X-APPLE-OMIT-YEAR=1604:1604-05-06",
            "item1.X-ABLabel:_$!<Anniversary>!$_")
        let dates = try #require(contacts(input).first?["dates"] as? [[String: Any]])
        #expect(dates.first?["year"] == nil)
        #expect(dates.first?["month"] as? Int == 5)
        #expect(dates.first?["day"] as? Int == 6)
        let again = try PlainCard.throughContacts(input)
        #expect(lines(again).contains("item1.X-ABDATE;X-APPLE-OMIT-YEAR=1604:1604-05-06"))
    }

    @Test(arguments: [
        "IMPP;X-SERVICE-TYPE=Skype:joe", "X-SKYPE;X-SERVICE-TYPE=Skype:joe", "X-SKYPE:joe",
        "IMPP;X-SERVICE-TYPE=ICQ:aim:1", "IMPP:joe",
    ])
    func messengersKeepTheirProperty(_ line: String) throws {
        let again = try PlainCard.throughContacts(card("3.0", "N:A;;;;", "FN:A", line))
        #expect(lines(again).contains(line), "\(lines(again))")
    }

    @Test func misquotedParametersAreReadOnce() throws {
        let input = card(
            "4.0", "FN:A", "ADR;LABEL=\\\"1 Edge\\nTown\\, LA^^\\\":;;1 Edge;Town;LA;;")
        func formatted(_ input: InputBytes) throws -> String? {
            (try contacts(input).first?["addresses"] as? [[String: Any]])?.first?["formatted"]
                as? String
        }
        let before = try formatted(input)
        #expect(before?.contains("Edge\nTown, LA^") == true)
        let once = try PlainCard.converted(input)
        #expect(try formatted(cardInput(once)) == before)
        #expect(try PlainCard.converted(cardInput(once)) == once)
    }

    @Test(arguments: [":novalue", ";x:y", ".:z", ";TYPE=a;b:\u{E9}"])
    func linesWithoutANameAreKeptWhole(_ line: String) throws {
        for version in ["3.0", "4.0"] {
            let context = ExchangeContext()
            let input = card(version, "N:A;;;;", "FN:A", line)
            let out = try PlainCard.converted(input, context: context)
            #expect(!lines(out).contains(line))
            #expect(lines(out).contains { $0.hasPrefix("X-BROKEN-LINE:") })
            #expect(context.report.items.contains { $0.code == "line-without-name" })
            #expect(try PlainCard.cards(cardInput(out))[0].lines.contains("| " + line))
            let through = try PlainCard.throughContacts(input)
            #expect(try PlainCard.cards(cardInput(through))[0].lines.contains("| " + line))
        }
    }
}
