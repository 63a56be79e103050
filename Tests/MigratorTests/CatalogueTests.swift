// The catalogue of changes as cases: each with rows a rule handles, rows that are kept out, or
// rows that need a decision. Expected rows are written by hand.

import Testing

@testable import Formats
@testable import Migrator

@Suite("Catalogue") struct CatalogueTests {
    static let cases =
        NameCases.all + KeyCases.all + ValueCases.all + ShapeCases.all + LinkCases.all
        + EarlyCases.all

    /// Every case on a store of every file format that has its types and values.
    static let runs: [CatalogueRun] = cases.flatMap { item in
        let formats: [UInt8] = [5, 9].filter { OldStore.fits(item.store, format: $0) } + [24]
        return formats.map { CatalogueRun(item: item, format: $0) }
    }

    @Test func mostCasesRunOnStoresOfOldFormats() {
        #expect(Self.runs.count { $0.format == 5 } >= 75)
        #expect(Self.runs.count { $0.format == 9 } >= 80)
    }

    @Test(arguments: runs.filter { $0.format < 10 })
    func anOldStoreReadsBackAsItWasWritten(_ run: CatalogueRun) throws {
        let folder = TemporaryFolder()
        let path = folder.file("old.realm")
        try run.item.store.write(path, format: run.format)
        let store = try Store.open(path)
        #expect(store.fileFormat == Int(run.format))
        #expect(store.schema == run.item.store.schema)
        #expect(store.check().isClean)
        let read = try ReadStore(path)
        for definition in store.schema.classes {
            let written = run.item.store.rows.filter { $0.className == definition.name }
            let first = written.first?.key ?? 0
            #expect(read.keys(definition.name) == written.map { $0.key - first })
            #expect(read.rows(definition.name).count == written.count)
            for (i, property) in definition.properties.enumerated() where property.type != .link {
                #expect(
                    read.rows(definition.name).map { $0[i] } == written.map { $0.values[i] })
            }
        }
    }

    @Test(arguments: runs) func aChangeDoesWhatItsRuleSays(_ run: CatalogueRun) throws {
        let item = run.item
        let outcome = try migrate(item.store, item.changes, format: run.format)
        var found: [String: Int] = [:]
        for finding in outcome.report.findings {
            found["\(finding.kind.rawValue) \(finding.code)", default: 0] += finding.count
        }
        #expect(found == item.found, "\(outcome.report.findings)")
        guard let store = outcome.store else {
            #expect(item.after.isEmpty, "nothing was written: \(outcome.report.findings)")
            return
        }
        for (name, rows) in item.after(run.format) {
            #expect(store.rows(name) == rows, "class \(name)")
        }
        for (name, text) in item.schema {
            let definition = store.definition(name)
            let summary =
                definition.map { c in
                    (c.primaryKey.map { "(\($0)) " } ?? "")
                        + c.properties.map { "\($0.name) \($0.summary)" }.joined(separator: ", ")
                } ?? "none"
            #expect(summary == text)
        }
        let known = Set(store.schema.classes.filter { $0.kind != .embedded }.map(\.name))
        #expect(known.isSubset(of: Set(item.after.keys)), "classes nobody expects: \(known)")
    }
}

/// Names: 1, 2, 4, 34, 47, 49.
enum NameCases {
    static let links = SmallStore([
        ClassSchema("Foo", properties: [p("v", .int)]),
        ClassSchema(
            "Bar",
            properties: [
                p("f", .link, to: "Foo"), p("m", .mixed), p("l", .link, false, .list, to: "Foo"),
            ]),
    ]).with("Foo", first: 5, [[1], [2]]).with(
        "Bar",
        [
            [.link("Foo", 6), .link("Foo", 5), [.link("Foo", 5), .link("Foo", 5)]],
            [nil, [.link("Foo", 6), "x"], []],
        ])

