// Builds the trie of a search index from the bottom up: sorts the entries two chunks at a time,
// writes the nodes of a chunk once those below stand. At most 51 levels deep, as the format
// limits the bytes entries may share to 200.

/// Builds one index.
final class IndexTrieBuilder {
    /// Entries that still share this many bytes go into a list.
    static let sharedLimit = 200

    /// What is being gathered for the node of a level.
    private final class Level {
        let chunks = RawVector<Int64>(capacity: 16)
        let elements = RawVector<Int64>(capacity: 16)
        var finished: [(ref: Int64, largest: Int64)] = []

        deinit {
            chunks.destroy()
            elements.destroy()
        }
    }

    private let index: IndexBuilder
    private let keys: RawVector<Int64>?
    private let nodes: NodeBuilder
    private let isUnique: Bool
    private let sorter = PairSort()
    private let rows = RawVector<Int64>(capacity: 64)
    private var levels: [Level] = []
    /// The first word of the entries at hand, once theirs has been overwritten by a later one.
    private var firstWord: UInt64 = 0

    /// - Parameters:
    ///   - keys: the object keys by row; nil when they are the row numbers.
    ///   - isUnique: refuse equal values, as for a primary key.
    init(_ index: IndexBuilder, keys: RawVector<Int64>?, isUnique: Bool, nodes: NodeBuilder) {
        self.index = index
        self.keys = keys
        self.isUnique = isUnique
        self.nodes = nodes
    }

    deinit {
        sorter.destroy()
        rows.destroy()
    }

    /// Writes the index.
    /// - Returns: its root.
    /// - Throws: `duplicateKey`.
    func build() throws(FormatError) -> Int64 {
        let entries = index.entries
        sorter.sort(entries.base, count: entries.count)
        return try build(entries.base, entries.count, level: 0)
    }

    /// Writes the nodes for entries that share the chunks of all levels above. They are sorted by
    /// the word the level's chunk stands in.
    private func build(_ entries: UnsafeMutablePointer<KeyPair>, _ count: Int, level: Int)
        throws(FormatError) -> Int64
    {
        while levels.count <= level { levels.append(Level()) }
        let node = levels[level]
        let shift: UInt64 = level & 1 == 0 ? 32 : 0
        var first = 0
        while first < count {
            let chunk = (entries[first].key >> shift) & 0xFFFF_FFFF
            var end = first &+ 1
            while end < count, (entries[end].key >> shift) & 0xFFFF_FFFF == chunk { end &+= 1 }
            let element =
                end == first &+ 1 && isAtEnd(entries[first], level)
                ? tagged(key(entries[first]))
                : try group(entries + first, end - first, level: level)
            node.chunks.append(Int64(Int32(bitPattern: UInt32(chunk) ^ 0x8000_0000)))
            node.elements.append(element)
            if node.chunks.count == TreeBuilder.nodeLimit { try finishLeaf(node) }
            first = end
        }
        if node.chunks.count > 0 || node.finished.isEmpty { try finishLeaf(node) }
        return try finishInner(node)
    }

    /// False when a word goes on behind a level's chunk: full-text indexes spell it out.
    @inline(__always)
    private func isAtEnd(_ entry: KeyPair, _ level: Int) -> Bool {
        guard index.isFullText else { return true }
        return (index.bytes(row: Int(entry.value))?.count ?? 0) <= (level &+ 1) &* 4
    }

    @inline(__always)
    private func key(_ entry: KeyPair) -> Int64 {
        var row = Int64(index.row(entry.value))
        if index.isFullText { row = index.owners[Int(row)] }
        return keys.map { $0[Int(row)] } ?? row
    }

    /// Several entries that share this level's chunk too.
    private func group(_ entries: UnsafeMutablePointer<KeyPair>, _ count: Int, level: Int)
        throws(FormatError) -> Int64
    {
        if level & 1 == 0 {
            // The lower half of the word has still to be looked at.
            let isEqual = entries[0].key == entries[count - 1].key
            if !isEqual, (level + 1) * 4 <= IndexTrieBuilder.sharedLimit {
                return try build(entries, count, level: level + 1)
            }
        }
        let first = entries[0].value
        var isSame = true
        for i in 1..<max(count, 1)
        where entries[i].key != entries[0].key || !index.isSame(first, entries[i].value) {
            isSame = false
            break
        }
        if (isSame && isAtEnd(entries[0], level))
            || (level + 1) * 4 > IndexTrieBuilder.sharedLimit
        {
            if level < 2 { firstWord = entries[0].key }
            return index.isFullText
                ? try owners(entries, count) : try list(entries, count, isSame: isSame)
        }
        if level & 1 == 1 {
            let step = level / 2 + 1
            if step == 1 { firstWord = entries[0].key }
            for i in 0..<count {
                entries[i].key = index.word(entries[i].value, step: step)
            }
            sorter.sort(entries, count: count)
        }
        return try build(entries, count, level: level + 1)
    }

    private func list(_ entries: UnsafeMutablePointer<KeyPair>, _ count: Int, isSame: Bool)
        throws(FormatError) -> Int64
    {
        if isUnique {
            if isSame { throw duplicate(entries[0].value) }
            try refuseDuplicates(entries, count)
        }
        if !isSame || index.property.type == .mixed { sortByValue(entries, count) }
        rows.removeAll()
        for i in 0..<count { rows.append(key(entries[i])) }
        return try TreeBuilder.ints(rows.base, count: count, nodes: nodes)
    }

