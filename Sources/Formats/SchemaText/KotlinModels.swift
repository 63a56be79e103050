// Models for the Kotlin SDK (realm-kotlin). Names that are no identifiers stand in backticks.

enum KotlinModels {
    static func text(_ schema: Schema) -> String {
        var text = """
            import io.realm.kotlin.ext.*
            import io.realm.kotlin.types.*
            import io.realm.kotlin.types.annotations.*
            import org.mongodb.kbson.*

            """
        for c in schema.classes where !c.isTable {
            let base =
                switch c.kind {
                case .object: "RealmObject"
                case .embedded: "EmbeddedRealmObject"
                case .asymmetric: "AsymmetricRealmObject"
                }
            text += "\nclass \(name(c.name)) : \(base) {\n"
            for p in c.properties {
                guard let (type, initial) = declaration(p) else {
                    text += "    // \(p.name): a subtable of an old file format\n"
                    continue
                }
                if p.name == c.primaryKey {
                    text += "    @PrimaryKey\n"
                } else if p.isFullText {
                    text += "    @FullText\n"
                } else if p.isIndexed {
                    text += "    @Index\n"
                }
                text += "    var \(name(p.name)): \(type) = \(initial)\n"
            }
            text += "}\n"
        }
        return text
    }

    private static func name(_ name: String) -> String {
        SchemaText.identifier(name) == name && !name.hasPrefix("_") ? name : "`\(name)`"
    }

    private static func declaration(_ p: Property) -> (type: String, initial: String)? {
        let base: (String, String)
        switch p.type {
        case .int: base = ("Long", "0")
        case .bool: base = ("Boolean", "false")
        case .string: base = ("String", "\"\"")
        case .data: base = ("ByteArray", "byteArrayOf()")
        case .date: base = ("RealmInstant", "RealmInstant.from(0, 0)")
        case .float: base = ("Float", "0f")
        case .double: base = ("Double", "0.0")
        case .decimal128: base = ("Decimal128", "Decimal128(\"0\")")
        case .objectId: base = ("BsonObjectId", "BsonObjectId()")
        case .uuid: base = ("RealmUUID", "RealmUUID.random()")
        case .mixed: base = ("RealmAny", "null")
        case .link: base = (name(p.target ?? ""), "null")
        case .table: return nil
        }
        let isOptional = p.type == .mixed || p.isOptional
        let element = base.0 + (isOptional ? "?" : "")
        switch p.collection {
        case nil: return (element, isOptional ? "null" : base.1)
        case .list?: return ("RealmList<\(element)>", "realmListOf()")
        case .set?: return ("RealmSet<\(element)>", "realmSetOf()")
        case .dictionary?: return ("RealmDictionary<\(element)>", "realmDictionaryOf()")
        }
    }
}
