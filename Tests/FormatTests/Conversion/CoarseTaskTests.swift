// Tasks that come back from formats which say less than the store holds.

import Foundation
import Testing

@testable import Formats

@Suite("Tasks that come back from coarser formats") struct CoarseTaskTests {
    private static let calendar =
        [
            "BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//a//EN",
            "BEGIN:VTODO", "UID:open1", "DTSTAMP:20260101T000000Z", "SUMMARY:Open",
            "DUE;VALUE=DATE:20260310", "PRIORITY:2", "END:VTODO",
            "BEGIN:VTODO", "UID:prog", "DTSTAMP:20260101T000000Z", "SUMMARY:Begun",
            "STATUS:IN-PROCESS", "PERCENT-COMPLETE:40",
            "CREATED:20260101T100000Z",
            "DUE;TZID=Europe/Berlin:20260310T173000", "END:VTODO",
            "BEGIN:VTODO", "UID:done1", "DTSTAMP:20260101T000000Z", "SUMMARY:Done",
            "STATUS:COMPLETED", "PERCENT-COMPLETE:100", "COMPLETED:20260302T223000Z",
            "END:VTODO",
            "BEGIN:VTODO", "UID:canc", "DTSTAMP:20260101T000000Z", "SUMMARY:Cancelled",
            "STATUS:CANCELLED", "END:VTODO",
            "BEGIN:VTODO", "UID:sub1", "DTSTAMP:20260101T000000Z", "SUMMARY:Child",
            "RELATED-TO:open1", "END:VTODO",
            "BEGIN:VTODO", "UID:sub2", "DTSTAMP:20260101T000000Z", "SUMMARY:Grandchild",
            "RELATED-TO:sub1", "END:VTODO",
            "END:VCALENDAR", "",
        ].joined(separator: "\r\n")

    /// What matters of the to-dos of a store, by title.
    private func lines(_ place: ImportPlace, _ store: String) throws -> [String: Set<String>] {
        let name = "out-\(UInt64.random(in: 0 ... .max)).ics"
        try place.convert(place.path(store), to: name)
        let text = try place.text(name).replacingOccurrences(of: "\r\n ", with: "")
            .replacingOccurrences(of: ";RELTYPE=PARENT", with: "")
        var found: [String: Set<String>] = [:]
        for part in text.components(separatedBy: "BEGIN:VTODO\r\n").dropFirst() {
            let lines = part.components(separatedBy: "\r\n")
            let title = lines.first { $0.hasPrefix("SUMMARY:") } ?? ""
            found[title] = Set(
                lines.filter { line in
                    [
                        "UID", "DTSTAMP", "DUE", "STATUS", "PERCENT", "COMPLETED", "CREATED",
                        "PRIORITY", "RELATED-TO",
                    ].contains { line.hasPrefix($0) }
                })
        }
        return found
    }

    private func store() throws -> ImportPlace {
        let place = try ImportPlace()
        try place.importing([place.write("a.ics", Self.calendar)], into: "s.realm")
        return place
    }

    @Test(
        "what a format cannot say stays",
        arguments: [
            ("google-tasks", "e.json"), ("todotxt", "e.txt"), ("outlook-tasks", "e.csv"),
            ("todoist", "e.csv"),
        ])
    func whatAFormatCannotSayStays(_ format: String, _ name: String) throws {
        let place = try store()
        let before = try lines(place, "s.realm")
        try place.convert(place.path("s.realm"), to: name) { $0.to = format }
        let report = try place.importing([place.path(name)], into: "s.realm") {
            $0.from = format
            if format != "google-tasks" { try $0.options.setMatch("title") }
        }
        #expect(report.written == 0)
        var after = try lines(place, "s.realm")
        if format == "google-tasks" {
            // One level of sub-tasks is all it has.
            #expect(after["SUMMARY:Grandchild"]?.contains("RELATED-TO:open1") == true)
            after["SUMMARY:Grandchild"] = before["SUMMARY:Grandchild"]
        }
        #expect(after == before)
    }

    @Test func anotherDayReplacesTheHourAndSaysSo() throws {
        let place = try store()
        let input = try place.write(
            "e.json",
            """
            {"kind": "tasks#tasks", "items": [{"kind": "tasks#task", "id": "prog", "title": "Begun",
             "status": "needsAction", "due": "2026-03-11T00:00:00.000Z"}]}
            """)
        let report = try place.importing([input], into: "s.realm") { $0.from = "google-tasks" }
        #expect(report.merged == 1)
        let item = try #require(report.items.first { $0.property == "due" })
        #expect(item.code == "items-replaced")
        #expect(item.value == "2026-03-10T17:30:00 Europe/Berlin")
        let lines = try lines(place, "s.realm")["SUMMARY:Begun"] ?? []
        #expect(lines.contains("DUE;VALUE=DATE:20260311"))
        #expect(lines.contains("STATUS:IN-PROCESS"))
        #expect(lines.contains("PERCENT-COMPLETE:40"))
    }

