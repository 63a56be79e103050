// Reads plain JSON rows: arrays, NDJSON, wrappers, arrays by class. A row that does not fit is
// set aside verbatim and the rest goes on; only a text that is no JSON at all is an error.

/// Reads rows of JSON, into a class that is given or into one found out from the rows.
public final class JSONRowsReader: RecordReader {
    /// What becomes of the values when no class is given.
    public enum Cells: Sendable {
        /// Types found out from all rows.
        case typed
        /// Every value as it stands in the text, strings decoded.
        case text
        /// Each object as it stands, for JSON; rows of several classes are typed all the same.
        case verbatim
    }

    /// All classes.
    public let schema: Schema

    private let source: JSONSource
    private let context: ExchangeContext
    private let rows: JSONRowReader
    private let groups: [(group: JSONRowsLayout.Group, classIndex: Int)]
    /// Where the object keys of a class found out come from, if it needs any.
    private let keys: [Int: KeySource]
    /// For strings of verbatim rows; nil for others.
    private let scratch: RawVector<UInt8>?

    private enum KeySource { case own, places }

    /// What the rows read last lack; only where that is allowed.
    public private(set) var gaps = RowGaps()
    /// Set rows aside that have a value larger than a store can hold.
    var limitsValues = false
    /// Let the items of contacts lack what a person has no reason to write.
    var fillsItems: Bool {
        get { rows.fillsItems }
        set { rows.fillsItems = newValue }
    }
    /// Let rows lack required properties, which the stored rows that they update may have.
    var allowsGaps: Bool {
        get { rows.allowsGaps }
        set { rows.allowsGaps = newValue }
    }

    @exclusivity(unchecked) private var at = 0
    @exclusivity(unchecked) private var isOpen = false
    @exclusivity(unchecked) private var isFirst = true
    @exclusivity(unchecked) private var scanner: JSONScanner
    @exclusivity(unchecked) private var record = 0

    /// Looks at the structure of the text and, without a target, at all rows.
    /// - Parameters:
    ///   - input: the text.
    ///   - className: the name of a class that is found out.
    ///   - target: the schema and class the rows are to be read as.
    ///   - cells: what becomes of values without a target.
    ///   - isLines: whether the text is NDJSON: an object alone is a row then, never a wrapper.
    ///   - known: classes that rows under a class's name are typed by, without a target.
    ///   - context: options (`path`, `epoch`), report and rejects.
    /// - Throws: `emptyFile`, `malformed`, `badEncoding`, `limitExceeded`, `unknownName`.
    public init(
        input: InputBytes, className: String, target: (schema: Schema, classIndex: Int)? = nil,
        cells: Cells = .typed, isLines: Bool = false, known: Schema? = nil,
        context: ExchangeContext
    ) throws(FormatError) {
        let original = try JSONSource(input)
        do throws(FormatError) {
            let studio = try RealmStudioJSON.plain(original)
            source = studio ?? original
            let targetName = target.map { $0.schema.classes[$0.classIndex].name }
            let layout = try JSONRowsLayout(
                source, path: context.options.extra["path"], target: targetName, isLines: isLines)
            layout.noteBeside(source, context.report)
            let asText = cells == .text && target == nil
            var keys: [Int: KeySource] = [:]
            var isVerbatim = false
            if let target {
                schema = target.schema
                groups = layout.groups.map { ($0, target.classIndex) }
            } else if cells == .verbatim, layout.groups.count == 1, studio == nil {
                isVerbatim = true
                schema = Schema(classes: [JSONVerbatim.classSchema(className)])
                groups = layout.groups.map { ($0, 0) }
            } else {
                let names = layout.groups.map { (group) -> String in
                    guard let name = group.name else { return className }
                    // Realm Studio names the classes, a wrapper does not.
                    if studio != nil { return name }
                    return layout.groups.count > 1 || known?.has(name) == true ? name : className
                }
                // Rows under the name of a known class are of it; the others tell theirs.
                var found = Schema(classes: [])
                if let known, layout.groups.contains(where: { known.has($0.name) }) {
                    found = known
                }
                var placed: [(JSONRowsLayout.Group, Int)] = []
                var hasLinks = false
                for (group, name) in zip(layout.groups, names) {
                    if found.has(group.name), let index = found.index(of: name) {
                        placed.append((group, index))
                        continue
                    }
                    placed.append((group, found.classes.count))
                    let inference = try JSONRowsReader.infer(
                        group, source, asText: asText)
                    if inference.keys == .own {
                        keys[found.classes.count] = .own
                    } else if inference.hasLinks(to: Set(names)) {
                        hasLinks = true
                    }
                    found.classes.append(
                        inference.classSchema(
                            name, asText: asText, classes: Set(names), context.report))
                }
                if hasLinks {
                    // Links name rows by their numbers, also behind one that is set aside.
                    for (_, index) in placed where keys[index] == nil {
                        keys[index] = .places
                        context.report.note(
                            .guessed, "link-by-row", source: input.name,
                            property: found.classes[index].name,
                            action: "its rows have no $key of their own, so links to them were "
                                + "taken to count rows from 0")
                    }
                }
                schema = found
                groups = placed
            }
            self.keys = keys
            scratch = isVerbatim ? RawVector(capacity: 256) : nil
            rows = JSONRowReader(
                source: source, schema: schema, context: context, isLenient: true, asText: asText)
            if let links = context.links {
                let classes = Set(groups.map(\.classIndex))
                rows.follow(links, isDocument: groups.count > 1 || source !== original) {
                    classes.contains($0)
                }
            }
        } catch { throw original.located(error) }
        self.context = context
        scanner = source.scanner()
    }

