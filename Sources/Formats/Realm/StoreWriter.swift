// Writes a new store from the leaves up in one pass over the rows. What a table, a column or a
// node looks like is known to the builders; this file only directs them.

/// How a new store is written.
public struct StoreWriterOptions: Sendable {
    /// The file format: 24, 23 or 22.
    public var fileFormat = 24
    /// The form without a free list that needs no byte written twice, for outputs that cannot go
    /// back.
    public var isStreaming = false
    /// Fill the streaming form to whole pages, as encryption needs it.
    public var padsStream = false
    /// The page the file's size is a multiple of; 16384 where the target is Apple silicon.
    public var pageSize = 4096

    /// The usual options.
    public init() {}
}

/// Writes a store of format 24, 23 or 22.
///
/// What an older format cannot hold is gathered, and `finish()` refuses the store and names it.
///
/// Batches of different classes may come in any order, also mixed; within a class the object keys
/// must ascend. Rows without keys are given some. Nothing stands under the final name until
/// `finish()` has returned.
public final class StoreWriter: RecordWriter {
    private let output: OutputFile
    private let schema: Schema
    private let group: GroupBuilder
    private let building: StoreBuilding
    private let layout: SchemaLayout
    private var isFinished = false

    /// Begins a store.
    /// - Parameters:
    ///   - output: an empty file.
    ///   - schema: all classes; the batches number them in this order.
    /// - Throws: `schemaMismatch`, `limitExceeded`, `unsupported`.
    public init(
        output: OutputFile, schema: Schema, context: ExchangeContext,
        options: StoreWriterOptions = StoreWriterOptions()
    ) throws(FormatError) {
        guard WriterDialect.known.contains(options.fileFormat) else {
            throw FormatError(
                .unsupported,
                "file formats 22, 23 and 24 can be written, not \(options.fileFormat)",
                file: output.path, fix: "leave out --file-format")
        }
        let dialect = WriterDialect(options.fileFormat)
        guard options.pageSize >= 4096, options.pageSize % 4096 == 0 else {
            throw FormatError(
                .usage, "the page size must be a multiple of 4096", file: output.path)
        }
        self.output = output
        self.schema = schema
        let refused = RefusedContent()
        layout = try SchemaLayoutBuilder.layout(
            of: schema, dialect: dialect, refused: refused, file: output.path,
            report: context.report)
        let nodes = NodeBuilder(
            output: output, keepsSections: !options.isStreaming, dialect: dialect)
        group = GroupBuilder(nodes: nodes, options: options)
        building = StoreBuilding(
            nodes: nodes, refused: refused, report: context.report, file: output.path)
        let building = building
        building.tables = layout.tables.enumerated().map { i, table in
            TableBuilder(table, at: i, building: building)
        }
        let keys = layout.tables.map(\.key)
        for table in building.tables {
            for column in table.columns { column.index?.tableKeys = keys }
        }
        try group.begin()
    }

    deinit {
        // Tables know the whole they are part of, and the whole holds the file open.
        building.tables = []
    }

    /// Takes the rows of a batch.
    /// - Throws: `keysOutOfOrder`, `missingValue`, `limitExceeded`, `danglingLink`, and the errors
    ///   of writing.
    public func write(_ batch: RecordBatch) throws(FormatError) {
        guard batch.rowCount > 0 else { return }
        guard batch.classIndex < schema.classes.count,
            schema.classes[batch.classIndex].kind != .embedded
        else {
            throw FormatError(.defect, "a batch of no class of the store", file: output.path)
        }
        // Embedded objects are taken in the order of their numbers, without recursion: how deep
        // they are nested is up to the data.
        var queue = [
            PendingRows(table: building.tables[batch.classIndex], batch: batch, first: nil)
        ]
        var next = 0
        while next < queue.count {
            let rows = queue[next]
            next += 1
            try rows.table.take(rows, more: &queue)
        }
        building.report.written += batch.rowCount
    }

    /// Writes all that had to wait for the last row, and gives the file its name.
    /// - Throws: `unsupported` where the file format cannot hold something, `duplicateKey`, `danglingLink`, `limitExceeded`, and the errors of writing.
    public func finish() throws(FormatError) {
        guard !isFinished else { return }
        isFinished = true
        if !building.refused.isEmpty {
            throw building.refused.error(building.nodes.dialect, file: output.path)
        }
        for table in building.tables { try table.finishCluster() }
        connectLinks()
        var names: [String] = []
        var refs: [Int64] = []
        if layout.hasVersion, let version = schema.version {
            let table = TableBuilder(GroupBuilder.versionLayout(), at: -1, building: building)
            try table.writeVersion(version)
            names.append(table.layout.name)
            refs.append(try table.finish())
        }
        for table in building.tables {
            names.append(table.layout.name)
            refs.append(try table.finish())
        }
        try group.finish(names: names, tables: refs)
        try output.finish()
    }

    /// Gives every table a backlink column for each link column that leads to it, and for each
    /// mixed column in which a link to it stands.
    private func connectLinks() {
        for table in building.tables {
            for column in table.columns {
                if let links = column.links, let target = column.layout.target {
                    building.tables[target].incoming.append(links)
                }
                for target in column.mixedLinks.keys.sorted() {
                    if let links = column.mixedLinks[target] {
                        building.tables[target].incoming.append(links)
                    }
                }
            }
        }
    }
}
