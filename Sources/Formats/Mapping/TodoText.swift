// Words that the task formats share: lines with a meaning of their own for what `TodoItem` has no
// field for, priorities in few classes, recurrence in words, reminders as alarms.

/// Names of the extra lines that carry lists and sections from one task format to another.
package enum TodoLineName {
    /// The list or project a to-do is in.
    package static let list = "X-RTOOL-LIST"
    /// The section or column of that list.
    package static let section = "X-RTOOL-SECTION"
    /// A comment on the to-do.
    package static let comment = "COMMENT"
    /// A link to something outside.
    package static let link = "ATTACH"
}

extension TodoField {
    /// Lines kept for their place or parameters whose value a property holds as well.
    package static let byLine: [String: TodoField] = [
        "UID": .uid, "SUMMARY": .title, "DESCRIPTION": .notes, "STATUS": .status,
        "PERCENT-COMPLETE": .percent, "PRIORITY": .priority, "SEQUENCE": .sequence,
        "DURATION": .duration, "X-RTOOL-DURATION": .duration, "CATEGORIES": .categories,
        "CLASS": .classification,
        "LOCATION": .location, "URL": .url, "GEO": .geo, "COLOR": .color,
    ]

    /// Lines of dates. Only what is no date stands in one of them.
    package static let dateLines: Set<String> = [
        "COMPLETED", "CREATED", "LAST-MODIFIED", "DTSTAMP", "RECURRENCE-ID", "DTSTART", "DUE",
    ]
}

extension TodoDraft.Extra {
    /// A line whose value is text, with the escapes a line needs.
    package init(text name: String, _ text: String) {
        // A byte that begins the Greek question mark, which is a semicolon by another name, is
        // as special as the others.
        let isPlain = text.hasNone {
            $0 == 0x5C || $0 == 0x3B || $0 == 0x2C || $0 == 0x0A || $0 == 0xCD
        }
        if isPlain {
            self.init(name, text)
            return
        }
        var value = ""
        for c in text {
            switch c {
            case "\\": value += "\\\\"
            case ";": value += "\\;"
            case ",": value += "\\,"
            case "\n", "\r\n": value += "\\n"
            default: value.append(c)
            }
        }
        self.init(name, value)
    }

    /// True when the value is content itself, as text.
    var isBinary: Bool {
        parameters.contains {
            let text = $0.uppercased()
            return text == "ENCODING=BASE64" || text == "VALUE=BINARY" || text == "ENCODING=B"
        }
    }

    /// Adds a parameter, with the quotes it needs; a quote in it becomes an apostrophe's escape.
    package mutating func addParameter(_ name: String, _ value: String) {
        var text = value
        let out = RawVector<UInt8>(capacity: 64)
        defer { out.destroy() }
        text.withUTF8 { ParameterText.encode(UnsafeRawBufferPointer($0), .iCalendar, into: out) }
        parameters.append(name + "=" + String(decoding: out.elements, as: UTF8.self))
    }

    /// The value of a parameter.
    package func parameter(_ name: String) -> String? {
        guard let found = parameters.first(where: { $0.hasPrefix(name + "=") }) else { return nil }
        var text = String(found.dropFirst(name.count + 1))
        let out = RawVector<UInt8>(capacity: 64)
        defer { out.destroy() }
        text.withUTF8 { ParameterText.decode(UnsafeRawBufferPointer($0), into: out) }
        return String(decoding: out.elements, as: UTF8.self)
    }

    /// The text of a line whose value is text.
    package var text: String {
        if value.hasNone(of: { $0 == 0x5C }) { return value }
        var text = ""
        var isEscaped = false
        for c in value {
            if isEscaped {
                text.append(c == "n" || c == "N" ? "\n" : c)
                isEscaped = false
            } else if c == "\\" {
                isEscaped = true
            } else {
                text.append(c)
            }
        }
        return text
    }
}

extension TodoDraft {
    /// The text of the first extra line of a name.
    package func extraText(_ name: String) -> String? {
        extras.first { $0.name.isInCapitals(name) }?.text
    }

    /// Priority in the three classes many programs have (T4): 1 high, 2 medium, 3 low, nil none.
    package var priorityClass: Int? {
        switch priority ?? 0 {
        case 1...4: 1
        case 5: 2
        case 6...9: 3
        default: nil
        }
    }

    /// Adds a reminder.
    /// - Parameter isFromDue: whether a duration counts from the due date; nil: from the start or,
    ///   where there is none, from the due date.
    package mutating func addAlarm(trigger: String, isFromDue: Bool? = nil) {
        let isAbsolute = trigger.utf8.first.map { $0 &- 48 < 10 } ?? false
        let isFromDue = isFromDue ?? (start == nil && due != nil)
        let parameter = isAbsolute ? ";VALUE=DATE-TIME" : isFromDue ? ";RELATED=END" : ""
        components.append(
            "BEGIN:VALARM\n\(Alarm.plain.joined(separator: "\n"))\nTRIGGER\(parameter):\(trigger)\n"
                + "END:VALARM")
    }

    /// Alarms as text.
    enum Alarm {
        /// What a reminder of ours says besides its time.
        static let plain = ["ACTION:DISPLAY", "DESCRIPTION:Reminder"]

        /// True for an alarm; false for what else may stand in a to-do, such as a participant.
        static func isOne(_ component: String) -> Bool {
            component.beginsInCapitals(with: "BEGIN:VALARM")
        }

