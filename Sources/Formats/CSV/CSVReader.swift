// Rows of a class from CSV. The class's schema decides what a cell means, never the cell: null is
// an empty cell, the empty string is "". A row with a cell that does not fit is set aside whole.
// The scanner cuts a batch of rows first; then each column is decoded in one go.

/// What a CSV reader asks of others, since it knows no other format and no store.
public struct CSVReaderHooks {
    /// Appends one value to a column from JSON text (lists, sets, dictionaries, embedded objects,
    /// mixed values).
    public var jsonCell: ((UnsafeRawBufferPointer, Column) throws(FormatError) -> Void)?
    /// The key of the object a link's text names, nil when there is none.
    ///
    /// The text is the object's primary key, else its object key. Without this hook it is the
    /// object key.
    public var resolveLink: ((UnsafeRawBufferPointer, Column) throws(FormatError) -> Int64?)?
    /// Fills the primary key column of a batch whose text has none: one value a row.
    public var makeKeys: ((RecordBatch, Column) throws(FormatError) -> Void)?

    /// No hooks.
    public init() {}
}

/// Says which property a column feeds.
public struct CSVColumn: Sendable {
    /// The column's name in the header.
    public var header: String
    /// The property, nil to leave the column out.
    public var property: String?

    /// A column and its property.
    public init(_ header: String, property: String?) {
        self.header = header
        self.property = property
    }
}

/// Reads the rows of one class from CSV.
public final class CSVReader: RecordReader {
    /// The whole schema the class belongs to.
    public let schema: Schema
    /// The position of the class.
    public let classIndex: Int
    /// What others do for the reader.
    public var hooks: CSVReaderHooks
    /// For each property of the class the column it is read from, nil when the text has none.
    public let columnOfProperty: [Int?]

    let document: CSVDocument
    let context: ExchangeContext
    let table: CellTable
    /// Whether a leading `'` before a formula sign is taken off, as spreadsheets do.
    let stripsGuards: Bool
    /// Cells beyond the header are expected and need no note.
    var ignoresExtras = false
    /// Rows with a value that no store can hold are set aside.
    var limitsValues = false
    /// Keep the text of rows without a primary key, which perhaps nobody can take.
    var keepsKeyless = false
    private var keylessTexts: [(row: Int, text: RowText)] = []
    private var scanner: DelimitedScanner
    private let maxRows: Int
    private let rejects: CSVRejects
    private var nextRecord = 1
    private var isChecked = false
    /// Rows of the current batch that cannot be taken, by row.
    var problems: [Int: FormatError] = [:]
    /// Empty cells of required strings in the current batch.
    var emptied = 0
    /// Dates without a zone in the current batch.
    var zoneless = 0

    /// A reader of the rows of `target`.
    /// - Parameters:
    ///   - input: the CSV bytes.
    ///   - target: the class; one of `schema`.
    ///   - schema: all classes.
    ///   - columns: which column feeds which property; by name when nil.
    ///   - context: options and report.
    /// - Throws: `schemaMismatch` when no column fits, and what `CSVDocument` throws.
    public convenience init(
        input: InputBytes, target: ClassSchema, schema: Schema, columns: [CSVColumn]? = nil,
        hooks: CSVReaderHooks = CSVReaderHooks(), context: ExchangeContext
    ) throws(FormatError) {
        let known = columns?.map(\.header) ?? target.properties.map(\.name)
        let document = try CSVDocument(input, knownHeaders: known, context: context)
        try self.init(
            document: document, target: target, schema: schema, columns: columns, hooks: hooks)
    }

    /// A reader of an input that is open already.
    public convenience init(
        document: CSVDocument, target: ClassSchema, schema: Schema, columns: [CSVColumn]? = nil,
        hooks: CSVReaderHooks = CSVReaderHooks()
    ) throws(FormatError) {
        guard let classIndex = schema.index(of: target.name) else {
            throw FormatError(
                .defect, "the class \(target.name) is not in its schema",
                file: document.input.name)
        }
        var places = try CSVReader.match(document, target, columns)
        let extra = columns == nil ? CSVReader.placeExtras(document, target, &places) : 0
        self.init(
            document: document, schema: schema, classIndex: classIndex, places: places,
            width: max(document.headers.count + extra, 1), stripsGuards: true, hooks: hooks)
    }

