// Columns and `Value`s: the bridge for code that is not hot.

extension Column {
    /// The value at a position.
    public func value(_ i: Int) -> Value {
        if layout == .collection {
            guard let elements else { return .null }
            let range = range(i)
            switch property.collection {
            case .set?: return .set(range.map { elements.value($0) })
            case .dictionary?:
                return .dictionary(
                    range.map { j in
                        let key =
                            keys.map { $0.type == .int ? String($0.words[j]) : $0.string(j) } ?? ""
                        return Value.DictionaryEntry(key, elements.value(j))
                    })
            default: return .list(range.map { elements.value($0) })
            }
        }
        if nulls[i] != 0 { return .null }
        switch type {
        case .int: return .int(words[i])
        case .bool: return .bool(words[i] != 0)
        case .float: return .float(Float(bitPattern: UInt32(truncatingIfNeeded: words[i])))
        case .double: return .double(Double(bitPattern: UInt64(bitPattern: words[i])))
        case .date: return .date(date(i))
        case .decimal128: return .decimal128(decimal(i))
        case .objectId: return .objectId(objectID(i))
        case .uuid: return .uuid(uuid(i))
        case .string: return Column.text(bytes(i))
        case .data: return .data(Array(bytes(i)))
        case .mixed:
            var decoder = MixedDecoder(bytes(i))
            return decoder.value(classes: batchClasses)
        case .link where layout == .word: return .link(property.target ?? "", words[i])
        case .link, .table: return .object(child.values(row: Int(words[i])))
        }
    }

    static func text(_ bytes: UnsafeRawBufferPointer) -> Value {
        if let text = String(validating: bytes, as: UTF8.self) { return .string(text) }
        return .invalidString(Array(bytes))
    }

    /// Appends a value of the column's type; false (and nothing appended) when it does not fit.
    @discardableResult
    public func append(_ value: Value) -> Bool {
        if layout == .collection {
            let values: [Value]
            switch (value, property.collection) {
            case (.list(let v), .list?), (.set(let v), .set?): values = v
            case (.dictionary(let entries), .dictionary?):
                for entry in entries {
                    if keys?.type == .int {
                        keys?.append(word: Int64(entry.key) ?? 0)
                    } else {
                        keys?.append(entry.key)
                    }
                }
                values = entries.map(\.value)
            case (.null, _): values = []
            default: return false
            }
            let start = count
            for v in values where elements?.append(v) == false {
                closeCollection()
                truncate(to: start)
                return false
            }
            closeCollection()
            return true
        }
        if case .null = value {
            appendNull()
            return true
        }
        switch (value, type) {
        case (_, .mixed):
            guard MixedEncoder(bytes).append(value, classes: batchClasses) else { return false }
            closeBytes()
        case (.int(let v), .int): append(word: v)
        case (.bool(let v), .bool): append(word: v ? 1 : 0)
        case (.float(let v), .float): append(word: Int64(v.bitPattern))
        case (.double(let v), .double): append(word: Int64(bitPattern: v.bitPattern))
        case (.date(let v), .date): append(v)
        case (.decimal128(let v), .decimal128): append(v)
        case (.objectId(let v), .objectId): append(v)
        case (.uuid(let v), .uuid): append(v)
        case (.string(let v), .string): append(v)
        case (.invalidString(let v), .string), (.data(let v), .data):
            v.withUnsafeBytes { append(bytes: $0) }
        case (.link(_, let key), .link) where layout == .word: append(word: key)
        case (.object(let values), .link), (.object(let values), .table):
            openObject()
            child.append(values: values)
        default: return false
        }
        return true
    }

    /// Class names by index, for links inside mixed values.
    var batchClasses: [String] { schemaForMixed.classes.map(\.name) }
}

extension RecordBatch {
    /// The values of one row in property order.
    public func values(row: Int) -> [Value] { columns.map { $0.value(row) } }

    /// Appends a row of values in property order; a value that does not fit becomes null.
    public func append(values: [Value], key: Int64? = nil) {
        if let key { keys.append(key) }
        for (column, value) in zip(columns, values) where !column.append(value) {
            column.appendNull()
        }
        closeRow()
    }
}

extension MixedDecoder {
    /// The next value as a `Value`; `classes` names the classes of links by index.
    public mutating func value(classes: [String]) -> Value {
        switch tag() {
        case .null: return .null
        case .bool: return .bool(bool())
        case .int: return .int(int())
        case .float: return .float(Float(bitPattern: float()))
        case .double: return .double(Double(bitPattern: double()))
        case .string: return Column.text(blob())
        case .data, .table: return .data(Array(blob()))
        case .date: return .date(date())
        case .decimal128: return .decimal128(decimal())
        case .objectId: return .objectId(objectID())
        case .uuid: return .uuid(uuid())
        case .link:
            let (index, key) = link()
            return .link(index < classes.count ? classes[index] : "", key)
        case .list: return .list((0..<count()).map { _ in value(classes: classes) })
        case .dictionary:
            return .dictionary(
                (0..<count()).map { _ in
                    let key = String(decoding: blob(), as: UTF8.self)
                    return Value.DictionaryEntry(key, value(classes: classes))
                })
        }
    }
}

extension MixedEncoder {
    /// Appends any value that `mixed` may hold; false for others (embedded objects).
    public func append(_ value: Value, classes: [String]) -> Bool {
        switch value {
        case .null: null()
        case .int(let v): int(v)
        case .bool(let v): bool(v)
        case .string(let v):
            var v = v
            v.withUTF8 { string(UnsafeRawBufferPointer($0)) }
        case .invalidString(let v): v.withUnsafeBytes { string($0) }
        case .data(let v): v.withUnsafeBytes { data($0) }
        case .date(let v): date(v)
        case .float(let v): float(bits: v.bitPattern)
        case .double(let v): double(bits: v.bitPattern)
        case .decimal128(let v): decimal(v)
        case .objectId(let v): objectID(v)
        case .uuid(let v): uuid(v)
        case .link(let name, let key):
            guard let index = classes.firstIndex(of: name) else { return false }
            link(classIndex: index, key: key)
        case .list(let v), .set(let v):
            let mark = openList()
            for element in v { guard append(element, classes: classes) else { return false } }
            close(mark, count: v.count)
        case .dictionary(let entries):
            let mark = openDictionary()
            for entry in entries {
                var name = entry.key
                name.withUTF8 { key(UnsafeRawBufferPointer($0)) }
                guard append(entry.value, classes: classes) else { return false }
            }
            close(mark, count: entries.count)
        case .object: return false
        }
        return true
    }
}
