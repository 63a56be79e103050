// A quick proof that a search index holds every row of its table once, where its value leads. The
// index stands in the order of the values, the rows in the order of their keys: so the paths are
// noted row by row while the index is walked, and compared with the values while the column is
// walked. Going back and forth between the two costs a trip to memory for every row.
//
// Nothing is said of what is wrong: what is not proven here is left to IndexScan.

/// Proves one index of single values that stand in the file as the index sees them.
final class IndexProof {
    private let gate: NodeGate
    private let session: ReadSession
    private let rows: IndexedRows
    private let values: IndexedValues
    /// The first chunk of each row's path in the lower half, the second in the upper.
    private let paths: UnsafeMutablePointer<UInt64>
    /// One bit a row: it was met; its path has two chunks; its path is longer, and was compared at
    /// once. Bits stay in the processor's cache, where a byte a row would not.
    private let seen: RowBits
    private let hasTwo: RowBits
    private let isCompared: RowBits
    // One thread alone walks an index.
    @exclusivity(unchecked) private var path: [Int32] = []
    @exclusivity(unchecked) private var entries = 0

    /// True when an index is proven right.
    static func holds(
        _ context: CheckContext, _ rows: IndexedRows, _ values: IndexedValues, _ root: Int64
    ) -> Bool {
        switch values.format.kind {
        case .int, .string, .objectId, .uuid: break
        default: return false
        }
        // Rows that take no room in the file get none here.
        guard rows.count <= context.gate.image.bytes.count / 8 else { return false }
        let proof = IndexProof(context, rows, values)
        do throws(FormatError) {
            return try proof.node(root, depth: 0) != nil && proof.entries == rows.count
                && proof.compare()
        } catch {
            return false
        }
    }

    private init(_ context: CheckContext, _ rows: IndexedRows, _ values: IndexedValues) {
        gate = context.gate
        session = context.session
        self.rows = rows
        self.values = values
        paths = .allocate(capacity: max(rows.count, 1))
        seen = RowBits(rows.count)
        hasTwo = RowBits(rows.count)
        isCompared = RowBits(rows.count)
    }

    deinit {
        paths.deallocate()
        for bits in [seen, hasTwo, isCompared] { bits.deallocate() }
    }

    /// Walks a node of the trie.
    /// - Returns: its largest key; nil when something is not as it must be.
    private func node(_ ref: Int64, depth: Int) throws(FormatError) -> Int32? {
        let node = try gate.references(ref, least: 2)
        guard node.isContext, depth < 100 else { return nil }
        let keys = try gate.integers(gate.ref(node, 0))
        guard keys.width == 32, keys.count == node.count - 1 else { return nil }
        var last: Int32?
        for i in 0..<keys.count {
            let key = Int32(truncatingIfNeeded: keys.integer(i))
            if let last, key <= last { return nil }
            last = key
            let slot = node.integer(i &+ 1)
            if node.isInner {
                guard try self.node(slot, depth: depth + 1) == key else { return nil }
            } else if slot & 1 == 1 {
                guard note(Int64(bitPattern: UInt64(bitPattern: slot) >> 1), key) else {
                    return nil
                }
            } else {
                path.append(key)
                guard path.count * 4 <= 204, try below(gate.ref(node, i + 1), depth) else {
                    return nil
                }
                path.removeLast()
            }
        }
        return last
    }

    /// Walks what stands under a whole path: a node for longer ones, or a list of rows.
    private func below(_ ref: Int64, _ depth: Int) throws(FormatError) -> Bool {
        let child = try gate.node(ref)
        if child.isContext { return try node(ref, depth: depth + 1) != nil }
        var last: (leaf: Int, row: Int, key: Int64)?
        var isRight = true
        try BTree.forEachLeaf(gate, ref) { (node) throws(FormatError) in
            for i in 0..<node.count where isRight {
                let key = node.integer(i)
                guard let (leaf, row) = rows.find(key), noteLong(leaf, row) else {
                    isRight = false
                    break
                }
                // Rows of one value stand in the order of their keys.
                if let last,
                    key <= last.key
                        || !values.areSame(last.leaf, last.row, leaf, row, session)
                {
                    isRight = false
                }
                last = (leaf, row, key)
            }
            return node.count
        }
        return isRight && last != nil
    }

    /// Notes that a row stands behind the path and one more chunk.
    @inline(__always)
    private func note(_ key: Int64, _ chunk: Int32) -> Bool {
        guard let (leaf, row) = rows.find(key) else { return false }
        guard path.count < 2 else {
            path.append(chunk)
            defer { path.removeLast() }
            return noteLong(leaf, row)
        }
        let number = rows.number(leaf, row)
        guard seen.insert(number) else { return false }
        let bits = UInt64(UInt32(bitPattern: chunk))
        if path.isEmpty {
            paths[number] = bits
        } else {
            paths[number] = UInt64(UInt32(bitPattern: path[0])) | bits << 32
            _ = hasTwo.insert(number)
        }
        entries &+= 1
        return true
    }

    /// Compares the whole path with a row's value at once.
    private func noteLong(_ leaf: Int, _ row: Int) -> Bool {
        let number = rows.number(leaf, row)
        guard seen.insert(number) else { return false }
        _ = isCompared.insert(number)
        entries &+= 1
        return chunks(leaf, row) { value in
            path.indices.allSatisfy { path[$0] == IndexBytes.chunk(value, at: $0 * 4) }
        }
    }

    /// Compares the paths that were noted with the values, in the order of the rows.
    private func compare() -> Bool {
        var number = 0
        for (leaf, cluster) in rows.clusters.enumerated() {
            for row in 0..<cluster.count {
                let noted = paths[number]
                let isLong = hasTwo.contains(number)
                let isDone = isCompared.contains(number)
                number &+= 1
                if isDone { continue }
                let isRight = chunks(leaf, row) { value in
                    let first = UInt32(bitPattern: IndexBytes.chunk(value, at: 0))
                    if !isLong { return noted == UInt64(first) }
                    let second = UInt32(bitPattern: IndexBytes.chunk(value, at: 4))
                    return noted == UInt64(first) | UInt64(second) << 32
                }
                if !isRight { return false }
            }
        }
        return true
    }

    /// What `body` says of the bytes of a value, nil for null.
    @inline(__always)
    private func chunks(_ leaf: Int, _ row: Int, _ body: (UnsafeRawBufferPointer?) -> Bool)
        -> Bool
    {
        switch values.value(leaf, row, session) {
        case .null: body(nil)
        case .bytes(let bytes): body(bytes)
        case .word(let word): withUnsafeBytes(of: word.littleEndian) { body($0) }
        case .elsewhere, .unreadable: false
        }
    }
}

/// One bit a row.
private struct RowBits {
    private let words: UnsafeMutablePointer<UInt64>

    init(_ count: Int) {
        words = .allocate(capacity: count / 64 + 1)
        words.update(repeating: 0, count: count / 64 + 1)
    }

    func deallocate() { words.deallocate() }

    @inline(__always)
    func contains(_ i: Int) -> Bool { words[i >> 6] >> UInt64(i & 63) & 1 != 0 }

    /// False when the bit was set before.
    @inline(__always)
    func insert(_ i: Int) -> Bool {
        let bit: UInt64 = 1 << UInt64(i & 63)
        let word = words[i >> 6]
        words[i >> 6] = word | bit
        return word & bit == 0
    }
}
