// Groups inside groups, members named by an address, and relations that lead to other cards.

import Foundation
import Testing

@testable import Formats

@Suite("Links between cards") struct CardLinkTests {
    private func cards(_ cards: [[String]]) -> String {
        cards.map {
            (["BEGIN:VCARD", "VERSION:4.0"] + $0 + ["END:VCARD", ""]).joined(separator: "\r\n")
        }.joined()
    }

    private func csv(_ all: [[String]], _ profile: String) throws -> (
        rows: [[String: String]], report: Report
    ) {
        let made = try JSONTextToTextTests.convert(
            cards(all), "vcf", "csv", { $0.extra["profile"] = profile })
        let csv = try CSVRows(input: input(made.text), context: ExchangeContext())
        let names = csv.schema.classes[0].properties.map(\.name)
        let found = try rows(csv).map { row in
            var cells: [String: String] = [:]
            for (name, value) in zip(names, row) {
                if case .string(let text) = value { cells[name] = text }
            }
            return cells
        }
        return (found, made.report)
    }

    private static let one = ["UID:m1", "FN:Mem One", "N:One;Mem;;;", "EMAIL:M1@x"]
    private static let two = ["UID:m2", "FN:Mem Two", "N:Two;Mem;;;"]
    private static let inner = ["UID:g1", "FN:Inner", "KIND:group", "MEMBER:mailto:m1@x"]
    private static let outer = [
        "UID:g2", "FN:Outer", "KIND:group", "MEMBER:urn:uuid:g1", "MEMBER:m2", "MEMBER:g2",
        "MEMBER:urn:uuid:gone", "NOTE:said of the group", "TEL:1",
    ]

    @Test func membersOfInnerGroupsAreMembers() throws {
        let all = try csv([Self.one, Self.two, Self.inner, Self.outer], "google")
        #expect(all.rows.map { $0["Labels"] ?? "" } == ["Inner ::: Outer", "Outer"])
        let items = all.report.items
        #expect(items.contains { $0.code == "group-in-group" && $0.value == "Inner" })
        let lost = items.filter { $0.code == "group-members" }
        #expect(lost.count == 1 && lost[0].count == 1 && lost[0].value == "urn:uuid:gone (Outer)")
    }

    @Test(arguments: ["google", nil])
    func whatAGroupSaysBesidesIsReported(_ profile: String?) throws {
        let text = cards([Self.one, Self.inner, Self.outer])
        let report: Report
        if let profile {
            report = try csv([Self.one, Self.inner, Self.outer], profile).report
        } else {
            let place = try ImportPlace()
            report = try place.convert(place.write("a.vcf", text), to: "a.csv") {
                $0.map = "mycontacts"
            }
        }
        let details = report.items.filter { $0.code == "group-detail" }
        #expect(details.compactMap(\.property) == ["notes", "phones"], "\(report.items)")
        #expect(details.first?.value == "said of the group")
    }

    @Test func anEmptyGroupIsLost() throws {
        let report = try csv([Self.one, ["UID:g", "FN:Nobody", "KIND:group"]], "google").report
        #expect(report.items.contains { $0.code == "group-empty" && $0.value == "Nobody" })
        #expect(!report.items.contains { $0.code == "group-as-category" })
    }

    @Test(arguments: [("outlook", "Spouse"), ("google", "Relation 1 - Value")])
    func relationsAreCalledByTheNameOfTheirCard(_ profile: String, _ column: String) throws {
        let person = ["UID:u1", "FN:A B", "N:B;A;;;", "RELATED;TYPE=spouse:urn:uuid:U2"]
        let other = ["UID:u2", "FN:Jane B", "N:B;Jane;;;"]
        let found = try csv([person, other], profile)
        #expect(found.rows.first?[column] == "Jane B")
        #expect(
            found.report.items.contains {
                $0.code == "relation-named" && $0.value == "urn:uuid:U2"
            })
        let missing = try csv([person], profile)
        #expect(missing.rows.first?[column] == "urn:uuid:U2")
        #expect(missing.report.items.contains { $0.code == "relation-uri" })
    }
}
