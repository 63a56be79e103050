import Testing

@testable import Formats

@Suite("Import with matching") struct ImporterTests {
    private static let schema = Schema(classes: [
        ClassSchema("Before", properties: [Property("x", .int)]),
        ClassSchema(
            "Person", primaryKey: "id",
            properties: [
                Property("id", .int), Property("name", .string),
                Property("phone", .string, isOptional: true),
                Property("tags", .string, collection: .list),
                Property("home", .link, isOptional: true, target: "Home"),
                Property("friend", .link, isOptional: true, target: "Person"),
                Property("friends", .link, collection: .list, target: "Person"),
                Property("any", .mixed, isOptional: true),
            ]),
        ClassSchema("Home", kind: .embedded, properties: [Property("city", .string)]),
        ClassSchema(
            "After", properties: [Property("p", .link, isOptional: true, target: "Person")]),
    ])

    private static func person(
        _ id: Int64, _ name: String, _ phone: String? = nil, tags: [String] = [],
        city: String? = nil, friend: Int64? = nil, friends: [Int64] = [], any: Value = .null
    ) -> [Value] {
        [
            .int(id), .string(name), phone.map(Value.string) ?? .null,
            .list(tags.map(Value.string)), city.map { .object([.string($0)]) } ?? .null,
            friend.map { .link("Person", $0) } ?? .null,
            .list(friends.map { .link("Person", $0) }), any,
        ]
    }

    private static let stored = [
        person(1, "Ann", "+49 171 1", tags: ["a"], city: "Bonn", friend: 20),
        person(2, "Bob", nil, friends: [10]), person(3, "Cid", "0049171/3"),
    ]

    struct Result {
        var rows: ReadRows
        var report: Report
        var importer: Importer
        var people: [[Value]] { rows.rows["Person"] ?? [] }
        var counts: [Int] { [report.written, report.merged, report.skipped, report.setAside] }
    }

    private func run(
        _ incoming: [[Value]], incomingKeys: [Int64]? = nil, into stored: [[Value]] = Self.stored,
        storedKeys: [Int64] = [10, 20, 30], _ change: (inout ImportOptions) -> Void = { _ in }
    ) throws -> Result {
        var options = ImportOptions()
        change(&options)
        let report = Report()
        let importer = try Importer(
            existing: Self.schema,
            open: { () throws(FormatError) in
                RowsReader(
                    Self.schema,
                    [
                        .init(classIndex: 0, rows: [[.int(7)]], keys: [5]),
                        .init(classIndex: 1, rows: stored, keys: storedKeys),
                        .init(classIndex: 3, rows: [[.link("Person", 20)]], keys: [0]),
                    ], batchRows: 2)
            },
            incoming: RowsReader(
                Self.schema, [.init(classIndex: 1, rows: incoming, keys: incomingKeys)]),
            options: options, context: ExchangeContext(report: report))
        return Result(
            rows: try ReadRows(importer.mergedReader()), report: report, importer: importer)
    }

    @Test func everythingElseOfTheStorePassesThrough() throws {
        let result = try run([Self.person(9, "New")])
        #expect(result.rows.rows["Before"] == [[.int(7)]])
        #expect(result.rows.rows["After"] == [[.link("Person", 20)]])
        #expect(result.people == Self.stored + [Self.person(9, "New")])
        #expect(result.rows.keys["Person"] == [10, 20, 30, 31])
        #expect(result.counts == [1, 0, 0, 0])
    }

    @Test func theSameRowsAgainChangeNothing() throws {
        let result = try run(Self.stored, incomingKeys: [10, 20, 30])
        #expect(result.people == Self.stored)
        #expect(result.counts == [0, 0, 3, 0])
    }

