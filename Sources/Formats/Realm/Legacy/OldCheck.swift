// Checks a store of a format before 10 as far as reading does: that every row of every table can be
// had. Free space, search indexes and backlinks are not looked at; nothing is ever written to such
// a store.

enum OldCheck {
    static func run(_ store: Store) -> StoreCheckResult {
        var result = StoreCheckResult()
        let reader = store.makeReader()
        let batch = RecordBatch(schema: store.schema)
        do throws(FormatError) {
            while try reader.next(into: batch) { result.rows += batch.rowCount }
        } catch {
            result.add(error, "rows")
        }
        result.tables = store.schema.classes.count + store.facts.internalTables.count
        for item in reader.context.report.items {
            result.add(
                item.code, item.property ?? "", nil,
                (item.action ?? "") + (item.count > 1 ? " (\(item.count) times)" : ""))
        }
        if store.facts.isHalfUpgraded {
            result.add("half-upgraded", "", nil, "an upgrade to format 10 was interrupted")
        }
        return result
    }
}
