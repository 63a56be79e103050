// Todoist's CSV of a project: rows of tasks, sections and notes in order, sub-tasks by INDENT. The
// project is the file's name. Completed tasks are never in it.

/// Reads Todoist's CSV.
final class TodoistSource: TodoSource {
    private let table: DelimitedTable
    private let context: ExchangeContext
    private let uids = TodoUIDs()
    private var waiting: TodoDraft?
    private var parents: [(indent: Int, uid: String)] = []
    private var section: String?
    private let project: String?
    private let columns: [String: Int]
    private let unknown: [Int]

    static let headers = [
        "TYPE", "CONTENT", "DESCRIPTION", "PRIORITY", "INDENT", "AUTHOR", "RESPONSIBLE", "DATE",
        "DATE_LANG", "TIMEZONE", "DURATION", "DURATION_UNIT", "DEADLINE", "DEADLINE_LANG",
    ]

    init(input: InputBytes, context: ExchangeContext) throws(FormatError) {
        self.context = context
        table = try DelimitedTable(
            input, knownHeaders: TodoistSource.headers, context: context)
        var columns: [String: Int] = [:]
        for name in TodoistSource.headers {
            if let i = table.column(name) { columns[name] = i }
        }
        guard columns["TYPE"] != nil, columns["CONTENT"] != nil else {
            throw FormatError(
                .malformed, "this is no Todoist CSV: its header needs TYPE and CONTENT",
                file: input.name, line: 1)
        }
        self.columns = columns
        unknown = table.headers.indices.filter { !columns.values.contains($0) }
        project = TodoistSource.project(input.name)
    }

    /// `Name [1234567].csv` is the project `Name`.
    static func project(_ path: String) -> String? {
        guard path != "-" else { return nil }
        var name = path[...]
        if let slash = name.lastIndex(of: "/") { name = name[name.index(after: slash)...] }
        if let dot = name.lastIndex(of: ".") { name = name[..<dot] }
        if name.hasSuffix("]"), let open = name.lastIndex(of: "[") {
            let id = name[name.index(after: open)...].dropLast()
            if !id.isEmpty, id.allSatisfy({ $0.isNumber || $0.isLetter }) { name = name[..<open] }
        }
        while name.last == " " { name.removeLast() }
        return name.isEmpty ? nil : String(name)
    }

    let coarse: CoarseRows? = CoarseRows(
        days: CoarseRows.dates, states: [["NEEDS-ACTION", "IN-PROCESS"]],
        priorities: CoarseRows.threePriorities)

    /// Tasks wait for the notes below them.
    func next() throws(FormatError) -> TodoDraft? {
        while let row = table.next() {
            func raw(_ name: String) -> String { columns[name].map { row[$0] } ?? "" }
            func cell(_ name: String) -> String { HeaderNames.trim(raw(name)) }
            for i in unknown where !row[i].isEmpty {
                context.report.note(
                    .lost, "column-unknown", source: table.name, line: table.line,
                    property: table.headers[i], value: row[i],
                    action: "left out: no such column is known")
            }
            switch cell("TYPE").lowercased() {
            case "task":
                let done = waiting
                waiting = task(cell, raw: raw)
                if let done { return done }
            case "note":
                let text = columns["CONTENT"].map { row[$0] } ?? ""
                drop(row, but: ["TYPE", "CONTENT", "AUTHOR", "DATE"])
                if waiting != nil {
                    waiting?.extras.append(comment(text, cell("AUTHOR"), cell("DATE")))
                } else {
                    context.report.note(
                        .lost, "note-without-task", source: table.name, line: table.line,
                        value: text, action: "a note of the project itself has no place")
                }
            case "section":
                section = cell("CONTENT")
                parents.removeAll()
                drop(row, but: ["TYPE", "CONTENT"])
            case "": drop(row, but: ["TYPE"])
            case "meta":
                context.report.note(
                    .lost, "project-setting", source: table.name, line: table.line,
                    property: "meta", value: raw("CONTENT"),
                    action: "left out: a setting of the project itself has no place")
            case let other:
                context.report.note(
                    .lost, "row-unknown", source: table.name, line: table.line, property: "TYPE",
                    value: other, action: "left out: no such kind of row is known")
            }
        }
        defer { waiting = nil }
        return waiting
    }

    func text(at place: Int) -> RowText? { table.text(at: place) }

    /// Says which cells of a row are left out.
    private func drop(_ row: [String], but kept: Set<String>) {
        for name in TodoistSource.headers where !kept.contains(name) {
            guard let i = columns[name], !HeaderNames.trim(row[i]).isEmpty else { continue }
            context.report.note(
                .lost, "cell-dropped", source: table.name, line: table.line, property: name,
                value: row[i], action: "left out: a row of this kind has no such cell")
        }
    }

    /// A note with who wrote it, and when.
    private func comment(_ text: String, _ author: String, _ date: String) -> TodoDraft.Extra {
        var comment = TodoDraft.Extra(text: TodoLineName.comment, text)
        if !author.isEmpty { comment.addParameter("X-TODOIST-AUTHOR", author) }
        if !date.isEmpty { comment.addParameter("X-TODOIST-DATE", date) }
        return comment
    }