    static let all: [PlanCase] = [
        PlanCase(
            name: "2 a class is renamed and links follow", store: links,
            changes:
                #"[{"renameClass": "Foo", "to": "Baz"}, {"renameProperty": "Baz.v", "to": "w"}]"#,
            after: [
                "Baz": [[1], [2]],
                "Bar": [
                    [.link("Baz", 6), .link("Baz", 5), [.link("Baz", 5), .link("Baz", 5)]],
                    [nil, [.link("Baz", 6), "x"], []],
                ],
            ], schema: ["Baz": "w int", "Bar": "f Baz?, m mixed?, l list of Baz"]),
        PlanCase(
            name: "47 a class goes with the links to it", store: links,
            changes: #"[{"dropClass": "Foo", "dropLinks": true}]"#,
            after: ["Bar": [[nil], [[nil, "x"]]]],
            found: [
                "lost class-dropped": 2, "lost property-dropped": 4,
                "handled link-to-removed-row": 2,
            ]),
        PlanCase(
            name: "47 a link inside a mixed value stops a class from going",
            store: SmallStore([
                ClassSchema("A", properties: [p("x", .int)]),
                ClassSchema("B", properties: [p("m", .mixed)]),
            ]).with("A", [[1]]).with("B", [[.link("A", 0)], [3]]),
            changes: #"[{"dropClass": "A"}]"#, after: [:],
            found: ["lost class-dropped": 1, "needsDecision link-to-removed-row": 1]),
        PlanCase(
            name: "47 classes behind a dropped one keep their links inside mixed values",
            store: SmallStore([
                ClassSchema("A", properties: [p("x", .int)]),
                ClassSchema("B", properties: [p("m", .mixed)]),
                ClassSchema("C", properties: [p("y", .int)]),
            ]).with("B", [[.link("C", 4)], [[.link("B", 1)]]]).with("C", first: 4, [[9]]),
            changes:
                #"[{"dropClass": "A"}, {"addClass": {"name": "D", "properties": [{"name": "z", "type": "string", "optional": true}]}}]"#,
            after: ["B": [[.link("C", 4)], [[.link("B", 1)]]], "C": [[9]], "D": []],
            schema: ["D": "z string?"]),
        PlanCase(
            name: "49 an index comes and goes",
            store: SmallStore([
                ClassSchema(
                    "T",
                    properties: [p("n", .string), Property("i", .int, isIndexed: true)])
            ]).with("T", [["b", 1], ["a", 2]]),
            changes:
                #"[{"setIndex": "T.n", "indexed": true}, {"setIndex": "T.i", "indexed": false}]"#,
            after: ["T": [["b", 1], ["a", 2]]], schema: ["T": "n string, indexed, i int"]),
        PlanCase(
            name: "50 only the version changes",
            store: SmallStore([ClassSchema("T", properties: [p("n", .string)])]).with(
                "T", [["b"]]), changes: "[]", after: ["T": [["b"]]]),
    ]
}

/// Keys: 5 to 13.
enum KeyCases {
    static let users = SmallStore([
        ClassSchema(
            "User",
            properties: [
                p("mobile", .string, true), p("n", .string), p("seen", .date, true),
            ]),
        ClassSchema(
            "Note",
            properties: [p("by", .link, to: "User"), p("all", .link, false, .set, to: "User")]),
    ]).with(
        "User",
        [
            ["1", "a", date(10)], ["2", "b", date(5)], ["1", "c", date(30)], [nil, "d", nil],
            ["1", "e", date(20)],
        ]
    ).with(
        "Note",
        [
            [.link("User", 0), .set([.link("User", 0), .link("User", 2)])],
            [.link("User", 4), .set([])],
        ])

