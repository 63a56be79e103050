// To-dos as Google Tasks JSON: lists of items with whole days, one level of sub-tasks. All rows are
// kept until the end, because items are grouped by list and sub-tasks follow their parents.

/// Writes Google Tasks JSON.
final class GoogleTasksWriter: RecordWriter {
    private let sink: ByteSink
    private let context: ExchangeContext
    private let losses: TodoLosses
    private var isComplete = false
    private var drafts: [TodoDraft] = []

    init(sink: ByteSink, context: ExchangeContext) {
        self.sink = sink
        self.context = context
        losses = TodoLosses(context: context)
    }

    func write(_ batch: RecordBatch) throws(FormatError) {
        let rows = TodoRows(batch)
        for row in 0..<rows.count {
            drafts.append(losses.draft(rows, row))
        }
    }

    private static let holds: Set<String> = [
        "uid", "notes", "due", "completed", "modified", "relations", TodoLineName.list,
        TodoLineName.link, "X-GOOGLE-POSITION", "X-GOOGLE-HIDDEN", "X-GOOGLE-ETAG",
        "X-GOOGLE-SELF-LINK", "X-GOOGLE-WEB-VIEW-LINK", "X-GOOGLE-TASK-TYPE",
        "X-JSON-FIELD",
    ]

    func finish() throws(FormatError) {
        try complete()
        try sink.finish()
    }

    func complete() throws(FormatError) {
        if isComplete { return }
        isComplete = true
        drafts.adoptChildren()
        drafts.refuseCircles(context)
        var parents: [String: String] = [:]
        var seen: [String: Int] = [:]
        makeIDsDiffer()
        for (i, draft) in drafts.enumerated() {
            guard let uid = draft.uid, seen[uid] == nil else { continue }
            seen[uid] = i
            if let parent = draft.parent { parents[uid] = parent }
        }
        let topmost = topmost(parents, seen)
        let tops = drafts.enumerated().map { top($1, topmost, seen, $0 + 1) }
        var lists: [String] = []
        var members: [String: [Int]] = [:]
        for (i, draft) in drafts.enumerated() {
            let list = list(of: draft, below: tops[i].flatMap { seen[$0] }, i + 1)
            if members[list] == nil { lists.append(list) }
            members[list, default: []].append(i)
        }
        let out = sink.buffer
        out.append("{\n \"kind\": \"tasks#taskLists\",\n \"items\": [")
        for (n, list) in lists.enumerated() {
            out.append(n == 0 ? "\n  {" : ",\n  {")
            out.append("\"kind\": \"tasks#tasks\", \"title\": ")
            JSONText.write(list, to: out)
            out.append(", \"items\": [")
            let rows = members[list] ?? []
            let keepsPlaces = rows.allSatisfy { drafts[$0].extraText(Self.position) != nil }
            if !keepsPlaces,
                let i = rows.first(where: { drafts[$0].extraText(Self.position) != nil })
            {
                losses.note(
                    "position-changed", "position", drafts[i].extraText(Self.position),
                    record: i + 1, kind: .changed,
                    action: "numbered anew: not all to-dos of the list have a position")
            }
            for (k, i) in rows.enumerated() {
                out.append(k == 0 ? "\n" : ",\n")
                let digits = String(k + 1)
                let zeros = String(repeating: "0", count: max(0, 20 - digits.utf8.count))
                let place = keepsPlaces ? drafts[i].extraText(Self.position) : zeros + digits
                write(drafts[i], i + 1, position: place, tops[i])
                try sink.flushIfFull()
            }
            out.append("\n  ]}")
        }
        out.append("\n ]\n}\n")
        context.report.written += drafts.count
    }

    /// Gives items whose UID another one had before, such as instances of a series, ids of their
    /// own.
    private func makeIDsDiffer() {
        var taken = Set(drafts.compactMap(\.uid))
        var counts: [String: Int] = [:]
        for i in drafts.indices {
            guard let uid = drafts[i].uid else { continue }
            var count = (counts[uid] ?? 0) + 1
            if count > 1 {
                while !taken.insert("\(uid)-\(count)").inserted { count += 1 }
                drafts[i].uid = "\(uid)-\(count)"
                losses.note(
                    "uid-repeated", "uid", uid, record: i + 1, kind: .changed,
                    action: "another to-do has the same UID: the id got a number")
            }
            counts[uid] = count
        }
    }

    private static let position = "X-GOOGLE-POSITION"

    /// The list an item is in: that of its parent, since both must be in the same.
    private func list(of draft: TodoDraft, below parent: Int?, _ record: Int) -> String {
        let own = draft.extraText(TodoLineName.list)
        guard let parent else { return own ?? "My Tasks" }
        let list = drafts[parent].extraText(TodoLineName.list) ?? "My Tasks"
        if let own, own != list {
            losses.note(
                "list-dropped", "list", own, record: record,
                action: "put into the list of the to-do it is below")
        }
        return list
    }

    /// The topmost to-do above each that is below another of this file; each step is taken once.
    private func topmost(_ parents: [String: String], _ seen: [String: Int]) -> [String: String] {
        var topmost: [String: String] = [:]
        for uid in parents.keys where topmost[uid] == nil {
            var path: [String] = []
            var top = uid
            // No circles are left among the parents; the count is a guard.
            while let above = parents[top], seen[above] != nil, path.count <= parents.count {
                path.append(top)
                top = above
                if let known = topmost[top] {
                    top = known
                    break
                }
            }
            for below in path { topmost[below] = top }
        }
        return topmost
    }

