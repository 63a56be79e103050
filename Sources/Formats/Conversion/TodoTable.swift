// Tables of to-dos that no program we know writes: a spreadsheet with a column for the title and
// others for the day it is due, the state and so on, under the names people give them. Columns
// nobody knows become lines with the column's name.

/// Reads a table as to-dos.
final class TodoTableSource: TodoSource {
    /// What a column holds.
    private enum Field: String, CaseIterable {
        case title, notes, status, done, due, start, completed, created, modified, percent, priority
        case categories, list, uid, location, url, recurrence

        /// The names of the column, as they are compared.
        var names: [String] {
            switch self {
            case .title: ["title", "summary", "task", "todo", "subject", "taskname", "taskTitle"]
            case .notes: ["notes", "note", "description", "details", "comment", "comments"]
            case .status: ["status", "state"]
            case .done: ["done", "isdone", "iscompleted", "complete", "finished"]
            case .due: ["due", "duedate", "dueon", "deadline", "dueby"]
            case .start: ["start", "startdate", "starts", "begin"]
            case .completed: ["completed", "completeddate", "completedat", "datecompleted"]
            case .created: ["created", "createdat", "creationdate", "datecreated"]
            case .modified: ["modified", "updated", "updatedat", "lastmodified", "modifiedat"]
            case .percent: ["percent", "percentcomplete", "%complete", "progress"]
            case .priority: ["priority", "prio", "importance"]
            case .categories: ["categories", "category", "tags", "tag", "labels"]
            case .list: ["list", "project", "folder"]
            case .uid: ["uid", "id"]
            case .location: ["location", "place"]
            case .url: ["url", "link"]
            case .recurrence: ["recurrence", "rrule", "repeat"]
            }
        }
    }

    private static let fields: [String: Field] = {
        var fields: [String: Field] = [:]
        for field in Field.allCases {
            for name in field.names { fields[HeaderNames.fold(name)] = field }
        }
        return fields
    }()

    /// The names that a sniffer looks for.
    static let knownHeaders = Field.allCases.flatMap(\.names)

    private let context: ExchangeContext
    private let name: String
    private let table: DelimitedTable
    private let places: [Field: Int]
    private let others: [Int]
    private let uids = TodoUIDs()
    private var rows: [[String]] = []
    private var rowPlaces: [Int] = []
    private var at = 0
    private var orders: [Field: OutlookDateOrder] = [:]

    /// True when a header is that of to-dos: it names a title, and a due day or a state. Where both
    /// are there, half of its columns must be known, else all: books have titles and states, too.
    /// None is a column of people.
    static func fits(_ headers: [String], isAsked: Bool = false) -> Bool {
        let found = headers.compactMap { fields[HeaderNames.fold($0)] }
        guard found.contains(.title), !headers.contains("_id") else { return false }
        if isAsked { return true }
        let isOfPeople = headers.contains {
            let name = HeaderNames.fold($0)
            return ["mail", "phone", "firstname", "lastname", "surname", "company"].contains {
                name.contains($0)
            }
        }
        let hasState = found.contains(.status) || found.contains(.done)
        guard !isOfPeople, hasState || found.contains(.due) else { return false }
        return found.count == headers.count
            || hasState && found.contains(.due) && found.count * 2 >= headers.count
    }

    /// True when a header names a to-do and a date of it, and nothing of the class that only rows
    /// have: a change to one that is known.
    static func changes(_ headers: [String]) -> Bool {
        let found = headers.compactMap { fields[HeaderNames.fold($0)] }
        return found.count == headers.count && !headers.contains("_id")
            && (found.contains(.title) || found.contains(.uid))
            && found.contains { [.due, .start, .completed, .created, .modified].contains($0) }
    }

    init(_ request: ReadRequest) throws(FormatError) {
        context = request.context
        name = request.input.name
        table = try DelimitedTable(
            request.input, knownHeaders: TodoTableSource.knownHeaders, context: request.context)
        var places: [Field: Int] = [:]
        for (i, header) in table.headers.enumerated() {
            guard let field = TodoTableSource.fields[HeaderNames.fold(header)],
                places[field] == nil
            else { continue }
            places[field] = i
        }
        self.places = places
        others = table.headers.indices.filter { !places.values.contains($0) }
        for (i, header) in table.headers.enumerated() {
            let field = places.first { $0.value == i }?.key
            context.report.columns.append(
                Report.ColumnUse(
                    source: name, column: header, field: field?.rawValue ?? ColumnMap.keep,
                    className: "TodoItem"))
        }
        // Dates are in the order that the whole column shows.
        while let row = table.next() {
            rows.append(row)
            rowPlaces.append(table.place)
        }
        for field in [Field.due, .start, .completed, .created, .modified] {
            guard let i = places[field] else { continue }
            chooseOrder(field, rows.map { $0[i] })
        }
    }

    private func chooseOrder(_ field: Field, _ cells: [String]) {
        if let word = context.options.extra["date-order"],
            let wanted = OutlookDateOrder(rawValue: word.lowercased())
        {
            orders[field] = wanted
        } else if let proven = OutlookDateOrder.proven(by: cells) {
            orders[field] = proven
        } else if let open = cells.first(where: {
            TodoMoment(iso: $0) == nil && OutlookDateOrder.isOpen($0)
        }) {
            context.report.note(
                .guessed, "date-order", source: name, property: field.rawValue, value: open,
                action: "read as month, day, year; --date-order dmy or ymd sets another")
        }
    }

