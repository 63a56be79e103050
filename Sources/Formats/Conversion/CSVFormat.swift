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
            return try plainRows(document)
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

    private func plainRows(_ document: CSVDocument) throws(FormatError) -> ReadSource {
        ReadSource(
            reader: try CSVRows(document: document, className: request.className), content: .rows)
    }

    private func rows(
        _ document: CSVDocument, _ target: TargetClass, content: Format.Content = .rows
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
            document: document, target: target.classSchema, schema: target.schema, hooks: hooks)
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
