// The cells of one row of an address book as their values, and which steps of the plan have any:
// the row is looked at once, and its empty columns never again.

/// The values of the row at hand; valid until the next row is loaded.
final class BookCells {
    /// The value of each column, without the guard of spreadsheets; empty where the cell is.
    let values: RawVector<CellSlice>
    /// A bit for each step with a cell that is not empty.
    let due: RawVector<UInt64>
    /// True when no cell has anything but white space.
    @exclusivity(unchecked) private(set) var isBlank = true
    /// The step of each column; -1 for columns that are left out.
    private let steps: RawVector<Int32>
    /// Values that differ from the bytes of the text.
    private let cleaned = RawVector<UInt8>(capacity: 256)

    init(stepOfColumn: [Int], count: Int) {
        values = RawVector(capacity: max(stepOfColumn.count, 1))
        values.append(repeating: .empty, count: stepOfColumn.count)
        steps = RawVector(capacity: max(stepOfColumn.count, 1))
        for step in stepOfColumn { steps.append(Int32(truncatingIfNeeded: step)) }
        let words = (count + 63) / 64
        due = RawVector(capacity: max(words, 1))
        due.append(repeating: 0, count: words)
    }

    deinit {
        values.destroy()
        due.destroy()
        steps.destroy()
        cleaned.destroy()
    }

    /// The value of a column; none for no column.
    @inline(__always)
    subscript(column: Int) -> CellSlice { column < 0 ? .empty : values.base[column] }

    /// Loads a row of a table of as many columns.
    func load(_ table: CellTable, _ row: Int) {
        let due = due.base
        for i in 0..<self.due.count { due[i] = 0 }
        cleaned.removeAll()
        var isBlank = true
        let width = min(table.width, values.count)
        let cells = table.cells.base + row &* table.width
        let values = values.base
        let steps = steps.base
        let text = table.text.baseAddress.map { $0 + table.origin }
        for column in 0..<width {
            let cell = Cell(raw: cells[column])
            let length = cell.length
            if length == 0 {
                values[column] = .empty
                continue
            }
            var value = CellSlice(start: text.map { $0 + cell.start }, count: length)
            if !cell.isClean { value = clean(cell, table, row) }
            if isBlank { isBlank = value.bytes.allSatisfy { $0 <= 0x20 } }
            if let start = value.start, start.load(as: UInt8.self) == 0x27,
                FormulaGuard.isGuarded(start.assumingMemoryBound(to: UInt8.self), value.count)
            {
                value = value.part(1, value.count)
            }
            values[column] = value
            let step = Int(steps[column])
            if step >= 0 { due[step &>> 6] |= 1 &<< UInt64(step & 63) }
        }
        self.isBlank = isBlank
    }

    /// The value of a cell with quotes or escapes inside.
    @inline(never)
    private func clean(_ cell: Cell, _ table: CellTable, _ row: Int) -> CellSlice {
        // Room for all values of the row at once, so that none of them moves.
        if cleaned.isEmpty {
            cleaned.reserve(adding: table.rows[row * 2 + 1] - table.rows[row * 2])
        }
        let start = cleaned.base + cleaned.count
        let count = table.clean(cell, into: start)
        _ = cleaned.extend(count)
        return CellSlice(start: UnsafeRawPointer(start), count: count)
    }
}
