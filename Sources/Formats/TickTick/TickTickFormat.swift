// TickTick's CSV backup: a preamble (date, version, a legend over several lines), then a header.
// All-day dates are midnight of the task's own zone, written in universal time.

/// Reads TickTick's CSV.
final class TickTickSource: TodoSource {
    private var drafts: [TodoDraft] = []
    private var at = 0
    private let context: ExchangeContext
    private let table: DelimitedTable
    private let uids = TodoUIDs()
    private var columns: [String: Int] = [:]

    static let headers = [
        "Folder Name", "List Name", "Title", "Kind", "Tags", "Content", "Is Check list",
        "Start Date", "Due Date", "Reminder", "Repeat", "Priority", "Status", "Created Time",
        "Completed Time", "Order", "Timezone", "Is All Day", "Is Floating", "Column Name",
        "Column Order", "View Mode", "taskId", "parentId", "projectKind",
    ]

    init(input: InputBytes, context: ExchangeContext) throws(FormatError) {
        self.context = context
        table = try DelimitedTable(input, knownHeaders: TickTickSource.headers, context: context)
        guard table.column("Title") != nil,
            table.column("taskId") != nil || table.column("List Name") != nil
        else {
            throw FormatError(
                .malformed, "this is no TickTick backup: no header with Title and List Name",
                file: input.name)
        }
        for name in TickTickSource.headers {
            if let i = table.column(name) { columns[name] = i }
        }
        while let row = table.next() { read(row) }
        drafts.refuseCircles(context, source: table.name)
    }

    let coarse: CoarseRows? = CoarseRows(
        days: CoarseRows.dates, states: [["NEEDS-ACTION", "IN-PROCESS"]],
        priorities: CoarseRows.threePriorities)

    func next() throws(FormatError) -> TodoDraft? {
        guard at < drafts.count else { return nil }
        defer { at += 1 }
        return drafts[at]
    }

    func text(at place: Int) -> RowText? { table.text(at: place) }

