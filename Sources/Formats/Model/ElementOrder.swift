// The order in which format 24 keeps the elements of sets and the entries of dictionaries: null
// first, numbers by value, text and bytes as unsigned bytes. Older formats kept other orders, so
// writers sort what they are given.

/// The order of elements of sets and keys of dictionaries.
package enum ElementOrder {
    /// The positions of a row's elements in stored order, for a set (`column.elements`) or a
    /// dictionary (`column.keys`); nil when they stand in it already, or have no order.
    package static func sorted(_ column: Column, row: Int) -> [Int]? {
        let elements: Column?
        switch column.property.collection {
        case .set?: elements = column.elements
        case .dictionary?: elements = column.keys
        default: return nil
        }
        guard let elements else { return nil }
        let range = column.range(row)
        guard range.count > 1 else { return nil }
        var i = range.lowerBound &+ 1
        while i < range.upperBound, compare(elements, i &- 1, i) <= 0 { i &+= 1 }
        if i == range.upperBound { return nil }
        // The position breaks ties, so that the order is the same every time.
        return range.sorted {
            let order = compare(elements, $0, $1)
            return order != 0 ? order < 0 : $0 < $1
        }
    }

    /// Negative, zero or positive as element `i` goes before, with, or behind element `j`.
    package static func compare(_ column: Column, _ i: Int, _ j: Int) -> Int {
        let nullI = column.isNull(i)
        let nullJ = column.isNull(j)
        if nullI || nullJ { return (nullI ? 0 : 1) - (nullJ ? 0 : 1) }
        switch column.type {
        case .int, .bool, .link, .table: return order(column.words[i], column.words[j])
        case .float:
            return order(
                Double(Float(bitPattern: UInt32(truncatingIfNeeded: column.words[i]))),
                Double(Float(bitPattern: UInt32(truncatingIfNeeded: column.words[j]))))
        case .double:
            return order(
                Double(bitPattern: UInt64(bitPattern: column.words[i])),
                Double(bitPattern: UInt64(bitPattern: column.words[j])))
        case .date:
            let seconds = order(column.words[i], column.words[j])
            return seconds != 0 ? seconds : order(column.extra[i], column.extra[j])
        case .decimal128: return order(column.decimal(i), column.decimal(j))
        case .objectId, .uuid:
            let first = order(
                UInt64(bitPattern: column.words[i]), UInt64(bitPattern: column.words[j]))
            if first != 0 { return first }
            return order(UInt64(bitPattern: column.extra[i]), UInt64(bitPattern: column.extra[j]))
        case .string, .data: return compareBytes(column.bytes(i), column.bytes(j))
        case .mixed: return mixed(column.bytes(i), column.bytes(j))
        }
    }

    private static func order<T: Comparable>(_ a: T, _ b: T) -> Int { a < b ? -1 : a == b ? 0 : 1 }

    /// NaN has no place of its own in a store: here it goes first.
    private static func order(_ a: Double, _ b: Double) -> Int {
        if a.isNaN || b.isNaN { return (a.isNaN ? 0 : 1) - (b.isNaN ? 0 : 1) }
        return a < b ? -1 : a == b ? 0 : 1
    }

    /// By value, NaNs first by their bits.
    package static func order(_ a: Decimal128, _ b: Decimal128) -> Int {
        let x = a.parts
        let y = b.parts
        if x == .nan || y == .nan {
            if x != y { return x == .nan ? -1 : 1 }
            return a.high != b.high ? order(a.high, b.high) : order(a.low, b.low)
        }
        let signX = sign(x)
        let signY = sign(y)
        if signX != signY { return order(signX, signY) }
        if signX == 0 { return 0 }
        return signX * magnitude(x, y)
    }

    private static func sign(_ parts: Decimal128.Parts) -> Int {
        switch parts {
        case .nan: 0
        case .infinity(let negative): negative ? -1 : 1
        case .finite(let negative, let coefficient, _): coefficient == 0 ? 0 : negative ? -1 : 1
        }
    }

    private static func magnitude(_ a: Decimal128.Parts, _ b: Decimal128.Parts) -> Int {
        guard case .finite(_, var x, let e) = a else {
            if case .infinity = b { return 0 }
            return 1
        }
        guard case .finite(_, var y, let f) = b else { return -1 }
        let tops = order(digits(x) + e, digits(y) + f)
        if tops != 0 { return tops }
        // Equal top digits: bring both to 34 digits, where 10^34 still fits.
        for _ in digits(x)..<max(digits(x), 34) { x *= 10 }
        for _ in digits(y)..<max(digits(y), 34) { y *= 10 }
        return order(x, y)
    }

    private static func digits(_ value: UInt128) -> Int {
        var count = 0
        var rest = value
        while rest > 0 {
            rest /= 10
            count += 1
        }
        return count
    }

    // MARK: Mixed

    private static func mixed(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Int {
        var x = MixedDecoder(a)
        var y = MixedDecoder(b)
        let tagX = x.tag()
        let tagY = y.tag()
        let ranks = order(rank(tagX), rank(tagY))
        if ranks != 0 { return ranks }
        switch tagX {
        case .bool: return order(x.bool() ? 1 : 0, y.bool() ? 1 : 0)
        case .int where tagY == .int: return order(x.int(), y.int())
        case .int, .float, .double, .decimal128: return order(number(&x, tagX), number(&y, tagY))
        case .string, .data: return compareBytes(x.blob(), y.blob())
        case .date:
            let p = x.date()
            let q = y.date()
            return p.seconds != q.seconds
                ? order(p.seconds, q.seconds) : order(p.nanoseconds, q.nanoseconds)
        case .objectId:
            let p = x.objectID()
            let q = y.objectID()
            return p.high != q.high ? order(p.high, q.high) : order(p.low, q.low)
        case .uuid:
            let p = x.uuid()
            let q = y.uuid()
            return p.high != q.high ? order(p.high, q.high) : order(p.low, q.low)
        case .link:
            let p = x.link()
            let q = y.link()
            return p.classIndex != q.classIndex
                ? order(p.classIndex, q.classIndex) : order(p.key, q.key)
        case .null, .list, .dictionary, .table: return 0
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
        case .list, .dictionary, .table: 9
        }
    }

    /// Any number as a decimal; doubles by their shortest digits.
    private static func number(_ decoder: inout MixedDecoder, _ tag: MixedTag) -> Decimal128 {
        switch tag {
        case .int:
            let value = decoder.int()
            return Decimal128(
                negative: value < 0, coefficient: UInt128(value.magnitude), exponent: 0) ?? .nan
        case .float: return decimal(Double(Float(bitPattern: decoder.float())))
        case .double: return decimal(Double(bitPattern: decoder.double()))
        default: return decoder.decimal()
        }
    }

    private static func decimal(_ value: Double) -> Decimal128 {
        if value.isNaN { return .nan }
        if value.isInfinite { return .infinity(negative: value < 0) }
        let out = RawVector<UInt8>(capacity: 32)
        defer { out.destroy() }
        ScalarText.write(double: value, to: out)
        return ScalarText.decimal(UnsafeRawBufferPointer(out.elements)) ?? .nan
    }
}
