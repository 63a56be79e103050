// JSON to JSON and CSV to CSV: cells unchanged, and nothing beside the rows dropped in silence.

import Foundation
import Testing

@testable import Formats

@Suite("JSON text to text") struct JSONTextToTextTests {
    /// Converts a text by way of files; the output and the codes of the report.
    static func convert(
        _ text: String, _ from: String, _ to: String,
        _ set: (inout ExchangeOptions) -> Void = { _ in }, className: String? = nil
    ) throws -> (text: String, report: Report) {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("rtool-text-\(UInt64.random(in: 0 ... .max))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let input = folder.appendingPathComponent("in.\(from)").path
        let output = folder.appendingPathComponent("out.\(to)").path
        try Data(text.utf8).write(to: URL(fileURLWithPath: input))
        var options = ExchangeOptions()
        set(&options)
        let context = ExchangeContext(options: options)
        var conversion = Conversion(from: input, to: output, context: context)
        conversion.className = className
        try conversion.run()
        return (try String(contentsOfFile: output, encoding: .utf8), context.report)
    }

    @Test(arguments: [
        #"{"a":1}"#, #"{"b":null}"#, #"{"n":1.50,"m":1e2,"k":100000000000000000000}"#,
        #"{"r":{"$regularExpression":{"pattern":"a","options":"i"}}}"#,
        #"{"friend":{"$ref":"Person","$key":1},"$key":4}"#, #"{"a":1,"a":2}"#,
        #"{"s":"x \\\" \u00e9 {\" , }","l":[1,[],{}]}"#, #"{"":0,"a.b":1,"$x":2}"#, "{}",
    ])
    func objectsGoThroughAsTheyStand(_ object: String) throws {
        let spaced = object.replacing("{\"", with: "{ \t\"").replacing("}", with: "\r\n }")
        for text in [object, "[\(object),{\"z\":[]}]", "{\"items\":[\(object)]}"] {
            let isRow = text == object
            let all = try Self.convert(text, isRow ? "ndjson" : "json", "ndjson")
            let rows = all.text.split(separator: "\n").map(String.init)
            #expect(rows.first == object)
            #expect(all.report.items.isEmpty)
            #expect(all.report.read == all.report.written)
        }
        if !object.contains("x \\") {
            #expect(try Self.convert("[\(spaced)]", "json", "ndjson").text == object + "\n")
        }
        let array = try Self.convert("[\(object)]", "json", "json").text
        #expect(array == "[\n  \(object)\n]\n")
    }

    @Test func brokenLinesAreSetAsideAsBefore() throws {
        let all = try Self.convert("{\"a\":1}\n{\"a\":\n5\n{\"a\":2}\n", "ndjson", "ndjson")
        #expect(all.text == "{\"a\":1}\n{\"a\":2}\n")
        #expect(all.report.setAside == 2)
    }

    @Test func halfCharactersAreReplacedAndTold() throws {
        let all = try Self.convert(#"[{"a":"x\ud800y","b":"\ud83d\ude00"}]"#, "json", "ndjson")
        #expect(all.text == "{\"a\":\"x\u{FFFD}y\",\"b\":\"\\ud83d\\ude00\"}\n")
        #expect(all.report.items.map(\.code) == ["lone-surrogate"])
    }

    @Test(arguments: [
        (#"{"contacts":[{"a":1}],"meta":{"x":1}}"#, "meta", "beside-rows", true),
        (#"{"items":[{"a":1}],"total":1}"#, "total", "beside-rows", false),
        (#"{"value":[{"a":1}],"@odata.nextLink":"u"}"#, "@odata.nextLink", "more-pages", true),
        (#"{"items":[{"a":1}],"nextPageToken":"x"}"#, "nextPageToken", "more-pages", true),
        (#"{"items":[{"a":1}],"nextPageToken":null}"#, "nextPageToken", "beside-rows", false),
        (#"{"@odata.context":"u","value":[{"a":1}]}"#, "@odata.context", "beside-rows", false),
    ])
    func whatStandsBesideTheRowsIsTold(
        _ text: String, _ property: String, _ code: String, _ isLoss: Bool
    ) throws {
        let report = try Self.convert(text, "json", "csv").report
        let item = try #require(report.items.first)
        #expect(report.items.count == 1)
        #expect(item.property == property)
        #expect(item.code == code)
        #expect((item.kind == .lost) == isLoss)
    }

    @Test func theDelimiterIsThatOfTheOutput() throws {
        let text = "a,b\n1,\"x;y\"\n2,z\n"
        let semicolons = try Self.convert(text, "csv", "csv") { $0.extra["delimiter"] = ";" }
        #expect(semicolons.text == "a;b\r\n1;\"x;y\"\r\n2;z\r\n")
        let tabs = try Self.convert(text, "csv", "csv") { $0.extra["delimiter"] = "\\t" }
        #expect(tabs.text == "a\tb\r\n1\tx;y\r\n2\tz\r\n")
        // Where no table is written it can only be that of the input.
        let read = try Self.convert("a^b\n1^2\n", "csv", "ndjson") { $0.extra["delimiter"] = "^" }
        #expect(read.text.contains("\"a\":\"1\""))
    }
}

extension JSONRowsTests {
    // MARK: Links without a schema

    @Test func realmStudiosOnlyClassKeepsItsNameAndLinks() throws {
        let text = """
            [{"Person":"1"},["2","3"],{"name":"4","friend":"3","age":5},
             {"name":"5","friend":"2","age":6},"Ann","Bob"]
            """
        let (schema, rows) = try Self.read(text)
        #expect(schema.classes.map(\.name) == ["Person"])
        #expect(schema.classes[0].properties[1].type == .link)
        #expect(
            rows.rows["Person"] == [
                [.string("Ann"), .link("Person", 1), .int(5)],
                [.string("Bob"), .link("Person", 0), .int(6)],
            ])
    }

    @Test func realmStudiosRowsAreNoToDosByTheirMembers() throws {
        let text = #"[{"Task":"1"},["2"],{"title":"3","status":"4"},"Milk","open"]"#
        let read = try #require(Format.realmStudio.read)
        let opened = try read(
            ReadRequest(path: "x.json", input: jsonInput(text), context: ExchangeContext()))
        #expect(opened.content == .rows)
        #expect(try ReadRows(opened.reader).rows["Task"] == [[.string("Milk"), .string("open")]])
    }

    /// Rows of the class `Row` by their file's name, which link to each other.
    @Test func linksToRowsOfTheSameTextAreLinks() throws {
        let context = ExchangeContext()
        let (schema, rows) = try Self.read(
            #"[{"n":"A","f":{"$ref":"Row","$key":1}},5,{"n":"B","f":{"$ref":"Row","$key":0}}]"#,
            context)
        #expect(schema.classes[0].properties[1].type == .link)
        #expect(rows.rows["Row"]?[0][1] == .link("Row", 1))
        // Row 1 of the text is no object, but the numbers of the others stay.
        #expect(context.report.items.contains { $0.code == "link-by-row" })
    }

    @Test func rowsWithKeysKeepThem() throws {
        let reader = try JSONRowsReader(
            input: jsonInput(
                #"[{"$key":3,"f":{"$ref":"Row","$key":8}},{"$key":8,"f":null}]"#),
            className: "Row", context: ExchangeContext())
        let batch = RecordBatch(schema: reader.schema)
        #expect(try reader.next(into: batch))
        #expect(Array(batch.keys.elements) == [3, 8])
    }

    @Test func linksThatLeadOutAreTold() throws {
        let context = ExchangeContext()
        let (_, rows) = try Self.read(#"[{"d":{"$ref":"Dog","$key":1}}]"#, context)
        #expect(
            rows.rows["Row"] == [
                [.dictionary([.init("$ref", .string("Dog")), .init("$key", .int(1))])]
            ])
        let item = try #require(context.report.items.first)
        #expect(item.code == "link-left")
        #expect(item.value == "Dog")
        #expect(context.report.items.count == 1)
    }

    @Test func aClassThatIsNamedIsThatOfTheRows() throws {
        let text = #"[{"n":"A","f":{"$ref":"Person","$key":0}}]"#
        let store = FileManager.default.temporaryDirectory
            .appendingPathComponent("rtool-link-\(UInt64.random(in: 0 ... .max)).realm").path
        let input = store + ".json"
        defer { for path in [store, input] { try? FileManager.default.removeItem(atPath: path) } }
        try Data(text.utf8).write(to: URL(fileURLWithPath: input))
        var conversion = Conversion(from: input, to: store, context: ExchangeContext())
        conversion.className = "Person"
        try conversion.run()
        let reader = try Store.open(InputBytes.open(store)).makeReader(context: ExchangeContext())
        #expect(try ReadRows(reader).rows["Person"] == [[.string("A"), .link("Person", 0)]])
    }

    // MARK: Repeated members, cut lines

    private static func target(_ property: Property...) -> (schema: Schema, classIndex: Int) {
        (Schema(classes: [ClassSchema("T", properties: property)]), 0)
    }

    @Test(arguments: [
        (#"{"id":6,"n":null,"n":"c"}"#, nil as String?, "c" as String?),
        (#"{"id":6,"n":[1],"n":{"x":[]},"n":"c"}"#, nil, "c"),
        (#"{"id":6,"n":null,"n":"c"}"#, "last", "c"),
        (#"{"id":6,"n":"c","n":null}"#, "first", "c"),
        (#"{"id":6,"n":"c","n":null}"#, nil, nil), (#"{"id":6,"n":null,"n":"c"}"#, "first", nil),
        (#"{"id":6,"n":null,"n":"c"}"#, "error", nil),
    ])
    func onlyTheMemberThatCountsMustFit(_ text: String, _ option: String?, _ value: String?) throws
    {
        var options = ExchangeOptions()
        options.extra["dup"] = option
        let context = ExchangeContext(options: options)
        let reader = try JSONRowsReader(
            input: jsonInput("[\(text),{\"id\":7,\"n\":\"d\"}]"), className: "T",
            target: Self.target(Property("id", .int), Property("n", .string)), context: context)
        let rows = try ReadRows(reader).rows["T"]
        let found: [[Value]] = value.map { [[.int(6), .string($0)]] } ?? []
        #expect(rows == found + [[.int(7), .string("d")]])
        #expect(context.report.setAside == (value == nil ? 1 : 0))
    }

    @Test func theReasonOfACutLineIsTheCut() throws {
        let context = ExchangeContext()
        var reasons: [FormatError.Details] = []
        context.onReject = { _, reason in reasons.append(reason.details) }
        let text = """
            {"id":3,"n":"x"}
            {"id":4,"n":null
            {"id":5,"n":"z"}
            {"id":6,"n":"w"
            """
        let reader = try JSONRowsReader(
            input: jsonInput(text), className: "T",
            target: Self.target(Property("id", .int), Property("n", .string)), isLines: true,
            context: context)
        #expect(try ReadRows(reader).rows["T"]?.count == 2)
        #expect(reasons.map(\.code) == [.malformed, .malformed])
        #expect(reasons.map(\.line) == [2, 4])
        #expect(reasons.allSatisfy { $0.property == nil })
        #expect(reasons[0].excerpt?.contains("\"id\":4") == true)
    }

    // MARK: Binary data

    @Test(arguments: [
        ("data:text/plain;base64,aGk=", [0x68, 0x69] as [UInt8]), ("data:,h%69", [0x68, 0x69]),
        ("DATA:;base64,aGk", [0x68, 0x69]), ("aGk=", [0x68, 0x69]),
    ])
    func binaryDataMayBeAURI(_ text: String, _ bytes: [UInt8]) throws {
        let context = ExchangeContext()
        let reader = try JSONRowsReader(
            input: jsonInput("[{\"b\":\"\(text)\"}]"), className: "T",
            target: Self.target(Property("b", .data)), context: context)
        #expect(try ReadRows(reader).rows["T"] == [[.data(bytes)]])
        #expect(
            context.report.items.map(\.code) == (text.contains("plain") ? ["data-media-type"] : []))
    }
}
