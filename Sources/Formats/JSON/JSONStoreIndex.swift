// The first pass over a store document: checks its grammar from end to end, reads the schema,
// and notes where the rows of each class stand and whether their keys ascend. So the members may
// come in any order, and nothing is handed on from a text that is broken further down.

/// Where the parts of a store document are.
struct JSONStoreIndex {
    /// The rows of one class.
    struct Section {
        /// Where the array begins.
        var offset: Int
        /// The number of rows.
        var count = 0
        /// How many rows have a `$key`.
        var keyed = 0
        /// Every row has a key, and they ascend.
        var isAscending = true
        /// The largest key.
        var largest: Int64 = -1
    }

    /// All classes and tables.
    var schema = Schema(classes: [])
    /// The file format of the store the document was made from, if it says.
    var fileFormat: Int?
    /// The rows by class position.
    var sections: [Int: Section] = [:]

    init(_ source: JSONSource, _ report: Report) throws(FormatError) {
        var s = source.scanner()
        let reader = JSONSchemaReader(report: report)
        var classes: [ClassSchema]?
        var tables: [ClassSchema] = []
        var objects: [(name: String, at: Int, section: Section)] = []
        var rows: [(name: String, at: Int, section: Section)] = []
        var seen: Set<String> = []
        var isFirst = true
        var version: UInt64?
        try s.enterObject()
        while try s.nextMember(&isFirst) {
            let name = s.text(s.name)
            guard seen.insert(name).inserted else {
                throw s.failure(s.name.start, "the document has the member `\(name)` twice")
            }
            switch name {
            case "rtool":
                let at = s.at
                guard try s.peek() == .number, try s.number().int == 1 else {
                    throw FormatError(
                        .unsupportedVersion, "only store documents of version 1 are known",
                        offset: at)
                }
            case "source":
                fileFormat = try JSONTree(&s)["fileFormat"]?.int.map { Int($0) }
            case "schemaVersion": version = try JSONStoreIndex.version(&s)
            case "classes": classes = try reader.classes(JSONTree(&s), isTable: false)
            case "tables": tables = try reader.classes(JSONTree(&s), isTable: true)
            case "objects": objects = try JSONStoreIndex.sections(&s, of: source)
            case "rows": rows = try JSONStoreIndex.sections(&s, of: source)
            default:
                report.note(
                    .lost, "unknown-member", source: source.input.name, property: name,
                    action: "a member of the document that is not known was left out")
                try s.skip()
            }
        }
        try s.finish()
        guard var all = classes else {
            throw FormatError(
                .malformed, "the document has no `classes`, so it is no store document", offset: 0)
        }
        all += tables
        try reader.check(all)
        schema = Schema(version: version, classes: all)
        try assign(objects, isTable: false)
        try assign(rows, isTable: true)
        for i in all.indices where all[i].isTable || all[i].kind != .embedded {
            schema.classes[i].count = sections[i]?.count ?? 0
        }
    }

    private mutating func assign(
        _ list: [(name: String, at: Int, section: Section)], isTable: Bool
    ) throws(FormatError) {
        for (name, at, section) in list {
            let index = schema.classes.firstIndex { $0.name == name && $0.isTable == isTable }
            guard let index else {
                throw FormatError(
                    .unknownName,
                    "there are rows of `\(name)`, which is not among the "
                        + (isTable ? "tables" : "classes"), offset: at)
            }
            if !isTable, schema.classes[index].kind == .embedded, section.count > 0 {
                throw FormatError(
                    .schemaMismatch, "objects of the embedded class \(name) stand inline only",
                    offset: at)
            }
            sections[index] = section
        }
    }

    private static func version(_ s: inout JSONScanner) throws(FormatError) -> UInt64? {
        let at = s.at
        switch try s.peek() {
        case .null:
            try s.literal(.null)
            return nil
        case .number:
            let n = try s.number()
            let digits = s.bytes(n.slice)
            if let v = n.int, v >= 0 { return UInt64(v) }
            if n.isInteger, let v = UInt64(String(decoding: digits, as: UTF8.self)) {
                return v == .max ? nil : v
            }
        case .object:
            if let v = UInt64(exactly: try JSONWrapper.int(&s)) { return v }
        default: break
        }
        throw s.failure(at, "`schemaVersion` is an unsigned number or null")
    }

    /// `objects` or `rows`: an object of arrays by class.
    private static func sections(_ s: inout JSONScanner, of source: JSONSource) throws(FormatError)
        -> [(name: String, at: Int, section: Section)]
    {
        var result: [(name: String, at: Int, section: Section)] = []
        var names: Set<String> = []
        var isFirst = true
        try s.enterObject()
        while try s.nextMember(&isFirst) {
            let name = s.text(s.name)
            let at = s.name.start
            guard names.insert(name).inserted else {
                throw FormatError(
                    .duplicateKey, "the rows of `\(name)` stand in two places", offset: at)
            }
            var section = Section(offset: s.at)
            do throws(FormatError) {
                try rows(&s) { place, key in
                    source.input.release(before: place)
                    section.count += 1
                    guard let key else {
                        section.isAscending = false
                        return
                    }
                    if section.keyed > 0, key <= section.largest { section.isAscending = false }
                    section.largest = section.keyed == 0 ? key : max(section.largest, key)
                    section.keyed += 1
                }
            } catch {
                throw error.with {
                    $0.record = section.count + 1
                    $0.recordName = "class \(name)"
                }
            }
            result.append((name, at, section))
        }
        return result
    }

    /// Passes an array of rows; gives the place and the `$key` of each.
    @inline(__always)
    static func rows(_ s: inout JSONScanner, _ visit: (Int, Int64?) -> Void)
        throws(FormatError)
    {
        var isFirst = true
        try s.enterArray()
        while try s.nextElement(&isFirst) {
            let start = s.at
            var key: Int64?
            var isFirstMember = true
            try s.enterObject()
            while try s.nextMember(&isFirstMember) {
                if s.isEqual(s.name, "$key") {
                    key = try JSONWrapper.int(&s)
                    // Nothing else matters here; a second `$key` is met when the row is read.
                    try s.skipMembers()
                    break
                }
                try s.skip()
            }
            visit(start, key)
        }
    }
}
