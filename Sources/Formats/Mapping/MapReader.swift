// Contacts or to-dos as rows of an app's class. What finds no place there is reported, property by
// property.

final class MapReader<Fields: MapFields>: RecordReader {
    let schema: Schema
    private let map: AppMap
    private let reader: any RecordReader
    private let sourceClass: Int
    private let context: ExchangeContext
    private let input: RecordBatch
    private let minter: IdentityMinter
    private let scratch = RawVector<UInt8>(capacity: 256)
    /// Omission rules that hold.
    private let omissions: [AppMap.Omission]

    init(_ map: AppMap, _ reader: any RecordReader, _ sourceClass: Int, _ context: ExchangeContext)
    {
        self.map = map
        self.reader = reader
        self.sourceClass = sourceClass
        self.context = context
        schema = map.target.schema
        input = RecordBatch(schema: reader.schema)
        minter = IdentityMinter(map: map.name, kind: map.target.classSchema.name)
        omissions = map.omissions.filter { context.options.extra[$0.unless] == nil }
    }

    deinit { scratch.destroy() }

    private(set) var gaps = RowGaps()

    func next(into batch: RecordBatch) throws(FormatError) -> Bool {
        while try reader.next(into: input) {
            guard input.classIndex == sourceClass else { continue }
            batch.begin(class: map.target.classIndex)
            gaps = RowGaps()
            gaps.coarse = CoarseRows(hasWholeSeconds: true)
            batch.firstRecord = input.firstRecord
            let fields = Fields(input, zone: context.options.zone)
            for row in 0..<input.rowCount { append(row, fields, to: batch) }
            if batch.rowCount > 0 { return true }
        }
        batch.begin(class: map.target.classIndex)
        return false
    }

    private func append(_ row: Int, _ fields: Fields, to batch: RecordBatch) {
        if fields.isGroup(row) {
            context.report.skipped += 1
            return
        }
        for omission in omissions where fields.flag(omission.field, nil, row) {
            context.report.skipped += 1
            context.report.note(
                .lost, "left-out", record: input.firstRecord + row, property: omission.field,
                action: "records that are \(omission.field) were left out; --\(omission.unless) "
                    + "keeps them")
            return
        }
        var used: [String: Int] = [:]
        var filled = Array(repeating: false, count: batch.columns.count)
        for field in map.fields where field.from != "id" {
            let column = batch.columns[field.property]
            filled[field.property] = true
            if let uses = fields.append(field, row, to: column) {
                if fields.isSilent(field, row) {
                    gaps.cells.append((batch.rowCount, field.property))
                }
                for use in uses {
                    used[use.property, default: 0] += use.count
                    guard let rest = use.rest else { continue }
                    context.report.note(
                        .lost, rest.code, record: input.firstRecord + row, property: use.property,
                        value: rest.value, action: rest.action)
                }
            } else if let fallback = field.fallback, column.append(fallback) {
                gaps.cells.append((batch.rowCount, field.property))
                context.report.note(
                    .guessed, "no-\(field.from)", record: input.firstRecord + row,
                    property: map.target.classSchema.properties[field.property].name,
                    action: "a record without it got \(describe(fallback))")
            } else {
                column.appendNull()
            }
        }
        var identity: AppMap.Field?
        for field in map.fields where field.from == "id" { identity = field }
        for (i, column) in batch.columns.enumerated()
        where !filled[i] && i != identity?.property {
            let property = map.target.classSchema.properties[i]
            if property.isOptional || property.collection != nil {
                column.appendNull()
            } else {
                appendDefault(column)
                gaps.cells.append((batch.rowCount, i))
            }
        }
        if let identity { appendID(identity, row, fields, to: batch, &used) }
        batch.closeRow()
        noteLosses(row, fields, used)
    }

    private func appendDefault(_ column: Column) {
        switch column.layout {
        case .word: column.append(word: 0)
        case .pair: column.append(word: 0, 0)
        case .bytes: column.append(bytes: UnsafeRawBufferPointer(start: nil, count: 0))
        case .object, .collection: column.appendNull()
        }
    }

    private func describe(_ value: Value) -> String {
        switch value {
        case .string(let text): "\"\(text)\""
        case .bool(let value): value ? "true" : "false"
        case .int(let value): String(value)
        case .date: "the date of the map"
        default: "the value of the map"
        }
    }

    private func appendID(
        _ field: AppMap.Field, _ row: Int, _ fields: Fields, to batch: RecordBatch,
        _ used: inout [String: Int]
    ) {
        let column = batch.columns[field.property]
        let uid = fields.uid(row)
        if let uid = uid?.uid {
            if column.type == .string {
                used["uid"] = 1
                return column.append(bytes: uid)
            }
            if column.type == .uuid, let id = ScalarText.uuid(uid) {
                used["uid"] = 1
                return column.append(id)
            }
            if ScalarText.objectID(uid) != nil {
                used["uid"] = 1
            } else {
                used["uid"] = 1
                context.report.note(
                    .changed, "uid-to-id", property: "uid",
                    action: "UIDs of other forms than the class's ids became derived ids")
            }
        }
        let id: ObjectID
        if let uid {
            id = minter.id(uid: uid.uid, recurrence: uid.recurrence)
        } else {
            scratch.removeAll()
            for (i, other) in batch.columns.enumerated() where i != field.property {
                RowContent.append(other, batch.rowCount, to: scratch)
            }
            var hash = minter.content()
            hash.add(UnsafeRawBufferPointer(scratch.elements))
            id = minter.id(content: hash)
        }
        switch column.type {
        case .objectId: column.append(id)
        case .uuid:
            column.append(
                UUID(
                    high: id.high & 0xFFFF_FFFF_FFFF_0FFF | 0x8000,
                    low: (UInt64(id.low) << 16 | id.high >> 48) & 0xBFFF_FFFF_FFFF_FFFF | 1 << 63))
        default:
            ScalarText.write(id, to: column.bytes)
            column.closeBytes()
        }
    }

