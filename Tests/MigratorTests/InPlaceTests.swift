import Foundation
import TestSupport
import Testing

@testable import Formats
@testable import Migrator

@Suite("In place") struct InPlaceTests {
    static let plan = MigrationPlan("to-do") {
        MigrationStep(from: 1, to: 2) {
            RenameProperty("Task.taskTitle", to: "title")
            AddProperty("Task.priority", .int, value: 1)
        }
        MigrationStep(from: 2, to: 3) { MakeRequired("Task.notes", null: .reject) }
    }

    static func store() -> SmallStore {
        SmallStore([
            ClassSchema(
                "Task",
                properties: [
                    Property("taskTitle", .string), Property("notes", .string, isOptional: true),
                ])
        ]).with("Task", [[.string("a"), .string("x")], [.string("b"), .null]])
    }

    let folder = TemporaryFolder()
    var path: String { folder.file("notes.realm") }
    var kept: String { folder.file("notes.before-v1.realm") }

    private func bytes(_ path: String) -> Data? { FileManager.default.contents(atPath: path) }
    private func names() -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()
    }
    private func migrate(to target: UInt64? = nil) throws -> MigrationReport {
        var options = Migrator.Options()
        options.target = target
        return try Migrator(Self.plan).migrate(storeAt: path, options: options)
    }

    @Test func theOriginalIsKeptAndUndoGivesItsVeryBytes() throws {
        try Self.store().write(path)
        let before = bytes(path)
        let migrator = Migrator(Self.plan)
        #expect(try migrator.needsMigration(storeAt: path))
        let report = try migrate(to: 2)
        #expect(report.isWritten && report.original == KeptFile.resolved(kept))
        #expect(bytes(kept) == before)
        #expect(try ReadStore(path).schema.version == 2)
        #expect(try migrator.needsMigration(storeAt: path))
        #expect(try !migrator.needsMigration(storeAt: path, to: 2))
        let journal = try Migrator.journal(ofStoreAt: path)
        #expect(journal.entries.map(\.state) == [.done])
        #expect(journal.entries.first?.planHash == Self.plan.hash)
        try Migrator.undo(storeAt: path)
        #expect(bytes(path) == before)
        #expect(!names().contains("notes.before-v1.realm"))
        #expect(try Migrator.journal(ofStoreAt: path).entries.map(\.state) == [.undone])
        #expect(throws: FormatError(.missingValue, "")) { try Migrator.undo(storeAt: path) }
        // And again from the start.
        #expect(try migrate(to: 2).isWritten)
    }

    @Test func twoMigrationsAreUndoneOneAfterTheOther() throws {
        try Self.store().write(path)
        let first = bytes(path)
        _ = try migrate(to: 2)
        let second = bytes(path)
        let report = try migrate()
        #expect(report.rejected == 1 && report.isWritten)
        try Migrator.undo(storeAt: path)
        #expect(bytes(path) == second)
        try Migrator.undo(storeAt: path)
        #expect(bytes(path) == first)
    }

    @Test func undoRefusesAStoreThatChangedSince() throws {
        try Self.store().write(path)
        let before = bytes(path)
        _ = try migrate(to: 2)
        var changed = SmallStore(
            [
                ClassSchema(
                    "Task",
                    properties: [
                        Property("title", .string), Property("notes", .string, isOptional: true),
                        Property("priority", .int),
                    ])
            ], version: 2
        ).with(
            "Task", [[.string("a"), .string("x"), .int(1)], [.string("b"), .null, .int(1)]])
        // The same rows in another file are no change.
        try changed.write(path)
        let last = try #require(changed.rows.indices.last)
        try Migrator.undo(storeAt: path)
        #expect(bytes(path) == before)
        _ = try migrate(to: 2)
        changed.rows[last].values[0] = .string("new")
        try changed.write(path)
        #expect(throws: FormatError(.strictLoss, "")) { try Migrator.undo(storeAt: path) }
        var options = Migrator.Options()
        options.force = true
        try Migrator.undo(storeAt: path, options: options)
        #expect(bytes(path) == before)
    }

    @Test func nothingIsWrittenWhereADecisionIsMissing() throws {
        try Self.store().write(path)
        let before = bytes(path)
        let plan = MigrationPlan("strict") {
            MigrationStep(from: 1, to: 2) { MakeRequired("Task.notes") }
        }
        #expect(throws: FormatError(.missingValue, "")) {
            try Migrator(plan).migrate(storeAt: path)
        }
        #expect(bytes(path) == before)
        #expect(names() == ["notes.realm", "notes.realm.lock"])
    }

    @Test func anOriginalThatIsKeptIsNeverReplaced() throws {
        try Self.store().write(path)
        let before = bytes(path)
        try Data("precious".utf8).write(to: URL(fileURLWithPath: kept))
        #expect(throws: FormatError(.exists, "")) { try migrate() }
        #expect(bytes(path) == before && bytes(kept) == Data("precious".utf8))
    }

    @Test func discardingNeedsAStoreThatIsSound() throws {
        try Self.store().write(path)
        _ = try migrate(to: 2)
        let good = try #require(bytes(path))
        var bad = good
        bad[good.count / 2] ^= 0xFF
        for i in stride(from: 24, to: good.count, by: 3) { bad[i] ^= 0x55 }
        try bad.write(to: URL(fileURLWithPath: path))
        #expect(throws: FormatError.self) { try Migrator.discardOriginal(storeAt: path) }
        #expect(bytes(kept) != nil)
        try good.write(to: URL(fileURLWithPath: path))
        try Migrator.discardOriginal(storeAt: path)
        #expect(bytes(kept) == nil)
        #expect(try Migrator.journal(ofStoreAt: path).entries.map(\.state) == [.discarded])
        #expect(throws: FormatError(.missingValue, "")) { try Migrator.undo(storeAt: path) }
    }

    @Test func rowsThatAreKeptOutGoToAPairOfFiles() throws {
        try Self.store().write(path)
        var options = Migrator.Options()
        options.rejects = folder.file("out.ndjson")
        _ = try Migrator(Self.plan).migrate(storeAt: path, options: options)
        let data = String(decoding: bytes(folder.file("out.ndjson")) ?? Data(), as: UTF8.self)
        #expect(data == "{\"$key\":1,\"title\":\"b\",\"notes\":null,\"priority\":1}\n")
        let reasons = String(
            decoding: bytes(folder.file("out.ndjson.reasons")) ?? Data(), as: UTF8.self)
        #expect(reasons.hasPrefix("Task #1: notes: ") && reasons.contains("require Task.notes"))
    }

    @Test func strictRefusesRowsKeptOutAndLeavesTheStore() throws {
        try Self.store().write(path)
        let before = bytes(path)
        var options = Migrator.Options()
        options.strict = true
        #expect(throws: FormatError(.strictLoss, "")) {
            try Migrator(Self.plan).migrate(storeAt: path, options: options)
        }
        #expect(bytes(path) == before)
        #expect(names() == ["notes.realm", "notes.realm.lock"])
    }

    @Test func aStoreOfTheTargetVersionIsLeftAlone() throws {
        try Self.store().write(path)
        _ = try migrate()
        let bytes = bytes(path)
        let report = try migrate()
        #expect(report.isUpToDate && !report.isWritten && self.bytes(path) == bytes)
    }

    @Test func aStoreThatIsOpenElsewhereIsRefused() throws {
        try Self.store().write(path)
        let lock = try StoreLock(forWriting: path)
        #expect(throws: FormatError(.held, "")) { try migrate() }
        lock.release()
        #expect(try migrate().isWritten)
    }

    @Test func anEncryptedStoreStaysEncrypted() throws {
        let key = [UInt8](repeating: 7, count: 64)
        try Self.store().write(path)
        var options = Migrator.Options()
        options.outputKey = key
        _ = try Migrator(Self.plan).migrate(
            storeAt: path, to: folder.file("secret.realm"),
            options: {
                options.target = 2
                return options
            }())
        options.outputKey = nil
        options.key = key
        options.target = nil
        _ = try Migrator(Self.plan).migrate(
            storeAt: folder.file("secret.realm"), options: options)
        #expect(throws: FormatError(.encrypted, "")) {
            try Store.open(folder.file("secret.realm"))
        }
        _ = try Store.open(folder.file("secret.realm"), options: StoreOptions(key: key))
        try Migrator.undo(storeAt: folder.file("secret.realm"), options: options)
    }

    /// A journal whose run was interrupted before the new store took its name.
    @Test func aRunThatWasInterruptedLeavesNoTrace() throws {
        try Self.store().write(path)
        let before = bytes(path)
        _ = try migrate(to: 2)
        let journal = try Migrator.journal(ofStoreAt: path).path
        let text = String(decoding: bytes(journal) ?? Data(), as: UTF8.self)
        try Migrator.undo(storeAt: path)
        try text.replacingOccurrences(of: "\"done\"", with: "\"begun\"")
            .write(toFile: journal, atomically: true, encoding: .utf8)
        try FileManager.default.linkItem(atPath: path, toPath: kept)
        #expect(try Migrator.journal(ofStoreAt: path).entries.isEmpty)
        #expect(throws: FormatError(.missingValue, "")) { try Migrator.undo(storeAt: path) }
        #expect(bytes(path) == before)
        #expect(try migrate(to: 2).isWritten)
        #expect(bytes(kept) == before)
    }
}

