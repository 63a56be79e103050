import Testing

@testable import Formats

/// A class with a property of every kind a query meets.
enum QuerySample {
    static let schema = Schema(classes: [
        ClassSchema(
            "Person", primaryKey: "id",
            properties: [
                Property("id", .objectId),
                Property("name", .string),
                Property("nickname", .string, isOptional: true),
                Property("age", .int, isOptional: true),
                Property("height", .float),
                Property("weight", .double),
                Property("money", .decimal128),
                Property("isBuddy", .bool),
                Property("born", .date, isOptional: true),
                Property("token", .uuid),
                Property("blob", .data),
                Property("any", .mixed, isOptional: true),
                Property("tags", .string, collection: .list),
                Property("scores", .int, collection: .set),
                Property("settings", .string, collection: .dictionary),
                Property("address", .link, isOptional: true, target: "Address"),
                Property("phones", .link, collection: .list, target: "Phone"),
                Property("friend", .link, isOptional: true, target: "Person"),
            ]),
        ClassSchema(
            "Address", kind: .embedded,
            properties: [Property("city", .string), Property("zip", .int, isOptional: true)]),
        ClassSchema(
            "Phone", kind: .embedded,
            properties: [
                Property("value", .string), Property("types", .string, collection: .list),
            ]),
    ])

    static let ann: [Value] = [
        .objectId(ObjectID(high: 0x570f_4b9d_5a3c_2e00, low: 0x01a1_b2c3)),
        .string("Ann"), .null, .int(30), .float(1.7), .double(61.5),
        .decimal128(bytes("12.50") { ScalarText.decimal($0) } ?? Decimal128(low: 0, high: 0)),
        .bool(true), .date(Timestamp(seconds: 951_868_800)), .uuid(UUID(high: 1, low: 2)),
        .data([1, 2, 3]), .int(5), .list([.string("red"), .string("Green")]),
        .set([.int(1), .int(2)]), .dictionary([.init("theme", .string("dark"))]),
        .object([.string("Köln"), .int(50667)]),
        .list([
            .object([.string("555-1"), .list([.string("home")])]),
            .object([.string("777-2"), .list([])]),
        ]),
        .link("Person", 2),
    ]

    static let bob: [Value] = [
        .objectId(ObjectID(high: 1, low: 1)), .string("bob O'Neil"), .string("Bobby"), .null,
        .float(1.8), .double(-0.5), .decimal128(.nan), .bool(false), .null,
        .uuid(UUID(high: 9, low: 9)), .data([]), .string("five"), .list([]), .set([]),
        .dictionary([]), .null, .list([]), .null,
    ]

    static func batch() -> RecordBatch {
        let batch = RecordBatch(schema: schema)
        batch.append(values: ann, key: 1)
        batch.append(values: bob, key: 2)
        return batch
    }
}

@Suite("Predicates") struct PredicateTests {
    static let batch = { @Sendable in QuerySample.batch() }

    private func answers(_ text: String) throws -> String {
        let batch = QuerySample.batch()
        let predicate = try Predicate.parse(text, schema: QuerySample.schema, classIndex: 0)
        return (0..<2).map { predicate.matches(batch, $0) ? "1" : "0" }.joined()
    }

