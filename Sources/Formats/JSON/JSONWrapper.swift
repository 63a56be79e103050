// Reads the value wrappers of DESIGN 1.2: MongoDB Extended JSON, version 2 (canonical and
// relaxed) and 1, plus the few of our own (`$ref`, `$string`, `$table`, `$bits`). It only takes
// the wrapper apart; what fits which property is JSONRowReader's to say.

/// A wrapper taken apart.
struct JSONWrapper {
    enum Kind {
        case objectId, uuid, int, double, float, decimal, link, string, table, binary
        case dateText, dateMilliseconds, dateParts
    }

    var kind: Kind
    /// The text of the value: hex digits, a number, base64, a class name, a date.
    var text = JSONSlice(start: 0, count: 0, hasEscapes: false)
    /// The exact bits of a NaN or of an unusual decimal.
    var bits: JSONSlice?
    /// Seconds, milliseconds, or the object key of a link.
    var first: Int64 = 0
    /// Nanoseconds.
    var second: Int64 = 0
    /// The BSON subtype of binary data.
    var subType: UInt8 = 0
    /// Where the primary key of a link, or the content of a table, stands.
    var offset: Int?

    /// The names of wrappers that have no counterpart in a store: kept as dictionaries.
    static let foreign: Set<String> = [
        "$timestamp", "$regularExpression", "$minKey", "$maxKey", "$symbol", "$code", "$scope",
        "$undefined", "$dbPointer", "$regex", "$options",
    ]

    /// Reads the wrapper at the cursor; nil, with the cursor where it was, if the object there
    /// is none.
    static func read(_ s: inout JSONScanner) throws(FormatError) -> JSONWrapper? {
        let mark = s
        var isFirst = true
        try s.enterObject()
        guard try s.nextMember(&isFirst), isMark(s) else {
            s = mark
            return nil
        }
        var w = JSONWrapper(kind: .link)
        var kind: Kind?
        var hasKey = false
        var isForeign = false
        repeat {
            guard let member = Member(s) else {
                isForeign = true
                break
            }
            var found: Kind?
            switch member {
            case .oid:
                found = .objectId
                w.text = try string(&s)
            case .uuid:
                found = .uuid
                w.text = try string(&s)
            case .number(let k):
                found = k
                w.text = try stringOrNumber(&s)
            case .bits: w.bits = try string(&s)
            case .ref:
                found = .link
                w.text = try string(&s)
            case .key:
                hasKey = true
                w.first = try int(&s)
            case .id:
                w.offset = s.at
                try s.skip()
            case .date: found = try w.date(&s)
            case .binary:
                found = .binary
                if s.at < s.end, s.base[s.at] == 0x7B {
                    try w.binary(&s)
                } else {
                    w.text = try string(&s)
                }
            case .type: w.subType = try hex(&s)
            case .string:
                // `{"$string": {"base64": "…"}}`
                found = .string
                try w.binary(&s)
            case .table:
                found = .table
                w.offset = s.at
                try s.skip()
            }
            if let found {
                if kind != nil {
                    isForeign = true
                    break
                }
                kind = found
            }
        } while try s.nextMember(&isFirst)
        guard !isForeign, let kind, kind != .link || hasKey || w.offset != nil else {
            s = mark
            return nil
        }
        w.kind = kind
        return w
    }

    /// True when the name begins with one `$`.
    private static func isMark(_ s: JSONScanner) -> Bool {
        let name = s.name
        guard name.count > 1, s.base[name.start] == 0x24 else { return false }
        return s.base[name.start + 1] != 0x24
    }

    /// The members that occur in wrappers.
    private enum Member {
        case oid, uuid, number(Kind), bits, ref, key, id, date, binary, type, string, table

