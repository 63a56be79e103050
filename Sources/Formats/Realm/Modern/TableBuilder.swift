// One table that is being written: takes rows of batches, gives out object keys, cuts the rows
// into clusters of 256, and writes its trees and its description when all rows are known.

/// Rows to take: those of a batch, or the embedded objects of one.
struct PendingRows {
    var table: TableBuilder
    var batch: RecordBatch
    /// The number of the first row in its table, for embedded rows.
    var first: Int64?
}

/// A table.
final class TableBuilder {
    /// One finished cluster.
    struct Cluster: BitwiseCopyable {
        /// What the keys in the leaf are counted from.
        var base: Int64
        var count: Int
        /// First element of the leaf: the keys, or their number where they are consecutive.
        var keys: Int64
    }

    let layout: TableLayout
    let columns: [ColumnBuilder]
    let keys = KeyRuns()
    /// The backlink columns: what links here, in the order of the columns.
    var incoming: [LinkCollector] = []

    private let building: StoreBuilding
    private let clusters = RawVector<Cluster>(capacity: 8)
    private let pendingKeys = RawVector<Int64>(capacity: 256)
    private let batchKeys = RawVector<Int64>(capacity: 256)
    /// The number the next row without a key gets.
    private var sequence: Int64 = 0
    private var rows = 0

    init(_ layout: TableLayout, at position: Int, building: StoreBuilding) {
        self.layout = layout
        self.building = building
        columns = layout.columns.enumerated().map { i, column in
            ColumnBuilder(column, table: position, column: i, building: building)
        }
    }

    deinit {
        clusters.destroy()
        pendingKeys.destroy()
        batchKeys.destroy()
    }

    // MARK: Rows

    /// Sets aside numbers for embedded rows that will be taken later.
    /// - Throws: `limitExceeded`.
    func reserve(_ count: Int) throws(FormatError) -> Int64 {
        let first = sequence
        sequence += Int64(count)
        if sequence > 0xFFFF_FFFF {
            throw FormatError(
                .limitExceeded, "a table holds at most 4,294,967,295 objects without keys",
                recordName: layout.title)
        }
        return first
    }

    /// Takes the rows of a batch; embedded objects in it are appended to `more`.
    func take(_ rows: PendingRows, more: inout [PendingRows]) throws(FormatError) {
        let batch = rows.batch
        guard batch.columns.count == columns.count else {
            throw FormatError(
                .defect, "a batch of another class", file: building.file, recordName: layout.title)
        }
        for column in batch.columns where column.count != batch.rowCount {
            throw FormatError(
                .defect, "a column of a batch has another number of rows than the batch",
                file: building.file, recordName: layout.title, property: column.property.name)
        }
        let keys = try objectKeys(rows)
        var embedded: [Int64] = []
        for (builder, column) in zip(columns, batch.columns) {
            embedded.append(try enqueue(builder, column, more: &more))
        }
        var done = 0
        while done < batch.rowCount {
            let n = min(256 - pendingKeys.count, batch.rowCount - done)
            for (i, builder) in columns.enumerated() {
                do throws(FormatError) {
                    try builder.take(
                        batch.columns[i], from: done, count: n, keys: keys + done,
                        embedded: embedded[i])
                } catch {
                    throw located(error, builder)
                }
            }
            pendingKeys.append(keys + done, count: n)
            self.rows += n
            done += n
            if pendingKeys.count == 256 { try finishCluster() }
        }
    }

    /// Says where an error of a column happened.
    private func located(_ error: FormatError, _ column: ColumnBuilder) -> FormatError {
        error.with { details in
            details.file = building.file
            details.recordName = layout.title
            details.property = column.layout.property.name
            guard let inside = details.record else {
                details.record = rows + column.currentRow + 1
                return
            }
            // A leaf began before the rows at hand.
            let begin = details.code == .missingValue ? rows : rows - pendingKeys.count
            details.record = begin + inside + 1
        }
    }

    /// Reserves numbers for the embedded objects of a column and puts them in the queue.
    private func enqueue(
        _ builder: ColumnBuilder, _ column: Column, more: inout [PendingRows]
    ) throws(FormatError) -> Int64 {
        guard builder.layout.isEmbedded, let target = builder.layout.target else { return 0 }
        let values = column.layout == .collection ? column.elements : column
        guard let values, values.layout == .object else {
            throw FormatError(
                .defect, "embedded objects must stand in the batch", file: building.file,
                recordName: layout.title, property: column.property.name)
        }
        guard (0..<values.count).contains(where: { values.nulls[$0] == 0 }) else { return 0 }
        let child = values.child
        var next: Int64 = 0
        for i in 0..<values.count where values.nulls[i] == 0 {
            // Every embedded row has exactly one owner.
            guard values.words[i] == next else {
                throw FormatError(
                    .defect, "embedded objects must stand in the order of their owners",
                    file: building.file, recordName: layout.title,
                    property: column.property.name)
            }
            next += 1
        }
        guard next == Int64(child.rowCount) else {
            throw FormatError(
                .defect, "an embedded object without an owner", file: building.file,
                recordName: layout.title, property: column.property.name)
        }
        let table = building.tables[target]
        let first = try table.reserve(child.rowCount)
        more.append(PendingRows(table: table, batch: child, first: first))
        return first
    }

