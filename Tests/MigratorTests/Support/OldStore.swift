// Stores of the formats 3, 5 and 9 for the same rows that SmallStore writes in format 24: so that the
// cases of the catalogue begin where old apps left their data. Nodes are for OldStoreBuilder.

import Foundation
import TestSupport

@testable import Formats

/// Writes a store of format 3, 5 or 9.
struct OldStore {
    private let store: SmallStore
    private let format: UInt8
    private let builder: OldStoreBuilder
    /// Rows of each class, in order: their positions are their numbers.
    private var rows: [[[Value]]]
    /// The row number of each object key, by class.
    private var numbers: [[Int64: Int]]

    /// Tables that stand before those of the classes.
    private static let lead = 2

    private init(_ store: SmallStore, _ format: UInt8) {
        self.store = store
        self.format = format
        builder = OldStoreBuilder(format: format)
        rows = store.schema.classes.map { _ in [] }
        numbers = store.schema.classes.map { _ in [:] }
        for row in store.rows {
            guard let c = store.schema.index(of: row.className) else { continue }
            numbers[c][row.key] = rows[c].count
            rows[c].append(row.values)
        }
    }

    /// The bytes of a store.
    static func bytes(_ store: SmallStore, format: UInt8) -> [UInt8] {
        OldStore(store, format).file()
    }

    // MARK: What fits

    /// True when a file format has the types and values of a store.
    static func fits(_ store: SmallStore, format: UInt8) -> Bool {
        for definition in store.schema.classes {
            guard definition.kind == .object else { return false }
            for property in definition.properties {
                switch (property.type, property.collection) {
                case (.decimal128, _), (.objectId, _), (.uuid, _), (.table, _),
                    (_, .set?), (_, .dictionary?), (.mixed, .list?):
                    return false
                case (.link, _), (_, nil): break
                // Lists of values came with format 8.
                case (_, .list?): if format < 8 { return false }
                }
            }
        }
        for row in store.rows {
            guard let c = store.schema.index(of: row.className) else { continue }
            for (property, value) in zip(store.schema.classes[c].properties, row.values)
            where property.type == .mixed {
                switch value {
                case .int, .bool, .string, .data, .date, .float, .double: break
                default: return false
                }
            }
        }
        return true
    }

    // MARK: Tables

    private func file() -> [UInt8] {
        writeKeys()
        let version = Int(truncatingIfNeeded: store.schema.version ?? .max)
        builder.table(
            "metadata", spec: builder.spec([("version", 0, 0)]), roots: [builder.packed([version])])
        for c in store.schema.classes.indices { writeClass(c) }
        return builder.finishShared()
    }

    /// The table of the classes' primary keys; it has an index since format 6.
    private func writeKeys() {
        let keyed = store.schema.classes.filter { $0.primaryKey != nil }
        let attribute = format >= 6 ? 1 : 0
        let names = keyed.map { Value.string($0.name) }
        var roots = [strings(names, isNullable: false)]
        if attribute == 1 { roots.append(index(names)) }
        roots.append(strings(keyed.map { .string($0.primaryKey ?? "") }, isNullable: false))
        builder.table(
            "pk",
            spec: builder.spec([("pk_table", 2, attribute), ("pk_property", 2, 0)]), roots: roots)
    }

    /// A link column: whose it is, and which.
    private struct Origin {
        var classIndex: Int
        var column: Int
    }

    private func origins(of target: Int) -> [Origin] {
        store.schema.classes.enumerated().flatMap { c, definition in
            definition.properties.enumerated().filter {
                $0.element.type == .link
                    && $0.element.target == store.schema.classes[target].name
            }.map { Origin(classIndex: c, column: $0.offset) }
        }
    }

    private func writeClass(_ c: Int) {
        let definition = store.schema.classes[c]
        var columns: [(name: String?, type: Int, attributes: Int)] = []
        var subs: [Int] = []
        var roots: [Int] = []
        for (p, property) in definition.properties.enumerated() {
            let values = rows[c].map { $0[p] }
            let isNullable = property.isOptional && property.type != .mixed
            var attributes = isNullable && property.collection == nil ? 16 : 0
            if property.isIndexed || property.name == definition.primaryKey { attributes |= 1 }
            if property.type == .link {
                let target = property.target.flatMap { store.schema.index(of: $0) } ?? 0
                subs.append((target + OldStore.lead) * 2 + 1)
                let isList = property.collection != nil
                columns.append((property.name, isList ? 13 : 12, isList ? 0 : 16))
                roots.append(isList ? lists(values, target) : links(values, target))
            } else if property.collection != nil {
                let type = code(property.type)
                subs.append(builder.spec([("!ARRAY_VALUE", type, isNullable ? 16 : 0)]))
                columns.append((property.name, 5, 0))
                roots.append(subtables(values, property, isNullable: isNullable))
            } else {
                columns.append((property.name, code(property.type), attributes))
                roots.append(column(values, property.type, isNullable: isNullable))
                if attributes & 1 == 1 { roots.append(index(values)) }
            }
        }
        for origin in origins(of: c) {
            subs += [(origin.classIndex + OldStore.lead) * 2 + 1, origin.column * 2 + 1]
            columns.append((nil, 14, 0))
            roots.append(backlinks(to: c, from: origin))
        }
        builder.table(
            "class_" + definition.name, spec: builder.spec(columns, subs: subs), roots: roots)
    }

