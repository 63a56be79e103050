// Where the `_id` of an imported record comes from (DESIGN 1.5): a UID of 24 hex digits is the
// id, everything else is derived, so that importing the same file twice gives the same ids.

/// Mints ids for the records of one import.
///
/// An id is the first 96 bits of SipHash-2-4-128 under the fixed key below over: the map's name,
/// the kind, the UID and the RECURRENCE-ID, each followed by a zero byte, or, for a record
/// without a UID, over the canonical content; then the occurrence number, so that records
/// that are equal in all of it are kept apart in their order.
package final class IdentityMinter {
    /// The key, first half: `rtool id` read as little-endian bytes.
    package static let key0: UInt64 = 0x6469_206c_6f6f_7472
    /// The key, second half: `0000 v1.` read as little-endian bytes.
    package static let key1: UInt64 = 0x2e31_7620_3030_3030

    private let start: SipHash
    /// Open table of the hashes met: first 64 bits, 0 for a free slot.
    @exclusivity(unchecked) private var seen: RawVector<UInt64>
    @exclusivity(unchecked) private var seenCount = 0
    private var repeats: [UInt64: UInt64] = [:]
    /// True when the UID asked for last was met before.
    @exclusivity(unchecked) package private(set) var isRepeat = false

    /// A minter for a map; `kind` separates what shares UIDs without being the same.
    package init(map: String, kind: String) {
        var hash = SipHash(key0: IdentityMinter.key0, key1: IdentityMinter.key1, wide: true)
        hash.add(map)
        hash.add(0 as UInt8)
        hash.add(kind)
        hash.add(0 as UInt8)
        start = hash
        seen = RawVector(capacity: 1024)
        seen.append(repeating: 0, count: 1024)
    }

    deinit { seen.destroy() }

    /// A hash to which canonical content is added, for `id(content:)`.
    package func content() -> SipHash {
        var hash = start
        hash.add(1 as UInt8)
        return hash
    }

    /// The id of a record by its UID.
    package func id(uid: UnsafeRawBufferPointer, recurrence: UnsafeRawBufferPointer? = nil)
        -> ObjectID
    {
        isRepeat = false
        if uid.count == 24, let id = ScalarText.objectID(uid), recurrence == nil {
            // The second record of the same UID must not take the same key.
            if occurrence(id.high ^ UInt64(id.low) &* 0x9E37_79B9_7F4A_7C15 | 1) == 0 { return id }
            isRepeat = true
        }
        var hash = start
        hash.add(0 as UInt8)
        hash.add(uid)
        hash.add(0 as UInt8)
        if let recurrence { hash.add(recurrence) }
        hash.add(0 as UInt8)
        return mint(hash, isUID: true)
    }

    /// The id of a record by its content.
    package func id(content hash: SipHash) -> ObjectID { mint(hash) }

    /// The ids of many records by their content: `contents` holds one after the other, `ends`
    /// where each ends. The same ids as one by one.
    /// - Parameter halves: room that is filled with two words an id, for `id(halves:_:)`.
    package func mint(
        contents: RawVector<UInt8>, ends: RawVector<Int>, halves: RawVector<UInt64>
    ) {
        halves.removeAll()
        let hash = content()
        var from = 0
        for end in ends.elements {
            let (first, second) = hash.finish128(adding: contents.bytes(from: from, to: end))
            halves.append(first)
            halves.append(second)
            from = end
        }
        while isCrowded(by: ends.count) { grow() }
        // All slots are looked for in one loop, so that their misses overlap.
        let slots = seen.base
        let mask = seen.count - 1
        var added = 0
        for i in 0..<ends.count {
            let first = halves[2 &* i] | 1
            var at = IdentityMinter.slot(first) & mask
            while slots[at] != 0, slots[at] != first { at = (at &+ 1) & mask }
            if slots[at] == 0 {
                slots[at] = first
                added &+= 1
                continue
            }
            let number = repeats[first, default: 0] + 1
            repeats[first] = number
            var numbered = hash
            numbered.add(contents.bytes(from: i == 0 ? 0 : ends[i - 1], to: ends[i]))
            numbered.add(number)
            (halves[2 &* i], halves[2 &* i &+ 1]) = numbered.finish128()
        }
        seenCount += added
    }

    /// An id from the words `mint(contents:ends:halves:)` made.
    @inline(__always)
    package static func id(halves: RawVector<UInt64>, _ i: Int) -> ObjectID {
        ObjectID(
            high: halves[2 &* i].byteSwapped,
            low: UInt32(truncatingIfNeeded: halves[2 &* i &+ 1]).byteSwapped)
    }

    @inline(__always)
    private static func slot(_ hash: UInt64) -> Int {
        Int(truncatingIfNeeded: hash &* (0x9E37_79B9_7F4A_7C15 >> 32))
    }

    private func mint(_ hash: SipHash, isUID: Bool = false) -> ObjectID {
        let (first, second) = hash.finish128()
        let number = occurrence(first | 1)
        if isUID, number > 0 { isRepeat = true }
        var result = (first, second)
        if number > 0 {
            var numbered = hash
            numbered.add(number)
            result = numbered.finish128()
        }
        return IdentityMinter.id(result)
    }

    /// The id that the two words of a hash make.
    static func id(_ words: (UInt64, UInt64)) -> ObjectID {
        ObjectID(high: words.0.byteSwapped, low: UInt32(truncatingIfNeeded: words.1).byteSwapped)
    }

    /// How often a hash (not 0) was met before.
    private func occurrence(_ hash: UInt64) -> UInt64 {
        if isCrowded(by: 1) { grow() }
        let mask = seen.count - 1
        var at = IdentityMinter.slot(hash) & mask
        while seen[at] != 0 {
            if seen[at] == hash {
                let number = repeats[hash, default: 0] + 1
                repeats[hash] = number
                return number
            }
            at = (at &+ 1) & mask
        }
        seen[at] = hash
        seenCount += 1
        return 0
    }

    /// True when the table, three quarters full at most, has no room for so many more.
    private func isCrowded(by count: Int) -> Bool {
        (seenCount + count) * 4 >= seen.count * 3
    }

    private func grow() {
        let old = seen
        let count = old.count * 2
        seen = RawVector(capacity: count)
        seen.append(repeating: 0, count: count)
        let slots = seen.base
        for hash in old.elements where hash != 0 {
            var at = IdentityMinter.slot(hash) & (count - 1)
            while slots[at] != 0 { at = (at &+ 1) & (count - 1) }
            slots[at] = hash
        }
        old.destroy()
    }
}
