import Testing

@testable import Formats

@Suite("Models as text") struct SchemaTextTests {
    static let schema = Schema(
        version: 3,
        classes: [
            ClassSchema(
                "Person", primaryKey: "_id",
                properties: [
                    Property("_id", .objectId), Property("name", .string, isIndexed: true),
                    Property("bio", .string, isOptional: true, isFullText: true),
                    Property("dogs", .link, collection: .list, target: "Dog"),
                    Property("best", .link, isOptional: true, target: "Dog"),
                    Property("home", .link, isOptional: true, target: "Address"),
                    Property("tags", .string, collection: .set, isOptional: true),
                    Property("scores", .double, collection: .dictionary),
                    Property("any", .mixed, isOptional: true), Property("class", .int),
                    Property("first name", .string),
                ]),
            ClassSchema(
                "Dog",
                properties: [Property("name", .string), Property("born", .date, isOptional: true)]),
            ClassSchema("Address", kind: .embedded, properties: [Property("street", .string)]),
            ClassSchema("plain", properties: [Property("v", .int)], isTable: true),
        ])

    @Test func swiftModels() {
        #expect(
            SchemaText.text(Self.schema, as: .swift) == """
                import RealmSwift

                // Schema version 3: Realm.Configuration(schemaVersion: 3)

                final class Person: Object {
                    @Persisted(primaryKey: true) var _id: ObjectId
                    @Persisted(indexed: true) var name: String
                    @Persisted(indexed: .fullText) var bio: String?
                    @Persisted var dogs: List<Dog>
                    @Persisted var best: Dog?
                    @Persisted var home: Address?
                    @Persisted var tags: MutableSet<String?>
                    @Persisted var scores: Map<String, Double>
                    @Persisted var any: AnyRealmValue
                    @Persisted var `class`: Int
                    @Persisted var first_name: String

                    override class func propertiesMapping() -> [String: String] {
                        ["first_name": "first name"]
                    }
                }

                final class Dog: Object {
                    @Persisted var name: String
                    @Persisted var born: Date?
                }

                final class Address: EmbeddedObject {
                    @Persisted var street: String
                }

                // The table plain is no class and has no model.

                """)
    }

    @Test func jsonIsTheSchemaPartOfAStoreDocument() throws {
        let text = SchemaText.text(Self.schema, as: .json)
        let reader = try storeReader("{\"rtool\": 1, " + text.dropFirst())
        #expect(reader.schema == Self.schema)
    }

    @Test(arguments: SchemaText.Language.allCases)
    func everyLanguageNamesEveryClassAndProperty(_ language: SchemaText.Language) {
        let text = SchemaText.text(Self.schema, as: language)
        for word in ["Person", "Dog", "Address", "_id", "name", "scores", "street", "born"] {
            #expect(text.contains(word), "\(language) \(word)")
        }
    }
}
