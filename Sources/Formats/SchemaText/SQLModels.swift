// The schema as SQL tables: one a class, one more a collection. It describes; nothing is run.

enum SQLModels {
    static func text(_ schema: Schema) -> String {
        var text = ""
        for c in schema.classes {
            var lines: [String] = []
            let key = c.primaryKey ?? "_key"
            let keyType = c.properties.first { $0.name == key }.map { sqlType($0.type) } ?? "BIGINT"
            if c.primaryKey == nil { lines.append("  \"_key\" BIGINT PRIMARY KEY") }
            if c.kind == .embedded { lines.append("  \"_owner\" TEXT NOT NULL") }
            var more: [String] = []
            var indexes: [String] = []
            for p in c.properties {
                if p.collection != nil {
                    more.append(collection(p, of: c, keyType, schema))
                    continue
                }
                var line = "  \(quoted(p.name)) \(columnType(p, schema))"
                if p.name == c.primaryKey {
                    line += " PRIMARY KEY"
                } else if !p.isOptional {
                    line += " NOT NULL"
                }
                if p.type == .link, let target = p.target {
                    line += " REFERENCES \(quoted(target))"
                }
                lines.append(line)
                if p.isIndexed || p.isFullText {
                    indexes.append(
                        "CREATE INDEX \(quoted("\(c.name)_\(p.name)")) ON \(quoted(c.name)) (\(quoted(p.name)));\n"
                    )
                }
            }
            text += "CREATE TABLE \(quoted(c.name)) (\n"
            text += lines.joined(separator: ",\n") + "\n);\n"
            text += indexes.joined() + more.joined() + "\n"
        }
        return text
    }

    private static func collection(
        _ p: Property, of c: ClassSchema, _ keyType: String, _ schema: Schema
    ) -> String {
        var lines = ["  \"owner\" \(keyType) NOT NULL REFERENCES \(quoted(c.name))"]
        switch p.collection {
        case .dictionary?: lines.append("  \"key\" \(p.hasIntKeys ? "BIGINT" : "TEXT") NOT NULL")
        case .set?: break
        default: lines.append("  \"position\" INTEGER NOT NULL")
        }
        var value = "  \"value\" \(columnType(p, schema))" + (p.isOptional ? "" : " NOT NULL")
        if p.type == .link, let target = p.target { value += " REFERENCES \(quoted(target))" }
        lines.append(value)
        return "CREATE TABLE \(quoted("\(c.name)_\(p.name)")) (\n"
            + lines.joined(separator: ",\n") + "\n);\n"
    }

    /// A link has the type of the target's primary key.
    private static func columnType(_ p: Property, _ schema: Schema) -> String {
        guard p.type == .link, let target = p.target, let i = schema.index(of: target) else {
            return sqlType(p.type)
        }
        let c = schema.classes[i]
        let key = c.properties.first { $0.name == c.primaryKey }
        return key.map { sqlType($0.type) } ?? "BIGINT"
    }

    private static func sqlType(_ type: PropertyType) -> String {
        switch type {
        case .int: "BIGINT"
        case .bool: "BOOLEAN"
        case .string: "TEXT"
        case .data: "BLOB"
        case .date: "TIMESTAMP"
        case .float: "REAL"
        case .double: "DOUBLE PRECISION"
        case .decimal128: "DECIMAL(34)"
        case .objectId: "CHAR(24)"
        case .uuid: "UUID"
        case .mixed, .table: "JSON"
        case .link: "BIGINT"
        }
    }

    private static func quoted(_ name: String) -> String {
        "\"" + name.map { $0 == "\"" ? "\"\"" : String($0) }.joined() + "\""
    }
}
