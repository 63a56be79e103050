import Foundation
import Testing

@testable import Formats

/// The task formats of other programs, on small inputs made here.
@Suite("task formats") struct TaskFormatTests {
    static func read(
        _ format: Format, _ text: String, name: String = "tasks",
        _ context: ExchangeContext = ZoneFixtures.context()
    ) throws -> [[String: Any]] {
        let read = try #require(format.read)
        let source = try read(
            ReadRequest(path: name, input: input(text, name: name), context: context))
        return try Todos.all(source.reader)
    }

    static func convert(
        _ text: String, _ from: Format, to: Format, name: String = "tasks",
        wish: ReadWish = .whatItIs,
        _ context: ExchangeContext = ZoneFixtures.context()
    ) throws -> String {
        let read = try #require(from.read)
        let write = try #require(to.write)
        let source = try read(
            ReadRequest(path: name, input: input(text, name: name), context: context, wish: wish))
        return try Todos.written(source.reader) { sink in
            try write(
                WriteRequest(
                    sink: sink, schema: source.reader.schema, classIndex: 0, content: .tasks,
                    context: context))
        }
    }

    static func local(_ row: [String: Any], _ name: String) -> String? {
        (row[name] as? [String: Any])?["local"] as? String
    }

    static func extra(_ row: [String: Any], _ name: String) -> String? {
        (row["extras"] as? [[String: Any]])?.first { $0["name"] as? String == name }?["value"]
            as? String
    }

    static func parent(_ row: [String: Any]) -> String? {
        (row["relations"] as? [[String: Any]])?.first?["uid"] as? String
    }

    // MARK: Google Tasks

    static let google = """
        {"kind": "tasks#taskLists", "items": [{"kind": "tasks#tasks", "title": "Home", "items": [
         {"kind": "tasks#task", "id": "b", "title": "Child", "parent": "a", "status": "needsAction",
          "updated": "2026-01-02T03:04:05.678Z", "position": "00000000000000000001"},
         {"kind": "tasks#task", "id": "a", "title": "Tax, \\"all\\"", "notes": "two\\nlines",
          "status": "completed", "due": "2026-02-05T00:00:00.000Z",
          "completed": "2026-01-03T10:00:00.000Z", "hidden": true,
          "links": [{"type": "email", "link": "https://mail.example/1"}]},
         {"kind": "tasks#task", "id": "c", "title": "Gone", "deleted": true, "status": "needsAction"}
        ]}]}
        """

    @Test func googleTasksAreDaysAndTrees() throws {
        let context = ZoneFixtures.context()
        let rows = try Self.read(.googleTasks, Self.google, context)
        #expect(rows.map { $0["title"] as? String } == ["Child", "Tax, \"all\""])
        #expect(Self.parent(rows[0]) == "a")
        #expect(Self.local(rows[1], "due") == "2026-02-05")
        #expect((rows[1]["due"] as? [String: Any])?["tzid"] == nil)
        #expect(rows[1]["status"] as? String == "COMPLETED")
        #expect(rows[1]["percent"] as? Int == 100)
        #expect(Self.local(rows[1], "completed") == "2026-01-03T10:00:00")
        #expect(Self.local(rows[0], "modified") == "2026-01-02T03:04:05")
        #expect(Self.extra(rows[1], "X-RTOOL-LIST") == "Home")
        #expect(context.report.read == 3)
        #expect(context.report.skipped == 1)
    }

    @Test func googleTasksComeBack() throws {
        let once = try Self.convert(Self.google, .googleTasks, to: .googleTasks)
        let twice = try Self.convert(once, .googleTasks, to: .googleTasks)
        #expect(once == twice)
        let rows = try Self.read(.googleTasks, once)
        #expect(rows.map { $0["uid"] as? String } == ["b", "a"])
        #expect(Self.local(rows[1], "due") == "2026-02-05")
    }

    @Test(arguments: ["Call +F\tamily now", "Call +F\u{A0}amily now", "Call @a\u{2003}b now"])
    func wordsOfATitleAreNoNewTokens(_ line: String) throws {
        let once = try Self.convert(line + "\n", .todoTxt, to: .todoTxt)
        #expect(once == line + "\n")
    }

    // MARK: Circles

