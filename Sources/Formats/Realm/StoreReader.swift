// Delivers the rows of a store, some thousand at a time, and saves what is whole around what is
// broken: rows that cannot be read are counted and set aside, and reading goes on behind them.

/// Reads the rows of a store, class after class, in key order.
public final class StoreReader: RecordReader {
    /// All classes.
    public let schema: Schema
    /// Takes the notes.
    public let context: ExchangeContext

    private let store: Store
    private let rows: RowReader
    private let session: ReadSession
    private let classes: [Int]
    /// The next place in `classes`.
    private var next = 0
    private var cursor: RowCursor?
    /// Ranges of the current chunk that are still to be read, the first one last.
    private var pending: [Range<Int>] = []
    private var lastKey: Int64?
    /// Rows of the current class that were delivered or set aside.
    private var seen = 0
    private var record = 1
    private var rowsSetAside = 0
    /// Bytes read since pages of the file were handed back last.
    private var touched = 0

    private static let batchRows = 1024
    /// The bytes after which a batch is handed on, and those one attempt may take.
    private static let batchBytes = 1 << 20
    private static let portion = 16 << 20

    init(
        _ store: Store, classes: [Int]?, wanted: ((ClassSchema, Property) -> Bool)?,
        context: ExchangeContext
    ) {
        self.store = store
        self.context = context
        schema = store.schema
        session = ReadSession(NodeGate(store.image), tables: store.plans.map(\.tableKey))
        let all = store.schema.classes
        rows = RowReader(
            session, schema: store.schema, plans: store.plans,
            wanted: all.map { definition in
                definition.properties.map { wanted?(definition, $0) ?? true }
            })
        if store.facts.isTruncated {
            context.report.note(
                .guessed, "truncated-file", source: store.path,
                action: "the file has \(store.facts.fileSize) of \(store.facts.logicalSize) bytes; "
                    + "what is there was read")
        }
        self.classes = (classes ?? Array(all.indices)).filter {
            all.indices.contains($0) && all[$0].kind != .embedded
        }
    }

    /// Fills the batch with rows of one class; false at the end. What cannot be read is set aside
    /// and counted in the report.
    public func next(into batch: RecordBatch) throws(FormatError) -> Bool {
        while true {
            if cursor == nil {
                guard next < classes.count else {
                    batch.removeAll()
                    noteLosses()
                    return false
                }
                begin(classes[next])
            }
            let index = classes[next]
            batch.begin(class: index)
            batch.firstRecord = record
            rows.mark(batch.columns, class: index)
            let isLast = fill(batch, class: index)
            record += batch.rowCount
            context.report.read += batch.rowCount
            if touched > StoreReader.portion {
                store.image.releasePages()
                touched = 0
            }
            if isLast {
                finish(index)
                cursor = nil
                next += 1
            }
            if batch.rowCount > 0 { return true }
        }
    }

    private func begin(_ index: Int) {
        let plan = store.plans[index]
        cursor = RowCursor(session, plan, wanted: rows.wanted[index])
        pending = []
        lastKey = nil
        seen = 0
        rowsSetAside = 0
        if let error = plan.damage { setAside(max(plan.rowCount, 1), index, error) }
    }

    /// Reads chunks until the batch is full; true at the end of the class.
    private func fill(_ batch: RecordBatch, class index: Int) -> Bool {
        let plan = store.plans[index]
        var used = 0
        while batch.rowCount < StoreReader.batchRows, used < StoreReader.batchBytes {
            if pending.isEmpty {
                do throws(FormatError) {
                    guard try advance() else { return true }
                } catch {
                    setAside(0, index, error)
                    continue
                }
            }
            guard let range = pending.popLast(), let chunk = cursor?.chunk else { continue }
            let mark = batch.rowCount
            let visits = session.gate.visitsLeft
            let hollow = session.gate.hollowLeft
            let embedded = rows.embeddedLeft
            let limit =
                range.count > 1
                ? StoreReader.portion : StoreReader.portion + 8 * store.image.bytes.count
            session.room = limit
            do throws(FormatError) {
                try rows.read(range, of: chunk, plan, into: batch.columns)
                chunk.appendKeys(range, to: batch.keys)
                batch.closeRows(range.count)
                seen += range.count
                used += limit - session.room
                touched += limit - session.room
            } catch {
                batch.truncate(to: mark)
                session.gate.visitsLeft = visits
                session.gate.hollowLeft = hollow
                rows.embeddedLeft = embedded
                if range.count == 1 || (session.isOpeningLeaf && error.code != .limitExceeded) {
                    setAside(range.count, index, error)
                } else {
                    let middle = range.lowerBound + range.count / 2
                    pending.append(middle..<range.upperBound)
                    pending.append(range.lowerBound..<middle)
                    // What was read so far is handed on first.
                    if error.code == .limitExceeded, mark > 0 { return false }
                }
            }
        }
        return false
    }

    /// Moves to the next chunk of the class.
    private func advance() throws(FormatError) -> Bool {
        guard var moving = cursor.take() else { return false }
        defer { cursor = moving }
        guard try moving.advance(), let chunk = moving.chunk else { return false }
        // Keys ascend within a leaf and from leaf to leaf.
        guard let last = chunk.lastKey(after: lastKey) else {
            seen += chunk.count
            rowsSetAside += chunk.count
            let at = (chunk as? Cluster)?.node.ref ?? 0
            throw session.gate.damage(at, "the object keys of a leaf do not ascend")
        }
        lastKey = last
        pending = [0..<chunk.count]
        return true
    }

    // MARK: Notes

    private func setAside(_ count: Int, _ index: Int, _ error: FormatError) {
        seen += count
        rowsSetAside += count
        context.report.setAside += count
        note(max(count, 1), index, error)
    }

    private func note(_ count: Int, _ index: Int, _ error: FormatError) {
        let details = error.details
        let name = schema.classes[index].name
        context.report.note(
            .setAside, error.code == .limitExceeded ? "limit-exceeded" : "damaged-rows",
            source: store.path, record: record,
            property: details.property.map { "\(name).\($0)" } ?? name, count: count,
            action: error.details.message)
    }

    /// Compares what came with what the file states.
    private func finish(_ index: Int) {
        let missing = store.plans[index].rowCount - seen
        guard missing > 0, store.plans[index].damage == nil else { return }
        context.report.setAside += missing
        note(
            missing, index,
            FormatError(
                .damaged,
                "the class states \(store.plans[index].rowCount) rows, \(missing) more than "
                    + "can be found", file: store.path))
    }

    private func noteLosses() {
        func note(_ count: inout Int, _ code: String, _ action: String) {
            if count > 0 {
                context.report.note(
                    .changed, code, source: store.path, count: count, action: action)
            }
            count = 0
        }
        note(
            &session.unresolvedLinks, "unresolved-link",
            "links to deleted objects read as null, and are left out of lists and sets")
        note(
            &session.danglingLinks, "dangling-link",
            "links to objects or tables that are not there read as null")
        note(
            &session.foreignValues, "dictionary-value-type",
            "dictionary values of another type than declared read as null")
        note(
            &session.lostDates, "mixed-date-lost",
            "dates inside mixed values were lost when the file was exported; they read as null")
        note(
            &session.miscountedLists, "list-miscounted",
            "lists whose inner nodes miscount their elements were read leaf by leaf")
        note(
            &session.farDates, "dates-maybe-milliseconds",
            "dates after the year 5000 were kept as stored; realm-js wrote milliseconds there")
        var renamed = store.renamedColumns
        note(
            &renamed, "column-renamed",
            "columns without a name of their own were called col_N or NAME_N")
    }
}
