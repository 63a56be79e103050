// A `mixed` value inside a batch: one tag byte, then the payload, little-endian, nested
// collections in place. A null at the top is the column's null and has no bytes.
//
//   null    00
//   bool    01 b            int    02 i64            float  03 u32          double 04 u64
//   string  05 u32 bytes    data   06 u32 bytes      date   07 i64 i32
//   decimal 08 u64 u64 (low, high)
//   objectId 09 12 bytes    uuid   0A 16 bytes       link   0B u32 class index, i64 key
//   list    0C u32 count, values                     dictionary 0D u32 count, (u32 bytes, value)…
//   table   0E u32 length, one encoded dictionary of `columns` and `rows` (an old subtable)

/// The tag bytes of an encoded mixed value.
public enum MixedTag: UInt8, Sendable {
    case null, bool, int, float, double, string, data, date, decimal128, objectId, uuid, link
    case list, dictionary, table
}

/// Writes one mixed value, nested ones included, into a byte vector.
public struct MixedEncoder {
    /// Where the bytes go; a column's `bytes`, usually.
    public let out: RawVector<UInt8>

    /// An encoder that appends to `out`.
    public init(_ out: RawVector<UInt8>) { self.out = out }

    private func tag(_ tag: MixedTag) { out.append(tag.rawValue) }

    private func put<T: FixedWidthInteger & BitwiseCopyable>(_ value: T) {
        let at = out.extend(MemoryLayout<T>.size)
        UnsafeMutableRawPointer(at).storeBytes(of: value.littleEndian, as: T.self)
    }

    /// A null inside a collection.
    public func null() { tag(.null) }

    /// A bool.
    public func bool(_ value: Bool) {
        tag(.bool)
        out.append(value ? 1 : 0)
    }

    /// An int.
    public func int(_ value: Int64) {
        tag(.int)
        put(value)
    }

    /// A float by its bits.
    public func float(bits: UInt32) {
        tag(.float)
        put(bits)
    }

    /// A double by its bits.
    public func double(bits: UInt64) {
        tag(.double)
        put(bits)
    }

    /// A string by its bytes.
    public func string(_ value: UnsafeRawBufferPointer) {
        tag(.string)
        put(UInt32(truncatingIfNeeded: value.count))
        out.append(bytes: value)
    }

    /// Data.
    public func data(_ value: UnsafeRawBufferPointer) {
        tag(.data)
        put(UInt32(truncatingIfNeeded: value.count))
        out.append(bytes: value)
    }

    /// A date.
    public func date(_ value: Timestamp) {
        tag(.date)
        put(value.seconds)
        put(value.nanoseconds)
    }

    /// A decimal.
    public func decimal(_ value: Decimal128) {
        tag(.decimal128)
        put(value.low)
        put(value.high)
    }

    /// An ObjectId.
    public func objectID(_ value: ObjectID) {
        tag(.objectId)
        put(value.high.bigEndian)
        put(value.low.bigEndian)
    }

    /// A UUID.
    public func uuid(_ value: UUID) {
        tag(.uuid)
        put(value.high.bigEndian)
        put(value.low.bigEndian)
    }

    /// A link to an object of `schema.classes[classIndex]`.
    public func link(classIndex: Int, key: Int64) {
        tag(.link)
        put(UInt32(truncatingIfNeeded: classIndex))
        put(key)
    }

    /// Begins a list; the result goes to `close` together with the number of elements.
    public func openList() -> Int {
        tag(.list)
        put(UInt32(0))
        return out.count - 4
    }

    /// Begins a dictionary; write `key` before each value.
    public func openDictionary() -> Int {
        tag(.dictionary)
        put(UInt32(0))
        return out.count - 4
    }

    /// Begins an old subtable; write one dictionary with `columns` and `rows`, then `closeTable`.
    public func openTable() -> Int {
        tag(.table)
        put(UInt32(0))
        return out.count - 4
    }

    /// Ends an old subtable by noting its length.
    public func closeTable(_ mark: Int) { close(mark, count: out.count - mark - 4) }

    /// A key of a dictionary, before its value.
    public func key(_ value: UnsafeRawBufferPointer) {
        put(UInt32(truncatingIfNeeded: value.count))
        out.append(bytes: value)
    }

    /// Ends a list or dictionary by noting its number of elements.
    public func close(_ mark: Int, count: Int) {
        UnsafeMutableRawPointer(out.base + mark).storeBytes(
            of: UInt32(truncatingIfNeeded: count).littleEndian, as: UInt32.self)
    }
}

/// Walks an encoded mixed value, whose bytes come from our own encoder and are trusted.
public struct MixedDecoder {
    /// The encoded bytes.
    public let bytes: UnsafeRawBufferPointer
    /// The position of the next value.
    public var offset = 0

    /// A decoder at the first value.
    public init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    private mutating func take<T: FixedWidthInteger & BitwiseCopyable>(_: T.Type) -> T {
        let value = bytes.loadUnaligned(fromByteOffset: offset, as: T.self)
        offset += MemoryLayout<T>.size
        return T(littleEndian: value)
    }

    /// The tag of the next value; moves behind it.
    public mutating func tag() -> MixedTag { MixedTag(rawValue: take(UInt8.self)) ?? .null }

    /// The payload of a bool.
    public mutating func bool() -> Bool { take(UInt8.self) != 0 }
    /// The payload of an int.
    public mutating func int() -> Int64 { take(Int64.self) }
    /// The payload of a float.
    public mutating func float() -> UInt32 { take(UInt32.self) }
    /// The payload of a double.
    public mutating func double() -> UInt64 { take(UInt64.self) }
    /// The payload of a date.
    public mutating func date() -> Timestamp {
        let seconds = take(Int64.self)
        return Timestamp(seconds: seconds, nanoseconds: take(Int32.self))
    }
    /// The payload of a decimal.
    public mutating func decimal() -> Decimal128 {
        let low = take(UInt64.self)
        return Decimal128(low: low, high: take(UInt64.self))
    }
    /// The payload of an ObjectId.
    public mutating func objectID() -> ObjectID {
        let high = take(UInt64.self).byteSwapped
        return ObjectID(high: high, low: take(UInt32.self).byteSwapped)
    }
    /// The payload of a UUID.
    public mutating func uuid() -> UUID {
        let high = take(UInt64.self).byteSwapped
        return UUID(high: high, low: take(UInt64.self).byteSwapped)
    }
    /// The payload of a link.
    public mutating func link() -> (classIndex: Int, key: Int64) {
        let index = Int(take(UInt32.self))
        return (index, take(Int64.self))
    }
    /// The number of elements of a list or dictionary.
    public mutating func count() -> Int { Int(take(UInt32.self)) }
    /// The payload of a string or data, or a dictionary key; valid as long as the bytes are.
    public mutating func blob() -> UnsafeRawBufferPointer {
        let count = Int(take(UInt32.self))
        let part = UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count])
        offset += count
        return part
    }

    /// Moves behind the next value, whatever it is.
    public mutating func skip() {
        var pending = 1
        while pending > 0 {
            pending -= 1
            switch tag() {
            case .null: break
            case .bool: offset += 1
            case .int, .double: offset += 8
            case .float: offset += 4
            case .string, .data, .table: _ = blob()
            case .date, .objectId, .link: offset += 12
            case .decimal128, .uuid: offset += 16
            case .list: pending += count()
            case .dictionary:
                // Keys stand between the values, so a dictionary's values are skipped in turn.
                for _ in 0..<count() {
                    _ = blob()
                    skip()
                }
            }
        }
    }
}
