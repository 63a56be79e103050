// Leaves of values of a fixed size: floats and doubles, dates, ObjectIds and UUIDs.

enum FloatLeafBuilder {
    static let nullFloat: UInt32 = 0x7FC0_00AA
    static let nullDouble: UInt64 = 0x7FF8_0000_0000_00AA

    /// Null is one NaN; a value of just these bits becomes the usual NaN.
    static func write(_ values: LeafValues, isDouble: Bool, nodes: NodeBuilder)
        throws(FormatError) -> Int64
    {
        let width = isDouble ? 8 : 4
        let count = values.count
        let place = try nodes.node(
            flags: 0, scheme: NodeBuilder.Scheme.multiply, width: width, count: count,
            payload: count &* width)
        let raw = UnsafeMutableRawPointer(place.payload)
        for i in 0..<count {
            let isNull = values.nulls[i] != 0
            if isDouble {
                var bits = UInt64(bitPattern: values.words[i])
                if bits == nullDouble { bits = 0x7FF8_0000_0000_0000 }
                if isNull { bits = nullDouble }
                raw.storeBytes(of: bits.littleEndian, toByteOffset: i &* 8, as: UInt64.self)
            } else {
                var bits = UInt32(truncatingIfNeeded: values.words[i])
                if bits == nullFloat { bits = 0x7FC0_0000 }
                if isNull { bits = nullFloat }
                raw.storeBytes(of: bits.littleEndian, toByteOffset: i &* 4, as: UInt32.self)
            }
        }
        return place.ref
    }
}

enum TimestampLeafBuilder {
    /// Seconds with nulls, nanoseconds without.
    static func write(_ values: LeafValues, nodes: NodeBuilder) throws(FormatError) -> Int64 {
        let seconds = try IntLeafBuilder.writeOptional(values, nodes: nodes)
        let nanoseconds = try nodes.ints(values.extra, count: values.count)
        return try nodes.refs([seconds, nanoseconds])
    }
}

enum FixedLeafBuilder {
    /// Blocks of up to 8 values behind a byte that says which of them are null. A value is 8
    /// bytes and a tail of 4 (ObjectId) or 8 (UUID), in display order.
    static func write(_ values: LeafValues, tail: Int, nodes: NodeBuilder) throws(FormatError)
        -> Int64
    {
        let count = values.count
        let total = (count &+ 7) / 8 &+ count &* (8 &+ tail)
        let place = try nodes.node(
            flags: 0, scheme: NodeBuilder.Scheme.multiply, width: 1, count: total, payload: total)
        var at = UnsafeMutableRawPointer(place.payload)
        var i = 0
        while i < count {
            let n = min(8, count &- i)
            var flags: UInt8 = 0
            for j in 0..<n where values.nulls[i &+ j] != 0 { flags |= 1 << UInt8(j) }
            at.storeBytes(of: flags, as: UInt8.self)
            at += 1
            for j in i..<i &+ n {
                at.storeBytes(of: values.words[j].bigEndian, as: Int64.self)
                if tail == 4 {
                    at.storeBytes(
                        of: UInt32(truncatingIfNeeded: values.extra[j]).bigEndian, toByteOffset: 8,
                        as: UInt32.self)
                    at += 12
                } else {
                    at.storeBytes(
                        of: values.extra[j].bigEndian, toByteOffset: 8, as: Int64.self)
                    at += 16
                }
            }
            i &+= n
        }
        return place.ref
    }
}
