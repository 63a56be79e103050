// The order of sets and of dictionary keys in format 24, and the removal of what stands twice.

enum SetOrder {
    /// The elements of a set in stored order, each once.
    /// - Returns: nil when they are so already.
    static func sorted(
        _ elements: Column, _ range: Range<Int>, _ report: Report, _ name: String
    ) -> Column? {
        var isSorted = true
        for i in range.dropFirst() where compare(elements, i - 1, i) >= 0 {
            isSorted = false
            break
        }
        if isSorted { return nil }
        // The position breaks ties, so that the first of equal elements is kept.
        let order = range.sorted { a, b in
            let c = compare(elements, a, b)
            return c != 0 ? c < 0 : a < b
        }
        let column = Column(
            Property("", elements.type, target: elements.property.target),
            schema: elements.schemaForMixed)
        var last: Int?
        for i in order {
            if let last, compare(elements, last, i) == 0 { continue }
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

    /// Negative, zero or positive as element i stands before, with or behind element j.
    static func compare(_ c: Column, _ i: Int, _ j: Int) -> Int {
        if c.nulls[i] != 0 || c.nulls[j] != 0 { return Int(c.nulls[j]) - Int(c.nulls[i]) }
        switch c.type {
        case .int, .bool, .link: return order(c.words[i], c.words[j])
        case .date:
            return c.words[i] != c.words[j]
                ? order(c.words[i], c.words[j]) : order(c.extra[i], c.extra[j])
        case .objectId, .uuid:
            let (a, b) = (UInt64(bitPattern: c.words[i]), UInt64(bitPattern: c.words[j]))
            if a != b { return a < b ? -1 : 1 }
            return order(UInt64(bitPattern: c.extra[i]), UInt64(bitPattern: c.extra[j]))
        case .float:
            let (a, b) = (
                UInt32(truncatingIfNeeded: c.words[i]), UInt32(truncatingIfNeeded: c.words[j])
            )
            return FloatOrder.compare(Double(Float(bitPattern: a)), Double(Float(bitPattern: b)))
        case .double:
            return FloatOrder.compare(
                Double(bitPattern: UInt64(bitPattern: c.words[i])),
                Double(bitPattern: UInt64(bitPattern: c.words[j])))
        case .decimal128:
            return DecimalNumber.compare(
                DecimalNumber(c.decimal(i)), DecimalNumber(c.decimal(j)))
        case .string, .data: return compareBytes(c.bytes(i), c.bytes(j))
        case .mixed: return MixedOrder.compare(c.bytes(i), c.bytes(j))
        case .table: return order(i, j)
        }
    }

    @inline(__always)
    private static func order<T: Comparable>(_ a: T, _ b: T) -> Int {
        a == b ? 0 : a < b ? -1 : 1
    }
}

enum DictionaryOrder {
    /// The positions of the entries in stored order; of entries with one key, the last.
    static func sorted(_ keys: Column, _ range: Range<Int>) -> [Int] {
        var isSorted = true
        for i in range.dropFirst() where SetOrder.compare(keys, i - 1, i) >= 0 {
            isSorted = false
            break
        }
        if isSorted { return Array(range) }
        let order = range.sorted { a, b in
            let c = SetOrder.compare(keys, a, b)
            return c != 0 ? c < 0 : a < b
        }
        var kept: [Int] = []
        for i in order {
            if let last = kept.last, SetOrder.compare(keys, last, i) == 0 {
                kept[kept.count - 1] = i
            } else {
                kept.append(i)
            }
        }
        return kept
    }
}
