// One table of a file before format 10, as it stands or as an interrupted upgrade to format 10
// has left it: whether its rows are in columns or in clusters, and how they are planned.

/// One table, taken apart but not yet judged.
struct OldTable {
    /// The place in the list of tables: what old links know a table by.
    let number: Int
    let name: String
    private(set) var spec: OldSpec?
    /// The list of the columns' roots; nil when there is none.
    private(set) var list: Node?
    /// The table in its new form, when its rows have been moved.
    private(set) var moved: ModernTable?
    private(set) var rowCount = 0
    private(set) var error: FormatError?
    /// True when an upgrade has begun on it.
    private(set) var isUpgraded = false

    /// The name a user knows the table by.
    var title: String { name.hasPrefix("class_") ? String(name.dropFirst(6)) : name }
    var isClass: Bool { name.hasPrefix("class_") }

    init(_ gate: NodeGate, number: Int, name: String, ref: Int64, tableOfKey: [Int64: Int]) {
        self.number = number
        self.name = name
        do throws(FormatError) {
            try read(gate, ref, tableOfKey)
        } catch {
            self.error = error
        }
    }

    /// The key an upgrade has given to a table, nil where it has not been.
    static func key(_ gate: NodeGate, _ ref: Int64) -> Int64? {
        guard let top = try? gate.references(ref, least: 10) else { return nil }
        return top.tagged(3)
    }

    private mutating func read(_ gate: NodeGate, _ ref: Int64, _ tableOfKey: [Int64: Int])
        throws(FormatError)
    {
        let top = try gate.references(ref, least: 2)
        isUpgraded = top.count >= 10
        guard top.count == 2 || isUpgraded, !top.isInner else {
            throw gate.unexpected(top, "a table")
        }
        if top.integer(1) != 0 { list = try gate.references(gate.ref(top, 1)) }
        var upgrade: OldSpec.Upgrade?
        if isUpgraded {
            let opposite = top.integer(7)
            upgrade = OldSpec.Upgrade(
                list: list,
                oppositeTables: opposite == 0 || opposite & 1 == 1
                    ? nil : try gate.integers(opposite),
                tableOfKey: tableOfKey)
        }
        if isUpgraded, list == nil {
            moved = try ModernTable(gate, name: name, ref: ref)
        } else {
            let spec = try OldSpec(gate, gate.ref(top, 0), upgrade: upgrade)
            self.spec = spec
            if isUpgraded, !isComplete(spec) {
                moved = try ModernTable(gate, name: name, ref: ref)
            }
        }
        if let moved {
            guard let count = try moved.rowCount(gate) else {
                throw gate.damage(top.ref, "table \(name) states an impossible number of rows")
            }
            rowCount = count
        } else {
            try count(gate, top)
        }
    }

    /// True while all rows still stand in the columns.
    private func isComplete(_ spec: OldSpec) -> Bool {
        guard let list else { return false }
        let data = spec.columns.filter { $0.slot < list.count && !$0.isLink }
        let relevant = data.isEmpty ? spec.columns.filter { $0.slot < list.count } : data
        return relevant.allSatisfy { list.integer($0.slot) != 0 }
    }

    /// Counts the rows: what most of the columns say, hidden ones included.
    private mutating func count(_ gate: NodeGate, _ top: Node) throws(FormatError) {
        guard let spec else { return }
        let slots = list?.count ?? 0
        guard slots == spec.slotCount || (isUpgraded && slots <= spec.slotCount) else {
            throw gate.damage(
                list?.ref ?? top.ref,
                "table \(name) has \(slots) columns, its description \(spec.slotCount)")
        }
        guard let list else { return }
        var counts: [Int] = []
        var problem: FormatError?
        for column in spec.columns where column.slot < slots && list.integer(column.slot) != 0 {
            do throws(FormatError) {
                counts.append(
                    try TreeCount.values(
                        gate, list.integer(column.slot), OldColumns.countFormat(column)))
            } catch {
                problem = error
            }
        }
        rowCount = TreeCount.agreed(counts) ?? 0
        if counts.isEmpty, let problem { throw problem }
    }

    /// The properties of the table and the plan by which its rows are read.
    /// - Parameters:
    ///   - names: the titles of all tables by number.
    ///   - rows: the rows of all tables by number.
    func plan(
        _ gate: NodeGate, names: [Int: String], rows: [Int: LinkedRows],
        numberOfKey: [Int64: Int], showsHidden: Bool = false
    ) throws(FormatError) -> (properties: [Property], plan: TablePlan) {
        var plan = TablePlan(
            tableKey: Int64(number), columns: [], root: 0, rowCount: rowCount, damage: nil)
        if let error { throw error }
        if let moved {
            plan.root = moved.clusters
            var titles: [Int64: String] = [:]
            for (key, number) in numberOfKey { titles[key] = names[number] }
            let planned = try ModernColumns.plan(gate, moved, names: titles)
            var properties: [Property] = []
            for var column in planned
            where showsHidden || !column.property.name.hasPrefix("!") {
                try leaveBehind(gate, &column, moved, rows, numberOfKey)
                column.plan.property = properties.count
                plan.columns.append(column.plan)
                properties.append(column.property)
            }
            return (properties, plan)
        }
        guard let spec else { return ([], plan) }
        plan.isColumnWise = true
        plan.root = list.map { Int64($0.ref) } ?? 0
        let found = try OldColumns.plan(
            gate, spec.columns.filter { !isUpgraded || $0.slot < list?.count ?? 0 },
            names: names, rows: rows, showsHidden: showsHidden)
        plan.columns = found.plans
        return (found.properties, plan)
    }

