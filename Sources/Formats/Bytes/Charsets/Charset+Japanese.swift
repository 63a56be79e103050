// Shift_JIS as Windows writes it (CP932), EUC-JP and ISO-2022-JP. All three share one plane: JIS X
// 0208 with the NEC and IBM extensions, by pointer = row * 94 + cell.

extension Charset {
    static func decodeShiftJIS(_ bytes: UnsafeRawBufferPointer, _ out: RawVector<UInt8>) -> Int {
        var cursor = UTF8Cursor(out, inputCount: bytes.count)
        let end = bytes.count
        CharsetTable.jis0208.scalars.withUnsafeBufferPointer { table in
            var i = 0
            while i < end {
                let lead = bytes[i]
                i += 1
                switch lead {
                case 0...0x80: cursor.put(scalar: UInt32(lead))
                case 0xA1...0xDF: cursor.put(scalar: 0xFF61 + UInt32(lead) - 0xA1)
                case 0x81...0x9F, 0xE0...0xFC:
                    let trail = i < end ? bytes[i] : 0
                    var c: UInt32 = 0
                    if trail >= 0x40, trail <= 0xFC, trail != 0x7F {
                        let row = Int(lead) - (lead < 0xA0 ? 0x81 : 0xC1)
                        let pointer = row * 188 + Int(trail) - (trail < 0x7F ? 0x40 : 0x41)
                        if pointer < table.count { c = table[pointer] }
                    }
                    i += finish(&cursor, c, trail, i < end)
                default: cursor.put(mapped: 0, bytes: 1)
                }
            }
        }
        return cursor.finish()
    }

    static func decodeEUCJP(_ bytes: UnsafeRawBufferPointer, _ out: RawVector<UInt8>) -> Int {
        var cursor = UTF8Cursor(out, inputCount: bytes.count)
        let end = bytes.count
        var i = 0
        while i < end {
            let lead = bytes[i]
            i += 1
            switch lead {
            case 0..<0x80: cursor.put(scalar: UInt32(lead))
            case 0x8E:
                let trail = i < end ? bytes[i] : 0
                let c = trail >= 0xA1 && trail <= 0xDF ? 0xFF61 + UInt32(trail) - 0xA1 : 0
                i += finish(&cursor, c, trail, i < end)
            case 0x8F:
                guard i + 1 < end, bytes[i] >= 0xA1, bytes[i] <= 0xFE, bytes[i + 1] >= 0xA1,
                    bytes[i + 1] <= 0xFE
                else {
                    cursor.put(mapped: 0, bytes: 1)
                    continue
                }
                let pointer = Int(bytes[i] - 0xA1) * 94 + Int(bytes[i + 1] - 0xA1)
                cursor.put(mapped: CharsetTable.jis0212.scalars[pointer], bytes: 3)
                i += 2
            case 0xA1...0xFE:
                let trail = i < end ? bytes[i] : 0
                var c: UInt32 = 0
                if trail >= 0xA1, trail <= 0xFE {
                    c = CharsetTable.jis0208.scalars[Int(lead - 0xA1) * 94 + Int(trail - 0xA1)]
                }
                i += finish(&cursor, c, trail, i < end)
            default: cursor.put(mapped: 0, bytes: 1)
            }
        }
        return cursor.finish()
    }

    static func decodeISO2022JP(_ bytes: UnsafeRawBufferPointer, _ out: RawVector<UInt8>) -> Int {
        enum Mode { case ascii, roman, katakana, jis0208, jis0212 }
        var cursor = UTF8Cursor(out, inputCount: bytes.count)
        var mode = Mode.ascii
        let end = bytes.count
        var i = 0
        func follows(_ text: StaticString) -> Bool {
            let n = text.utf8CodeUnitCount
            guard i + n <= end else { return false }
            for k in 0..<n where bytes[i + k] != text.utf8Start[k] { return false }
            return true
        }
        while i < end {
            let byte = bytes[i]
            i += 1
            if byte == 0x1B {
                switch true {
                case follows("(B"): (mode, i) = (.ascii, i + 2)
                case follows("(J"): (mode, i) = (.roman, i + 2)
                case follows("(I"): (mode, i) = (.katakana, i + 2)
                case follows("$@"), follows("$B"): (mode, i) = (.jis0208, i + 2)
                case follows("$(D"): (mode, i) = (.jis0212, i + 3)
                default: cursor.put(mapped: 0, bytes: 1)
                }
                continue
            }
            switch mode {
            case _ where byte == 0x0A || byte == 0x0D:
                // A line ends the shift, whatever the writer forgot.
                mode = .ascii
                cursor.put(byte)
            case .ascii where byte < 0x80: cursor.put(byte)
            case .roman where byte < 0x80:
                cursor.put(scalar: byte == 0x5C ? 0xA5 : byte == 0x7E ? 0x203E : UInt32(byte))
            case .katakana where byte >= 0x21 && byte <= 0x5F:
                cursor.put(scalar: 0xFF61 + UInt32(byte) - 0x21)
            case .jis0208 where byte >= 0x21 && byte <= 0x7E,
                .jis0212 where byte >= 0x21 && byte <= 0x7E:
                guard i < end, bytes[i] >= 0x21, bytes[i] <= 0x7E else {
                    cursor.put(mapped: 0, bytes: 1)
                    continue
                }
                let pointer = Int(byte - 0x21) * 94 + Int(bytes[i] - 0x21)
                let table = mode == .jis0208 ? CharsetTable.jis0208 : CharsetTable.jis0212
                cursor.put(mapped: table.scalars[pointer], bytes: 2)
                i += 1
            default: cursor.put(mapped: 0, bytes: 1)
            }
        }
        return cursor.finish()
    }

    /// Writes the character of a lead and trail byte.
    ///
    /// An ASCII trail of a bad pair stands for itself, so that a broken character never swallows a
    /// delimiter.
    /// - Returns: how many trail bytes were used.
    @inline(__always)
    static func finish(_ cursor: inout UTF8Cursor, _ c: UInt32, _ trail: UInt8, _ hasTrail: Bool)
        -> Int
    {
        if c != 0 {
            cursor.put(scalar: c)
            return 1
        }
        let used = hasTrail && trail >= 0x80 ? 1 : 0
        cursor.put(mapped: 0, bytes: 1 + used)
        return used
    }
}
