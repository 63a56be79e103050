// Encrypted stores: what is written is read back, interrupted writes are mended, damage costs what
// stands on it, and mistakes with keys are named.

import Foundation
import TestSupport
import Testing

@testable import Formats

@Suite("Encrypted stores") struct EncryptionTests {
    static let key = (0..<64).map { UInt8(truncatingIfNeeded: 73 * $0 + 41) }

    /// Encrypts bytes as a store is: in odd pieces, the first 24 bytes last.
    static func encrypt(_ plain: [UInt8], key: [UInt8] = key, pieces: Int = 1000) throws -> [UInt8]
    {
        let folder = FileManager.default.temporaryDirectory
        let path = folder.appendingPathComponent("rtool-\(UUID().uuidString).realm").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let file = try OutputFile.create(path, force: true)
        file.stage = try EncryptedPages(key: key)
        var at = 0
        var blank = plain
        for i in 0..<min(24, blank.count) { blank[i] = 0 }
        while at < blank.count {
            let end = min(at + pieces, blank.count)
            try blank[at..<end].withUnsafeBytes { (part) throws in
                file.buffer.append(bytes: part)
            }
            if at / pieces % 3 == 0 { try file.flush() }
            at = end
        }
        try file.flush()
        try plain.prefix(24).withUnsafeBytes { (part) throws in
            try file.overwrite(UnsafeRawBufferPointer(part), at: 0)
        }
        try file.finish()
        return [UInt8](try #require(FileManager.default.contents(atPath: path)))
    }

    static func image(_ count: Int) -> [UInt8] {
        var bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 9) }
        bytes.replaceSubrange(16..<20, with: Array("T-DB".utf8))
        return bytes
    }

    static func decrypt(_ bytes: [UInt8], key: [UInt8] = key) throws
        -> (bytes: [UInt8], facts: EncryptionFacts, holes: PageHoles?)
    {
        let found = try EncryptedImage.decrypt(storeInput(bytes, name: "x.realm"), key: key)
        return (Array(found.image.bytes), found.facts, found.holes)
    }

    @Test(
        "what is encrypted is decrypted",
        arguments: [
            24, 4095, 4096, 4097, 8192, 64 * 4096, 64 * 4096 + 1, 65 * 4096, 128 * 4096,
            200 * 4096 + 77,
        ])
    func roundTrip(_ size: Int) throws {
        let plain = Self.image(size)
        for pieces in [977, 4096, 70_000] {
            let sealed = try Self.encrypt(plain, pieces: pieces)
            let pages = (size + 4095) / 4096
            #expect(sealed.count == 4096 * (pages + (pages + 63) / 64))
            let found = try Self.decrypt(sealed)
            #expect(found.bytes.prefix(size) == plain[...])
            #expect(found.bytes.dropFirst(size).allSatisfy { $0 == 0 })
            #expect(found.facts.tornPages.isEmpty && found.holes == nil)
        }
    }

    @Test("large files are shared among the processors")
    func parallel() throws {
        let plain = Self.image(5 << 20)
        #expect(try Self.decrypt(Self.encrypt(plain, pieces: 100_000)).bytes == plain)
    }

    @Test("a page whose writing was interrupted is read as it was before")
    func restored() throws {
        var sealed = try Self.encrypt(Self.image(3 * 4096))
        // The new record stands already, the page behind it is still the old one.
        let record = PageLayout.record(1)
        for i in 0..<32 { sealed[record + 32 + i] = sealed[record + i] }
        for i in 0..<32 { sealed[record + i] = UInt8(i) | 1 }
        let found = try Self.decrypt(sealed)
        #expect(found.bytes == Self.image(3 * 4096))
        #expect(found.facts.restoredPages == 1)
    }

    @Test("a damaged page is empty and remembered, one never written is empty")
    func damaged() throws {
        var sealed = try Self.encrypt(Self.image(5 * 4096))
        sealed[PageLayout.position(2) + 100] ^= 1
        for i in 0..<32 { sealed[PageLayout.record(2) + 32 + i] = 9 }
        for i in 0..<64 { sealed[PageLayout.record(4) + i] = 0 }
        let found = try Self.decrypt(sealed)
        #expect(found.facts.tornPages == [2])
        #expect(found.facts.emptyPages == 1)
        #expect(found.bytes[2 * 4096..<3 * 4096].allSatisfy { $0 == 0 })
        let holes = try #require(found.holes)
        #expect(holes.touch(2 * 4096 - 8, 16))
        #expect(!holes.touch(3 * 4096, 4096))
        #expect(holes.touch(4 * 4096, 8))
    }

    @Test("rows on a damaged page are set aside, never made up")
    func rowsOnDamage() throws {
        let file = OldStoreBuilder()
        let leaves = (0..<40).map { leaf in file.ints((0..<100).map { leaf * 100 + $0 }) }
        let tree = file.compact(each: 100, leaves, total: 4000)
        file.table("class_T", spec: file.spec([("a", 0, 0)]), roots: [tree])
        var plain = file.finish()
        let footer = plain.suffix(16)
        plain.removeLast(16)
        while (plain.count + 16) % 4096 != 0 { plain.append(0) }
        var sealed = try Self.encrypt(plain + footer)
        sealed[PageLayout.position(3) + 9] ^= 0x40
        for i in 0..<32 { sealed[PageLayout.record(3) + 32 + i] = 9 }
        let store = try Store.open(
            storeInput(sealed, name: "x.realm"), options: StoreOptions(key: Self.key))
        let (rows, report) = try store.everything()
        let keys = rows.keys["T", default: []]
        #expect(keys.count < 4000 && keys.count > 3000)
        #expect(report.setAside == 4000 - keys.count)
        #expect(rows.column("T", 0) == keys.map { .int($0) })
        #expect(store.facts.encryption?.tornPages == [3])
    }

    // MARK: Keys

    static func error(_ key: [UInt8], of sealed: [UInt8]) -> FormatError? {
        do throws(FormatError) {
            _ = try Store.open(storeInput(sealed, name: "x.realm"), options: StoreOptions(key: key))
            return nil
        } catch {
            return error
        }
    }

    @Test("a key that does not fit is told from one of which half fits")
    func wrongKeys() throws {
        let sealed = try Self.encrypt(Self.image(3 * 4096))
        let other = [UInt8](repeating: 7, count: 64)
        #expect(Self.error(other, of: sealed)?.code == .wrongKey)
        let half = Self.error(Array(other[..<32] + Self.key[32...]), of: sealed)
        #expect(half?.code == .wrongKey)
        #expect(half?.details.message.contains("second half of the key fits") == true)
        #expect(
            Self.error(Array(Self.key[..<32] + other[32...]), of: sealed)?.code == .wrongKey)
        #expect(Self.error(Self.key, of: Self.image(8192))?.code == .notEncrypted)
        #expect(Self.error(Self.key, of: Array("hello".utf8))?.code == .notRealm)
        #expect(Self.error(Array(Self.key[..<63]), of: sealed)?.code == .badKey)
    }

    @Test("a damaged first page is told from a wrong key")
    func damagedFirstPage() throws {
        var sealed = try Self.encrypt(Self.image(9 * 4096))
        sealed[PageLayout.position(0) + 9] ^= 1
        #expect(Self.error(Self.key, of: sealed)?.code == .damaged)
    }

    @Test("the usual mistakes are tried and named")
    func mistakes() throws {
        let sealed = try Self.encrypt(Self.image(2 * 4096))
        let swapped = Self.error(Array(Self.key[32...] + Self.key[..<32]), of: sealed)
        #expect(swapped?.code == .wrongKey)
        #expect(swapped?.details.message.contains("halves") == true)
        let reversed = Self.error(Self.key.reversed(), of: sealed)
        #expect(reversed?.details.message.contains("reversed") == true)
        let digits = [UInt8](repeating: 0x38, count: 64)
        let typed = try Self.encrypt(Self.image(2 * 4096), key: digits)
        let numbers = Self.error([UInt8](repeating: 8, count: 64), of: typed)
        #expect(numbers?.details.message.contains("ASCII") == true)
    }

    @Test("keys of a wrong length or written twice are named")
    func keyTexts() {
        func message(_ text: String) -> String {
            do throws(FormatError) {
                _ = try StoreKey.parse(text)
                return ""
            } catch {
                return error.code == .badKey ? error.details.message : "other error"
            }
        }
        let hex = Self.key.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        #expect(message(hex) == "")
        #expect(message(Data(Self.key).base64EncodedString()) == "")
        #expect(message(String(hex.dropLast(2))).contains("63 bytes"))
        #expect(message("00" + hex).contains("65 bytes"))
        #expect(message("00" + hex).contains("large numbers"))
        #expect(message(hex + "ff").contains("65 bytes"))
        let twice = hex.utf8.map { String($0, radix: 16) }.joined()
        #expect(message(twice).contains("twice"))
        #expect(message(Data(hex.utf8).base64EncodedString()).contains("twice"))
        #expect(message(String(repeating: "1", count: 64)).contains("32 bytes"))
    }

    @Test("a missing library is named with what to install")
    func missingLibrary() {
        #if os(Linux)
            do throws(FormatError) {
                _ = try Crypto.load(["libcrypto-that-is-not-there.so"])
                Issue.record("found a library that is not there")
            } catch {
                #expect(error.code == .cryptoMissing)
                #expect(error.details.fix?.contains("install") == true)
            }
        #endif
    }

    @Test("AES and HMAC give the published values")
    func vectors() throws {
        // RFC 4231, test case 2; NIST SP 800-38A, F.2.5.
        let crypto = try Crypto.load()
        var out = [UInt8](repeating: 0, count: 64)
        let text = Array("what do ya want for nothing?".utf8)
        let name = Array("Jefe".utf8)
        #expect(
            crypto.authenticate(text, count: text.count, key: name, keyCount: 4, to: &out))
        #expect(
            out.prefix(8) == [0xA3, 0x0E, 0x01, 0x09, 0x8B, 0xC6, 0xDB, 0xBF])
        let key: [UInt8] = [
            0x60, 0x3D, 0xEB, 0x10, 0x15, 0xCA, 0x71, 0xBE, 0x2B, 0x73, 0xAE, 0xF0, 0x85, 0x7D,
            0x77, 0x81, 0x1F, 0x35, 0x2C, 0x07, 0x3B, 0x61, 0x08, 0xD7, 0x2D, 0x98, 0x10, 0xA3,
            0x09, 0x14, 0xDF, 0xF4,
        ]
        let plain: [UInt8] = [
            0x6B, 0xC1, 0xBE, 0xE2, 0x2E, 0x40, 0x9F, 0x96, 0xE9, 0x3D, 0x7E, 0x11, 0x73, 0x93,
            0x17, 0x2A,
        ]
        let sealed: [UInt8] = [
            0xF5, 0x8C, 0x4C, 0x04, 0xD6, 0xE5, 0xF1, 0xBA, 0x77, 0x9E, 0xAB, 0xFB, 0x5F, 0x7B,
            0xFB, 0xD6,
        ]
        let cipher = try #require(Crypto.BlockCipher(crypto, key: key, encrypts: true))
        var result = [UInt8](repeating: 0, count: 16)
        #expect(cipher.run(plain, count: 16, vector: Array(0..<16), to: &result))
        #expect(result == sealed)
    }

    @Test("random damage ends in a value or an error")
    func mutations() throws {
        let original = try Self.encrypt(
            { () -> [UInt8] in
                var plain = OldStoreSample.dates
                let footer = plain.suffix(16)
                plain.removeLast(16)
                while (plain.count + 16) % 4096 != 0 { plain.append(0) }
                return plain + footer
            }())
        var random = RealmRandom(seed: 3)
        for _ in 0..<200 {
            var bytes = original
            for _ in 0..<3 {
                let at = Int.random(in: 0..<bytes.count, using: &random)
                bytes[at] = UInt8.random(in: 0...255, using: &random)
            }
            bytes = Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &random)))
            _ = try? Store.open(
                storeInput(bytes, name: "x.realm"), options: StoreOptions(key: Self.key)
            ).everything()
        }
    }
}
