// How large a value may be that goes to a store. Other targets have no such limit, so only readers
// whose rows become a store look for it; a row with a larger value is set aside whole.

/// The most bytes of one value of a store.
package enum ValueLimit {
    /// The most bytes of a string; data may have one more.
    package static let bytes = 16_777_199

    /// Why no store can hold a row: the first value that is too large. Rows whose text is no larger
    /// than the limit need not be asked.
    static func refusal(of row: Int, in batch: RecordBatch) -> FormatError? {
        for column in batch.columns where column.count > row {
            guard let size = size(of: column, row) else { continue }
            return FormatError(
                .limitExceeded, "a value has \(size) bytes; a store holds \(bytes) at most",
                property: column.property.name,
                fix: "shorten the value, and import the record again")
        }
        return nil
    }

    /// The size of a value, or of one inside it, that is too large; nil for none.
    private static func size(of column: Column, _ row: Int) -> Int? {
        switch column.layout {
        case .word, .pair: return nil
        case .bytes:
            let size = column.bytes(row).count
            return size > bytes ? size : nil
        case .object:
            if column.nulls[row] != 0 { return nil }
            let child = Int(column.words[row])
            return column.child.columns.lazy.compactMap { self.size(of: $0, child) }.first
        case .collection:
            for part in [column.elements, column.keys] {
                guard let part else { continue }
                for i in column.range(row) {
                    if let size = size(of: part, i) { return size }
                }
            }
            return nil
        }
    }
}
