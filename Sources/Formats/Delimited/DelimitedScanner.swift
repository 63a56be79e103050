// The fast twin of `DelimitedRowParser`: finds the bytes that mean something 64 at a time and
// writes down where cells begin and end. It copies nothing and makes no strings.

/// Finds the positions of delimiters, quotes, escapes and line ends (and of other control bytes,
/// which mean nothing).
private struct SpecialBytes {
    let base: UnsafeRawPointer
    let end: Int
    let tail: UnsafeMutablePointer<UInt8>
    let wanted: ByteMask
    var block: Int
    var mask: UInt64

    @inline(__always)
    init(_ table: CellTable, _ base: UnsafeRawPointer, from start: Int) {
        self.base = base
        end = table.text.count
        tail = table.tail.base
        wanted = ByteMask(table.dialect)
        block = start
        mask = 0
        mask = load(start)
    }

    /// The next such position, or the end of the text.
    @inline(__always)
    mutating func next() -> Int {
        while mask == 0 {
            block &+= 64
            if block >= end {
                block = end
                return end
            }
            mask = load(block)
        }
        let position = block &+ mask.trailingZeroBitCount
        mask &= mask &- 1
        return position
    }

    @inline(__always)
    private func load(_ at: Int) -> UInt64 {
        if at &+ 64 <= end { return bits(base + at) }
        return loadTail(at)
    }

    /// The last block is copied to where reading on is allowed.
    @inline(never)
    private func loadTail(_ at: Int) -> UInt64 {
        let count = end - at
        guard count > 0 else { return 0 }
        UnsafeMutableRawPointer(tail).copyMemory(from: base + at, byteCount: count)
        return bits(UnsafeRawPointer(tail)) & ((1 &<< UInt64(count)) &- 1)
    }

    @inline(__always)
    private func bits(_ p: UnsafeRawPointer) -> UInt64 {
        bits16(p) | bits16(p + 16) &<< 16 | bits16(p + 32) &<< 32 | bits16(p + 48) &<< 48
    }

    @inline(__always)
    private func bits16(_ p: UnsafeRawPointer) -> UInt64 {
        wanted.bits(p.loadUnaligned(as: SIMD16<UInt8>.self))
    }
}

/// Cuts a delimited text into rows and cells.
struct DelimitedScanner {
    /// Where the next row begins.
    var position: Int
    /// A row may not be longer than the offsets of `Cell` reach.
    private static let rowLimit = 1 << 30 - 1
    /// A batch ends after so many bytes, however few rows it has.
    private static let batchLimit = 4 << 20

    init(from start: Int) { position = start }

