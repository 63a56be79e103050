// The lines that go on: folds (also with empty lines between, iOS 6.1.3), quoted-printable soft
// breaks, base64 without folds (2.1), and heads that are folded before the colon.

extension ContentLineScanner {
    /// A head whose physical line ends before a colon: folded, without one, or with a quote that
    /// never closes. Appends the line and returns -1, or returns where the colon stands in the
    /// source.
    @inline(never)
    mutating func oddHead(
        _ start: Int, _ limit: Int, _ shift: Int, _ line: inout ContentLine, _ lines: ContentLines
    ) -> Int {
        func reset() {
            lines.parameters.truncate(to: Int(line.firstParameter))
            let first = line.firstParameter
            line = ContentLine()
            line.firstParameter = first
        }
        reset()
        var seen: UInt64 = 0
        var slash: UInt64 = 0
        var stop = ContentLineScanner.lineEnd(base, start, limit, &seen, &slash)
        var next = ContentLineScanner.afterLineEnd(base, stop, limit)
        guard let fold = foldStart(next, limit) else {
            let colon = ContentLineScanner.head(
                base, start, limit, shift, 0, quotes: false, &line, lines)
            if colon >= 0 { return colon }
            reset()
            line.flags.insert(.noColon)
            flag(&line, seen, slash)
            line.value = lines.sourceRange(start &- shift, stop &- shift)
            line.raw = lines.sourceRange(start &- shift, next &- shift)
            position = next
            lines.lines.append(line)
            return -1
        }
        let arena = lines.arena
        let from = arena.count
        arena.append(base + start, count: stop - start)
        var at: Int? = fold
        while let begin = at {
            stop = ContentLineScanner.lineEnd(base, begin, limit, &seen, &slash)
            arena.append(base + begin, count: stop - begin)
            next = ContentLineScanner.afterLineEnd(base, stop, limit)
            at = foldStart(next, limit)
        }
        let bytes = UnsafePointer(arena.base)
        var colon = ContentLineScanner.head(
            bytes, from, arena.count, 0, 0x8000_0000, quotes: true, &line, lines)
        if colon < 0 {
            reset()
            colon = ContentLineScanner.head(
                bytes, from, arena.count, 0, 0x8000_0000, quotes: false, &line, lines)
        }
        line.flags.insert(.folded)
        position = next
        if colon < 0 {
            reset()
            line.flags.insert([.noColon, .folded])
            flag(&line, seen, slash)
            line.value = lines.arenaRange(from: from)
        } else {
            flag(&line, seen, slash)
            line.value = lines.arenaRange(from: colon + 1)
            continueValue(next, limit, &line, lines)
        }
        line.raw = lines.sourceRange(start &- shift, position &- shift)
        lines.lines.append(line)
        return -1
    }

    private func flag(_ line: inout ContentLine, _ seen: UInt64, _ slash: UInt64) {
        if seen & 0x8080_8080_8080_8080 != 0 { line.flags.insert(.highBytes) }
        if slash != 0 { line.flags.insert(.backslash) }
    }

    /// Where the text of a folded continuation begins, when one stands at `next` or behind
    /// empty lines there.
    func foldStart(_ next: Int, _ limit: Int) -> Int? {
        var i = next
        while i < limit, base[i] == 10 || base[i] == 13 { i &+= 1 }
        guard i < limit, base[i] == 0x20 || base[i] == 9 else { return nil }
        return i &+ 1
    }

