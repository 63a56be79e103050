// The date values of iCalendar: a day, or a day with a clock time that is floating, UTC or in a
// zone. Read tolerantly (what real files hold), written strictly. Which zone is the line's affair.

/// A date or date-time as a value of a line says it.
struct ICalendarDate: Equatable {
    var day: CivilDate
    /// Seconds of the day; nil for a whole day. A leap second counts as 60.
    var hour = 0
    var minute = 0
    var second = 0
    var hasTime = false
    var isUTC = false
    /// False when the value was not spelled as the standard says.
    var isExact = true

    /// A date from a line's value; nil when it is none.
    @inline(__always)
    init?(_ text: UnsafeRawBufferPointer) {
        if let fast = ICalendarDate.exact(text) {
            self = fast
        } else if let slow = ICalendarDate.tolerant(text) {
            self = slow
        } else {
            return nil
        }
    }

    private init(day: CivilDate) { self.day = day }

    @inline(__always)
    private static func two(_ p: UnsafeRawBufferPointer, _ i: Int) -> Int? {
        let a = p[i] &- 48
        let b = p[i &+ 1] &- 48
        return a < 10 && b < 10 ? Int(a) &* 10 &+ Int(b) : nil
    }

    /// `YYYYMMDD`, `YYYYMMDDTHHMMSS` or the same with `Z`.
    @inline(__always)
    private static func exact(_ text: UnsafeRawBufferPointer) -> ICalendarDate? {
        let n = text.count
        guard n == 8 || n == 15 || n == 16, let c = two(text, 0), let y = two(text, 2),
            let month = two(text, 4), let dayOfMonth = two(text, 6)
        else { return nil }
        var date = ICalendarDate(
            day: CivilDate(year: c &* 100 &+ y, month: month, day: dayOfMonth))
        guard date.day.isValid, date.day.year > 0 else { return nil }
        if n == 8 { return date }
        guard text[8] == 0x54, let hour = two(text, 9), let minute = two(text, 11),
            let second = two(text, 13), hour < 24, minute < 60, second <= 60
        else { return nil }
        date.hour = hour
        date.minute = minute
        date.second = second
        date.hasTime = true
        if n == 16 {
            guard text[15] == 0x5A else { return nil }
            date.isUTC = true
        }
        return date
    }

