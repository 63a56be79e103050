// Accounts for the space of a snapshot: every node reached once and inside the logical size, the
// free list sorted and apart from them, and nothing left over.

enum SpaceCheck {
    /// Runs the check; false when the nodes are not a tree, so that nothing else may walk them.
    static func run(_ context: CheckContext) -> Bool {
        let gate = context.gate
        let group = context.group
        let end = group.logicalSize
        if end & 7 != 0 {
            context.result.add(
                "size", "root", nil, "the logical size \(end) is no multiple of eight")
        }
        if end > context.store.image.bytes.count {
            context.result.add(
                "truncated", "root", nil,
                "the file has \(context.store.image.bytes.count) of \(end) bytes")
        }
        var map = SpaceMap(context.store.image.bytes.count)
        _ = map.take(0, 3)
        var isTree = true
        var pending: [Int64] = [Int64(group.top.ref)]
        while let ref = pending.popLast() {
            do throws(FormatError) {
                let node = try gate.node(ref)
                let size = node.byteCount
                guard map.take(node.ref / 8, size / 8) else {
                    isTree = false
                    context.result.add(
                        "shared-node", "space", node.ref,
                        "a node is reached twice, or overlaps another")
                    continue
                }
                if node.ref + size > end {
                    context.result.add(
                        "outside", "space", node.ref,
                        "a node reaches past the logical size of \(end) bytes")
                }
                context.result.nodes += 1
                context.result.liveBytes += size
                guard node.hasRefs, node.scheme == 0, node.head & 7 != 0 else { continue }
                for i in 0..<node.count {
                    let child = node.integer(i)
                    if child != 0, child & 1 == 0 { pending.append(child) }
                }
            } catch {
                context.result.add(error, "space", code: "bad-reference")
            }
        }
        let hasList = group.top.count > 4
        if hasList {
            context.attempt("free list") { () throws(FormatError) in
                try checkFreeList(context, &map)
            }
        }
        let mayHaveGaps = context.store.header.isStreaming || !hasList
        map.gaps { first, count in
            let start = first * 8
            let bytes = min(count * 8, end - start)
            guard bytes > 0 else { return }
            context.result.gapBytes += bytes
            if !mayHaveGaps {
                context.result.add(
                    "unaccounted", "space", start,
                    "\(bytes) bytes are neither in use nor in the free list")
            }
        }
        return isTree
    }

    private static func checkFreeList(_ context: CheckContext, _ map: inout SpaceMap)
        throws(FormatError)
    {
        let gate = context.gate
        let top = context.group.top
        let positions = try gate.integers(gate.ref(top, 3))
        let lengths = try gate.integers(gate.ref(top, 4))
        let versions =
            top.count > 5 && top.integer(5) != 0
            ? try gate.integers(gate.ref(top, 5)) : nil
        guard positions.count == lengths.count,
            versions.map({ $0.count == positions.count }) ?? true
        else {
            throw gate.damage(positions.ref, "the three lists of free space differ in length")
        }
        let current = max(context.group.version, 1)
        var last = 0
        for i in 0..<positions.count {
            let position = positions.integer(i)
            let length = lengths.integer(i)
            guard position >= 24, length > 0, position & 7 == 0, length & 7 == 0,
                position <= Int64(context.group.logicalSize),
                length <= Int64(context.group.logicalSize) - position
            else {
                context.result.add(
                    "free-list", "free list", positions.ref,
                    "entry \(i) (\(length) bytes at \(position)) is not inside the file")
                continue
            }
            if Int(position) < last {
                context.result.add(
                    "free-list", "free list", positions.ref, "entry \(i) is out of order")
            }
            last = Int(position + length)
            if let versions, versions.integer(i) > current || versions.integer(i) < 0 {
                context.result.add(
                    "free-list", "free list", positions.ref,
                    "entry \(i) was freed in version \(versions.integer(i)), the file is at \(current)"
                )
            }
            context.result.freeBytes += Int(length)
            if !map.take(Int(position) / 8, Int(length) / 8) {
                context.result.add(
                    "free-list", "free list", Int(position),
                    "\(length) free bytes overlap a live node or another free entry")
            }
        }
    }
}
