// The content of a store as one number a column: what verification compares before and after.
// Equal values in the same order give equal numbers, however they come in batches and whatever
// format they were stored in.

internal import Formats

/// Running hashes of all columns.
final class ContentDigest {
    /// What is known of one class.
    struct ClassState {
        var rows = 0
        var keys: UInt64 = 0
        var columns: [UInt64]
    }

    let schema: Schema
    private(set) var classes: [ClassState]
    /// What stands for a class inside mixed values, by its position.
    private let tokens: [UInt64]
    private static let depthLimit = 1000

    /// A digest of rows of a schema.
    init(_ schema: Schema, tokens: [UInt64]? = nil) {
        self.schema = schema
        classes = schema.classes.map { ClassState(columns: $0.properties.map { _ in 0 }) }
        self.tokens = tokens ?? schema.classes.indices.map { UInt64($0) }
    }

    @inline(__always)
    private static func mix(_ state: UInt64, _ x: UInt64) -> UInt64 {
        let y = (state ^ x) &* 0x9E37_79B9_7F4A_7C15
        return y ^ (y >> 29)
    }

    /// A column of the last batch, and what it made of its hash.
    private struct Seen {
        var origin: Column
        var rows: Int
        var start: UInt64
        var end: UInt64
    }
    private var seen: [Seen] = []

    /// Takes the rows of a batch.
    ///
    /// - Parameter other: a digest that has just seen the rows this batch was made of. A column
    ///   that only shows the same memory, from the same hash on, comes to the same and is not
    ///   gone through again. (Had somebody changed the memory since, the file would tell.)
    func add(_ batch: RecordBatch, after other: ContentDigest? = nil) {
        let c = batch.classIndex
        let count = batch.rowCount
        classes[c].rows += count
        var keys = classes[c].keys
        for key in batch.keys.elements { keys = Self.mix(keys, UInt64(bitPattern: key)) }
        classes[c].keys = keys
        seen.removeAll(keepingCapacity: true)
        for (p, column) in batch.columns.enumerated() {
            let start = classes[c].columns[p]
            let end =
                other?.known(column, rows: count, from: start)
                ?? add(column, 0..<count, start, 0)
            classes[c].columns[p] = end
            seen.append(Seen(origin: column.origin, rows: count, start: start, end: end))
        }
    }

    /// What a column comes to that shows the memory of one just seen.
    private func known(_ column: Column, rows: Int, from start: UInt64) -> UInt64? {
        // Inside mixed values classes have numbers, which are another schema's here.
        guard column.elements == nil, column.layout != .object, column.type != .mixed else {
            return nil
        }
        let origin = column.origin
        return seen.first {
            $0.origin === origin && $0.rows == rows && $0.start == start
        }?.end
    }

    private func add(_ column: Column, _ range: Range<Int>, _ start: UInt64, _ depth: Int)
        -> UInt64
    {
        var state = start
        let nulls = column.nulls.base
        switch column.layout {
        case .word:
            let words = column.words.base
            for i in range {
                state = Self.mix(
                    state, UInt64(bitPattern: words[i]) ^ (nulls[i] == 0 ? 0 : 0xA5A5_0F0F))
            }
        case .pair:
            let words = column.words.base
            let extra = column.extra.base
            for i in range {
                state = Self.mix(
                    state, UInt64(bitPattern: words[i]) ^ (nulls[i] == 0 ? 0 : 0xA5A5_0F0F))
                state = Self.mix(state, UInt64(bitPattern: extra[i]))
            }
        case .bytes where column.type == .mixed:
            for i in range {
                if nulls[i] != 0 {
                    state = Self.mix(state, 0xA5A5_0F0F)
                } else {
                    var decoder = MixedDecoder(column.bytes(i))
                    state = mixed(&decoder, state)
                }
            }
        case .bytes:
            let ends = column.ends.base
            let bytes = UnsafeRawPointer(column.bytes.base)
            var begin = range.lowerBound == 0 ? 0 : ends[range.lowerBound - 1]
            for i in range {
                let end = ends[i]
                let value = UnsafeRawBufferPointer(start: bytes + begin, count: end - begin)
                // Each value by itself, so that they do not wait for each other.
                state = Self.mix(state, Self.bytes(value, UInt64(nulls[i])))
                begin = end
            }
        case .object:
            for i in range {
                state = Self.mix(state, UInt64(nulls[i]) + 2)
                if nulls[i] != 0 || depth > Self.depthLimit { continue }
                let row = Int(column.words[i])
                for inner in column.child.columns {
                    state = add(inner, row..<row + 1, state, depth + 1)
                }
            }
        case .collection:
            guard let elements = column.elements else { return state }
            for i in range {
                let part = column.range(i)
                state = Self.mix(state, UInt64(part.count))
                if let order = CollectionOrder.sorted(column, row: i) {
                    for j in order {
                        if let keys = column.keys { state = add(keys, j..<j + 1, state, depth) }
                        state = add(elements, j..<j + 1, state, depth)
                    }
                } else if let keys = column.keys {
                    for j in part {
                        state = add(keys, j..<j + 1, state, depth)
                        state = add(elements, j..<j + 1, state, depth)
                    }
                } else {
                    state = add(elements, part, state, depth)
                }
            }
        }
        return state
    }

