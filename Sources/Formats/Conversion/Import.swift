// Records of any format into a new store, or joined with the rows of an existing one.

/// One import.
public struct Import {
    /// What to import: paths, or `-`.
    public var inputs: [String]
    /// The store's path.
    public var store: String
    /// The inputs' format, by name.
    public var from: String?
    /// A map's name or file.
    public var map: String?
    /// The class to import into.
    public var className: String?
    /// How rows are matched.
    public var options = ImportOptions()
    /// Say what would happen, write nothing.
    public var isDryRun = false
    /// Options, report and rejects.
    public var context: ExchangeContext
    /// Called with the number of rows moved so far.
    public var progress: ((Int) -> Void)?
    /// Called before anything takes its final name; throws to refuse the result.
    public var beforeFinish: (() throws(FormatError) -> Void)?

    /// An import into a store.
    public init(_ inputs: [String], into store: String, context: ExchangeContext) {
        self.inputs = inputs
        self.store = store
        self.context = context
    }

    /// Imports; the report tells what became of the records.
    public func run() throws(FormatError) {
        var lock: StoreLock?
        var existing: Store?
        if System.status(path: store) != nil {
            // Held from before the first byte is read until the new store has its name.
            if !isDryRun { lock = try StoreLock(forWriting: store) }
            existing = try openExisting()
        }
        defer { lock?.release() }
        let map = try chosenMap(for: existing)
        let incoming = try incoming(map, existing: existing)
        guard let existing else {
            if isDryRun { return try drain(incoming) }
            return try write(incoming, counting: context)
        }
        var options = self.options
        if let className, existing.schema.index(of: className) != nil {
            options.targetClass = options.targetClass ?? (map == nil ? className : nil)
        }
        options.areKeysDerived = options.areKeysDerived || map != nil
        let importer = try Importer(
            existing: existing.schema,
            open: { () throws(FormatError) in
                existing.makeReader(context: ExchangeContext(options: context.options))
            }, incoming: incoming, options: options, context: context)
        if isDryRun { return try importer.dryRun() }
        // Rows that did not change are carried along; only the new ones count as written, and
        // the importer counts those.
        var writing = context.options
        // An encrypted store stays encrypted, with its own key unless another is given.
        if writing.outputKey == nil, existing.facts.encryption != nil {
            writing.outputKey = writing.key
        }
        try write(importer.mergedReader(), counting: ExchangeContext(options: writing))
    }

    private func openExisting() throws(FormatError) -> Store {
        let options = context.options
        let storeOptions = StoreOptions(
            key: options.key ?? options.outputKey, useOtherTop: options.useOtherTop)
        // With the lock in our hands nobody else writes, so the file itself is read.
        let input = try InputBytes.open(store)
        let found: Store
        do throws(FormatError) {
            found = try Store.open(input, options: storeOptions)
        } catch {
            // A key may be meant for the input alone, or for the store that is to be written.
            guard error.code == .notEncrypted,
                options.outputKey != nil || inputs.contains(where: { $0.hasSuffix(".realm") })
            else { throw error }
            found = try Store.open(input, options: StoreOptions(useOtherTop: options.useOtherTop))
        }
        if found.facts.isSync {
            throw FormatError(
                .sync, "the store belongs to a sync client; writing it would lose its history",
                file: store,
                fix: "convert it to a plain store first: rtool convert \(store) new.realm")
        }
        if found.fileFormat != 24, options.extra["file-format"] == nil {
            let keeps =
                WriterDialect.known.contains(found.fileFormat)
                ? ", or --file-format \(found.fileFormat) to keep it as it is" : ""
            throw FormatError(
                .unsupportedVersion,
                "the store has file format \(found.fileFormat); importing would upgrade it to 24",
                file: store, fix: "pass --file-format 24 to upgrade it" + keeps)
        }
        return found
    }

    /// The map that was named, or the one whose class an existing store has.
    private func chosenMap(for existing: Store?) throws(FormatError) -> AppMap? {
        if map != nil { return try AppMap.optional(map) }
        guard let existing, existing.schema.index(of: "Contact") == nil,
            existing.schema.index(of: "TodoItem") == nil
        else { return nil }
        let found =
            AppMap.fitting(existing.schema, className: className, for: .contacts)
            ?? AppMap.fitting(existing.schema, className: className, for: .tasks)
        if let found {
            context.report.note(
                .guessed, "map", value: found.name,
                action: "the store has the class of this map; --map chooses another")
        }
        return found
    }

    /// All inputs as one reader.
    private func incoming(_ map: AppMap?, existing: Store?) throws(FormatError)
        -> any RecordReader
    {
        var readers: [any RecordReader] = []
        for path in inputs {
            let opened = try OpenedInput(path, from: from)
            var wish =
                LosslessMap.wish(self.map)
                ?? Shaping.wish(for: .realm, map: map, context: context)
            if self.map == nil, map == nil, let className, let schema = existing?.schema,
                let index = schema.index(of: className),
                opened.format.content == .rows
                    || opened.format.name == Format.json.name
            {
                wish = .rowsOrRecords(TargetClass(schema: schema, classIndex: index))
            }
            var source = try opened.read(wish: wish, context: context)
            if existing == nil, map == nil, let className { source = source.naming(className) }
            try LosslessMap.check(source, for: self.map)
            readers.append(
                try Shaping(context: context, map: map, className: nil)
                    .shape(source, for: .realm, inputName: path).reader)
        }
        guard let first = readers.first else {
            throw FormatError(.usage, "nothing to import")
        }
        if readers.count == 1 { return first }
        for (reader, path) in zip(readers, inputs) where reader.schema != first.schema {
            throw FormatError(
                .schemaMismatch, "\(path) and \(inputs[0]) do not have the same classes",
                file: path, fix: "import them one after the other")
        }
        return ChainReader(readers, schema: first.schema)
    }

    private func drain(_ reader: any RecordReader) throws(FormatError) {
        let batch = RecordBatch(schema: reader.schema)
        while try reader.next(into: batch) { context.report.written += batch.rowCount }
    }

    private func write(_ reader: any RecordReader, counting context: ExchangeContext)
        throws(FormatError)
    {
        let exists = System.status(path: store) != nil
        let file = try OutputFile.create(store, force: exists)
        guard let write = Format.realm.write else { return }
        // The writer notes things on its own thread.
        let writing = ExchangeContext(options: context.options)
        defer { context.report.take(writing.report) }
        let writer = try write(
            WriteRequest(sink: file, schema: reader.schema, content: .store, context: writing))
        try Pump.run(
            reader, into: writer, threads: context.options.threads, progress: progress)
        try writer.complete()
        context.report.take(writing.report)
        try beforeFinish?()
        try writer.finish()
    }
}
