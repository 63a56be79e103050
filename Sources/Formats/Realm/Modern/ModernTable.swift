// A table of the formats since 10: its top, its spec, and the keys by which columns are found.
// Which classes there are and what is delivered of them is left to ModernSchema.

/// The key of a column: its place in the clusters, type, attributes and a tag.
struct ColumnKey: Equatable {
    var raw: Int64
    static let null: Int64 = .max

    var leafIndex: Int { Int(raw & 0xFFFF) }
    var type: Int { Int(raw >> 16 & 0x3F) }
    var attributes: Int { Int(raw >> 22 & 0xFF) }
}

/// Types and attributes of columns.
enum ColumnCode {
    static let int = 0
    static let bool = 1
    static let string = 2
    static let data = 4
    static let mixed = 6
    static let date = 8
    static let float = 9
    static let double = 10
    static let decimal = 11
    static let link = 12
    static let linkList = 13
    static let backlink = 14
    static let objectId = 15
    static let typedLink = 16
    static let uuid = 17

    static let indexed = 1
    static let nullable = 16
    static let list = 32
    static let dictionary = 64
    static let set = 128
    static let fullText = 256
}

/// One table, taken apart but not yet judged.
struct ModernTable {
    struct ColumnSpec {
        /// nil for backlink columns, which have none.
        var name: String?
        var key: ColumnKey
        var specType: Int64
        var attributes: Int
        var enumerated: Int64 = 0
        var oppositeTable: Int64 = ModernTable.nullTable
        var oppositeColumn: Int64 = ColumnKey.null
        var index: Int64 = 0
        var isBacklink: Bool { key.type == ColumnCode.backlink }
    }

    static let nullTable: Int64 = 0x7FFF_FFFF
    static let columnLimit = 65535

    let name: String
    let top: Node
    let key: Int64
    let columns: [ColumnSpec]
    /// 0 object, 1 embedded, 2 asymmetric.
    let kind: Int
    let primaryKey: Int64?
    let clusters: Int64
    let tombstones: Int64

    init(_ gate: NodeGate, name: String, ref: Int64) throws(FormatError) {
        self.name = name
        let top = try gate.references(ref, least: 10)
        self.top = top
        guard let key = top.tagged(3), key <= ModernTable.nullTable else {
            throw gate.damage(top.ref, "table \(name) has no key")
        }
        self.key = key
        clusters = top.integer(2)
        kind = Int(truncatingIfNeeded: (top.tagged(12) ?? 0) & 3)
        primaryKey = top.tagged(11)
        tombstones = top.integer(13) & 1 == 0 ? top.integer(13) : 0

        let spec = try gate.references(gate.ref(top, 0), least: 6)
        let types = try gate.integers(gate.ref(spec, 0))
        let names = try NameLeaf.names(gate, gate.ref(spec, 1))
        let attributes = try gate.integers(gate.ref(spec, 2))
        let keys = try gate.integers(gate.ref(spec, 5))
        let count = keys.count
        guard types.count == count, attributes.count == count, names.count <= count,
            count <= ModernTable.columnLimit
        else {
            throw gate.damage(
                spec.ref,
                "table \(name) has \(count) column keys, \(types.count) types, "
                    + "\(attributes.count) attributes and \(names.count) names")
        }
        func list(_ slot: Int) throws(FormatError) -> Node? {
            let ref = top.integer(slot)
            return ref == 0 || ref & 1 == 1 ? nil : try gate.integers(ref)
        }
        let enumerated =
            spec.integer(4) == 0 ? nil : try gate.references(gate.ref(spec, 4))
        let oppositeTables = try list(7)
        let oppositeColumns = try list(8)
        let indexes = try list(4)
        var seen: Set<Int> = []
        var columns: [ColumnSpec] = []
        for i in 0..<count {
            let key = ColumnKey(raw: keys.integer(i))
            guard seen.insert(key.leafIndex).inserted else {
                throw gate.damage(
                    keys.ref, "table \(name) has two columns in place \(key.leafIndex)")
            }
            var column = ColumnSpec(
                name: i < names.count ? String(decoding: names[i], as: UTF8.self) : nil,
                key: key, specType: types.integer(i),
                attributes: Int(truncatingIfNeeded: attributes.integer(i)))
            let at = key.leafIndex
            if let enumerated { column.enumerated = enumerated.integer(i) }
            if let oppositeTables, at < oppositeTables.count {
                column.oppositeTable = oppositeTables.integer(at)
            }
            if let oppositeColumns, at < oppositeColumns.count {
                column.oppositeColumn = oppositeColumns.integer(at)
            }
            if let indexes { column.index = indexes.integer(at) }
            columns.append(column)
        }
        self.columns = columns
    }

    /// The number of rows the root of the clusters states; nil when it cannot be right.
    func rowCount(_ gate: NodeGate) throws(FormatError) -> Int? {
        guard clusters != 0, clusters & 1 == 0 else { return clusters == 0 ? 0 : nil }
        let root = try gate.references(clusters, least: 1)
        let count: Int64?
        if root.isInner {
            count = root.tagged(2)
        } else if root.integer(0) & 1 == 1 {
            count = root.tagged(0)
        } else {
            count = Int64(try gate.integers(gate.ref(root, 0)).count)
        }
        // Sixteen bytes a leaf of 256 rows is the densest there can be.
        guard let count, count >= 0, count <= Int64(gate.image.bytes.count / 16 + 1) * 256 else {
            return nil
        }
        return Int(count)
    }
}