    deinit { scratch?.destroy() }

    /// Reads one object, as values or as its text.
    @inline(__always)
    private func object(_ s: inout JSONScanner, _ batch: RecordBatch, _ shape: JSONRowShape)
        throws(FormatError)
    {
        guard let scratch else { return try rows.row(&s, into: batch, shape) }
        try JSONVerbatim.row(&s, into: batch, scratch: scratch) { place, count in
            context.report.note(
                .lost, "lone-surrogate", source: source.input.name,
                line: source.position(of: place).line, record: record, count: count,
                action: "half a character of UTF-16 became U+FFFD")
        }
    }

    /// One scan over the rows of a group; bad ones do not count.
    private static func infer(
        _ group: JSONRowsLayout.Group, _ source: JSONSource, asText: Bool
    ) throws(FormatError) -> JSONInference {
        var inference = JSONInference()
        var s = source.scanner()
        s.at = group.offset
        var isFirst = true
        switch group.kind {
        case .single: try inference.scan(&s, kinds: !asText)
        case .array:
            repeat {
                isFirst = true
                try s.enterArray()
                while try s.nextElement(&isFirst) {
                    source.input.release(before: s.at)
                    if try s.peek() == .object {
                        try inference.scan(&s, kinds: !asText)
                    } else {
                        try s.skip()
                    }
                }
            } while group.name == nil && followsArray(&s)
        case .lines:
            while !s.isAtEnd() {
                source.input.release(before: s.at)
                let mark = s
                do throws(FormatError) {
                    try inference.scan(&s, kinds: !asText)
                } catch {
                    s = mark
                    guard s.skipLine() else { break }
                }
            }
        }
        return inference
    }

    /// True when a further array begins on a later line.
    private static func followsArray(_ s: inout JSONScanner) -> Bool {
        let end = s.at
        guard !s.isAtEnd(), s.base[s.at] == 0x5B else { return false }
        return firstIndex(of: 0x0A, in: s.base + end, count: s.at - end) != nil
    }

    /// The next rows.
    /// - Throws: `malformed` and the like, where the text is no JSON; bad rows are set aside.
    public func next(into batch: RecordBatch) throws(FormatError) -> Bool {
        while at < groups.count {
            let (group, classIndex) = groups[at]
            source.input.release(before: scanner.at)
            batch.begin(class: classIndex)
            if !gaps.texts.isEmpty { gaps = RowGaps() }
            do throws(FormatError) {
                if !isOpen { try open(group) }
                batch.firstRecord = record + 1
                let isDone =
                    switch group.kind {
                    case .array: try array(batch, group)
                    case .lines: lines(batch)
                    case .single: try single(batch)
                    }
                if isDone {
                    at += 1
                    isOpen = false
                }
            } catch {
                throw source.located(error).with { if $0.record == nil { $0.record = record } }
            }
            if batch.rowCount > 0 { return true }
        }
        batch.removeAll()
        return false
    }

    private func open(_ group: JSONRowsLayout.Group) throws(FormatError) {
        scanner = source.scanner()
        scanner.at = group.offset
        isFirst = true
        isOpen = true
        record = 0
        if group.kind == .array { try scanner.enterArray() }
    }

    // MARK: Shapes

    private func array(_ batch: RecordBatch, _ group: JSONRowsLayout.Group) throws(FormatError)
        -> Bool
    {
        var s = scanner
        defer { scanner = s }
        let shape = rows.shape(class: batch.classIndex)
        let limit = s.at &+ JSONStoreReader.batchBytes
        while batch.rowCount < JSONStoreReader.batchRows, s.at < limit {
            guard try s.nextElement(&isFirst) else {
                guard group.name == nil else { return true }
                if JSONRowsReader.followsArray(&s) {
                    try s.enterArray()
                    isFirst = true
                    continue
                }
                if context.options.extra["path"] == nil { try s.finish() }
                return true
            }
            record += 1
            context.report.read += 1
            try row(&s, batch, shape)
        }
        return false
    }

