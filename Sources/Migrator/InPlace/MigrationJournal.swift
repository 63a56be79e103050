// The journal beside a store: which plans ran on it, and what is needed to take the last one back.
// A run is noted before the new store takes its name and again afterwards; which of the two
// happened when a process died in between is told by the files themselves.

public import Formats

/// What ran on a store.
public struct MigrationJournal: Sendable {
    /// How a run ended.
    public enum State: String, Sendable, CaseIterable {
        /// Noted, and perhaps interrupted before the new store took its name.
        case begun
        /// The store is the migrated one.
        case done
        /// The original was put back.
        case undone
        /// The original was removed.
        case discarded
    }

    /// One run.
    public struct Entry: Sendable {
        /// How it ended.
        public var state: State
        /// The plan's name.
        public var plan: String
        /// A hash of the plan.
        public var planHash: String
        /// The schema version before.
        public var from: UInt64
        /// The schema version afterwards.
        public var to: UInt64
        /// The file format before.
        public var fileFormat: Int?
        /// The name of the original, in the store's folder.
        public var original: String
        /// The bytes of the original.
        package var originalBytes: FileDigest
        /// The bytes of the migrated store, once it had its name.
        package var storeBytes: FileDigest?
        /// A hash of all rows before.
        public var contentBefore: String
        /// A hash of all rows afterwards.
        public var contentAfter: String
        /// Rows by class, before and afterwards.
        public var counts: [(name: String, before: Int?, after: Int?)]
        /// Rows listed and kept out.
        public var rejected: Int
    }

    /// The path of the journal.
    public let path: String
    /// The runs, the latest last.
    public var entries: [Entry] = []

    /// The journal of a store; empty where there is none.
    /// - Throws: `malformed` and others for a file that is no journal.
    public init(of store: String) throws(FormatError) {
        path = store + ".rtool-journal.json"
        guard KeptFile.exists(path) else { return }
        let input = try InputBytes.open(path)
        do throws(FormatError) {
            try read(JSONTree.parse(input))
        } catch {
            throw error.with {
                $0.file = path
                $0.fix = "the journal was damaged; move it away to go on without it"
            }
        }
    }

    /// Writes the journal, in one step.
    func save() throws(FormatError) {
        if entries.isEmpty { return try KeptFile.remove(path) }
        let file = try OutputFile.create(path, force: true)
        try file.write(json.text + "\n")
        try file.finish()
    }
}

extension MigrationJournal {
    private mutating func read(_ tree: JSONTree) throws(FormatError) {
        var members = try PlanMembers(tree, "a journal")
        guard try members.need("rtoolJournal").int == 1 else {
            throw FormatError(.unsupportedVersion, "this version of journals is not known")
        }
        for entry in try members.need("runs").array ?? [] { entries.append(try Entry(entry)) }
    }

    private var json: PlanJSON {
        .members([
            ("rtoolJournal", .int(1)), ("runs", .array(entries.map(\.json))),
        ])
    }
}

extension FileDigest {
    init(_ tree: JSONTree) throws(FormatError) {
        guard let size = tree["size"]?.int.flatMap({ Int(exactly: $0) }),
            let hash = tree["hash"]?.string
        else {
            throw FormatError(.malformed, "bytes are noted by size and hash", offset: tree.offset)
        }
        self.init(size: size, hash: hash)
    }

    var json: PlanJSON { .members([("size", .int(size)), ("hash", .string(hash))]) }
}

extension MigrationJournal.Entry {
    init(_ tree: JSONTree) throws(FormatError) {
        var members = try PlanMembers(tree, "a run")
        state = try PlanMembers.word(members.need("state"), "state")
        plan = try members.text("plan")
        planHash = try members.text("planHash")
        from = try PlanMembers.unsigned(members.need("from"), "from")
        to = try PlanMembers.unsigned(members.need("to"), "to")
        fileFormat = members.take("fileFormat")?.int.flatMap { Int(exactly: $0) }
        original = try members.text("original")
        guard !original.contains("/") else {
            throw FormatError(
                .badValue, "the original stands in the folder of the store", offset: tree.offset)
        }
        originalBytes = try FileDigest(members.need("originalBytes"))
        storeBytes = try members.take("storeBytes").map { (tree) throws(FormatError) in
            try FileDigest(tree)
        }
        contentBefore = try members.text("contentBefore")
        contentAfter = try members.text("contentAfter")
        counts = []
        for entry in members.take("classes")?.array ?? [] {
            guard let name = entry["name"]?.string else { continue }
            counts.append(
                (
                    name, entry["before"]?.int.flatMap { Int(exactly: $0) },
                    entry["after"]?.int.flatMap { Int(exactly: $0) }
                ))
        }
        rejected = members.take("rejected")?.int.flatMap { Int(exactly: $0) } ?? 0
    }

    var json: PlanJSON {
        .members([
            ("state", .string(state.rawValue)), ("plan", .string(plan)),
            ("planHash", .string(planHash)), ("from", .number(String(from))),
            ("to", .number(String(to))), ("fileFormat", fileFormat.map { .int($0) }),
            ("original", .string(original)), ("originalBytes", originalBytes.json),
            ("storeBytes", storeBytes?.json), ("contentBefore", .string(contentBefore)),
            ("contentAfter", .string(contentAfter)),
            (
                "classes",
                .array(
                    counts.map { name, before, after in
                        .members([
                            ("name", .string(name)), ("before", before.map { .int($0) }),
                            ("after", after.map { .int($0) }),
                        ])
                    })
            ), ("rejected", .int(rejected)),
        ])
    }

    init(_ report: MigrationReport, original: String, bytes: FileDigest) {
        state = .begun
        plan = report.plan
        planHash = report.planHash
        from = report.from
        to = report.to
        fileFormat = report.fileFormat
        self.original = original
        originalBytes = bytes
        contentBefore = report.contentBefore
        contentAfter = report.contentAfter
        counts = report.classes.map { ($0.name, $0.before, $0.after) }
        rejected = report.rejected
    }
}
