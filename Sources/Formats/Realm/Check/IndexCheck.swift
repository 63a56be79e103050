// Compares search indexes with the rows they index: each entry's path with the value of its row,
// the order of lists, and that every row is there once. Word indexes are compared as sets.

enum IndexCheck {
    static func run(_ context: CheckContext) {
        for (index, plan) in context.plan.tables.enumerated() where plan.damage == nil {
            guard let table = context.plan.sources[index] else { continue }
            let name = context.name(index)
            var rows: IndexedRows?
            for part in plan.columns {
                guard
                    let column = table.columns.first(where: {
                        !$0.isBacklink && $0.key.leafIndex == part.leafIndex
                    })
                else { continue }
                let property = context.flatSchema.classes[index].properties[part.property]
                let isDeclared =
                    column.attributes & (ColumnCode.indexed | ColumnCode.fullText) != 0
                let isPrimary = column.key.raw == table.primaryKey
                if column.index == 0 {
                    // Before format 22 primary keys have none.
                    if isDeclared || isPrimary && context.store.fileFormat >= 22 {
                        context.result.add(
                            "index-missing", "\(name).\(property.name)", table.top.ref,
                            "the property is declared as indexed, but has no index")
                    }
                    continue
                }
                // Format 21 keyed mixed values in another way.
                if property.type == .mixed, context.store.fileFormat < 22 { continue }
                context.attempt("\(name).\(property.name)") { () throws(FormatError) in
                    let known: IndexedRows
                    if let rows {
                        known = rows
                    } else {
                        known = try IndexedRows(context, table.clusters)
                    }
                    rows = known
                    let isWords =
                        column.attributes & ColumnCode.fullText != 0
                        || property.collection != nil
                    let values =
                        isWords
                        ? IndexedValues() : IndexedValues(context.session, known.clusters, part)
                    if !isWords, IndexProof.holds(context, known, values, column.index) {
                        context.result.indexEntries += known.count
                        return
                    }
                    let scan = IndexScan(
                        context, known, values, part, property, isWords: isWords,
                        place: "\(name).\(property.name)")
                    try scan.run(column.index)
                }
            }
        }
    }
}

/// Walks one index.
final class IndexScan {
    private let context: CheckContext
    private let rows: IndexedRows
    private let values: IndexedValues
    private let part: ColumnPlan
    private let place: String
    private let isWords: Bool
    private let value: Column
    private let scratch: Column
    // One thread alone walks an index, and goes through these for every entry.
    @exclusivity(unchecked) private var path: [Int32] = []
    @exclusivity(unchecked) private var bytes: [UInt8] = []
    @exclusivity(unchecked) private var seen: [UInt64]
    @exclusivity(unchecked) private var entries = 0
    @exclusivity(unchecked) private var waiting: [Waiting] = []
    /// Keeps the touching of values from being left out as useless.
    @exclusivity(unchecked) private var touched: UInt8 = 0
    /// Entries of a word index: how many, and the sum of their hashes.
    private var words = LinkCheck.Sum()

    init(
        _ context: CheckContext, _ rows: IndexedRows, _ values: IndexedValues,
        _ part: ColumnPlan, _ property: Property, isWords: Bool, place: String
    ) {
        self.context = context
        self.rows = rows
        self.part = part
        self.place = place
        self.isWords = isWords
        self.values = values
        value = Column(property, schema: context.flatSchema)
        scratch = value.elements ?? value
        seen = [UInt64](repeating: 0, count: rows.count / 64 + 1)
    }

    private func add(_ offset: Int?, _ message: String) {
        context.result.add("index", place, offset, message)
    }

    func run(_ root: Int64) throws(FormatError) {
        _ = try node(root, depth: 0)
        context.result.indexEntries += entries
        if isWords {
            try compareWords()
        } else if entries != rows.count {
            add(nil, "the index has \(entries) entries for \(rows.count) rows")
        }
    }

