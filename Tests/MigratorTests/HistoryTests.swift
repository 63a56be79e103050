// The six schema versions of one store, as Realm's own examples have them: from every version to
// the last, at once and step by step; and stores of every file format carried over whole.

import Foundation
import TestSupport
import Testing

@testable import Formats
@testable import Migrator

@Suite("Histories of schema versions") struct HistoryTests {
    /// The plan of the six versions.
    static let plan = MigrationPlan("people and pets") {
        MigrationStep(
            from: 0, to: 1, summary: "one name",
            expect: [.count("Person", .rowsBefore("Person"))]
        ) {
            MergeProperties(["Person.firstName", "Person.lastName"], into: "fullName")
        }
        MigrationStep(from: 1, to: 2, summary: "dogs") {
            AddClass(ClassSchema("Dog", properties: [Property("name", .string)]))
            AddProperty("Person.dogs", .link, collection: .list, target: "Dog")
        }
        MigrationStep(from: 2, to: 3, summary: "dogs are pets") {
            RenameClass("Dog", to: "Pet")
            AddProperty("Pet.kind", .int, value: 1)
            RenameProperty("Person.dogs", to: "pets")
        }
        MigrationStep(from: 3, to: 4, summary: "addresses") {
            AddClass(
                ClassSchema(
                    "Address", properties: [Property("street", .string), Property("city", .string)]
                ))
            AddProperty("Person.address", .link, target: "Address")
        }
        MigrationStep(from: 4, to: 5, summary: "addresses stand in their rows") {
            Embed("Address", orphans: .fail)
        }
    }

    static let stores = Shared.files("corpus/realm/migration-templates", ".realm")

    /// Names of pets in place of links, so that stores of other object keys compare.
    static func people(_ store: ReadStore) -> [String] {
        let person = store.definition("Person")
        let pets = store.rows("Pet")
        let keys = store.keys("Pet")
        return store.rows("Person").map { row in
            var text = ""
            for name in ["fullName", "age", "address", "pets"] {
                guard let i = person?.index(of: name) else { continue }
                if case .list(let links) = row[i] {
                    for case .link(_, let key) in links {
                        let at = keys.firstIndex(of: key)
                        text += " " + (at.map { pets[$0][0].text() } ?? "?")
                    }
                } else {
                    text += " " + row[i].text()
                }
            }
            return text
        }
    }

