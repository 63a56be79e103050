import Foundation
import Testing

@testable import Formats

/// What the small task formats make of what they cannot say: kept, computed, or reported.
@Suite("task formats, losses") struct TaskLossTests {
    static func codes(_ context: ExchangeContext) -> [String] { context.report.items.map(\.code) }

    static func todo(_ lines: String...) -> String {
        (["BEGIN:VTODO", "UID:1"] + lines + ["END:VTODO"]).joined(separator: "\n") + "\n"
    }

    static func converted(_ lines: String..., to format: Format) throws -> (String, [String]) {
        let context = ZoneFixtures.context()
        let text = (["BEGIN:VTODO", "SUMMARY:S"] + lines + ["END:VTODO"]).joined(separator: "\n")
        let out = try TaskFormatTests.convert(text + "\n", .ical, to: format, context)
        return (out, codes(context))
    }

    @Test func googleTasksHaveIDsOfTheirOwn() throws {
        let context = ZoneFixtures.context()
        let text = Self.todo("SUMMARY:A") + Self.todo("SUMMARY:B")
        let out = try TaskFormatTests.convert(text, .ical, to: .googleTasks, context)
        #expect(out.contains("\"id\": \"1\"") && out.contains("\"id\": \"1-2\""))
        #expect(Self.codes(context).contains("uid-repeated"))
    }

    // MARK: todo.txt

    @Test(arguments: [
        "x marks the spot", "(A) on top", "2020-01-01 was a day", "- x", "- - x", "-", "- dash",
        "x", "xylophone", "(A)",
    ]) func titlesOfTodoTxtComeBack(_ title: String) throws {
        for more in [
            "", "PRIORITY:2\n", "CREATED:20260101T000000Z\n", "STATUS:COMPLETED\n",
            "STATUS:COMPLETED\nCOMPLETED:20260102T000000Z\n",
            "STATUS:COMPLETED\nCOMPLETED:20260102T000000Z\nCREATED:20260101T000000Z\n",
            "CATEGORIES:c\n",
        ] {
            let text = Self.todo("SUMMARY:" + title, more + "CLASS:PUBLIC")
            let line = try TaskFormatTests.convert(text, .ical, to: .todoTxt)
            let row = try #require(try TaskFormatTests.read(.todoTxt, line).first)
            #expect(row["title"] as? String == title, "\(line)")
            let isDone = more.contains("STATUS")
            #expect(row["status"] as? String == (isDone ? "COMPLETED" : "NEEDS-ACTION"))
            #expect(row["priority"] as? Int == (more.contains("PRIO") ? 2 : nil))
            #expect((row["created"] != nil) == line.contains("2026-01-01"))
            #expect(try TaskFormatTests.convert(line, .todoTxt, to: .todoTxt) == line)
        }
    }

    @Test func pairsInATitleAreNoFields() throws {
        let context = ZoneFixtures.context()
        let text = Self.todo("SUMMARY:due:2020-01-01 was pri:A with t:2020-01-01")
        let line = try TaskFormatTests.convert(text, .ical, to: .todoTxt, context)
        let row = try #require(try TaskFormatTests.read(.todoTxt, line).first)
        #expect(row["title"] as? String == "due: 2020-01-01 was pri: A with t: 2020-01-01")
        #expect(row["due"] == nil)
        #expect(row["start"] == nil)
        #expect(row["priority"] == nil)
        #expect(context.report.items.first { $0.code == "token-in-title" }?.count == 3)
    }

    @Test(arguments: ["+proj go", "@home go", "+a @home go", "- @home go"])
    func wordsThatLookLikeContextsStayInTitles(_ title: String) throws {
        for more in ["", "CATEGORIES:home\n", "PRIORITY:2\n"] {
            let text = Self.todo("SUMMARY:" + title, more + "CLASS:PUBLIC")
            let line = try TaskFormatTests.convert(text, .ical, to: .todoTxt)
            let row = try #require(try TaskFormatTests.read(.todoTxt, line).first)
            #expect(row["title"] as? String == title, "\(line)")
            #expect(try TaskFormatTests.convert(line, .todoTxt, to: .todoTxt) == line)
        }
        let line = try TaskFormatTests.convert(
            Self.todo("SUMMARY:@home go"), .ical, to: .todoTxt)
        let row = try #require(try TaskFormatTests.read(.todoTxt, line).first)
        #expect((row["categories"] as? [String] ?? []).isEmpty)
    }

