// What an update took away from stored rows: items, parameters, names, keys. The update itself is in
// `ImportReader`.

extension ImportReader {
    /// Notes a primary key that came in with a row which was found by something else. Ids may have
    /// been made here and say nothing.
    func noteKey(
        _ it: ImportClass, _ incoming: Int, _ old: (batch: RecordBatch, row: Int)
    ) {
        guard let from = it.keyColumn, let name = it.stored.classSchema.primaryKey,
            let place = it.stored.classSchema.index(of: name), !it.keyless.contains(incoming)
        else { return }
        let (ours, theirs) = (it.rows.columns[from], old.batch.columns[place])
        guard ours.type == .int || ours.type == .string, ours.nulls[incoming] == 0,
            ours.type == theirs.type, !ours.isEqual(incoming, to: theirs, old.row)
        else { return }
        context.report.note(
            .lost, "key-kept", record: it.recordNumber(incoming), property: name,
            value: ours.value(incoming).text(),
            action: "the row was found by something else; the stored one keeps its primary key")
    }

    /// Items whose replacement is the update itself.
    private static let names: Set<String> = ["formattedNames", "names", "labels"]

    /// Notes phone numbers, addresses and other items of a card that the new one does not have.
    func noteReplaced(
        _ it: ImportClass, _ incoming: Int, _ old: (batch: RecordBatch, row: Int),
        _ new: (batch: RecordBatch, row: Int)
    ) {
        for (a, b) in zip(old.batch.columns, new.batch.columns) {
            if a.property.name == "uid", a.layout == .bytes {
                noteUID(it, incoming, a, old, b, new)
            }
            if it.isMatchedByShared(incoming) { noteName(it, incoming, a, old, b, new) }
            if a.property.name == "names" { noteNameParts(it, incoming, a, old.row, b, new.row) }
            noteGone(it, incoming, a, old.row, b, new)
            guard a.layout == .collection, let x = a.elements, let y = b.elements,
                x.layout == .object, let order = x.child.classSchema.index(of: "order")
            else { continue }
            let rest = x.child.columns.indices.filter { $0 != order }
            let isExtras = a.property.name == "extras"
            let gone = a.range(old.row).filter { i in
                // A label's line goes and comes with what it names.
                if isExtras, ImportTransfer.isAttribute(x.child, Int(x.words[i])) { return false }
                return !b.range(new.row).contains { j in
                    rest.allSatisfy {
                        x.child.columns[$0].isEqual(
                            Int(x.words[i]), to: y.child.columns[$0], Int(y.words[j]))
                    }
                }
            }
            if gone.isEmpty { continue }
            let isName = ImportReader.names.contains(a.property.name)
            // What stays under another kind or label has changed; the rest is lost.
            let news = b.range(new.row).map { Int(y.words[$0]) }
            var (lost, changed, stripped): ([String], [String], [String]) = ([], [], [])
            for item in gone.map({ Int(x.words[$0]) }) {
                let text = ImportReader.text(x.child, item)
                let taken = news.filter {
                    ImportReader.text(y.child, $0).lowercased() == text.lowercased()
                        && (!isExtras
                            || ImportReader.isSameLine(x.child, item, y.child, $0))
                }.map { ImportReader.taken(from: x.child, item, by: y.child, $0) }
                guard let least = taken.min(by: { $0.count < $1.count }) else {
                    lost.append(text)
                    continue
                }
                if least.isEmpty {
                    changed.append(text)
                } else {
                    stripped.append("\(text) (\(least.joined(separator: ", ")))")
                }
            }
            for (kind, code, values, action) in [
                (
                    Report.ItemClass.lost, "items-replaced", lost,
                    "stored items gave way to those that came in"
                ),
                (
                    .changed, "items-replaced", changed,
                    "stored items gave way to those that came in"
                ),
                (
                    .lost, "parameters-replaced", stripped,
                    "the items that came in have the same values without it"
                ),
            ] where !values.isEmpty && !(isName && code == "items-replaced") {
                context.report.note(
                    kind, code, record: it.recordNumber(incoming), property: a.property.name,
                    value: values.joined(separator: "; "), count: values.count, action: action)
            }
        }
    }

