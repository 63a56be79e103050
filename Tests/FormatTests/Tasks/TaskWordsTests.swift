import Foundation
import Testing

@testable import Formats

/// Words and clock times that a format has of its own, on their way back.
@Suite("words of task formats") struct TaskWordsTests {
    private static let header = "TYPE,CONTENT,PRIORITY,INDENT,DATE,DATE_LANG,TIMEZONE\n"

    private static func todoist(_ date: String, _ change: (inout TodoDraft) -> Void = { _ in })
        throws -> (String, ExchangeContext)
    {
        let context = ZoneFixtures.context()
        let source = try TodoistSource(
            input: input(header + "task,A,4,1,\(date)\n", name: "a.csv"), context: context)
        var draft = try #require(try source.next())
        change(&draft)
        return (try written(.todoist, draft, context), context)
    }

    static func written(_ format: Format, _ draft: TodoDraft, _ context: ExchangeContext)
        throws -> String
    {
        let batch = RecordBatch(schema: TodoClass.schema)
        batch.begin(class: 0)
        let columns = try #require(TodoColumns(batch))
        let id = bytes(draft.uid ?? "") { TodoIdentity.minter().id(uid: $0) }
        draft.append(to: columns, id: id)
        let path = NSTemporaryDirectory() + "/rtool-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let file = try OutputFile.create(path, force: false)
        let write = try #require(format.write)
        let writer = try write(
            WriteRequest(
                sink: file, schema: batch.schema, classIndex: 0, content: .tasks,
                context: context))
        try writer.write(batch)
        try writer.finish()
        return try String(decoding: Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)
    }

    @Test(arguments: [
        "every mon at 9:00 starting 2026-05-04,en,Europe/Berlin",
        "2026-05-04 09:00,en,Europe/Berlin",
        "tomorrow,en,Asia/Tokyo", "jeden 15.,de,Europe/Berlin", "every day,en,Europe/Berlin",
        "every weekday at 18:30,en,Europe/Berlin",
    ]) func datesAndTheirZonesComeBack(_ date: String) throws {
        let (text, _) = try Self.todoist(date)
        #expect(text.contains(date), "\(text)")
    }

    @Test func anEditedDateCountsMoreThanTheWordsThatWereKept() throws {
        let words = "every mon at 9:00 starting 2026-05-04,en,Europe/Berlin"
        let (text, context) = try Self.todoist(words) {
            $0.due = TodoMoment(local: "2026-06-01")
            $0.recurrence = []
        }
        #expect(text.contains(",2026-06-01,en,"), "\(text)")
        #expect(TaskStrictTests.codes(context).contains("date-rewritten"))
        let (german, _) = try Self.todoist("jeden 15.,de,") {
            $0.due = TodoMoment(local: "2026-06-01")
        }
        #expect(german.contains(",2026-06-01,en,"), "\(german)")
    }

    @Test(
        arguments: [
            ("+1m", "RRULE:FREQ=MONTHLY", "rec:+1m"), ("+1m", "RRULE:FREQ=DAILY", "rec:1d"),
            ("2b", nil, "rec:2b"), ("2b", "RRULE:FREQ=WEEKLY", "rec:1w"), ("+1m", nil, nil),
        ] as [(String, String?, String?)]) func anEditedRuleCountsMoreThanTheTextThatWasKept(
            _ kept: String, _ rule: String?, _ expected: String?
        ) throws
    {
        var draft = TodoDraft()
        draft.title = "A"
        draft.recurrence = rule.map { [$0] } ?? []
        draft.extras = [TodoDraft.Extra(text: "X-TODOTXT-REC", kept)]
        let text = try Self.written(.todoTxt, draft, ZoneFixtures.context())
        #expect(text == "A" + (expected.map { " " + $0 } ?? "") + "\n")
    }

    // MARK: Reminders of Outlook

    private static let outlook = "Subject,Due Date,Reminder On/Off,Reminder Date,Reminder Time\n"