    @Test(arguments: [("@home go", "@ home go"), ("", nil), ("-", "-"), ("- -", "- -")])
    func titlesOfTodoistComeBack(_ title: String, _ expected: String?) throws {
        let text = try TaskFormatTests.convert(
            Self.todo("SUMMARY:" + title), .ical, to: .todoist)
        let row = try #require(try TaskFormatTests.read(.todoist, text).first)
        #expect(row["title"] as? String == expected)
        #expect((row["categories"] as? [String] ?? []).isEmpty)
    }

    @Test func aLongChainOfTasksIsFlattenedAtOnce() throws {
        let chain = (0..<5_000).map {
            "BEGIN:VTODO\nUID:\($0)\nRELATED-TO:\($0 + 1)\nEND:VTODO\n"
        }
        let text = chain.joined() + "BEGIN:VTODO\nUID:5000\nEND:VTODO\n"
        let out = try TaskFormatTests.convert(text, .ical, to: .googleTasks)
        #expect(out.components(separatedBy: "\"parent\": \"5000\"").count == 5_001)
    }

    @Test func tasksWithoutATitleStayWithoutOne() throws {
        let line = try TaskFormatTests.convert(
            "BEGIN:VTODO\nUID:1\nCATEGORIES:c\nEND:VTODO\n", .ical, to: .todoTxt)
        #expect(line == "- @c\n")
        let row = try #require(try TaskFormatTests.read(.todoTxt, line).first)
        #expect(row["title"] == nil)
    }

    @Test func datesThatTodoTxtHasNoPlaceForAreReported() throws {
        let (_, codes) = try Self.converted(
            "STATUS:COMPLETED", "CREATED:20260101T000000Z", to: .todoTxt)
        #expect(codes.contains("created-dropped"))
        let (_, open) = try Self.converted(
            "STATUS:NEEDS-ACTION", "COMPLETED:20260101T000000Z", to: .todoTxt)
        #expect(open.contains("completed-dropped"))
    }

    // MARK: Durations

    @Test(arguments: [
        ("P2D", "2020-01-03"), ("P1W", "2020-01-08"), ("PT36H", "2020-01-02"),
    ]) func theDueDateOfADayIsComputed(_ duration: String, _ day: String) throws {
        for format in [Format.googleTasks, .todoist, .todoTxt, .outlookTasks] {
            let (text, codes) = try Self.converted(
                "DTSTART;VALUE=DATE:20200101", "DURATION:" + duration, to: format)
            let row = try #require(try TaskFormatTests.read(format, text).first)
            #expect(TaskFormatTests.local(row, "due") == day, "\(format.name)")
            #expect(codes.contains("due-computed"))
            #expect(!codes.contains("duration-dropped"))
        }
    }

    /// A day is a day on the calendar, hours go by the clock.
    @Test(arguments: [
        ("20260328T120000", "P1D", "2026-03-29T12:00:00"),
        ("20260328T120000", "PT24H", "2026-03-29T13:00:00"),
        ("20261024T120000", "PT24H", "2026-10-25T11:00:00"),
        ("20261024T120000", "P1DT1H", "2026-10-25T13:00:00"),
        ("20260329T013000", "PT1H", "2026-03-29T03:30:00"),
    ]) func durationsMeetDaylightSaving(_ start: String, _ duration: String, _ due: String) throws {
        let (text, _) = try Self.converted(
            "DTSTART;TZID=Europe/Berlin:" + start, "DURATION:" + duration, to: .todoist)
        let row = try #require(try TaskFormatTests.read(.todoist, text).first)
        #expect(TaskFormatTests.local(row, "due") == due)
    }

