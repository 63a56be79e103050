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
    private(set) var ambiguous = 0
    /// Rows of people whose address or number several stored or incoming ones have.
    private(set) var unsure = 0
    /// Rows of people that were recognised by a name and nothing else.
    private(set) var matchedByName = 0
    /// Object key in the result for every row.
    let keys = RawVector<Int64>()
    /// Rows that are new, in order; rows that repeat their primary key follow in `next`.
    let newRows = RawVector<Int32>()
    /// First incoming row for a stored object key.
    private(set) var firstByKey = ImportKeyTable(capacity: 0)
    /// The next incoming row for the same object; -1 at the end.
    let next = RawVector<Int32>()
    /// The primary keys that rows get when both are kept; empty otherwise.
    private(set) var otherKeys: [Value] = []
    /// Rows whose other primary key stands in the store already.
    private(set) var isKeptAlready: [Bool] = []

    private static let noRule = UInt8.max
    private static let otherKeyRule = 254

    private var table = ImportIndex(capacity: 0)
    private let bestRule = RawVector<UInt8>()
    private let firstKey = RawVector<Int64>()
    private let lastKey = RawVector<Int64>()
    private let claimedKey = RawVector<Int64>()
    private let isClaimed = RawVector<UInt8>()
    private let matchCount = RawVector<Int32>()
    /// The row whose primary key a row repeats; -1 for none.
    private let leader = RawVector<Int32>()
    /// For each rule the columns of a key that is a number or an id.
    private let fixed: [(incoming: Int, stored: Int)?]
    private var maxKey: Int64 = -1
    private var incomingKeys: [Int64: Int32]?
    private var rowsByPrimaryKey: [[UInt8]: Int32]?
    private let scratch = RawVector<UInt8>()
    private let candidateBytes = RawVector<UInt8>()

    init(_ incoming: RowShape, _ stored: RowShape, _ options: ImportOptions) {
        self.incoming = incoming
        self.stored = stored
        transfer = ImportTransfer(
            incoming, stored, provided: options.provided,
            emptySaysNothing: options.emptySaysNothing)
        (rules, unknownRules) = ImportRule.all(options, incoming: incoming, stored: stored)
        fixed = rules.map { $0.fixed(incoming, stored) }
        rows = RecordBatch(schema: incoming.schema, classIndex: incoming.classIndex)
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
        Set(rules.flatMap { $0.parts.map(\.stored.property) + $0.content.map(\.stored) })
    }

    /// The number of values an incoming column has.
    func valueCount(_ column: Int) -> Int {
        let column = rows.columns[column]
        if column.layout == .collection { return column.elements?.count ?? 0 }
        return column.nulls.elements.reduce(0) { $0 + ($1 == 0 ? 1 : 0) }
    }

    /// The record number of an incoming row in its source.
    func recordNumber(_ row: Int) -> Int {
        let part = recordNumbers.last { $0.row <= row }
        return part.map { $0.first + row - $0.row } ?? row + 1
    }

    // MARK: Indexing what comes in

    func index(keepsBoth: Bool) {
        let count = rows.rowCount
        bestRule.append(repeating: ImportClass.noRule, count: count)
        firstKey.append(repeating: 0, count: count)
        lastKey.append(repeating: 0, count: count)
        claimedKey.append(repeating: 0, count: count)
        isClaimed.append(repeating: 0, count: count)
        matchCount.append(repeating: 0, count: count)
        next.append(repeating: -1, count: count)
        leader.append(repeating: -1, count: count)
        table = ImportIndex(capacity: count * max(rules.count, 1))
        for (number, rule) in rules.enumerated() {
            if let pair = fixed[number] {
                indexFixed(rows.columns[pair.incoming], number)
                continue
            }
            for row in 0..<count {
                rule.forEach(rows, row, isStored: false, scratch: scratch) { bytes in
                    let hash = table.hash(bytes)
                    if rule.isUnique, leader[row] < 0 {
                        let first = self.first(hash, number, bytes)
                        if let first { leader[row] = Int32(truncatingIfNeeded: first) }
                    }
                    table.insert(hash, row: row, rule: number)
                }
            }
        }
        if keepsBoth { indexOtherKeys() }
    }

    private func indexFixed(_ column: Column, _ number: Int) {
        let isPair = column.layout == .pair
        for row in 0..<rows.rowCount {
            let first = column.words[row]
            let second = isPair ? column.extra[row] : 0
            let isNull = column.nulls[row] != 0
            let hash = table.hash(first, second, isNull: isNull)
            var known = Int32(-1)
            table.forEach(hash, rule: number) { other in
                if known < 0, column.words[other] == first,
                    column.nulls[other] == column.nulls[row],
                    !isPair || column.extra[other] == second
                {
                    known = Int32(truncatingIfNeeded: other)
                }
            }
            if leader[row] < 0 { leader[row] = known }
            table.insert(hash, row: row, rule: number)
        }
    }

    private func matchFixed(
        _ batch: RecordBatch, _ number: Int, _ pair: (incoming: Int, stored: Int)
    ) {
        let theirs = batch.columns[pair.stored]
        let ours = rows.columns[pair.incoming]
        let isPair = theirs.layout == .pair
        for row in 0..<batch.rowCount {
            let first = theirs.words[row]
            let second = isPair ? theirs.extra[row] : 0
            let hash = table.hash(first, second, isNull: theirs.nulls[row] != 0)
            table.forEach(hash, rule: number) { candidate in
                guard leader[candidate] < 0, ours.words[candidate] == first,
                    !isPair || ours.extra[candidate] == second,
                    ours.nulls[candidate] == theirs.nulls[row]
                else { return }
                var isTaken = false
                note(candidate, rule: number, key: batch.keys[row], isTaken: &isTaken)
            }
        }
    }

    /// The first row that was indexed with a value.
    private func first(_ hash: UInt64, _ number: Int, _ bytes: UnsafeRawBufferPointer) -> Int? {
        var found: Int?
        table.forEach(hash, rule: number) { row in
            if found == nil, self.row(row, answers: rules[number], with: bytes) { found = row }
        }
        return found
    }

    /// True when an incoming row really has a match value, not just its hash.
    private func row(_ row: Int, answers rule: ImportRule, with bytes: UnsafeRawBufferPointer)
        -> Bool
    {
        var isSame = false
        rule.forEach(rows, row, isStored: false, scratch: candidateBytes) {
            if !isSame, $0.elementsEqual(bytes) { isSame = true }
        }
        return isSame
    }

    private func indexOtherKeys() {
        guard let key = stored.classSchema.primaryKey, let at = incoming.index(matching: key)
        else { return }
        isKeptAlready = Array(repeating: false, count: rows.rowCount)
        for row in 0..<rows.rowCount {
            let other = RowDigest.otherKey(rows.columns[at].value(row), of: rows, row: row)
            otherKeys.append(other)
            table.insert(hash(of: other), row: row, rule: ImportClass.otherKeyRule)
        }
    }

    private func hash(of key: Value) -> UInt64 {
        scratch.removeAll()
        scratch.append("\(key)")
        return table.hash(UnsafeRawBufferPointer(scratch.elements))
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

    private func note(_ row: Int, rule: Int, key: Int64, isTaken: inout Bool) {
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

    /// Gives every row its object key and its place.
    func settle() throws(FormatError) {
        let count = rows.rowCount
        keys.append(repeating: 0, count: count)
        var matched = 0
        for row in 0..<count where bestRule[row] != ImportClass.noRule { matched += 1 }
        firstByKey = ImportKeyTable(capacity: matched)
        // The last row so far of the chain that begins with a row.
        let last = RawVector<Int32>(capacity: count)
        defer { last.destroy() }
        for row in 0..<count { last.append(Int32(truncatingIfNeeded: row)) }
        func chain(_ row: Int, to head: Int) {
            next[Int(last[head])] = Int32(truncatingIfNeeded: row)
            last[head] = Int32(truncatingIfNeeded: row)
        }
        /// The rows that a row was chained to, where an earlier input has its like.
        var heads: [Int: Int] = [:]
        /// The first row of the chain that a row stands in, where that is another one.
        func head(of row: Int) -> Int {
            let known = bestRule[row] == ImportClass.noRule ? -1 : firstByKey[keys[row]]
            return known < 0 ? heads[row] ?? row : Int(known)
        }
        var claims: [Int: Int] = [:]
        // Stored rows that are recognised by more than what people share.
        var sure: Set<Int64> = []
        if rules.contains(where: \.isShared) {
            for row in 0..<count {
                guard bestRule[row] != ImportClass.noRule, !rules[Int(bestRule[row])].isShared
                else { continue }
                sure.insert(isClaimed[row] != 0 ? claimedKey[row] : firstKey[row])
            }
        }
        /// True for a row that is another person than the stored one who has its number, for all
        /// that can be told.
        func isUnsure(_ row: Int) -> Bool {
            guard bestRule[row] != ImportClass.noRule, rules[Int(bestRule[row])].isShared else {
                return false
            }
            let key = isClaimed[row] != 0 ? claimedKey[row] : firstKey[row]
            return matchCount[row] > 1 || sure.contains(key) || firstByKey[key] >= 0
        }
        var fresh = maxKey
        for row in 0..<count {
            if leader[row] >= 0 {
                let first = Int(leader[row])
                keys[row] = keys[first]
                let start = head(of: first)
                if !inputStarts.isEmpty { heads[row] = start }
                chain(row, to: start)
            } else if !inputStarts.isEmpty,
                bestRule[row] == ImportClass.noRule
                    || isClaimed[row] == 0 && !rules[Int(bestRule[row])].content.isEmpty,
                let earlier = likeInEarlierInput(row, &claims)
            {
                // As if the inputs were imported one after the other.
                keys[row] = keys[earlier]
                let first = head(of: earlier)
                heads[row] = first
                bestRule[row] = ImportClass.noRule
                chain(row, to: first)
            } else if bestRule[row] != ImportClass.noRule, !isUnsure(row),
                isClaimed[row] != 0 || rules[Int(bestRule[row])].content.isEmpty
            {
                let rule = rules[Int(bestRule[row])].name
                if ImportRule.isOfPeople(stored), rule == "name" || rule == "formattedName" {
                    matchedByName += 1
                }
                // Of rows that are recognised by their content alone, each is one more.
                keys[row] = isClaimed[row] != 0 ? claimedKey[row] : firstKey[row]
                if matchCount[row] > 1, !rules[Int(bestRule[row])].isUnique, isClaimed[row] == 0 {
                    ambiguous += 1
                }
                let known = firstByKey[keys[row]]
                if known >= 0 {
                    chain(row, to: Int(known))
                } else {
                    firstByKey[keys[row]] = Int32(truncatingIfNeeded: row)
                }
            } else {
                guard fresh < .max else {
                    throw FormatError(
                        .limitExceeded,
                        "the store has no object key left for a new row of "
                            + stored.classSchema.name)
                }
                fresh += 1
                if isUnsure(row) { unsure += 1 }
                keys[row] = fresh
                bestRule[row] = ImportClass.noRule
                newRows.append(Int32(truncatingIfNeeded: row))
            }
        }
        keyAfterNew = fresh
        table = ImportIndex(capacity: 0)
    }

    /// True for a row that was recognised by an address or number alone.
    func isMatchedByShared(_ row: Int) -> Bool {
        bestRule[row] != ImportClass.noRule && rules[Int(bestRule[row])].isShared
    }

    /// Which input a row comes from, from 0.
    private func inputNumber(of row: Int) -> Int {
        inputStarts.lastIndex { $0 <= row }.map { $0 + 1 } ?? 0
    }

    /// A row of an earlier input that is the same record. Of rows that are recognised by their
    /// content alone, each claims one of its own.
    private func likeInEarlierInput(_ row: Int, _ claims: inout [Int: Int]) -> Int? {
        let input = inputNumber(of: row)
        guard input > 0 else { return nil }
        let end = inputStarts[input - 1]
        for (number, rule) in rules.enumerated() where fixed[number] == nil {
            var found: Int?
            rule.forEach(rows, row, isStored: false, scratch: scratch) { bytes in
                if found != nil { return }
                table.forEach(table.hash(bytes), rule: number) { other in
                    guard found == nil, other < end,
                        rule.content.isEmpty || claims[other, default: 0] != input,
                        self.row(other, answers: rule, with: bytes)
                    else { return }
                    found = other
                }
            }
            if let found {
                claims[found] = input
                return found
            }
        }
        return nil
    }

    /// The highest object key given so far.
    private var keyAfterNew: Int64 = -1

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
            let place = stored.classSchema.primaryKey.flatMap { incoming.index(matching: $0) }
            if let place {
                known.reserveCapacity(rows.rowCount)
                for row in 0..<rows.rowCount {
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
            return key >= 0 && key < Int64(keys.count) ? keys[Int(key)] : nil
        }
        if incomingKeys == nil {
            var known: [Int64: Int32] = [:]
            known.reserveCapacity(rows.keys.count)
            for (i, key) in rows.keys.elements.enumerated() {
                known[key] = Int32(truncatingIfNeeded: i)
            }
            incomingKeys = known
        }
        return incomingKeys?[key].map { keys[Int($0)] }
    }
}
