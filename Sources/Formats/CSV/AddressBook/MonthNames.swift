// Dates whose month is a word (`25 Nov 2026`, `2. Januar 1980`, `02-Jan-80`), in the languages of
// the known headers.

enum MonthNames {
    /// A date of a day, a month's name and a year; nil for anything else.
    static func date(_ text: CellSlice) -> (year: BookDate.Number, month: Int, day: Int)? {
        var (first, second, third) = (CellSlice.empty, CellSlice.empty, CellSlice.empty)
        var count = 0
        var start = 0
        for end in 0...text.count where end == text.count || isBetween(text.bytes[end]) {
            let word = text.part(start, end)
            start = end + 1
            if word.isEmpty || isParticle(word) { continue }
            switch count {
            case 0: first = word
            case 1: second = word
            case 2: third = word
            default: return nil
            }
            count += 1
        }
        guard count == 3, third.count == 4 || third.count == 2, let year = third.int, year >= 0
        else { return nil }
        let number = BookDate.Number(value: year, digits: third.count)
        if let month = month(first) { return day(second).map { (number, month, $0) } }
        guard let month = month(second), let day = day(first) else { return nil }
        return (number, month, day)
    }

    private static func isBetween(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 9 || byte &- 0x2C < 4
    }

    /// `de` and `of`.
    private static func isParticle(_ word: CellSlice) -> Bool {
        guard word.count == 2 else { return false }
        let (a, b) = (word.bytes[0] | 0x20, word.bytes[1] | 0x20)
        return a == 0x64 && b == 0x65 || a == 0x6F && b == 0x66
    }

    /// The month that a word names.
    static func month(_ word: CellSlice) -> Int? {
        word.count > 12 ? nil : numbers[word.string.lowercased()]
    }

    /// `2`, `2nd`, `1er`.
    private static func day(_ word: CellSlice) -> Int? {
        var digits = 0
        while digits < word.count, word.bytes[digits] &- 0x30 < 10 { digits += 1 }
        guard digits <= 2 else { return nil }
        let rest = word.part(digits, word.count)
        if !rest.isEmpty {
            let ending = rest.count > 4 ? "" : rest.string.lowercased()
            guard ["st", "nd", "rd", "th", "er", "º"].contains(ending) else { return nil }
        }
        return word.part(0, digits).int
    }

    /// Each word's month: English, German, French, Spanish, Italian, Portuguese, Dutch.
    private static let numbers: [String: Int] = {
        let words = [
            "january jan januar jänner janvier janv enero ene gennaio gen janeiro januari",
            "february feb februar février févr fevrier febrero febbraio fevereiro fev februari",
            "march mar märz mrz mär mars marzo março maart mrt",
            "april apr avril avr abril abr aprile",
            "may mai mayo maggio mag maio mei",
            "june jun juni juin junio giugno giu junho",
            "july jul juli juillet juil julio luglio lug julho",
            "august aug août aout agosto ago augustus",
            "september sep sept septembre septiembre setiembre settembre set setembro",
            "october oct oktober okt octobre octubre ottobre ott outubro out",
            "november nov novembre noviembre novembro",
            "december dec dezember dez décembre déc decembre diciembre dic dicembre dezembro",
        ]
        var numbers: [String: Int] = [:]
        for (i, line) in words.enumerated() {
            for word in line.split(separator: " ") { numbers[String(word)] = i + 1 }
        }
        return numbers
    }()
}
