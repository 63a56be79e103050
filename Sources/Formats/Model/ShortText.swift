// Up to eight bytes of text in one number, for words that are compared, folded and copied all the
// time: types of phones, names of properties.

/// A text of one to eight bytes, the first one lowest.
package struct ShortText {
    /// The bytes, zeros behind them.
    package let word: UInt64
    /// The number of bytes.
    package let count: Int

    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let highs: UInt64 = 0x8080_8080_8080_8080

    /// The text of `bytes`, of which there are one to eight. Nothing around them is read.
    @inline(__always)
    package init(_ bytes: UnsafeRawBufferPointer) {
        assert(bytes.count >= 1 && bytes.count <= 8)
        count = bytes.count
        guard let p = bytes.baseAddress else {
            word = 0
            return
        }
        if count >= 4 {
            // Two loads that overlap.
            let first = UInt32(littleEndian: p.loadUnaligned(as: UInt32.self))
            let last = UInt32(
                littleEndian: p.loadUnaligned(fromByteOffset: count &- 4, as: UInt32.self))
            word = UInt64(first) | UInt64(last) &<< UInt64(8 &* (count &- 4))
        } else {
            let middle = count &>> 1
            word =
                UInt64(bytes[0]) | UInt64(bytes[middle]) &<< UInt64(8 &* middle)
                | UInt64(bytes[count &- 1]) &<< UInt64(8 &* (count &- 1))
        }
    }

    /// Whether a byte, which is not 0, is in the text.
    @inline(__always)
    package func contains(_ byte: UInt8) -> Bool {
        let x = word ^ (ShortText.ones &* UInt64(byte))
        return (x &- ShortText.ones) & ~x & ShortText.highs != 0
    }

    /// Its `NameKey`.
    @inline(__always)
    package var key: UInt64 {
        (word & (ShortText.ones &* 0xDF)).byteSwapped &>> UInt64(64 &- 8 &* count)
    }

    /// The text with ASCII letters in lower case.
    @inline(__always)
    package var lowercased: UInt64 { ShortText.lowercased(word) }

    /// Eight bytes with ASCII letters in lower case.
    @inline(__always)
    package static func lowercased(_ word: UInt64) -> UInt64 {
        let low = word & ~highs
        let fromA = low &+ (ones &* (0x80 - 0x41))
        let behindZ = low &+ (ones &* (0x80 - 0x5B))
        return word | (fromA & ~behindZ & ~word & highs) &>> 2
    }
}
