// Birthdays and other days of a row, in the order of day and month that their column shows.

extension AddressBookReader {
    // MARK: Dates

    /// The birthday of one cell, or of several.
    func birthday(_ head: CardHead, _ column: Int) {
        if !cells[column].isEmpty { return date(head, column) }
        var isText = false
        /// A part of the date.
        func part(_ column: Int, _ bounds: ClosedRange<Int>) -> Int? {
            let word = cells[column].trimmed
            if word.isEmpty { return nil }
            let number = word.int ?? (bounds.upperBound == 12 ? MonthNames.month(word) : nil)
            if let number, bounds.contains(number) { return number }
            if number != 0 { isText = true }
            return nil
        }
        let (years, months, days) = steps.birthColumns
        let year = part(years, 1...9999)
        let month = part(months, 1...12)
        let most = month.map { CivilDate.days(inMonth: $0, of: year ?? 2000) } ?? 31
        let day = part(days, 1...most)
        if isText || month == nil && year != nil && day != nil {
            // No date has these parts; they stay as they are.
            scratch.removeAll()
            for column in [years, months, days] {
                let word = cells[column].trimmed
                if word.isEmpty { continue }
                if !scratch.isEmpty { scratch.append(0x20) }
                scratch.append(bytes: word.bytes)
            }
            return writeText(head, CellSlice(UnsafeRawBufferPointer(scratch.elements)))
        }
        if year == nil, month == nil, day == nil { return }
        write(head, year: year, month: month, day: day, .empty)
    }

    /// The dates of a cell.
    func date(_ head: CardHead, _ column: Int) {
        pieces.removeAll()
        let count = cells[column].split(into: pieces, keepsEmpty: false)
        for i in 0..<count { event(head, pieces[i], column) }
    }

    /// One date, in the order of its column; one that has another order is told.
    func event(_ head: CardHead, _ text: CellSlice, _ column: Int) {
        let order = orders[column]
        let cell = DateCell(text.bytes, scratch)
        let fitting = BookDate.orders(cell)
        if !fitting.isEmpty, !fitting.contains(order) { noteMixed(text, column, order, fitting) }
        switch BookDate(cell, order) {
        case .none: return
        case .text: writeText(head, text)
        case .year(let year):
            card.open(head)
            ScalarText.write(year, width: 4, to: card.lines.arena)
            card.close(head)
        case .date(let year, let month, let day):
            write(head, year: year, month: month, day: day, cell.time)
        }
    }

    private func noteMixed(
        _ text: CellSlice, _ column: Int, _ order: DateOrder, _ fitting: DateOrderSet
    ) {
        let found = fitting.orders.map(\.words).joined(separator: " or ")
        context.report.note(
            .guessed, "date-order-mixed", source: document.input.name, record: card.lines.record,
            property: names[column], value: text.string,
            action: "it can only be \(found), while the column is read as \(order.words): "
                + "its other dates may be wrong (--date-order says otherwise)")
    }

    /// A date; without a year as Apple writes it, which 3.0 readers understand.
    private func write(_ head: CardHead, year: Int?, month: Int?, day: Int?, _ time: CellSlice) {
        let omits = year == nil && month != nil && day != nil
        card.open(head)
        if omits { card.addParameter("X-APPLE-OMIT-YEAR", "1604") }
        CardDate.write(
            year: year, month: month, day: day, time: time.isEmpty ? nil : time.bytes,
            omittedYear: omits ? 1604 : nil, .vCard3, into: card.lines.arena)
        card.close(head)
    }

    /// What is no date.
    private func writeText(_ head: CardHead, _ text: CellSlice) {
        context.report.note(
            .guessed, "date-as-text", source: document.input.name, record: card.lines.record,
            property: head.property.canonicalName, value: text.string, action: "kept as text")
        card.open(head)
        card.addParameter("VALUE", "text")
        card.append(text.bytes)
        card.close(head)
    }
}
