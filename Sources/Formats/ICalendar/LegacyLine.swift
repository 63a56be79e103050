// One line of a vCalendar 1.0 as iCalendar 2.0 spells it: the version, the status with a space, the
// rules of recurrence, lists with semicolons, text without escapes. All other lines are kept. What
// takes more than its own line is `LegacyComponent`'s.

enum LegacyLine {
    /// True for the line by which a calendar says that it is vCalendar 1.0.
    static func saysVersion1(_ line: ContentLine, _ lines: ContentLines) -> Bool {
        NameKey.equals(lines.bytes(line.name), "VERSION")
            && ICalendarText.trimmed(lines.bytes(line.value)).first == 0x31
    }

    /// Puts a line, decoded, into `out`; it is unfolded and has no line end.
    static func append(
        _ line: ContentLine, _ lines: ContentLines, _ out: RawVector<UInt8>, _ report: Report,
        _ source: String
    ) {
        out.removeAll()
        let value = lines.bytes(line.value)
        let name = lines.string(line.name).uppercased()
        TodoLine.append(head: line, lines, name: name == "DCREATED" ? "CREATED" : nil, to: out)
        out.append(0x3A)
        switch name {
        case "VERSION":
            out.append("2.0")
            report.note(
                .changed, "calendar-version", source: source,
                action: "a vCalendar 1.0 was written as iCalendar 2.0")
        case "STATUS" where NameKey.equals(value, TodoIdentity.legacyOpen):
            out.append("NEEDS-ACTION")
        case "TRANSP" where value.count == 1 && value[0] &- 0x30 < 2:
            out.append(value[0] == 0x30 ? "OPAQUE" : "TRANSPARENT")
        case "CATEGORIES", "RESOURCES":
            var isFirst = true
            let piece = RawVector<UInt8>(capacity: 64)
            defer { piece.destroy() }
            TodoLine.forEachCategory(value, .legacy, piece) { text in
                if !isFirst { out.append(0x2C) }
                isFirst = false
                TodoLine.escape(text, to: out)
            }
        case "SUMMARY", "DESCRIPTION", "LOCATION":
            let text = RawVector<UInt8>(capacity: value.count + 16)
            defer { text.destroy() }
            ValueText.unescape(value, .legacy, into: text)
            TodoLine.escape(UnsafeRawBufferPointer(text.elements), to: out)
        case "RRULE", "EXRULE", "RDATE", "EXDATE":
            TodoLine.append(value: value, to: out)
            if TodoLine.isOneLine(value),
                let modern = LegacyRecurrence.line(UnsafeRawBufferPointer(out.elements))
            {
                out.removeAll()
                out.append(modern)
            }
        default:
            TodoLine.append(value: value, to: out)
            // A backslash at the end would take up the next line.
            if TodoLine.endsInOpenEscape(value) { out.append(0x5C) }
        }
    }
}
