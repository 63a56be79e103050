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
            let sorted = SetOrder.sorted(elements, range, building.report, name)
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
        let order = DictionaryOrder.sorted(keys, range)
        if order.count < range.count {
            building.report.note(
                .changed, "dictionary-key-repeated", property: name,
                count: range.count - order.count, action: "the last value of a key was kept")
        }
        let isNullable = layout.attributes & StoreConstant.Attribute.nullable != 0
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
            let builder = level(0).leaf
            for (position, i) in order[done..<end].enumerated() {
                if elements.nulls[i] != 0 {
                    if !isNullable {
                        throw FormatError(
                            .missingValue, "a dictionary value that must not be null is null",
                            fix: "leave it out, or make the values optional")
                    }
                    builder.addNull()
                } else if elements.type == .mixed {
                    try mixedValue(
                        elements.bytes(i), to: builder, position: done + position, key: key,
                        depth: 1)
                } else if let links, let target = layout.target {
                    let object = try linked(elements.words[i], elements, embedded)
                    links.add(target: object, origin: key)
                    builder.addLink(
                        table: Int64(building.tables[target].layout.key), key: object)
                } else {
                    try builder.add(elements, i)
                }
            }
            valueLeaves.append(try builder.finish(nodes: building.nodes))
            done = end
        }
        let keysRoot = try TreeBuilder.finish(
            leaves: keyLeaves, total: order.count, nodes: building.nodes)
        let valuesRoot = try TreeBuilder.finish(
            leaves: valueLeaves, total: order.count, nodes: building.nodes)
        return try building.nodes.refs([keysRoot, valuesRoot])
    }
}
