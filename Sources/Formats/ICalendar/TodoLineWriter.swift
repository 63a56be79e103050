// A row of `TodoItem` as the lines of a to-do, the way back from `TodoMapper`. Items stand where
// their order puts them; scalars, which have none, fill the places between in our usual order.
// What was edited since it was read wins over the line that was kept of it.

/// Writes rows as VTODO components.
final class TodoLineWriter {
    private struct Entry: BitwiseCopyable {
        enum Kind: UInt8, BitwiseCopyable { case date, relation, extra }
        var order: Int64
        var kind: Kind
        /// The field of a date, the element of a list.
        var index: Int
        /// The property an extra line belongs to.
        var property: UInt16 = 0
    }

    private let context: ExchangeContext
    private let line = RawVector<UInt8>(capacity: 512)
    private let scratch = RawVector<UInt8>(capacity: 512)
    private let parsed = ContentLines()
    private var entries: [Entry] = []
    /// For each scalar, the first line kept of it (an element of `extras`), or -1.
    private var firstKept = [Int](repeating: -1, count: ICalendarProperty.count)
    private let derived = DerivedIDs()
    /// The id of the row where it must be written as the UID; nil inside before somebody asks.
    private var madeUID: ObjectID??
    /// For each scalar, whether its kept lines say what it says; nil before somebody asks.
    private var isSame = [Bool?](repeating: nil, count: ICalendarProperty.count)
    private var row = 0
    private var repairedStart = Repair.none
    private var repairedDue = Repair.none
    private var isDoneWithoutStatus = false
    private var addsPercent = false

    private enum Repair: Equatable {
        case none, dateTime, day
    }

    init(context: ExchangeContext) {
        self.context = context
    }

    deinit {
        line.destroy()
        scratch.destroy()
    }

    /// Appends a whole component; the record number is for messages.
    func write(_ rows: TodoRows, _ row: Int, record: Int, to out: RawVector<UInt8>) {
        self.row = row
        self.record = record
        madeUID = nil
        if rows.text(.uid, row)?.isEmpty ?? true { _ = derivedUID(rows) }
        out.append("BEGIN:VTODO\r\n")
        gather(rows)
        checkDates(rows)
        checkDone(rows)
        var scalar: UInt16 = 1
        var place: Int64 = 0
        for entry in entries {
            while place < entry.order, let next = nextScalar(from: scalar, rows) {
                place += writeScalar(next, rows, out)
                scalar = next.rawValue + 1
            }
            write(entry, rows, out)
            place += 1
        }
        while let next = nextScalar(from: scalar, rows) {
            _ = writeScalar(next, rows, out)
            scalar = next.rawValue + 1
        }
        for i in rows.range(.components, row) {
            writeComponent(rows.element(.components, i), out)
        }
        out.append("END:VTODO\r\n")
    }

    private var record = 0

    private func note(
        _ kind: Report.ItemClass, _ code: String, _ property: String, _ value: String?,
        _ action: String
    ) {
        context.report.note(
            kind, code, record: record, property: property, value: value,
            action: action)
    }

    // MARK: What there is

    private static let dates: [(TodoField, ICalendarProperty)] = [
        (.completed, .completed), (.created, .created), (.modified, .modified), (.stamp, .stamp),
        (.recurrenceID, .recurrenceID), (.start, .start), (.due, .due),
    ]

    /// The items with an order, in it.
    private func gather(_ rows: TodoRows) {
        entries.removeAll(keepingCapacity: true)
        for (i, (field, _)) in TodoLineWriter.dates.enumerated() {
            guard let date = rows.date(field, row) else { continue }
            entries.append(Entry(order: date.order, kind: .date, index: i))
        }
        for i in rows.range(.relations, row) {
            guard let item = rows.item(.relations, i) else { continue }
            entries.append(Entry(order: item.order, kind: .relation, index: i))
        }
        let extras = rows.range(.extras, row)
        if !extras.isEmpty {
            for i in firstKept.indices {
                firstKept[i] = -1
                isSame[i] = nil
            }
        }
        hasKept = !extras.isEmpty
        for i in extras {
            guard let item = rows.item(.extras, i), let name = item.text(.name) else { continue }
            var entry = Entry(order: item.order, kind: .extra, index: i)
            if item.text(.group)?.isEmpty ?? true {
                let tag = ICalendarProperty.table.property(NameKey.of(name), name)
                if tag > 0, tag <= ICalendarProperty.duration.rawValue {
                    entry.property = tag
                    if firstKept[Int(tag)] < 0 { firstKept[Int(tag)] = i }
                }
            }
            entries.append(entry)
        }
        if entries.count > 1 {
            var isSorted = true
            for i in 1..<entries.count where entries[i - 1].order > entries[i].order {
                isSorted = false
            }
            if !isSorted {
                // The index breaks ties, so that equal orders stay as they stand in the row.
                entries.sort {
                    ($0.order, $0.kind.rawValue, $0.index) < ($1.order, $1.kind.rawValue, $1.index)
                }
            }
        }
    }

