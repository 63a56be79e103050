// Classes renamed, added and dropped.

public import Formats

/// A class under a new name; its rows stay and all links follow.
public struct RenameClass: PlannedChange {
    /// `renameClass`.
    public static let name = "renameClass"
    /// The class.
    public var className: String
    /// Its new name.
    public var to: String

    /// Renames a class.
    public init(_ className: String, to: String) {
        self.className = className
        self.to = to
    }

    package init(_ subject: JSONTree, _ members: inout PlanMembers) throws(FormatError) {
        self.init(try PlanMembers.text(subject, Self.name), to: try members.text("to"))
    }

    /// The change in one readable line.
    public var line: String { "rename class \(className) -> \(to)" }
    /// The change as a plan writes it.
    public var json: PlanJSON? {
        .members([(Self.name, .string(className)), ("to", .string(to))])
    }
    /// The classes the change names.
    public var classes: [String] { [className, to] }

    package func stage(_ scope: ChangeScope) throws(FormatError) -> any Stage {
        let c = try scope.classIndex(className)
        if to != className { try scope.checkFree(className: to) }
        let stage = MorphStage(scope.schema)
        stage.output.classes[c].name = to
        stage.output.retarget([className], to: to)
        return stage
    }
}

extension Schema {
    /// Lets links to some classes lead to another name.
    mutating func retarget(_ names: Set<String>, to: String) {
        for i in classes.indices {
            for p in classes[i].properties.indices {
                if let target = classes[i].properties[p].target, names.contains(target) {
                    classes[i].properties[p].target = to
                }
            }
        }
    }
}

/// A new class without rows.
public struct AddClass: PlannedChange {
    /// `addClass`.
    public static let name = "addClass"
    /// The class.
    public var definition: ClassSchema

    /// Adds a class.
    public init(_ definition: ClassSchema) { self.definition = definition }

    package init(_ subject: JSONTree, _ members: inout PlanMembers) throws(FormatError) {
        var inner = try PlanMembers(subject, "the class of addClass")
        definition = ClassSchema(try inner.text("name"), properties: [])
        if let kind = inner.take("kind") {
            guard let word = kind.string.flatMap({ ClassKind(rawValue: $0) }) else {
                throw FormatError(
                    .badValue, "kind is object, embedded or asymmetric", offset: kind.offset)
            }
            definition.kind = word
        }
        definition.primaryKey = try inner.optionalText("primaryKey")
        let list = try inner.need("properties")
        guard let entries = list.array else {
            throw FormatError(.badValue, "properties must be a list", offset: list.offset)
        }
        for entry in entries {
            let property = try PropertyWords.property(entry)
            if definition.index(of: property.name) != nil {
                throw FormatError(
                    .badValue, "two properties are called \(property.name)", offset: entry.offset)
            }
            definition.properties.append(property)
        }
        try inner.finish()
    }

    /// The change in one readable line.
    public var line: String {
        "add class \(definition.name) {"
            + definition.properties.map { "\($0.name): \($0.summary)" }.joined(separator: ", ")
            + "}"
    }
    /// The change as a plan writes it.
    public var json: PlanJSON? {
        .members([
            (
                Self.name,
                .members([
                    ("name", .string(definition.name)),
                    (
                        "kind",
                        definition.kind == .object ? nil : .string(definition.kind.rawValue)
                    ), ("primaryKey", definition.primaryKey.map { .string($0) }),
                    ("properties", .array(definition.properties.map(PropertyWords.json))),
                ])
            )
        ])
    }
    /// The classes the change names.
    public var classes: [String] { [definition.name] }

    package func stage(_ scope: ChangeScope) throws(FormatError) -> any Stage {
        try scope.checkFree(className: definition.name)
        let stage = MorphStage(scope.schema)
        _ = stage.addClass(definition)
        for property in definition.properties {
            if let target = property.target, stage.output.index(of: target) == nil {
                throw scope.error(
                    .unknownName, "there is no class \(target) at this point",
                    property: property.name,
                    fix: suggestion(for: target, among: scope.classNames))
            }
        }
        if let key = definition.primaryKey, definition.index(of: key) == nil {
            throw scope.error(
                .unknownName, "the primary key \(key) is no property of the class",
                fix: suggestion(for: key, among: definition.properties.map(\.name)))
        }
        return stage
    }
}

