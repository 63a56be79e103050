// The heads of lines, eight bytes at a time: in a word the first delimiter is found and the name
// before it becomes its number at once. It takes the heads that nearly all lines have and leaves
// the others to `ContentLineScanner.head`, which does the same byte by byte.

/// Eight bytes of a head in one word, the first one lowest. The masks have the high bit of each byte
/// that ends what is being read; only their lowest bit is exact, since a subtraction borrows.
enum HeadWord {
    static let ones: UInt64 = 0x0101_0101_0101_0101
    static let highs: UInt64 = 0x8080_8080_8080_8080

    @inline(__always)
    static func load(_ p: UnsafePointer<UInt8>) -> UInt64 {
        UInt64(littleEndian: UnsafeRawPointer(p).loadUnaligned(as: UInt64.self))
    }

    /// Set below zero where a byte of the word is this one; bytes outside ASCII count as hits.
    @inline(__always)
    private static func hits(_ w: UInt64, _ byte: UInt64) -> UInt64 {
        (w ^ (ones &* byte)) &- ones
    }

    /// The same for a colon or semicolon, which differ in the lowest bit.
    @inline(__always)
    private static func delimiters(_ w: UInt64) -> UInt64 {
        ((w & ~ones) ^ (ones &* 0x3A)) &- ones
    }

    /// Controls and bytes outside ASCII, at which a plain head ends.
    @inline(__always)
    private static func odd(_ w: UInt64) -> UInt64 { (w &- (ones &* 0x20)) | w }

    /// What ends a name or a group.
    @inline(__always)
    static func nameEnds(_ w: UInt64) -> UInt64 {
        (delimiters(w) | hits(w, 0x2E) | odd(w)) & highs
    }

    /// What ends the name of a parameter, or a bare word.
    @inline(__always)
    static func parameterEnds(_ w: UInt64) -> UInt64 {
        (delimiters(w) | hits(w, 0x3D) | odd(w)) & highs
    }

    /// What ends the value of a parameter, and the quotes, backslashes and carets in it; no bytes outside
    /// ASCII.
    @inline(__always)
    static func valueEnds(_ w: UInt64) -> UInt64 {
        // A backslash and a caret differ in bit 1.
        let escapes = ((w & (ones &* 0xFD)) ^ (ones &* 0x5C)) &- ones
        return (delimiters(w) | hits(w, 0x22) | escapes | (w &- (ones &* 0x20))) & ~w & highs
    }

    /// What ends a quoted text; no bytes outside ASCII.
    @inline(__always)
    static func quoteEnds(_ w: UInt64) -> UInt64 {
        (hits(w, 0x22) | (w &- (ones &* 0x20))) & ~w & highs
    }

    /// The `NameKey` of the first `n` bytes, 1 to 8.
    @inline(__always)
    static func key(_ w: UInt64, _ n: Int) -> UInt64 {
        (w & (ones &* 0xDF)).byteSwapped &>> UInt64(truncatingIfNeeded: 64 &- 8 &* n)
    }
}

extension ContentLineScanner {
    /// A name and what stands behind it.
    private struct HeadName {
        var end: Int
        var key: UInt64
        /// The byte at `end`; 0 when the name is for `head` to read.
        var delimiter: UInt8
    }

    /// Reads a name, or a bare word, from `from` on.
    @inline(__always)
    private static func name(
        _ p: UnsafePointer<UInt8>, _ from: Int, _ last: Int, _ ends: (UInt64) -> UInt64
    ) -> HeadName {
        guard from <= last else { return HeadName(end: from, key: 0, delimiter: 0) }
        let w = HeadWord.load(p + from)
        let stops = ends(w)
        if stops == 0 { return longName(p, from, last, HeadWord.key(w, 8), ends) }
        let n = stops.trailingZeroBitCount &>> 3
        return HeadName(
            end: from &+ n, key: n == 0 ? 0 : HeadWord.key(w, n), delimiter: p[from &+ n])
    }

    /// A name of eight bytes or more.
    @inline(__always)
    private static func longName(
        _ p: UnsafePointer<UInt8>, _ from: Int, _ last: Int, _ key: UInt64,
        _ ends: (UInt64) -> UInt64
    ) -> HeadName {
        var i = from &+ 8
        while i <= last {
            let stops = ends(HeadWord.load(p + i))
            if stops == 0 {
                i &+= 8
                continue
            }
            i &+= stops.trailingZeroBitCount &>> 3
            let count = i &- from
            return HeadName(
                end: i,
                key: count == 8
                    ? key
                    : NameKey.long(UnsafeRawBufferPointer(start: p + from, count: count)),
                delimiter: p[i])
        }
        return HeadName(end: from, key: 0, delimiter: 0)
    }

