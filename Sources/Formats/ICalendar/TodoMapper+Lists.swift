// The lists of a to-do's row: relations, recurrence, components, lines that are kept, zones.

extension TodoMapper {
    // MARK: Lists

    /// The place of a line among the property lines of the to-do.
    func place(of i: Int) -> Int {
        // Components come last nearly always, so counting them is short.
        var nested = 0
        for j in stride(from: i &- 1, through: 0, by: -1) {
            if lines.lines[j].flags.contains(.nested) { nested &+= 1 }
        }
        return i &- nested
    }

    var lines: ContentLines { source.lines }

    /// Relations, recurrence, components and all lines that are kept as such.
    func lists(_ lines: ContentLines, _ columns: TodoColumns) {
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
            case TodoMapper.taken: break
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

    func component(
        _ line: ContentLine, _ lines: ContentLines, _ column: TextColumn
    ) {
        let text = lines.bytes(line.value)
        ICalendarComponent.appendVerbatim(text, to: column.bytes)
        column.close()
    }

    func recurrence(_ line: ContentLine, _ lines: ContentLines, _ column: TextColumn) {
        appendLogicalLine(line, lines, to: column.bytes)
        column.close()
        if line.parameterCount > 0 { rememberZone(line, lines) }
    }

    func rememberZone(_ line: ContentLine, _ lines: ContentLines) {
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

    func relation(
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

    func extra(
        _ line: ContentLine, _ lines: ContentLines, _ place: Int, _ column: TodoItemColumns
    ) {
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
        column.own.1.append(lines.bytes(line.value))
        column.close()
        if line.flags.contains(.noColon) {
            note(
                .guessed, "line-without-colon", "", lines.bytes(line.value),
                "kept among the extra lines; it cannot be written to iCalendar")
        }
    }

    func zones(_ column: TextListColumn) {
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

    /// Relations that close a circle are kept as lines only.
    func checkRelations(_ lines: ContentLines, _ uids: TextColumn) {
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
}
