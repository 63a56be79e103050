// How names sound: fields of the first name for use, told by lines of their own among the extras
// (`X-PHONETIC-…`, an N with PHONETIC, the `SOUND;X-IRMC-N` of Japanese phones). An edited field wins
// over its line.

extension ContactMapper {
    /// Where the sounds of a contact's first name stand: family, given and middle name.
    struct Phonetics {
        /// The row of the first name; -1 without one.
        var name = -1
        /// Rows of the extras, -1 for none: lines of one sound each, and those of a whole name.
        var single = [-1, -1, -1]
        var whole = -1
        var sound = -1

        var isEmpty: Bool { whole < 0 && sound < 0 && single.allSatisfy { $0 < 0 } }
    }

    /// The names of the lines of one sound each.
    private static let phoneticNames = [
        "X-PHONETIC-LAST-NAME", "X-PHONETIC-FIRST-NAME", "X-PHONETIC-MIDDLE-NAME",
    ]

    /// True for the SOUND of Japanese phones, which is no audio.
    func isPhoneticSound(_ line: ContentLine, _ lines: ContentLines) -> Bool {
        for j in lines.parameterIndices(line) {
            let parameter = lines.parameters[j]
            guard
                parameter.isBare || parameter.name.isEmpty || parameter.value.isEmpty
                    || parameter.key == NameKey.type
            else { continue }
            let words = lines.bytes(parameter.value.isEmpty ? parameter.name : parameter.value)
            for word in words.split(whereSeparator: { $0 == 0x2C || $0 == 0x22 })
            where NameKey.equals(UnsafeRawBufferPointer(rebasing: word), "X-IRMC-N") {
                return true
            }
        }
        return false
    }

    /// Remembers an extra that tells how the name sounds.
    func note(
        phonetic property: ContactProperty, _ row: Int, _ columns: ContactColumns,
        _ phonetics: inout Phonetics
    ) {
        let items = columns.extras
        func keep(_ place: inout Int) { if place < 0 { place = row } }
        switch property {
        case .phoneticLast: keep(&phonetics.single[0])
        case .phoneticFirst: keep(&phonetics.single[1])
        case .phoneticMiddle: keep(&phonetics.single[2])
        case .n:
            for j in items.parameters.range(row)
            where NameKey.starts(items.parameterElements.bytes(j), with: "PHONETIC=") {
                return keep(&phonetics.whole)
            }
            for j in items.types.range(row)
            where NameKey.equals(items.typeElements.bytes(j), "PHONETIC") {
                return keep(&phonetics.whole)
            }
        case .sound:
            for j in items.types.range(row)
            where NameKey.equals(items.typeElements.bytes(j), "X-IRMC-N") {
                return keep(&phonetics.sound)
            }
        default: break
        }
    }

    /// The typed sound; nil for none.
    private func typed(
        _ k: Int, _ phonetics: Phonetics, _ columns: ContactColumns
    ) -> UnsafeRawBufferPointer? {
        let column = columns.names.own[7 + k]
        return column.isNull(phonetics.name) ? nil : column.bytes(phonetics.name)
    }

    /// The piece of a line of a whole name, as written.
    private func piece(_ k: Int, _ row: Int, _ columns: ContactColumns) -> UnsafeRawBufferPointer? {
        if row < 0 { return nil }
        var pieces = ValuePieces(columns.extras.own[1].bytes(row), separator: 0x3B)
        for _ in 0..<k { _ = pieces.next() }
        return pieces.nextBytes()
    }

    /// The row of the extra that tells a sound; -1 for none.
    private func owner(_ k: Int, _ phonetics: Phonetics, _ columns: ContactColumns) -> Int {
        if phonetics.single[k] >= 0 { return phonetics.single[k] }
        for row in [phonetics.whole, phonetics.sound]
        where piece(k, row, columns)?.isEmpty == false { return row }
        return phonetics.whole >= 0 ? phonetics.whole : phonetics.sound
    }

    /// True when a text of a line, with its escapes, says what the field says.
    private func says(_ text: UnsafeRawBufferPointer, _ typed: UnsafeRawBufferPointer?) -> Bool {
        for isQuoted in [false, true] {
            scratch.removeAll()
            ValueText.unescape(text, dialect, quotedPrintable: isQuoted, into: scratch)
            let bytes = UnsafeRawBufferPointer(scratch.elements)
            if let typed { if equalBytes(bytes, typed) { return true } }
            if typed == nil, bytes.isEmpty { return true }
        }
        return false
    }

    /// Writes an extra of a sound that was edited.
    /// - Returns: false when the line still says what the fields say, or tells no sound.
    func writePhonetic(
        _ row: Int, _ columns: ContactColumns, _ phonetics: Phonetics, _ lines: ContentLines
    ) -> Bool {
        guard phonetics.name >= 0 else { return false }
        let items = columns.extras
        let value = items.own[1].bytes(row)
        if let k = phonetics.single.firstIndex(of: row) {
            let typed = typed(k, phonetics, columns)
            if says(value, typed) { return false }
            guard let typed else { return true }
            head(row, items, "", lines)
            lines.lines.base[lines.count - 1].name = lines.add(items.own[0].bytes(row))
            lines.close(value: escaped(typed, lines, commas: true, semicolons: true))
            return true
        }
        guard row == phonetics.whole || row == phonetics.sound else { return false }
        var isEdited = false
        var isEmpty = true
        for k in 0..<3 {
            let piece = piece(k, row, columns) ?? UnsafeRawBufferPointer(start: nil, count: 0)
            guard owner(k, phonetics, columns) == row else {
                if !piece.isEmpty { isEmpty = false }
                continue
            }
            let typed = typed(k, phonetics, columns)
            if let typed, !typed.isEmpty { isEmpty = false }
            if !says(piece, typed), !(typed?.isEmpty ?? true && piece.isEmpty) { isEdited = true }
        }
        guard isEdited else { return false }
        if isEmpty { return true }
        head(row, items, "", lines)
        lines.lines.base[lines.count - 1].name = lines.add(items.own[0].bytes(row))
        let start = lines.arena.count
        var pieces = ValuePieces(value, separator: 0x3B)
        var k = 0
        while true {
            let piece = pieces.nextBytes()
            if piece == nil, k > 2 { break }
            if k > 0 { lines.arena.append(0x3B) }
            let typed = k < 3 ? typed(k, phonetics, columns) : nil
            if k < 3, owner(k, phonetics, columns) == row,
                !says(piece ?? UnsafeRawBufferPointer(start: nil, count: 0), typed)
            {
                if let typed {
                    ValueText.escape(
                        typed, dialect, commas: dialect != .legacy, semicolons: true,
                        into: lines.arena)
                }
            } else if let piece {
                lines.arena.append(bytes: piece)
            }
            k += 1
        }
        lines.close(value: lines.arenaRange(from: start))
        return true
    }

    /// Adds lines for the sounds that no line tells.
    func addPhonetics(
        _ columns: ContactColumns, _ phonetics: Phonetics, _ lines: ContentLines
    ) {
        guard phonetics.name >= 0 else { return }
        for k in 0..<3 {
            guard let typed = typed(k, phonetics, columns), !typed.isEmpty,
                owner(k, phonetics, columns) < 0
            else { continue }
            lines.open(name: ContactMapper.phoneticNames[k])
            lines.lines.base[lines.count - 1].flags.insert(.backslash)
            lines.close(value: escaped(typed, lines, commas: true, semicolons: true))
        }
    }
}
