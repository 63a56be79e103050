// What a contact has once, or in one column: names, groups, photos, the words of genders, as lines of
// the card.

extension AddressBookReader {
    func name(_ head: CardHead) {
        card.open(head)
        for i in 0..<steps.nameColumns.count {
            if i > 0 { card.append(separator: 0x3B) }
            card.append(cells[steps.nameColumns[i]].bytes)
        }
        card.close(head)
    }

    /// One line of all values of a cell.
    func list(_ head: CardHead, _ column: Int) {
        pieces.removeAll()
        let count = cells[column].split(into: pieces, keepsEmpty: false)
        addList(head, count)
    }

    /// One line of the pieces.
    private func addList(_ head: CardHead, _ count: Int) {
        card.open(head)
        for i in 0..<count {
            if i > 0 { card.append(separator: 0x2C) }
            card.append(pieces[i].bytes)
        }
        card.close(head)
    }

    /// A line for each value of a cell.
    func each(_ head: CardHead, _ column: Int) {
        pieces.removeAll()
        let count = cells[column].split(into: pieces, keepsEmpty: false)
        for i in 0..<count { card.add(head, pieces[i].bytes) }
    }

    /// Addresses of photos; other text stands under the column's name, since it shows none.
    func photo(_ head: CardHead, _ column: Int) {
        pieces.removeAll()
        let count = cells[column].split(into: pieces, keepsEmpty: false)
        for i in 0..<count {
            let value = pieces[i].trimmed
            if AddressBookReader.isURI(value.bytes) {
                card.add(head, value.bytes)
            } else if !value.isEmpty {
                let text = value.string
                card.add(AddressBookReader.keptLine, parameters: [("LABEL", names[column])]) {
                    CardBuilder.escape(text, to: $0)
                }
            }
        }
    }

    /// Whether a text begins with a scheme of two letters or more and a colon.
    private static func isURI(_ text: UnsafeRawBufferPointer) -> Bool {
        for (i, byte) in text.enumerated() {
            if byte == 0x3A { return i > 1 }
            guard (byte | 32) &- 0x61 < 26 || byte >= 0x2B && byte <= 0x39 else { return false }
        }
        return false
    }

    /// Groups: Google joins them with `:::` and marks its own with a star, Outlook uses `;`.
    func categories(_ head: CardHead, _ cell: CellSlice) {
        pieces.removeAll()
        var count = cell.split(into: pieces, keepsEmpty: false)
        if count == 1, !isGoogle {
            // A comma may stand in a name where semicolons are what separates.
            let isSemicolon = isOutlook || cell.bytes.contains(0x3B)
            pieces.removeAll()
            count = cell.split(into: pieces) { $0 == (isSemicolon ? 0x3B : 0x2C) }
            for i in 0..<count { pieces[i] = pieces[i].trimmed }
        }
        var words = 0
        for i in 0..<count {
            var word = pieces[i]
            if word.starts(with: "* ") { word = word.part(2, word.count) }
            if word.isEmpty { continue }
            pieces[words] = word
            words += 1
        }
        if words > 0 { addList(head, words) }
    }

    func gender(_ head: CardHead, _ cell: CellSlice) {
        if genders.count > 1000 || genders.size > 1 << 16 {
            genders.removeAll()
            genderWords = []
        }
        let number = genders.number(cell.bytes)
        if number == genderWords.count {
            switch cell.string.lowercased() {
            case "male", "m", "männlich", "masculin", "hombre", "maschile", "masculino":
                genderWords.append("M")
            case "female", "f", "weiblich", "féminin", "mujer", "femminile", "feminino":
                genderWords.append("F")
            case "unspecified", "keine angabe", "non spécifié": genderWords.append("")
            default: genderWords.append(";")
            }
        }
        let word = genderWords[number]
        if word.isEmpty { return }
        card.open(head)
        card.lines.arena.append(word)
        if word == ";" { card.append(cell.bytes) }
        card.close(head)
    }

    /// The transport or display name of an e-mail, unless it is usual, or made of the row's name and
    /// addresses alone.
    func emailNote(_ head: CardHead, _ column: Int) {
        let cell = cells[column]
        guard isTold(cell) else { return card.add(head, cell.bytes) }
        context.report.note(
            .changed, "email-note-told", source: document.input.name, record: card.lines.record,
            property: names[column], value: cell.string,
            action: "it says only what the name and the address say, and was not kept")
    }

    private func isTold(_ cell: CellSlice) -> Bool {
        if cell.equals("SMTP") || cell.equals("EX") { return true }
        toldNames.removeAll()
        for column in steps.toldColumns { toldNames.add(cells[column]) }
        return toldNames.tells(cell)
    }
}
