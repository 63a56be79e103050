import Foundation
import Testing

@testable import Formats

@Suite("iCalendar reading") struct ICalendarReaderTests {
    static func todo(_ lines: String...) -> String {
        (["BEGIN:VCALENDAR", "VERSION:2.0", "BEGIN:VTODO"] + lines + ["END:VTODO", "END:VCALENDAR"])
            .joined(separator: "\r\n") + "\r\n"
    }

    static func first(_ lines: String...) throws -> [String: Any] {
        let text = (["BEGIN:VTODO"] + lines + ["END:VTODO", ""]).joined(separator: "\n")
        return try #require(try Todos.read(text, ZoneFixtures.context()).first)
    }

    static func notes(_ text: String) throws -> [String] {
        let context = ZoneFixtures.context()
        _ = try Todos.read(text, context)
        return context.report.items.map { "\($0.kind.rawValue) \($0.code)" }
    }

    static func date(_ row: [String: Any], _ name: String) -> [String: String] {
        (row[name] as? [String: Any] ?? [:]).compactMapValues { $0 as? String }
    }

    @Test func theEndOfAComponentIsInTheCharsetOfItsBegin() throws {
        let bytes =
            Array("BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:X-".utf8) + [0xE9]
            + Array("\r\nA:1\r\nEND:VCALENDAR\r\n".utf8)
        let source = bytes.withUnsafeBytes { InputBytes(name: "t.ics", copying: $0) }
        let once = try Todos.converted(source)
        #expect(once.contains("BEGIN:X-\u{E9}\r\nA:1\r\nEND:X-\u{E9}\r\n"))
        #expect(try Todos.converted(input(once, name: "t.ics")) == once)
    }

    @Test func longNamesOfComponentsAreFolded() throws {
        let name = "X-" + String(repeating: "\u{E9}", count: 90)
        let text = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:\(name)\r\nA:1\r\nEND:VCALENDAR\r\n"
        let once = try Todos.converted(input(text, name: "t.ics"))
        #expect(once.split(separator: "\r\n").allSatisfy { $0.utf8.count <= 75 })
        #expect(try Todos.converted(input(once, name: "t.ics")) == once)
    }

    // MARK: Dates

    @Test(arguments: [
        ("DUE;VALUE=DATE:20260205", ["local": "2026-02-05"]),
        ("DUE:20260205T100000Z", ["local": "2026-02-05T10:00:00", "tzid": "UTC"]),
        ("DUE:20260205T100000", ["local": "2026-02-05T10:00:00"]),
        (
            "DUE;TZID=Europe/Berlin:20260205T100000",
            ["local": "2026-02-05T10:00:00", "tzid": "Europe/Berlin", "zone": "Europe/Berlin"]
        ),
        (
            "DUE;TZID=W. Europe Standard Time:20260205T100000",
            [
                "local": "2026-02-05T10:00:00", "tzid": "W. Europe Standard Time",
                "zone": "Europe/Berlin",
            ]
        ),
        (
            "DUE;TZID=\"Europe/Berlin\":20260205T100000",
            [
                "local": "2026-02-05T10:00:00", "tzid": "Europe/Berlin", "zone": "Europe/Berlin",
                "raw": "DUE;TZID=\"Europe/Berlin\":20260205T100000",
            ]
        ),
        (
            "DUE;TZID=CST:20260205T100000",
            ["local": "2026-02-05T10:00:00", "tzid": "CST"]
        ),
        ("DUE:20260205", ["local": "2026-02-05", "raw": "DUE:20260205"]),
        (
            "DUE:2026-02-05T10:00:00+02:00",
            [
                "local": "2026-02-05T08:00:00", "tzid": "UTC",
                "raw": "DUE:2026-02-05T10:00:00+02:00",
            ]
        ),
        (
            "DUE;VALUE=DATE-TIME:20260205T100000Z",
            [
                "local": "2026-02-05T10:00:00", "tzid": "UTC",
                "raw": "DUE;VALUE=DATE-TIME:20260205T100000Z",
            ]
        ),
    ]) func datesKeepTheirKind(_ line: String, _ expected: [String: String]) throws {
        #expect(try Self.date(Self.first(line), "due") == expected)
    }

