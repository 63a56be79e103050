// Walks the rows of a table chunk by chunk, whichever of the two ways it is stored.

/// A walk over the rows of a class.
enum RowCursor {
    case clusters(ClusterCursor)
    case columns(ColumnsCursor)

    /// A walk that begins before the first row.
    init(_ session: ReadSession, _ plan: TablePlan, wanted: [Bool]) {
        let root = plan.damage == nil ? plan.root : 0
        if plan.isColumnWise {
            self = .columns(
                ColumnsCursor(
                    session, list: root, columns: plan.columns, wanted: wanted,
                    rowCount: plan.rowCount))
        } else {
            self = .clusters(ClusterCursor(session.gate, root: root))
        }
    }

    /// Moves to the next chunk that holds rows; false behind the last one.
    mutating func advance() throws(FormatError) -> Bool {
        switch self {
        case .clusters(var cursor):
            defer { self = .clusters(cursor) }
            return try cursor.advance()
        case .columns(let cursor): return cursor.advance()
        }
    }

    /// The chunk the walk stands on.
    var chunk: (any RowChunk)? {
        switch self {
        case .clusters(let cursor): cursor.cluster
        case .columns(let cursor): cursor.chunk
        }
    }
}

extension RowChunk {
    /// Appends the keys of some rows.
    func appendKeys(_ range: Range<Int>, to keys: RawVector<Int64>) {
        let out = keys.extend(range.count)
        for i in range { out[i - range.lowerBound] = key(i) }
    }

    /// The last key, when all of them ascend from `before` on; nil when they do not.
    func lastKey(after before: Int64?) -> Int64? {
        var last = before
        for row in 0..<count {
            let key = key(row)
            if let last, key <= last { return nil }
            last = key
        }
        return last
    }
}
