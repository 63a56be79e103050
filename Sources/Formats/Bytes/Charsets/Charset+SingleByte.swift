// Encodings of one byte a character: ASCII below 128, a table of 128 code points above.

extension Charset {
    /// A generated single-byte charset by its own name.
    static func singleByte(_ name: String) -> Charset? {
        guard let known = CharsetData.single.first(where: { $0.name == name }) else { return nil }
        return Charset(name, .single(CharsetTable(known.table, count: 128)))
    }

    static func decodeSingle(
        _ bytes: UnsafeRawBufferPointer, _ table: CharsetTable, _ out: RawVector<UInt8>
    ) -> Int {
        guard let base = bytes.baseAddress else { return 0 }
        let end = bytes.count
        var cursor = UTF8Cursor(out, inputCount: end)
        table.scalars.withUnsafeBufferPointer { scalars in
            var i = 0
            while i < end {
                let stop = UTF8Check.endOfASCII(base, i, end)
                cursor.copy(base + i, stop - i)
                i = stop
                while i < end {
                    let byte = base.load(fromByteOffset: i, as: UInt8.self)
                    if byte < 0x80 { break }
                    cursor.put(mapped: scalars[Int(byte & 0x7F)], bytes: 1)
                    i += 1
                }
            }
        }
        return cursor.finish()
    }

    static func encodeSingle(
        _ text: UnsafeRawBufferPointer, _ table: CharsetTable, _ out: RawVector<UInt8>
    ) -> Int {
        var missing = 0
        for scalar in String(decoding: text, as: UTF8.self).unicodeScalars {
            if scalar.value < 0x80 {
                out.append(UInt8(truncatingIfNeeded: scalar.value))
            } else if let pointer = table.pointer(of: scalar.value) {
                out.append(UInt8(truncatingIfNeeded: 0x80 + pointer))
            } else {
                missing += 1
                out.append(0x3F)
            }
        }
        return missing
    }
}
