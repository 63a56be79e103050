// The schema as a Mermaid class diagram: owned objects as compositions, links as arrows.

enum MermaidModels {
    static func text(_ schema: Schema) -> String {
        var text = "classDiagram\n"
        var arrows = ""
        for c in schema.classes {
            let name = SchemaText.identifier(c.name)
            text += "  class \(name) {\n"
            if c.kind != .object { text += "    <<\(c.kind.rawValue)>>\n" }
            if c.isTable { text += "    <<table>>\n" }
            for p in c.properties {
                let mark = p.name == c.primaryKey ? " key" : p.isIndexed ? " indexed" : ""
                text += "    \(type(p)) \(SchemaText.identifier(p.name))\(mark)\n"
                if let target = p.target {
                    let many = p.collection == nil ? "\"0..1\"" : "\"*\""
                    let arrow = schema.isEmbedded(p) ? "*--" : "-->"
                    arrows +=
                        "  \(name) \(arrow) \(many) \(SchemaText.identifier(target)) : \(SchemaText.identifier(p.name))\n"
                }
            }
            text += "  }\n"
        }
        return text + arrows
    }

    private static func type(_ p: Property) -> String {
        let base = p.target.map(SchemaText.identifier) ?? p.type.rawValue
        let element = base + (p.isOptional && p.type != .mixed && p.type != .link ? "?" : "")
        switch p.collection {
        case nil: return element
        case .list?: return "\(element)[]"
        case .set?: return "set~\(element)~"
        case .dictionary?: return "map~\(element)~"
        }
    }
}
