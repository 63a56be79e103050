// Google Tasks: `Tasks.json` of Takeout, and the answers of its API, which have the same items. A
// due date is always midnight in universal time and means a day; there is no time of day.

/// Reads Google Tasks JSON.
final class GoogleTasksSource: TodoSource {
    private var drafts: [TodoDraft] = []
    private var at = 0
    private let context: ExchangeContext
    private let name: String
    private let uids = TodoUIDs()
    private let source: JSONSource

    init(input: InputBytes, context: ExchangeContext) throws(FormatError) {
        self.context = context
        name = input.name
        source = try JSONSource(input)
        let tree = try JSONTree.parse(source)
        read(tree, list: nil, depth: 0)
        drafts.refuseCircles(context, source: name)
    }

    let coarse: CoarseRows? = CoarseRows(
        days: CoarseRows.dates,
        states: [["NEEDS-ACTION", "IN-PROCESS"], ["COMPLETED", "CANCELLED"]])

    func next() throws(FormatError) -> TodoDraft? {
        guard at < drafts.count else { return nil }
        defer { at += 1 }
        return drafts[at]
    }

    func text(at place: Int) -> RowText? { source.text(at: place) }

    /// How surely JSON text is Google's.
    static func likelihood(_ bytes: UnsafeRawBufferPointer) -> Int {
        let prefix = UnsafeRawBufferPointer(rebasing: bytes.prefix(4096))
        guard let first = prefix.first(where: { $0 > 0x20 }),
            first == 0x7B || first == 0x5B
                || first == 0xEF
        else { return 0 }
        return ByteSearch.contains(prefix, "\"tasks#task") ? 140 : 0
    }

    // MARK: Lists and items

    private func read(_ tree: JSONTree, list: String?, depth: Int) {
        guard depth < 8 else { return }
        if let items = tree.array {
            for item in items { read(item, list: list, depth: depth + 1) }
            return
        }
        guard tree.members != nil else {
            if depth > 0 { setAside(tree) }
            return
        }
        if let next = tree["nextPageToken"]?.string, !next.isEmpty {
            context.report.note(
                .lost, "download-incomplete", source: name, property: "nextPageToken", value: next,
                action: "the answer goes on there: what follows is not in this file")
        }
        let kind = tree["kind"]?.string ?? ""
        if let items = tree["items"]?.array {
            let title = kind == "tasks#taskLists" ? list : tree["title"]?.string ?? list
            if items.isEmpty, kind != "tasks#taskLists" { noteEmpty(title) }
            let first = drafts.count
            for item in items { read(item, list: title, depth: depth + 1) }
            let isOneList = kind != "tasks#taskLists" && items.allSatisfy { $0["items"] == nil }
            if isOneList { sort(from: first) }
            return
        }
        if kind == "tasks#taskList" || kind == "tasks#tasks" || kind == "tasks#taskLists" {
            if kind != "tasks#taskLists" { noteEmpty(tree["title"]?.string) }
            return
        }
        task(tree, list: list)
    }

    /// Something that is no item.
    private func setAside(_ tree: JSONTree) {
        context.report.read += 1
        var text = tree.plainText ?? "null"
        let reason = FormatError(
            .malformed, "an item is an object", file: name, offset: tree.offset)
        text.withUTF8 { context.setAside(UnsafeRawBufferPointer($0), reason) }
    }

    /// Puts the items of a list in their order, which is that of their positions among the items
    /// below the same one; each stands before those below it.
    private func sort(from first: Int) {
        let items = drafts[first...]
        guard items.count > 1 else { return }
        var places: [String: Int] = [:]
        for i in items.indices {
            if let uid = items[i].uid, places[uid] == nil { places[uid] = i }
        }
        var below: [Int: [Int]] = [:]
        for i in items.indices {
            let parent = items[i].parent.flatMap { places[$0] }
            below[parent ?? -1, default: []].append(i)
        }
        var positions: [Int: String] = [:]
        for i in items.indices { positions[i] = items[i].extraText("X-GOOGLE-POSITION") }
        var isSorted = true
        for (parent, siblings) in below where siblings.allSatisfy({ positions[$0] != nil }) {
            let sorted = siblings.sorted {
                let (a, b) = (positions[$0] ?? "", positions[$1] ?? "")
                return a == b ? $0 < $1 : a.utf8.lexicographicallyPrecedes(b.utf8)
            }
            if sorted != siblings { isSorted = false }
            below[parent] = sorted
        }
        if isSorted { return }
        var order: [Int] = []
        var stack = Array((below[-1] ?? []).reversed())
        while let i = stack.popLast() {
            order.append(i)
            stack += (below.removeValue(forKey: i) ?? []).reversed()
        }
        // Those in a circle are below nothing that was met.
        let met = Set(order)
        order += items.indices.filter { !met.contains($0) }
        drafts.replaceSubrange(first..., with: order.map { drafts[$0] })
    }

    private func noteEmpty(_ title: String?) {
        guard let title else { return }
        context.report.note(
            .lost, "list-empty", source: name, property: "title", value: title,
            action: "left out: a list without tasks has no place")
    }

