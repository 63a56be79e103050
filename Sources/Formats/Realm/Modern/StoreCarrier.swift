// Writes a store anew whose rows stay as they are, while columns get other names, go or come: all
// nodes that stay are copied at their own positions, so no reference in them changes and no value
// is taken apart. What is new stands behind them: names, tops, the leaves of added columns. What
// went becomes zeros and free space. Which tables have to change, and how, CarriedTable knows.

/// Where a column of a carried class comes from.
package enum CarriedColumn {
    /// The property at this position before.
    case kept(Int)
    /// New, with the same value in all rows: a column that holds it once a row of a full leaf.
    case added(Column)
}

/// A store about to be written from the nodes of another.
package final class StoreCarrier {
    /// Notes on what the classes have, as a writer of rows makes them.
    package let report = Report()
    /// The rows of a leaf, and of the columns that are added.
    package static let leafRows = 256
    /// Free space in more pieces than this is better left behind.
    private static let gapLimit = 1 << 18

    private let store: Store
    private let group: Group
    private let schema: Schema
    private let tables: [CarriedTable]
    /// For each place in the list of tables, the class that stands there.
    private let classes: [Int?]
    private let version: (slot: Int, key: Int)
    private let options: ExchangeOptions
    private var gaps: [NodeBuilder.Gap] = []
    private var end = GroupBuilder.headerSize

    /// Finds out whether a store can be carried over to other classes.
    ///
    /// Each class stands where it stood, with all its rows.
    /// - Returns: nil where rows have to be written one by one: stores of other file formats, of
    ///   sync clients, damaged ones, enumerated strings, changes of links, keys or indexes, and
    ///   stores that consist of free space for the most part.
    package static func prepare(
        _ store: Store, schema: Schema, classes: [[CarriedColumn]], options: ExchangeOptions
    ) -> StoreCarrier? {
        do throws(FormatError) {
            guard let carrier = try StoreCarrier(store, schema, classes, options) else {
                return nil
            }
            return try carrier.findGaps() ? carrier : nil
        } catch {
            // Writing row by row meets the same, and says it with the place.
            return nil
        }
    }

    private init?(
        _ store: Store, _ schema: Schema, _ classes: [[CarriedColumn]], _ options: ExchangeOptions
    ) throws(FormatError) {
        let facts = store.facts
        let newest = WriterDialect.newest.fileFormat
        guard store.fileFormat == newest,
            options.extra["file-format"].map({ $0 == String(newest) }) ?? true,
            store.topReference != 0, facts.historyType == 0 || facts.historyType == 2,
            facts.broken.isEmpty, !facts.isHalfUpgraded, !facts.isTruncated,
            store.renamedColumns == 0, schema.version != nil, schema.version != .max
        else { return nil }
        let gate = NodeGate(store.image)
        group = try Group(gate, top: store.topReference)
        let plan = try ModernSchema.plan(gate, group)
        guard plan.internalTables.allSatisfy({ $0 == "metadata" }),
            plan.schema.classes.count == schema.classes.count,
            classes.count == schema.classes.count
        else { return nil }
        let layout = try SchemaLayoutBuilder.layout(
            of: schema, dialect: .newest, refused: RefusedContent(), file: store.path,
            report: report)
        guard layout.tables.count == schema.classes.count else { return nil }
        var tables: [CarriedTable] = []
        for i in classes.indices {
            guard let source = plan.sources[i],
                let table = try CarriedTable(
                    source, at: i, from: plan, to: schema, layout.tables[i],
                    columns: classes[i], gate)
            else { return nil }
            tables.append(table)
        }
        var places: [Int?] = []
        var next = 0
        var version = (slot: group.tables.count, key: group.tables.count)
        for (i, slot) in group.tables.enumerated() {
            var place: Int?
            if slot.name == "metadata" {
                let table = try ModernTable(gate, name: slot.name, ref: slot.ref)
                version = (i, Int(table.key))
            } else if slot.ref != 0, slot.ref & 1 == 0 {
                place = next
                next += 1
            }
            places.append(place)
        }
        guard next == tables.count else { return nil }
        self.store = store
        self.schema = schema
        self.tables = tables
        self.classes = places
        self.version = version
        self.options = options
    }

    /// Follows everything that stays.
    /// - Returns: false when nodes are shared, or too much would be left free.
    private func findGaps() throws(FormatError) -> Bool {
        let gate = NodeGate(store.image)
        var map = SpaceMap(store.image.bytes.count)
        guard map.take(0, end / 8) else { return false }
        var pending: [Int64] = []
        for table in tables { pending += table.carried }
        var live = 0
        while let ref = pending.popLast() {
            let node = try gate.node(ref)
            let size = node.byteCount
            guard map.take(node.ref / 8, size / 8) else { return false }
            end = max(end, node.ref + size)
            live += size
            guard node.hasRefs, node.scheme == 0, node.head & 7 != 0 else { continue }
            for i in 0..<node.count {
                let child = node.integer(i)
                if child != 0, child & 1 == 0 { pending.append(child) }
            }
        }
        var gaps: [NodeBuilder.Gap] = []
        map.gaps { first, count in
            let position = first * 8
            if position < end {
                gaps.append(.init(position: position, length: min(count * 8, end - position)))
            }
        }
        self.gaps = gaps
        return live >= end / 2 && gaps.count <= StoreCarrier.gapLimit
    }

    /// Writes the store; naming the file is left to the caller.
    /// - Throws: `missingValue`, `limitExceeded`, and the errors of writing.
    package func write(to file: OutputFile) throws(FormatError) {
        if let key = options.outputKey { file.stage = try EncryptedPages(key: key) }
        let nodes = NodeBuilder(output: file, keepsSections: true)
        let building = StoreBuilding(
            nodes: nodes, refused: RefusedContent(), report: Report(), file: file.path)
        let group = GroupBuilder(nodes: nodes, options: StoreWriterOptions())
        try group.begin()
        try nodes.carry(store.image.bytes, gaps: gaps, end: end)
        var names = self.group.tables.map(\.name)
        var refs = self.group.tables.map(\.ref)
        for (slot, place) in classes.enumerated() {
            guard let place else { continue }
            names[slot] = tables[place].layout.name
            refs[slot] = try tables[place].write(building)
        }
        if let number = schema.version {
            let table = TableBuilder(
                GroupBuilder.versionLayout(key: version.key), at: -1, building: building)
            try table.writeVersion(number)
            let ref = try table.finish()
            if version.slot < refs.count {
                refs[version.slot] = ref
            } else {
                names.append(table.layout.name)
                refs.append(ref)
            }
        }
        try group.finish(names: names, tables: refs)
    }
}