    private var hasKept = false

    private func firstKept(_ property: ICalendarProperty) -> Int {
        hasKept ? firstKept[Int(property.rawValue)] : -1
    }

    private static func field(of property: ICalendarProperty) -> TodoField {
        switch property {
        case .uid: .uid
        case .summary: .title
        case .description: .notes
        case .recurrence: .recurrence
        case .priority: .priority
        case .status: .status
        case .percent: .percent
        case .classification: .classification
        case .categories: .categories
        case .location: .location
        case .geo: .geo
        case .url: .url
        case .color: .color
        case .sequence: .sequence
        default: .duration
        }
    }

    /// The next scalar that has a value and no line kept of it.
    private func nextScalar(from: UInt16, _ rows: TodoRows) -> ICalendarProperty? {
        var tag = from
        while tag <= ICalendarProperty.duration.rawValue,
            let property = ICalendarProperty(rawValue: tag)
        {
            tag += 1
            if property != .recurrence, firstKept(property) >= 0 { continue }
            let field = TodoLineWriter.field(of: property)
            switch property {
            case .recurrence, .categories:
                if !rows.range(field, row).isEmpty { return property }
            case .priority, .sequence:
                if rows.number(field, row) != nil { return property }
            case .percent:
                if rows.number(field, row) != nil || addsPercent { return property }
            case .status:
                if rows.text(field, row) != nil || isDoneWithoutStatus { return property }
            case .uid:
                if rows.text(field, row) != nil || derivedUID(rows) != nil { return property }
            default:
                if rows.text(field, row) != nil { return property }
            }
        }
        return nil
    }

    /// An id that no reader would derive again from the content is written as the UID.
    private func derivedUID(_ rows: TodoRows) -> ObjectID? {
        if madeUID == nil {
            madeUID = .some(rows.id(row).flatMap { derived.expects($0, rows, row) ? nil : $0 })
        }
        return madeUID ?? nil
    }

    // MARK: Scalars

    /// Writes what a scalar has to say.
    /// - Returns: the number of lines, which is the number of places they take.
    private func writeScalar(
        _ property: ICalendarProperty, _ rows: TodoRows, _ out: RawVector<UInt8>
    ) -> Int64 {
        let field = TodoLineWriter.field(of: property)
        switch property {
        case .recurrence:
            var count: Int64 = 0
            for i in rows.range(field, row) where writeRecurrence(rows.element(field, i), out) {
                count += 1
            }
            return count
        default:
            line.removeAll()
            line.append(property.name)
            line.append(0x3A)
            appendValue(property, rows)
            fold(out)
            return 1
        }
    }

