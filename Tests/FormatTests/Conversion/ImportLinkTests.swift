// Links of imported rows: to objects that come in and to those that stand in the store; and people
// who share an address.

import Foundation
import Testing

@testable import Formats

@Suite("Links of what is imported") struct ImportLinkTests {
    /// Three of a class P with a boss and a team, keyed out of order, and two teams.
    private static let document = """
        {"rtool":1,"schemaVersion":0,"classes":[
        {"name":"P","primaryKey":"id","properties":[{"name":"id","type":"int"},
        {"name":"boss","type":"link","target":"P","optional":true},
        {"name":"team","type":"link","target":"T","optional":true},
        {"name":"pals","type":"link","target":"P","collection":"list"}]},
        {"name":"T","primaryKey":"name","properties":[{"name":"name","type":"string"}]}],
        "objects":{"P":[
        {"$key":4,"id":1,"boss":{"$ref":"P","$id":2},"team":{"$ref":"T","$id":"Red"},"pals":[]},
        {"$key":5,"id":2,"boss":null,"team":{"$ref":"T","$id":"Blue"},"pals":[{"$ref":"P","$id":1}]},
        {"$key":7,"id":0,"boss":{"$ref":"P","$id":1},"team":null,"pals":[]}],
        "T":[{"$key":3,"name":"Red"},{"$key":9,"name":"Blue"}]}}
        """

    private func place() throws -> ImportPlace {
        let place = try ImportPlace()
        try place.convert(place.write("d.json", Self.document), to: "s.realm")
        return place
    }

    private func objects(_ place: ImportPlace) throws -> String {
        try place.convert(place.path("s.realm"), to: "out.json")
        defer { try? FileManager.default.removeItem(atPath: place.path("out.json")) }
        let text = try place.text("out.json")
        return String(text[(text.range(of: "\"objects\"")?.lowerBound ?? text.startIndex)...])
    }

    @Test("What was exported comes back without a change", arguments: ["P.csv", "P.json"])
    func exportedRowsChangeNothing(_ name: String) throws {
        let place = try place()
        let before = try objects(place)
        var export = Export(
            place.path("s.realm"), to: place.path(name), context: ExchangeContext())
        export.className = "P"
        try export.run()
        let report = try place.importing([place.path(name)], into: "s.realm") {
            $0.className = "P"
        }
        #expect(report.skipped == 3 && report.items.isEmpty)
        #expect(try objects(place) == before)
    }

    @Test func newRowsLeadToStoredOnesAndToEachOther() throws {
        let csv = "id,boss,team\n7,2,Red\n8,9,\n9,7,Blue\n"
        let json = """
            [{"id":7,"boss":2,"team":"Red"},{"id":8,"boss":{"$ref":"P","$id":9}},
            {"id":9,"boss":7,"team":{"$ref":"T","$id":"Blue"}}]
            """
        for (name, text) in [("n.csv", csv), ("n.json", json)] {
            let place = try place()
            let report = try place.importing([place.write(name, text)], into: "s.realm") {
                $0.className = "P"
            }
            #expect(report.written == 3 && report.items.allSatisfy { $0.kind != .lost }, "\(name)")
            let all = try objects(place)
            for row in [
                "\"id\":7,\"boss\":{\"$ref\":\"P\",\"$key\":5},\"team\":{\"$ref\":\"T\",\"$key\":3}",
                "\"id\":8,\"boss\":{\"$ref\":\"P\",\"$key\":10},\"team\":null",
                "\"id\":9,\"boss\":{\"$ref\":\"P\",\"$key\":8},\"team\":{\"$ref\":\"T\",\"$key\":9}",
            ] { #expect(all.contains(row), "\(name): \(all)") }
        }
    }

    @Test func linksThatLeadNowhereAreSaid() throws {
        let place = try place()
        let rows = try place.write("n.csv", "id,boss,team\n7,99,\n8,,Green\n")
        let report = try place.importing([rows], into: "s.realm") { $0.className = "P" }
        // No team comes in, so the row can be mended; a boss might have come later.
        #expect(report.setAside == 1 && report.written == 1)
        let item = report.items.first { $0.code == "link-left" }
        #expect(item?.kind == .lost && item?.property == "boss")
        #expect(item?.record == 1 && item?.value == "99")
        #expect(try objects(place).contains("\"id\":7,\"boss\":null"))
    }
}

@Suite("People who share an address") struct SharedAddressTests {
    private func cards(_ people: [String]...) -> String {
        people.map {
            (["BEGIN:VCARD", "VERSION:3.0"] + $0 + ["END:VCARD", ""]).joined(separator: "\r\n")
        }.joined()
    }

    @Test func nobodyIsTakenForAnother() throws {
        let place = try ImportPlace()
        let old = try place.write(
            "old.vcf",
            cards(
                ["UID:u1", "FN:Carl", "N:Carl;;;;", "EMAIL:s@x.de"],
                ["FN:Dora", "N:Dora;;;;", "EMAIL:s@x.de"], ["FN:Eve", "N:Eve;;;;", "EMAIL:e@x.de"]))
        try place.importing([old], into: "s.realm")
        let new = try place.write(
            "new.vcf",
            cards(
                ["FN:Unknown", "N:Unknown;;;;", "EMAIL:S@X.DE"],
                ["UID:U1", "FN:Carl C", "N:C;Carl;;;", "EMAIL:s@x.de"],
                ["FN:dora", "N:Dora;;;;", "EMAIL:s@x.de", "TEL:1"],
                ["FN:Eve E", "N:Eve;E;;;", "EMAIL:E@x.de"],
                ["FN:Ed E", "N:Ed;E;;;", "EMAIL:e@x.de"]))
        let report = try place.importing([new], into: "s.realm") {
            try $0.options.setMatch("uid,email")
        }
        #expect(report.merged == 3 && report.written == 2)
        #expect(report.items.first { $0.code == "shared-match" }?.count == 2)
        let item = report.items.first { $0.code == "name-replaced" }
        #expect(item?.kind == .lost && item?.value == "Eve")
        let again = try place.importing([new], into: "s.realm") {
            try $0.options.setMatch("uid,email")
        }
        #expect(again.skipped == 5)
        try place.convert(place.path("s.realm"), to: "all.vcf")
        let text = try place.text("all.vcf")
        for name in ["FN:Carl C", "FN:dora", "FN:Eve E", "FN:Ed E", "FN:Unknown", "UID:u1"] {
            #expect(text.contains(name + "\r\n"), "\(name)")
        }
    }
}
