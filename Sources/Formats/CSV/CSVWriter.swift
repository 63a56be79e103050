// Rows of a class to CSV (DESIGN 1.3): RFC 4180, UTF-8, CRLF, quotes only where needed; null is an
// empty cell and the empty string is "". Nested values come as JSON text from a hook.

/// What a CSV writer asks of others.
public struct CSVWriterHooks {
    /// Told of each batch before its rows are written, and where the text of nested values goes.
    public var beginBatch: ((RecordBatch, RawVector<UInt8>) -> Void)?
    /// Appends the JSON text of the value in a column of the batch (by position) at a row: lists,
    /// sets, dictionaries, embedded objects, mixed values.
    public var jsonCell: ((Int, Int, RawVector<UInt8>) throws(FormatError) -> Void)?
    /// Set when `jsonCell` writes each `"` of the JSON text twice, as it stands in a quoted cell.
    ///
    /// The text then goes straight to the output, without being looked through for quotes. For
    /// dialects that quote with `"`.
    public var doublesQuotes = false
    /// Appends the cells of neighbouring columns of nested values, each behind its delimiter and, where
    /// there is a value, in quotes: from the position of the first column on, so many, those aside
    /// that stand there already, of a row. It returns how many stand there then; the next one after
    /// them is to be asked of `jsonCell`. For dialects that quote with `"`.
    public var jsonCells: ((Int, Int, Int, Int) -> Int)?
    /// Appends the text that names the object with a key: its primary key; false to have the
    /// object key written.
    public var linkKey: ((Column, Int64, RawVector<UInt8>) throws(FormatError) -> Bool)?

    /// No hooks.
    public init() {}
}

/// Choices of a CSV writer.
public struct CSVWriterOptions: Sendable {
    /// Delimiter and quote.
    public var dialect = CSVDialect()
    /// Begin with the mark (BOM) that spreadsheets look for.
    public var hasMark = false
    /// Begin with a `sep=` line.
    public var hasSeparatorLine = false
    /// End rows with LF alone.
    public var usesLineFeed = false
    /// Put a `'` before cells that a spreadsheet would run as formulas.
    public var isSpreadsheetSafe = false
    /// The cells are plain text on its way to text: a leading `'` is never doubled.
    public var isVerbatim = false

    /// The usual choices.
    public init() {}

    /// The choices among the options of a command: `delimiter`, `bom`, `excel`,
    /// `spreadsheet-safe`. A file named `.tsv` or `.tab` has tabs unless they say otherwise.
    public init(_ options: ExchangeOptions, file: String = "") throws(FormatError) {
        let name = file.lowercased()
        if let word = options.extra["delimiter"] {
            dialect.delimiter = try CSVDocument.delimiter(word)
        } else if name.hasSuffix(".tsv") || name.hasSuffix(".tab") {
            dialect.delimiter = 0x09
        }
        hasMark = options.extra["bom"] != nil || options.extra["excel"] != nil
        hasSeparatorLine = options.extra["excel"] != nil
        isSpreadsheetSafe = options.extra["spreadsheet-safe"] != nil
    }
}

/// Writes the rows of one class as CSV.
public final class CSVWriter: RecordWriter {
    /// What others do for the writer.
    @exclusivity(unchecked) public var hooks: CSVWriterHooks

    private let sink: ByteSink
    private let schema: Schema
    private let classIndex: Int
    private let places: [Int]
    private let options: CSVWriterOptions
    private let context: ExchangeContext
    private let fields: FieldWriter
    /// Brackets mean nothing in this dialect.
    private let isBracketPlain: Bool
    private let scratch: RawVector<UInt8>
    @exclusivity(unchecked) private var hasBegun = false
    private var isComplete = false
    @exclusivity(unchecked) private var formulas = 0
    @exclusivity(unchecked) private var repaired = 0
    @exclusivity(unchecked) private var oddNumbers = 0