    @Test(arguments: OnMatch.allCases)
    func eachPolicyDoesWhatItSays(_ policy: OnMatch) throws {
        let changed = [Self.person(1, "Anna", nil, tags: ["b"]), Self.person(4, "Dan")]
        if policy == .fail {
            #expect(throws: FormatError(.duplicateKey, "")) {
                _ = try run(changed) { $0.onMatch = policy }
            }
            return
        }
        let result = try run(changed) { $0.onMatch = policy }
        var expected = Self.stored
        switch policy {
        case .update, .replace, .newest:
            expected[0] = changed[0]
            #expect(result.counts == [1, 1, 0, 0])
            #expect(result.people == expected + [changed[1]])
        case .skip:
            #expect(result.counts == [1, 0, 1, 0])
            #expect(result.people == expected + [changed[1]])
        case .keepBoth:
            #expect(result.counts == [2, 0, 0, 0])
            #expect(Array(result.people.prefix(4)) == expected + [changed[1]])
            var other = result.people[4]
            #expect(other[0] != .int(1))
            // The same import once more finds the row it kept.
            let again = try run(
                changed, into: result.people, storedKeys: [10, 20, 30, 31, 32]
            ) { $0.onMatch = policy }
            #expect(again.people == result.people)
            #expect(again.counts == [0, 0, 2, 0])
            other[0] = .int(1)
            #expect(other == changed[0])
        case .fail: break
        }
    }

    @Test func updateLeavesWhatTheSourceDoesNotHave() throws {
        let incoming = [Self.person(1, "Anna"), Self.person(5, "Eve", "x", tags: ["t"])]
        let update = try run(incoming) { $0.provided = ["id", "name"] }
        var expected = Self.stored
        expected[0][1] = .string("Anna")
        #expect(update.people == expected + [Self.person(5, "Eve")])
        let replace = try run(incoming) {
            $0.provided = ["id", "name"]
            $0.onMatch = .replace
        }
        expected[0] = Self.person(1, "Anna")
        #expect(replace.people == expected + [Self.person(5, "Eve")])
        #expect(replace.counts == [1, 1, 0, 0])
    }

    @Test func linksLeadToTheSameObjectsUnderTheirNewKeys() throws {
        let incoming = [
            Self.person(
                8, "Gus", friend: 2, friends: [0, 1, 99], any: .list([.link("Person", 1)])),
            Self.person(3, "Cid", "0049171/3"),
            Self.person(9, "Hal", friend: 0, any: .link("Person", 77)),
        ]
        let result = try run(incoming, incomingKeys: [0, 1, 2])
        #expect(
            Array(result.people.suffix(2)) == [
                Self.person(
                    8, "Gus", friend: 32, friends: [31, 30], any: .list([.link("Person", 30)])),
                Self.person(9, "Hal", friend: 31),
            ])
        #expect(result.counts == [2, 0, 1, 0])
    }

    @Test func rowsThatRepeatAKeyChangeTheRowBefore() throws {
        let incoming = [
            Self.person(1, "A1"), Self.person(7, "G1"), Self.person(1, "A2"),
            Self.person(7, "G2"), Self.person(7, "G2"),
        ]
        let result = try run(incoming)
        var expected = Self.stored
        expected[0] = Self.person(1, "A2")
        #expect(result.people == expected + [Self.person(7, "G2")])
        #expect(result.counts == [1, 3, 1, 0])
    }

    @Test func matchingByOtherThingsKeepsKeyAndIdentity() throws {
        let byPhone = try run([Self.person(70, "Cid Smith", "+49 (171) 3")]) {
            $0.match = ["phone"]
        }
        var expected = Self.stored
        expected[2] = Self.person(3, "Cid Smith", "+49 (171) 3")
        #expect(byPhone.people == expected)
        let byName = try run([Self.person(70, " bob", "5"), Self.person(71, "Zoe")]) {
            $0.match = ["name"]
        }
        expected = Self.stored
        expected[1] = Self.person(2, " bob", "5")
        #expect(byName.people == expected + [Self.person(71, "Zoe")])
        // An empty value is nobody's; a key that is taken is the same row even so.
        let empty = try run([Self.person(2, "Bill", nil)]) { $0.match = ["phone", "name+phone"] }
        expected = Self.stored
        expected[1] = Self.person(2, "Bill")
        #expect(empty.people == expected)
        #expect(throws: FormatError(.unknownName, "")) {
            _ = try run([]) { $0.match = ["email"] }
        }
    }

    @Test func rowsThatShareAValueEachTakeTheirOwn() throws {
        let twins = [Self.person(1, "Tim", "a"), Self.person(2, "Tim", "b")]
        let result = try run(
            [
                Self.person(11, "Tim", "c"), Self.person(12, "Tim", "d"),
                Self.person(13, "Tim", "e"),
            ],
            into: twins, storedKeys: [1, 2]
        ) { $0.match = ["name"] }
        // The third has nobody left and falls to the first.
        #expect(result.people == [Self.person(1, "Tim", "e"), Self.person(2, "Tim", "d")])
        #expect(result.report.items.contains { $0.code == "ambiguous-match" })
    }

    @Test func aMissingRequiredValueSetsTheRowAside() throws {
        var optional = Self.schema
        optional.classes[1].properties[1].isOptional = true
        let report = Report()
        var nameless = Self.person(1, "")
        nameless[1] = .null
        var second = nameless
        second[0] = .int(44)
        let importer = try Importer(
            existing: Self.schema,
            open: { () throws(FormatError) in
                RowsReader(Self.schema, [.init(classIndex: 1, rows: Self.stored, keys: [1, 2, 3])])
            },
            incoming: RowsReader(
                optional, [.init(classIndex: 1, rows: [nameless, second], keys: nil)]),
            options: ImportOptions(), context: ExchangeContext(report: report))
        #expect(try ReadRows(importer.mergedReader()).rows["Person"] == Self.stored)
        #expect(report.setAside == 2)
        #expect(report.items.first?.property == "name")
    }

    @Test func columnsFindPropertiesByNameAndType() throws {
        let incoming = Schema(classes: [
            ClassSchema(
                "Row",
                properties: [
                    Property("NAME", .string), Property("ID", .int), Property("tags", .int),
                    Property("phone number", .string, isOptional: true),
                ])
        ])
        let report = Report()
        var options = ImportOptions()
        options.targetClass = "Person"
        let importer = try Importer(
            existing: Self.schema,
            open: { () throws(FormatError) in
                RowsReader(Self.schema, [.init(classIndex: 1, rows: Self.stored, keys: [1, 2, 3])])
            },
            incoming: RowsReader(
                incoming, rows: [[.string("Max"), .int(2), .int(1), .string("9")]]),
            options: options, context: ExchangeContext(report: report))
        #expect(importer.choices == ["ID -> Person.id", "NAME -> Person.name"])
        let rows = try ReadRows(importer.mergedReader()).rows["Person"]
        #expect(rows?[1] == Self.person(2, "Max", friends: [10]))
        #expect(
            Set(report.items.filter { $0.kind == .lost }.compactMap(\.property)) == [
                "tags", "phone number",
            ])
        #expect(throws: FormatError(.unknownName, "")) {
            options.targetClass = "Persons"
            _ = try Importer(
                existing: Self.schema,
                open: { () throws(FormatError) in RowsReader(Self.schema, []) },
                incoming: RowsReader(incoming, []), options: options, context: ExchangeContext())
        }
    }

    @Test func classesThatTheStoreDoesNotHaveAreAdded() throws {
        let importer = try Importer(
            existing: Schema(version: 3, classes: [Self.schema.classes[0]]),
            open: { () throws(FormatError) in
                RowsReader(
                    Schema(classes: [Self.schema.classes[0]]), rows: [[.int(1)]], keys: [4])
            },
            incoming: RowsReader(
                Self.schema,
                [.init(classIndex: 1, rows: [Self.person(1, "A", city: "X", friend: 6)], keys: [6])]
            ),
            options: ImportOptions(), context: ExchangeContext())
        #expect(importer.schema.classes.map(\.name) == ["Before", "Person", "Home", "After"])
        #expect(importer.schema.version == 3)
        let rows = try ReadRows(importer.mergedReader())
        #expect(rows.rows["Before"] == [[.int(1)]])
        #expect(rows.rows["Person"] == [Self.person(1, "A", city: "X", friend: 0)])
    }

    @Test func aStoreThatChangesBetweenThePassesIsNoticed() throws {
        var calls = 0
        let importer = try Importer(
            existing: Self.schema,
            open: { () throws(FormatError) in
                calls += 1
                let rows = calls == 1 ? Self.stored : Array(Self.stored.prefix(2))
                return RowsReader(Self.schema, [.init(classIndex: 1, rows: rows, keys: nil)])
            },
            incoming: RowsReader(Self.schema, []), options: ImportOptions(),
            context: ExchangeContext())
        #expect(throws: FormatError(.changedWhileReading, "")) {
            _ = try ReadRows(importer.mergedReader())
        }
    }

    @Test func importAgreesWithItsObviousTwin() throws {
        var random = SeededGenerator(21)
        for _ in 0..<60 {
            func rows(_ count: Int, unique: Bool) -> [[Value]] {
                var ids: [Int64] = []
                while ids.count < count {
                    let id = Int64.random(in: 0...400, using: &random)
                    if !unique || !ids.contains(id) { ids.append(id) }
                }
                return ids.map { Self.person($0, String(Int.random(in: 0...3, using: &random))) }
            }
            let stored = rows(Int.random(in: 0...80, using: &random), unique: true)
            let incoming = rows(Int.random(in: 0...80, using: &random), unique: false)
            let policy: OnMatch = Bool.random(using: &random) ? .update : .skip
            let result = try run(
                incoming, into: stored, storedKeys: stored.indices.map { Int64($0) * 3 }
            ) { $0.onMatch = policy }
            var expected = stored
            var written = 0
            var merged = 0
            for row in incoming {
                if let at = expected.firstIndex(where: { $0[0] == row[0] }) {
                    if policy == .update, expected[at] != row {
                        expected[at] = row
                        merged += 1
                    }
                } else {
                    expected.append(row)
                    written += 1
                }
            }
            #expect(result.people == expected)
            #expect(result.counts == [written, merged, incoming.count - written - merged, 0])
        }
    }
}

