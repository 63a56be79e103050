// Lines of a card to the bytes of a file, strictly by the rules of the card's dialect: what we
// only tolerate when reading (bare words after 2.1, CHARSET, backslashes in TYPE lists) is
// written as the standard wants it.

/// Writes the lines of cards.
final class VCardWriter {
    private let sink: ByteSink
    private let context: ExchangeContext?
    let head = RawVector<UInt8>(capacity: 256)
    let work = RawVector<UInt8>(capacity: 1024)
    private let scratch = RawVector<UInt8>(capacity: 256)
    /// A value without its control characters.
    private let clean = RawVector<UInt8>(capacity: 256)

    /// - Parameter context: takes notes of what cannot be written; nil to be silent.
    init(sink: ByteSink, context: ExchangeContext? = nil) {
        self.sink = sink
        self.context = context
    }

    deinit {
        head.destroy()
        work.destroy()
        scratch.destroy()
        clean.destroy()
    }

    /// Writes a card.
    func write(_ lines: ContentLines) throws(FormatError) {
        let out = sink.buffer
        out.append("BEGIN:VCARD\r\n")
        for i in 0..<lines.count {
            write(lines[i], lines, to: out)
            try sink.flushIfFull()
        }
        out.append("END:VCARD\r\n")
        try sink.flushIfFull()
    }

    private func write(_ line: ContentLine, _ lines: ContentLines, to out: RawVector<UInt8>) {
        if line.flags.contains(.noColon) {
            return writeBroken(lines.bytes(line.value), lines.dialect, to: out)
        }
        let isLegacy = lines.dialect == .legacy
        if line.flags.contains(.nested), isLegacy || line.name.isEmpty,
            let open = VCardWriter.openCards(lines.bytes(line.value))
        {
            return writeNested(line, lines, missing: open, to: out)
        }
        head.removeAll()
        if isLegacy, line.tag == ContactProperty.version.rawValue, isVersion21(line, lines) {
            lineName(line, lines)
            head.append(":2.1\r\n")
            return out.append(bytes: UnsafeRawBufferPointer(head.elements))
        }
        if line.name.isEmpty, line.flags.contains(.nested) {
            head.append("AGENT")
        } else {
            lineName(line, lines)
        }
        var value = lines.bytes(line.value)
        if !isLegacy, !line.flags.contains(.base64), ControlCharacters.areIn(value) {
            value = withoutControls(value, line, lines)
        }
        let isLink = isLink(line, value)
        for j in lines.parameterIndices(line) {
            // A VALUE that contradicts the value (`VALUE=BINARY:https://…`) is not written.
            if isLink, !lines.parameters[j].isBare, lines.parameters[j].key == NameKey.value,
                !NameKey.equals(lines.bytes(lines.parameters[j].value), "TEXT")
            {
                head.append(isLegacy ? ";VALUE=URL" : ";VALUE=uri")
                continue
            }
            parameter(lines.parameters[j], line, lines)
        }
        if isLegacy { return writeLegacy(line, value, to: out) }
        if ControlCharacters.areIn(UnsafeRawBufferPointer(head.elements)) {
            noteControls(ControlCharacters.remove(from: head), line, lines)
        }
        head.append(0x3A)
        if line.flags.contains(.nested) {
            ValueText.escape(value, lines.dialect, commas: true, semicolons: true, into: head)
        } else if line.flags.contains(.base64) {
            base64Value(value, of: line)
        } else {
            let property = ContactProperty(rawValue: line.tag) ?? .other
            if isText(property, line, lines) {
                textValue(value)
            } else if property == .url, lines.dialect == .vCard3 {
                uriValue(value)
            } else {
                plainValue(value)
            }
        }
        ContentLineWriter.fold(UnsafeRawBufferPointer(head.elements), into: out)
    }

    /// True for the version of a card of 2.1, whatever stands around it: no reader expects it encoded.
    private func isVersion21(_ line: ContentLine, _ lines: ContentLines) -> Bool {
        NameKey.equals(VersionText.read(lines.bytes(line.value), scratch: work), "2.1")
    }

    /// A value without the characters that 3.0 and 4.0 cannot hold. They go before anything is
    /// escaped, as if they had never been there.
    private func withoutControls(
        _ value: UnsafeRawBufferPointer, _ line: ContentLine, _ lines: ContentLines
    ) -> UnsafeRawBufferPointer {
        clean.removeAll()
        clean.append(bytes: value)
        let count = ControlCharacters.remove(from: clean, keepingBreaks: true)
        if count == 0 { return value }
        noteControls(count, line, lines)
        return UnsafeRawBufferPointer(clean.elements)
    }

