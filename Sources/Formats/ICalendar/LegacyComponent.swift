// A to-do or event of a vCalendar 1.0 on its way to iCalendar 2.0: its lines are gathered and written
// at its end, since some depend on others (alarms and the ends of rules on dates), and since 2.0 wants
// a UID and a stamp. Dates are `LegacyComponent+Dates.swift`'s, single lines `LegacyLine`'s.

/// Writes one component of a vCalendar 1.0.
final class LegacyComponent {
    /// What is the same for all components of a file.
    struct File {
        var context: ExchangeContext
        var source: String
        var zones: ICalendarZones
        /// The zone that a calendar names for all its times.
        let clock = LegacyClock()
        /// UIDs for to-dos, and for events.
        let todos = TodoUIDs()
        let events = IdentityMinter(map: "todo", kind: "VEVENT")
    }

    let file: File
    let isEvent: Bool
    let record: Int?
    let calendar: Int
    let line = RawVector<UInt8>(capacity: 512)
    var pieces: [[UInt8]] = []
    /// Which of the pieces are rules whose end waits for the start.
    var rules: [Int] = []
    /// Alarms wait for the dates they may be counted from, and for their place behind all lines.
    private var alarms: [(name: String, parameters: [String], value: [UInt8], line: [UInt8])] = []
    private var components: [String] = []
    private var hasStatus = false
    /// True when there are alarms.
    var hasAlarms: Bool { !alarms.isEmpty }
    private var hasUID = false
    var times: LegacyAlarm.Times
    /// The dates met, by name, and their places.
    var dates: [String: (moment: TodoMoment, piece: Int)] = [:]
    /// What a UID is made of.
    private var draft = TodoDraft()
    private var content: SipHash
    /// Zones named with TZID that the file does not define, by that name.
    var zonesToDefine: [String: String] = [:]

    init(_ name: String, of file: File, calendar: Int, record: Int? = nil) {
        self.file = file
        self.calendar = calendar
        self.record = record
        isEvent = name == "VEVENT"
        times = LegacyAlarm.Times(isEvent: isEvent)
        content = file.events.content()
    }

    deinit { line.destroy() }

    /// Takes a line, which is decoded.
    func append(_ first: ContentLine, _ lines: ContentLines) {
        if first.flags.contains(.noColon) {
            line.removeAll()
            line.append(bytes: lines.bytes(first.value))
            return line.isEmpty ? () : put()
        }
        let name = lines.string(first.name).uppercased()
        let value = lines.bytes(first.value)
        guard first.group.isEmpty else {
            LegacyLine.append(first, lines, line)
            return put()
        }
        guard TodoLine.isName(lines.bytes(first.name)) else {
            let fault = ICalendarMending.Fault.nameUnreadable
            note(fault.kind, fault.rawValue, name, value, fault.action)
            LegacyLine.append(first, lines, line, mendsName: true)
            return put()
        }
        switch name {
        case "UID":
            if value.isEmpty || hasUID { return value.isEmpty ? () : keep(first, lines) }
            hasUID = true
        case "DCREATED", "CREATED", "COMPLETED", "LAST-MODIFIED", "DTSTAMP":
            return moment(name == "DCREATED" ? "CREATED" : name, first, lines)
        case "DUE", "DTSTART", "DTEND", "RECURRENCE-ID": return date(name, first, lines)
        case "RDATE", "EXDATE": return dateList(name, first, lines)
        case "RRULE", "EXRULE": return rule(name, first, lines)
        case "STATUS": return status(value)
        case "PRIORITY", "SEQUENCE", "PERCENT-COMPLETE":
            guard ScalarText.int(ICalendarText.trimmed(value)) == nil else { break }
            if !ICalendarText.trimmed(value).isEmpty { return keep(first, lines) }
            return note(.changed, "number-empty", name, value, "left out: it says no number")
        case "ATTENDEE":
            line.removeAll()
            guard
                LegacyParameters.attendee(
                    first, lines, value: lines.string(first.value), to: line)
            else { return keep(first, lines) }
            note(
                .changed, "attendee-spelling", name, value,
                "written as iCalendar 2.0 spells it; words it does not have as X-RTOOL parameters")
            return put()
        case "RNUM": return keep(first, lines)
        case _ where LegacyAlarm.isAlarm(lines.bytes(first.name)):
            let parameters = lines.parameterIndices(first).map {
                lines.string(lines.parameters[$0].value)
            }
            LegacyLine.keep(first, lines, line)
            alarms.append((name, parameters, Array(value), Array(line.elements)))
            return
        default: break
        }
        let tag = ICalendarProperty.table.property(first.key, lines.bytes(first.name))
        let property = tag == 0 ? nil : ICalendarProperty(rawValue: tag)
        if ICalendarMending.fault(of: property, first, lines) == .valueUnusual {
            return keep(first, lines)
        }
        LegacyLine.append(first, lines, line)
        describe(name, first, lines)
        put()
    }

