// The recurrence of Microsoft Graph as a rule line: its files have it, and JSON made of them.

/// Graph's recurrence patterns.
enum GraphRecurrence {
    private static let days = [
        "monday": "MO", "tuesday": "TU", "wednesday": "WE", "thursday": "TH", "friday": "FR",
        "saturday": "SA", "sunday": "SU",
    ]
    private static let places = [
        "first": "1", "second": "2", "third": "3", "fourth": "4", "last": "-1",
    ]

    /// The rule line of a pattern with its range.
    static func rule(_ tree: JSONTree) -> String? {
        guard let pattern = tree["pattern"], let type = pattern["type"]?.string else { return nil }
        let interval = pattern["interval"]?.int ?? 1
        let names = (pattern["daysOfWeek"]?.array ?? []).compactMap {
            $0.string.flatMap { days[$0.lowercased()] }
        }
        let place = places[pattern["index"]?.string?.lowercased() ?? "first"] ?? "1"
        let day = pattern["dayOfMonth"]?.int ?? 0
        let month = pattern["month"]?.int ?? 0
        var parts: [String]
        switch type {
        case "daily": parts = ["FREQ=DAILY"]
        case "weekly":
            parts = ["FREQ=WEEKLY"]
            if !names.isEmpty { parts.append("BYDAY=" + names.joined(separator: ",")) }
            // Weeks of Graph begin on Sunday, unless it says otherwise; those of rules on Monday.
            let first = pattern["firstDayOfWeek"]?.string?.lowercased() ?? "sunday"
            if interval > 1, !names.isEmpty, first != "monday", let day = days[first] {
                parts.append("WKST=" + day)
            }
        case "absoluteMonthly":
            parts = ["FREQ=MONTHLY"]
            if (1...31).contains(day) { parts.append("BYMONTHDAY=\(day)") }
        case "relativeMonthly", "relativeYearly":
            guard !names.isEmpty else { return nil }
            parts = [type == "relativeMonthly" ? "FREQ=MONTHLY" : "FREQ=YEARLY"]
            if type == "relativeYearly", (1...12).contains(month) {
                parts.append("BYMONTH=\(month)")
            }
            if names.count == 1 {
                parts.append("BYDAY=" + place + names[0])
            } else {
                parts.append("BYDAY=" + names.joined(separator: ","))
                parts.append("BYSETPOS=" + place)
            }
        case "absoluteYearly":
            parts = ["FREQ=YEARLY"]
            if (1...12).contains(month) { parts.append("BYMONTH=\(month)") }
            if (1...31).contains(day) { parts.append("BYMONTHDAY=\(day)") }
        default: return nil
        }
        if interval > 1, interval < 10_000 { parts.insert("INTERVAL=\(interval)", at: 1) }
        if let range = tree["range"] {
            switch range["type"]?.string {
            case "numbered":
                if let count = range["numberOfOccurrences"]?.int, count > 0 {
                    parts.append("COUNT=\(count)")
                }
            case "endDate":
                if let end = range["endDate"]?.string.flatMap({ TodoMoment(iso: $0) }) {
                    parts.append("UNTIL=" + end.day.filter { $0 != "-" })
                }
            default: break
            }
        }
        return "RRULE:" + parts.joined(separator: ";")
    }
}

/// Graph's words for the state and the weight of a task.
enum GraphWords {
    /// States of a task.
    static let states: Set<String> = [
        "notStarted", "inProgress", "completed", "waitingOnOthers", "deferred",
    ]
    /// How important a task is.
    static let weights: Set<String> = ["low", "normal", "high"]

    /// The priority a weight means; nil for normal, and for other words.
    static func priority(_ word: String?) -> Int64? {
        switch word {
        case "high": 1
        case "low": 9
        default: nil
        }
    }
}
