// Filling the columns of embedded items with no more work than the values that are there: a column
// that gets no value for a row costs nothing, and its nulls are filled in when the next value
// comes, or at the end of the batch (`settle`); so are the marks of values that are not null. The
// vectors stand here without their classes, so that a value costs no reference counting.

/// Appends the values of one column.
struct ColumnFill {
    let words: RawVector<Int64>
    let extra: RawVector<Int64>
    let bytes: RawVector<UInt8>
    let ends: RawVector<Int>
    let nulls: RawVector<UInt8>
    /// Of a list of strings: the vectors of its elements.
    let elementBytes: RawVector<UInt8>
    let elementEnds: RawVector<Int>
    let elementNulls: RawVector<UInt8>
    /// As long as the batch has rows, the one at hand included.
    private let rows: RawVector<Int64>
    private let layout: Column.Layout

    /// - Parameter rows: a vector that gets one element at the beginning of each row.
    init(_ column: Column, rows: RawVector<Int64>) {
        words = column.words
        extra = column.extra
        bytes = column.bytes
        ends = column.ends
        nulls = column.nulls
        let elements = column.elements ?? column
        elementBytes = elements.bytes
        elementEnds = elements.ends
        elementNulls = elements.nulls
        layout = column.layout
        self.rows = rows
    }

    /// The row at hand.
    @inline(__always)
    private var row: Int { rows.count &- 1 }

    /// Whether the row at hand has no value yet.
    var isOpen: Bool {
        (layout == .bytes || layout == .collection ? ends.count : words.count) < rows.count
    }

    /// Appends a number.
    @inline(__always)
    func append(word: Int64) {
        if words.count != row { settle(row) }
        words.append(word)
    }

    /// Appends a date.
    func append(_ date: Timestamp) {
        if words.count != row { settle(row) }
        words.append(date.seconds)
        extra.append(Int64(date.nanoseconds))
    }

    /// Appends an ObjectId; for the column that counts the rows itself.
    func append(first id: ObjectID) {
        words.append(Int64(bitPattern: id.high))
        extra.append(Int64(id.low))
        nulls.append(0)
    }

    /// Appends text.
    @inline(__always)
    func append(bytes value: UnsafeRawBufferPointer) {
        bytes.append(bytes: value)
        closeBytes()
    }

    /// Appends text.
    func append(_ text: String) {
        bytes.append(text)
        closeBytes()
    }

    /// Ends a text whose bytes were put into `bytes` directly.
    @inline(__always)
    func closeBytes() {
        if ends.count != row { settle(row) }
        ends.append(bytes.count)
    }

    /// The text that was appended last; valid until the next append.
    var last: UnsafeRawBufferPointer {
        let count = ends.count
        return bytes.bytes(
            from: count < 2 ? 0 : ends[count - 2], to: count < 1 ? 0 : ends[count - 1])
    }

    /// Ends an element whose bytes were put into `elementBytes` directly.
    @inline(__always)
    func closeElement() {
        elementEnds.append(elementBytes.count)
    }

    /// Drops the elements from a position on.
    func truncateElements(to count: Int) {
        elementEnds.truncate(to: count)
        if elementNulls.count > count { elementNulls.truncate(to: count) }
        elementBytes.truncate(to: count == 0 ? 0 : elementEnds[count - 1])
    }

    /// The elements of the list that was ended last.
    var lastRange: Range<Int> {
        let count = ends.count
        return (count < 2 ? 0 : ends[count - 2])..<(count < 1 ? 0 : ends[count - 1])
    }

    /// The text of an element.
    func element(_ j: Int) -> UnsafeRawBufferPointer {
        elementBytes.bytes(from: j == 0 ? 0 : elementEnds[j - 1], to: elementEnds[j])
    }

    /// Ends the list of the row at hand; a list without elements need not be ended.
    @inline(__always)
    func closeCollection() {
        if ends.count != row { settle(row) }
        ends.append(elementEnds.count)
    }

