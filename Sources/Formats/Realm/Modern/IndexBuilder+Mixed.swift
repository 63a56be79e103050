// The index bytes of mixed values, and of the words of a text.

extension IndexBuilder {
    /// Takes mixed values; the values themselves are kept too, to order those whose bytes are
    /// the same.
    func addMixed(_ source: LeafValues, first: Int, count: Int) {
        var start = source.start
        for i in 0..<count {
            let end = source.ends[i]
            let value = UnsafeRawBufferPointer(
                start: source.bytes + start, count: source.nulls[i] != 0 ? 0 : end - start)
            let kept = text.count
            text.append(bytes: value)
            values.append(KeyPair(key: UInt64(kept), value: UInt64(text.count)))
            let begin = text.count
            let isNull = !appendIndexBytes(value)
            close(begin, row: first + i, isNull: isNull)
            start = end
        }
    }

    /// The kept mixed value of a row.
    func mixedValue(row: Int) -> UnsafeRawBufferPointer {
        text.bytes(from: Int(values[row].key), to: Int(values[row].value))
    }

    private func put<T: FixedWidthInteger>(_ value: T) {
        UnsafeMutableRawPointer(text.extend(MemoryLayout<T>.size)).storeBytes(
            of: value.littleEndian, as: T.self)
    }

    /// - Returns: false for null, which has no bytes.
    private func appendIndexBytes(_ value: UnsafeRawBufferPointer) -> Bool {
        if value.isEmpty { return false }
        var d = MixedDecoder(value)
        switch d.tag() {
        case .null: return false
        case .bool: put(Int64(d.bool() ? 1 : 0))
        case .int: put(d.int())
        case .float:
            let bits = d.float()
            if let whole = Int32(exactly: Float(bitPattern: bits)) {
                put(Int64(whole))
            } else {
                put(bits)
            }
        case .double:
            let bits = d.double()
            if let whole = Int32(exactly: Double(bitPattern: bits)) {
                put(Int64(whole))
            } else {
                put(bits)
            }
        case .string, .data: text.append(bytes: d.blob())
        case .date:
            let date = d.date()
            put(date.seconds)
            put(date.nanoseconds)
        case .decimal128:
            let decimal = d.decimal()
            if let whole = ValueOrder.Parts(decimal).truncated {
                put(whole)
            } else {
                put(decimal.low)
                put(decimal.high)
            }
        case .objectId, .uuid: text.append(bytes: UnsafeRawBufferPointer(rebasing: value[1...]))
        case .link:
            let link = d.link()
            put(UInt32(link.classIndex < tableKeys.count ? tableKeys[link.classIndex] : 0))
            put(link.key)
        case .list, .table: text.append("__List__")
        case .dictionary: text.append("__Dictionary__")
        }
        return true
    }
}
