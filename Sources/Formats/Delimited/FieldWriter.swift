// Cells out: as they are where nothing in them means anything to a reader, else in quotes with the
// quotes doubled (RFC 4180).

/// Appends cells of one dialect to a byte vector.
struct FieldWriter {
    let out: RawVector<UInt8>
    private let delimiter: SIMD16<UInt8>
    private let quoteLanes: SIMD16<UInt8>
    private let quote: UInt8
    private let delimiterByte: UInt8

    init(_ out: RawVector<UInt8>, _ dialect: CSVDialect) {
        self.out = out
        quote = dialect.quote ?? 0x22
        delimiterByte = dialect.delimiter
        delimiter = SIMD16(repeating: dialect.delimiter)
        quoteLanes = SIMD16(repeating: quote)
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
        var found = SIMDMask<SIMD16<Int8>>(repeating: false)
        var i = 0
        while i &+ 16 <= readable, i &+ 16 <= count {
            let v = start.loadUnaligned(fromByteOffset: i, as: SIMD16<UInt8>.self)
            to.storeBytes(of: v, toByteOffset: i, as: SIMD16<UInt8>.self)
            found = found .| special(v)
            i &+= 16
        }
        var isSpecial = bits(found) != 0
        if i < count {
            if i &+ 16 <= readable {
                let v = start.loadUnaligned(fromByteOffset: i, as: SIMD16<UInt8>.self)
                to.storeBytes(of: v, toByteOffset: i, as: SIMD16<UInt8>.self)
                let rest = UInt64(truncatingIfNeeded: count &- i)
                if bits(special(v)) & ((1 &<< rest) &- 1) != 0 { isSpecial = true }
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
        if isSpecial {
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

    /// Appends a text.
    func write(_ text: String) {
        var text = text
        text.withUTF8 { write(UnsafeRawBufferPointer($0)) }
    }

    /// Appends a value in quotes.
    @inline(never)
    func writeQuoted(_ start: UnsafeRawPointer, count: Int) {
        out.reserve(adding: count &* 2 &+ 2)
        let to = out.base + out.count
        to[0] = quote
        var n = 1
        for i in 0..<count {
            let byte = start.load(fromByteOffset: i, as: UInt8.self)
            to[n] = byte
            n &+= 1
            if byte == quote {
                to[n] = quote
                n &+= 1
            }
        }
        to[n] = quote
        _ = out.extend(n &+ 1)
    }

    @inline(__always)
    private func special(_ v: SIMD16<UInt8>) -> SIMDMask<SIMD16<Int8>> {
        (v .== delimiter) .| (v .== quoteLanes) .| (v .== SIMD16(repeating: 10))
            .| (v .== SIMD16(repeating: 13))
    }

    /// One bit a lane.
    @inline(__always)
    private func bits(_ mask: SIMDMask<SIMD16<Int8>>) -> UInt64 {
        let halves = unsafeBitCast(mask, to: SIMD2<UInt64>.self)
        let pick: UInt64 = 0x8040_2010_0804_0201
        let gather: UInt64 = 0x0101_0101_0101_0101
        return ((halves[0] & pick) &* gather) &>> 56
            | (((halves[1] & pick) &* gather) &>> 56) &<< 8
    }
}
