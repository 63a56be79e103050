// The front door of the room: what an app calls at launch, and what the command calls. A store is
// migrated where it stands or into a new one; the work is for `MigrationRun`, what stands beside a
// store for `InPlaceStore`.

public import Formats

/// Upgrades stores to the schema version an app wants.
///
/// ```swift
/// let plan = MigrationPlan("to-do") {
///     MigrationStep(from: 0, to: 1) {
///         RenameProperty("Task.taskTitle", to: "title")
///         AddProperty("Task.priority", .int, value: 1)
///     }
/// }
/// let migrator = Migrator(plan)
/// if try migrator.needsMigration(storeAt: path) {
///     let report = try migrator.migrate(storeAt: path)
///     print(report.text)
/// }
/// // Only now is the store opened with Realm, with schemaVersion 1 and no migration block.
/// ```
///
/// Call it before the store is opened: a store that is open anywhere, in this process or another,
/// is refused with `held`. The result is written beside the store, proven, and takes its name in
/// one step; a crash or a full disk at any moment leaves the old store or the new one, whole. The
/// original stays beside it as `NAME.before-vN.realm` until `discardOriginal(storeAt:)`, and
/// `undo(storeAt:)` brings it back.
public struct Migrator: Sendable {
    /// How stores are read and written.
    public struct Options: Sendable {
        /// The 64 bytes of an encrypted store's key; the result is encrypted with it, too.
        public var key: [UInt8]?
        /// Another key for the result.
        public var outputKey: [UInt8]?
        /// The schema version to reach; nil for the plan's last.
        public var target: UInt64?
        /// The file format to write: 24, 23 or 22; nil for 24.
        public var fileFormat: Int?
        /// Refuse any loss: rows kept out, and data the plan drops.
        public var strict = false
        /// Replace an existing output; undo although the store has changed since.
        public var force = false
        /// Where rows that are kept out are written: the rows in this file, the reasons beside it
        /// in `FILE.reasons`.
        public var rejects: String?

        /// The usual options.
        public init() {}

        var exchange: ExchangeOptions {
            var options = ExchangeOptions()
            options.key = key
            options.outputKey = outputKey
            options.strict = strict
            options.force = force
            if let fileFormat { options.extra["file-format"] = String(fileFormat) }
            return options
        }
    }

    /// The plan.
    public let plan: MigrationPlan

    /// A migrator of a plan.
    public init(_ plan: MigrationPlan) { self.plan = plan }

    /// True when a schema is of a version below another; one without counts as 0.
    public static func needsMigration(_ schema: Schema, to version: UInt64) -> Bool {
        (schema.version == .max ? 0 : schema.version ?? 0) < version
    }

    /// True when a store's schema version is below the target.
    ///
    /// False where there is no store yet: a new one is made by Realm itself.
    /// - Parameter version: the schema version an app wants; nil for the plan's last.
    public func needsMigration(
        storeAt path: String, to version: UInt64? = nil, options: Options = Options()
    ) throws(FormatError) -> Bool {
        guard KeptFile.exists(path) else { return false }
        let store = try Store.open(path, options: StoreOptions(key: options.key))
        return Migrator.needsMigration(
            store.schema, to: version ?? options.target ?? plan.lastVersion)
    }

    /// Reads every row of a store through every rule; writes nothing to the store or its folder.
    public func check(storeAt path: String, options: Options = Options()) throws(FormatError)
        -> MigrationReport
    {
        let context = ExchangeContext(options: options.exchange)
        return try check(storeAt: path, options: options, context: context)
    }

    /// Migrates a store where it stands.
    /// - Throws: `missingValue` when the plan has no rule for something it met: the store is as it
    ///   was, and `check(storeAt:)` lists all of it; `held` when the store is open anywhere;
    ///   `unsupportedVersion` when the store is older or newer than the plan knows; and what
    ///   reading and writing throw. The store is whole, whatever is thrown.
    @discardableResult
    public func migrate(
        storeAt path: String, options: Options = Options(), progress: ((Int) -> Void)? = nil
    ) throws(FormatError) -> MigrationReport {
        let context = ExchangeContext(options: options.exchange)
        let report = try migrateInPlace(
            path, options: options, context: context, progress: progress)
        try report.refuseOpenDecisions(path)
        return report
    }

    /// Migrates a store into a new one; the store stays as it is.
    /// - Throws: as `migrate(storeAt:options:)`.
    @discardableResult
    public func migrate(
        storeAt path: String, to output: String, options: Options = Options(),
        progress: ((Int) -> Void)? = nil
    ) throws(FormatError) -> MigrationReport {
        let context = ExchangeContext(options: options.exchange)
        let report = try migrate(
            path, to: output, options: options, context: context, progress: progress)
        try report.refuseOpenDecisions(path)
        return report
    }

    /// Puts the original of the last migration back, byte by byte.
    /// - Throws: `missingValue` when there is none; `strictLoss` when the store has changed since.
    public static func undo(storeAt path: String, options: Options = Options())
        throws(FormatError)
    {
        _ = try InPlaceStore(path, key: options.key).undo(force: options.force)
    }

