import Foundation
import Testing

@testable import Formats

@Suite("JSON rows") struct JSONRowsTests {
    static func read(_ text: String, _ context: ExchangeContext = ExchangeContext()) throws
        -> (schema: Schema, rows: ReadRows)
    {
        let reader = try JSONRowsReader(input: jsonInput(text), className: "Row", context: context)
        return (reader.schema, try ReadRows(reader))
    }

    @Test(arguments: [
        #"[{"a":1,"b":"x"},{"a":2,"b":"y"}]"#, "{\"a\":1,\"b\":\"x\"}\n{\"b\":\"y\",\"a\":2}\n",
        #"{"a":1,"b":"x"}{"a":2,"b":"y"}"#, #"{"a":1,"b":"x"} {"a":2,"b":"y"}"#,
        "{\"a\":1,\"b\":\"x\"}\r\n\r\n{\"a\":2,\"b\":\"y\"}",
        #"{"contacts":[{"a":1,"b":"x"},{"a":2,"b":"y"}],"n":2}"#,
        #"{"@odata.context":"q","value":[{"a":1,"b":"x"},{"a":2,"b":"y"}]}"#,
        #"{"whatever":[{"a":1,"b":"x"},{"a":2,"b":"y"}]}"#,
        "[{\"a\":1,\"b\":\"x\"}]\n[{\"a\":2,\"b\":\"y\"}]\n",
        "{\n \"a\": 1,\n \"b\": \"x\"\n}\n{\n \"a\": 2, \"b\": \"y\"}",
        "\u{FEFF}[{\"a\":1,\"b\":\"x\"},{\"a\":2,\"b\":\"y\"}]",
    ])
    func everyShapeHasItsRows(_ text: String) throws {
        let (schema, rows) = try Self.read(text)
        #expect(
            schema.classes == [
                ClassSchema("Row", properties: [Property("a", .int), Property("b", .string)])
            ])
        #expect(rows.rows["Row"] == [[.int(1), .string("x")], [.int(2), .string("y")]])
    }

    @Test func oneObjectAloneIsOneRow() throws {
        let (_, rows) = try Self.read(#"{"name":"Zoe","dogs":[{"n":"Rex"}],"age":3}"#)
        #expect(
            rows.rows["Row"] == [
                [.string("Zoe"), .list([.dictionary([.init("n", .string("Rex"))])]), .int(3)]
            ])
    }

    @Test func arraysByClassAreClassesWithLinks() throws {
        let (schema, rows) = try Self.read(
            #"{"Person":[{"name":"Zoe","dog":{"$ref":"Dog","$key":1}}],"Dog":[{"n":"A"},{"n":"B"}]}"#
        )
        #expect(schema.classes.map(\.name) == ["Person", "Dog"])
        #expect(rows.rows["Person"] == [[.string("Zoe"), .link("Dog", 1)]])
        #expect(rows.rows["Dog"]?.count == 2)
    }

    /// Swift's own encoder escapes the slashes of base64.
    @Test func escapesInsideOfWrappersAreUnderstood() throws {
        let (_, rows) = try Self.read(
            #"[{"d":{"$binary":{"base64":"\/9j\/","subType":"00"}},"#
                + #""t":{"$date":"2020-01-02T03:04:05\u005A"}}]"#)
        let bytes: [UInt8] = [0xFF, 0xD8, 0xFF]
        let date = Timestamp(seconds: 1_577_934_245, nanoseconds: 0)
        #expect(rows.rows["Row"] == [[.data(bytes), .date(date)]])
    }

    @Test func pathsLeadToRows() throws {
        var options = ExchangeOptions()
        options.extra["path"] = "data.1.items"
        let (_, rows) = try Self.read(
            #"{"data":[0,{"items":[{"a":5}]}],"more":1}"#, ExchangeContext(options: options))
        #expect(rows.rows["Row"] == [[.int(5)]])
    }

    @Test(arguments: [
        ("1", "2", Property("x", .int)), ("1", "2.5", Property("x", .double)),
        ("1", "null", Property("x", .int, isOptional: true)),
        ("null", "null", Property("x", .string, isOptional: true)),
        ("true", "false", Property("x", .bool)), ("\"a\"", "\"b\"", Property("x", .string)),
        ("1", "\"b\"", Property("x", .mixed, isOptional: true)),
        ("9007199254740993", "1", Property("x", .int)),
        ("9007199254740993", "1.5", Property("x", .decimal128)),
        ("9223372036854775808", "1", Property("x", .decimal128)),
        ("0.1234567890123456789", "1", Property("x", .decimal128)),
        ("0.30000000000000004", "1", Property("x", .double)),
        ("[1,2]", "[]", Property("x", .int, collection: .list)),
        ("[1,null]", "[]", Property("x", .int, collection: .list, isOptional: true)),
        ("[1,\"a\"]", "[]", Property("x", .mixed, collection: .list, isOptional: true)),
        ("[[1]]", "[]", Property("x", .mixed, collection: .list, isOptional: true)),
        ("{\"a\":1}", "{}", Property("x", .mixed, isOptional: true)),
        (
            "{\"$oid\":\"570f4b9d5a3c2e0001a1b2c3\"}", "null",
            Property("x", .objectId, isOptional: true)
        ),
        ("{\"$date\":\"2020-01-01T00:00:00Z\"}", "{\"$date\":1}", Property("x", .date)),
        ("{\"$numberDecimal\":\"1\"}", "1.5", Property("x", .decimal128)),
        (
            "{\"$uuid\":\"00112233-4455-6677-8899-aabbccddeeff\"}", "null",
            Property("x", .uuid, isOptional: true)
        ),
    ])
    func typesAreFoundOut(_ first: String, _ second: String, _ expected: Property) throws {
        let (schema, rows) = try Self.read("[{\"x\":\(first)},{\"x\":\(second)}]")
        #expect(schema.classes[0].properties == [expected])
        #expect(rows.rows["Row"]?.count == 2)
    }

    @Test func aMissingMemberMakesItOptional() throws {
        let (schema, rows) = try Self.read(#"[{"a":1},{"b":[1]},{"a":2}]"#)
        #expect(
            schema.classes[0].properties == [
                Property("a", .int, isOptional: true), Property("b", .int, collection: .list),
            ])
        #expect(
            rows.rows["Row"] == [
                [.int(1), .list([])], [.null, .list([.int(1)])], [.int(2), .list([])],
            ])
    }

    @Test func cellsStayAsTheyStand() throws {
        let reader = try JSONRowsReader(
            input: jsonInput(
                #"[{"a":1.10,"b":"x\ny","c":[1, 2],"d":true},{"a":null,"e":{"k":1}}]"#),
            className: "Row",
            cells: .text, context: ExchangeContext())
        let rows = try ReadRows(reader)
        #expect(
            rows.rows["Row"] == [
                [.string("1.10"), .string("x\ny"), .string("[1, 2]"), .string("true"), .null],
                [.null, .null, .null, .null, .string(#"{"k":1}"#)],
            ])
    }

    @Test func badLinesAreSetAsideVerbatim() throws {
        let context = ExchangeContext()
        var rejects: [(String, Int?)] = []
        context.onReject = { bytes, reason in
            rejects.append((String(decoding: bytes, as: UTF8.self), reason.details.line))
        }
        let text =
            "{\"a\":1}\n{\"a\":2}TRAILER\n{\"a\":\"x}\n[1]\n{\"a\":3}\nnope\n{\"a\":4}{\"a\":5}"
        let (_, rows) = try Self.read(text, context)
        #expect(rows.rows["Row"] == [[.int(1)], [.int(3)], [.int(4)], [.int(5)]])
        #expect(rejects.map(\.0) == ["{\"a\":2}TRAILER", "{\"a\":\"x}", "[1]", "nope"])
        #expect(rejects.map(\.1) == [2, 3, 4, 6])
        #expect(context.report.read == 8)
        #expect(context.report.setAside == 4)
    }

    @Test func aBadFirstLineDoesNotSpoilTheOthers() throws {
        let context = ExchangeContext()
        let (_, rows) = try Self.read("{\"a\":1,}\n{\"a\":2}\n{\"a\":3}\n", context)
        #expect(rows.rows["Row"]?.count == 2)
        #expect(context.report.setAside == 1)
    }

    @Test func rowsThatDoNotFitTheClassAreSetAside() throws {
        let schema = Schema(classes: [
            ClassSchema(
                "T", properties: [Property("n", .int), Property("s", .string, isOptional: true)])
        ])
        let context = ExchangeContext()
        var rejects: [String] = []
        context.onReject = { bytes, _ in rejects.append(String(decoding: bytes, as: UTF8.self)) }
        let reader = try JSONRowsReader(
            input: jsonInput(#"[{"n":1},{"n":"x","s":"a"},{"s":"b"},5,{"n":"7","s":12,"$key":3}]"#),
            className: "Row", target: (schema, 0), context: context)
        let rows = try ReadRows(reader)
        #expect(rows.rows["T"] == [[.int(1), .null], [.int(7), .string("12")]])
        #expect(rejects == [#"{"n":"x","s":"a"}"#, #"{"s":"b"}"#, "5"])
    }

    @Test func aBadRowOnABadLineIsSetAsideOnce() throws {
        let schema = Schema(classes: [ClassSchema("T", properties: [Property("n", .int)])])
        let context = ExchangeContext()
        var rejects: [String] = []
        context.onReject = { bytes, _ in rejects.append(String(decoding: bytes, as: UTF8.self)) }
        let reader = try JSONRowsReader(
            input: jsonInput(
                "{\"n\":1}\n{\"n\":\"x\"}rest\n{\"n\":\"y\"}\n{\"n\":2}rest\n{\"n\":3}"),
            className: "Row", target: (schema, 0), context: context)
        let rows = try ReadRows(reader)
        #expect(rows.rows["T"] == [[.int(1)], [.int(3)]])
        #expect(rejects == [#"{"n":"x"}rest"#, #"{"n":"y"}"#, #"{"n":2}rest"#])
        #expect(context.report.read == 5)
        #expect(context.report.setAside == 3)
    }

    @Test(arguments: [
        ("true", true), ("false", false), ("1", true), ("0", false), ("\"yes\"", true),
        ("\"No\"", false),
        ("\"TRUE\"", true), ("\"0\"", false),
    ])
    func booleansHaveManySpellings(_ text: String, _ expected: Bool) throws {
        let schema = Schema(classes: [ClassSchema("T", properties: [Property("b", .bool)])])
        let reader = try JSONRowsReader(
            input: jsonInput("[{\"b\":\(text)}]"), className: "T", target: (schema, 0),
            context: ExchangeContext())
        #expect(try ReadRows(reader).rows["T"] == [[.bool(expected)]])
    }

    @Test(arguments: [
        ("unix", "1500000000", 1_500_000_000), ("unix", "1500000000123", 1_500_000_000),
        ("unix", "1500000000123456", 1_500_000_000),
        ("apple", "0", 978_307_200), ("unix", "-5", -5),
    ])
    func epochsAreReadOnRequest(_ epoch: String, _ number: String, _ seconds: Int64) throws {
        let schema = Schema(classes: [ClassSchema("T", properties: [Property("d", .date)])])
        var options = ExchangeOptions()
        options.extra["epoch"] = epoch
        let reader = try JSONRowsReader(
            input: jsonInput("[{\"d\":\(number)}]"), className: "T", target: (schema, 0),
            context: ExchangeContext(options: options))
        guard case .date(let date)? = try ReadRows(reader).rows["T"]?[0][0] else {
            Issue.record("no date")
            return
        }
        #expect(date.seconds == seconds)
    }

    @Test(arguments: [
        "[{\"a\":1}", "[{\"a\":1}]x", "[{\"a\":1} {\"a\":2}]", "[][]", "5", "", "\"x\"",
        "[{\"a\":1},]",
    ])
    func textThatIsNoJSONIsAnError(_ text: String) {
        #expect(throws: FormatError.self) { _ = try Self.read(text) }
    }

    @Test func realmStudioTextIsUnderstood() throws {
        // Two people who are each other's friend, a dog that both own.
        let text = """
            [{"Person":"1","Dog":"2"},["3","4"],["5"],
             {"name":"6","friend":"4","dogs":"7","age":3,"note":null},
             {"name":"8","friend":"3","dogs":"9","age":4,"note":"10"},
             {"name":"11"},"Ann",["5"],"Ben",["5"],"12","Rex"]
            """
        let (schema, rows) = try Self.read(text)
        #expect(schema.classes.map(\.name) == ["Person", "Dog"])
        #expect(
            rows.rows["Person"] == [
                [.string("Ann"), .link("Person", 1), .list([.link("Dog", 0)]), .int(3), .null],
                [
                    .string("Ben"), .link("Person", 0), .list([.link("Dog", 0)]), .int(4),
                    .string("12"),
                ],
            ])
        #expect(rows.rows["Dog"] == [[.string("Rex")]])
    }

    @Test func arraysAndLinesAreWrittenAndReadBack() throws {
        let schema = Schema(classes: [
            ClassSchema(
                "T",
                properties: [
                    Property("n", .int), Property("s", .string, isOptional: true),
                    Property("l", .double, collection: .list),
                    Property("d", .date, isOptional: true),
                ])
        ])
        let rows: [[Value]] = [
            [.int(1), .string("a\"b"), .list([.double(1), .double(0.5)]), .null],
            [.int(2), .null, .list([]), .date(Timestamp(seconds: 5))],
        ]
        func text(_ style: JSONRowsWriter.Style, _ columns: [Int]?, omit: Bool, keys: Bool) throws
            -> String
        {
            try jsonWritten { sink in
                let reader = RowsReader(schema, rows: rows, keys: [3, 8])
                let writer = JSONRowsWriter(
                    sink: sink, schema: schema, classIndex: 0, style: style, columns: columns,
                    omitEmpty: omit, keys: keys, context: ExchangeContext())
                let batch = RecordBatch(schema: schema)
                while try reader.next(into: batch) { try writer.write(batch) }
                try writer.finish()
            }
        }
        #expect(
            try text(.ndjson, nil, omit: false, keys: false) == """
                {"n":1,"s":"a\\"b","l":[1.0,0.5],"d":null}
                {"n":2,"s":null,"l":[],"d":{"$date":"1970-01-01T00:00:05Z"}}

                """)
        #expect(
            try text(.array, [1, 0], omit: true, keys: true) == """
                [
                  {"$key":3,"s":"a\\"b","n":1},
                  {"$key":8,"n":2}
                ]

                """)
        for style in [JSONRowsWriter.Style.array, .ndjson] {
            for omit in [false, true] {
                let json = try text(style, nil, omit: omit, keys: false)
                let reader = try JSONRowsReader(
                    input: jsonInput(json), className: "T", target: (schema, 0),
                    context: ExchangeContext())
                #expect(try ReadRows(reader).rows["T"] == rows)
                #expect(reader.schema == schema)
            }
        }
    }

    @Test func everyHandedFileIsReadWithoutLoss() throws {
        guard let folder = sharedFolder("corpus/interchange/json") else { return }
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path)
        where name.hasPrefix("duckdb-") || name.hasPrefix("csvkit-") {
            let context = ExchangeContext()
            let reader = try JSONRowsReader(
                input: InputBytes.open(folder.appendingPathComponent(name).path), className: "Row",
                context: context)
            let rows = try ReadRows(reader).rows.values.reduce(0) { $0 + $1.count }
            #expect(rows + context.report.setAside == context.report.read, "\(name)")
            #expect(rows > 0, "\(name)")
        }
    }

    /// An object alone that is a row, with members that a wrapper could have.
    @Test(arguments: [
        #"{"a":null,"b":[]}"#, #"{"type":"x","b":[]}"#, #"{"name":"Ann","contacts":[]}"#,
        #"{"$$string":null,"b":[]}"#, #"{"$$string":null,"b":[{"c":1}]}"#,
    ])
    func anObjectAloneIsARow(_ text: String) throws {
        #expect(try Self.read(text).rows.rows["Row"]?.count == 1)
    }

    @Test(arguments: [
        #"{"b":[]}"#, #"{"items":[]}"#, #"{"@odata.context":"q","value":[]}"#,
        #"{"kind":"x","etag":"y","items":[]}"#,
    ])
    func aWrapperMayBeEmpty(_ text: String) throws {
        #expect(try Self.read(text).rows.rows["Row"]?.isEmpty != false)
    }

    /// In NDJSON an object is a row, whatever its members are.
    @Test(arguments: [
        #"{"a":null,"b":[]}"#, #"{"b":[]}"#, #"{"items":[]}"#, #"{"items":[{"c":1},{"c":2}]}"#,
        #"{"b":[],"c":[{"d":1}]}"#, #"{"type":"x","value":[{"c":1}]}"#,
    ])
    func aLineOfNDJSONIsARow(_ text: String) throws {
        for line in [text, text + "\n"] {
            let context = ExchangeContext()
            let source = jsonInput(line)
            let format = try Registry.detect("x.ndjson", source.bytes)
            #expect(format.name == "ndjson")
            let read = try #require(format.read)
            let opened = try read(
                ReadRequest(path: "x.ndjson", input: source, context: context, wish: .plainRows))
            let rows = try ReadRows(opened.reader)
            #expect(context.report.read == 1)
            #expect(rows.rows.values.reduce(0) { $0 + $1.count } >= 1)
        }
    }
}
