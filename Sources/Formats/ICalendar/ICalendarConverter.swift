// iCalendar to iCalendar: line by line, whatever the lines mean. All components and all lines are
// kept in their order; only their form is made strict: UTF-8, CR LF, folds of at most 75 octets. The
// lines of a vCalendar 1.0 become those of iCalendar 2.0 (LegacyLine.swift).

/// Copies an iCalendar file with every line of it.
public final class ICalendarConverter {
    let text: ICalendarText
    let context: ExchangeContext
    @exclusivity(unchecked) private var scanner: ContentLineScanner
    let lines = ContentLines()
    let line = RawVector<UInt8>(capacity: 1024)
    /// Names of the components that are open.
    @exclusivity(unchecked) var open: [String] = []
    @exclusivity(unchecked) var isBare = false
    /// True within a calendar that says it is vCalendar 1.0.
    @exclusivity(unchecked) var isLegacy = false
    /// True when the calendar has said what program made it.
    @exclusivity(unchecked) var hasProduct = false
    /// The component of a vCalendar 1.0 that is open, and how many are open around it.
    @exclusivity(unchecked) var legacy: (component: LegacyComponent, depth: Int)?
    lazy var file = LegacyComponent.File(
        context: context, source: text.name, zones: ICalendarZones(text: text, context: context))
    /// Zones of a vCalendar 1.0 that are named and not defined, and those that got a definition.
    @exclusivity(unchecked) var zones: [String: String] = [:]
    @exclusivity(unchecked) var defined: Set<String> = []
    /// What lines of 2.0 say together.
    let watch: ICalendarWatch
    /// How many components are open within the to-do that is, itself included; 0 outside.
    @exclusivity(unchecked) var todoDepth = 0
    /// True where lines are mended.
    @exclusivity(unchecked) var mends = false
    /// True within the definition of a zone.
    @exclusivity(unchecked) var isInZone = false
    /// Calendars begun so far.
    @exclusivity(unchecked) var calendar = 0
    @exclusivity(unchecked) var copyFrom = 0
    @exclusivity(unchecked) var copyTo = 0

    /// A converter of an input.
    public init(input: InputBytes, context: ExchangeContext) {
        text = ICalendarText(input: input, context: context)
        self.context = context
        scanner = ContentLineScanner(text.bytes)
        watch = ICalendarWatch(text: text, context: context)
    }

    deinit { line.destroy() }

