// Cells in bytes against the same in strings: trimming, cutting, numbers, words and escapes.

import Testing

@testable import Formats

/// Runs a body with the bytes of a text as a slice.
private func withSlice<T>(_ text: String, _ body: (CellSlice) throws -> T) rethrows -> T {
    var text = text
    return try text.withUTF8 { try body(CellSlice(UnsafeRawBufferPointer($0))) }
}

@Suite struct CellSliceTests {
    static let texts = [
        "", " ", "a", " a ", "\u{A0}a\u{3000}", "\u{FEFF}a\u{2009}", "\t\r\na b\u{85}", "é ", " é",
        "\u{1680}", "\u{2028}x\u{202F}", "x\u{205F}", "a\u{1F}", "\u{1F}", "中 ", "Ć\u{C2}",
        "\u{A0}",
    ]

    @Test(arguments: texts) func trimmingIsThatOfHeaders(_ text: String) {
        #expect(withSlice(text) { $0.trimmed.string } == HeaderNames.trim(text))
    }

    @Test(arguments: [
        "", "5", "+5", "-5", "+", "-", "007", "1 ", "٣", "9223372036854775807",
        "9223372036854775808", "-9223372036854775808", "-9223372036854775809", "1_0", "0x1",
    ])
    func numbersAreThoseOfInt(_ text: String) {
        #expect(withSlice(text) { $0.int } == Int(text))
    }

    @Test(arguments: [
        "", "a", ":::", "a:::b", " a ::: b ", "::::a", "a:::::b", ":::a:::", "a::b", "a:::::::b",
        "é:::中", "a ::: ::: b",
    ])
    func piecesAreThoseOfStrings(_ text: String) {
        let pieces = RawVector<CellSlice>(capacity: 4)
        defer { pieces.destroy() }
        for keepsEmpty in [true, false] {
            let found = withSlice(text) { slice -> [String] in
                pieces.removeAll()
                let count = slice.split(into: pieces, keepsEmpty: keepsEmpty)
                #expect(count == pieces.count)
                return pieces.elements.map(\.string)
            }
            var wanted = [text]
            if text.contains(":::") {
                wanted = text.split(separator: ":::", omittingEmptySubsequences: false)
                    .map { HeaderNames.trim(String($0)) }.filter { keepsEmpty || !$0.isEmpty }
            }
            #expect(found == wanted)
        }
    }

    @Test(arguments: [
        ("", "", true), ("a b", "b a c", true), ("a, b", "b\na", true), ("a d", "a b", false),
        ("\u{E9}", "e\u{301}", true), ("e\u{301}t\u{E9}", "\u{E9}te\u{301}", true),
        ("K", "\u{212A}", true), ("x\u{3000}y", "y x", true), ("Zürich", "Zurich", false),
    ])
    func wordsAreToldInAnySpelling(_ text: String, _ known: String, _ isTold: Bool) {
        let words = ToldWords(.ofAddresses)
        withSlice(known) { known in
            words.add(known)
            withSlice(text) { #expect(words.tells($0) == isTold) }
        }
    }

    @Test func namesOfEmailsAreCutAtBrackets() {
        let words = ToldWords(.ofNames)
        withSlice("Ann Lee") { known in
            words.add(known)
            withSlice("'Lee, Ann' (Ann)") { #expect(words.tells($0)) }
            withSlice("Ann [Lee]") { #expect(!words.tells($0)) }
        }
    }

    // MARK: Escapes

    /// Byte by byte.
    private func plainEscape(_ text: [UInt8]) -> [UInt8] {
        var out: [UInt8] = []
        for (i, byte) in text.enumerated() {
            switch byte {
            case 0x5C, 0x3B, 0x2C: out += [0x5C, byte]
            case 13 where i + 1 < text.count && text[i + 1] == 10: break
            case 10, 13: out += [0x5C, 0x6E]
            default: out.append(byte)
            }
        }
        return out
    }

    @Test func escapesAreThoseOfEachByte() {
        var random = SystemRandomNumberGenerator()
        let out = RawVector<UInt8>(capacity: 16)
        defer { out.destroy() }
        let odd: [UInt8] = [0x5C, 0x3B, 0x2C, 10, 13, 0, 0x8A, 0xAC, 0xBB, 0xDC, 0x8D]
        for count in 0..<80 {
            for share in [0, 2, 10, 60] {
                let text = (0..<count).map { _ -> UInt8 in
                    Int.random(in: 0..<100, using: &random) < share
                        ? odd.randomElement(using: &random) ?? 10
                        : UInt8.random(in: 0x30...0x39, using: &random)
                }
                out.removeAll()
                let hasEscapes = text.withUnsafeBytes { CardBuilder.escape($0, to: out) }
                let wanted = plainEscape(text)
                #expect(Array(out.elements) == wanted)
                #expect(hasEscapes == wanted.contains(0x5C))
            }
        }
    }
}