    @Test func aTaskThatWasDoneThereIsDone() throws {
        let place = try store()
        let input = try place.write("e.txt", "x 2026-03-12 2026-01-01 Begun uid:prog\n")
        try place.importing([input], into: "s.realm") { $0.from = "todotxt" }
        let lines = try lines(place, "s.realm")["SUMMARY:Begun"] ?? []
        #expect(lines.contains("STATUS:COMPLETED"), "\(lines)")
        #expect(lines.contains("PERCENT-COMPLETE:100"), "\(lines)")
        #expect(lines.contains("CREATED:20260101T100000Z"), "\(lines)")
    }

    @Test func aCalendarSaysADayWhereItMeansOne() throws {
        let place = try store()
        let input = try place.write(
            "b.ics",
            "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:b\r\nBEGIN:VTODO\r\nUID:prog\r\n"
                + "DTSTAMP:20260105T000000Z\r\nSUMMARY:Begun\r\nDUE;VALUE=DATE:20260310\r\n"
                + "END:VTODO\r\nEND:VCALENDAR\r\n")
        let report = try place.importing([input], into: "s.realm")
        #expect(report.merged == 1)
        #expect(report.items.contains { $0.code == "items-replaced" && $0.property == "due" })
        let lines = try lines(place, "s.realm")["SUMMARY:Begun"] ?? []
        #expect(lines.contains("DUE;VALUE=DATE:20260310"))
    }

    // MARK: Parents

    @Test func subTasksFollowAParentThatWasMatched() throws {
        let place = try ImportPlace()
        func table(_ notes: String) -> String {
            "TYPE,CONTENT,DESCRIPTION,PRIORITY,INDENT,AUTHOR,RESPONSIBLE,DATE,DATE_LANG,TIMEZONE\n"
                + "task,Parent,\(notes),4,1,,,,,\ntask,Child,,4,2,,,,,\n"
        }
        try place.importing([place.write("a.csv", table("one"))], into: "t.realm")
        let before = try lines(place, "t.realm")
        let report = try place.importing([place.write("a.csv", table("two"))], into: "t.realm") {
            try $0.options.setMatch("title")
        }
        #expect(report.merged == 1)
        #expect(report.skipped == 1)
        let after = try lines(place, "t.realm")
        #expect(after == before)
        let uid = try #require(after["SUMMARY:Parent"]?.first { $0.hasPrefix("UID:") })
        let isBelow = after["SUMMARY:Child"]?.contains {
            $0.hasPrefix("RELATED-TO") && $0.hasSuffix(":" + uid.dropFirst(4))
        }
        #expect(isBelow == true, "\(after)")
    }

    @Test func aSubTaskIsTheSameThoughItsParentSaysMore() throws {
        let place = try ImportPlace()
        func table(_ notes: String) -> String {
            "TYPE,CONTENT,DESCRIPTION,PRIORITY,INDENT,AUTHOR,RESPONSIBLE,DATE,DATE_LANG,TIMEZONE\n"
                + "task,Parent,\(notes),4,1,,,,,\ntask,Child,,4,2,,,,,\ntask,Deep,,4,3,,,,,\n"
        }
        try place.importing([place.write("a.csv", table("one"))], into: "t.realm")
        let report = try place.importing([place.write("a.csv", table("two"))], into: "t.realm")
        #expect(report.written == 1)
        #expect(report.merged == 1)
        #expect(report.skipped == 1)
        let out = try place.convert(place.path("t.realm"), to: "t.json") { $0.to = "google-tasks" }
        #expect(!out.items.contains { $0.code == "parent-missing" })
    }

    // MARK: Rows of an app

    @Test(
        "rows of an app that went through a format of tasks are the same rows",
        arguments: [("ical", "e.ics"), ("google-tasks", "e.json")])
    func rowsOfAnAppComeBackAsTheyAre(_ format: String, _ name: String) throws {
        let place = try ImportPlace()
        let document = """
            {"rtool": 1, "schemaVersion": 0, "classes": [
             {"name": "Task", "kind": "object", "properties": [
              {"name": "taskTitle", "type": "string"},
              {"name": "taskDescription", "type": "string", "optional": true},
              {"name": "done", "type": "bool"}, {"name": "date", "type": "date"}]}],
             "tables": [], "objects": {"Task": [
              {"$key": 0, "taskTitle": "Milk", "taskDescription": null, "done": false,
               "date": {"$date": "2016-04-14T08:32:57.123Z"}},
              {"$key": 1, "taskTitle": "Ferry", "taskDescription": "", "done": true,
               "date": {"$date": "2016-05-02T07:00:00Z"}}]}, "rows": {}}
            """
        try place.convert(place.write("d.json", document), to: "a.realm")
        let before = try place.rows("a.realm", "Task")
        let out = try place.convert(place.path("a.realm"), to: name) { $0.to = format }
        #expect(out.items.contains { $0.code == "fraction-dropped" && $0.count == 1 })
        let report = try place.importing([place.path(name)], into: "a.realm") { $0.from = format }
        #expect(report.skipped == 2)
        #expect(try place.rows("a.realm", "Task") == before)
    }
}
