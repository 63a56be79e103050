// The order of rows. Every row's sort values are turned once into bytes that compare in the
// wanted order, so that sorting compares bytes, whatever the types and directions.
//
// Order of values: nil first; false before true; numbers by value, NaN first; dates; ids by
// bytes. Text goes without regard to case, and equal text then by its bytes (code points), which
// keeps `aAbB` together as address books do (the engine from 14 on sorts by bytes alone:
// `name[b]` asks for that).

/// A sort order of one class: `done, -date`, or `date DESC, name ASC`.
public struct RowSort: Sendable {
    struct Key: Sendable {
        let path: PropertyPath
        let isDescending: Bool
        /// Text by its bytes alone.
        let isBinary: Bool
    }

    let keys: [Key]

    init(keys: [Key]) { self.keys = keys }

    /// The positions of the properties it looks at.
    public var properties: Set<Int> { Set(keys.map(\.path.first)) }

    /// Reads a sort order.
    /// - Throws: `usage`, `unknownName`, `unsupported`, each with the column in the text.
    public static func parse(_ text: String, schema: Schema, classIndex: Int)
        throws(FormatError) -> RowSort
    {
        let tokens = try QueryLexer.tokens(text)
        var at = 0
        var keys: [Key] = []
        func fail(_ message: String, _ token: QueryToken, _ code: FormatErrorCode = .usage)
            -> FormatError
        {
            FormatError(code, message, column: token.range.lowerBound + 1, excerpt: text)
        }
        repeat {
            var isDescending = false
            if tokens[at].kind == .symbol("-") {
                isDescending = true
                at += 1
            } else if tokens[at].kind == .symbol("+") {
                at += 1
            }
            let first = tokens[at]
            let isBinary = try binaryMark(tokens, at + 1, text)
            let path: PropertyPath
            if isBinary, tokens.count > at + 3 {
                // The path ends before the mark.
                var part = at
                let cut =
                    Array(tokens[...at]) + [QueryToken(kind: .end, range: tokens[at + 1].range)]
                path = try PathReader.read(
                    cut, &part, source: text, schema: schema, classIndex: classIndex)
                at += 4
            } else {
                path = try PathReader.read(
                    tokens, &at, source: text, schema: schema, classIndex: classIndex)
            }
            if path.isMany {
                throw fail(
                    "\(path.text) has many values and no place in an order", first, .unsupported)
            }
            if path.target != nil, path.type == .link {
                throw fail(
                    "\(path.text) leads to an object, which has no order", first, .unsupported)
            }
            if case .word(let word) = tokens[at].kind {
                switch word.uppercased() {
                case "DESC", "DESCENDING": isDescending = true
                case "ASC", "ASCENDING": break
                default: throw fail("expected ASC, DESC or a comma here", tokens[at])
                }
                at += 1
            }
            keys.append(Key(path: path, isDescending: isDescending, isBinary: isBinary))
            guard tokens[at].kind == .symbol(",") else { break }
            at += 1
        } while true
        guard tokens[at].kind == .end else { throw fail("expected a comma here", tokens[at]) }
        return RowSort(keys: keys)
    }

    /// True when `[b]` stands at a position.
    private static func binaryMark(_ tokens: [QueryToken], _ at: Int, _ text: String)
        throws(FormatError) -> Bool
    {
        at + 2 < tokens.count && tokens[at].kind == .symbol("[")
            && tokens[at + 1].kind == .word("b") && tokens[at + 2].kind == .symbol("]")
    }

    /// Appends the bytes that stand for a row's place.
    func appendKey(_ batch: RecordBatch, _ row: Int, to out: RawVector<UInt8>) {
        for key in keys {
            let start = out.count
            SortKey.append(key.path.value(batch, row), isBinary: key.isBinary, to: out)
            if key.isDescending {
                let base = out.base
                for i in start..<out.count { base[i] = ~base[i] }
            }
        }
    }
}

/// Turns values into bytes that compare as the values do. No value's bytes begin another's.
enum SortKey {
    /// First bytes, one a kind: the order of kinds is that of the engine's `mixed`.
    private enum Rank: UInt8 {
        case null, bool, number, text, data, date, objectID, uuid, link, other
    }

    static func append(_ value: Scalar, isBinary: Bool, to out: RawVector<UInt8>) {
        switch value {
        case .null: out.append(Rank.null.rawValue)
        case .bool(let v):
            out.append(Rank.bool.rawValue)
            out.append(v ? 1 : 0)
        case .int(let v):
            out.append(Rank.number.rawValue)
            let near = Double(v)
            // What the double lost: below 1024 either way.
            let rest = Int128(v) - (Int128(exactly: near) ?? 0)
            append(near, rest: Int16(truncatingIfNeeded: rest), to: out)
            out.append(0)
        case .double(let v):
            out.append(Rank.number.rawValue)
            append(v, rest: 0, to: out)
            out.append(0)
        case .decimal(let v): append(v, to: out)
        case .text(let v):
            out.append(Rank.text.rawValue)
            if !isBinary {
                let start = out.count
                TextFolding.appendLowercased(v, to: out)
                escape(from: start, out)
            }
            let start = out.count
            out.append(bytes: v)
            escape(from: start, out)
        case .data(let v):
            out.append(Rank.data.rawValue)
            let start = out.count
            out.append(bytes: v)
            escape(from: start, out)
        case .date(let v):
            out.append(Rank.date.rawValue)
            append(UInt64(bitPattern: v.seconds) ^ 1 << 63, to: out)
            append(UInt32(bitPattern: v.nanoseconds) ^ 1 << 31, to: out)
        case .objectID(let v):
            out.append(Rank.objectID.rawValue)
            append(v.high, to: out)
            append(v.low, to: out)
        case .uuid(let v):
            out.append(Rank.uuid.rawValue)
            append(v.high, to: out)
            append(v.low, to: out)
        case .link(let v):
            out.append(Rank.link.rawValue)
            append(UInt64(bitPattern: v) ^ 1 << 63, to: out)
        case .other: out.append(Rank.other.rawValue)
        }
    }

