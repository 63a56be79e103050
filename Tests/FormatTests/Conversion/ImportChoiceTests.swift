// What an import reads as what, and what an update leaves: small inputs into small stores.

import Foundation
import Testing

@testable import Formats

private func codes(_ report: Report) -> [String] { report.items.map(\.code) }

/// Some counts.
private func ints(_ values: Int...) -> [Int] { values }

/// A JSON value on one line.
private func spelled(_ tree: JSONTree) -> String {
    switch tree.value {
    case .null: "null"
    case .bool(let flag): "\(flag)"
    case .number(let digits): digits
    case .string(let text): JSONText.quoted(text)
    case .array(let elements): "[\(elements.map(spelled).joined(separator: ","))]"
    case .object(let members):
        "{\(members.map { "\($0.name):\(spelled($0.value))" }.joined(separator: ","))}"
    }
}

private func card(_ lines: String...) -> String {
    (["BEGIN:VCARD", "VERSION:3.0"] + lines + ["END:VCARD", ""]).joined(separator: "\r\n")
}

@Suite("What an import takes for what") struct ImportChoiceTests {
    @Test(arguments: ["q.json", "q.ndjson", "q.csv"])
    func rowsGoToTheClassThatIsNamed(_ name: String) throws {
        let place = try ImportPlace()
        try place.dogs()
        let text =
            name == "q.csv" ? "name\nQ\n" : name == "q.json" ? #"[{"name":"Q"}]"# : #"{"name":"Q"}"#
        let input = try place.write(name, text)
        let report = try place.importing([input], into: "dogs.realm") { $0.className = "Dog" }
        #expect(report.written == 1)
        #expect(!report.hasLoss)
        #expect(
            try place.rows("dogs.realm", "Dog") == [
                [.string("Rex"), .null], [.string("Q"), .null],
            ])
        #expect(throws: FormatError(.schemaMismatch, "")) {
            try place.importing([input], into: "dogs.realm") { $0.className = "Cat" }
        }
        #expect(throws: FormatError(.usage, "")) {
            try place.importing([input], into: "dogs.realm") { $0.className = "Dgo" }
        }
    }

    @Test func oneClassOfSeveralIsTakenAlone() throws {
        let place = try ImportPlace()
        try place.dogs()
        let input = try place.write(
            "both.json", #"{"Dog":[{"name":"A"}],"Person":[{"name":"P"},{"name":"Q"}]}"#)
        let report = try place.importing([input], into: "dogs.realm") { $0.className = "Dog" }
        #expect(ints(report.written, report.setAside) == [1, 0])
        #expect(try place.rows("dogs.realm", "Dog").count == 2)
        let other = try place.write("other.json", #"{"A":[{"name":"P"}],"B":[{"name":"Q"}]}"#)
        #expect(throws: FormatError(.unknownName, "")) {
            try place.importing([other], into: "dogs.realm") { $0.className = "Dog" }
        }
        let people = try place.write("a.vcf", card("N:A", "FN:A"))
        #expect(throws: FormatError(.usage, "")) {
            try place.importing([people], into: "new.realm") { $0.className = "Person" }
        }
    }

    @Test func columnsFindTheirClass() throws {
        let place = try ImportPlace()
        try place.dogs()
        let csv = try place.write("d.csv", "Name,Breed\nX,Y\n")
        let report = try place.importing([csv], into: "dogs.realm")
        #expect(codes(report).contains("class"))
        let json = try place.write("j.json", #"[{"name":"J"}]"#)
        try place.importing([json], into: "dogs.realm")
        let other = try place.write("other.csv", "alpha,beta\n1,2\n")
        #expect(codes(try place.importing([other], into: "dogs.realm")).contains("new-class"))
        #expect(try place.classes("dogs.realm") == ["Dog", "Cat", "other"])
        #expect(
            try place.rows("dogs.realm", "Dog") == [
                [.string("Rex"), .null], [.string("X"), .string("Y")], [.string("J"), .null],
            ])
    }

    @Test func theMapIsTheOneOfWhatComesIn() throws {
        let place = try ImportPlace()
        let people = try place.write("p.csv", "id,name,phone,isBuddy\n,A,1,yes\n")
        try place.convert(people, to: "s.realm") { $0.map = "mycontacts" }
        let tasks = try place.write(
            "t.json",
            #"[{"taskTitle":"T","taskDescription":null,"done":false,"date":"2020-01-01T00:00:00Z"}]"#
        )
        try place.importing([tasks], into: "s.realm") { $0.map = "realmtodo" }
        let more = try place.write(
            "u.json",
            #"[{"taskTitle":"U","taskDescription":"d","done":true,"date":"2020-01-01T00:00:00Z"}]"#)
        let report = try place.importing([more], into: "s.realm")
        #expect(ints(report.written, report.setAside) == [1, 0])
        #expect(try place.rows("s.realm", "Task").count == 2)
    }

    @Test func aRowMaySayOnlyWhatChanges() throws {
        let place = try ImportPlace()
        let document = """
            {"rtool": 1, "schemaVersion": 0, "classes": [
             {"name": "P", "kind": "object", "primaryKey": "id", "properties": [
              {"name": "id", "type": "int"}, {"name": "name", "type": "string"},
              {"name": "bio", "type": "string", "optional": true}]}],
             "tables": [], "objects": {"P": [{"$key": 0, "id": 1, "name": "Ann", "bio": null}]},
             "rows": {}}
            """
        try place.convert(place.write("p.json", document), to: "p.realm")
        for name in ["q.json", "q.ndjson"] {
            let bio = "of " + name
            let rows = ["{\"id\":1,\"bio\":\"\(bio)\"}", "{\"id\":2,\"bio\":\"x\"}"]
            let text =
                name == "q.json"
                ? "[" + rows.joined(separator: ",") + "]" : rows.joined(separator: "\n")
            let context = ExchangeContext()
            var rejects: [String] = []
            context.onReject = { bytes, _ in rejects.append(String(decoding: bytes, as: UTF8.self))
            }
            var job = Import(
                [try place.write(name, text)], into: place.path("p.realm"), context: context)
            job.className = "P"
            try job.run()
            // A new row lacks its name all the same.
            #expect(ints(context.report.merged, context.report.setAside) == [1, 1])
            #expect(rejects == [rows[1]])
            #expect(
                try place.rows("p.realm", "P") == [[.int(1), .string("Ann"), .string(bio)]])
        }
    }

    /// Rows without a key never land on each other.
    @Test(arguments: ["int", "string"])
    func rowsWithoutAKeyAreThoseTheyMatch(_ type: String) throws {
        let place = try ImportPlace()
        let keys = type == "int" ? ["1", "2"] : ["\"a\"", "\"b\""]
        let document = """
            {"rtool": 1, "schemaVersion": 0, "classes": [
             {"name": "P", "kind": "object", "primaryKey": "id", "properties": [
              {"name": "id", "type": "\(type)"}, {"name": "name", "type": "string"},
              {"name": "bio", "type": "string", "optional": true}]}],
             "tables": [], "objects": {"P": [
              {"$key": 0, "id": \(keys[0]), "name": "Ann", "bio": null},
              {"$key": 1, "id": \(keys[1]), "name": "Bob", "bio": null}]}, "rows": {}}
            """
        let csv = try place.write("q.csv", "name,bio\nZed,z\nAnn,a\nYan,y\nBob,b\n")
        let json = try place.write(
            "q.json",
            #"[{"name":"Zed","bio":"z"},{"name":"Ann","bio":"a"},{"name":"Bob","bio":"b"}]"#)
        for (input, missing) in [(csv, 2), (json, 1)] {
            try place.convert(place.write("p.json", document), to: "p.realm") {
                $0.context = ExchangeContext(options: Self.forced)
            }
            let report = try place.importing([input], into: "p.realm") {
                $0.className = "P"
                try $0.options.setMatch("name")
            }
            #expect(report.setAside == missing)
            let rows = try place.rows("p.realm", "P")
            #expect(rows.map { $0[1] } == [.string("Ann"), .string("Bob")])
            #expect(report.merged == 2)
            #expect(rows.map { $0[2] } == [.string("a"), .string("b")])
        }
    }

    private static var forced: ExchangeOptions {
        var options = ExchangeOptions()
        options.force = true
        return options
    }

    @Test func contactsNeedNoBookkeeping() throws {
        let place = try ImportPlace()
        let input = try place.write(
            "s.json",
            #"[{"formattedName":"A","phones":[{"value":"1"},{"value":"2"}],"gender":{"sex":"F"}}]"#)
        #expect(try place.importing([input], into: "s.realm").written == 1)
        let again = try place.importing([input], into: "s.realm")
        #expect(ints(again.written, again.skipped) == [0, 1])
        try place.convert(input, to: "s.vcf")
        let card = try place.text("s.vcf")
        #expect(card.contains("TEL:1\r\nTEL:2\r\n"), "\(card)")
        // The same contact, whoever spelled it.
        let back = try place.importing([place.path("s.vcf")], into: "s.realm")
        #expect(back.written == 0)
    }

    @Test func severalInputsAreLikeOneAfterTheOther() throws {
        let place = try ImportPlace()
        let a = try place.write(
            "a.vcf", card("UID:u1", "FN:Ann", "N:Ann") + card("FN:Same", "N:S"))
        let b = try place.write(
            "b.vcf", card("UID:urn:uuid:U1", "FN:Anna", "N:Ann") + card("FN:Same", "N:S"))
        let report = try place.importing([a, b, a], into: "new.realm")
        #expect(ints(report.read, report.written) == [6, 2])
        try place.importing([a], into: "steps.realm")
        try place.importing([b], into: "steps.realm")
        try place.importing([a], into: "steps.realm")
        #expect(try place.rows("new.realm", "Contact") == place.rows("steps.realm", "Contact"))
        let rows = try place.write(
            "t.json",
            #"[{"taskTitle":"T","taskDescription":null,"done":false,"date":"2020-01-01T00:00:00Z"}]"#
        )
        let twice = try place.importing([rows, rows], into: "t.realm") { $0.map = "realmtodo" }
        #expect(ints(twice.written, twice.skipped) == [1, 1])
    }

    @Test func aBadLineLosesNothingElse() throws {
        let place = try ImportPlace()
        let input = try place.write("bad.ndjson", "{\"a\":1}\n{\"a\":}\n{\"a\":3}\n")
        let report = try place.importing([input], into: "b.realm")
        #expect(ints(report.read, report.written, report.setAside) == [3, 2, 1])
        #expect(try place.convert(input, to: "c.realm").setAside == 1)
    }

    @Test func aRepeatedIdIsSaid() throws {
        let place = try ImportPlace()
        let id = "5b8330b4b9162583a90d70be"
        let input = try place.write(
            "d.csv", "id,name,phone,isBuddy\n\(id),C,3,yes\n\(id),E,5,no\n")
        let report = try place.importing([input], into: "d.realm") { $0.map = "mycontacts" }
        #expect(report.written == 2)
        #expect(codes(report).contains("duplicate-key"))
        let cards = try place.write(
            "u.vcf", card("UID:u", "FN:A", "N:A") + card("UID:u", "FN:B", "N:B"))
        #expect(codes(try place.importing([cards], into: "u.realm")).contains("duplicate-key"))
    }

    @Test func rejectsOfATableCanBeMendedAndRead() throws {
        let place = try ImportPlace()
        let text = "id,name,phone,isBuddy\n,A,1,yes\n,B,2,maybe\n,C,3,perhaps\n"
        let input = try place.write("r.csv", text)
        let context = ExchangeContext()
        var kept: [UInt8] = []
        context.onRejectHeading = { if kept.isEmpty { kept += $0 } }
        context.onReject = { bytes, _ in kept += bytes }
        var job = Import([input], into: place.path("r.realm"), context: context)
        job.map = "mycontacts"
        try job.run()
        #expect(context.report.setAside == 2)
        let mended = String(decoding: kept, as: UTF8.self)
            .replacing("maybe", with: "no").replacing("perhaps", with: "yes")
        let again = try place.importing([try place.write("m.csv", mended)], into: "r.realm") {
            $0.map = "mycontacts"
        }
        #expect(ints(again.written, again.setAside) == [2, 0])
    }

    @Test func peopleAreNotMatchedByNameAlone() throws {
        let place = try ImportPlace()
        let input = try place.write("a.vcf", card("FN:A", "N:A", "TEL:1"))
        try place.importing([input], into: "a.realm")
        #expect(throws: FormatError(.usage, "")) {
            try place.importing([input], into: "a.realm") { try $0.options.setMatch("name") }
        }
        try place.importing([input], into: "a.realm") { try $0.options.setMatch("name+phone") }
    }
}

