// What must be said of the lines of a calendar that are passed on as they are: dates of a to-do that
// do not go together, rules without a start; and the zones that are named, of which each calendar
// wants a definition (RFC 5545, 3.2.19).

/// Looks at the lines of a calendar that matter beyond themselves.
final class ICalendarWatch {
    private let text: ICalendarText
    private let context: ExchangeContext
    /// Start and due date of the to-do that is open.
    private var start: (date: ICalendarDate, zone: [UInt8])?
    private var due: (date: ICalendarDate, zone: [UInt8])?
    private var rule: String?
    /// False while the to-do that is open has said nothing to look at.
    private var hasTaken = false
    /// The zones that lines of the calendar name, in their order.
    private var named: [String] = []
    private var known: Set<String> = []
    private var lastZone: [UInt8] = []
    /// The years that dates in zones are of, and those that definitions always tell of.
    private var years = ICalendarZoneWriter.usualYears
    /// The zones that the calendar defines.
    private var defined: Set<String> = []

    init(text: ICalendarText, context: ExchangeContext) {
        self.text = text
        self.context = context
    }

    // MARK: To-dos

    /// A to-do begins.
    func beginTodo() {
        guard hasTaken else { return }
        hasTaken = false
        start = nil
        due = nil
        rule = nil
    }

    /// Takes a line of a to-do that is about a property.
    func take(_ property: ICalendarProperty, _ line: ContentLine, _ lines: ContentLines) {
        hasTaken = true
        switch property {
        case .start where start == nil: start = date(line, lines)
        case .due where due == nil: due = date(line, lines)
        case .recurrence where rule == nil:
            rule = String(decoding: lines.bytes(line.value).prefix(80), as: UTF8.self)
        default: break
        }
    }

    private func date(_ line: ContentLine, _ lines: ContentLines) -> (ICalendarDate, [UInt8])? {
        guard var date = ICalendarDate(lines.bytes(line.value)) else { return nil }
        var zone: [UInt8] = []
        for j in lines.parameterIndices(line) {
            let parameter = lines.parameters[j]
            if parameter.key == NameKey.tzid {
                zone = Array(lines.bytes(parameter.value))
            } else if parameter.key == NameKey.value,
                NameKey.equals(lines.bytes(parameter.value), "DATE")
            {
                date.hasTime = false
            }
        }
        return (date, zone)
    }

    /// A to-do ends: dates that do not go together are kept, and said (T5).
    func endTodo() {
        guard hasTaken else { return }
        if let rule, start == nil {
            note(
                .guessed, "recurrence-without-start", "recurrence", rule,
                "kept without a start; strict programs may ignore the rule")
        }
        guard let start, let due else { return }
        if start.date.hasTime != due.date.hasTime {
            note(
                .guessed, "due-start-types-differ", "DUE", nil,
                "kept: one is a whole day, the other has a time")
        } else if isFloating(start) != isFloating(due) {
            note(
                .guessed, "due-start-types-differ", "DUE", nil,
                "kept: one is a time without a zone, the other a moment")
        } else if start.zone == due.zone, start.date.isUTC == due.date.isUTC,
            due.date.localSeconds < start.date.localSeconds
        {
            note(
                .guessed, "due-before-start", "DUE", nil, "kept: both dates stay as they are")
        }
    }

    /// True for a clock time that is the same everywhere.
    private func isFloating(_ moment: (date: ICalendarDate, zone: [UInt8])) -> Bool {
        moment.date.hasTime && !moment.date.isUTC && moment.zone.isEmpty
    }

    private func note(
        _ kind: Report.ItemClass, _ code: String, _ property: String, _ value: String?,
        _ action: String
    ) {
        context.report.note(
            kind, code, source: text.name, record: context.report.read, property: property,
            value: value, action: action)
    }

    // MARK: Zones

