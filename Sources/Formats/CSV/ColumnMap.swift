// What a person says about the columns of a CSV file: a text of lines `column = field`, which
// `import --dry-run` proposes and `--map FILE` takes back. What the fields mean stands in
// `ColumnFields`.

/// The lines of a column map.
public struct ColumnMap: Sendable {
    /// One column and what it holds.
    struct Entry: Sendable {
        var column: String
        var field: String
        var line: Int
    }

    /// The file it was read from.
    let name: String
    let entries: [Entry]

    /// The field of a column that is to be left out.
    static let leaveOut = "-"
    /// The field of a column that is kept under its name.
    static let keep = "keep"

    /// Larger files are no column maps.
    private static let limit = 4 << 20

    /// Whether the file of a path is a column map and no map of classes, which is JSON.
    public static func isOne(_ path: String) -> Bool {
        guard path != "-", !path.hasSuffix(".json"), System.status(path: path) != nil,
            let input = try? InputBytes.open(path), input.bytes.count <= limit
        else { return false }
        for line in lines(input.bytes) {
            guard let first = line.first(where: { $0 > 32 }) else { continue }
            return first != UInt8(ascii: "{") && first != UInt8(ascii: "[")
        }
        return true
    }

    /// Reads a column map.
    /// - Throws: `malformed` with the line, `limitExceeded`, `badEncoding`.
    public init(_ input: InputBytes) throws(FormatError) {
        name = input.name
        guard input.bytes.count <= ColumnMap.limit else {
            throw FormatError(
                .limitExceeded, "a column map is not that long", file: input.name,
                fix: "rtool import FILE --into STORE --dry-run proposes one")
        }
        guard UTF8Check.isValid(input.bytes) else {
            throw FormatError(
                .badEncoding, "the column map is not UTF-8", file: input.name,
                fix: "save it as UTF-8")
        }
        var entries: [Entry] = []
        for (i, bytes) in ColumnMap.lines(input.bytes).enumerated() {
            let line = HeaderNames.trim(
                String(decoding: UnsafeRawBufferPointer(rebasing: bytes), as: UTF8.self))
            if line.isEmpty || line.first == "#" { continue }
            guard let (column, rest) = ColumnMap.column(line), !column.isEmpty else {
                throw FormatError(
                    .malformed, "a line of a column map is: column = field", file: input.name,
                    line: i + 1, excerpt: line)
            }
            let field = ColumnMap.withoutComment(rest)
            guard !field.isEmpty else {
                throw FormatError(
                    .malformed, "the column \(column) has no field", file: input.name,
                    line: i + 1, excerpt: line,
                    fix: "keep holds it under its name, - leaves it out; " + ColumnFields.help)
            }
            guard field.count(where: { $0 == "\"" }) % 2 == 0 else {
                throw FormatError(
                    .malformed, "a quote of the field is not closed", file: input.name,
                    line: i + 1, excerpt: line, fix: "close the label's quotes: date \"First met\"")
            }
            entries.append(Entry(column: column, field: field, line: i + 1))
        }
        self.entries = entries
    }

    /// Whether all columns are told by their places, as those of a file without names are.
    var isByPosition: Bool {
        !entries.isEmpty
            && entries.allSatisfy {
                let fold = HeaderNames.fold($0.column)
                return fold.hasPrefix("column") && Int(fold.dropFirst(6)) != nil
            }
    }

    private static func lines(_ bytes: UnsafeRawBufferPointer) -> [Slice<UnsafeRawBufferPointer>] {
        var bytes = bytes[...]
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes = bytes.dropFirst(3) }
        return bytes.split(separator: 10, omittingEmptySubsequences: false)
    }

    /// The column a line begins with, in quotes or up to the sign, and what follows the sign.
    private static func column(_ line: String) -> (String, Substring)? {
        guard line.first == "\"" else {
            guard let sign = line.firstIndex(of: "=") else { return nil }
            return (
                HeaderNames.trim(String(line[..<sign])), line[line.index(after: sign)...]
            )
        }
        var column = ""
        var i = line.index(after: line.startIndex)
        while i < line.endIndex, line[i] != "\"" {
            var c = line[i]
            if c == "\\" {
                i = line.index(after: i)
                guard i < line.endIndex else { return nil }
                c = line[i] == "n" ? "\n" : line[i]
            }
            column.append(c)
            i = line.index(after: i)
        }
        guard i < line.endIndex else { return nil }
        let rest = HeaderNames.trim(String(line[line.index(after: i)...]))
        guard rest.first == "=" else { return nil }
        return (HeaderNames.trim(column), rest.dropFirst())
    }

    /// A field without what stands behind ` # `.
    private static func withoutComment(_ text: Substring) -> String {
        var field = text
        if let comment = (" " + text).firstRange(of: " # ") {
            let whole = " " + text
            field = whole[..<comment.lowerBound]
        }
        return HeaderNames.trim(String(field))
    }

    /// A line as this reads it.
    public static func line(column: String, field: String, remark: String? = nil) -> String {
        var name = column
        let isOdd = name.contains { $0 == "=" || $0 == "\"" || $0.isNewline }
        if isOdd || name.first == "#" || HeaderNames.trim(name) != name {
            var quoted = ""
            for c in name {
                switch c {
                case "\"", "\\": quoted += "\\\(c)"
                case _ where c.isNewline: quoted += "\\n"
                default: quoted.append(c)
                }
            }
            name = "\"\(quoted)\""
        }
        return "\(name) = \(field)" + (remark.map { "  # \($0)" } ?? "")
    }

    /// The entry of each column of a document: by name, by a name that is equal but for case and
    /// punctuation, or by position (`column 3`).
    /// - Throws: `unknownName` for a column that is not there, `malformed` for one named twice.
    func places(in document: CSVDocument) throws(FormatError) -> [Int: Entry] {
        let headers = document.headers
        let folded = headers.map(HeaderNames.fold)
        var places: [Int: Entry] = [:]
        for entry in entries {
            let fold = HeaderNames.fold(entry.column)
            let same = folded.indices.filter { folded[$0] == fold }
            var place = headers.firstIndex(of: entry.column)
            if place == nil, same.count == 1 { place = same[0] }
            if place == nil, fold.hasPrefix("column"), let n = Int(fold.dropFirst(6)), n > 0,
                n <= headers.count
            {
                place = n - 1
            }
            guard let place else {
                throw FormatError(
                    .unknownName, "\(document.input.name) has no column \(entry.column)",
                    file: name, line: entry.line, property: entry.column,
                    fix: suggestion(for: entry.column, among: headers))
            }
            guard places.updateValue(entry, forKey: place) == nil else {
                throw FormatError(
                    .malformed, "the column \(entry.column) is named twice", file: name,
                    line: entry.line, property: entry.column)
            }
        }
        return places
    }
}
