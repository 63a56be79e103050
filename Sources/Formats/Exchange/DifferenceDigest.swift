// Rows as two hashes: one of what a row is matched by, one of its content. Equal values give equal
// hashes in both stores: properties are taken by name, sets and dictionaries in one order, links
// by the primary key of their target.

/// Hashes rows of one of two stores.
final class DifferenceDigest {
    private let isFirst: Bool
    private let schema: Schema
    private let pairs: [ClassPair]
    /// The pair of each class of this store.
    private var pairOfClass: [Int: Int] = [:]
    /// Primary key hashes by object key, for the classes that links lead to.
    private var identities: [Int: [Int64: UInt64]] = [:]
    private let bytes = RawVector<UInt8>(capacity: 1024)
    private let classIndices: [String: Int]

    /// Reads the primary keys of link targets first, where there are any.
    init(
        _ schema: Schema, _ pairs: [ClassPair], isFirst: Bool, keys: StoreDifference.Source
    ) throws(FormatError) {
        self.schema = schema
        self.pairs = pairs
        self.isFirst = isFirst
        var indices: [String: Int] = [:]
        for (i, c) in schema.classes.enumerated() where !c.isTable { indices[c.name] = i }
        classIndices = indices
        for (p, pair) in pairs.enumerated() {
            pairOfClass[isFirst ? pair.first : pair.second] = p
        }
        let targets = targetsWithKey()
        guard !targets.isEmpty else { return }
        let reader = try keys()
        let batch = RecordBatch(schema: reader.schema)
        while try reader.next(into: batch) {
            guard targets.contains(batch.classIndex), let p = pairOfClass[batch.classIndex] else {
                continue
            }
            for i in 0..<batch.rowCount where batch.keys.count > i {
                identities[batch.classIndex, default: [:]][batch.keys[i]] = identity(
                    batch, i, pairs[p])
            }
        }
    }

    deinit { bytes.destroy() }

    /// Classes with a key of values, if any property can link to them.
    private func targetsWithKey() -> Set<Int> {
        var names: Set<String> = []
        var hasMixed = false
        for c in schema.classes {
            for p in c.properties {
                if p.type == .mixed { hasMixed = true }
                if p.type == .link, let target = p.target { names.insert(target) }
            }
        }
        var result: Set<Int> = []
        for (i, c) in schema.classes.enumerated() where c.kind != .embedded && !c.isTable {
            guard let p = pairOfClass[i], pairs[p].key != nil else { continue }
            if hasMixed || names.contains(c.name) { result.insert(i) }
        }
        return result
    }

    /// The hash of what a row is matched by.
    func identity(_ batch: RecordBatch, _ row: Int, _ pair: ClassPair) -> UInt64 {
        bytes.removeAll()
        if let key = pair.key {
            append(batch.columns[isFirst ? key.first : key.second], row)
        } else {
            put(batch.keys.count > row ? batch.keys[row] : Int64(batch.firstRecord + row))
        }
        return hash()
    }

    /// The hash of a row's content.
    func content(_ batch: RecordBatch, _ row: Int, _ pair: ClassPair) -> UInt64 {
        bytes.removeAll()
        for column in pair.columns {
            append(batch.columns[isFirst ? column.first : column.second], row)
        }
        return hash()
    }

    /// The hash of one value.
    func value(_ column: Column, _ row: Int) -> UInt64 {
        bytes.removeAll()
        append(column, row)
        return hash()
    }

    private func hash() -> UInt64 {
        var hasher = Hasher()
        hasher.combine(bytes: UnsafeRawBufferPointer(bytes.elements))
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }

    private func put(_ value: Int64) {
        UnsafeMutableRawPointer(bytes.extend(8)).storeBytes(of: value, as: Int64.self)
    }

    private func put(_ value: UnsafeRawBufferPointer) {
        put(Int64(value.count))
        bytes.append(bytes: value)
    }

    private func append(_ column: Column, _ i: Int) {
        switch column.layout {
        case .collection:
            guard let elements = column.elements else { return }
            let range = column.range(i)
            put(Int64(range.count))
            let order = CollectionOrder.sorted(column, row: i) ?? Array(range)
            for j in order {
                if let keys = column.keys { append(keys, j) }
                append(elements, j)
            }
        case _ where column.isNull(i): bytes.append(0)
        case .word:
            bytes.append(1)
            if column.type == .link {
                link(classIndices[column.property.target ?? ""], column.words[i])
            } else {
                put(column.words[i])
            }
        case .pair:
            bytes.append(1)
            put(column.words[i])
            put(column.extra[i])
        case .bytes:
            bytes.append(1)
            if column.type == .mixed {
                var decoder = MixedDecoder(column.bytes(i))
                mixed(&decoder)
            } else {
                put(column.bytes(i))
            }
        case .object:
            bytes.append(1)
            object(column.child, Int(column.words[i]))
        }
    }

