// Gathers the values of an indexed property while its leaves are written: 16 to 24 bytes a row for
// fixed sizes, and the text itself for strings. The trie over them is `IndexTrieBuilder`'s.

/// The index bytes of a property's values.
///
/// The trie takes them in chunks of 4 bytes, each a big-endian number with sign. Two chunks make
/// a word here, with the sign bits flipped so that words sort as unsigned numbers.
final class IndexBuilder {
    enum Shape {
        /// At most 8 bytes: int, bool.
        case word
        /// 12 bytes: date, ObjectId.
        case twelve
        /// 16 bytes: UUID.
        case sixteen
        /// Any number of bytes: string, mixed.
        case bytes
    }

    static let signs: UInt64 = 0x8000_0000_8000_0000
    /// The chunk behind the last byte: the letter X, then zeros. Null has none.
    static let terminator: UInt64 = 0x5800_0000_0000_0000
    private static let nullLength = UInt64(0xFF_FFFF)

    let property: Property
    let shape: Shape
    /// First word and handle of each entry. The handle is the row, with bytes 8..<12 of a value of
    /// twelve above it.
    let entries = RawVector<KeyPair>(capacity: 64)
    /// Bytes 8..<16 of values of sixteen; offset and length in `text` for bytes.
    let tails = RawVector<UInt64>(capacity: 1)
    /// Where nulls can occur and the bytes do not show it, one byte a row.
    let nulls = RawVector<UInt8>(capacity: 1)
    /// Index bytes of strings and mixed values; for mixed also the values, to order equal ones.
    let text = RawVector<UInt8>(capacity: 64)
    /// Offsets and ends of the encoded mixed values in `text`.
    let values = RawVector<KeyPair>(capacity: 1)
    /// The row of each entry of a full-text index, where a row has as many entries as words.
    let owners = RawVector<Int64>(capacity: 1)
    let isFullText: Bool
    /// Rows whose words were taken.
    var textRows = 0
    private let isOptional: Bool
    private(set) var rows = 0

    init(_ property: Property, isOptional: Bool, isFullText: Bool = false) {
        self.property = property
        self.isFullText = isFullText
        self.isOptional = isOptional
        shape =
            switch property.type {
            case .int, .bool: .word
            case .date, .objectId: .twelve
            case .uuid: .sixteen
            default: .bytes
            }
    }

    deinit {
        entries.destroy()
        tails.destroy()
        nulls.destroy()
        text.destroy()
        values.destroy()
        owners.destroy()
    }

    /// True when the table key of a class is needed to index a mixed value; set by the table.
    var tableKeys: [Int] = []

    /// Takes the values of the next rows.
    func add(_ values: LeafValues, count: Int) {
        let first = rows
        rows += count
        if isOptional, shape != .bytes { nulls.append(values.nulls, count: count) }
        switch shape {
        case .word:
            let at = entries.extend(count)
            for i in 0..<count {
                let word =
                    values.nulls[i] != 0 ? 0 : UInt64(bitPattern: values.words[i]).byteSwapped
                at[i] = KeyPair(key: word ^ IndexBuilder.signs, value: UInt64(first &+ i))
            }
        case .twelve:
            let at = entries.extend(count)
            let isDate = property.type == .date
            for i in 0..<count {
                var word = UInt64(bitPattern: values.words[i])
                var rest = UInt32(truncatingIfNeeded: values.extra[i])
                if isDate {
                    word = word.byteSwapped
                    rest = rest.byteSwapped
                }
                if values.nulls[i] != 0 { (word, rest) = (0, 0) }
                at[i] = KeyPair(
                    key: word ^ IndexBuilder.signs,
                    value: UInt64(rest) << 32 | UInt64(UInt32(truncatingIfNeeded: first &+ i)))
            }
        case .sixteen:
            let at = entries.extend(count)
            let tail = tails.extend(count)
            for i in 0..<count {
                let isNull = values.nulls[i] != 0
                let word = isNull ? 0 : UInt64(bitPattern: values.words[i])
                let rest = isNull ? 0 : UInt64(bitPattern: values.extra[i])
                at[i] = KeyPair(key: word ^ IndexBuilder.signs, value: UInt64(first &+ i))
                tail[i] = rest ^ IndexBuilder.signs
            }
        case .bytes:
            property.type == .mixed
                ? addMixed(values, first: first, count: count)
                : addStrings(values, first: first, count: count)
        }
    }

