// Repeated values moved to a class of their own, and changes only code can express.

public import Formats

/// The distinct values of a property made objects, and the property a link to them.
public struct ExtractClass: PlannedChange {
    /// `extractClass`.
    public static let name = "extractClass"
    /// The property.
    public var property: PropertyName
    /// The new class.
    public var into: String
    /// The property of the new class that holds the value; its primary key where it can be.
    public var name: String
    /// The link's name; nil for the property's.
    public var linkName: String?
    /// Whether spaces at the ends of text do not count.
    public var trims: Bool
    /// Whether upper and lower case do not count; the first spelling stays.
    public var ignoresCase: Bool

    /// Extracts a class.
    public init(
        _ property: PropertyName, into: String, property name: String, as linkName: String? = nil,
        trim: Bool = false, ignoreCase: Bool = false
    ) {
        self.property = property
        self.into = into
        self.name = name
        self.linkName = linkName
        trims = trim
        ignoresCase = ignoreCase
    }

    package init(_ subject: JSONTree, _ members: inout PlanMembers) throws(FormatError) {
        property = try PropertyName(subject, Self.name)
        into = try members.text("into")
        name = try members.text("property")
        linkName = try members.optionalText("as")
        trims = try members.bool("trim", false)
        ignoresCase = try members.bool("ignoreCase", false)
    }

    /// The change in one readable line.
    public var line: String {
        "extract \(property) -> \(into){\(name)}" + (linkName.map { " as \($0)" } ?? "")
    }
    /// The change as a plan writes it.
    public var json: PlanJSON? {
        .members([
            (Self.name, property.json), ("into", .string(into)), ("property", .string(name)),
            ("as", linkName.map { .string($0) }), ("trim", trims ? .bool(true) : nil),
            ("ignoreCase", ignoresCase ? .bool(true) : nil),
        ])
    }
    /// The classes the change names.
    public var classes: [String] { [property.className, into] }

    package func stage(_ scope: ChangeScope) throws(FormatError) -> any Stage {
        let (c, p) = try scope.place(property)
        let old = scope.schema.classes[c].properties[p]
        guard old.type != .link, old.type != .table, old.type != .mixed,
            old.collection != .dictionary, scope.schema.classes[c].primaryKey != old.name
        else { throw scope.error(.badValue, "\(old.summary) cannot be extracted") }
        try scope.checkFree(className: into)
        try scope.checkFree(linkName ?? old.name, in: c, except: [old.name])
        let value = Property(name, old.type)
        let stage = MorphStage(scope.schema)
        let new = stage.addClass(
            ClassSchema(
                into, primaryKey: SetPrimaryKey.types.contains(old.type) ? name : nil,
                properties: [value]))
        let values = DistinctValues(
            stage, from: (c, p), into: new, trims: trims, ignoresCase: ignoresCase)
        let link = Property(
            linkName ?? old.name, .link, collection: old.collection,
            isOptional: old.collection == nil, target: into)
        stage.replace(p, of: c, by: link, values)
        stage.onPrepare = { (source, _) throws(FormatError) in try values.prepare(source) }
        return stage
    }
}

/// The distinct values of a property, numbered as they are met.
private final class DistinctValues: ColumnMaker {
    private unowned let stage: MorphStage
    private let from: (c: Int, p: Int)
    private let into: Int
    private let trims: Bool
    private let ignoresCase: Bool
    private var numbers: [ValueKey: Int64] = [:]
    private let keys = ValueKeys()
    private let probe: Column

    init(
        _ stage: MorphStage, from: (Int, Int), into: Int, trims: Bool, ignoresCase: Bool
    ) {
        self.stage = stage
        self.from = from
        self.into = into
        self.trims = trims
        self.ignoresCase = ignoresCase
        probe = Column(stage.output.classes[into].properties[0], schema: stage.output)
    }

