// Models as text: what `rtool schema --as NAME` prints. One file a language; this one chooses.

/// Writes a schema as models of a language.
public enum SchemaText {
    /// The languages, by their name on the command line.
    public enum Language: String, Sendable, CaseIterable {
        case json, swift, kotlin, typescript, sql, mermaid
    }

    /// The schema as text, with a line end.
    public static func text(_ schema: Schema, as language: Language) -> String {
        switch language {
        case .json: json(schema)
        case .swift: SwiftModels.text(schema)
        case .kotlin: KotlinModels.text(schema)
        case .typescript: TypeScriptModels.text(schema)
        case .sql: SQLModels.text(schema)
        case .mermaid: MermaidModels.text(schema)
        }
    }

    private static func json(_ schema: Schema) -> String {
        let out = RawVector<UInt8>(capacity: 4096)
        defer { out.destroy() }
        out.append("{\"schemaVersion\": ")
        out.append(schema.version.map(String.init) ?? "null")
        out.append(",\n")
        JSONSchemaText.appendMembers(schema, to: out)
        out.append("}\n")
        return String(decoding: out.elements, as: UTF8.self)
    }

    /// A name as an identifier: other characters become `_`.
    static func identifier(_ name: String) -> String {
        var text = ""
        for c in name.unicodeScalars {
            let isDigit = c.value >= 48 && c.value < 58
            let isPlain = c.properties.isXIDContinue && c.value != 0x24
            if text.isEmpty, isDigit { text += "_" }
            text.unicodeScalars.append(isPlain ? c : "_")
        }
        return text.isEmpty ? "_" : text
    }
}
