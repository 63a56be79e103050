// What a sound store holds, and which of its bytes each row depends on: the nodes of its leaf, of
// its class above the leaves, and of the root. Found by walking references without knowing what
// they mean, so that it shares nothing with the reader but the node header.

@testable import Formats

/// A sound store and where its rows stand.
final class StoreTruth {
    let name: String
    let image: [UInt8]
    /// All nodes that the root leads to.
    private(set) var nodes: [Range<Int>] = []

    /// Some rows of a class and the bytes they stand in.
    private struct Leaf {
        var keys: Set<Int64>
        var ranges: [Range<Int>]
    }
    private struct Class {
        var rows: [Int64: [Value]] = [:]
        /// What all rows of the class depend on.
        var trunk: [Range<Int>] = []
        var leaves: [Leaf] = []
        /// Classes whose objects its rows hold or refer to.
        var others: Set<Int> = []
        var isWholeOnly = false
    }
    private var classes: [Class] = []
    private var names: [String] = []
    /// What everything depends on.
    private var root: [Range<Int>] = [0..<24]

    init?(_ path: String) {
        name = path
        guard let input = try? InputBytes.open(path) else { return nil }
        image = Array(input.bytes)
        do throws(FormatError) {
            let store = try Store.open(input)
            guard store.topReference != 0, !store.schema.classes.isEmpty else { return nil }
            try readRows(store)
            try walk(store)
        } catch { return nil }
    }

    private func readRows(_ store: Store) throws(FormatError) {
        classes = store.schema.classes.map { _ in Class() }
        names = store.schema.classes.map(\.name)
        let reader = store.makeReader()
        let batch = RecordBatch(schema: store.schema)
        while try reader.next(into: batch) {
            for row in 0..<batch.rowCount {
                classes[batch.classIndex].rows[batch.keys[row]] = batch.values(row: row)
            }
        }
    }

    private func walk(_ store: Store) throws(FormatError) {
        let gate = NodeGate(store.image)
        gate.visitsLeft = .max / 2
        let top = try gate.node(Int64(store.topReference))
        var seen: Set<Int> = [top.ref]
        add(top, to: &root)
        if let names = try gate.child(top, 0) { try subtree(gate, names, &seen, into: &root) }
        guard let tables = try gate.child(top, 1) else { return }
        add(tables, to: &root)
        for slot in 0..<tables.count {
            guard let table = try gate.child(tables, slot) else { continue }
            var trunk: [Range<Int>] = []
            add(table, to: &trunk)
            seen.insert(table.ref)
            var owner: Int?
            var leaves: [Leaf] = []
            for place in 0..<table.count {
                let ref = table.integer(place)
                guard ref != 0, ref & 1 == 0 else { continue }
                let child = try gate.node(ref)
                // Search indexes are not needed for reading rows.
                var index: [Range<Int>] = []
                let isIndex = store.fileFormat >= 10 && place == 4
                let found = store.plans.firstIndex { $0.root == ref }
                if let found { owner = found }
                if let found, !store.plans[found].isColumnWise {
                    try clusters(gate, child, base: 0, &seen, &trunk, &leaves)
                } else if isIndex {
                    try subtree(gate, child, &seen, into: &index)
                } else {
                    try subtree(gate, child, &seen, into: &trunk)
                }
            }
            if let owner {
                classes[owner].trunk += trunk
                classes[owner].leaves = leaves
                classes[owner].isWholeOnly = store.plans[owner].isColumnWise
            } else {
                // Tables that are no class: their keys and versions may matter to all.
                root += trunk
                for leaf in leaves { root += leaf.ranges }
            }
        }
        for (i, known) in store.schema.classes.enumerated() {
            for property in known.properties {
                if let target = property.target, let other = store.schema.index(of: target) {
                    classes[i].others.insert(other)
                }
                // A mixed value may lead to any class.
                if property.type == .mixed { classes[i].others.formUnion(classes.indices) }
            }
        }
        nodes =
            root.filter { $0.lowerBound >= 24 } + classes.flatMap { $0.trunk }
            + classes.flatMap { $0.leaves.flatMap(\.ranges) }
        if store.fileFormat < 10 {
            // Old tables hold each other: links and subtables are not told apart here.
            for i in classes.indices { classes[i].others = Set(classes.indices) }
        }
    }

    private func add(_ node: Node, to ranges: inout [Range<Int>]) {
        ranges.append(node.ref..<min(node.ref + node.byteCount, image.count))
    }

    private func subtree(
        _ gate: NodeGate, _ node: Node, _ seen: inout Set<Int>, into ranges: inout [Range<Int>]
    ) throws(FormatError) {
        guard seen.insert(node.ref).inserted else { return }
        add(node, to: &ranges)
        guard node.hasRefs else { return }
        for i in 0..<node.count {
            let ref = node.integer(i)
            guard ref > 0, ref & 7 == 0, ref + 8 <= image.count else { continue }
            try subtree(gate, gate.node(ref), &seen, into: &ranges)
        }
    }

