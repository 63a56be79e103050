// Dates as address books write them: ISO, Google's `--03-22`, and the regional forms of Outlook,
// whose order of day and month is a matter of the whole column.

/// How day and month stand in dates with slashes.
enum DateOrder: String {
    case monthFirst = "mdy"
    case dayFirst = "dmy"
    case yearFirst = "ymd"
}

/// A date read from a cell.
enum BookDate: Equatable {
    /// Nothing, or a date that stands for nothing (`0/0/00`).
    case none
    case date(year: Int?, month: Int, day: Int)
    /// A year alone.
    case year(Int)
    /// Not a date: the text as it is.
    case text

    /// Reads a cell without the time of day.
    init(_ cell: DateCell, _ order: DateOrder) {
        if cell.date.isEmpty {
            self = .none
            return
        }
        self = .text
        guard cell.date.count <= DateCell.limit else { return }
        guard let parts = BookDate.numbers(cell.date) else {
            if let named = MonthNames.date(cell.date) {
                set(BookDate.year(named.year), named.month, named.day)
            }
            return
        }
        if parts.numbers.allSatisfy({ $0.value == 0 }) {
            self = .none
            return
        }
        let n = parts.numbers.map(\.value)
        switch (parts.separator, n.count) {
        case (0, 1) where parts.isYearless && parts.numbers[0].digits == 4:
            set(nil, n[0] / 100, n[0] % 100)
        case (_, _) where parts.isYearless && (parts.separator != 0x2D || n.count != 2): break
        case (_, 3) where parts.numbers[0].digits == 4: set(n[0], n[1], n[2])
        case (0x2D, 2) where parts.isYearless: set(nil, n[0], n[1])
        case (0x2E, 3): set(BookDate.year(parts.numbers[2]), n[1], n[0])
        case (0x2E, 2): set(nil, n[1], n[0])
        case (0x2F, 3), (0x2D, 3):
            // As the column has it, else as the numbers allow.
            for order in [order, .monthFirst, .dayFirst, .yearFirst] where self == .text {
                let isYearFirst = order == .yearFirst
                if isYearFirst, parts.numbers[2].digits > 2 { continue }
                let year = BookDate.year(parts.numbers[isYearFirst ? 0 : 2])
                switch order {
                case .monthFirst: set(year, n[0], n[1])
                case .dayFirst: set(year, n[1], n[0])
                case .yearFirst: set(year, n[1], n[2])
                }
            }
        case (0, 1) where parts.numbers[0].digits == 8:
            set(n[0] / 10_000, n[0] / 100 % 100, n[0] % 100)
        case (0, 1) where parts.numbers[0].digits == 4 && n[0] >= 1000: self = .year(n[0])
        default: break
        }
    }

    private mutating func set(_ year: Int?, _ month: Int, _ day: Int) {
        guard month >= 1, month <= 12, day >= 1,
            day <= CivilDate.days(inMonth: month, of: year == 0 ? 2000 : year ?? 2000)
        else { return }
        // Year 0 and Apple's 1604 stand for no year.
        self = .date(year: year == 0 || year == 1604 ? nil : year, month: month, day: day)
    }

    private static func year(_ number: (value: Int, digits: Int)) -> Int {
        guard number.digits <= 2 else { return number.value }
        return number.value + (number.value > 30 ? 1900 : 2000)
    }

    /// The orders that a date with slashes or dashes fits: none for other dates and for what is no
    /// date, one where a number tells, else several (the first of them is no better).
    static func orders(_ cell: DateCell) -> [DateOrder] {
        guard cell.date.count <= DateCell.limit, let parts = numbers(cell.date),
            parts.numbers.count == 3,
            parts.separator == 0x2F || parts.separator == 0x2D, !parts.isYearless,
            parts.numbers[0].digits <= 2
        else { return [] }
        let (a, b, c) = (parts.numbers[0].value, parts.numbers[1].value, parts.numbers[2].value)
        func isDate(_ year: (value: Int, digits: Int), _ month: Int, _ day: Int) -> Bool {
            month >= 1 && month <= 12 && day >= 1
                && day
                    <= CivilDate.days(
                        inMonth: month, of: year.value == 0 ? 2000 : BookDate.year(year))
        }
        var orders: [DateOrder] = []
        if isDate(parts.numbers[2], a, b) { orders.append(.monthFirst) }
        // The same number twice says nothing.
        if a != b, isDate(parts.numbers[2], b, a) { orders.append(.dayFirst) }
        if orders.isEmpty, parts.numbers[2].digits <= 2, isDate(parts.numbers[0], b, c) {
            orders.append(.yearFirst)
        }
        return a == b ? [] : orders
    }

    private struct Parts {
        var numbers: [(value: Int, digits: Int)] = []
        var separator: UInt8 = 0
        /// Began with dashes in place of a year.
        var isYearless = false
    }

    /// Up to three numbers between equal separators; spaces may stand beside these.
    private static func numbers(_ bytes: [UInt8]) -> Parts? {
        var parts = Parts()
        var i = 0
        while i < bytes.count, bytes[i] == 0x2D { i += 1 }
        parts.isYearless = i > 0
        var value = 0
        var digits = 0
        func isSeparator(_ byte: UInt8) -> Bool { byte == 0x2D || byte == 0x2F || byte == 0x2E }
        while i < bytes.count {
            let byte = bytes[i]
            if byte &- 0x30 < 10, digits < 8 {
                value = value * 10 + Int(byte &- 0x30)
                digits += 1
            } else if isSeparator(byte), digits > 0,
                parts.separator == 0 || parts.separator == byte
            {
                parts.separator = byte
                parts.numbers.append((value, digits))
                (value, digits) = (0, 0)
            } else if byte == 0x20 {
                let next = bytes[i...].first { $0 != 0x20 } ?? 0
                guard digits == 0 ? !parts.numbers.isEmpty : isSeparator(next) else { return nil }
            } else {
                return nil
            }
            i += 1
        }
        if digits > 0 { parts.numbers.append((value, digits)) }
        return parts.numbers.isEmpty || parts.numbers.count > 3 ? nil : parts
    }
}
