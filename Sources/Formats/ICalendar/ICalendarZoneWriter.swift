// A zone's rules as a VTIMEZONE: what held since 1970 as single dates, and the yearly rule that
// holds now, as far back as it has held without exception.

/// Makes zone definitions.
enum ICalendarZoneWriter {
    private struct Group: Hashable {
        var from: Int
        var to: Int
        var isDaylight: Bool
        var name: String
    }

    /// The years that a definition tells of when no date outside of them is known.
    static let usualYears = 1970...2037

    /// The usual years and the one given, with a year more, since a time may be in another year
    /// elsewhere.
    static func reach(_ year: Int) -> ClosedRange<Int> {
        min(
            usualYears.lowerBound, max(year - 1, 1))...max(
                usualYears.upperBound, min(year + 1, 2100))
    }

    /// The definition, lines separated by LF.
    /// - Parameter years: the years it tells of without a rule.
    static func definition(
        of zone: TimeZone, named name: String, years: ClosedRange<Int> = usualYears
    ) -> String {
        let (firstYear, lastYear) = (years.lowerBound, years.upperBound)
        var text = "BEGIN:VTIMEZONE\n" + folded("TZID:\(escaped(name))")
        if ZoneNames.isKnown(zone.name) { text += "X-LIC-LOCATION:\(zone.name)\n" }
        let begin = CivilDate(year: firstYear, month: 1, day: 1).daysSince1970
        let first = zone.kind(at: Int64(begin) * 86_400 - 86_400)
        let ruleYear = yearOfRule(zone, years)
        let isPlainRule =
            ruleYear.map { zone.rule.map { isYearly($0) } ?? false && $0 <= lastYear } ?? false
        let limit = isPlainRule ? (ruleYear ?? lastYear) : lastYear + 1
        var groups: [Group] = []
        var dates: [Group: [Int64]] = [:]
        var kind = first
        for (at, next) in changes(zone, from: firstYear, until: limit) where next != kind {
            let group = Group(
                from: kind.offset, to: next.offset, isDaylight: next.isDaylight,
                name: next.abbreviation)
            if dates[group] == nil { groups.append(group) }
            dates[group, default: []].append(at + Int64(kind.offset))
            kind = next
        }
        let start = digits(firstYear, 4) + "0101T000000"
        text += observance(
            Group(
                from: first.offset, to: first.offset, isDaylight: first.isDaylight,
                name: first.abbreviation), start: start, rule: nil, dates: [])
        for group in groups {
            let all = (dates[group] ?? []).map(local)
            text += observance(group, start: all[0], rule: nil, dates: all)
        }
        if isPlainRule, let year = ruleYear, let rule = zone.rule, let summer = rule.daylight {
            text += yearly(rule.start, in: year, from: rule.standard, to: summer)
            text += yearly(rule.end, in: year, from: summer, to: rule.standard)
        }
        return text + "END:VTIMEZONE"
    }

    /// A line with its folds, the end of each part LF.
    private static func folded(_ line: String) -> String {
        let out = RawVector<UInt8>(capacity: 128)
        defer { out.destroy() }
        Array(line.utf8).withUnsafeBytes { ContentLineWriter.fold($0, into: out) }
        return String(decoding: out.elements.filter { $0 != 13 }, as: UTF8.self)
    }

    private static func escaped(_ name: String) -> String {
        name.filter { !$0.isNewline }.replacing("\\", with: "\\\\").replacing(",", with: "\\,")
            .replacing(";", with: "\\;")
    }

    /// The changes of a zone from the first year on, before a year begins.
    private static func changes(
        _ zone: TimeZone, from firstYear: Int, until year: Int
    ) -> [(Int64, TimeZone.Kind)] {
        let begin = Int64(CivilDate(year: firstYear, month: 1, day: 1).daysSince1970) * 86_400
        let end = Int64(CivilDate(year: year, month: 1, day: 1).daysSince1970) * 86_400
        var found: [(Int64, TimeZone.Kind)] = []
        for change in zone.transitions where change.at >= begin && change.at < end {
            found.append((change.at, zone.kinds[change.kind]))
        }
        if let rule = zone.rule, let summer = rule.daylight {
            let last = zone.transitions.last?.at ?? .min
            var later: [(Int64, TimeZone.Kind)] = []
            for y in firstYear..<max(year, firstYear) {
                guard let span = rule.daylightTime(in: y) else { continue }
                if span.start > last, span.start < end { later.append((span.start, summer)) }
                if span.end > last, span.end < end { later.append((span.end, rule.standard)) }
            }
            found += later.sorted { $0.0 < $1.0 }
        }
        return found
    }

