// Words of a text, found by its bytes. Where characters beyond ASCII could join a space, which they do in
// few scripts, `Character` decides.

/// Words with spaces between them, found by bytes.
enum SpacedWords {
    /// What `text.split(separator: " ")` gives.
    /// - Parameter keepsEmpty: whether there is an empty word between two spaces.
    static func split(_ text: String, keepsEmpty: Bool = false) -> [Substring] {
        let found = text.utf8.withContiguousStorageIfAvailable { bytes -> [Range<Int>]? in
            var words: [Range<Int>] = []
            words.reserveCapacity(8)
            var start = 0
            for i in 0..<bytes.count where bytes[i] == 0x20 {
                guard isAlone(i, in: bytes) else { return nil }
                if keepsEmpty || i > start { words.append(start..<i) }
                start = i + 1
            }
            if keepsEmpty || start < bytes.count { words.append(start..<bytes.count) }
            return words
        }
        guard let words = found ?? nil else {
            return text.split(separator: " ", omittingEmptySubsequences: !keepsEmpty)
        }
        let utf8 = text.utf8
        return words.map {
            let from = utf8.index(utf8.startIndex, offsetBy: $0.lowerBound)
            return text[from..<utf8.index(utf8.startIndex, offsetBy: $0.upperBound)]
        }
    }

    /// A text with a character in the place of each one that is white space.
    static func replacingSpace(in text: String, with mark: Character) -> String {
        // The bytes that white space begins with; few other scalars do.
        let hasNone = text.hasNone {
            $0 == 0x20 || $0 &- 0x09 < 5 || $0 == 0xC2 || $0 == 0xE1 || $0 == 0xE2 || $0 == 0xE3
        }
        return hasNone ? text : String(text.map { $0.isWhitespace ? mark : $0 })
    }

    /// True when the ASCII character at `i` is surely a character of its own.
    static func isAlone(_ i: Int, in bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        if i + 1 < bytes.count, bytes[i + 1] >= 0x80, !isPlain(i + 1, in: bytes) { return false }
        guard i > 0, bytes[i - 1] >= 0x80 else { return true }
        var lead = i - 1
        while lead > 0, lead > i - 4, bytes[lead] & 0xC0 == 0x80 { lead -= 1 }
        return isPlain(lead, in: bytes)
    }

    /// True for scalars, of the scripts met most, that join no character of ASCII beside them.
    static func isPlain(_ i: Int, in bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        func byte(_ at: Int) -> UInt8 { i + at < bytes.count ? bytes[i + at] : 0 }
        switch bytes[i] {
        case 0xC2...0xCB, 0xCE...0xD1, 0xD3...0xD4: return true
        // The Cyrillic signs that stand on letters.
        case 0xD2: return byte(1) < 0x83 || byte(1) > 0x89
        // Hebrew letters and Arabic ones.
        case 0xD7: return byte(1) >= 0x90 && byte(1) <= 0xAA
        case 0xD8: return byte(1) >= 0xA0
        case 0xD9: return byte(1) <= 0x8A
        // Dashes, quotes and dots.
        case 0xE2: return byte(1) == 0x80 && byte(2) >= 0x90 && byte(2) <= 0xA7
        // Kana, without their marks, and what is Chinese or Korean.
        case 0xE3:
            if byte(1) == 0x80 { return byte(2) < 0xAA }
            return byte(1) != 0x82 || byte(2) < 0x99 || byte(2) > 0x9A
        case 0xE4...0xE9, 0xEB, 0xEC: return true
        case 0xEA: return byte(1) >= 0xB0
        case 0xED: return byte(1) <= 0x9D
        // Pictures, without the colours of skin.
        case 0xF0: return byte(1) == 0x9F && (byte(2) != 0x8F || byte(3) < 0xBB)
        default: return false
        }
    }
}
