// The text of a line: which charset it is in, and quoted-printable and base64 undone.

extension VCardDecoder {
    func decode(_ lines: ContentLines, _ i: Int) {
        var line = lines[i]
        let charset = line.flags.contains(.charset) ? charset(of: line, lines) : nil
        if line.flags.contains(.highBytesInHead) {
            line.group = utf8(lines, line.group, charset)
            line.name = utf8(lines, line.name, charset)
            for j in lines.parameterIndices(line) {
                var parameter = lines.parameters[j]
                parameter.name = utf8(lines, parameter.name, charset)
                parameter.value = utf8(lines, parameter.value, charset)
                lines.parameters[j] = parameter
            }
            if line.flags.contains(.base64), !saysBase64(line, lines) {
                line.flags.remove(.base64)
            }
        }
        if line.flags.contains(.base64) {
            line.flags.remove(.quotedPrintable)
            // Base64 text is ASCII; other bytes are kept as text so that nothing is lost.
            if line.flags.contains(.highBytes) { line.value = utf8(lines, line.value, charset) }
            decodeText(&line, charset, lines)
        } else if line.flags.contains(.quotedPrintable), isQuotedPrintable(line, lines) {
            let property = ContactProperty(rawValue: line.tag) ?? .other
            work.removeAll()
            QuotedPrintable.decode(
                lines.bytes(line.value), protect: property.isStructured,
                isShifted: charset?.name == "iso-2022-jp", into: work)
            let start = lines.arena.count
            append(UnsafeRawBufferPointer(work.elements), charset, lines)
            line.value = lines.arenaRange(from: start)
            line.flags.insert(.decoded)
            let text = UnsafePointer(lines.arena.base + start)
            if firstIndex(of: 0x5C, in: text, count: line.value.count) != nil {
                line.flags.insert(.backslash)
            }
        } else {
            line.flags.remove(.quotedPrintable)
            if line.flags.contains(.highBytes) || charset?.name == "iso-2022-jp" {
                line.value = utf8(lines, line.value, charset)
                // A byte of a multi-byte character may have looked like a backslash, or not.
                if charset != nil { line.flags.insert([.decoded, .backslash]) }
            }
        }
        lines[i] = line
    }

    /// Whether the parameters, decoded by now, still say that the value is base64.
    private func saysBase64(_ line: ContentLine, _ lines: ContentLines) -> Bool {
        lines.parameterIndices(line).contains { j in
            let parameter = lines.parameters[j]
            let value = lines.bytes(parameter.value)
            if parameter.isBare {
                return NameKey.equals(value, "BASE64") || NameKey.equals(value, "B")
            }
            return parameter.key == NameKey.encoding && value.first.map { $0 & 0xDF } == 0x42
        }
    }

    /// Text in base64 (2.1 allows it everywhere) becomes text; what does not decode to text stays.
    private func decodeText(
        _ line: inout ContentLine, _ charset: Charset?, _ lines: ContentLines
    ) {
        let property = ContactProperty(rawValue: line.tag) ?? .other
        guard property.mayBeEncodedText,
            line.flags.isDisjoint(with: [.nested, .noColon, .highBytes])
        else { return }
        let value = lines.bytes(line.value)
        let digits = value.count { $0 > 0x20 && $0 != 0x7F }
        guard digits > 0, digits % 4 == 0 else { return }
        work.removeAll()
        guard Base64Text.decode(value, into: work), isText(work, charset) else { return }
        let start = lines.arena.count
        if lines.dialect == .legacy {
            append(UnsafeRawBufferPointer(work.elements), charset, lines)
        } else {
            // The later versions have escapes, which the bytes have not.
            let text = lines.arena.count
            append(UnsafeRawBufferPointer(work.elements), charset, lines)
            work.removeAll()
            work.append(bytes: lines.bytes(lines.arenaRange(from: text)))
            lines.arena.truncate(to: text)
            let isStructured = property.isStructured
            ValueText.escape(
                UnsafeRawBufferPointer(work.elements), lines.dialect, commas: !isStructured,
                semicolons: !isStructured, into: lines.arena)
        }
        line.value = lines.arenaRange(from: start)
        line.flags.remove(.base64)
        line.flags.insert([.quotedPrintable, .decoded, .backslash])
        if lines.dialect != .legacy { line.flags.remove(.quotedPrintable) }
        dropEncoding(&line, lines)
    }

    /// Whether bytes can be text in a charset, or in UTF-8 where none is named.
    private func isText(_ bytes: RawVector<UInt8>, _ charset: Charset?) -> Bool {
        let content = UnsafeRawBufferPointer(bytes.elements)
        let isUTF8 = UTF8Check.isValid(content)
        guard isUTF8 || charset != nil else { return false }
        return content.allSatisfy {
            $0 >= 0x20 || $0 == 9 || $0 == 10 || $0 == 13 || $0 == 0x1B && charset != nil
        }
    }

