// A zone as a calendar file defines it (VTIMEZONE): observances with a begin, offsets before and
// after, single dates (RDATE) and a yearly rule (RRULE). Expanded to the table `TimeZone` has.
// The text is a kept component: its lines may be folded, nothing in it is trusted.

/// Reads zone definitions of calendar files.
package enum ZoneDefinition {
    private struct Observance {
        var isDaylight = false
        var start: Int64?
        var from: Int?
        var to: Int?
        var name = ""
        var rules: [[String: String]] = []
        var dates: [Int64] = []
    }

    /// Rules are followed up to this year.
    private static let lastYear = 2200
    private static let transitionLimit = 100_000

    /// The TZID a definition has.
    package static func identifier(_ text: String) -> String? {
        lines(text).first { $0.name == "TZID" }?.value
    }

    /// The zone a definition makes; nil when it says nothing usable.
    package static func zone(_ text: String) -> TimeZone? {
        guard text.utf8.count <= 1 << 20 else { return nil }
        var observances: [Observance] = []
        var current: Observance?
        var name = ""
        for line in lines(text) {
            switch line.name {
            case "BEGIN":
                let kind = line.value.uppercased()
                if kind == "STANDARD" || kind == "DAYLIGHT" {
                    current = Observance(isDaylight: kind == "DAYLIGHT")
                }
            case "END":
                if let done = current, observances.count < 200 { observances.append(done) }
                current = nil
            case "TZID": name = line.value
            case "DTSTART": current?.start = seconds(line.value)
            case "TZOFFSETFROM": current?.from = offset(line.value)
            case "TZOFFSETTO": current?.to = offset(line.value)
            case "TZNAME": current?.name = line.value
            case "RRULE":
                if (current?.rules.count ?? 0) < 20 { current?.rules.append(parts(line.value)) }
            case "RDATE":
                for date in line.value.split(separator: ",").prefix(10_000) {
                    if let seconds = seconds(String(date.prefix { $0 != "/" })) {
                        current?.dates.append(seconds)
                    }
                }
            default: break
            }
        }
        return zone(name, observances)
    }

    private static func zone(_ name: String, _ observances: [Observance]) -> TimeZone? {
        var kinds: [TimeZone.Kind] = []
        var onsets: [(at: Int64, kind: Int)] = []
        var first: (at: Int64, from: Int)?
        for observance in observances {
            guard let start = observance.start, let from = observance.from, let to = observance.to
            else { continue }
            let kind = TimeZone.Kind(
                offset: to, isDaylight: observance.isDaylight, abbreviation: observance.name)
            let index = kinds.firstIndex(of: kind) ?? kinds.count
            if index == kinds.count { kinds.append(kind) }
            var locals = Set([start] + observance.dates)
            for rule in observance.rules where onsets.count < transitionLimit {
                locals.formUnion(expand(rule, from: start, offset: from))
            }
            for local in locals where onsets.count < transitionLimit {
                let at = local - Int64(from)
                onsets.append((at, index))
                if first.map({ at < $0.at }) ?? true { first = (at, from) }
            }
        }
        guard let first else { return nil }
        onsets.sort { ($0.at, $0.kind) < ($1.at, $1.kind) }
        let before = TimeZone.Kind(offset: first.from, isDaylight: false, abbreviation: "")
        var transitions: [TimeZone.Transition] = []
        for onset in onsets where transitions.last.map({ $0.at < onset.at }) ?? true {
            transitions.append(TimeZone.Transition(at: onset.at, kind: onset.kind + 1))
        }
        return TimeZone(
            name: name, kinds: [before] + kinds, transitions: transitions, rule: nil)
    }

    // MARK: Rules

    private static let weekdays = ["SU", "MO", "TU", "WE", "TH", "FR", "SA"]

    private static func parts(_ value: String) -> [String: String] {
        var parts: [String: String] = [:]
        for part in value.uppercased().split(separator: ";") {
            guard let equals = part.firstIndex(of: "=") else { continue }
            parts[String(part[..<equals])] = String(part[part.index(after: equals)...])
        }
        return parts
    }

    /// The local times of a yearly rule.
    private static func expand(_ rule: [String: String], from start: Int64, offset: Int) -> [Int64]
    {
        guard rule["FREQ"] == "YEARLY" else { return [] }
        let days = Int((start >= 0 ? start : start - 86_399) / 86_400)
        let clock = start - Int64(days) * 86_400
        let first = CivilDate(daysSince1970: days)
        let interval = max(1, rule["INTERVAL"].flatMap { Int($0) } ?? 1)
        var until = Int64.max
        if let text = rule["UNTIL"], let limit = seconds(text) {
            // A limit in universal time is brought to the clocks before the change.
            until = text.hasSuffix("Z") ? limit + Int64(offset) : limit
            if !text.contains("T") { until += 86_399 }
        }
        let count = rule["COUNT"].flatMap { Int($0) } ?? .max
        let months =
            rule["BYMONTH"]?.split(separator: ",").compactMap { Int($0) }
            .filter { (1...12).contains($0) } ?? [first.month]
        var found: [Int64] = []
        var year = first.year
        while year <= lastYear, found.count < count {
            var inYear: [Int64] = []
            for month in months {
                for day in Self.days(of: rule, year, month, first.day) {
                    let date = CivilDate(year: year, month: month, day: day)
                    inYear.append(Int64(date.daysSince1970) * 86_400 + clock)
                }
            }
            for local in inYear.sorted() where local >= start && local <= until {
                if found.count < count { found.append(local) }
            }
            if inYear.contains(where: { $0 > until }) { break }
            year += min(interval, lastYear)
        }
        return found
    }

    private static func days(of rule: [String: String], _ year: Int, _ month: Int, _ day: Int)
        -> [Int]
    {
        let length = CivilDate.days(inMonth: month, of: year)
        let monthDays = rule["BYMONTHDAY"]?.split(separator: ",").compactMap { Int($0) }
            .map { $0 < 0 ? length + 1 + $0 : $0 }.filter { (1...length).contains($0) }
        guard let byDay = rule["BYDAY"] else {
            return monthDays ?? (day <= length ? [day] : [])
        }
        // 1970-01-01 was a Thursday.
        let first = CivilDate(year: year, month: month, day: 1).daysSince1970 + 4
        var found: [Int] = []
        for word in byDay.split(separator: ",").prefix(7) {
            guard let weekday = weekdays.firstIndex(of: String(word.suffix(2))) else { continue }
            let start = 1 + ((weekday - first) % 7 + 7) % 7
            let all = Array(stride(from: start, through: length, by: 7))
            guard let place = Int(word.dropLast(2)), place != 0 else {
                found += all
                continue
            }
            let index = place > 0 ? place - 1 : all.count + place
            if all.indices.contains(index) { found.append(all[index]) }
        }
        if let monthDays { found = found.filter { monthDays.contains($0) } }
        return found
    }

    // MARK: Lines

    /// Name and value of each logical line; parameters are of no interest.
    private static func lines(_ text: String) -> [(name: String, value: String)] {
        var joined: [String] = []
        for line in text.split(whereSeparator: \.isNewline) {
            if let first = line.first, first == " " || first == "\t", !joined.isEmpty {
                joined[joined.count - 1] += line.dropFirst()
            } else {
                joined.append(String(line))
            }
        }
        return joined.compactMap { line in
            var isQuoted = false
            guard
                let colon = line.firstIndex(where: {
                    if $0 == "\"" { isQuoted.toggle() }
                    return $0 == ":" && !isQuoted
                })
            else { return nil }
            let name = line[..<colon].prefix { $0 != ";" }.uppercased()
            var value = line[line.index(after: colon)...]
            while value.last == " " { value.removeLast() }
            return (name, String(value))
        }
    }

    /// `±HHMM[SS]` in seconds.
    private static func offset(_ text: String) -> Int? {
        var digits = text[...]
        guard let sign = digits.popFirst(), sign == "+" || sign == "-",
            digits.count == 4 || digits.count == 6, let number = Int(digits), number >= 0
        else { return nil }
        let whole = digits.count == 4 ? number * 100 : number
        let seconds = whole / 10_000 * 3600 + whole / 100 % 100 * 60 + whole % 100
        guard seconds <= 200_000 else { return nil }
        return sign == "-" ? -seconds : seconds
    }

    /// Seconds of `YYYYMMDD[THHMMSS[Z]]` as if it were universal.
    private static func seconds(_ text: String) -> Int64? {
        let digits = text.utf8.filter { $0 &- 48 < 10 }
        guard digits.count == 8 || digits.count == 14 else { return nil }
        func number(_ from: Int, _ count: Int) -> Int {
            digits[from..<from + count].reduce(0) { $0 * 10 + Int($1 &- 48) }
        }
        let day = CivilDate(year: number(0, 4), month: number(4, 2), day: number(6, 2))
        guard day.isValid else { return nil }
        var clock = 0
        if digits.count == 14 {
            clock = number(8, 2) * 3600 + number(10, 2) * 60 + number(12, 2)
            guard clock <= 86_400 else { return nil }
        }
        return Int64(day.daysSince1970) * 86_400 + Int64(clock)
    }
}
