// Rows of an address book as rows of `Contact`: each row becomes the lines of a card, which the
// mapper takes like any other card. Nothing is dropped: a column nobody knows becomes a line
// `X-CSV-FIELD` with the column's name.

/// Reads an address book's CSV as contacts.
final class AddressBookReader: RecordReader {
    let schema = ContactMapper.schema

    /// The line that keeps a cell of a column without a property.
    static let keptLine = "X-CSV-FIELD"

    let document: CSVDocument
    let context: ExchangeContext
    private let table: CellTable
    private let rejects: CSVRejects
    private let mapper: ContactMapper
    let card = CardBuilder()
    let plan: AddressBookPlan
    let steps: BookSteps
    let heads: BookHeads
    let cells: BookCells
    let names: [String]
    let orders: DateOrders
    /// Rows with a value that no store can hold are set aside.
    var limitsValues = false
    /// Rows that say nothing are contacts without anything.
    var keepsBlank = false
    /// What the table would say of stored contacts.
    private let echo: AddressBookEcho
    var gaps: RowGaps {
        var gaps = RowGaps()
        gaps.echo = echo
        return gaps
    }
    let isGoogle: Bool
    let isOutlook: Bool
    /// The cells of columns whose names nobody knows, since they were last noted; -1 for the columns
    /// of which somebody knows.
    @exclusivity(unchecked) private var unknownCells: [Int]
    private var scanner: DelimitedScanner
    private var nextRecord = 1
    private static let batchRows = 1000

    // Room that is used again from row to row.
    let pieces = RawVector<CellSlice>(capacity: 16)
    let labels = RawVector<CellSlice>(capacity: 16)
    let services = RawVector<CellSlice>(capacity: 16)
    let fields = RawVector<CellSlice>(capacity: 16)
    let scratch = RawVector<UInt8>(capacity: 64)
    let told = ToldWords(.ofAddresses)
    let toldNames = ToldWords(.ofNames)
    /// What the gender cells met so far say.
    let genders = ByteNumbers()
    @exclusivity(unchecked) var genderWords: [String] = []

    init(document: CSVDocument, book: AddressBook) {
        self.document = document
        context = document.context
        plan = AddressBookPlan(book)
        names = book.headers
        isGoogle = plan.origin == "google"
        isOutlook = plan.origin.hasPrefix("outlook")
        let width = max(document.headers.count, 1)
        echo = AddressBookEcho(book, width: width, document.context)
        table = CellTable(document.text.bytes, document.dialect, width: width)
        rejects = CSVRejects(document)
        mapper = ContactMapper(context: document.context, source: document.input.name)
        mapper.firstOrder = ContactMapper.madeOrder
        scanner = DelimitedScanner(from: document.bodyStart)
        orders = DateOrders(document, plan)
        steps = BookSteps(plan, names: names, width: width, heads: card.heads)
        heads = BookHeads(plan, card.heads)
        cells = BookCells(stepOfColumn: steps.stepOfColumn, count: steps.all.count)
        unknownCells = [Int](repeating: -1, count: width)
        for column in plan.unknown { unknownCells[column] = 0 }
        note(book)
    }

    deinit {
        pieces.destroy()
        labels.destroy()
        services.destroy()
        fields.destroy()
        scratch.destroy()
    }

    /// What the columns were taken for, and where that was a choice.
    func note(_ book: AddressBook) {
        for (column, name) in document.headers.enumerated() where column < book.meanings.count {
            let isLeftOut = book.leftOut.contains(column)
            // A contact has the field once, and another column holds it.
            let isSecond = book.meanings[column] != nil && plan.kept.contains(column)
            context.report.columns.append(
                Report.ColumnUse(
                    source: document.input.name, column: name,
                    field: isLeftOut
                        ? ColumnMap.leaveOut
                        : isSecond ? ColumnMap.keep : ColumnFields.text(book.meanings[column]),
                    remark: book.doubts[column]))
            if isSecond {
                context.report.note(
                    .changed, "field-taken", source: document.input.name, property: name,
                    value: ColumnFields.text(book.meanings[column]),
                    action: "another column holds this field; the column is kept under its name")
            }
            if isLeftOut {
                context.report.note(
                    .changed, "column-left-out", source: document.input.name, property: name,
                    action: "the column map leaves it out")
            }
            if let doubt = book.doubts[column] {
                context.report.note(
                    .guessed, "column-choice", source: document.input.name, property: name,
                    action: "read as \(doubt); --map FILE says otherwise")
            }
        }
    }