    @Test func circlesAreRefusedWithTheirPath() throws {
        let context = ZoneFixtures.context()
        let text = """
            {"kind": "tasks#tasks", "items": [{"kind": "tasks#task", "id": "a", "parent": "c"},
             {"kind": "tasks#task", "id": "b", "parent": "a"},
             {"kind": "tasks#task", "id": "c", "parent": "b"},
             {"kind": "tasks#task", "id": "d", "parent": "d"}]}
            """
        let rows = try Self.read(.googleTasks, text, context)
        #expect(rows.compactMap(Self.parent).count == 2)
        let items = context.report.items.filter { $0.code == "relation-cycle" }
        #expect(items.map(\.count) == [2])
        #expect(items.first?.value?.contains("a → c → b → a") == true)
    }

    @Test func aTreeOfAnyDepthIsBuiltWithoutRecursion() {
        let edges = (0..<200_000).map { TodoTree.Edge(child: "\($0)", parent: "\($0 + 1)") }
        #expect(TodoTree(edges).refused.isEmpty)
        let ring = edges + [TodoTree.Edge(child: "200000", parent: "0")]
        #expect(TodoTree(ring).refused.count == 1)
    }

    // MARK: todo.txt

    @Test(arguments: [
        "(A) 2026-01-01 Call mom +Family @phone due:2026-02-05",
        "x 2026-01-02 2026-01-01 Post the letter @errand pri:B",
        "Plain text only", "x Done without dates", "Talk to @anna about +house tomorrow",
        "(Z) Last letter", "See https://example.com/a:b now", "Pay rent t:2026-01-28 rec:1m",
        "Strict rec:+2w", "Odd key:value", "x (B) 2026-01-02 keeps its letter",
    ]) func todoTxtLinesComeBack(_ line: String) throws {
        let back = try Self.convert(line + "\n", .todoTxt, to: .todoTxt)
        let expected =
            line == "x (B) 2026-01-02 keeps its letter"
            ? "x 2026-01-02 keeps its letter pri:B"
            : line == "Strict rec:+2w" ? "Strict rec:+2w" : line
        #expect(back == expected + "\n")
    }

    @Test func todoTxtFieldsAreFound() throws {
        let rows = try Self.read(
            .todoTxt,
            "\n(B) 2026-01-01 Call +Family @phone due:2026-02-05 rec:1w\nx 2026-01-02 2026-01-01 Done\n"
        )
        #expect(rows.count == 2)
        #expect(rows[0]["title"] as? String == "Call")
        #expect(rows[0]["priority"] as? Int == 2)
        #expect(rows[0]["categories"] as? [String] == ["phone"])
        #expect(Self.local(rows[0], "due") == "2026-02-05")
        #expect(rows[0]["recurrence"] as? [String] == ["RRULE:FREQ=WEEKLY"])
        #expect(Self.local(rows[1], "completed") == "2026-01-02")
        #expect(Self.local(rows[1], "created") == "2026-01-01")
        #expect((rows[0]["uid"] as? String)?.count == 24)
        #expect(rows[0]["uid"] as? String == rows[0]["_id"] as? String)
    }

    // MARK: Todoist

    static let todoist =
        "\u{FEFF}TYPE,CONTENT,DESCRIPTION,PRIORITY,INDENT,AUTHOR,RESPONSIBLE,DATE,"
        + "DATE_LANG,TIMEZONE,DURATION,DURATION_UNIT\r\n"
        + "task,Pay rent @home,\"two\nlines\",1,1,Me (1),,every month,en,Europe/Berlin,,\r\n"
        + "note,Remember the receipt,,,,,,,,,,\r\n"
        + "task,Sub,,4,2,,,2026-02-05 14:30,en,Europe/Berlin,45,minute\r\n"
        + "task,Sub sub,,2,3,,,next friday,en,,,\r\n"
        + ",,,,,,,,,,,\r\n"
        + "section,Later,,,,,,,,,,\r\n"
        + "task,Other,,3,1,,,2026-02-06,en,,,\r\n"

