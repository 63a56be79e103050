// Stores of formats 2-9 as the engine and the products wrote them: every row is delivered, a row at
// a time gives the same, and whatever is done to the bytes ends in a value or an error.

import Foundation
import TestSupport
import Testing

@testable import Formats

enum OldSamples {
    /// Handed stores of formats 2-9 that are not encrypted.
    static let all: [String] = {
        guard let folder = RealmSamples.folder?.deletingLastPathComponent() else { return [] }
        let corpora = ["realm", "realm-wild"]
        return corpora.flatMap { corpus -> [String] in
            let root = folder.appendingPathComponent(corpus).path
            let paths = FileManager.default.enumerator(atPath: root)?.compactMap { $0 as? String }
            return (paths ?? []).filter { path in
                guard path.hasSuffix(".realm"), !path.contains("encrypted") else { return false }
                let bytes = FileManager.default.contents(atPath: root + "/" + path) ?? Data()
                guard bytes.count > 24, bytes[16] == 0x54 else { return false }
                return (2...9).contains(bytes[20 + Int(bytes[23] & 1)])
            }.map { "../\(corpus)/\($0)" }
        }.sorted()
    }()

    static let small: [String] = all.filter { RealmSamples.bytes($0).count < 600_000 }
}

@Suite("Stores of formats 2 to 9") struct OldStoreTests {
    @Test("every row is delivered", arguments: OldSamples.all)
    func everyRow(_ name: String) throws {
        let store = try Store.open(RealmSamples.path(name))
        let (rows, report) = try StoreReadingTests.read(store)
        for (index, definition) in store.schema.classes.enumerated() {
            #expect(rows[index, default: 0] == definition.count, "\(definition.name)")
        }
        #expect(report.setAside == 0)
    }

    @Test("one row at a time gives the same values as whole leaves", arguments: OldSamples.small)
    func ranges(_ name: String) throws {
        let store = try Store.open(RealmSamples.path(name))
        let session = ReadSession(NodeGate(store.image), tables: store.plans.map(\.tableKey))
        session.gate.visitsLeft = .max / 2
        let wanted = store.schema.classes.map { $0.properties.map { _ in true } }
        let reader = RowReader(session, schema: store.schema, plans: store.plans, wanted: wanted)
        for (index, plan) in store.plans.enumerated() {
            let whole = RecordBatch(schema: store.schema, classIndex: index)
            let single = RecordBatch(schema: store.schema, classIndex: index)
            var cursor = RowCursor(session, plan, wanted: wanted[index])
            while try cursor.advance() {
                let chunk = try #require(cursor.chunk)
                try reader.read(0..<chunk.count, of: chunk, plan, into: whole.columns)
                for row in 0..<chunk.count {
                    try reader.read(row..<row + 1, of: chunk, plan, into: single.columns)
                }
            }
            for (a, b) in zip(whole.columns, single.columns) {
                #expect(a.count == b.count)
                for i in 0..<min(a.count, b.count) { #expect(a.value(i) == b.value(i)) }
            }
        }
    }

    static let damaged = OldSamples.small.filter { name in
        [
            "alltypes", "dogs", "realmtodo", "edge_commit_v8_core3.2.1", "mycontacts_0008",
            "progress_4", "colkey_error", "churned_torn_a", "taskmanager_0005", "stringindex",
        ].contains { name.hasSuffix("\($0).realm") }
    }

    @Test("flipped bytes", arguments: damaged, 0..<3)
    func flips(_ name: String, _ round: Int) throws {
        let original = RealmSamples.bytes(name)
        var random = RealmRandom(seed: UInt64(round) &* 977 &+ UInt64(name.utf8.count))
        for _ in 0..<(original.count > 100_000 ? 3 : 25) {
            var bytes = original
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                let at = Int.random(in: 0..<bytes.count, using: &random)
                bytes[at] = UInt8.random(in: 0...255, using: &random)
            }
            _ = StoreMutationTests.exercise(bytes)
        }
    }

    @Test("headers of nodes made wrong", arguments: damaged, 0..<3)
    func nodeHeaders(_ name: String, _ round: Int) throws {
        let original = RealmSamples.bytes(name)
        var nodes: [Int] = []
        for at in stride(from: 24, to: original.count - 16, by: 8) {
            let filler = original[at..<at + 4]
            if filler.allSatisfy({ $0 == 0x41 }) || filler.allSatisfy({ $0 == 1 }) {
                nodes.append(at)
            }
        }
        guard !nodes.isEmpty else { return }
        var random = RealmRandom(seed: UInt64(round) &* 31 &+ UInt64(name.utf8.count))
        for _ in 0..<(original.count > 100_000 ? 3 : 40) {
            var bytes = original
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                guard let node = nodes.randomElement(using: &random),
                    let other = nodes.randomElement(using: &random)
                else { continue }
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes[node + Int.random(in: 4..<8, using: &random)] = 0xFF
                case 1:
                    bytes[node + Int.random(in: 4..<16, using: &random)] ^=
                        1 << UInt8.random(in: 0..<8, using: &random)
                case 2: for i in 0..<8 { bytes[node + i] = original[other + i] }
                default:
                    let width = (1 << Int(bytes[node + 4] & 7)) >> 1
                    for i in 0..<min(width / 8, 4) {
                        bytes[node + 8 + i] = UInt8(truncatingIfNeeded: other >> (8 * i))
                    }
                }
            }
            _ = StoreMutationTests.exercise(bytes)
        }
    }

    @Test("cut files", arguments: damaged)
    func cuts(_ name: String) throws {
        let original = RealmSamples.bytes(name)
        let step = max(original.count / (original.count > 100_000 ? 4 : 30), 8)
        for size in stride(from: 0, to: original.count, by: step) {
            _ = StoreMutationTests.exercise(Array(original.prefix(size)))
        }
    }

    /// A block of zeros, as a lost write leaves it.
    @Test("rows that are missing are noted", arguments: damaged)
    func damageIsNoted(_ name: String) throws {
        let original = RealmSamples.bytes(name)
        var random = RealmRandom(seed: 7)
        for _ in 0..<(original.count > 100_000 ? 2 : 20) {
            var bytes = original
            let block = Int.random(in: 0..<max(original.count / 512, 1), using: &random) * 512
            for at in max(block, 24)..<max(24, min(block + 512, bytes.count - 16)) { bytes[at] = 0 }
            guard let store = try? Store.open(storeInput(bytes, name: name)),
                let found = try? store.everything()
            else { continue }
            for definition in store.schema.classes where !definition.isTable {
                let rows = found.rows.rows[definition.name, default: []]
                if rows.count < definition.count ?? 0 { #expect(found.report.setAside > 0) }
            }
        }
    }
}
