// Models for RealmSwift: `@Persisted` classes that compile as they stand. Plain tables and old
// subtables have no model and are named in comments.

enum SwiftModels {
    static func text(_ schema: Schema) -> String {
        var text = "import RealmSwift\n"
        if let version = schema.version {
            text +=
                "\n// Schema version \(version): Realm.Configuration(schemaVersion: \(version))\n"
        }
        for c in schema.classes where !c.isTable { text += "\n" + model(c, schema) }
        for c in schema.classes where c.isTable {
            text += "\n// The table \(c.name) is no class and has no model.\n"
        }
        return text
    }

    private static func model(_ c: ClassSchema, _ schema: Schema) -> String {
        let base =
            switch c.kind {
            case .object: "Object"
            case .embedded: "EmbeddedObject"
            case .asymmetric: "AsymmetricObject"
            }
        let name = SchemaText.identifier(c.name)
        var text = "final class \(escaped(name)): \(base) {\n"
        if name != c.name {
            text += "    override class func _realmObjectName() -> String? { \(literal(c.name)) }\n"
        }
        var renamed: [(String, String)] = []
        for p in c.properties {
            guard let type = type(p, schema) else {
                text += "    // \(p.name): a subtable of an old file format, which has no model\n"
                continue
            }
            var arguments = ""
            if p.name == c.primaryKey {
                arguments = "(primaryKey: true)"
            } else if p.isFullText {
                arguments = "(indexed: .fullText)"
            } else if p.isIndexed {
                arguments = "(indexed: true)"
            }
            let property = SchemaText.identifier(p.name)
            if property != p.name { renamed.append((property, p.name)) }
            text += "    @Persisted\(arguments) var \(escaped(property)): \(type)\n"
        }
        if !renamed.isEmpty {
            let pairs = renamed.map { "\(literal($0.0)): \(literal($0.1))" }
            text += "\n    override class func propertiesMapping() -> [String: String] {\n"
            text += "        [\(pairs.joined(separator: ", "))]\n    }\n"
        }
        return text + "}\n"
    }

    private static func type(_ p: Property, _ schema: Schema) -> String? {
        let base: String
        switch p.type {
        case .int: base = "Int"
        case .bool: base = "Bool"
        case .string: base = "String"
        case .data: base = "Data"
        case .date: base = "Date"
        case .float: base = "Float"
        case .double: base = "Double"
        case .decimal128: base = "Decimal128"
        case .objectId: base = "ObjectId"
        case .uuid: base = "UUID"
        case .mixed: base = "AnyRealmValue"
        case .link: base = escaped(SchemaText.identifier(p.target ?? ""))
        case .table: return nil
        }
        // AnyRealmValue has a null of its own; lists and sets of objects hold no null.
        let isOptional =
            switch (p.type, p.collection) {
            case (.mixed, _): false
            case (.link, nil), (.link, .dictionary?): true
            case (.link, _): false
            default: p.isOptional
            }
        let element = base + (isOptional ? "?" : "")
        switch p.collection {
        case nil: return element
        case .list?: return "List<\(element)>"
        case .set?: return "MutableSet<\(element)>"
        case .dictionary?: return "Map<\(p.hasIntKeys ? "Int" : "String"), \(element)>"
        }
    }

    private static let keywords: Set<String> = [
        "associatedtype", "class", "deinit", "enum", "extension", "fileprivate", "func", "import",
        "init", "inout", "internal", "let", "open", "operator", "private", "protocol", "public",
        "rethrows", "static", "struct", "subscript", "typealias", "var", "break", "case",
        "continue", "default", "defer", "do", "else", "fallthrough", "for", "guard", "if", "in",
        "repeat", "return", "switch", "where", "while", "as", "Any", "catch", "false", "is", "nil",
        "super", "self", "Self", "throw", "throws", "true", "try", "Type", "Protocol",
    ]

    private static func escaped(_ name: String) -> String {
        keywords.contains(name) ? "`\(name)`" : name
    }

    /// A string literal; the escapes of JSON that differ are spelled anew.
    private static func literal(_ text: String) -> String {
        var result = "\""
        for c in text.unicodeScalars {
            switch c {
            case "\"", "\\": result += "\\\(c)"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case _ where c.value < 0x20: result += "\\u{\(String(c.value, radix: 16))}"
            default: result.unicodeScalars.append(c)
            }
        }
        return result + "\""
    }
}
