// From the cells of a batch to the vectors of its columns, one column after the other. Each kind of
// value has its own loop, so that nothing is decided per cell that is known per column.

extension CSVReader {
    /// Decodes all columns of the batch from the table's rows, and notes bad rows in `problems`.
    func decode(_ batch: RecordBatch) throws(FormatError) {
        problems.removeAll(keepingCapacity: true)
        emptied = 0
        zoneless = 0
        let key = missingKey
        for (i, column) in batch.columns.enumerated() where column.isWanted {
            if let place = columnOfProperty[i] {
                try decode(column, from: place)
            } else if i != key {
                fillMissing(column)
            }
        }
    }

    private func decode(_ column: Column, from index: Int) throws(FormatError) {
        switch column.layout {
        case .collection, .object: return try decodeJSON(column, index)
        case .word, .pair, .bytes: break
        }
        switch column.type {
        case .string: decodeStrings(column, index)
        case .int: decodeWords(column, index, "a whole number") { CellText.int($0) }
        case .bool: decodeWords(column, index, "true or false") { CellText.bool($0) }
        case .double:
            decodeWords(column, index, "a number") {
                CellText.double($0).map { Int64(bitPattern: $0.bitPattern) }
            }
        case .float:
            decodeWords(column, index, "a number") {
                CellText.float($0).map { Int64($0.bitPattern) }
            }
        case .objectId:
            decodePairs(column, index, "an ObjectId of 24 hex digits") { CellText.objectID($0) }
        case .uuid:
            decodePairs(column, index, "a UUID") {
                ScalarText.uuid($0).map {
                    (Int64(bitPattern: $0.high), Int64(bitPattern: $0.low))
                }
            }
        case .decimal128:
            decodePairs(column, index, "a decimal number") {
                ScalarText.decimal($0).map {
                    (Int64(bitPattern: $0.low), Int64(bitPattern: $0.high))
                }
            }
        case .date:
            decodePairs(column, index, "a date such as 2016-04-14T08:32:57Z") { bytes in
                if let date = ScalarText.date(bytes) {
                    return (date.seconds, Int64(date.nanoseconds))
                }
                guard let (date, isZoneless) = CellText.looseDate(bytes) else { return nil }
                if isZoneless { zoneless += 1 }
                return (date.seconds, Int64(date.nanoseconds))
            }
        case .data: decodeData(column, index)
        case .link: try decodeLinks(column, index)
        case .mixed, .table: try decodeJSON(column, index)
        }
    }

    // MARK: Fixed-size values

    /// The bytes of a cell.
    @inline(__always)
    private func value(_ cell: Cell, _ base: UnsafeRawPointer) -> UnsafeRawBufferPointer {
        cell.isClean
            ? UnsafeRawBufferPointer(start: base + cell.start, count: cell.length)
            : table.value(cell)
    }

    @inline(__always)
    private func decodeWords(
        _ column: Column, _ index: Int, _ expected: StaticString,
        _ parse: (UnsafeRawBufferPointer) -> Int64?
    ) {
        guard let base = table.text.baseAddress.map({ $0 + table.origin }) else { return }
        let count = table.rowCount
        let width = table.width
        let cells = table.cells.base + index
        let words = column.words.extend(count)
        let nulls = column.nulls.extend(count)
        for row in 0..<count {
            let cell = Cell(raw: cells[row &* width])
            if cell.length > 0, let word = parse(value(cell, base)) {
                words[row] = word
                nulls[row] = 0
                continue
            }
            words[row] = 0
            nulls[row] = 1
            guard let trimmed = odd(cell, row, column, expected) else { continue }
            if let word = parse(trimmed) {
                words[row] = word
                nulls[row] = 0
            } else {
                bad(row, cell, column, expected)
            }
        }
    }