        @inline(__always)
        init?(_ s: JSONScanner) {
            let n = s.name
            switch n.count {
            case 3 where s.isEqual(n, "$id"): self = .id
            case 4 where s.isEqual(n, "$oid"): self = .oid
            case 4 where s.isEqual(n, "$ref"): self = .ref
            case 4 where s.isEqual(n, "$key"): self = .key
            case 5 where s.isEqual(n, "$date"): self = .date
            case 5 where s.isEqual(n, "$uuid"): self = .uuid
            case 5 where s.isEqual(n, "$bits"): self = .bits
            case 5 where s.isEqual(n, "$type"): self = .type
            case 6 where s.isEqual(n, "$table"): self = .table
            case 7 where s.isEqual(n, "$binary"): self = .binary
            case 7 where s.isEqual(n, "$string"): self = .string
            case 10 where s.isEqual(n, "$numberInt"): self = .number(.int)
            case 11 where s.isEqual(n, "$numberLong"): self = .number(.int)
            case 12 where s.isEqual(n, "$numberFloat"): self = .number(.float)
            case 13 where s.isEqual(n, "$numberDouble"): self = .number(.double)
            case 14 where s.isEqual(n, "$numberDecimal"): self = .number(.decimal)
            default: return nil
            }
        }
    }

    private static func string(_ s: inout JSONScanner) throws(FormatError) -> JSONSlice {
        guard try s.peek() == .string else { throw s.unexpected("a string") }
        return try s.string()
    }

    private static func stringOrNumber(_ s: inout JSONScanner) throws(FormatError) -> JSONSlice {
        switch try s.peek() {
        case .string: return try s.string()
        case .number: return try s.number().slice
        default: throw s.unexpected("a number, as text")
        }
    }

    /// An int, bare or in `$numberInt`, `$numberLong`.
    static func int(_ s: inout JSONScanner) throws(FormatError) -> Int64 {
        let start = s.at
        switch try s.peek() {
        case .number:
            let n = try s.number()
            if let value = n.int { return value }
        case .object:
            var isFirst = true
            try s.enterObject()
            if try s.nextMember(&isFirst), case .number(.int)? = Member(s) {
                let slice = try stringOrNumber(&s)
                if let value = ScalarText.int(s.bytes(slice)), try !s.nextMember(&isFirst) {
                    return value
                }
            }
        case .string:
            if let value = ScalarText.int(s.bytes(try s.string())) { return value }
        default: break
        }
        throw FormatError(.badValue, "an int of 64 bits is expected", offset: start)
    }

    /// One or two hex digits, as text or (in version 1) as a number.
    private static func hex(_ s: inout JSONScanner) throws(FormatError) -> UInt8 {
        let slice = try stringOrNumber(&s)
        var value = 0
        for c in s.bytes(slice) {
            guard let v = ScalarText.hexValue(c), value < 16 else {
                throw FormatError(.badValue, "a subtype of two hex digits", offset: slice.start)
            }
            value = value << 4 | Int(v)
        }
        return UInt8(truncatingIfNeeded: value)
    }

    /// The inside of `$binary` and `$string`.
    private mutating func binary(_ s: inout JSONScanner) throws(FormatError) {
        let start = s.at
        var isFirst = true
        var seen = false
        try s.enterObject()
        while try s.nextMember(&isFirst) {
            if s.isEqual(s.name, "base64") {
                text = try JSONWrapper.string(&s)
                seen = true
            } else if s.isEqual(s.name, "subType") {
                subType = try JSONWrapper.hex(&s)
            } else {
                throw s.failure(s.name.start, "`base64` and `subType` are expected here")
            }
        }
        if !seen { throw s.failure(start, "`base64` is missing here") }
    }

    /// The inside of `$date`.
    private mutating func date(_ s: inout JSONScanner) throws(FormatError) -> Kind {
        let start = s.at
        switch try s.peek() {
        case .string:
            text = try s.string()
            return .dateText
        case .number:
            guard let value = try s.number().int else { break }
            first = value
            return .dateMilliseconds
        case .object:
            let mark = s
            var isFirst = true
            var seconds = false
            try s.enterObject()
            while try s.nextMember(&isFirst) {
                if s.isEqual(s.name, "seconds") {
                    first = try JSONWrapper.int(&s)
                    seconds = true
                } else if s.isEqual(s.name, "nanoseconds") {
                    second = try JSONWrapper.int(&s)
                } else {
                    s = mark
                    first = try JSONWrapper.int(&s)
                    return .dateMilliseconds
                }
            }
            if seconds { return .dateParts }
        default: break
        }
        throw s.failure(start, "a date is text, milliseconds, or seconds and nanoseconds")
    }
}
