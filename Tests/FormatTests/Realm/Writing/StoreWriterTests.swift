// What the store writer promises: every kind of value, the same bytes for the same rows, and
// clear refusals. The files themselves are judged by independent checkers where those are at hand.

import Foundation
import TestSupport
import Testing

@testable import Formats

@Suite struct StoreWriterTests {
    /// Writes a random store.
    static func write(
        _ store: RandomStore, to path: String, writer options: StoreWriterOptions = .init()
    ) throws -> Report {
        let output = try OutputFile.create(path, force: true)
        let report = Report()
        let writer = try StoreWriter(
            output: output, schema: store.schema, context: ExchangeContext(report: report),
            options: options)
        try store.forEachBatch { try writer.write($0) }
        try writer.finish()
        return report
    }

    /// Writes rows of classes given as values, in batches of one row where wanted.
    @discardableResult
    static func write(
        _ schema: Schema, _ rows: [(classIndex: Int, key: Int64?, values: [Value])],
        to path: String, single: Bool = false
    ) throws -> Report {
        let report = Report()
        let writer = try StoreWriter(
            output: try OutputFile.create(path, force: true), schema: schema,
            context: ExchangeContext(report: report))
        let batch = RecordBatch(schema: schema)
        for (i, row) in rows.enumerated() {
            if i == 0 || single || row.classIndex != rows[i - 1].classIndex {
                try writer.write(batch)
                batch.begin(class: row.classIndex)
            }
            batch.append(values: row.values, key: row.key)
        }
        try writer.write(batch)
        try writer.finish()
        return report
    }

    /// All rows of a store.
    static func read(_ path: String) throws -> (
        schema: Schema, rows: [(classIndex: Int, key: Int64, values: [Value])]
    ) {
        let store = try Store.open(path)
        let reader = store.makeReader(context: ExchangeContext())
        let batch = RecordBatch(schema: store.schema)
        var rows: [(classIndex: Int, key: Int64, values: [Value])] = []
        while try reader.next(into: batch) {
            for i in 0..<batch.rowCount {
                rows.append((batch.classIndex, batch.keys[i], batch.values(row: i)))
            }
        }
        return (store.schema, rows)
    }

