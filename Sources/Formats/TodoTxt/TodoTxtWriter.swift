// To-dos as todo.txt, a line each; the line itself is `TodoTxtLine`'s.

/// Writes todo.txt.
final class TodoTxtWriter: RecordWriter {
    private let sink: ByteSink
    private let context: ExchangeContext
    private let losses: TodoLosses
    private var record = 0

    init(sink: ByteSink, context: ExchangeContext) {
        self.sink = sink
        self.context = context
        losses = TodoLosses(context: context)
    }

    func write(_ batch: RecordBatch) throws(FormatError) {
        let rows = TodoRows(batch)
        for row in 0..<rows.count {
            record += 1
            write(losses.draft(rows, row))
            context.report.written += 1
            try sink.flushIfFull()
        }
    }

    func finish() throws(FormatError) { try sink.finish() }

    private static let holds: Set<String> = [
        "due", "start", "completed", "created", "priority", "categories", "recurrence",
        TodoLineName.list, "X-TODOTXT-PAIR", "X-TODOTXT-REC", "X-TODOTXT-PRIORITY",
    ]

    private func day(_ moment: TodoMoment, _ property: String, _ draft: TodoDraft) -> String {
        if !moment.isDay {
            let local = context.options.zone.map { moment.moved(to: $0, draft.zones(context)) }
            losses.note(
                "time-dropped", property, moment.local, record: record,
                action: "todo.txt knows the day only")
            return (local ?? moment).day
        }
        return moment.day
    }

    private func write(_ draft: TodoDraft) {
        var holds = TodoTxtWriter.holds
        if let uid = draft.uid, draft.extraText("X-TODOTXT-PAIR") == "uid:" + uid {
            holds.insert("uid")
        }
        losses.check(draft, holds: holds, record: record, format: "todo.txt")
        var words: [String] = []
        let letter = TodoTxtLine.letter(of: draft)
        if letter == nil, let number = draft.priority, number != 0 {
            losses.note(
                "priority-dropped", "priority", String(number), record: record,
                action: "it is no priority of iCalendar")
        }
        let isDone = draft.isDone || draft.isCancelled
        let mark = TodoTxtLine.Mark(
            isDone: isDone, hasPriority: letter != nil && !isDone,
            hasCompleted: isDone && draft.completed != nil,
            hasCreated: draft.created != nil && (!isDone || draft.completed != nil))
        if isDone {
            words.append("x")
            if let completed = draft.completed { words.append(day(completed, "completed", draft)) }
        } else if let letter {
            words.append("(\(letter))")
        }
        if !isDone, let completed = draft.completed {
            losses.note(
                "completed-dropped", "completed", completed.local, record: record,
                action: "an open task of todo.txt has no date of completion")
        }
        if let created = draft.created {
            if mark.hasCreated {
                words.append(day(created, "created", draft))
            } else {
                // A creation date needs the completion date before it.
                losses.note(
                    "created-dropped", "created", created.local, record: record,
                    action: "todo.txt dates the creation of a done task only behind its completion")
            }
        }
        let due = losses.due(draft, record: record).map { day($0, "due", draft) }
        let start = draft.start.map { day($0, "start", draft) }
        let isOrdinary = hasOrdinaryTitle(draft)
        let (title, guarded) =
            isOrdinary ? (draft.title ?? "", 0) : title(draft, mark, due: due, start: start)
        // Words of the title may hold other white space than spaces, which tokens are written without.
        let inTitle =
            isOrdinary
            ? []
            : Set(
                title.split(separator: " ").dropFirst(guarded).flatMap {
                    [String($0), spelled(String($0))]
                })
        if title != TodoTxtLine.literal || draft.title == TodoTxtLine.literal {
            words.append(title)
        }
        let marks = words.count
        func token(_ text: String) {
            if !inTitle.contains(text) { words.append(text) }
        }
        for extra in draft.extras
        where extra.name.isInCapitals(TodoLineName.list) && !extra.text.isEmpty {
            token("+" + dashed(extra.text, "list"))
        }
        for category in draft.categories where !category.isEmpty {
            token("@" + dashed(category, "categories"))
        }
        if let due { token("due:" + due) }
        if let start { token("t:" + start) }
        let keptRule = TodoTxtLine.keptRule(draft)
        if keptRule == nil, let text = draft.extraText("X-TODOTXT-REC") {
            losses.note(
                "recurrence-rewritten", "X-TODOTXT-REC", text, record: record, kind: .changed,
                action: "left out: the task has another rule by now")
        }
        if let text = keptRule {
            token("rec:" + dashed(text, "recurrence"))
        } else if let rule = draft.recurrence.first {
            if draft.recurrence.count == 1, let text = TodoTxtLine.recurrence(rule) {
                if TodoTxtWriter.spellings(text).isDisjoint(with: inTitle) { token("rec:" + text) }
            } else {
                losses.note(
                    "recurrence-dropped", "recurrence", rule, record: record,
                    action: "todo.txt cannot say this rule")
            }
        }
        if isDone, let letter { token("pri:\(letter)") }
        let repeats = Set(draft.extras.isEmpty ? [] : TodoTxtLine.repeats(draft))
        for extra in draft.extras where extra.name.isInCapitals("X-TODOTXT-PAIR") {
            let word = oneLine(extra.text, "extras")
            // A pair of a field's key is text where it stands within the text.
            if repeats.contains(word) { words.append(word) } else { token(word) }
        }
        // A task without words is its marks alone; before tokens, which would be taken for its
        // words, and where nothing else stands on the line a dash stands for them.
        if !isOrdinary, draft.title?.split(separator: " ").isEmpty ?? true,
            marks == 0 || words.count > marks
        {
            words.insert(TodoTxtLine.literal, at: marks)
            losses.note(
                "title-missing", "title", nil, record: record, kind: .changed,
                action: "a dash was written for the words that the task does not have")
        }
        for (i, word) in words.enumerated() {
            if i > 0 { sink.buffer.append(0x20) }
            sink.buffer.append(word)
        }
        sink.buffer.append(10)
    }

