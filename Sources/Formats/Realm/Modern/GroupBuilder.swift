// The frame of a new store: the header in front, the names and refs of the tables, the table
// that holds the schema version, the list of unused bytes and the top that leads to them all.

/// Writes what is outside the tables.
struct GroupBuilder {
    static let headerSize = 24
    private static let magic: [UInt8] = [0x54, 0x2D, 0x44, 0x42]
    private static let footerCookie: UInt64 = 0x3034_1252_37E5_26C8

    let nodes: NodeBuilder
    let options: StoreWriterOptions

    /// Reserves the header; the streaming form writes it at once.
    func begin() throws(FormatError) {
        let at = try nodes.place(GroupBuilder.headerSize)
        at.update(repeating: 0, count: GroupBuilder.headerSize)
        if options.isStreaming {
            at.update(repeating: 0xFF, count: 8)
            writeFormat(to: at)
            at[21] = 0
        }
    }

    private func writeFormat(to header: UnsafeMutablePointer<UInt8>) {
        for i in 0..<4 { header[16 + i] = GroupBuilder.magic[i] }
        header[20] = UInt8(truncatingIfNeeded: options.fileFormat)
        header[21] = header[20]
    }

    /// The table with the schema version in its only row.
    /// - Parameter key: its place in the list of tables, which is also its key.
    static func versionLayout(key: Int = 0) -> TableLayout {
        let property = Property("version", .int)
        let column = ColumnLayout(
            property: property, target: nil, isEmbedded: false, type: 0, attributes: 0,
            key: StoreConstant.columnKey(leaf: 0, type: 0, attributes: 0, table: key),
            isIndexed: false, isFullText: false)
        return TableLayout(
            name: "metadata", title: "metadata", key: key, kind: .object, columns: [column],
            primaryKey: nil)
    }

    /// Writes names, refs, free list, top and header.
    func finish(names: [String], tables: [Int64]) throws(FormatError) {
        let namesRef = try SpecBuilder.names(names, nodes)
        let tablesRef = try nodes.refs(tables)
        if options.isStreaming {
            return try finishStream(namesRef, tablesRef)
        }
        // The sizes of the free list and the top are fixed beforehand by taking the full width,
        // so that the list can cover everything behind them.
        let most = nodes.gaps.count + 2
        let topSize = 8 + 11 * 8
        try nodes.keepTogether(3 * (8 + most * 8) + topSize)
        let count = nodes.gaps.count + 1
        let end = nodes.position + 3 * (8 + count * 8) + topSize
        let page = options.pageSize
        var size = (end + page - 1) / page * page
        if size == end { size += page }
        let positions = nodes.gaps.map { Int64($0.position) } + [Int64(end)]
        let lengths = nodes.gaps.map { Int64($0.length) } + [Int64(size - end)]
        let positionsRef = try nodes.ints(positions, width: 64)
        let lengthsRef = try nodes.ints(lengths, width: 64)
        let versionsRef = try nodes.ints([Int64](repeating: 0, count: count), width: 64)
        let top = try nodes.ints(
            [
                namesRef, tablesRef, tagged(Int64(size)), positionsRef, lengthsRef, versionsRef,
                tagged(2), tagged(2), 0, tagged(nodes.dialect.historySchema), tagged(0),
            ], flags: NodeBuilder.Flag.hasRefs, width: 64)
        try nodes.fill(upTo: size)
        try nodes.output.flush()
        try writeHeader(top)
    }

    private func writeHeader(_ top: Int64) throws(FormatError) {
        let header = UnsafeMutablePointer<UInt8>.allocate(capacity: GroupBuilder.headerSize)
        defer { header.deallocate() }
        header.update(repeating: 0, count: GroupBuilder.headerSize)
        UnsafeMutableRawPointer(header).storeBytes(of: top.littleEndian, as: Int64.self)
        writeFormat(to: header)
        try nodes.output.overwrite(
            UnsafeRawBufferPointer(start: header, count: GroupBuilder.headerSize), at: 0)
    }

    private func finishStream(_ names: Int64, _ tables: Int64) throws(FormatError) {
        let positions = try nodes.zeros(count: 0)
        let lengths = try nodes.zeros(count: 0)
        let versions = try nodes.zeros(count: 0)
        let end = nodes.position + 8 + 11 * 8
        let top = try nodes.ints(
            [
                names, tables, tagged(Int64(end)), positions, lengths, versions, tagged(2),
                tagged(2), 0, tagged(nodes.dialect.historySchema), tagged(0),
            ], flags: NodeBuilder.Flag.hasRefs, width: 64)
        if options.padsStream {
            // Encryption works in whole pages, and the footer must end the last one.
            let page = 4096
            let size = (end + 16 + page - 1) / page * page
            try nodes.fill(upTo: size - 16)
        }
        let footer = UnsafeMutableRawPointer(try nodes.place(16))
        footer.storeBytes(of: top.littleEndian, as: Int64.self)
        footer.storeBytes(
            of: GroupBuilder.footerCookie.littleEndian, toByteOffset: 8, as: UInt64.self)
        try nodes.output.flush()
    }
}