@Suite("Import of contacts and to-dos") struct ContactImportTests {
    private static let schema = ContactClass.schema

    private static func contact(
        _ id: UInt32, uid: String?, name: String, emails: [String] = [], revision: String? = nil,
        productID: String? = nil, extras: [(String, String)] = []
    ) -> [Value] {
        let item: [Value] = [.int(0), .null, .null, .list([]), .null, .null, .list([]), .null]
        return schema.classes[0].properties.map { property in
            switch property.name {
            case "_id": .objectId(ObjectID(high: 1, low: id))
            case "uid": uid.map(Value.string) ?? .null
            case "formattedName": .string(name)
            case "productID": productID.map(Value.string) ?? .null
            case "emails": .list(emails.map { .object(item + [.string($0)]) })
            case "revision":
                revision.map { .object(item + [.null, .string($0)]) } ?? .null
            case "extras":
                .list(extras.map { .object(item + [.string($0.0), .string($0.1)]) })
            default: property.collection == nil ? .null : .list([])
            }
        }
    }

    private func run(
        _ incoming: [[Value]], into stored: [[Value]],
        _ change: (inout ImportOptions) -> Void = { _ in }
    ) throws -> (rows: [[Value]], counts: [Int]) {
        var options = ImportOptions()
        options.areKeysDerived = true
        change(&options)
        let report = Report()
        let importer = try Importer(
            existing: Self.schema,
            open: { () throws(FormatError) in RowsReader(Self.schema, rows: stored) },
            incoming: RowsReader(Self.schema, rows: incoming), options: options,
            context: ExchangeContext(report: report))
        let rows = try ReadRows(importer.mergedReader()).rows["Contact"] ?? []
        return (rows, [report.written, report.merged, report.skipped])
    }

