// Birthdays and other days of a row, in the order of day and month that their column shows.

extension AddressBookReader {
    // MARK: Dates

    func birthday(_ row: Int) {
        if !isEmpty(row, plan.birthday) { return date("BDAY", plan.birthday, row) }
        var isText = false
        /// A part of the date.
        func part(_ column: Int?, _ bounds: ClosedRange<Int>) -> Int? {
            let word = HeaderNames.trim(text(row, column))
            let number = Int(word) ?? (bounds.upperBound == 12 ? MonthNames.month(word) : nil)
            if let number, bounds.contains(number) { return number }
            if number != 0, !word.isEmpty { isText = true }
            return nil
        }
        let year = part(plan.birthYear, 1...9999)
        let month = part(plan.birthMonth, 1...12)
        let most = month.map { CivilDate.days(inMonth: $0, of: year ?? 2000) } ?? 31
        let day = part(plan.birthDay, 1...most)
        if isText || month == nil && year != nil && day != nil {
            // No date has these parts; they stay as they are.
            let words = [plan.birthYear, plan.birthMonth, plan.birthDay]
                .map { HeaderNames.trim(text(row, $0)) }.filter { !$0.isEmpty }
            return write("BDAY", .text, "", words.joined(separator: " "), CardBuilder.Kind())
        }
        if year == nil, month == nil, day == nil { return }
        card.addDate("BDAY", year: year, month: month, day: day)
    }

    func date(_ name: String, _ column: Int?, _ row: Int) {
        if isEmpty(row, column) { return }
        for piece in pieces(text(row, column)) {
            let (date, time) = read(piece, column)
            write(name, date, time, piece, CardBuilder.Kind())
        }
    }

    func event(_ value: String, _ kind: CardBuilder.Kind, _ column: Int?) {
        let (date, time) = read(value, column)
        if kind.label?.lowercased() == "anniversary" {
            var kind = kind
            kind.label = nil
            return write("ANNIVERSARY", date, time, value, kind)
        }
        var labelled = kind
        if labelled.label == nil { labelled.label = "Other" }
        write("X-ABDATE", date, time, value, labelled)
    }

    /// A date in the order of its column; one that has another order is told.
    func read(_ text: String, _ column: Int?) -> (BookDate, time: String) {
        var text = text
        let order = orders[column]
        return text.withUTF8 { bytes in
            let bytes = UnsafeRawBufferPointer(bytes)
            let cell = DateCell(bytes)
            let fitting = BookDate.orders(cell)
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
            return (BookDate(cell, order), cell.time)
        }
    }

    func write(
        _ name: String, _ date: BookDate, _ time: String, _ text: String, _ kind: CardBuilder.Kind
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
            card.addDate(name, kind, year: year, month: month, day: day, time: time)
        }
    }
}
