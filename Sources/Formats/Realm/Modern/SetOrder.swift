// Sets and dictionaries in stored order, without what would stand in them twice. Format 24 keeps
// the order of the model; the formats before it compare text and bytes as signed bytes.

/// The order of one file format.
struct StoredOrder: Sendable {
    let dialect: WriterDialect

    init(_ dialect: WriterDialect) { self.dialect = dialect }

    /// Compares two elements or keys: negative, zero or positive.
    func compare(_ column: Column, _ a: Int, _ b: Int) -> Int {
        if dialect.fileFormat >= 24 || column.nulls[a] != 0 || column.nulls[b] != 0 {
            return CollectionOrder.compare(column, a, b, [])
        }
        switch column.type {
        case .string, .data: return StoredOrder.signed(column.bytes(a), column.bytes(b))
        case .mixed: return mixed(column.bytes(a), column.bytes(b))
        default: return CollectionOrder.compare(column, a, b, [])
        }
    }

    /// Strings compare as signed bytes, data as unsigned ones; in format 22 one with the other too.
    private func mixed(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Int {
        var x = MixedDecoder(a)
        var y = MixedDecoder(b)
        switch (a.isEmpty ? .null : x.tag(), b.isEmpty ? .null : y.tag()) {
        case (.string, .string): return StoredOrder.signed(x.blob(), y.blob())
        case (.string, .data) where dialect.fileFormat < 23:
            let order = compareBytes(x.blob(), y.blob())
            return order != 0 ? order : -1
        case (.data, .string) where dialect.fileFormat < 23:
            let order = compareBytes(x.blob(), y.blob())
            return order != 0 ? order : 1
        default: return ValueOrder.compareMixed(a, b, [])
        }
    }

    static func signed(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Int {
        for i in 0..<min(a.count, b.count) where a[i] != b[i] {
            return Int8(bitPattern: a[i]) < Int8(bitPattern: b[i]) ? -1 : 1
        }
        return a.count - b.count
    }

    // MARK: Sets

    /// The elements of a set in stored order, each once.
    ///
    /// The engine itself loses its way in sets that hold a NaN and then stores elements twice.
    /// Such sets are kept as they are: nothing says which of their elements are meant.
    /// - Returns: nil when they are so already.
    func sorted(_ elements: Column, _ range: Range<Int>, _ report: Report, _ name: String)
        -> Column?
    {
        var isSorted = true
        let keepsAll = range.contains { StoredOrder.isNaN(elements, $0) }
        for i in range.dropFirst() {
            let order = compare(elements, i - 1, i)
            if order > 0 || (order == 0 && !keepsAll) {
                isSorted = false
                break
            }
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
            if !keepsAll, let last, compare(elements, last, i) == 0 { continue }
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

    // MARK: Dictionaries

    /// Notes keys that a store holds but Realm's SDKs take for paths and refuse to set.
    func noteRefusedKeys(_ keys: Column, _ order: [Int], _ report: Report, _ name: String) {
        if keys.type != .string { return }
        for i in order {
            let key = keys.bytes(i)
            guard key.first == 0x24 || key.contains(0x2E) else { continue }
            report.note(
                .changed, "dictionary-key-refused", property: name,
                value: String(decoding: key, as: UTF8.self),
                action: "written as it is, but apps cannot set keys that hold a dot or begin with $"
            )
        }
    }

    /// The positions of the entries in stored order; of entries with one key, the last.
    func sortedKeys(_ keys: Column, _ range: Range<Int>) -> [Int] {
        var isSorted = true
        for i in range.dropFirst() where compare(keys, i - 1, i) >= 0 {
            isSorted = false
            break
        }
        if isSorted { return Array(range) }
        let order = range.sorted { a, b in
            let c = compare(keys, a, b)
            return c != 0 ? c < 0 : a < b
        }
        var kept: [Int] = []
        for i in order {
            if let last = kept.last, compare(keys, last, i) == 0 {
                kept[kept.count - 1] = i
            } else {
                kept.append(i)
            }
        }
        return kept
    }
}
