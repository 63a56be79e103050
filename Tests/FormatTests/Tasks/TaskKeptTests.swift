import Foundation
import Testing

@testable import Formats

/// What task formats say besides the fields of a to-do: kept for the way back, or reported.
@Suite("task formats, kept") struct TaskKeptTests {
    static func items(_ context: ExchangeContext) -> [String] {
        context.report.items.map { "\($0.code) \($0.property ?? "")" }
    }

    static let header =
        "TYPE,CONTENT,DESCRIPTION,PRIORITY,INDENT,AUTHOR,RESPONSIBLE,DATE,DATE_LANG,TIMEZONE,"
        + "DURATION,DURATION_UNIT\r\n"

    @Test func theZoneAndTheNotesOfTodoistComeBack() throws {
        let text =
            Self.header + "task,Milk,,1,1,,,every monday,en,Europe/Berlin,,\r\n"
            + "note,a comment,,,,Me (1),,2026-01-01T00:00:00Z,,,,\r\n"
            + "task,Words,,4,1,,,jeden Tag,de,Europe/Berlin,,\r\n"
        let context = ZoneFixtures.context()
        let once = try TaskFormatTests.convert(
            text, .todoist, to: .todoist, name: "tasks", context)
        #expect(once.contains("every monday,en,Europe/Berlin,"))
        #expect(once.contains("jeden Tag,de,Europe/Berlin,"))
        #expect(once.contains("note,a comment,,,,Me (1),,2026-01-01T00:00:00Z,"))
        let ics = try TaskFormatTests.convert(text, .todoist, to: .ical, name: "tasks")
        #expect(ics.contains("X-TODOIST-TIMEZONE:Europe/Berlin\r\n"))
        #expect(
            try TaskFormatTests.convert(ics, .ical, to: .todoist, name: "tasks") == once)
    }

    @Test func whatTodoistRowsCannotSayIsReported() throws {
        let text =
            Self.header + "meta,view_style=board,,,,,,,,,,\r\nsection,A,about,,,,,,,,,\r\n"
            + "task,T,,9,x,,,,,,many,minute\r\nnote,n,,,,,You (2),,,,,\r\n"
        let context = ZoneFixtures.context()
        _ = try TaskFormatTests.read(.todoist, text, context)
        #expect(
            Self.items(context) == [
                "project-setting meta", "cell-dropped DESCRIPTION", "number-unreadable PRIORITY",
                "number-unreadable INDENT", "duration-unreadable DURATION",
                "cell-dropped RESPONSIBLE",
            ])
    }

    @Test(arguments: [
        ("(A) Call pri:B", ["pair-repeated pri"]),
        ("Call due:2026-01-01 due:2026-01-02", ["pair-repeated due"]),
        ("Call t:2026-01-01 t:2026-01-02", ["pair-repeated t"]),
        ("Call rec:1w rec:+2w", ["pair-repeated rec"]), ("Call uid:a uid:b", ["pair-repeated uid"]),
    ]) func theFirstOfSeveralPairsCounts(_ line: String, _ items: [String]) throws {
        let context = ZoneFixtures.context()
        let once = try TaskFormatTests.convert(line + "\n", .todoTxt, to: .todoTxt, context)
        #expect(once == line + "\n")
        #expect(Self.items(context).contains(items[0]))
    }

    @Test(arguments: [
        "x 2026-01-02 2026-01-01 (A) Call", "x 2026-01-02 (A) 2026-01-01 Call",
        "x (A) 2026-01-02 2026-01-01 Call", "x 2026-01-02 2026-01-01 Call pri:A",
    ])
    func thePriorityOfADoneTaskStandsAnywhereBeforeItsText(_ line: String) throws {
        let context = ZoneFixtures.context()
        let written = try TaskFormatTests.convert(line + "\n", .todoTxt, to: .todoTxt, context)
        #expect(written == "x 2026-01-02 2026-01-01 Call pri:A\n")
        // A title that looks like one stays a title.
        let marked = "x 2026-01-02 2026-01-01 - (A) Call\n"
        #expect(try TaskFormatTests.convert(marked, .todoTxt, to: .todoTxt, context) == marked)
    }

    @Test func aColonWithoutAKeyIsText() throws {
        let context = ZoneFixtures.context()
        let rows = try TaskFormatTests.read(.todoTxt, "Call :v\n", context)
        #expect(rows.first?["title"] as? String == "Call :v")
    }

    @Test(arguments: ["due:2026-02-01T09:30", "t:2026-1-5"])
    func pairsThatShouldBeDatesAreTold(_ pair: String) throws {
        let context = ZoneFixtures.context()
        let line = "Call \(pair)\n"
        #expect(try TaskFormatTests.convert(line, .todoTxt, to: .todoTxt, context) == line)
        #expect(TaskStrictTests.codes(context).contains("date-unreadable"))
    }

    @Test func aPriorityThatIsSaidTwiceIsOne() throws {
        let context = ZoneFixtures.context()
        let once = try TaskFormatTests.convert(
            "x (A) 2026-01-02 Call pri:A\n", .todoTxt, to: .todoTxt, context)
        #expect(once == "x 2026-01-02 Call pri:A\n")
        #expect(Self.items(context).isEmpty)
    }

    @Test func microsoftToDoKeepsLinksZonesAndStarts() throws {
        let text = """
            [{"title": "A", "status": "notStarted", "importance": "low",
              "dueDateTime": {"dateTime": "2026-03-02T00:00:00", "timeZone": "Pacific Standard Time"},
              "linkedResources": [
               {"webUrl": "http://l", "applicationName": "Out", "displayName": "d", "externalId": "x"},
               {"applicationName": "Other", "externalId": "y"}],
              "recurrence": {"pattern": {"type": "daily", "interval": 1},
               "range": {"type": "noEnd", "startDate": "2026-01-01"}}},
             {"title": "B", "status": "notStarted", "importance": "low",
              "recurrence": {"pattern": {"type": "daily", "interval": 1},
               "range": {"type": "noEnd", "startDate": "2026-01-01",
                "recurrenceTimeZone": "W. Europe Standard Time"}}}]
            """
        let ics = try TaskFormatTests.convert(text, .msToDo, to: .ical)
        for line in [
            "X-MS-DUE-ZONE:Pacific Standard Time",
            "ATTACH;LABEL=d;X-MS-APPLICATION=Out;X-MS-EXTERNAL-ID=x:http://l",
            "X-MS-LINK;X-MS-APPLICATION=Other;X-MS-EXTERNAL-ID=y:",
            "DTSTART;VALUE=DATE:20260101",
            "X-MS-RECURRENCE-ZONE:W. Europe Standard Time",
        ] { #expect(ics.contains(line + "\r\n"), "\(line): \(ics)") }
    }

    @Test func googleTasksKeepTheirOwnMembers() throws {
        let text = """
            {"kind": "tasks#taskLists", "items": [{"kind": "tasks#tasks", "title": "L", "items": [
             {"kind": "tasks#task", "id": "a", "title": "A", "etag": "\\"e\\"", "selfLink": "https://s",
              "webViewLink": "https://w", "task_type": "PRIORITY", "mine": "m", "other": {"b": 1}}]},
             {"title": "Empty", "items": []}]}
            """
        let context = ZoneFixtures.context()
        let once = try TaskFormatTests.convert(text, .googleTasks, to: .googleTasks, context)
        for member in [
            #""etag": "\"e\"""#, #""selfLink": "https://s""#, #""webViewLink": "https://w""#,
            #""task_type": "PRIORITY""#, #""mine": "m""#,
        ] { #expect(once.contains(member), "\(once)") }
        #expect(
            Set(Self.items(context)) == ["list-empty title", "member-unknown other"])
    }

    @Test func contentIsNoLinkOfGoogle() throws {
        let text =
            "BEGIN:VTODO\nUID:1\nSUMMARY:S\nATTACH;ENCODING=BASE64;VALUE=BINARY:aGVsbG8=\n"
            + "ATTACH:http://a\nEND:VTODO\n"
        let context = ZoneFixtures.context()
        let out = try TaskFormatTests.convert(text, .ical, to: .googleTasks, context)
        #expect(!out.contains("aGVsbG8=") && out.contains("\"link\": \"http://a\""))
        #expect(Self.items(context) == ["attachment-dropped ATTACH"])
    }

    @Test func outlookKeepsTheOldPriority() throws {
        for header in ["Schedule+ Priority", "Zeitplan+ Priorität"] {
            let text =
                (header.hasPrefix("S") ? "Subject,Due Date,Status," : "Betreff,Fällig am,Status,")
                + "\(header)\r\nA,,,A1\r\n"
            let context = ZoneFixtures.context()
            let once = try TaskFormatTests.convert(text, .outlookTasks, to: .outlookTasks, context)
            #expect(once.contains(",A1,Normal,"), "\(once)")
            #expect(Self.items(context) == [])
        }
    }

    // MARK: Alarms

    @Test(arguments: [
        ("DUE;TZID=Europe/Berlin:20260701T100000", "TRIGGER;RELATED=END:-PT15M", "9:45:00 AM"),
        ("DTSTART:20260701T100000", "TRIGGER:-PT1H", "9:00:00 AM"),
        ("DUE:20260701T100000", "TRIGGER:-PT1H", nil),
        ("DUE;VALUE=DATE:20260701", "TRIGGER;VALUE=DATE-TIME:19760401T005545Z", nil),
    ]) func outlookHasTheTimeOfARelativeAlarm(_ date: String, _ trigger: String, _ time: String?)
        throws
    {
        let text =
            "BEGIN:VTODO\nUID:1\nSUMMARY:S\n\(date)\nBEGIN:VALARM\nACTION:DISPLAY\n"
            + "DESCRIPTION:Reminder\n\(trigger)\nEND:VALARM\nEND:VTODO\n"
        let context = ZoneFixtures.context()
        let out = try TaskFormatTests.convert(text, .ical, to: .outlookTasks, context)
        #expect(out.contains("True") == (time != nil))
        if let time { #expect(out.contains("7/1/2026,\(time),"), "\(out)") }
        #expect(
            context.report.items.contains { $0.code == "alarm-dropped" } == (time == nil))
    }

    @Test func componentsThatAreNoAlarmsAreCalledByTheirName() throws {
        let text =
            "BEGIN:VTODO\nUID:1\nSUMMARY:S\nBEGIN:VALARM\nTRIGGER:-PT1M\nEND:VALARM\n"
            + "BEGIN:PARTICIPANT\nUID:p\nEND:PARTICIPANT\nBEGIN:VLOCATION\nUID:l\nEND:VLOCATION\n"
            + "END:VTODO\n"
        for format in [Format.outlookTasks, .todoist, .googleTasks, .todoTxt] {
            let context = ZoneFixtures.context()
            _ = try TaskFormatTests.convert(text, .ical, to: format, context)
            let items = context.report.items.filter { $0.code.hasSuffix("dropped") }
                .map { "\($0.code) \($0.property ?? "") \($0.count)" }
            for item in [
                "alarm-dropped components 1", "component-dropped PARTICIPANT 1",
                "component-dropped VLOCATION 1",
            ] { #expect(items.contains(item), "\(format.name): \(items)") }
        }
    }
}
