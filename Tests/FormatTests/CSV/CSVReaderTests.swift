// Rows of a class from CSV and back: what each cell may hold, what becomes of bad rows.

import Testing

@testable import Formats

private let everything = ClassSchema(
    "Thing", primaryKey: "_id",
    properties: [
        Property("_id", .objectId), Property("text", .string),
        Property("maybe", .string, isOptional: true), Property("count", .int),
        Property("big", .int, isOptional: true), Property("flag", .bool),
        Property("real", .double), Property("small", .float, isOptional: true),
        Property("when", .date, isOptional: true), Property("blob", .data, isOptional: true),
        Property("uuid", .uuid, isOptional: true),
        Property("money", .decimal128, isOptional: true),
        Property("friend", .link, isOptional: true, target: "Thing"),
    ])
private let schema = Schema(classes: [everything])

private func read(
    _ text: String, _ target: ClassSchema, context: ExchangeContext = ExchangeContext()
) throws -> [[Value]] {
    try rows(
        CSVReader(
            input: input(text), target: target, schema: Schema(classes: [target]),
            context: context))
}

private func one(
    _ type: PropertyType, _ cell: String, isOptional: Bool = true,
    context: ExchangeContext = ExchangeContext()
) throws -> Value? {
    let target = ClassSchema(
        "T", properties: [Property("a", .string), Property("v", type, isOptional: isOptional)])
    return try read("a,v\nx,\(cell)\n", target, context: context).first?[1]
}

@Suite struct CSVReaderTests {
    @Test(
        arguments: [
            (.int, "9223372036854775807", .int(.max)), (.int, "-9223372036854775808", .int(.min)),
            (.int, "+7", .int(7)), (.int, " 007 ", .int(7)), (.int, "9223372036854775808", nil),
            (.int, "1.0", nil), (.int, "-", nil), (.int, "", .null), (.int, "\"\"", .null),
            (.bool, "TRUE", .bool(true)), (.bool, "no", .bool(false)), (.bool, "Yes", .bool(true)),
            (.bool, "0", .bool(false)), (.bool, "2", nil), (.bool, "maybe", nil),
            (.double, "1.5", .double(1.5)), (.double, "-0.0", .double(-0.0)),
            (.double, "NaN", .double(.nan)), (.double, "-Infinity", .double(-.infinity)),
            (.double, "\"1,5\"", nil), (.float, "0.1", .float(0.1)),
            (
                .date, "2016-04-14T08:32:57.5Z",
                .date(Timestamp(seconds: 1_460_622_777, nanoseconds: 500_000_000))
            ),
            (.date, "2000-02-04 09:35:14 +0000", .date(Timestamp(seconds: 949_656_914))),
            (.date, "1970-01-02", .date(Timestamp(seconds: 86_400))), (.date, "yesterday", nil),
            (
                .date, "\"{\"\"seconds\"\":-99999999999999,\"\"nanoseconds\"\":-5}\"",
                .date(Timestamp(seconds: -99_999_999_999_999, nanoseconds: -5))
            ),
            (.data, "AAEC", .data([0, 1, 2])), (.data, "\"\"", .data([])), (.data, "A", nil),
            (
                .objectId, "00112233445566778899aAbB",
                .objectId(ObjectID(high: 0x0011_2233_4455_6677, low: 0x8899_AABB))
            ),
            (.objectId, "00112233445566778899aag0", nil),
            (.objectId, "0011223344556677889\u{11}aabb", nil),
            (
                .uuid, "00112233-4455-6677-8899-AABBCCDDEEFF",
                .uuid(UUID(high: 0x0011_2233_4455_6677, low: 0x8899_AABB_CCDD_EEFF))
            ),
            (.string, "", .null), (.string, "\"\"", .string("")), (.string, " x ", .string(" x ")),
            (.string, "NULL", .string("NULL")), (.string, "\"a\"\"b\"", .string("a\"b")),
            (.string, "\"a\r\nb\"", .string("a\r\nb")), (.string, "'=1+1", .string("=1+1")),
            (.string, "''=1", .string("'=1")), (.string, "'tis", .string("'tis")),
            (.link, "12", .link("", 12)), (.link, "x", nil),
        ] as [(PropertyType, String, Value?)])
    func cellsMeanWhatTheSchemaSays(_ type: PropertyType, _ cell: String, _ value: Value?) throws {
        let context = ExchangeContext()
        #expect(try one(type, cell, context: context) == value)
        #expect(context.report.setAside == (value == nil ? 1 : 0))
    }