    /// The number of a column's type; dates were whole seconds before format 5.
    private func code(_ type: PropertyType) -> Int {
        switch type {
        case .int: 0
        case .bool: 1
        case .string: 2
        case .data: 4
        case .mixed: 6
        case .date: format < 5 ? 7 : 8
        case .float: 9
        case .double: 10
        default: 12
        }
    }

    // MARK: Columns

    private func column(_ values: [Value], _ type: PropertyType, isNullable: Bool) -> Int {
        switch type {
        case .string: strings(values, isNullable: isNullable)
        case .data: data(values.map(\.blob))
        case .date where format >= 5: dates(values)
        case .float: floats(values, isDouble: false)
        case .double: floats(values, isDouble: true)
        case .mixed: mixed(values)
        default:
            isNullable
                ? builder.nullable(values.map(\.number))
                : builder.packed(values.map { $0.number ?? 0 })
        }
    }

    private func strings(_ values: [Value], isNullable: Bool) -> Int {
        let bytes = values.map(\.blob)
        let longest = bytes.map { $0?.count ?? 0 }.max() ?? 0
        if longest <= 15 {
            // A null takes a cell that has room for a length of its own.
            var width = isNullable || longest > 0 ? 1 : 0
            while width < longest + 1, width > 0 { width *= 2 }
            let cells = bytes.flatMap { value -> [UInt8] in
                guard width > 0 else { return [] }
                guard let value else {
                    return [UInt8](repeating: 0, count: width - 1) + [UInt8(width)]
                }
                let padding = width - 1 - value.count
                return value + [UInt8](repeating: 0, count: padding) + [UInt8(padding)]
            }
            let code = width == 0 ? 0 : UInt8(width.trailingZeroBitCount + 1)
            return builder.node(0x08 | code, count: bytes.count, cells)
        }
        if longest <= 63 {
            let (ends, blob) = joined(bytes.map { ($0 ?? []) + [0] })
            var parts = [ends, blob]
            if isNullable { parts.append(builder.packed(bytes.map { $0 == nil ? 0 : 1 })) }
            return builder.refs(parts)
        }
        return builder.refs(bytes.map { $0.map { builder.blob($0 + [0]) } ?? 0 }, context: true)
    }

    private func joined(_ values: [[UInt8]]) -> (ends: Int, blob: Int) {
        var ends: [Int] = []
        for value in values { ends.append((ends.last ?? 0) + value.count) }
        return (builder.packed(ends), builder.blob(values.flatMap { $0 }))
    }

    /// The flags of data mean null, those of strings a value.
    private func data(_ values: [[UInt8]?]) -> Int {
        if values.contains(where: { ($0?.count ?? 0) > 64 }) {
            return builder.refs(values.map { $0.map { builder.blob($0) } ?? 0 }, context: true)
        }
        let (ends, blob) = joined(values.map { $0 ?? [] })
        return builder.refs([ends, blob, builder.packed(values.map { $0 == nil ? 1 : 0 })])
    }

    private func dates(_ values: [Value]) -> Int {
        let dates = values.map { value -> Timestamp? in
            if case .date(let date) = value { date } else { nil }
        }
        return builder.refs([
            builder.nullable(dates.map { $0.map { Int($0.seconds) } }),
            builder.packed(dates.map { Int($0?.nanoseconds ?? 0) }),
        ])
    }

    private func floats(_ values: [Value], isDouble: Bool) -> Int {
        let bits = values.map { value -> UInt64 in
            switch value {
            case .float(let number): UInt64(number.bitPattern)
            case .double(let number): number.bitPattern
            default: isDouble ? 0x7FF8_0000_0000_00AA : 0x7FC0_00AA
            }
        }
        let size = isDouble ? 8 : 4
        return builder.node(
            isDouble ? 0x0C : 0x0B, count: values.count,
            bits.flatMap { bits in (0..<size).map { UInt8(truncatingIfNeeded: bits >> (8 * $0)) } })
    }

