// Durations of iCalendar, and the due date that a start and a duration make (RFC 5545, 3.3.6):
// weeks and days are counted on the calendar, hours, minutes and seconds by the clock.

/// A duration of a to-do.
struct TodoDuration: Equatable {
    /// Whole days, on the calendar.
    private(set) var days: Int64 = 0
    /// Seconds, by the clock.
    private(set) var seconds: Int64 = 0

    /// A duration from `P2D`, `PT36H`, `-P1W` and the like; nil for anything else.
    init?(_ text: String) {
        var rest = text.uppercased()[...]
        var isNegative = false
        if let sign = rest.first, sign == "-" || sign == "+" {
            isNegative = sign == "-"
            rest.removeFirst()
        }
        guard rest.popFirst() == "P", !rest.isEmpty else { return nil }
        var isTime = false
        var digits = ""
        for c in rest {
            if c.isASCII, c.isNumber {
                guard digits.count < 9 else { return nil }
                digits.append(c)
                continue
            }
            if c == "T", !isTime, digits.isEmpty {
                isTime = true
                continue
            }
            guard let number = Int64(digits) else { return nil }
            digits = ""
            switch (c, isTime) {
            case ("W", false): days += number * 7
            case ("D", false): days += number
            case ("H", true): seconds += number * 3600
            case ("M", true): seconds += number * 60
            case ("S", true): seconds += number
            default: return nil
            }
        }
        guard digits.isEmpty, rest.last != "T" else { return nil }
        if isNegative {
            days = -days
            seconds = -seconds
        }
    }

    /// Seconds as a duration of hours, minutes and seconds.
    static func text(_ seconds: Int64) -> String {
        let total = seconds.magnitude
        var text = seconds < 0 ? "-PT" : "PT"
        let (hours, minutes, rest) = (total / 3600, total % 3600 / 60, total % 60)
        if hours > 0 { text += "\(hours)H" }
        if minutes > 0 { text += "\(minutes)M" }
        if rest > 0 || total == 0 { text += "\(rest)S" }
        return text
    }
}

extension TodoMoment {
    /// The moment a duration later; a part of a day ends on the day it reaches.
    func adding(_ length: TodoDuration, _ zones: ZoneLibrary) -> TodoMoment? {
        guard let local = localSeconds else { return nil }
        var moment = self
        if isDay {
            let whole = local + length.days * 86_400 + length.seconds
            moment.local = TodoMoment.localText(whole).map { String($0.prefix(10)) } ?? ""
        } else {
            var clock = local + length.days * 86_400
            if length.seconds != 0, let name = tzid == "UTC" ? nil : zone ?? tzid,
                let zone = zones.zone(named: name)
            {
                let instant = zone.instant(ofLocal: clock).instant + length.seconds
                clock = instant + Int64(zone.offset(at: instant))
            } else {
                clock += length.seconds
            }
            moment.local = TodoMoment.localText(clock) ?? ""
        }
        return moment.local.isEmpty ? nil : moment
    }
}

extension TodoDraft {
    /// The due date that the start and the duration make; nil without one of them.
    func computedDue(_ zones: ZoneLibrary) -> TodoMoment? {
        duration.flatMap { TodoDuration($0) }.flatMap { start?.adding($0, zones) }
    }
}