    private func noteControls(_ count: Int, _ line: ContentLine, _ lines: ContentLines) {
        context?.report.note(
            .lost, "control-character", record: lines.record, property: lines.string(line.name),
            value: String(decoding: lines.bytes(line.value).prefix(80), as: UTF8.self),
            count: count,
            action: "no line of this version can hold control characters; they were left out")
    }

    /// A line that no rule explains, as the value of a property: readers stumble over it as it is.
    private func writeBroken(
        _ text: UnsafeRawBufferPointer, _ dialect: ContentDialect, to out: RawVector<UInt8>
    ) {
        head.removeAll()
        head.append(ContactProperty.brokenLine.canonicalName)
        if dialect == .legacy {
            work.removeAll()
            ValueText.escape(text, dialect, commas: false, semicolons: false, into: work)
            return writeLegacy(
                ContentLine(), UnsafeRawBufferPointer(work.elements), to: out)
        }
        head.append(0x3A)
        ValueText.escape(text, dialect, into: head)
        if ControlCharacters.areIn(UnsafeRawBufferPointer(head.elements)) {
            let count = ControlCharacters.remove(from: head)
            context?.report.note(
                .lost, "control-character", property: ContactProperty.brokenLine.canonicalName,
                count: count,
                action: "no line of this version can hold control characters; they were left out")
        }
        ContentLineWriter.fold(UnsafeRawBufferPointer(head.elements), into: out)
    }

    /// True for a picture, sound or key that is only referred to.
    private func isLink(_ line: ContentLine, _ value: UnsafeRawBufferPointer) -> Bool {
        (ContactProperty(rawValue: line.tag) ?? .other).isMedia
            && !line.flags.contains(.base64) && MediaText.hasScheme(value)
    }

    /// True for values that are one text, in which every separator must be escaped.
    private func isText(_ property: ContactProperty, _ line: ContentLine, _ lines: ContentLines)
        -> Bool
    {
        switch property {
        case .fn, .title, .role, .note, .label, .email, .sortString, .mailer, .maidenName: true
        case .tel: !MediaText.hasScheme(lines.bytes(line.value))
        default: false
        }
    }

    /// A text as the standard escapes it, whatever its source escaped.
    private func textValue(_ value: UnsafeRawBufferPointer) {
        head.reserve(adding: value.count + 16)
        var i = 0
        let end = value.count
        while i < end {
            let c = value[i]
            i &+= 1
            switch c {
            case 0x5C:
                let next = i < end ? value[i] : 0x5C
                i &+= 1
                if next == 0x6E || next == 0x4E || next == 10 {
                    head.append(0x5C)
                    head.append(0x6E)
                } else {
                    if next == 0x5C || next == 0x2C || next == 0x3B { head.append(0x5C) }
                    head.append(next)
                }
            case 0x2C, 0x3B:
                head.append(0x5C)
                head.append(c)
            case 10:
                head.append(0x5C)
                head.append(0x6E)
            case 13: break
            default: head.append(c)
            }
        }
    }

    /// A URI of 3.0: Apple's and others' escapes do not belong there.
    private func uriValue(_ value: UnsafeRawBufferPointer) {
        var i = 0
        while i < value.count {
            if value[i] == 0x5C, i + 1 < value.count {
                let next = value[i + 1]
                if next != 0x3A && next != 0x2C && next != 0x3B { head.append(0x5C) }
                head.append(next)
                i += 2
            } else {
                if value[i] >= 0x20 { head.append(value[i]) }
                i += 1
            }
        }
    }

    /// Base64 without white space, and with its padding where it is no text: a text that was not
    /// readable without would be with it.
    func base64Value(_ value: UnsafeRawBufferPointer, of line: ContentLine) {
        head.reserve(adding: value.count + 4)
        let start = head.count
        if ControlCharacters.areInOneWord(value) {
            for c in value where c > 0x20 && c != 0x7F { head.append(c) }
        } else {
            head.append(bytes: value)
        }
        var count = head.count - start
        // What ends in a character that is not ASCII is no base64, and is not cut.
        guard count > 0, head[head.count - 1] != 0x3D, head[head.count - 1] < 0x80 else { return }
        if (ContactProperty(rawValue: line.tag) ?? .other).mayBeEncodedText { return }
        // Links that were called base64 stay as they are.
        if head.bytes(from: start, to: head.count).contains(0x3A) { return }
        if count % 4 == 1 {
            // A digit too many says nothing.
            head.truncate(to: head.count - 1)
            count -= 1
        }
        while count % 4 != 0 {
            head.append(0x3D)
            count += 1
        }
    }