    /// Joins what belongs to the value of `line` from the physical line at `next` on.
    @inline(never)
    mutating func continueValue(
        _ next: Int, _ limit: Int, _ line: inout ContentLine, _ lines: ContentLines
    ) {
        let arena = lines.arena
        var next = next
        var seen: UInt64 = 0
        var slash: UInt64 = 0
        var from = -1
        let isQuotedPrintable = line.flags.contains(.quotedPrintable)
        let isBase64 = line.flags.contains(.base64)

        /// Moves the value to the end of the arena, once.
        func gather() {
            if from >= 0 { return }
            if line.value.isInArena,
                Int(line.value.place & 0x7FFF_FFFF) + line.value.count == arena.count
            {
                from = arena.count - line.value.count
                return
            }
            from = arena.count
            let value = lines.bytes(line.value)
            arena.reserve(adding: value.count)
            arena.append(bytes: lines.bytes(line.value))
        }
        func last() -> UInt8 {
            if from >= 0 { return arena.count > from ? arena[arena.count - 1] : 0 }
            let value = lines.bytes(line.value)
            return value.last ?? 0
        }
        /// Where the `=` of a soft break at the end of the value stands; white space may follow it
        /// (RFC 2045, 6.7).
        func softBreak() -> Int? {
            let value =
                from >= 0 ? arena.bytes(from: from, to: arena.count) : lines.bytes(line.value)
            var end = value.count
            while end > 0, value[end - 1] == 0x20 || value[end - 1] == 9 { end -= 1 }
            return end > 0 && value[end - 1] == 0x3D ? end - 1 : nil
        }
        func take(_ begin: Int) {
            gather()
            let stop = ContentLineScanner.lineEnd(base, begin, limit, &seen, &slash)
            arena.append(base + begin, count: stop - begin)
            next = ContentLineScanner.afterLineEnd(base, stop, limit)
        }

        while next < limit {
            if isQuotedPrintable, let end = softBreak() {
                var i = next
                while i < limit, base[i] == 10 || base[i] == 13 { i &+= 1 }
                let isAtEnd = i == limit || isBoundary(i, limit)
                if i == next, isAtEnd { break }
                gather()
                arena.truncate(to: from + end)
                // The value goes on with an empty line, and that ends it.
                if i > next, isAtEnd || isKnownLine(i, limit) {
                    next = i
                    break
                }
                if base[i] == 0x20, cutsCharacter(arena, from, i + 1, limit) { i &+= 1 }
                take(i)
                continue
            }
            if let begin = foldStart(next, limit) {
                take(begin)
                continue
            }
            if isBase64, isBase64Line(next, limit) {
                take(next)
                continue
            }
            if !isBase64, last() == 0x5C, endsInOpenEscape(lines, line, from),
                !hasColon(next, limit), !isEmptyLine(next)
            {
                gather()
                arena.append(10)
                take(next)
                continue
            }
            break
        }
        position = next
        if from >= 0 {
            line.value = lines.arenaRange(from: from)
            line.flags.insert(.folded)
            flag(&line, seen, slash)
        }
    }

    private func isEmptyLine(_ i: Int) -> Bool { base[i] == 10 || base[i] == 13 }

    /// True when BEGIN:V… or END:V… stands here: a soft break never reaches over the card's end.
    func isBoundary(_ i: Int, _ limit: Int) -> Bool {
        guard base[i] | 0x20 == 0x62 || base[i] | 0x20 == 0x65 else { return false }
        let rest = UnsafeRawBufferPointer(start: base + i, count: min(limit - i, 12))
        return NameKey.starts(rest, with: "END:V") || NameKey.starts(rest, with: "BEGIN:V")
    }

    /// True for the head of a property of cards and calendars in capitals, as all programs write them:
    /// behind an empty line it is none of the text before.
    private func isKnownLine(_ start: Int, _ limit: Int) -> Bool {
        var i = start
        while i < limit, base[i] &- 0x41 < 26 || base[i] == 0x2D || base[i] &- 0x30 < 10 { i &+= 1 }
        guard i > start, i < limit, base[i] == 0x3A || base[i] == 0x3B else { return false }
        let name = UnsafeRawBufferPointer(start: base + start, count: i &- start)
        return name.count > 2 && base[start] == 0x58 && base[start + 1] == 0x2D
            || ContentLineScanner.knownNames.contains(NameKey.of(name))
    }

    private static let knownNames = Set(
        """
        N FN NICKNAME TEL EMAIL ADR LABEL ORG TITLE ROLE URL NOTE BDAY PHOTO LOGO SOUND KEY UID REV \
        CATEGORIES VERSION TZ GEO MAILER AGENT CLASS SORT-STRING IMPP SUMMARY DESCRIPTION LOCATION \
        DTSTART DTEND DUE COMPLETED STATUS PRIORITY RRULE EXDATE AALARM DALARM MALARM PALARM DCREATED \
        LAST-MODIFIED SEQUENCE ATTENDEE ATTACH TRANSP RELATED-TO
        """.split(separator: " ").map { NameKey.of(String($0)) })