    @Test func anEmptyCellOfARequiredPropertyIsEmptyOrBad() throws {
        let context = ExchangeContext()
        #expect(try one(.string, "", isOptional: false, context: context) == .string(""))
        #expect(context.report.items.map(\.code) == ["empty-cell"])
        let other = ExchangeContext()
        #expect(try one(.int, "", isOptional: false, context: other) == nil)
        #expect(other.report.items.map(\.code) == ["missingValue"])
    }

    @Test func badRowsGoAsideWholeWithTheirPlace() throws {
        let target = ClassSchema(
            "P", properties: [Property("name", .string), Property("age", .int)])
        let text = "name,age\nTim,27\n\"To\nm\",x\nAnn,3\nBob,y,\r\nUte,4"
        let context = ExchangeContext()
        var rejects: [(String, FormatError)] = []
        context.onReject = { rejects.append((String(decoding: $0, as: UTF8.self), $1)) }
        let all = try read(text, target, context: context)
        #expect(
            all == [
                [.string("Tim"), .int(27)], [.string("Ann"), .int(3)], [.string("Ute"), .int(4)],
            ])
        #expect(rejects.map(\.0) == ["\"To\nm\",x\n", "Bob,y,\r\n"])
        #expect(rejects.map { $0.1.details.line } == [4, 6])
        #expect(rejects.map { $0.1.details.column } == [4, 5])
        #expect(rejects.map { $0.1.details.record } == [2, 4])
        #expect(rejects.map { $0.1.details.property } == ["age", "age"])
        #expect(context.report.read == 5)
        #expect(context.report.setAside == 2)
    }

    @Test func anOpenQuoteCostsOneLine() throws {
        let context = ExchangeContext()
        var rejects: [String] = []
        context.onReject = { bytes, _ in rejects.append(String(decoding: bytes, as: UTF8.self)) }
        let all = try plainRows("a,b\n1,2\n3,\"4\n5,6\n7,8\n", context)
        #expect(all == [["1", "2"], ["5", "6"], ["7", "8"]])
        #expect(rejects == ["3,\"4\n"])
    }

    @Test func batchesOfBadRowsOnlyDoNotEndTheReading() throws {
        let target = ClassSchema("P", properties: [Property("n", .int), Property("m", .int)])
        var text = "n,m\n"
        for i in 0..<20_000 { text += i == 19_999 ? "1,2\n" : "x,\(i)\n" }
        let context = ExchangeContext()
        #expect(try read(text, target, context: context) == [[.int(1), .int(2)]])
        #expect(context.report.setAside == 19_999)
    }

    @Test func columnsAreFoundByName() throws {
        let target = ClassSchema(
            "P",
            properties: [
                Property("firstName", .string), Property("age", .int),
                Property("note", .string, isOptional: true),
                Property("tags", .string, collection: .list),
            ])
        let context = ExchangeContext()
        let all = try read("Age,Other,First Name\n1,x,Tim\n", target, context: context)
        #expect(all == [[.string("Tim"), .int(1), .null, .list([])]])
        #expect(context.report.items.map(\.property) == ["Other"])
        #expect(throws: FormatError(.schemaMismatch, "")) {
            try read("foo,bar\n1,2\n", target)
        }
    }

    @Test func aMissingKeyIsMadeByTheCaller() throws {
        let target = ClassSchema(
            "P", primaryKey: "_id",
            properties: [Property("_id", .int), Property("name", .string)])
        #expect(throws: FormatError(.schemaMismatch, "")) { try read("name\nx\n", target) }
        var hooks = CSVReaderHooks()
        hooks.makeKeys = { batch, column in
            for row in 0..<batch.rowCount { column.append(word: Int64(row + 100)) }
        }
        let reader = try CSVReader(
            input: input("name\nx\ny\n"), target: target, schema: Schema(classes: [target]),
            hooks: hooks, context: ExchangeContext())
        #expect(try rows(reader) == [[.int(100), .string("x")], [.int(101), .string("y")]])
    }

    @Test func nestedCellsGoThroughTheHook() throws {
        let target = ClassSchema(
            "P", properties: [Property("a", .int), Property("l", .int, collection: .list)])
        var hooks = CSVReaderHooks()
        hooks.jsonCell = { (bytes, column) throws(FormatError) in
            column.elements?.append(word: 1)
            if bytes.count > 3 { throw FormatError(.malformed, "too long") }
            column.elements?.append(word: Int64(bytes.count))
            column.closeCollection()
        }
        let context = ExchangeContext()
        let reader = try CSVReader(
            input: input("a,l\n1,[0]\n2,[    ]\n3,\n4,[ ]\n5,[]\n"), target: target,
            schema: Schema(classes: [target]), hooks: hooks, context: context)
        #expect(
            try rows(reader) == [
                [.int(1), .list([.int(1), .int(3)])], [.int(3), .list([])],
                [.int(4), .list([.int(1), .int(3)])], [.int(5), .list([])],
            ])
        #expect(context.report.setAside == 1)
    }

    @Test func raggedRowsKeepAllCells() throws {
        let context = ExchangeContext()
        let text = "First Name,E-mail Address\nRag,r@example.test,extra 1,extra 2\nShort\n"
        let reader = try CSVRows(input: input(text), context: context)
        #expect(
            reader.schema.classes[0].properties.map(\.name) == [
                "First Name", "E-mail Address", "extra 1", "extra 2",
            ])
        #expect(
            try rows(reader) == [
                [
                    .string("Rag"), .string("r@example.test"), .string("extra 1"),
                    .string("extra 2"),
                ],
                [.string("Short"), .null, .null, .null],
            ])
        #expect(context.report.items.map(\.code) == ["extra-cells", "short-row"])
    }

    @Test func namesAreMadeUnique() throws {
        func names(_ text: String) throws -> [String] {
            try CSVRows(input: input(text, name: "/x/my file.csv"), context: ExchangeContext())
                .schema.classes[0].properties.map(\.name)
        }
        #expect(try names("a,a,,a_2,a\n1,2,3,4,5\n") == ["a", "a_3", "column 3", "a_2", "a_4"])
        #expect(try names("a,b,\n1,2,\n") == ["a", "b"])
        #expect(try names("a,b,\n1,2,3\n") == ["a", "b", "column 3"])
        #expect(try names("1,2\n3,4\n") == ["column 1", "column 2"])
        #expect(CSVRows.className("/x/my file.csv") == "my_file")
        #expect(CSVRows.className("2020.csv") == "Row2020")
        #expect(CSVRows.className("-") == "Row")
    }
}

