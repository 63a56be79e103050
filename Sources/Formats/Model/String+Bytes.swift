// Questions to texts that are nearly always ASCII, answered by their bytes. What characters beyond
// ASCII mean, and what joins the character before it, is left to `Character`.

extension String {
    /// True when the text in capitals is `word`, which has capitals of ASCII only.
    func isInCapitals(_ word: String) -> Bool {
        var rest = word.utf8.makeIterator()
        for byte in utf8 {
            guard byte < 0x80 else { return uppercased() == word }
            guard String.capital(byte) == rest.next() else { return false }
        }
        return rest.next() == nil
    }

    /// True when the text in capitals begins with `word`, which has capitals of ASCII only.
    func beginsInCapitals(with word: String) -> Bool {
        var own = utf8.makeIterator()
        for wanted in word.utf8 {
            guard let byte = own.next() else { return false }
            guard byte < 0x80 else { return uppercased().hasPrefix(word) }
            guard String.capital(byte) == wanted else { return false }
        }
        // What is no ASCII may join the last character.
        guard let byte = own.next(), byte >= 0x80 else { return true }
        return uppercased().hasPrefix(word)
    }

    @inline(__always)
    private static func capital(_ byte: UInt8) -> UInt8 {
        byte &- 0x61 < 26 ? byte & 0xDF : byte
    }

    /// The first `count` characters.
    func leading(_ count: Int) -> String {
        var seen = 0
        for byte in utf8 {
            guard byte < 0x80, byte != 13 else { return String(prefix(count)) }
            if seen == count { return String(self[..<utf8.index(startIndex, offsetBy: count)]) }
            seen += 1
        }
        return self
    }

    /// True when none of its bytes is one of `bytes`.
    @inline(__always)
    func hasNone(of isSpecial: (UInt8) -> Bool) -> Bool {
        for byte in utf8 where isSpecial(byte) { return false }
        return true
    }
}
