// Damaged stores: whatever is done to the bytes, opening, reading and checking ends in a value or
// an error. The damage is the same in every run.

import Foundation
import Testing

@testable import Formats

@Suite("Damaged stores never trap") struct StoreMutationTests {
    static let samples: [String] = RealmSamples.modern.filter { name in
        [
            "alltypes", "dogs", "nested_links", "realmtodo", "mixed_short_keys", "v3",
            "churned_torn_a",
        ]
        .contains { name.hasSuffix("\($0).realm") }
    }

    /// Does everything that can be done with a store.
    static func exercise(_ bytes: [UInt8]) -> Int {
        bytes.withUnsafeBytes { raw in
            let input = InputBytes(name: "damaged", copying: raw)
            var done = 0
            for other in [false, true] {
                do throws(FormatError) {
                    let store = try Store.open(input, options: StoreOptions(useOtherTop: other))
                    let reader = store.makeReader()
                    let batch = RecordBatch(schema: store.schema)
                    while try reader.next(into: batch) {
                        done += batch.rowCount
                        for row in 0..<min(batch.rowCount, 3) { _ = batch.values(row: row) }
                        for column in batch.columns { assert(column.count == batch.rowCount) }
                    }
                    done += store.check().findings.count
                } catch {}
            }
            _ = StoreInspector.inspect(input)
            return done
        }
    }

    @Test("flipped bytes", arguments: samples, 0..<4)
    func flips(_ name: String, _ round: Int) {
        let original = RealmSamples.bytes(name)
        guard !original.isEmpty else { return }
        var random = RealmRandom(seed: UInt64(round) &* 977 &+ UInt64(name.utf8.count))
        let runs = original.count > 200_000 ? 2 : 25
        for _ in 0..<runs {
            var bytes = original
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                let at = Int.random(in: 0..<bytes.count, using: &random)
                bytes[at] = UInt8.random(in: 0...255, using: &random)
            }
            _ = Self.exercise(bytes)
        }
    }

    @Test("headers of nodes made wrong", arguments: samples, 0..<4)
    func nodeHeaders(_ name: String, _ round: Int) {
        let original = RealmSamples.bytes(name)
        guard !original.isEmpty else { return }
        // Nodes begin with AAAA; their kind, count and first elements are what matters.
        var nodes: [Int] = []
        var at = 24
        while at + 16 <= original.count {
            if original[at..<at + 4].allSatisfy({ $0 == 0x41 }) { nodes.append(at) }
            at += 8
        }
        guard !nodes.isEmpty else { return }
        var random = RealmRandom(seed: UInt64(round) &* 31 &+ 5)
        let runs = original.count > 200_000 ? 2 : 40
        for _ in 0..<runs {
            var bytes = original
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                guard let node = nodes.randomElement(using: &random) else { continue }
                let place = node + Int.random(in: 4..<16, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes[place] = 0xFF
                case 1: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
                case 2:
                    // One node where another one belongs: circles and shared nodes.
                    guard let other = nodes.randomElement(using: &random), node + 16 <= bytes.count
                    else { continue }
                    for i in 0..<8 { bytes[node + i] = original[other + i] }
                default:
                    // References to a random node, in the width of the node.
                    let other = UInt32(nodes.randomElement(using: &random) ?? 24)
                    let width = (1 << Int(bytes[node + 4] & 7)) >> 1
                    for i in 0..<min(width / 8, 4) {
                        bytes[node + 8 + i] = UInt8(truncatingIfNeeded: other >> UInt32(8 * i))
                    }
                }
            }
            _ = Self.exercise(bytes)
        }
    }

    @Test("nodes that claim sixteen million elements in eight bytes", .timeLimit(.minutes(1)))
    func hollowNodes() {
        let original = RealmSamples.bytes("24-14.14.0/dogs.realm")
        guard !original.isEmpty else { return }
        var every = original
        for node in stride(from: 24, to: original.count - 16, by: 8)
        where original[node..<node + 4].allSatisfy({ $0 == 0x41 }) {
            var bytes = original
            for at in node + 5..<node + 8 { bytes[at] = 0xFF }
            bytes[node + 4] &= 0xF8
            _ = Self.exercise(bytes)
            if original[node + 4] & 0x40 == 0 {
                every.replaceSubrange(node + 4..<node + 8, with: bytes[node + 4..<node + 8])
                _ = Self.exercise(every)
            }
        }
    }

    @Test("cut files", arguments: samples)
    func cuts(_ name: String) {
        let original = RealmSamples.bytes(name)
        guard !original.isEmpty else { return }
        var sizes = original.count > 200_000 ? [] : Array(0..<40)
        let step = max(original.count / (original.count > 200_000 ? 4 : 25), 8)
        sizes += stride(from: 40, to: original.count, by: step)
        for size in sizes where size < original.count {
            _ = Self.exercise(Array(original.prefix(size)))
        }
    }
}
