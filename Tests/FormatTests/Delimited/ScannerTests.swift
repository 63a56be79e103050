// The fast scanner against its slow twin, on random text made of the bytes that matter.

import Testing

@testable import Formats

/// Rows as the slow parser sees them: blank lines and comments left out, all cells as bytes.
///
/// A row whose last quote is open is cut at its line's end, as the scanner does.
private func slowRows(_ bytes: [UInt8], _ dialect: CSVDialect) -> (rows: [[[UInt8]]], broken: Int) {
    bytes.withUnsafeBytes { raw in
        var parser = DelimitedRowParser(raw, dialect, from: 0)
        var rows: [[[UInt8]]] = []
        var broken = 0
        func lineEnd(_ from: Int) -> Int {
            var i = from
            while i < raw.count, raw[i] != 10, raw[i] != 13 { i += 1 }
            if i + 1 < raw.count, raw[i] == 13, raw[i + 1] == 10 { return i + 2 }
            return min(i + 1, raw.count)
        }
        while true {
            let start = parser.position
            if start < raw.count, raw[start] == dialect.comment {
                parser.position = lineEnd(start)
                continue
            }
            guard let row = parser.next() else { break }
            if let open = row.last, open.isOpen {
                broken += 1
                parser.position = lineEnd(open.range.lowerBound - 1)
                continue
            }
            if row.count == 1, row[0].range.isEmpty, !row[0].isQuoted { continue }
            rows.append(row.map { parser.value($0) })
        }
        return (rows, broken)
    }
}

private func fastRows(_ bytes: [UInt8], _ dialect: CSVDialect, width: Int, maxRows: Int) -> (
    rows: [[[UInt8]]], broken: Int
) {
    bytes.withUnsafeBytes { raw in
        let table = CellTable(raw, dialect, width: width)
        var scanner = DelimitedScanner(from: 0)
        var all: [[[UInt8]]] = []
        var broken = 0
        while true {
            scanner.scan(into: table, maxRows: maxRows)
            if table.rowCount == 0, table.broken.isEmpty, table.comments == 0 { break }
            #expect(table.cells.count == table.rowCount * width)
            for row in 0..<table.rowCount {
                all.append((0..<width).map { Array(table.value(table.cell(row, $0))) })
                for extra in table.extras where extra.row == row {
                    while all[all.count - 1].count < extra.column { all[all.count - 1].append([]) }
                    all[all.count - 1].append(Array(table.value(extra.cell)))
                }
            }
            broken += table.broken.count
        }
        return (all, broken)
    }
}

/// Without empty cells at the end, which short rows are filled up with.
private func trimmed(_ rows: [[[UInt8]]]) -> [[[UInt8]]] {
    rows.map { row in
        var row = row
        while row.last?.isEmpty == true { row.removeLast() }
        return row
    }
}

@Suite struct ScannerTests {
    @Test(arguments: 0..<3000)
    func agreesWithTheSlowParser(_ seed: Int) {
        var random = SeededGenerator(UInt64(seed))
        var dialect = CSVDialect()
        if seed % 3 == 1 { dialect.escape = 0x5C }
        if seed % 5 == 1 { dialect.comment = 0x23 }
        if seed % 7 == 1 { dialect.quote = nil }
        if seed % 11 == 1 { dialect.delimiter = 9 }
        let alphabet: [UInt8] = [
            0x2C, 0x2C, 0x22, 0x22, 10, 13, 0x5C, 0x23, 0x61, 0x62, 0xC3, 9,
        ]
        var bytes: [UInt8] = []
        let length = Int(random.next() % (seed % 2 == 0 ? 30 : 300))
        let calm = random.next() % 3
        for _ in 0..<length {
            let isSpecial = calm == 0 || random.next() % (calm * 8) == 0
            bytes.append(isSpecial ? alphabet[Int(random.next() % 12)] : 0x78)
        }
        let slow = slowRows(bytes, dialect)
        for width in [1, 3, 8] {
            let fast = fastRows(bytes, dialect, width: width, maxRows: 1 + seed % 5)
            #expect(trimmed(fast.rows) == trimmed(slow.rows), "seed \(seed), width \(width)")
            #expect(fast.broken == slow.broken, "seed \(seed)")
        }
    }

    @Test func rowsTakenOutLeaveTheOthers() {
        let text = Array("a,b\nc,d\ne,f,g\nh,i,j\n".utf8)
        text.withUnsafeBytes { raw in
            let table = CellTable(raw, CSVDialect(), width: 2)
            var scanner = DelimitedScanner(from: 0)
            scanner.scan(into: table, maxRows: 10)
            table.remove(rows: [0, 2])
            #expect(table.rowCount == 2)
            #expect(Array(table.value(table.cell(0, 0))) == Array("c".utf8))
            #expect(Array(table.value(table.cell(1, 1))) == Array("i".utf8))
            #expect(table.extras.map(\.row) == [1])
            #expect(Array(table.verbatim(1)) == Array("h,i,j\n".utf8))
        }
    }
}
