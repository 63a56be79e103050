// Incoming rows in the order in which a store keeps sets and dictionaries, also those inside mixed
// values, so that they can be compared with stored ones byte by byte.

/// Brings the values of incoming rows into the order of a store.
struct IncomingOrder {
    private let sets: [Int]
    private let mixed: [Int]

    /// What there is to do for a class; nil for nothing.
    init?(_ known: ClassSchema) {
        let places = known.properties.indices
        sets = places.filter {
            [.set, .dictionary].contains(known.properties[$0].collection)
        }
        mixed = places.filter { known.properties[$0].type == .mixed }
        if sets.isEmpty, mixed.isEmpty { return nil }
    }

    /// Appends rows of another batch of the class.
    func append(_ batch: RecordBatch, to rows: RecordBatch) {
        let start = rows.rowCount
        let starts = mixed.map { IncomingOrder.values(rows.columns[$0]).count }
        for row in 0..<batch.rowCount {
            rows.append(row: row, of: batch)
            for place in sets {
                let column = rows.columns[place]
                guard let elements = column.elements, start + row < column.count else { continue }
                CollectionOrder.sort(
                    elements, keys: column.keys, from: column.range(start + row).lowerBound,
                    byElements: column.property.collection == .set, tables: [])
            }
        }
        for (place, first) in zip(mixed, starts) {
            let values = IncomingOrder.values(rows.columns[place])
            var others: [Int: [UInt8]?] = [:]
            for i in first..<max(values.count, first) where values.nulls[i] == 0 {
                var decoder = MixedDecoder(values.bytes(i))
                var isSorted = true
                let sorted = IncomingOrder.sorted(&decoder, &isSorted)
                if !isSorted { others[i] = sorted }
            }
            if !others.isEmpty { values.replace(others) }
        }
    }

    private static func values(_ column: Column) -> Column { column.elements ?? column }

    /// The bytes of a mixed value with the keys of its dictionaries in order; its nesting was
    /// bounded by the reader that made it.
    private static func sorted(_ decoder: inout MixedDecoder, _ isSorted: inout Bool) -> [UInt8] {
        let start = decoder.offset
        let tag = decoder.tag()
        guard tag == .list || tag == .dictionary else {
            decoder.offset = start
            decoder.skip()
            return Array(decoder.bytes[start..<decoder.offset])
        }
        let count = decoder.count()
        var out = Array(decoder.bytes[start..<decoder.offset])
        if tag == .list {
            for _ in 0..<count { out += sorted(&decoder, &isSorted) }
            return out
        }
        var entries: [(key: [UInt8], bytes: [UInt8])] = []
        for _ in 0..<count {
            let from = decoder.offset
            let key = Array(decoder.blob())
            let head = Array(decoder.bytes[from..<decoder.offset])
            entries.append((key, head + sorted(&decoder, &isSorted)))
        }
        for (a, b) in zip(entries, entries.dropFirst())
        where b.key.lexicographicallyPrecedes(a.key) {
            isSorted = false
            entries.sort { $0.key.lexicographicallyPrecedes($1.key) }
            break
        }
        for entry in entries { out += entry.bytes }
        return out
    }
}
