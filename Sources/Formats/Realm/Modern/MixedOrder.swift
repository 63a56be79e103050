// The order of mixed values, which decides where they stand in sets and in lists of an index.

/// Compares encoded mixed values (`MixedEncoding`) as the engine orders them.
enum MixedOrder {
    private static func rank(_ tag: MixedTag) -> Int {
        switch tag {
        case .null: -1
        case .bool: 0
        case .int, .float, .double, .decimal128: 1
        case .string: 2
        case .data: 3
        case .date: 4
        case .objectId: 5
        case .uuid: 6
        case .link: 7
        case .list, .table: 8
        case .dictionary: 9
        }
    }

    /// Negative, zero or positive as a stands before, with or behind b; no bytes is null.
    static func compare(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Int {
        var x = MixedDecoder(a)
        var y = MixedDecoder(b)
        let xTag = a.isEmpty ? .null : x.tag()
        let yTag = b.isEmpty ? .null : y.tag()
        if rank(xTag) != rank(yTag) { return rank(xTag) - rank(yTag) }
        switch xTag {
        case .null, .list, .dictionary, .table: return 0
        case .bool:
            let (p, q) = (x.bool(), y.bool())
            return p == q ? 0 : q ? -1 : 1
        case .int, .float, .double, .decimal128:
            return compareNumbers(&x, xTag, &y, yTag)
        case .string, .data: return compareBytes(x.blob(), y.blob())
        case .date:
            let (p, q) = (x.date(), y.date())
            if p.seconds != q.seconds { return p.seconds < q.seconds ? -1 : 1 }
            return Int(p.nanoseconds) - Int(q.nanoseconds)
        case .objectId, .uuid:
            let size = xTag == .uuid ? 16 : 12
            return compareBytes(
                UnsafeRawBufferPointer(rebasing: a[1..<1 + size]),
                UnsafeRawBufferPointer(rebasing: b[1..<1 + size]))
        case .link:
            let (p, q) = (x.link(), y.link())
            if p.classIndex != q.classIndex { return p.classIndex < q.classIndex ? -1 : 1 }
            return p.key == q.key ? 0 : p.key < q.key ? -1 : 1
        }
    }

    private enum Number {
        case int(Int64)
        case double(Double, precision: Int)
        case decimal(Decimal128)

        var decimal: DecimalNumber {
            switch self {
            case .int(let v): DecimalNumber(v)
            case .double(let v, let precision): DecimalNumber(v, precision: precision)
            case .decimal(let v): DecimalNumber(v)
            }
        }
    }

    private static func number(_ d: inout MixedDecoder, _ tag: MixedTag) -> Number {
        switch tag {
        case .float: .double(Double(Float(bitPattern: d.float())), precision: 7)
        case .double: .double(Double(bitPattern: d.double()), precision: 15)
        case .decimal128: .decimal(d.decimal())
        default: .int(d.int())
        }
    }

    private static func compareNumbers(
        _ x: inout MixedDecoder, _ xTag: MixedTag, _ y: inout MixedDecoder, _ yTag: MixedTag
    ) -> Int {
        switch (number(&x, xTag), number(&y, yTag)) {
        case (.int(let a), .int(let b)): a == b ? 0 : a < b ? -1 : 1
        case (.int(let a), .double(let b, _)): FloatOrder.compare(a, b)
        case (.double(let a, _), .int(let b)): -FloatOrder.compare(b, a)
        case (.double(let a, _), .double(let b, _)): FloatOrder.compare(a, b)
        case (let a, let b): DecimalNumber.compare(a.decimal, b.decimal)
        }
    }
}
