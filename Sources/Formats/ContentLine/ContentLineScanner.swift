// Cuts bytes into content lines: physical lines, folds, soft breaks, then group, name, parameters
// and value. It works on undecoded bytes (a fold may cut a character) and never fails: whatever
// stands there becomes some line. Cards, versions and charsets are the formats' business.
//
//   item1.TEL;TYPE=CELL;X-A="b:c":+1 555
//   group name parameters         value
//
// A line without anything to decode stays in the source; a continued one is joined in the arena.

/// Reads one content line after the other.
public struct ContentLineScanner {
    let base: UnsafePointer<UInt8>
    /// Where the input ends.
    public let end: Int
    /// The next unread byte.
    public internal(set) var position: Int
    /// Reading stops here for now, so that no single card grows without limit.
    public var bound: Int

    /// A scanner over bytes that outlive it.
    public init(_ bytes: UnsafeRawBufferPointer, from position: Int = 0) {
        let bytes = bytes.bindMemory(to: UInt8.self)
        if let start = bytes.baseAddress {
            base = start
            end = bytes.count
        } else {
            base = ContentLineScanner.nothing
            end = 0
        }
        self.position = min(max(position, 0), end)
        bound = end
    }

    private nonisolated(unsafe) static let nothing: UnsafePointer<UInt8> = {
        let one = UnsafeMutablePointer<UInt8>.allocate(capacity: 1)
        one.initialize(to: 0)
        return UnsafePointer(one)
    }()

    /// The bytes from an offset on.
    public func pointer(at offset: Int) -> UnsafePointer<UInt8> { base + offset }

    /// Goes on reading at another place.
    public mutating func move(to offset: Int) { position = min(max(offset, 0), end) }

    /// Moves behind empty lines and byte order marks.
    @inline(__always)
    public mutating func skipEmptyLines() {
        var i = position
        while i < bound {
            let c = base[i]
            if c == 10 || c == 13 {
                i &+= 1
            } else if c == 0xEF, i &+ 2 < bound, base[i &+ 1] == 0xBB, base[i &+ 2] == 0xBF {
                i &+= 3
            } else {
                break
            }
        }
        position = i
    }

    /// Appends the next line.
    ///
    /// The lines' source must begin at or before `position`, within the same bytes.
    /// - Returns: false at the bound, with nothing appended.
    public mutating func next(into lines: ContentLines) -> Bool { take(into: lines) }

    /// The same without a call, for loops that take most of their time here.
    @inline(__always)
    mutating func take(into lines: ContentLines) -> Bool {
        // Most lines begin with a letter.
        if position < bound, base[position] &- 14 > 0xE0 { skipEmptyLines() }
        let start = position
        let limit = bound
        guard start < limit else { return false }
        let shift = lines.source - base
        var line = ContentLine()
        line.firstParameter = UInt32(truncatingIfNeeded: lines.parameters.count)
        var colon = ContentLineScanner.plainHead(base, start, limit, shift, &line, lines)
        if colon < 0 {
            // A copy, so that the line itself can stay in registers.
            var odd = ContentLine()
            odd.firstParameter = line.firstParameter
            colon = unusualHead(start, limit, shift, &odd, lines)
            if colon < 0 { return true }
            line = odd
        }
        var seen: UInt64 = 0
        var slash: UInt64 = 0
        let stop = ContentLineScanner.lineEnd(base, colon &+ 1, limit, &seen, &slash)
        let next = ContentLineScanner.afterLineEnd(base, stop, limit)
        if seen & 0x8080_8080_8080_8080 != 0 { line.flags.insert(.highBytes) }
        if slash != 0 { line.flags.insert(.backslash) }
        line.value = lines.sourceRange(colon &+ 1 &- shift, stop &- shift)
        position = next
        if next < limit {
            let c = base[next]
            // A base64 value, or a quoted-printable one that ends with `=`, may go on without a fold.
            if c <= 0x20 || line.flags.contains(.base64)
                || line.flags.contains(.quotedPrintable)
                    && (base[stop &- 1] == 0x3D || base[stop &- 1] <= 0x20)
                || (slash != 0 && base[stop &- 1] == 0x5C)
            {
                var continued = line
                continueValue(next, limit, &continued, lines)
                line = continued
            }
        }
        line.raw = lines.sourceRange(start &- shift, position &- shift)
        lines.lines.append(line)
        return true
    }