    private static func append<T: FixedWidthInteger & BitwiseCopyable>(
        _ value: T, to out: RawVector<UInt8>
    ) {
        UnsafeMutableRawPointer(out.extend(MemoryLayout<T>.size)).storeBytes(
            of: value.bigEndian, as: T.self)
    }

    /// NaN as the smallest, then by value; negative zero is zero.
    private static func append(_ value: Double, rest: Int16, to out: RawVector<UInt8>) {
        let bits = value == 0 ? 0 : value.bitPattern
        let ordered = bits >> 63 == 1 ? ~bits : bits | 1 << 63
        append(value.isNaN ? 0 : ordered, to: out)
        append(UInt16(bitPattern: rest) ^ 1 << 15, to: out)
    }

    /// A decimal: among decimals exact; beside other numbers (in `mixed`) by the nearest double.
    private static func append(_ value: Decimal128, to out: RawVector<UInt8>) {
        out.append(Rank.number.rawValue)
        let text = RawVector<UInt8>()
        defer { text.destroy() }
        ScalarText.write(value, to: text)
        let near = Double(String(decoding: text.elements, as: UTF8.self)) ?? .nan
        append(near, rest: 0, to: out)
        out.append(1)
        guard let (sign, magnitude, digits) = value.orderingKey else {
            // NaNs: the engine's null is one of them; by their bits.
            append(value.high, to: out)
            append(value.low, to: out)
            append(UInt64(0), to: out)
            return
        }
        append(UInt8(bitPattern: Int8(truncatingIfNeeded: sign)) ^ 0x80, to: out)
        append(UInt32(bitPattern: Int32(truncatingIfNeeded: magnitude)) ^ 1 << 31, to: out)
        append(UInt128(bitPattern: digits) ^ 1 << 127, to: out)
        out.append(repeating: 0, count: 3)
    }

    /// Ends a text with two zero bytes, and writes a zero inside it as `00 FF`.
    private static func escape(from start: Int, _ out: RawVector<UInt8>) {
        var zeros = 0
        for i in start..<out.count where out[i] == 0 { zeros += 1 }
        if zeros > 0 {
            let end = out.count
            _ = out.extend(zeros)
            var to = out.count
            var from = end
            while from > start {
                from -= 1
                if out[from] == 0 {
                    to -= 1
                    out[to] = 0xFF
                }
                to -= 1
                out[to] = out[from]
            }
        }
        out.append(0)
        out.append(0)
    }
}

/// Rows with the bytes of their place, sorted in one go. Rows of equal place stay in order.
final class SortedRows {
    private struct Entry {
        /// The first eight bytes of the key, as a number in key order.
        let prefix: UInt64
        let row: Int
    }

    private let bytes = RawVector<UInt8>(capacity: 4096)
    private let ends = RawVector<Int>(capacity: 512)

    deinit {
        bytes.destroy()
        ends.destroy()
    }

    var count: Int { ends.count }

    /// Adds the next row.
    func append(_ sort: RowSort, _ batch: RecordBatch, _ row: Int) {
        sort.appendKey(batch, row, to: bytes)
        ends.append(bytes.count)
    }

    /// Drops the row added last.
    func removeLast() {
        ends.truncate(to: ends.count - 1)
        bytes.truncate(to: ends.count == 0 ? 0 : ends[ends.count - 1])
    }

    func removeAll() {
        bytes.removeAll()
        ends.removeAll()
    }

    /// The bytes of a row's place.
    func key(_ row: Int) -> UnsafeRawBufferPointer {
        bytes.bytes(from: row == 0 ? 0 : ends[row - 1], to: ends[row])
    }

    /// The rows in order.
    func order() -> [Int] {
        var entries: [Entry] = []
        entries.reserveCapacity(count)
        for row in 0..<count {
            let key = key(row)
            var prefix: UInt64 = 0
            if key.count >= 8 {
                prefix = UInt64(bigEndian: key.loadUnaligned(as: UInt64.self))
            } else {
                for i in 0..<8 { prefix = prefix << 8 | (i < key.count ? UInt64(key[i]) : 0) }
            }
            entries.append(Entry(prefix: prefix, row: row))
        }
        entries.sort { a, b in
            if a.prefix != b.prefix { return a.prefix < b.prefix }
            let order = Scalar.order(bytes: key(a.row), key(b.row))
            return order != 0 ? order < 0 : a.row < b.row
        }
        return entries.map(\.row)
    }
}
