// Does the first row hold names or data? Names that are known settle it, and so does an e-mail
// address; else the columns vote: a name stands out from the numbers or dates below it, a number
// above numbers does not.

extension CSVSniffer {
    /// What a cell looks like.
    private enum Look { case blank, number, date, email, text }

    /// Whether the row the table begins with holds names.
    static func hasHeader(_ sample: CSVSample, _ known: Set<String>) -> Bool {
        let header = sample.headerRow
        let width = sample.rows[header].count
        let hits = knownNames(sample, header, known)
        if hits >= 2 || (hits >= 1 && hits == width) { return true }
        var votes = 0
        var blanks = 0
        for column in 0..<width {
            let name = look(sample, header, column)
            if name == .email { return false }
            if name == .blank {
                blanks += 1
                continue
            }
            var common: Look?
            var isMixed = false
            for row in sample.rows[(header + 1)...].indices.prefix(50)
            where column < sample.rows[row].count {
                let value = look(sample, row, column)
                if value == .blank { continue }
                if let common, common != value { isMixed = true }
                common = value
            }
            guard let common, !isMixed else {
                // No rows to compare with, or of all kinds: numbers are no names.
                if name != .text { votes -= 1 }
                continue
            }
            if common == .text {
                if name != .text { votes -= 1 }
            } else {
                votes += name == common ? -1 : 1
            }
        }
        return votes >= 0 || blanks == width
    }

    private static func look(_ sample: CSVSample, _ row: Int, _ column: Int) -> Look {
        let cell = sample.rows[row][column]
        if cell.range.isEmpty { return .blank }
        guard cell.range.count <= 64 else { return .text }
        if cell.hasEscapes || cell.stray != nil {
            var text = HeaderNames.trim(sample.text(row, column))
            return text.withUTF8 { look(UnsafeRawBufferPointer($0)) }
        }
        let bytes = sample.parser.bytes
        if let first = cell.range.first, let last = cell.range.last,
            bytes[first] <= 0x20 || bytes[first] > 0x7E || bytes[last] <= 0x20 || bytes[last] > 0x7E
        {
            // Space around a name is no part of it.
            var text = HeaderNames.trim(sample.text(row, column))
            return text.withUTF8 { look(UnsafeRawBufferPointer($0)) }
        }
        return look(UnsafeRawBufferPointer(rebasing: bytes[cell.range]))
    }

    private static func look(_ text: UnsafeRawBufferPointer) -> Look {
        if text.isEmpty { return .blank }
        var digits = 0
        var marks = 0
        var others = 0
        var ats = 0
        for byte in text {
            switch byte {
            case 0x30...0x39: digits += 1
            case 0x2B, 0x2D, 0x2E, 0x2C, 0x20: break
            case 0x2F, 0x3A, 0x54, 0x5A: marks += 1
            case 0x40: ats += 1
            default: others += 1
            }
        }
        if ats == 1, others > 0, !text.contains(0x20) { return .email }
        if others > 0 || ats > 0 || digits == 0 { return .text }
        return marks > 0 ? .date : .number
    }
}
