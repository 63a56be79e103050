// How an address book's program spells values that stand once: lists in one cell, and dates.

extension AddressBookWriter {
    func spelled(_ field: ColumnMeaning.Field, _ value: TextPlace) -> TextPlace {
        switch field {
        case .categories: categories(value)
        case .nickname: joined(value, isGoogle ? " ::: " : ", ")
        case .birthday, .anniversary: date(value)
        default: value
        }
    }

    /// Several values that stand in one text.
    func joined(_ value: TextPlace, _ separator: StaticString) -> TextPlace {
        let texts = contact.texts
        guard texts.bytes(value).contains(0) else { return value }
        let start = texts.end
        var rest = value
        while let word = texts.nextPiece(&rest, 0) { texts.join(word, since: start, separator) }
        return texts.since(start)
    }

    private func categories(_ value: TextPlace) -> TextPlace {
        guard isGoogle else { return joined(value, ";") }
        let texts = contact.texts
        let start = texts.end
        let system: [StaticString] = ["myContacts", "My Contacts", "starred", "Other Contacts"]
        var rest = value
        while let word = texts.nextPiece(&rest, 0) {
            if texts.end > start { texts.append(" ::: ") }
            if system.contains(where: { ByteNumbers.isSame(texts.bytes(word), $0) }) {
                texts.append("* ")
            }
            texts.copy(word)
        }
        return texts.since(start)
    }

    /// Outlook reads dates as month/day/year only; one without a part of it cannot be told to it.
    func date(_ value: TextPlace) -> TextPlace {
        guard isOutlook else { return value }
        let texts = contact.texts
        if let usual = usualDate(value) { return usual }
        let parts = texts.string(value).split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].count == 4, let month = Int(parts[1]),
            let day = Int(parts[2])
        else {
            notes.add(
                .noYear, notes.property("dates"), value: texts.string(value),
                action: "\(profile.name) has no date without a day, month or year")
            return TextPlace()
        }
        return texts.add("\(month)/\(day)/\(parts[0])")
    }

    /// The same for `1980-01-02`.
    private func usualDate(_ value: TextPlace) -> TextPlace? {
        let texts = contact.texts
        let bytes = texts.bytes(value)
        guard bytes.count == 10, bytes[4] == 0x2D, bytes[7] == 0x2D,
            bytes.indices.allSatisfy({ $0 == 4 || $0 == 7 || bytes[$0] &- 0x30 < 10 })
        else { return nil }
        func number(_ i: Int) -> Int { Int(bytes[i] &- 0x30) * 10 + Int(bytes[i + 1] &- 0x30) }
        let month = number(5), day = number(8)
        let start = texts.end
        texts.append(month, width: month < 10 ? 1 : 2)
        texts.append("/")
        texts.append(day, width: day < 10 ? 1 : 2)
        texts.append("/")
        texts.copy(TextPlace(start: value.start, count: 4))
        return texts.since(start)
    }
}
