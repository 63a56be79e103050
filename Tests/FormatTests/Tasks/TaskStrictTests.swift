import Foundation
import Testing

@testable import Formats

/// What is written of iCalendar is what RFC 5545 allows, and comes back as it was.
@Suite("iCalendar, strict writing") struct TaskStrictTests {
    static func codes(_ context: ExchangeContext) -> [String] { context.report.items.map(\.code) }

    static func todo(_ lines: String...) -> String {
        (["BEGIN:VTODO"] + lines + ["END:VTODO"]).joined(separator: "\r\n") + "\r\n"
    }

    static func lines(_ text: String) -> [String] {
        text.components(separatedBy: "\r\n").filter { !$0.isEmpty }
    }

    /// The text of a record of JSON as a calendar, and what was noted.
    static func calendar(_ record: String) throws -> (String, ExchangeContext) {
        let context = ZoneFixtures.context()
        let text = try TaskFormatTests.convert(
            "[\(record)]", .json, to: .ical, wish: .tasks, context)
        return (text, context)
    }

    // MARK: States

    @Test(arguments: [
        ("DELEGATED", "NEEDS-ACTION"), ("FAILED", "CANCELLED"), ("DECLINED", "CANCELLED"),
        ("IN PROGRESS", "IN-PROCESS"), ("SENT", "NEEDS-ACTION"),
    ]) func otherStatesStandBesideTheNearestOne(_ word: String, _ state: String) throws {
        let old =
            "BEGIN:VCALENDAR\nVERSION:1.0\nBEGIN:VTODO\nUID:1\nSUMMARY:s\nPRIORITY:1\n"
            + "STATUS:\(word)\nCLASS:PUBLIC\nEND:VTODO\nEND:VCALENDAR\n"
        let context = ZoneFixtures.context()
        let ics = try Todos.rewritten(input(old), context)
        #expect(ics.contains("STATUS:\(state)\r\nX-RTOOL-STATUS:\(word)\r\n"), "\(ics)")
        #expect(Self.codes(context).contains("status-mapped"))
        let row = try #require(try Todos.read(ics).first)
        #expect(row["status"] as? String == word)
        #expect(row["extras"] == nil)
        #expect(try Todos.rewritten(input(ics)) == ics)
        // The lines of the file say the same.
        let converted = try Todos.converted(input(old))
        #expect(converted.contains("STATUS:\(state)\r\nX-RTOOL-STATUS:\(word)\r\n"))
        #expect(try Todos.read(converted).first?["status"] as? String == word)
    }

    @Test func aStateInAnUnusualPlaceComesBack() throws {
        let text = Self.todo(
            "STATUS:NEEDS-ACTION", "X-RTOOL-STATUS:DELEGATED", "UID:1", "SUMMARY:s",
            "DUE;VALUE=DATE:20260701", "PRIORITY:1")
        let row = try #require(try Todos.read(text).first)
        #expect(row["status"] as? String == "DELEGATED")
        #expect(try Todos.rewritten(input(text)).contains(text))
    }

    @Test func aStateThatWasChangedSinceCounts() throws {
        let text = Self.todo("UID:1", "STATUS:COMPLETED", "X-RTOOL-STATUS:DELEGATED")
        let row = try #require(try Todos.read(text).first)
        #expect(row["status"] as? String == "COMPLETED")
        #expect(TaskFormatTests.extra(row, "X-RTOOL-STATUS") == "DELEGATED")
        #expect(try Todos.rewritten(input(text)).contains(Self.lines(text)[2]))
    }

    @Test func statesOfACalendarFileStay() throws {
        let text = Self.todo("UID:1", "SUMMARY:s", "STATUS:DELEGATED", "PRIORITY:1")
        let ics = try Todos.rewritten(input(text))
        #expect(ics.contains(text.replacingOccurrences(of: "BEGIN:VTODO\r\n", with: "")))
        #expect(try Todos.converted(input(text)).contains("STATUS:DELEGATED\r\n"))
    }

