// The text forms of scalar values that all formats share: ints, floating-point numbers, ids and
// base64. Dates and decimals stand in files of their own.

/// Writes scalar values as text and reads them back.
package enum ScalarText {
    static let digits: StaticString =
        "0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546474849505152535455565758596061626364656667686970717273747576777879808182838485868788899091929394959697989900"

    /// Appends an int as digits.
    package static func write(_ value: Int64, to out: RawVector<UInt8>) {
        if value < 0 { out.append(UInt8(ascii: "-")) }
        write(unsigned: value.magnitude, to: out)
    }

    /// Appends an unsigned int as digits.
    package static func write(unsigned value: UInt64, to out: RawVector<UInt8>) {
        if value < 10 { return out.append(48 &+ UInt8(truncatingIfNeeded: value)) }
        var value = value
        out.reserve(adding: 20)
        let start = out.count
        // Two digits at a time, backwards into the reserved room, then moved to the front.
        let base = out.base + start
        var at = 20
        let pairs = digits.utf8Start
        while value >= 100 {
            let pair = Int(truncatingIfNeeded: value % 100) &* 2
            value /= 100
            at &-= 2
            base[at] = pairs[pair]
            base[at &+ 1] = pairs[pair &+ 1]
        }
        if value >= 10 {
            let pair = Int(truncatingIfNeeded: value) &* 2
            at &-= 2
            base[at] = pairs[pair]
            base[at &+ 1] = pairs[pair &+ 1]
        } else {
            at &-= 1
            base[at] = 48 &+ UInt8(truncatingIfNeeded: value)
        }
        let count = 20 &- at
        base.update(from: base + at, count: count)
        _ = out.extend(count)
    }

    /// Appends a number of exactly `width` digits.
    package static func write(_ value: Int, width: Int, to out: RawVector<UInt8>) {
        let at = out.extend(width)
        var value = value
        for i in stride(from: width - 1, through: 0, by: -1) {
            at[i] = 48 &+ UInt8(truncatingIfNeeded: value % 10)
            value /= 10
        }
    }

    /// Appends the shortest digits that read back as the same finite double; whole numbers keep
    /// `.0`.
    package static func write(double: Double, to out: RawVector<UInt8>) {
        if let whole = Int64(exactly: double), whole.magnitude < 1 << 53,
            !(whole == 0 && double.sign == .minus)
        {
            write(whole, to: out)
            out.append(UInt8(ascii: "."))
            out.append(UInt8(ascii: "0"))
            return
        }
        out.append(double.description)
    }

    /// Appends the shortest digits that read back as the same finite float.
    package static func write(float: Float, to out: RawVector<UInt8>) {
        out.append(float.description)
    }

    private static func hex(_ nibble: UInt64) -> UInt8 {
        let n = UInt8(truncatingIfNeeded: nibble & 15)
        return n < 10 ? 48 &+ n : 87 &+ n
    }

    private static func writeHex(_ value: UInt64, digits: Int, to out: RawVector<UInt8>) {
        let at = out.extend(digits)
        var i = 0
        while (digits - i) % 8 != 0 {
            at[i] = hex(value >> UInt64(4 * (digits - 1 - i)))
            i += 1
        }
        while i < digits {
            let eight = hexDigits(UInt32(truncatingIfNeeded: value >> UInt64(4 * (digits - 8 - i))))
            UnsafeMutableRawPointer(at + i).storeBytes(of: eight.littleEndian, as: UInt64.self)
            i += 8
        }
    }

    /// Eight hex digits as text, the first one in the lowest byte.
    @inline(__always)
    private static func hexDigits(_ value: UInt32) -> UInt64 {
        // The digits are moved apart, each into a byte of its own.
        var x = UInt64(value)
        x = (x | x &<< 16) & 0x0000_FFFF_0000_FFFF
        x = (x | x &<< 8) & 0x00FF_00FF_00FF_00FF
        x = (x | x &<< 4) & 0x0F0F_0F0F_0F0F_0F0F
        // From 10 on, a letter: 39 more than a digit would be.
        let letters = ((x &+ 0x0606_0606_0606_0606) &>> 4) & 0x0101_0101_0101_0101
        return (x &+ 0x3030_3030_3030_3030 &+ letters &* 39).byteSwapped
    }

    /// Appends the 24 hex digits of an ObjectId.
    package static func write(_ id: ObjectID, to out: RawVector<UInt8>) {
        writeHex(id.high, digits: 16, to: out)
        writeHex(UInt64(id.low), digits: 8, to: out)
    }

    /// Appends a UUID in its usual form of 36 characters.
    package static func write(_ id: UUID, to out: RawVector<UInt8>) {
        let dash = UInt8(ascii: "-")
        writeHex(id.high >> 32, digits: 8, to: out)
        out.append(dash)
        writeHex(id.high >> 16, digits: 4, to: out)
        out.append(dash)
        writeHex(id.high, digits: 4, to: out)
        out.append(dash)
        writeHex(id.low >> 48, digits: 4, to: out)
        out.append(dash)
        writeHex(id.low, digits: 12, to: out)
    }

    /// The two letters of each twelve bits, the first one in the lower byte.
    private static let base64Pairs: [UInt16] = {
        let alphabet = Array(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        return (0..<4096).map { UInt16(alphabet[$0 >> 6]) | UInt16(alphabet[$0 & 63]) << 8 }
    }()

    /// Appends bytes as padded base64 (RFC 4648).
    package static func write(base64 bytes: UnsafeRawBufferPointer, to out: RawVector<UInt8>) {
        let alphabet: StaticString =
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
        let letters = alphabet.utf8Start
        let whole = bytes.count / 3
        let rest = bytes.count % 3
        let to = out.extend((whole + (rest > 0 ? 1 : 0)) * 4)
        var i = 0
        var at = 0
        // Six bytes at a time, twelve bits of them by one look at a table.
        if let base = bytes.baseAddress, bytes.count >= 16 {
            base64Pairs.withUnsafeBufferPointer { pairs in
                let raw = UnsafeMutableRawPointer(to)
                while i &+ 8 <= bytes.count {
                    let v = UInt64(
                        bigEndian: base.loadUnaligned(fromByteOffset: i, as: UInt64.self))
                    let text =
                        UInt64(pairs[Int(truncatingIfNeeded: v &>> 52)])
                        | UInt64(pairs[Int(truncatingIfNeeded: v &>> 40) & 0xFFF]) &<< 16
                        | UInt64(pairs[Int(truncatingIfNeeded: v &>> 28) & 0xFFF]) &<< 32
                        | UInt64(pairs[Int(truncatingIfNeeded: v &>> 16) & 0xFFF]) &<< 48
                    raw.storeBytes(of: text.littleEndian, toByteOffset: at, as: UInt64.self)
                    i &+= 6
                    at &+= 8
                }
            }
        }
        while i &+ 3 <= bytes.count {
            let v = Int(bytes[i]) &<< 16 | Int(bytes[i &+ 1]) &<< 8 | Int(bytes[i &+ 2])
            to[at] = letters[v &>> 18]
            to[at &+ 1] = letters[(v &>> 12) & 63]
            to[at &+ 2] = letters[(v &>> 6) & 63]
            to[at &+ 3] = letters[v & 63]
            i &+= 3
            at &+= 4
        }
        if rest > 0 {
            let v = Int(bytes[i]) << 16 | (rest == 2 ? Int(bytes[i + 1]) << 8 : 0)
            to[at] = letters[v >> 18]
            to[at + 1] = letters[(v >> 12) & 63]
            to[at + 2] = rest == 2 ? letters[(v >> 6) & 63] : UInt8(ascii: "=")
            to[at + 3] = UInt8(ascii: "=")
        }
    }

    // MARK: Reading

    /// An int of optional sign and digits only, within Int64.
    package static func int(_ bytes: UnsafeRawBufferPointer) -> Int64? {
        guard bytes.count > 0, bytes.count <= 40 else { return nil }
        var i = 0
        var negative = false
        if bytes[0] == UInt8(ascii: "-") || bytes[0] == UInt8(ascii: "+") {
            negative = bytes[0] == UInt8(ascii: "-")
            i = 1
        }
        guard i < bytes.count else { return nil }
        var value: Int64 = 0
        while i < bytes.count {
            let d = bytes[i] &- 48
            guard d < 10 else { return nil }
            let (product, overflow) = value.multipliedReportingOverflow(by: 10)
            // Counted downwards, so that Int64.min is reached without overflow.
            let (sum, overflow2) = product.subtractingReportingOverflow(Int64(d))
            if overflow || overflow2 { return nil }
            value = sum
            i += 1
        }
        if negative { return value }
        return value == .min ? nil : -value
    }

    private static let powers: [Double] = [
        1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
        1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
    ]

    /// True for `[sign] digits [. digits] [e [sign] digits]`.
    private static func isDecimalNumber(_ b: UnsafeRawBufferPointer) -> Bool {
        var i = 0
        var digits = 0
        if i < b.count, b[i] == 45 || b[i] == 43 { i += 1 }
        while i < b.count, b[i] &- 48 < 10 {
            i += 1
            digits += 1
        }
        if i < b.count, b[i] == 46 {
            i += 1
            while i < b.count, b[i] &- 48 < 10 {
                i += 1
                digits += 1
            }
        }
        guard digits > 0 else { return false }
        if i < b.count, b[i] | 32 == 101 {
            i += 1
            if i < b.count, b[i] == 45 || b[i] == 43 { i += 1 }
            let start = i
            while i < b.count, b[i] &- 48 < 10 { i += 1 }
            if i == start { return false }
        }
        return i == b.count
    }

    /// A finite decimal number, correctly rounded; nil for anything else (also on overflow).
    package static func double(_ bytes: UnsafeRawBufferPointer) -> Double? {
        guard isDecimalNumber(bytes) else { return nil }
        // Up to 15 digits and a small power of ten are exact in one operation.
        if bytes.count <= 17 {
            var mantissa: Int64 = 0
            var scale = 0
            var seenPoint = false
            var plain = true
            for (i, c) in bytes.enumerated() {
                if c == 46 {
                    seenPoint = true
                } else if c &- 48 < 10 {
                    mantissa = mantissa &* 10 &+ Int64(c &- 48)
                    if seenPoint { scale += 1 }
                } else if i > 0 || c == 101 || c == 69 {
                    plain = false
                    break
                }
            }
            if plain, mantissa < 1 << 53 {
                let value = Double(mantissa) / powers[scale]
                return bytes[0] == 45 ? -value : value
            }
        }
        guard let value = Double(String(decoding: bytes, as: UTF8.self)), value.isFinite else {
            return nil
        }
        return value
    }

    /// A finite decimal number as a float, correctly rounded.
    package static func float(_ bytes: UnsafeRawBufferPointer) -> Float? {
        guard isDecimalNumber(bytes),
            let value = Float(String(decoding: bytes, as: UTF8.self)), value.isFinite
        else { return nil }
        return value
    }

    /// The value of a hex digit, nil for other bytes.
    @inline(__always)
    package static func hexValue(_ c: UInt8) -> UInt8? {
        switch c {
        case 48...57: c &- 48
        case 65...70: c &- 55
        case 97...102: c &- 87
        default: nil
        }
    }

    private static func hex(_ bytes: UnsafeRawBufferPointer, from: Int, count: Int) -> UInt64? {
        var value: UInt64 = 0
        for i in from..<from + count {
            guard let v = hexValue(bytes[i]) else { return nil }
            value = value << 4 | UInt64(v)
        }
        return value
    }

    /// 24 hex digits.
    package static func objectID(_ bytes: UnsafeRawBufferPointer) -> ObjectID? {
        guard bytes.count == 24, let high = hex(bytes, from: 0, count: 16),
            let low = hex(bytes, from: 16, count: 8)
        else { return nil }
        return ObjectID(high: high, low: UInt32(truncatingIfNeeded: low))
    }

    /// A UUID of 36 characters, in either letter case.
    package static func uuid(_ bytes: UnsafeRawBufferPointer) -> UUID? {
        let dash = UInt8(ascii: "-")
        guard bytes.count == 36, bytes[8] == dash, bytes[13] == dash, bytes[18] == dash,
            bytes[23] == dash, let a = hex(bytes, from: 0, count: 8),
            let b = hex(bytes, from: 9, count: 4), let c = hex(bytes, from: 14, count: 4),
            let d = hex(bytes, from: 19, count: 4), let e = hex(bytes, from: 24, count: 12)
        else { return nil }
        return UUID(high: a << 32 | b << 16 | c, low: d << 48 | e)
    }

    /// Base64 or base64url, with or without padding, white space ignored; false (and nothing
    /// appended) for anything else.
    package static func base64(_ bytes: UnsafeRawBufferPointer, into out: RawVector<UInt8>) -> Bool
    {
        let start = out.count
        out.reserve(adding: bytes.count / 4 * 3 + 3)
        var value: UInt32 = 0
        var letters = 0
        var padding = 0
        for c in bytes {
            let v: UInt8
            switch c {
            case 65...90: v = c &- 65
            case 97...122: v = c &- 71
            case 48...57: v = c &+ 4
            case UInt8(ascii: "+"), UInt8(ascii: "-"): v = 62
            case UInt8(ascii: "/"), UInt8(ascii: "_"): v = 63
            case 9, 10, 13, 32: continue
            case UInt8(ascii: "="):
                padding += 1
                continue
            default:
                out.truncate(to: start)
                return false
            }
            if padding > 0 {
                out.truncate(to: start)
                return false
            }
            value = value << 6 | UInt32(v)
            letters &+= 1
            if letters & 3 == 0 {
                out.append(UInt8(truncatingIfNeeded: value >> 16))
                out.append(UInt8(truncatingIfNeeded: value >> 8))
                out.append(UInt8(truncatingIfNeeded: value))
            }
        }
        switch letters & 3 {
        case 0: break
        case 2: out.append(UInt8(truncatingIfNeeded: value >> 4))
        case 3:
            out.append(UInt8(truncatingIfNeeded: value >> 10))
            out.append(UInt8(truncatingIfNeeded: value >> 2))
        default:
            out.truncate(to: start)
            return false
        }
        if padding > 2 || (padding > 0 && (letters & 3) + padding != 4) {
            out.truncate(to: start)
            return false
        }
        return true
    }
}
