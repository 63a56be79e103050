// Builds the inner nodes of the two kinds of trees over leaves that are written already: the
// B+tree of collections (also used for lists of object keys) and the cluster tree of a table.

/// Builds a B+tree over full leaves.
struct TreeBuilder {
    /// The most elements of a leaf, and the most children of an inner node.
    static let nodeLimit = 1000

    /// Writes the inner nodes over leaves that all hold exactly 1000 elements but the last.
    /// - Returns: the root.
    static func finish(leaves: [Int64], total: Int, nodes: NodeBuilder) throws(FormatError)
        -> Int64
    {
        var level = leaves
        var perChild = nodeLimit
        while level.count > 1 {
            var above: [Int64] = []
            var first = 0
            while first < level.count {
                let end = min(first + nodeLimit, level.count)
                let before = first * perChild
                let below = min(total - before, (end - first) * perChild)
                var elements: [Int64] = [tagged(Int64(perChild))]
                elements += level[first..<end]
                elements.append(tagged(Int64(below)))
                above.append(
                    try nodes.ints(
                        elements, flags: NodeBuilder.Flag.inner | NodeBuilder.Flag.hasRefs))
                first = end
            }
            level = above
            perChild *= nodeLimit
        }
        return level.first ?? 0
    }

    /// Writes a B+tree of integers, such as the object keys of a backlink or an index list.
    static func ints(_ values: UnsafePointer<Int64>, count: Int, nodes: NodeBuilder)
        throws(FormatError) -> Int64
    {
        if count <= nodeLimit { return try nodes.ints(values, count: count) }
        var leaves: [Int64] = []
        var first = 0
        while first < count {
            let n = min(nodeLimit, count - first)
            leaves.append(try nodes.ints(values + first, count: n))
            first += n
        }
        return try finish(leaves: leaves, total: count, nodes: nodes)
    }
}

/// Builds the inner nodes of a cluster tree.
struct ClusterTreeBuilder {
    /// The most rows of a leaf, and the most children of an inner node.
    static let nodeLimit = 256

    /// A child: its node, the object key its own keys are counted from, and the objects below.
    struct Child {
        var ref: Int64
        var base: Int64
        var count: Int64
    }

    /// Writes the inner nodes over leaves in key order; the first leaf counts from 0.
    static func finish(leaves: [Child], nodes: NodeBuilder) throws(FormatError) -> Int64 {
        var level = leaves
        var depth: Int64 = 1
        while level.count > 1 {
            var above: [Child] = []
            var first = 0
            while first < level.count {
                let end = min(first + nodeLimit, level.count)
                above.append(
                    try inner(level[first..<end], depth: depth, nodes: nodes))
                first = end
            }
            level = above
            depth += 1
        }
        return level.first?.ref ?? 0
    }

    private static func inner(
        _ children: ArraySlice<Child>, depth: Int64, nodes: NodeBuilder
    ) throws(FormatError) -> Child {
        let base = children.first?.base ?? 0
        // Dense keys need no offsets: child i starts at i << (8 * depth).
        var isCompact = true
        var offsets: [Int64] = []
        var count: Int64 = 0
        for (i, child) in children.enumerated() {
            let offset = child.base - base
            if offset != Int64(i) << (8 * depth) { isCompact = false }
            offsets.append(offset)
            count += child.count
        }
        var elements: [Int64] = [0, tagged(depth), tagged(count)]
        if !isCompact {
            let copy = RawVector<Int64>(capacity: offsets.count)
            defer { copy.destroy() }
            for offset in offsets { copy.append(offset) }
            elements[0] = try nodes.unsignedInts(copy.base, count: copy.count)
        }
        elements += children.map(\.ref)
        let ref = try nodes.ints(
            elements, flags: NodeBuilder.Flag.inner | NodeBuilder.Flag.hasRefs)
        return Child(ref: ref, base: base, count: count)
    }
}
