// Dates whose month is a word (`25 Nov 2026`, `2. Januar 1980`, `02-Jan-80`), in the languages of
// the known headers.

enum MonthNames {
    /// A date of a day, a month's name and a year; nil for anything else.
    static func date(_ bytes: [UInt8]) -> (
        year: (value: Int, digits: Int), month: Int, day: Int
    )? {
        let words = String(decoding: bytes, as: UTF8.self).lowercased()
            .split { " ,.-/\t".contains($0) }.filter { $0 != "de" && $0 != "of" }
        guard words.count == 3, let place = words.firstIndex(where: { numbers[$0] != nil }),
            place < 2, let month = numbers[words[place]],
            words[2].utf8.count == 4 || words[2].utf8.count == 2, let year = Int(words[2]),
            year >= 0, let day = day(words[1 - place])
        else { return nil }
        return ((year, words[2].utf8.count), month, day)
    }

    /// The month that a word or a number names.
    static func month(_ text: String) -> Int? {
        numbers[text.lowercased()[...]]
    }

    /// `2`, `2nd`, `1er`.
    private static func day(_ word: Substring) -> Int? {
        let digits = word.prefix { $0.isASCII && $0.isNumber }
        let rest = word.dropFirst(digits.count)
        guard digits.utf8.count <= 2, ["", "st", "nd", "rd", "th", "er", "º"].contains(rest) else {
            return nil
        }
        return Int(digits)
    }

    /// Each word's month: English, German, French, Spanish, Italian, Portuguese, Dutch.
    private static let numbers: [Substring: Int] = {
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
        var numbers: [Substring: Int] = [:]
        for (i, line) in words.enumerated() {
            for word in line.split(separator: " ") { numbers[word] = i + 1 }
        }
        return numbers
    }()
}
