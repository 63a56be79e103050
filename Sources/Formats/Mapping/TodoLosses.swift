// What the small task formats cannot hold, said property by property, and the relations between
// to-dos as they need them.

extension Array where Element == TodoDraft {
    /// Turns relations of a parent to its children into those of the children to their parent,
    /// for formats that know only these. What is not there, or below another one, stays.
    mutating func adoptChildren() {
        guard contains(where: { $0.relations.contains { $0.kind == "CHILD" } }) else { return }
        var places: [String: Int] = [:]
        for (i, draft) in enumerated() {
            if let uid = draft.uid, places[uid] == nil { places[uid] = i }
        }
        for i in indices {
            guard let uid = self[i].uid else { continue }
            var left: [TodoDraft.Relation] = []
            for relation in self[i].relations {
                guard relation.kind == "CHILD", let child = places[relation.uid],
                    self[child].parent == nil || self[child].parent == uid
                else {
                    left.append(relation)
                    continue
                }
                guard self[child].parent == nil else { continue }
                let parent = TodoDraft.Relation(kind: "PARENT", uid: uid)
                if child == i { left.append(parent) } else { self[child].relations.append(parent) }
            }
            self[i].relations = left
        }
    }

    /// Takes away the relations that close circles, and says so.
    mutating func refuseCircles(_ context: ExchangeContext, source: String? = nil) {
        var edges: [TodoTree.Edge] = []
        for draft in self {
            guard let uid = draft.uid else { continue }
            for relation in draft.relations where relation.kind == "PARENT" {
                edges.append(TodoTree.Edge(child: uid, parent: relation.uid))
            }
        }
        guard !edges.isEmpty else { return }
        let refused = TodoTree(edges).refused
        guard !refused.isEmpty else { return }
        for refusal in refused {
            context.report.note(
                .lost, "relation-cycle", source: source, property: "parent", value: refusal.text,
                action: "refused: a to-do cannot stand below itself; it was put at the top")
        }
        let bad = Set(refused.map(\.edge))
        for i in indices {
            guard let uid = self[i].uid else { continue }
            self[i].relations.removeAll {
                $0.kind == "PARENT" && bad.contains(TodoTree.Edge(child: uid, parent: $0.uid))
            }
        }
    }
}

/// Says what a format cannot hold of to-dos.
final class TodoLosses {
    private let context: ExchangeContext
    private let uids = TodoUIDs()
    /// The drafts made.
    private var count = 0

    /// What is lost in writing has no place in the output: notes name the record alone.
    init(context: ExchangeContext) { self.context = context }

    /// The draft of a row; rows must come in their order.
    func draft(_ rows: TodoRows, _ row: Int) -> TodoDraft {
        var draft = TodoDraft(rows, row)
        uids.mark(&draft, id: rows.id(row))
        count += 1
        drop("due", &draft.due)
        drop("start", &draft.start)
        drop("completed", &draft.completed)
        drop("created", &draft.created)
        drop("modified", &draft.modified)
        settleState(&draft)
        return draft
    }

    /// State, time of completion and percentage go together (T3), where somebody has changed the
    /// state alone.
    private func settleState(_ draft: inout TodoDraft) {
        guard draft.status?.isEmpty == false, !draft.isStateOfSource else { return }
        if draft.isDone, let percent = draft.percent, percent != 100 {
            draft.percent = 100
            note(
                "done-completed", "percent", String(percent), record: count, kind: .changed,
                action: "taken as 100: the status says that the task is done")
        } else if draft.isDoneThoughOpen {
            note(
                "done-reopened", draft.completed == nil ? "percent" : "completed",
                draft.completed?.local, record: count, kind: .changed,
                action:
                    "time of completion and percentage left out: the status says that the task is"
                    + " open")
            draft.completed = nil
            if draft.percent == 100 { draft.percent = nil }
        }
    }

    /// Takes away what is no date.
    private func drop(_ property: String, _ date: inout TodoMoment?) {
        guard let moment = date, moment.localSeconds == nil else { return }
        date = nil
        note(
            "date-unreadable", property, moment.local, record: count,
            action: "left out: it is no date")
    }

    /// Notes what is lost of a to-do, property by property.
    func note(
        _ code: String, _ property: String, _ value: String?, record: Int,
        kind: Report.ItemClass = .lost, action: String
    ) {
        context.report.note(
            kind, code, record: record, property: property, value: value,
            action: action)
    }

    /// The priority in three classes; says when the number is not the one that comes back.
    func priorityClass(_ draft: TodoDraft, record: Int, format: String) -> Int? {
        guard let number = draft.priority, number != 0 else { return nil }
        let found = draft.priorityClass
        if found == nil {
            note(
                "priority-dropped", "priority", String(number), record: record,
                action: "it is no priority of iCalendar")
        } else if ![1, 5, 9].contains(number) {
            note(
                "priority-class", "priority", String(number), record: record, kind: .changed,
                action: "\(format) has three priorities: 1 to 4 are high, 5 is medium, 6 to 9 low")
        }
        return found
    }

