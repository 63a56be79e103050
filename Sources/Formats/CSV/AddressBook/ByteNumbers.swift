// Numbers for texts that come again and again: equal bytes have an equal number, counted from 0. What
// is known of a text can then stand in a vector at its number.

/// A growing set of byte sequences, each with a number.
final class ByteNumbers {
    private let bytes = RawVector<UInt8>(capacity: 1024)
    private let ends = RawVector<Int>(capacity: 64)
    private let hashes = RawVector<UInt64>(capacity: 64)
    /// One more than the number of what is there; 0 where nothing is.
    private let slots = RawVector<Int32>(capacity: 256)
    private let seed = UInt64.random(in: 0...UInt64.max)

    init() { slots.append(repeating: 0, count: 256) }

    deinit {
        bytes.destroy()
        ends.destroy()
        hashes.destroy()
        slots.destroy()
    }

    var count: Int { ends.count }
    /// The bytes of all texts.
    var size: Int { bytes.count }

    func removeAll() {
        bytes.removeAll()
        ends.removeAll()
        hashes.removeAll()
        slots.removeAll()
        slots.append(repeating: 0, count: 256)
    }

    /// The number of a text; that of a new one is the count before.
    func number(_ text: UnsafeRawBufferPointer) -> Int {
        let hash = hash(text)
        let mask = slots.count &- 1
        var at = Int(truncatingIfNeeded: hash) & mask
        while slots[at] != 0 {
            let known = Int(slots[at]) &- 1
            if hashes[known] == hash {
                let start = known == 0 ? 0 : ends[known &- 1]
                if Self.isSame(bytes.bytes(from: start, to: ends[known]), text) { return known }
            }
            at = (at &+ 1) & mask
        }
        let number = ends.count
        bytes.append(bytes: text)
        ends.append(bytes.count)
        hashes.append(hash)
        slots[at] = Int32(truncatingIfNeeded: number &+ 1)
        if number &* 2 > slots.count { grow() }
        return number
    }

    private func grow() {
        let size = slots.count * 4
        slots.removeAll()
        slots.append(repeating: 0, count: size)
        for i in 0..<hashes.count {
            var at = Int(truncatingIfNeeded: hashes[i]) & (size &- 1)
            while slots[at] != 0 { at = (at &+ 1) & (size &- 1) }
            slots[at] = Int32(truncatingIfNeeded: i &+ 1)
        }
    }

    @inline(__always)
    private static func mix(_ a: UInt64, _ b: UInt64) -> UInt64 {
        let product = a.multipliedFullWidth(by: b)
        return product.high ^ product.low
    }

    private func hash(_ text: UnsafeRawBufferPointer) -> UInt64 {
        var hash = seed ^ UInt64(truncatingIfNeeded: text.count)
        guard let base = text.baseAddress else { return hash }
        var i = 0
        while i &+ 8 <= text.count {
            let word = base.loadUnaligned(fromByteOffset: i, as: UInt64.self)
            hash = Self.mix(hash ^ word, 0x9E37_79B9_7F4A_7C15)
            i &+= 8
        }
        if i < text.count {
            let tail = ShortText(UnsafeRawBufferPointer(start: base + i, count: text.count &- i))
            hash = Self.mix(hash ^ tail.word, 0xD6E8_FEB8_6659_FD93)
        }
        return Self.mix(hash, 0xA076_1D64_78BD_642F)
    }

    /// Whether two texts have the same bytes.
    static func isSame(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Bool {
        let count = a.count
        guard count == b.count else { return false }
        guard let p = a.baseAddress, let q = b.baseAddress else { return true }
        var i = 0
        while i &+ 8 <= count {
            let x = p.loadUnaligned(fromByteOffset: i, as: UInt64.self)
            if x != q.loadUnaligned(fromByteOffset: i, as: UInt64.self) { return false }
            i &+= 8
        }
        while i < count {
            if a[i] != b[i] { return false }
            i &+= 1
        }
        return true
    }

    /// Whether a text is a word.
    static func isSame(_ a: UnsafeRawBufferPointer, _ b: StaticString) -> Bool {
        isSame(a, UnsafeRawBufferPointer(start: b.utf8Start, count: b.utf8CodeUnitCount))
    }
}