    /// A calendar begins.
    func beginCalendar() {
        named.removeAll()
        known.removeAll()
        lastZone.removeAll()
        defined.removeAll()
        years = ICalendarZoneWriter.usualYears
    }

    /// Takes a line that has parameters.
    func takeZone(_ line: ContentLine, _ lines: ContentLines) {
        // What is kept under a name of ours is in no zone.
        if NameKey.starts(lines.bytes(line.name), with: TodoLine.keptPrefix) { return }
        for j in lines.parameterIndices(line) {
            let parameter = lines.parameters[j]
            guard parameter.key == NameKey.tzid, !parameter.isBare else { continue }
            let value = lines.bytes(parameter.value)
            takeYear(lines.bytes(line.value))
            if lastZone.elementsEqual(value) { return }
            lastZone = Array(value)
            let name = decoded(value)
            // A hostile file may name as many zones as it likes.
            guard !name.isEmpty, name != "UTC", known.count < 10_000 else { return }
            if known.insert(name).inserted { named.append(name) }
            return
        }
    }

    /// Takes the year of a date in a zone, which its definition must tell of.
    private func takeYear(_ date: UnsafeRawBufferPointer) {
        guard date.count >= 8, date.prefix(8).allSatisfy({ $0 &- 0x30 < 10 }) else { return }
        let year = date.prefix(4).reduce(0) { $0 * 10 + Int($1 &- 0x30) }
        if years.contains(year) { return }
        let reach = ICalendarZoneWriter.reach(year)
        years =
            min(years.lowerBound, reach.lowerBound)...max(years.upperBound, reach.upperBound)
    }

    /// Takes the name of a zone that is defined.
    func define(_ name: UnsafeRawBufferPointer) {
        let out = RawVector<UInt8>(capacity: 64)
        defer { out.destroy() }
        ValueText.unescape(ICalendarText.trimmed(name), .iCalendar, into: out)
        if defined.count < 10_000 {
            defined.insert(String(decoding: out.elements, as: UTF8.self))
        }
    }

    /// Appends definitions of the zones that were named and not defined, as far as they are known.
    func appendZones(_ zones: ICalendarZones, calendar: Int, to out: RawVector<UInt8>) {
        for name in named where !defined.contains(ICalendarWatch.trimmed(name)) {
            let entry = Array(name.utf8).withUnsafeBytes {
                zones.entry(for: $0, calendar: calendar)
            }
            let made = entry.zone.flatMap { context.zoneLibrary.zone(named: $0) }
                .map { ICalendarZoneWriter.definition(of: $0, named: name, years: years) }
            guard let definition = entry.definition ?? made else { continue }
            context.report.note(
                .changed, "zone-defined", source: text.name, property: "VTIMEZONE", value: name,
                action: "a definition was added: lines name the zone and none was there")
            Array(definition.utf8).withUnsafeBytes {
                ICalendarComponent.appendLines($0, to: out)
            }
        }
        named.removeAll()
    }

    private static func trimmed(_ name: String) -> String {
        Array(name.utf8).withUnsafeBytes {
            String(decoding: ICalendarText.trimmed($0), as: UTF8.self)
        }
    }

    /// A zone was defined by name.
    func define(_ name: String) { defined.insert(ICalendarWatch.trimmed(name)) }

    /// The name as it will be written.
    private func decoded(_ value: UnsafeRawBufferPointer) -> String {
        let out = RawVector<UInt8>(capacity: 64)
        defer { out.destroy() }
        if UTF8Check.isValid(value) {
            ParameterText.decode(value, into: out)
        } else {
            let whole = RawVector<UInt8>(capacity: value.count * 2)
            defer { whole.destroy() }
            ICalendarText.charset(of: value).decode(value, into: whole)
            ParameterText.decode(UnsafeRawBufferPointer(whole.elements), into: out)
        }
        for i in 0..<out.count where out[i] < 0x20 && out[i] != 9 { out.base[i] = 0x20 }
        return String(decoding: out.elements, as: UTF8.self)
    }
}
