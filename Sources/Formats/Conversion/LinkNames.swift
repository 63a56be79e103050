// How a link is spelled in a text cell: by the primary key of the object it leads to.

/// Finds the primary keys of linked objects.
enum LinkNames {
    /// A function that appends the primary key's text of a linked object; nil when no link of the
    /// class leads to a class with a primary key.
    static func lookup(
        for result: Shaping.Result, in opened: OpenedInput, context: ExchangeContext
    ) throws(FormatError)
        -> ((Column, Int64, RawVector<UInt8>) throws(FormatError) -> Bool)?
    {
        guard let classIndex = result.classIndex else { return nil }
        let schema = result.reader.schema
        let targets = Set(
            schema.classes[classIndex].properties
                .filter { $0.type == .link && $0.collection == nil && !schema.isEmbedded($0) }
                .compactMap(\.target)
        ).filter { name in
            schema.index(of: name).map { schema.classes[$0].primaryKey != nil } ?? false
        }
        guard !targets.isEmpty else { return nil }
        let quiet = ExchangeContext(options: context.options)
        let reader = try opened.read(wish: .whatItIs, context: quiet).reader
        var names: [String: [Int64: String]] = [:]
        let batch = RecordBatch(schema: reader.schema)
        while try reader.next(into: batch) {
            let known = batch.classSchema
            guard targets.contains(known.name), let key = known.primaryKey,
                let place = known.index(of: key)
            else { continue }
            for i in 0..<batch.rowCount {
                names[known.name, default: [:]][batch.keys[i]] =
                    batch.columns[place].value(i).plainText
            }
        }
        return { (column, key, out) throws(FormatError) in
            guard let text = column.property.target.flatMap({ names[$0]?[key] }) else {
                return false
            }
            out.append(text)
            return true
        }
    }
}

extension Value {
    /// The text of a value that can be a primary key.
    var plainText: String {
        let out = RawVector<UInt8>()
        defer { out.destroy() }
        switch self {
        case .int(let v): ScalarText.write(v, to: out)
        case .string(let v): out.append(v)
        case .objectId(let v): ScalarText.write(v, to: out)
        case .uuid(let v): ScalarText.write(v, to: out)
        default: break
        }
        return String(decoding: out.elements, as: UTF8.self)
    }
}
