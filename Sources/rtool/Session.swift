// What one run of a command carries along: the options common to all commands, the report, the
// rejects file, and how they are shown at the end.

internal import Formats

/// Options, report and rejects of one run.
final class Session {
    let arguments: Arguments
    let context: ExchangeContext
    private let rejects: RejectsFile?
    /// The file that `--report` names; begun before anything else is written.
    private let reportFile: ByteSink?

    /// Reads the options that mean the same for every command.
    /// - Parameter keepsRejects: false for commands that write `--rejects` themselves.
    init(_ arguments: Arguments, keepsRejects: Bool = true) throws(FormatError) {
        self.arguments = arguments
        var options = ExchangeOptions()
        options.strict = arguments.has("strict")
        options.force = arguments.has("force")
        options.encoding = try Session.encoding(arguments)
        options.zone = try Session.zone(arguments)
        options.threads = try arguments.number("threads")
        if options.threads == 0 {
            throw FormatError(.usage, "--threads needs a number from 1 on")
        }
        for (name, words) in Session.words { _ = try arguments.word(name, of: words) }
        options.useOtherTop = try arguments.word("top", of: ["other"]) != nil
        options.key = try StoreKeyOption.read(arguments, prefix: "")
        options.outputKey = try StoreKeyOption.read(arguments, prefix: "out-")
        for name in Session.formatOptions {
            if arguments.has(name) { options.extra[name] = arguments[name] ?? "" }
        }
        context = ExchangeContext(options: options)
        try Session.refuseSameFile(arguments)
        reportFile = try arguments["report"].map { (path) throws(FormatError) in
            try ByteSink.output(to: path, force: options.force)
        }
        let rejectsPath = keepsRejects ? arguments["rejects"] : nil
        rejects = try rejectsPath.map { (path) throws(FormatError) in
            try RejectsFile(path, force: options.force)
        }
        if let rejects {
            context.onReject = { rejects.add($0, $1) }
            context.onRejectHeading = { rejects.head($0) }
        }
    }

    /// Refuses a report or rejects file that is another file of the command line, too.
    private static func refuseSameFile(_ arguments: Arguments) throws(FormatError) {
        var taken = arguments.operands
        for name in ["into", "output", "plan", "key-file", "out-key-file"] {
            taken += arguments.all(name)
        }
        taken += arguments.all("map").filter { System.status(path: $0) != nil }
        var known = Set(taken.compactMap(identity))
        var own = arguments["rejects"].map { [$0, $0 + ".reasons"] } ?? []
        if let report = arguments["report"] { own.append(report) }
        for path in own {
            guard let file = identity(path) else { continue }
            guard known.insert(file).inserted else {
                throw FormatError(
                    .usage, "the report and the rejects need files of their own", file: path,
                    fix: "name another file with --report or --rejects")
            }
        }
    }

    /// What two names of one file have in common; nil for standard output, devices and pipes.
    private static func identity(_ path: String) -> String? {
        if path == "-" { return nil }
        let path = System.target(of: path)
        if let there = System.status(path: path) {
            return there.isRegular ? "\(there.device):\(there.inode)" : nil
        }
        let folder = OutputFile.folder(of: path)
        let name = path.split(separator: "/").last ?? ""
        return (System.realPath(folder) ?? folder) + "/" + name
    }

    /// Options of formats that take one of a few words.
    private static let words = [
        ("date-order", ["dmy", "mdy", "ymd"]), ("vcard-version", ["2.1", "3.0", "4.0"]),
        ("dup", ["first", "last", "error"]), ("epoch", ["unix", "apple"]),
        ("overflow", ["notes"]), ("groups", ["categories"]),
        ("ejson", ["relaxed", "canonical"]), ("phone-format", ["e164"]),
    ]

    private static func encoding(_ arguments: Arguments) throws(FormatError) -> String? {
        guard let name = arguments["encoding"] else { return nil }
        guard Charset.named(name) != nil else {
            throw FormatError(
                .usage, "no text encoding is called \(name)",
                fix: "name one as the web does, such as utf-8, windows-1252 or shift_jis")
        }
        return name
    }

    private static func zone(_ arguments: Arguments) throws(FormatError) -> String? {
        guard let name = arguments["zone"] else { return nil }
        guard ZoneLibrary.system.zone(named: name) != nil || ZoneNames.resolve(name) != nil else {
            throw FormatError(
                .usage, "no time zone is called \(name)",
                fix: "name one as the zone database does, such as Europe/Berlin or UTC")
        }
        return name
    }

    /// Options that only some format or map reads, handed on by name.
    private static let formatOptions = [
        "profile", "vcard-version", "include-done", "delimiter", "bom", "spreadsheet-safe",
        "file-format", "lenient", "class", "split", "date-order",
        "split-escaped-categories", "keep-x", "path", "epoch", "dup", "json5", "null", "excel",
        "pretty", "photos", "overflow", "groups", "ejson", "embed",
        "phone-format", "region",
    ]

    /// What `--map` names: a map of classes, and a file that says what columns hold.
    var maps: (classes: String?, columns: String?) {
        let all = arguments.all("map")
        guard all.count > 1 else { return (all.first, nil) }
        let columns = all.last { ColumnMap.isOne($0) }
        return (all.last { $0 != columns }, columns)
    }

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
    func end(toStandardOutput dataOnOutput: Bool = false, showsColumns: Bool = false)
        throws(FormatError) -> ExitCode
    {
        try rejects?.finish()
        let report = context.report
        if arguments.has("private") { report.hideValues() }
        let json = ReportText.json(report, columns: showsColumns)
        if arguments.has("json"), !dataOnOutput {
            try Console.print(json + "\n")
        } else if !arguments.has("quiet") {
            Console.message(ReportText.plain(report))
        }
        try writeReport(json)
        // A part of a record that was set aside is one, too.
        let hasFindings = report.items.contains {
            $0.kind == .setAside || $0.code == Report.noRecords
        }
        return report.setAside > 0 || hasFindings ? .findings : .success
    }

    /// Writes the file that `--report` names.
    func writeReport(_ json: String) throws(FormatError) {
        guard let reportFile else { return }
        try reportFile.write(json + "\n")
        try reportFile.finish()
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
    /// The line of names written last.
    private var heading: [UInt8] = []

    init(_ path: String, force: Bool) throws(FormatError) {
        data = try ByteSink.output(to: path, force: force)
        reasons = try ByteSink.output(to: path + ".reasons", force: force)
    }

    /// Writes the line of names that the next records need, unless it stands already.
    func head(_ bytes: UnsafeRawBufferPointer) {
        guard failure == nil, !heading.elementsEqual(bytes) else { return }
        heading = Array(bytes)
        do throws(FormatError) {
            try data.write(bytes)
            if bytes.last != 10, bytes.last != 13 { try data.write("\n") }
        } catch {
            failure = error
        }
    }

    func add(_ bytes: UnsafeRawBufferPointer, _ reason: FormatError) {
        guard failure == nil else { return }
        do throws(FormatError) {
            try data.write(bytes)
            if let last = bytes.last, last != 10 { try data.write("\n") }
            let d = reason.details
            var line = d.file ?? "-"
            if let number = d.line { line += ":\(number)" }
            if let record = d.record { line += ": record \(record)" }
            if let property = d.property { line += ": \(property)" }
            try reasons.write(ReportText.line(line + ": " + d.message) + "\n")
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
