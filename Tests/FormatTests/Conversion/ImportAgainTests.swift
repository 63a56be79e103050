// The same records again, in the same file or spelled another way, change nothing.

import Foundation
import Testing

@testable import Formats

private func card(_ version: String, _ lines: [String]) -> String {
    (["BEGIN:VCARD", "VERSION:\(version)"] + lines + ["END:VCARD", ""]).joined(separator: "\r\n")
}

@Suite("Records that come again") struct ImportAgainTests {
    @Test(arguments: [
        ("rag.csv", "a,b\n1,2,3\n4,5\n"), ("n1.json", #"[{"a":{"b":1}},{"a":{"b":2}}]"#),
        ("n2.json", #"[{"a":{"y":1,"b":{"z":[1,{"q":1,"c":2}],"a":2}}}]"#),
        ("n3.json", #"[{"a":[{"b":1}]},{"a":[]}]"#), ("n4.json", #"[{"m":{"d":1.5}},{"m":null}]"#),
    ])
    func rowsOfAnyShapeAreKnownAgain(_ name: String, _ text: String) throws {
        let place = try ImportPlace()
        let input = try place.write(name, text)
        let first = try place.importing([input], into: "t.realm")
        let second = try place.importing([input], into: "t.realm")
        #expect(second.skipped == first.written)
        #expect(second.written == 0 && second.merged == 0)
        #expect(!second.items.contains { $0.kind == .lost })
    }

    /// The lines of cards with a name and little else, which versions spell their own ways.
    @Test(arguments: [
        ("3.0", ["GEO:1.5;2.5"]), ("3.0", ["X-GENDER:Male"]), ("3.0", ["X-SPOUSE:Jo"]),
        ("3.0", ["X-EVOLUTION-SPOUSE:Jo"]), ("3.0", ["X-ANNIVERSARY:2001-02-03"]),
        ("3.0", ["item1.X-ABDATE:2001-02-03", "item1.X-ABLabel:_$!<Anniversary>!$_"]),
        ("3.0", ["item1.X-ABDATE:2001-02-03", "item1.X-ABLabel:First met"]),
        ("3.0", ["X-ABShowAs:COMPANY"]), ("3.0", ["SORT-STRING:B"]), ("3.0", ["CLASS:PRIVATE"]),
        ("3.0", ["KEY;TYPE=X509;ENCODING=b:AAECAwQ="]), ("3.0", ["MAILER:m"]),
        ("3.0", ["X-ADDRESSBOOKSERVER-KIND:group"]),
        ("3.0", ["PHOTO;ENCODING=b;TYPE=JPEG:/9j/4AAQ"]),
        ("4.0", ["GENDER:F"]), ("4.0", ["RELATED;TYPE=spouse;VALUE=text:Jo"]),
        ("4.0", ["ANNIVERSARY:20010203"]), ("4.0", ["KIND:org"]),
        ("2.1", ["GEO:1.5,2.5"]), ("2.1", ["PHOTO;JPEG;ENCODING=BASE64:/9j/4AAQ", ""]),
    ])
    func cardsAreKnownInOtherVersions(_ version: String, _ lines: [String]) throws {
        let place = try ImportPlace()
        let text = card(version, ["FN:A B", "N:B;A;;;"] + lines)
        try place.importing([place.write("a.vcf", text)], into: "c.realm")
        for (name, version) in [
            ("b.vcf", "4.0"), ("c.vcf", "3.0"), ("d.vcf", "2.1"), ("e.jcard", ""),
        ] {
            let context = ExchangeContext(options: options(version))
            try Conversion(
                from: place.path("c.realm"), to: place.path(name), context: context
            ).run()
            let report = try place.importing([place.path(name)], into: "c.realm") {
                $0.isDryRun = true
            }
            #expect(report.written == 0, "\(version) \(name) \(lines)")
        }
    }

    private func options(_ version: String) -> ExchangeOptions {
        var options = ExchangeOptions()
        if !version.isEmpty { options.extra["vcard-version"] = version }
        return options
    }

    @Test func picturesCountHoweverTheyAreBroken() throws {
        let place = try ImportPlace()
        let text = card("3.0", ["FN:A", "PHOTO;ENCODING=b;TYPE=JPEG:", " /9j/", " 4AAQ"])
        try place.importing([place.write("a.vcf", text)], into: "c.realm")
        let other = card("3.0", ["FN:A", "PHOTO;TYPE=JPEG;ENCODING=B:/9j/4AAQ"])
        let report = try place.importing([place.write("b.vcf", other)], into: "c.realm")
        #expect(report.written == 0)
    }

    @Test func namesAloneTellNobodyApart() throws {
        let place = try ImportPlace()
        let text = card("3.0", ["FN:A", "GEO:1;2"])
        try place.importing([place.write("a.vcf", text)], into: "c.realm")
        let other = card("3.0", ["FN:A", "GEO:1;3"])
        #expect(try place.importing([place.write("b.vcf", other)], into: "c.realm").written == 1)
    }

    private let lines = [
        "UID:1", "REV:2020-01-01T00:00:00Z", "N:Ann;;;;", "FN:Ann", "EMAIL:a@x", "TEL:1",
        "X-A:1", "X-B:2",
    ]

    @Test(arguments: [
        ["PRODID:p", "UID:1", "REV:2021-01-01T00:00:00Z", "N:Ann;;;;", "FN:Ann", "EMAIL:a@x"],
        ["UID:1", "REV:2020-01-01T00:00:00Z", "EMAIL:a@x", "N:Ann;;;;", "FN:Ann"],
        ["EMAIL:a@x", "N:Ann;;;;", "FN:Ann", "UID:1"],
        ["EMAIL:a@x", "N:Ann;;;;", "FN:Ann", "PRODID:p", "UID:1"],
    ])
    func orderAndProgramAreNoChange(_ head: [String]) throws {
        let place = try ImportPlace()
        try place.importing([place.write("a.vcf", card("3.0", lines))], into: "c.realm")
        let other = card("3.0", head + ["X-B:2", "TEL:1", "X-A:1"])
        let report = try place.importing([place.write("b.vcf", other)], into: "c.realm")
        #expect(report.skipped == 1 && report.merged == 0)
        let changed = card("3.0", head + ["X-B:2", "TEL:2", "X-A:1"])
        #expect(try place.importing([place.write("b.vcf", changed)], into: "c.realm").merged == 1)
    }

    @Test func pagesKeepTheirScheme() throws {
        let place = try ImportPlace()
        let text = card(
            "3.0",
            ["UID:1", "FN:A", "N:A;;;;", "IMPP;X-SERVICE-TYPE=twitter:http://twitter.com/me"])
        try place.importing([place.write("a.vcf", text)], into: "c.realm")
        var options = ExchangeOptions()
        options.extra["profile"] = "google-old"
        try Conversion(
            from: place.path("c.realm"), to: place.path("a.csv"),
            context: ExchangeContext(options: options)
        ).run()
        #expect(try place.text("a.csv").contains(",http://twitter.com/me"))
        try place.convert(place.path("a.csv"), to: "b.vcf")
        #expect(
            try place.text("b.vcf").contains(
                "IMPP;X-SERVICE-TYPE=twitter:http://twitter.com/me\r\n"))
    }

    @Test(arguments: [["CATEGORIES;TYPE=work:Q"], ["CATEGORIES:Q"]])
    func aFolderOfCardsCountsGroups(_ categories: [String]) throws {
        let place = try ImportPlace()
        let text =
            card("4.0", ["UID:m", "FN:M"] + categories)
            + card("4.0", ["UID:g", "KIND:group", "FN:G", "MEMBER:urn:uuid:m"])
        var options = ExchangeOptions()
        options.extra["groups"] = "categories"
        let context = ExchangeContext(options: options)
        var job = Conversion(
            from: try place.write("a.vcf", text), to: place.path("b"), context: context)
        job.folder = place.path("b")
        job.to = "vcard"
        try job.run()
        #expect(context.report.read == 2)
        #expect(context.report.written == 1 && context.report.skipped == 1)
        let written = try place.text("b/M.vcf")
        #expect(
            written.contains(
                categories == ["CATEGORIES:Q"]
                    ? "CATEGORIES:Q,G\r\n" : "CATEGORIES;TYPE=work:Q\r\nCATEGORIES:G\r\n"),
            "\(written)")
    }
}
