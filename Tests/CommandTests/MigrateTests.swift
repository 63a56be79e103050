import Foundation
import Testing

@Suite("rtool migrate and rtool plan") struct MigrateTests {
    static func plan(_ name: String) -> String { Workplace.sample("plans/\(name).plan.json") }
    static let todo = plan("realmtodo-to-todo")
    static let manager = plan("realmtodo-to-taskmanager")

    private func place() throws -> Workplace {
        let place = try Workplace()
        try FileManager.default.copyItem(
            atPath: Workplace.sample("realmtodo.realm"), toPath: place.path("s.realm"))
        return place
    }

    @Test func aCheckWritesNothing() throws {
        let place = try place()
        let before = try place.names()
        let outcome = try place.run("migrate", "s.realm", "--plan", Self.todo, "--check", "--json")
        #expect(outcome.exitCode == 0, "\(outcome.errors)")
        #expect(outcome.output.contains("\"written\": false"))
        #expect(try place.names() == before)
    }

    @Test func theToDoAppOf2016BecomesTodoItems() throws {
        let place = try place()
        let outcome = try place.run("migrate", "s.realm", "--plan", Self.todo, "-o", "new.realm")
        #expect(outcome.exitCode == 0, "\(outcome.errors)")
        #expect(outcome.errors.contains("Task: 4 rows") || outcome.errors.contains("4 rows"))
        let rows = try place.run(
            "export", "new.realm", "--to", "ndjson", "--class", "TodoItem", "--columns",
            "title,notes,status")
        #expect(
            rows.output == """
                {"title":"Buy milk","notes":"two litres, the blue carton","status":"NEEDS-ACTION"}
                {"title":"Renew the passport","notes":null,"status":"COMPLETED"}
                {"title":"Book the ferry 🚢","notes":null,"status":"NEEDS-ACTION"}
                {"title":"Return library books","notes":"three of them","status":"COMPLETED"}

                """, "\(rows.errors)")
        let calendar = try place.run("convert", "new.realm", "-", "--to", "ical")
        for line in [
            "SUMMARY:Buy milk", "LAST-MODIFIED:20160414T083257Z", "COMPLETED:20160301T160500Z",
            "STATUS:COMPLETED",
        ] {
            #expect(calendar.output.contains(line), "\(calendar.output)\(calendar.errors)")
        }
        #expect(calendar.output.components(separatedBy: "\r\nCOMPLETED:").count == 3)
        #expect(try place.run("verify", "new.realm").exitCode == 0)
        // The same input gives the same output.
        _ = try place.run("migrate", "s.realm", "--plan", Self.todo, "-o", "again.realm")
        #expect(try place.bytes("new.realm") == place.bytes("again.realm"))
    }

    @Test func theToDoAppOf2016BecomesTheTaskManager() throws {
        let place = try place()
        let outcome = try place.run("migrate", "s.realm", "--plan", Self.manager, "--in-place")
        #expect(outcome.exitCode == 0, "\(outcome.errors)")
        #expect(outcome.errors.contains("Europe/Paris"))
        let rows = try place.run(
            "export", "s.realm", "--to", "ndjson", "--class", "Task", "--columns",
            "name,type,startTime,endTime")
        #expect(
            rows.output == """
                {"name":"Buy milk","type":"two litres, the blue carton","startTime":"10:32","endTime":"11:32"}
                {"name":"Book the ferry 🚢","type":"","startTime":"09:00","endTime":"10:00"}

                """, "\(rows.errors)")
        let schema = try place.run("schema", "s.realm", "--as", "json")
        #expect(schema.output.contains("\"primaryKey\": \"id\""))
        #expect(
            try place.names() == [
                "s.before-v0.realm", "s.realm", "s.realm.lock", "s.realm.rtool-journal.json",
            ])
        let undo = try place.run("migrate", "s.realm", "--undo")
        #expect(undo.exitCode == 0, "\(undo.errors)")
        let original = try Data(
            contentsOf: URL(fileURLWithPath: Workplace.sample("realmtodo.realm")))
        #expect(try place.bytes("s.realm") == original)
        #expect(try place.run("migrate", "s.realm", "--undo").exitCode == 65)
        #expect(try place.run("migrate", "s.realm", "--discard-original").exitCode == 65)
    }

    @Test func namesAndPhonesBecomeMyContacts() throws {
        let place = try Workplace()
        let outcome = try place.run(
            "migrate", Workplace.sample("plans/names.realm"), "--plan",
            Self.plan("names-to-mycontacts"), "-o", "new.realm")
        #expect(outcome.exitCode == 0, "\(outcome.errors)")
        let rows = try place.run(
            "export", "new.realm", "--to", "ndjson", "--class", "ContactObject", "--columns",
            "name,phone,isBuddy")
        #expect(
            rows.output == """
                {"name":"Ada Lovelace","phone":"+44 20 7946 0001","isBuddy":false}
                {"name":"Zoë Müller","phone":"","isBuddy":false}
                {"name":"Grace Hopper","phone":"","isBuddy":false}
                {"name":"Grace Hopper","phone":"555-0100","isBuddy":false}
                {"name":"","phone":"555-0101","isBuddy":false}

                """, "\(rows.errors)")
    }

    /// A command line, its exit code and a word of its message.
    struct Case: CustomTestStringConvertible {
        var words: [String]
        var exitCode: Int32
        var says: String
        var testDescription: String { words.joined(separator: " ") }
    }
    static let cases = [
        Case(words: ["migrate", "s.realm"], exitCode: 64, says: "--in-place"),
        Case(words: ["migrate", "s.realm", "--check"], exitCode: 64, says: "--plan"),
        Case(
            words: ["migrate", "s.realm", "--plan", todo, "--check", "--in-place"], exitCode: 64,
            says: "exclude"),
        Case(
            words: ["migrate", "s.realm", "--plan", "none.json", "--check"], exitCode: 66,
            says: "none.json"),
        Case(
            words: ["migrate", "none.realm", "--plan", todo, "--in-place"], exitCode: 66,
            says: "none.realm"),
        Case(
            words: ["migrate", "s.realm", "--plan", "slip.json", "--check"], exitCode: 65,
            says: "did you mean renameProperty?"),
        Case(
            words: ["migrate", "s.realm", "--plan", "late.json", "--check"], exitCode: 65,
            says: "older"),
        Case(
            words: ["migrate", "s.realm", "--plan", todo, "--check", "--to", "9"], exitCode: 65,
            says: "9"),
        Case(
            words: ["migrate", "s.realm", "--plan", todo, "-o", "there.realm"], exitCode: 73,
            says: "exists"),
        Case(
            words: ["migrate", "s.realm", "--plan", todo, "-o", "s.realm", "--force"],
            exitCode: 64, says: "--in-place"),
        Case(
            words: ["migrate", "s.realm", "--plan", "nulls.json", "--in-place"], exitCode: 1,
            says: "needs a decision"),
        Case(
            words: ["migrate", "s.realm", "--plan", "rejects.json", "--check"], exitCode: 1,
            says: "kept out"),
        Case(
            words: ["migrate", "s.realm", "--plan", todo, "--in-place", "--strict"], exitCode: 65,
            says: "--strict"),
        Case(words: ["migrate", "s.realm", "--undo"], exitCode: 65, says: "nothing to undo"),
        Case(words: ["plan", "sow", "slip.json"], exitCode: 64, says: "show"),
        Case(words: ["plan", "show", "slip.json"], exitCode: 65, says: "slip.json:"),
    ]

    @Test(arguments: cases) func isRefused(_ example: Case) throws {
        let place = try place()
        func step(_ from: Int, _ changes: String) -> String {
            """
            {"rtoolPlan": 1, "name": "n", "steps": [{"from": \(from), "to": 5, "changes": [
             \(changes)]}]}
            """
        }
        try place.write("there.realm", "x")
        try place.write("slip.json", step(0, #"{"renamProperty": "Task.done", "to": "x"}"#))
        try place.write("late.json", step(2, ""))
        try place.write("nulls.json", step(0, #"{"makeRequired": "Task.taskDescription"}"#))
        try place.write(
            "rejects.json", step(0, #"{"makeRequired": "Task.taskDescription", "null": "reject"}"#))
        let before = try place.names()
        let bytes = try place.bytes("s.realm")
        let outcome = try place.run(example.words)
        #expect(outcome.exitCode == example.exitCode, "\(outcome.errors)")
        #expect(outcome.errors.contains(example.says), "\(outcome.errors)")
        #expect(try place.names().filter { $0 != "s.realm.lock" } == before)
        #expect(try place.bytes("s.realm") == bytes)
    }

    @Test func rowsKeptOutAreWrittenAndTheExitCodeSaysSo() throws {
        let place = try place()
        try place.write(
            "p.json",
            """
            {"rtoolPlan": 1, "name": "n", "steps": [{"from": 0, "to": 5, "changes": [
             {"makeRequired": "Task.taskDescription", "null": "reject"}]}]}
            """)
        let outcome = try place.run([
            "migrate", "s.realm", "--plan", "p.json", "--in-place", "--rejects", "out.ndjson",
            "--report", "report.json", "--json",
        ])
        #expect(outcome.exitCode == 1, "\(outcome.errors)")
        #expect(try String(decoding: place.bytes("out.ndjson"), as: UTF8.self).contains("passport"))
        #expect(
            try String(decoding: place.bytes("out.ndjson.reasons"), as: UTF8.self)
                .hasPrefix("Task #1: taskDescription"))
        let report = try JSONSerialization.jsonObject(with: place.bytes("report.json"))
        let object = try #require(report as? [String: Any])
        #expect(object["read"] as? Int == 4 && object["written"] as? Int == 3)
        #expect(object["setAside"] as? Int == 1)
        let inner = try #require(object["migration"] as? [String: Any])
        #expect(inner["written"] as? Bool == true && inner["rejected"] as? Int == 1)
        let back = try place.run("import", "out.ndjson", "--into", "t.realm", "--class", "Task")
        #expect(back.exitCode == 0, "\(back.errors)")
    }

    @Test func plansAreShownALineAChange() throws {
        let place = try Workplace()
        let outcome = try place.run("plan", "show", Self.manager)
        #expect(outcome.exitCode == 0)
        #expect(outcome.output.contains("\n  rename Task.taskTitle -> name\n"))
    }

    @Test func aDraftIsAPlanWhoseQuestionsACheckNames() throws {
        let place = try place()
        let outcome = try place.run(
            "plan", "draft", "s.realm", Workplace.sample("taskmanager.realm"), "-o", "d.json")
        #expect(outcome.exitCode == 1)
        #expect(outcome.errors.contains("needs a decision: Task.taskTitle: renamed to name"))
        #expect(outcome.errors.contains("loses data: Task.done"))
        #expect(try place.run("plan", "show", "d.json").exitCode == 0)
        let check = try place.run("migrate", "s.realm", "--plan", "d.json", "--check")
        #expect(check.exitCode == 1 && check.errors.contains("open-question, Task.taskTitle"))
        // A schema does as well as a store.
        let schema = try place.run("schema", Workplace.sample("taskmanager.realm"))
        try place.write("schema.json", schema.output)
        let again = try place.run("plan", "draft", "s.realm", "schema.json", "--quiet")
        #expect(try again.output == String(decoding: place.bytes("d.json"), as: UTF8.self))
    }

    @Test func aStoreHeldByAnotherProcessIsRefused() throws {
        let place = try place()
        let lock = open(place.path("s.realm.lock"), O_RDWR | O_CREAT, 0o644)
        defer { close(lock) }
        #expect(flock(lock, LOCK_SH) == 0)
        let outcome = try place.run("migrate", "s.realm", "--plan", Self.todo, "--in-place")
        #expect(outcome.exitCode == 69, "\(outcome.errors)")
    }
}
