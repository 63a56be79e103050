// Records of any format into a new store, or joined with the rows of an existing one.

/// One import.
public struct Import {
    /// What to import: paths, or `-`.
    public var inputs: [String]
    /// The store's path.
    public var store: String
    /// The inputs' format, by name.
    public var from: String?
    /// A map's name or file, also a file of lines `column = field`.
    public var map: String?
    /// A file of lines `column = field`, besides a map of classes.
    public var columns: String?
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
        if let there = System.status(path: store) {
            if !there.isRegular, !there.isDirectory {
                throw FormatError(
                    .cannotCreate, "a device or pipe cannot become a store", file: store,
                    fix: "name a file")
            }
            // Held from before the first byte is read until the new store has its name.
            if !isDryRun { lock = try StoreLock(forWriting: store) }
            existing = try openExisting()
        }
        defer { lock?.release() }
        if let existing {
            let quiet = ExchangeContext(options: context.options)
            context.links = LinkReferences { (name) throws(FormatError) in
                try LinkReferences.StoredKeys(of: name, in: existing.makeReader(context: quiet))
            }
        }
        var sources = ImportSources(
            from: from, map: MapChoice(map, columns: columns), className: className,
            existing: existing?.schema,
            context: context)
        sources.match = self.options.match
        let incoming = try sources.open(inputs)
        if existing == nil, inputs.count == 1, sources.targetClass == nil {
            defer { sources.noteNoRecords() }
            if isDryRun { return try drain(incoming) }
            return try write(incoming, counting: context)
        }
        var options = self.options
        options.targetClass = options.targetClass ?? sources.targetClass
        options.areKeysDerived = options.areKeysDerived || sources.areKeysDerived
        options.emptySaysNothing = options.emptySaysNothing || !sources.holdsStore
        options.areRowsOfRecords = options.areRowsOfRecords || sources.areRowsOfRecords
        options.dayHere = options.dayHere ?? Import.dayHere(context)
        options.instant = options.instant ?? Import.instant(context)
        let importer: Importer
        do throws(FormatError) {
            importer = try Importer(
                existing: existing?.schema ?? incoming.schema,
                open: { () throws(FormatError) in
                    guard let existing else { return EmptyReader(incoming.schema) }
                    return existing.makeReader(context: ExchangeContext(options: context.options))
                }, incoming: incoming, options: options, context: context)
        } catch {
            // Names of classes and properties to match by come from the command line.
            throw error.code == .unknownName ? error.asUsage : error
        }
        if let existing {
            let groups = StoredGroups { () throws(FormatError) in
                existing.makeReader(context: ExchangeContext(options: self.context.options))
            }
            importer.findGroups = { (batch) throws(FormatError) in try groups.find(batch) }
        }
        defer { sources.noteNoRecords() }
        if isDryRun { return try importer.dryRun() }
        // Rows that did not change are carried along; only the new ones count as written, and
        // the importer counts those.
        var writing = context.options
        // An encrypted store stays encrypted, with its own key unless another is given.
        if writing.outputKey == nil, let existing, existing.facts.encryption != nil {
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

extension Import {
    /// The day of clock times in the zone of a conversion.
    private static func dayHere(_ context: ExchangeContext) -> ImportOptions.Day? {
        guard let here = context.options.zone else { return nil }
        let library = context.zoneLibrary
        return { local, zones in
            guard let name = zones.first(where: { library.zone(named: $0) != nil }) else {
                return nil
            }
            return TodoMoment(local: local, tzid: name).moved(to: here, library).day
        }
    }

    /// What clock times mean, by the zones of a conversion.
    private static func instant(_ context: ExchangeContext) -> ImportOptions.Instant {
        let (library, floating) = (context.zoneLibrary, context.options.zone)
        return { local, zones, definitions in
            let known =
                definitions.isEmpty ? library : ZoneLibrary(library, definitions: definitions)
            let names = zones.isEmpty ? [floating].compactMap { $0 } : zones
            guard let name = names.first(where: { known.zone(named: $0) != nil }) else {
                return nil
            }
            return TodoMoment(local: local, tzid: name).instant(known, floating: nil)
        }
    }
}
