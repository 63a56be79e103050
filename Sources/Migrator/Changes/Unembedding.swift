// Embedded objects made objects of their own; each stays one object, equal ones are not joined.

public import Formats

/// An embedded class whose objects become rows of their own, linked to by their old owners.
public struct Unembed: PlannedChange {
    /// `unembed`.
    public static let name = "unembed"
    /// The class.
    public var className: String
    /// The name of the new primary key; nil for none.
    public var primaryKey: String?
    /// The type of the new primary key.
    public var type: PropertyType

    /// Makes objects of their own of embedded ones.
    public init(_ className: String, primaryKey: String? = nil, type: PropertyType = .objectId) {
        self.className = className
        self.primaryKey = primaryKey
        self.type = type
    }

    package init(_ subject: JSONTree, _ members: inout PlanMembers) throws(FormatError) {
        className = try PlanMembers.text(subject, Self.name)
        primaryKey = try members.optionalText("primaryKey")
        type = .objectId
        if let tree = members.take("type") { type = try PlanMembers.word(tree, "type") }
    }

    /// The change in one readable line.
    public var line: String {
        "unembed \(className)" + (primaryKey.map { ", key \($0): \(type.rawValue)" } ?? "")
    }
    /// The change as a plan writes it.
    public var json: PlanJSON? {
        .members([
            (Self.name, .string(className)), ("primaryKey", primaryKey.map { .string($0) }),
            ("type", type == .objectId ? nil : .string(type.rawValue)),
        ])
    }
    /// The classes the change names.
    public var classes: [String] { [className] }

    package func stage(_ scope: ChangeScope) throws(FormatError) -> any Stage {
        let c = try scope.classIndex(className)
        let known = scope.schema.classes[c]
        guard known.kind == .embedded else {
            throw scope.error(.badValue, "\(className) is not embedded")
        }
        guard RowIdentity.types.contains(type) else {
            throw scope.error(
                .badValue, "ids can be derived of type objectId, uuid, string and int")
        }
        let stage = MorphStage(scope.schema)
        stage.output.classes[c].kind = .object
        if let primaryKey {
            try scope.checkFree(primaryKey, in: c)
            stage.output.classes[c].primaryKey = primaryKey
            stage.output.classes[c].properties.insert(Property(primaryKey, type), at: 0)
        }
        let rows = FreedRows(
            stage, c, primaryKey == nil ? nil : RowIdentity(type, className, salt: nil))
        for (i, owner) in scope.schema.classes.enumerated() {
            for (p, property) in owner.properties.enumerated() where property.target == className {
                guard owner.kind != .embedded else {
                    throw scope.error(
                        .unsupported,
                        "\(owner.name), which holds \(className), is embedded itself",
                        fix: "unembed \(owner.name) first")
                }
                // Links in lists are never null, single ones always may be.
                rows.owners.append((i, p))
                stage.plans[i][0].columns[p] = .made(FreedMaker(p, i, rows))
            }
        }
        stage.plans[c] = []
        stage.onPrepare = { (source, _) throws(FormatError) in try rows.prepare(source) }
        return stage
    }
}

/// The rows that embedded objects become, numbered in the order of their owners.
private final class FreedRows {
    private unowned let stage: MorphStage
    private let classIndex: Int
    private let identity: RowIdentity?
    var owners: [(c: Int, p: Int)] = []
    /// The number of the first object of an owner's property.
    private var first: [[Int64: Int64]] = []

    init(_ stage: MorphStage, _ c: Int, _ identity: RowIdentity?) {
        self.stage = stage
        classIndex = c
        self.identity = identity
    }

    func first(of owner: Int, _ p: Int, _ key: Int64) -> Int64 {
        guard let i = owners.firstIndex(where: { $0.c == owner && $0.p == p }), i < first.count
        else { return 0 }
        return first[i][key] ?? 0
    }

    func prepare(_ source: any RowSource) throws(FormatError) {
        first = owners.map { _ in [:] }
        let rows = RecordBatch(schema: stage.output, classIndex: classIndex)
        let scratch = RawVector<UInt8>(capacity: 64)
        defer { scratch.destroy() }
        let shift = identity == nil ? 0 : 1
        let stream = try source.open(classes: Set(owners.map(\.c)), counting: false)
        while let batch = try stream.next() {
            for (i, owner) in owners.enumerated() where owner.c == batch.classIndex {
                let column = batch.columns[owner.p]
                let values = column.elements ?? column
                for row in 0..<batch.rowCount {
                    let range = column.elements == nil ? row..<row + 1 : column.range(row)
                    var place: Int64 = 0
                    for at in range where values.nulls[at] == 0 {
                        if place == 0 { first[i][batch.keys[row]] = Int64(rows.rowCount) }
                        rows.keys.append(Int64(rows.rowCount))
                        if let identity {
                            // Owner, property and place in its list make the id.
                            scratch.removeAll()
                            scratch.append(
                                "\(batch.classSchema.name).\(column.property.name)/"
                                    + "\(batch.keyText(row))/\(place)")
                            rows.columns[0].append(
                                identity.value(of: UnsafeRawBufferPointer(scratch.elements)))
                        }
                        let from = Int(values.words[at])
                        for (j, inner) in values.child.columns.enumerated() {
                            rows.columns[j + shift].append(from, of: inner)
                        }
                        rows.closeRow()
                        place += 1
                    }
                }
            }
        }
        stage.emit(rows)
    }
}

/// Puts links in the place of embedded objects.
private final class FreedMaker: ColumnMaker {
    private let position: Int
    private let classIndex: Int
    private let rows: FreedRows

    init(_ position: Int, _ c: Int, _ rows: FreedRows) {
        self.position = position
        classIndex = c
        self.rows = rows
    }

    func fill(_ column: Column, from batch: RecordBatch, _ pass: MorphPass) throws(FormatError) {
        let source = batch.columns[position]
        for row in 0..<batch.rowCount {
            var next = rows.first(of: classIndex, position, batch.keys[row])
            guard let elements = column.elements, let values = source.elements else {
                if source.isNull(row) { column.appendNull() } else { column.append(word: next) }
                continue
            }
            for i in source.range(row) {
                if let keys = column.keys, let from = source.keys { keys.append(i, of: from) }
                if values.nulls[i] != 0 {
                    elements.appendNull()
                    continue
                }
                elements.append(word: next)
                next += 1
            }
            column.closeCollection()
        }
    }
}
