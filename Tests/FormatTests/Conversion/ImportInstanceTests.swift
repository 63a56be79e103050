// Instances of a recurring to-do are the same when their moment is, however it is spelled.

import Foundation
import Testing

@testable import Formats

@Suite("Instances that come in") struct ImportInstanceTests {
    private static func calendar(_ parts: String...) -> String {
        "BEGIN:VCALENDAR\r\nVERSION:2.0\r\n" + parts.joined() + "END:VCALENDAR\r\n"
    }

    private static func instance(_ moment: String, _ title: String) -> String {
        TaskStrictTests.todo("UID:rec", "RECURRENCE-ID" + moment, "SUMMARY:" + title)
    }

    private static let custom =
        "BEGIN:VTIMEZONE\r\nTZID:Mine\r\nBEGIN:STANDARD\r\n"
        + "DTSTART:19700101T000000\r\nTZOFFSETFROM:+0345\r\nTZOFFSETTO:+0345\r\n"
        + "END:STANDARD\r\nEND:VTIMEZONE\r\n"

    private func importing(
        _ first: String, _ second: String, zone: String? = nil, match: String? = nil
    ) throws -> (Report, String) {
        var options = ExchangeOptions()
        options.extra["zoneinfo"] = ZoneFixtures.context().options.extra["zoneinfo"]
        options.zone = zone
        let place = try ImportPlace()
        try place.importing([place.write("a.ics", first)], into: "t.realm", options: options)
        let report = try place.importing(
            [place.write("b.ics", second)], into: "t.realm", options: options
        ) {
            if let match { try $0.options.setMatch(match) }
        }
        try place.convert(place.path("t.realm"), to: "t.ics")
        return (report, try place.text("t.ics"))
    }

    @Test(
        arguments: [
            (";TZID=Europe/Berlin:20260102T080000", ":20260102T070000Z"),
            (":20260102T070000Z", ";TZID=Europe/Berlin:20260102T080000"),
            (
                ";TZID=\"W. Europe Standard Time\":20260102T080000",
                ";TZID=America/New_York:20260102T020000"
            ),
            (";TZID=Mine:20260102T080000", ":20260102T041500Z"),
            (":20260102T080000", ":20260102T080000"),
            (";VALUE=DATE:20260102", ";VALUE=DATE:20260102"),
        ], [nil, "uid"] as [String?])
    func theSameMomentIsTheSameInstance(_ forms: (String, String), _ match: String?) throws {
        let (report, text) = try importing(
            Self.calendar(Self.custom, Self.instance(forms.0, "open")),
            Self.calendar(Self.custom, Self.instance(forms.1, "done")), match: match)
        #expect(report.merged == 1 && report.written == 0, "\(text)")
        #expect(text.contains("SUMMARY:done") && !text.contains("SUMMARY:open"))
        // It stays as it is spelled in the store.
        #expect(text.contains("RECURRENCE-ID" + forms.0 + "\r\n"), "\(text)")
    }

    @Test func anotherSpellingAloneIsNoChange() throws {
        let (report, _) = try importing(
            Self.calendar(Self.instance(";TZID=Europe/Berlin:20260702T080000", "a")),
            Self.calendar(Self.instance(":20260702T060000Z", "a")))
        #expect(report.skipped == 1)
    }

    @Test(arguments: [
        (";TZID=Europe/Berlin:20260102T080000", ":20260102T060000Z"),
        (";TZID=Europe/Berlin:20260102T080000", ";TZID=America/New_York:20260102T090000"),
        (";TZID=Europe/Berlin:20260102T080000", ":20260102T070000"),
        (";VALUE=DATE:20260102", ":20260102T000000Z"),
    ]) func anotherMomentIsAnotherInstance(_ first: String, _ second: String) throws {
        let (report, text) = try importing(
            Self.calendar(Self.instance(first, "one")),
            Self.calendar(Self.instance(second, "two")))
        #expect(report.written == 1, "\(text)")
        #expect(text.contains("SUMMARY:one") && text.contains("SUMMARY:two"))
    }

    @Test func aTimeWithoutAZoneIsThatOfTheZoneAsked() throws {
        let (report, _) = try importing(
            Self.calendar(Self.instance(";TZID=Europe/Berlin:20260102T080000", "one")),
            Self.calendar(Self.instance(":20260102T080000", "two")), zone: "Europe/Berlin")
        #expect(report.merged == 1)
    }

    @Test func theSeriesIsNoInstanceOfItself() throws {
        let (report, text) = try importing(
            Self.calendar(Self.instance(":20260102T070000Z", "one")),
            Self.calendar(TaskStrictTests.todo("UID:rec", "SUMMARY:all")))
        #expect(report.written == 1, "\(text)")
    }

    @Test func otherWordsForAKnownZoneAreNoChange() throws {
        let todo = TaskStrictTests.todo("UID:1", "DUE;TZID=Europe/Berlin:20260102T080000")
        let berlin = Self.custom.replacingOccurrences(of: "Mine", with: "Europe/Berlin")
        let (report, _) = try importing(Self.calendar(todo), Self.calendar(berlin, todo))
        #expect(report.skipped == 1)
        // A zone that only its definition tells of is another thing.
        let mine = todo.replacingOccurrences(of: "Europe/Berlin", with: "Mine")
        let (second, _) = try importing(Self.calendar(mine), Self.calendar(Self.custom, mine))
        #expect(second.merged == 1)
    }
}
