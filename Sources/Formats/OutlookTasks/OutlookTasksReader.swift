// Outlook's task CSV, in the languages and date orders it is exported in. Days only; a reminder
// has a time.

/// Reads Outlook's task CSV.
final class OutlookTasksSource: TodoSource {
    private typealias Column = OutlookTaskNames.Column

    private let context: ExchangeContext
    private let name: String
    private let uids = TodoUIDs()
    private let table: DelimitedTable
    private var rows: [[String]] = []
    private var places: [Int] = []
    private var at = 0
    private var columns: [Column: Int] = [:]
    private var unknown: [Int] = []
    private let headers: [String]
    /// The order of dates, column by column, and for those that do not tell.
    private var orders: [Column: OutlookDateOrder] = [:]
    private var usual = OutlookDateOrder.monthFirst

    init(input: InputBytes, context: ExchangeContext) throws(FormatError) {
        self.context = context
        name = input.name
        table = try DelimitedTable(
            input, knownHeaders: OutlookTaskNames.all, context: context)
        headers = table.headers
        var isEnglish = true
        for column in Column.allCases {
            if let i = table.column(column.rawValue) {
                columns[column] = i
                continue
            }
            for name in OutlookTaskNames.names[column] ?? [] {
                guard let i = table.column(name), !columns.values.contains(i) else { continue }
                columns[column] = i
                isEnglish = false
                break
            }
        }
        guard columns[.subject] != nil, columns.count >= 3 else {
            throw FormatError(
                .malformed, "this is no task CSV of Outlook: its header is not known",
                file: input.name, line: 1)
        }
        unknown = headers.indices.filter { !columns.values.contains($0) }
        // The order of dates is decided by all cells of a column, so the rows are gathered first.
        while let row = table.next() {
            rows.append(row)
            places.append(table.place)
        }
        chooseOrder(isEnglish)
    }

    private func chooseOrder(_ isEnglish: Bool) {
        if let word = context.options.extra["date-order"],
            let wanted = OutlookDateOrder(rawValue: word.lowercased())
        {
            usual = wanted
            return
        }
        var open: (column: Column, cell: String)?
        for column in [Column.start, .due, .completed, .reminderDate] {
            guard let i = columns[column] else { continue }
            let cells = rows.map { $0[i] }
            if let proven = OutlookDateOrder.proven(by: cells) {
                orders[column] = proven
            } else if open == nil, let cell = cells.first(where: OutlookDateOrder.isOpen) {
                open = (column, cell)
            }
        }
        // As the other columns have it, else as the language does.
        let known = Set(orders.values)
        usual = known.count == 1 ? known.first ?? usual : isEnglish ? .monthFirst : .dayFirst
        if let open {
            context.report.note(
                .guessed, "date-order", source: name, property: open.column.rawValue,
                value: usual.rawValue,
                action: "dates were read in this order; --date-order mdy, dmy or ymd sets another")
        }
    }

    // What was given up is put off in Outlook.
    let coarse: CoarseRows? = CoarseRows(
        days: CoarseRows.dates, states: [["NEEDS-ACTION", "CANCELLED"]],
        priorities: CoarseRows.threePriorities)

    func next() throws(FormatError) -> TodoDraft? {
        guard at < rows.count else { return nil }
        defer { at += 1 }
        var draft = draft(rows[at])
        draft.place = places[at]
        return draft
    }

    func text(at place: Int) -> RowText? { table.text(at: place) }

