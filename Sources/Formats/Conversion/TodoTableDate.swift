// The dates of tables of to-dos as spreadsheets and people spell them: `3/10/2026 5:00 PM`,
// `10.03.2026 17:00`, `2026-03-10 17:00 UTC`, `Tue, 10 Mar 2026 17:00:00 GMT`. Which of two numbers is the
// month is told by the caller.

/// A date of a table, as far as it is understood.
struct TodoTableDate {
    var moment: TodoMoment
    /// True when what stands behind the day is no time that is known.
    var leavesRest = false

    /// nil for what is no date.
    init?(_ text: String, _ order: OutlookDateOrder) {
        if let moment = TodoMoment(iso: text) {
            self.moment = moment
            return
        }
        let day: String
        let time: String
        if let known = order.day(text), let cell = OutlookDateOrder.cell(text) {
            (day, time) = (known, cell.time)
        } else if let (known, rest) = TodoTableDate.words(text) {
            (day, time) = (known, rest)
        } else {
            return nil
        }
        moment = TodoMoment(local: day)
        if time.isEmpty { return }
        if let known = TodoTableDate.moment(day, time) {
            moment = known
        } else {
            leavesRest = true
        }
    }

    // MARK: Days in words

    /// `10 Mar 2026`, `March 10, 2026`; a day of the week may stand before it, a time behind it.
    private static func words(_ text: String) -> (day: String, rest: String)? {
        var words = text.split { $0 == " " || $0 == "," }[...]
        func isMonth(_ word: Substring) -> Bool { OutlookDateOrder.month(word) != nil }
        func number(_ word: Substring) -> Int? {
            var word = word
            for ending in ["st", "nd", "rd", "th", "."] where word.lowercased().hasSuffix(ending) {
                word.removeLast(ending.count)
                break
            }
            return word.utf8.count <= 4 && word.allSatisfy { $0.isASCII && $0.isNumber }
                ? Int(word) : nil
        }
        if let first = words.first, first.allSatisfy({ $0.isLetter || $0 == "." }), !isMonth(first)
        {
            words.removeFirst()
        }
        guard words.count >= 3 else { return nil }
        let parts = Array(words.prefix(3))
        let (day, month) = isMonth(parts[1]) ? (parts[0], parts[1]) : (parts[1], parts[0])
        guard let day = number(day), let month = OutlookDateOrder.month(month),
            parts[2].utf8.count == 4, let year = number(parts[2])
        else { return nil }
        let date = CivilDate(year: year, month: month, day: day)
        guard date.isValid, (1000...9999).contains(year),
            let local = TodoMoment.localText(Int64(date.daysSince1970) * 86_400)
        else { return nil }
        return (String(local.prefix(10)), words.dropFirst(3).joined(separator: " "))
    }

    // MARK: Times

    /// A day with a clock time and, perhaps, its zone.
    private static func moment(_ day: String, _ text: String) -> TodoMoment? {
        var text = HeaderNames.trim(text)[...]
        if text.lowercased().hasPrefix("at ") { text = text.dropFirst(3) }
        let clock = text.prefix { ($0.isASCII && $0.isNumber) || ":.h".contains($0) }
        var rest = text.dropFirst(clock.count).drop { $0.isWhitespace }
        var half: Int?
        for (ending, value) in [("a.m.", 0), ("p.m.", 12), ("am", 0), ("pm", 12)]
        where rest.lowercased().hasPrefix(ending) {
            half = value
            rest = rest.dropFirst(ending.count).drop { $0.isWhitespace }
            break
        }
        if rest.lowercased().hasPrefix("uhr") { rest = rest.dropFirst(3).drop { $0.isWhitespace } }
        guard let time = time(clock, half) else { return nil }
        let local = day + "T" + time
        if rest.isEmpty { return TodoMoment(local: local) }
        if let sign = rest.first, sign == "+" || sign == "-" {
            return offset(rest).flatMap { TodoMoment(iso: local + $0) }
        }
        guard rest.contains(where: \.isLetter), let zone = ZoneNames.resolve(String(rest)) else {
            return nil
        }
        let isUniversal = zone == "UTC" || zone == "Etc/UTC"
        return TodoMoment(
            local: local, tzid: isUniversal ? "UTC" : String(rest), zone: isUniversal ? nil : zone)
    }

    /// `HH:MM:SS`; parts of a second go.
    private static func time(_ text: Substring, _ half: Int?) -> String? {
        var parts = text.split(omittingEmptySubsequences: false) { ":.h".contains($0) }
        if text.last == "h", parts.last?.isEmpty == true { parts.removeLast() }
        // Behind seconds a fraction may stand.
        if parts.count == 4 { parts.removeLast() }
        guard (1...3).contains(parts.count), parts.count > 1 || half != nil || text.last == "h",
            parts[0].utf8.count <= 2, parts.dropFirst().allSatisfy({ $0.utf8.count == 2 })
        else { return nil }
        var numbers = parts.compactMap { Int($0) }
        guard numbers.count == parts.count else { return nil }
        if let half {
            guard (1...12).contains(numbers[0]) else { return nil }
            numbers[0] = numbers[0] % 12 + half
        }
        while numbers.count < 3 { numbers.append(0) }
        guard numbers[0] < 24, numbers[1] < 60, numbers[2] < 60 else { return nil }
        return numbers.map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
    }

    /// `+02:00` from that, `+0200` or `+2`.
    private static func offset(_ text: Substring) -> String? {
        let digits = text.dropFirst().filter { $0 != ":" }
        guard let sign = text.first, digits.allSatisfy({ $0.isASCII && $0.isNumber }) else {
            return nil
        }
        switch digits.count {
        case 1: return "\(sign)0\(digits):00"
        case 2: return "\(sign)\(digits):00"
        case 4: return "\(sign)\(digits.prefix(2)):\(digits.suffix(2))"
        default: return nil
        }
    }
}
