// The writing half of the JSON grammar: strings with their escapes, into a byte vector. Numbers
// and other scalars are spelled by `ScalarText`; what an object means is for the formats.

/// The JSON grammar.
package enum JSONText {
    @usableFromInline static let low: UInt64 = 0x0101_0101_0101_0101
    @usableFromInline static let high: UInt64 = 0x8080_8080_8080_8080

    /// The high bit of each byte that ends a clean span: a quote, a backslash, a control or a
    /// byte outside ASCII. Only the lowest bit set is exact.
    @inline(__always)
    static func special(_ x: UInt64) -> UInt64 {
        let quote = x ^ 0x2222_2222_2222_2222
        let slash = x ^ 0x5C5C_5C5C_5C5C_5C5C
        return
            (((quote &- low) & ~quote) | ((slash &- low) & ~slash)
            | (x &- 0x2020_2020_2020_2020) | x) & high
    }

    @inline(__always)
    private static func isSpecial(_ c: UInt8) -> Bool {
        c < 0x20 || c == 0x22 || c == 0x5C || c >= 0x80
    }

    /// Appends a string in quotes.
    /// - Returns: false, with nothing appended, when the bytes are not UTF-8.
    @inline(__always)
    package static func write(
        string p: UnsafePointer<UInt8>, count n: Int, to out: RawVector<UInt8>
    ) -> Bool {
        out.reserve(adding: n &+ 10)
        if store(string: p, count: n, at: out.base + out.count) {
            out.commit(n &+ 2)
            return true
        }
        return writeSlowly(string: p, count: n, to: out)
    }

    /// Stores a string of plain ASCII in quotes, `n + 2` bytes; up to eight more may be touched.
    /// - Returns: false when a byte needs a look; what was stored means nothing then.
    @inline(__always)
    static func store(
        string p: UnsafePointer<UInt8>, count n: Int, at start: UnsafeMutablePointer<UInt8>
    ) -> Bool {
        start[0] = 0x22
        let d = start + 1
        var i = 0
        while i &+ 8 <= n {
            let x = UnsafeRawPointer(p + i).loadUnaligned(as: UInt64.self)
            if special(x) != 0 { return false }
            UnsafeMutableRawPointer(d + i).storeBytes(of: x, as: UInt64.self)
            i &+= 8
        }
        if n >= 8 {
            if i < n {
                // The last eight bytes once more, overlapping.
                let x = UnsafeRawPointer(p + (n &- 8)).loadUnaligned(as: UInt64.self)
                if special(x) != 0 { return false }
                UnsafeMutableRawPointer(d + (n &- 8)).storeBytes(of: x, as: UInt64.self)
            }
        } else {
            while i < n {
                let c = p[i]
                if isSpecial(c) { return false }
                d[i] = c
                i &+= 1
            }
        }
        d[n] = 0x22
        return true
    }

    /// The same for any string; used once a byte needs a look.
    @inline(never)
    static func writeSlowly(
        string p: UnsafePointer<UInt8>, count n: Int, to out: RawVector<UInt8>
    ) -> Bool {
        guard UTF8Check.isValid(UnsafeRawBufferPointer(start: p, count: n)) else { return false }
        out.append(0x22)
        appendEscaped(p, count: n, doublesQuotes: false, to: out)
        out.append(0x22)
        return true
    }

    /// Appends the content of a string that is known to be UTF-8, with its escapes.
    /// - Parameter doublesQuotes: write each quote twice, for text inside a quoted CSV cell.
    static func appendEscaped(
        _ p: UnsafePointer<UInt8>, count n: Int, doublesQuotes: Bool, to out: RawVector<UInt8>
    ) {
        var clean = 0
        var i = 0
        while i < n {
            if n &- i >= 8 {
                let x = UnsafeRawPointer(p + i).loadUnaligned(as: UInt64.self)
                if doubtful(x, highs: 0) & high == 0 {
                    i &+= 8
                    continue
                }
            }
            let c = p[i]
            if c >= 0x20 && c != 0x22 && c != 0x5C {
                i &+= 1
                continue
            }
            out.append(p + clean, count: i &- clean)
            escape(c, to: out)
            if doublesQuotes, c == 0x22 { out.append(0x22) }
            i &+= 1
            clean = i
        }
        out.append(p + clean, count: n &- clean)
    }

    /// Stores the content of a string, without quotes, where no byte of it needs a look.
    ///
    /// Up to 15 bytes behind the string are read, and as many behind its copy written.
    /// - Parameters:
    ///   - highs: the high bit of each byte where bytes outside ASCII need a look, 0 where they are
    ///     known to be well-formed.
    ///   - mask: `StringMask.base`.
    /// - Returns: false when a byte needs a look; what was stored means nothing then.
    @inline(__always)
    static func copy(
        _ p: UnsafePointer<UInt8>, count n: Int, highs: UInt64, mask: UnsafeRawPointer,
        to d: UnsafeMutablePointer<UInt8>
    ) -> Bool {
        // No jump out of the loop: nearly all strings are plain, and most are short.
        var from = UnsafeRawPointer(p)
        var to = UnsafeMutableRawPointer(d)
        var left = n
        var found = SIMD2<UInt64>.zero
        while left > 16 {
            let x = from.loadUnaligned(as: SIMD2<UInt64>.self)
            to.storeBytes(of: x, as: SIMD2<UInt64>.self)
            found |= doubtful(x, highs: highs)
            from += 16
            to += 16
            left &-= 16
        }
        let x = from.loadUnaligned(as: SIMD2<UInt64>.self)
        to.storeBytes(of: x, as: SIMD2<UInt64>.self)
        // What stands behind the string does not count.
        let rest = (mask - left).loadUnaligned(as: SIMD2<UInt64>.self)
        found |= doubtful(x, highs: highs) & rest
        return (found[0] | found[1]) & high == 0
    }

    /// High bits, some of them set when a quote, a backslash or a control is among eight bytes, or
    /// a byte that has one of `highs`. Other bits mean nothing.
    @inline(__always)
    private static func doubtful(_ x: UInt64, highs: UInt64) -> UInt64 {
        // With bit 1 flipped, controls and the quote are the bytes below 0x21. A subtraction that
        // borrows from the next byte has found its own already.
        let low = (x ^ 0x0202_0202_0202_0202) &- 0x2121_2121_2121_2121
        let slash = (x ^ 0x5C5C_5C5C_5C5C_5C5C) &- JSONText.low
        return (low | slash) & ~x | x & highs
    }

    /// The same for sixteen.
    @inline(__always)
    private static func doubtful(_ x: SIMD2<UInt64>, highs: UInt64) -> SIMD2<UInt64> {
        let low =
            (x ^ SIMD2(repeating: 0x0202_0202_0202_0202))
            &- SIMD2(repeating: 0x2121_2121_2121_2121)
        let slash = (x ^ SIMD2(repeating: 0x5C5C_5C5C_5C5C_5C5C)) &- SIMD2(repeating: JSONText.low)
        return (low | slash) & ~x | x & SIMD2(repeating: highs)
    }

    private static func escape(_ c: UInt8, to out: RawVector<UInt8>) {
        out.append(0x5C)
        switch c {
        case 0x22, 0x5C: out.append(c)
        case 0x08: out.append(0x62)
        case 0x09: out.append(0x74)
        case 0x0A: out.append(0x6E)
        case 0x0C: out.append(0x66)
        case 0x0D: out.append(0x72)
        default:
            out.append("u00")
            out.append(hexDigit(c >> 4))
            out.append(hexDigit(c & 15))
        }
    }

    @inline(__always)
    static func hexDigit(_ n: UInt8) -> UInt8 { n < 10 ? 0x30 &+ n : 0x57 &+ n }

    /// Appends a number in hexadecimal, with leading zeros.
    static func write(hex value: UInt64, digits: Int, to out: RawVector<UInt8>) {
        var shift = digits &* 4
        while shift > 0 {
            shift &-= 4
            out.append(hexDigit(UInt8(truncatingIfNeeded: value >> UInt64(shift)) & 15))
        }
    }

    /// Appends a text in quotes.
    package static func write(_ text: String, to out: RawVector<UInt8>) {
        var text = text
        text.withUTF8 { p in
            if let base = p.baseAddress {
                _ = write(string: base, count: p.count, to: out)
            } else {
                out.append("\"\"")
            }
        }
    }

    /// A text as a JSON string, quotes included.
    package static func quoted(_ text: String) -> String {
        let out = RawVector<UInt8>(capacity: text.utf8.count + 2)
        defer { out.destroy() }
        write(text, to: out)
        return String(decoding: out.elements, as: UTF8.self)
    }
}