    private func task(_ cell: (String) -> String, raw: (String) -> String) -> TodoDraft {
        var draft = TodoDraft()
        draft.place = table.place
        draft.status = "NEEDS-ACTION"
        let (title, labels) = TodoistText.split(raw("CONTENT"))
        draft.title = title
        if TodoistText.isDashes(title) {
            draft.title = title == "-" ? nil : String(title.dropFirst(2))
            context.report.note(
                .guessed, "title-dash", source: table.name, line: table.line,
                property: "CONTENT", value: title,
                action: "a dash alone stands for no title, and one before dashes is left out")
        }
        draft.categories = labels
        if TodoistText.hasLabelInside(raw("CONTENT")) {
            context.report.note(
                .changed, "label-moved", source: table.name, line: table.line,
                property: "CONTENT", value: raw("CONTENT"),
                action: "labels of a task stand behind its title, not in it")
        }
        let description = raw("DESCRIPTION")
        if !description.isEmpty { draft.notes = description }
        draft.priority = TodoistText.priority(cell("PRIORITY"))
        let level = Int(cell("INDENT"))
        for (name, isKnown) in [
            ("PRIORITY", ["", "1", "2", "3", "4"].contains(cell("PRIORITY"))),
            ("INDENT", cell("INDENT").isEmpty || level.map { $0 > 0 } ?? false),
        ] where !isKnown {
            context.report.note(
                .lost, "number-unreadable", source: table.name, line: table.line, property: name,
                value: cell(name), action: "taken as not given: Todoist has no such number here")
        }
        date(cell, &draft)
        // The day a rule starts is the first one the task is due; a rule wants a start.
        if !draft.recurrence.isEmpty { draft.start = draft.due }
        if !cell("TIMEZONE").isEmpty, draft.due?.tzid != cell("TIMEZONE") {
            draft.extras.append(TodoDraft.Extra(text: "X-TODOIST-TIMEZONE", cell("TIMEZONE")))
        }
        for (name, line) in [
            ("AUTHOR", "X-TODOIST-AUTHOR"), ("RESPONSIBLE", "X-TODOIST-RESPONSIBLE"),
        ] where !cell(name).isEmpty {
            draft.extras.append(TodoDraft.Extra(text: line, cell(name)))
        }
        if let project { draft.extras.append(TodoDraft.Extra(text: TodoLineName.list, project)) }
        if let section, !section.isEmpty {
            draft.extras.append(TodoDraft.Extra(text: TodoLineName.section, section))
        }
        let indent = level ?? 1
        while let last = parents.last, last.indent >= indent { parents.removeLast() }
        if indent > (parents.last?.indent ?? 0) + 1, indent > 1 {
            context.report.note(
                .changed, "indent-jump", source: table.name, line: table.line,
                property: "INDENT", value: cell("INDENT"),
                action: parents.isEmpty
                    ? "put at the top: no task stands above it"
                    : "put directly below the task above it")
        }
        if let parent = parents.last {
            draft.relations = [TodoDraft.Relation(kind: "PARENT", uid: parent.uid)]
        }
        uids.assign(&draft)
        if parents.count < 100, let uid = draft.uid { parents.append((indent, uid)) }
        return draft
    }

    private func date(_ cell: (String) -> String, _ draft: inout TodoDraft) {
        let text = cell("DATE")
        if !text.isEmpty {
            let language = cell("DATE_LANG").lowercased()
            let said = TodoistText.meaning(text, language: language)
            if var due = said.due {
                zone(cell("TIMEZONE"), &due)
                draft.due = due
            }
            draft.recurrence = said.rules
            if !said.isWhole {
                draft.extras.append(TodoDraft.Extra(text: "X-TODOIST-DATE", text))
                if !language.isEmpty {
                    draft.extras.append(TodoDraft.Extra(text: "X-TODOIST-DATE-LANG", language))
                }
                if draft.recurrence.isEmpty {
                    context.report.note(
                        .guessed, "date-in-words", source: table.name, line: table.line,
                        property: "DATE", value: text,
                        action: "kept as text (X-TODOIST-DATE): what day is meant is not known")
                }
            }
        }
        let length = cell("DURATION")
        let minutes = Int(length) ?? 0
        if minutes > 0, minutes < 1 << 30 {
            draft.duration =
                cell("DURATION_UNIT").lowercased().hasPrefix("day")
                ? "P\(minutes)D" : "PT\(minutes)M"
        } else if !["", "0", "none"].contains(length.lowercased()) {
            context.report.note(
                .lost, "duration-unreadable", source: table.name, line: table.line,
                property: "DURATION", value: length, action: "left out: it is no number")
        }
        let deadline = cell("DEADLINE")
        if !deadline.isEmpty {
            draft.extras.append(TodoDraft.Extra(text: "X-TODOIST-DEADLINE", deadline))
            let language = cell("DEADLINE_LANG")
            if !language.isEmpty {
                draft.extras.append(
                    TodoDraft.Extra(text: "X-TODOIST-DEADLINE-LANG", language))
            }
        }
    }

    private func zone(_ name: String, _ due: inout TodoMoment) {
        guard !due.isDay, due.tzid == nil, !name.isEmpty else { return }
        due.tzid = name
        due.zone = ZoneNames.resolve(name)
        if due.zone == nil {
            context.report.note(
                .guessed, "zone-unresolved", source: table.name, value: name,
                action: "no such zone is known: the clock times stay as they are")
        }
    }
}
