// What one run of a command carries along: the options common to all commands, the report, the
// rejects file, and how they are shown at the end.

internal import Formats

/// Options, report and rejects of one run.
final class Session {
    let arguments: Arguments
    let context: ExchangeContext
    private let rejects: RejectsFile?

    /// Reads the options that mean the same for every command.
    /// - Parameter keepsRejects: false for commands that write `--rejects` themselves.
    init(_ arguments: Arguments, keepsRejects: Bool = true) throws(FormatError) {
        self.arguments = arguments
        var options = ExchangeOptions()
        options.strict = arguments.has("strict")
        options.force = arguments.has("force")
        options.encoding = arguments["encoding"]
        options.zone = arguments["zone"]
        options.threads = try arguments.number("threads")
        options.useOtherTop = try arguments.word("top", of: ["other"]) != nil
        options.key = try StoreKeyOption.read(arguments, prefix: "")
        options.outputKey = try StoreKeyOption.read(arguments, prefix: "out-")
        for name in Session.formatOptions {
            if arguments.has(name) { options.extra[name] = arguments[name] ?? "" }
        }
        context = ExchangeContext(options: options)
        let rejectsPath = keepsRejects ? arguments["rejects"] : nil
        rejects = try rejectsPath.map { (path) throws(FormatError) in
            try RejectsFile(path, force: options.force)
        }
        if let rejects { context.onReject = { rejects.add($0, $1) } }
    }

    /// Options that only some format or map reads, handed on by name.
    private static let formatOptions = [
        "profile", "vcard-version", "include-done", "delimiter", "bom", "spreadsheet-safe",
        "file-format", "lenient", "class", "split", "date-order",
        "split-escaped-categories", "keep-x",
    ]

    /// Refuses leftover operands and missing ones.
    func operands(_ names: String...) throws(FormatError) -> [String] {
        let given = arguments.operands
        if given.count < names.count {
            throw FormatError(.usage, "\(names[given.count]) is missing")
        }
        if given.count > names.count {
            throw FormatError(
                .usage, "one word too many: \(given[names.count])",
                fix: "quote names that contain spaces")
        }
        return given
    }

    /// Under `--strict`, turns a loss into a failure; call before anything is finished.
    func refuseLoss() throws(FormatError) {
        guard context.options.strict else { return }
        let report = context.report
        let items = report.items.filter { $0.kind == .lost || $0.kind == .setAside }
        guard let first = items.first else { return }
        throw FormatError(
            .strictLoss,
            "--strict: \(items.reduce(0) { $0 + $1.count }) values or records would be lost, "
                + "first: \(first.code)" + (first.property.map { " (\($0))" } ?? ""),
            file: first.source, line: first.line, record: first.record,
            fix: "run without --strict to write what can be kept; the report lists the rest")
    }

    /// Shows the report and picks the exit code.
    func end(toStandardOutput dataOnOutput: Bool = false) throws(FormatError) -> ExitCode {
        try rejects?.finish()
        let report = context.report
        if arguments.has("json"), !dataOnOutput {
            try Console.print(ReportText.json(report) + "\n")
        } else if !arguments.has("quiet") {
            Console.message(ReportText.plain(report))
        }
        try writeReport(ReportText.json(report))
        return report.setAside > 0 ? .findings : .success
    }

    /// Writes the file that `--report` names.
    func writeReport(_ json: String) throws(FormatError) {
        guard let path = arguments["report"] else { return }
        let file = try ByteSink.output(to: path, force: context.options.force)
        try file.write(json + "\n")
        try file.finish()
    }

    /// `--json` puts the report on standard output, so data cannot go there too.
    func refuseTwoOutputs(_ output: String) throws(FormatError) {
        guard output == "-", arguments.has("json") else { return }
        throw FormatError(
            .usage, "--json would mix the report with the data on standard output",
            fix: "write the data to a file, or the report with --report FILE")
    }
}

/// The records that were set aside, verbatim, and beside them a file of reasons.
private final class RejectsFile {
    private let data: ByteSink
    private let reasons: ByteSink
    private var failure: FormatError?

    init(_ path: String, force: Bool) throws(FormatError) {
        data = try ByteSink.output(to: path, force: force)
        reasons = try ByteSink.output(to: path + ".reasons", force: force)
    }

    func add(_ bytes: UnsafeRawBufferPointer, _ reason: FormatError) {
        guard failure == nil else { return }
        do throws(FormatError) {
            try data.write(bytes)
            if bytes.last != 10 { try data.write("\n") }
            let d = reason.details
            var line = d.file ?? "-"
            if let number = d.line { line += ":\(number)" }
            if let record = d.record { line += ": record \(record)" }
            if let property = d.property { line += ": \(property)" }
            try reasons.write(
                (line + ": " + d.message).replacing("\n", with: " ") + "\n")
        } catch {
            failure = error
        }
    }

    func finish() throws(FormatError) {
        if let failure { throw failure }
        try data.finish()
        try reasons.finish()
    }
}

/// Finds the key options of the command line.
private enum StoreKeyOption {
    static func read(_ arguments: Arguments, prefix: String) throws(FormatError) -> [UInt8]? {
        if let text = arguments[prefix + "key"] { return try StoreKey.parse(text) }
        if let name = arguments[prefix + "key-env"] {
            guard let text = System.environment(name) else {
                throw FormatError(
                    .badKey, "the environment has no variable \(name)",
                    fix: "export \(name) with the key as 128 hex digits or base64")
            }
            return try StoreKey.parse(text)
        }
        if let path = arguments[prefix + "key-file"] {
            return try StoreKey.parse(file: InputBytes.open(path, copy: true))
        }
        return nil
    }
}

extension Session {
    /// Runs a job with a counter on the terminal.
    func withProgress(
        _ what: String, _ job: (@escaping (Int) -> Void) throws(FormatError) -> Void
    ) throws(FormatError) {
        let counter = ProgressBox(Progress(what, quiet: arguments.has("quiet")))
        defer { counter.progress.finish() }
        try job { counter.progress.update($0) }
    }
}

private final class ProgressBox {
    var progress: Progress
    init(_ progress: Progress) { self.progress = progress }
}
