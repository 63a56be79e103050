// The numeric order of decimals, and of doubles and ints among them, as sets and indexes of
// mixed values need it. Slow and exact; columns of decimals alone use it for sets only.

/// A number as sign, digits and a power of ten, or one of the special values.
struct DecimalNumber {
    enum Kind: Int {
        case notANumber = 0
        case negativeInfinity = 1
        case finite = 2
        case infinity = 3
    }

    var kind: Kind
    var isNegative = false
    var digits: UInt128 = 0
    var exponent = 0
    /// The bits, which order NaNs.
    var bits: (high: UInt64, low: UInt64) = (0, 0)

    init(_ value: Decimal128) {
        bits = (value.high, value.low)
        let isNegative = value.high >> 63 != 0
        switch (value.high >> 58) & 0x1F {
        case 0x1F: kind = .notANumber
        case 0x1E: kind = isNegative ? .negativeInfinity : .infinity
        case 0x18...0x1D:
            // Coefficients in the large form are above the limit and count as zero.
            kind = .finite
        default:
            kind = .finite
            self.isNegative = isNegative
            digits = UInt128(value.high & 0x1_FFFF_FFFF_FFFF) << 64 | UInt128(value.low)
            exponent = Int((value.high >> 49) & 0x3FFF) - 6176
        }
    }

    init(_ value: Int64) {
        kind = .finite
        isNegative = value < 0
        digits = UInt128(value.magnitude)
    }

    /// A double as the engine compares it with decimals: rounded to 15 digits (a float to 7).
    init(_ value: Double, precision: Int) {
        if value.isNaN {
            kind = .notANumber
            return
        }
        if value.isInfinite {
            kind = value < 0 ? .negativeInfinity : .infinity
            return
        }
        kind = .finite
        isNegative = value < 0
        var number: UInt64 = 0
        var count = 0
        var point: Int?
        var power = 0
        var isPower = false
        var isPowerNegative = false
        for byte in value.magnitude.description.utf8 {
            switch byte {
            case 0x30...0x39 where isPower: power = power * 10 + Int(byte - 0x30)
            case 0x30...0x39:
                if number != 0 || byte != 0x30 { count += 1 }
                number = number &* 10 &+ UInt64(byte - 0x30)
                if let digits = point { point = digits + 1 }
            case 0x2E: point = 0
            case 0x65: isPower = true
            case 0x2D: isPowerNegative = true
            default: break
            }
        }
        exponent = (isPowerNegative ? -power : power) - (point ?? 0)
        while count > precision {
            let last = number % 10
            number /= 10
            exponent += 1
            count -= 1
            if count == precision, last >= 5 { number += 1 }
        }
        digits = UInt128(number)
    }

    /// The number of decimal digits.
    private static func length(_ digits: UInt128) -> Int {
        var n = 0
        var rest = digits
        while rest > 0 {
            rest /= 10
            n += 1
        }
        return n
    }

    /// Negative, zero or positive as a stands before, with or behind b.
    static func compare(_ a: DecimalNumber, _ b: DecimalNumber) -> Int {
        if a.kind != b.kind || a.kind != .finite {
            if a.kind == .notANumber, b.kind == .notANumber {
                return a.bits.high != b.bits.high
                    ? (a.bits.high < b.bits.high ? -1 : 1)
                    : a.bits.low == b.bits.low ? 0 : a.bits.low < b.bits.low ? -1 : 1
            }
            return a.kind.rawValue - b.kind.rawValue
        }
        if a.digits == 0 || b.digits == 0 {
            if a.digits == 0, b.digits == 0 { return 0 }
            return a.digits == 0 ? (b.isNegative ? 1 : -1) : (a.isNegative ? -1 : 1)
        }
        if a.isNegative != b.isNegative { return a.isNegative ? -1 : 1 }
        let order = compareMagnitude(a, b)
        return a.isNegative ? -order : order
    }

    private static func compareMagnitude(_ a: DecimalNumber, _ b: DecimalNumber) -> Int {
        let aLength = length(a.digits) + a.exponent
        let bLength = length(b.digits) + b.exponent
        if aLength != bLength { return aLength < bLength ? -1 : 1 }
        // Equally long: the one with the larger exponent has fewer digits, and scaled up it has
        // as many as the other, at most 34.
        var x = a.digits
        var y = b.digits
        for _ in 0..<max(a.exponent - b.exponent, 0) { x = x &* 10 }
        for _ in 0..<max(b.exponent - a.exponent, 0) { y = y &* 10 }
        return x == y ? 0 : x < y ? -1 : 1
    }
}

/// Floating-point order with NaNs first, among themselves by their bits.
enum FloatOrder {
    static func compare(_ a: Double, _ b: Double) -> Int {
        if a.isNaN || b.isNaN {
            if a.isNaN, b.isNaN {
                return a.bitPattern == b.bitPattern ? 0 : a.bitPattern < b.bitPattern ? -1 : 1
            }
            return a.isNaN ? -1 : 1
        }
        return a == b ? 0 : a < b ? -1 : 1
    }

    /// Exact, also where a double cannot hold the int.
    static func compare(_ a: Int64, _ b: Double) -> Int {
        if b.isNaN { return 1 }
        if b >= 0x1p63 { return -1 }
        if b < -0x1p63 { return 1 }
        let whole = Int64(b)
        if a != whole { return a < whole ? -1 : 1 }
        let rest = b - b.rounded(.towardZero)
        return rest == 0 ? 0 : rest > 0 ? -1 : 1
    }
}
