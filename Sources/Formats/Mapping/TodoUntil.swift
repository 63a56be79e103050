// The end of a recurrence rule in the form that its start has (RFC 5545, 3.3.10): a day beside a day,
// a clock time beside one, universal time beside a start in a zone. Formats that write the last
// day only, or a time of their own, are brought to it.

extension TodoRecurrence {
    /// A rule, or a line of one, whose UNTIL is of the kind of its start.
    /// - Returns: nil where it is already, or cannot be made so.
    static func aligned(
        _ line: String, to start: TodoMoment, _ zones: ZoneLibrary, floating: String? = nil
    ) -> String? {
        guard let until = line.firstRange(of: "UNTIL=") else { return nil }
        let rest = line[until.upperBound...]
        let text = rest.prefix { $0 != ";" }
        guard let old = moment(text), let new = end(old, start, zones, floating) else { return nil }
        let spelled = spelling(new)
        guard spelled != text else { return nil }
        return String(line[..<until.upperBound]) + spelled + rest.dropFirst(text.count)
    }

    /// `20261231`, `20261231T120000` or the same with `Z`; nil for anything else.
    private static func moment(_ text: Substring) -> TodoMoment? {
        let c = Array(text.utf8)
        guard c.count == 8 || c.count == 15 || c.count == 16 else { return nil }
        func part(_ from: Int, _ to: Int) -> String {
            String(decoding: c[from..<to], as: UTF8.self)
        }
        var iso = part(0, 4) + "-" + part(4, 6) + "-" + part(6, 8)
        if c.count > 8 {
            guard c[8] == 0x54, c.count == 15 || c[15] == 0x5A else { return nil }
            iso += "T" + part(9, 11) + ":" + part(11, 13) + ":" + part(13, 15)
            if c.count == 16 { iso += "Z" }
        }
        return TodoMoment(iso: iso)
    }

    private static func end(
        _ until: TodoMoment, _ start: TodoMoment, _ zones: ZoneLibrary, _ floating: String?
    ) -> TodoMoment? {
        let name = start.tzid == "UTC" ? "UTC" : start.zone ?? start.tzid
        if start.isDay {
            // The day it is where the task is, as far as that is known.
            let local = floating.map { until.moved(to: $0, zones) } ?? until
            return TodoMoment(local: local.day)
        }
        var until = until
        // A last day counts to its end.
        if until.isDay { until.local += "T23:59:59" }
        guard let name else {
            if until.tzid == nil { return until }
            let local = floating.map { until.moved(to: $0, zones) } ?? until
            return TodoMoment(local: local.local)
        }
        if until.tzid == "UTC" { return until }
        guard zones.zone(named: name) != nil else { return nil }
        until.tzid = name
        until.zone = name == "UTC" ? nil : name
        return until.moved(to: "UTC", zones)
    }

    private static func spelling(_ moment: TodoMoment) -> String {
        moment.local.filter { $0 != "-" && $0 != ":" } + (moment.tzid == "UTC" ? "Z" : "")
    }
}

extension TodoDraft {
    /// Brings the ends of the rules to the kind of the start.
    /// - Parameter floating: the zone of clock times without one; it says which day a moment is.
    mutating func alignRules(
        _ context: ExchangeContext, source: String, line: Int? = nil, floating: String? = nil
    ) {
        guard let start else { return }
        let zones = zones(context)
        for i in recurrence.indices where recurrence[i].uppercased().hasPrefix("RRULE") {
            guard
                let rule = TodoRecurrence.aligned(
                    recurrence[i], to: start, zones, floating: floating ?? context.options.zone)
            else { continue }
            context.report.note(
                .changed, "until-form", source: source, line: line, property: "recurrence",
                value: recurrence[i],
                action: "the end of a rule is a day, a clock time or universal time as its start is"
            )
            recurrence[i] = rule
        }
    }
}
