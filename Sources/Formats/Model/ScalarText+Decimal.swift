// Decimal128 values (IEEE 754-2008, BID encoding) as the text of Extended JSON, and back.
// Digits, exponent and the sign of zero are kept; only encodings outside the standard (written
// by some old engines) do not read back bit by bit, see `isCanonical`.

extension Decimal128 {
    /// The parts of a decimal.
    package enum Parts: Equatable {
        case nan
        case infinity(negative: Bool)
        case finite(negative: Bool, coefficient: UInt128, exponent: Int)
    }

    /// The parts; a finite value is `coefficient × 10^exponent`.
    package var parts: Parts {
        let negative = high >> 63 == 1
        if high >> 58 & 31 == 31 { return .nan }
        if high >> 58 & 31 == 30 { return .infinity(negative: negative) }
        // The 14 exponent bits are taken literally, also where the standard would see its large
        // coefficient form: engines of 2020 left such values behind (format-modern 3.10).
        let exponent = Int(high >> 49 & 0x3FFF) - 6176
        let coefficient = UInt128(high & 0x1_FFFF_FFFF_FFFF) << 64 | UInt128(low)
        return .finite(negative: negative, coefficient: coefficient, exponent: exponent)
    }

    /// A finite decimal; nil when it needs more than 34 digits or a larger exponent.
    package init?(negative: Bool, coefficient: UInt128, exponent: Int) {
        var coefficient = coefficient
        var exponent = exponent
        let limit = Decimal128.coefficientLimit
        guard coefficient < limit else { return nil }
        if coefficient == 0 { exponent = min(max(exponent, -6176), 6111) }
        while exponent > 6111 {
            guard coefficient < limit / 10 else { return nil }
            coefficient *= 10
            exponent -= 1
        }
        while exponent < -6176 {
            guard coefficient % 10 == 0 else { return nil }
            coefficient /= 10
            exponent += 1
        }
        let top = UInt64(truncatingIfNeeded: coefficient >> 64)
        low = UInt64(truncatingIfNeeded: coefficient)
        high = (negative ? 1 << 63 : 0) | UInt64(exponent + 6176) << 49 | top
    }

    /// 10^34.
    private static let coefficientLimit: UInt128 = 10_000_000_000_000_000_000_000_000_000_000_000

    /// The usual NaN.
    package static let nan = Decimal128(low: 0, high: 0x7C00_0000_0000_0000)
    /// The engine's null, which is a NaN of its own.
    package static let null = Decimal128(low: 0xAA, high: 0x7C00_0000_0000_0000)

    /// Positive or negative infinity.
    package static func infinity(negative: Bool) -> Decimal128 {
        Decimal128(low: 0, high: negative ? 0xF800_0000_0000_0000 : 0x7800_0000_0000_0000)
    }

    /// True when the value's text reads back as the same bits.
    package var isCanonical: Bool {
        switch parts {
        case .nan: self == .nan
        case .infinity(let negative): self == .infinity(negative: negative)
        case .finite(let negative, let coefficient, let exponent):
            Decimal128(negative: negative, coefficient: coefficient, exponent: exponent) == self
        }
    }
}

extension ScalarText {
    /// Appends a decimal as Extended JSON spells it.
    package static func write(_ value: Decimal128, to out: RawVector<UInt8>) {
        switch value.parts {
        case .nan: out.append("NaN")
        case .infinity(let negative): out.append(negative ? "-Infinity" : "Infinity")
        case .finite(let negative, let coefficient, let exponent):
            if negative { out.append(UInt8(ascii: "-")) }
            var digits: [UInt8] = []
            var rest = coefficient
            repeat {
                digits.append(48 + UInt8(truncatingIfNeeded: rest % 10))
                rest /= 10
            } while rest > 0
            digits.reverse()
            let adjusted = exponent + digits.count - 1
            if exponent <= 0, adjusted >= -6 {
                let point = digits.count + exponent
                if point <= 0 {
                    out.append("0.")
                    out.append(repeating: 48, count: -point)
                    for d in digits { out.append(d) }
                } else {
                    for (i, d) in digits.enumerated() {
                        if i == point { out.append(UInt8(ascii: ".")) }
                        out.append(d)
                    }
                }
            } else {
                out.append(digits[0])
                if digits.count > 1 {
                    out.append(UInt8(ascii: "."))
                    for d in digits.dropFirst() { out.append(d) }
                }
                out.append(adjusted < 0 ? "E" : "E+")
                write(Int64(adjusted), to: out)
            }
        }
    }

    /// A decimal number of at most 34 significant digits, `NaN`, or an infinity.
    package static func decimal(_ bytes: UnsafeRawBufferPointer) -> Decimal128? {
        var i = 0
        var negative = false
        if i < bytes.count, bytes[i] == 45 || bytes[i] == 43 {
            negative = bytes[i] == 45
            i += 1
        }
        if i < bytes.count, bytes[i] | 32 == 105 || bytes[i] | 32 == 110 {
            let word = String(decoding: bytes[i...].prefix(9), as: UTF8.self).lowercased()
            guard bytes.count - i <= 8 else { return nil }
            if word == "nan" { return .nan }
            return word == "inf" || word == "infinity" ? .infinity(negative: negative) : nil
        }
        var coefficient: UInt128 = 0
        var significant = 0
        var zeros = 0
        var exponent = 0
        var digits = 0
        var seenPoint = false
        while i < bytes.count {
            let c = bytes[i]
            if c == 46, !seenPoint {
                seenPoint = true
            } else if c &- 48 < 10 {
                digits += 1
                if seenPoint { exponent -= 1 }
                // Zeros wait until another digit follows, so that long tails of them fit.
                if c == 48, significant > 0 || coefficient > 0 {
                    zeros += 1
                } else if c != 48 {
                    guard significant + zeros < 34 else { return nil }
                    for _ in 0..<zeros { coefficient *= 10 }
                    significant += zeros + 1
                    zeros = 0
                    coefficient = coefficient * 10 + UInt128(c &- 48)
                }
            } else {
                break
            }
            i += 1
        }
        guard digits > 0 else { return nil }
        while zeros > 0, significant < 34 {
            coefficient *= 10
            significant += 1
            zeros -= 1
        }
        exponent += zeros
        if i < bytes.count {
            guard bytes[i] | 32 == 101 else { return nil }
            let tail = UnsafeRawBufferPointer(rebasing: bytes[(i + 1)...])
            guard let e = int(tail) else { return nil }
            let (sum, overflow) = exponent.addingReportingOverflow(Int(e))
            guard !overflow else { return nil }
            exponent = sum
        }
        return Decimal128(negative: negative, coefficient: coefficient, exponent: exponent)
    }
}
