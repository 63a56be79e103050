// The zones that lines of a file name with TZID: what IANA zone is meant, and the definition
// (VTIMEZONE) the file itself gives, verbatim. Definitions may stand behind the to-dos that use
// them, so the file is searched for them once, when the first TZID is met.

/// Looks up the zones of one file.
final class ICalendarZones {
    /// What is known of a TZID.
    final class Entry {
        /// The IANA zone meant; nil when none could be found.
        let zone: String?
        /// The definition in the file, lines separated by LF; nil without one.
        let definition: String?
        init(zone: String?, definition: String?) {
            self.zone = zone
            self.definition = definition
        }
    }

    private struct Definition {
        var identifier: String
        var location: String?
        var calendar: Int
        var text: String
    }

    private struct Key: Hashable {
        var identifier: String
        var calendar: Int
    }

    private let text: ICalendarText
    private let context: ExchangeContext
    private lazy var definitions: [Definition] = findDefinitions()
    private var entries: [Key: Entry] = [:]
    private var last: (bytes: [UInt8], calendar: Int, entry: Entry)?

    init(text: ICalendarText, context: ExchangeContext) {
        self.text = text
        self.context = context
    }

    /// What is known of a TZID that a line of the n-th calendar has.
    func entry(for identifier: UnsafeRawBufferPointer, calendar: Int) -> Entry {
        if let last, last.calendar == calendar, last.bytes.elementsEqual(identifier) {
            return last.entry
        }
        let key = Key(
            identifier: String(decoding: identifier, as: UTF8.self), calendar: calendar)
        let entry: Entry
        if let known = entries[key] {
            entry = known
        } else {
            entry = find(key)
            // A hostile file may name as many zones as it likes.
            if entries.count < 10_000 { entries[key] = entry }
        }
        last = (Array(identifier), calendar, entry)
        return entry
    }

    private func find(_ key: Key) -> Entry {
        let named = definitions.filter { $0.identifier == key.identifier }
        let definition = named.first { $0.calendar == key.calendar } ?? named.first
        let zone =
            ZoneNames.resolve(key.identifier)
            ?? definition?.location.flatMap { ZoneNames.resolve($0) }
        if zone == nil {
            context.report.note(
                .guessed, definition == nil ? "zone-unresolved" : "zone-by-definition",
                source: text.name, value: key.identifier,
                action: definition == nil
                    ? "no such zone is known and the file does not define it: the clock times "
                        + "stay as they are, without a zone"
                    : "no such zone is known; the definition in the file is kept and used")
        } else if zone != key.identifier {
            context.report.note(
                .guessed, "zone-name", source: text.name, value: key.identifier,
                action: "taken to mean \(zone ?? "")")
        }
        return Entry(zone: zone, definition: definition?.text)
    }

    // MARK: Definitions

    /// All VTIMEZONEs of the file, with the number of the calendar each stands in.
    private func findDefinitions() -> [Definition] {
        var found: [Definition] = []
        var calendar = 0
        var calendarAt = nextBegin("VCALENDAR", from: 0)
        var at = nextBegin("VTIMEZONE", from: 0)
        while let start = at, found.count < 10_000 {
            while let place = calendarAt, place < start {
                calendar += 1
                calendarAt = nextBegin("VCALENDAR", from: place + 7)
            }
            let end = ICalendarComponent.end(of: text.bytes, from: start)
            if let definition = definition(start, end, calendar) { found.append(definition) }
            at = nextBegin("VTIMEZONE", from: max(end, start + 7))
        }
        return found
    }

