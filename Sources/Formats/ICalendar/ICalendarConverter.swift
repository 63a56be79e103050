// iCalendar to iCalendar: line by line, whatever the lines mean. All components and all lines are
// kept in their order; only their form is made strict: UTF-8, CR LF, folds of at most 75 octets. The
// lines of a vCalendar 1.0 become those of iCalendar 2.0 (LegacyLine.swift).

/// Copies an iCalendar file with every line of it.
public final class ICalendarConverter {
    private let text: ICalendarText
    private let context: ExchangeContext
    @exclusivity(unchecked) private var scanner: ContentLineScanner
    private let lines = ContentLines()
    private let line = RawVector<UInt8>(capacity: 1024)
    /// Names of the components that are open.
    @exclusivity(unchecked) private var open: [String] = []
    @exclusivity(unchecked) private var isBare = false
    /// True within a calendar that says it is vCalendar 1.0.
    @exclusivity(unchecked) private var isLegacy = false
    /// True when the calendar has said what program made it.
    @exclusivity(unchecked) private var hasProduct = false
    /// The component of a vCalendar 1.0 that is open, and how many are open around it.
    @exclusivity(unchecked) private var legacy: (component: LegacyComponent, depth: Int)?
    private lazy var file = LegacyComponent.File(
        context: context, source: text.name, zones: ICalendarZones(text: text, context: context))
    /// Zones of a vCalendar 1.0 that are named and not defined, and those that got a definition.
    @exclusivity(unchecked) private var zones: [String: String] = [:]
    @exclusivity(unchecked) private var defined: Set<String> = []
    /// Calendars begun so far.
    @exclusivity(unchecked) private var calendar = 0
    @exclusivity(unchecked) private var copyFrom = 0
    @exclusivity(unchecked) private var copyTo = 0

