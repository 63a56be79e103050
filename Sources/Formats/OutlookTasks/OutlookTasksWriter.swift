// To-dos as the English task CSV that Outlook imports.

/// Writes Outlook's task CSV.
final class OutlookTasksWriter: RecordWriter {
    private let sink: ByteSink
    private let context: ExchangeContext
    private let losses: TodoLosses
    private let cells: FieldWriter
    private var isBegun = false
    private var record = 0

    init(sink: ByteSink, context: ExchangeContext) {
        self.sink = sink
        self.context = context
        losses = TodoLosses(context: context)
        cells = FieldWriter(sink.buffer, CSVDialect())
    }

    private func begin() {
        guard !isBegun else { return }
        isBegun = true
        line(OutlookTaskNames.Column.allCases.map(\.rawValue))
    }

    func write(_ batch: RecordBatch) throws(FormatError) {
        begin()
        let rows = TodoRows(batch)
        for row in 0..<rows.count {
            record += 1
            write(losses.draft(rows, row))
            context.report.written += 1
            try sink.flushIfFull()
        }
    }

    func finish() throws(FormatError) {
        begin()
        try sink.finish()
    }

    private func line(_ values: [String]) {
        for (i, value) in values.enumerated() {
            if i > 0 { sink.buffer.append(0x2C) }
            if !value.isEmpty { cells.write(value) }
        }
        sink.buffer.append("\r\n")
    }

    private static let holds: Set<String> = [
        "notes", "start", "due", "completed", "percent", "priority", "categories",
        "classification", "X-MS-TOTAL-WORK", "X-MS-ACTUAL-WORK", "X-MS-BILLING", "X-MS-COMPANIES",
        "X-MS-CONTACTS", "X-MS-MILEAGE", "X-MS-ROLE", "X-MS-SCHEDULE-PRIORITY", "X-MS-STATUS",
        "components", "in-process",
    ]

    /// `2026-02-05` as `2/5/2026`.
    private static func day(_ iso: String) -> String {
        let parts = iso.split(separator: "-").compactMap { Int($0) }
        guard parts.count == 3 else { return iso }
        return "\(parts[1])/\(parts[2])/\(parts[0])"
    }

    private func day(_ moment: TodoMoment?, _ property: String, _ draft: TodoDraft) -> String {
        guard var moment else { return "" }
        if !moment.isDay {
            if let zone = context.options.zone {
                moment = moment.moved(to: zone, draft.zones(context))
            }
            losses.note(
                "time-dropped", property, moment.local, record: record,
                action: "a task of Outlook has days only")
        }
        return OutlookTasksWriter.day(moment.day)
    }

    private func write(_ draft: TodoDraft) {
        losses.check(
            draft, holds: OutlookTasksWriter.holds, record: record, format: "Outlook's task CSV")
        let isDone = draft.isDone
        var percent = isDone ? 100 : min(max(draft.percent ?? 0, 0), 100)
        if !isDone, percent == 100 {
            // Outlook takes it for done.
            percent = 0
            losses.note(
                "percent-dropped", "percent", "100", record: record,
                action: "written as 0: a task of Outlook that is open is not done whole")
        }
        var status = "Not Started"
        if isDone {
            status = "Completed"
        } else if let text = draft.extraText("X-MS-STATUS"),
            let kind = OutlookTaskNames.status(text), kind >= 3
        {
            status = kind == 3 ? "Waiting on someone else" : "Deferred"
        } else if draft.isCancelled {
            status = "Deferred"
        } else if draft.status?.isInCapitals("IN-PROCESS") ?? false || percent > 0 {
            status = "In Progress"
        }
        if let text = draft.extraText("X-MS-STATUS"),
            OutlookTaskNames.status(text).map({ $0 < 3 }) ?? true
        {
            losses.note(
                "status-dropped", "status", text, record: record,
                action: "written as \(status): Outlook has no such state")
        }
        let (date, time) = reminder(draft)
        let importance = losses.priorityClass(draft, record: record, format: "Outlook")
        let priority = ["Normal", "High", "Normal", "Low"][importance ?? 0]
        if importance == 2 {
            losses.note(
                "priority-class", "priority", draft.priority.map { String($0) }, record: record,
                kind: .changed, action: "Outlook has no medium priority besides its normal one")
        }
        if !isDone, let completed = draft.completed {
            losses.note(
                "completed-dropped", "completed", completed.local, record: record,
                action: "an open task of Outlook has no date of completion")
        }
        let sensitivity = sensitivity(draft)
        let isPrivate = sensitivity != "Normal"
        line([
            draft.title ?? "", day(draft.start, "start", draft),
            day(losses.due(draft, record: record), "due", draft),
            date.isEmpty ? "False" : "True", date, time,
            isDone ? day(draft.completed, "completed", draft) : "",
            "\(percent)", draft.extraText("X-MS-TOTAL-WORK") ?? "0",
            draft.extraText("X-MS-ACTUAL-WORK") ?? "0", draft.extraText("X-MS-BILLING") ?? "",
            categories(draft), draft.extraText("X-MS-COMPANIES") ?? "",
            draft.extraText("X-MS-CONTACTS") ?? "", draft.extraText("X-MS-MILEAGE") ?? "",
            draft.notes ?? "", priority, isPrivate ? "True" : "False",
            draft.extraText("X-MS-ROLE") ?? "", draft.extraText("X-MS-SCHEDULE-PRIORITY") ?? "",
            sensitivity, status,
        ])
    }

