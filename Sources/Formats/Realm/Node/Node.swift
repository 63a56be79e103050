// One node of a store file: its eight header bytes taken apart, and access to its elements. That
// the whole node lies inside the file was proven by the gate (NodeGate), which alone makes nodes;
// what the elements mean is left to the leaves and trees.

/// A node whose payload is known to lie inside the image.
struct Node: BitwiseCopyable {
    /// The position of the header.
    let ref: Int
    /// The first byte behind the header.
    let payload: UnsafeRawPointer
    /// The number of elements (bytes, for a blob).
    let count: Int
    /// Byte 4 of the header: `inner refs context scheme(2) width(3)`.
    let head: UInt8

    var isInner: Bool { head & 0x80 != 0 }
    var hasRefs: Bool { head & 0x40 != 0 }
    var isContext: Bool { head & 0x20 != 0 }
    /// 0 bits, 1 bytes an element, 2 plain bytes.
    var scheme: UInt8 { (head >> 3) & 3 }
    /// The width of an element: bits in scheme 0, bytes in scheme 1.
    var width: Int { (1 << Int(head & 7)) >> 1 }
    /// The bytes the elements take, without padding.
    var payloadCount: Int {
        switch scheme {
        case 0: (count &* width &+ 7) >> 3
        case 1: count &* width
        default: count
        }
    }
    /// The bytes of the node with header and padding.
    var byteCount: Int { 8 &+ ((payloadCount &+ 7) & ~7) }

    /// The payload as bytes.
    var bytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: payload, count: payloadCount)
    }

    /// An element of a scheme 0 node; 0 outside, as a missing slot reads.
    @inline(__always)
    func integer(_ i: Int) -> Int64 {
        guard i >= 0, i < count else { return 0 }
        switch head & 7 {
        case 0: return 0
        case 1: return Int64((load(i >> 3, UInt8.self) >> UInt8(i & 7)) & 1)
        case 2: return Int64((load(i >> 2, UInt8.self) >> UInt8((i & 3) << 1)) & 3)
        case 3: return Int64((load(i >> 1, UInt8.self) >> UInt8((i & 1) << 2)) & 15)
        case 4: return Int64(load(i, Int8.self))
        case 5: return Int64(Int16(littleEndian: load(i << 1, Int16.self)))
        case 6: return Int64(Int32(littleEndian: load(i << 2, Int32.self)))
        default: return Int64(littleEndian: load(i << 3, Int64.self))
        }
    }

    /// An element of an array of keys or offsets, whose wide elements have no sign.
    @inline(__always)
    func unsigned(_ i: Int) -> UInt64 {
        let value = UInt64(bitPattern: integer(i))
        switch head & 7 {
        case 4: return value & 0xFF
        case 5: return value & 0xFFFF
        case 6: return value & 0xFFFF_FFFF
        default: return value
        }
    }

    @inline(__always)
    private func load<T: BitwiseCopyable>(_ offset: Int, _ type: T.Type) -> T {
        payload.loadUnaligned(fromByteOffset: offset, as: type)
    }

    /// The tagged integer in a slot; nil when the slot is missing, zero or a reference.
    func tagged(_ i: Int) -> Int64? {
        let value = integer(i)
        guard value & 1 == 1 else { return nil }
        return Int64(bitPattern: UInt64(bitPattern: value) >> 1)
    }

    /// Copies elements of a scheme 0 node; the range must lie inside.
    func copy(_ range: Range<Int>, to out: UnsafeMutablePointer<Int64>) {
        let n = range.count
        let start = range.lowerBound
        switch head & 7 {
        case 0: out.update(repeating: 0, count: n)
        case 1, 2, 3:
            let width = self.width
            let mask: UInt8 = (1 << UInt8(width)) &- 1
            let bytes = payload.assumingMemoryBound(to: UInt8.self)
            var bit = start &* width
            for i in 0..<n {
                out[i] = Int64((bytes[bit >> 3] >> UInt8(bit & 7)) & mask)
                bit &+= width
            }
        case 4:
            let from = (payload + start).assumingMemoryBound(to: Int8.self)
            for i in 0..<n { out[i] = Int64(from[i]) }
        case 5:
            let from = (payload + start &* 2).assumingMemoryBound(to: Int16.self)
            for i in 0..<n { out[i] = Int64(Int16(littleEndian: from[i])) }
        case 6:
            let from = (payload + start &* 4).assumingMemoryBound(to: Int32.self)
            for i in 0..<n { out[i] = Int64(Int32(littleEndian: from[i])) }
        default:
            let from = (payload + start &* 8).assumingMemoryBound(to: Int64.self)
            for i in 0..<n { out[i] = Int64(littleEndian: from[i]) }
        }
    }
}
