// Dates in the order of somebody's region: `2/5/2026` is a day of February here and of May there.
// A column decides for all of its cells; what stays open is guessed by the language and said.

/// The order of day, month and year in a file.
enum OutlookDateOrder: String {
    case monthFirst = "mdy"
    case dayFirst = "dmy"
    case yearFirst = "ymd"

    /// The three numbers of a date and what stands between them; nil for other text.
    static func numbers(_ text: String) -> (parts: [Int], separator: Character)? {
        var parts: [Int] = []
        var separator: Character?
        var digits = ""
        for c in HeaderNames.trim(text) {
            if let digit = c.wholeNumberValue, c.isASCII {
                digits += String(digit)
            } else if c == "/" || c == "." || c == "-" {
                guard let number = Int(digits), digits.count <= 4 else { return nil }
                if separator != nil, separator != c { return nil }
                separator = c
                parts.append(number)
                digits = ""
            } else if c == " " {
                break
            } else {
                return nil
            }
        }
        if let number = Int(digits), digits.count <= 4 { parts.append(number) }
        guard parts.count == 3, let separator else { return nil }
        return (parts, separator)
    }

    /// What a column's cells prove; nil when any order fits.
    static func proven(by cells: [String]) -> OutlookDateOrder? {
        for cell in cells {
            guard let (parts, separator) = numbers(cell) else { continue }
            if parts[0] > 31 { return .yearFirst }
            if separator == "." || parts[0] > 12 { return .dayFirst }
            if parts[1] > 12 { return .monthFirst }
        }
        return nil
    }

    /// The day a cell means; nil for `0/0/00`, `None` and what is no date.
    func day(_ text: String) -> String? {
        guard let (parts, _) = OutlookDateOrder.numbers(text) else { return nil }
        var date: CivilDate
        switch self {
        case .monthFirst: date = CivilDate(year: parts[2], month: parts[0], day: parts[1])
        case .dayFirst: date = CivilDate(year: parts[2], month: parts[1], day: parts[0])
        case .yearFirst: date = CivilDate(year: parts[0], month: parts[1], day: parts[2])
        }
        if parts[0] > 31 { date = CivilDate(year: parts[0], month: parts[1], day: parts[2]) }
        if date.year < 100 { date.year += date.year < 70 ? 2000 : 1900 }
        guard date.isValid, date.year >= 1000, date.year <= 9999,
            let text = TodoMoment.localText(Int64(date.daysSince1970) * 86_400)
        else { return nil }
        return String(text.prefix(10))
    }
}
