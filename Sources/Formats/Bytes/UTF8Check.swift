// Is this UTF-8? One answer for the whole house: shortest forms only, no surrogates, nothing above
// U+10FFFF. Runs of ASCII are skipped 32 bytes at a time.

/// Checks whether bytes are well-formed UTF-8.
package enum UTF8Check {
    /// True when all of the bytes are well-formed UTF-8.
    package static func isValid(_ bytes: UnsafeRawBufferPointer) -> Bool {
        firstInvalid(bytes) == nil
    }

    /// The offset of the first ill-formed sequence, nil when there is none.
    package static func firstInvalid(_ bytes: UnsafeRawBufferPointer, from start: Int = 0) -> Int? {
        guard let base = bytes.baseAddress else { return nil }
        let end = bytes.count
        var i = max(start, 0)
        while i < end {
            i = endOfASCII(base, i, end)
            // Text outside ASCII comes in runs: stay here until the next ASCII byte but one.
            while i < end, base.load(fromByteOffset: i, as: UInt8.self) >= 0x80 {
                i = endOfPairs(base, i, end)
                if i < end {
                    let length = sequence(base, i, end)
                    if length == 0 { return i }
                    i &+= length
                }
                if i < end, base.load(fromByteOffset: i, as: UInt8.self) < 0x80 { i &+= 1 }
            }
        }
        return nil
    }

    /// True when all pieces that end at `ends`, each beginning where the one before it ends, are
    /// well-formed UTF-8 by themselves.
    package static func areValid(
        _ bytes: UnsafeRawBufferPointer, endingAt ends: UnsafeBufferPointer<Int>
    ) -> Bool {
        guard let base = bytes.baseAddress else { return true }
        if endOfASCII(base, 0, bytes.count) == bytes.count { return true }
        if !isValid(bytes) { return false }
        for end in ends where end < bytes.count && bytes[end] & 0xC0 == 0x80 { return false }
        return true
    }

    /// The first offset from `start` on that does not hold ASCII, `end` when all do.
    @inline(__always)
    package static func endOfASCII(_ base: UnsafeRawPointer, _ start: Int, _ end: Int) -> Int {
        let high: UInt64 = 0x8080_8080_8080_8080
        var i = start
        while i &+ 32 <= end {
            let a = base.loadUnaligned(fromByteOffset: i, as: UInt64.self)
            let b = base.loadUnaligned(fromByteOffset: i &+ 8, as: UInt64.self)
            let c = base.loadUnaligned(fromByteOffset: i &+ 16, as: UInt64.self)
            let d = base.loadUnaligned(fromByteOffset: i &+ 24, as: UInt64.self)
            if (a | b | c | d) & high != 0 { break }
            i &+= 32
        }
        while i &+ 8 <= end {
            let a = base.loadUnaligned(fromByteOffset: i, as: UInt64.self) & high
            if a != 0 { return i &+ a.littleEndian.trailingZeroBitCount >> 3 }
            i &+= 8
        }
        while i < end, base.load(fromByteOffset: i, as: UInt8.self) < 0x80 { i &+= 1 }
        return i
    }

    /// Passes over sequences of two bytes, as Cyrillic, Greek and accented letters have, four at a
    /// time and stops where that is not all there is.
    @inline(__always)
    private static func endOfPairs(_ base: UnsafeRawPointer, _ start: Int, _ end: Int) -> Int {
        var i = start
        while i &+ 8 <= end {
            let w = UInt64(littleEndian: base.loadUnaligned(fromByteOffset: i, as: UInt64.self))
            // In each lane of 16 bits a lead byte 110xxxxx and a tail 10xxxxxx; and of the lead's
            // bits not all but the lowest 0, which would be too long a form.
            let isPaired = w & 0xC0E0_C0E0_C0E0_C0E0 == 0x80C0_80C0_80C0_80C0
            let large = (w & 0x001E_001E_001E_001E) &+ 0x7FFF_7FFF_7FFF_7FFF
            guard isPaired, large & 0x8000_8000_8000_8000 == 0x8000_8000_8000_8000 else { break }
            i &+= 8
        }
        return i
    }

    /// The length of the well-formed sequence at `i`, 0 when there is none.
    @inline(__always)
    package static func sequence(_ base: UnsafeRawPointer, _ i: Int, _ end: Int) -> Int {
        let lead = base.load(fromByteOffset: i, as: UInt8.self)
        if lead < 0x80 { return 1 }
        if lead < 0xE0 {
            return lead >= 0xC2 && i &+ 1 < end && isTail(base, i &+ 1) ? 2 : 0
        }
        if lead < 0xF0 {
            guard i &+ 2 < end else { return 0 }
            let second = base.load(fromByteOffset: i &+ 1, as: UInt8.self)
            let low: UInt8 = lead == 0xE0 ? 0xA0 : 0x80
            let top: UInt8 = lead == 0xED ? 0x9F : 0xBF
            return second >= low && second <= top && isTail(base, i &+ 2) ? 3 : 0
        }
        guard lead <= 0xF4, i &+ 3 < end else { return 0 }
        let second = base.load(fromByteOffset: i &+ 1, as: UInt8.self)
        let low: UInt8 = lead == 0xF0 ? 0x90 : 0x80
        let top: UInt8 = lead == 0xF4 ? 0x8F : 0xBF
        return second >= low && second <= top && isTail(base, i &+ 2) && isTail(base, i &+ 3)
            ? 4 : 0
    }

    @inline(__always)
    private static func isTail(_ base: UnsafeRawPointer, _ i: Int) -> Bool {
        base.load(fromByteOffset: i, as: UInt8.self) & 0xC0 == 0x80
    }
}
