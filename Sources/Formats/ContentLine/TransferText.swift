// Transfer encodings of values: quoted-printable and base64, decoded tolerantly (wild files break
// every rule) and written strictly.

/// Quoted-printable (RFC 2045) as vCard 2.1 uses it; soft breaks were joined by the scanner.
package enum QuotedPrintable {
    /// Appends the decoded bytes. All of CR LF, CR and LF spelled in hex become one LF; an `=`
    /// without two hex digits stays.
    /// - Parameter protect: whether an encoded `;` is data among separators, and is therefore
    ///   escaped with a backslash.
    /// - Parameter isShifted: whether escape sequences switch to characters of two bytes
    ///   (ISO-2022-JP), half of one of which is no separator.
    package static func decode(
        _ text: UnsafeRawBufferPointer, protect: Bool, isShifted: Bool = false,
        into out: RawVector<UInt8>
    ) {
        guard let p = text.assumingMemoryBound(to: UInt8.self).baseAddress else { return }
        let count = text.count
        // Room for all there can be, so that bytes are stored without a look at the room.
        out.reserve(adding: count * (protect ? 2 : 1))
        let to = out.base + out.count
        var n = 0
        var i = 0
        var afterReturn = false
        var isWide = false
        let ones: UInt64 = 0x0101_0101_0101_0101
        let digits = Hex.digits
        while i < count {
            let c = p[i]
            // The last two bytes were the beginning of an escape sequence.
            if isShifted, n >= 2, to[n &- 2] == 0x1B {
                if to[n &- 1] == 0x24 {
                    isWide = true
                } else if to[n &- 1] == 0x28 {
                    isWide = false
                }
            }
            guard c == 0x3D, i &+ 2 < count, let byte = Hex.byte(p[i &+ 1], p[i &+ 2]) else {
                afterReturn = false
                if c != 0x3D, i &+ 8 <= count, !isShifted {
                    // Eight bytes, of which those before the next `=` count.
                    let w = HeadWord.load(p + i)
                    let equals = w ^ (ones &* 0x3D)
                    let stops = (equals &- ones) & ~equals & HeadWord.highs
                    UnsafeMutableRawPointer(to + n).storeBytes(
                        of: w.littleEndian, as: UInt64.self)
                    let width = stops == 0 ? 8 : stops.trailingZeroBitCount &>> 3
                    n &+= width
                    i &+= width
                    continue
                }
                to[n] = c
                n &+= 1
                i &+= 1
                continue
            }
            i &+= 3
            if byte == 13 || byte == 10 {
                if byte == 13 || !afterReturn {
                    to[n] = 10
                    n &+= 1
                }
                afterReturn = byte == 13
                continue
            }
            afterReturn = false
            // Text outside ASCII is a run of them.
            if byte >= 0x80 {
                to[n] = byte
                n &+= 1
                while i &+ 2 < count, p[i] == 0x3D {
                    let high = digits[Int(p[i &+ 1])]
                    let low = digits[Int(p[i &+ 2])]
                    // From 0x80 on.
                    guard high &- 8 < 8, low < 16 else { break }
                    to[n] = high &<< 4 | low
                    n &+= 1
                    i &+= 3
                }
                continue
            }
            if protect, byte == 0x3B, !isWide {
                var run = 0
                while run < n, to[n &- 1 &- run] == 0x5C { run += 1 }
                if run % 2 == 0 {
                    to[n] = 0x5C
                    n &+= 1
                }
            }
            to[n] = byte
            n &+= 1
        }
        out.commit(n)
    }

    /// True when every `=` is followed by two hex digits.
    package static func isPlausible(_ text: UnsafeRawBufferPointer) -> Bool {
        for i in 0..<text.count where text[i] == 0x3D {
            guard i + 2 < text.count, Hex.byte(text[i + 1], text[i + 2]) != nil else {
                return false
            }
        }
        return true
    }

    /// Appends text encoded, with soft breaks so that no physical line passes 76 octets and none cuts
    /// a character. No line begins as the first or last line of a card does: to readers a soft break ends there.
    /// - Parameter column: octets already on the physical line.
    package static func encode(
        _ text: UnsafeRawBufferPointer, column: Int, into out: RawVector<UInt8>
    ) {
        let digits: StaticString = "0123456789ABCDEF"
        let hex = digits.utf8Start
        var column = column
        out.reserve(adding: text.count * 4)
        func room(_ width: Int) {
            if column + width > 75 {
                out.append(0x3D)
                out.append(13)
                out.append(10)
                column = 0
            }
            column += width
        }
        func code(_ byte: UInt8) {
            out.append(0x3D)
            out.append(hex[Int(byte >> 4)])
            out.append(hex[Int(byte & 15)])
        }
        /// True when a physical line would begin here with what looks like a card's first or last.
        func isBoundary(_ i: Int) -> Bool {
            guard text[i] | 0x20 == 0x62 || text[i] | 0x20 == 0x65,
                column == 0 || column + 1 > 75
            else { return false }
            let rest = UnsafeRawBufferPointer(rebasing: text[i...])
            return NameKey.starts(rest, with: "BEGIN:V") || NameKey.starts(rest, with: "END:V")
        }
        guard let base = text.baseAddress else { return }
        var i = 0
        while i < text.count {
            let c = text[i]
            let width = c < 0xC0 ? 1 : UTF8Check.sequence(base, i, text.count)
            if width > 1 {
                // Soft breaks never cut a character.
                room(3 * width)
                for k in i..<i + width { code(text[k]) }
                i += width
                continue
            }
            if c == 10 || c == 13 {
                if c == 13, i + 1 < text.count, text[i + 1] == 10 { i += 1 }
                room(6)
                code(13)
                code(10)
            } else if c == 0x3D || c < 0x20 || c > 0x7E
                || (c == 0x20 && (i + 1 == text.count || text[i + 1] == 10 || column >= 74))
                || isBoundary(i)
            {
                room(3)
                code(c)
            } else {
                room(1)
                out.append(c)
            }
            i += 1
        }
    }
}

