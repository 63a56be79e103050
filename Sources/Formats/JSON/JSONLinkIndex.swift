// Links by primary key: `{"$ref": "Dog", "$id": "Rex"}`. When the first one to a class is met,
// the primary keys of that class are read into a table.

/// Finds object keys by primary key values.
final class JSONLinkIndex {
    private let source: JSONSource
    private let index: JSONStoreIndex
    private var tables: [Int: [[UInt8]: Int64]] = [:]

    init(source: JSONSource, index: JSONStoreIndex) {
        self.source = source
        self.index = index
    }

    /// The object key of the row of a class whose primary key is the value at an offset.
    func key(_ target: Int, valueAt offset: Int) throws(FormatError) -> Int64? {
        let c = index.schema.classes[target]
        guard let name = c.primaryKey, let position = c.index(of: name) else {
            throw FormatError(
                .badValue, "\(c.name) has no primary key: link to it by $key", offset: offset)
        }
        var property = c.properties[position]
        property.isOptional = true
        let column = Column(property, schema: index.schema)
        let reader = scalarReader(property)
        var s = source.scanner()
        s.at = offset
        try reader.scalar(&s, into: column)
        if tables[target] == nil { try build(target, property) }
        return tables[target]?[JSONLinkIndex.bytes(column)]
    }

    private func scalarReader(_ property: Property) -> JSONRowReader {
        JSONRowReader(
            source: source,
            schema: Schema(classes: [ClassSchema("", properties: [property])]),
            context: ExchangeContext(), isLenient: true)
    }

    /// The first value of a column in a form that can be looked up.
    private static func bytes(_ column: Column) -> [UInt8] {
        let out = RawVector<UInt8>(capacity: 32)
        defer { out.destroy() }
        _ = MixedEncoder(out).append(column.value(0), classes: [])
        return Array(out.elements)
    }

    private func build(_ target: Int, _ property: Property) throws(FormatError) {
        var table: [[UInt8]: Int64] = [:]
        guard let section = index.sections[target] else { return tables[target] = table }
        var places: [(key: Int64, offset: Int)] = []
        if section.isAscending || section.keyed == 0 {
            var s = source.scanner()
            s.at = section.offset
            try JSONStoreIndex.rows(&s) { place, key in
                places.append((key ?? Int64(places.count), place))
            }
        } else {
            places = try section.keysInOrder(source)
        }
        let reader = scalarReader(property)
        let shape = reader.shape(class: 0)
        let column = Column(property, schema: index.schema)
        table.reserveCapacity(places.count)
        for (key, place) in places {
            var s = source.scanner()
            s.at = place
            var isFirst = true
            column.removeAll()
            try s.enterObject()
            while try s.nextMember(&isFirst) {
                let isKey =
                    s.name.hasEscapes
                    ? s.text(s.name) == property.name
                    : shape.index(s.bytes(s.name), guess: 0) == 0
                if isKey {
                    column.removeAll()
                    try reader.scalar(&s, into: column)
                } else {
                    try s.skip()
                }
            }
            if column.count == 1 { table[JSONLinkIndex.bytes(column)] = key }
        }
        tables[target] = table
    }
}

extension JSONRowReader {
    /// Reads one value into a column, outside of any row.
    func scalar(_ s: inout JSONScanner, into column: Column) throws(FormatError) {
        try value(&s, into: column, shape(class: 0), 0)
    }
}
