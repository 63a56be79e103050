// From any input to any output: which reader meets which writer, through which map.

/// One conversion of a file into another.
public struct Conversion {
    /// The input's path, or `-`.
    public var input: String
    /// The output's path, or `-`.
    public var output: String
    /// The input's format, by name; nil to look.
    public var from: String?
    /// The output's format, by name; nil to go by the ending.
    public var to: String?
    /// A built-in map's name, or a map file, also one of lines `column = field`.
    public var map: String?
    /// A file of lines `column = field`, besides a map of classes.
    public var columns: String?
    /// The class to write, where the output holds only one.
    public var className: String?
    /// A folder for a file a record (contacts and to-dos); nil for one file.
    public var folder: String?
    /// Options, report and rejects.
    public var context: ExchangeContext
    /// Called with the number of rows moved so far.
    public var progress: ((Int) -> Void)?
    /// Called before anything takes its final name; throws to refuse the result.
    public var beforeFinish: (() throws(FormatError) -> Void)?

    /// A conversion by the names of two files.
    public init(from input: String, to output: String, context: ExchangeContext) {
        self.input = input
        self.output = output
        self.context = context
    }

    /// Converts; the report tells what became of the records.
    /// - Throws: what reading, mapping and writing throw; nothing is left behind then.
    public func run() throws(FormatError) {
        let chosen = MapChoice(self.map, columns: columns)
        let map = try AppMap.optional(chosen.map)
        if let folder {
            // Names of what is wrong come before anything is read.
            var named: Format?
            if let to {
                let target = try Registry.target(output, named: to)
                try WritingOptions.check(target, context.options)
                named = target
            }
            let opened = try OpenedInput(
                input, from: from, options: context.options, columns: chosen.columns)
            try chosen.check([opened])
            if named == nil { named = try recordFormat(of: opened, map) }
            guard let target = named else { return }
            try WritingOptions.check(target, context.options)
            let content = try split(opened, map, as: target, into: folder)
            return opened.noteNoRecords(context, of: [content])
        }
        let target = try Registry.target(output, named: to)
        try WritingOptions.check(target, context.options)
        let opened = try OpenedInput(
            input, from: from, options: context.options, columns: chosen.columns)
        try chosen.check([opened])
        let content = try convert(opened, map, chosen, to: target)
        opened.noteNoRecords(context, of: [content])
    }

    /// What a file a record is, where nobody says: a to-do for to-dos, else a card.
    private func recordFormat(of opened: OpenedInput, _ map: AppMap?) throws(FormatError)
        -> Format
    {
        var content = map?.source ?? opened.format.content
        if content != .contacts, content != .tasks {
            let silent = ExchangeContext(options: context.options)
            let source = try opened.read(wish: .whatItIs, context: silent)
            content = source.content
            let schema = source.reader.schema
            if content == .store || content == .rows {
                let isTodo =
                    schema.index(of: "Contact") == nil
                    && AppMap.fitting(schema, className: className, for: .contacts) == nil
                    && (schema.index(of: "TodoItem") != nil
                        || AppMap.fitting(schema, className: className, for: .tasks) != nil)
                content = isTodo || className == "TodoItem" ? .tasks : .contacts
            }
        }
        return content == .tasks ? .ical : .vcard
    }