/// Base64 as cards carry it.
package enum Base64Text {
    /// 0...63 for digits, 64 for `=`, 65 for white space, 66 for anything else.
    private static let table: [UInt8] = {
        var table = [UInt8](repeating: 66, count: 256)
        for i in 0..<26 {
            table[0x41 + i] = UInt8(i)
            table[0x61 + i] = UInt8(26 + i)
        }
        for i in 0..<10 { table[0x30 + i] = UInt8(52 + i) }
        table[0x2B] = 62
        table[0x2F] = 63
        table[0x2D] = 62
        table[0x5F] = 63
        table[0x3D] = 64
        // White space, and control characters, which are not written and so are not read either.
        for c in 0...0x20 { table[c] = 65 }
        table[0x7F] = 65
        return table
    }()

    /// Appends the decoded bytes; white space is skipped, padding may be missing.
    /// - Returns: false, with nothing appended, when there is any other character.
    package static func decode(_ text: UnsafeRawBufferPointer, into out: RawVector<UInt8>) -> Bool {
        let from = out.count
        let to = out.extend(text.count / 4 * 3 + 6)
        let (whole, made) = decodeWhole(text, to)
        let written = table.withUnsafeBufferPointer { table -> Int? in
            var i = whole
            var n = made
            let end = text.count
            var bits: UInt32 = 0
            var have = 0
            var isPadded = false
            while i < end {
                if have == 0, i &+ 4 <= end, !isPadded {
                    let a = table[Int(text[i])]
                    let b = table[Int(text[i &+ 1])]
                    let c = table[Int(text[i &+ 2])]
                    let d = table[Int(text[i &+ 3])]
                    if a | b | c | d < 64 {
                        let word =
                            UInt32(a) &<< 18 | UInt32(b) &<< 12 | UInt32(c) &<< 6 | UInt32(d)
                        to[n] = UInt8(truncatingIfNeeded: word &>> 16)
                        to[n &+ 1] = UInt8(truncatingIfNeeded: word &>> 8)
                        to[n &+ 2] = UInt8(truncatingIfNeeded: word)
                        n &+= 3
                        i &+= 4
                        continue
                    }
                }
                let value = table[Int(text[i])]
                i &+= 1
                switch value {
                case 65: continue
                case 64: isPadded = true
                case 66: return nil
                default:
                    if isPadded { return nil }
                    bits = bits &<< 6 | UInt32(value)
                    have &+= 1
                    if have == 4 {
                        to[n] = UInt8(truncatingIfNeeded: bits &>> 16)
                        to[n &+ 1] = UInt8(truncatingIfNeeded: bits &>> 8)
                        to[n &+ 2] = UInt8(truncatingIfNeeded: bits)
                        n &+= 3
                        have = 0
                        bits = 0
                    }
                }
            }
            switch have {
            case 1: break  // a digit too many (Android's test cards) says nothing
            case 2:
                to[n] = UInt8(truncatingIfNeeded: bits &>> 4)
                n &+= 1
            case 3:
                to[n] = UInt8(truncatingIfNeeded: bits &>> 10)
                to[n &+ 1] = UInt8(truncatingIfNeeded: bits &>> 2)
                n &+= 2
            default: break
            }
            return n
        }
        out.truncate(to: from + (written ?? 0))
        return written != nil
    }

    /// Decodes from the beginning on as long as there are eight digits together.
    /// - Returns: how many bytes were read, and how many stored; up to two more were touched.
    private static func decodeWhole(
        _ text: UnsafeRawBufferPointer, _ to: UnsafeMutablePointer<UInt8>
    ) -> (Int, Int) {
        guard let p = text.assumingMemoryBound(to: UInt8.self).baseAddress, text.count >= 64
        else { return (0, 0) }
        return placed.withUnsafeBufferPointer { placed in
            var i = 0
            var n = 0
            let raw = UnsafeMutableRawPointer(to)
            @inline(__always)
            func four(_ i: Int) -> UInt32 {
                placed[Int(p[i])] | placed[256 &+ Int(p[i &+ 1])]
                    | placed[512 &+ Int(p[i &+ 2])] | placed[768 &+ Int(p[i &+ 3])]
            }
            while i &+ 8 <= text.count {
                let first = four(i)
                let second = four(i &+ 4)
                if (first | second) & 0x8000_0000 != 0 { break }
                let six = UInt64(first) | UInt64(second) &<< 24
                raw.storeBytes(of: six.littleEndian, toByteOffset: n, as: UInt64.self)
                i &+= 8
                n &+= 6
            }
            return (i, n)
        }
    }

    /// Four tables: the bits of each digit where they belong in three bytes, the first byte lowest,
    /// as the first to fourth digit of four. The top bit is set for what is no digit.
    private static let placed: [UInt32] = {
        var placed = [UInt32](repeating: 0x8000_0000, count: 1024)
        for byte in 0..<256 where table[byte] < 64 {
            let digit = UInt32(table[byte])
            placed[byte] = digit << 2
            placed[256 + byte] = digit >> 4 | (digit & 15) << 12
            placed[512 + byte] = (digit >> 2) << 8 | (digit & 3) << 22
            placed[768 + byte] = digit << 16
        }
        return placed
    }()

    /// True when a long text can only be base64 (Thunderbird's test cards do not say so).
    package static func isPlausible(_ text: UnsafeRawBufferPointer) -> Bool {
        guard text.count >= 64 else { return false }
        for c in text where table[Int(c)] == 66 { return false }
        return true
    }
}
