// What a version demands of every card: names of properties and groups that its grammar allows, and
// the lines N and FN.

extension VCardUpgrade {
    // MARK: Names

    /// Property names that the grammar does not allow (`X-GOOGLE TALK`) are mended.
    func mendNames() {
        for i in 0..<out.count {
            let line = out[i]
            func isPlain(_ c: UInt8) -> Bool {
                c &- 0x30 < 10 || (c & 0xDF) &- 0x41 < 26 || c == 0x2D
            }
            guard !out.bytes(line.name).allSatisfy(isPlain) else { continue }
            let name = String(
                decoding: out.bytes(line.name).map { isPlain($0) ? $0 : 0x2D }, as: UTF8.self)
            out.lines.base[i].name = out.add(name)
            out.lines.base[i].key = NameKey.of(name)
            context.report.note(
                .changed, "name-mended", record: src.record, property: name,
                action: "the name held characters that names cannot have")
        }
    }

    /// A property that 4.0 allows once keeps its further lines under a name of one's own.
    func mendRepeated() {
        var seen: Set<UInt64> = []
        let once = ["BDAY", "ANNIVERSARY", "GENDER", "N", "REV", "UID", "KIND", "PRODID"]
        let names = Dictionary(uniqueKeysWithValues: once.map { (NameKey.of($0), $0) })
        let altID = NameKey.of("ALTID")
        for i in 0..<out.count {
            let line = out[i]
            guard let name = names[line.key], out.parameter(altID, of: line) == nil,
                !seen.insert(line.key).inserted
            else { continue }
            out.lines.base[i].name = out.add("X-" + name)
            out.lines.base[i].key = NameKey.of("X-" + name)
            context.report.note(
                .changed, "repeated-property", record: src.record, property: name,
                value: String(decoding: out.bytes(line.value).prefix(80), as: UTF8.self),
                action: "\(targetName) has it once; kept as X-\(name)")
        }
    }

    /// Adds the FN or N that the target demands and the card has not.
    func deriveNames() {
        let fn = NameKey.of("FN")
        let n = NameKey.of("N")
        var hasFN = false
        var hasN = false
        for i in 0..<out.count {
            if out[i].key == fn { hasFN = true }
            if out[i].key == n { hasN = true }
        }
        if !hasFN, out.dialect != .legacy {
            let name = derivedName()
            out.open(name: "FN")
            out.lines.base[out.count - 1].flags.insert(.backslash)
            close(text: name)
            context.report.note(
                .guessed, "name-derived", record: src.record, property: "FN", value: name,
                action: "the version demands a formatted name")
        }
        if !hasN, out.dialect != .vCard4 {
            out.open(name: "N")
            out.lines.base[out.count - 1].flags.insert(.backslash)
            let start = out.arena.count
            let name = formattedName()
            let parts = NameParts(name)
            // What is no person has one name, which is not taken apart.
            let pieces =
                isOrganization(name)
                ? [name, "", "", "", ""]
                : [parts.family, parts.given, "", parts.prefix, parts.suffix]
            for (k, piece) in pieces.enumerated() {
                if k > 0 { out.arena.append(0x3B) }
                var piece = piece
                piece.withUTF8 {
                    ValueText.escape(
                        UnsafeRawBufferPointer($0), out.dialect, commas: out.dialect != .legacy,
                        semicolons: true, into: out.arena)
                }
            }
            out.close(value: out.arenaRange(from: start))
            context.report.note(
                .guessed, "name-derived", record: src.record, property: "N", value: name,
                action: "the version demands a name; it was made of FN")
        }
    }

    /// True for the card of a company or group: it says so, or it is called as its organization.
    private func isOrganization(_ name: String) -> Bool {
        func says(_ property: String, _ words: Set<String>) -> Bool {
            value(of: property).map {
                words.contains(outText(out.bytes($0.value)).lowercased())
            } ?? false
        }
        if says("KIND", ["org", "group", "location"]) || says("X-ADDRESSBOOKSERVER-KIND", ["group"])
            || says("X-ABSHOWAS", ["company"])
        {
            return true
        }
        guard !name.isEmpty, let line = value(of: "ORG") else { return false }
        var pieces = ValuePieces(out.bytes(line.value), separator: 0x3B)
        return pieces.nextBytes().map { outText($0) == name } ?? false
    }

    func value(of name: String) -> ContentLine? {
        let key = NameKey.of(name)
        for i in 0..<out.count where out[i].key == key && !out[i].value.isEmpty { return out[i] }
        return nil
    }

    private func outText(_ bytes: UnsafeRawBufferPointer) -> String {
        scratch.removeAll()
        ValueText.unescape(bytes, out.dialect, into: scratch)
        return String(decoding: scratch.elements, as: UTF8.self)
    }

    private func formattedName() -> String {
        guard let line = value(of: "FN") else { return "" }
        return outText(out.bytes(line.value))
    }

    /// Prefix, given, additional, family and suffix; else organisation, nickname, e-mail, phone.
    private func derivedName() -> String {
        if let line = value(of: "N") {
            scratch.removeAll()
            for k in [3, 1, 2, 0, 4] { addWords(ofComponent: k, out.bytes(line.value)) }
            if !scratch.isEmpty { return String(decoding: scratch.elements, as: UTF8.self) }
        }
        for name in ["ORG", "NICKNAME", "EMAIL", "TEL"] {
            guard let line = value(of: name) else { continue }
            var pieces = ValuePieces(out.bytes(line.value), separator: name == "ORG" ? 0x3B : 0x2C)
            if let piece = pieces.nextBytes() {
                let text = outText(piece)
                if !text.isEmpty { return text }
            }
        }
        return ""
    }

    /// Appends the words of one component of a value to what is in `scratch`, with a space between
    /// any two.
    private func addWords(ofComponent k: Int, _ value: UnsafeRawBufferPointer) {
        var pieces = ValuePieces(value, separator: 0x3B)
        for _ in 0..<k {
            if pieces.next() == nil { return }
        }
        guard let piece = pieces.nextBytes() else { return }
        var words = ValuePieces(piece, separator: 0x2C)
        while let word = words.nextBytes() {
            let mark = scratch.count
            if mark > 0 { scratch.append(0x20) }
            let start = scratch.count
            ValueText.unescape(word, out.dialect, into: scratch)
            if scratch.count == start { scratch.truncate(to: mark) }
        }
    }
}
