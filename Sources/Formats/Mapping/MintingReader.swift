// Fills in the primary keys that rows of a text input lack, so that importing the same input twice
// gives the same keys (DESIGN 1.5): a UID of 24 hex digits is the key, any other UID gives one,
// and without a UID the content does.

/// Gives rows of one class the keys they lack.
final class MintingReader: SteppedReader {
    let schema: Schema
    private let reader: any RecordReader
    private let classIndex: Int
    private let keyColumn: Int?
    private let keyType: PropertyType
    /// The batch for a reader whose key column is text; nil when the type is right already.
    private let input: RecordBatch?
    private let minter: IdentityMinter
    private let context: ExchangeContext?
    private let scratch = RawVector<UInt8>(capacity: 4096)
    private let ends = RawVector<Int>(capacity: 512)
    private let halves = RawVector<UInt64>(capacity: 1024)

    /// - Parameters:
    ///   - classIndex: the class, in the reader's schema.
    ///   - key: the name of its key property; nil for none.
    ///   - keyType: the key's type, where the reader delivers it as text.
    init(
        _ reader: any RecordReader, classIndex: Int, key: String?, map: String,
        keyType: PropertyType?, context: ExchangeContext? = nil
    ) {
        self.reader = reader
        self.context = context
        self.classIndex = classIndex
        var schema = reader.schema
        let known = schema.classes[classIndex]
        keyColumn = key.flatMap { known.index(of: $0) }
        minter = IdentityMinter(map: map, kind: known.name)
        var needsConversion = false
        if let keyColumn, let keyType {
            self.keyType = keyType
            let property = known.properties[keyColumn]
            needsConversion = property.type == .string && keyType != .string
            schema.classes[classIndex].primaryKey = property.name
            schema.classes[classIndex].properties[keyColumn].type = keyType
            schema.classes[classIndex].properties[keyColumn].isOptional = false
        } else {
            self.keyType = keyType ?? .objectId
        }
        self.schema = schema
        input = needsConversion ? RecordBatch(schema: reader.schema) : nil
    }

    deinit {
        scratch.destroy()
        ends.destroy()
        halves.destroy()
    }

    /// Those of the source but for the keys, which are made here.
    var gaps: RowGaps {
        var gaps = reader.gaps
        if let keyColumn {
            gaps.columns.remove(keyColumn)
            gaps.cells.removeAll { $0.column == keyColumn }
        }
        return gaps
    }

    func next(into batch: RecordBatch) throws(FormatError) -> Bool {
        guard try begin(batch) else { return false }
        end(batch)
        return true
    }

    /// Reads rows and the keys they have.
    func begin(_ batch: RecordBatch) throws(FormatError) -> Bool {
        guard let input else { return try reader.next(into: batch) }
        guard try reader.next(into: input) else {
            batch.removeAll()
            return false
        }
        batch.begin(class: input.classIndex)
        batch.isConverted = input.isConverted
        batch.firstRecord = input.firstRecord
        for (i, column) in batch.columns.enumerated()
        where i != keyColumn || input.classIndex != classIndex {
            column.append(0..<input.rowCount, of: input.columns[i])
        }
        if input.classIndex == classIndex, let keyColumn {
            convert(input.columns[keyColumn], to: batch.columns[keyColumn], input.rowCount)
        }
        batch.keys.append(contentsOf: input.keys.elements)
        batch.closeRows(input.rowCount)
        return true
    }

    /// Makes the keys that are missing; with keys of texts the minter is at work in both steps.
    func end(_ batch: RecordBatch) {
        if batch.classIndex == classIndex { fill(batch) }
    }

    /// Whether the steps share nothing.
    var isStepped: Bool { input == nil }

    /// Keys that came as text; those that are missing stay null.
    private func convert(_ from: Column, to column: Column, _ count: Int) {
        for i in 0..<count {
            let text = from.bytes(i)
            if from.nulls[i] != 0 || text.isEmpty {
                column.appendNull()
            } else if keyType == .uuid, let id = ScalarText.uuid(text) {
                column.append(id)
            } else {
                // The minter knows a UID that is an ObjectId.
                append(minter.id(uid: text), to: column)
                if minter.isRepeat { noteRepeat(text) }
            }
        }
    }

    private func noteRepeat(_ text: UnsafeRawBufferPointer) {
        context?.report.note(
            .changed, "duplicate-key", property: input?.classSchema.primaryKey,
            value: String(decoding: text.prefix(80), as: UTF8.self),
            action: "a further record of the same id got an id of its own")
    }

    private func append(_ id: ObjectID, to column: Column) {
        column.appendNull()
        set(id, column, column.count - 1)
    }

    private func fill(_ batch: RecordBatch) {
        guard let keyColumn else { return }
        let column = batch.columns[keyColumn]
        let writer = RowContentWriter(batch, without: keyColumn)
        scratch.removeAll()
        ends.removeAll()
        let nulls = column.nulls.base
        for row in 0..<batch.rowCount where nulls[row] != 0 {
            writer.append(row, to: scratch)
            ends.append(scratch.count)
        }
        if ends.isEmpty { return }
        minter.mint(contents: scratch, ends: ends, halves: halves)
        var i = 0
        for row in 0..<batch.rowCount where nulls[row] != 0 {
            set(IdentityMinter.id(halves: halves, i), column, row)
            i &+= 1
        }
    }

    /// Puts a key where a null is.
    private func set(_ id: ObjectID, _ column: Column, _ row: Int) {
        switch keyType {
        case .objectId:
            column.words[row] = Int64(bitPattern: id.high)
            column.extra[row] = Int64(id.low)
        case .uuid:
            // A UUID of the version for ids of one's own making.
            let high = id.high & 0xFFFF_FFFF_FFFF_0FFF | 0x8000
            let low = UInt64(id.low) << 16 | 1 << 63 | id.high >> 48
            column.words[row] = Int64(bitPattern: high)
            column.extra[row] = Int64(bitPattern: low & 0xBFFF_FFFF_FFFF_FFFF)
        case .int: column.words[row] = Int64(bitPattern: id.high >> 11)
        default: return
        }
        column.nulls[row] = 0
    }
}
