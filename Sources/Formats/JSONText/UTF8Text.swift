// Is this UTF-8? The check used where text goes into JSON or comes out of it. Knows nothing of
// JSON itself.

/// Checks of UTF-8 text.
package enum UTF8Text {
    /// The length of the well-formed sequence that starts at `p` (a byte of 0x80 or more), or 0.
    /// `available` is the number of bytes that may be read.
    @inline(__always)
    static func sequenceLength(_ p: UnsafePointer<UInt8>, _ available: Int) -> Int {
        let a = p[0]
        if a < 0xC2 { return 0 }
        if a < 0xE0 {
            return available >= 2 && p[1] & 0xC0 == 0x80 ? 2 : 0
        }
        if a < 0xF0 {
            guard available >= 3, p[1] & 0xC0 == 0x80, p[2] & 0xC0 == 0x80 else { return 0 }
            if a == 0xE0, p[1] < 0xA0 { return 0 }
            if a == 0xED, p[1] >= 0xA0 { return 0 }
            return 3
        }
        guard a < 0xF5, available >= 4, p[1] & 0xC0 == 0x80, p[2] & 0xC0 == 0x80,
            p[3] & 0xC0 == 0x80
        else { return 0 }
        if a == 0xF0, p[1] < 0x90 { return 0 }
        if a == 0xF4, p[1] >= 0x90 { return 0 }
        return 4
    }

    /// The offset of the first byte that is no UTF-8, nil when all of it is.
    package static func firstInvalid(_ p: UnsafePointer<UInt8>, _ count: Int) -> Int? {
        var i = 0
        while i < count {
            if count &- i >= 8 {
                let word = UnsafeRawPointer(p + i).loadUnaligned(as: UInt64.self)
                if word & 0x8080_8080_8080_8080 == 0 {
                    i &+= 8
                    continue
                }
            }
            if p[i] < 0x80 {
                i &+= 1
                continue
            }
            // Runs of non-ASCII text stay in this loop.
            repeat {
                let length = sequenceLength(p + i, count &- i)
                if length == 0 { return i }
                i &+= length
            } while i < count && p[i] >= 0x80
        }
        return nil
    }

    /// True when the bytes are UTF-8.
    package static func isValid(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let base = bytes.baseAddress else { return true }
        return firstInvalid(base.assumingMemoryBound(to: UInt8.self), bytes.count) == nil
    }
}