    /// True for a title that is written as it is, whatever else the task has: one line of words a
    /// space apart, none of them a token or what could be taken for a mark. Nor has the task pairs,
    /// which could be words of it.
    private func hasOrdinaryTitle(_ draft: TodoDraft) -> Bool {
        guard let title = draft.title else { return false }
        let isOrdinary = title.utf8.withContiguousStorageIfAvailable { bytes -> Bool in
            guard let first = bytes.first, let last = bytes.last, last != 0x20 else { return false }
            // `-`, `x`, `(A)` and dates begin with one of these.
            if first == 0x2D || first == 0x78 || first == 0x28 || first &- 0x30 < 10 {
                return false
            }
            var isSpace = true
            for byte in bytes {
                switch byte {
                case 0x20 where isSpace: return false
                case 0x2B where isSpace, 0x40 where isSpace: return false
                case 0x0A, 0x0D, 0x3A: return false
                default: isSpace = byte == 0x20
                }
            }
            return true
        }
        return isOrdinary == true
            && !draft.extras.contains { $0.name.isInCapitals("X-TODOTXT-PAIR") }
    }

    /// The title, so that it is read as one, and how many of its first words are no tokens.
    private func title(_ draft: TodoDraft, _ mark: TodoTxtLine.Mark, due: String?, start: String?)
        -> (String, guarded: Int)
    {
        let text = oneLine(draft.title ?? "", "title")
        var words = SpacedWords.split(text)
        guard !words.isEmpty else { return (TodoTxtLine.literal, 0) }
        if words.joined(separator: " ") != text {
            losses.note(
                "spaces-joined", "title", text, record: record, kind: .changed,
                action: "words of todo.txt stand one space apart")
        }
        var known: Set<String> = []
        if let due { known.insert("due:" + due) }
        if let start { known.insert("t:" + start) }
        if let text = TodoTxtLine.keptRule(draft) { known.insert("rec:" + text) }
        for rule in draft.recurrence {
            if let text = TodoTxtLine.recurrence(rule) {
                known.formUnion(TodoTxtWriter.spellings(text))
            }
        }
        if let letter = TodoTxtLine.letter(draft.priority) { known.insert("pri:\(letter)") }
        if let letter = draft.extra("X-TODOTXT-PRIORITY") { known.insert("pri:" + letter) }
        if let uid = draft.uid { known.insert("uid:" + uid) }
        let repeats = Set(TodoTxtLine.repeats(draft))
        for extra in draft.extras {
            switch extra.name.uppercased() {
            case TodoLineName.list: known.insert("+" + spelled(extra.text))
            case "X-TODOTXT-PAIR" where !repeats.contains(extra.text): known.insert(extra.text)
            default: break
            }
        }
        for category in draft.categories { known.insert("@" + spelled(category)) }
        let last = TodoTxtLine.endOfText(words[...])
        var names = TodoTxtLine.leadingNames(words[...])
        if words[..<names].allSatisfy({ known.contains(spelled(String($0))) }) { names = 0 }
        var hasParted = false
        for (i, word) in words.enumerated() where i >= names {
            guard TodoTxtLine.isField(word, isInText: i < last),
                !known.contains(spelled(String(word)))
            else { continue }
            let parted = TodoTxtLine.parted(word)
            if let parted {
                words[i] = parted[...]
                hasParted = true
            }
            losses.note(
                "token-in-title", "title", String(word), record: record, kind: .changed,
                action: parted == nil
                    ? "kept: programs of todo.txt take this word for a context, project or pair"
                    : "parted with a space, or it would be read as a field of the task")
        }
        if hasParted {
            // The tokens behind what was parted end the text now; those it holds are not said again.
            words = words.flatMap { $0.split(separator: " ") }
            let end = TodoTxtLine.endOfText(words[...])
            let text = Set(words[..<end])
            words = Array(words[..<end]) + words[end...].filter { !text.contains($0) }
        }
        if names > 0 || TodoTxtLine.isMistaken(words, mark) {
            losses.note(
                "title-marked", "title", text, record: record, kind: .changed,
                action: "a dash was put before it, or it would be read as something else")
            words.insert(TodoTxtLine.literal[...], at: 0)
        }
        return (words.joined(separator: " "), names > 0 ? names + 1 : 0)
    }