    let coarse: CoarseRows? = CoarseRows(days: CoarseRows.dates)
    func text(at place: Int) -> RowText? { table.text(at: place) }

    func next() throws(FormatError) -> TodoDraft? {
        guard at < rows.count else { return nil }
        let row = rows[at]
        at += 1
        func cell(_ field: Field) -> String? {
            guard let i = places[field] else { return nil }
            let text = HeaderNames.trim(row[i])
            return text.isEmpty ? nil : text
        }
        /// Dates that are not understood, with the names of their columns.
        var unread: [(column: String, text: String)] = []
        func moment(_ field: Field) -> TodoMoment? {
            guard let i = places[field], let text = cell(field) else { return nil }
            let date = TodoTableDate(text, orders[field] ?? .monthFirst)
            if date?.leavesRest ?? true {
                unread.append((table.headers[i], text))
                context.report.note(
                    .changed, date == nil ? "date-unreadable" : "time-dropped", source: name,
                    record: at, property: field.rawValue, value: text,
                    action: date == nil
                        ? "kept as a line: it is no date"
                        : "the day was taken, the cell kept as a line: this spelling of a time is"
                            + " not known")
            }
            return date?.moment
        }
        var draft = TodoDraft()
        draft.place = rowPlaces[at - 1]
        draft.title = cell(.title)
        draft.notes = cell(.notes)?.replacing("\r\n", with: "\n")
        draft.start = moment(.start)
        draft.due = moment(.due)
        draft.created = moment(.created)
        draft.modified = moment(.modified)
        draft.uid = cell(.uid)
        draft.location = cell(.location)
        draft.url = cell(.url)
        draft.categories = (cell(.categories) ?? "").split { $0 == "," || $0 == ";" }
            .map { HeaderNames.trim(String($0)) }.filter { !$0.isEmpty }
        if let list = cell(.list) {
            draft.extras.append(TodoDraft.Extra(text: TodoLineName.list, list))
        }
        if let text = cell(.recurrence) {
            if let rule = TodoRecurrence.line(text) {
                draft.recurrence = [rule]
            } else {
                keep("recurrence", text, &draft)
            }
        }
        state(cell(.status), cell(.done), cell(.completed), &draft, moment)
        if let text = cell(.percent) {
            let digits = text.hasSuffix("%") ? String(text.dropLast()) : text
            if let number = Int64(HeaderNames.trim(digits)), 0...100 ~= number {
                if !draft.isDone { draft.percent = number }
            } else {
                lose("number-unreadable", .percent, text, "left out: it is no share of the work")
            }
        }
        if let text = cell(.priority) { priority(text, &draft) }
        for cell in unread { keep(cell.column, cell.text, &draft) }
        for i in others where !row[i].isEmpty { keep(table.headers[i], row[i], &draft) }
        uids.assign(&draft)
        return draft
    }

    /// Whether and when a to-do was done, as up to three columns tell it.
    private func state(
        _ status: String?, _ done: String?, _ completed: String?, _ draft: inout TodoDraft,
        _ moment: (Field) -> TodoMoment?
    ) {
        draft.status = "NEEDS-ACTION"
        draft.isStateAssumed =
            places[.status] == nil && places[.done] == nil && places[.completed] == nil
        func word(_ text: String) -> Bool? {
            switch text.lowercased() {
            case "yes", "true", "1", "x", "y", "done", "✓", "✔": true
            case "no", "false", "0", "n", "open", "-": false
            default: nil
            }
        }
        if let status {
            switch status.lowercased().filter({ $0.isLetter || $0.isNumber }) {
            case "needsaction", "notstarted", "open", "todo", "pending", "0", "new": break
            case "inprocess", "inprogress", "started", "doing": draft.status = "IN-PROCESS"
            case "completed", "complete", "done", "closed", "finished", "1", "x":
                draft.setDone(true)
            case "cancelled", "canceled": draft.status = "CANCELLED"
            default:
                keep("status", status, &draft)
                context.report.note(
                    .changed, "status-unknown", source: name, record: at, property: "status",
                    value: status,
                    action: "no state that is known: kept as a line, and the to-do counts as open")
            }
        }
        if let done {
            if let flag = word(done) {
                if flag || status == nil { draft.setDone(flag) }
            } else {
                keep("done", done, &draft)
            }
        }
        guard let completed else { return }
        if let flag = word(completed) {
            if flag || status == nil && done == nil { draft.setDone(flag) }
        } else if let day = moment(.completed) {
            draft.setDone(true, at: day)
        }
    }

    private func priority(_ text: String, _ draft: inout TodoDraft) {
        switch text.lowercased() {
        case "high", "urgent", "important", "a": draft.priority = 1
        case "medium", "normal", "b": draft.priority = 5
        case "low", "c": draft.priority = 9
        case "none", "-": draft.priority = nil
        default:
            if let number = Int64(text), 0...9 ~= number {
                draft.priority = number
            } else {
                keep("priority", text, &draft)
            }
        }
    }

    private func keep(_ label: String, _ text: String, _ draft: inout TodoDraft) {
        var extra = TodoDraft.Extra(text: "X-CSV-FIELD", text)
        extra.addParameter("LABEL", label)
        draft.extras.append(extra)
    }

    private func lose(_ code: String, _ field: Field, _ value: String, _ action: String) {
        context.report.note(
            .lost, code, source: name, record: at, property: field.rawValue, value: value,
            action: action)
    }
}