@Suite("What an update leaves") struct UpdateTests {
    private func contact(_ place: ImportPlace, _ store: String) throws -> String {
        try place.convert(place.path(store), to: "out.vcf")
        defer { try? FileManager.default.removeItem(atPath: place.path("out.vcf")) }
        return try place.text("out.vcf")
    }

    @Test func cardsSayOnlyWhatTheyHave() throws {
        let place = try ImportPlace()
        let old = try place.write(
            "old.vcf",
            card(
                "UID:u1", "FN:Ann", "N:Ann;;;;", "NOTE:keep me", "TEL:1", "EMAIL:a@b.c",
                "BDAY:2000-01-02", "X-OLD:stays", "X-BOTH:old"))
        let new = try place.write(
            "new.vcf",
            card("FN:Ann B", "N:Ann;;;;", "EMAIL:a@b.c", "TEL:2", "X-BOTH:new"))
        try place.importing([old], into: "s.realm")
        let report = try place.importing([new], into: "s.realm") {
            try $0.options.setMatch("email")
        }
        #expect(ints(report.merged, report.written) == [1, 0])
        let item = report.items.first { $0.code == "items-replaced" && $0.property == "phones" }
        #expect(item?.kind == .lost && item?.value == "1")
        let text = try contact(place, "s.realm")
        for line in [
            "UID:u1", "FN:Ann B", "NOTE:keep me", "TEL:2", "EMAIL:a@b.c", "BDAY:2000-01-02",
            "X-OLD:stays", "X-BOTH:new",
        ] { #expect(text.contains(line + "\r\n"), "\(line)") }
        #expect(!text.contains("X-BOTH:old") && !text.contains("TEL:1"))
        let again = try place.importing([new], into: "s.realm") { try $0.options.setMatch("email") }
        #expect(ints(again.merged, again.skipped) == [0, 1])
        try place.importing([new], into: "s.realm") {
            try $0.options.setMatch("email")
            $0.options.onMatch = .replace
        }
        let replaced = try contact(place, "s.realm")
        #expect(!replaced.contains("NOTE") && !replaced.contains("X-OLD"))
    }

    /// What a card does not say of a value that it has is lost, and told by its name.
    @Test(arguments: [
        ("EMAIL;TYPE=work;X-K=1:a@b.c", "EMAIL:a@b.c", "emails", "a@b.c (TYPE, X-K)"),
        ("TEL;TYPE=cell;X-Q=7:1", "TEL;TYPE=home:1", "phones", "1 (X-Q)"),
        ("NOTE;LANGUAGE=de:n", "NOTE:n", "notes", "n (LANGUAGE)"),
        ("FN;X-L=1:Ann", "FN:Ann", "formattedNames", "Ann (X-L)"),
        ("X-A;X-P=1:v", "X-A:v", "extras", "v (X-P)"),
    ])
    func parametersThatGoAreNamed(
        _ old: String, _ new: String, _ property: String, _ value: String
    ) throws {
        let place = try ImportPlace()
        let name = old.hasPrefix("FN") ? "X-Z:z" : "FN:Ann"
        try place.importing(
            [place.write("old.vcf", card("UID:u1", "N:Ann;;;;", name, old))], into: "s.realm")
        let report = try place.importing(
            [place.write("new.vcf", card("UID:u1", "N:Ann;;;;", name, new))], into: "s.realm")
        #expect(report.merged == 1)
        let lost = report.items.filter { $0.kind == .lost }
        #expect(lost.map(\.code) == ["parameters-replaced"], "\(report.items)")
        #expect(lost.first?.property == property && lost.first?.value == value)
    }

    @Test func anotherKindOfTheSameValueIsAChange() throws {
        let place = try ImportPlace()
        try place.importing(
            [place.write("old.vcf", card("UID:u1", "FN:A", "TEL;TYPE=cell:1"))], into: "s.realm")
        let report = try place.importing(
            [place.write("new.vcf", card("UID:u1", "FN:A", "TEL;TYPE=home:1"))], into: "s.realm")
        let item = report.items.first { $0.code == "items-replaced" }
        #expect(item?.kind == .changed && item?.value == "1")
        #expect(!report.hasLoss)
    }

    @Test func linesOfOneValueAreDifferentThings() throws {
        let place = try ImportPlace()
        try place.importing(
            [place.write("old.vcf", card("UID:u1", "FN:A", "X-A:1", "X-A:2", "X-B:1"))],
            into: "s.realm")
        let report = try place.importing(
            [place.write("new.vcf", card("UID:u1", "FN:A", "X-A:2", "X-B:1"))], into: "s.realm")
        let item = report.items.first { $0.code == "items-replaced" }
        #expect(item?.kind == .lost && item?.value == "1")
    }

    @Test func whatTellsWhenAToDoIsDueIsOneThing() throws {
        let place = try ImportPlace()
        func todo(_ lines: String...) -> String {
            (["BEGIN:VCALENDAR", "VERSION:2.0", "BEGIN:VTODO", "UID:t"] + lines
                + ["END:VTODO", "END:VCALENDAR", ""]).joined(separator: "\r\n")
        }
        let old = try place.write(
            "old.ics",
            todo(
                "SUMMARY:T", "STATUS:COMPLETED", "COMPLETED:20200101T000000Z",
                "PERCENT-COMPLETE:100",
                "DUE;VALUE=DATE:20200102", "LOCATION:here"))
        let new = try place.write(
            "new.ics", todo("SUMMARY:T", "DTSTART;VALUE=DATE:20200101", "DURATION:P3D"))
        try place.importing([old], into: "s.realm")
        try place.importing([new], into: "s.realm")
        try place.convert(place.path("s.realm"), to: "out.ics")
        let text = try place.text("out.ics")
        #expect(text.contains("LOCATION:here") && text.contains("DURATION:P3D"))
        // The duration took the place of the due date; without a state the to-do is open again.
        #expect(!text.contains("COMPLETED") && !text.contains("DUE"))
    }

    @Test func tablesSayWhatTheirColumnsHold() throws {
        let place = try ImportPlace()
        let full = try place.write(
            "f.csv", "id,name,phone,isBuddy\n5b8330b4b9162583a90d70be,Ann,1,yes\n")
        try place.importing([full], into: "s.realm") { $0.map = "mycontacts" }
        let part = try place.write("p.csv", "id,name,phone\n5b8330b4b9162583a90d70be,Anna,\n")
        let report = try place.importing([part], into: "s.realm")
        #expect(report.merged == 1)
        let row = try #require(try place.rows("s.realm", "ContactObject").first)
        #expect(Array(row[1...]) == [.string("Anna"), .string("1"), .bool(true)])
        let cards = try place.write(
            "c.vcf", card("UID:5b8330b4b9162583a90d70be", "FN:Annie", "N:Annie"))
        try place.importing([cards], into: "s.realm")
        let last = try #require(try place.rows("s.realm", "ContactObject").first)
        #expect(Array(last[1...2]) == [.string("Annie"), .string("1")])
    }
}

@Suite("What an import takes from what is stored") struct ReplacedTests {
    @Test func theUIDOfAReplacedCardIsSaid() throws {
        let place = try ImportPlace()
        let card = { (lines: String) in
            "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:A\r\nN:A;;;;\r\nEMAIL:a@b.c\r\n\(lines)END:VCARD\r\n"
        }
        try place.importing([place.write("old.vcf", card("UID:u1\r\n"))], into: "s.realm")
        let new = try place.write("new.vcf", card("TEL:2\r\n"))
        let report = try place.importing([new], into: "s.realm") {
            try $0.options.setMatch("email")
            $0.options.onMatch = .replace
        }
        let item = report.items.first { $0.code == "uid-replaced" }
        #expect(item?.kind == .lost && item?.value == "u1")
    }

