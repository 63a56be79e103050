// Reads one JSON object into one row of a batch: members to properties, in any order. The values
// themselves are read in JSONRowReader+Values; where rows stand, and what becomes of a bad one,
// is for the readers of documents.

/// Turns JSON objects into rows.
final class JSONRowReader {
    let source: JSONSource
    let schema: Schema
    let report: Report
    /// Accept values that are spelled another way: text for numbers, 0/1 and yes/no for booleans.
    let isLenient: Bool
    /// Take every value for a string property as it stands in the text.
    let asText: Bool
    /// How bare numbers are read as dates; nil refuses them.
    let epoch: String?
    /// Which of two members of one name counts: `first`, `last` (nil) or none (`error`).
    private let duplicates: String?
    /// Finds the object key for a primary key value of a class: class position and a scanner that
    /// stands before the value.
    var resolve: ((Int, JSONScanner) throws(FormatError) -> Int64?)?
    /// Leads the object key of a link to a class on; without it the key is taken as it stands.
    var resolveKey: ((Int, Int64) throws(FormatError) -> Int64?)?
    /// Let rows lack required properties, which the stored rows that they update may have.
    var allowsGaps = false
    /// Let the items of contacts lack their place and texts that may be empty.
    var fillsItems = false
    /// The place of items without one: behind those that have.
    static let lastOrder: Int64 = 1_000_000
    /// The required properties that the row read last lacks.
    @exclusivity(unchecked) private(set) var gaps: [Int] = []
    /// What the embedded objects of that row lack: positions from the class down.
    @exclusivity(unchecked) private(set) var innerGaps: [[Int]] = []
    /// Where the reader stands among embedded objects; nil inside of a list of them.
    @exclusivity(unchecked) private var path: [Int]? = []
    /// The key of the row read last, if it had a `$key`.
    @exclusivity(unchecked) private(set) var key: Int64?

    let scratch: RawVector<UInt8>
    /// The text of a wrapped value that stands in escapes.
    let unescaped: RawVector<UInt8>
    private let marks: RawVector<UInt8>
    @exclusivity(unchecked) private var shapes: [Int: JSONRowShape] = [:]
    private var noted: Set<String> = []
    let classIndices: [String: Int]
    let embedded: [Bool]

    init(
        source: JSONSource, schema: Schema, context: ExchangeContext, isLenient: Bool,
        asText: Bool = false
    ) {
        self.source = source
        self.schema = schema
        self.isLenient = isLenient
        self.asText = asText
        report = context.report
        epoch = context.options.extra["epoch"]
        duplicates = context.options.extra["dup"]
        scratch = RawVector(capacity: 256)
        unescaped = RawVector(capacity: 16)
        marks = RawVector(capacity: 64)
        var indices: [String: Int] = [:]
        for (i, c) in schema.classes.enumerated() where c.isTable { indices[c.name] = i }
        for (i, c) in schema.classes.enumerated() where !c.isTable { indices[c.name] = i }
        classIndices = indices
        embedded = schema.classes.map { $0.kind == .embedded }
    }

    deinit {
        scratch.destroy()
        unescaped.destroy()
        marks.destroy()
    }

    func shape(class index: Int) -> JSONRowShape {
        if let known = shapes[index] { return known }
        let shape = JSONRowShape(schema.classes[index])
        shapes[index] = shape
        return shape
    }

    /// Reads the object at the cursor as the next row of the batch.
    /// - Throws: what is wrong with it, with the property's name; the batch is as before then.
    @inline(__always)
    func row(_ s: inout JSONScanner, into batch: RecordBatch, _ shape: JSONRowShape)
        throws(FormatError)
    {
        key = nil
        if !gaps.isEmpty { gaps.removeAll() }
        if !innerGaps.isEmpty { innerGaps.removeAll() }
        let row = batch.rowCount
        do throws(FormatError) {
            try object(&s, into: batch, shape, isTop: true)
        } catch {
            batch.truncate(to: row)
            throw error
        }
    }

