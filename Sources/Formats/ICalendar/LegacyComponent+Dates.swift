// The dates of a vCalendar 1.0, which its writers spell in many ways, as iCalendar 2.0 wants them:
// days with VALUE=DATE, times of saving and completion in universal time, zones that are known.

extension LegacyComponent {
    /// What the line of a date says; nil where it was dealt with.
    private func read(_ name: String, _ first: ContentLine, _ lines: ContentLines) -> TodoMoment? {
        let value = lines.bytes(first.value)
        if ICalendarText.trimmed(value).isEmpty {
            note(.changed, "date-empty", name, value, "left out: it says no date")
            return nil
        }
        // Of several lines the first one counts.
        guard dates[name] == nil, var date = ICalendarDate(value) else {
            keep(first, lines)
            return nil
        }
        if !date.isExact { note(.guessed, "date-form", name, value, "read tolerantly") }
        for j in lines.parameterIndices(first)
        where NameKey.equals(lines.bytes(lines.parameters[j].name), "VALUE") {
            if NameKey.equals(lines.bytes(lines.parameters[j].value), "DATE") {
                date.hasTime = false
            }
        }
        return moment(date, zone: zone(first, lines))
    }

    private func moment(_ date: ICalendarDate, zone: String?) -> TodoMoment {
        let out = RawVector<UInt8>(capacity: 24)
        defer { out.destroy() }
        date.write(local: out)
        var moment = TodoMoment(local: String(decoding: out.elements, as: UTF8.self))
        if date.hasTime {
            moment.tzid = date.isUTC ? "UTC" : zone
            if let zone, !date.isUTC { moment.zone = ZoneNames.resolve(zone) }
        }
        return moment
    }

    /// The zone a line names, where it is known to us or defined in the file.
    private func zone(_ first: ContentLine, _ lines: ContentLines) -> String? {
        for j in lines.parameterIndices(first) {
            let parameter = lines.parameters[j]
            guard !parameter.isBare, NameKey.equals(lines.bytes(parameter.name), "TZID") else {
                continue
            }
            let out = RawVector<UInt8>(capacity: 64)
            defer { out.destroy() }
            ParameterText.decode(lines.bytes(parameter.value), into: out)
            if out.isEmpty { return nil }
            let name = UnsafeRawBufferPointer(out.elements)
            let entry = file.zones.entry(for: name, calendar: calendar)
            let text = String(decoding: name, as: UTF8.self)
            if entry.definition != nil { return text }
            guard let iana = entry.zone, file.context.zoneLibrary.zone(named: iana) != nil else {
                return nil
            }
            zonesToDefine[text] = iana
            return text
        }
        return nil
    }

    /// Takes the line of a date on the calendar or the clock.
    func date(_ name: String, _ first: ContentLine, _ lines: ContentLines) {
        guard let moment = read(name, first, lines) else { return }
        if name == (isEvent ? "DTEND" : "DUE") { times.end = alarmTime(moment) }
        if name == "DTSTART" { times.start = alarmTime(moment) }
        put(name, moment, first, lines)
    }

    /// A time that alarms may be counted from: a clock time without a zone, as theirs are.
    func alarmTime(_ moment: TodoMoment) -> ICalendarDate? {
        guard moment.tzid == nil, !moment.isDay else { return nil }
        return ICalendarDate(text: moment.local.filter { $0 != "-" && $0 != ":" })
    }

    /// Takes the line of a moment in universal time.
    func moment(_ name: String, _ first: ContentLine, _ lines: ContentLines) {
        guard var moment = read(name, first, lines) else { return }
        if moment.tzid == nil, file.context.options.zone == nil, let local = moment.localSeconds,
            !moment.isDay, let seconds = file.clock.instant(local, calendar: calendar),
            let text = TodoMoment.localText(seconds)
        {
            moment = TodoMoment(local: text, tzid: "UTC")
            note(
                .changed, "time-made-utc", name, lines.bytes(first.value),
                "written in universal time, by the zone of the calendar (TZ)")
        } else if !moment.isDay, moment.tzid != "UTC" {
            let zone = moment.tzid ?? file.context.options.zone
            let known = moment
            if let seconds = moment.instant(
                file.context.zoneLibrary, floating: file.context.options.zone),
                let text = TodoMoment.localText(seconds)
            {
                moment = TodoMoment(local: text, tzid: "UTC")
            }
            note(
                zone == nil ? .guessed : .changed, zone == nil ? "zone-assumed" : "time-made-utc",
                name, lines.bytes(first.value),
                zone == nil
                    ? "taken as universal time; --zone names the zone it is local to"
                    : "written in universal time, as iCalendar wants it here")
            if zone == nil { moment = TodoMoment(local: known.local, tzid: "UTC") }
        }
        put(name, moment, first, lines)
    }

