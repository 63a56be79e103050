// Drafts as rows: what every small task format's reader has in common. Ids and batches are here;
// what a record means is the format's.

/// Where a small task format's to-dos come from, one after the other.
protocol TodoSource: AnyObject {
    /// The next to-do, nil at the end.
    func next() throws(FormatError) -> TodoDraft?
    /// How coarse what it says is; nil where it can say what iCalendar can.
    var coarse: CoarseRows? { get }
    /// The record at a draft's place as it stands in the source; nil where that is not known.
    func text(at place: Int) -> RowText?
}

extension TodoSource {
    var coarse: CoarseRows? { nil }
    func text(at place: Int) -> RowText? { nil }
}

/// Reads a small task format as batches of `TodoItem`.
final class TodoDraftReader: RecordReader {
    var schema: Schema { TodoClass.schema }

    private let source: any TodoSource
    private let context: ExchangeContext
    private let minter = TodoIdentity.minter()
    private var record = 0
    private(set) var gaps = RowGaps()
    /// To-dos with a value that no store can hold are set aside.
    private let limitsValues: Bool

    init(_ source: any TodoSource, context: ExchangeContext, isForStore: Bool = false) {
        self.source = source
        self.context = context
        limitsValues = isForStore
    }

    func next(into batch: RecordBatch) throws(FormatError) -> Bool {
        batch.begin(class: 0)
        batch.isConverted = true
        guard let columns = TodoColumns(batch) else {
            throw FormatError(.defect, "the batch is not of the class TodoItem")
        }
        gaps = RowGaps()
        gaps.coarse = source.coarse
        while batch.rowCount < 1000, var draft = try source.next() {
            // Without a METHOD the stamp is the time of the last change (RFC 5545, 3.8.7.2). Every
            // to-do of a calendar has one, and a store does not know where its rows are from.
            if draft.stamp == nil {
                draft.stamp = stamp(draft)
                gaps.cells.append((batch.rowCount, TodoField.stamp.rawValue))
            }
            if draft.isStateAssumed {
                gaps.cells.append((batch.rowCount, TodoField.status.rawValue))
            }
            draft.keepStateOfSource()
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
                    action:
                        "a further record of the same UID, which it keeps, got an \"_id\" of its own"
                )
            }
            draft.append(to: columns, id: id)
            if limitsValues, draft.isLarge { refuse(draft, batch) }
        }
        return batch.rowCount > 0
    }

    /// Drops the to-do appended last where it has a value that no store can hold.
    private func refuse(_ draft: TodoDraft, _ batch: RecordBatch) {
        let row = batch.rowCount - 1
        guard let refusal = ValueLimit.refusal(of: row, in: batch) else { return }
        batch.truncate(to: row)
        let text = draft.place.flatMap { source.text(at: $0) }
        let reason = refusal.with {
            $0.file = text?.file
            $0.record = record
        }
        (text?.bytes ?? []).withUnsafeBytes { bytes in
            guard let heading = text?.heading else { return context.setAside(bytes, reason) }
            heading.withUnsafeBytes { context.setAside(bytes, reason, heading: $0) }
        }
    }

    /// The last moment that is known of a to-do, in universal time; where none is, always the same
    /// one, since the time of reading would make each output another one.
    private func stamp(_ draft: TodoDraft) -> TodoMoment {
        // A day, where only that is known.
        if draft.modified == nil, draft.completed == nil, let day = draft.created, day.isDay {
            return TodoMoment(local: day.day + "T00:00:00", tzid: "UTC")
        }
        let known = [draft.modified, draft.created, draft.completed].compactMap { $0 }
        for moment in known where !moment.isDay && moment.tzid != nil {
            let universal = moment.moved(to: "UTC", context.zoneLibrary)
            if universal.tzid == "UTC" { return universal }
        }
        for moment in known {
            // A day keeps its date.
            if moment.isDay { return TodoMoment(local: moment.day + "T00:00:00", tzid: "UTC") }
            if let seconds = moment.instant(context.zoneLibrary, floating: context.options.zone),
                let text = TodoMoment.localText(seconds)
            {
                return TodoMoment(local: text, tzid: "UTC")
            }
        }
        return TodoMoment(local: TodoFields.noStamp, tzid: "UTC")
    }
}
