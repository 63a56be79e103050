// The leaf of text in its four forms: short cells, one shared blob, a blob for each value, and
// indexes into the column's enumerated values. Whether the bytes are UTF-8 is not judged here.

/// A leaf of strings.
struct StringLeaf {
    private enum Form {
        /// Cells of one width, the last byte telling the padding.
        case short
        /// One blob; ends include a zero byte behind each string.
        case medium(BlobLeaf)
        /// A blob for each string, ending in a zero byte; 0 = null.
        case big
        /// Positions among the column's values.
        case enumerated(Column)
    }

    private let node: Node
    private let form: Form
    let count: Int

    init(_ session: ReadSession, _ ref: Int64, _ format: LeafFormat) throws(FormatError) {
        node = try session.gate.node(ref)
        if node.isInner { throw session.gate.unexpected(node, "a leaf of strings") }
        switch (node.hasRefs, node.scheme) {
        case (false, 1):
            form = .short
            count = node.count
        case (true, 0) where node.isContext:
            form = .big
            count = node.count
        case (true, 0):
            let blob = try BlobLeaf(
                session, node, trailing: 1, flagMeansValue: format.dialect.flagMeansValue)
            form = .medium(blob)
            count = blob.count
        case (false, 0):
            if let values = format.enumerated?.values {
                form = .enumerated(values)
            } else if node.count == 0 {
                form = .short
            } else {
                throw session.gate.unexpected(node, "strings")
            }
            count = node.count
        default: throw session.gate.unexpected(node, "strings")
        }
    }

    /// Appends strings; where no null may be, a stored one is the empty string.
    func append(
        _ range: Range<Int>, isNullable: Bool, session: ReadSession, to column: Column
    ) throws(FormatError) {
        switch form {
        case .short: try appendShort(range, isNullable, session, column)
        case .medium(let blob):
            try blob.append(range, isNullable: isNullable, session: session, to: column)
        case .big:
            try BigLeaf(node: node, trailing: 1).append(
                range, isNullable: isNullable, session: session, to: column)
        case .enumerated(let values):
            for i in range {
                let index = node.integer(i)
                guard index >= 0, index < Int64(values.count) else {
                    throw session.gate.damage(
                        node.ref, "value \(index) of \(values.count) enumerated strings")
                }
                let at = Int(index)
                if values.nulls[at] != 0 {
                    StringLeaf.appendNull(isNullable, column)
                } else {
                    let bytes = values.bytes(at)
                    try session.charge(bytes.count &+ 8)
                    column.append(bytes: bytes)
                }
            }
        }
    }

    static func appendNull(_ isNullable: Bool, _ column: Column) {
        column.ends.append(column.bytes.count)
        column.nulls.append(isNullable ? 1 : 0)
    }

    private func appendShort(
        _ range: Range<Int>, _ isNullable: Bool, _ session: ReadSession, _ column: Column
    ) throws(FormatError) {
        let n = range.count
        let width = node.scheme == 1 ? node.width : 0
        let null: UInt8 = isNullable ? 1 : 0
        if width == 0 {
            column.ends.append(repeating: column.bytes.count, count: n)
            column.nulls.append(repeating: null, count: n)
            return
        }
        let bytes = column.bytes
        bytes.reserve(adding: n * width)
        let start = bytes.count
        var out = bytes.base + start
        let first = out
        let ends = column.ends.extend(n)
        let nulls = column.nulls.extend(n)
        var cell = node.payload.assumingMemoryBound(to: UInt8.self) + range.lowerBound * width
        var bad = false
        for i in 0..<n {
            let padding = Int(cell[width &- 1])
            if padding < width {
                // A whole cell is copied, the next one begins behind this one's text.
                out.update(from: cell, count: width)
                out += width &- 1 &- padding
                nulls[i] = 0
            } else {
                bad = bad || padding > width
                nulls[i] = null
            }
            ends[i] = start &+ (out - first)
            cell += width
        }
        _ = bytes.extend(out - first)
        if bad {
            throw session.gate.damage(node.ref, "a short string tells of more padding than it has")
        }
    }

    /// The bytes of one string, in place; nil for null.
    func value(_ i: Int, session: ReadSession) throws(FormatError) -> UnsafeRawBufferPointer? {
        switch form {
        case .short:
            let width = node.scheme == 1 ? node.width : 0
            if width == 0 { return nil }
            let cell = node.payload + i * width
            let padding = Int(cell.load(fromByteOffset: width - 1, as: UInt8.self))
            if padding == width { return nil }
            guard padding < width else {
                throw session.gate.damage(
                    node.ref, "a short string tells of more padding than it has")
            }
            return UnsafeRawBufferPointer(start: cell, count: width - 1 - padding)
        case .medium(let blob): return try blob.value(i, session: session)
        case .big: return try BigLeaf(node: node, trailing: 1).value(i, session: session)
        case .enumerated(let values):
            let index = Int(node.integer(i))
            guard index >= 0, index < values.count, values.nulls[index] == 0 else { return nil }
            return values.bytes(index)
        }
    }
}

/// The short strings of names: table and column names, where an empty cell is the empty text.
enum NameLeaf {
    static func names(_ gate: NodeGate, _ ref: Int64) throws(FormatError) -> [[UInt8]] {
        let node = try gate.node(ref)
        guard !node.hasRefs, node.scheme == 1 || node.count == 0, node.count <= 65536 else {
            throw gate.unexpected(node, "names")
        }
        let width = node.width
        if width == 0 { return Array(repeating: [], count: node.count) }
        var names: [[UInt8]] = []
        names.reserveCapacity(node.count)
        for i in 0..<node.count {
            let cell = UnsafeRawBufferPointer(start: node.payload + i * width, count: width)
            let padding = Int(cell[width - 1])
            names.append(padding < width ? Array(cell[0..<width - 1 - padding]) : [])
        }
        return names
    }
}
