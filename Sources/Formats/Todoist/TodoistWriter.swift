// To-dos as a CSV that Todoist imports: parents before their sub-tasks, sections, notes. All rows
// are kept until the end, because the tree decides their order.

/// Writes Todoist's CSV.
final class TodoistWriter: RecordWriter {
    private let sink: ByteSink
    private let context: ExchangeContext
    private let losses: TodoLosses
    private let cells: FieldWriter
    private var isComplete = false
    private var drafts: [TodoDraft] = []
    /// The columns; those of deadlines only where there are some.
    private lazy var columns: [String] = {
        let hasDeadline = drafts.contains { $0.extra("X-TODOIST-DEADLINE") != nil }
        return Array(TodoistSource.headers.prefix(hasDeadline ? 14 : 12))
    }()
    /// INDENT goes from 1 to 4 below the top.
    private static let deepest = 5

    init(sink: ByteSink, context: ExchangeContext) {
        self.sink = sink
        self.context = context
        losses = TodoLosses(context: context)
        cells = FieldWriter(sink.buffer, CSVDialect())
    }

    func write(_ batch: RecordBatch) throws(FormatError) {
        let rows = TodoRows(batch)
        for row in 0..<rows.count {
            drafts.append(losses.draft(rows, row))
        }
    }

    func finish() throws(FormatError) {
        try complete()
        try sink.finish()
    }

    func complete() throws(FormatError) {
        if isComplete { return }
        isComplete = true
        line(columns)
        drafts.adoptChildren()
        drafts.refuseCircles(context)
        var place: [String: Int] = [:]
        for (i, draft) in drafts.enumerated() {
            if let uid = draft.uid, place[uid] == nil, !isLeftOut(draft) { place[uid] = i }
        }
        var children: [Int: [Int]] = [:]
        var tops: [Int] = []
        for (i, draft) in drafts.enumerated() {
            if isLeftOut(draft) {
                context.report.skipped += 1
                losses.note(
                    "completed-task-dropped", "status", draft.title, record: i + 1,
                    action: "left out: Todoist imports open tasks only")
                continue
            }
            if let parent = draft.parent.flatMap({ place[$0] }), parent != i {
                children[parent, default: []].append(i)
            } else {
                if let parent = draft.parent {
                    losses.note(
                        "parent-missing", "relations", parent, record: i + 1,
                        action: "put at the top: the to-do it is below is not written")
                }
                tops.append(i)
            }
        }
        try writeTree(tops, children)
    }

    private func isLeftOut(_ draft: TodoDraft) -> Bool { draft.isDone || draft.isCancelled }

    private func writeTree(_ tops: [Int], _ children: [Int: [Int]]) throws(FormatError) {
        var section: String?
        // Top-level tasks of one section stand together, those without one first.
        var order: [String?] = [nil]
        var groups: [String?: [Int]] = [:]
        for i in tops {
            let name = drafts[i].extraText(TodoLineName.section)
            if groups[name] == nil, name != nil { order.append(name) }
            groups[name, default: []].append(i)
        }
        for name in order {
            if let name, name != section {
                line(["section", name])
                section = name
            }
            var stack = (groups[name] ?? []).reversed().map { (node: $0, indent: 1) }
            while let (node, indent) = stack.popLast() {
                write(drafts[node], indent: indent, record: node + 1)
                for child in (children[node] ?? []).reversed() {
                    stack.append((child, indent + 1))
                    let own = drafts[child].extraText(TodoLineName.section)
                    if own != name, let own {
                        losses.note(
                            "section-dropped", "section", own, record: child + 1,
                            action: "put into the section of the to-do it is below")
                    }
                }
                try sink.flushIfFull()
            }
        }
    }

    private func line(_ values: [String]) {
        for (i, name) in columns.enumerated() {
            if i > 0 { sink.buffer.append(0x2C) }
            if i < values.count, !values[i].isEmpty || values == columns {
                cells.write(values[i])
            }
            _ = name
        }
        sink.buffer.append("\r\n")
    }