    private func clusters(
        _ gate: NodeGate, _ node: Node, base: UInt64, _ seen: inout Set<Int>,
        _ trunk: inout [Range<Int>], _ leaves: inout [Leaf]
    ) throws(FormatError) {
        if !node.isInner {
            let cluster = try ClusterCursor.leaf(gate, node, base: base)
            var leaf = Leaf(keys: [], ranges: [])
            for row in 0..<cluster.count { leaf.keys.insert(cluster.key(row)) }
            try subtree(gate, node, &seen, into: &leaf.ranges)
            leaves.append(leaf)
            return
        }
        add(node, to: &trunk)
        let offsets = try gate.child(node, 0)
        if let offsets { add(offsets, to: &trunk) }
        let depth = node.tagged(1) ?? 1
        for i in 3..<node.count {
            guard let child = try gate.child(node, i) else { continue }
            let offset = offsets.map { $0.unsigned(i - 3) } ?? UInt64(i - 3) << UInt64(8 * depth)
            try clusters(gate, child, base: base &+ offset, &seen, &trunk, &leaves)
        }
    }

    // MARK: Holding a damaged image against it

    /// How much was held against the truth so far: images, images with a whole root, rows that had
    /// to be equal, rows that had to be there.
    nonisolated(unsafe) static var held = (images: 0, roots: 0, equal: 0, there: 0)

    /// - Parameter isCut: nothing but the end of the file is missing. Then no row may come that is
    ///   not in the truth, whatever was touched.
    func hold(_ damaged: [UInt8], _ touched: [Range<Int>], isCut: Bool) {
        StoreTruth.held.images += 1
        let isRootTouched = isTouched(root, touched)
        guard !isRootTouched || isCut else { return }
        if !isRootTouched { StoreTruth.held.roots += 1 }
        let input = damaged.withUnsafeBytes { InputBytes(name: name, copying: $0) }
        let store: Store
        do throws(FormatError) { store = try Store.open(input) } catch {
            if isRootTouched { return }
            finding("\(name): the root is whole and the store does not open: \(error)")
        }
        let ownTrunk = classes.map { isTouched($0.trunk, touched) }
        let anyLeaf = classes.map { known in
            known.leaves.contains { isTouched($0.ranges, touched) }
        }
        // A class is sound when nothing of it was touched; what its rows refer to counts as well.
        let damagedClass = classes.indices.map { ownTrunk[$0] || anyLeaf[$0] }
        let reader = store.makeReader()
        let batch = RecordBatch(schema: store.schema)
        var delivered = [Set<Int64>](repeating: [], count: classes.count)
        do throws(FormatError) {
            while try reader.next(into: batch) {
                let name = batch.classSchema.name
                guard let index = names.firstIndex(of: name) else {
                    // A class's name stands in the root.
                    finding("\(self.name): a class \(name) appears")
                }
                let known = classes[index]
                if ownTrunk[index], !isCut { continue }
                for row in 0..<batch.rowCount {
                    let key = batch.keys[row]
                    if !delivered[index].insert(key).inserted {
                        finding("\(self.name): \(name) \(key) is delivered twice")
                    }
                    let leaf = known.leaves.first { $0.keys.contains(key) }
                    if !isCut, let leaf, isTouched(leaf.ranges, touched) { continue }
                    if isCut, leaf == nil, !known.isWholeOnly {
                        finding("\(self.name): \(name) \(key) is made up")
                    }
                    if known.others.contains(where: { damagedClass[$0] }) { continue }
                    guard let truth = known.rows[key] else {
                        if anyLeaf[index], !isCut { continue }
                        finding("\(self.name): \(name) \(key) is not in the truth")
                    }
                    StoreTruth.held.equal += 1
                    if truth != batch.values(row: row) {
                        finding(
                            "\(self.name): \(name) \(key) changed\n\(truth)\n"
                                + "\(batch.values(row: row))")
                    }
                }
            }
        } catch { finding("\(name): reading ended with \(error)") }
        if isRootTouched { return }
        for (i, known) in classes.enumerated() where !ownTrunk[i] {
            if known.isWholeOnly {
                if damagedClass[i] { continue }
                StoreTruth.held.there += known.rows.count
                let missing = Set(known.rows.keys).subtracting(delivered[i])
                if !missing.isEmpty, !known.others.contains(where: { damagedClass[$0] }) {
                    finding("\(name): \(names[i]) is whole and lacks \(missing.count) rows")
                }
                continue
            }
            for leaf in known.leaves where !isTouched(leaf.ranges, touched) {
                StoreTruth.held.there += leaf.keys.count
                let missing = leaf.keys.subtracting(delivered[i])
                if !missing.isEmpty, !known.others.contains(where: { damagedClass[$0] }),
                    known.rows.count > 0
                {
                    finding(
                        "\(name): \(names[i]) lacks \(missing.count) rows of an untouched leaf: "
                            + "\(reader.context.report.items)")
                }
            }
        }
    }

    private func isTouched(_ ranges: [Range<Int>], _ touched: [Range<Int>]) -> Bool {
        for t in touched where !t.isEmpty {
            for r in ranges where r.lowerBound < t.upperBound && t.lowerBound < r.upperBound {
                return true
            }
        }
        return false
    }
}
