import Foundation
import Testing

@testable import Formats

/// Rows of the built-in classes, made from the few values a test cares for.
enum BuiltInRow {
    static let item: [Value] = [.int(0), .null, .null, .list([]), .null, .null, .list([]), .null]

    static func row(_ known: ClassSchema, _ values: [String: Value]) -> [Value] {
        known.properties.map { property in
            values[property.name]
                ?? (property.collection != nil
                    ? .list([])
                    : property.isOptional
                        ? .null : property.type == .objectId ? .objectId(id(0)) : .string(""))
        }
    }

    static func contact(_ values: [String: Value]) -> [Value] {
        row(ContactClass.schema.classes[0], values)
    }

    static func todo(_ values: [String: Value]) -> [Value] {
        row(TodoClass.schema.classes[0], values)
    }

    static func id(_ low: UInt32) -> ObjectID { ObjectID(high: 7, low: low) }

    /// Items of one text, the second part of each a preference.
    static func texts(_ values: [(String, Int64?)], more: [Value] = []) -> Value {
        .list(
            values.map { text, preference in
                var item = item
                item[4] = preference.map(Value.int) ?? .null
                return .object(item + [.string(text)] + more)
            })
    }

    static func texts(_ values: String...) -> Value { texts(values.map { ($0, nil) }) }

    static func date(_ local: String, _ tzid: String? = nil, zone: String? = nil) -> Value {
        .object(
            item + [
                .string(local), tzid.map(Value.string) ?? .null, zone.map(Value.string) ?? .null,
            ])
    }
}

@Suite("Maps of the small apps") struct AppMapTests {
    private func map(
        _ name: String, _ rows: [[Value]], extra: [String: String] = [:], zone: String? = nil
    ) throws -> (rows: [[Value]], report: Report) {
        var options = ExchangeOptions()
        options.extra = extra
        options.zone = zone
        let context = ExchangeContext(options: options)
        let map = try AppMap.named(name)
        let schema = map.source == .contacts ? ContactClass.schema : TodoClass.schema
        let reader = try map.reader(
            over: RowsReader(schema, rows: rows), context: context)
        let read = try ReadRows(reader)
        return (read.rows[map.target.classSchema.name] ?? [], context.report)
    }

    private func back(_ name: String, _ rows: [[Value]]) throws -> (
        rows: [[String: Value]], report: Report
    ) {
        let context = ExchangeContext()
        let map = try AppMap.named(name)
        let reader = try map.backReader(
            over: RowsReader(
                map.target.schema, [.init(classIndex: map.target.classIndex, rows: rows, keys: nil)]
            ),
            context: context)
        let read = try ReadRows(reader)
        let known = reader.schema.classes[0]
        let all = (read.rows[known.name] ?? []).map { row in
            Dictionary(uniqueKeysWithValues: zip(known.properties.map(\.name), row))
        }
        return (all, context.report)
    }

    @Test func theBuiltInMapsAreTheFilesInSamples() throws {
        #expect(AppMap.builtIn.map(\.name) == ["mycontacts", "taskmanager", "realmtodo", "dogs"])
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("samples/maps")
        for (name, text) in BuiltInMaps.named {
            let file = try String(
                contentsOf: folder.appendingPathComponent(name + ".json"), encoding: .utf8)
            #expect(file == text)
        }
    }

    // MARK: mycontacts