    @Test(arguments: [
        ("PT15M", 0, 900), ("P1DT2H", 1, 7200), ("P1W", 7, 0), ("PT90S", 0, 90), ("-P1D", -1, 0),
        ("+PT1H", 0, 3600), ("P0D", 0, 0),
    ]) func durationsAreDaysAndSeconds(_ text: String, _ days: Int, _ seconds: Int) throws {
        let length = try #require(TodoDuration(text))
        #expect(length.days == Int64(days))
        #expect(length.seconds == Int64(seconds))
    }

    @Test(arguments: ["", "P", "PT", "P1", "P1H", "PT1D", "P1DT", "1D", "P99999999999D"])
    func brokenDurationsAreNone(_ text: String) {
        #expect(TodoDuration(text) == nil)
    }

    // MARK: Nothing is lost without a word

    static let losses: [(String, String, [Format])] = [
        ("STATUS:IN-PROCESS", "status-dropped", [Format.googleTasks, .todoist, .todoTxt]),
        ("STATUS:FAILED", "status-dropped", [.googleTasks, .todoist, .todoTxt, .outlookTasks]),
        ("UID:abc", "uid-dropped", [.todoist, .todoTxt, .outlookTasks]),
        (
            "RELATED-TO;RELTYPE=SIBLING:x", "relation-dropped",
            [.googleTasks, .todoist, .todoTxt, .outlookTasks]
        ),
        ("PRIORITY:3", "priority-class", [.todoist, .outlookTasks]),
        ("CATEGORIES:a b", "token-spelling", [.todoist, .todoTxt]),
        ("CATEGORIES:a\\,b", "token-spelling", [.outlookTasks]),
        ("X-RTOOL-LIST:L", "list-dropped", [.todoist]),
        ("DUE:20260101T101010Z", "seconds-dropped", [.todoist]),
    ]

    @Test(arguments: losses) func lossesAreReported(
        _ line: String, _ code: String, _ formats: [Format]
    ) throws {
        for format in [Format.googleTasks, .todoist, .todoTxt, .outlookTasks] {
            let (_, codes) = try Self.converted(line, to: format)
            let isLost = formats.contains { $0.name == format.name }
            #expect(codes.contains(code) == isLost, "\(format.name): \(codes)")
        }
    }

    @Test func uidsMadeFromTheContentAreNoLoss() throws {
        let text = "Same\nSame\nSame\n(A) Other @c due:2026-01-01\n"
        let context = ZoneFixtures.context()
        let csv = try TaskFormatTests.convert(text, .todoTxt, to: .todoist, context)
        #expect(!Self.codes(context).contains("uid-dropped"))
        // Nor are they after a calendar was between.
        let ics = try TaskFormatTests.convert(text, .todoTxt, to: .ical)
        let second = ZoneFixtures.context()
        #expect(try TaskFormatTests.convert(ics, .ical, to: .todoist, second) == csv)
        #expect(!Self.codes(second).contains("uid-dropped"))
    }

    @Test func childrenNamedByTheirParentStandBelowIt() throws {
        let text =
            "BEGIN:VTODO\nUID:p\nSUMMARY:P\nRELATED-TO;RELTYPE=CHILD:c\n"
            + "RELATED-TO;RELTYPE=CHILD:gone\nEND:VTODO\nBEGIN:VTODO\nUID:c\nSUMMARY:C\nEND:VTODO\n"
        for format in [Format.todoist, .googleTasks] {
            let context = ZoneFixtures.context()
            let out = try TaskFormatTests.convert(text, .ical, to: format, context)
            let rows = try TaskFormatTests.read(format, out)
            #expect(TaskFormatTests.parent(rows[1]) == rows[0]["uid"] as? String)
            #expect(context.report.items.first { $0.code == "relation-dropped" }?.count == 1)
        }
    }

