// One line of todo.txt, taken apart and put together:
//
//   x 2026-01-02 2026-01-01 (A) text +project @context key:value
//   done, completed, created, priority (open tasks only), text with tokens anywhere in it
//
// Tokens at the end of the text become fields; those inside a sentence stay where they are and
// become fields too. There are no escapes, so a task is one line. A dash of ours stands before a
// text that would be read as a mark, a priority or a date, or that begins with a word which is no
// context or project though it looks like one.

/// The grammar of todo.txt.
enum TodoTxtLine {
    /// The letter `A`...`I` of a priority 1...9.
    static func letter(_ priority: Int64?) -> Character? {
        guard let priority, (1...9).contains(priority) else { return nil }
        return Character(Unicode.Scalar(UInt8(64 + priority)))
    }

    /// The letter a task has.
    static func letter(of draft: TodoDraft) -> Character? {
        draft.extra("X-TODOTXT-PRIORITY").flatMap(\.first) ?? letter(draft.priority)
    }

    /// The pairs of a task that a field would hold if another one had not come before them.
    static func repeats(_ draft: TodoDraft) -> [String] {
        draft.extras.compactMap { extra in
            guard extra.name == "X-TODOTXT-PAIR", let (key, value) = pair(extra.text[...]),
                fieldOf(key, value) != nil, key != "uid" || value != draft.uid
            else { return nil }
            return extra.text
        }
    }

    /// The pairs of a task that should be dates and are none.
    static func unreadable(_ draft: TodoDraft) -> [String] {
        draft.extras.compactMap { extra in
            guard extra.name == "X-TODOTXT-PAIR", let (key, value) = pair(extra.text[...]),
                key == "due" || key == "t", !TodoMoment.isDay(value[...])
            else { return nil }
            return extra.text
        }
    }

    private static func priority(_ word: Substring) -> Character? {
        guard word.utf8.first == 0x28 else { return nil }
        let text = Array(word)
        guard text.count == 3, text[0] == "(", text[2] == ")", ("A"..."Z").contains(text[1]) else {
            return nil
        }
        return text[1]
    }

    private static func set(_ letter: Character, _ draft: inout TodoDraft) {
        let place = Int64(letter.asciiValue ?? 65) - 64
        draft.priority = min(place, 9)
        if place > 9 {
            draft.extras.append(TodoDraft.Extra("X-TODOTXT-PRIORITY", String(letter)))
        }
    }

    /// A key and a value around a colon; web addresses are text.
    private static func pair(_ word: Substring) -> (key: String, value: String)? {
        guard word.utf8.contains(0x3A) else { return nil }
        if let colon = plainColon(word) {
            let key = word[..<colon]
            let value = word[word.utf8.index(after: colon)...]
            guard let first = value.utf8.first, first != 0x2F, !key.isEmpty,
                key.utf8.allSatisfy(isKey)
            else { return nil }
            return (String(key), String(value))
        }
        guard let colon = word.firstIndex(of: ":"), colon != word.startIndex else { return nil }
        let key = word[..<colon]
        let value = word[word.index(after: colon)...]
        guard !value.isEmpty, !value.hasPrefix("/"), key.allSatisfy({ $0.isLetter || $0 == "_" })
        else { return nil }
        return (String(key), String(value))
    }

    /// The first colon, where that and what is before and behind it is ASCII.
    private static func plainColon(_ word: Substring) -> Substring.Index? {
        let bytes = word.utf8
        var at = bytes.startIndex
        while at < bytes.endIndex, bytes[at] < 0x80 {
            let next = bytes.index(after: at)
            if bytes[at] == 0x3A {
                return next == bytes.endIndex || bytes[next] < 0x80 ? at : nil
            }
            at = next
        }
        return nil
    }

    /// Letters of ASCII and `_`.
    private static func isKey(_ byte: UInt8) -> Bool { byte == 0x5F || (byte | 0x20) &- 0x61 < 26 }

    /// True for a context or a project.
    private static func isName(_ word: Substring) -> Bool {
        guard let first = word.utf8.first, first == 0x2B || first == 0x40,
            let second = word.utf8.dropFirst().first
        else { return false }
        return second < 0x80 || word.count > 1 && (word.hasPrefix("+") || word.hasPrefix("@"))
    }

    private static func isToken(_ word: Substring) -> Bool { isName(word) || pair(word) != nil }

    /// True for one letter, `A` to `Z`.
    private static func isLetter(_ text: String) -> Bool {
        if text.utf8.count == 1, let byte = text.utf8.first { return byte &- 0x41 < 26 }
        return text.count == 1 && ("A"..."Z").contains(text)
    }

