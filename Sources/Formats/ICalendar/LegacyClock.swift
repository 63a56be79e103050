// The clock of a vCalendar 1.0: TZ says how far it is ahead of universal time, DAYLIGHT when it is set
// forward. Only times that iCalendar wants in universal time need it; dates stay on the clock.

/// The zone of the calendars of a file, as the last one said it.
final class LegacyClock {
    private var calendar = -1
    private var standard: Int64?
    private var daylight: [(offset: Int64, start: Int64, end: Int64)] = []

    /// True for the lines that tell of it.
    static func isAbout(_ name: UnsafeRawBufferPointer) -> Bool {
        NameKey.equals(name, "TZ") || NameKey.equals(name, "DAYLIGHT")
    }

    /// Takes a line of a calendar.
    func take(_ line: ContentLine, _ lines: ContentLines, calendar: Int) {
        guard LegacyClock.isAbout(lines.bytes(line.name)) else { return }
        if calendar != self.calendar {
            self.calendar = calendar
            standard = nil
            daylight = []
        }
        let text = String(decoding: lines.bytes(line.value).prefix(200), as: UTF8.self)
        if lines.bytes(line.name).count == 2 {
            standard = LegacyClock.offset(text[...])
            return
        }
        let parts = text.split(separator: ";", omittingEmptySubsequences: false)
        guard parts.count >= 4, parts[0].uppercased() == "TRUE", daylight.count < 200,
            let offset = LegacyClock.offset(parts[1]),
            let start = LegacyClock.seconds(parts[2]), let end = LegacyClock.seconds(parts[3])
        else { return }
        daylight.append((offset, start, end))
    }

    /// The instant of a clock time, in seconds since 1970; nil where the calendar does not tell.
    func instant(_ local: Int64, calendar: Int) -> Int64? {
        guard calendar == self.calendar, let standard else { return nil }
        let summer = daylight.first { $0.start <= local && local < $0.end }
        return local - (summer?.offset ?? standard)
    }

    /// `-05`, `+0530`, `-05:30` in seconds.
    private static func offset(_ text: Substring) -> Int64? {
        let text = text.filter { !$0.isWhitespace && $0 != ":" }
        guard let sign = text.first else { return nil }
        let digits = sign == "-" || sign == "+" ? text.dropFirst() : text[...]
        guard digits.count == 2 || digits.count == 4, digits.allSatisfy({ $0.isASCII }),
            let hours = Int64(digits.prefix(2)), let minutes = Int64("0" + digits.dropFirst(2)),
            hours < 15, minutes < 60
        else { return nil }
        return (sign == "-" ? -1 : 1) * (hours * 3600 + minutes * 60)
    }

    private static func seconds(_ text: Substring) -> Int64? {
        ICalendarDate(text: String(text).filter { !$0.isWhitespace })?.localSeconds
    }
}