    /// A writer of one class.
    /// - Parameters:
    ///   - sink: where the text goes.
    ///   - schema: all classes.
    ///   - classIndex: the class whose rows will come.
    ///   - columns: the properties to write, in this order; all when nil.
    ///   - options: dialect and guards.
    ///   - hooks: JSON text and link names.
    ///   - context: the report.
    /// - Throws: `unknownName` for a property the class does not have.
    public init(
        sink: ByteSink, schema: Schema, classIndex: Int, columns: [String]? = nil,
        options: CSVWriterOptions = CSVWriterOptions(), hooks: CSVWriterHooks = CSVWriterHooks(),
        context: ExchangeContext
    ) throws(FormatError) {
        let target = schema.classes[classIndex]
        var places = Array(target.properties.indices)
        if let columns {
            places = []
            for name in columns {
                guard let place = target.index(of: name) else {
                    throw FormatError(
                        .unknownName, "\(target.name) has no property \(name)", property: name,
                        fix: "the properties are "
                            + target.properties.map(\.name).joined(separator: ", "))
                }
                places.append(place)
            }
        }
        self.places = places
        self.sink = sink
        self.schema = schema
        self.classIndex = classIndex
        self.options = options
        self.hooks = hooks
        self.context = context
        fields = FieldWriter(sink.buffer, options.dialect)
        let marks = [options.dialect.delimiter, options.dialect.quote ?? 0x22]
        isBracketPlain = !marks.contains { "[]{}".utf8.contains($0) }
        scratch = RawVector(capacity: 256)
    }

    deinit { scratch.destroy() }

    /// Writes the rows of a batch.
    public func write(_ batch: RecordBatch) throws(FormatError) {
        guard batch.classIndex == classIndex else {
            throw FormatError(
                .usage, "one CSV holds one class; \(batch.classSchema.name) came too",
                fix: "choose one with --class; of a store, rtool export --to csv --split DIR "
                    + "writes a file a class")
        }
        if !hasBegun { begin() }
        hooks.beginBatch?(batch, hooks.doublesQuotes ? sink.buffer : scratch)
        let jsonCell = hooks.jsonCell
        let delimiter = options.dialect.delimiter
        // The columns' storage stays where it is while the rows are written.
        let sources = UnsafeMutablePointer<Source>.allocate(capacity: max(places.count, 1))
        defer { sources.deallocate() }
        let jsonCells = hooks.doublesQuotes && isBracketPlain ? hooks.jsonCells : nil
        var count = 0
        var i = 0
        while i < places.count {
            var source = Source(
                batch.columns[places[i]], places[i], behind: i > 0 ? delimiter : nil)
            let width = i > 0 && jsonCells != nil ? nestedColumns(batch, from: i) : 0
            if width > 1 {
                source.kind = .nested
                source.width = width
            }
            (sources + count).initialize(to: source)
            count += 1
            i += max(width, 1)
        }
        let out = sink.buffer
        for row in 0..<batch.rowCount {
            let start = out.count
            for i in 0..<count {
                let source = sources + i
                if source.pointee.kind == .collection {
                    // Most lists are empty: a delimiter and two brackets, stored in one.
                    let start = row == 0 ? 0 : source.pointee.ends[row &- 1]
                    if start == source.pointee.ends[row], isBracketPlain {
                        out.reserve(adding: 4)
                        UnsafeMutableRawPointer(out.base + out.count).storeBytes(
                            of: source.pointee.empty, as: UInt32.self)
                        _ = out.extend(i > 0 ? 3 : 2)
                    } else {
                        if i > 0 { out.append(delimiter) }
                        try writeJSON(source.pointee.place, row, jsonCell)
                    }
                    continue
                }
                if source.pointee.kind == .nested {
                    try writeNested(source, row, jsonCells, jsonCell)
                    continue
                }
                if i > 0 { out.append(delimiter) }
                if source.pointee.nulls[row] != 0 { continue }
                // The kinds that most cells are stand here, so that they take no call.
                switch source.pointee.kind {
                case .text:
                    let start = row == 0 ? 0 : source.pointee.ends[row &- 1]
                    let count = source.pointee.ends[row] &- start
                    let from = source.pointee.bytes + start
                    if count > 0 {
                        let first = from.load(as: UInt8.self)
                        // Letters and digits need no second look.
                        if first < 0x30 || first == 0x3D || first == 0x40,
                            try writeOdd(from, count, first, i == 0)
                        {
                            continue
                        }
                    }
                    fields.write(from, count: count, readable: source.pointee.readable &- start)
                case .int: ScalarText.write(source.pointee.words[row], to: out)
                case .bool: writeBool(source.pointee.words[row] != 0, out)
                case .json: try writeJSON(source.pointee.place, row, jsonCell)
                default: try writeOther(source, row)
                }
            }
            // A line with nothing on it would be no row.
            if out.count == start { out.append(delimiter) }
            endRow()
            try sink.flushIfFull()
        }
        context.report.written += batch.rowCount
    }

