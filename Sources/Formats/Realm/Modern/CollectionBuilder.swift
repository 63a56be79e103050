// The lists, sets and dictionaries of a column: a B+tree a row, written when the row comes.

extension ColumnBuilder {
    /// Writes the collection of a row that has elements.
    /// - Returns: its root.
    func collection(_ source: Column, _ range: Range<Int>, key: Int64, embedded: Int64)
        throws(FormatError) -> Int64
    {
        guard let elements = source.elements else {
            throw FormatError(.defect, "a collection column without elements")
        }
        if layout.property.collection == .dictionary {
            return try dictionary(source, elements, range, key: key, embedded: embedded)
        }
        let isNullable = layout.attributes & StoreConstant.Attribute.nullable != 0
        if !isNullable {
            for i in range where elements.nulls[i] != 0 {
                throw FormatError(
                    .missingValue, "an element that must not be null is null",
                    fix: "leave it out, or make the elements optional")
            }
        }
        if layout.property.collection == .set,
            let sorted = building.order.sorted(elements, range, building.report, name)
        {
            return try list(sorted, 0..<sorted.count, key: key, embedded: embedded)
        }
        return try list(elements, range, key: key, embedded: embedded)
    }

    /// What messages call the column.
    var name: String { "\(building.tables[table].layout.title).\(layout.property.name)" }

    private func list(_ elements: Column, _ range: Range<Int>, key: Int64, embedded: Int64)
        throws(FormatError) -> Int64
    {
        if range.count <= TreeBuilder.nodeLimit {
            return try leaf(
                elements, range, first: range.lowerBound, key: key, embedded: embedded)
        }
        var leaves: [Int64] = []
        var first = range.lowerBound
        while first < range.upperBound {
            let end = min(first + TreeBuilder.nodeLimit, range.upperBound)
            leaves.append(
                try leaf(
                    elements, first..<end, first: range.lowerBound, key: key, embedded: embedded))
            first = end
        }
        return try TreeBuilder.finish(leaves: leaves, total: range.count, nodes: building.nodes)
    }

    /// One leaf; `first` is where the collection begins.
    private func leaf(
        _ elements: Column, _ range: Range<Int>, first: Int, key: Int64, embedded: Int64
    ) throws(FormatError) -> Int64 {
        if layout.property.type == .mixed {
            let builder = level(0).leaf
            for i in range {
                if elements.nulls[i] != 0 {
                    builder.addNull()
                } else {
                    try mixedValue(
                        elements.bytes(i), to: builder, position: i - first, key: key, depth: 1)
                }
            }
            return try builder.finish(nodes: building.nodes)
        }
        var values = LeafValues(elements, from: range.lowerBound, count: range.count)
        if let links {
            // Elements of lists and sets are stored as they are, without the 1 that single links
            // add: there is no null.
            let targets = RawVector<Int64>(capacity: range.count)
            defer { targets.destroy() }
            for i in 0..<range.count {
                let target = try linked(values.words[i], elements, embedded)
                links.add(target: target, origin: key)
                targets.append(target)
            }
            values.words = UnsafePointer(targets.base)
            return try building.nodes.ints(values.words, count: values.count)
        }
        return try LeafBuilder.write(
            values, type: layout.property.type,
            isOptional: layout.attributes & StoreConstant.Attribute.nullable != 0,
            nodes: building.nodes)
    }

    /// A dictionary: sorted keys, and beside them the values, always mixed.
    private func dictionary(
        _ source: Column, _ elements: Column, _ range: Range<Int>, key: Int64, embedded: Int64
    ) throws(FormatError) -> Int64 {
        guard let keys = source.keys else {
            throw FormatError(.defect, "a dictionary column without keys")
        }
        let order = building.order.sortedKeys(keys, range)
        if order.count < range.count {
            building.report.note(
                .changed, "dictionary-key-repeated", property: name,
                count: range.count - order.count, action: "the last value of a key was kept")
        }
        building.order.noteRefusedKeys(keys, order, building.report, name)
        let origin = Origin(key: key, embedded: embedded)
        if building.nodes.dialect.hashesDictionaries {
            return try hashedDictionary(keys, elements, order, origin)
        }
        var keyLeaves: [Int64] = []
        var valueLeaves: [Int64] = []
        let sortedKeys = Column(
            Property("", keys.type), schema: Schema(classes: []))
        var done = 0
        while done < order.count {
            let end = min(done + TreeBuilder.nodeLimit, order.count)
            sortedKeys.removeAll()
            for i in order[done..<end] { sortedKeys.append(i, of: keys) }
            keyLeaves.append(
                try LeafBuilder.write(
                    LeafValues(sortedKeys, from: 0, count: sortedKeys.count), type: keys.type,
                    isOptional: false, nodes: building.nodes))
            valueLeaves.append(try values(elements, order[done..<end], origin))
            done = end
        }
        let keysRoot = try TreeBuilder.finish(
            leaves: keyLeaves, total: order.count, nodes: building.nodes)
        let valuesRoot = try TreeBuilder.finish(
            leaves: valueLeaves, total: order.count, nodes: building.nodes)
        return try building.nodes.refs([keysRoot, valuesRoot])
    }

