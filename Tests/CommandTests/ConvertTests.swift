import Foundation
import Testing

@Suite("rtool convert, import, export") struct ConvertTests {
    @Test func anAddressBookBecomesAStoreAndComesBack() throws {
        let place = try Workplace()
        let made = try place.run("import", Workplace.sample("people.vcf"), "--into", "people.realm")
        #expect(made.exitCode == 0, "\(made.errors)")
        #expect(made.errors.contains("read 5, written 5"))
        #expect(try place.run("verify", "people.realm").exitCode == 0)
        #expect(try place.run("info", "people.realm").output.contains("people.realm: ok"))
        let back = try place.run("export", "people.realm", "-o", "back.vcf")
        #expect(back.exitCode == 0, "\(back.errors)")
        let cards = String(decoding: try place.bytes("back.vcf"), as: UTF8.self)
        #expect(cards.components(separatedBy: "BEGIN:VCARD").count == 6)
        #expect(cards.contains("X-SOCIALPROFILE"))
    }

    @Test func importingTwiceChangesNothing() throws {
        let place = try Workplace()
        _ = try place.run("import", Workplace.sample("people.vcf"), "--into", "people.realm")
        let first = try place.bytes("people.realm")
        let again = try place.run(
            "import", Workplace.sample("people.vcf"), "--into", "people.realm")
        #expect(again.exitCode == 0, "\(again.errors)")
        #expect(again.errors.contains("written 0"))
        #expect(try place.bytes("people.realm") == first)
    }

    @Test(arguments: ["people.vcf", "dogs.json"])
    func storeAndDocumentAreTheSameStore(_ sample: String) throws {
        let place = try Workplace()
        #expect(try place.run("convert", Workplace.sample(sample), "a.realm").exitCode == 0)
        #expect(try place.run("convert", "a.realm", "a.json").exitCode == 0)
        #expect(try place.run("convert", "a.json", "b.realm").exitCode == 0)
        #expect(try place.run("convert", "b.realm", "b.json").exitCode == 0)
        #expect(try place.bytes("a.json") == place.bytes("b.json"))
        #expect(try place.bytes("a.realm") == place.bytes("b.realm"))
        #expect(try place.run("diff", "a.realm", "b.realm").exitCode == 0)
    }

    @Test(arguments: [
        ("mycontacts.csv", "mycontacts"), ("taskmanager.csv", "taskmanager"),
        ("realmtodo.json", "realmtodo"),
    ])
    func theSampleAppsModelsGoInAndOut(_ sample: String, _ map: String) throws {
        let place = try Workplace()
        let made = try place.run(
            "import", Workplace.sample(sample), "--into", "a.realm", "--map", map)
        #expect(made.exitCode == 0, "\(made.errors)")
        #expect(try place.run("verify", "a.realm").exitCode == 0)
        #expect(try place.run("export", "a.realm", "--to", "csv", "-o", "a.csv").exitCode == 0)
        let again = try place.run("import", "a.csv", "--into", "b.realm", "--map", map)
        #expect(again.exitCode == 0, "\(again.errors)")
        #expect(try place.bytes("a.realm") == place.bytes("b.realm"))
    }

    @Test func theDryRunProposesAColumnMapThatMapTakes() throws {
        let place = try Workplace()
        try place.write("odd.csv", "Who,Nr\nAnn Lee,123\n")
        let dry = try place.run("import", "odd.csv", "--into", "a.realm", "--dry-run")
        #expect(dry.exitCode == 0, "\(dry.errors)")
        #expect(dry.output.contains("\nWho = keep\nNr = keep\n"))
        let map = dry.output.replacingOccurrences(of: "Who = keep", with: "Who = name")
            .replacingOccurrences(of: "Nr = keep", with: "Nr = phone cell")
        try place.write("odd.map", map)
        let json = try place.run(
            "import", "odd.csv", "--into", "a.realm", "--dry-run", "--json", "--map", "odd.map")
        #expect(json.output.contains("\"column\": \"Nr\", \"field\": \"phone cell\""))
        let made = try place.run("import", "odd.csv", "--into", "a.realm", "--map", "odd.map")
        #expect(made.exitCode == 0, "\(made.errors)")
        let cards = try place.run("export", "a.realm", "--to", "vcard")
        #expect(cards.output.contains("TEL;TYPE=CELL:123"))
        let apps = try place.run(
            "import", "odd.csv", "--into", "b.realm", "--map", "mycontacts", "--map", "odd.map")
        #expect(apps.exitCode == 0, "\(apps.errors)")
        #expect(try place.run("export", "b.realm", "--to", "csv").output.contains("Ann Lee,123"))
        let refused = try place.run("convert", "odd.csv", "a.vcf")
        #expect(refused.exitCode == 64)
        #expect(refused.errors.contains("--map FILE"))
    }

    @Test func rowsOfATextGetTheClassThatIsNamed() throws {
        let place = try Workplace()
        try place.write("rows.ndjson", "{\"name\":\"a\"}\n{\"name\":\"b\"}\n")
        for (command, flag) in [("convert", ""), ("import", "--into")] {
            let words = flag.isEmpty ? [] : [flag]
            let made = try place.run(
                [command, "rows.ndjson"] + words + [
                    "\(command).realm", "--class", "Pet",
                ])
            #expect(made.exitCode == 0, "\(made.errors)")
            let schema = try place.run("schema", "\(command).realm")
            #expect(schema.output.contains("\"Pet\""), "\(schema.output)")
        }
    }

    @Test func rowsAreChosenOrderedAndCut() throws {
        let place = try Workplace()
        _ = try place.run(
            "import", Workplace.sample("realmtodo.json"), "--into", "a.realm", "--map", "realmtodo")
        let rows = try place.run(
            "export", "a.realm", "--to", "csv", "--columns", "taskTitle,done", "--sort",
            "done,-date",
            "--where", "taskTitle CONTAINS[c] 'BOOK' OR done = true", "--limit", "2")
        #expect(rows.exitCode == 0, "\(rows.errors)")
        #expect(
            rows.output
                == "taskTitle,done\r\nBook the ferry 🚢,false\r\nReturn library books,true\r\n")
    }

    @Test func aPipeServesAsInputAndOutput() throws {
        let place = try Workplace()
        let out = try place.run(
            "convert", "-", "-", "--from", "csv", "--to", "ndjson", input: "a,b\n1,\n")
        #expect(out.exitCode == 0, "\(out.errors)")
        #expect(out.output == "{\"a\":\"1\",\"b\":null}\n")
    }
}
