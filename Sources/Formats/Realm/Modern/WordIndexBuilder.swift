// Full-text indexes: which words a text has. Their trie differs from that of other indexes only
// in that its paths are spelled to the end.

/// Cuts texts into the words of a full-text index.
enum WordScanner {
    /// The longest word in bytes; the rest of a longer one is left out.
    static let limit = 64

    /// Appends the words of a text to `words`, their ends to `ends`: letters and digits in lower
    /// case, without the accents of Latin-1. A word may come more than once, and be empty (a
    /// multiplication sign alone is one).
    static func scan(
        _ text: UnsafeRawBufferPointer, words: RawVector<UInt8>, ends: RawVector<Int>
    ) {
        var start = words.count
        var isInside = false
        var i = 0
        while i < text.count {
            let byte = text[i]
            var isLetter = true
            switch byte {
            case 0x30...0x39, 0x61...0x7A: if words.count - start < limit { words.append(byte) }
            case 0x41...0x5A: if words.count - start < limit { words.append(byte | 0x20) }
            case 0xC3 where i + 1 < text.count && text[i + 1] != 0xBF:
                i += 1
                letter(text[i], words, room: limit - (words.count - start))
            default: isLetter = false
            }
            if isLetter {
                isInside = true
            } else if isInside {
                ends.append(words.count)
                start = words.count
                isInside = false
            }
            i += 1
        }
        if isInside { ends.append(words.count) }
    }

    /// Appends a letter of the upper half of Latin-1, given by its second byte in UTF-8.
    private static func letter(_ second: UInt8, _ words: RawVector<UInt8>, room: Int) {
        let plain: UInt8
        switch second & 0x1F {
        case 0x00...0x04: plain = 0x61
        case 0x07: plain = 0x63
        case 0x08...0x0B: plain = 0x65
        case 0x0C...0x0F: plain = 0x69
        case 0x11: plain = 0x6E
        case 0x12...0x16: plain = 0x6F
        case 0x19...0x1C: plain = 0x75
        case 0x1D: plain = 0x79
        case 0x17: return
        default:
            // å æ ð ø þ and the sharp s, which has no upper case here.
            if room >= 2 {
                words.append(0xC3)
                words.append(second & 0x1F == 0x1F ? 0x9F : 0xA0 | second & 0x1F)
            }
            return
        }
        if room >= 1 { words.append(plain) }
    }
}

extension IndexBuilder {
    /// Takes the words of the next rows' texts.
    func addWords(_ source: LeafValues) {
        let ends = RawVector<Int>(capacity: 16)
        defer { ends.destroy() }
        var start = source.start
        for i in 0..<source.count {
            let end = source.ends[i]
            if source.nulls[i] == 0 {
                ends.removeAll()
                var begin = text.count
                WordScanner.scan(
                    UnsafeRawBufferPointer(start: source.bytes + start, count: end - start),
                    words: text, ends: ends)
                for end in ends.elements {
                    closeWord(begin, end, row: textRows + i)
                    begin = end
                }
            }
            start = end
        }
        textRows += source.count
    }
}
