// An input that holds JSON text: byte order marks skipped, UTF-16 turned into UTF-8, and errors
// given their file, line and column. The grammar is the scanner's.

/// JSON text and where it came from.
package final class JSONSource {
    /// The input, as UTF-8.
    package let input: InputBytes
    /// Where the text begins, behind a byte order mark.
    package let start: Int

    /// Looks at the first bytes and transcodes UTF-16.
    /// - Throws: `badEncoding` for ill-formed UTF-16 and for UTF-32.
    package init(_ input: InputBytes) throws(FormatError) {
        let b = input.bytes
        func byte(_ i: Int) -> UInt8? { i < b.count ? b[i] : nil }
        if byte(0) == 0xEF, byte(1) == 0xBB, byte(2) == 0xBF {
            self.input = input
            start = 3
            return
        }
        start = 0
        var bigEndian: Bool?
        var skip = 0
        if byte(0) == 0xFE, byte(1) == 0xFF {
            bigEndian = true
            skip = 2
        } else if byte(0) == 0xFF, byte(1) == 0xFE {
            bigEndian = false
            skip = 2
        } else if let first = byte(0), let second = byte(1) {
            // JSON begins with an ASCII character: one zero byte tells the order.
            if first == 0, second != 0 { bigEndian = true }
            if first != 0, second == 0 { bigEndian = false }
        }
        guard let bigEndian else {
            self.input = input
            return
        }
        let out = RawVector<UInt8>(capacity: b.count)
        defer { out.destroy() }
        try JSONSource.transcode(b, from: skip, bigEndian: bigEndian, input.name, into: out)
        self.input = InputBytes(name: input.name, copying: UnsafeRawBufferPointer(out.elements))
    }

    private static func transcode(
        _ b: UnsafeRawBufferPointer, from: Int, bigEndian: Bool, _ name: String,
        into out: RawVector<UInt8>
    ) throws(FormatError) {
        func unit(_ i: Int) -> UInt32 {
            bigEndian
                ? UInt32(b[i]) << 8 | UInt32(b[i + 1]) : UInt32(b[i + 1]) << 8 | UInt32(b[i])
        }
        guard (b.count - from) % 2 == 0 else {
            throw FormatError(
                .badEncoding, "UTF-16 text with half a character at its end", file: name,
                offset: b.count)
        }
        var i = from
        while i < b.count {
            let u = unit(i)
            i += 2
            if u & 0xFC00 == 0xD800, i < b.count, unit(i) & 0xFC00 == 0xDC00 {
                let low = unit(i)
                i += 2
                JSONText.append(0x10000 + ((u & 0x3FF) << 10) + (low & 0x3FF), to: out)
            } else if u & 0xF800 == 0xD800 || (u == 0 && out.count == 0) {
                throw FormatError(
                    .badEncoding, "this is neither UTF-8 nor well-formed UTF-16", file: name,
                    offset: i - 2, fix: "convert the file to UTF-8")
            } else {
                JSONText.append(u, to: out)
            }
        }
    }

    /// A cursor at the beginning of the text.
    package func scanner(depthLimit: Int = 512) -> JSONScanner {
        JSONScanner(input.bytes, at: start, depthLimit: depthLimit)
    }

    /// The last place whose line was asked for, and where that line begins.
    private var known = (offset: 0, line: 1, lineStart: 0)

    /// Line and column (from 1, in bytes) of an offset. Places asked for in rising order cost one
    /// walk in all.
    package func position(of offset: Int) -> (line: Int, column: Int) {
        let bytes = input.bytes
        let offset = min(max(offset, 0), bytes.count)
        if offset < known.offset { known = (0, 1, 0) }
        if let base = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) {
            var at = known.offset
            while at < offset, let hit = firstIndex(of: 10, in: base + at, count: offset - at) {
                at += hit + 1
                known.line += 1
                known.lineStart = at
            }
        }
        known.offset = offset
        return (known.line, offset - known.lineStart + 1)
    }

    /// The same error with file, line, column and excerpt; walks the input once.
    @inline(never)
    /// The value at an offset as it stands in the text.
    func text(at place: Int) -> RowText? {
        var s = scanner()
        s.at = place
        do throws(FormatError) { try s.skip() } catch { return nil }
        return RowText(bytes: Array(input.bytes[place..<s.at]), file: input.name)
    }

    package func located(_ error: FormatError) -> FormatError {
        guard error.details.line == nil, let offset = error.details.offset else {
            return error.with { if $0.file == nil { $0.file = input.name } }
        }
        let bytes = input.bytes
        let (line, column) = position(of: offset)
        let lineStart = min(offset, bytes.count) - (column - 1)
        var lineEnd = min(offset, bytes.count)
        while lineEnd < bytes.count, lineEnd - lineStart < 200, bytes[lineEnd] != 10,
            bytes[lineEnd] != 13
        {
            lineEnd += 1
        }
        // A long line shows the 60 bytes before the place and the 20 behind it, without a caret.
        let from = column <= 100 ? lineStart : offset - 60
        let to = column <= 100 ? min(lineEnd, lineStart + 120) : min(lineEnd, offset + 20)
        let excerpt =
            from < to
            ? String(decoding: UnsafeRawBufferPointer(rebasing: bytes[from..<to]), as: UTF8.self)
            : nil
        return error.with {
            if $0.file == nil { $0.file = input.name }
            $0.line = line
            $0.column = column
            if $0.excerpt == nil { $0.excerpt = excerpt }
        }
    }
}

extension JSONSource {
    /// Notes the half characters of UTF-16 in a record that is read as a tree.
    package func noteLoneSurrogates(
        from start: Int, to end: Int, record: Int, in context: ExchangeContext
    ) {
        let count = JSONText.loneSurrogates(
            UnsafeRawBufferPointer(rebasing: input.bytes[start..<min(end, input.bytes.count)]))
        if count == 0 { return }
        context.report.note(
            .lost, "lone-surrogate", source: input.name, record: record, count: count,
            action: "half a character of UTF-16 became U+FFFD")
    }
}
