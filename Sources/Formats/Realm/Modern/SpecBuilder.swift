// The description of a table's columns, and nodes of names.

enum SpecBuilder {
    /// Writes the spec of a table: public columns first, then the backlink columns.
    static func write(
        _ layout: TableLayout, incoming: [LinkCollector], tables: [TableBuilder],
        _ nodes: NodeBuilder
    ) throws(FormatError) -> Int64 {
        var types = layout.columns.map(\.specType)
        var attributes = layout.columns.map(\.attributes)
        var keys = layout.columns.map(\.key)
        for i in incoming.indices {
            types.append(StoreConstant.backlinkType)
            attributes.append(0)
            keys.append(
                StoreConstant.columnKey(
                    leaf: layout.columns.count + i, type: StoreConstant.backlinkType,
                    attributes: 0, table: layout.key))
        }
        return try write(
            types: types, names: layout.columns.map(\.property.name), attributes: attributes,
            keys: keys, nodes)
    }

    /// Writes a spec of columns; those without a name stand last.
    static func write(
        types: [Int64], names: [String], attributes: [Int64], keys: [Int64], _ nodes: NodeBuilder
    ) throws(FormatError) -> Int64 {
        let typesRef = try nodes.ints(types)
        let namesRef = try self.names(names, nodes)
        let attributesRef = try nodes.ints(attributes)
        let keysRef = try nodes.ints(keys)
        return try nodes.refs([typesRef, namesRef, attributesRef, 0, 0, keysRef])
    }

    /// A node of short names.
    static func names(_ names: [String], _ nodes: NodeBuilder) throws(FormatError) -> Int64 {
        let column = Column(Property("", .string), schema: Schema(classes: []))
        for name in names { column.append(name) }
        let values = LeafValues(column, from: 0, count: column.count)
        let longest = try StringLeafBuilder.longest(values, limit: 63, what: "name")
        // Here a width of 0 means empty names, not nulls.
        return try StringLeafBuilder.writeShort(
            values, longest: longest == 0 ? -1 : longest, nodes: nodes)
    }
}
