// The alarms of vCalendar 1.0, which are lines of the to-do, as the components of iCalendar 2.0:
//
//   DALARM:19960401T080000Z;PT5M;2;Wake up
//   name   when             snooze, repeat count, what to show, play or send
//
// A clock time without a zone has no place in 2.0, so it is said by its distance from a due date or
// start that is such a time as well.

/// Alarms of vCalendar 1.0.
enum LegacyAlarm {
    private static let names = ["DALARM", "AALARM", "PALARM", "MALARM"]

    /// True for the lines that are alarms.
    static func isAlarm(_ name: UnsafeRawBufferPointer) -> Bool {
        name.count == 6 && names.contains { NameKey.equals(name, $0) }
    }

    /// The times an alarm may be counted from.
    struct Times {
        /// When the to-do is due, or the event over.
        var end: ICalendarDate?
        /// When it starts.
        var start: ICalendarDate?
        /// An event's alarms count from its start.
        var isEvent = false
    }

    /// The component, lines ended by line feeds but the last; nil where the alarm is not fully
    /// understood.
    static func component(
        _ name: UnsafeRawBufferPointer, parameters: [String], value: UnsafeRawBufferPointer,
        _ times: Times
    ) -> String? {
        let parts = pieces(value)
        guard let first = parts.first, let trigger = trigger(first, times) else { return nil }
        func part(_ i: Int) -> String { i < parts.count ? parts[i] : "" }
        var lines: [String] = []
        let content = part(3)
        switch String(decoding: name, as: UTF8.self).uppercased() {
        case "DALARM":
            guard parts.count <= 4 else { return nil }
            lines = ["ACTION:DISPLAY", "DESCRIPTION:" + escaped(content.isEmpty ? none : content)]
        case "AALARM":
            let isInline = parameters.contains {
                let text = $0.uppercased()
                return text.contains("BASE64") || text.contains("CONTENT-ID")
                    || text.contains("CID")
            }
            guard parts.count <= 4, !isInline else { return nil }
            lines = ["ACTION:AUDIO"]
            if hasScheme(content) {
                lines.append("ATTACH:" + content)
            } else if !content.isEmpty {
                lines.append("X-RTOOL-SOUND:" + escaped(content))
            }
        case "MALARM":
            guard parts.count <= 5, content.contains("@"),
                !content.contains(where: { $0.isWhitespace || $0 == "\"" })
            else { return nil }
            let text = escaped(part(4).isEmpty ? none : part(4))
            lines = [
                "ACTION:EMAIL", "ATTENDEE:mailto:" + content, "SUMMARY:" + text,
                "DESCRIPTION:" + text,
            ]
        default: return nil
        }
        lines.append(trigger)
        if !part(2).isEmpty, part(2) != "0" {
            guard let count = Int(part(2)), (1...9999).contains(count),
                let pause = TodoDuration(part(1)), pause.days >= 0, pause.seconds >= 0
            else { return nil }
            lines += ["DURATION:" + part(1).uppercased(), "REPEAT:\(count)"]
        }
        return text(["BEGIN:VALARM"] + lines + ["END:VALARM"])
    }

    private static let none = "Reminder"

    private static func pieces(_ value: UnsafeRawBufferPointer) -> [String] {
        let scratch = RawVector<UInt8>(capacity: 64)
        defer { scratch.destroy() }
        var pieces = ValuePieces(value, separator: 0x3B)
        var parts: [String] = []
        while let piece = pieces.nextBytes() {
            scratch.removeAll()
            ValueText.unescape(piece, .legacy, into: scratch)
            let bytes = ICalendarText.trimmed(UnsafeRawBufferPointer(scratch.elements))
            parts.append(String(decoding: bytes, as: UTF8.self))
            if parts.count > 8 { break }
        }
        return parts
    }

    private static func trigger(_ text: String, _ times: Times) -> String? {
        guard let alarm = ICalendarDate(text: text), alarm.hasTime else { return nil }
        if alarm.isUTC { return "TRIGGER;VALUE=DATE-TIME:" + text.uppercased() }
        func distance(_ date: ICalendarDate?) -> String? {
            guard let date, date.hasTime, !date.isUTC else { return nil }
            return TodoDuration.text(alarm.localSeconds - date.localSeconds)
        }
        let atStart = distance(times.start).map { "TRIGGER:" + $0 }
        if times.isEvent, let atStart { return atStart }
        return distance(times.end).map { "TRIGGER;RELATED=END:" + $0 } ?? atStart
    }

    private static func hasScheme(_ text: String) -> Bool {
        guard let colon = text.firstIndex(of: ":") else { return false }
        let scheme = text[..<colon]
        return scheme.count > 1
            && scheme.utf8.allSatisfy { ($0 & 0xDF) &- 0x41 < 26 || $0 &- 0x30 < 10 || $0 == 0x2B }
            && !text.contains(where: { $0.isWhitespace })
    }

    private static func escaped(_ text: String) -> String { TodoDraft.Extra(text: "", text).value }

    /// The lines, folded.
    private static func text(_ lines: [String]) -> String {
        let out = RawVector<UInt8>(capacity: 256)
        defer { out.destroy() }
        for line in lines {
            var line = line
            line.withUTF8 { ContentLineWriter.fold(UnsafeRawBufferPointer($0), into: out) }
        }
        // A component is kept without carriage returns, and without the last line's end.
        var bytes = out.elements.filter { $0 != 13 }
        if bytes.last == 10 { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
    }
}