    /// Parses a head on one physical line that ends before the last eight bytes of the input, ASCII
    /// but for the values of parameters. It gives what `head` gives.
    /// - Returns: where the colon stands, or -1 for any other head; `line` and the parameters that
    ///   were added mean nothing then.
    @inline(__always)
    static func plainHead(
        _ p: UnsafePointer<UInt8>, _ from: Int, _ limit: Int, _ shift: Int,
        _ line: inout ContentLine, _ lines: ContentLines
    ) -> Int {
        @inline(__always)
        func range(_ a: Int, _ b: Int) -> TextRange {
            TextRange(
                place: UInt32(truncatingIfNeeded: a &- shift),
                length: UInt32(truncatingIfNeeded: b &- a))
        }
        // Where the last whole word begins.
        let last = limit &- 8
        var start = from
        var name = ContentLineScanner.name(p, start, last, HeadWord.nameEnds)
        if name.delimiter == 0x2E {
            line.group = range(start, name.end)
            start = name.end &+ 1
            name = ContentLineScanner.name(p, start, last, HeadWord.nameEnds)
        }
        // A colon or a semicolon, and something before it.
        guard name.delimiter | 1 == 0x3B, name.end > start else { return -1 }
        line.name = range(start, name.end)
        line.key = name.key
        if name.key == NameKey.begin {
            line.flags.insert(.begin)
        } else if name.key == NameKey.end {
            line.flags.insert(.end)
        }
        var i = name.end
        if name.delimiter == 0x3A { return i }
        var count: UInt32 = 0
        var high: UInt64 = 0
        repeat {
            i &+= 1
            let word = ContentLineScanner.name(p, i, last, HeadWord.parameterEnds)
            if word.delimiter | 1 == 0x3B {
                if word.end > i {
                    if word.end &- i > NameKey.packedLimit { return -1 }
                    lines.parameters.append(
                        ContentParameter(
                            name: .empty, value: range(i, word.end), key: word.key, isBare: true,
                            needsDecoding: false))
                    count &+= 1
                    let length = word.end &- i
                    if word.key == NameKey.base64 && length == 6
                        || word.key == NameKey.b && length == 1
                    {
                        line.flags.insert(.base64)
                    }
                }
                i = word.end
                continue
            }
            guard word.delimiter == 0x3D, word.end > i else { return -1 }
            let value = word.end &+ 1
            // `head` knows the colon of a zone's name.
            if word.key == NameKey.tzid, value < limit, p[value] == 0x28 { return -1 }
            var end = value
            var needsDecoding = false
            var isQuoted = false
            while true {
                guard end <= last else { return -1 }
                let w = HeadWord.load(p + end)
                let stops = isQuoted ? HeadWord.quoteEnds(w) : HeadWord.valueEnds(w)
                if stops == 0 {
                    high |= w
                    end &+= 8
                    continue
                }
                high |= w & ((stops & (0 &- stops)) &>> 7 &- 1)
                end &+= stops.trailingZeroBitCount &>> 3
                let c = p[end]
                if c | 1 == 0x3B { break }
                if c == 0x22 {
                    isQuoted.toggle()
                } else if c != 0x5C && c != 0x5E {
                    return -1
                }
                needsDecoding = true
                end &+= 1
            }
            lines.parameters.append(
                ContentParameter(
                    name: range(i, word.end), value: range(value, end), key: word.key,
                    isBare: false, needsDecoding: needsDecoding || high & HeadWord.highs != 0))
            count &+= 1
            if word.key == NameKey.encoding {
                let first = end > value ? p[value] & 0xDF : 0
                if first == 0x51 { line.flags.insert(.quotedPrintable) }
                if first == 0x42 { line.flags.insert(.base64) }
            } else if word.key == NameKey.charset {
                line.flags.insert(.charset)
            }
            i = end
        } while p[i] == 0x3B
        line.parameterCount = count
        if high & HeadWord.highs != 0 { line.flags.insert(.highBytesInHead) }
        if line.flags.isSuperset(of: [.base64, .quotedPrintable]) {
            // Of two encodings base64 counts: the other would take up lines behind it.
            line.flags.remove(.quotedPrintable)
        }
        if line.flags.rawValue & 0x180 != 0 {
            // The name of a component is never in base64, and takes up no further lines.
            line.flags.remove(.base64)
        }
        return i
    }
}
