// Walks an encoded mixed value into a leaf; nested lists and dictionaries are written first, the
// innermost first of all.

/// What one level of nesting is built with.
final class MixedLevel {
    let leaf = MixedLeafBuilder()
}

/// The depth to which the engine nests collections.
private let nestingLimit = 100

extension ColumnBuilder {
    /// The builder for a level of nesting.
    func level(_ depth: Int) -> MixedLevel {
        while building.levels.count <= depth { building.levels.append(MixedLevel()) }
        return building.levels[depth]
    }

    /// Adds a mixed value to a leaf.
    /// - Parameters:
    ///   - position: its place in the whole collection (or leaf of a column).
    ///   - key: the object the value belongs to.
    ///   - depth: how many collections stand around it.
    func mixedValue(
        _ bytes: UnsafeRawBufferPointer, to leaf: MixedLeafBuilder, position: Int, key: Int64,
        depth: Int = 0
    ) throws(FormatError) {
        var decoder = MixedDecoder(bytes)
        if bytes.isEmpty { return leaf.addNull() }
        try value(&decoder, to: leaf, position: position, key: key, depth: depth)
    }

    private func value(
        _ d: inout MixedDecoder, to leaf: MixedLeafBuilder, position: Int, key: Int64, depth: Int
    ) throws(FormatError) {
        let tag = d.tag()
        switch tag {
        case .null: leaf.addNull()
        case .bool: leaf.addBool(d.bool())
        case .int: leaf.addInt(d.int())
        case .float: leaf.addFloat(bits: d.float())
        case .double: leaf.addDouble(bits: d.double())
        case .string: try leaf.addString(d.blob())
        case .data: try leaf.addData(d.blob())
        case .date:
            let date = d.date()
            leaf.addDate(seconds: date.seconds, nanoseconds: Int64(date.nanoseconds))
        case .decimal128:
            let decimal = d.decimal()
            leaf.addDecimal(low: decimal.low, high: decimal.high)
        case .objectId:
            let id = d.objectID()
            leaf.addID(id.high, UInt64(id.low), tail: 4)
        case .uuid:
            let id = d.uuid()
            leaf.addID(id.high, id.low, tail: 8)
        case .link:
            let link = d.link()
            try addMixedLink(classIndex: link.classIndex, target: link.key, origin: key)
            leaf.addLink(
                table: Int64(building.tables[link.classIndex].layout.key), key: link.key)
        case .list, .dictionary, .table:
            guard building.nodes.dialect.nestsCollections else {
                d.offset -= 1
                d.skip()
                building.refused.add(
                    "a collection inside a mixed value", name, building.report,
                    code: "nested-collection")
                return leaf.addNull()
            }
            try collection(tag, &d, to: leaf, position: position, key: key, depth: depth)
        }
    }

    /// A list or dictionary inside a mixed value, or an old subtable.
    private func collection(
        _ tag: MixedTag, _ d: inout MixedDecoder, to leaf: MixedLeafBuilder, position: Int,
        key: Int64, depth: Int
    ) throws(FormatError) {
        switch tag {
        case .list:
            let ref = try list(&d, key: key, depth: depth + 1)
            leaf.addCollection(ref, type: 19, key: Int64(position) + 1)
        case .dictionary:
            let ref = try dictionary(&d, key: key, depth: depth + 1)
            leaf.addCollection(ref, type: 21, key: Int64(position) + 1)
        default:
            var table = MixedDecoder(d.blob())
            try subtable(&table, to: leaf, position: position, key: key, depth: depth)
        }
    }

    /// An old subtable, given as a dictionary of `columns` and `rows`: its rows become a list of
    /// dictionaries.
    private func subtable(
        _ d: inout MixedDecoder, to leaf: MixedLeafBuilder, position: Int, key: Int64, depth: Int
    ) throws(FormatError) {
        if !d.bytes.isEmpty, d.tag() == .dictionary {
            for _ in 0..<d.count() {
                if d.blob().elementsEqual("rows".utf8) {
                    building.report.note(
                        .changed, "mixed-subtable-nested", property: name,
                        action: "its rows are written as a list of dictionaries")
                    return try value(&d, to: leaf, position: position, key: key, depth: depth)
                }
                d.skip()
            }
        }
        leaf.addNull()
        building.report.note(
            .lost, "mixed-subtable-dropped", property: name,
            action: "a subtable inside a mixed value without rows; null was written")
    }

    private func check(_ depth: Int) throws(FormatError) {
        if depth > nestingLimit {
            throw FormatError(
                .limitExceeded, "collections are nested deeper than \(nestingLimit) levels")
        }
    }

    private func list(_ d: inout MixedDecoder, key: Int64, depth: Int) throws(FormatError) -> Int64
    {
        try check(depth)
        let total = d.count()
        if total == 0 { return 0 }
        let leaf = level(depth).leaf
        var leaves: [Int64] = []
        for i in 0..<total {
            try value(&d, to: leaf, position: i, key: key, depth: depth)
            if leaf.count == TreeBuilder.nodeLimit || i == total - 1 {
                leaves.append(try leaf.finish(nodes: building.nodes))
            }
        }
        return try TreeBuilder.finish(leaves: leaves, total: total, nodes: building.nodes)
    }

    private func dictionary(_ d: inout MixedDecoder, key: Int64, depth: Int) throws(FormatError)
        -> Int64
    {
        try check(depth)
        let total = d.count()
        if total == 0 { return 0 }
        let keys = Column(Property("", .string), schema: Schema(classes: []))
        var offsets: [Int] = []
        for _ in 0..<total {
            keys.append(bytes: d.blob())
            offsets.append(d.offset)
            d.skip()
        }
        let end = d.offset
        let order = building.order.sortedKeys(keys, 0..<total)
        if order.count < total {
            building.report.note(
                .changed, "dictionary-key-repeated", property: name, count: total - order.count,
                action: "the last value of a key was kept")
        }
        building.order.noteRefusedKeys(keys, order, building.report, name)
        let sortedKeys = Column(Property("", .string), schema: Schema(classes: []))
        let leaf = level(depth).leaf
        var keyLeaves: [Int64] = []
        var valueLeaves: [Int64] = []
        for (i, j) in order.enumerated() {
            sortedKeys.append(j, of: keys)
            d.offset = offsets[j]
            try value(&d, to: leaf, position: i, key: key, depth: depth)
            if leaf.count == TreeBuilder.nodeLimit || i == order.count - 1 {
                keyLeaves.append(
                    try StringLeafBuilder.write(
                        LeafValues(sortedKeys, from: 0, count: sortedKeys.count),
                        nodes: building.nodes))
                sortedKeys.removeAll()
                valueLeaves.append(try leaf.finish(nodes: building.nodes))
            }
        }
        d.offset = end
        let keysRoot = try TreeBuilder.finish(
            leaves: keyLeaves, total: order.count, nodes: building.nodes)
        let valuesRoot = try TreeBuilder.finish(
            leaves: valueLeaves, total: order.count, nodes: building.nodes)
        return try building.nodes.refs([keysRoot, valuesRoot])
    }
}
