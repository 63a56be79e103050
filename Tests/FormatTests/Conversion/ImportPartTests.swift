// Rows of JSON and tables that say only what changes: where they go, and what they leave.

import Foundation
import Testing

@testable import Formats

@Suite("Rows that say only what changes") struct ImportPartTests {
    private func place() throws -> ImportPlace {
        let place = try ImportPlace()
        try place.convert(
            place.write(
                "p.json",
                """
                {"rtool": 1, "schemaVersion": 0, "classes": [
                 {"name": "P", "kind": "object", "primaryKey": "id", "properties": [
                  {"name": "id", "type": "int"}, {"name": "name", "type": "string"},
                  {"name": "bio", "type": "string", "optional": true},
                  {"name": "boss", "type": "link", "target": "P", "optional": true},
                  {"name": "addr", "type": "link", "target": "Ad", "optional": true}]},
                 {"name": "Ad", "kind": "embedded", "properties": [
                  {"name": "street", "type": "string"},
                  {"name": "zip", "type": "string", "optional": true}]},
                 {"name": "Q", "kind": "object", "properties": [
                  {"name": "t", "type": "string"}, {"name": "d", "type": "int"}]}],
                 "tables": [], "objects": {"P": [
                  {"$key": 0, "id": 1, "name": "Ann", "bio": null, "boss": null,
                   "addr": {"street": "s1", "zip": "z1"}},
                  {"$key": 1, "id": 2, "name": "Bob", "bio": null, "boss": null, "addr": null}],
                  "Q": []}, "rows": {}}
                """), to: "p.realm")
        return place
    }

    private func update(
        _ text: String, className: String? = nil, match: String? = nil,
        _ policy: OnMatch = .update
    ) throws -> (place: ImportPlace, report: Report) {
        let place = try place()
        let report = try place.importing([place.write("i.json", text)], into: "p.realm") {
            $0.className = className
            $0.options.onMatch = policy
            if let match { try $0.options.setMatch(match) }
        }
        return (place, report)
    }

    @Test(arguments: [#"[{"id":1,"bio":"x"}]"#, #"{"P":[{"id":1,"bio":"x"}]}"#])
    func theyGoToTheClassThatHasTheirMembers(_ text: String) throws {
        let (place, report) = try update(text)
        #expect(report.merged == 1)
        #expect(try place.classes("p.realm") == ["P", "Ad", "Q"])
        let row = try place.rows("p.realm", "P")[0]
        #expect(row[1] == .string("Ann") && row[2] == .string("x"))
    }

    @Test(arguments: [
        (#"[{"id":1,"addr":{"street":"new"}}]"#, "new", "z1"),
        (#"[{"id":1,"addr":{"zip":"new"}}]"#, "s1", "new"),
        (#"[{"id":1,"addr":{"street":"a","zip":"b"}}]"#, "a", "b"),
    ])
    func embeddedObjectsKeepWhatIsNotSaid(_ text: String, _ street: String, _ zip: String) throws {
        let (place, report) = try update(text, className: "P")
        #expect(report.merged == 1)
        try place.convert(place.path("p.realm"), to: "out.json")
        let written = try place.text("out.json").filter { !$0.isWhitespace }
        #expect(written.contains(#""addr":{"street":"\#(street)","zip":"\#(zip)"}"#), "\(written)")
    }

    @Test func aPartOfNothingIsSetAside() throws {
        let (_, report) = try update(
            #"[{"id":2,"addr":{"zip":"z"}},{"id":3,"name":"C","addr":{"zip":"z"}}]"#,
            className: "P")
        #expect(report.setAside == 2 && report.merged == 0 && report.written == 0)
    }

    @Test func aKeyThatIsNotTakenIsTold() throws {
        let (place, report) = try update(
            #"[{"name":"Ann","id":99,"bio":"x"}]"#, className: "P", match: "name")
        #expect(report.items.contains { $0.code == "key-kept" && $0.value == "99" })
        #expect(try place.rows("p.realm", "P")[0][0] == .int(1))
    }

    @Test func failIsDoneWhenAsked() throws {
        #expect(throws: FormatError(.duplicateKey, "")) {
            _ = try update(#"[{"id":1,"bio":"x"}]"#, className: "P", .fail)
        }
        #expect(try update(#"[{"id":1,"name":"Ann"}]"#, className: "P", .fail).report.skipped == 1)
    }

    @Test func anObjectIsNoLink() throws {
        let (_, report) = try update(#"[{"id":1,"boss":{"id":2}}]"#, className: "P")
        #expect(report.setAside == 1)
        let item = try #require(report.items.first { $0.kind == .setAside })
        #expect(item.action?.contains("a link") == true, "\(item)")
    }

    @Test(arguments: [
        ("a.json", #"[{"uid":"one","due":"2026-05-01"}]"#),
        ("a.json", #"[{"uid":"one","due":{"local":"2026-05-01"}}]"#),
        ("a.csv", "uid,due\none,2026-05-01\n"),
    ])
    func aToDoMayBeNamedByItsUIDAlone(_ name: String, _ text: String) throws {
        let place = try ImportPlace()
        let calendar = [
            "BEGIN:VCALENDAR", "VERSION:2.0", "BEGIN:VTODO", "UID:one", "SUMMARY:Milk",
            "END:VTODO", "END:VCALENDAR", "",
        ].joined(separator: "\r\n")
        try place.importing([place.write("t.ics", calendar)], into: "t.realm")
        for className in [nil, "TodoItem"] {
            try place.importing([place.write(name, text)], into: "t.realm") {
                $0.className = className
            }
        }
        #expect(try place.rows("t.realm", "TodoItem").count == 1)
        #expect(!(try place.classes("t.realm")).contains("a"))
        try place.convert(place.path("t.realm"), to: "t2.ics")
        let written = try place.text("t2.ics")
        #expect(written.contains("DUE;VALUE=DATE:20260501\r\n"), "\(written)")
        #expect(written.contains("SUMMARY:Milk\r\n"))
    }
}
