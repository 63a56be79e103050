// The Mixed of formats before 10: a tree of types, a tree of payloads of one word, and beside
// them the bytes and dates that do not fit into a word. A value may even be a whole subtable.

/// What stands beside the trees of an old column of mixed values.
final class OldMixedColumn {
    private let session: ReadSession
    private var data: TreeCursor?
    private var seconds: TreeCursor?
    private var nanoseconds: TreeCursor?
    /// The leaf that was opened last.
    private var open: (ref: Int64, leaf: DataLeaf)?

    init(_ session: ReadSession, _ root: Int64) throws(FormatError) {
        self.session = session
        let gate = session.gate
        let top = try gate.references(root, least: 2)
        if top.integer(2) != 0 {
            let ref = try gate.ref(top, 2)
            let format = LeafFormat(kind: .data, isNullable: false, dialect: .legacy)
            data = TreeCursor(gate, root: ref, count: try TreeCount.values(gate, ref, format))
        }
        if top.integer(3) != 0 {
            let ref = try gate.ref(top, 3)
            var format = LeafFormat(kind: .date, isNullable: false, dialect: .legacy)
            format.old = .date
            let count = try TreeCount.values(gate, ref, format)
            let dates = try gate.references(ref, least: 2)
            seconds = TreeCursor(gate, root: try gate.ref(dates, 0), count: count)
            nanoseconds = TreeCursor(gate, root: try gate.ref(dates, 1), count: count)
        }
    }

    /// Finding a leaf costs visits that nothing in the file pays for; they are given back.
    private func find(_ cursor: inout TreeCursor, _ i: Int) throws(FormatError) -> TreeLeaf {
        let visits = session.gate.visitsLeft
        let leaf = cursor.seek(i)
        session.gate.visitsLeft = visits
        if let error = leaf.error { throw error }
        return leaf
    }

    /// The bytes of an entry.
    func bytes(_ i: Int) throws(FormatError) -> UnsafeRawBufferPointer {
        guard var cursor = data.take() else {
            throw session.gate.damage(0, "a mixed value's bytes are not there")
        }
        defer { data = cursor }
        let place = try find(&cursor, i)
        var leaf: DataLeaf
        if let open, open.ref == place.ref {
            leaf = open.leaf
        } else {
            leaf = try DataLeaf(session, place.ref)
            session.gate.visitsLeft += 4
            open = (place.ref, leaf)
        }
        guard leaf.count == place.rows.count else {
            throw session.gate.damage(
                Int(place.ref), "a leaf of mixed values' bytes holds \(leaf.count) values")
        }
        return try leaf.value(i - place.rows.lowerBound, session: session)
            ?? UnsafeRawBufferPointer(start: nil, count: 0)
    }

    /// A date entry; nil for null, and when the file has no dates beside the values.
    func date(_ i: Int) throws(FormatError) -> Timestamp? {
        guard var first = seconds.take(), var second = nanoseconds.take() else {
            session.lostDates += 1
            return nil
        }
        defer {
            seconds = first
            nanoseconds = second
        }
        let place = try find(&first, i)
        let beside = try find(&second, i)
        let leaf = try IntLeaf(session, place.ref, isNullable: true)
        let parts = try session.gate.integers(beside.ref)
        session.gate.visitsLeft += 2
        let at = i - place.rows.lowerBound
        guard leaf.count == place.rows.count, parts.count == beside.rows.count else {
            throw session.gate.damage(Int(place.ref), "the dates of mixed values are miscounted")
        }
        let value = leaf.node.integer(at + leaf.lead)
        if leaf.lead == 1, value == leaf.sentinel { return nil }
        let fraction = parts.integer(i - beside.rows.lowerBound)
        guard fraction > -1_000_000_000, fraction < 1_000_000_000 else {
            throw session.gate.damage(parts.ref, "a date with \(fraction) nanoseconds")
        }
        return Timestamp(seconds: value, nanoseconds: Int32(fraction))
    }
}

