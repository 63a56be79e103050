// To-dos as objects with the names that people and programs give them (`summary`, `description`,
// `due` as text …), or with some of those of `TodoItem`. Objects written by ourselves, which have
// all that the class requires, are read as rows instead. Members nobody knows become lines.

/// Reads objects as to-dos.
final class TodoObjectsSource: TodoSource {
    private let source: JSONSource
    private let context: ExchangeContext
    private let groups: [JSONRowsLayout.Group]
    private let uids = TodoUIDs()
    private var scanner: JSONScanner
    private var at = 0
    private var isOpen = false
    private var isFirst = true
    private var record = 0

    /// True when objects with these members are to-dos, and not rows we wrote.
    static func fits(_ names: Set<String>, isAsked: Bool = false) -> Bool {
        guard !names.contains("_id"), names.contains("title") || names.contains("summary") else {
            return false
        }
        return isAsked || names.contains("status") || names.contains("due")
    }

    /// True when objects name a to-do and tell a date of it, in whatever spelling: a change to one
    /// that is known. Rows we wrote have ids and lines of their own.
    static func changes(_ names: Set<String>) -> Bool {
        !names.contains("_id") && !names.contains("extras")
            && !names.isDisjoint(with: ["uid", "title", "summary"])
            && !names.isDisjoint(with: ["due", "start", "completed", "created", "modified"])
    }

    init(input: InputBytes, isLines: Bool = false, context: ExchangeContext) throws(FormatError) {
        source = try JSONSource(input)
        self.context = context
        do throws(FormatError) {
            let layout = try JSONRowsLayout(
                source, path: context.options.extra["path"], target: nil, isLines: isLines)
            layout.noteBeside(source, context.report)
            groups = layout.groups
        } catch { throw source.located(error) }
        scanner = source.scanner()
    }

    func text(at place: Int) -> RowText? { source.text(at: place) }

    func next() throws(FormatError) -> TodoDraft? {
        do throws(FormatError) {
            while at < groups.count {
                source.input.release(before: scanner.at)
                guard try step(groups[at].kind, groups[at].offset) else {
                    at += 1
                    isOpen = false
                    continue
                }
                if let draft = try object(groups[at].kind) { return draft }
            }
        } catch { throw source.located(error).with { if $0.record == nil { $0.record = record } } }
        return nil
    }

    /// Goes to the next object; false at the end of the group.
    private func step(_ kind: JSONRowsLayout.Kind, _ offset: Int) throws(FormatError) -> Bool {
        if !isOpen {
            scanner.at = offset
            isOpen = true
            isFirst = true
            if kind == .array { try scanner.enterArray() }
        } else if kind == .single {
            return false
        }
        switch kind {
        case .array: return try scanner.nextElement(&isFirst)
        case .lines: return !scanner.isAtEnd()
        case .single: return true
        }
    }

    /// Reads the object at the cursor; nil when it was set aside.
    private func object(_ kind: JSONRowsLayout.Kind) throws(FormatError) -> TodoDraft? {
        let start = scanner.at
        record += 1
        do throws(FormatError) {
            let tree = try JSONTree(&scanner)
            source.noteLoneSurrogates(from: start, to: scanner.at, record: record, in: context)
            guard let members = tree.members else {
                throw FormatError(.malformed, "a to-do is an object", offset: start)
            }
            var draft = TodoDraft()
            draft.place = start
            fill(members, &draft)
            draft.alignRules(context, source: source.input.name)
            uids.assign(&draft)
            return draft
        } catch {
            if kind == .lines {
                scanner.at = start
                _ = scanner.skipLine()
            } else if error.code != .malformed || scanner.at <= start {
                throw error
            }
            context.report.read += 1
            let bytes = source.input.bytes
            context.setAside(
                UnsafeRawBufferPointer(rebasing: bytes[start..<min(scanner.at, bytes.count)]),
                source.located(error).with { $0.record = record })
            return nil
        }
    }

    // MARK: Members