    /// The names of what an item says beside its value and another of the same value does not.
    private static func taken(
        from old: RecordBatch, _ i: Int, by new: RecordBatch, _ j: Int
    ) -> [String] {
        let names = [
            "types": "TYPE", "preference": "PREF", "language": "LANGUAGE", "label": "X-ABLabel",
            "sortAs": "SORT-AS",
        ]
        var taken: [String] = []
        for (x, y) in zip(old.columns, new.columns) {
            let name = x.property.name
            if ["order", "group", "raw"].contains(name) { continue }
            if name == "parameters", let before = x.elements, let after = y.elements {
                func parameters(_ texts: Column, _ range: Range<Int>) -> [String] {
                    range.map { String(texts.string($0).prefix { $0 != "=" }).uppercased() }
                }
                let kept = parameters(after, y.range(j))
                taken += parameters(before, x.range(i)).filter { !kept.contains($0) }
                continue
            }
            let isGone =
                x.layout == .collection
                ? !x.range(i).isEmpty && y.range(j).isEmpty
                : !ImportReader.isBare(x, i) && ImportReader.isBare(y, j)
            if isGone { taken.append(names[name] ?? name) }
        }
        return taken
    }

    /// True for two lines of one name.
    private static func isSameLine(_ a: RecordBatch, _ i: Int, _ b: RecordBatch, _ j: Int) -> Bool {
        guard let x = a.classSchema.index(of: "name"), let y = b.classSchema.index(of: "name")
        else { return false }
        return a.columns[x].string(i).uppercased() == b.columns[y].string(j).uppercased()
    }

    /// True for null and an empty text.
    private static func isBare(_ column: Column, _ row: Int) -> Bool {
        column.isNull(row) || column.layout == .bytes && column.bytes(row).isEmpty
    }

    /// Notes words of a list and values that the stored to-do had and the new one has not.
    private func noteGone(
        _ it: ImportClass, _ incoming: Int, _ a: Column, _ oldRow: Int, _ b: Column,
        _ new: (batch: RecordBatch, row: Int)
    ) {
        guard schema.classes[current].name == "TodoItem" else { return }
        let newRow = new.row
        // A state that was told changes what goes with it.
        if ["completed", "percent"].contains(a.property.name), b.nulls[newRow] != 0,
            let status = new.batch.classSchema.index(of: "status"),
            new.batch.columns[status].nulls[newRow] == 0
        {
            return
        }
        var gone: [String] = []
        if let old = MomentText(a, oldRow), a.property.name != "stamp" {
            // The hour and the zone go where a day takes their place.
            if old.says(moreThan: MomentText(b, newRow)) { gone = [old.text] }
        } else if a.layout == .collection, let x = a.elements, let y = b.elements,
            x.layout == .bytes
        {
            let kept = Set(b.range(newRow).map { y.string($0) })
            gone = a.range(oldRow).map { x.string($0) }.filter { !kept.contains($0) }
        } else if a.layout == .bytes || a.layout == .word, a.nulls[oldRow] == 0,
            b.nulls[newRow] != 0
        {
            gone = [a.layout == .bytes ? a.string(oldRow) : String(a.words[oldRow])]
        }
        if gone.isEmpty { return }
        context.report.note(
            .lost, "items-replaced", record: it.recordNumber(incoming), property: a.property.name,
            value: gone.joined(separator: "; "), count: gone.count,
            action: "what was stored gave way to the to-do that came in")
    }