    @inline(__always)
    private func decodePairs(
        _ column: Column, _ index: Int, _ expected: StaticString,
        _ parse: (UnsafeRawBufferPointer) -> (Int64, Int64)?
    ) {
        guard let base = table.text.baseAddress.map({ $0 + table.origin }) else { return }
        let count = table.rowCount
        let width = table.width
        let cells = table.cells.base + index
        let words = column.words.extend(count)
        let extra = column.extra.extend(count)
        let nulls = column.nulls.extend(count)
        for row in 0..<count {
            let cell = Cell(raw: cells[row &* width])
            if cell.length > 0, let pair = parse(value(cell, base)) {
                (words[row], extra[row]) = pair
                nulls[row] = 0
                continue
            }
            words[row] = 0
            extra[row] = 0
            nulls[row] = 1
            guard let trimmed = odd(cell, row, column, expected) else { continue }
            if let pair = parse(trimmed) {
                (words[row], extra[row]) = pair
                nulls[row] = 0
            } else {
                bad(row, cell, column, expected)
            }
        }
    }

    /// A cell that did not parse: empty is null (or bad when required), else the text without the
    /// space around it, for another try.
    @inline(never)
    private func odd(_ cell: Cell, _ row: Int, _ column: Column, _ expected: StaticString)
        -> UnsafeRawBufferPointer?
    {
        let trimmed = CellText.trim(table.value(cell))
        if !trimmed.isEmpty { return trimmed }
        // Keys that are missing may be made later.
        let isKey = column.property.name == schema.classes[classIndex].primaryKey
        if !column.property.isOptional, !isKey || hooks.makeKeys == nil {
            note(
                row, cell, column,
                FormatError(
                    .missingValue, "the cell is empty, \(expected) is required",
                    property: column.property.name))
        }
        return nil
    }

    @inline(never)
    private func bad(_ row: Int, _ cell: Cell, _ column: Column, _ expected: StaticString) {
        let text = String(decoding: table.value(cell).prefix(40), as: UTF8.self)
        note(
            row, cell, column,
            FormatError(
                .badValue, "\"\(text)\" is not \(expected)", property: column.property.name))
    }

    private func note(_ row: Int, _ cell: Cell, _ column: Column, _ error: FormatError) {
        guard problems[row] == nil else { return }
        problems[row] = error.with {
            $0.offset = table.origin + cell.start
            $0.property = column.property.name
        }
    }

    // MARK: Text

    private func decodeStrings(_ column: Column, _ index: Int) {
        guard let base = table.text.baseAddress.map({ $0 + table.origin }) else { return }
        let count = table.rowCount
        let width = table.width
        let cells = table.cells.base + index
        var total = 0
        for row in 0..<count { total &+= Cell(raw: cells[row &* width]).length }
        let before = column.bytes.count
        // Values are copied 16 bytes at a time: the room behind them may be written and read.
        column.bytes.reserve(adding: total + 16)
        let to = column.bytes.base
        let ends = column.ends.extend(count)
        let nulls = column.nulls.extend(count)
        let safe = table.text.count - table.origin - 16
        let isOptional = column.property.isOptional
        var end = before
        for row in 0..<count {
            let cell = Cell(raw: cells[row &* width])
            let length = cell.length
            let isBlank = cell.isBlank
            nulls[row] = isBlank && isOptional ? 1 : 0
            if length == 0 {
                if isBlank, !isOptional { emptied &+= 1 }
            } else if cell.isClean, length <= 16, cell.start <= safe {
                let from = base + cell.start
                let v = from.loadUnaligned(as: SIMD16<UInt8>.self)
                UnsafeMutableRawPointer(to + end).storeBytes(of: v, as: SIMD16<UInt8>.self)
                end &+= length
                if v[0] == 0x27, stripsGuards { unguard(to, end - length, &end) }
            } else {
                if length > ValueLimit.bytes, limitsValues { tooLong(row, cell, column) }
                let start = end
                if cell.isClean {
                    UnsafeMutableRawPointer(to + end).copyMemory(
                        from: base + cell.start, byteCount: length)
                    end &+= length
                } else {
                    end &+= table.clean(cell, into: to + end)
                }
                if to[start] == 0x27, stripsGuards { unguard(to, start, &end) }
            }
            ends[row] = end
        }
        _ = column.bytes.extend(end - before)
    }