    /// Takes away the parameters that say how the value was transferred.
    private func dropEncoding(_ line: inout ContentLine, _ lines: ContentLines) {
        var kept = Int(line.firstParameter)
        for j in lines.parameterIndices(line) {
            let parameter = lines.parameters[j]
            let isEncoding =
                parameter.isBare
                ? parameter.key == NameKey.base64 || parameter.key == NameKey.b
                : parameter.key == NameKey.encoding
            if isEncoding { continue }
            lines.parameters[kept] = parameter
            kept += 1
        }
        line.parameterCount = UInt32(kept) - line.firstParameter
    }

    /// `ENCODING=QUOTED` and other odd names count when the text can be nothing else.
    private func isQuotedPrintable(_ line: ContentLine, _ lines: ContentLines) -> Bool {
        for j in lines.parameterIndices(line) {
            let parameter = lines.parameters[j]
            let word = lines.bytes(parameter.value)
            if parameter.isBare || parameter.key == NameKey.encoding,
                NameKey.isQuotedPrintable(word)
            {
                return true
            }
        }
        guard QuotedPrintable.isPlausible(lines.bytes(line.value)) else { return false }
        context.report.note(
            .guessed, "encoding-unknown", source: input.name, record: lines.record,
            property: lines.string(line.name), action: "read as QUOTED-PRINTABLE")
        return true
    }

    private func charset(of line: ContentLine, _ lines: ContentLines) -> Charset? {
        guard let parameter = lines.parameter(NameKey.charset, of: line) else { return nil }
        var name = lines.bytes(parameter.value)
        if name.count >= 2, name.first == 0x22, name.last == 0x22 {
            name = UnsafeRawBufferPointer(rebasing: name[1..<name.count - 1])
        }
        if name.count == 5, ShortText(name).lowercased == VCardDecoder.utf8Name { return nil }
        if !knownName.elementsEqual(name) {
            knownName = Array(name)
            let label = String(decoding: name, as: UTF8.self)
            known = Charset.named(label)
            if Charset.isASCII(label) {
                known = nil
            } else if known == nil {
                context.report.note(
                    .guessed, "charset-unknown", source: input.name, record: lines.record,
                    property: lines.string(line.name), value: label,
                    action: "the name means nothing; the charset was guessed")
            }
            if let charset = known, charset.isUTF8 { known = nil }
        }
        return known
    }

    /// `utf-8` as the machine reads it, the first byte lowest.
    private static let utf8Name: UInt64 = 0x38_2D66_7475

    /// The range itself when it is UTF-8 already, else its decoded copy.
    private func utf8(_ lines: ContentLines, _ range: TextRange, _ charset: Charset?) -> TextRange {
        if undone != nil { return range }
        let bytes = lines.bytes(range)
        if charset == nil, forced == nil || forced?.isUTF8 == true, UTF8Check.isValid(bytes) {
            return range
        }
        if charset?.name != "iso-2022-jp", !bytes.contains(where: { $0 >= 0x80 }) { return range }
        work.removeAll()
        work.append(bytes: bytes)
        let start = lines.arena.count
        append(UnsafeRawBufferPointer(work.elements), charset, lines)
        return lines.arenaRange(from: start)
    }

    /// Appends text to the arena as UTF-8 (the order of guesses of the requirements, V17).
    func append(
        _ bytes: UnsafeRawBufferPointer, _ charset: Charset?, _ lines: ContentLines
    ) {
        var replaced = 0
        if let charset {
            replaced = charset.decode(bytes, into: lines.arena)
        } else if let forced, !forced.isUTF8 {
            replaced = forced.decode(bytes, into: lines.arena)
        } else if let undone, undone.name == "iso-2022-jp", bytes.contains(0x1B) {
            replaced = undone.decode(bytes, into: lines.arena)
        } else if UTF8Check.isValid(bytes) {
            lines.arena.append(bytes: bytes)
        } else {
            replaced = fallback.decode(bytes, into: lines.arena)
            guesses += 1
            if guesses == 1 {
                context.report.note(
                    .guessed, "charset-guess", source: input.name, record: lines.record,
                    value: fallback.name,
                    action:
                        "text that is not UTF-8 was read in this charset; --encoding forces another"
                )
            }
        }
        if replaced > 0 {
            context.report.note(
                .lost, "bad-bytes", source: input.name, record: lines.record, count: replaced,
                action: "bytes that are no text became U+FFFD")
        }
    }

    /// The text of a nested card, lines ended by LF, in UTF-8.
    func nestedText(_ lines: ContentLines, _ range: TextRange) -> TextRange {
        let bytes = lines.bytes(range)
        let from = lines.arena.count
        work.removeAll()
        var i = 0
        while i < bytes.count {
            let c = bytes[i]
            if c == 13 {
                while i + 1 < bytes.count, bytes[i + 1] == 13 { i += 1 }
                if i + 1 < bytes.count, bytes[i + 1] == 10 { i += 1 }
                work.append(10)
            } else {
                work.append(c)
            }
            i += 1
        }
        while work.count > 0, work[work.count - 1] == 10 { work.truncate(to: work.count - 1) }
        append(UnsafeRawBufferPointer(work.elements), nil, lines)
        return lines.arenaRange(from: from)
    }
}