    @Test func aContactBecomesNamePhoneAndBuddyMark() throws {
        let (rows, report) = try map(
            "mycontacts",
            [
                BuiltInRow.contact([
                    "uid": .string("570f4b9d5a3c2e0001a1b2c3"), "formattedName": .string("Maja L"),
                    "formattedNames": BuiltInRow.texts("Maja L"),
                    "phones": BuiltInRow.texts(
                        [("1", nil), ("2", 1), ("3", 1)], more: [.null, .null]),
                    "categories": BuiltInRow.texts("choir", "BUDDY"),
                    "emails": BuiltInRow.texts("a@b.c", "d@e.f"),
                ]),
                BuiltInRow.contact([
                    "uid": .string("urn:uuid:x"), "categories": BuiltInRow.texts("Buddy2"),
                    "names": .list([
                        .object(
                            BuiltInRow.item + [
                                .string("Doe"), .string("Jane"), .list([.string("Q")]), .list([]),
                                .list([]), .list([]), .list([]), .null, .null, .null,
                            ])
                    ]),
                ]),
                BuiltInRow.contact(["emails": BuiltInRow.texts("only@mail.example")]),
            ])
        #expect(
            rows.map { Array($0.dropFirst()) } == [
                [.string("Maja L"), .string("2"), .bool(true)],
                [.string("Jane Q Doe"), .string(""), .bool(false)],
                [.string("only@mail.example"), .string(""), .bool(false)],
            ])
        #expect(rows[0][0] == .objectId(ObjectID(high: 0x570f_4b9d_5a3c_2e00, low: 0x01a1_b2c3)))
        #expect(Set(rows.map { "\($0[0])" }).count == 3)
        func count(_ code: String, _ property: String) -> Int? {
            report.items.first { $0.code == code && $0.property == property }?.count
        }
        #expect(count("no-phone", "phone") == 2)
        #expect(count("not-in-class", "phones") == 2)
        #expect(count("not-in-class", "emails") == 2)
        #expect(count("not-in-class", "categories") == 2)
        #expect(count("not-in-class", "names") == nil)
        #expect(count("uid-to-id", "uid") == 1)
    }

    @Test func anAppContactBecomesACardAgain() throws {
        let id = BuiltInRow.id(5)
        let (cards, report) = try back(
            "mycontacts",
            [
                [.objectId(id), .string("Ann"), .string("+1"), .bool(true)],
                [.objectId(BuiltInRow.id(6)), .string(""), .string(""), .bool(false)],
            ])
        #expect(cards[0]["_id"] == .objectId(id))
        #expect(cards[0]["uid"] == .string("000000000000000700000005"))
        #expect(cards[0]["formattedName"] == .string("Ann"))
        // Places beyond the head of a card: it never was one.
        var name = BuiltInRow.item
        name[0] = .int(8)
        #expect(cards[0]["formattedNames"] == .list([.object(name + [.string("Ann")])]))
        var phone = BuiltInRow.item
        phone[0] = .int(10)
        #expect(cards[0]["phones"] == .list([.object(phone + [.string("+1"), .null, .null])]))
        var category = BuiltInRow.item
        category[0] = .int(9)
        #expect(cards[0]["categories"] == .list([.object(category + [.string("Buddy")])]))
        #expect(cards[1]["phones"] == .list([]))
        #expect(report.items.isEmpty)
        // And the way there again.
        let known = ContactClass.schema.classes[0]
        let again = try map(
            "mycontacts", cards.map { card in known.properties.map { card[$0.name] ?? .null } })
        #expect(again.rows[0] == [.objectId(id), .string("Ann"), .string("+1"), .bool(true)])
    }

    @Test func theSameCardsGetTheSameIds() throws {
        let cards = [
            BuiltInRow.contact(["formattedName": .string("A")]),
            BuiltInRow.contact(["formattedName": .string("A")]),
            BuiltInRow.contact(["formattedName": .string("B"), "uid": .string("b")]),
            BuiltInRow.contact(["formattedName": .string("C"), "uid": .string("b")]),
        ]
        let first = try map("mycontacts", cards).rows.map { $0[0] }
        #expect(try map("mycontacts", cards).rows.map { $0[0] } == first)
        #expect(Set(first.map { "\($0)" }).count == 4)
    }

    // MARK: Tasks

    @Test func aToDoBecomesATaskOfTaskManager() throws {
        let done = BuiltInRow.todo(["title": .string("Old"), "status": .string("COMPLETED")])
        let rows = [
            BuiltInRow.todo([
                "title": .string("Call"), "categories": .list([.string("Work"), .string("x")]),
                "start": BuiltInRow.date("2026-03-01T09:30:00"),
                "due": BuiltInRow.date("2026-03-01T10:05:30"),
            ]),
            BuiltInRow.todo([
                "title": .string("Milk"), "due": BuiltInRow.date("2026-03-02"),
                "notes": .string("lost"),
            ]),
            BuiltInRow.todo([
                "start": BuiltInRow.date("2026-03-01T23:30:00", "UTC"),
                "duration": .string("PT1H15M"),
            ]), done,
        ]
        let (tasks, report) = try map("taskmanager", rows)
        #expect(
            tasks.map { Array($0.dropFirst()) } == [
                [.string("Call"), .string("Work"), .string("09:30"), .string("10:05")],
                [.string("Milk"), .string(""), .string("00:00"), .string("01:00")],
                [.string(""), .string(""), .string("23:30"), .string("00:45")],
            ])
        #expect(report.skipped == 1)
        let codes = Set(report.items.map { "\($0.code) \($0.property ?? "")" })
        #expect(
            codes.isSuperset(of: [
                "left-out done", "no-startTime startTime", "no-endTime endTime",
                "not-in-class notes", "not-in-class categories", "not-in-class due",
            ]))
        let all = try map("taskmanager", rows, extra: ["include-done": ""])
        #expect(all.rows.count == 4)
        #expect(all.report.skipped == 0)
    }

    @Test(.enabled(if: Formats.TimeZone.named("Europe/Berlin") != nil))
    func timesAreTakenInTheZoneAskedFor() throws {
        let rows = [
            BuiltInRow.todo([
                "start": BuiltInRow.date("2026-07-01T23:30:00", "UTC"),
                "due": BuiltInRow.date("2026-07-01T12:00:00", "X", zone: "America/New_York"),
            ]), BuiltInRow.todo(["start": BuiltInRow.date("2026-07-01T08:00:00")]),
        ]
        func times(_ zone: String?) throws -> [[Value]] {
            try map("taskmanager", rows, zone: zone).rows.map { Array($0.suffix(2)) }
        }
        #expect(
            try times("Europe/Berlin")
                == [
                    [.string("01:30"), .string("18:00")], [.string("08:00"), .string("01:00")],
                ])
        #expect(try times(nil)[0] == [.string("23:30"), .string("12:00")])
    }

    @Test func timesOfTaskManagerSurviveTheWayBack() throws {
        let task: [Value] = [
            .objectId(BuiltInRow.id(1)), .string("Water"), .string("Home"), .string("3:05 PM"),
            .string("16:00"),
        ]
        let (todos, _) = try back("taskmanager", [task])
        #expect(todos[0]["title"] == .string("Water"))
        #expect(todos[0]["categories"] == .list([.string("Home")]))
        let known = TodoClass.schema.classes[0]
        let again = try map(
            "taskmanager", todos.map { todo in known.properties.map { todo[$0.name] ?? .null } })
        var expected = task
        expected[3] = .string("15:05")
        #expect(again.rows == [expected])
    }

    @Test func aToDoBecomesATaskOfRealmToDoAndBack() throws {
        let (tasks, report) = try map(
            "realmtodo",
            [
                BuiltInRow.todo([
                    "title": .string("Buy milk"), "notes": .string("two"),
                    "modified": BuiltInRow.date("2016-04-14T08:32:57", "UTC"),
                    "stamp": BuiltInRow.date("2026-01-01T00:00:00", "UTC"),
                ]),
                BuiltInRow.todo([
                    "completed": BuiltInRow.date("2016-04-14T08:32:57", "UTC"),
                    "stamp": BuiltInRow.date("1970-01-01T00:00:07", "UTC"),
                ]),
                BuiltInRow.todo([
                    "status": .string("needs-action"), "percent": .int(100), "title": .string("x"),
                ]),
            ])
        #expect(
            tasks == [
                [
                    .string("Buy milk"), .string("two"), .bool(false),
                    .date(Timestamp(seconds: 1_460_622_777)),
                ],
                [.string(""), .null, .bool(true), .date(Timestamp(seconds: 7))],
                [.string("x"), .null, .bool(false), .date(Timestamp(seconds: 0))],
            ])
        #expect(report.items.contains { $0.code == "no-saved" && $0.count == 1 })
        let (todos, _) = try back("realmtodo", tasks)
        #expect(todos[0]["status"] == .string("NEEDS-ACTION"))
        #expect(todos[1]["status"] == .string("COMPLETED"))
        #expect(todos[1]["percent"] == .int(100))
        let known = TodoClass.schema.classes[0]
        let again = try map(
            "realmtodo", todos.map { todo in known.properties.map { todo[$0.name] ?? .null } })
        #expect(again.rows == tasks)
    }

    // MARK: Choosing

    @Test func theMapOfAStoreIsFoundByItsClass() throws {
        func fitting(_ name: String, _ content: Format.Content) -> String? {
            guard let map = AppMap.builtIn.first(where: { $0.name == name }) else { return nil }
            return AppMap.fitting(map.target.schema, className: nil, for: content)?.name
        }
        #expect(fitting("mycontacts", .contacts) == "mycontacts")
        #expect(fitting("mycontacts", .tasks) == nil)
        #expect(fitting("taskmanager", .tasks) == "taskmanager")
        #expect(fitting("realmtodo", .tasks) == "realmtodo")
        #expect(fitting("dogs", .contacts) == nil)
        #expect(throws: FormatError(.usage, "")) { _ = try AppMap.named("mycontact") }
        #expect(throws: FormatError(.cannotOpen, "")) { _ = try AppMap.named("./no-such.json") }
    }

    // MARK: Files

    private func parse(_ text: String) throws -> AppMap {
        try AppMapFile.parse(
            bytes(text) { InputBytes(name: "test.json", copying: $0) })
    }

    private func file(_ change: (inout String) -> Void) -> String {
        var text = BuiltInMaps.named[0].text
        change(&text)
        return text
    }

    @Test(arguments: [
        ("\"summary\"", "\"sumary\"", FormatErrorCode.unknownName),
        ("\"from\": \"phone\"", "\"from\": \"telephone\"", .unknownName),
        ("\"property\": \"phone\"", "\"property\": \"phones\"", .unknownName),
        ("\"from\": \"phone\", \"else\": \"\"", "\"from\": \"phone\"", .missingValue),
        ("\"from\": \"phone\", \"else\": \"\"", "\"from\": \"phone\", \"else\": 3", .badValue),
        ("\"from\": \"phone\", \"else\": \"\"", "\"from\": \"phones\"", .schemaMismatch),
        ("\"type\": \"bool\"", "\"type\": \"boolean\"", .unknownName),
        ("\"class\": \"ContactObject\"", "\"class\": \"Contacts\"", .unknownName),
        ("\"primaryKey\": \"id\"", "\"primaryKey\": \"_id\"", .unknownName),
        ("\"source\": \"contacts\"", "\"source\": \"people\"", .badValue),
        ("\"rtoolMap\": 1", "\"rtoolMap\": 2", .unsupportedVersion),
        ("\"name\": \"mycontacts\",", "", .missingValue), ("]", "", .malformed),
    ])
    func aSlipInAMapFileIsNamed(_ old: String, _ new: String, _ code: FormatErrorCode) {
        let text = file { text in
            if let range = text.range(of: old) { text.replaceSubrange(range, with: new) }
        }
        let error = #expect(throws: FormatError.self) { _ = try parse(text) }
        #expect(error?.code == code, "\(new): \(String(describing: error))")
        #expect(error?.details.line != nil)
        #expect(error?.details.file == "test.json")
    }

    @Test func aMapOfOnesOwnWorks() throws {
        let text = """
            {"rtoolMap": 1, "name": "own", "source": "contacts", "class": "Friend", "classes": [
              {"name": "Friend", "primaryKey": "key", "properties": [
                {"name": "key", "type": "uuid"}, {"name": "first", "type": "string"},
                {"name": "mails", "type": "string", "collection": "list"},
                {"name": "born", "type": "string", "optional": true},
                {"name": "note", "type": "string", "optional": true},
                {"name": "stars", "type": "int"}]}],
             "fields": [{"property": "key", "from": "id"},
              {"property": "first", "from": "givenName", "else": "?"},
              {"property": "mails", "from": "emails"}, {"property": "born", "from": "birthday"},
              {"property": "note", "from": "note"}]}
            """
        let map = try parse(text)
        let context = ExchangeContext()
        let uuid = "123e4567-e89b-12d3-a456-426614174000"
        let birthday: Value = .list([
            .object(
                BuiltInRow.item + [
                    .string("birthday"), .null, .int(2), .int(29), .null, .null,
                ])
        ])
        let reader = try map.reader(
            over: RowsReader(
                ContactClass.schema,
                rows: [
                    BuiltInRow.contact([
                        "uid": .string(uuid), "emails": BuiltInRow.texts("a", "b"),
                        "dates": birthday,
                    ])
                ]), context: context)
        let rows = try ReadRows(reader).rows["Friend"] ?? []
        let id = bytes(uuid) { ScalarText.uuid($0) }
        #expect(
            rows == [
                [
                    id.map(Value.uuid) ?? .null, .string("?"), .list([.string("a"), .string("b")]),
                    .string("--02-29"), .null, .int(0),
                ]
            ])
        let again = try map.backReader(
            over: RowsReader(map.target.schema, rows: rows), context: context)
        let card = try ReadRows(again).rows["Contact"]?.first ?? []
        #expect(
            card[ContactClass.schema.classes[0].index(of: "dates") ?? 0]
                == .list([
                    .object(
                        [.int(11)] + BuiltInRow.item.dropFirst() + [
                            .string("birthday"), .null, .int(2), .int(29), .null, .null,
                        ])
                ]))
    }

    /// A date, how long the task takes, the instant that is kept, and what is said of the rest.
    @Test(arguments: [
        ("2026-02-05", "", "", "2026-02-05T00:00:00", "day-as-instant 2026-02-05"),
        (
            "2026-02-05T10:00:00", "Europe/Berlin", "", "2026-02-05T09:00:00",
            "zone-dropped Europe/Berlin"
        ),
        ("2026-02-05T10:00:00", "", "", "2026-02-05T10:00:00", "floating-as-instant 10:00"),
        ("2026-02-05T10:00:00", "UTC", "", "2026-02-05T10:00:00", ""),
        ("2026-02-05T10:00:00", "Nowhere", "", "2026-02-05T10:00:00", "zone-unresolved Nowhere"),
        ("2026-02-05T10:00:00", "UTC", "PT90M", "2026-02-05T11:30:00", ""),
        ("2026-02-05", "", "P2D", "2026-02-07T00:00:00", "day-as-instant 2026-02-07"),
    ])
    func whatAnInstantDoesNotSayIsReported(
        _ local: String, _ tzid: String, _ duration: String, _ due: String, _ rest: String
    ) throws {
        let map = try parse(
            """
            {"rtoolMap": 1, "name": "own", "source": "tasks", "class": "Job", "classes": [
              {"name": "Job", "properties": [
                {"name": "until", "type": "date", "optional": true}]}],
             "fields": [{"property": "until", "from": "due"}]}
            """)
        let context = ZoneFixtures.context()
        let zone = tzid == "Europe/Berlin" ? tzid : nil
        let date = BuiltInRow.date(local, tzid.isEmpty ? nil : tzid, zone: zone)
        let values: [String: Value] =
            duration.isEmpty ? ["due": date] : ["start": date, "duration": .string(duration)]
        let reader = try map.reader(
            over: RowsReader(TodoClass.schema, rows: [BuiltInRow.todo(values)]), context: context)
        let rows = try ReadRows(reader).rows["Job"] ?? []
        #expect(rows == [[.date(Timestamp(seconds: ZoneFixtures.seconds(due)))]])
        let told = context.report.items.filter { $0.property != "start" }
        #expect(told.map { "\($0.code) \($0.value ?? "")" } == (rest.isEmpty ? [] : [rest]))
    }

    @Test(arguments: [
        ("CANCELLED", false, "CANCELLED"), ("IN-PROCESS", false, "IN-PROCESS"),
        ("COMPLETED", false, "NEEDS-ACTION"), ("NEEDS-ACTION", true, "COMPLETED"),
        ("", false, "NEEDS-ACTION"), (nil, true, "COMPLETED"), (nil, false, "NEEDS-ACTION"),
    ])
    func aStateBesideTheMarkOfDoneCounts(_ status: String?, _ isDone: Bool, _ state: String) throws
    {
        let map = try parse(
            """
            {"rtoolMap": 1, "name": "own", "source": "tasks", "class": "T", "classes": [
              {"name": "T", "primaryKey": "id", "properties": [
                {"name": "id", "type": "string"}, {"name": "state", "type": "string",
                "optional": true}, {"name": "done", "type": "bool"}]}],
             "fields": [{"property": "id", "from": "uid", "else": ""},
              {"property": "state", "from": "status"}, {"property": "done", "from": "done"}]}
            """)
        let rows: [[Value]] = [[.string("1"), status.map(Value.string) ?? .null, .bool(isDone)]]
        let back = try map.backReader(
            over: RowsReader(map.target.schema, rows: rows), context: ExchangeContext())
        let task = try ReadRows(back).rows["TodoItem"]?.first ?? []
        #expect(
            task[TodoClass.schema.classes[0].index(of: "status") ?? 0] == .string(state))
    }

    @Test(arguments: [
        ("9:05", "09:05"), ("09:05", "09:05"), ("3:05 PM", "15:05"), ("12:00 am", "00:00"),
        ("12:30 p.m.", "12:30"), ("7pm", "19:00"), ("23:59:59", "23:59"), ("8.15", "08:15"),
        ("24:00", nil), ("13:00 pm", nil), ("8", nil), ("", nil), ("8:5", nil), ("08:60", nil),
        ("a:b", nil),
    ])
    func clockTimesAreReadAsPeopleWriteThem(_ text: String, _ expected: String?) {
        #expect(ClockTime(text)?.text == expected)
    }
}

