// The leaf of values of any type: one word a value, and leaves for what does not fit into it.
// Nested collections are followed to their end. The Mixed of formats before 10 is another thing.

/// A leaf of mixed values (formats 21 and later: four slots, since 24 six).
struct MixedLeaf {
    /// How deep values may be nested; the engine allows 100.
    static let depthLimit = 100

    private let composite: Node
    private let ints: Node?
    private let pairs: Node?
    private let strings: StringLeaf?
    private let refs: Node?
    var count: Int { composite.count }

    init(_ session: ReadSession, _ ref: Int64) throws(FormatError) {
        let gate = session.gate
        let top = try gate.references(ref, least: 4)
        if top.isInner { throw gate.unexpected(top, "a leaf of mixed values") }
        composite = try gate.integers(gate.ref(top, 0))
        func part(_ slot: Int) throws(FormatError) -> Node? {
            top.integer(slot) == 0 ? nil : try gate.integers(gate.ref(top, slot))
        }
        ints = try part(1)
        pairs = try part(2)
        strings =
            top.integer(3) == 0
            ? nil
            : try StringLeaf(
                session, gate.ref(top, 3), LeafFormat(kind: .string, isNullable: true))
        refs = top.count > 4 ? try part(4) : nil
    }

    /// One stored value, its payload found but not copied.
    enum Element {
        case null
        case int(Int64)
        case bool(Bool)
        case float(UInt32)
        case double(UInt64)
        case string(UnsafeRawBufferPointer)
        case data(UnsafeRawBufferPointer)
        case date(Timestamp)
        case decimal(Decimal128)
        case objectID(ObjectID)
        case uuid(UUID)
        case link(table: Int64, key: Int64)
        case list(Int64)
        case dictionary(Int64)
    }

    /// The value at a position.
    func element(_ i: Int, session: ReadSession) throws(FormatError) -> Element {
        let word = composite.integer(i)
        if word == 0 { return .null }
        let type = (word & 0x1F) - 1
        let data = word >> 8
        func int(_ node: Node?, _ index: Int64) throws(FormatError) -> Int64 {
            guard let node, index >= 0, index < Int64(node.count) else { throw bad(i, session) }
            return node.integer(Int(index))
        }
        func pair() throws(FormatError) -> (Int64, Int64) {
            guard data >= 0, data < 1 << 30 else { throw bad(i, session) }
            return (try int(pairs, data * 2), try int(pairs, data * 2 + 1))
        }
        func bytes() throws(FormatError) -> UnsafeRawBufferPointer {
            guard let strings, data >= 0, data < Int64(strings.count) else {
                throw bad(i, session)
            }
            return try strings.value(Int(data), session: session)
                ?? UnsafeRawBufferPointer(start: nil, count: 0)
        }
        switch type {
        case 0: return .int((word >> 5) & 7 == 0 ? data : try int(ints, data))
        case 1: return .bool(data != 0)
        case 2: return .string(try bytes())
        case 4: return .data(try bytes())
        case 8:
            let (seconds, nanoseconds) = try pair()
            guard nanoseconds > -1_000_000_000, nanoseconds < 1_000_000_000 else {
                throw bad(i, session)
            }
            return .date(Timestamp(seconds: seconds, nanoseconds: Int32(nanoseconds)))
        case 9: return .float(UInt32(truncatingIfNeeded: try int(ints, data)))
        case 10: return .double(UInt64(bitPattern: try int(ints, data)))
        case 11:
            let (low, high) = try pair()
            return .decimal(
                Decimal128(low: UInt64(bitPattern: low), high: UInt64(bitPattern: high)))
        case 15:
            let raw = try bytes()
            guard raw.count == 12 else { throw bad(i, session) }
            return .objectID(
                ObjectID(
                    high: UInt64(bigEndian: raw.loadUnaligned(as: UInt64.self)),
                    low: UInt32(bigEndian: raw.loadUnaligned(fromByteOffset: 8, as: UInt32.self))))
        case 17:
            let raw = try bytes()
            guard raw.count == 16 else { throw bad(i, session) }
            return .uuid(
                UUID(
                    high: UInt64(bigEndian: raw.loadUnaligned(as: UInt64.self)),
                    low: UInt64(bigEndian: raw.loadUnaligned(fromByteOffset: 8, as: UInt64.self))))
        case 16:
            let (table, key) = try pair()
            return .link(table: table & 0xFFFF_FFFF, key: key)
        case 19: return .list(try int(refs, data))
        case 21: return .dictionary(try int(refs, data))
        default: throw bad(i, session)
        }
    }

    private func bad(_ i: Int, _ session: ReadSession) -> FormatError {
        session.gate.damage(
            composite.ref,
            "mixed value \(i) (0x\(String(UInt64(bitPattern: composite.integer(i)), radix: 16))) "
                + "has an unknown type or no content")
    }

    /// Appends the values of a range to a column of mixed values.
    func append(_ range: Range<Int>, session: ReadSession, to column: Column) throws(FormatError) {
        let encoder = MixedEncoder(column.bytes)
        for i in range {
            try encode(i, encoder, session: session, depth: 0, isTop: true)
            // A null at the top has no bytes.
            column.ends.append(column.bytes.count)
            let begin = column.ends.count > 1 ? column.ends[column.ends.count - 2] : 0
            column.nulls.append(column.bytes.count == begin ? 1 : 0)
        }
    }

