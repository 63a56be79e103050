// Dates in the order of somebody's region: `2/5/2026` is a day of February here and of May there.
// A column decides for all of its cells; what stays open is guessed by the language and said.

/// The order of day, month and year in a file.
enum OutlookDateOrder: String {
    case monthFirst = "mdy"
    case dayFirst = "dmy"
    case yearFirst = "ymd"

    /// A cell taken apart.
    struct Cell {
        /// The three numbers of the date.
        var parts: [Int]
        var separator: Character
        /// True when the first number is a year by its digits, so that the order is plain.
        var beginsWithYear: Bool
        /// True when the month has a name, so that the order is plain as well.
        var hasMonthName = false
        /// What stands behind the date; empty for midnight.
        var time: String

        /// `0/0/00`, which means none.
        var isNone: Bool { parts.allSatisfy { $0 == 0 } }
    }

    private static let months = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]

    /// The number of a month by its English name; nil for other words.
    static func month(_ word: Substring) -> Int? {
        guard word.count >= 3 else { return nil }
        let word = word.lowercased()
        return months.firstIndex { word.hasPrefix($0) }.map { $0 + 1 }
    }

    /// The three numbers of a date and what stands between them; a day of the week may stand before
    /// them, a time behind them, and an English name for the month. nil for other text.
    static func cell(_ text: String) -> Cell? {
        if let plain = plain(text) { return plain }
        var rest = HeaderNames.trim(text)[...]
        if let c = rest.first, c.isLetter {
            rest = rest.drop { $0.isLetter || $0 == "." || $0 == "," || $0 == " " }
        }
        var words: [Substring] = []
        var separator: Character?
        while let c = rest.first, words.count < 3 {
            let word =
                c.isLetter ? rest.prefix { $0.isLetter } : rest.prefix { $0.isASCII && $0.isNumber }
            guard !word.isEmpty else { return nil }
            words.append(word)
            rest = rest.dropFirst(word.count)
            guard words.count < 3 else { break }
            guard let mark = rest.popFirst(), "/.-".contains(mark), separator ?? mark == mark else {
                return nil
            }
            separator = mark
        }
        guard words.count == 3, let separator else { return nil }
        var hasMonthName = false
        var parts: [Int] = []
        for (i, word) in words.enumerated() {
            if let number = Int(word), word.count <= 4 {
                parts.append(number)
            } else if i == 1, let month = month(word) {
                parts.append(month)
                hasMonthName = true
            } else {
                return nil
            }
        }
        let time = HeaderNames.trim(String(rest.drop { $0 == "T" || $0 == "." || $0 == "," }))
        let isMidnight =
            ["12:00:00 AM", "12:00 AM"].contains(time.uppercased())
            || !time.isEmpty && time.allSatisfy { $0 == "0" || $0 == ":" || $0 == "Z" }
        if !time.isEmpty, !(rest.first.map { "T .,".contains($0) } ?? true) { return nil }
        return Cell(
            parts: parts, separator: separator, beginsWithYear: words[0].count == 4,
            hasMonthName: hasMonthName, time: isMidnight ? "" : time)
    }

    /// A cell of three numbers and nothing else, which nearly all are; nil for others.
    private static func plain(_ text: String) -> Cell? {
        var numbers = (0, 0, 0)
        var place = 0
        var width = 0
        var firstWidth = 0
        var mark: UInt8 = 0
        for byte in text.utf8 {
            let digit = byte &- 0x30
            if digit < 10 {
                guard width < 4 else { return nil }
                width += 1
                switch place {
                case 0: numbers.0 = numbers.0 * 10 + Int(digit)
                case 1: numbers.1 = numbers.1 * 10 + Int(digit)
                default: numbers.2 = numbers.2 * 10 + Int(digit)
                }
                continue
            }
            guard byte == 0x2F || byte == 0x2E || byte == 0x2D, width > 0, place < 2,
                place == 0 || byte == mark
            else { return nil }
            if place == 0 { firstWidth = width }
            mark = byte
            place += 1
            width = 0
        }
        guard place == 2, width > 0 else { return nil }
        return Cell(
            parts: [numbers.0, numbers.1, numbers.2],
            separator: Character(Unicode.Scalar(mark)), beginsWithYear: firstWidth == 4, time: "")
    }

    /// What a column's cells prove; nil when any order fits. A date that begins with a year of four
    /// digits says nothing of the others, nor does one with dots, in which the day stands first
    /// wherever people write it.
    static func proven(by cells: [String]) -> OutlookDateOrder? {
        for text in cells {
            guard let cell = cell(text), isOpen(cell) else { continue }
            if cell.parts[0] > 31 { return .yearFirst }
            if cell.parts[0] > 12 { return .dayFirst }
            if cell.parts[1] > 12 { return .monthFirst }
        }
        return nil
    }

    /// True for a cell that more than one order fits.
    static func isOpen(_ text: String) -> Bool {
        cell(text).map(isOpen) ?? false
    }

    private static func isOpen(_ cell: Cell) -> Bool {
        !cell.beginsWithYear && !cell.hasMonthName && !cell.isNone && cell.separator != "."
    }

    /// The day a cell means; nil for `0/0/00`, `None` and what is no date.
    func day(_ text: String) -> String? {
        OutlookDateOrder.cell(text).flatMap(day)
    }

    /// The day that a cell taken apart means.
    func day(_ cell: Cell) -> String? {
        let parts = cell.parts
        var date: CivilDate
        switch self {
        case _ where cell.beginsWithYear || parts[0] > 31:
            date = CivilDate(year: parts[0], month: parts[1], day: parts[2])
        case .dayFirst,
            _ where cell.hasMonthName || cell.separator == ".":
            date = CivilDate(year: parts[2], month: parts[1], day: parts[0])
        case .monthFirst: date = CivilDate(year: parts[2], month: parts[0], day: parts[1])
        case .yearFirst: date = CivilDate(year: parts[0], month: parts[1], day: parts[2])
        }
        if date.year < 100 { date.year += date.year < 70 ? 2000 : 1900 }
        guard date.isValid, date.year >= 1000, date.year <= 9999,
            let text = TodoMoment.localText(Int64(date.daysSince1970) * 86_400)
        else { return nil }
        return text.leading(10)
    }
}