/// Masks of the first 0 to 16 of sixteen bytes, for `JSONText.copy`.
final class StringMask {
    private let bytes: UnsafeMutableRawPointer
    /// Sixteen bytes of ones stand before it, sixteen zeros behind: `n` bytes before it the mask of
    /// the first `n` begins.
    var base: UnsafeRawPointer { UnsafeRawPointer(bytes + 16) }

    init() {
        bytes = .allocate(byteCount: 32, alignment: 16)
        bytes.initializeMemory(as: UInt8.self, repeating: 0xFF, count: 16)
        (bytes + 16).initializeMemory(as: UInt8.self, repeating: 0, count: 16)
    }

    deinit { bytes.deallocate() }
}

extension RawVector<UInt8> {
    /// Appends a text that stands in the program.
    @inline(__always)
    func append(literal text: StaticString) {
        append(text.utf8Start, count: text.utf8CodeUnitCount)
    }
}

extension RawVector {
    /// Counts elements that were stored behind the end, after `reserve(adding:)`.
    @inline(__always)
    func commit(_ count: Int) { _ = extend(count) }

    /// Makes everything before `end` count, after elements were stored behind the end.
    @inline(__always)
    func commit(to end: UnsafeMutablePointer<Element>) {
        header.pointee.count = end - header.pointee.base
    }

    /// Where the room that is there ends.
    @inline(__always)
    var limit: UnsafeMutablePointer<Element> { header.pointee.base + header.pointee.capacity }
}
