// One value from type to type: exact or refused, with the reason. Converters that are named by a
// plan stand in `Converter`; loops over columns stand with the changes.

internal import Formats

/// Why a value fits no rule.
struct ValueFailure: Error {
    /// A few words.
    let reason: String
}

/// A conversion readied for many values.
final class Conversions {
    private let target: PropertyType
    private let converter: Converter?
    private let patterns: [DatePattern]
    private let zone: TimeZone
    /// Clock times that the zone shows twice or never, so far.
    private(set) var oddTimes = 0
    /// Dates whose fraction of a second the pattern does not show, so far.
    private(set) var cutDates = 0

    /// A conversion to a type, by a named converter or the usual way.
    init(to target: PropertyType, using converter: Converter?) throws(FormatError) {
        self.target = target
        self.converter = converter
        var patterns: [DatePattern] = []
        var name: String?
        switch converter {
        case .parseDate(let texts, let zone):
            for text in texts { patterns.append(try DatePattern(text)) }
            name = zone
        case .formatDate(let text, let zone):
            patterns = [try DatePattern(text)]
            name = zone
        default: break
        }
        self.patterns = patterns
        guard let zone = name.map({ TimeZone.named($0) }) ?? TimeZone.utc else {
            throw FormatError(.unknownName, "there is no time zone \(name ?? "")")
        }
        self.zone = zone
    }

    /// True where a way leads from one type to the other.
    static func isPossible(_ from: PropertyType, _ to: PropertyType, _ converter: Converter?)
        -> Bool
    {
        let numbers: Set<PropertyType> = [.int, .float, .double, .decimal128]
        if from == .table || to == .table { return false }
        switch converter {
        case .parseDate?: return from == .string && to == .date
        case .formatDate?: return from == .date && to == .string
        case .epoch?:
            return (numbers.contains(from) && to == .date)
                || (from == .date && numbers.contains(to))
        case .base64?:
            return (from == .string && to == .data) || (from == .data && to == .string)
        case .uuid?: return from == .string && to == .uuid
        case .objectId?: return from == .string && to == .objectId
        case .decimal?: return numbers.union([.string]).contains(from) && to == .decimal128
        case .number?: return from == .string && numbers.contains(to)
        case .text?: return to == .string && from != .link
        case nil: break
        }
        if from == to || from == .mixed || to == .mixed { return true }
        if from == .link || to == .link { return false }
        if to == .string || from == .string { return true }
        let numeric = numbers.union([.bool])
        return numeric.contains(from) && numeric.contains(to)
    }

    /// Converts a value; null stays null.
    func convert(_ value: Value) throws(ValueFailure) -> Value {
        if case .null = value { return .null }
        if case .invalidString = value { throw ValueFailure(reason: "text that is no UTF-8") }
        switch converter {
        case .parseDate?:
            guard case .string(let text) = value else { throw wrong(value) }
            for pattern in patterns {
                var isOdd = false
                if let date = pattern.date(text, in: zone, isOdd: &isOdd) {
                    if isOdd { oddTimes += 1 }
                    return .date(date)
                }
            }
            throw ValueFailure(reason: text.isEmpty ? "empty text is no date" : "no such date")
        case .formatDate?:
            guard case .date(let date) = value else { throw wrong(value) }
            guard let text = patterns.first?.text(date, in: zone) else {
                throw ValueFailure(reason: "a year outside 1 to 9999")
            }
            if date.nanoseconds != 0, patterns.first?.hasFraction == false { cutDates += 1 }
            return .string(text)
        case .epoch(let unit)?: return try epoch(value, unit)
        case .base64?: return try base64(value)
        case .uuid(let space)?:
            guard case .string(let text) = value else { throw wrong(value) }
            if let id = Conversions.uuid(text) { return .uuid(id) }
            guard let space = space.flatMap({ Conversions.uuid($0) }) else {
                throw ValueFailure(reason: "not a UUID")
            }
            return .uuid(SHA1.uuid(of: text, in: space))
        default: return try plain(value)
        }
    }

