// The lines of a to-do as a row of `TodoItem`. Nothing is lost on the way (DESIGN 1.4, 1.8): what
// a property of the class cannot say of its line stands in `parameters`, `raw` or `extras`. The
// way back is `TodoLineWriter`'s.

/// Fills rows of `TodoItem` from the lines of to-dos.
final class TodoMapper {
    private let context: ExchangeContext
    private let source: ICalendarReader
    private let scratch = RawVector<UInt8>(capacity: 512)
    private let canonical = RawVector<UInt8>(capacity: 256)
    /// First line, and number of lines, of each property.
    private let firstLine: UnsafeMutablePointer<Int32>
    private let lineCount: UnsafeMutablePointer<Int32>
    @exclusivity(unchecked) private var sequence: [(rank: UInt16, line: Int)] = []
    @exclusivity(unchecked) private var identifiers: [[UInt8]] = []
    @exclusivity(unchecked) private var relations: ICalendarRelations?
    /// Start and due date of the to-do, with the IANA zone where it is known.
    @exclusivity(unchecked) private var start: (date: ICalendarDate, zone: String?)?
    @exclusivity(unchecked) private var due: (date: ICalendarDate, zone: String?)?

    /// Lines that stand in `extras`, whatever else they stand in.
    private static let kept: ContentLineFlags = ContentLineFlags(rawValue: 0x8000)
    /// A Realm string may not be larger (in bytes).
    static let valueLimit = 16_777_199

    init(source: ICalendarReader, context: ExchangeContext) {
        self.source = source
        self.context = context
        firstLine = .allocate(capacity: ICalendarProperty.count)
        lineCount = .allocate(capacity: ICalendarProperty.count)
    }

    deinit {
        scratch.destroy()
        canonical.destroy()
        firstLine.deallocate()
        lineCount.deallocate()
    }

    /// Appends the to-do the source has read last; the id is left to the caller.
    func append(to columns: TodoColumns) {
        let lines = source.lines
        sort(lines)
        text(.uid, lines, columns.texts[0])
        text(.summary, lines, columns.texts[1])
        text(.description, lines, columns.texts[2])
        text(.status, lines, columns.texts[3])
        text(.duration, lines, columns.texts[4])
        text(.classification, lines, columns.texts[5])
        text(.location, lines, columns.texts[6])
        text(.url, lines, columns.texts[7])
        text(.geo, lines, columns.texts[8], isText: false)
        text(.color, lines, columns.texts[9])
        number(.percent, lines, columns.numbers[0])
        number(.priority, lines, columns.numbers[1])
        number(.sequence, lines, columns.numbers[2])
        identifiers.removeAll(keepingCapacity: true)
        start = nil
        due = nil
        date(.completed, lines, columns.dates[0])
        date(.created, lines, columns.dates[1])
        date(.modified, lines, columns.dates[2])
        date(.stamp, lines, columns.dates[3])
        date(.recurrenceID, lines, columns.dates[4])
        date(.start, lines, columns.dates[5])
        date(.due, lines, columns.dates[6])
        checkDates()
        checkStatus(lines)
        checkRelations(lines, columns.texts[0])
        categories(lines, columns.categories)
        lists(lines, columns)
        zones(columns.timeZones)
        columns.batch.closeRow()
    }

    // MARK: Which line is what

    /// Tags the lines and decides which of them are kept as lines too.
    private func sort(_ lines: ContentLines) {
        for i in 0..<ICalendarProperty.count {
            firstLine[i] = -1
            lineCount[i] = 0
        }
        let table = ICalendarProperty.table
        let base = lines.lines.base
        var previous: UInt16 = 0
        var isAscending = true
        for i in 0..<lines.count {
            let line = base[i]
            var tag: UInt16 = 0
            if line.group.isEmpty, line.flags.isDisjoint(with: [.nested, .noColon]) {
                tag = table.property(line.key, lines.bytes(line.name))
            }
            base[i].tag = tag
            let t = Int(tag)
            if firstLine[t] < 0 { firstLine[t] = Int32(truncatingIfNeeded: i) }
            lineCount[t] &+= 1
            if tag == 0 { continue }
            if tag <= ICalendarProperty.duration.rawValue,
                tag != ICalendarProperty.recurrence.rawValue
            {
                if tag < previous { isAscending = false }
                previous = tag
                if line.parameterCount > 0 { base[i].flags.insert(TodoMapper.kept) }
            }
        }
        for t in 1...Int(ICalendarProperty.duration.rawValue)
        where lineCount[t] > 1 && t != Int(ICalendarProperty.recurrence.rawValue) {
            for i in 0..<lines.count where Int(base[i].tag) == t {
                base[i].flags.insert(TodoMapper.kept)
            }
        }
        if !isAscending { keepUnusualPlaces(lines) }
    }