    private func read(_ row: [String]) {
        for i in table.headers.indices where !columns.values.contains(i) && !row[i].isEmpty {
            context.report.note(
                .lost, "column-unknown", source: table.name, line: table.line,
                property: table.headers[i], value: row[i],
                action: "left out: no such column is known")
        }
        func cell(_ name: String) -> String { columns[name].map { row[$0] } ?? "" }
        var draft = TodoDraft()
        draft.place = table.place
        let id = HeaderNames.trim(cell("taskId"))
        draft.uid = id.isEmpty ? nil : id
        draft.title = cell("Title")
        draft.categories = cell("Tags").split(whereSeparator: { $0 == "," })
            .map { HeaderNames.trim(String($0)) }.filter { !$0.isEmpty }
        let zone = HeaderNames.trim(cell("Timezone"))
        let isAllDay = truth(cell("Is All Day"))
        let isFloating = truth(cell("Is Floating"))
        draft.start = moment(cell("Start Date"), zone, isAllDay, isFloating)
        draft.due = moment(cell("Due Date"), zone, isAllDay, isFloating)
        let isKept = [draft.start, draft.due].contains { $0?.isDay == false && $0?.tzid == "UTC" }
        if isKept, !zone.isEmpty, ZoneNames.resolve(zone) != "UTC" {
            draft.extras.append(TodoDraft.Extra(text: "X-TICKTICK-TIMEZONE", zone))
        }
        draft.created = moment(cell("Created Time"), "", false, false)
        let completed = moment(cell("Completed Time"), "", false, false)
        switch HeaderNames.trim(cell("Status")) {
        case "1", "2": draft.setDone(true, at: completed)
        case "-1":
            draft.status = "CANCELLED"
            draft.completed = completed
        case "0", "": draft.setDone(false)
        case let other:
            draft.setDone(false)
            unreadable("Status", other, "taken as open: TickTick has no such state")
        }
        switch HeaderNames.trim(cell("Priority")) {
        case "1": draft.priority = 9
        case "3": draft.priority = 5
        case "5": draft.priority = 1
        case "0", "": break
        case let other:
            unreadable("Priority", other, "taken as not given: TickTick has no such number here")
        }
        let rule = HeaderNames.trim(cell("Repeat"))
        if !rule.isEmpty { recur(rule, &draft) }
        // TickTick writes both; a task of one moment has them equal. A rule wants a start.
        if draft.start == draft.due, draft.recurrence.isEmpty { draft.start = nil }
        draft.alignRules(
            context, source: table.name, line: table.line, floating: zone.isEmpty ? nil : zone)
        for trigger in cell("Reminder").split(whereSeparator: { $0 == "," || $0.isNewline }) {
            addReminder(HeaderNames.trim(String(trigger)), &draft)
        }
        let parent = HeaderNames.trim(cell("parentId"))
        if !parent.isEmpty { draft.relations = [TodoDraft.Relation(kind: "PARENT", uid: parent)] }
        for (name, line) in [
            ("List Name", TodoLineName.list), ("Column Name", TodoLineName.section),
            ("Folder Name", "X-TICKTICK-FOLDER"), ("Order", "X-TICKTICK-ORDER"),
            ("Kind", "X-TICKTICK-KIND"), ("Column Order", "X-TICKTICK-COLUMN-ORDER"),
            ("View Mode", "X-TICKTICK-VIEW-MODE"), ("projectKind", "X-TICKTICK-PROJECT-KIND"),
        ] where !cell(name).isEmpty {
            draft.extras.append(TodoDraft.Extra(text: line, cell(name)))
        }
        let content = cell("Content")
        let isList = truth(cell("Is Check list")) || cell("Kind") == "CHECKLIST"
        let items = isList ? checklist(content, &draft) : []
        if !isList, !content.isEmpty { draft.notes = content }
        uids.assign(&draft)
        drafts.append(draft)
        for (i, item) in items.enumerated() {
            var child = item
            let parent = draft.uid ?? ""
            child.uid = "\(parent)-item-\(i + 1)"
            child.relations = [TodoDraft.Relation(kind: "PARENT", uid: parent)]
            // It stands where the task stands.
            child.extras = draft.extras.filter {
                [TodoLineName.list, TodoLineName.section, "X-TICKTICK-FOLDER"].contains($0.name)
            }
            drafts.append(child)
        }
    }

    private func unreadable(_ column: String, _ value: String, _ action: String) {
        context.report.note(
            .lost, "number-unreadable", source: table.name, line: table.line, property: column,
            value: value, action: action)
    }

    private func truth(_ text: String) -> Bool {
        ["true", "y", "yes", "1"].contains(HeaderNames.trim(text).lowercased())
    }

    private func moment(_ text: String, _ zone: String, _ isAllDay: Bool, _ isFloating: Bool)
        -> TodoMoment?
    {
        let text = HeaderNames.trim(text)
        guard !text.isEmpty else { return nil }
        guard let moment = TodoMoment(iso: text) else {
            context.report.note(
                .lost, "date-unreadable", source: table.name, line: table.line, value: text,
                action: "left out")
            return nil
        }
        guard moment.tzid == "UTC" else {
            return isAllDay ? TodoMoment(local: moment.day) : moment
        }
        if zone.isEmpty {
            guard isAllDay, moment.time != "00:00:00" else {
                return isAllDay ? TodoMoment(local: moment.day) : moment
            }
            context.report.note(
                .guessed, "zone-assumed", source: table.name, line: table.line, value: text,
                action: context.options.zone == nil
                    ? "taken as the day that begins nearest; --zone names the zone it begins in"
                    : "taken as a day of the zone that --zone names")
            return context.options.zone.map {
                TodoMoment(local: moment.moved(to: $0, context.zoneLibrary).day)
            } ?? nearestDay(moment)
        }
        guard let iana = ZoneNames.resolve(zone), context.zoneLibrary.zone(named: iana) != nil
        else {
            context.report.note(
                .guessed, "zone-unresolved", source: table.name, line: table.line, value: zone,
                action: "the time stays in universal time")
            return isAllDay ? nearestDay(moment) : moment
        }
        var local = moment.moved(to: iana, context.zoneLibrary)
        local.tzid = zone
        local.zone = iana
        if isAllDay { return TodoMoment(local: local.day) }
        if isFloating { return TodoMoment(local: local.local) }
        // Clocks that are put back show a time twice, and mean the first (RFC 5545, 3.3.5).
        if local.instant(context.zoneLibrary, floating: nil) != moment.localSeconds {
            context.report.note(
                .changed, "time-kept-utc", source: table.name, line: table.line, value: text,
                action: "kept in universal time: clocks of \(zone) show this time twice")
            return moment
        }
        return local
    }