    /// Checks a node of the trie.
    /// - Returns: its largest key.
    private func node(_ ref: Int64, depth: Int) throws(FormatError) -> Int32? {
        let gate = context.gate
        let node = try gate.references(ref, least: 1)
        guard node.isContext, depth < 100 else { throw gate.unexpected(node, "a node of an index") }
        let keys = try gate.integers(gate.ref(node, 0))
        guard keys.width == 32, keys.count == node.count - 1 else {
            add(
                keys.ref,
                "the keys of an index are \(keys.count) of \(keys.width) bits, "
                    + "expected \(node.count - 1) of 32")
            return nil
        }
        var last: Int32?
        for i in 0..<keys.count {
            let key = Int32(truncatingIfNeeded: keys.integer(i))
            if let last, key <= last { add(keys.ref, "the keys of an index do not ascend") }
            last = key
            let slot = node.integer(i + 1)
            if node.isInner {
                let most = try self.node(slot, depth: depth + 1)
                if most != key {
                    add(node.ref, "an inner key of an index is not its child's largest")
                }
                continue
            }
            if let entry = node.tagged(i + 1) {
                waiting.append(Waiting(key: entry, chunk: key))
                if waiting.count >= 1024 { settle(node.ref) }
                continue
            }
            settle(node.ref)
            path.append(key)
            defer { path.removeLast() }
            let child = try gate.node(gate.ref(node, i + 1))
            if child.isContext {
                guard path.count * 4 <= 204 || isWords else {
                    throw gate.damage(child.ref, "an index goes deeper than 200 bytes")
                }
                _ = try self.node(slot, depth: depth + 1)
            } else {
                try list(slot)
            }
        }
        settle(node.ref)
        return last
    }

    /// An entry that stands in its node, without a list.
    private struct Waiting {
        var key: Int64
        var chunk: Int32
        var entry: Entry?
        var value = IndexedValues.Value.unreadable
    }

    /// Checks the entries that wait, all of one node.
    ///
    /// Their values lie anywhere. So all are looked up first and touched, which the processor does
    /// for many at once, before the first is compared.
    private func settle(_ offset: Int) {
        guard !waiting.isEmpty else { return }
        if !isWords {
            for i in waiting.indices {
                guard let (leaf, row) = rows.find(waiting[i].key) else { continue }
                waiting[i].entry = Entry(key: waiting[i].key, leaf: leaf, row: row)
                waiting[i].value = values.value(leaf, row, context.session)
            }
            var sum: UInt8 = 0
            for entry in waiting {
                if case .bytes(let bytes) = entry.value { sum &+= bytes.first ?? 0 }
            }
            touched = sum
        }
        for entry in waiting {
            path.append(entry.chunk)
            entries &+= 1
            if isWords {
                if rows.find(entry.key) == nil {
                    addMissing(entry.key, offset)
                } else {
                    noteWord(entry.key)
                }
            } else if let place = entry.entry {
                check(place, entry.value, offset)
            } else {
                addMissing(entry.key, offset)
            }
            path.removeLast()
        }
        waiting.removeAll(keepingCapacity: true)
    }

    /// Checks a list of rows under one path: ordered by value, then by key.
    private func list(_ ref: Int64) throws(FormatError) {
        var last: Entry?
        try BTree.forEachLeaf(context.gate, ref) { (node) throws(FormatError) in
            guard isWords || entries + node.count <= rows.count + 1000 else {
                throw context.gate.damage(
                    node.ref, "the index has more entries than there are rows")
            }
            for i in 0..<node.count {
                let key = node.integer(i)
                if isWords {
                    if let last, key <= last.key {
                        add(node.ref, "a list of rows does not ascend")
                    }
                    _ = check(key, node.ref)
                    last = Entry(key: key, leaf: 0, row: 0)
                } else {
                    let entry = check(key, node.ref)
                    if let entry, let last { checkOrder(last, entry, node.ref) }
                    last = entry
                }
            }
            return node.count
        }
    }

    /// An entry whose row is there and can be read.
    private struct Entry {
        var key: Int64
        var leaf: Int
        var row: Int
    }

    private func addMissing(_ key: Int64, _ offset: Int) {
        add(offset, "the index leads to object \(key), which is not there")
    }

    /// Looks an entry of a list up and checks it.
    private func check(_ key: Int64, _ offset: Int) -> Entry? {
        entries &+= 1
        guard let (leaf, row) = rows.find(key) else {
            addMissing(key, offset)
            return nil
        }
        if isWords {
            noteWord(key)
            return nil
        }
        let entry = Entry(key: key, leaf: leaf, row: row)
        check(entry, values.value(leaf, row, context.session), offset)
        return entry
    }

