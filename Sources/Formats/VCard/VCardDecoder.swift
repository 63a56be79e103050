// After a card's lines have been read: which version it is, which property each line is, and
// the transfer encodings and charsets undone, so that every value is UTF-8 text in the escape
// rules of its version.

/// Decodes the lines of cards.
final class VCardDecoder {
    private let input: InputBytes
    private let context: ExchangeContext
    private let lookup = ContactProperty.Lookup()
    private let work = RawVector<UInt8>(capacity: 1024)
    /// The charset the user forced, if any, for bytes that are not decoded yet.
    private let forced: Charset?
    /// The charset the user forced, in which the whole text was decoded before it was scanned.
    private let undone: Charset?
    private lazy var fallback: Charset =
        VCardInput.mostNamedCharset(input.bytes) ?? .windows1252
    /// The charset parameter met last, so that its name is looked up once.
    @exclusivity(unchecked) private var knownName: [UInt8] = []
    @exclusivity(unchecked) private var known: Charset?
    private lazy var splitsCategories = context.options.extra["split-escaped-categories"] != nil
    @exclusivity(unchecked) private var guesses = 0
    @exclusivity(unchecked) private var unstated = 0

    init(input: InputBytes, context: ExchangeContext) {
        self.input = input
        self.context = context
        let named = context.options.encoding.flatMap { Charset.named($0) }
        undone = named.flatMap { VCardInput.mustBeDecoded($0) ? $0 : nil }
        forced = undone == nil ? named : nil
    }

    deinit { work.destroy() }

    /// Counts what was noted by its first example only; once, at the end.
    func noteRest() {
        if guesses > 1 { context.report.note(.guessed, "charset-guess", count: guesses - 1) }
        if unstated > 1 { context.report.note(.guessed, "version-missing", count: unstated - 1) }
        guesses = 0
        unstated = 0
    }

    /// Decodes a card.
    func decode(_ lines: ContentLines) {
        let count = lines.count
        var versionAt = -1
        var odd: UInt16 = 0
        var hasCategories = false
        var hasBroken = false
        let base = lines.lines.base
        for i in 0..<count {
            let line = base + i
            if line.pointee.tag == 0 {
                let tag = lookup(line.pointee.key, lines, line.pointee.name)
                line.pointee.tag = tag
                if tag == ContactProperty.version.rawValue {
                    if versionAt < 0 { versionAt = i }
                    // A version is text, whatever its parameters say.
                    line.pointee.flags.remove(.base64)
                }
                if tag == ContactProperty.brokenLine.rawValue { hasBroken = true }
                if tag == 0, line.pointee.name.count <= 1, isNameless(line.pointee, lines) {
                    breakLine(lines, i)
                    odd |= base[i].flags.rawValue
                    continue
                }
            }
            odd |= line.pointee.flags.rawValue
            if line.pointee.tag == ContactProperty.categories.rawValue,
                line.pointee.flags.contains(.backslash)
            {
                hasCategories = true
            }
        }
        if versionAt >= 0 {
            setVersion(lines, lines.bytes(lines[versionAt].value))
        } else {
            guessVersion(lines)
        }
        let interesting: ContentLineFlags = [
            .highBytes, .highBytesInHead, .quotedPrintable, .charset, .base64,
        ]
        if odd & interesting.rawValue != 0 {
            for i in 0..<count where lines[i].flags.rawValue & interesting.rawValue != 0 {
                decode(lines, i)
            }
        }
        if hasCategories { categories(lines) }
        if odd & ContentLineFlags.noColon.rawValue != 0 { noteBroken(lines) }
        if hasBroken { restoreBroken(lines) }
        if lines.dialect == .legacy, odd & ContentLineFlags.backslash.rawValue != 0 {
            noteLineBreaks(lines)
        }
    }

    // MARK: Oddities

    /// Lines without a colon say nothing to anybody, but are kept.
    private func noteBroken(_ lines: ContentLines) {
        for i in 0..<lines.count where lines[i].flags.contains(.noColon) {
            let text = lines.bytes(lines[i].value)
            let isNameless =
                text.contains(0x3A) && text.first.map { ":;. ".utf8.contains($0) } == true
            context.report.note(
                .guessed, isNameless ? "line-without-name" : "line-without-colon",
                source: input.name, record: lines.record,
                value: String(decoding: text.prefix(80), as: UTF8.self),
                action: "no property; kept, and written as X-BROKEN-LINE")
        }
    }

    /// True for a line that has a colon but no name before it.
    private func isNameless(_ line: ContentLine, _ lines: ContentLines) -> Bool {
        guard line.flags.isDisjoint(with: [.noColon, .nested]) else { return false }
        return lines.bytes(line.name).allSatisfy { $0 == 0x2E || $0 <= 0x20 }
    }

    /// Keeps a line without a name as one that says nothing, with all of its text.
    private func breakLine(_ lines: ContentLines, _ i: Int) {
        var line = lines[i]
        work.removeAll()
        if !line.group.isEmpty {
            work.append(bytes: lines.bytes(line.group))
            work.append(0x2E)
        }
        work.append(bytes: lines.bytes(line.name))
        lines.append(parametersOf: line, to: work)
        work.append(0x3A)
        work.append(bytes: lines.bytes(line.value))
        let isHigh = !line.flags.isDisjoint(with: [.highBytes, .highBytesInHead])
        line.group = .empty
        line.name = .empty
        line.key = 0
        line.tag = 0
        line.parameterCount = 0
        line.value = lines.add(UnsafeRawBufferPointer(work.elements))
        line.flags = isHigh ? [.noColon, .highBytes] : .noColon
        lines[i] = line
    }

