// One property of a batch of rows, laid out for bulk work: fixed-size values side by side, text
// and bytes in one arena with end offsets, nulls as a byte a value, collections as end offsets
// into a child column. Code that moves whole batches works on the vectors directly; row-wise
// code uses the `append…` calls below.

/// The values of one property for the rows of a batch.
///
/// Which vectors are used depends on the property:
///
/// | value | vectors |
/// |---|---|
/// | int, bool (0/1), link (object key) | `words` |
/// | float, double | `words` (bit pattern, zero-extended) |
/// | date | `words` seconds, `extra` nanoseconds |
/// | decimal128 | `words` low bits, `extra` high bits |
/// | objectId, uuid | `words` first 8 bytes big-endian, `extra` the other 4 or 8 |
/// | string, data, mixed | `bytes` arena, `ends[i]` = end of value i (`MixedEncoding` for mixed) |
/// | embedded object | `words` = row in `child` |
/// | list, set | `ends[i]` = end of row i in `elements` |
/// | dictionary | the same, and `keys` parallel to `elements` |
///
/// A single value (no collection) always has one byte in `nulls`; a null still takes its place
/// in `words`, `extra` (0) and `ends` (empty). Collections are never null.
public final class Column {
    /// How values are laid out.
    public enum Layout: Sendable {
        case word, pair, bytes, object, collection
    }

    /// The property the values belong to.
    public let property: Property
    /// Type of the values: `property.type`, unless this is the key column of a dictionary.
    public let type: PropertyType
    /// Which vectors are used.
    public let layout: Layout
    /// First (or only) machine word of each fixed-size value.
    public let words: RawVector<Int64>
    /// Second machine word of pairs.
    public let extra: RawVector<Int64>
    /// Text, bytes and mixed values, one after the other.
    public let bytes: RawVector<UInt8>
    /// End of each value in `bytes`, or of each row in `elements`.
    public let ends: RawVector<Int>
    /// One byte a value, 1 = null.
    public let nulls: RawVector<UInt8>
    /// The elements of all rows of a collection.
    public let elements: Column?
    /// The keys of all rows of a dictionary.
    public let keys: Column?
    /// The embedded objects (or subtable rows); made when first asked for.
    public var child: RecordBatch {
        if let madeChild { return madeChild }
        let made = makeChild()
        madeChild = made
        return made
    }
    // Appending values asks for these all the time; one thread at a time has a batch.
    @exclusivity(unchecked) private var madeChild: RecordBatch?
    /// True while every value is known to be UTF-8 text, since who appended them all has looked.
    @exclusivity(unchecked) package var isKnownUTF8 = false
    /// False when the reader may leave the column empty (it was not asked for).
    @exclusivity(unchecked) public var isWanted = true

    /// The schema whose class positions number the links inside mixed values.
    let schemaForMixed: Schema
    /// The column whose vectors this one shows; nil for one with vectors of its own.
    private let viewed: Column?

    /// A column for a property of a class of `schema`.
    public convenience init(_ property: Property, schema: Schema) {
        self.init(property, type: property.type, collection: property.collection, schema: schema)
    }

    private init(
        _ property: Property, type: PropertyType, collection: CollectionKind?, schema: Schema
    ) {
        self.property = property
        self.type = type
        schemaForMixed = schema
        let isCollection = collection != nil
        let layout: Layout
        if isCollection {
            layout = .collection
        } else {
            switch type {
            case .int, .bool, .float, .double: layout = .word
            case .link: layout = schema.isEmbedded(property) ? .object : .word
            case .date, .decimal128, .objectId, .uuid: layout = .pair
            case .string, .data, .mixed: layout = .bytes
            case .table: layout = .object
            }
        }
        self.layout = layout
        viewed = nil
        words = RawVector(capacity: 8)
        extra = RawVector(capacity: 1)
        bytes = RawVector(capacity: 8)
        ends = RawVector(capacity: 8)
        nulls = RawVector(capacity: 8)
        elements =
            isCollection ? Column(property, type: type, collection: nil, schema: schema) : nil
        keys =
            collection == .dictionary
            ? Column(
                Property(property.name, property.hasIntKeys ? .int : .string),
                type: property.hasIntKeys ? .int : .string, collection: nil, schema: schema)
            : nil
    }

