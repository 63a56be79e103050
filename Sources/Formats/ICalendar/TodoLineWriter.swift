// A row of `TodoItem` as the lines of a to-do, the way back from `TodoMapper`. Items stand where
// their order puts them; scalars, which have none, fill the places between in our usual order.
// What was edited since it was read wins over the line that was kept of it.

/// Writes rows as VTODO components.
final class TodoLineWriter {
    struct Entry: BitwiseCopyable {
        enum Kind: UInt8, BitwiseCopyable { case date, relation, extra }
        var order: Int64
        var kind: Kind
        /// The field of a date, the element of a list.
        var index: Int
        /// The property an extra line belongs to.
        var property: UInt16 = 0
    }

    let context: ExchangeContext
    let line = RawVector<UInt8>(capacity: 512)
    let scratch = RawVector<UInt8>(capacity: 512)
    let parsed = ContentLines()
    var entries: [Entry] = []
    /// For each scalar, the first line kept of it (an element of `extras`), or -1.
    var firstKept = [Int](repeating: -1, count: ICalendarProperty.count)
    let derived = DerivedIDs()
    /// The id of the row where it must be written as the UID; nil inside before somebody asks.
    var madeUID: ObjectID??
    /// For each scalar, whether its kept lines say what it says; nil before somebody asks.
    var isSame = [Bool?](repeating: nil, count: ICalendarProperty.count)
    var row = 0
    var repairedStart = Repair.none
    var repairedDue = Repair.none
    /// How many seconds later the due date is than the one that is written.
    var dueShift: Int64 = 0
    var isDoneWithoutStatus = false
    var addsPercent = false
    /// True when the to-do was opened again by its state alone.
    var isReopened = false
    /// True when the rows were made from records of another format.
    var isConverted = false
    let madeUIDs = TodoUIDs()
    /// Lines written for an entry besides its own.
    var addedLines: Int64 = 0

    enum Repair: Equatable {
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
        checkRecurrence(rows)
        var scalar: UInt16 = 1
        var place: Int64 = 0
        for entry in entries {
            while place < entry.order, let next = nextScalar(from: scalar, rows) {
                place += writeScalar(next, rows, out)
                scalar = next.rawValue + 1
            }
            addedLines = 0
            write(entry, rows, out)
            place += 1 + addedLines
        }
        while let next = nextScalar(from: scalar, rows) {
            _ = writeScalar(next, rows, out)
            scalar = next.rawValue + 1
        }
        if needsStamp(rows) { writeStamp(rows, out) }
        for i in rows.range(.components, row) {
            writeComponent(rows.element(.components, i), out)
        }
        out.append("END:VTODO\r\n")
    }

    var record = 0

    func note(
        _ kind: Report.ItemClass, _ code: String, _ property: String, _ value: String?,
        _ action: String
    ) {
        context.report.note(
            kind, code, record: record, property: property, value: value,
            action: action)
    }

    // MARK: What there is

    static let dates: [(TodoField, ICalendarProperty)] = [
        (.completed, .completed), (.created, .created), (.modified, .modified), (.stamp, .stamp),
        (.recurrenceID, .recurrenceID), (.start, .start), (.due, .due),
    ]

