// The text of an iCalendar input: its encoding as a whole, and what single lines need decoding
// for (quoted-printable, CHARSET parameters, stray bytes of another encoding). Lines stay lines.

/// The bytes of an input with ASCII readable in them, and the decoding of lines to UTF-8.
final class ICalendarText {
    /// The input; converted as a whole where it is UTF-16 or the encoding was given.
    let bytes: UnsafeRawBufferPointer
    /// What messages call the input.
    let name: String

    private let input: InputBytes
    private let context: ExchangeContext
    private let scratch = RawVector<UInt8>(capacity: 256)
    private var isCharsetNoted = false

    init(input: InputBytes, context: ExchangeContext) {
        self.context = context
        name = input.name
        var input = input
        let prefix = UnsafeRawBufferPointer(rebasing: input.bytes.prefix(4096))
        let seen = Charset.detect(prefix)
        var charset = seen.charset
        let isWide = charset.name.hasPrefix("utf-16")
        if let name = context.options.encoding, let forced = Charset.named(name) {
            charset = forced
        }
        if isWide || (context.options.encoding != nil && !charset.isUTF8) {
            let out = RawVector<UInt8>(capacity: input.bytes.count + 16)
            defer { out.destroy() }
            let bad = charset.decode(input.bytes, into: out)
            if bad > 0 {
                context.report.note(
                    .changed, "bytes-replaced", source: input.name, value: charset.name,
                    count: bad, action: "bytes that mean nothing in this encoding became U+FFFD")
            }
            input = InputBytes(name: input.name, copying: UnsafeRawBufferPointer(out.elements))
        }
        self.input = input
        bytes = input.bytes
    }

    deinit { scratch.destroy() }

    /// Says that reading went past an offset.
    func release(before offset: Int) { input.release(before: offset) }

    /// The last offset whose line was asked for, and its line.
    @exclusivity(unchecked) private var counted = (offset: 0, line: 1)

    /// The line an offset stands in, from 1. Offsets asked for in rising order cost one walk.
    func lineNumber(at offset: Int) -> Int {
        if offset < counted.offset { counted = (0, 1) }
        var i = counted.offset
        let end = min(offset, bytes.count)
        while i < end {
            if bytes[i] == 10 || (bytes[i] == 13 && (i + 1 >= bytes.count || bytes[i + 1] != 10)) {
                counted.line += 1
            }
            i += 1
        }
        counted.offset = max(end, 0)
        return counted.line
    }

    /// A text without white space around it.
    static func trimmed(_ text: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        var start = 0
        var end = text.count
        while start < end, text[start] <= 0x20 { start &+= 1 }
        while end > start, text[end &- 1] <= 0x20 { end &-= 1 }
        return UnsafeRawBufferPointer(rebasing: text[start..<end])
    }

    // MARK: Lines

    private static let charsetKey = NameKey.charset
    private static let suspicious: ContentLineFlags = [
        .highBytes, .highBytesInHead, .quotedPrintable, .charset,
    ]

    /// Makes every line UTF-8, quoted-printable undone.
    func decode(_ lines: ContentLines) {
        for i in 0..<lines.count {
            let line = lines[i]
            if line.flags.contains(.nested) {
                if !UTF8Check.isValid(lines.bytes(line.value)) {
                    lines.lines.base[i].value = repaired(line.value, of: lines)
                }
                continue
            }
            if line.flags.isDisjoint(with: ICalendarText.suspicious) { continue }
            decode(i, line, lines)
        }
    }

    private func decode(_ i: Int, _ line: ContentLine, _ lines: ContentLines) {
        var line = line
        if line.flags.contains(.highBytesInHead) { decodeHead(&line, lines) }
        var charset: Charset?
        if line.flags.contains(.charset),
            let parameter = lines.parameter(ICalendarText.charsetKey, of: line)
        {
            let label = lines.string(parameter.value)
            charset = Charset.isASCII(label) ? .utf8 : Charset.named(label)
        }
        if line.flags.contains(.quotedPrintable) {
            let start = lines.arena.count
            let count = line.value.count
            lines.arena.reserve(adding: count * 2)
            QuotedPrintable.decode(lines.bytes(line.value), protect: true, into: lines.arena)
            line.value = lines.arenaRange(from: start)
            line.flags.insert([.decoded, .backslash])
            dropTransferParameters(&line, lines)
        } else if charset != nil {
            dropTransferParameters(&line, lines)
        }
        if let charset, !charset.isUTF8 {
            line.value = converted(line.value, of: lines, charset)
            line.flags.insert(.decoded)
        } else if !UTF8Check.isValid(lines.bytes(line.value)) {
            line.value = repaired(line.value, of: lines)
            line.flags.insert(.decoded)
        }
        lines.lines[i] = line
    }

    /// ENCODING, CHARSET and the bare words that say the same are about the old spelling.
    private func dropTransferParameters(_ line: inout ContentLine, _ lines: ContentLines) {
        let first = lines.parameters.count
        for j in lines.parameterIndices(line) {
            let parameter = lines.parameters[j]
            let isTransfer =
                parameter.isBare
                ? parameter.key == NameKey.quotedPrintable || parameter.key == NameKey.base64
                : parameter.key == NameKey.encoding || parameter.key == NameKey.charset
            if !isTransfer { lines.parameters.append(parameter) }
        }
        line.firstParameter = UInt32(truncatingIfNeeded: first)
        line.parameterCount = UInt32(truncatingIfNeeded: lines.parameters.count - first)
    }

    /// A part of a line as UTF-8.
    func readable(_ range: TextRange, of lines: ContentLines) -> TextRange {
        UTF8Check.isValid(lines.bytes(range)) ? range : repaired(range, of: lines)
    }

    private func decodeHead(_ line: inout ContentLine, _ lines: ContentLines) {
        func fixed(_ range: TextRange) -> TextRange { readable(range, of: lines) }
        line.name = fixed(line.name)
        line.group = fixed(line.group)
        for j in lines.parameterIndices(line) {
            lines.parameters.base[j].name = fixed(lines.parameters[j].name)
            lines.parameters.base[j].value = fixed(lines.parameters[j].value)
        }
    }

    private func converted(_ range: TextRange, of lines: ContentLines, _ charset: Charset)
        -> TextRange
    {
        scratch.removeAll()
        charset.decode(lines.bytes(range), into: scratch)
        return lines.add(UnsafeRawBufferPointer(scratch.elements))
    }

    /// How text that is no UTF-8 is read.
    static func charset(of bytes: UnsafeRawBufferPointer) -> Charset {
        Charset.detect(bytes).charset.isUTF8 ? .utf8 : .windows1252
    }

    /// Text that is no UTF-8: damaged UTF-8 where most of it is well-formed, else windows-1252.
    private func repaired(_ range: TextRange, of lines: ContentLines) -> TextRange {
        if ICalendarText.charset(of: lines.bytes(range)).isUTF8 {
            context.report.note(
                .changed, "bytes-replaced", source: name,
                action: "bytes that mean nothing in UTF-8 became U+FFFD")
            return converted(range, of: lines, .utf8)
        }
        if !isCharsetNoted {
            isCharsetNoted = true
            context.report.note(
                .guessed, "charset-guess", source: name, value: "windows-1252",
                action: "bytes that are no UTF-8 were read so; --encoding NAME reads them otherwise"
            )
        }
        return converted(range, of: lines, .windows1252)
    }
}
