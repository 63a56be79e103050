// A row's values as one run of bytes, the same for equal rows: what ids are derived from and what
// rows without a key are recognised by. Written down in FORMAT.md, since ids depend on it.

/// Canonical bytes of values.
package enum RowContent {
    /// Appends a value: one byte for null or not, then the value. Ints, floats and dates as
    /// little-endian words, text and bytes with their length before them, collections with their
    /// count, embedded objects property by property. Links count by the key they hold.
    package static func append(_ column: Column, _ i: Int, to out: RawVector<UInt8>) {
        switch column.layout {
        case .word:
            out.append(column.nulls[i])
            append(column.words[i], to: out)
        case .pair:
            out.append(column.nulls[i])
            append(column.words[i], to: out)
            append(column.extra[i], to: out)
        case .bytes:
            out.append(column.nulls[i])
            let bytes = column.bytes(i)
            append(Int64(bytes.count), to: out)
            out.append(bytes: bytes)
        case .object:
            out.append(column.nulls[i])
            guard column.nulls[i] == 0 else { return }
            for inner in column.child.columns { append(inner, Int(column.words[i]), to: out) }
        case .collection:
            let range = column.range(i)
            append(Int64(range.count), to: out)
            for j in range {
                if let keys = column.keys { append(keys, j, to: out) }
                if let elements = column.elements { append(elements, j, to: out) }
            }
        }
    }

    @inline(__always)
    private static func append(_ word: Int64, to out: RawVector<UInt8>) {
        UnsafeMutableRawPointer(out.extend(8)).storeBytes(of: word.littleEndian, as: Int64.self)
    }
}
