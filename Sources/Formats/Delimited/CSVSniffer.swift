// What dialect is this text in? The questions are answered one a file: which bytes delimit and
// quote (`CSVSniffer+Delimiter`), where the table begins (`+Preamble`), whether it has names
// (`+Header`). All of them look at the first 64 KiB, parsed as rows, never at physical lines.

/// Finds the dialect of a delimited text.
public enum CSVSniffer {
    /// The part of the text that is looked at.
    static let sampleSize = 64 << 10
    /// The rows of it that are looked at.
    static let sampleRows = 200
    /// Titles and notes before the header are looked for this far.
    static let preambleLimit = 30

    /// The dialect of a delimited file's bytes, its encoding included.
    /// - Parameters:
    ///   - bytes: the file, or at least its first 64 KiB.
    ///   - knownHeaders: names that a header of this text may hold; the strongest hint.
    public static func sniff(
        _ bytes: UnsafeRawBufferPointer, knownHeaders: [String] = []
    ) -> CSVDialect {
        let found = Charset.detect(bytes)
        let sample = UnsafeRawBufferPointer(rebasing: bytes[..<min(bytes.count, sampleSize * 2)])
        if found.charset.isUTF8 {
            let text = UnsafeRawBufferPointer(rebasing: sample[found.markLength...])
            return sniff(text: text, charset: found.charset, knownHeaders: knownHeaders)
        }
        let out = RawVector<UInt8>(capacity: 64)
        defer { out.destroy() }
        found.charset.decode(sample, into: out)
        return sniff(
            text: UnsafeRawBufferPointer(out.elements), charset: found.charset,
            knownHeaders: knownHeaders)
    }

    /// How sure it is that bytes are a delimited text, 0...100; other formats have better signs.
    static func likelihood(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard !bytes.isEmpty else { return 0 }
        let head = UnsafeRawBufferPointer(rebasing: bytes[..<min(bytes.count, 16 << 10)])
        let found = Charset.detect(head)
        let out = RawVector<UInt8>(capacity: 64)
        defer { out.destroy() }
        found.charset.decode(head, into: out)
        let text = UnsafeRawBufferPointer(out.elements)
        for byte in text where byte < 9 || (byte > 13 && byte < 32) { return 0 }
        if separatorLine(text) != nil { return 90 }
        var dialect = CSVDialect()
        dialect.encoding = found.charset.name
        let delimiters: [UInt8] = [0x2C, 0x3B, 0x09, 0x7C]
        guard let best = bestSample(text, dialect, delimiters, []) else { return 0 }
        let width = best.rows[best.headerRow].count
        let body = best.rows[(best.headerRow + 1)...]
        let agreeing = body.count { $0.count == width }
        if width > 1, !body.isEmpty, agreeing * 10 >= body.count * 9 { return 40 }
        return width > 1 ? 10 : 1
    }

    /// The dialect of a text that is UTF-8 without a mark.
    static func sniff(
        text: UnsafeRawBufferPointer, charset: Charset, knownHeaders: [String],
        delimiter: UInt8? = nil
    ) -> CSVDialect {
        let known = Set(knownHeaders.map(HeaderNames.fold))
        var dialect = CSVDialect()
        dialect.encoding = charset.name
        var delimiters: [UInt8] = [0x2C, 0x3B, 0x09, 0x7C, 0x3A]
        if let line = separatorLine(text) {
            dialect.delimiter = line.delimiter
            dialect.start = line.end
            dialect.preambleRows = 1
            delimiters = [line.delimiter]
        }
        if let delimiter {
            dialect.delimiter = delimiter
            delimiters = [delimiter]
        }
        guard let best = bestSample(text, dialect, delimiters, known) else { return dialect }
        dialect = best.dialect
        let header = best.headerRow
        if header < best.starts.count { dialect.start = best.starts[header] }
        dialect.preambleRows += header
        dialect.preambleRows += best.commentStarts.count { $0 < dialect.start }
        dialect.hasHeader = hasHeader(best, known)
        return dialect
    }