/// A class and its rows dropped.
public struct DropClass: PlannedChange {
    /// `dropClass`.
    public static let name = "dropClass"
    /// The class.
    public var className: String
    /// Drop the properties that link to it, too.
    public var dropsLinks: Bool

    /// Drops a class.
    public init(_ className: String, dropLinks: Bool = false) {
        self.className = className
        dropsLinks = dropLinks
    }

    package init(_ subject: JSONTree, _ members: inout PlanMembers) throws(FormatError) {
        self.init(
            try PlanMembers.text(subject, Self.name),
            dropLinks: try members.bool("dropLinks", false))
    }

    /// The change in one readable line.
    public var line: String { "drop class \(className)" + (dropsLinks ? " and links to it" : "") }
    /// The change as a plan writes it.
    public var json: PlanJSON? {
        .members([
            (Self.name, .string(className)), ("dropLinks", dropsLinks ? .bool(true) : nil),
        ])
    }
    /// The classes the change names.
    public var classes: [String] { [className] }

    package func stage(_ scope: ChangeScope) throws(FormatError) -> any Stage {
        let c = try scope.classIndex(className)
        let stage = MorphStage(scope.schema)
        for (i, owner) in scope.schema.classes.enumerated() where i != c {
            for p in owner.properties.indices.reversed()
            where owner.properties[p].target == className {
                guard dropsLinks else {
                    throw scope.error(
                        .schemaMismatch,
                        "\(owner.name).\(owner.properties[p].name) still links to \(className)",
                        fix: "drop that property first, or write \"dropLinks\": true")
                }
                let name = owner.properties[p].name
                stage.remove(p, of: i)
                stage.onRows(of: i) { batch, log in
                    log.note(
                        .lost, "property-dropped", class: owner.name, property: name,
                        count: batch.rowCount)
                }
            }
        }
        stage.dropRows(of: c, note: "class-dropped")
        stage.keyMaps[c]?.gone = dropsLinks ? .handled : .needsDecision
        stage.keyMaps[c]?.fix = "add \"dropLinks\": true"
        return stage
    }
}

extension MorphStage {
    /// Drops a class with its rows; links to it inside mixed values become null.
    func dropRows(of c: Int, note code: String?) {
        let name = input.classes[c].name
        output.classes[c] = .tombstone(at: c)
        plans[c] = []
        keyMaps[c] = KeyMap(output: c)
        keyMaps[c]?.isEmpty = true
        guard let code else { return }
        onRows(of: c) { batch, log in
            log.note(.lost, code, class: name, count: batch.rowCount)
        }
    }
}

/// An ordinary search index on a property, or none; no row is touched.
public struct SetIndex: PlannedChange {
    /// `setIndex`.
    public static let name = "setIndex"
    /// The property.
    public var property: PropertyName
    /// Whether it has an index.
    public var isIndexed: Bool

    /// Adds or removes an index.
    public init(_ property: PropertyName, indexed: Bool = true) {
        self.property = property
        isIndexed = indexed
    }

    package init(_ subject: JSONTree, _ members: inout PlanMembers) throws(FormatError) {
        self.init(
            try PropertyName(subject, Self.name), indexed: try members.bool("indexed", true))
    }

    /// The change in one readable line.
    public var line: String { (isIndexed ? "index " : "no index on ") + "\(property)" }
    /// The change as a plan writes it.
    public var json: PlanJSON? {
        .members([(Self.name, property.json), ("indexed", .bool(isIndexed))])
    }
    /// The classes the change names.
    public var classes: [String] { [property.className] }

    package func stage(_ scope: ChangeScope) throws(FormatError) -> any Stage {
        let (c, p) = try scope.place(property)
        let known = scope.schema.classes[c].properties[p]
        let types: Set<PropertyType> = [.int, .bool, .string, .date, .objectId, .uuid, .mixed]
        if isIndexed, !types.contains(known.type) || known.collection != nil {
            throw scope.error(
                .badValue, "\(known.summary) can have no index", property: known.name)
        }
        let stage = MorphStage(scope.schema)
        stage.output.classes[c].properties[p].isIndexed = isIndexed
        return stage
    }
}
