// The leaf of links to one class: object keys, one higher in a column (0 = null), as they are in
// a collection. Keys below zero belong to deleted objects that still await their return.

/// A leaf of links.
struct LinkLeaf: BitwiseCopyable {
    let node: Node
    var count: Int { node.count }

    init(_ session: ReadSession, _ ref: Int64) throws(FormatError) {
        node = try session.gate.node(ref)
        // Lists that hold an unresolved link carry the context flag, nothing else differs.
        guard node.scheme == 0, !node.isInner else {
            throw session.gate.unexpected(node, "links")
        }
    }

    /// Appends the links of a column.
    func append(_ range: Range<Int>, session: ReadSession, to column: Column) {
        let n = range.count
        let words = column.words.extend(n)
        let nulls = column.nulls.extend(n)
        node.copy(range, to: words)
        for i in 0..<n {
            let stored = words[i]
            let isNull = stored <= 0
            if stored < 0 { session.unresolvedLinks += 1 }
            nulls[i] = isNull ? 1 : 0
            words[i] = isNull ? 0 : stored &- 1
        }
    }

    /// Appends the links of a collection; unresolved ones are left out.
    func appendElements(_ range: Range<Int>, session: ReadSession, to column: Column) {
        let n = range.count
        let from = column.words.count
        let words = column.words.extend(n)
        node.copy(range, to: words)
        var kept = 0
        for i in 0..<n {
            words[kept] = words[i]
            if words[i] >= 0 { kept += 1 }
        }
        session.unresolvedLinks += n - kept
        column.words.truncate(to: from + kept)
        column.nulls.append(repeating: 0, count: kept)
    }
}

/// A leaf of links to any class (column type 16): table and object in turn, both one higher.
struct TypedLinkLeaf: BitwiseCopyable {
    let node: Node
    let count: Int

    init(_ session: ReadSession, _ ref: Int64) throws(FormatError) {
        node = try session.gate.integers(ref)
        count = node.count / 2
    }

    /// Appends the links as mixed values.
    func append(_ range: Range<Int>, session: ReadSession, to column: Column) {
        for i in range {
            let table = node.integer(2 * i)
            let key = node.integer(2 * i + 1) &- 1
            if table != 0,
                let target = MixedLeaf.target((table &- 1) & 0x7FFF_FFFF, key, session)
            {
                MixedEncoder(column.bytes).link(classIndex: target, key: key)
                column.closeBytes()
            } else {
                column.appendNull()
            }
        }
    }
}
