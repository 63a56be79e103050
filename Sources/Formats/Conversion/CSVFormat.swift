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
        case .plainRows: return try plainRows(document(known: []))
        case .rows(let target): return try rows(document(known: Self.names(target)), target)
        case .rowsOrRecords(let target):
            let document = try document(known: Self.names(target) + AddressBook.knownHeaders)
            if CSVReader.fits(document, target.classSchema) { return try rows(document, target) }
            if let source = try outlookTasks() { return source }
            if let source = contacts(document, isAsked: false) { return source }
            return try rows(document, target)
        case .whatItIs, .rowsOf:
            if let source = try outlookTasks() { return source }
            let document = try document(known: AddressBook.knownHeaders)
            if let source = try builtIn(document) { return source }
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
            return try plainRows(document)
        }
    }

    private func document(known: [String]) throws(FormatError) -> CSVDocument {
        try CSVDocument(request.input, knownHeaders: known, context: context)
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
        case .tasks:
            throw FormatError(
                .usage, "a column map makes contacts or rows of a class, no tasks",
                file: map.name)
        default: break
        }
        let properties = target.map(Self.names) ?? []
        let document = try document(
            known: AddressBook.knownHeaders + properties + map.entries.map(\.column))
        let places = try map.places(in: document)
        if let target, places.values.allSatisfy({ fits($0, properties) }) {
            return try rows(document, target, columns: columns(document, places, properties))
        }
        var choices: [Int: ColumnFields.Choice] = [:]
        for (column, entry) in places {
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
            reader: AddressBookReader(document: document, book: book), content: .contacts)
    }

    private func fits(_ entry: ColumnMap.Entry, _ properties: [String]) -> Bool {
        entry.field == ColumnMap.leaveOut || properties.contains(entry.field)
    }

    /// The property of each column: the one a person names, else the one of the same name.
    private func columns(
        _ document: CSVDocument, _ places: [Int: ColumnMap.Entry], _ properties: [String]
    ) -> [CSVColumn] {
        let taken = Set(places.values.map(\.field))
        return document.headers.enumerated().compactMap { i, header in
            if let entry = places[i] {
                let isLeftOut = entry.field == ColumnMap.leaveOut
                return CSVColumn(header, property: isLeftOut ? nil : entry.field)
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
            reader: try CSVRows(document: document, className: request.className), content: .rows)
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
        // Keys that the text has not are left null here; whoever asked for the rows makes them.
        hooks.makeKeys = { (batch, column) throws(FormatError) in
            for _ in 0..<batch.rowCount { column.appendNull() }
        }
        let reader = try CSVReader(
            document: document, target: target.classSchema, schema: target.schema,
            columns: columns, hooks: hooks)
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
        guard document.headers.contains("_id") else { return nil }
        // The two share some names (uid, notes, categories …): the one with more of them it is.
        func hits(_ schema: Schema) -> Int {
            let names = Set(schema.classes[0].properties.map(\.name))
            return document.headers.count { names.contains($0) }
        }
        let (contacts, tasks) = (hits(ContactClass.schema), hits(TodoClass.schema))
        guard max(contacts, tasks) >= 4 else { return nil }
        let schema = tasks > contacts ? TodoClass.schema : ContactClass.schema
        return try rows(
            document, TargetClass(schema: schema, classIndex: 0),
            content: tasks > contacts ? .tasks : .contacts)
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

    private func contacts(_ document: CSVDocument, isAsked: Bool) -> ReadSource? {
        guard let book = AddressBook(document.names, isAsked: isAsked) else { return nil }
        return ReadSource(
            reader: AddressBookReader(document: document, book: book), content: .contacts)
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
                sink: request.sink, profile: AddressBookProfile(profile), context: context)
        }
        var options = try CSVWriterOptions(context.options)
        // Optional strings alone, and no store behind them: text on its way to text.
        options.isVerbatim =
            request.fileFormat == nil && known.primaryKey == nil
            && known.properties.allSatisfy { $0.type == .string && $0.isOptional }
        let cells = try CSVCells(
            schema: request.schema, classIndex: classIndex, name: request.sink.name,
            context: context)
        var hooks = CSVWriterHooks()
        hooks.beginBatch = { batch, out in cells.begin(batch, into: out) }
        hooks.jsonCell = { (place, row, _) throws(FormatError) in cells.write(place, row) }
        hooks.linkKey = request.linkName
        return try CSVWriter(
            sink: request.sink, schema: request.schema, classIndex: classIndex, options: options,
            hooks: hooks, context: context)
    }
}
