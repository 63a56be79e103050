// The cells of some thousand rows as flat records: where each begins, how long it is and how it
// was quoted. The scanner fills it; readers then go through it column by column.

/// One cell: 32 bits of offset, 30 of length, 2 of kind.
struct Cell {
    /// How a cell stood in the text.
    enum Kind {
        /// Not quoted: the bytes are the value.
        static let plain: UInt64 = 0
        /// Quoted, the range is what stands between the quotes: the bytes are the value.
        static let quoted: UInt64 = 1
        /// The same with doubled or escaped quotes inside.
        static let escaped: UInt64 = 2
        /// The range begins with the opening quote, and text follows the closing one.
        static let stray: UInt64 = 3
    }

    let raw: UInt64

    @inline(__always) init(raw: UInt64) { self.raw = raw }

    @inline(__always) init(start: Int, length: Int, kind: UInt64) {
        raw =
            UInt64(truncatingIfNeeded: start) &<< 32 | UInt64(truncatingIfNeeded: length) &<< 2
            | kind
    }

    /// A cell without quotes.
    @inline(__always) init(plain start: Int, length: Int) {
        raw = UInt64(truncatingIfNeeded: start) &<< 32 | UInt64(truncatingIfNeeded: length) &<< 2
    }

    @inline(__always) var start: Int { Int(truncatingIfNeeded: raw &>> 32) }
    @inline(__always) var length: Int { Int(truncatingIfNeeded: (raw & 0xFFFF_FFFF) &>> 2) }
    @inline(__always) var kind: UInt64 { raw & 3 }
    /// Nothing at all between two delimiters.
    @inline(__always) var isBlank: Bool { raw & 0xFFFF_FFFF == 0 }
    /// The bytes of the range are the value.
    @inline(__always) var isClean: Bool { raw & 2 == 0 }
}

/// The cells of a batch of rows.
final class CellTable {
    /// A cell beyond the table's width.
    struct Extra {
        var row: Int
        var column: Int
        var cell: Cell
    }

    /// A row the scanner could not read.
    struct Broken {
        enum Reason { case openQuote, tooLarge }
        var reason: Reason
        var start: Int
        var end: Int
        /// How many good rows stood before it in this table.
        var before: Int
    }

    /// Cells a row; shorter rows are filled up with blank cells.
    let width: Int
    /// `rowCount * width` cells, row by row.
    let cells: RawVector<UInt64>
    /// Two numbers a row: where it begins and where it ends, line end included.
    let rows: RawVector<Int>
    /// Cells that had no column and are not blank.
    var extras: [Extra] = []
    /// Rows that are no rows.
    var broken: [Broken] = []
    /// Rows with fewer cells than the width.
    var shortRows = 0
    /// Cells with text after their closing quote.
    var strayCells = 0
    /// Lines passed over as comments.
    var comments = 0
    /// The text's byte that cell offsets count from.
    var origin = 0
    /// Bytes of the text.
    let text: UnsafeRawBufferPointer
    let dialect: CSVDialect
    /// Room for the last, incomplete block of the text.
    let tail: RawVector<UInt8>
    /// Cells whose value differs from their bytes are rewritten here.
    let scratch: RawVector<UInt8>

    init(_ text: UnsafeRawBufferPointer, _ dialect: CSVDialect, width: Int) {
        self.text = text
        self.dialect = dialect
        self.width = width
        cells = RawVector(capacity: 64)
        rows = RawVector(capacity: 64)
        tail = RawVector(capacity: 64)
        scratch = RawVector(capacity: 64)
        tail.append(repeating: 0, count: 64)
    }

    deinit {
        cells.destroy()
        rows.destroy()
        tail.destroy()
        scratch.destroy()
    }

    var rowCount: Int { rows.count / 2 }

    func removeAll() {
        cells.removeAll()
        rows.removeAll()
        extras.removeAll(keepingCapacity: true)
        broken.removeAll(keepingCapacity: true)
        shortRows = 0
        strayCells = 0
        comments = 0
    }

