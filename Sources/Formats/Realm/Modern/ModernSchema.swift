// From the tables of a modern file to the schema and the plans by which its rows are read.

/// The schema of a snapshot and how to read it: what Modern and Legacy both produce.
struct SnapshotPlan {
    var schema: Schema
    /// One for each class of the schema.
    var tables: [TablePlan]
    /// Tables that are internal and left out.
    var internalTables: [String]
    /// What the classes were read from, nil for a broken one; for checking.
    var sources: [ModernTable?] = []
    /// True when an upgrade from format 9 to 10 was interrupted.
    var isHalfUpgraded = false
    /// Columns that got a name because they had none of their own.
    var renamedColumns = 0
}

enum ModernSchema {
    /// Internal tables are left out of everything that is delivered.
    static func isInternal(_ name: String) -> Bool {
        name == "metadata" || name == "pk" || name.hasPrefix("__")
    }

    /// Plans the reading of a snapshot; `isWhole` takes internal tables in, for checking.
    static func plan(_ gate: NodeGate, _ group: Group, isWhole: Bool = false) throws(FormatError)
        -> SnapshotPlan
    {
        var tables: [(name: String, result: Result<ModernTable, FormatError>, slot: Int)] = []
        for (i, slot) in group.tables.enumerated() where slot.ref != 0 && slot.ref & 1 == 0 {
            do throws(FormatError) {
                tables.append(
                    (slot.name, .success(try ModernTable(gate, name: slot.name, ref: slot.ref)), i))
            } catch {
                tables.append((slot.name, .failure(error), i))
            }
        }
        var result = SnapshotPlan(schema: Schema(classes: []), tables: [], internalTables: [])
        var version: UInt64?
        var shown: [(name: String, result: Result<ModernTable, FormatError>, slot: Int)] = []
        for table in tables {
            if isInternal(table.name) {
                result.internalTables.append(table.name)
                if table.name == "metadata", case .success(let metadata) = table.result {
                    version = schemaVersion(gate, metadata)
                }
            }
            if isWhole || !isInternal(table.name) { shown.append(table) }
        }
        // Names and kinds first: links need to know what they lead to.
        var nameOfTable: [Int64: String] = [:]
        var classes: [ClassSchema] = []
        for table in shown {
            let isClass = table.name.hasPrefix("class_")
            let name = isClass ? String(table.name.dropFirst(6)) : table.name
            var kind = ClassKind.object
            if case .success(let t) = table.result {
                kind = t.kind == 1 ? .embedded : t.kind == 2 ? .asymmetric : .object
                nameOfTable[t.key] = name
            }
            classes.append(
                ClassSchema(name, kind: kind, properties: [], isTable: !isClass, count: 0))
        }
        for (i, table) in shown.enumerated() {
            var plan = TablePlan(
                tableKey: Int64(table.slot), columns: [], root: 0, rowCount: 0, damage: nil)
            switch table.result {
            case .failure(let error):
                plan.damage = error
                result.sources.append(nil)
            case .success(let t):
                result.sources.append(t)
                plan.tableKey = t.key
                do throws(FormatError) {
                    plan.root = t.clusters
                    let columns = try ModernColumns.plan(gate, t, names: nameOfTable)
                    classes[i].properties = columns.map(\.property)
                    classes[i].primaryKey = t.primaryKey.flatMap { key in
                        columns.first { $0.key == key }?.property.name
                    }
                    plan.columns = columns.map(\.plan)
                    plan.rowCount = 0
                    guard let count = try t.rowCount(gate) else {
                        throw gate.damage(
                            t.top.ref, "table \(t.name) states an impossible number of rows")
                    }
                    plan.rowCount = count
                    classes[i].count = count
                } catch {
                    plan.damage = error
                }
            }
            result.tables.append(plan)
        }
        result.schema = Schema(version: version, classes: classes)
        let schema = result.schema
        for (i, definition) in schema.classes.enumerated() {
            for j in result.tables[i].columns.indices {
                let property = definition.properties[result.tables[i].columns[j].property]
                if schema.isEmbedded(property), let target = property.target {
                    result.tables[i].columns[j].embeddedClass = schema.index(of: target)
                }
            }
        }
        return result
    }

    /// The schema version in the first row of the metadata table.
    private static func schemaVersion(_ gate: NodeGate, _ table: ModernTable) -> UInt64? {
        guard
            let column = table.columns.first(where: {
                $0.name == "version" && $0.key.type == ColumnCode.int
            })
        else { return nil }
        let value: Int64?? = try? firstInt(gate, table, column)
        guard let value, let value, value != -1 else { return nil }
        return UInt64(bitPattern: value)
    }

    private static func firstInt(
        _ gate: NodeGate, _ table: ModernTable, _ column: ModernTable.ColumnSpec
    ) throws(FormatError) -> Int64? {
        var cursor = ClusterCursor(gate, root: table.clusters)
        guard try cursor.advance(), let cluster = cursor.cluster else { return nil }
        let lead = column.key.attributes & ColumnCode.nullable == 0 ? 0 : 1
        let leaf = try gate.integers(cluster.leaf(column.key.leafIndex))
        return leaf.count > lead ? leaf.integer(lead) : nil
    }
}
