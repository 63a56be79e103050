// How one delimited text is written: which bytes delimit, quote and escape, where it begins.

/// The dialect of a CSV-shaped text.
public struct CSVDialect: Sendable, Equatable {
    /// The byte between cells.
    public var delimiter: UInt8
    /// The byte around cells that hold delimiters or line ends; nil when nothing is quoted.
    public var quote: UInt8?
    /// The byte before a literal quote inside quotes; nil when a quote is doubled.
    public var escape: UInt8?
    /// The byte that begins a line to be passed over, if the text has such lines.
    public var comment: UInt8?
    /// Whether the first row holds names.
    public var hasHeader: Bool
    /// The text's encoding, by its usual name.
    public var encoding: String
    /// Where the header, or the first row, begins: bytes of the text as UTF-8 without a mark.
    package var start = 0
    /// Rows before the header that are no data: titles, notes, `sep=`.
    package var preambleRows = 0

    /// A dialect; the usual one unless said.
    public init(
        delimiter: UInt8 = UInt8(ascii: ","), quote: UInt8? = UInt8(ascii: "\""),
        escape: UInt8? = nil, hasHeader: Bool = true, encoding: String = "utf-8"
    ) {
        self.delimiter = delimiter
        self.quote = quote
        self.escape = escape
        self.hasHeader = hasHeader
        self.encoding = encoding
    }
}
