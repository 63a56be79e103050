// Reads the schema part of a store document: `classes` and `tables` (DESIGN 1.2). Checks that
// the parts fit each other; whether a Realm file can hold them is for its writer.

/// Turns schema text into classes.
struct JSONSchemaReader {
    let report: Report

    /// The classes of an array of class objects.
    func classes(_ tree: JSONTree, isTable: Bool) throws(FormatError) -> [ClassSchema] {
        guard let list = tree.array else {
            throw bad(tree, "an array of classes is expected here")
        }
        var result: [ClassSchema] = []
        for entry in list { result.append(try classSchema(entry, isTable: isTable)) }
        return result
    }

    private func classSchema(_ tree: JSONTree, isTable: Bool) throws(FormatError) -> ClassSchema {
        guard let members = tree.members else { throw bad(tree, "a class must be an object") }
        guard let name = tree["name"]?.string else {
            throw bad(tree, "a class needs a `name`")
        }
        var c = ClassSchema(name, properties: [], isTable: isTable)
        for (member, value) in members {
            switch member {
            case "name": break
            case "kind":
                guard let kind = value.string.flatMap(ClassKind.init) else {
                    throw bad(value, "`kind` is object, embedded or asymmetric", name)
                }
                c.kind = kind
            case "primaryKey":
                if case .null = value.value { break }
                guard let key = value.string else {
                    throw bad(value, "`primaryKey` names a property", name)
                }
                c.primaryKey = key
            case "count":
                // A hint of the writer's; the rows themselves count.
                c.count = value.int.flatMap { $0 >= 0 ? Int($0) : nil }
            case "properties": c.properties = try properties(value, name)
            default: unknown(member, in: name)
            }
        }
        if let key = c.primaryKey, c.index(of: key) == nil {
            throw bad(tree, "the primary key `\(key)` is no property of the class", name)
        }
        return c
    }

    private func properties(_ tree: JSONTree, _ owner: String) throws(FormatError) -> [Property] {
        guard let list = tree.array else {
            throw bad(tree, "an array of properties is expected here", owner)
        }
        var result: [Property] = []
        var names: Set<String> = []
        for entry in list {
            let p = try property(entry, owner)
            guard names.insert(p.name).inserted else {
                throw bad(entry, "the class has two properties of this name", owner, p.name)
            }
            result.append(p)
        }
        return result
    }

    private func property(_ tree: JSONTree, _ owner: String) throws(FormatError) -> Property {
        guard let members = tree.members else {
            throw bad(tree, "a property must be an object", owner)
        }
        guard let name = tree["name"]?.string else {
            throw bad(tree, "a property needs a `name`", owner)
        }
        guard let word = tree["type"] else {
            throw bad(tree, "a property needs a `type`", owner, name)
        }
        guard let type = word.string.flatMap(PropertyType.init) else {
            let words = PropertyType.allCases.map(\.rawValue).joined(separator: " ")
            throw bad(word, "unknown type; the types are \(words)", owner, name)
        }
        var p = Property(name, type)
        for (member, value) in members {
            switch member {
            case "name", "type": break
            case "optional": p.isOptional = try bool(value, owner, name)
            case "indexed": p.isIndexed = try bool(value, owner, name)
            case "fullText": p.isFullText = try bool(value, owner, name)
            case "collection":
                if case .null = value.value { break }
                guard let kind = value.string.flatMap(CollectionKind.init) else {
                    throw bad(value, "`collection` is list, set or dictionary", owner, name)
                }
                p.collection = kind
            case "target":
                if case .null = value.value { break }
                guard let target = value.string else {
                    throw bad(value, "`target` names a class", owner, name)
                }
                p.target = target
            case "keyType":
                guard let kind = value.string, kind == "int" || kind == "string" else {
                    throw bad(value, "`keyType` is int or string", owner, name)
                }
                p.hasIntKeys = kind == "int"
            case "columns":
                p.columns = try properties(value, "\(owner).\(name)")
            default: unknown(member, in: "\(owner).\(name)")
            }
        }
        if type == .table { p.collection = .list }
        if type == .link, p.target == nil {
            throw bad(tree, "a link needs a `target`", owner, name)
        }
        if type == .mixed || (type == .link && (p.collection ?? .dictionary) == .dictionary) {
            p.isOptional = true
        }
        return p
    }

    private func bool(_ tree: JSONTree, _ owner: String, _ name: String) throws(FormatError)
        -> Bool
    {
        guard let value = tree.bool else {
            throw bad(tree, "true or false is expected here", owner, name)
        }
        return value
    }

    /// Checks the links between all classes and tables.
    func check(_ classes: [ClassSchema]) throws(FormatError) {
        var names: Set<String> = []
        for c in classes where !names.insert((c.isTable ? "t " : "c ") + c.name).inserted {
            throw FormatError(
                .malformed, "two classes are called \(c.name)", recordName: "class \(c.name)")
        }
        for c in classes {
            try check(c.properties, of: c, names)
        }
    }

    private func check(_ properties: [Property], of c: ClassSchema, _ names: Set<String>)
        throws(FormatError)
    {
        for p in properties {
            if let target = p.target, !names.contains("c \(target)"),
                !names.contains("t \(target)")
            {
                throw FormatError(
                    .unknownName, "the link leads to \(target), which is no class of the document",
                    recordName: "class \(c.name)", property: p.name)
            }
            try check(p.columns, of: c, names)
        }
    }

    private func unknown(_ member: String, in owner: String) {
        report.note(
            .lost, "unknown-member", property: "\(owner).\(member)",
            action: "a member of the schema that is not known was left out")
    }

    private func bad(
        _ tree: JSONTree, _ message: String, _ owner: String? = nil, _ property: String? = nil
    ) -> FormatError {
        FormatError(
            .malformed, message, offset: tree.offset, recordName: owner.map { "class \($0)" },
            property: property)
    }
}
