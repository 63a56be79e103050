// Control characters in the lines of cards. Only quoted-printable, which is 2.1's, can carry them: the
// grammars of 3.0 and 4.0 have none but the tab, and what is passed on between programs as XML
// may not hold them, so that one such character can cut a person off from a whole address book.

/// Finds control characters, and takes them out.
package enum ControlCharacters {
    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let highs: UInt64 = 0x8080_8080_8080_8080

    /// True for what a line of text may not hold.
    @inline(__always)
    static func isOne(_ c: UInt8) -> Bool { c < 0x20 && c != 9 || c == 0x7F }

    /// Whether text holds any.
    package static func areIn(_ text: UnsafeRawBufferPointer) -> Bool {
        var i = 0
        let count = text.count
        while count &- i >= 8 {
            let word = text.loadUnaligned(fromByteOffset: i, as: UInt64.self)
            let delete = word ^ (ones &* 0x7F)
            // Bytes below a blank, or equal to DEL; a borrow may add a neighbour.
            let low = (word &- ones &* 0x20) & ~word
            let equal = (delete &- ones) & ~delete
            if (low | equal) & highs != 0 {
                for k in i..<i &+ 8 where isOne(text[k]) { return true }
            }
            i &+= 8
        }
        while i < count {
            if isOne(text[i]) { return true }
            i &+= 1
        }
        return false
    }

    /// Whether a text that is one word, such as base64, holds any of them or white space.
    static func areInOneWord(_ text: UnsafeRawBufferPointer) -> Bool {
        var i = 0
        let count = text.count
        while count &- i >= 32 {
            let bytes = text.loadUnaligned(fromByteOffset: i, as: SIMD32<UInt8>.self)
            if any((bytes .<= 0x20) .| (bytes .== 0x7F)) { return true }
            i &+= 32
        }
        return text[i...].contains { $0 <= 0x20 || $0 == 0x7F }
    }

    /// Takes them out of text; those that part lines or pages become blanks.
    /// - Parameter keepingBreaks: whether line breaks stay, which become escapes later.
    /// - Returns: how many there were.
    static func remove(from text: RawVector<UInt8>, keepingBreaks: Bool = false) -> Int {
        var kept = 0
        var found = 0
        for i in 0..<text.count {
            let c = text.base[i]
            guard isOne(c), !(keepingBreaks && (c == 10 || c == 13)) else {
                text.base[kept] = c
                kept += 1
                continue
            }
            found += 1
            if c == 0x0B || c == 0x0C {
                text.base[kept] = 0x20
                kept += 1
            }
        }
        text.truncate(to: kept)
        return found
    }
}