@Suite("Minted keys") struct MintingReaderTests {
    private static let schema = Schema(classes: [
        ClassSchema(
            "ContactObject", primaryKey: "id",
            properties: [
                Property("id", .objectId, isOptional: true), Property("name", .string),
                Property("isBuddy", .bool),
            ])
    ])

    private func mint(
        _ rows: [[Value]], _ schema: Schema = Self.schema, type: PropertyType = .objectId
    )
        throws -> [[Value]]
    {
        let reader = MintingReader(
            RowsReader(schema, rows: rows), classIndex: 0, key: "id", map: "mycontacts",
            keyType: type)
        #expect(reader.schema.classes[0].primaryKey == "id")
        #expect(reader.schema.classes[0].properties[0] == Property("id", type))
        return try ReadRows(reader).rows["ContactObject"] ?? []
    }

    @Test func missingKeysFollowFromContentAndOccurrence() throws {
        let given = ObjectID(high: 1, low: 2)
        let rows: [[Value]] = [
            [.null, .string("A"), .bool(true)], [.objectId(given), .string("A"), .bool(true)],
            [.null, .string("A"), .bool(true)], [.null, .string("A"), .bool(false)],
        ]
        let first = try mint(rows)
        #expect(first[1] == rows[1])
        #expect(Set(first.map { "\($0[0])" }).count == 4)
        #expect(!first.contains { $0[0] == .null })
        #expect(try mint(rows) == first)
        // Other rows in between change nothing.
        #expect(try mint([rows[3], rows[0]]) == [first[3], first[0]])
    }

