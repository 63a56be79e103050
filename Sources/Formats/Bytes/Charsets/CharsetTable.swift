// Unpacks the generated tables (see Scripts/make-charsets.py for the packing) when first used.

/// Code points by pointer, 0 where nothing is assigned.
final class CharsetTable: Sendable {
    let scalars: [UInt32]
    /// Code points in ascending order with their pointers, for encoding.
    let inverse: [(scalar: UInt32, pointer: UInt16)]

    static let empty = CharsetTable("", count: 128)
    static let jis0208 = CharsetTable(CharsetData.jis0208, count: 60 * 188)
    static let jis0212 = CharsetTable(CharsetData.jis0212, count: 94 * 94)
    static let gbk = CharsetTable(CharsetData.gbk, count: 126 * 190)
    static let big5 = CharsetTable(CharsetData.big5, count: 126 * 157)
    static let euckr = CharsetTable(CharsetData.euckr, count: 126 * 190)

    init(_ packed: StaticString, count: Int) {
        var table: [UInt32] = []
        table.reserveCapacity(count)
        var previous: Int64 = 0
        var reader = Base64Numbers(packed)
        while let n = reader.next(), table.count < count {
            if n == 0 {
                let gap = min(Int(reader.next() ?? 0), count - table.count)
                table.append(contentsOf: repeatElement(0, count: gap))
            } else {
                let z = Int64(n) - 1
                previous += 1 + (z & 1 == 0 ? z / 2 : -(z + 1) / 2)
                table.append(UInt32(truncatingIfNeeded: previous))
            }
        }
        if table.count < count {
            table.append(contentsOf: repeatElement(0, count: count - table.count))
        }
        scalars = table
        // Only the single-byte sets are encoded; the large tables need no way back.
        inverse =
            count > 256
            ? []
            : table.enumerated().filter { $0.element != 0 }
                .map { ($0.element, UInt16(truncatingIfNeeded: $0.offset)) }
                .sorted { $0.0 < $1.0 }
    }

    /// The pointer of a code point, nil when the charset lacks it.
    func pointer(of scalar: UInt32) -> Int? {
        var low = 0
        var high = inverse.count
        while low < high {
            let middle = (low + high) / 2
            if inverse[middle].scalar < scalar { low = middle + 1 } else { high = middle }
        }
        guard low < inverse.count, inverse[low].scalar == scalar else { return nil }
        return Int(inverse[low].pointer)
    }
}

/// Reads numbers of 7 bits a byte from base64 text.
private struct Base64Numbers {
    private let text: UnsafeBufferPointer<UInt8>
    private var at = 0
    private var bits: UInt32 = 0
    private var bitCount: UInt32 = 0

    init(_ text: StaticString) {
        self.text =
            text.hasPointerRepresentation
            ? UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
            : UnsafeBufferPointer(start: nil, count: 0)
    }

    mutating func next() -> UInt32? {
        var value: UInt32 = 0
        var shift: UInt32 = 0
        while let byte = nextByte() {
            value |= (byte & 127) << shift
            if byte < 128 { return value }
            shift += 7
        }
        return nil
    }

    private mutating func nextByte() -> UInt32? {
        while bitCount < 8 {
            guard at < text.count else { return nil }
            let c = text[at]
            at += 1
            let digit: UInt8 =
                switch c {
                case 0x41...0x5A: c - 0x41
                case 0x61...0x7A: c - 0x61 + 26
                case 0x30...0x39: c - 0x30 + 52
                case 0x2B: 62
                default: 63
                }
            bits = bits << 6 | UInt32(digit)
            bitCount += 6
        }
        bitCount -= 8
        return bits >> bitCount & 255
    }
}
