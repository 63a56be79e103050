import Foundation
import Testing

@Suite("Tasks through stores") struct TaskTests {
    static let tasks = """
        BEGIN:VCALENDAR
        VERSION:2.0
        PRODID:-//rtool//rtool//EN
        BEGIN:VTODO
        UID:below
        RELATED-TO:above
        SUMMARY;LANGUAGE=en:Comes before what it is below
        DUE;VALUE=DATE:20260205
        DTSTART;VALUE=DATE:20260201
        CATEGORIES:Home,a\\,b
        PRIORITY:3
        X-OTHER;X-P="a;b":value\\, kept
        END:VTODO
        BEGIN:VTODO
        RRULE:FREQ=WEEKLY;BYDAY=MO
        EXDATE:20260209T100000Z
        UID:above
        SUMMARY:Above
        STATUS:IN-PROCESS
        PERCENT-COMPLETE:30
        DTSTART:20260202T100000
        DUE:20260202T110000
        BEGIN:VALARM
        ACTION:DISPLAY
        TRIGGER:-PT15M
        END:VALARM
        END:VTODO
        BEGIN:VTODO
        UID:above
        RECURRENCE-ID:20260209T100000Z
        SUMMARY:An instance
        STATUS:COMPLETED
        COMPLETED:20260210T080000Z
        PERCENT-COMPLETE:100
        END:VTODO
        END:VCALENDAR

        """

    /// The lines of each to-do, sorted.
    static func todos(_ data: Data) -> [[String]] {
        String(decoding: data, as: UTF8.self).replacingOccurrences(of: "\r\n", with: "\n")
            .components(separatedBy: "BEGIN:VTODO\n").dropFirst()
            .map { $0.components(separatedBy: "END:VTODO")[0].split(separator: "\n") }
            .map { $0.map(String.init).sorted() }
    }

    @Test func everyLineComesBackFromAStore() throws {
        let place = try Workplace()
        try place.write("a.ics", Self.tasks)
        #expect(try place.run("convert", "a.ics", "a.realm").exitCode == 0)
        #expect(try place.run("verify", "a.realm").exitCode == 0)
        #expect(try place.run("export", "a.realm", "-o", "b.ics").exitCode == 0)
        #expect(Self.todos(try place.bytes("b.ics")) == Self.todos(Data(Self.tasks.utf8)))
        #expect(try place.run("convert", "b.ics", "b.realm").exitCode == 0)
        #expect(try place.run("convert", "b.realm", "c.ics").exitCode == 0)
        #expect(try place.bytes("b.ics") == place.bytes("c.ics"))
    }

    @Test(arguments: ["a.json", "a.ndjson", "a.csv"])
    func everyLineComesBackFromText(_ name: String) throws {
        let place = try Workplace()
        try place.write("a.ics", Self.tasks)
        #expect(try place.run("convert", "a.ics", name).exitCode == 0)
        let back = try place.run("convert", name, "b.ics")
        #expect(back.exitCode == 0, "\(back.errors)")
        #expect(Self.todos(try place.bytes("b.ics")) == Self.todos(Data(Self.tasks.utf8)))
    }

    @Test func circlesAreRefusedWithTheirPathAndKeptAsLines() throws {
        let place = try Workplace()
        let text = ["a", "b", "c"].map {
            "BEGIN:VTODO\nUID:\($0)\nRELATED-TO:\($0 == "a" ? "c" : $0 == "b" ? "a" : "b")\n"
                + "END:VTODO\n"
        }.joined()
        try place.write("a.ics", text)
        let made = try place.run("convert", "a.ics", "a.realm")
        #expect(made.exitCode == 0)
        #expect(made.errors.contains("a → c → b → a"), "\(made.errors)")
        #expect(try place.run("convert", "a.realm", "b.ics").exitCode == 0)
        #expect(Self.todos(try place.bytes("b.ics")) == Self.todos(Data(text.utf8)))
    }