    /// Reads an object; on failure the batch may hold part of the row.
    func object(
        _ s: inout JSONScanner, into batch: RecordBatch, _ shape: JSONRowShape, isTop: Bool
    ) throws(FormatError) {
        let row = batch.rowCount
        let count = shape.count
        let columns = batch.columns
        let markStart = marks.count
        marks.append(repeating: 0, count: count)
        defer { marks.truncate(to: markStart) }
        var found = 0
        var guess = 0
        var isFirst = true
        try s.enterObject()
        let depth = s.depth
        while try s.nextMember(&isFirst) {
            var name = s.bytes(s.name)
            if s.name.hasEscapes {
                scratch.removeAll()
                decode(s.name, s, into: scratch)
                name = UnsafeRawBufferPointer(scratch.elements)
            }
            guard let i = shape.index(name, guess: guess) ?? bare(name, shape) else {
                try other(&s, isTop: isTop, shape)
                continue
            }
            guess = i &+ 1
            let column = columns[i]
            if marks[markStart &+ i] == 0 {
                marks[markStart &+ i] = 1
                found &+= 1
            } else {
                if try !isLastToCount(shape, i, s.name.start) {
                    try s.skip()
                    continue
                }
                column.truncate(to: row)
            }
            let start = s.at
            do throws(FormatError) {
                try value(&s, into: column, shape, i)
            } catch {
                guard isRepeated(&s, start, depth, shape, i) else { throw named(error, shape, i) }
                column.truncate(to: row)
            }
        }
        if found < count {
            for i in 0..<count where marks[markStart &+ i] == 0 {
                try missing(columns[i], shape, i, s.at, isTop: isTop)
            }
        }
        batch.closeRow()
    }

    /// The property of a name that begins with `$` and was not written by us.
    @inline(never)
    private func bare(_ name: UnsafeRawBufferPointer, _ shape: JSONRowShape) -> Int? {
        guard isLenient, name.first == 0x24, name.count < 2 || name[1] != 0x24 else { return nil }
        return ([0x24] + Array(name)).withUnsafeBytes { shape.index($0, guess: 0) }
    }

    @inline(never)
    private func other(_ s: inout JSONScanner, isTop: Bool, _ shape: JSONRowShape)
        throws(FormatError)
    {
        if isTop, s.isEqual(s.name, "$key") {
            key = try JSONWrapper.int(&s)
            return
        }
        let name = s.text(s.name)
        note(
            .lost, "unknown-member", s.name.start, "\(shape.classSchema.name).\(name)",
            "a member that is no property of the class was left out")
        try s.skip()
    }

    /// What becomes of a member that an object has twice.
    @inline(never)
    private func isLastToCount(_ shape: JSONRowShape, _ i: Int, _ offset: Int)
        throws(FormatError) -> Bool
    {
        let name = shape.classSchema.properties[i].name
        if duplicates == "error" {
            throw FormatError(
                .duplicateKey, "the object has the member \(name) twice", offset: offset,
                property: name, fix: "pass --dup first or --dup last")
        }
        let isLast = duplicates != "first"
        note(
            .lost, "duplicate-member", offset, "\(shape.classSchema.name).\(name)",
            "an object has the member twice: the \(isLast ? "last" : "first") one counts "
                + "(--dup first, last or error)")
        return isLast
    }

    /// After a bad value: whether a later member of the same name counts in its place; the cursor
    /// is then behind the bad one.
    @inline(never)
    private func isRepeated(
        _ s: inout JSONScanner, _ start: Int, _ depth: Int, _ shape: JSONRowShape, _ i: Int
    ) -> Bool {
        if let duplicates, duplicates != "last" { return false }
        var ahead = s
        ahead.rewind(to: start, depth: depth)
        do throws(FormatError) {
            try ahead.skip()
            let end = ahead.at
            var isFirst = false
            while try ahead.nextMember(&isFirst) {
                let name = Array(ahead.text(ahead.name).utf8)
                let other = name.withUnsafeBytes { shape.index($0, guess: i) ?? bare($0, shape) }
                if other == i {
                    s.rewind(to: end, depth: depth)
                    return true
                }
                try ahead.skip()
            }
        } catch {}
        return false
    }