    private func sensitivity(_ draft: TodoDraft) -> String {
        switch draft.classification?.uppercased() {
        case nil, "", "PUBLIC": return "Normal"
        case "PRIVATE": return "Private"
        case "CONFIDENTIAL": return "Confidential"
        default:
            losses.note(
                "classification-class", "classification", draft.classification, record: record,
                kind: .changed, action: "no such class is known: written as private")
            return "Private"
        }
    }

    /// The categories with semicolons between them.
    private func categories(_ draft: TodoDraft) -> String {
        draft.categories.map { category in
            guard category.contains(where: { $0 == ";" || $0 == "," }) else { return category }
            losses.note(
                "token-spelling", "categories", category, record: record, kind: .changed,
                action: "commas and semicolons part categories in Outlook: written as spaces")
            let words = category.split(whereSeparator: { $0 == ";" || $0 == "," || $0 == " " })
            return words.joined(separator: " ")
        }.joined(separator: ";")
    }

    /// Day and time of the first reminder that is an instant.
    private func reminder(_ draft: TodoDraft) -> (String, String) {
        var found: (String, String) = ("", "")
        for alarm in draft.components {
            guard TodoDraft.Alarm.isOne(alarm) else {
                losses.component(alarm, record: record, format: "Outlook's task CSV")
                continue
            }
            guard found.0.isEmpty, let moment = trigger(alarm, draft) else {
                losses.note(
                    "alarm-dropped", "components", String(alarm.prefix(60)), record: record,
                    action: found.0.isEmpty
                        ? "left out: Outlook's task CSV has a reminder at a known time only"
                        : "left out: Outlook's task CSV has one reminder")
                continue
            }
            if TodoDraft.Alarm.isMore(alarm) {
                losses.note(
                    "alarm-simplified", "components", String(alarm.prefix(60)), record: record,
                    kind: .changed,
                    action: "Outlook's reminder has a time only: what else the alarm says is gone")
            }
            let time =
                moment.time.map { $0.split(separator: ":").compactMap { Int($0) } } ?? [0, 0]
            let hour = time[0] % 12 == 0 ? 12 : time[0] % 12
            let minute = time[1] < 10 ? "0\(time[1])" : "\(time[1])"
            found = (
                OutlookTasksWriter.day(moment.day),
                "\(hour):\(minute):00 \(time[0] < 12 ? "AM" : "PM")"
            )
        }
        return found
    }

    /// When an alarm goes off, on this computer's clock. Apple's dummy of 1976 marks a place, not a
    /// time (T8).
    private func trigger(_ alarm: String, _ draft: TodoDraft) -> TodoMoment? {
        let zones = draft.zones(context)
        guard let (name, value) = TodoDraft.Alarm.trigger(alarm) else { return nil }
        if let moment = TodoMoment(basic: value), moment.tzid == "UTC" {
            guard moment.day != "1976-04-01" else { return nil }
            return onThisClock(moment, zones)
        }
        guard let length = TodoDuration(value) else { return nil }
        let isFromEnd = name.contains("RELATED=END")
        guard var base = isFromEnd ? draft.due ?? draft.computedDue(zones) : draft.start else {
            return nil
        }
        // Of a whole day its first moment counts (RFC 5545, 3.8.6.3).
        if base.isDay { base.local += "T00:00:00" }
        guard let moment = base.adding(length, zones) else { return nil }
        return onThisClock(moment, zones)
    }

    /// A moment on the clock of the computer that reads the file.
    private func onThisClock(_ moment: TodoMoment, _ zones: ZoneLibrary) -> TodoMoment {
        if let zone = context.options.zone { return moment.moved(to: zone, zones) }
        if moment.tzid == "UTC" {
            losses.note(
                "reminder-zone", "components", moment.local, record: record, kind: .guessed,
                action: "written as it is in universal time; --zone names the zone of the computer"
                    + " it is for")
        }
        return moment
    }
}