        /// The name with parameters, in capitals, and the value of an alarm's trigger; nil without
        /// one, and for the dummy that marks a place.
        static func trigger(_ text: String) -> (name: String, value: String)? {
            let lines = text.split(whereSeparator: \.isNewline)
            guard let line = lines.first(where: { $0.uppercased().hasPrefix("TRIGGER") }),
                !lines.contains(where: { $0.uppercased().hasPrefix("X-APPLE-PROXIMITY") }),
                let colon = line.firstIndex(of: ":")
            else { return nil }
            return (line[..<colon].uppercased(), String(line[line.index(after: colon)...]))
        }

        /// True when an alarm says more than when to remind.
        static func isMore(_ text: String) -> Bool {
            let lines = text.split(whereSeparator: \.isNewline)
            return !lines.dropFirst().dropLast().allSatisfy {
                plain.contains(String($0)) || $0.hasPrefix("TRIGGER")
            }
        }
    }
}

/// Recurrence rules and the simple words for them.
package enum TodoRecurrence {
    package static let days = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]
    private static let dayNames = [
        "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
    ]
    private static let units = [
        "day": "DAILY", "week": "WEEKLY", "month": "MONTHLY", "year": "YEARLY",
    ]

    /// The line for simple English words such as `every 2 weeks` or `every mon, fri`.
    package static func rule(words: String) -> String? {
        var rest = words.lowercased().split(whereSeparator: { $0 == " " || $0 == "," })[...]
        guard let first = rest.popFirst(),
            first == "every" || first == "every!" || first == "daily"
                || first == "weekly" || first == "monthly" || first == "yearly"
        else { return nil }
        if !first.hasPrefix("every") {
            return rest.isEmpty ? "RRULE:FREQ=\(first.uppercased())" : nil
        }
        var interval = 1
        if let word = rest.first {
            if word == "other" {
                interval = 2
                rest.removeFirst()
            } else if let number = Int(word), number > 0, number < 1000 {
                interval = number
                rest.removeFirst()
            }
        }
        let tail = interval > 1 ? ";INTERVAL=\(interval)" : ""
        if rest.count == 1, let word = rest.first {
            let unit = word.hasSuffix("s") ? String(word.dropLast()) : String(word)
            if let name = units[unit] { return "RRULE:FREQ=\(name)\(tail)" }
            if unit == "weekday" || unit == "workday", interval == 1 {
                return "RRULE:FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"
            }
        }
        var found: [String] = []
        for word in rest where word != "and" {
            guard word.count >= 3,
                let i = dayNames.firstIndex(where: { $0.hasPrefix(word) || $0 + "s" == word })
            else { return nil }
            found.append(days[i])
        }
        guard !found.isEmpty else { return nil }
        return "RRULE:FREQ=WEEKLY\(tail);BYDAY=" + found.joined(separator: ",")
    }

    /// A line of recurrence from text that may lack its name; nil for what is no rule.
    package static func line(_ text: String) -> String? {
        let upper = text.uppercased()
        if ["RDATE", "EXDATE"].contains(where: { upper.hasPrefix($0) }), upper.contains(":") {
            return text
        }
        let isNamed = ["RRULE", "EXRULE"].contains { upper.hasPrefix($0) }
        let rule = isNamed ? upper.drop(while: { $0 != ":" }).dropFirst() : upper[...]
        // The words of vCalendar 1.0, such as `W2 MO`, are spelled anew when they are written.
        let letters = rule.prefix { $0.isLetter }
        let isOld =
            ["D", "W", "MP", "MD", "YM", "YD"].contains(letters)
            && rule.dropFirst(letters.count).first?.isNumber ?? false
        guard isOld || rule.split(separator: ";").contains(where: { $0.hasPrefix("FREQ=") }) else {
            return nil
        }
        return isNamed ? text : "RRULE:" + text
    }

    /// The parts of a rule line, nil for other lines.
    package static func parts(_ line: String) -> [String: String]? {
        let upper = line.uppercased()
        guard upper.hasPrefix("RRULE"), let colon = upper.firstIndex(of: ":") else { return nil }
        var parts: [String: String] = [:]
        for part in upper[upper.index(after: colon)...].split(separator: ";") {
            guard let equals = part.firstIndex(of: "=") else { return nil }
            parts[String(part[..<equals])] = String(part[part.index(after: equals)...])
        }
        return parts["FREQ"] == nil ? nil : parts
    }

    /// Simple English words for a rule, nil when it takes more than that.
    package static func words(_ line: String) -> String? {
        guard var parts = parts(line), let frequency = parts.removeValue(forKey: "FREQ"),
            let unit = units.first(where: { $0.value == frequency })?.key
        else { return nil }
        let interval = parts.removeValue(forKey: "INTERVAL").flatMap { Int($0) } ?? 1
        parts["WKST"] = nil
        let number = interval == 1 ? "" : "\(interval) "
        if let byDay = parts.removeValue(forKey: "BYDAY") {
            guard frequency == "WEEKLY", parts.isEmpty, interval == 1 else { return nil }
            let names = byDay.split(separator: ",").map { days.firstIndex(of: String($0)) }
            guard names.allSatisfy({ $0 != nil }) else { return nil }
            return "every " + names.compactMap { $0 }.map { dayNames[$0] }.joined(separator: ", ")
        }
        guard parts.isEmpty else { return nil }
        return "every \(number)\(unit)\(interval == 1 ? "" : "s")"
    }
}
