// SipHash-2-4 (Aumasson and Bernstein), with 64 or 128 bits of result: a keyed hash that is the
// same on every machine and in every run, unlike the standard library's.

/// A SipHash-2-4 over bytes that come in pieces.
package struct SipHash: Sendable {
    private var v0: UInt64
    private var v1: UInt64
    private var v2: UInt64
    private var v3: UInt64
    private var tail: UInt64 = 0
    private var tailCount: UInt64 = 0
    private var total: UInt64 = 0
    private let isWide: Bool

    /// A hash under a key of two little-endian halves.
    /// - Parameter wide: whether `finish128()` will be asked for; the two results differ.
    package init(key0: UInt64, key1: UInt64, wide: Bool = false) {
        v0 = key0 ^ 0x736f_6d65_7073_6575
        v1 = key1 ^ 0x646f_7261_6e64_6f6d
        v2 = key0 ^ 0x6c79_6765_6e65_7261
        v3 = key1 ^ 0x7465_6462_7974_6573
        if wide { v1 ^= 0xee }
        isWide = wide
    }

    @inline(__always)
    private mutating func round() {
        v0 = v0 &+ v1
        v1 = (v1 &<< 13 | v1 &>> 51) ^ v0
        v0 = v0 &<< 32 | v0 &>> 32
        v2 = v2 &+ v3
        v3 = (v3 &<< 16 | v3 &>> 48) ^ v2
        v0 = v0 &+ v3
        v3 = (v3 &<< 21 | v3 &>> 43) ^ v0
        v2 = v2 &+ v1
        v1 = (v1 &<< 17 | v1 &>> 47) ^ v2
        v2 = v2 &<< 32 | v2 &>> 32
    }

    @inline(__always)
    private mutating func compress(_ word: UInt64) {
        v3 ^= word
        round()
        round()
        v0 ^= word
    }

    /// Takes bytes.
    package mutating func add(_ bytes: UnsafeRawBufferPointer) { take(bytes) }

    @inline(__always)
    private mutating func take(_ bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress else { return }
        let count = bytes.count
        total &+= UInt64(count)
        var i = 0
        if tailCount == 0 {
            while i &+ 8 <= count {
                compress(
                    UInt64(littleEndian: start.loadUnaligned(fromByteOffset: i, as: UInt64.self)))
                i &+= 8
            }
        } else {
            while i &+ 8 <= count {
                across(
                    UInt64(littleEndian: start.loadUnaligned(fromByteOffset: i, as: UInt64.self)))
                i &+= 8
            }
        }
        let rest = UInt64(truncatingIfNeeded: count &- i)
        if rest == 0 { return }
        if count >= 8 {
            // The last eight bytes once more, and of them those that are new.
            let last = UInt64(
                littleEndian: start.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self))
            end(last &>> (64 &- rest &* 8), rest)
            return
        }
        var word: UInt64 = 0
        var shift: UInt64 = 0
        while i < count {
            word |= UInt64(start.load(fromByteOffset: i, as: UInt8.self)) &<< shift
            shift &+= 8
            i &+= 1
        }
        end(word, rest)
    }

    /// Takes the last one to seven bytes of a piece.
    @inline(__always)
    private mutating func end(_ word: UInt64, _ count: UInt64) {
        let up = tailCount &* 8
        tail |= word &<< up
        tailCount &+= count
        if tailCount >= 8 {
            compress(tail)
            tailCount &-= 8
            tail = tailCount == 0 ? 0 : word &>> (64 &- up)
        }
    }

    /// Takes a word that lies across two of the hash: the rest of one, the begin of the next.
    @inline(__always)
    private mutating func across(_ word: UInt64) {
        let up = tailCount &* 8
        compress(tail | word &<< up)
        tail = word &>> (64 &- up)
    }

    /// Takes one byte.
    package mutating func add(_ byte: UInt8) {
        total &+= 1
        add(tailByte: byte)
    }

    /// Takes a string's UTF-8.
    package mutating func add(_ text: String) {
        var text = text
        text.withUTF8 { add(UnsafeRawBufferPointer($0)) }
    }

    /// Takes a number, little-endian.
    package mutating func add(_ number: UInt64) {
        total &+= 8
        if tailCount == 0 { compress(number) } else { across(number) }
    }

    @inline(__always)
    private mutating func add(tailByte byte: UInt8) {
        tail |= UInt64(byte) &<< (tailCount &* 8)
        tailCount &+= 1
        if tailCount == 8 {
            compress(tail)
            tail = 0
            tailCount = 0
        }
    }

    @inline(__always)
    private mutating func close() {
        compress(tail | total &<< 56)
        v2 ^= isWide ? 0xee : 0xff
        for _ in 0..<4 { round() }
    }

    /// The 64-bit result.
    package consuming func finish64() -> UInt64 {
        close()
        return v0 ^ v1 ^ v2 ^ v3
    }

    /// The 128-bit result as two little-endian halves.
    package consuming func finish128() -> (UInt64, UInt64) {
        close()
        let low = v0 ^ v1 ^ v2 ^ v3
        v1 ^= 0xdd
        for _ in 0..<4 { round() }
        return (low, v0 ^ v1 ^ v2 ^ v3)
    }

    /// The 128-bit result after these bytes, in one go; the hash itself stays as it is.
    package func finish128(adding bytes: UnsafeRawBufferPointer) -> (UInt64, UInt64) {
        var hash = self
        hash.take(bytes)
        hash.close()
        let low = hash.v0 ^ hash.v1 ^ hash.v2 ^ hash.v3
        hash.v1 ^= 0xdd
        for _ in 0..<4 { hash.round() }
        return (low, hash.v0 ^ hash.v1 ^ hash.v2 ^ hash.v3)
    }
}