    @Test func todoistIndentationMakesTheTree() throws {
        let rows = try Self.read(.todoist, Self.todoist, name: "dir/Home [22ab].csv")
        #expect(rows.map { $0["title"] as? String } == ["Pay rent", "Sub", "Sub sub", "Other"])
        #expect(rows.map { $0["priority"] as? Int } == [1, nil, 5, 9])
        #expect(rows[0]["categories"] as? [String] == ["home"])
        #expect(rows[0]["recurrence"] as? [String] == ["RRULE:FREQ=MONTHLY"])
        #expect(rows[0]["notes"] as? String == "two\nlines")
        #expect(Self.extra(rows[0], "COMMENT") == "Remember the receipt")
        #expect(Self.extra(rows[0], "X-RTOOL-LIST") == "Home")
        #expect(Self.parent(rows[1]) == rows[0]["uid"] as? String)
        #expect(Self.parent(rows[2]) == rows[1]["uid"] as? String)
        #expect(Self.parent(rows[3]) == nil)
        #expect(Self.local(rows[1], "due") == "2026-02-05T14:30:00")
        #expect((rows[1]["due"] as? [String: Any])?["zone"] as? String == "Europe/Berlin")
        #expect(rows[1]["duration"] as? String == "PT45M")
        #expect(Self.extra(rows[2], "X-TODOIST-DATE") == "next friday")
        #expect(Self.local(rows[3], "due") == "2026-02-06")
        #expect(Self.extra(rows[3], "X-RTOOL-SECTION") == "Later")
    }

    @Test func todoistComesBack() throws {
        let once = try Self.convert(Self.todoist, .todoist, to: .todoist, name: "Home.csv")
        let twice = try Self.convert(once, .todoist, to: .todoist, name: "Home.csv")
        #expect(once == twice)
        let before = try Self.read(.todoist, Self.todoist, name: "Home.csv")
        let after = try Self.read(.todoist, once, name: "Home.csv")
        #expect(NSArray(array: before) == NSArray(array: after))
    }

    // MARK: TickTick

    static let ticktick =
        "\u{FEFF}\"Date: 2026-01-01+0000\"\n\"Version: 7.1\"\n"
        + "\"Status: \n0 Normal\n1 Completed\n2 Archived\"\n"
        + "\"Folder Name\",\"List Name\",\"Title\",\"Kind\",\"Tags\",\"Content\",\"Is Check list\","
        + "\"Start Date\",\"Due Date\",\"Reminder\",\"Repeat\",\"Priority\",\"Status\","
        + "\"Created Time\",\"Completed Time\",\"Order\",\"Timezone\",\"Is All Day\","
        + "\"Is Floating\",\"Column Name\",\"Column Order\",\"View Mode\",\"taskId\",\"parentId\"\n"
        + "\"\",\"Home\",\"All day\",\"TEXT\",\"red, blue\",\"note\",\"N\","
        + "\"2026-10-09T22:00:00+0000\",\"2026-10-09T22:00:00+0000\",\"P0DT9H0M0S\","
        + "\"FREQ=WEEKLY;BYDAY=MO\",\"5\",\"0\",\"2026-01-01T10:00:00+0000\",\"\",\"-1\","
        + "\"Europe/Berlin\",\"true\",\"false\",\"\",\"\",\"list\",\"1\",\"\"\n"
        + "\"\",\"Home\",\"Timed\",\"CHECKLIST\",\"\",\"text\n\u{25AB}one\n\u{25AA}two\",\"Y\",\"\","
        + "\"2026-07-01T10:00:00+0000\",\"\",\"\",\"1\",\"2\",\"2026-01-01T10:00:00+0000\","
        + "\"2026-07-01T11:00:00+0000\",\"0\",\"Europe/Berlin\",\"false\",\"false\",\"\",\"\","
        + "\"list\",\"2\",\"1\"\n"
        + "\"\",\"Home\",\"Never\",\"TEXT\",\"\",\"\",\"N\",\"\",\"\",\"\",\"\",\"0\",\"-1\","
        + "\"\",\"\",\"0\",\"Europe/Berlin\",\"false\",\"false\",\"\",\"\",\"list\",\"3\",\"\"\n"

