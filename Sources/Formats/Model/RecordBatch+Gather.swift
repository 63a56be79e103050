// Moving many rows from batch to batch at once, and comparing single ones: what sorting, matching
// and filtering need of columns.

extension Column {
    /// Appends copies of a run of values of another column of the same shape.
    package func append(_ range: Range<Int>, of other: Column) {
        guard !range.isEmpty else { return }
        let start = range.lowerBound
        let count = range.count
        switch layout {
        case .word, .pair:
            words.append(other.words.base + start, count: count)
            if layout == .pair { extra.append(other.extra.base + start, count: count) }
            nulls.append(other.nulls.base + start, count: count)
        case .bytes:
            let from = start == 0 ? 0 : other.ends[start - 1]
            let to = other.ends[range.upperBound - 1]
            let shift = bytes.count - from
            bytes.append(other.bytes.base + from, count: to - from)
            append(ends: other.ends.base + start, count: count, shift: shift)
            nulls.append(other.nulls.base + start, count: count)
        case .object: for i in range { append(i, of: other) }
        case .collection:
            guard let elements, let source = other.elements else { return }
            let from = start == 0 ? 0 : other.ends[start - 1]
            let to = other.ends[range.upperBound - 1]
            let shift = elements.count - from
            elements.append(from..<to, of: source)
            if let keys, let sourceKeys = other.keys { keys.append(from..<to, of: sourceKeys) }
            append(ends: other.ends.base + start, count: count, shift: shift)
        }
    }

    private func append(ends from: UnsafePointer<Int>, count: Int, shift: Int) {
        let to = ends.extend(count)
        for i in 0..<count { to[i] = from[i] &+ shift }
    }

    /// True when two values are equal in type and bits; sets and dictionaries regardless of order.
    package func isEqual(_ i: Int, to other: Column, _ j: Int) -> Bool {
        if layout == .collection {
            guard let elements, let others = other.elements else { return false }
            let range = range(i)
            let second = other.range(j)
            guard range.count == second.count else { return false }
            func isSame(_ a: Int, _ b: Int) -> Bool {
                if let keys, let otherKeys = other.keys, !keys.isEqual(a, to: otherKeys, b) {
                    return false
                }
                return elements.isEqual(a, to: others, b)
            }
            if zip(range, second).allSatisfy(isSame) { return true }
            if property.collection == .list || property.collection == nil { return false }
            return range.allSatisfy { a in second.contains { isSame(a, $0) } }
                && second.allSatisfy { b in range.contains { isSame($0, b) } }
        }
        guard nulls[i] == other.nulls[j] else { return false }
        if nulls[i] != 0 { return true }
        switch layout {
        case .word: return words[i] == other.words[j]
        case .pair: return words[i] == other.words[j] && extra[i] == other.extra[j]
        case .bytes: return bytes(i).elementsEqual(other.bytes(j))
        case .object:
            return child.isEqual(row: Int(words[i]), to: other.child, row: Int(other.words[j]))
        case .collection: return false
        }
    }
}

extension RecordBatch {
    /// Appends copies of a run of rows of another batch of the same class, with their keys; only
    /// the wanted columns are copied.
    package func append(rows range: Range<Int>, of other: RecordBatch) {
        guard !range.isEmpty else { return }
        if other.keys.count >= range.upperBound {
            keys.append(other.keys.base + range.lowerBound, count: range.count)
        }
        for (column, source) in zip(columns, other.columns) where source.isWanted {
            column.append(range, of: source)
        }
        closeRows(range.count)
    }

    /// True when all values of two rows of the same class are equal; keys are not compared.
    package func isEqual(row i: Int, to other: RecordBatch, row j: Int) -> Bool {
        zip(columns, other.columns).allSatisfy { $0.isEqual(i, to: $1, j) }
    }
}
