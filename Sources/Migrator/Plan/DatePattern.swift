// Date patterns such as `yyyy-MM-dd HH:mm`: the letters of Unicode's date format patterns that are
// the same in every language. Reading is strict: digits where digits are asked for, real days.

internal import Formats

/// A pattern that reads and writes dates.
struct DatePattern: Sendable {
    private enum Part: Sendable {
        case literal([UInt8])
        case year(Int), month(Int), day(Int), hour(Int), hour12(Int), minute(Int), second(Int)
        case fraction(Int), half, monthName(isLong: Bool), dayName(isLong: Bool), offset(Int)
    }

    private let parts: [Part]

    private static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September",
        "October", "November", "December",
    ]
    private static let days = [
        "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday",
    ]

    /// - Throws: `badValue` for letters that mean nothing here.
    init(_ text: String) throws(FormatError) {
        var parts: [Part] = []
        let bytes = Array(text.utf8)
        var i = 0
        var literal: [UInt8] = []
        func flush() {
            if !literal.isEmpty { parts.append(.literal(literal)) }
            literal = []
        }
        while i < bytes.count {
            let c = bytes[i]
            if c == UInt8(ascii: "'") {
                i += 1
                if i < bytes.count, bytes[i] == c {
                    literal.append(c)
                    i += 1
                    continue
                }
                while i < bytes.count, bytes[i] != c {
                    literal.append(bytes[i])
                    i += 1
                }
                i += 1
                continue
            }
            guard (c | 32) >= UInt8(ascii: "a"), (c | 32) <= UInt8(ascii: "z") else {
                literal.append(c)
                i += 1
                continue
            }
            var n = 0
            while i < bytes.count, bytes[i] == c {
                n += 1
                i += 1
            }
            flush()
            guard let part = DatePattern.part(c, n) else {
                let word = String(decoding: [UInt8](repeating: c, count: min(n, 9)), as: UTF8.self)
                throw FormatError(
                    .badValue, "the date pattern \"\(text)\" has a part \(word)",
                    fix: "parts are yyyy yy MM M MMM MMMM dd d HH H hh h mm m ss s SSS a EEE EEEE "
                        + "X XXX; other letters stand in quotes: 'T'")
            }
            parts.append(part)
        }
        flush()
        if parts.isEmpty { throw FormatError(.badValue, "a date pattern must not be empty") }
        self.parts = parts
    }

    private static func part(_ c: UInt8, _ n: Int) -> Part? {
        switch (c, n) {
        case (UInt8(ascii: "y"), 1), (UInt8(ascii: "y"), 4): .year(4)
        case (UInt8(ascii: "y"), 2): .year(2)
        case (UInt8(ascii: "M"), 1...2): .month(n)
        case (UInt8(ascii: "M"), 3): .monthName(isLong: false)
        case (UInt8(ascii: "M"), 4): .monthName(isLong: true)
        case (UInt8(ascii: "d"), 1...2): .day(n)
        case (UInt8(ascii: "H"), 1...2): .hour(n)
        case (UInt8(ascii: "h"), 1...2): .hour12(n)
        case (UInt8(ascii: "m"), 1...2): .minute(n)
        case (UInt8(ascii: "s"), 1...2): .second(n)
        case (UInt8(ascii: "S"), 1...9): .fraction(n)
        case (UInt8(ascii: "a"), 1): .half
        case (UInt8(ascii: "E"), 1...3): .dayName(isLong: false)
        case (UInt8(ascii: "E"), 4): .dayName(isLong: true)
        case (UInt8(ascii: "X"), 1...3), (UInt8(ascii: "x"), 1...3): .offset(n)
        case (UInt8(ascii: "Z"), 1...3): .offset(2)
        case (UInt8(ascii: "Z"), 5): .offset(3)
        default: nil
        }
    }

    // MARK: Reading

    /// The date of a text, nil where it does not fit; `isOdd` is set for a clock time that the
    /// zone shows twice or never.
    func date(_ text: String, in zone: TimeZone, isOdd: inout Bool) -> Timestamp? {
        let bytes = Array(text.utf8)
        var i = 0
        var year = 1970
        var month = 1
        var day = 1
        var hour = 0
        var minute = 0
        var second = 0
        var nanoseconds = 0
        var isAfternoon: Bool?
        var is12 = false
        var offset: Int?
        func digits(_ least: Int, _ most: Int) -> Int? {
            var value = 0
            var n = 0
            while i < bytes.count, n < most, bytes[i] &- 48 < 10 {
                value = value * 10 + Int(bytes[i] &- 48)
                n += 1
                i += 1
            }
            return n >= least ? value : nil
        }
        func word(_ names: [String], isLong: Bool) -> Int? {
            for (index, name) in names.enumerated() {
                let wanted = Array((isLong ? name : String(name.prefix(3))).lowercased().utf8)
                guard i + wanted.count <= bytes.count,
                    zip(bytes[i...], wanted).allSatisfy({ $0 | 32 == $1 })
                else { continue }
                i += wanted.count
                return index
            }
            return nil
        }
        for part in parts {
            switch part {
            case .literal(let wanted):
                guard i + wanted.count <= bytes.count, bytes[i...].starts(with: wanted) else {
                    return nil
                }
                i += wanted.count
            case .year(2):
                guard let value = digits(2, 2) else { return nil }
                year = value < 70 ? 2000 + value : 1900 + value
            case .year:
                guard let value = digits(4, 4) else { return nil }
                year = value
            case .month(let n):
                guard let value = digits(n, 2) else { return nil }
                month = value
            case .day(let n):
                guard let value = digits(n, 2) else { return nil }
                day = value
            case .hour(let n):
                guard let value = digits(n, 2), value < 24 else { return nil }
                hour = value
            case .hour12(let n):
                guard let value = digits(n, 2), value >= 1, value <= 12 else { return nil }
                hour = value
                is12 = true
            case .minute(let n):
                guard let value = digits(n, 2), value < 60 else { return nil }
                minute = value
            case .second(let n):
                guard let value = digits(n, 2), value < 60 else { return nil }
                second = value
            case .fraction(let n):
                guard var value = digits(n, n) else { return nil }
                for _ in n..<9 { value *= 10 }
                nanoseconds = value
            case .half:
                guard i + 2 <= bytes.count, bytes[i + 1] | 32 == UInt8(ascii: "m") else {
                    return nil
                }
                switch bytes[i] | 32 {
                case UInt8(ascii: "a"): isAfternoon = false
                case UInt8(ascii: "p"): isAfternoon = true
                default: return nil
                }
                i += 2
            case .monthName(let isLong):
                guard let index = word(DatePattern.months, isLong: isLong) else { return nil }
                month = index + 1
            case .dayName(let isLong):
                guard word(DatePattern.days, isLong: isLong) != nil else { return nil }
            case .offset:
                guard i < bytes.count else { return nil }
                if bytes[i] == UInt8(ascii: "Z") {
                    offset = 0
                    i += 1
                    continue
                }
                guard bytes[i] == 43 || bytes[i] == 45 else { return nil }
                let sign = bytes[i] == 45 ? -1 : 1
                i += 1
                guard let hours = digits(2, 2), hours < 19 else { return nil }
                var minutes = 0
                if i < bytes.count, bytes[i] == UInt8(ascii: ":") { i += 1 }
                if i < bytes.count, bytes[i] &- 48 < 10 {
                    guard let value = digits(2, 2), value < 60 else { return nil }
                    minutes = value
                }
                offset = sign * (hours * 3600 + minutes * 60)
            }
        }
        guard i == bytes.count else { return nil }
        if is12 {
            guard let isAfternoon else { return nil }
            hour = hour % 12 + (isAfternoon ? 12 : 0)
        }
        let civil = CivilDate(year: year, month: month, day: day)
        guard civil.isValid, year > 0 else { return nil }
        let local = Int64(civil.daysSince1970 * 86_400 + hour * 3600 + minute * 60 + second)
        var seconds = local
        if let offset {
            seconds -= Int64(offset)
        } else {
            let instant = zone.instant(ofLocal: local)
            if case .once = instant {} else { isOdd = true }
            seconds = instant.instant
        }
        // Both parts of a stored date have the same sign.
        if seconds < 0, nanoseconds > 0 {
            return Timestamp(
                seconds: seconds + 1, nanoseconds: Int32(nanoseconds - 1_000_000_000))
        }
        return Timestamp(seconds: seconds, nanoseconds: Int32(nanoseconds))
    }

    // MARK: Writing

    /// The text of a date, nil outside the years 1 to 9999.
    func text(_ date: Timestamp, in zone: TimeZone) -> String? {
        guard date.seconds > -62_135_700_000, date.seconds < 253_402_200_000 else { return nil }
        var seconds = date.seconds
        var nanoseconds = Int(date.nanoseconds)
        if nanoseconds < 0 {
            seconds -= 1
            nanoseconds += 1_000_000_000
        }
        let offset = zone.offset(at: seconds)
        let local = Int(seconds) + offset
        var days = local / 86_400
        var rest = local % 86_400
        if rest < 0 {
            rest += 86_400
            days -= 1
        }
        let civil = CivilDate(daysSince1970: days)
        let hour = rest / 3600
        var out = ""
        func put(_ value: Int, _ width: Int) {
            let text = String(value)
            out += String(repeating: "0", count: max(0, width - text.utf8.count)) + text
        }
        for part in parts {
            switch part {
            case .literal(let bytes): out += String(decoding: bytes, as: UTF8.self)
            case .year(2): put(civil.year % 100, 2)
            case .year: put(civil.year, 4)
            case .month(let n): put(civil.month, n)
            case .day(let n): put(civil.day, n)
            case .hour(let n): put(hour, n)
            case .hour12(let n): put(hour % 12 == 0 ? 12 : hour % 12, n)
            case .minute(let n): put(rest / 60 % 60, n)
            case .second(let n): put(rest % 60, n)
            case .fraction(let n):
                var value = nanoseconds
                for _ in n..<9 { value /= 10 }
                put(value, n)
            case .half: out += hour < 12 ? "AM" : "PM"
            case .monthName(let isLong):
                let name = DatePattern.months[civil.month - 1]
                out += isLong ? name : String(name.prefix(3))
            case .dayName(let isLong):
                let name = DatePattern.days[((days + 3) % 7 + 7) % 7]
                out += isLong ? name : String(name.prefix(3))
            case .offset(let n):
                if offset == 0 {
                    out += "Z"
                } else {
                    out += offset < 0 ? "-" : "+"
                    put(abs(offset) / 3600, 2)
                    if n == 3 { out += ":" }
                    if n > 1 || abs(offset) / 60 % 60 != 0 { put(abs(offset) / 60 % 60, 2) }
                }
            }
        }
        return out
    }

    /// True when the text says the day; dates lose it otherwise.
    var hasDay: Bool {
        parts.contains { if case .day = $0 { true } else { false } }
    }

    /// True when the text shows fractions of a second.
    var hasFraction: Bool {
        parts.contains { if case .fraction = $0 { true } else { false } }
    }
}
