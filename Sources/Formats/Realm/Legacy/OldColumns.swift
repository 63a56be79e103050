// From the columns of an old table to properties and column plans.

enum OldColumns {
    /// Plans columns; hidden ones (names that begin with `!`) only when asked for.
    /// - Parameter names: the classes of the tables, by table number.
    static func plan(
        _ gate: NodeGate, _ columns: [OldColumn], names: [Int: String],
        rows: [Int: LinkedRows] = [:], showsHidden: Bool
    ) throws(FormatError) -> (properties: [Property], plans: [ColumnPlan]) {
        var properties: [Property] = []
        var plans: [ColumnPlan] = []
        for column in columns {
            guard let name = column.name, column.type != ColumnCode.backlink,
                showsHidden || !name.hasPrefix("!")
            else { continue }
            let (property, shape, format) = try describe(
                gate, column, name, names: names, rows: rows)
            plans.append(
                ColumnPlan(
                    property: properties.count, leafIndex: column.slot, shape: shape,
                    format: format))
            properties.append(property)
        }
        return (properties, plans)
    }

    private static func describe(
        _ gate: NodeGate, _ column: OldColumn, _ name: String, names: [Int: String],
        rows: [Int: LinkedRows]
    ) throws(FormatError) -> (Property, ColumnPlan.Shape, LeafFormat) {
        var format = LeafFormat(
            kind: .int, isNullable: column.isNullable, dialect: .legacy)
        var property = Property(
            name, .int, isOptional: column.isNullable, isIndexed: column.isIndexed)
        switch column.type {
        case ColumnCode.link, ColumnCode.linkList:
            let isList = column.type == ColumnCode.linkList
            format.kind = .link
            format.old = .link
            format.isNullable = !isList
            format.rows = column.target.flatMap { rows[$0] } ?? LinkedRows.none
            property.type = .link
            property.collection = isList ? .list : nil
            property.isOptional = !isList
            property.target = column.target.flatMap { names[$0] }
            return (property, isList ? .list : .single, format)
        case OldCode.table:
            guard let sub = column.sub else { throw unknown(gate, column, name) }
            return try subtable(gate, column, sub, property, format)
        default:
            guard let (type, kind, old) = types[column.type] else {
                throw unknown(gate, column, name)
            }
            property.type = type
            format.kind = kind
            format.old = old
            if type == .mixed { property.isOptional = true }
            if column.enumerated != 0 {
                format.enumerated = try enumerated(gate, column)
            }
            return (property, .single, format)
        }
    }

    private static func subtable(
        _ gate: NodeGate, _ column: OldColumn, _ sub: OldSpec, _ property: Property,
        _ format: LeafFormat
    ) throws(FormatError) -> (Property, ColumnPlan.Shape, LeafFormat) {
        let (properties, plans) = try plan(gate, sub.columns, names: [:], showsHidden: true)
        var property = property
        property.collection = .list
        // Lists of values were subtables of one column; later releases read every such subtable
        // as one, whatever the column is called.
        if let element = properties.first, properties.count == 1,
            element.type != .table, element.type != .mixed, element.collection == nil
        {
            property.type = element.type
            property.isOptional = element.isOptional
            return (property, .column(plans), format)
        }
        property.type = .table
        property.isOptional = false
        property.columns = properties
        return (property, .table(plans), format)
    }

    private static let types: [Int: (PropertyType, LeafFormat.Kind, LeafFormat.OldKind?)] = [
        ColumnCode.int: (.int, .int, nil), ColumnCode.bool: (.bool, .bool, nil),
        ColumnCode.string: (.string, .string, nil), OldCode.enumerated: (.string, .string, nil),
        ColumnCode.data: (.data, .data, nil), ColumnCode.mixed: (.mixed, .mixed, .mixed),
        OldCode.seconds: (.date, .date, .seconds), ColumnCode.date: (.date, .date, .date),
        ColumnCode.float: (.float, .float, nil), ColumnCode.double: (.double, .double, nil),
    ]

    /// How the values of a column are stored, as far as counting them needs to know.
    static func countFormat(_ column: OldColumn) -> LeafFormat {
        var format = LeafFormat(kind: .link, isNullable: column.isNullable, dialect: .legacy)
        if let (_, kind, old) = types[column.type] {
            format.kind = kind
            format.old = old
        }
        return format
    }

    private static func unknown(_ gate: NodeGate, _ column: OldColumn, _ name: String)
        -> FormatError
    {
        FormatError(
            .damaged, "the column \(name) has the unknown type \(column.type)",
            file: gate.image.name)
    }

    /// The values of an enumerated string column.
    private static func enumerated(_ gate: NodeGate, _ column: OldColumn) throws(FormatError)
        -> EnumeratedStrings
    {
        let session = ReadSession(gate, tables: [])
        session.room = gate.image.bytes.count &* 2
        let values = Column(
            Property("", .string, isOptional: true), schema: Schema(classes: []))
        let format = LeafFormat(
            kind: .string, isNullable: column.isNullable, dialect: .legacy)
        try BTree.forEachLeaf(gate, column.enumerated) { (node: Node) throws(FormatError) in
            let leaf = try StringLeaf(session, Int64(node.ref), format)
            try session.charge(leaf.count &* 9)
            try leaf.append(
                0..<leaf.count, isNullable: column.isNullable, session: session, to: values)
            return leaf.count
        }
        return EnumeratedStrings(values)
    }
}

/// The rows of a table that old links, which are row numbers, lead to.
final class LinkedRows: Sendable {
    /// The number of rows.
    let count: Int
    /// The keys the rows were given by an interrupted upgrade; nil when they are the row numbers.
    let keys: [Int64: Int64]?

    init(count: Int, keys: [Int64: Int64]? = nil) {
        self.count = count
        self.keys = keys
    }

    /// The rows of a table nobody knows.
    static let none = LinkedRows(count: 0)

    /// The key of a row; nil when there is no such row.
    @inline(__always)
    func key(_ row: Int64) -> Int64? {
        if let keys { return keys[row] }
        return row >= 0 && row < Int64(count) ? row : nil
    }
}
