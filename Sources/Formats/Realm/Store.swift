// A store as the rest of the house sees it: opened, its schema known, its rows to be had from a
// reader. How files are laid out is left to Container, Node, Leaves, Modern and Legacy.

/// How to open a store.
public struct StoreOptions: Sendable {
    /// The 64 bytes of an encrypted store's key.
    public var key: [UInt8]?
    /// Read the snapshot before the live one.
    public var useOtherTop: Bool

    /// Options; without any, the live snapshot of a plain store is read.
    public init(key: [UInt8]? = nil, useOtherTop: Bool = false) {
        self.key = key
        self.useOtherTop = useOtherTop
    }
}

/// What is known of a store's file beside its schema.
public struct StoreFacts: Sendable {
    /// The two top references of the header.
    public var topReferences: (UInt64, UInt64)
    /// The two format bytes of the header.
    public var formats: (Int, Int)
    /// Which of the two is live: 0 or 1.
    public var liveSlot: Int
    /// Written in one go, with its root at the end.
    public var isStreaming: Bool
    /// 0 none, 2 in the file, 3 sync client, 4 sync server.
    public var historyType: Int
    /// The number of the snapshot.
    public var snapshotVersion: Int64
    /// The bytes the snapshot says it takes.
    public var logicalSize: Int
    /// The bytes of the file.
    public var fileSize: Int
    /// Tables that are internal and left out.
    public var internalTables: [String]
    /// Classes and tables of which nothing can be read, and why.
    public var broken: [(name: String, error: FormatError)]
    /// True when an upgrade from format 9 to 10 was interrupted.
    public var isHalfUpgraded = false
    /// What is known of an encrypted file; nil for a plain one.
    public var encryption: EncryptionFacts?

    /// The bytes there are once an encrypted file is decrypted.
    public var imageSize = 0

    /// True when the end of the file is missing.
    public var isTruncated: Bool { logicalSize > imageSize }
    /// True for a store that belongs to a sync client or server.
    public var isSync: Bool { historyType == 3 || historyType == 4 }
}

/// An opened store. Opening and reading never change the file or its folder.
public final class Store: Sendable {
    /// The path, or `-`.
    public let path: String
    /// The format byte of the header slot that is read.
    public let fileFormat: Int
    /// The classes and plain tables, with the row counts the file states.
    public let schema: Schema
    /// What else is known of the file.
    public let facts: StoreFacts

    let image: LogicalImage
    let header: StoreHeader
    let topReference: UInt64
    let plans: [TablePlan]
    let renamedColumns: Int

    /// Opens a store for reading.
    /// - Throws: `cannotOpen`, `isFolder`, `emptyFile`, `notRealm`, `encrypted`, `notEncrypted`,
    ///   `tooOld`, `unsupportedVersion`, `truncated`, `damaged`, `changedWhileReading`.
    public static func open(_ path: String, options: StoreOptions = StoreOptions())
        throws(FormatError) -> Store
    {
        try open(StoreFile.open(path), options: options)
    }

    /// Opens a store whose bytes are at hand.
    public static func open(_ input: InputBytes, options: StoreOptions = StoreOptions())
        throws(FormatError) -> Store
    {
        try Store(input, options)
    }

    private init(_ input: InputBytes, _ options: StoreOptions) throws(FormatError) {
        image = try LogicalImage.find(input, key: options.key)
        path = input.name
        header = try StoreHeader(image.bytes, name: input.name)
        let (top, format) = header.snapshot(other: options.useOtherTop)
        fileFormat = Int(format)
        topReference = top
        if options.useOtherTop, header.isStreaming || top == 0 {
            throw FormatError(
                .damaged, "the store keeps no other snapshot", file: path,
                fix: "leave out --top other")
        }
        var plan = SnapshotPlan(schema: Schema(classes: []), tables: [], internalTables: [])
        var group: Group?
        if top != 0 {
            try Store.check(format: format, path)
            let gate = NodeGate(image)
            let found = try Group(gate, top: top)
            plan =
                format < 10
                ? try LegacySchema.plan(gate, found) : try ModernSchema.plan(gate, found)
            group = found
        }
        schema = plan.schema
        plans = plan.tables
        renamedColumns = plan.renamedColumns
        var broken: [(String, FormatError)] = []
        for (definition, table) in zip(plan.schema.classes, plan.tables) {
            if let error = table.damage { broken.append((definition.name, error)) }
        }
        facts = StoreFacts(
            topReferences: header.tops, formats: (Int(header.formats.0), Int(header.formats.1)),
            liveSlot: header.slot, isStreaming: header.isStreaming,
            historyType: group?.historyType ?? 0, snapshotVersion: group?.version ?? 0,
            logicalSize: group?.logicalSize ?? 24, fileSize: input.bytes.count,
            internalTables: plan.internalTables, broken: broken,
            isHalfUpgraded: plan.isHalfUpgraded, encryption: image.encryption,
            imageSize: image.bytes.count)
    }

    private static let known: Set<UInt8> = [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 20, 21, 22, 23, 24]

    private static func check(format: UInt8, _ path: String) throws(FormatError) {
        if known.contains(format) { return }
        switch format {
        case 0, 1:
            throw FormatError(
                .tooOld, "file format \(format) is older than any Realm product", file: path,
                offset: 20, fix: "only the TightDB library of 2012-2013 reads it")
        default:
            throw FormatError(
                .unsupportedVersion,
                format > 24
                    ? "file format \(format) is newer than 24, the newest known"
                    : "file format \(format) never existed", file: path, offset: 20,
                fix: "the header may be damaged: rtool info shows both snapshots")
        }
    }

    /// A reader of the rows.
    /// - Parameters:
    ///   - classes: positions in `schema.classes`; nil for all. Embedded classes stand inline.
    ///   - wanted: the properties to read; nil for all.
    ///   - context: takes notes of what is set aside.
    public func makeReader(
        classes: [Int]? = nil, wanted: ((ClassSchema, Property) -> Bool)? = nil,
        context: ExchangeContext = ExchangeContext()
    ) -> StoreReader {
        StoreReader(self, classes: classes, wanted: wanted, context: context)
    }
}
