// Tables of to-dos under the names that people give their columns.

import Foundation
import Testing

@testable import Formats

@Suite("Tables of to-dos") struct TodoTableTests {
    private static let text = """
        Title,Due,Status,Notes,Tags,Priority,Room
        Milk,2026-03-01,done,"two, please","home, shop",high,Kitchen
        Call,3/15/2026,in progress,,,2,
        Wait,2026-03-02T10:00:00Z,someday,,,,
        """

    @Test func columnsBecomeToDos() throws {
        let place = try ImportPlace()
        let input = try place.write("list.csv", Self.text)
        let report = try place.importing([input], into: "t.realm")
        #expect(report.written == 3)
        #expect(report.items.contains { $0.code == "status-unknown" && $0.value == "someday" })
        #expect(try place.classes("t.realm").contains("TodoItem"))
        #expect(try place.importing([input], into: "t.realm").skipped == 3)
        try place.convert(place.path("t.realm"), to: "t.ics")
        let lines = Set(try place.text("t.ics").components(separatedBy: "\r\n"))
        for line in [
            "SUMMARY:Milk", "DUE;VALUE=DATE:20260301", "STATUS:COMPLETED",
            "DESCRIPTION:two\\, please",
            "CATEGORIES:home,shop", "PRIORITY:1", "X-CSV-FIELD;LABEL=Room:Kitchen",
            "DUE;VALUE=DATE:20260315", "STATUS:IN-PROCESS", "PRIORITY:2", "DUE:20260302T100000Z",
            "X-CSV-FIELD;LABEL=status:someday",
        ] {
            #expect(lines.contains(line), "\(line)")
        }
    }

    @Test(
        "what a header is taken for",
        arguments: [
            ("title,due,status", true), ("Task,Deadline,Done", true), ("title,notes", false),
            ("Name,Title,Email,Status", false), ("_id,title,status", false),
            ("title,due,status,a,b,c,d,e", false), ("title,author,status", false),
            ("First Name,Title,Due", false),
        ])
    func headers(_ header: String, _ isTodo: Bool) {
        #expect(TodoTableSource.fits(header.components(separatedBy: ",")) == isTodo)
    }

    @Test func aTitleIsEnoughWhereToDosAreAskedFor() throws {
        let place = try ImportPlace()
        let input = try place.write("list.csv", "Task,Room\nMilk,Kitchen\n")
        try place.convert(input, to: "t.ics")
        #expect(try place.text("t.ics").contains("SUMMARY:Milk\r\n"))
    }

    @Test func otherTablesStayRows() throws {
        let place = try ImportPlace()
        let input = try place.write("list.csv", Self.text)
        try place.convert(input, to: "rows.json")
        #expect(try place.text("rows.json").contains(#""Status":"done""#))
    }
}
