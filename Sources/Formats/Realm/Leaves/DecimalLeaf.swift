// The leaf of decimals: IEEE 754 numbers in binary integer encoding of 32, 64 or 128 bits, null a
// NaN with one exact payload. They are delivered as 128 bits.

/// A leaf of decimals.
struct DecimalLeaf: BitwiseCopyable {
    let node: Node
    var count: Int { node.count }

    /// The bits of +0E0.
    static let zero = Decimal128(low: 0, high: 0x3040_0000_0000_0000)
    /// The bits of null.
    static let null = Decimal128(low: 0xAA, high: 0x7C00_0000_0000_0000)
    private static let plainNaN = Decimal128(low: 0, high: 0x7C00_0000_0000_0000)

    init(_ session: ReadSession, _ ref: Int64) throws(FormatError) {
        node = try session.gate.node(ref)
        guard !node.hasRefs, node.count == 0 || node.scheme == 1,
            node.count == 0 || [0, 4, 8, 16].contains(node.width)
        else { throw session.gate.unexpected(node, "decimals") }
    }

    /// Appends values; where no null may be, a stored one is an ordinary NaN.
    func append(_ range: Range<Int>, isNullable: Bool, to column: Column) {
        let width = node.width
        for i in range {
            var value: Decimal128
            switch width {
            case 0: value = node.isContext ? DecimalLeaf.zero : DecimalLeaf.null
            case 4:
                let bits = node.payload.load(fromByteOffset: i &* 4, as: UInt32.self)
                value = DecimalLeaf.widen(UInt32(littleEndian: bits))
            case 8:
                let bits = node.payload.load(fromByteOffset: i &* 8, as: UInt64.self)
                value = DecimalLeaf.widen(UInt64(littleEndian: bits))
            default:
                let low = node.payload.load(fromByteOffset: i &* 16, as: UInt64.self)
                let high = node.payload.load(fromByteOffset: i &* 16 &+ 8, as: UInt64.self)
                value = Decimal128(low: UInt64(littleEndian: low), high: UInt64(littleEndian: high))
            }
            if value == DecimalLeaf.null {
                if isNullable {
                    column.appendNull()
                    continue
                }
                value = DecimalLeaf.plainNaN
            }
            column.append(value)
        }
    }

    private static func make(negative: Bool, exponent: Int, coefficient: UInt64) -> Decimal128 {
        let high = UInt64(exponent + 6176) << 49 | (negative ? 1 << 63 : 0)
        return Decimal128(low: coefficient, high: high)
    }

    /// A 32-bit decimal in 128 bits.
    static func widen(_ bits: UInt32) -> Decimal128 {
        let negative = bits >> 31 != 0
        let sign: UInt64 = negative ? 1 << 63 : 0
        switch bits >> 26 & 0x1F {
        case 0x1F: return Decimal128(low: UInt64(bits & 0xFFFFF), high: 0x7C00 << 48 | sign)
        case 0x1E: return Decimal128(low: 0, high: 0x7800 << 48 | sign)
        default: break
        }
        if bits >> 29 & 3 == 3 {
            return make(
                negative: negative, exponent: Int(bits >> 21 & 0xFF) - 101,
                coefficient: UInt64(bits & 0x1F_FFFF | 0x80_0000))
        }
        return make(
            negative: negative, exponent: Int(bits >> 23 & 0xFF) - 101,
            coefficient: UInt64(bits & 0x7F_FFFF))
    }

    /// A 64-bit decimal in 128 bits.
    static func widen(_ bits: UInt64) -> Decimal128 {
        let sign = bits & 1 << 63
        switch bits >> 58 & 0x1F {
        case 0x1F: return Decimal128(low: bits & 0x3_FFFF_FFFF_FFFF, high: 0x7C00 << 48 | sign)
        case 0x1E: return Decimal128(low: 0, high: 0x7800 << 48 | sign)
        default: break
        }
        if bits >> 61 & 3 == 3 {
            return make(
                negative: sign != 0, exponent: Int(bits >> 51 & 0x3FF) - 398,
                coefficient: bits & 0x7_FFFF_FFFF_FFFF | 1 << 53)
        }
        return make(
            negative: sign != 0, exponent: Int(bits >> 53 & 0x3FF) - 398,
            coefficient: bits & 0x1F_FFFF_FFFF_FFFF)
    }
}
