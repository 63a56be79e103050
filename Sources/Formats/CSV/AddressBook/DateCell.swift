// A cell of a date column, cut into the date and the time of day behind it (`1980-01-02 23:00:00`,
// `1/2/1980 12:00:00 AM`). What the date says is for `BookDate`.

/// The two halves of a cell.
struct DateCell: Equatable {
    /// Longer cells are no dates.
    static let limit = 40

    /// What stands before the time, without a day of the week.
    private(set) var date: [UInt8]
    /// The time as cards write it, such as `23:00:00+02:00`; empty where there is none, and for
    /// midnight, which programs add to days.
    private(set) var time = ""

    /// Cuts a cell.
    init(_ cell: UnsafeRawBufferPointer) {
        let bytes = CellText.trim(cell)
        date = Array(bytes)
        guard bytes.count <= 3 * DateCell.limit else { return }
        if bytes.contains(where: { $0 >= 0x80 }) { date = DateCell.plain(date) }
        dropWeekday()
        for i in date.indices.dropFirst() {
            let isT = date[i] | 0x20 == 0x74
            guard isT || date[i] == 0x20, date[i - 1] &- 0x30 < 10 || date[i - 1] == 0x2C,
                let clock = DateCell.clock(date[(i + 1)...], isBasic: isT)
            else { continue }
            time = clock
            date.removeSubrange(i...)
            while date.last == 0x20 || date.last == 0x2C { date.removeLast() }
            return
        }
    }

    /// `Sun 3/1/2026`: the date says which day of the week it is.
    private mutating func dropWeekday() {
        let word = date.prefix { $0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7A }
        guard word.count >= 3, word.count < date.count, date[word.count] != 0x2D else { return }
        let name = String(decoding: word, as: UTF8.self).lowercased()
        let days = [
            "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
        ]
        guard days.contains(where: { $0 == name || $0.prefix(3) == name }) else { return }
        let rest = date[word.count...].drop { $0 == 0x20 || $0 == 0x2C || $0 == 0x2E }
        date = Array(rest)
    }

    /// Wide digits as plain ones, and the signs of year, month and day as dashes.
    private static func plain(_ bytes: [UInt8]) -> [UInt8] {
        var out = String.UnicodeScalarView()
        for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
            switch scalar.value {
            case 0xFF10...0xFF19:
                out.append(Unicode.Scalar(UInt8(scalar.value - 0xFF10 + 0x30)))
            case 0x5E74, 0x6708: out.append("-")
            case 0x65E5: break
            case 0xA0, 0x202F, 0x3000: out.append(" ")
            default: out.append(scalar)
            }
        }
        return Array(String(out).utf8)
    }

    /// A time of day with or without a zone; nil for anything else.
    /// - Parameter isBasic: whether it may stand without colons (`230000`).
    private static func clock(_ text: ArraySlice<UInt8>, isBasic: Bool) -> String? {
        var rest = text.drop { $0 == 0x20 }
        func number(_ most: Int) -> Int? {
            let digits = rest.prefix(most).prefix { $0 &- 0x30 < 10 }
            rest = rest.dropFirst(digits.count)
            return digits.isEmpty ? nil : digits.reduce(0) { $0 * 10 + Int($1 &- 0x30) }
        }
        func take(_ byte: UInt8) -> Bool {
            guard rest.first == byte else { return false }
            rest = rest.dropFirst()
            return true
        }
        guard var hour = number(2) else { return nil }
        let hasColons = take(0x3A)
        guard hasColons || isBasic, let minute = number(2) else { return nil }
        var second = 0
        var fraction = ""
        if hasColons ? take(0x3A) : rest.first.map({ $0 &- 0x30 < 10 }) ?? false {
            guard let number = number(2) else { return nil }
            second = number
            if take(0x2E) || take(0x2C) {
                let digits = rest.prefix { $0 &- 0x30 < 10 }
                rest = rest.dropFirst(digits.count)
                if digits.contains(where: { $0 != 0x30 }) {
                    fraction = "." + String(decoding: digits, as: UTF8.self)
                }
            }
        }
        var zone = String(decoding: rest, as: UTF8.self).uppercased().filter { $0 != " " }
        for half in ["AM", "PM", "A.M.", "P.M."] where zone.hasPrefix(half) {
            guard hour >= 1, hour <= 12 else { return nil }
            hour = hour % 12 + (half.hasPrefix("P") ? 12 : 0)
            zone.removeFirst(half.count)
        }
        guard hour < 24, minute < 60, second < 61, let offset = offset(zone) else {
            return nil
        }
        if hour == 0, minute == 0, second == 0, fraction.isEmpty { return "" }
        func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
        return "\(two(hour)):\(two(minute)):\(two(second))\(fraction)\(offset)"
    }

    /// A zone as cards write it: `Z`, `+02:00`, nothing.
    private static func offset(_ text: String) -> String? {
        if text.isEmpty { return "" }
        if text == "Z" || text == "UTC" || text == "GMT" { return "Z" }
        let digits = text.dropFirst().filter { $0 != ":" }
        guard text.first == "+" || text.first == "-",
            digits.utf8.count == 4 || digits.utf8.count == 2,
            digits.utf8.allSatisfy({ $0 &- 0x30 < 10 })
        else { return nil }
        return
            "\(text.prefix(1))\(digits.prefix(2)):\(digits.utf8.count == 4 ? digits.suffix(2) : "00")"
    }
}