    private func fill(_ members: [(name: String, value: JSONTree)], _ draft: inout TodoDraft) {
        var isDone: Bool?
        for (name, value) in members {
            switch name {
            case "uid", "id": take(name, value, &draft.uid)
            case "title", "summary": take(name, value, &draft.title)
            case "notes", "description": take(name, value, &draft.notes)
            case "status": status(value, &draft)
            case "importance" where GraphWords.weights.contains(value.string ?? ""):
                draft.priority = draft.priority ?? GraphWords.priority(value.string)
            case "completed" where value.bool != nil: isDone = value.bool
            case "done": isDone = value.bool
            case "completed": draft.completed = moment(name, value)
            case "created": draft.created = moment(name, value)
            case "modified", "updated": draft.modified = moment(name, value)
            case "stamp": draft.stamp = moment(name, value)
            case "recurrenceID", "recurrence_id": draft.recurrenceID = moment(name, value)
            case "start": draft.start = moment(name, value)
            case "due": draft.due = moment(name, value)
            case "percent": draft.percent = number(name, value)
            case "priority":
                // In words, as tables and Microsoft say it.
                switch text(value)?.lowercased() {
                case "high", "urgent", "important", "a": draft.priority = 1
                case "medium", "normal", "b": draft.priority = 5
                case "low", "c": draft.priority = 9
                case "none", "-": draft.priority = nil
                default: draft.priority = number(name, value)
                }
            case "sequence": draft.sequence = number(name, value)
            case "duration": take(name, value, &draft.duration)
            case "recurrence" where value["pattern"] != nil:
                if let rule = GraphRecurrence.rule(value) {
                    recur(rule, &draft)
                } else {
                    lose("recurrence-dropped", name, nil, "left out: this pattern is not known")
                }
            case "recurrence", "rrule": for rule in texts(name, value) { recur(rule, &draft) }
            case "relations", "related": relations(value, &draft)
            case "categories", "tags": draft.categories += texts(name, value)
            case "classification", "klass", "class": take(name, value, &draft.classification)
            case "location": take(name, value, &draft.location)
            case "url": take(name, value, &draft.url)
            case "geo": take(name, value, &draft.geo)
            case "color": take(name, value, &draft.color)
            case "components": draft.components = texts(name, value)
            case "timeZones": draft.timeZones = texts(name, value)
            case "extras", "unknown": for item in each(value) { line(item, &draft) }
            default: keep(name, value, &draft)
            }
        }
        if let isDone, draft.status == nil, draft.completed == nil, draft.percent != 100, isDone {
            draft.setDone(true)
        }
    }

    /// Words of other programs for the states of iCalendar. Capitals stay as they are, for a
    /// calendar may have had them; other words are no state of iCalendar and become lines.
    private func status(_ value: JSONTree, _ draft: inout TodoDraft) {
        guard let text = text("status", value) else { return }
        switch text.lowercased().filter({ $0.isLetter }) {
        case "needsaction", "notstarted", "open", "todo", "pending": draft.status = "NEEDS-ACTION"
        case "inprocess", "inprogress", "started": draft.status = "IN-PROCESS"
        case "completed", "complete", "done", "closed": draft.status = "COMPLETED"
        case "cancelled", "canceled": draft.status = "CANCELLED"
        case "waitingonothers", "deferred":
            draft.status = "NEEDS-ACTION"
            draft.extras.append(TodoDraft.Extra(text: "X-MS-STATUS", text))
        default:
            if text.utf8.allSatisfy({ $0 &- 0x41 < 26 || $0 == 0x2D || $0 == 0x20 }) {
                draft.status = text
                return
            }
            context.report.note(
                .changed, "status-unknown", source: source.input.name, record: record,
                property: "status", value: text,
                action: "no state of iCalendar: kept as a line, and the to-do counts as open")
            keep("status", value, &draft)
        }
    }

    /// Takes a text; of two members that say different things the last one counts.
    private func take(_ name: String, _ value: JSONTree, _ field: inout String?) {
        guard let text = text(name, value) else { return }
        if let known = field, known != text {
            lose(
                "duplicate-member", name, known, "another member says this too: the last one counts"
            )
        }
        field = text
    }

    private func each(_ tree: JSONTree) -> [JSONTree] { tree.elementsOrSelf }

    private func text(_ tree: JSONTree?) -> String? { tree?.plainText }

    private func texts(_ tree: JSONTree) -> [String] { each(tree).compactMap { text($0) } }

    /// A text that must be there unless the value is null.
    private func text(_ name: String, _ tree: JSONTree) -> String? {
        if let text = text(tree) { return text }
        if case .null = tree.value { return nil }
        lose("value-unreadable", name, nil, "left out: a text is expected here")
        return nil
    }