    /// A converter of an input.
    public init(input: InputBytes, context: ExchangeContext) {
        text = ICalendarText(input: input, context: context)
        self.context = context
        scanner = ContentLineScanner(text.bytes)
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
            if !isStructure, open.count == 1 {
                if LegacyLine.saysVersion1(first, lines) { isLegacy = true }
                if NameKey.equals(lines.bytes(first.name), "PRODID") { hasProduct = true }
            }
            let from = place + Int(first.raw.place)
            if isLegacy, !isStructure {
                flushRun(out, start)
                text.decode(lines)
                if let legacy, legacy.depth == open.count - 1 {
                    legacy.component.append(lines[0], lines)
                } else {
                    if open.count == 1 {
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
            let fault = isStructure ? nil : ICalendarMending.fault(first, lines, in: open)
            if let fault {
                flushRun(out, start)
                text.decode(lines)
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
        if isBare { out.append("END:VCALENDAR\r\n") }
    }

    /// Ends the component of a vCalendar 1.0 when it is the one that `depth` others are open around.
    private func finishLegacy(depth: Int, _ out: RawVector<UInt8>) {
        guard let legacy, legacy.depth >= depth else { return }
        legacy.component.finish(repairsDates: true, to: out)
        zones.merge(legacy.component.zonesToDefine) { known, _ in known }
        self.legacy = nil
    }

    /// Defines the zones that were named, at the level of the calendar.
    private func defineZones(_ out: RawVector<UInt8>) {
        for (name, iana) in zones.sorted(by: { $0.key < $1.key }) where !defined.contains(name) {
            defined.insert(name)
            guard let zone = context.zoneLibrary.zone(named: iana) else { continue }
            Array(ICalendarZoneWriter.definition(of: zone, named: name).utf8).withUnsafeBytes {
                ICalendarComponent.appendLines($0, to: out)
            }
        }
        zones.removeAll()
    }

    private func flushRun(_ out: RawVector<UInt8>, _ start: UnsafePointer<UInt8>) {
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
        var lineStart = from
        var i = from
        while i < to {
            let c = bytes[i]
            if c == 13 {
                guard i + 1 < to, bytes[i + 1] == 10, i - lineStart <= 75, i > lineStart else {
                    return false
                }
                let part = UnsafeRawBufferPointer(rebasing: bytes[lineStart..<i])
                guard UTF8Check.isValid(part) else { return false }
                i += 2
                lineStart = i
                continue
            }
            if c == 10 { return false }
            i += 1
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
    private func appendValue(_ value: UnsafeRawBufferPointer) {
        TodoLine.append(value: value, to: line)
        if TodoLine.endsInOpenEscape(value) { line.append(0x5C) }
    }

    // MARK: Components

    /// Follows BEGIN and END.
    /// - Returns: false when the line has been dealt with.
    private func structure(
        _ first: ContentLine, _ out: RawVector<UInt8>, _ start: UnsafePointer<UInt8>
    ) -> Bool {
        let value = lines.bytes(first.value)
        let name: String
        if TodoLine.isOneLine(value), !TodoLine.endsInOpenEscape(value) {
            name = ICalendarConverter.componentName(value)
        } else {
            line.removeAll()
            appendValue(value)
            name = ICalendarConverter.componentName(UnsafeRawBufferPointer(line.elements))
        }
        if first.flags.contains(.begin) {
            if name == "VCALENDAR" {
                if isBare || !open.isEmpty { flushRun(out, start) }
                while let inner = open.popLast() { close(inner, out) }
                if isBare { out.append("END:VCALENDAR\r\n") }
                isBare = false
                isLegacy = false
                hasProduct = false
                calendar += 1
                defined.removeAll()
            } else if open.isEmpty, !isBare {
                flushRun(out, start)
                isBare = true
                out.append("BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//rtool//rtool//EN\r\n")
                context.report.note(
                    .changed, "calendar-added", source: text.name,
                    action: "a component that stood alone was put into a calendar")
            } else if name == "VTODO", open.last == "VTODO" {
                flushRun(out, start)
                open.removeLast()
                close("VTODO", out)
            }
            if isLegacy, open.count == 1, open[0] == "VCALENDAR" {
                flushRun(out, start)
                if !hasProduct { out.append("PRODID:-//rtool//rtool//EN\r\n") }
                hasProduct = true
                defineZones(out)
                if name == "VTODO" || name == "VEVENT" || name == "VJOURNAL" {
                    legacy = (
                        LegacyComponent(name, of: file, calendar: calendar), open.count
                    )
                }
            } else if let legacy, legacy.depth == open.count - 1 {
                // Components stand behind all lines.
                flushRun(out, start)
                finishLegacy(depth: legacy.depth, out)
            }
            if name == "VTODO" {
                context.report.read += 1
                context.report.written += 1
            }
            open.append(name)
            return open.count <= 1000
        }
        guard let i = open.lastIndex(of: name) else {
            context.report.note(
                .lost, "end-stray", source: text.name,
                action: "an END without its BEGIN was left out")
            return false
        }
        if i < open.count - 1 { flushRun(out, start) }
        while open.count > i + 1, let inner = open.popLast() { close(inner, out) }
        if legacy != nil {
            flushRun(out, start)
            finishLegacy(depth: i, out)
        }
        if i == 0, !zones.isEmpty {
            flushRun(out, start)
            defineZones(out)
        }
        open.removeLast()
        return true
    }

    /// Supplies the END of a component that is no longer among the open ones.
    private func close(_ name: String, _ out: RawVector<UInt8>) {
        finishLegacy(depth: open.count, out)
        if name == "VCALENDAR" { defineZones(out) }
        context.report.note(
            .guessed, "end-missing", source: text.name, property: name,
            action: "closed where what it stands in ends")
        line.removeAll()
        line.append("END:\(name)")
        ContentLineWriter.fold(UnsafeRawBufferPointer(line.elements), into: out)
    }

    /// The name of a component: ASCII letters in upper case, no white space around it, and not
    /// more than a hundred bytes.
    private static func componentName(_ text: UnsafeRawBufferPointer) -> String {
        let text = ICalendarText.trimmed(text)
        var count = min(text.count, 100)
        while count > 0, count < text.count, text[count] & 0xC0 == 0x80 { count -= 1 }
        // Nor does it end in half an escape, which a reader would join with the next line.
        while count > 0,
            text[count - 1] <= 0x20
                || TodoLine.endsInOpenEscape(UnsafeRawBufferPointer(rebasing: text[..<count]))
        {
            count -= 1
        }
        return String(unsafeUninitializedCapacity: count) { name in
            for i in 0..<count { name[i] = text[i] &- 0x61 < 26 ? text[i] & 0xDF : text[i] }
            return count
        }
    }
}
