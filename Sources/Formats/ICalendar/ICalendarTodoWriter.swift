// Rows of `TodoItem` as an iCalendar file: one calendar, each zone's definition before the first
// to-do that uses it.

/// Writes batches of `TodoItem` (or a class like it) as an iCalendar 2.0 file.
public final class ICalendarTodoWriter: RecordWriter {
    private let sink: ByteSink
    private let context: ExchangeContext
    private let writer: TodoLineWriter
    private var isBegun = false
    private var record = 0
    /// The definitions written, by TZID.
    private var written: [String: String] = [:]
    private var lastDefinition: [UInt8] = []

    /// A writer to a sink; `schema` is that of the batches.
    public init(sink: ByteSink, schema: Schema, context: ExchangeContext) {
        self.sink = sink
        self.context = context
        writer = TodoLineWriter(context: context)
    }

    private func begin() {
        guard !isBegun else { return }
        isBegun = true
        sink.buffer.append("BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//rtool//rtool//EN\r\n")
    }

    /// Writes the rows of a batch.
    public func write(_ batch: RecordBatch) throws(FormatError) {
        begin()
        let rows = TodoRows(batch)
        writer.isConverted = batch.isConverted
        for row in 0..<rows.count {
            record += 1
            writeZones(rows, row)
            writer.write(rows, row, record: record, to: sink.buffer)
            context.report.written += 1
            try sink.flushIfFull()
        }
    }

    /// Ends the calendar and the output.
    public func finish() throws(FormatError) {
        begin()
        sink.buffer.append("END:VCALENDAR\r\n")
        try sink.finish()
    }

    // MARK: Zones

    private static let dates: [TodoField] = [
        .completed, .created, .modified, .stamp, .recurrenceID, .start, .due,
    ]

    private func writeZones(_ rows: TodoRows, _ row: Int) {
        for i in rows.range(.timeZones, row) {
            let text = rows.element(.timeZones, i)
            if lastDefinition.elementsEqual(text) { continue }
            writeDefinition(text)
            lastDefinition = Array(text)
        }
        for field in ICalendarTodoWriter.dates {
            guard let date = rows.date(field, row), let tzid = date.text(.tzid), !tzid.isEmpty,
                !tzid.elementsEqual("UTC".utf8), let local = date.text(.local),
                local.contains(0x54)
            else { continue }
            let year = ICalendarTodoWriter.year(local)
            if lastZone.elementsEqual(tzid), lastYears.contains(year) { continue }
            define(String(decoding: tzid, as: UTF8.self), date.string(.zone), year)
            lastZone = Array(tzid)
        }
        // Lines of recurrence and kept ones name zones as well.
        for i in rows.range(.recurrence, row) {
            let text = rows.element(.recurrence, i)
            guard text.count > 12, text[6] == 0x3B || text[5] == 0x3B else { continue }
            defineZone(of: text)
        }
        for i in rows.range(.extras, row) {
            var isNamed = false
            rows.item(.extras, i)?.forEachParameter {
                // Of several zones the first one counts.
                if !isNamed, $0.count > 5, $0[4] == 0x3D, NameKey.starts($0, with: "TZID=") {
                    isNamed = true
                    defineZone(UnsafeRawBufferPointer(rebasing: $0[5...]))
                }
            }
        }
    }

    private var lastZone: [UInt8] = []
    private var lastYears = 1...0x7FFF
    /// The years that the definitions of our own tell of.
    private var years: [String: ClosedRange<Int>] = [:]

    /// The year of a local date.
    private static func year(_ local: UnsafeRawBufferPointer) -> Int {
        local.prefix(4).reduce(0) { $0 * 10 + Int($1 &- 0x30) % 10 }
    }

    /// Writes the definition of a zone unless there is one.
    private func define(_ name: String, _ zone: String?, _ year: Int) {
        if written[name] == nil { writeGenerated(name, zone ?? name, year) }
        lastYears = years[name] ?? 1...0x7FFF
        if !lastYears.contains(year) {
            context.report.note(
                .guessed, "zone-years", record: record, property: "VTIMEZONE", value: name,
                action:
                    "the definition, made for the dates before this one, does not tell of its year"
            )
        }
    }

    /// Looks at the zone that a line of recurrence names.
    private func defineZone(of line: UnsafeRawBufferPointer) {
        var i = 0
        var isQuoted = false
        var start = -1
        while i < line.count {
            let c = line[i]
            if c == 0x22 { isQuoted.toggle() }
            if !isQuoted, c == 0x3A || c == 0x3B {
                if start >= 0 {
                    return defineZone(UnsafeRawBufferPointer(rebasing: line[start..<i]))
                }
                if c == 0x3A { return }
                let rest = UnsafeRawBufferPointer(rebasing: line[(i + 1)...])
                if NameKey.starts(rest, with: "TZID=") { start = i + 6 }
            }
            i += 1
        }
    }

    /// Looks at a zone by its name as it stands in a parameter.
    private func defineZone(_ value: UnsafeRawBufferPointer) {
        let out = RawVector<UInt8>(capacity: 64)
        defer { out.destroy() }
        ParameterText.decode(value, into: out)
        let name = String(decoding: out.elements, as: UTF8.self)
        guard !name.isEmpty, name != "UTC", written[name] == nil else { return }
        define(name, ZoneNames.resolve(name), 2000)
        lastZone = []
    }

    private func writeDefinition(_ text: UnsafeRawBufferPointer) {
        guard ICalendarComponent.isWhole(text),
            let identifier = ICalendarComponent.value(of: "TZID", in: text)
        else {
            return context.report.note(
                .lost, "component-broken", record: record,
                property: "timeZones", value: String(decoding: text.prefix(80), as: UTF8.self),
                action: "left out: it is no whole VTIMEZONE")
        }
        let whole = String(decoding: text, as: UTF8.self)
        if let known = written[identifier] {
            if known != whole {
                context.report.note(
                    .changed, "zone-conflict", record: record,
                    property: "VTIMEZONE", value: identifier,
                    action: "the definition met first serves all to-dos of the calendar")
            }
            return
        }
        written[identifier] = whole
        ICalendarComponent.appendLines(text, to: sink.buffer)
    }

    private func writeGenerated(_ name: String, _ iana: String, _ year: Int) {
        guard let zone = context.zoneLibrary.zone(named: iana) else {
            written[name] = ""
            return context.report.note(
                .guessed, "zone-undefined", record: record,
                property: "VTIMEZONE", value: name,
                action: "no definition could be written for this zone")
        }
        let span = ICalendarZoneWriter.reach(year)
        let text = ICalendarZoneWriter.definition(of: zone, named: name, years: span)
        // What goes on by a rule, or does not change any more, has no end.
        let end = Int64(CivilDate(year: span.upperBound, month: 1, day: 1).daysSince1970) * 86_400
        let isOpen =
            zone.rule?.daylight == nil
            ? zone.transitions.last.map { $0.at < end } ?? true : text.contains("RRULE:")
        years[name] = span.lowerBound...(isOpen ? 0x7FFF : span.upperBound)
        written[name] = text
        text.utf8.withContiguousStorageIfAvailable {
            ICalendarComponent.appendLines(UnsafeRawBufferPointer($0), to: sink.buffer)
        }
    }
}