    /// Takes a component inside, as text.
    func append(component text: UnsafeRawBufferPointer) {
        let kept = RawVector<UInt8>(capacity: text.count)
        defer { kept.destroy() }
        ICalendarComponent.appendVerbatim(text, to: kept)
        components.append(String(decoding: kept.elements, as: UTF8.self))
    }

    /// Keeps what a line says that UIDs are made of.
    private func describe(_ name: String, _ first: ContentLine, _ lines: ContentLines) {
        func text(_ dialect: ContentDialect) -> String {
            let out = RawVector<UInt8>(capacity: 64)
            defer { out.destroy() }
            ValueText.unescape(
                lines.bytes(first.value), dialect,
                quotedPrintable: first.flags.contains(.quotedPrintable), into: out)
            return String(decoding: out.elements, as: UTF8.self)
        }
        switch name {
        case "SUMMARY" where draft.title == nil: draft.title = text(.legacy)
        case "DESCRIPTION" where draft.notes == nil: draft.notes = text(.legacy)
        case "RELATED-TO" where first.parameterCount == 0:
            draft.relations.append(TodoDraft.Relation(kind: "PARENT", uid: text(.iCalendar)))
        case "CATEGORIES":
            let piece = RawVector<UInt8>(capacity: 64)
            defer { piece.destroy() }
            TodoLine.forEachCategory(lines.bytes(first.value), .legacy, piece) {
                draft.categories.append(String(decoding: $0, as: UTF8.self))
            }
        default: break
        }
    }

    private func status(_ value: UnsafeRawBufferPointer) {
        hasStatus = true
        let word = Array(ICalendarText.trimmed(value))
        if word.isEmpty {
            hasStatus = false
            return note(.changed, "status-empty", "STATUS", value, "left out: it says no state")
        }
        let state = word.withUnsafeBytes { word -> String? in
            if isEvent { return TodoStatus.event(for: word) }
            return TodoStatus.isOther(word) || NameKey.equals(word, TodoIdentity.legacyOpen)
                ? TodoStatus.todo(for: word) : String(decoding: word, as: UTF8.self)
        }
        if let state { put("STATUS:" + state) }
        let isSame = word.withUnsafeBytes { word in
            state.map { NameKey.equals(word, $0) } ?? false
                || !isEvent && NameKey.equals(word, TodoIdentity.legacyOpen)
        }
        if isSame { return }
        note(
            .changed, "status-mapped", "STATUS", value,
            "iCalendar has no such state: the nearest one was written, and the word as"
                + " \(TodoStatus.keptName)")
        line.removeAll()
        line.append(TodoStatus.keptName)
        line.append(0x3A)
        word.withUnsafeBytes { TodoLine.escape($0, to: line) }
        put()
    }

    private func rule(_ name: String, _ first: ContentLine, _ lines: ContentLines) {
        let value = lines.bytes(first.value)
        let text = String(decoding: ICalendarText.trimmed(value), as: UTF8.self)
        var modern: String?
        if value.contains(0x3D) {
            modern = text.uppercased().contains("FREQ=") ? text : nil
        } else {
            modern = LegacyRecurrence.rule(text)
            if modern != nil {
                note(
                    .changed, "recurrence-spelling", "recurrence", value,
                    "written as iCalendar 2.0 spells it")
            }
        }
        guard let modern, !modern.contains(where: \.isNewline) else { return keep(first, lines) }
        rules.append(pieces.count)
        put(name + ":" + modern)
    }

    // MARK: Writing

    /// Writes all lines and components.
    /// - Parameter repairsDates: whether a start of another kind than the due date becomes one of
    ///   the same; rows keep such dates.
    func finish(repairsDates: Bool, to out: RawVector<UInt8>) {
        let start = dates["DTSTART"]?.moment
        if repairsDates { repairDates() }
        // Rows are marked as done when they are written.
        if repairsDates, !isEvent, !hasStatus, dates["COMPLETED"] != nil {
            put("STATUS:COMPLETED")
            let hasPercent = pieces.contains { piece in
                piece.withUnsafeBytes { NameKey.starts($0, with: "PERCENT-COMPLETE") }
            }
            if !hasPercent { put("PERCENT-COMPLETE:100") }
            note(
                .changed, "done-completed", "STATUS", nil,
                "STATUS:COMPLETED was added: other programs take the task for open without it")
        }
        alignRules()
        if repairsDates, start == nil, let first = rules.first {
            let text = pieces[first]
            text.withUnsafeBytes {
                note(
                    .guessed, "recurrence-without-start", "recurrence", $0,
                    "written without a start, since none is known; strict programs may ignore the rule"
                )
            }
        }
        var rest: [[UInt8]] = []
        for alarm in alarms {
            if let text = component(alarm) {
                components.append(text)
            } else {
                rest.append(alarm.line)
            }
        }
        if !hasUID { write(Array(("UID:" + madeUID()).utf8), to: out) }
        for piece in pieces { write(piece, to: out) }
        for piece in rest { write(piece, to: out) }
        if dates["DTSTAMP"] == nil { write(stamp(), to: out) }
        for text in components {
            Array(text.utf8).withUnsafeBytes { ICalendarComponent.appendLines($0, to: out) }
        }
    }

