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
        guard let parts = BookDate.numbers(cell.date.bytes) else {
            if let named = MonthNames.date(cell.date) {
                set(BookDate.year(named.year), named.month, named.day)
            }
            return
        }
        let (a, b, c) = (parts.first.value, parts.second.value, parts.third.value)
        if a == 0, b == 0, c == 0 {
            self = .none
            return
        }
        switch (parts.separator, parts.count) {
        case (0, 1) where parts.isYearless && parts.first.digits == 4: set(nil, a / 100, a % 100)
        case (_, _) where parts.isYearless && (parts.separator != 0x2D || parts.count != 2): break
        case (_, 3) where parts.first.digits == 4: set(a, b, c)
        case (0x2D, 2) where parts.isYearless: set(nil, a, b)
        case (0x2E, 3): set(BookDate.year(parts.third), b, a)
        case (0x2E, 2): set(nil, b, a)
        case (0x2F, 3), (0x2D, 3):
            // As the column has it, else as the numbers allow.
            set(parts, order)
            for order in [DateOrder.monthFirst, .dayFirst, .yearFirst] where self == .text {
                set(parts, order)
            }
        case (0, 1) where parts.first.digits == 8: set(a / 10_000, a / 100 % 100, a % 100)
        case (0, 1) where parts.first.digits == 4 && a >= 1000: self = .year(a)
        default: break
        }
    }

    private mutating func set(_ parts: Parts, _ order: DateOrder) {
        let (a, b, c) = (parts.first, parts.second, parts.third)
        switch order {
        case .monthFirst: set(BookDate.year(c), a.value, b.value)
        case .dayFirst: set(BookDate.year(c), b.value, a.value)
        case .yearFirst:
            if c.digits <= 2 { set(BookDate.year(a), b.value, c.value) }
        }
    }

    private mutating func set(_ year: Int?, _ month: Int, _ day: Int) {
        guard month >= 1, month <= 12, day >= 1,
            day <= CivilDate.days(inMonth: month, of: year == 0 ? 2000 : year ?? 2000)
        else { return }
        // Year 0 and Apple's 1604 stand for no year.
        self = .date(year: year == 0 || year == 1604 ? nil : year, month: month, day: day)
    }

    private static func year(_ number: Number) -> Int {
        guard number.digits <= 2 else { return number.value }
        return number.value + (number.value > 30 ? 1900 : 2000)
    }

    /// The orders that a date with slashes or dashes fits: none for other dates and for what is no
    /// date, one where a number tells, else several (the first of them is no better).
    static func orders(_ cell: DateCell) -> DateOrderSet {
        guard cell.date.count <= DateCell.limit, let parts = numbers(cell.date.bytes),
            parts.count == 3, parts.separator == 0x2F || parts.separator == 0x2D,
            !parts.isYearless, parts.first.digits <= 2
        else { return [] }
        let (a, b, c) = (parts.first.value, parts.second.value, parts.third.value)
        func isDate(_ year: Number, _ month: Int, _ day: Int) -> Bool {
            month >= 1 && month <= 12 && day >= 1
                && day
                    <= CivilDate.days(
                        inMonth: month, of: year.value == 0 ? 2000 : BookDate.year(year))
        }
        // The same number twice says nothing.
        if a == b { return [] }
        var orders: DateOrderSet = []
        if isDate(parts.third, a, b) { orders.insert(.monthFirst) }
        if isDate(parts.third, b, a) { orders.insert(.dayFirst) }
        if orders.isEmpty, parts.third.digits <= 2, isDate(parts.first, b, c) {
            orders.insert(.yearFirst)
        }
        return orders
    }

    /// A number and how many digits it was written with.
    struct Number: Equatable {
        var value = 0
        var digits = 0
    }

    private struct Parts {
        var first = Number()
        var second = Number()
        var third = Number()
        var count = 0
        var separator: UInt8 = 0
        /// Began with dashes in place of a year.
        var isYearless = false

        /// Adds a number; false when there are three already.
        mutating func add(_ number: Number) -> Bool {
            switch count {
            case 0: first = number
            case 1: second = number
            case 2: third = number
            default: return false
            }
            count += 1
            return true
        }
    }

    /// Up to three numbers between equal separators; spaces may stand beside these.
    private static func numbers(_ bytes: UnsafeRawBufferPointer) -> Parts? {
        var parts = Parts()
        var i = 0
        while i < bytes.count, bytes[i] == 0x2D { i += 1 }
        parts.isYearless = i > 0
        var number = Number()
        while i < bytes.count {
            let byte = bytes[i]
            i += 1
            if byte &- 0x30 < 10, number.digits < 8 {
                number.value = number.value * 10 + Int(byte &- 0x30)
                number.digits += 1
            } else if isSeparator(byte), number.digits > 0,
                parts.separator == 0 || parts.separator == byte
            {
                parts.separator = byte
                guard parts.add(number) else { return nil }
                number = Number()
            } else if byte == 0x20 {
                var next = i
                while next < bytes.count, bytes[next] == 0x20 { next += 1 }
                let isBeside =
                    number.digits == 0
                    ? parts.count > 0 : next < bytes.count && isSeparator(bytes[next])
                guard isBeside else { return nil }
            } else {
                return nil
            }
        }
        if number.digits > 0, !parts.add(number) { return nil }
        return parts.count == 0 ? nil : parts
    }

    private static func isSeparator(_ byte: UInt8) -> Bool {
        byte == 0x2D || byte == 0x2F || byte == 0x2E
    }
}
