import Foundation
import Testing

@testable import Formats

/// A calendar that is passed on line by line: what is said of lines that do not go together, and the
/// definitions of zones.
@Suite("calendars passed on") struct TaskWatchTests {
    static func calendar(_ parts: String...) -> String {
        "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\n" + parts.joined()
            + "END:VCALENDAR\r\n"
    }

    static func converted(_ text: String, zone: String? = nil) throws -> (
        String, ExchangeContext
    ) {
        let context = ZoneFixtures.context(zone: zone)
        return (try Todos.converted(input(text), context), context)
    }

    static let berlin =
        "BEGIN:VTIMEZONE\r\nTZID:Europe/Berlin\r\nBEGIN:STANDARD\r\n"
        + "DTSTART:19700101T000000\r\nTZOFFSETFROM:+0100\r\nTZOFFSETTO:+0100\r\n"
        + "END:STANDARD\r\nEND:VTIMEZONE\r\n"

    @Test(arguments: [
        (
            ["DTSTART;VALUE=DATE:20260201", "DUE:20260210T100000Z"],
            "due-start-types-differ"
        ),
        (["DTSTART:20260201T110000Z", "DUE:20260201T120000"], "due-start-types-differ"),
        (["DTSTART:20260201T110000", "DUE:20260201T100000Z"], "due-start-types-differ"),
        (["DTSTART:20260201T110000Z", "DUE:20260201T100000Z"], "due-before-start"),
        (["DUE:20260201T110000Z", "RRULE:FREQ=DAILY"], "recurrence-without-start"),
    ]) func whatIsKeptIsSaid(_ lines: [String], _ code: String) throws {
        let todo = (["BEGIN:VTODO", "UID:1"] + lines + ["END:VTODO", ""])
            .joined(separator: "\r\n")
        let text = Self.calendar(todo)
        let (out, context) = try Self.converted(text)
        #expect(out == text)
        #expect(TaskStrictTests.codes(context) == [code])
    }

    @Test func linesInsideOfComponentsAreNotDatesOfTheTask() throws {
        let text = Self.calendar(
            TaskStrictTests.todo(
                "UID:1", "DUE:20260201T100000Z", "BEGIN:VALARM", "DTSTART:20260301T000000Z",
                "RRULE:FREQ=DAILY", "END:VALARM"))
        let (out, context) = try Self.converted(text)
        #expect(out == text)
        #expect(context.report.items.isEmpty)
    }

    @Test func zonesThatAreNamedAreDefined() throws {
        let todo = TaskStrictTests.todo("UID:1", "DUE;TZID=Europe/Berlin:20260201T100000")
        let (out, context) = try Self.converted(Self.calendar(todo))
        #expect(out.contains(todo))
        #expect(out.contains("TZID:Europe/Berlin\r\n"))
        #expect(out.hasSuffix("END:VTIMEZONE\r\nEND:VCALENDAR\r\n"))
        #expect(TaskStrictTests.codes(context) == ["zone-defined"])
        // Once is enough.
        let (again, second) = try Self.converted(out)
        #expect(again == out)
        #expect(second.report.items.isEmpty)
    }

    @Test(arguments: [(1965, 1964), (1969, 1968), (1970, 1970), (1971, 1970)])
    func definitionsTellOfTheYearsOfTheirDates(_ year: Int, _ first: Int) throws {
        let todo = TaskStrictTests.todo("UID:1", "DUE;TZID=Europe/Berlin:\(year)0705T100000")
        let (out, _) = try Self.converted(Self.calendar(todo))
        #expect(out.contains("BEGIN:STANDARD\r\nDTSTART:\(first)0101T000000\r\n"))
    }

    /// The name of a zone that is no UTF-8 is in the definition what it is in the lines.
    @Test func zonesInOtherCharsetsAreDefinedAsTheyAreNamed() throws {
        let todo = TaskStrictTests.todo(
            "UID:1", "DUE;TZID=/M\u{FC}ller/Europe/Berlin:20260201T100000")
        let latin = Self.calendar(todo).unicodeScalars.map { UInt8($0.value) }
        let out = try Todos.converted(cardInput(latin), ZoneFixtures.context())
        #expect(out.contains("DUE;TZID=/M\u{FC}ller/Europe/Berlin:"))
        #expect(out.contains("\r\nTZID:/M\u{FC}ller/Europe/Berlin\r\n"))
    }

    @Test func componentsThatStandAloneGetTheirZonesToo() throws {
        let todo = TaskStrictTests.todo("UID:1", "DUE;TZID=\"Europe/Berlin\":20260201T100000")
        let (out, _) = try Self.converted(todo)
        #expect(out.contains(todo))
        #expect(out.hasSuffix("END:VTIMEZONE\r\nEND:VCALENDAR\r\n"))
    }

    @Test(arguments: [true, false]) func zonesThatAreDefinedStay(_ isFirst: Bool) throws {
        let todo = TaskStrictTests.todo("UID:1", "DUE;TZID=Europe/Berlin:20260201T100000")
        let text = isFirst ? Self.calendar(Self.berlin, todo) : Self.calendar(todo, Self.berlin)
        let (out, context) = try Self.converted(text)
        #expect(out == text)
        #expect(context.report.items.isEmpty)
    }

    @Test func zonesThatNobodyKnowsAreSaid() throws {
        let text = Self.calendar(
            TaskStrictTests.todo("UID:1", "DUE;TZID=Nowhere/X:20260201T100000"))
        let (out, context) = try Self.converted(text)
        #expect(out == text)
        #expect(TaskStrictTests.codes(context) == ["zone-unresolved"])
    }

    @Test(arguments: [
        ("COMPLETED;TZID=Europe/Berlin:20260702T090000", "COMPLETED:20260702T070000Z"),
        ("COMPLETED;X-A=b;TZID=Europe/Berlin:20260702T090000", "COMPLETED;X-A=b:20260702T070000Z"),
        ("COMPLETED:20260702T090000", "COMPLETED:20260702T090000Z"),
        ("COMPLETED;TZID=Nowhere/X:20260702T090000", "COMPLETED;TZID=Nowhere/X:20260702T090000"),
    ]) func timesOfCompletionAreUniversal(_ line: String, _ expected: String) throws {
        let todo = TaskStrictTests.todo("UID:1", "STATUS:COMPLETED", line)
        let (out, context) = try Self.converted(Self.calendar(todo))
        #expect(out.contains(expected + "\r\n"), "\(out)")
        #expect(!context.report.items.isEmpty)
        let rows = try Todos.rewritten(input(todo), ZoneFixtures.context())
        #expect(rows.contains(expected + "\r\n"), "\(rows)")
    }

    @Test func timesOfCompletionWithoutAZoneAreThoseOfTheZoneAsked() throws {
        let todo = TaskStrictTests.todo("UID:1", "STATUS:COMPLETED", "COMPLETED:20260702T090000")
        let (out, _) = try Self.converted(Self.calendar(todo), zone: "Europe/Berlin")
        #expect(out.contains("COMPLETED:20260702T070000Z\r\n"))
        let rows = try Todos.rewritten(input(todo), ZoneFixtures.context(zone: "Europe/Berlin"))
        #expect(rows.contains("COMPLETED:20260702T070000Z\r\n"))
    }
}