    private func texts(_ name: String, _ tree: JSONTree) -> [String] {
        each(tree).compactMap { text(name, $0) }
    }

    private func number(_ name: String, _ tree: JSONTree) -> Int64? {
        if case .null = tree.value { return nil }
        if let number = tree.int ?? text(tree).flatMap({ Int64($0) }) { return number }
        if case .number(let digits) = tree.value, let value = Double(digits),
            let whole = Int64(exactly: value)
        {
            return whole
        }
        lose("number-unreadable", name, text(tree), "left out: it is no whole number")
        return nil
    }

    /// A date as text, as `{date}`, as `{datetime, zone}` or as `{local, tzid}`.
    private func moment(_ name: String, _ tree: JSONTree) -> TodoMoment? {
        if case .null = tree.value { return nil }
        let said =
            text(tree) ?? text(tree["local"]) ?? text(tree["datetime"]) ?? text(tree["date"])
            ?? text(tree["$date"])
        guard let said, var moment = TodoMoment(iso: said) else {
            lose("date-unreadable", name, said, "left out: it is no date of ISO 8601")
            return nil
        }
        let zone = text(tree["tzid"]) ?? text(tree["zone"]) ?? text(tree["timeZone"])
        guard let zone, !zone.isEmpty, zone != "floating", !moment.isDay, moment.tzid == nil else {
            return moment
        }
        if !moment.stand(in: zone) {
            context.report.note(
                .guessed, "zone-unresolved", source: source.input.name, record: record,
                property: name, value: zone,
                action: "no such zone is known: the clock time stays as it is")
        }
        return moment
    }

    private func recur(_ text: String, _ draft: inout TodoDraft) {
        guard let line = TodoRecurrence.line(text) else {
            context.report.note(
                .changed, "recurrence-unknown", source: source.input.name, record: record,
                property: "recurrence", value: text,
                action: "kept as a line: it is no rule of iCalendar, so the to-do does not recur")
            var extra = TodoDraft.Extra(text: "X-JSON-FIELD", text)
            extra.addParameter("LABEL", "recurrence")
            return draft.extras.append(extra)
        }
        if !draft.recurrence.contains(line) { draft.recurrence.append(line) }
    }

    private func relations(_ tree: JSONTree, _ draft: inout TodoDraft) {
        for item in each(tree) {
            guard let uid = text(item) ?? text(item["uid"]) else {
                lose("value-unreadable", "relations", nil, "left out: it names no uid")
                continue
            }
            let kind = text(item["kind"]) ?? text(item["type"]) ?? "PARENT"
            draft.relations.append(TodoDraft.Relation(kind: kind.uppercased(), uid: uid))
        }
    }

    /// A line as it stood: name, parameters, raw value.
    private func line(_ item: JSONTree, _ draft: inout TodoDraft) {
        guard let name = text(item["name"]), let value = text(item["value"]) else {
            return lose(
                "value-unreadable", "extras", text(item), "left out: it has no name or value")
        }
        var extra = TodoDraft.Extra(name, value)
        extra.parameters = item["parameters"].map(texts) ?? []
        for parameter in item["params"]?.array ?? [] {
            guard let pair = parameter.array, pair.count == 2, let key = text(pair[0]) else {
                continue
            }
            extra.parameters.append(key + "=" + texts(pair[1]).joined(separator: ","))
        }
        switch name.uppercased() {
        case "RRULE", "RDATE", "EXDATE", "EXRULE":
            recur(([name] + extra.parameters).joined(separator: ";") + ":" + value, &draft)
        case "GEO" where draft.geo == nil && extra.parameters.isEmpty: draft.geo = value
        case "COLOR" where draft.color == nil && extra.parameters.isEmpty: draft.color = value
        default: draft.extras.append(extra)
        }
    }

    private func keep(_ name: String, _ tree: JSONTree, _ draft: inout TodoDraft) {
        for item in each(tree) {
            guard let text = text(item) else {
                lose("unknown-member", name, nil, "no property of a to-do holds it")
                continue
            }
            var extra = TodoDraft.Extra(text: "X-JSON-FIELD", text)
            extra.addParameter("LABEL", name)
            draft.extras.append(extra)
        }
    }

    private func lose(_ code: String, _ name: String, _ value: String?, _ action: String) {
        context.report.note(
            .lost, code, source: source.input.name, record: record, property: name, value: value,
            action: action)
    }
}