    /// The first year from which the zone does nothing but follow its rule.
    private static func yearOfRule(_ zone: TimeZone, _ years: ClosedRange<Int>) -> Int? {
        guard let rule = zone.rule, rule.daylight != nil else { return nil }
        let lastYear = years.upperBound
        var year = lastYear
        while year >= years.lowerBound {
            guard let span = rule.daylightTime(in: year),
                zone.kind(at: span.start) == rule.daylight,
                zone.kind(at: span.end) == rule.standard,
                zone.kind(at: span.start - 1) == rule.standard,
                zone.kind(at: span.end - 1) == rule.daylight
            else { break }
            let begin = Int64(CivilDate(year: year, month: 1, day: 1).daysSince1970) * 86_400
            let inYear = zone.transitions.filter { $0.at >= begin && $0.at < begin + 366 * 86_400 }
            let isOther = inYear.contains {
                $0.at != span.start && $0.at != span.end
                    && $0.at < begin + 364 * 86_400
            }
            if isOther { break }
            year -= 1
        }
        return year < lastYear ? year + 1 : nil
    }

    /// True when both days of a rule can be said as BYMONTH and BYDAY.
    private static func isYearly(_ rule: PosixRule) -> Bool {
        [rule.start, rule.end].allSatisfy {
            if case .weekday = $0.form { return $0.seconds >= 0 && $0.seconds < 86_400 }
            return false
        }
    }

    private static let weekdays = ["SU", "MO", "TU", "WE", "TH", "FR", "SA"]

    private static func yearly(
        _ day: PosixRule.Day, in year: Int, from: TimeZone.Kind, to: TimeZone.Kind
    ) -> String {
        guard case .weekday(let month, let week, let weekday) = day.form else { return "" }
        return observance(
            Group(
                from: from.offset, to: to.offset, isDaylight: to.isDaylight,
                name: to.abbreviation),
            start: local(day.local(in: year)),
            rule: "FREQ=YEARLY;BYMONTH=\(month);BYDAY=\(week == 5 ? -1 : week)"
                + weekdays[weekday % 7],
            dates: [])
    }

    private static func observance(
        _ group: Group, start: String, rule: String?, dates: [String]
    ) -> String {
        let name = group.isDaylight ? "DAYLIGHT" : "STANDARD"
        var text = "BEGIN:\(name)\nDTSTART:\(start)\n"
        text += "TZOFFSETFROM:\(offset(group.from))\nTZOFFSETTO:\(offset(group.to))\n"
        if !group.name.isEmpty { text += "TZNAME:\(escaped(group.name))\n" }
        if let rule { text += "RRULE:\(rule)\n" }
        for date in dates.dropFirst() { text += "RDATE:\(date)\n" }
        return text + "END:\(name)\n"
    }

    private static func digits(_ value: Int, _ width: Int) -> String {
        let text = String(value)
        return String(repeating: "0", count: max(0, width - text.utf8.count)) + text
    }

    private static func offset(_ seconds: Int) -> String {
        let size = abs(seconds)
        return (seconds < 0 ? "-" : "+") + digits(size / 3600, 2) + digits(size / 60 % 60, 2)
            + (size % 60 == 0 ? "" : digits(size % 60, 2))
    }

    private static func local(_ seconds: Int64) -> String {
        let days = (seconds >= 0 ? seconds : seconds - 86_399) / 86_400
        let clock = Int(seconds - days * 86_400)
        let day = CivilDate(daysSince1970: Int(days))
        return digits(day.year, 4) + digits(day.month, 2) + digits(day.day, 2) + "T"
            + digits(clock / 3600, 2) + digits(clock / 60 % 60, 2) + digits(clock % 60, 2)
    }
}