    @Test func rowsThatSayNothingArePassedOver() throws {
        let place = try ImportPlace()
        let input = try place.write("b.csv", "id,name,phone,isBuddy\n,Ann,1,yes\n,,,\n,Bo,2,no\n")
        let report = try place.importing([input], into: "s.realm") { $0.map = "mycontacts" }
        #expect(ints(report.written, report.skipped, report.setAside) == [2, 1, 0])
    }

    @Test(arguments: [
        ("age.csv", "name,age\nC,70\n"), ("age.json", #"[{"name": "C", "age": 70}]"#),
    ])
    func noClassIsChosenThatLosesAColumnOfAnother(_ name: String, _ text: String) throws {
        let place = try ImportPlace()
        let document = """
            {"rtool": 1, "schemaVersion": 0, "classes": [
             {"name": "Dog", "kind": "object", "properties": [{"name": "name", "type": "string"}]},
             {"name": "Person", "kind": "object", "primaryKey": "id", "properties": [
              {"name": "id", "type": "int"}, {"name": "name", "type": "string"},
              {"name": "age", "type": "int"}, {"name": "size", "type": "int"},
              {"name": "weight", "type": "int"}]}],
             "tables": [], "objects": {"Dog": [], "Person": []}, "rows": {}}
            """
        try place.convert(place.write("s.json", document), to: "s.realm")
        let input = try place.write(name, text)
        #expect(throws: FormatError(.usage, "")) { try place.importing([input], into: "s.realm") }
        let report = try place.importing([input], into: "s.realm") { $0.className = "Dog" }
        #expect(report.written == 1)
    }
}

@Suite("Texts of several classes, and options of texts") struct TextChoiceTests {
    @Test func allClassesOfATextComeAlong() throws {
        let place = try ImportPlace()
        let input = try place.write("pd.json", #"{"Person":[{"n":1}],"Dog":[{"m":2},{"m":3}]}"#)
        let report = try place.convert(input, to: "all.json")
        #expect(ints(report.read, report.written, report.skipped) == [3, 3, 0])
        for name in ["all.csv", "all.ndjson"] {
            #expect(throws: FormatError(.usage, "")) { try place.convert(input, to: name) }
        }
        try place.convert(input, to: "dog.csv") { $0.className = "Dog" }
        #expect(try place.text("dog.csv") == "m\r\n2\r\n3\r\n")
    }

    @Test func dollarsMayBeginNames() throws {
        let place = try ImportPlace()
        let input = try place.write("d.json", #"[{"a":1,"$x":2},{"a":2,"$x":3,"":4,"b.c":5}]"#)
        let report = try place.convert(input, to: "d.csv")
        #expect(report.setAside == 0)
        #expect(try place.text("d.csv") == "a,$x,\"\",b.c\r\n1,2,,\r\n2,3,4,5\r\n")
    }

    @Test func loneSurrogatesAreALoss() throws {
        let place = try ImportPlace()
        let card = try place.write("c.json", #"[{"fn":"\ud83d\ude00 \\ud800 \udc00"}]"#)
        let items = try place.convert(card, to: "c.vcf").items.filter {
            $0.code == "lone-surrogate"
        }
        #expect(items.map(\.count) == [1])
        let input = try place.write("s.json", #"[{"a":"\ud800"}]"#)
        #expect(try place.convert(input, to: "s.csv").hasLoss)
    }

    @Test(arguments: [("last", "2"), ("first", "1")])
    func oneOfTwoMembersCounts(_ word: String, _ value: String) throws {
        let place = try ImportPlace()
        let input = try place.write("d.json", #"[{"a":1,"a":2}]"#)
        var options = ExchangeOptions()
        options.extra["dup"] = word
        let context = ExchangeContext(options: options)
        try Conversion(from: input, to: place.path("d.csv"), context: context).run()
        #expect(try place.text("d.csv") == "a\r\n\(value)\r\n")
        options.extra["dup"] = "error"
        let strict = ExchangeContext(options: options)
        try Conversion(from: input, to: place.path("e.csv"), context: strict).run()
        #expect(strict.report.setAside == 1)
    }

    @Test(arguments: [("last", "2"), ("first", "1")])
    func oneOfTwoNestedMembersCounts(_ word: String, _ value: String) throws {
        let place = try ImportPlace()
        let input = try place.write("d.json", #"[{"a":{"b":{"x":1,"y":3,"x":2}}},{"a":5}]"#)
        var options = ExchangeOptions()
        options.extra["dup"] = word
        let context = ExchangeContext(options: options)
        try Conversion(from: input, to: place.path("d.ndjson"), context: context).run()
        let text = try place.text("d.ndjson")
        #expect(text.contains("\"x\":\(value)") && !text.contains("\"x\":\(3 - (Int(value) ?? 0))"))
        #expect(codes(context.report).contains("duplicate-member"))
        options.extra["dup"] = "error"
        let strict = ExchangeContext(options: options)
        try Conversion(from: input, to: place.path("e.ndjson"), context: strict).run()
        #expect(strict.report.setAside == 1)
    }

    @Test(arguments: [
        ("// c\n[{a:1,'b':\"x\",},]", #"[{"a":1,"b":"x"}]"#),
        (
            "{a: .5, b: +1, c: 0x1F, d: 'it\\'s \"q\"', /* c: } */ e: [1,2,],}",
            #"{"a":0.5,"b":1,"c":31,"d":"it's \"q\"","e":[1,2]}"#
        ),
        (
            "[NaN, -Infinity, null, true, 1e5, -2.5E-3]",
            #"[{"$numberDouble":"NaN"},{"$numberDouble":"-Infinity"},null,true,1e5,-2.5E-3]"#
        ),
        ("{\"s\": \"a // b /* c */ ,]\"}", #"{"s":"a // b /* c */ ,]"}"#),
        ("{x: 'a\\\nb\\x41', $y_1 /*k*/ : 2.}", #"{"x":"abA","$y_1":2.0}"#),
    ])
    func json5IsReadAsJSON(_ text: String, _ json: String) throws {
        let input = bytes(text) { InputBytes(name: "t", copying: $0) }
        let plain = try JSON5Text.plain(input)
        let wanted = try JSONTree.parse(bytes(json) { InputBytes(name: "w", copying: $0) })
        #expect(spelled(try JSONTree.parse(plain)) == spelled(wanted))
    }

    @Test(arguments: [
        "[,]", "[1,,2]", "{a:1", "['a", "/* x", "{'a' 1}", "[1 2]", "{a:0x}", "[.]", "[+]", "[++1]",
        "[.e1]",
    ])
    func badJSON5IsRefused(_ text: String) throws {
        let input = bytes(text) { InputBytes(name: "t", copying: $0) }
        #expect(throws: FormatError.self) { _ = try JSONTree.parse(JSON5Text.plain(input)) }
    }

    @Test func jsonOfAnotherEncodingIsRead() throws {
        let place = try ImportPlace()
        try Data([0x5B, 0x7B, 0x22, 0x61, 0x22, 0x3A, 0x22, 0xE9, 0x22, 0x7D, 0x5D])
            .write(to: URL(fileURLWithPath: place.path("l.json")))
        var options = ExchangeOptions()
        options.encoding = "latin1"
        let context = ExchangeContext(options: options)
        try Conversion(from: place.path("l.json"), to: place.path("l.csv"), context: context).run()
        #expect(try place.text("l.csv") == "a\r\né\r\n")
    }

    @Test(arguments: ["e.vcf", "e.ics", "junk.vcf"])
    func aFileWithoutRecordsIsSaid(_ name: String) throws {
        let place = try ImportPlace()
        let input = try place.write(name, name == "junk.vcf" ? "hello\n" : "")
        let from = name.hasSuffix("ics") ? "ical" : "vcard"
        let report = try place.convert(input, to: "e.json") { $0.from = from }
        #expect(codes(report).contains(Report.noRecords))
        #expect(try place.text("e.json") == "[]\n")
    }

    /// The same in tables and JSON, where the columns or the name of the file say what they hold.
    @Test(arguments: [
        ("e.jcard", "[]", "e.vcf"), ("e.jcard", " [ ]\n", "e.json"), ("e.jcard", "[]", "e.realm"),
        ("e.json", "[]", "e.ics"), ("e.json", "[]", "e.vcf"),
        ("h.csv", "First Name,Last Name,E-mail 1 - Value\n", "e.vcf"),
        ("h.csv", "First Name,Last Name,E-mail 1 - Value\n", "e.realm"),
        ("t.csv", "Title,Due,Status\n", "e.ics"),
    ])
    func anEmptyListOfRecordsIsSaid(_ name: String, _ text: String, _ output: String) throws {
        let place = try ImportPlace()
        let input = try place.write(name, text)
        let converted = try place.convert(input, to: output)
        #expect(codes(converted).contains(Report.noRecords))
        if output == "e.realm" {
            let report = try place.importing([input], into: "i.realm")
            #expect(codes(report).contains(Report.noRecords))
        }
    }

    @Test(arguments: [("e.json", "[]", "e.ndjson"), ("h.csv", "a,b\n", "e.json")])
    func rowsThatAreNoRecordsMayBeNone(_ name: String, _ text: String, _ output: String) throws {
        let place = try ImportPlace()
        let report = try place.convert(place.write(name, text), to: output)
        #expect(!codes(report).contains(Report.noRecords))
    }

    @Test func aFileAToDo() throws {
        let place = try ImportPlace()
        let input = try place.write(
            "t.ics",
            "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VTODO\r\nUID:1\r\nSUMMARY:T\r\nEND:VTODO\r\n"
                + "END:VCALENDAR\r\n")
        try place.convert(input, to: "d") { $0.folder = place.path("d") }
        #expect(try FileManager.default.contentsOfDirectory(atPath: place.path("d")) == ["T.ics"])
    }

    @Test func aFileAClassInOnePass() throws {
        let place = try ImportPlace()
        let input = try place.write("pd.json", #"{"Person":[{"n":1}],"Dog":[{"m":2},{"m":3}]}"#)
        try place.convert(input, to: "s.realm")
        let context = ExchangeContext()
        var export = Export(place.path("s.realm"), to: "-", context: context)
        export.folder = place.path("out")
        try export.run()
        let report = context.report
        #expect(ints(report.read, report.written, report.skipped) == [3, 3, 0])
        #expect(try place.text("out/Dog.csv") == "m\r\n2\r\n3\r\n")
    }
}