    /// Ends the output.
    public func finish() throws(FormatError) {
        try complete()
        try sink.finish()
    }

    /// Notes what the cells did not hold.
    public func complete() throws(FormatError) {
        if isComplete { return }
        isComplete = true
        if !hasBegun { begin() }
        FormulaGuard.note(formulas, isGuarded: options.isSpreadsheetSafe, context.report)
        if repaired > 0 {
            context.report.note(
                .lost, "invalid-utf8", count: repaired,
                action: "strings that are not UTF-8 were repaired with U+FFFD")
        }
        if oddNumbers > 0 {
            context.report.note(
                .changed, "nan-payload", count: oddNumbers,
                action: "written as plain NaN")
        }
    }

    private func begin() {
        hasBegun = true
        let out = sink.buffer
        if options.hasMark { out.append("\u{FEFF}") }
        if options.hasSeparatorLine {
            out.append("sep=")
            out.append(options.dialect.delimiter)
            endRow()
        }
        let properties = schema.classes[classIndex].properties
        for (i, place) in places.enumerated() {
            if i > 0 { out.append(options.dialect.delimiter) }
            let name = properties[place].name
            if i == 0, name.utf8.first == 0x23 {
                // Else the header would be taken for a comment.
                var name = name
                name.withUTF8 {
                    if let start = $0.baseAddress { fields.writeQuoted(start, count: $0.count) }
                }
            } else {
                fields.write(name)
            }
        }
        endRow()
    }

    @inline(__always)
    private func endRow() {
        if !options.usesLineFeed { sink.buffer.append(13) }
        sink.buffer.append(10)
    }

    // MARK: Cells

    /// What writing a column takes, looked up once a batch.
    private struct Source {
        enum Kind {
            case collection, text, int, bool
            /// Neighbouring columns that are collections or `json`.
            case nested
            // What takes longer than a call.
            case suspectText, double, float, date, objectId, uuid, decimal, data, link, json
        }
        unowned(unsafe) let column: Column
        let place: Int
        var kind: Kind
        /// The number of neighbouring columns, for `nested`.
        var width = 1
        /// An empty collection, behind the delimiter unless it is the row's first cell.
        let empty: UInt32
        let words: UnsafePointer<Int64>
        let bytes: UnsafeRawPointer
        let readable: Int
        let ends: UnsafePointer<Int>
        let nulls: UnsafePointer<UInt8>