    private func alignRules() {
        for i in rules {
            let text = String(decoding: pieces[i], as: UTF8.self)
            if let start = dates["DTSTART"]?.moment,
                let rule = TodoRecurrence.aligned(
                    text, to: start, file.context.zoneLibrary,
                    floating: file.context.options.zone)
            {
                note(
                    .changed, "until-form", "recurrence", nil,
                    "the end of a rule is a day, a clock time or universal time as its start is")
                pieces[i] = Array(rule.utf8)
            }
        }
    }

    /// The component an alarm becomes; nil where it is kept as a line.
    private func component(
        _ alarm: (name: String, parameters: [String], value: [UInt8], line: [UInt8])
    ) -> String? {
        Array(alarm.name.utf8).withUnsafeBytes { name in
            alarm.value.withUnsafeBytes { value in
                let text = LegacyAlarm.component(
                    name, parameters: alarm.parameters, value: value, times)
                note(
                    .changed, text == nil ? "alarm-kept" : "alarm-spelling", alarm.name, value,
                    text == nil
                        ? "kept as a line: iCalendar 2.0 has no such alarm, or no such time of one"
                        : "an alarm of vCalendar 1.0 became one of iCalendar 2.0")
                return text
            }
        }
    }

    /// A UID as those of other formats without one: readers know that it was made.
    private func madeUID() -> String {
        if isEvent {
            for piece in pieces {
                piece.withUnsafeBytes { content.add($0) }
                content.add(10 as UInt8)
            }
            return TodoUIDs.text(of: file.events.id(content: content))
        }
        draft.start = dates["DTSTART"]?.moment
        draft.due = dates["DUE"]?.moment
        draft.created = dates["CREATED"]?.moment
        for piece in pieces {
            let name = String(decoding: piece.prefix(7), as: UTF8.self).uppercased()
            if ["RRULE", "EXRULE", "RDATE", "EXDATE"].contains(where: {
                name.hasPrefix($0 + ":") || name.hasPrefix($0 + ";")
            }) {
                draft.recurrence.append(String(decoding: piece, as: UTF8.self))
            }
        }
        file.todos.assign(&draft)
        return draft.uid ?? ""
    }

    /// The last time that is known of it; where none is, always the same one.
    private func stamp() -> [UInt8] {
        let known = ["LAST-MODIFIED", "CREATED", "COMPLETED"].compactMap { dates[$0]?.moment }.first
        var moment = known ?? TodoMoment(local: TodoFields.noStamp)
        if moment.isDay { moment.local += "T00:00:00" }
        moment.tzid = "UTC"
        return Array(("DTSTAMP" + value(moment)).utf8)
    }

    // MARK: Pieces

    /// The number of lines gathered.
    var count: Int { pieces.count }

    /// Keeps a line that 2.0 does not have under a name of ours.
    func keep(_ first: ContentLine, _ lines: ContentLines) {
        let name = lines.string(first.name).uppercased()
        note(
            .changed, "line-kept", name, lines.bytes(first.value),
            "written as \(TodoLine.keptPrefix)\(name): iCalendar 2.0 has no such line")
        LegacyLine.keep(first, lines, line)
        put()
    }

    /// Takes the line that was made.
    func put() {
        // A backslash at the end would take up the next line.
        if TodoLine.endsInOpenEscape(UnsafeRawBufferPointer(line.elements)) { line.append(0x5C) }
        pieces.append(Array(line.elements))
    }

    /// Takes a line.
    func put(_ text: String) {
        line.removeAll()
        line.append(text)
        put()
    }

    private func write(_ piece: [UInt8], to out: RawVector<UInt8>) {
        piece.withUnsafeBytes { ContentLineWriter.fold($0, into: out) }
    }

    func note(
        _ kind: Report.ItemClass, _ code: String, _ property: String,
        _ value: UnsafeRawBufferPointer?, _ action: String
    ) {
        file.context.report.note(
            kind, code, source: file.source, record: record, property: property,
            value: value.map { String(decoding: $0.prefix(80), as: UTF8.self) }, action: action)
    }
}
