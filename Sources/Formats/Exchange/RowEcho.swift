// What a source would say of a stored row, had that row been written the way the source is: a table has
// fewer words than a card, so what it says is compared with what it could say, not with the card. How a
// row is written and read back is known by the source's own room; here stands what is asked of it.

/// Says what a source that is coarser than the store would say of stored rows.
protocol RowEcho: AnyObject, Sendable {
    /// The classes of the rows that the source gives; the first one is meant.
    var schema: Schema { get }
    /// What would be read of the rows, one for each; nil where that cannot be told.
    /// - Parameter hasOverflow: what has no place of its own stands in the notes.
    func echo(of rows: RecordBatch, hasOverflow: Bool) -> RecordBatch?
}

/// A row of a batch.
struct RowPlace {
    let batch: RecordBatch
    let row: Int

    init(_ batch: RecordBatch, _ row: Int) {
        self.batch = batch
        self.row = row
    }

    /// The items that the row holds in a column, as rows of the column's embedded objects; nil for a
    /// column without such.
    func items(_ column: Int) -> [Int]? {
        let it = batch.columns[column]
        if it.layout == .object { return it.nulls[row] == 0 ? [Int(it.words[row])] : [] }
        guard it.layout == .collection, let elements = it.elements, elements.layout == .object
        else { return nil }
        return it.range(row).filter { elements.nulls[$0] == 0 }.map { Int(elements.words[$0]) }
    }

    /// The embedded objects of a column.
    func objects(_ column: Int) -> RecordBatch {
        let it = batch.columns[column]
        return (it.elements ?? it).child
    }
}

/// Copies of stored rows that a source may be asked about.
enum EchoRows {
    /// The most bytes of a picture or sound that a copy keeps; no table says longer ones.
    private static let dataLimit = 10_000

    /// Copies rows of a stored class of the same shape, with what is known of their groups.
    static func copy(_ rows: [Int], of batch: RecordBatch, as schema: Schema) -> RecordBatch {
        let copy = RecordBatch(schema: schema)
        copy.groups.names = batch.groups.names
        for (i, row) in rows.enumerated() {
            for (column, source) in zip(copy.columns, batch.columns) {
                column.append(row, of: source)
            }
            copy.closeRow()
            if let groups = batch.groups.categories[row] { copy.groups.categories[i] = groups }
        }
        for column in copy.columns where column.layout == .collection {
            guard let elements = column.elements, elements.layout == .object else { continue }
            for data in elements.child.columns where data.type == .data && data.layout == .bytes {
                var long: [Int: [UInt8]?] = [:]
                for i in 0..<data.count where data.bytes(i).count > dataLimit {
                    long.updateValue(nil, forKey: i)
                }
                if !long.isEmpty { data.replace(long) }
            }
        }
        return copy
    }

    /// Appends copies of a row, as many as it has items, each without one of them.
    static func append(withoutEach items: [ItemPlace], of place: RowPlace, to copy: RecordBatch) {
        for item in items {
            for (k, (column, source)) in zip(copy.columns, place.batch.columns).enumerated() {
                guard k == item.list else {
                    column.append(place.row, of: source)
                    continue
                }
                guard let elements = column.elements, let others = source.elements else {
                    column.appendNull()
                    continue
                }
                for j in source.range(place.row)
                where others.nulls[j] != 0 || Int(others.words[j]) != item.row {
                    elements.append(j, of: others)
                }
                column.closeCollection()
            }
            if let groups = place.batch.groups.categories[place.row] {
                copy.groups.categories[copy.rowCount] = groups
            }
            copy.closeRow()
        }
    }

    /// True when a stored class has the properties that a source gives, in their order.
    static func isSameShape(_ a: Schema, _ i: Int, _ b: Schema, _ j: Int) -> Bool {
        isSameShape(a, i, b, j, depth: 0)
    }

    private static func isSameShape(
        _ a: Schema, _ i: Int, _ b: Schema, _ j: Int, depth: Int
    ) -> Bool {
        guard depth < 4, i < a.classes.count, j < b.classes.count else { return false }
        let (x, y) = (a.classes[i].properties, b.classes[j].properties)
        guard x.count == y.count, a.classes[i].kind == b.classes[j].kind else { return false }
        return zip(x, y).allSatisfy { p, q in
            guard p.name == q.name, p.type == q.type, p.collection == q.collection
            else { return false }
            guard p.type == .link else { return true }
            guard let m = p.target.flatMap({ a.index(of: $0) }),
                let n = q.target.flatMap({ b.index(of: $0) })
            else { return false }
            return isSameShape(a, m, b, n, depth: depth + 1)
        }
    }
}

/// An item of a row: the position of its property, and its row among the embedded objects.
struct ItemPlace: Hashable {
    let list: Int
    let row: Int
}
