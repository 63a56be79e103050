import Testing

@testable import Formats
@testable import Migrator

@Suite("Names, additions and removals") struct PropertyTests {
    static let tasks = SmallStore([
        ClassSchema(
            "Task",
            properties: [
                Property("taskTitle", .string, isIndexed: true), Property("a", .int),
                Property("b", .int),
                Property("next", .link, isOptional: true, target: "Task"),
            ])
    ]).with(
        "Task", first: 3,
        [
            [.string("one"), .int(1), .int(10), .link("Task", 4)],
            [.string("zwei ü"), .int(2), .int(20), .null],
        ])

    @Test func aRenamedPropertyKeepsItsColumnItsIndexAndItsLinks() throws {
        let outcome = try migrate(
            Self.tasks, #"[{"renameProperty": "Task.taskTitle", "to": "title"}]"#)
        let store = try #require(outcome.store)
        let task = try #require(store.definition("Task"))
        #expect(task.properties.map(\.name) == ["title", "a", "b", "next"])
        #expect(task.properties[0].isIndexed)
        #expect(store.rows("Task").map { $0[0] } == [.string("one"), .string("zwei ü")])
        #expect(store.rows("Task")[0][3] == .link("Task", 4))
        #expect(store.keys("Task") == [3, 4])
        #expect(store.schema.version == 99)
        #expect(outcome.report.classes[0].unchangedColumns == 4)
    }

    @Test func renamesSideBySideHoldAtOnce() throws {
        let outcome = try migrate(
            Self.tasks,
            #"[{"renameProperty": "Task.a", "to": "b"}, {"renameProperty": "Task.b", "to": "a"}]"#)
        let store = try #require(outcome.store)
        #expect(
            store.definition("Task")?.properties.map(\.name) == ["taskTitle", "b", "a", "next"])
        #expect(store.rows("Task")[0][1] == .int(1))
    }

    @Test func addedPropertiesHaveTheirValueAndDroppedOnesAreCounted() throws {
        let outcome = try migrate(
            Self.tasks,
            #"""
            [{"addProperty": "Task.prio", "type": "int", "value": 1},
             {"addProperty": "Task.note", "type": "string", "optional": true},
             {"addProperty": "Task.tags", "type": "string", "collection": "list"},
             {"addProperty": "Task.sum", "type": "int",
              "value": {"add": [{"property": "a"}, {"property": "b"}]}},
             {"dropProperty": "Task.a"}]
            """#)
        let store = try #require(outcome.store)
        #expect(
            store.rows("Task")[1].dropFirst() == [
                .int(20), .null, .int(1), .null, .list([]), .int(22),
            ])
        #expect(outcome.count(.lost, "property-dropped") == 2)
    }

    @Test(arguments: [
        (#"[{"renameProperty": "Task.taskTitel", "to": "x"}]"#, FormatErrorCode.unknownName),
        (#"[{"renameProperty": "Tusk.taskTitle", "to": "x"}]"#, .unknownName),
        (#"[{"renameProperty": "Task.a", "to": "b"}]"#, .schemaMismatch),
        (#"[{"addProperty": "Task.a", "type": "int", "value": 1}]"#, .schemaMismatch),
        (#"[{"addProperty": "Task.c", "type": "int"}]"#, .missingValue),
        (#"[{"addProperty": "Task.c", "type": "int", "value": "x"}]"#, .badValue),
        (#"[{"addProperty": "Task.c", "type": "intt"}]"#, .unknownName),
        (#"[{"addProperty": "Task.c", "tpye": "int"}]"#, .unknownName),
        (#"[{"renameProperty": "Task.a", "to": "x", "with": 1}]"#, .unknownName),
        (#"[{"renamProperty": "Task.a", "to": "x"}]"#, .unknownName),
    ])
    func slipsOfAPlanAreErrors(_ changes: String, _ code: FormatErrorCode) {
        #expect(throws: FormatError(code, "")) { try migrate(Self.tasks, changes) }
    }
}