@Suite("What a killed run leaves") struct LeftoverTests {
    /// The number of a process that is no more.
    private func deadProcess() throws -> Int32 {
        try ChildProcess("/bin/sh", ["-c", "exit 0"]).processIdentifier
    }

    @Test func theNextRunRemovesItAndNothingElse() throws {
        let folder = TemporaryFolder()
        let path = folder.file("notes.realm")
        try InPlaceTests.store().write(path)
        let dead = try deadProcess()
        let own = ProcessInfo.processInfo.processIdentifier
        let left = ".notes.realm.rtool-\(dead)-0"
        let held = ".notes.realm.rtool-\(dead)-1"
        let kept = [
            held, ".notes.realm.rtool-\(own)-7", ".notes.realm.rtool-0\(dead)-0",
            ".notes.realm.rtool-\(dead)-0.bak", ".notes.realm.rtool-\(dead)",
            ".notes.realm.rtool--1-0",
            ".other.realm.rtool-\(dead)-0", "notes.realm.rtool-\(dead)-0",
        ]
        for name in kept + [left] {
            try Data("x".utf8).write(to: URL(fileURLWithPath: folder.file(name)))
        }
        let link = ".notes.realm.rtool-\(dead)-2"
        try FileManager.default.createSymbolicLink(
            atPath: folder.file(link), withDestinationPath: folder.file(kept[6]))
        let inner = ".notes.realm.rtool-\(dead)-3"
        try FileManager.default.createDirectory(
            atPath: folder.file(inner), withIntermediateDirectories: false)
        // Somebody whom the process numbers of this machine do not tell of.
        let holder = System.openForReading(folder.file(held))
        #expect(System.lock(holder, exclusive: true))
        defer { System.close(holder) }
        #expect(try Migrator(InPlaceTests.plan).migrate(storeAt: path).isWritten)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(!names.contains(left))
        for name in kept + [link, inner] { #expect(names.contains(name), "\(name)") }
    }
}

@Suite("Plans and their schema") struct PlanSchemaTests {
    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("samples/plans").path

