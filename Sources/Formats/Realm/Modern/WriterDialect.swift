// In what the file formats that can be written differ. The builders ask here instead of comparing
// numbers themselves.

/// What a file format has, as a writer sees it.
struct WriterDialect: Sendable, Equatable {
    let fileFormat: Int

    static let newest = WriterDialect(24)
    /// The formats that can be written.
    static let known = [22, 23, 24]

    init(_ fileFormat: Int) { self.fileFormat = fileFormat }

    /// Decimal leaves of 4 and 8 bytes a value, and the mark of all zeros.
    var hasNarrowDecimals: Bool { fileFormat >= 24 }
    /// Lists and dictionaries inside mixed values.
    var nestsCollections: Bool { fileFormat >= 24 }
    /// The references of a mixed leaf.
    var mixedSlots: Int { fileFormat >= 24 ? 6 : 4 }
    /// A list of links has a column type of its own.
    var hasLinkListType: Bool { fileFormat < 24 }
    /// Long lists of backlinks are trees, not one long leaf.
    var hasBacklinkTrees: Bool { fileFormat >= 24 }
    /// Dictionaries are cluster trees by the hash of their keys, not two lists in key order.
    var hashesDictionaries: Bool { fileFormat < 23 }
    var hasFullText: Bool { fileFormat >= 23 }
    /// The number in the top that says which history the engine keeps.
    var historySchema: Int64 { fileFormat >= 24 ? 1 : 0 }
}

/// What a store cannot hold in the file format it was to be written in: gathered while the rows
/// pass, so that all of it can be named at once.
final class RefusedContent {
    private var order: [String] = []
    private var counts: [String: Int] = [:]

    var isEmpty: Bool { order.isEmpty }

    /// Notes something that cannot be written.
    func add(_ what: String, _ property: String, _ report: Report, code: String) {
        let key = "\(property) (\(what))"
        if counts[key] == nil { order.append(key) }
        counts[key, default: 0] += 1
        report.note(.lost, code, property: property, action: "refused: \(what)")
    }

    /// The error that names all of it.
    func error(_ dialect: WriterDialect, file: String) -> FormatError {
        let shown = order.prefix(20).map { key in
            counts[key, default: 1] > 1 ? "\(key) x \(counts[key, default: 1])" : key
        }
        let more = order.count > shown.count ? ", and \(order.count - shown.count) more" : ""
        return FormatError(
            .unsupported,
            "file format \(dialect.fileFormat) cannot hold \(shown.joined(separator: ", "))\(more)",
            file: file, fix: "write file format 24, or remove them first")
    }
}