    private func put(
        _ name: String, _ moment: TodoMoment, _ first: ContentLine, _ lines: ContentLines
    ) {
        dates[name] = (moment, count)
        line.removeAll()
        line.append(LegacyComponent.head(name, moment))
        appendParameters(first, lines, zone: moment.tzid)
        line.append(value(moment))
        if moment.isDay, LegacyComponent.universal.contains(name) { line.append("T000000Z") }
        put()
    }

    /// The other parameters of a date; a zone that nobody knows is kept as one of ours.
    private func appendParameters(_ first: ContentLine, _ lines: ContentLines, zone: String?) {
        LegacyParameters.append(
            first, lines, without: ["TZID", "VALUE", "TYPE", ICalendarProperty.dayParameter],
            to: line)
        guard zone == nil else { return }
        for j in lines.parameterIndices(first) {
            let parameter = lines.parameters[j]
            guard !parameter.isBare, NameKey.equals(lines.bytes(parameter.name), "TZID") else {
                continue
            }
            var text = TodoLine.keptPrefix + "TZID=" + lines.string(parameter.value)
            _ = text.withUTF8 {
                TodoLine.append(parameter: UnsafeRawBufferPointer($0), to: line)
            }
        }
    }

    private static let universal: Set = ["CREATED", "COMPLETED", "LAST-MODIFIED", "DTSTAMP"]

    /// Name and parameters of a date's line.
    static func head(_ name: String, _ moment: TodoMoment) -> String {
        if moment.isDay {
            return universal.contains(name)
                ? "\(name);\(ICalendarProperty.dayParameter)=DATE" : "\(name);VALUE=DATE"
        }
        guard let zone = moment.tzid, zone != "UTC" else { return name }
        var tzid = TodoDraft.Extra(name, "")
        tzid.addParameter("TZID", zone)
        return ([name] + tzid.parameters).joined(separator: ";")
    }

    /// The value of a date's line.
    static func value(_ moment: TodoMoment) -> String {
        moment.local.filter { $0 != "-" && $0 != ":" } + (moment.tzid == "UTC" ? "Z" : "")
    }

    /// Colon and value of a date's line.
    func value(_ moment: TodoMoment) -> String { ":" + LegacyComponent.value(moment) }

    /// Takes a list of dates, which 2.0 parts with commas; days and times on a line each.
    func dateList(_ name: String, _ first: ContentLine, _ lines: ContentLines) {
        let value = lines.bytes(first.value)
        let texts = value.split(whereSeparator: { $0 == 0x3B || $0 == 0x2C })
            .map { ICalendarText.trimmed(UnsafeRawBufferPointer(rebasing: $0)) }
            .filter { !$0.isEmpty }
        if texts.isEmpty {
            return note(.changed, "date-empty", name, value, "left out: it says no date")
        }
        let dates = texts.compactMap { ICalendarDate($0) }
        guard dates.count == texts.count else { return keep(first, lines) }
        if value.contains(0x3B) {
            note(
                .changed, "recurrence-spelling", "recurrence", value,
                "written as iCalendar 2.0 spells it")
        }
        let zone = zone(first, lines)
        let all = dates.map { moment($0, zone: zone) }
        // A list is of one kind, and a value in universal time is in no zone.
        for kind in [0, 1, 2] {
            let some = all.filter { ($0.isDay ? 0 : $0.tzid == "UTC" ? 1 : 2) == kind }
            guard let one = some.first else { continue }
            line.removeAll()
            line.append(LegacyComponent.head(name, one))
            line.append(0x3A)
            line.append(some.map { String(self.value($0).dropFirst()) }.joined(separator: ","))
            put()
        }
    }
}