    /// The tokens that say a rule: `1y` is `y`, too.
    private static func spellings(_ rule: String) -> Set<String> {
        var all: Set = ["rec:" + rule, "rec:+" + rule]
        if rule.hasPrefix("1") { all.insert("rec:" + rule.dropFirst()) }
        return all
    }

    private func spelled(_ text: String) -> String {
        SpacedWords.replacingSpace(in: text, with: "-")
    }

    /// A text as one word.
    private func dashed(_ text: String, _ property: String) -> String {
        let word = spelled(text)
        if word != text {
            losses.note(
                "token-spelling", property, text, record: record, kind: .changed,
                action: "a token of todo.txt is one word: spaces became dashes")
        }
        return word
    }

    private func oneLine(_ text: String, _ property: String) -> String {
        // Form feeds and the like end no line of the format.
        func endsLine(_ c: Character) -> Bool { c == "\n" || c == "\r" || c == "\r\n" }
        guard !text.hasNone(of: { $0 == 0x0A || $0 == 0x0D }), text.contains(where: endsLine)
        else { return text }
        context.report.note(
            .changed, "newline-replaced", record: record, property: property,
            value: text, action: "a task of todo.txt is one line: line breaks became spaces")
        return text.split(whereSeparator: endsLine).joined(separator: " ")
    }
}