    static let all: [PlanCase] = [
        PlanCase(
            name: "6 repeated keys need a rule", store: users,
            changes: #"[{"setPrimaryKey": "User.mobile", "value": "existing"}]"#, after: [:],
            found: ["needsDecision duplicate-key": 2]),
        PlanCase(
            name: "6 the first of repeated keys stays, links are led to it", store: users,
            changes:
                #"[{"setPrimaryKey": "User.mobile", "value": "existing", "onDuplicate": "first"}]"#,
            after: [
                "User": [["1", "a", date(10)], ["2", "b", date(5)], [nil, "d", nil]],
                "Note": [
                    [.link("User", 0), .set([.link("User", 0)])], [.link("User", 0), .set([])],
                ],
            ], found: ["handled duplicate-removed": 2],
            schema: ["User": "(mobile) mobile string?, n string, seen date?"]),
        PlanCase(
            name: "6 the last of repeated keys stays", store: users,
            changes:
                #"[{"setPrimaryKey": "User.mobile", "value": "existing", "onDuplicate": "last"}]"#,
            after: [
                "User": [["2", "b", date(5)], [nil, "d", nil], ["1", "e", date(20)]],
                "Note": [
                    [.link("User", 4), .set([.link("User", 4)])], [.link("User", 4), .set([])],
                ],
            ], found: ["handled duplicate-removed": 2]),
        PlanCase(
            name: "6 the newest of repeated keys stays", store: users,
            changes:
                #"[{"setPrimaryKey": "User.mobile", "value": "existing", "onDuplicate": {"newest": "seen"}}]"#,
            after: [
                "User": [["2", "b", date(5)], ["1", "c", date(30)], [nil, "d", nil]],
                "Note": [
                    [.link("User", 2), .set([.link("User", 2)])], [.link("User", 2), .set([])],
                ],
            ], found: ["handled duplicate-removed": 2]),
        PlanCase(
            name: "6 repeated keys get a number", store: users,
            changes:
                #"[{"setPrimaryKey": "User.mobile", "value": "existing", "onDuplicate": "suffix"}]"#,
            after: [
                "User": [
                    ["1", "a", date(10)], ["2", "b", date(5)], ["1-2", "c", date(30)],
                    [nil, "d", nil], ["1-3", "e", date(20)],
                ],
                "Note": [
                    [.link("User", 0), .set([.link("User", 0), .link("User", 2)])],
                    [.link("User", 4), .set([])],
                ],
            ], found: ["handled duplicate-renamed": 2]),
        PlanCase(
            name: "8 text keys become numbers, strictly",
            store: SmallStore([
                ClassSchema("Team", primaryKey: "id", properties: [p("id", .string)]),
                ClassSchema("Fan", properties: [p("of", .link, to: "Team")]),
            ]).with("Team", [["7"], ["007"], ["-3"], ["12abc"], [""], ["9223372036854775808"]])
                .with("Fan", [[.link("Team", 0)], [.link("Team", 1)], [.link("Team", 2)]]),
            changes: #"[{"changeType": "Team.id", "to": "int"}]"#,
            after: [
                "Team": [[7], [-3]],
                "Fan": [[.link("Team", 0)], [nil], [.link("Team", 2)]],
            ],
            found: ["rejected value-misfit": 4, "handled link-to-removed-row": 1],
            schema: ["Team": "(id) id int"]),
        PlanCase(
            name: "8 numbers become text keys",
            store: SmallStore([
                ClassSchema("Team", primaryKey: "id", properties: [p("id", .int)])
            ]).with("Team", [[7], [-3], [.int(.min)]]),
            changes: #"[{"setPrimaryKey": "Team.id", "type": "string", "value": "existing"}]"#,
            after: ["Team": [["7"], ["-3"], ["-9223372036854775808"]]]),
        PlanCase(
            name: "9 text keys become UUIDs, names by version 5",
            store: SmallStore([
                ClassSchema("Doc", primaryKey: "id", properties: [p("id", .string)])
            ]).with("Doc", [["6BA7B810-9DAD-11D1-80B4-00C04FD430C8"], ["www.example.com"]]),
            changes:
                #"[{"setPrimaryKey": "Doc.id", "type": "uuid", "value": {"convert": {"property": "id"}, "using": {"uuid": "6ba7b810-9dad-11d1-80b4-00c04fd430c8"}}}]"#,
            after: [
                "Doc": [
                    [uuid("6ba7b810-9dad-11d1-80b4-00c04fd430c8")],
                    [uuid("2ed6657d-e927-568b-95e1-2665a8aea6a2")],
                ]
            ], found: ["lost old-values-replaced": 2]),
        PlanCase(
            name: "10 the key moves to another property",
            store: SmallStore([
                ClassSchema(
                    "U", primaryKey: "email", properties: [p("email", .string), p("id", .int)])
            ]).with("U", [["a@x", 2], ["b@x", 1]]),
            changes: #"[{"setPrimaryKey": "U.id", "value": "existing"}]"#,
            after: ["U": [["a@x", 2], ["b@x", 1]]], schema: ["U": "(id) email string, id int"]),
        PlanCase(
            name: "11 a key of two parts",
            store: SmallStore([
                ClassSchema("M", properties: [p("acc", .string), p("list", .string)])
            ]).with("M", [["a", "b:c"], ["a", "d"]]),
            changes:
                #"[{"setPrimaryKey": "M.key", "type": "string", "value": {"concat": [{"property": "acc"}, ":", {"property": "list"}]}}]"#,
            after: ["M": [["a:b:c", "a", "b:c"], ["a:d", "a", "d"]]],
            schema: ["M": "(key) key string, acc string, list string"]),
        PlanCase(
            name: "11 parts that make the same key are found",
            store: SmallStore([
                ClassSchema("M", properties: [p("acc", .string), p("list", .string)])
            ]).with("M", [["a", "b:c"], ["a:b", "c"]]),
            changes:
                #"[{"setPrimaryKey": "M.key", "type": "string", "value": {"concat": [{"property": "acc"}, ":", {"property": "list"}]}}]"#,
            after: [:], found: ["needsDecision duplicate-key": 1]),
        PlanCase(
            name: "12 keys get an offset",
            store: SmallStore([
                ClassSchema("Foo", primaryKey: "id", properties: [p("id", .int)])
            ]).with("Foo", [[1], [2]]),
            changes: #"[{"changeKeys": "Foo", "value": {"add": [{"property": "id"}, 1000]}}]"#,
            after: ["Foo": [[1001], [1002]]]),
        PlanCase(
            name: "12 keys that fall together stop the migration",
            store: SmallStore([
                ClassSchema(
                    "Foo", primaryKey: "id", properties: [p("id", .int), p("b", .int)])
            ]).with("Foo", [[1, 5], [2, 5]]),
            changes: #"[{"changeKeys": "Foo", "value": {"property": "b"}}]"#, after: [:],
            found: ["needsDecision duplicate-key": 1]),
        PlanCase(
            name: "13 the key goes, its property stays",
            store: SmallStore([
                ClassSchema("X", primaryKey: "id", properties: [p("id", .int)])
            ]).with("X", [[2], [1]]), changes: #"[{"removePrimaryKey": "X"}]"#,
            after: ["X": [[2], [1]]], schema: ["X": "id int"]),
    ]
}

