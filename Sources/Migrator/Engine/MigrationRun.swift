// One migration of one store, checked or carried out: both go through the same stages. The result
// is written beside, verified, and only then given its name. In place, undo and the journal are
// built on top of this.

public import Formats

/// A migration of a store by a plan.
///
/// ```swift
/// let run = MigrationRun(plan, store: try Store.open("old.realm"))
/// let found = try run.check()
/// if !found.needsDecision { _ = try run.write(to: "new.realm") }
/// ```
public struct MigrationRun {
    /// The plan.
    public let plan: MigrationPlan
    /// The schema version to reach; nil for the plan's last.
    public var target: UInt64?
    /// Options, and the report that counts rows read and written.
    public var context: ExchangeContext
    /// Called with each row that is kept out.
    public var onReject: ((RejectedRow) -> Void)?
    /// Called with the number of rows moved so far.
    public var progress: ((Int) -> Void)?
    /// Called with the outcome of all rows before the result takes its name; throws to refuse it.
    public var beforeNaming: ((MigrationReport) throws(FormatError) -> Void)?
    /// Called with the bytes of the result while they are proven and flushed, on a thread of its
    /// own.
    var whileFlushing: ((InputBytes) -> Void)?
    /// False to write all rows one by one, whatever the plan; for comparing the two ways.
    package var carriesNodes = true

    private let store: Store?
    private let schema: Schema
    private let fileFormat: Int?
    private let open: (Set<Int>?, ExchangeContext) throws(FormatError) -> any RecordReader

    /// A migration of an opened store of any file format.
    public init(
        _ plan: MigrationPlan, store: Store, context: ExchangeContext = ExchangeContext()
    ) {
        self.plan = plan
        self.context = context
        self.store = store
        schema = store.schema
        fileFormat = store.fileFormat
        open = { (classes, context) throws(FormatError) in
            store.makeReader(classes: classes?.sorted(), context: context)
        }
    }

    /// A migration of rows that can be read several times.
    package init(
        _ plan: MigrationPlan, schema: Schema, context: ExchangeContext = ExchangeContext(),
        open: @escaping () throws(FormatError) -> any RecordReader
    ) {
        self.plan = plan
        self.context = context
        store = nil
        self.schema = schema
        fileFormat = nil
        self.open = { (_, _) throws(FormatError) in try open() }
    }

    /// The schema version of the store; one without counts as 0.
    public var version: UInt64 { schema.version == .max ? 0 : schema.version ?? 0 }

    /// The classes the migration leads to.
    /// - Throws: what is wrong with the plan for this store.
    public func outputSchema() throws(FormatError) -> Schema {
        try chain(MigrationLog(), context).output
    }

    private func chain(_ log: MigrationLog, _ context: ExchangeContext) throws(FormatError)
        -> MigrationChain
    {
        let steps = try plan.steps(from: version, to: target)
        let first = steps.first.flatMap { step in plan.steps.firstIndex { $0.from == step.from } }
        let base = BaseSource(schema: schema) { (classes, counting) throws(FormatError) in
            // Passes that only look ahead count nothing.
            try open(classes, counting ? context : ExchangeContext(options: context.options))
        }
        return try MigrationChain(
            steps.enumerated().map { ((first ?? 0) + $0, $1) }, base: base,
            version: target ?? plan.lastVersion, log: log)
    }

    /// Reads every row through every rule and writes nothing.
    /// - Throws: what is wrong with the plan for this store, and what reading throws.
    public func check() throws(FormatError) -> MigrationReport {
        let log = MigrationLog()
        log.onReject = onReject
        let chain = try chain(log, context)
        let setAside = context.report.setAside
        let stream = try chain.open()
        var total = 0
        while let batch = try stream.next() {
            total += batch.rowCount
            progress?(total)
        }
        chain.checkExpectations()
        chain.refuseUnread(context.report.setAside - setAside)
        return report(chain)
    }