    /// A task from a line that is not blank.
    static func read(_ line: String) -> TodoDraft {
        var draft = TodoDraft()
        draft.status = "NEEDS-ACTION"
        var words = SpacedWords.split(line)[...]
        if words.first == "x" {
            words.removeFirst()
            draft.setDone(true)
            takePriority(&words, &draft)
            if let day = words.first, TodoMoment.isDay(day) {
                words.removeFirst()
                draft.completed = TodoMoment(local: String(day))
                takePriority(&words, &draft)
            }
        } else if let letter = words.first.flatMap(priority) {
            words.removeFirst()
            set(letter, &draft)
        }
        if let day = words.first, TodoMoment.isDay(day) {
            words.removeFirst()
            draft.created = TodoMoment(local: String(day))
            if draft.isDone { takePriority(&words, &draft) }
        }
        var isLiteral = false
        var guarded = 0
        if let first = words.first, first == literal, let next = words.dropFirst().first {
            guarded = leadingNames(words.dropFirst())
            if guarded > 0 || isMark(next) {
                words.removeFirst()
                isLiteral = true
            }
        }
        let names = words.startIndex + guarded
        let end = words.startIndex + endOfText(words)
        draft.title = joined(words[..<end], of: line)
        if !isLiteral, draft.title == literal { draft.title = nil }
        for (i, word) in zip(words.indices, words) where i >= names {
            token(word, isInText: i < end, &draft)
        }
        return draft
    }

    /// Of tasks that are done the priority stands before the dates, between them or behind.
    private static func takePriority(_ words: inout ArraySlice<Substring>, _ draft: inout TodoDraft)
    {
        guard draft.priority == nil, let letter = words.first.flatMap(priority) else { return }
        words.removeFirst()
        set(letter, &draft)
    }

    /// Words of a line, a space apart.
    private static func joined(_ words: ArraySlice<Substring>, of line: String) -> String {
        guard let first = words.first, let last = words.last else { return "" }
        // As they stand, where they stand so.
        let text = line[first.startIndex..<last.endIndex]
        let length = words.reduce(words.count - 1) { $0 + $1.utf8.count }
        return text.utf8.count == length ? String(text) : words.joined(separator: " ")
    }

    /// True for a line with spaces that are not kept: around it, or more than one between words.
    static func hasOddSpaces(_ line: UnsafeRawBufferPointer) -> Bool {
        line.first == 0x20 || line.last == 0x20 || ByteSearch.contains(line, "  ")
    }

    // MARK: Texts that must not be mistaken

    /// What stands for no text, and before a text that would be mistaken.
    static let literal = "-"

    /// What stands before the text of a line.
    struct Mark {
        var isDone: Bool
        var hasPriority: Bool
        var hasCompleted: Bool
        var hasCreated: Bool
    }

    /// True for words that mean something of their own where a text begins.
    private static func isMark(_ word: Substring) -> Bool {
        word == "x" || word == literal || priority(word) != nil || TodoMoment.isDay(word)
    }

    /// True when the first words of a text would be read as something else behind what stands
    /// before it.
    static func isMistaken(_ words: [Substring], _ mark: Mark) -> Bool {
        guard let first = words.first else { return false }
        if first == literal {
            return words.count == 1 || isMark(words[1]) || leadingNames(words.dropFirst()) > 0
        }
        if mark.isDone, priority(first) != nil { return true }
        if mark.hasCreated { return false }
        if TodoMoment.isDay(first) { return true }
        if mark.isDone { return false }
        return !mark.hasPriority && (first == "x" || priority(first) != nil)
    }

    /// How many contexts and projects a text begins with; none where no text follows them.
    static func leadingNames(_ words: ArraySlice<Substring>) -> Int {
        let names = words.firstIndex { !isName($0) } ?? words.startIndex
        guard names > words.startIndex, words[names...].contains(where: { !isToken($0) }) else {
            return 0
        }
        return names - words.startIndex
    }

    /// Where the tokens behind a text begin. A line of tokens only has them as its text.
    static func endOfText(_ words: ArraySlice<Substring>) -> Int {
        var end = words.endIndex
        while end > words.startIndex, isToken(words[end - 1]) { end -= 1 }
        return end == words.startIndex ? words.count : end - words.startIndex
    }