    /// Scalars have no order of their own: those outside the longest run in our order are kept
    /// as lines, which have one.
    private func keepUnusualPlaces(_ lines: ContentLines) {
        let base = lines.lines.base
        sequence.removeAll(keepingCapacity: true)
        for i in 0..<lines.count {
            let tag = base[i].tag
            guard tag > 0, tag <= ICalendarProperty.duration.rawValue,
                tag != ICalendarProperty.recurrence.rawValue,
                base[i].flags.isDisjoint(with: TodoMapper.kept)
            else { continue }
            sequence.append((tag, i))
        }
        // Each rank occurs once here, so there are few.
        let n = sequence.count
        guard n > 1, n <= 32 else { return }
        var best = [Int](repeating: 1, count: n)
        var from = [Int](repeating: -1, count: n)
        for i in 0..<n {
            for j in 0..<i where sequence[j].rank < sequence[i].rank && best[j] + 1 > best[i] {
                best[i] = best[j] + 1
                from[i] = j
            }
        }
        var keep = [Bool](repeating: true, count: n)
        var at = best.indices.max { best[$0] < best[$1] } ?? -1
        while at >= 0 {
            keep[at] = false
            at = from[at]
        }
        for i in 0..<n where keep[i] { base[sequence[i].line].flags.insert(TodoMapper.kept) }
    }

    // MARK: Scalars

    private func text(
        _ property: ICalendarProperty, _ lines: ContentLines, _ column: TextColumn,
        isText: Bool = true
    ) {
        let i = Int(firstLine[Int(property.rawValue)])
        guard i >= 0 else { return column.null() }
        let line = lines[i]
        let value = lines.bytes(line.value)
        guard value.count <= TodoMapper.valueLimit else {
            setAside(property.name, line, value.count)
            return column.null()
        }
        if isText, line.flags.contains(.backslash) {
            ValueText.unescape(
                value, lines.dialect,
                quotedPrintable: line.flags.contains(.quotedPrintable), into: column.bytes)
        } else {
            column.bytes.append(bytes: value)
        }
        column.close()
    }

    private func setAside(_ name: String, _ line: ContentLine, _ count: Int) {
        context.report.note(
            .setAside, "value-too-large", source: source.name,
            line: source.lineNumber(at: source.source.lowerBound + Int(line.raw.place)),
            record: source.record, property: name, value: "\(count) bytes",
            action: "left out: a store cannot hold a value of more than 16777199 bytes")
    }

    private func number(
        _ property: ICalendarProperty, _ lines: ContentLines, _ column: WordColumn
    ) {
        let tag = property.rawValue
        var i = Int(firstLine[Int(tag)])
        guard i >= 0 else { return column.append(nil) }
        // The first line that says a number counts; those before it say nothing.
        while ScalarText.int(ICalendarText.trimmed(lines.bytes(lines[i].value))) == nil {
            let value = lines.bytes(lines[i].value)
            lines.lines.base[i].flags.insert(TodoMapper.kept)
            context.report.note(
                .guessed, value.isEmpty ? "number-empty" : "number-unreadable",
                source: source.name, record: source.record, property: property.name,
                value: String(decoding: value.prefix(80), as: UTF8.self),
                action: "taken as not given")
            i += 1
            while i < lines.count, lines[i].tag != tag { i += 1 }
            guard i < lines.count else { return column.append(nil) }
        }
        let value = lines.bytes(lines[i].value)
        guard let number = ScalarText.int(value) else {
            lines.lines.base[i].flags.insert(TodoMapper.kept)
            return column.append(ScalarText.int(ICalendarText.trimmed(value)))
        }
        if value[0] == 0x2B || (value[0] == 0x30 && value.count > 1) {
            lines.lines.base[i].flags.insert(TodoMapper.kept)
        }
        column.append(number)
    }

    private func categories(_ lines: ContentLines, _ column: TextListColumn) {
        let tag = ICalendarProperty.categories.rawValue
        if lineCount[Int(tag)] > 0 {
            var isKept = false
            for i in Int(firstLine[Int(tag)])..<lines.count where lines[i].tag == tag {
                let line = lines[i]
                let isWhole = TodoLine.forEachCategory(
                    lines.bytes(line.value), lines.dialect, scratch
                ) { column.elements.append($0) }
                if !isWhole { isKept = true }
            }
            // CATEGORIES is kept as lines all or none.
            for i in Int(firstLine[Int(tag)])..<lines.count where isKept && lines[i].tag == tag {
                lines.lines.base[i].flags.insert(TodoMapper.kept)
            }
        }
        column.close()
    }

