// Numbers that arrive in an unusual form: whole numbers as decimals, `NaN` with its bits,
// digits beyond a double. No grammar here.

enum JSONNumbers {
    /// The value of a whole decimal within Int64.
    static func int(_ decimal: Decimal128) -> Int64? {
        guard case .finite(let negative, var coefficient, var exponent) = decimal.parts else {
            return nil
        }
        if coefficient == 0 { return 0 }
        while exponent < 0 {
            guard coefficient % 10 == 0 else { return nil }
            coefficient /= 10
            exponent += 1
        }
        while exponent > 0 {
            guard coefficient < 1 << 64 else { return nil }
            coefficient *= 10
            exponent -= 1
        }
        guard coefficient <= 1 << 63 else { return nil }
        if negative { return Int64(truncatingIfNeeded: 0 &- Int128(coefficient)) }
        return Int64(exactly: coefficient)
    }

    private static func hex(_ t: UnsafeRawBufferPointer, _ digits: Range<Int>) -> UInt64? {
        guard digits.upperBound <= t.count else { return nil }
        var value: UInt64 = 0
        for i in digits {
            guard let v = ScalarText.hexValue(t[i]) else { return nil }
            value = value << 4 | UInt64(v)
        }
        return value
    }

    /// `Infinity` and its kin; nil for other words.
    private static func special(_ t: UnsafeRawBufferPointer) -> Double? {
        switch String(decoding: t.prefix(10), as: UTF8.self) {
        case "NaN": .nan
        case "Infinity", "+Infinity": .infinity
        case "-Infinity": -.infinity
        default: nil
        }
    }

    /// The bits of a double, from its text or (for a NaN) from its bits.
    static func double(_ t: UnsafeRawBufferPointer, _ bits: UnsafeRawBufferPointer?) -> UInt64? {
        if let bits {
            guard bits.count == 16, let v = hex(bits, 0..<16), Double(bitPattern: v).isNaN else {
                return nil
            }
            return v
        }
        return (ScalarText.double(t) ?? special(t))?.bitPattern
    }

    /// The bits of a float, likewise.
    static func float(_ t: UnsafeRawBufferPointer, _ bits: UnsafeRawBufferPointer?) -> UInt32? {
        if let bits {
            guard bits.count == 8, let v = hex(bits, 0..<8) else { return nil }
            let value = UInt32(truncatingIfNeeded: v)
            return Float(bitPattern: value).isNaN ? value : nil
        }
        if let v = ScalarText.float(t) { return v.bitPattern }
        return special(t).map { Float($0).bitPattern }
    }

    /// A decimal, likewise.
    static func decimal(_ t: UnsafeRawBufferPointer, _ bits: UnsafeRawBufferPointer?)
        -> Decimal128?
    {
        guard let bits else { return ScalarText.decimal(t) }
        guard bits.count == 32, let high = hex(bits, 0..<16), let low = hex(bits, 16..<32) else {
            return nil
        }
        return Decimal128(low: low, high: high)
    }

    /// A UUID from its 16 bytes.
    static func uuid(_ bytes: RawVector<UInt8>) -> UUID {
        var high: UInt64 = 0
        var low: UInt64 = 0
        for i in 0..<8 {
            high = high << 8 | UInt64(bytes[i])
            low = low << 8 | UInt64(bytes[i + 8])
        }
        return UUID(high: high, low: low)
    }

    /// True when the double's own digits are those of the text.
    static func survives(_ digits: UnsafeRawBufferPointer, _ value: Double) -> Bool {
        if digits.count <= 15 { return true }
        let out = RawVector<UInt8>(capacity: 32)
        defer { out.destroy() }
        ScalarText.write(double: value, to: out)
        if equalBytes(digits, UnsafeRawBufferPointer(out.elements)) { return true }
        guard let a = ScalarText.decimal(digits),
            let b = ScalarText.decimal(UnsafeRawBufferPointer(out.elements))
        else { return false }
        return isEqual(a, b)
    }

    /// Equal in value.
    private static func isEqual(_ a: Decimal128, _ b: Decimal128) -> Bool {
        guard case .finite(let n, var x, var e) = a.parts,
            case .finite(let m, var y, var f) = b.parts
        else { return a == b }
        if x == 0 || y == 0 { return x == y }
        while x % 10 == 0 {
            x /= 10
            e += 1
        }
        while y % 10 == 0 {
            y /= 10
            f += 1
        }
        return n == m && x == y && e == f
    }

    /// A date from a number of seconds, milliseconds, microseconds or nanoseconds (told apart by
    /// magnitude) since 1970, or since 2001 (`apple`, seconds only).
    static func date(_ number: Decimal128, _ epoch: String) -> Timestamp? {
        guard case .finite(let negative, let coefficient, let exponent) = number.parts else {
            return nil
        }
        // In nanoseconds, as seconds first.
        var value = coefficient
        var scale = exponent + 9
        while scale > 0 {
            guard value < 1 << 100 else { return nil }
            value *= 10
            scale -= 1
        }
        while scale < 0 {
            value /= 10
            scale += 1
        }
        if epoch != "apple" {
            // 10^11 seconds are the year 5138; the same digits in milliseconds are 1973.
            for _ in 0..<3 where value >= 100_000_000_000 * 1_000_000_000 { value /= 1000 }
        }
        guard let seconds = Int64(exactly: value / 1_000_000_000) else { return nil }
        let rest = Int32(truncatingIfNeeded: value % 1_000_000_000)
        let base: Int64 = epoch == "apple" ? 978_307_200 : 0
        let (sum, overflow) = base.addingReportingOverflow(negative ? -seconds : seconds)
        guard !overflow else { return nil }
        if rest == 0 { return Timestamp(seconds: sum) }
        // Both parts must have the same sign.
        if negative {
            return sum > 0
                ? Timestamp(seconds: sum - 1, nanoseconds: 1_000_000_000 - rest)
                : Timestamp(seconds: sum, nanoseconds: -rest)
        }
        return sum < 0
            ? Timestamp(seconds: sum + 1, nanoseconds: rest - 1_000_000_000)
            : Timestamp(seconds: sum, nanoseconds: rest)
    }
}
