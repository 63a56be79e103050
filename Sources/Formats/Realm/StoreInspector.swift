// Says what a file is, or why it will not open and what to try next (DESIGN 1.7). It reads every
// row once to be sure; words and numbers are made here, printing is the command's.

/// What `rtool info` says of a file.
public struct StoreVerdict: Sendable {
    /// The verdict in a word.
    public enum Word: String, Sendable, CaseIterable {
        case ok, empty, truncated, encrypted, damaged
        case okOtherTop = "ok-other-top"
        case okSync = "ok-sync"
        case okHybrid = "ok-hybrid"
        case notRealm = "not-realm"
        case wrongKey = "wrong-key"
        case notEncrypted = "not-encrypted"
        case tornPages = "torn-pages"
        case unknownVersion = "unknown-version"
        case tooOld = "too-old"

        /// The exit code of `info`.
        public var exitCode: Int32 {
            switch self {
            case .ok, .okSync: 0
            case .okOtherTop, .okHybrid, .truncated, .tornPages, .damaged: 1
            case .notRealm, .empty, .unknownVersion, .tooOld: 65
            case .encrypted, .wrongKey, .notEncrypted: 77
            }
        }
    }

    /// The verdict.
    public var word: Word
    /// Why, in a sentence.
    public var explanation: String
    /// What to try next: a command line, or words where no command helps; nil when nothing needs
    /// to be done.
    public var nextCommand: String?
    /// The bytes of the file.
    public var fileSize: Int
    /// The format byte of the live header slot, where there is a header.
    public var fileFormat: Int?
    /// What is known of the store, when it opens.
    public var facts: StoreFacts?
    /// Its classes, when it opens.
    public var schema: Schema?
    /// Rows that can be read.
    public var rowsReadable = 0
    /// Rows that cannot.
    public var rowsBroken = 0
}

/// Looks at files that are, or should be, stores.
public enum StoreInspector {
    /// Looks at a file; anything that can be opened as a file gets a verdict.
    /// - Throws: `cannotOpen`, `isFolder`, `readFailed`, `changedWhileReading`.
    public static func inspect(_ path: String, key: [UInt8]? = nil, useOtherTop: Bool = false)
        throws(FormatError) -> StoreVerdict
    {
        inspect(try StoreFile.open(path), key: key, useOtherTop: useOtherTop)
    }

    /// Looks at bytes at hand.
    public static func inspect(_ input: InputBytes, key: [UInt8]? = nil, useOtherTop: Bool = false)
        -> StoreVerdict
    {
        var verdict = StoreVerdict(
            word: .ok, explanation: "", nextCommand: nil, fileSize: input.bytes.count)
        if let header = try? StoreHeader(input.bytes, name: input.name) {
            verdict.fileFormat = Int(header.snapshot(other: useOtherTop).format)
        }
        let live = attempt(input, key, other: useOtherTop)
        let failure: FormatError?
        switch live {
        case .success(let found):
            found.fill(&verdict)
            failure = nil
            if found.rows > 0, found.broken == 0, found.store.facts.broken.isEmpty {
                return whole(verdict, found)
            }
        case .failure(let error):
            failure = error
            guard error.code == .damaged || error.code == .truncated else {
                return refused(verdict, error, input)
            }
        }
        // The snapshot is broken or holds nothing: does the other one hold rows?
        if !useOtherTop, case .success(let other) = attempt(input, key, other: true),
            other.rows > verdict.rowsReadable, other.broken == 0,
            other.store.facts.broken.isEmpty, !other.store.facts.isTruncated
        {
            verdict.word = .okOtherTop
            verdict.explanation =
                (failure.map { "the live snapshot is broken (\($0.details.message))" }
                    ?? "the live snapshot holds \(verdict.rowsReadable) readable rows")
                + ", the one before holds \(other.rows)"
            verdict.nextCommand = "rtool convert --top other \(input.name) saved.json"
            if verdict.facts == nil { other.fill(&verdict) }
            verdict.rowsReadable = other.rows
            return verdict
        }
        if let failure { return refused(verdict, failure, input) }
        if case .success(let found) = live { return whole(verdict, found) }
        return verdict
    }

    private struct Found {
        var store: Store
        var rows: Int
        var broken: Int
        var firstProblem: String?

        func fill(_ verdict: inout StoreVerdict) {
            verdict.fileFormat = store.fileFormat
            verdict.facts = store.facts
            verdict.schema = store.schema
            verdict.rowsReadable = rows
            verdict.rowsBroken = broken
        }
    }

