import Foundation
import Testing

@Suite("Bad input gets one clear error and leaves nothing behind") struct FailureTests {
    /// A command line, the exit code, and a word of the message.
    struct Case: CustomTestStringConvertible {
        var words: [String]
        var exitCode: Int32
        var says: String
        var testDescription: String { words.joined(separator: " ") }
    }

    static let cases = [
        Case(words: ["convert", "missing.realm", "x.json"], exitCode: 66, says: "cannot open"),
        Case(words: ["convert", "folder", "x.json"], exitCode: 66, says: "folder"),
        Case(words: ["convert", "empty.realm", "x.json"], exitCode: 65, says: "empty"),
        Case(words: ["convert", "text.realm", "x.json"], exitCode: 65, says: "text.realm"),
        Case(words: ["convert", "cut.realm", "x.json"], exitCode: 65, says: "cut.realm"),
        Case(words: ["convert", "magic.realm", "x.json"], exitCode: 65, says: "magic.realm"),
        Case(words: ["convert", "version.realm", "x.json"], exitCode: 65, says: "99"),
        Case(words: ["convert", "good.realm", "there.json"], exitCode: 73, says: "exists"),
        Case(words: ["convert", "good.realm", "folder"], exitCode: 64, says: "ending"),
        Case(
            words: ["convert", "good.realm", "no/such/x.json"], exitCode: 73, says: "cannot create"),
        Case(words: ["convert", "good.realm", "x.nothing"], exitCode: 64, says: "--to"),
        Case(words: ["convert", "good.realm"], exitCode: 64, says: "OUT"),
        Case(
            words: ["convert", "good.realm", "x.csv", "--class", "Nobody"], exitCode: 64,
            says: "Nobody"),
        Case(words: ["convert", "good.realm", "x.csv"], exitCode: 64, says: "--class"),
        Case(
            words: ["convert", "good.realm", "-", "--to", "json", "--json"], exitCode: 64,
            says: "--json"),
        Case(
            words: [
                "convert", "good.realm", "x.json", "--out-key", String(repeating: "0a", count: 64),
            ],
            exitCode: 64, says: "encrypted"),
        Case(
            words: [
                "convert", "good.realm", "x.realm", "--out-key", String(repeating: "0a", count: 63),
            ],
            exitCode: 77, says: "63 bytes"),
        Case(
            words: ["convert", "good.realm", "x.realm", "--file-format", "21"], exitCode: 65,
            says: "22, 23 and 24"),
        Case(
            words: [
                "convert", "good.realm", "x.json", "--key", String(repeating: "0a", count: 64),
            ],
            exitCode: 77, says: "not encrypted"),
        Case(
            words: ["convert", "a.vcf", "x.json", "--report", "there.json"], exitCode: 73,
            says: "exists"),
        Case(
            words: ["convert", "a.vcf", "x.json", "--report", "x.json", "-f"], exitCode: 64,
            says: "of their own"),
        Case(
            words: ["convert", "a.vcf", "x.json", "--rejects", "./x.json"], exitCode: 64,
            says: "of their own"),
        Case(
            words: ["convert", "a.vcf", "x.json", "--report", "a.vcf", "-f"], exitCode: 64,
            says: "of their own"),
        Case(
            words: ["import", "a.vcf", "--into", "good.realm", "--report", "good.realm", "-f"],
            exitCode: 64, says: "of their own"),
        Case(words: ["frobnicate"], exitCode: 64, says: "frobnicate"),
        Case(words: ["convert", "--colour", "a", "b"], exitCode: 64, says: "--colour"),
        Case(words: ["convert", "broken.json", "x.realm"], exitCode: 65, says: "broken.json:1"),
        Case(words: ["import", "good.realm"], exitCode: 64, says: "--into"),
        Case(
            words: ["export", "good.realm", "--class", "Dog", "--where", "nme = 'x'"], exitCode: 64,
            says: "name"),
        Case(words: ["export", "good.realm", "--class", "Nobody"], exitCode: 64, says: "Nobody"),
        Case(
            words: ["convert", "good.realm", "x.json", "--class", "Nobody"], exitCode: 64,
            says: "Nobody"),
        Case(
            words: ["import", "row.json", "--into", "good.realm", "--class", "Dgo", "--dry-run"],
            exitCode: 64,
            says: "Dog"),
        Case(
            words: ["import", "row.json", "--into", "good.realm", "--match", "nope", "--dry-run"],
            exitCode: 64,
            says: "nope"),
        Case(
            words: ["import", "a.vcf", "--into", "x.realm", "--class", "Dog"], exitCode: 64,
            says: "Contact"),
        Case(
            words: ["export", "good.realm", "--to", "vcard", "--columns", "name"], exitCode: 64,
            says: "--columns"),
        Case(
            words: ["convert", "a.vcf", "x.json", "--zone", "Nope/X"], exitCode: 64, says: "zone"),
        Case(
            words: ["convert", "a.vcf", "x.json", "--encoding", "blabla"], exitCode: 64,
            says: "blabla"),
        Case(words: ["convert", "a.vcf", "x.json", "--threads", "0"], exitCode: 64, says: "1"),
        Case(
            words: ["convert", "a.vcf", "x.json", "--date-order", "xyz"], exitCode: 64, says: "ymd"),
        Case(
            words: ["convert", "good.realm", "x.jcal", "--to", "jscalendar"], exitCode: 64,
            says: "not"),
    ]

