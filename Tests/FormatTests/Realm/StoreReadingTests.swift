// Reading whole stores written by the engine: counts, checks, both top slots, what is asked for.

import Foundation
import Testing

@testable import Formats

@Suite("Stores are read") struct StoreReadingTests {
    static func read(_ store: Store, wanted: ((ClassSchema, Property) -> Bool)? = nil)
        throws -> (rows: [Int: Int], report: Report)
    {
        let reader = store.makeReader(wanted: wanted)
        let batch = RecordBatch(schema: store.schema)
        var rows: [Int: Int] = [:]
        while try reader.next(into: batch) {
            #expect(batch.keys.count == batch.rowCount)
            for column in batch.columns where column.isWanted {
                #expect(column.count == batch.rowCount)
            }
            rows[batch.classIndex, default: 0] += batch.rowCount
        }
        return (rows, reader.context.report)
    }

    @Test("every row is delivered and nothing is noted", arguments: RealmSamples.modern)
    func everyRow(_ name: String) throws {
        let store = try Store.open(RealmSamples.path(name))
        let (rows, report) = try Self.read(store)
        for (index, definition) in store.schema.classes.enumerated()
        where definition.kind != .embedded {
            #expect(rows[index, default: 0] == definition.count, "\(definition.name)")
        }
        #expect(report.items.isEmpty)
        #expect(report.setAside == 0)
    }

    @Test("the check finds nothing in what the engine wrote", arguments: RealmSamples.modern)
    func checkIsClean(_ name: String) throws {
        let result = try Store.open(RealmSamples.path(name)).check()
        #expect(result.isClean, "\(result.findings)")
    }

    @Test("a property that is not asked for is left out", arguments: RealmSamples.modern)
    func unwanted(_ name: String) throws {
        let store = try Store.open(RealmSamples.path(name))
        let (rows, _) = try Self.read(store) { _, property in property.type == .int }
        let (all, _) = try Self.read(store)
        #expect(rows == all)
    }

    @Test("one row at a time gives the same values as whole leaves", arguments: RealmSamples.modern)
    func ranges(_ name: String) throws {
        guard !name.contains("deep"), !name.contains("big"), !name.contains("many") else { return }
        let store = try Store.open(RealmSamples.path(name))
        let session = ReadSession(NodeGate(store.image), tables: store.plans.map(\.tableKey))
        session.gate.visitsLeft = .max / 2
        let wanted = store.schema.classes.map { $0.properties.map { _ in true } }
        for (index, plan) in store.plans.enumerated()
        where store.schema.classes[index].kind != .embedded {
            let whole = RecordBatch(schema: store.schema, classIndex: index)
            let single = RecordBatch(schema: store.schema, classIndex: index)
            var cursor = ClusterCursor(session.gate, root: plan.root)
            while try cursor.advance() {
                let cluster = try #require(cursor.cluster)
                let rows = RowReader(
                    session, schema: store.schema, plans: store.plans, wanted: wanted)
                try rows.read(0..<cluster.count, of: cluster, plan, into: whole.columns)
                let again = RowReader(
                    session, schema: store.schema, plans: store.plans, wanted: wanted)
                for row in 0..<cluster.count {
                    try again.read(row..<row + 1, of: cluster, plan, into: single.columns)
                }
            }
            for (a, b) in zip(whole.columns, single.columns) {
                #expect(a.count == b.count)
                for i in 0..<min(a.count, b.count) { #expect(a.value(i) == b.value(i)) }
            }
        }
    }

    @Test(
        "the snapshot before the live one can be read until a commit takes its place",
        arguments: ["11-6.2.4", "22-12.9.0", "24-14.14.0"])
    func bothTops(_ folder: String) throws {
        guard RealmSamples.folder != nil else { return }
        let path = RealmSamples.path("\(folder)/churned.realm")
        let live = try Store.open(path)
        let other = try Store.open(path, options: StoreOptions(useOtherTop: true))
        #expect(live.topReference != other.topReference)
        #expect(abs(live.facts.snapshotVersion - other.facts.snapshotVersion) == 1)
        #expect(try Self.read(other).report.setAside == 0)
    }

    @Test("a snapshot whose list of tables was overwritten by a later commit is damaged, not empty")
    func overwrittenTop() throws {
        guard RealmSamples.folder != nil else { return }
        // Between the two snapshots of the header and the file's end lies a third one, whose
        // commit reused the blocks of the first and was torn before it reached the header.
        let path = RealmSamples.path("24-14.14.0/churned_torn_a.realm")
        #expect(try Self.read(Store.open(path)).report.setAside == 0)
        #expect {
            try Store.open(path, options: StoreOptions(useOtherTop: true))
        } throws: {
            ($0 as? FormatError)?.code == .damaged
        }
    }

    @Test("reading leaves the folder as it was, also beside an existing lock file")
    func nothingIsCreated() throws {
        guard RealmSamples.folder != nil else { return }
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "rtool-read-\(ProcessInfo.processInfo.processIdentifier)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appendingPathComponent("a.realm").path
        try Data(RealmSamples.bytes("24-14.14.0/dogs.realm")).write(to: URL(fileURLWithPath: path))
        _ = try Store.open(path)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["a.realm"])
        try Data(count: 64).write(to: URL(fileURLWithPath: path + ".lock"))
        #expect(!StoreFile.isHeld(path))
        let descriptor = System.openForReading(path + ".lock")
        defer { System.close(descriptor) }
        #expect(System.lock(descriptor, exclusive: false))
        #expect(StoreFile.isHeld(path))
        #expect(try Store.open(path).schema.classes.count > 0)
    }

    @Test("a verdict for every kind of file")
    func verdicts() throws {
        func verdict(_ bytes: [UInt8], key: [UInt8]? = nil) -> StoreVerdict.Word {
            bytes.withUnsafeBytes {
                StoreInspector.inspect(InputBytes(name: "x", copying: $0), key: key).word
            }
        }
        #expect(verdict([]) == .empty)
        #expect(verdict(Array("hello, this is no store at all".utf8)) == .notRealm)
        var header = [UInt8](repeating: 0, count: 4096)
        header.replaceSubrange(16..<20, with: Array("T-DB".utf8))
        #expect(verdict(header) == .ok)
        header[0] = 64
        header[20] = 1
        #expect(verdict(header) == .tooOld)
        header[20] = 99
        #expect(verdict(header) == .unknownVersion)
        header[20] = 24
        #expect(verdict(header) == .damaged)
        #expect(verdict(header, key: [UInt8](repeating: 1, count: 64)) == .notEncrypted)
        var random = RealmRandom(seed: 7)
        let noise = (0..<8192).map { _ in UInt8.random(in: 0...255, using: &random) }
        #expect(verdict(noise) == .encrypted)
        guard RealmSamples.folder != nil else { return }
        let dogs = RealmSamples.bytes("24-14.14.0/dogs.realm")
        #expect(verdict(dogs) == .ok)
        #expect(verdict(Array(dogs.prefix(700))) == .truncated)
        var torn = RealmSamples.bytes("24-14.14.0/churned.realm")
        let slot = Int(torn[23] & 1)
        torn.replaceSubrange(slot * 8..<slot * 8 + 3, with: [0x10, 0x01, 0])
        #expect(verdict(torn) == .okOtherTop)
    }
}
