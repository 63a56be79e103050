// Whatever bytes are given out as a store: opening, reading, checking and inspecting them ends.

@testable import Formats

enum StoreTrip {
    static func run(_ bytes: UnsafeRawBufferPointer) {
        let input = InputBytes(name: "fuzz", copying: bytes)
        for other in [false, true] {
            do throws(FormatError) {
                let store = try Store.open(input, options: StoreOptions(useOtherTop: other))
                let reader = store.makeReader()
                let batch = RecordBatch(schema: store.schema)
                while try reader.next(into: batch) {
                    if batch.keys.count != batch.rowCount { finding("keys and rows differ") }
                    for column in batch.columns where column.count != batch.rowCount {
                        finding(
                            "column \(column.property.name) has \(column.count) values for "
                                + "\(batch.rowCount) rows")
                    }
                    for row in 0..<min(batch.rowCount, 64) { _ = batch.values(row: row) }
                }
                _ = store.check()
            } catch {
                if error.code == .defect { finding("\(error)") }
            }
        }
        _ = StoreInspector.inspect(input)
    }
}