    private static func attempt(_ input: InputBytes, _ key: [UInt8]?, other: Bool)
        -> Result<Found, FormatError>
    {
        do throws(FormatError) {
            let store = try Store.open(input, options: StoreOptions(key: key, useOtherTop: other))
            let reader = store.makeReader()
            let batch = RecordBatch(schema: store.schema)
            while try reader.next(into: batch) {}
            let report = reader.context.report
            let problem = report.items.first { $0.kind == .setAside }
            return .success(
                Found(
                    store: store, rows: report.read, broken: report.setAside,
                    firstProblem: problem.map { "\($0.property ?? ""): \($0.action ?? $0.code)" }))
        } catch {
            return .failure(error)
        }
    }

    /// The verdict on a store that opens.
    private static func whole(_ before: StoreVerdict, _ found: Found) -> StoreVerdict {
        var verdict = before
        let facts = found.store.facts
        let name = found.store.path
        if found.broken > 0 || !facts.broken.isEmpty {
            let problem =
                facts.broken.first.map { "\($0.name): \($0.error.details.message)" }
                ?? found.firstProblem ?? "unknown"
            verdict.word = facts.isTruncated ? .truncated : .damaged
            verdict.explanation =
                (facts.isTruncated
                    ? "the file is cut off, \(facts.fileSize) of \(facts.logicalSize) bytes: " : "")
                + "\(found.rows) rows can be saved, \(found.broken) cannot; \(problem)"
            verdict.nextCommand = "rtool convert \(name) saved.json"
        } else if facts.isTruncated {
            verdict.word = .truncated
            verdict.explanation =
                "the file is cut off, \(facts.fileSize) of \(facts.logicalSize) bytes, "
                + "but all \(found.rows) rows can be read"
            verdict.nextCommand = "rtool convert \(name) saved.realm"
        } else if let torn = facts.encryption?.tornPages, !torn.isEmpty {
            verdict.word = .tornPages
            verdict.explanation =
                "\(torn.count) of \(facts.encryption?.pageCount ?? 0) pages are damaged "
                + "(first: page \(torn[0])), but no row stands on them: all \(found.rows) rows "
                + "can be read"
            verdict.nextCommand = "rtool convert --key HEX \(name) saved.realm"
        } else if facts.isHalfUpgraded {
            verdict.word = .okHybrid
            verdict.explanation =
                "an upgrade from file format 9 to 10 was interrupted; all \(found.rows) rows can "
                + "be read"
            verdict.nextCommand = "rtool convert \(name) whole.realm"
        } else if facts.isSync {
            verdict.word = .okSync
            verdict.explanation =
                "a store of a sync \(facts.historyType == 3 ? "client" : "server"): it can be read, "
                + "but not written"
        } else {
            verdict.word = .ok
            let classes = found.store.schema.classes.filter { !$0.isTable }.count
            verdict.explanation =
                "a store of file format \(found.store.fileFormat) with \(classes) classes and "
                + "\(found.rows) rows"
        }
        return verdict
    }

    /// The verdict on a file that does not open as a store.
    private static func refused(_ before: StoreVerdict, _ error: FormatError, _ input: InputBytes)
        -> StoreVerdict
    {
        var verdict = before
        verdict.explanation = error.details.message
        switch error.code {
        case .emptyFile:
            verdict.word = .empty
            verdict.nextCommand = "restore it from a backup: nothing is left to be read"
        case .truncated:
            verdict.word = .truncated
            verdict.nextCommand = "rtool convert --top other \(input.name) saved.json"
        case .encrypted:
            verdict.word = .encrypted
            verdict.nextCommand = "rtool info --key HEX \(input.name)"
        case .wrongKey, .badKey:
            verdict.word = .wrongKey
            verdict.nextCommand = error.details.fix
        case .notEncrypted:
            verdict.word = .notEncrypted
            verdict.nextCommand = "rtool info \(input.name)"
        case .tooOld:
            verdict.word = .tooOld
            verdict.nextCommand = error.details.fix
        case .unsupportedVersion:
            verdict.word = .unknownVersion
            verdict.nextCommand = "rtool info --top other \(input.name)"
        case .notRealm:
            verdict.word = .notRealm
            verdict.nextCommand = "rtool convert \(input.name) new.realm"
            if !ForeignFile.isConvertible(input.bytes) { verdict.nextCommand = error.details.fix }
        default:
            verdict.word = .damaged
            verdict.nextCommand = "rtool verify \(input.name)"
        }
        return verdict
    }
}
