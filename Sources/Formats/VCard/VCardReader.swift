// Cuts a file into cards: BEGIN to END, whatever is wrong around and inside them, nested cards
// included. One card at a time over the mapped input, so memory is bounded by the largest card.
// What the lines say is decoded in `VCardDecoder`, what they mean in `Mapping`.

/// Reads vCard 2.1, 3.0 and 4.0 files card by card.
///
/// It never refuses a file: bad cards are set aside through the context, everything else is read
/// as tolerantly as the wild demands and what was guessed is in the report.
public final class VCardReader {
    /// The most bytes one card may have.
    package static let cardLimit = 64 << 20

    private let input: InputBytes
    private let context: ExchangeContext
    @exclusivity(unchecked) private var scanner: ContentLineScanner
    private let decoder: VCardDecoder
    @exclusivity(unchecked) private var record = 0
    @exclusivity(unchecked) private var outside = 0

    /// A reader of an input, which it keeps.
    public init(input: InputBytes, context: ExchangeContext) {
        let text = VCardInput.text(of: input, context)
        self.input = text
        self.context = context
        scanner = ContentLineScanner(text.bytes)
        decoder = VCardDecoder(input: text, context: context)
    }

    /// Reads the next card.
    ///
    /// The lines hold the card's properties without BEGIN and END; a nested card is one line. They
    /// are valid until the next call, as long as the reader lives.
    /// - Returns: false at the end.
    public func next(into lines: ContentLines) throws(FormatError) -> Bool {
        while true {
            scanner.bound = scanner.end
            scanner.skipEmptyLines()
            let start = scanner.position
            input.release(before: start)
            guard start < scanner.end else {
                noteRest()
                return false
            }
            lines.begin(at: scanner.pointer(at: start), offset: start)
            scanner.bound = min(scanner.end, start &+ VCardReader.cardLimit)
            guard scanner.next(into: lines) else {
                noteRest()
                return false
            }
            let first = lines[0]
            guard first.flags.contains(.begin), isCard(lines.bytes(first.value)) else {
                noteOutside(lines, first)
                continue
            }
            lines.lines.truncate(to: 0)
            lines.parameters.truncate(to: 0)
            record += 1
            lines.record = record
            context.report.read += 1
            if readBody(lines, start) {
                lines.sourceCount = scanner.position &- start
                decoder.decode(lines)
                return true
            }
        }
    }

    /// Hands a card on as it stands, since it cannot be taken.
    /// - Parameter context: whom it is handed to, who may be another one than the reader's.
    func setAside(_ card: ContentLines, _ reason: FormatError, _ context: ExchangeContext) {
        let end = min(card.offset &+ card.sourceCount, input.bytes.count)
        context.setAside(
            UnsafeRawBufferPointer(rebasing: input.bytes[min(card.offset, end)..<end]),
            reason.with {
                $0.file = input.name
                $0.line = lineNumber(card.offset)
                $0.record = card.record
            })
    }

    /// VCARD, with white space around it and control characters anywhere, which are not written.
    private func isCard(_ value: UnsafeRawBufferPointer) -> Bool {
        var start = 0
        var end = value.count
        while start < end, value[start] <= 0x20 { start += 1 }
        while end > start, value[end - 1] <= 0x20 { end -= 1 }
        let name = UnsafeRawBufferPointer(rebasing: value[start..<end])
        // A packed name of letters is that name in any case and nothing else.
        if name.count == 5 { return NameKey.of(name) == NameKey.vcard }
        guard name.count > 5, ControlCharacters.areIn(name) else { return false }
        var key: UInt64 = 0
        var count = 0
        for c in name where c == 0x0B || c == 0x0C || !ControlCharacters.isOne(c) {
            count += 1
            if count > 5 || c <= 0x20 { return false }
            key = NameKey.add(c, to: key)
        }
        return count == 5 && key == NameKey.vcard
    }

    private func noteOutside(_ lines: ContentLines, _ line: ContentLine) {
        let text = lines.bytes(line.raw)
        guard text.contains(where: { $0 > 0x20 }) else { return }
        outside += 1
        guard outside == 1 else { return }
        let at = lines.offset
        context.report.note(
            .lost, "text-outside-cards", source: input.name, line: lineNumber(at),
            value: String(decoding: text.prefix(80), as: UTF8.self),
            action: "a line outside BEGIN:VCARD and END:VCARD was ignored")
    }

