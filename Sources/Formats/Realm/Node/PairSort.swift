// Sorts pairs of 64-bit words in place: links by target, index entries by their first bytes.

/// A sort key and what belongs to it.
struct KeyPair: BitwiseCopyable {
    var key: UInt64
    var value: UInt64
}

/// A radix sort, most significant byte first, by key and then by value, both unsigned.
struct PairSort {
    private static let scratchCount = 1 << 14
    private let scratch = UnsafeMutablePointer<KeyPair>.allocate(capacity: PairSort.scratchCount)
    /// Bucket bounds of each of the 16 levels, for heads and ends.
    private let bounds = UnsafeMutablePointer<Int>.allocate(capacity: 16 * 512)

    func destroy() {
        scratch.deallocate()
        bounds.deallocate()
    }

    /// Sorts once.
    static func sort(_ pairs: UnsafeMutablePointer<KeyPair>, count: Int) {
        let sorter = PairSort()
        sorter.sort(pairs, count: count)
        sorter.destroy()
    }

    /// Sorts.
    func sort(_ pairs: UnsafeMutablePointer<KeyPair>, count: Int) {
        sort(pairs, count, level: 0)
    }

    @inline(__always)
    private static func isLess(_ a: KeyPair, _ b: KeyPair) -> Bool {
        a.key < b.key || (a.key == b.key && a.value < b.value)
    }

    @inline(__always)
    private static func digit(_ pair: KeyPair, _ level: Int) -> Int {
        level < 8
            ? Int(truncatingIfNeeded: (pair.key &>> UInt64(56 &- level &* 8)) & 0xFF)
            : Int(truncatingIfNeeded: (pair.value &>> UInt64(120 &- level &* 8)) & 0xFF)
    }

    /// At most 16 calls deep, one for each byte.
    private func sort(_ pairs: UnsafeMutablePointer<KeyPair>, _ count: Int, level: Int) {
        if count <= 24 { return PairSort.insertionSort(pairs, count) }
        // Which bits differ at all, and is there anything to do?
        var keyBits: UInt64 = 0
        var valueBits: UInt64 = 0
        var isSorted = true
        let first = pairs[0]
        var previous = first
        for i in 1..<count {
            let pair = pairs[i]
            keyBits |= pair.key ^ first.key
            valueBits |= pair.value ^ first.value
            if PairSort.isLess(pair, previous) { isSorted = false }
            previous = pair
        }
        if isSorted { return }
        let level =
            keyBits != 0 ? keyBits.leadingZeroBitCount / 8 : 8 + valueBits.leadingZeroBitCount / 8
        let heads = bounds + level * 512
        let ends = heads + 256
        heads.update(repeating: 0, count: 256)
        for i in 0..<count { heads[PairSort.digit(pairs[i], level)] &+= 1 }
        var at = 0
        for i in 0..<256 {
            let n = heads[i]
            heads[i] = at
            at &+= n
            ends[i] = at
        }
        if count <= PairSort.scratchCount {
            for i in 0..<count {
                let d = PairSort.digit(pairs[i], level)
                scratch[heads[d]] = pairs[i]
                heads[d] &+= 1
            }
            pairs.update(from: scratch, count: count)
        } else {
            for bucket in 0..<256 {
                while heads[bucket] < ends[bucket] {
                    var pair = pairs[heads[bucket]]
                    var d = PairSort.digit(pair, level)
                    while d != bucket {
                        swap(&pair, &pairs[heads[d]])
                        heads[d] &+= 1
                        d = PairSort.digit(pair, level)
                    }
                    pairs[heads[bucket]] = pair
                    heads[bucket] &+= 1
                }
            }
        }
        if level == 15 { return }
        var start = 0
        for bucket in 0..<256 {
            let end = ends[bucket]
            if end &- start > 1 { sort(pairs + start, end &- start, level: level + 1) }
            start = end
        }
    }

    private static func insertionSort(_ pairs: UnsafeMutablePointer<KeyPair>, _ count: Int) {
        var i = 1
        while i < count {
            let pair = pairs[i]
            var j = i
            while j > 0, isLess(pair, pairs[j &- 1]) {
                pairs[j] = pairs[j &- 1]
                j &-= 1
            }
            pairs[j] = pair
            i &+= 1
        }
    }
}
