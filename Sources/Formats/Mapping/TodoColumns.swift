// The columns of a batch of `TodoItem` rows: by position for readers that fill them line by line
// (no object is touched in their loops), by name for writers, whose rows may come from a store
// that somebody else has changed. Only columns; what a value means is for the formats.

/// The properties of `TodoItem`, in schema order.
package enum TodoField: Int, CaseIterable, Sendable {
    case id, uid, title, notes, status
    case completed, created, modified, stamp, recurrenceID
    case percent, priority, sequence
    case start, due, duration
    case recurrence, relations, categories
    case classification, location, url, geo, color
    case components, timeZones, extras

    /// The property's name.
    package var name: String { TodoClass.schema.classes[0].properties[rawValue].name }
}

// MARK: Filling

/// Text values of one column, for appending.
struct TextColumn {
    let bytes: RawVector<UInt8>
    let ends: RawVector<Int>
    let nulls: RawVector<UInt8>

    init(_ column: Column) {
        bytes = column.bytes
        ends = column.ends
        nulls = column.nulls
    }

    @inline(__always)
    func null() {
        ends.append(bytes.count)
        nulls.append(1)
    }

    @inline(__always)
    func close() {
        ends.append(bytes.count)
        nulls.append(0)
    }

    @inline(__always)
    func append(_ text: UnsafeRawBufferPointer) {
        bytes.append(bytes: text)
        close()
    }
}

/// Ints of one column, for appending.
struct WordColumn {
    let words: RawVector<Int64>
    let nulls: RawVector<UInt8>

    init(_ column: Column) {
        words = column.words
        nulls = column.nulls
    }

    @inline(__always)
    func append(_ value: Int64?) {
        words.append(value ?? 0)
        nulls.append(value == nil ? 1 : 0)
    }
}

/// A list of texts, for appending.
struct TextListColumn {
    let elements: TextColumn
    let ends: RawVector<Int>

    init(_ column: Column) {
        elements = TextColumn(column.elements ?? column)
        ends = column.ends
    }

    /// Ends the row's list.
    @inline(__always)
    func close() { ends.append(elements.ends.count) }
}

/// Embedded items (dates, relations, lines), for appending. Their own columns, at most three of
/// text, follow the eight that every item has.
struct TodoItemColumns {
    private let words: RawVector<Int64>
    private let nulls: RawVector<UInt8>
    private let child: RecordBatch
    private let order: WordColumn
    let group: TextColumn
    private let label: TextColumn
    private let types: TextListColumn
    private let preference: WordColumn
    private let language: TextColumn
    let parameters: TextListColumn
    let raw: TextColumn
    let own: (TextColumn, TextColumn, TextColumn)

    init(_ column: Column) {
        words = column.words
        nulls = column.nulls
        let child = column.child
        self.child = child
        let columns = child.columns
        order = WordColumn(columns[0])
        group = TextColumn(columns[1])
        label = TextColumn(columns[2])
        types = TextListColumn(columns[3])
        preference = WordColumn(columns[4])
        language = TextColumn(columns[5])
        parameters = TextListColumn(columns[6])
        raw = TextColumn(columns[7])
        own = (
            TextColumn(columns[8]), TextColumn(columns[9]),
            TextColumn(columns[min(10, columns.count - 1)])
        )
    }

    func null() {
        words.append(0)
        nulls.append(1)
    }

    /// Begins an item; `group`, `parameters`, `raw` and its own columns are the caller's to fill.
    @inline(__always)
    func open(order place: Int) {
        words.append(Int64(child.rowCount))
        nulls.append(0)
        order.append(Int64(place))
        label.null()
        types.close()
        preference.append(nil)
        language.null()
    }

    @inline(__always)
    func close() { child.closeRow() }
}

/// All columns of a batch of `TodoItem` rows in the built-in schema, for appending.
struct TodoColumns {
    let id: Column
    let texts: [TextColumn]
    let numbers: [WordColumn]
    let dates: [TodoItemColumns]
    let recurrence: TextListColumn
    let categories: TextListColumn
    let components: TextListColumn
    let timeZones: TextListColumn
    let relations: TodoItemColumns
    let relationEnds: RawVector<Int>
    let extras: TodoItemColumns
    let extraEnds: RawVector<Int>
    let batch: RecordBatch

    /// The fields of `texts`, `numbers` and `dates`, in that order.
    static let textFields: [TodoField] = [
        .uid, .title, .notes, .status, .duration, .classification, .location, .url, .geo, .color,
    ]
    static let numberFields: [TodoField] = [.percent, .priority, .sequence]
    static let dateFields: [TodoField] = [
        .completed, .created, .modified, .stamp, .recurrenceID, .start, .due,
    ]

    /// The columns of a batch that has the built-in schema; nil for any other.
    init?(_ batch: RecordBatch) {
        let columns = batch.columns
        guard batch.classSchema == TodoClass.schema.classes[0] else { return nil }
        func column(_ field: TodoField) -> Column { columns[field.rawValue] }
        func elements(_ field: TodoField) -> Column { column(field).elements ?? column(field) }
        self.batch = batch
        id = column(.id)
        texts = TodoColumns.textFields.map { TextColumn(column($0)) }
        numbers = TodoColumns.numberFields.map { WordColumn(column($0)) }
        dates = TodoColumns.dateFields.map { TodoItemColumns(column($0)) }
        recurrence = TextListColumn(column(.recurrence))
        categories = TextListColumn(column(.categories))
        components = TextListColumn(column(.components))
        timeZones = TextListColumn(column(.timeZones))
        relations = TodoItemColumns(elements(.relations))
        relationEnds = column(.relations).ends
        extras = TodoItemColumns(elements(.extras))
        extraEnds = column(.extras).ends
    }
}
