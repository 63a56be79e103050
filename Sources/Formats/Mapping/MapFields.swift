// What the two readers of maps need of contacts and to-dos, and the pieces both kinds share:
// columns found by name (they may come from a store somebody has changed), embedded items read
// and written.

/// The fields of one built-in class as maps see them.
protocol MapFields {
    /// The built-in class and what it owns.
    static var schema: Schema { get }
    /// Properties whose absence from an app's class is no loss.
    static var unremarkable: Set<String> { get }

    /// The fields of a batch's rows; the batch may be refilled.
    init(_ batch: RecordBatch, zone: String?)

    /// The UID of a row, and what tells apart rows of one UID.
    func uid(_ row: Int) -> (uid: UnsafeRawBufferPointer, recurrence: UnsafeRawBufferPointer?)?
    /// A yes-or-no field.
    func flag(_ word: String, _ category: String?, _ row: Int) -> Bool
    /// Appends a field's value.
    /// - Returns: the properties whose values went into it; nil when there is none, with nothing
    ///   appended.
    func append(_ field: AppMap.Field, _ row: Int, to column: Column) -> [MapUse]?

    /// True where a record says nothing of a yes or no, which is no then.
    func isSilent(_ field: AppMap.Field, _ row: Int) -> Bool

    /// The names of the groups a record is in.
    func groups(_ row: Int) -> [String]
    /// True for a record that stands for a group of others.
    func isGroup(_ row: Int) -> Bool

    /// How many lines among the extra ones of a row only repeat what a property says.
    func repeatedLines(_ row: Int) -> Int
    /// True when a property holds what is meant without it as well.
    func saysNothing(_ property: String, _ row: Int) -> Bool

    /// Appends one property of the built-in class from a row of the app's class.
    static func appendBack(
        _ property: Property, _ row: MapBackRow, to column: Column, order: inout Int64)
}

extension MapFields {
    func isSilent(_ field: AppMap.Field, _ row: Int) -> Bool { false }
    func groups(_ row: Int) -> [String] { [] }
    func isGroup(_ row: Int) -> Bool { false }
    func repeatedLines(_ row: Int) -> Int { 0 }
    func saysNothing(_ property: String, _ row: Int) -> Bool { false }
}

/// How many values of a property found a place.
struct MapUse {
    /// What of a value found no place, with the code to report it by.
    typealias Rest = (code: String, value: String, action: String)

    let property: String
    let count: Int
    let rest: Rest?

    init(_ property: String, _ count: Int = 1, rest: Rest? = nil) {
        self.property = property
        self.count = count
        self.rest = rest
    }
}

/// The embedded items of a list, with one of their texts.
struct MapItems {
    private let list: Column?
    private let value: Column?
    private let preference: Column?
    private let child: RecordBatch?

    init(_ batch: RecordBatch, _ property: String, _ text: String = "value") {
        let column = batch.column(property)
        list = column?.layout == .collection ? column : nil
        child = list?.elements?.layout == .object ? list?.elements?.child : nil
        value = child?.column(text)
        preference = child?.column("preference")
    }

    /// The items of a row.
    func range(_ row: Int) -> Range<Int> { child == nil ? 0..<0 : list?.range(row) ?? 0..<0 }

    /// The row of an item among the embedded objects.
    func itemRow(_ i: Int) -> Int? {
        guard let elements = list?.elements, elements.nulls[i] == 0 else { return nil }
        return Int(elements.words[i])
    }

    /// The text of an item.
    func text(_ i: Int) -> UnsafeRawBufferPointer? { text(i, value) }

    /// Another text of an item.
    func text(_ i: Int, _ column: Column?) -> UnsafeRawBufferPointer? {
        guard let column, column.layout == .bytes, let row = itemRow(i), column.nulls[row] == 0,
            column.bytes(row).count > 0
        else { return nil }
        return column.bytes(row)
    }

    /// A column of the items.
    func column(_ name: String) -> Column? { child?.column(name) }

