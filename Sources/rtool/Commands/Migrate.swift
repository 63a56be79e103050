// `rtool migrate`: a store upgraded to a newer schema version, checked before a byte is written.

internal import Formats
internal import Migrator

extension Command {
    static let migrate = Command(
        name: "migrate", synopsis: "STORE --plan PLAN (-o OUT | --in-place | --check)",
        summary: "upgrade a store's schema version by a plan",
        discussion: """
            Every row goes through every rule first; where the plan has no rule for what is met, the
            rows are listed, nothing is written and the exit code is 1. The result is written beside
            its name, proven and renamed. In place, the original is kept as NAME.before-vN.realm
            until --discard-original, and --undo puts it back, byte by byte. A store of any file
            format is migrated straight to the current one.
            """,
        examples: [
            ("rtool migrate notes.realm --plan notes.plan.json --check", "what would happen"),
            ("rtool migrate old.realm --plan plan.json -o new.realm", "into a new store"),
            ("rtool migrate notes.realm --plan plan.json --in-place", "where it stands"),
            ("rtool migrate notes.realm --undo", "the original comes back"),
        ],
        options: .input.filter { !["from", "encoding", "zone", "threads"].contains($0.name) } + [
            Option("plan", value: "FILE", "the plan"),
            Option("output", short: "o", value: "OUT", "write a new store"),
            Option("in-place", "migrate the store where it stands; the original is kept"),
            Option("check", "read every row through every rule; write nothing"),
            Option("to", value: "N", "the schema version to reach (the plan's last)"),
            Option(
                "rejects", value: "FILE", "rows that are kept out, as JSON lines; reasons beside"),
            Option("undo", "put the original of the last --in-place back"),
            Option("discard-original", "remove the originals that --in-place has kept"),
        ] + .output.filter { $0.name != "to" },
        run: { (arguments) throws(FormatError) in
            let job = try MigrateJob(arguments)
            return try job.run()
        })
}

/// One run of the command.
private struct MigrateJob {
    let arguments: Arguments
    let session: Session
    let path: String

    private static let ways = ["check", "output", "in-place", "undo", "discard-original"]

    init(_ arguments: Arguments) throws(FormatError) {
        self.arguments = arguments
        // Rows that a plan keeps out have a writer of their own.
        session = try Session(arguments, keepsRejects: false)
        path = try session.operands("STORE")[0]
        let chosen = MigrateJob.ways.filter { arguments.has($0) }
        guard chosen.count == 1 else {
            throw FormatError(
                .usage,
                chosen.isEmpty
                    ? "where the result goes is missing"
                    : "--\(chosen[0]) and --\(chosen[1]) exclude each other",
                fix: "pass one of -o OUT, --in-place, --check, --undo, --discard-original")
        }
        let takesPlan = ["check", "output", "in-place"].contains(chosen[0])
        if takesPlan, arguments["plan"] == nil {
            throw FormatError(.usage, "--plan is missing", fix: "name the plan: --plan FILE")
        }
        if !takesPlan, arguments.has("plan") {
            throw FormatError(.usage, "--\(chosen[0]) takes no --plan")
        }
        if arguments["output"] == "-" {
            throw FormatError(
                .usage, "a store cannot go to standard output", fix: "name a file")
        }
    }

    func run() throws(FormatError) -> ExitCode {
        if arguments.has("undo") {
            try Migrator.undo(storeAt: path, options: options())
            return try say("the original is back", [.init("undone", .bool(true))])
        }
        if arguments.has("discard-original") {
            try Migrator.discardOriginal(storeAt: path, options: options())
            return try say("the original is discarded", [.init("discarded", .bool(true))])
        }
        let plan = try MigrationPlan.load(arguments["plan"] ?? "")
        let migrator = Migrator(plan)
        let context = session.context
        let options = try options()
        var report: MigrationReport?
        try session.withProgress("rows") { (update) throws(FormatError) in
            if arguments.has("check") {
                report = try migrator.check(
                    storeAt: path, options: options, context: context, progress: update)
                try report.map { (found) throws(FormatError) in try refuseLoss(found) }
            } else if let output = arguments["output"] {
                report = try migrator.migrate(
                    path, to: output, options: options, context: context, progress: update)
            } else {
                report = try migrator.migrateInPlace(
                    path, options: options, context: context, progress: update)
            }
        }
        guard let report else { return .defect }
        return try show(report)
    }

    /// `--strict` holds for a check, too.
    private func refuseLoss(_ report: MigrationReport) throws(FormatError) {
        for finding in report.findings { finding.note(in: session.context.report) }
        try session.refuseLoss()
    }

    private func options() throws(FormatError) -> Migrator.Options {
        var options = Migrator.Options()
        options.key = session.context.options.key
        options.outputKey = session.context.options.outputKey
        options.strict = arguments.has("strict")
        options.force = arguments.has("force")
        options.rejects = arguments["rejects"]
        options.target = try arguments.number("to").map { UInt64($0) }
        return options
    }

    private func show(_ report: MigrationReport) throws(FormatError) -> ExitCode {
        let counts = session.context.report
        if !arguments.has("check") || !arguments.has("strict") {
            for finding in report.findings { finding.note(in: counts) }
        }
        // A run counts for itself; what was read and not written, was passed over.
        if arguments.has("check") { counts.setAside += report.rejected }
        if !report.isWritten { counts.written = 0 }
        counts.skipped = max(0, counts.read - counts.written - counts.setAside - counts.merged)
        let json = ReportText.json(counts).dropLast() + ", \"migration\": \(report.json.text)}"
        if arguments.has("json") {
            try Console.print(json + "\n")
        } else if !arguments.has("quiet") {
            Console.message(report.text)
        }
        try session.writeReport(String(json))
        let isClean = !report.needsDecision && counts.setAside == 0
        return isClean ? .success : .findings
    }

    private func say(_ text: String, _ members: [PlanJSON.Member]) throws(FormatError)
        -> ExitCode
    {
        let json = PlanJSON.object([.init("file", .string(path))] + members).text
        if arguments.has("json") {
            try Console.print(json + "\n")
        } else if !arguments.has("quiet") {
            Console.message("\(path): \(text)")
        }
        try session.writeReport(json)
        return .success
    }
}
