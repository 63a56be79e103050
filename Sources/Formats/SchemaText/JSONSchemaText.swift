// The schema part of a store document: `classes` and `tables` as DESIGN 1.2 spells them. Also
// what `rtool schema --as json` prints. Reading is in JSONSchemaReader.

/// Writes classes as JSON.
enum JSONSchemaText {
    /// A class on its own line, each property on one of its own.
    static func append(_ c: ClassSchema, indent: String, to out: RawVector<UInt8>) {
        out.append("{\"name\": \(JSONText.quoted(c.name)), \"kind\": \"\(c.kind.rawValue)\"")
        if let key = c.primaryKey { out.append(", \"primaryKey\": \(JSONText.quoted(key))") }
        if let count = c.count { out.append(", \"count\": \(count)") }
        out.append(", \"properties\": [")
        for (i, p) in c.properties.enumerated() {
            out.append(i == 0 ? "\n" : ",\n")
            out.append(indent)
            out.append("  ")
            append(p, to: out)
        }
        out.append("]}")
    }

    static func append(_ p: Property, to out: RawVector<UInt8>) {
        out.append("{\"name\": \(JSONText.quoted(p.name)), \"type\": \"\(p.type.rawValue)\"")
        if p.type == .table {
            out.append(", \"columns\": [")
            for (i, column) in p.columns.enumerated() {
                if i > 0 { out.append(", ") }
                append(column, to: out)
            }
            out.append("]")
        } else if let collection = p.collection {
            out.append(", \"collection\": \"\(collection.rawValue)\"")
        }
        if let target = p.target { out.append(", \"target\": \(JSONText.quoted(target))") }
        if p.hasIntKeys { out.append(", \"keyType\": \"int\"") }
        if p.isOptional { out.append(", \"optional\": true") }
        if p.isIndexed { out.append(", \"indexed\": true") }
        if p.isFullText { out.append(", \"fullText\": true") }
        out.append("}")
    }

    /// The members `classes` and `tables`, without a comma at either end.
    static func appendMembers(_ schema: Schema, to out: RawVector<UInt8>) {
        for (name, isTable) in [("classes", false), ("tables", true)] {
            if isTable { out.append(",\n") }
            out.append(" \"\(name)\": [")
            var isFirst = true
            for c in schema.classes where c.isTable == isTable {
                out.append(isFirst ? "\n  " : ",\n  ")
                isFirst = false
                append(c, indent: "  ", to: out)
            }
            out.append("]")
        }
    }
}