    /// The object keys of rows, given or new.
    private func objectKeys(_ rows: PendingRows) throws(FormatError) -> UnsafePointer<Int64> {
        let batch = rows.batch
        let count = batch.rowCount
        let result: UnsafePointer<Int64>
        if rows.first == nil, batch.keys.count > 0 {
            guard batch.keys.count == count else {
                throw FormatError(
                    .defect, "a batch with keys for only some rows", file: building.file,
                    recordName: layout.title)
            }
            result = UnsafePointer(batch.keys.base)
        } else {
            let first: Int64
            if let reserved = rows.first { first = reserved } else { first = try reserve(count) }
            batchKeys.removeAll()
            let at = batchKeys.extend(count)
            if layout.primaryKey != nil {
                for i in 0..<count { at[i] = first &+ Int64(i) }
            } else {
                for i in 0..<count { at[i] = StoreConstant.squeezed(first &+ Int64(i)) }
            }
            result = UnsafePointer(at)
        }
        guard keys.append(result, count: count) else {
            throw FormatError(
                .keysOutOfOrder,
                "object keys must ascend from row to row, and be 0 or more (after \(keys.last))",
                file: building.file, record: self.rows + 1, recordName: layout.title)
        }
        return result
    }

    /// Takes the only row of the table that holds the schema version.
    func writeVersion(_ version: UInt64) throws(FormatError) {
        let schema = Schema(
            classes: [ClassSchema(layout.name, properties: layout.columns.map(\.property))])
        let batch = RecordBatch(schema: schema)
        batch.columns.first?.append(word: Int64(bitPattern: version))
        batch.closeRow()
        var more: [PendingRows] = []
        try take(PendingRows(table: self, batch: batch, first: nil), more: &more)
        try finishCluster()
    }

    /// Ends the cluster that is being filled.
    func finishCluster() throws(FormatError) {
        let count = pendingKeys.count
        if count == 0, clusters.count > 0 { return }
        if count < 256 {
            for column in columns {
                do throws(FormatError) {
                    try column.finishLeaf()
                } catch {
                    throw located(error, column)
                }
            }
        }
        var cluster = Cluster(base: 0, count: count, keys: tagged(Int64(count)))
        if count > 0 {
            // Only the first cluster counts from 0; later ones from their first key.
            let first = pendingKeys[0]
            if clusters.count > 0 { cluster.base = first }
            let isDense = pendingKeys[count - 1] &- cluster.base == Int64(count - 1)
            if !isDense {
                for i in 0..<count { pendingKeys[i] = pendingKeys[i] &- cluster.base }
                cluster.keys = try building.nodes.unsignedInts(pendingKeys.base, count: count)
            }
        }
        clusters.append(cluster)
        pendingKeys.removeAll()
    }

    // MARK: The end

    /// Writes everything but the leaves of the public columns.
    /// - Returns: the top of the table.
    func finish() throws(FormatError) -> Int64 {
        let indexes = try finishIndexes()
        let root = try finishClusters()
        return try finishTop(root: root, indexes: indexes)
    }

    private func finishIndexes() throws(FormatError) -> [Int64] {
        var refs: [Int64] = []
        let expanded = keys.isDense ? nil : keys.expanded()
        defer { expanded?.destroy() }
        for (i, column) in columns.enumerated() {
            if let index = column.index {
                do throws(FormatError) {
                    refs.append(
                        try IndexTrieBuilder(
                            index, keys: expanded, isUnique: i == layout.primaryKey,
                            nodes: building.nodes
                        ).build())
                } catch {
                    throw error.with { details in
                        details.file = building.file
                        details.recordName = layout.title
                        details.property = column.layout.property.name
                    }
                }
                column.dropIndex()
            } else {
                refs.append(0)
            }
        }
        return refs
    }

