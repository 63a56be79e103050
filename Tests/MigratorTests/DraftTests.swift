import Foundation
import Testing

@testable import Formats
@testable import Migrator

@Suite("Drafts") struct DraftTests {
    /// Answers every question, also those inside answers.
    static func answered(_ json: PlanJSON, _ choose: ([String]) -> String) -> PlanJSON {
        switch json {
        case .array(let list): return .array(list.map { answered($0, choose) })
        case .object(var members):
            members = members.map { .init($0.name, answered($0.value, choose)) }
            if members.first?.name == "ask" {
                let options = members.first { $0.name == "options" }?.value
                var answers: [String] = []
                if case .array(let list)? = options {
                    for case .object(let option) in list {
                        if case .string(let answer)? = option.first(where: { $0.name == "answer" })?
                            .value
                        {
                            answers.append(answer)
                        }
                    }
                }
                if !answers.isEmpty { members.append(.init("answer", .string(choose(answers)))) }
            }
            return .object(members)
        default: return json
        }
    }

    /// A schema without what a draft says nothing of: order, counts, versions.
    static func normal(_ schema: Schema) -> [ClassSchema] {
        schema.classes.map { definition in
            var copy = definition
            copy.properties.sort { $0.name < $1.name }
            for i in copy.properties.indices
            where copy.primaryKey == copy.properties[i].name {
                copy.properties[i].isIndexed = false
            }
            copy.count = nil
            return copy
        }.sorted { $0.name < $1.name }
    }

    private func plan(_ json: PlanJSON) throws -> MigrationPlan {
        try MigrationPlan(json: Array(json.text.utf8))
    }

    private let person = ClassSchema(
        "Person",
        properties: [
            Property("taskTitle", .string), Property("age", .int),
            Property("notes", .string, isOptional: true), Property("gone", .bool),
        ])

    @Test func aRenameIsAskedAndNeverAssumed() throws {
        let new = ClassSchema(
            "Person",
            properties: [
                Property("title", .string), Property("age", .double),
                Property("notes", .string), Property("added", .date, isOptional: true),
            ])
        let draft = try PlanDraft(
            from: Schema(version: 3, classes: [person]), to: Schema(version: 7, classes: [new]))
        #expect(draft.from == 3 && draft.to == 7)
        #expect(
            draft.items.map { "\($0.mark.rawValue) \($0.subject)" } == [
                "needs a decision Person.age", "needs a decision Person.notes",
                "needs a decision Person.taskTitle", "safe Person.added",
                "loses data Person.gone",
            ])
        // A check names every question, and nothing is written while one is open.
        let store = SmallStore([person], version: 3)
            .with("Person", [[.string("a"), .int(1), .null, .bool(true)]])
        let folder = TemporaryFolder()
        try store.write(folder.file("s.realm"))
        let open = try plan(draft.json)
        let report = try Migrator(open).check(storeAt: folder.file("s.realm"))
        #expect(
            report.findings.filter { $0.code == "open-question" }.map(\.property) == [
                "age", "notes", "taskTitle",
            ])
        #expect(throws: FormatError(.missingValue, "")) {
            try Migrator(open).migrate(storeAt: folder.file("s.realm"))
        }
        let closed = try plan(Self.answered(draft.json) { $0[0] })
        #expect(closed.lines.contains("  rename Person.taskTitle -> title"))
        #expect(!closed.lines.joined().contains("ask "))
    }

    @Test func anAnswerThatIsNoneIsRefused() throws {
        let new = ClassSchema("Person", properties: [Property("title", .string)])
        let draft = try PlanDraft(
            from: Schema(classes: [person]), to: Schema(classes: [new]))
        #expect(throws: FormatError(.unknownName, "")) {
            try plan(Self.answered(draft.json) { _ in "maybe" })
        }
    }

    @Test func aRenamedClassKeepsItsLinks() throws {
        let old = Schema(classes: [
            ClassSchema(
                "Owner", properties: [Property("dog", .link, isOptional: true, target: "Dog")]),
            ClassSchema("Dog", properties: [Property("name", .string), Property("age", .int)]),
        ])
        let new = Schema(classes: [
            ClassSchema(
                "Owner", properties: [Property("dog", .link, isOptional: true, target: "Pet")]),
            ClassSchema(
                "Pet",
                properties: [
                    Property("name", .string), Property("age", .int),
                    Property("kind", .string, isOptional: true),
                ]),
        ])
        let draft = try PlanDraft(from: old, to: new)
        #expect(draft.items.map(\.subject) == ["Dog"])
        for answer in ["rename", "drop and add"] {
            let plan = try plan(
                Self.answered(draft.json) { $0.contains(answer) ? answer : $0[0] })
            let result = try MigrationRun(plan, schema: old) { () throws(FormatError) in
                throw FormatError(.defect, "")
            }.outputSchema()
            #expect(Self.normal(result) == Self.normal(new), "\(plan.lines)")
        }
    }

    @Test func equalSchemasHaveNoDifference() throws {
        let schema = Schema(version: 4, classes: [person])
        let draft = try PlanDraft(from: schema, to: schema)
        #expect(draft.items.isEmpty && draft.to == 5)
        _ = try plan(draft.json)
    }

    @Test(arguments: 0..<300) func everyAnswerLeadsToTheNewSchema(_ seed: Int) throws {
        var random = Random(seed: UInt64(seed))
        let old = RandomSchema.make(&random)
        let new = RandomSchema.changed(old, &random)
        let draft = try PlanDraft(from: old, to: new)
        let subjects = draft.items.map { "\($0.subject) \($0.text)" }
        #expect(Set(subjects).count == subjects.count, "\(draft.lines)")
        for _ in 0..<4 {
            let json = Self.answered(draft.json) { $0[Int(random.next() % UInt64($0.count))] }
            let plan = try plan(json)
            let result = try MigrationRun(plan, schema: old) { () throws(FormatError) in
                throw FormatError(.defect, "")
            }.outputSchema()
            #expect(
                Self.normal(result) == Self.normal(new),
                "\(plan.lines.joined(separator: "\n"))\n\(old)\n\(new)")
        }
    }

    /// What a check foretells is what a run does, and undo gives the original back.
    @Test(arguments: 0..<60) func checksForetellRuns(_ seed: Int) throws {
        var random = Random(seed: UInt64(seed) + 1000)
        let old = RandomSchema.make(&random)
        let new = RandomSchema.changed(old, &random)
        let draft = try PlanDraft(from: old, to: new)
        let plan = try plan(
            Self.answered(draft.json) { $0[Int(random.next() % UInt64($0.count))] })
        var store = SmallStore(old.classes, version: old.version)
        RandomSchema.fill(&store, &random)
        let folder = TemporaryFolder()
        let path = folder.file("s.realm")
        try store.write(path)
        let before = FileManager.default.contents(atPath: path)
        let migrator = Migrator(plan)
        let checked = try migrator.check(storeAt: path)
        #expect(FileManager.default.contents(atPath: path) == before)
        if checked.needsDecision {
            #expect(throws: FormatError(.missingValue, "")) {
                try migrator.migrate(storeAt: path)
            }
        } else {
            let report = try migrator.migrate(storeAt: path)
            #expect(summary(report) == summary(checked))
            #expect(try Self.normal(Store.open(path).schema) == Self.normal(new))
            try Migrator.undo(storeAt: path)
        }
        #expect(FileManager.default.contents(atPath: path) == before)
    }
}

