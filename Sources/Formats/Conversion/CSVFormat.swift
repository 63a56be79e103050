// CSV as a format of the registry: what an opened text is (plain rows, rows of a class, an address
// book), and which writer suits the rows that come. It stands under the roof since nested cells are
// JSON.

extension Format {
    /// Comma-separated values and their relatives.
    static let csv = Format(
        name: "csv", extensions: ["csv", "tsv", "tab"],
        summary: "rows of a class, or address books, as comma-separated values", content: .rows,
        detect: { CSVSniffer.likelihood($0) },
        read: { (request) throws(FormatError) in try CSVOpening(request).open() },
        write: { (request) throws(FormatError) in try CSVOutput.begin(request) })
}

/// Decides what a CSV input is.
private struct CSVOpening {
    let request: ReadRequest
    let context: ExchangeContext

    init(_ request: ReadRequest) {
        self.request = request
        context = request.context
    }

    func open() throws(FormatError) -> ReadSource {
        if let path = request.columns { return try mapped(ColumnMap(InputBytes.open(path))) }
        switch request.wish {
        case .plainRows, .objects: return try plainRows(document(known: []))
        case .rows(let target): return try rows(document(known: Self.names(target)), target)
        case .rowsOrRecords(let target):
            let names = Self.names(target)
            // The tables of address books are large; rows of the class do without them. What the
            // look says is said again by the reading.
            let look = try CSVDocument(
                request.input, knownHeaders: names, isDelimiterOurs: !request.isForTable,
                context: ExchangeContext(options: context.options))
            if target.classSchema.name == "TodoItem", TodoTableSource.changes(look.headers) {
                // Dates in cells of their own are no values of its properties.
                return ReadSource(
                    reader: TodoDraftReader(try TodoTableSource(request), context: context),
                    content: .tasks)
            }
            if CSVReader.fits(look, target.classSchema) {
                return try rows(document(known: names), target)
            }
            let document = try document(known: names + AddressBook.knownHeaders)
            if CSVReader.fits(document, target.classSchema) { return try rows(document, target) }
            if let source = try outlookTasks() { return source }
            let isTodo = target.classSchema.name == "TodoItem"
            if let source = try todos(document, isAsked: isTodo) { return source }
            if let source = contacts(document, isAsked: false) { return source }
            return try rows(document, target)
        case .whatItIs, .rowsOf:
            if let source = try outlookTasks() { return source }
            let document = try document(known: AddressBook.knownHeaders)
            if let source = try builtIn(document) { return source }
            if let source = try todos(document) { return source }
            if let source = contacts(document, isAsked: false) { return source }
            return try plainRows(document)
        case .contacts:
            let names = ContactClass.schema.classes[0].properties.map(\.name)
            let document = try document(known: AddressBook.knownHeaders + names)
            if let source = try builtIn(document) { return source }
            if let source = contacts(document, isAsked: true) { return source }
            if context.options.extra["profile"] == "plain" { return try plainRows(document) }
            throw unknown(document)
        case .tasks:
            if let source = try outlookTasks() { return source }
            let document = try document(known: TodoClass.schema.classes[0].properties.map(\.name))
            if let source = try builtIn(document) { return source }
            if let source = try outlookTasks(isAsked: isOutlookAsked) { return source }
            if let source = try todos(document, isAsked: true) { return source }
            return try plainRows(document)
        }
    }

    private func document(known: [String]) throws(FormatError) -> CSVDocument {
        try CSVDocument(
            request.input, knownHeaders: known, isDelimiterOurs: !request.isForTable,
            context: context)
    }

    private static func names(_ target: TargetClass) -> [String] {
        target.classSchema.properties.map(\.name)
    }