    /// Writes the whole file to a sink; ending it is the caller's.
    public func convert(to sink: ByteSink) throws(FormatError) {
        let out = sink.buffer
        let start = scanner.pointer(at: 0)
        while true {
            let place = scanner.position
            scanner.bound = min(scanner.end, place + ICalendarReader.limit)
            lines.begin(at: scanner.pointer(at: place), offset: place)
            guard scanner.next(into: lines) else { break }
            let first = lines[0]
            let isStructure = first.flags.rawValue & 0x180 != 0
            if isStructure {
                // In the text the line itself will be written in, or an END would not match its
                // BEGIN.
                text.decode(lines)
                if structure(lines[0], out, start) == false { continue }
            }
            if first.flags.contains(.noColon) || open.isEmpty && !first.flags.contains(.end) {
                context.report.note(
                    .lost, "text-outside", source: text.name,
                    line: text.lineNumber(at: place), value: lines.string(first.value),
                    action: "left out: it is no line of a calendar")
                continue
            }
            if !isStructure, open.count == 1, open[0] == "VCALENDAR" {
                if LegacyLine.saysVersion1(first, lines) { isLegacy = true }
                if NameKey.equals(lines.bytes(first.name), "PRODID") { hasProduct = true }
            }
            let from = place + Int(first.raw.place)
            let isInLegacy = legacy.map { $0.depth == open.count - 1 } ?? false
            // Behind the components inside, lines are passed on as those of 2.0 are.
            if isLegacy, !isStructure, isInLegacy || !mends {
                flushRun(out, start)
                text.decode(lines)
                if lines[0].parameterCount > 0, !isInZone { watch.takeZone(lines[0], lines) }
                if isInLegacy, let legacy {
                    legacy.component.append(lines[0], lines)
                } else {
                    if open.count == 1 {
                        file.clock.take(lines[0], lines, calendar: calendar)
                        LegacyLine.append(
                            calendar: lines[0], lines, line, context.report, text.name)
                    } else {
                        LegacyLine.append(lines[0], lines, line)
                    }
                    ContentLineWriter.fold(UnsafeRawBufferPointer(line.elements), into: out)
                }
                try sink.flushIfFull()
                continue
            }
            var fault: ICalendarMending.Fault?
            var tag: UInt16 = 0
            if !isStructure {
                tag = ICalendarProperty.table.property(first.key, lines.bytes(first.name))
                if mends { fault = ICalendarMending.fault(first, lines, tag: tag) }
                // A time that becomes universal is in no zone any more.
                if fault != .timeNotUniversal { look(at: first, tag: tag) }
            }
            if let fault {
                flushRun(out, start)
                text.decode(lines)
                if fault == .timeNotUniversal {
                    appendUniversal(lines[0], tag, place, out)
                    try sink.flushIfFull()
                    continue
                }
                note(fault, lines[0], place)
                if fault.isLeftOut { continue }
                line.removeAll()
                ICalendarMending.append(lines[0], lines, fault, to: line)
                ContentLineWriter.fold(UnsafeRawBufferPointer(line.elements), into: out)
                try sink.flushIfFull()
                continue
            }
            if isStrict(from, scanner.position, first) {
                // Runs of strict lines are copied in one go.
                if from != copyTo {
                    flushRun(out, start)
                    copyFrom = from
                }
                copyTo = scanner.position
                if copyTo - copyFrom > 1 << 16 {
                    flushRun(out, start)
                    try sink.flushIfFull()
                }
                continue
            }
            flushRun(out, start)
            if !isStructure { text.decode(lines) }
            append(lines[0], out)
            try sink.flushIfFull()
        }
        flushRun(out, start)
        while let name = open.popLast() { close(name, out) }
        if isBare { endBare(out) }
    }

    /// Ends the component of a vCalendar 1.0 when it is the one that `depth` others are open around.
    func finishLegacy(depth: Int, _ out: RawVector<UInt8>) {
        guard let legacy, legacy.depth >= depth else { return }
        legacy.component.finish(repairsDates: true, to: out)
        zones.merge(legacy.component.zonesToDefine) { known, _ in known }
        self.legacy = nil
    }

    /// Defines the zones that were named, at the level of the calendar.
    func defineZones(_ out: RawVector<UInt8>) {
        for (name, iana) in zones.sorted(by: { $0.key < $1.key }) where !defined.contains(name) {
            defined.insert(name)
            watch.define(name)
            guard let zone = context.zoneLibrary.zone(named: iana) else { continue }
            Array(ICalendarZoneWriter.definition(of: zone, named: name).utf8).withUnsafeBytes {
                ICalendarComponent.appendLines($0, to: out)
            }
        }
        zones.removeAll()
        watch.appendZones(file.zones, calendar: calendar, to: out)
    }

    func flushRun(_ out: RawVector<UInt8>, _ start: UnsafePointer<UInt8>) {
        if copyTo > copyFrom { out.append(start + copyFrom, count: copyTo - copyFrom) }
        copyFrom = copyTo
    }

