// Text as values and parameters of cards have it, with the escapes of a vCard 3.0.

extension CardBuilder {
    /// The components of a structured value, still escaped.
    /// - Parameter limit: the most there are; more are left out.
    static func pieces(_ value: UnsafeRawBufferPointer, limit: Int) -> [UnsafeRawBufferPointer] {
        var pieces = ValuePieces(value, separator: 0x3B)
        var all: [UnsafeRawBufferPointer] = []
        all.reserveCapacity(limit)
        while all.count < limit, let piece = pieces.nextBytes() { all.append(piece) }
        return all
    }

    /// Appends text with the escapes of a vCard 3.0; a CR LF counts as one line end.
    /// - Returns: whether there was anything to escape.
    @discardableResult
    static func escape(_ text: UnsafeRawBufferPointer, to out: RawVector<UInt8>) -> Bool {
        guard let from = text.baseAddress else { return false }
        let count = text.count
        out.reserve(adding: count &* 2 &+ 16)
        let to = UnsafeMutableRawPointer(out.base + out.count)
        var hasEscapes = false
        var i = 0
        var n = 0
        while i < count {
            // Nearly always there is nothing to escape among the next bytes.
            if i &+ 16 <= count {
                let lanes = from.loadUnaligned(fromByteOffset: i, as: SIMD16<UInt8>.self)
                if !hasSpecial(lanes) {
                    to.storeBytes(of: lanes, toByteOffset: n, as: SIMD16<UInt8>.self)
                    i &+= 16
                    n &+= 16
                    continue
                }
            }
            let width = min(count &- i, 8)
            let word = ShortText(UnsafeRawBufferPointer(start: from + i, count: width)).word
            if !hasSpecial(word) {
                to.storeBytes(of: word.littleEndian, toByteOffset: n, as: UInt64.self)
                i &+= width
                n &+= width
                continue
            }
            let end = i &+ width
            while i < end {
                var byte = from.load(fromByteOffset: i, as: UInt8.self)
                i &+= 1
                if isSpecial(byte) {
                    if byte == 13, i < count, from.load(fromByteOffset: i, as: UInt8.self) == 10 {
                        continue
                    }
                    to.storeBytes(of: 0x5C, toByteOffset: n, as: UInt8.self)
                    n &+= 1
                    hasEscapes = true
                    if byte == 10 || byte == 13 { byte = 0x6E }
                }
                to.storeBytes(of: byte, toByteOffset: n, as: UInt8.self)
                n &+= 1
            }
        }
        _ = out.extend(n)
        return hasEscapes
    }

    @inline(__always)
    private static func isSpecial(_ byte: UInt8) -> Bool {
        byte == 0x5C || byte == 0x3B || byte == 0x2C || byte == 10 || byte == 13
    }

    /// Whether eight bytes, or the first of them with zeros behind, hold any to be escaped.
    @inline(__always)
    private static func hasSpecial(_ word: UInt64) -> Bool {
        let ones: UInt64 = 0x0101_0101_0101_0101
        @inline(__always)
        func hits(_ byte: UInt64) -> UInt64 {
            let x = word ^ (ones &* byte)
            return (x &- ones) & ~x
        }
        let all = hits(0x5C) | hits(0x3B) | hits(0x2C) | hits(10) | hits(13)
        return all & (ones &* 0x80) != 0
    }

    /// Whether sixteen bytes hold any to be escaped.
    @inline(__always)
    private static func hasSpecial(_ lanes: SIMD16<UInt8>) -> Bool {
        let low = SIMD16<UInt8>(repeating: 0x7F)
        @inline(__always)
        func misses(_ byte: UInt8) -> SIMD16<UInt8> {
            let a = lanes ^ SIMD16<UInt8>(repeating: byte)
            return ((a & low) &+ low) | a
        }
        let all = misses(0x5C) & misses(0x3B) & misses(0x2C) & misses(10) & misses(13)
        let halves = unsafeBitCast(all, to: SIMD2<UInt64>.self)
        return ~(halves[0] & halves[1]) & 0x8080_8080_8080_8080 != 0
    }

    @discardableResult
    static func escape(_ text: String, to out: RawVector<UInt8>) -> Bool {
        var text = text
        return text.withUTF8 { escape(UnsafeRawBufferPointer($0), to: out) }
    }
}