    /// The names that the object at the cursor has more than once; nil for none, and where nobody
    /// said which counts.
    func repeats(_ s: JSONScanner) throws(FormatError) -> MemberRepeats? {
        guard let duplicates else { return nil }
        var ahead = s
        var isFirst = true
        var repeats = MemberRepeats(firstCounts: duplicates == "first")
        var hasSome = false
        try ahead.enterObject()
        while try ahead.nextMember(&isFirst) {
            let name = ahead.text(ahead.name)
            if repeats.add(name) {
                hasSome = true
                if duplicates == "error" {
                    throw FormatError(
                        .duplicateKey, "the object has the member \(name) twice",
                        offset: ahead.name.start, property: name,
                        fix: "pass --dup first or --dup last")
                }
                note(
                    .lost, "duplicate-member", ahead.name.start, name,
                    "an object has the member twice: the \(duplicates) one counts "
                        + "(--dup first, last or error)")
            }
            try ahead.skip()
        }
        return hasSome ? repeats : nil
    }

    /// Reads an embedded object, which may say only what changes where rows may.
    func embeddedObject(
        _ s: inout JSONScanner, into column: Column, _ shape: JSONRowShape, _ i: Int
    ) throws(FormatError) {
        guard allowsGaps else { return try object(&s, into: column.child, shape, isTop: false) }
        let outer = path
        path = column.property.collection == nil ? outer.map { $0 + [i] } : nil
        defer { path = outer }
        try object(&s, into: column.child, shape, isTop: false)
    }

    @inline(never)
    private func missing(
        _ column: Column, _ shape: JSONRowShape, _ i: Int, _ end: Int, isTop: Bool
    ) throws(FormatError) {
        let p = shape.classSchema.properties[i]
        if !isTop, allowsGaps, !fillsItems, let path, !path.isEmpty {
            innerGaps.append(path + [i])
            return column.appendNull()
        }
        if p.collection == nil && !p.isOptional && p.type != .mixed && p.type != .link {
            if isTop, allowsGaps {
                gaps.append(i)
                return column.appendNull()
            }
            if !isTop, fillsItems, fill(column, p, shape) { return }
            throw FormatError(
                .missingValue, "the required property is missing", offset: end - 1,
                property: p.name,
                fix: "add the member, or make the property optional in the schema")
        }
        column.appendNull()
    }

    /// Fills in what an item does not say; false where that is what the item is for.
    private func fill(_ column: Column, _ p: Property, _ shape: JSONRowShape) -> Bool {
        switch (shape.classSchema.name, p.name) {
        case (_, "order") where p.type == .int: column.append(word: JSONRowReader.lastOrder)
        case ("Text", _), ("Line", _): return false
        case ("LabeledDate", "kind"): column.append("other")
        default:
            guard p.type == .string else { return false }
            column.append("")
        }
        return true
    }

    @inline(never)
    private func named(_ error: FormatError, _ shape: JSONRowShape, _ i: Int) -> FormatError {
        let name = shape.classSchema.properties[i].name
        return error.with { $0.property = $0.property.map { "\(name).\($0)" } ?? name }
    }

    /// Decodes a string, counting what could not be kept.
    func decode(_ slice: JSONSlice, _ s: JSONScanner, into out: RawVector<UInt8>) {
        let replaced = JSONText.decode(s.bytes(slice), into: out)
        if replaced > 0 {
            note(
                .lost, "lone-surrogate", slice.start, nil,
                "half a character of UTF-16 became U+FFFD", count: replaced)
        }
    }

    /// Notes something; only the first of a kind is worth the walk to its line.
    @inline(never)
    private func note(
        _ kind: Report.ItemClass, _ code: String, _ offset: Int, _ property: String?,
        _ action: String, count: Int = 1
    ) {
        let isNew = noted.insert(code + (property ?? "")).inserted
        report.note(
            kind, code, source: source.input.name,
            line: isNew ? source.position(of: offset).line : nil, property: property,
            count: count, action: action)
    }
}

/// Which of several members of one name counts.
struct MemberRepeats {
    private let firstCounts: Bool
    private var total: [String: Int] = [:]
    private var seen: [String: Int] = [:]

    init(firstCounts: Bool) { self.firstCounts = firstCounts }

    /// Counts a member; true when there was one of this name before.
    mutating func add(_ name: String) -> Bool {
        total[name, default: 0] += 1
        return (total[name] ?? 0) > 1
    }

    /// True when the next member of this name is the one that counts.
    mutating func isNextToCount(_ name: String) -> Bool {
        seen[name, default: 0] += 1
        return seen[name] == (firstCounts ? 1 : total[name])
    }
}
