// What a store says of its classes: the same words for a Realm file, a JSON store document and
// the built-in classes of contacts and to-dos. No input or output here.

/// The kind of value a property holds (DESIGN 1.2 names).
public enum PropertyType: String, Sendable, CaseIterable {
    case int, bool, string, data, date, float, double, decimal128, objectId, uuid, mixed, link
    /// A subtable of the formats before 10: rows of `Property.columns` inside a cell.
    case table
}

/// How many values a property holds, and how.
public enum CollectionKind: String, Sendable {
    case list, set, dictionary
}

/// One property of a class.
public struct Property: Sendable, Equatable {
    /// The stored name.
    public var name: String
    /// The type of the value, or of the elements of a collection.
    public var type: PropertyType
    /// nil for a single value.
    public var collection: CollectionKind?
    /// Whether the value, or an element, may be null; true for single links and `mixed`.
    public var isOptional: Bool
    /// The class a link leads to, or the embedded class that stands inline.
    public var target: String?
    /// The declared attribute of an ordinary search index (not of the primary key).
    public var isIndexed: Bool
    /// The declared attribute of a full-text index.
    public var isFullText: Bool
    /// True for a dictionary whose keys are ints (possible through the core API only).
    public var hasIntKeys: Bool
    /// The columns of a subtable, for `type == .table`.
    public var columns: [Property]

    /// A property; everything but name and type has its usual value unless said.
    public init(
        _ name: String, _ type: PropertyType, collection: CollectionKind? = nil,
        isOptional: Bool = false, target: String? = nil, isIndexed: Bool = false,
        isFullText: Bool = false, hasIntKeys: Bool = false, columns: [Property] = []
    ) {
        self.name = name
        self.type = type
        self.collection = collection
        self.isOptional = isOptional
        self.target = target
        self.isIndexed = isIndexed
        self.isFullText = isFullText
        self.hasIntKeys = hasIntKeys
        self.columns = columns
    }
}

/// What a class is for.
public enum ClassKind: String, Sendable {
    case object, embedded, asymmetric
}

/// One class, or a plain table without the `class_` prefix (`isTable`).
public struct ClassSchema: Sendable, Equatable {
    /// The name without the `class_` prefix.
    public var name: String
    /// Object, embedded or asymmetric.
    public var kind: ClassKind
    /// The name of the primary key property, if the class has one.
    public var primaryKey: String?
    /// The properties in stored order.
    public var properties: [Property]
    /// True for a table that is no class (a name without the `class_` prefix).
    public var isTable: Bool
    /// The number of objects, where the source knows it beforehand; not compared.
    public var count: Int?

    /// A class.
    public init(
        _ name: String, kind: ClassKind = .object, primaryKey: String? = nil,
        properties: [Property], isTable: Bool = false, count: Int? = nil
    ) {
        self.name = name
        self.kind = kind
        self.primaryKey = primaryKey
        self.properties = properties
        self.isTable = isTable
        self.count = count
    }

    /// The position of a property, nil when there is none of that name.
    public func index(of property: String) -> Int? {
        properties.firstIndex { $0.name == property }
    }

    /// Equal in all but `count`.
    public static func == (a: ClassSchema, b: ClassSchema) -> Bool {
        a.name == b.name && a.kind == b.kind && a.primaryKey == b.primaryKey
            && a.properties == b.properties && a.isTable == b.isTable
    }
}

/// All classes of a store and its schema version.
public struct Schema: Sendable, Equatable {
    /// The schema version; nil when the store has none (counts as 0 for plans).
    public var version: UInt64?
    /// Classes and plain tables, in stored order.
    public var classes: [ClassSchema]

    /// A schema.
    public init(version: UInt64? = nil, classes: [ClassSchema]) {
        self.version = version
        self.classes = classes
    }

    /// The position of a class (not of a plain table), nil when there is none of that name.
    public func index(of name: String) -> Int? {
        classes.firstIndex { $0.name == name && !$0.isTable }
    }

    /// True when a property's value is an embedded object standing inline.
    public func isEmbedded(_ property: Property) -> Bool {
        guard property.type == .link, let target = property.target, let i = index(of: target)
        else { return false }
        return classes[i].kind == .embedded
    }
}