    /// Makes unquoted cells of this text blank.
    func blank(_ word: String) {
        let word = Array(word.utf8)
        guard !word.isEmpty else { return }
        for i in 0..<cells.count {
            let cell = Cell(raw: cells[i])
            guard cell.kind == Cell.Kind.plain, cell.length == word.count,
                value(cell).elementsEqual(word)
            else { continue }
            cells[i] = Cell(plain: cell.start, length: 0).raw
        }
    }

    /// Takes rows out, given in ascending order, with their extra cells.
    func remove(rows bad: [Int]) {
        extras = extras.compactMap { extra in
            guard let place = bad.firstIndex(where: { $0 >= extra.row }) else {
                return Extra(row: extra.row - bad.count, column: extra.column, cell: extra.cell)
            }
            if bad[place] == extra.row { return nil }
            return Extra(row: extra.row - place, column: extra.column, cell: extra.cell)
        }
        var kept = 0
        var next = 0
        for row in 0..<rowCount {
            if next < bad.count, bad[next] == row {
                next += 1
                continue
            }
            if kept != row {
                rows[kept * 2] = rows[row * 2]
                rows[kept * 2 + 1] = rows[row * 2 + 1]
                (cells.base + kept * width).update(from: cells.base + row * width, count: width)
            }
            kept += 1
        }
        rows.truncate(to: kept * 2)
        cells.truncate(to: kept * width)
    }

    @inline(__always)
    func cell(_ row: Int, _ column: Int) -> Cell {
        Cell(raw: cells.base[row &* width &+ column])
    }

    /// True when a row has nothing but white space without quotes.
    func isBlank(row: Int) -> Bool {
        if extras.contains(where: { $0.row == row }) { return false }
        for column in 0..<width {
            let cell = cell(row, column)
            if cell.kind != Cell.Kind.plain { return false }
            for c in value(cell) where c > 0x20 { return false }
        }
        return true
    }

    /// The bytes a cell stands for; valid until the next call.
    @inline(__always)
    func value(_ cell: Cell) -> UnsafeRawBufferPointer {
        if cell.isClean {
            return UnsafeRawBufferPointer(
                start: text.baseAddress.map { $0 + (origin &+ cell.start) }, count: cell.length)
        }
        scratch.removeAll()
        scratch.reserve(adding: cell.length)
        let count = clean(cell, into: scratch.base)
        return UnsafeRawBufferPointer(start: scratch.base, count: count)
    }

    /// Writes the value of a cell that is not clean; never more than the cell's length.
    func clean(_ cell: Cell, into out: UnsafeMutablePointer<UInt8>) -> Int {
        guard let base = text.baseAddress else { return 0 }
        let quote = dialect.quote ?? 0
        let escape = dialect.escape
        let isStray = cell.kind == Cell.Kind.stray
        var i = origin + cell.start + (isStray ? 1 : 0)
        let end = origin + cell.start + cell.length
        var n = 0
        while i < end {
            var byte = base.load(fromByteOffset: i, as: UInt8.self)
            if byte == escape, i + 1 < end {
                i += 1
                byte = base.load(fromByteOffset: i, as: UInt8.self)
            } else if byte == quote {
                i += 1
                let isPair = i < end && base.load(fromByteOffset: i, as: UInt8.self) == quote
                if !isPair {
                    // The closing quote: what follows is taken as it stands.
                    while i < end {
                        out[n] = base.load(fromByteOffset: i, as: UInt8.self)
                        n += 1
                        i += 1
                    }
                    return n
                }
            }
            out[n] = byte
            n += 1
            i += 1
        }
        return n
    }

    /// The bytes of a row as they stand in the text, line end included.
    func verbatim(_ row: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: text[rows[row * 2]..<rows[row * 2 + 1]])
    }
}
