// Plans as values: written in code, as JSON and through Codable; expectations; what code alone can
// express; what is derived comes out the same every time.

import Foundation
import Testing

@testable import Formats
@testable import Migrator

@Suite("Plans") struct PlanTests {
    static let text = #"""
        {"rtoolPlan": 1, "name": "all", "steps": [{"from": 0, "to": 1, "summary": "s", "changes": [
          {"renameProperty": "A.b", "to": "c"}, {"renameClass": "A", "to": "B"},
          {"addClass": {"name": "N", "kind": "embedded", "properties": [{"name": "x", "type": "int", "optional": true}]}},
          {"dropClass": "N", "dropLinks": true},
          {"addProperty": "B.x", "type": "string", "collection": "list"},
          {"addProperty": "B.y", "type": "date", "value": {"addSeconds": [{"property": "d"}, 3600]}},
          {"dropProperty": "B.x"},
          {"setPrimaryKey": "B.id", "type": "objectId", "value": {"derive": "row"}, "keepOldAs": "old", "onDuplicate": {"newest": "y"}},
          {"changeKeys": "B", "value": {"concat": ["a", {"property": "id"}]}},
          {"removePrimaryKey": "B", "indexed": true},
          {"makeRequired": "B.n", "null": "reject"}, {"makeRequired": "B.m", "null": 5},
          {"makeOptional": "B.n", "blank": "null"},
          {"changeType": "B.n", "to": "date", "optional": true, "using": {"parseDate": ["yyyy"], "zone": "Europe/Paris"}, "onError": {"value": null}},
          {"mapValues": "B.e", "to": "int", "table": [["a", 1], [null, 0]], "else": "null", "optional": true},
          {"setValues": "B.e", "value": {"if": "e > 1", "then": 1, "else": {"coalesce": [{"property": "e"}, 2]}}, "where": "e != 3"},
          {"mergeProperties": ["B.a", "B.b"], "into": "ab", "separator": "-", "keep": true},
          {"splitProperty": "B.ab", "into": ["a1", "b1"], "at": "lastSpace", "onError": "null"},
          {"splitProperty": "B.ab", "into": ["a2", "b2"], "pattern": "(.)-(.)"},
          {"nest": ["B.a", "B.b"], "into": "B.e2", "class": "E"}, {"flatten": "B.e2"},
          {"collect": ["B.i1", "B.i2"], "into": "is"}, {"toMany": "B.l", "as": "ls"},
          {"toOne": "B.ls", "onMany": "first"},
          {"linkBy": "B.ref", "to": "O.key", "as": "o", "onMissing": "create"},
          {"unlink": "B.o", "to": "O.key"}, {"unwrapList": "B.w", "property": "v"},
          {"splitText": "B.t", "separator": ";", "collection": "set"},
          {"embed": "E", "orphans": "delete", "shared": "clone", "keepKeyAs": "k"},
          {"unembed": "E", "primaryKey": "_id"}, {"moveLink": "B.l", "as": "m"},
          {"moveLink": "B.l", "to": "O.l", "by": "B.o"},
          {"splitClass": "B", "into": "C", "where": "e == 1"},
          {"mergeClasses": ["B", "C"], "into": "D", "tag": "kind"},
          {"extractClass": "D.x", "into": "X", "property": "name"},
          {"setIndex": "D.x", "indexed": false},
          {"ask": "D.x", "question": "q", "options": [{"answer": "a", "changes": [{"dropProperty": "D.x"}]}]}
        ], "expect": [{"count": "D", "equals": {"count": "A"}}, {"count": "D", "equals": 3},
          {"distinct": "D.x"}, {"sum": "D.n", "equals": {"old": "A.n"}}, {"max": "D.n", "equals": 4},
          {"none": "D", "where": "x == nil"}]}]}
        """#

    @Test func everyChangeReadsBackAsItWasWritten() throws {
        let plan = try MigrationPlan(json: Array(Self.text.utf8))
        let kinds = Set(plan.steps[0].changes.map { type(of: $0).name })
        #expect(kinds == Set(ChangeTable.kinds.keys))
        let again = try MigrationPlan(json: Array(plan.json().text.utf8))
        #expect(try again.json() == plan.json())
        #expect(again.lines == plan.lines)
        #expect(plan.lines.count == 2 + 37 + 6)
        let coded = try JSONDecoder().decode(
            MigrationPlan.self, from: JSONEncoder().encode(plan))
        #expect(coded.lines == plan.lines)
    }

    @Test(arguments: [
        (#"{"rtoolPlan": 2, "name": "x", "steps": []}"#, FormatErrorCode.unsupportedVersion),
        (#"{"rtoolPlan": 1, "name": "x", "steps": []}"#, .missingValue),
        (#"{"rtoolPlan": 1, "name": "x", "step": []}"#, .unknownName),
        (
            #"{"rtoolPlan": 1, "name": "x", "steps": [{"from": 1, "to": 1, "changes": []}]}"#,
            .badValue
        ),
        (
            #"{"rtoolPlan": 1, "name": "x", "steps": [{"from": 0, "to": 1, "changes": []}, {"from": 2, "to": 3, "changes": []}]}"#,
            .badValue
        ),
        (
            #"{"rtoolPlan": 1, "name": "x", "steps": [{"from": -1, "to": 1, "changes": []}]}"#,
            .badValue
        ),
        (
            #"{"rtoolPlan": 1, "name": "x", "steps": [{"from": 0, "to": 1, "changes": [{}]}]}"#,
            .missingValue
        ),
        (
            #"{"rtoolPlan": 1, "name": "x", "steps": [{"from": 0, "to": 1, "changes": [{"changeType": "A.b", "to": "date", "using": "parseDat"}]}]}"#,
            .unknownName
        ),
        (
            #"{"rtoolPlan": 1, "name": "x", "steps": [{"from": 0, "to": 1, "changes": [{"renameProperty": "A.b", "too": "c"}]}]}"#,
            .unknownName
        ),
        (#"{"rtoolPlan": 1, "name": "x", "stepz": []}"#, .unknownName),
        (
            #"{"rtoolPlan": 1, "name": "x", "steps": [{"from": 0, "to": 1, "changes": [{"changeType": "A.b", "to": "date", "using": {"parseDate": ["yyyy-QQ"]}}]}]}"#,
            .badValue
        ),
        (
            #"{"rtoolPlan": 1, "name": "x", "steps": [{"from": 0, "to": 1, "changes": [{"changeType": "A.b", "to": "date", "using": {"parseDate": ["yyyy"], "zone": "Mars"}}]}]}"#,
            .unknownName
        ),
        (
            #"{"rtoolPlan": 1, "name": "x", "steps": [{"from": 0, "to": 1, "changes": [{"setValues": "A.b", "value": {"concatt": ["a"]}}]}]}"#,
            .unknownName
        ),
        (
            #"{"rtoolPlan": 1, "name": "x", "steps": [{"from": 0, "to": 1, "changes": [{"splitProperty": "A.b", "into": ["x"], "pattern": "(("}]}]}"#,
            .badValue
        ),
        ("", .malformed), ("[", .malformed),
    ])
    func slipsHaveAPlace(_ text: String, _ code: FormatErrorCode) {
        do throws(FormatError) {
            _ = try MigrationPlan(json: Array(text.utf8))
            Issue.record("no error")
        } catch {
            #expect(error.code == code, "\(error)")
            #expect(error.details.line != nil || text.isEmpty, "\(error)")
        }
    }

    static let numbers = SmallStore([
        ClassSchema("T", properties: [p("a", .int), p("s", .string, true)])
    ]).with("T", [[1, "x"], [2, nil], [3, "x"]])

    @Test(arguments: [
        (#"{"count": "T", "equals": 3}"#, true), (#"{"count": "T", "equals": 2}"#, false),
        (#"{"count": "T", "equals": {"count": "T"}}"#, true),
        (#"{"distinct": "T.b"}"#, true), (#"{"distinct": "T.s"}"#, false),
        (#"{"sum": "T.b", "equals": 6}"#, true),
        (#"{"sum": "T.b", "equals": {"old": "T.a"}}"#, true),
        (#"{"max": "T.b", "equals": 4}"#, false), (#"{"min": "T.b", "equals": 1}"#, true),
        (#"{"none": "T", "where": "b > 3"}"#, true),
        (#"{"none": "T", "where": "s == nil"}"#, false),
    ])
    func whatIsExpectedIsMeasured(_ line: String, _ holds: Bool) throws {
        let outcome = try migrate(
            Self.numbers, #"[{"renameProperty": "T.a", "to": "b"}]"#, expect: "[\(line)]")
        #expect((outcome.store != nil) == holds)
        #expect(outcome.count(.needsDecision, "expectation-failed") == (holds ? 0 : 1))
    }

    @Test func derivedIdsAreTheSameEveryTimeAndDistinct() throws {
        let changes =
            #"[{"setPrimaryKey": "T._id", "type": "objectId", "value": {"derive": "row"}}]"#
        let first = try #require(try migrate(Self.numbers, changes).store)
        let second = try #require(try migrate(Self.numbers, changes).store)
        #expect(first.rows("T") == second.rows("T"))
        #expect(Set(first.rows("T").map { "\($0[0])" }).count == 3)
        #expect(first.definition("T")?.primaryKey == "_id")
        let salted = try #require(
            try migrate(
                Self.numbers,
                #"[{"setPrimaryKey": "T._id", "type": "uuid", "value": {"derive": "row", "salt": "b"}}]"#
            ).store)
        #expect(Set(salted.rows("T").map { "\($0[0])" }).count == 3)
    }

    @Test func anIntKeyBecomesAnIdAndIsKept() throws {
        let store = SmallStore([
            ClassSchema(
                "Order", primaryKey: "id", properties: [p("id", .int), p("c", .link, to: "Cust")]),
            ClassSchema("Cust", properties: [p("last", .link, to: "Order")]),
        ]).with("Order", first: 2, [[5, .link("Cust", 0)], [6, nil]]).with(
            "Cust", [[.link("Order", 3)]])
        let result = try #require(
            try migrate(
                store,
                #"[{"setPrimaryKey": "Order._id", "type": "objectId", "value": {"derive": "row"}, "keepOldAs": "legacyId"}]"#
            ).store)
        let order = try #require(result.definition("Order"))
        #expect(order.properties.map(\.name) == ["_id", "legacyId", "c"])
        #expect(order.primaryKey == "_id" && order.properties[1].type == .int)
        #expect(result.rows("Order").map { $0[1] } == [5, 6])
        #expect(result.rows("Cust") == [[.link("Order", 3)]])
        #expect(result.keys("Order") == [2, 3])
    }

    @Test func codeMayDoWhatNoChangeExpresses() throws {
        let folder = TemporaryFolder()
        let path = folder.file("s.realm")
        try Self.numbers.write(path)
        let plan = MigrationPlan("code") {
            MigrationStep(from: 1, to: 2) {
                Transform("T.a", "squared") { row in
                    guard case .int(let a) = row["a"], a != 2 else { return nil }
                    return .int(a * a)
                }
            }
        }
        #expect(throws: FormatError(.unsupported, "")) { try plan.json() }
        let run = MigrationRun(plan, store: try Store.open(path))
        let report = try run.write(to: folder.file("n.realm"))
        #expect(report.rejected == 1)
        #expect(try ReadStore(folder.file("n.realm")).rows("T").map { $0[0] } == [1, 9])
    }

    @Test func nothingIsLeftWhereADecisionIsMissing() throws {
        let folder = TemporaryFolder()
        let path = folder.file("s.realm")
        try Self.numbers.write(path)
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        let plan = MigrationPlan("p") {
            MigrationStep(from: 1, to: 2) { MakeRequired("T.s") }
        }
        let report = try MigrationRun(plan, store: Store.open(path)).write(
            to: folder.file("n.realm"))
        #expect(report.needsDecision && !report.isWritten)
        #expect(report.findings[0].examples[0].key == "#1")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["s.realm"])
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
    }

    /// Realm opens no store whose embedded classes hold themselves, whatever the rows are.
    @Test(arguments: [
        (#"[{"embed": "Node", "orphans": "delete", "shared": "clone"}]"#, "Node.next"),
        (#"[{"dropProperty": "Node.next"}, {"embed": "Node"}]"#, "Node.part"),
        (
            #"[{"addProperty": "Part.again", "type": "link", "collection": "list", "target": "Part"}]"#,
            "Part.again"
        ),
    ]) func embeddedClassesMayNotGoInACircle(_ changes: String, _ property: String) throws {
        let store = SmallStore([
            ClassSchema("Holder", properties: [p("node", .link, to: "Node")]),
            ClassSchema(
                "Node",
                properties: [
                    p("n", .int), p("next", .link, to: "Node"), p("part", .link, to: "Part"),
                ]),
            ClassSchema("Part", kind: .embedded, properties: [p("of", .link, to: "Node")]),
        ]).with("Holder", [[.link("Node", 0)]]).with("Node", [[1, nil, nil]])
        let error = #expect(throws: FormatError.self) { try migrate(store, changes) }
        #expect(error?.code == .unsupported)
        #expect(error?.details.property?.hasSuffix(property) == true, "\(error?.details)")
    }
}