    /// Leads cells beyond the header to the properties that such cells became before.
    /// - Returns: how many columns beyond the header there are.
    private static func placeExtras(
        _ document: CSVDocument, _ target: ClassSchema, _ places: inout [Int?]
    ) -> Int {
        guard document.dialect.hasHeader, target.index(of: "extra 1") != nil else { return 0 }
        let count = min(CSVRows.survey(document).extraColumns, target.properties.count)
        guard count > 0 else { return 0 }
        let names = HeaderNames.unique(document.headers + (1...count).map { "extra \($0)" })
        var width = 0
        for number in 0..<count {
            let column = document.headers.count + number
            guard let property = target.index(of: names[column]), places[property] == nil else {
                break
            }
            places[property] = column
            width = number + 1
        }
        return width
    }

    init(
        document: CSVDocument, schema: Schema, classIndex: Int, places: [Int?], width: Int,
        stripsGuards: Bool, hooks: CSVReaderHooks
    ) {
        self.document = document
        context = document.context
        self.schema = schema
        self.classIndex = classIndex
        self.hooks = hooks
        self.stripsGuards = stripsGuards
        columnOfProperty = places
        table = CellTable(document.text.bytes, document.dialect, width: width)
        scanner = DelimitedScanner(from: document.bodyStart)
        maxRows = min(max(32_768 / width, 16), 4096)
        rejects = CSVRejects(document)
    }

    /// Finds the column of each property: by the given pairs, by equal names, by names that are
    /// equal when case and punctuation are left out.
    private static func match(
        _ document: CSVDocument, _ target: ClassSchema, _ columns: [CSVColumn]?
    ) throws(FormatError) -> [Int?] {
        var places = [Int?](repeating: nil, count: target.properties.count)
        var used = Set<Int>()
        func take(_ property: Int, _ column: Int) {
            places[property] = column
            used.insert(column)
        }
        if let columns {
            for pair in columns {
                guard let name = pair.property else { continue }
                guard let property = target.index(of: name) else {
                    throw FormatError(
                        .unknownName, "\(target.name) has no property \(name)",
                        file: document.input.name, property: name)
                }
                let folded = HeaderNames.fold(pair.header)
                let column =
                    document.headers.firstIndex(of: pair.header)
                    ?? document.headers.firstIndex { HeaderNames.fold($0) == folded }
                if let column { take(property, column) }
            }
        } else {
            for (i, property) in target.properties.enumerated() {
                if let column = document.headers.firstIndex(of: property.name) { take(i, column) }
            }
            let folded = document.headers.map(HeaderNames.fold)
            for (i, property) in target.properties.enumerated() where places[i] == nil {
                let name = HeaderNames.fold(property.name)
                let fits = folded.indices.filter { folded[$0] == name && !used.contains($0) }
                if fits.count == 1 { take(i, fits[0]) }
            }
        }
        if used.isEmpty, !document.headers.isEmpty {
            let names = document.headers.prefix(8).joined(separator: ", ")
            throw FormatError(
                .schemaMismatch,
                document.dialect.hasHeader
                    ? "no column is named like a property of \(target.name): \(names)"
                    : "the first row holds data, not names", file: document.input.name,
                fix:
                    "write a line `column = property` for each into a file and pass it with --map, "
                    + "or put a first row of property names")
        }
        let ignored = Set(
            columns?.filter { $0.property == nil }.map { HeaderNames.fold($0.header) } ?? [])
        for (column, name) in document.headers.enumerated()
        where !used.contains(column) && !document.isUnnamed[column]
            && !ignored.contains(HeaderNames.fold(name))
        {
            document.context.report.note(
                .lost, "unknown-column", source: document.input.name, property: name,
                action: "\(target.name) has no such property; --map names one")
        }
        return places
    }

    /// Whether a text's columns are the properties of a class: all that are required, or most.
    package static func fits(_ document: CSVDocument, _ target: ClassSchema) -> Bool {
        let names = Set(document.headers.map(HeaderNames.fold))
        let wanted = target.properties.filter { $0.name != target.primaryKey }
        let found = wanted.filter { names.contains(HeaderNames.fold($0.name)) }
        if found.isEmpty { return false }
        let required = wanted.filter { !$0.isOptional && $0.collection == nil }
        return found.count * 3 >= wanted.count * 2
            || required.allSatisfy { names.contains(HeaderNames.fold($0.name)) }
    }

