// The value of a JSON string whose escapes were checked by the scanner.

extension JSONText {
    /// Appends the decoded content of a string.
    /// - Returns: how many lone surrogates became U+FFFD.
    package static func decode(
        _ bytes: UnsafeRawBufferPointer, into out: RawVector<UInt8>
    ) -> Int {
        guard let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return 0 }
        let count = bytes.count
        var replaced = 0
        var i = 0
        out.reserve(adding: count)
        while let span = firstIndex(of: 0x5C, in: start + i, count: count &- i) {
            out.append(start + i, count: span)
            i &+= span
            // The scanner saw the whole escape; the guard is for callers with other bytes.
            guard i &+ 1 < count else { return replaced }
            let c = start[i &+ 1]
            i &+= 2
            switch c {
            case 0x62: out.append(0x08)
            case 0x66: out.append(0x0C)
            case 0x6E: out.append(0x0A)
            case 0x72: out.append(0x0D)
            case 0x74: out.append(0x09)
            case 0x75:
                guard let unit = codeUnit(start, i, count) else { return replaced }
                i &+= 4
                var scalar = UInt32(unit)
                if unit & 0xFC00 == 0xD800, i &+ 5 < count, start[i] == 0x5C,
                    start[i &+ 1] == 0x75, let low = codeUnit(start, i &+ 2, count),
                    low & 0xFC00 == 0xDC00
                {
                    scalar = 0x10000 + (UInt32(unit & 0x3FF) << 10) + UInt32(low & 0x3FF)
                    i &+= 6
                } else if unit & 0xF800 == 0xD800 {
                    scalar = 0xFFFD
                    replaced += 1
                }
                append(scalar, to: out)
            default: out.append(c)
            }
        }
        out.append(start + i, count: count &- i)
        return replaced
    }

    /// How many lone surrogates the strings of a JSON text hold, which decoding replaces.
    static func loneSurrogates(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return 0 }
        let count = bytes.count
        var found = 0
        var i = 0
        while let span = firstIndex(of: 0x5C, in: start + i, count: count &- i) {
            i &+= span &+ 2
            if i >= count { break }
            guard start[i &- 1] == 0x75, let unit = codeUnit(start, i, count),
                unit & 0xF800 == 0xD800
            else { continue }
            i &+= 4
            if unit & 0xFC00 == 0xD800, i &+ 5 < count, start[i] == 0x5C, start[i &+ 1] == 0x75,
                let low = codeUnit(start, i &+ 2, count), low & 0xFC00 == 0xDC00
            {
                i &+= 6
            } else {
                found += 1
            }
        }
        return found
    }

    private static func codeUnit(_ p: UnsafePointer<UInt8>, _ at: Int, _ count: Int) -> UInt16? {
        guard at &+ 4 <= count else { return nil }
        var unit: UInt16 = 0
        for j in at..<at &+ 4 {
            guard let v = ScalarText.hexValue(p[j]) else { return nil }
            unit = unit << 4 | UInt16(v)
        }
        return unit
    }

    /// Appends a Unicode scalar as UTF-8.
    static func append(_ scalar: UInt32, to out: RawVector<UInt8>) {
        func tail(_ shift: UInt32) -> UInt8 {
            0x80 | UInt8(truncatingIfNeeded: scalar >> shift) & 0x3F
        }
        switch scalar {
        case 0..<0x80: out.append(UInt8(truncatingIfNeeded: scalar))
        case 0x80..<0x800:
            out.append(0xC0 | UInt8(truncatingIfNeeded: scalar >> 6))
            out.append(tail(0))
        case 0x800..<0x10000:
            out.append(0xE0 | UInt8(truncatingIfNeeded: scalar >> 12))
            out.append(tail(6))
            out.append(tail(0))
        default:
            out.append(0xF0 | UInt8(truncatingIfNeeded: scalar >> 18))
            out.append(tail(12))
            out.append(tail(6))
            out.append(tail(0))
        }
    }
}
