// One public column of a table that is being written: takes values as they come, writes a leaf
// for every 256 rows and keeps its ref. Values that lead elsewhere (links, embedded objects,
// collections, mixed) are resolved here; the leaf builders only see numbers and bytes.

/// What all columns of a store share while it is written.
final class StoreBuilding {
    let nodes: NodeBuilder
    /// What the file format cannot hold.
    let refused: RefusedContent
    let report: Report
    let file: String
    /// Builders for the levels of nested collections, from the outermost in.
    var levels: [MixedLevel] = []
    var tables: [TableBuilder] = []
    /// The order of sets and dictionaries.
    let order: StoredOrder

    init(nodes: NodeBuilder, refused: RefusedContent, report: Report, file: String) {
        self.nodes = nodes
        self.refused = refused
        order = StoredOrder(nodes.dialect)
        self.report = report
        self.file = file
    }
}

/// A column.
final class ColumnBuilder {
    let layout: ColumnLayout
    let building: StoreBuilding
    /// The leaf of each finished cluster.
    let leaves = RawVector<Int64>(capacity: 8)
    /// The links of a link column, or nil.
    let links: LinkCollector?
    /// The links of a mixed column by target table.
    var mixedLinks: [Int: LinkCollector] = [:]
    private(set) var index: IndexBuilder?

    let table: Int
    private let column: Int
    private let isOptional: Bool
    private var count = 0
    /// The row at hand within the values being taken, for messages.
    private(set) var currentRow = 0
    // The values of the leaf that is being filled.
    private let pendingWords = RawVector<Int64>(capacity: 256)
    private let pendingExtra: RawVector<Int64>
    private let pendingNulls = RawVector<UInt8>(capacity: 256)
    private let pendingBytes = RawVector<UInt8>(capacity: 256)
    private let pendingEnds: RawVector<Int>
    private let mixed: MixedLeafBuilder?

    init(_ layout: ColumnLayout, table: Int, column: Int, building: StoreBuilding) {
        self.layout = layout
        self.table = table
        self.column = column
        self.building = building
        let property = layout.property
        isOptional = layout.attributes & StoreConstant.Attribute.nullable != 0
        links = layout.target != nil ? LinkCollector(origin: table, column: column) : nil
        index =
            layout.isIndexed || layout.isFullText
            ? IndexBuilder(
                property, isOptional: property.isOptional, isFullText: layout.isFullText)
            : nil
        pendingExtra = RawVector(capacity: 256)
        pendingEnds = RawVector(capacity: 256)
        mixed = property.type == .mixed && property.collection == nil ? MixedLeafBuilder() : nil
    }

    deinit {
        leaves.destroy()
        pendingWords.destroy()
        pendingExtra.destroy()
        pendingNulls.destroy()
        pendingBytes.destroy()
        pendingEnds.destroy()
    }

    /// Takes values of consecutive rows that belong to one cluster.
    /// - Parameters:
    ///   - keys: the object keys of the rows.
    ///   - embedded: the number of the first embedded row of this batch in the target table.
    func take(
        _ source: Column, from first: Int, count added: Int, keys: UnsafePointer<Int64>,
        embedded: Int64
    ) throws(FormatError) {
        currentRow = 0
        if source.layout == .collection {
            for i in 0..<added {
                currentRow = i
                let range = source.range(first + i)
                pendingWords.append(
                    range.isEmpty
                        ? 0
                        : try collection(source, range, key: keys[i], embedded: embedded))
            }
        } else {
            let values = LeafValues(source, from: first, count: added)
            if !isOptional, values.hasNull {
                throw FormatError(
                    .missingValue, "a required property is null", record: values.firstNull,
                    fix: "give it a value, or make it optional")
            }
            if let index {
                if index.isFullText {
                    index.addWords(values)
                } else {
                    index.add(values, count: added)
                }
            }
            if let mixed {
                for i in 0..<added {
                    currentRow = i
                    if source.nulls[first + i] != 0 {
                        mixed.addNull()
                    } else {
                        try mixedValue(
                            source.bytes(first + i), to: mixed, position: mixed.count,
                            key: keys[i])
                    }
                }
            } else if let links {
                for i in 0..<added {
                    if values.nulls[i] != 0 {
                        pendingWords.append(0)
                        continue
                    }
                    currentRow = i
                    let target = try linked(values.words[i], source, embedded)
                    links.add(target: target, origin: keys[i])
                    pendingWords.append(target + 1)
                }
            } else if count == 0, added == 256 {
                leaves.append(try plainLeaf(values))
                return
            } else {
                append(values, layout: source.layout)
            }
        }
        count += added
        if count == 256 { try finishLeaf() }
    }

    /// The object key a link leads to.
    @inline(__always)
    func linked(_ word: Int64, _ source: Column, _ embedded: Int64) throws(FormatError) -> Int64 {
        if source.layout == .object { return StoreConstant.squeezed(embedded &+ word) }
        if word < 0 || word == Int64.max {
            throw FormatError(.danglingLink, "a link leads to the impossible object key \(word)")
        }
        return word
    }

    private func append(_ values: LeafValues, layout: Column.Layout) {
        pendingNulls.append(values.nulls, count: values.count)
        switch layout {
        case .bytes:
            let end = values.count > 0 ? values.ends[values.count - 1] : values.start
            let shift = pendingBytes.count - values.start
            pendingBytes.append(values.bytes + values.start, count: end - values.start)
            let ends = pendingEnds.extend(values.count)
            for i in 0..<values.count { ends[i] = values.ends[i] + shift }
        case .pair:
            pendingWords.append(values.words, count: values.count)
            pendingExtra.append(values.extra, count: values.count)
        default: pendingWords.append(values.words, count: values.count)
        }
    }

    /// Writes the leaf that is being filled, if it holds anything or is the only one.
    func finishLeaf() throws(FormatError) {
        let nodes = building.nodes
        let property = layout.property
        if property.collection != nil {
            leaves.append(
                try nodes.ints(
                    pendingWords.base, count: pendingWords.count,
                    flags: NodeBuilder.Flag.hasRefs))
        } else if let mixed {
            leaves.append(try mixed.finish(nodes: nodes))
        } else if links != nil {
            leaves.append(try nodes.ints(pendingWords.base, count: pendingWords.count))
        } else {
            leaves.append(
                try plainLeaf(
                    LeafValues(
                        words: pendingWords, extra: pendingExtra, nulls: pendingNulls,
                        bytes: pendingBytes, ends: pendingEnds, count: count)))
        }
        count = 0
        pendingWords.removeAll()
        pendingExtra.removeAll()
        pendingNulls.removeAll()
        pendingBytes.removeAll()
        pendingEnds.removeAll()
    }

    private func plainLeaf(_ values: LeafValues) throws(FormatError) -> Int64 {
        try LeafBuilder.write(
            values, type: layout.property.type, isOptional: isOptional, nodes: building.nodes)
    }

    /// Frees what was gathered for the index.
    func dropIndex() { index = nil }

    /// Notes a link out of a mixed value.
    func addMixedLink(classIndex: Int, target: Int64, origin: Int64) throws(FormatError) {
        guard classIndex < building.tables.count, target >= 0, target < Int64.max else {
            throw FormatError(.danglingLink, "a link inside a mixed value leads nowhere")
        }
        if let known = mixedLinks[classIndex] {
            known.add(target: target, origin: origin)
        } else {
            let fresh = LinkCollector(origin: table, column: column)
            fresh.add(target: target, origin: origin)
            mixedLinks[classIndex] = fresh
        }
    }
}
