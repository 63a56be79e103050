// Finds the to-dos in iCalendar and vCalendar files, one at a time, as content lines. Calendars,
// other components and whatever stands between are walked over; what is not handed on is named in
// the report. Tolerant: bare to-dos, several calendars, missing ENDs.

/// Reads the to-dos of a file, component by component.
final class ICalendarReader {
    /// The lines of the to-do read last, without BEGIN and END; a component inside it is one
    /// line with the flag `nested`.
    let lines = ContentLines()
    /// The number of to-dos read so far.
    @exclusivity(unchecked) private(set) var record = 0
    /// The to-do's bytes in the source, BEGIN and END included.
    @exclusivity(unchecked) private(set) var source = 0..<0
    /// These bytes.
    var sourceBytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: text.bytes[source])
    }
    /// The zones the file itself defines.
    let zones: ICalendarZones
    /// Calendars begun so far; tells which zone definitions are near.
    @exclusivity(unchecked) private(set) var calendar = 0

    private let context: ExchangeContext
    private let text: ICalendarText
    private let head = ContentLines()
    @exclusivity(unchecked) private var scanner: ContentLineScanner
    @exclusivity(unchecked) private var dialect = ContentDialect.iCalendar
    @exclusivity(unchecked) private var isInCalendar = false
    private var namesNoted = 0
    /// To-dos of vCalendar 1.0 in the spelling of 2.0, which their lines are taken from.
    private let modern = RawVector<UInt8>(capacity: 4096)
    private lazy var legacy = LegacyComponent.File(
        context: context, source: text.name, zones: zones)

    /// No single to-do may be larger.
    static let limit = 64 << 20

    /// A reader of an input.
    convenience init(input: InputBytes, context: ExchangeContext) {
        self.init(text: ICalendarText(input: input, context: context), context: context)
    }

    private init(text: ICalendarText, context: ExchangeContext) {
        self.context = context
        self.text = text
        scanner = ContentLineScanner(text.bytes)
        zones = ICalendarZones(text: text, context: context)
    }

    deinit { modern.destroy() }

    /// The file's name, for messages.
    var name: String { text.name }

    /// The line number of an offset, for messages.
    func lineNumber(at offset: Int) -> Int { text.lineNumber(at: offset) }

    /// Reads the next to-do into `lines`.
    /// - Returns: false at the end.
    func next() -> Bool {
        while true {
            text.release(before: scanner.position)
            guard let line = nextHeadLine() else {
                if isInCalendar { noteMissingEnd("VCALENDAR") }
                isInCalendar = false
                return false
            }
            let start = head.offset + Int(line.raw.place)
            if line.flags.contains(.begin) {
                let name = head.bytes(line.value)
                if isName(name, "VTODO") {
                    if readTodo(from: start) { return true }
                } else if isName(name, "VCALENDAR") {
                    if isInCalendar { noteMissingEnd("VCALENDAR") }
                    isInCalendar = true
                    calendar += 1
                    dialect = .iCalendar
                } else {
                    skipComponent(name)
                }
            } else if line.flags.contains(.end) {
                if isName(head.bytes(line.value), "VCALENDAR") { isInCalendar = false }
            } else {
                noteCalendarLine(line)
            }
        }
    }

    /// Another reader of the same file from its beginning, whose notes nobody reads.
    func again() -> ICalendarReader { ICalendarReader(text: text, context: ExchangeContext()) }

    /// Hands the to-do read last on as it stands, since it cannot be taken; the line before it says
    /// what its version is.
    func setAside(_ reason: FormatError) {
        let version = dialect == .legacy ? "1.0" : "2.0"
        let heading = Array("BEGIN:VCALENDAR\r\nVERSION:\(version)\r\n".utf8)
        heading.withUnsafeBytes { heading in
            context.setAside(
                sourceBytes,
                reason.with {
                    $0.file = text.name
                    $0.line = text.lineNumber(at: source.lowerBound)
                    $0.record = record
                }, heading: heading)
        }
    }

    // MARK: Between the to-dos

    /// The next line outside to-dos, alone in `head`.
    private func nextHeadLine() -> ContentLine? {
        let place = scanner.position
        scanner.bound = min(scanner.end, place + ICalendarReader.limit)
        head.begin(at: scanner.pointer(at: place), offset: place)
        guard scanner.next(into: head), head.count > 0 else { return nil }
        return head[0]
    }

    private func isName(_ value: UnsafeRawBufferPointer, _ name: String) -> Bool {
        NameKey.equals(ICalendarText.trimmed(value), name)
    }

    private func skipComponent(_ value: UnsafeRawBufferPointer) {
        var name = String(decoding: ICalendarText.trimmed(value).prefix(40), as: UTF8.self)
            .uppercased()
        let isZone = name == "VTIMEZONE"
        if !isZone {
            if namesNoted > 200 { name = "other components" } else { namesNoted += 1 }
            context.report.note(
                .lost, "component-not-a-task", source: text.name, property: name,
                action: "left out: only to-dos have a place here; iCalendar to iCalendar keeps it")
        }
        _ = walkComponent()
    }

    /// Moves behind the END that closes the component begun last.
    /// - Returns: where the component's text ends, and whether its END was there.
    private func walkComponent() -> (end: Int, isClosed: Bool) {
        var depth = 1
        while true {
            let before = scanner.position
            guard let line = nextHeadLine() else { return (before, false) }
            let start = head.offset + Int(line.raw.place)
            guard line.flags.rawValue & 0x180 != 0 else { continue }
            let name = head.bytes(line.value)
            if isName(name, "VCALENDAR") || isName(name, "VTODO") {
                scanner.move(to: start)
                return (start, false)
            }
            depth += line.flags.contains(.begin) ? 1 : -1
            if depth == 0 { return (scanner.position, true) }
        }
    }

    private func noteMissingEnd(_ name: String) {
        context.report.note(
            .guessed, "end-missing", source: text.name, record: record, property: name,
            action: "taken to end where the next one begins or the file ends")
    }

    /// A line of the calendar itself, or one outside of any.
    private func noteCalendarLine(_ line: ContentLine) {
        let name = head.bytes(line.name)
        if isInCalendar, NameKey.equals(name, "VERSION") {
            let isOld = ICalendarText.trimmed(head.bytes(line.value)).first == 0x31
            dialect = isOld ? .legacy : .iCalendar
            return
        }
        if isInCalendar, dialect == .legacy, LegacyClock.isAbout(name) {
            legacy.clock.take(line, head, calendar: calendar)
        }
        if isInCalendar, NameKey.equals(name, "CALSCALE"),
            isName(head.bytes(line.value), "GREGORIAN")
        {
            return
        }
        let place = head.offset + Int(line.raw.place)
        let value = String(decoding: head.bytes(line.value).prefix(80), as: UTF8.self)
        guard isInCalendar, !line.flags.contains(.noColon) else {
            context.report.note(
                .lost, "text-outside", source: text.name,
                line: text.lineNumber(at: place), value: value, action: "ignored")
            return
        }
        var property = String(decoding: name.prefix(60), as: UTF8.self).uppercased()
        if namesNoted > 200 { property = "other lines" } else { namesNoted += 1 }
        context.report.note(
            .lost, "calendar-line", source: text.name, line: nil, property: property,
            value: value,
            action: "a line of the whole calendar has no place among rows; iCalendar keeps it")
    }

    // MARK: A to-do

    /// Reads a to-do whose BEGIN has been read.
    /// - Returns: false when it was set aside.
    private func readTodo(from start: Int) -> Bool {
        record += 1
        context.report.read += 1
        scanner.bound = min(scanner.end, start + ICalendarReader.limit)
        lines.begin(at: scanner.pointer(at: start), offset: start)
        guard let end = gather(from: start) else { return setAsideTooLarge(from: start) }
        source = start..<end
        text.decode(lines)
        if dialect == .legacy { modernize() }
        lines.dialect = .iCalendar
        lines.record = record
        return true
    }

    /// Makes the lines of a vCalendar 1.0 those of iCalendar 2.0.
    private func modernize() {
        let component = LegacyComponent("VTODO", of: legacy, calendar: calendar, record: record)
        for i in 0..<lines.count {
            if lines[i].flags.contains(.nested) {
                component.append(component: lines.bytes(lines[i].value))
            } else {
                component.append(lines[i], lines)
            }
        }
        modern.removeAll()
        component.finish(repairsDates: false, to: modern)
        modern.append("END:VTODO\r\n")
        let place = scanner
        scanner = ContentLineScanner(UnsafeRawBufferPointer(modern.elements))
        lines.begin(at: scanner.pointer(at: 0))
        _ = gather(from: 0)
        scanner = place
    }

    /// Gathers the lines up to the END of a to-do.
    /// - Returns: where it ends; nil when it is too large.
    private func gather(from start: Int) -> Int? {
        var end = start
        while true {
            guard scanner.next(into: lines) else {
                if scanner.bound < scanner.end { return nil }
                noteMissingEnd("VTODO")
                end = scanner.position
                break
            }
            let i = lines.count &- 1
            let line = lines[i]
            if line.flags.rawValue & 0x180 == 0 { continue }
            let place = start &+ Int(line.raw.place)
            let name = lines.bytes(line.value)
            let isOuter = isName(name, "VCALENDAR")
            let isTodo = !isOuter && isName(name, "VTODO")
            if line.flags.contains(.end), isTodo {
                drop(i, line)
                end = scanner.position
                break
            }
            if isOuter || isTodo {
                drop(i, line)
                noteMissingEnd("VTODO")
                scanner.move(to: place)
                end = place
                break
            }
            drop(i, line)
            if line.flags.contains(.end) {
                context.report.note(
                    .lost, "end-stray", source: text.name, record: record,
                    action: "an END without its BEGIN was ignored")
                continue
            }
            let bound = scanner.bound
            let (stop, isClosed) = walkComponent()
            if scanner.position >= bound, bound < scanner.end { return nil }
            scanner.bound = bound
            addNested(line, from: place, to: stop, start: start, isClosed: isClosed)
        }
        return end
    }

    private func drop(_ i: Int, _ line: ContentLine) {
        lines.lines.truncate(to: i)
        lines.parameters.truncate(to: Int(line.firstParameter))
    }

    /// Adds a component inside the to-do as one line; its END is supplied where it is missing.
    private func addNested(
        _ begin: ContentLine, from: Int, to end: Int, start: Int, isClosed: Bool
    ) {
        var line = ContentLine()
        line.name = begin.value
        line.flags = .nested
        line.firstParameter = UInt32(truncatingIfNeeded: lines.parameters.count)
        line.raw = lines.sourceRange(from - start, end - start)
        line.value = line.raw
        if !isClosed {
            let name = String(
                decoding: ICalendarText.trimmed(lines.bytes(begin.value)), as: UTF8.self)
            noteMissingEnd(name)
            let from = lines.arena.count
            lines.arena.append(bytes: lines.bytes(line.raw))
            if let last = lines.arena.elements.last, last != 10, last != 13 {
                lines.arena.append(10)
            }
            lines.arena.append("END:\(name)\n")
            line.value = lines.arenaRange(from: from)
        }
        lines.lines.append(line)
    }

    private func setAsideTooLarge(from start: Int) -> Bool {
        while let line = nextHeadLine() {
            guard line.flags.rawValue & 0x180 != 0 else { continue }
            let name = head.bytes(line.value)
            if line.flags.contains(.end), isName(name, "VTODO") { break }
            if isName(name, "VTODO") || isName(name, "VCALENDAR") {
                scanner.move(to: head.offset + Int(line.raw.place))
                break
            }
        }
        context.setAside(
            UnsafeRawBufferPointer(rebasing: text.bytes[start..<scanner.position]),
            FormatError(
                .limitExceeded, "the to-do is larger than 64 MiB", file: text.name, offset: start,
                line: text.lineNumber(at: start), record: record))
        return false
    }
}
