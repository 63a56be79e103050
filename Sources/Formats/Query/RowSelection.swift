// Everything an export may ask of one class, and the reader that answers it: condition, order,
// sections, limit, columns.

/// A selection of the rows and properties of one class.
public struct RowSelection: Sendable {
    /// The class.
    public let classIndex: Int
    /// Only rows that fulfil it.
    public var predicate: Predicate?
    /// The order; nil for the order of the source.
    public var sort: RowSort?
    /// The sections.
    public var sections: RowSections?
    /// At most so many rows, counted after condition and order.
    public var limit: Int?
    /// The properties by position, in the order wanted; nil for all.
    public var columns: [Int]?

    /// The whole class.
    public init(classIndex: Int) { self.classIndex = classIndex }

    /// Reads a selection from the texts of a command line.
    /// - Throws: what `Predicate`, `RowSort` and `RowSections` throw; `unknownName` for a column.
    public init(
        schema: Schema, classIndex: Int, predicate: String? = nil, sort: String? = nil,
        sections: String? = nil, limit: Int? = nil, columns: String? = nil
    ) throws(FormatError) {
        self.classIndex = classIndex
        self.limit = limit
        if let predicate {
            self.predicate = try Predicate.parse(
                predicate, schema: schema, classIndex: classIndex)
        }
        if let sort {
            self.sort = try RowSort.parse(sort, schema: schema, classIndex: classIndex)
        }
        if let sections {
            self.sections = try RowSections.parse(
                sections, schema: schema, classIndex: classIndex)
        }
        if let columns {
            let known = schema.classes[classIndex]
            var positions: [Int] = []
            var offset = 0
            for part in columns.split(separator: ",", omittingEmptySubsequences: false) {
                var name = part
                while name.first == " " { name.removeFirst() }
                while name.last == " " { name.removeLast() }
                guard let position = known.index(of: String(name)) else {
                    throw FormatError(
                        .unknownName, "\(known.name) has no property \(name)",
                        column: offset + 1, property: String(name), excerpt: columns,
                        fix: suggestion(for: String(name), among: known.properties.map(\.name)))
                }
                guard !positions.contains(position) else {
                    throw FormatError(
                        .usage, "the column \(name) is named twice", column: offset + 1,
                        excerpt: columns)
                }
                positions.append(position)
                offset += part.utf8.count + 1
            }
            self.columns = positions
        }
    }
}

/// Delivers the selected rows of one class of another reader, and nothing of its other classes.
///
/// With sections, the class of `schema` begins with one more property, `sectionProperty`: an
/// optional string with the title; rows of one section follow each other. A CSV writer writes it
/// as the leading column; a JSON writer groups by it.
///
/// Sorting keeps the selected rows in memory; with a limit at most twice as many as that.
public final class RowSelectionReader: RecordReader {
    /// The classes of the source, the selected one with the wanted properties only.
    public let schema: Schema
    /// The selected class.
    public let classIndex: Int
    /// The name of the leading property that holds the section's title; nil without sections.
    public let sectionProperty: String?

    private let source: any RecordReader
    private let selection: RowSelection
    private let sort: RowSort?
    private let input: RecordBatch
    /// Source columns of the output's columns (without the section).
    private let columns: [Int]
    private let isPlain: Bool
    private var taken = 0
    private var isAtEnd = false
    private var sorted: (rows: RecordBatch, order: [Int], titles: [Int32], names: [String?])?
    private var emitted = 0

    /// Rows of one batch.
    private static let batchRows = 2048

