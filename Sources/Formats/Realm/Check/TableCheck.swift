// Checks tables: keys and slots of their tops, the shape of their cluster trees, and every leaf
// of every column by reading it.

enum TableCheck {
    static func run(_ context: CheckContext) {
        let classes = context.plan.schema.classes
        let reader = RowReader(
            context.session, schema: context.flatSchema, plans: context.plan.tables,
            wanted: classes.map { $0.properties.map { _ in true } })
        let batch = RecordBatch(schema: context.flatSchema)
        var names: Set<String> = []
        for slot in context.group.tables where slot.ref != 0 && slot.ref & 1 == 0 {
            if !names.insert(slot.name).inserted {
                context.result.add(
                    "table-name", slot.name, nil, "two tables have the name \(slot.name)")
            }
        }
        var keys: Set<Int64> = []
        for (index, plan) in context.plan.tables.enumerated() {
            context.result.tables += 1
            let name = context.name(index)
            if let error = plan.damage { context.result.add(error, name, code: "table") }
            guard let table = context.plan.sources[index] else { continue }
            if !keys.insert(table.key).inserted {
                context.result.add(
                    "table-key", name, table.top.ref, "two tables have the key \(table.key)")
            }
            checkTop(context, table, name)
            guard plan.damage == nil else { continue }
            let before = context.session.disorderedCollections
            var walk = ClusterWalk(context: context, table: table, plan: plan, name: name)
            walk.visit = { cluster in
                // A leaf with too much in it for once is read row by row.
                var ranges = [0..<cluster.count]
                while let range = ranges.popLast() {
                    batch.begin(class: index)
                    context.session.room = context.portion
                    do throws(FormatError) {
                        try reader.read(range, of: cluster, plan, into: batch.columns)
                    } catch {
                        if error.code == .limitExceeded, range.count > 1 {
                            ranges += range.map { $0..<$0 + 1 }
                        } else {
                            context.result.add(error, name, code: "leaf")
                        }
                    }
                }
                LeafRules.check(context, plan, cluster, name)
            }
            let rows = walk.run()
            context.result.rows += rows
            let disordered = context.session.disorderedCollections - before
            if disordered > 0, context.store.fileFormat == 24 {
                context.result.add(
                    "collection-order", name, nil,
                    "\(disordered) sets or dictionaries are not in the order of format 24")
            }
        }
    }

    private static func checkTop(_ context: CheckContext, _ table: ModernTable, _ name: String) {
        let most = (table.columns.map(\.key.leafIndex).max() ?? -1) + 1
        context.attempt(name) { () throws(FormatError) in
            for (slot, what) in [
                (4, "search indexes"), (7, "opposite tables"), (8, "opposite columns"),
            ] {
                guard table.top.integer(slot) != 0 else { continue }
                let list = try context.gate.integers(context.gate.ref(table.top, slot))
                if list.count < most {
                    context.result.add(
                        "table-top", name, list.ref,
                        "the list of \(what) has \(list.count) places for \(most) columns")
                }
            }
        }
        if let primaryKey = table.primaryKey,
            !table.columns.contains(where: { $0.key.raw == primaryKey })
        {
            context.result.add(
                "primary-key", name, table.top.ref, "the primary key names no column")
        }
        for column in table.columns where column.key.type == ColumnCode.link {
            if !context.plan.tables.contains(where: { $0.tableKey == column.oppositeTable }) {
                context.result.add(
                    "link-target", "\(name).\(column.name ?? "")", table.top.ref,
                    "the links lead to table \(column.oppositeTable), which is not there")
            }
        }
    }
}

/// Walks a cluster tree and checks its shape.
struct ClusterWalk {
    let context: CheckContext
    let table: ModernTable
    let plan: TablePlan
    let name: String
    var visit: (Cluster) -> Void = { _ in }
    private var lastKey: Int64?
    private var hasKey = false

    init(context: CheckContext, table: ModernTable, plan: TablePlan, name: String) {
        self.context = context
        self.table = table
        self.plan = plan
        self.name = name
    }

    /// Walks the whole tree.
    /// - Returns: the number of rows.
    mutating func run() -> Int {
        guard table.clusters != 0 else { return 0 }
        return node(table.clusters, base: 0, limit: nil, depth: nil)
    }

    private func add(_ offset: Int, _ message: String) {
        context.result.add("cluster", name, offset, message)
    }

    private mutating func node(_ ref: Int64, base: UInt64, limit: UInt64?, depth: Int?) -> Int {
        do throws(FormatError) {
            let node = try context.gate.references(ref, least: 1)
            return node.isInner
                ? try inner(node, base: base, depth: depth)
                : try leaf(node, base: base, limit: limit, depth: depth)
        } catch {
            context.result.add(error, name, code: "cluster")
            return 0
        }
    }

    private mutating func inner(_ node: Node, base: UInt64, depth: Int?) throws(FormatError) -> Int
    {
        let gate = context.gate
        guard node.count >= 4, let stated = node.tagged(1), stated >= 1, stated <= 8,
            depth == nil || depth == Int(stated)
        else { throw gate.unexpected(node, "an inner node of a tree of objects") }
        let children = node.count - 3
        if children > 256 {
            add(node.ref, "an inner node has \(children) children, at most 256 fit")
        }
        var offsets: Node?
        if node.integer(0) != 0 {
            let array = try gate.integers(gate.ref(node, 0))
            guard array.count == children else {
                throw gate.unexpected(array, "an offset for each of \(children) children")
            }
            if array.width < 8 {
                add(array.ref, "the offsets of an inner node take less than eight bits each")
            }
            if array.unsigned(0) != 0 { add(array.ref, "the first offset is not zero") }
            for i in 1..<children where array.unsigned(i) <= array.unsigned(i - 1) {
                add(array.ref, "the offsets of an inner node do not ascend")
                break
            }
            offsets = array
        }
        func offset(_ i: Int) -> UInt64 {
            offsets.map { $0.unsigned(i) } ?? UInt64(i) << UInt64(8 * stated)
        }
        var total = 0
        for i in 0..<children {
            total += self.node(
                try gate.ref(node, i + 3), base: base &+ offset(i),
                limit: i + 1 < children ? offset(i + 1) &- offset(i) : nil, depth: Int(stated) - 1)
        }
        if node.tagged(2) != Int64(total) {
            add(
                node.ref, "an inner node states \(node.tagged(2) ?? -1) rows, below it are \(total)"
            )
        }
        return total
    }

    private mutating func leaf(_ node: Node, base: UInt64, limit: UInt64?, depth: Int?)
        throws(FormatError) -> Int
    {
        let gate = context.gate
        guard depth == nil || depth == 0 else {
            throw gate.damage(node.ref, "a leaf of objects stands too high in its tree")
        }
        let cluster = try ClusterCursor.leaf(gate, node, base: base)
        if let keys = cluster.localKeys, keys.width < 8, keys.count > 0 {
            add(keys.ref, "the object keys of a leaf take less than eight bits each")
        }
        for row in 0..<cluster.count {
            let key = cluster.key(row)
            if let lastKey, key <= lastKey {
                add(node.ref, "object key \(key) follows \(lastKey)")
                break
            }
            lastKey = key
            if let limit, UInt64(bitPattern: key) &- base >= limit {
                add(node.ref, "object key \(key) belongs into the next leaf")
            }
        }
        let most = (table.columns.map(\.key.leafIndex).max() ?? -1) + 2
        if cluster.count > 0, node.count < most {
            add(node.ref, "a leaf of objects has \(node.count) slots for \(most - 1) columns")
        }
        visit(cluster)
        return cluster.count
    }
}
