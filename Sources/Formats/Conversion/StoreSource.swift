// Anything that holds a whole store: a Realm file, or a store document.

/// A store or store document, opened; its rows can be read several times.
package struct StoreSource {
    /// The path.
    package let path: String
    /// All classes.
    package let schema: Schema
    private let open: () throws(FormatError) -> any RecordReader

    /// Opens a path.
    /// - Throws: `usage` when the input holds no store.
    package static func open(_ path: String, from: String? = nil, context: ExchangeContext)
        throws(FormatError) -> StoreSource
    {
        let opened = try OpenedInput(path, from: from, options: context.options)
        let source = try opened.read(wish: .whatItIs, context: context)
        guard source.content == .store else {
            throw FormatError(
                .usage, "this is \(opened.format.name), not a store or a store document",
                file: path, fix: "rtool import \(path) --into STORE.realm makes a store of it")
        }
        return StoreSource(path: path, schema: source.reader.schema) { () throws(FormatError) in
            try opened.read(wish: .whatItIs, context: context).reader
        }
    }

    /// A fresh reader of all rows.
    package func reader() throws(FormatError) -> any RecordReader { try open() }
}