    /// The values of another column under another property of the same layout: nothing is copied,
    /// and what the other column holds is what this one holds.
    ///
    /// `children` stands for the embedded objects where they have another shape now.
    package init(
        viewing other: Column, as property: Property, schema: Schema,
        children: RecordBatch? = nil
    ) {
        self.property = property
        type = other.type
        layout = other.layout
        schemaForMixed = schema
        viewed = other
        words = other.words
        extra = other.extra
        bytes = other.bytes
        ends = other.ends
        nulls = other.nulls
        elements = other.elements.map {
            Column(viewing: $0, as: property, schema: schema, children: children)
        }
        keys = other.keys
        isWanted = other.isWanted
        madeChild = children
    }

    deinit {
        guard viewed == nil else { return }
        words.destroy()
        extra.destroy()
        bytes.destroy()
        ends.destroy()
        nulls.destroy()
    }

    /// The column whose values these are: itself, unless it only shows another's.
    package var origin: Column {
        var column = self
        while let viewed = column.viewed { column = viewed }
        return column
    }

    /// Marks the text of this column, its elements and embedded objects as known to be UTF-8.
    func trustText() {
        if let elements { return elements.trustText() }
        if let madeChild { return madeChild.trustText() }
        guard type == .string, layout == .bytes else { return }
        assert(
            UTF8Check.areValid(
                UnsafeRawBufferPointer(bytes.elements), endingAt: ends.elements))
        isKnownUTF8 = true
    }

    private func makeChild() -> RecordBatch {
        if let viewed { return viewed.child }
        if type == .table {
            let row = ClassSchema(property.name, kind: .embedded, properties: property.columns)
            return RecordBatch(
                schema: Schema(classes: schemaForMixed.classes + [row]),
                classIndex: schemaForMixed.classes.count)
        }
        let target = property.target.flatMap { schemaForMixed.index(of: $0) }
        return RecordBatch(schema: schemaForMixed, classIndex: target ?? 0)
    }

    /// The number of values (rows, for a column of a batch).
    public var count: Int {
        switch layout {
        case .word, .pair, .object: words.count
        case .bytes, .collection: ends.count
        }
    }

    /// Drops all values and keeps the room.
    public func removeAll() { truncate(to: 0) }

    /// Drops the values from position `count` on, as when a row turns out to be bad; also what
    /// was begun of a value (bytes or elements without their end).
    public func truncate(to count: Int) {
        isKnownUTF8 = false
        func cut<T>(_ vector: RawVector<T>, _ count: Int) {
            if vector.count > count { vector.truncate(to: count) }
        }
        cut(nulls, count)
        switch layout {
        case .word: cut(words, count)
        case .pair:
            cut(words, count)
            cut(extra, count)
        case .object:
            cut(words, count)
            var last = words.count - 1
            while last >= 0, nulls[last] != 0 { last -= 1 }
            if last >= 0 {
                child.truncate(to: Int(words[last]) + 1)
            } else if madeChild != nil {
                child.truncate(to: 0)
            }
        case .bytes:
            cut(ends, count)
            cut(bytes, ends.isEmpty ? 0 : ends[ends.count - 1])
        case .collection:
            cut(ends, count)
            let end = ends.isEmpty ? 0 : ends[ends.count - 1]
            elements?.truncate(to: end)
            keys?.truncate(to: end)
        }
    }

    // MARK: Appending one value

    /// Appends a null, or an empty collection.
    public func appendNull() {
        switch layout {
        case .word, .object:
            words.append(0)
            nulls.append(1)
        case .pair:
            words.append(0)
            extra.append(0)
            nulls.append(1)
        case .bytes:
            ends.append(bytes.count)
            nulls.append(1)
        case .collection: ends.append(elements?.count ?? 0)
        }
    }

    /// Appends an int, a bool (0 or 1), a link (object key) or a float's or double's bits.
    @inline(__always)
    public func append(word: Int64) {
        words.append(word)
        nulls.append(0)
    }

    /// Appends a date, decimal, ObjectId or UUID by its two words.
    @inline(__always)
    public func append(word: Int64, _ second: Int64) {
        words.append(word)
        extra.append(second)
        nulls.append(0)
    }

