// Where the rows of a plain JSON text stand: in one array, one a line (or one behind the other),
// in the array of a wrapper, in one array a class, or as one object alone.

/// The groups of rows in a JSON text.
struct JSONRowsLayout {
    /// How the rows of a group are strung together.
    enum Kind {
        /// In an array.
        case array
        /// One behind the other, usually one a line.
        case lines
        /// One object alone.
        case single
    }

    /// Rows of one class.
    struct Group {
        /// The member the rows stand under.
        var name: String?
        var kind: Kind
        /// Where the array or the first row begins.
        var offset: Int
    }

    var groups: [Group]
    /// What stands beside the one array of rows, and is none of them.
    private(set) var beside: [(name: String, offset: Int)] = []

    /// Members that hold the records in well-known exports.
    private static let wrappers: Set<String> = [
        "contacts", "cards", "value", "connections", "items", "data", "results", "records", "rows",
        "features", "people", "tasks", "todos", "entries", "list", "objects",
    ]

    /// Looks at the structure.
    /// - Parameters:
    ///   - path: member names separated by dots that lead to the rows; nil to find out.
    ///   - target: the class that is wanted, if there is one.
    ///   - isLines: whether each object is a row whatever its members are, one alone too.
    init(_ source: JSONSource, path: String?, target: String?, isLines: Bool = false)
        throws(FormatError)
    {
        var s = source.scanner()
        if s.isAtEnd() {
            throw FormatError(
                .emptyFile, "there is no JSON in the input", offset: s.at,
                fix: "check that it was exported whole")
        }
        if let path { try JSONRowsLayout.follow(path, &s) }
        let kind = try s.peek()
        let start = s.at
        switch kind {
        case .array: groups = [Group(kind: .array, offset: start)]
        case .object:
            if path == nil, try JSONRowsLayout.isSeveral(s, source) {
                groups = [Group(kind: .lines, offset: start)]
            } else if path == nil, isLines {
                groups = [Group(kind: .single, offset: start)]
            } else {
                (groups, beside) = try JSONRowsLayout.members(s, start, target)
            }
        default:
            throw FormatError(
                .malformed, "records are expected: an array of objects, or an object a line",
                offset: start)
        }
    }

    /// Moves to the value a path leads to.
    private static func follow(_ path: String, _ s: inout JSONScanner) throws(FormatError) {
        for step in path.split(whereSeparator: { $0 == "." || $0 == "/" }) {
            var isFirst = true
            var isFound = false
            let place = s.at
            switch try s.peek() {
            case .object:
                try s.enterObject()
                while try s.nextMember(&isFirst) {
                    isFound = s.text(s.name) == step
                    if isFound { break }
                    try s.skip()
                }
            case .array:
                var index = Int(step) ?? -1
                try s.enterArray()
                while index >= 0, try s.nextElement(&isFirst) {
                    isFound = index == 0
                    if isFound { break }
                    index -= 1
                    try s.skip()
                }
            default: break
            }
            if !isFound {
                throw FormatError(
                    .unknownName, "the path \(path) leads nowhere: there is no \(step)",
                    offset: place)
            }
        }
    }

    /// True when the object at the cursor is not all of the text.
    private static func isSeveral(_ at: JSONScanner, _ source: JSONSource) throws(FormatError)
        -> Bool
    {
        var s = at
        do throws(FormatError) {
            try s.skip()
            return !s.isAtEnd()
        } catch {
            // A bad first line does not make the others bad: look for a good second one.
            var next = at
            guard next.skipLine() else { throw error }
            do throws(FormatError) {
                guard try next.peek() == .object else { throw error }
                try next.skip()
                return true
            } catch _ { throw error }
        }
    }

    /// One object: a wrapper, arrays by class, or a record.
    private static func members(_ at: JSONScanner, _ start: Int, _ target: String?)
        throws(FormatError) -> (groups: [Group], beside: [(name: String, offset: Int)])
    {
        var s = at
        var arrays: [Group] = []
        var hasRows = false
        var others: [(name: String, offset: Int)] = []
        var isFirst = true
        try s.enterObject()
        while try s.nextMember(&isFirst) {
            let name = s.text(s.name)
            let offset = s.at
            if let isEmpty = try emptiness(s) {
                arrays.append(Group(name: name, kind: .array, offset: offset))
                if !isEmpty { hasRows = true }
            } else {
                others.append((name, offset))
            }
            try s.skip()
        }
        if let target, let group = arrays.first(where: { $0.name == target }) {
            return ([group], [])
        }
        let isPlain = others.map(\.name).allSatisfy {
            // `$$` begins the names of properties, which rows have.
            $0.hasPrefix("@") || ($0.hasPrefix("$") && !$0.hasPrefix("$$"))
                || $0 == "kind" || $0 == "type"
                || $0.lowercased().contains("token") || $0.lowercased().hasPrefix("total")
                || $0 == "etag" || $0 == "count"
        }
        if arrays.count == 1, let only = arrays.first {
            let isWrapper = wrappers.contains(only.name?.lowercased() ?? "")
            // An array without rows says little: what stands beside it may be the row.
            let isWrapped = hasRows ? isPlain || isWrapper : isPlain && isWrapper
            if others.isEmpty || isWrapped { return (arrays, others) }
        }
        if arrays.count > 1, others.isEmpty, target == nil { return (arrays, []) }
        return ([Group(kind: .single, offset: start)], [])
    }

    /// Notes what stands beside the rows. What only describes the array is no loss; the address of
    /// a further page says that rows are missing.
    func noteBeside(_ source: JSONSource, _ report: Report) {
        for (name, offset) in beside {
            let word = name.lowercased()
            var s = source.scanner()
            s.at = offset
            let isNull = (try? s.peek()) == .null
            let isEnd = (try? s.skip()) == nil
            let value = UnsafeRawBufferPointer(
                rebasing: source.input.bytes[offset..<(isEnd ? offset : s.at)])
            let isDescription =
                ["kind", "type", "etag", "count"].contains(word) || word.hasPrefix("total")
                || word.hasPrefix("@") && !word.contains("link")
            let isPage =
                !isNull
                && (word.contains("nextlink") || word == "next" || word.contains("nextpage"))
            report.note(
                isDescription || isNull ? .changed : .lost,
                isPage ? "more-pages" : "beside-rows", source: source.input.name,
                line: source.position(of: offset).line, property: name,
                value: String(decoding: value.prefix(80), as: UTF8.self),
                action: isPage
                    ? "the file is one page of several, and the others are not in it: "
                        + "download them, too" : "it stands beside the rows and was left out")
        }
    }

    /// Whether an array is empty; nil for one that does not begin with an object, and for what is
    /// no array.
    private static func emptiness(_ at: JSONScanner) throws(FormatError) -> Bool? {
        var s = at
        guard try s.peek() == .array else { return nil }
        var isFirst = true
        try s.enterArray()
        guard try s.nextElement(&isFirst) else { return true }
        return try s.peek() == .object ? false : nil
    }
}

extension JSONScanner {
    /// Moves behind the end of the line; false at the end of the text.
    mutating func skipLine() -> Bool {
        guard at < end, let hit = firstIndex(of: 0x0A, in: base + at, count: end - at) else {
            at = end
            return false
        }
        at += hit + 1
        return !isAtEnd()
    }
}
