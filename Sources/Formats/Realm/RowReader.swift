// Executes plans: reads the rows of a chunk, column by column, into the columns of a batch, and
// follows them into collections and embedded objects. One reader serves old and new files.

/// Reads rows by plans.
final class RowReader {
    let session: ReadSession
    let plans: [TablePlan]
    let schema: Schema
    /// Whether each property of each class is asked for.
    let wanted: [[Bool]]
    /// Embedded objects each class may still deliver: each has one parent.
    var embeddedLeft: [Int]
    private var cursors: [Int: ClusterCursor] = [:]
    /// What stands beside the trees of old columns of mixed values, by the column's root.
    var oldMixed: [Int64: OldMixedColumn] = [:]
    /// How deep subtables stand in mixed values.
    var tableDepth = 0
    var depth = 0
    static let depthLimit = 100

    init(_ session: ReadSession, schema: Schema, plans: [TablePlan], wanted: [[Bool]]) {
        self.session = session
        self.schema = schema
        self.plans = plans
        self.wanted = wanted
        embeddedLeft = plans.map(\.rowCount)
    }

    /// Marks in a batch which columns will be filled.
    func mark(_ columns: [Column], class index: Int) {
        for (column, isWanted) in zip(columns, wanted[index]) { column.isWanted = isWanted }
    }

    /// Reads the rows of a range of a chunk.
    func read(
        _ range: Range<Int>, of chunk: some RowChunk, _ plan: TablePlan, into columns: [Column]
    ) throws(FormatError) {
        try read(range, of: chunk, plan.columns, into: columns)
    }

    func read(
        _ range: Range<Int>, of chunk: some RowChunk, _ plan: [ColumnPlan], into columns: [Column]
    ) throws(FormatError) {
        for part in plan where columns[part.property].isWanted {
            session.isOpeningLeaf = true
            do throws(FormatError) {
                if let links = part.leftBehind {
                    try append(links, range, of: chunk, part, to: columns[part.property])
                } else {
                    let place = try chunk.place(part)
                    let rows = range.lowerBound + place.start..<range.upperBound + place.start
                    try read(rows, of: part, place, into: columns[part.property])
                }
            } catch {
                throw error.with { details in
                    if details.property == nil {
                        details.property = columns[part.property].property.name
                    }
                }
            }
            session.isOpeningLeaf = false
        }
    }

    private func read(
        _ rows: Range<Int>, of part: ColumnPlan, _ place: LeafPlace, into column: Column
    ) throws(FormatError) {
        switch part.shape {
        case .single where part.format.old != nil:
            try appendOld(rows, part, place, to: column)
        case .single where part.embeddedClass == nil:
            let leaf = try Leaf(session, place.ref, part.format)
            guard leaf.count == place.count else { throw wrongCount(place, leaf.count) }
            session.isOpeningLeaf = false
            try leaf.append(rows, part.format, session: session, to: column)
        case .single:
            let leaf = try LinkLeaf(session, place.ref)
            guard leaf.count == place.count else { throw wrongCount(place, leaf.count) }
            session.isOpeningLeaf = false
            var keys: [Int64?] = []
            for i in rows {
                let stored = leaf.node.integer(i)
                if stored < 0 { session.unresolvedLinks += 1 }
                keys.append(stored > 0 ? stored - 1 : nil)
            }
            try appendEmbedded(keys, part, omitMissing: false, to: column)
        default:
            let refs = try session.gate.node(place.ref)
            guard refs.scheme == 0, !refs.isInner,
                refs.hasRefs || refs.count == 0 || refs.width == 0
            else { throw session.gate.unexpected(refs, "references to collections") }
            guard refs.count == place.count else { throw wrongCount(place, refs.count) }
            session.isOpeningLeaf = false
            if case .list = part.shape, part.embeddedClass != nil, part.format.old == nil {
                return try appendEmbeddedLists(refs, rows, part, to: column)
            }
            for i in rows {
                let ref = refs.integer(i)
                if ref != 0 { try appendCollection(ref, part, to: column) }
                column.closeCollection()
            }
        }
    }

    func wrongCount(_ place: LeafPlace, _ count: Int) -> FormatError {
        session.gate.damage(
            Int(truncatingIfNeeded: place.ref),
            "a column's leaf holds \(count) values for \(place.count) rows")
    }