    private func wrong(_ value: Value) -> ValueFailure {
        ValueFailure(reason: "a value of another type")
    }

    private func plain(_ value: Value) throws(ValueFailure) -> Value {
        switch target {
        case .mixed:
            if case .object = value {
                throw ValueFailure(reason: "an embedded object cannot be mixed")
            }
            return value
        case .string: return .string(try Conversions.text(value))
        case .int: return .int(try int(value))
        case .bool: return .bool(try bool(value))
        case .double: return .double(try double(value))
        case .float:
            switch value {
            case .float: return value
            case .double(let v) where v.isNaN: return .float(.nan)
            case .double(let v):
                guard let float = Float(exactly: v) else { throw inexact }
                return .float(float)
            case .int(let v):
                guard let float = Float(exactly: v) else { throw inexact }
                return .float(float)
            case .string(let text):
                try Conversions.checkNumber(text)
                guard let float = Conversions.bytes(text, { ScalarText.float($0) }) else {
                    throw ValueFailure(reason: "not a number")
                }
                return .float(float)
            case .bool(let v): return .float(v ? 1 : 0)
            default: throw wrong(value)
            }
        case .decimal128: return .decimal128(try decimal(value))
        case .date:
            if case .date = value { return value }
            guard case .string(let text) = value else { throw wrong(value) }
            guard let date = Conversions.bytes(text, { ScalarText.date($0) }) else {
                throw ValueFailure(reason: "not an ISO 8601 date")
            }
            return .date(date)
        case .objectId:
            if case .objectId = value { return value }
            guard case .string(let text) = value else { throw wrong(value) }
            guard let id = Conversions.bytes(text, { ScalarText.objectID($0) }) else {
                throw ValueFailure(reason: "not an ObjectId")
            }
            return .objectId(id)
        case .uuid:
            if case .uuid = value { return value }
            guard case .string(let text) = value, let id = Conversions.uuid(text) else {
                throw ValueFailure(reason: "not a UUID")
            }
            return .uuid(id)
        case .data:
            if case .data = value { return value }
            guard case .string(let text) = value else { throw wrong(value) }
            return .data(Array(text.utf8))
        case .link:
            if case .link = value { return value }
            throw wrong(value)
        case .table: throw wrong(value)
        }
    }

    private var inexact: ValueFailure { ValueFailure(reason: "the number does not fit exactly") }

    private func int(_ value: Value) throws(ValueFailure) -> Int64 {
        switch value {
        case .int(let v): return v
        case .bool(let v): return v ? 1 : 0
        case .double(let v):
            guard let int = Int64(exactly: v) else { throw inexact }
            return int
        case .float(let v):
            guard let int = Int64(exactly: v) else { throw inexact }
            return int
        case .decimal128(let v):
            guard case .finite(let negative, var c, var e) = v.parts else { throw inexact }
            while e < 0, c % 10 == 0, c > 0 {
                c /= 10
                e += 1
            }
            if c == 0 { return 0 }
            while e > 0, c < 1 << 64 {
                c *= 10
                e -= 1
            }
            guard e == 0, c <= 1 << 63 else { throw inexact }
            if negative { return Int64(truncatingIfNeeded: 0 &- c) }
            guard let int = Int64(exactly: c) else { throw inexact }
            return int
        case .string(let text):
            try Conversions.checkNumber(text, signsZero: false)
            guard let int = Conversions.bytes(text, { ScalarText.int($0) }) else {
                throw ValueFailure(reason: "not a whole number within 64 bits")
            }
            return int
        default: throw wrong(value)
        }
    }

    private func bool(_ value: Value) throws(ValueFailure) -> Bool {
        switch value {
        case .bool(let v): return v
        case .int(0), .string("false"): return false
        case .int(1), .string("true"): return true
        case .double(let v) where v == 0 || v == 1: return v == 1
        default: throw ValueFailure(reason: "neither true nor false")
        }
    }