    /// A reader of a selection; `selection` must have been made for the class of `source.schema`.
    public init(_ source: any RecordReader, _ selection: RowSelection) {
        self.source = source
        self.selection = selection
        classIndex = selection.classIndex
        var schema = source.schema
        let whole = schema.classes[classIndex]
        columns = selection.columns ?? Array(whole.properties.indices)
        var properties = columns.map { whole.properties[$0] }
        if selection.sections != nil {
            var name = "section"
            while whole.index(of: name) != nil { name = "$" + name }
            sectionProperty = name
            properties.insert(Property(name, .string, isOptional: true), at: 0)
        } else {
            sectionProperty = nil
        }
        schema.classes[classIndex].properties = properties
        if let key = whole.primaryKey, !properties.contains(where: { $0.name == key }) {
            schema.classes[classIndex].primaryKey = nil
        }
        if selection.predicate != nil || selection.limit != nil {
            schema.classes[classIndex].count = nil
        }
        self.schema = schema
        // Sections without an order: by the section's own property.
        sort =
            selection.sort
            ?? selection.sections.map {
                RowSort(keys: [.init(path: $0.path, isDescending: false, isBinary: false)])
            }
        input = RecordBatch(schema: source.schema, classIndex: classIndex)
        isPlain = selection.columns == nil && selection.sections == nil
        var wanted = Set(columns)
        wanted.formUnion(selection.predicate?.properties ?? [])
        wanted.formUnion(sort?.properties ?? [])
        wanted.formUnion(selection.sections?.properties ?? [])
        for (i, column) in input.columns.enumerated() { column.isWanted = wanted.contains(i) }
        for (i, other) in source.schema.classes.enumerated() where i != classIndex {
            guard other.kind != .embedded else { continue }
            input.begin(class: i)
            for column in input.columns { column.isWanted = false }
        }
        input.begin(class: classIndex)
    }

    /// Fills the batch with the next selected rows.
    public func next(into batch: RecordBatch) throws(FormatError) -> Bool {
        batch.begin(class: classIndex)
        if sort != nil { return try nextSorted(into: batch) }
        let limit = selection.limit ?? .max
        while !isAtEnd, taken < limit {
            if isPlain, selection.predicate == nil, selection.limit == nil {
                // Nothing to choose: straight through, if it is the right class.
                guard try source.next(into: batch) else { break }
                if batch.classIndex == classIndex, batch.rowCount > 0 { return true }
                continue
            }
            guard try source.next(into: input) else { break }
            guard input.classIndex == classIndex else { continue }
            batch.isConverted = input.isConverted
            batch.firstRecord = input.firstRecord
            forEachRun(upTo: limit - taken) { run in
                copy(run, of: input, to: batch)
                taken += run.count
            }
            if batch.rowCount > 0 { return true }
        }
        isAtEnd = true
        batch.begin(class: classIndex)
        return false
    }

    /// Calls `body` with each run of neighbouring rows of the input that fulfil the condition.
    private func forEachRun(upTo limit: Int, _ body: (Range<Int>) -> Void) {
        guard let predicate = selection.predicate else {
            return body(0..<min(limit, input.rowCount))
        }
        var left = limit
        var start = 0
        var row = 0
        while row < input.rowCount, row - start < left {
            if !predicate.matches(input, row) {
                if row > start {
                    body(start..<row)
                    left -= row - start
                }
                start = row + 1
            }
            row += 1
        }
        if row > start { body(start..<row) }
    }

    private func copy(_ run: Range<Int>, of rows: RecordBatch, to batch: RecordBatch) {
        guard !run.isEmpty else { return }
        if rows.keys.count >= run.upperBound {
            batch.keys.append(rows.keys.base + run.lowerBound, count: run.count)
        }
        let shift = sectionProperty == nil ? 0 : 1
        for (i, column) in columns.enumerated() {
            batch.columns[i + shift].append(run, of: rows.columns[column])
        }
        batch.closeRows(run.count)
    }

    // MARK: Sorted