        init(_ column: Column, _ place: Int, behind delimiter: UInt8?) {
            self.column = column
            self.place = place
            let brackets: UInt32 = column.property.collection == .dictionary ? 0x7D7B : 0x5D5B
            empty = (delimiter.map { brackets << 8 | UInt32($0) } ?? brackets).littleEndian
            switch (column.layout, column.type) {
            case (.collection, _): kind = .collection
            case (.object, _), (_, .mixed), (_, .table): kind = .json
            case (_, .string):
                kind =
                    column.isKnownUTF8
                        || UTF8Check.areValid(
                            UnsafeRawBufferPointer(column.bytes.elements),
                            endingAt: column.ends.elements)
                    ? .text : .suspectText
            case (_, .int): kind = .int
            case (_, .bool): kind = .bool
            case (_, .double): kind = .double
            case (_, .float): kind = .float
            case (_, .date): kind = .date
            case (_, .objectId): kind = .objectId
            case (_, .uuid): kind = .uuid
            case (_, .decimal128): kind = .decimal
            case (_, .data): kind = .data
            case (_, .link): kind = .link
            }
            // Room behind the arena lets the last value be read 16 bytes at a time.
            column.bytes.reserve(adding: 16)
            words = UnsafePointer(column.words.base)
            bytes = UnsafeRawPointer(column.bytes.base)
            readable = column.bytes.count + 16
            ends = UnsafePointer(column.ends.base)
            nulls = UnsafePointer(column.nulls.base)
        }
    }

    /// A text whose first byte may mean something to a spreadsheet or a reader of comments.
    /// - Returns: true when the cell was written.
    @inline(never)
    private func writeOdd(
        _ from: UnsafeRawPointer, _ count: Int, _ first: UInt8, _ isFirst: Bool
    ) throws(FormatError) -> Bool {
        if first == 0x23, isFirst {
            fields.writeQuoted(from, count: count)
            return true
        }
        let bytes = from.assumingMemoryBound(to: UInt8.self)
        var isGuarded = false
        if first == 0x27 {
            isGuarded = !options.isVerbatim && FormulaGuard.isGuarded(bytes, count)
        } else if FormulaGuard.needsGuard(bytes, count) {
            formulas += 1
            isGuarded = options.isSpreadsheetSafe
        }
        guard isGuarded else { return false }
        scratch.removeAll()
        scratch.append(0x27)
        scratch.append(bytes, count: count)
        fields.write(UnsafeRawBufferPointer(scratch.elements))
        return true
    }

    @inline(__always)
    private func writeBool(_ value: Bool, _ out: RawVector<UInt8>) {
        out.reserve(adding: 8)
        let to = UnsafeMutableRawPointer(out.base + out.count)
        // "true" and "fals" as the machine stores them.
        to.storeBytes(
            of: (value ? 0x6575_7274 : 0x736C_6166 as UInt32).littleEndian, as: UInt32.self)
        to.storeBytes(of: 0x65, toByteOffset: 4, as: UInt8.self)
        _ = out.extend(value ? 4 : 5)
    }

    private func writeSuspect(_ bytes: UnsafeRawBufferPointer) {
        if UTF8Check.isValid(bytes) { return fields.write(bytes) }
        repaired += 1
        scratch.removeAll()
        Charset.utf8.decode(bytes, into: scratch)
        fields.write(UnsafeRawBufferPointer(scratch.elements))
    }

    private func writeDouble(_ value: Double) {
        if value.isFinite { return ScalarText.write(double: value, to: sink.buffer) }
        if value.isNaN, value.bitPattern != Double.nan.bitPattern { oddNumbers += 1 }
        sink.buffer.append(value.isNaN ? "NaN" : value < 0 ? "-Infinity" : "Infinity")
    }

    private func writeFloat(_ value: Float) {
        if value.isFinite { return ScalarText.write(float: value, to: sink.buffer) }
        if value.isNaN, value.bitPattern != Float.nan.bitPattern { oddNumbers += 1 }
        sink.buffer.append(value.isNaN ? "NaN" : value < 0 ? "-Infinity" : "Infinity")
    }

    private func writeDate(_ value: Timestamp) {
        if ScalarText.write(date: value, to: sink.buffer) { return }
        fields.write("{\"seconds\":\(value.seconds),\"nanoseconds\":\(value.nanoseconds)}")
    }

