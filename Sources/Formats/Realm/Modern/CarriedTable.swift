// One table of a store that is carried over: which of its nodes stay, and those that are written
// anew. Renamed columns need another spec, columns that come or go also other tops of the leaves;
// leaves, keys, indexes and backlinks stay.

/// A table.
struct CarriedTable {
    /// A public column.
    private enum Part {
        case kept(ModernTable.ColumnSpec)
        case added(ColumnLayout, Column)
    }

    let layout: TableLayout
    /// The roots of all that stays.
    private(set) var carried: [Int64] = []

    private let source: ModernTable
    private let position: Int
    private var parts: [Part] = []
    private var backlinks: [ModernTable.ColumnSpec] = []
    /// The leaves, where columns come or go; nil where the rows' tree stays.
    private var clusters: [Cluster]?
    private var isSame = true

    /// - Returns: nil where the rows must be written anew.
    init?(
        _ source: ModernTable, at position: Int, from plan: SnapshotPlan, to schema: Schema,
        _ layout: TableLayout, columns: [CarriedColumn], _ gate: NodeGate
    ) throws(FormatError) {
        self.source = source
        self.layout = layout
        self.position = position
        let before = plan.schema.classes[position]
        let after = schema.classes[position]
        let known = source.columns.filter { !$0.isBacklink }
        backlinks = source.columns.filter(\.isBacklink)
        guard before.kind == after.kind, before.isTable == after.isTable,
            source.tombstones == 0, source.clusters != 0, source.clusters & 1 == 0,
            known.count == before.properties.count, columns.count == after.properties.count,
            source.columns.allSatisfy({ $0.enumerated == 0 })
        else { return nil }
        var kept: Set<Int> = []
        var free = StoreConstant.LeafPlaces()
        for (p, column) in columns.enumerated() {
            guard case .kept(let i) = column else { continue }
            guard i < known.count, kept.insert(i).inserted,
                before.properties[i].isStored(
                    as: after.properties[p], from: plan.schema, to: schema)
            else { return nil }
            free.take(known[i].key.leafIndex)
        }
        for column in backlinks { free.take(column.key.leafIndex) }
        for (i, property) in before.properties.enumerated() where !kept.contains(i) {
            // Backlinks would have to go as well.
            if [.link, .mixed, .table].contains(property.type) { return nil }
        }
        for (p, column) in columns.enumerated() {
            switch column {
            case .kept(let i):
                parts.append(.kept(known[i]))
                if i != p || known[i].name != after.properties[p].name { isSame = false }
            case .added(let values):
                var column = layout.columns[p]
                guard column.target == nil, column.property.type != .mixed, !column.isIndexed,
                    !column.isFullText, values.count == StoreCarrier.leafRows
                else { return nil }
                column.key = StoreConstant.columnKey(
                    leaf: free.next(), type: column.type, attributes: column.attributes,
                    table: Int(source.key))
                parts.append(.added(column, values))
            }
        }
        let primaryKey = before.primaryKey.flatMap { before.index(of: $0) }
        guard
            primaryKey
                == after.primaryKey.flatMap({ after.index(of: $0) }).flatMap({ p -> Int? in
                    if case .kept(let i) = columns[p] { i } else { nil }
                }), (before.primaryKey == nil) == (after.primaryKey == nil)
        else { return nil }
        if kept.count != known.count || columns.count != kept.count {
            isSame = false
            guard let found = try leaves(gate, rows: plan.tables[position].rowCount) else {
                return nil
            }
            clusters = found
        }
        carried = try roots()
    }

    /// The leaves of the rows' tree; nil for a tree of another shape than the writer's.
    private func leaves(_ gate: NodeGate, rows: Int) throws(FormatError) -> [Cluster]? {
        var cursor = ClusterCursor(gate, root: source.clusters)
        var found: [Cluster] = []
        var count = 0
        while try cursor.advance() {
            guard let cluster = cursor.cluster else { break }
            found.append(cluster)
            count += cluster.count
        }
        if found.isEmpty {
            let root = try gate.references(source.clusters, least: 1)
            guard !root.isInner else { return nil }
            found.append(try ClusterCursor.leaf(gate, root, base: 0))
        }
        // A leaf that is missing would cost its reader a row, and a far place the writer room.
        let places = (keptColumns + backlinks).map(\.key.leafIndex)
        let isWhole = found.allSatisfy { cluster in
            places.allSatisfy { cluster.leaf($0) != 0 && cluster.leaf($0) & 1 == 0 }
        }
        return isWhole && count == rows && found.first?.base == 0 ? found : nil
    }

    private var keptColumns: [ModernTable.ColumnSpec] {
        parts.compactMap { if case .kept(let column) = $0 { column } else { nil } }
    }

    /// The places in the table's top that are written anew.
    private func isNew(_ slot: Int) -> Bool {
        [0, 4, 7, 8].contains(slot) || slot == 2 && clusters != nil
    }

