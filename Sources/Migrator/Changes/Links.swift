// Ids made links and back: looked up by the values of a property of the other class.

package import Formats

/// Ids of another class's objects made links.
public struct LinkBy: PlannedChange {
    /// `linkBy`.
    public static let name = "linkBy"

    /// What becomes of ids that no object has.
    public enum Missing: String, Sendable, CaseIterable {
        /// The link is null, or left out of a list; counted.
        case null
        /// The row is listed and kept out.
        case reject
        /// An object with that id is made.
        case create
    }

    /// The property that holds ids.
    public var property: PropertyName
    /// The property of the other class that they are found by.
    public var to: PropertyName
    /// The link's name; nil for the property's.
    public var name: String?
    /// What becomes of ids that no object has; without a rule they stop the migration.
    public var onMissing: Missing?
    /// Whether the ids stay.
    public var keep: Bool

    /// Makes links of ids.
    public init(
        _ property: PropertyName, to: PropertyName, as name: String? = nil,
        onMissing: Missing? = nil, keep: Bool = false
    ) {
        self.property = property
        self.to = to
        self.name = name
        self.onMissing = onMissing
        self.keep = keep
    }

    package init(_ subject: JSONTree, _ members: inout PlanMembers) throws(FormatError) {
        property = try PropertyName(subject, Self.name)
        to = try PropertyName(members.need("to"), "to")
        name = try members.optionalText("as")
        onMissing = try members.take("onMissing").map { (tree) throws(FormatError) in
            try PlanMembers.word(tree, "onMissing")
        }
        keep = try members.bool("keep", false)
    }

    /// The change in one readable line.
    public var line: String {
        "link \(property) by \(to)" + (name.map { " as \($0)" } ?? "")
            + (onMissing.map { ", missing: \($0.rawValue)" } ?? "")
    }
    /// The change as a plan writes it.
    public var json: PlanJSON? {
        .members([
            (Self.name, property.json), ("to", to.json), ("as", name.map { .string($0) }),
            ("onMissing", onMissing.map { .string($0.rawValue) }),
            ("keep", keep ? .bool(true) : nil),
        ])
    }
    /// The classes the change names.
    public var classes: [String] { [property.className, to.className] }

    package func stage(_ scope: ChangeScope) throws(FormatError) -> any Stage {
        let (c, p) = try scope.place(property)
        let (other, k) = try scope.place(to)
        let old = scope.schema.classes[c].properties[p]
        let key = scope.schema.classes[other].properties[k]
        guard scope.schema.classes[other].kind == .object, key.collection == nil,
            old.type != .link, old.type != .table, old.collection != .dictionary,
            Conversions.isPossible(old.type, key.type, nil)
        else {
            throw scope.error(
                .badValue, "\(old.summary) cannot be looked up by \(to), which is \(key.summary)")
        }
        let isKey = scope.schema.classes[c].primaryKey == old.name
        if isKey, !keep {
            throw scope.error(.badValue, "the primary key must be kept", property: old.name)
        }
        let linkName = name ?? old.name
        try scope.checkFree(linkName, in: c, except: keep ? [] : [old.name])
        if onMissing == .create, let pk = scope.schema.classes[other].primaryKey, pk != key.name {
            throw scope.error(
                .badValue, "objects of \(to.className) are made by their primary key \(pk)")
        }
        let link = Property(
            linkName, .link, collection: old.collection, isOptional: old.collection == nil,
            target: to.className)
        let stage = MorphStage(scope.schema)
        let index = LinkIndex(
            stage, from: (c, p), to: (other, k), onMissing: onMissing,
            conversions: old.type == key.type ? nil : try Conversions(to: key.type, using: nil))
        if keep { stage.add(link, to: c, index) } else { stage.replace(p, of: c, by: link, index) }
        if onMissing == .reject { stage.allowRejects(of: c) }
        stage.onPrepare = { (source, log) throws(FormatError) in try index.prepare(source, log) }
        return stage
    }
}

/// Objects by the values of one property.
private final class LinkIndex: ColumnMaker {
    private unowned let stage: MorphStage
    private let from: (c: Int, p: Int)
    private let to: (c: Int, p: Int)
    private let onMissing: LinkBy.Missing?
    private let conversions: Conversions?
    private var objects: [ValueKey: Int64] = [:]
    private let keys = ValueKeys()
    private let probe: Column

    init(
        _ stage: MorphStage, from: (Int, Int), to: (Int, Int), onMissing: LinkBy.Missing?,
        conversions: Conversions?
    ) {
        self.stage = stage
        self.from = from
        self.to = to
        self.onMissing = onMissing
        self.conversions = conversions
        var key = stage.input.classes[to.0].properties[to.1]
        key.isOptional = true
        probe = Column(key, schema: stage.input)
    }

