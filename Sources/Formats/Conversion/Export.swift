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
        let map = try AppMap.optional(self.map)
        let opened = try OpenedInput(input, from: from)
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
            let selection = try RowSelection(
                schema: schema, classIndex: index, predicate: condition, sort: sort,
                sections: sections, limit: limit, columns: columns)
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

    /// A file a class.
    private func split(
        _ source: ReadSource, _ opened: OpenedInput, into folder: String, as target: Format
    ) throws(FormatError) {
        try Splitting.makeFolder(folder)
        let schema = source.reader.schema
        let ending = target.extensions.first ?? target.name
        for (index, known) in schema.classes.enumerated()
        where known.kind != .embedded && !known.isTable {
            let reader = try opened.read(wish: .whatItIs, context: context).reader
            var result = Shaping.Result(
                reader: OneClassReader(reader, classIndex: index), content: .rows,
                classIndex: index)
            result.linkName = try LinkNames.lookup(for: result, in: opened, context: context)
            let path = folder + "/" + known.name + "." + ending
            try Conversion.write(
                result, to: target, sink: Conversion.sink(path, for: target, context: context),
                context: context, progress: progress, beforeFinish: beforeFinish)
        }
    }
}