    private static let holds: Set<String> = [
        "notes", "due", "priority", "categories", "duration", "relations", "recurrence",
        TodoLineName.list, TodoLineName.section, TodoLineName.comment, "X-TODOIST-DATE",
        "X-TODOIST-DATE-LANG", "X-TODOIST-AUTHOR", "X-TODOIST-RESPONSIBLE",
        "X-TODOIST-DEADLINE", "X-TODOIST-DEADLINE-LANG", "X-TODOIST-TIMEZONE",
    ]

    private func write(_ draft: TodoDraft, indent: Int, record: Int) {
        var said = draft
        // A rule starts on the day the task is due.
        if draft.recurrence.count == 1, draft.start == draft.due { said.start = nil }
        losses.check(said, holds: TodoistWriter.holds, record: record, format: "Todoist's CSV")
        if indent > TodoistWriter.deepest {
            losses.note(
                "subtask-flattened", "relations", draft.title, record: record,
                action: "Todoist has four levels of sub-tasks: put on the deepest one")
        }
        for extra in draft.extras
        where extra.name.isInCapitals(TodoLineName.list) && extra.text != project {
            losses.note(
                "list-dropped", "list", extra.text, record: record,
                action: "Todoist's CSV is one project, called as the file is")
        }
        let content = content(draft, record)
        let priority =
            losses.priorityClass(draft, record: record, format: "Todoist").map { String($0) } ?? "4"
        var zone = ""
        let (amount, unit) = duration(draft, record)
        let date = date(draft, &zone, record)
        let isKept = draft.extraText("X-TODOIST-DATE") == date
        let language = isKept ? draft.extraText("X-TODOIST-DATE-LANG") ?? "en" : "en"
        if let kept = draft.extraText("X-TODOIST-TIMEZONE") {
            if zone.isEmpty {
                zone = kept
            } else if zone != kept {
                losses.note(
                    "zone-dropped", "X-TODOIST-TIMEZONE", kept, record: record,
                    action: "Todoist has one zone for a task: that of its date")
            }
        }
        line([
            "task", content, draft.notes ?? "", priority,
            String(min(indent, TodoistWriter.deepest)),
            draft.extraText("X-TODOIST-AUTHOR") ?? "",
            draft.extraText("X-TODOIST-RESPONSIBLE") ?? "", date,
            date.isEmpty ? "" : language, zone, amount, unit,
            draft.extraText("X-TODOIST-DEADLINE") ?? "",
            draft.extraText("X-TODOIST-DEADLINE-LANG") ?? "",
        ])
        for extra in draft.extras where extra.name.isInCapitals(TodoLineName.comment) {
            line([
                "note", extra.text, "", "", "", extra.parameter("X-TODOIST-AUTHOR") ?? "", "",
                extra.parameter("X-TODOIST-DATE") ?? "",
            ])
        }
        context.report.written += 1
    }

    private lazy var project = TodoistSource.project(sink.name)

    /// The title with the labels behind it.
    private func content(_ draft: TodoDraft, _ record: Int) -> String {
        var content = draft.title ?? ""
        let labels = TodoistText.split(content).labels
        if !labels.isEmpty {
            for label in labels {
                losses.note(
                    "token-in-title", "title", "@" + label, record: record, kind: .changed,
                    action: "parted with a space, or Todoist would take this word for a label")
            }
            content = content.split(separator: " ", omittingEmptySubsequences: false)
                .map { TodoistText.isLabel($0) ? "@ " + $0.dropFirst() : String($0) }
                .joined(separator: " ")
        }
        if !draft.categories.isEmpty, HeaderNames.trim(content) != content {
            losses.note(
                "spaces-joined", "title", content, record: record, kind: .changed,
                action: "the space around a title is lost beside its labels")
        }
        if content.isEmpty {
            losses.note(
                "title-missing", "title", nil, record: record, kind: .changed,
                action: "a task of Todoist needs a title: a dash was written")
            content = "-"
        } else if TodoistText.isDashes(content) {
            losses.note(
                "title-marked", "title", content, record: record, kind: .changed,
                action: "a dash was put before it, since a dash alone stands for no title")
            content = "- " + content
        }
        for label in draft.categories where !label.isEmpty {
            let word = SpacedWords.replacingSpace(in: label, with: "_")
            if word != label {
                losses.note(
                    "token-spelling", "categories", label, record: record, kind: .changed,
                    action: "a label of Todoist is one word: spaces became underscores")
            }
            content += " @" + word
        }
        return content
    }

