// The Realm file as a format of the registry.

extension Format {
    /// Realm files of every version.
    static let realm = Format(
        name: "realm", extensions: ["realm"], summary: "Realm stores",
        content: .store,
        detect: { bytes in
            let isMarked = bytes.count >= 24 && bytes[16...].starts(with: Array("T-DB".utf8))
            return isMarked ? 100 : 0
        },
        read: { (request) throws(FormatError) in
            let options = request.context.options
            let storeOptions = StoreOptions(key: options.key, useOtherTop: options.useOtherTop)
            // A stream was read already; a file is opened with a look at who holds it.
            let isFile = System.status(path: request.path)?.isRegular ?? false
            let store =
                isFile && request.path != "-"
                ? try Store.open(request.path, options: storeOptions)
                : try Store.open(request.input, options: storeOptions)
            return ReadSource(
                reader: store.makeReader(context: request.context), content: .store,
                fileFormat: store.fileFormat)
        },
        write: { (request) throws(FormatError) in
            guard let file = request.sink as? OutputFile else {
                throw FormatError(.usage, "a store needs a file to be written to")
            }
            return try StoreWriter.begin(file, schema: request.schema, context: request.context)
        }, needsFile: true, isText: false)
}

extension StoreWriter {
    /// Begins a store as the options of a context want it: encrypted, in an older format.
    package static func begin(_ file: OutputFile, schema: Schema, context: ExchangeContext)
        throws(FormatError) -> StoreWriter
    {
        if let key = context.options.outputKey { file.stage = try EncryptedPages(key: key) }
        var options = StoreWriterOptions()
        if let text = context.options.extra["file-format"] {
            guard let number = Int(text) else {
                throw FormatError(.usage, "--file-format needs a number, not \(text)")
            }
            options.fileFormat = number
        }
        options.padsStream = file.stage != nil
        return try StoreWriter(output: file, schema: schema, context: context, options: options)
    }
}
