// Compares links with the backlinks that mirror them, and counts the parents of embedded objects.
// Both sides are summed up as hashes, so that millions of links take no memory.

enum LinkCheck {
    /// A multiset of (target object, origin object), as a count and two sums of hashes.
    struct Sum: Equatable {
        var count = 0
        var first: UInt64 = 0
        var second: UInt64 = 0

        mutating func add(target: Int64, origin: Int64) {
            count += 1
            let x = mix(UInt64(bitPattern: target) &+ 0x9E37_79B9_7F4A_7C15)
            let y = mix(UInt64(bitPattern: origin) ^ x)
            first = first &+ y
            second = second &+ mix(y ^ 0xD6E8_FEB8_6659_FD93)
        }

        private func mix(_ value: UInt64) -> UInt64 {
            var z = value
            z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
            z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
            return z ^ z >> 31
        }
    }

    /// Which column's links, into which table.
    struct Edge: Hashable {
        var origin: Int64
        var leafIndex: Int
        var target: Int64
    }

    static func run(_ context: CheckContext) {
        var forward: [Edge: Sum] = [:]
        var backward: [Edge: Sum] = [:]
        for (index, plan) in context.plan.tables.enumerated() where plan.damage == nil {
            guard let table = context.plan.sources[index] else { continue }
            let name = context.name(index)
            for column in table.columns {
                context.attempt("\(name).\(column.name ?? "backlinks")") { () throws(FormatError) in
                    if column.isBacklink {
                        try collectBacklinks(context, table, column, &backward)
                    } else {
                        try collectLinks(context, table, column, &forward)
                    }
                }
            }
            if table.kind == 1 {
                context.attempt(name) { () throws(FormatError) in
                    try checkParents(context, table, name)
                }
            }
        }
        for edge in Set(forward.keys).union(backward.keys) {
            let links = forward[edge] ?? Sum()
            let backlinks = backward[edge] ?? Sum()
            context.result.links += links.count
            guard links != backlinks else { continue }
            let at = context.plan.tables.firstIndex { $0.tableKey == edge.origin }
            let table = at.map(context.name) ?? "table \(edge.origin)"
            let column = at.flatMap { context.plan.sources[$0] }?.columns.first {
                $0.key.leafIndex == edge.leafIndex
            }
            context.result.add(
                "backlink-mismatch", "\(table).\(column?.name ?? "\(edge.leafIndex)")", nil,
                links.count == backlinks.count
                    ? "the \(links.count) links and backlinks do not mirror each other"
                    : "there are \(links.count) links, but \(backlinks.count) backlinks")
        }
    }

    /// Calls `body` for each leaf of the objects of a table, tombstones included.
    private static func forEachCluster(
        _ context: CheckContext, _ table: ModernTable, tombstones: Bool,
        _ body: (Cluster) throws(FormatError) -> Void
    ) throws(FormatError) {
        for root in tombstones ? [table.clusters, table.tombstones] : [table.clusters] {
            var cursor = ClusterCursor(context.gate, root: root)
            while try cursor.advance() {
                if let cluster = cursor.cluster { try body(cluster) }
            }
        }
    }

    private static func collectBacklinks(
        _ context: CheckContext, _ table: ModernTable, _ column: ModernTable.ColumnSpec,
        _ sums: inout [Edge: Sum]
    ) throws(FormatError) {
        let edge = Edge(
            origin: column.oppositeTable,
            leafIndex: ColumnKey(raw: column.oppositeColumn).leafIndex, target: table.key)
        var sum = sums[edge] ?? Sum()
        try forEachCluster(context, table, tombstones: true) { (cluster) throws(FormatError) in
            let leaf = try context.gate.integers(cluster.leaf(column.key.leafIndex))
            guard leaf.count == cluster.count else {
                throw context.gate.unexpected(leaf, "backlinks of \(cluster.count) rows")
            }
            for row in 0..<cluster.count {
                let value = leaf.integer(row)
                if value == 0 { continue }
                let target = cluster.key(row)
                if let origin = leaf.tagged(row) {
                    sum.add(target: target, origin: origin)
                } else {
                    try BTree.forEachLeaf(context.gate, value) { (node) throws(FormatError) in
                        for i in 0..<node.count {
                            sum.add(target: target, origin: node.integer(i))
                        }
                        return node.count
                    }
                }
            }
        }
        sums[edge] = sum
    }