    /// The next `BEGIN:name` (a name that begins with `V`) at the start of a line.
    private func nextBegin(_ name: StaticString, from: Int) -> Int? {
        let bytes = text.bytes
        guard let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else {
            return nil
        }
        // Two letters behind the V tell most components apart.
        let (second, third) = (name.utf8Start[1], name.utf8Start[2])
        var from = from
        while from < bytes.count,
            let hit = firstIndex(of: 0x56, in: start + from, count: bytes.count - from)
        {
            let at = from + hit
            from = at + 1
            guard at >= 6, bytes.count - at >= name.utf8CodeUnitCount,
                start[at + 1] & 0xDF == second, start[at + 2] & 0xDF == third
            else { continue }
            let isStart =
                at == 6 || bytes[at - 7] == 10 || bytes[at - 7] == 13
                || bytes[at - 7] == 0xBF
            let word = UnsafeRawBufferPointer(rebasing: bytes[(at - 6)..<at])
            let rest = UnsafeRawBufferPointer(rebasing: bytes[at...])
            if isStart, NameKey.equals(word, "BEGIN:"),
                NameKey.starts(rest, with: name.description)
            {
                return at - 6
            }
        }
        return nil
    }

    private func definition(_ start: Int, _ end: Int, _ calendar: Int) -> Definition? {
        let bytes = UnsafeRawBufferPointer(rebasing: text.bytes[start..<end])
        guard bytes.count <= 1 << 20 else { return nil }
        guard let identifier = ICalendarComponent.value(of: "TZID", in: bytes) else { return nil }
        let kept = RawVector<UInt8>(capacity: bytes.count)
        defer { kept.destroy() }
        ICalendarComponent.appendVerbatim(bytes, to: kept)
        let verbatim = UnsafeRawBufferPointer(kept.elements)
        return Definition(
            identifier: identifier,
            location: ICalendarComponent.value(of: "X-LIC-LOCATION", in: bytes),
            calendar: calendar,
            text: UTF8Check.isValid(verbatim)
                ? String(decoding: verbatim, as: UTF8.self) : Charset.windows1252.string(verbatim))
    }
}

/// Whole components as text.
enum ICalendarComponent {
    /// Where the component that begins at `start` ends, its END line included; where the bytes
    /// end, or a to-do or calendar does, when there is no END.
    static func end(of bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        var scanner = ContentLineScanner(bytes, from: start)
        let lines = ContentLines()
        var depth = 0
        while true {
            let place = scanner.position
            scanner.bound = min(scanner.end, place + (1 << 20))
            lines.begin(at: scanner.pointer(at: place), offset: place)
            guard scanner.next(into: lines) else { return scanner.position }
            let line = lines[0]
            guard line.flags.rawValue & 0x180 != 0 else { continue }
            let name = ICalendarText.trimmed(lines.bytes(line.value))
            if NameKey.equals(name, "VCALENDAR") || NameKey.equals(name, "VTODO") {
                return place + Int(line.raw.place)
            }
            depth += line.flags.contains(.begin) ? 1 : -1
            if depth <= 0 { return scanner.position }
        }
    }

    /// The text of the first line of a name directly inside a component.
    static func value(of name: String, in component: UnsafeRawBufferPointer) -> String? {
        var scanner = ContentLineScanner(component)
        let lines = ContentLines()
        var depth = 0
        while true {
            lines.begin(at: scanner.pointer(at: 0))
            guard scanner.next(into: lines) else { return nil }
            let line = lines[0]
            if line.flags.contains(.begin) { depth += 1 }
            if line.flags.contains(.end) { depth -= 1 }
            guard depth == 1, NameKey.equals(lines.bytes(line.name), name) else { continue }
            let out = RawVector<UInt8>(capacity: 64)
            defer { out.destroy() }
            let value = ICalendarText.trimmed(lines.bytes(line.value))
            ValueText.unescape(value, .iCalendar, into: out)
            return String(decoding: out.elements, as: UTF8.self)
        }
    }

    /// Appends a component's text as it is, with LF between the lines and none at the end.
    static func appendVerbatim(_ bytes: UnsafeRawBufferPointer, to out: RawVector<UInt8>) {
        let start = out.count
        for i in 0..<bytes.count {
            var c = bytes[i]
            if c == 13 {
                if i + 1 < bytes.count, bytes[i + 1] == 10 { continue }
                c = 10
            }
            // Empty lines are dropped, as they are between any other lines.
            if c == 10, out.count == start || out[out.count - 1] == 10 { continue }
            out.append(c)
        }
        while out.count > start, out[out.count - 1] == 10 { out.truncate(to: out.count - 1) }
    }
}
