// The joined rows of an import: stored rows in their order, changed where the import changes them,
// then the new rows of the class.

final class ImportReader: RecordReader {
    let schema: Schema

    private let importer: Importer
    private let source: any RecordReader
    let context: ExchangeContext
    /// The class whose rows are being delivered.
    private(set) var current = 0
    /// Stored rows of it delivered so far.
    private var delivered = 0
    /// New rows of it delivered so far.
    private var deliveredNew = 0
    /// Incoming rows that are kept beside the stored ones they match.
    private var kept: [Int] = []
    private var deliveredKept = 0
    /// A copy of a batch with matches, while the batch is rebuilt.
    private let spare: RecordBatch
    /// One row each, by turns: the incoming row carried over, and what it was carried over.
    private let first: RecordBatch
    private let second: RecordBatch

    /// Rows of the batch in hand that the import may change.
    private let matched = RawVector<Int32>()

    private static let batchRows = 2048

    deinit { matched.destroy() }

    init(_ importer: Importer, _ source: any RecordReader) {
        self.importer = importer
        self.source = source
        schema = importer.schema
        context = importer.context
        spare = RecordBatch(schema: schema)
        first = RecordBatch(schema: schema)
        second = RecordBatch(schema: schema)
    }

    func next(into batch: RecordBatch) throws(FormatError) -> Bool {
        while current < schema.classes.count {
            if delivered < importer.storedCounts[current] {
                guard try source.next(into: batch), batch.classIndex == current,
                    batch.rowCount <= importer.storedCounts[current] - delivered
                else {
                    throw FormatError(
                        .changedWhileReading,
                        "the store has other rows than a moment ago; it was changed meanwhile",
                        fix: "close the program that uses it, and try again")
                }
                try change(batch)
                delivered += batch.rowCount
                return true
            }
            if let it = importer.classes[current], try appendNew(it, to: batch) { return true }
            current += 1
            delivered = 0
            deliveredNew = 0
            deliveredKept = 0
            kept = []
        }
        batch.begin(class: 0)
        if importer.followed > 0 {
            context.report.note(
                .changed, "links-followed", count: importer.followed,
                action: "members, relations and instances follow a record that has another UID now")
            importer.followed = 0
        }
        return false
    }

    // MARK: Stored rows

    private func change(_ batch: RecordBatch) throws(FormatError) {
        guard let it = importer.classes[current], it.rows.rowCount > 0 else { return }
        if let references = it.references { importer.followed += references.follow(batch) }
        if batch.keys.count < batch.rowCount {
            for row in batch.keys.count..<batch.rowCount {
                batch.keys.append(Int64(delivered + row))
            }
        }
        let policy = importer.options.onMatch
        // Rows that say nothing new are passed over without being touched.
        let mayCompare = policy != .replace || it.transfer.isVerbatim
        let gaps = ImportReader.leavesUnsaid(policy) ? it.gaps : nil
        matched.removeAll()
        for row in 0..<batch.rowCount {
            let incoming = it.firstByKey[batch.keys[row]]
            if incoming < 0 { continue }
            if mayCompare, it.next[Int(incoming)] < 0,
                it.transfer.isSame(Int(incoming), of: it.rows, as: batch, row, gaps: gaps)
            {
                context.report.skipped += 1
            } else {
                matched.append(Int32(truncatingIfNeeded: row))
            }
        }
        if matched.isEmpty { return }
        spare.begin(class: current)
        spare.append(rows: 0..<batch.rowCount, of: batch)
        let echoes = gaps == nil ? nil : try echoes(it)
        batch.begin(class: current)
        var from = 0
        for row in matched.elements.lazy.map(Int.init) {
            batch.append(rows: from..<row, of: spare)
            from = row + 1
            var result = (batch: spare, row: row)
            var chain = it.firstByKey[spare.keys[row]]
            var echo = echoes?.rows[row]
            while chain >= 0 {
                result = try apply(it, Int(chain), to: result, echo)
                chain = it.next[Int(chain)]
                if chain >= 0, let echoes { echo = echoes.again(result, row) }
            }
            batch.keys.append(spare.keys[row])
            for (column, source) in zip(batch.columns, result.batch.columns) {
                column.append(result.row, of: source)
            }
            batch.closeRow()
        }
        batch.append(rows: from..<spare.rowCount, of: spare)
    }