    /// Encodes one value.
    private func encode(
        _ i: Int, _ encoder: MixedEncoder, session: ReadSession, depth: Int, isTop: Bool = false
    ) throws(FormatError) {
        try session.charge(24)
        switch try element(i, session: session) {
        case .null: if !isTop { encoder.null() }
        case .int(let v): encoder.int(v)
        case .bool(let v): encoder.bool(v)
        case .float(let v): encoder.float(bits: v)
        case .double(let v): encoder.double(bits: v)
        case .string(let v):
            try session.charge(v.count)
            encoder.string(v)
        case .data(let v):
            try session.charge(v.count)
            encoder.data(v)
        case .date(let v): encoder.date(v)
        case .decimal(let v): encoder.decimal(v)
        case .objectID(let v): encoder.objectID(v)
        case .uuid(let v): encoder.uuid(v)
        case .link(let table, let key):
            if let target = MixedLeaf.target(table, key, session) {
                encoder.link(classIndex: target, key: key)
            } else if !isTop {
                encoder.null()
            }
        case .list(let ref):
            let mark = encoder.openList()
            let count = try MixedLeaf.encodeTree(
                ref, encoder, session: session, depth: depth + 1)
            encoder.close(mark, count: count)
        case .dictionary(let ref):
            try MixedLeaf.encodeDictionary(ref, encoder, session: session, depth: depth + 1)
        }
    }

    /// The class a link leads to; nil (and noted) when the link reads as null.
    static func target(_ table: Int64, _ key: Int64, _ session: ReadSession) -> Int? {
        if key < 0 {
            session.unresolvedLinks += 1
            return nil
        }
        guard let target = session.classOfTable[table] else {
            session.danglingLinks += 1
            return nil
        }
        return target
    }

    private static func encodeTree(
        _ root: Int64, _ encoder: MixedEncoder, session: ReadSession, depth: Int
    ) throws(FormatError) -> Int {
        if root == 0 { return 0 }
        guard depth < depthLimit else {
            throw session.gate.damage(Int(root), "values are nested more than \(depthLimit) deep")
        }
        return try BTree.forEachLeaf(session.gate, root) { (node: Node) throws(FormatError) in
            let leaf = try MixedLeaf(session, Int64(node.ref))
            for i in 0..<leaf.count {
                try leaf.encode(i, encoder, session: session, depth: depth)
            }
            return leaf.count
        }
    }

    private static func encodeDictionary(
        _ ref: Int64, _ encoder: MixedEncoder, session: ReadSession, depth: Int
    ) throws(FormatError) {
        let mark = encoder.openDictionary()
        if ref == 0 { return encoder.close(mark, count: 0) }
        guard depth < depthLimit else {
            throw session.gate.damage(Int(ref), "values are nested more than \(depthLimit) deep")
        }
        let top = try session.gate.references(ref, least: 2)
        let keys = Column(Property("", .string), schema: Schema(classes: []))
        let keyFormat = LeafFormat(kind: .string, isNullable: false)
        let count = try BTree.forEachLeaf(session.gate, session.gate.ref(top, 0)) {
            (node: Node) throws(FormatError) in
            let leaf = try StringLeaf(session, Int64(node.ref), keyFormat)
            try session.charge(leaf.count * 9)
            try leaf.append(0..<leaf.count, isNullable: false, session: session, to: keys)
            return leaf.count
        }
        var next = 0
        let values = try BTree.forEachLeaf(session.gate, session.gate.ref(top, 1)) {
            (node: Node) throws(FormatError) in
            let leaf = try MixedLeaf(session, Int64(node.ref))
            guard next + leaf.count <= count else {
                throw session.gate.damage(node.ref, "a dictionary has more values than keys")
            }
            for i in 0..<leaf.count {
                encoder.key(keys.bytes(next))
                next += 1
                try leaf.encode(i, encoder, session: session, depth: depth)
            }
            return leaf.count
        }
        guard values == count else {
            throw session.gate.damage(top.ref, "a dictionary has \(count) keys, \(values) values")
        }
        encoder.close(mark, count: count)
    }
}

extension MixedLeaf {
    /// Appends a value to a column of one type, as dictionaries of that type need: they are
    /// stored as mixed values. A value of another type is counted and reads as null.
    func append(_ i: Int, session: ReadSession, typed column: Column) throws(FormatError) {
        switch (try element(i, session: session), column.type) {
        case (.null, _): column.appendNull()
        case (.int(let v), .int): column.append(word: v)
        case (.bool(let v), .bool): column.append(word: v ? 1 : 0)
        case (.float(let v), .float): column.append(word: Int64(v))
        case (.double(let v), .double): column.append(word: Int64(bitPattern: v))
        case (.string(let v), .string), (.data(let v), .data):
            try session.charge(v.count)
            column.append(bytes: v)
        case (.date(let v), .date): column.append(v)
        case (.decimal(let v), .decimal128): column.append(v)
        case (.objectID(let v), .objectId): column.append(v)
        case (.uuid(let v), .uuid): column.append(v)
        case (.link(_, let key), .link) where column.layout == .word:
            if key < 0 {
                session.unresolvedLinks += 1
                column.appendNull()
            } else {
                column.append(word: key)
            }
        default:
            session.foreignValues += 1
            column.appendNull()
        }
    }
}