    /// "10": Ann only, "01": Bob only.
    @Test(arguments: [
        ("name = 'Ann'", "10"), ("name == \"ann\"", "00"), ("name ==[c] 'ANN'", "10"),
        ("name != 'Ann'", "01"), ("name <> 'Ann'", "01"), ("'Ann' = name", "10"),
        ("age > 29", "10"), ("age >= 30.5", "00"), ("29.5 < age", "10"), ("age = nil", "01"),
        ("age != NULL", "10"), ("age < 100", "10"), ("age != 30", "01"),
        ("height = 1.7", "10"), ("weight < 0", "01"), ("money = 12.5", "10"),
        ("money > 12.499", "10"), ("money < 1", "00"),
        ("isBuddy", "10"), ("NOT isBuddy", "01"), ("isBuddy = FALSE", "01"),
        ("isBuddy = 1", "10"), ("isBuddy == 'yes'", "10"),
        ("born < 2001-01-01", "10"), ("born = '2000-03-01T00:00:00Z'", "10"),
        ("born = date('2000-03-01')", "10"), ("born >= T951868800:0", "10"),
        ("born = 2000-03-01T01:00:00+01:00", "10"), ("born = nil", "01"),
        ("id = oid(570f4b9d5a3c2e0001a1b2c3)", "10"), ("id = '570f4b9d5a3c2e0001a1b2c3'", "10"),
        ("token = uuid(00000000-0000-0001-0000-000000000002)", "10"),
        ("token == uuid('00000000-0000-0009-0000-000000000009')", "01"),
        ("blob = B64'AQID'", "10"), ("blob = base64('AQID')", "10"),
        ("any = 5", "10"), ("any = 'five'", "01"), ("any > 4.5", "10"),
        ("any BEGINSWITH 'fi'", "01"),
        ("name BEGINSWITH 'A'", "10"), ("name BEGINSWITH[c] 'BO'", "01"),
        ("name ENDSWITH 'Neil'", "01"), ("name CONTAINS \"O'N\"", "01"),
        ("name CONTAINS 'O\\'N'", "01"), ("name CONTAINS 'O''N'", "01"),
        ("name LIKE 'A*'", "10"), ("name LIKE '?nn'", "10"), ("name LIKE[c] '*o\\'n?il'", "01"),
        ("name LIKE '*'", "11"), ("nickname LIKE '*'", "01"),
        ("name IN {'Ann', 'Zoe'}", "10"), ("age IN {1, 30}", "10"), ("age IN {nil}", "01"),
        ("name IN[c] {'ANN'}", "10"), ("name IN {}", "00"),
        ("age BETWEEN {30, 31}", "10"), ("age BETWEEN {31, 40}", "00"),
        ("address.city = 'Köln'", "10"), ("address.city =[cd] 'koln'", "10"),
        ("address.city = nil", "01"), ("address = nil", "01"), ("address != nil", "10"),
        ("address.zip > 50000", "10"),
        ("ANY tags = 'red'", "10"), ("tags CONTAINS 'red'", "10"), ("tags CONTAINS 're'", "00"),
        ("ANY tags CONTAINS 're'", "10"), ("ALL tags CONTAINS 'e'", "11"),
        ("NONE tags CONTAINS 're'", "01"), ("NONE tags = 'blue'", "11"), ("'red' IN tags", "10"),
        ("ANY tags IN {'Green'}", "10"), ("tags CONTAINS[c] 'green'", "10"),
        ("tags.@count = 2", "10"), ("tags.@count = 0", "01"), ("tags[0] = 'red'", "10"),
        ("tags[LAST] = 'Green'", "10"), ("tags[7] = nil", "11"), ("tags[SIZE] > 1", "10"),
        ("2 IN scores", "10"), ("ALL scores > 0", "11"), ("scores.@count > 1", "10"),
        ("settings['theme'] = 'dark'", "10"), ("settings.@keys CONTAINS 'the'", "10"),
        ("phones.value BEGINSWITH '777'", "10"), ("ALL phones.value BEGINSWITH '7'", "01"),
        ("ANY phones.types = 'home'", "10"), ("phones.@count >= 2", "10"),
        ("phones[0].value = '555-1'", "10"),
        ("friend = nil", "01"), ("friend = 2", "10"),
        ("age > 10 AND name = 'Ann' OR isBuddy = FALSE", "11"),
        ("age > 10 && (name = 'Zoe' || isBuddy == true)", "10"),
        ("NOT (age = nil) and not name = 'x'", "10"), ("! isBuddy", "01"),
        ("NOT NOT isBuddy", "10"), ("TRUEPREDICATE", "11"), ("FALSEPREDICATE OR isBuddy", "10"),
        ("name < nickname", "00"), ("nickname > name", "00"), ("weight = any", "00"),
        ("`name` = 'Ann'", "10"), ("#name = 'Ann'", "10"),
        ("name\n  = 'Ann'", "10"), ("name = '\\u0041nn'", "10"),
        ("(((((name = 'Ann')))))", "10"),
    ])
    func rowsAreChosen(_ text: String, _ expected: String) throws {
        #expect(try answers(text) == expected, "\(text)")
    }

