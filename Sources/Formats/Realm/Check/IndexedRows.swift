// What the check of an index looks up for every entry, in the order of the index, which is not
// that of the rows: the row of a key, and its value where it stands. Leaves are taken apart once;
// types whose values do not stand in the file as the index sees them are left to a column.

/// All rows of a table, to be found by key.
struct IndexedRows {
    /// The leaves of the tree, in the order of their keys.
    let clusters: [Cluster]
    /// The number of rows.
    let count: Int
    private let starts: [Int]
    private let firstKeys: [Int64]
    private let lastKey: Int64
    /// True where the keys of every leaf follow each other.
    private let isDense: Bool
    /// Leaves a key, were all keys equally far apart.
    private let density: Double

    init(_ context: CheckContext, _ root: Int64) throws(FormatError) {
        var cursor = ClusterCursor(context.gate, root: root)
        var clusters: [Cluster] = []
        var starts: [Int] = []
        var firstKeys: [Int64] = []
        var count = 0
        while try cursor.advance() {
            guard let cluster = cursor.cluster else { break }
            starts.append(count)
            firstKeys.append(cluster.key(0))
            clusters.append(cluster)
            count += cluster.count
        }
        starts.append(count)
        isDense = clusters.allSatisfy { $0.localKeys == nil }
        lastKey = clusters.last.map { $0.key($0.count - 1) } ?? .min
        let span = Double(lastKey) - Double(firstKeys.first ?? 0) + 1
        density = span >= 1 ? Double(clusters.count) / span : 0
        self.clusters = clusters
        self.starts = starts
        self.firstKeys = firstKeys
        self.count = count
    }

    /// The leaf of a key, and the row in it.
    @inline(__always)
    func find(_ key: Int64) -> (leaf: Int, row: Int)? {
        guard let first = firstKeys.first, key >= first, key <= lastKey else { return nil }
        // Keys mostly stand at equal distances: then the guess is right, or one beside it.
        var leaf = Int(Double(key &- first) * density)
        leaf = min(max(leaf, 0), firstKeys.count &- 1)
        if firstKeys[leaf] > key {
            leaf = leaf > 0 ? leaf &- 1 : 0
            if firstKeys[leaf] > key { leaf = search(key) }
        } else if leaf &+ 1 < firstKeys.count, firstKeys[leaf &+ 1] <= key {
            leaf &+= 1
            if leaf &+ 1 < firstKeys.count, firstKeys[leaf &+ 1] <= key { leaf = search(key) }
        }
        if isDense {
            let row = Int(key &- firstKeys[leaf])
            return row < starts[leaf &+ 1] &- starts[leaf] ? (leaf, row) : nil
        }
        guard let row = clusters[leaf].row(of: key) else { return nil }
        return (leaf, row)
    }

    /// The last leaf whose first key is not above a key.
    @inline(never)
    private func search(_ key: Int64) -> Int {
        var low = 0
        var high = firstKeys.count
        while low < high {
            let middle = (low &+ high) >> 1
            if firstKeys[middle] <= key { low = middle &+ 1 } else { high = middle }
        }
        return max(low &- 1, 0)
    }

    /// The number of a row among all.
    @inline(__always)
    func number(_ leaf: Int, _ row: Int) -> Int { starts[leaf] &+ row }
}

/// The values of an indexed column, leaf by leaf.
struct IndexedValues {
    /// A value as an index sees it.
    enum Value {
        case null
        /// Bytes in place.
        case bytes(UnsafeRawBufferPointer)
        /// A number, whose eight bytes count from the lowest.
        case word(Int64)
        /// To be read by way of a column.
        case elsewhere
        /// Its leaf is broken, as the check of the table says.
        case unreadable
    }

    let format: LeafFormat
    private var leaves: [Leaf?] = []
    private var numbers: [IntLeaf?] = []
    /// Where the blocks of ids begin.
    private var ids: [UnsafeRawPointer?] = []

    /// No values.
    init() { format = LeafFormat(kind: .mixed, isNullable: true) }

    init(_ session: ReadSession, _ clusters: [Cluster], _ part: ColumnPlan) {
        format = part.format
        guard case .single = part.shape, format.old == nil else {
            leaves = clusters.map { _ in nil }
            return
        }
        for cluster in clusters {
            var leaf: Leaf?
            do throws(FormatError) {
                let found = try Leaf(session, cluster.leaf(part.leafIndex), format)
                if found.count == cluster.count { leaf = found }
            } catch {
                leaf = nil
            }
            leaves.append(leaf)
            switch format.kind {
            case .int, .bool:
                if case .int(let numbers)? = leaf {
                    self.numbers.append(numbers)
                } else if case .bool(let numbers)? = leaf {
                    self.numbers.append(numbers)
                } else {
                    numbers.append(nil)
                }
            case .objectId, .uuid:
                if case .id(let ids)? = leaf {
                    self.ids.append(ids.node.payload)
                } else {
                    ids.append(nil)
                }
            default: break
            }
        }
    }

    /// A value.
    @inline(__always)
    func value(_ leaf: Int, _ row: Int, _ session: ReadSession) -> Value {
        switch format.kind {
        case .objectId, .uuid:
            guard let blocks = ids[leaf] else { return .unreadable }
            let size = format.kind == .objectId ? 12 : 16
            if let bytes = IDLeaf.value(row, in: blocks, size: size) { return .bytes(bytes) }
            return format.isNullable ? .null : .elsewhere
        case .int:
            guard let values = numbers[leaf] else { return .unreadable }
            let word = values.node.integer(row &+ values.lead)
            return values.lead == 1 && word == values.sentinel ? .null : .word(word)
        case .bool where !format.dialect.boolHasSentinel:
            guard let values = numbers[leaf] else { return .unreadable }
            let word = values.node.integer(row &+ values.lead)
            if word == 3 { return format.isNullable ? .null : .word(0) }
            return .word(word == 0 ? 0 : 1)
        case .string:
            guard case .string(let values)? = leaves[leaf] else { return .unreadable }
            do throws(FormatError) {
                if let bytes = try values.value(row, session: session) { return .bytes(bytes) }
                return format.isNullable ? .null : .elsewhere
            } catch {
                return .elsewhere
            }
        default: return leaves[leaf] == nil ? .unreadable : .elsewhere
        }
    }

    /// True when two values are known to be the same without a column.
    func areSame(
        _ leaf: Int, _ row: Int, _ otherLeaf: Int, _ otherRow: Int, _ session: ReadSession
    ) -> Bool {
        switch (value(leaf, row, session), value(otherLeaf, otherRow, session)) {
        case (.null, .null): true
        case (.word(let a), .word(let b)): a == b
        case (.bytes(let a), .bytes(let b)): equalBytes(a, b)
        default: false
        }
    }

    /// Appends a value to a column; false when it cannot be read.
    func append(_ leaf: Int, _ row: Int, _ context: CheckContext, to column: Column) -> Bool {
        guard let values = leaves[leaf] else { return false }
        context.session.room = context.portion
        do throws(FormatError) {
            try values.append(row..<row + 1, format, session: context.session, to: column)
            return true
        } catch {
            return false
        }
    }
}
