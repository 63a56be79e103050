// The rule for the years after a zone file's last transition, in the notation of POSIX's TZ:
// `CET-1CEST,M3.5.0,M10.5.0/3`. Offsets there count westwards, ours eastwards.

/// A yearly rule: standard time, and daylight time between two days of the year.
struct PosixRule: Sendable, Equatable {
    /// A day of the year with a time of that day, in seconds that may lie outside of it.
    struct Day: Sendable, Equatable {
        enum Form: Sendable, Equatable {
            /// `Mm.w.d`: the w-th (5 = last) weekday d of month m.
            case weekday(month: Int, week: Int, day: Int)
            /// `Jn`: day 1...365, leap days not counted.
            case julian(Int)
            /// `n`: day 0...365, leap days counted.
            case ordinal(Int)
        }
        var form: Form
        var seconds = 7200

        /// Local seconds since 1970 of the moment in a year.
        func local(in year: Int) -> Int64 {
            let day: Int
            switch form {
            case .weekday(let month, let week, let weekday):
                let first = CivilDate(year: year, month: month, day: 1).daysSince1970
                // 1970-01-01 was a Thursday.
                let shift = ((weekday - first - 4) % 7 + 7) % 7
                var date = shift + (week - 1) * 7
                while date >= CivilDate.days(inMonth: month, of: year) { date -= 7 }
                day = first + date
            case .julian(let n):
                let leap = CivilDate.isLeap(year) && n >= 60 ? 1 : 0
                day = CivilDate(year: year, month: 1, day: 1).daysSince1970 + n - 1 + leap
            case .ordinal(let n):
                day = CivilDate(year: year, month: 1, day: 1).daysSince1970 + n
            }
            return Int64(day) * 86_400 + Int64(seconds)
        }
    }

    var standard: TimeZone.Kind
    var daylight: TimeZone.Kind?
    var start = Day(form: .weekday(month: 3, week: 2, day: 0))
    var end = Day(form: .weekday(month: 11, week: 1, day: 0))

    /// When daylight time begins and ends in a year, as instants.
    func daylightTime(in year: Int) -> (start: Int64, end: Int64)? {
        guard let daylight else { return nil }
        return (
            start.local(in: year) - Int64(standard.offset),
            end.local(in: year) - Int64(daylight.offset)
        )
    }

    /// What local time is like at an instant.
    func kind(at instant: Int64) -> TimeZone.Kind {
        guard let daylight, instant.magnitude < 1 << 50 else { return standard }
        let local = instant + Int64(standard.offset)
        let days = (local >= 0 ? local : local - 86_399) / 86_400
        let year = CivilDate(daysSince1970: Int(days)).year
        guard let span = daylightTime(in: year) else { return standard }
        if span.start < span.end {
            return instant >= span.start && instant < span.end ? daylight : standard
        }
        return instant >= span.end && instant < span.start ? standard : daylight
    }

    /// A rule from its text; nil when it does not follow the notation.
    init?(_ text: UnsafeRawBufferPointer) {
        var cursor = Cursor(text: text)
        guard let name = cursor.name(), let offset = cursor.time(limit: 25) else { return nil }
        standard = TimeZone.Kind(offset: -offset, isDaylight: false, abbreviation: name)
        if cursor.isAtEnd { return }
        guard let summer = cursor.name() else { return nil }
        var summerOffset = offset - 3600
        if !cursor.isAtEnd, !cursor.isAt(0x2C) {
            guard let given = cursor.time(limit: 25) else { return nil }
            summerOffset = given
        }
        daylight = TimeZone.Kind(offset: -summerOffset, isDaylight: true, abbreviation: summer)
        if cursor.isAtEnd { return }
        guard cursor.skip(0x2C), let from = cursor.day(), cursor.skip(0x2C),
            let to = cursor.day(), cursor.isAtEnd
        else { return nil }
        start = from
        end = to
    }

    private struct Cursor {
        let text: UnsafeRawBufferPointer
        var at = 0

        var isAtEnd: Bool { at >= text.count }
        func isAt(_ c: UInt8) -> Bool { at < text.count && text[at] == c }

        mutating func skip(_ c: UInt8) -> Bool {
            guard isAt(c) else { return false }
            at += 1
            return true
        }

        mutating func name() -> String? {
            let isQuoted = skip(0x3C)
            let start = at
            while at < text.count {
                let c = text[at]
                if isQuoted ? c == 0x3E : (c | 0x20) &- 0x61 >= 26 { break }
                at += 1
            }
            let name = String(decoding: text[start..<at], as: UTF8.self)
            if isQuoted, !skip(0x3E) { return nil }
            return name.utf8.count >= 1 && name.utf8.count <= 32 ? name : nil
        }

        mutating func number(_ limit: Int) -> Int? {
            var value = 0
            let start = at
            while at < text.count, text[at] &- 48 < 10 {
                value = value * 10 + Int(text[at] &- 48)
                guard value <= limit else { return nil }
                at += 1
            }
            return at > start ? value : nil
        }

        /// `[+-]hh[:mm[:ss]]` in seconds.
        mutating func time(limit: Int) -> Int? {
            let isNegative = skip(0x2D)
            if !isNegative { _ = skip(0x2B) }
            guard let hours = number(limit) else { return nil }
            var seconds = hours * 3600
            if skip(0x3A) {
                guard let minutes = number(59) else { return nil }
                seconds += minutes * 60
                if skip(0x3A) {
                    guard let rest = number(59) else { return nil }
                    seconds += rest
                }
            }
            return isNegative ? -seconds : seconds
        }

        mutating func day() -> Day? {
            var day: Day
            if skip(0x4D) {
                guard let month = number(12), month >= 1, skip(0x2E), let week = number(5),
                    week >= 1, skip(0x2E), let weekday = number(6)
                else { return nil }
                day = Day(form: .weekday(month: month, week: week, day: weekday))
            } else if skip(0x4A) {
                guard let n = number(365), n >= 1 else { return nil }
                day = Day(form: .julian(n))
            } else {
                guard let n = number(365) else { return nil }
                day = Day(form: .ordinal(n))
            }
            if skip(0x2F) {
                guard let seconds = time(limit: 167) else { return nil }
                day.seconds = seconds
            }
            return day
        }
    }
}
