// The seam between formats (DESIGN section 3): class readers and writers meet in `RecordBatch`.

/// Reads rows of classes, a batch at a time.
public protocol RecordReader: AnyObject {
    /// All classes; complete before the first batch.
    var schema: Schema { get }
    /// Fills the batch with rows of one class (it calls `begin(class:)`).
    /// - Returns: false at the end, with the batch empty.
    func next(into batch: RecordBatch) throws(FormatError) -> Bool
    /// What the source does not say of the rows read last; an update of stored rows leaves it.
    var gaps: RowGaps { get }
    /// Which of several inputs the rows read last come from, from 0.
    var inputNumber: Int { get }
}

extension RecordReader {
    /// Everything was said.
    public var gaps: RowGaps { RowGaps() }
    /// The only one.
    public var inputNumber: Int { 0 }
}

/// Values of a batch that stand there only because a property must have one.
public struct RowGaps: Sendable {
    /// Properties that no row of the batch has, by their position in the class.
    public var columns: Set<Int> = []
    /// Single values that were made up.
    public var cells: [(row: Int, column: Int)] = []
    /// How coarse values are that stand there; nil where they say everything exactly.
    var coarse: CoarseRows?
    /// True where to-dos that are done always say so: without a state they are open.
    var saysStates = false
    /// What the source would say of stored rows; nil where it says all that they do.
    var echo: (any RowEcho)?
    /// Rows that lack a value they must have, with their text: they can only update a stored row
    /// that has it, and are set aside elsewhere.
    var texts: [(row: Int, text: RowText)] = []
    /// Members that an embedded object of a row lacks: the positions from the class down.
    var inner: [(row: Int, path: [Int])] = []

    /// No gaps.
    public init() {}
}

/// A reader of what another one reads: it has the other's classes and knows what the other knows.
protocol WrappingReader: RecordReader {
    /// The other one.
    var reader: any RecordReader { get }
}

extension WrappingReader {
    var schema: Schema { reader.schema }
    var gaps: RowGaps { reader.gaps }
    var inputNumber: Int { reader.inputNumber }
}

/// A row as it stands in its source.
struct RowText {
    var bytes: [UInt8]
    /// The line of names that the bytes need to be read again.
    var heading: [UInt8]?
    var file: String?
}

/// A reader that ends its batches in a step of its own, which needs nothing of the first one but the
/// batch: the two may run on two threads, each over the batches in their order.
protocol SteppedReader: RecordReader {
    /// The first step; as `next(into:)`.
    func begin(_ batch: RecordBatch) throws(FormatError) -> Bool
    /// The second step.
    func end(_ batch: RecordBatch)
    /// Whether the steps share nothing that changes, this time.
    var isStepped: Bool { get }
}

/// Takes rows of classes, a batch at a time.
public protocol RecordWriter: AnyObject {
    /// Takes the rows of a batch; keeps nothing of it.
    func write(_ batch: RecordBatch) throws(FormatError)
    /// Writes what was held back until all rows were there, and notes what that lost. Called once
    /// or not at all: `finish()` does it where it was not done.
    func complete() throws(FormatError)
    /// Ends the output. Nothing stands under the final name before this returns.
    func finish() throws(FormatError)
}

extension RecordWriter {
    /// Nothing was held back.
    public func complete() throws(FormatError) {}
}

/// Options that mean the same for every format (DESIGN 1.1).
public struct ExchangeOptions: Sendable {
    /// Refuse any loss.
    public var strict = false
    /// Overwrite existing files.
    public var force = false
    /// A forced text encoding, by its usual name.
    public var encoding: String?
    /// The zone for clock times without one, by IANA name.
    public var zone: String?
    /// The encryption key of the input: 64 bytes.
    public var key: [UInt8]?
    /// The encryption key of the output: 64 bytes.
    public var outputKey: [UInt8]?
    /// Read the previous snapshot of a store.
    public var useOtherTop = false
    /// The most threads to use; nil for one a core.
    public var threads: Int?
    /// Options that only one format or map knows, by their long name without dashes.
    public var extra: [String: String] = [:]

    /// The usual options.
    public init() {}
}

/// What travels along with a conversion: options, the report and the place for rejects.
public final class ExchangeContext {
    /// The options.
    public let options: ExchangeOptions
    /// The notes so far.
    public let report: Report
    /// How rows that go to a store name the objects they link to; nil where there is no store.
    var links: LinkReferences?
    /// Takes the bytes of a record that is set aside, verbatim, and the reason; nil to drop them.
    public var onReject: ((UnsafeRawBufferPointer, FormatError) -> Void)?
    /// Takes the line of names that the next rejects need to be read again; called before each.
    public var onRejectHeading: ((UnsafeRawBufferPointer) -> Void)?

    /// A context.
    public init(options: ExchangeOptions = ExchangeOptions(), report: Report = Report()) {
        self.options = options
        self.report = report
    }

    /// Counts a record as set aside and hands its bytes on.
    /// - Parameter heading: the line of names that the bytes need to be read again.
    public func setAside(
        _ bytes: UnsafeRawBufferPointer, _ reason: FormatError,
        heading: UnsafeRawBufferPointer? = nil
    ) {
        report.setAside += 1
        let d = reason.details
        report.note(
            .setAside, d.code.rawValue, source: d.file, line: d.line, record: d.record,
            property: d.property, value: d.excerpt, action: d.message)
        if let heading { onRejectHeading?(heading) }
        onReject?(bytes, reason)
    }
}
