// Small stores of the formats before 10, built by hand: the rules of their leaves and trees can be
// tried one at a time, with broken parts where a test wants them. Whole stores of classes and rows
// are for OldStore of the migrator's tests.

/// Collects the nodes of an old store.
package final class OldStoreBuilder {
    package private(set) var bytes: [UInt8]
    private let format: UInt8
    private var tables: [(name: String, top: Int)] = []

    package init(format: UInt8 = 5) {
        self.format = format
        bytes = [UInt8](repeating: 0xFF, count: 8) + [UInt8](repeating: 0, count: 8)
        bytes += Array("T-DB".utf8) + [format, 0, 0, 0]
    }

    /// A node; its reference.
    @discardableResult
    package func node(_ head: UInt8, count: Int, _ payload: [UInt8]) -> Int {
        let ref = bytes.count
        bytes += [0x41, 0x41, 0x41, 0x41, head]
        bytes += [UInt8(count >> 16 & 255), UInt8(count >> 8 & 255), UInt8(count & 255)]
        bytes += payload
        while bytes.count % 8 != 0 { bytes.append(0) }
        return ref
    }

    /// Integers of 64 bits.
    @discardableResult
    package func ints(_ values: [Int], flags: UInt8 = 0) -> Int {
        node(
            flags | 7, count: values.count,
            values.flatMap { value in (0..<8).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
        )
    }

    /// Integers in the least bits that hold them.
    @discardableResult
    package func packed(_ values: [Int], flags: UInt8 = 0) -> Int {
        let least = values.min() ?? 0
        let most = values.max() ?? 0
        let code: UInt8
        switch (least, most) {
        case (0, 0): code = 0
        case (0..., ...1): code = 1
        case (0..., ...3): code = 2
        case (0..., ...15): code = 3
        case ((-128)..., ...127): code = 4
        case ((-32768)..., ...32767): code = 5
        case (Int(Int32.min)..., ...Int(Int32.max)): code = 6
        default: code = 7
        }
        let width = (1 << Int(code)) >> 1
        var payload = [UInt8](repeating: 0, count: (values.count * width + 7) / 8)
        for (i, value) in values.enumerated() {
            for bit in stride(from: 0, to: width, by: min(max(width, 1), 8)) {
                let at = i * width + bit
                payload[at / 8] |= UInt8(truncatingIfNeeded: value >> bit) << UInt8(at % 8)
            }
        }
        return node(flags | code, count: values.count, payload)
    }

    /// Integers among which may be null: the first element stands for it.
    @discardableResult
    package func nullable(_ values: [Int?]) -> Int {
        let known = values.compactMap { $0 }
        // The largest number of the least width that holds all; at 64 bits one that is not there.
        var null = 0
        if !known.isEmpty {
            let bounds = [1, 3, 15, 127, 32767, Int(Int32.max)]
            let fits = bounds.first { bound in
                known.allSatisfy { $0 < bound && $0 >= (bound < 16 ? 0 : -bound - 1) }
            }
            null = fits ?? 0x5DC6_6A93_8000
            while fits == nil, known.contains(null) { null += 8 }
        }
        return packed([null] + values.map { $0 ?? null })
    }

    /// References; numbers among them are given as they are stored.
    @discardableResult
    package func refs(_ values: [Int], context: Bool = false) -> Int {
        ints(values, flags: context ? 0x60 : 0x40)
    }

    /// An inner node in the compact form.
    package func compact(each: Int, _ children: [Int], total: Int) -> Int {
        ints([each * 2 + 1] + children + [total * 2 + 1], flags: 0xC0)
    }

    /// An inner node in the general form.
    package func general(offsets: [Int], _ children: [Int], total: Int) -> Int {
        let first = ints(offsets)
        return ints([first] + children + [total * 2 + 1], flags: 0xC0)
    }

    package func blob(_ bytes: [UInt8]) -> Int { node(0x11, count: bytes.count, bytes) }

    /// Short strings in cells of 16 bytes; nil is the null cell.
    @discardableResult
    package func strings(_ values: [String?], width: Int = 16) -> Int {
        let cells = values.flatMap { value -> [UInt8] in
            var cell = Array((value ?? "").utf8)
            let padding = value == nil ? width : width - 1 - cell.count
            cell += [UInt8](repeating: 0, count: width - 1 - cell.count) + [UInt8(padding)]
            return cell
        }
        let code = UInt8(width.trailingZeroBitCount + 1)
        return node(0x08 | code, count: values.count, cells)
    }

    /// The columns of a table: types, names and attributes.
    package func spec(
        _ columns: [(name: String?, type: Int, attributes: Int)], subs: [Int] = [],
        enumerated: [Int] = []
    ) -> Int {
        let names = columns.compactMap(\.name)
        var parts = [
            ints(columns.map(\.type)),
            strings(names, width: names.allSatisfy { $0.utf8.count < 16 } ? 16 : 64),
            ints(columns.map(\.attributes)),
        ]
        if !subs.isEmpty || !enumerated.isEmpty { parts.append(subs.isEmpty ? 0 : refs(subs)) }
        if !enumerated.isEmpty { parts.append(refs(enumerated)) }
        return refs(parts)
    }

    package func table(_ name: String, spec: Int, roots: [Int]) {
        tables.append((name, refs([spec, refs(roots)])))
    }

    /// The whole file, in the streaming form.
    package func finish() -> [UInt8] {
        let names = strings(tables.map(\.name), width: 32)
        let list = refs(tables.map(\.top))
        let size = bytes.count + 8 + 24
        let top = refs([names, list, size * 2 + 1])
        for value in [UInt64(top), 0x3034_1252_37E5_26C8] {
            bytes += (0..<8).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
        return bytes
    }

    /// The whole file in the form of a shared one: whole pages, a free list, the version of the
    /// snapshot, and for formats from 7 on an empty history in the file.
    package func finishShared() -> [UInt8] {
        let names = strings(tables.map(\.name), width: 32)
        let list = refs(tables.map(\.top))
        let history = format >= 7 ? refs([]) : 0
        let entries = format >= 7 ? 10 : 7
        // Behind this stand three lists of one number, and the top.
        let end = bytes.count + 3 * 16 + 8 + 8 * entries
        let size = (end + 8 + 4095) / 4096 * 4096
        var parts = [names, list, size * 2 + 1, ints([end]), ints([size - end]), ints([1])]
        parts.append(2 * 2 + 1)
        if format >= 7 { parts += [2 * 2 + 1, history, 0 * 2 + 1] }
        let top = refs(parts)
        bytes += [UInt8](repeating: 0, count: size - bytes.count)
        for i in 0..<8 { bytes[i] = UInt8(truncatingIfNeeded: top >> (8 * i)) }
        return bytes
    }
}
