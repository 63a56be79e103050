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

    /// Appends mixed values of which links count as links alone, whatever they lead to: for rows
    /// of two stores.
    static func append(mixed column: Column, _ i: Int, to out: RawVector<UInt8>) {
        guard column.layout == .collection else {
            out.append(column.nulls[i])
            var decoder = MixedDecoder(column.bytes(i))
            if column.nulls[i] == 0 { append(&decoder, to: out) }
            return
        }
        let range = column.range(i)
        append(Int64(range.count), to: out)
        for j in range {
            if let keys = column.keys { append(keys, j, to: out) }
            if let elements = column.elements { append(mixed: elements, j, to: out) }
        }
    }

    private static func append(_ decoder: inout MixedDecoder, to out: RawVector<UInt8>) {
        let start = decoder.offset
        let tag = decoder.tag()
        switch tag {
        case .link:
            out.append(tag.rawValue)
            _ = decoder.link()
        case .list, .dictionary:
            let count = decoder.count()
            out.append(tag.rawValue)
            append(Int64(count), to: out)
            for _ in 0..<count {
                if tag == .dictionary {
                    let key = decoder.blob()
                    append(Int64(key.count), to: out)
                    out.append(bytes: key)
                }
                append(&decoder, to: out)
            }
        default:
            decoder.offset = start
            decoder.skip()
            out.append(
                bytes: UnsafeRawBufferPointer(rebasing: decoder.bytes[start..<decoder.offset]))
        }
    }

    @inline(__always)
    private static func append(_ word: Int64, to out: RawVector<UInt8>) {
        UnsafeMutableRawPointer(out.extend(8)).storeBytes(of: word.littleEndian, as: Int64.self)
    }
}

/// The canonical bytes of many rows of a batch, without one of its columns.
package struct RowContentWriter {
    private struct Part {
        let layout: Column.Layout
        let words: UnsafePointer<Int64>
        let extra: UnsafePointer<Int64>
        let bytes: UnsafePointer<UInt8>
        let ends: UnsafePointer<Int>
        let nulls: UnsafePointer<UInt8>
        /// Position in `columns`, apart so that a part is plain memory.
        let column: Int
    }

    private let parts: [Part]
    private let columns: [Column]

    /// A writer for a batch as it is now; valid until the batch changes.
    package init(_ batch: RecordBatch, without excluded: Int?) {
        columns = batch.columns
        parts = batch.columns.indices.filter { $0 != excluded }.map { i in
            let column = batch.columns[i]
            return Part(
                layout: column.layout, words: column.words.base, extra: column.extra.base,
                bytes: column.bytes.base, ends: column.ends.base, nulls: column.nulls.base,
                column: i)
        }
    }

    /// Appends a row; the same bytes as `RowContent.append` for each column.
    package func append(_ row: Int, to out: RawVector<UInt8>) {
        for part in parts {
            switch part.layout {
            case .word:
                let to = UnsafeMutableRawPointer(out.extend(9))
                to.storeBytes(of: part.nulls[row], as: UInt8.self)
                to.storeBytes(
                    of: part.words[row].littleEndian, toByteOffset: 1, as: Int64.self)
            case .pair:
                let to = UnsafeMutableRawPointer(out.extend(17))
                to.storeBytes(of: part.nulls[row], as: UInt8.self)
                to.storeBytes(
                    of: part.words[row].littleEndian, toByteOffset: 1, as: Int64.self)
                to.storeBytes(
                    of: part.extra[row].littleEndian, toByteOffset: 9, as: Int64.self)
            case .bytes:
                let from = row == 0 ? 0 : part.ends[row &- 1]
                let count = part.ends[row] &- from
                let to = UnsafeMutableRawPointer(out.extend(9 &+ count))
                to.storeBytes(of: part.nulls[row], as: UInt8.self)
                to.storeBytes(
                    of: Int64(count).littleEndian, toByteOffset: 1, as: Int64.self)
                (to + 9).copyMemory(from: part.bytes + from, byteCount: count)
            case .object, .collection: RowContent.append(columns[part.column], row, to: out)
            }
        }
    }
}