    private func draft(_ row: [String]) -> TodoDraft {
        func cell(_ column: Column) -> String {
            columns[column].map { HeaderNames.trim(row[$0]) } ?? ""
        }
        func day(_ column: Column) -> TodoMoment? {
            let text = cell(column)
            guard !text.isEmpty else { return nil }
            let parts = OutlookDateOrder.cell(text)
            if let day = parts.flatMap((orders[column] ?? usual).day) {
                if let time = parts?.time, !time.isEmpty {
                    context.report.note(
                        .lost, "time-dropped", source: name, record: at + 1,
                        property: column.rawValue, value: text,
                        action: "a task of Outlook has days only")
                }
                return TodoMoment(local: day)
            }
            if !(parts?.isNone ?? false), text.contains(where: \.isNumber) {
                context.report.note(
                    .lost, "date-unreadable", source: name, record: at + 1,
                    property: column.rawValue, value: text, action: "left out")
            }
            return nil
        }
        var draft = TodoDraft()
        draft.title = columns[.subject].map { row[$0] } ?? ""
        let notes = columns[.notes].map { row[$0] } ?? ""
        if !notes.isEmpty {
            draft.notes =
                notes.utf8.contains(13) ? notes.replacing("\r\n", with: "\n") : notes
        }
        draft.start = day(.start)
        draft.due = day(.due)
        let completed = day(.completed)
        func lose(_ column: Column, _ action: String) {
            context.report.note(
                .lost, "value-unreadable", source: name, record: at + 1,
                property: column.rawValue, value: cell(column), action: action)
        }
        let percent = Self.percent(cell(.percent))
        if percent == nil, !cell(.percent).isEmpty {
            lose(.percent, "left out: it is no share of the work")
        }
        switch OutlookTaskNames.status(cell(.status)) {
        case 0: draft.status = "NEEDS-ACTION"
        case 1: draft.status = "IN-PROCESS"
        case 2: draft.setDone(true, at: completed)
        case 3, 4:
            draft.status = "NEEDS-ACTION"
            draft.extras.append(TodoDraft.Extra(text: "X-MS-STATUS", cell(.status)))
        default:
            if completed != nil || percent == 100 { draft.setDone(true, at: completed) }
            guard !cell(.status).isEmpty else { break }
            draft.extras.append(TodoDraft.Extra(text: "X-MS-STATUS", cell(.status)))
            context.report.note(
                .changed, "status-unknown", source: name, record: at + 1,
                property: Column.status.rawValue, value: cell(.status),
                action: "no state that is known: kept as a line")
        }
        if !draft.isDone {
            draft.percent = percent == 0 ? nil : percent
            draft.completed = completed
        }
        draft.priority = OutlookTaskNames.priority(cell(.priority))
        if draft.priority == nil, cell(.priority) != "1",
            !OutlookTaskNames.isNormal(cell(.priority))
        {
            lose(.priority, "taken as normal: no such priority is known")
        }
        let categories = cell(.categories)
        if !categories.isEmpty {
            draft.categories = categories.split(whereSeparator: { $0 == ";" || $0 == "," })
                .map { HeaderNames.trim(String($0)) }.filter { !$0.isEmpty }
        }
        if OutlookTaskNames.isConfidential(cell(.sensitivity)) {
            draft.classification = "CONFIDENTIAL"
        } else if OutlookTaskNames.isTrue(cell(.isPrivate))
            || OutlookTaskNames.isOwn(cell(.sensitivity)) == true
        {
            draft.classification = "PRIVATE"
        } else if OutlookTaskNames.isOwn(cell(.sensitivity)) == false {
            draft.classification = "PRIVATE"
            context.report.note(
                .changed, "classification-class", source: name, record: at + 1,
                property: Column.sensitivity.rawValue, value: cell(.sensitivity),
                action: "iCalendar has no such class: taken as private")
        }
        let isKnownClass =
            OutlookTaskNames.isConfidential(cell(.sensitivity))
            || OutlookTaskNames.isOwn(cell(.sensitivity)) != nil
            || OutlookTaskNames.isNormal(cell(.sensitivity)) || cell(.sensitivity) == "0"
        if !isKnownClass { lose(.sensitivity, "taken as normal: no such sensitivity is known") }
        for column in [Column.isPrivate, .reminder]
        where !OutlookTaskNames.isTrue(cell(column)) && !OutlookTaskNames.isFalse(cell(column)) {
            lose(column, "taken as no: it is neither yes nor no")
        }
        if OutlookTaskNames.isTrue(cell(.reminder)) {
            if let date = day(.reminderDate), let time = ClockTime(cell(.reminderTime)) {
                addReminder(date, time, &draft)
            } else {
                context.report.note(
                    .lost, "alarm-dropped", source: name, record: at + 1,
                    property: Column.reminder.rawValue,
                    value: cell(.reminderDate) + " " + cell(.reminderTime),
                    action: "left out: a reminder needs a day and a time")
            }
        }
        for (column, line) in [
            (Column.totalWork, "X-MS-TOTAL-WORK"), (.actualWork, "X-MS-ACTUAL-WORK"),
            (.billing, "X-MS-BILLING"), (.companies, "X-MS-COMPANIES"),
            (.contacts, "X-MS-CONTACTS"), (.mileage, "X-MS-MILEAGE"), (.role, "X-MS-ROLE"),
            (.schedulePriority, "X-MS-SCHEDULE-PRIORITY"),
        ] where !cell(column).isEmpty && cell(column) != "0" {
            draft.extras.append(TodoDraft.Extra(text: line, cell(column)))
        }
        for i in unknown where !row[i].isEmpty {
            context.report.note(
                .lost, "column-unknown", source: name, record: at + 1,
                property: headers[i], value: row[i], action: "left out: no such column is known")
        }
        uids.assign(&draft)
        return draft
    }

