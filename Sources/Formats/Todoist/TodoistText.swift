// What stands in the cells of Todoist's CSV: labels within titles, priorities, dates in simple words.

/// Words of Todoist's cells.
enum TodoistText {
    /// A title without its labels, which are `@words` of their own.
    static func split(_ content: String) -> (title: String, labels: [String]) {
        guard content.utf8.contains(0x40), content.contains("@") else { return (content, []) }
        var labels: [String] = []
        var words: [Substring] = []
        for word in SpacedWords.split(content, keepsEmpty: true) {
            if isLabel(word) {
                labels.append(String(word.dropFirst()))
            } else {
                words.append(word)
            }
        }
        return (HeaderNames.trim(words.joined(separator: " ")), labels)
    }

    /// Whether words of a title stand behind a label.
    static func hasLabelInside(_ content: String) -> Bool {
        guard content.utf8.contains(0x40) else { return false }
        let words = SpacedWords.split(content)
        guard let first = words.firstIndex(where: isLabel) else { return false }
        return words[first...].contains { !isLabel($0) }
    }

    /// Whether a word is a label.
    static func isLabel(_ word: Substring) -> Bool {
        let bytes = word.utf8
        guard bytes.first == 0x40, let second = bytes.dropFirst().first else { return false }
        if second < 0x80, second != 0x40 { return true }
        return word.count > 1 && word.hasPrefix("@") && word.dropFirst().first != "@"
    }

    /// Whether a title is dashes and nothing else: `-` stands for none, and one more is put before
    /// others.
    static func isDashes(_ title: String) -> Bool {
        !title.isEmpty && title.hasNone { $0 != 0x2D && $0 != 0x20 }
            && title.split(separator: " ", omittingEmptySubsequences: false).allSatisfy {
                $0 == "-"
            }
    }

    /// 1, the most urgent, to 4, none, as the number iCalendar has for the class.
    static func priority(_ text: String) -> Int64? {
        switch text {
        case "1": 1
        case "2": 5
        case "3": 9
        default: nil
        }
    }

    /// `every week starting 2026-02-05` cut in two; the words alone where no day follows.
    static func splitStart(_ text: String) -> (words: String, start: TodoMoment?) {
        for word in [" starting ", " from "] {
            guard let at = text.firstRange(of: word),
                let start = moment(String(text[at.upperBound...]))
            else { continue }
            return (String(text[..<at.lowerBound]), start)
        }
        return (text, nil)
    }

    /// Takes the clock time off `every day at 9:00`.
    static func splitTime(_ words: inout String) -> String? {
        guard let at = words.firstRange(of: " at "),
            let time = time(words[at.upperBound...].lowercased().split(separator: " ")[...])
        else { return nil }
        words = String(words[..<at.lowerBound])
        return time
    }

    /// What the words of a date mean, as far as they are understood.
    struct Meaning {
        var due: TodoMoment?
        var rules: [String] = []
        /// True when nothing else is said.
        var isWhole = false
    }

    /// What the words of a date mean; the due date is in no zone.
    static func meaning(_ text: String, language: String) -> Meaning {
        if let due = moment(text) { return Meaning(due: due, isWhole: true) }
        guard language.isEmpty || language.lowercased() == "en" else { return Meaning() }
        var (words, start) = splitStart(text)
        let clock = splitTime(&words)
        guard let rule = TodoRecurrence.rule(words: words) else { return Meaning() }
        if let clock { start = start.map { TodoMoment(local: $0.day + "T" + clock) } }
        return Meaning(
            due: start, rules: [rule],
            isWhole: TodoRecurrence.words(rule) == words.lowercased()
                && (clock == nil || start != nil))
    }

    private static let months = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]

    /// ISO dates, and days with an English month and a year; a clock time may follow.
    static func moment(_ text: String) -> TodoMoment? {
        if let moment = TodoMoment(iso: text) { return moment }
        var words = text.lowercased().split(whereSeparator: { $0 == " " || $0 == "," })
        guard let first = words.first else { return nil }
        var day: CivilDate?
        if let iso = TodoMoment(iso: String(first)), iso.isDay {
            guard words.count > 1 else { return iso }
            return time(words.dropFirst()).map { TodoMoment(local: iso.local + "T" + $0) }
        }
        guard words.count >= 3 else { return nil }
        if let month = month(words[1]), let number = Int(words[0]), let year = Int(words[2]) {
            day = CivilDate(year: year, month: month, day: number)
        } else if let month = month(words[0]), let number = Int(words[1]), let year = Int(words[2])
        {
            day = CivilDate(year: year, month: month, day: number)
        }
        guard let day, day.isValid, (1000...9999).contains(day.year) else { return nil }
        words.removeFirst(3)
        guard let midnight = TodoMoment.localText(Int64(day.daysSince1970) * 86_400) else {
            return nil
        }
        let date = String(midnight.prefix(10))
        if words.isEmpty { return TodoMoment(local: date) }
        return time(words[...]).map { TodoMoment(local: date + "T" + $0) }
    }

    private static func month(_ word: Substring) -> Int? {
        guard word.count >= 3 else { return nil }
        return months.firstIndex { word.hasPrefix($0) }.map { $0 + 1 }
    }

    private static func time(_ words: ArraySlice<Substring>) -> String? {
        var words = words
        if words.first == "at" || words.first == "@" { words.removeFirst() }
        let text = words.joined()
        guard !text.isEmpty else { return nil }
        return ClockTime(text).map { $0.text + ":00" }
    }
}