    /// A value that takes longer to write than to call for.
    @inline(never)
    private func writeOther(_ source: UnsafePointer<Source>, _ row: Int) throws(FormatError) {
        let column = source.pointee.column
        switch source.pointee.kind {
        case .suspectText: return writeSuspect(column.bytes(row))
        case .double: return writeDouble(Double(bitPattern: UInt64(bitPattern: column.words[row])))
        case .float:
            let bits = UInt32(truncatingIfNeeded: column.words[row])
            return writeFloat(Float(bitPattern: bits))
        case .date: return writeDate(column.date(row))
        case .objectId: return ScalarText.write(column.objectID(row), to: sink.buffer)
        case .uuid: return ScalarText.write(column.uuid(row), to: sink.buffer)
        default: break
        }
        scratch.removeAll()
        switch source.pointee.kind {
        case .decimal: ScalarText.write(column.decimal(row), to: scratch)
        case .data: ScalarText.write(base64: column.bytes(row), to: scratch)
        default:
            if let linkKey = hooks.linkKey, try linkKey(column, column.words[row], scratch) {
            } else {
                ScalarText.write(column.words[row], to: scratch)
            }
        }
        fields.write(UnsafeRawBufferPointer(scratch.elements))
    }

    /// How many columns from the one at `start` on are nested values and stand side by side in the
    /// class, too.
    private func nestedColumns(_ batch: RecordBatch, from start: Int) -> Int {
        var end = start
        while end < places.count, places[end] == places[start] + end - start {
            let column = batch.columns[places[end]]
            switch (column.layout, column.type) {
            case (.collection, _), (.object, _), (_, .mixed), (_, .table): end += 1
            default: return end - start
            }
        }
        return end - start
    }

    /// Neighbouring nested values.
    @inline(never)
    private func writeNested(
        _ source: UnsafePointer<Source>, _ row: Int, _ jsonCells: ((Int, Int, Int, Int) -> Int)?,
        _ jsonCell: ((Int, Int, RawVector<UInt8>) throws(FormatError) -> Void)?
    ) throws(FormatError) {
        guard let jsonCells else { return }
        let width = source.pointee.width
        var written = jsonCells(source.pointee.place, width, 0, row)
        while written < width {
            sink.buffer.append(options.dialect.delimiter)
            try writeJSON(source.pointee.place + written, row, jsonCell)
            written = jsonCells(source.pointee.place, width, written + 1, row)
        }
    }

    /// A nested value.
    @inline(never)
    private func writeJSON(
        _ place: Int, _ row: Int,
        _ jsonCell: ((Int, Int, RawVector<UInt8>) throws(FormatError) -> Void)?
    ) throws(FormatError) {
        guard let jsonCell else {
            throw FormatError(
                .unsupported, "nested values are not written here",
                property: schema.classes[classIndex].properties[place].name,
                fix: "leave it out with --columns")
        }
        guard hooks.doublesQuotes else {
            scratch.removeAll()
            try jsonCell(place, row, scratch)
            return fields.write(json: UnsafeRawBufferPointer(scratch.elements))
        }
        let out = sink.buffer
        let start = out.count
        out.append(0x22)
        try jsonCell(place, row, out)
        let text = UnsafePointer(out.base + start + 1)
        let count = out.count &- start &- 1
        // Mostly `{""…`, `[{""…` or `[""…`.
        if count > 3 && (text[1] == 0x22 || text[2] == 0x22)
            || firstIndex(of: 0x22, in: text, count: count) != nil
        {
            return out.append(0x22)
        }
        // Without a quote in it the cell may need none around it.
        scratch.removeAll()
        scratch.append(text, count: count)
        out.truncate(to: start)
        fields.write(UnsafeRawBufferPointer(scratch.elements))
    }
}