    /// The due date, or the one that start and duration make (T5).
    func due(_ draft: TodoDraft, record: Int) -> TodoMoment? {
        if draft.due != nil { return draft.due }
        guard let due = draft.computedDue(draft.zones(context)) else { return nil }
        note(
            "due-computed", "due", due.local, record: record, kind: .changed,
            action: "the start and the duration make this due date")
        return due
    }

    /// Notes the loss of what stands in a to-do as a component.
    func component(_ text: String, record: Int, format: String) {
        let line = text.drop { $0.isNewline }.prefix { !$0.isNewline }
        let name = line.dropFirst(6).uppercased()
        let isAlarm = TodoDraft.Alarm.isOne(text)
        note(
            isAlarm ? "alarm-dropped" : "component-dropped",
            isAlarm ? "components" : String(name.prefix(40)), String(text.prefix(60)),
            record: record, action: "\(format) has no place for it")
    }

    /// Notes every field of a draft that is set and not among those the format holds.
    func check(_ draft: TodoDraft, holds: Set<String>, record: Int, format: String) {
        func lose(_ property: String, _ code: String, _ value: String?, _ isThere: Bool) {
            guard isThere, !holds.contains(property) else { return }
            note(
                code, property, value, record: record, action: "\(format) has no place for it")
        }
        lose("uid", "uid-dropped", draft.uid, draft.uid != nil && !draft.hasMadeUID)
        lose("notes", "notes-dropped", draft.notes, draft.notes?.isEmpty == false)
        lose("start", "start-dropped", draft.start?.local, draft.start != nil)
        lose("due", "due-dropped", draft.due?.local, draft.due != nil)
        lose(
            "percent", "percent-dropped", draft.percent.map { String($0) },
            (draft.percent ?? 0) != 0 && !(draft.isDone && draft.percent == 100))
        lose(
            "priority", "priority-dropped", draft.priority.map { String($0) },
            (draft.priority ?? 0) != 0)
        lose(
            "duration", "duration-dropped", draft.duration,
            draft.duration != nil
                && (draft.due != nil || draft.computedDue(draft.zones(context)) == nil))
        lose(
            "recurrence", "recurrence-dropped", draft.recurrence.first,
            !draft.recurrence.isEmpty)
        lose(
            "categories", "categories-dropped", draft.categories.first,
            !draft.categories.isEmpty)
        lose("location", "location-dropped", draft.location, draft.location?.isEmpty == false)
        lose("url", "url-dropped", draft.url, draft.url != nil)
        lose("geo", "geo-dropped", draft.geo, draft.geo != nil)
        lose("color", "color-dropped", draft.color, draft.color != nil)
        lose(
            "recurrenceID", "instance-dropped", draft.recurrenceID?.local,
            draft.recurrenceID != nil)
        lose(
            "classification", "classification-dropped", draft.classification,
            draft.classification.map { !$0.isInCapitals("PUBLIC") } ?? false)
        if !holds.contains("components") {
            for text in draft.components { component(text, record: record, format: format) }
        }
        lose("created", "created-dropped", draft.created?.local, draft.created != nil)
        lose("modified", "modified-dropped", draft.modified?.local, draft.modified != nil)
        lose("completed", "completed-dropped", draft.completed?.local, draft.completed != nil)
        lose("status", "cancelled-dropped", draft.status, draft.isCancelled)
        checkStatus(draft, holds: holds, record: record, format: format)
        checkRelations(draft, holds: holds, record: record, format: format)
        for extra in draft.extras where !holds.contains(extra.name) {
            // The pair of todo.txt that the UID was read from says nothing more.
            if let uid = draft.uid, extra.name == "X-TODOTXT-PAIR", extra.text == "uid:" + uid {
                continue
            }
            // Nor does a line of a property that holds nothing.
            if extra.value.isEmpty {
                let name = extra.name.uppercased()
                if TodoField.byLine[name] != nil || TodoField.dateLines.contains(name) { continue }
            }
            note(
                "line-dropped", extra.name, extra.value, record: record,
                action: "\(format) has no place for it")
        }
    }

    /// The states between open and done.
    private func checkStatus(
        _ draft: TodoDraft, holds: Set<String>, record: Int, format: String
    ) {
        guard let status = draft.status, !draft.isDone, !draft.isCancelled else { return }
        let isOpen =
            status.isEmpty || status.isInCapitals("NEEDS-ACTION")
            || status.isInCapitals(TodoIdentity.legacyOpen)
        let isStarted = status.isInCapitals("IN-PROCESS")
        if isOpen || isStarted && holds.contains("in-process") { return }
        note(
            "status-dropped", "status", status, record: record,
            action: "\(format) has no such state: written as open")
    }

    /// The first parent is what a format may hold; more parents and other kinds it does not.
    private func checkRelations(
        _ draft: TodoDraft, holds: Set<String>, record: Int, format: String
    ) {
        var hasParent = false
        for relation in draft.relations {
            let isParent = relation.kind == "PARENT" && !hasParent
            if isParent { hasParent = true }
            if isParent, holds.contains("relations") { continue }
            note(
                isParent ? "parent-dropped" : "relation-dropped", "relations",
                isParent ? relation.uid : relation.kind + " " + relation.uid, record: record,
                action: "\(format) has no place for it")
        }
    }
}
