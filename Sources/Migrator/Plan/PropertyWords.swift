// The words plans define properties with.

internal import Formats

/// The words of property definitions.
enum PropertyWords {
    static func collection(_ tree: JSONTree) throws(FormatError) -> CollectionKind {
        let words = ["list", "set", "dictionary"]
        if let kind = tree.string.flatMap({ CollectionKind(rawValue: $0) }) { return kind }
        throw FormatError(
            .unknownName, "collection is one of " + words.joined(separator: ", "),
            offset: tree.offset, fix: tree.string.flatMap { suggestion(for: $0, among: words) })
    }

    /// A property as stores keep it.
    static func property(
        _ name: String, _ type: PropertyType, optional: Bool, collection: CollectionKind?,
        target: String?, _ scope: ChangeScope
    ) throws(FormatError) -> Property {
        if type == .table {
            throw scope.error(.badValue, "subtables cannot be added", property: name)
        }
        if type == .link {
            guard let target else {
                throw scope.error(.missingValue, "a link needs a \"target\"", property: name)
            }
            _ = try scope.classIndex(target)
        } else if target != nil {
            throw scope.error(.badValue, "only a link has a \"target\"", property: name)
        }
        var isOptional = optional || type == .mixed
        if type == .link { isOptional = (collection ?? .dictionary) == .dictionary }
        return Property(
            name, type, collection: collection, isOptional: isOptional, target: target)
    }

    /// Reads a property of a class definition.
    static func property(_ tree: JSONTree) throws(FormatError) -> Property {
        var members = try PlanMembers(tree, "a property")
        let name = try members.text("name")
        var property = Property(name, try PlanMembers.word(members.need("type"), "type"))
        property.isOptional = try members.bool("optional", false)
        property.isIndexed = try members.bool("indexed", false)
        property.isFullText = try members.bool("fullText", false)
        property.target = try members.optionalText("target")
        if let tree = members.take("collection") { property.collection = try collection(tree) }
        try members.finish()
        guard property.type != .table, (property.type == .link) == (property.target != nil) else {
            throw FormatError(
                .badValue, "a link, and only a link, has a target", offset: tree.offset)
        }
        if property.type == .mixed { property.isOptional = true }
        if property.type == .link {
            property.isOptional = (property.collection ?? .dictionary) == .dictionary
        }
        return property
    }

    /// A property of a class definition as plans write it.
    static func json(_ property: Property) -> PlanJSON {
        .members([
            ("name", .string(property.name)), ("type", .string(property.type.rawValue)),
            ("collection", property.collection.map { .string($0.rawValue) }),
            ("optional", property.isOptional ? .bool(true) : nil),
            ("target", property.target.map { .string($0) }),
            ("indexed", property.isIndexed ? .bool(true) : nil),
            ("fullText", property.isFullText ? .bool(true) : nil),
        ])
    }
}
