// Names of properties and parameters as numbers, so that they are compared and looked up without
// making strings. Letter case is ignored.

/// Turns names into numbers: names of up to eight bytes have numbers of their own, which no longer
/// name shares; longer ones share theirs rarely, so a match of a long name is to be confirmed with
/// `equals`.
public enum NameKey {
    /// Names up to this length are their own number.
    @inlinable public static var packedLimit: Int {
        @inline(__always) get { 8 }
    }

    /// Takes one more byte of a name of up to eight bytes.
    @inlinable @inline(__always)
    public static func add(_ byte: UInt8, to key: UInt64) -> UInt64 {
        (key &<< 8) | UInt64(byte & 0xDF)
    }

    /// The number of a name.
    @inlinable
    public static func of(_ name: UnsafeRawBufferPointer) -> UInt64 {
        if name.count > packedLimit { return long(name) }
        var key: UInt64 = 0
        for byte in name { key = add(byte, to: key) }
        return key
    }

    /// The number of a name of more than eight bytes. The bit that is set in it is in no byte of a
    /// packed name.
    @inlinable
    public static func long(_ name: UnsafeRawBufferPointer) -> UInt64 {
        var key: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in name { key = (key ^ UInt64(byte & 0xDF)) &* 0x0000_0100_0000_01B3 }
        return key | 0x20
    }

    /// The number of a name.
    public static func of(_ name: String) -> UInt64 {
        var name = name
        return name.withUTF8 { of(UnsafeRawBufferPointer($0)) }
    }

    /// True for QUOTED-PRINTABLE in any case, of which old cards have hundreds.
    static func isQuotedPrintable(_ word: UnsafeRawBufferPointer) -> Bool {
        guard word.count == 16 else { return false }
        // "quoted-p" and "rintable", the first byte lowest.
        let first = UInt64(littleEndian: word.loadUnaligned(as: UInt64.self))
        let second = UInt64(
            littleEndian: word.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        return ShortText.lowercased(first) == 0x702D_6465_746F_7571
            && ShortText.lowercased(second) == 0x656C_6261_746E_6972
    }

    /// True when two ASCII texts are equal but for letter case.
    public static func equals(_ a: UnsafeRawBufferPointer, _ b: String) -> Bool {
        var b = b
        return b.withUTF8 { b in
            let count = a.count
            guard count == b.count, count > 0, let p = a.baseAddress, let q = b.baseAddress else {
                return count == b.count
            }
            if count <= 8 {
                return ShortText(a).lowercased == ShortText(UnsafeRawBufferPointer(b)).lowercased
            }
            var i = 0
            while true {
                let x = p.loadUnaligned(fromByteOffset: i, as: UInt64.self)
                let y = UnsafeRawPointer(q).loadUnaligned(fromByteOffset: i, as: UInt64.self)
                if ShortText.lowercased(x) != ShortText.lowercased(y) { return false }
                if i == count &- 8 { return true }
                // The last eight bytes overlap those before them.
                i = min(i &+ 8, count &- 8)
            }
        }
    }

    /// True when a text begins with an ASCII word, but for letter case.
    public static func starts(_ a: UnsafeRawBufferPointer, with b: String) -> Bool {
        guard a.count >= b.utf8.count else { return false }
        return equals(UnsafeRawBufferPointer(rebasing: a[..<b.utf8.count]), b)
    }

    /// The lower case of an ASCII letter, other bytes as they are.
    @inlinable @inline(__always)
    public static func fold(_ byte: UInt8) -> UInt8 {
        byte &- 0x41 < 26 ? byte | 0x20 : byte
    }

    // Names the line grammar itself must know, spelled as numbers (a test holds them).
    package static let begin: UInt64 = 0x42_45_47_49_4E
    package static let end: UInt64 = 0x45_4E_44
    package static let vcard: UInt64 = 0x56_43_41_52_44
    package static let agent: UInt64 = 0x41_47_45_4E_54
    package static let encoding: UInt64 = 0x45_4E_43_4F_44_49_4E_47
    package static let tzid: UInt64 = 0x54_5A_49_44
    package static let charset: UInt64 = 0x43_48_41_52_53_45_54
    package static let base64: UInt64 = 0x42_41_53_45_16_14
    package static let b: UInt64 = 0x42
    package static let type: UInt64 = 0x54_59_50_45
    package static let value: UInt64 = 0x56_41_4C_55_45
    package static let pref: UInt64 = 0x50_52_45_46
    package static let bit7: UInt64 = 0x17_42_49_54
    package static let bit8: UInt64 = 0x18_42_49_54
    package static let inline: UInt64 = 0x49_4E_4C_49_4E_45
    package static let url: UInt64 = 0x55_52_4C
    package static let cid: UInt64 = 0x43_49_44
    package static let language: UInt64 = 0x4C_41_4E_47_55_41_47_45
    package static let quotedPrintable: UInt64 = NameKey.of("QUOTED-PRINTABLE")
}