    @Test func remindersKeepTheirClockTimeWithoutAZone() throws {
        let text = Self.outlook + "A,2026-03-30,True,2026-03-29,2:30:00 AM\n"
        let context = ZoneFixtures.context()
        let ics = try TaskFormatTests.convert(text, .outlookTasks, to: .ical, context)
        #expect(ics.contains("TRIGGER;RELATED=END:-PT21H30M\r\n"), "\(ics)")
        #expect(!TaskStrictTests.codes(context).contains("reminder-zone"))
        let back = try TaskFormatTests.convert(text, .outlookTasks, to: .outlookTasks)
        #expect(back.contains("3/29/2026,2:30:00 AM"), "\(back)")
        let zoned = try TaskFormatTests.convert(
            text, .outlookTasks, to: .ical, ZoneFixtures.context(zone: "Europe/Berlin"))
        #expect(zoned.contains("TRIGGER;VALUE=DATE-TIME:20260329T0"), "\(zoned)")
    }

    @Test(arguments: [
        ("2026-03-29", "TRIGGER;RELATED=END:PT9H", "3/29/2026,9:00:00 AM"),
        ("2026-03-29", "TRIGGER;RELATED=END:-PT15M", "3/28/2026,11:45:00 PM"),
        ("2026-03-29T18:00:00", "TRIGGER;RELATED=END:-PT15M", "3/29/2026,5:45:00 PM"),
        ("2026-03-29", "TRIGGER;RELATED=END:-P1D", "3/28/2026,12:00:00 AM"),
    ]) func remindersCountFromTheFirstMomentOfADay(
        _ due: String, _ trigger: String, _ expected: String
    ) throws {
        var draft = TodoDraft()
        draft.title = "A"
        draft.due = TodoMoment(local: due)
        draft.components = ["BEGIN:VALARM\n\(trigger)\nEND:VALARM"]
        let text = try Self.written(.outlookTasks, draft, ZoneFixtures.context())
        #expect(text.contains("True," + expected), "\(text)")
    }

    @Test func aReminderInUniversalTimeIsAGuessWithoutAZone() throws {
        var draft = TodoDraft()
        draft.title = "A"
        draft.components = ["BEGIN:VALARM\nTRIGGER;VALUE=DATE-TIME:20260701T100000Z\nEND:VALARM"]
        let context = ZoneFixtures.context()
        #expect(try Self.written(.outlookTasks, draft, context).contains("10:00:00 AM"))
        #expect(TaskStrictTests.codes(context).contains("reminder-zone"))
    }
}

/// State, time of completion and percentage, where somebody has changed the state alone.
@Suite("states of tasks, changed") struct TaskStateTests {
    private static func draft(_ status: String, _ percent: Int64?, completed: Bool) -> TodoDraft {
        var draft = TodoDraft()
        draft.uid = "1"
        draft.title = "A"
        draft.status = status
        draft.percent = percent
        if completed { draft.completed = TodoMoment(local: "2026-03-01T10:00:00", tzid: "UTC") }
        return draft
    }

    @Test func aTaskOpenedAgainWasNotCompleted() throws {
        let context = ZoneFixtures.context()
        let again = Self.draft("NEEDS-ACTION", 100, completed: true)
        let google = try TaskWordsTests.written(.googleTasks, again, context)
        #expect(google.contains("needsAction") && !google.contains("2026-03-01"), "\(google)")
        #expect(TaskStrictTests.codes(context).contains("done-reopened"))
        let outlook = try TaskWordsTests.written(.outlookTasks, again, ZoneFixtures.context())
        #expect(outlook.contains(",0,") && outlook.contains(",Not Started"), "\(outlook)")
    }

    @Test func whatASourceSaidItselfStays() throws {
        var open = Self.draft("NEEDS-ACTION", 100, completed: true)
        open.keepStateOfSource()
        let context = ZoneFixtures.context()
        let google = try TaskWordsTests.written(.googleTasks, open, context)
        #expect(google.contains("needsAction") && google.contains("2026-03-01"), "\(google)")
        #expect(!TaskStrictTests.codes(context).contains("done-reopened"))
    }

    @Test func aTaskDoneByItsStateIsDoneWhole() throws {
        let context = ZoneFixtures.context()
        let done = Self.draft("COMPLETED", 50, completed: false)
        _ = try TaskWordsTests.written(.googleTasks, done, context)
        #expect(TaskStrictTests.codes(context).contains("done-completed"))
        #expect(!TaskStrictTests.codes(context).contains("percent-dropped"))
    }
}
