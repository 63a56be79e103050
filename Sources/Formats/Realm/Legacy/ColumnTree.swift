// The B+tree of an old column, entered by row number. Which rows a leaf holds is taken from the
// nodes above it, so that a broken leaf costs its own rows only; that the leaf agrees is checked
// by whoever opens it. What stands in the leaves is left to Leaves.

/// A leaf of a column's tree and the rows it holds, or why it cannot be had.
struct TreeLeaf {
    var ref: Int64
    var rows: Range<Int>
    var error: FormatError?
}

/// Finds the leaves of one tree; neighbours are found without going back to the root.
struct TreeCursor {
    private struct Frame {
        let node: Node
        let rows: Range<Int>
        /// Where the children after the first begin; nil when all but the last are equally long.
        let offsets: Node?
        let each: Int
        var children: Int { node.count - 2 }
    }

    private let gate: NodeGate
    private let root: Int64
    /// The number of rows the tree should hold.
    let count: Int
    private var frames: [Frame] = []
    private var leaf = TreeLeaf(ref: 0, rows: 0..<0, error: nil)

    init(_ gate: NodeGate, root: Int64, count: Int) {
        self.gate = gate
        self.root = root
        self.count = count
    }

    /// The leaf in which a row stands.
    mutating func seek(_ row: Int) -> TreeLeaf {
        if leaf.rows.contains(row) { return leaf }
        while let frame = frames.last, !frame.rows.contains(row) { frames.removeLast() }
        var ref = root
        var rows = 0..<count
        do throws(FormatError) {
            guard rows.contains(row) else {
                rows = row..<row + 1
                throw gate.damage(
                    Int(truncatingIfNeeded: root), "a column holds \(count) values, no value \(row)"
                )
            }
            if let frame = frames.last { (ref, rows) = try child(of: frame, row) }
            while true {
                let node = try gate.node(ref)
                guard node.isInner else {
                    leaf = TreeLeaf(ref: ref, rows: rows, error: nil)
                    return leaf
                }
                let frame = try inner(node, rows)
                frames.append(frame)
                (ref, rows) = try child(of: frame, row)
            }
        } catch {
            leaf = TreeLeaf(ref: ref, rows: rows, error: error)
            return leaf
        }
    }

    private func inner(_ node: Node, _ rows: Range<Int>) throws(FormatError) -> Frame {
        guard node.hasRefs, node.scheme == 0, node.count >= 3, frames.count < BTree.depthLimit
        else { throw gate.unexpected(node, "an inner node of a tree") }
        if let each = node.tagged(0) {
            let children = Int64(node.count - 2)
            let (most, overflow) = each.multipliedReportingOverflow(by: children)
            let before = most - each
            guard each > 0, !overflow, before < Int64(rows.count), most >= Int64(rows.count)
            else {
                throw gate.damage(
                    node.ref,
                    "\(children) children of \(each) values cannot hold \(rows.count) values")
            }
            return Frame(node: node, rows: rows, offsets: nil, each: Int(each))
        }
        let offsets = try gate.integers(gate.ref(node, 0))
        guard offsets.count == node.count - 3 else {
            throw gate.unexpected(offsets, "an offset for each of \(node.count - 3) children")
        }
        return Frame(node: node, rows: rows, offsets: offsets, each: 0)
    }

    private func child(of frame: Frame, _ row: Int) throws(FormatError) -> (Int64, Range<Int>) {
        let local = row - frame.rows.lowerBound
        var index: Int
        var begin: Int
        var end: Int
        if let offsets = frame.offsets {
            var low = 0
            var high = offsets.count
            while low < high {
                let middle = (low + high) / 2
                if offsets.integer(middle) <= Int64(local) {
                    low = middle + 1
                } else {
                    high = middle
                }
            }
            index = low
            begin = low == 0 ? 0 : Int(offsets.integer(low - 1))
            end =
                low == offsets.count
                ? frame.rows.count : Int(truncatingIfNeeded: offsets.integer(low))
            guard begin >= 0, begin <= local, local < end, end <= frame.rows.count else {
                throw gate.damage(offsets.ref, "the offsets of an inner node do not ascend")
            }
        } else {
            index = local / frame.each
            begin = index * frame.each
            end = min(begin + frame.each, frame.rows.count)
        }
        let start = frame.rows.lowerBound
        return (try gate.ref(frame.node, index + 1), start + begin..<start + end)
    }
}

/// Counts the values of an old column by looking at its root alone.
enum TreeCount {
    /// More values than this a leaf never had: releases stop at a thousand.
    static let leafLimit = 1 << 16

    static func values(_ gate: NodeGate, _ root: Int64, _ format: LeafFormat) throws(FormatError)
        -> Int
    {
        let node = try gate.node(root)
        switch format.old {
        case .date?:
            return try tree(gate, gate.ref(node, 0)) { $0.count - ($0.count > 0 ? 1 : 0) }
        case .mixed?: return try tree(gate, gate.ref(node, 0)) { $0.count }
        default: break
        }
        let hasLead =
            format.isNullable
            && (format.kind == .int || format.kind == .bool || format.old == .seconds)
        return try tree(gate, root) { (leaf) throws(FormatError) in
            if hasLead { return max(leaf.count - 1, 0) }
            let isText = format.kind == .string || format.kind == .data
            if isText, leaf.hasRefs, !leaf.isContext {
                return try gate.integers(gate.ref(leaf, 0)).count
            }
            return leaf.count
        }
    }

    private static func tree(
        _ gate: NodeGate, _ root: Int64, _ leaf: (Node) throws(FormatError) -> Int
    ) throws(FormatError) -> Int {
        let node = try gate.node(root)
        guard node.isInner else {
            let count = try leaf(node)
            guard count <= leafLimit else {
                throw gate.damage(node.ref, "a leaf says it holds \(count) values")
            }
            return count
        }
        // A thousand values for eight bytes is the densest there can be.
        let limit = Int64(gate.image.bytes.count) * 128
        guard let total = node.tagged(node.count - 1), total <= limit else {
            throw gate.damage(node.ref, "a tree says it holds more values than the file can")
        }
        return Int(total)
    }

    /// The number most of the columns agree upon.
    static func agreed(_ counts: [Int]) -> Int? {
        var votes: [Int: Int] = [:]
        for count in counts { votes[count, default: 0] += 1 }
        let most = votes.values.max()
        return counts.first { votes[$0] == most }
    }
}