    private func finishClusters() throws(FormatError) -> Int64 {
        var backlinks: [BacklinkLeafBuilder] = []
        defer { for builder in backlinks { builder.destroy() } }
        for links in incoming {
            PairSort.sort(links.links.base, count: links.links.count)
            backlinks.append(
                BacklinkLeafBuilder(
                    UnsafePointer(links.links.base), count: links.links.count))
        }
        var walk = KeyWalk(keys)
        let rowKeys = UnsafeMutablePointer<Int64>.allocate(capacity: 256)
        defer { rowKeys.deallocate() }
        let elements = RawVector<Int64>(capacity: columns.count + incoming.count + 1)
        defer { elements.destroy() }
        var leaves: [ClusterTreeBuilder.Child] = []
        leaves.reserveCapacity(clusters.count)
        for i in 0..<clusters.count {
            let cluster = clusters[i]
            elements.removeAll()
            elements.append(cluster.keys)
            for column in columns { elements.append(column.leaves[i]) }
            if !backlinks.isEmpty {
                walk.next(cluster.count, to: rowKeys)
                for j in backlinks.indices {
                    let (leaf, dangling) = try backlinks[j].write(
                        rowKeys, count: cluster.count, nodes: building.nodes)
                    if let dangling { throw self.dangling(dangling, incoming[j]) }
                    elements.append(leaf)
                }
            }
            leaves.append(
                ClusterTreeBuilder.Child(
                    ref: try building.nodes.ints(
                        elements.base, count: elements.count, flags: NodeBuilder.Flag.hasRefs),
                    base: cluster.base, count: Int64(cluster.count)))
        }
        for j in backlinks.indices {
            if let left = backlinks[j].dangling(before: nil) {
                throw dangling(left, incoming[j])
            }
        }
        return try ClusterTreeBuilder.finish(leaves: leaves, nodes: building.nodes)
    }

    private func dangling(_ link: KeyPair, _ links: LinkCollector) -> FormatError {
        let origin = building.tables[links.origin]
        return FormatError(
            .danglingLink,
            "the object with key \(link.value) links to \(layout.title) \(link.key), which does "
                + "not exist",
            file: building.file, recordName: origin.layout.title,
            property: origin.layout.columns[links.column].property.name,
            fix: "set the link to null, or add the object it leads to")
    }

    private func finishTop(root: Int64, indexes: [Int64]) throws(FormatError) -> Int64 {
        let nodes = building.nodes
        let spec = try SpecBuilder.write(layout, incoming: incoming, tables: building.tables, nodes)
        let count = columns.count + incoming.count
        let indexRefs = try nodes.refs(
            indexes + [Int64](repeating: 0, count: count - indexes.count))
        var tables: [Int64] = []
        var opposites: [Int64] = []
        for column in columns {
            guard let target = column.layout.target, let links = column.links else {
                tables.append(StoreConstant.noTable)
                opposites.append(StoreConstant.noColumn)
                continue
            }
            let table = building.tables[target]
            tables.append(Int64(table.layout.key))
            opposites.append(table.backlinkKey(of: links))
        }
        for links in incoming {
            let origin = building.tables[links.origin].layout
            tables.append(Int64(origin.key))
            opposites.append(origin.columns[links.column].key)
        }
        let oppositeTables = try nodes.ints(tables)
        let oppositeColumns = try nodes.ints(opposites)
        let primaryKey = layout.primaryKey.map { tagged(layout.columns[$0].key) } ?? 0
        let kind: Int64 =
            switch layout.kind {
            case .object: 0
            case .embedded: 1
            case .asymmetric: 2
            }
        return try nodes.refs([
            spec, 0, root, tagged(Int64(layout.key)), indexRefs, tagged(0), tagged(1),
            oppositeTables, oppositeColumns, tagged(nextSequence), 0, primaryKey, tagged(kind), 0,
        ])
    }

    /// The column key of the backlink column for some links.
    func backlinkKey(of links: LinkCollector) -> Int64 {
        guard let position = incoming.firstIndex(where: { $0 === links }) else {
            return StoreConstant.noColumn
        }
        return StoreConstant.columnKey(
            leaf: columns.count + position, type: StoreConstant.backlinkType, attributes: 0,
            table: layout.key)
    }

    /// A number whose object key is free, so that the engine finds one at once.
    private var nextSequence: Int64 {
        if layout.primaryKey != nil {
            let next = keys.last + 1
            if next < 1 << 31 { return max(next, sequence) }
            return keys.firstFree(from: Int64(keys.count))
        }
        var next = sequence
        // Keys that came with the rows: those of the usual form say which numbers were used.
        for run in keys.runs.elements {
            let last = run.first + Int64(run.count) - 1
            let inForm = last & 0xFF00 == 0 ? last : run.first | 0xFF
            if inForm & 0xFF00 == 0, inForm >> 40 == 0 {
                next = max(next, (inForm & 0xFF | (inForm >> 8) & 0xFFFF_FF00) + 1)
            }
            // A run over more than one such stretch ends in or behind its last one.
            let stretch = last & ~0xFFFF
            if stretch > run.first, stretch >> 40 == 0 {
                let end = min(last & 0xFFFF, 0xFF) | stretch
                next = max(next, (end & 0xFF | (end >> 8) & 0xFFFF_FF00) + 1)
            }
        }
        return next
    }
}