    // MARK: Dates

    private func date(
        _ property: ICalendarProperty, _ lines: ContentLines, _ column: TodoItemColumns
    ) {
        let tag = Int(property.rawValue)
        let i = Int(firstLine[tag])
        guard i >= 0 else { return column.null() }
        if lineCount[tag] > 1 {
            // The first one counts; the others are kept as lines.
            for j in i + 1..<lines.count where Int(lines[j].tag) == tag {
                lines.lines.base[j].tag = 0
            }
        }
        let line = lines[i]
        let value = lines.bytes(line.value)
        guard let date = ICalendarDate(value) else {
            lines.lines.base[i].tag = 0
            note(
                .guessed, value.isEmpty ? "date-empty" : "date-unreadable", property.name, value,
                "kept as a line, without a date")
            return column.null()
        }
        var hasTime = date.hasTime
        column.open(order: place(of: i))
        column.group.null()
        var zone: TextRange?
        var isCanonical = date.isExact
        if line.parameterCount > 0 {
            for j in lines.parameterIndices(line) {
                let parameter = lines.parameters[j]
                let isFirst = j == Int(line.firstParameter)
                if parameter.isBare {
                    isCanonical = false
                } else if NameKey.equals(lines.bytes(parameter.name), "TZID") {
                    if zone == nil { zone = parameter.value }
                    if parameter.needsDecoding || date.isUTC || !hasTime || !isFirst {
                        isCanonical = false
                    }
                    continue
                } else if parameter.key == NameKey.value {
                    let isDay = NameKey.equals(lines.bytes(parameter.value), "DATE")
                    if isDay, date.hasTime { hasTime = false }
                    if !isDay || date.hasTime || !isFirst { isCanonical = false }
                    if isDay || NameKey.equals(lines.bytes(parameter.value), "DATE-TIME") {
                        continue
                    }
                }
                appendParameter(parameter, lines, column.parameters.elements)
            }
        }
        column.parameters.close()
        if !hasTime, line.parameterCount == 0 { isCanonical = false }
        if isCanonical || line.flags.contains(.decoded) {
            column.raw.null()
        } else {
            appendLogicalLine(line, lines, to: column.raw.bytes)
            column.raw.close()
        }
        var local = date
        local.hasTime = hasTime
        local.write(local: column.own.0.bytes)
        column.own.0.close()
        let name = zoneColumns(date, hasTime, zone, lines, column)
        column.close()
        if property == .start { start = (local, name) }
        if property == .due { due = (local, name) }
        if !date.isExact { note(.guessed, "date-form", property.name, value, "read tolerantly") }
        if property == .completed, hasTime, !date.isUTC {
            note(
                .guessed, "completed-not-utc", property.name, value,
                "kept; the standard wants universal time here")
        }
    }

    /// Fills `tzid` and `zone` of a date.
    /// - Returns: the zone's name, `""` for a clock time without one, nil when it is not known.
    private func zoneColumns(
        _ date: ICalendarDate, _ hasTime: Bool, _ zone: TextRange?, _ lines: ContentLines,
        _ column: TodoItemColumns
    ) -> String? {
        if date.isUTC, hasTime {
            let utc: StaticString = "UTC"
            column.own.1.bytes.append(utc.utf8Start, count: 3)
            column.own.1.close()
            column.own.2.null()
            return "UTC"
        }
        guard hasTime, let zone, !zone.isEmpty else {
            column.own.1.null()
            column.own.2.null()
            return ""
        }
        let start = column.own.1.bytes.count
        ParameterText.decode(lines.bytes(zone), into: column.own.1.bytes)
        column.own.1.close()
        let identifier = column.own.1.bytes.bytes(from: start, to: column.own.1.bytes.count)
        let entry = source.zones.entry(for: identifier, calendar: source.calendar)
        remember(identifier)
        if let zone = entry.zone {
            column.own.2.bytes.append(zone)
            column.own.2.close()
        } else {
            column.own.2.null()
        }
        return entry.zone
    }

