// Rows that other rows link to, kept by their object keys, for formats that write them inside of
// those that link to them (`--embed N`). How they are spelled is for the writer.

/// The rows of some classes by object key.
final class LinkTargets {
    /// The most levels of rows inside each other.
    static let most = 64

    /// How deep rows may stand inside each other.
    let levels: Int
    private var classes: [String: Rows] = [:]

    /// Where a row is kept.
    struct Place {
        var batch: RecordBatch
        var row: Int
    }

    private struct Rows {
        var batches: [RecordBatch] = []
        var places: [Int64: (batch: Int32, row: Int32)] = [:]
        var nextKey: Int64 = 0
    }

    /// No rows yet.
    init(levels: Int) { self.levels = levels }

    /// The most rows of a batch that is kept.
    private static let batchSize = 4096

    /// Keeps a copy of a batch's rows.
    func add(_ batch: RecordBatch) {
        var rows = classes[batch.classSchema.name] ?? Rows()
        classes[batch.classSchema.name] = nil
        var at = 0
        while at < batch.rowCount {
            if rows.batches.last.map({ $0.rowCount >= LinkTargets.batchSize }) ?? true {
                rows.batches.append(
                    RecordBatch(schema: batch.schema, classIndex: batch.classIndex))
            }
            guard let last = rows.batches.last else { break }
            let count = min(batch.rowCount - at, LinkTargets.batchSize - last.rowCount)
            for i in 0..<count {
                let key = batch.keys.count > at + i ? batch.keys[at + i] : rows.nextKey
                rows.nextKey = key &+ 1
                rows.places[key] = (
                    Int32(truncatingIfNeeded: rows.batches.count - 1),
                    Int32(truncatingIfNeeded: last.rowCount + i)
                )
            }
            last.append(rows: at..<at + count, of: batch)
            at += count
        }
        classes[batch.classSchema.name] = rows
    }

    /// Where the row of a class with an object key is; nil when there is none.
    func place(_ key: Int64, of name: String) -> Place? {
        guard let rows = classes[name], let place = rows.places[key] else { return nil }
        return Place(batch: rows.batches[Int(place.batch)], row: Int(place.row))
    }
}
