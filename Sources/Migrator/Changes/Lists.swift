// Lists made of wrapper objects, and of columns side by side.

package import Formats

/// A list of wrapper objects made a list of what they hold.
public struct UnwrapList: PlannedChange {
    /// `unwrapList`.
    public static let name = "unwrapList"
    /// The list.
    public var list: PropertyName
    /// The property of the wrappers.
    public var property: String

    /// Unwraps a list.
    public init(_ list: PropertyName, property: String) {
        self.list = list
        self.property = property
    }

    package init(_ subject: JSONTree, _ members: inout PlanMembers) throws(FormatError) {
        self.init(
            try PropertyName(subject, Self.name), property: try members.text("property"))
    }

    /// The change in one readable line.
    public var line: String { "unwrap \(list) by \(property)" }
    /// The change as a plan writes it.
    public var json: PlanJSON? {
        .members([(Self.name, list.json), ("property", .string(property))])
    }
    /// The classes the change names.
    public var classes: [String] { [list.className] }

    package func stage(_ scope: ChangeScope) throws(FormatError) -> any Stage {
        let (c, p) = try scope.place(list)
        let old = scope.schema.classes[c].properties[p]
        guard old.type == .link, old.collection != nil, let target = old.target else {
            throw scope.error(.badValue, "\(list) is no list of objects", property: old.name)
        }
        let wrapper = try scope.classIndex(target)
        let (_, w) = try scope.place(PropertyName(target, property))
        let inner = scope.schema.classes[wrapper].properties[w]
        guard inner.collection == nil, inner.type != .table, !scope.schema.isEmbedded(inner) else {
            throw scope.error(.badValue, "\(inner.summary) cannot be an element of a list")
        }
        var new = inner
        new.name = old.name
        new.collection = old.collection
        new.isIndexed = false
        new.isFullText = false
        if inner.type == .link { new.isOptional = old.collection == .dictionary }
        let stage = MorphStage(scope.schema)
        let isEmbedded = scope.schema.isEmbedded(old)
        let table = RowTable(stage.input, wrapper, [w])
        if !isEmbedded {
            stage.onPrepare = { (source, _) throws(FormatError) in try table.read(source) }
        }
        let isOptional = new.isOptional
        let keys = ValueKeys()
        stage.replace(
            p, of: c, by: new,
            RowMaker { (column, batch, row, pass) in
                let source = batch.columns[p]
                guard let values = source.elements, let target = column.elements else { return }
                var seen: Set<ValueKey> = []
                for i in source.range(row) {
                    var from: (Column, Int)?
                    if values.nulls[i] == 0 {
                        from =
                            isEmbedded
                            ? (values.child.columns[w], Int(values.words[i]))
                            : table.rows[values.words[i]].map { (table.columns[0], $0) }
                    }
                    let isNull = from.map { $0.0.isNull($0.1) } ?? true
                    if isNull, !isOptional {
                        pass.note(
                            .handled, "null-left-out", row, property: old.name,
                            reason: "a wrapper without a value")
                        continue
                    }
                    if column.property.collection == .set, let (values, at) = from {
                        if !keys.insert(values, at, into: &seen) {
                            pass.note(.handled, "repeat-left-out", row, property: old.name)
                            continue
                        }
                    }
                    if let names = column.keys, let from = source.keys { names.append(i, of: from) }
                    if let (values, at) = from, !isNull {
                        target.append(at, of: values)
                    } else {
                        target.appendNull()
                    }
                }
                column.closeCollection()
            })
        try dropWrappers(stage, scope, c, p, wrapper)
        return stage
    }

    /// Drops the wrappers where nothing else holds or links to them.
    private func dropWrappers(
        _ stage: MorphStage, _ scope: ChangeScope, _ c: Int, _ p: Int, _ wrapper: Int
    ) throws(FormatError) {
        let known = scope.schema.classes[wrapper]
        let others = scope.schema.classes.enumerated().contains { i, owner in
            owner.properties.enumerated().contains { j, property in
                (i, j) != (c, p) && (property.target == known.name || property.type == .mixed)
            }
        }
        let holdsMore = known.properties.contains {
            $0.name != property && $0.name != known.primaryKey
        }
        if others || holdsMore {
            stage.onRows(of: wrapper) { batch, log in
                log.note(.handled, "wrapper-kept", class: known.name, count: batch.rowCount)
            }
            return
        }
        stage.dropRows(of: wrapper, note: nil)
        stage.onRows(of: wrapper) { batch, log in
            log.note(.handled, "wrapper-removed", class: known.name, count: batch.rowCount)
        }
    }
}

/// Columns side by side made a list.
public struct Collect: PlannedChange {
    /// `collect`.
    public static let name = "collect"
    /// The properties, in order.
    public var properties: [PropertyName]
    /// The list.
    public var into: String
    /// Whether the properties stay.
    public var keep: Bool

    /// Collects properties into a list.
    public init(_ properties: [PropertyName], into: String, keep: Bool = false) {
        self.properties = properties
        self.into = into
        self.keep = keep
    }

    package init(_ subject: JSONTree, _ members: inout PlanMembers) throws(FormatError) {
        properties = try PropertyName.list(subject, Self.name)
        into = try members.text("into")
        keep = try members.bool("keep", false)
    }

    /// The change in one readable line.
    public var line: String {
        "collect " + properties.map(\.description).joined(separator: ", ") + " -> \(into)"
    }
    /// The change as a plan writes it.
    public var json: PlanJSON? {
        .members([
            (Self.name, .array(properties.map(\.json))), ("into", .string(into)),
            ("keep", keep ? .bool(true) : nil),
        ])
    }
    /// The classes the change names.
    public var classes: [String] { [properties[0].className] }

    package func stage(_ scope: ChangeScope) throws(FormatError) -> any Stage {
        let c = try scope.classIndex(properties[0].className)
        var positions: [Int] = []
        for name in properties { positions.append(try scope.place(name).property) }
        let first = scope.schema.classes[c].properties[positions[0]]
        for p in positions {
            let part = scope.schema.classes[c].properties[p]
            guard part.type == first.type, part.target == first.target, part.collection == nil,
                part.type != .table, scope.schema.classes[c].primaryKey != part.name
            else {
                throw scope.error(
                    .schemaMismatch, "\(part.name) is \(part.summary), not \(first.summary)",
                    property: part.name)
            }
        }
        if Set(positions).count != positions.count {
            throw scope.error(.badValue, "a property stands twice")
        }
        try scope.checkFree(into, in: c, except: keep ? [] : properties.map(\.property))
        let list = Property(
            into, first.type, collection: .list, isOptional: first.type == .mixed,
            target: first.target)
        let maker = RowMaker { (column, batch, row, pass) in
            for p in positions {
                let source = batch.columns[p]
                if source.isNull(row) { continue }
                if source.type == .string, source.bytes(row).isEmpty {
                    pass.note(.handled, "empty-skipped", row, property: source.property.name)
                    continue
                }
                column.elements?.append(row, of: source)
            }
            column.closeCollection()
        }
        let stage = MorphStage(scope.schema)
        if keep {
            stage.add(list, to: c, maker)
        } else {
            try stage.removeAll(positions, of: c, insert: list, maker)
        }
        return stage
    }
}
