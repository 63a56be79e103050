// Who names a record by its UID follows it when another UID takes the place of that one.

import Foundation
import Testing

@testable import Formats

private func cards(_ cards: [String]...) -> String {
    cards.map {
        (["BEGIN:VCARD", "VERSION:4.0"] + $0 + ["END:VCARD", ""]).joined(separator: "\r\n")
    }.joined()
}

private func calendar(_ tasks: [String]...) -> String {
    (["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:x"]
        + tasks.flatMap { ["BEGIN:VTODO"] + $0 + ["END:VTODO"] } + ["END:VCALENDAR", ""])
        .joined(separator: "\r\n")
}

@Suite("References to records with another UID") struct ImportReferenceTests {
    private let stored = cards(
        ["UID:s1", "FN:Ann", "EMAIL:a@x"],
        ["UID:s2", "FN:Bob", "EMAIL:b@x", "RELATED;TYPE=spouse:urn:uuid:s1"],
        ["UID:g", "FN:Friends", "KIND:group", "MEMBER:urn:uuid:s1", "MEMBER:urn:uuid:s2"])

    /// The store after an import of cards that are found by their addresses.
    private func text(_ incoming: String, _ policy: OnMatch) throws -> (String, Report) {
        let place = try ImportPlace()
        try place.importing([place.write("a.vcf", stored)], into: "c.realm")
        let report = try place.importing([place.write("b.vcf", incoming)], into: "c.realm") {
            try $0.options.setMatch("email")
            $0.options.onMatch = policy
        }
        try place.convert(place.path("c.realm"), to: "c.vcf")
        return (try place.text("c.vcf"), report)
    }

    @Test func groupsAndRelationsFollow() throws {
        let (text, report) = try text(cards(["UID:m1", "FN:Ann", "EMAIL:a@x"]), .update)
        #expect(text.contains("MEMBER:urn:uuid:m1\r\nMEMBER:urn:uuid:s2"), "\(text)")
        #expect(text.contains("RELATED;TYPE=spouse:urn:uuid:m1"))
        #expect(!text.contains("s1"))
        #expect(report.items.contains { $0.code == "links-followed" && $0.count == 2 })
    }

    @Test func whatComesInFollowsAStoredRecordThatStays() throws {
        let incoming = cards(
            ["UID:m1", "FN:Ann", "EMAIL:a@x"],
            ["UID:h", "FN:Team", "EMAIL:team@x", "KIND:group", "MEMBER:urn:uuid:m1"])
        let (text, _) = try text(incoming, .skip)
        #expect(!text.contains("m1"), "\(text)")
        #expect(text.components(separatedBy: "MEMBER:urn:uuid:s1").count == 3)
    }

    @Test func theNewestUIDIsTheOneThatCounts() throws {
        let place = try ImportPlace()
        let old = cards(
            ["UID:s1", "FN:Ann", "EMAIL:a@x", "REV:20260101T000000Z"],
            ["UID:g", "FN:Friends", "KIND:group", "MEMBER:urn:uuid:s1"])
        try place.importing([place.write("a.vcf", old)], into: "c.realm")
        for (day, uid, expected) in [("20250101", "m1", "s1"), ("20270101", "m2", "m2")] {
            let card = cards(["UID:\(uid)", "FN:Ann", "EMAIL:a@x", "REV:\(day)T000000Z"])
            try place.importing([place.write("b.vcf", card)], into: "c.realm") {
                try $0.options.setMatch("email")
                $0.options.onMatch = .newest
            }
            try place.convert(place.path("c.realm"), to: "\(uid).vcf")
            #expect(try place.text("\(uid).vcf").contains("MEMBER:urn:uuid:\(expected)\r\n"))
        }
    }

    @Test func instancesStayWithTheirSeries() throws {
        let place = try ImportPlace()
        let rule = ["SUMMARY:Water", "DTSTART:20260101T080000", "RRULE:FREQ=DAILY"]
        let first = calendar(
            ["UID:r"] + rule,
            ["UID:r", "SUMMARY:Water twice", "RECURRENCE-ID:20260102T080000"],
            ["UID:r", "SUMMARY:Water late", "RECURRENCE-ID:20260103T080000"],
            ["UID:other", "SUMMARY:Buy a can", "RELATED-TO:r"])
        try place.importing([place.write("a.ics", first)], into: "t.realm")
        let second = calendar(
            ["UID:q"] + rule,
            ["UID:q", "SUMMARY:Water thrice", "RECURRENCE-ID:20260102T080000"])
        try place.importing([place.write("b.ics", second)], into: "t.realm") {
            try $0.options.setMatch("title")
        }
        try place.convert(place.path("t.realm"), to: "t.ics")
        let text = try place.text("t.ics")
        #expect(text.components(separatedBy: "UID:q\r\n").count == 4, "\(text)")
        #expect(!text.contains("UID:r\r\n"))
        #expect(text.contains("RELATED-TO;RELTYPE=PARENT:q\r\n"))
        #expect(text.contains("Water thrice") && !text.contains("Water twice"))
    }

    @Test func aMadeUIDLeadsToTheStoredTask() throws {
        let place = try ImportPlace()
        let first = calendar(
            ["UID:open", "SUMMARY:Trip"], ["UID:sub", "SUMMARY:Tickets", "RELATED-TO:open"])
        try place.importing([place.write("a.ics", first)], into: "t.realm")
        try place.convert(place.path("t.realm"), to: "t.csv") { $0.to = "todoist" }
        let report = try place.importing([place.path("t.csv")], into: "t.realm") {
            $0.from = "todoist"
            try $0.options.setMatch("title")
        }
        #expect(report.merged + report.skipped == 2)
        try place.convert(place.path("t.realm"), to: "t.ics")
        #expect(try place.text("t.ics").contains("RELATED-TO;RELTYPE=PARENT:open\r\n"))
    }
}
