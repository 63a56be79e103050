// Microsoft To Do as Graph writes it: tasks in an array, in `value`, or in lists with `tasks`.
// Times are pairs of a local text and a zone name, usually Windows'.

/// Reads Microsoft To Do JSON.
final class MSToDoSource: TodoSource {
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
        read(try JSONTree.parse(source), list: nil, depth: 0)
        drafts.refuseCircles(context, source: name)
    }

    let coarse: CoarseRows? = CoarseRows(
        days: CoarseRows.dates, priorities: CoarseRows.threePriorities)

    func next() throws(FormatError) -> TodoDraft? {
        guard at < drafts.count else { return nil }
        defer { at += 1 }
        return drafts[at]
    }

    func text(at place: Int) -> RowText? { source.text(at: place) }

    /// How surely JSON text is Graph's.
    static func likelihood(_ bytes: UnsafeRawBufferPointer) -> Int {
        let prefix = UnsafeRawBufferPointer(rebasing: bytes.prefix(16 << 10))
        guard let first = prefix.first(where: { $0 > 0x20 }),
            first == 0x7B || first == 0x5B
                || first == 0xEF
        else { return 0 }
        let words: [StaticString] = [
            "\"importance\"", "\"dueDateTime\"", "\"isReminderOn\"", "\"checklistItems\"",
            "\"createdDateTime\"", "\"lastModifiedDateTime\"", "\"wellknownListName\"",
            "todo/lists", "\"linkedResources\"",
        ]
        guard ByteSearch.contains(prefix, "\"title\"") else { return 0 }
        let found = words.count { ByteSearch.contains(prefix, $0) }
        return found >= 2 || speaksGraph(prefix) ? 140 : 0
    }

    /// True when the first task has a state, and a weight or a recurrence, in Graph's own words;
    /// a task need not have more than these.
    private static func speaksGraph(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let state = word(of: "\"status\"", in: bytes), GraphWords.states.contains(state)
        else {
            return false
        }
        if let weight = word(of: "\"importance\"", in: bytes) {
            return GraphWords.weights.contains(weight)
        }
        return ByteSearch.contains(bytes, "\"recurrence\"")
            && ByteSearch.contains(bytes, "\"pattern\"")
    }

    /// The text of the first member of a name.
    private static func word(of name: String, in bytes: UnsafeRawBufferPointer) -> String? {
        let name = Array(name.utf8)
        var i = 0
        while i + name.count < bytes.count {
            guard bytes[i] == 0x22, bytes[i..<(i + name.count)].elementsEqual(name) else {
                i += 1
                continue
            }
            var at = i + name.count
            while at < bytes.count, bytes[at] <= 0x20 || bytes[at] == 0x3A { at += 1 }
            guard at < bytes.count, bytes[at] == 0x22 else { return nil }
            let text = bytes[(at + 1)...].prefix { $0 != 0x22 }
            return String(decoding: text, as: UTF8.self)
        }
        return nil
    }

    // MARK: Lists and tasks

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
        if let next = tree["@odata.nextLink"]?.string, !next.isEmpty {
            context.report.note(
                .lost, "download-incomplete", source: name, property: "@odata.nextLink",
                value: next,
                action: "the answer goes on there: what follows is not in this file")
        }
        let title = tree["displayName"]?.string ?? list
        var isList = false
        for member in ["value", "tasks", "lists"] {
            guard let items = tree[member]?.array else { continue }
            isList = true
            for item in items {
                read(item, list: member == "tasks" ? title : list, depth: depth + 1)
            }
        }
        if isList { return }
        if tree["title"] != nil || tree["status"] != nil { return task(tree, list: list) }
        if depth > 0 {
            context.report.note(
                .lost, "object-unknown", source: name, property: "displayName",
                value: tree["displayName"]?.string,
                action: "left out: it is no task, and no list that holds some")
        }
    }

    /// Something that is no task.
    private func setAside(_ tree: JSONTree) {
        context.report.read += 1
        var text = tree.plainText ?? "null"
        let reason = FormatError(.malformed, "a task is an object", file: name, offset: tree.offset)
        text.withUTF8 { context.setAside(UnsafeRawBufferPointer($0), reason) }
    }

    private static let known: Set<String> = [
        "id", "title", "status", "importance", "body", "createdDateTime", "lastModifiedDateTime",
        "completedDateTime", "dueDateTime", "startDateTime", "reminderDateTime", "isReminderOn",
        "recurrence", "categories", "checklistItems", "linkedResources", "hasAttachments",
        "bodyLastModifiedDateTime", "attachments",
    ]

    private func task(_ tree: JSONTree, list: String?) {
        var draft = TodoDraft()
        draft.place = tree.offset
        draft.uid = tree["id"]?.string
        draft.title = tree["title"]?.string
        status(tree, &draft)
        draft.priority = GraphWords.priority(tree["importance"]?.string)
        known("importance", GraphWords.weights, tree)
        body(tree["body"], &draft)
        draft.created = moment(tree["createdDateTime"])
        draft.modified = moment(tree["lastModifiedDateTime"])
        dates(tree, &draft)
        if let reminder = moment(tree["reminderDateTime"]), tree["isReminderOn"]?.bool != false,
            let seconds = reminder.instant(context.zoneLibrary, floating: context.options.zone),
            let text = TodoMoment.localText(seconds)
        {
            draft.addAlarm(trigger: text.filter { $0 != "-" && $0 != ":" } + "Z")
        }
        draft.categories = tree["categories"]?.array?.compactMap(\.string) ?? []
        if let recurrence = tree["recurrence"], recurrence.members != nil {
            if let rule = GraphRecurrence.rule(recurrence) {
                draft.recurrence = [rule]
            } else {
                context.report.note(
                    .lost, "recurrence-dropped", source: name, property: "recurrence",
                    value: draft.title, action: "left out: this pattern is not known")
            }
            range(recurrence["range"], &draft)
            draft.alignRules(context, source: name)
        }
        if let list { draft.extras.append(TodoDraft.Extra(text: TodoLineName.list, list)) }
        for resource in tree["linkedResources"]?.array ?? [] { link(resource, &draft) }
        attachments(tree, &draft)
        for member in tree.members ?? []
        where !MSToDoSource.known.contains(member.name) && !member.name.hasPrefix("@") {
            for item in member.value.elementsOrSelf {
                guard let text = item.plainText else {
                    context.report.note(
                        .lost, "member-unknown", source: name, property: member.name,
                        value: draft.title, action: "left out: this member is not known")
                    continue
                }
                var line = TodoDraft.Extra(text: "X-JSON-FIELD", text)
                line.addParameter("LABEL", member.name)
                draft.extras.append(line)
            }
        }
        uids.assign(&draft)
        drafts.append(draft)
        for (i, item) in (tree["checklistItems"]?.array ?? []).enumerated() {
            var child = TodoDraft()
            child.uid = item["id"]?.string ?? "\(draft.uid ?? "")-item-\(i + 1)"
            child.title = item["displayName"]?.string
            let checked = item["checkedDateTime"]?.string.flatMap { TodoMoment(iso: $0) }
            child.setDone(item["isChecked"]?.bool == true, at: checked)
            child.created = item["createdDateTime"]?.string.flatMap { TodoMoment(iso: $0) }
            child.relations = [TodoDraft.Relation(kind: "PARENT", uid: draft.uid ?? "")]
            if let list { child.extras.append(TodoDraft.Extra(text: TodoLineName.list, list)) }
            drafts.append(child)
        }
    }

    /// Says that a word is none of Graph's.
    private func known(_ member: String, _ words: Set<String>, _ tree: JSONTree) {
        guard let text = tree[member]?.plainText, !words.contains(text) else { return }
        context.report.note(
            .lost, "value-unreadable", source: name, property: member, value: text,
            action: "taken as not given: To Do has no such word here")
    }

    /// Files that the task holds, and addresses of others.
    private func attachments(_ tree: JSONTree, _ draft: inout TodoDraft) {
        let items = tree["attachments"]?.array ?? []
        if items.isEmpty, tree["hasAttachments"]?.bool == true {
            context.report.note(
                .lost, "attachment-missing", source: name, property: "hasAttachments",
                value: draft.title, action: "the file names attachments but does not hold them")
        }
        for item in items {
            var line: TodoDraft.Extra
            if let content = item["contentBytes"]?.string.map({ $0.filter { !$0.isWhitespace } }),
                !content.isEmpty, MSToDoSource.isBase64(content)
            {
                line = TodoDraft.Extra(TodoLineName.link, content)
                line.parameters = ["ENCODING=BASE64", "VALUE=BINARY"]
            } else if let place = item["sourceUrl"]?.string ?? item["webUrl"]?.string,
                !place.isEmpty, !place.contains(where: \.isWhitespace)
            {
                line = TodoDraft.Extra(TodoLineName.link, place)
            } else {
                context.report.note(
                    .lost, "attachment-missing", source: name, property: "attachments",
                    value: item["name"]?.string ?? draft.title,
                    action: "left out: neither its content nor its address is in the file")
                continue
            }
            for (member, parameter) in [
                ("contentType", "FMTTYPE"), ("name", "FILENAME"), ("id", "X-MS-ID"),
            ] {
                guard let text = item[member]?.string, !text.isEmpty else { continue }
                line.addParameter(parameter, text)
            }
            draft.extras.append(line)
        }
    }

    private static func isBase64(_ text: String) -> Bool {
        let digits = text.utf8.prefix { $0 != 0x3D }
        return text.utf8.count % 4 == 0 && text.utf8.count - digits.count <= 2
            && digits.allSatisfy {
                $0 &- 0x30 < 10 || ($0 & 0xDF) &- 0x41 < 26 || $0 == 0x2B || $0 == 0x2F
            } && text.utf8.dropFirst(digits.count).allSatisfy { $0 == 0x3D }
    }

    /// Something outside: a web address where there is one.
    private func link(_ tree: JSONTree, _ draft: inout TodoDraft) {
        func member(_ name: String) -> String? {
            tree[name]?.string.flatMap { $0.isEmpty ? nil : $0 }
        }
        let parameters = [
            ("displayName", "LABEL"), ("applicationName", "X-MS-APPLICATION"),
            ("externalId", "X-MS-EXTERNAL-ID"),
        ]
        var line: TodoDraft.Extra
        if let target = member("webUrl") {
            line = TodoDraft.Extra(TodoLineName.link, target)
        } else if parameters.contains(where: { member($0.0) != nil }) {
            line = TodoDraft.Extra(text: "X-MS-LINK", member("displayName") ?? "")
        } else {
            return
        }
        for (name, parameter) in parameters {
            if let text = member(name) { line.addParameter(parameter, text) }
        }
        draft.extras.append(line)
    }

    /// When a recurrence begins, where no start of the task says it, and in which zone.
    private func range(_ tree: JSONTree?, _ draft: inout TodoDraft) {
        if let zone = tree?["recurrenceTimeZone"]?.string, !zone.isEmpty,
            ZoneNames.resolve(zone) != "UTC", zone != "UTC"
        {
            draft.extras.append(TodoDraft.Extra(text: "X-MS-RECURRENCE-ZONE", zone))
        }
        guard let text = tree?["startDate"]?.string, let begin = TodoMoment(iso: text),
            begin.day != "0001-01-01"
        else { return }
        if draft.start == nil, !draft.recurrence.isEmpty, begin.day <= draft.due?.day ?? begin.day {
            // A rule wants a start, of the kind of the due date (RFC 5545, 3.8.2.4).
            var start = TodoMoment(local: begin.day)
            if let due = draft.due, let time = due.time {
                start = TodoMoment(local: begin.day + "T" + time, tzid: due.tzid, zone: due.zone)
            }
            draft.start = start
        } else if begin.day != draft.start?.day, begin.day != draft.due?.day {
            draft.extras.append(TodoDraft.Extra(text: "X-MS-RECURRENCE-START", begin.day))
        }
    }

    private func status(_ tree: JSONTree, _ draft: inout TodoDraft) {
        known("status", GraphWords.states, tree)
        let completed = moment(tree["completedDateTime"])
        switch tree["status"]?.string {
        case "completed": draft.setDone(true, at: universal(completed))
        case "inProgress": draft.status = "IN-PROCESS"
        case "waitingOnOthers", "deferred":
            draft.status = "NEEDS-ACTION"
            draft.extras.append(
                TodoDraft.Extra(text: "X-MS-STATUS", tree["status"]?.string ?? ""))
        default: draft.status = "NEEDS-ACTION"
        }
        if draft.completed == nil { draft.completed = universal(completed) }
    }

    private func universal(_ moment: TodoMoment?) -> TodoMoment? {
        moment.map { $0.tzid == nil ? $0 : $0.moved(to: "UTC", context.zoneLibrary) }
    }

    private func body(_ tree: JSONTree?, _ draft: inout TodoDraft) {
        guard let content = tree?["content"]?.string, !content.isEmpty else { return }
        guard tree?["contentType"]?.string?.lowercased() == "html" else {
            draft.notes = content
            return
        }
        draft.notes = PlainText.of(html: content)
        var html = TodoDraft.Extra(text: "X-ALT-DESC", content)
        html.parameters = ["FMTTYPE=text/html"]
        draft.extras.append(html)
    }

    /// `{dateTime, timeZone}`.
    private func moment(_ tree: JSONTree?) -> TodoMoment? {
        guard let text = tree?["dateTime"]?.string ?? tree?.string else { return nil }
        guard var moment = TodoMoment(iso: text) else {
            context.report.note(
                .lost, "date-unreadable", source: name, value: text, action: "left out")
            return nil
        }
        if TodoMoment.hasFraction(text) {
            context.report.note(
                .changed, "fraction-dropped", source: name, value: text,
                action: "times of to-dos have whole seconds")
        }
        if let zone = tree?["timeZone"]?.string, moment.tzid == nil, !zone.isEmpty {
            let iana = ZoneNames.resolve(zone)
            moment.tzid = iana == "UTC" || iana == "Etc/UTC" ? "UTC" : zone
            moment.zone = moment.tzid == "UTC" ? nil : iana
            if iana == nil {
                context.report.note(
                    .guessed, "zone-unresolved", source: name, value: zone,
                    action: "no such zone is known: the clock times stay as they are")
            }
        }
        return moment
    }

    /// Due date and start; beside a due date with a time the start is a time as well.
    private func dates(_ tree: JSONTree, _ draft: inout TodoDraft) {
        let zone = tree["recurrence"]?["range"]?["recurrenceTimeZone"]?.string
        draft.due = day(tree["dueDateTime"], in: zone, "X-MS-DUE-ZONE", &draft)
        draft.start =
            draft.due?.isDay ?? true
            ? day(tree["startDateTime"], in: zone, "X-MS-START-ZONE", &draft)
            : moment(tree["startDateTime"])
    }

    /// Due dates are midnight and mean the day; another time is kept. A day has no zone: that of
    /// the midnight becomes a line.
    /// - Parameter zone: the one in which the task recurs, which is its owner's.
    private func day(
        _ tree: JSONTree?, in zone: String?, _ line: String, _ draft: inout TodoDraft
    ) -> TodoMoment? {
        guard let moment = moment(tree) else { return nil }
        if moment.time == "00:00:00" {
            if let zone = moment.tzid, zone != "UTC" {
                draft.extras.append(TodoDraft.Extra(text: line, zone))
            }
            return TodoMoment(local: moment.day)
        }
        // Midnight of the owner's zone may stand in universal time.
        let resolved = zone.flatMap { ZoneNames.resolve($0) }
        for zone in [resolved, context.options.zone].compactMap({ $0 }) where moment.tzid != nil {
            let local = moment.moved(to: zone, context.zoneLibrary)
            if local.time == "00:00:00" { return TodoMoment(local: local.day) }
        }
        if moment.tzid == "UTC" {
            context.report.note(
                .guessed, "zone-assumed", source: name, property: "due", value: moment.local,
                action: "kept as a time: To Do's dates are days of the owner's zone, which is not "
                    + "said; --zone names it")
        }
        return moment
    }
}

extension Format {
    /// Microsoft To Do JSON.
    static let msToDo = Format(
        name: "ms-todo", extensions: [], summary: "Microsoft To Do (Graph JSON)", content: .tasks,
        detect: { MSToDoSource.likelihood($0) },
        read: { (request) throws(FormatError) in
            let source = try MSToDoSource(input: request.input, context: request.context)
            return ReadSource(
                reader: TodoDraftReader(
                    source, context: request.context, isForStore: request.isForStore),
                content: .tasks)
        })
}
