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
                !tzid.elementsEqual("UTC".utf8), date.text(.local)?.contains(0x54) == true
            else { continue }
            if lastZone.elementsEqual(tzid) { continue }
            lastZone = Array(tzid)
            let name = String(decoding: tzid, as: UTF8.self)
            if written[name] != nil { continue }
            writeGenerated(name, date.string(.zone) ?? name)
        }
    }

    private var lastZone: [UInt8] = []

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

    private func writeGenerated(_ name: String, _ iana: String) {
        guard let zone = context.zoneLibrary.zone(named: iana) else {
            written[name] = ""
            return context.report.note(
                .guessed, "zone-undefined", record: record,
                property: "VTIMEZONE", value: name,
                action: "no definition could be written for this zone")
        }
        let text = ICalendarZoneWriter.definition(of: zone, named: name)
        written[name] = text
        text.utf8.withContiguousStorageIfAvailable {
            ICalendarComponent.appendLines(UnsafeRawBufferPointer($0), to: sink.buffer)
        }
    }
}