    /// True for nearly all moments in universal time, told sixteen bytes at once: those `exact` takes,
    /// but for the last days of months and leap seconds.
    @inline(__always)
    static func isUniversalMoment(_ text: UnsafeRawBufferPointer) -> Bool {
        guard text.count == 16 else { return false }
        let ones: UInt64 = 0x0101_0101_0101_0101
        let zeros = ones &* 0x30
        let day = UInt64(littleEndian: text.loadUnaligned(as: UInt64.self)) ^ zeros
        // `T` and `Z` become zeros.
        let time =
            UInt64(littleEndian: text.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            ^ (zeros & 0x00FF_FFFF_FFFF_FF00 | 0x5A00_0000_0000_0054)
        // Digits are below ten now; adding 0x76 to others sets or leaves a high bit.
        guard ((day &+ ones &* 0x76) | day | (time &+ ones &* 0x76) | time) & (ones &* 0x80) == 0,
            time & 0xFF00_0000_0000_00FF == 0
        else { return false }
        // Tens and units of each pair, the first pair lowest.
        let pairs: UInt64 = 0x00FF_00FF_00FF_00FF
        let date = (day & pairs) &* 10 &+ (day &>> 8 & pairs)
        let clock = (time &>> 8 & pairs) &* 10 &+ (time &>> 16 & pairs)
        let month = date &>> 32 & 0xFF
        return date & 0x00FF_00FF != 0 && month &- 1 < 12 && date &>> 48 &- 1 < 28
            && clock & 0xFF < 24 && clock &>> 16 & 0xFF < 60 && clock &>> 32 & 0xFF < 60
    }

    /// What else occurs: dashes and colons, no seconds, fractions, white space, an offset, and a
    /// stray letter at the end.
    private static func tolerant(_ text: UnsafeRawBufferPointer) -> ICalendarDate? {
        var i = 0
        var end = text.count
        while i < end, text[i] <= 0x20 { i += 1 }
        while end > i, text[end - 1] <= 0x20 { end -= 1 }
        guard end - i <= 40 else { return nil }
        func number(_ width: Int) -> Int? {
            guard end - i >= width else { return nil }
            var value = 0
            for k in i..<i + width {
                let d = text[k] &- 48
                guard d < 10 else { return nil }
                value = value * 10 + Int(d)
            }
            i += width
            return value
        }
        func skip(_ c: UInt8) -> Bool {
            guard i < end, text[i] == c else { return false }
            i += 1
            return true
        }
        guard let year = number(4) else { return nil }
        let dashes = skip(0x2D)
        guard let month = number(2), !dashes || skip(0x2D), let dayOfMonth = number(2) else {
            return nil
        }
        var date = ICalendarDate(day: CivilDate(year: year, month: month, day: dayOfMonth))
        date.isExact = false
        guard date.day.isValid, year > 0 else { return nil }
        if i == end { return date }
        guard skip(0x54) || skip(0x74) || skip(0x20) else { return nil }
        if i == end { return date }
        guard let hour = number(2), hour < 24 else { return nil }
        let colons = skip(0x3A)
        guard let minute = number(2), minute < 60 else { return nil }
        var second = 0
        if colons ? skip(0x3A) : (i < end && text[i] &- 48 < 10) {
            guard let s = number(2), s <= 60 else { return nil }
            second = s
            if skip(0x2E) || skip(0x2C) {
                while i < end, text[i] &- 48 < 10 { i += 1 }
            }
        }
        date.hour = hour
        date.minute = minute
        date.second = second
        date.hasTime = true
        if i == end { return date }
        if skip(0x5A) || skip(0x7A) {
            date.isUTC = true
        } else if text[i] == 0x2B || text[i] == 0x2D {
            let west = text[i] == 0x2D
            i += 1
            guard let h = number(2), h < 24 else { return nil }
            _ = skip(0x3A)
            let m = i < end ? number(2) : 0
            guard let m, m < 60 else { return nil }
            let offset = (h * 60 + m) * (west ? -1 : 1)
            date.move(minutes: -offset)
            guard date.day.year > 0 else { return nil }
            date.isUTC = true
        } else if !(skip(0x54) || skip(0x74)) {
            return nil
        }
        return i == end ? date : nil
    }

    private mutating func move(minutes: Int) {
        var total = hour * 60 + minute + minutes
        var days = day.daysSince1970
        while total < 0 {
            total += 1440
            days -= 1
        }
        while total >= 1440 {
            total -= 1440
            days += 1
        }
        day = CivilDate(daysSince1970: days)
        hour = total / 60
        minute = total % 60
    }

    /// Seconds since 1970 of the clock time, as if it were universal.
    var localSeconds: Int64 {
        Int64(day.daysSince1970) * 86_400 + Int64(hour * 3600 + minute * 60 + second)
    }

    /// Appends the ISO 8601 form `TodoDate.local` has, without `Z`.
    func write(local out: RawVector<UInt8>) {
        let dash = UInt8(ascii: "-")
        ScalarText.write(day.year, width: 4, to: out)
        out.append(dash)
        ScalarText.write(day.month, width: 2, to: out)
        out.append(dash)
        ScalarText.write(day.day, width: 2, to: out)
        guard hasTime else { return }
        out.append(UInt8(ascii: "T"))
        ScalarText.write(hour, width: 2, to: out)
        out.append(UInt8(ascii: ":"))
        ScalarText.write(minute, width: 2, to: out)
        out.append(UInt8(ascii: ":"))
        ScalarText.write(second, width: 2, to: out)
    }

    /// Appends the value as iCalendar spells it.
    func write(value out: RawVector<UInt8>) {
        ScalarText.write(day.year, width: 4, to: out)
        ScalarText.write(day.month, width: 2, to: out)
        ScalarText.write(day.day, width: 2, to: out)
        guard hasTime else { return }
        out.append(UInt8(ascii: "T"))
        ScalarText.write(hour, width: 2, to: out)
        ScalarText.write(minute, width: 2, to: out)
        ScalarText.write(second, width: 2, to: out)
        if isUTC { out.append(UInt8(ascii: "Z")) }
    }
}
