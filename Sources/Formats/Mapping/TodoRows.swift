// Rows of a batch read as to-dos, by property name: they may come from a store whose class
// somebody else has changed. What is missing or of another type reads as absent.

/// The rows of a batch as to-dos.
package struct TodoRows {
    private let columns: [Column?]
    private let items: [TodoItemRows?]
    /// The batch.
    package let batch: RecordBatch

    /// Rows of a batch whose class is, or resembles, `TodoItem`.
    package init(_ batch: RecordBatch) {
        self.batch = batch
        let ours = TodoClass.schema.classes[0].properties
        let theirs = batch.classSchema
        let columns = ours.map { property -> Column? in
            guard let i = theirs.index(of: property.name) else { return nil }
            let found = theirs.properties[i]
            guard found.type == property.type, found.collection == property.collection,
                found.type != .link || batch.schema.isEmbedded(found)
            else { return nil }
            return batch.columns[i]
        }
        self.columns = columns
        items = columns.map { column in
            guard let column, column.type == .link else { return nil }
            return TodoItemRows((column.elements ?? column).child)
        }
    }

    /// The number of rows.
    package var count: Int { batch.rowCount }

    /// A text; valid until the batch changes.
    package func text(_ field: TodoField, _ row: Int) -> UnsafeRawBufferPointer? {
        guard let column = columns[field.rawValue], !column.isNull(row) else { return nil }
        return column.bytes(row)
    }

    /// A text as a string.
    package func string(_ field: TodoField, _ row: Int) -> String? {
        text(field, row).map { String(decoding: $0, as: UTF8.self) }
    }

    /// A number.
    package func number(_ field: TodoField, _ row: Int) -> Int64? {
        guard let column = columns[field.rawValue], !column.isNull(row) else { return nil }
        return column.words[row]
    }

    /// True when a scalar or a list of texts says something.
    package func holds(_ field: TodoField, _ row: Int) -> Bool {
        guard let column = columns[field.rawValue] else { return false }
        return column.layout == .collection ? !column.range(row).isEmpty : !column.isNull(row)
    }

    /// The row's id.
    package func id(_ row: Int) -> ObjectID? {
        guard let column = columns[TodoField.id.rawValue], !column.isNull(row) else { return nil }
        return column.objectID(row)
    }

    /// The positions of a list's elements, for `element` and `item`.
    package func range(_ field: TodoField, _ row: Int) -> Range<Int> {
        columns[field.rawValue]?.range(row) ?? 0..<0
    }

    /// The text of one element of a list of texts.
    package func element(_ field: TodoField, _ i: Int) -> UnsafeRawBufferPointer {
        guard let elements = columns[field.rawValue]?.elements, !elements.isNull(i) else {
            return UnsafeRawBufferPointer(start: nil, count: 0)
        }
        return elements.bytes(i)
    }

    /// The texts of a list as strings.
    package func strings(_ field: TodoField, _ row: Int) -> [String] {
        range(field, row).map { String(decoding: element(field, $0), as: UTF8.self) }
    }

    /// A date.
    package func date(_ field: TodoField, _ row: Int) -> TodoItemView? {
        guard let column = columns[field.rawValue], !column.isNull(row),
            let rows = items[field.rawValue]
        else { return nil }
        return TodoItemView(rows: rows, row: Int(column.words[row]))
    }

    /// One embedded item of a list.
    package func item(_ field: TodoField, _ i: Int) -> TodoItemView? {
        guard let elements = columns[field.rawValue]?.elements, !elements.isNull(i),
            let rows = items[field.rawValue]
        else { return nil }
        return TodoItemView(rows: rows, row: Int(elements.words[i]))
    }
}

/// The embedded items of a batch: dates, relations or lines, by property name.
package final class TodoItemRows {
    /// The texts an item may have.
    package enum Text: Int, CaseIterable {
        case group, raw, local, tzid, zone, kind, uid, name, value

        /// The names of the properties, made once: a case is asked for its name slowly.
        static let names = allCases.map { String(describing: $0) }
    }

    let texts: [Column?]
    let order: Column?
    let parameters: Column?

    init(_ batch: RecordBatch) {
        func column(_ name: String, _ layout: Column.Layout) -> Column? {
            guard let i = batch.classSchema.index(of: name) else { return nil }
            return batch.columns[i].layout == layout ? batch.columns[i] : nil
        }
        texts = Text.names.map { column($0, .bytes) }
        order = column("order", .word)
        parameters = column("parameters", .collection)
    }
}

/// One embedded item of a row.
package struct TodoItemView {
    let rows: TodoItemRows
    let row: Int

    /// A text of the item; valid until the batch changes.
    package func text(_ text: TodoItemRows.Text) -> UnsafeRawBufferPointer? {
        guard let column = rows.texts[text.rawValue], !column.isNull(row) else { return nil }
        return column.bytes(row)
    }

    /// A text of the item as a string.
    package func string(_ text: TodoItemRows.Text) -> String? {
        self.text(text).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The place of the item among the lines it came from.
    package var order: Int64 {
        guard let column = rows.order, !column.isNull(row) else { return 0 }
        return column.words[row]
    }

    /// Calls `body` with each parameter that no field of the item holds, as written.
    package func forEachParameter(_ body: (UnsafeRawBufferPointer) -> Void) {
        guard let column = rows.parameters, let elements = column.elements,
            elements.layout == .bytes
        else { return }
        for i in column.range(row) where !elements.isNull(i) { body(elements.bytes(i)) }
    }
}