    /// The parent an item may have: Google knows one level.
    private func top(
        _ draft: TodoDraft, _ topmost: [String: String], _ seen: [String: Int], _ record: Int
    ) -> String? {
        guard let parent = draft.parent else { return nil }
        guard seen[parent] != nil else {
            losses.note(
                "parent-missing", "relations", parent, record: record,
                action: "the to-do it is below is not in this file")
            return nil
        }
        guard let top = topmost[parent] else { return parent }
        losses.note(
            "subtask-flattened", "relations", draft.title, record: record,
            action: "Google Tasks has one level of sub-tasks: put below the topmost one")
        return top
    }

    private func write(_ draft: TodoDraft, _ record: Int, position: String?, _ parent: String?) {
        losses.check(
            draft, holds: GoogleTasksWriter.holds, record: record, format: "Google Tasks")
        let out = sink.buffer
        out.append("   {\"kind\": \"tasks#task\"")
        func member(_ name: String, _ value: String?) {
            guard let value else { return }
            out.append(", \"\(name)\": ")
            JSONText.write(value, to: out)
        }
        member("id", draft.uid)
        member("title", draft.title ?? "")
        member("updated", instant(draft.modified, "modified", draft, record))
        member("parent", parent)
        member("position", position)
        member("notes", draft.notes)
        member("status", draft.isDone || draft.isCancelled ? "completed" : "needsAction")
        if let due = losses.due(draft, record: record) {
            let local = context.options.zone.map { due.moved(to: $0, draft.zones(context)) }
            member("due", (local ?? due).day + "T00:00:00.000Z")
            if !due.isDay {
                losses.note(
                    "time-dropped", "due", due.local, record: record,
                    action: "Google Tasks knows the day only")
            }
        }
        member("completed", instant(draft.completed, "completed", draft, record))
        if draft.extra("X-GOOGLE-HIDDEN") == "TRUE" { out.append(", \"hidden\": true") }
        for (name, line) in GoogleTasksSource.ownMembers { member(name, draft.extraText(line)) }
        fields(draft, record)
        let links = draft.extras.filter {
            guard $0.name.isInCapitals(TodoLineName.link) else { return false }
            guard $0.isBinary else { return true }
            losses.note(
                "attachment-dropped", TodoLineName.link, $0.value, record: record,
                action: "Google Tasks has links to other places, no content of their own")
            return false
        }
        if !links.isEmpty {
            out.append(", \"links\": [")
            for (i, link) in links.enumerated() {
                out.append(i == 0 ? "{\"type\": " : ", {\"type\": ")
                JSONText.write(link.parameter("X-GOOGLE-TYPE") ?? "generic", to: out)
                if let title = link.parameter("LABEL") {
                    out.append(", \"description\": ")
                    JSONText.write(title, to: out)
                }
                out.append(", \"link\": ")
                JSONText.write(link.value, to: out)
                out.append("}")
            }
            out.append("]")
        }
        out.append("}")
    }

    /// Members that nobody knows, once each.
    private func fields(_ draft: TodoDraft, _ record: Int) {
        var written = GoogleTasksSource.known
        for extra in draft.extras where extra.name.isInCapitals("X-JSON-FIELD") {
            guard let name = extra.parameter("LABEL"), written.insert(name).inserted else {
                losses.note(
                    "line-dropped", extra.name, extra.value, record: record,
                    action: "Google Tasks has no place for it")
                continue
            }
            sink.buffer.append(", ")
            JSONText.write(name, to: sink.buffer)
            sink.buffer.append(": ")
            if extra.parameter("X-JSON-TYPE") == "LITERAL", GoogleTasksWriter.isLiteral(extra.text)
            {
                sink.buffer.append(extra.text)
            } else {
                JSONText.write(extra.text, to: sink.buffer)
            }
        }
    }

    /// True for a number or boolean of JSON.
    private static func isLiteral(_ text: String) -> Bool {
        if text == "true" || text == "false" { return true }
        var text = text
        let tree = text.withUTF8 {
            try? JSONTree.parse(InputBytes(name: "", copying: UnsafeRawBufferPointer($0)))
        }
        if case .number = tree?.value { return true }
        return false
    }

    private func instant(
        _ moment: TodoMoment?, _ property: String, _ draft: TodoDraft, _ record: Int
    ) -> String? {
        // A day keeps its date in universal time, as a due date does.
        if let moment, moment.isDay {
            losses.note(
                "day-made-time", property, moment.local, record: record, kind: .changed,
                action: "Google Tasks wants a time here: midnight of that day was written")
            return moment.day + "T00:00:00.000Z"
        }
        guard let moment,
            let seconds = moment.instant(draft.zones(context), floating: context.options.zone)
        else { return nil }
        if moment.tzid == nil, context.options.zone == nil {
            losses.note(
                "zone-assumed", property, moment.local, record: record, kind: .guessed,
                action: "taken as universal time; --zone names the zone it is local to")
        }
        return TodoMoment.localText(seconds).map { $0 + ".000Z" }
    }
}
