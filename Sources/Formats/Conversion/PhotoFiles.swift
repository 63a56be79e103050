// The photos of contacts as files of a folder (`--photos DIR`), for tables, whose cells show none. The
// bytes wait in a file without a name until the table is whole; then each photo gets its file. In
// the rows the file's name stands where the bytes were.

/// Photos on their way into a folder.
final class PhotoFiles {
    private let folder: String
    private let context: ExchangeContext
    private var spool: OutputFile?
    /// The folder was not there before.
    private let isNewFolder: Bool
    /// The files that were made.
    private var made: [String] = []
    private var waiting: [(name: String, start: Int, count: Int)] = []
    /// How often a name without its ending was given.
    private var given: [String: Int] = [:]

    /// The folder that the options name; nil where they name none.
    /// - Throws: `usage` where no photos would come, `cannotCreate`.
    static func asked(_ shaped: Shaping.Result, _ target: Format, _ context: ExchangeContext)
        throws(FormatError) -> PhotoFiles?
    {
        guard let folder = context.options.extra["photos"] else { return nil }
        let classes = shaped.reader.schema.classes
        guard target.name == Format.csv.name, let index = shaped.classIndex,
            classes.indices.contains(index), classes[index].name == "Contact",
            classes[index].index(of: "photos") != nil
        else {
            throw FormatError(
                .usage, "--photos is for contacts written as CSV", fix: "leave --photos out")
        }
        return try PhotoFiles(folder, context)
    }

    private init(_ folder: String, _ context: ExchangeContext) throws(FormatError) {
        self.folder = folder
        self.context = context
        isNewFolder = System.status(path: folder) == nil
        try Splitting.makeFolder(folder)
        spool = try OutputFile.create(folder + "/.photos", force: true)
    }

    /// A folder that was made for nothing goes again; one that holds something stays.
    deinit {
        spool = nil
        if isNewFolder, made.isEmpty { System.removeFolder(folder) }
    }

    // MARK: Rows

    /// Takes the photos out of a batch.
    func take(from batch: RecordBatch) throws(FormatError) {
        batch.photoFiles = [:]
        guard let place = batch.classSchema.index(of: "photos"),
            let items = ItemColumns(batch.columns[place]), items.own.count >= 2
        else { return }
        let data = items.own[0]
        var names: [Int: String] = [:]
        for row in 0..<batch.rowCount where !batch.groups.isGroup.contains(row) {
            for j in items.owner.range(row) where !items.objects.isNull(j) {
                let child = Int(items.objects.words[j])
                guard child >= 0, child < data.count, !data.isNull(child) else { continue }
                let record = batch.firstRecord + row
                let name = try add(data.bytes(child), stem(batch, row, record))
                names[child] = name
                batch.photoFiles[row, default: []].insert(name)
                context.report.note(
                    .changed, "photo-in-file", record: record, property: "photos", value: name,
                    action: "its bytes are a file of the folder \(folder)")
            }
        }
        if names.isEmpty { return }
        let nothing = names.mapValues { _ -> [UInt8]? in nil }
        data.replace(nothing)
        items.own[1].replace(names.mapValues { Array($0.utf8) })
        // The line as it stood would hold the bytes once more.
        items.raw.replace(nothing)
    }

    /// What a contact's photos are called: by its UID, else its key, else its number.
    private func stem(_ batch: RecordBatch, _ row: Int, _ record: Int) -> String {
        var text = ""
        if let uid = batch.column("uid"), uid.layout == .bytes, uid.count > row, !uid.isNull(row) {
            text = uid.string(row)
            if text.lowercased().hasPrefix("urn:uuid:") { text = String(text.dropFirst(9)) }
            text = PhotoFiles.safe(text)
        }
        if text.isEmpty, let id = batch.column("_id"), id.type == .objectId, id.count > row,
            !id.isNull(row)
        {
            text = Value.objectId(id.objectID(row)).plainText
        }
        return text.isEmpty ? "record-\(record)" : text
    }

    /// Text with only what every file system takes in a name, and no dot in front.
    static func safe(_ text: String) -> String {
        var name: [UInt8] = []
        for c in text.utf8 {
            let isPlain =
                c &- 0x30 < 10 || (c & 0xDF) &- 0x41 < 26 || c == 0x2D || c == 0x2E || c == 0x5F
                || c == 0x40 || c == 0x2B
            if name.isEmpty, c == 0x2E || !isPlain { continue }
            if isPlain {
                name.append(c)
            } else if name.last != 0x5F {
                name.append(0x5F)
            }
            if name.count >= 100 { break }
        }
        while let last = name.last, last == 0x5F || last == 0x2E { name.removeLast() }
        return String(decoding: name, as: UTF8.self)
    }

    // MARK: Files

    private func add(_ bytes: UnsafeRawBufferPointer, _ stem: String) throws(FormatError) -> String
    {
        // Letter case tells no files apart everywhere.
        let number = given[stem.lowercased(), default: 0] + 1
        given[stem.lowercased()] = number
        var name = stem
        if number > 1 {
            // No other contact's name, either: those have no such end.
            name += "~\(number)"
        }
        name += "." + PhotoFiles.suffix(MediaText.type(of: bytes))
        let path = folder + "/" + name
        if !context.options.force, System.status(path: path) != nil {
            throw FormatError(
                .exists, "the file of a photo exists already", file: path,
                fix: "name another folder, or pass --force to replace it")
        }
        waiting.append((name, spool?.position ?? 0, bytes.count))
        try spool?.write(bytes)
        return name
    }

    private static func suffix(_ type: String?) -> String {
        switch type {
        case "image/jpeg": "jpg"
        case "image/png": "png"
        case "image/gif": "gif"
        case "image/webp": "webp"
        case "image/bmp": "bmp"
        case "image/tiff": "tif"
        case "image/heic": "heic"
        case "image/avif": "avif"
        case "image/svg+xml": "svg"
        default: "bin"
        }
    }

    /// Gives each photo its file; none where that fails.
    /// - Throws: `exists`, `cannotCreate`, `diskFull`, `writeFailed`.
    func finish() throws(FormatError) {
        do throws(FormatError) { try write() } catch {
            undo()
            throw error
        }
    }

    private func write() throws(FormatError) {
        guard let spool else { return }
        try spool.flush()
        let piece = RawVector<UInt8>(capacity: 1 << 16)
        defer { piece.destroy() }
        for photo in waiting {
            let path = folder + "/" + photo.name
            let file = try OutputFile.create(path, force: context.options.force)
            var at = photo.start
            let end = photo.start + photo.count
            while at < end {
                let count = min(1 << 16, end - at)
                let part = UnsafeMutableRawBufferPointer(start: piece.base, count: count)
                try spool.read(part, at: at)
                try file.write(UnsafeRawBufferPointer(part))
                at += count
            }
            try file.finish()
            made.append(path)
        }
        waiting = []
    }

    /// Removes the files again: the table that names them does not come.
    func undo() {
        for path in made { System.remove(path) }
        made = []
    }
}

/// Another reader's contacts without the bytes of their photos.
final class PhotoFileReader: WrappingReader {
    let reader: any RecordReader
    private let files: PhotoFiles

    init(_ reader: any RecordReader, _ files: PhotoFiles) {
        self.reader = reader
        self.files = files
    }

    func next(into batch: RecordBatch) throws(FormatError) -> Bool {
        guard try reader.next(into: batch) else { return false }
        try files.take(from: batch)
        return true
    }
}