    /// Rows whose columns a person has named: rows of the class asked for where all fields are its
    /// properties, else contacts.
    private func mapped(_ map: ColumnMap) throws(FormatError) -> ReadSource {
        var target: TargetClass?
        switch request.wish {
        case .rows(let wanted), .rowsOrRecords(let wanted): target = wanted
        default: break
        }
        let properties = target.map(Self.names) ?? []
        let document = try CSVDocument(
            request.input,
            knownHeaders: AddressBook.knownHeaders + properties + map.entries.map(\.column),
            isByPosition: map.isByPosition, isDelimiterOurs: !request.isForTable,
            context: context)
        let places = try map.places(in: document)
        if let target, places.allSatisfy({ fits($1, document.headers[$0], properties) }) {
            try refuseTwins(map, places)
            return try rows(document, target, columns: columns(document, places, properties))
        }
        // What is proposed for our own rows names their properties.
        if let (own, content) = builtInClass(document) {
            let names = Self.names(own)
            if places.allSatisfy({ fits($1, document.headers[$0], names) }) {
                try refuseTwins(map, places)
                return try rows(
                    document, own, columns: columns(document, places, names), content: content)
            }
        }
        if case .tasks = request.wish {
            throw FormatError(
                .usage, "a column map makes contacts or rows of a class, no tasks",
                file: map.name)
        }
        // As proposed for rows that are no contacts.
        if target == nil, takesAnyRows,
            places.values.allSatisfy({ $0.field == ColumnMap.keep }),
            AddressBook(document.names, isAsked: false) == nil
        {
            return try plainRows(document)
        }
        var choices: [Int: ColumnFields.Choice] = [:]
        for (column, entry) in places.sorted(by: { $0.key < $1.key }) {
            do throws(FormatError) {
                choices[column] = try ColumnFields.choice(entry.field)
            } catch {
                let classes = target.map { " (nor has \($0.classSchema.name) such a property)" }
                throw error.with {
                    $0.message += classes ?? ""
                    $0.file = map.name
                    $0.line = entry.line
                    $0.property = entry.column
                }
            }
        }
        guard let book = AddressBook(document.names, isAsked: true, choices: choices) else {
            throw unknown(document)
        }
        return ReadSource(
            reader: addressBook(document, book), content: .contacts)
    }

    private func addressBook(_ document: CSVDocument, _ book: AddressBook) -> AddressBookReader {
        let reader = AddressBookReader(document: document, book: book)
        reader.limitsValues = request.isForStore
        return reader
    }

    /// A property takes one column; of two, one would be lost.
    private func refuseTwins(_ map: ColumnMap, _ places: [Int: ColumnMap.Entry])
        throws(FormatError)
    {
        var taken: [String: String] = [:]
        for (_, entry) in places.sorted(by: { $0.key < $1.key })
        where entry.field != ColumnMap.leaveOut && entry.field != ColumnMap.keep {
            guard let other = taken.updateValue(entry.column, forKey: entry.field) else { continue }
            throw FormatError(
                .malformed,
                "the columns \(other) and \(entry.column) cannot both be \(entry.field)",
                file: map.name, line: entry.line, property: entry.column,
                fix: "leave one of them out: \(entry.column) = -")
        }
    }

    /// Whether rows of no known kind are welcome.
    private var takesAnyRows: Bool {
        switch request.wish {
        case .whatItIs, .plainRows, .objects, .rowsOf: true
        case .rows, .rowsOrRecords, .contacts, .tasks: false
        }
    }

    private func fits(_ entry: ColumnMap.Entry, _ header: String, _ properties: [String]) -> Bool {
        entry.field == ColumnMap.leaveOut || properties.contains(entry.field)
            || entry.field == ColumnMap.keep && property(header, properties) != nil
    }

    /// The property of a column's own name.
    private func property(_ header: String, _ properties: [String]) -> String? {
        if properties.contains(header) { return header }
        let folded = HeaderNames.fold(header)
        return properties.first { HeaderNames.fold($0) == folded }
    }

