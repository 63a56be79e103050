// The order in which format 24 keeps the elements of sets and the entries of dictionaries: null
// first, numbers by value, text and bytes as unsigned bytes. Older formats kept other orders, so
// writers sort what they are given.

/// The order of elements of sets and keys of dictionaries.
package enum CollectionOrder {
    /// The positions of a row's elements in stored order, for a set (`column.elements`) or a
    /// dictionary (`column.keys`); nil when they stand in it already, or have no order.
    package static func sorted(_ column: Column, row: Int) -> [Int]? {
        let elements: Column?
        switch column.property.collection {
        case .set?: elements = column.elements
        case .dictionary?: elements = column.keys
        default: return nil
        }
        guard let elements else { return nil }
        let range = column.range(row)
        guard range.count > 1 else { return nil }
        var i = range.lowerBound &+ 1
        while i < range.upperBound, compare(elements, i &- 1, i, []) <= 0 { i &+= 1 }
        if i == range.upperBound { return nil }
        // The position breaks ties, so that the order is the same every time.
        return range.sorted {
            let order = compare(elements, $0, $1, [])
            return order != 0 ? order < 0 : $0 < $1
        }
    }

    /// Brings the elements from `begin` on (and their keys) into order; mostly they are.
    ///
    /// `tables` numbers the classes of links inside mixed values as the store does; without it
    /// the classes' own positions order them.
    /// - Returns: false when they were not, or one stands twice.
    @discardableResult
    package static func sort(
        _ elements: Column, keys: Column?, from begin: Int, byElements: Bool, tables: [Int64]
    ) -> Bool {
        let by = byElements ? elements : (keys ?? elements)
        let end = by.count
        guard end - begin > 1 else { return true }
        var isSorted = true
        var isStrict = true
        for i in begin + 1..<end {
            let c = compare(by, i - 1, i, tables)
            if c == 0 { isStrict = false }
            if c > 0 {
                isSorted = false
                break
            }
        }
        // The engine itself lets elements stand twice in a set that holds a NaN.
        if isSorted { return isStrict || (begin..<end).contains { isNaN(by, $0) } }
        let order = (begin..<end).sorted { a, b in
            let c = compare(by, a, b, tables)
            return c == 0 ? a < b : c < 0
        }
        permute(elements, order, from: begin)
        if let keys { permute(keys, order, from: begin) }
        // Where a NaN stands in a set has never been settled.
        return by.type == .float || by.type == .double ? order.contains { isNaN(by, $0) } : false
    }

    private static func isNaN(_ column: Column, _ i: Int) -> Bool {
        if column.nulls[i] != 0 { return false }
        switch column.type {
        case .float: return Float(bitPattern: UInt32(truncatingIfNeeded: column.words[i])).isNaN
        case .double: return Double(bitPattern: UInt64(bitPattern: column.words[i])).isNaN
        case .decimal128: return column.decimal(i).high >> 58 & 0x1F == 0x1F
        default: return false
        }
    }

    /// Puts the values at the positions of `order` in the place from `begin` on.
    private static func permute(_ column: Column, _ order: [Int], from begin: Int) {
        guard column.count >= begin + order.count else { return }
        let nulls = order.map { column.nulls[$0] }
        switch column.layout {
        case .object: permuteObjects(column, order, nulls, from: begin)
        case .word, .pair:
            let words = order.map { column.words[$0] }
            for (i, word) in words.enumerated() { column.words[begin + i] = word }
            if column.layout == .pair {
                let extra = order.map { column.extra[$0] }
                for (i, word) in extra.enumerated() { column.extra[begin + i] = word }
            }
        case .bytes:
            var all: [UInt8] = []
            var ends: [Int] = []
            let start = begin == 0 ? 0 : column.ends[begin - 1]
            for i in order {
                all.append(contentsOf: column.bytes(i))
                ends.append(start + all.count)
            }
            for (i, byte) in all.enumerated() { column.bytes[start + i] = byte }
            for (i, end) in ends.enumerated() { column.ends[begin + i] = end }
        case .collection: return
        }
        for (i, null) in nulls.enumerated() { column.nulls[begin + i] = null }
    }

    /// The same for embedded objects, whose rows always stand in the order of their owners.
    private static func permuteObjects(
        _ column: Column, _ order: [Int], _ nulls: [UInt8], from begin: Int
    ) {
        let child = column.child
        let rows = zip(order, nulls).filter { $0.1 == 0 }.map { Int(column.words[$0.0]) }
        guard let first = rows.min() else { return }
        let moved = RecordBatch(schema: child.schema, classIndex: child.classIndex)
        for row in rows { moved.append(row: row, of: child) }
        child.truncate(to: first)
        for row in 0..<moved.rowCount { child.append(row: row, of: moved) }
        var next = Int64(first)
        for (i, null) in nulls.enumerated() {
            column.words[begin + i] = null != 0 ? 0 : next
            if null == 0 { next += 1 }
        }
    }

    /// The bits of a null decimal.
    private static let nullDecimal = Decimal128(low: 0xAA, high: 0x7C00_0000_0000_0000)

    /// Compares two values of a column: negative, zero or positive.
    package static func compare(_ column: Column, _ a: Int, _ b: Int, _ tables: [Int64]) -> Int {
        let nullA = column.nulls[a] != 0
        let nullB = column.nulls[b] != 0
        if column.type == .decimal128 {
            // A null decimal is one NaN among the others, and stands where its bits put it.
            return ValueOrder.compare(
                nullA ? nullDecimal : column.decimal(a),
                nullB ? nullDecimal : column.decimal(b))
        }
        if nullA || nullB { return (nullA ? 0 : 1) - (nullB ? 0 : 1) }
        switch column.type {
        case .int, .bool, .link, .table: return order(column.words[a], column.words[b])
        case .float:
            return ValueOrder.compare(
                Double(Float(bitPattern: UInt32(truncatingIfNeeded: column.words[a]))),
                Double(Float(bitPattern: UInt32(truncatingIfNeeded: column.words[b]))))
        case .double:
            return ValueOrder.compare(
                Double(bitPattern: UInt64(bitPattern: column.words[a])),
                Double(bitPattern: UInt64(bitPattern: column.words[b])))
        case .date:
            let c = order(column.words[a], column.words[b])
            return c != 0 ? c : order(column.extra[a], column.extra[b])
        case .objectId, .uuid:
            let c = order(UInt64(bitPattern: column.words[a]), UInt64(bitPattern: column.words[b]))
            return c != 0
                ? c
                : order(UInt64(bitPattern: column.extra[a]), UInt64(bitPattern: column.extra[b]))
        case .decimal128: return 0
        case .string, .data: return compareBytes(column.bytes(a), column.bytes(b))
        case .mixed: return ValueOrder.compareMixed(column.bytes(a), column.bytes(b), tables)
        }
    }

    static func order<T: Comparable>(_ a: T, _ b: T) -> Int { a < b ? -1 : (a == b ? 0 : 1) }
}
