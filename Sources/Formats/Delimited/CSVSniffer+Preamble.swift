// Where does the table begin? Exports put titles, notes and dates before the header: the header is
// the first row with names that are known, else the first row of a table that is plainly wider
// than what stands before it.

extension CSVSniffer {
    /// The row of the sample that holds the names (or the first data).
    static func headerRow(of sample: CSVSample, _ known: Set<String>) -> Int {
        let limit = min(sample.rows.count, preambleLimit)
        if !known.isEmpty {
            // A line `Notes:` of a preamble is a known name, too, so several names go first.
            var lone: Int?
            for row in 0..<limit {
                let hits = knownNames(sample, row, known)
                if hits >= 2 { return row }
                if hits == 1, sample.rows[row].count == 1, lone == nil { lone = row }
            }
            if let lone { return lone }
        }
        guard sample.rows[0].count == 1 else { return 0 }
        guard let first = (1..<max(limit, 1)).first(where: { sample.rows[$0].count > 1 }) else {
            return 0
        }
        let width = sample.rows[first].count
        let body = sample.rows[(first + 1)...]
        let agreeing = body.filter { $0.count == width }.count
        guard width >= 3 || agreeing >= 3, agreeing * 10 >= body.count * 9, !body.isEmpty else {
            return 0
        }
        for row in sample.rows[..<first] where !isTitle(row[0], sample) { return 0 }
        return first
    }

    /// A line of prose: quoted, or without many bytes that could delimit something.
    private static func isTitle(_ cell: DelimitedRowParser.Cell, _ sample: CSVSample) -> Bool {
        if cell.isQuoted { return true }
        var delimiters = 0
        for byte in sample.parser.bytes[cell.range] {
            if byte == 0x2C || byte == 0x3B || byte == 0x09 || byte == 0x7C { delimiters += 1 }
        }
        return delimiters <= 2
    }
}
