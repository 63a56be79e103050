// Options for writing contacts as tables: photos as files, and what has no column in the notes.

import Foundation
import Testing

@testable import Formats

@Suite("Choices when writing tables") struct WritingOptionTests {
    private func card(_ version: String, _ lines: [String]) -> String {
        (["BEGIN:VCARD", "VERSION:" + version] + lines + ["END:VCARD", ""])
            .joined(separator: "\r\n")
    }

    /// The cells of the first row, by the names of their columns.
    private func cells(_ text: String) throws -> [String: String] {
        let csv = try CSVRows(input: input(text), context: ExchangeContext())
        let names = csv.schema.classes[0].properties.map(\.name)
        var result: [String: String] = [:]
        for (name, value) in zip(names, try #require(rows(csv).first)) {
            if case .string(let text) = value { result[name] = text }
        }
        return result
    }

    // MARK: Photos

    private var album: String {
        card(
            "4.0",
            [
                "UID:urn:uuid:Ab-1", "FN:A B", "PHOTO:data:image/jpeg;base64,iVBORw0KGgo=",
                "PHOTO:data:image/jpeg;base64,AAAA",
            ])
            + card("4.0", ["UID:../x/..y", "FN:C D", "PHOTO:data:image/png;base64,/9j/AA=="])
    }

    private func temporary() -> String {
        NSTemporaryDirectory() + "rtool-photos-\(UInt64.random(in: 0 ... .max))"
    }

    private func names(_ folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    }

    private func data(_ folder: String, _ name: String) -> [UInt8]? {
        FileManager.default.contents(atPath: folder + "/" + name).map { Array($0) }
    }

    @Test(arguments: ["google", "outlook", "plain"])
    func photosBecomeFilesNamedByTheUID(_ profile: String) throws {
        let folder = temporary()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let all = try JSONTextToTextTests.convert(
            album, "vcf", "csv",
            {
                $0.extra["profile"] = profile
                $0.extra["photos"] = folder
            })
        #expect(try names(folder) == ["Ab-1.png", "Ab-1~2.bin", "x_..y.jpg"])
        #expect(data(folder, "Ab-1.png") == [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
        #expect(data(folder, "Ab-1~2.bin") == [0, 0, 0])
        #expect(data(folder, "x_..y.jpg") == [0xFF, 0xD8, 0xFF, 0])
        let notes = all.report.items.filter { $0.property == "photos" }
        #expect(notes.map(\.code) == ["photo-in-file"])
        #expect(notes.first?.count == 3)
        let cells = try cells(all.text)
        switch profile {
        case "google": #expect(cells["Photo"] == "Ab-1.png")
        case "outlook": #expect(!all.text.contains("Ab-1"))
        default:
            #expect(all.text.contains("Ab-1.png"))
            #expect(!all.text.contains("iVBORw0KGgo"))
        }
    }

    @Test func noFileIsReplacedUnlessThatIsAskedFor() throws {
        let folder = temporary()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        func convert(force: Bool) throws {
            _ = try JSONTextToTextTests.convert(
                album, "vcf", "csv",
                {
                    $0.extra["photos"] = folder
                    $0.force = force
                })
        }
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        try Data([1]).write(to: URL(fileURLWithPath: folder + "/Ab-1.png"))
        #expect(throws: FormatError(.exists, "")) { try convert(force: false) }
        #expect(try names(folder) == ["Ab-1.png"])
        #expect(data(folder, "Ab-1.png") == [1])
        try convert(force: true)
        #expect(try names(folder).count == 3)
        #expect(data(folder, "Ab-1.png")?.count == 8)
    }

    @Test func noPhotoAppearsWithoutTheTable() throws {
        let folder = temporary()
        let place = temporary()
        defer {
            try? FileManager.default.removeItem(atPath: folder)
            try? FileManager.default.removeItem(atPath: place + ".vcf")
        }
        try Data(album.utf8).write(to: URL(fileURLWithPath: place + ".vcf"))
        var options = ExchangeOptions()
        options.extra["photos"] = folder
        var conversion = Conversion(
            from: place + ".vcf", to: place + ".csv", context: ExchangeContext(options: options))
        conversion.beforeFinish = { () throws(FormatError) in
            throw FormatError(.strictLoss, "no")
        }
        #expect(throws: FormatError(.strictLoss, "")) { try conversion.run() }
        #expect(!FileManager.default.fileExists(atPath: folder))
        #expect(!FileManager.default.fileExists(atPath: place + ".csv"))
    }