    /// A kept line without a colon is that line again.
    private func restoreBroken(_ lines: ContentLines) {
        for i in 0..<lines.count where lines[i].tag == ContactProperty.brokenLine.rawValue {
            var line = lines[i]
            guard line.group.isEmpty, !line.flags.contains(.base64) else { continue }
            work.removeAll()
            ValueText.unescape(
                lines.bytes(line.value), lines.dialect,
                quotedPrintable: line.flags.contains(.quotedPrintable), into: work)
            line.value = lines.add(UnsafeRawBufferPointer(work.elements))
            line.flags = [.noColon, .decoded]
            line.name = .empty
            line.key = 0
            line.tag = 0
            line.parameterCount = 0
            lines[i] = line
        }
    }

    /// `\n` is plain text by the letter of 2.1, and a line break to most who write it.
    private func noteLineBreaks(_ lines: ContentLines) {
        for i in 0..<lines.count {
            let line = lines[i]
            guard line.flags.contains(.backslash),
                line.flags.isDisjoint(with: [.quotedPrintable, .base64, .nested, .noColon])
            else { continue }
            let value = lines.bytes(line.value)
            var at = 0
            while at + 1 < value.count {
                guard value[at] == 0x5C else {
                    at += 1
                    continue
                }
                if value[at + 1] | 0x20 == 0x6E {
                    context.report.note(
                        .guessed, "escaped-line-break", source: input.name, record: lines.record,
                        property: lines.string(line.name).uppercased(),
                        value: String(decoding: value.prefix(80), as: UTF8.self),
                        action: "\\n was read as a line break, as phones mean it; 2.1 has no such "
                            + "escape")
                    break
                }
                at += 2
            }
        }
    }

    // MARK: Categories

    /// Some writers escape the commas between categories. By the standard that is one category,
    /// and so it is read unless told otherwise.
    private func categories(_ lines: ContentLines) {
        for i in 0..<lines.count where lines[i].tag == ContactProperty.categories.rawValue {
            let value = lines.bytes(lines[i].value)
            var escaped = 0
            var bare = 0
            var at = 0
            while at < value.count {
                if value[at] == 0x5C, at + 1 < value.count {
                    if value[at + 1] == 0x2C { escaped += 1 }
                    at += 2
                } else {
                    if value[at] == 0x2C { bare += 1 }
                    at += 1
                }
            }
            guard escaped > 0, bare == 0 else { continue }
            guard splitsCategories else {
                context.report.note(
                    .guessed, "categories-escaped", source: input.name, record: lines.record,
                    property: "CATEGORIES",
                    value: String(decoding: value.prefix(80), as: UTF8.self),
                    action: "read as one category; --split-escaped-categories makes several")
                continue
            }
            work.removeAll()
            at = 0
            while at < value.count {
                if value[at] == 0x5C, at + 1 < value.count {
                    if value[at + 1] != 0x2C { work.append(0x5C) }
                    work.append(value[at + 1])
                    at += 2
                } else {
                    work.append(value[at])
                    at += 1
                }
            }
            lines[i].value = lines.add(UnsafeRawBufferPointer(work.elements))
            lines[i].flags.insert(.decoded)
        }
    }

    // MARK: Version

    private func setVersion(_ lines: ContentLines, _ value: UnsafeRawBufferPointer) {
        let bytes = VersionText.read(value, scratch: work)
        lines.isVersionStated = true
        let number = bytes.count == 3 && bytes[1] == 0x2E ? (bytes[0], bytes[2]) : (0, 0)
        if number == (0x33, 0x30) {
            lines.dialect = .vCard3
        } else if number == (0x34, 0x30) {
            lines.dialect = .vCard4
        } else if number == (0x32, 0x31) {
            lines.dialect = .legacy
        } else {
            lines.dialect = .vCard4
            context.report.note(
                .guessed, "version-unknown", source: input.name, record: lines.record,
                property: "VERSION", value: String(decoding: bytes, as: UTF8.self),
                action: "read by the rules of 4.0")
        }
    }

    private func guessVersion(_ lines: ContentLines) {
        lines.isVersionStated = false
        lines.dialect = .vCard3
        for i in 0..<lines.count {
            let line = lines[i]
            if line.flags.contains(.quotedPrintable) { lines.dialect = .legacy }
            for j in lines.parameterIndices(line) where lines.parameters[j].isBare {
                lines.dialect = .legacy
            }
        }
        unstated += 1
        guard unstated == 1 else { return }
        context.report.note(
            .guessed, "version-missing", source: input.name, record: lines.record,
            action: lines.dialect == .legacy ? "read by the rules of 2.1" : "read by those of 3.0")
    }

    // MARK: Charsets and quoted-printable

    private func decode(_ lines: ContentLines, _ i: Int) {
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
        guard property != .other, property != .agent, property != .brokenLine, !property.isMedia,
            line.flags.isDisjoint(with: [.nested, .noColon, .highBytes])
        else { return }
        let value = lines.bytes(line.value)
        let digits = value.count { $0 > 0x20 }
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
            known = Charset.named(String(decoding: name, as: UTF8.self))
            if known == nil {
                context.report.note(
                    .guessed, "charset-unknown", source: input.name, record: lines.record,
                    property: lines.string(line.name),
                    value: String(decoding: name, as: UTF8.self),
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
    private func append(
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
