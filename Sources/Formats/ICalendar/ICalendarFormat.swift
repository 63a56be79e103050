// iCalendar as a format of the registry.

extension Format {
    /// To-dos of iCalendar (RFC 5545) and vCalendar 1.0.
    static let ical = Format(
        name: "ical", extensions: ["ics", "ical", "ifb", "vcs"],
        summary: "to-dos of iCalendar and vCalendar 1.0", content: .tasks,
        detect: { bytes in ICalendarFormat.likelihood(bytes) },
        read: { (request) throws(FormatError) in
            ReadSource(
                reader: ICalendarTodoReader(input: request.input, context: request.context),
                content: .tasks)
        },
        write: { (request) throws(FormatError) in
            ICalendarTodoWriter(
                sink: request.sink, schema: request.schema, context: request.context)
        },
        convertLines: { (input, sink, context) throws(FormatError) in
            try ICalendarConverter(input: input, context: context).convert(to: sink)
        })
}

private enum ICalendarFormat {
    /// How sure it is that bytes are iCalendar: by a BEGIN line of a calendar or a to-do.
    static func likelihood(_ bytes: UnsafeRawBufferPointer) -> Int {
        let head = String(decoding: bytes.prefix(4096), as: UTF8.self).uppercased()
        if head.contains("BEGIN:VCALENDAR") { return 90 }
        return head.contains("BEGIN:VTODO") ? 80 : 0
    }
}