extension RowReader {
    /// Appends old mixed values.
    func appendOldMixed(
        _ rows: Range<Int>, _ types: Node, _ payloads: Node, shift: Int, root: Int64,
        to column: Column
    ) throws(FormatError) {
        let beside: OldMixedColumn
        if let known = oldMixed[root] {
            beside = known
        } else {
            beside = try OldMixedColumn(session, root)
            oldMixed[root] = beside
        }
        let encoder = MixedEncoder(column.bytes)
        for i in rows {
            try session.charge(24)
            let type = types.integer(i)
            let payload = payloads.integer(i + shift)
            let bits = UInt64(bitPattern: payload) >> 1
            let entry = Int(payload >> 1)
            switch type {
            case 0, 12:
                encoder.int(Int64(bitPattern: type == 12 ? bits | 1 << 63 : bits))
            case 1: encoder.bool(bits != 0)
            case 2:
                let bytes = try beside.bytes(entry)
                try session.charge(bytes.count)
                encoder.string(UnsafeRawBufferPointer(rebasing: bytes.dropLast()))
            case 4:
                let bytes = try beside.bytes(entry)
                try session.charge(bytes.count)
                encoder.data(bytes)
            case 5: try encodeTable(payload, encoder)
            // The top bit was lost; dates before 1970 are likelier than those behind the year
            // 146 billion.
            case 7: encoder.date(Timestamp(seconds: payload >> 1, nanoseconds: 0))
            case 8:
                guard let date = try beside.date(entry) else {
                    column.appendNull()
                    continue
                }
                encoder.date(date)
            case 9: encoder.float(bits: UInt32(truncatingIfNeeded: bits))
            case 10: encoder.double(bits: bits)
            case 11: encoder.double(bits: bits | 1 << 63)
            default:
                throw session.gate.damage(
                    types.ref, "a mixed value has the unknown type \(type)")
            }
            column.closeBytes()
        }
    }

    // MARK: Subtables as values

    private static let tableDepthLimit = 16

    /// Encodes a subtable with columns of its own: a dictionary of `columns` and `rows`.
    private func encodeTable(_ ref: Int64, _ encoder: MixedEncoder) throws(FormatError) {
        let mark = encoder.openTable()
        defer { encoder.closeTable(mark) }
        let gate = session.gate
        guard tableDepth < RowReader.tableDepthLimit else {
            throw gate.damage(
                Int(truncatingIfNeeded: ref), "subtables in mixed values stand too deep")
        }
        tableDepth += 1
        defer { tableDepth -= 1 }
        var properties: [Property] = []
        var rows: RecordBatch?
        if ref != 0 {
            let top = try gate.references(ref, least: 2)
            guard top.count == 2 else { throw gate.unexpected(top, "a subtable") }
            let spec = try OldSpec(gate, gate.ref(top, 0))
            let (found, plans) = try OldColumns.plan(
                gate, spec.columns, names: [:], showsHidden: true)
            properties = found
            let definition = ClassSchema("", properties: properties)
            let batch = RecordBatch(
                schema: Schema(classes: schema.classes + [definition]),
                classIndex: schema.classes.count)
            if top.integer(1) != 0 {
                batch.closeRows(
                    try appendSubtable(gate.ref(top, 1), plans, into: batch.columns))
            }
            rows = batch
        }
        let whole = encoder.openDictionary()
        encoder.key("columns")
        encoder.columns(properties)
        encoder.key("rows")
        let list = encoder.openList()
        let count = rows?.rowCount ?? 0
        for i in 0..<count {
            if let rows { try encodeRow(i, rows.columns, encoder) }
        }
        encoder.close(list, count: count)
        encoder.close(whole, count: 2)
    }

    private func encodeRow(_ row: Int, _ columns: [Column], _ encoder: MixedEncoder)
        throws(FormatError)
    {
        let mark = encoder.openDictionary()
        for column in columns {
            encoder.key(column.property.name)
            if column.property.type == .table, let elements = column.elements {
                let list = encoder.openList()
                let range = column.range(row)
                for j in range {
                    try encodeRow(Int(elements.words[j]), elements.child.columns, encoder)
                }
                encoder.close(list, count: range.count)
            } else if column.type == .mixed, column.layout == .bytes {
                let bytes = column.bytes(row)
                try session.charge(bytes.count)
                if bytes.isEmpty { encoder.null() } else { encoder.out.append(bytes: bytes) }
            } else {
                if column.layout == .bytes { try session.charge(column.bytes(row).count) }
                _ = encoder.append(column.value(row), classes: [])
            }
            try session.charge(24)
        }
        encoder.close(mark, count: columns.count)
    }
}

extension MixedEncoder {
    fileprivate func key(_ name: String) {
        var name = name
        name.withUTF8 { key(UnsafeRawBufferPointer($0)) }
    }

    fileprivate func string(_ text: String) {
        var text = text
        text.withUTF8 { string(UnsafeRawBufferPointer($0)) }
    }

    /// Columns as the schema of a store document spells them.
    fileprivate func columns(_ properties: [Property]) {
        let list = openList()
        for property in properties {
            let mark = openDictionary()
            var count = 2
            key("name")
            string(property.name)
            key("type")
            string(property.type.rawValue)
            if property.type == .table {
                key("columns")
                columns(property.columns)
                count += 1
            } else if let collection = property.collection {
                key("collection")
                string(collection.rawValue)
                count += 1
            }
            for (name, isSet) in [
                ("optional", property.isOptional), ("indexed", property.isIndexed),
            ] where isSet {
                key(name)
                bool(true)
                count += 1
            }
            close(mark, count: count)
        }
        close(list, count: properties.count)
    }
}
