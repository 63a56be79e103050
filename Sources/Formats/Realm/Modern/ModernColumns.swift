// From the columns of a modern table to properties and column plans. The column's key is the
// authority; the spec adds the name, the index attributes and the type of dictionary keys.

enum ModernColumns {
    struct Planned {
        var key: Int64
        var property: Property
        var plan: ColumnPlan
    }

    /// Plans the public columns of a table, in spec order.
    static func plan(_ gate: NodeGate, _ table: ModernTable, names: [Int64: String])
        throws(FormatError) -> [Planned]
    {
        var result: [Planned] = []
        for column in table.columns where !column.isBacklink {
            guard let name = column.name else {
                throw gate.damage(table.top.ref, "table \(table.name) has a column without a name")
            }
            guard let (type, kind) = types[column.key.type] else {
                throw gate.damage(
                    table.top.ref,
                    "\(table.name).\(name) has the unknown column type \(column.key.type)")
            }
            let attributes = column.key.attributes
            let isNullable = attributes & ColumnCode.nullable != 0
            var collection: CollectionKind?
            if attributes & ColumnCode.dictionary != 0 {
                collection = .dictionary
            } else if attributes & ColumnCode.set != 0 {
                collection = .set
            } else if attributes & ColumnCode.list != 0 || column.key.type == ColumnCode.linkList {
                collection = .list
            }
            let isLink = kind == .link
            let optional =
                isLink
                ? collection == nil || collection == .dictionary : type == .mixed || isNullable
            let isPrimary = table.primaryKey == column.key.raw
            let isFullText = column.attributes & ColumnCode.fullText != 0
            let intKeys = collection == .dictionary && column.specType >> 16 == 0
            let property = Property(
                name, type, collection: collection, isOptional: optional,
                target: isLink ? names[column.oppositeTable] : nil,
                isIndexed: !isPrimary && column.attributes & ColumnCode.indexed != 0,
                isFullText: isFullText, hasIntKeys: intKeys)
            var format = LeafFormat(kind: kind, isNullable: optional)
            if column.enumerated != 0 {
                format.enumerated = try enumerated(gate, column.enumerated)
            }
            let shape: ColumnPlan.Shape =
                switch collection {
                case nil: .single
                case .list?: .list
                case .set?: .set
                case .dictionary?: .dictionary(intKeys: intKeys)
                }
            result.append(
                Planned(
                    key: column.key.raw, property: property,
                    plan: ColumnPlan(
                        property: result.count, leafIndex: column.key.leafIndex, shape: shape,
                        format: format)))
        }
        return result
    }

    private static let types: [Int: (PropertyType, LeafFormat.Kind)] = [
        ColumnCode.int: (.int, .int), ColumnCode.bool: (.bool, .bool),
        ColumnCode.string: (.string, .string), ColumnCode.data: (.data, .data),
        ColumnCode.mixed: (.mixed, .mixed), ColumnCode.date: (.date, .date),
        ColumnCode.float: (.float, .float), ColumnCode.double: (.double, .double),
        ColumnCode.decimal: (.decimal128, .decimal), ColumnCode.link: (.link, .link),
        ColumnCode.linkList: (.link, .link), ColumnCode.objectId: (.objectId, .objectId),
        ColumnCode.typedLink: (.mixed, .typedLink), ColumnCode.uuid: (.uuid, .uuid),
    ]

    /// The values of an enumerated string column.
    private static func enumerated(_ gate: NodeGate, _ root: Int64) throws(FormatError)
        -> EnumeratedStrings
    {
        let session = ReadSession(gate, tables: [])
        session.room = gate.image.bytes.count &* 2
        let values = Column(
            Property("", .string, isOptional: true), schema: Schema(classes: []))
        let format = LeafFormat(kind: .string, isNullable: true)
        try BTree.forEachLeaf(gate, root) { (node: Node) throws(FormatError) in
            let leaf = try StringLeaf(session, Int64(node.ref), format)
            try session.charge(leaf.count &* 9)
            try leaf.append(0..<leaf.count, isNullable: true, session: session, to: values)
            return leaf.count
        }
        return EnumeratedStrings(values)
    }
}