    private func roots() throws(FormatError) -> [Int64] {
        if isSame { return [Int64(source.top.ref)] }
        var roots: [Int64] = []
        func add(_ ref: Int64) { if ref != 0, ref & 1 == 0 { roots.append(ref) } }
        for slot in 0..<source.top.count where !isNew(slot) { add(source.top.integer(slot)) }
        for column in keptColumns { add(column.index) }
        for cluster in clusters ?? [] {
            add(cluster.node.integer(0))
            for column in keptColumns + backlinks { add(cluster.leaf(column.key.leafIndex)) }
        }
        return roots
    }

    // MARK: Writing

    /// Writes what changed.
    /// - Returns: the top of the table.
    func write(_ building: StoreBuilding) throws(FormatError) -> Int64 {
        if isSame { return Int64(source.top.ref) }
        let nodes = building.nodes
        var elements = (0..<source.top.count).map { source.top.integer($0) }
        elements[0] = try writeSpec(nodes)
        if let clusters { elements[2] = try write(clusters, building) }
        var indexes = [Int64](repeating: 0, count: places)
        var tables = [Int64](repeating: StoreConstant.noTable, count: places)
        var opposites = [Int64](repeating: StoreConstant.noColumn, count: places)
        for column in keptColumns + backlinks {
            let at = column.key.leafIndex
            indexes[at] = column.index
            tables[at] = column.oppositeTable
            opposites[at] = column.oppositeColumn
        }
        elements[4] = try nodes.refs(indexes)
        elements[7] = try nodes.ints(tables)
        elements[8] = try nodes.ints(opposites)
        return try nodes.refs(elements)
    }

    /// The places of columns in a leaf's top.
    private var places: Int {
        let added = parts.compactMap {
            if case .added(let column, _) = $0 { ColumnKey(raw: column.key).leafIndex } else { nil }
        }
        return ((keptColumns + backlinks).map(\.key.leafIndex) + added).reduce(-1) { max($0, $1) }
            + 1
    }

    private func writeSpec(_ nodes: NodeBuilder) throws(FormatError) -> Int64 {
        var types: [Int64] = []
        var attributes: [Int64] = []
        var keys: [Int64] = []
        for part in parts + backlinks.map({ .kept($0) }) {
            switch part {
            case .kept(let column):
                types.append(column.specType)
                attributes.append(Int64(column.attributes))
                keys.append(column.key.raw)
            case .added(let column, _):
                types.append(column.specType)
                attributes.append(column.attributes)
                keys.append(column.key)
            }
        }
        return try SpecBuilder.write(
            types: types, names: layout.columns.map(\.property.name), attributes: attributes,
            keys: keys, nodes)
    }

    /// Writes the tops of the leaves, the leaves of added columns, and the tree over them.
    private func write(_ clusters: [Cluster], _ building: StoreBuilding) throws(FormatError)
        -> Int64
    {
        let nodes = building.nodes
        let kept = (keptColumns + backlinks).map(\.key.leafIndex)
        var added: [(place: Int, builder: ColumnBuilder, values: Column)] = []
        for (i, part) in parts.enumerated() {
            guard case .added(let column, let values) = part else { continue }
            added.append(
                (
                    ColumnKey(raw: column.key).leafIndex,
                    ColumnBuilder(column, table: position, column: i, building: building), values
                ))
        }
        // Constants lead nowhere, so nobody asks for the keys of their rows.
        let keys = [Int64](repeating: 0, count: StoreCarrier.leafRows)
        var children: [ClusterTreeBuilder.Child] = []
        children.reserveCapacity(clusters.count)
        var elements = [Int64](repeating: 0, count: places + 1)
        for (i, cluster) in clusters.enumerated() {
            elements[0] = cluster.node.integer(0)
            for place in kept { elements[place + 1] = cluster.leaf(place) }
            for column in added {
                try column.builder.take(
                    column.values, from: 0, count: cluster.count, keys: keys, embedded: 0)
                if cluster.count < StoreCarrier.leafRows { try column.builder.finishLeaf() }
                elements[column.place + 1] = column.builder.leaves[i]
            }
            children.append(
                ClusterTreeBuilder.Child(
                    ref: try nodes.refs(elements), base: Int64(bitPattern: cluster.base),
                    count: Int64(cluster.count)))
        }
        return try ClusterTreeBuilder.finish(leaves: children, nodes: nodes)
    }
}

extension StoreConstant {
    /// The places of columns in the leaves of a table.
    struct LeafPlaces {
        private var taken: Set<Int> = []
        private var first = 0

        mutating func take(_ place: Int) { taken.insert(place) }

        /// The lowest free place, which is taken then.
        mutating func next() -> Int {
            while !taken.insert(first).inserted { first += 1 }
            return first
        }
    }
}

extension Property {
    /// True when the values of a property are stored the same way under another.
    fileprivate func isStored(as other: Property, from before: Schema, to after: Schema) -> Bool {
        var renamed = self
        renamed.name = other.name
        renamed.target = other.target
        return renamed == other
            && target.flatMap { before.index(of: $0) }
                == other.target.flatMap {
                    after.index(of: $0)
                }
    }
}