    /// Appends a scalar's present value as a line has it.
    private func appendValue(_ property: ICalendarProperty, _ rows: TodoRows) {
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
        case .uid where rows.text(.uid, row) == nil:
            if let id = derivedUID(rows) { ScalarText.write(id, to: line) }
        default:
            if let text = rows.text(field, row) { TodoLine.escape(text, to: line) }
        }
    }

    /// True for the status that vCalendar 1.0 spells with a space.
    private func isLegacyStatus(_ rows: TodoRows) -> Bool {
        rows.text(.status, row).map { NameKey.equals($0, TodoIdentity.legacyOpen) } ?? false
    }

    /// - Returns: false when the line was left out.
    private func writeRecurrence(_ text: UnsafeRawBufferPointer, _ out: RawVector<UInt8>) -> Bool {
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

    private func fold(_ out: RawVector<UInt8>) {
        let bytes = UnsafeRawBufferPointer(line.elements)
        if bytes.count <= 75 {
            out.append(bytes: bytes)
            out.append(13)
            out.append(10)
        } else {
            ContentLineWriter.fold(bytes, into: out)
        }
    }

    // MARK: Items

    private func write(_ entry: Entry, _ rows: TodoRows, _ out: RawVector<UInt8>) {
        switch entry.kind {
        case .date:
            let (field, property) = TodoLineWriter.dates[entry.index]
            if let date = rows.date(field, row) { writeDate(property, date, rows, out) }
        case .relation:
            if let item = rows.item(.relations, entry.index) { writeRelation(item, out) }
        case .extra:
            guard let item = rows.item(.extras, entry.index) else { return }
            if let property = ICalendarProperty(rawValue: entry.property), property.isScalar,
                property != .recurrence
            {
                writeKept(property, entry, item, rows, out)
            } else {
                writeExtra(item, value: nil, out)
            }
        }
    }

    /// A line kept of a scalar: as it is while the scalar still says the same.
    private func writeKept(
        _ property: ICalendarProperty, _ entry: Entry, _ item: TodoItemView, _ rows: TodoRows,
        _ out: RawVector<UInt8>
    ) {
        let isFirst = firstKept(property) == entry.index
        let isUnchanged = keptSaysTheSame(property, rows)
        let isNumber = property == .priority || property == .percent || property == .sequence
        let isUnreadable = isNumber && item.text(.value).flatMap { ScalarText.int($0) } == nil
        // A line that says no number is left out, or it would hide a further one that does.
        if isNumber, isUnchanged,
            item.text(.value).flatMap({ ScalarText.int(ICalendarText.trimmed($0)) }) == nil
        {
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
        if hasValue { writeExtra(item, value: property, rows: rows, out) }
    }

    /// True when the lines kept of a scalar still say what the scalar says.
    private func keptSaysTheSame(_ property: ICalendarProperty, _ rows: TodoRows) -> Bool {
        let i = Int(property.rawValue)
        if let known = isSame[i] { return known }
        let answer = compareKept(property, rows)
        isSame[i] = answer
        return answer
    }

    private func compareKept(_ property: ICalendarProperty, _ rows: TodoRows) -> Bool {
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
    private func writeExtra(
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

    private func appendParameters(_ item: TodoItemView) {
        item.forEachParameter { text in
            if !TodoLine.append(parameter: text, to: line) {
                note(
                    .lost, "bare-parameter", "", String(decoding: text.prefix(80), as: UTF8.self),
                    "left out: iCalendar 2.0 has no parameters without a name")
            }
        }
    }

    private func writeRelation(_ item: TodoItemView, _ out: RawVector<UInt8>) {
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

    private func parse(_ raw: UnsafeRawBufferPointer) -> ContentLine? {
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

    private func rawSaysTheSame(
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

    // MARK: Dates

    private func writeDate(
        _ property: ICalendarProperty, _ item: TodoItemView, _ rows: TodoRows,
        _ out: RawVector<UInt8>
    ) {
        guard let local = item.text(.local), var date = ICalendarDate(local) else {
            return note(
                .lost, "date-unreadable", property.name, item.string(.local),
                "left out: it is no date")
        }
        var zone = item.text(.tzid)
        let repair =
            property == .start ? repairedStart : property == .due ? repairedDue : .none
        if repair == .none, let raw = item.text(.raw),
            rawSaysTheSame(raw, property, date, zone)
        {
            line.removeAll()
            line.append(bytes: raw)
            return fold(out)
        }
        if repair == .day { date.hasTime = false }
        if repair == .dateTime {
            date.hasTime = true
            zone = rows.date(property == .start ? .due : .start, row)?.text(.tzid)
            if let name = zone, NameKey.equals(name, "UTC") { zone = nil }
        }
        line.removeAll()
        line.append(property.name)
        if !date.hasTime {
            line.append(";VALUE=DATE")
        } else if date.isUTC {
            // An offset was given: the value is universal already.
        } else if let zone, !zone.isEmpty {
            if zone.elementsEqual("UTC".utf8) {
                date.isUTC = true
            } else {
                line.append(";TZID=")
                ParameterText.encode(zone, .iCalendar, into: line)
            }
        }
        appendParameters(item)
        line.append(0x3A)
        date.write(value: line)
        fold(out)
    }

    /// True when a kept line is well-formed and says the same date.
    private func rawSaysTheSame(
        _ raw: UnsafeRawBufferPointer, _ property: ICalendarProperty, _ date: ICalendarDate,
        _ zone: UnsafeRawBufferPointer?
    ) -> Bool {
        guard let line = parse(raw),
            ICalendarProperty.table.property(line.key, parsed.bytes(line.name))
                == property.rawValue,
            let kept = ICalendarDate(parsed.bytes(line.value)), kept.isExact,
            kept.day == date.day, kept.hour == date.hour, kept.minute == date.minute,
            kept.second == date.second, kept.hasTime == date.hasTime
        else { return false }
        var said: [UInt8]? = kept.isUTC ? Array("UTC".utf8) : nil
        for j in parsed.parameterIndices(line)
        where NameKey.equals(parsed.bytes(parsed.parameters[j].name), "TZID") && said == nil {
            scratch.removeAll()
            ParameterText.decode(parsed.bytes(parsed.parameters[j].value), into: scratch)
            said = Array(scratch.elements)
        }
        // A day without VALUE=DATE is what we only tolerate.
        if !kept.hasTime, parsed.parameter(NameKey.value, of: line) == nil { return false }
        guard kept.hasTime else { return true }
        return said.map { $0.elementsEqual(zone.map(Array.init) ?? []) } ?? (zone == nil)
    }

    /// Start and due of different kinds are made the same (RFC 5545 wants it).
    private func checkDates(_ rows: TodoRows) {
        repairedStart = .none
        repairedDue = .none
        guard let start = rows.date(.start, row)?.text(.local).flatMap({ ICalendarDate($0) }),
            let due = rows.date(.due, row)?.text(.local).flatMap({ ICalendarDate($0) }),
            start.hasTime != due.hasTime
        else { return }
        if start.hasTime {
            repairedStart = .day
            note(
                .changed, "start-made-day", "DTSTART", nil,
                "the due date is a whole day, so the start was written as one")
        } else {
            repairedStart = .dateTime
            note(
                .changed, "start-made-datetime", "DTSTART", nil,
                "the due date has a time, so the start was written as 00:00 of its day")
        }
    }

    /// Done by its date or percentage, but without a status: all three are written (T3).
    private func checkDone(_ rows: TodoRows) {
        isDoneWithoutStatus = false
        addsPercent = false
        guard rows.text(.status, row) == nil else { return }
        let percent = rows.number(.percent, row)
        let isCompleted = rows.date(.completed, row) != nil
        guard isCompleted || percent == 100 else { return }
        isDoneWithoutStatus = true
        addsPercent = percent == nil
        note(
            .changed, "done-completed", "STATUS", nil,
            "STATUS:COMPLETED was added: other programs take the task for open without it")
    }

    // MARK: Components

    private func writeComponent(_ text: UnsafeRawBufferPointer, _ out: RawVector<UInt8>) {
        guard ICalendarComponent.isWhole(text) else {
            return note(
                .lost, "component-broken", "components",
                String(decoding: text.prefix(80), as: UTF8.self),
                "left out: its BEGIN and END lines do not match")
        }
        ICalendarComponent.appendLines(text, to: out)
    }
}

extension ICalendarComponent {
    /// True when BEGIN and END lines match and nothing stands outside of them.
    static func isWhole(_ text: UnsafeRawBufferPointer) -> Bool {
        var scanner = ContentLineScanner(text)
        let lines = ContentLines()
        var names: [String] = []
        var isFirst = true
        while true {
            lines.begin(at: scanner.pointer(at: 0))
            guard scanner.next(into: lines) else { return !isFirst && names.isEmpty }
            let line = lines[0]
            if !isFirst, names.isEmpty { return false }
            if line.flags.contains(.begin) {
                names.append(lines.string(line.value).uppercased())
                if names.count > 100 { return false }
            } else if line.flags.contains(.end) {
                guard names.popLast() == lines.string(line.value).uppercased() else {
                    return false
                }
            } else if isFirst {
                return false
            }
            isFirst = false
        }
    }

    /// Appends a kept component's lines, CR LF at the end of each.
    static func appendLines(_ text: UnsafeRawBufferPointer, to out: RawVector<UInt8>) {
        for c in text {
            if c == 13 { continue }
            if c == 10 { out.append(13) }
            out.append(c)
        }
        out.append(13)
        out.append(10)
    }
}
