// Batches from a reader to a writer, each on a thread of its own: while one batch is written, the
// next one is read; keys that have to be made are made in between. Readers count what they read,
// writers what they write, each in a report of its own, so that the result is the same on one
// thread.

/// Moves batches.
enum Pump {
    /// Moves everything; rows of other classes than `classIndex` are passed over when it is given.
    ///
    /// Reader and writer must not share anything that changes.
    static func run(
        _ reader: any RecordReader, into writer: any RecordWriter, classIndex: Int? = nil,
        threads: Int? = nil, progress: ((Int) -> Void)? = nil
    ) throws(FormatError) {
        let reading = Reading(reader, classIndex)
        guard (threads ?? System.processorCount) > 1,
            let first = System.startThread({ reading.read() })
        else { return try runAlone(reader, into: writer, classIndex, progress) }
        defer { first.join() }
        let second = reading.stepped == nil ? nil : System.startThread { reading.endBatches() }
        defer { second?.join() }
        do throws(FormatError) {
            try write(reading, isEnded: second != nil, into: writer, progress)
        } catch {
            reading.free.close(dropping: true)
            throw error
        }
    }

    private static func runAlone(
        _ reader: any RecordReader, into writer: any RecordWriter, _ classIndex: Int?,
        _ progress: ((Int) -> Void)?
    ) throws(FormatError) {
        let batch = RecordBatch(schema: reader.schema)
        var total = 0
        while try reader.next(into: batch) {
            if let classIndex, batch.classIndex != classIndex { continue }
            try writer.write(batch)
            total += batch.rowCount
            progress?(total)
        }
    }

    private static func write(
        _ reading: Reading, isEnded: Bool, into writer: any RecordWriter,
        _ progress: ((Int) -> Void)?
    ) throws(FormatError) {
        for _ in 0..<(isEnded ? 3 : 2) {
            reading.free.give(RecordBatch(schema: reading.reader.schema))
        }
        var total = 0
        while let batch = (isEnded ? reading.ended : reading.full).take() {
            if !isEnded { reading.stepped?.end(batch) }
            try writer.write(batch)
            total += batch.rowCount
            progress?(total)
            reading.free.give(batch)
        }
        if let failure = reading.failure { throw failure }
    }

    /// The reader's side.
    private final class Reading: @unchecked Sendable {
        let reader: any RecordReader
        /// The reader, when its second step has a thread of its own.
        let stepped: (any SteppedReader)?
        private let classIndex: Int?
        /// Batches to be filled.
        let free = Handoff<RecordBatch>()
        /// Batches that were read.
        let full = Handoff<RecordBatch>()
        /// Batches whose second step is done.
        let ended = Handoff<RecordBatch>()
        /// Why the reader stopped; set before `full` is closed.
        private(set) var failure: FormatError?

        init(_ reader: any RecordReader, _ classIndex: Int?) {
            self.reader = reader
            self.classIndex = classIndex
            let stepped = reader as? any SteppedReader
            self.stepped = stepped?.isStepped == true ? stepped : nil
        }

        private func next(_ batch: RecordBatch) throws(FormatError) -> Bool {
            while true {
                let isThere: Bool
                if let stepped {
                    isThere = try stepped.begin(batch)
                } else {
                    isThere = try reader.next(into: batch)
                }
                guard isThere else { return false }
                if classIndex == nil || classIndex == batch.classIndex { return true }
            }
        }

        /// Reads until the end, or until no batch comes back.
        func read() {
            do throws(FormatError) {
                while let batch = free.take(), try next(batch) { full.give(batch) }
            } catch { failure = error }
            full.close()
        }

        /// Does the second step of each batch.
        func endBatches() {
            while let batch = full.take() {
                stepped?.end(batch)
                ended.give(batch)
            }
            ended.close()
        }
    }
}

/// Several readers of the same schema, one after the other.
final class ChainReader: RecordReader {
    let schema: Schema
    private var readers: [any RecordReader]
    private var at = 0

    /// A chain; the schemas must be equal.
    init(_ readers: [any RecordReader], schema: Schema) {
        self.readers = readers
        self.schema = schema
    }

    var gaps: RowGaps { at < readers.count ? readers[at].gaps : RowGaps() }
    var inputNumber: Int { at }

    func next(into batch: RecordBatch) throws(FormatError) -> Bool {
        while at < readers.count {
            if try readers[at].next(into: batch) {
                // Rows of several sources number their keys independently.
                if readers.count > 1 { batch.keys.removeAll() }
                return true
            }
            at += 1
        }
        batch.removeAll()
        return false
    }
}
