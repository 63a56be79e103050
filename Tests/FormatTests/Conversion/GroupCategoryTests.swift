// Cards of groups that become categories of their members, from cards to cards.

import Foundation
import Testing

@testable import Formats

@Suite("Groups as categories in cards") struct GroupCategoryTests {
    private static let members = [
        ["UID:m1", "FN:Mem One", "EMAIL:m1@x"],
        ["UID:urn:uuid:M2", "FN:Mem Two", "CATEGORIES:Work", "EMAIL:m2@x"],
        ["UID:m3", "FN:Mem Three"],
    ]
    private static let group = [
        "UID:g1", "KIND:group", "FN:Friends", "MEMBER:urn:uuid:m1", "MEMBER:urn:uuid:m2",
    ]

    private func cards(_ cards: [[String]]) -> String {
        cards.map {
            (["BEGIN:VCARD", "VERSION:4.0"] + $0 + ["END:VCARD", ""]).joined(separator: "\r\n")
        }.joined()
    }

    private func convert(_ text: String, _ from: String, _ to: String) throws -> (
        text: String, report: Report
    ) {
        try JSONTextToTextTests.convert(text, from, to, { $0.extra["groups"] = "categories" })
    }

    private static let expected = [
        members[0] + ["CATEGORIES:Friends"],
        ["UID:urn:uuid:M2", "FN:Mem Two", "CATEGORIES:Work,Friends", "EMAIL:m2@x"],
        members[2],
    ]

    @Test(arguments: [0, 1, 3])
    func membersGetTheNameOfTheirGroup(_ place: Int) throws {
        var all = Self.members
        all.insert(Self.group, at: place)
        let made = try convert(cards(all), "vcf", "vcf")
        #expect(made.text == cards(Self.expected))
        #expect(made.report.read == 4 && made.report.written == 3 && made.report.skipped == 1)
        #expect(made.report.items.map(\.code) == ["group-as-category"])
    }

    @Test func cardsOfOtherFormatsDoSoToo() throws {
        let text = cards([Self.group] + Self.members)
        let json = try JSONTextToTextTests.convert(text, "vcf", "json").text
        #expect(try convert(json, "json", "vcf").text == cards(Self.expected))
        let jcard = try convert(text, "vcf", "jcard").text
        #expect(jcard.contains("\"Friends\""))
        #expect(!jcard.contains("\"group\""))
    }

    @Test func aCategoryIsNotSaidTwice() throws {
        let member = ["UID:m1", "FN:Mem One", "CATEGORIES:Friends"]
        let made = try convert(cards([Self.group, member]), "vcf", "vcf")
        #expect(made.text == cards([member]))
        #expect(made.report.items.contains { $0.code == "group-members" && $0.count == 1 })
    }

    @Test func cardsWithoutGroupsStayAsTheyAre() throws {
        let made = try convert(cards(Self.members), "vcf", "vcf")
        #expect(made.text == cards(Self.members))
        #expect(made.report.items.isEmpty)
    }

    @Test func aFileAContactHasNoneForTheGroup() throws {
        let place = NSTemporaryDirectory() + "rtool-groups-\(UInt64.random(in: 0 ... .max))"
        defer {
            try? FileManager.default.removeItem(atPath: place)
            try? FileManager.default.removeItem(atPath: place + ".vcf")
        }
        try Data(cards([Self.group] + Self.members).utf8)
            .write(to: URL(fileURLWithPath: place + ".vcf"))
        var options = ExchangeOptions()
        options.extra["groups"] = "categories"
        let context = ExchangeContext(options: options)
        var conversion = Conversion(from: place + ".vcf", to: place, context: context)
        conversion.folder = place
        try conversion.run()
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: place).sorted() == [
                "Mem One.vcf", "Mem Three.vcf", "Mem Two.vcf",
            ])
        let one = try String(contentsOfFile: place + "/Mem One.vcf", encoding: .utf8)
        #expect(one == cards([Self.expected[0]]))
    }

    @Test(arguments: ["json", "csv", "ndjson", "realm"])
    func formatsThatKeepGroupsRefuseIt(_ target: String) {
        #expect(throws: FormatError(.usage, "")) {
            _ = try convert(cards(Self.members), "vcf", target)
        }
    }
}
