// Text encodings to UTF-8 and, for the simple ones, back. Names and meanings follow the WHATWG
// Encoding Standard (latin1 is windows-1252, shift_jis is Windows-31J, gb2312 is GBK). The
// decoders stand in the neighbouring files, one family each; the tables are generated.

/// A text encoding.
package struct Charset: Sendable {
    enum Kind: Sendable {
        case utf8
        case utf16(bigEndian: Bool)
        case single(CharsetTable)
        case shiftJIS, eucJP, iso2022JP, gb18030, big5, eucKR
    }

    /// The usual name, lower case.
    package let name: String
    let kind: Kind

    init(_ name: String, _ kind: Kind) {
        self.name = name
        self.kind = kind
    }

    /// UTF-8.
    package static let utf8 = Charset("utf-8", .utf8)
    /// UTF-16, low byte first.
    package static let utf16LE = Charset("utf-16le", .utf16(bigEndian: false))
    /// UTF-16, high byte first.
    package static let utf16BE = Charset("utf-16be", .utf16(bigEndian: true))
    /// Windows-1252, which is what "latin1" means in practice.
    package static let windows1252 =
        singleByte("windows-1252") ?? Charset("windows-1252", .single(CharsetTable.empty))

    /// True for UTF-8, which needs no decoding.
    package var isUTF8: Bool {
        if case .utf8 = kind { return true }
        return false
    }

    /// Appends the text as UTF-8.
    ///
    /// A mark at the start (BOM) is dropped; in UTF-16 it decides the byte order.
    /// - Returns: the number of bytes that stood for nothing and became U+FFFD.
    @discardableResult
    package func decode(_ bytes: UnsafeRawBufferPointer, into out: RawVector<UInt8>) -> Int {
        guard !bytes.isEmpty else { return 0 }
        switch kind {
        case .utf8: return Charset.decodeUTF8(bytes, out)
        case .utf16(let big): return Charset.decodeUTF16(bytes, bigEndian: big, out)
        case .single(let table): return Charset.decodeSingle(bytes, table, out)
        case .shiftJIS: return Charset.decodeShiftJIS(bytes, out)
        case .eucJP: return Charset.decodeEUCJP(bytes, out)
        case .iso2022JP: return Charset.decodeISO2022JP(bytes, out)
        case .gb18030: return Charset.decodeGB18030(bytes, out)
        case .big5: return Charset.decodeBig5(bytes, out)
        case .eucKR: return Charset.decodeEUCKR(bytes, out)
        }
    }

    /// The text as a string; for names and messages.
    package func string(_ bytes: UnsafeRawBufferPointer) -> String {
        let out = RawVector<UInt8>(capacity: bytes.count + 16)
        defer { out.destroy() }
        decode(bytes, into: out)
        return String(decoding: out.elements, as: UTF8.self)
    }

    /// Whether `encode` works.
    package var canEncode: Bool {
        switch kind {
        case .utf8, .utf16, .single: true
        default: false
        }
    }

    /// Appends UTF-8 text in this encoding, without a mark.
    /// - Returns: the number of characters that have no place in it and became `?`; nil when
    ///   writing this encoding is not supported.
    package func encode(_ text: UnsafeRawBufferPointer, into out: RawVector<UInt8>) -> Int? {
        switch kind {
        case .utf8:
            out.append(bytes: text)
            return 0
        case .utf16(let big):
            Charset.encodeUTF16(text, bigEndian: big, out)
            return 0
        case .single(let table): return Charset.encodeSingle(text, table, out)
        default: return nil
        }
    }
}

/// Writes scalars as UTF-8 into room that was made beforehand.
struct UTF8Cursor {
    private let start: UnsafeMutablePointer<UInt8>
    private var at: UnsafeMutablePointer<UInt8>
    private let out: RawVector<UInt8>
    /// Bytes of input that stood for nothing.
    var replaced = 0

    /// Three bytes out for each byte in is the most that any of the encodings needs.
    init(_ out: RawVector<UInt8>, inputCount: Int) {
        out.reserve(adding: inputCount * 3 + 16)
        self.out = out
        start = out.base + out.count
        at = start
    }

    /// Makes the written bytes part of the vector.
    func finish() -> Int {
        _ = out.extend(at - start)
        return replaced
    }

    @inline(__always)
    mutating func put(_ byte: UInt8) {
        at.pointee = byte
        at += 1
    }

    @inline(__always)
    mutating func copy(_ from: UnsafeRawPointer, _ count: Int) {
        UnsafeMutableRawPointer(at).copyMemory(from: from, byteCount: count)
        at += count
    }

    @inline(__always)
    mutating func put(scalar c: UInt32) {
        if c < 0x80 {
            put(UInt8(truncatingIfNeeded: c))
        } else if c < 0x800 {
            put(UInt8(truncatingIfNeeded: 0xC0 | c >> 6))
            put(UInt8(truncatingIfNeeded: 0x80 | c & 0x3F))
        } else if c < 0x10000 {
            put(UInt8(truncatingIfNeeded: 0xE0 | c >> 12))
            put(UInt8(truncatingIfNeeded: 0x80 | c >> 6 & 0x3F))
            put(UInt8(truncatingIfNeeded: 0x80 | c & 0x3F))
        } else {
            put(UInt8(truncatingIfNeeded: 0xF0 | c >> 18))
            put(UInt8(truncatingIfNeeded: 0x80 | c >> 12 & 0x3F))
            put(UInt8(truncatingIfNeeded: 0x80 | c >> 6 & 0x3F))
            put(UInt8(truncatingIfNeeded: 0x80 | c & 0x3F))
        }
    }

    /// Writes a table's code point, or a replacement for `bytes` bytes of input when it is 0.
    @inline(__always)
    mutating func put(mapped c: UInt32, bytes: Int) {
        if c == 0 {
            replaced += bytes
            put(scalar: 0xFFFD)
        } else {
            put(scalar: c)
        }
    }
}
