// Dates in the one form that nearly all of them have, `2026-02-05` and `2026-02-05T10:00:00`, read in
// place. Whatever is not of that form is left to the readers of `TodoMoment`.

extension TodoMoment {
    /// A date from `YYYY-MM-DD` or that, `T` or a space, `HH:MM:SS`, a fraction or none, `Z` or
    /// nothing; nil for other forms, which may be dates all the same.
    static func plain(_ bytes: UnsafeRawBufferPointer) -> TodoMoment? {
        guard let day = plainDay(bytes), day.year > 0 || bytes.count == 10 else { return nil }
        if bytes.count == 10 { return TodoMoment(local: String(decoding: bytes, as: UTF8.self)) }
        guard bytes.count >= 19, bytes[10] == 0x54 || bytes[10] == 0x20, plainClock(bytes) != nil
        else { return nil }
        var end = 19
        if end < bytes.count, bytes[end] == 0x2E || bytes[end] == 0x2C {
            end += 1
            while end < bytes.count, bytes[end] &- 0x30 < 10 { end += 1 }
            guard end > 20, end <= 29 else { return nil }
        }
        let isUniversal = end < bytes.count && (bytes[end] == 0x5A || bytes[end] == 0x7A)
        guard end + (isUniversal ? 1 : 0) == bytes.count else { return nil }
        let text = UnsafeRawBufferPointer(rebasing: bytes[..<19])
        var local = String(decoding: text, as: UTF8.self)
        if bytes[10] == 0x20 {
            local =
                String(decoding: text[..<10], as: UTF8.self) + "T"
                + String(decoding: text[11...], as: UTF8.self)
        }
        return TodoMoment(local: local, tzid: isUniversal ? "UTC" : nil)
    }

    /// `localSeconds` of a date in the plain form; nil for others.
    var plainSeconds: Int64? {
        local.utf8.withContiguousStorageIfAvailable { text -> Int64? in
            let bytes = UnsafeRawBufferPointer(text)
            guard bytes.count == 10 || bytes.count == 19, let day = TodoMoment.plainDay(bytes)
            else { return nil }
            let midnight = Int64(day.daysSince1970) * 86_400
            if bytes.count == 10 { return midnight }
            guard bytes[10] == 0x54, let clock = TodoMoment.plainClock(bytes) else { return nil }
            return midnight + Int64(clock)
        } ?? nil
    }

    /// True for a text of ten bytes that is a day.
    static func isDay(_ word: Substring) -> Bool {
        guard word.utf8.count == 10, let first = word.utf8.first, first &- 0x30 < 10 else {
            return false
        }
        return TodoMoment(iso: String(word)) != nil
    }

    /// The day that the first ten bytes are.
    private static func plainDay(_ bytes: UnsafeRawBufferPointer) -> CivilDate? {
        guard bytes.count >= 10, bytes[4] == 0x2D, bytes[7] == 0x2D,
            let century = pair(bytes, 0), let year = pair(bytes, 2), let month = pair(bytes, 5),
            let number = pair(bytes, 8)
        else { return nil }
        let day = CivilDate(year: century * 100 + year, month: month, day: number)
        return day.isValid ? day : nil
    }

    /// The seconds of the day that `HH:MM:SS` behind eleven bytes are.
    private static func plainClock(_ bytes: UnsafeRawBufferPointer) -> Int? {
        guard bytes.count >= 19, bytes[13] == 0x3A, bytes[16] == 0x3A,
            let hour = pair(bytes, 11), let minute = pair(bytes, 14), let second = pair(bytes, 17),
            hour < 24, minute < 60, second < 60
        else { return nil }
        return hour * 3600 + minute * 60 + second
    }

    /// The number of two digits.
    @inline(__always)
    private static func pair(_ bytes: UnsafeRawBufferPointer, _ at: Int) -> Int? {
        let (high, low) = (bytes[at] &- 0x30, bytes[at + 1] &- 0x30)
        guard high < 10, low < 10 else { return nil }
        return Int(high) * 10 + Int(low)
    }
}
