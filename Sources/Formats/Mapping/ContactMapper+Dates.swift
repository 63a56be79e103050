// Birthdays, anniversaries and other days, and the time of the last change.

extension ContactMapper {
    // MARK: Dates

    func appendRevision(
        _ line: ContentLine, _ i: Int, _ lines: ContentLines, _ items: ItemFill
    ) {
        let isExact = openPlain(line, i, lines, items, .rev)
        value(lines.bytes(line.value), of: line, items.own[1])
        if let date = CardDate.timestamp(items.own[1].last) { items.own[0].append(date) }
        close(line, lines, items, isExact)
    }

    func appendDate(
        _ line: ContentLine, _ i: Int, _ lines: ContentLines, _ items: ItemFill,
        _ property: ContactProperty
    ) {
        var pulled = open(line, i, lines, items, property)
        let own = items.own
        switch property {
        case .bday: own[0].append("birthday")
        case .anniversary: own[0].append("anniversary")
        case .deathdate: own[0].append("death")
        default: own[0].append("other")
        }
        if isOld, property.isNew { pulled.isExact = false }
        scratch2.removeAll()
        ValueText.unescape(lines.bytes(line.value), dialect, into: scratch2)
        let bytes = UnsafeRawBufferPointer(scratch2.elements)
        var trimmed = bytes
        while let c = trimmed.last, c <= 0x20 { trimmed = .init(rebasing: trimmed.dropLast()) }
        while let c = trimmed.first, c <= 0x20 { trimmed = .init(rebasing: trimmed.dropFirst()) }
        guard !isText(line, lines), var date = CardDate(trimmed) else {
            own[5].append(bytes: bytes)
            return close(line, lines, items, pulled.isExact)
        }
        var omitted: Int?
        if let year = date.year {
            if pulled.omittedYear >= 0 {
                let marker = ScalarText.int(text(pulled.omittedYear, lines)).map { Int($0) }
                if marker == year {
                    date.year = nil
                    omitted = year
                }
            } else if year == 1604, isApple, date.month != nil, date.day != nil {
                date.year = nil
                context?.report.note(
                    .guessed, "bday-no-year", source: source, record: lines.record,
                    property: lines.string(line.name),
                    action: "1604 in a card of an Apple program means that the year is not known")
            }
        }
        let time = date.time.map { UnsafeRawBufferPointer(rebasing: trimmed[$0]) }
        scratch.removeAll()
        CardDate.write(
            year: date.year, month: date.month, day: date.day, time: time, omittedYear: omitted,
            dialect, into: scratch)
        if !equalBytes(UnsafeRawBufferPointer(scratch.elements), bytes) { pulled.isExact = false }
        number(date.year, own[1])
        number(date.month, own[2])
        number(date.day, own[3])
        if let time { own[4].append(bytes: time) }
        close(line, lines, items, pulled.isExact)
    }

    func number(_ value: Int?, _ column: ColumnFill) {
        if let value { column.append(word: Int64(value)) }
    }
}