    private func json(_ name: String) throws -> JSONTree {
        try JSONTree.parse(InputBytes.open(Self.folder + "/" + name))
    }

    /// The kinds of changes and the definitions an editor completes are the same.
    @Test func theSchemaKnowsEveryChange() throws {
        let definitions = try #require(try json("rtool-plan.schema.json")["$defs"])
        let kinds = definitions["change"]?["oneOf"]?.array?.compactMap {
            $0["$ref"]?.string?.split(separator: "/").last.map(String.init)
        }
        #expect(Set(kinds ?? []) == Set(ChangeTable.kinds.keys))
        for kind in kinds ?? [] {
            let required = definitions[kind]?["required"]?.array?.compactMap(\.string)
            #expect(required?.first == kind, "\(kind)")
        }
    }

    /// Every member the schema names is a member the reader asks for.
    @Test func theReaderKnowsEveryMemberOfTheSchema() throws {
        let definitions = try #require(try json("rtool-plan.schema.json")["$defs"])
        for (name, kind) in ChangeTable.kinds {
            for (member, _) in definitions[name]?["properties"]?.members ?? [] {
                guard member != name, member != "note" else { continue }
                var members = try PlanMembers(
                    JSONTree(
                        .object([(name, JSONTree(.string("A.b"))), (member, JSONTree(.null))])),
                    name)
                let subject = try members.need(name)
                do {
                    _ = try kind.init(subject, &members)
                } catch { continue }
                #expect(throws: Never.self, "\(name) \(member)") { try members.finish() }
            }
        }
    }

    @Test func everySamplePlanIsOneAndKeepsToTheSchema() throws {
        let definitions = try #require(try json("rtool-plan.schema.json")["$defs"])
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder)
            .filter { $0.hasSuffix(".plan.json") }
        #expect(names.count >= 4)
        for name in names {
            let plan = try MigrationPlan.load(Self.folder + "/" + name)
            #expect(!plan.steps.isEmpty)
            for step in try json(name)["steps"]?.array ?? [] {
                for change in step["changes"]?.array ?? [] {
                    let kind = try #require(change.members?.first?.name)
                    let known = Set(
                        definitions[kind]?["properties"]?.members?.map(\.name) ?? [])
                    let used = Set(change.members?.map(\.name) ?? [])
                    #expect(used.isSubset(of: known), "\(name): \(used.subtracting(known))")
                }
            }
        }
    }

    /// A constant is written whole, however many rows it goes to.
    @Test func aConstantFillsManyRows() throws {
        let text = String(repeating: "constant ", count: 9)
        let store = SmallStore([ClassSchema("Task", properties: [Property("n", .int)])])
            .with("Task", (0..<3000).map { [.int(Int64($0))] })
        let outcome = try migrate(
            store, "[{\"addProperty\": \"Task.t\", \"type\": \"string\", \"value\": \"\(text)\"}]")
        #expect(outcome.store?.rows("Task").allSatisfy { $0[1] == .string(text) } == true)
    }
}
