// Rows of an address book as rows of `Contact`: each row becomes the lines of a card, which the
// mapper takes like any other card. Nothing is dropped: a column nobody knows becomes a line
// `X-CSV-FIELD` with the column's name.

/// Reads an address book's CSV as contacts.
final class AddressBookReader: RecordReader {
    let schema = ContactMapper.schema

    /// The line that keeps a cell of a column without a property.
    static let keptLine = "X-CSV-FIELD"

    private let document: CSVDocument
    private let context: ExchangeContext
    private let table: CellTable
    private let rejects: CSVRejects
    private let mapper: ContactMapper
    private let card = CardBuilder()
    private let plan: AddressBookPlan
    private let names: [String]
    private let orders: DateOrders
    /// The cells of columns whose names nobody knows, since they were last noted.
    private var unknownCells: [Int: Int] = [:]
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
    private func note(_ book: AddressBook) {
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
            if !table.broken.isEmpty { rejects.setAside(table, [:], firstRecord) }
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
    private func value(_ row: Int, _ column: Int?) -> UnsafeRawBufferPointer {
        guard let column else { return UnsafeRawBufferPointer(start: nil, count: 0) }
        let bytes = table.value(table.cell(row, column))
        if bytes.first == 0x27, let base = bytes.bindMemory(to: UInt8.self).baseAddress,
            FormulaGuard.isGuarded(base, bytes.count)
        {
            return UnsafeRawBufferPointer(rebasing: bytes.dropFirst())
        }
        return bytes
    }

    private func text(_ row: Int, _ column: Int?) -> String {
        guard let column, table.cell(row, column).length > 0 else { return "" }
        return String(decoding: value(row, column), as: UTF8.self)
    }

    private func isEmpty(_ row: Int, _ column: Int?) -> Bool {
        guard let column else { return true }
        return table.cell(row, column).length == 0
    }

    /// The values of a cell that may hold several, as Google joins them.
    private func pieces(_ text: String) -> [String] {
        guard text.contains(":::") else { return [text] }
        return text.split(separator: ":::").map { HeaderNames.trim(String($0)) }
            .filter { !$0.isEmpty }
    }

    /// The values of a cell that stand beside those of other cells: empty ones, too.
    private func places(_ text: String) -> [String] {
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
    private func isTold(_ text: String, _ row: Int) -> Bool {
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
    private func each(_ name: String, _ column: Int?, _ row: Int) {
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

    private func name(_ row: Int) {
        let parts = [plan.family, plan.given, plan.middle, plan.prefix, plan.suffix]
        if parts.allSatisfy({ isEmpty(row, $0) }) { return }
        card.add("N") { out in
            for (i, part) in parts.enumerated() {
                if i > 0 { out.append(0x3B) }
                CardBuilder.escape(value(row, part), to: out)
            }
        }
    }

    private func list(_ name: String, _ column: Int?, _ row: Int) {
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

    // MARK: Items

    private func add(_ item: AddressBookPlan.Item, _ row: Int) {
        if item.columns.allSatisfy({ isEmpty(row, $0) }) { return }
        if item.field == .org { return organization(item, row) }
        if item.field == .address { return addresses(item, row) }
        guard !isEmpty(row, item[.value]) else { return }
        var kind = AddressBookLabels.kind(
            text(row, item[.type]), item.field, fixed: item.types, label: item.label)
        let services = item.field == .im ? places(text(row, item[.service])) : []
        var values = places(text(row, item[.value]))
        if AddressBookPlan.isList(item), values.count == 1 {
            values = values[0].split { $0 == "," || $0 == ";" }.map(String.init)
            if values.count > 1 {
                context.report.note(
                    .guessed, "list-split", source: document.input.name,
                    record: card.lines.record, property: item.name,
                    value: text(row, item[.value]), action: "read as several, cut at the commas")
            }
        }
        for (i, piece) in values.enumerated() {
            // One of several values of a kind can be the preferred one.
            if i > 0 { kind.isPreferred = false }
            let value = HeaderNames.trim(piece)
            if value.isEmpty { continue }
            switch item.field {
            case .email: card.add("EMAIL", kind) { CardBuilder.escape(value, to: $0) }
            case .phone:
                checkDigits(value)
                card.add("TEL", kind) { CardBuilder.escape(value, to: $0) }
            case .url: card.add("URL", kind) { CardBuilder.escape(value, to: $0) }
            case .relation:
                card.add("RELATED", kind, parameters: [("VALUE", "text")]) {
                    CardBuilder.escape(value, to: $0)
                }
            case .im:
                messenger(
                    value,
                    services.count == 1 ? services[0] : i < services.count ? services[i] : "",
                    kind)
            case .event: event(value, kind, item[.value])
            default:
                let label = kind.label ?? item.name
                card.add(AddressBookReader.keptLine, parameters: [("LABEL", label)]) {
                    CardBuilder.escape(value, to: $0)
                }
            }
        }
    }

    /// A service named by the column stands among the types, with a capital.
    private func messenger(_ value: String, _ named: String, _ kind: CardBuilder.Kind) {
        var kind = kind
        let usual: Set<String> = ["home", "work", "other", "pref"]
        var service = named
        if service.isEmpty, let type = kind.types.first(where: { !usual.contains($0) }) {
            service = type
        }
        kind.types.removeAll { !usual.contains($0) }
        card.add(
            "IMPP", kind,
            parameters: service.isEmpty ? [] : [("X-SERVICE-TYPE", service)]
        ) { CardBuilder.escape(value, to: $0) }
    }

    /// Google joins several organisations of one kind with `:::`, part by part.
    private func organization(_ item: AddressBookPlan.Item, _ row: Int) {
        func cell(_ part: ColumnMeaning.Part) -> [String] {
            isEmpty(row, item[part]) ? [] : places(text(row, item[part]))
        }
        let names = cell(.name)
        var units = cell(.department).map { [$0] }
        // Several departments of one company.
        if names.count == 1, units.count > 1 { units = [units.flatMap { $0 }] }
        var kind = AddressBookLabels.kind(text(row, item[.type]), .org, fixed: [], label: nil)
        for i in 0..<max(names.count, units.count) {
            let name = i < names.count ? names[i] : ""
            let units = (i < units.count ? units[i] : []).filter { !$0.isEmpty }
            if name.isEmpty, units.isEmpty { continue }
            card.add("ORG", kind) { out in
                CardBuilder.escape(name, to: out)
                for unit in units {
                    out.append(0x3B)
                    CardBuilder.escape(unit, to: out)
                }
            }
            kind.isPreferred = false
        }
        each("TITLE", item[.title], row)
    }

    /// Google joins the parts of several addresses of one kind with `:::`, part by part.
    private func addresses(_ item: AddressBookPlan.Item, _ row: Int) {
        let parts: [ColumnMeaning.Part] = [
            .pobox, .extended, .street, .street2, .street3, .city, .region, .code, .country,
            .formatted,
        ]
        var cells: [ColumnMeaning.Part: [String]] = [:]
        var count = 1
        for part in parts where !isEmpty(row, item[part]) {
            let text = text(row, item[part])
            let pieces = places(text)
            cells[part] = pieces
            count = max(count, pieces.count)
        }
        if cells.isEmpty { return }
        var kind = AddressBookLabels.kind(
            text(row, item[.type]), .address, fixed: item.types, label: item.label)
        for i in 0..<count {
            if i > 0 { kind.isPreferred = false }
            func cell(_ part: ColumnMeaning.Part) -> String {
                guard let pieces = cells[part], i < pieces.count else { return "" }
                return pieces[i]
            }
            let street = [cell(.street), cell(.street2), cell(.street3)].filter { !$0.isEmpty }
                .joined(separator: "\n")
            let fields = [
                cell(.pobox), cell(.extended), street, cell(.city), cell(.region), cell(.code),
                cell(.country),
            ]
            let formatted = cell(.formatted)
            let isTold = AddressBookReader.isTold(formatted, by: fields)
            card.add("ADR", kind, parameters: isTold ? [] : [("LABEL", formatted)]) { out in
                for (k, field) in fields.enumerated() {
                    if k > 0 { out.append(0x3B) }
                    CardBuilder.escape(field, to: out)
                }
            }
        }
    }

    /// Whether every word of a formatted address stands in its parts, too.
    static func isTold(_ formatted: String, by fields: [String]) -> Bool {
        func words(_ text: String) -> [Substring] {
            text.split { $0.isWhitespace || $0 == "," }
        }
        let known = Set(fields.flatMap(words))
        return words(formatted).allSatisfy { known.contains($0) }
    }

    /// A number that a spreadsheet has rounded (`4.91512E+11`) has lost its digits for good.
    private func checkDigits(_ value: String) {
        let bytes = Array(value.utf8)
        guard bytes.count >= 6, bytes.count <= 16,
            let e = bytes.firstIndex(where: { $0 == 0x45 || $0 == 0x65 }), e > 2,
            e + 1 < bytes.count, bytes[e + 1] == 0x2B,
            bytes[..<e].allSatisfy({ $0 &- 0x30 < 10 || $0 == 0x2E || $0 == 0x2C }),
            bytes[(e + 2)...].allSatisfy({ $0 &- 0x30 < 10 })
        else { return }
        context.report.note(
            .guessed, "rounded-number", source: document.input.name, record: card.lines.record,
            property: "TEL", value: value,
            action: "a spreadsheet has replaced digits of this number; they are gone: export again"
        )
    }

    // MARK: Dates

    private func birthday(_ row: Int) {
        if !isEmpty(row, plan.birthday) { return date("BDAY", plan.birthday, row) }
        func number(_ column: Int?) -> Int? {
            guard !isEmpty(row, column) else { return nil }
            let n = ScalarText.int(CellText.trim(value(row, column))).map { Int($0) }
            return n.flatMap { $0 > 0 && $0 < 10_000 ? $0 : nil }
        }
        let year = number(plan.birthYear)
        guard let month = number(plan.birthMonth), let day = number(plan.birthDay), month <= 12,
            day <= 31
        else {
            if let year { card.add("BDAY") { ScalarText.write(year, width: 4, to: $0) } }
            return
        }
        write("BDAY", .date(year: year, month: month, day: day), "", CardBuilder.Kind())
    }

    private func date(_ name: String, _ column: Int?, _ row: Int) {
        if isEmpty(row, column) { return }
        for piece in pieces(text(row, column)) {
            write(name, read(piece, column), piece, CardBuilder.Kind())
        }
    }

    private func event(_ value: String, _ kind: CardBuilder.Kind, _ column: Int?) {
        let date = read(value, column)
        if kind.label?.lowercased() == "anniversary" {
            var kind = kind
            kind.label = nil
            return write("ANNIVERSARY", date, value, kind)
        }
        var labelled = kind
        if labelled.label == nil { labelled.label = "Other" }
        write("X-ABDATE", date, value, labelled)
    }

    /// A date in the order of its column; one that has another order is told.
    private func read(_ text: String, _ column: Int?) -> BookDate {
        var text = text
        let order = orders[column]
        return text.withUTF8 { bytes in
            let bytes = UnsafeRawBufferPointer(bytes)
            let fitting = BookDate.orders(bytes)
            if !fitting.isEmpty, !fitting.contains(order) {
                let (usual, found) = (
                    order.words, fitting.map(\.words).joined(separator: " or ")
                )
                context.report.note(
                    .guessed, "date-order-mixed", source: document.input.name,
                    record: card.lines.record, property: column.map { names[$0] },
                    value: String(decoding: bytes, as: UTF8.self),
                    action: "it can only be \(found), while the column is read as \(usual): "
                        + "its other dates may be wrong (--date-order says otherwise)")
            }
            return BookDate(bytes, order)
        }
    }

    private func write(
        _ name: String, _ date: BookDate, _ text: String, _ kind: CardBuilder.Kind
    ) {
        switch date {
        case .none: return
        case .year(let year): card.add(name, kind) { ScalarText.write(year, width: 4, to: $0) }
        case .text:
            context.report.note(
                .guessed, "date-as-text", source: document.input.name, record: card.lines.record,
                property: name, value: text, action: "kept as text")
            card.add(name, kind, parameters: [("VALUE", "text")]) {
                CardBuilder.escape(text, to: $0)
            }
        case .date(let year, let month, let day):
            card.addDate(name, kind, year: year, month: month, day: day)
        }
    }
}
