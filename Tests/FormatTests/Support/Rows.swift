@testable import Formats

/// A reader over rows in memory: what tests feed into readers that wrap others.
final class RowsReader: RecordReader {
    struct Part {
        let classIndex: Int
        let rows: [[Value]]
        var keys: [Int64]?
    }

    let schema: Schema
    private let parts: [Part]
    private let batchRows: Int
    private var part = 0
    private var row = 0

    init(_ schema: Schema, _ parts: [Part], batchRows: Int = 3) {
        self.schema = schema
        self.parts = parts
        self.batchRows = batchRows
    }

    /// Rows of the first class.
    convenience init(_ schema: Schema, rows: [[Value]], keys: [Int64]? = nil, batchRows: Int = 3) {
        self.init(schema, [Part(classIndex: 0, rows: rows, keys: keys)], batchRows: batchRows)
    }

    func next(into batch: RecordBatch) throws(FormatError) -> Bool {
        while part < parts.count {
            let current = parts[part]
            batch.begin(class: current.classIndex)
            let end = min(row + batchRows, current.rows.count)
            batch.firstRecord = row + 1
            while row < end {
                batch.append(values: current.rows[row], key: current.keys?[row])
                row += 1
            }
            if batch.rowCount > 0 { return true }
            part += 1
            row = 0
        }
        return false
    }
}

/// All rows a reader delivers, class by class.
struct ReadRows {
    var rows: [String: [[Value]]] = [:]
    var keys: [String: [Int64]] = [:]

    init(_ reader: any RecordReader) throws(FormatError) {
        let batch = RecordBatch(schema: reader.schema)
        while try reader.next(into: batch) {
            let name = batch.classSchema.name
            for i in 0..<batch.rowCount {
                rows[name, default: []].append(batch.values(row: i))
                if batch.keys.count > i { keys[name, default: []].append(batch.keys[i]) }
            }
        }
    }

    /// The values of one property of a class.
    func column(_ name: String, _ index: Int) -> [Value] {
        rows[name, default: []].map { $0[index] }
    }
}