    /// - Returns: what the records were read as.
    private func convert(
        _ opened: OpenedInput, _ map: AppMap?, _ chosen: MapChoice, to target: Format
    ) throws(FormatError) -> Format.Content {
        let endsGroups = ContactsAhead.endsGroups(target, context)
        if map == nil, className == nil || className == "Contact" || className == "TodoItem",
            !endsGroups, !PhoneFormatting.isAsked(context.options),
            let convert = target.convertLines, opened.format.name == target.name
        {
            try writing(to: target) { (sink) throws(FormatError) in
                try convert(opened.input, sink, context)
                try beforeFinish?()
                try sink.finish()
            }
            return opened.format.content
        }
        let wish =
            LosslessMap.wish(chosen.map) ?? Shaping.wish(for: target, map: map, context: context)
        let isForTable = target.name == Format.csv.name
        let isForStore = target.name == Format.realm.name
        func read(_ context: ExchangeContext) throws(FormatError) -> ReadSource {
            try opened.read(
                wish: wish, context: context, className: className, isForTable: isForTable,
                isForStore: isForStore)
        }
        func shape(_ source: ReadSource, _ context: ExchangeContext) throws(FormatError)
            -> Shaping.Result
        {
            var shaped = try Shaping(context: context, map: map, className: className)
                .shape(source, for: target, inputName: input)
            shaped.reader = try PhoneFormatting.apply(
                shaped.reader, from: source.reader.schema, context)
            return shaped
        }
        var source = try read(context)
        try LosslessMap.check(source, for: chosen.map)
        let profile = ContactsAhead.profile(target, context)
        if map != nil, profile == nil, source.content == .contacts {
            let ahead = try ContactsAhead.look(at: opened, profile: nil, context: context) {
                (silent) throws(FormatError) in try read(silent).reader
            }
            if let ahead { source.reader = ahead.grouping(source.reader, context) }
        }
        var shaped = try shape(source, context)
        if profile != nil || endsGroups {
            let ahead = try ContactsAhead.look(at: opened, profile: profile, context: context) {
                (silent) throws(FormatError) in try shape(read(silent), silent).reader
            }
            if let ahead {
                shaped.reader =
                    endsGroups
                    ? ahead.withoutGroups(shaped.reader, context)
                    : ahead.grouping(shaped.reader, context)
                shaped.widths = ahead.widths
            }
        }
        shaped.linked = try EmbeddedLinks.gather(for: shaped, context) {
            (silent) throws(FormatError) in try shape(read(silent), silent).reader
        }
        try writing(to: target) { (sink) throws(FormatError) in
            try Conversion.write(
                shaped, to: target, sink: sink, context: context, progress: progress,
                beforeFinish: beforeFinish)
        }
        return source.content
    }

    /// - Returns: what the records were read as.
    private func split(
        _ opened: OpenedInput, _ map: AppMap?, as target: Format, into folder: String
    ) throws(FormatError) -> Format.Content {
        guard target.content == .contacts || target.content == .tasks else {
            throw FormatError(
                .usage, "\(target.name) does not split into a file a record",
                fix: "rtool export STORE --split DIR --to csv writes a file a class")
        }
        var content = opened.format.content
        func shape(_ context: ExchangeContext) throws(FormatError) -> Shaping.Result {
            let source = try opened.read(
                wish: Shaping.wish(for: target, map: map, context: context), context: context)
            content = source.content
            var shaped = try Shaping(context: context, map: map, className: className)
                .shape(source, for: target, inputName: input)
            shaped.reader = try PhoneFormatting.apply(
                shaped.reader, from: source.reader.schema, context)
            return shaped
        }
        var shaped = try shape(context)
        if ContactsAhead.endsGroups(target, context) {
            let ahead = try ContactsAhead.look(at: opened, profile: nil, context: context) {
                (silent) throws(FormatError) in try shape(silent).reader
            }
            if let ahead { shaped.reader = ahead.withoutGroups(shaped.reader, context) }
        }
        var splitting = try Splitting(folder, as: target, context: context)
        try splitting.run(shaped, progress: progress, beforeFinish: beforeFinish)
        return content
    }

    private func writing(
        to target: Format, _ body: (ByteSink) throws(FormatError) -> Void
    ) throws(FormatError) {
        // A store that another process has open is not replaced under its feet.
        var lock: StoreLock?
        if target.needsFile, context.options.force, System.status(path: output) != nil {
            lock = try StoreLock(forWriting: output)
        }
        defer { lock?.release() }
        try body(Conversion.sink(output, for: target, context: context))
    }