    /// Removes the originals kept beside a store.
    /// - Throws: `missingValue` when there is none; `damaged` when the store itself is not sound.
    public static func discardOriginal(storeAt path: String, options: Options = Options())
        throws(FormatError)
    {
        _ = try InPlaceStore(path, key: options.key).discardOriginals()
    }

    /// What ran on a store.
    public static func journal(ofStoreAt path: String) throws(FormatError) -> MigrationJournal {
        try InPlaceStore(path, key: nil).settledJournal()
    }
}

extension Migrator {
    /// Checks with a report of one's own.
    package func check(
        storeAt path: String, options: Options, context: ExchangeContext,
        progress: ((Int) -> Void)? = nil
    ) throws(FormatError) -> MigrationReport {
        let store = try open(path, context)
        var run = run(store, context, options, progress)
        let rejects = try rejectsFile(options)
        if let rejects { run.onReject = { rejects.add($0) } }
        let report = try run.check()
        try rejects?.finish()
        return report
    }

    /// Migrates in place with a report of one's own.
    package func migrateInPlace(
        _ path: String, options: Options, context: ExchangeContext,
        progress: ((Int) -> Void)? = nil
    ) throws(FormatError) -> MigrationReport {
        let rejects = try rejectsFile(options)
        var report = try InPlaceStore(path, key: context.options.key).migrate(
            context,
            run: { (store, context) throws(FormatError) in
                var run = run(store, context, options, progress)
                if let rejects { run.onReject = { rejects.add($0) } }
                return run
            },
            beforeNaming: { (report) throws(FormatError) in
                try report.refuseLoss(context)
                try rejects?.finish()
            })
        if report.isWritten {
            let store = InPlaceStore(path, key: nil)
            report.original = store.original(version: report.from)
        } else if !report.isUpToDate {
            try rejects?.finish()
        }
        return report
    }

    /// Migrates into a new store with a report of one's own.
    package func migrate(
        _ path: String, to output: String, options: Options, context: ExchangeContext,
        progress: ((Int) -> Void)? = nil
    ) throws(FormatError) -> MigrationReport {
        let store = try open(path, context)
        if KeptFile.areSame(path, output) {
            throw FormatError(
                .usage, "the output is the store itself", file: output,
                fix: "pass --in-place, which keeps the original")
        }
        // A store that another process has open is not replaced under its feet.
        var lock: StoreLock?
        if context.options.force, KeptFile.exists(output) {
            lock = try StoreLock(forWriting: output)
        }
        defer { lock?.release() }
        var run = run(store, context, options, progress)
        let rejects = try rejectsFile(options)
        if let rejects { run.onReject = { rejects.add($0) } }
        run.beforeNaming = { (report) throws(FormatError) in
            try report.refuseLoss(context)
            try rejects?.finish()
        }
        let report = try run.write(to: output)
        if !report.isWritten { try rejects?.finish() }
        return report
    }

    private func open(_ path: String, _ context: ExchangeContext) throws(FormatError) -> Store {
        let options = context.options
        return try Store.open(
            path, options: StoreOptions(key: options.key, useOtherTop: options.useOtherTop))
    }

    private func run(
        _ store: Store, _ context: ExchangeContext, _ options: Options,
        _ progress: ((Int) -> Void)?
    ) -> MigrationRun {
        var run = MigrationRun(plan, store: store, context: context)
        run.target = options.target
        run.progress = progress
        return run
    }

    private func rejectsFile(_ options: Options) throws(FormatError) -> RejectedRowsFile? {
        try options.rejects.map { (path) throws(FormatError) in
            try RejectedRowsFile(path, force: options.force)
        }
    }
}

extension MigrationReport {
    /// Refuses a report that has open decisions.
    func refuseOpenDecisions(_ path: String) throws(FormatError) {
        guard let first = findings.first(where: { $0.kind == .needsDecision }) else { return }
        throw FormatError(
            .missingValue,
            "the plan has no rule for \(first.code), met \(first.count) times in: \(first.line)",
            file: path, recordName: first.examples.first.map { "\(first.className) \($0.key)" },
            property: first.property, fix: first.fix)
    }

    /// Under `strict`, turns a loss into a failure.
    func refuseLoss(_ context: ExchangeContext) throws(FormatError) {
        guard context.options.strict else { return }
        guard let first = findings.first(where: { $0.kind == .lost || $0.kind == .rejected })
        else { return }
        throw FormatError(
            .strictLoss, "--strict: \(first.code), \(first.count) times, in: \(first.line)",
            property: first.property,
            fix: "run without --strict to write what the plan keeps; the report lists the rest")
    }
}

extension MigrationPlan {
    /// A hash of the plan's text, 16 hex digits.
    public var hash: String {
        Verification.hash((try? json().line) ?? lines.joined(separator: "\n"))
    }
}