    @Test(arguments: ["DUE:tomorrow", "DUE:20260231", "DUE:", "DUE:20260205T250000"])
    func whatIsNoDateIsKeptAsALine(_ line: String) throws {
        let row = try Self.first(line)
        #expect(row["due"] == nil)
        let extras = row["extras"] as? [[String: Any]]
        #expect(extras?.first?["name"] as? String == "DUE")
    }

    @Test func aDefinitionOfTheFileTravelsWithTheTask() throws {
        let zone =
            "BEGIN:VTIMEZONE\nTZID:Mine\nX-LIC-LOCATION:Europe/Berlin\nBEGIN:STANDARD\n"
            + "DTSTART:19700101T000000\nTZOFFSETFROM:+0100\nTZOFFSETTO:+0100\nEND:STANDARD\n"
            + "END:VTIMEZONE"
        let text =
            "BEGIN:VCALENDAR\nVERSION:2.0\nBEGIN:VTODO\nUID:1\nDUE;TZID=Mine:20260205T100000\n"
            + "END:VTODO\n\(zone)\nEND:VCALENDAR\n"
        let row = try #require(try Todos.read(text).first)
        #expect(row["timeZones"] as? [String] == [zone])
        #expect(Self.date(row, "due")["zone"] == "Europe/Berlin")
        let written = try Todos.rewritten(input(text))
        #expect(written.replacingOccurrences(of: "\r\n", with: "\n").contains(zone))
    }

    @Test func aZoneWithoutADefinitionGetsOneWhenWritten() throws {
        let text = Self.todo("UID:1", "DUE;TZID=Europe/Berlin:20260205T100000")
        let written = try Todos.rewritten(input(text), ZoneFixtures.context())
        #expect(written.contains("BEGIN:VTIMEZONE\r\nTZID:Europe/Berlin\r\n"))
        #expect(written.contains("RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU\r\n"))
        let end = try #require(written.range(of: "END:VTIMEZONE"))
        let begin = try #require(written.range(of: "BEGIN:VTODO"))
        #expect(end.upperBound < begin.lowerBound)
    }

    // MARK: Rules of section 4

