import Foundation
import Testing

@testable import Formats

@Suite("JSON store document") struct JSONStoreTests {
    /// Collects a random store's batches by class, as readers deliver them.
    static func reader(_ store: RandomStore) -> RowsReader {
        let parts = store.values().enumerated().compactMap { i, rows in
            rows.isEmpty
                ? nil
                : RowsReader.Part(
                    classIndex: i, rows: rows.map(\.values), keys: rows.map(\.key))
        }
        return RowsReader(store.schema, parts, batchRows: 64)
    }

    @Test(arguments: 1...4)
    func randomStoresComeBackAsTheyWere(_ seed: UInt64) throws {
        let store = RandomStore(
            RandomStoreOptions(
                seed: seed, rows: 60, givesKeys: true, version: seed == 1 ? nil : seed))
        let first = try storeDocument(Self.reader(store))
        let back = try storeReader(first)
        #expect(back.schema.version == store.schema.version)
        #expect(back.fileFormat == 24)
        #expect(back.schema.classes == store.schema.classes)
        let batch = RecordBatch(schema: back.schema)
        let truth = store.values()
        var done = [Int](repeating: 0, count: truth.count)
        while try back.next(into: batch) {
            let start = done[batch.classIndex]
            for i in 0..<batch.rowCount {
                let (key, values) = truth[batch.classIndex][start + i]
                #expect(batch.keys[i] == key)
                for (c, value) in values.enumerated() {
                    // Sets and dictionaries come in an order of their own.
                    if batch.columns[c].property.collection == .set { continue }
                    if batch.columns[c].property.collection == .dictionary { continue }
                    let found = batch.columns[c].value(i)
                    #expect(
                        found == value,
                        "\(batch.classSchema.name).\(batch.columns[c].property.name) of \(key)")
                }
            }
            done[batch.classIndex] += batch.rowCount
        }
        #expect(done == truth.map(\.count))
        // Written once more, nothing changes: not even the order within sets.
        // (The first document does not know its counts beforehand, the second does.)
        let second = try storeDocument(storeReader(first))
        #expect(try storeDocument(storeReader(second)) == second)
        func rows(_ text: String) -> Substring {
            text[(text.range(of: "\"objects\"")?.lowerBound ?? text.startIndex)...]
        }
        #expect(rows(first) == rows(second))
    }

    @Test func valuesAreSpelledAsTheDesignSays() throws {
        let schema = Schema(
            version: 7,
            classes: [
                ClassSchema(
                    "T", primaryKey: "_id",
                    properties: [
                        Property("_id", .objectId), Property("notes", .string, isOptional: true),
                        Property("tags", .string, collection: .list),
                        Property("owner", .link, isOptional: true, target: "T"),
                        Property("any", .mixed, isOptional: true), Property("$d", .double),
                        Property("date", .date), Property("data", .data),
                        Property("map", .int, collection: .dictionary),
                    ])
            ])
        let rows: [[Value]] = [
            [
                .objectId(ObjectID(high: 0x570F_4B9D_5A3C_2E00, low: 0x01A1_B2C3)), .null,
                .list([.string("a")]), .link("T", 12), .double(1), .double(-0.0),
                .date(Timestamp(seconds: 1_460_622_777, nanoseconds: 123_456_789)),
                .data([1, 2, 3]), .dictionary([.init("$b", .int(1)), .init("a", .int(2))]),
            ],
            [
                .objectId(ObjectID(high: 0, low: 1)), .invalidString([0xFF]), .list([]), .null,
                .list([.float(1.5), .dictionary([.init("$k", .int(-1))])]),
                .double(Double(bitPattern: 0x7FF8_0000_0000_0001)),
                .date(Timestamp(seconds: .min, nanoseconds: -5)), .data([]), .dictionary([]),
            ],
        ]
        let text = try storeDocument(RowsReader(schema, rows: rows, keys: [0, 5]))
        let lines = text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        #expect(
            lines.contains(
                #"{"$key":0,"_id":{"$oid":"570f4b9d5a3c2e0001a1b2c3"},"notes":null,"tags":["a"],"owner":{"$ref":"T","$key":12},"any":{"$numberDouble":"1.0"},"$$d":{"$numberDouble":"-0.0"},"date":{"$date":"2016-04-14T08:32:57.123456789Z"},"data":{"$binary":{"base64":"AQID","subType":"00"}},"map":{"$$b":1,"a":2}},"#
            ), "\(text)")
        #expect(
            text.contains(
                #""notes":{"$string":{"base64":"/w=="}},"tags":[],"owner":null,"any":[{"$numberFloat":"1.5"},{"$$k":-1}],"$$d":{"$numberDouble":"NaN","$bits":"7ff8000000000001"},"date":{"$date":{"seconds":-9223372036854775808,"nanoseconds":-5}}"#
            ), "\(text)")
        #expect(text.hasPrefix(#"{"rtool": 1, "source": {"fileFormat": 24}, "schemaVersion": 7,"#))
        let back = try ReadRows(storeReader(text))
        #expect(back.rows["T"] == rows)
        #expect(back.keys["T"] == [0, 5])
    }

    @Test func membersMayStandInAnyOrder() throws {
        let text = """
            {"objects": {"B": [{"x": 2, "$key": 3}], "A": [{"$key": 1, "x": 1}]}, "tables": [],
             "rows": {}, "schemaVersion": 4,
             "classes": [{"properties": [{"type": "int", "name": "x"}], "name": "A"},
                         {"name": "B", "properties": [{"name": "x", "type": "int"}]}], "rtool": 1}
            """
        let reader = try storeReader(text)
        #expect(reader.schema.classes.map(\.name) == ["A", "B"])
        let batch = RecordBatch(schema: reader.schema)
        #expect(try reader.next(into: batch))
        #expect(batch.classIndex == 0 && batch.keys[0] == 1)
        #expect(try reader.next(into: batch))
        #expect(batch.classIndex == 1 && batch.keys[0] == 3)
        #expect(try !reader.next(into: batch))
    }

    @Test func rowsComeInTheOrderOfTheirKeysAndTheOthersBehind() throws {
        let rows =
            #"{"$key": 7, "x": 1}, {"x": 2}, {"$key": -3, "x": 3}, {"x": 4, "$key": 2}, {"x": 5}"#
        let back = try ReadRows(storeReader(storeText(#"{"name": "x", "type": "int"}"#, rows)))
        #expect(back.keys["T"] == [-3, 2, 7, 8, 9])
        #expect(back.column("T", 0) == [.int(3), .int(4), .int(1), .int(2), .int(5)])
        let none = try ReadRows(
            storeReader(storeText(#"{"name": "x", "type": "int"}"#, #"{"x": 9}, {"x": 8}"#)))
        #expect(none.keys["T"] == [0, 1])
    }

    @Test func linksMayNameThePrimaryKey() throws {
        let p = #"{"name": "d", "type": "link", "target": "Dog"}, {"name": "m", "type": "mixed"}"#
        let text = storeText(
            p,
            #"{"d": {"$id": "Zoë", "$ref": "Dog"}, "m": {"$ref": "Dog", "$id": "Rex"}}, {"d": {"$ref": "Dog", "$key": 4}}"#
        )
        let back = try ReadRows(storeReader(text))
        #expect(back.rows["T"] == [[.link("Dog", 9), .link("Dog", 4)], [.link("Dog", 4), .null]])
    }

    struct Bad: Sendable {
        var properties: String
        var row: String
        var code: FormatErrorCode
        var property: String?
        init(_ p: String, _ r: String, _ c: FormatErrorCode, _ q: String? = nil) {
            properties = p
            row = r
            code = c
            property = q
        }
    }

    @Test(arguments: [
        Bad(#"{"name": "x", "type": "int"}"#, #"{"x": 1.5}"#, .badValue, "x"),
        Bad(#"{"name": "x", "type": "int"}"#, #"{"x": 9223372036854775808}"#, .badValue, "x"),
        Bad(#"{"name": "x", "type": "int"}"#, #"{"x": "1"}"#, .badValue, "x"),
        Bad(#"{"name": "x", "type": "int"}"#, #"{"x": null}"#, .missingValue, "x"),
        Bad(#"{"name": "x", "type": "int"}"#, #"{}"#, .missingValue, "x"),
        Bad(#"{"name": "x", "type": "bool"}"#, #"{"x": 1}"#, .badValue, "x"),
        Bad(#"{"name": "x", "type": "string"}"#, #"{"x": ["a"]}"#, .badValue, "x"),
        Bad(
            #"{"name": "x", "type": "string", "collection": "list"}"#, #"{"x": ["a", null]}"#,
            .missingValue, "x"),
        Bad(
            #"{"name": "x", "type": "string", "collection": "list"}"#, #"{"x": "a"}"#, .badValue,
            "x"),
        Bad(#"{"name": "x", "type": "objectId"}"#, #"{"x": {"$oid": "12"}}"#, .badValue, "x"),
        Bad(#"{"name": "x", "type": "date"}"#, #"{"x": {"$date": "yesterday"}}"#, .badValue, "x"),
        Bad(#"{"name": "x", "type": "date"}"#, #"{"x": 12}"#, .badValue, "x"),
        Bad(
            #"{"name": "x", "type": "data"}"#, #"{"x": {"$oid": "570f4b9d5a3c2e0001a1b2c3"}}"#,
            .badValue, "x"),
        Bad(
            #"{"name": "x", "type": "link", "target": "Dog"}"#,
            #"{"x": {"$ref": "Cat", "$key": 1}}"#, .schemaMismatch, "x"),
        Bad(
            #"{"name": "x", "type": "link", "target": "Dog"}"#,
            #"{"x": {"$ref": "Dog", "$id": "Tom"}}"#, .danglingLink, "x"),
        Bad(
            #"{"name": "x", "type": "link", "target": "Part"}"#,
            #"{"x": {"n": 1, "more": [{"n": "a"}]}}"#, .badValue, "x.more.n"),
        Bad(
            #"{"name": "x", "type": "int", "collection": "dictionary", "keyType": "int"}"#,
            #"{"x": {"a": 1}}"#, .badValue, "x"),
        Bad(
            #"{"name": "x", "type": "mixed"}"#, #"{"x": {"$ref": "Cat", "$key": 1}}"#, .unknownName,
            "x"),
    ])
    func aRowThatDoesNotFitIsAnErrorWithItsPlace(_ bad: Bad) throws {
        let separator = bad.row == "{}" ? "" : ", "
        let good = "{\"$key\": 1\(separator)\(bad.row.dropFirst())"
        do {
            let reader = try storeReader(storeText(bad.properties, good))
            let batch = RecordBatch(schema: reader.schema)
            _ = try reader.next(into: batch)
            Issue.record("must be refused: \(bad.row)")
        } catch {
            #expect(error.code == bad.code, "\(error)")
            #expect(error.details.property == bad.property, "\(error)")
            #expect(error.details.record == 1)
            #expect(error.details.line == 6)
            #expect(error.details.recordName == "class T")
        }
    }

    @Test(arguments: [
        (#"{"name": "x", "type": "int"}"#, #"{"x": {"$numberLong": "5"}}"#, Value.int(5)),
        (#"{"name": "x", "type": "int"}"#, #"{"x": {"$numberInt": "-5"}}"#, .int(-5)),
        (#"{"name": "x", "type": "int"}"#, #"{"x": 2.50e1}"#, .int(25)),
        (#"{"name": "x", "type": "int"}"#, #"{"x": -9223372036854775808}"#, .int(.min)),
        (#"{"name": "x", "type": "int"}"#, #"{"x": 1, "x": 2}"#, .int(2)),
        (#"{"name": "x", "type": "double"}"#, #"{"x": 3}"#, .double(3)),
        (
            #"{"name": "x", "type": "double"}"#, #"{"x": {"$numberDouble": "-Infinity"}}"#,
            .double(-.infinity)
        ),
        (#"{"name": "x", "type": "float"}"#, #"{"x": 0.1}"#, .float(0.1)),
        (
            #"{"name": "x", "type": "date"}"#, #"{"x": {"$date": 1501}}"#,
            .date(Timestamp(seconds: 1, nanoseconds: 501_000_000))
        ),
        (
            #"{"name": "x", "type": "date"}"#, #"{"x": {"$date": {"$numberLong": "-1501"}}}"#,
            .date(Timestamp(seconds: -1, nanoseconds: -501_000_000))
        ),
        (
            #"{"name": "x", "type": "date"}"#, #"{"x": "1970-01-01T01:00:01+01:00"}"#,
            .date(Timestamp(seconds: 1))
        ),
        (
            #"{"name": "x", "type": "data"}"#, #"{"x": {"$type": "00", "$binary": "AQI="}}"#,
            .data([1, 2])
        ),
        (
            #"{"name": "x", "type": "uuid"}"#,
            #"{"x": {"$binary": {"subType": "04", "base64": "AAAAAAAAAAEAAAAAAAAAAg=="}}}"#,
            .uuid(UUID(high: 1, low: 2))
        ),
        (
            #"{"name": "x", "type": "decimal128"}"#, #"{"x": {"$numberDecimal": "1.10"}}"#,
            .decimal128(Decimal128(negative: false, coefficient: 110, exponent: -2) ?? .nan)
        ),
        (
            #"{"name": "x", "type": "decimal128"}"#, #"{"x": 1.10}"#,
            .decimal128(Decimal128(negative: false, coefficient: 110, exponent: -2) ?? .nan)
        ),
        (#"{"name": "x", "type": "string"}"#, #"{"x": "\ud83d\ude00\u0000"}"#, .string("😀\0")),
        (#"{"name": "x", "type": "string", "optional": true}"#, #"{}"#, .null),
        (#"{"name": "x", "type": "string", "collection": "set"}"#, #"{"x": null}"#, .set([])),
        (#"{"name": "$x", "type": "string"}"#, #"{"$$x": "a"}"#, .string("a")),
        (
            #"{"name": "x", "type": "int", "collection": "dictionary"}"#,
            #"{"x": {"$$a": 1, "$$$b": 2, "\u0024\u0024c": 3}}"#,
            .dictionary([.init("$a", .int(1)), .init("$$b", .int(2)), .init("$c", .int(3))])
        ),
        (
            #"{"name": "x", "type": "mixed"}"#, #"{"x": {"$timestamp": {"t": 1, "i": 2}}}"#,
            .dictionary([
                .init("$timestamp", .dictionary([.init("t", .int(1)), .init("i", .int(2))]))
            ])
        ),
        (
            #"{"name": "x", "type": "mixed"}"#,
            #"{"x": {"$oid": "570f4b9d5a3c2e0001a1b2c3", "more": 1}}"#,
            .dictionary([
                .init("$oid", .string("570f4b9d5a3c2e0001a1b2c3")), .init("more", .int(1)),
            ])
        ),
        (
            #"{"name": "x", "type": "mixed"}"#,
            #"{"x": [1, 2.5, "a", null, true, {"$numberFloat": "2.5"}]}"#,
            .list([.int(1), .double(2.5), .string("a"), .null, .bool(true), .float(2.5)])
        ),
        (
            #"{"name": "x", "type": "mixed"}"#, #"{"x": 18446744073709551616}"#,
            .decimal128(Decimal128(negative: false, coefficient: 1 << 64, exponent: 0) ?? .nan)
        ),
    ])
    func otherSpellingsAreUnderstood(_ property: String, _ row: String, _ expected: Value) throws {
        let back = try ReadRows(storeReader(storeText(property, row)))
        #expect(back.rows["T"]?.first?.first == expected)
    }

    @Test func oldSubtablesTravel() throws {
        let p =
            #"{"name": "x", "type": "table", "columns": [{"name": "a", "type": "int"}, {"name": "b", "type": "table", "columns": [{"name": "c", "type": "string"}]}]}, {"name": "m", "type": "mixed"}"#
        let row =
            #"{"x": [{"a": 1, "b": [{"c": "z"}]}, {"a": 2, "b": []}], "m": {"$table": {"columns": [{"name": "q", "type": "int"}], "rows": [{"q": 5}]}}}"#
        let first = try storeDocument(storeReader(storeText(p, row)))
        #expect(
            first.contains(
                #""x":[{"a":1,"b":[{"c":"z"}]},{"a":2,"b":[]}],"m":{"$table":{"columns":[{"name":"q","type":"int"}],"rows":[{"q":5}]}}"#
            ), "\(first)")
        #expect(try storeDocument(storeReader(first)) == first)
    }

    @Test func whatIsNotKnownIsReported() throws {
        let context = ExchangeContext()
        let reader = try storeReader(
            storeText(#"{"name": "x", "type": "int"}"#, #"{"x": 1, "y": 2, "x": 3}"#), context)
        _ = try ReadRows(reader)
        #expect(context.report.items.map(\.code) == ["unknown-member", "duplicate-member"])
        #expect(context.report.hasLoss)
    }

    @Test(arguments: [
        #"{"rtool": 2, "classes": []}"#, #"{"rtool": 1}"#, #"[]"#, #"{"rtool": 1, "classes": {}}"#,
        #"{"rtool": 1, "classes": [{"name": "A", "properties": [{"name": "x", "type": "text"}]}]}"#,
        #"{"rtool": 1, "classes": [{"name": "A", "properties": [{"name": "x", "type": "link"}]}]}"#,
        #"{"rtool": 1, "classes": [{"name": "A", "properties": [{"name": "x", "type": "link", "target": "B"}]}]}"#,
        #"{"rtool": 1, "classes": [{"name": "A", "properties": [{"name": "x", "type": "int"}, {"name": "x", "type": "int"}]}]}"#,
        #"{"rtool": 1, "classes": [{"name": "A", "properties": []}, {"name": "A", "properties": []}]}"#,
        #"{"rtool": 1, "classes": [{"name": "A", "primaryKey": "x", "properties": []}]}"#,
        #"{"rtool": 1, "classes": [], "objects": {"A": []}}"#,
        #"{"rtool": 1, "classes": [], "objects": {}, "objects": {}}"#,
        #"{"rtool": 1, "classes": [{"name": "A", "properties": []}], "objects": {"A": [], "A": []}}"#,
        #"{"rtool": 1, "classes": [{"name": "A", "properties": []}], "objects": {"A": [1]}}"#,
        #"{"rtool": 1, "classes": [{"name": "A", "properties": []}], "objects": {"A": [{"$key": "x"}]}}"#,
        #"{"rtool": 1, "classes": [], "schemaVersion": -1}"#,
    ])
    func aDocumentThatDoesNotHoldTogetherIsRefused(_ text: String) {
        #expect(throws: FormatError.self) { _ = try storeReader(text) }
    }

    @Test func equalKeysAreRefused() throws {
        let reader = try storeReader(
            storeText(
                #"{"name": "x", "type": "int"}"#, #"{"$key": 1, "x": 1}, {"$key": 1, "x": 2}"#))
        #expect(throws: FormatError(.duplicateKey, "")) { _ = try ReadRows(reader) }
    }

    @Test func cutAnywhereItThrowsOrEnds() throws {
        let store = RandomStore(RandomStoreOptions(seed: 11, rows: 2, givesKeys: true))
        let text = Array(try storeDocument(Self.reader(store)).utf8)
        // Every byte of the shorter part, then every seventh.
        for end in stride(from: 0, to: text.count - 1, by: 7) {
            let cut = text[..<end].withUnsafeBytes { InputBytes(name: "x", copying: $0) }
            #expect(throws: FormatError.self) {
                _ = try ReadRows(JSONStoreReader(input: cut, context: ExchangeContext()))
            }
        }
    }

    @Test func bentTextNeverTraps() throws {
        let sample = storeText(
            #"{"name": "a", "type": "mixed"}, {"name": "b", "type": "date", "collection": "list"}, {"name": "c", "type": "link", "target": "Part"}, {"name": "d", "type": "decimal128", "optional": true}, {"name": "e", "type": "uuid", "collection": "set"}, {"name": "f", "type": "data", "collection": "dictionary"}, {"name": "g", "type": "link", "target": "Dog"}"#,
            #"{"$key": 3, "a": [{"$numberDouble": "NaN", "$bits": "7ff8000000000001"}, {"k": [1, 2.5]}], "b": [{"$date": {"seconds": 1, "nanoseconds": 2}}, {"$date": 5}], "c": {"n": 1, "more": [{"n": 2, "more": []}]}, "d": {"$numberDecimal": "1E5"}, "e": [{"$uuid": "00112233-4455-6677-8899-aabbccddeeff"}], "f": {"x": {"$binary": {"base64": "AQ==", "subType": "00"}}}, "g": {"$ref": "Dog", "$id": "Rex"}}, {"$key": 1, "a": "x", "c": null}"#
        )
        let seed = Array(sample.utf8)
        var random = SeededGenerator(5)
        let tokens = [
            "{", "}", "[", "]", ",", ":", "\"", "null", "1e400", "-", "$", "\\u",
            "9999999999999999999", "\"$key\"", "\u{FFFD}", "true",
        ].map { Array($0.utf8) }
        var accepted = 0
        for _ in 0..<4000 {
            var text = seed
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let i = Int.random(in: 0..<text.count, using: &random)
                switch random.below(4) {
                case 0: text[i] = UInt8(truncatingIfNeeded: random.next())
                case 1: text.removeSubrange(i..<min(text.count, i + random.below(20) + 1))
                case 2: text.insert(contentsOf: tokens[random.below(tokens.count)], at: i)
                default:
                    let j = Int.random(in: 0..<text.count, using: &random)
                    text.insert(contentsOf: text[min(i, j)..<min(max(i, j), min(i, j) + 60)], at: i)
                }
                if text.isEmpty { text = [0x7B] }
            }
            let bent = text.withUnsafeBytes { InputBytes(name: "x", copying: $0) }
            do {
                let once = try storeDocument(
                    JSONStoreReader(input: bent, context: ExchangeContext()))
                // What was taken is written so that it is taken again, as the same.
                #expect(try storeDocument(storeReader(once)) == once)
                accepted += 1
            } catch is FormatError {}
            _ = try? ReadRows(
                JSONRowsReader(input: bent, className: "X", context: ExchangeContext()))
        }
        #expect(accepted > 10)
    }

    @Test func aStoreDocumentIsRecognised() {
        #expect(bytes(storeText("", "")) { JSONStoreReader.looksLikeStoreDocument($0) })
        #expect(
            bytes(#"{"classes": [], "rtool": 1}"#) { JSONStoreReader.looksLikeStoreDocument($0) })
        #expect(!bytes(#"[{"rtool": 1}]"#) { JSONStoreReader.looksLikeStoreDocument($0) })
        #expect(!bytes(#"{"a": {"rtool": 1}}"#) { JSONStoreReader.looksLikeStoreDocument($0) })
        #expect(!bytes("") { JSONStoreReader.looksLikeStoreDocument($0) })
    }
}
