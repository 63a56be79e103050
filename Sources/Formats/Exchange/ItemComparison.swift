// When two rows of a built-in class hold the same items: in which line of the record an item stood
// is no content, nor is a line kept for its place alone.

/// Compares lists of items of two rows of one class.
struct ItemComparison {
    private let first: (batch: RecordBatch, row: Int)
    private let second: (batch: RecordBatch, row: Int)

    /// Lines kept as they are that tell when and by what the record was saved.
    private static let volatile: Set<String> = ["REV", "PRODID", "DTSTAMP", "LAST-MODIFIED"]
    /// Lines whose value a property has as well.
    private static let scalars = [
        "UID": "uid", "KIND": "kind", "VERSION": "version", "FN": "formattedName",
    ]
    /// Lists of things of several kinds; those of one kind stand in order, the kinds do not.
    private static let mixed = ["extras": "name", "dates": "kind"]

    init(
        _ first: (batch: RecordBatch, row: Int), _ second: (batch: RecordBatch, row: Int)
    ) {
        self.first = first
        self.second = second
    }

    /// True when two columns of the rows hold the same items in the same order, wherever in the
    /// record they stood.
    func isSame(_ a: Column, _ b: Column) -> Bool {
        guard let x = a.elements, let y = b.elements else {
            guard a.layout == .object, b.layout == .object, a.nulls[first.row] == 0,
                b.nulls[second.row] == 0
            else { return false }
            return isSame(
                a.child, Int(a.words[first.row]), b.child, Int(b.words[second.row]))
        }
        guard x.layout == .object, y.layout == .object else { return false }
        let left = items(x, a.range(first.row), first)
        let right = items(y, b.range(second.row), second)
        return left.count == right.count
            && zip(left, right).allSatisfy { isSame(x.child, $0, y.child, $1) }
    }

    private func isSame(_ a: RecordBatch, _ i: Int, _ b: RecordBatch, _ j: Int) -> Bool {
        zip(a.columns, b.columns).allSatisfy {
            $0.property.name == "order" || $0.isEqual(i, to: $1, j)
        }
    }

    /// The items that tell something, those of one kind side by side.
    private func items(
        _ column: Column, _ range: Range<Int>, _ owner: (batch: RecordBatch, row: Int)
    ) -> [Int] {
        let rows = range.map { Int(column.words[$0]) }
        let list = column.property.name
        guard let member = Self.mixed[list], let place = column.child.classSchema.index(of: member)
        else { return rows }
        var named: [(name: String, row: Int)] = []
        for row in rows {
            let name = column.child.columns[place].string(row).uppercased()
            if list == "extras" {
                if Self.volatile.contains(name) { continue }
                if let scalar = Self.scalars[name], repeats(column.child, row, scalar, owner) {
                    continue
                }
            }
            named.append((name, row))
        }
        return named.enumerated()
            .sorted { ($0.element.name, $0.offset) < ($1.element.name, $1.offset) }
            .map(\.element.row)
    }

    /// True for a kept line that says what a property says, and nothing else.
    private func repeats(
        _ items: RecordBatch, _ item: Int, _ scalar: String,
        _ owner: (batch: RecordBatch, row: Int)
    ) -> Bool {
        guard let at = owner.batch.classSchema.index(of: scalar),
            owner.batch.columns[at].layout == .bytes, owner.batch.columns[at].nulls[owner.row] == 0
        else { return false }
        for column in items.columns {
            switch column.property.name {
            case "order", "name": continue
            case "raw": continue
            case "value":
                if !column.bytes(item).elementsEqual(owner.batch.columns[at].bytes(owner.row)) {
                    return false
                }
            default:
                if column.layout == .collection
                    ? !column.range(item).isEmpty
                    : column.nulls[item] == 0
                {
                    return false
                }
            }
        }
        return true
    }
}