    @Test func keysThatCameAsTextAreUnderstood() throws {
        var text = Self.schema
        text.classes[0].properties[0] = Property("id", .string, isOptional: true)
        text.classes[0].primaryKey = nil
        let uuid = "123e4567-e89b-12d3-a456-426614174000"
        let rows: [[Value]] = [
            [.string("570f4b9d5a3c2e0001a1b2c3"), .string("A"), .bool(true)],
            [.string(uuid), .string("B"), .bool(true)], [.null, .string("C"), .bool(true)],
            [.string(""), .string("D"), .bool(true)],
        ]
        let ids = try mint(rows, text)
        #expect(ids[0][0] == .objectId(ObjectID(high: 0x570f_4b9d_5a3c_2e00, low: 0x01a1_b2c3)))
        #expect(Set(ids.map { "\($0[0])" }).count == 4)
        #expect(try mint(rows, text) == ids)
        let uuids = try mint(rows, text, type: .uuid)
        #expect(uuids[1][0] == (bytes(uuid) { ScalarText.uuid($0) }).map(Value.uuid))
        // The same content under the same map gives the same id, whichever way it came.
        #expect(try mint([[.null, .string("C"), .bool(true)]])[0] == ids[2])
    }

    @Test func idsByTheBatchAreTheIdsOneByOne() {
        var random = SeededGenerator(9)
        let together = IdentityMinter(map: "m", kind: "k")
        let single = IdentityMinter(map: "m", kind: "k")
        let contents = RawVector<UInt8>()
        let ends = RawVector<Int>()
        let halves = RawVector<UInt64>()
        defer {
            contents.destroy()
            ends.destroy()
            halves.destroy()
        }
        for _ in 0..<50 {
            contents.removeAll()
            ends.removeAll()
            var expected: [ObjectID] = []
            for _ in 0..<60 {
                let bytes = (0..<Int.random(in: 0...30, using: &random)).map { _ in
                    UInt8.random(in: 0...1, using: &random)
                }
                for byte in bytes { contents.append(byte) }
                ends.append(contents.count)
                var hash = single.content()
                bytes.withUnsafeBytes { hash.add($0) }
                expected.append(single.id(content: hash))
            }
            together.mint(contents: contents, ends: ends, halves: halves)
            #expect(expected.indices.map { IdentityMinter.id(halves: halves, $0) } == expected)
        }
    }

    @Test func aHashInOneGoIsTheHashInPieces() {
        var random = SeededGenerator(4)
        for _ in 0..<500 {
            let prefix = (0..<Int.random(in: 0...20, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            let rest = (0..<Int.random(in: 0...40, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            var start = SipHash(key0: 1, key1: 2, wide: true)
            for byte in prefix { start.add(byte) }
            var pieces = start
            for byte in rest { pieces.add(byte) }
            let expected = pieces.finish128()
            let found = rest.withUnsafeBytes { start.finish128(adding: $0) }
            #expect(found == expected)
        }
    }

    @Test func rowsWrittenTogetherAreTheColumnsOneByOne() {
        let batch = QuerySample.batch()
        let writer = RowContentWriter(batch, without: 1)
        for row in 0..<batch.rowCount {
            let fast = RawVector<UInt8>()
            let slow = RawVector<UInt8>()
            defer {
                fast.destroy()
                slow.destroy()
            }
            writer.append(row, to: fast)
            for (i, column) in batch.columns.enumerated() where i != 1 {
                RowContent.append(column, row, to: slow)
            }
            #expect(Array(fast.elements) == Array(slow.elements))
        }
    }
}