    /// The rows a word stands in, each once; a single one needs no list.
    private func owners(_ entries: UnsafeMutablePointer<KeyPair>, _ count: Int) throws(FormatError)
        -> Int64
    {
        rows.removeAll()
        for i in 0..<count {
            let key = key(entries[i])
            if rows.count == 0 || rows[rows.count - 1] != key { rows.append(key) }
        }
        if rows.count == 1 { return tagged(rows[0]) }
        return try TreeBuilder.ints(rows.base, count: rows.count, nodes: nodes)
    }

    /// Orders the entries of a list by value, equal ones by key.
    private func sortByValue(_ entries: UnsafeMutablePointer<KeyPair>, _ count: Int) {
        let index = index
        let isMixed = index.property.type == .mixed
        var slice = UnsafeMutableBufferPointer(start: entries, count: count)
        slice.sort { a, b in
            let (x, y) = (Int(a.value), Int(b.value))
            let order =
                isMixed
                ? ValueOrder.compareMixed(
                    index.mixedValue(row: x), index.mixedValue(row: y), [])
                : IndexTrieBuilder.compare(index, x, y)
            return order != 0 ? order < 0 : x < y
        }
    }

    private static func compare(_ index: IndexBuilder, _ a: Int, _ b: Int) -> Int {
        switch (index.bytes(row: a), index.bytes(row: b)) {
        case (nil, nil): 0
        case (nil, _?): -1
        case (_?, nil): 1
        case (let x?, let y?): compareBytes(x, y)
        }
    }

    private func refuseDuplicates(_ entries: UnsafeMutablePointer<KeyPair>, _ count: Int)
        throws(FormatError)
    {
        sortByValue(entries, count)
        for i in 1..<count {
            let (a, b) = (entries[i - 1].value, entries[i].value)
            if index.isSame(a, b) { throw duplicate(b) }
        }
    }

    /// The error for a primary key that stands twice.
    private func duplicate(_ handle: UInt64) -> FormatError {
        FormatError(
            .duplicateKey, "two objects have the primary key \(index.text(handle, firstWord))",
            property: index.property.name,
            fix: "change one of them, or leave it out")
    }

    private func finishLeaf(_ node: Level) throws(FormatError) {
        let largest = node.chunks.count > 0 ? node.chunks[node.chunks.count - 1] : 0
        let ref = try indexNode(
            node.chunks.base, node.elements.base, count: node.chunks.count,
            flags: NodeBuilder.Flag.hasRefs | NodeBuilder.Flag.context)
        node.finished.append((ref, largest))
        node.chunks.removeAll()
        node.elements.removeAll()
    }

    private func indexNode(
        _ chunks: UnsafePointer<Int64>, _ elements: UnsafePointer<Int64>, count: Int, flags: UInt8
    ) throws(FormatError) -> Int64 {
        let keysRef = try nodes.ints(chunks, count: count, width: 32)
        let scratch = nodes.scratch
        scratch.removeAll()
        let at = scratch.extend(count + 1)
        at[0] = keysRef
        (at + 1).update(from: elements, count: count)
        return try nodes.ints(at, count: count + 1, flags: flags)
    }

    /// Writes the inner nodes over the leaves of a level and empties it.
    private func finishInner(_ node: Level) throws(FormatError) -> Int64 {
        var level = node.finished
        node.finished.removeAll(keepingCapacity: true)
        while level.count > 1 {
            var above: [(ref: Int64, largest: Int64)] = []
            var first = 0
            while first < level.count {
                let end = min(first + TreeBuilder.nodeLimit, level.count)
                for child in level[first..<end] {
                    node.chunks.append(child.largest)
                    node.elements.append(child.ref)
                }
                let ref = try indexNode(
                    node.chunks.base, node.elements.base, count: end - first,
                    flags: NodeBuilder.Flag.inner | NodeBuilder.Flag.hasRefs
                        | NodeBuilder.Flag.context)
                above.append((ref, level[end - 1].largest))
                node.chunks.removeAll()
                node.elements.removeAll()
                first = end
            }
            level = above
        }
        return level.first?.ref ?? 0
    }
}

extension IndexBuilder {
    /// The value of an entry as text, for messages, from its first two chunks and what is kept of
    /// it.
    func text(_ handle: UInt64, _ firstWord: UInt64) -> String {
        let row = row(handle)
        if nulls.count > row, nulls[row] != 0 { return "null" }
        let first = firstWord ^ IndexBuilder.signs
        switch (shape, property.type) {
        case (.bytes, _):
            guard let bytes = bytes(row: row) else { return "null" }
            return "\"" + String(decoding: bytes.prefix(80), as: UTF8.self) + "\""
        case (.word, _): return String(Int64(bitPattern: first.byteSwapped))
        case (_, .objectId):
            let low = handle >> 32
            let text = RawVector<UInt8>(capacity: 40)
            defer { text.destroy() }
            ScalarText.write(
                ObjectID(high: first, low: UInt32(truncatingIfNeeded: low)), to: text)
            return String(decoding: text.elements, as: UTF8.self)
        default:
            let text = RawVector<UInt8>(capacity: 40)
            defer { text.destroy() }
            ScalarText.write(UUID(high: first, low: tails[row] ^ IndexBuilder.signs), to: text)
            return String(decoding: text.elements, as: UTF8.self)
        }
    }
}
