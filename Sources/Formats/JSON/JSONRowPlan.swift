// How the rows of one batch become JSON objects: a flat list of fields with the pointers of their
// columns, bound once a batch, so that a value costs no call through a class. The spelling of a
// single value is in JSONValueWriter.

/// One column of a batch (or the elements or keys of one), ready to be written.
struct JSONField {
    /// What the value is, and so which vectors to look at.
    enum Kind: UInt8 {
        case int, bool, float, double, date, decimal128, objectId, uuid, string, data, mixed
        case link, object, list, dictionary
        // In the canonical spelling of Extended JSON.
        case canonicalInt, canonicalFloat, canonicalDouble, canonicalDate, canonicalUUID

        /// Whether `words` holds the values, or their first words.
        var hasWords: Bool {
            switch self {
            case .string, .data, .mixed, .list, .dictionary: false
            default: true
            }
        }

        /// Whether `extra` holds second words.
        var hasPairs: Bool {
            switch self {
            case .date, .decimal128, .objectId, .uuid, .canonicalDate, .canonicalUUID: true
            default: false
            }
        }

        /// The same, to be spelled canonically.
        var canonical: Kind {
            switch self {
            case .int: .canonicalInt
            case .float: .canonicalFloat
            case .double: .canonicalDouble
            case .date: .canonicalDate
            case .uuid: .canonicalUUID
            default: self
            }
        }
    }

    var kind: Kind
    /// The member name with its punctuation, in the plan's `names`, and room behind it.
    var name: UnsafePointer<UInt8>
    var nameCount = 0
    var words: UnsafeMutablePointer<Int64>
    var extra: UnsafeMutablePointer<Int64>
    var nulls: UnsafeMutablePointer<UInt8>
    var bytes: UnsafeMutablePointer<UInt8>
    var ends: UnsafeMutablePointer<Int>
    /// The class a link leads to.
    var target = 0
    /// A list of strings, or of embedded objects.
    var listsStrings = false
    var listsObjects = false
    /// A set or dictionary, which has an order of its own.
    var isOrdered = false
    /// The class of embedded objects is planned in this slot.
    var slot = 0
    /// The high bit of each byte, until the column's text is known to be UTF-8 (`trust`).
    var highs = JSONText.high
    private var isChecked = false
    /// The batch keeps it as long as the plan.
    private unowned(unsafe) var column: Column