    @Test func eventsHaveStatesOfTheirOwn() throws {
        let old =
            "BEGIN:VCALENDAR\nVERSION:1.0\nBEGIN:VEVENT\nSTATUS:ACCEPTED\nEND:VEVENT\n"
            + "BEGIN:VEVENT\nSTATUS:NEEDS ACTION\nTRANSP:1\nEND:VEVENT\n"
            + "BEGIN:VEVENT\nSTATUS:TENTATIVE\nEND:VEVENT\nEND:VCALENDAR\n"
        let new = try Todos.converted(input(old))
        let states = Self.lines(new).filter { $0.contains("STATUS") || $0.hasPrefix("TRANSP") }
        #expect(
            states == [
                "STATUS:CONFIRMED", "X-RTOOL-STATUS:ACCEPTED", "X-RTOOL-STATUS:NEEDS ACTION",
                "TRANSP:TRANSPARENT", "STATUS:TENTATIVE",
            ])
        #expect(try Todos.converted(input(new)) == new)
    }

    // MARK: Alarms of vCalendar 1.0

    static let alarms: [(String, [String])] = [
        (
            "DALARM:20260701T090000Z;PT5M;2;Wake, up",
            [
                "ACTION:DISPLAY", "DESCRIPTION:Wake\\, up",
                "TRIGGER;VALUE=DATE-TIME:20260701T090000Z", "DURATION:PT5M", "REPEAT:2",
            ]
        ),
        (
            "DALARM:20260701T083000;;;",
            ["ACTION:DISPLAY", "DESCRIPTION:Reminder", "TRIGGER;RELATED=END:-PT1H30M"]
        ),
        (
            "AALARM;TYPE=WAVE:20260701T110000;;;file.wav",
            ["ACTION:AUDIO", "X-RTOOL-SOUND:file.wav", "TRIGGER;RELATED=END:PT1H"]
        ),
        (
            "AALARM;TYPE=PCM;VALUE=URL:20260701T100000;;;http://x/a.pcm",
            ["ACTION:AUDIO", "ATTACH:http://x/a.pcm", "TRIGGER;RELATED=END:PT0S"]
        ),
        (
            "MALARM:20260701T090000Z;;;a@b.example;Hello",
            [
                "ACTION:EMAIL", "ATTENDEE:mailto:a@b.example", "SUMMARY:Hello",
                "DESCRIPTION:Hello", "TRIGGER;VALUE=DATE-TIME:20260701T090000Z",
            ]
        ),
        ("PALARM:20260701T090000Z;;;run me", []), ("DALARM:soon;;;x", []),
        ("DALARM:20260701T090000Z;;3;x", []), ("MALARM:20260701T090000Z;;;nobody", []),
    ]

    @Test(arguments: alarms) func oldAlarmsAreComponents(_ line: String, _ expected: [String])
        throws
    {
        let old =
            "BEGIN:VCALENDAR\nVERSION:1.0\nBEGIN:VTODO\nUID:1\n\(line)\nSUMMARY:s\n"
            + "DUE:20260701T100000\nEND:VTODO\nEND:VCALENDAR\n"
        let context = ZoneFixtures.context()
        let row = try #require(try Todos.read(old, context).first)
        let second = ZoneFixtures.context()
        let converted = Self.lines(try Todos.converted(input(old), second))
        guard !expected.isEmpty else {
            #expect(row["components"] == nil)
            #expect(TaskFormatTests.extra(row, "X-RTOOL-" + line.prefix(6)) != nil)
            #expect(converted.contains("X-RTOOL-" + line))
            #expect(Self.codes(context) == ["alarm-kept"])
            #expect(Self.codes(second).contains("alarm-kept"))
            return
        }
        let alarm = ["BEGIN:VALARM"] + expected + ["END:VALARM"]
        #expect(row["components"] as? [String] == [alarm.joined(separator: "\n")])
        #expect(row["extras"] == nil)
        #expect(Self.codes(context) == ["alarm-spelling"])
        let at = try #require(converted.firstIndex(of: "BEGIN:VALARM"))
        #expect(Array(converted[at...].prefix(alarm.count)) == alarm)
        #expect(converted[at + alarm.count] == "END:VTODO")
        #expect(!converted.contains { $0.hasPrefix(line.prefix(6)) })
    }

    @Test func anAlarmWithoutAZoneNeedsADateToCountFrom() throws {
        let old =
            "BEGIN:VCALENDAR\nVERSION:1.0\nBEGIN:VTODO\nUID:1\nDALARM:20260701T090000;;;x\n"
            + "DUE:20260701T100000Z\nEND:VTODO\nBEGIN:VEVENT\nAALARM:20260701T090000;;;\n"
            + "DTSTART:20260701T093000\nDTEND:20260701T100000\nEND:VEVENT\nEND:VCALENDAR\n"
        let new = try Todos.converted(input(old))
        #expect(new.contains("X-RTOOL-DALARM:20260701T090000;;;x\r\n"))
        #expect(new.contains("ACTION:AUDIO\r\nTRIGGER:-PT30M\r\n"))
    }

    // MARK: What every component needs

    @Test func oldComponentsGetAUIDAStampAndAProduct() throws {
        let old =
            "BEGIN:VCALENDAR\nVERSION:1.0\nBEGIN:VTODO\nSUMMARY:a\nDCREATED:20260101T000000Z\n"
            + "END:VTODO\nBEGIN:VTODO\nSUMMARY:a\nDCREATED:20260101T000000Z\nEND:VTODO\n"
            + "BEGIN:VTODO\nUID:mine\nDTSTAMP:20250101T000000Z\nEND:VTODO\nEND:VCALENDAR\n"
        let new = try Todos.converted(input(old))
        let lines = Self.lines(new)
        #expect(lines[2] == "PRODID:-//rtool//rtool//EN")
        #expect(Set(lines.filter { $0.hasPrefix("UID:") }).count == 3)
        #expect(
            lines.filter { $0.hasPrefix("DTSTAMP") } == [
                "DTSTAMP:20260101T000000Z", "DTSTAMP:20260101T000000Z", "DTSTAMP:20250101T000000Z",
            ])
        #expect(lines.filter { $0 == "CREATED:20260101T000000Z" }.count == 2)
        #expect(try Todos.converted(input(old)) == new)
        #expect(try Todos.converted(input(new)) == new)
    }

    @Test func whatCameFromACalendarGetsNoStamp() throws {
        for uid in ["UID:1", "UID:570f4b9d5a3c2e0001a1b2c3", "X-A:1"] {
            let text = Self.todo(uid, "SUMMARY:s", "CREATED:20260101T000000Z")
            #expect(try !Todos.rewritten(input(text)).contains("DTSTAMP"))
        }
    }

    @Test func recordsOfOthersGetOne() throws {
        let (ics, _) = try Self.calendar(#"{"uid": "a", "title": "T", "status": "done"}"#)
        #expect(ics.contains("DTSTAMP:19700101T000000Z\r\n"))
        let (dated, _) = try Self.calendar(
            #"{"uid": "a", "title": "T", "status": "open", "created": "2026-01-01T10:00:00Z"}"#)
        #expect(dated.contains("DTSTAMP:20260101T100000Z\r\n"))
    }

    // MARK: Days and times

    @Test func aDayOfCompletionIsAMomentThatComesBackAsADay() throws {
        let line = "x 2026-02-28 2026-01-01 Done\n"
        let ics = try TaskFormatTests.convert(line, .todoTxt, to: .ical)
        #expect(ics.contains("COMPLETED;X-RTOOL-VALUE=DATE:20260228T000000Z\r\n"))
        #expect(ics.contains("CREATED;X-RTOOL-VALUE=DATE:20260101T000000Z\r\n"))
        for zone in [nil, "America/New_York"] {
            let back = try TaskFormatTests.convert(
                ics, .ical, to: .todoTxt, ZoneFixtures.context(zone: zone))
            #expect(back == line)
        }
        #expect(try Todos.rewritten(input(ics)) == ics)
    }

    @Test(arguments: ["COMPLETED;VALUE=DATE:20260228", "CREATED;VALUE=DATE:20260228"])
    func daysOfACalendarFileStay(_ line: String) throws {
        let ics = try Todos.rewritten(input(Self.todo("UID:1", line)))
        #expect(ics.contains("\(line)\r\n"))
    }

    @Test func timesOfCompletionAreUniversal() throws {
        let (ics, context) = try Self.calendar(
            #"{"title": "T", "completed": {"datetime": "2026-07-01T12:00:00", "zone": "Europe/Berlin"},"#
                + #" "due": {"datetime": "2026-07-01T12:00:00", "zone": "Europe/Berlin"}}"#)
        #expect(ics.contains("COMPLETED:20260701T100000Z\r\n"))
        #expect(ics.contains("DUE;TZID=Europe/Berlin:20260701T120000\r\n"))
        #expect(Self.codes(context).contains("time-made-utc"))
        let text = Self.todo("UID:1", "COMPLETED:20260701T120000")
        #expect(try Todos.rewritten(input(text)).contains("COMPLETED:20260701T120000Z\r\n"))
        // A to-do that is known by its content keeps it.
        let unnamed = Self.todo("SUMMARY:s", "COMPLETED:20260701T120000")
        #expect(try Todos.rewritten(input(unnamed)).contains("COMPLETED:20260701T120000\r\n"))
    }

    @Test(arguments: [
        (#""duration": "PT30M""#, "X-RTOOL-DURATION"),
        (#""duration": "PT30M", "due": "2026-02-03T10:00:00Z""#, "X-RTOOL-DURATION"),
        (
            #""duration": "PT30M", "start": "2026-02-03T10:00:00Z", "due": "2026-02-03T11:00:00Z""#,
            "X-RTOOL-DURATION"
        ), (#""duration": "PT30M", "start": "2026-02-03T10:00:00Z""#, "DURATION"),
    ]) func aDurationNeedsAStartAndNoDueDate(_ members: String, _ name: String) throws {
        let (ics, _) = try Self.calendar("{\"title\": \"T\", \"status\": \"open\", \(members)}")
        #expect(ics.contains("\r\n\(name):PT30M\r\n"))
        let row = try #require(try Todos.read(ics).first)
        #expect(row["duration"] as? String == "PT30M")
        #expect(row["extras"] == nil)
        #expect(try Todos.rewritten(input(ics)) == ics)
    }

    @Test(arguments: [
        ["DURATION:PT30M"], ["DUE:20260203T100000Z", "DURATION:PT30M"],
        ["DTSTART:20260203T100000Z", "X-RTOOL-DURATION:PT30M"],
        ["DURATION:PT30M", "X-RTOOL-DURATION:PT10M"],
    ]) func durationsOfACalendarFileStay(_ lines: [String]) throws {
        let text = (["BEGIN:VTODO", "UID:1"] + lines + ["END:VTODO", ""]).joined(separator: "\r\n")
        #expect(try Todos.rewritten(input(text)).contains(text))
        #expect(try Todos.read(text).first?["duration"] as? String == "PT30M")
    }

    @Test func whatIsNoRuleIsNoLineOfRecurrence() throws {
        let (ics, context) = try Self.calendar(
            #"{"title": "T", "status": "open", "recurrence": ["every day", "FREQ=DAILY"]}"#)
        #expect(ics.contains("RRULE:FREQ=DAILY\r\n"))
        #expect(ics.contains("X-JSON-FIELD;LABEL=recurrence:every day\r\n"))
        #expect(Self.codes(context).contains("recurrence-unknown"))
        let csv = TaskFormatTests.ticktick.replacingOccurrences(
            of: "FREQ=WEEKLY;BYDAY=MO", with: "ERULE:NAME=CUSTOM;BYDATE=20260101")
        let second = ZoneFixtures.context()
        let rows = try TaskFormatTests.read(.ticktick, csv, second)
        #expect(rows[0]["recurrence"] == nil)
        #expect(
            TaskFormatTests.extra(rows[0], "X-TICKTICK-REPEAT")
                == "ERULE:NAME=CUSTOM\\;BYDATE=20260101")
        #expect(Self.codes(second).contains("recurrence-unknown"))
    }
}
