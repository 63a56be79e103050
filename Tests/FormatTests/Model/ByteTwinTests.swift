// What looks at bytes to be fast says what the plain way says.

import Testing

@testable import Formats

@Suite("bytes and their slow twins") struct ByteTwinTests {
    /// Short texts in which characters of several bytes, marks and line ends meet ASCII.
    private static func text(_ random: inout SeededGenerator) -> String {
        let pieces = [
            "x", "X", "a", "Z", "1", "-", ":", "T", " ", "  ", "\t", "\r\n", "\r", "ß", "ﬁ", "ı",
            "é",
            "e\u{301}", "\u{301}", "\u{200D}", "日", "👩‍💻", "\u{FE0F}", "TEL", "Tel",
        ]
        return (0..<Int(random.next() % 6)).map { _ in
            pieces[Int(random.next() % UInt64(pieces.count))]
        }.joined()
    }

    @Test(arguments: 0..<20) func wordsInCapitals(_ seed: UInt64) {
        var random = SeededGenerator(seed)
        for _ in 0..<2_000 {
            let text = Self.text(&random)
            for word in ["", "X", "TEL", "XA", "X-", "SS", "FI", "I", "E"] {
                #expect(text.isInCapitals(word) == (text.uppercased() == word), "\(text) \(word)")
                #expect(
                    text.beginsInCapitals(with: word) == text.uppercased().hasPrefix(word),
                    "\(text) \(word)")
            }
            for count in 0..<5 {
                #expect(text.leading(count) == String(text.prefix(count)), "\(text) \(count)")
            }
        }
    }

    @Test(arguments: 0..<20) func wordsBetweenSpaces(_ seed: UInt64) {
        var random = SeededGenerator(seed)
        for _ in 0..<2_000 {
            let text = Self.text(&random)
            for keepsEmpty in [false, true] {
                var words: [[UInt8]] = [[]]
                for byte in text.utf8 {
                    if byte == 0x20 {
                        words.append([])
                    } else {
                        words[words.count - 1].append(byte)
                    }
                }
                if !keepsEmpty { words.removeAll(where: \.isEmpty) }
                let split = SpacedWords.split(text, keepsEmpty: keepsEmpty)
                #expect(split.map { Array($0.utf8) } == words, "\(text)")
            }
            let marked = SpacedWords.replacingSpace(in: text, with: "_")
            #expect(marked == String(text.map { $0.isWhitespace ? "_" : $0 }), "\(text)")
        }
    }

    /// A moment of a calendar, right or with one byte changed.
    private static func moment(_ random: inout SeededGenerator) -> [UInt8] {
        func digits(_ limit: UInt64, _ width: Int) -> String {
            let text = String(random.next() % limit)
            return String(repeating: "0", count: width - text.utf8.count) + text
        }
        let text =
            digits(10_000, 4) + digits(14, 2) + digits(33, 2) + "T" + digits(26, 2) + digits(62, 2)
            + digits(62, 2) + "Z"
        var bytes = Array(text.utf8)
        if random.next() % 3 == 0 {
            bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(random.next() % 256)
        }
        return bytes
    }

    @Test(arguments: 0..<20) func universalMoments(_ seed: UInt64) {
        var random = SeededGenerator(seed)
        var taken = 0
        for _ in 0..<5_000 {
            let bytes = Self.moment(&random)
            bytes.withUnsafeBytes { text in
                let date = ICalendarDate(text).flatMap { $0.isExact && $0.isUTC ? $0 : nil }
                // The last days of months and leap seconds are left to the slow way.
                let isSure = date.map { $0.day.day <= 28 && $0.second < 60 } ?? false
                #expect(
                    ICalendarDate.isUniversalMoment(text) == isSure,
                    "\(String(decoding: bytes, as: UTF8.self))")
                if isSure { taken += 1 }
            }
        }
        #expect(taken > 500)
    }

    /// A date of ISO 8601, right or with one byte changed.
    private static func isoDate(_ random: inout SeededGenerator) -> String {
        func digits(_ limit: UInt64, _ width: Int) -> String {
            let text = String(random.next() % limit)
            return String(repeating: "0", count: width - text.utf8.count) + text
        }
        var text = "\(digits(10_000, 4))-\(digits(14, 2))-\(digits(33, 2))"
        if random.next() % 4 > 0 {
            text += ["T", " "][Int(random.next() % 2)]
            text += "\(digits(26, 2)):\(digits(62, 2)):\(digits(62, 2))"
            text += ["", ".5", ",25", ".0000000", ".0123456789", "."][Int(random.next() % 6)]
            text += ["", "Z", "z", "+01:00"][Int(random.next() % 4)]
        }
        var bytes = Array(text.utf8)
        if random.next() % 4 == 0 {
            bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(0x20 + random.next() % 0x5F)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// What the plain forms give is what the general reader of dates gives.
    @Test(arguments: 0..<20) func plainDates(_ seed: UInt64) throws {
        var random = SeededGenerator(seed)
        var taken = 0
        for _ in 0..<5_000 {
            let text = Self.isoDate(&random)
            guard let plain = bytes(text, { TodoMoment.plain($0) }) else { continue }
            taken += 1
            let isDay = text.utf8.count == 10
            // The year 0 has days here, and no moments.
            if isDay, text.hasPrefix("0000") { continue }
            var general = isDay ? text + "T00:00:00" : text.replacing(" ", with: "T")
            if !general.hasSuffix("Z"), !general.hasSuffix("z") { general += "Z" }
            let date = bytes(general) { ScalarText.date($0) }
            var seconds = try #require(date, "\(text)").seconds
            if let date, date.nanoseconds < 0 { seconds -= 1 }
            let local = try #require(TodoMoment.localText(seconds), "\(text)")
            #expect(plain.local == (isDay ? String(local.prefix(10)) : local), "\(text)")
            let isUniversal = !isDay && (text.hasSuffix("Z") || text.hasSuffix("z"))
            #expect(plain.tzid == (isUniversal ? "UTC" : nil), "\(text)")
            #expect(plain.plainSeconds == seconds, "\(text)")
        }
        #expect(taken > 500)
    }
}
