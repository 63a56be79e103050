// UTF-8 with repair, and UTF-16 of either byte order, with or without a mark.

extension Charset {
    static func decodeUTF8(_ bytes: UnsafeRawBufferPointer, _ out: RawVector<UInt8>) -> Int {
        guard let base = bytes.baseAddress else { return 0 }
        let end = bytes.count
        var cursor = UTF8Cursor(out, inputCount: end)
        var i = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        while i < end {
            let bad = UTF8Check.firstInvalid(bytes, from: i) ?? end
            cursor.copy(base + i, bad - i)
            i = bad
            guard i < end else { break }
            // One replacement for the longest beginning of a sequence that could have gone on.
            let length = truncatedLength(bytes, i)
            cursor.put(mapped: 0, bytes: length)
            i += length
        }
        return cursor.finish()
    }

    /// How many bytes of an ill-formed sequence one replacement character stands for.
    private static func truncatedLength(_ bytes: UnsafeRawBufferPointer, _ i: Int) -> Int {
        let lead = bytes[i]
        guard lead >= 0xC2, lead <= 0xF4, i + 1 < bytes.count else { return 1 }
        let second = bytes[i + 1]
        let low: UInt8 = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80
        let top: UInt8 = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF
        guard second >= low, second <= top, lead >= 0xE0 else { return 1 }
        guard lead >= 0xF0, i + 2 < bytes.count, bytes[i + 2] & 0xC0 == 0x80 else { return 2 }
        return 3
    }

    static func decodeUTF16(
        _ bytes: UnsafeRawBufferPointer, bigEndian: Bool, _ out: RawVector<UInt8>
    ) -> Int {
        guard let base = bytes.baseAddress else { return 0 }
        var big = bigEndian
        var i = 0
        let end = bytes.count
        if end >= 2 {
            if bytes[0] == 0xFF, bytes[1] == 0xFE { (big, i) = (false, 2) }
            if bytes[0] == 0xFE, bytes[1] == 0xFF { (big, i) = (true, 2) }
        }
        var cursor = UTF8Cursor(out, inputCount: end)
        func unit(_ i: Int) -> UInt32 {
            let raw = base.loadUnaligned(fromByteOffset: i, as: UInt16.self)
            return UInt32(big ? raw.bigEndian : raw.littleEndian)
        }
        while i + 1 < end {
            let c = unit(i)
            i += 2
            if c & 0xF800 != 0xD800 {
                cursor.put(scalar: c)
            } else if c < 0xDC00, i + 1 < end, case let low = unit(i), low & 0xFC00 == 0xDC00 {
                i += 2
                cursor.put(scalar: 0x10000 + (c - 0xD800) << 10 + low - 0xDC00)
            } else {
                cursor.put(mapped: 0, bytes: 2)
            }
        }
        if i < end { cursor.put(mapped: 0, bytes: 1) }
        return cursor.finish()
    }

    static func encodeUTF16(
        _ text: UnsafeRawBufferPointer, bigEndian: Bool, _ out: RawVector<UInt8>
    ) {
        for unit in String(decoding: text, as: UTF8.self).utf16 {
            let (high, low) = (UInt8(unit >> 8), UInt8(unit & 255))
            out.append(bigEndian ? high : low)
            out.append(bigEndian ? low : high)
        }
    }
}
