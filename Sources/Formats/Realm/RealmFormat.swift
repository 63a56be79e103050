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
            let store = try Store.open(
                request.path,
                options: StoreOptions(key: options.key, useOtherTop: options.useOtherTop))
            return ReadSource(
                reader: store.makeReader(context: request.context), content: .store,
                fileFormat: store.fileFormat)
        },
        write: nil, needsFile: true, isText: false)
}