@Suite struct CSVWriterTests {
    /// A reader over values.
    final class Fixed: RecordReader {
        let schema: Schema
        private var rows: [[Value]]
        init(_ schema: Schema, _ rows: [[Value]]) { (self.schema, self.rows) = (schema, rows) }
        func next(into batch: RecordBatch) throws(FormatError) -> Bool {
            batch.begin(class: 0)
            for row in rows.prefix(3) { batch.append(values: row) }
            rows.removeFirst(min(3, rows.count))
            return batch.rowCount > 0
        }
    }

    private func text(
        _ target: ClassSchema, _ rows: [[Value]], _ options: CSVWriterOptions = CSVWriterOptions(),
        context: ExchangeContext = ExchangeContext()
    ) throws -> String {
        String(
            decoding: try written(
                Fixed(Schema(classes: [target]), rows), options: options, context: context),
            as: UTF8.self)
    }

    @Test func aHeaderThatLooksLikeACommentIsQuoted() throws {
        let target = ClassSchema("P", properties: [Property("# a", .string)])
        #expect(try text(target, [[.string("# b")]]) == "\"# a\"\r\n\"# b\"\r\n")
    }

    @Test func nullAndEmptyDiffer() throws {
        let target = ClassSchema(
            "P",
            properties: [
                Property("a", .string, isOptional: true), Property("b", .string, isOptional: true),
            ])
        #expect(
            try text(
                target,
                [
                    [.null, .string("")], [.string("x,y"), .string("say \"hi\"\n")],
                    [.string("#a"), .string("#b")],
                ])
                == "a,b\r\n,\"\"\r\n\"x,y\",\"say \"\"hi\"\"\n\"\r\n\"#a\",#b\r\n")
    }

    @Test func aRowOfOneNullIsStillARow() throws {
        let target = ClassSchema("P", properties: [Property("a", .string, isOptional: true)])
        let values: [[Value]] = [[.null], [.string("x")], [.string("")], [.null]]
        let csv = try text(target, values)
        #expect(try read(csv, target) == values)
    }

    @Test func everyValueComesBack() throws {
        var random = SeededGenerator(7)
        let pieces = [
            "a", ",", "\"", "\r\n", "\n", "é", "日本", "'", "=", " ", "#", "x;y", "\t", "+",
        ]
        func string() -> String {
            (0..<Int(random.next() % 12)).map { _ in pieces[Int(random.next() % 14)] }.joined()
        }
        var values: [[Value]] = []
        for i in 0..<500 {
            func maybe(_ value: Value) -> Value { random.next() % 5 == 0 ? .null : value }
            values.append([
                .objectId(ObjectID(high: random.next(), low: UInt32(i))), .string(string()),
                maybe(.string(string())), .int(Int64(bitPattern: random.next())),
                maybe(.int(Int64(i))), .bool(i % 2 == 0),
                .double(Double(bitPattern: random.next() & ~(0x7FF << 52) | 0x3F0 << 52)),
                maybe(.float(Float(i) / 7)),
                maybe(
                    .date(
                        Timestamp(
                            seconds: Int64(bitPattern: random.next()) >> (20 + i % 10),
                            nanoseconds: 0))),
                maybe(.data((0..<i % 9).map { _ in UInt8(truncatingIfNeeded: random.next()) })),
                maybe(.uuid(UUID(high: random.next(), low: random.next()))),
                maybe(.decimal128(Decimal128(low: UInt64(i), high: 0x3040_0000_0000_0000))),
                maybe(.link("Thing", Int64(i))),
            ])
        }
        for isSafe in [false, true] {
            var options = CSVWriterOptions()
            options.isSpreadsheetSafe = isSafe
            options.hasMark = isSafe
            options.usesLineFeed = isSafe
            let csv = try text(everything, values, options)
            let context = ExchangeContext()
            let back = try read(csv, everything, context: context)
            #expect(context.report.setAside == 0)
            #expect(back == values)
        }
    }

    @Test func formulasAreCountedOrGuarded() throws {
        let target = ClassSchema("P", properties: [Property("a", .string), Property("b", .string)])
        let values: [[Value]] = [
            [.string("=1+1"), .string("+46 804 132 704")], [.string("@x"), .string("-5")],
            [.string("'=x"), .string("+1-800-555")],
        ]
        let context = ExchangeContext()
        #expect(
            try text(target, values, context: context)
                == "a,b\r\n=1+1,+46 804 132 704\r\n@x,-5\r\n''=x,+1-800-555\r\n")
        #expect(context.report.items.map(\.code) == ["formula-cell"])
        var options = CSVWriterOptions()
        options.isSpreadsheetSafe = true
        let safe = try text(target, values, options)
        #expect(safe == "a,b\r\n'=1+1,+46 804 132 704\r\n'@x,'-5\r\n''=x,+1-800-555\r\n")
        #expect(try read(safe, target) == values)
    }

    @Test func invalidStringsAreRepairedAndCounted() throws {
        let target = ClassSchema("P", properties: [Property("a", .string), Property("b", .string)])
        let context = ExchangeContext()
        // Together the two arenas' bytes look well-formed; each value alone is not.
        let csv = try text(
            target,
            [
                [.invalidString([0x41, 0xC3]), .string("x")],
                [.invalidString([0xA9]), .string("é")],
            ], context: context)
        #expect(csv == "a,b\r\nA\u{FFFD},x\r\n\u{FFFD},é\r\n")
        #expect(context.report.items.map(\.count) == [2])
    }

    @Test(arguments: CorpusFacts.all)
    func textToTextKeepsEveryCell(_ facts: CorpusFacts) throws {
        let path = try #require(sharedPath("corpus/interchange/\(facts.file)"))
        let first = try CSVRows(input: InputBytes.open(path), context: ExchangeContext())
        let names = first.schema.classes[0].properties.map(\.name)
        let before = try rows(first)
        var options = CSVWriterOptions()
        options.isVerbatim = true
        let csv = try written(
            CSVRows(input: InputBytes.open(path), context: ExchangeContext()), options: options)
        let dialect = CSVDialect()
        let document = try CSVDocument(
            input(bytes: csv), dialect: dialect, context: ExchangeContext())
        #expect(document.headers == names)
        #expect(try rows(CSVRows(document: document)) == before)
    }
}