    /// True when a word of a text becomes a field as well, or instead.
    static func isField(_ word: Substring, isInText: Bool) -> Bool {
        if isName(word) { return true }
        guard let (key, value) = pair(word) else { return false }
        return !isInText || fieldOf(key, value) != nil
    }

    /// A pair that would be read as a date, a priority, a rule or a UID, with a space in it that
    /// makes it text; nil for other words.
    static func parted(_ word: Substring) -> String? {
        var said = ""
        var rest = String(word)
        // What stands behind the space could be a pair itself; nobody writes many of them.
        for _ in 0..<32 {
            guard let (key, value) = pair(rest[...]), fieldOf(key, value) != nil else { break }
            said += key + ": "
            rest = value
        }
        return said.isEmpty ? nil : said + rest
    }

    /// The field of a pair that is one.
    private static func fieldOf(_ key: String, _ value: String) -> String? {
        switch key {
        case "due", "t": TodoMoment.isDay(value[...]) ? key : nil
        case "pri": isLetter(value) ? key : nil
        case "uid", "rec": key
        default: nil
        }
    }

    private static func token(_ word: Substring, isInText: Bool, _ draft: inout TodoDraft) {
        if isName(word) {
            let name = String(word[word.utf8.index(after: word.startIndex)...])
            if word.utf8.first == 0x2B {
                draft.extras.append(TodoDraft.Extra(text: TodoLineName.list, name))
            } else if !draft.categories.contains(name) {
                draft.categories.append(name)
            }
        } else if let (key, value) = pair(word) {
            func keep() {
                guard !isInText else { return }
                draft.extras.append(TodoDraft.Extra(text: "X-TODOTXT-PAIR", String(word)))
            }
            // The first of several pairs of a key counts; the others stay pairs.
            switch key {
            case "due" where TodoMoment.isDay(value[...]):
                if draft.due == nil { draft.due = TodoMoment(local: value) } else { keep() }
            case "t" where TodoMoment.isDay(value[...]):
                if draft.start == nil { draft.start = TodoMoment(local: value) } else { keep() }
            case "pri" where isLetter(value):
                if draft.priority == nil {
                    set(Character(value), &draft)
                } else if letter(of: draft) != Character(value) {
                    keep()
                }
            case "uid":
                if draft.uid == nil { draft.uid = value }
                keep()
            case "rec":
                guard draft.recurrence.isEmpty, draft.extra("X-TODOTXT-REC") == nil else {
                    return keep()
                }
                if let rule = rule(value) { draft.recurrence = [rule] }
                if value.hasPrefix("+") || rule(value) == nil {
                    draft.extras.append(TodoDraft.Extra(text: "X-TODOTXT-REC", value))
                }
            default: keep()
            }
        }
    }

    private static let units: [(Character, String)] = [
        ("d", "DAILY"), ("b", "WEEKLY"), ("w", "WEEKLY"), ("m", "MONTHLY"), ("y", "YEARLY"),
    ]

    /// The kept text of a rule, while the to-do has that rule.
    static func keptRule(_ draft: TodoDraft) -> String? {
        draft.extraText("X-TODOTXT-REC").flatMap { text in
            (rule(text).map { [$0] } ?? []) == draft.recurrence ? text : nil
        }
    }

    /// `1w`, `+2m`, `b` for business days.
    static func rule(_ text: String) -> String? {
        var text = text[...]
        if text.hasPrefix("+") { text.removeFirst() }
        guard let letter = text.last, let unit = units.first(where: { $0.0 == letter }) else {
            return nil
        }
        let digits = text.dropLast()
        guard let number = digits.isEmpty ? 1 : Int(digits), number > 0, number < 10_000 else {
            return nil
        }
        if letter == "b" {
            return number == 1 ? "RRULE:FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR" : nil
        }
        return "RRULE:FREQ=\(unit.1)" + (number == 1 ? "" : ";INTERVAL=\(number)")
    }

    /// The add-on's spelling of a rule; nil when it takes more than that.
    static func recurrence(_ line: String) -> String? {
        guard var parts = TodoRecurrence.parts(line) else { return nil }
        let frequency = parts.removeValue(forKey: "FREQ") ?? ""
        let interval = parts.removeValue(forKey: "INTERVAL").flatMap { Int($0) } ?? 1
        parts["WKST"] = nil
        if frequency == "WEEKLY", interval == 1, parts == ["BYDAY": "MO,TU,WE,TH,FR"] {
            return "1b"
        }
        guard parts.isEmpty, let unit = units.last(where: { $0.1 == frequency }) else {
            return nil
        }
        return "\(interval)\(unit.0)"
    }
}
