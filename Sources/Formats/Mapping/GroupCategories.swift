// Contacts with their groups as categories, for formats that know groups but whose readers often do
// not (`--groups categories`). Who is in which group is found out by `GroupingReader`.

/// Another reader's contacts without the cards of groups, each with its groups as categories.
final class GroupCategoryReader: WrappingReader {
    let reader: any RecordReader
    private let inner: RecordBatch
    /// The next row of `inner` to hand on.
    private var at = 0

    init(_ reader: any RecordReader) {
        self.reader = reader
        inner = RecordBatch(schema: reader.schema)
    }

    /// Rows up to the next group, so that they keep their numbers.
    func next(into batch: RecordBatch) throws(FormatError) -> Bool {
        while true {
            while at < inner.rowCount, inner.groups.isGroup.contains(at) { at += 1 }
            if at < inner.rowCount { break }
            at = 0
            guard try reader.next(into: inner) else {
                inner.removeAll()
                batch.removeAll()
                return false
            }
        }
        batch.begin(class: inner.classIndex)
        batch.groups = RowGroups()
        batch.firstRecord = inner.firstRecord + at
        batch.isConverted = inner.isConverted
        let place = batch.classSchema.index(of: "categories")
        while at < inner.rowCount, !inner.groups.isGroup.contains(at) {
            if let place, let words = inner.groups.categories[at] {
                append(at, place, words, to: batch)
            } else {
                batch.append(row: at, of: inner)
            }
            at += 1
        }
        return true
    }

    /// Appends a row with more categories.
    private func append(_ row: Int, _ place: Int, _ words: [String], to batch: RecordBatch) {
        if inner.keys.count > row { batch.keys.append(inner.keys[row]) }
        for (i, (column, source)) in zip(batch.columns, inner.columns).enumerated()
        where source.count > row {
            guard i == place, let items = ItemColumns(column), let known = ItemColumns(source),
                items.owner.layout == .collection
            else {
                column.append(row, of: source)
                continue
            }
            var present: Set<String> = []
            var last: Int?
            for j in source.range(row) {
                items.objects.append(j, of: known.objects)
                guard !known.objects.isNull(j) else { continue }
                let child = Int(known.objects.words[j])
                // A line that says more is not of the group's kind.
                if GroupCategoryReader.isPlain(child, known) { last = child }
                present.insert(known.own[0].string(child))
            }
            for word in words where present.insert(word).inserted {
                add(word, like: last, known, to: items)
            }
            column.closeCollection()
        }
        batch.closeRow()
    }

    /// Behind all lines of a card.
    private static let lastOrder: Int64 = 1 << 40

    /// True for a category whose line has nothing but words.
    private static func isPlain(_ child: Int, _ items: ItemColumns) -> Bool {
        items.types.range(child).isEmpty && items.parameters.range(child).isEmpty
            && items.language.isNull(child) && items.preference.isNull(child)
    }

    /// Adds a category: to the line of the last plain one there is, else a line of its own.
    private func add(_ word: String, like last: Int?, _ known: ItemColumns, to items: ItemColumns) {
        items.objects.openObject()
        for (column, source) in zip(items.batch.columns, known.batch.columns) {
            if column === items.own[0] {
                column.append(word)
            } else if let last, column !== items.raw {
                column.append(last, of: source)
            } else if column === items.order {
                column.append(word: GroupCategoryReader.lastOrder)
            } else {
                column.appendNull()
            }
        }
        items.batch.closeRow()
    }
}