    private func single(_ batch: RecordBatch) throws(FormatError) -> Bool {
        record = 1
        context.report.read += 1
        try row(&scanner, batch, rows.shape(class: batch.classIndex))
        return true
    }

    /// Reads one row, or sets it aside; throws only where the text is no JSON.
    @inline(__always)
    private func row(_ s: inout JSONScanner, _ batch: RecordBatch, _ shape: JSONRowShape)
        throws(FormatError)
    {
        let mark = s
        let count = batch.rowCount
        do throws(FormatError) {
            try object(&s, batch, shape)
            if limitsValues, s.at &- mark.at > ValueLimit.bytes { try checkSizes(batch, count) }
            addKey(batch)
            if hasGaps { addGaps(batch, from: mark.at, to: s.at) }
        } catch {
            s = mark
            try s.skip()
            setAside(from: mark.at, to: s.at, error)
        }
    }

    /// Refuses a row with a value that no store can hold; the batch is as before then.
    private func checkSizes(_ batch: RecordBatch, _ row: Int) throws(FormatError) {
        guard let refusal = ValueLimit.refusal(of: row, in: batch) else { return }
        batch.truncate(to: row)
        throw refusal
    }

    private var hasGaps: Bool { !rows.gaps.isEmpty || !rows.innerGaps.isEmpty }

    /// Notes what the row read last lacks.
    @inline(never)
    private func addGaps(_ batch: RecordBatch, from start: Int, to end: Int) {
        let row = batch.rowCount - 1
        for column in rows.gaps { gaps.cells.append((row, column)) }
        for path in rows.innerGaps { gaps.inner.append((row, path)) }
        gaps.texts.append(
            (row, RowText(bytes: Array(source.input.bytes[start..<end]), file: source.input.name)))
    }

    /// The object key of the row read last, where its class needs one.
    @inline(__always)
    private func addKey(_ batch: RecordBatch) {
        if !keys.isEmpty { addKeySlowly(batch) }
    }

    @inline(never)
    private func addKeySlowly(_ batch: RecordBatch) {
        switch keys[batch.classIndex] {
        case .own: batch.keys.append(rows.key ?? Int64(record - 1))
        case .places: batch.keys.append(Int64(record - 1))
        case nil: break
        }
    }

    private func setAside(from start: Int, to end: Int, _ error: FormatError) {
        let reason = source.located(error).with { $0.record = record }
        context.setAside(
            UnsafeRawBufferPointer(rebasing: source.input.bytes[start..<end]), reason)
    }

    /// Rows one behind the other: a line that is no JSON is set aside, too.
    private func lines(_ batch: RecordBatch) -> Bool {
        var s = scanner
        defer { scanner = s }
        let shape = rows.shape(class: batch.classIndex)
        let limit = s.at &+ JSONStoreReader.batchBytes
        while batch.rowCount < JSONStoreReader.batchRows, s.at < limit {
            if s.isAtEnd() { return true }
            record += 1
            context.report.read += 1
            let mark = s
            let count = batch.rowCount
            // A row is set aside once; that its line is no JSON is the better reason.
            var reason: FormatError?
            do throws(FormatError) {
                do throws(FormatError) {
                    try object(&s, batch, shape)
                    if limitsValues, s.at &- mark.at > ValueLimit.bytes {
                        try checkSizes(batch, count)
                    }
                } catch {
                    reason = error
                    s = mark
                    try s.skip()
                }
                let end = s.at
                try endOfRow(&s)
                if let reason {
                    setAside(from: mark.at, to: end, reason)
                } else {
                    addKey(batch)
                    if hasGaps { addGaps(batch, from: mark.at, to: end) }
                }
            } catch {
                batch.truncate(to: count)
                s = mark
                _ = s.skipLine()
                var end = s.at
                while end > mark.at, source.input.bytes[end - 1] <= 0x20 { end -= 1 }
                setAside(from: mark.at, to: end, JSONRowsReader.within(error, end))
            }
        }
        return false
    }

    /// An object that is cut off runs into the next line: its own is the broken one.
    private static func within(_ error: FormatError, _ end: Int) -> FormatError {
        guard let offset = error.details.offset, offset > end else { return error }
        return FormatError(
            .malformed, "the object does not end on its line", offset: end,
            fix: "the line was cut off: export it again")
    }

    /// Behind a row stands another one, the end of the line or of the text.
    private func endOfRow(_ s: inout JSONScanner) throws(FormatError) {
        let end = s.at
        if s.isAtEnd() || s.base[s.at] == 0x7B { return }
        if firstIndex(of: 0x0A, in: s.base + end, count: s.at - end) == nil {
            throw s.unexpected("the end of the line")
        }
    }
}

extension Schema {
    /// True when objects of their own stand under the name of a class.
    fileprivate func has(_ name: String?) -> Bool {
        guard let name, let index = index(of: name) else { return false }
        return classes[index].kind == .object && !classes[index].isTable
    }
}
