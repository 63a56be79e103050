// Dates of cards: any part may be missing, and what is no date is text. Calendar days are never
// shifted by zones.

/// A date of a card: year, month, day and time of day as far as they are known.
package struct CardDate: Equatable {
    /// The year.
    package var year: Int?
    /// The month, 1...12.
    package var month: Int?
    /// The day, 1...31.
    package var day: Int?
    /// Where the text after the `T` stands in what was read.
    package var time: Range<Int>?

    /// Reads `19531015`, `1953-10-15`, `1953-10`, `1953`, `--0415`, `--04-15`, `--04`, `---15`,
    /// each also with `T` and a time behind it, or a time alone; nil for anything else.
    package init?(_ text: UnsafeRawBufferPointer) {
        var end = text.count
        for i in 0..<text.count where text[i] == 0x54 || text[i] == 0x74 {
            guard i + 1 < text.count, CardDate.isTime(text, i + 1) else { return nil }
            time = i + 1..<text.count
            end = i
            break
        }
        if end == 0 {
            if time == nil { return nil }
            return
        }
        // Up to three numbers, and how many digits each has as the digits of one number.
        var first = 0
        var second = 0
        var third = 0
        var count = 0
        var shape = 0
        var dashes = 0
        var i = 0
        while i < end, text[i] == 0x2D {
            dashes += 1
            i += 1
        }
        while i < end {
            var value = 0
            var digits = 0
            while i < end, text[i] &- 0x30 < 10 {
                value = value &* 10 &+ Int(text[i] &- 0x30)
                digits += 1
                i += 1
                if digits > 8 { return nil }
            }
            if digits == 0 { return nil }
            switch count {
            case 0: first = value
            case 1: second = value
            default: third = value
            }
            count += 1
            shape = shape * 10 + digits
            if i < end {
                guard text[i] == 0x2D, i + 1 < end, count < 3 else { return nil }
                i += 1
            }
        }
        switch (dashes, shape) {
        case (0, 8):
            year = first / 10000
            month = first / 100 % 100
            day = first % 100
        case (0, 4): year = first
        case (0, 41), (0, 42):
            year = first
            month = second
        case (0, 411), (0, 412), (0, 421), (0, 422):
            year = first
            month = second
            day = third
        case (2, 4):
            month = first / 100
            day = first % 100
        case (2, 11), (2, 12), (2, 21), (2, 22):
            month = first
            day = second
        case (2, 2): month = first
        case (3, 1), (3, 2): day = first
        default: return nil
        }
        if let month, month < 1 || month > 12 { return nil }
        if let day, day < 1 || day > CivilDate.days(inMonth: month ?? 1, of: year ?? 2000) {
            return nil
        }
    }

    private static func isTime(_ text: UnsafeRawBufferPointer, _ from: Int) -> Bool {
        guard text.count - from <= 40, text[from] &- 0x30 < 10 || text[from] == 0x2D else {
            return false
        }
        for i in from..<text.count {
            switch text[i] {
            case 0x30...0x39, 0x2B, 0x2D, 0x3A, 0x2E, 0x2C, 0x5A, 0x7A: break
            default: return false
            }
        }
        return true
    }

    /// True for minutes without a colon before them: `000000Z`.
    private static func isBasicClock(_ time: UnsafeRawBufferPointer) -> Bool {
        time.count >= 4 && time.prefix(4).allSatisfy { $0 &- 0x30 < 10 }
    }

    /// Appends the date as a dialect writes it: basic form in 4.0 and with a time in basic form,
    /// extended elsewhere.
    /// - Parameter omittedYear: the year that stands for none (Apple's 1604).
    package static func write(
        year: Int?, month: Int?, day: Int?, time: UnsafeRawBufferPointer?, omittedYear: Int? = nil,
        _ dialect: ContentDialect, into out: RawVector<UInt8>
    ) {
        let isBasic = dialect == .vCard4 || time.map(isBasicClock) ?? false
        func two(_ number: Int) { ScalarText.write(number, width: 2, to: out) }
        if let year = year ?? (month != nil && day != nil ? omittedYear : nil) {
            ScalarText.write(year, width: 4, to: out)
            if let month {
                if !isBasic || day == nil { out.append(0x2D) }
                two(month)
                if let day {
                    if !isBasic { out.append(0x2D) }
                    two(day)
                }
            }
        } else if let month {
            out.append(0x2D)
            out.append(0x2D)
            two(month)
            if let day {
                if !isBasic { out.append(0x2D) }
                two(day)
            }
        } else if let day {
            for _ in 0..<3 { out.append(0x2D) }
            two(day)
        }
        if let time {
            out.append(0x54)
            out.append(bytes: time)
        }
    }

    /// The point in time that a full date and time with a zone mean; a day alone is its midnight
    /// in UTC.
    package static func timestamp(_ text: UnsafeRawBufferPointer) -> Timestamp? {
        if text.count == 20 || text.count == 16, let seconds = usualSeconds(text) {
            return Timestamp(seconds: seconds)
        }
        return anyTimestamp(text)
    }

    /// `2025-04-25T08:32:33Z` or `20250425T083233Z`, as REV nearly always is; nil for all else.
    private static func usualSeconds(_ text: UnsafeRawBufferPointer) -> Int64? {
        let isBasic = text.count == 16
        var odd: UInt8 = 0
        @inline(__always)
        func two(_ i: Int) -> Int {
            let a = text[i] &- 0x30
            let b = text[i &+ 1] &- 0x30
            // Above 9, adding reaches the top bit (or it was set).
            odd |= (a &+ 0x76) | (b &+ 0x76) | a | b
            return Int(a) &* 10 &+ Int(b)
        }
        let year = two(0) &* 100 &+ two(2)
        let month = two(isBasic ? 4 : 5)
        let day = two(isBasic ? 6 : 8)
        let at = isBasic ? 9 : 11
        let hour = two(at)
        let minute = two(at &+ (isBasic ? 2 : 3))
        let second = two(at &+ (isBasic ? 4 : 6))
        guard odd < 0x80, text[at &- 1] == 0x54, text[text.count &- 1] == 0x5A,
            isBasic
                || text[4] == 0x2D && text[7] == 0x2D && text[13] == 0x3A && text[16] == 0x3A,
            month &- 1 < 12, month > 0, day > 0, hour < 24, minute < 60, second < 61,
            day <= CivilDate.days(inMonth: month, of: year)
        else { return nil }
        let days = CivilDate(year: year, month: month, day: day).daysSince1970
        return Int64(days &* 86_400 &+ hour &* 3600 &+ minute &* 60 &+ second)
    }

    /// Any form that is known.
    static func anyTimestamp(_ text: UnsafeRawBufferPointer) -> Timestamp? {
        guard let date = CardDate(text), let year = date.year, let month = date.month,
            let day = date.day
        else { return nil }
        let days = CivilDate(year: year, month: month, day: day).daysSince1970
        guard let time = date.time else { return Timestamp(seconds: Int64(days) * 86_400) }
        var digits = 0
        var clock = 0
        var i = time.lowerBound
        while i < time.upperBound, digits < 6 {
            if text[i] &- 0x30 < 10 {
                clock = clock * 10 + Int(text[i] &- 0x30)
                digits += 1
            } else if text[i] != 0x3A {
                break
            }
            i += 1
        }
        guard digits == 6 || digits == 4 else { return nil }
        if digits == 4 { clock *= 100 }
        let hour = clock / 10000
        let minute = clock / 100 % 100
        let second = clock % 100
        guard hour < 24, minute < 60, second < 61 else { return nil }
        var nanoseconds = 0
        if i < time.upperBound, text[i] == 0x2E || text[i] == 0x2C {
            i += 1
            var scale = 100_000_000
            while i < time.upperBound, text[i] &- 0x30 < 10 {
                nanoseconds += Int(text[i] &- 0x30) * scale
                scale /= 10
                i += 1
            }
        }
        guard i < time.upperBound else { return nil }
        var offset = 0
        if text[i] == 0x5A || text[i] == 0x7A {
            guard i + 1 == time.upperBound else { return nil }
        } else {
            guard text[i] == 0x2B || text[i] == 0x2D else { return nil }
            let isNegative = text[i] == 0x2D
            var zone = 0
            var zoneDigits = 0
            for j in i + 1..<time.upperBound where text[j] != 0x3A {
                guard text[j] &- 0x30 < 10, zoneDigits < 4 else { return nil }
                zone = zone * 10 + Int(text[j] &- 0x30)
                zoneDigits += 1
            }
            guard zoneDigits == 2 || zoneDigits == 4 else { return nil }
            if zoneDigits == 2 { zone *= 100 }
            offset = zone / 100 * 3600 + zone % 100 * 60
            if isNegative { offset = -offset }
        }
        let seconds = days * 86_400 + hour * 3600 + minute * 60 + second - offset
        // Nanoseconds have the sign of the seconds.
        if seconds < 0, nanoseconds > 0 {
            return Timestamp(
                seconds: Int64(seconds + 1), nanoseconds: Int32(nanoseconds - 1_000_000_000))
        }
        return Timestamp(seconds: Int64(seconds), nanoseconds: Int32(nanoseconds))
    }
}
