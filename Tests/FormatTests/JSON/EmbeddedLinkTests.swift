// Linked rows inside of those that link to them.

import Testing

@testable import Formats

@Suite("Links written as rows") struct EmbeddedLinkTests {
    private static let document = """
        {"rtool": 1, "schemaVersion": null, "classes": [
          {"name": "Person", "kind": "object", "properties": [
            {"name": "name", "type": "string"},
            {"name": "friend", "type": "link", "target": "Person", "optional": true},
            {"name": "dogs", "type": "link", "target": "Dog", "collection": "list"}]},
          {"name": "Dog", "kind": "object", "properties": [
            {"name": "name", "type": "string"},
            {"name": "owner", "type": "link", "target": "Person", "optional": true},
            {"name": "any", "type": "mixed", "optional": true}]}],
         "tables": [], "objects": {
          "Person": [
            {"$key": 0, "name": "A", "friend": {"$ref": "Person", "$key": 1},
             "dogs": [{"$ref": "Dog", "$key": 7}]},
            {"$key": 1, "name": "B", "friend": {"$ref": "Person", "$key": 0}, "dogs": []}],
          "Dog": [
            {"$key": 7, "name": "R", "owner": {"$ref": "Person", "$key": 0},
             "any": {"$ref": "Dog", "$key": 9}},
            {"$key": 9, "name": "S", "owner": null, "any": 1}]}, "rows": {}}
        """

    private func rows(_ levels: String, of name: String, to target: String = "ndjson") throws
        -> [String]
    {
        try JSONTextToTextTests.convert(
            Self.document, "json", target, { $0.extra["embed"] = levels }, className: name
        ).text.split(separator: "\n").map(String.init)
    }

    @Test func noLevelLeavesTheKeys() throws {
        #expect(
            try rows("0", of: "Person") == [
                #"{"name":"A","friend":{"$ref":"Person","$key":1},"dogs":[{"$ref":"Dog","$key":7}]}"#,
                #"{"name":"B","friend":{"$ref":"Person","$key":0},"dogs":[]}"#,
            ])
    }

    @Test func circlesEndAtTheBound() throws {
        #expect(
            try rows("1", of: "Person") == [
                #"{"name":"A","friend":{"name":"B","friend":{"$ref":"Person","$key":0},"dogs":[]},"#
                    + #""dogs":[{"name":"R","owner":{"$ref":"Person","$key":0},"any":{"$ref":"Dog","$key":9}}]}"#,
                #"{"name":"B","friend":{"name":"A","friend":{"$ref":"Person","$key":1},"#
                    + #""dogs":[{"$ref":"Dog","$key":7}]},"dogs":[]}"#,
            ])
        let second = try rows("2", of: "Person")[1]
        #expect(
            second
                == #"{"name":"B","friend":{"name":"A","friend":{"name":"B","friend":"#
                + #"{"$ref":"Person","$key":0},"dogs":[]},"dogs":[{"name":"R","owner":"#
                + #"{"$ref":"Person","$key":0},"any":{"$ref":"Dog","$key":9}}]},"dogs":[]}"#)
        // Twelve levels of three links each, and no end to it but the bound.
        #expect(try rows("12", of: "Person").count == 2)
    }

    @Test func linksOfAnyTypeAreRowsToo() throws {
        let dogs = try rows("1", of: "Dog")
        #expect(dogs[0].hasSuffix(#""any":{"name":"S","owner":null,"any":1}}"#), "\(dogs[0])")
        #expect(dogs[1] == #"{"name":"S","owner":null,"any":1}"#)
    }

    @Test func arraysTakeItToo() throws {
        let lines = try rows("1", of: "Dog", to: "json")
        #expect(lines.count == 4)
        #expect(lines[2] == #"  {"name":"S","owner":null,"any":1}"#)
    }

    @Test func aRowThatGrowsBeyondMeasureHasKeysAgain() throws {
        let reader = try storeReader(Self.document)
        let linked = LinkTargets(levels: 64)
        let batch = RecordBatch(schema: reader.schema)
        while try reader.next(into: batch) { linked.add(batch) }
        let out = RawVector<UInt8>()
        defer { out.destroy() }
        let report = Report()
        let writer = JSONValueWriter(
            out: out, schema: reader.schema, omitEmpty: false, report: report)
        writer.embedding = JSONEmbedding(linked, reader.schema, limit: 1000)
        let place = try #require(linked.place(0, of: "Person"))
        writer.beginBatch()
        writer.row(place.row, writer.plan(place.batch, columns: nil), key: nil)
        #expect(out.count < 16_000)
        #expect(report.items.contains { $0.code == "embed-limit" })
        var s = JSONScanner(UnsafeRawBufferPointer(out.elements))
        try s.skip()
        try s.finish()
    }

    private static let wrong: [(String, String, String?)] = [
        ("x", "ndjson", "Person"), ("65", "ndjson", "Person"), ("-1", "json", "Person"),
        ("1", "csv", "Person"), ("1", "realm", "Person"), ("1", "json", nil),
    ]

    @Test(arguments: wrong)
    func otherwiseItIsAnErrorOfUsage(_ levels: String, _ target: String, _ name: String?) {
        #expect(throws: FormatError(.usage, "")) {
            _ = try JSONTextToTextTests.convert(
                Self.document, "json", target, { $0.extra["embed"] = levels }, className: name)
        }
    }
}