    init(_ column: Column, slot: Int, target: Int) {
        if column.layout == .collection {
            kind = column.property.collection == .dictionary ? .dictionary : .list
            isOrdered = column.property.collection != .list
            if !isOrdered, let elements = column.elements {
                listsStrings = elements.type == .string
                listsObjects = elements.layout == .object
            }
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
        self.column = column
        name = UnsafePointer(column.bytes.base)
        words = column.words.base
        extra = column.extra.base
        nulls = column.nulls.base
        bytes = column.bytes.base
        ends = column.ends.base
    }

    mutating func bind(_ column: Column) {
        self.column = column
        isChecked = column.isKnownUTF8
        highs = isChecked ? 0 : JSONText.high
        // Room behind the arena lets the last value be read eight bytes at a time.
        if kind == .string { column.bytes.reserve(adding: 16) }
        words = column.words.base
        extra = column.extra.base
        nulls = column.nulls.base
        bytes = column.bytes.base
        ends = column.ends.base
    }

    /// The bytes of a value.
    @inline(__always)
    func value(_ i: Int) -> UnsafeRawBufferPointer {
        let start = i == 0 ? 0 : ends[i &- 1]
        return UnsafeRawBufferPointer(start: bytes + start, count: ends[i] &- start)
    }

    /// Looks at the text of all rows, when a string outside ASCII is met first: from then on none of
    /// them needs a look of its own.
    mutating func trust() {
        if isChecked { return }
        isChecked = true
        let bytes = UnsafeRawBufferPointer(column.bytes.elements)
        if UTF8Check.areValid(bytes, endingAt: column.ends.elements) { highs = 0 }
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
    /// `,"name":` of each field, with 16 bytes of room behind the last one.
    let names: RawVector<UInt8>
    /// The fields that are written, in order: those that some row of the batch has a value for, or
    /// all.
    let used: UnsafeMutablePointer<UnsafeMutablePointer<JSONField>>
    @exclusivity(unchecked) private(set) var usedCount = 0
    /// The values of the first field in use, where it is an int with a short name and nulls are
    /// left out.
    @exclusivity(unchecked) private(set) var leadingWords: UnsafePointer<Int64>?
    /// Nulls and empty collections are left out.
    private let omitsEmpty: Bool
    private let doublesQuotes: Bool
    private let isCanonical: Bool
    /// For each 32 fields in use one word a row: a bit for each that is written.
    private let present: RawVector<UInt32>
    @exclusivity(unchecked) private(set) var rows = 0
    /// Of each slot the plan of its embedded objects once there is one, kept by this plan.
    private let children: UnsafeMutablePointer<Unmanaged<JSONRowPlan>?>
    @exclusivity(unchecked) private var generation = 0
    @exclusivity(unchecked) private var presentGeneration = 0

    /// - Parameters:
    ///   - doublesQuotes: the names are for text inside a quoted CSV cell.
    ///   - isCanonical: values are spelled in canonical Extended JSON.
    init(
        _ batch: RecordBatch, columns: [Int]?, classIndices: [String: Int], omitsEmpty: Bool,
        doublesQuotes: Bool, isCanonical: Bool = false
    ) {
        self.batch = batch
        self.isCanonical = isCanonical
        self.omitsEmpty = omitsEmpty
        self.doublesQuotes = doublesQuotes
        classIndex = batch.classIndex
        let selection = columns ?? Array(batch.columns.indices)
        self.selection = selection
        let count = max(selection.count, 1)
        fields = .allocate(capacity: count)
        elements = .allocate(capacity: count)
        keys = .allocate(capacity: count)
        used = .allocate(capacity: count)
        names = RawVector(capacity: 16 * count)
        present = RawVector(capacity: 16)
        children = .allocate(capacity: count)
        children.initialize(repeating: nil, count: count)
        for (slot, position) in selection.enumerated() {
            let column = batch.columns[position]
            let target = column.property.target.flatMap { classIndices[$0] } ?? 0
            var field = JSONField(column, slot: slot, target: target)
            let start = names.count
            let name = column.property.name
            let text = JSONText.quoted(name.utf8.first == 0x24 ? "$" + name : name)
            names.append(0x2C)
            for byte in text.utf8 {
                names.append(byte)
                if doublesQuotes, byte == 0x22 { names.append(byte) }
            }
            names.append(0x3A)
            field.nameCount = names.count - start
            (fields + slot).initialize(to: field)
            (elements + slot).initialize(
                to: JSONField(column.elements ?? column, slot: slot, target: target))
            (keys + slot).initialize(
                to: JSONField(column.keys ?? column, slot: slot, target: target))
            if isCanonical {
                fields[slot].kind = fields[slot].kind.canonical
                elements[slot].kind = elements[slot].kind.canonical
            }
        }
        names.reserve(adding: 16)
        var name = UnsafePointer(names.base)
        for slot in selection.indices {
            fields[slot].name = name
            name += fields[slot].nameCount
        }
    }

    deinit {
        for slot in selection.indices { children[slot]?.release() }
        children.deallocate()
        fields.deallocate()
        elements.deallocate()
        keys.deallocate()
        used.deallocate()
        names.destroy()
        present.destroy()
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
            if !omitsEmpty || !JSONRowPlan.isEmpty(column) {
                used[usedCount] = fields + slot
                usedCount += 1
            }
        }
        leadingWords = nil
        if omitsEmpty, usedCount > 0 {
            let first = used[0].pointee
            if first.kind == .int, first.nameCount <= 16 {
                leadingWords = UnsafePointer(first.words)
            }
        }
    }

    /// Readies for writing whole rows: which fields each has. Column by column that takes an
    /// instruction or two a value, field by field of a row it took ten.
    @inline(__always)
    func bindRows(_ generation: Int) {
        bind(generation)
        if presentGeneration != generation { findPresent(generation) }
    }

    private func findPresent(_ generation: Int) {
        presentGeneration = generation
        rows = 0
        for n in 0..<usedCount {
            rows = max(rows, batch.columns[selection[used[n].pointee.slot]].count)
        }
        present.removeAll()
        let groups = (usedCount + 31) / 32
        guard omitsEmpty else {
            for group in 0..<groups {
                let left = usedCount - group * 32
                present.append(left >= 32 ? .max : (1 << UInt32(left)) - 1)
            }
            return
        }
        present.append(repeating: 0, count: groups * rows)
        for n in 0..<usedCount {
            let column = batch.columns[selection[used[n].pointee.slot]]
            let words = present.base + n / 32 * rows
            let bit: UInt32 = 1 << UInt32(n % 32)
            if column.layout == .collection {
                let ends = column.ends.elements
                var start = 0
                for i in 0..<ends.count {
                    words[i] |= ends[i] == start ? 0 : bit
                    start = ends[i]
                }
            } else {
                let nulls = column.nulls.elements
                for i in 0..<nulls.count { words[i] |= nulls[i] == 0 ? bit : 0 }
            }
        }
    }

    /// Which of the 32 fields in use from `first` on a row is written with.
    @inline(__always)
    func present(_ i: Int, from first: Int) -> UInt32 {
        present[omitsEmpty ? first / 32 &* rows &+ i : first / 32]
    }

    /// True when no row has a value or an element.
    private static func isEmpty(_ column: Column) -> Bool {
        if let elements = column.elements { return elements.count == 0 }
        let nulls = column.nulls
        return firstIndex(of: 0, in: UnsafePointer(nulls.base), count: nulls.count) == nil
    }

    /// The plan of the embedded objects in a slot.
    @inline(__always)
    func child(_ slot: Int, _ classIndices: [String: Int]) -> Unmanaged<JSONRowPlan> {
        if let known = children[slot] { return known }
        let made = makeChild(slot, classIndices)
        children[slot] = made
        return made
    }

    private func makeChild(_ slot: Int, _ classIndices: [String: Int]) -> Unmanaged<JSONRowPlan> {
        let column = batch.columns[selection[slot]]
        return Unmanaged.passRetained(
            JSONRowPlan(
                (column.elements ?? column).child, columns: nil, classIndices: classIndices,
                omitsEmpty: omitsEmpty, doublesQuotes: doublesQuotes, isCanonical: isCanonical))
    }
}
