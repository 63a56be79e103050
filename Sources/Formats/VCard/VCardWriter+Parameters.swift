// The parameters of a line, strictly by the rules of its dialect.

extension VCardWriter {
    /// Appends a parameter to the head of the line.
    func parameter(
        _ parameter: ContentParameter, _ line: ContentLine, _ lines: ContentLines
    ) {
        let isLegacy = lines.dialect == .legacy
        if !parameter.isBare, parameter.key == NameKey.charset { return }
        let isEncoding = parameter.isBare || parameter.key == NameKey.encoding
        let text = lines.bytes(parameter.value)
        if isEncoding {
            if NameKey.equals(text, "QUOTED-PRINTABLE") { return }
            if !parameter.isBare, NameKey.starts(text, with: "QUOTED") { return }
            // `ENCODING=Q` of what has been decoded would have it decoded once more.
            if !parameter.isBare, let c = text.first, c & 0xDF == 0x51 {
                if line.flags.contains(.quotedPrintable) { return }
                // Nor is it written of what could not be decoded: it might be next time.
                context?.report.note(
                    .lost, "encoding-wrong", record: lines.record,
                    property: lines.string(line.name),
                    value: String(decoding: text.prefix(80), as: UTF8.self),
                    action: "left out: the value is not in this encoding")
                return
            }
            if !isLegacy, NameKey.equals(text, "8BIT") || NameKey.equals(text, "7BIT") { return }
            let saysBase64 = !parameter.isBare && text.first.map { $0 & 0xDF == 0x42 } ?? false
            if saysBase64 || NameKey.equals(text, "BASE64") || NameKey.equals(text, "B") {
                // What is no base64, whatever is said of it, would be read as base64 later.
                guard line.flags.contains(.base64) else { return }
                return head.append(isLegacy ? ";ENCODING=BASE64" : ";ENCODING=b")
            }
        }
        let isWellFormed = isLegacy || isWellFormed(text)
        let isEmpty =
            parameter.isBare || text.isEmpty
            || !isWellFormed && text.allSatisfy { $0 == 0x22 || ControlCharacters.isOne($0) }
        if isEmpty {
            let word = parameter.isBare ? text : lines.bytes(parameter.name)
            if !parameter.isBare, ParameterText.isUsualName(word) { return }
            // `TYPE=` and `=` say nothing.
            if word.isEmpty || NameKey.equals(word, "TYPE") { return }
            if !parameter.isBare, ParameterText.isTransferEncoding(word) { return }
            return bare(word, lines.dialect)
        }
        head.append(0x3B)
        if isLegacy {
            name(lines.bytes(parameter.name))
            head.append(0x3D)
            return clean(text)
        }
        name(lines.bytes(parameter.name))
        head.append(0x3D)
        if parameter.key == NameKey.type, text.contains(0x5C) || !isWellFormed {
            return types(text, lines.dialect)
        }
        if isWellFormed { return clean(text) }
        // What stands between misplaced quotes is read and written anew.
        context?.report.note(
            .changed, "quotes-misplaced", record: lines.record, property: lines.string(line.name),
            value: String(decoding: text.prefix(80), as: UTF8.self),
            action: "the quotes of a parameter stand around whole values only")
        var isFirst = true
        var whole = parameter
        whole.needsDecoding = true
        ParameterText.forEachValue(whole, of: lines, scratch: scratch) {
            if !isFirst { head.append(0x2C) }
            isFirst = false
            ParameterText.encode($0, lines.dialect, into: head)
        }
    }

    private func bare(_ word: UnsafeRawBufferPointer, _ dialect: ContentDialect) {
        if dialect == .legacy {
            head.append(0x3B)
            return clean(word)
        }
        if NameKey.equals(word, "INLINE") { return }
        for kind in ["URL", "CID", "CONTENT-ID"] where NameKey.equals(word, kind) {
            return head.append(";VALUE=uri")
        }
        if dialect == .vCard4, NameKey.equals(word, "PREF") { return head.append(";PREF=1") }
        // `WORK,VOICE` are two words.
        if !word.contains(where: { $0 != 0x2C }) { return }
        head.append(";TYPE=")
        types(word, dialect)
    }

    private func types(_ text: UnsafeRawBufferPointer, _ dialect: ContentDialect) {
        var isFirst = true
        ParameterText.forEachType(text, carets: true, scratch: scratch) { type in
            if !isFirst { head.append(0x2C) }
            isFirst = false
            ParameterText.encode(type, dialect, into: head)
        }
    }

    /// Text of a parameter without line breaks.
    private func clean(_ text: UnsafeRawBufferPointer) {
        for c in text { head.append(ControlCharacters.isOne(c) ? 0x20 : c) }
    }

    /// True when quotes stand around whole values only and what needs them has them.
    private func isWellFormed(_ text: UnsafeRawBufferPointer) -> Bool {
        var isQuoted = false
        for i in 0..<text.count {
            let c = text[i]
            if c == 0x22 {
                if isQuoted {
                    guard i + 1 == text.count || text[i + 1] == 0x2C else { return false }
                } else {
                    guard i == 0 || text[i - 1] == 0x2C else { return false }
                }
                isQuoted.toggle()
            } else if !isQuoted, c == 0x3A || c == 0x3B {
                return false
            }
        }
        return !isQuoted
    }
}