    private func mixed(_ values: [Value]) -> Int {
        var types: [Int] = []
        var payload: [Int] = []
        var blobs: [[UInt8]?] = []
        var times: [Value] = []
        func add(_ type: Int, _ bits: UInt64) {
            types.append(type)
            payload.append(Int(truncatingIfNeeded: bits << 1 | 1))
        }
        for value in values {
            switch value {
            case .int(let number): add(number < 0 ? 12 : 0, UInt64(bitPattern: number))
            case .bool(let flag): add(1, flag ? 1 : 0)
            case .string(let text):
                add(2, UInt64(blobs.count))
                blobs.append(Array(text.utf8) + [0])
            case .data(let bytes):
                add(4, UInt64(blobs.count))
                blobs.append(bytes)
            case .date:
                add(8, UInt64(times.count))
                times.append(value)
            case .float(let number): add(9, UInt64(number.bitPattern))
            case .double(let number): add(number.sign == .minus ? 11 : 10, number.bitPattern)
            default: add(0, 0)
            }
        }
        var parts = [builder.packed(types), builder.refs(payload)]
        if !blobs.isEmpty || !times.isEmpty { parts.append(data(blobs)) }
        if !times.isEmpty { parts.append(dates(times)) }
        return builder.refs(parts)
    }

    private func subtables(_ values: [Value], _ property: Property, isNullable: Bool) -> Int {
        builder.refs(
            values.map { value in
                guard case .list(let elements) = value, !elements.isEmpty else { return 0 }
                return builder.refs([column(elements, property.type, isNullable: isNullable)])
            })
    }

    // MARK: Links

    private func number(_ value: Value, _ target: Int) -> Int? {
        if case .link(_, let key) = value { numbers[target][key] } else { nil }
    }

    private func links(_ values: [Value], _ target: Int) -> Int {
        builder.packed(values.map { number($0, target).map { $0 + 1 } ?? 0 })
    }

    private func lists(_ values: [Value], _ target: Int) -> Int {
        builder.refs(
            values.map { value in
                guard case .list(let elements) = value, !elements.isEmpty else { return 0 }
                return builder.packed(elements.compactMap { number($0, target) })
            })
    }

    private func backlinks(to c: Int, from origin: Origin) -> Int {
        var found = rows[c].map { _ in [Int]() }
        for (row, values) in rows[origin.classIndex].enumerated() {
            var links = [values[origin.column]]
            if case .list(let elements) = links[0] { links = elements }
            for link in links { if let at = number(link, c) { found[at].append(row) } }
        }
        return builder.refs(
            found.map { rows in
                rows.isEmpty ? 0 : rows.count == 1 ? rows[0] * 2 + 1 : builder.packed(rows)
            })
    }

    // MARK: Indexes

    /// A search index: a trie over the value's bytes, four at a time.
    private func index(_ values: [Value]) -> Int {
        indexNode(values.enumerated().map { ($0.offset, $0.element.indexBytes) }, at: 0)
    }

    private func indexNode(_ entries: [(row: Int, bytes: [UInt8]?)], at offset: Int) -> Int {
        func chunk(_ bytes: [UInt8]?) -> Int32 {
            guard let bytes, offset <= bytes.count else { return 0 }
            let rest = Array((bytes + [0x58, 0, 0, 0])[offset...].prefix(4))
            return Int32(bitPattern: rest.reduce(0) { $0 << 8 | UInt32($1) })
        }
        let groups = Dictionary(grouping: entries) { chunk($0.bytes) }.sorted { $0.key < $1.key }
        let keys = builder.node(
            6, count: groups.count,
            groups.flatMap { group in
                (0..<4).map { UInt8(truncatingIfNeeded: group.key >> (8 * $0)) }
            })
        var slots = [keys]
        for (_, entries) in groups {
            if entries.count == 1 {
                slots.append(entries[0].row * 2 + 1)
            } else if entries.allSatisfy({ $0.bytes == entries[0].bytes }) {
                slots.append(builder.packed(entries.map(\.row)))
            } else {
                slots.append(indexNode(entries, at: offset + 4))
            }
        }
        return builder.refs(slots, context: true)
    }
}

extension Value {
    /// A whole number, a truth value or a date of whole seconds as a number.
    fileprivate var number: Int? {
        switch self {
        case .int(let number): Int(number)
        case .bool(let flag): flag ? 1 : 0
        case .date(let date): Int(date.seconds)
        default: nil
        }
    }

    /// The bytes of text or data; nil for null.
    fileprivate var blob: [UInt8]? {
        switch self {
        case .string(let text): Array(text.utf8)
        case .data(let bytes): bytes
        default: nil
        }
    }

    /// What an index sees of a value; nil for null.
    fileprivate var indexBytes: [UInt8]? {
        func bytes(_ number: Int, _ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
        }
        switch self {
        case .string(let text): return Array(text.utf8)
        case .int, .bool: return bytes(number ?? 0, 8)
        case .date(let date):
            return bytes(Int(date.seconds), 8) + bytes(Int(date.nanoseconds), 4)
        default: return nil
        }
    }
}

extension SmallStore {
    /// Writes the store into a file of a format.
    func write(_ path: String, format: UInt8) throws {
        guard format < 10 else { return try write(path) }
        try Data(OldStore.bytes(self, format: format)).write(to: URL(fileURLWithPath: path))
    }
}