/// Numbers from a seed.
struct Random: RandomNumberGenerator {
    private var state: UInt64
    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1 }
    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state &* 0x2545_F491_4F6C_DD1D
    }
    mutating func below(_ n: Int) -> Int { Int(next() >> 33) % n }
    mutating func chance(_ percent: Int) -> Bool { below(100) < percent }
    mutating func pick<T>(_ list: [T]) -> T { list[below(list.count)] }
}

/// Schemas and rows from a seed.
enum RandomSchema {
    private static let names = [
        "title", "name", "age", "taskTitle", "done", "date", "x", "note_text",
    ]
    private static let types: [PropertyType] = [
        .int, .bool, .string, .data, .date, .double, .float, .decimal128, .objectId, .uuid, .mixed,
    ]

    static func make(_ random: inout Random) -> Schema {
        var classes = ["Person", "Dog", "Task"].prefix(1 + random.below(3)).map { name in
            ClassSchema(name, properties: [])
        }
        for i in classes.indices {
            for name in names where random.chance(45) {
                classes[i].properties.append(property(name, classes.map(\.name), &random))
            }
            if random.chance(40) {
                let type = random.pick([PropertyType.int, .string, .objectId, .uuid])
                classes[i].properties.append(Property("id", type))
                classes[i].primaryKey = "id"
            }
        }
        return Schema(version: UInt64(random.below(3)), classes: classes)
    }

    private static func property(_ name: String, _ targets: [String], _ random: inout Random)
        -> Property
    {
        if random.chance(20) {
            let isList = random.chance(50)
            return Property(
                name, .link, collection: isList ? .list : nil, isOptional: !isList,
                target: random.pick(targets))
        }
        let type = random.pick(types)
        var property = Property(name, type, isOptional: type == .mixed || random.chance(40))
        if random.chance(15) { property.collection = random.pick([.list, .set]) }
        if property.collection == nil, [.int, .string, .bool, .date].contains(type) {
            property.isIndexed = random.chance(20)
        }
        return property
    }