    /// A value whose line feeds, where it has any, become escapes.
    private func plainValue(_ value: UnsafeRawBufferPointer) {
        guard let start = value.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
        if firstIndex(of: 10, in: start, count: value.count) == nil,
            firstIndex(of: 13, in: start, count: value.count) == nil
        {
            return head.append(start, count: value.count)
        }
        var isOpen = false
        for c in value {
            if c == 10 {
                // A backslash before the break was the broken escape of the break itself.
                if !isOpen { head.append(0x5C) }
                head.append(0x6E)
            } else if c != 13 {
                head.append(c)
            }
            isOpen = c == 0x5C && !isOpen
        }
    }

    /// A name without the characters that would end it.
    private func name(_ text: UnsafeRawBufferPointer) {
        for c in text {
            head.append(c < 0x20 || c == 0x7F || c == 0x3A || c == 0x3B ? 0x2D : c)
        }
    }

    /// A name without the blanks and marks in front that readers pass over, or take for a fold.
    private static func beginning(_ text: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        var text = text[...]
        while let c = text.first {
            if c == 0x20 || c == 9 {
                text = text.dropFirst()
            } else if c == 0xEF, text.starts(with: [0xEF, 0xBB, 0xBF]) {
                text = text.dropFirst(3)
            } else {
                break
            }
        }
        return UnsafeRawBufferPointer(rebasing: text)
    }

    /// Group and name of a line. A dot in a name without a group, or in a group, would make another
    /// group of it.
    private func lineName(_ line: ContentLine, _ lines: ContentLines) {
        let start = head.count
        name(VCardWriter.beginning(lines.bytes(line.group.isEmpty ? line.name : line.group)))
        for i in start..<head.count where head[i] == 0x2E { head.base[i] = 0x2D }
        guard !line.group.isEmpty else { return }
        head.append(0x2E)
        name(lines.bytes(line.name))
    }

    private func writeNested(
        _ line: ContentLine, _ lines: ContentLines, missing: Int, to out: RawVector<UInt8>
    ) {
        if !line.name.isEmpty {
            head.removeAll()
            lineName(line, lines)
            head.append(0x3A)
            ContentLineWriter.plain(UnsafeRawBufferPointer(head.elements), into: out)
        }
        for c in lines.bytes(line.value) where c != 13 {
            if c == 10 { out.append(13) }
            out.append(c)
        }
        out.append(13)
        out.append(10)
        for _ in 0..<missing { out.append("END:VCARD\r\n") }
    }

    /// How many cards a nested card leaves open, which would take the END of the outer one; nil for
    /// text that ends before its last line, or is no card: it would end the outer one.
    static func openCards(_ text: UnsafeRawBufferPointer) -> Int? {
        var depth = 0
        var isFirst = true
        for piece in text.split(whereSeparator: { $0 == 10 || $0 == 13 }) {
            var line = piece
            while let c = line.last, c <= 0x20 { line = line.dropLast() }
            if line.isEmpty { continue }
            if depth == 0, !isFirst { return nil }
            if let isBegin = isBegin(UnsafeRawBufferPointer(rebasing: line)) {
                depth += isBegin ? 1 : -1
            }
            if isFirst, depth != 1 { return nil }
            isFirst = false
        }
        return isFirst ? nil : depth
    }

    /// True for BEGIN:VCARD and false for END:VCARD, as loosely as they are read; nil for others.
    private static func isBegin(_ line: UnsafeRawBufferPointer) -> Bool? {
        guard let colon = line.firstIndex(of: 0x3A) else { return nil }
        var value = line[(colon + 1)...]
        while let c = value.first, c <= 0x20 { value = value.dropFirst() }
        guard NameKey.equals(UnsafeRawBufferPointer(rebasing: value), "VCARD") else { return nil }
        var name = line[..<(line.firstIndex(of: 0x3B).map { min($0, colon) } ?? colon)]
        if let dot = name.firstIndex(of: 0x2E) { name = name[(dot + 1)...] }
        let word = UnsafeRawBufferPointer(rebasing: name)
        return NameKey.equals(word, "BEGIN") ? true : NameKey.equals(word, "END") ? false : nil
    }

    // MARK: Parameters

    private func parameter(
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
