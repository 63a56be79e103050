// Import into a store that has rows already. The incoming rows are kept in memory and looked up by
// what they match by; the stored rows stream past them twice: first to see who matches whom, then
// to be written on, changed where the import changes them, with the new rows behind the old ones
// of their class.

/// Joins incoming rows with those of a store.
///
/// ```swift
/// let importer = try Importer(existing: store.schema, open: { try store.makeReader() },
///                             incoming: reader, options: options, context: context)
/// let merged = try importer.mergedReader()   // to be written by a store writer
/// ```
///
/// Counts go to the report: new rows as written, updated ones as merged, unchanged and skipped
/// ones as skipped, rows that cannot be carried as set aside; `read` is left to the incoming
/// reader. The readers of the store and the writer should count in a report of their own.
public final class Importer {
    /// The classes of the result: the store's, then those that only the import has.
    public let schema: Schema
    /// What was chosen where names do not say it: `column -> Class.property`.
    public private(set) var choices: [String] = []

    let context: ExchangeContext
    let options: ImportOptions
    let open: () throws(FormatError) -> any RecordReader
    /// What comes in, by the store's class.
    private(set) var classes: [Int: ImportClass] = [:]
    /// Stored rows by class, as counted by the first pass.
    private(set) var storedCounts: [Int]
    private let incoming: any RecordReader
    private var targets: [Int?] = []
    private var isMatched = false
    /// References that followed a UID which gave way.
    var followed = 0
    /// Says which stored contacts are in which groups, and whom their links name.
    var findGroups: ((RecordBatch) throws(FormatError) -> Void)?

    /// An import.
    /// - Parameters:
    ///   - existing: the schema of the store.
    ///   - open: gives a fresh reader over the store's rows each time it is called (twice).
    ///   - incoming: the rows to import.
    /// - Throws: `unknownName` for a class or a match rule that does not exist, `schemaMismatch`.
    public init(
        existing: Schema, open: @escaping () throws(FormatError) -> any RecordReader,
        incoming: any RecordReader, options: ImportOptions, context: ExchangeContext
    ) throws(FormatError) {
        self.open = open
        self.incoming = incoming
        self.options = options
        self.context = context
        schema = try Importer.join(existing, incoming.schema, options.targetClass)
        storedCounts = Array(repeating: 0, count: schema.classes.count)
        let chosen = try options.targetClass.map { (name) throws(FormatError) in
            try Importer.source(for: name, in: incoming.schema)
        }
        for (i, source) in incoming.schema.classes.enumerated() {
            guard source.kind == .object, !source.isTable, chosen == nil || chosen == i else {
                targets.append(nil)
                continue
            }
            let target = schema.index(of: options.targetClass ?? source.name)
            targets.append(target)
            guard let target else { continue }
            let made = ImportClass(
                RowShape(schema: incoming.schema, classIndex: i),
                RowShape(schema: schema, classIndex: target), options)
            if chosen != nil, made.transfer.routes.allSatisfy({ $0 == nil }) {
                throw FormatError(
                    .schemaMismatch,
                    "nothing of what comes in is a property of \(schema.classes[target].name)",
                    property: source.properties.first?.name,
                    fix: suggestion(
                        for: source.properties.first?.name ?? "",
                        among: schema.classes[target].properties.map(\.name)))
            }
            // Two people may share a name (REQUIREMENTS 7).
            if schema.classes[target].name == "Contact", options.match?.contains("name") == true,
                schema.classes[target].index(of: "name") == nil
            {
                throw FormatError(
                    .usage, "people are not matched by their name alone",
                    fix: "pass --match uid, email, phone, name+email or name+phone")
            }
            classes[target] = made
            choices += made.transfer.choices
        }
        // A rule may be for one of several classes, but not for none.
        let asked = options.match?.count ?? 0
        if asked > 0, let error = classes.values.lazy.compactMap(\.unknownRules.first).first,
            !classes.values.contains(where: { $0.unknownRules.count < asked })
        {
            throw error
        }
    }

    /// The incoming class whose rows go to the class of a name: the one of that name, else the
    /// only one there is.
    private static func source(for name: String, in incoming: Schema) throws(FormatError) -> Int {
        let candidates = incoming.classes.indices.filter {
            incoming.classes[$0].kind == .object && !incoming.classes[$0].isTable
        }
        if let same = candidates.first(where: { incoming.classes[$0].name == name }) {
            return same
        }
        if candidates.count == 1 { return candidates[0] }
        throw FormatError(
            .unknownName, "what comes in has no class \(name)", property: name,
            fix: suggestion(for: name, among: candidates.map { incoming.classes[$0].name }))
    }

    /// The store's schema with the classes that only the import has behind its own.
    private static func join(_ existing: Schema, _ incoming: Schema, _ target: String?)
        throws(FormatError) -> Schema
    {
        var joined = existing
        if let target {
            guard existing.index(of: target) != nil else {
                throw FormatError(
                    .unknownName, "the store has no class \(target)", property: target,
                    fix: suggestion(
                        for: target, among: existing.classes.filter { !$0.isTable }.map(\.name)))
            }
            return joined
        }
        for source in incoming.classes where !source.isTable {
            guard let known = joined.index(of: source.name) else {
                var new = source
                new.count = nil
                joined.classes.append(new)
                continue
            }
            if joined.classes[known].kind != source.kind {
                throw FormatError(
                    .schemaMismatch,
                    "\(source.name) is \(joined.classes[known].kind.rawValue) in the store and "
                        + "\(source.kind.rawValue) in what comes in")
            }
        }
        for i in joined.classes.indices { joined.classes[i].count = nil }
        return joined
    }

