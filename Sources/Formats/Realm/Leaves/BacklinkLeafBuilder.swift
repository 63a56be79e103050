// Backlink leaves: for each row of a cluster the objects that link to it.

/// Writes the leaves of one backlink column, cluster by cluster, from links sorted by target.
struct BacklinkLeafBuilder {
    private let links: UnsafePointer<KeyPair>
    private let count: Int
    private var next = 0
    private let origins = RawVector<Int64>(capacity: 64)
    private let elements = RawVector<Int64>(capacity: 256)

    /// - Parameter links: target key and origin key of every link, sorted.
    init(_ links: UnsafePointer<KeyPair>, count: Int) {
        self.links = links
        self.count = count
    }

    func destroy() {
        origins.destroy()
        elements.destroy()
    }

    /// The first link that leads to no row, once all rows up to `key` have had their turn.
    func dangling(before key: Int64?) -> KeyPair? {
        guard next < count else { return nil }
        guard let key else { return links[next] }
        return links[next].key < UInt64(bitPattern: key) ? links[next] : nil
    }

    /// Writes the leaf for rows of ascending keys.
    /// - Returns: the leaf, or the first link that leads to no row.
    mutating func write(_ keys: UnsafePointer<Int64>, count rows: Int, nodes: NodeBuilder)
        throws(FormatError) -> (leaf: Int64, dangling: KeyPair?)
    {
        let last = rows > 0 ? UInt64(bitPattern: keys[rows - 1]) : 0
        if next >= count || rows == 0 || links[next].key > last {
            return (try nodes.zeros(count: rows, flags: NodeBuilder.Flag.hasRefs), nil)
        }
        elements.removeAll()
        for i in 0..<rows {
            let key = UInt64(bitPattern: keys[i])
            if next < count, links[next].key < key { return (0, links[next]) }
            origins.removeAll()
            while next < count, links[next].key == key {
                origins.append(Int64(bitPattern: links[next].value))
                next += 1
            }
            switch origins.count {
            case 0: elements.append(0)
            case 1: elements.append(tagged(origins[0]))
            default:
                elements.append(
                    nodes.dialect.hasBacklinkTrees
                        ? try TreeBuilder.ints(origins.base, count: origins.count, nodes: nodes)
                        : try nodes.ints(origins.base, count: origins.count))
            }
        }
        return (
            try nodes.ints(elements.base, count: rows, flags: NodeBuilder.Flag.hasRefs), nil
        )
    }
}