    /// Takes off the `'` that spreadsheets (and our writer) put before a formula sign.
    @inline(never)
    private func unguard(_ bytes: UnsafeMutablePointer<UInt8>, _ start: Int, _ end: inout Int) {
        guard FormulaGuard.isGuarded(bytes + start, end - start) else { return }
        (bytes + start).update(from: bytes + start + 1, count: end - start - 1)
        end -= 1
    }

    private func tooLong(_ row: Int, _ cell: Cell, _ column: Column) {
        note(
            row, cell, column,
            FormatError(
                .limitExceeded,
                "the value has \(cell.length) bytes; a store holds \(ValueLimit.bytes) at most")
        )
    }

    private func decodeData(_ column: Column, _ index: Int) {
        for row in 0..<table.rowCount {
            let cell = table.cell(row, index)
            if cell.isBlank {
                if column.property.isOptional {
                    column.appendNull()
                } else {
                    emptied += 1
                    column.closeBytes()
                }
                continue
            }
            if cell.length / 4 * 3 > ValueLimit.bytes, limitsValues { tooLong(row, cell, column) }
            if !ScalarText.base64(table.value(cell), into: column.bytes) {
                bad(row, cell, column, "base64 text")
            }
            column.closeBytes()
        }
    }

    // MARK: Through the hooks

    private func decodeLinks(_ column: Column, _ index: Int) throws(FormatError) {
        for row in 0..<table.rowCount {
            let cell = table.cell(row, index)
            let text = table.value(cell)
            if text.isEmpty {
                column.appendNull()
                continue
            }
            var key: Int64?
            if let resolve = hooks.resolveLink {
                do throws(FormatError) {
                    key = try resolve(text, column)
                } catch {
                    note(row, cell, column, error)
                }
            } else {
                key = ScalarText.int(CellText.trim(text))
            }
            if let key {
                column.append(word: key)
            } else {
                column.appendNull()
                note(
                    row, cell, column,
                    FormatError(
                        .danglingLink,
                        "no \(column.property.target ?? "object") is named by this cell"))
            }
        }
    }

    /// `[]` and `{}` are most of what lists and dictionaries hold.
    private func isEmptyList(_ cell: Cell, _ column: Column) -> Bool {
        guard cell.length == 2, column.layout == .collection else { return false }
        let text = table.value(cell)
        return column.property.collection == .dictionary
            ? text[0] == 0x7B && text[1] == 0x7D : text[0] == 0x5B && text[1] == 0x5D
    }

    private func decodeJSON(_ column: Column, _ index: Int) throws(FormatError) {
        for row in 0..<table.rowCount {
            let cell = table.cell(row, index)
            if cell.length == 0 || isEmptyList(cell, column) {
                if column.layout == .object, !column.property.isOptional {
                    note(
                        row, cell, column,
                        FormatError(.missingValue, "the cell is empty, an object is required"))
                }
                column.appendNull()
                continue
            }
            guard let jsonCell = hooks.jsonCell else {
                throw FormatError(
                    .unsupported, "JSON text in cells is not read here", file: document.input.name,
                    property: column.property.name)
            }
            do throws(FormatError) {
                try jsonCell(table.value(cell), column)
            } catch {
                // What was read of the value before its fault goes, too.
                column.truncate(to: row)
                note(row, cell, column, error)
            }
            if column.count == row { column.appendNull() }
        }
    }

    // MARK: Columns the text has not

    /// Nulls, or for a required property its zero.
    private func fillMissing(_ column: Column) {
        let count = table.rowCount
        let isNull: UInt8 = column.property.isOptional ? 1 : 0
        switch column.layout {
        case .word, .pair:
            column.words.append(repeating: 0, count: count)
            if column.layout == .pair { column.extra.append(repeating: 0, count: count) }
            column.nulls.append(repeating: isNull, count: count)
        case .bytes:
            column.ends.append(repeating: 0, count: count)
            // A mixed value without bytes can only be null.
            column.nulls.append(
                repeating: column.type == .mixed ? 1 : isNull, count: count)
        case .object, .collection:
            for _ in 0..<count { column.appendNull() }
        }
    }
}
