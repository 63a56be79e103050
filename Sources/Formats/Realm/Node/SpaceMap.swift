// Which bytes of an image are taken: one bit for eight bytes, as all nodes are aligned to eight.

/// A bit for each eight bytes that are taken.
struct SpaceMap {
    private var bits: [UInt64]
    let units: Int

    init(_ bytes: Int) {
        units = bytes / 8
        bits = [UInt64](repeating: 0, count: units / 64 + 1)
    }

    /// Takes a run of units; false when one of them was taken before.
    mutating func take(_ first: Int, _ count: Int) -> Bool {
        var isFree = true
        var at = first
        let end = min(first + count, units)
        while at < end {
            let bit = at & 63
            let run = min(64 - bit, end - at)
            let mask = (run == 64 ? ~0 : (UInt64(1) << UInt64(run)) - 1) << UInt64(bit)
            if bits[at >> 6] & mask != 0 { isFree = false }
            bits[at >> 6] |= mask
            at += run
        }
        return isFree
    }

    /// The runs that were not taken.
    func gaps(_ body: (_ first: Int, _ count: Int) -> Void) {
        var at = 0
        while at < units {
            let word = bits[at >> 6] >> UInt64(at & 63)
            if word == 0 && at & 63 == 0 || word & 1 == 0 {
                let start = at
                while at < units {
                    let rest = bits[at >> 6] >> UInt64(at & 63)
                    if rest == 0 {
                        at = (at | 63) + 1
                    } else {
                        at += rest.trailingZeroBitCount
                        break
                    }
                }
                body(start, min(at, units) - start)
            } else {
                at += (~word).trailingZeroBitCount
            }
        }
    }
}
