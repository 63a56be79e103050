// Settles which stored row each incoming one belongs to, once all stored rows were seen: the best
// rule wins, the first row claims, rows that repeat a primary key follow it, and people are told
// apart who share an address or a number.

extension ImportClass {
    /// Gives every row its object key and its place.
    func settle() throws(FormatError) {
        let count = rows.rowCount
        findInstances()
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
        // Of several stored rows that answer alike, how many were taken: by the first of them.
        var alike: [Int64: (taken: Int32, count: Int32)] = [:]
        var fresh = maxKey
        for row in 0..<count {
            if leader[row] >= 0 {
                let first = Int(leader[row])
                keys[row] = keys[first]
                let start = head(of: first)
                if !inputStarts.isEmpty { heads[row] = start }
                refuse(row, with: start)
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
                refuse(row, with: first)
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
                if matchCount[row] > 1, !rules[Int(bestRule[row])].isUnique {
                    if isClaimed[row] == 0 {
                        noteAmbiguous(row)
                    } else {
                        let taken = alike[firstKey[row]]?.taken ?? 0
                        alike[firstKey[row]] = (taken + 1, matchCount[row])
                    }
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
                refuse(row)
                newRows.append(Int32(truncatingIfNeeded: row))
            }
        }
        for row in 0..<count where !alike.isEmpty && isClaimed[row] != 0 && matchCount[row] > 1 {
            // Where each of them was taken by a row of its own there was nothing to choose.
            guard bestRule[row] != ImportClass.noRule, let known = alike[firstKey[row]],
                known.taken < known.count
            else { continue }
            noteAmbiguous(row)
        }
        keyAfterNew = fresh
        table = ImportIndex(capacity: 0)
    }

    private func noteAmbiguous(_ row: Int) {
        ambiguous += 1
        if ambiguousRow < 0 { ambiguousRow = row }
    }

    /// Instances belong to the series that their own was found to be.
    private func findInstances() {
        let found = references?.matchedInstances(rows) { row in
            bestRule[row] == ImportClass.noRule
                ? nil : isClaimed[row] != 0 ? claimedKey[row] : firstKey[row]
        }
        for (row, key) in found ?? [:] {
            bestRule[row] = 0
            firstKey[row] = key
            claimedKey[row] = key
            isClaimed[row] = 1
            matchCount[row] = 1
        }
    }

    /// Lets the incoming rows follow the UIDs that give way.
    /// - Returns: how many references did.
    func settleReferences() -> Int {
        guard let references else { return 0 }
        func chain(_ row: Int) -> [Int] {
            var rows = [row]
            while let last = rows.last, next[last] >= 0 { rows.append(Int(next[last])) }
            return rows
        }
        func isMade(_ row: Int) -> Bool {
            transfer.isMadeUID(rows.columns[references.incoming].string(row), row, of: rows)
        }
        for row in 0..<rows.rowCount {
            guard bestRule[row] != ImportClass.noRule,
                firstByKey[keys[row]] == Int32(truncatingIfNeeded: row)
            else { continue }
            references.settle(keys[row], chain(row), rows, isMade: isMade)
        }
        for row in newRows.elements.lazy.map(Int.init) where next[row] >= 0 {
            references.settle(nil, chain(row), rows, isMade: isMade)
        }
        return references.follow(rows)
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
}