    @Test func theUidDecidesBeforeADerivedKey() throws {
        let stored = [
            Self.contact(1, uid: "URN:UUID:Ab", name: "A"), Self.contact(2, uid: nil, name: "B"),
        ]
        let result = try run(
            [Self.contact(9, uid: "ab", name: "A2"), Self.contact(2, uid: nil, name: "B")],
            into: stored)
        // The UID stays as it is known.
        #expect(result.rows == [Self.contact(1, uid: "URN:UUID:Ab", name: "A2"), stored[1]])
        #expect(result.counts == [0, 1, 1])
    }

    @Test func aNewSaveOfTheSameContentIsNoChange() throws {
        let stored = [
            Self.contact(
                1, uid: "a", name: "A", revision: "2020", productID: "x",
                extras: [("REV", "2020"), ("X-A", "1")])
        ]
        let same = Self.contact(
            1, uid: "a", name: "A", revision: "2024", productID: "y",
            extras: [("X-A", "1"), ("PRODID", "y")])
        #expect(try run([same], into: stored).rows == stored)
        let other = Self.contact(1, uid: "a", name: "A", revision: "2024", extras: [("X-A", "2")])
        #expect(try run([other], into: stored).rows == [other])
    }

    @Test func theNewestOfTwoIsKept() throws {
        let stored = [
            Self.contact(1, uid: "a", name: "A", revision: "2020-01-01T00:00:00Z"),
            Self.contact(2, uid: "b", name: "B", revision: "20240101T000000Z"),
        ]
        let incoming = [
            Self.contact(1, uid: "a", name: "A2", revision: "20210101T000000Z"),
            Self.contact(2, uid: "b", name: "B2", revision: "20210101T000000Z"),
        ]
        let result = try run(incoming, into: stored) { $0.onMatch = .newest }
        #expect(result.rows == [incoming[0], stored[1]])
        #expect(result.counts == [0, 1, 1])
    }