    // MARK: Collections

    private func appendCollection(_ ref: Int64, _ part: ColumnPlan, to column: Column)
        throws(FormatError)
    {
        guard let elements = column.elements else { return }
        let begin = elements.count
        switch part.shape {
        case .single: return
        case .list where part.format.old != nil:
            try appendOldLinks(ref, part, to: elements)
        case .table(let columns): try appendSubtable(ref, columns, to: elements)
        case .column(let columns):
            _ = try appendSubtable(ref, columns, into: [elements])
        case .list: try appendElements(ref, part, to: elements)
        case .set:
            try appendElements(ref, part, to: elements)
            let isInOrder = CollectionOrder.sort(
                elements, keys: nil, from: begin, byElements: true, tables: session.tableOfClass)
            if !isInOrder { session.disorderedCollections += 1 }
        case .dictionary(let intKeys):
            guard let keys = column.keys else { return }
            try appendDictionary(ref, part, intKeys: intKeys, keys: keys, to: elements)
            let isInOrder = CollectionOrder.sort(
                elements, keys: keys, from: begin, byElements: false,
                tables: session.tableOfClass)
            if !isInOrder { session.disorderedCollections += 1 }
        }
    }

    private func appendElements(_ root: Int64, _ part: ColumnPlan, to elements: Column)
        throws(FormatError)
    {
        var format = part.format
        format.isElement = true
        let session = self.session
        if part.embeddedClass != nil {
            var keys: [Int64?] = []
            try appendKeys(ofList: root, to: &keys)
            try appendEmbedded(keys, part, omitMissing: true, to: elements)
            return
        }
        try BTree.forEachLeaf(session.gate, root) { (node: Node) throws(FormatError) in
            let leaf = try Leaf(session, Int64(node.ref), format)
            try session.charge(leaf.count &* 17)
            try leaf.append(0..<leaf.count, format, session: session, to: elements)
            return leaf.count
        }
    }

    /// Appends a dictionary: two trees of keys and values, or (formats 21 and 22) a tree of
    /// clusters whose columns they are. The two are told apart by their shape.
    private func appendDictionary(
        _ ref: Int64, _ part: ColumnPlan, intKeys: Bool, keys: Column, to elements: Column
    ) throws(FormatError) {
        let session = self.session
        let gate = session.gate
        let keyFormat = LeafFormat(
            kind: intKeys ? .int : .string, isNullable: false, dialect: part.format.dialect)
        let top = try gate.references(ref, least: 2)
        var embedded: [Int64?] = []
        let begin = keys.count
        func appendKeys(_ at: Int64) throws(FormatError) -> Int {
            let leaf = try Leaf(session, at, keyFormat)
            try session.charge(leaf.count &* 17)
            try leaf.append(0..<leaf.count, keyFormat, session: session, to: keys)
            return leaf.count
        }
        func appendValues(_ at: Int64) throws(FormatError) -> Int {
            let leaf = try MixedLeaf(session, at)
            try session.charge(leaf.count &* 17)
            if part.embeddedClass != nil {
                for i in 0..<leaf.count {
                    var key: Int64?
                    if case .link(_, let target) = try leaf.element(i, session: session) {
                        if target < 0 { session.unresolvedLinks += 1 } else { key = target }
                    }
                    embedded.append(key)
                }
            } else if elements.type == .mixed {
                try leaf.append(0..<leaf.count, session: session, to: elements)
            } else {
                for i in 0..<leaf.count { try leaf.append(i, session: session, typed: elements) }
            }
            return leaf.count
        }
        var keyCount = 0
        var valueCount = 0
        if !top.isInner && top.count == 2 {
            keyCount = try BTree.forEachLeaf(gate, gate.ref(top, 0)) {
                (node: Node) throws(FormatError) in try appendKeys(Int64(node.ref))
            }
            valueCount = try BTree.forEachLeaf(gate, gate.ref(top, 1)) {
                (node: Node) throws(FormatError) in try appendValues(Int64(node.ref))
            }
        } else {
            var cursor = ClusterCursor(gate, root: ref)
            while try cursor.advance() {
                guard let cluster = cursor.cluster else { break }
                let k = try appendKeys(cluster.leaf(0))
                let v = try appendValues(cluster.leaf(1))
                guard k == cluster.count, v == cluster.count else {
                    throw gate.damage(
                        cluster.node.ref, "a part of a dictionary has \(k) keys and \(v) values")
                }
                keyCount += k
                valueCount += v
            }
        }
        guard keyCount == valueCount, keys.count - begin == keyCount else {
            throw gate.damage(top.ref, "a dictionary has \(keyCount) keys, \(valueCount) values")
        }
        if part.embeddedClass != nil {
            try appendEmbedded(embedded, part, omitMissing: false, to: elements)
        }
    }