    private func addStrings(_ values: LeafValues, first: Int, count: Int) {
        let begin = values.start
        let end = count > 0 ? values.ends[count - 1] : begin
        let shift = text.count - begin
        text.append(values.bytes + begin, count: end - begin)
        let at = entries.extend(count)
        let tail = tails.extend(count)
        var start = begin
        for i in 0..<count {
            let end = values.ends[i]
            let isNull = values.nulls[i] != 0
            let length = isNull ? IndexBuilder.nullLength : UInt64(end &- start)
            let place = UInt64(start &+ shift) << 24 | length
            tail[i] = place
            at[i] = KeyPair(
                key: IndexBuilder.word(text.base, place, step: 0), value: UInt64(first &+ i))
            start = end
        }
    }

    /// Notes index bytes that stand at the end of `text`, from `start` on.
    func close(_ start: Int, row: Int, isNull: Bool) {
        let length = isNull ? IndexBuilder.nullLength : UInt64(text.count - start)
        let place = UInt64(start) << 24 | length
        tails.append(place)
        entries.append(
            KeyPair(key: IndexBuilder.word(text.base, place, step: 0), value: UInt64(row)))
    }

    /// Notes a word that stands in `text`.
    func closeWord(_ start: Int, _ end: Int, row: Int) {
        let place = UInt64(start) << 24 | UInt64(end - start)
        entries.append(
            KeyPair(
                key: IndexBuilder.word(text.base, place, step: 0), value: UInt64(tails.count)))
        tails.append(place)
        owners.append(Int64(row))
    }

    /// Two chunks of a text.
    @inline(__always)
    static func word(_ text: UnsafePointer<UInt8>, _ place: UInt64, step: Int) -> UInt64 {
        let length = Int(place & nullLength)
        if length == Int(nullLength) { return signs }
        let offset = step &* 8
        let at = UnsafeRawPointer(text) + Int(place >> 24)
        if offset &+ 8 <= length {
            return UInt64(bigEndian: (at + offset).loadUnaligned(as: UInt64.self)) ^ signs
        }
        if offset > length { return signs }
        var word: UInt64 = 0
        var shift: UInt64 = 56
        for i in offset..<length {
            word |= UInt64(at.load(fromByteOffset: i, as: UInt8.self)) << shift
            shift &-= 8
        }
        return (word | 0x58 << shift) ^ signs
    }

    /// The row of an entry, by its handle.
    @inline(__always)
    func row(_ handle: UInt64) -> Int {
        shape == .twelve
            ? Int(UInt32(truncatingIfNeeded: handle)) : Int(truncatingIfNeeded: handle)
    }

    /// Two chunks of an entry's index bytes, from byte 8 * step on.
    @inline(__always)
    func word(_ handle: UInt64, step: Int) -> UInt64 {
        let row = row(handle)
        switch shape {
        case .word:
            if step > 1 || isNull(row) { return IndexBuilder.signs }
            return IndexBuilder.terminator ^ IndexBuilder.signs
        case .twelve:
            if step > 1 || isNull(row) { return IndexBuilder.signs }
            let rest = handle & 0xFFFF_FFFF_0000_0000
            return (rest | IndexBuilder.terminator >> 32) ^ IndexBuilder.signs
        case .sixteen:
            if step == 1 { return tails[row] }
            return step > 2 || isNull(row)
                ? IndexBuilder.signs : IndexBuilder.terminator ^ IndexBuilder.signs
        case .bytes: return IndexBuilder.word(text.base, tails[row], step: step)
        }
    }

    @inline(__always)
    private func isNull(_ row: Int) -> Bool { isOptional && nulls[row] != 0 }

    /// The index bytes of a row of shape `bytes`; nil for null.
    func bytes(row: Int) -> UnsafeRawBufferPointer? {
        let place = tails[row]
        let length = Int(place & IndexBuilder.nullLength)
        if length == Int(IndexBuilder.nullLength) { return nil }
        let start = Int(place >> 24)
        return text.bytes(from: start, to: start + length)
    }

    /// True when two entries, whose first words are equal, have the same index bytes.
    func isSame(_ a: UInt64, _ b: UInt64) -> Bool {
        let (x, y) = (row(a), row(b))
        switch shape {
        case .word: return isNull(x) == isNull(y)
        case .twelve: return a >> 32 == b >> 32 && isNull(x) == isNull(y)
        case .sixteen: return tails[x] == tails[y] && isNull(x) == isNull(y)
        case .bytes:
            switch (bytes(row: x), bytes(row: y)) {
            case (nil, nil): return true
            case (let x?, let y?): return equalBytes(x, y)
            default: return false
            }
        }
    }
}