    /// The place an output goes to.
    static func sink(_ path: String, for target: Format, context: ExchangeContext)
        throws(FormatError) -> ByteSink
    {
        // Who asks for encryption must not get plain text.
        if context.options.outputKey != nil, !target.needsFile {
            throw FormatError(
                .usage, "a \(target.name) output cannot be encrypted; only stores can",
                fix: "leave out the output's key, or convert to a .realm file")
        }
        guard path == "-" else {
            return target.needsFile
                ? try OutputFile.create(path, force: context.options.force)
                : WritingOptions.sink(
                    try ByteSink.output(to: path, force: context.options.force), context.options)
        }
        if target.needsFile {
            throw FormatError(
                .usage, "a \(target.name) output cannot go to standard output",
                fix: "name a file")
        }
        return WritingOptions.sink(.standardOutput(), context.options)
    }

    /// Moves a shaped source into a sink and ends it.
    static func write(
        _ shaped: Shaping.Result, to target: Format, sink: ByteSink, context: ExchangeContext,
        progress: ((Int) -> Void)? = nil,
        beforeFinish: (() throws(FormatError) -> Void)? = nil
    ) throws(FormatError) {
        guard let write = target.write else {
            throw FormatError(.usage, "\(target.name) can be read, not written")
        }
        let photos = try PhotoFiles.asked(shaped, target, context)
        let reader = photos.map { PhotoFileReader(shaped.reader, $0) } ?? shaped.reader
        // The writer notes things on its own thread.
        let writing = ExchangeContext(options: context.options)
        defer { context.report.take(writing.report) }
        let writer = try write(
            WriteRequest(
                sink: sink, schema: shaped.reader.schema, classIndex: shaped.classIndex,
                content: shaped.content, fileFormat: shaped.fileFormat, context: writing,
                linkName: shaped.linkName, linked: shaped.linked, widths: shaped.widths))
        try Pump.run(
            reader, into: writer, classIndex: shaped.classIndex,
            threads: context.options.threads, progress: progress)
        try writer.complete()
        context.report.take(writing.report)
        countRest(context.report)
        try beforeFinish?()
        guard let photos else { return try writer.finish() }
        guard sink is OutputFile else {
            // What is written as it comes is whole first: it may have no room left.
            try writer.finish()
            return try photos.finish()
        }
        try photos.finish()
        do throws(FormatError) { try writer.finish() } catch {
            photos.undo()
            throw error
        }
    }

    /// Rows of other classes, and rows that no condition chose, were read all the same.
    static func countRest(_ report: Report) {
        let rest = report.read - report.written - report.setAside - report.skipped - report.merged
        if rest > 0 { report.skipped += rest }
    }
}

/// An input whose format is known.
struct OpenedInput {
    let path: String
    let format: Format
    let input: InputBytes
    let options: ExchangeOptions
    private let columns: String?

    /// Formats whose text is JSON.
    private static let jsonFormats: Set<String> = [
        Format.json.name, Format.ndjson.name, Format.jcard.name, Format.realmStudio.name,
        Format.googleTasks.name, Format.msToDo.name,
    ]

    /// Opens a path and finds out what it is.
    /// - Parameter columns: a column map's file, for tables.
    init(_ path: String, from: String?, options: ExchangeOptions, columns: String? = nil)
        throws(FormatError)
    {
        self.path = path
        self.options = options
        self.columns = columns
        var input = try InputBytes.open(path)
        var found: Format?
        if let from { found = try Registry.named(from) }
        let isJSON5 = options.extra["json5"] != nil
        if isJSON5, found.map({ Self.jsonFormats.contains($0.name) }) ?? true {
            input = try JSON5Text.plain(Self.decoded(input, options))
        }
        if let found {
            format = found
        } else {
            format = try Registry.detect(path, input.bytes)
        }
        if !isJSON5, Self.jsonFormats.contains(format.name) { input = Self.decoded(input, options) }
        self.input = input
        guard format.isReadable else {
            throw FormatError(
                .usage, "\(format.name) can be written, not read",
                fix: "rtool formats lists what can be read")
        }
    }