    // MARK: Scanning

    /// A head that `plainHead` gave up: byte by byte, and joined where it is folded. As `oddHead`.
    @inline(never)
    private mutating func unusualHead(
        _ start: Int, _ limit: Int, _ shift: Int, _ line: inout ContentLine, _ lines: ContentLines
    ) -> Int {
        lines.parameters.truncate(to: Int(line.firstParameter))
        let colon = ContentLineScanner.head(
            base, start, limit, shift, 0, quotes: true, &line, lines)
        return colon < 0 ? oddHead(start, limit, shift, &line, lines) : colon
    }

    /// The first CR or LF from `from` on, or `end`. Gathers high bits and backslashes met.
    @inline(__always)
    static func lineEnd(
        _ p: UnsafePointer<UInt8>, _ from: Int, _ end: Int, _ seen: inout UInt64,
        _ slash: inout UInt64
    ) -> Int {
        let ones = HeadWord.ones
        var i = from
        while i &+ 8 <= end {
            let w = HeadWord.load(p + i)
            // Bytes below 14; exact up to the first one, as all such masks here.
            let control = (w &- (ones &* 14)) & ~w & HeadWord.highs
            let backslash = ((w ^ (ones &* 0x5C)) &- ones) & ~w & HeadWord.highs
            if control == 0 {
                seen |= w
                slash |= backslash
                i &+= 8
                continue
            }
            let before = (control & (0 &- control)) &>> 7 &- 1
            seen |= w & before
            slash |= backslash & before
            i &+= control.trailingZeroBitCount &>> 3
            if p[i] == 10 || p[i] == 13 { return i }
            i &+= 1
        }
        while i < end {
            let c = p[i]
            if c == 10 || c == 13 { return i }
            seen |= UInt64(c)
            if c == 0x5C { slash = 1 }
            i &+= 1
        }
        return end
    }

    /// Behind a line end: LF, CR, CR LF, or CR CR LF.
    @inline(__always)
    static func afterLineEnd(_ p: UnsafePointer<UInt8>, _ stop: Int, _ limit: Int) -> Int {
        guard stop < limit else { return limit }
        if p[stop] == 10 { return stop &+ 1 }
        if stop &+ 1 < limit, p[stop &+ 1] == 10 { return stop &+ 2 }
        var i = stop &+ 1
        while i < limit, p[i] == 13 { i &+= 1 }
        if i < limit, p[i] == 10 { return i &+ 1 }
        return stop &+ 1
    }

