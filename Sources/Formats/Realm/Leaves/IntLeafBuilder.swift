// Leaves of ints that may be null (a sentinel in front says which stored number means null) and
// of bools.

enum IntLeafBuilder {
    /// Bool: 0, 1, and 3 for null.
    static func writeBool(_ values: LeafValues, nodes: NodeBuilder) throws(FormatError) -> Int64 {
        guard values.hasNull else { return try nodes.ints(values.words, count: values.count) }
        let scratch = nodes.scratch
        scratch.removeAll()
        let at = scratch.extend(values.count)
        for i in 0..<values.count { at[i] = values.nulls[i] != 0 ? 3 : values.words[i] }
        return try nodes.ints(at, count: values.count)
    }

    /// Ints with nulls: one element more than rows, the sentinel first.
    ///
    /// The sentinel must be the upper bound of the width: with any other the engine would later
    /// take a stored value for null.
    static func writeOptional(_ values: LeafValues, nodes: NodeBuilder) throws(FormatError)
        -> Int64
    {
        let count = values.count
        var low = Int64.max
        var high = Int64.min
        for i in 0..<count where values.nulls[i] == 0 {
            low = min(low, values.words[i])
            high = max(high, values.words[i])
        }
        if low > high { return try nodes.zeros(count: count + 1) }
        let (width, sentinel) = sentinel(low: low, high: high, values)
        let scratch = nodes.scratch
        scratch.removeAll()
        let at = scratch.extend(count + 1)
        at[0] = sentinel
        for i in 0..<count { at[i &+ 1] = values.nulls[i] != 0 ? sentinel : values.words[i] }
        return try nodes.ints(at, count: count + 1, width: width)
    }

    private static func sentinel(low: Int64, high: Int64, _ values: LeafValues) -> (Int, Int64) {
        if low >= 0 {
            if high < 1 { return (1, 1) }
            if high < 3 { return (2, 3) }
            if high < 15 { return (4, 15) }
        }
        for width in [8, 16, 32] {
            let bound = (Int64(1) << Int64(width - 1)) - 1
            if high < bound, low >= -bound - 1 { return (width, bound) }
        }
        // 64 bits: any number that no row has.
        var candidate = Int64.max
        if high < candidate { return (64, candidate) }
        var taken = Set<Int64>()
        for i in 0..<values.count where values.nulls[i] == 0 { taken.insert(values.words[i]) }
        while taken.contains(candidate) { candidate -= 1 }
        return (64, candidate)
    }
}
