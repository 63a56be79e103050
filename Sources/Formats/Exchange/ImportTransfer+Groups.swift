// The groups of a card that is updated. Lines of one group belong together, as a number and its
// label do, and every card counts its groups from 1 (`item1`, `item2`). So what comes in takes
// numbers that nothing kept has, and a label stays as long as the line it tells of.

extension ImportTransfer {
    /// Lines that only say something about the others of their group.
    private static let attributes: Set<String> = ["X-ABLABEL", "X-ABADR"]

    /// True for an item of `extras` that only says something about the others of its group.
    static func isAttribute(_ items: RecordBatch, _ item: Int) -> Bool {
        guard let name = items.classSchema.index(of: "name"), items.columns[name].layout == .bytes
        else { return false }
        return attributes.contains(items.columns[name].string(item).uppercased())
    }

    /// The group of an item in lower case; nil without one.
    static func group(_ items: RecordBatch, _ item: Int) -> String? {
        guard let place = items.classSchema.index(of: "group") else { return nil }
        let groups = items.columns[place]
        guard groups.layout == .bytes, groups.nulls[item] == 0 else { return nil }
        return groups.string(item).lowercased()
    }

    /// Calls `body` with each item that a row holds in a column.
    private static func forEachItem(
        _ column: Column, _ row: Int, _ body: (_ items: RecordBatch, _ item: Int) -> Void
    ) {
        func one(_ holder: Column, _ i: Int) {
            guard holder.layout == .object, holder.nulls[i] == 0 else { return }
            body(holder.child, Int(holder.words[i]))
        }
        guard column.layout == .collection else { return one(column, row) }
        guard let elements = column.elements else { return }
        for j in column.range(row) { one(elements, j) }
    }

    /// The groups of the stored items that an update leaves.
    func keptGroups(
        _ row: Int, of rows: RecordBatch, _ base: (batch: RecordBatch, row: Int), _ gaps: ImportGaps
    ) -> Set<String> {
        var kept: Set<String> = []
        for (i, column) in base.batch.columns.enumerated() {
            var replaced: Set<String> = []
            var key: Int?
            if let route = routes[i], !isUnsaid(i, route.from, row, of: rows, gaps) {
                guard let name = mixedKey(i, route.way), let items = column.elements?.child else {
                    continue
                }
                key = items.classSchema.index(of: name)
                replaced = kinds(rows.columns[route.from], row, by: name)
            }
            ImportTransfer.forEachItem(column, base.row) { items, item in
                guard let group = ImportTransfer.group(items, item),
                    !ImportTransfer.isAttribute(items, item)
                else { return }
                if let key, replaced.contains(items.columns[key].string(item).uppercased()) {
                    return
                }
                kept.insert(group)
            }
        }
        return kept
    }

    /// The kinds of things that a list tells of, without the lines about others.
    func kinds(_ column: Column, _ row: Int, by key: String) -> Set<String> {
        var kinds: Set<String> = []
        ImportTransfer.forEachItem(column, row) { items, item in
            guard let key = items.classSchema.index(of: key),
                !ImportTransfer.isAttribute(items, item)
            else { return }
            kinds.insert(items.columns[key].string(item).uppercased())
        }
        return kinds
    }

    /// The incoming row with other numbers for the groups that kept items have; nil where none
    /// clashes.
    func renumbered(_ row: Int, of rows: RecordBatch, kept: Set<String>) -> RecordBatch? {
        if kept.isEmpty { return nil }
        var all: Set<String> = []
        for column in rows.columns {
            ImportTransfer.forEachItem(column, row) { items, item in
                if let group = ImportTransfer.group(items, item) { all.insert(group) }
            }
        }
        let clashing = all.intersection(kept)
        if clashing.isEmpty { return nil }
        var number = 0
        var names: [String: String] = [:]
        for group in clashing.sorted() {
            repeat {
                number += 1
            } while kept.contains("item\(number)")
                || all.contains("item\(number)")
            names[group] = "item\(number)"
        }
        let copy = RecordBatch(schema: rows.schema, classIndex: rows.classIndex)
        copy.append(rows: row..<row + 1, of: rows)
        for column in copy.columns {
            let holder = column.layout == .collection ? column.elements : column
            guard let holder, holder.layout == .object,
                let place = holder.child.classSchema.index(of: "group")
            else { continue }
            let groups = holder.child.columns[place]
            guard groups.layout == .bytes else { continue }
            let texts = (0..<groups.count).map { groups.nulls[$0] == 0 ? groups.string($0) : nil }
            groups.removeAll()
            for text in texts {
                if let text {
                    groups.append(names[text.lowercased()] ?? text)
                } else {
                    groups.appendNull()
                }
            }
        }
        return copy
    }
}
