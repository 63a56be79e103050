// What is known of all contacts before the first is written: groups and the fullest contact.

import Foundation
import Testing

@testable import Formats

@Suite("Contacts looked at ahead") struct ContactsAheadTests {
    private static let members = [
        ["UID:m1", "FN:Mem One", "N:One;Mem;;;", "EMAIL:m1@x"],
        ["UID:urn:uuid:M2", "FN:Mem Two", "N:Two;Mem;;;", "CATEGORIES:Work"],
        ["UID:m3", "FN:Mem Three", "N:Three;Mem;;;"],
    ]

    private static let groups: [(String, [String])] = [
        (
            "3.0",
            [
                "UID:g1", "N:Friends;;;;", "FN:Friends", "X-ADDRESSBOOKSERVER-KIND:group",
                "X-ADDRESSBOOKSERVER-MEMBER:urn:uuid:m1", "X-ADDRESSBOOKSERVER-MEMBER:urn:uuid:m2",
            ]
        ),
        (
            "4.0",
            ["UID:g1", "KIND:group", "FN:Friends", "MEMBER:urn:uuid:m1", "MEMBER:urn:uuid:m2"]
        ),
    ]

    private func cards(_ version: String, _ cards: [[String]]) -> String {
        cards.map {
            (["BEGIN:VCARD", "VERSION:" + version] + $0 + ["END:VCARD", ""])
                .joined(separator: "\r\n")
        }.joined()
    }

    private func csv(_ text: String, _ profile: String) throws -> (
        rows: [[String: String]], names: [String], report: Report
    ) {
        let all = try JSONTextToTextTests.convert(
            text, "vcf", "csv", { $0.extra["profile"] = profile })
        let csv = try CSVRows(input: input(all.text), context: ExchangeContext())
        let names = csv.schema.classes[0].properties.map(\.name)
        let found = try rows(csv).map { row in
            var cells: [String: String] = [:]
            for (name, value) in zip(names, row) {
                if case .string(let text) = value { cells[name] = text }
            }
            return cells
        }
        return (found, names, all.report)
    }

    @Test(arguments: groups, [true, false])
    func aGroupIsACategoryOfItsMembers(_ group: (String, [String]), _ isFirst: Bool) throws {
        let all = isFirst ? [group.1] + Self.members : Self.members + [group.1]
        let google = try csv(cards(group.0, all), "google")
        #expect(google.rows.map { $0["Labels"] ?? "" } == ["Friends", "Work ::: Friends", ""])
        #expect(google.report.read == 4)
        #expect(google.report.written == 3)
        #expect(google.report.skipped == 1)
        #expect(google.report.items.contains { $0.code == "group-as-category" })
        let outlook = try csv(cards(group.0, all), "outlook")
        #expect(outlook.rows.map { $0["Categories"] ?? "" } == ["Friends", "Work;Friends", ""])
    }

    @Test func membersThatAreNotThereAreNoted() throws {
        let all = try csv(cards("4.0", [Self.groups[1].1, Self.members[0]]), "google")
        #expect(all.rows.count == 1)
        #expect(all.report.items.contains { $0.code == "group-members" && $0.count == 1 })
    }

    @Test func aGroupIsNoRowOfAMap() throws {
        let place = try ImportPlace()
        var group = Self.groups[0].1
        group[2] = "FN:Buddy"
        let path = try place.write("a.vcf", cards("3.0", Self.members + [group]))
        let report = try place.importing([path], into: "a.realm") { $0.map = "mycontacts" }
        let found = try place.rows("a.realm", "ContactObject")
        #expect(found.count == 3)
        #expect(report.skipped == 1)
        #expect(found.filter { $0.contains(.bool(true)) }.count == 2)
    }

    @Test(arguments: ["google", "google-old"])
    func numberedColumnsVaryWithTheContacts(_ profile: String) throws {
        var lines = ["N:B;A;;;", "FN:A B"]
        for i in 1...12 {
            lines.append("EMAIL:e\(i)@x")
            lines.append("TEL:+\(i)")
            lines.append("URL:http://x/\(i)")
            lines.append("ADR:;;Street \(i);City;;;")
            lines.append("item\(i).X-ABDATE:20\(i + 10)-01-02")
            lines.append("item\(i).X-ABLabel:Day \(i)")
            lines.append("rel\(i).X-ABRELATEDNAMES:R\(i)")
            lines.append("rel\(i).X-ABLabel:Kind \(i)")
        }
        let all = try csv(cards("3.0", [["N:D;C;;;", "FN:C D"], lines]), profile)
        #expect(all.rows.count == 2)
        for kind in ["E-mail", "Phone", "Website", "Event", "Relation"] {
            #expect(all.names.contains("\(kind) 12 - Value"))
            #expect(!all.names.contains("\(kind) 13 - Value"))
            #expect(all.rows[1]["\(kind) 12 - Value"]?.isEmpty == false)
        }
        #expect(all.rows[1]["Address 12 - Street"] == "Street 12")
        #expect(!all.report.items.contains { $0.code == "no-column" }, "\(all.report.items)")
    }

    @Test func numberedColumnsAreNotWithoutEnd() throws {
        let lines = ["N:B;A;;;", "FN:A B"] + (1...300).map { "EMAIL:e\($0)@x" }
        let all = try csv(cards("3.0", [lines]), "google")
        #expect(all.names.contains("E-mail 100 - Value"))
        #expect(!all.names.contains("E-mail 101 - Value"))
        let lost = all.report.items.first { $0.code == "no-column" && $0.property == "emails" }
        #expect(lost?.count == 200)
    }
}
