// The dates of a to-do as items of its row, with the zone each one is in.

extension TodoMapper {
    // MARK: Dates

    /// The first line of a property that says a date; the others are kept as lines.
    private func firstDate(_ property: ICalendarProperty, _ lines: ContentLines) -> (
        line: Int, date: ICalendarDate?
    ) {
        let tag = Int(property.rawValue)
        let first = Int(firstLine[tag])
        let end = lineCount[tag] > 1 ? lines.count : first + 1
        var found: (line: Int, date: ICalendarDate?) = (first, nil)
        for j in first..<end where Int(lines[j].tag) == tag {
            let value = lines.bytes(lines[j].value)
            if found.date == nil, let date = ICalendarDate(value) {
                found = (j, date)
                continue
            }
            lines.lines.base[j].tag = 0
            if found.date != nil { continue }
            note(
                .guessed, value.isEmpty ? "date-empty" : "date-unreadable", property.name, value,
                "kept as a line, without a date")
        }
        return found
    }

    func date(
        _ property: ICalendarProperty, _ lines: ContentLines, _ column: TodoItemColumns
    ) {
        let tag = Int(property.rawValue)
        guard firstLine[tag] >= 0 else { return column.null() }
        let (i, found) = firstDate(property, lines)
        guard let date = found else { return column.null() }
        let line = lines[i]
        let value = lines.bytes(line.value)
        var hasTime = date.hasTime
        column.open(order: place(of: i))
        column.group.null()
        var zone: TextRange?
        var isCanonical = date.isExact
        var isWholeDay = false
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
                } else if property.isUniversal, date.isUTC,
                    date.hour + date.minute + date.second == 0,
                    NameKey.equals(lines.bytes(parameter.name), ICalendarProperty.dayParameter),
                    NameKey.equals(lines.bytes(parameter.value), "DATE")
                {
                    // We wrote this moment for a whole day.
                    hasTime = false
                    isWholeDay = true
                    if !isFirst { isCanonical = false }
                    continue
                }
                appendParameter(parameter, lines, column.parameters.elements)
            }
        }
        column.parameters.close()
        if !hasTime, line.parameterCount == 0 || property.isUniversal && !isWholeDay {
            isCanonical = false
        }
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
        if property == .completed { hasCompleted = true }
        if !date.isExact { note(.guessed, "date-form", property.name, value, "read tolerantly") }
        if property == .completed, hasTime, !date.isUTC {
            note(
                .guessed, "completed-not-utc", property.name, value,
                "kept in the row; the standard wants universal time here")
        }
    }

    /// Fills `tzid` and `zone` of a date.
    /// - Returns: the zone's name, `""` for a clock time without one, nil when it is not known.
    func zoneColumns(
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
    func checkDates() {
        guard let start, let due else { return }
        if start.date.hasTime != due.date.hasTime {
            context.report.note(
                .guessed, "due-start-types-differ", source: source.name, record: source.record,
                property: "DUE", action: "kept: one is a whole day, the other has a time")
            return
        }
        if start.date.hasTime, start.zone?.isEmpty != due.zone?.isEmpty,
            start.zone?.isEmpty == true || due.zone?.isEmpty == true
        {
            context.report.note(
                .guessed, "due-start-types-differ", source: source.name, record: source.record,
                property: "DUE", action: "kept: one is a time without a zone, the other a moment")
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
}