    /// True when the physical lines of a range may be written as they are.
    private func isStrict(_ from: Int, _ to: Int, _ first: ContentLine) -> Bool {
        guard to - from >= 2, text.bytes[from] > 0x20,
            !TodoLine.endsInOpenEscape(lines.bytes(first.value))
        else {
            return false
        }
        let bytes = text.bytes
        if first.flags.isDisjoint(with: [.folded, .highBytes, .highBytesInHead, .quotedPrintable]) {
            // One physical line of ASCII.
            return to - from <= 77 && bytes[to - 1] == 10 && bytes[to - 2] == 13
                && to - from - 2 == Int(first.value.place) + first.value.count
                    - Int(first.raw.place)
        }
        if first.flags.contains(.quotedPrintable) { return false }
        // The name of a component is compared in the text it is written in.
        if first.flags.contains(.charset), first.flags.rawValue & 0x180 != 0 { return false }
        guard let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else {
            return false
        }
        var lineStart = from
        while lineStart < to {
            guard
                let length = firstIndex(of: 10, in: start + lineStart, count: to - lineStart),
                length >= 2, length <= 76, start[lineStart + length - 1] == 13
            else { return false }
            let part = UnsafeRawBufferPointer(start: start + lineStart, count: length - 1)
            guard firstIndex(of: 13, in: start + lineStart, count: length) == length - 1,
                UTF8Check.isValid(part)
            else { return false }
            lineStart += length + 1
        }
        return lineStart == to
    }

    private func note(_ fault: ICalendarMending.Fault, _ first: ContentLine, _ place: Int) {
        context.report.note(
            fault.kind, fault.rawValue, source: text.name, line: text.lineNumber(at: place),
            property: lines.string(first.name).uppercased(),
            value: String(decoding: lines.bytes(first.value).prefix(80), as: UTF8.self),
            action: fault.action)
    }

    /// Keeps what matters beyond a line.
    @inline(__always)
    private func look(at first: ContentLine, tag: UInt16) {
        if first.parameterCount > 0, !isInZone { watch.takeZone(first, lines) }
        let isWatched =
            tag == ICalendarProperty.recurrence.rawValue
            || tag == ICalendarProperty.start.rawValue || tag == ICalendarProperty.due.rawValue
        if isWatched, open.count == todoDepth, let property = ICalendarProperty(rawValue: tag) {
            watch.take(property, first, lines)
        } else if isInZone, open.last == "VTIMEZONE", first.key == NameKey.tzid {
            watch.define(lines.bytes(first.value))
        }
    }

    /// Appends the time of a completion, which is not said in universal time, in it (T5).
    private func appendUniversal(
        _ first: ContentLine, _ tag: UInt16, _ place: Int, _ out: RawVector<UInt8>
    ) {
        let zones = ICalendarMending.Zones(file.zones, calendar: calendar, context)
        line.removeAll()
        let other = ICalendarMending.fault(
            first, lines, tag: tag, keepsClocks: true)
        guard let isKnown = ICalendarMending.append(universal: first, lines, zones, to: line)
        else {
            guard let other else { return append(first, out) }
            note(other, first, place)
            ICalendarMending.append(first, lines, other, to: line)
            return ContentLineWriter.fold(UnsafeRawBufferPointer(line.elements), into: out)
        }
        if let other { note(other, first, place) }
        context.report.note(
            isKnown ? .changed : .guessed, isKnown ? "time-made-utc" : "zone-assumed",
            source: text.name, line: text.lineNumber(at: place),
            property: lines.string(first.name).uppercased(), value: lines.string(first.value),
            action: isKnown
                ? "written in universal time, as iCalendar wants it here"
                : "taken as universal time; --zone names the zone it is local to")
        ContentLineWriter.fold(UnsafeRawBufferPointer(line.elements), into: out)
    }

    private func append(_ first: ContentLine, _ out: RawVector<UInt8>) {
        line.removeAll()
        TodoLine.append(head: first, lines, to: line)
        line.append(0x3A)
        appendValue(lines.bytes(first.value))
        let bytes = UnsafeRawBufferPointer(line.elements)
        ContentLineWriter.fold(bytes, into: out)
    }

    /// Appends a value in one line. Line breaks come from quoted-printable and escaped ones; a
    /// backslash at the end would take up the next line, and so becomes two, which mean one.
    func appendValue(_ value: UnsafeRawBufferPointer) {
        TodoLine.append(value: value, to: line)
        if TodoLine.endsInOpenEscape(value) { line.append(0x5C) }
    }
}
