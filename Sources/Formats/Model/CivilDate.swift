// Days and calendar dates of the proleptic Gregorian calendar, for every Int64 day that matters.

/// A calendar day.
public struct CivilDate: Sendable, Hashable {
    /// The year; 0 is 1 BC.
    public var year: Int
    /// The month, 1...12.
    public var month: Int
    /// The day of the month, 1...31.
    public var day: Int

    /// A day, not checked.
    public init(year: Int, month: Int, day: Int) {
        self.year = year
        self.month = month
        self.day = day
    }

    /// True for a day that the calendar has.
    public var isValid: Bool {
        month >= 1 && month <= 12 && day >= 1 && day <= CivilDate.days(inMonth: month, of: year)
    }

    /// True for years with 366 days.
    public static func isLeap(_ year: Int) -> Bool {
        year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    }

    /// The number of days of a month.
    public static func days(inMonth month: Int, of year: Int) -> Int {
        switch month {
        case 2: isLeap(year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Days since 1970-01-01, for years within ±10^12.
    public var daysSince1970: Int {
        // Years are counted from March, so that the leap day is the last of a year.
        let y = month <= 2 ? year - 1 : year
        let era = (y >= 0 ? y : y - 399) / 400
        let yearOfEra = y - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    /// The day `days` after 1970-01-01, for days within ±10^14.
    public init(daysSince1970 days: Int) {
        let z = days + 719_468
        let era = (z >= 0 ? z : z - 146_096) / 146_097
        let dayOfEra = z - era * 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let m = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * m + 2) / 5 + 1
        month = m < 10 ? m + 3 : m - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }
}