    /// True when a line holds base64 characters and white space only, and at least one.
    private func isBase64Line(_ start: Int, _ limit: Int) -> Bool {
        var i = start
        var any = false
        while i < limit {
            let c = base[i]
            if c == 10 || c == 13 { break }
            if c == 0x20 || c == 9 {
                i &+= 1
                continue
            }
            guard c &- 0x30 < 10 || (c & 0xDF) &- 0x41 < 26 || c == 0x2B || c == 0x2F || c == 0x3D
            else { return false }
            any = true
            i &+= 1
        }
        return any
    }

    /// True when the line that begins here has a colon, the folds that belong to it included.
    private func hasColon(_ start: Int, _ limit: Int) -> Bool {
        var i = start
        while i < limit {
            if base[i] == 0x3A { return true }
            if base[i] == 10 || base[i] == 13 {
                guard let fold = foldStart(i, limit) else { return false }
                i = fold
            } else {
                i &+= 1
            }
        }
        return false
    }

    /// True when the value ends in an odd run of backslashes.
    private func endsInOpenEscape(_ lines: ContentLines, _ line: ContentLine, _ from: Int) -> Bool {
        let value =
            from >= 0
            ? lines.arena.bytes(from: from, to: lines.arena.count) : lines.bytes(line.value)
        var run = 0
        while run < value.count, value[value.count - 1 - run] == 0x5C { run += 1 }
        return run % 2 == 1
    }

    /// True when the quoted-printable text in the arena ends inside a UTF-8 sequence and its
    /// next byte stands encoded at `i`: then the space before it is a fold, not data.
    private func cutsCharacter(_ arena: RawVector<UInt8>, _ from: Int, _ i: Int, _ limit: Int)
        -> Bool
    {
        guard i + 2 < limit, base[i] == 0x3D, let first = Hex.byte(base[i + 1], base[i + 2]),
            first & 0xC0 == 0x80
        else { return false }
        var at = arena.count
        for back in 1...3 {
            at -= 3
            guard at >= from, arena[at] == 0x3D,
                let byte = Hex.byte(arena[at + 1], arena[at + 2])
            else { return false }
            if byte & 0xC0 == 0x80 { continue }
            let length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1
            return length > back
        }
        return false
    }
}

/// Hexadecimal digits.
enum Hex {
    /// The value of a digit, nil for other bytes.
    @inline(__always)
    static func digit(_ c: UInt8) -> UInt8? {
        let value = value(c)
        return value < 16 ? value : nil
    }

    /// The same, above 15 for other bytes.
    @inline(__always)
    private static func value(_ c: UInt8) -> UInt8 {
        // Of digits the low four bits are the value, of letters (bit 6) nine less.
        let number = c &- 0x30
        let letter = (c | 0x20) &- 0x61
        return number < 10 || letter < 6 ? (c & 15) &+ 9 &* (c &>> 6) : 0x80
    }

    /// The value of each byte as a digit, above 15 for what is none; for loops.
    static let digits: [UInt8] = (0...255).map { value($0) }

    /// The byte two digits spell.
    @inline(__always)
    static func byte(_ high: UInt8, _ low: UInt8) -> UInt8? {
        let h = value(high)
        let l = value(low)
        return (h | l) < 16 ? h &<< 4 | l : nil
    }
}

extension ContentLineScanner {
    /// Appends the line that the arena's text from `start` to its end spells: one logical line,
    /// whose value may hold line feeds.
    package static func appendLogical(_ start: Int, to lines: ContentLines) {
        var line = ContentLine()
        line.firstParameter = UInt32(truncatingIfNeeded: lines.parameters.count)
        let first = line.firstParameter
        let bytes = UnsafePointer(lines.arena.base)
        let end = lines.arena.count
        var colon = head(bytes, start, end, 0, 0x8000_0000, quotes: true, &line, lines)
        if colon < 0 {
            lines.parameters.truncate(to: Int(first))
            line = ContentLine()
            line.firstParameter = first
            colon = head(bytes, start, end, 0, 0x8000_0000, quotes: false, &line, lines)
        }
        if colon < 0 {
            lines.parameters.truncate(to: Int(first))
            line = ContentLine()
            line.firstParameter = first
            line.flags = .noColon
            line.value = lines.arenaRange(from: start)
        } else {
            line.value = lines.arenaRange(from: colon + 1)
        }
        line.flags.insert([.decoded, .backslash])
        lines.lines.append(line)
    }
}