    @Test(arguments: [("vcf", "vcf"), ("vcf", "json"), ("json", "csv")])
    func photosAreForTablesOfContacts(_ from: String, _ to: String) {
        let folder = temporary()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        #expect(throws: FormatError(.usage, "")) {
            _ = try JSONTextToTextTests.convert(
                from == "vcf" ? album : "[{\"a\":1}]", from, to, { $0.extra["photos"] = folder })
        }
    }

    @Test(arguments: [
        ("", ""), ("...", ""), ("a/b\\c:d", "a_b_c_d"), (".hidden", "hidden"),
        ("Zoë", "Zo"), ("a b@c.d_", "a_b@c.d"), ("../../etc/passwd", "etc_passwd"),
        (String(repeating: "x", count: 300), String(repeating: "x", count: 100)),
    ])
    func namesAreSafe(_ text: String, _ name: String) {
        #expect(PhotoFiles.safe(text) == name)
    }

    // MARK: Notes

    private var full: String {
        card(
            "3.0",
            [
                "N:B;A;;;", "FN:A B", "NOTE:Own", "EMAIL:1@x", "EMAIL:2@x", "EMAIL:3@x",
                "EMAIL:4@x", "UID:u1", "X-FOO:bar", "item1.TEL:+49", "item1.X-ABLabel:Summer house",
                "NICKNAME:Nick",
            ])
    }

    @Test func whatHasNoColumnGoesToTheNotes() throws {
        let all = try JSONTextToTextTests.convert(
            full, "vcf", "csv",
            {
                $0.extra["profile"] = "outlook"
                $0.extra["overflow"] = "notes"
            })
        let lines = try cells(all.text)["Notes"]?.split(separator: "\n").map(String.init) ?? []
        #expect(lines.first == "Own")
        #expect(
            lines.dropFirst().sorted() == [
                "E-mail: 4@x", "Nickname: Nick", "Phone (Summer house): +49", "UID: u1",
                "X-FOO: bar",
            ])
        #expect(!all.report.hasLoss, "\(all.report.items)")
        #expect(all.report.items.filter { $0.code == "in-notes" }.count == 5)
    }

    private func overflowing(_ lines: [String], _ profile: String) throws -> (
        notes: [String], report: Report
    ) {
        let all = try JSONTextToTextTests.convert(
            card("3.0", ["N:B;A;;;", "FN:A B"] + lines), "vcf", "csv",
            {
                $0.extra["profile"] = profile
                $0.extra["overflow"] = "notes"
            })
        let notes = try cells(all.text)["Notes"] ?? ""
        return (notes.split(separator: "\n").map(String.init), all.report)
    }

    @Test(arguments: ["outlook", "thunderbird", "google"])
    func linesThatStandInTheNotesAreNotAddedAgain(_ profile: String) throws {
        let first = try overflowing(["NOTE:Own", "X-FOO:bar", "TZ:-05:00"], profile)
        #expect(first.notes.count == 3)
        let note = "NOTE:" + first.notes.joined(separator: "\\n")
        let second = try overflowing([note, "X-FOO:bar", "TZ:-05:00"], profile)
        #expect(second.notes == first.notes)
    }

    @Test func notesSayLabelsAndKindsToo() throws {
        let (notes, report) = try overflowing(
            [
                "X-A;TYPE=x;X-P=1:v", "item3.X-B:w", "item3.X-ABLabel:LabelB",
                "X-SOCIALPROFILE;TYPE=twitter;x-user=u:http://t/u", "KEY;ENCODING=b:AAECAwQ=",
            ], "outlook")
        #expect(
            notes.sorted() == [
                "IM (twitter): http://t/u", "Key: data:application/octet-stream;base64,AAECAwQ=",
                "X-A (x): v (X-P=1)", "X-B (LabelB): w",
            ])
        #expect(!report.hasLoss, "\(report.items)")
    }

    @Test func thePageOfAProfileIsNoted() throws {
        let all = try JSONTextToTextTests.convert(
            card(
                "3.0",
                ["N:B;A;;;", "FN:A B", "X-SOCIALPROFILE;TYPE=twitter;x-user=u:http://t/u"]),
            "vcf", "csv", { $0.extra["profile"] = "google" })
        let lost = all.report.items.filter { $0.kind == .lost }
        #expect(lost.map(\.value) == ["http://t/u"])
        #expect(lost.first?.property == "services")
    }

    @Test func withoutTheOptionItIsLost() throws {
        let all = try JSONTextToTextTests.convert(
            full, "vcf", "csv", { $0.extra["profile"] = "outlook" })
        #expect(try cells(all.text)["Notes"] == "Own")
        #expect(all.report.items.filter { $0.code == "no-column" }.count == 4)
        #expect(all.report.items.contains { $0.code == "label-dropped" })
    }

    @Test func aPictureIsNoNote() throws {
        let all = try JSONTextToTextTests.convert(
            album, "vcf", "csv",
            {
                $0.extra["profile"] = "thunderbird"
                $0.extra["overflow"] = "notes"
            })
        let lost = all.report.items.filter { $0.kind == .lost }
        #expect(lost.map(\.property) == ["photos"])
        #expect(lost.first?.count == 3)
    }

    @Test func anAddressIsSaidWhole() {
        let kinds = AddressBookKinds()
        let contact = AddressBookContact()
        let kind = ItemKind(field: .address, list: .addresses, types: ["home", "pref"])
        let item = contact.add(kinds.number(of: kind), .addresses)
        contact[item, .street] = contact.texts.add("S 1" as String)
        contact[item, .city] = contact.texts.add("T" as String)
        contact[item, .formatted] = contact.texts.add("S 1\nT" as String)
        contact.items.base[item].more = contact.texts.add("Floor 2" as String)
        #expect(NotesOverflow.label(kind) == "Address (home)")
        #expect(NotesOverflow.value(item, of: contact) == "S 1, T, Floor 2")
    }

    @Test(arguments: [("csv", "plain"), ("csv", "outlook-tasks"), ("csv", ""), ("vcf", "google")])
    func theNotesAreForColumnsOfOthers(_ to: String, _ profile: String) {
        #expect(throws: FormatError(.usage, "")) {
            _ = try JSONTextToTextTests.convert(
                full, "vcf", to,
                {
                    if !profile.isEmpty { $0.extra["profile"] = profile }
                    $0.extra["overflow"] = "notes"
                })
        }
    }
}