    /// What the sources of the rows that come in would say of the stored ones.
    private func echoes(_ it: ImportClass) throws(FormatError) -> StoredEchoes? {
        let sources = matched.elements.map { row in
            (Int(row), it.gaps.echo(Int(it.firstByKey[spare.keys[Int(row)]])))
        }
        guard sources.contains(where: { $0.1 != nil }), it.hasContactsOf(sources.map(\.1))
        else { return nil }
        try importer.findGroups?(spare)
        var echoes = StoredEchoes(spare, sources)
        let edited = echoes.rows.filter { row, echo in
            let incoming = Int(it.firstByKey[spare.keys[row]])
            return !edits(it, incoming, RowPlace(spare, row), echo).isEmpty
        }
        echoes.trace(edited.keys.sorted(), spare)
        return echoes
    }

    /// What an incoming row says otherwise than its source would say of the stored one.
    private func edits(
        _ it: ImportClass, _ incoming: Int, _ stored: RowPlace, _ echo: StoredEchoes.Row
    ) -> EchoEdits {
        let isMade = it.transfer.hasMadeUID(incoming, of: it.rows)
        return echo.edits(
            stored, RowPlace(it.rows, incoming), ignoring: it.transfer.unsaid(isMade))
    }

    /// What a row is after an incoming one was applied to it.
    private func apply(
        _ it: ImportClass, _ incoming: Int, to base: (batch: RecordBatch, row: Int),
        _ echo: StoredEchoes.Row? = nil
    ) throws(FormatError) -> (batch: RecordBatch, row: Int) {
        var merge: EchoMerge?
        if let echo, echo.echo === it.gaps.echo(incoming) {
            let stored = RowPlace(base.batch, base.row)
            let edits = self.edits(it, incoming, stored, echo)
            if edits.isEmpty {
                context.report.skipped += 1
                return base
            }
            merge = echo.traces(stored).map { EchoMerge(edits, $0) }
        }
        let scratch = base.batch === first ? second : first
        let policy = importer.options.onMatch
        scratch.begin(class: current)
        // What lacks a value that it must have can only be compared in what it says.
        let leavesUnsaid =
            ImportReader.leavesUnsaid(policy)
            || policy != .replace && it.gaps.missing(incoming) != nil
        if let refusal = it.transfer.append(
            incoming, of: it.rows, to: scratch, base: base, replaces: policy == .replace,
            gaps: leavesUnsaid ? it.gaps : nil, merge: merge, targets: importer)
        {
            setAside(it, incoming, refusal)
            return base
        }
        if RowComparison.isSameContent(base, (scratch, 0)) {
            context.report.skipped += 1
            return base
        }
        switch policy {
        case .update, .replace:
            context.report.merged += 1
            noteKey(it, incoming, base)
            noteReplaced(it, incoming, base, (scratch, 0))
            return (scratch, 0)
        case .skip:
            context.report.skipped += 1
            return base
        case .newest:
            guard RowComparison.isNewer((scratch, 0), than: base) else {
                context.report.skipped += 1
                return base
            }
            context.report.merged += 1
            noteKey(it, incoming, base)
            noteReplaced(it, incoming, base, (scratch, 0))
            return (scratch, 0)
        case .keepBoth:
            if !it.isKeptAlready.isEmpty, it.isKeptAlready[incoming] {
                context.report.skipped += 1
            } else {
                kept.append(incoming)
            }
            return base
        case .fail:
            throw FormatError(
                .duplicateKey, "this row is in the store already, with other content",
                record: it.recordNumber(incoming), recordName: schema.classes[current].name,
                fix: "choose --on-match update, skip, replace, newest or keep-both")
        }
    }

    /// True for policies that leave what the source does not say.
    private static func leavesUnsaid(_ policy: OnMatch) -> Bool {
        policy != .replace && policy != .keepBoth
    }

