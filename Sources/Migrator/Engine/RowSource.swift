// Where rows come from, again and again: the store at the bottom, and each stage above it. A
// source is opened once for the work itself and once for each stage that must look ahead.

package import Formats

/// Rows that can be read several times.
package protocol RowSource: AnyObject {
    /// The classes; positions are the same in all stages, dropped classes keep theirs.
    var schema: Schema { get }
    /// Opens the rows from their beginning.
    /// - Parameters:
    ///   - classes: positions of the wanted classes, nil for all.
    ///   - counting: true for the one pass whose outcomes are reported.
    func open(classes: Set<Int>?, counting: Bool) throws(FormatError) -> any RowStream
}

/// One pass over rows.
package protocol RowStream: AnyObject {
    /// Rows of one class, nil at the end; valid until the next call.
    func next() throws(FormatError) -> RecordBatch?
}

/// The rows of a reader at the bottom.
final class BaseSource: RowSource {
    typealias Open = (Set<Int>?, Bool) throws(FormatError) -> any RecordReader

    let schema: Schema
    private let openReader: Open

    init(schema: Schema, open: @escaping Open) {
        self.schema = schema
        openReader = open
    }

    func open(classes: Set<Int>?, counting: Bool) throws(FormatError) -> any RowStream {
        BaseStream(try openReader(classes, counting), classes)
    }
}

private final class BaseStream: RowStream {
    private let reader: any RecordReader
    private let classes: Set<Int>?
    private let batch: RecordBatch
    /// The next key of rows that came without, by class.
    private var nextKey: [Int: Int64] = [:]

    init(_ reader: any RecordReader, _ classes: Set<Int>?) {
        self.reader = reader
        self.classes = classes
        batch = RecordBatch(schema: reader.schema)
    }

    func next() throws(FormatError) -> RecordBatch? {
        while try reader.next(into: batch) {
            if let classes, !classes.contains(batch.classIndex) { continue }
            if batch.keys.isEmpty {
                let first = nextKey[batch.classIndex] ?? 0
                for i in 0..<batch.rowCount { batch.keys.append(first + Int64(i)) }
                nextKey[batch.classIndex] = first + Int64(batch.rowCount)
            }
            return batch
        }
        return nil
    }
}

/// The rows as a stage leaves them.
final class StagedSource: RowSource {
    private let source: any RowSource
    let stage: any Stage
    private let log: StageLog

    init(_ source: any RowSource, _ stage: any Stage, log: StageLog) {
        self.source = source
        self.stage = stage
        self.log = log
    }

    var schema: Schema { stage.output }

    /// Lets the stage look at the rows below, once, before they are opened.
    func prepare() throws(FormatError) { try stage.prepare(source, log: log) }

    func open(classes: Set<Int>?, counting: Bool) throws(FormatError) -> any RowStream {
        try stage.open(source, classes: classes, log: counting ? log : nil)
    }
}

/// What one change, or several that go together, does to the rows.
package protocol Stage: AnyObject {
    /// The classes afterwards.
    var output: Schema { get }
    /// For each class afterwards, which class it is and where its columns come from unchanged.
    var lineage: [ClassLineage] { get }
    /// Where the columns of each class come from, where all rows stay under their keys; nil where
    /// rows come, go, move, or have to be worked out one by one.
    var carried: [CarriedRows]? { get }
    /// Looks at the rows as they come in, in passes of its own.
    func prepare(_ source: any RowSource, log: StageLog) throws(FormatError)
    /// Opens a pass; outcomes are noted where a log is given.
    func open(_ source: any RowSource, classes: Set<Int>?, log: StageLog?) throws(FormatError)
        -> any RowStream
}

/// Where a class of a schema comes from.
package struct ClassLineage: Equatable {
    /// The class before; nil for one whose rows are made, left out or gathered.
    package var source: Int?
    /// For each property, the unchanged column before; nil for one that is worked out.
    package var columns: [Int?]
}