    /// Writes the migrated store: beside its path first, verified, then under its name.
    ///
    /// When a decision is missing nothing is written, and the report says so.
    /// - Throws: what is wrong with the plan for this store, what reading and writing throw, and
    ///   `defect` when the result is not what it should be; nothing is left behind then.
    public func write(to path: String) throws(FormatError) -> MigrationReport {
        let log = MigrationLog()
        let chain = try chain(log, context)
        if let store, carriesNodes,
            let carrier = chain.carrier(of: store, options: context.options)
        {
            // Its notes count once the result holds.
            var attempt = self
            attempt.context = ExchangeContext(options: context.options)
            do throws(FormatError) {
                var result = try attempt.write(to: path, by: .carrying(carrier))
                result.isCarried = result.isWritten
                context.report.take(attempt.context.report)
                return result
            } catch  where error.code == .defect {
                // What was wrong in the old store came along, an index perhaps: rows that are
                // written one by one leave it behind.
            } catch {
                context.report.take(attempt.context.report)
                throw error
            }
        }
        return try write(to: path, by: .rows)
    }

    /// How the rows come into the new store.
    private enum Way {
        /// One by one.
        case rows
        /// As the nodes they stand in; they are read all the same, for what they tell.
        case carrying(StoreCarrier)
    }

    private func write(to path: String, by way: Way) throws(FormatError) -> MigrationReport {
        let log = MigrationLog()
        log.onReject = onReject
        let chain = try chain(log, context)
        let setAside = context.report.setAside
        let stream = try chain.open()
        let file = try OutputFile.create(path, force: context.options.force)
        var writer: StoreWriter?
        switch way {
        case .rows: writer = try StoreWriter.begin(file, schema: chain.output, context: context)
        case .carrying(let carrier): context.report.take(carrier.report)
        }
        let pass = { () throws(FormatError) in
            var total = 0
            while let batch = try stream.next() {
                if let writer {
                    // The rest is read for what it tells; the result will not be named.
                    if !log.needsDecision { try writer.write(batch) }
                } else {
                    context.report.written += batch.rowCount
                }
                total += batch.rowCount
                progress?(total)
            }
        }
        if case .carrying(let carrier) = way {
            // The other thread knows the carrier and the file, which nobody else looks at meanwhile.
            try inParallel(pass) { () throws(FormatError) in try carrier.write(to: file) }
        } else {
            try pass()
        }
        chain.checkExpectations()
        chain.refuseUnread(context.report.setAside - setAside)
        var result = report(chain)
        count(log)
        if result.needsDecision { return result }
        let key = context.options.outputKey
        let isModern = context.options.extra["file-format"] == nil
        let look = whileFlushing
        file.whileFlushing = { (input) throws(FormatError) in
            let written = try Store.open(input, options: StoreOptions(key: key))
            try inParallel { () throws(FormatError) in
                try Verification(chain).verify(written, checksAll: isModern)
            } _: { () throws(FormatError) in
                look?(input)
            }
        }
        file.beforeNaming = { [beforeNaming, result] () throws(FormatError) in
            try beforeNaming?(result)
        }
        if let writer { try writer.finish() } else { try file.finish() }
        result.isWritten = true
        return result
    }

    /// Lets the numbers of the report add up: what was read was written, set aside, or went.
    private func count(_ log: MigrationLog) {
        let report = context.report
        report.setAside += log.rejectedRows
        let rest =
            report.read - report.written - report.setAside - report.skipped - report.merged
        if rest > 0 { report.skipped += rest }
    }

    private func report(_ chain: MigrationChain) -> MigrationReport {
        let text = (try? plan.json().line) ?? plan.lines.joined(separator: "\n")
        var report = MigrationReport(
            plan: plan.name, planHash: Verification.hash(text), from: version,
            to: target ?? plan.lastVersion, fileFormat: fileFormat)
        for step in (try? plan.steps(from: version, to: target)) ?? [] {
            let position = plan.steps.firstIndex { $0.from == step.from } ?? 0
            report.lines += step.changes.map { (position, $0.line) }
            for change in step.changes { change.json?.gatherZones(&report.zones) }
        }
        report.contentBefore = chain.before.text
        report.contentAfter = chain.after.text
        report.classes = Verification(chain).counts()
        report.findings = chain.log.findings
        report.rejected = chain.log.rejectedRows
        return report
    }
}

extension PlanJSON {
    /// The time zones that converters inside name.
    fileprivate func gatherZones(_ zones: inout [String]) {
        switch self {
        case .array(let elements): for element in elements { element.gatherZones(&zones) }
        case .object(let members):
            if members.contains(where: { $0.name == "parseDate" || $0.name == "formatDate" }) {
                var zone = "UTC"
                for member in members where member.name == "zone" {
                    if case .string(let name) = member.value { zone = name }
                }
                if !zones.contains(zone) { zones.append(zone) }
            }
            for member in members { member.value.gatherZones(&zones) }
        default: break
        }
    }
}
