// The way from a row to the values a query is about: a property, a property of an embedded
// object, the elements of a collection. Links are not followed; their objects are in no batch.

/// A key path, resolved against a class.
struct PropertyPath: Sendable {
    /// One step of the way.
    enum Step: Sendable, Equatable {
        /// A property of the class, or of the embedded object the way has led to.
        case property(Int)
        /// One element of a list, from 0.
        case element(Int)
        case lastElement
        /// The value of a dictionary under a key.
        case key(String)
        /// The number of elements of a collection.
        case count
        /// The keys of a dictionary.
        case keys
    }

    /// The text it was made from.
    let text: String
    let steps: [Step]
    /// The type of the values at its end.
    let type: PropertyType
    /// The class a link or embedded object at its end leads to.
    let target: String?
    /// True when it crosses a collection and may lead to any number of values.
    let isMany: Bool
    /// True when it ends in a collection itself, whose elements are its values.
    let endsInCollection: Bool

    /// The property of the class it starts with.
    var first: Int {
        if case .property(let index)? = steps.first { return index }
        return 0
    }

    // MARK: Resolving

    /// One part of a path as written, with its place in the text.
    struct Part {
        enum Kind {
            case name(String)
            /// `@count` and its like, without the `@`.
            case function(String)
            case element(Int)
            case lastElement
            case key(String)
        }
        let kind: Kind
        let offset: Int
    }

    /// Resolves the parts of a path.
    /// - Parameters:
    ///   - source: the whole text the path stands in, for messages.
    ///   - at: the bytes of the path in it.
    init(
        _ parts: [Part], source: String, at range: Range<Int>, schema: Schema, classIndex: Int
    ) throws(FormatError) {
        var steps: [Step] = []
        var owner: ClassSchema? = schema.classes[classIndex]
        var property: Property?
        var type = PropertyType.mixed
        var inCollection: CollectionKind?
        var isMany = false
        for part in parts {
            func fail(_ code: FormatErrorCode, _ message: String, fix: String? = nil) -> FormatError
            {
                FormatError(
                    code, message, column: part.offset + 1, property: property?.name,
                    excerpt: source, fix: fix)
            }
            switch part.kind {
            case .name(let name):
                guard let known = owner else {
                    if type == .link, let target = property?.target {
                        throw fail(
                            .unsupported,
                            "\(property?.name ?? "") is a link to \(target); its properties stand "
                                + "with the other object and cannot be asked for here",
                            fix: "compare \(property?.name ?? "") itself with nil or an object key")
                    }
                    throw fail(
                        .unknownName,
                        "\(property?.name ?? "") is of type \(type.rawValue) and has no property "
                            + name)
                }
                guard let index = known.index(of: name) else {
                    throw fail(
                        .unknownName, "\(known.name) has no property \(name)",
                        fix: suggestion(for: name, among: known.properties.map(\.name)))
                }
                if inCollection != nil { isMany = true }
                steps.append(.property(index))
                let next = known.properties[index]
                property = next
                type = next.type
                inCollection = next.collection
                owner = nil
                if schema.isEmbedded(next),
                    let target = next.target.flatMap({ schema.index(of: $0) })
                {
                    owner = schema.classes[target]
                } else if next.type == .table {
                    owner = ClassSchema(next.name, kind: .embedded, properties: next.columns)
                }
            case .function(let name):
                guard let kind = inCollection else {
                    throw fail(
                        .unsupported, "@\(name) needs a list, set or dictionary before it")
                }
                switch name.lowercased() {
                case "count", "size":
                    steps.append(.count)
                    type = .int
                case "keys", "allkeys":
                    guard kind == .dictionary else {
                        throw fail(.unsupported, "@keys needs a dictionary before it")
                    }
                    steps.append(.keys)
                    type = property?.hasIntKeys == true ? .int : .string
                    isMany = true
                case "values", "allvalues":
                    isMany = true
                default:
                    throw fail(
                        .unsupported, "@\(name) is not known here",
                        fix: "use @count, @keys or @values")
                }
                if !isMany || name.lowercased() != "values" { owner = nil }
                inCollection = nil
            case .element, .lastElement, .key:
                guard let kind = inCollection else {
                    throw fail(.unsupported, "[…] needs a list or dictionary before it")
                }
                switch part.kind {
                case .key(let key):
                    guard kind == .dictionary else {
                        throw fail(.unsupported, "a key in […] needs a dictionary before it")
                    }
                    steps.append(.key(key))
                case .element(let index): steps.append(.element(index))
                default: steps.append(.lastElement)
                }
                inCollection = nil
            }
        }
        let bytes = Array(source.utf8)
        text = String(decoding: bytes[range], as: UTF8.self)
        self.steps = steps
        self.type = type
        target = property?.target
        endsInCollection = inCollection != nil
        self.isMany = isMany || inCollection != nil
    }

    // MARK: Walking

    /// Calls `body` with each value of a row until it returns false; a missing object, element or
    /// key counts as null.
    /// - Returns: false when `body` did.
    @discardableResult
    func forEach(_ batch: RecordBatch, _ row: Int, _ body: (Scalar) -> Bool) -> Bool {
        visit(batch.columns[first], row, 1, body)
    }

    /// The value of a path that leads to one.
    func value(_ batch: RecordBatch, _ row: Int) -> Scalar {
        if steps.count == 1 { return Scalar(batch.columns[first], row) }
        var result = Scalar.null
        forEach(batch, row) {
            result = $0
            return false
        }
        return result
    }

    private func visit(_ column: Column, _ i: Int, _ step: Int, _ body: (Scalar) -> Bool) -> Bool {
        guard column.layout == .collection, let elements = column.elements else {
            guard step < steps.count, case .property(let next) = steps[step] else {
                return body(Scalar(column, i))
            }
            if column.nulls[i] != 0 { return body(.null) }
            return visit(column.child.columns[next], Int(column.words[i]), step + 1, body)
        }
        let range = column.range(i)
        if step < steps.count {
            switch steps[step] {
            case .count: return body(.int(Int64(range.count)))
            case .element(let index):
                guard index < range.count else { return body(.null) }
                return visit(elements, range.lowerBound + index, step + 1, body)
            case .lastElement:
                guard !range.isEmpty else { return body(.null) }
                return visit(elements, range.upperBound - 1, step + 1, body)
            case .key(let key):
                guard let keys = column.keys else { return body(.null) }
                var key = key
                for j in range {
                    let isIt =
                        keys.type == .int
                        ? String(keys.words[j]) == key
                        : key.withUTF8 {
                            Scalar.order(bytes: UnsafeRawBufferPointer($0), keys.bytes(j)) == 0
                        }
                    if isIt { return visit(elements, j, step + 1, body) }
                }
                return body(.null)
            case .keys:
                guard let keys = column.keys else { return true }
                for j in range where !body(Scalar(keys, j)) { return false }
                return true
            case .property: break
            }
        }
        for j in range where !visit(elements, j, step, body) { return false }
        return true
    }
}