    @Test(arguments: cases)
    func isRefused(_ example: Case) throws {
        let place = try Workplace()
        try FileManager.default.createDirectory(
            atPath: place.path("folder"), withIntermediateDirectories: true)
        _ = try place.run("convert", Workplace.sample("dogs.json"), "good.realm")
        let good = try place.bytes("good.realm")
        try Data().write(to: place.folder.appendingPathComponent("empty.realm"))
        try place.write("text.realm", "this is no store\n")
        try place.write("there.json", "{}")
        try place.write("row.json", #"[{"name": "Rex", "breed": "b", "favoriteToy": "t"}]"#)
        try place.write("a.vcf", "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:A\r\nN:A\r\nEND:VCARD\r\n")
        try place.write("broken.json", "{\"rtool\": 1, \"classes\": [}")
        try good.prefix(64).write(to: place.folder.appendingPathComponent("cut.realm"))
        var changed = good
        changed[17] ^= 0x20
        try changed.write(to: place.folder.appendingPathComponent("magic.realm"))
        changed = good
        changed[20] = 99
        changed[21] = 99
        try changed.write(to: place.folder.appendingPathComponent("version.realm"))
        let before = try place.names()
        let process = try run(place, example.words)
        #expect(process.exitCode == example.exitCode, "\(process.errors)")
        #expect(process.errors.contains(example.says), "\(process.errors)")
        #expect(process.errors.hasPrefix("error: ") || example.exitCode == 1, "\(process.errors)")
        // The lock beside a store that was opened for writing stays, as the engine's does.
        #expect(try place.names().filter { !$0.hasSuffix(".lock") } == before)
        #expect(try place.bytes("good.realm") == good)
    }

    @Test func aDeviceIsNoStore() throws {
        let place = try Workplace()
        try place.write("a.vcf", "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:A\r\nN:A\r\nEND:VCARD\r\n")
        #expect(try place.run("import", "a.vcf", "--into", "/dev/null").exitCode == 73)
    }

    @Test(arguments: [[], ["-f"]])
    func aLinkToNothingIsFollowed(_ more: [String]) throws {
        let place = try Workplace()
        try place.write("a.vcf", "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:A\r\nN:A\r\nEND:VCARD\r\n")
        try FileManager.default.createSymbolicLink(
            atPath: place.path("link.json"), withDestinationPath: "there.json")
        let made = try place.run(["convert", "a.vcf", "link.json"] + more)
        #expect(made.exitCode == 0, "\(made.errors)")
        #expect(
            try FileManager.default.destinationOfSymbolicLink(atPath: place.path("link.json"))
                == "there.json")
        #expect(try !place.bytes("there.json").isEmpty)
    }

    private func run(_ place: Workplace, _ words: [String]) throws -> Outcome {
        try place.run(words)
    }

    @Test func helpAnswersForEveryCommand() throws {
        let place = try Workplace()
        let all = try place.run("help")
        #expect(all.exitCode == 0)
        for line in all.output.split(separator: "\n") {
            guard line.hasPrefix("  "), let name = line.split(separator: " ").first,
                !line.contains("rtool ")
            else { continue }
            let page = try place.run("help", String(name))
            #expect(page.exitCode == 0 && page.output.contains("usage: rtool \(name)"))
        }
        #expect(try place.run("--version").output.hasPrefix("rtool "))
    }
}