    @Test(arguments: ["todo", "taskmanager", "realmtodo"])
    func theMapsOfTaskAppsGoBothWays(_ map: String) throws {
        let place = try Workplace()
        let made = try place.run(
            "import", Workplace.sample("tasks.ics"), "--into", "x.realm", "--map", map)
        #expect(made.exitCode == 0, "\(made.errors)")
        let first = try place.bytes("x.realm")
        let again = try place.run("import", Workplace.sample("tasks.ics"), "--into", "x.realm")
        #expect(again.exitCode == 0, "\(again.errors)")
        #expect(try place.bytes("x.realm") == first)
        let back = try place.run("export", "x.realm", "-o", "y.ics")
        #expect(back.exitCode == 0, "\(back.errors)")
        let todos = Self.todos(try place.bytes("y.ics"))
        // TaskManager deletes what is done.
        #expect(todos.count == (map == "taskmanager" ? 2 : 3))
        #expect(todos[0].contains("SUMMARY:Buy milk"))
    }

    @Test func outlookTasksAreAProfileOfCSV() throws {
        let place = try Workplace()
        let made = try place.run(
            "convert", Workplace.sample("tasks.ics"), "a.csv", "--profile", "outlook-tasks")
        #expect(made.exitCode == 0, "\(made.errors)")
        let text = String(decoding: try place.bytes("a.csv"), as: UTF8.self)
        #expect(text.hasPrefix("Subject,Start Date,Due Date,"))
        #expect(try place.run("convert", "a.csv", "a.ics").exitCode == 0)
        #expect(Self.todos(try place.bytes("a.ics")).count == 3)
        // A new store takes them for tasks, a text for rows.
        #expect(try place.run("convert", "a.csv", "a.realm").exitCode == 0)
        let classes = try place.run("schema", "a.realm", "--as", "json").output
        #expect(classes.contains("TodoItem"))
        let rows = try place.run("convert", "a.csv", "-", "--to", "json").output
        #expect(rows.contains("\"Subject\""))
        // The tasks of an app's own class go out as well.
        _ = try place.run(
            "import", Workplace.sample("tasks.ics"), "--into", "b.realm", "--map", "realmtodo")
        let out = try place.run(
            "export", "b.realm", "--to", "csv", "--profile", "outlook-tasks", "-o", "b.csv")
        #expect(out.exitCode == 0, "\(out.errors)")
    }

    @Test func tasksMatchByTitleAndDateWhenAsked() throws {
        let place = try Workplace()
        let open = "BEGIN:VTODO\nUID:1\nSUMMARY:Milk\nDUE;VALUE=DATE:20260205\nEND:VTODO\n"
        let done = open.replacingOccurrences(of: "UID:1", with: "UID:2")
            .replacingOccurrences(of: "END:", with: "STATUS:COMPLETED\nEND:")
        try place.write("open.ics", open)
        try place.write("done.ics", done)
        try place.write("later.ics", done.replacingOccurrences(of: "0205", with: "0206"))
        _ = try place.run("import", "open.ics", "--into", "a.realm")
        for (file, count) in [("done.ics", 1), ("done.ics", 1), ("later.ics", 2)] {
            let made = try place.run("import", file, "--into", "a.realm", "--match", "title+due")
            #expect(made.exitCode == 0, "\(made.errors)")
            _ = try place.run("export", "a.realm", "--force", "-o", "b.ics")
            #expect(Self.todos(try place.bytes("b.ics")).count == count, "\(file)")
        }
    }

    @Test(arguments: ["todoist", "google-tasks", "todotxt", "outlook-tasks"])
    func countsAddUpAndStrictSeesWhatComesLast(_ format: String) throws {
        let place = try Workplace()
        try place.write(
            "a.ics",
            """
            BEGIN:VCALENDAR
            VERSION:2.0
            BEGIN:VTODO
            UID:1
            SUMMARY:Open
            LOCATION:Home
            END:VTODO
            BEGIN:VTODO
            UID:2
            SUMMARY:Done
            STATUS:COMPLETED
            LOCATION:Home
            END:VTODO
            END:VCALENDAR

            """)
        let made = try place.run("convert", "a.ics", "out.txt", "--to", format, "--json")
        #expect(made.exitCode == 0, "\(made.errors)")
        let left = format == "todoist" ? 1 : 0
        #expect(made.output.contains("\"written\": \(2 - left)"), "\(made.output)")
        #expect(made.output.contains("\"skipped\": \(left)"), "\(made.output)")
        let strict = try place.run("convert", "a.ics", "strict.txt", "--to", format, "--strict")
        #expect(strict.exitCode != 0)
        #expect(!(try place.names().contains("strict.txt")))
    }
}