    func prepare(_ source: any RowSource, _ log: StageLog) throws(FormatError) {
        var last: Int64 = -1
        let stream = try source.open(classes: [to.c], counting: false)
        while let batch = try stream.next() {
            let column = batch.columns[to.p]
            for row in 0..<batch.rowCount {
                last = max(last, batch.keys[row])
                if column.isNull(row) { continue }
                if objects.updateValue(batch.keys[row], forKey: keys.key(column, row)) != nil {
                    log.note(
                        .needsDecision, "duplicate-lookup-key", batch, row,
                        property: column.property.name, reason: "an object before has it, too",
                        fix: "make the values distinct first, as with setPrimaryKey")
                }
            }
        }
        guard onMissing == .create else { return }
        // New objects in the order their ids are met.
        let made = RecordBatch(schema: stage.output, classIndex: to.c)
        var gathered: [Value] = []
        let ids = try source.open(classes: stage.input.owners(of: from.c), counting: false)
        let owners = BatchWalk(stage.input)
        while let batch = try ids.next() {
            owners.each(from.c, in: batch) { batch in
                let column = batch.columns[from.p]
                let values = column.elements ?? column
                for i in 0..<values.count where !values.isNull(i) {
                    guard let (key, value) = look(values, i), objects[key] == nil,
                        last < .max
                    else { continue }
                    last += 1
                    objects[key] = last
                    gathered.append(value)
                    made.keys.append(last)
                }
            }
        }
        fill(made, gathered, log)
        stage.emit(made)
    }

    private func fill(_ made: RecordBatch, _ values: [Value], _ log: StageLog) {
        guard !values.isEmpty else { return }
        for value in values {
            for (i, column) in made.columns.enumerated() {
                if i == to.p { column.append(value) } else { column.appendPlaceholder() }
            }
            made.closeRow()
        }
        log.note(
            .handled, "object-made", class: made.classSchema.name, count: values.count,
            example: .init(
                key: values[0].text(limit: 60), value: "", reason: "no object had this id"))
        // What the new objects must have beside the id, and nobody said.
        for (i, column) in made.columns.enumerated() where i != to.p {
            let property = column.property
            if property.isOptional || property.collection != nil || property.type == .link {
                continue
            }
            log.note(
                .handled, "required-filled", class: made.classSchema.name,
                property: property.name, count: values.count,
                example: .init(
                    key: values[0].text(limit: 60), value: "",
                    reason: "a new object has 0, false or empty text here"))
        }
    }

    /// The id as the other class holds it.
    private func look(_ values: Column, _ i: Int) -> (ValueKey, Value)? {
        var value = values.value(i)
        if let conversions {
            guard let converted = try? conversions.convert(value) else { return nil }
            value = converted
        }
        return keys.key(value, in: probe).map { ($0, value) }
    }

    func fill(_ column: Column, from batch: RecordBatch, _ pass: MorphPass) throws(FormatError) {
        let source = batch.columns[from.p]
        let isSet = column.property.collection == .set
        for row in 0..<batch.rowCount {
            guard let elements = column.elements, let values = source.elements else {
                append(row, row, to: column, of: source, pass)
                continue
            }
            var seen: Set<Int64> = []
            for i in source.range(row) {
                let count = elements.count
                append(i, row, to: elements, of: values, pass)
                if isSet, elements.count > count, !seen.insert(elements.words[count]).inserted {
                    elements.truncate(to: count)
                }
            }
            column.closeCollection()
        }
    }

    private func append(
        _ i: Int, _ row: Int, to target: Column, of values: Column, _ pass: MorphPass
    ) {
        let isList = target.property.collection != nil
        if values.isNull(i) {
            if !isList { target.appendNull() }
            return
        }
        if let (key, _) = look(values, i), let object = objects[key] {
            target.append(word: object)
            return
        }
        let name = values.property.name
        let text = values.value(i).text(limit: 60)
        let reason = "no \(stage.input.classes[to.c].name) has this id"
        switch onMissing {
        case .reject?: pass.reject(row, "dangling-id", property: name, reason: reason)
        case .null?, .create?:
            pass.note(
                .handled, "dangling-id", row, property: name, value: text, reason: reason)
        case nil:
            pass.note(
                .needsDecision, "dangling-id", row, property: name, value: text, reason: reason,
                fix: "add \"onMissing\": \"null\", \"reject\" or \"create\"")
        }
        if !isList { target.appendNull() }
    }
}

/// Batches of a class wherever its rows stand: of its own, or embedded.
struct BatchWalk {
    private let schema: Schema
    private static let depthLimit = 1000

    init(_ schema: Schema) { self.schema = schema }

