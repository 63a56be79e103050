// Recurrence as vCalendar 1.0 spells it (`D1 #5`, `W2 MO FR 19971224T000000Z`, `MP1 1+ MO`), as
// the rule of iCalendar 2.0 that means the same.

enum LegacyRecurrence {
    private static let days: Set<Substring> = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]

    /// The value of a rule of 2.0; nil for what is no rule of 1.0, or has times of day in it.
    static func rule(_ text: String) -> String? {
        var words = text.uppercased().split(whereSeparator: { $0 == " " || $0 == ";" })[...]
        guard let head = words.popFirst() else { return nil }
        let letters = head.prefix { $0.isLetter }
        guard let interval = Int(head.dropFirst(letters.count)), (1...9999).contains(interval)
        else { return nil }
        var end: String?
        if let last = words.last {
            if last.hasPrefix("#") {
                guard let count = Int(last.dropFirst()), count >= 0 else { return nil }
                // #0 has no end; without a number a rule holds twice.
                end = count == 0 ? "" : "COUNT=\(count)"
                words.removeLast()
            } else if last.count >= 8, last.prefix(8).allSatisfy(\.isNumber) {
                guard TodoMoment(basic: String(last)) != nil || ICalendarDate(text: last) != nil
                else { return nil }
                end = "UNTIL=" + last
                words.removeLast()
            }
        }
        var parts: [String]
        switch letters {
        case "D":
            guard words.isEmpty else { return nil }
            parts = ["FREQ=DAILY"]
        case "W":
            guard words.allSatisfy(days.contains) else { return nil }
            parts = ["FREQ=WEEKLY"]
            if !words.isEmpty { parts.append("BYDAY=" + words.joined(separator: ",")) }
        case "MP":
            guard let places = places(words) else { return nil }
            parts = ["FREQ=MONTHLY", "BYDAY=" + places]
        case "MD":
            guard let numbers = numbers(words, 31) else { return nil }
            parts = ["FREQ=MONTHLY"]
            if !numbers.isEmpty { parts.append("BYMONTHDAY=" + numbers) }
        case "YM":
            guard let numbers = numbers(words, 12), !numbers.contains("-") else { return nil }
            parts = ["FREQ=YEARLY"]
            if !numbers.isEmpty { parts.append("BYMONTH=" + numbers) }
        case "YD":
            guard let numbers = numbers(words, 366) else { return nil }
            parts = ["FREQ=YEARLY"]
            if !numbers.isEmpty { parts.append("BYYEARDAY=" + numbers) }
        default: return nil
        }
        if interval > 1 { parts.insert("INTERVAL=\(interval)", at: 1) }
        let tail = end ?? "COUNT=2"
        if !tail.isEmpty { parts.append(tail) }
        return parts.joined(separator: ";")
    }

    /// A whole RRULE, EXRULE, RDATE or EXDATE line of 1.0 as 2.0 has it; nil for all others.
    static func line(_ text: UnsafeRawBufferPointer) -> String? {
        guard let colon = text.firstIndex(of: 0x3A) else { return nil }
        let value = UnsafeRawBufferPointer(rebasing: text[(colon + 1)...])
        let name = String(decoding: text[..<colon], as: UTF8.self)
        switch name.uppercased() {
        case "RRULE", "EXRULE":
            if value.contains(0x3D) { return nil }
            return rule(String(decoding: value, as: UTF8.self)).map {
                name + ":" + $0
            }
        case "RDATE", "EXDATE":
            guard value.contains(0x3B) else { return nil }
            let dates = value.split(separator: 0x3B)
            guard dates.allSatisfy({ ICalendarDate(UnsafeRawBufferPointer(rebasing: $0)) != nil })
            else { return nil }
            let texts = dates.map { String(decoding: $0, as: UTF8.self) }
            return name + ":" + texts.joined(separator: ",")
        default: return nil
        }
    }

    /// `1+ MO TU 2- FR` as `1MO,1TU,-2FR`.
    private static func places(_ words: ArraySlice<Substring>) -> String? {
        var found: [String] = []
        var place = ""
        for word in words {
            if days.contains(word) {
                guard !place.isEmpty else { return nil }
                found.append(place + word)
            } else if let sign = word.last, sign == "+" || sign == "-",
                let number = Int(word.dropLast()), (1...5).contains(number)
            {
                place = sign == "-" ? "-\(number)" : "\(number)"
            } else {
                return nil
            }
        }
        return found.isEmpty ? nil : found.joined(separator: ",")
    }

    /// `1 15- LD` as `1,-15,-1`.
    private static func numbers(_ words: ArraySlice<Substring>, _ limit: Int) -> String? {
        var found: [String] = []
        for word in words {
            if word == "LD", limit == 31 {
                found.append("-1")
                continue
            }
            let isBack = word.hasSuffix("-")
            let digits = isBack || word.hasSuffix("+") ? word.dropLast() : word
            guard let number = Int(digits), (1...limit).contains(number) else { return nil }
            found.append(isBack ? "-\(number)" : "\(number)")
        }
        return found.joined(separator: ",")
    }
}

extension ICalendarDate {
    /// A date from a value as text.
    init?(text: some StringProtocol) {
        var text = String(text)
        guard let date = text.withUTF8({ ICalendarDate(UnsafeRawBufferPointer($0)) }), date.isExact
        else { return nil }
        self = date
    }
}
