// What an update changes in the stored row, and what it leaves.

import Foundation
import Testing

@testable import Formats

private func card(_ lines: String...) -> String {
    (["BEGIN:VCARD", "VERSION:3.0", "UID:u1"] + lines + ["END:VCARD", ""])
        .joined(separator: "\r\n")
}

@Suite("Updates of stored rows") struct ImportUpdateTests {
    /// A store of people with a key and names.
    private func people(_ place: ImportPlace, key: String) throws {
        let keys = key == "int" ? ["1", "2"] : ["\"a\"", "\"b\""]
        try place.convert(
            place.write(
                "p.json",
                """
                {"rtool": 1, "schemaVersion": 0, "classes": [
                 {"name": "P", "kind": "object", "primaryKey": "id", "properties": [
                  {"name": "id", "type": "\(key)"}, {"name": "name", "type": "string"},
                  {"name": "bio", "type": "string", "optional": true}]}], "tables": [],
                 "objects": {"P": [{"$key": 0, "id": \(keys[0]), "name": "Ann", "bio": null},
                  {"$key": 1, "id": \(keys[1]), "name": "Bob", "bio": "x"}]}, "rows": {}}
                """), to: "p.realm")
    }

    @Test("rows without a key are no repeats of each other", arguments: ["int", "string"])
    func rowsWithoutKeys(_ key: String) throws {
        let place = try ImportPlace()
        try people(place, key: key)
        let input = try place.write("n.csv", "name,bio\nZed,z\nAnn,a2\nBob,b2\n")
        let report = try place.importing([input], into: "p.realm") {
            $0.className = "P"
            try $0.options.setMatch("name")
        }
        #expect(report.merged == 2)
        #expect(report.setAside == 1)
        let rows = try place.rows("p.realm", "P").map { Array($0[1...]) }
        #expect(
            rows == [[.string("Ann"), .string("a2")], [.string("Bob"), .string("b2")]])
    }

    @Test func rowsWithoutKeysAreSetAsideAsTheyStand() throws {
        let place = try ImportPlace()
        try people(place, key: "int")
        let input = try place.write("n.csv", "name,bio\n\"Zed, Z\",z\nAnn,a2\n")
        var rejects = ""
        let context = ExchangeContext()
        context.onRejectHeading = { rejects += String(decoding: $0, as: UTF8.self) }
        context.onReject = { bytes, _ in rejects += String(decoding: bytes, as: UTF8.self) }
        var job = Import([input], into: place.path("p.realm"), context: context)
        job.className = "P"
        try job.options.setMatch("name")
        try job.run()
        #expect(context.report.setAside == 1)
        #expect(rejects == "name,bio\n\"Zed, Z\",z\n")
    }

    @Test("several stored rows of one value are a choice", arguments: [1, 2])
    func ambiguousMatches(_ count: Int) throws {
        let place = try ImportPlace()
        try people(place, key: "int")
        try place.importing(
            [place.write("a.csv", "id,name,bio\n3,Ann,third\n")], into: "p.realm"
        ) { $0.className = "P" }
        let input = try place.write(
            "n.csv", "name,bio\n" + String(repeating: "Ann,new\n", count: count))
        let report = try place.importing([input], into: "p.realm") {
            $0.className = "P"
            try $0.options.setMatch("name")
        }
        #expect(report.merged == count)
        // Where each has one of its own nothing was chosen.
        #expect(report.items.contains { $0.code == "ambiguous-match" } == (count == 1))
    }

    @Test func emptyKeysAreNone() throws {
        let place = try ImportPlace()
        try people(place, key: "string")
        let input = try place.write("n.csv", "id,name,bio\n,Ann,a2\n,Bob,b2\n")
        let report = try place.importing([input], into: "p.realm") {
            $0.className = "P"
            try $0.options.setMatch("name")
        }
        #expect(report.merged == 2)
        #expect(try place.rows("p.realm", "P").map { $0[0] } == [.string("a"), .string("b")])
    }

    @Test func anUpdateWithoutUIDLeavesTheStoredOne() throws {
        let place = try ImportPlace()
        let first = try place.write(
            "a.ics",
            """
            BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VTODO\r\nUID:one\r\nSUMMARY:Milk\r\n\
            END:VTODO\r\nEND:VCALENDAR\r\n
            """)
        try place.importing([first], into: "t.realm")
        let second = try place.write(
            "b.json", #"[{"title": "Milk", "status": "COMPLETED"}]"#)
        let report = try place.importing([second], into: "t.realm") {
            try $0.options.setMatch("title")
        }
        #expect(report.merged == 1)
        #expect(!report.items.contains { $0.code == "uid-replaced" })
        try place.convert(place.path("t.realm"), to: "t.ics")
        let text = try place.text("t.ics")
        #expect(text.contains("UID:one\r\n"), "\(text)")
        #expect(text.contains("STATUS:COMPLETED\r\n"), "\(text)")
    }

    @Test func groupsThatComeInDoNotMixWithStoredOnes() throws {
        let place = try ImportPlace()
        let first = try place.write(
            "a.vcf",
            card(
                "N:Doe;John;;;", "FN:John Doe", "item1.TEL:1", "item1.X-ABLabel:Mobile",
                "item2.EMAIL:a@x.org", "item2.X-ABLabel:Private",
                "item3.X-ABRELATEDNAMES:Jane", "item3.X-ABLabel:_$!<Spouse>!$_"))
        let second = try place.write(
            "b.vcf",
            card(
                "N:Doe;John;;;", "FN:John Doe", "item1.EMAIL:b@x.org", "item1.X-ABLabel:New"))
        try place.importing([first], into: "c.realm")
        let report = try place.importing([second], into: "c.realm")
        #expect(report.merged == 1)
        #expect(try place.importing([second], into: "c.realm").skipped == 1)
        try place.convert(place.path("c.realm"), to: "c.vcf")
        let lines = try place.text("c.vcf").components(separatedBy: "\r\n")
        func label(of line: String) -> String? {
            guard let found = lines.first(where: { $0.hasSuffix("." + line) }) else { return nil }
            let start = found.prefix { $0 != "." } + ".X-ABLabel:"
            let labels = lines.filter { $0.hasPrefix(start) }
            return labels.count == 1 ? String(labels[0].dropFirst(start.count)) : nil
        }
        #expect(label(of: "TEL:1") == "Mobile", "\(lines)")
        #expect(label(of: "EMAIL:b@x.org") == "New", "\(lines)")
        #expect(label(of: "X-ABRELATEDNAMES:Jane") == "_$!<Spouse>!$_", "\(lines)")
        #expect(lines.count { $0.contains("X-ABLabel") } == 3, "\(lines)")
    }

    @Test func labelsGoWithWhatTheyTellOf() throws {
        let place = try ImportPlace()
        let first = try place.write(
            "a.vcf",
            card("N:Doe;John;Q.;Dr.;", "FN:John Doe", "item1.TEL:1", "item1.X-ABLabel:Mobile"))
        let second = try place.write("b.vcf", card("N:Doe;John;;;", "FN:John Doe", "TEL:2"))
        try place.importing([first], into: "c.realm")
        let report = try place.importing([second], into: "c.realm")
        #expect(
            report.items.filter { $0.code == "name-part-replaced" }.map(\.property).sorted {
                ($0 ?? "") < ($1 ?? "")
            } == ["names.additional", "names.prefixes"])
        try place.convert(place.path("c.realm"), to: "c.vcf")
        let text = try place.text("c.vcf")
        #expect(text.contains("TEL:2\r\n"), "\(text)")
        #expect(!text.contains("X-ABLabel"), "\(text)")
    }

    /// The lines by which a task is finished.
    private static let finished = [
        "STATUS:COMPLETED", "COMPLETED:20260302T223000Z", "PERCENT-COMPLETE:100",
    ]

    /// A place with `t.realm`, whose only task is finished.
    private func storeWithFinishedTask() throws -> ImportPlace {
        let place = try ImportPlace()
        let lines =
            ["BEGIN:VCALENDAR", "BEGIN:VTODO", "UID:u", "SUMMARY:Tax"] + Self.finished
            + ["END:VTODO", "END:VCALENDAR", ""]
        let first = try place.write("a.ics", lines.joined(separator: "\r\n"))
        try place.importing([first], into: "t.realm")
        return place
    }

    @Test(
        arguments: [
            ("b.csv", "uid,title\nu,Renamed\n"), ("b.json", #"[{"uid": "u", "title": "Renamed"}]"#),
        ])
    func whatSaysNothingOfTheStateLeavesIt(_ name: String, _ text: String) throws {
        let place = try storeWithFinishedTask()
        let report = try place.importing([place.write(name, text)], into: "t.realm") {
            $0.className = "TodoItem"
        }
        #expect(report.merged == 1)
        try place.convert(place.path("t.realm"), to: "t.ics")
        let lines = try place.text("t.ics")
        for line in Self.finished + ["SUMMARY:Renamed"] {
            #expect(lines.contains(line + "\r\n"), "\(lines)")
        }
        // Who says one of the three says all: the task is open again.
        let open = try place.write("c.json", #"[{"uid": "u", "status": "NEEDS-ACTION"}]"#)
        try place.importing([open], into: "t.realm") { $0.className = "TodoItem" }
        try place.convert(place.path("t.realm"), to: "t2.ics")
        #expect(try !place.text("t2.ics").contains("COMPLETED"))
    }

    /// Who takes a completion back in iCalendar removes all three lines (T3).
    @Test func aCalendarWithoutTheStateReopensATaskThatWasDone() throws {
        let place = try storeWithFinishedTask()
        let open = try place.write(
            "b.ics",
            "BEGIN:VCALENDAR\r\nBEGIN:VTODO\r\nUID:u\r\nSUMMARY:Tax\r\nEND:VTODO\r\n"
                + "END:VCALENDAR\r\n")
        #expect(try place.importing([open], into: "t.realm").merged == 1)
        #expect(try place.importing([open], into: "t.realm").skipped == 1)
        try place.convert(place.path("t.realm"), to: "t.ics")
        let text = try place.text("t.ics")
        #expect(!text.contains("COMPLETED") && !text.contains("PERCENT"), "\(text)")
        // Other states are no completion: silence leaves them.
        let going = try place.write(
            "c.ics",
            "BEGIN:VCALENDAR\r\nBEGIN:VTODO\r\nUID:u\r\nSUMMARY:Tax\r\nSTATUS:IN-PROCESS\r\n"
                + "END:VTODO\r\nEND:VCALENDAR\r\n")
        try place.importing([going], into: "t.realm")
        #expect(try place.importing([open], into: "t.realm").skipped == 1)
    }

    @Test func aTableOfTasksWithoutAStateLeavesIt() throws {
        let place = try storeWithFinishedTask()
        let table = try place.write("b.csv", "title,due\nTax,2026-05-01\n")
        try place.importing([table], into: "t.realm") {
            $0.map = "todo"
            try $0.options.setMatch("title")
        }
        try place.convert(place.path("t.realm"), to: "t.ics")
        let text = try place.text("t.ics")
        for line in Self.finished + ["DUE;VALUE=DATE:20260501"] {
            #expect(text.contains(line + "\r\n"), "\(text)")
        }
    }

    @Test func anAddressBookWithoutCategoriesLeavesTheMarkOfAnApp() throws {
        let place = try ImportPlace()
        let first = try place.write(
            "a.vcf", card("N:;Ann;;;", "FN:Ann", "TEL:1", "CATEGORIES:Buddy"))
        let second = try place.write("b.vcf", card("N:;Ann;;;", "FN:Ann", "TEL:2"))
        let third = try place.write(
            "c.vcf", card("N:;Ann;;;", "FN:Ann", "TEL:2", "CATEGORIES:Work"))
        for (input, isBuddy) in [(first, true), (second, true), (third, false)] {
            try place.importing([input], into: "m.realm") {
                $0.map = "mycontacts"
                try $0.options.setMatch("name")
            }
            let rows = try place.rows("m.realm", "ContactObject")
            #expect(rows.count == 1)
            #expect(rows.first?.contains(.bool(isBuddy)) == true, "\(rows)")
        }
    }
}
