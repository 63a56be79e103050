// Small stores of the formats before 10, built by hand: the rules of their leaves and trees can be
// tried one at a time, with broken parts where a test wants them.

@testable import Formats

/// Collects the nodes of an old store.
final class OldStoreBuilder {
    private(set) var bytes: [UInt8]
    private var tables: [(name: String, top: Int)] = []

    init(format: UInt8 = 5) {
        bytes = [UInt8](repeating: 0xFF, count: 8) + [UInt8](repeating: 0, count: 8)
        bytes += Array("T-DB".utf8) + [format, 0, 0, 0]
    }

    /// A node; its reference.
    @discardableResult
    func node(_ head: UInt8, count: Int, _ payload: [UInt8]) -> Int {
        let ref = bytes.count
        bytes += [0x41, 0x41, 0x41, 0x41, head]
        bytes += [UInt8(count >> 16 & 255), UInt8(count >> 8 & 255), UInt8(count & 255)]
        bytes += payload
        while bytes.count % 8 != 0 { bytes.append(0) }
        return ref
    }

    /// Integers of 64 bits.
    @discardableResult
    func ints(_ values: [Int], flags: UInt8 = 0) -> Int {
        node(
            flags | 7, count: values.count,
            values.flatMap { value in (0..<8).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
        )
    }

    /// References; numbers among them are given as they are stored.
    @discardableResult
    func refs(_ values: [Int], context: Bool = false) -> Int {
        ints(values, flags: context ? 0x60 : 0x40)
    }

    /// An inner node in the compact form.
    func compact(each: Int, _ children: [Int], total: Int) -> Int {
        ints([each * 2 + 1] + children + [total * 2 + 1], flags: 0xC0)
    }

    /// An inner node in the general form.
    func general(offsets: [Int], _ children: [Int], total: Int) -> Int {
        let first = ints(offsets)
        return ints([first] + children + [total * 2 + 1], flags: 0xC0)
    }

    func blob(_ bytes: [UInt8]) -> Int { node(0x11, count: bytes.count, bytes) }

    /// Short strings in cells of 16 bytes; nil is the null cell.
    @discardableResult
    func strings(_ values: [String?], width: Int = 16) -> Int {
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
    func spec(
        _ columns: [(name: String?, type: Int, attributes: Int)], subs: [Int] = [],
        enumerated: [Int] = []
    ) -> Int {
        var parts = [
            ints(columns.map(\.type)), strings(columns.compactMap(\.name)),
            ints(columns.map(\.attributes)),
        ]
        if !subs.isEmpty || !enumerated.isEmpty { parts.append(subs.isEmpty ? 0 : refs(subs)) }
        if !enumerated.isEmpty { parts.append(refs(enumerated)) }
        return refs(parts)
    }

    func table(_ name: String, spec: Int, roots: [Int]) {
        tables.append((name, refs([spec, refs(roots)])))
    }

    /// The whole file, in the streaming form.
    func finish() -> [UInt8] {
        let names = strings(tables.map(\.name), width: 32)
        let list = refs(tables.map(\.top))
        let size = bytes.count + 8 + 24
        let top = refs([names, list, size * 2 + 1])
        for value in [UInt64(top), 0x3034_1252_37E5_26C8] {
            bytes += (0..<8).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
        return bytes
    }

    /// Opens the store.
    func open() throws -> Store { try Store.open(storeInput(finish(), name: "old.realm")) }
}

/// A store's bytes as an input.
func storeInput(_ bytes: [UInt8], name: String = "x.realm") -> InputBytes {
    bytes.withUnsafeBytes { InputBytes(name: name, copying: $0) }
}

extension Store {
    /// The rows of all classes and the report.
    func everything() throws -> (rows: ReadRows, report: Report) {
        let reader = makeReader()
        let rows = try ReadRows(reader)
        return (rows, reader.context.report)
    }
}
