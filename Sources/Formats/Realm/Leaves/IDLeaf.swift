// The leaves of ObjectIds and UUIDs: blocks of eight values behind one byte of null bits.

/// A leaf of ObjectIds (12 bytes) or UUIDs (16 bytes).
struct IDLeaf: BitwiseCopyable {
    let node: Node
    let size: Int
    let count: Int
    private var block: Int { 1 &+ 8 &* size }

    init(_ session: ReadSession, _ ref: Int64, size: Int) throws(FormatError) {
        node = try session.gate.node(ref)
        self.size = size
        guard !node.hasRefs, node.count == 0 || (node.scheme == 1 && node.width <= 1) else {
            throw session.gate.unexpected(node, size == 12 ? "ObjectIds" : "UUIDs")
        }
        let bytes = node.payloadCount
        let block = 1 + 8 * size
        count = (bytes - (bytes + block - 1) / block) / size
    }

    /// Appends values; where no null may be, a stored one is all zero.
    func append(_ range: Range<Int>, isNullable: Bool, to column: Column) {
        let n = range.count
        let words = column.words.extend(n)
        let extra = column.extra.extend(n)
        let nulls = column.nulls.extend(n)
        let bytes = node.payload
        let null: UInt8 = isNullable ? 1 : 0
        let isShort = size == 12
        for i in 0..<n {
            let at = range.lowerBound &+ i
            let start = (at >> 3) &* block
            let bits = bytes.load(fromByteOffset: start, as: UInt8.self)
            if bits >> UInt8(at & 7) & 1 != 0 {
                words[i] = 0
                extra[i] = 0
                nulls[i] = null
                continue
            }
            let value = bytes + (start &+ 1 &+ (at & 7) &* size)
            words[i] = Int64(bigEndian: value.loadUnaligned(as: Int64.self))
            extra[i] =
                isShort
                ? Int64(
                    UInt32(bigEndian: value.loadUnaligned(fromByteOffset: 8, as: UInt32.self)))
                : Int64(bigEndian: value.loadUnaligned(fromByteOffset: 8, as: Int64.self))
            nulls[i] = 0
        }
    }

    /// The bytes of one value of a leaf whose blocks begin at `payload`; nil for null.
    @inline(__always)
    static func value(_ i: Int, in payload: UnsafeRawPointer, size: Int)
        -> UnsafeRawBufferPointer?
    {
        let block = payload + (i >> 3) &* (1 &+ 8 &* size)
        if block.load(as: UInt8.self) >> UInt8(i & 7) & 1 != 0 { return nil }
        return UnsafeRawBufferPointer(start: block + (1 &+ (i & 7) &* size), count: size)
    }
}
