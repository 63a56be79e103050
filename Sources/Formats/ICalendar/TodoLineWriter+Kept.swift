// Lines of a row that are kept as they were, and what becomes of them when the row says something
// else by now; the relations to other to-dos, which are kept in the same way.

extension TodoLineWriter {
    /// A line kept of a scalar: as it is while the scalar still says the same.
    func writeKept(
        _ property: ICalendarProperty, _ entry: Entry, _ item: TodoItemView, _ rows: TodoRows,
        _ out: RawVector<UInt8>
    ) {
        if property == .percent, isReopened, rows.number(.percent, row) == 100 { return }
        let isFirst = firstKept(property) == entry.index
        let isUnchanged = keptSaysTheSame(property, rows)
        let isNumber = property == .priority || property == .percent || property == .sequence
        let isUnreadable = isNumber && item.text(.value).flatMap { ScalarText.int($0) } == nil
        // A line that says no number is left out, or it would hide a further one that does.
        if isNumber, isUnchanged,
            item.text(.value).flatMap({ ScalarText.int(ICalendarText.trimmed($0)) }) == nil
        {
            if let text = item.text(.value), !ICalendarText.trimmed(text).isEmpty {
                return writeUnreadable(property, item, text, out)
            }
            return note(
                .changed, "number-empty", property.name, item.string(.value),
                "left out: it says no number, which means none")
        }
        if !isFirst {
            if isUnchanged {
                // Space around the number that counts goes, as it does on a first line.
                let says = item.text(.value).flatMap {
                    ScalarText.int(ICalendarText.trimmed($0))
                }
                let isOurs =
                    isUnreadable && says == rows.number(TodoLineWriter.field(of: property), row)
                writeExtra(item, value: isOurs ? property : nil, rows: rows, out)
            }
            return
        }
        let hasValue: Bool
        switch property {
        case .categories: hasValue = !rows.range(.categories, row).isEmpty
        case .priority, .sequence:
            hasValue = rows.number(TodoLineWriter.field(of: property), row) != nil
        case .percent: hasValue = rows.number(.percent, row) != nil || addsPercent
        case .status: hasValue = rows.text(.status, row) != nil || isDoneWithoutStatus
        default: hasValue = rows.text(TodoLineWriter.field(of: property), row) != nil
        }
        if isUnchanged, !isUnreadable {
            return writeExtra(item, value: nil, out)
        }
        guard hasValue else {
            if property == .status, item.text(.value)?.isEmpty ?? true {
                note(
                    .changed, "status-empty", property.name, nil,
                    "left out: it says no state, which means none")
            }
            return
        }
        writeExtra(item, value: property, rows: rows, out)
        if property == .status, isOtherStatus(rows) {
            writeKeptStatus(rows, out)
            addedLines += 1
        }
    }

    /// A line of a number that says none, under a name of ours.
    private func writeUnreadable(
        _ property: ICalendarProperty, _ item: TodoItemView, _ text: UnsafeRawBufferPointer,
        _ out: RawVector<UInt8>
    ) {
        note(
            .changed, "number-unreadable", property.name, item.string(.value),
            "written under a name of ours: it is no number")
        line.removeAll()
        line.append(TodoLine.keptPrefix)
        line.append(property.name)
        appendParameters(item)
        line.append(0x3A)
        TodoLine.append(value: text, to: line)
        fold(out)
    }

    /// True when the lines kept of a scalar still say what the scalar says.
    func keptSaysTheSame(_ property: ICalendarProperty, _ rows: TodoRows) -> Bool {
        let i = Int(property.rawValue)
        if let known = isSame[i] { return known }
        let answer = compareKept(property, rows)
        isSame[i] = answer
        return answer
    }