    /// Checks an entry whose row is there: that it is so once, and that its value leads down this
    /// path.
    private func check(_ entry: Entry, _ value: IndexedValues.Value, _ offset: Int) {
        let number = rows.number(entry.leaf, entry.row)
        let bit: UInt64 = 1 << UInt64(number & 63)
        if seen[number >> 6] & bit != 0 {
            add(offset, "object \(entry.key) stands in the index twice")
        }
        seen[number >> 6] |= bit
        let isRight: Bool
        switch value {
        case .null: isRight = leads(nil)
        case .bytes(let bytes): isRight = leads(bytes)
        case .word(let word): isRight = withUnsafeBytes(of: word.littleEndian) { leads($0) }
        case .elsewhere:
            scratch.removeAll()
            guard values.append(entry.leaf, entry.row, context, to: scratch) else { return }
            let isNull = !IndexBytes.put(
                scratch, 0, context.session.tableOfClass, into: &bytes)
            isRight = bytes.withUnsafeBytes { leads(isNull ? nil : $0) }
        case .unreadable: return
        }
        if !isRight {
            add(offset, "object \(entry.key) stands where its value does not lead")
        }
    }

    /// True when a value (nil for null) leads down the path.
    @inline(__always)
    private func leads(_ value: UnsafeRawBufferPointer?) -> Bool {
        for i in 0..<path.count where path[i] != IndexBytes.chunk(value, at: i &* 4) {
            return false
        }
        return true
    }

    /// Checks two entries of a list that follow each other.
    private func checkOrder(_ first: Entry, _ second: Entry, _ offset: Int) {
        if second.key > first.key,
            values.areSame(first.leaf, first.row, second.leaf, second.row, context.session)
        {
            return
        }
        scratch.removeAll()
        guard values.append(first.leaf, first.row, context, to: scratch),
            values.append(second.leaf, second.row, context, to: scratch)
        else { return }
        let order = CollectionOrder.compare(scratch, 0, 1, context.session.tableOfClass)
        if order > 0 || order == 0 && second.key <= first.key {
            add(
                offset,
                "objects \(first.key) and \(second.key) of a list of an index are out of order")
        }
    }

    // MARK: Words

    private func hash(_ word: [UInt8]) -> Int64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in word { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return Int64(bitPattern: hash)
    }

    /// The word a path spells: chunk after chunk up to the letter X behind its last byte.
    private func noteWord(_ key: Int64) {
        var word: [UInt8] = []
        for chunk in path {
            for shift in [24, 16, 8, 0] {
                word.append(UInt8(truncatingIfNeeded: UInt32(bitPattern: chunk) >> UInt32(shift)))
            }
        }
        while word.last == 0 { word.removeLast() }
        if word.last == 0x58 { word.removeLast() }
        words.add(target: hash(word), origin: key)
    }

    private func compareWords() throws(FormatError) {
        var expected = LinkCheck.Sum()
        let plan = TablePlan(tableKey: 0, columns: [part], root: 0, rowCount: 0, damage: nil)
        let reader = RowReader(
            context.session, schema: context.flatSchema, plans: context.plan.tables,
            wanted: context.flatSchema.classes.map { $0.properties.map { _ in true } })
        var columns: [Column] = []
        for i in 0...part.property {
            columns.append(
                i == part.property ? value : Column(value.property, schema: Schema(classes: [])))
        }
        for cluster in rows.clusters {
            value.removeAll()
            context.session.room = context.portion
            try reader.read(0..<cluster.count, of: cluster, plan, into: columns)
            for row in 0..<cluster.count {
                var found: Set<[UInt8]> = []
                guard value.type == .string else { continue }
                if value.layout == .collection, let elements = value.elements {
                    for i in value.range(row) { found.insert(Array(elements.bytes(i))) }
                } else if !value.isNull(row) {
                    IndexBytes.words(value.bytes(row)) { found.insert($0) }
                }
                for word in found { expected.add(target: hash(word), origin: cluster.key(row)) }
            }
        }
        if expected != words {
            add(
                nil,
                "the index of words has \(words.count) entries, its rows hold \(expected.count) words"
            )
        }
    }
}
