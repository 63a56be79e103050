// The text of parameters: quotes, comma lists and the caret escapes of RFC 6868.

/// Reading and writing of parameter values.
package enum ParameterText {
    /// Calls `body` with the text of each value of a parameter, decoded.
    package static func forEachValue(
        _ parameter: ContentParameter, of lines: ContentLines, scratch: RawVector<UInt8>,
        _ body: (UnsafeRawBufferPointer) -> Void
    ) {
        let text = lines.bytes(parameter.value)
        var start = 0
        var isQuoted = false
        for i in 0...text.count {
            if i < text.count {
                if text[i] == 0x22 { isQuoted.toggle() }
                if text[i] != 0x2C || isQuoted { continue }
            }
            let piece = UnsafeRawBufferPointer(rebasing: text[start..<i])
            if parameter.needsDecoding {
                scratch.removeAll()
                decode(piece, carets: lines.dialect != .legacy, into: scratch)
                body(UnsafeRawBufferPointer(scratch.elements))
            } else {
                body(piece)
            }
            start = i + 1
        }
    }

    /// Calls `body` with each type of a TYPE value or a bare word, decoded. Commas in quotes or behind
    /// a backslash do not part types, unless plain words stand between them: writers quote or escape
    /// whole lists.
    package static func forEachType(
        _ text: UnsafeRawBufferPointer, carets: Bool, scratch: RawVector<UInt8>,
        _ body: (UnsafeRawBufferPointer) -> Void
    ) {
        func decoded(_ piece: Range<Int>) {
            scratch.removeAll()
            decode(UnsafeRawBufferPointer(rebasing: text[piece]), carets: carets, into: scratch)
            let bytes = UnsafeRawBufferPointer(scratch.elements)
            let words = bytes.split(separator: 0x2C, omittingEmptySubsequences: false)
            let isList = words.allSatisfy { isPlainToken(UnsafeRawBufferPointer(rebasing: $0)) }
            if !isList {
                if !bytes.isEmpty { body(bytes) }
                return
            }
            for word in words { body(UnsafeRawBufferPointer(rebasing: word)) }
        }
        var start = 0
        var i = 0
        var isQuoted = false
        while i < text.count {
            let c = text[i]
            let next = i + 1 < text.count ? text[i + 1] : 0
            if c == 0x5C, next == 0x2C || next == 0x3B || next == 0x5C {
                i += 1
            } else if c == 0x22 {
                isQuoted.toggle()
            } else if c == 0x2C, !isQuoted {
                decoded(start..<i)
                start = i + 1
            }
            i += 1
        }
        decoded(start..<text.count)
    }

    /// Appends one value without its quotes and with its caret escapes undone, which vCard 2.1 and
    /// vCalendar 1.0 do not have. A `\n` inside quotes is a line feed too: RFC 6350's own example
    /// writes LABEL so.
    package static func decode(
        _ text: UnsafeRawBufferPointer, carets: Bool = true, into out: RawVector<UInt8>
    ) {
        var i = 0
        var isQuoted = false
        let end = text.count
        let ones: UInt64 = 0x0101_0101_0101_0101
        while i < end {
            // Eight bytes without a quote, a backslash or a caret at a time.
            if i &+ 8 <= end {
                let w = text.loadUnaligned(fromByteOffset: i, as: UInt64.self)
                // A backslash and a caret differ in bit 1.
                let escapes = (w & (ones &* 0xFD)) ^ (ones &* 0x5C)
                let quotes = w ^ (ones &* 0x22)
                if ((escapes &- ones) & ~escapes | (quotes &- ones) & ~quotes) & (ones &* 0x80) == 0
                {
                    UnsafeMutableRawPointer(out.extend(8)).storeBytes(of: w, as: UInt64.self)
                    i &+= 8
                    continue
                }
            }
            let c = text[i]
            let next = i + 1 < text.count ? text[i + 1] : 0
            if c == 0x22 {
                isQuoted.toggle()
            } else if carets, c == 0x5E, next == 0x6E || next == 0x27 || next == 0x5E {
                out.append(next == 0x6E ? 10 : next == 0x27 ? 0x22 : 0x5E)
                i += 1
            } else if c == 0x5C, isQuoted, next == 0x6E || next == 0x4E {
                out.append(10)
                i += 1
            } else if c == 0x5C, next == 0x2C || next == 0x3B || next == 0x5C {
                out.append(next)
                i += 1
            } else {
                out.append(c)
            }
            i += 1
        }
    }

    /// Appends one value: quoted where it needs it, with caret escapes in the modern dialects.
    package static func encode(
        _ text: UnsafeRawBufferPointer, _ dialect: ContentDialect, into out: RawVector<UInt8>
    ) {
        // A backslash at the end would escape what comes next.
        var needsQuotes = text.last == 0x5C
        for c in text where c == 0x3A || c == 0x3B || c == 0x2C { needsQuotes = true }
        let isQuoted = needsQuotes && dialect != .legacy
        if isQuoted { out.append(0x22) }
        for (i, c) in text.enumerated() {
            switch c {
            case 0x5C:
                let next = i + 1 < text.count ? text[i + 1] : 0
                let isEscape =
                    next == 0x2C || next == 0x3B || next == 0x5C || isQuoted && next | 0x20 == 0x6E
                if isEscape { out.append(0x5C) }
                out.append(c)
            case 0x22:
                if dialect == .legacy {
                    out.append(0x27)
                } else {
                    out.append(0x5E)
                    out.append(0x27)
                }
            case 10:
                if dialect == .legacy {
                    out.append(0x20)
                } else {
                    out.append(0x5E)
                    out.append(0x6E)
                }
            case 13: break
            case 0x5E where dialect != .legacy:
                out.append(0x5E)
                out.append(0x5E)
            case 0x3A, 0x3B:
                out.append(dialect == .legacy ? 0x20 : c)
            // Control characters have no place in a parameter.
            default: out.append(ControlCharacters.isOne(c) ? 0x20 : c)
            }
        }
        if isQuoted { out.append(0x22) }
    }

    /// Appends one type, which is not parted at its commas when it is read.
    package static func encode(
        type text: UnsafeRawBufferPointer, _ dialect: ContentDialect, into out: RawVector<UInt8>
    ) {
        let start = out.count
        encode(text, dialect, into: out)
        guard dialect == .legacy, text.contains(0x2C) || text.last == 0x5C else { return }
        // 2.1 has no quotes.
        let plain = out.elements[start...].map { $0 }
        out.truncate(to: start)
        for (i, c) in plain.enumerated() {
            if c == 0x2C || (c == 0x5C && i + 1 == plain.count) { out.append(0x5C) }
            out.append(c)
        }
    }

    /// True for a type that may stand as a bare word in 2.1: a plain word that means nothing else
    /// there and has no space at its ends.
    package static func isBareType(_ text: UnsafeRawBufferPointer) -> Bool {
        guard isPlainToken(text), text.first != 0x20, text.last != 0x20 else { return false }
        if isTransferEncoding(text) { return false }
        for word in ["INLINE", "URL", "CID", "CONTENT-ID"] where NameKey.equals(text, word) {
            return false
        }
        return true
    }

    /// True for the names of parameters that say nothing without a value; other names without one
    /// are types (`HOME=;`).
    package static func isUsualName(_ name: UnsafeRawBufferPointer) -> Bool {
        for known in [
            "TYPE", "VALUE", "LANGUAGE", "ENCODING", "CHARSET", "ALTID", "PID", "SORT-AS",
            "MEDIATYPE", "LABEL", "CALSCALE", "INDEX", "LEVEL", "CC", "PROP-ID",
        ] where NameKey.equals(name, known) { return true }
        return false
    }

    /// True for the words that name a transfer encoding.
    package static func isTransferEncoding(_ text: UnsafeRawBufferPointer) -> Bool {
        for word in ["QUOTED-PRINTABLE", "BASE64", "B", "8BIT", "7BIT"]
        where NameKey.equals(text, word) { return true }
        return false
    }

    /// True for a word that needs no quotes and is no list.
    package static func isPlainToken(_ text: UnsafeRawBufferPointer) -> Bool {
        if text.isEmpty { return false }
        for c in text {
            guard c &- 0x30 < 10 || (c & 0xDF) &- 0x41 < 26 || c == 0x2D || c == 0x5F || c == 0x20
            else { return false }
        }
        return true
    }
}