    private func setAside(_ it: ImportClass, _ row: Int, _ refusal: ImportTransfer.Refusal) {
        let text = it.gaps.text(row)
        let reason = FormatError(
            .missingValue, "\(refusal.property) must have a value and has none", file: text?.file,
            record: it.recordNumber(row), recordName: schema.classes[current].name,
            property: refusal.property)
        (text?.bytes ?? []).withUnsafeBytes { bytes in
            guard let heading = text?.heading else { return context.setAside(bytes, reason) }
            heading.withUnsafeBytes { context.setAside(bytes, reason, heading: $0) }
        }
    }

    // MARK: New rows

    /// The next new rows that stand side by side and that nothing follows; nil for none.
    private func plainRun(_ it: ImportClass, _ limit: Int) -> Range<Int>? {
        let first = Int(it.newRows[deliveredNew])
        var count = 0
        while count < limit, deliveredNew + count < it.newRows.count,
            Int(it.newRows[deliveredNew + count]) == first + count, it.next[first + count] < 0,
            it.gaps.missingMembers(first + count).isEmpty,
            it.refused.isEmpty || it.refused[first + count] == nil
        {
            count += 1
        }
        return count > 0 ? first..<first + count : nil
    }

    private func appendNew(_ it: ImportClass, to batch: RecordBatch) throws(FormatError) -> Bool {
        batch.begin(class: current)
        while batch.rowCount < ImportReader.batchRows, deliveredNew < it.newRows.count {
            if it.transfer.isVerbatim,
                let run = plainRun(it, ImportReader.batchRows - batch.rowCount)
            {
                for (i, column) in batch.columns.enumerated() {
                    guard let from = it.transfer.routes[i]?.from else { continue }
                    column.append(run, of: it.rows.columns[from])
                }
                batch.keys.append(it.keys.base + run.lowerBound, count: run.count)
                batch.closeRows(run.count)
                deliveredNew += run.count
                context.report.written += run.count
                continue
            }
            let row = Int(it.newRows[deliveredNew])
            deliveredNew += 1
            batch.firstRecord = it.recordNumber(row)
            let start = batch.rowCount
            var refusal = it.refused[row].map { ImportTransfer.Refusal(property: $0) }
            if refusal == nil {
                refusal = it.transfer.append(
                    row, of: it.rows, to: batch, base: nil, replaces: true, targets: importer)
            }
            if let refusal {
                batch.truncate(to: start)
                setAside(it, row, refusal)
                // Rows that repeat its key go with it.
                var chain = it.next[row]
                while chain >= 0 {
                    setAside(it, Int(chain), refusal)
                    chain = it.next[Int(chain)]
                }
                continue
            }
            context.report.written += 1
            if it.next[row] >= 0 {
                // Rows of the same input that repeat the primary key change the new row.
                second.begin(class: current)
                second.append(rows: start..<batch.rowCount, of: batch)
                var result = (batch: second, row: 0)
                var chain = it.next[row]
                while chain >= 0 {
                    result = try apply(it, Int(chain), to: result)
                    chain = it.next[Int(chain)]
                }
                batch.truncate(to: start)
                for (column, source) in zip(batch.columns, result.batch.columns) {
                    column.append(result.row, of: source)
                }
                batch.closeRow()
            }
            batch.keys.append(it.keys[row])
        }
        while batch.rowCount < ImportReader.batchRows, deliveredNew == it.newRows.count,
            deliveredKept < kept.count
        {
            let row = kept[deliveredKept]
            deliveredKept += 1
            first.begin(class: current)
            let refusal = it.transfer.append(
                row, of: it.rows, to: first, base: nil, replaces: true, targets: importer)
            if let refusal {
                setAside(it, row, refusal)
                continue
            }
            let key = schema.classes[current].primaryKey
            for (i, column) in batch.columns.enumerated() {
                if schema.classes[current].properties[i].name == key, !it.otherKeys.isEmpty,
                    column.append(it.otherKeys[row])
                {
                    continue
                }
                column.append(0, of: first.columns[i])
            }
            batch.closeRow()
            batch.keys.append(try it.takeKey())
            context.report.written += 1
        }
        return batch.rowCount > 0
    }
}
