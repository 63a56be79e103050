// The incoming rows of one class: kept as columns, looked up by their match values, each with the
// stored row it belongs to or the key it will get.

final class ImportClass {
    let incoming: RowShape
    let stored: RowShape
    let transfer: ImportTransfer
    let rules: [ImportRule]
    /// The errors of the rules that this class does not know.
    let unknownRules: [FormatError]
    /// All incoming rows.
    let rows: RecordBatch
    /// What the rows do not say.
    let gaps = ImportGaps()
    /// Where the rows of each further input begin.
    var inputStarts: [Int] = []
    /// Record numbers of batches, for messages.
    var recordNumbers: [(first: Int, row: Int)] = []
    /// Rows with several matches among which the first was taken.
    var ambiguous = 0
    var ambiguousRow = -1
    /// Rows of people whose address or number several stored or incoming ones have.
    var unsure = 0
    /// Rows of people that were recognised by a name and nothing else.
    var matchedByName = 0
    /// Object key in the result for every row.
    let keys = RawVector<Int64>()
    /// Rows that are new, in order; rows that repeat their primary key follow in `next`.
    let newRows = RawVector<Int32>()
    /// First incoming row for a stored object key.
    var firstByKey = ImportKeyTable(capacity: 0)
    /// The next incoming row for the same object; -1 at the end.
    let next = RawVector<Int32>()
    /// The primary keys that rows get when both are kept; empty otherwise.
    var otherKeys: [Value] = []
    /// Rows whose other primary key stands in the store already.
    var isKeptAlready: [Bool] = []

    static let noRule = UInt8.max
    static let otherKeyRule = 254

    var table = ImportIndex(capacity: 0)
    let bestRule = RawVector<UInt8>()
    let firstKey = RawVector<Int64>()
    let lastKey = RawVector<Int64>()
    let claimedKey = RawVector<Int64>()
    let isClaimed = RawVector<UInt8>()
    let matchCount = RawVector<Int32>()
    /// The row whose primary key a row repeats; -1 for none.
    let leader = RawVector<Int32>()
    /// For each rule the columns of a key that is a number or an id.
    let fixed: [(incoming: Int, stored: Int)?]
    var maxKey: Int64 = -1
    /// The highest object key given so far.
    var keyAfterNew: Int64 = -1
    /// The incoming column of the primary key.
    let keyColumn: Int?
    /// What becomes of UIDs; nil where no row names another by it.
    let references: ImportReferences?
    /// What must be sorted as in a store; nil for nothing.
    let order: IncomingOrder?
    /// Rows without a primary key of their own: none stands in the source, or one before has the
    /// same nothing.
    var keyless: Set<Int> = []
    /// New rows that lack what they must have, with the property; they are set aside.
    private(set) var refused: [Int: String] = [:]
    private var incomingKeys: [Int64: Int32]?
    private var rowsByPrimaryKey: [[UInt8]: Int32]?
    let scratch = RawVector<UInt8>()
    let candidateBytes = RawVector<UInt8>()

    init(_ incoming: RowShape, _ stored: RowShape, _ options: ImportOptions) {
        self.incoming = incoming
        self.stored = stored
        transfer = ImportTransfer(
            incoming, stored, provided: options.provided,
            emptySaysNothing: options.emptySaysNothing)
        transfer.dayHere = options.dayHere
        if let ours = ImportMoment("recurrenceID", of: incoming, options),
            let theirs = ImportMoment("recurrenceID", of: stored, options)
        {
            transfer.moments = (ours, theirs)
        }
        (rules, unknownRules) = ImportRule.all(options, incoming: incoming, stored: stored)
        fixed = rules.map { $0.fixed(incoming, stored) }
        keyColumn = stored.classSchema.primaryKey.flatMap { incoming.index(matching: $0) }
        rows = RecordBatch(schema: incoming.schema, classIndex: incoming.classIndex)
        order = IncomingOrder(incoming.classSchema)
        references = ImportReferences(incoming, stored, transfer, options)
    }

    deinit {
        scratch.destroy()
        candidateBytes.destroy()
        keys.destroy()
        newRows.destroy()
        next.destroy()
        bestRule.destroy()
        firstKey.destroy()
        lastKey.destroy()
        claimedKey.destroy()
        isClaimed.destroy()
        matchCount.destroy()
        leader.destroy()
    }

    /// The stored properties that matching looks at.
    var matchProperties: Set<Int> {
        var found = Set(
            rules.flatMap { $0.parts.map(\.stored.property) + $0.content.map(\.stored) }
        )
        .union(references?.properties(stored.classSchema) ?? [])
        // What the zones of moments mean may be defined in their rows.
        if rules.contains(where: { $0.moments != nil }),
            let zones = stored.classSchema.index(of: "timeZones"),
            let instance = incoming.classSchema.index(of: "recurrenceID"),
            rows.columns[instance].nulls.elements.contains(0)
        {
            found.insert(zones)
        }
        return found
    }

