// Text as comparisons without regard to case or accents see it, and the text tests of a
// predicate. Plain ASCII is handled byte by byte; everything else goes through Swift's Unicode
// case mapping and, for accents, a table drawn from canonical equivalence.

/// What a comparison of text disregards.
struct TextOptions: OptionSet, Sendable {
    let rawValue: UInt8
    /// Case: `[c]`.
    static let ignoresCase = TextOptions(rawValue: 1)
    /// Accents: `[d]`.
    static let ignoresAccents = TextOptions(rawValue: 2)
}

/// Folds text for comparison.
enum TextFolding {
    /// True when all bytes are ASCII.
    static func isASCII(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var i = 0
        while i &+ 8 <= bytes.count {
            let word = bytes.loadUnaligned(fromByteOffset: i, as: UInt64.self)
            if word & 0x8080_8080_8080_8080 != 0 { return false }
            i &+= 8
        }
        while i < bytes.count {
            if bytes[i] >= 0x80 { return false }
            i &+= 1
        }
        return true
    }

    /// Calls `body` with the folded bytes of a text; they are valid during the call.
    static func withFolded<R>(
        _ bytes: UnsafeRawBufferPointer, _ options: TextOptions,
        _ body: (UnsafeRawBufferPointer) -> R
    ) -> R {
        if options.isEmpty { return body(bytes) }
        if isASCII(bytes) {
            if !options.contains(.ignoresCase) { return body(bytes) }
            return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: bytes.count + 1) {
                room in
                guard let out = room.baseAddress else { return body(bytes) }
                lower(ascii: bytes, into: out)
                return body(UnsafeRawBufferPointer(start: out, count: bytes.count))
            }
        }
        var text = folded(String(decoding: bytes, as: UTF8.self), options)
        return text.withUTF8 { body(UnsafeRawBufferPointer($0)) }
    }

    /// Appends the bytes of a text with its case folded.
    static func appendLowercased(_ bytes: UnsafeRawBufferPointer, to out: RawVector<UInt8>) {
        if isASCII(bytes) {
            lower(ascii: bytes, into: out.extend(bytes.count))
        } else {
            out.append(String(decoding: bytes, as: UTF8.self).lowercased())
        }
    }

    private static func lower(
        ascii bytes: UnsafeRawBufferPointer, into out: UnsafeMutablePointer<UInt8>
    ) {
        var i = 0
        while i < bytes.count {
            let c = bytes[i]
            out[i] = c &- 65 < 26 ? c | 32 : c
            i &+= 1
        }
    }

    /// A text folded by the slow, general way.
    static func folded(_ text: String, _ options: TextOptions) -> String {
        var text = text
        if options.contains(.ignoresAccents) {
            var plain = String.UnicodeScalarView()
            for scalar in text.unicodeScalars {
                if scalar.properties.generalCategory == .nonspacingMark { continue }
                plain.append(scalar.value < 0xC0 ? scalar : unaccented[scalar] ?? scalar)
            }
            text = String(plain)
        }
        return options.contains(.ignoresCase) ? text.lowercased() : text
    }

    /// Accented letters and their base, found by canonical equivalence: the standard library
    /// compares `é` equal to `e` and a combining accent, but does not offer the decomposition.
    private static let unaccented: [Unicode.Scalar: Unicode.Scalar] = {
        var bases: [Unicode.Scalar] = []
        func add(_ range: ClosedRange<UInt32>) {
            bases += range.compactMap(Unicode.Scalar.init)
        }
        add(0x41...0x5A)
        add(0x61...0x7A)
        for other in [0xC6, 0xE6, 0xD8, 0xF8] as [UInt32] { add(other...other) }
        add(0x391...0x3C9)
        add(0x410...0x44F)
        func scalars(_ values: [UInt32]) -> [Unicode.Scalar] {
            values.compactMap(Unicode.Scalar.init)
        }
        let marks = scalars([
            0x300, 0x301, 0x302, 0x303, 0x304, 0x306, 0x307, 0x308, 0x309, 0x30A, 0x30B, 0x30C,
            0x30F, 0x311, 0x313, 0x314, 0x31B, 0x323, 0x324, 0x325, 0x326, 0x327, 0x328, 0x32D,
            0x32E, 0x330, 0x331, 0x342,
        ])
        let first = scalars([
            0x302, 0x303, 0x304, 0x306, 0x307, 0x308, 0x313, 0x314, 0x31B, 0x323,
        ])
        let second = scalars([
            0x300, 0x301, 0x302, 0x303, 0x304, 0x306, 0x307, 0x309, 0x323, 0x342,
        ])
        var known: [Character: Unicode.Scalar] = [:]
        func add(_ base: Unicode.Scalar, _ marks: [Unicode.Scalar]) {
            known[Character(String(String.UnicodeScalarView([base] + marks)))] = base
        }
        for base in bases {
            for mark in marks { add(base, [mark]) }
            if base.value >= 0x400 { continue }
            for mark in first { for other in second { add(base, [mark, other]) } }
        }
        var table: [Unicode.Scalar: Unicode.Scalar] = [:]
        for range in [0xC0...0x24F, 0x386...0x3CE, 0x400...0x4FF, 0x1E00...0x1FFF] {
            for value in range {
                guard let scalar = Unicode.Scalar(value as Int) else { continue }
                if let base = known[Character(scalar)] { table[scalar] = base }
            }
        }
        return table
    }()

    // MARK: Tests on folded bytes

    /// True when `text` begins with `part`.
    static func begins(_ text: UnsafeRawBufferPointer, with part: UnsafeRawBufferPointer) -> Bool {
        text.count >= part.count && equal(text, at: 0, part)
    }

    /// True when `text` ends with `part`.
    static func ends(_ text: UnsafeRawBufferPointer, with part: UnsafeRawBufferPointer) -> Bool {
        text.count >= part.count && equal(text, at: text.count - part.count, part)
    }

    /// True when `part` stands anywhere in `text`.
    static func contains(_ text: UnsafeRawBufferPointer, _ part: UnsafeRawBufferPointer) -> Bool {
        guard part.count > 0 else { return true }
        let first = part[0]
        var i = 0
        while i &+ part.count <= text.count {
            if text[i] == first, equal(text, at: i, part) { return true }
            i &+= 1
        }
        return false
    }

    private static func equal(
        _ text: UnsafeRawBufferPointer, at start: Int, _ part: UnsafeRawBufferPointer
    ) -> Bool {
        var i = 0
        while i < part.count {
            if text[start &+ i] != part[i] { return false }
            i &+= 1
        }
        return true
    }

    /// True when the whole of `text` fits a pattern of `*` (any run) and `?` (one code point);
    /// a backslash takes the next character as it is.
    static func like(_ text: UnsafeRawBufferPointer, _ pattern: UnsafeRawBufferPointer) -> Bool {
        var t = 0
        var p = 0
        // Where to take up again when the tail does not fit: behind the last star, one further on.
        var starPattern = -1
        var starText = 0
        while t < text.count {
            if p < pattern.count {
                let c = pattern[p]
                if c == UInt8(ascii: "*") {
                    p += 1
                    starPattern = p
                    starText = t
                    continue
                }
                if c == UInt8(ascii: "?") {
                    p += 1
                    t = next(text, t)
                    continue
                }
                let escaped = c == UInt8(ascii: "\\") && p + 1 < pattern.count
                if pattern[escaped ? p + 1 : p] == text[t] {
                    p += escaped ? 2 : 1
                    t += 1
                    continue
                }
            }
            guard starPattern >= 0 else { return false }
            starText = next(text, starText)
            t = starText
            p = starPattern
        }
        while p < pattern.count, pattern[p] == UInt8(ascii: "*") { p += 1 }
        return p == pattern.count
    }

    /// The position behind the code point at `i`.
    private static func next(_ text: UnsafeRawBufferPointer, _ i: Int) -> Int {
        var i = i + 1
        while i < text.count, text[i] & 0xC0 == 0x80 { i += 1 }
        return i
    }
}