    /// A hash of some bytes, eight at a time; the last eight may overlap those before.
    @inline(__always)
    private static func bytes(_ bytes: UnsafeRawBufferPointer, _ start: UInt64) -> UInt64 {
        let count = bytes.count
        var state = mix(start, UInt64(count))
        if count >= 8 {
            var i = 0
            while i &+ 8 <= count {
                state = mix(state, bytes.loadUnaligned(fromByteOffset: i, as: UInt64.self))
                i &+= 8
            }
            if i == count { return state }
            return mix(state, bytes.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self))
        }
        var rest: UInt64 = 0
        if count >= 4 {
            let first = bytes.loadUnaligned(as: UInt32.self)
            let last = bytes.loadUnaligned(fromByteOffset: count &- 4, as: UInt32.self)
            rest = UInt64(first) | UInt64(last) << 32
        } else {
            for byte in bytes { rest = rest << 8 | UInt64(byte) }
        }
        return mix(state, rest)
    }

    private func mixed(_ decoder: inout MixedDecoder, _ start: UInt64) -> UInt64 {
        let begin = decoder.offset
        let tag = decoder.tag()
        var state = Self.mix(start, UInt64(tag.rawValue))
        switch tag {
        case .link:
            let (c, key) = decoder.link()
            state = Self.mix(state, c < tokens.count ? tokens[c] : .max)
            return Self.mix(state, UInt64(bitPattern: key))
        case .list:
            for _ in 0..<decoder.count() { state = mixed(&decoder, state) }
        case .dictionary:
            // Entries in no order of their own: their hashes are summed.
            var sum: UInt64 = 0
            for _ in 0..<decoder.count() {
                let key = Self.bytes(decoder.blob(), 7)
                sum = sum &+ mixed(&decoder, key)
            }
            state = Self.mix(state, sum)
        default:
            decoder.offset = begin
            decoder.skip()
            state = Self.bytes(
                UnsafeRawBufferPointer(rebasing: decoder.bytes[begin..<decoder.offset]), state)
        }
        return state
    }

    /// One number for the whole content, as 16 hex digits.
    var text: String {
        var total: UInt64 = 0
        for (definition, state) in zip(schema.classes, classes) where !definition.isTombstone {
            var all = Self.mix(UInt64(state.rows), state.keys)
            all = Self.text(definition.name, all)
            for (property, hash) in zip(definition.properties, state.columns) {
                // The order of properties does not matter.
                all = all &+ Self.text(property.name, hash)
            }
            total = total &+ Self.mix(all, 1)
        }
        let digits = String(total, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    private static func text(_ text: String, _ state: UInt64) -> UInt64 {
        var text = text
        return text.withUTF8 { bytes(UnsafeRawBufferPointer($0), state) }
    }
}
