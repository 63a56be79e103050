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

    /// Reads a cell.
    init(_ cell: UnsafeRawBufferPointer, _ order: DateOrder) {
        let bytes = CellText.trim(cell)
        if bytes.isEmpty {
            self = .none
            return
        }
        self = .text
        guard bytes.count <= 40 else { return }
        guard let parts = BookDate.numbers(bytes) else { return }
        if parts.numbers.allSatisfy({ $0.value == 0 }) {
            self = .none
            return
        }
        let n = parts.numbers.map(\.value)
        switch (parts.separator, n.count) {
        case (0x2D, 3) where parts.numbers[0].digits == 4: set(n[0], n[1], n[2])
        case (0x2D, 2) where parts.isYearless: set(nil, n[0], n[1])
        case (0x2E, 3): set(BookDate.year(parts.numbers[2]), n[1], n[0])
        case (0x2E, 2): set(nil, n[1], n[0])
        case (0x2F, 3) where parts.numbers[0].digits == 4,
            (0x2E, 3) where parts.numbers[0].digits == 4:
            set(n[0], n[1], n[2])
        case (0x2F, 3), (0x2D, 3):
            let year = BookDate.year(parts.numbers[2])
            if order == .dayFirst ? n[1] <= 12 : n[0] > 12 {
                set(year, n[1], n[0])
            } else {
                set(year, n[0], n[1])
            }
        case (0, 1) where parts.numbers[0].digits == 8:
            set(n[0] / 10_000, n[0] / 100 % 100, n[0] % 100)
        case (0, 1) where parts.numbers[0].digits == 4: self = .year(n[0])
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

    /// What a date with slashes says about the order; nil for other dates and when it fits both.
    static func order(_ cell: UnsafeRawBufferPointer) -> DateOrder? {
        guard let parts = numbers(CellText.trim(cell)), parts.separator == 0x2F,
            parts.numbers.count == 3, parts.numbers[0].digits <= 2
        else { return nil }
        if parts.numbers[0].value > 12 { return .dayFirst }
        if parts.numbers[1].value > 12 { return .monthFirst }
        return nil
    }

    /// True for a date with slashes that fits both orders.
    static func isAmbiguous(_ cell: UnsafeRawBufferPointer) -> Bool {
        guard let parts = numbers(CellText.trim(cell)), parts.separator == 0x2F,
            parts.numbers.count == 3, parts.numbers[0].digits <= 2
        else { return false }
        let (a, b) = (parts.numbers[0].value, parts.numbers[1].value)
        return a >= 1 && a <= 12 && b >= 1 && b <= 12 && a != b
    }

    private struct Parts {
        var numbers: [(value: Int, digits: Int)] = []
        var separator: UInt8 = 0
        /// Began with dashes in place of a year.
        var isYearless = false
    }

    private static func numbers(_ bytes: UnsafeRawBufferPointer) -> Parts? {
        var parts = Parts()
        var i = 0
        while i < bytes.count, bytes[i] == 0x2D { i += 1 }
        parts.isYearless = i > 0
        var value = 0
        var digits = 0
        while i < bytes.count {
            let byte = bytes[i]
            if byte &- 0x30 < 10, digits < 8 {
                value = value * 10 + Int(byte &- 0x30)
                digits += 1
            } else if byte == 0x2D || byte == 0x2F || byte == 0x2E, digits > 0,
                parts.separator == 0 || parts.separator == byte
            {
                parts.separator = byte
                parts.numbers.append((value, digits))
                (value, digits) = (0, 0)
            } else if (byte == 0x54 || byte == 0x20) && parts.numbers.count == 2 && digits > 0
                && BookDate.isMidnight(bytes, i + 1)
            {
                break
            } else {
                return nil
            }
            i += 1
        }
        if digits > 0 { parts.numbers.append((value, digits)) }
        return parts.numbers.isEmpty || parts.numbers.count > 3 ? nil : parts
    }

    /// A time of zeros behind a date says nothing.
    private static func isMidnight(_ bytes: UnsafeRawBufferPointer, _ from: Int) -> Bool {
        for byte in bytes[from...] where byte >= 0x31 && byte <= 0x39 { return false }
        return from < bytes.count
    }
}