    @Test func theReportNamesWhatIsOdd() throws {
        #expect(
            try Self.notes(Self.todo("DTSTART:20260210T100000Z", "DUE:20260209T100000Z"))
                == ["guessed due-before-start"])
        #expect(
            try Self.notes(Self.todo("DTSTART;VALUE=DATE:20260201", "DUE:20260210T100000Z"))
                == ["guessed due-start-types-differ"])
        #expect(
            try Self.notes(Self.todo("STATUS:NEEDS-ACTION", "COMPLETED:20260101T000000Z"))
                == ["guessed completed-while-open"])
        #expect(
            try Self.notes(Self.todo("DUE;TZID=CST:20260205T100000")) == ["guessed zone-unresolved"]
        )
        #expect(
            try Self.notes(
                Self.todo(
                    "DTSTART;TZID=America/New_York:20260205T100000",
                    "DUE;TZID=Europe/Berlin:20260205T110000")) == ["guessed due-before-start"])
    }

    @Test func otherComponentsAreCountedByName() throws {
        let context = ExchangeContext()
        let text =
            "BEGIN:VCALENDAR\nPRODID:x\nBEGIN:VEVENT\nUID:e\nBEGIN:VALARM\nEND:VALARM\n"
            + "END:VEVENT\nBEGIN:VTODO\nUID:t\nEND:VTODO\nBEGIN:VEVENT\nEND:VEVENT\nEND:VCALENDAR\n"
        #expect(try Todos.read(text, context).count == 1)
        let events = context.report.items.filter { $0.code == "component-not-a-task" }
        #expect(events.map(\.property) == ["VEVENT"])
        #expect(events.map(\.count) == [2])
        #expect(
            context.report.items.contains { $0.code == "calendar-line" && $0.property == "PRODID" })
        #expect(context.report.read == 1)
    }

    @Test(arguments: [
        ("BEGIN:VTODO\nUID:1\nBEGIN:VTODO\nUID:2\nEND:VTODO\n", ["1", "2"]),
        ("BEGIN:VTODO\nUID:1", ["1"]),
        (
            "BEGIN:VCALENDAR\nBEGIN:VTODO\nUID:1\nEND:VCALENDAR\nBEGIN:VTODO\nUID:2\nEND:VTODO",
            ["1", "2"]
        ),
        ("\u{FEFF}begin:vcalendar\nbegin:vtodo\nuid:1\nend:vtodo\nend:vcalendar\n", ["1"]),
        (
            "BEGIN:VTODO\nUID:1\nBEGIN:VALARM\nEND:VTODO\nBEGIN:VTODO\nUID:2\nEND:VTODO\n",
            ["1", "2"]
        ),
        ("BEGIN:VTODO\r\n\r\nUID:1\r\n\r\nEND:VTODO \r\n", ["1"]),
        ("junk\nBEGIN:VTODO\nUID:1\nEND:VALARM\nEND:VTODO\nmore: junk\n", ["1"]),
    ]) func missingAndStrayEndsLoseNothing(_ text: String, _ uids: [String]) throws {
        #expect(try Todos.read(text).map { $0["uid"] as? String } == uids)
    }

    @Test func recurrenceInstancesStayApart() throws {
        let rows = try Todos.read(
            Self.todo("UID:a", "RRULE:FREQ=DAILY")
                + Self.todo("UID:a", "RECURRENCE-ID:20260101T000000", "STATUS:COMPLETED"))
        #expect(rows.count == 2)
        #expect(rows[0]["_id"] as? String != rows[1]["_id"] as? String)
    }

    @Test func circlesOfRelationsAreRefusedWithTheirPath() throws {
        let context = ExchangeContext()
        let text =
            Self.todo("UID:a", "RELATED-TO;RELTYPE=PARENT:b")
            + Self.todo("UID:b", "RELATED-TO:c") + Self.todo("UID:c", "RELATED-TO:a")
            + Self.todo("UID:d", "RELATED-TO:a")
        let rows = try Todos.read(text, context)
        #expect(rows.map { $0["relations"] == nil } == [false, false, true, false])
        #expect(
            context.report.items.first { $0.code == "relation-cycle" }?.value == "a → b → c → a")
        let written = try Todos.rewritten(input(text))
        #expect(written.contains("UID:c\r\nRELATED-TO:a\r\n"))
    }

    @Test func aUIDOfHexDigitsIsTheKey() throws {
        let row = try Self.first("UID:570f4b9d5a3c2e0001a1b2c3")
        #expect(row["_id"] as? String == "570f4b9d5a3c2e0001a1b2c3")
    }

    @Test func latin1AndQuotedPrintableBecomeText() throws {
        var bytes = Array("BEGIN:VTODO\nUID:1\nSUMMARY:caf".utf8)
        bytes += [0xE9] + Array("\nEND:VTODO\n".utf8)
        let rows = try Todos.all(
            ICalendarTodoReader(input: input(bytes), context: ExchangeContext()))
        #expect(rows.first?["title"] as? String == "café")
        let old =
            "BEGIN:VCALENDAR\nVERSION:1.0\nBEGIN:VTODO\n"
            + "SUMMARY;ENCODING=QUOTED-PRINTABLE;CHARSET=UTF-8:caf=C3=A9=\n au lait\n"
            + "STATUS:NEEDS ACTION\nCATEGORIES:A;B\nDALARM:19960401T080000Z;;;x\n"
            + "END:VTODO\nEND:VCALENDAR\n"
        let row = try #require(try Todos.read(old).first)
        #expect(row["title"] as? String == "café au lait")
        #expect(row["status"] as? String == "NEEDS-ACTION")
        #expect(row["categories"] as? [String] == ["A", "B"])
    }

    @Test func linesOfVCalendar1BecomeThoseOfICalendar2() throws {
        let old =
            "BEGIN:VCALENDAR\nPRODID:x\nVERSION:1.0\nBEGIN:VEVENT\nSUMMARY:Eggs, ham; tea\n"
            + "RRULE:W2 MO FR #3\nEND:VEVENT\nBEGIN:VTODO\nSTATUS:NEEDS ACTION\n"
            + "DESCRIPTION;ENCODING=QUOTED-PRINTABLE:caf=C3=A9=0D=0Atwo\nCATEGORIES:A;B\n"
            + "RDATE:19960401T080000Z;19960402T080000Z\nX-A:C:\\b\nEND:VTODO\nEND:VCALENDAR\n"
        let context = ExchangeContext()
        let new = try Todos.converted(input(old), context)
        let lines = new.split(separator: "\r\n")
        #expect(Set(lines.filter { $0.hasPrefix("UID:") && $0.count == 28 }).count == 2)
        #expect(
            lines.filter { !$0.hasPrefix("UID:") } == [
                "BEGIN:VCALENDAR", "PRODID:x", "VERSION:2.0", "BEGIN:VEVENT",
                "SUMMARY:Eggs\\, ham\\; tea", "RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,FR;COUNT=3",
                "DTSTAMP:19700101T000000Z", "END:VEVENT", "BEGIN:VTODO", "STATUS:NEEDS-ACTION",
                "DESCRIPTION:café\\ntwo",
                "CATEGORIES:A,B", "RDATE:19960401T080000Z,19960402T080000Z", "X-A:C:\\b",
                "DTSTAMP:19700101T000000Z", "END:VTODO", "END:VCALENDAR",
            ])
        #expect(context.report.items.contains { $0.code == "calendar-version" })
        #expect(try Todos.converted(input(new)) == new)
    }

    @Test(arguments: [".A.BEGIN:V\nX:1\n", "\r\n BEGIN:VCA\nX:1\n", ".A.X:1\n", "A.:1\n"])
    func convertingTwiceChangesNothing(_ lines: String) throws {
        let once = try Todos.converted(input("BEGIN:VCALENDAR\n" + lines + "END:VCALENDAR\n"))
        #expect(try Todos.converted(input(once)) == once)
        let bare = try Todos.converted(input(lines))
        #expect(try Todos.converted(input(bare)) == bare)
    }

    // MARK: Writing

    @Test func anEditedScalarWinsOverItsLine() throws {
        let context = ExchangeContext()
        let text = Self.todo(
            "SUMMARY;LANGUAGE=en:Old", "LOCATION;ALTREP=\"x:y\":Here", "UID:1", "PRIORITY;X=1:5")
        let reader = ICalendarTodoReader(input: input(text), context: context)
        let batch = RecordBatch(schema: reader.schema)
        #expect(try reader.next(into: batch))
        var values = batch.values(row: 0)
        values[TodoField.title.rawValue] = .string("New; text")
        values[TodoField.priority.rawValue] = .null
        batch.begin(class: 0)
        batch.append(values: values)
        let path =
            NSTemporaryDirectory() + "/rtool-edit-\(ProcessInfo.processInfo.processIdentifier)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let file = try OutputFile.create(path, force: true)
        let writer = ICalendarTodoWriter(sink: file, schema: reader.schema, context: context)
        try writer.write(batch)
        try writer.finish()
        let written = try String(contentsOfFile: path, encoding: .utf8)
        #expect(written.contains("SUMMARY;LANGUAGE=en:New\\; text\r\n"))
        #expect(written.contains("LOCATION;ALTREP=\"x:y\":Here\r\n"))
        #expect(!written.contains("PRIORITY"))
    }

    @Test func hostileRowsCannotInjectLines() throws {
        let context = ExchangeContext()
        let batch = RecordBatch(schema: TodoClass.schema)
        batch.begin(class: 0)
        let columns = try #require(TodoColumns(batch))
        var draft = TodoDraft()
        draft.uid = "1\r\nEND:VTODO"
        draft.title = "a\nEND:VTODO\nb"
        draft.due = TodoMoment(local: "2026-02-05T10:00:00", tzid: "x:y;z\r\nEND:VTODO")
        draft.recurrence = ["RRULE:FREQ=DAILY\nEND:VTODO", "END:VTODO"]
        draft.components = ["BEGIN:VALARM\nEND:VTODO", "BEGIN:VALARM\nEND:VALARM\nEND:VTODO"]
        draft.extras = [
            TodoDraft.Extra("X-A\nEND:VTODO", "b"), TodoDraft.Extra("X-B", "c\r\nEND:VTODO"),
        ]
        draft.append(to: columns, id: ObjectID(high: 1, low: 2))
        let out = RawVector<UInt8>()
        defer { out.destroy() }
        TodoLineWriter(context: context).write(TodoRows(batch), 0, record: 1, to: out)
        let lines = String(decoding: out.elements, as: UTF8.self).components(separatedBy: "\r\n")
        #expect(lines.filter { $0.hasPrefix("END:") } == ["END:VTODO"])
        #expect(lines.last == "" && lines.dropLast().last == "END:VTODO")
    }

    // MARK: Fuzz

    @Test func bentFilesNeverTrapAndWhatIsWrittenReadsAgain() throws {
        var random = SeededGenerator(42)
        let words = [
            "BEGIN:VTODO\n", "END:VTODO\n", "BEGIN:VALARM\n", "END:VALARM\n", "BEGIN:VCALENDAR\n",
            "END:VCALENDAR\n", "DUE", ";TZID=", ":", "\n ", "20260205T100000", "Z", "SUMMARY:",
            "\\", ",", ";", "\"", "=", "RRULE:FREQ=DAILY\n", "STATUS:COMPLETED\n", "\r",
            "VERSION:1.0\n",
            "PRIORITY:\n", "CATEGORIES:a,,b\n", ";ENCODING=QUOTED-PRINTABLE:=C3=\n", "UID:1\n",
            "RELATED-TO;RELTYPE=CHILD:x\n", "BEGIN:VTIMEZONE\nTZID:x\nEND:VTIMEZONE\n", "\u{E9}",
        ]
        for round in 0..<3000 {
            var bytes: [UInt8] = []
            for _ in 0..<Int.random(in: 1..<40, using: &random) {
                if Int.random(in: 0..<12, using: &random) == 0 {
                    bytes.append(UInt8.random(in: 0...255, using: &random))
                }
                bytes += Array(words[Int.random(in: 0..<words.count, using: &random)].utf8)
            }
            let source = input(bytes)
            let context = ExchangeContext()
            let written = try Todos.rewritten(source, context)
            let count = context.report.written
            #expect(context.report.read == count + context.report.setAside, "round \(round)")
            #expect(try Todos.read(written).count == count, "round \(round): \(written)")
            _ = try Todos.converted(source)
        }
    }

    @Test func corpusFilesCutAnywhereNeverTrap() throws {
        for path in ICalendarGoldenTests.files.prefix(20) {
            let bytes = Array(try InputBytes.open(path).bytes)
            for count in stride(from: 0, to: min(bytes.count, 1500), by: 7) {
                _ = try Todos.rewritten(input(Array(bytes[..<count])))
            }
        }
    }

    /// An END that was missing says the name as the BEGIN is written.
    @Test(arguments: [
        "BEGIN:Vx\\\r\nREL \\N", "BEGIN;ENCODING=QUOTED-PRINTABLE:V=0AX=0D=0AY=41",
        "BEGIN;ENCODING=QUOTED-PRINTABLE:V=\u{C3}=20X", "BEGIN: V X \r\n",
        "BEGIN:" + String(repeating: "x", count: 99) + " y",
        "BEGIN:" + String(repeating: "x", count: 99) + "\\\r\ny",
        "BEGIN:VX\\\r\nX;A=" + String(repeating: "x", count: 99) + ":1",
    ])
    func addedEndsAreWrittenAsTheirBegins(_ begin: String) throws {
        for middle in ["A:1\r\n", ""] {
            let text = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\n\(begin)\r\n\(middle)END:VCALENDAR\r\n"
            let once = try Todos.converted(input(text, name: "t.ics"))
            let names = once.split(separator: "\r\n").compactMap {
                $0.hasPrefix("END:") ? $0.dropFirst(4).uppercased() : nil
            }
            #expect(names.count == 2 && names.last == "VCALENDAR", "\(once)")
            #expect(try Todos.converted(input(once, name: "t.ics")) == once)
        }
    }

    @Test(arguments: ["SEQUENCE", "PRIORITY", "PERCENT-COMPLETE"])
    func noneOfSeveralLinesWithoutANumberIsWritten(_ name: String) throws {
        let text = Self.todo("UID:1", "\(name):x", "\(name):", "\(name):y")
        let once = try Todos.rewritten(input(text))
        #expect(!once.contains("\n" + name))
        #expect(try Todos.rewritten(input(once)) == once)
    }
}
