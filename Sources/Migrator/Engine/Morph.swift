// How the columns of one class become those of another: most are shown under their new name and
// not touched, some are worked out. Embedded objects pass through the same way, inside the rows
// that own them.

internal import Formats

/// Where a column of a class comes from.
enum ColumnSource {
    /// The column at this position before, as it is.
    case view(Int)
    /// Worked out, batch by batch.
    case made(any ColumnMaker)

    var viewed: Int? { if case .view(let i) = self { i } else { nil } }
}

/// Works out one column of a batch.
protocol ColumnMaker: AnyObject {
    /// Fills an empty column of the new property, one value a row of the batch.
    func fill(_ column: Column, from batch: RecordBatch, _ pass: MorphPass) throws(FormatError)
}

/// A maker that works row by row; columns are left to it.
final class RowMaker: ColumnMaker {
    typealias Body = (Column, RecordBatch, Int, MorphPass) throws(FormatError) -> Void
    private let body: Body
    init(_ body: @escaping Body) { self.body = body }

    func fill(_ column: Column, from batch: RecordBatch, _ pass: MorphPass) throws(FormatError) {
        for row in 0..<batch.rowCount { try body(column, batch, row, pass) }
    }
}

/// A maker for a whole batch.
final class BatchMaker: ColumnMaker {
    typealias Body = (Column, RecordBatch, MorphPass) throws(FormatError) -> Void
    private let body: Body
    init(_ body: @escaping Body) { self.body = body }

    func fill(_ column: Column, from batch: RecordBatch, _ pass: MorphPass) throws(FormatError) {
        try body(column, batch, pass)
    }
}

/// How rows of one class become rows of one class.
struct ClassMorph {
    /// The class afterwards.
    var output: Int
    /// One source a property of that class.
    var columns: [ColumnSource]
    /// The rows that go this way; nil for all.
    var filter: ((RecordBatch, Int) -> Bool)?
    /// Added to each object key.
    var keyShift: Int64 = 0
}

/// The work on one batch: which rows were kept out, and whom to tell.
final class MorphPass {
    let batch: RecordBatch
    let log: StageLog?
    private let owner: MorphPass?
    /// The row of the owner's batch that holds an embedded row.
    private let ownerRow: ((Int) -> Int)?
    /// One flag a row once one is kept out.
    private(set) var rejected: [Bool] = []

    init(
        _ batch: RecordBatch, _ log: StageLog?, owner: MorphPass? = nil,
        ownerRow: ((Int) -> Int)? = nil
    ) {
        self.batch = batch
        self.log = log
        self.owner = owner
        self.ownerRow = ownerRow
    }

    func isRejected(_ row: Int) -> Bool { !rejected.isEmpty && rejected[row] }

    /// Keeps a row out without a word, since its embedded object was.
    func drop(_ row: Int) {
        if rejected.isEmpty { rejected = Array(repeating: false, count: batch.rowCount) }
        rejected[row] = true
    }

    /// What a row is called.
    private func key(_ row: Int) -> String {
        if let owner, let ownerRow { return owner.key(ownerRow(row)) }
        return batch.keyText(row)
    }

    private func outermost(_ row: Int) -> (MorphPass, Int) {
        if let owner, let ownerRow { return owner.outermost(ownerRow(row)) }
        return (self, row)
    }

    /// Keeps a row out and lists it; a second reason of the same row is not counted.
    func reject(_ row: Int, _ code: String, property: String?, reason: String) {
        if isRejected(row) { return }
        drop(row)
        guard let log else { return }
        let (pass, outer) = outermost(row)
        if pass !== self {
            if pass.isRejected(outer) { return }
            pass.drop(outer)
            log.note(
                .rejected, code, pass.batch, outer, property: property,
                value: property.flatMap { batch.column($0)?.value(row).text(limit: 60) },
                reason: reason)
            return
        }
        log.note(.rejected, code, batch, row, property: property, reason: reason)
    }

    /// Counts what a rule took care of, or what needs one.
    func note(
        _ kind: MigrationFinding.Kind, _ code: String, _ row: Int, property: String?,
        value: String? = nil, reason: String = "", fix: String? = nil
    ) {
        guard let log else { return }
        log.note(
            kind, code, batch, row, property: property, value: value, reason: reason,
            key: owner == nil ? nil : key(row), fix: fix)
    }
}

/// Turns batches of one schema into batches of the next.
final class BatchMorpher {
    private let plans: [[ClassMorph]]
    private let output: Schema
    private static let depthLimit = 1000

