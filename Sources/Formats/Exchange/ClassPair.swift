// A class that two stores have in common, and how its rows and columns pair up; and the
// differences of two schemas in words.

/// A class of both stores.
struct ClassPair {
    let name: String
    /// Positions in the two schemas.
    let first: Int
    let second: Int
    /// Columns that have the same name and shape in both, by position.
    let columns: [(first: Int, second: Int)]
    /// The column rows are matched by; nil for the object key.
    let key: (first: Int, second: Int)?
    private let keyName: String?

    /// The classes of both schemas that have rows of their own, and the embedded ones.
    static func all(_ a: Schema, _ b: Schema, by property: String?) -> [ClassPair] {
        a.classes.indices.compactMap { i in
            let x = a.classes[i]
            let other = b.classes.firstIndex { $0.name == x.name && $0.isTable == x.isTable }
            guard let j = other else { return nil }
            return ClassPair(x, i, b.classes[j], j, by: property)
        }
    }

    private init(_ x: ClassSchema, _ i: Int, _ y: ClassSchema, _ j: Int, by property: String?) {
        name = x.name
        first = i
        second = j
        var columns: [(Int, Int)] = []
        for (m, p) in x.properties.enumerated() {
            guard let n = y.index(of: p.name) else { continue }
            let q = y.properties[n]
            if p.type == q.type, p.collection == q.collection, p.target == q.target,
                p.hasIntKeys == q.hasIntKeys, p.columns == q.columns
            {
                columns.append((m, n))
            }
        }
        self.columns = columns
        func pair(_ name: String?) -> (Int, Int)? {
            guard let name else { return nil }
            return columns.first {
                x.properties[$0.0].name == name && x.properties[$0.0].collection == nil
            }
        }
        let primary = x.primaryKey == y.primaryKey ? x.primaryKey : nil
        key = pair(property) ?? pair(primary)
        keyName = key.map { x.properties[$0.first].name }
    }

    /// True when the rows are matched by that property.
    func isBy(_ property: String) -> Bool { keyName == property }

    /// What a row is matched by, as text.
    func text(_ batch: RecordBatch, _ row: Int, isFirst: Bool) -> String {
        if let key {
            return batch.columns[isFirst ? key.first : key.second].value(row).text(limit: 60)
        }
        return batch.keys.count > row ? "#\(batch.keys[row])" : "row \(batch.firstRecord + row)"
    }
}

/// The differences of two schemas.
enum SchemaDifference {
    static func items(_ a: Schema, _ b: Schema) -> [StoreDifference.Item] {
        var items: [StoreDifference.Item] = []
        func add(_ c: String, _ p: String?, _ x: String?, _ y: String?) {
            items.append(
                StoreDifference.Item(
                    kind: .schema, className: c, property: p, first: x, second: y))
        }
        if (a.version ?? 0) != (b.version ?? 0) || (a.version == nil) != (b.version == nil) {
            add("", "schema version", a.version.map(String.init), b.version.map(String.init))
        }
        for x in a.classes {
            guard let y = b.classes.first(where: { $0.name == x.name && $0.isTable == x.isTable })
            else {
                add(x.name, nil, "class", nil)
                continue
            }
            if x.kind != y.kind { add(x.name, "kind", x.kind.rawValue, y.kind.rawValue) }
            if x.primaryKey != y.primaryKey {
                add(x.name, "primary key", x.primaryKey, y.primaryKey)
            }
            for p in x.properties {
                let q = y.properties.first { $0.name == p.name }
                if p != q { add(x.name, p.name, p.summary, q?.summary) }
            }
            for q in y.properties where x.index(of: q.name) == nil {
                add(x.name, q.name, nil, q.summary)
            }
        }
        for y in b.classes
        where !a.classes.contains(where: { $0.name == y.name && $0.isTable == y.isTable }) {
            add(y.name, nil, nil, "class")
        }
        return items
    }
}

extension Property {
    /// Type and attributes in a few words, such as `list of string?, indexed`.
    public var summary: String {
        var text = type == .link ? target ?? "link" : type.rawValue
        if type == .table {
            text += " (" + columns.map { "\($0.name): \($0.summary)" }.joined(separator: ", ") + ")"
        }
        if isOptional { text += "?" }
        switch collection {
        case .list? where type != .table: text = "list of \(text)"
        case .set?: text = "set of \(text)"
        case .dictionary?:
            text = "dictionary of \(text)" + (hasIntKeys ? " by int" : "")
        default: break
        }
        if isIndexed { text += ", indexed" }
        if isFullText { text += ", full-text" }
        return text
    }
}
