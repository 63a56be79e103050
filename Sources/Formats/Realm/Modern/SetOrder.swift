// Sets and dictionaries in stored order, without what would stand in them twice.

enum SetOrder {
    /// The elements of a set in stored order, each once.
    ///
    /// The engine itself loses its way in sets that hold a NaN and then stores elements twice.
    /// Such sets are kept as they are: nothing says which of their elements are meant.
    /// - Returns: nil when they are so already.
    static func sorted(
        _ elements: Column, _ range: Range<Int>, _ report: Report, _ name: String
    ) -> Column? {
        var isSorted = true
        let keepsAll = range.contains { isNaN(elements, $0) }
        for i in range.dropFirst() {
            let order = CollectionOrder.compare(elements, i - 1, i, [])
            if order > 0 || (order == 0 && !keepsAll) {
                isSorted = false
                break
            }
        }
        if isSorted { return nil }
        // The position breaks ties, so that the first of equal elements is kept.
        let order = range.sorted { a, b in
            let c = CollectionOrder.compare(elements, a, b, [])
            return c != 0 ? c < 0 : a < b
        }
        let column = Column(
            Property("", elements.type, target: elements.property.target),
            schema: elements.schemaForMixed)
        var last: Int?
        for i in order {
            if !keepsAll, let last, CollectionOrder.compare(elements, last, i, []) == 0 {
                continue
            }
            column.append(i, of: elements)
            last = i
        }
        if column.count < range.count {
            report.note(
                .changed, "set-element-repeated", property: name,
                count: range.count - column.count,
                action: "elements a set would hold twice were written once")
        }
        return column
    }

    private static func isNaN(_ column: Column, _ i: Int) -> Bool {
        if column.nulls[i] != 0 { return false }
        switch column.type {
        case .float: return Float(bitPattern: UInt32(truncatingIfNeeded: column.words[i])).isNaN
        case .double: return Double(bitPattern: UInt64(bitPattern: column.words[i])).isNaN
        case .decimal128: return (column.extra[i] >> 58) & 0x1F == 0x1F
        default: return false
        }
    }
}

enum DictionaryOrder {
    /// The positions of the entries in stored order; of entries with one key, the last.
    static func sorted(_ keys: Column, _ range: Range<Int>) -> [Int] {
        var isSorted = true
        for i in range.dropFirst() where CollectionOrder.compare(keys, i - 1, i, []) >= 0 {
            isSorted = false
            break
        }
        if isSorted { return Array(range) }
        let order = range.sorted { a, b in
            let c = CollectionOrder.compare(keys, a, b, [])
            return c != 0 ? c < 0 : a < b
        }
        var kept: [Int] = []
        for i in order {
            if let last = kept.last, CollectionOrder.compare(keys, last, i, []) == 0 {
                kept[kept.count - 1] = i
            } else {
                kept.append(i)
            }
        }
        return kept
    }
}
