// Titles that divide sorted rows into sections, as the lists of an app show them: the first
// letter of a name, the value of a property, the day, month or year of a date (UTC).

/// A rule that gives each row the title of its section.
public struct RowSections: Sendable {
    enum Rule: Sendable {
        case value
        case firstLetter
        case day, month, year
    }

    let path: PropertyPath
    let rule: Rule

    /// The positions of the properties it looks at.
    public var properties: Set<Int> { [path.first] }

    /// Reads a rule: `name[0]` or `name.first`, `done`, `date.day`, `date.month`, `date.year`.
    /// - Throws: `usage`, `unknownName`, `unsupported`, each with the column in the text.
    public static func parse(_ text: String, schema: Schema, classIndex: Int)
        throws(FormatError) -> RowSections
    {
        let tokens = try QueryLexer.tokens(text)
        var rule = Rule.value
        let count = tokens.count - 1
        func tail(_ kinds: [QueryToken.Kind]) -> Bool {
            count > kinds.count
                && zip(tokens[(count - kinds.count)..<count], kinds)
                    .allSatisfy { $0.kind == $1 }
        }
        /// The same text without the rule's own ending.
        func read(dropping tail: Int) throws(FormatError) -> PropertyPath {
            var part = tokens
            part.removeSubrange((count - tail)..<count)
            var at = 0
            let path = try PathReader.read(
                part, &at, source: text, schema: schema, classIndex: classIndex)
            guard part[at].kind == .end else {
                throw FormatError(
                    .usage, "expected the end of the rule here",
                    column: part[at].range.lowerBound + 1, excerpt: text,
                    fix: "write a property, name[0], date.day, date.month or date.year")
            }
            return path
        }
        var path: PropertyPath?
        if tail([.symbol("["), .number("0"), .symbol("]")]) {
            let whole = try read(dropping: 3)
            if whole.type == .string, !whole.endsInCollection {
                rule = .firstLetter
                path = whole
            }
        } else if count > 2, tokens[count - 2].kind == .symbol("."),
            case .word(let word) = tokens[count - 1].kind
        {
            let wanted: Rule? =
                switch word {
                case "first": .firstLetter
                case "day": .day
                case "month": .month
                case "year": .year
                default: nil
                }
            if let wanted, let whole = try? read(dropping: 2), !whole.isMany,
                whole.type == (wanted == .firstLetter ? .string : .date)
            {
                rule = wanted
                path = whole
            }
        }
        let found: PropertyPath
        if let path { found = path } else { found = try read(dropping: 0) }
        if found.isMany || found.type == .link || found.type == .table {
            throw FormatError(
                .unsupported, "\(found.text) is not one value that could be a title", column: 1,
                property: found.text, excerpt: text)
        }
        return RowSections(path: found, rule: rule)
    }

    /// The title of a row's section; nil where the value is.
    func title(_ batch: RecordBatch, _ row: Int) -> String? {
        let value = path.value(batch, row)
        if case .text(let bytes) = value {
            let text = String(decoding: bytes, as: UTF8.self)
            return rule == .firstLetter ? text.first.map { $0.uppercased() } ?? "" : text
        }
        let out = RawVector<UInt8>()
        defer { out.destroy() }
        switch value {
        case .null: return nil
        case .bool(let v): return v ? "true" : "false"
        case .int(let v), .link(let v): return String(v)
        case .double(let v):
            if case .float = path.type { return Float(v).description }
            return v.description
        case .decimal(let v): ScalarText.write(v, to: out)
        case .objectID(let v): ScalarText.write(v, to: out)
        case .uuid(let v): ScalarText.write(v, to: out)
        case .data(let v): ScalarText.write(base64: v, to: out)
        case .date(let v):
            guard ScalarText.write(date: v, to: out) else { return String(v.seconds) }
            let length =
                switch rule {
                case .day: 10
                case .month: 7
                case .year: 4
                default: out.count
                }
            out.truncate(to: min(length, out.count))
        case .text, .other: return ""
        }
        return String(decoding: out.elements, as: UTF8.self)
    }
}