    /// Calls `body` with each batch of a class inside a batch.
    func each(_ c: Int, in batch: RecordBatch, _ depth: Int = 0, _ body: (RecordBatch) -> Void) {
        if batch.classIndex == c { body(batch) }
        guard depth < BatchWalk.depthLimit else { return }
        for column in batch.columns {
            let values = column.elements ?? column
            if values.layout == .object, values.type == .link, values.count > 0,
                values.child.rowCount > 0
            {
                each(c, in: values.child, depth + 1, body)
            }
        }
    }

    /// Calls `body` with each batch inside a batch, itself included.
    func all(in batch: RecordBatch, _ depth: Int = 0, _ body: (RecordBatch) -> Void) {
        body(batch)
        guard depth < BatchWalk.depthLimit else { return }
        for column in batch.columns {
            let values = column.elements ?? column
            if values.layout == .object, values.type == .link, values.count > 0,
                values.child.rowCount > 0
            {
                all(in: values.child, depth + 1, body)
            }
        }
    }
}

extension MorphStage {
    /// Rows of the stage's own, delivered after all others of their class.
    func emit(_ rows: RecordBatch) {
        guard rows.rowCount > 0 else { return }
        tailRows = rows
        tailClasses = [rows.classIndex]
    }
}

/// Links made ids.
public struct Unlink: PlannedChange {
    /// `unlink`.
    public static let name = "unlink"
    /// The link.
    public var property: PropertyName
    /// The property of the linked class whose value stands for the link.
    public var to: PropertyName
    /// The new name; nil for the link's.
    public var name: String?

    /// Makes ids of links.
    public init(_ property: PropertyName, to: PropertyName, as name: String? = nil) {
        self.property = property
        self.to = to
        self.name = name
    }

    package init(_ subject: JSONTree, _ members: inout PlanMembers) throws(FormatError) {
        property = try PropertyName(subject, Self.name)
        to = try PropertyName(members.need("to"), "to")
        name = try members.optionalText("as")
    }

    /// The change in one readable line.
    public var line: String { "unlink \(property) to \(to)" + (name.map { " as \($0)" } ?? "") }
    /// The change as a plan writes it.
    public var json: PlanJSON? {
        .members([
            (Self.name, property.json), ("to", to.json), ("as", name.map { .string($0) }),
        ])
    }
    /// The classes the change names.
    public var classes: [String] { [property.className, to.className] }

    package func stage(_ scope: ChangeScope) throws(FormatError) -> any Stage {
        let (c, p) = try scope.place(property)
        let (other, k) = try scope.place(to)
        let link = scope.schema.classes[c].properties[p]
        let key = scope.schema.classes[other].properties[k]
        guard link.type == .link, !scope.schema.isEmbedded(link), link.target == to.className
        else {
            throw scope.error(.badValue, "\(property) is no link to \(to.className)")
        }
        guard key.collection == nil, key.type != .link, key.type != .table else {
            throw scope.error(.badValue, "\(to) is \(key.summary), and cannot stand for a link")
        }
        try scope.checkFree(name ?? link.name, in: c, except: [link.name])
        let id = Property(
            name ?? link.name, key.type, collection: link.collection,
            isOptional: key.isOptional || link.collection != .list && link.collection != .set)
        let stage = MorphStage(scope.schema)
        let table = RowTable(stage.input, other, [k])
        stage.onPrepare = { (source, _) throws(FormatError) in try table.read(source) }
        stage.replace(
            p, of: c, by: id,
            RowMaker { (column, batch, row, pass) in
                let source = batch.columns[p]
                func append(_ i: Int, _ target: Column, _ values: Column, isList: Bool) {
                    if values.nulls[i] == 0, let at = table.rows[values.words[i]] {
                        target.append(at, of: table.columns[0])
                    } else if !isList {
                        target.appendNull()
                    }
                }
                guard let elements = column.elements, let values = source.elements else {
                    return append(row, column, source, isList: false)
                }
                for i in source.range(row) {
                    if let keys = column.keys, let from = source.keys { keys.append(i, of: from) }
                    append(
                        i, elements, values, isList: column.property.collection != .dictionary)
                }
                column.closeCollection()
            })
        return stage
    }
}

/// Some columns of all rows of a class, by object key.
final class RowTable {
    let columns: [Column]
    private(set) var rows: [Int64: Int] = [:]
    private let classIndex: Int
    private let positions: [Int]

    init(_ schema: Schema, _ c: Int, _ positions: [Int]) {
        classIndex = c
        self.positions = positions
        columns = positions.map { Column(schema.classes[c].properties[$0], schema: schema) }
    }

    func read(_ source: any RowSource) throws(FormatError) {
        let stream = try source.open(classes: [classIndex], counting: false)
        var count = 0
        while let batch = try stream.next() {
            for (column, p) in zip(columns, positions) {
                column.append(0..<batch.rowCount, of: batch.columns[p])
            }
            for row in 0..<batch.rowCount { rows[batch.keys[row]] = count + row }
            count += batch.rowCount
        }
    }
}