    /// Fills in what the rows before `count` were not given, and that the others are not null.
    @inline(never)
    func settle(_ count: Int) {
        switch layout {
        case .word, .object, .pair:
            nulls.append(repeating: 0, count: words.count &- nulls.count)
            let missing = count &- words.count
            guard missing > 0 else { return }
            words.append(repeating: 0, count: missing)
            if layout == .pair { extra.append(repeating: 0, count: missing) }
            nulls.append(repeating: 1, count: missing)
        case .bytes, .collection:
            if layout == .bytes {
                nulls.append(repeating: 0, count: ends.count &- nulls.count)
            } else {
                elementNulls.append(repeating: 0, count: elementEnds.count &- elementNulls.count)
            }
            let missing = count &- ends.count
            guard missing > 0 else { return }
            // What was put into `bytes` already belongs to the row at hand.
            ends.append(repeating: ends.isEmpty ? 0 : ends[ends.count - 1], count: missing)
            if layout == .bytes { nulls.append(repeating: 1, count: missing) }
        }
    }
}

/// Appends the items of one property, a list of embedded objects or a single one.
struct ItemFill {
    /// The columns of the items, by position in their class.
    let fields: UnsafeMutablePointer<ColumnFill>
    /// The items' places in their cards: one for each item.
    private let orders: RawVector<Int64>
    private let objectWords: RawVector<Int64>
    private let objectNulls: RawVector<UInt8>
    private let listEnds: RawVector<Int>
    private let isList: Bool
    private let rows: RawVector<Int64>

    /// - Parameters:
    ///   - items: the columns.
    ///   - fields: room for as many as the items have properties.
    ///   - rows: a vector that gets one element at the beginning of each contact.
    init(
        _ items: ItemColumns, _ fields: UnsafeMutablePointer<ColumnFill>, rows: RawVector<Int64>
    ) {
        for (i, column) in items.batch.columns.enumerated() {
            (fields + i).initialize(to: ColumnFill(column, rows: items.order.words))
        }
        self.fields = fields
        orders = items.order.words
        objectWords = items.objects.words
        objectNulls = items.objects.nulls
        listEnds = items.owner.ends
        isList = items.owner.layout == .collection
        self.rows = rows
    }

    @inline(__always) var group: ColumnFill { fields[1] }
    @inline(__always) var label: ColumnFill { fields[2] }
    @inline(__always) var types: ColumnFill { fields[3] }
    @inline(__always) var preference: ColumnFill { fields[4] }
    @inline(__always) var language: ColumnFill { fields[5] }
    @inline(__always) var parameters: ColumnFill { fields[6] }
    @inline(__always) var raw: ColumnFill { fields[7] }
    /// The items' own columns, from the ninth on.
    @inline(__always) var own: UnsafeMutablePointer<ColumnFill> { fields + 8 }

    /// Begins an item of the contact at hand.
    @inline(__always)
    func begin(order: Int) {
        let row = rows.count &- 1
        if isList {
            // That its objects are the items in their order is filled in at the end.
            while listEnds.count < row { listEnds.append(orders.count) }
        } else {
            while objectWords.count < row {
                objectWords.append(0)
                objectNulls.append(1)
            }
            objectWords.append(Int64(orders.count))
            objectNulls.append(0)
        }
        orders.append(Int64(order))
    }

    /// Whether the item at hand is its contact's first.
    var isFirst: Bool { !isList || orders.count &- 1 == (listEnds.isEmpty ? 0 : start) }

    /// Where the items of the contact at hand begin.
    private var start: Int {
        // The rows before it were closed when its first item began.
        listEnds[listEnds.count - 1]
    }

    /// Fills in what was not given, for all contacts of the batch.
    func settle(_ items: ItemColumns) {
        let count = items.order.words.count
        for i in items.batch.columns.indices { fields[i].settle(count) }
        items.batch.closeRows(count - items.batch.rowCount)
        if isList {
            while listEnds.count < rows.count { listEnds.append(count) }
            let known = objectWords.count
            let objects = objectWords.extend(count - known)
            for i in 0..<count - known { objects[i] = Int64(known + i) }
            objectNulls.append(repeating: 0, count: count - known)
        } else {
            while objectWords.count < rows.count {
                objectWords.append(0)
                objectNulls.append(1)
            }
        }
    }
}
