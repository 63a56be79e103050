// JSON as formats of the registry: the store document, arrays of rows, and a row a line.

extension Format {
    /// The store document, or an array of the rows of one class.
    static let json = Format(
        name: "json", extensions: ["json"],
        summary: "the store document, or an array of rows, contacts or tasks", content: .store,
        detect: { bytes in
            let first = bytes.first { ![9, 10, 13, 32, 0xEF, 0xBB, 0xBF].contains($0) }
            return first == UInt8(ascii: "{") || first == UInt8(ascii: "[") ? 50 : 0
        },
        read: { (request) throws(FormatError) in
            let reader = try JSONStoreReader(input: request.input, context: request.context)
            return ReadSource(reader: reader, content: .store)
        },
        write: { (request) throws(FormatError) in
            if let classIndex = request.classIndex {
                let isRecord = request.content == .contacts || request.content == .tasks
                return JSONRowsWriter(
                    sink: request.sink, schema: request.schema, classIndex: classIndex,
                    style: .array, omitEmpty: isRecord, context: request.context)
            }
            return JSONStoreWriter(
                sink: request.sink, schema: request.schema, fileFormat: request.fileFormat,
                context: request.context)
        })
}

extension Format {
    /// A JSON object a line.
    static let ndjson = Format(
        name: "ndjson", extensions: ["ndjson", "jsonl"], summary: "one JSON object a row and line",
        content: .rows, detect: { _ in 0 },
        write: { (request) throws(FormatError) in
            let isRecord = request.content == .contacts || request.content == .tasks
            return JSONRowsWriter(
                sink: request.sink, schema: request.schema, classIndex: request.classIndex ?? 0,
                style: .ndjson, omitEmpty: isRecord, context: request.context)
        })
}
