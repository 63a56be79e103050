// The check of search indexes: no bit of an index may change unnoticed, however the values are
// looked up, and rows are found by any keys.

import Foundation
import Testing

@testable import Formats

@Suite struct IndexCheckTests {
    static let schema = Schema(
        version: 1,
        classes: [
            ClassSchema(
                "T", primaryKey: "id",
                properties: [
                    Property("id", .objectId),
                    Property("n", .int, isOptional: true, isIndexed: true),
                    Property("b", .bool, isOptional: true, isIndexed: true),
                    Property("s", .string, isOptional: true, isIndexed: true),
                    Property("d", .date, isIndexed: true), Property("u", .uuid, isIndexed: true),
                    Property("m", .mixed, isOptional: true, isIndexed: true),
                ])
        ])

    /// Rows in which values repeat, are null, and begin alike; keys with gaps.
    static func rows(_ count: Int) -> [(classIndex: Int, key: Int64?, values: [Value])] {
        (0..<count).map { i in
            let text = String(repeating: "long and longer ", count: i % 4) + String(i / 5)
            return (
                0, Int64(i * i * 3) + 5,
                [
                    .objectId(ObjectID(high: UInt64(i % 3) << 40 | UInt64(i), low: UInt32(i))),
                    i % 4 == 0 ? .null : .int(Int64(i % 7) - 3),
                    i % 5 == 0 ? .null : .bool(i % 2 == 0), i % 6 == 0 ? .null : .string(text),
                    .date(Timestamp(seconds: Int64(i / 2), nanoseconds: Int32(i % 2))),
                    .uuid(UUID(high: UInt64(i % 2), low: UInt64(i / 4))),
                    i % 3 == 0 ? .int(Int64(i / 3)) : i % 3 == 1 ? .string("m\(i % 2)") : .null,
                ]
            )
        }
    }

    private func bytes(_ count: Int) throws -> [UInt8] {
        let path = NSTemporaryDirectory() + "rtool-index-\(Foundation.UUID().uuidString).realm"
        defer { try? FileManager.default.removeItem(atPath: path) }
        try StoreWriterTests.write(Self.schema, Self.rows(count), to: path)
        return try Array(Data(contentsOf: URL(fileURLWithPath: path)))
    }

    /// The table of the class; that of the schema version stands before it.
    private static func table(_ context: CheckContext) -> ModernTable? {
        context.plan.sources.compactMap { $0 }.first { $0.name == "class_T" }
    }

    /// The bits of an index: those of each node's elements, as (byte, bit).
    private func bits(_ gate: NodeGate, _ ref: Int64, _ found: inout [(Int, Int)]) throws {
        let node = try gate.node(ref)
        for bit in 0..<node.count * node.width { found.append((node.ref + 8 + bit / 8, bit % 8)) }
        guard node.hasRefs else { return }
        for i in 0..<node.count where node.integer(i) & 1 == 0 && node.integer(i) != 0 {
            try bits(gate, node.integer(i), &found)
        }
    }

    @Test func noBitOfAnIndexChangesUnnoticed() throws {
        var bytes = try bytes(40)
        let store = try Store.open(storeInput(bytes))
        #expect(store.check().isClean)
        #expect(store.check().indexEntries == 40 * 7)
        let context = try CheckContext(store)
        var all: [(Int, Int)] = []
        for column in try #require(Self.table(context)).columns where column.index != 0 {
            try bits(context.gate, column.index, &all)
        }
        #expect(all.count > 10_000)
        for (n, place) in all.enumerated() where n % 5 == 0 {
            bytes[place.0] ^= 1 << UInt8(place.1)
            let result = try Store.open(storeInput(bytes)).check()
            #expect(!result.isClean, "bit \(place.1) of byte \(place.0)")
            bytes[place.0] ^= 1 << UInt8(place.1)
        }
    }

    /// Large stores are checked by two threads, which find what one finds.
    @Test func aLargeStoreIsCheckedAsASmallOne() throws {
        let count = 12_000
        var bytes = try bytes(count)
        #expect(bytes.count > 1 << 20)
        let store = try Store.open(storeInput(bytes))
        let sound = store.check()
        #expect(sound.isClean && sound.rows == count + 1 && sound.indexEntries == count * 7)
        let context = try CheckContext(store)
        let table = try #require(Self.table(context))
        let key = try #require(table.columns.first { $0.index != 0 })
        let root = try context.gate.node(key.index)
        let keys = try context.gate.node(context.gate.ref(root, 0))
        bytes[keys.ref + 8] ^= 1
        let harmed = try Store.open(storeInput(bytes)).check()
        #expect(harmed.findings.contains { $0.code == "index" && $0.place == "T.id" })
        #expect(harmed.rows == sound.rows && harmed.nodes == sound.nodes)
    }

    /// The quick proof knows the types whose values stand in the file as an index sees them.
    @Test(arguments: [1, 2, 255, 256, 257, 2000]) func soundIndexesAreProvenQuickly(_ count: Int)
        throws
    {
        let store = try Store.open(storeInput(bytes(count)))
        let context = try CheckContext(store)
        let table = try #require(Self.table(context))
        let at = try #require(context.plan.sources.firstIndex { $0?.name == "class_T" })
        let rows = try IndexedRows(context, table.clusters)
        for part in context.plan.tables[at].columns {
            let values = IndexedValues(context.session, rows.clusters, part)
            let column = try #require(
                table.columns.first { $0.key.leafIndex == part.leafIndex })
            let holds = IndexProof.holds(context, rows, values, column.index)
            #expect(holds == ["id", "n", "s", "u"].contains(column.name), "\(column.name ?? "")")
        }
    }

    @Test(arguments: [1, 2, 255, 256, 257, 2000]) func everyRowIsFoundByItsKey(_ count: Int) throws
    {
        let store = try Store.open(storeInput(bytes(count)))
        #expect(store.check().isClean)
        let context = try CheckContext(store)
        let table = try #require(Self.table(context))
        let rows = try IndexedRows(context, table.clusters)
        #expect(rows.count == count)
        let keys = Self.rows(count).compactMap(\.key)
        for (number, key) in keys.enumerated() {
            let (leaf, row) = try #require(rows.find(key))
            #expect(rows.number(leaf, row) == number)
        }
        for key in [Int64.min, -1, 0, 4, 6, (keys.last ?? 0) + 1, .max] {
            #expect((rows.find(key) != nil) == keys.contains(key))
        }
    }
}
