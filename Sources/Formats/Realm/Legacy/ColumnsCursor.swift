// Walks the rows of an old table, which keeps a tree for each column: a chunk ends where the
// first of the wanted columns begins a new leaf. What stands in the leaves is read by RowReader.

/// Some rows of an old table.
struct ColumnsChunk: RowChunk {
    let first: Int
    let count: Int
    fileprivate let places: [Result<LeafPlace, FormatError>?]
    fileprivate let list: Int64

    func key(_ row: Int) -> Int64 { Int64(first &+ row) }

    func place(_ column: ColumnPlan) throws(FormatError) -> LeafPlace {
        guard let place = places[column.property] else {
            throw FormatError(.defect, "a column was not asked for", offset: Int(list))
        }
        return try place.get()
    }
}

/// A walk over the rows of an old table, or of a subtable in one cell.
final class ColumnsCursor {
    private struct Part {
        let property: Int
        let root: Int64
        var main: TreeCursor
        var second: TreeCursor?
        let error: FormatError?
    }

    /// A chunk never holds more rows.
    private static let rowLimit = 1024

    private let session: ReadSession
    private let list: Int64
    private let columnCount: Int
    private var parts: [Part] = []
    private var row = 0
    /// The number of rows.
    private(set) var rowCount = 0
    /// The rows the cursor stands on.
    private(set) var chunk: ColumnsChunk?

    /// A walk over the columns whose roots stand in `list` (0 = no rows).
    /// - Parameter rowCount: nil to count them.
    init(
        _ session: ReadSession, list: Int64, columns: [ColumnPlan], wanted: [Bool]? = nil,
        rowCount: Int? = nil
    ) {
        self.session = session
        self.list = list
        columnCount = columns.count
        if list == 0 || rowCount == 0 { return }
        let gate = session.gate
        do throws(FormatError) {
            let roots = try gate.references(list)
            if let rowCount {
                self.rowCount = rowCount
            } else {
                self.rowCount = try ColumnsCursor.count(gate, roots, columns) ?? 0
            }
            for column in columns where wanted?[column.property] ?? true {
                let root = roots.integer(column.leafIndex)
                let rows = self.rowCount
                do throws(FormatError) {
                    var main = root
                    var second: TreeCursor?
                    if column.format.old == .date || column.format.old == .mixed {
                        let top = try gate.references(root, least: 2)
                        main = try gate.ref(top, 0)
                        second = TreeCursor(gate, root: try gate.ref(top, 1), count: rows)
                    }
                    parts.append(
                        Part(
                            property: column.property, root: root,
                            main: TreeCursor(gate, root: main, count: rows), second: second,
                            error: nil))
                } catch {
                    parts.append(
                        Part(
                            property: column.property, root: root,
                            main: TreeCursor(gate, root: 0, count: 0), second: nil, error: error))
                }
            }
        } catch {
            self.rowCount = rowCount ?? 0
            parts = columns.map {
                Part(
                    property: $0.property, root: 0, main: TreeCursor(gate, root: 0, count: 0),
                    second: nil, error: error)
            }
        }
    }

    /// The number of rows most columns agree upon; nil when there is no column that tells.
    private static func count(_ gate: NodeGate, _ roots: Node, _ columns: [ColumnPlan])
        throws(FormatError) -> Int?
    {
        var counts: [Int] = []
        var problem: FormatError?
        for column in columns {
            do throws(FormatError) {
                counts.append(
                    try TreeCount.values(
                        gate, roots.integer(column.leafIndex), column.format.ofCell(column.shape)))
            } catch {
                problem = error
            }
        }
        if counts.isEmpty, let problem { throw problem }
        return TreeCount.agreed(counts)
    }

    /// Moves to the next rows; false behind the last ones.
    func advance() -> Bool {
        chunk = nil
        guard row < rowCount else { return false }
        var end = min(row + ColumnsCursor.rowLimit, rowCount)
        var leaves: [(main: TreeLeaf, second: TreeLeaf?)] = []
        leaves.reserveCapacity(parts.count)
        for i in parts.indices {
            if let error = parts[i].error {
                leaves.append((TreeLeaf(ref: 0, rows: row..<rowCount, error: error), nil))
                continue
            }
            let main = parts[i].main.seek(row)
            let second = parts[i].second?.seek(row)
            end = min(end, main.rows.upperBound, second?.rows.upperBound ?? end)
            leaves.append((main, second))
        }
        var places = [Result<LeafPlace, FormatError>?](repeating: nil, count: columnCount)
        for (part, (main, second)) in zip(parts, leaves) {
            if let error = main.error ?? second?.error {
                places[part.property] = .failure(error)
                continue
            }
            var place = LeafPlace(
                ref: main.ref, start: row - main.rows.lowerBound, count: main.rows.count)
            if let second {
                place.second = SecondLeaf(
                    ref: second.ref, start: row - second.rows.lowerBound,
                    count: second.rows.count)
            }
            place.root = part.root
            places[part.property] = .success(place)
        }
        chunk = ColumnsChunk(first: row, count: end - row, places: places, list: list)
        row = end
        return true
    }
}

extension LeafFormat {
    /// How the cells of a column are stored: those of collections are references.
    func ofCell(_ shape: ColumnPlan.Shape) -> LeafFormat {
        if case .single = shape { return self }
        return LeafFormat(kind: .link, isNullable: false)
    }
}