    /// Matches all rows and gives a reader of the joined ones.
    ///
    /// The incoming rows are read at once, and the store's match values; the rest happens while
    /// the reader is read.
    public func mergedReader() throws(FormatError) -> any RecordReader {
        if !isMatched {
            try gather()
            try match()
            isMatched = true
        }
        return ImportReader(self, try open())
    }

    /// Does everything but writing, for the counts.
    public func dryRun() throws(FormatError) {
        let reader = try mergedReader()
        let batch = RecordBatch(schema: reader.schema)
        while try reader.next(into: batch) {}
    }

    // MARK: First pass

    private func gather() throws(FormatError) {
        let batch = RecordBatch(schema: incoming.schema)
        while try incoming.next(into: batch) {
            guard let target = targets[batch.classIndex], let it = classes[target] else {
                if options.targetClass != nil {
                    // One class was asked for.
                    context.report.skipped += batch.rowCount
                    continue
                }
                context.report.note(
                    .lost, "no-such-class", property: batch.classSchema.name,
                    count: batch.rowCount,
                    action: "the rows of \(batch.classSchema.name) have no place in the store")
                context.report.setAside += batch.rowCount
                continue
            }
            let input = incoming.inputNumber
            while it.inputStarts.count < input { it.inputStarts.append(it.rows.rowCount) }
            it.gaps.add(incoming.gaps, from: it.rows.rowCount)
            if let order = it.order {
                order.append(batch, to: it.rows)
            } else {
                it.rows.append(rows: 0..<batch.rowCount, of: batch)
            }
            it.recordNumbers.append(
                (first: batch.firstRecord, row: it.rows.rowCount - batch.rowCount))
        }
        for (_, it) in classes.sorted(by: { $0.key < $1.key }) {
            it.index(keepsBoth: options.onMatch == .keepBoth)
            for (name, reason) in it.transfer.unplaced {
                let column = it.transfer.incoming.classSchema.index(of: name)
                let values = column.map { it.valueCount($0) } ?? 0
                if values > 0 {
                    context.report.note(
                        .lost, "unmatched-property", property: name, count: values, action: reason)
                }
            }
            for choice in it.transfer.choices {
                context.report.note(.guessed, "matched-property", property: choice, action: choice)
            }
        }
    }

    private func match() throws(FormatError) {
        let reader = try open()
        let batch = RecordBatch(schema: schema)
        for i in reader.schema.classes.indices where schema.classes[i].kind != .embedded {
            batch.begin(class: i)
            let wanted = classes[i]?.matchProperties ?? []
            for (j, column) in batch.columns.enumerated() { column.isWanted = wanted.contains(j) }
        }
        while try reader.next(into: batch) {
            let it = classes[batch.classIndex]
            it?.noteKeys(batch, firstRow: storedCounts[batch.classIndex])
            storedCounts[batch.classIndex] += batch.rowCount
            it?.match(batch)
        }
        for it in classes.values {
            try it.settle()
            followed += it.settleReferences()
        }
        for (_, it) in classes.sorted(by: { $0.key < $1.key }) {
            noteLostLinks(it)
            if it.matchedByName > 0 {
                context.report.note(
                    .guessed, "matched-by-name", property: it.stored.classSchema.name,
                    count: it.matchedByName,
                    action: "rows of the same name were taken for the same person; "
                        + "--match name+phone or another property is safer")
            }
            if it.unsure > 0 {
                context.report.note(
                    .guessed, "shared-match", property: it.stored.classSchema.name,
                    count: it.unsure,
                    action: "an e-mail address or phone number told nothing for sure: several "
                        + "have it, or who has it is another record of the import; the record "
                        + "was added beside them")
            }
            if it.ambiguous > 0 {
                context.report.note(
                    .guessed, "ambiguous-match",
                    record: it.ambiguousRow < 0 ? nil : it.recordNumber(it.ambiguousRow),
                    property: it.stored.classSchema.name, count: it.ambiguous,
                    action: "several stored rows match; the first was taken")
            }
        }
    }
}

extension Importer: ImportTargets {
    func targetClass(_ incomingClass: Int) -> Int? {
        guard targets.indices.contains(incomingClass) else { return nil }
        return targets[incomingClass]
            ?? schema.index(of: incoming.schema.classes[incomingClass].name)
    }

    func targetKey(_ incomingClass: Int, _ key: Int64) -> Int64? {
        guard targets.indices.contains(incomingClass) else { return nil }
        let target = targets[incomingClass].flatMap { classes[$0] }
        if LinkReferences.isMark(key) {
            return context.links?.key(of: key) { target?.storedKey(ofPrimaryKey: $0) }
        }
        return target?.storedKey(ofIncoming: key)
    }

    /// Notes links to objects that are neither in the store nor among what comes in.
    private func noteLostLinks(_ it: ImportClass) {
        for route in it.transfer.routes {
            guard let route, case .link(let index) = route.way else { continue }
            let column = it.rows.columns[route.from]
            let isList = column.layout == .collection
            guard let links = isList ? column.elements : column else { continue }
            for row in 0..<it.rows.rowCount {
                for i in isList ? column.range(row) : row..<row + 1
                where links.nulls[i] == 0 && targetKey(index, links.words[i]) == nil {
                    let key = links.words[i]
                    context.report.note(
                        .lost, "link-left", record: it.recordNumber(row),
                        property: column.property.name,
                        value: context.links?.primaryKey(of: key)?.text()
                            ?? (LinkReferences.isMark(key) ? nil : "#\(key)"),
                        action: "an object of \(incoming.schema.classes[index].name) that is "
                            + "linked to is neither in the store nor among what comes in")
                }
            }
        }
    }
}