    @Test func anyAddressOfACardCanMatch() throws {
        let stored = [
            Self.contact(1, uid: "a", name: "Ann", emails: ["x@y.z", "Ann@Example.org"]),
            Self.contact(2, uid: "b", name: "Bob", emails: ["ann@example.org"]),
        ]
        let incoming = Self.contact(
            5, uid: "q", name: "bob", emails: ["n@n.n", "mailto:ANN@example.org "])
        let byBoth = try run([incoming], into: stored) { $0.match = ["name+email"] }
        var merged = incoming
        merged[0] = stored[1][0]
        #expect(byBoth.rows == [stored[0], merged])
        let byMail = try run([incoming], into: stored) { $0.match = ["email"] }
        // Of the two who have the address, the one of the same name.
        #expect(byMail.rows == [stored[0], merged])
    }

    @Test func instancesOfARecurringToDoAreNotMixedUp() throws {
        let item: [Value] = [.int(0), .null, .null, .list([]), .null, .null, .list([]), .null]
        func todo(_ id: UInt32, _ recurrence: String?, _ title: String) -> [Value] {
            TodoClass.schema.classes[0].properties.map { property in
                switch property.name {
                case "_id": .objectId(ObjectID(high: 0, low: id))
                case "uid": .string("u")
                case "title": .string(title)
                case "recurrenceID":
                    recurrence.map { .object(item + [.string($0), .null, .null]) } ?? .null
                default: property.collection == nil ? .null : .list([])
                }
            }
        }
        let stored = [todo(1, "20240102", "second"), todo(2, nil, "all")]
        let report = Report()
        let importer = try Importer(
            existing: TodoClass.schema,
            open: { () throws(FormatError) in RowsReader(TodoClass.schema, rows: stored) },
            incoming: RowsReader(
                TodoClass.schema,
                rows: [todo(8, nil, "ALL"), todo(9, "20240103", "third")]),
            options: ImportOptions(), context: ExchangeContext(report: report))
        let rows = try ReadRows(importer.mergedReader()).rows["TodoItem"]
        #expect(rows == [stored[0], todo(2, nil, "ALL"), todo(9, "20240103", "third")])
    }
}

@Suite("Import of rows without a key") struct KeylessImportTests {
    private static let schema = Schema(classes: [
        ClassSchema(
            "Task",
            properties: [
                Property("title", .string), Property("done", .bool),
                Property("tags", .string, collection: .list),
            ])
    ])

    private static func row(_ title: String, _ done: Bool = false, _ tags: String...) -> [Value] {
        [.string(title), .bool(done), .list(tags.map(Value.string))]
    }

    @Test func rowsAreRecognisedByTheirContentEachOnce() throws {
        let stored = [Self.row("a"), Self.row("b", true, "x"), Self.row("a")]
        let incoming = [
            Self.row("a"), Self.row("a"), Self.row("a"), Self.row("b", true, "y"),
            Self.row("b", true, "x"),
        ]
        func run(_ incoming: [[Value]], _ stored: [[Value]]) throws -> ([[Value]], Report) {
            let report = Report()
            let importer = try Importer(
                existing: Self.schema,
                open: { () throws(FormatError) in RowsReader(Self.schema, rows: stored) },
                incoming: RowsReader(Self.schema, rows: incoming), options: ImportOptions(),
                context: ExchangeContext(report: report))
            return (try ReadRows(importer.mergedReader()).rows["Task"] ?? [], report)
        }
        let (rows, report) = try run(incoming, stored)
        #expect(rows == stored + [Self.row("a"), Self.row("b", true, "y")])
        #expect([report.written, report.merged, report.skipped] == [2, 0, 3])
        let (again, second) = try run(incoming, rows)
        #expect(again == rows)
        #expect(second.skipped == 5)
    }
}