    /// The items with an order, in it.
    func gather(_ rows: TodoRows) {
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

    var hasKept = false

    func firstKept(_ property: ICalendarProperty) -> Int {
        hasKept ? firstKept[Int(property.rawValue)] : -1
    }

    static func field(of property: ICalendarProperty) -> TodoField {
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
    func nextScalar(from: UInt16, _ rows: TodoRows) -> ICalendarProperty? {
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
                if isReopened, rows.number(field, row) == 100 { continue }
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
    func derivedUID(_ rows: TodoRows) -> ObjectID? {
        if madeUID == nil {
            madeUID = .some(rows.id(row).flatMap { derived.expects($0, rows, row) ? nil : $0 })
        }
        return madeUID ?? nil
    }

    func fold(_ out: RawVector<UInt8>) {
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

    func write(_ entry: Entry, _ rows: TodoRows, _ out: RawVector<UInt8>) {
        switch entry.kind {
        case .date:
            let (field, property) = TodoLineWriter.dates[entry.index]
            if isReopened, property == .completed { return }
            if let date = rows.date(field, row) { writeDate(property, date, rows, out) }
        case .relation:
            if let item = rows.item(.relations, entry.index) { writeRelation(item, out) }
        case .extra:
            guard let item = rows.item(.extras, entry.index) else { return }
            if let property = ICalendarProperty(rawValue: entry.property), property.isScalar,
                property != .recurrence
            {
                writeKept(property, entry, item, rows, out)
            } else if let name = item.text(.name), item.text(.group)?.isEmpty ?? true,
                TodoLineWriter.isDate(name),
                item.text(.value).map({ ICalendarDate($0) == nil }) ?? true
            {
                writeNoDate(item, out)
            } else {
                writeExtra(item, value: nil, out)
            }
        }
    }

    /// State, time of completion and percentage are written together (T3): done by its date or
    /// percentage, but without a status; done or opened again by somebody who changed the state
    /// alone. What a source said itself stays (`TodoMapper.checkStatus`).
    func checkDone(_ rows: TodoRows) {
        isDoneWithoutStatus = false
        addsPercent = false
        isReopened = false
        let percent = rows.number(.percent, row)
        let isCompleted = rows.date(.completed, row) != nil || hasKeptTime(.completed, rows)
        guard let status = rows.text(.status, row) else {
            guard isCompleted || percent == 100 else { return }
            isDoneWithoutStatus = true
            addsPercent = percent == nil
            return note(
                .changed, "done-completed", "STATUS", nil,
                "STATUS:COMPLETED was added: other programs take the task for open without it")
        }
        if isConverted || status.isEmpty || isStatusOfSource(status, rows) { return }
        if NameKey.equals(status, "COMPLETED") {
            guard let percent, percent != 100 else { return }
            addsPercent = true
            note(
                .changed, "done-completed", "PERCENT-COMPLETE", String(percent),
                "written as 100: the status says that the task is done")
        } else if isCompleted || percent == 100,
            TodoStatus.isOpen(status)
        {
            isReopened = true
            note(
                .changed, "done-reopened", isCompleted ? "COMPLETED" : "PERCENT-COMPLETE",
                rows.date(.completed, row)?.string(.local),
                "time of completion and percentage left out: the status says that the task is open")
        }
    }

    /// True when a kept line of a date is one, behind those that are none.
    private func hasKeptTime(_ property: ICalendarProperty, _ rows: TodoRows) -> Bool {
        guard firstKept(property) >= 0 else { return false }
        return entries.contains { entry in
            entry.property == property.rawValue
                && rows.item(.extras, entry.index)?.text(.value).map { ICalendarDate($0) != nil }
                    ?? false
        }
    }

    /// True when a line kept of the state says it, as the source did.
    private func isStatusOfSource(_ status: UnsafeRawBufferPointer, _ rows: TodoRows) -> Bool {
        let first = firstKept(.status)
        guard first >= 0, let kept = rows.item(.extras, first)?.text(.value) else { return false }
        return equalBytes(ICalendarText.trimmed(kept), ICalendarText.trimmed(status))
    }

    /// A line of a date that says none: other programs would refuse the file for it.
    private func writeNoDate(_ item: TodoItemView, _ out: RawVector<UInt8>) {
        let value = ICalendarText.trimmed(
            item.text(.value) ?? UnsafeRawBufferPointer(start: nil, count: 0))
        let name = item.string(.name) ?? ""
        if value.isEmpty {
            return note(
                .changed, "date-empty", name, nil, "left out: it says no date, which means none")
        }
        note(
            .changed, "date-unreadable", name, String(decoding: value.prefix(80), as: UTF8.self),
            "written as \(TodoLine.keptPrefix)\(name): it is no date")
        line.removeAll()
        line.append(TodoLine.keptPrefix)
        line.append(name)
        appendParameters(item)
        line.append(0x3A)
        TodoLine.append(value: value, to: line)
        fold(out)
    }

    private static func isDate(_ name: UnsafeRawBufferPointer) -> Bool {
        ICalendarProperty(
            rawValue: ICalendarProperty.table.property(NameKey.of(name), name))?.isDate ?? false
    }

    // MARK: Components

    func writeComponent(_ text: UnsafeRawBufferPointer, _ out: RawVector<UInt8>) {
        guard ICalendarComponent.isWhole(text) else {
            return note(
                .lost, "component-broken", "components",
                String(decoding: text.prefix(80), as: UTF8.self),
                "left out: its BEGIN and END lines do not match")
        }
        if var other = counted(text) {
            return other.withUTF8 {
                ICalendarComponent.appendLines(UnsafeRawBufferPointer($0), to: out)
            }
        }
        ICalendarComponent.appendLines(text, to: out)
    }
}
