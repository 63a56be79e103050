// Contacts as the CSV of an address book: the cells of a row and how they are written. Which value
// goes to which column, and what is said of those without one, stands beside.

/// Writes batches of `Contact` under the header of a profile.
final class AddressBookWriter: RecordWriter {
    let sink: ByteSink
    let profile: AddressBookProfile
    let context: ExchangeContext
    let kinds = AddressBookKinds()
    /// The contact at hand.
    let contact = AddressBookContact()
    let seats: AddressBookSeats
    let notes: AddressBookNotes
    /// The cells of the row at hand: places among the contact's texts.
    let cells = RawVector<TextPlace>(capacity: 128)
    private let fields: FieldWriter
    /// A cell that a spreadsheet would run, with its guard.
    private let guarded = RawVector<UInt8>(capacity: 64)
    private var formulas = 0
    private let options: CSVWriterOptions
    private(set) var reader: AddressBookContactReader?
    private var batch: RecordBatch?
    private var hasBegun = false
    /// Takes what has no column; nil where that is reported as lost.
    let overflow: NotesOverflow?
    let isGoogle: Bool
    let isOutlook: Bool
    /// The columns of values that stand once.
    let singles: [(field: ColumnMeaning.Field, column: Int)]
    /// The values that stand once and have no column.
    let unplaced: [Unplaced]
    /// How many items of a field the contact has that stand in no column yet.
    let unused = RawVector<Int>(capacity: 32)
    /// The whole name of the contact at hand says something else than its parts.
    var isNameLost = false
    /// Names of lines that notes are filed under; a bounded number.
    var named: Set<String> = []
    /// What notes call the names of what is left over, by their numbers; -1 where not yet asked.
    let propertyOfName = RawVector<Int>(capacity: 64)
    private var generation = 0

    init(sink: ByteSink, profile: AddressBookProfile, context: ExchangeContext)
        throws(FormatError)
    {
        self.sink = sink
        self.profile = profile
        self.context = context
        options = try CSVWriterOptions(context.options, file: sink.name)
        overflow = try NotesOverflow.asked(profile, context)
        fields = FieldWriter(sink.buffer, options.dialect)
        seats = AddressBookSeats(profile.plan, kinds)
        notes = AddressBookNotes(context.report)
        isGoogle = profile.book.origin == "google"
        isOutlook = profile.book.origin.hasPrefix("outlook")
        let plan = profile.plan
        singles = ColumnMeaning.Field.allCases.compactMap { field in
            plan.column(field).map { (field, $0) }
        }
        unplaced = Self.unplaced(plan, notes)
        cells.append(repeating: TextPlace(), count: profile.headers.count)
        unused.append(repeating: 0, count: ColumnMeaning.Field.allCases.count)
    }

    deinit {
        cells.destroy()
        unused.destroy()
        propertyOfName.destroy()
        guarded.destroy()
    }

    func write(_ batch: RecordBatch) throws(FormatError) {
        if self.batch !== batch {
            self.batch = batch
            reader = AddressBookContactReader(batch, kinds, contact)
            // Without its escapes a value is half as long at least.
            if overflow != nil { reader?.limit = 2 * NotesOverflow.limit }
        }
        guard let reader else { return }
        begin()
        defer { notes.flush() }
        let groups = batch.groups.isGroup
        for row in 0..<batch.rowCount {
            if !groups.isEmpty, groups.contains(row) {
                // A category of its members.
                context.report.skipped += 1
                continue
            }
            reader.read(row)
            bound()
            notes.record = batch.firstRecord + row
            cells.base.update(repeating: TextPlace(), count: cells.count)
            place()
            noteLoss()
            if let overflow {
                cells[overflow.column] = overflow.settled(
                    behind: cells[overflow.column], contact.texts)
            }
            writeRow()
            context.report.written += 1
            try sink.flushIfFull()
        }
    }

    func finish() throws(FormatError) {
        begin()
        FormulaGuard.note(formulas, isGuarded: options.isSpreadsheetSafe, context.report)
        try sink.finish()
    }

    /// Forgets what was kept of kinds and names that are forgotten.
    private func bound() {
        seats.bound()
        if generation != kinds.generation {
            generation = kinds.generation
            propertyOfName.removeAll()
        }
    }

    private func begin() {
        if hasBegun { return }
        hasBegun = true
        if options.hasMark { sink.buffer.append("\u{FEFF}") }
        for (i, header) in profile.headers.enumerated() {
            if i > 0 { sink.buffer.append(options.dialect.delimiter) }
            if !header.isEmpty { fields.write(header) }
        }
        endRow()
    }

    /// True for a cell that gets a `'` before it: one that a spreadsheet would run, when asked, and
    /// one that would look guarded, since reading takes one off.
    private func isToGuard(_ text: UnsafePointer<UInt8>, _ count: Int) -> Bool {
        if text[0] == 0x27 { return FormulaGuard.isGuarded(text, count) }
        guard FormulaGuard.needsGuard(text, count) else { return false }
        formulas += 1
        return options.isSpreadsheetSafe
    }

    private func writeRow() {
        let out = sink.buffer
        let texts = contact.texts.storage
        let delimiter = options.dialect.delimiter
        // Empty cells are delimiters alone.
        var written = 0
        for i in 0..<cells.count {
            let cell = cells[i]
            if cell.isEmpty { continue }
            out.append(repeating: delimiter, count: i &- written)
            written = i
            let first = texts.base[cell.start]
            if first <= 0x40, isToGuard(texts.base + cell.start, cell.count) {
                guarded.removeAll()
                guarded.append(0x27)
                guarded.append(texts.base + cell.start, count: cell.count)
                fields.write(UnsafeRawBufferPointer(guarded.elements))
                continue
            }
            fields.write(
                texts.base + cell.start, count: cell.count, readable: texts.count &- cell.start)
        }
        out.append(repeating: delimiter, count: cells.count &- 1 &- written)
        endRow()
    }

    private func endRow() {
        sink.buffer.append(13)
        sink.buffer.append(10)
    }
}
