// Which of 16 bytes could mean something in a delimited text? Written with the vector operations
// that compile to single instructions; comparisons and minima of vectors do not, here.

/// Finds delimiters, quotes, escapes and control bytes (line ends among them) in 16 bytes at once.
struct ByteMask {
    typealias Lanes = SIMD16<UInt8>
    private let delimiter: Lanes
    private let quote: Lanes
    private let escape: Lanes
    private let hasEscape: Bool

    init(_ dialect: CSVDialect) {
        delimiter = Lanes(repeating: dialect.delimiter)
        quote = Lanes(repeating: dialect.quote ?? dialect.delimiter)
        escape = Lanes(repeating: dialect.escape ?? dialect.delimiter)
        hasEscape = dialect.escape != nil
    }

    /// The top bit of each lane is clear where it holds one of the bytes.
    @inline(__always)
    func misses(_ v: Lanes) -> Lanes {
        let low = Lanes(repeating: 0x7F)
        // Adding carries into the top bit unless the other bits are 0 (or, for control bytes,
        // below 14); whatever has its top bit set already is none of them either.
        let a = v ^ delimiter
        let b = v ^ quote
        let control = ((v & low) &+ Lanes(repeating: 0x80 - 14)) | v
        var misses = control & (((a & low) &+ low) | a) & (((b & low) &+ low) | b)
        if hasEscape {
            let c = v ^ escape
            misses &= ((c & low) &+ low) | c
        }
        return misses
    }

    /// One bit a lane: set where it holds one of the bytes.
    @inline(__always)
    func bits(_ v: Lanes) -> UInt64 { ByteMask.bits(misses(v)) }

    /// One bit a lane: set where it holds a byte.
    @inline(__always)
    static func bits(of byte: UInt8, in v: Lanes) -> UInt64 {
        let a = v ^ Lanes(repeating: byte)
        let low = Lanes(repeating: 0x7F)
        return bits(((a & low) &+ low) | a)
    }

    /// One bit for each of 16 lanes: set where the lane's top bit is clear.
    @inline(__always)
    static func bits(_ misses: Lanes) -> UInt64 {
        let halves = unsafeBitCast(misses, to: SIMD2<UInt64>.self)
        let ones: UInt64 = 0x0101_0101_0101_0101
        // Moves bit 0 of byte k to bit 56 + k, for all eight at once.
        let gather: UInt64 = 0x0102_0408_1020_4080
        let low = ((~halves[0] &>> 7) & ones) &* gather
        let high = ((~halves[1] &>> 7) & ones) &* gather
        return low &>> 56 | (high &>> 56) &<< 8
    }
}
