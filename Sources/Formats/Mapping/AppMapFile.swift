// Reads a map file. Every member is known or an error that names it: a map with a slip of the pen
// must not lose data silently.

/// The text form of maps.
enum AppMapFile {
    /// Reads a map.
    /// - Throws: `malformed` for no JSON, `unknownName` for members, types and fields that do not
    ///   exist, `badValue`, `missingValue`; with line and column.
    static func parse(_ input: InputBytes) throws(FormatError) -> AppMap {
        let source = try JSONSource(input)
        var scanner = source.scanner(depthLimit: 32)
        do throws(FormatError) {
            let tree = try JSONTree(&scanner)
            try scanner.finish()
            return try map(tree)
        } catch {
            throw source.located(error)
        }
    }

    private static func fail(
        _ tree: JSONTree, _ code: FormatErrorCode, _ message: String, fix: String? = nil
    ) -> FormatError {
        FormatError(code, message, offset: tree.offset, fix: fix)
    }

    /// Checks that an object has the needed members and no unknown ones.
    private static func members(
        _ tree: JSONTree, _ what: String, needed: [String], optional: [String] = []
    ) throws(FormatError) {
        guard let members = tree.members else {
            throw fail(tree, .malformed, "\(what) must be an object")
        }
        var seen: Set<String> = []
        for (name, value) in members {
            guard needed.contains(name) || optional.contains(name) else {
                throw fail(
                    value, .unknownName, "\(what) has no member \(name)",
                    fix: suggestion(for: name, among: needed + optional))
            }
            guard seen.insert(name).inserted else {
                throw fail(value, .malformed, "\(what) has two members \(name)")
            }
        }
        for name in needed where !seen.contains(name) {
            throw fail(tree, .missingValue, "\(what) needs a member \(name)")
        }
    }

    private static func text(_ tree: JSONTree, _ name: String) throws(FormatError) -> String {
        guard let member = tree[name] else {
            throw fail(tree, .missingValue, "a member \(name) is needed here")
        }
        guard let text = member.string, !text.isEmpty else {
            throw fail(member, .badValue, "\(name) must be a text")
        }
        return text
    }

    private static func list(_ tree: JSONTree, _ name: String) throws(FormatError) -> [JSONTree] {
        guard let member = tree[name] else { return [] }
        guard let list = member.array else {
            throw fail(member, .badValue, "\(name) must be an array")
        }
        return list
    }

    private static func map(_ tree: JSONTree) throws(FormatError) -> AppMap {
        try members(
            tree, "a map", needed: ["rtoolMap", "name", "class", "classes"],
            optional: ["summary", "source", "fields", "leaveOut"])
        if let version = tree["rtoolMap"], version.int != 1 {
            throw fail(version, .unsupportedVersion, "this version of map files is not known")
        }
        var source: Format.Content?
        if let member = tree["source"] {
            switch member.string {
            case "contacts": source = .contacts
            case "tasks": source = .tasks
            default: throw fail(member, .badValue, "source is \"contacts\" or \"tasks\"")
            }
        }
        var classes: [ClassSchema] = []
        for entry in try list(tree, "classes") { classes.append(try classSchema(entry)) }
        let schema = Schema(classes: classes)
        for entry in try list(tree, "classes") {
            for property in try list(entry, "properties") {
                guard let target = property["target"], let name = target.string else { continue }
                if schema.index(of: name) == nil {
                    throw fail(
                        target, .unknownName, "the map has no class \(name)",
                        fix: suggestion(for: name, among: classes.map(\.name)))
                }
            }
        }
        let className = try text(tree, "class")
        guard let index = schema.index(of: className) else {
            throw fail(
                tree["class"] ?? tree, .unknownName, "the map has no class \(className)",
                fix: suggestion(for: className, among: classes.map(\.name)))
        }
        let target = TargetClass(schema: schema, classIndex: index)
        var fields: [AppMap.Field] = []
        for entry in try list(tree, "fields") {
            fields.append(try field(entry, target.classSchema, source))
        }
        var omissions: [AppMap.Omission] = []
        for entry in try list(tree, "leaveOut") {
            try members(entry, "a rule of leaveOut", needed: ["field", "unless"])
            let word = try text(entry, "field")
            guard MapWords.type(word, source) == .bool else {
                throw fail(
                    entry["field"] ?? entry, .unknownName, "\(word) is no yes-or-no field",
                    fix: "use \"done\"")
            }
            omissions.append(.init(field: word, unless: try text(entry, "unless")))
        }
        return AppMap(
            name: try text(tree, "name"), summary: tree["summary"]?.string ?? "", source: source,
            target: target, fields: fields, omissions: omissions)
    }

