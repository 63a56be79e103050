// The lines of a to-do as a row of `TodoItem`. Nothing is lost on the way (DESIGN 1.4, 1.8): what
// a property of the class cannot say of its line stands in `parameters`, `raw` or `extras`. The
// way back is `TodoLineWriter`'s.

/// Fills rows of `TodoItem` from the lines of to-dos.
final class TodoMapper {
    let context: ExchangeContext
    let source: ICalendarReader
    let scratch = RawVector<UInt8>(capacity: 512)
    let canonical = RawVector<UInt8>(capacity: 256)
    /// First line, and number of lines, of each property.
    let firstLine: UnsafeMutablePointer<Int32>
    let lineCount: UnsafeMutablePointer<Int32>
    @exclusivity(unchecked) var sequence: [(rank: UInt16, line: Int)] = []
    @exclusivity(unchecked) var identifiers: [[UInt8]] = []
    @exclusivity(unchecked) var relations: ICalendarRelations?
    /// Start and due date of the to-do, with the IANA zone where it is known.
    @exclusivity(unchecked) var start: (date: ICalendarDate, zone: String?)?
    @exclusivity(unchecked) var due: (date: ICalendarDate, zone: String?)?

    /// True when the to-do has a time of completion.
    @exclusivity(unchecked) var hasCompleted = false

    /// Lines that stand in `extras`, whatever else they stand in.
    static let kept: ContentLineFlags = ContentLineFlags(rawValue: 0x8000)
    /// The tag of lines that a property says in full, though they are none of its own.
    static let taken: UInt16 = 0xFFFF

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
        status(lines, columns.texts[3])
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
        hasCompleted = false
        date(.completed, lines, columns.dates[0])
        date(.created, lines, columns.dates[1])
        date(.modified, lines, columns.dates[2])
        date(.stamp, lines, columns.dates[3])
        date(.recurrenceID, lines, columns.dates[4])
        date(.start, lines, columns.dates[5])
        date(.due, lines, columns.dates[6])
        checkDates()
        checkStatus(lines, columns)
        checkDuration(lines)
        checkRelations(lines, columns.texts[0])
        categories(lines, columns.categories)
        lists(lines, columns)
        zones(columns.timeZones)
        columns.batch.closeRow()
    }

    // MARK: Scalars

    func text(
        _ property: ICalendarProperty, _ lines: ContentLines, _ column: TextColumn,
        isText: Bool = true
    ) {
        let i = Int(firstLine[Int(property.rawValue)])
        guard i >= 0 else { return column.null() }
        let line = lines[i]
        let value = lines.bytes(line.value)
        if isText, line.flags.contains(.backslash) {
            ValueText.unescape(
                value, lines.dialect,
                quotedPrintable: line.flags.contains(.quotedPrintable), into: column.bytes)
        } else {
            column.bytes.append(bytes: value)
        }
        column.close()
    }

    /// The state; the one that a line of ours keeps behind the state that stands for it.
    func status(_ lines: ContentLines, _ column: TextColumn) {
        let tag = Int(ICalendarProperty.status.rawValue)
        let i = Int(firstLine[tag])
        guard i >= 0, lineCount[tag] == 1, lines[i].parameterCount == 0 else {
            return text(.status, lines, column)
        }
        let value = lines.bytes(lines[i].value)
        if ICalendarText.trimmed(value).isEmpty {
            // No state: what else says "done" counts.
            lines.lines.base[i].flags.insert(TodoMapper.kept)
            note(.guessed, "status-empty", "STATUS", value, "taken as not given")
            return column.null()
        }
        if TodoStatus.isOther(value) { lines.lines.base[i].flags.insert(TodoMapper.kept) }
        let next = i + 1
        if next < lines.count, lines[next].tag == 0, lines[next].parameterCount == 0,
            lines[next].group.isEmpty,
            lines[next].flags.isDisjoint(with: [.nested, .noColon]),
            NameKey.equals(lines.bytes(lines[next].name), TodoStatus.keptName)
        {
            scratch.removeAll()
            ValueText.unescape(lines.bytes(lines[next].value), lines.dialect, into: scratch)
            let word = UnsafeRawBufferPointer(scratch.elements)
            if word.count <= 1000, TodoStatus.isOther(word),
                NameKey.equals(value, TodoStatus.todo(for: word))
            {
                lines.lines.base[next].tag = TodoMapper.taken
                return column.append(word)
            }
        }
        text(.status, lines, column)
    }

    func number(
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

    func categories(_ lines: ContentLines, _ column: TextListColumn) {
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

    // MARK: Checks

    /// A completion time on a to-do that says it is open: taken for open, the time is kept. Where
    /// state, time and percentage do not agree the line of the state is kept, so that it is known
    /// when one of them was changed later.
    func checkStatus(_ lines: ContentLines, _ columns: TodoColumns) {
        let completed = Int(firstLine[Int(ICalendarProperty.completed.rawValue)])
        let status = Int(firstLine[Int(ICalendarProperty.status.rawValue)])
        guard status >= 0 else { return }
        let word = ICalendarText.trimmed(lines.bytes(lines[status].value))
        let numbers = columns.numbers[0]
        let row = numbers.words.count - 1
        let percent = row >= 0 && numbers.nulls[row] == 0 ? numbers.words[row] : nil
        let disagrees =
            NameKey.equals(word, "COMPLETED")
            ? percent.map { $0 != 100 } ?? false
            : (hasCompleted || percent == 100) && TodoStatus.isOpen(word)
        if disagrees { lines.lines.base[status].flags.insert(TodoMapper.kept) }
        guard completed >= 0, NameKey.starts(word, with: "NEEDS") else { return }
        note(
            .guessed, "completed-while-open", "COMPLETED", lines.bytes(lines[completed].value),
            "the status says open, so the to-do is; the time is kept")
    }

    /// A duration whose line is not the one we would write is kept as it is.
    func checkDuration(_ lines: ContentLines) {
        let i = Int(firstLine[Int(ICalendarProperty.duration.rawValue)])
        guard i >= 0 else { return }
        let isOurs = !NameKey.equals(lines.bytes(lines[i].name), "DURATION")
        if isOurs == (start != nil && due == nil) {
            lines.lines.base[i].flags.insert(TodoMapper.kept)
        }
    }

    func remember(_ identifier: UnsafeRawBufferPointer) {
        for known in identifiers where known.elementsEqual(identifier) { return }
        if identifiers.count < 64 { identifiers.append(Array(identifier)) }
    }

    func note(
        _ kind: Report.ItemClass, _ code: String, _ property: String,
        _ value: UnsafeRawBufferPointer, _ action: String
    ) {
        context.report.note(
            kind, code, source: source.name, record: source.record, property: property,
            value: String(decoding: value.prefix(80), as: UTF8.self), action: action)
    }

    // MARK: Text of lines

    func appendParameter(
        _ parameter: ContentParameter, _ lines: ContentLines, _ column: TextColumn
    ) {
        if !parameter.isBare {
            column.bytes.append(bytes: lines.bytes(parameter.name))
            column.bytes.append(0x3D)
        }
        column.bytes.append(bytes: lines.bytes(parameter.value))
        column.close()
    }

    func appendLogicalLine(
        _ line: ContentLine, _ lines: ContentLines, to out: RawVector<UInt8>
    ) {
        out.append(bytes: lines.bytes(line.name))
        lines.append(parametersOf: line, to: out)
        out.append(0x3A)
        out.append(bytes: lines.bytes(line.value))
    }
}
