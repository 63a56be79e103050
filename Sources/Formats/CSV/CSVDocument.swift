// One CSV input, opened: its text, its dialect and its header. Rows come through `CSVReader` (rows
// of a class) or `CSVRows` (cells as they are).

/// An opened CSV input with its dialect and column names.
public final class CSVDocument {
    /// The input.
    public let input: InputBytes
    /// The dialect, found or given.
    public let dialect: CSVDialect
    /// A name for each column, all different; `column N` where the header has none.
    public let headers: [String]
    /// The names as they stand in the header.
    package let names: [String]
    /// True when a column's name was made up.
    package let isUnnamed: [Bool]
    let text: DelimitedText
    let context: ExchangeContext
    /// Where the rows begin.
    let bodyStart: Int

    /// More columns than this are taken for damage.
    static let columnLimit = 65_536

    /// Opens an input.
    /// - Parameters:
    ///   - input: the bytes, in any encoding.
    ///   - dialect: how it is written; found out when nil.
    ///   - knownHeaders: names the header may hold, as a hint.
    ///   - isByPosition: columns are told apart by their places, so that the first row holds names
    ///     only where it surely does.
    ///   - isDelimiterOurs: the `delimiter` among the options is that of a table to read.
    ///   - context: options (`encoding`; `delimiter` among the extra ones) and the report.
    /// - Throws: `badEncoding`, `usage` for a bad delimiter, `limitExceeded`.
    public init(
        _ input: InputBytes, dialect: CSVDialect? = nil, knownHeaders: [String] = [],
        isByPosition: Bool = false, isDelimiterOurs: Bool = true, context: ExchangeContext
    ) throws(FormatError) {
        self.input = input
        self.context = context
        let text = try DelimitedText(
            input, words: knownHeaders + AddressBook.wordsOfLanguages, context: context)
        self.text = text
        var found: CSVDialect
        if let dialect {
            found = dialect
        } else {
            var delimiter: UInt8?
            if isDelimiterOurs, let word = context.options.extra["delimiter"] {
                delimiter = try CSVDocument.delimiter(word)
            }
            found = CSVSniffer.sniff(
                text: text.bytes, charset: text.charset, knownHeaders: knownHeaders,
                delimiter: delimiter)
        }
        found.encoding = text.charset.name
        if let word = context.options.extra["header"] {
            found.hasHeader = !["no", "false", "none", "0"].contains(word.lowercased())
        }
        var parser = DelimitedRowParser(text.bytes, found, from: min(found.start, text.bytes.count))
        var names: [String] = []
        var start = parser.position
        while let row = parser.next() {
            let isBlank = row.count == 1 && row[0].range.isEmpty && !row[0].isQuoted
            let isComment = found.comment.map { text.bytes[start] == $0 } ?? false
            if !isBlank, !isComment {
                guard row.count <= CSVDocument.columnLimit else {
                    throw FormatError(
                        .limitExceeded, "the first row has \(row.count) columns", file: input.name,
                        fix: "name the delimiter with --delimiter")
                }
                names = row.map { HeaderNames.trim(parser.text($0)) }
                break
            }
            start = parser.position
        }
        if isByPosition, found.hasHeader, context.options.extra["header"] == nil,
            !names.contains(where: \.isEmpty)
        {
            let known = Set(knownHeaders.map(HeaderNames.fold))
            let hits = names.count { known.contains(HeaderNames.fold($0)) }
            found.hasHeader = hits >= 2 || hits == names.count
        }
        bodyStart = found.hasHeader ? parser.position : start
        if !found.hasHeader { names = names.map { _ in "" } }
        isUnnamed = names.map(\.isEmpty)
        headers = HeaderNames.unique(names)
        self.names = names
        self.dialect = found
        if found.preambleRows > 0, found.start > 0 {
            var value: String?
            if let first = text.bytes.firstIndex(where: { $0 > 32 }) {
                value = CSVDocument.line(text.bytes, at: first)
            }
            context.report.note(
                .changed, "preamble-skipped", source: input.name, line: 1, value: value,
                count: found.preambleRows, action: "lines before the header were passed over")
        }
    }

    /// The row of names, verbatim; nil when the text has none.
    var heading: UnsafeRawBufferPointer? {
        let start = min(dialect.start, bodyStart)
        guard dialect.hasHeader, start < bodyStart else { return nil }
        return UnsafeRawBufferPointer(rebasing: text.bytes[start..<bodyStart])
    }

    /// The delimiter a person names: one character, or a word for it.
    static func delimiter(_ word: String) throws(FormatError) -> UInt8 {
        switch word.lowercased() {
        case "tab", "\\t": return 9
        case "comma": return 0x2C
        case "semicolon": return 0x3B
        case "pipe": return 0x7C
        case "colon": return 0x3A
        case "space": return 0x20
        default: break
        }
        if word.utf8.count == 1, let byte = word.utf8.first, byte < 0x80, byte != 0x22, byte != 10,
            byte != 13, byte != 0
        {
            return byte
        }
        throw FormatError(
            .usage, "\(word) is no delimiter",
            fix: "name one character, or comma, semicolon, tab, pipe, colon, space")
    }

    /// The physical line around a byte, shortened.
    static func line(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> String {
        var start = offset
        while start > 0, bytes[start - 1] != 10, bytes[start - 1] != 13, offset - start < 160 {
            start -= 1
        }
        var end = offset
        while end < bytes.count, bytes[end] != 10, bytes[end] != 13, end - start < 240 { end += 1 }
        return String(decoding: bytes[start..<end], as: UTF8.self)
    }
}

/// Counts lines up to ever later places of a text.
struct LineCounter {
    private let bytes: UnsafeRawBufferPointer
    private var offset = 0
    private var line = 1
    private var lineStart = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    /// Line and column (from 1, in bytes) of a place not before the last one asked for.
    mutating func place(of target: Int) -> (line: Int, column: Int) {
        let end = min(target, bytes.count)
        while offset < end {
            let byte = bytes[offset]
            offset += 1
            let isPair = byte == 13 && offset < bytes.count && bytes[offset] == 10
            if byte == 10 || (byte == 13 && !isPair) {
                line += 1
                lineStart = offset
            }
        }
        return (line, max(target - lineStart, 0) + 1)
    }
}
