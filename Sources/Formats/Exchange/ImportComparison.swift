// When two rows say the same, which of them is newer, and what a row that is kept beside another
// one is called.

/// Comparisons of rows of one class.
enum RowComparison {
    /// Properties that programs rewrite on every save, although nothing was changed.
    private static let volatile: Set<String> = ["revision", "productID", "stamp", "modified"]

    /// True when two rows differ in nothing, or only in when and by what they were saved.
    static func isSameContent(
        _ a: (batch: RecordBatch, row: Int), _ b: (batch: RecordBatch, row: Int)
    ) -> Bool {
        let name = a.batch.classSchema.name
        let isBuiltIn = name == "Contact" || name == "TodoItem"
        for (x, y) in zip(a.batch.columns, b.batch.columns) {
            if x.isEqual(a.row, to: y, b.row) { continue }
            guard isBuiltIn else { return false }
            if volatile.contains(x.property.name) { continue }
            if x.property.name == "timeZones", needsNoDefinitions(a), needsNoDefinitions(b) {
                continue
            }
            guard ItemComparison(a, b).isSame(x, y) else { return false }
        }
        return true
    }

    /// True when the zones of a to-do are known by their names: other words for their rules are no
    /// change then.
    private static func needsNoDefinitions(_ it: (batch: RecordBatch, row: Int)) -> Bool {
        for column in it.batch.columns {
            switch (column.layout, column.property.name) {
            case (.object, _):
                let items = column.child
                guard column.nulls[it.row] == 0,
                    let tzid = items.classSchema.index(of: "tzid"),
                    let zone = items.classSchema.index(of: "zone")
                else { continue }
                let item = Int(column.words[it.row])
                let name = items.columns[tzid]
                if !name.isNull(item), name.string(item) != "UTC",
                    items.columns[zone].isNull(item)
                {
                    return false
                }
            case (.collection, "recurrence"):
                // The lines of a rule do not tell whether the zone they name is known.
                guard let elements = column.elements else { continue }
                for i in column.range(it.row)
                where elements.string(i).uppercased().contains(";TZID=") {
                    return false
                }
            default: continue
            }
        }
        return true
    }

    /// True when the first row was changed later than the second, as far as they say.
    static func isNewer(
        _ a: (batch: RecordBatch, row: Int), than b: (batch: RecordBatch, row: Int)
    ) -> Bool {
        switch (moment(a), moment(b)) {
        case (let x?, let y?): return y.lexicographicallyPrecedes(x)
        case (nil, nil), (_?, nil): return true
        case (nil, _?): return false
        }
    }

    /// Properties that tell when a row was last changed, the best first.
    static let moments = [
        "revision", "modified", "stamp", "updatedAt", "modifiedAt", "lastModified",
    ]

    /// When a row was last changed, as bytes that compare in order of time.
    private static func moment(_ it: (batch: RecordBatch, row: Int)) -> [UInt8]? {
        for name in moments {
            guard let index = it.batch.classSchema.index(of: name) else { continue }
            let column = it.batch.columns[index]
            if column.layout == .collection || column.isNull(it.row) { continue }
            if column.layout == .object {
                let row = Int(column.words[it.row])
                for inner in ["date", "local", "text"] {
                    guard let at = column.child.classSchema.index(of: inner) else { continue }
                    if let bytes = moment(column.child.columns[at], row) { return bytes }
                }
            } else if let bytes = moment(column, it.row) {
                return bytes
            }
        }
        return nil
    }

    private static func moment(_ column: Column, _ row: Int) -> [UInt8]? {
        if column.isNull(row) { return nil }
        switch column.type {
        case .date:
            let date = column.date(row)
            let seconds = UInt64(bitPattern: date.seconds) ^ 1 << 63
            let rest = UInt32(bitPattern: date.nanoseconds) ^ 1 << 31
            return (0..<8).map { UInt8(truncatingIfNeeded: seconds >> (56 - 8 * $0)) }
                + (0..<4).map { UInt8(truncatingIfNeeded: rest >> (24 - 8 * $0)) }
        case .string:
            // ISO text, basic or extended: its digits are in order.
            let digits = column.bytes(row).filter { $0 &- 48 < 10 }
            return digits.isEmpty ? nil : digits
        default: return nil
        }
    }
}

/// Digests of rows.
enum RowDigest {
    /// The primary key of a row that is kept beside another of the same key: derived from key
    /// and content, so that the same import again finds it.
    static func otherKey(_ key: Value, of rows: RecordBatch, row: Int) -> Value {
        var a: UInt64 = 0xCBF2_9CE4_8422_2325
        var b: UInt64 = 0x6C62_272E_07BB_0142
        let content = RawVector<UInt8>()
        defer { content.destroy() }
        for column in rows.columns { RowContent.append(column, row, to: content) }
        for byte in content.elements {
            a = (a ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
            b = (b ^ UInt64(byte)) &* 0x9E37_79B9_7F4A_7C15
            b ^= b >> 29
        }
        switch key {
        case .objectId: return .objectId(ObjectID(high: a, low: UInt32(truncatingIfNeeded: b)))
        case .uuid:
            return .uuid(
                UUID(
                    high: a & 0xFFFF_FFFF_FFFF_0FFF | 0x8000,
                    low: b & 0x3FFF_FFFF_FFFF_FFFF | 1 << 63))
        case .int: return .int(Int64(bitPattern: a >> 2))
        case .string(let text): return .string(text + "-" + String(a, radix: 16))
        default: return key
        }
    }
}