    /// The cells of a duration, unless it went into the due date.
    private func duration(_ draft: TodoDraft, _ record: Int) -> (amount: String, unit: String) {
        guard let text = draft.duration else { return ("", "") }
        if draft.due == nil, draft.computedDue(draft.zones(context)) != nil { return ("", "") }
        guard let length = TodoDuration(text), length.days >= 0, length.seconds >= 0,
            length.seconds % 60 == 0, length.days + length.seconds > 0
        else {
            losses.note(
                "duration-dropped", "duration", text, record: record,
                action: "Todoist counts whole minutes or days")
            return ("", "")
        }
        if length.seconds == 0 { return (String(length.days), "day") }
        return (String(length.days * 1440 + length.seconds / 60), "minute")
    }

    /// The words that were kept of a date, while the to-do says what they say.
    private func words(_ draft: TodoDraft, _ zone: inout String, _ record: Int) -> String? {
        guard let text = draft.extraText("X-TODOIST-DATE") else { return nil }
        let said = TodoistText.meaning(
            text, language: draft.extraText("X-TODOIST-DATE-LANG") ?? "")
        guard said.due?.local == draft.due?.local, said.rules == draft.recurrence else {
            losses.note(
                "date-rewritten", "X-TODOIST-DATE", text, record: record, kind: .changed,
                action: "left out: the task has another date or rule by now")
            return nil
        }
        if let tzid = draft.due?.tzid { zone = draft.due?.zone ?? tzid }
        return text
    }

    private func date(_ draft: TodoDraft, _ zone: inout String, _ record: Int) -> String {
        if let text = words(draft, &zone, record) { return text }
        let known = losses.due(draft, record: record)
        if let known, let time = known.time, !time.hasSuffix(":00") {
            losses.note(
                "seconds-dropped", "due", known.local, record: record,
                action: "a time of Todoist has no seconds")
        }
        if let rule = draft.recurrence.first {
            if draft.recurrence.count == 1, let words = TodoRecurrence.words(rule) {
                guard let due = known else { return words }
                guard let time = due.time else { return words + " starting " + due.day }
                if let tzid = due.tzid { zone = due.zone ?? tzid }
                return words + " at " + time.prefix(5) + " starting " + due.day
            }
            losses.note(
                "recurrence-dropped", "recurrence", rule, record: record,
                action: "this rule cannot be said in Todoist's simple words")
        }
        guard let due = known else { return "" }
        guard let time = due.time else { return due.day }
        if let tzid = due.tzid { zone = due.zone ?? tzid }
        return due.day + " " + time.prefix(5)
    }
}

extension Format {
    /// Todoist's CSV.
    static let todoist = Format(
        name: "todoist", extensions: [], summary: "Todoist's CSV of a project", content: .tasks,
        detect: {
            guard DelimitedTable.mentions($0, [["type"], ["content"], ["indent", "priority"]])
            else { return 0 }
            // TYPE and CONTENT must be there; two more known names settle it.
            let found = DelimitedTable.matches($0, TodoistSource.headers)
            return found >= 4 && DelimitedTable.matches($0, ["TYPE", "CONTENT"]) == 2 ? 140 : 0
        },
        read: { (request) throws(FormatError) in
            let source = try TodoistSource(input: request.input, context: request.context)
            return ReadSource(
                reader: TodoDraftReader(
                    source, context: request.context, isForStore: request.isForStore),
                content: .tasks)
        },
        write: { (request) throws(FormatError) in
            TodoistWriter(sink: request.sink, context: request.context)
        })
}
