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
    private static func isDay(_ word: Substring) -> Bool {
        word.utf8.count == 10 && TodoMoment(iso: String(word)) != nil
    }

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

    private static func priority(_ word: Substring) -> Character? {
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
        guard let colon = word.firstIndex(of: ":"), colon != word.startIndex else { return nil }
        let key = word[..<colon]
        let value = word[word.index(after: colon)...]
        guard !value.isEmpty, !value.hasPrefix("/"), key.allSatisfy({ $0.isLetter || $0 == "_" })
        else { return nil }
        return (String(key), String(value))
    }

    private static func isToken(_ word: Substring) -> Bool {
        if word.count > 1, word.hasPrefix("+") || word.hasPrefix("@") { return true }
        return pair(word) != nil
    }

    /// A task from a line that is not blank.
    static func read(_ line: String) -> TodoDraft {
        var draft = TodoDraft()
        draft.status = "NEEDS-ACTION"
        var words = line.split(separator: " ", omittingEmptySubsequences: true)[...]
        if words.first == "x" {
            words.removeFirst()
            draft.setDone(true)
            if let letter = words.first.flatMap(priority) {
                words.removeFirst()
                set(letter, &draft)
            }
            if let day = words.first, isDay(day) {
                words.removeFirst()
                draft.completed = TodoMoment(local: String(day))
            }
        } else if let letter = words.first.flatMap(priority) {
            words.removeFirst()
            set(letter, &draft)
        }
        if let day = words.first, isDay(day) {
            words.removeFirst()
            draft.created = TodoMoment(local: String(day))
        }
        var isLiteral = false
        var guarded = 0
        if let first = words.first, first == literal, let next = words.dropFirst().first {
            guarded = leadingNames(words.dropFirst().map(String.init))
            if guarded > 0 || isMark(next) {
                words.removeFirst()
                isLiteral = true
            }
        }
        let names = words.startIndex + guarded
        let end = words.startIndex + endOfText(words.map(String.init))
        draft.title = words[..<end].joined(separator: " ")
        if !isLiteral, draft.title == literal { draft.title = nil }
        for (i, word) in zip(words.indices, words) where i >= names {
            token(word, isInText: i < end, &draft)
        }
        return draft
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
        word == "x" || word[...] == literal[...] || priority(word) != nil || isDay(word)
    }

    /// True when the first words of a text would be read as something else behind what stands
    /// before it.
    static func isMistaken(_ words: [String], _ mark: Mark) -> Bool {
        guard let first = words.first.map({ $0[...] }) else { return false }
        if first == literal[...] {
            return words.count == 1 || isMark(words[1][...])
                || leadingNames(Array(words.dropFirst())) > 0
        }
        if mark.hasCreated { return false }
        if isDay(first) { return true }
        if mark.isDone { return !mark.hasCompleted && priority(first) != nil }
        return !mark.hasPriority && (first == "x" || priority(first) != nil)
    }

    /// How many contexts and projects a text begins with; none where no text follows them.
    static func leadingNames(_ words: [String]) -> Int {
        guard words.contains(where: { !isToken($0[...]) }) else { return 0 }
        return words.firstIndex { $0.count < 2 || !($0.hasPrefix("+") || $0.hasPrefix("@")) } ?? 0
    }

    /// Where the tokens behind a text begin. A line of tokens only has them as its text.
    static func endOfText(_ words: [String]) -> Int {
        var end = words.count
        while end > 0, isToken(words[end - 1][...]) { end -= 1 }
        return end == 0 ? words.count : end
    }

    /// True when a word of a text becomes a field as well, or instead.
    static func isField(_ word: String, isInText: Bool) -> Bool {
        if word.count > 1, word.hasPrefix("+") || word.hasPrefix("@") { return true }
        guard let (key, value) = pair(word[...]) else { return false }
        return !isInText || fieldOf(key, value) != nil
    }

    /// A pair that would be read as a date, a priority, a rule or a UID, with a space in it that
    /// makes it text; nil for other words.
    static func parted(_ word: String) -> String? {
        var said = ""
        var rest = word
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
        case "due", "t": isDay(value[...]) ? key : nil
        case "pri": value.count == 1 && ("A"..."Z").contains(value) ? key : nil
        case "uid", "rec": key
        default: nil
        }
    }

    private static func token(_ word: Substring, isInText: Bool, _ draft: inout TodoDraft) {
        if word.count > 1, word.hasPrefix("@") {
            let name = String(word.dropFirst())
            if !draft.categories.contains(name) { draft.categories.append(name) }
        } else if word.count > 1, word.hasPrefix("+") {
            draft.extras.append(TodoDraft.Extra(text: TodoLineName.list, String(word.dropFirst())))
        } else if let (key, value) = pair(word) {
            func keep() {
                guard !isInText else { return }
                draft.extras.append(TodoDraft.Extra(text: "X-TODOTXT-PAIR", String(word)))
            }
            // The first of several pairs of a key counts; the others stay pairs.
            switch key {
            case "due" where isDay(value[...]):
                if draft.due == nil { draft.due = TodoMoment(local: value) } else { keep() }
            case "t" where isDay(value[...]):
                if draft.start == nil { draft.start = TodoMoment(local: value) } else { keep() }
            case "pri" where value.count == 1 && ("A"..."Z").contains(value):
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