    @Test(arguments: [
        ("nmae = 'Ann'", FormatErrorCode.unknownName, 1), ("address.town = 'x'", .unknownName, 9),
        ("name.length = 1", .unknownName, 6), ("age = 'x'", .badValue, 7),
        ("age BEGINSWITH '3'", .badValue, 1), ("born < 'soon'", .badValue, 8),
        ("id = 'short'", .badValue, 6), ("isBuddy = 2", .badValue, 11),
        ("age = 1.2.3", .badValue, 7),
        ("friend.name = 'x'", .unsupported, 8), ("name = name", .usage, 0),
        ("age = name", .badValue, 7), ("name MATCHES 'x'", .unsupported, 6),
        ("friend > 1", .badValue, 1), ("name", .usage, 5), ("", .usage, 1),
        ("(name = 'x'", .usage, 12),
        ("name = 'x' name", .usage, 12), ("name = 'x", .usage, 8), ("1 = 1", .usage, 3),
        ("name =[x] 'a'", .usage, 8), ("age =[c] 3", .badValue, 5), ("name = ;", .usage, 8),
        ("2024-13-01 = born", .usage, 1), ("age BETWEEN 3", .usage, 5),
        ("tags.@sum > 1", .unsupported, 6),
        ("any = oid('zz')", .badValue, 11), ("age = %@", .usage, 7),
    ])
    func mistakesAreNamedWithTheirColumn(_ text: String, _ code: FormatErrorCode, _ column: Int)
        throws
    {
        if column == 0 {
            _ = try answers(text)
            return
        }
        let error = #expect(throws: FormatError.self) { _ = try answers(text) }
        #expect(error?.code == code, "\(text): \(String(describing: error))")
        #expect(error?.details.column == column, "\(text): \(String(describing: error))")
    }

    @Test func unknownNamesComeWithASuggestion() {
        let error = #expect(throws: FormatError.self) { _ = try answers("nmae = 'Ann'") }
        #expect(error?.details.fix == "did you mean name?")
    }

    @Test func nestingIsBounded() throws {
        let deep = String(repeating: "(", count: 100_000) + "isBuddy"
        let error = #expect(throws: FormatError.self) { _ = try answers(deep) }
        #expect(error?.code == .limitExceeded)
        let long = Array(repeating: "isBuddy", count: 20_000).joined(separator: " OR ")
        #expect(try answers(long) == "10")
        #expect(try answers(String(repeating: "NOT ", count: 20_000) + "isBuddy") == "10")
    }

    @Test func everyBeginningOfAConditionParsesOrThrows() {
        let text =
            "ANY phones[0].types =[c] 'x\\n' AND born IN {2001-01-01, T1:2} OR NOT (id = oid('570f4b9d5a3c2e0001a1b2c3'))"
        for end in text.indices { _ = try? answers(String(text[..<end])) }
    }

    @Test func thePropertiesInUseAreKnown() throws {
        let predicate = try Predicate.parse(
            "name = 'x' OR address.city = 'y'", schema: QuerySample.schema, classIndex: 0)
        #expect(predicate.properties == [1, 15])
    }

    @Test func likeAgreesWithItsObviousTwin() {
        func twin(_ text: Substring, _ pattern: Substring) -> Bool {
            guard let p = pattern.first else { return text.isEmpty }
            if p == "*" {
                return twin(text, pattern.dropFirst())
                    || !text.isEmpty && twin(text.dropFirst(), pattern)
            }
            guard let t = text.first, p == "?" || p == t else { return false }
            return twin(text.dropFirst(), pattern.dropFirst())
        }
        var random = SeededGenerator(5)
        for _ in 0..<3000 {
            let text = String(
                (0..<Int.random(in: 0...7, using: &random)).map { _ in
                    "abé".randomElement(using: &random) ?? "a"
                })
            let pattern = String(
                (0..<Int.random(in: 0...6, using: &random)).map { _ in
                    "abé?**".randomElement(using: &random) ?? "a"
                })
            let fast = bytes(text) { t in bytes(pattern) { TextFolding.like(t, $0) } }
            #expect(fast == twin(text[...], pattern[...]), "\(text) \(pattern)")
        }
    }

    @Test(arguments: [
        ("Ärger", "arger"), ("ÇA", "ca"), ("Điện", "đien"), ("Ǖ", "u"), ("Ώ", "ω"), ("Й", "и"),
        ("e\u{301}", "e"), ("ế", "e"), ("Straße", "straße"),
    ])
    func accentsAndCaseFold(_ text: String, _ expected: String) {
        #expect(TextFolding.folded(text, [.ignoresCase, .ignoresAccents]) == expected)
    }
}
