// The leaf of bytes in its two forms, which text shares: one blob for many values, or a blob for
// each. Text has a zero byte behind every value, data has not.

/// Many values in one blob: their ends, the blob, and flags.
struct BlobLeaf: BitwiseCopyable {
    private let ends: Node
    private let blob: Node
    private let flags: Node?
    private let trailing: Int
    private let flagOfNull: Int64
    let count: Int

    /// Takes apart a node of two or three references.
    init(_ session: ReadSession, _ top: Node, trailing: Int, flagMeansValue: Bool)
        throws(FormatError)
    {
        let gate = session.gate
        guard top.count == 2 || top.count == 3 else {
            throw gate.unexpected(top, "the parts of a leaf of texts or data")
        }
        ends = try gate.integers(gate.ref(top, 0))
        blob = try gate.node(gate.ref(top, 1))
        guard !blob.hasRefs, blob.scheme == 2 || blob.count == 0 else {
            throw gate.unexpected(blob, "bytes")
        }
        count = ends.count
        self.trailing = trailing
        flagOfNull = flagMeansValue ? 0 : 1
        if top.count == 3, top.integer(2) != 0 {
            let flags = try gate.integers(gate.ref(top, 2))
            guard flags.count >= count else {
                throw gate.unexpected(flags, "\(count) flags")
            }
            self.flags = flags
        } else {
            flags = nil
        }
    }

    private func bad(_ session: ReadSession) -> FormatError {
        session.gate.damage(ends.ref, "the ends of texts or data do not ascend inside their bytes")
    }

    private func isNull(_ i: Int) -> Bool {
        guard let flags else { return false }
        return (flags.integer(i) == 0 ? 0 : 1) == flagOfNull
    }

    func append(
        _ range: Range<Int>, isNullable: Bool, session: ReadSession, to column: Column
    ) throws(FormatError) {
        guard !range.isEmpty else { return }
        let offsets = session.load(ends, range)
        var begin = range.lowerBound == 0 ? 0 : ends.integer(range.lowerBound - 1)
        let last = offsets[range.count - 1]
        guard begin >= 0, begin <= last, last <= Int64(blob.count) else { throw bad(session) }
        try session.charge(Int(last - begin) &+ range.count &* 8)
        let bytes = blob.payload.assumingMemoryBound(to: UInt8.self)
        for i in 0..<range.count {
            let end = offsets[i]
            guard begin <= end, end <= last else { throw bad(session) }
            if isNull(range.lowerBound + i) {
                StringLeaf.appendNull(isNullable, column)
            } else {
                // Very old files have strings that lack even their zero byte; they are empty.
                let length = max(Int(end - begin) - trailing, 0)
                column.bytes.append(bytes + Int(begin), count: length)
                column.closeBytes()
            }
            begin = end
        }
    }

    func value(_ i: Int, session: ReadSession) throws(FormatError) -> UnsafeRawBufferPointer? {
        if isNull(i) { return nil }
        let begin = i == 0 ? 0 : ends.integer(i - 1)
        let end = ends.integer(i)
        guard begin >= 0, begin <= end, end <= Int64(blob.count) else { throw bad(session) }
        return UnsafeRawBufferPointer(
            start: blob.payload + Int(begin), count: max(Int(end - begin) - trailing, 0))
    }
}

/// A blob for each value, 0 = null.
struct BigLeaf: BitwiseCopyable {
    let node: Node
    let trailing: Int

    func append(
        _ range: Range<Int>, isNullable: Bool, session: ReadSession, to column: Column
    ) throws(FormatError) {
        for i in range {
            let ref = node.integer(i)
            if ref == 0 {
                StringLeaf.appendNull(isNullable, column)
                continue
            }
            let blob = try session.gate.node(ref)
            if blob.hasRefs {
                try appendParts(blob, session, column)
                column.closeBytes()
                continue
            }
            let length = max(blob.count - trailing, 0)
            guard blob.scheme == 2 else { throw session.gate.unexpected(blob, "bytes") }
            try session.charge(length &+ 8)
            column.append(bytes: UnsafeRawBufferPointer(start: blob.payload, count: length))
        }
    }

    /// A value larger than one node can hold: a list of blobs to be put together.
    private func appendParts(_ parts: Node, _ session: ReadSession, _ column: Column)
        throws(FormatError)
    {
        guard parts.isContext, parts.scheme == 0 else {
            throw session.gate.unexpected(parts, "a list of blobs")
        }
        for i in 0..<parts.count {
            let part = try session.gate.blob(session.gate.ref(parts, i))
            let length = i == parts.count - 1 ? part.count - trailing : part.count
            guard length >= 0 else { throw session.gate.unexpected(parts, "a list of blobs") }
            try session.charge(length)
            column.bytes.append(bytes: UnsafeRawBufferPointer(rebasing: part[..<length]))
        }
    }

    func value(_ i: Int, session: ReadSession) throws(FormatError) -> UnsafeRawBufferPointer? {
        let ref = node.integer(i)
        if ref == 0 { return nil }
        let bytes = try session.gate.blob(ref)
        guard bytes.count >= trailing else {
            throw session.gate.damage(Int(ref), "a string without its last byte")
        }
        return UnsafeRawBufferPointer(rebasing: bytes[..<(bytes.count - trailing)])
    }
}

/// A leaf of data.
struct DataLeaf {
    private enum Form {
        case shared(BlobLeaf)
        case big(BigLeaf)
    }
    private let form: Form
    let count: Int

    init(_ session: ReadSession, _ ref: Int64) throws(FormatError) {
        let node = try session.gate.node(ref)
        guard !node.isInner, node.scheme == 0, node.hasRefs || node.count == 0 else {
            throw session.gate.unexpected(node, "data")
        }
        if node.isContext || node.count == 0 {
            form = .big(BigLeaf(node: node, trailing: 0))
            count = node.count
        } else {
            // The flags of data mean null in every format.
            let blob = try BlobLeaf(session, node, trailing: 0, flagMeansValue: false)
            form = .shared(blob)
            count = blob.count
        }
    }

    func append(
        _ range: Range<Int>, isNullable: Bool, session: ReadSession, to column: Column
    ) throws(FormatError) {
        switch form {
        case .shared(let leaf):
            try leaf.append(range, isNullable: isNullable, session: session, to: column)
        case .big(let leaf):
            try leaf.append(range, isNullable: isNullable, session: session, to: column)
        }
    }

    /// The bytes of one value, in place; nil for null.
    func value(_ i: Int, session: ReadSession) throws(FormatError) -> UnsafeRawBufferPointer? {
        switch form {
        case .shared(let leaf): try leaf.value(i, session: session)
        case .big(let leaf): try leaf.value(i, session: session)
        }
    }
}
