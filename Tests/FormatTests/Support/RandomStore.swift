// Seeded random schemas and rows over every kind of property, for tests of all formats.

@testable import Formats

extension SeededGenerator {
    mutating func below(_ n: Int) -> Int { Int(next() % UInt64(max(n, 1))) }
    mutating func chance(_ percent: Int) -> Bool { below(100) < percent }
}

/// What a random store is to have.
struct RandomStoreOptions {
    var seed: UInt64
    var rows = 300
    /// Give the rows keys of their own, with gaps, instead of leaving that to the writer.
    var givesKeys = false
    var version: UInt64? = 3
    /// Leave out what formats below 24 lack: collections inside mixed values.
    var nestsMixed = true
    /// Leave out what format 22 lacks.
    var hasFullText = true
    /// Let an embedded class hold itself: the format can, the engine's schema check refuses it.
    var embedsItself = false
    var batchSize = 100
}

/// A random store: its schema, and its rows as batches in the order they are to be written.
struct RandomStore {
    let options: RandomStoreOptions
    let schema: Schema
    /// Object keys by class.
    let keys: [[Int64]]

    static let scalars: [PropertyType] = [
        .int, .bool, .string, .data, .date, .float, .double, .decimal128, .objectId, .uuid,
    ]

    init(_ options: RandomStoreOptions) {
        self.options = options
        var classes: [ClassSchema] = []
        let collections: [CollectionKind?] = [nil, .list, .set, .dictionary]
        var all: [Property] = [Property("key", .int)]
        for collection in collections {
            for type in RandomStore.scalars {
                for isOptional in [false, true] {
                    all.append(
                        Property(
                            "\(type.rawValue)_\(collection?.rawValue ?? "one")_\(isOptional)",
                            type, collection: collection, isOptional: isOptional))
                }
            }
            let name = collection?.rawValue ?? "one"
            all.append(
                Property("mixed_\(name)", .mixed, collection: collection, isOptional: true))
            let isOptional = collection == nil || collection == .dictionary
            all.append(
                Property(
                    "link_\(name)", .link, collection: collection, isOptional: isOptional,
                    target: "Person"))
            all.append(
                Property(
                    "self_\(name)", .link, collection: collection, isOptional: isOptional,
                    target: "All"))
            if collection != .set {
                all.append(
                    Property(
                        "part_\(name)", .link, collection: collection, isOptional: isOptional,
                        target: "Part"))
            }
        }
        classes.append(ClassSchema("All", primaryKey: "key", properties: all))
        classes.append(
            ClassSchema(
                "Person", primaryKey: "id",
                properties: [
                    Property("id", .objectId), Property("name", .string, isIndexed: true),
                    Property("born", .date, isOptional: true, isIndexed: true),
                    Property("friend", .link, isOptional: true, target: "Person"),
                ]))
        classes.append(
            ClassSchema(
                "Indexed",
                properties: [
                    Property("i", .int, isIndexed: true),
                    Property("io", .int, isOptional: true, isIndexed: true),
                    Property("b", .bool, isIndexed: true),
                    Property("bo", .bool, isOptional: true, isIndexed: true),
                    Property("s", .string, isIndexed: true),
                    Property("so", .string, isOptional: true, isIndexed: true),
                    Property("d", .date, isIndexed: true),
                    Property("o", .objectId, isIndexed: true),
                    Property("oo", .objectId, isOptional: true, isIndexed: true),
                    Property("u", .uuid, isIndexed: true),
                    Property("uo", .uuid, isOptional: true, isIndexed: true),
                    Property("m", .mixed, isOptional: true, isIndexed: true),
                    Property("text", .string, isFullText: options.hasFullText),
                ]))
        classes.append(
            ClassSchema(
                "Part", kind: .embedded,
                properties: [
                    Property("name", .string),
                    Property("owner", .link, isOptional: true, target: "Person"),
                    Property("detail", .link, isOptional: true, target: "Detail"),
                    Property(
                        "parts", .link, collection: .list,
                        target: options.embedsItself ? "Part" : "Detail"),
                    Property("any", .mixed, isOptional: true),
                ]))
        classes.append(
            ClassSchema(
                "Detail", kind: .embedded,
                properties: [Property("n", .int), Property("s", .string, isOptional: true)]))
        classes.append(ClassSchema("Empty", properties: [Property("nothing", .string)]))
        classes.append(
            ClassSchema(
                "plain", properties: [Property("v", .int), Property("w", .string)], isTable: true))
        schema = Schema(version: options.version, classes: classes)
        var generator = SeededGenerator(options.seed &* 31 &+ 7)
        keys = classes.map { schemaClass in
            guard schemaClass.kind != .embedded, schemaClass.name != "Empty" else { return [] }
            var key: Int64 = -1
            return (0..<options.rows).map { row in
                if options.givesKeys {
                    key += generator.chance(60) ? 1 : Int64(generator.below(1000)) + 1
                    if generator.chance(1) { key += Int64(generator.next() >> 20) }
                    return key
                }
                let n = Int64(row)
                return schemaClass.primaryKey != nil ? n : (n & 0xFF) | (n & 0xFFFF_FF00) << 8
            }
        }
    }