    /// A due date before the start, or of another kind, is kept and said.
    private func checkDates() {
        guard let start, let due else { return }
        if start.date.hasTime != due.date.hasTime {
            context.report.note(
                .guessed, "due-start-types-differ", source: source.name, record: source.record,
                property: "DUE", action: "kept: one is a whole day, the other has a time")
            return
        }
        var first = start.date.localSeconds
        var second = due.date.localSeconds
        if start.date.hasTime, start.zone != due.zone {
            guard let from = start.zone, let to = due.zone, !from.isEmpty, !to.isEmpty,
                let fromZone = context.zoneLibrary.zone(named: from),
                let toZone = context.zoneLibrary.zone(named: to)
            else { return }
            first = fromZone.instant(ofLocal: first).instant
            second = toZone.instant(ofLocal: second).instant
        }
        guard second < first else { return }
        context.report.note(
            .guessed, "due-before-start", source: source.name, record: source.record,
            property: "DUE", action: "kept: both dates stay as they are")
    }

    /// Relations that close a circle are kept as lines only.
    private func checkRelations(_ lines: ContentLines, _ uids: TextColumn) {
        let tag = ICalendarProperty.relatedTo.rawValue
        guard lineCount[Int(tag)] > 0 else { return }
        let known = relations ?? ICalendarRelations(of: source, context: context)
        relations = known
        if known.isEmpty { return }
        let row = uids.ends.count - 1
        let uid = uids.bytes.bytes(from: row == 0 ? 0 : uids.ends[row - 1], to: uids.ends[row])
        for i in 0..<lines.count
        where lines[i].tag == tag && known.refuses(lines[i], lines, uid: uid) {
            lines.lines.base[i].tag = 0
        }
    }

    /// A completion time on a to-do that says it is open: taken for open, the time is kept.
    private func checkStatus(_ lines: ContentLines) {
        let completed = Int(firstLine[Int(ICalendarProperty.completed.rawValue)])
        let status = Int(firstLine[Int(ICalendarProperty.status.rawValue)])
        guard completed >= 0, status >= 0,
            NameKey.starts(lines.bytes(lines[status].value), with: "NEEDS")
        else { return }
        note(
            .guessed, "completed-while-open", "COMPLETED", lines.bytes(lines[completed].value),
            "the status says open, so the to-do is; the time is kept")
    }

    private func remember(_ identifier: UnsafeRawBufferPointer) {
        for known in identifiers where known.elementsEqual(identifier) { return }
        if identifiers.count < 64 { identifiers.append(Array(identifier)) }
    }

    private func note(
        _ kind: Report.ItemClass, _ code: String, _ property: String,
        _ value: UnsafeRawBufferPointer, _ action: String
    ) {
        context.report.note(
            kind, code, source: source.name, record: source.record, property: property,
            value: String(decoding: value.prefix(80), as: UTF8.self), action: action)
    }

    // MARK: Lists

    /// The place of a line among the property lines of the to-do.
    private func place(of i: Int) -> Int {
        // Components come last nearly always, so counting them is short.
        var nested = 0
        for j in stride(from: i &- 1, through: 0, by: -1) {
            if lines.lines[j].flags.contains(.nested) { nested &+= 1 }
        }
        return i &- nested
    }

    private var lines: ContentLines { source.lines }

    /// Relations, recurrence, components and all lines that are kept as such.
    private func lists(_ lines: ContentLines, _ columns: TodoColumns) {
        var place = 0
        for i in 0..<lines.count {
            let line = lines[i]
            if line.flags.contains(.nested) {
                component(line, lines, columns.components.elements)
                continue
            }
            switch line.tag {
            case ICalendarProperty.relatedTo.rawValue:
                relation(line, lines, place, columns.relations)
            case ICalendarProperty.recurrence.rawValue:
                recurrence(line, lines, columns.recurrence.elements)
            case 0: extra(line, lines, place, columns.extras)
            default:
                if line.flags.contains(TodoMapper.kept) {
                    extra(line, lines, place, columns.extras)
                }
            }
            place &+= 1
        }
        columns.relationEnds.append(columns.relations.group.ends.count)
        columns.recurrence.close()
        columns.components.close()
        columns.extraEnds.append(columns.extras.group.ends.count)
    }

    private func component(
        _ line: ContentLine, _ lines: ContentLines, _ column: TextColumn
    ) {
        let text = lines.bytes(line.value)
        guard text.count <= TodoMapper.valueLimit else {
            return setAside(lines.string(line.name), line, text.count)
        }
        ICalendarComponent.appendVerbatim(text, to: column.bytes)
        column.close()
    }

    private func recurrence(_ line: ContentLine, _ lines: ContentLines, _ column: TextColumn) {
        appendLogicalLine(line, lines, to: column.bytes)
        column.close()
        if line.parameterCount > 0 { rememberZone(line, lines) }
    }