    private func nextSorted(into batch: RecordBatch) throws(FormatError) -> Bool {
        if sorted == nil { sorted = try gather() }
        guard let sorted, emitted < sorted.order.count else {
            sorted = nil
            sorted = (RecordBatch(schema: source.schema, classIndex: classIndex), [], [], [])
            return false
        }
        let end = min(emitted + Self.batchRows, sorted.order.count)
        batch.firstRecord = emitted + 1
        if sectionProperty != nil {
            for i in emitted..<end {
                if let title = sorted.names[Int(sorted.titles[i])] {
                    batch.columns[0].append(title)
                } else {
                    batch.columns[0].appendNull()
                }
            }
        }
        let rows = sorted.rows
        let shift = sectionProperty == nil ? 0 : 1
        for (i, column) in columns.enumerated() {
            let from = rows.columns[column]
            let to = batch.columns[i + shift]
            for row in sorted.order[emitted..<end] { to.append(row, of: from) }
        }
        if rows.keys.count == rows.rowCount {
            for row in sorted.order[emitted..<end] { batch.keys.append(rows.keys[row]) }
        }
        batch.closeRows(end - emitted)
        emitted = end
        return true
    }

    private func gather() throws(FormatError) -> (RecordBatch, [Int], [Int32], [String?]) {
        guard let sort else { return (input, [], [], []) }
        let limit = selection.limit ?? .max
        var rows = emptyRows()
        let keys = SortedRows()
        // With a limit, rows gather up to twice as many and are then cut back to the best; the
        // place of the last of those keeps worse rows out from then on.
        let room = limit < .max / 4 ? max(limit * 2, 4096) : .max
        var threshold: [UInt8]?
        while limit > 0, try source.next(into: input) {
            guard input.classIndex == classIndex else { continue }
            if selection.predicate == nil, room == .max {
                for row in 0..<input.rowCount { keys.append(sort, input, row) }
                rows.append(rows: 0..<input.rowCount, of: input)
                continue
            }
            for row in 0..<input.rowCount {
                if let predicate = selection.predicate, !predicate.matches(input, row) { continue }
                keys.append(sort, input, row)
                if let threshold {
                    let isBetter = threshold.withUnsafeBytes {
                        Scalar.order(bytes: keys.key(keys.count - 1), $0) < 0
                    }
                    if !isBetter {
                        keys.removeLast()
                        continue
                    }
                }
                rows.append(rows: row..<row + 1, of: input)
                if keys.count >= room {
                    let best = Array(keys.order().prefix(limit))
                    if let last = best.last { threshold = Array(keys.key(last)) }
                    let kept = emptyRows()
                    for row in best { kept.append(rows: row..<row + 1, of: rows) }
                    rows = kept
                    keys.removeAll()
                    for row in 0..<rows.rowCount { keys.append(sort, rows, row) }
                }
            }
        }
        let order = Array(keys.order().prefix(limit))
        guard let sections = selection.sections else { return (rows, order, [], []) }
        return inSections(rows, order, sections)
    }

    private func emptyRows() -> RecordBatch {
        let rows = RecordBatch(schema: source.schema, classIndex: classIndex)
        for (column, source) in zip(rows.columns, input.columns) {
            column.isWanted = source.isWanted
        }
        return rows
    }

    /// Brings rows of one title together, sections in order of their first row.
    private func inSections(_ rows: RecordBatch, _ order: [Int], _ sections: RowSections) -> (
        RecordBatch, [Int], [Int32], [String?]
    ) {
        var names: [String?] = []
        var known: [String?: Int32] = [:]
        var titles: [Int32] = []
        var isTogether = true
        for row in order {
            let name = sections.title(rows, row)
            if let number = known[name] {
                if number != titles.last { isTogether = false }
                titles.append(number)
            } else {
                let number = Int32(truncatingIfNeeded: names.count)
                known[name] = number
                names.append(name)
                titles.append(number)
            }
        }
        if isTogether { return (rows, order, titles, names) }
        let places = order.indices.sorted { (titles[$0], $0) < (titles[$1], $1) }
        return (rows, places.map { order[$0] }, places.map { titles[$0] }, names)
    }
}
