// How the rows of one batch become JSON objects: a flat list of fields with the pointers of their
// columns, bound once a batch, so that a value costs no call through a class. The spelling of a
// single value is in JSONValueWriter.

/// One column of a batch (or the elements or keys of one), ready to be written.
struct JSONField {
    /// What the value is, and so which vectors to look at.
    enum Kind: UInt8 {
        case int, bool, float, double, date, decimal128, objectId, uuid, string, data, mixed
        case link, object, list, dictionary
    }

    var kind: Kind
    /// The member name with its punctuation, in the plan's `names`.
    var nameStart = 0
    var nameCount = 0
    var words: UnsafeMutablePointer<Int64>
    var extra: UnsafeMutablePointer<Int64>
    var nulls: UnsafeMutablePointer<UInt8>
    var bytes: UnsafeMutablePointer<UInt8>
    var ends: UnsafeMutablePointer<Int>
    /// The class a link leads to.
    var target = 0
    /// A set or dictionary, which has an order of its own.
    var isOrdered = false
    /// The class of embedded objects is planned in this slot.
    var slot = 0

    init(_ column: Column, slot: Int, target: Int) {
        if column.layout == .collection {
            kind = column.property.collection == .dictionary ? .dictionary : .list
            isOrdered = column.property.collection != .list
        } else {
            switch column.type {
            case .int: kind = .int
            case .bool: kind = .bool
            case .float: kind = .float
            case .double: kind = .double
            case .date: kind = .date
            case .decimal128: kind = .decimal128
            case .objectId: kind = .objectId
            case .uuid: kind = .uuid
            case .string: kind = .string
            case .data: kind = .data
            case .mixed: kind = .mixed
            case .link: kind = column.layout == .word ? .link : .object
            case .table: kind = .object
            }
        }
        self.slot = slot
        self.target = target
        words = column.words.base
        extra = column.extra.base
        nulls = column.nulls.base
        bytes = column.bytes.base
        ends = column.ends.base
    }

    mutating func bind(_ column: Column) {
        words = column.words.base
        extra = column.extra.base
        nulls = column.nulls.base
        bytes = column.bytes.base
        ends = column.ends.base
    }
}

/// The fields of one batch, and the plans of the embedded objects in it.
final class JSONRowPlan {
    let batch: RecordBatch
    let classIndex: Int
    /// The columns that are written, by position in the class.
    let selection: [Int]
    let fields: UnsafeMutablePointer<JSONField>
    let elements: UnsafeMutablePointer<JSONField>
    let keys: UnsafeMutablePointer<JSONField>
    /// `"name":` of each field, with 16 bytes of room behind the last one.
    let names: RawVector<UInt8>
    /// The fields that some row of the batch has a value for, in order.
    let used: UnsafeMutablePointer<Int>
    @exclusivity(unchecked) private(set) var usedCount = 0
    @exclusivity(unchecked) private var children: [JSONRowPlan?]
    @exclusivity(unchecked) private var generation = 0

    init(_ batch: RecordBatch, columns: [Int]?, classIndices: [String: Int]) {
        self.batch = batch
        classIndex = batch.classIndex
        let selection = columns ?? Array(batch.columns.indices)
        self.selection = selection
        let count = max(selection.count, 1)
        fields = .allocate(capacity: count)
        elements = .allocate(capacity: count)
        keys = .allocate(capacity: count)
        used = .allocate(capacity: count)
        names = RawVector(capacity: 16 * count)
        children = Array(repeating: nil, count: selection.count)
        for (slot, position) in selection.enumerated() {
            let column = batch.columns[position]
            let target = column.property.target.flatMap { classIndices[$0] } ?? 0
            var field = JSONField(column, slot: slot, target: target)
            field.nameStart = names.count
            let name = column.property.name
            JSONText.write(name.utf8.first == 0x24 ? "$" + name : name, to: names)
            names.append(0x3A)
            field.nameCount = names.count - field.nameStart
            (fields + slot).initialize(to: field)
            (elements + slot).initialize(
                to: JSONField(column.elements ?? column, slot: slot, target: target))
            (keys + slot).initialize(
                to: JSONField(column.keys ?? column, slot: slot, target: target))
        }
        names.reserve(adding: 16)
    }

    deinit {
        fields.deallocate()
        elements.deallocate()
        keys.deallocate()
        used.deallocate()
        names.destroy()
    }

    /// Takes the pointers of the batch's vectors anew, unless that was done for this generation.
    @inline(__always)
    func bind(_ generation: Int) {
        if self.generation != generation { rebind(generation) }
    }

    private func rebind(_ generation: Int) {
        self.generation = generation
        usedCount = 0
        for (slot, position) in selection.enumerated() {
            let column = batch.columns[position]
            fields[slot].bind(column)
            if let c = column.elements { elements[slot].bind(c) }
            if let c = column.keys { keys[slot].bind(c) }
            if !JSONRowPlan.isEmpty(column) {
                used[usedCount] = slot
                usedCount += 1
            }
        }
    }

    /// True when no row has a value or an element.
    private static func isEmpty(_ column: Column) -> Bool {
        if let elements = column.elements { return elements.count == 0 }
        let nulls = column.nulls
        return firstIndex(of: 0, in: UnsafePointer(nulls.base), count: nulls.count) == nil
    }

    /// The plan of the embedded objects in a slot.
    @inline(__always)
    func child(_ slot: Int, _ classIndices: [String: Int]) -> JSONRowPlan {
        if let known = children[slot] { return known }
        let column = batch.columns[selection[slot]]
        let plan = JSONRowPlan(
            (column.elements ?? column).child, columns: nil, classIndices: classIndices)
        children[slot] = plan
        return plan
    }
}
