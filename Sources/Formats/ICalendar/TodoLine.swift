// Small things both ways of the to-do mapping need: lists in a value, parameters as text, and a
// line that was kept as text, taken apart again.

/// Helpers for the lines of to-dos.
enum TodoLine {
    /// What stands before the name of a line whose value iCalendar 2.0 does not have.
    static let keptPrefix = "X-RTOOL-"

    /// Calls `body` with each category of a CATEGORIES value, decoded; empty ones are left out.
    /// - Returns: false when one was empty.
    @discardableResult
    static func forEachCategory(
        _ value: UnsafeRawBufferPointer, _ dialect: ContentDialect, _ scratch: RawVector<UInt8>,
        _ body: (UnsafeRawBufferPointer) -> Void
    ) -> Bool {
        var isWhole = true
        // vCalendar 1.0 separates with semicolons, its writers often with commas.
        let isLegacy = dialect == .legacy && ValuePieces.holds(0x3B, value)
        var pieces = ValuePieces(value, separator: isLegacy ? 0x3B : 0x2C)
        while let piece = pieces.nextBytes() {
            if piece.isEmpty {
                isWhole = false
                continue
            }
            scratch.removeAll()
            ValueText.unescape(piece, dialect, into: scratch)
            body(UnsafeRawBufferPointer(scratch.elements))
        }
        return isWhole
    }

    /// Appends group, name and parameters of a line as they stand.
    static func append(head line: ContentLine, _ lines: ContentLines, to out: RawVector<UInt8>) {
        append(name: line, lines, to: out)
        lines.append(parametersOf: line, to: out)
    }

    /// Appends group and name of a line as they stand.
    static func append(name line: ContentLine, _ lines: ContentLines, to out: RawVector<UInt8>) {
        // A space in front would make the line a part of the one before.
        func indented(_ text: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
            UnsafeRawBufferPointer(rebasing: text.drop { $0 == 0x20 || $0 == 9 })
        }
        let own = lines.bytes(line.name)
        if !line.group.isEmpty {
            out.append(bytes: indented(lines.bytes(line.group)))
            out.append(0x2E)
        } else if let dot = own.firstIndex(of: 0x2E), dot < own.count - 1 {
            // The dot behind an empty group; without it the name would be cut at the next one.
            out.append(0x2E)
        }
        guard line.group.isEmpty else { return out.append(bytes: own) }
        let name = indented(own)
        // What is no BEGIN or END because of the space in front does not become one; a NUL in front
        // is not seen by keys.
        if name.count < own.count, line.flags.isDisjoint(with: [.begin, .end]) {
            let key = NameKey.of(name)
            if key == NameKey.begin || key == NameKey.end { out.append("X-") }
        }
        out.append(bytes: name)
    }

    /// Appends `;` and a parameter that is kept as text; nothing for one that 2.0 cannot have.
    /// - Returns: false when it was left out.
    static func append(
        parameter text: UnsafeRawBufferPointer, to out: RawVector<UInt8>
    ) -> Bool {
        guard let equals = text.firstIndex(of: 0x3D), equals > 0 else { return false }
        let name = UnsafeRawBufferPointer(rebasing: text[..<equals])
        guard isName(name) else { return false }
        out.append(0x3B)
        out.append(bytes: name)
        out.append(0x3D)
        let value = UnsafeRawBufferPointer(rebasing: text[(equals + 1)...])
        if isWritable(value) {
            out.append(bytes: value)
        } else {
            ParameterText.encode(value, .iCalendar, into: out)
        }
        return true
    }

    /// True for what stands after a parameter's `=` as it is.
    private static func isWritable(_ value: UnsafeRawBufferPointer) -> Bool {
        var isQuoted = false
        for c in value {
            if c < 0x20, c != 9 { return false }
            if c == 0x22 {
                isQuoted.toggle()
            } else if !isQuoted, c == 0x3A || c == 0x3B {
                return false
            }
        }
        return !isQuoted
    }

    /// The length of the longest name that is written.
    static let nameLimit = 200

    /// True for names of lines and parameters as they may be written.
    static func isName(_ name: UnsafeRawBufferPointer) -> Bool {
        guard !name.isEmpty, name.count <= nameLimit else { return false }
        for c in name {
            guard c &- 0x30 < 10 || (c & 0xDF) &- 0x41 < 26 || c == 0x2D || c == 0x5F else {
                return false
            }
        }
        return true
    }

    /// Appends a value that is kept as written, made safe for a line.
    static func append(value: UnsafeRawBufferPointer, to out: RawVector<UInt8>) {
        var clean = 0
        for i in 0..<value.count where value[i] == 10 || value[i] == 13 {
            out.append(bytes: UnsafeRawBufferPointer(rebasing: value[clean..<i]))
            clean = i + 1
            if value[i] == 13, i + 1 < value.count, value[i + 1] == 10 { continue }
            out.append(0x5C)
            out.append(0x6E)
        }
        out.append(bytes: UnsafeRawBufferPointer(rebasing: value[clean...]))
    }

    /// Appends a text with the escapes of iCalendar.
    static func escape(_ text: UnsafeRawBufferPointer, to out: RawVector<UInt8>) {
        ValueText.escape(text, .iCalendar, commas: true, semicolons: true, into: out)
    }

    /// True when a value ends in an odd run of backslashes.
    static func endsInOpenEscape(_ value: UnsafeRawBufferPointer) -> Bool {
        var run = 0
        while run < value.count, value[value.count - 1 - run] == 0x5C { run += 1 }
        return run % 2 == 1
    }

    /// True when a text may stand on a line as it is.
    static func isOneLine(_ text: UnsafeRawBufferPointer) -> Bool {
        for c in text where c == 10 || c == 13 { return false }
        return true
    }
}

extension ValuePieces {
    /// True when a byte stands in a text without a backslash before it.
    static func holds(_ byte: UInt8, _ text: UnsafeRawBufferPointer) -> Bool {
        var i = 0
        while i < text.count {
            if text[i] == byte { return true }
            i += text[i] == 0x5C ? 2 : 1
        }
        return false
    }
}
