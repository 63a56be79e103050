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
        write: { (request) throws(FormatError) in
            JSONStoreWriter(
                sink: request.sink, schema: request.schema, fileFormat: request.fileFormat,
                context: request.context)
        })
}