    /// Fills the batch with the next rows.
    public func next(into batch: RecordBatch) throws(FormatError) -> Bool {
        if !isChecked { try check() }
        while true {
            batch.begin(class: classIndex)
            document.text.release(before: scanner.position)
            scanner.scan(into: table, maxRows: maxRows)
            if let word = context.options.extra["null"] { table.blank(word) }
            guard table.rowCount > 0 || !table.broken.isEmpty || table.comments > 0 else {
                return false
            }
            let firstRecord = nextRecord
            nextRecord += table.rowCount + table.broken.count
            context.report.read += table.rowCount + table.broken.count
            rejects.note(table, firstRecord, extrasAreLost: !ignoresExtras)
            try decode(batch)
            if !problems.isEmpty || !table.broken.isEmpty {
                let bad = problems.keys.sorted()
                passOverBlankRows(firstRecord)
                rejects.setAside(table, problems, firstRecord)
                if !bad.isEmpty {
                    table.remove(rows: bad)
                    for column in batch.columns { CSVReader.empty(column) }
                    try decode(batch)
                }
            }
            guard table.rowCount > 0 else { continue }
            noteValues()
            batch.firstRecord = firstRecord
            batch.closeRows(table.rowCount)
            if keepsKeyless { keepKeyless() }
            if let key = missingKey, let makeKeys = hooks.makeKeys {
                try makeKeys(batch, batch.columns[key])
            }
            return true
        }
    }

    /// Rows of delimiters and spaces, as spreadsheets leave them, are not set aside for what
    /// they lack: there is nothing in them to keep.
    private func passOverBlankRows(_ firstRecord: Int) {
        for row in problems.keys.sorted() where table.isBlank(row: row) {
            problems[row] = nil
            let passed = table.broken.count { $0.before <= row }
            context.report.skipped += 1
            context.report.note(
                .changed, "empty-row", source: document.input.name,
                record: firstRecord + row + passed,
                action: "rows that say nothing were passed over")
        }
    }

    /// Remembers the rows of the table that have nothing for their key.
    private func keepKeyless() {
        keylessTexts.removeAll(keepingCapacity: true)
        let target = schema.classes[classIndex]
        guard let name = target.primaryKey, let key = target.index(of: name) else { return }
        let column = columnOfProperty[key]
        let heading = document.heading.map { Array($0) }
        for row in 0..<table.rowCount {
            if let column, table.cell(row, column).length > 0 { continue }
            keylessTexts.append(
                (
                    row,
                    RowText(
                        bytes: Array(table.verbatim(row)), heading: heading,
                        file: document.input.name)
                ))
        }
    }

    /// Required properties that no column feeds.
    public var gaps: RowGaps {
        var gaps = RowGaps()
        gaps.texts = keylessTexts
        for (i, property) in schema.classes[classIndex].properties.enumerated()
        where columnOfProperty[i] == nil && !property.isOptional && property.collection == nil {
            gaps.columns.insert(i)
        }
        return gaps
    }

    /// The primary key's property when the text has no column for it.
    var missingKey: Int? {
        let target = schema.classes[classIndex]
        guard let name = target.primaryKey, let key = target.index(of: name),
            columnOfProperty[key] == nil
        else { return nil }
        return key
    }

    private func check() throws(FormatError) {
        isChecked = true
        let target = schema.classes[classIndex]
        let key = missingKey
        if let key, hooks.makeKeys == nil {
            throw FormatError(
                .schemaMismatch,
                "there is no column for the primary key \(target.properties[key].name)",
                file: document.input.name, property: target.properties[key].name,
                fix: "add the column, or use a map that makes ids")
        }
        for (i, property) in target.properties.enumerated()
        where columnOfProperty[i] == nil && i != key && !property.isOptional
            && property.collection == nil
        {
            context.report.note(
                .guessed, "missing-column", source: document.input.name, property: property.name,
                action: "no column for it: \(CSVReader.defaultText(property)) in every new row")
        }
    }

    private static func defaultText(_ property: Property) -> String {
        switch property.type {
        case .string, .data: "empty"
        case .bool: "false"
        case .date: "1970-01-01T00:00:00Z"
        default: "0"
        }
    }

    /// Empties a column that may hold the beginning of a value.
    static func empty(_ column: Column) {
        if column.count == 0 { column.appendNull() }
        column.truncate(to: 0)
    }

    // MARK: Notes

    private func noteValues() {
        if emptied > 0 {
            context.report.note(
                .changed, "empty-cell", source: document.input.name, count: emptied,
                action: "empty cells of required strings were read as the empty string")
        }
        if zoneless > 0 {
            context.report.note(
                .guessed, "date-without-zone", source: document.input.name, count: zoneless,
                action: "read as UTC")
        }
    }
}