    @Test func tickTickDaysAreThoseOfTheTasksZone() throws {
        let rows = try Self.read(.ticktick, Self.ticktick)
        #expect(
            rows.map { $0["title"] as? String } == ["All day", "Timed", "one", "two", "Never"])
        #expect(Self.local(rows[0], "due") == "2026-10-10")
        #expect(rows[0]["priority"] as? Int == 1)
        #expect(rows[0]["categories"] as? [String] == ["red", "blue"])
        #expect(rows[0]["recurrence"] as? [String] == ["RRULE:FREQ=WEEKLY;BYDAY=MO"])
        #expect(
            (rows[0]["components"] as? [String])?.first?.contains("TRIGGER:P0DT9H0M0S")
                == true)
        #expect(Self.local(rows[1], "due") == "2026-07-01T12:00:00")
        #expect((rows[1]["due"] as? [String: Any])?["tzid"] as? String == "Europe/Berlin")
        #expect(rows[1]["status"] as? String == "COMPLETED")
        #expect(rows[1]["notes"] as? String == "text")
        #expect(Self.parent(rows[1]) == "1")
        #expect(Self.parent(rows[2]) == "2")
        #expect(rows[3]["status"] as? String == "COMPLETED")
        #expect(rows[4]["status"] as? String == "CANCELLED")
    }

    // MARK: Microsoft To Do

    static let microsoft = """
        {"value": [{"displayName": "Work", "tasks": [{"id": "m1", "title": "Report",
         "status": "inProgress", "importance": "high",
         "body": {"content": "<p>One &amp; two</p><p>three</p>", "contentType": "html"},
         "createdDateTime": "2026-01-01T10:00:00.1234567Z",
         "dueDateTime": {"dateTime": "2026-02-05T00:00:00.0000000", "timeZone": "UTC"},
         "reminderDateTime": {"dateTime": "2026-02-04T09:00:00.0000000",
          "timeZone": "W. Europe Standard Time"}, "isReminderOn": true,
         "recurrence": {"pattern": {"type": "relativeMonthly", "interval": 2,
          "daysOfWeek": ["monday"], "index": "last"}, "range": {"type": "endDate",
          "endDate": "2026-12-31"}}, "categories": ["Red"],
         "checklistItems": [{"id": "i1", "displayName": "Step", "isChecked": true}]}]}]}
        """

    @Test func microsoftToDoIsRead() throws {
        let rows = try Self.read(.msToDo, Self.microsoft)
        #expect(rows.map { $0["title"] as? String } == ["Report", "Step"])
        #expect(rows[0]["status"] as? String == "IN-PROCESS")
        #expect(rows[0]["priority"] as? Int == 1)
        #expect(rows[0]["notes"] as? String == "One & two\nthree")
        #expect(Self.local(rows[0], "due") == "2026-02-05")
        #expect(Self.local(rows[0], "created") == "2026-01-01T10:00:00")
        #expect(
            rows[0]["recurrence"] as? [String]
                == ["RRULE:FREQ=MONTHLY;INTERVAL=2;BYDAY=-1MO;UNTIL=20261231"])
        #expect(
            (rows[0]["components"] as? [String])?.first?.contains("20260204T080000Z") == true)
        #expect(Self.parent(rows[1]) == "m1")
        #expect(rows[1]["status"] as? String == "COMPLETED")
        #expect(Self.extra(rows[0], "X-RTOOL-LIST") == "Work")
    }

    // MARK: Outlook

    @Test func outlookTasksAreReadInTheirLanguages() throws {
        let english =
            "Subject,Start Date,Due Date,Date Completed,% Complete,Priority,Status,"
            + "Categories,Notes,Private\r\n"
            + "Tax,2/1/2026,2/15/2026,0/0/00,0.5,High,In Progress,a;b,\"x\r\ny\",False\r\n"
            + "Done,,,3/4/2026,1,Low,Completed,,,True\r\n"
        let rows = try Self.read(.outlookTasks, english)
        #expect(Self.local(rows[0], "start") == "2026-02-01")
        #expect(Self.local(rows[0], "due") == "2026-02-15")
        #expect(rows[0]["percent"] as? Int == 50)
        #expect(rows[0]["priority"] as? Int == 1)
        #expect(rows[0]["status"] as? String == "IN-PROCESS")
        #expect(rows[0]["categories"] as? [String] == ["a", "b"])
        #expect(rows[0]["notes"] as? String == "x\ny")
        #expect(rows[1]["status"] as? String == "COMPLETED")
        #expect(Self.local(rows[1], "completed") == "2026-03-04")
        #expect(rows[1]["classification"] as? String == "PRIVATE")
        let german =
            "Betreff;Beginnt am;Fällig am;Erledigt am;% erledigt;Priorität;Status;Kategorien\r\n"
            + "Steuer;1.2.2026;15.2.2026;;0;Hoch;Nicht begonnen;Haus\r\n"
        let row = try #require(try Self.read(.outlookTasks, german).first)
        #expect(Self.local(row, "due") == "2026-02-15")
        #expect(row["priority"] as? Int == 1)
        #expect(row["status"] as? String == "NEEDS-ACTION")
    }

    @Test func outlookTasksComeBack() throws {
        let text =
            "Subject,Start Date,Due Date,Date Completed,% Complete,Priority,Status,Notes\r\n"
            + "Tax,2/1/2026,2/15/2026,,50,High,In Progress,\"x, \"\"y\"\"\"\r\n"
        let once = try Self.convert(text, .outlookTasks, to: .outlookTasks)
        let twice = try Self.convert(once, .outlookTasks, to: .outlookTasks)
        #expect(once == twice)
        let row = try #require(try Self.read(.outlookTasks, once).first)
        #expect(row["notes"] as? String == "x, \"y\"")
        #expect(row["percent"] as? Int == 50)
        #expect(Self.local(row, "due") == "2026-02-15")
    }

    @Test func recurringTasksOfTodoistKeepTheirTime() throws {
        let text =
            "BEGIN:VTODO\nUID:1\nSUMMARY:S\nDUE;TZID=Europe/Berlin:20260329T143000\n"
            + "RRULE:FREQ=WEEKLY\nEND:VTODO\n"
        let context = ZoneFixtures.context()
        let csv = try Self.convert(text, .ical, to: .todoist, context)
        #expect(csv.contains("every week at 14:30 starting 2026-03-29"))
        let row = try #require(try Self.read(.todoist, csv).first)
        #expect(Self.local(row, "due") == "2026-03-29T14:30:00")
        #expect((row["due"] as? [String: Any])?["zone"] as? String == "Europe/Berlin")
        #expect(row["recurrence"] as? [String] == ["RRULE:FREQ=WEEKLY"])
        #expect(Self.extra(row, "X-TODOIST-DATE") == nil)
    }

    @Test func objectsWithTheNamesOfOthersAreToDos() throws {
        let text = """
            {"todos": [{"uid": null, "summary": "A", "description": "b\\nc", "due": "2026-02-05",
              "percent": 50.0, "related": [{"type": "PARENT", "uid": "x"}], "flag": 7,
              "rrule": ["FREQ=DAILY"], "unknown": [
               {"name": "X-A", "params": [["P", "q"]], "value": "v"},
               {"name": "EXDATE", "params": [["VALUE", "DATE"]], "value": "20260101"}]},
             {"title": "B", "done": true, "due": {"datetime": "2026-02-05T10:00:00",
              "zone": "Europe/Berlin"}}, "no object"]}
            """
        let context = ZoneFixtures.context()
        let ics = try Self.convert(text, .json, to: .ical, wish: .tasks, context)
        for line in [
            "SUMMARY:A", "DESCRIPTION:b\\nc", "DUE;VALUE=DATE:20260205", "PERCENT-COMPLETE:50",
            "RELATED-TO;RELTYPE=PARENT:x", "X-JSON-FIELD;LABEL=flag:7", "RRULE:FREQ=DAILY",
            "X-A;P=q:v", "EXDATE;VALUE=DATE:20260101", "STATUS:COMPLETED",
            "DUE;TZID=Europe/Berlin:20260205T100000",
        ] { #expect(ics.contains(line + "\r\n"), "\(line)") }
        #expect(context.report.read == 3)
        #expect(context.report.written == 2)
        #expect(context.report.setAside == 1)
    }

    @Test func linesThatAFieldRepeatsAreNoLoss() throws {
        let text = "BEGIN:VTODO\nDESCRIPTION:d\nSUMMARY:S\nUID:1\nEND:VTODO\n"
        let context = ZoneFixtures.context()
        _ = try Self.convert(text, .ical, to: .googleTasks, context)
        #expect(context.report.items.map(\.code) == [])
    }

    // MARK: All pairs

    static let inputs: [(String, Format, String)] = [
        ("google", .googleTasks, google), ("todoist", .todoist, todoist),
        ("ticktick", .ticktick, ticktick), ("ms", .msToDo, microsoft),
        ("todotxt", .todoTxt, "(A) One +P @c due:2026-01-02 rec:1w\nx 2026-01-02 Two\n"),
        (
            "outlook", .outlookTasks,
            "Subject,Due Date,Status,% Complete\r\nA,1/2/2026,Completed,100\r\n"
        ),
        (
            "ical", .ical,
            "BEGIN:VTODO\nUID:1\nSUMMARY:S\nDUE;TZID=Europe/Berlin:20260329T023000\n"
                + "RRULE:FREQ=WEEKLY\nSTATUS:CANCELLED\nPERCENT-COMPLETE:30\nEND:VTODO\n"
        ),
    ]

    @Test(
        arguments: inputs.indices,
        [
            Format.ical, .googleTasks, .todoist, .todoTxt, .outlookTasks,
        ].indices) func everyPairConvertsAndTheNumbersAddUp(_ from: Int, _ to: Int) throws
    {
        let target = [Format.ical, .googleTasks, .todoist, .todoTxt, .outlookTasks][to]
        let (_, format, text) = Self.inputs[from]
        let context = ZoneFixtures.context(zone: "Europe/Berlin")
        let written = try Self.convert(text, format, to: target, context)
        let report = context.report
        #expect(
            report.read == report.written + report.setAside + report.skipped + report.merged,
            "\(format.name) to \(target.name)")
        let rows = try Self.read(target, written)
        #expect(rows.count == report.written)
    }

    @Test(arguments: inputs) func formatsKnowTheirOwn(
        _ name: String, _ format: Format, _ text: String
    ) throws {
        let names = [
            "google": "Tasks.json", "ms": "export.json", "todotxt": "todo.txt", "ical": "a.ics",
        ]
        let source = input(text)
        let found = try withExtendedLifetime(source) {
            try Registry.detect(names[name] ?? "export.csv", source.bytes)
        }
        // Outlook's tasks are a CSV, which finds the header when it is opened.
        #expect(found.name == (name == "outlook" ? "csv" : format.name))
        guard name == "outlook", let read = found.read else { return }
        for (wish, content) in [
            (ReadWish.whatItIs, Format.Content.tasks), (.tasks, .tasks), (.plainRows, .rows),
        ] {
            let context = ZoneFixtures.context()
            let opened = try read(
                ReadRequest(path: "t.csv", input: source, context: context, wish: wish))
            #expect(opened.content == content)
        }
    }

    @Test(arguments: [
        ("list.csv", "TYPE,CONTENT\r\na,b\r\n", "csv"),
        ("list.csv", "Title,Status,Priority\r\na,b,c\r\n", "csv"),
        ("sep.csv", "sep=,\r\nTYPE,CONTENT,PRIORITY,INDENT\r\ntask,a,4,1\r\n", "todoist"),
        ("notes.json", "[{\"title\": \"a\", \"status\": \"b\"}]", "json"),
        ("todo.txt", "Buy milk\nPost the letter\n", "todotxt"),
        ("done.txt", "x One, two\nx Three, four\n", "todotxt"),
    ]) func namesAndHeadersDecide(_ path: String, _ text: String, _ format: String) throws {
        let source = input(text)
        let found = try withExtendedLifetime(source) {
            try Registry.detect(path, source.bytes).name
        }
        #expect(found == format)
    }

    @Test func bentInputsNeverTrap() throws {
        var random = SeededGenerator(3)
        for (_, format, text) in Self.inputs {
            let source = Array(text.utf8)
            for _ in 0..<300 {
                var bent = source
                for _ in 0..<Int.random(in: 1...6, using: &random) {
                    let at = Int.random(in: 0..<bent.count, using: &random)
                    switch Int.random(in: 0..<3, using: &random) {
                    case 0: bent[at] = UInt8.random(in: 0...255, using: &random)
                    case 1: bent.removeSubrange(at..<min(bent.count, at + 9))
                    default: bent.insert(contentsOf: source.prefix(20), at: at)
                    }
                    if bent.isEmpty { bent = [10] }
                }
                let read = try #require(format.read)
                do {
                    let source = try read(
                        ReadRequest(path: "t", input: input(bent), context: ZoneFixtures.context()))
                    _ = try Todos.all(source.reader)
                } catch let error as FormatError {
                    #expect(error.code != .defect)
                }
            }
        }
    }
}
