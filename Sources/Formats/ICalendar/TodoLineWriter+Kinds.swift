// Start and due date are of one kind in iCalendar: both whole days, or both times (RFC 5545, 3.8.2.3).
// Rows keep what their source said, so it is when they are written that one of the two is made to
// fit. What else counts from a date that is written as another kind follows it, or the other date is
// the one that is changed.

extension TodoLineWriter {
    /// Decides which of two dates of different kinds is made to fit the other.
    func checkDates(_ rows: TodoRows) {
        repairedStart = .none
        repairedDue = .none
        dueShift = 0
        guard let first = rows.date(.start, row)?.text(.local).flatMap({ ICalendarDate($0) }),
            let last = rows.date(.due, row)?.text(.local).flatMap({ ICalendarDate($0) }),
            first.hasTime != last.hasTime,
            let start = moment(.start, rows), let due = moment(.due, rows)
        else { return }
        if countsFromStart(rows, start) {
            repairedDue = start.isDay ? .day : .dateTime
            dueShift = start.isDay ? secondsOfDay(day(of: due)) : -TodoLineWriter.endOfDay
            return note(
                .changed, start.isDay ? "due-made-day" : "due-made-datetime", "DUE", due.local,
                start.isDay
                    ? "the start is a whole day and others count from it, so the due date was"
                        + " written as one"
                    : "the start has a time and others count from it, so the due date was written"
                        + " as the end of its day")
        }
        repairedStart = due.isDay ? .day : .dateTime
        note(
            .changed, due.isDay ? "start-made-day" : "start-made-datetime", "DTSTART",
            start.local,
            due.isDay
                ? "the due date is a whole day, so the start was written as one"
                : "the due date has a time, so the start was written as 00:00 of its day")
    }

    /// The last second of a day, which is when a task that is due on that day is due.
    private static let endOfDay: Int64 = 86_399

    /// True when the start must stay as it is: dates of a rule, excluded ones and instances are
    /// named by its kind and time, and alarms count from its time.
    private func countsFromStart(_ rows: TodoRows, _ start: TodoMoment) -> Bool {
        if !rows.range(.recurrence, row).isEmpty || rows.date(.recurrenceID, row) != nil {
            return true
        }
        return !start.isDay
            && rows.strings(.components, row).contains {
                AlarmTrigger($0).map { !$0.isFromEnd } ?? false
            }
    }

    /// The date that is written instead of the start or the due date, with its zone.
    func repaired(_ property: ICalendarProperty, _ repair: Repair, _ rows: TodoRows)
        -> TodoMoment?
    {
        let field = property == .start ? TodoField.start : .due
        guard let own = moment(field, rows) else { return nil }
        if repair == .day { return TodoMoment(local: day(of: own).day) }
        let other = moment(field == .start ? .due : .start, rows)
        var moment = TodoMoment(local: own.day + (field == .start ? "T00:00:00" : "T23:59:59"))
        if other?.tzid == "UTC" {
            // The day of its owner, where it is known whose; else of whoever reads it.
            if let zone = context.options.zone, context.zoneLibrary.zone(named: zone) != nil {
                moment.tzid = zone
                moment.zone = zone
                return moment.moved(to: "UTC", context.zoneLibrary)
            }
        } else {
            moment.tzid = other?.tzid
            moment.zone = other?.zone
        }
        return moment
    }

    /// A time as its owner sees it: universal time says another day elsewhere.
    private func day(of moment: TodoMoment) -> TodoMoment {
        guard moment.tzid == "UTC", let zone = context.options.zone else { return moment }
        return moment.moved(to: zone, context.zoneLibrary)
    }

    private func secondsOfDay(_ moment: TodoMoment) -> Int64 {
        guard let time = moment.localSeconds,
            let day = TodoMoment(local: moment.day).localSeconds
        else { return 0 }
        return time - day
    }

    private func moment(_ field: TodoField, _ rows: TodoRows) -> TodoMoment? {
        guard let item = rows.date(field, row), let text = item.text(.local),
            let date = ICalendarDate(text)
        else { return nil }
        scratch.removeAll()
        date.write(local: scratch)
        return TodoMoment(
            local: String(decoding: scratch.elements, as: UTF8.self),
            tzid: date.isUTC ? "UTC" : item.string(.tzid), zone: item.string(.zone))
    }

    /// An alarm that counts from a due date which is written as another kind; nil for all others.
    func counted(_ component: UnsafeRawBufferPointer) -> String? {
        guard dueShift != 0 else { return nil }
        let text = String(decoding: component, as: UTF8.self)
        guard let trigger = AlarmTrigger(text), trigger.isFromEnd else { return nil }
        note(
            .changed, "alarm-counted", "components", String(trigger.line.prefix(80)),
            "counted anew from the due date, which is written as another kind of date: it rings as"
                + " before")
        return trigger.moved(text, by: dueShift)
    }
}
