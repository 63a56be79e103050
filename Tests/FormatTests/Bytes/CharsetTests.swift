// Every table against hashes made with Python's codecs, and what happens to broken bytes.

import Testing

@testable import Formats

/// Decodes and hands the text and the number of replaced bytes back.
func decoded(_ charset: Charset, _ bytes: [UInt8]) -> (text: String, replaced: Int) {
    let out = RawVector<UInt8>(capacity: 16)
    defer { out.destroy() }
    let replaced = bytes.withUnsafeBytes { charset.decode($0, into: out) }
    return (String(decoding: out.elements, as: UTF8.self), replaced)
}

/// FNV-1a over bytes, 64 bits.
struct FNV {
    var value: UInt64 = 0xcbf2_9ce4_8422_2325
    mutating func add(_ text: String) {
        for byte in text.utf8 { value = (value ^ UInt64(byte)) &* 0x100_0000_01b3 }
    }
}

func bytes(hex: String) -> [UInt8] {
    let digits = Array(hex.utf8).map { UInt8($0 < 0x3A ? $0 - 0x30 : ($0 | 32) - 0x57) }
    return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}

@Suite struct CharsetTests {
    @Test(arguments: CharsetVectors.single)
    func everySingleByteSetIsWhole(_ name: String, _ hash: UInt64) throws {
        let charset = try #require(Charset.named(name))
        #expect(charset.name == name)
        var sum = FNV()
        for byte in UInt8(0x80)...0xFF {
            let (text, replaced) = decoded(charset, [byte])
            if replaced == 0 {
                sum.add(text)
                let back = RawVector<UInt8>(capacity: 4)
                defer { back.destroy() }
                var copy = text
                let missing = copy.withUTF8 {
                    charset.encode(UnsafeRawBufferPointer($0), into: back)
                }
                #expect(missing == 0)
                #expect(decoded(charset, Array(back.elements)).text == text)
            }
        }
        #expect(sum.value == hash)
    }

    @Test(arguments: CharsetVectors.double)
    func everyDoubleByteSetIsWhole(_ name: String, _ hash: UInt64) throws {
        let charset = try #require(Charset.named(name))
        var sum = FNV()
        for lead in UInt8(0x81)...0xFE {
            for trail in UInt8(0x30)...0xFE {
                if name == "shift_jis", lead == 0xA0 || (lead >= 0xA1 && lead <= 0xDF) { continue }
                if name == "euc-jp", lead == 0x8F { continue }
                let (text, replaced) = decoded(charset, [lead, trail])
                if replaced == 0 { sum.add(text) }
            }
        }
        #expect(sum.value == hash)
    }

    @Test(arguments: CharsetVectors.words)
    func wordsDecode(_ label: String, _ hex: String, _ text: String) throws {
        let charset = try #require(Charset.named(label))
        let result = decoded(charset, bytes(hex: hex))
        #expect(result.text == text)
        #expect(result.replaced == 0)
    }

    @Test(arguments: ["", "klingon", "utf-99", "-"])
    func unknownLabelsAreUnknown(_ label: String) {
        #expect(Charset.named(label) == nil)
    }

    @Test func aBrokenPairNeverSwallowsAscii() throws {
        for name in ["shift_jis", "euc-jp", "gbk", "big5", "euc-kr"] {
            let charset = try #require(Charset.named(name))
            // 0x81 with a comma, a quote or a line end is no character in any of them.
            let (text, replaced) = decoded(charset, [0x41, 0x81, 0x2C, 0x42, 0x81, 0x0A, 0x81])
            #expect(text == "A\u{FFFD},B\u{FFFD}\n\u{FFFD}", "\(name)")
            #expect(replaced == 3, "\(name)")
        }
    }

    @Test func utf16WithHalfCharactersIsRepaired() {
        #expect(decoded(.utf16LE, [0x41, 0, 0x3D, 0xD8]).text == "A\u{FFFD}")
        #expect(decoded(.utf16LE, [0x41, 0, 0x42]).text == "A\u{FFFD}")
        #expect(decoded(.utf16LE, [0xFE, 0xFF, 0, 0x41]).text == "A")
        #expect(decoded(.utf16BE, [0xDC, 0, 0, 0x41]) == ("\u{FFFD}A", 2))
    }

