// CSV as plain rows, for text to text: every cell a string as it stands, every column an optional
// string property of a class named after the file. Nothing is dropped: cells beyond the header get
// columns of their own.

/// Reads CSV as rows of optional strings.
public final class CSVRows: RecordReader {
    /// One class, named after the file, an optional string a column.
    public let schema: Schema
    private let reader: CSVReader

    /// More columns than this beyond the header are taken for damage, and reported.
    private static let extraLimit = 4096

    /// Opens an input.
    /// - Throws: what `CSVDocument` throws.
    public convenience init(input: InputBytes, context: ExchangeContext) throws(FormatError) {
        try self.init(document: CSVDocument(input, context: context))
    }

    /// The rows of an input that is open already.
    public convenience init(document: CSVDocument, className: String? = nil) throws(FormatError) {
        try self.init(document: document, className: className, isForStore: false)
    }

    /// - Parameter isForStore: whether rows with a value that no store can hold are set aside.
    init(document: CSVDocument, className: String?, isForStore: Bool) throws(FormatError) {
        let survey = CSVRows.survey(document)
        var names = document.headers
        var places = Array(names.indices)
        if names.count > 1, let last = names.indices.last, document.isUnnamed[last],
            document.dialect.hasHeader, survey.isLastBlank
        {
            // The header ends with a delimiter, and so does every row: there is no such column.
            names.removeLast()
            places.removeLast()
        }
        if survey.extraColumns > 0 {
            let extra = min(survey.extraColumns, CSVRows.extraLimit)
            names = HeaderNames.unique(names + (1...extra).map { "extra \($0)" })
            places += document.headers.count..<(document.headers.count + extra)
            document.context.report.note(
                .changed, "extra-cells", source: document.input.name, record: survey.firstExtra,
                count: survey.extraCells, action: "cells beyond the header are kept as `extra N`")
        }
        let target = ClassSchema(
            className ?? CSVRows.className(document.input.name),
            properties: names.map { Property($0, .string, isOptional: true) },
            count: survey.rows)
        schema = Schema(classes: [target])
        reader = CSVReader(
            document: document, schema: schema, classIndex: 0, places: places,
            width: max((places.last ?? 0) + 1, document.headers.count, 1), stripsGuards: false,
            hooks: CSVReaderHooks())
        reader.limitsValues = isForStore
        reader.ignoresExtras = survey.extraColumns <= CSVRows.extraLimit
    }

    /// Fills the batch with the next rows.
    public func next(into batch: RecordBatch) throws(FormatError) -> Bool {
        guard !schema.classes[0].properties.isEmpty else { return false }
        return try reader.next(into: batch)
    }

    /// What must be known of all rows before the first is read.
    struct Survey {
        var rows = 0
        var extraColumns = 0
        var extraCells = 0
        var firstExtra: Int?
        var isLastBlank = true
    }

    static func survey(_ document: CSVDocument) -> Survey {
        var survey = Survey()
        let width = max(document.headers.count, 1)
        let checksLast = document.isUnnamed.last ?? false
        let table = CellTable(document.text.bytes, document.dialect, width: width)
        var scanner = DelimitedScanner(from: document.bodyStart)
        let maxRows = min(max(32_768 / width, 16), 4096)
        while true {
            scanner.scan(into: table, maxRows: maxRows)
            if table.rowCount == 0, table.broken.isEmpty, table.comments == 0 { break }
            for extra in table.extras {
                if survey.firstExtra == nil { survey.firstExtra = survey.rows + extra.row + 1 }
                survey.extraColumns = max(survey.extraColumns, extra.column - width + 1)
            }
            survey.extraCells += table.extras.count
            if checksLast, survey.isLastBlank {
                for row in 0..<table.rowCount where !table.cell(row, width - 1).isBlank {
                    survey.isLastBlank = false
                }
            }
            survey.rows += table.rowCount
        }
        return survey
    }

    /// A class name made of a file's name: letters and digits of its stem.
    package static func className(_ path: String) -> String {
        var stem = path
        if let slash = stem.lastIndex(of: "/") { stem = String(stem[stem.index(after: slash)...]) }
        if let dot = stem.lastIndex(of: "."), dot != stem.startIndex { stem = String(stem[..<dot]) }
        var name = ""
        for scalar in stem.unicodeScalars where name.utf8.count < 52 {
            if scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) || scalar == "_" {
                name.unicodeScalars.append(scalar)
            } else if !name.isEmpty, name.last != "_" {
                name += "_"
            }
        }
        while name.last == "_" { name.removeLast() }
        if name.isEmpty || name.first?.isNumber == true { name = "Row" + name }
        return name
    }
}
