// Mixed leaves: a word a value that says its type and where the rest of it is kept, and beside
// it the ints, pairs, strings and nested collections that did not fit into the word. Walking
// nested values is the business of the column's `mixedValue`.

/// Gathers the values of one mixed leaf.
final class MixedLeafBuilder {
    private let composite = RawVector<Int64>(capacity: 64)
    private let ints = RawVector<Int64>(capacity: 16)
    private let pairs = RawVector<Int64>(capacity: 16)
    private let bytes = RawVector<UInt8>(capacity: 64)
    private let ends = RawVector<Int>(capacity: 16)
    private let stringNulls = RawVector<UInt8>(capacity: 16)
    private let refs = RawVector<Int64>(capacity: 4)
    private let keys = RawVector<Int64>(capacity: 64)

    deinit {
        composite.destroy()
        ints.destroy()
        pairs.destroy()
        bytes.destroy()
        ends.destroy()
        stringNulls.destroy()
        refs.destroy()
        keys.destroy()
    }

    /// The number of values.
    var count: Int { composite.count }

    private enum Payload {
        static let int: Int64 = 1 << 5
        static let pair: Int64 = 2 << 5
        static let string: Int64 = 3 << 5
        static let ref: Int64 = 4 << 5
    }

    private func add(type: Int64, payload: Int64, data: Int64) {
        composite.append(data << 8 | payload | (type + 1))
    }

    func addNull() { composite.append(0) }

    func addBool(_ value: Bool) { add(type: 1, payload: 0, data: value ? 1 : 0) }

    func addInt(_ value: Int64) {
        if value == Int64(Int32(truncatingIfNeeded: value)) {
            add(type: 0, payload: 0, data: value)
        } else {
            addWord(value, type: 0)
        }
    }

    private func addWord(_ word: Int64, type: Int64) {
        add(type: type, payload: Payload.int, data: Int64(ints.count))
        ints.append(word)
    }

    func addFloat(bits: UInt32) { addWord(Int64(Int32(bitPattern: bits)), type: 9) }

    func addDouble(bits: UInt64) { addWord(Int64(bitPattern: bits), type: 10) }

    private func addPair(_ first: Int64, _ second: Int64, type: Int64) {
        add(type: type, payload: Payload.pair, data: Int64(pairs.count / 2))
        pairs.append(first)
        pairs.append(second)
    }

    func addDate(seconds: Int64, nanoseconds: Int64) { addPair(seconds, nanoseconds, type: 8) }

    func addDecimal(low: UInt64, high: UInt64) {
        let stored = DecimalLeafBuilder.storable(low, high)
        addPair(Int64(bitPattern: stored.low), Int64(bitPattern: stored.high), type: 11)
    }

    func addLink(table: Int64, key: Int64) { addPair(table, key, type: 16) }

    private func closeString(type: Int64) {
        add(type: type, payload: Payload.string, data: Int64(ends.count))
        ends.append(bytes.count)
        stringNulls.append(0)
    }

    /// - Throws: `limitExceeded`.
    func addString(_ value: UnsafeRawBufferPointer) throws(FormatError) {
        try check(value.count, StringLeafBuilder.limit)
        bytes.append(bytes: value)
        closeString(type: 2)
    }

    /// - Throws: `limitExceeded`.
    func addData(_ value: UnsafeRawBufferPointer) throws(FormatError) {
        // Data stands in a string leaf here, so the limit is that of strings.
        try check(value.count, StringLeafBuilder.limit)
        bytes.append(bytes: value)
        closeString(type: 4)
    }

    private func check(_ count: Int, _ limit: Int) throws(FormatError) {
        if count > limit {
            throw FormatError(
                .limitExceeded, "a value of \(count) bytes is longer than a store can hold")
        }
    }

    /// The bytes of an ObjectId (`tail` 4) or UUID (`tail` 8), given as in a column.
    func addID(_ first: UInt64, _ second: UInt64, tail: Int) {
        let at = UnsafeMutableRawPointer(bytes.extend(8 + tail))
        at.storeBytes(of: first.bigEndian, as: UInt64.self)
        if tail == 4 {
            at.storeBytes(
                of: UInt32(truncatingIfNeeded: second).bigEndian, toByteOffset: 8,
                as: UInt32.self)
        } else {
            at.storeBytes(of: second.bigEndian, toByteOffset: 8, as: UInt64.self)
        }
        closeString(type: tail == 4 ? 15 : 17)
    }

    /// A nested list (19) or dictionary (21) that is written already; 0 for an empty one.
    ///
    /// The engine finds nested collections by `key`, which must be unique in their parent.
    func addCollection(_ ref: Int64, type: Int64, key: Int64) {
        add(type: type, payload: Payload.ref, data: Int64(refs.count))
        refs.append(ref)
        if keys.count < composite.count - 1 {
            keys.append(repeating: 0, count: composite.count - 1 - keys.count)
        }
        keys.append(key)
    }

    /// A value of a column of any other type.
    func add(_ column: Column, _ i: Int) throws(FormatError) {
        let word = column.words.count > i ? column.words[i] : 0
        let extra = column.extra.count > i ? column.extra[i] : 0
        switch column.type {
        case .int: addInt(word)
        case .bool: addBool(word != 0)
        case .float: addFloat(bits: UInt32(truncatingIfNeeded: word))
        case .double: addDouble(bits: UInt64(bitPattern: word))
        case .date: addDate(seconds: word, nanoseconds: extra)
        case .decimal128:
            addDecimal(low: UInt64(bitPattern: word), high: UInt64(bitPattern: extra))
        case .objectId:
            addID(UInt64(bitPattern: word), UInt64(bitPattern: extra), tail: 4)
        case .uuid: addID(UInt64(bitPattern: word), UInt64(bitPattern: extra), tail: 8)
        case .string: try addString(column.bytes(i))
        case .data: try addData(column.bytes(i))
        case .mixed, .link, .table: addNull()
        }
    }

    /// Writes the leaf and empties the builder.
    func finish(nodes: NodeBuilder) throws(FormatError) -> Int64 {
        var slots = [Int64](repeating: 0, count: nodes.dialect.mixedSlots)
        slots[0] = try nodes.ints(composite.base, count: composite.count)
        if ints.count > 0 { slots[1] = try nodes.ints(ints.base, count: ints.count) }
        if pairs.count > 0 { slots[2] = try nodes.ints(pairs.base, count: pairs.count) }
        if ends.count > 0 {
            // `words` and `extra` are not looked at for strings.
            let values = LeafValues(
                words: composite, extra: composite, nulls: stringNulls, bytes: bytes, ends: ends,
                count: ends.count)
            slots[3] = try StringLeafBuilder.write(values, nodes: nodes)
        }
        if refs.count > 0, slots.count > 5 {
            slots[4] = try nodes.ints(
                refs.base, count: refs.count, flags: NodeBuilder.Flag.hasRefs)
            keys.append(repeating: 0, count: composite.count - keys.count)
            slots[5] = try nodes.ints(keys.base, count: keys.count)
        }
        composite.removeAll()
        ints.removeAll()
        pairs.removeAll()
        bytes.removeAll()
        ends.removeAll()
        stringNulls.removeAll()
        refs.removeAll()
        keys.removeAll()
        return try nodes.refs(slots)
    }
}
