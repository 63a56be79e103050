// Plans that leave the rows alone carry their nodes over. The slow twin writes the same rows one by
// one: both must give the same store, whatever its columns, its size and the gaps in its keys.

import Foundation
import TestSupport
import Testing

@testable import Formats
@testable import Migrator

@Suite("Rows that are carried over") struct CarryTests {
    let folder = TemporaryFolder()

    /// One property of each kind, links in circles, embedded objects, indexes.
    static let classes = [
        ClassSchema(
            "T", primaryKey: "id",
            properties: [
                Property("id", .objectId), Property("n", .int, isOptional: true, isIndexed: true),
                Property("s", .string, isIndexed: true), Property("d", .data, isOptional: true),
                Property("b", .bool), Property("t", .date), Property("x", .double),
                Property("m", .mixed, isOptional: true),
                Property("text", .string, isFullText: true),
                Property("dec", .decimal128, isOptional: true), Property("u", .uuid),
                p("next", .link, to: "U"), p("all", .link, false, .list, to: "T"),
                p("tags", .string, false, .list), p("set", .int, false, .set),
                p("dict", .mixed, true, .dictionary), p("part", .link, to: "E"),
            ]),
        ClassSchema("U", properties: [Property("name", .string), p("owner", .link, to: "T")]),
        ClassSchema(
            "E", kind: .embedded, properties: [Property("e", .int), p("f", .string, true)]),
    ]

    static func store(_ count: Int, apart: Int64) -> SmallStore {
        var store = SmallStore(classes)
        for i in 0..<count {
            let n = Int64(i)
            let text = String(repeating: "abc ", count: i % 30) + "secret\(i % 7)"
            store.rows.append(
                (
                    "T", n * apart,
                    [
                        .objectId(ObjectID(high: UInt64(i) &* 0x9E37_79B9_7F4A_7C15, low: 7)),
                        i % 3 == 0 ? .null : .int(n % 11), .string("name \(i % 50)"),
                        i % 4 == 0 ? .null : .data(Array(text.utf8)), .bool(i % 2 == 0),
                        date(n * 1000, Int32(i % 5)), .double(Double(i) / 3),
                        i % 2 == 0 ? .null : .link("U", 0), .string(text),
                        i % 2 == 0 ? .null : decimal("\(i).5"),
                        .uuid(UUID(high: UInt64(i), low: 1)), i % 2 == 0 ? .null : .link("U", 0),
                        .list(i == 0 ? [] : [.link("T", 0), .link("T", (n - 1) * apart)]),
                        .list([.string("a"), .string(text)]), .set([.int(1), .int(n + 2)]),
                        .dictionary([.init("k", .int(n))]),
                        i % 2 == 0 ? .null : .object([.int(n), .string("e")]),
                    ]
                ))
        }
        return store.with("U", [[.string("u"), count > 0 ? .link("T", 0) : .null]])
    }

