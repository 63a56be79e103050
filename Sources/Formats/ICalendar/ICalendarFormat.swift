// iCalendar as a format of the registry.

extension Format {
    /// To-dos of iCalendar 2.0 and vCalendar 1.0.
    static let ical = Format(
        name: "ical", extensions: ["ics", "vcs", "ical", "icalendar", "ifb"],
        summary: "to-dos, iCalendar 2.0 (vCalendar 1.0 is read)", content: .tasks,
        detect: { ICalendarText.likelihood($0) },
        read: { (request) throws(FormatError) in
            ReadSource(
                reader: ICalendarTodoReader(
                    input: request.input, context: request.context,
                    isForStore: request.isForStore),
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

extension ICalendarText {
    /// How surely bytes are iCalendar, 0...100: a component begins among the first lines.
    static func likelihood(_ bytes: UnsafeRawBufferPointer) -> Int {
        let text = RawVector<UInt8>(capacity: 4096)
        defer { text.destroy() }
        // NULs are taken out, so that UTF-16 looks like ASCII.
        for c in bytes.prefix(8192) where c != 0 { text.append(c) }
        let words = ["VCALENDAR", "VTODO", "VEVENT", "VJOURNAL"]
        var start = 0
        let count = text.count
        while start < count {
            var end = start
            while end < count, text[end] != 10, text[end] != 13 { end += 1 }
            let line = trimmed(text.bytes(from: start, to: end))
            if NameKey.starts(line, with: "BEGIN:") {
                let name = trimmed(UnsafeRawBufferPointer(rebasing: line[6...]))
                if words.contains(where: { NameKey.equals(name, $0) }) { return 95 }
                if NameKey.starts(name, with: "V") { return 0 }
            }
            start = end + 1
        }
        return 0
    }
}
