import Testing

@testable import Formats

@Suite("Sorting, sections, selections") struct RowSelectionTests {
    private static let schema = Schema(classes: [
        ClassSchema(
            "Task", primaryKey: "id",
            properties: [
                Property("id", .int), Property("name", .string, isOptional: true),
                Property("done", .bool), Property("date", .date, isOptional: true),
                Property("any", .mixed, isOptional: true),
                Property("at", .link, isOptional: true, target: "Place"),
                Property("links", .link, collection: .list, target: "Task"),
            ]),
        ClassSchema("Place", kind: .embedded, properties: [Property("city", .string)]),
        ClassSchema("Other", properties: [Property("x", .int)]),
    ])

    private static func row(
        _ id: Int64, _ name: String?, _ done: Bool = false, _ date: Int64? = nil,
        _ any: Value = .null, city: String? = nil
    ) -> [Value] {
        [
            .int(id), name.map(Value.string) ?? .null, .bool(done),
            date.map { .date(Timestamp(seconds: $0)) } ?? .null, any,
            city.map { .object([.string($0)]) } ?? .null, .list([.link("Task", id)]),
        ]
    }

    private static let rows: [[Value]] = [
        row(1, "banana", true, 86_400, city: "Rome"), row(2, "Apple", false, 172_800),
        row(3, nil, true, 90_000), row(4, "apple", false, nil, city: "Bonn"),
        row(5, "Banana", false, 3_000_000), row(6, "äpfel", true, 4_000_000),
        row(7, "", false, 5),
    ]

    private func read(
        _ rows: [[Value]], where predicate: String? = nil, sort: String? = nil,
        sections: String? = nil, limit: Int? = nil, columns: String? = nil
    ) throws -> (reader: RowSelectionReader, rows: ReadRows) {
        let others = RowsReader.Part(classIndex: 2, rows: [[.int(9)]], keys: [0])
        let source = RowsReader(
            Self.schema,
            [
                others,
                .init(
                    classIndex: 0, rows: rows,
                    keys: rows.map { if case .int(let id) = $0[0] { id * 10 } else { 0 } }), others,
            ])
        let selection = try RowSelection(
            schema: Self.schema, classIndex: 0, predicate: predicate, sort: sort,
            sections: sections, limit: limit, columns: columns)
        let reader = RowSelectionReader(source, selection)
        return (reader, try ReadRows(reader))
    }

