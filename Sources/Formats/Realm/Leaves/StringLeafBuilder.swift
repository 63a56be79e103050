// String leaves: short cells of equal width, one shared blob, or a blob a value, chosen by the
// longest value as the engine chooses.

enum StringLeafBuilder {
    /// The longest string a store can hold.
    static let limit = 16_777_199

    static func write(_ values: LeafValues, nodes: NodeBuilder) throws(FormatError) -> Int64 {
        let longest = try longest(values, limit: limit, what: "string")
        if longest < 16 { return try writeShort(values, longest: longest, nodes: nodes) }
        if longest < 64 { return try writeMedium(values, terminator: 1, nodes: nodes) }
        return try writeBig(values, terminated: true, nodes: nodes)
    }

    /// The length of the longest value, -1 when all are null.
    static func longest(_ values: LeafValues, limit: Int, what: String) throws(FormatError) -> Int {
        var longest = -1
        var start = values.start
        for i in 0..<values.count {
            let end = values.ends[i]
            if values.nulls[i] == 0 { longest = max(longest, end &- start) }
            start = end
        }
        if longest > limit { throw tooLong(values, limit: limit, what: what) }
        return longest
    }

    private static func tooLong(_ values: LeafValues, limit: Int, what: String) -> FormatError {
        var start = values.start
        for i in 0..<values.count {
            let length = values.ends[i] - start
            if length > limit {
                return FormatError(
                    .limitExceeded,
                    "a \(what) of \(length) bytes is longer than a store can hold (\(limit))",
                    record: i, fix: "shorten the value, or keep it outside the store")
            }
            start = values.ends[i]
        }
        return FormatError(.limitExceeded, "a \(what) is longer than a store can hold")
    }

    /// Cells of a power of two: the text, zeros, and in the last byte how many zeros stand before
    /// it; a last byte equal to the width is null.
    static func writeShort(_ values: LeafValues, longest: Int, nodes: NodeBuilder)
        throws(FormatError) -> Int64
    {
        var width = 0
        if longest >= 0 {
            width = 1
            while width <= longest { width *= 2 }
        }
        let count = values.count
        let place = try nodes.node(
            flags: 0, scheme: NodeBuilder.Scheme.multiply, width: width, count: count,
            payload: count &* width)
        if width == 0 { return place.ref }
        var cell = place.payload
        var start = values.start
        let bytes = values.bytes
        cell.update(repeating: 0, count: count &* width)
        for i in 0..<count {
            let end = values.ends[i]
            let length = end &- start
            if values.nulls[i] != 0 {
                cell[width &- 1] = UInt8(truncatingIfNeeded: width)
            } else {
                // Cells of table and column names may be longer than those of columns.
                copy(bytes + start, to: cell, count: length)
                cell[width &- 1] = UInt8(truncatingIfNeeded: width &- 1 &- length)
            }
            cell += width
            start = end
        }
        return place.ref
    }

    /// Copies bytes; fewer than 17 without a call.
    @inline(__always)
    private static func copy(
        _ from: UnsafePointer<UInt8>, to: UnsafeMutablePointer<UInt8>, count: Int
    ) {
        if count > 16 { return to.update(from: from, count: count) }
        let source = UnsafeRawPointer(from)
        let target = UnsafeMutableRawPointer(to)
        if count >= 8 {
            target.storeBytes(of: source.loadUnaligned(as: UInt64.self), as: UInt64.self)
            target.storeBytes(
                of: source.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self),
                toByteOffset: count &- 8, as: UInt64.self)
        } else if count >= 4 {
            target.storeBytes(of: source.loadUnaligned(as: UInt32.self), as: UInt32.self)
            target.storeBytes(
                of: source.loadUnaligned(fromByteOffset: count &- 4, as: UInt32.self),
                toByteOffset: count &- 4, as: UInt32.self)
        } else {
            for i in 0..<count { to[i] = from[i] }
        }
    }

    /// One blob for all values, their ends, and which are null. Strings carry a zero each.
    static func writeMedium(_ values: LeafValues, terminator: Int, nodes: NodeBuilder)
        throws(FormatError) -> Int64
    {
        let count = values.count
        let scratch = nodes.scratch
        scratch.removeAll()
        let ends = scratch.extend(count &* 2)
        let flags = ends + count
        var start = values.start
        var total = 0
        for i in 0..<count {
            let end = values.ends[i]
            let isNull = values.nulls[i] != 0
            total &+= (isNull ? 0 : end &- start) &+ terminator
            ends[i] = Int64(total)
            flags[i] = isNull ? 1 : 0
            start = end
        }
        let endsRef = try nodes.ints(ends, count: count)
        let blob = try nodes.node(
            flags: 0, scheme: NodeBuilder.Scheme.ignore, width: total == 0 ? 0 : 1, count: total,
            payload: total)
        var to = blob.payload
        start = values.start
        for i in 0..<count {
            let end = values.ends[i]
            if values.nulls[i] == 0 {
                let length = end &- start
                copy(values.bytes + start, to: to, count: length)
                to += length
            }
            if terminator != 0 {
                to.pointee = 0
                to += 1
            }
            start = end
        }
        let nullsRef = try nodes.ints(flags, count: count)
        return try nodes.refs([endsRef, blob.ref, nullsRef])
    }

    /// A blob a value; null is no blob.
    static func writeBig(_ values: LeafValues, terminated: Bool, nodes: NodeBuilder)
        throws(FormatError) -> Int64
    {
        let refs = RawVector<Int64>(capacity: values.count)
        defer { refs.destroy() }
        var start = values.start
        for i in 0..<values.count {
            let end = values.ends[i]
            refs.append(
                values.nulls[i] != 0
                    ? 0
                    : try nodes.blob(
                        values.bytes + start, count: end - start, terminated: terminated))
            start = end
        }
        return try nodes.ints(
            refs.base, count: refs.count,
            flags: NodeBuilder.Flag.hasRefs | NodeBuilder.Flag.context)
    }
}

/// Leaves of data: like strings, without the closing zeros and without the short form.
enum BinaryLeafBuilder {
    /// The longest data a store can hold.
    static let limit = 16_777_200

    static func write(_ values: LeafValues, nodes: NodeBuilder) throws(FormatError) -> Int64 {
        let longest = try StringLeafBuilder.longest(values, limit: limit, what: "data value")
        return longest <= 64
            ? try StringLeafBuilder.writeMedium(values, terminator: 0, nodes: nodes)
            : try StringLeafBuilder.writeBig(values, terminated: false, nodes: nodes)
    }
}