    /// Appends a date.
    public func append(_ date: Timestamp) {
        append(word: date.seconds, Int64(date.nanoseconds))
    }

    /// Appends an ObjectId.
    public func append(_ id: ObjectID) {
        append(word: Int64(bitPattern: id.high), Int64(id.low))
    }

    /// Appends a UUID.
    public func append(_ id: UUID) {
        append(word: Int64(bitPattern: id.high), Int64(bitPattern: id.low))
    }

    /// Appends a decimal.
    public func append(_ decimal: Decimal128) {
        append(word: Int64(bitPattern: decimal.low), Int64(bitPattern: decimal.high))
    }

    /// Appends a string's, data's or mixed value's bytes.
    @inline(__always)
    public func append(bytes value: UnsafeRawBufferPointer) {
        bytes.append(bytes: value)
        ends.append(bytes.count)
        nulls.append(0)
    }

    /// Appends a string.
    public func append(_ text: String) {
        bytes.append(text)
        closeBytes()
    }

    /// Ends a value whose bytes were put into `bytes` directly.
    @inline(__always)
    public func closeBytes() {
        ends.append(bytes.count)
        nulls.append(0)
    }

    /// Starts an embedded object (or subtable row): fill one more row of `child`, then
    /// `closeRow()` there.
    public func openObject() {
        words.append(Int64(child.rowCount))
        nulls.append(0)
    }

    /// Ends the collection of a row, whose elements (and keys) were appended before.
    public func closeCollection() { ends.append(elements?.count ?? 0) }

    // MARK: Reading one value

    /// The first word of a value.
    @inline(__always)
    public func isNull(_ i: Int) -> Bool { layout != .collection && nulls[i] != 0 }

    /// The bytes of a string, data or mixed value; valid until the next append.
    @inline(__always)
    public func bytes(_ i: Int) -> UnsafeRawBufferPointer {
        bytes.bytes(from: i == 0 ? 0 : ends[i - 1], to: ends[i])
    }

    /// The text of a string value; ill-formed UTF-8 is repaired.
    public func string(_ i: Int) -> String { String(decoding: bytes(i), as: UTF8.self) }

    /// The range of a row's elements in `elements` and `keys`.
    @inline(__always)
    public func range(_ i: Int) -> Range<Int> { (i == 0 ? 0 : ends[i - 1])..<ends[i] }

    /// A date value.
    public func date(_ i: Int) -> Timestamp {
        Timestamp(seconds: words[i], nanoseconds: Int32(truncatingIfNeeded: extra[i]))
    }

    /// An ObjectId value.
    public func objectID(_ i: Int) -> ObjectID {
        ObjectID(
            high: UInt64(bitPattern: words[i]),
            low: UInt32(truncatingIfNeeded: extra[i]))
    }

    /// A UUID value.
    public func uuid(_ i: Int) -> UUID {
        UUID(high: UInt64(bitPattern: words[i]), low: UInt64(bitPattern: extra[i]))
    }

    /// A decimal value.
    public func decimal(_ i: Int) -> Decimal128 {
        Decimal128(low: UInt64(bitPattern: words[i]), high: UInt64(bitPattern: extra[i]))
    }

    // MARK: Copying

    /// Appends a copy of one value of another column of the same shape.
    public func append(_ i: Int, of other: Column) {
        switch layout {
        case .word:
            words.append(other.words[i])
            nulls.append(other.nulls[i])
        case .pair:
            words.append(other.words[i])
            extra.append(other.extra[i])
            nulls.append(other.nulls[i])
        case .bytes:
            bytes.append(bytes: other.bytes(i))
            ends.append(bytes.count)
            nulls.append(other.nulls[i])
        case .object:
            guard other.nulls[i] == 0 else { return appendNull() }
            openObject()
            child.append(row: Int(other.words[i]), of: other.child)
        case .collection:
            if let elements, let source = other.elements {
                for j in other.range(i) { elements.append(j, of: source) }
            }
            if let keys, let source = other.keys {
                for j in other.range(i) { keys.append(j, of: source) }
            }
            closeCollection()
        }
    }
}
