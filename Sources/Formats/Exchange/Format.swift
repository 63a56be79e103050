// What a format promises. Each format's room describes itself with one such value, and the
// registry lists them; nothing else in the house names a format.

/// A format that can be read, written or both.
public struct Format: Sendable {
    /// What a format's records are.
    public enum Content: String, Sendable {
        /// Many classes with their schemas.
        case store
        /// Rows of one class, or of none in particular.
        case rows
        /// Contact cards.
        case contacts
        /// To-dos.
        case tasks
    }

    /// The name on the command line.
    public let name: String
    /// File name endings, lower case, without the dot.
    public let extensions: [String]
    /// Whole names files of the format usually have, lower case.
    let fileNames: [String]
    /// One line for people.
    public let summary: String
    /// What the records are.
    public let content: Content
    /// How sure the format is that an input is its own: 0...100, more where a general format with
    /// the ending of the name must not win.
    let detect: @Sendable (UnsafeRawBufferPointer) -> Int
    /// Opens an input; nil for a format that is only written.
    let read: (@Sendable (ReadRequest) throws(FormatError) -> ReadSource)?
    /// Begins an output; nil for a format that is only read.
    let write: (@Sendable (WriteRequest) throws(FormatError) -> any RecordWriter)?

    /// Converts the format into itself line by line, where it has lines of its own.
    let convertLines:
        (@Sendable (InputBytes, ByteSink, ExchangeContext) throws(FormatError) -> Void)?
    /// True when an output of the format must be a file.
    let needsFile: Bool
    /// True when the format is text that a person can read.
    let isText: Bool

    /// True when the format can be read.
    public var isReadable: Bool { read != nil }
    /// True when the format can be written.
    public var isWritable: Bool { write != nil }

    init(
        name: String, extensions: [String], fileNames: [String] = [], summary: String,
        content: Content,
        detect: @escaping @Sendable (UnsafeRawBufferPointer) -> Int,
        read: (@Sendable (ReadRequest) throws(FormatError) -> ReadSource)? = nil,
        write: (@Sendable (WriteRequest) throws(FormatError) -> any RecordWriter)? = nil,
        convertLines: (
            @Sendable (InputBytes, ByteSink, ExchangeContext) throws(FormatError) ->
                Void
        )? = nil,
        needsFile: Bool = false, isText: Bool = true
    ) {
        self.convertLines = convertLines
        self.needsFile = needsFile
        self.isText = isText
        self.name = name
        self.extensions = extensions
        self.fileNames = fileNames
        self.summary = summary
        self.content = content
        self.detect = detect
        self.read = read
        self.write = write
    }
}

/// A class that rows are to be read as, with the schema its links and embedded classes live in.
struct TargetClass {
    var schema: Schema
    var classIndex: Int
    /// Rows may lack required properties, since a stored row may have them.
    var allowsGaps = false
    var classSchema: ClassSchema { schema.classes[classIndex] }
}

/// What an input is wanted as. Formats that can be only one thing ignore it.
enum ReadWish {
    /// Contacts or tasks where known headers or members say so, else plain rows.
    case whatItIs
    /// Plain rows, cells unchanged.
    case plainRows
    /// Plain rows for a format of JSON, which takes JSON objects as they stand.
    case objects
    /// Rows of a class, typed by its schema.
    case rows(TargetClass)
    /// Rows of a class where the names fit it, else contacts or tasks.
    case rowsOrRecords(TargetClass)
    /// As `whatItIs`; rows that name a class of the schema are typed by it.
    case rowsOf(Schema)
    /// Contacts.
    case contacts
    /// To-dos.
    case tasks
}

/// What a format needs to open an input.
struct ReadRequest {
    /// The path, or `-`.
    var path: String
    /// The input's bytes.
    var input: InputBytes
    /// Options, report and rejects.
    var context: ExchangeContext
    /// What the input is wanted as.
    var wish: ReadWish = .whatItIs
    /// A file that says what the columns of a table hold; formats without columns ignore it.
    var columns: String?
    /// The class that rows without one are of, where a person named it.
    var wantedClass: String?
    /// The rows become a table, whose spelling the options of tables mean.
    var isForTable = false
    /// The rows become a store: those with a value it cannot hold are set aside.
    var isForStore = false

    /// A class name made of the file's name.
    var className: String {
        var name = path == "-" ? "Row" : path[...]
        if let slash = name.lastIndex(of: "/") { name = name[name.index(after: slash)...] }
        if let dot = name.firstIndex(of: "."), dot != name.startIndex { name = name[..<dot] }
        return name.isEmpty ? "Row" : String(name)
    }
}

/// An opened input.
struct ReadSource {
    /// The rows.
    var reader: any RecordReader
    /// What the rows are.
    var content: Format.Content
    /// The file format of a Realm file, for the store document.
    var fileFormat: Int?
}

/// What a format needs to begin an output.
struct WriteRequest {
    /// Where the bytes go. Formats that write out of order need an `OutputFile`.
    var sink: ByteSink
    /// The schema of the batches that will come.
    var schema: Schema
    /// The one class that will come, where the output holds only one.
    var classIndex: Int?
    /// What the rows are.
    var content: Format.Content
    /// The file format of the Realm file the rows come from.
    var fileFormat: Int?
    /// Options and report.
    var context: ExchangeContext
    /// Appends the primary key of a linked object; false where it has none.
    var linkName: ((Column, Int64, RawVector<UInt8>) throws(FormatError) -> Bool)?
    /// Rows to be written in the place of links to them.
    var linked: LinkTargets?
    /// How many numbered columns of a kind the fullest record needs, where that was counted.
    var widths: [String: Int] = [:]
}