    // MARK: Embedded objects

    /// Appends the keys of the objects in a list.
    private func appendKeys(ofList root: Int64, to keys: inout [Int64?]) throws(FormatError) {
        try BTree.forEachLeaf(session.gate, root) { (node: Node) throws(FormatError) in
            let leaf = try LinkLeaf(session, Int64(node.ref))
            try session.charge(leaf.count &* 32)
            for i in 0..<leaf.count {
                let key = leaf.node.integer(i)
                if key >= 0 { keys.append(key) } else { session.unresolvedLinks += 1 }
            }
            return leaf.count
        }
    }

    /// Appends the lists of embedded objects of many rows at once: their objects mostly stand behind
    /// each other, and reading them one by one costs more than what is in them.
    private func appendEmbeddedLists(
        _ refs: Node, _ rows: Range<Int>, _ part: ColumnPlan, to column: Column
    ) throws(FormatError) {
        guard let elements = column.elements else { return }
        var keys: [Int64?] = []
        var ends: [Int] = []
        ends.reserveCapacity(rows.count)
        for i in rows {
            let ref = refs.integer(i)
            if ref != 0 { try appendKeys(ofList: ref, to: &keys) }
            ends.append(keys.count)
        }
        let begin = elements.count
        let omitted = try appendEmbedded(keys, part, omitMissing: true, to: elements)
        var gone = 0
        for end in ends {
            while gone < omitted.count, omitted[gone] < end { gone += 1 }
            column.ends.append(begin + end - gone)
        }
    }

    /// Appends the embedded objects of some keys, reading neighbours at once.
    /// - Returns: the places of the keys that were left out since no object has them.
    @discardableResult
    private func appendEmbedded(
        _ keys: [Int64?], _ part: ColumnPlan, omitMissing: Bool, to column: Column
    ) throws(FormatError) -> [Int] {
        guard let target = part.embeddedClass else { return [] }
        var omitted: [Int] = []
        let plan = plans[target]
        guard depth < RowReader.depthLimit else {
            throw FormatError(
                .damaged,
                "embedded objects stand more than \(RowReader.depthLimit) deep in each other",
                file: session.gate.image.name)
        }
        depth += 1
        defer { depth -= 1 }
        let child = column.child
        mark(child.columns, class: target)
        var cursor = cursors[target] ?? ClusterCursor(session.gate, root: plan.root)
        var i = 0
        while i < keys.count {
            guard let key = keys[i] else {
                column.appendNull()
                i += 1
                continue
            }
            session.gate.visitsLeft += 32
            guard let (cluster, row) = try cursor.find(key) else {
                session.danglingLinks += 1
                if omitMissing { omitted.append(i) } else { column.appendNull() }
                i += 1
                continue
            }
            // The objects behind it that are asked for next; nulls may stand between.
            var run = 1
            var next = i + 1
            while next < keys.count {
                if let other = keys[next] {
                    guard row + run < cluster.count, other == cluster.key(row + run) else { break }
                    run += 1
                }
                next += 1
            }
            embeddedLeft[target] -= run
            guard embeddedLeft[target] >= 0 else {
                throw session.gate.damage(
                    cluster.node.ref, "an embedded object is owned more than once")
            }
            try session.charge(run &* plan.columns.count &* 17)
            session.gate.visitsLeft += plan.columns.count * 16
            var number = Int64(child.rowCount)
            for j in i..<next {
                if keys[j] == nil {
                    column.appendNull()
                } else {
                    column.words.append(number)
                    column.nulls.append(0)
                    number += 1
                }
            }
            try read(row..<row + run, of: cluster, plan, into: child.columns)
            child.closeRows(run)
            i = next
        }
        cursors[target] = cursor
        return omitted
    }
}
