// Links of rows that come in: an object is named by its primary key, or by its key in the store the
// rows go to, and may stand in the store or come in later. Until all rows are known such a link is
// a mark in the place of an object key; the import leads it on.

/// The marks of one import.
final class LinkReferences {
    /// What the store has of a class: its objects by primary key, and all object keys.
    struct StoredKeys {
        var byPrimaryKey: [[UInt8]: Int64] = [:]
        var all: Set<Int64> = []
    }

    private enum Reference {
        case stored(Int64)
        case incoming([UInt8])
    }

    private let load: (String) throws(FormatError) -> StoredKeys
    private var stored: [String: StoredKeys] = [:]
    private var references: [Reference] = []
    private var marks: [String: [[UInt8]: Int64]] = [:]

    /// Marks for rows that go to a store.
    /// - Parameter load: reads the keys of a stored class; asked once a class.
    init(load: @escaping (String) throws(FormatError) -> StoredKeys) { self.load = load }

    /// True for a mark; object keys are never that small.
    static func isMark(_ key: Int64) -> Bool { key < Int64.min / 2 }

    /// The mark of the object with a primary key.
    /// - Parameter comesIn: whether rows of the class come in, so that it may be one of those.
    /// - Returns: nil when there is no such object.
    func mark(primaryKey: Value, of name: String, comesIn: Bool) throws(FormatError) -> Int64? {
        let bytes = LinkReferences.bytes(primaryKey)
        if let known = marks[name]?[bytes] { return known }
        if let key = try keys(of: name).byPrimaryKey[bytes] {
            return add(.stored(key), bytes, name)
        }
        return comesIn ? add(.incoming(bytes), bytes, name) : nil
    }

    /// The mark of the stored object with an object key; nil when there is none.
    func mark(key: Int64, of name: String) throws(FormatError) -> Int64? {
        guard try keys(of: name).all.contains(key) else { return nil }
        // Of no length that an encoded primary key has.
        var bytes: [UInt8] = [0xFF]
        withUnsafeBytes(of: key.littleEndian) { bytes.append(contentsOf: $0) }
        return marks[name]?[bytes] ?? add(.stored(key), bytes, name)
    }

    /// The key in the store that a mark stands for.
    /// - Parameter incoming: finds the key of an object that came in, by its encoded primary key.
    func key(of mark: Int64, incoming: ([UInt8]) -> Int64?) -> Int64? {
        let place = Int(truncatingIfNeeded: mark &- Int64.min)
        guard references.indices.contains(place) else { return nil }
        switch references[place] {
        case .stored(let key): return key
        case .incoming(let bytes): return incoming(bytes)
        }
    }

    /// The primary key that a mark stands for, where it was looked for in what comes in.
    func primaryKey(of mark: Int64) -> Value? {
        let place = Int(truncatingIfNeeded: mark &- Int64.min)
        guard LinkReferences.isMark(mark), references.indices.contains(place),
            case .incoming(let bytes) = references[place]
        else { return nil }
        return bytes.withUnsafeBytes { bytes in
            var decoder = MixedDecoder(bytes)
            switch decoder.tag() {
            case .int: return .int(decoder.int())
            case .string: return .string(String(decoding: decoder.blob(), as: UTF8.self))
            case .objectId: return .objectId(decoder.objectID())
            case .uuid: return .uuid(decoder.uuid())
            default: return nil
            }
        }
    }

    /// A primary key in the form it is looked up by.
    static func bytes(_ primaryKey: Value) -> [UInt8] {
        let out = RawVector<UInt8>(capacity: 32)
        defer { out.destroy() }
        _ = MixedEncoder(out).append(primaryKey, classes: [])
        return Array(out.elements)
    }

    private func keys(of name: String) throws(FormatError) -> StoredKeys {
        if let known = stored[name] { return known }
        let found = try load(name)
        stored[name] = found
        return found
    }

    private func add(_ reference: Reference, _ bytes: [UInt8], _ name: String) -> Int64 {
        let mark = Int64.min + Int64(references.count)
        references.append(reference)
        marks[name, default: [:]][bytes] = mark
        return mark
    }
}

extension LinkReferences.StoredKeys {
    /// The keys of a class, from a reader of the whole store.
    init(of name: String, in reader: any RecordReader) throws(FormatError) {
        guard let index = reader.schema.index(of: name) else { return }
        let known = reader.schema.classes[index]
        let place = known.primaryKey.flatMap { known.index(of: $0) }
        let batch = RecordBatch(schema: reader.schema)
        for i in reader.schema.classes.indices where reader.schema.classes[i].kind != .embedded {
            batch.begin(class: i)
            for (j, column) in batch.columns.enumerated() {
                column.isWanted = i == index && j == place
            }
        }
        var first: Int64 = 0
        while try reader.next(into: batch) {
            guard batch.classIndex == index else { continue }
            for row in 0..<batch.rowCount {
                let key = batch.keys.count > row ? batch.keys[row] : first + Int64(row)
                all.insert(key)
                if let place {
                    byPrimaryKey[LinkReferences.bytes(batch.columns[place].value(row))] = key
                }
            }
            first += Int64(batch.rowCount)
        }
    }
}
