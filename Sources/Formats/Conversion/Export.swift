// Rows of a store, chosen, ordered and cut, on their way to any format.

/// One export.
public struct Export {
    /// The store's path.
    public var input: String
    /// The output's path, or `-`.
    public var output: String
    /// The input's format, by name.
    public var from: String?
    /// The output's format, by name.
    public var to: String?
    /// A map's name or file.
    public var map: String?
    /// The class.
    public var className: String?
    /// Properties to write, separated by commas.
    public var columns: String?
    /// Only rows that fulfil it.
    public var condition: String?
    /// The order.
    public var sort: String?
    /// The sections.
    public var sections: String?
    /// The most rows.
    public var limit: Int?
    /// A folder for a file a class.
    public var folder: String?
    /// Options, report and rejects.
    public var context: ExchangeContext
    /// Called with the number of rows moved so far.
    public var progress: ((Int) -> Void)?
    /// Called before anything takes its final name; throws to refuse the result.
    public var beforeFinish: (() throws(FormatError) -> Void)?

    /// An export of a store.
    public init(_ input: String, to output: String, context: ExchangeContext) {
        self.input = input
        self.output = output
        self.context = context
    }

    private var selects: Bool {
        columns != nil || condition != nil || sort != nil || sections != nil || limit != nil
    }

    /// Exports.
    public func run() throws(FormatError) {
        let target = try self.target()
        try WritingOptions.check(target, context.options, isSplit: folder != nil)
        if target.content == .contacts || target.content == .tasks,
            let option = columns != nil ? "columns" : sections != nil ? "section-by" : nil
        {
            throw FormatError(
                .usage,
                "\(target.name) takes whole \(target.content.rawValue), so --\(option) "
                    + "has no meaning there",
                fix: "leave --\(option) out, or write csv or json")
        }
        let map = try AppMap.optional(self.map)
        let opened = try OpenedInput(input, from: from, options: context.options)
        let source = try opened.read(wish: .whatItIs, context: context)
        if let folder, target.content != .contacts, target.content != .tasks {
            return try split(source, opened, into: folder, as: target)
        }
        let shaping = Shaping(context: context, map: map, className: className)
        var result: Shaping.Result
        if selects {
            // Chosen rows are rows of one class; only then they may become cards or to-dos.
            let schema = source.reader.schema
            let index = try ClassChoice.index(in: schema, named: className, file: input)
            let selection: RowSelection
            do throws(FormatError) {
                selection = try RowSelection(
                    schema: schema, classIndex: index, predicate: condition, sort: sort,
                    sections: sections, limit: limit, columns: columns)
            } catch { throw error.asUsage }
            let reader = RowSelectionReader(source.reader, selection)
            let chosen = ReadSource(
                reader: reader, content: .store, fileFormat: source.fileFormat)
            var narrowed = shaping
            narrowed.className = schema.classes[index].name
            result = try narrowed.shape(chosen, for: target, inputName: input)
            result.sectionProperty = reader.sectionProperty
            if columns != nil || sections != nil { result.content = .rows }
        } else {
            result = try shaping.shape(source, for: target, inputName: input)
        }
        result.reader = try PhoneFormatting.apply(
            result.reader, from: source.reader.schema, context)
        let profile = folder == nil ? ContactsAhead.profile(target, context) : nil
        let endsGroups = ContactsAhead.endsGroups(target, context)
        if profile != nil || endsGroups {
            // All contacts of the class, also where only some are chosen.
            let whole = shaping
            let ahead = try ContactsAhead.look(at: opened, profile: profile, context: context) {
                (silent) throws(FormatError) in
                var shaping = whole
                shaping.context = silent
                let source = try opened.read(wish: .whatItIs, context: silent)
                return try shaping.shape(source, for: target, inputName: input).reader
            }
            if let ahead {
                result.reader =
                    endsGroups
                    ? ahead.withoutGroups(result.reader, context)
                    : ahead.grouping(result.reader, context)
                result.widths = ahead.widths
            }
        }
        result.linked = try EmbeddedLinks.gather(for: result, context) {
            (silent) throws(FormatError) in try opened.read(wish: .whatItIs, context: silent).reader
        }
        result.linkName = try LinkNames.lookup(for: result, in: opened, context: context)
        if let folder {
            var splitting = try Splitting(folder, as: target, context: context)
            return try splitting.run(result, progress: progress, beforeFinish: beforeFinish)
        }
        try Conversion.write(
            result, to: target, sink: Conversion.sink(output, for: target, context: context),
            context: context, progress: progress, beforeFinish: beforeFinish)
    }

    private func target() throws(FormatError) -> Format {
        if to == nil, output == "-" { return folder == nil ? .json : .csv }
        return try Registry.target(folder == nil ? output : "x.csv", named: to)
    }

    /// A file a class, all written side by side in one pass over the rows.
    private func split(
        _ source: ReadSource, _ opened: OpenedInput, into folder: String, as target: Format
    ) throws(FormatError) {
        guard let write = target.write else {
            throw FormatError(.usage, "\(target.name) can be read, not written")
        }
        try Splitting.makeFolder(folder)
        let schema = source.reader.schema
        let ending = target.extensions.first ?? target.name
        var writers: [Int: any RecordWriter] = [:]
        let wanted = try className.map { (name) throws(FormatError) in
            try ClassChoice.index(in: schema, named: name, file: input)
        }
        for index in ClassChoice.candidates(in: schema) where wanted == nil || wanted == index {
            let result = Shaping.Result(
                reader: source.reader, content: .rows, classIndex: index)
            let path = folder + "/" + schema.classes[index].name + "." + ending
            writers[index] = try write(
                WriteRequest(
                    sink: Conversion.sink(path, for: target, context: context), schema: schema,
                    classIndex: index, content: .rows, context: context,
                    linkName: LinkNames.lookup(for: result, in: opened, context: context)))
        }
        let batch = RecordBatch(schema: schema)
        var total = 0
        while try source.reader.next(into: batch) {
            guard let writer = writers[batch.classIndex] else { continue }
            try writer.write(batch)
            total += batch.rowCount
            progress?(total)
        }
        let order = writers.sorted { $0.key < $1.key }.map(\.value)
        for writer in order { try writer.complete() }
        Conversion.countRest(context.report)
        try beforeFinish?()
        for writer in order { try writer.finish() }
    }
}

extension FormatError {
    /// The same error as one of the command line, where its words came from.
    var asUsage: FormatError { with { $0.code = .usage } }
}
