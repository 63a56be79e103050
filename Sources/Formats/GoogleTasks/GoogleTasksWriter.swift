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
            var draft = TodoDraft(rows, row)
            if draft.uid == nil, let id = rows.id(row) { draft.uid = TodoUIDs.text(of: id) }
            drafts.append(draft)
        }
    }

    private static let holds: Set<String> = [
        "notes", "due", "completed", "modified", "relations", TodoLineName.list,
        TodoLineName.link, "X-GOOGLE-POSITION", "X-GOOGLE-HIDDEN",
    ]

    func finish() throws(FormatError) {
        try complete()
        try sink.finish()
    }

    func complete() throws(FormatError) {
        if isComplete { return }
        isComplete = true
        drafts.refuseCircles(context)
        var parents: [String: String] = [:]
        var seen = Set<String>()
        for draft in drafts {
            guard let uid = draft.uid else { continue }
            seen.insert(uid)
            if let parent = draft.parent { parents[uid] = parent }
        }
        var lists: [String] = []
        var members: [String: [Int]] = [:]
        for (i, draft) in drafts.enumerated() {
            let list = draft.extraText(TodoLineName.list) ?? "My Tasks"
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
            for (k, i) in (members[list] ?? []).enumerated() {
                out.append(k == 0 ? "\n" : ",\n")
                write(drafts[i], i + 1, position: k, top(drafts[i], parents, seen, i + 1))
                try sink.flushIfFull()
            }
            out.append("\n  ]}")
        }
        out.append("\n ]\n}\n")
        context.report.written += drafts.count
    }

    /// The parent an item may have: Google knows one level.
    private func top(
        _ draft: TodoDraft, _ parents: [String: String], _ seen: Set<String>, _ record: Int
    ) -> String? {
        guard var parent = draft.parent else { return nil }
        guard seen.contains(parent) else {
            losses.note(
                "parent-missing", "relations", parent, record: record,
                action: "the to-do it is below is not in this file")
            return nil
        }
        var steps = 0
        while let above = parents[parent], seen.contains(above), steps < drafts.count {
            parent = above
            steps += 1
        }
        if steps > 0 {
            losses.note(
                "subtask-flattened", "relations", draft.title, record: record,
                action: "Google Tasks has one level of sub-tasks: put below the topmost one")
        }
        return parent
    }

    private func write(_ draft: TodoDraft, _ record: Int, position: Int, _ parent: String?) {
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
        member("updated", instant(draft.modified, draft))
        member("parent", parent)
        let digits = String(position + 1)
        member("position", String(repeating: "0", count: max(0, 20 - digits.utf8.count)) + digits)
        member("notes", draft.notes)
        member("status", draft.isDone || draft.isCancelled ? "completed" : "needsAction")
        if let due = draft.due {
            let local = context.options.zone.map { due.moved(to: $0, draft.zones(context)) }
            member("due", (local ?? due).day + "T00:00:00.000Z")
            if !due.isDay {
                losses.note(
                    "time-dropped", "due", due.local, record: record,
                    action: "Google Tasks knows the day only")
            }
        }
        member("completed", instant(draft.completed, draft))
        if draft.extra("X-GOOGLE-HIDDEN") == "TRUE" { out.append(", \"hidden\": true") }
        let links = draft.extras.filter { $0.name.uppercased() == TodoLineName.link }
        if !links.isEmpty {
            out.append(", \"links\": [")
            for (i, link) in links.enumerated() {
                out.append(i == 0 ? "{\"type\": \"generic\", \"link\": " : ", {\"link\": ")
                JSONText.write(link.value, to: out)
                out.append("}")
            }
            out.append("]")
        }
        out.append("}")
    }

    private func instant(_ moment: TodoMoment?, _ draft: TodoDraft) -> String? {
        guard let moment,
            let seconds = moment.instant(draft.zones(context), floating: context.options.zone)
        else { return nil }
        return TodoMoment.localText(seconds).map { $0 + ".000Z" }
    }
}