    private func double(_ value: Value) throws(ValueFailure) -> Double {
        switch value {
        case .double(let v): return v
        case .float(let v): return Double(v)
        case .bool(let v): return v ? 1 : 0
        case .int(let v):
            guard let double = Double(exactly: v) else { throw inexact }
            return double
        case .string(let text):
            try Conversions.checkNumber(text)
            guard let double = Conversions.bytes(text, { ScalarText.double($0) }) else {
                throw ValueFailure(reason: "not a number")
            }
            return double
        case .decimal128(let v):
            let text = try Conversions.text(value)
            guard let double = Conversions.bytes(text, { ScalarText.double($0) }),
                case .decimal128(let back) = try? plainDecimal(of: double),
                Conversions.isSame(back, v)
            else { throw inexact }
            return double
        default: throw wrong(value)
        }
    }

    private func plainDecimal(of double: Double) throws(ValueFailure) -> Value {
        .decimal128(try decimal(.double(double)))
    }

    private func decimal(_ value: Value) throws(ValueFailure) -> Decimal128 {
        switch value {
        case .decimal128(let v): return v
        case .int(let v):
            guard
                let decimal = Decimal128(
                    negative: v < 0, coefficient: UInt128(v.magnitude), exponent: 0)
            else { throw inexact }
            return decimal
        case .double(let v) where v.isNaN: return .nan
        case .float(let v) where v.isNaN: return .nan
        case .double(let v) where v.isInfinite: return .infinity(negative: v < 0)
        case .float(let v) where v.isInfinite: return .infinity(negative: v < 0)
        case .double, .float, .string:
            let text = try Conversions.text(value)
            if case .string = value { try Conversions.checkNumber(text) }
            guard let decimal = Conversions.bytes(text, { ScalarText.decimal($0) }) else {
                throw ValueFailure(reason: "not a decimal of at most 34 digits")
            }
            return decimal
        case .bool(let v): return try decimal(.int(v ? 1 : 0))
        default: throw wrong(value)
        }
    }

    private func epoch(_ value: Value, _ unit: Converter.Unit) throws(ValueFailure) -> Value {
        let scale: Int64 = unit == .s ? 1 : 1000
        if target == .date {
            let date: Timestamp
            switch value {
            case .int(let v):
                date = Timestamp(
                    seconds: v / scale,
                    nanoseconds: Int32(v % scale) * Int32(1_000_000_000 / scale))
            case .double(let v):
                let seconds = (v / Double(scale)).rounded(.towardZero)
                guard let whole = Int64(exactly: seconds) else { throw inexact }
                let rest = v - seconds * Double(scale)
                let nano = (rest * Double(1_000_000_000 / scale)).rounded()
                guard abs(nano) < 1_000_000_000 else { throw inexact }
                date = Timestamp(seconds: whole, nanoseconds: Int32(nano))
            default:
                let text = try int(value)
                return try epoch(.int(text), unit)
            }
            // The year 5000: milliseconds taken as seconds land far behind it.
            guard abs(date.seconds) < 95_617_584_000 else {
                throw ValueFailure(
                    reason: "a date after the year 5000: the number may be in another unit")
            }
            return .date(date)
        }
        guard case .date(let date) = value else { throw wrong(value) }
        switch target {
        case .double:
            return .double(
                Double(date.seconds) * Double(scale)
                    + Double(date.nanoseconds) / Double(1_000_000_000 / scale))
        default:
            let (product, isTooLarge) = date.seconds.multipliedReportingOverflow(by: scale)
            let part = Int64(1_000_000_000 / scale)
            let (sum, isTooLargeToo) = product.addingReportingOverflow(
                Int64(date.nanoseconds) / part)
            if isTooLarge || isTooLargeToo || Int64(date.nanoseconds) % part != 0 { throw inexact }
            return try plain(.int(sum))
        }
    }

