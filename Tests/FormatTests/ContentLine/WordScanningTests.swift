import Testing

@testable import Formats

/// What reads eight bytes at a time says what a look at each byte says.
@Suite("content lines by words") struct WordScanningTests {
    /// Bytes that mean something in a line, and some that do not.
    private static func line(_ random: inout SeededGenerator) -> [UInt8] {
        let pieces = [
            ":", ";", "=", ".", "\"", ",", "\\", "^", "\r", "\n", "\t", " ", "é", "BEGIN", "END",
            "TYPE", "ENCODING=b", "encoding=Quoted-Printable", "CHARSET=UTF-8", "BASE64", "B",
            "QUOTED-PRINTABLE", "N", "item1", "X-SERVICE-TYPE", "LANGUAGE", "NICKNAME",
            "categories",
            "a", "-", "7", "voice",
        ]
        return (0..<Int(random.next() % 14)).flatMap { _ in
            Array(pieces[Int(random.next() % UInt64(pieces.count))].utf8)
        }
    }

    private struct Head: Equatable {
        var group: TextRange
        var name: TextRange
        var key: UInt64
        var flags: UInt16
        var parameters: [String]
    }

    private func head(_ line: ContentLine, _ lines: ContentLines) -> Head {
        Head(
            group: line.group, name: line.name, key: line.key, flags: line.flags.rawValue,
            parameters: lines.parameterIndices(line).map { "\(lines.parameters[$0])" })
    }

    @Test(arguments: 0..<40) func aHeadReadByWordsIsTheHeadReadByBytes(_ seed: UInt64) {
        var random = SeededGenerator(seed)
        var taken = 0
        for _ in 0..<500 {
            let text = Self.line(&random) + Array("7:the value of the line".utf8)
            let start = Int(random.next() % 3)
            let end = text.count - Int(random.next() % 20)
            guard start < end else { continue }
            text.withUnsafeBufferPointer { text in
                guard let p = text.baseAddress else { return }
                let (fast, slow) = (ContentLines(), ContentLines())
                fast.begin(at: p)
                slow.begin(at: p)
                var (a, b) = (ContentLine(), ContentLine())
                let colon = ContentLineScanner.plainHead(p, start, end, 0, &a, fast)
                if colon < 0 { return }
                taken += 1
                let same = ContentLineScanner.head(
                    p, start, end, 0, 0, quotes: true, &b, slow)
                #expect(colon == same)
                #expect(head(a, fast) == head(b, slow))
            }
        }
        #expect(taken > 20)
    }

    @Test(arguments: 0..<40) func piecesAreWhatALookAtEachByteFinds(_ seed: UInt64) {
        var random = SeededGenerator(seed)
        for _ in 0..<300 {
            let alphabet = Array(";,\\abé".utf8)
            let text = (0..<Int(random.next() % 30)).map { _ in
                alphabet[Int(random.next() % UInt64(alphabet.count))]
            }
            var found: [Range<Int>] = []
            var start = 0
            var i = 0
            while i < text.count {
                if text[i] == 0x3B {
                    found.append(start..<i)
                    start = i + 1
                }
                i += text[i] == 0x5C && i + 1 < text.count ? 2 : 1
            }
            found.append(start..<text.count)
            text.withUnsafeBytes {
                var pieces = ValuePieces($0, separator: 0x3B)
                for range in found { #expect(pieces.next() == range) }
                #expect(pieces.next() == nil)
            }
        }
    }

    @Test(arguments: 0..<40) func base64OfAnyShapeIsDecodedAsDigitByDigit(_ seed: UInt64) {
        var random = SeededGenerator(seed)
        let digits = Array(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        for _ in 0..<50 {
            let odd = random.next() % 4
            var bits: [Bool] = []
            var isBad = false
            let text: [UInt8] = (0..<Int(random.next() % 200)).map { _ in
                if odd == 0, random.next() % 50 == 0 { return 0x20 }
                if odd == 1, random.next() % 150 == 0 {
                    isBad = true
                    return 0x2A
                }
                let digit = Int(random.next() % 64)
                for k in 0..<6 { bits.append(digit >> (5 - k) & 1 == 1) }
                return digits[digit]
            }
            var expected: [UInt8] = []
            for k in 0..<bits.count / 8 {
                expected.append(bits[k * 8..<k * 8 + 8].reduce(0) { $0 << 1 | ($1 ? 1 : 0) })
            }
            let out = RawVector<UInt8>()
            defer { out.destroy() }
            let isDecoded = text.withUnsafeBytes { Base64Text.decode($0, into: out) }
            #expect(isDecoded == !isBad)
            #expect(Array(out.elements) == (isBad ? [] : expected))
        }
    }

    @Test(arguments: [
        ("a=C3=A9b", false, "aéb"), ("=0D=0Aa=0Ab=0Dc=0D", false, "\na\nb\nc\n"),
        ("a=3Bb;c\\=3B", true, "a\\;b;c\\;"), ("a=3Bb", false, "a;b"), ("=G0=4", false, "=G0=4"),
        ("=\\=3B\\\\=3B", true, "=\\;\\\\\\;"), ("=0D\n", false, "\n\n"), ("", false, ""),
    ])
    func quotedPrintableIsDecoded(_ spelled: String, _ protects: Bool, _ expected: String) {
        let decoded = text { out in
            bytes(spelled) { QuotedPrintable.decode($0, protect: protects, into: out) }
        }
        #expect(decoded == expected)
    }
}
