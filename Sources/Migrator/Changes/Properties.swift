// Properties renamed, added and dropped: the schema changes, rows are not touched one by one.

public import Formats

/// A property under a new name; its values stay.
///
/// Renames that stand side by side hold at once, so names can be swapped.
public struct RenameProperty: PlannedChange {
    /// `renameProperty`.
    public static let name = "renameProperty"
    /// The property.
    public var property: PropertyName
    /// Its new name.
    public var to: String

    /// Renames a property.
    public init(_ property: PropertyName, to: String) {
        self.property = property
        self.to = to
    }

    package init(_ subject: JSONTree, _ members: inout PlanMembers) throws(FormatError) {
        self.init(try PropertyName(subject, Self.name), to: try members.text("to"))
    }

    /// The change in one readable line.
    public var line: String { "rename \(property) -> \(to)" }
    /// The change as a plan writes it.
    public var json: PlanJSON? { .members([(Self.name, property.json), ("to", .string(to))]) }
    /// The classes the change names.
    public var classes: [String] { [property.className] }

    package func stage(_ scope: ChangeScope) throws(FormatError) -> any Stage {
        try RenameProperty.stage([(self, scope)], scope)
    }

    /// All renames that stand side by side.
    static func stage(_ renames: [(RenameProperty, ChangeScope)], _ scope: ChangeScope)
        throws(FormatError) -> any Stage
    {
        let stage = MorphStage(scope.schema)
        for (rename, own) in renames {
            let (c, p) = try own.place(rename.property)
            let old = scope.schema.classes[c].properties[p].name
            if rename.to.isEmpty || rename.to.utf8.count > 63 {
                throw own.error(.badValue, "a property name has 1 to 63 bytes")
            }
            if stage.output.classes[c].properties[p].name != old {
                throw own.error(.schemaMismatch, "\(rename.property) is renamed twice")
            }
            stage.output.classes[c].properties[p].name = rename.to
            if scope.schema.classes[c].primaryKey == old {
                stage.output.classes[c].primaryKey = rename.to
            }
        }
        for (rename, own) in renames {
            let c = try own.classIndex(rename.property.className)
            let names = stage.output.classes[c].properties.filter { $0.name == rename.to }
            if names.count > 1 {
                throw own.error(
                    .schemaMismatch,
                    "\(rename.property.className) has a property \(rename.to) already")
            }
        }
        return stage
    }
}

/// A new property, with a constant or a value worked out for each row.
public struct AddProperty: PlannedChange {
    /// `addProperty`.
    public static let name = "addProperty"
    /// The property.
    public var property: PropertyName
    /// Its type.
    public var type: PropertyType
    /// Whether it may be null.
    public var isOptional: Bool
    /// Its collection, if it is one.
    public var collection: CollectionKind?
    /// The class of a link.
    public var target: String?
    /// Its value; optional properties and collections need none.
    public var value: PlanValue?
    /// What becomes of rows whose value does not fit.
    public var onError: OnError

    /// Adds a property.
    public init(
        _ property: PropertyName, _ type: PropertyType, isOptional: Bool = false,
        collection: CollectionKind? = nil, target: String? = nil, value: PlanValue? = nil,
        onError: OnError = .reject
    ) {
        self.property = property
        self.type = type
        self.isOptional = isOptional
        self.collection = collection
        self.target = target
        self.value = value
        self.onError = onError
    }

    package init(_ subject: JSONTree, _ members: inout PlanMembers) throws(FormatError) {
        self.init(
            try PropertyName(subject, Self.name),
            try PlanMembers.word(members.need("type"), "type"),
            isOptional: try members.bool("optional", false),
            collection: try members.take("collection").map { (tree) throws(FormatError) in
                try PropertyWords.collection(tree)
            }, target: try members.optionalText("target"),
            value: try members.take("value").map { (tree) throws(FormatError) in
                try PlanValue(tree)
            }, onError: try OnError(members.take("onError"), "onError"))
    }

    /// The change in one readable line.
    public var line: String {
        let definition = Property(
            property.property, type, collection: collection, isOptional: isOptional,
            target: target)
        return "add \(property): \(definition.summary)" + (value.map { " = \($0.line)" } ?? "")
    }
    /// The change as a plan writes it.
    public var json: PlanJSON? {
        .members([
            (Self.name, property.json), ("type", .string(type.rawValue)),
            ("optional", isOptional ? .bool(true) : nil),
            ("collection", collection.map { .string($0.rawValue) }),
            ("target", target.map { .string($0) }), ("value", value?.json),
            ("onError", onError.json),
        ])
    }
    /// The classes the change names.
    public var classes: [String] { [property.className] + (target.map { [$0] } ?? []) }

    package func stage(_ scope: ChangeScope) throws(FormatError) -> any Stage {
        let c = try scope.classIndex(property.className)
        try scope.checkFree(property.property, in: c)
        let added = try PropertyWords.property(
            property.property, type, optional: isOptional, collection: collection, target: target,
            scope)
        let stage = MorphStage(scope.schema)
        guard let value else {
            guard added.isOptional || added.collection != nil else {
                throw scope.error(
                    .missingValue, "a required property needs a value for the rows there are",
                    property: added.name, fix: "add \"value\": V, or \"optional\": true")
            }
            stage.add(added, to: c, ConstantMaker(.null))
            return stage
        }
        let bound = try BoundValue(value, for: added, of: c, scope)
        if let constant = bound.constant {
            stage.add(added, to: c, ConstantMaker(constant))
        } else {
            stage.add(added, to: c, try ValueMaker(bound, onError, of: c, scope))
            stage.allowRejects(of: c, onError)
        }
        return stage
    }
}

/// A property and its values dropped.
public struct DropProperty: PlannedChange {
    /// `dropProperty`.
    public static let name = "dropProperty"
    /// The property.
    public var property: PropertyName

    /// Drops a property.
    public init(_ property: PropertyName) { self.property = property }

    package init(_ subject: JSONTree, _ members: inout PlanMembers) throws(FormatError) {
        self.init(try PropertyName(subject, Self.name))
    }

    /// The change in one readable line.
    public var line: String { "drop \(property)" }
    /// The change as a plan writes it.
    public var json: PlanJSON? { .members([(Self.name, property.json)]) }
    /// The classes the change names.
    public var classes: [String] { [property.className] }

    package func stage(_ scope: ChangeScope) throws(FormatError) -> any Stage {
        let (c, p) = try scope.place(property)
        let stage = MorphStage(scope.schema)
        stage.remove(p, of: c)
        stage.onRows(of: c) { batch, log in
            log.note(
                .lost, "property-dropped", class: property.className, property: property.property,
                count: batch.rowCount)
        }
        return stage
    }
}
