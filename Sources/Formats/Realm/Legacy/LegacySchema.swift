// From the tables of a file before format 10 to the schema and the plans by which its rows are
// read, tables that an interrupted upgrade has moved already among them.

enum LegacySchema {
    /// Plans the reading of a snapshot.
    static func plan(_ gate: NodeGate, _ group: Group) throws(FormatError) -> SnapshotPlan {
        var numberOfKey: [Int64: Int] = [:]
        for (i, slot) in group.tables.enumerated() where slot.ref != 0 && slot.ref & 1 == 0 {
            if let key = OldTable.key(gate, slot.ref) { numberOfKey[key] = i }
        }
        var tables: [OldTable] = []
        for (i, slot) in group.tables.enumerated() where slot.ref != 0 && slot.ref & 1 == 0 {
            tables.append(
                OldTable(
                    gate, number: i, name: slot.name, ref: slot.ref, tableOfKey: numberOfKey))
        }
        var names: [Int: String] = [:]
        var rows: [Int: LinkedRows] = [:]
        for table in tables {
            names[table.number] = table.title
            rows[table.number] = table.linkedRows(gate)
        }
        func read(_ name: String) -> RecordBatch? {
            guard let table = tables.first(where: { $0.name == name }),
                let (properties, plan) = try? table.plan(
                    gate, names: names, rows: rows, numberOfKey: numberOfKey)
            else { return nil }
            return LegacySchema.rows(gate, ClassSchema(name, properties: properties), plan)
        }
        let keys = PrimaryKeys(read("pk"))
        var result = SnapshotPlan(schema: Schema(classes: []), tables: [], internalTables: [])
        result.isHalfUpgraded = tables.contains { $0.isUpgraded }
        result.schema.version = read("metadata").flatMap(version)
        for table in tables {
            if ModernSchema.isInternal(table.name) || table.name.hasPrefix("!") {
                result.internalTables.append(table.name)
                continue
            }
            var definition = ClassSchema(
                table.title, properties: [], isTable: !table.isClass, count: table.rowCount)
            var plan = TablePlan(
                tableKey: Int64(table.number), columns: [], root: 0, rowCount: table.rowCount,
                damage: nil)
            do throws(FormatError) {
                (definition.properties, plan) = try table.plan(
                    gate, names: names, rows: rows, numberOfKey: numberOfKey)
                markPrimaryKey(&definition, table, keys)
            } catch {
                plan.damage = error
            }
            result.renamedColumns += table.spec?.renamed ?? 0
            result.schema.classes.append(definition)
            result.tables.append(plan)
            result.sources.append(table.moved)
        }
        return result
    }

    private static func markPrimaryKey(
        _ definition: inout ClassSchema, _ table: OldTable, _ keys: PrimaryKeys
    ) {
        guard table.isClass else { return }
        var name: String?
        switch keys.entries[definition.name] {
        case .name(let text)?: name = text
        case .column(let number)?:
            let named = table.spec?.named ?? []
            if named.indices.contains(number) { name = named[number].name }
        case nil:
            name = table.moved.flatMap { moved in
                moved.columns.first { $0.key.raw == moved.primaryKey }?.name
            }
        }
        guard let name, let at = definition.index(of: name) else { return }
        definition.primaryKey = name
        definition.properties[at].isIndexed = false
    }

    /// The schema version in the first row of the metadata table.
    private static func version(_ rows: RecordBatch) -> UInt64? {
        guard rows.rowCount > 0,
            let column = rows.columns.first(where: {
                $0.property.name == "version" && $0.property.type == .int
            }), !column.isNull(0), column.words[0] != -1
        else { return nil }
        return UInt64(bitPattern: column.words[0])
    }

    /// More rows than this a table about classes never has.
    private static let rowLimit = 1 << 16

    /// All rows of a small table; what cannot be read is missing.
    private static func rows(_ gate: NodeGate, _ definition: ClassSchema, _ plan: TablePlan)
        -> RecordBatch
    {
        let schema = Schema(classes: [definition])
        let batch = RecordBatch(schema: schema)
        let session = ReadSession(gate, tables: [plan.tableKey])
        let wanted = definition.properties.map { _ in true }
        let reader = RowReader(session, schema: schema, plans: [plan], wanted: [wanted])
        var cursor = RowCursor(session, plan, wanted: wanted)
        session.room = 16 << 20
        while batch.rowCount < rowLimit, (try? cursor.advance()) ?? false {
            guard let chunk = cursor.chunk else { break }
            let mark = batch.rowCount
            do throws(FormatError) {
                try reader.read(0..<chunk.count, of: chunk, plan, into: batch.columns)
                batch.closeRows(chunk.count)
            } catch {
                batch.truncate(to: mark)
                if error.code == .limitExceeded { break }
            }
        }
        return batch
    }
}

/// What the table `pk` says of the classes' primary keys.
private struct PrimaryKeys {
    enum Entry {
        case name(String)
        /// The number of a column, as the oldest releases for Android wrote it.
        case column(Int)
    }

    private(set) var entries: [String: Entry] = [:]

    init(_ rows: RecordBatch?) {
        guard let rows,
            let tables = rows.columns.first(where: { $0.property.name == "pk_table" }),
            let properties = rows.columns.first(where: { $0.property.name == "pk_property" }),
            tables.type == .string, tables.layout == .bytes
        else { return }
        for i in 0..<rows.rowCount where !tables.isNull(i) {
            let entry: Entry
            switch (properties.type, properties.layout) {
            case (.string, .bytes): entry = .name(properties.string(i))
            case (.int, .word): entry = .column(Int(properties.words[i]))
            default: continue
            }
            let name = tables.string(i)
            // Releases for Android wrote the name of the table for that of the class.
            let title = name.hasPrefix("class_") ? String(name.dropFirst(6)) : name
            if entries[title] == nil { entries[title] = entry }
        }
    }
}
