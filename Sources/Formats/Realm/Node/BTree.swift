// The B+tree that holds collections, enumerated strings and (in old files) columns: a root that
// is a leaf, or inner nodes above leaves. What the leaves hold is left to the caller.

enum BTree {
    /// Deeper trees do not occur: even nodes of four elements reach 2^40 elements before.
    static let depthLimit = 20

    /// Calls `body` for each leaf from left to right; it returns the leaf's element count.
    /// - Returns: the number of elements, proven against the counts in the inner nodes.
    @discardableResult
    static func forEachLeaf(
        _ gate: NodeGate, _ root: Int64, depth: Int = 0,
        _ body: (Node) throws(FormatError) -> Int
    ) throws(FormatError) -> Int {
        let node = try gate.node(root)
        if !node.isInner { return try body(node) }
        guard node.hasRefs, node.scheme == 0, node.count >= 3, depth < depthLimit else {
            throw gate.unexpected(node, "an inner node of a tree")
        }
        var total = 0
        for i in 1..<node.count - 1 {
            total += try forEachLeaf(gate, gate.ref(node, i), depth: depth + 1, body)
        }
        guard node.tagged(node.count - 1) == Int64(total) else {
            throw gate.damage(
                node.ref, "a tree holds \(total) elements, but its inner node says otherwise")
        }
        return total
    }
}