    static func expectSound(_ path: String) throws {
        let result = try Store.open(path).check()
        #expect(
            result.isClean,
            "\(path): \(result.findings.prefix(5).map { "\($0.place): \($0.message)" })")
    }

    @Test(arguments: zip([UInt64(1), 2, 3, 4, 5, 6], [1, 255, 256, 600, 2, 257]))
    func randomStoresOfAllTypesAreSoundAndReadBack(seed: UInt64, rows: Int) throws {
        for givesKeys in [false, true] {
            for nestsMixed in [false, true] {
                let store = RandomStore(
                    RandomStoreOptions(
                        seed: seed, rows: rows, givesKeys: givesKeys, nestsMixed: nestsMixed,
                        embedsItself: seed == 4, batchSize: rows > 256 ? 311 : 100))
                let folder = try Folder()
                let path = folder.path("s.realm")
                let report = try StoreWriterTests.write(store, to: path)
                #expect(!report.hasLoss)
                keep(path, "random-\(seed)-\(rows)-\(givesKeys)-\(nestsMixed)")
                try StoreWriterTests.expectSound(path)
                try StoreWriterTests.expectSame(store, path)
                if rows == 1 { try Checker.check(path) }
            }
        }
    }

    private func keep(_ path: String, _ name: String) {
        guard let folder = ProcessInfo.processInfo.environment["RTOOL_KEEP"] else { return }
        try? FileManager.default.copyItem(atPath: path, toPath: "\(folder)/\(name).realm")
    }

    /// What was written is what is read, sets and dictionaries in their stored order.
    static func expectSame(_ store: RandomStore, _ path: String) throws {
        let (schema, rows) = try StoreWriterTests.read(path)
        #expect(schema == store.schema)
        var next = 0
        for (i, expected) in store.values().enumerated() {
            for row in expected {
                guard next < rows.count else {
                    Issue.record("rows are missing from class \(i) on")
                    return
                }
                #expect(rows[next].classIndex == i && rows[next].key == row.key)
                if rows[next].values != row.values {
                    for (j, value) in row.values.enumerated() where rows[next].values[j] != value {
                        Issue.record(
                            """
                            class \(i), key \(row.key), \(schema.classes[i].properties[j].name): \
                            \(rows[next].values[j]) is not \(value)
                            """)
                        return
                    }
                }
                next += 1
            }
        }
        #expect(next == rows.count)
    }

    @Test func equalBatchesGiveEqualBytes() throws {
        let folder = try Folder()
        let store = RandomStore(RandomStoreOptions(seed: 9, rows: 300))
        let files = try ["a.realm", "b.realm"].map { name in
            _ = try StoreWriterTests.write(store, to: folder.path(name))
            return try Data(contentsOf: URL(fileURLWithPath: folder.path(name)))
        }
        let isSame = files[0] == files[1]
        #expect(isSame)
    }

    @Test func singleValuesGiveEqualBytesHoweverTheyAreCutIntoBatches() throws {
        let folder = try Folder()
        let schema = Schema(classes: [
            ClassSchema(
                "A", primaryKey: "id",
                properties: [
                    Property("id", .int), Property("s", .string, isOptional: true),
                    Property("d", .date, isOptional: true),
                    Property("l", .link, isOptional: true, target: "A"),
                ])
        ])
        var random = SeededGenerator(5)
        let rows: [(Int, Int64?, [Value])] = (0..<700).map { i in
            let text = String(repeating: "é", count: random.below(i < 300 ? 5 : 40))
            return (
                0, nil,
                [
                    .int(Int64(i)), random.chance(20) ? .null : .string(text),
                    random.chance(20)
                        ? .null : .date(Timestamp(seconds: Int64(random.below(i + 1)))),
                    random.chance(50) ? .null : .link("A", Int64(random.below(700))),
                ]
            )
        }
        let files = try [true, false].map { single in
            try StoreWriterTests.write(
                schema, rows, to: folder.path("\(single).realm"), single: single)
            try StoreWriterTests.expectSound(folder.path("\(single).realm"))
            return try Data(contentsOf: URL(fileURLWithPath: folder.path("\(single).realm")))
        }
        let isSame = files[0] == files[1]
        #expect(isSame)
    }

    @Test(arguments: [nil, 0, 1, 7, UInt64.max - 1, UInt64.max] as [UInt64?])
    func schemaVersionReadsBack(version: UInt64?) throws {
        let folder = try Folder()
        let path = folder.path("v.realm")
        try StoreWriterTests.write(
            Schema(
                version: version, classes: [ClassSchema("A", properties: [Property("x", .int)])]),
            [(0, nil, [.int(1)])], to: path)
        let expected = version == UInt64.max ? nil : version
        #expect(try Store.open(path).schema.version == expected)
        try StoreWriterTests.expectSound(path)
    }

    @Test func anEmptySchemaIsAStoreToo() throws {
        let folder = try Folder()
        let path = folder.path("e.realm")
        try StoreWriterTests.write(Schema(classes: []), [], to: path)
        #expect(try Store.open(path).schema == Schema(classes: []))
        try StoreWriterTests.expectSound(path)
    }

    @Test func theFileIsClosedWithTheWriter() throws {
        let folder = try Folder()
        let store = RandomStore(RandomStoreOptions(seed: 3, rows: 20))
        for isFinished in [true, false] {
            weak var file: OutputFile?
            do {
                let output = try OutputFile.create(folder.path("a.realm"), force: true)
                file = output
                let writer = try StoreWriter(
                    output: output, schema: store.schema, context: ExchangeContext())
                try store.forEachBatch { try writer.write($0) }
                if isFinished { try writer.finish() }
            }
            #expect(file == nil)
        }
    }

    @Test func nothingStandsUnderTheFinalNameBeforeTheEnd() throws {
        let folder = try Folder()
        let path = folder.path("n.realm")
        let schema = Schema(classes: [ClassSchema("A", properties: [Property("x", .int)])])
        do {
            let writer = try StoreWriter(
                output: try OutputFile.create(path, force: false), schema: schema,
                context: ExchangeContext())
            let batch = RecordBatch(schema: schema)
            batch.append(values: [.int(1)])
            try writer.write(batch)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty)
    }

    // MARK: Refusals

    private static let keyed: [(PropertyType, [Value], String)] = [
        (.int, [.int(-5), .int(7), .int(-5)], "-5"),
        (.string, [.string("a"), .string("Zoë Smith"), .string("Zoë Smith")], "\"Zoë Smith\""),
        (
            .string,
            [
                .string(String(repeating: "x", count: 300)),
                .string(String(repeating: "x", count: 300)),
            ],
            "xxx"
        ),
        (.string, [.null, .null], "null"),
        (
            .objectId,
            [
                .objectId(ObjectID(high: 0x570f_4b9d_5a3c_2e00, low: 0x01a1_b2c3)),
                .objectId(ObjectID(high: 0x570f_4b9d_5a3c_2e00, low: 0x01a1_b2c4)),
                .objectId(ObjectID(high: 0x570f_4b9d_5a3c_2e00, low: 0x01a1_b2c3)),
            ], "570f4b9d5a3c2e0001a1b2c3"
        ),
        (
            .uuid,
            [
                .uuid(UUID(high: 1, low: 2)), .uuid(UUID(high: 1, low: 3)),
                .uuid(UUID(high: 1, low: 3)),
            ],
            "00000000-0000-0001-0000-000000000003"
        ),
    ]

    @Test(arguments: 0..<StoreWriterTests.keyed.count)
    func aPrimaryKeyThatStandsTwiceIsNamed(_ i: Int) throws {
        let (type, values, text) = StoreWriterTests.keyed[i]
        let folder = try Folder()
        let schema = Schema(classes: [
            ClassSchema(
                "Person", primaryKey: "id", properties: [Property("id", type, isOptional: true)])
        ])
        do {
            try StoreWriterTests.write(
                schema, values.map { (0, nil, [$0]) }, to: folder.path("d.realm"))
            Issue.record("no error")
        } catch let error as FormatError {
            #expect(error.code == .duplicateKey)
            #expect(error.details.message.contains(text), "\(error)")
            #expect(error.details.recordName == "Person" && error.details.property == "id")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty)
    }

    private static let linked = Schema(classes: [
        ClassSchema(
            "A",
            properties: [
                Property("one", .link, isOptional: true, target: "B"),
                Property("many", .link, collection: .list, target: "B"),
                Property("any", .mixed, isOptional: true),
            ]), ClassSchema("B", properties: [Property("x", .int)]),
    ])

    @Test(arguments: 0..<4)
    func aLinkThatLeadsNowhereIsNamed(_ place: Int) throws {
        let nowhere = Value.link("B", 3)
        let rows: [(Int, Int64?, [Value])] = [
            (0, 10, [.link("B", 5), .list([.link("B", 5)]), .list([.link("B", 5)])]),
            (
                0, 11,
                [
                    place == 0 ? nowhere : .null, .list(place == 1 ? [nowhere] : []),
                    place == 2 ? .list([.dictionary([.init("a", nowhere)])]) : .null,
                ]
            ), (1, place == 3 ? 4 : 5, [.int(1)]),
        ]
        let folder = try Folder()
        do {
            try StoreWriterTests.write(
                StoreWriterTests.linked, rows, to: folder.path("l.realm"))
            Issue.record("no error")
        } catch let error as FormatError {
            #expect(error.code == .danglingLink)
            #expect(error.details.recordName == "A")
            if place < 3 {
                #expect(error.details.property == ["one", "many", "any"][place])
                #expect(error.details.message.contains("11"), "\(error)")
            }
        }
    }

    @Test func keysThatDoNotAscendAreRefused() throws {
        let schema = Schema(classes: [
            ClassSchema("A", properties: [Property("x", .int)]),
            ClassSchema("B", properties: [Property("x", .int)]),
        ])
        for keys: [Int64] in [[3, 3], [3, 2], [-1, 0], [0, Int64.max]] {
            for single in [false, true] {
                #expect(throws: FormatError(.keysOutOfOrder, "")) {
                    let folder = try Folder()
                    try StoreWriterTests.write(
                        schema, keys.map { (1, $0, [.int(1)]) }, to: folder.path("k.realm"),
                        single: single)
                }
            }
        }
    }

    @Test func aNullInARequiredPropertyIsRefusedWithItsPlace() throws {
        let schema = Schema(classes: [ClassSchema("A", properties: [Property("x", .string)])])
        for (rows, single) in [(3, true), (3, false), (600, false), (600, true)] {
            let folder = try Folder()
            do {
                try StoreWriterTests.write(
                    schema, (0..<rows).map { (0, nil, [$0 == rows - 2 ? .null : .string("a")]) },
                    to: folder.path("r.realm"), single: single)
                Issue.record("no error")
            } catch let error as FormatError {
                #expect(error.code == .missingValue)
                #expect(error.details.record == rows - 1)
                #expect(error.details.property == "x" && error.details.recordName == "A")
            }
        }
    }

    @Test(arguments: [PropertyType.string, .data, .mixed])
    func valuesLongerThanAStoreHoldsAreRefusedWithTheirPlace(type: PropertyType) throws {
        let limit = type == .data ? 16_777_200 : 16_777_199
        let schema = Schema(classes: [
            ClassSchema("A", properties: [Property("x", type, isOptional: true)])
        ])
        func value(_ count: Int) -> Value {
            type == .data
                ? .data([UInt8](repeating: 7, count: count))
                : .string(String(repeating: "x", count: count))
        }
        let folder = try Folder()
        let path = folder.path("b.realm")
        try StoreWriterTests.write(schema, [(0, nil, [.null]), (0, nil, [value(limit)])], to: path)
        let isSame =
            try StoreWriterTests.read(path).rows.map(\.values) == [[.null], [value(limit)]]
        #expect(isSame)
        do {
            try StoreWriterTests.write(
                schema, [(0, nil, [.null]), (0, nil, [.null]), (0, nil, [value(limit + 1)])],
                to: path)
            Issue.record("no error")
        } catch let error as FormatError {
            #expect(error.code == .limitExceeded)
            #expect(error.details.record == 3)
            #expect(error.details.property == "x" && error.details.recordName == "A")
        }
    }

    @Test func namesThatAreTooLongAreRefused() throws {
        let long = String(repeating: "n", count: 58)
        let longer = String(repeating: "n", count: 64)
        let schemas = [
            Schema(classes: [ClassSchema(long, properties: [])]),
            Schema(classes: [ClassSchema("A", properties: [Property(longer, .int)])]),
        ]
        for schema in schemas {
            #expect(throws: FormatError(.limitExceeded, "")) {
                let folder = try Folder()
                try StoreWriterTests.write(schema, [], to: folder.path("n.realm"))
            }
        }
        let folder = try Folder()
        let most = Schema(classes: [
            ClassSchema(
                String(long.dropLast()), properties: [Property(String(longer.dropLast()), .int)])
        ])
        try StoreWriterTests.write(most, [], to: folder.path("n.realm"))
        #expect(try Store.open(folder.path("n.realm")).schema == most)
    }

    // MARK: Shapes

    @Test func nodesDoNotCrossSectionsAndTheGapsAreFree() throws {
        let schema = Schema(
            version: 1, classes: [ClassSchema("A", properties: [Property("x", .data)])])
        let folder = try Folder()
        let path = folder.path("s.realm")
        let writer = try StoreWriter(
            output: try OutputFile.create(path, force: false), schema: schema,
            context: ExchangeContext())
        let batch = RecordBatch(schema: schema)
        for i in 0..<9 {
            batch.begin(class: 0)
            batch.columns[0].bytes.append(repeating: UInt8(i), count: 16_000_000)
            batch.columns[0].closeBytes()
            batch.closeRow()
            try writer.write(batch)
        }
        try writer.finish()
        try StoreWriterTests.expectSound(path)
        let result = try Store.open(path).check()
        #expect(result.gapBytes == 0 && result.freeBytes > 8000)
    }

    @Test func treesOfSeveralLevelsAreSound() throws {
        let schema = Schema(
            version: 1,
            classes: [
                ClassSchema(
                    "Many", primaryKey: "id",
                    properties: [
                        Property("id", .int), Property("even", .bool, isIndexed: true),
                        Property("next", .link, isOptional: true, target: "Many"),
                    ]),
                ClassSchema(
                    "Sparse",
                    properties: [Property("owner", .link, isOptional: true, target: "Many")]),
                ClassSchema("Squeezed", properties: [Property("x", .int)]),
            ])
        let folder = try Folder()
        let path = folder.path("m.realm")
        let writer = try StoreWriter(
            output: try OutputFile.create(path, force: false), schema: schema,
            context: ExchangeContext())
        let batch = RecordBatch(schema: schema)
        let count = 70_000
        for start in stride(from: 0, to: count, by: 5000) {
            for index in schema.classes.indices {
                batch.begin(class: index)
                for i in start..<start + 5000 {
                    switch index {
                    case 0:
                        batch.columns[0].append(word: Int64(i) * 7919 % 1_000_003)
                        batch.columns[1].append(word: Int64(i & 1))
                        batch.columns[2].append(word: Int64((i * 31) % count))
                    case 1:
                        batch.keys.append(Int64(i) * Int64(i) * 1000 + 5)
                        batch.columns[0].append(word: 17)
                    default: batch.columns[0].append(word: Int64(i))
                    }
                    batch.closeRow()
                }
                try writer.write(batch)
            }
        }
        try writer.finish()
        try StoreWriterTests.expectSound(path)
        if let folder = ProcessInfo.processInfo.environment["RTOOL_KEEP"] {
            try? FileManager.default.copyItem(atPath: path, toPath: "\(folder)/levels.realm")
        }
    }

    @Test func setsHoldEachElementOnceInOrderUnlessANaNIsAmongThem() throws {
        let schema = Schema(classes: [
            ClassSchema(
                "A",
                properties: [
                    Property("s", .string, collection: .set, isOptional: true),
                    Property("d", .double, collection: .set),
                    Property("m", .mixed, collection: .set, isOptional: true),
                ])
        ])
        let folder = try Folder()
        let path = folder.path("s.realm")
        let one = Decimal128(low: 10, high: 6175 << 49)
        let report = try StoreWriterTests.write(
            schema,
            [
                (
                    0, nil,
                    [
                        .set([.string("é"), .string("b"), .null, .string("b"), .string("")]),
                        .set([.double(2), .double(-1), .double(2)]),
                        .set([
                            .string("x"), .decimal128(one), .int(1), .double(1), .bool(true),
                            .null, .double(0.5),
                        ]),
                    ]
                ),
                (
                    0, nil,
                    [
                        .set([]), .set([.double(2), .double(.nan), .double(2), .double(.nan)]),
                        .set([]),
                    ]
                ),
            ], to: path)
        #expect(report.items.map(\.count) == [1, 1, 2])
        let rows = try StoreWriterTests.read(path).rows.map(\.values)
        #expect(rows[0][0] == .set([.null, .string(""), .string("b"), .string("é")]))
        #expect(rows[0][1] == .set([.double(-1), .double(2)]))
        #expect(
            rows[0][2]
                == .set([.null, .bool(true), .double(0.5), .decimal128(one), .string("x")]))
        #expect(
            rows[1][1] == .set([.double(.nan), .double(.nan), .double(2), .double(2)]))
    }

    @Test func subtablesBecomeEmbeddedClasses() throws {
        let inner = Property("parts", .table, collection: .list, columns: [Property("p", .string)])
        let schema = Schema(classes: [
            ClassSchema(
                "Album",
                properties: [
                    Property("title", .string),
                    Property(
                        "tracks", .table, collection: .list,
                        columns: [Property("name", .string), Property("length", .int), inner]),
                ]), ClassSchema("Album_tracks", properties: [Property("taken", .bool)]),
        ])
        let folder = try Folder()
        let path = folder.path("t.realm")
        let report = try StoreWriterTests.write(
            schema,
            [
                (
                    0, nil,
                    [
                        .string("a"),
                        .list([
                            .object([.string("x"), .int(1), .list([.object([.string("p1")])])]),
                            .object([.string("y"), .int(2), .list([])]),
                        ]),
                    ]
                )
            ], to: path)
        #expect(report.items.map(\.code) == ["subtable-embedded", "subtable-embedded"])
        try StoreWriterTests.expectSound(path)
        let (read, rows) = try StoreWriterTests.read(path)
        #expect(
            read.classes.map(\.name)
                == ["Album", "Album_tracks", "Album_tracks_2", "Album_tracks_2_parts"])
        #expect(
            rows.map(\.values) == [
                [
                    .string("a"),
                    .list([
                        .object([.string("x"), .int(1), .list([.object([.string("p1")])])]),
                        .object([.string("y"), .int(2), .list([])]),
                    ]),
                ]
            ])
    }
}

/// A folder for one test.
final class Folder {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent(
            "formats-\(Foundation.UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func path(_ name: String) -> String { url.appendingPathComponent(name).path }
}

/// The independent checker, where it is at hand.
enum Checker {
    static var tool: String? {
        guard let folder = Shared.folder else { return nil }
        let path = folder + "/tools/realmread.py"
        return FileManager.default.fileExists(atPath: path) ? path : nil
    }

    static func check(_ path: String) throws {
        guard let tool else {
            print("skipped: no independent checker (set RTOOL_SHARED)")
            return
        }
        let run = try ChildProcess(
            "/usr/bin/env", ["python3", tool, path, "--check", "--quiet"])
        #expect(run.exitCode == 0, "\(path): \(run.errors.suffix(600))")
        #expect(!run.errors.contains("unaccounted"), "\(run.errors)")
    }
}
