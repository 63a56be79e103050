// A store that is upgraded where it stands: held, migrated beside, the original kept under a second
// name before the new one takes its place. At every instant the store's name leads to the old file
// or to the new one, whole. The rows are for `MigrationRun`.

internal import Formats

/// A store and what stands beside it.
struct InPlaceStore {
    /// The path, without symbolic links.
    let path: String
    let key: [UInt8]?

    init(_ path: String, key: [UInt8]?) {
        self.path = KeptFile.resolved(path)
        self.key = key
    }

    /// The path a store's original is kept under.
    func original(version: UInt64) -> String {
        let folder = OutputFile.folder(of: path)
        var name = path.split(separator: "/").last.map(String.init) ?? path
        if name.hasSuffix(".realm") { name.removeLast(6) }
        let kept = "\(name).before-v\(version).realm"
        return path.contains("/") ? (folder == "/" ? "/" : folder + "/") + kept : kept
    }

    private func beside(_ name: String) -> String {
        guard path.contains("/") else { return name }
        let folder = OutputFile.folder(of: path)
        return (folder == "/" ? "/" : folder + "/") + name
    }

    /// Opens the store; the lock is in our hands, so the file itself is read.
    func open() throws(FormatError) -> Store {
        try Store.open(InputBytes.open(path), options: StoreOptions(key: key))
    }

    // MARK: There

    /// Migrates the store.
    /// - Parameters:
    ///   - prepare: makes the run for an opened store and the options to write with.
    ///   - beforeNaming: called when all rows are through and the result is proven.
    func migrate(
        _ context: ExchangeContext,
        run prepare: (Store, ExchangeContext) throws(FormatError) -> MigrationRun,
        beforeNaming: @escaping (MigrationReport) throws(FormatError) -> Void
    ) throws(FormatError) -> MigrationReport {
        // A lock file is made only beside what is a store.
        _ = try Store.open(path, options: StoreOptions(key: key))
        let lock = try StoreLock(forWriting: path)
        defer { lock.release() }
        let store = try open()
        try refuse(store)
        var options = context.options
        options.force = true
        if options.outputKey == nil, store.facts.encryption != nil { options.outputKey = key }
        var run = try prepare(store, ExchangeContext(options: options, report: context.report))
        if try run.isUpToDate() {
            return MigrationReport(
                plan: run.plan.name, planHash: run.plan.hash, from: run.version, to: run.version,
                fileFormat: store.fileFormat)
        }
        let kept = original(version: run.version)
        var journal = try settledJournal()
        if KeptFile.exists(kept) {
            throw FormatError(
                .exists, "the original of an earlier migration is kept under this name",
                file: kept, fix: "move it away, or pass --discard-original first")
        }
        let old = journal
        var isNoted = false
        var isKept = false
        // The bytes of both files are noted beside the work on them.
        let originalBytes = PendingDigest(file: path)
        var storeBytes: FileDigest?
        run.whileFlushing = { storeBytes = FileDigest($0) }
        run.beforeNaming = { (report) throws(FormatError) in
            try beforeNaming(report)
            let bytes = try originalBytes.value()
            let name = kept.split(separator: "/").last.map(String.init) ?? kept
            journal.entries.append(.init(report, original: name, bytes: bytes))
            isNoted = true
            try journal.save()
            try KeptFile.keep(path, as: kept)
            isKept = true
        }
        let report: MigrationReport
        do throws(FormatError) {
            report = try run.write(to: path)
        } catch {
            // The store still is the old one: no trace of the attempt stays.
            if isKept { try? KeptFile.remove(kept) }
            if isNoted { try? old.save() }
            throw error
        }
        guard report.isWritten, let last = journal.entries.indices.last else { return report }
        journal.entries[last].state = .done
        journal.entries[last].storeBytes = storeBytes
        // A full disk here changes nothing: the run is noted, and the files tell that it ended.
        try? journal.save()
        return report
    }

    private func refuse(_ store: Store) throws(FormatError) {
        if store.facts.isSync {
            throw FormatError(
                .sync, "the store belongs to a sync client; in place it would lose its history",
                file: path, fix: "migrate it into a new store with -o OUT")
        }
        if let broken = store.facts.broken.first {
            throw FormatError(
                .damaged,
                "the class \(broken.name) cannot be read: "
                    + broken.error.details.message, file: path,
                fix: "migrate what can be read into a new store with -o OUT")
        }
    }

    // MARK: The journal and the files