    private func object(_ batch: RecordBatch, _ row: Int) {
        guard let p = pairOfClass[batch.classIndex] else {
            // Rows of subtables: their columns are equal in both stores.
            for column in batch.columns { append(column, row) }
            return
        }
        for column in pairs[p].columns {
            append(batch.columns[isFirst ? column.first : column.second], row)
        }
    }

    private func link(_ target: Int?, _ key: Int64) {
        if let target, let known = identities[target]?[key] {
            bytes.append(2)
            put(Int64(bitPattern: known))
        } else {
            bytes.append(1)
            put(key)
        }
    }

    private func mixed(_ decoder: inout MixedDecoder) {
        let tag = decoder.tag()
        bytes.append(tag.rawValue)
        switch tag {
        case .null: break
        case .bool: bytes.append(decoder.bool() ? 1 : 0)
        case .int: put(decoder.int())
        case .float: put(Int64(decoder.float()))
        case .double: put(Int64(bitPattern: decoder.double()))
        case .string, .data, .table: put(decoder.blob())
        case .date:
            let date = decoder.date()
            put(date.seconds)
            put(Int64(date.nanoseconds))
        case .decimal128:
            let value = decoder.decimal()
            put(Int64(bitPattern: value.high))
            put(Int64(bitPattern: value.low))
        case .objectId:
            let id = decoder.objectID()
            put(Int64(bitPattern: id.high))
            put(Int64(id.low))
        case .uuid:
            let id = decoder.uuid()
            put(Int64(bitPattern: id.high))
            put(Int64(bitPattern: id.low))
        case .link:
            let (index, key) = decoder.link()
            if index < schema.classes.count { bytes.append(schema.classes[index].name) }
            link(index, key)
        case .list:
            let count = decoder.count()
            put(Int64(count))
            for _ in 0..<count { mixed(&decoder) }
        case .dictionary: dictionary(&decoder)
        }
    }

    /// Entries in the order of their keys.
    private func dictionary(_ decoder: inout MixedDecoder) {
        let count = decoder.count()
        put(Int64(count))
        var entries: [(key: [UInt8], offset: Int)] = []
        for _ in 0..<count {
            let key = Array(decoder.blob())
            entries.append((key, decoder.offset))
            decoder.skip()
        }
        let end = decoder.offset
        entries.sort { $0.key.lexicographicallyPrecedes($1.key) }
        for entry in entries {
            entry.key.withUnsafeBytes { put($0) }
            decoder.offset = entry.offset
            mixed(&decoder)
        }
        decoder.offset = end
    }
}

/// The rows of one class of the second store by their hashes.
struct RowTable {
    enum Match {
        case equal
        case changed(UInt64)
        case missing
    }

    /// A value of the first store.
    struct Detail {
        var hash: UInt64
        var text: String
    }

    var counts: StoreDifference.Counts
    /// Values of the first store of rows that changed, by what they are matched by.
    var details: [UInt64: [Detail]] = [:]
    private var contents: [UInt64: UInt64] = [:]
    private var matched: Set<UInt64> = []
    /// How often a hash was met, where it was more than once.
    private var repeats: [UInt64: Int] = [:]
    private var seen: Set<UInt64> = []

    init(_ pair: ClassPair) { counts = StoreDifference.Counts(className: pair.name) }

    /// The hash of the n-th row of one identity: the rows of a property that is no key may repeat.
    private mutating func numbered(_ identity: UInt64) -> UInt64 {
        if seen.insert(identity).inserted { return identity }
        let n = (repeats[identity] ?? 0) + 1
        repeats[identity] = n
        var hasher = Hasher()
        hasher.combine(identity)
        hasher.combine(n)
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }

    mutating func rewind() {
        seen.removeAll(keepingCapacity: true)
        repeats.removeAll()
    }

    mutating func add(_ identity: UInt64, _ content: UInt64) {
        contents[numbered(identity)] = content
    }

    private var isFirstPass = true

    mutating func match(_ identity: UInt64, _ content: UInt64) -> Match {
        if isFirstPass {
            isFirstPass = false
            rewind()
        }
        let row = numbered(identity)
        guard let other = contents[row] else {
            counts.removed += 1
            return .missing
        }
        matched.insert(row)
        if other == content {
            counts.equal += 1
            return .equal
        }
        counts.changed += 1
        return .changed(row)
    }

    mutating func close() { counts.added = contents.count - matched.count }

    /// The row's hash once more, in a further pass.
    mutating func again(_ identity: UInt64) -> UInt64 { numbered(identity) }

    func isMatched(_ row: UInt64) -> Bool { matched.contains(row) }
}