    /// Counts what `noteOutside` gave an example of only; once, at the end.
    private func noteRest() {
        if outside > 1 { context.report.note(.lost, "text-outside-cards", count: outside - 1) }
        outside = 0
        decoder.noteRest()
    }

    /// Line numbers are for messages; they are counted while that is cheap.
    private func lineNumber(_ offset: Int) -> Int? {
        offset < 1 << 20 ? input.position(of: offset).line : nil
    }

    /// Reads up to the card's END; false when the card was set aside.
    private func readBody(_ lines: ContentLines, _ start: Int) -> Bool {
        // A copy, so that its position is stored once a card.
        var scanner = scanner
        let isWhole = readBody(lines, start, &scanner)
        self.scanner = scanner
        if !isWhole { setAsideTooLarge(start) }
        return isWhole
    }

    @inline(__always)
    private func readBody(
        _ lines: ContentLines, _ start: Int, _ scanner: inout ContentLineScanner
    ) -> Bool {
        var depth = 0
        var nestedStart = 0
        var isClosed = false
        var hasAgent = false
        while true {
            let at = scanner.position
            guard scanner.take(into: lines) else {
                if scanner.bound < scanner.end { return false }
                break
            }
            let i = lines.count &- 1
            if lines.lines.base[i].key == NameKey.agent { hasAgent = true }
            let flags = lines[i].flags
            guard flags.rawValue & 0x180 != 0 else { continue }
            guard isCard(lines.bytes(lines[i].value)) else {
                guard depth == 0, flags.contains(.end), let next = beginBehindEnd(lines, i) else {
                    continue
                }
                lines.lines.truncate(to: i)
                scanner.move(to: next)
                isClosed = true
                break
            }
            if flags.contains(.begin) {
                if depth > 0 {
                    depth += 1
                } else if follows(agentAt: i - 1, lines) || closes(scanner.position, depth: 2) {
                    depth = 1
                    nestedStart = i
                } else {
                    lines.lines.truncate(to: i)
                    scanner.move(to: at)
                    break
                }
            } else if depth > 0 {
                depth -= 1
                if depth == 0 { collapse(lines, nestedStart) }
            } else if hasAgent, let agent = openAgent(lines), closes(scanner.position, depth: 1) {
                collapse(lines, into: agent, from: Int(lines[agent].value.place))
            } else {
                lines.lines.truncate(to: i)
                isClosed = true
                break
            }
        }
        if depth > 0 { collapse(lines, nestedStart) }
        if !isClosed {
            context.report.note(
                .guessed, "end-missing", source: input.name, line: lineNumber(start),
                record: record, action: "a card without END:VCARD was ended where it must end")
        }
        return true
    }

    /// Where the next card begins on the line on which this one ends, as it does in files that were
    /// joined and had no line end behind the last line.
    private func beginBehindEnd(_ lines: ContentLines, _ i: Int) -> Int? {
        let value = lines.bytes(lines[i].value)
        guard !lines[i].value.isInArena, value.count >= 16 else { return nil }
        let name = UnsafeRawBufferPointer(rebasing: value[..<5])
        var start = 5
        while start < value.count, value[start] <= 0x20 { start += 1 }
        if value[start...].starts(with: [0xEF, 0xBB, 0xBF]) { start += 3 }
        let rest = UnsafeRawBufferPointer(rebasing: value[start...])
        guard isCard(name), NameKey.starts(rest, with: "BEGIN:"), let at = rest.baseAddress,
            isCard(UnsafeRawBufferPointer(rebasing: rest.dropFirst(6)))
        else { return nil }
        let offset = at - UnsafeRawPointer(scanner.pointer(at: 0))
        context.report.note(
            .guessed, "cards-joined", source: input.name, line: lineNumber(offset), record: record,
            action: "the next card begins on the line on which this one ends")
        return offset
    }

    /// True for an AGENT line without a value: the next card is its value (2.1).
    private func follows(agentAt i: Int, _ lines: ContentLines) -> Bool {
        guard i >= 0, NameKey.equals(lines.bytes(lines[i].name), "AGENT") else { return false }
        return lines.bytes(lines[i].value).allSatisfy { $0 <= 0x20 }
    }

    /// The last line `AGENT:BEGIN:VCARD`, whose card goes on in the lines behind it.
    private func openAgent(_ lines: ContentLines) -> Int? {
        for i in stride(from: lines.count - 1, through: 0, by: -1)
        where lines[i].key == NameKey.agent && !lines[i].value.isInArena
            && !lines[i].flags.contains(.nested)
        {
            let value = lines.bytes(lines[i].value)
            if value.count >= 11, NameKey.starts(value, with: "BEGIN:"),
                isCard(UnsafeRawBufferPointer(rebasing: value.dropFirst(6)))
            {
                return i
            }
        }
        return nil
    }