    /// The item with a text that is preferred, else the first one.
    func best(_ row: Int, where hasText: (Int) -> Bool) -> Int? {
        var found: (item: Int, preference: Int64)?
        for i in range(row) where hasText(i) {
            var rank = Int64.max
            if let preference, let at = itemRow(i), preference.nulls[at] == 0 {
                rank = preference.words[at]
            }
            if let known = found, rank >= known.preference { continue }
            found = (i, rank)
        }
        return found?.item
    }
}

extension RecordBatch {
    /// The column of a property, nil when there is none of that name.
    func column(_ name: String) -> Column? { classSchema.index(of: name).map { columns[$0] } }
}

extension Column {
    /// A text that is there and not empty.
    func presentText(_ row: Int) -> UnsafeRawBufferPointer? {
        guard layout == .bytes, nulls[row] == 0 else { return nil }
        let text = bytes(row)
        return text.count > 0 ? text : nil
    }

    /// Appends an embedded item to the list of a row that is being filled, or as its value.
    func appendItem(order: Int64?, _ fill: (Property, Column) -> Bool) {
        openObject()
        for (column, property) in zip(child.columns, child.classSchema.properties) {
            if property.name == "order", let order {
                column.append(word: order)
            } else if fill(property, column) {
                continue
            } else if property.isOptional || property.collection != nil {
                column.appendNull()
            } else {
                switch column.layout {
                case .word: column.append(word: 0)
                case .pair: column.append(word: 0, 0)
                case .bytes: column.append(bytes: UnsafeRawBufferPointer(start: nil, count: 0))
                case .object, .collection: column.appendNull()
                }
            }
        }
        child.closeRow()
    }

    /// Appends an embedded item with one text.
    func appendItem(order: Int64, _ name: String, _ text: UnsafeRawBufferPointer) {
        appendItem(order: order) { property, column in
            guard property.name == name else { return false }
            column.append(bytes: text)
            return true
        }
    }
}

/// A row of an app's class on the way back.
struct MapBackRow {
    let map: AppMap
    let batch: RecordBatch
    let row: Int
    /// For each field of the map, the column in the batch; nil where the store has none.
    let columns: [Column?]
    let id: ObjectID

    /// The fields of some words that go back, with their columns, in order.
    func fields(_ words: Set<String>) -> [(field: AppMap.Field, column: Column)] {
        zip(map.fields, columns).compactMap { field, column in
            guard field.goesBack, words.contains(field.from), let column else { return nil }
            return (field, column)
        }
    }

    /// The text of a field, if it is there and not empty.
    func text(_ word: String) -> UnsafeRawBufferPointer? {
        for (_, column) in fields([word]) {
            if let text = column.presentText(row) { return text }
        }
        return nil
    }

    /// All texts of some fields.
    func texts(_ words: Set<String>) -> [UnsafeRawBufferPointer] {
        var all: [UnsafeRawBufferPointer] = []
        for (field, column) in fields(words) where field.category == nil {
            if column.layout == .collection, let elements = column.elements,
                elements.layout == .bytes
            {
                for i in column.range(row) where elements.nulls[i] == 0 {
                    all.append(elements.bytes(i))
                }
            } else if let text = column.presentText(row) {
                all.append(text)
            }
        }
        return all
    }

    /// The names of the categories whose mark is set.
    func markedCategories() -> [String] {
        fields(["category"]).compactMap { field, column in
            guard let name = field.category, column.type == .bool, column.layout == .word,
                column.nulls[row] == 0, column.words[row] != 0
            else { return nil }
            return name
        }
    }

    /// A yes-or-no field; nil when there is none.
    func flag(_ word: String) -> Bool? {
        for (_, column) in fields([word]) where column.type == .bool && column.layout == .word {
            return column.nulls[row] == 0 && column.words[row] != 0
        }
        return nil
    }

    /// A date field.
    func date(_ word: String) -> Timestamp? {
        for (_, column) in fields([word])
        where column.type == .date && column.layout == .pair && column.nulls[row] == 0 {
            return column.date(row)
        }
        return nil
    }

    /// A number.
    func int(_ word: String) -> Int64? {
        for (_, column) in fields([word])
        where column.type == .int && column.layout == .word && column.nulls[row] == 0 {
            return column.words[row]
        }
        return nil
    }
}
