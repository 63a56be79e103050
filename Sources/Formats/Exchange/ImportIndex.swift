// The incoming rows by what they are recognised by: an open-addressing table of hashes, 16 bytes
// an entry, half full. Hashes only point; values decide.

/// A hash table from match values to incoming rows; several rows may share a value.
final class ImportIndex {
    private struct Entry {
        /// 0 for an empty slot.
        let hash: UInt64
        let row: UInt32
        let rule: UInt32
    }

    private var slots: UnsafeMutablePointer<Entry>
    private var mask: Int
    private var count = 0
    private let seed: UInt64

    /// A table with room for about `capacity` values.
    init(capacity: Int) {
        var size = 64
        while size < capacity &* 2 { size &*= 2 }
        slots = .allocate(capacity: size)
        slots.initialize(repeating: Entry(hash: 0, row: 0, rule: 0), count: size)
        mask = size - 1
        // Nobody outside can aim at one slot.
        seed = UInt64.random(in: .min ... .max)
    }

    deinit { slots.deallocate() }

    /// The hash of a match value, never 0.
    func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var h = seed ^ UInt64(truncatingIfNeeded: bytes.count)
        func mix(_ word: UInt64) {
            let product = (h ^ word).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
            h = product.high ^ product.low ^ 0xD6E8_FEB8_6659_FD93
        }
        var i = 0
        while i &+ 8 <= bytes.count {
            mix(bytes.loadUnaligned(fromByteOffset: i, as: UInt64.self))
            i &+= 8
        }
        var tail: UInt64 = 0
        while i < bytes.count {
            tail = tail << 8 | UInt64(bytes[i])
            i &+= 1
        }
        mix(tail)
        mix(seed)
        return h == 0 ? 1 : h
    }

    /// The hash of two words and whether there is a value, never 0.
    @inline(__always)
    func hash(_ first: Int64, _ second: Int64, isNull: Bool) -> UInt64 {
        var h = seed ^ (isNull ? 1 : 0)
        func mix(_ word: UInt64) {
            let product = (h ^ word).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
            h = product.high ^ product.low ^ 0xD6E8_FEB8_6659_FD93
        }
        mix(UInt64(bitPattern: first))
        mix(UInt64(bitPattern: second))
        mix(seed)
        return h == 0 ? 1 : h
    }

    /// Adds a value.
    func insert(_ hash: UInt64, row: Int, rule: Int) {
        if (count + 1) * 2 > mask + 1 { grow() }
        var slot = Int(truncatingIfNeeded: hash) & mask
        while slots[slot].hash != 0 { slot = (slot &+ 1) & mask }
        slots[slot] = Entry(
            hash: hash, row: UInt32(truncatingIfNeeded: row), rule: UInt32(truncatingIfNeeded: rule)
        )
        count += 1
    }

    /// Calls `body` with the rows of a hash and rule, in the order they were added.
    @inline(__always)
    func forEach(_ hash: UInt64, rule: Int, _ body: (Int) -> Void) {
        let slots = slots
        let mask = mask
        var slot = Int(truncatingIfNeeded: hash) & mask
        while slots[slot].hash != 0 {
            if slots[slot].hash == hash, slots[slot].rule == UInt32(truncatingIfNeeded: rule) {
                body(Int(slots[slot].row))
            }
            slot = (slot &+ 1) & mask
        }
    }

    private func grow() {
        let old = slots
        let oldCount = mask + 1
        mask = oldCount * 2 - 1
        slots = .allocate(capacity: oldCount * 2)
        slots.initialize(repeating: Entry(hash: 0, row: 0, rule: 0), count: oldCount * 2)
        // Runs may wrap around the end; starting behind an empty slot keeps their order.
        var start = 0
        while start < oldCount, old[start].hash != 0 { start += 1 }
        for k in 0..<oldCount {
            let entry = old[(start + k) & (oldCount - 1)]
            guard entry.hash != 0 else { continue }
            var slot = Int(truncatingIfNeeded: entry.hash) & mask
            while slots[slot].hash != 0 { slot = (slot &+ 1) & mask }
            slots[slot] = entry
        }
        old.deallocate()
    }
}

/// From object keys to incoming rows.
final class ImportKeyTable {
    private let keys: RawVector<Int64>
    /// -1 in an empty slot.
    private let rows: RawVector<Int32>
    private let mask: Int

    /// A table for at most `capacity` keys.
    init(capacity: Int) {
        var size = 16
        while size < capacity &* 2 { size &*= 2 }
        keys = RawVector(capacity: size)
        keys.append(repeating: 0, count: size)
        rows = RawVector(capacity: size)
        rows.append(repeating: -1, count: size)
        mask = size - 1
    }

    deinit {
        keys.destroy()
        rows.destroy()
    }

    @inline(__always)
    private func slot(_ key: Int64) -> Int {
        let product = UInt64(bitPattern: key) &* 0x9E37_79B9_7F4A_7C15
        var at = Int(truncatingIfNeeded: product &>> 20) & mask
        while rows[at] >= 0, keys[at] != key { at = (at &+ 1) & mask }
        return at
    }

    /// The row of a key, -1 for none; setting replaces it.
    subscript(key: Int64) -> Int32 {
        get { rows[slot(key)] }
        set {
            let at = slot(key)
            keys[at] = key
            rows[at] = newValue
        }
    }
}
