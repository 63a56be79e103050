// Which bytes delimit and quote? Each candidate parses the sample; the one whose rows agree best
// with its header wins. A single column is a valid answer: then the comma stands.

extension CSVSniffer {
    /// The best-scoring candidate; nil for a text without rows.
    static func bestSample(
        _ text: UnsafeRawBufferPointer, _ dialect: CSVDialect, _ delimiters: [UInt8],
        _ known: Set<String>
    ) -> CSVSample? {
        var hasApostrophe = false
        var hasEscape = false
        var present = [Bool](repeating: false, count: 256)
        var last: UInt8 = 0
        for byte in text[..<min(text.count, sampleSize)] {
            present[Int(byte)] = true
            if byte == 0x22, last == 0x5C { hasEscape = true }
            last = byte
        }
        hasApostrophe = present[0x27]
        var best: CSVSample?
        var bestScore = -Double.infinity
        for (order, delimiter) in delimiters.enumerated() {
            if order > 0, !present[Int(delimiter)] { continue }
            for (quote, escape) in [(0x22, nil), (0x22, 0x5C), (0x27, nil)] as [(UInt8, UInt8?)] {
                if escape != nil, !hasEscape { continue }
                if quote == 0x27, !hasApostrophe { continue }
                var candidate = dialect
                candidate.delimiter = delimiter
                candidate.quote = quote
                candidate.escape = escape
                var sample = CSVSample(text, candidate)
                guard !sample.rows.isEmpty else { continue }
                sample.headerRow = headerRow(of: sample, known)
                var score = score(sample, known) - Double(order) * 0.01
                if escape != nil { score -= 0.002 }
                // Apostrophes are quotes only where they do quote something, and the usual quotes
                // do not.
                if quote == 0x27 {
                    if sample.quotedCells <= sample.otherQuotes { continue }
                    score -= 0.004
                }
                if score > bestScore {
                    bestScore = score
                    best = sample
                }
            }
        }
        return best
    }

    /// How well the rows of a sample hold together.
    private static func score(_ sample: CSVSample, _ known: Set<String>) -> Double {
        let header = sample.rows[sample.headerRow]
        let width = header.count
        let body = sample.rows[(sample.headerRow + 1)...]
        var score = 0.1
        if width > 1 {
            var agreeing = 0
            for row in body {
                let isTrailing = row.count == width + 1 && row[width].range.isEmpty
                if row.count == width || isTrailing { agreeing += 1 }
            }
            let share = body.isEmpty ? 1 : Double(agreeing) / Double(body.count)
            score = 1 + 2 * share + 0.02 * Double(min(width, 10))
            let names = header.indices.map { sample.parser.value(header[$0]) }
            if !names.contains(where: \.isEmpty), Set(names).count == width { score += 0.3 }
            // Colons stand in times and addresses: only a clean table is delimited by them.
            if sample.dialect.delimiter == 0x3A {
                if body.isEmpty { score -= 4 } else if share < 1 { score -= 2 }
            }
        }
        let cells = sample.rows.reduce(0) { $0 + $1.count }
        score -= 2 * Double(sample.oddCells) / Double(max(cells, 1))
        if sample.isOpen { score -= 1 }
        let hits = knownNames(sample, sample.headerRow, known)
        if hits >= 2 || (hits == 1 && width == 1) { score += 5 + 0.1 * Double(min(hits, 20)) }
        return score
    }

    /// How many cells of a row are names that were hoped for.
    static func knownNames(_ sample: CSVSample, _ row: Int, _ known: Set<String>) -> Int {
        guard !known.isEmpty else { return 0 }
        var hits = 0
        for cell in sample.rows[row] where cell.range.count <= 200 {
            let name = HeaderNames.fold(sample.parser.text(cell))
            if known.contains(name) || known.contains(firstOfItsKind(name)) { hits += 1 }
        }
        return hits
    }

    /// A folded name with 1 for its number: numbered columns are known by the first of them.
    private static func firstOfItsKind(_ name: String) -> String {
        var result = ""
        var isNumber = false
        for scalar in name.unicodeScalars {
            let isDigit = scalar.value &- 0x30 < 10
            if !isDigit {
                result.unicodeScalars.append(scalar)
            } else if !isNumber {
                result += "1"
            }
            isNumber = isDigit
        }
        return result
    }
}