    /// A schema some edits later.
    static func changed(_ old: Schema, _ random: inout Random) -> Schema {
        var schema = old
        schema.version = (old.version ?? 0) + 1
        for _ in 0..<1 + random.below(5) {
            let c = random.below(schema.classes.count)
            let targets = schema.classes.map(\.name)
            switch random.below(10) {
            case 0:
                let name = random.pick(["People", "Pet", "Job", "Dogs"])
                guard schema.index(of: name) == nil else { continue }
                let before = schema.classes[c].name
                schema.classes[c].name = name
                schema.retarget([before], to: name)
            case 1:
                let name = random.pick(["Address", "Tag"])
                guard schema.index(of: name) == nil else { continue }
                schema.classes.append(
                    ClassSchema(
                        name,
                        properties: [
                            Property("street", .string),
                            Property("to", .link, isOptional: true, target: random.pick(targets)),
                        ]))
            case 2 where schema.classes.count > 1:
                let name = schema.classes[c].name
                schema.classes.remove(at: c)
                for i in schema.classes.indices {
                    schema.classes[i].properties.removeAll { $0.target == name }
                }
            case 3:
                let name = random.pick(names + ["fullTitle", "years"])
                guard schema.classes[c].index(of: name) == nil else { continue }
                schema.classes[c].properties.append(property(name, targets, &random))
            case 4:
                let key = schema.classes[c].primaryKey
                if random.chance(50), let key {
                    schema.classes[c].primaryKey = nil
                    if random.chance(50) {
                        schema.classes[c].properties.removeAll { $0.name == key }
                    }
                } else if key == nil, schema.classes[c].index(of: "_id") == nil {
                    let type = random.pick([PropertyType.objectId, .uuid, .string, .int])
                    schema.classes[c].properties.append(Property("_id", type))
                    schema.classes[c].primaryKey = "_id"
                }
            default:
                let free = schema.classes[c].properties.indices.filter {
                    schema.classes[c].properties[$0].name != schema.classes[c].primaryKey
                }
                guard !free.isEmpty else { continue }
                let p = random.pick(Array(free))
                switch random.below(4) {
                case 0: schema.classes[c].properties.remove(at: p)
                case 1:
                    let name = random.pick(names + ["caption", "when"])
                    guard schema.classes[c].index(of: name) == nil else { continue }
                    schema.classes[c].properties[p].name = name
                case 2:
                    let type = schema.classes[c].properties[p].type
                    guard type != .link, type != .mixed else { continue }
                    schema.classes[c].properties[p].isOptional.toggle()
                default:
                    let name = schema.classes[c].properties[p].name
                    schema.classes[c].properties[p] = property(name, targets, &random)
                }
            }
        }
        return schema
    }

    static func fill(_ store: inout SmallStore, _ random: inout Random) {
        let count = 5
        for definition in store.schema.classes {
            var rows: [[Value]] = []
            for i in 0..<count {
                rows.append(
                    definition.properties.map { property in
                        if property.name == definition.primaryKey {
                            return key(property.type, i)
                        }
                        switch property.collection {
                        case .list?:
                            let size = random.below(3)
                            return .list((0..<size).map { _ in element(property, count, &random) })
                        case .set?:
                            return .set(
                                random.chance(50) ? [] : [element(property, count, &random)])
                        default: return element(property, count, &random)
                        }
                    })
            }
            store = store.with(definition.name, rows)
        }
    }

    private static func key(_ type: PropertyType, _ i: Int) -> Value {
        switch type {
        case .int: .int(Int64(i))
        case .string: .string("key \(i)")
        case .objectId: .objectId(ObjectID(high: 7, low: UInt32(i)))
        default: .uuid(Formats.UUID(high: 7, low: UInt64(i)))
        }
    }

    private static func element(_ property: Property, _ rows: Int, _ random: inout Random) -> Value
    {
        if property.isOptional, random.chance(30) { return .null }
        switch property.type {
        case .int, .mixed: return .int(Int64(random.below(2000)) - 1000)
        case .bool: return .bool(random.chance(50))
        case .string: return .string(random.pick(["", "a", "12", "a,b", "2016-04-14 08:32"]))
        case .data: return .data([1, 2, 3])
        case .date: return .date(Timestamp(seconds: Int64(random.below(1 << 30)), nanoseconds: 5))
        case .double: return .double(Double(random.below(100)) / 4)
        case .float: return .float(Float(random.below(100)) / 4)
        case .decimal128:
            return .decimal128(
                Decimal128(low: UInt64(random.below(100)), high: 0x3040_0000_0000_0000))
        case .objectId: return key(.objectId, random.below(9))
        case .uuid: return key(.uuid, random.below(9))
        case .link: return .link(property.target ?? "", Int64(random.below(rows)))
        case .table: return .null
        }
    }
}
