// The cluster tree that holds the objects of a table since format 10: leaves of at most 256
// objects with one leaf per column, found by object key. This walks the leaves in key order and
// finds single keys; what stands in the columns is left to the row reader.

/// A leaf of a cluster tree: some objects of a table.
struct Cluster: BitwiseCopyable {
    let node: Node
    /// What the local keys are counted from.
    let base: UInt64
    /// The array of local keys; nil when they are 0, 1, 2…
    let localKeys: Node?
    let count: Int

    /// The object key of a row.
    @inline(__always)
    func key(_ row: Int) -> Int64 {
        let local = localKeys.map { $0.unsigned(row) } ?? UInt64(row)
        return Int64(bitPattern: base &+ local)
    }

    /// The row of an object key.
    func row(of key: Int64) -> Int? {
        let local = UInt64(bitPattern: key) &- base
        guard let localKeys else { return local < UInt64(count) ? Int(local) : nil }
        var low = 0
        var high = count
        while low < high {
            let middle = (low &+ high) >> 1
            if localKeys.unsigned(middle) < local { low = middle &+ 1 } else { high = middle }
        }
        return low < count && localKeys.unsigned(low) == local ? low : nil
    }

    /// The reference to a column's leaf.
    @inline(__always)
    func leaf(_ index: Int) -> Int64 { node.integer(index &+ 1) }
}

/// Walks the leaves of a cluster tree, or finds the leaf of a key.
struct ClusterCursor {
    /// A leaf holds at most this many objects.
    static let rowLimit = 256
    private static let depthLimit = 8

    private struct Frame {
        let node: Node
        let offsets: Node?
        let base: UInt64
        let depth: Int
        var next = 0
        var children: Int { node.count - 3 }

        func offset(_ i: Int) -> UInt64 {
            offsets.map { $0.unsigned(i) } ?? UInt64(i) << UInt64(8 * depth)
        }
    }

    private let gate: NodeGate
    private let root: Int64
    private var frames: [Frame] = []
    private var isStarted = false
    /// The leaf the cursor stands on.
    private(set) var cluster: Cluster?

    /// A cursor before the first leaf of the tree at `root` (0 = no objects).
    init(_ gate: NodeGate, root: Int64) {
        self.gate = gate
        self.root = root
    }

    /// Moves to the next leaf that holds objects; false behind the last one.
    ///
    /// After an error the next call goes on behind the broken part.
    mutating func advance() throws(FormatError) -> Bool {
        cluster = nil
        if !isStarted {
            isStarted = true
            if root == 0 { return false }
            try enter(root, base: 0, depth: nil)
            if let cluster, cluster.count > 0 { return true }
        }
        while let last = frames.indices.last {
            let frame = frames[last]
            guard frame.next < frame.children else {
                frames.removeLast()
                continue
            }
            frames[last].next += 1
            let base = frame.base &+ frame.offset(frame.next)
            try enter(
                gate.ref(frame.node, frame.next + 3), base: base, depth: frame.depth - 1)
            if let cluster, cluster.count > 0 { return true }
        }
        cluster = nil
        return false
    }

    /// Enters a node: a leaf becomes the current one, an inner node goes onto the stack.
    private mutating func enter(_ ref: Int64, base: UInt64, depth: Int?) throws(FormatError) {
        let node = try gate.references(ref, least: 1)
        if node.isInner {
            frames.append(try inner(node, base: base, depth: depth))
        } else {
            guard depth == nil || depth == 0 else {
                throw gate.damage(node.ref, "a leaf of objects stands too high in its tree")
            }
            cluster = try ClusterCursor.leaf(gate, node, base: base)
        }
    }

    private func inner(_ node: Node, base: UInt64, depth: Int?) throws(FormatError) -> Frame {
        guard node.count >= 4, let stated = node.tagged(1), stated >= 1,
            stated <= Int64(ClusterCursor.depthLimit),
            depth == nil || depth == Int(stated)
        else { throw gate.unexpected(node, "an inner node of a tree of objects") }
        var offsets: Node?
        if node.integer(0) != 0 {
            let array = try gate.integers(gate.ref(node, 0))
            guard array.count == node.count - 3 else {
                throw gate.unexpected(array, "an offset for each of \(node.count - 3) children")
            }
            offsets = array
        }
        return Frame(node: node, offsets: offsets, base: base, depth: Int(stated))
    }

    /// Takes a leaf apart.
    static func leaf(_ gate: NodeGate, _ node: Node, base: UInt64) throws(FormatError)
        -> Cluster
    {
        let first = node.integer(0)
        if first & 1 == 1 {
            let count = UInt64(bitPattern: first) >> 1
            guard count <= UInt64(ClusterCursor.rowLimit) else {
                throw gate.damage(
                    node.ref, "a leaf says it holds \(count) objects, at most 256 fit")
            }
            return Cluster(node: node, base: base, localKeys: nil, count: Int(count))
        }
        let keys = try gate.integers(gate.ref(node, 0))
        guard keys.count <= ClusterCursor.rowLimit else {
            throw gate.damage(
                node.ref, "a leaf says it holds \(keys.count) objects, at most 256 fit")
        }
        return Cluster(node: node, base: base, localKeys: keys, count: keys.count)
    }

    /// Finds the leaf that would hold a key and makes it the current one; nil when there is none.
    mutating func find(_ key: Int64) throws(FormatError) -> (cluster: Cluster, row: Int)? {
        if let cluster, let row = cluster.row(of: key) { return (cluster, row) }
        guard root != 0 else { return nil }
        var ref = root
        var base: UInt64 = 0
        var depth: Int?
        while true {
            let node = try gate.references(ref, least: 1)
            if !node.isInner {
                guard depth == nil || depth == 0 else {
                    throw gate.damage(node.ref, "a leaf of objects stands too high in its tree")
                }
                let found = try ClusterCursor.leaf(gate, node, base: base)
                cluster = found
                return found.row(of: key).map { (found, $0) }
            }
            let frame = try inner(node, base: base, depth: depth)
            let local = UInt64(bitPattern: key) &- base
            var low = 0
            var high = frame.children
            while low < high {
                let middle = (low &+ high) >> 1
                if frame.offset(middle) <= local { low = middle &+ 1 } else { high = middle }
            }
            guard low > 0 else { return nil }
            ref = try gate.ref(node, low + 2)
            base = base &+ frame.offset(low - 1)
            depth = frame.depth - 1
        }
    }
}