    /// Links are moved after the rest of a row: until then they stand in an old column.
    private func leaveBehind(
        _ gate: NodeGate, _ column: inout ModernColumns.Planned, _ moved: ModernTable,
        _ rows: [Int: LinkedRows], _ numberOfKey: [Int64: Int]
    ) throws(FormatError) {
        guard column.property.type == .link, let list, let spec,
            let at = moved.columns.firstIndex(where: { $0.key.raw == column.key }),
            at < spec.columns.count
        else { return }
        let root = list.integer(spec.columns[at].slot)
        guard root != 0 else { return }
        let format = LeafFormat(kind: .link, isNullable: false, dialect: .legacy)
        let target = numberOfKey[moved.columns[at].oppositeTable] ?? spec.columns[at].target
        column.plan.format.old = .link
        column.plan.format.rows = target.flatMap { rows[$0] } ?? LinkedRows.none
        column.plan.leftBehind = LeftBehindLinks(
            root: root, count: try TreeCount.values(gate, root, format),
            rowColumn: rowLeaf(gate).map {
                ColumnPlan(property: 0, leafIndex: $0, shape: .single, format: format)
            })
    }

    /// The hidden column in which an upgrade keeps what row an object was.
    static let rowColumn = "!ROW_INDEX"

    /// The place in the clusters where an upgrade keeps what row an object was; nil when the
    /// object's key tells. Some upgrades gave that place to a backlink column, so the leaves
    /// themselves are asked.
    func rowLeaf(_ gate: NodeGate) -> Int? {
        guard let moved, let column = moved.columns.first(where: { $0.name == OldTable.rowColumn })
        else { return nil }
        let places = [column] + moved.columns.filter(\.isBacklink)
        return places.map(\.key.leafIndex).first { rowKeys(gate, moved, $0) != nil }
            ?? column.key.leafIndex
    }

    /// The objects by what row they were; nil when a place holds no such numbers.
    private func rowKeys(_ gate: NodeGate, _ moved: ModernTable, _ place: Int) -> [Int64: Int64]? {
        var keys: [Int64: Int64] = [:]
        var cursor = ClusterCursor(gate, root: moved.clusters)
        let visits = gate.visitsLeft
        defer { gate.visitsLeft = visits }
        while (try? cursor.advance()) ?? false {
            guard let cluster = cursor.cluster,
                let leaf = try? gate.integers(cluster.leaf(place)), !leaf.hasRefs,
                leaf.count == cluster.count
            else { return nil }
            for i in 0..<leaf.count {
                let row = leaf.integer(i)
                guard row >= 0, row < Int64(rowCount),
                    keys.updateValue(cluster.key(i), forKey: row) == nil
                else { return nil }
            }
        }
        return keys
    }

    /// What old links to this table lead to.
    func linkedRows(_ gate: NodeGate) -> LinkedRows {
        guard let moved, let place = rowLeaf(gate) else { return LinkedRows(count: rowCount) }
        // Without numbers to be trusted no link can be followed.
        return LinkedRows(count: rowCount, keys: rowKeys(gate, moved, place) ?? [:])
    }
}

/// The links of a moved table that still stand in an old column.
final class LeftBehindLinks: Sendable {
    let root: Int64
    /// The rows the old column has.
    let count: Int
    /// The column that tells what row an object was; nil when its key tells.
    let rowColumn: ColumnPlan?

    init(root: Int64, count: Int, rowColumn: ColumnPlan?) {
        self.root = root
        self.count = count
        self.rowColumn = rowColumn
    }
}

extension RowReader {
    /// Appends links that an upgrade has left behind.
    func append(
        _ links: LeftBehindLinks, _ range: Range<Int>, of chunk: some RowChunk,
        _ part: ColumnPlan, to column: Column
    ) throws(FormatError) {
        var numbers: Node?
        if let plan = links.rowColumn {
            let place = try chunk.place(plan)
            let leaf = try session.gate.integers(place.ref)
            guard leaf.count == place.count else { throw wrongCount(place, leaf.count) }
            numbers = leaf
        }
        session.isOpeningLeaf = false
        let linked = part.format.rows ?? LinkedRows.none
        var cursor = TreeCursor(session.gate, root: links.root, count: links.count)
        for i in range {
            let row = Int(truncatingIfNeeded: numbers?.integer(i) ?? chunk.key(i))
            // Finding a leaf costs visits that nothing in the file pays for.
            let visits = session.gate.visitsLeft
            let place = row >= 0 && row < links.count ? cursor.seek(row) : nil
            var value: Int64 = 0
            if let place {
                if let error = place.error { throw error }
                let leaf = try session.gate.integers(place.ref)
                guard leaf.count == place.rows.count else {
                    throw session.gate.damage(
                        leaf.ref, "a column's leaf holds \(leaf.count) values")
                }
                value = leaf.integer(row - place.rows.lowerBound)
            }
            session.gate.visitsLeft = visits
            if case .list = part.shape {
                if value != 0, let elements = column.elements {
                    try appendOldLinks(value, part, to: elements)
                }
                column.closeCollection()
            } else if value == 0 {
                column.appendNull()
            } else if let key = linked.key(value &- 1) {
                column.append(word: key)
            } else {
                session.danglingLinks += 1
                column.appendNull()
            }
        }
    }
}