    private func base64(_ value: Value) throws(ValueFailure) -> Value {
        let out = RawVector<UInt8>(capacity: 64)
        defer { out.destroy() }
        switch value {
        case .string(let text):
            guard Conversions.bytes(text, { ScalarText.base64($0, into: out) ? true : nil }) != nil
            else { throw ValueFailure(reason: "not base64") }
            return .data(Array(out.elements))
        case .data(let bytes):
            bytes.withUnsafeBytes { ScalarText.write(base64: $0, to: out) }
            return .string(String(decoding: out.elements, as: UTF8.self))
        default: throw wrong(value)
        }
    }

    // MARK: Text

    static func bytes<T>(_ text: String, _ body: (UnsafeRawBufferPointer) -> T?) -> T? {
        var text = text
        return text.withUTF8 { body(UnsafeRawBufferPointer($0)) }
    }

    /// A UUID of 36 characters, also in braces.
    static func uuid(_ text: String) -> UUID? {
        var text = text
        if text.hasPrefix("{"), text.hasSuffix("}") { text = String(text.dropFirst().dropLast()) }
        return bytes(text, { ScalarText.uuid($0) })
    }

    /// Refuses what lenient parsers take: signs without need, spaces, zeros before a number, which
    /// say that the text is a postcode or a telephone number.
    ///
    /// - Parameter signsZero: whether the number can be a zero below zero.
    static func checkNumber(_ text: String, signsZero: Bool = true) throws(ValueFailure) {
        var digits = Array(text.utf8)
        if digits.isEmpty { throw ValueFailure(reason: "empty text is no number") }
        if digits.first == UInt8(ascii: "+") {
            throw ValueFailure(reason: "a plus sign would be lost")
        }
        let isNegative = digits.first == UInt8(ascii: "-")
        if isNegative { digits.removeFirst() }
        if digits.count > 1, digits[0] == 48, digits[1] &- 48 < 10 {
            throw ValueFailure(reason: "leading zeros would be lost")
        }
        if isNegative, !signsZero, digits == [48] {
            throw ValueFailure(reason: "the sign of zero would be lost")
        }
    }

    /// True for decimals of the same worth.
    static func isSame(_ a: Decimal128, _ b: Decimal128) -> Bool {
        guard case .finite(let m, var c, var e) = a.parts,
            case .finite(let n, var d, var f) = b.parts
        else { return a == b }
        if c == 0 || d == 0 { return c == d }
        while c % 10 == 0 {
            c /= 10
            e += 1
        }
        while d % 10 == 0 {
            d /= 10
            f += 1
        }
        return m == n && c == d && e == f
    }

    /// Any single value as text that reads back.
    static func text(_ value: Value) throws(ValueFailure) -> String {
        let out = RawVector<UInt8>(capacity: 32)
        defer { out.destroy() }
        switch value {
        case .string(let text): return text
        case .bool(let v): return v ? "true" : "false"
        case .int(let v): return String(v)
        case .double(let v):
            guard v.isFinite else { return v.description }
            ScalarText.write(double: v, to: out)
        case .float(let v):
            guard v.isFinite else { return v.description }
            ScalarText.write(float: v, to: out)
        case .decimal128(let v): ScalarText.write(v, to: out)
        case .objectId(let v): ScalarText.write(v, to: out)
        case .uuid(let v): ScalarText.write(v, to: out)
        case .date(let v):
            guard ScalarText.write(date: v, to: out) else {
                throw ValueFailure(reason: "a year outside 1 to 9999")
            }
        case .data(let bytes):
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw ValueFailure(reason: "bytes that are no UTF-8")
            }
            return text
        default: throw ValueFailure(reason: "this value has no text")
        }
        return String(decoding: out.elements, as: UTF8.self)
    }
}
