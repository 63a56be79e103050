import Foundation
import Testing

@testable import Formats

/// What is only tolerated is not passed on, and what is changed on the way is said.
@Suite("tasks, mended") struct TaskMendingTests {
    static func old(_ lines: String...) -> String {
        "BEGIN:VCALENDAR\nVERSION:1.0\nBEGIN:VTODO\n"
            + lines.map { $0 + "\n" }.joined() + "END:VTODO\nEND:VCALENDAR\n"
    }

    static func unfolded(_ text: String) -> [String] {
        TaskStrictTests.lines(text.replacingOccurrences(of: "\r\n ", with: ""))
    }

    // MARK: vCalendar 1.0

    @Test(arguments: [
        ("DUE:20260301", "DUE;VALUE=DATE:20260301"),
        ("DUE:2026-03-01T10:00:00Z", "DUE:20260301T100000Z"),
        ("COMPLETED:20260301", "COMPLETED;X-RTOOL-VALUE=DATE:20260301T000000Z"),
        ("COMPLETED:20260301T100000", "COMPLETED:20260301T100000Z"),
        (
            "DUE;TZID=Nowhere/X:20260301T100000",
            "DUE;X-RTOOL-TZID=Nowhere/X:20260301T100000"
        ),
        ("DUE:soon", "X-RTOOL-DUE:soon"), ("RNUM:3", "X-RTOOL-RNUM:3"),
        ("PRIORITY:high", "X-RTOOL-PRIORITY:high"),
        ("RESOURCES:EASEL;PROJECTOR", "RESOURCES:EASEL,PROJECTOR"),
        ("TRANSP:1", "TRANSP:TRANSPARENT"), ("GEO:37.24,-17.87", "GEO:37.24;-17.87"),
        ("EXDATE:20260303;20260305", "EXDATE;VALUE=DATE:20260303,20260305"),
        ("RRULE:D1 1200 #2", "X-RTOOL-RRULE:D1 1200 #2"),
        ("ATTENDEE:nobody", "X-RTOOL-ATTENDEE:nobody"),
        ("ATTENDEE;STATUS=CONFIRMED:MAILTO:j@x.example", nil),
        ("ATTACH;VALUE=URL:http://x/a,b", "ATTACH;VALUE=URI:http://x/a,b"),
        ("X-A;WAVE:1", "X-A;TYPE=WAVE:1"),
    ]) func oldLinesAreWrittenAsNewOnesBothWays(_ line: String, _ expected: String?) throws {
        let text = Self.old("UID:1", "SUMMARY:s", line)
        let expected =
            expected ?? "ATTENDEE;PARTSTAT=ACCEPTED;X-RTOOL-STATUS=CONFIRMED:mailto:j@x.example"
        let direct = Self.unfolded(try Todos.converted(input(text), ZoneFixtures.context()))
        let rows = Self.unfolded(try Todos.rewritten(input(text), ZoneFixtures.context()))
        for lines in [direct, rows] {
            #expect(lines.contains(expected), "\(lines)")
            #expect(!lines.contains(line))
            #expect(lines.contains("DTSTAMP") == false)
            #expect(lines.filter { $0.hasPrefix("DTSTAMP:") }.count == 1)
        }
    }

    @Test(arguments: ["COMPLETED:", "DUE:", "PRIORITY:", "STATUS:", "EXDATE:"])
    func oldLinesThatSayNothingAreLeftOut(_ line: String) throws {
        let text = Self.old("UID:1", "SUMMARY:s", line)
        let context = ZoneFixtures.context()
        #expect(!Self.unfolded(try Todos.converted(input(text), context)).contains(line))
        #expect(TaskStrictTests.codes(context).contains { $0.hasSuffix("-empty") })
        #expect(!Self.unfolded(try Todos.rewritten(input(text))).contains(line))
    }

