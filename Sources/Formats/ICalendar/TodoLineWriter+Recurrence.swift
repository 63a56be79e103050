// Lines of recurrence beside a start that was made a day, or a time, because the due date is one:
// excluded and further dates and the ends of rules are of the kind of the start, or they would mean
// nothing (RFC 5545, 3.3.10, 3.8.5).

extension TodoLineWriter {
    /// A line of recurrence that fits the start as it is written; nil where it does already, or
    /// cannot be made so.
    func repaired(_ text: UnsafeRawBufferPointer, _ rows: TodoRows) -> String? {
        guard repairedStart != .none, let start = moment(.start, rows) else { return nil }
        let line = String(decoding: text, as: UTF8.self)
        let zone = start.tzid == "UTC" ? "UTC" : start.zone ?? start.tzid
        var new = TodoMoment(local: start.day)
        if repairedStart == .dateTime {
            new.local += "T00:00:00"
            if let due = moment(.due, rows), due.tzid != "UTC" {
                new.tzid = due.tzid
                new.zone = due.zone
            }
        }
        let fixed =
            line.uppercased().hasPrefix("RRULE") || line.uppercased().hasPrefix("EXRULE")
            ? TodoRecurrence.aligned(
                line, to: new, context.zoneLibrary, floating: zone ?? context.options.zone)
            : dates(line, new, zone)
        guard let fixed, fixed != line else { return nil }
        note(
            .changed, "recurrence-form", "recurrence", String(line.prefix(80)),
            "made to fit the start, which is written as another kind of date")
        return fixed
    }

    private func moment(_ field: TodoField, _ rows: TodoRows) -> TodoMoment? {
        guard let date = rows.date(field, row), let local = date.string(.local) else { return nil }
        return TodoMoment(local: local, tzid: date.string(.tzid), zone: date.string(.zone))
    }

    /// A list of dates, each of the kind of the start; nil for what is no such list.
    private func dates(_ line: String, _ start: TodoMoment, _ zone: String?) -> String? {
        guard let colon = line.lastIndex(of: ":") else { return nil }
        let name = line.prefix { $0 != ";" && $0 != ":" }
        var list = TodoDraft.Extra(String(name), "")
        list.parameters = line[name.endIndex..<colon].split(separator: ";").map(String.init)
        let own = list.parameter("TZID")
        var moments: [TodoMoment] = []
        for text in line[line.index(after: colon)...].split(separator: ",") {
            guard let date = ICalendarDate(text: text) else { return nil }
            let out = RawVector<UInt8>(capacity: 24)
            defer { out.destroy() }
            date.write(local: out)
            var moment = TodoMoment(local: String(decoding: out.elements, as: UTF8.self))
            if start.isDay, date.hasTime {
                if date.isUTC { moment.tzid = "UTC" } else if let own { _ = moment.stand(in: own) }
                if let zone { moment = moment.moved(to: zone, context.zoneLibrary) }
                moment = TodoMoment(local: moment.day)
            } else if !start.isDay {
                guard !date.hasTime else { return nil }
                moment = TodoMoment(
                    local: moment.day + "T00:00:00", tzid: start.tzid, zone: start.zone)
            }
            moments.append(moment)
        }
        guard !moments.isEmpty else { return nil }
        list.parameters.removeAll {
            $0.uppercased().hasPrefix("TZID=") || $0.uppercased().hasPrefix("VALUE=")
        }
        let values = moments.map { $0.local.filter { $0 != "-" && $0 != ":" } }
        return ([LegacyComponent.head(String(name), moments[0])] + list.parameters)
            .joined(separator: ";") + ":" + values.joined(separator: ",")
    }
}
