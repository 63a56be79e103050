// The top of a snapshot, in all formats: the table list, the logical size, the free list and the
// version. What a table is made of is left to Modern and Legacy.

/// The top node of a snapshot, taken apart.
struct Group {
    /// One place of the table list.
    struct TableSlot {
        var name: String
        /// The table's top; 0 or odd when the place is free.
        var ref: Int64
    }

    let top: Node
    let tables: [TableSlot]
    /// The bytes the snapshot says it takes; more than there are in a file that was cut off.
    let logicalSize: Int

    /// The number of this snapshot; 0 where none is kept.
    var version: Int64 { top.tagged(6) ?? 0 }
    /// 0 none, 2 in the file, 3 sync client, 4 sync server.
    var historyType: Int { Int(truncatingIfNeeded: top.tagged(7) ?? 0) }
    var historySchema: Int64 { top.tagged(9) ?? 0 }

    static let lengths: Set<Int> = [3, 5, 7, 9, 10, 11, 12]

    init(_ gate: NodeGate, top ref: UInt64) throws(FormatError) {
        let size = gate.image.bytes.count
        guard ref < UInt64(size) else {
            throw FormatError(
                .truncated,
                "the file is cut off: it has \(size) bytes, its root stands at byte \(ref)",
                file: gate.image.name, offset: size, fix: "copy the file again")
        }
        top = try gate.references(Int64(ref), least: 3)
        guard Group.lengths.contains(top.count), !top.isInner, let logical = top.tagged(2),
            logical >= 24
        else {
            throw gate.unexpected(top, "the root of a store")
        }
        logicalSize = Int(logical)
        let names = try NameLeaf.names(gate, gate.ref(top, 0))
        let refs = try gate.references(gate.ref(top, 1))
        guard refs.count == names.count else {
            throw gate.damage(
                refs.ref, "there are \(names.count) table names for \(refs.count) tables")
        }
        tables = names.enumerated().map { i, name in
            TableSlot(name: String(decoding: name, as: UTF8.self), ref: refs.integer(i))
        }
    }
}
