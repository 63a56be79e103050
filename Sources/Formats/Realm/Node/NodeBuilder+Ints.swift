// Integer nodes: the smallest width that holds all elements, and the packing.

extension NodeBuilder {
    /// A node of integers in the smallest width that holds them.
    func ints(_ values: UnsafePointer<Int64>, count: Int, flags: UInt8 = 0) throws(FormatError)
        -> Int64
    {
        try ints(
            values, count: count, flags: flags,
            width: NodeBuilder.width(of: values, count: count))
    }

    /// A node of integers in a width that is known to hold them.
    func ints(_ values: UnsafePointer<Int64>, count: Int, flags: UInt8 = 0, width: Int)
        throws(FormatError) -> Int64
    {
        let place = try node(
            flags: flags, scheme: Scheme.bits, width: width, count: count,
            payload: (count &* width &+ 7) >> 3)
        NodeBuilder.pack(values, count: count, width: width, to: place.payload)
        return place.ref
    }

    /// A node of `count` zeros.
    func zeros(count: Int, flags: UInt8 = 0) throws(FormatError) -> Int64 {
        try node(flags: flags, scheme: Scheme.bits, width: 0, count: count, payload: 0).ref
    }

    /// A node of integers.
    func ints(_ values: [Int64], flags: UInt8 = 0, width: Int? = nil) throws(FormatError) -> Int64 {
        let copy = RawVector<Int64>(capacity: values.count)
        defer { copy.destroy() }
        for value in values { copy.append(value) }
        if let width {
            return try ints(copy.base, count: copy.count, flags: flags, width: width)
        }
        return try ints(copy.base, count: copy.count, flags: flags)
    }

    /// A node of refs and tagged numbers.
    func refs(_ values: [Int64]) throws(FormatError) -> Int64 {
        try ints(values, flags: Flag.hasRefs)
    }

    /// Keys or offsets: read unsigned, and never narrower than 8 bits, because the engine edits
    /// them in place on that assumption.
    func unsignedInts(_ values: UnsafePointer<Int64>, count: Int) throws(FormatError) -> Int64 {
        var all: UInt64 = 0
        for i in 0..<count { all |= UInt64(bitPattern: values[i]) }
        let width = all <= 0xFF ? 8 : all <= 0xFFFF ? 16 : all <= 0xFFFF_FFFF ? 32 : 64
        return try ints(values, count: count, width: width)
    }

    /// The smallest width for signed elements; 1, 2 and 4 bits hold unsigned ones only.
    static func width(of values: UnsafePointer<Int64>, count: Int) -> Int {
        var bits: UInt64 = 0
        var signs: UInt64 = 0
        for i in 0..<count {
            let value = values[i]
            let sign = UInt64(bitPattern: value >> 63)
            bits |= UInt64(bitPattern: value) ^ sign
            signs |= sign
        }
        return width(bits: bits, hasNegative: signs != 0)
    }

    /// The smallest width for elements whose bits (negative ones complemented) are among `bits`.
    @inline(__always)
    static func width(bits: UInt64, hasNegative: Bool) -> Int {
        if !hasNegative, bits < 16 { return bits < 2 ? Int(bits) : bits < 4 ? 2 : 4 }
        return bits < 0x80 ? 8 : bits < 0x8000 ? 16 : bits < 0x8000_0000 ? 32 : 64
    }

    /// Packs integers; the target has room up to the next multiple of 8 bytes.
    static func pack(
        _ values: UnsafePointer<Int64>, count: Int, width: Int,
        to target: UnsafeMutablePointer<UInt8>
    ) {
        let raw = UnsafeMutableRawPointer(target)
        switch width {
        case 0: break
        case 8:
            for i in 0..<count { target[i] = UInt8(truncatingIfNeeded: values[i]) }
        case 16:
            for i in 0..<count {
                raw.storeBytes(
                    of: UInt16(truncatingIfNeeded: values[i]).littleEndian, toByteOffset: i &* 2,
                    as: UInt16.self)
            }
        case 32:
            for i in 0..<count {
                raw.storeBytes(
                    of: UInt32(truncatingIfNeeded: values[i]).littleEndian, toByteOffset: i &* 4,
                    as: UInt32.self)
            }
        case 64:
            for i in 0..<count {
                raw.storeBytes(
                    of: values[i].littleEndian, toByteOffset: i &* 8, as: Int64.self)
            }
        default:
            let perWord = 64 / width
            var i = 0
            var offset = 0
            while i < count {
                var word: UInt64 = 0
                let n = min(perWord, count &- i)
                for j in 0..<n {
                    word |= UInt64(bitPattern: values[i &+ j]) &<< UInt64(j &* width)
                }
                raw.storeBytes(of: word.littleEndian, toByteOffset: offset, as: UInt64.self)
                i &+= n
                offset &+= 8
            }
        }
    }
}
