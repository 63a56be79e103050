// The scalars of a row as lines: what stands once in a to-do and has no order of its own.

extension TodoLineWriter {
    // MARK: Scalars

    /// Writes what a scalar has to say.
    /// - Returns: the number of lines, which is the number of places they take.
    func writeScalar(
        _ property: ICalendarProperty, _ rows: TodoRows, _ out: RawVector<UInt8>
    ) -> Int64 {
        let field = TodoLineWriter.field(of: property)
        switch property {
        case .recurrence:
            var count: Int64 = 0
            for i in rows.range(field, row) where writeRecurrence(rows.element(field, i), rows, out)
            {
                count += 1
            }
            return count
        case .status where isOtherStatus(rows):
            line.removeAll()
            line.append("STATUS:")
            appendValue(property, rows)
            fold(out)
            writeKeptStatus(rows, out)
            return 2
        case .duration where !isPlainDuration(rows):
            note(
                .changed, "duration-kept", "DURATION", rows.string(field, row),
                "written as \(ICalendarProperty.keptDuration): it is none, or beside a due date, or"
                    + " without a start, where iCalendar has none")
            line.removeAll()
            line.append(ICalendarProperty.keptDuration)
            line.append(0x3A)
            appendValue(property, rows)
            fold(out)
            return 1
        default:
            checkValue(property, rows)
            line.removeAll()
            line.append(property.name)
            line.append(0x3A)
            appendValue(property, rows)
            fold(out)
            return 1
        }
    }

    /// Says of a value that iCalendar does not have that it is written all the same.
    private func checkValue(_ property: ICalendarProperty, _ rows: TodoRows) {
        let field = TodoLineWriter.field(of: property)
        let isGood: Bool
        switch property {
        case .priority: isGood = rows.number(field, row).map { (0...9).contains($0) } ?? true
        case .percent: isGood = rows.number(field, row).map { (0...100).contains($0) } ?? true
        case .sequence: isGood = rows.number(field, row).map { $0 >= 0 } ?? true
        case .geo:
            let parts = (rows.string(field, row) ?? "").split(separator: ";")
            isGood = parts.count == 2 && parts.allSatisfy { Double($0) != nil }
        default: return
        }
        if isGood { return }
        note(
            .guessed, "value-unusual", property.name,
            property == .geo
                ? rows.string(field, row) : rows.number(field, row).map { String($0) },
            "written as it is, though iCalendar has no such value here")
    }

    /// Appends a scalar's present value as a line has it.
    func appendValue(_ property: ICalendarProperty, _ rows: TodoRows) {
        let field = TodoLineWriter.field(of: property)
        switch property {
        case .percent where addsPercent: line.append("100")
        case .status where isDoneWithoutStatus: line.append("COMPLETED")
        case .priority, .percent, .sequence:
            if let number = rows.number(field, row) { ScalarText.write(number, to: line) }
        case .categories:
            var isFirst = true
            for i in rows.range(field, row) {
                if !isFirst { line.append(0x2C) }
                isFirst = false
                TodoLine.escape(rows.element(field, i), to: line)
            }
        case .geo:
            if let text = rows.text(field, row) { TodoLine.append(value: text, to: line) }
        case .url:
            // A URI is no text: nothing in it is escaped.
            if let text = rows.text(field, row) {
                if text.contains(0x5C) {
                    TodoLine.escape(text, to: line)
                } else {
                    TodoLine.append(value: text, to: line)
                }
            }
        case .status where isLegacyStatus(rows):
            note(
                .changed, "status-spelling", "STATUS", rows.string(.status, row),
                "written as iCalendar 2.0 spells it")
            line.append("NEEDS-ACTION")
        case .status where isOtherStatus(rows):
            if let text = rows.text(.status, row) { line.append(TodoStatus.todo(for: text)) }
        case .uid where rows.text(.uid, row) == nil:
            if let id = derivedUID(rows) { ScalarText.write(id, to: line) }
        default:
            if let text = rows.text(field, row) { TodoLine.escape(text, to: line) }
        }
    }

    /// True for states that iCalendar does not have, unless a calendar file had them.
    func isOtherStatus(_ rows: TodoRows) -> Bool {
        rows.text(.status, row).map(TodoStatus.isOther) ?? false
    }

    /// Keeps the word behind the state that stands for it.
    func writeKeptStatus(_ rows: TodoRows, _ out: RawVector<UInt8>) {
        guard let text = rows.text(.status, row) else { return }
        note(
            .changed, "status-mapped", "STATUS", rows.string(.status, row),
            "iCalendar has no such state: the nearest one was written, and the word as"
                + " \(TodoStatus.keptName)")
        line.removeAll()
        line.append(TodoStatus.keptName)
        line.append(0x3A)
        TodoLine.escape(text, to: line)
        fold(out)
    }

    /// True where a duration may stand as such (RFC 5545, 3.6.2).
    func isPlainDuration(_ rows: TodoRows) -> Bool {
        func isThere(_ field: TodoField) -> Bool {
            rows.date(field, row)?.text(.local).map { ICalendarDate($0) != nil } ?? false
        }
        return isThere(.start) && !isThere(.due)
            && rows.string(.duration, row).map { TodoDuration($0) != nil } ?? true
    }

    /// True for the status that vCalendar 1.0 spells with a space.
    func isLegacyStatus(_ rows: TodoRows) -> Bool {
        rows.text(.status, row).map { NameKey.equals($0, TodoIdentity.legacyOpen) } ?? false
    }

    /// - Returns: false when the line was left out.
    func writeRecurrence(
        _ text: UnsafeRawBufferPointer, _ rows: TodoRows, _ out: RawVector<UInt8>
    ) -> Bool {
        let upper = [UInt8](text.prefix(8)).map { $0 &- 0x61 < 26 ? $0 & 0xDF : $0 }
        let known = ["RRULE", "RDATE", "EXDATE", "EXRULE"].contains { upper.starts(with: $0.utf8) }
        guard known, TodoLine.isOneLine(text), text.contains(0x3A) else {
            note(
                .lost, "recurrence-unreadable", "recurrence",
                String(decoding: text.prefix(80), as: UTF8.self),
                "left out: it is no RRULE, RDATE, EXDATE or EXRULE line")
            return false
        }
        line.removeAll()
        if let modern = LegacyRecurrence.line(text) {
            note(
                .changed, "recurrence-spelling", "recurrence",
                String(decoding: text.prefix(80), as: UTF8.self),
                "written as iCalendar 2.0 spells it")
            line.append(modern)
        } else {
            line.append(bytes: text)
        }
        fold(out)
        return true
    }
}
