// After a card's lines have been read: which version it is, which property each line is, and
// the transfer encodings and charsets undone, so that every value is UTF-8 text in the escape
// rules of its version.

/// Decodes the lines of cards.
final class VCardDecoder {
    let input: InputBytes
    let context: ExchangeContext
    private let lookup = ContactProperty.Lookup()
    let work = RawVector<UInt8>(capacity: 1024)
    /// The charset the user forced, if any, for bytes that are not decoded yet.
    let forced: Charset?
    /// The charset the user forced, in which the whole text was decoded before it was scanned.
    let undone: Charset?
    lazy var fallback: Charset =
        VCardInput.mostNamedCharset(input.bytes) ?? .windows1252
    /// The charset parameter met last, so that its name is looked up once.
    @exclusivity(unchecked) var knownName: [UInt8] = []
    @exclusivity(unchecked) var known: Charset?
    private lazy var splitsCategories = context.options.extra["split-escaped-categories"] != nil
    @exclusivity(unchecked) var guesses = 0
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
            setVersion(lines, versionAt)
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

    private func setVersion(_ lines: ContentLines, _ i: Int) {
        let value = lines.bytes(lines[i].value)
        let bytes = VersionText.read(value, scratch: work)
        if value.contains(where: { $0 < 0x20 && $0 != 9 || $0 == 0x7F || $0 == 0x5C }) {
            // Everybody else is to read the same.
            lines[i].value = lines.add(bytes)
        }
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
}
