// How single values compare in format 24: floating-point numbers and decimals with NaNs first,
// mixed values by kind and then by value, numbers of all types by what they are worth.

/// How single values compare.
package enum ValueOrder {
    /// Compares two floating-point numbers; NaNs come first, in the order of their bits.
    package static func compare(_ a: Double, _ b: Double) -> Int {
        if a.isNaN || b.isNaN {
            if a.isNaN, b.isNaN { return CollectionOrder.order(a.bitPattern, b.bitPattern) }
            return a.isNaN ? -1 : 1
        }
        return a < b ? -1 : (a == b ? 0 : 1)
    }

    /// The parts of a decimal; the exponent's bits are taken as they are.
    struct Parts {
        var isNegative: Bool
        var coefficient: UInt128
        var exponent: Int
        enum Kind { case finite, infinite, nan }
        var kind: Kind

        init(_ value: Decimal128) {
            isNegative = value.high >> 63 != 0
            exponent = Int(value.high >> 49 & 0x3FFF) - 6176
            coefficient = UInt128(value.high & 0x1_FFFF_FFFF_FFFF) << 64 | UInt128(value.low)
            switch value.high >> 58 & 0x1F {
            case 0x1F: kind = .nan
            case 0x1E: kind = .infinite
            default: kind = .finite
            }
        }

        init(_ value: Int64) {
            isNegative = value < 0
            coefficient = UInt128(value.magnitude)
            exponent = 0
            kind = .finite
        }

        /// A double as the engine compares it with decimals: rounded to 15 digits, a float to 7.
        init(_ value: Double, digits precision: Int) {
            isNegative = value < 0
            coefficient = 0
            exponent = 0
            kind = value.isNaN ? .nan : value.isInfinite ? .infinite : .finite
            guard kind == .finite else { return }
            var number: UInt64 = 0
            var count = 0
            var fraction: Int?
            var power = 0
            var isPower = false
            var isPowerNegative = false
            // The shortest digits that read back, such as 12.5 or 1e-05: 17 at most.
            for byte in value.magnitude.description.utf8 {
                switch byte {
                case 0x30...0x39 where isPower: power = power * 10 + Int(byte - 0x30)
                case 0x30...0x39:
                    if number != 0 || byte != 0x30 { count += 1 }
                    number = number &* 10 &+ UInt64(byte - 0x30)
                    if let places = fraction { fraction = places + 1 }
                case 0x2E: fraction = 0
                case 0x65: isPower = true
                case 0x2D: isPowerNegative = true
                default: break
                }
            }
            exponent = (isPowerNegative ? -power : power) - (fraction ?? 0)
            while count > precision {
                let last = number % 10
                number /= 10
                exponent += 1
                count -= 1
                if count == precision, last >= 5 { number += 1 }
            }
            coefficient = UInt128(number)
        }

        /// The whole part, where an Int64 can hold it.
        var truncated: Int64? {
            guard kind == .finite else { return nil }
            if coefficient == 0 { return 0 }
            var rest = coefficient
            if exponent < 0 {
                for _ in 0..<min(-exponent, 40) { rest /= 10 }
            } else {
                for _ in 0..<exponent {
                    if rest > UInt128(UInt64.max) { return nil }
                    rest *= 10
                }
            }
            if isNegative {
                return rest <= 1 << 63 ? Int64(truncatingIfNeeded: 0 &- rest) : nil
            }
            return Int64(exactly: rest)
        }
    }

    /// Compares two decimals; NaNs come first, in the order of their bits.
    static func compare(_ a: Decimal128, _ b: Decimal128) -> Int {
        let x = Parts(a)
        let y = Parts(b)
        if x.kind == .nan && y.kind == .nan {
            let c = CollectionOrder.order(a.high, b.high)
            return c != 0 ? c : CollectionOrder.order(a.low, b.low)
        }
        return compare(x, y)
    }

    static func compare(_ a: Parts, _ b: Parts) -> Int {
        if a.kind == .nan || b.kind == .nan {
            return (a.kind == .nan ? 0 : 1) - (b.kind == .nan ? 0 : 1)
        }
        func sign(_ p: Parts) -> Int {
            if p.kind == .finite && p.coefficient == 0 { return 0 }
            return p.isNegative ? -1 : 1
        }
        let s = sign(a)
        if s != sign(b) { return s - sign(b) }
        if s == 0 { return 0 }
        return s * compareMagnitudes(a, b)
    }

    private static func compareMagnitudes(_ a: Parts, _ b: Parts) -> Int {
        if a.kind == .infinite || b.kind == .infinite {
            return (a.kind == .infinite ? 1 : 0) - (b.kind == .infinite ? 1 : 0)
        }
        let digitsA = digits(a.coefficient)
        let digitsB = digits(b.coefficient)
        let topA = digitsA + a.exponent
        let topB = digitsB + b.exponent
        if topA != topB { return topA < topB ? -1 : 1 }
        // Equally large: bring both to the same number of digits (at most 35).
        let digits = max(digitsA, digitsB)
        let x = a.coefficient &* powerOfTen(digits - digitsA)
        let y = b.coefficient &* powerOfTen(digits - digitsB)
        return CollectionOrder.order(x, y)
    }

    private static func digits(_ value: UInt128) -> Int {
        var n = 0
        var rest = value
        while rest > 0 {
            rest /= 10
            n += 1
        }
        return n
    }

    private static func powerOfTen(_ n: Int) -> UInt128 {
        var value: UInt128 = 1
        for _ in 0..<n { value = value &* 10 }
        return value
    }

    /// Compares two encoded mixed values.
    static func compareMixed(
        _ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer, _ tables: [Int64]
    ) -> Int {
        var x = MixedDecoder(a)
        var y = MixedDecoder(b)
        let tagA = a.isEmpty ? .null : x.tag()
        let tagB = b.isEmpty ? .null : y.tag()
        let rankA = rank(tagA)
        let rankB = rank(tagB)
        if rankA != rankB { return rankA - rankB }
        switch tagA {
        case .bool: return (x.bool() ? 1 : 0) - (y.bool() ? 1 : 0)
        case .int, .float, .double, .decimal128:
            return compare(number(&x, tagA), number(&y, tagB))
        case .string, .data, .table: return compareBytes(x.blob(), y.blob())
        case .date:
            let m = x.date()
            let n = y.date()
            let c = CollectionOrder.order(m.seconds, n.seconds)
            return c != 0 ? c : CollectionOrder.order(m.nanoseconds, n.nanoseconds)
        case .objectId:
            let m = x.objectID()
            let n = y.objectID()
            let c = CollectionOrder.order(m.high, n.high)
            return c != 0 ? c : CollectionOrder.order(m.low, n.low)
        case .uuid:
            let m = x.uuid()
            let n = y.uuid()
            let c = CollectionOrder.order(m.high, n.high)
            return c != 0 ? c : CollectionOrder.order(m.low, n.low)
        case .link:
            let m = x.link()
            let n = y.link()
            func table(_ index: Int) -> Int64 {
                index < tables.count ? tables[index] : Int64(index)
            }
            let c = CollectionOrder.order(table(m.classIndex), table(n.classIndex))
            return c != 0 ? c : CollectionOrder.order(m.key, n.key)
        case .null, .list, .dictionary: return 0
        }
    }

    private static func rank(_ tag: MixedTag) -> Int {
        switch tag {
        case .null: 0
        case .bool: 1
        case .int, .float, .double, .decimal128: 2
        case .string: 3
        case .data: 4
        case .date: 5
        case .objectId: 6
        case .uuid: 7
        case .link: 8
        case .list: 9
        case .dictionary: 10
        case .table: 11
        }
    }

    private enum Number {
        case int(Int64)
        case double(Double, digits: Int)
        case decimal(Decimal128)
    }

    private static func number(_ decoder: inout MixedDecoder, _ tag: MixedTag) -> Number {
        switch tag {
        case .int: .int(decoder.int())
        case .float: .double(Double(Float(bitPattern: decoder.float())), digits: 7)
        case .double: .double(Double(bitPattern: decoder.double()), digits: 15)
        default: .decimal(decoder.decimal())
        }
    }

    private static func compare(_ a: Number, _ b: Number) -> Int {
        switch (a, b) {
        case (.int(let x), .int(let y)): return CollectionOrder.order(x, y)
        case (.double(let x, _), .double(let y, _)): return compare(x, y)
        case (.decimal(let x), .decimal(let y)): return compare(x, y)
        case (.int(let x), .double(let y, _)): return compare(x, y)
        case (.double(let x, _), .int(let y)): return -compare(y, x)
        case (.int(let x), .decimal(let y)): return compare(Parts(x), Parts(y))
        case (.decimal(let x), .int(let y)): return compare(Parts(x), Parts(y))
        case (.double(let x, let digits), .decimal(let y)):
            return compare(Parts(x, digits: digits), Parts(y))
        case (.decimal(let x), .double(let y, let digits)):
            return compare(Parts(x), Parts(y, digits: digits))
        }
    }

    /// Compares an int with a double exactly.
    static func compare(_ a: Int64, _ b: Double) -> Int {
        if b.isNaN { return 1 }
        if b >= 0x1p63 { return -1 }
        if b < -0x1p63 { return 1 }
        let whole = Int64(b)
        if a != whole { return a < whole ? -1 : 1 }
        let rest = b - Double(whole)
        return rest > 0 ? -1 : (rest < 0 ? 1 : 0)
    }
}
