// The index of the incoming rows: by the values they are matched by.

extension ImportClass {
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
        findKeyless()
        for (number, rule) in rules.enumerated() {
            if let pair = fixed[number] {
                indexFixed(rows.columns[pair.incoming], number)
                continue
            }
            for row in 0..<count where !rule.isUnique || keyless.isEmpty || !keyless.contains(row) {
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

    /// Finds the rows that no primary key tells apart.
    private func findKeyless() {
        guard let keyColumn else { return }
        let column = rows.columns[keyColumn]
        let isText = column.layout == .bytes
        var hasNothing = false
        for row in 0..<rows.rowCount {
            if gaps.contains(row, keyColumn) {
                keyless.insert(row)
            } else if column.nulls[row] != 0 || isText && column.bytes(row).isEmpty {
                // One row may have nothing for its key.
                if hasNothing { keyless.insert(row) }
                hasNothing = true
            }
        }
    }

    private func indexFixed(_ column: Column, _ number: Int) {
        let isPair = column.layout == .pair
        for row in 0..<rows.rowCount where keyless.isEmpty || !keyless.contains(row) {
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

    func matchFixed(
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
                references?.note(rows, candidate, answers: batch, row)
            }
        }
    }

    /// The first row that was indexed with a value.
    func first(_ hash: UInt64, _ number: Int, _ bytes: UnsafeRawBufferPointer) -> Int? {
        var found: Int?
        table.forEach(hash, rule: number) { row in
            if found == nil, self.row(row, answers: rules[number], with: bytes) { found = row }
        }
        return found
    }

    /// True when an incoming row really has a match value, not just its hash.
    func row(_ row: Int, answers rule: ImportRule, with bytes: UnsafeRawBufferPointer)
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

    func hash(of key: Value) -> UInt64 {
        scratch.removeAll()
        scratch.append("\(key)")
        return table.hash(UnsafeRawBufferPointer(scratch.elements))
    }
}