    /// Hands all batches on, classes interleaved.
    func forEachBatch(_ body: (RecordBatch) throws -> Void) rethrows {
        var maker = RandomRows(store: self)
        let batch = RecordBatch(schema: schema)
        var done = 0
        while done < options.rows {
            let n = min(options.batchSize, options.rows - done)
            for (i, schemaClass) in schema.classes.enumerated()
            where schemaClass.kind != .embedded && !keys[i].isEmpty {
                batch.begin(class: i)
                for row in done..<done + n {
                    if options.givesKeys { batch.keys.append(keys[i][row]) }
                    maker.row(batch, row)
                }
                try body(batch)
            }
            done += n
        }
    }

    /// All rows as values by class and key: the slow, obvious twin of what a store holds.
    func values() -> [[(key: Int64, values: [Value])]] {
        var all = [[(key: Int64, values: [Value])]](repeating: [], count: schema.classes.count)
        forEachBatch { batch in
            let start = all[batch.classIndex].count
            for i in 0..<batch.rowCount {
                all[batch.classIndex].append(
                    (
                        keys[batch.classIndex][start + i],
                        batch.columns.map { RandomStore.stored($0.value(i), $0, i) }
                    ))
            }
        }
        return all
    }
}

extension RandomStore {
    /// A value as a store gives it back: sets and dictionaries in order, each element once.
    fileprivate static func stored(_ value: Value, _ column: Column, _ i: Int) -> Value {
        if case .set = value, let elements = column.elements {
            var kept: [Int] = []
            let order = column.range(i).sorted { a, b in
                let c = CollectionOrder.compare(elements, a, b, [])
                return c != 0 ? c < 0 : a < b
            }
            for j in order {
                if let last = kept.last, CollectionOrder.compare(elements, last, j, []) == 0 {
                    continue
                }
                kept.append(j)
            }
            return .set(kept.map { elements.value($0) })
        }
        return stored(value)
    }

    private static func stored(_ value: Value) -> Value {
        switch value {
        case .list(let values): .list(values.map(stored))
        case .object(let values): .object(values.map(stored))
        case .dictionary(let entries):
            .dictionary(
                entries.map { .init($0.key, stored($0.value)) }
                    .sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) })
        default: value
        }
    }
}

/// Makes rows.
private struct RandomRows {
    let store: RandomStore
    var random: SeededGenerator

    init(store: RandomStore) {
        self.store = store
        random = SeededGenerator(store.options.seed)
    }

    mutating func row(_ batch: RecordBatch, _ row: Int) {
        for column in batch.columns {
            if column.property.name == batch.classSchema.primaryKey {
                unique(column, row)
            } else {
                value(column, depth: 0)
            }
        }
        batch.closeRow()
    }

    private func unique(_ column: Column, _ row: Int) {
        var mix = SeededGenerator(UInt64(row))
        switch column.type {
        case .objectId:
            column.append(
                ObjectID(high: mix.next() >> (row % 3 == 0 ? 40 : 0), low: UInt32(row)))
        default: column.append(word: Int64(row * 7 - 500))
        }
    }

    private mutating func value(_ column: Column, depth: Int) {
        if let elements = column.elements {
            var count = random.chance(40) ? 0 : random.below(6)
            if column.property.type != .link, random.below(1000) == 0 {
                count = 1000 + random.below(1500)
            }
            if depth > 1 { count = 0 }
            for i in 0..<count {
                column.keys?.append(random.chance(5) ? "schlüssel\(i)" : "k\(i)\(random.below(9))")
                element(elements, depth: depth)
            }
            column.closeCollection()
        } else {
            element(column, depth: depth)
        }
    }

    private mutating func element(_ column: Column, depth: Int) {
        let mayBeNull =
            column.property.collection == nil || column.property.collection == .dictionary
            || (column.type != .link)
        if column.property.isOptional, mayBeNull, random.chance(20) { return column.appendNull() }
        if column.layout == .object {
            if depth > 2 {
                if column.property.collection != .list { column.appendNull() }
                return
            }
            column.openObject()
            let child = column.child
            for inner in child.columns { value(inner, depth: depth + 1) }
            child.closeRow()
            return
        }
        switch column.type {
        case .int: column.append(word: int())
        case .bool: column.append(word: Int64(random.below(2)))
        case .string: column.append(string())
        case .data: column.append(.data(data()))
        case .date: column.append(date())
        case .float: column.append(word: Int64(UInt32(truncatingIfNeeded: floatBits())))
        case .double: column.append(word: Int64(bitPattern: doubleBits()))
        case .decimal128: column.append(decimal())
        case .objectId: column.append(objectID())
        case .uuid: column.append(uuid())
        case .link:
            let target = store.schema.index(of: column.property.target ?? "") ?? 0
            column.append(word: key(of: target))
        case .mixed:
            if random.chance(20) { return column.appendNull() }
            mixed(MixedEncoder(column.bytes), depth: 0, in: column.property.collection)
            column.closeBytes()
        case .table: column.appendNull()
        }
    }

