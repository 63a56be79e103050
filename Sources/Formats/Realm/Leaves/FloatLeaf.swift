// The leaves of floats and doubles: IEEE 754 bits side by side, null a NaN of one exact pattern.

/// A leaf of floats or doubles.
struct FloatLeaf: BitwiseCopyable {
    let node: Node
    let isDouble: Bool
    var count: Int { node.count }

    static let nullFloat: UInt32 = 0x7FC0_00AA
    static let nullDouble: UInt64 = 0x7FF8_0000_0000_00AA
    private static let plainFloat: UInt32 = 0x7FC0_0000
    private static let plainDouble: UInt64 = 0x7FF8_0000_0000_0000

    init(_ session: ReadSession, _ ref: Int64, isDouble: Bool) throws(FormatError) {
        node = try session.gate.node(ref)
        self.isDouble = isDouble
        let width = isDouble ? 8 : 4
        guard !node.hasRefs, node.count == 0 || (node.scheme == 1 && node.width == width) else {
            throw session.gate.unexpected(node, isDouble ? "doubles" : "floats")
        }
    }

    /// Appends values; where no null may be, its pattern is an ordinary NaN.
    func append(_ range: Range<Int>, isNullable: Bool, to column: Column) {
        let n = range.count
        let words = column.words.extend(n)
        let nulls = column.nulls.extend(n)
        nulls.update(repeating: 0, count: n)
        if isDouble {
            let from = (node.payload + range.lowerBound * 8).assumingMemoryBound(to: UInt64.self)
            for i in 0..<n {
                let bits = UInt64(littleEndian: from[i])
                words[i] = Int64(bitPattern: bits)
                if bits == FloatLeaf.nullDouble {
                    nulls[i] = isNullable ? 1 : 0
                    words[i] = isNullable ? 0 : Int64(bitPattern: FloatLeaf.plainDouble)
                }
            }
        } else {
            let from = (node.payload + range.lowerBound * 4).assumingMemoryBound(to: UInt32.self)
            for i in 0..<n {
                let bits = UInt32(littleEndian: from[i])
                words[i] = Int64(bits)
                if bits == FloatLeaf.nullFloat {
                    nulls[i] = isNullable ? 1 : 0
                    words[i] = isNullable ? 0 : Int64(FloatLeaf.plainFloat)
                }
            }
        }
    }
}