    private func noteLosses(_ row: Int, _ fields: Fields, _ used: [String: Int]) {
        if !map.fields.contains(where: { $0.from == "categories" }) {
            let marked = Set(map.fields.compactMap { $0.category?.lowercased() })
            var groups = fields.groups(row)[...]
            let takesOne = map.fields.contains { $0.from == "category" && $0.category == nil }
            if takesOne, used["categories"] == nil { groups = groups.dropFirst() }
            for group in groups where !marked.contains(group.lowercased()) {
                context.report.note(
                    .lost, "not-in-class", record: input.firstRecord + row,
                    property: "categories", value: group,
                    action: "\(map.target.classSchema.name) has no place for it")
            }
        }
        for column in input.columns {
            let name = column.property.name
            if Fields.unremarkable.contains(name) { continue }
            let count =
                column.layout == .collection
                ? column.range(row).count : column.nulls[row] == 0 ? 1 : 0
            var left = count - (used[name] ?? 0)
            if left > 0, name == "extras" { left -= fields.repeatedLines(row) }
            if left <= 0 || fields.saysNothing(name, row) { continue }
            if column.presentText(row) == nil, column.layout == .bytes { continue }
            context.report.note(
                .lost, "not-in-class", record: input.firstRecord + row, property: name,
                count: left,
                action: "\(map.target.classSchema.name) has no place for it")
        }
    }
}

/// The rows of an app's class as contacts or to-dos.
final class MapBackReader<Fields: MapFields>: RecordReader {
    let schema = Fields.schema
    private let map: AppMap
    private let reader: any RecordReader
    private let sourceClass: Int
    private let context: ExchangeContext
    private let input: RecordBatch
    private let columns: [Column?]
    private let unmapped: [Int]
    /// Times of which to-dos have whole seconds.
    private let timed: [Column]
    private let idColumn: Column?
    private let minter: IdentityMinter
    private let scratch = RawVector<UInt8>(capacity: 256)

    init(_ map: AppMap, _ reader: any RecordReader, _ sourceClass: Int, _ context: ExchangeContext)
    {
        self.map = map
        self.reader = reader
        self.sourceClass = sourceClass
        self.context = context
        input = RecordBatch(schema: reader.schema, classIndex: sourceClass)
        let target = map.target.classSchema
        let columns = map.fields.map { [input] field in
            input.column(target.properties[field.property].name)
        }
        self.columns = columns
        timed =
            map.source == .tasks
            ? columns.compactMap { $0 }.filter { $0.type == .date && $0.layout == .pair } : []
        let names = Set(map.fields.map { target.properties[$0.property].name })
        unmapped = input.columns.indices.filter { [input] in
            !names.contains(input.columns[$0].property.name)
        }
        idColumn = zip(map.fields, columns).first { $0.0.from == "id" }?.1
        minter = IdentityMinter(map: map.name, kind: target.name)
    }

    deinit { scratch.destroy() }

    func next(into batch: RecordBatch) throws(FormatError) -> Bool {
        while try reader.next(into: input) {
            guard input.classIndex == sourceClass, input.rowCount > 0 else { continue }
            batch.begin(class: 0)
            batch.isConverted = true
            batch.firstRecord = input.firstRecord
            for row in 0..<input.rowCount { append(row, to: batch) }
            return true
        }
        batch.begin(class: 0)
        return false
    }

    private func append(_ row: Int, to batch: RecordBatch) {
        let back = MapBackRow(
            map: map, batch: input, row: row, columns: columns, id: identity(row))
        // What never was a card may lack what every card must have.
        var order = Int64(ContactMapper.madeOrder)
        for (column, property) in zip(batch.columns, batch.classSchema.properties) {
            Fields.appendBack(property, back, to: column, order: &order)
        }
        batch.closeRow()
        for column in timed where column.nulls[row] == 0 && column.extra[row] != 0 {
            context.report.note(
                .changed, "fraction-dropped", record: input.firstRecord + row,
                property: column.property.name, action: "times of to-dos have whole seconds")
        }
        for i in unmapped where !input.columns[i].isNull(row) {
            let column = input.columns[i]
            if column.layout == .collection, column.range(row).isEmpty { continue }
            context.report.note(
                .lost, "not-in-map", record: input.firstRecord + row,
                property: column.property.name,
                action: "the map \(map.name) does not know this property")
        }
    }

    private func identity(_ row: Int) -> ObjectID {
        if let idColumn, !idColumn.isNull(row) {
            switch idColumn.type {
            case .objectId: return idColumn.objectID(row)
            case .string: return minter.id(uid: idColumn.bytes(row))
            default: break
            }
        }
        scratch.removeAll()
        for column in input.columns { RowContent.append(column, row, to: scratch) }
        var hash = minter.content()
        hash.add(UnsafeRawBufferPointer(scratch.elements))
        return minter.id(content: hash)
    }
}