    /// Excel's `sep=;` as the first line: the delimiter it names, and where the line ends.
    static func separatorLine(_ text: UnsafeRawBufferPointer) -> (delimiter: UInt8, end: Int)? {
        var i = text.first == 0x22 ? 1 : 0
        let isQuoted = i == 1
        for c in "sep=".utf8 {
            guard i < text.count, text[i] | (c == 0x3D ? 0 : 0x20) == c else { return nil }
            i += 1
        }
        guard i < text.count, text[i] != 10, text[i] != 13, text[i] < 0x80 else { return nil }
        let delimiter = text[i]
        i += 1
        if isQuoted {
            guard i < text.count, text[i] == 0x22 else { return nil }
            i += 1
        }
        if i == text.count { return (delimiter, i) }
        guard text[i] == 10 || text[i] == 13 else { return nil }
        let isPair = text[i] == 13 && i + 1 < text.count && text[i + 1] == 10
        return (delimiter, i + (isPair ? 2 : 1))
    }
}

/// The first rows of a text in one candidate dialect.
struct CSVSample {
    var dialect: CSVDialect
    let parser: DelimitedRowParser
    /// The rows that are neither empty nor comments.
    var rows: [[DelimitedRowParser.Cell]] = []
    /// Where each of them begins.
    var starts: [Int] = []
    /// Cells in proper quotes.
    var quotedCells = 0
    /// Cells with quotes where none belong.
    var oddCells = 0
    /// Cells that begin with the usual quote where another one is tried.
    var otherQuotes = 0
    /// The last quote has no end.
    var isOpen = false
    /// The row that holds the names, or the first row.
    var headerRow = 0
    /// Where lines begin that are comments.
    private(set) var commentStarts: [Int] = []

    init(_ text: UnsafeRawBufferPointer, _ dialect: CSVDialect) {
        self.dialect = dialect
        let isCut = text.count > CSVSniffer.sampleSize + dialect.start
        let sample = UnsafeRawBufferPointer(
            rebasing: text[..<min(text.count, CSVSniffer.sampleSize + dialect.start)])
        var parser = DelimitedRowParser(sample, dialect, from: dialect.start)
        var comments: [Int] = []
        while rows.count < CSVSniffer.sampleRows {
            let start = parser.position
            guard let row = parser.next() else { break }
            if isCut, parser.position >= sample.count, !rows.isEmpty { break }
            if row.count == 1, row[0].range.isEmpty, !row[0].isQuoted { continue }
            if sample[start] == 0x23 { comments.append(rows.count) }
            rows.append(row)
            starts.append(start)
            for cell in row {
                if cell.isQuoted, cell.stray == nil { quotedCells += 1 }
                if cell.hasLoneQuote || cell.stray != nil { oddCells += 1 }
                if cell.isOpen { isOpen = true }
                if dialect.quote != 0x22, !cell.isQuoted,
                    sample[cell.range].first(where: { $0 != 0x20 }) == 0x22
                {
                    otherQuotes += 1
                }
            }
        }
        self.parser = parser
        dropComments(comments)
    }

    /// Lines beginning with `#` are comments when none of them has the shape of the other rows.
    private mutating func dropComments(_ comments: [Int]) {
        guard !comments.isEmpty, comments.count < rows.count else { return }
        let others = rows.indices.filter { !comments.contains($0) }
        let width = rows[others[0]].count
        if width > 1, comments.contains(where: { rows[$0].count == width }) { return }
        // A single column of words may well hold a word that begins with `#`.
        if width == 1, comments[0] != 0 { return }
        dialect.comment = 0x23
        commentStarts = comments.map { starts[$0] }
        rows = others.map { rows[$0] }
        starts = others.map { starts[$0] }
    }

    /// The text of a cell.
    func text(_ row: Int, _ column: Int) -> String { parser.text(rows[row][column]) }
}
