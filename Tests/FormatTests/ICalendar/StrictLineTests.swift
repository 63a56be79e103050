// Lines that strict readers of iCalendar refuse, from calendar to calendar.

import Foundation
import Testing

@testable import Formats

@Suite("Lines that strict readers refuse") struct StrictLineTests {
    private func convert(_ line: String, by middle: String? = nil) throws -> (Set<String>, Report) {
        let place = try ImportPlace()
        let head =
            "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\nBEGIN:VTODO\r\nUID:u\r\n"
            + (line.hasPrefix("DTSTAMP") ? "" : "DTSTAMP:20260101T000000Z\r\n") + "SUMMARY:s\r\n"
        var input = try place.write("a.ics", head + line + "\r\nEND:VTODO\r\nEND:VCALENDAR\r\n")
        if let middle {
            try place.convert(input, to: middle)
            input = place.path(middle)
        }
        let report = try place.convert(input, to: "b.ics")
        let text = try place.text("b.ics").replacingOccurrences(of: "\r\n ", with: "")
        return (Set(text.components(separatedBy: "\r\n")), report)
    }

    @Test(arguments: [
        ("GEO:37.24,-17.87", "GEO:37.24;-17.87", "geo-form"),
        ("GEO:37.24", "X-RTOOL-GEO:37.24", "value-unusual"),
        ("DURATION:P1Y", "X-RTOOL-DURATION:P1Y", "value-unusual"),
        ("DURATION:1H", "X-RTOOL-DURATION:1H", "value-unusual"),
        (
            "COMPLETED:20260301", "COMPLETED;X-RTOOL-VALUE=DATE:20260301T000000Z",
            "day-made-time"
        ),
        (
            "COMPLETED;VALUE=DATE:20260301", "COMPLETED;X-RTOOL-VALUE=DATE:20260301T000000Z",
            "day-made-time"
        ),
        ("DTSTAMP:20260301", "DTSTAMP;X-RTOOL-VALUE=DATE:20260301T000000Z", "day-made-time"),
        ("COMPLETED:20260301T100000", "COMPLETED:20260301T100000Z", "zone-assumed"),
        ("DUE;VALUE=DATE:20260301T100000", "DUE;VALUE=DATE:20260301", "date-form"),
        ("DUE;TZID=Europe/Berlin:20260301T100000Z", "DUE:20260301T100000Z", "date-form"),
        ("PRIORITY:10", "X-RTOOL-PRIORITY:10", "value-unusual"),
        ("PERCENT-COMPLETE:101", "X-RTOOL-PERCENT-COMPLETE:101", "value-unusual"),
        ("SUM MARY:x", "X-RTOOL-SUM-MARY:x", "name-unreadable"),
        (":v", "X-RTOOL-LINE:v", "name-unreadable"),
        ("DESCRIPTION;X=\"a:b", "DESCRIPTION;X=a:b", "quote-open"),
        ("DESCRIPTION;X=\"a;b\"c:v", "DESCRIPTION;X=\"a;bc\":v", "quote-open"),
        (
            "ATTACH;ENCODING=BASE64;VALUE=BINARY:!!!!",
            "X-RTOOL-ATTACH;ENCODING=BASE64;VALUE=BINARY:!!!!", "value-unusual"
        ),
    ])
    func linesAreMended(_ line: String, _ expected: String, _ code: String) throws {
        let (lines, report) = try convert(line)
        #expect(lines.contains(expected), "\(lines)")
        #expect(!lines.contains(line), "\(lines)")
        #expect(report.items.contains { $0.code == code }, "\(report.items)")
    }

    @Test(
        "what is right stays",
        arguments: [
            "GEO:37.24;-17.87", "PRIORITY:9", "PERCENT-COMPLETE:0", "DURATION:PT1H", "X_A:b",
            "ATTACH;ENCODING=BASE64;VALUE=BINARY:AAEC", "COMPLETED:20260301T100000Z",
            "DESCRIPTION;X=\"a:b\":c", "DESCRIPTION;X=\"a;b\",c:d", "X-RTOOL-DURATION:1H",
            "CREATED:20260301T100000",
        ])
    func whatIsRightStays(_ line: String) throws {
        let (lines, report) = try convert(line)
        #expect(lines.contains(line), "\(lines)")
        #expect(report.items.isEmpty, "\(report.items)")
    }

    @Test func aPriorityThatIsNoNumberIsKeptOnTheWayByJSON() throws {
        let (lines, report) = try convert("PRIORITY:high", by: "m.json")
        #expect(lines.contains("X-RTOOL-PRIORITY:high"), "\(lines)")
        #expect(report.items.contains { $0.code == "number-unreadable" })
    }

    @Test(
        "times of 1.0 are those of the zone that the calendar names",
        arguments: ["b.ics", "b.json"])
    func timesOfOldCalendars(_ name: String) throws {
        let place = try ImportPlace()
        let input = try place.write(
            "a.vcs",
            "BEGIN:VCALENDAR\r\nVERSION:1.0\r\nTZ:-05\r\n"
                + "DAYLIGHT:TRUE;-04;20260308T020000;20261101T020000;EST;EDT\r\n"
                + "BEGIN:VTODO\r\nSUMMARY:s\r\nDCREATED:20260401T120000\r\n"
                + "LAST-MODIFIED:20260102T000000\r\nDUE:20260701T100000\r\nEND:VTODO\r\n"
                + "END:VCALENDAR\r\n")
        try place.convert(input, to: name)
        if name == "b.json" { try place.convert(place.path(name), to: "b.ics") }
        let text = try place.text("b.ics")
        for line in [
            "LAST-MODIFIED:20260102T050000Z", "CREATED:20260401T160000Z", "DUE:20260701T100000",
        ] { #expect(text.contains(line + "\r\n"), "\(text)") }
    }
}