    /// Members that say something of the item to Google alone; they come back as they were.
    static let ownMembers = [
        ("etag", "X-GOOGLE-ETAG"), ("selfLink", "X-GOOGLE-SELF-LINK"),
        ("webViewLink", "X-GOOGLE-WEB-VIEW-LINK"), ("task_type", "X-GOOGLE-TASK-TYPE"),
    ]

    static let known: Set<String> = [
        "kind", "id", "etag", "title", "updated", "selfLink", "webViewLink", "parent", "notes",
        "status", "due", "completed", "created", "deleted", "links", "task_type", "hidden",
        "position",
    ]

    private func task(_ tree: JSONTree, list: String?) {
        if tree["deleted"]?.bool == true {
            context.report.read += 1
            context.report.skipped += 1
            context.report.note(
                .lost, "deleted-item", source: name, property: "deleted",
                value: tree["title"]?.string,
                action: "left out: it was deleted and only its trace is in the file")
            return
        }
        var draft = TodoDraft()
        draft.place = tree.offset
        draft.uid = tree["id"]?.string
        draft.title = tree["title"]?.string
        draft.notes = tree["notes"]?.string
        draft.modified = moment(tree["updated"])
        draft.created = moment(tree["created"])
        if let status = tree["status"]?.plainText,
            !["completed", "needsAction", ""].contains(status)
        {
            context.report.note(
                .lost, "value-unreadable", source: name, property: "status", value: status,
                action: "taken as open: Google Tasks has no such state")
        }
        draft.setDone(tree["status"]?.string == "completed", at: moment(tree["completed"]))
        if draft.status != "COMPLETED", let completed = moment(tree["completed"]) {
            draft.completed = completed
        }
        if let due = moment(tree["due"]) {
            // The day is the one that is written, whatever the offset behind it.
            let written = tree["due"]?.string ?? ""
            draft.due = TodoMoment(iso: String(written.prefix(10))) ?? TodoMoment(local: due.day)
            if !due.isDay, written.dropFirst(11).prefix(8) != "00:00:00" {
                context.report.note(
                    .changed, "time-dropped", source: name, property: "due", value: written,
                    action: "a due date of Google Tasks means the day")
            }
        }
        if let parent = tree["parent"]?.string, !parent.isEmpty {
            draft.relations = [TodoDraft.Relation(kind: "PARENT", uid: parent)]
        }
        if let list { draft.extras.append(TodoDraft.Extra(text: TodoLineName.list, list)) }
        if let position = tree["position"]?.string {
            draft.extras.append(TodoDraft.Extra(text: "X-GOOGLE-POSITION", position))
        }
        if tree["hidden"]?.bool == true {
            draft.extras.append(TodoDraft.Extra("X-GOOGLE-HIDDEN", "TRUE"))
        }
        for (member, line) in GoogleTasksSource.ownMembers {
            guard let text = tree[member]?.string, !text.isEmpty else { continue }
            draft.extras.append(TodoDraft.Extra(text: line, text))
        }
        for link in tree["links"]?.array ?? [] {
            guard let target = link["link"]?.string else { continue }
            var line = TodoDraft.Extra(TodoLineName.link, target)
            for (member, name) in [("type", "X-GOOGLE-TYPE"), ("description", "LABEL")] {
                guard let text = link[member]?.string, text != "generic" else { continue }
                line.addParameter(name, text)
            }
            draft.extras.append(line)
        }
        for member in tree.members ?? [] where !GoogleTasksSource.known.contains(member.name) {
            guard let text = member.value.plainText else {
                context.report.note(
                    .lost, "member-unknown", source: name, property: member.name,
                    value: draft.title, action: "left out: this member is not known")
                continue
            }
            var line = TodoDraft.Extra(text: "X-JSON-FIELD", text)
            line.addParameter("LABEL", member.name)
            // What is no text is none on the way back.
            if member.value.string == nil { line.addParameter("X-JSON-TYPE", "LITERAL") }
            draft.extras.append(line)
        }
        uids.assign(&draft)
        drafts.append(draft)
    }

    private func moment(_ tree: JSONTree?) -> TodoMoment? {
        guard let text = tree?.string else { return nil }
        let moment = TodoMoment(iso: text)
        if moment == nil {
            context.report.note(
                .lost, "date-unreadable", source: name, value: text, action: "left out")
        } else if TodoMoment.hasFraction(text) {
            context.report.note(
                .changed, "fraction-dropped", source: name, value: text,
                action: "times of to-dos have whole seconds")
        }
        return moment
    }
}

extension Format {
    /// Google Tasks JSON.
    static let googleTasks = Format(
        name: "google-tasks", extensions: [], summary: "Google Tasks (Takeout's Tasks.json, API)",
        content: .tasks, detect: { GoogleTasksSource.likelihood($0) },
        read: { (request) throws(FormatError) in
            let source = try GoogleTasksSource(input: request.input, context: request.context)
            return ReadSource(
                reader: TodoDraftReader(
                    source, context: request.context, isForStore: request.isForStore),
                content: .tasks)
        },
        write: { (request) throws(FormatError) in
            GoogleTasksWriter(sink: request.sink, context: request.context)
        })
}