    func compareKept(_ property: ICalendarProperty, _ rows: TodoRows) -> Bool {
        let field = TodoLineWriter.field(of: property)
        if property == .categories {
            var i = rows.range(field, row).lowerBound
            let end = rows.range(field, row).upperBound
            var isSame = true
            for entry in entries where entry.property == property.rawValue {
                guard let text = rows.item(.extras, entry.index)?.text(.value) else { continue }
                TodoLine.forEachCategory(text, .iCalendar, scratch) { category in
                    if i >= end || !equalBytes(category, rows.element(field, i)) { isSame = false }
                    i += 1
                }
            }
            return isSame && i == end
        }
        guard let kept = rows.item(.extras, firstKept(property))?.text(.value) else { return false }
        switch property {
        case .priority, .percent, .sequence:
            if property == .percent, addsPercent { return false }
            var said: Int64?
            for entry in entries where entry.property == property.rawValue && said == nil {
                said = rows.item(.extras, entry.index)?.text(.value).flatMap {
                    ScalarText.int(ICalendarText.trimmed($0))
                }
            }
            return said == rows.number(field, row)
        case .status where isLegacyStatus(rows): return false
        case .geo: return rows.text(field, row).map { equalBytes($0, kept) } ?? false
        default:
            guard let text = rows.text(field, row) else { return false }
            scratch.removeAll()
            ValueText.unescape(kept, .iCalendar, into: scratch)
            return equalBytes(text, UnsafeRawBufferPointer(scratch.elements))
        }
    }

    /// A line as it was, or with the present value of its scalar.
    func writeExtra(
        _ item: TodoItemView, value property: ICalendarProperty?, rows: TodoRows? = nil,
        _ out: RawVector<UInt8>
    ) {
        guard let name = item.text(.name), TodoLine.isName(name) else {
            return note(
                .lost, "line-unwritable", item.string(.name) ?? "", item.string(.value),
                "left out: a line needs a name of letters, digits and dashes")
        }
        line.removeAll()
        if let group = item.text(.group), TodoLine.isName(group) {
            line.append(bytes: group)
            line.append(0x2E)
        }
        line.append(bytes: name)
        appendParameters(item)
        line.append(0x3A)
        if let property, let rows {
            appendValue(property, rows)
        } else if let value = item.text(.value) {
            TodoLine.append(value: value, to: line)
        }
        fold(out)
    }

    func appendParameters(_ item: TodoItemView) {
        item.forEachParameter { text in
            if !TodoLine.append(parameter: text, to: line) {
                note(
                    .lost, "bare-parameter", "", String(decoding: text.prefix(80), as: UTF8.self),
                    "left out: iCalendar 2.0 has no parameters without a name")
            }
        }
    }

    func writeRelation(_ item: TodoItemView, _ out: RawVector<UInt8>) {
        guard let uid = item.text(.uid) else { return }
        let kind = item.text(.kind)
        if let raw = item.text(.raw), rawSaysTheSame(raw, kind: kind, uid: uid) {
            line.removeAll()
            line.append(bytes: raw)
            return fold(out)
        }
        line.removeAll()
        line.append("RELATED-TO")
        if let kind, !kind.isEmpty {
            line.append(";RELTYPE=")
            ParameterText.encode(kind, .iCalendar, into: line)
        }
        appendParameters(item)
        line.append(0x3A)
        TodoLine.escape(uid, to: line)
        fold(out)
    }

    func parse(_ raw: UnsafeRawBufferPointer) -> ContentLine? {
        guard TodoLine.isOneLine(raw), !raw.isEmpty else { return nil }
        var scanner = ContentLineScanner(raw)
        parsed.begin(at: scanner.pointer(at: 0))
        guard scanner.next(into: parsed), parsed.count == 1, scanner.position == scanner.end else {
            return nil
        }
        let line = parsed[0]
        guard line.group.isEmpty, line.flags.isDisjoint(with: [.noColon, .begin, .end]) else {
            return nil
        }
        for j in parsed.parameterIndices(line) where parsed.parameters[j].isBare { return nil }
        return line
    }

    func rawSaysTheSame(
        _ raw: UnsafeRawBufferPointer, kind: UnsafeRawBufferPointer?, uid: UnsafeRawBufferPointer
    ) -> Bool {
        guard let line = parse(raw), NameKey.equals(parsed.bytes(line.name), "RELATED-TO") else {
            return false
        }
        var said = "PARENT"
        for j in parsed.parameterIndices(line)
        where NameKey.equals(parsed.bytes(parsed.parameters[j].name), "RELTYPE") {
            scratch.removeAll()
            ParameterText.decode(parsed.bytes(parsed.parameters[j].value), into: scratch)
            said = String(decoding: scratch.elements, as: UTF8.self).uppercased()
        }
        guard kind.map({ NameKey.equals($0, said) }) ?? false else { return false }
        scratch.removeAll()
        ValueText.unescape(parsed.bytes(line.value), .iCalendar, into: scratch)
        return equalBytes(uid, UnsafeRawBufferPointer(scratch.elements))
    }
}