    /// Midnight of an unknown zone: the day whose begin is nearest.
    private func nearestDay(_ moment: TodoMoment) -> TodoMoment {
        guard let seconds = moment.localSeconds, let text = TodoMoment.localText(seconds + 43_200)
        else { return moment }
        return TodoMoment(local: String(text.prefix(10)))
    }

    /// The rules of a cell; TickTick's own kinds (`ERULE`, `LUNAR`) are kept as they are.
    private func recur(_ text: String, _ draft: inout TodoDraft) {
        for line in text.split(whereSeparator: \.isNewline) {
            if let rule = TodoRecurrence.line(String(line)) {
                draft.recurrence.append(rule)
                continue
            }
            draft.extras.append(TodoDraft.Extra(text: "X-TICKTICK-REPEAT", String(line)))
            context.report.note(
                .changed, "recurrence-unknown", source: table.name, line: table.line,
                property: "Repeat", value: String(line),
                action: "kept as a line: iCalendar has no such rule, so the task does not recur")
        }
    }

    private func addReminder(_ text: String, _ draft: inout TodoDraft) {
        guard !text.isEmpty else { return }
        var trigger = text.uppercased()
        if trigger.hasPrefix("TRIGGER:") { trigger.removeFirst(8) }
        let digits = trigger.drop(while: { $0 == "-" || $0 == "+" })
        guard digits.hasPrefix("P"),
            digits.dropFirst().allSatisfy({ $0.isNumber || "WDTHMS".contains($0) })
        else {
            context.report.note(
                .lost, "alarm-dropped", source: table.name, line: table.line,
                property: "Reminder", value: text, action: "left out: it is no duration")
            return
        }
        draft.addAlarm(trigger: trigger)
    }

    /// Lines beginning with a box are items, the others are notes.
    private func checklist(_ content: String, _ draft: inout TodoDraft) -> [TodoDraft] {
        var items: [TodoDraft] = []
        var notes: [Substring] = []
        for line in content.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            guard let first = line.first, first == "\u{25AB}" || first == "\u{25AA}" else {
                notes.append(line)
                continue
            }
            var item = TodoDraft()
            item.title = HeaderNames.trim(String(line.dropFirst()))
            item.setDone(first == "\u{25AA}")
            items.append(item)
        }
        while notes.last?.isEmpty == true { notes.removeLast() }
        let text = notes.joined(separator: "\n")
        if !text.isEmpty { draft.notes = text }
        return items
    }
}

extension Format {
    /// TickTick's CSV backup.
    static let ticktick = Format(
        name: "ticktick", extensions: [], summary: "TickTick's CSV backup", content: .tasks,
        detect: {
            guard DelimitedTable.mentions($0, [["list name", "taskid"], ["title"]]) else {
                return 0
            }
            return DelimitedTable.matches($0, TickTickSource.headers) >= 6 ? 140 : 0
        },
        read: { (request) throws(FormatError) in
            let source = try TickTickSource(input: request.input, context: request.context)
            return ReadSource(
                reader: TodoDraftReader(
                    source, context: request.context, isForStore: request.isForStore),
                content: .tasks)
        })
}
