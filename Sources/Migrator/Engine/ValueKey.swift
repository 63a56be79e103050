// Values told apart by 128 bits: what indexes and tests for repeats are made of.

internal import Formats

/// A value as 128 bits; equal values of one type are equal.
struct ValueKey: Hashable {
    let high: UInt64
    let low: UInt64
}

/// Makes keys of the values of columns.
final class ValueKeys {
    private let scratch = RawVector<UInt8>(capacity: 64)
    private let start = SipHash(key0: 0x6D69_6772, key1: 0x6B65_7973, wide: true)

    deinit { scratch.destroy() }

    func key(_ column: Column, _ i: Int) -> ValueKey {
        scratch.removeAll()
        RowContent.append(column, i, to: scratch)
        let (high, low) = start.finish128(adding: UnsafeRawBufferPointer(scratch.elements))
        return ValueKey(high: high, low: low)
    }

    /// Notes a value; false where it was noted before.
    func insert(_ column: Column, _ i: Int, into seen: inout Set<ValueKey>) -> Bool {
        seen.insert(key(column, i)).inserted
    }

    /// The key of a value as a column of a property would hold it; nil where it cannot.
    func key(_ value: Value, in column: Column) -> ValueKey? {
        let count = column.count
        guard column.append(value) else { return nil }
        defer { column.truncate(to: count) }
        return key(column, count)
    }
}
