// Columns made an embedded object, and back.

package import Formats

/// Columns put into an embedded object; null where all of them are.
public struct Nest: PlannedChange {
    /// `nest`.
    public static let name = "nest"
    /// The properties.
    public var properties: [PropertyName]
    /// The property that holds the object.
    public var into: PropertyName
    /// The embedded class; made where it is not there.
    public var className: String
    /// The names inside the object; nil for the properties' own.
    public var names: [String]?

    /// Nests properties.
    public init(
        _ properties: [PropertyName], into: PropertyName, class className: String,
        names: [String]? = nil
    ) {
        self.properties = properties
        self.into = into
        self.className = className
        self.names = names
    }

    package init(_ subject: JSONTree, _ members: inout PlanMembers) throws(FormatError) {
        properties = try PropertyName.list(subject, Self.name)
        into = try PropertyName(members.need("into"), "into")
        className = try members.text("class")
        names = try members.take("names").map { (tree) throws(FormatError) in
            try PlanMembers.texts(tree, "names")
        }
    }

    /// The change in one readable line.
    public var line: String {
        "nest " + properties.map(\.description).joined(separator: ", ")
            + " -> \(into): \(className)"
    }
    /// The change as a plan writes it.
    public var json: PlanJSON? {
        .members([
            (Self.name, .array(properties.map(\.json))), ("into", into.json),
            ("class", .string(className)),
            ("names", names.map { .array($0.map { .string($0) }) }),
        ])
    }
    /// The classes the change names.
    public var classes: [String] { [into.className, className] }

    package func stage(_ scope: ChangeScope) throws(FormatError) -> any Stage {
        let c = try scope.classIndex(properties[0].className)
        guard into.className == properties[0].className else {
            throw scope.error(.badValue, "\"into\" is a property of the same class")
        }
        if let names, names.count != properties.count {
            throw scope.error(.badValue, "\"names\" has a name a property")
        }
        var positions: [Int] = []
        var inner: [Property] = []
        for (i, name) in properties.enumerated() {
            let p = try scope.place(name).property
            var property = scope.schema.classes[c].properties[p]
            guard scope.schema.classes[c].primaryKey != property.name else {
                throw scope.error(.badValue, "the primary key stays", property: property.name)
            }
            property.name = names?[i] ?? property.name
            positions.append(p)
            inner.append(property)
        }
        try scope.checkFree(into.property, in: c, except: properties.map(\.property))
        let stage = MorphStage(scope.schema)
        // The position in the embedded class of each nested column.
        var slots = Array(inner.indices)
        var blanks: [Int] = []
        if let known = scope.schema.index(of: className) {
            let definition = scope.schema.classes[known]
            guard definition.kind == .embedded else {
                throw scope.error(.schemaMismatch, "\(className) is no embedded class")
            }
            for (i, property) in inner.enumerated() {
                guard let slot = definition.index(of: property.name),
                    definition.properties[slot].sameShape(as: property)
                else {
                    throw scope.error(
                        .schemaMismatch, "\(className) has no such property",
                        property: property.name)
                }
                slots[i] = slot
            }
            // What is not given is null or empty, where it may be.
            for (slot, property) in definition.properties.enumerated()
            where !slots.contains(slot) {
                guard property.isOptional || property.collection != nil else {
                    throw scope.error(
                        .missingValue, "\(className).\(property.name) is required and not given",
                        property: property.name)
                }
                blanks.append(slot)
            }
        } else {
            try scope.checkFree(className: className)
            _ = stage.addClass(ClassSchema(className, kind: .embedded, properties: inner))
        }
        let object = Property(into.property, .link, isOptional: true, target: className)
        let maker = RowMaker { [blanks] (column, batch, row, pass) in
            let isEmpty = positions.allSatisfy { p in
                let source = batch.columns[p]
                return source.layout == .collection
                    ? source.range(row).isEmpty : source.isNull(row)
            }
            if isEmpty { return column.appendNull() }
            column.openObject()
            for (slot, p) in zip(slots, positions) {
                column.child.columns[slot].append(row, of: batch.columns[p])
            }
            for slot in blanks {
                let blank = column.child.columns[slot]
                if blank.layout == .collection {
                    blank.closeCollection()
                } else {
                    blank.appendNull()
                }
            }
            column.child.closeRow()
        }
        try stage.removeAll(positions, of: c, insert: object, maker)
        return stage
    }
}

extension Property {
    /// True where values move from one property to the other unchanged.
    func sameShape(as other: Property) -> Bool {
        type == other.type && collection == other.collection && target == other.target
            && isOptional == other.isOptional && hasIntKeys == other.hasIntKeys
    }
}

/// An embedded object's properties put beside it.
public struct Flatten: PlannedChange {
    /// `flatten`.
    public static let name = "flatten"
    /// The property that holds the object.
    public var property: PropertyName
    /// The names of the columns; nil for the names inside the object.
    public var into: [String]?

    /// Flattens an embedded object.
    public init(_ property: PropertyName, into: [String]? = nil) {
        self.property = property
        self.into = into
    }

    package init(_ subject: JSONTree, _ members: inout PlanMembers) throws(FormatError) {
        property = try PropertyName(subject, Self.name)
        into = try members.take("into").map { (tree) throws(FormatError) in
            try PlanMembers.texts(tree, "into")
        }
    }

    /// The change in one readable line.
    public var line: String {
        "flatten \(property)" + (into.map { " -> " + $0.joined(separator: ", ") } ?? "")
    }
    /// The change as a plan writes it.
    public var json: PlanJSON? {
        .members([
            (Self.name, property.json), ("into", into.map { .array($0.map { .string($0) }) }),
        ])
    }
    /// The classes the change names.
    public var classes: [String] { [property.className] }

    package func stage(_ scope: ChangeScope) throws(FormatError) -> any Stage {
        let (c, p) = try scope.place(property)
        let old = scope.schema.classes[c].properties[p]
        guard scope.schema.isEmbedded(old), old.collection == nil,
            let e = old.target.flatMap({ scope.schema.index(of: $0) })
        else {
            throw scope.error(
                .badValue, "\(property) is no single embedded object", property: old.name)
        }
        let inner = scope.schema.classes[e].properties
        if let into, into.count != inner.count {
            throw scope.error(
                .badValue,
                "\"into\" has a name for each of "
                    + inner.map(\.name).joined(separator: ", "))
        }
        let stage = MorphStage(scope.schema)
        stage.remove(p, of: c)
        for (i, property) in inner.enumerated() {
            var flat = property
            flat.name = into?[i] ?? property.name
            if flat.collection == nil { flat.isOptional = true }
            try scope.checkFree(flat.name, in: c, except: [old.name])
            if stage.output.classes[c].index(of: flat.name) != nil {
                throw scope.error(.schemaMismatch, "two columns would be called \(flat.name)")
            }
            stage.output.classes[c].properties.insert(flat, at: p + i)
            let maker = RowMaker { (column, batch, row, _) in
                let source = batch.columns[p]
                if source.isNull(row) { return column.appendNull() }
                column.append(Int(source.words[row]), of: source.child.columns[i])
            }
            stage.plans[c][0].columns.insert(.made(maker), at: p + i)
        }
        return stage
    }
}