    /// The journal, with runs that were interrupted brought to an end in words.
    func settledJournal() throws(FormatError) -> MigrationJournal {
        var journal = try MigrationJournal(of: path)
        var entries: [MigrationJournal.Entry] = []
        for entry in journal.entries {
            var entry = entry
            let kept = beside(entry.original)
            let isThere = KeptFile.exists(kept)
            switch entry.state {
            case .begun:
                let isSame = isThere && KeptFile.areSame(kept, path)
                let isOld = try isOriginal(entry)
                if isSame || isOld {
                    // The new store never took its name.
                    if isThere { try KeptFile.remove(kept) }
                    continue
                }
                entry.state = .done
            case .done:
                if !isThere { entry.state = try isOriginal(entry) ? .undone : .discarded }
            case .undone, .discarded: break
            }
            entries.append(entry)
        }
        journal.entries = entries
        return journal
    }

    /// True when the store is the very file the run began with.
    private func isOriginal(_ entry: MigrationJournal.Entry) throws(FormatError) -> Bool {
        guard KeptFile.exists(path) else { return false }
        return try FileDigest(file: path) == entry.originalBytes
    }

    // MARK: And back

    /// Puts the original of the last run back.
    /// - Throws: `missingValue` when there is none, `strictLoss` when the store has changed since.
    func undo(force: Bool) throws(FormatError) -> MigrationJournal.Entry {
        guard KeptFile.exists(path + ".rtool-journal.json") else { throw nothingToUndo() }
        let lock = try StoreLock(forWriting: path)
        defer { lock.release() }
        var journal = try settledJournal()
        guard let last = journal.entries.lastIndex(where: { $0.state != .undone }) else {
            throw nothingToUndo()
        }
        let entry = journal.entries[last]
        let kept = beside(entry.original)
        guard entry.state == .done, KeptFile.exists(kept) else {
            throw FormatError(
                .missingValue, "the original of schema version \(entry.from) was discarded",
                file: kept)
        }
        if !force {
            guard try FileDigest(file: kept) == entry.originalBytes else {
                throw FormatError(
                    .damaged, "the kept original has changed since it was set aside", file: kept,
                    fix: "look at it first; --force puts it back as it is")
            }
            if KeptFile.exists(path), try !isUnchanged(entry) {
                throw FormatError(
                    .strictLoss, "the store has changed since it was migrated", file: path,
                    fix: "those changes would be lost; --force puts the original back all the same")
            }
        }
        try KeptFile.restore(kept, to: path)
        journal.entries[last].state = .undone
        // Should this fail, the files tell the same.
        try? journal.save()
        return journal.entries[last]
    }

    private func nothingToUndo() -> FormatError {
        FormatError(
            .missingValue, "there is nothing to undo: no migration of this store is noted",
            file: path, fix: "only rtool migrate --in-place can be undone")
    }

    /// True when the store holds what the run left: the same bytes, or the same rows in a file that
    /// an app has opened meanwhile.
    private func isUnchanged(_ entry: MigrationJournal.Entry) throws(FormatError) -> Bool {
        if let bytes = entry.storeBytes, try FileDigest(file: path) == bytes { return true }
        let store = try open()
        guard store.schema.version == entry.to else { return false }
        let digest = ContentDigest(store.schema)
        let reader = store.makeReader()
        let batch = RecordBatch(schema: store.schema)
        while try reader.next(into: batch) { digest.add(batch) }
        return digest.text == entry.contentAfter
    }

    /// Removes the originals that are kept, once the store itself is found whole.
    func discardOriginals() throws(FormatError) -> [String] {
        guard KeptFile.exists(path + ".rtool-journal.json") else { throw nothingToDiscard() }
        let lock = try StoreLock(forWriting: path)
        defer { lock.release() }
        var journal = try settledJournal()
        let kept = journal.entries.indices.filter { journal.entries[$0].state == .done }
        guard !kept.isEmpty else { throw nothingToDiscard() }
        if let finding = try open().check().findings.first {
            throw FormatError(
                .damaged,
                "the store is not sound, so its original stays: \(finding.message)",
                file: path, fix: "rtool migrate --undo puts the original back")
        }
        var removed: [String] = []
        for i in kept {
            let name = beside(journal.entries[i].original)
            try KeptFile.remove(name)
            removed.append(name)
            journal.entries[i].state = .discarded
        }
        try journal.save()
        return removed
    }

    private func nothingToDiscard() -> FormatError {
        FormatError(.missingValue, "no original of this store is kept", file: path)
    }
}

extension MigrationRun {
    /// True when the store has the target version already.
    func isUpToDate() throws(FormatError) -> Bool {
        try plan.steps(from: version, to: target).isEmpty
    }
}