    @Test func subTasksStayInTheListOfTheirParent() throws {
        let context = ZoneFixtures.context()
        let out = try TaskFormatTests.convert(
            TaskFormatTests.ticktick, .ticktick, to: .googleTasks, context)
        #expect(!out.contains("My Tasks"))
        let rows = try TaskFormatTests.read(.googleTasks, out)
        #expect(rows.allSatisfy { TaskFormatTests.extra($0, "X-RTOOL-LIST") == "Home" })
        let text =
            "BEGIN:VTODO\nUID:p\nSUMMARY:P\nX-RTOOL-LIST:A\nEND:VTODO\n"
            + "BEGIN:VTODO\nUID:c\nSUMMARY:C\nX-RTOOL-LIST:B\nRELATED-TO:p\nEND:VTODO\n"
        let second = ZoneFixtures.context()
        let moved = try TaskFormatTests.convert(text, .ical, to: .googleTasks, second)
        #expect(!moved.contains("\"B\""))
        #expect(Self.codes(second).contains("list-dropped"))
    }

    @Test(arguments: [nil, "America/New_York", "Australia/Sydney"])
    func daysOfCompletionNeverShift(_ zone: String?) throws {
        let context = ZoneFixtures.context(zone: zone)
        let out = try TaskFormatTests.convert(
            "x 2026-01-02 a\n", .todoTxt, to: .googleTasks, context)
        #expect(out.contains("\"completed\": \"2026-01-02T00:00:00.000Z\""))
        #expect(Self.codes(context).contains("day-made-time"))
    }