    @Test func oldParticipantsAreAddresses() throws {
        let text = Self.old(
            "UID:1", "ATTENDEE;ROLE=OWNER;STATUS=DELEGATED:John <j@x.example>")
        let lines = Self.unfolded(try Todos.converted(input(text)))
        #expect(
            lines.contains(
                "ATTENDEE;CN=John;ROLE=CHAIR;X-RTOOL-ROLE=OWNER;PARTSTAT=DELEGATED"
                    + ":mailto:j@x.example"))
    }

    @Test func linesOfAnOldCalendarGetNamesOfOurs() throws {
        let text = Self.old("UID:1").replacingOccurrences(
            of: "VERSION:1.0\n", with: "VERSION:1.0\nTZ:-05\nDAYLIGHT:FALSE\n")
        let lines = Self.unfolded(try Todos.converted(input(text)))
        #expect(lines.contains("X-RTOOL-TZ:-05") && lines.contains("X-RTOOL-DAYLIGHT:FALSE"))
        #expect(!lines.contains("TZ:-05"))
    }

    @Test func zonesOfAnOldCalendarAreDefined() throws {
        let text = Self.old("UID:1", "DUE;TZID=Europe/Berlin:20260301T100000")
        let lines = Self.unfolded(try Todos.converted(input(text), ZoneFixtures.context()))
        #expect(lines.contains("DUE;TZID=Europe/Berlin:20260301T100000"))
        #expect(lines.filter { $0 == "TZID:Europe/Berlin" }.count == 1)
        #expect(lines.last == "END:VCALENDAR" && lines.dropLast().last == "END:VTIMEZONE")
    }

    @Test(arguments: [
        ("DTSTART:20260101T090000", "UNTIL=20261231T235959"),
        ("DTSTART:20260101T090000Z", "UNTIL=20261231T235959Z"),
        ("DTSTART:20260101", "UNTIL=20261231"),
    ]) func theEndOfARuleIsOfTheKindOfTheStart(_ start: String, _ until: String) throws {
        let text = Self.old("UID:1", "RRULE:D1 20261231", start)
        for ics in [try Todos.converted(input(text)), try Todos.rewritten(input(text))] {
            #expect(ics.contains("RRULE:FREQ=DAILY;\(until)\r\n"), "\(ics)")
        }
    }

    @Test func oldToDosWithoutAUIDGetTheSameOneBothWays() throws {
        let text = Self.old(
            "SUMMARY:a", "DESCRIPTION:b; c", "DUE:20260301", "CATEGORIES:A;B", "RRULE:W1 MO #0")
        func uid(_ ics: String) -> String? {
            Self.unfolded(ics).first { $0.hasPrefix("UID:") }
        }
        let direct = try Todos.converted(input(text))
        #expect(uid(direct)?.count == 28)
        #expect(try uid(Todos.rewritten(input(text))) == uid(direct))
        #expect(try Todos.rewritten(input(text)).contains("DTSTAMP:19700101T000000Z\r\n"))
        // It says nothing of its own.
        let context = ZoneFixtures.context()
        _ = try TaskFormatTests.convert(text, .ical, to: .todoTxt, context)
        #expect(!TaskStrictTests.codes(context).contains("uid-dropped"))
    }

    @Test func oldStartsAreOfTheKindOfTheDueDate() throws {
        let text = Self.old("UID:1", "DTSTART:20260101T090000", "DUE:20260301")
        let direct = Self.unfolded(try Todos.converted(input(text)))
        #expect(direct.contains("DTSTART;VALUE=DATE:20260101"))
        #expect(direct.contains("DUE;VALUE=DATE:20260301"))
        // A row keeps the time.
        #expect(
            TaskFormatTests.local(try #require(try Todos.read(text).first), "start")
                == "2026-01-01T09:00:00")
    }

    // MARK: iCalendar 2.0

    @Test func toleratedLinesAreMended() throws {
        let text = TaskStrictTests.todo(
            "UID:1", "DUE:20131009T170000T", "DTSTART:20260301T1000Z", "PRIORITY:",
            "COMPLETED;America/New_York:20170221T000000", "LAST-MODIFIED:")
        let context = ZoneFixtures.context()
        let ics = try Todos.converted(input(text), context)
        for line in [
            "DUE:20131009T170000", "DTSTART:20260301T100000Z", "COMPLETED:20170221T050000Z",
        ] { #expect(ics.contains("\r\n\(line)\r\n"), "\(ics)") }
        #expect(!ics.contains("PRIORITY") && !ics.contains("LAST-MODIFIED"))
        #expect(
            Set(TaskStrictTests.codes(context)).isSuperset(
                of: ["date-form", "number-empty", "bare-parameter", "date-empty"]))
        #expect(try Todos.converted(input(ics)) == ics)
    }

    @Test func emptyLinesComeBackFromRowsNoMore() throws {
        let text = TaskStrictTests.todo("UID:1", "SUMMARY:s", "COMPLETED:", "DUE:", "STATUS:")
        let context = ZoneFixtures.context()
        let ics = try Todos.rewritten(input(text), context)
        for name in ["COMPLETED", "DUE", "STATUS"] { #expect(!ics.contains(name), "\(ics)") }
        #expect(TaskStrictTests.codes(context).contains("date-empty"))
        let second = ZoneFixtures.context()
        _ = try TaskFormatTests.convert(text, .ical, to: .googleTasks, second)
        #expect(!TaskStrictTests.codes(second).contains("line-dropped"))
    }

    @Test func linesThatSayNoDateGetANameOfOurs() throws {
        let text = TaskStrictTests.todo("UID:1", "DUE:garbage", "PRIORITY:high")
        let direct = try Todos.converted(input(text))
        #expect(
            direct.contains("X-RTOOL-DUE:garbage\r\n")
                && direct.contains("X-RTOOL-PRIORITY:high\r\n"))
        #expect(!direct.contains("\r\nDUE") && !direct.contains("\r\nPRIORITY"))
        let rows = try Todos.rewritten(input(text))
        #expect(rows.contains("X-RTOOL-DUE:garbage\r\n") && !rows.contains("\r\nDUE"))
        #expect(try Todos.rewritten(input(rows)) == rows)
    }

    @Test func valuesThatICalendarDoesNotHaveAreSaid() throws {
        let (ics, context) = try TaskStrictTests.calendar(
            #"{"title": "T", "status": "open", "priority": 12, "percent": 150, "geo": "here","#
                + #" "start": "2026-02-03T10:00:00Z", "duration": "soon"}"#)
        #expect(ics.contains("X-RTOOL-DURATION:soon\r\n"))
        #expect(context.report.items.filter { $0.code == "value-unusual" }.count == 3)
    }

    @Test func zonesOfRecurrenceLinesAndOfOldDatesAreDefined() throws {
        let text = TaskStrictTests.todo(
            "UID:1", "DTSTART;TZID=Europe/Berlin:19600601T090000", "RRULE:FREQ=DAILY;COUNT=3",
            "EXDATE;TZID=America/New_York:19600602T090000")
        let lines = Self.unfolded(try Todos.rewritten(input(text), ZoneFixtures.context()))
        #expect(lines.contains("TZID:America/New_York") && lines.contains("TZID:Europe/Berlin"))
        #expect(lines.contains("DTSTART:19590101T000000"))
    }

    // MARK: Stamps

    @Test func rowsOfOtherFormatsHaveAStamp() throws {
        let rows = try TaskFormatTests.read(.ticktick, TaskFormatTests.ticktick)
        let stamps = rows.map { TaskFormatTests.local($0, "stamp") }
        let none = "1970-01-01T00:00:00"
        #expect(
            stamps == ["2026-01-01T10:00:00", "2026-01-01T10:00:00", none, none, none])
        let day = try TaskFormatTests.read(.todoTxt, "2026-01-02 A\n")
        #expect(TaskFormatTests.local(day[0], "stamp") == "2026-01-02T00:00:00")
    }

    // MARK: Done and open

    /// The lines of a to-do whose state was changed since it was read.
    static func edited(_ text: String, status: String) throws -> ([String], ExchangeContext) {
        let context = ZoneFixtures.context()
        let reader = ICalendarTodoReader(input: input(text, name: "t.ics"), context: context)
        let batch = RecordBatch(schema: reader.schema)
        #expect(try reader.next(into: batch))
        var values = batch.values(row: 0)
        values[TodoField.status.rawValue] = .string(status)
        batch.begin(class: 0)
        batch.append(values: values)
        let out = RawVector<UInt8>()
        defer { out.destroy() }
        TodoLineWriter(context: context).write(TodoRows(batch), 0, record: 1, to: out)
        return (TaskStrictTests.lines(String(decoding: out.elements, as: UTF8.self)), context)
    }

    @Test func aTaskDoneByItsStateAloneIsDoneByItsPercentage() throws {
        let text = TaskStrictTests.todo("UID:1", "STATUS:NEEDS-ACTION", "PERCENT-COMPLETE:0")
        let (lines, context) = try Self.edited(text, status: "COMPLETED")
        #expect(lines.contains("STATUS:COMPLETED") && lines.contains("PERCENT-COMPLETE:100"))
        #expect(TaskStrictTests.codes(context).contains("done-completed"))
    }

    @Test func aTaskOpenedAgainByItsStateAloneHasNoTimeOfCompletion() throws {
        let text = TaskStrictTests.todo(
            "UID:1", "STATUS:COMPLETED", "PERCENT-COMPLETE:100", "COMPLETED:20260301T100000Z")
        let (lines, context) = try Self.edited(text, status: "NEEDS-ACTION")
        #expect(
            lines == ["BEGIN:VTODO", "UID:1", "STATUS:NEEDS-ACTION", "END:VTODO"])
        #expect(TaskStrictTests.codes(context).contains("done-reopened"))
    }

    @Test(arguments: [
        ["STATUS:NEEDS-ACTION", "PERCENT-COMPLETE:100", "COMPLETED:20260301T100000Z"],
        ["STATUS:COMPLETED", "PERCENT-COMPLETE:50"], ["STATUS:IN-PROCESS", "PERCENT-COMPLETE:100"],
        ["COMPLETED:20260301T100000Z", "STATUS:NEEDS-ACTION"],
    ]) func whatTheFileItselfSaysStays(_ lines: [String]) throws {
        let text = (["BEGIN:VTODO", "UID:1"] + lines + ["END:VTODO", ""]).joined(separator: "\r\n")
        #expect(try Todos.rewritten(input(text)).contains(text))
    }

    @Test func aTimeOfCompletionInAZoneIsWrittenInUniversalTime() throws {
        let text = TaskStrictTests.todo(
            "UID:1", "STATUS:COMPLETED", "COMPLETED;TZID=Europe/Berlin:20260701T120000")
        let context = ZoneFixtures.context()
        #expect(
            try Todos.rewritten(input(text), context).contains("COMPLETED:20260701T100000Z\r\n"))
        #expect(TaskStrictTests.codes(context).contains("time-made-utc"))
    }

    // MARK: Other formats

    /// Clocks of Berlin show 02:30 twice on 25 October 2026.
    @Test(arguments: [
        ("2026-10-25T00:30:00+0000", "2026-10-25T02:30:00", "Europe/Berlin"),
        ("2026-10-25T01:30:00+0000", "2026-10-25T01:30:00", "UTC"),
    ]) func aTimeThatClocksShowTwiceStaysTheOneItIs(
        _ due: String, _ local: String, _ zone: String
    ) throws {
        let context = ZoneFixtures.context()
        let text = TaskFormatTests.ticktick.replacingOccurrences(
            of: "2026-07-01T10:00:00+0000", with: due)
        let rows = try TaskFormatTests.read(.ticktick, text, context)
        #expect(TaskFormatTests.local(rows[1], "due") == local)
        #expect((rows[1]["due"] as? [String: Any])?["tzid"] as? String == zone)
        let isKept = zone == "UTC"
        #expect(TaskStrictTests.codes(context).contains("time-kept-utc") == isKept)
        #expect(
            TaskFormatTests.extra(rows[1], "X-TICKTICK-TIMEZONE")
                == (isKept ? "Europe/Berlin" : nil))
    }

    @Test func numbersThatTickTickDoesNotHaveAreReported() throws {
        let context = ZoneFixtures.context()
        let text = TaskFormatTests.ticktick.replacingOccurrences(
            of: "\"FREQ=WEEKLY;BYDAY=MO\",\"5\",\"0\"", with: "\"\",\"9\",\"7\"")
        _ = try TaskFormatTests.read(.ticktick, text, context)
        let items = TaskKeptTests.items(context)
        #expect(items.contains("number-unreadable Priority"))
        #expect(items.contains("number-unreadable Status"))
    }

    @Test func filesAndStartsOfMicrosoftToDo() throws {
        let text = """
            [{"title": "A", "status": "notStarted", "importance": "low", "hasAttachments": true,
              "startDateTime": {"dateTime": "2026-03-29T00:00:00", "timeZone": "W. Europe Standard Time"},
              "dueDateTime": {"dateTime": "2026-03-29T22:00:00", "timeZone": "UTC"},
              "attachments": [{"name": "f.txt", "contentType": "text/plain", "contentBytes": "YWJj"}],
              "recurrence": {"pattern": {"type": "daily", "interval": 1},
               "range": {"type": "endDate", "startDate": "2026-03-29", "endDate": "2026-12-31"}}}]
            """
        let context = ZoneFixtures.context()
        let lines = Self.unfolded(
            try TaskFormatTests.convert(text, .msToDo, to: .ical, context))
        for line in [
            "ATTACH;ENCODING=BASE64;VALUE=BINARY;FMTTYPE=text/plain;FILENAME=f.txt:YWJj",
            "DTSTART;TZID=W. Europe Standard Time:20260329T000000", "DUE:20260329T220000Z",
            "RRULE:FREQ=DAILY;UNTIL=20261231T225959Z",
        ] { #expect(lines.contains(line), "\(lines)") }
        #expect(!TaskStrictTests.codes(context).contains("attachment-missing"))
    }

    @Test func daysOfMicrosoftToDoAreThoseOfTheZoneTheTaskRecursIn() throws {
        func text(_ zone: String) -> String {
            """
            [{"title": "A", "status": "notStarted", "importance": "low",
              "dueDateTime": {"dateTime": "2024-03-09T23:00:00", "timeZone": "UTC"},
              "recurrence": {"pattern": {"type": "weekly", "interval": 1, "daysOfWeek": ["sunday"]},
               "range": {"type": "noEnd", "startDate": "2024-03-10",
                "recurrenceTimeZone": "\(zone)"}}}]
            """
        }
        let known = ZoneFixtures.context()
        let lines = Self.unfolded(
            try TaskFormatTests.convert(
                text("W. Europe Standard Time"), .msToDo, to: .ical, known))
        #expect(lines.contains("DUE;VALUE=DATE:20240310"), "\(lines)")
        #expect(!TaskStrictTests.codes(known).contains("zone-assumed"))
        let unknown = ZoneFixtures.context()
        _ = try TaskFormatTests.convert(text("UTC"), .msToDo, to: .ical, unknown)
        #expect(TaskStrictTests.codes(unknown).contains("zone-assumed"))
    }

    @Test func whatTextFormatsChangeIsSaid() throws {
        let context = ZoneFixtures.context()
        _ = try TaskFormatTests.read(.todoTxt, "Two  spaces\n", context)
        #expect(TaskStrictTests.codes(context) == ["spaces-joined"])
        #expect(
            try TaskFormatTests.convert("x 2026-03-02\n", .todoTxt, to: .todoTxt)
                == "x 2026-03-02\n")
        let second = ZoneFixtures.context()
        let csv =
            TaskKeptTests.header + "task,Pay @home now,,1,1,,,,,,,\r\n"
            + "task,Deep,,4,3,,,,,,,\r\ntask,Top @a @b,,4,1,,,,,,,\r\n"
        _ = try TaskFormatTests.read(.todoist, csv, second)
        #expect(TaskKeptTests.items(second) == ["label-moved CONTENT", "indent-jump INDENT"])
        #expect(second.report.items.allSatisfy { $0.count == 1 })
    }

    @Test func itemsOfGoogleTasksStandInTheirOrder() throws {
        let text = """
            {"kind": "tasks#tasks", "title": "L", "items": [
             {"kind": "tasks#task", "id": "a", "title": "A", "position": "2", "status": "foo",
              "due": "2026-03-30T00:00:00+02:00", "starred": true},
             {"kind": "tasks#task", "id": "b", "title": "B", "position": "1"}, 5]}
            """
        let context = ZoneFixtures.context()
        let rows = try TaskFormatTests.read(.googleTasks, text, context)
        #expect(rows.map { $0["title"] as? String } == ["B", "A"])
        #expect(TaskFormatTests.local(rows[1], "due") == "2026-03-30")
        #expect(context.report.setAside == 1 && context.report.read == 3)
        #expect(TaskKeptTests.items(context).contains("value-unreadable status"))
        let more = ZoneFixtures.context()
        _ = try TaskFormatTests.read(
            .googleTasks, #"{"kind": "tasks#tasks", "nextPageToken": "x", "items": [{"id": "a"}]}"#,
            more)
        #expect(TaskStrictTests.codes(more) == ["download-incomplete"])
        let once = try TaskFormatTests.convert(text, .googleTasks, to: .googleTasks)
        #expect(once.contains("\"starred\": true"), "\(once)")
    }

    // MARK: Outlook

    @Test func datesThatBeginWithTheYearSayNothingOfTheOthers() throws {
        let text =
            "Subject,Due Date,Status\r\nA,2026-03-01,\r\nB,3/1/26,\r\nC,4/13/2026,\r\n"
            + "D,Sun 3/1/2026,\r\nE,1-Mar-26,\r\nF,3/1/2026 12:00:00 AM,\r\n"
        let context = ZoneFixtures.context()
        let rows = try TaskFormatTests.read(.outlookTasks, text, context)
        #expect(
            rows.map { TaskFormatTests.local($0, "due") } == [
                "2026-03-01", "2026-03-01", "2026-04-13", "2026-03-01", "2026-03-01", "2026-03-01",
            ])
        #expect(TaskStrictTests.codes(context).isEmpty)
    }

    @Test func wordsThatOutlookDoesNotHaveAreReported() throws {
        let text =
            "Subject,Start Date,Status,Priority,Sensitivity,% Complete,Private,Reminder On/Off\r\n"
            + "A,2026-03-01 14:00,Foo,Urgent,Secret,abc,maybe,True\r\n"
        let context = ZoneFixtures.context()
        let rows = try TaskFormatTests.read(.outlookTasks, text, context)
        #expect(TaskFormatTests.extra(rows[0], "X-MS-STATUS") == "Foo")
        #expect(
            Set(TaskKeptTests.items(context)) == [
                "time-dropped Start Date", "status-unknown Status", "value-unreadable Priority",
                "value-unreadable Sensitivity", "value-unreadable % Complete",
                "value-unreadable Private", "alarm-dropped Reminder On/Off",
            ])
    }

    // MARK: Tables

    @Test func aTableOfTheNamesOfToDosHoldsToDos() throws {
        let text =
            "title,due,status,notes,categories,priority\r\nMilk,2026-03-01,open,n,a;b,1\r\n"
            + "Done,,done,,,\r\n"
        let read = try #require(Format.csv.read)
        let context = ZoneFixtures.context()
        let source = try read(
            ReadRequest(path: "t.csv", input: input(text, name: "t.csv"), context: context))
        #expect(source.content == .tasks)
        let rows = try Todos.all(source.reader)
        #expect(rows.map { $0["title"] as? String } == ["Milk", "Done"])
        #expect(rows.map { $0["status"] as? String } == ["NEEDS-ACTION", "COMPLETED"])
        #expect(TaskFormatTests.local(rows[0], "due") == "2026-03-01")
        #expect(rows[0]["categories"] as? [String] == ["a", "b"])
        #expect(rows[0]["priority"] as? Int == 1)
        // A column that no to-do has makes it a table of something else.
        let other = try read(
            ReadRequest(
                path: "t.csv", input: input("title,author,status\r\nA,B,lent\r\n", name: "t.csv"),
                context: context))
        #expect(other.content != .tasks)
    }

    // MARK: Zones

    @Test func mapsKnowTheZonesOfTheFile() throws {
        let text =
            "BEGIN:VCALENDAR\nVERSION:2.0\nBEGIN:VTIMEZONE\nTZID:Custom\nBEGIN:STANDARD\n"
            + "DTSTART:19700101T000000\nTZOFFSETFROM:+0345\nTZOFFSETTO:+0345\nEND:STANDARD\n"
            + "END:VTIMEZONE\nBEGIN:VTODO\nUID:1\nSUMMARY:s\n"
            + "DTSTART;TZID=Custom:20260701T043000\nDUE;TZID=Custom:20260701T053000\n"
            + "END:VTODO\nEND:VCALENDAR\n"
        let context = ZoneFixtures.context(zone: "UTC")
        let reader = try AppMap.named("taskmanager").reader(
            over: ICalendarTodoReader(input: input(text, name: "t.ics"), context: context),
            context: context)
        let row = try #require(try ReadRows(reader).rows["Task"]?.first)
        #expect(row.suffix(2) == [.string("00:45"), .string("01:45")])
    }
}