    /// Whose dictionary it is, and the number of its first embedded row.
    private struct Origin {
        var key: Int64
        var embedded: Int64
    }

    /// The values of some entries of a dictionary, `order` being positions among the elements and
    /// its indexes those in the dictionary.
    private func values(_ elements: Column, _ order: ArraySlice<Int>, _ origin: Origin)
        throws(FormatError) -> Int64
    {
        let isNullable = layout.attributes & StoreConstant.Attribute.nullable != 0
        let builder = level(0).leaf
        for (position, i) in zip(order.indices, order) {
            if elements.nulls[i] != 0 {
                if !isNullable {
                    throw FormatError(
                        .missingValue, "a dictionary value that must not be null is null",
                        fix: "leave it out, or make the values optional")
                }
                builder.addNull()
            } else if elements.type == .mixed {
                try mixedValue(
                    elements.bytes(i), to: builder, position: position, key: origin.key, depth: 1)
            } else if let links, let target = layout.target {
                let object = try linked(elements.words[i], elements, origin.embedded)
                links.add(target: object, origin: origin.key)
                builder.addLink(table: Int64(building.tables[target].layout.key), key: object)
            } else {
                try builder.add(elements, i)
            }
        }
        return try builder.finish(nodes: building.nodes)
    }

    /// A dictionary as formats before 23 keep it: a cluster tree whose object keys are the hashes
    /// of the keys.
    private func hashedDictionary(
        _ keys: Column, _ elements: Column, _ order: [Int], _ origin: Origin
    ) throws(FormatError) -> Int64 {
        // Int keys were refused with the schema.
        guard keys.type == .string else { return 0 }
        let nodes = building.nodes
        let hashed = order.map { (hash: DictionaryHash.objectKey(keys.bytes($0)), position: $0) }
            .sorted { $0.hash < $1.hash }
        for (a, b) in zip(hashed, hashed.dropFirst()) where a.hash == b.hash {
            throw FormatError(
                .limitExceeded,
                "two keys of a dictionary have one hash, of which format 22 keeps them apart in a "
                    + "way that is not written", fix: "write file format 24")
        }
        let positions = hashed.map(\.position)
        let sortedKeys = Column(Property("", keys.type), schema: Schema(classes: []))
        let local = RawVector<Int64>(capacity: ClusterTreeBuilder.nodeLimit)
        defer { local.destroy() }
        var leaves: [ClusterTreeBuilder.Child] = []
        var done = 0
        while done < order.count {
            let end = min(done + ClusterTreeBuilder.nodeLimit, order.count)
            let base = leaves.isEmpty ? 0 : hashed[done].hash
            sortedKeys.removeAll()
            local.removeAll()
            for entry in hashed[done..<end] {
                sortedKeys.append(entry.position, of: keys)
                local.append(entry.hash - base)
            }
            let keyLeaf = try StringLeafBuilder.write(
                LeafValues(sortedKeys, from: 0, count: sortedKeys.count), nodes: nodes)
            let valueLeaf = try values(elements, positions[done..<end], origin)
            let objectKeys = try nodes.unsignedInts(local.base, count: local.count)
            leaves.append(
                ClusterTreeBuilder.Child(
                    ref: try nodes.refs([objectKeys, keyLeaf, valueLeaf]), base: base,
                    count: Int64(end - done)))
            done = end
        }
        return try ClusterTreeBuilder.finish(leaves: leaves, nodes: nodes)
    }
}
