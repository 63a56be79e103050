// Encrypted stores and stores of older formats, written by the command.

import Foundation
import Testing

@Suite("Stores are written encrypted, and in older formats") struct OutputKeyTests {
    static let key = (0..<64).map { String(format: "%02x", ($0 * 73 + 41) % 256) }.joined()
    static let other = (0..<64).map { String(format: "%02x", ($0 * 31 + 7) % 256) }.joined()

    @Test func aStoreIsEncryptedGivenAnotherKeyAndDecrypted() throws {
        let place = try Workplace()
        _ = try place.run("convert", Workplace.sample("dogs.json"), "plain.realm")
        try place.write("key.txt", Self.other + "\n")
        #expect(
            try place.run("convert", "plain.realm", "a.realm", "--out-key", Self.key).exitCode == 0)
        #expect(
            try place.run(
                "convert", "a.realm", "b.realm", "--key", Self.key, "--out-key-file", "key.txt"
            ).exitCode == 0)
        #expect(
            try place.run("convert", "b.realm", "c.realm", "--key-file", "key.txt").exitCode == 0)
        #expect(try place.bytes("c.realm") == place.bytes("plain.realm"))
        #expect(try place.run("info", "a.realm").exitCode == 77)
        #expect(try place.run("info", "b.realm", "--key", Self.key).exitCode == 77)
        #expect(try place.run("verify", "b.realm", "--key", Self.other).exitCode == 0)
    }

    @Test func anImportLeavesAnEncryptedStoreEncrypted() throws {
        let place = try Workplace()
        let people = Workplace.sample("people.vcf")
        #expect(
            try place.run("import", people, "--into", "a.realm", "--out-key", Self.key).exitCode
                == 0)
        let refused = try place.run("import", people, "--into", "a.realm")
        #expect(refused.exitCode == 77, "\(refused.errors)")
        let before = try place.bytes("a.realm")
        let again = try place.run("import", people, "--into", "a.realm", "--key", Self.key)
        #expect(again.exitCode == 0, "\(again.errors)")
        #expect(try place.bytes("a.realm") == before)
        #expect(try place.run("info", "a.realm").exitCode == 77)
    }

    @Test(arguments: ["22", "23"])
    func anImportKeepsAnOlderFormatWhenToldTo(_ format: String) throws {
        let place = try Workplace()
        let people = Workplace.sample("people.vcf")
        #expect(
            try place.run("import", people, "--into", "a.realm", "--file-format", format).exitCode
                == 0)
        let refused = try place.run("import", people, "--into", "a.realm")
        #expect(refused.exitCode == 65)
        #expect(refused.errors.contains("--file-format \(format)"))
        #expect(
            try place.run("import", people, "--into", "a.realm", "--file-format", format).exitCode
                == 0)
        #expect(try place.run("info", "a.realm").output.contains("file format \(format)"))
        #expect(try place.run("verify", "a.realm").exitCode == 0)
    }
}
