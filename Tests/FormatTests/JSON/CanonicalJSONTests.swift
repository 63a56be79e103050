// Canonical Extended JSON: every number says its type, and all of it reads back.

import Testing

@testable import Formats

@Suite("Canonical Extended JSON") struct CanonicalJSONTests {
    private static let properties = """
        {"name": "i", "type": "int"}, {"name": "n", "type": "int", "optional": true},
        {"name": "l", "type": "int", "collection": "list"},
        {"name": "k", "type": "int", "collection": "dictionary"},
        {"name": "d", "type": "double"}, {"name": "f", "type": "float"},
        {"name": "t", "type": "date"}, {"name": "b", "type": "bool"},
        {"name": "s", "type": "string"}, {"name": "u", "type": "uuid"},
        {"name": "m", "type": "mixed", "collection": "list"},
        {"name": "part", "type": "link", "target": "Part", "optional": true},
        {"name": "dog", "type": "link", "target": "Dog", "optional": true}
        """

    private static func row(_ d: String, _ f: String, _ t: String) -> String {
        """
        {"$key": 3, "i": 5, "n": null, "l": [1, -9223372036854775808], "k": {"a": 2}, "d": \(d),
         "f": \(f), "t": {"$date": "\(t)"}, "b": true, "s": "x",
         "u": {"$uuid": "00112233-4455-6677-8899-aabbccddeeff"},
         "m": [7, {"$numberDouble": "1.0"}, {"$numberFloat": "1.5"}, [{"$date":
           "2016-04-14T08:32:57.123Z"}]],
         "part": {"n": 0, "more": []}, "dog": {"$ref": "Dog", "$key": 4}}
        """
    }

    private func written(_ text: String, canonical: Bool) throws -> (text: String, report: Report) {
        var options = ExchangeOptions()
        if canonical { options.extra["ejson"] = "canonical" }
        let context = ExchangeContext(options: options)
        let reader = try storeReader(text)
        let written = try jsonWritten { sink in
            let writer = JSONRowsWriter(
                sink: sink, schema: reader.schema, classIndex: 0, style: .ndjson, context: context)
            let batch = RecordBatch(schema: reader.schema)
            while try reader.next(into: batch) { try writer.write(batch) }
            try writer.finish()
        }
        return (written, context.report)
    }

    private func document(_ text: String, canonical: Bool) throws -> String {
        var options = ExchangeOptions()
        if canonical { options.extra["ejson"] = "canonical" }
        return try storeDocument(
            storeReader(text), context: ExchangeContext(options: options))
    }

    @Test func everyNumberSaysItsType() throws {
        let text = storeText(
            Self.properties, Self.row("1.5", "2.5", "2016-04-14T08:32:57.123Z"))
        let made = try written(text, canonical: true)
        let date = #"{"$date":{"$numberLong":"1460622777123"}}"#
        let parts = [
            #"{"i":{"$numberLong":"5"},"n":null"#,
            #""l":[{"$numberLong":"1"},{"$numberLong":"-9223372036854775808"}]"#,
            #""k":{"a":{"$numberLong":"2"}}"#,
            #""d":{"$numberDouble":"1.5"}"#, #""f":{"$numberDouble":"2.5"}"#, "\"t\":" + date,
            #""b":true"#, #""s":"x""#,
            #""u":{"$binary":{"base64":"ABEiM0RVZneImaq7zN3u/w==","subType":"04"}}"#,
            #""m":[{"$numberLong":"7"},{"$numberDouble":"1.0"},{"$numberFloat":"1.5"},["# + date
                + "]]",
            #""part":{"n":{"$numberLong":"0"},"more":[]}"#, #""dog":{"$ref":"Dog","$key":4}}"#,
        ]
        #expect(made.text == parts.joined(separator: ",") + "\n")
        #expect(made.report.items.isEmpty)
    }

    @Test(arguments: [
        ("1.5", "2.5", "2016-04-14T08:32:57.123Z"), ("-0.0", "0", "1969-12-31T23:59:58.5Z"),
        (#"{"$numberDouble": "NaN"}"#, #"{"$numberDouble": "-Infinity"}"#, "0001-01-01T00:00:00Z"),
        ("1e300", "0.1", "2016-04-14T08:32:57.123456789Z"),
    ])
    func aDocumentReadsBackAsTheSame(_ d: String, _ f: String, _ t: String) throws {
        let text = storeText(Self.properties, Self.row(d, f, t))
        let canonical = try document(text, canonical: true)
        let usual = try document(text, canonical: false)
        #expect(canonical != usual)
        #expect(try document(canonical, canonical: false) == usual)
        #expect(try document(canonical, canonical: true) == canonical)
    }

    @Test func aDateFinerThanMillisecondsStaysText() throws {
        let text = storeText(
            Self.properties, Self.row("1.5", "2.5", "2016-04-14T08:32:57.123456Z"))
        let made = try written(text, canonical: true)
        #expect(made.text.contains(#""t":{"$date":"2016-04-14T08:32:57.123456Z"}"#))
        #expect(made.report.items.map(\.code) == ["date-not-canonical"])
    }

    @Test func theUsualSpellingStays() throws {
        let text = storeText(
            Self.properties, Self.row("1.5", "2.5", "2016-04-14T08:32:57.123Z"))
        let made = try written(text, canonical: false)
        #expect(made.text.hasPrefix(#"{"i":5,"n":null,"l":[1,-9223372036854775808],"k":{"a":2},"#))
    }

    @Test func rowsOfATextAreSpelledAnew() throws {
        let made = try JSONTextToTextTests.convert(
            #"[{"a":1,"b":"x"},{"a":2}]"#, "json", "ndjson", { $0.extra["ejson"] = "canonical" })
        #expect(
            made.text.split(separator: "\n").first == #"{"a":{"$numberLong":"1"},"b":"x"}"#)
    }

    @Test(arguments: ["csv", "realm"])
    func othersRefuseIt(_ target: String) {
        #expect(throws: FormatError(.usage, "")) {
            _ = try JSONTextToTextTests.convert(
                "[{\"a\":1}]", "json", target, { $0.extra["ejson"] = "canonical" })
        }
    }
}
