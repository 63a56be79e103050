// What the sources of an import would say of the stored rows of a batch, found out for all of them at
// once.

/// The echoes of the stored rows that incoming ones match.
struct StoredEchoes {
    /// The echo of a row.
    struct Row {
        let echo: any RowEcho
        /// The stored row as the source was asked about it.
        let copy: RowPlace
        /// What it says.
        let said: RowPlace
        /// What it says of the row without each of its items, where that was asked.
        fileprivate(set) var variants: EchoTraces.Variants?

        /// What an incoming row says otherwise.
        func edits(
            _ stored: RowPlace, _ incoming: RowPlace, ignoring ignored: Set<String>
        ) -> EchoEdits {
            EchoEdits(stored, copy: copy, incoming, said: said, ignoring: ignored, echo)
        }

        /// The stored items behind what is said; nil where it cannot be told.
        func traces(_ stored: RowPlace) -> EchoTraces? {
            let known = variants ?? EchoTraces.variants(of: [(stored, copy)], echo).first ?? nil
            return known.map { EchoTraces(stored, said, $0) }
        }
    }

    /// By the row in the batch.
    private(set) var rows: [Int: Row] = [:]
    private let groups: RowGroups

    /// - Parameter sources: rows of the batch, each with the echo of the source that changes it.
    init(_ batch: RecordBatch, _ sources: [(row: Int, echo: (any RowEcho)?)]) {
        groups = batch.groups
        var rest = sources.compactMap { row, echo in echo.map { (row, $0) } }
        while let echo = rest.first?.1 {
            let own = rest.filter { $0.1 === echo }.map(\.0)
            rest.removeAll { $0.1 === echo }
            let copy = EchoRows.copy(own, of: batch, as: echo.schema)
            guard let said = echo.echo(of: copy, hasOverflow: false), said.rowCount == own.count
            else { continue }
            for (i, row) in own.enumerated() {
                rows[row] = Row(echo: echo, copy: RowPlace(copy, i), said: RowPlace(said, i))
            }
        }
    }

    /// Asks about rows that were edited, all of them at once.
    mutating func trace(_ edited: [Int], _ batch: RecordBatch) {
        var rest = edited
        while let echo = rest.first.flatMap({ rows[$0]?.echo }) {
            let own = rest.filter { rows[$0]?.echo === echo }
            rest.removeAll { rows[$0]?.echo === echo }
            let asked = own.compactMap { row in
                rows[row].map { (stored: RowPlace(batch, row), copy: $0.copy) }
            }
            for (row, found) in zip(own, EchoTraces.variants(of: asked, echo)) {
                rows[row]?.variants = found
            }
        }
    }

    /// The echo of what a row of the batch became.
    func again(_ changed: (batch: RecordBatch, row: Int), _ row: Int) -> Row? {
        guard let echo = rows[row]?.echo else { return nil }
        let copy = EchoRows.copy([changed.row], of: changed.batch, as: echo.schema)
        copy.groups.names = groups.names
        copy.groups.categories = groups.categories[row].map { [0: $0] } ?? [:]
        guard let said = echo.echo(of: copy, hasOverflow: false), said.rowCount == 1 else {
            return nil
        }
        return Row(echo: echo, copy: RowPlace(copy, 0), said: RowPlace(said, 0))
    }
}

extension ImportClass {
    /// True when the stored class and what came in are the contacts that the echoes know.
    func hasContactsOf(_ echoes: [(any RowEcho)?]) -> Bool {
        guard let schema = echoes.lazy.compactMap({ $0 }).first?.schema else { return false }
        return transfer.emptySaysNothing
            && EchoRows.isSameShape(stored.schema, stored.classIndex, schema, 0)
            && EchoRows.isSameShape(incoming.schema, incoming.classIndex, schema, 0)
    }
}

extension ImportTransfer {
    /// True for a row whose UID was made of its key.
    func hasMadeUID(_ row: Int, of rows: RecordBatch) -> Bool {
        guard let place = incoming.classSchema.index(of: "uid"),
            rows.columns[place].layout == .bytes, !rows.columns[place].isNull(row)
        else { return false }
        return isMadeUID(rows.columns[place].string(row), row, of: rows)
    }

    /// Single values of a contact that say nothing of it.
    func unsaid(_ hasMadeUID: Bool) -> Set<String> {
        let key = stored.classSchema.primaryKey ?? ""
        return hasMadeUID ? [key, "uid"] : [key]
    }
}