    private func ids(
        where predicate: String? = nil, sort: String? = nil, limit: Int? = nil
    ) throws -> [Int64] {
        let all = try read(Self.rows, where: predicate, sort: sort, limit: limit).rows
        #expect(all.rows["Other"] == nil)
        #expect(
            all.keys["Task"] ?? []
                == all.column("Task", 0).map { if case .int(let i) = $0 { i * 10 } else { 0 } })
        return all.column("Task", 0).map { if case .int(let id) = $0 { id } else { -1 } }
    }

    @Test(arguments: [
        ("name", [3, 7, 2, 4, 5, 1, 6]), ("-name", [6, 1, 5, 4, 2, 7, 3]),
        ("name DESC", [6, 1, 5, 4, 2, 7, 3]), ("name[b]", [3, 7, 2, 5, 4, 1, 6]),
        ("done, -date", [5, 2, 7, 4, 6, 3, 1]), ("done DESC, date ASC", [1, 3, 6, 4, 7, 2, 5]),
        ("at.city, id", [2, 3, 5, 6, 7, 4, 1]), ("-id", [7, 6, 5, 4, 3, 2, 1]),
    ])
    func rowsComeInTheWantedOrder(_ sort: String, _ expected: [Int64]) throws {
        #expect(try ids(sort: sort) == expected)
        #expect(try ids(sort: sort, limit: 3) == Array(expected.prefix(3)))
    }

    @Test func limitsAndConditionsApplyTogether() throws {
        #expect(try ids() == [1, 2, 3, 4, 5, 6, 7])
        #expect(try ids(limit: 2) == [1, 2])
        #expect(try ids(limit: 0) == [])
        #expect(try ids(where: "done = true") == [1, 3, 6])
        #expect(try ids(where: "done = false", limit: 3) == [2, 4, 5])
        #expect(try ids(where: "done = false", sort: "-id", limit: 2) == [7, 5])
        #expect(try ids(where: "FALSEPREDICATE") == [])
    }

    @Test func columnsComeAsListed() throws {
        let (reader, all) = try read(Self.rows, sort: "-date", limit: 1, columns: "name, id")
        let task = reader.schema.classes[0]
        #expect(task.properties.map(\.name) == ["name", "id"])
        #expect(task.primaryKey == "id")
        #expect(all.rows["Task"] == [[.string("äpfel"), .int(6)]])
        let nameOnly = try read(Self.rows, where: "id = 5", columns: "name")
        #expect(nameOnly.reader.schema.classes[0].primaryKey == nil)
        #expect(nameOnly.rows.rows["Task"] == [[.string("Banana")]])
        #expect(throws: FormatError(.unknownName, "")) { _ = try read([], columns: "id,nmae") }
        #expect(throws: FormatError(.usage, "")) { _ = try read([], columns: "id,id") }
    }

    private func sections(_ rule: String, sort: String? = nil) throws -> [String] {
        let (reader, all) = try read(Self.rows, sort: sort, sections: rule)
        #expect(reader.sectionProperty == "section")
        #expect(
            reader.schema.classes[0].properties[0] == Property("section", .string, isOptional: true)
        )
        return all.rows["Task", default: []].map { row in
            guard case .int(let id) = row[1] else { return "?" }
            if case .string(let title) = row[0] { return "\(title):\(id)" }
            return "nil:\(id)"
        }
    }

    @Test func rowsAreDividedIntoSections() throws {
        #expect(
            try sections("name[0]")
                == ["nil:3", ":7", "A:2", "A:4", "B:5", "B:1", "Ä:6"])
        #expect(
            try sections("name.first", sort: "-id")
                == [":7", "Ä:6", "B:5", "B:1", "A:4", "A:2", "nil:3"])
        #expect(
            try sections("done")
                == ["false:2", "false:4", "false:5", "false:7", "true:1", "true:3", "true:6"])
        #expect(
            try sections("date.month", sort: "-date")
                == [
                    "1970-02:6", "1970-02:5", "1970-01:2", "1970-01:3", "1970-01:1", "1970-01:7",
                    "nil:4",
                ])
        #expect(try sections("date.day").contains("1970-01-02:3"))
        #expect(try sections("date.year", sort: "id").first == "1970:1")
        #expect(try sections("at.city", sort: "id").first == "Rome:1")
    }

    @Test(arguments: ["links", "nmae[0]", "date.week", "name[1]", "name[0] x", "", "at"])
    func impossibleSectionsAreRefused(_ rule: String) {
        #expect(throws: FormatError.self) {
            _ = try RowSections.parse(rule, schema: Self.schema, classIndex: 0)
        }
    }

    @Test(arguments: ["nmae", "links", "name,", "name up", "at", "", "name id", "-"])
    func impossibleOrdersAreRefused(_ sort: String) {
        #expect(throws: FormatError.self) {
            _ = try RowSort.parse(sort, schema: Self.schema, classIndex: 0)
        }
    }

    @Test func theOrderOfMixedValuesGoesByKindThenValue() throws {
        let ordered: [Value] = [
            .null, .bool(false), .bool(true), .double(.nan), .double(-.infinity), .int(.min),
            .int(-5), .double(-0.5), .int(0), .double(0.25), .int(1), .int(9_007_199_254_740_992),
            .int(9_007_199_254_740_993), .int(.max), .double(.infinity), .string(""),
            .string("a"), .string("a\u{0}"), .string("a\u{0}b"), .string("a\u{1}"),
            .string("ab"), .data([1]), .date(Timestamp(seconds: -9)),
            .date(Timestamp(seconds: 0, nanoseconds: -5)), .date(Timestamp(seconds: 0)),
            .objectId(ObjectID(high: 1, low: 0)), .uuid(UUID(high: 0, low: 1)), .list([]),
        ]
        var rows = ordered.enumerated().map {
            Self.row(Int64($0.offset), nil, false, nil, $0.element)
        }
        rows.shuffle()
        let up = try read(rows, sort: "any").rows.column("Task", 0)
        #expect(up == ordered.indices.map { .int(Int64($0)) })
        let down = try read(rows, sort: "-any").rows.column("Task", 0)
        #expect(down == ordered.indices.reversed().map { .int(Int64($0)) })
    }

    @Test func decimalsSortByValue() {
        let texts = [
            "-Infinity", "-1E+20", "-12.5", "-12.49", "-1E-6000", "0", "1E-6176", "0.1", "1",
            "1.1", "9999999999999999999999999999999999", "1E+6000", "Infinity",
        ]
        let keys = texts.map { text in
            let out = RawVector<UInt8>()
            defer { out.destroy() }
            SortKey.append(
                .decimal(bytes(text) { ScalarText.decimal($0) } ?? .nan), isBinary: false, to: out)
            return Array(out.elements)
        }
        for (a, b) in zip(keys, keys.dropFirst()) { #expect(a.lexicographicallyPrecedes(b)) }
        let values = texts.map { bytes($0) { ScalarText.decimal($0) } ?? .nan }
        for (a, b) in zip(values, values.dropFirst()) { #expect(Decimal128.order(a, b) == -1) }
    }

    @Test func sortingAgreesWithItsObviousTwin() throws {
        var random = SeededGenerator(11)
        for round in 0..<40 {
            let rows = (0..<Int.random(in: 0...300, using: &random)).map { i in
                Self.row(
                    Int64(i),
                    Bool.random(using: &random)
                        ? nil
                        : String(
                            (0..<Int.random(in: 0...9, using: &random)).map { _ in
                                "abAB éÉz".randomElement(using: &random) ?? "a"
                            }), Bool.random(using: &random), Int64.random(in: 0...3, using: &random)
                )
            }
            let limit = round % 2 == 0 ? nil : Int.random(in: 0...20, using: &random)
            let fast = try read(rows, sort: "-done, name, -date", limit: limit).rows
            func text(_ value: Value) -> String? {
                if case .string(let t) = value { t } else { nil }
            }
            let slow = rows.enumerated().sorted { a, b in
                if a.element[2] != b.element[2] { return a.element[2] == .bool(true) }
                let x = text(a.element[1])
                let y = text(b.element[1])
                if (x == nil) != (y == nil) { return x == nil }
                if let x, let y {
                    if !x.lowercased().utf8.elementsEqual(y.lowercased().utf8) {
                        return x.lowercased().utf8.lexicographicallyPrecedes(y.lowercased().utf8)
                    }
                    if !x.utf8.elementsEqual(y.utf8) {
                        return x.utf8.lexicographicallyPrecedes(y.utf8)
                    }
                }
                if case .date(let d) = a.element[3], case .date(let e) = b.element[3], d != e {
                    return d.seconds > e.seconds
                }
                return a.offset < b.offset
            }.map(\.element)
            #expect(fast.rows["Task"] ?? [] == Array(slow.prefix(limit ?? .max)))
        }
    }

    @Test func aLimitKeepsMemoryBoundedAndTheBestRows() throws {
        var random = SeededGenerator(3)
        let rows = (0..<20_000).map { i in
            Self.row(Int64(i), String(Int.random(in: 0...5000, using: &random)))
        }
        let few = try read(rows, sort: "name", limit: 100).rows.rows["Task"]
        let all = try read(rows, sort: "name").rows.rows["Task"]
        #expect(few == Array((all ?? []).prefix(100)))
    }
}
