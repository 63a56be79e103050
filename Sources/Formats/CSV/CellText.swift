// The spellings of values in cells, beyond the one form we write: what spreadsheets, other
// databases and people write too, where it can mean only one thing.

enum CellText {
    /// The text without spaces and tabs at both ends.
    static func trim(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        var low = 0
        var high = bytes.count
        while low < high, bytes[low] == 32 || bytes[low] == 9 { low += 1 }
        while high > low, bytes[high - 1] == 32 || bytes[high - 1] == 9 { high -= 1 }
        return UnsafeRawBufferPointer(rebasing: bytes[low..<high])
    }

    /// Digits with an optional sign.
    @inline(__always)
    static func int(_ bytes: UnsafeRawBufferPointer) -> Int64? {
        guard bytes.count <= 18 else { return ScalarText.int(bytes) }
        var value: Int64 = 0
        var i = 0
        let isNegative = bytes[0] == 0x2D
        if isNegative || bytes[0] == 0x2B {
            i = 1
            if bytes.count == 1 { return nil }
        }
        while i < bytes.count {
            let digit = bytes[i] &- 48
            if digit > 9 { return nil }
            value = value &* 10 &+ Int64(digit)
            i &+= 1
        }
        return isNegative ? 0 &- value : value
    }

    /// `true`/`false`, `yes`/`no` in any case, `1`/`0`.
    @inline(__always)
    static func bool(_ bytes: UnsafeRawBufferPointer) -> Int64? {
        switch bytes.count {
        case 1: return bytes[0] == 0x31 ? 1 : bytes[0] == 0x30 ? 0 : nil
        case 2: return bytes[0] | 32 == 0x6E && bytes[1] | 32 == 0x6F ? 0 : nil
        case 3:
            return bytes[0] | 32 == 0x79 && bytes[1] | 32 == 0x65 && bytes[2] | 32 == 0x73
                ? 1 : nil
        case 4:
            let word = bytes.loadUnaligned(as: UInt32.self).littleEndian | 0x2020_2020
            return word == 0x6575_7274 ? 1 : nil
        case 5:
            let word = bytes.loadUnaligned(as: UInt32.self).littleEndian | 0x2020_2020
            return word == 0x736C_6166 && bytes[4] | 32 == 0x65 ? 0 : nil
        default: return nil
        }
    }

    /// A decimal number, `NaN`, `Infinity` or `inf` with an optional sign.
    static func double(_ bytes: UnsafeRawBufferPointer) -> Double? {
        ScalarText.double(bytes) ?? special(bytes)
    }

    /// The same as a float.
    static func float(_ bytes: UnsafeRawBufferPointer) -> Float? {
        ScalarText.float(bytes) ?? special(bytes).map { Float($0) }
    }

    private static func special(_ bytes: UnsafeRawBufferPointer) -> Double? {
        guard bytes.count >= 3, bytes.count <= 9 else { return nil }
        switch String(decoding: bytes, as: UTF8.self).lowercased() {
        case "nan": return .nan
        case "inf", "+inf", "infinity", "+infinity": return .infinity
        case "-inf", "-infinity": return -.infinity
        default: return nil
        }
    }

    /// 24 hex digits, eight at a time.
    @inline(__always)
    static func objectID(_ bytes: UnsafeRawBufferPointer) -> (Int64, Int64)? {
        guard bytes.count == 24, let a = hex8(bytes, 0), let b = hex8(bytes, 8),
            let c = hex8(bytes, 16)
        else { return nil }
        return (Int64(bitPattern: a << 32 | b), Int64(bitPattern: c))
    }

