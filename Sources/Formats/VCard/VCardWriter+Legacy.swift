// Lines of 2.1: quoted-printable for what is no short line of ASCII, base64 with an empty line behind it.

extension VCardWriter {
    func writeLegacy(
        _ line: ContentLine, _ value: UnsafeRawBufferPointer, to out: RawVector<UInt8>
    ) {
        if line.flags.contains(.base64) {
            head.append(0x3A)
            base64Value(value, of: line)
            ContentLineWriter.fold(UnsafeRawBufferPointer(head.elements), into: out)
            // Android, Samsung and Outlook want an empty line behind binary values.
            out.append(13)
            return out.append(10)
        }
        var isAscii = true
        var hasBreak = false
        for c in value {
            if c >= 0x80 { isAscii = false }
            if c < 0x20 && c != 9 || c == 0x7F { hasBreak = true }
        }
        let wasEncoded = line.flags.contains(.quotedPrintable)
        let hasEscapedBreak = line.flags.contains(.backslash) && hasEscapedLineFeed(value)
        let isLong = head.count + value.count > 75
        guard !isAscii || hasBreak || isLong || (wasEncoded && hasEscapedBreak) else {
            head.append(0x3A)
            head.append(bytes: value)
            return ContentLineWriter.plain(UnsafeRawBufferPointer(head.elements), into: out)
        }
        if !isAscii { head.append(";CHARSET=UTF-8") }
        head.append(";ENCODING=QUOTED-PRINTABLE:")
        out.append(bytes: UnsafeRawBufferPointer(head.elements))
        var text = value
        if hasEscapedBreak, !wasEncoded {
            // Outside quoted-printable `\n` means a line break, inside it does not.
            work.removeAll()
            var i = 0
            while i < value.count {
                if value[i] == 0x5C, i + 1 < value.count {
                    if value[i + 1] | 0x20 == 0x6E {
                        work.append(10)
                    } else {
                        work.append(0x5C)
                        work.append(value[i + 1])
                    }
                    i += 2
                } else {
                    work.append(value[i])
                    i += 1
                }
            }
            text = UnsafeRawBufferPointer(work.elements)
        }
        QuotedPrintable.encode(text, column: head.count, into: out)
        out.append(13)
        out.append(10)
    }

    private func hasEscapedLineFeed(_ value: UnsafeRawBufferPointer) -> Bool {
        var i = 0
        while i + 1 < value.count {
            if value[i] == 0x5C {
                if value[i + 1] | 0x20 == 0x6E { return true }
                i += 2
            } else {
                i += 1
            }
        }
        return false
    }
}
