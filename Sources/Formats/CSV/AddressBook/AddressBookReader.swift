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
    let names: [String]
    let orders: DateOrders
    /// The cells of columns whose names nobody knows, since they were last noted.
    private var unknownCells: [Int: Int] = [:]
    /// Rows with a value that no store can hold are set aside.
    var limitsValues = false
    private var scanner: DelimitedScanner
    private var nextRecord = 1
    private static let batchRows = 1000

    init(document: CSVDocument, book: AddressBook) {
        self.document = document
        context = document.context
        plan = AddressBookPlan(book)
        names = book.headers
        table = CellTable(
            document.text.bytes, document.dialect, width: max(document.headers.count, 1))
        rejects = CSVRejects(document)
        mapper = ContactMapper(context: document.context, source: document.input.name)
        mapper.firstOrder = ContactMapper.madeOrder
        scanner = DelimitedScanner(from: document.bodyStart)
        orders = DateOrders(document, plan)
        note(book)
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
                if !isBlank(row) { fill(row) }
                while let extra = extras.first, extra.row == row {
                    extras.removeFirst()
                    keep("extra \(extra.column - table.width + 1)", table.value(extra.cell))
                    context.report.note(
                        .changed, "extra-cells", source: document.input.name,
                        record: firstRecord + row,
                        action: "cells beyond the header are kept as lines of their own")
                }
                if card.lines.count == 0 {
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

    /// Columns that nobody understands do not leave the typed fields unnoticed.
    private func noteUnknown() {
        for (column, count) in unknownCells.sorted(by: { $0.key < $1.key }) {
            context.report.note(
                .changed, "unknown-column", source: document.input.name, property: names[column],
                count: count,
                action: "no field of contacts has this name; the cells are kept under it "
                    + "(--map FILE says what they are)")
        }
        unknownCells = [:]
    }

    /// Rows of delimiters and spaces, as spreadsheets leave them at the end, are no contacts.
    private func noteBlank(_ record: Int) {
        context.report.skipped += 1
        context.report.note(
            .changed, "empty-row", source: document.input.name, record: record,
            action: "rows that say nothing were passed over")
    }

    // MARK: Cells

    /// Whether a row has nothing but white space.
    private func isBlank(_ row: Int) -> Bool {
        for column in 0..<table.width {
            let cell = table.cell(row, column)
            if cell.length == 0 { continue }
            for c in table.value(cell) where c > 0x20 { return false }
        }
        return true
    }

    /// A cell's value without the guard of spreadsheets; valid until the next cell.
    func value(_ row: Int, _ column: Int?) -> UnsafeRawBufferPointer {
        guard let column else { return UnsafeRawBufferPointer(start: nil, count: 0) }
        let bytes = table.value(table.cell(row, column))
        if bytes.first == 0x27, let base = bytes.bindMemory(to: UInt8.self).baseAddress,
            FormulaGuard.isGuarded(base, bytes.count)
        {
            return UnsafeRawBufferPointer(rebasing: bytes.dropFirst())
        }
        return bytes
    }

    func text(_ row: Int, _ column: Int?) -> String {
        guard let column, table.cell(row, column).length > 0 else { return "" }
        return String(decoding: value(row, column), as: UTF8.self)
    }

    func isEmpty(_ row: Int, _ column: Int?) -> Bool {
        guard let column else { return true }
        return table.cell(row, column).length == 0
    }

    /// The values of a cell that may hold several, as Google joins them.
    func pieces(_ text: String) -> [String] {
        guard text.contains(":::") else { return [text] }
        return text.split(separator: ":::").map { HeaderNames.trim(String($0)) }
            .filter { !$0.isEmpty }
    }

    /// The values of a cell that stand beside those of other cells: empty ones, too.
    func places(_ text: String) -> [String] {
        guard text.contains(":::") else { return [text] }
        return text.split(separator: ":::", omittingEmptySubsequences: false)
            .map { HeaderNames.trim(String($0)) }
    }

    // MARK: Lines

    private func fill(_ row: Int) {
        simple("UID", plan.uid, row)
        name(row)
        simple("FN", plan.full, row)
        simple("X-PHONETIC-FIRST-NAME", plan.phoneticGiven, row)
        simple("X-PHONETIC-MIDDLE-NAME", plan.phoneticMiddle, row)
        simple("X-PHONETIC-LAST-NAME", plan.phoneticFamily, row)
        list("NICKNAME", plan.nickname, row)
        birthday(row)
        date("ANNIVERSARY", plan.anniversary, row)
        for item in plan.items { add(item, row) }
        each("ROLE", plan.role, row)
        gender(row)
        simple("NOTE", plan.note, row)
        categories(row)
        photo(row)
        for column in plan.kept where !isEmpty(row, column) {
            if plan.unknown.contains(column) { unknownCells[column, default: 0] += 1 }
            keep(names[column], value(row, column))
        }
        for column in plan.emailNotes where !isEmpty(row, column) {
            if isTold(text(row, column), row) {
                context.report.note(
                    .changed, "email-note-told", source: document.input.name,
                    record: card.lines.record, property: names[column],
                    value: text(row, column),
                    action: "it says only what the name and the address say, and was not kept")
            } else {
                keep(names[column], value(row, column))
            }
        }
    }

    /// Whether the transport or display name of an e-mail is usual, or made of the row's name and
    /// addresses alone.
    func isTold(_ text: String, _ row: Int) -> Bool {
        if text == "SMTP" || text == "EX" { return true }
        func words(_ text: String) -> [Substring] {
            text.split { $0.isWhitespace || $0 == "," || $0 == "(" || $0 == ")" || $0 == "'" }
        }
        var known: Set<Substring> = []
        let names = [plan.full, plan.prefix, plan.given, plan.middle, plan.family, plan.suffix]
        let emails = plan.items.filter { $0.field == .email }.map { $0[.value] }
        for column in names + emails where !isEmpty(row, column) {
            known.formUnion(words(self.text(row, column)))
        }
        return words(text).allSatisfy { known.contains($0) }
    }

    private func keep(_ name: String, _ value: UnsafeRawBufferPointer) {
        keep(name, String(decoding: value, as: UTF8.self))
    }

    private func keep(_ name: String, _ text: String) {
        card.add(AddressBookReader.keptLine, parameters: [("LABEL", name)]) {
            CardBuilder.escape(text, to: $0)
        }
    }

    private func simple(_ name: String, _ column: Int?, _ row: Int) {
        if isEmpty(row, column) { return }
        card.add(name) { CardBuilder.escape(value(row, column), to: $0) }
    }

    /// A line for each value of a cell.
    func each(_ name: String, _ column: Int?, _ row: Int) {
        if isEmpty(row, column) { return }
        for piece in pieces(text(row, column)) {
            card.add(name) { CardBuilder.escape(piece, to: $0) }
        }
    }

    /// Addresses of photos; other text stands under the column's name, since it shows none.
    private func photo(_ row: Int) {
        guard let column = plan.photo, !isEmpty(row, column) else { return }
        for piece in pieces(text(row, column)) {
            let value = HeaderNames.trim(piece)
            let scheme = value.prefix { $0 != ":" }
            let isURI =
                scheme.utf8.count < value.utf8.count && scheme.utf8.count > 1
                && scheme.utf8.allSatisfy {
                    $0 | 32 >= 0x61 && $0 | 32 <= 0x7A || $0 >= 0x2B && $0 <= 0x39
                }
            if isURI {
                card.add("PHOTO", parameters: [("VALUE", "uri")]) {
                    CardBuilder.escape(value, to: $0)
                }
            } else if !value.isEmpty {
                keep(names[column], value)
            }
        }
    }

    func name(_ row: Int) {
        let parts = [plan.family, plan.given, plan.middle, plan.prefix, plan.suffix]
        if parts.allSatisfy({ isEmpty(row, $0) }) { return }
        card.add("N") { out in
            for (i, part) in parts.enumerated() {
                if i > 0 { out.append(0x3B) }
                CardBuilder.escape(value(row, part), to: out)
            }
        }
    }

    func list(_ name: String, _ column: Int?, _ row: Int) {
        if isEmpty(row, column) { return }
        let pieces = pieces(text(row, column))
        card.add(name) { out in
            for (i, piece) in pieces.enumerated() {
                if i > 0 { out.append(0x2C) }
                CardBuilder.escape(piece, to: out)
            }
        }
    }

    /// Groups: Google joins them with `:::` and marks its own with a star, Outlook uses `;`.
    private func categories(_ row: Int) {
        if isEmpty(row, plan.categories) { return }
        let text = text(row, plan.categories)
        var words = pieces(text)
        if words.count == 1, plan.origin != "google" {
            // A comma may stand in a name where semicolons are what separates.
            let isSemicolon = plan.origin.hasPrefix("outlook") || text.contains(";")
            let separator: Character = isSemicolon ? ";" : ","
            words = text.split(separator: separator).map { HeaderNames.trim(String($0)) }
        }
        words = words.map { $0.hasPrefix("* ") ? String($0.dropFirst(2)) : $0 }
            .filter { !$0.isEmpty }
        guard !words.isEmpty else { return }
        card.add("CATEGORIES") { out in
            for (i, word) in words.enumerated() {
                if i > 0 { out.append(0x2C) }
                CardBuilder.escape(word, to: out)
            }
        }
    }

    private func gender(_ row: Int) {
        if isEmpty(row, plan.gender) { return }
        let word = text(row, plan.gender)
        switch word.lowercased() {
        case "male", "m", "männlich", "masculin", "hombre", "maschile", "masculino": write("M")
        case "female", "f", "weiblich", "féminin", "mujer", "femminile", "feminino": write("F")
        case "unspecified", "keine angabe", "non spécifié": return
        default:
            card.add("GENDER") {
                $0.append(0x3B)
                CardBuilder.escape(word, to: $0)
            }
        }
        func write(_ sex: String) { card.add("GENDER") { $0.append(sex) } }
    }

}
