// CSV as a format of the registry.

extension Format {
    /// Comma-separated values and their relatives.
    static let csv = Format(
        name: "csv", extensions: ["csv", "tsv", "tab"],
        summary: "rows of a class, or address books, as comma-separated values", content: .rows,
        detect: { bytes in bytes.isEmpty ? 0 : 5 },
        read: { (request) throws(FormatError) in try CSVOpening.open(request) },
        write: { (request) throws(FormatError) in
            var hooks = CSVWriterHooks()
            hooks.jsonCell = request.writeCell
            hooks.linkKey = request.linkName
            return try CSVWriter(
                sink: request.sink, schema: request.schema, classIndex: request.classIndex ?? 0,
                options: CSVWriterOptions(request.context.options), hooks: hooks,
                context: request.context)
        })
}

/// Decides what a CSV input is.
enum CSVOpening {
    static func open(_ request: ReadRequest) throws(FormatError) -> ReadSource {
        var known: [String] = []
        if case .rowsOrRecords(let target) = request.wish {
            known = target.classSchema.properties.map(\.name)
        } else if case .rows(let target) = request.wish {
            known = target.classSchema.properties.map(\.name)
        }
        let document = try CSVDocument(
            request.input, knownHeaders: known, context: request.context)
        switch request.wish {
        case .rows(let target): return try rows(document, target, request)
        case .rowsOrRecords(let target):
            let names = Set(document.headers)
            let properties = target.classSchema.properties
            let shared = properties.filter { names.contains($0.name) }.count
            if shared > 0, shared * 2 >= min(names.count, properties.count) {
                return try rows(document, target, request)
            }
            return try rows(document, target, request)
        case .plainRows, .whatItIs:
            return ReadSource(
                reader: try CSVRows(document: document, className: request.className),
                content: .rows)
        case .contacts, .tasks:
            throw FormatError(
                .notYet, "address books and task lists in CSV are not read yet",
                file: request.path)
        }
    }

    private static func rows(
        _ document: CSVDocument, _ target: TargetClass, _ request: ReadRequest
    ) throws(FormatError) -> ReadSource {
        var hooks = CSVReaderHooks()
        hooks.jsonCell = try request.makeCellReader?(target.schema, request.context)
        return ReadSource(
            reader: try CSVReader(
                document: document, target: target.classSchema, schema: target.schema,
                hooks: hooks), content: .rows)
    }
}