    @Test(arguments: stores) func everyVersionBecomesTheLast(_ path: String) throws {
        let folder = TemporaryFolder()
        let source = try Store.open(path)
        let version = source.schema.version ?? 0
        let last = try #require(Self.stores.last)
        let wanted = try ReadStore(last)
        let result: ReadStore
        if version == 5 {
            let report = try MigrationRun(Self.plan, store: source).check()
            #expect(report.isUpToDate && report.findings.isEmpty)
            return
        }
        result = try #require(try migrate(path, Self.plan, in: folder).store)
        // Property by property, the schema of the last version.
        for definition in wanted.schema.classes {
            let own = try #require(result.definition(definition.name))
            #expect(own.kind == definition.kind && own.primaryKey == definition.primaryKey)
            for property in definition.properties {
                let other = own.properties.first { $0.name == property.name }
                #expect(other == property)
            }
            #expect(own.properties.count == definition.properties.count)
        }
        let names = Self.people(wanted).map { $0.split(separator: " ").prefix(3).joined() }
        #expect(Self.people(result).map { $0.split(separator: " ").prefix(3).joined() } == names)
        if version >= 2 {
            // Who keeps which pets is known from version 2 on, addresses from 4 on.
            func pets(_ store: ReadStore) -> [String] {
                Self.people(store).map {
                    $0.replacingOccurrences(
                        of: #"\(.*\)|null"#, with: "", options: .regularExpression)
                }
            }
            #expect(pets(result) == pets(wanted))
            #expect(
                Set(result.rows("Pet").map { "\($0)" }) == Set(wanted.rows("Pet").map { "\($0)" }))
        }
        if version >= 4 { #expect(Self.people(result) == Self.people(wanted)) }
    }

    @Test(arguments: stores.dropLast()) func stepByStepEqualsAtOnce(_ path: String) throws {
        let folder = TemporaryFolder()
        let once = folder.file("once.realm")
        let report = try MigrationRun(Self.plan, store: Store.open(path)).write(to: once)
        #expect(report.isWritten)
        var current = path
        var version = try Store.open(path).schema.version ?? 0
        while version < 5 {
            var run = MigrationRun(Self.plan, store: try Store.open(current))
            run.target = version + 1
            current = folder.file("step-\(version).realm")
            #expect(try run.write(to: current).isWritten)
            version += 1
            #expect(try Store.open(current).schema.version == version)
        }
        let difference = try StoreDifference(
            { () throws(FormatError) in try Store.open(once).makeReader() },
            { () throws(FormatError) in try Store.open(current).makeReader() })
        #expect(difference.isEmpty, "\(difference.items)")
    }

    @Test func storesOutsideThePlanAreRefused() throws {
        let folder = TemporaryFolder()
        let path = folder.file("s.realm")
        let store = SmallStore([ClassSchema("T", properties: [p("a", .int)])], version: 7)
        try store.write(path)
        var plan = MigrationPlan(
            "p", steps: [MigrationStep(from: 8, to: 9, changes: [])])
        func code(_ target: UInt64? = nil) -> FormatErrorCode? {
            do throws(FormatError) {
                var run = MigrationRun(plan, store: try Store.open(path))
                run.target = target
                _ = try run.check()
                return nil
            } catch { return error.code }
        }
        #expect(code() == .unsupportedVersion)
        plan = MigrationPlan("p", steps: [MigrationStep(from: 2, to: 6, changes: [])])
        #expect(code() == .unsupportedVersion)
        plan = MigrationPlan("p", steps: [MigrationStep(from: 6, to: 8, changes: [])])
        #expect(code() == .unsupportedVersion)
        plan = MigrationPlan("p", steps: [MigrationStep(from: 7, to: 8, changes: [])])
        #expect(code() == nil)
        #expect(code(9) == .unsupportedVersion)
        #expect(code(7) == nil)
    }

    /// Stores that hold more than old files can be rebuilt from are told by their writer.
    static let everyFormat = Shared.files("corpus/realm", ".realm", deep: true)

    @Test(arguments: everyFormat) func storesOfEveryFormatAreCarriedOverWhole(_ path: String) throws
    {
        guard let store = try? Store.open(path), store.facts.broken.isEmpty,
            !store.facts.isTruncated, store.facts.fileSize < 2 << 20
        else { return }
        // What a plain conversion refuses or sets aside is not this room's to carry.
        let folder = TemporaryFolder()
        let plain = ExchangeContext()
        var conversion = Conversion(from: path, to: folder.file("plain.realm"), context: plain)
        conversion.to = "realm"
        do throws(FormatError) { try conversion.run() } catch { return }
        guard plain.report.setAside == 0 else { return }
        let version = store.schema.version == .max ? 0 : store.schema.version ?? 0
        guard version < .max - 1 else { return }
        let plan = MigrationPlan(
            "version only", steps: [MigrationStep(from: version, to: version + 1, changes: [])])
        let report = try MigrationRun(plan, store: store).write(to: folder.file("new.realm"))
        #expect(report.isWritten && report.findings.isEmpty)
        let difference = try StoreDifference(
            { () throws(FormatError) in try Store.open(folder.file("plain.realm")).makeReader() },
            { () throws(FormatError) in try Store.open(folder.file("new.realm")).makeReader() })
        #expect(difference.items.allSatisfy { $0.property == "schema version" })
        #expect(difference.counts.allSatisfy { $0.changed + $0.removed + $0.added == 0 })
    }
}
