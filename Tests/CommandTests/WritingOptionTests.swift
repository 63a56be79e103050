import Foundation
import Testing

@Suite("Choices when writing, on the command line") struct WritingOptionTests {
    private static let card =
        "BEGIN:VCARD\r\nVERSION:4.0\r\nUID:secret-7\r\nFN:Ann Lee\r\nEND:VCARD\r\n"

    @Test(arguments: ["convert", "export"])
    func helpExplainsThem(_ command: String) throws {
        let help = try Workplace().run("help", command).output
        for option in ["--pretty", "--photos DIR", "--overflow notes", "--groups categories"] {
            #expect(help.contains(option), "\(option)")
        }
        let script = try Workplace().run("completions", "bash").output
        #expect(script.contains("--photos"))
    }

    @Test(arguments: [
        ["--pretty", "a.ndjson"], ["--photos", "p", "a.json"], ["--overflow", "notes", "a.csv"],
        ["--overflow", "extra", "a.csv", "--profile", "google"],
        ["--groups", "categories", "a.json"],
        ["--groups", "labels", "b.vcf"],
    ])
    func oneThatMeansNothingIsAnErrorOfUsage(_ words: [String]) throws {
        let place = try Workplace()
        try place.write("a.vcf", Self.card)
        let run = try place.run(["convert", "a.vcf"] + words)
        #expect(run.exitCode == 64, "\(run.errors)")
        #expect(try place.names() == ["a.vcf"])
    }

    @Test func jsonIsIndentedOnRequest() throws {
        let place = try Workplace()
        let run = try place.run(
            "convert", "-", "-", "--from", "csv", "--to", "json", "--pretty", input: "a,b\n1,\n")
        #expect(run.exitCode == 0, "\(run.errors)")
        #expect(run.output == "[\n  {\n    \"a\": \"1\",\n    \"b\": null\n  }\n]\n")
    }

    @Test func photosGoToAFolder() throws {
        let place = try Workplace()
        try place.write(
            "a.vcf",
            Self.card.replacingOccurrences(
                of: "END", with: "PHOTO:data:image/png;base64,iVBORw0KGgo=\r\nEND"))
        let words = ["convert", "a.vcf", "a.csv", "--profile", "google", "--photos", "p"]
        let made = try place.run(words)
        #expect(made.exitCode == 0, "\(made.errors)")
        #expect(try place.bytes("p/secret-7.png").count == 8)
        #expect(String(decoding: try place.bytes("a.csv"), as: UTF8.self).contains("secret-7.png"))
        try FileManager.default.removeItem(atPath: place.path("a.csv"))
        #expect(try place.run(words).exitCode == 73)
        #expect(try place.names() == ["a.vcf", "p"])
        #expect(try place.run(words + ["--force"]).exitCode == 0)
    }

    /// No table, no photos, and no folder for them.
    @Test func photosStayAwayWithTheirTable() throws {
        let place = try Workplace()
        try place.write(
            "a.vcf",
            Self.card.replacingOccurrences(
                of: "END", with: "PHOTO:data:image/png;base64,iVBORw0KGgo=\r\nEND"))
        let refused = try place.run(
            "convert", "a.vcf", "a.csv", "--profile", "outlook", "--photos", "p", "--strict")
        #expect(refused.exitCode == 65, "\(refused.errors)")
        #expect(try place.names() == ["a.vcf"])
        #if os(Linux)
            let full = try place.run(
                "convert", "a.vcf", "/dev/full", "--to", "csv", "--profile", "google", "--photos",
                "p")
            #expect(full.exitCode == 74, "\(full.errors)")
            #expect(try place.names() == ["a.vcf"])
        #endif
    }

    @Test func aReportCanBeShownToOthers() throws {
        let place = try Workplace()
        try place.write("a.vcf", Self.card)
        let open = try place.run("convert", "a.vcf", "a.csv", "--profile", "outlook")
        #expect(open.errors.contains("secret-7"))
        let hidden = try place.run(
            "convert", "a.vcf", "b.csv", "--profile", "outlook", "--private", "--report", "r.json")
        #expect(hidden.exitCode == 0, "\(hidden.errors)")
        #expect(!hidden.errors.contains("secret-7") && hidden.errors.contains(": #"))
        let report = String(decoding: try place.bytes("r.json"), as: UTF8.self)
        #expect(!report.contains("secret-7") && report.contains("\"value\": \"#"))
    }

    @Test func importedNumbersGetOneForm() throws {
        let place = try Workplace()
        try place.write(
            "a.vcf", Self.card.replacingOccurrences(of: "END", with: "TEL:030 1234567\r\nEND"))
        let made = try place.run(
            "import", "a.vcf", "--into", "a.realm", "--phone-format", "e164", "--region", "DE")
        #expect(made.exitCode == 0, "\(made.errors)")
        let cards = try place.run("export", "a.realm", "--to", "vcard")
        #expect(cards.output.contains("TEL:+49301234567"), "\(cards.output)")
        #expect(
            try place.run("import", "a.vcf", "--into", "b.realm", "--phone-format", "e164").exitCode
                == 64)
    }

    @Test func linkedRowsStandInsideOnRequest() throws {
        let place = try Workplace()
        #expect(try place.run("convert", Workplace.sample("dogs.json"), "a.realm").exitCode == 0)
        let rows = try place.run(
            "export", "a.realm", "--class", "Person", "--to", "ndjson", "--embed", "1")
        #expect(rows.exitCode == 0, "\(rows.errors)")
        #expect(rows.output.contains("\"dogs\":[{\"name\":"), "\(rows.output)")
        #expect(!rows.output.contains("$ref"))
        let whole = try place.run("convert", "a.realm", "a.json", "--embed", "1")
        #expect(whole.exitCode == 64)
        #expect(try place.names() == ["a.realm"])
    }

    @Test func canonicalJSONReadsBack() throws {
        let place = try Workplace()
        #expect(try place.run("convert", Workplace.sample("dogs.json"), "a.realm").exitCode == 0)
        let made = try place.run("convert", "a.realm", "a.json", "--ejson", "canonical")
        #expect(made.exitCode == 0, "\(made.errors)")
        #expect(try place.run("diff", "a.realm", "a.json").exitCode == 0)
    }
}