    /// The property of each column: the one a person names, else the one of the same name.
    private func columns(
        _ document: CSVDocument, _ places: [Int: ColumnMap.Entry], _ properties: [String]
    ) -> [CSVColumn] {
        let taken = Set(places.values.map(\.field))
        return document.headers.enumerated().compactMap { i, header in
            if let entry = places[i] {
                switch entry.field {
                case ColumnMap.leaveOut: return CSVColumn(header, property: nil)
                case ColumnMap.keep:
                    return CSVColumn(header, property: property(header, properties))
                default: return CSVColumn(header, property: entry.field)
                }
            }
            let folded = HeaderNames.fold(header)
            let same = properties.first { HeaderNames.fold($0) == folded && !taken.contains($0) }
            return same.map { CSVColumn(header, property: $0) }
        }
    }

    /// No column is known to hold anything of a contact.
    private func unknown(_ document: CSVDocument) -> FormatError {
        let names = document.headers.prefix(8).joined(separator: ", ")
        return FormatError(
            .usage,
            document.dialect.hasHeader
                ? "no column is known to hold anything of a contact: \(names)"
                : "the first row holds data, not names of columns", file: request.path,
            fix:
                "write a line for each column into a file, such as `\(document.headers.first ?? "") "
                + "= name`, and pass it with --map FILE; " + ColumnFields.help)
    }

    private func plainRows(_ document: CSVDocument) throws(FormatError) -> ReadSource {
        for name in document.headers {
            context.report.columns.append(
                Report.ColumnUse(
                    source: document.input.name, column: name, field: ColumnMap.keep,
                    className: request.className))
        }
        return ReadSource(
            reader: try CSVRows(
                document: document, className: request.className, isForStore: request.isForStore),
            content: .rows)
    }

    private func rows(
        _ document: CSVDocument, _ target: TargetClass, columns: [CSVColumn]? = nil,
        content: Format.Content = .rows
    ) throws(FormatError) -> ReadSource {
        let cells = try CSVCells(
            schema: target.schema, classIndex: target.classIndex, name: request.path,
            context: context)
        var hooks = CSVReaderHooks()
        hooks.jsonCell = { (text, column) throws(FormatError) in
            try cells.read(text, into: column)
        }
        if let links = context.links {
            let resolver = LinkCells(target.schema, from: target.classIndex, links)
            hooks.resolveLink = { (text, column) throws(FormatError) in
                try resolver.mark(text, column)
            }
        }
        // Keys that the text has not are left null here; whoever asked for the rows makes them.
        hooks.makeKeys = { (batch, column) throws(FormatError) in
            for _ in 0..<batch.rowCount { column.appendNull() }
        }
        let reader = try CSVReader(
            document: document, target: target.classSchema, schema: target.schema,
            columns: columns, hooks: hooks)
        reader.limitsValues = request.isForStore
        reader.keepsKeyless = target.allowsGaps
        for (column, name) in document.headers.enumerated() {
            let property = reader.columnOfProperty.firstIndex(of: column)
            context.report.columns.append(
                Report.ColumnUse(
                    source: document.input.name, column: name,
                    field: property.map { target.classSchema.properties[$0].name }
                        ?? ColumnMap.leaveOut,
                    className: target.classSchema.name))
        }
        return ReadSource(reader: reader, content: content)
    }

    /// Rows of the built-in classes, when the header is theirs.
    private func builtIn(_ document: CSVDocument) throws(FormatError) -> ReadSource? {
        guard let (target, content) = builtInClass(document) else { return nil }
        return try rows(document, target, content: content)
    }

    /// The built-in class whose properties a header names.
    private func builtInClass(_ document: CSVDocument) -> (TargetClass, Format.Content)? {
        guard document.headers.contains("_id") else { return nil }
        // The two share some names (uid, notes, categories …): the one with more of them it is.
        func hits(_ schema: Schema) -> Int {
            let names = Set(schema.classes[0].properties.map(\.name))
            return document.headers.count { names.contains($0) }
        }
        let (contacts, tasks) = (hits(ContactClass.schema), hits(TodoClass.schema))
        guard max(contacts, tasks) >= 4 else { return nil }
        let schema = tasks > contacts ? TodoClass.schema : ContactClass.schema
        return (
            TargetClass(schema: schema, classIndex: 0), tasks > contacts ? .tasks : .contacts
        )
    }

