// Reads the JSON store document (DESIGN 1.2): after the first pass of JSONStoreIndex the rows of
// each class are read in key order, a thousand at a time. One row is JSONRowReader's job.

/// Reads a JSON store document; any row that does not fit its class is an error.
public final class JSONStoreReader: RecordReader {
    /// All classes, with the number of their rows.
    public let schema: Schema
    /// The file format of the store the document was made from, if it says.
    public let fileFormat: Int?

    private let source: JSONSource
    private let context: ExchangeContext
    private let index: JSONStoreIndex
    private let rows: JSONRowReader
    private let links: JSONLinkIndex

    private var scanner: JSONScanner
    private var classIndex = -1
    private var isFirst = true
    /// The number of rows of the class delivered so far.
    private var delivered = 0
    /// The rows of the class in key order, when they do not stand in it.
    private var sorted: [(key: Int64, offset: Int)]?

    /// The most rows of a batch.
    static let batchRows = 1000
    /// The most text of a batch.
    static let batchBytes = 4 << 20

    /// Reads the schema and checks the whole document's grammar.
    /// - Throws: `malformed`, `badEncoding`, `limitExceeded`, `unknownName`, `unsupportedVersion`.
    public init(input: InputBytes, context: ExchangeContext) throws(FormatError) {
        let source = try JSONSource(input)
        do throws(FormatError) {
            index = try JSONStoreIndex(source, context.report)
        } catch { throw source.located(error) }
        self.source = source
        self.context = context
        schema = index.schema
        fileFormat = index.fileFormat
        scanner = source.scanner()
        rows = JSONRowReader(
            source: source, schema: index.schema, context: context, isLenient: false)
        links = JSONLinkIndex(source: source, index: index)
        let links = links
        rows.resolve = { (target: Int, value: JSONScanner) throws(FormatError) in
            try links.key(target, valueAt: value.at)
        }
    }

    /// True when the text is (or begins like) a store document.
    public static func looksLikeStoreDocument(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var s = JSONScanner(bytes)
        if bytes.count >= 3, bytes[0] == 0xEF, bytes[1] == 0xBB, bytes[2] == 0xBF { s.at = 3 }
        do throws(FormatError) {
            guard try s.peek() == .object else { return false }
            var isFirst = true
            try s.enterObject()
            // `rtool` comes first in what we write; a hand-made document may have it later.
            while s.at < 1 << 20, try s.nextMember(&isFirst) {
                if s.isEqual(s.name, "rtool") { return try s.peek() == .number }
                try s.skip()
            }
            return false
        } catch { return false }
    }

    /// The next rows.
    /// - Throws: `badValue`, `missingValue`, `danglingLink`, `duplicateKey` and others, with class,
    ///   record, property and line.
    public func next(into batch: RecordBatch) throws(FormatError) -> Bool {
        while classIndex < 0 || !hasMore {
            classIndex += 1
            guard classIndex < schema.classes.count else {
                classIndex = schema.classes.count
                batch.removeAll()
                return false
            }
            try beginClass()
        }
        batch.begin(class: classIndex)
        batch.firstRecord = delivered + 1
        source.input.release(before: scanner.at)
        let shape = rows.shape(class: classIndex)
        do throws(FormatError) {
            if sorted == nil {
                try sequential(batch, shape)
            } else {
                try inKeyOrder(batch, shape)
            }
        } catch { throw located(error, batch) }
        delivered += batch.rowCount
        context.report.read += batch.rowCount
        return true
    }

    private var hasMore: Bool {
        guard let section = index.sections[classIndex] else { return false }
        return delivered < section.count
    }

    private func beginClass() throws(FormatError) {
        delivered = 0
        sorted = nil
        guard let section = index.sections[classIndex], section.count > 0 else { return }
        scanner = source.scanner()
        scanner.at = section.offset
        isFirst = true
        if section.isAscending || section.keyed == 0 {
            try scanner.enterArray()
            return
        }
        do throws(FormatError) {
            sorted = try section.keysInOrder(source)
        } catch {
            throw source.located(
                error.with { $0.recordName = "class \(schema.classes[classIndex].name)" })
        }
    }

    /// Rows as they stand; without keys they are numbered.
    private func sequential(_ batch: RecordBatch, _ shape: JSONRowShape) throws(FormatError) {
        var s = scanner
        let isKeyed = (index.sections[classIndex]?.keyed ?? 0) > 0
        let limit = s.at &+ JSONStoreReader.batchBytes
        while batch.rowCount < JSONStoreReader.batchRows, s.at < limit {
            guard try s.nextElement(&isFirst) else { break }
            try rows.row(&s, into: batch, shape)
            if isKeyed, let key = rows.key {
                batch.keys.append(key)
            } else {
                batch.keys.append(Int64(delivered + batch.rowCount - 1))
            }
        }
        scanner = s
    }

    private func inKeyOrder(_ batch: RecordBatch, _ shape: JSONRowShape) throws(FormatError) {
        guard let sorted else { return }
        var s = scanner
        var bytes = 0
        for i in delivered..<sorted.count {
            if batch.rowCount == JSONStoreReader.batchRows || bytes > JSONStoreReader.batchBytes {
                break
            }
            s.at = sorted[i].offset
            try rows.row(&s, into: batch, shape)
            batch.keys.append(sorted[i].key)
            bytes += s.at - sorted[i].offset
        }
    }

    private func located(_ error: FormatError, _ batch: RecordBatch) -> FormatError {
        source.located(error).with {
            $0.record = delivered + batch.rowCount + 1
            $0.recordName = "class \(schema.classes[classIndex].name)"
        }
    }
}

extension JSONStoreIndex.Section {
    /// Keys and places of the rows in key order; rows without a key get the ones behind the
    /// largest.
    /// - Throws: `duplicateKey`.
    func keysInOrder(_ source: JSONSource) throws(FormatError) -> [(key: Int64, offset: Int)] {
        var s = source.scanner()
        s.at = offset
        var list: [(key: Int64, offset: Int)] = []
        list.reserveCapacity(count)
        var next = largest
        var isFull = false
        try JSONStoreIndex.rows(&s) { place, key in
            if let key { return list.append((key, place)) }
            isFull = isFull || next == .max
            if next < .max { next += 1 }
            list.append((next, place))
        }
        list.sort { ($0.key, $0.offset) < ($1.key, $1.offset) }
        for i in list.indices.dropFirst() where list[i].key == list[i - 1].key {
            throw FormatError(
                .duplicateKey,
                isFull
                    ? "there is no key left for the rows without one"
                    : "two rows have the $key \(list[i].key)", offset: list[i].offset)
        }
        return list
    }
}