    @Test func linksOfGoogleKeepTheirKindAndName() throws {
        let text = """
            {"kind": "tasks#tasks", "items": [{"kind": "tasks#task", "id": "a", "title": "A",
             "links": [{"type": "email", "description": "Re: a; \\"b\\"", "link": "https://m/1"}]}]}
            """
        let once = try TaskFormatTests.convert(text, .googleTasks, to: .googleTasks)
        #expect(
            once.contains(
                "{\"type\": \"email\", \"description\": \"Re: a; \\\"b\\\"\", \"link\": \"https://m/1\"}"
            ))
    }

    // MARK: Words of Graph

    @Test(arguments: [
        #"{"value":[{"id":"1","title":"T","status":"notStarted","importance":"normal"}]}"#,
        #"[{"title": "T", "status": "completed", "importance": "high"}]"#,
        #"{"value":[{"title":"T","status":"deferred","recurrence":{"pattern":{"type":"daily"}}}]}"#,
    ]) func tasksWithoutDatesAreKnown(_ text: String) throws {
        let source = input(text)
        let found = try withExtendedLifetime(source) {
            try Registry.detect("export.json", source.bytes).name
        }
        #expect(found == "ms-todo")
    }

    @Test(arguments: [
        #"[{"title": "T", "status": "open", "importance": "high"}]"#,
        #"[{"title": "T", "status": "completed", "importance": 3}]"#,
        #"[{"title": "T", "status": "completed"}]"#,
    ]) func othersAreNot(_ text: String) throws {
        let source = input(text)
        let found = try withExtendedLifetime(source) {
            try Registry.detect("export.json", source.bytes).name
        }
        #expect(found == "json")
    }

    @Test func objectsMaySpeakGraphToo() throws {
        let text = """
            [{"title": "A", "status": "waitingOnOthers", "importance": "high",
              "recurrence": {"pattern": {"type": "daily", "interval": 2}}},
             {"title": "B", "status": "on hold", "notes": {"a": 1}},
             {"title": "C", "summary": "D", "status": "FAILED"}]
            """
        let context = ZoneFixtures.context()
        let ics = try TaskFormatTests.convert(text, .json, to: .ical, wish: .tasks, context)
        for line in [
            "STATUS:NEEDS-ACTION", "X-MS-STATUS:waitingOnOthers", "PRIORITY:1",
            "RRULE:FREQ=DAILY;INTERVAL=2", "X-JSON-FIELD;LABEL=status:on hold",
            "STATUS:CANCELLED\r\nX-RTOOL-STATUS:FAILED",
        ] { #expect(ics.contains(line + "\r\n"), "\(line)") }
        #expect(!ics.contains("STATUS:on hold"))
        #expect(
            Set(Self.codes(context))
                == [
                    "status-unknown", "value-unreadable", "duplicate-member", "status-mapped",
                    "recurrence-without-start",
                ])
    }

    @Test func membersNobodyKnowsAreKept() throws {
        let text = #"{"value":[{"title":"T","status":"notStarted","importance":"low","mine":"x"}]}"#
        let ics = try TaskFormatTests.convert(text, .msToDo, to: .ical)
        #expect(ics.contains("X-JSON-FIELD;LABEL=mine:x\r\n"))
    }

    @Test func midnightOfTheOwnersZoneIsADay() throws {
        let text = """
            [{"title": "T", "status": "notStarted", "importance": "low", "dueDateTime":
             {"dateTime": "2026-02-04T23:00:00.0000000", "timeZone": "UTC"}}]
            """
        let row = try TaskFormatTests.read(
            .msToDo, text, ZoneFixtures.context(zone: "Europe/Berlin"))
        #expect(TaskFormatTests.local(row[0], "due") == "2026-02-05")
        let plain = try TaskFormatTests.read(.msToDo, text)
        #expect(TaskFormatTests.local(plain[0], "due") == "2026-02-04T23:00:00")
    }

    @Test func deadlinesOfTodoistComeBack() throws {
        let text =
            "TYPE,CONTENT,DESCRIPTION,PRIORITY,INDENT,AUTHOR,RESPONSIBLE,DATE,DATE_LANG,TIMEZONE,"
            + "DURATION,DURATION_UNIT,DEADLINE,DEADLINE_LANG,NEW\r\n"
            + "task, A ,\" x \",1,1,,,,,,,,2026-03-03,en,?\r\n"
        let context = ZoneFixtures.context()
        let once = try TaskFormatTests.convert(text, .todoist, to: .todoist, context)
        #expect(once.contains("2026-03-03,en\r\n"))
        let row = try #require(try TaskFormatTests.read(.todoist, once).first)
        #expect(row["title"] as? String == " A ")
        #expect(row["notes"] as? String == " x ")
        #expect(Self.codes(context).contains("column-unknown"))
    }

    @Test func anAlarmThatSaysMoreIsReported() throws {
        let alarm =
            "BEGIN:VALARM\nACTION:%\nDESCRIPTION:Reminder\nTRIGGER:20260101T090000Z\nEND:VALARM"
        for (action, isMore) in [("AUDIO", true), ("DISPLAY", false)] {
            let (_, codes) = try Self.converted(
                alarm.replacingOccurrences(of: "%", with: action), to: .outlookTasks)
            #expect(codes.contains("alarm-simplified") == isMore)
        }
    }

    // MARK: vCalendar 1.0

    @Test(arguments: [
        ("D1 #5", "FREQ=DAILY;COUNT=5"), ("D2", "FREQ=DAILY;INTERVAL=2;COUNT=2"),
        ("W1 MO FR #0", "FREQ=WEEKLY;BYDAY=MO,FR"),
        ("W2 TU 19971224T000000Z", "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU;UNTIL=19971224T000000Z"),
        ("MP1 1+ MO TU 2- FR #3", "FREQ=MONTHLY;BYDAY=1MO,1TU,-2FR;COUNT=3"),
        ("MD1 1 15- LD #0", "FREQ=MONTHLY;BYMONTHDAY=1,-15,-1"),
        ("YM1 6 7 #0", "FREQ=YEARLY;BYMONTH=6,7"),
        (
            "YD3 1 100 #10",
            "FREQ=YEARLY;INTERVAL=3;BYYEARDAY=1,100;COUNT=10"
        ),
        ("D1 1200 #2", nil), ("FREQ=DAILY", nil), ("", nil), ("X1", nil), ("D0", nil),
        ("MP1 MO", nil), ("MD1 32", nil),
    ]) func oldRulesAreSpelledAnew(_ text: String, _ rule: String?) {
        #expect(LegacyRecurrence.rule(text) == rule)
    }

    @Test func oldCalendarsAreWrittenAsNewOnes() throws {
        let text =
            "BEGIN:VCALENDAR\nVERSION:1.0\nBEGIN:VTODO\nSUMMARY:a\nRRULE:D1 #5\n"
            + "EXDATE:20260402T100000;20260403T100000\nEND:VTODO\nEND:VCALENDAR\n"
        let context = ZoneFixtures.context()
        let ics = try Todos.rewritten(input(text, name: "t.vcs"), context)
        #expect(ics.contains("RRULE:FREQ=DAILY;COUNT=5\r\n"))
        #expect(ics.contains("EXDATE:20260402T100000,20260403T100000\r\n"))
        #expect(Self.codes(context).contains("recurrence-spelling"))
    }

    // MARK: iCalendar from rows

    @Test func theStampIsTheTimeOfTheLastChange() throws {
        let ics = try TaskFormatTests.convert(TaskFormatTests.google, .googleTasks, to: .ical)
        #expect(ics.contains("DTSTAMP:20260102T030405Z\r\n"))
        let line = try TaskFormatTests.convert("2026-01-01 A\n", .todoTxt, to: .ical)
        #expect(line.contains("DTSTAMP:20260101T000000Z\r\n"))
        // Where no time is known, it is always the same one.
        let other = try TaskFormatTests.convert("A\n", .todoTxt, to: .ical)
        #expect(other.contains("DTSTAMP:19700101T000000Z\r\n"))
    }

    @Test(arguments: [
        "BEGIN:VTODO\nEND:VTODO\nBEGIN:VTODO\nEND:VTODO\nBEGIN:VTODO\nX-A:1\nEND:VTODO\n",
        "BEGIN:VTODO\nSUMMARY:a\nEND:VTODO\nBEGIN:VTODO\nSUMMARY:a\nEND:VTODO\n",
        "BEGIN:VTODO\nUID:\nSUMMARY:a\nEND:VTODO\nBEGIN:VTODO\nSUMMARY:a\nEND:VTODO\n",
    ]) func equalToDosWithoutAUIDGetNone(_ text: String) throws {
        let once = try Todos.rewritten(input(text, name: "t.ics"))
        #expect(
            once.components(separatedBy: "UID:").count == text.components(separatedBy: "UID:").count
        )
        #expect(try Todos.rewritten(input(once, name: "t.ics")) == once)
        let before = try Todos.read(text).map { $0["_id"] as? String }
        #expect(try Todos.read(once).map { $0["_id"] as? String } == before)
    }

    @Test(arguments: [
        ("SEQUENCE:x\nSEQUENCE:5", 5), ("SEQUENCE:x\nSEQUENCE:5\nSEQUENCE:7", 5),
        ("SEQUENCE:\nSEQUENCE: 5", 5), ("SEQUENCE:x\nSEQUENCE:y", nil),
        ("SEQUENCE:4\nSEQUENCE:y", 4),
    ]) func theFirstLineThatSaysANumberCounts(_ lines: String, _ number: Int?) throws {
        let text = "BEGIN:VTODO\nUID:1\n\(lines)\nEND:VTODO\n"
        #expect(try Todos.read(text).first?["sequence"] as? Int == number)
        let once = try Todos.rewritten(input(text, name: "t.ics"))
        #expect(try Todos.read(once).first?["sequence"] as? Int == number)
        #expect(try Todos.rewritten(input(once, name: "t.ics")) == once)
    }

    @Test(arguments: ["\u{0C}4", "4\u{0C}", "\u{A0}4", "\u{2003}4", "a,\u{0B}4"])
    func spaceAroundANumberMakesNoHeaderOfIt(_ name: String) {
        let text = Array((name + "\n").utf8)
        text.withUnsafeBytes {
            let plain = CSVSniffer.sniff($0).hasHeader
            let trimmed = name.split(separator: ",").map { HeaderNames.trim(String($0)) }
            Array((trimmed.joined(separator: ",") + "\n").utf8).withUnsafeBytes {
                #expect(CSVSniffer.sniff($0).hasHeader == plain)
            }
        }
    }

    // MARK: The small apps

    private func manager(_ text: String, _ format: Format = .csv) throws -> (
        rows: [[Value]], report: Report
    ) {
        let context = ZoneFixtures.context()
        let map = try AppMap.named("taskmanager")
        let read = try #require(format.read)
        let source = try read(
            ReadRequest(
                path: "t", input: input(text, name: "t"), context: context,
                wish: .rowsOrRecords(map.reading)))
        let rows = try ReadRows(map.minting(source.reader, context: context)).rows["Task"] ?? []
        return (rows.map { Array($0.dropFirst()) }, context.report)
    }

    @Test func timesOfDayAreReadAsPeopleWriteThem() throws {
        let (rows, report) = try manager(
            "name,type,startTime,endTime\nA,B,3:05 PM,15:70\nC,D,9:05,12:00 am\nE,F,25:00,\n"
                + "G,H,07:00,noon\n")
        #expect(
            rows.map { $0.suffix(2) } == [
                [.string("15:05"), .string("01:00")], [.string("09:05"), .string("00:00")],
                [.string("00:00"), .string("01:00")], [.string("07:00"), .string("01:00")],
            ])
        func count(_ code: String, _ property: String) -> Int? {
            report.items.first { $0.code == code && $0.property == property }?.count
        }
        #expect(count("time-unreadable", "endTime") == 2)
        #expect(count("time-unreadable", "startTime") == 1)
        #expect(count("no-endTime", "endTime") == 1)
        let (objects, _) = try manager(
            #"[{"name":"A","type":"B","startTime":"3:05 PM","endTime":"4 pm"}]"#, .json)
        #expect(objects.map { $0.suffix(2) } == [[.string("15:05"), .string("16:00")]])
    }

    @Test func theDayOfATimeAndTheStateBetweenAreReported() throws {
        let context = ZoneFixtures.context()
        let reader = try AppMap.named("taskmanager").reader(
            over: ICalendarTodoReader(
                input: input(
                    Self.todo(
                        "DTSTART:20200701T100000", "DUE:20200701T110000", "SUMMARY:s",
                        "STATUS:NEEDS-ACTION"),
                    name: "t.ics"), context: context), context: context)
        _ = try ReadRows(reader)
        // Being open needs no place.
        #expect(!context.report.items.contains { $0.property == "status" })
        let days = context.report.items.filter { $0.code == "day-dropped" }
        #expect(days.map(\.property) == ["start", "due"])
        #expect(days.map(\.value) == ["2020-07-01", "2020-07-01"])
        let second = ZoneFixtures.context()
        // A day is a day on the calendar, hours go by the clock.
        let third = ZoneFixtures.context()
        let late = try AppMap.named("taskmanager").reader(
            over: ICalendarTodoReader(
                input: input(
                    Self.todo("DTSTART:20260328T120000", "DURATION:P1DT1H30M", "SUMMARY:s"),
                    name: "t.ics"), context: third), context: third)
        #expect(try ReadRows(late).rows["Task"]?.first?.last == .string("13:30"))
        let todo = try AppMap.named("realmtodo").reader(
            over: ICalendarTodoReader(
                input: input(
                    Self.todo("STATUS:IN-PROCESS", "PERCENT-COMPLETE:40", "SUMMARY:s"),
                    name: "t.ics"), context: second), context: second)
        _ = try ReadRows(todo)
        let lost = second.report.items.filter { $0.code == "not-in-class" }
        #expect(Set(lost.compactMap(\.property)) == ["uid", "status", "percent"])
    }
}
