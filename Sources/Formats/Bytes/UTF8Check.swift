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
            i = endOfPairs(base, i, end)
            // Longer sequences come in runs, too.
            while i < end {
                let length = sequence(base, i, end)
                if length == 0 { return i }
                i &+= length
                if i < end, base.load(fromByteOffset: i, as: UInt8.self) < 0xE0 { break }
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

    /// Passes over ASCII and sequences of two bytes, as European letters have, eight bytes at a time;
    /// stops at the beginning of a sequence where there is anything else, or ASCII alone.
    @inline(__always)
    private static func endOfPairs(_ base: UnsafeRawPointer, _ start: Int, _ end: Int) -> Int {
        let highs: UInt64 = 0x8080_8080_8080_8080
        var i = start
        // Set when the byte before `i` is a lead, in the place of its tail.
        var open: UInt64 = 0
        while i < end {
            let left = end &- i
            var w: UInt64
            if left >= 8 {
                w = UInt64(littleEndian: base.loadUnaligned(fromByteOffset: i, as: UInt64.self))
            } else if end &- start >= 8 {
                // The last eight bytes, and of them those that are left, zeros behind them.
                w = UInt64(
                    littleEndian: base.loadUnaligned(
                        fromByteOffset: end &- 8, as: UInt64.self))
                w &>>= UInt64(truncatingIfNeeded: 64 &- 8 &* left)
            } else {
                break
            }
            let high = w & highs
            if high | open == 0 { break }
            // Bits 6 and 5 of each byte, moved to the top.
            let second = w &<< 1
            let third = w &<< 2
            let tails = high & ~second
            let leads = high & second
            // 110xxxxx, of which not all but the lowest bit are 0: that would be too long a form.
            let large = (w & 0x1E1E_1E1E_1E1E_1E1E) &+ 0x7E7E_7E7E_7E7E_7E7E
            if tails != (leads &<< 8 | open) || leads & (third | ~large) != 0 { break }
            open = leads &>> 56
            i &+= 8
        }
        return open == 0 ? min(i, end) : i &- 1
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
