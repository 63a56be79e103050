// To-dos that are done no more: what a source that tells the state of each does not call done, is open.

extension ImportTransfer {
    /// True for what says that a stored to-do is done, where the incoming row, which would say so
    /// too, says none of it (T3: who takes a completion back, removes all three).
    func reopens(
        _ target: Int, _ row: Int, of rows: RecordBatch, _ base: (batch: RecordBatch, row: Int),
        _ gaps: ImportGaps
    ) -> Bool {
        guard isTodo, gaps.saysState(row),
            Self.stateUnit.contains(stored.classSchema.properties[target].name)
        else { return false }
        let places = Self.stateUnit.compactMap { stored.classSchema.index(of: $0) }
        for place in places {
            guard let route = routes[place], isEmpty(place, rows.columns[route.from], row) else {
                return false
            }
        }
        return places.contains { isDone(base.batch.columns[$0], base.row) }
    }

    private func isDone(_ column: Column, _ row: Int) -> Bool {
        if column.isNull(row) { return false }
        switch column.property.name {
        case "status": return NameKey.equals(column.bytes(row), "COMPLETED")
        case "percent": return column.words[row] == 100
        default: return true
        }
    }
}