    /// JSON in another encoding than its own, where one was named.
    private static func decoded(_ input: InputBytes, _ options: ExchangeOptions) -> InputBytes {
        guard let name = options.encoding, let charset = Charset.named(name), !charset.isUTF8
        else { return input }
        let out = RawVector<UInt8>(capacity: input.bytes.count + 64)
        defer { out.destroy() }
        charset.decode(input.bytes, into: out)
        return InputBytes(name: input.name, copying: UnsafeRawBufferPointer(out.elements))
    }

    /// Says that a file of cards or tasks held none (DESIGN 1.8).
    /// - Parameter contents: what the records of this input, and of the others, were read as: tables and
    ///   JSON hold cards or tasks where their columns say so.
    func noteNoRecords(_ context: ExchangeContext, of contents: [Format.Content]) {
        guard context.report.read == 0,
            let content = ([format.content] + contents).first(where: {
                $0 == .contacts || $0 == .tasks
            })
        else { return }
        context.report.note(
            .guessed, Report.noRecords, source: path,
            action: "there are no \(content.rawValue) in it; check that it was exported "
                + "whole and is \(format.name)")
    }

    /// Opens it for reading rows.
    /// - Parameters:
    ///   - className: the class of rows that do not name theirs.
    ///   - isForTable: whether the rows become a table.
    ///   - isForStore: whether they become a store.
    func read(
        wish: ReadWish, context: ExchangeContext, className: String? = nil,
        isForTable: Bool = false, isForStore: Bool = false
    ) throws(FormatError) -> ReadSource {
        guard let read = format.read else { throw FormatError(.defect, "no reader") }
        let source = try read(
            ReadRequest(
                path: path, input: input, context: context, wish: wish, columns: columns,
                wantedClass: className, isForTable: isForTable, isForStore: isForStore))
        return try PhoneFormatting.apply(source, context)
    }
}

/// What `--map` names: a map of classes, a map of columns, or one of each.
struct MapChoice {
    /// A map of classes: a name or a file.
    let map: String?
    /// The file of a column map.
    let columns: String?

    init(_ map: String?, columns: String?) {
        let isName = map.map { name in
            LosslessMap.wish(name) != nil || AppMap.builtIn.contains { $0.name == name }
        }
        if columns == nil, isName == false, let map, ColumnMap.isOne(map) {
            self.map = nil
            self.columns = map
        } else {
            self.map = map
            self.columns = columns
        }
    }

    /// Refuses a column map where no input has columns.
    func check(_ inputs: [OpenedInput]) throws(FormatError) {
        guard let columns, let first = inputs.first,
            !inputs.contains(where: { $0.format.name == Format.csv.name })
        else { return }
        throw FormatError(
            .usage, "\(columns) names columns, but \(first.path) is \(first.format.name)",
            fix: "leave out --map, or name the format with --from csv")
    }
}

extension AppMap {
    /// The map of a name, where one is given; nil for the lossless ones too, which change nothing.
    static func optional(_ name: String?) throws(FormatError) -> AppMap? {
        guard let name, LosslessMap.wish(name) == nil else { return nil }
        return try named(name)
    }
}

/// The maps `addressbook` and `todo`: the built-in classes as they are.
enum LosslessMap {
    /// What an input is then wanted as; nil for other maps.
    static func wish(_ name: String?) -> ReadWish? {
        switch name {
        case "addressbook": .contacts
        case "todo": .tasks
        default: nil
        }
    }

    /// Refuses a source that is of the other kind.
    static func check(_ source: ReadSource, for name: String?) throws(FormatError) {
        guard let name, let wish = wish(name), source.content != .store else { return }
        let content =
            if case .tasks = wish { Format.Content.tasks } else { Format.Content.contacts }
        guard source.content != content else { return }
        throw FormatError(
            .usage, "the map \(name) takes \(content.rawValue), not \(source.content.rawValue)",
            fix: "rtool help import lists the maps")
    }
}
