// A to-do or event of a vCalendar 1.0 on its way to iCalendar 2.0, line by line: states that 2.0
// does not have, alarms that are components there, and the UID and stamp it cannot be without.

/// Writes one component of a vCalendar 1.0.
final class LegacyComponent {
    private let isEvent: Bool
    private let context: ExchangeContext
    private let source: String
    private let line = RawVector<UInt8>(capacity: 512)
    /// Alarms wait for the dates they may be counted from, and for their place behind all lines.
    private var alarms: [(name: String, parameters: [String], value: [UInt8], line: [UInt8])] = []
    private var times: LegacyAlarm.Times
    private var hasUID = false
    private var hasStamp = false
    /// The times known of it: of the last change, the creation and the completion.
    private var known: [String: ICalendarDate] = [:]
    /// All lines, for a UID made from them.
    private var content: SipHash

    init(_ name: String, context: ExchangeContext, source: String) {
        isEvent = name == "VEVENT"
        self.context = context
        self.source = source
        times = LegacyAlarm.Times(isEvent: isEvent)
        content = IdentityMinter(map: "todo", kind: name).content()
    }

    deinit { line.destroy() }

    /// Writes a line, which is decoded, or keeps it for the end.
    func append(_ first: ContentLine, _ lines: ContentLines, to out: RawVector<UInt8>) {
        LegacyLine.append(first, lines, line, context.report, source)
        content.add(UnsafeRawBufferPointer(line.elements))
        content.add(10 as UInt8)
        let name = lines.string(first.name).uppercased()
        let value = lines.bytes(first.value)
        guard first.group.isEmpty else { return fold(out) }
        switch name {
        case "UID": hasUID = hasUID || !value.isEmpty
        case "DTSTAMP": hasStamp = true
        case "DUE" where !isEvent, "DTEND" where isEvent: times.end = ICalendarDate(value)
        case "DTSTART": times.start = ICalendarDate(value)
        case "LAST-MODIFIED", "DCREATED", "CREATED", "COMPLETED":
            let key = name == "DCREATED" ? "CREATED" : name
            if known[key] == nil { known[key] = ICalendarDate(value) }
        case "STATUS": return status(value, out)
        case _ where LegacyAlarm.isAlarm(lines.bytes(first.name)):
            alarms.append(
                (
                    name,
                    lines.parameterIndices(first).map { lines.string(lines.parameters[$0].value) },
                    Array(value), Array(line.elements)
                ))
            return
        default: break
        }
        fold(out)
    }

    private func status(_ value: UnsafeRawBufferPointer, _ out: RawVector<UInt8>) {
        let state: String?
        if isEvent {
            state = TodoStatus.event(for: value)
            if let state, NameKey.equals(value, state) { return fold(out) }
        } else {
            guard TodoStatus.isOther(value) else { return fold(out) }
            state = TodoStatus.todo(for: value)
        }
        note(
            "status-mapped", "STATUS", value,
            "iCalendar has no such state: the nearest one was written, and the word as"
                + " \(TodoStatus.keptName)")
        let word = Array(value)
        if let state { write("STATUS:" + state, to: out) }
        line.removeAll()
        line.append(TodoStatus.keptName)
        line.append(0x3A)
        word.withUnsafeBytes { TodoLine.escape($0, to: line) }
        fold(out)
    }

    /// Writes what is missing, and the alarms.
    func finish(_ minter: IdentityMinter, to out: RawVector<UInt8>) {
        var components: [String] = []
        for alarm in alarms {
            let text = alarm.name.utf8.withContiguousStorageIfAvailable { name in
                alarm.value.withUnsafeBytes {
                    LegacyAlarm.component(
                        UnsafeRawBufferPointer(name), parameters: alarm.parameters, value: $0, times
                    )
                }
            }
            alarm.value.withUnsafeBytes { value in
                guard let text = text ?? nil else {
                    note(
                        "alarm-kept", alarm.name, value,
                        "kept as a line: iCalendar 2.0 has no such alarm, or no such time of one")
                    line.removeAll()
                    alarm.line.withUnsafeBytes { line.append(bytes: $0) }
                    return fold(out)
                }
                note(
                    "alarm-spelling", alarm.name, value,
                    "an alarm of vCalendar 1.0 became one of iCalendar 2.0")
                components.append(text)
            }
        }
        if !hasUID {
            write("UID:" + TodoUIDs.text(of: minter.id(content: content)), to: out)
        }
        if !hasStamp { stamp(out) }
        for text in components {
            Array(text.utf8).withUnsafeBytes { ICalendarComponent.appendLines($0, to: out) }
        }
    }

    private func stamp(_ out: RawVector<UInt8>) {
        line.removeAll()
        line.append("DTSTAMP:")
        if var date = known["LAST-MODIFIED"] ?? known["CREATED"] ?? known["COMPLETED"] {
            date.hasTime = true
            date.isUTC = true
            date.write(value: line)
        } else {
            line.append("19700101T000000Z")
        }
        fold(out)
    }

    private func note(
        _ code: String, _ property: String, _ value: UnsafeRawBufferPointer, _ action: String
    ) {
        context.report.note(
            .changed, code, source: source, property: property,
            value: String(decoding: value.prefix(80), as: UTF8.self), action: action)
    }

    private func write(_ text: String, to out: RawVector<UInt8>) {
        line.removeAll()
        line.append(text)
        fold(out)
    }

    private func fold(_ out: RawVector<UInt8>) {
        ContentLineWriter.fold(UnsafeRawBufferPointer(line.elements), into: out)
    }
}
