// The start and the due date of a to-do of vCalendar 1.0, which may be of different kinds there.

extension LegacyComponent {
    /// Start and due date are of one kind (RFC 5545, 3.8.2.3): where dates of a rule and instances
    /// are named by the start, or alarms count from it, the due date is made to fit, else the start.
    func repairDates() {
        guard !isEvent, let start = dates["DTSTART"], let due = dates["DUE"],
            start.moment.isDay != due.moment.isDay
        else { return }
        let isKept =
            !rules.isEmpty || dates["RECURRENCE-ID"] != nil || hasDateLists
            || !start.moment.isDay && hasAlarms
        let (name, old, other) =
            isKept ? ("DUE", due, start.moment) : ("DTSTART", start, due.moment)
        var moment = TodoMoment(local: old.moment.day)
        if old.moment.isDay {
            moment.local += isKept ? "T23:59:59" : "T00:00:00"
            if other.tzid != "UTC" {
                moment.tzid = other.tzid
                moment.zone = other.zone
            }
        }
        pieces[old.piece] = Array((LegacyComponent.head(name, moment) + value(moment)).utf8)
        dates[name]?.moment = moment
        // Alarms count from what is written, and from no end of a day.
        if isKept { times.end = nil } else { times.start = alarmTime(moment) }
        let (one, kind) = (isKept ? "start" : "due date", moment.isDay ? "a whole day" : "a time")
        Array(LegacyComponent.value(old.moment).utf8).withUnsafeBytes {
            note(
                .changed,
                (isKept ? "due-made-" : "start-made-") + (moment.isDay ? "day" : "datetime"),
                name, $0,
                "the \(one) is \(kind), so this date was written as one"
                    + (moment.isDay ? "" : ", \(isKept ? "the end" : "00:00") of its day"))
        }
    }

    /// True when there are dates besides those of a rule.
    private var hasDateLists: Bool {
        pieces.contains { piece in
            piece.withUnsafeBytes {
                NameKey.starts($0, with: "RDATE") || NameKey.starts($0, with: "EXDATE")
            }
        }
    }
}
