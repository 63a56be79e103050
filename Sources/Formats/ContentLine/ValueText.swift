// The text of values: backslash escapes and separators, by dialect. A value is cut at its
// separators first and each piece is then unescaped; charset and quoted-printable have been
// dealt with before.

/// Escapes and separators of values.
package enum ValueText {
    /// Appends a value, or a piece of one, with its escapes undone.
    ///
    /// vCard 3.0, 4.0 and iCalendar: `\n` and `\N` are a line feed, any other escaped character
    /// stands for itself. vCard 2.1: `\;` `\,` `\\` `\:` are decoded, other pairs are kept so that
    /// `C:\Temp` survives; `\n` is a line feed where the value was not quoted-printable.
    package static func unescape(
        _ text: UnsafeRawBufferPointer, _ dialect: ContentDialect, quotedPrintable: Bool = false,
        into out: RawVector<UInt8>
    ) {
        guard let start = text.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
        var i = 0
        let end = text.count
        while i < end {
            guard let hit = firstIndex(of: 0x5C, in: start + i, count: end &- i) else {
                out.append(start + i, count: end &- i)
                return
            }
            if hit > 0 { out.append(start + i, count: hit) }
            i &+= hit
            guard i &+ 1 < end else {
                out.append(0x5C)
                return
            }
            let c = start[i &+ 1]
            if c == 0x6E || c == 0x4E {
                if dialect == .legacy, quotedPrintable {
                    out.append(0x5C)
                    out.append(c)
                } else {
                    out.append(10)
                }
            } else if dialect == .legacy, c != 0x3B, c != 0x2C, c != 0x5C, c != 0x3A, c != 10 {
                out.append(0x5C)
                out.append(c)
            } else {
                out.append(c)
            }
            i &+= 2
        }
    }

    /// Appends text with the escapes a dialect writes.
    /// - Parameters:
    ///   - commas: whether commas are separators in this value and need an escape.
    ///   - semicolons: the same for semicolons.
    package static func escape(
        _ text: UnsafeRawBufferPointer, _ dialect: ContentDialect, commas: Bool = true,
        semicolons: Bool = true, into out: RawVector<UInt8>
    ) {
        let isLegacy = dialect == .legacy
        let end = text.count
        out.reserve(adding: end)
        for i in 0..<end {
            let c = text[i]
            switch c {
            case 0x3B where semicolons, 0x2C where commas:
                out.append(0x5C)
                out.append(c)
            case 0x5C:
                // 2.1 keeps unknown pairs, so only what would be read as an escape is doubled.
                let next = i &+ 1 < end ? text[i &+ 1] : 0x3B
                if !isLegacy || next == 0x3B || next == 0x2C || next == 0x5C || next == 0x3A
                    || next == 0x6E || next == 0x4E || next == 10
                {
                    out.append(0x5C)
                }
                out.append(c)
            case 13 where i &+ 1 < end && text[i &+ 1] == 10: break
            case 10, 13:
                if isLegacy {
                    out.append(10)
                } else {
                    out.append(0x5C)
                    out.append(0x6E)
                }
            default: out.append(c)
            }
        }
    }
}

/// The pieces of a value between unescaped separators; an empty value has one empty piece.
package struct ValuePieces {
    private let text: UnsafeRawBufferPointer
    private let separator: UInt8
    private var at = 0
    private var isDone = false
    /// The last eight bytes of the text, the very last one highest; zeros before a shorter text.
    private let tail: UInt64

    /// The pieces of `text`.
    package init(_ text: UnsafeRawBufferPointer, separator: UInt8) {
        self.text = text
        self.separator = separator
        if text.count >= 8, let base = text.baseAddress {
            tail = ValuePieces.load(base, text.count &- 8)
        } else if text.isEmpty {
            tail = 0
        } else {
            tail = ShortText(text).word &<< UInt64(8 &* (8 &- text.count))
        }
    }

    @inline(__always)
    private static func load(_ base: UnsafeRawPointer, _ i: Int) -> UInt64 {
        UInt64(littleEndian: base.loadUnaligned(fromByteOffset: i, as: UInt64.self))
    }

    /// The bounds of the next piece, nil at the end.
    package mutating func next() -> Range<Int>? {
        if isDone { return nil }
        let ones: UInt64 = 0x0101_0101_0101_0101
        let start = at
        let end = text.count
        if let base = text.baseAddress {
            let separators = ones &* UInt64(separator)
            var i = at
            while i < end {
                // Eight bytes from here, or what is left and zeros.
                let left = end &- i
                let w =
                    left >= 8
                    ? ValuePieces.load(base, i) : tail &>> UInt64(8 &* (8 &- left))
                let stops =
                    (((w ^ separators) &- ones) | ((w ^ (ones &* 0x5C)) &- ones)) & ~w
                    & 0x8080_8080_8080_8080
                if stops == 0 {
                    i &+= 8
                    continue
                }
                i &+= stops.trailingZeroBitCount &>> 3
                if text[i] == separator {
                    at = i &+ 1
                    return start..<i
                }
                // A backslash takes the next byte along.
                i &+= 2
            }
        }
        isDone = true
        return start..<end
    }

    /// The bytes of the next piece, nil at the end.
    package mutating func nextBytes() -> UnsafeRawBufferPointer? {
        next().map { UnsafeRawBufferPointer(rebasing: text[$0]) }
    }
}
