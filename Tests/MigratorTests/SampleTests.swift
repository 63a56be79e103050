// The samples of plans: each store goes through its plan and must come out as the expected result
// beside it says. Stores of old file formats are what OldStore writes of the rows below; with
// RTOOL_WRITE_SAMPLES set they are written anew.

import Foundation
import Testing

@testable import Formats
@testable import Migrator

/// A store among the samples, the plan it goes through, and the document that must come of it.
struct Sample: CustomTestStringConvertible, Sendable {
    var store: String
    var plan: String
    var expected: String

    var testDescription: String { "\(store) by \(plan)" }
}

@Suite("Samples of plans") struct SampleTests {
    static let folder = PlanSchemaTests.folder + "/"

    static let samples = [
        Sample(store: "names.realm", plan: "names-to-mycontacts", expected: "names-to-mycontacts"),
        Sample(
            store: "realmtodo-format3.realm", plan: "realmtodo-to-todo",
            expected: "realmtodo-to-todo"),
        Sample(
            store: "realmtodo-format5.realm", plan: "realmtodo-to-todo",
            expected: "realmtodo-to-todo"),
        Sample(
            store: "realmtodo-format3.realm", plan: "realmtodo-to-taskmanager",
            expected: "realmtodo-to-taskmanager"),
        Sample(
            store: "realmtodo-format5.realm", plan: "realmtodo-to-taskmanager",
            expected: "realmtodo-to-taskmanager"),
        Sample(store: "people-v0.realm", plan: "people", expected: "people-v0"),
        Sample(store: "people-v2.realm", plan: "people", expected: "people-v2"),
        Sample(store: "people-v4.realm", plan: "people", expected: "people-v4"),
    ]

    // MARK: Stores

    /// The tasks of samples/realmtodo.json.
    static func tasks(fraction: Int32) -> SmallStore {
        SmallStore(
            [
                ClassSchema(
                    "Task",
                    properties: [
                        p("taskTitle", .string), p("taskDescription", .string, true),
                        p("done", .bool), p("date", .date),
                    ])
            ], version: 0
        ).with(
            "Task",
            [
                [
                    "Buy milk", "two litres, the blue carton", false,
                    date(1_460_622_777, fraction),
                ],
                ["Renew the passport", nil, true, date(1_456_848_300)],
                ["Book the ferry 🚢", "", false, date(1_462_172_400)],
                ["Return library books", "three of them", true, date(1_461_177_000)],
            ])
    }

    static let people0 = SmallStore(
        [
            ClassSchema(
                "Person",
                properties: [p("firstName", .string), p("lastName", .string), p("age", .int)])
        ], version: 0
    ).with("Person", [["John", "Doe", 42], ["Jane", "", 7], ["Cher", "", 70]])

    static let people2 = SmallStore(
        [
            ClassSchema("Dog", properties: [p("name", .string)]),
            ClassSchema(
                "Person",
                properties: [
                    p("fullName", .string), p("age", .int),
                    p("dogs", .link, false, .list, to: "Dog"),
                ]),
        ], version: 2
    ).with("Dog", [["Rex"], ["Fido"]]).with(
        "Person", [["John Doe", 42, [.link("Dog", 1), .link("Dog", 0)]], ["Jane", 7, []]])

    static let people4 = SmallStore(
        [
            ClassSchema("Address", properties: [p("street", .string), p("city", .string)]),
            ClassSchema(
                "Person",
                properties: [
                    p("fullName", .string), p("age", .int),
                    p("pets", .link, false, .list, to: "Pet"), p("address", .link, to: "Address"),
                ]),
            ClassSchema("Pet", properties: [p("name", .string), p("kind", .int)]),
        ], version: 4
    ).with("Address", [["Broadway", "New York"], ["Main Street", "Nowhere"]]).with(
        "Person",
        [
            ["John Doe", 42, [.link("Pet", 0)], .link("Address", 0)],
            ["Jane", 7, [], .link("Address", 0)], ["Cher", 70, [], nil],
        ]
    ).with("Pet", [["Rex", 1]])

    /// The stores of old file formats.
    static let old: [String: [UInt8]] = [
        "realmtodo-format3.realm": OldStore.bytes(tasks(fraction: 0), format: 3),
        "realmtodo-format5.realm": OldStore.bytes(tasks(fraction: 123_000_000), format: 5),
        "people-v0.realm": OldStore.bytes(people0, format: 5),
        "people-v2.realm": OldStore.bytes(people2, format: 9),
        "people-v4.realm": OldStore.bytes(people4, format: 9),
    ]

    @Test(arguments: old.keys.sorted()) func oldStoresAreAsTheyWereMade(_ name: String) throws {
        let url = URL(fileURLWithPath: Self.folder + name)
        let bytes = try #require(Self.old[name])
        if ProcessInfo.processInfo.environment["RTOOL_WRITE_SAMPLES"] != nil {
            try Data(bytes).write(to: url)
        }
        #expect(try Array(Data(contentsOf: url)) == bytes)
    }

    // MARK: Results

    @Test(arguments: samples) func aStoreBecomesWhatIsExpected(_ sample: Sample) throws {
        let folder = TemporaryFolder()
        let plan = try MigrationPlan.load(Self.folder + sample.plan + ".plan.json")
        let output = folder.file("new.realm")
        let report = try Migrator(plan).migrate(storeAt: Self.folder + sample.store, to: output)
        #expect(report.isWritten && report.to == plan.lastVersion)
        let document = folder.file("new.json")
        try Conversion(from: output, to: document, context: ExchangeContext()).run()
        let found = try String(contentsOfFile: document, encoding: .utf8)
        let expected = try String(
            contentsOfFile: Self.folder + "expected/" + sample.expected + ".json", encoding: .utf8)
        #expect(found == expected)
    }
}
