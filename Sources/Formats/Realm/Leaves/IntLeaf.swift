// The leaf of whole numbers, plain or with a null sentinel in front, and of bools. Also the
// seconds of dates.

/// A leaf of ints or bools.
struct IntLeaf: BitwiseCopyable {
    let node: Node
    /// 1 when the first element is the sentinel that stands for null.
    let lead: Int
    let count: Int

    /// Takes a leaf apart.
    init(_ session: ReadSession, _ ref: Int64, isNullable: Bool) throws(FormatError) {
        node = try session.gate.integers(ref)
        lead = isNullable && node.count > 0 ? 1 : 0
        count = node.count - lead
    }

    /// The value that stands for null, for a nullable leaf.
    var sentinel: Int64 { node.integer(0) }

    /// Appends ints.
    func append(_ range: Range<Int>, to column: Column) {
        let n = range.count
        let words = column.words.extend(n)
        node.copy(range.lowerBound + lead..<range.upperBound + lead, to: words)
        let nulls = column.nulls.extend(n)
        if lead == 0 {
            nulls.update(repeating: 0, count: n)
            return
        }
        let null = sentinel
        for i in 0..<n {
            let isNull = words[i] == null
            nulls[i] = isNull ? 1 : 0
            words[i] = isNull ? 0 : words[i]
        }
    }

    /// Appends bools. `null` is the stored number that stands for null, if any; where no null may
    /// be, it reads as the empty value.
    func appendBools(_ range: Range<Int>, null: Int64?, isNullable: Bool, to column: Column) {
        let n = range.count
        let words = column.words.extend(n)
        node.copy(range.lowerBound + lead..<range.upperBound + lead, to: words)
        let nulls = column.nulls.extend(n)
        let flag: UInt8 = isNullable ? 1 : 0
        let none = null ?? .min
        for i in 0..<n {
            let isNull = words[i] == none
            nulls[i] = isNull ? flag : 0
            words[i] = isNull || words[i] == 0 ? 0 : 1
        }
    }
}
