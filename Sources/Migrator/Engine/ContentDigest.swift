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

    /// Takes the rows of a batch.
    func add(_ batch: RecordBatch) {
        let c = batch.classIndex
        let count = batch.rowCount
        classes[c].rows += count
        var keys = classes[c].keys
        for key in batch.keys.elements { keys = Self.mix(keys, UInt64(bitPattern: key)) }
        classes[c].keys = keys
        for (p, column) in batch.columns.enumerated() {
            classes[c].columns[p] = add(column, 0..<count, classes[c].columns[p], 0)
        }
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
            for i in range {
                state = Self.bytes(column.bytes(i), Self.mix(state, UInt64(nulls[i])))
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

    private static func bytes(_ bytes: UnsafeRawBufferPointer, _ start: UInt64) -> UInt64 {
        var state = mix(start, UInt64(bytes.count))
        var i = 0
        while i &+ 8 <= bytes.count {
            state = mix(state, bytes.loadUnaligned(fromByteOffset: i, as: UInt64.self))
            i &+= 8
        }
        var rest: UInt64 = 0
        while i < bytes.count {
            rest = rest << 8 | UInt64(bytes[i])
            i &+= 1
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