    /// The value of eight hex digits.
    @inline(__always)
    private static func hex8(_ bytes: UnsafeRawBufferPointer, _ at: Int) -> UInt64? {
        let x = bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self).bigEndian
        let ones: UInt64 = 0x0101_0101_0101_0101
        let high: UInt64 = 0x8080_8080_8080_8080
        let letters = x | ones &* 0x20
        // Bit 7 of a byte is set where it reaches the bound; all bytes are below 128.
        let digit = (x &+ ones &* 0x50) & ~(x &+ ones &* 0x46)
        let letter = (letters &+ ones &* 0x1F) & ~(letters &+ ones &* 0x19)
        if x & high != 0 || (digit | letter) & high != high { return nil }
        var n = (x & (ones &* 15)) &+ ((x &>> 6) & ones) &* 9
        n = (n | n &>> 4) & 0x00FF_00FF_00FF_00FF
        n = (n | n &>> 8) & 0x0000_FFFF_0000_FFFF
        return (n | n &>> 16) & 0xFFFF_FFFF
    }

    /// Dates that are not quite the one form: `2016-04-14`, `2016-04-14 08:32:57`,
    /// `2016-04-14 08:32:57 +0000`, and the object of seconds and nanoseconds that stands for
    /// years a date text cannot say.
    static func looseDate(_ bytes: UnsafeRawBufferPointer) -> (Timestamp, isZoneless: Bool)? {
        guard bytes.count >= 10, bytes.count <= 80 else { return nil }
        if bytes[0] == 0x7B { return secondsObject(bytes).map { ($0, false) } }
        var text: [UInt8] = []
        for (i, byte) in bytes.enumerated() {
            if byte == 32, i > 10 { continue }
            text.append(byte)
        }
        func date(_ text: [UInt8]) -> Timestamp? { text.withUnsafeBytes { ScalarText.date($0) } }
        if text.count < bytes.count, let date = date(text) { return (date, false) }
        let suffix: String = text.count == 10 ? "T00:00:00Z" : "Z"
        return date(text + suffix.utf8).map { ($0, true) }
    }

    /// `{"seconds":N,"nanoseconds":N}`.
    private static func secondsObject(_ bytes: UnsafeRawBufferPointer) -> Timestamp? {
        var numbers: [Int64] = []
        var digits: [UInt8] = []
        for byte in bytes {
            switch byte {
            case 0x30...0x39, 0x2D: digits.append(byte)
            default:
                if !digits.isEmpty {
                    guard let n = digits.withUnsafeBytes({ ScalarText.int($0) }) else {
                        return nil
                    }
                    numbers.append(n)
                    digits = []
                }
            }
        }
        guard numbers.count == 2, abs(numbers[1]) < 1_000_000_000,
            String(decoding: bytes, as: UTF8.self).contains("\"seconds\"")
        else { return nil }
        return Timestamp(seconds: numbers[0], nanoseconds: Int32(numbers[1]))
    }
}

/// Cells that a spreadsheet would run as formulas, and the `'` that keeps it from that.
///
/// The writer puts one `'` before such a cell when asked to, and always before a cell that begins
/// with `'` and would look guarded; the reader takes one off. So both ways nothing is lost.
enum FormulaGuard {
    @inline(__always)
    static func isSign(_ byte: UInt8) -> Bool {
        byte == 0x3D || byte == 0x2B || byte == 0x2D || byte == 0x40 || byte == 9 || byte == 13
    }

    /// Says of the cells of an output that a spreadsheet would run.
    static func note(_ count: Int, isGuarded: Bool, _ report: Report) {
        if count == 0 { return }
        report.note(
            isGuarded ? .changed : .guessed, "formula-cell", count: count,
            action: isGuarded
                ? "a ' stands before them; reading takes it off again"
                : "a spreadsheet may run such cells; --spreadsheet-safe guards them")
    }

    /// One or more `'`, then a formula sign.
    static func isGuarded(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> Bool {
        var i = 0
        while i < count, bytes[i] == 0x27 { i += 1 }
        return i > 0 && i < count && isSign(bytes[i])
    }

    /// A formula sign first, in what is neither a telephone number nor a plain number.
    static func needsGuard(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> Bool {
        guard count > 0, isSign(bytes[0]) else { return false }
        var run = 0
        var longest = 0
        for i in 1..<count {
            let byte = bytes[i]
            if byte &- 0x30 < 10 {
                run += 1
                longest = max(longest, run)
            } else if byte == 32 || byte == 0x2D || byte == 0x28 || byte == 0x29 || byte == 0x2E {
                // Groups of digits count together: +46 804 132 704.
            } else {
                return true
            }
        }
        return !(bytes[0] == 0x2B || bytes[0] == 0x2D) || longest < 5
    }
}
