// Birthdays and other days of a row, in the order of day and month that their column shows.

extension AddressBookReader {
    // MARK: Dates

    func birthday(_ row: Int) {
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

    func date(_ name: String, _ column: Int?, _ row: Int) {
        if isEmpty(row, column) { return }
        for piece in pieces(text(row, column)) {
            write(name, read(piece, column), piece, CardBuilder.Kind())
        }
    }

    func event(_ value: String, _ kind: CardBuilder.Kind, _ column: Int?) {
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
    func read(_ text: String, _ column: Int?) -> BookDate {
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

    func write(
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
