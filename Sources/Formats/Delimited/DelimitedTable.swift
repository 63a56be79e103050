// A small delimited file with a known header, row by row as texts: for formats of other programs,
// whose columns mean fixed things. Rows of any class go through the CSV room instead.

/// A delimited file read by the names of its columns.
final class DelimitedTable {
    /// The names of the header, trimmed.
    let headers: [String]
    /// The file's name, for messages.
    let name: String
    /// The line the last row began on, counted when asked for.
    var line: Int { lineNumber(at: rowStart) }

    private let text: DelimitedText
    private let context: ExchangeContext
    private var parser: DelimitedRowParser
    private var rowStart = 0
    private var heading = 0..<0
    /// Where the last row begins.
    var place: Int { rowStart }
    private let columns: [String: Int]

    /// Opens an input whose header holds some of the known names.
    init(_ input: InputBytes, knownHeaders: [String], context: ExchangeContext) throws(FormatError)
    {
        self.context = context
        name = input.name
        let text = try DelimitedText(input, words: knownHeaders, context: context)
        self.text = text
        let dialect = CSVSniffer.sniff(
            text: text.bytes, charset: text.charset, knownHeaders: knownHeaders)
        var parser = DelimitedRowParser(
            text.bytes, dialect, from: min(dialect.start, text.bytes.count))
        var names: [String] = []
        var start = parser.position
        while let row = parser.next() {
            defer { start = parser.position }
            heading = start..<parser.position
            names = row.map { HeaderNames.trim(parser.text($0)) }
            if names.contains(where: { !$0.isEmpty }) { break }
        }
        self.parser = parser
        headers = names
        var columns: [String: Int] = [:]
        for (i, name) in names.enumerated() where columns[HeaderNames.fold(name)] == nil {
            columns[HeaderNames.fold(name)] = i
        }
        self.columns = columns
    }

    /// The position of a column by any of its names.
    func column(_ names: String...) -> Int? {
        for name in names {
            if let i = columns[HeaderNames.fold(name)] { return i }
        }
        return nil
    }

    /// The cells of the next row that is not blank, nil at the end; at least as many as headers.
    func next() -> [String]? {
        while true {
            rowStart = parser.position
            guard let row = parser.next() else { return nil }
            var cells = row.map { parser.text($0) }
            if cells.allSatisfy(\.isEmpty) { continue }
            if cells.count > headers.count {
                for (i, cell) in cells.enumerated().dropFirst(headers.count) where !cell.isEmpty {
                    context.report.note(
                        .lost, "extra-cell", source: name, line: line, value: cell,
                        action: "cell \(i + 1) of a row has no column")
                }
            }
            while cells.count < headers.count { cells.append("") }
            return cells
        }
    }

    /// The row that begins at a place, as it stands in the text.
    func text(at place: Int) -> RowText? {
        var parser = parser
        parser.position = place
        guard parser.next() != nil else { return nil }
        return RowText(
            bytes: Array(text.bytes[place..<parser.position]),
            heading: Array(text.bytes[heading]), file: name)
    }

    private var counted = (offset: 0, line: 1)

    /// Offsets asked for in rising order cost one walk.
    private func lineNumber(at offset: Int) -> Int {
        if offset < counted.offset { counted = (0, 1) }
        for c in text.bytes[counted.offset..<min(offset, text.bytes.count)] where c == 10 {
            counted.line += 1
        }
        counted.offset = min(offset, text.bytes.count)
        return counted.line
    }

    /// True when the first two thousand bytes hold all of these words in lower case: a cheap look
    /// before the dialect is found out.
    static func mentions(_ bytes: UnsafeRawBufferPointer, _ words: [[StaticString]]) -> Bool {
        guard let first = bytes.first, first != 0x7B, first != 0x5B else { return false }
        return bytes.prefix(2048).filter { $0 != 0 }.withUnsafeBytes { head in
            words.allSatisfy { $0.contains { ByteSearch.containsFolded(head, $0) } }
        }
    }

    /// How many of some names the header of a file has; 0 for what is no delimited text.
    static func matches(_ bytes: UnsafeRawBufferPointer, _ names: [String]) -> Int {
        let prefix = UnsafeRawBufferPointer(rebasing: bytes.prefix(16 << 10))
        guard !prefix.isEmpty, prefix[0] != 0x7B, prefix[0] != 0x5B else { return 0 }
        let found = Charset.detect(prefix)
        let out = RawVector<UInt8>(capacity: prefix.count)
        defer { out.destroy() }
        found.charset.decode(prefix, into: out)
        let text = UnsafeRawBufferPointer(out.elements)
        let dialect = CSVSniffer.sniff(text: text, charset: found.charset, knownHeaders: names)
        var parser = DelimitedRowParser(text, dialect, from: min(dialect.start, text.count))
        let wanted = Set(names.map(HeaderNames.fold))
        guard let row = parser.next() else { return 0 }
        return Set(row.map { HeaderNames.fold(HeaderNames.trim(parser.text($0))) })
            .intersection(wanted).count
    }
}
