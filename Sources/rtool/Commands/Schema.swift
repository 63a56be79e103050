// `rtool schema`: the models of a store as code or a diagram.

internal import Formats

extension Command {
    static let schema = Command(
        name: "schema", synopsis: "STORE",
        summary: "the models of a store as code or a diagram",
        examples: [
            ("rtool schema store.realm --as swift", "RealmSwift models"),
            ("rtool schema store.realm --as mermaid", "a class diagram"),
        ],
        options: .input + [
            Option(
                "as", value: "LANGUAGE",
                SchemaText.Language.allCases.map(\.rawValue).joined(separator: ", "))
        ],
        run: { (arguments) throws(FormatError) in
            let session = try Session(arguments)
            let path = try session.operands("STORE")[0]
            let names = SchemaText.Language.allCases.map(\.rawValue)
            let word = try arguments.word("as", of: names) ?? "json"
            let language = SchemaText.Language(rawValue: word) ?? .json
            let schema = try StoreSource.open(
                path, from: arguments["from"], context: session.context
            ).schema
            try Console.print(SchemaText.text(schema, as: language))
            return .success
        })
}
