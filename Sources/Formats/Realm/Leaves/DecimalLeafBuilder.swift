// Decimal128 leaves: 4, 8 or 16 bytes a value, by the widest value; nothing for all zeros or all
// nulls.

enum DecimalLeafBuilder {
    /// Null is one NaN.
    static let nullHigh: UInt64 = 0x7C00_0000_0000_0000
    static let nullLow: UInt64 = 0xAA
    private static let zeroHigh: UInt64 = 6176 << 49

    /// The bits to store for a value: the NaN that means null becomes the usual NaN.
    @inline(__always)
    static func storable(_ low: UInt64, _ high: UInt64) -> (low: UInt64, high: UInt64) {
        low == nullLow && high == nullHigh ? (0, nullHigh) : (low, high)
    }

    static func write(_ values: LeafValues, nodes: NodeBuilder) throws(FormatError) -> Int64 {
        let count = values.count
        var width = 0
        var hasNull = false
        var hasZero = false
        for i in 0..<count {
            if values.nulls[i] != 0 {
                hasNull = true
                continue
            }
            let low = UInt64(bitPattern: values.words[i])
            let high = UInt64(bitPattern: values.extra[i])
            if low == 0, high == zeroHigh {
                hasZero = true
            } else {
                width = max(width, narrowest(low, high))
                if width == 16 { break }
            }
        }
        if width == 0, hasNull, hasZero { width = 4 }
        if !nodes.dialect.hasNarrowDecimals, width > 0 || hasZero { width = 16 }
        let flags = width == 0 && hasZero ? NodeBuilder.Flag.context : 0
        let place = try nodes.node(
            flags: flags, scheme: NodeBuilder.Scheme.multiply, width: width, count: count,
            payload: count &* width)
        let raw = UnsafeMutableRawPointer(place.payload)
        if width == 0 { return place.ref }
        for i in 0..<count {
            let isNull = values.nulls[i] != 0
            let low = UInt64(bitPattern: values.words[i])
            let high = UInt64(bitPattern: values.extra[i])
            let sign = high >> 63
            let exponent = Int64((high >> 49) & 0x3FFF) &- 6176
            switch width {
            case 4:
                let biased = UInt64(bitPattern: exponent &+ 101)
                let bits = isNull ? 0x7C00_00AA : sign << 31 | biased << 23 | low
                raw.storeBytes(
                    of: UInt32(truncatingIfNeeded: bits).littleEndian, toByteOffset: i &* 4,
                    as: UInt32.self)
            case 8:
                let biased = UInt64(bitPattern: exponent &+ 398)
                let bits = isNull ? nullHigh | nullLow : sign << 63 | biased << 53 | low
                raw.storeBytes(of: bits.littleEndian, toByteOffset: i &* 8, as: UInt64.self)
            default:
                let stored = isNull ? (low: nullLow, high: nullHigh) : storable(low, high)
                raw.storeBytes(
                    of: stored.low.littleEndian, toByteOffset: i &* 16, as: UInt64.self)
                raw.storeBytes(
                    of: stored.high.littleEndian, toByteOffset: i &* 16 &+ 8, as: UInt64.self)
            }
        }
        return place.ref
    }

    /// The fewest bytes that hold a value exactly, exponent and all.
    private static func narrowest(_ low: UInt64, _ high: UInt64) -> Int {
        // Infinities, NaNs and the large-coefficient form have both bits set.
        if (high >> 61) & 3 == 3 || high & 0x1_FFFF_FFFF_FFFF != 0 { return 16 }
        let exponent = Int64((high >> 49) & 0x3FFF) - 6176
        if low < 1 << 23, exponent >= -90, exponent <= 90 { return 4 }
        if low < 1 << 53, exponent >= -369, exponent <= 369 { return 8 }
        return 16
    }
}
