// Components that are kept as text: whether they are whole, and their lines as they are written.

extension ICalendarComponent {
    /// True when BEGIN and END lines match and nothing stands outside of them.
    static func isWhole(_ text: UnsafeRawBufferPointer) -> Bool {
        var scanner = ContentLineScanner(text)
        let lines = ContentLines()
        var names: [String] = []
        var isFirst = true
        while true {
            lines.begin(at: scanner.pointer(at: 0))
            guard scanner.next(into: lines) else { return !isFirst && names.isEmpty }
            let line = lines[0]
            if !isFirst, names.isEmpty { return false }
            if line.flags.contains(.begin) {
                names.append(lines.string(line.value).uppercased())
                if names.count > 100 { return false }
            } else if line.flags.contains(.end) {
                guard names.popLast() == lines.string(line.value).uppercased() else {
                    return false
                }
            } else if isFirst {
                return false
            }
            isFirst = false
        }
    }

    /// Appends a kept component's lines, CR LF at the end of each.
    static func appendLines(_ text: UnsafeRawBufferPointer, to out: RawVector<UInt8>) {
        for c in text {
            if c == 13 { continue }
            if c == 10 { out.append(13) }
            out.append(c)
        }
        out.append(13)
        out.append(10)
    }
}
