// The hash under which formats 21 and 22 keep the entries of dictionaries: CityHash64 in its first
// version, of which the engine drops the sign bit. One multiplication is done in 32 bits, as there.

enum DictionaryHash {
    private static let k0: UInt64 = 0xC3A5_C85C_97CB_3127
    private static let k1: UInt64 = 0xB492_B66F_BE98_F273
    private static let k2: UInt64 = 0x9AE1_6A3B_2F90_404F
    private static let k3: UInt64 = 0xC949_D7C7_509E_6557

    /// The object key of an entry.
    static func objectKey(_ bytes: UnsafeRawBufferPointer) -> Int64 {
        Int64(bitPattern: hash(bytes) & 0x7FFF_FFFF_FFFF_FFFF)
    }

    static func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        switch bytes.count {
        case 0: k2
        case 1...3: tiny(bytes)
        case 4...8: small(bytes)
        case 9...16: medium(bytes)
        case 17...32: upTo32(bytes)
        case 33...64: upTo64(bytes)
        default: long(bytes)
        }
    }

    private static func word(_ bytes: UnsafeRawBufferPointer, _ at: Int) -> UInt64 {
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self))
    }

    private static func half(_ bytes: UnsafeRawBufferPointer, _ at: Int) -> UInt32 {
        UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: at, as: UInt32.self))
    }

    private static func rotate(_ value: UInt64, _ by: UInt64) -> UInt64 {
        value &>> by | value &<< (64 &- by)
    }

    private static func fold(_ value: UInt64) -> UInt64 { value ^ value >> 47 }

    private static func joined(_ u: UInt64, _ v: UInt64) -> UInt64 {
        let factor: UInt64 = 0x9DDF_EA08_EB38_2D69
        let first = fold((u ^ v) &* factor)
        return fold((v ^ first) &* factor) &* factor
    }

    private static func tiny(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        let n = bytes.count
        let y = UInt64(bytes[0]) + UInt64(bytes[n >> 1]) << 8
        let z = UInt64(n) + UInt64(bytes[n - 1]) << 2
        return fold(y &* k2 ^ z &* k3) &* k2
    }

    private static func small(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        let n = bytes.count
        return joined(UInt64(n) + UInt64(half(bytes, 0) << 3), UInt64(half(bytes, n - 4)))
    }

    private static func medium(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        let n = bytes.count
        let last = word(bytes, n - 8)
        return joined(word(bytes, 0), rotate(last &+ UInt64(n), UInt64(n))) ^ last
    }

    private static func upTo32(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        let n = bytes.count
        let a = word(bytes, 0) &* k1
        let b = word(bytes, 8)
        let c = word(bytes, n - 8) &* k2
        let d = word(bytes, n - 16) &* k0
        return joined(
            rotate(a &- b, 43) &+ rotate(c, 30) &+ d, a &+ rotate(b ^ k3, 20) &- c &+ UInt64(n))
    }

    private static func upTo64(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        let n = bytes.count
        // Both halves are mixed alike, each from four words and a fifth.
        func half(_ first: UInt64, _ at: Int, _ z: UInt64) -> (UInt64, UInt64) {
            var a = first
            var c = rotate(a, 37)
            let b = rotate(a &+ z, 52)
            a = a &+ word(bytes, at + 8)
            c = c &+ rotate(a, 7)
            a = a &+ word(bytes, at + 16)
            return (a &+ z, b &+ rotate(a, 31) &+ c)
        }
        let z = word(bytes, 24)
        let v = half(word(bytes, 0) &+ (UInt64(n) &+ word(bytes, n - 16)) &* k0, 0, z)
        let w = half(
            word(bytes, 16) &+ word(bytes, n - 32), n - 32, z &+ word(bytes, n - 8))
        let r = fold((v.0 &+ w.1) &* k2 &+ (w.0 &+ v.1) &* k0)
        return fold(r &* k0 &+ v.1) &* k2
    }

    private static func block(
        _ bytes: UnsafeRawBufferPointer, _ at: Int, _ first: UInt64, _ second: UInt64
    ) -> (UInt64, UInt64) {
        let start = first &+ word(bytes, at)
        let last = word(bytes, at + 24)
        let sum = start &+ word(bytes, at + 8) &+ word(bytes, at + 16)
        let turned = rotate(second &+ start &+ last, 21)
        return (sum &+ last, turned &+ rotate(sum, 44) &+ start)
    }

    private static func long(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        let n = bytes.count
        var x = word(bytes, n - 40)
        var y = word(bytes, n - 16) &+ word(bytes, n - 56)
        var z = joined(word(bytes, n - 48) &+ UInt64(n), word(bytes, n - 24))
        var v = block(bytes, n - 64, UInt64(n), z)
        var w = block(bytes, n - 32, y &+ k1, x)
        x = x &* k1 &+ word(bytes, 0)
        for at in stride(from: 0, to: (n - 1) & ~63, by: 64) {
            x = rotate(x &+ y &+ v.0 &+ word(bytes, at + 8), 37) &* k1
            y = rotate(y &+ v.1 &+ word(bytes, at + 48), 42) &* k1
            x ^= w.1
            y = y &+ v.0 &+ word(bytes, at + 40)
            z = rotate(z &+ w.0, 33) &* k1
            v = block(bytes, at, v.1 &* k1, x &+ w.0)
            w = block(bytes, at + 32, z &+ w.1, y &+ word(bytes, at + 16))
            (x, z) = (z, x)
        }
        return joined(
            joined(v.0, w.0) &+ fold(y) &* k1 &+ z, joined(v.1, w.1) &+ x)
    }
}