    /// Notes the name that gives way where a record was found by its address or number.
    private func noteName(
        _ it: ImportClass, _ incoming: Int, _ a: Column, _ old: (batch: RecordBatch, row: Int),
        _ b: Column, _ new: (batch: RecordBatch, row: Int)
    ) {
        guard ["formattedName", "name"].contains(a.property.name), a.layout == .bytes,
            a.property.type == .string, a.nulls[old.row] == 0, !a.isEqual(old.row, to: b, new.row)
        else { return }
        context.report.note(
            .lost, "name-replaced", record: it.recordNumber(incoming), property: a.property.name,
            value: a.string(old.row),
            action: "the stored person of this address or number had another name; "
                + "--match name+email or name+phone keeps them apart")
    }

    /// Notes the parts of a name that the new one lacks altogether.
    private func noteNameParts(
        _ it: ImportClass, _ incoming: Int, _ a: Column, _ oldRow: Int, _ b: Column, _ newRow: Int
    ) {
        /// The texts of a part in all names of a row.
        func texts(_ column: Column, _ row: Int, _ part: Int) -> [String] {
            guard let elements = column.elements, elements.layout == .object else { return [] }
            let values = elements.child.columns[part]
            var texts: [String] = []
            for j in column.range(row) where elements.nulls[j] == 0 {
                let item = Int(elements.words[j])
                if values.layout == .collection, let inner = values.elements {
                    texts += values.range(item).map { inner.string($0) }
                } else if values.layout == .bytes, values.nulls[item] == 0 {
                    texts.append(values.string(item))
                }
            }
            return texts.filter { !$0.isEmpty }
        }
        guard let child = a.elements?.child else { return }
        for (part, property) in child.classSchema.properties.enumerated()
        where property.type == .string
            && !["group", "label", "types", "parameters", "raw"].contains(property.name)
        {
            let gone = texts(a, oldRow, part)
            if gone.isEmpty || !texts(b, newRow, part).isEmpty { continue }
            context.report.note(
                .lost, "name-part-replaced", record: it.recordNumber(incoming),
                property: "names." + property.name, value: gone.joined(separator: " "),
                count: gone.count, action: "the name that came in does not have it")
        }
    }

    /// Notes the UID of a record that was found by something else, when another one, or none,
    /// takes its place.
    private func noteUID(
        _ it: ImportClass, _ incoming: Int, _ a: Column, _ old: (batch: RecordBatch, row: Int),
        _ b: Column, _ new: (batch: RecordBatch, row: Int)
    ) {
        guard a.property.type == .string, b.layout == .bytes, a.nulls[old.row] == 0 else { return }
        let stored = a.string(old.row)
        let now = b.nulls[new.row] == 0 ? b.string(new.row) : ""
        if stored.isEmpty || ImportRule.plainUID(stored) == ImportRule.plainUID(now) { return }
        context.report.note(
            .lost, "uid-replaced", record: it.recordNumber(incoming), property: a.property.name,
            value: stored,
            action: now.isEmpty
                ? "the record that replaced it has no UID" : "the record that came in has another")
    }

    /// Members that are no part of what an item says.
    private static let unsaid: Set<String> = ["group", "label", "language", "raw"]

    /// What an item says: its value, else all its texts.
    private static func text(_ items: RecordBatch, _ row: Int) -> String {
        func text(_ column: Column) -> String? {
            guard column.layout == .bytes, column.property.type == .string,
                column.nulls[row] == 0, column.property.collection == nil
            else { return nil }
            return column.string(row)
        }
        if let value = items.classSchema.index(of: "value").flatMap({ text(items.columns[$0]) }) {
            return value
        }
        // A day, without what it is called.
        let parts = ["year", "month", "day"].compactMap { name -> String? in
            guard let at = items.classSchema.index(of: name), items.columns[at].layout == .word,
                items.columns[at].nulls[row] == 0
            else { return nil }
            let number = String(items.columns[at].words[row])
            return number.count == 1 ? "0" + number : number
        }
        if !parts.isEmpty { return parts.joined(separator: "-") }
        return items.columns.filter { !unsaid.contains($0.property.name) }.compactMap(text)
            .filter { !$0.isEmpty }.joined(separator: ", ")
    }
}
