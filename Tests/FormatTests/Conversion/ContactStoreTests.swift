// Cards through a real store and back, and imported twice.

import Foundation
import Testing

@testable import Formats

@Suite("Contacts in stores") struct ContactStoreTests {
    static let files = VCardRoundTripTests.files

    private func temporary(_ ending: String) -> String {
        NSTemporaryDirectory() + "rtool-test-\(UUID().uuidString).\(ending)"
    }

    @Test(arguments: files)
    func aStoreLosesNothingOfACard(_ path: String) throws {
        let store = temporary("realm")
        let out = temporary("vcf")
        defer {
            try? FileManager.default.removeItem(atPath: store)
            try? FileManager.default.removeItem(atPath: out)
        }
        try Conversion(from: path, to: store, context: ExchangeContext()).run()
        try Conversion(from: store, to: out, context: ExchangeContext()).run()
        let before = try PlainCard.cards(try InputBytes.open(path))
        let after = try PlainCard.cards(try InputBytes.open(out))
        #expect(before.count == after.count, "\(path)")
        for (a, b) in zip(before, after) where a.lines != b.lines {
            let lost = a.lines.filter { !b.lines.contains($0) }.map { String($0.prefix(200)) }
            let made = b.lines.filter { !a.lines.contains($0) }.map { String($0.prefix(200)) }
            // A card without a version is written as 3.0.
            if made == [".VERSION  : 3.0"], lost.isEmpty { continue }
            Issue.record("\(path)\nlost \(lost)\nmade \(made)")
        }
    }

    @Test(arguments: files.enumerated().filter { $0.offset % 7 == 0 }.map(\.element))
    func importingTwiceChangesNothing(_ path: String) throws {
        let store = temporary("realm")
        defer { try? FileManager.default.removeItem(atPath: store) }
        try Conversion(from: path, to: store, context: ExchangeContext()).run()
        let context = ExchangeContext()
        try Import([path], into: store, context: context).run()
        let report = context.report
        #expect(report.written == 0 && report.merged == 0, "\(path)")
        #expect(report.skipped == report.read, "\(path)")
    }

    @Test func aFileAContact() throws {
        let input = temporary("vcf")
        let folder = temporary("d")
        defer {
            try? FileManager.default.removeItem(atPath: input)
            try? FileManager.default.removeItem(atPath: folder)
        }
        let cards = ["Ann Lee", "Ann Lee", "a/b", "", "..."].map {
            "BEGIN:VCARD\r\nVERSION:4.0\r\nFN:\($0)\r\nTEL:1\r\nEND:VCARD\r\n"
        }
        try Data(cards.joined().utf8).write(to: URL(fileURLWithPath: input))
        let context = ExchangeContext()
        var conversion = Conversion(from: input, to: folder, context: context)
        conversion.folder = folder
        try conversion.run()
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        #expect(
            names == [
                "Ann Lee 2.vcf", "Ann Lee.vcf", "a_b.vcf", "record 4.vcf", "record 5.vcf",
            ])
        #expect(context.report.written == 5)
        let second = try String(contentsOfFile: folder + "/Ann Lee 2.vcf", encoding: .utf8)
        #expect(second == cards[1])
    }

    @Test(arguments: [
        (
            #"{"n":{"given":"Ana"},"fn":"Ana"}"#, ["VERSION:3.0", "N:;Ana;;;", "FN:Ana"]
        ),
        (
            #"[{"fn":"Acme; Co","n":{"family":"x"},"org":[{"name":"Acme; Co","units":["Sales"]}]}]"#,
            ["VERSION:3.0", #"FN:Acme\; Co"#, "N:x;;;;", #"ORG:Acme\; Co;Sales"#]
        ),
        (
            #"{"fn":"B D","n":"D","bday":{"month":1,"day":1},"tel":["1",{"value":"2","types":["cell"],"pref":1}]}"#,
            [
                "VERSION:3.0", "FN:B D", "N:D;;;;", "BDAY;X-APPLE-OMIT-YEAR=1604:1604-01-01",
                "TEL:1", "TEL;TYPE=CELL;TYPE=PREF:2",
            ]
        ),
        (
            #"{"contacts":[{"fn":"B","n":"B","photo":"https://x.example/p.jpg","shoe size":42}]}"#,
            [
                "VERSION:3.0", "FN:B", "N:B;;;;", "PHOTO;VALUE=uri:https://x.example/p.jpg",
                "X-JSON-FIELD;LABEL=shoe size:42",
            ]
        ),
    ])
    func objectsWithShortNamesAreContacts(_ json: String, _ lines: [String]) throws {
        let input = temporary("json")
        let out = temporary("vcf")
        defer {
            try? FileManager.default.removeItem(atPath: input)
            try? FileManager.default.removeItem(atPath: out)
        }
        try Data(json.utf8).write(to: URL(fileURLWithPath: input))
        try Conversion(from: input, to: out, context: ExchangeContext()).run()
        let text = try String(contentsOfFile: out, encoding: .utf8)
        #expect(
            text.split(separator: "\r\n").map(String.init)
                == ["BEGIN:VCARD"] + lines + ["END:VCARD"])
    }
}