    private var isOutlookAsked: Bool {
        context.options.extra["profile"] == Format.outlookTasks.name
    }

    /// Outlook's tasks, when they are asked for or the header is theirs.
    private func outlookTasks(isAsked: Bool = false) throws(FormatError) -> ReadSource? {
        guard let read = Format.outlookTasks.read,
            isAsked || OutlookTasksSource.looksLikeIt(request.input.bytes)
        else { return nil }
        return try read(request)
    }

    /// Tables of to-dos that are no export of a program.
    private func todos(_ document: CSVDocument, isAsked: Bool = false) throws(FormatError)
        -> ReadSource?
    {
        guard document.dialect.hasHeader,
            TodoTableSource.fits(document.headers, isAsked: isAsked)
        else { return nil }
        return ReadSource(
            reader: TodoDraftReader(
                try TodoTableSource(request), context: context, isForStore: request.isForStore),
            content: .tasks)
    }

    private func contacts(_ document: CSVDocument, isAsked: Bool) -> ReadSource? {
        guard let book = AddressBook(document.names, isAsked: isAsked) else { return nil }
        return ReadSource(reader: addressBook(document, book), content: .contacts)
    }
}

/// Chooses the writer.
private enum CSVOutput {
    static func begin(_ request: WriteRequest) throws(FormatError) -> any RecordWriter {
        let context = request.context
        let classIndex = request.classIndex ?? 0
        guard classIndex < request.schema.classes.count else {
            throw FormatError(.usage, "there is no class to write", file: request.sink.name)
        }
        let known = request.schema.classes[classIndex]
        if let profile = context.options.extra["profile"], profile != "plain" {
            if profile == Format.outlookTasks.name {
                guard known.name == "TodoItem", let write = Format.outlookTasks.write else {
                    throw FormatError(
                        .usage,
                        "the profile \(profile) is for tasks; these are \(known.name) rows",
                        fix: "leave --profile out")
                }
                return try write(request)
            }
            guard known.name == "Contact", known.index(of: "formattedName") != nil else {
                throw FormatError(
                    .usage, "the profile \(profile) is for contacts; these are \(known.name) rows",
                    fix: "leave --profile out")
            }
            return try AddressBookWriter(
                sink: request.sink,
                profile: AddressBookProfile(profile, widths: request.widths), context: context)
        }
        var options = try CSVWriterOptions(context.options, file: request.sink.name)
        // Optional strings alone, and no store behind them: text on its way to text.
        options.isVerbatim =
            request.fileFormat == nil && known.primaryKey == nil
            && known.properties.allSatisfy { $0.type == .string && $0.isOptional }
        let cells = try CSVCells(
            schema: request.schema, classIndex: classIndex, name: request.sink.name,
            context: context)
        var hooks = CSVWriterHooks()
        let doublesQuotes = (options.dialect.quote ?? 0x22) == 0x22
        hooks.doublesQuotes = doublesQuotes
        hooks.beginBatch = { batch, out in
            cells.begin(batch, into: out, doublesQuotes: doublesQuotes)
        }
        hooks.jsonCell = { (place, row, _) throws(FormatError) in cells.write(place, row) }
        if doublesQuotes {
            let delimiter = options.dialect.delimiter
            hooks.jsonCells = { first, count, written, row in
                cells.write(first, count, from: written, row, delimiter)
            }
        }
        hooks.linkKey = request.linkName
        return try CSVWriter(
            sink: request.sink, schema: request.schema, classIndex: classIndex, options: options,
            hooks: hooks, context: context)
    }
}
