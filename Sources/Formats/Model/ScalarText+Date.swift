// Points in time as ISO 8601 text. A store's seconds and nanoseconds carry the same sign; the
// text form counts the fraction forwards, so times before 1970 are converted here.

extension ScalarText {
    /// Seconds of 0001-01-01T00:00:00Z and of 10000-01-01T00:00:00Z.
    private static let textRange: Range<Int64> = -62_135_596_800..<253_402_300_800

    /// Appends `YYYY-MM-DDTHH:MM:SS[.f]Z`, the fraction trimmed.
    /// - Returns: false, and nothing appended, outside the years 1...9999 or when the two signs
    ///   differ (a form that text cannot keep).
    package static func write(date: Timestamp, to out: RawVector<UInt8>) -> Bool {
        var seconds = date.seconds
        var fraction = Int64(date.nanoseconds)
        guard fraction > -1_000_000_000, fraction < 1_000_000_000,
            !(seconds > 0 && fraction < 0), !(seconds < 0 && fraction > 0)
        else { return false }
        if fraction < 0 {
            guard seconds > .min else { return false }
            seconds -= 1
            fraction += 1_000_000_000
        }
        guard textRange.contains(seconds) else { return false }
        let days = seconds >= 0 ? seconds / 86_400 : (seconds - 86_399) / 86_400
        let clock = Int(seconds - days * 86_400)
        let day = CivilDate(daysSince1970: Int(days))
        // One reservation; the digits are stored in pairs.
        let to = out.extend(19)
        pair(day.year / 100, to)
        pair(day.year % 100, to + 2)
        to[4] = UInt8(ascii: "-")
        pair(day.month, to + 5)
        to[7] = UInt8(ascii: "-")
        pair(day.day, to + 8)
        to[10] = UInt8(ascii: "T")
        pair(clock / 3600, to + 11)
        to[13] = UInt8(ascii: ":")
        pair(clock / 60 % 60, to + 14)
        to[16] = UInt8(ascii: ":")
        pair(clock % 60, to + 17)
        if fraction > 0 {
            out.append(UInt8(ascii: "."))
            var width = 9
            while fraction % 10 == 0 {
                fraction /= 10
                width -= 1
            }
            write(Int(fraction), width: width, to: out)
        }
        out.append(UInt8(ascii: "Z"))
        return true
    }

    /// Stores a number below 100 as two digits.
    @inline(__always)
    private static func pair(_ number: Int, _ to: UnsafeMutablePointer<UInt8>) {
        to[0] = digits.utf8Start[number &* 2]
        to[1] = digits.utf8Start[number &* 2 &+ 1]
    }

    /// `YYYY-MM-DD`, `T` or a space, `HH:MM[:SS[.f]]` and `Z` or an offset; basic forms too.
    package static func date(_ bytes: UnsafeRawBufferPointer) -> Timestamp? {
        var cursor = DateCursor(bytes)
        guard let year = cursor.number(4) else { return nil }
        let extended = cursor.skip(UInt8(ascii: "-"))
        guard let month = cursor.number(2), !extended || cursor.skip(UInt8(ascii: "-")),
            let dayOfMonth = cursor.number(2)
        else { return nil }
        let day = CivilDate(year: year, month: month, day: dayOfMonth)
        guard day.isValid,
            cursor.skip(UInt8(ascii: "T")) || cursor.skip(UInt8(ascii: "t"))
                || cursor.skip(UInt8(ascii: " ")),
            let hour = cursor.number(2)
        else { return nil }
        let colons = cursor.skip(UInt8(ascii: ":"))
        guard let minute = cursor.number(2) else { return nil }
        var second = 0
        var fraction = 0
        if colons ? cursor.skip(UInt8(ascii: ":")) : cursor.isDigit {
            guard let s = cursor.number(2) else { return nil }
            second = s
            if cursor.skip(UInt8(ascii: ".")) || cursor.skip(UInt8(ascii: ",")) {
                guard let f = cursor.fraction() else { return nil }
                fraction = f
            }
        }
        guard hour <= 24, minute < 60, second <= 60,
            hour < 24 || (minute == 0 && second == 0 && fraction == 0)
        else { return nil }
        var offset = 0
        if !(cursor.skip(UInt8(ascii: "Z")) || cursor.skip(UInt8(ascii: "z"))) {
            let west = cursor.skip(UInt8(ascii: "-"))
            guard west || cursor.skip(UInt8(ascii: "+")), let h = cursor.number(2) else {
                return nil
            }
            var m = 0
            if cursor.skip(UInt8(ascii: ":")) || cursor.isDigit {
                guard let value = cursor.number(2) else { return nil }
                m = value
            }
            guard h < 24, m < 60 else { return nil }
            offset = (west ? -1 : 1) * (h * 3600 + m * 60)
        }
        guard cursor.isAtEnd else { return nil }
        let seconds =
            Int64(day.daysSince1970) * 86_400
            + Int64(hour * 3600 + minute * 60 + second - offset)
        if seconds < 0, fraction > 0 {
            return Timestamp(
                seconds: seconds + 1, nanoseconds: Int32(fraction - 1_000_000_000))
        }
        return Timestamp(seconds: seconds, nanoseconds: Int32(fraction))
    }
}

/// Reads fixed-width numbers from date text.
private struct DateCursor {
    let bytes: UnsafeRawBufferPointer
    var at = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    var isAtEnd: Bool { at == bytes.count }
    var isDigit: Bool { at < bytes.count && bytes[at] &- 48 < 10 }

    mutating func skip(_ byte: UInt8) -> Bool {
        guard at < bytes.count, bytes[at] == byte else { return false }
        at += 1
        return true
    }

    mutating func number(_ width: Int) -> Int? {
        guard bytes.count - at >= width else { return nil }
        var value = 0
        for i in at..<at + width {
            let d = bytes[i] &- 48
            guard d < 10 else { return nil }
            value = value * 10 + Int(d)
        }
        at += width
        return value
    }

    /// One to nine digits of a second; further ones are read and dropped only when zero.
    mutating func fraction() -> Int? {
        var value = 0
        var width = 0
        while isDigit {
            let d = Int(bytes[at] &- 48)
            if width < 9 { value = value * 10 + d } else if d != 0 { return nil }
            width += 1
            at += 1
        }
        guard width > 0 else { return nil }
        while width < 9 {
            value *= 10
            width += 1
        }
        return value
    }
}
