// The spec of an old table or subtable: what columns there are, and which slots of the column
// list are theirs. Column types and attributes are told apart by shape, so that the specs an
// interrupted upgrade has begun to change are read as well.

/// One column of an old table.
struct OldColumn {
    /// nil for backlink columns, which have none.
    var name: String?
    var type: Int
    var attributes: Int
    /// The place of the column's root in the column list.
    var slot = 0
    /// The number of the table a link leads to; nil when the file does not say.
    var target: Int?
    /// The columns of a subtable.
    var sub: OldSpec?
    /// The values of an enumerated column.
    var enumerated: Int64 = 0

    var isNullable: Bool { attributes & ColumnCode.nullable != 0 }
    var isIndexed: Bool { attributes & ColumnCode.indexed != 0 }
    var isLink: Bool { type >= ColumnCode.link && type <= ColumnCode.backlink }
}

/// Column types that ended with format 9; the others are those of ColumnCode.
enum OldCode {
    static let enumerated = 3
    static let table = 5
    static let seconds = 7
}

/// The columns of an old table.
struct OldSpec {
    var columns: [OldColumn]
    /// The slots the column list must have.
    var slotCount: Int
    /// Columns that had no name, or one that was taken.
    var renamed: Int

    private static let depthLimit = 32
    private static let columnLimit = 65535

    /// What an interrupted upgrade adds to a table's top.
    struct Upgrade {
        let list: Node?
        /// The keys of the tables links lead to, by column.
        let oppositeTables: Node?
        let tableOfKey: [Int64: Int]
    }

    init(_ gate: NodeGate, _ ref: Int64, upgrade: Upgrade? = nil, depth: Int = 0)
        throws(FormatError)
    {
        let top = try gate.references(ref, least: 3)
        guard top.count <= (upgrade == nil ? 5 : 6), !top.isInner, depth < OldSpec.depthLimit
        else { throw gate.unexpected(top, "the columns of a table") }
        let types = try gate.integers(gate.ref(top, 0))
        let names = try NameLeaf.names(gate, gate.ref(top, 1))
        let attributes = try gate.integers(gate.ref(top, 2))
        guard types.count == attributes.count, names.count <= types.count,
            types.count <= OldSpec.columnLimit
        else {
            throw gate.damage(
                top.ref,
                "a table has \(types.count) column types, \(attributes.count) attributes and "
                    + "\(names.count) names")
        }
        let subs = top.integer(3) == 0 ? nil : try gate.references(gate.ref(top, 3))
        let keys = top.integer(4) == 0 ? nil : try gate.references(gate.ref(top, 4))
        let hasIndexSlots = upgrade.map { ($0.list?.count ?? 0) > types.count } ?? true
        columns = []
        slotCount = 0
        renamed = 0
        var nextSub = 0
        var nextKeys = 0
        for i in 0..<types.count {
            var column = OldColumn(
                name: nil, type: Int(types.integer(i)),
                attributes: Int(truncatingIfNeeded: attributes.integer(i)))
            if i < names.count { column.name = String(decoding: names[i], as: UTF8.self) }
            let wasTable =
                upgrade != nil && column.attributes & ColumnCode.list != 0
                && column.type != ColumnCode.linkList
            if wasTable {
                column.sub = OldSpec(column)
                column.type = OldCode.table
                column.attributes &= ~(ColumnCode.list | ColumnCode.nullable)
                nextSub += 1
            } else if upgrade != nil, column.type == ColumnCode.string {
                column.enumerated = keys?.integer(i) ?? 0
            }
            switch column.type {
            case OldCode.table where !wasTable:
                guard let subs else {
                    throw gate.damage(top.ref, "a subtable without columns of its own")
                }
                column.sub = try OldSpec(gate, gate.ref(subs, nextSub), depth: depth + 1)
                nextSub += 1
            case ColumnCode.link, ColumnCode.linkList:
                if let subs {
                    column.target = OldSpec.number(subs, nextSub)
                } else if let opposite = upgrade?.oppositeTables, i < opposite.count {
                    column.target = upgrade?.tableOfKey[opposite.integer(i)]
                }
                nextSub += 1
            case ColumnCode.backlink: nextSub += 2
            case OldCode.enumerated:
                guard let keys else {
                    throw gate.damage(top.ref, "an enumerated column without values")
                }
                column.enumerated = try gate.ref(keys, nextKeys)
                nextKeys += 1
            default: break
            }
            column.slot = slotCount
            slotCount += column.isIndexed && hasIndexSlots ? 2 : 1
            columns.append(column)
        }
        giveNames()
    }

    /// A subtable of one column, of which an interrupted upgrade has kept only the type.
    private init(_ column: OldColumn) {
        var element = column
        element.attributes = column.attributes & ColumnCode.nullable
        element.name = ""
        columns = [element]
        slotCount = 1
        renamed = 0
    }

    private static func number(_ node: Node, _ i: Int) -> Int? {
        node.tagged(i).flatMap { Int(exactly: $0) }
    }

    /// Gives a name to columns that have none of their own, as later releases do.
    private mutating func giveNames() {
        var taken: Set<String> = []
        for i in columns.indices {
            guard var name = columns[i].name, columns[i].type != ColumnCode.backlink else {
                continue
            }
            if name.isEmpty || taken.contains(name) {
                name = name.isEmpty ? "col_\(i)" : "\(name)_\(i)"
                while taken.contains(name) { name += "_" }
                columns[i].name = name
                renamed += 1
            }
            taken.insert(name)
        }
    }

    /// The columns a user sees.
    var named: [OldColumn] { columns.filter { $0.name != nil && $0.type != ColumnCode.backlink } }
}
