// GB 18030 (which reads GBK and GB 2312), Big5 with the Hong Kong supplement, and EUC-KR as
// Windows writes it (CP949).

extension Charset {
    static func decodeGB18030(_ bytes: UnsafeRawBufferPointer, _ out: RawVector<UInt8>) -> Int {
        var cursor = UTF8Cursor(out, inputCount: bytes.count)
        let end = bytes.count
        CharsetTable.gbk.scalars.withUnsafeBufferPointer { table in
            var i = 0
            while i < end {
                let lead = bytes[i]
                i += 1
                if lead < 0x80 {
                    cursor.put(lead)
                } else if lead == 0x80 {
                    cursor.put(scalar: 0x20AC)
                } else if lead == 0xFF {
                    cursor.put(mapped: 0, bytes: 1)
                } else if i < end, bytes[i] >= 0x30, bytes[i] <= 0x39 {
                    guard i + 2 < end, bytes[i + 1] >= 0x81, bytes[i + 1] <= 0xFE,
                        bytes[i + 2] >= 0x30, bytes[i + 2] <= 0x39
                    else {
                        cursor.put(mapped: 0, bytes: 1)
                        continue
                    }
                    let linear =
                        ((Int(lead - 0x81) * 10 + Int(bytes[i] - 0x30)) * 126
                            + Int(bytes[i + 1] - 0x81)) * 10 + Int(bytes[i + 2] - 0x30)
                    cursor.put(mapped: fourBytes(UInt32(linear)), bytes: 4)
                    i += 3
                } else {
                    let trail = i < end ? bytes[i] : 0
                    var c: UInt32 = 0
                    if trail >= 0x40, trail <= 0xFE, trail != 0x7F {
                        c =
                            table[
                                Int(lead - 0x81) * 190 + Int(trail) - (trail < 0x7F ? 0x40 : 0x41)]
                    }
                    i += finish(&cursor, c, trail, i < end)
                }
            }
        }
        return cursor.finish()
    }

    /// The code point of a four-byte sequence by its linear position, 0 for none.
    private static func fourBytes(_ linear: UInt32) -> UInt32 {
        if linear >= 189_000 {
            return linear < 189_000 + 0x10_0000 ? 0x10000 + linear - 189_000 : 0
        }
        guard linear < 39_420 else { return 0 }
        let ranges = CharsetData.gb18030Ranges
        var low = 0
        var high = ranges.count / 2
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle * 2] <= linear { low = middle + 1 } else { high = middle }
        }
        guard low > 0 else { return 0 }
        return ranges[low * 2 - 1] + linear - ranges[low * 2 - 2]
    }

    static func decodeBig5(_ bytes: UnsafeRawBufferPointer, _ out: RawVector<UInt8>) -> Int {
        var cursor = UTF8Cursor(out, inputCount: bytes.count)
        let end = bytes.count
        CharsetTable.big5.scalars.withUnsafeBufferPointer { table in
            var i = 0
            while i < end {
                let lead = bytes[i]
                i += 1
                if lead < 0x80 {
                    cursor.put(lead)
                } else if lead == 0x80 || lead == 0xFF {
                    cursor.put(mapped: 0, bytes: 1)
                } else {
                    let trail = i < end ? bytes[i] : 0
                    // Four codes stand for a letter with a mark that has no code point.
                    if lead == 0x88, let mark = [0x62: 0, 0x64: 1, 0xA3: 2, 0xA5: 3][Int(trail)] {
                        cursor.put(scalar: mark < 2 ? 0xCA : 0xEA)
                        cursor.put(scalar: mark & 1 == 0 ? 0x304 : 0x30C)
                        i += 1
                        continue
                    }
                    var c: UInt32 = 0
                    if (trail >= 0x40 && trail <= 0x7E) || (trail >= 0xA1 && trail <= 0xFE) {
                        c =
                            table[
                                Int(lead - 0x81) * 157 + Int(trail) - (trail < 0x7F ? 0x40 : 0x62)]
                    }
                    i += finish(&cursor, c, trail, i < end)
                }
            }
        }
        return cursor.finish()
    }

    static func decodeEUCKR(_ bytes: UnsafeRawBufferPointer, _ out: RawVector<UInt8>) -> Int {
        var cursor = UTF8Cursor(out, inputCount: bytes.count)
        let end = bytes.count
        CharsetTable.euckr.scalars.withUnsafeBufferPointer { table in
            var i = 0
            while i < end {
                let lead = bytes[i]
                i += 1
                if lead < 0x80 {
                    cursor.put(lead)
                } else if lead == 0x80 || lead == 0xFF {
                    cursor.put(mapped: 0, bytes: 1)
                } else {
                    let trail = i < end ? bytes[i] : 0
                    var c: UInt32 = 0
                    if trail >= 0x41, trail <= 0xFE {
                        c = table[Int(lead - 0x81) * 190 + Int(trail - 0x41)]
                    }
                    i += finish(&cursor, c, trail, i < end)
                }
            }
        }
        return cursor.finish()
    }
}
