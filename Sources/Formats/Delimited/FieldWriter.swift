// Cells out: as they are where nothing in them means anything to a reader, else in quotes with the
// quotes doubled (RFC 4180).

/// Appends cells of one dialect to a byte vector.
struct FieldWriter {
    let out: RawVector<UInt8>
    private let special: ByteMask
    private let quote: UInt8
    private let delimiterByte: UInt8

    init(_ out: RawVector<UInt8>, _ dialect: CSVDialect) {
        self.out = out
        quote = dialect.quote ?? 0x22
        delimiterByte = dialect.delimiter
        special = ByteMask(dialect)
    }

    /// Appends a value, quoted where needed; an empty one as two quotes.
    /// - Parameter readable: bytes that may be read from `start` on; more than `count` is faster.
    @inline(__always)
    func write(_ start: UnsafeRawPointer, count: Int, readable: Int) {
        if count == 0 {
            out.append(quote)
            out.append(quote)
            return
        }
        out.reserve(adding: count &+ 16)
        let to = UnsafeMutableRawPointer(out.base + out.count)
        var misses = SIMD16<UInt8>(repeating: 0x80)
        var i = 0
        while i &+ 16 <= readable, i &+ 16 <= count {
            let v = start.loadUnaligned(fromByteOffset: i, as: SIMD16<UInt8>.self)
            to.storeBytes(of: v, toByteOffset: i, as: SIMD16<UInt8>.self)
            misses &= special.misses(v)
            i &+= 16
        }
        var isSpecial = ByteMask.bits(misses) != 0
        if i < count {
            if i &+ 16 <= readable {
                let v = start.loadUnaligned(fromByteOffset: i, as: SIMD16<UInt8>.self)
                to.storeBytes(of: v, toByteOffset: i, as: SIMD16<UInt8>.self)
                let rest = UInt64(truncatingIfNeeded: count &- i)
                if special.bits(v) & ((1 &<< rest) &- 1) != 0 { isSpecial = true }
            } else {
                while i < count {
                    let byte = start.load(fromByteOffset: i, as: UInt8.self)
                    to.storeBytes(of: byte, toByteOffset: i, as: UInt8.self)
                    if byte == delimiterByte || byte == quote || byte == 10 || byte == 13 {
                        isSpecial = true
                    }
                    i &+= 1
                }
            }
        }
        if isSpecial, needsQuotes(start, count: count) {
            writeQuoted(start, count: count)
        } else {
            _ = out.extend(count)
        }
    }

    /// Appends a value.
    func write(_ bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress else { return write(out.base, count: 0, readable: 0) }
        write(start, count: bytes.count, readable: bytes.count)
    }

    /// Appends JSON text, which seldom goes without quotes.
    func write(json bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress,
            firstIndex(
                of: quote, in: start.assumingMemoryBound(to: UInt8.self), count: bytes.count) != nil
        else { return write(bytes) }
        writeQuoted(start, count: bytes.count)
    }

    /// Appends a text.
    func write(_ text: String) {
        var text = text
        text.withUTF8 { write(UnsafeRawBufferPointer($0)) }
    }

    /// The exact answer; control bytes other than line ends are no reason.
    @inline(never)
    private func needsQuotes(_ start: UnsafeRawPointer, count: Int) -> Bool {
        for i in 0..<count {
            let byte = start.load(fromByteOffset: i, as: UInt8.self)
            if byte == delimiterByte || byte == quote || byte == 10 || byte == 13 { return true }
        }
        return false
    }

    /// Appends a value in quotes.
    @inline(never)
    func writeQuoted(_ start: UnsafeRawPointer, count: Int) {
        out.reserve(adding: count &* 2 &+ 18)
        let to = out.base + out.count
        to[0] = quote
        var n = 1
        var i = 0
        // Sixteen bytes at a time; behind each quote among them a quote, and the rest once more.
        while i &+ 32 <= count {
            let v = start.loadUnaligned(fromByteOffset: i, as: SIMD16<UInt8>.self)
            UnsafeMutableRawPointer(to + n).storeBytes(of: v, as: SIMD16<UInt8>.self)
            var found = ByteMask.bits(of: quote, in: v)
            var done = 0
            while found != 0 {
                let at = found.trailingZeroBitCount
                n &+= at &- done &+ 1
                to[n] = quote
                n &+= 1
                done = at &+ 1
                let rest = start.loadUnaligned(
                    fromByteOffset: i &+ done, as: SIMD16<UInt8>.self)
                UnsafeMutableRawPointer(to + n).storeBytes(of: rest, as: SIMD16<UInt8>.self)
                found &= found &- 1
            }
            n &+= 16 &- done
            i &+= 16
        }
        while i < count {
            let byte = start.load(fromByteOffset: i, as: UInt8.self)
            to[n] = byte
            n &+= 1
            if byte == quote {
                to[n] = quote
                n &+= 1
            }
            i &+= 1
        }
        to[n] = quote
        _ = out.extend(n &+ 1)
    }
}
