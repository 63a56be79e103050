import Foundation
import Testing

@testable import Formats

/// Start and due date of one kind, and what counts from them.
@Suite("kinds of dates of tasks") struct TaskKindTests {
    private static func codes(_ context: ExchangeContext) -> [String] {
        TaskStrictTests.codes(context)
    }

    static let berlin = "Europe/Berlin"

    /// What stands beside the dates of a to-do, and its due date as it is written.
    static let series: [(start: String, due: String, beside: [String], written: String)] = [
        (
            "DTSTART;TZID=Europe/Berlin:20260701T090000", "DUE;VALUE=DATE:20260702",
            [
                "RRULE:FREQ=DAILY;UNTIL=20260801T070000Z",
                "EXDATE;TZID=Europe/Berlin:20260702T090000",
                "RDATE;TZID=Europe/Berlin:20260902T090000",
            ], "DUE;TZID=Europe/Berlin:20260702T235959"
        ),
        (
            "DTSTART;VALUE=DATE:20260701", "DUE;TZID=Europe/Berlin:20260701T180000",
            ["RRULE:FREQ=DAILY;UNTIL=20260801", "EXDATE;VALUE=DATE:20260702"],
            "DUE;VALUE=DATE:20260701"
        ),
        (
            "DTSTART:20260703T090000", "DUE;VALUE=DATE:20260703",
            ["RECURRENCE-ID:20260703T090000"], "DUE:20260703T235959"
        ),
        (
            "DTSTART;VALUE=DATE:20260703", "DUE:20260703T090000Z",
            ["RECURRENCE-ID;VALUE=DATE:20260703"], "DUE;VALUE=DATE:20260703"
        ),
    ]