    /// Fills the table with up to `maxRows` rows; none are left when it stays empty.
    mutating func scan(into table: CellTable, maxRows: Int) {
        table.removeAll()
        let text = table.text
        guard let base = text.baseAddress, position < text.count else { return }
        let end = text.count
        let width = table.width
        let delimiter = table.dialect.delimiter
        let quote = table.dialect.quote ?? delimiter
        let escape = table.dialect.escape ?? delimiter
        let comment = table.dialect.comment
        table.cells.reserve(adding: maxRows * width)
        table.rows.reserve(adding: maxRows * 2)
        let cells = table.cells.base
        let rows = table.rows.base
        let origin = position
        table.origin = origin

        var specials = SpecialBytes(table, base, from: position)
        var cellCount = 0
        var rowCount = 0
        var column = 0
        var rowStart = position
        var cellStart = position
        let last = width &- 1
        // Rows that end before here are neither too long for offsets nor the last of a batch.
        let safeEnd = min(end &- 1, origin &+ DelimitedScanner.batchLimit)

        var mayBeComment = comment != nil

        while true {
            if mayBeComment {
                mayBeComment = false
                if cellStart < end, base.load(fromByteOffset: cellStart, as: UInt8.self) == comment
                {
                    var p = specials.next()
                    while p < end, p < cellStart || !isLineEnd(base, p) { p = specials.next() }
                    table.comments += 1
                    rowStart = afterLineEnd(base, p, end)
                    cellStart = rowStart
                    mayBeComment = true
                    if rowStart >= end { break }
                    continue
                }
            }
            // Nearly all of a text is plain cells: nothing else is looked at here.
            while specials.mask != 0 {
                let p = specials.block &+ specials.mask.trailingZeroBitCount
                let byte = base.load(fromByteOffset: p, as: UInt8.self)
                if byte != delimiter || column >= last || p < cellStart { break }
                specials.mask &= specials.mask &- 1
                cells[cellCount] = Cell(plain: cellStart &- origin, length: p &- cellStart).raw
                cellCount &+= 1
                column &+= 1
                cellStart = p &+ 1
            }
            let p = specials.next()
            if p < cellStart { continue }
            var byte: UInt8 = 10
            if p < end { byte = base.load(fromByteOffset: p, as: UInt8.self) }
            if byte == 10, column == last, p > rowStart, p < safeEnd {
                cells[cellCount] = Cell(plain: cellStart &- origin, length: p &- cellStart).raw
                cellCount &+= 1
                rows[rowCount &* 2] = rowStart
                rows[rowCount &* 2 &+ 1] = p &+ 1
                rowCount &+= 1
                column = 0
                rowStart = p &+ 1
                cellStart = rowStart
                mayBeComment = comment != nil
                if rowCount == maxRows { break }
                continue
            }
            var from = cellStart
            var to = p
            var stop = p
            var kind = Cell.Kind.plain
            if byte != delimiter, byte != 10, byte != 13 {
                // Only a quote means something here, and only at the start of a cell.
                if p != cellStart || byte != quote { continue }
                from = p &+ 1
                kind = Cell.Kind.quoted
                var resume = from
                while true {
                    to = specials.next()
                    if to >= end { break }
                    if to < resume { continue }
                    let c = base.load(fromByteOffset: to, as: UInt8.self)
                    if c == escape, escape != delimiter {
                        kind = Cell.Kind.escaped
                        resume = to &+ 2
                    } else if c == quote {
                        if to &+ 1 < end,
                            base.load(fromByteOffset: to &+ 1, as: UInt8.self) == quote
                        {
                            kind = Cell.Kind.escaped
                            resume = to &+ 2
                        } else {
                            break
                        }
                    }
                }
                if to >= end {
                    // No closing quote up to the end: only the line is at fault, not the rest.
                    var lineEnd = p
                    while lineEnd < end, !isLineEnd(base, lineEnd) { lineEnd &+= 1 }
                    lineEnd = afterLineEnd(base, lineEnd, end)
                    table.broken.append(
                        CellTable.Broken(
                            reason: .openQuote, start: rowStart, end: lineEnd, before: rowCount))
                    cellCount &-= min(column, width)
                    table.extras.removeAll { $0.row == rowCount }
                    column = 0
                    mayBeComment = comment != nil
                    rowStart = lineEnd
                    cellStart = lineEnd
                    if lineEnd >= end { break }
                    specials = SpecialBytes(table, base, from: lineEnd)
                    continue
                }
                let closing = to
                stop = specials.next()
                byte = stop < end ? base.load(fromByteOffset: stop, as: UInt8.self) : 10
                if stop != closing &+ 1 || (byte != delimiter && byte != 10 && byte != 13) {
                    while stop < end, byte != delimiter, byte != 10, byte != 13 {
                        stop = specials.next()
                        byte = stop < end ? base.load(fromByteOffset: stop, as: UInt8.self) : 10
                    }
                    from = p
                    to = stop
                    kind = Cell.Kind.stray
                    table.strayCells &+= 1
                }
            }
            let cell = Cell(start: from &- origin, length: to &- from, kind: kind)
            if column < width {
                cells[cellCount] = cell.raw
                cellCount &+= 1
            } else if !cell.isBlank {
                table.extras.append(
                    CellTable.Extra(row: rowCount, column: column, cell: cell))
            }
            if byte == delimiter, stop < end {
                column &+= 1
                cellStart = stop &+ 1
                continue
            }
            let next = afterLineEnd(base, stop, end)
            if column == 0, cell.isBlank {
                // An empty line is no row.
                if width > 0 { cellCount &-= 1 }
                rowStart = next
                cellStart = next
                mayBeComment = comment != nil
                if next >= end { break }
                continue
            }
            if stop &- origin > DelimitedScanner.rowLimit {
                cellCount &-= min(column &+ 1, width)
                table.extras.removeAll { $0.row == rowCount }
                table.broken.append(
                    CellTable.Broken(
                        reason: .tooLarge, start: rowStart, end: next, before: rowCount))
            } else {
                if column &+ 1 < width {
                    table.shortRows &+= 1
                    var missing = width &- column &- 1
                    while missing > 0 {
                        cells[cellCount] = 0
                        cellCount &+= 1
                        missing &-= 1
                    }
                }
                rows[rowCount &* 2] = rowStart
                rows[rowCount &* 2 &+ 1] = next
                rowCount &+= 1
            }
            column = 0
            rowStart = next
            cellStart = next
            mayBeComment = comment != nil
            if next >= end || rowCount == maxRows || next &- origin > DelimitedScanner.batchLimit {
                break
            }
        }
        position = rowStart
        _ = table.cells.extend(cellCount)
        _ = table.rows.extend(rowCount * 2)
    }

    @inline(__always)
    private func isLineEnd(_ base: UnsafeRawPointer, _ p: Int) -> Bool {
        let byte = base.load(fromByteOffset: p, as: UInt8.self)
        return byte == 10 || byte == 13
    }

    /// The position behind the line end at `p`.
    @inline(__always)
    private func afterLineEnd(_ base: UnsafeRawPointer, _ p: Int, _ end: Int) -> Int {
        guard p < end else { return end }
        let isPair =
            base.load(fromByteOffset: p, as: UInt8.self) == 13 && p &+ 1 < end
            && base.load(fromByteOffset: p &+ 1, as: UInt8.self) == 10
        return p &+ (isPair ? 2 : 1)
    }
}