    /// The number of values an incoming column has.
    func valueCount(_ column: Int) -> Int {
        let column = rows.columns[column]
        if column.layout == .collection { return column.elements?.count ?? 0 }
        return column.nulls.elements.reduce(0) { $0 + ($1 == 0 ? 1 : 0) }
    }

    /// Notes a new row that lacks what it must have, or follows one that does.
    /// - Returns: whether it does.
    @discardableResult
    func refuse(_ row: Int, with leader: Int? = nil) -> Bool {
        if let leader {
            guard let property = refused[leader] else { return false }
            refused[row] = property
            return true
        }
        if keyless.contains(row) {
            refused[row] = stored.classSchema.primaryKey ?? ""
        } else if let column = gaps.missing(row) {
            refused[row] = incoming.classSchema.properties[column].name
        }
        return refused[row] != nil
    }

    /// The record number of an incoming row in its source.
    func recordNumber(_ row: Int) -> Int {
        let part = recordNumbers.last { $0.row <= row }
        return part.map { $0.first + row - $0.row } ?? row + 1
    }

    // MARK: Matching against what is stored

    func noteKeys(_ batch: RecordBatch, firstRow: Int) {
        if batch.keys.count == batch.rowCount {
            for key in batch.keys.elements { maxKey = max(maxKey, key) }
        } else {
            maxKey = max(maxKey, Int64(firstRow + batch.rowCount) - 1)
            for row in 0..<batch.rowCount { batch.keys.append(Int64(firstRow + row)) }
        }
    }

    func match(_ batch: RecordBatch) {
        guard rows.rowCount > 0 else { return }
        references?.noteInstances(batch)
        for (number, rule) in rules.enumerated() {
            if let pair = fixed[number] {
                matchFixed(batch, number, pair)
                continue
            }
            for row in 0..<batch.rowCount {
                rule.forEach(batch, row, isStored: true, scratch: scratch) { bytes in
                    let hash = table.hash(bytes)
                    var isTaken = false
                    table.forEach(hash, rule: number) { candidate in
                        guard leader[candidate] < 0,
                            self.row(candidate, answers: rule, with: bytes)
                        else { return }
                        note(candidate, rule: number, key: batch.keys[row], isTaken: &isTaken)
                        references?.note(rows, candidate, answers: batch, row)
                    }
                }
            }
        }
        guard !otherKeys.isEmpty, let key = stored.classSchema.primaryKey,
            let at = stored.classSchema.index(of: key)
        else { return }
        for row in 0..<batch.rowCount {
            let value = batch.columns[at].value(row)
            table.forEach(hash(of: value), rule: ImportClass.otherKeyRule) { candidate in
                if otherKeys[candidate] == value { isKeptAlready[candidate] = true }
            }
        }
    }

    func note(_ row: Int, rule: Int, key: Int64, isTaken: inout Bool) {
        let rule = UInt8(truncatingIfNeeded: rule)
        if rule > bestRule[row] { return }
        if rule < bestRule[row] {
            bestRule[row] = rule
            firstKey[row] = key
            matchCount[row] = 0
            isClaimed[row] = 0
        }
        // A stored row may answer in several ways, one behind the other.
        if matchCount[row] == 0 || lastKey[row] != key { matchCount[row] &+= 1 }
        lastKey[row] = key
        // When many rows share a value, each takes one of the stored ones, in order.
        if !isTaken, isClaimed[row] == 0 {
            claimedKey[row] = key
            isClaimed[row] = 1
            isTaken = true
        }
    }

    /// An object key for a row that is kept beside the one it matches.
    func takeKey() throws(FormatError) -> Int64 {
        guard keyAfterNew < .max else {
            throw FormatError(.limitExceeded, "the store has no object key left for a new row")
        }
        keyAfterNew += 1
        return keyAfterNew
    }

    /// The key in the result of the incoming object of a primary key.
    func storedKey(ofPrimaryKey bytes: [UInt8]) -> Int64? {
        if rowsByPrimaryKey == nil {
            var known: [[UInt8]: Int32] = [:]
            if let place = keyColumn {
                known.reserveCapacity(rows.rowCount)
                for row in 0..<rows.rowCount where refused[row] == nil && !keyless.contains(row) {
                    let key = LinkReferences.bytes(rows.columns[place].value(row))
                    if known[key] == nil { known[key] = Int32(truncatingIfNeeded: row) }
                }
            }
            rowsByPrimaryKey = known
        }
        return rowsByPrimaryKey?[bytes].map { keys[Int($0)] }
    }

    /// The key in the result of the incoming object of a key.
    func storedKey(ofIncoming key: Int64) -> Int64? {
        if rows.keys.count == 0 {
            guard key >= 0, key < Int64(keys.count), refused[Int(key)] == nil else { return nil }
            return keys[Int(key)]
        }
        if incomingKeys == nil {
            var known: [Int64: Int32] = [:]
            known.reserveCapacity(rows.keys.count)
            for (i, key) in rows.keys.elements.enumerated() {
                known[key] = Int32(truncatingIfNeeded: i)
            }
            incomingKeys = known
        }
        guard let row = incomingKeys?[key], refused[Int(row)] == nil else { return nil }
        return keys[Int(row)]
    }
}
