// Batches from a reader to a writer, each on a thread of its own: while one batch is written, the
// next one is read. Readers count what they read, writers what they write, each in a report of its
// own, so that the result is the same on one thread.

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
        if (threads ?? System.processorCount) > 1,
            let thread = System.startThread({ reading.run() })
        {
            defer { thread.join() }
            do throws(FormatError) {
                try write(reading, into: writer, progress)
            } catch {
                reading.free.close(dropping: true)
                throw error
            }
        } else {
            let batch = RecordBatch(schema: reader.schema)
            var total = 0
            while try reading.next(into: batch) {
                try writer.write(batch)
                total += batch.rowCount
                progress?(total)
            }
        }
    }

    private static func write(
        _ reading: Reading, into writer: any RecordWriter, _ progress: ((Int) -> Void)?
    ) throws(FormatError) {
        for _ in 0..<2 { reading.free.give(RecordBatch(schema: reading.reader.schema)) }
        var total = 0
        while let batch = reading.full.take() {
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
        private let classIndex: Int?
        /// Batches to be filled.
        let free = Handoff<RecordBatch>()
        /// Batches to be written.
        let full = Handoff<RecordBatch>()
        /// Why the reader stopped; set before `full` is closed.
        private(set) var failure: FormatError?

        init(_ reader: any RecordReader, _ classIndex: Int?) {
            self.reader = reader
            self.classIndex = classIndex
        }

        /// The next batch with rows that are wanted.
        func next(into batch: RecordBatch) throws(FormatError) -> Bool {
            while try reader.next(into: batch) {
                if classIndex == nil || classIndex == batch.classIndex { return true }
            }
            return false
        }

        func run() {
            do throws(FormatError) {
                while let batch = free.take() {
                    guard try next(into: batch) else { break }
                    full.give(batch)
                }
            } catch { failure = error }
            full.close()
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
