// Which encoding is this text in? By the mark at its start, by the pattern of NUL bytes, by being
// valid UTF-8; anything else is taken for windows-1252 and said to be a guess.

extension Charset {
    /// What the bytes of a text say about their encoding.
    package struct Detection: Sendable {
        /// The encoding.
        package var charset: Charset
        /// The length of the mark at the start.
        package var markLength: Int
        /// True when nothing in the bytes proves it.
        package var isGuess: Bool
        /// True for UTF-8 with a few ill-formed bytes.
        package var needsRepair: Bool
    }

    /// Looks at the whole text.
    package static func detect(_ bytes: UnsafeRawBufferPointer) -> Detection {
        detect(bytes) { UTF8Check.firstInvalid(bytes) }
    }

    /// Finds the encoding of a whole input, whose memory stays flat.
    package static func detect(_ input: InputBytes) -> Detection {
        detect(input.bytes) { input.firstInvalidUTF8() }
    }

    private static func detect(_ bytes: UnsafeRawBufferPointer, firstInvalid: () -> Int?)
        -> Detection
    {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
            let repair = firstInvalid() != nil
            return Detection(charset: .utf8, markLength: 3, isGuess: false, needsRepair: repair)
        }
        if bytes.starts(with: [0xFF, 0xFE]) {
            return Detection(charset: .utf16LE, markLength: 2, isGuess: false, needsRepair: false)
        }
        if bytes.starts(with: [0xFE, 0xFF]) {
            return Detection(charset: .utf16BE, markLength: 2, isGuess: false, needsRepair: false)
        }
        if let wide = wideWithoutMark(bytes), !isUTF8WithNULs(bytes, firstInvalid) {
            return Detection(charset: wide, markLength: 0, isGuess: true, needsRepair: false)
        }
        guard let bad = firstInvalid() else {
            return Detection(charset: .utf8, markLength: 0, isGuess: false, needsRepair: false)
        }
        if isMostlyUTF8(bytes, from: bad) {
            return Detection(charset: .utf8, markLength: 0, isGuess: true, needsRepair: true)
        }
        return Detection(charset: .windows1252, markLength: 0, isGuess: true, needsRepair: false)
    }

    /// Letters outside ASCII in UTF-16 are ill-formed UTF-8, but for rare chances.
    private static func isUTF8WithNULs(_ bytes: UnsafeRawBufferPointer, _ firstInvalid: () -> Int?)
        -> Bool
    {
        bytes.prefix(4096).contains { $0 >= 0x80 } && firstInvalid() == nil
    }

    /// UTF-16 shows in the NUL bytes of its ASCII characters, all on one side.
    private static func wideWithoutMark(_ bytes: UnsafeRawBufferPointer) -> Charset? {
        let count = min(bytes.count, 4096) & ~1
        guard count >= 4 else { return nil }
        var even = 0
        var odd = 0
        var i = 0
        while i < count {
            if bytes[i] == 0, isTextByte(bytes[i + 1]) { even += 1 }
            if bytes[i + 1] == 0, isTextByte(bytes[i]) { odd += 1 }
            i += 2
        }
        let pairs = count / 2
        if odd * 10 >= pairs * 4, even * 20 <= odd { return .utf16LE }
        if even * 10 >= pairs * 4, odd * 20 <= even { return .utf16BE }
        return nil
    }

    /// A byte that stands for a character of text, be it a tab or a line end.
    private static func isTextByte(_ c: UInt8) -> Bool { c >= 0x20 || (c >= 9 && c <= 13) }

    /// Text with many well-formed sequences and few ill-formed ones is damaged UTF-8: reading it
    /// as anything else would garble all of it.
    private static func isMostlyUTF8(_ bytes: UnsafeRawBufferPointer, from: Int) -> Bool {
        guard let base = bytes.baseAddress else { return false }
        var good = 0
        var bad = 0
        var i = 0
        let end = min(bytes.count, max(from + 4096, 1 << 20))
        while i < end {
            i = UTF8Check.endOfASCII(base, i, end)
            guard i < end else { break }
            let length = UTF8Check.sequence(base, i, bytes.count)
            if length == 0 { bad += 1 } else { good += 1 }
            i += max(length, 1)
        }
        return good >= 4 && good >= bad * 10
    }
}
