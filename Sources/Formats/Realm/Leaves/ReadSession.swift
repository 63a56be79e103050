// What the leaves of one pass share: the gate, the room that is left for one batch, scratch
// space, and notes of what could not be delivered as it stands.

/// The state of one pass over a store.
final class ReadSession {
    let gate: NodeGate
    /// The position in the schema of each table, by table key.
    let classOfTable: [Int64: Int]
    /// The table key of each class of the schema.
    let tableOfClass: [Int64]
    /// Bytes that may still be appended before the rows at hand must be read in smaller portions.
    var room = Int.max
    /// True while the part being read is the leaf of a whole column, not one row's value.
    var isOpeningLeaf = false
    /// Scratch for end offsets and indexes.
    let scratch = RawVector<Int64>(capacity: 1024)

    /// Links to deleted objects (tombstones) that were left out or read as null.
    var unresolvedLinks = 0
    /// Embedded objects or linked tables that are not there.
    var danglingLinks = 0
    /// Dictionary values of another type than declared.
    var foreignValues = 0
    /// Sets and dictionaries that were not in the order of format 24, or held something twice.
    var disorderedCollections = 0
    /// Old dates so far in the future that they are milliseconds, most likely.
    var farDates = 0
    /// Old mixed values whose date was lost when they were exported.
    var lostDates = 0
    /// Old lists whose inner nodes miscount their elements.
    var miscountedLists = 0

    init(_ gate: NodeGate, tables: [Int64]) {
        self.gate = gate
        tableOfClass = tables
        classOfTable = Dictionary(
            zip(tables, tables.indices), uniquingKeysWith: { first, _ in first })
    }

    deinit { scratch.destroy() }

    /// Takes room for bytes about to be appended.
    @inline(__always)
    func charge(_ bytes: Int) throws(FormatError) {
        room &-= bytes
        if room < 0 { throw ReadSession.full }
    }

    private static let full = FormatError(
        .limitExceeded, "one row claims far more content than the file can hold")

    /// Copies integers into the scratch vector.
    func load(_ node: Node, _ range: Range<Int>) -> UnsafeMutablePointer<Int64> {
        scratch.removeAll()
        let out = scratch.extend(max(range.count, 1))
        node.copy(range, to: out)
        return out
    }
}

/// The two bits in which the leaves of old and new files differ. They belong to the part being
/// read, not to the file: a half-upgraded file has both kinds.
struct Dialect: Sendable, BitwiseCopyable {
    /// In a medium string leaf a flag of 1 means "has a value"; since format 10 it means null.
    var flagMeansValue = false
    /// A null bool is the leaf's first element, as with ints; since format 10 it is a 3.
    var boolHasSentinel = false

    /// Formats 10 and later.
    static let modern = Dialect()
    /// Formats before 10.
    static let legacy = Dialect(flagMeansValue: true, boolHasSentinel: true)
}

/// The values of an enumerated string column; filled once, then only read.
final class EnumeratedStrings: @unchecked Sendable {
    let values: Column
    init(_ values: Column) { self.values = values }
}

/// How the values of a column are stored.
struct LeafFormat: Sendable {
    /// The encodings of leaves.
    enum Kind: Sendable {
        case int, bool, float, double, string, data, date, decimal, objectId, uuid, link
        case typedLink, mixed
    }

    var kind: Kind
    var isNullable: Bool
    var dialect = Dialect.modern
    /// The values of an enumerated string column.
    var enumerated: EnumeratedStrings?
    /// In collections links are stored as they are, in columns one higher (0 = null).
    var isElement = false
    /// One of the encodings that ended with format 9.
    var old: OldKind?
    /// What the rows are that old links lead to.
    var rows: LinkedRows?

    /// Encodings of formats before 10 that have no leaf of their own.
    enum OldKind: Sendable {
        /// Dates of whole seconds, stored as ints.
        case seconds
        /// Dates as two trees: seconds and nanoseconds.
        case date
        /// Values of any type, as four trees.
        case mixed
        /// Row numbers.
        case link
    }
}
