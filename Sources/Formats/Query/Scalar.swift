// One value of a column as a query sees it: no copy of its bytes, numbers of all widths alike.
// Leaves text rules (case, accents) to `TextFolding` and the order of rows to `RowSort`.

/// A single value inside a batch; text and bytes are valid as long as the column is not changed.
enum Scalar {
    case null
    case bool(Bool)
    case int(Int64)
    case double(Double)
    case decimal(Decimal128)
    case text(UnsafeRawBufferPointer)
    case data(UnsafeRawBufferPointer)
    case date(Timestamp)
    case objectID(ObjectID)
    case uuid(UUID)
    case link(Int64)
    /// An embedded object, or a collection inside `mixed`: present, but not comparable.
    case other

    /// The value at a position of a column that is no collection.
    init(_ column: Column, _ i: Int) {
        guard column.nulls[i] == 0 else {
            self = .null
            return
        }
        switch column.type {
        case .int: self = .int(column.words[i])
        case .bool: self = .bool(column.words[i] != 0)
        case .float:
            let bits = UInt32(truncatingIfNeeded: column.words[i])
            self = .double(Double(Float(bitPattern: bits)))
        case .double: self = .double(Double(bitPattern: UInt64(bitPattern: column.words[i])))
        case .date: self = .date(column.date(i))
        case .decimal128: self = .decimal(column.decimal(i))
        case .objectId: self = .objectID(column.objectID(i))
        case .uuid: self = .uuid(column.uuid(i))
        case .string: self = .text(column.bytes(i))
        case .data: self = .data(column.bytes(i))
        case .mixed:
            var decoder = MixedDecoder(column.bytes(i))
            self.init(&decoder)
        case .link: self = column.layout == .word ? .link(column.words[i]) : .other
        case .table: self = .other
        }
    }

    /// The value of an encoded `mixed`.
    init(_ decoder: inout MixedDecoder) {
        switch decoder.tag() {
        case .null: self = .null
        case .bool: self = .bool(decoder.bool())
        case .int: self = .int(decoder.int())
        case .float: self = .double(Double(Float(bitPattern: decoder.float())))
        case .double: self = .double(Double(bitPattern: decoder.double()))
        case .string: self = .text(decoder.blob())
        case .data: self = .data(decoder.blob())
        case .date: self = .date(decoder.date())
        case .decimal128: self = .decimal(decoder.decimal())
        case .objectId: self = .objectID(decoder.objectID())
        case .uuid: self = .uuid(decoder.uuid())
        case .link: self = .link(decoder.link().key)
        case .list, .dictionary, .table: self = .other
        }
    }

    /// Negative, 0 or positive; nil for values that have no order between them.
    static func compare(_ a: Scalar, _ b: Scalar) -> Int? {
        switch (a, b) {
        case (.int(let x), .int(let y)): return order(x, y)
        case (.text(let x), .text(let y)), (.data(let x), .data(let y)):
            return order(bytes: x, y)
        case (.bool(let x), .bool(let y)): return order(x ? 1 : 0, y ? 1 : 0)
        case (.date(let x), .date(let y)):
            let seconds = order(x.seconds, y.seconds)
            return seconds != 0 ? seconds : order(x.nanoseconds, y.nanoseconds)
        case (.double(let x), .double(let y)):
            return x < y ? -1 : x > y ? 1 : x == y ? 0 : nil
        case (.int(let x), .double(let y)): return order(x, y)
        case (.double(let x), .int(let y)): return order(y, x).map { -$0 }
        case (.objectID(let x), .objectID(let y)):
            let high = order(x.high, y.high)
            return high != 0 ? high : order(x.low, y.low)
        case (.uuid(let x), .uuid(let y)):
            let high = order(x.high, y.high)
            return high != 0 ? high : order(x.low, y.low)
        case (.link(let x), .link(let y)): return order(x, y)
        case (.decimal, _), (_, .decimal):
            guard let x = a.asDecimal, let y = b.asDecimal else { return nil }
            return Decimal128.order(x, y)
        case (.null, .null): return 0
        default: return nil
        }
    }

    /// A number as a decimal.
    private var asDecimal: Decimal128? {
        switch self {
        case .decimal(let value): return value
        case .int(let value):
            return Decimal128(
                negative: value < 0, coefficient: UInt128(value.magnitude), exponent: 0)
        case .double(let value):
            var text = value.description
            return text.withUTF8 { ScalarText.decimal(UnsafeRawBufferPointer($0)) }
        default: return nil
        }
    }

    private static func order<T: Comparable>(_ a: T, _ b: T) -> Int { a < b ? -1 : a > b ? 1 : 0 }

    /// The exact order of an int and a double, which neither type can hold.
    private static func order(_ a: Int64, _ b: Double) -> Int? {
        if b.isNaN { return nil }
        if b >= 0x1p63 { return -1 }
        if b < -0x1p63 { return 1 }
        let whole = Int64(b.rounded(.towardZero))
        let first = order(a, whole)
        return first != 0 ? first : order(Double(whole), b)
    }

    /// Bytewise order, the shorter first; the order of strings in format 24.
    static func order(bytes a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Int {
        let common = min(a.count, b.count)
        var i = 0
        while i &+ 8 <= common {
            let x = a.loadUnaligned(fromByteOffset: i, as: UInt64.self)
            let y = b.loadUnaligned(fromByteOffset: i, as: UInt64.self)
            if x != y { return x.bigEndian < y.bigEndian ? -1 : 1 }
            i &+= 8
        }
        while i < common {
            if a[i] != b[i] { return a[i] < b[i] ? -1 : 1 }
            i &+= 1
        }
        return order(a.count, b.count)
    }
}

extension Decimal128 {
    /// Numeric order; nil when one of them is not a number.
    static func order(_ a: Decimal128, _ b: Decimal128) -> Int? {
        guard let x = a.orderingKey, let y = b.orderingKey else { return nil }
        return x < y ? -1 : y < x ? 1 : 0
    }

    /// Numbers whose order is that of the decimals; nil for NaN.
    var orderingKey: (Int, Int, Int128)? {
        switch parts {
        case .nan: return nil
        case .infinity(let negative): return negative ? (-2, 0, 0) : (2, 0, 0)
        case .finite(let negative, var coefficient, let exponent):
            if coefficient == 0 { return (0, 0, 0) }
            // Shifted to 36 digits, so that exponent and digits can be compared on their own.
            var magnitude = exponent + 36
            while coefficient < 100_000_000_000_000_000_000_000_000_000_000_000 {
                coefficient *= 10
                magnitude -= 1
            }
            let digits = Int128(coefficient)
            return negative ? (-1, -magnitude, -digits) : (1, magnitude, digits)
        }
    }
}