    private func key(_ values: Column, _ i: Int) -> ValueKey? {
        guard trims || ignoresCase, values.type == .string else { return keys.key(values, i) }
        var text = values.string(i)
        if trims { text = text.trimmed }
        if ignoresCase { text = text.lowercased() }
        return keys.key(.string(text), in: probe)
    }

    func prepare(_ source: any RowSource) throws(FormatError) {
        let rows = RecordBatch(schema: stage.output, classIndex: into)
        let stream = try source.open(classes: stage.input.owners(of: from.c), counting: false)
        let walk = BatchWalk(stage.input)
        while let batch = try stream.next() {
            walk.each(from.c, in: batch) { batch in
                let column = batch.columns[from.p]
                let values = column.elements ?? column
                for i in 0..<values.count where !values.isNull(i) {
                    guard let key = key(values, i), numbers[key] == nil else { continue }
                    numbers[key] = Int64(rows.rowCount)
                    rows.keys.append(Int64(rows.rowCount))
                    if trims, values.type == .string {
                        rows.columns[0].append(values.string(i).trimmed)
                    } else {
                        rows.columns[0].append(i, of: values)
                    }
                    rows.closeRow()
                }
            }
        }
        stage.emit(rows)
    }

    func fill(_ column: Column, from batch: RecordBatch, _ pass: MorphPass) throws(FormatError) {
        let source = batch.columns[from.p]
        let isSet = column.property.collection == .set
        for row in 0..<batch.rowCount {
            guard let elements = column.elements, let values = source.elements else {
                if !source.isNull(row), let number = key(source, row).flatMap({ numbers[$0] }) {
                    column.append(word: number)
                } else {
                    column.appendNull()
                }
                continue
            }
            var seen: Set<Int64> = []
            for i in source.range(row) where !values.isNull(i) {
                guard let number = key(values, i).flatMap({ numbers[$0] }) else { continue }
                if isSet, !seen.insert(number).inserted { continue }
                elements.append(word: number)
            }
            column.closeCollection()
        }
    }
}

/// A property's values worked out by code; it cannot be written as JSON.
public struct Transform: StagedChange {
    /// `transform`; no plan file can name it.
    public static let name = "transform"

    /// The values of one row.
    public struct Row {
        let batch: RecordBatch
        let row: Int

        /// The value of a property; null where the class has none of that name.
        public subscript(property: String) -> Value { batch.column(property)?.value(row) ?? .null }
        /// The object key.
        public var key: Int64 { batch.keys.count > row ? batch.keys[row] : -1 }
    }

    /// The property.
    public var property: PropertyName
    /// What people read of it.
    public var summary: String
    private let body: @Sendable (Row) -> Value?

    /// Works values out by code; nil keeps the row out.
    public init(
        _ property: PropertyName, _ summary: String = "by code",
        _ body: @escaping @Sendable (Row) -> Value?
    ) {
        self.property = property
        self.summary = summary
        self.body = body
    }

    /// The change in one readable line.
    public var line: String { "transform \(property) \(summary)" }
    /// The change as a plan writes it.
    public var json: PlanJSON? { nil }
    /// The classes the change names.
    public var classes: [String] { [property.className] }

    package func stage(_ scope: ChangeScope) throws(FormatError) -> any Stage {
        let (c, p) = try scope.place(property)
        let known = scope.schema.classes[c].properties[p]
        guard scope.schema.classes[c].primaryKey != known.name else {
            throw scope.error(.badValue, "use changeKeys for the primary key")
        }
        let body = body
        let stage = MorphStage(scope.schema)
        stage.replace(
            p, of: c, by: known,
            RowMaker { (column, batch, row, pass) in
                var reason = "left out by code"
                if let value = body(Row(batch: batch, row: row)) {
                    do throws(ValueFailure) {
                        try BoundValue.check(value, for: known)
                        if column.append(value) { return }
                        reason = "the value does not fit"
                    } catch { reason = error.reason }
                }
                pass.reject(row, "value-misfit", property: known.name, reason: reason)
                column.appendPlaceholder()
            })
        stage.allowRejects(of: c)
        return stage
    }
}