    func next(into batch: RecordBatch) throws(FormatError) -> Bool {
        while true {
            batch.begin(class: 0)
            scanner.scan(into: table, maxRows: AddressBookReader.batchRows)
            if table.rowCount == 0, table.broken.isEmpty, table.comments == 0 { return false }
            let firstRecord = nextRecord
            nextRecord += table.rowCount + table.broken.count
            context.report.read += table.rowCount + table.broken.count
            rejects.note(table, firstRecord, extrasAreLost: false)
            var refused: [Int: FormatError] = [:]
            defer {
                if !table.broken.isEmpty || !refused.isEmpty {
                    rejects.setAside(table, refused, firstRecord)
                }
            }
            guard table.rowCount > 0 else { continue }
            batch.firstRecord = firstRecord
            var extras = table.extras[...]
            for row in 0..<table.rowCount {
                card.begin(record: firstRecord + row)
                heads.bound()
                cells.load(table, row)
                if !cells.isBlank { fill() }
                while let extra = extras.first, extra.row == row {
                    extras.removeFirst()
                    keep(extra)
                }
                if card.lines.count == 0, !keepsBlank {
                    noteBlank(firstRecord + row)
                } else {
                    mapper.append(card.lines, to: batch)
                    if limitsValues,
                        table.rows[row * 2 + 1] - table.rows[row * 2]
                            > ContactMapper.closeLook
                    {
                        refused[row] = mapper.refuseLast(batch)
                    }
                }
            }
            mapper.complete(batch)
            noteUnknown()
            if batch.rowCount == 0 { continue }
            return true
        }
    }

    /// Keeps a cell beyond the header.
    private func keep(_ extra: CellTable.Extra) {
        let text = String(decoding: table.value(extra.cell), as: UTF8.self)
        card.add(
            AddressBookReader.keptLine,
            parameters: [("LABEL", "extra \(extra.column - table.width + 1)")]
        ) { CardBuilder.escape(text, to: $0) }
        context.report.note(
            .changed, "extra-cells", source: document.input.name, record: card.lines.record,
            action: "cells beyond the header are kept as lines of their own")
    }

    /// Columns that nobody understands do not leave the typed fields unnoticed.
    private func noteUnknown() {
        for (column, count) in unknownCells.enumerated() where count > 0 {
            context.report.note(
                .changed, "unknown-column", source: document.input.name, property: names[column],
                count: count,
                action: "no field of contacts has this name; the cells are kept under it "
                    + "(--map FILE says what they are)")
            unknownCells[column] = 0
        }
    }

    /// Rows of delimiters and spaces, as spreadsheets leave them at the end, are no contacts.
    private func noteBlank(_ record: Int) {
        context.report.skipped += 1
        context.report.note(
            .changed, "empty-row", source: document.input.name, record: record,
            action: "rows that say nothing were passed over")
    }

    // MARK: Steps

    /// Takes the steps for which the row has cells.
    private func fill() {
        let words = cells.due
        for i in 0..<words.count {
            var due = words[i]
            while due != 0 {
                take(steps.all[i &<< 6 | due.trailingZeroBitCount])
                due &= due &- 1
            }
        }
    }

    @inline(__always)
    private func take(_ step: BookStep) {
        switch step.action {
        case .text: card.add(step.head, cells[step.at].bytes)
        case .name: name(step.head)
        case .item: add(steps.items[step.at])
        case .list: list(step.head, step.at)
        case .each: each(step.head, step.at)
        case .birthday: birthday(step.head, step.at)
        case .anniversary: date(step.head, step.at)
        case .gender: gender(step.head, cells[step.at])
        case .categories: categories(step.head, cells[step.at])
        case .photo: photo(step.head, step.at)
        case .kept:
            if unknownCells[step.at] >= 0 { unknownCells[step.at] += 1 }
            card.add(step.head, cells[step.at].bytes)
        case .emailNote: emailNote(step.head, step.at)
        }
    }
}
