// Models for the JavaScript SDK in TypeScript: classes with their schema objects.

enum TypeScriptModels {
    static func text(_ schema: Schema) -> String {
        var text = "import Realm, { ObjectSchema } from \"realm\";\n"
        for c in schema.classes where !c.isTable {
            let name = SchemaText.identifier(c.name)
            text += "\nexport class \(name) extends Realm.Object<\(name)> {\n"
            for p in c.properties where p.type != .table {
                text += "  \(JSONText.quoted(p.name))!: \(type(p));\n"
            }
            text += "\n  static schema: ObjectSchema = {\n    name: \(JSONText.quoted(c.name)),\n"
            if let key = c.primaryKey { text += "    primaryKey: \(JSONText.quoted(key)),\n" }
            if c.kind == .embedded { text += "    embedded: true,\n" }
            if c.kind == .asymmetric { text += "    asymmetric: true,\n" }
            text += "    properties: {\n"
            for p in c.properties where p.type != .table {
                text += "      \(JSONText.quoted(p.name)): \(schemaEntry(p)),\n"
            }
            text += "    },\n  };\n}\n"
        }
        return text
    }

    private static func schemaEntry(_ p: Property) -> String {
        var members: [String] = []
        let base =
            p.type == .link ? "object" : p.type == .decimal128 ? "decimal128" : p.type.rawValue
        if let collection = p.collection {
            members.append("type: \"\(collection.rawValue)\"")
            members.append(
                "objectType: \(JSONText.quoted(p.type == .link ? p.target ?? "" : base))")
        } else {
            members.append("type: \"\(base)\"")
            if let target = p.target { members.append("objectType: \(JSONText.quoted(target))") }
        }
        if p.isOptional { members.append("optional: true") }
        if p.isFullText {
            members.append("indexed: \"full-text\"")
        } else if p.isIndexed {
            members.append("indexed: true")
        }
        return "{ " + members.joined(separator: ", ") + " }"
    }

    private static func type(_ p: Property) -> String {
        let base =
            switch p.type {
            case .int, .float, .double: "number"
            case .bool: "boolean"
            case .string: "string"
            case .data: "ArrayBuffer"
            case .date: "Date"
            case .decimal128: "Realm.BSON.Decimal128"
            case .objectId: "Realm.BSON.ObjectId"
            case .uuid: "Realm.BSON.UUID"
            case .mixed: "Realm.Mixed"
            case .link: SchemaText.identifier(p.target ?? "")
            case .table: "unknown"
            }
        let element = base + (p.isOptional && p.type != .mixed ? " | null" : "")
        switch p.collection {
        case nil: return element
        case .list?: return "Realm.List<\(element)>"
        case .set?: return "Realm.Set<\(element)>"
        case .dictionary?: return "Realm.Dictionary<\(element)>"
        }
    }
}