    private mutating func key(of target: Int) -> Int64 {
        store.keys[target][random.below(store.keys[target].count)]
    }

    private mutating func int() -> Int64 {
        switch random.below(8) {
        case 0: 0
        case 1: Int64(random.below(4))
        case 2: Int64(random.below(16))
        case 3: Int64(random.below(256)) - 128
        case 4: Int64(random.below(65536)) - 32768
        case 5: Int64(Int32(truncatingIfNeeded: random.next()))
        case 6: [Int64.max, .min, .max - 1, 127, 32767, 2_147_483_647, 15][random.below(7)]
        default: Int64(bitPattern: random.next())
        }
    }

    private mutating func string() -> String {
        let letters = Array("abcdefghij ABCéüßłЖ漢🎉0123456789")
        let length =
            switch random.below(20) {
            case 0: 0
            case 1...12: random.below(10)
            case 13...17: random.below(40)
            case 18: random.below(300)
            default: 190 + random.below(30)
            }
        if random.chance(5) { return String(repeating: "x", count: length) }
        return String((0..<length).map { _ in letters[random.below(letters.count)] })
    }

    private mutating func data() -> [UInt8] {
        let length = random.chance(90) ? random.below(20) : random.below(200)
        return (0..<length).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    }

    private mutating func date() -> Timestamp {
        let seconds = int()
        let fraction = Int32(random.below(1_000_000_000))
        return Timestamp(
            seconds: seconds, nanoseconds: seconds < 0 ? -fraction : seconds > 0 ? fraction : 0)
    }

    private mutating func floatBits() -> UInt32 {
        switch random.below(4) {
        case 0: Float(random.below(100)).bitPattern
        case 1: Float(-0.0).bitPattern
        default:
            Float(Double(Int64(random.below(1_000_000)) - 500_000) / 1000).bitPattern
        }
    }

    private mutating func doubleBits() -> UInt64 {
        switch random.below(5) {
        case 0: Double(random.below(100)).bitPattern
        case 1: Double.infinity.bitPattern
        case 2: (Double(random.below(1000)) / 10).bitPattern
        default: Double(bitPattern: random.next() >> 2).bitPattern
        }
    }

    private mutating func decimal() -> Decimal128 {
        let exponent = UInt64(6176 + random.below(21) - 10) << 49
        let sign = UInt64(random.below(2)) << 63
        switch random.below(8) {
        case 0: return Decimal128(low: 0, high: 6176 << 49)
        case 1...4: return Decimal128(low: UInt64(random.below(100_000)), high: exponent | sign)
        case 5: return Decimal128(low: random.next() >> 12, high: exponent | sign)
        case 6: return Decimal128(low: random.next(), high: exponent | sign | random.next() >> 20)
        default: return Decimal128(low: 0, high: 0x7800_0000_0000_0000 | sign)
        }
    }

    private mutating func objectID() -> ObjectID {
        ObjectID(
            high: random.chance(20) ? 0x5F00_0000_0000_0000 : random.next(),
            low: UInt32(random.below(5000)))
    }

    private mutating func uuid() -> UUID {
        UUID(
            high: random.chance(20) ? UInt64(random.below(3)) : random.next(),
            low: random.chance(20) ? UInt64(random.below(3)) : random.next())
    }

    private mutating func mixed(_ out: MixedEncoder, depth: Int, in collection: CollectionKind?) {
        let nests = store.options.nestsMixed && collection != .set && depth < 4
        switch random.below(nests ? 14 : 12) {
        case 0: depth > 0 ? out.null() : out.int(0)
        case 1: out.int(int())
        case 2: out.bool(random.chance(50))
        case 3: out.float(bits: floatBits())
        case 4: out.double(bits: doubleBits())
        case 5:
            let text = string()
            text.utf8.withContiguousStorageIfAvailable { out.string(UnsafeRawBufferPointer($0)) }
                ?? out.int(1)
        case 6: data().withUnsafeBytes { out.data($0) }
        case 7: out.date(date())
        case 8: out.decimal(decimal())
        case 9: out.objectID(objectID())
        case 10: out.uuid(uuid())
        case 11:
            let target = random.below(2)
            out.link(classIndex: target, key: key(of: target))
        case 12:
            let count = random.below(1000) == 0 ? 1200 : random.below(4)
            let mark = out.openList()
            for _ in 0..<count { mixed(out, depth: count > 100 ? 9 : depth + 1, in: collection) }
            out.close(mark, count: count)
        default:
            let count = random.below(4)
            let mark = out.openDictionary()
            for i in 0..<count {
                Array("key\(9 - i)".utf8).withUnsafeBytes { out.key($0) }
                mixed(out, depth: depth + 1, in: collection)
            }
            out.close(mark, count: count)
        }
    }
}
