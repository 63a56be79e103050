// One line of a vCalendar 1.0 as iCalendar 2.0 spells it: the version, the status with a space, lists
// with semicolons, text without escapes, parameters without names. What 2.0 has no line for is kept
// under a name of ours. What takes more than its own line is `LegacyComponent`'s.

enum LegacyLine {
    /// True for the line by which a calendar says that it is vCalendar 1.0.
    static func saysVersion1(_ line: ContentLine, _ lines: ContentLines) -> Bool {
        line.group.isEmpty && NameKey.equals(lines.bytes(line.name), "VERSION")
            && ICalendarText.trimmed(lines.bytes(line.value)).first == 0x31
    }

    /// Puts a line of the calendar itself, decoded, into `out`.
    static func append(
        calendar line: ContentLine, _ lines: ContentLines, _ out: RawVector<UInt8>,
        _ report: Report, _ source: String
    ) {
        let name = lines.string(line.name).uppercased()
        guard line.group.isEmpty else { return append(line, lines, out) }
        switch name {
        case "VERSION":
            out.removeAll()
            out.append("VERSION:2.0")
            report.note(
                .changed, "calendar-version", source: source,
                action: "a vCalendar 1.0 was written as iCalendar 2.0")
        case "TZ", "DAYLIGHT", "GEO":
            keep(line, lines, out)
            report.note(
                .changed, "line-kept", source: source, property: name,
                value: String(decoding: lines.bytes(line.value).prefix(80), as: UTF8.self),
                action:
                    "written as \(TodoLine.keptPrefix)\(name): a calendar of 2.0 has no such line")
        default: append(line, lines, out)
        }
    }

    /// Puts a line as it stands, under a name of ours, into `out`.
    static func keep(_ line: ContentLine, _ lines: ContentLines, _ out: RawVector<UInt8>) {
        out.removeAll()
        out.append(TodoLine.keptPrefix)
        out.append(lines.string(line.name).uppercased())
        LegacyParameters.append(line, lines, to: out)
        out.append(0x3A)
        appendAsIs(lines.bytes(line.value), to: out)
    }

    /// Puts a line, decoded, into `out`; it is unfolded and has no line end.
    /// - Parameter mendsName: whether a name that 2.0 cannot spell becomes one of ours.
    static func append(
        _ line: ContentLine, _ lines: ContentLines, _ out: RawVector<UInt8>,
        mendsName: Bool = false
    ) {
        out.removeAll()
        let value = lines.bytes(line.value)
        let name = lines.string(line.name).uppercased()
        if mendsName {
            ICalendarMending.append(kept: lines.bytes(line.name), to: out)
        } else {
            TodoLine.append(name: line, lines, to: out)
        }
        LegacyParameters.append(line, lines, to: out)
        out.append(0x3A)
        switch name {
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
        case "UID", "URL", "ATTACH":
            // These are no text: nothing in them is escaped.
            guard line.flags.contains(.decoded) else { return appendAsIs(value, to: out) }
            let text = RawVector<UInt8>(capacity: value.count + 16)
            defer { text.destroy() }
            ValueText.unescape(value, .legacy, quotedPrintable: true, into: text)
            appendAsIs(UnsafeRawBufferPointer(text.elements), to: out)
        case _ where line.flags.contains(.decoded), "SUMMARY", "DESCRIPTION", "LOCATION":
            let text = RawVector<UInt8>(capacity: value.count + 16)
            defer { text.destroy() }
            ValueText.unescape(
                value, .legacy, quotedPrintable: line.flags.contains(.quotedPrintable), into: text)
            TodoLine.escape(UnsafeRawBufferPointer(text.elements), to: out)
        case "GEO" where ICalendarMending.isPlace(value, separator: 0x2C):
            for c in value where c > 0x20 { out.append(c == 0x2C ? 0x3B : c) }
        default: appendAsIs(value, to: out)
        }
    }

    private static func appendAsIs(_ value: UnsafeRawBufferPointer, to out: RawVector<UInt8>) {
        TodoLine.append(value: value, to: out)
        // A backslash at the end would take up the next line.
        if TodoLine.endsInOpenEscape(value) { out.append(0x5C) }
    }
}