    private func rememberZone(_ line: ContentLine, _ lines: ContentLines) {
        for j in lines.parameterIndices(line) {
            let parameter = lines.parameters[j]
            guard !parameter.isBare, NameKey.equals(lines.bytes(parameter.name), "TZID") else {
                continue
            }
            scratch.removeAll()
            ParameterText.decode(lines.bytes(parameter.value), into: scratch)
            remember(UnsafeRawBufferPointer(scratch.elements))
        }
    }

    private func relation(
        _ line: ContentLine, _ lines: ContentLines, _ place: Int, _ column: TodoItemColumns
    ) {
        column.open(order: place)
        column.group.null()
        var kind: TextRange?
        var isCanonical = false
        for j in lines.parameterIndices(line) {
            let parameter = lines.parameters[j]
            if !parameter.isBare, kind == nil,
                NameKey.equals(lines.bytes(parameter.name), "RELTYPE")
            {
                kind = parameter.value
                isCanonical = j == Int(line.firstParameter) && !parameter.needsDecoding
                continue
            }
            if parameter.isBare { isCanonical = false }
            appendParameter(parameter, lines, column.parameters.elements)
        }
        column.parameters.close()
        let start = column.own.0.bytes.count
        if let kind {
            ParameterText.decode(lines.bytes(kind), into: column.own.0.bytes)
            for i in start..<column.own.0.bytes.count {
                let c = column.own.0.bytes[i]
                if c &- 0x61 < 26 {
                    column.own.0.bytes[i] = c & 0xDF
                    isCanonical = false
                }
            }
        } else {
            column.own.0.bytes.append("PARENT")
        }
        column.own.0.close()
        ValueText.unescape(lines.bytes(line.value), lines.dialect, into: column.own.1.bytes)
        column.own.1.close()
        if isCanonical || line.flags.contains(.decoded) {
            column.raw.null()
        } else {
            appendLogicalLine(line, lines, to: column.raw.bytes)
            column.raw.close()
        }
        column.close()
    }

    private func extra(
        _ line: ContentLine, _ lines: ContentLines, _ place: Int, _ column: TodoItemColumns
    ) {
        guard line.value.count <= TodoMapper.valueLimit else {
            return setAside(lines.string(line.name), line, line.value.count)
        }
        column.open(order: place)
        if line.group.isEmpty {
            column.group.null()
        } else {
            column.group.append(lines.bytes(line.group))
        }
        for j in lines.parameterIndices(line) {
            appendParameter(lines.parameters[j], lines, column.parameters.elements)
        }
        column.parameters.close()
        if line.parameterCount > 0 { rememberZone(line, lines) }
        column.raw.null()
        column.own.0.append(lines.bytes(line.name))
        if line.flags.contains(.decoded), lines.dialect == .legacy {
            // Decoded text is spelled as a 2.0 line has it: that is how it will be written.
            scratch.removeAll()
            ValueText.unescape(
                lines.bytes(line.value), .legacy,
                quotedPrintable: line.flags.contains(.quotedPrintable), into: scratch)
            TodoLine.escape(UnsafeRawBufferPointer(scratch.elements), to: column.own.1.bytes)
            column.own.1.close()
        } else {
            column.own.1.append(lines.bytes(line.value))
        }
        column.close()
        if line.flags.contains(.noColon) {
            note(
                .guessed, "line-without-colon", "", lines.bytes(line.value),
                "kept among the extra lines; it cannot be written to iCalendar")
        }
    }

    private func zones(_ column: TextListColumn) {
        for identifier in identifiers {
            let entry = identifier.withUnsafeBytes {
                source.zones.entry(for: $0, calendar: source.calendar)
            }
            if let definition = entry.definition {
                column.elements.bytes.append(definition)
                column.elements.close()
            }
        }
        column.close()
    }

    // MARK: Text of lines

    private func appendParameter(
        _ parameter: ContentParameter, _ lines: ContentLines, _ column: TextColumn
    ) {
        if !parameter.isBare {
            column.bytes.append(bytes: lines.bytes(parameter.name))
            column.bytes.append(0x3D)
        }
        column.bytes.append(bytes: lines.bytes(parameter.value))
        column.close()
    }

    private func appendLogicalLine(
        _ line: ContentLine, _ lines: ContentLines, to out: RawVector<UInt8>
    ) {
        out.append(bytes: lines.bytes(line.name))
        for j in lines.parameterIndices(line) {
            let parameter = lines.parameters[j]
            out.append(0x3B)
            if !parameter.isBare {
                out.append(bytes: lines.bytes(parameter.name))
                out.append(0x3D)
            }
            out.append(bytes: lines.bytes(parameter.value))
        }
        out.append(0x3A)
        out.append(bytes: lines.bytes(line.value))
    }
}
