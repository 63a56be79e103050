// The parts of old tables that have no leaf of their own in newer ones: dates of whole seconds,
// dates in two trees, links by row number, subtables, and links an upgrade has left behind. Mixed
// values are in RowReader+OldMixed.

extension RowReader {
    /// Appends the values of an old column that stand in one leaf.
    func appendOld(
        _ rows: Range<Int>, _ part: ColumnPlan, _ place: LeafPlace, to column: Column
    ) throws(FormatError) {
        let count: Int
        switch part.format.old {
        case .seconds?:
            let leaf = try IntLeaf(session, place.ref, isNullable: part.format.isNullable)
            count = leaf.count
            guard count == place.count else { break }
            session.isOpeningLeaf = false
            let from = column.words.count
            leaf.append(rows, to: column)
            column.extra.append(repeating: 0, count: rows.count)
            noteFarDates(column, from)
            return
        case .date?:
            let leaf = try IntLeaf(session, place.ref, isNullable: true)
            let nanoseconds = try session.gate.integers(place.second.ref)
            count = leaf.count
            guard count == place.count, nanoseconds.count == place.second.count else { break }
            session.isOpeningLeaf = false
            let shift = place.second.start - place.start
            let beside = rows.lowerBound + shift..<rows.upperBound + shift
            return try DateLeaf(seconds: leaf, nanoseconds: nanoseconds).append(
                rows, beside: beside, isNullable: part.format.isNullable, session: session,
                to: column)
        case .mixed?:
            let types = try session.gate.integers(place.ref)
            let payloads = try session.gate.integers(place.second.ref)
            count = types.count
            guard count == place.count, payloads.count == place.second.count else { break }
            session.isOpeningLeaf = false
            return try appendOldMixed(
                rows, types, payloads, shift: place.second.start - place.start, root: place.root,
                to: column)
        case .link?:
            let leaf = try LinkLeaf(session, place.ref)
            count = leaf.count
            guard count == place.count else { break }
            session.isOpeningLeaf = false
            let linked = part.format.rows ?? LinkedRows.none
            let words = column.words.extend(rows.count)
            let nulls = column.nulls.extend(rows.count)
            leaf.node.copy(rows, to: words)
            for i in 0..<rows.count {
                let key = words[i] == 0 ? nil : linked.key(words[i] &- 1)
                if key == nil, words[i] != 0 { session.danglingLinks += 1 }
                nulls[i] = key == nil ? 1 : 0
                words[i] = key ?? 0
            }
            return
        case nil: count = 0
        }
        throw wrongCount(place, count)
    }

    /// Counts dates that are milliseconds where seconds belong, as realm-js wrote them.
    private func noteFarDates(_ column: Column, _ from: Int) {
        for i in from..<column.words.count where column.words[i].magnitude > 100_000_000_000 {
            // The ends of the range stand for "distant past" and "distant future".
            if column.words[i] != .max, column.words[i] != .min { session.farDates += 1 }
        }
    }

    /// Appends an old list of links; those to rows that are not there are left out.
    func appendOldLinks(_ root: Int64, _ part: ColumnPlan, to elements: Column)
        throws(FormatError)
    {
        let linked = part.format.rows ?? LinkedRows.none
        let session = self.session
        // Lists of more than a thousand links could lose count before 2016; their leaves stand.
        try session.forEachLeaf(root) { (node: Node) throws(FormatError) in
            guard node.scheme == 0 else { throw session.gate.unexpected(node, "links") }
            try session.charge(node.count &* 17)
            for i in 0..<node.count {
                if let key = linked.key(node.integer(i)) {
                    elements.append(word: key)
                } else {
                    session.danglingLinks += 1
                }
            }
        }
    }

    // MARK: Subtables

    /// Appends the rows of a subtable as elements.
    func appendSubtable(_ list: Int64, _ plans: [ColumnPlan], to elements: Column)
        throws(FormatError)
    {
        let child = elements.child
        let count = try appendSubtable(list, plans, into: child.columns)
        let words = elements.words.extend(count)
        for i in 0..<count { words[i] = Int64(child.rowCount + i) }
        elements.nulls.append(repeating: 0, count: count)
        child.closeRows(count)
    }

    /// Appends the values of a subtable to columns, one for each of its own.
    /// - Returns: the number of rows.
    @discardableResult
    func appendSubtable(_ list: Int64, _ plans: [ColumnPlan], into columns: [Column])
        throws(FormatError) -> Int
    {
        if list == 0 { return 0 }
        if plans.count == 1, plans[0].format.old == nil, case .single = plans[0].shape {
            if let count = try appendSmall(list, plans[0], to: columns[0]) { return count }
        }
        guard depth < RowReader.depthLimit else {
            throw session.gate.damage(
                Int(truncatingIfNeeded: list), "subtables stand too deep in each other")
        }
        depth += 1
        defer { depth -= 1 }
        _ = try session.gate.references(list)
        let cursor = ColumnsCursor(session, list: list, columns: plans)
        while cursor.advance() {
            guard let chunk = cursor.chunk else { break }
            try session.charge(chunk.count &* plans.count &* 17)
            try read(0..<chunk.count, of: chunk, plans, into: columns)
        }
        return cursor.rowCount
    }

    /// The usual list of values: one column that fits into one leaf. nil when it is more.
    private func appendSmall(_ list: Int64, _ part: ColumnPlan, to column: Column)
        throws(FormatError) -> Int?
    {
        let gate = session.gate
        let root = try gate.ref(gate.references(list, least: 1), part.leafIndex)
        if try gate.node(root).isInner { return nil }
        let leaf = try Leaf(session, root, part.format)
        try session.charge(leaf.count &* 17)
        try leaf.append(0..<leaf.count, part.format, session: session, to: column)
        return leaf.count
    }
}

extension ReadSession {
    /// Walks the leaves of an old list, whatever the inner nodes say of the numbers.
    func forEachLeaf(_ root: Int64, _ body: (Node) throws(FormatError) -> Void)
        throws(FormatError)
    {
        _ = try walk(root, 0, body)
    }

    private func walk(_ ref: Int64, _ depth: Int, _ body: (Node) throws(FormatError) -> Void)
        throws(FormatError) -> Int
    {
        let node = try gate.node(ref)
        guard node.isInner else {
            try body(node)
            return node.count
        }
        guard node.hasRefs, node.scheme == 0, node.count >= 3, depth < BTree.depthLimit else {
            throw gate.unexpected(node, "an inner node of a tree")
        }
        var total = 0
        for i in 1..<node.count - 1 {
            total += try walk(gate.ref(node, i), depth + 1, body)
        }
        if node.tagged(node.count - 1) != Int64(total) { miscountedLists += 1 }
        return total
    }
}
