// Drafts as rows: what every small task format's reader has in common. Ids, the check of the tree
// and the batches are here; what a record means is the format's.

/// Where a small task format's to-dos come from, one after the other.
protocol TodoSource: AnyObject {
    /// The next to-do, nil at the end.
    func next() throws(FormatError) -> TodoDraft?
}

/// Reads a small task format as batches of `TodoItem`.
final class TodoDraftReader: RecordReader {
    var schema: Schema { TodoClass.schema }

    private let source: any TodoSource
    private let context: ExchangeContext
    private let minter = TodoIdentity.minter()
    private var record = 0

    init(_ source: any TodoSource, context: ExchangeContext) {
        self.source = source
        self.context = context
    }

    func next(into batch: RecordBatch) throws(FormatError) -> Bool {
        batch.begin(class: 0)
        guard let columns = TodoColumns(batch) else {
            throw FormatError(.defect, "the batch is not of the class TodoItem")
        }
        while batch.rowCount < 1000, let draft = try source.next() {
            record += 1
            context.report.read += 1
            if batch.rowCount == 0 { batch.firstRecord = record }
            var uid = draft.uid ?? ""
            var instance = draft.recurrenceID?.local
            let id = uid.withUTF8 { uid in
                let uid = UnsafeRawBufferPointer(uid)
                return instance?.withUTF8 {
                    minter.id(uid: uid, recurrence: UnsafeRawBufferPointer($0))
                } ?? minter.id(uid: uid)
            }
            if minter.isRepeat {
                context.report.note(
                    .changed, "duplicate-key", record: record, property: "UID", value: uid,
                    action: "a further record of the same UID got an id of its own")
            }
            draft.append(to: columns, id: id)
        }
        return batch.rowCount > 0
    }
}

/// UIDs for formats whose records have none: 24 hex digits derived from the content, which are
/// then the id as well.
struct TodoUIDs {
    private let minter = TodoIdentity.minter()

    /// Gives a draft a UID when it has none.
    func assign(_ draft: inout TodoDraft) {
        guard draft.uid == nil else { return }
        var hash = minter.content()
        for text in [
            draft.title, draft.notes, draft.start?.local, draft.due?.local, draft.created?.local,
            draft.parent,
        ] {
            if let text { hash.add(text) }
            hash.add(0 as UInt8)
        }
        for category in draft.categories {
            hash.add(category)
            hash.add(0 as UInt8)
        }
        for recurrence in draft.recurrence {
            hash.add(recurrence)
            hash.add(0 as UInt8)
        }
        draft.uid = TodoUIDs.text(of: minter.id(content: hash))
    }

    /// An id as a UID.
    static func text(of id: ObjectID) -> String {
        let out = RawVector<UInt8>(capacity: 24)
        defer { out.destroy() }
        ScalarText.write(id, to: out)
        return String(decoding: out.elements, as: UTF8.self)
    }
}

extension Array where Element == TodoDraft {
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

/// Collects rows as drafts for formats that must see all of them, and says what they cannot hold.
final class TodoLosses {
    private let context: ExchangeContext

    /// What is lost in writing has no place in the output: notes name the record alone.
    init(context: ExchangeContext) { self.context = context }

    /// Notes what is lost of a to-do, property by property.
    func note(_ code: String, _ property: String, _ value: String?, record: Int, action: String) {
        context.report.note(
            .lost, code, record: record, property: property, value: value,
            action: action)
    }

    /// Notes every field of a draft that is set and not among those the format holds.
    func check(_ draft: TodoDraft, holds: Set<String>, record: Int, format: String) {
        func lose(_ property: String, _ code: String, _ value: String?, _ isThere: Bool) {
            guard isThere, !holds.contains(property) else { return }
            note(
                code, property, value, record: record, action: "\(format) has no place for it")
        }
        lose("notes", "notes-dropped", draft.notes, draft.notes?.isEmpty == false)
        lose("start", "start-dropped", draft.start?.local, draft.start != nil)
        lose("due", "due-dropped", draft.due?.local, draft.due != nil)
        lose(
            "percent", "percent-dropped", draft.percent.map { String($0) },
            (draft.percent ?? 0) != 0 && !(draft.isDone && draft.percent == 100))
        lose(
            "priority", "priority-dropped", draft.priority.map { String($0) },
            (draft.priority ?? 0) != 0)
        lose("duration", "duration-dropped", draft.duration, draft.duration != nil)
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
            draft.classification != nil && draft.classification?.uppercased() != "PUBLIC")
        lose(
            "components", "alarm-dropped", draft.components.first.map { String($0.prefix(40)) },
            !draft.components.isEmpty)
        lose("created", "created-dropped", draft.created?.local, draft.created != nil)
        lose("modified", "modified-dropped", draft.modified?.local, draft.modified != nil)
        lose("completed", "completed-dropped", draft.completed?.local, draft.completed != nil)
        lose("status", "cancelled-dropped", draft.status, draft.isCancelled)
        lose("relations", "parent-dropped", draft.parent, draft.parent != nil)
        lose(
            "relations", "relation-dropped", draft.relations.first?.uid,
            draft.parent == nil && !draft.relations.isEmpty)
        for extra in draft.extras where !holds.contains(extra.name) {
            note(
                "line-dropped", extra.name, extra.value, record: record,
                action: "\(format) has no place for it")
        }
    }
}
