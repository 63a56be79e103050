// What a value looks like to a search index: the bytes its chunks of four are cut from, and the
// words of a text. Written apart from the writer's own code, so that one can hold the other.

enum IndexBytes {
    /// The index bytes of a value of a column, put into `out`; false for null.
    static func put(_ column: Column, _ i: Int, _ tables: [Int64], into out: inout [UInt8]) -> Bool
    {
        out.removeAll(keepingCapacity: true)
        if column.nulls[i] != 0 { return false }
        switch column.type {
        case .string, .data: out.append(contentsOf: column.bytes(i))
        case .int, .bool, .link, .table: append(column.words[i], &out)
        case .float: append(UInt32(truncatingIfNeeded: column.words[i]), &out)
        case .double: append(column.words[i], &out)
        case .date:
            append(column.words[i], &out)
            append(Int32(truncatingIfNeeded: column.extra[i]), &out)
        case .objectId:
            append(column.words[i].byteSwapped, &out)
            append(UInt32(truncatingIfNeeded: column.extra[i]).byteSwapped, &out)
        case .uuid:
            append(column.words[i].byteSwapped, &out)
            append(column.extra[i].byteSwapped, &out)
        case .decimal128:
            append(column.words[i], &out)
            append(column.extra[i], &out)
        case .mixed: return putMixed(column.bytes(i), tables, &out)
        }
        return true
    }

    private static func append<T: FixedWidthInteger>(_ value: T, _ out: inout [UInt8]) {
        withUnsafeBytes(of: value.littleEndian) { out.append(contentsOf: $0) }
    }

    private static func putMixed(
        _ bytes: UnsafeRawBufferPointer, _ tables: [Int64], _ out: inout [UInt8]
    ) -> Bool {
        var decoder = MixedDecoder(bytes)
        switch decoder.tag() {
        case .null, .table: return false
        case .bool: append(Int64(decoder.bool() ? 1 : 0), &out)
        case .int: append(decoder.int(), &out)
        case .float:
            let bits = decoder.float()
            if let whole = Int32(exactly: Float(bitPattern: bits)) {
                append(Int64(whole), &out)
            } else {
                append(bits, &out)
            }
        case .double:
            let bits = decoder.double()
            if let whole = Int32(exactly: Double(bitPattern: bits)) {
                append(Int64(whole), &out)
            } else {
                append(bits, &out)
            }
        case .decimal128:
            let value = decoder.decimal()
            if let whole = truncated(ValueOrder.Parts(value)) {
                append(whole, &out)
            } else {
                append(value.low, &out)
                append(value.high, &out)
            }
        case .string, .data: out.append(contentsOf: decoder.blob())
        case .date:
            let date = decoder.date()
            append(date.seconds, &out)
            append(date.nanoseconds, &out)
        case .objectId:
            let id = decoder.objectID()
            append(id.high.byteSwapped, &out)
            append(id.low.byteSwapped, &out)
        case .uuid:
            let id = decoder.uuid()
            append(id.high.byteSwapped, &out)
            append(id.low.byteSwapped, &out)
        case .link:
            let (index, key) = decoder.link()
            append(UInt32(truncatingIfNeeded: index < tables.count ? tables[index] : 0), &out)
            append(key, &out)
        case .list: out.append(contentsOf: "__List__".utf8)
        case .dictionary: out.append(contentsOf: "__Dictionary__".utf8)
        }
        return true
    }

    /// A decimal cut to a whole number, where an Int64 can hold it.
    private static func truncated(_ parts: ValueOrder.Parts) -> Int64? {
        guard parts.kind == .finite else { return nil }
        if parts.coefficient == 0 { return 0 }
        var value = parts.coefficient
        if parts.exponent < 0 {
            for _ in 0..<min(-parts.exponent, 40) { value /= 10 }
        } else {
            for _ in 0..<parts.exponent {
                value *= 10
                if value > 1 << 64 { return nil }
            }
        }
        let limit = UInt128(1) << 63
        if parts.isNegative {
            return value <= limit ? Int64(truncatingIfNeeded: 0 &- value) : nil
        }
        return value < limit ? Int64(value) : nil
    }

    /// The chunk of four bytes of a value at an offset: the letter X ends a value, null (nil) and
    /// what lies behind the end are zero.
    @inline(__always)
    static func chunk(_ value: UnsafeRawBufferPointer?, at offset: Int) -> Int32 {
        guard let value, offset <= value.count else { return 0 }
        if offset &+ 4 <= value.count {
            return Int32(
                bigEndian: value.loadUnaligned(fromByteOffset: offset, as: Int32.self))
        }
        var word: UInt32 = 0
        for at in offset..<offset &+ 4 {
            word = word << 8 | UInt32(at < value.count ? value[at] : at == value.count ? 0x58 : 0)
        }
        return Int32(bitPattern: word)
    }

    /// Calls `body` for each word of a text as a full-text index sees it; words may repeat.
    static func words(_ text: UnsafeRawBufferPointer, _ body: ([UInt8]) -> Void) {
        var word: [UInt8] = []
        var isWord = false
        func end() {
            if isWord, !word.isEmpty { body(word) }
            word = []
            isWord = false
        }
        for scalar in String(decoding: text, as: UTF8.self).unicodeScalars {
            let value = scalar.value
            var bytes: [UInt8] = []
            switch value {
            case 0x30...0x39, 0x61...0x7A: bytes = [UInt8(value)]
            case 0x41...0x5A: bytes = [UInt8(value + 0x20)]
            case 0xC0...0xDE, 0xE0...0xFE:
                // Capital and small letters stand 32 apart.
                let small = value < 0xDF ? value + 0x20 : value
                bytes = fold[small] ?? Array(String(Character(Unicode.Scalar(UInt8(small)))).utf8)
            case 0xDF: bytes = [0xC3, 0x9F]
            default:
                end()
                continue
            }
            isWord = true
            for byte in bytes where word.count < 64 { word.append(byte) }
        }
        end()
    }

    /// Small letters of Latin-1 without their accents; the multiplication signs add nothing.
    private static let fold: [UInt32: [UInt8]] = {
        var table: [UInt32: [UInt8]] = [0xF7: []]
        for (letter, range) in [
            ("a", 0xE0...0xE4), ("c", 0xE7...0xE7), ("e", 0xE8...0xEB), ("i", 0xEC...0xEF),
            ("n", 0xF1...0xF1), ("o", 0xF2...0xF6), ("u", 0xF9...0xFC), ("y", 0xFD...0xFD),
        ] {
            for value in range { table[UInt32(value)] = Array(letter.utf8) }
        }
        return table
    }()
}