    /// Looks ahead from inside of cards in each other: true when all of them are closed, false when
    /// the END of the outer one must have been forgotten. Gives up after a few BEGINs, so that a file
    /// without any END is still read in one go.
    private func closes(_ from: Int, depth: Int) -> Bool {
        let p = scanner.pointer(at: 0)
        let end = min(scanner.end, from &+ VCardReader.cardLimit)
        var depth = depth
        var begins = 0
        var i = from
        var seen: UInt64 = 0
        var slash: UInt64 = 0
        while i < end {
            let c = p[i] | 0x20
            if c == 0x61 || c == 0x62 || c == 0x65 {
                let stop = min(end, i + 32)
                var text = UnsafeRawBufferPointer(start: p + i, count: stop - i)
                if NameKey.starts(text, with: "AGENT:") {
                    text = UnsafeRawBufferPointer(rebasing: text[6...])
                }
                if NameKey.starts(text, with: "END:"), isCard(firstLine(text, from: 4)) {
                    depth -= 1
                    if depth == 0 { return true }
                } else if NameKey.starts(text, with: "BEGIN:"), isCard(firstLine(text, from: 6)) {
                    depth += 1
                    begins += 1
                    if begins > 16 { return false }
                }
            }
            let stop = ContentLineScanner.lineEnd(p, i, end, &seen, &slash)
            i = ContentLineScanner.afterLineEnd(p, stop, end)
        }
        return false
    }

    private func firstLine(_ text: UnsafeRawBufferPointer, from: Int) -> UnsafeRawBufferPointer {
        var end = from
        while end < text.count, text[end] != 10, text[end] != 13 { end += 1 }
        return UnsafeRawBufferPointer(rebasing: text[from..<end])
    }

    /// Makes one line of a nested card: the AGENT line before it, or a line without a name.
    private func collapse(_ lines: ContentLines, _ begin: Int) {
        let isAgent = follows(agentAt: begin - 1, lines)
        collapse(
            lines, into: isAgent ? begin - 1 : begin, from: Int(lines[begin].raw.place),
            isAgent: isAgent)
    }

    /// Makes one line of all lines from `target` on, whose value is the text from `from` on.
    private func collapse(
        _ lines: ContentLines, into target: Int, from: Int, isAgent: Bool = true
    ) {
        let last = lines.count - 1
        let to = Int(lines[last].raw.place) + lines[last].raw.count
        let outerFrom = Int(lines[target].raw.place)
        var line = lines[target]
        line.value = decoder.nestedText(lines, lines.sourceRange(from, to))
        line.raw = lines.sourceRange(outerFrom, to)
        if !isAgent {
            line.name = .empty
            line.key = 0
            line.group = .empty
            line.parameterCount = 0
        }
        line.flags = line.flags.intersection(isAgent ? .highBytesInHead : [])
        line.flags.insert([.nested, .decoded])
        line.tag = ContactProperty.agent.rawValue
        lines[target] = line
        lines.lines.truncate(to: target + 1)
    }

    /// Skips a card above the limit and hands it on as it is.
    private func setAsideTooLarge(_ start: Int) {
        scanner.bound = scanner.end
        let p = scanner.pointer(at: 0)
        let end = scanner.end
        var i = scanner.position
        var seen: UInt64 = 0
        var slash: UInt64 = 0
        while i < end {
            let stop = ContentLineScanner.lineEnd(p, i, end, &seen, &slash)
            let next = ContentLineScanner.afterLineEnd(p, stop, end)
            let text = UnsafeRawBufferPointer(start: p + i, count: min(stop - i, 32))
            if NameKey.starts(text, with: "BEGIN:"), isCard(firstLine(text, from: 6)) { break }
            i = next
            if NameKey.starts(text, with: "END:"), isCard(firstLine(text, from: 4)) { break }
        }
        scanner.move(to: i)
        context.setAside(
            UnsafeRawBufferPointer(start: p + start, count: i - start),
            FormatError(
                .limitExceeded,
                "this card has \(i - start) bytes, more than the limit of \(VCardReader.cardLimit)",
                file: input.name, offset: start, record: record,
                fix: "take the large photo or note out of it"))
    }
}
