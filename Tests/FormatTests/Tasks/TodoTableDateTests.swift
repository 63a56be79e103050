// Dates of tables of to-dos: their order, and the times behind them.

import Foundation
import Testing

@testable import Formats

@Suite("Dates of tables of to-dos") struct TodoTableDateTests {
    @Test(
        "spellings of times",
        arguments: [
            ("2026-03-10 17:00", "2026-03-10T17:00:00", nil),
            ("3/10/2026 17:00", "2026-03-10T17:00:00", nil),
            ("3/10/2026 5:00 PM", "2026-03-10T17:00:00", nil),
            ("3/10/2026 12:05:07 a.m.", "2026-03-10T00:05:07", nil),
            ("10.03.2026 17:00", "2026-03-10T17:00:00", nil),
            ("10.03.2026 17.00 Uhr", "2026-03-10T17:00:00", nil),
            ("2026/03/10 17:00", "2026-03-10T17:00:00", nil),
            ("2026-03-10 17:00 UTC", "2026-03-10T17:00:00", "UTC"),
            ("2026-03-10 17:00:00 +0200", "2026-03-10T15:00:00", "UTC"),
            ("2026-03-10 17:00:00 Europe/Berlin", "2026-03-10T17:00:00", "Europe/Berlin"),
            ("2026-03-10, 17:00", "2026-03-10T17:00:00", nil),
            ("10 Mar 2026 17:00", "2026-03-10T17:00:00", nil),
            ("March 10th, 2026 at 5 pm", "2026-03-10T17:00:00", nil),
            ("Tue, 10 Mar 2026 17:00:00 GMT", "2026-03-10T17:00:00", "UTC"),
            ("10 Mar 2026", "2026-03-10", nil), ("3/10/2026", "2026-03-10", nil),
        ] as [(String, String, String?)])
    func times(_ text: String, _ local: String, _ zone: String?) throws {
        let date = try #require(TodoTableDate(text, .monthFirst))
        #expect(date.moment.local == local)
        #expect(date.moment.tzid == zone)
        #expect(!date.leavesRest)
    }

    @Test("what is no date", arguments: ["soon", "13/13/2026", "10 Foo 2026", "5 pm", ""])
    func noDates(_ text: String) { #expect(TodoTableDate(text, .monthFirst) == nil) }

    @Test func whatIsNotUnderstoodIsKept() throws {
        let place = try ImportPlace()
        let input = try place.write(
            "t.csv", "title,Due Date,status\nA,3/10/2026 tea time,open\nB,next week,open\n")
        let report = try place.convert(input, to: "t.ics")
        #expect(
            report.items.filter { $0.property == "due" }.map(\.code).sorted()
                == ["date-unreadable", "time-dropped"])
        #expect(!report.items.contains { $0.kind == .lost })
        let text = try place.text("t.ics")
        for line in [
            "DUE;VALUE=DATE:20260310", "X-CSV-FIELD;LABEL=Due Date:3/10/2026 tea time",
            "X-CSV-FIELD;LABEL=Due Date:next week",
        ] { #expect(text.contains(line + "\r\n"), "\(text)") }
    }

    @Test(
        "dates with dots say nothing of those with slashes",
        arguments: [
            ("title,due,status\nA,10.03.2026,open\nB,3/10/2026,open\n", true),
            ("Subject,Due Date,Status\nA,10.03.2026,Not Started\nB,3/10/2026,Not Started\n", true),
            ("title,due,status\nA,10.03.2026,open\nB,4/10/2026,open\nC,13/10/2026,open\n", false),
        ])
    func datesWithDots(_ table: String, _ isOpen: Bool) throws {
        let place = try ImportPlace()
        let report = try place.convert(place.write("t.csv", table), to: "t.ics")
        #expect(report.items.contains { $0.code == "date-order" } == isOpen)
        let text = try place.text("t.ics")
        #expect(text.contains("DUE;VALUE=DATE:20260310\r\n"), "\(text)")
        #expect(!text.contains("DUE;VALUE=DATE:20261003"), "\(text)")
        #expect(text.contains("DUE;VALUE=DATE:20261004") == !isOpen, "\(text)")
    }

    // MARK: Starts of rules

    @Test func rulesStartWhereTheSourceSaysSo() throws {
        let graph = """
            [{"id": "A4", "title": "A", "status": "inProgress", "recurrence": {
              "pattern": {"type": "daily", "interval": 1},
              "range": {"type": "noEnd", "startDate": "2026-03-31"}},
             "dueDateTime": {"dateTime": "2026-03-31T00:00:00", "timeZone": "UTC"}}]
            """
        let todoist =
            TaskKeptTests.header + "task,a,,4,1,,,every day starting 2026-03-02,en,,,,\r\n"
        for (text, format, start) in [
            (graph, Format.msToDo, "DTSTART;VALUE=DATE:20260331"),
            (todoist, Format.todoist, "DTSTART;VALUE=DATE:20260302"),
            (TaskFormatTests.ticktick, Format.ticktick, "DTSTART;VALUE=DATE:20261010"),
        ] {
            let context = ZoneFixtures.context()
            let ics = try TaskFormatTests.convert(text, format, to: .ical, context)
            #expect(ics.contains(start + "\r\n"), "\(ics)")
            #expect(
                !context.report.items.contains { $0.code == "recurrence-without-start" }, "\(ics)")
        }
    }
}
