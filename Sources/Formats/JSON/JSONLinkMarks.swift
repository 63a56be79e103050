// Links of rows that go to a store: by primary key, or by the object key in the store.

extension JSONRowReader {
    /// Reads links as marks.
    /// - Parameters:
    ///   - isDocument: whether the rows stand with those of other classes, and lead to each other
    ///     by their place or `$key`.
    ///   - comesIn: whether rows of a class are among those that are read.
    func follow(
        _ links: LinkReferences, isDocument: Bool = false, comesIn: @escaping (Int) -> Bool
    ) {
        var readers: [Int: (reader: JSONRowReader, column: Column)] = [:]
        let (source, schema) = (source, schema)
        resolve = { (index, scanner) throws(FormatError) in
            let target = schema.classes[index]
            guard let place = target.primaryKey.flatMap({ target.index(of: $0) }) else {
                throw FormatError(
                    .badValue, "\(target.name) has no primary key: link to it by $key",
                    offset: scanner.at)
            }
            var property = target.properties[place]
            property.isOptional = true
            let (reader, column) =
                readers[index]
                ?? (
                    JSONRowReader(
                        source: source,
                        schema: Schema(classes: [ClassSchema("", properties: [property])]),
                        context: ExchangeContext(), isLenient: true),
                    Column(property, schema: schema)
                )
            readers[index] = (reader, column)
            var scanner = scanner
            column.removeAll()
            try reader.scalar(&scanner, into: column)
            return try links.mark(
                primaryKey: column.value(0), of: target.name, comesIn: comesIn(index))
        }
        resolveKey = { [unowned self] (index, key) throws(FormatError) in
            let comesIn = comesIn(index)
            if comesIn, isDocument || self.key != nil { return key }
            return try links.mark(key: key, of: schema.classes[index].name)
                ?? (comesIn ? key : nil)
        }
    }
}
