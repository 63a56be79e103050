// A file a record: contacts and to-dos into a folder of small files, as many programs want them
// (`--split DIR`). Files are called after the records.

/// Writes each row of a source into a file of its own.
struct Splitting {
    let folder: String
    let target: Format
    let context: ExchangeContext
    private let ending: String
    private var taken: Set<String> = []

    /// Readies the folder.
    /// - Throws: `cannotCreate`.
    init(_ folder: String, as target: Format, context: ExchangeContext) throws(FormatError) {
        self.folder = folder
        self.target = target
        self.context = context
        ending = "." + (target.extensions.first ?? target.name)
        try Splitting.makeFolder(folder)
    }

    static func makeFolder(_ folder: String) throws(FormatError) {
        if System.status(path: folder)?.isDirectory != true, !System.makeFolder(folder) {
            throw FormatError(
                .cannotCreate, "cannot create the folder: \(System.describe(System.lastError))",
                file: folder)
        }
    }

    /// Writes all rows.
    mutating func run(
        _ shaped: Shaping.Result, progress: ((Int) -> Void)?,
        beforeFinish: (() throws(FormatError) -> Void)?
    ) throws(FormatError) {
        guard let write = target.write else {
            throw FormatError(.usage, "\(target.name) can be read, not written")
        }
        let batch = RecordBatch(schema: shaped.reader.schema)
        let one = RecordBatch(schema: shaped.reader.schema)
        var total = 0
        while try shaped.reader.next(into: batch) {
            if let wanted = shaped.classIndex, batch.classIndex != wanted { continue }
            for row in 0..<batch.rowCount {
                one.begin(class: batch.classIndex)
                one.firstRecord = batch.firstRecord + row
                one.append(row: row, of: batch)
                let path = folder + "/" + name(of: one) + ending
                let writer = try write(
                    WriteRequest(
                        sink: Conversion.sink(path, for: target, context: context),
                        schema: shaped.reader.schema, classIndex: shaped.classIndex,
                        content: shaped.content, fileFormat: shaped.fileFormat, context: context,
                        linkName: shaped.linkName))
                try writer.write(one)
                try writer.complete()
                try beforeFinish?()
                try writer.finish()
            }
            total += batch.rowCount
            progress?(total)
        }
        Conversion.countRest(context.report)
    }

    /// A file name that no other record has: by the record's name, else its UID, else a number.
    private mutating func name(of row: RecordBatch) -> String {
        var text = ""
        for property in ["formattedName", "title", "uid"] where text.isEmpty {
            guard let column = row.column(property), column.layout == .bytes, !column.isNull(0)
            else { continue }
            text = Splitting.fileName(column.string(0))
        }
        if text.isEmpty { text = "record \(row.firstRecord)" }
        var name = text
        var number = 1
        while !taken.insert(name.lowercased()).inserted {
            number += 1
            name = "\(text) \(number)"
        }
        return name
    }

    /// Text without what file systems do not take in names.
    private static func fileName(_ text: String) -> String {
        var out = ""
        for c in text.unicodeScalars {
            let isOdd =
                c.value < 0x20 || c.value == 0x7F || "/\\:*?\"<>|".unicodeScalars.contains(c)
            if isOdd {
                if out.last != "_" { out += "_" }
            } else {
                out.unicodeScalars.append(c)
            }
            if out.utf8.count > 120 { break }
        }
        while let c = out.first, c == "." || c == " " { out.removeFirst() }
        while let c = out.last, c == "." || c == " " { out.removeLast() }
        return out
    }
}