    static let plans = [
        "rename": #"[{"renameProperty": "T.s", "to": "title"}]"#,
        "rename the key": #"""
        [{"renameProperty": "T.id", "to": "_id"}, {"renameProperty": "T.next", "to": "n"},
         {"renameProperty": "T.n", "to": "next"}]
        """#,
        "rename a class": #"[{"renameClass": "T", "to": "Thing"}]"#,
        "add": #"""
        [{"addProperty": "T.a", "type": "int", "value": 7},
         {"addProperty": "T.c", "type": "string", "value": "new"},
         {"addProperty": "T.o", "type": "string", "optional": true},
         {"addProperty": "T.l", "type": "int", "collection": "list"},
         {"addProperty": "T.w", "type": "date", "value": {"$date": "2020-01-01T00:00:00Z"}},
         {"addProperty": "T.z", "type": "double", "value": 1.5},
         {"addProperty": "U.flag", "type": "bool", "value": true}]
        """#,
        "drop": #"""
        [{"dropProperty": "T.n"}, {"dropProperty": "T.text"}, {"dropProperty": "T.tags"},
         {"dropProperty": "T.d"}, {"dropProperty": "T.u"}]
        """#,
        "all at once": #"""
        [{"renameProperty": "T.s", "to": "title"}, {"dropProperty": "T.b"},
         {"addProperty": "T.b", "type": "string", "value": "again"}, {"dropProperty": "T.x"},
         {"addProperty": "T.late", "type": "int", "value": -1},
         {"renameProperty": "T.late", "to": "last"}, {"dropProperty": "T.n"}]
        """#,
    ]

    /// Carries out a plan both ways and compares the stores.
    private func compare(_ path: String, _ plan: MigrationPlan, _ key: [UInt8]? = nil) throws
        -> MigrationReport
    {
        var reports: [MigrationReport] = []
        var stores: [Store] = []
        for carries in [true, false] {
            let output = folder.file("\(UInt32.random(in: 0 ... .max)).realm")
            var options = ExchangeOptions()
            options.outputKey = key
            let context = ExchangeContext(options: options)
            var run = MigrationRun(
                plan, store: try Store.open(path, options: StoreOptions(key: key)),
                context: context)
            run.carriesNodes = carries
            let report = try run.write(to: output)
            #expect(report.isWritten)
            #expect(context.report.read == context.report.written + context.report.setAside)
            let store = try Store.open(output, options: StoreOptions(key: key))
            #expect(store.check().findings.map { "\($0.code) \($0.place) \($0.message)" } == [])
            if carries, let keep = ProcessInfo.processInfo.environment["RTOOL_KEEP"] {
                try FileManager.default.copyItem(
                    atPath: output, toPath: keep + "/carried-\(Foundation.UUID().uuidString).realm")
            }
            reports.append(report)
            stores.append(store)
        }
        #expect(!reports[1].isCarried)
        #expect(summary(reports[0]) == summary(reports[1]))
        #expect(stores[0].schema == stores[1].schema)
        // The trees may be cut into other leaves, so rows are compared, not batches.
        let rows = try stores.map { try Self.rows($0) }
        #expect(rows[0].count == rows[1].count)
        let isSame = rows[0] == rows[1]
        #expect(isSame)
        return reports[0]
    }

    private struct Row: Equatable {
        var classIndex: Int
        var key: Int64
        var values: [Value]
    }

    private static func rows(_ store: Store) throws -> [Row] {
        let reader = store.makeReader()
        let batch = RecordBatch(schema: reader.schema)
        var rows: [Row] = []
        while try reader.next(into: batch) {
            for row in 0..<batch.rowCount {
                rows.append(
                    Row(
                        classIndex: batch.classIndex, key: batch.keys[row],
                        values: batch.values(row: row)))
            }
        }
        return rows
    }

    private func plan(_ changes: String, from version: UInt64 = 1) throws -> MigrationPlan {
        try MigrationPlan(
            json: Array(
                """
                {"rtoolPlan": 1, "name": "test", "steps": [
                 {"from": \(version), "to": \(version + 1), "changes": \(changes)}]}
                """.utf8))
    }

    @Test(arguments: plans.keys.sorted(), [0, 1, 256, 700])
    func carriedRowsAreThoseThatAreWrittenOneByOne(_ name: String, _ count: Int) throws {
        let path = folder.file("old.realm")
        for apart: Int64 in [1, 1000] {
            try Self.store(count, apart: apart).write(path)
            let report = try compare(path, plan(#require(Self.plans[name])))
            // Of one row little is left to carry.
            if count > 1, name != "drop" { #expect(report.isCarried, "\(name)") }
        }
    }

    /// Stores an engine wrote have trees of other shapes, free space, and a history.
    @Test(arguments: Shared.files("corpus/realm/24-14.14.0", ".realm", deep: true))
    func storesOfTheEngineAreCarried(_ path: String) throws {
        guard let store = try? Store.open(path), store.facts.encryption == nil else { return }
        var changes: [String] = []
        for definition in store.schema.classes where !definition.isTable {
            guard let property = definition.properties.first?.name else { continue }
            changes.append(
                #"{"renameProperty": "\#(definition.name).\#(property)", "to": "rtool_name"}"#)
            changes.append(
                #"{"addProperty": "\#(definition.name).rtool_new", "type": "int", "value": 3}"#)
        }
        let version = store.schema.version == .max ? 0 : store.schema.version ?? 0
        guard let plan = try? plan("[\(changes.joined(separator: ","))]", from: version),
            (try? MigrationRun(plan, store: store).outputSchema()) != nil
        else { return }
        let report = try compare(path, plan)
        print(report.isCarried ? "carried" : "written", path)
    }

    @Test func aStoreIsCarriedAgainAndAgain() throws {
        var path = folder.file("old.realm")
        try Self.store(300, apart: 3).write(path)
        let names = ["all at once", "rename the key", "add"]
        for (i, name) in names.enumerated() {
            let changes = try #require(Self.plans[name])
                .replacingOccurrences(of: "\"T.n\"", with: i == 1 ? "\"T.m\"" : "\"T.n\"")
            let plan = try plan(changes, from: UInt64(i) + 1)
            #expect(try compare(path, plan).isCarried)
            let output = folder.file("\(i).realm")
            _ = try MigrationRun(plan, store: Store.open(path)).write(to: output)
            path = output
        }
    }

    @Test func anEncryptedStoreIsCarried() throws {
        let key = [UInt8](repeating: 9, count: 64)
        let plain = folder.file("plain.realm")
        try Self.store(300, apart: 1).write(plain)
        var options = Migrator.Options()
        options.outputKey = key
        let path = folder.file("secret.realm")
        try Migrator(plan(#"[{"renameProperty": "T.s", "to": "was"}]"#)).migrate(
            storeAt: plain, to: path, options: options)
        #expect(try compare(path, plan(#require(Self.plans["add"]), from: 2), key).isCarried)
    }

    /// Whoever drops a property wants its values gone, from the free space too.
    @Test func droppedValuesAreNowhereInTheFile() throws {
        let path = folder.file("old.realm")
        try Self.store(300, apart: 1).write(path)
        let report = try Migrator(
            plan(
                #"""
                [{"dropProperty": "T.text"}, {"dropProperty": "T.d"}, {"dropProperty": "T.tags"}]
                """#)
        ).migrate(storeAt: path)
        #expect(report.isWritten)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        #expect(bytes.range(of: Data("secret".utf8)) == nil)
    }

    @Test(arguments: [
        #"[{"dropProperty": "T.next"}]"#, #"[{"setPrimaryKey": "T.u"}]"#,
        #"[{"addProperty": "T.c", "type": "int", "value": {"property": "n"}, "onError": "null", "optional": true}]"#,
        #"[{"dropProperty": "T.id"}]"#, #"[{"dropProperty": "T.next"}, {"dropClass": "U"}]"#,
    ])
    func whatTouchesRowsLinksOrKeysIsWrittenAnew(_ changes: String) throws {
        let path = folder.file("old.realm")
        try Self.store(20, apart: 1).write(path)
        guard let plan = try? plan(changes) else { return }
        var run = MigrationRun(plan, store: try Store.open(path))
        run.context = ExchangeContext()
        let report = try run.write(to: folder.file("new.realm"))
        #expect(!report.isCarried)
    }

    /// A broken index is no part of the rows: it is left behind, and built anew.
    @Test func aBrokenIndexIsNotCarried() throws {
        let path = folder.file("old.realm")
        try Self.store(700, apart: 1).write(path)
        var bytes = try Array(Data(contentsOf: URL(fileURLWithPath: path)))
        let context = try CheckContext(Store.open(path))
        let table = try #require(context.plan.sources.compactMap { $0 }.first { $0.key == 1 })
        let index = try #require(table.columns.first { $0.index != 0 })
        let root = try context.gate.node(index.index)
        let keys = try context.gate.node(context.gate.ref(root, 0))
        bytes[keys.ref + 8] ^= 1
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        #expect(try !Store.open(path).check().isClean)
        let report = try compare(path, plan(#"[{"renameProperty": "T.s", "to": "was"}]"#))
        #expect(report.isWritten && !report.isCarried)
    }
}