    @Test(arguments: series.indices) func aDueDateFitsTheStartOfASeries(_ i: Int) throws {
        let (start, due, beside, expected) = Self.series[i]
        let text = (["BEGIN:VTODO", "UID:1", start, due] + beside + ["END:VTODO", ""])
            .joined(separator: "\r\n")
        let context = ZoneFixtures.context()
        let written = TaskMendingTests.unfolded(try Todos.rewritten(input(text), context))
        for line in beside + [start, expected] { #expect(written.contains(line), "\(written)") }
        #expect(!written.contains(due))
        #expect(Self.codes(context).contains { $0.hasPrefix("due-made-") })
        #expect(!Self.codes(context).contains { $0.hasPrefix("start-made-") })
        // The value that went is said.
        let item = context.report.items.first { $0.code.hasPrefix("due-made-") }
        #expect(item?.value?.hasPrefix("2026-07-0") == true)
    }

    @Test func aStartFitsTheDueDateWhereNothingCountsFromIt() throws {
        let text = TaskStrictTests.todo(
            "UID:1", "DTSTART;VALUE=DATE:20260201", "DUE;TZID=Europe/Berlin:20260210T100000")
        let context = ZoneFixtures.context()
        let written = TaskMendingTests.unfolded(try Todos.rewritten(input(text), context))
        #expect(written.contains("DTSTART;TZID=Europe/Berlin:20260201T000000"))
        #expect(Self.codes(context).contains("start-made-datetime"))
    }

    @Test func midnightBesideUniversalTimeIsThatOfTheZoneAsked() throws {
        let text = TaskStrictTests.todo(
            "UID:1", "DTSTART;VALUE=DATE:20260201", "DUE:20260210T100000Z")
        let plain = TaskMendingTests.unfolded(
            try Todos.rewritten(input(text), ZoneFixtures.context()))
        #expect(plain.contains("DTSTART:20260201T000000"))
        let asked = TaskMendingTests.unfolded(
            try Todos.rewritten(input(text), ZoneFixtures.context(zone: Self.berlin)))
        #expect(asked.contains("DTSTART:20260131T230000Z"))
    }

    @Test func aTimeThatAlarmsCountFromStays() throws {
        let text = TaskStrictTests.todo(
            "UID:1", "DTSTART:20260701T090000", "DUE;VALUE=DATE:20260703", "BEGIN:VALARM",
            "ACTION:DISPLAY", "TRIGGER:-PT15M", "DESCRIPTION:x", "END:VALARM", "BEGIN:VALARM",
            "ACTION:DISPLAY", "TRIGGER;RELATED=END:PT9H", "DESCRIPTION:x", "END:VALARM")
        let context = ZoneFixtures.context()
        let written = TaskMendingTests.unfolded(try Todos.rewritten(input(text), context))
        #expect(written.contains("DTSTART:20260701T090000"))
        #expect(written.contains("DUE:20260703T235959"))
        #expect(written.contains("TRIGGER:-PT15M"))
        // Nine in the morning of the day that is due.
        #expect(written.contains("TRIGGER;RELATED=END:-PT14H59M59S"), "\(written)")
        #expect(Self.codes(context).contains("alarm-counted"))
    }

    @Test func anAlarmBeforeATimeThatBecameADayRingsAsBefore() throws {
        let text = TaskStrictTests.todo(
            "UID:1", "DTSTART;VALUE=DATE:20260701", "DUE:20260701T180000", "RRULE:FREQ=DAILY",
            "BEGIN:VALARM", "ACTION:DISPLAY", "TRIGGER;RELATED=END:-PT15M", "DESCRIPTION:x",
            "END:VALARM", "BEGIN:VALARM", "ACTION:DISPLAY",
            "TRIGGER;VALUE=DATE-TIME:20260701T100000Z", "DESCRIPTION:x", "END:VALARM")
        let written = TaskMendingTests.unfolded(
            try Todos.rewritten(input(text), ZoneFixtures.context()))
        #expect(written.contains("TRIGGER;RELATED=END:PT17H45M"), "\(written)")
        #expect(written.contains("TRIGGER;VALUE=DATE-TIME:20260701T100000Z"))
    }

    @Test(arguments: [
        "BEGIN:VALARM\nTRIGGER;VALUE=DATE-TIME:20260101T000000Z\nEND:VALARM",
        "BEGIN:VALARM\nTRIGGER:PT\n 5M\nEND:VALARM", "BEGIN:VALARM\nACTION:AUDIO\nEND:VALARM",
        "BEGIN:PARTICIPANT\nTRIGGER:PT5M\nEND:PARTICIPANT", "",
        "BEGIN:VALARM\nTRIGGER:P999999999W\nTRIGGER:P1D\nEND:VALARM",
        "BEGIN:VALARM\nX-APPLE-PROXIMITY:ARRIVE\nTRIGGER:-PT5M\nEND:VALARM",
    ]) func otherAlarmsCountFromNoDate(_ text: String) {
        #expect(AlarmTrigger(text).map { $0.seconds.magnitude < 1 << 40 } ?? true)
        if !text.contains("999") { #expect(AlarmTrigger(text) == nil) }
    }

    @Test func oldCalendarsKeepTheStartOfASeries() throws {
        let text = TaskMendingTests.old(
            "UID:1", "DTSTART:20260701T090000", "DUE:20260701", "RRULE:D1 #0",
            "EXDATE:20260702T090000")
        let context = ZoneFixtures.context()
        let direct = TaskMendingTests.unfolded(try Todos.converted(input(text), context))
        for line in [
            "DTSTART:20260701T090000", "DUE:20260701T235959", "EXDATE:20260702T090000",
        ] { #expect(direct.contains(line), "\(direct)") }
        #expect(Self.codes(context).contains("due-made-datetime"))
        let rows = TaskMendingTests.unfolded(
            try Todos.rewritten(input(text), ZoneFixtures.context()))
        #expect(rows.contains("DUE:20260701T235959"), "\(rows)")
    }

    @Test func oldAlarmsCountFromWhatIsWritten() throws {
        let text = TaskMendingTests.old(
            "UID:1", "DTSTART:20260701T090000", "DUE:20260702", "DALARM:20260701T084500;;;x")
        let lines = TaskMendingTests.unfolded(
            try Todos.converted(input(text), ZoneFixtures.context()))
        for line in ["DTSTART:20260701T090000", "DUE:20260702T235959", "TRIGGER:-PT15M"] {
            #expect(lines.contains(line), "\(lines)")
        }
    }

    @Test func aRuleWithoutAStartStaysAndIsSaid() throws {
        let text = TaskStrictTests.todo("UID:1", "DUE:20260701T180000", "RRULE:FREQ=DAILY")
        let context = ZoneFixtures.context()
        #expect(try Todos.rewritten(input(text), context).contains(text))
        #expect(Self.codes(context).contains("recurrence-without-start"))
        let direct = ZoneFixtures.context()
        #expect(try Todos.converted(input(text), direct).contains(text))
        #expect(Self.codes(direct).contains("recurrence-without-start"))
    }
}