/// Optionality and types: 14 to 30.
enum ValueCases {
    static func one(_ property: Property, _ values: [Value]) -> SmallStore {
        SmallStore([ClassSchema("T", properties: [property])]).with("T", values.map { [$0] })
    }

    static let all: [PlanCase] = [
        PlanCase(
            name: "14 null in a required property needs a rule",
            store: one(p("notes", .string, true), ["a", nil, "", nil]),
            changes: #"[{"makeRequired": "T.notes"}]"#, after: [:],
            found: ["needsDecision null-without-rule": 2]),
        PlanCase(
            name: "14 a value stands for null",
            store: one(p("notes", .string, true), ["a", nil, ""]),
            changes: #"[{"makeRequired": "T.notes", "null": "none"}]"#,
            after: ["T": [["a"], ["none"], [""]]], found: ["handled null-replaced": 1],
            schema: ["T": "notes string"]),
        PlanCase(
            name: "14 rows with null are kept out",
            store: one(p("notes", .string, true), ["a", nil, ""]),
            changes: #"[{"makeRequired": "T.notes", "null": "reject"}]"#,
            after: ["T": [["a"], [""]]], found: ["rejected null-rejected": 1]),
        PlanCase(
            name: "14 the word reject as a value",
            store: one(p("notes", .string, true), ["a", nil]),
            changes: #"[{"makeRequired": "T.notes", "null": {"value": "reject"}}]"#,
            after: ["T": [["a"], ["reject"]]], found: ["handled null-replaced": 1]),
        PlanCase(
            name: "14 nulls inside a list",
            store: one(p("l", .int, true, .list), [[1, nil], []]),
            changes: #"[{"makeRequired": "T.l", "null": 0}]"#, after: ["T": [[[1, 0]], [[]]]],
            found: ["handled null-replaced": 1], schema: ["T": "l list of int"]),
        PlanCase(
            name: "15 optional, values kept", store: one(p("notes", .string), ["a", ""]),
            changes: #"[{"makeOptional": "T.notes"}]"#, after: ["T": [["a"], [""]]],
            schema: ["T": "notes string?"]),
        PlanCase(
            name: "15 optional, blanks null", store: one(p("notes", .string), ["a", "", " "]),
            changes: #"[{"makeOptional": "T.notes", "blank": "null"}]"#,
            after: ["T": [["a"], [nil], [" "]]], found: ["handled blank-to-null": 1]),
        PlanCase(
            name: "15 the distant past is no date",
            store: one(p("d", .date), [date(0), date(-62_135_769_600)]),
            changes: #"[{"makeOptional": "T.d", "blank": "null"}]"#,
            after: ["T": [[date(0)], [nil]]], found: ["handled blank-to-null": 1]),
        PlanCase(
            name: "16 a value for new required properties", store: one(p("d", .date), [date(7)]),
            changes:
                #"[{"addProperty": "T.prio", "type": "int", "value": 1}, {"addProperty": "T.createdAt", "type": "date", "value": {"property": "d"}}]"#,
            after: ["T": [[date(7), 1, date(7)]]]),
        PlanCase(
            name: "17 an optional property is null", store: one(p("d", .date), [date(7)]),
            changes: #"[{"addProperty": "T.color", "type": "string", "optional": true}]"#,
            after: ["T": [[date(7), nil]]]),
        PlanCase(
            name: "19 text to dates, what does not parse kept out",
            store: one(
                p("due", .string),
                [
                    "2016-04-14 08:32", "14.04.2016", "0000-00-00", "", "2016-02-30 00:00",
                    "2016-4-14 08:32", "2016-07-01 24:00", "2016-07-01 08:32 ",
                ]),
            changes:
                #"[{"changeType": "T.due", "to": "date", "using": {"parseDate": ["yyyy-MM-dd HH:mm", "dd.MM.yyyy"], "zone": "Europe/Paris"}}]"#,
            after: ["T": [[date(1_460_615_520)], [date(1_460_584_800)]]],
            found: ["rejected value-misfit": 6], schema: ["T": "due date"]),
        PlanCase(
            name: "19 what does not parse null",
            store: one(p("due", .string), ["2016-04-14", "soon"]),
            changes:
                #"[{"changeType": "T.due", "to": "date", "optional": true, "using": {"parseDate": ["yyyy-MM-dd"]}, "onError": "null"}]"#,
            after: ["T": [[date(1_460_592_000)], [nil]]], found: ["handled value-misfit": 1],
            schema: ["T": "due date?"]),
        PlanCase(
            name: "19 what does not parse stops the run",
            store: one(p("due", .string), ["2016-04-14", "soon"]),
            changes:
                #"[{"changeType": "T.due", "to": "date", "using": {"parseDate": ["yyyy-MM-dd"]}, "onError": "fail"}]"#,
            after: [:], found: ["needsDecision value-misfit": 1]),
        PlanCase(
            name: "19 a clock time in the gap of a zone is counted",
            store: one(p("due", .string), ["2016-03-27 02:30", "2016-10-30 02:30"]),
            changes:
                #"[{"changeType": "T.due", "to": "date", "using": {"parseDate": ["yyyy-MM-dd HH:mm"], "zone": "Europe/Paris"}}]"#,
            after: ["T": [[date(1_459_042_200)], [date(1_477_787_400)]]],
            found: ["handled zone-gap-or-overlap": 2]),
        PlanCase(
            name: "20 dates to clock times in a zone",
            store: one(p("at", .date, true), [date(1_460_615_520), nil, date(-1)]),
            changes:
                #"[{"changeType": "T.at", "to": "string", "using": {"formatDate": "HH:mm", "zone": "Europe/Paris"}}, {"renameProperty": "T.at", "to": "time"}]"#,
            after: ["T": [["08:32"], [nil], ["00:59"]]], found: ["lost day-dropped": 2],
            schema: ["T": "time string?"]),
        PlanCase(
            name: "21 numbers to dates; milliseconds taken as seconds are found",
            store: one(p("ms", .int), [1_460_615_577_123, -1, 1_460_615_577_123_000]),
            changes: #"[{"changeType": "T.ms", "to": "date", "using": {"epoch": "ms"}}]"#,
            after: ["T": [[date(1_460_615_577, 123_000_000)], [date(0, -1_000_000)]]],
            found: ["rejected value-misfit": 1]),
        PlanCase(
            name: "21 dates to numbers, exactly",
            store: one(p("at", .date), [date(5), date(5, 1)]),
            changes: #"[{"changeType": "T.at", "to": "int", "using": {"epoch": "s"}}]"#,
            after: ["T": [[5]]], found: ["rejected value-misfit": 1]),
        PlanCase(
            name: "23 numbers to doubles, exactly or not at all",
            store: one(p("x", .int, true), [1, 9_007_199_254_740_993, nil, -5]),
            changes: #"[{"changeType": "T.x", "to": "double"}]"#,
            after: ["T": [[1.0], [nil], [-5.0]]], found: ["rejected value-misfit": 1]),
        PlanCase(
            name: "23 doubles to numbers",
            store: one(p("x", .double), [1.0, 1.5, .double(.nan), 1e19]),
            changes: #"[{"changeType": "T.x", "to": "int"}]"#, after: ["T": [[1]]],
            found: ["rejected value-misfit": 3]),
        PlanCase(
            name: "23 floats to doubles, and back where they fit",
            store: one(p("x", .float), [.float(0.1), .float(2)]),
            changes: #"[{"changeType": "T.x", "to": "double"}]"#,
            after: ["T": [[.double(0.10000000149011612)], [2.0]]]),
        PlanCase(
            name: "25 numbers to text, null stays null",
            store: one(p("c", .int, true), [12, nil, 0]),
            changes: #"[{"changeType": "T.c", "to": "string"}]"#,
            after: ["T": [["12"], [nil], ["0"]]]),
        PlanCase(
            name: "26 text to numbers, strictly",
            store: one(
                p("n", .string), ["12", "12abc", "", " 5", "007", "1,000", "+4", "0", "-0"]),
            changes: #"[{"changeType": "T.n", "to": "int", "using": "number"}]"#,
            after: ["T": [[12], [0]]], found: ["rejected value-misfit": 7]),
        PlanCase(
            name: "27 doubles to decimals by their shortest text",
            store: one(p("p", .double), [0.1, -0.0, 1e21]),
            changes: #"[{"changeType": "T.p", "to": "decimal128"}]"#,
            after: ["T": [[decimal("0.1")], [decimal("-0.0")], [decimal("1E+21")]]]),
        PlanCase(
            name: "27 text to decimals exactly, the sign of zero too",
            store: one(p("n", .string), ["-0", "1.50", "007"]),
            changes: #"[{"changeType": "T.n", "to": "decimal128", "using": "decimal"}]"#,
            after: ["T": [[decimal("-0")], [decimal("1.50")]]],
            found: ["rejected value-misfit": 1]),
        PlanCase(
            name: "28 enums through a table",
            store: one(p("prio", .int), [0, 2, 7]),
            changes:
                #"[{"mapValues": "T.prio", "to": "string", "table": [[0, "low"], [1, "normal"], [2, "high"]]}]"#,
            after: ["T": [["low"], ["high"]]], found: ["rejected value-misfit": 1]),
        PlanCase(
            name: "28 what the table does not have",
            store: one(p("bought", .bool), [true, false]),
            changes:
                #"[{"mapValues": "T.bought", "to": "int", "table": [[true, 1]], "else": {"value": 0}}]"#,
            after: ["T": [[1], [0]]], found: ["handled value-misfit": 1]),
        PlanCase(
            name: "29 base64 to bytes",
            store: one(p("b", .string), ["aGk=", "?"]),
            changes: #"[{"changeType": "T.b", "to": "data", "using": "base64"}]"#,
            after: ["T": [[.data([0x68, 0x69])]]], found: ["rejected value-misfit": 1]),
        PlanCase(
            name: "29 bytes to text", store: one(p("b", .data), [.data([0x68]), .data([0xFF])]),
            changes: #"[{"changeType": "T.b", "to": "string"}]"#, after: ["T": [["h"]]],
            found: ["rejected value-misfit": 1]),
        PlanCase(
            name: "30 anything to mixed", store: one(p("x", .int, true), [1, nil]),
            changes: #"[{"changeType": "T.x", "to": "mixed"}]"#, after: ["T": [[1], [nil]]],
            schema: ["T": "x mixed?"]),
        PlanCase(
            name: "30 mixed to a type, value by value",
            store: one(p("x", .mixed), [1, "a", 2.5, nil]),
            changes: #"[{"changeType": "T.x", "to": "int", "optional": true}]"#,
            after: ["T": [[1], [nil]]], found: ["rejected value-misfit": 2]),
        PlanCase(
            name: "values set where a condition holds",
            store: SmallStore([
                ClassSchema("T", properties: [p("a", .int), p("s", .string, true)])
            ]).with("T", [[1, "x"], [2, nil], [3, "y"]]),
            changes:
                #"[{"setValues": "T.s", "value": {"if": "a > 2", "then": "big", "else": {"coalesce": [{"property": "s"}, "none"]}}, "where": "a >= 2"}]"#,
            after: ["T": [[1, "x"], [2, "none"], [3, "big"]]]),
        PlanCase(
            name: "a list becomes a set",
            store: one(p("t", .string, false, .list), [["b", "a", "b"]]),
            changes: #"[{"changeType": "T.t", "to": "string", "collection": "set"}]"#,
            after: ["T": [[.set(["a", "b"])]]], found: ["handled repeat-left-out": 1]),
    ]
}