    /// Parses group, name and parameters from `from` on, byte by byte; `plainHead` does the same for
    /// the heads that most lines have.
    /// - Returns: where the colon stands, or -1 when the physical line ends before one.
    static func head(
        _ p: UnsafePointer<UInt8>, _ from: Int, _ limit: Int, _ shift: Int, _ flag: UInt32,
        quotes: Bool, _ line: inout ContentLine, _ lines: ContentLines
    ) -> Int {
        @inline(__always)
        func range(_ a: Int, _ b: Int) -> TextRange {
            TextRange(
                place: flag | UInt32(truncatingIfNeeded: a &- shift),
                length: UInt32(truncatingIfNeeded: b &- a))
        }
        var i = from
        var key: UInt64 = 0
        var nameStart = from
        var high: UInt8 = 0
        while true {
            guard i < limit else { return -1 }
            let c = p[i]
            if c &- 0x3A < 2 { break }
            if c <= 0x2E {
                if c == 0x2E, nameStart == from {
                    line.group = range(from, i)
                    i &+= 1
                    nameStart = i
                    key = 0
                    continue
                }
                if c == 10 || c == 13 { return -1 }
            }
            high |= c
            key = NameKey.add(c, to: key)
            i &+= 1
        }
        if i == nameStart, nameStart > from {
            // `X.:` has no name behind its group: the whole is the name.
            line.group = .empty
            nameStart = from
            key = NameKey.of(UnsafeRawBufferPointer(start: p + from, count: i &- from))
        }
        line.name = range(nameStart, i)
        if i &- nameStart > NameKey.packedLimit {
            key = NameKey.long(UnsafeRawBufferPointer(start: p + nameStart, count: i &- nameStart))
        }
        line.key = key
        if key == NameKey.begin {
            line.flags.insert(.begin)
        } else if key == NameKey.end {
            line.flags.insert(.end)
        }
        var count: UInt32 = 0
        while p[i] == 0x3B {
            i &+= 1
            let start = i
            var parameterKey: UInt64 = 0
            var c: UInt8 = 0
            var odd: UInt8 = 0
            while true {
                guard i < limit else { return -1 }
                c = p[i]
                if c == 0x3D || c &- 0x3A < 2 { break }
                if c == 10 || c == 13 { return -1 }
                odd |= c
                parameterKey = NameKey.add(c, to: parameterKey)
                i &+= 1
            }
            if i &- start > NameKey.packedLimit {
                parameterKey = NameKey.long(
                    UnsafeRawBufferPointer(start: p + start, count: i &- start))
            }
            high |= odd
            if c != 0x3D {
                if i > start {
                    lines.parameters.append(
                        ContentParameter(
                            name: .empty, value: range(start, i), key: parameterKey, isBare: true,
                            needsDecoding: odd >= 0x80))
                    count &+= 1
                    // Zeros and blanks in front are not seen in a key.
                    if parameterKey == NameKey.base64 && i &- start == 6
                        || parameterKey == NameKey.b && i &- start == 1
                    {
                        line.flags.insert(.base64)
                    } else if i &- start == 16, parameterKey == NameKey.quotedPrintable {
                        line.flags.insert(.quotedPrintable)
                    }
                }
                continue
            }
            let nameEnd = i
            i &+= 1
            let valueStart = i
            if parameterKey == NameKey.tzid {
                i = afterZoneOffset(p, i, limit, mayGoOn: quotes)
            }
            while true {
                guard i < limit else { return -1 }
                c = p[i]
                if c &- 0x3A < 2 { break }
                if c == 0x22, quotes {
                    odd |= 0x80
                    i &+= 1
                    while true {
                        guard i < limit else { return -1 }
                        c = p[i]
                        if c == 0x22 { break }
                        if c == 10 || c == 13 { return -1 }
                        high |= c
                        i &+= 1
                    }
                } else if c == 10 || c == 13 {
                    return -1
                } else if c == 0x5C || c == 0x5E {
                    odd |= 0x80
                }
                high |= c
                i &+= 1
            }
            lines.parameters.append(
                ContentParameter(
                    name: range(start, nameEnd), value: range(valueStart, i), key: parameterKey,
                    isBare: false, needsDecoding: (odd | high) >= 0x80))
            count &+= 1
            if parameterKey == NameKey.encoding {
                let first = i > valueStart ? p[valueStart] & 0xDF : 0
                if first == 0x51 { line.flags.insert(.quotedPrintable) }
                if first == 0x42 { line.flags.insert(.base64) }
            } else if parameterKey == NameKey.charset {
                line.flags.insert(.charset)
            }
        }
        line.parameterCount = count
        if count > 0, line.flags.rawValue & 0x180 != 0 {
            // The name of a component is never in base64, and takes up no further lines.
            line.flags.remove(.base64)
        }
        if line.flags.isSuperset(of: [.base64, .quotedPrintable]) {
            // Of two encodings base64 counts: the other would take up lines behind it.
            line.flags.remove(.quotedPrintable)
        }
        if high >= 0x80 { line.flags.insert(.highBytesInHead) }
        return i
    }

    /// Behind the offset that some programs put into the name of a zone without quoting its colon, as
    /// in `TZID=(GMT+01:00) Berlin`; `from` where there is none, `limit` where it may go on behind a
    /// fold.
    private static func afterZoneOffset(
        _ p: UnsafePointer<UInt8>, _ from: Int, _ limit: Int, mayGoOn: Bool
    ) -> Int {
        guard from < limit, p[from] == 0x28 else { return from }
        var i = from &+ 1
        while i < limit, p[i] &- 0x20 < 0x5F, p[i] != 0x22, p[i] != 0x3B {
            if p[i] == 0x29 {
                // The colon of the line must still come.
                var colon = i
                while colon < limit, p[colon] != 0x3A, p[colon] != 10, p[colon] != 13 {
                    colon &+= 1
                }
                let isMissing = colon == limit || p[colon] != 0x3A
                return isMissing && !(mayGoOn && colon < limit) ? from : i &+ 1
            }
            i &+= 1
        }
        return mayGoOn && i < limit && (p[i] == 10 || p[i] == 13) ? limit : from
    }
}
