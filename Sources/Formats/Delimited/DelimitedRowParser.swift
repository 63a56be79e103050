// The grammar of a row, written to be read: one byte after the other. It serves the sniffer, the
// header row and, in tests, as the measure for `DelimitedScanner`, which must agree with it.
//
//   row    = cell *(delimiter cell) line-end        line-end = CR LF | LF | CR
//   cell   = quoted | plain
//   quoted = quote *(any byte | quote quote | escape any byte) quote [stray text]
// A quote inside a plain cell is an ordinary byte; text after a closing quote belongs to the cell.

/// Walks rows one byte at a time.
package struct DelimitedRowParser {
    /// One cell as a range of the text.
    package struct Cell {
        /// The content, without the quotes around it.
        package var range: Range<Int>
        /// Stood in quotes.
        package var isQuoted = false
        /// Holds doubled or escaped quotes.
        package var hasEscapes = false
        /// Text after the closing quote, if any.
        package var stray: Range<Int>?
        /// The closing quote is missing.
        package var isOpen = false
        /// A quote stands within a plain cell.
        package var hasLoneQuote = false
    }

    let bytes: UnsafeRawBufferPointer
    let dialect: CSVDialect
    /// Where the next row begins.
    package var position: Int

    package init(_ bytes: UnsafeRawBufferPointer, _ dialect: CSVDialect, from start: Int) {
        self.bytes = bytes
        self.dialect = dialect
        position = start
    }

    /// The cells of the next row, nil at the end; an empty line is a row of one empty cell.
    package mutating func next() -> [Cell]? {
        guard position < bytes.count else { return nil }
        var cells: [Cell] = []
        while true {
            cells.append(cell())
            guard position < bytes.count else { return cells }
            let byte = bytes[position]
            position += 1
            if byte == dialect.delimiter { continue }
            if byte == 13, position < bytes.count, bytes[position] == 10 { position += 1 }
            return cells
        }
    }

    /// Reads up to the delimiter or line end.
    private mutating func cell() -> Cell {
        let start = position
        guard let quote = dialect.quote, start < bytes.count, bytes[start] == quote else {
            var cell = Cell(range: start..<start)
            while position < bytes.count, !isEnd(bytes[position]) {
                if bytes[position] == dialect.quote { cell.hasLoneQuote = true }
                position += 1
            }
            cell.range = start..<position
            return cell
        }
        var cell = Cell(range: start..<start, isQuoted: true)
        position += 1
        while position < bytes.count {
            let byte = bytes[position]
            if byte == dialect.escape {
                cell.hasEscapes = true
                position = min(position + 2, bytes.count)
            } else if byte != quote {
                position += 1
            } else if position + 1 < bytes.count, bytes[position + 1] == quote {
                cell.hasEscapes = true
                position += 2
            } else {
                cell.range = start + 1..<position
                position += 1
                let after = position
                while position < bytes.count, !isEnd(bytes[position]) { position += 1 }
                if position > after { cell.stray = after..<position }
                return cell
            }
        }
        cell.range = start + 1..<bytes.count
        cell.isOpen = true
        return cell
    }

    private func isEnd(_ byte: UInt8) -> Bool {
        byte == dialect.delimiter || byte == 10 || byte == 13
    }

    /// The bytes a cell stands for.
    package func value(_ cell: Cell) -> [UInt8] {
        guard cell.isQuoted else { return Array(bytes[cell.range]) }
        var out: [UInt8] = []
        var i = cell.range.lowerBound
        while i < cell.range.upperBound {
            var byte = bytes[i]
            if byte == dialect.escape, i + 1 < cell.range.upperBound {
                i += 1
                byte = bytes[i]
            } else if byte == dialect.quote {
                i += 1
            }
            out.append(byte)
            i += 1
        }
        if let stray = cell.stray { out += bytes[stray] }
        return out
    }

    /// The text a cell stands for.
    package func text(_ cell: Cell) -> String { String(decoding: value(cell), as: UTF8.self) }
}
