// Rules of leaves that reading does not need, but the engine relies on when it writes: the null
// sentinel of ints, the width of offsets, the keys of nested collections.

enum LeafRules {
    /// Checks the leaves of a cluster.
    static func check(
        _ context: CheckContext, _ plan: TablePlan, _ cluster: Cluster, _ name: String
    ) {
        for part in plan.columns {
            let kind = part.format.kind
            let ref = cluster.leaf(part.leafIndex)
            context.attempt(name) { () throws(FormatError) in
                switch part.shape {
                case .single: try leaf(context, ref, kind, part.format.isNullable, name)
                default:
                    let refs = try context.gate.integers(ref)
                    for i in 0..<refs.count where refs.integer(i) != 0 {
                        let root = try context.gate.ref(refs, i)
                        if case .dictionary = part.shape {
                            let top = try context.gate.references(root)
                            guard !top.isInner, top.count == 2 else { continue }
                            try tree(context, context.gate.ref(top, 0), .string, false, name)
                            try tree(context, context.gate.ref(top, 1), .mixed, true, name)
                        } else {
                            try tree(context, root, kind, part.format.isNullable, name)
                        }
                    }
                }
            }
        }
    }

    /// Checks the shape of a tree beyond what reading needs, and its leaves.
    private static func tree(
        _ context: CheckContext, _ root: Int64, _ kind: LeafFormat.Kind, _ isNullable: Bool,
        _ name: String, depth: Int = 0
    ) throws(FormatError) {
        let node = try context.gate.node(root)
        guard node.isInner else { return try leaf(context, root, kind, isNullable, name) }
        guard node.count >= 3, depth < BTree.depthLimit else { return }
        let children = node.count - 2
        let first = node.integer(0)
        var starts: [Int64] = []
        var start: Int64 = 0
        for i in 0..<children {
            let child = try context.gate.ref(node, i + 1)
            try tree(context, child, kind, isNullable, name, depth: depth + 1)
            let size = try elements(context, child, kind, isNullable)
            if first & 1 == 1, i < children - 1, size != first >> 1 {
                context.result.add(
                    "tree", name, node.ref,
                    "a child of a tree holds \(size) elements, its parent says \(first >> 1)")
            }
            start += size
            starts.append(start)
        }
        if first & 1 == 0, first != 0 {
            let offsets = try context.gate.integers(first)
            if offsets.width < 8, offsets.count > 0 {
                context.result.add(
                    "tree", name, offsets.ref, "the offsets of a tree take less than eight bits")
            }
            if offsets.count != children - 1
                || (0..<children - 1).contains(where: { Int64(offsets.unsigned($0)) != starts[$0] })
            {
                context.result.add(
                    "tree", name, offsets.ref, "the offsets of a tree do not fit its children")
            }
        }
    }

    /// The number of elements below a node of a tree.
    private static func elements(
        _ context: CheckContext, _ ref: Int64, _ kind: LeafFormat.Kind, _ isNullable: Bool
    ) throws(FormatError) -> Int64 {
        let node = try context.gate.node(ref)
        if node.isInner { return node.tagged(node.count - 1) ?? 0 }
        let format = LeafFormat(kind: kind, isNullable: isNullable)
        return Int64(try Leaf(context.session, ref, format).count)
    }

    private static func leaf(
        _ context: CheckContext, _ ref: Int64, _ kind: LeafFormat.Kind, _ isNullable: Bool,
        _ name: String
    ) throws(FormatError) {
        let gate = context.gate
        switch kind {
        case .int where isNullable: try sentinel(context, gate.integers(ref), name)
        case .date:
            let top = try gate.references(ref, least: 2)
            try sentinel(context, gate.integers(gate.ref(top, 0)), name)
        case .mixed:
            let top = try gate.references(ref, least: 4)
            guard top.count > 4, top.integer(4) != 0 else { return }
            let composite = try gate.integers(gate.ref(top, 0))
            let keys =
                top.count > 5 && top.integer(5) != 0
                ? try gate.integers(gate.ref(top, 5)) : nil
            for i in 0..<composite.count {
                let type = composite.integer(i) & 0x1F
                guard type == 20 || type == 22 else { continue }
                if (keys?.integer(i) ?? 0) == 0 {
                    context.result.add(
                        "nested-key", name, top.ref, "a nested collection has no key")
                }
            }
        default: return
        }
    }

    private static func sentinel(_ context: CheckContext, _ node: Node, _ name: String) {
        guard node.count > 0 else { return }
        let bound: Int64
        switch node.width {
        case 0: bound = 0
        case 1: bound = 1
        case 2: bound = 3
        case 4: bound = 15
        case 8: bound = 127
        case 16: bound = 32767
        case 32: bound = Int64(Int32.max)
        default: return
        }
        if node.integer(0) != bound {
            context.result.add(
                "null-sentinel", name, node.ref,
                "the null of a leaf of ints is \(node.integer(0)), it must be \(bound)")
        }
    }
}
