// The links of a column, gathered while its leaves are written and turned into the backlink
// column of the target when all are known.

/// The links of one column to one table.
final class LinkCollector {
    /// Target key and origin key of each link.
    let links = RawVector<KeyPair>(capacity: 64)
    /// The linking table and column, as positions in the layout.
    let origin: Int
    let column: Int

    init(origin: Int, column: Int) {
        self.origin = origin
        self.column = column
    }

    deinit { links.destroy() }

    @inline(__always)
    func add(target: Int64, origin: Int64) {
        links.append(KeyPair(key: UInt64(bitPattern: target), value: UInt64(bitPattern: origin)))
    }
}

/// The object keys of a table in ascending order, as runs of consecutive ones.
final class KeyRuns {
    struct Run: BitwiseCopyable {
        var first: Int64
        var count: Int
    }

    let runs = RawVector<Run>(capacity: 4)
    private(set) var count = 0

    deinit { runs.destroy() }

    /// The largest key, -1 when there is none.
    var last: Int64 {
        guard runs.count > 0 else { return -1 }
        let run = runs[runs.count - 1]
        return run.first + Int64(run.count) - 1
    }

    /// Appends ascending keys.
    /// - Returns: false when they do not ascend, or one is no object key.
    func append(_ keys: UnsafePointer<Int64>, count added: Int) -> Bool {
        var previous = last
        for i in 0..<added {
            let key = keys[i]
            if key <= previous || key == Int64.max { return false }
            if key == previous &+ 1, runs.count > 0 {
                runs.base[runs.count - 1].count &+= 1
            } else {
                runs.append(Run(first: key, count: 1))
            }
            previous = key
        }
        count += added
        return true
    }

    /// True when the keys are 0, 1, 2…
    var isDense: Bool { runs.count == 0 || (runs.count == 1 && runs[0].first == 0) }

    /// All keys, one after the other.
    func expanded() -> RawVector<Int64> {
        let keys = RawVector<Int64>(capacity: count)
        for run in runs.elements {
            let at = keys.extend(run.count)
            for i in 0..<run.count { at[i] = run.first &+ Int64(i) }
        }
        return keys
    }

    /// The first number from `n` on that is no key.
    func firstFree(from n: Int64) -> Int64 {
        var low = 0
        var high = runs.count
        while low < high {
            let middle = (low + high) / 2
            if runs[middle].first <= n { low = middle + 1 } else { high = middle }
        }
        guard low > 0 else { return n }
        let run = runs[low - 1]
        let end = run.first + Int64(run.count)
        return n < end ? end : n
    }
}

/// Walks the keys of a table, some at a time.
struct KeyWalk {
    private let runs: KeyRuns
    private var run = 0
    private var offset = 0

    init(_ runs: KeyRuns) { self.runs = runs }

    /// Writes the next `count` keys.
    mutating func next(_ count: Int, to keys: UnsafeMutablePointer<Int64>) {
        var done = 0
        while done < count, run < runs.runs.count {
            let current = runs.runs[run]
            let n = min(count &- done, current.count &- offset)
            let first = current.first &+ Int64(offset)
            for i in 0..<n { keys[done &+ i] = first &+ Int64(i) }
            done &+= n
            offset &+= n
            if offset == current.count {
                run += 1
                offset = 0
            }
        }
    }
}