    init(plans: [[ClassMorph]], output: Schema) {
        self.plans = plans
        self.output = output
    }

    /// The batches a batch becomes, rows kept out left away.
    func morph(_ batch: RecordBatch, _ log: StageLog?) throws(FormatError) -> [RecordBatch] {
        var result: [RecordBatch] = []
        for plan in plans[batch.classIndex] {
            let pass = MorphPass(batch, log)
            let whole = try morph(batch, plan, pass, depth: 0)
            whole.keys.append(contentsOf: batch.keys.elements)
            if plan.keyShift != 0 {
                for i in 0..<whole.keys.count {
                    let (sum, isTooLarge) = whole.keys[i].addingReportingOverflow(plan.keyShift)
                    if isTooLarge {
                        throw FormatError(.limitExceeded, "object keys beyond 64 bits")
                    }
                    whole.keys[i] = sum
                }
            }
            let kept = keep(whole, batch, plan, pass)
            if kept.rowCount > 0 { result.append(kept) }
        }
        return result
    }

    /// The rows that go this way and were not kept out.
    private func keep(
        _ whole: RecordBatch, _ batch: RecordBatch, _ plan: ClassMorph, _ pass: MorphPass
    ) -> RecordBatch {
        if plan.filter == nil, pass.rejected.isEmpty { return whole }
        var ranges: [Range<Int>] = []
        var begin: Int?
        for row in 0..<batch.rowCount {
            let stays = !pass.isRejected(row) && (plan.filter?(batch, row) ?? true)
            if stays {
                if begin == nil { begin = row }
            } else if let first = begin {
                ranges.append(first..<row)
                begin = nil
            }
        }
        if let first = begin { ranges.append(first..<batch.rowCount) }
        if ranges == [0..<batch.rowCount] { return whole }
        let kept = RecordBatch(schema: output, classIndex: plan.output)
        kept.firstRecord = batch.firstRecord
        for range in ranges { kept.append(rows: range, of: whole) }
        return kept
    }

    private func morph(
        _ batch: RecordBatch, _ plan: ClassMorph, _ pass: MorphPass, depth: Int
    ) throws(FormatError) -> RecordBatch {
        guard depth < BatchMorpher.depthLimit else {
            throw FormatError(
                .limitExceeded,
                "embedded objects are nested deeper than \(BatchMorpher.depthLimit) levels")
        }
        let definition = output.classes[plan.output]
        var columns: [Column] = []
        columns.reserveCapacity(definition.properties.count)
        for (property, source) in zip(definition.properties, plan.columns) {
            switch source {
            case .view(let i):
                columns.append(
                    try show(batch.columns[i], as: property, of: batch, pass, depth: depth))
            case .made(let maker):
                let column = Column(property, schema: output)
                try maker.fill(column, from: batch, pass)
                columns.append(column)
            }
        }
        return RecordBatch(
            schema: output, classIndex: plan.output, columns: columns, rowCount: batch.rowCount,
            firstRecord: batch.firstRecord)
    }

    /// A column under its new property; its embedded objects pass through their own changes.
    func show(
        _ column: Column, as property: Property, of batch: RecordBatch, _ pass: MorphPass,
        depth: Int
    ) throws(FormatError) -> Column {
        let values = column.elements ?? column
        guard values.layout == .object, values.type == .link, values.count > 0 else {
            return Column(viewing: column, as: property, schema: output)
        }
        let child = values.child
        guard child.rowCount > 0, let plan = plans[child.classIndex].first else {
            return Column(viewing: column, as: property, schema: output)
        }
        let inner = MorphPass(
            child, pass.log, owner: pass,
            ownerRow: { BatchMorpher.owner(of: $0, in: column) })
        let children = try morph(child, plan, inner, depth: depth + 1)
        if !inner.rejected.isEmpty {
            for row in 0..<child.rowCount where inner.rejected[row] {
                pass.drop(BatchMorpher.owner(of: row, in: column))
            }
        }
        return Column(viewing: column, as: property, schema: output, children: children)
    }

    /// The row that holds an embedded row.
    private static func owner(of row: Int, in column: Column) -> Int {
        let values = column.elements ?? column
        var low = 0
        // Embedded rows stand in the order of their owners; nulls hold no row.
        while low < values.count, values.nulls[low] != 0 || values.words[low] != Int64(row) {
            low += 1
        }
        guard column.elements != nil else { return min(low, max(column.count - 1, 0)) }
        var owner = 0
        while owner + 1 < column.count, column.ends[owner] <= low { owner += 1 }
        return owner
    }
}