    private static func classSchema(_ tree: JSONTree) throws(FormatError) -> ClassSchema {
        try members(
            tree, "a class", needed: ["name", "properties"], optional: ["kind", "primaryKey"])
        var result = ClassSchema(try text(tree, "name"), properties: [])
        if let kind = tree["kind"] {
            guard let known = kind.string.flatMap(ClassKind.init) else {
                throw fail(kind, .badValue, "kind is \"object\" or \"embedded\"")
            }
            result.kind = known
        }
        for entry in try list(tree, "properties") {
            try members(
                entry, "a property", needed: ["name", "type"],
                optional: ["optional", "collection", "target", "indexed"])
            let name = try text(entry, "name")
            guard result.index(of: name) == nil else {
                throw fail(entry, .malformed, "\(result.name) has two properties \(name)")
            }
            let word = try text(entry, "type")
            guard let type = PropertyType(rawValue: word), type != .table else {
                throw fail(
                    entry["type"] ?? entry, .unknownName, "there is no type \(word)",
                    fix: suggestion(
                        for: word,
                        among: PropertyType.allCases.filter { $0 != .table }.map(\.rawValue)))
            }
            var property = Property(name, type)
            if let member = entry["collection"] {
                guard let kind = member.string.flatMap(CollectionKind.init) else {
                    throw fail(
                        member, .badValue, "collection is \"list\", \"set\" or \"dictionary\"")
                }
                property.collection = kind
            }
            property.isOptional = entry["optional"]?.bool ?? false
            property.isIndexed = entry["indexed"]?.bool ?? false
            if type == .link {
                property.target = try text(entry, "target")
                if property.collection == nil || property.collection == .dictionary {
                    property.isOptional = true
                }
            }
            if type == .mixed { property.isOptional = true }
            result.properties.append(property)
        }
        if let member = tree["primaryKey"] {
            let key = try text(tree, "primaryKey")
            guard result.index(of: key) != nil else {
                throw fail(
                    member, .unknownName, "\(result.name) has no property \(key)",
                    fix: suggestion(for: key, among: result.properties.map(\.name)))
            }
            result.primaryKey = key
        }
        return result
    }

    private static func field(
        _ tree: JSONTree, _ target: ClassSchema, _ source: Format.Content?
    ) throws(FormatError) -> AppMap.Field {
        try members(
            tree, "a field", needed: ["property", "from"], optional: ["is", "else", "back"])
        let name = try text(tree, "property")
        guard let index = target.index(of: name) else {
            throw fail(
                tree["property"] ?? tree, .unknownName, "\(target.name) has no property \(name)",
                fix: suggestion(for: name, among: target.properties.map(\.name)))
        }
        let property = target.properties[index]
        let word = try text(tree, "from")
        let category = tree["is"]?.string
        let place = tree["from"] ?? tree
        guard let source else {
            throw fail(place, .missingValue, "a map with fields needs a member source")
        }
        guard var type = MapWords.type(word, source) else {
            throw fail(
                place, .unknownName, "\(source.rawValue) have no field \(word)",
                fix: (nearest(to: word, among: MapWords.all(source)).map {
                    "did you mean \($0)? "
                } ?? "") + "the fields are: " + MapWords.all(source).joined(separator: " "))
        }
        if tree["is"] != nil {
            guard word == "category", category != nil else {
                throw fail(place, .badValue, "\"is\" needs the field category and a text")
            }
            type = .bool
        }
        guard type.fits(property) else {
            throw fail(
                place, .schemaMismatch,
                "\(word) is \(type.rawValue), and \(name) is of type \(property.type.rawValue)")
        }
        var fallback: Value?
        if let member = tree["else"] {
            fallback = value(member, property.type)
            if fallback == nil {
                throw fail(
                    member, .badValue,
                    "this does not fit \(name), of type \(property.type.rawValue)")
            }
        }
        if !property.isOptional, property.collection == nil, fallback == nil,
            type != .bool, type != .id
        {
            throw fail(
                tree, .missingValue, "\(name) must have a value, so the field needs an \"else\"")
        }
        return AppMap.Field(
            property: index, from: word, category: category, fallback: fallback,
            goesBack: tree["back"]?.bool ?? true)
    }

    private static func value(_ tree: JSONTree, _ type: PropertyType) -> Value? {
        switch (tree.value, type) {
        case (.string(let text), .string): return .string(text)
        case (.bool(let value), .bool): return .bool(value)
        case (.number, .int): return tree.int.map(Value.int)
        case (.number(let text), .double): return Double(text).map(Value.double)
        case (.string(var text), .date):
            return text.withUTF8 { ScalarText.date(UnsafeRawBufferPointer($0)) }.map(Value.date)
        case (.null, _): return .null
        default: return nil
        }
    }
}

/// The words a map may use for the fields of contacts and to-dos.
enum MapWords {
    /// What kind of value a field has.
    enum FieldType: String, Sendable {
        case id = "an id"
        case text, texts, bool, int, date

        /// True when a property can hold the field.
        func fits(_ property: Property) -> Bool {
            if self == .texts {
                return property.type == .string
                    && (property.collection == .list || property.collection == .set)
            }
            guard property.collection == nil else { return false }
            switch self {
            case .id: return [.objectId, .uuid, .string].contains(property.type)
            case .text: return property.type == .string
            case .bool: return property.type == .bool
            case .int: return property.type == .int
            case .date: return property.type == .date
            case .texts: return false
            }
        }
    }

    private static let contacts: [String: FieldType] = [
        "id": .id, "uid": .text, "name": .text, "givenName": .text, "familyName": .text,
        "nickname": .text, "organization": .text, "title": .text, "role": .text, "note": .text,
        "url": .text, "email": .text, "emails": .texts, "phone": .text, "phones": .texts,
        "address": .text, "birthday": .text, "category": .text, "categories": .texts,
    ]

    private static let tasks: [String: FieldType] = [
        "id": .id, "uid": .text, "title": .text, "notes": .text, "done": .bool, "status": .text,
        "category": .text, "categories": .texts, "startTime": .text, "endTime": .text,
        "start": .date, "due": .date, "completed": .date, "created": .date, "saved": .date,
        "priority": .int, "percent": .int, "location": .text, "url": .text,
    ]

    static func type(_ word: String, _ source: Format.Content?) -> FieldType? {
        source == .contacts ? contacts[word] : source == .tasks ? tasks[word] : nil
    }

    static func all(_ source: Format.Content) -> [String] {
        (source == .contacts ? contacts : tasks).keys.sorted()
    }
}