    private static func collectLinks(
        _ context: CheckContext, _ table: ModernTable, _ column: ModernTable.ColumnSpec,
        _ sums: inout [Edge: Sum]
    ) throws(FormatError) {
        let type = column.key.type
        let attributes = column.key.attributes
        let isLink = type == ColumnCode.link || type == ColumnCode.linkList
        let isMixed = type == ColumnCode.mixed
        let isDictionary = attributes & ColumnCode.dictionary != 0
        guard isLink || isMixed else { return }
        let isCollection =
            attributes & (ColumnCode.list | ColumnCode.set | ColumnCode.dictionary) != 0
            || type == ColumnCode.linkList
        let session = context.session
        let gate = context.gate
        var found: [Int64: Sum] = [:]
        if isLink { found[column.oppositeTable] = Sum() }
        func add(_ table: Int64, _ target: Int64, _ origin: Int64) {
            if target != -1 { found[table, default: Sum()].add(target: target, origin: origin) }
        }
        func mixedTree(_ root: Int64, _ origin: Int64, _ depth: Int) throws(FormatError) {
            if root == 0 { return }
            guard depth < MixedLeaf.depthLimit else {
                throw gate.damage(Int(root), "values are nested too deep")
            }
            try BTree.forEachLeaf(gate, root) { (node) throws(FormatError) in
                let leaf = try MixedLeaf(session, Int64(node.ref))
                for i in 0..<leaf.count { try mixed(leaf, i, origin, depth) }
                return leaf.count
            }
        }
        func mixed(_ leaf: MixedLeaf, _ i: Int, _ origin: Int64, _ depth: Int) throws(FormatError) {
            switch try leaf.element(i, session: session) {
            case .link(let table, let key): add(table, key, origin)
            case .list(let ref): try mixedTree(ref, origin, depth + 1)
            case .dictionary(let ref) where ref != 0:
                let top = try gate.references(ref, least: 2)
                try mixedTree(gate.ref(top, 1), origin, depth + 1)
            default: break
            }
        }
        try forEachCluster(context, table, tombstones: false) { (cluster) throws(FormatError) in
            let ref = cluster.leaf(column.key.leafIndex)
            if !isCollection {
                if isLink {
                    let leaf = try LinkLeaf(session, ref)
                    for row in 0..<min(leaf.count, cluster.count) {
                        let stored = leaf.node.integer(row)
                        if stored != 0 { add(column.oppositeTable, stored &- 1, cluster.key(row)) }
                    }
                } else {
                    let leaf = try MixedLeaf(session, ref)
                    for row in 0..<min(leaf.count, cluster.count) {
                        try mixed(leaf, row, cluster.key(row), 0)
                    }
                }
                return
            }
            let refs = try gate.integers(ref)
            for row in 0..<min(refs.count, cluster.count) where refs.integer(row) != 0 {
                let root = try gate.ref(refs, row)
                let origin = cluster.key(row)
                if isDictionary {
                    let top = try gate.references(root, least: 2)
                    if !top.isInner, top.count == 2 {
                        try mixedTree(gate.ref(top, 1), origin, 0)
                    } else {
                        var inside = ClusterCursor(gate, root: root)
                        while try inside.advance() {
                            guard let part = inside.cluster else { break }
                            let leaf = try MixedLeaf(session, part.leaf(1))
                            for i in 0..<leaf.count { try mixed(leaf, i, origin, 0) }
                        }
                    }
                } else if isLink {
                    try BTree.forEachLeaf(gate, root) { (node) throws(FormatError) in
                        for i in 0..<node.count {
                            add(column.oppositeTable, node.integer(i), origin)
                        }
                        return node.count
                    }
                } else {
                    try mixedTree(root, origin, 0)
                }
            }
        }
        for (target, sum) in found where sum.count > 0 || isLink {
            sums[Edge(origin: table.key, leafIndex: column.key.leafIndex, target: target)] = sum
        }
    }

    /// Each embedded object has exactly one parent.
    private static func checkParents(_ context: CheckContext, _ table: ModernTable, _ name: String)
        throws(FormatError)
    {
        let gate = context.gate
        let columns = table.columns.filter(\.isBacklink)
        var orphans = 0
        var shared = 0
        try forEachCluster(context, table, tombstones: false) { (cluster) throws(FormatError) in
            let leaves = try columns.map { (column) throws(FormatError) in
                try gate.integers(cluster.leaf(column.key.leafIndex))
            }
            for row in 0..<cluster.count {
                var parents: Int64 = 0
                for leaf in leaves {
                    let value = leaf.integer(row)
                    if value == 0 { continue }
                    if value & 1 == 1 {
                        parents += 1
                    } else {
                        let list = try gate.node(value)
                        parents +=
                            list.isInner
                            ? list.tagged(list.count - 1) ?? 0 : Int64(list.count)
                    }
                }
                if parents == 0 { orphans += 1 }
                if parents > 1 { shared += 1 }
            }
        }
        if orphans > 0 {
            context.result.add(
                "embedded-parent", name, nil, "\(orphans) embedded objects have no parent")
        }
        if shared > 0 {
            context.result.add(
                "embedded-parent", name, nil,
                "\(shared) embedded objects have more than one parent")
        }
    }
}