    /// `0.5`, `50` and `50%` are the same; whole numbers up to 1 are shares.
    private static func percent(_ text: String) -> Int64? {
        var text = text.utf8.contains(0x2C) ? text.replacing(",", with: ".") : text
        let hasSign = text.hasSuffix("%")
        if hasSign { text.removeLast() }
        guard let number = Double(HeaderNames.trim(text)), number >= 0, number <= 100 else {
            return nil
        }
        return Int64((!hasSign && number <= 1 ? number * 100 : number).rounded())
    }

    private func addReminder(_ date: TodoMoment, _ time: ClockTime, _ draft: inout TodoDraft) {
        let moment = TodoMoment(local: date.day + "T" + time.text + ":00")
        // Where the zone is not known the clock time is kept, as a distance from a day of the task.
        if context.options.zone == nil, let day = draft.due ?? draft.start,
            let from = TodoMoment(local: day.day).localSeconds, let at = moment.localSeconds
        {
            return draft.addAlarm(
                trigger: TodoDuration.text(at - from), isFromDue: draft.due != nil)
        }
        guard
            let seconds = moment.instant(context.zoneLibrary, floating: context.options.zone),
            let text = TodoMoment.localText(seconds)
        else { return }
        if context.options.zone == nil {
            context.report.note(
                .guessed, "reminder-zone", source: name, record: at + 1, value: moment.local,
                action: "taken as universal time; --zone names the zone of this computer")
        }
        draft.addAlarm(trigger: text.filter { $0 != "-" && $0 != ":" } + "Z")
    }
}

extension OutlookTasksSource {
    /// True when the header is that of a task export.
    static func looksLikeIt(_ bytes: UnsafeRawBufferPointer) -> Bool {
        // Names of contacts and tasks overlap (Notes, Categories), dates of tasks do not.
        func known(_ columns: [OutlookTaskNames.Column]) -> [String] {
            columns.map(\.rawValue) + columns.flatMap { OutlookTaskNames.names[$0] ?? [] }
        }
        return DelimitedTable.matches(bytes, known([.subject])) > 0
            && DelimitedTable.matches(bytes, known([.due, .completed, .percent, .status])) >= 2
    }
}

extension Format {
    /// Outlook's task CSV. A CSV is looked at as a CSV first, so this one is only asked for by name;
    /// `csv` finds the header itself.
    static let outlookTasks = Format(
        name: "outlook-tasks", extensions: [],
        summary: "Outlook's task CSV (csv --profile outlook-tasks)", content: .tasks,
        detect: { _ in 0 },
        read: { (request) throws(FormatError) in
            let source = try OutlookTasksSource(input: request.input, context: request.context)
            return ReadSource(
                reader: TodoDraftReader(
                    source, context: request.context, isForStore: request.isForStore),
                content: .tasks)
        },
        write: { (request) throws(FormatError) in
            OutlookTasksWriter(sink: request.sink, context: request.context)
        })
}