    @Test func detectionNamesTheEncoding() {
        func detect(_ bytes: [UInt8]) -> String {
            bytes.withUnsafeBytes { Charset.detect($0).charset.name }
        }
        #expect(detect([0xEF, 0xBB, 0xBF, 0x41]) == "utf-8")
        #expect(detect([0xFF, 0xFE, 0x41, 0]) == "utf-16le")
        #expect(detect([0xFE, 0xFF, 0, 0x41]) == "utf-16be")
        #expect(detect(Array("a,b\n".utf8).flatMap { [$0, 0] }) == "utf-16le")
        #expect(detect(Array("a,b\n".utf8).flatMap { [0, $0] }) == "utf-16be")
        #expect(detect([0x5A, 0x6F, 0xEB]) == "windows-1252")
        #expect(detect(Array("Zoë".utf8)) == "utf-8")
        #expect(detect(Array(repeating: "Zoë ", count: 20).joined().utf8 + [0xEB]) == "utf-8")
        #expect(detect([]) == "utf-8")
        // NUL bytes alone make no UTF-16: controls are no text, and well-formed UTF-8 is UTF-8.
        #expect(detect([0, 4, 0, 5, 0, 6]) == "utf-8")
        #expect(detect(Array("\0a\0b\0ÿ\0c\0d".utf8)) == "utf-8")
        #expect(detect([0x5A, 0, 0x6F, 0, 0xEB, 0]) == "utf-16le")
    }
}

@Suite struct UTF8CheckTests {
    /// The obvious twin: what the standard library's decoder accepts.
    private func slow(_ bytes: [UInt8]) -> Bool { String(validating: bytes, as: UTF8.self) != nil }

    @Test func agreesWithTheStandardLibraryOnAllShortSequences() {
        for a in UInt8(0x00)...0xFF {
            for b in UInt8(0x00)...0xFF {
                let two = [a, b]
                #expect(two.withUnsafeBytes { UTF8Check.isValid($0) } == slow(two))
                guard a >= 0xE0 else { continue }
                for tail in [UInt8(0x7F), 0x80, 0xBF, 0xC0] {
                    for more in [[b, tail], [b, tail, 0x80], [b, 0x80, tail]] {
                        let all = [a] + more
                        let fast = all.withUnsafeBytes { UTF8Check.isValid($0) }
                        #expect(fast == slow(all))
                    }
                }
            }
        }
    }

    @Test(arguments: 0..<100) func piecesAreValidWhereEachOfThemIs(_ seed: UInt64) {
        var random = SeededGenerator(seed)
        let pieces = ["a", "é", "Привет ", "日", "😀", "ascii of some length, "]
        var bytes: [UInt8] = []
        var ends: [Int] = []
        var isValid = true
        for _ in 0..<20 {
            var piece = (0..<Int(random.next() % 4)).flatMap { _ in
                Array(pieces[Int(random.next() % 6)].utf8)
            }
            if random.next() % 30 == 0, !piece.isEmpty { piece.removeLast() }
            isValid = isValid && slow(piece)
            bytes += piece
            ends.append(bytes.count)
        }
        let isFound = bytes.withUnsafeBytes { raw in
            ends.withUnsafeBufferPointer { UTF8Check.areValid(raw, endingAt: $0) }
        }
        #expect(isFound == isValid)
        #expect(bytes.withUnsafeBytes { UTF8Check.isValid($0) } == slow(bytes))
    }

    @Test(arguments: 0..<200)
    func findsTheFirstBadByteAnywhere(_ seed: Int) {
        var random = SeededGenerator(UInt64(seed))
        var bytes: [UInt8] = []
        let pieces = ["a", "é", "日", "😀", "plain ascii text of some length, "]
        for _ in 0..<Int(random.next() % 30) {
            bytes += pieces[Int(random.next() % 5)].utf8
        }
        #expect(bytes.withUnsafeBytes { UTF8Check.firstInvalid($0) } == nil)
        let at = bytes.count
        bytes += [0xC3]
        #expect(bytes.withUnsafeBytes { UTF8Check.firstInvalid($0) } == at)
        bytes += Array("0123456789012345678901234567890123456789".utf8)
        #expect(bytes.withUnsafeBytes { UTF8Check.firstInvalid($0) } == at)
    }
}
