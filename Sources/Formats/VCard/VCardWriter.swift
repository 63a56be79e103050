// Lines of a card to the bytes of a file, strictly by the rules of the card's dialect: what we
// only tolerate when reading (bare words after 2.1, CHARSET, backslashes in TYPE lists) is
// written as the standard wants it.

/// Writes the lines of cards.
final class VCardWriter {
    private let sink: ByteSink
    let context: ExchangeContext?
    let head = RawVector<UInt8>(capacity: 256)
    let work = RawVector<UInt8>(capacity: 1024)
    let scratch = RawVector<UInt8>(capacity: 256)
    /// A value without its control characters.
    private let cleaned = RawVector<UInt8>(capacity: 256)

    /// - Parameter context: takes notes of what cannot be written; nil to be silent.
    init(sink: ByteSink, context: ExchangeContext? = nil) {
        self.sink = sink
        self.context = context
    }

    deinit {
        head.destroy()
        work.destroy()
        scratch.destroy()
        cleaned.destroy()
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
        cleaned.removeAll()
        cleaned.append(bytes: value)
        let count = ControlCharacters.remove(from: cleaned, keepingBreaks: true)
        if count == 0 { return value }
        noteControls(count, line, lines)
        return UnsafeRawBufferPointer(cleaned.elements)
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
    func name(_ text: UnsafeRawBufferPointer) {
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
}
