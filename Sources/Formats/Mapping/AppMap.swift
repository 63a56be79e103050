// A map between contacts or to-dos and the class of a small app (DESIGN 1.5). A map is data: a
// JSON file anyone can write, and the built-in ones are such files. What its words mean stands in
// `ContactFields` and `TodoFields`.

/// A map between the built-in classes and the class of an app.
struct AppMap: Sendable {
    /// One property and where it comes from.
    struct Field: Sendable {
        /// The property's position in the class.
        let property: Int
        /// The word for the source's field.
        let from: String
        /// A category's name, for the yes-or-no question whether it is there.
        let category: String?
        /// What stands in for a missing value.
        let fallback: Value?
        /// Whether the way back uses it.
        let goesBack: Bool
    }

    /// Records that are left out.
    struct Omission: Sendable {
        /// The word for a yes-or-no field.
        let field: String
        /// The option that keeps them.
        let unless: String
    }

    /// The map's name.
    let name: String
    /// One line for people.
    let summary: String
    /// What it takes; nil when it only describes classes.
    let source: Format.Content?
    /// The class of the app, among all classes of the map.
    let target: TargetClass
    let fields: [Field]
    let omissions: [Omission]

    /// The class as text inputs are read: the key may then be a UID of any kind.
    var reading: TargetClass {
        var lenient = target
        if let key = keyIndex, target.classSchema.properties[key].type == .objectId {
            lenient.schema.classes[target.classIndex].primaryKey = nil
            lenient.schema.classes[target.classIndex].properties[key] =
                Property(target.classSchema.properties[key].name, .string, isOptional: true)
        }
        return lenient
    }

    /// The position of the class's primary key.
    var keyIndex: Int? {
        target.classSchema.primaryKey.flatMap { target.classSchema.index(of: $0) }
    }

    /// True for records the map can turn into its class, and back.
    func takes(_ content: Format.Content) -> Bool { source == content }

    /// Rows of the app's class from contacts or to-dos.
    func reader(over reader: any RecordReader, context: ExchangeContext) throws(FormatError)
        -> any RecordReader
    {
        switch source {
        case .contacts:
            return MapReader<ContactFields>(
                self, reader, try sourceClass("Contact", reader.schema), context)
        case .tasks:
            return MapReader<TodoFields>(
                self, reader, try sourceClass("TodoItem", reader.schema), context)
        default:
            throw FormatError(
                .usage, "the map \(name) describes classes only; it takes no contacts or tasks")
        }
    }

    /// Contacts or to-dos from the rows of the app's class, whatever else the reader delivers.
    func backReader(over reader: any RecordReader, context: ExchangeContext) throws(FormatError)
        -> any RecordReader
    {
        let index = try sourceClass(target.classSchema.name, reader.schema)
        switch source {
        case .contacts: return MapBackReader<ContactFields>(self, reader, index, context)
        case .tasks: return MapBackReader<TodoFields>(self, reader, index, context)
        default:
            throw FormatError(
                .usage, "the map \(name) describes classes only; it makes no contacts or tasks")
        }
    }

    /// Rows of the app's class with the keys they lack.
    func minting(_ reader: any RecordReader, context: ExchangeContext) -> any RecordReader {
        guard let index = reader.schema.index(of: target.classSchema.name) else { return reader }
        return MintingReader(
            MapClockReader.reader(reader, self, classIndex: index, context), classIndex: index,
            key: target.classSchema.primaryKey, map: name,
            keyType: keyIndex.map { target.classSchema.properties[$0].type }, context: context)
    }

    private func sourceClass(_ name: String, _ schema: Schema) throws(FormatError) -> Int {
        guard let index = schema.index(of: name) else {
            throw FormatError(
                .unknownName, "the map \(self.name) needs the class \(name), which is not there",
                fix: suggestion(for: name, among: schema.classes.map(\.name)))
        }
        return index
    }

    /// True when a schema has the map's class, with all its properties and their types.
    func fits(_ schema: Schema) -> Bool {
        guard let index = schema.index(of: target.classSchema.name) else { return false }
        let known = schema.classes[index]
        return target.classSchema.properties.allSatisfy { property in
            guard let i = known.index(of: property.name) else { return false }
            return known.properties[i].type == property.type
                && known.properties[i].collection == property.collection
        }
    }

    // MARK: Finding

    /// The built-in maps.
    static let builtIn: [AppMap] = BuiltInMaps.texts.compactMap { text in
        var text = text
        let input = text.withUTF8 {
            InputBytes(name: "built-in map", copying: UnsafeRawBufferPointer($0))
        }
        return try? AppMapFile.parse(input)
    }

    /// A built-in map by its name, or the map file at a path.
    /// - Throws: `unknownName`; what reading the file throws.
    static func named(_ name: String) throws(FormatError) -> AppMap {
        if let map = builtIn.first(where: { $0.name == name }) { return map }
        if name.contains("/") || name.hasSuffix(".json") || System.status(path: name) != nil {
            return try AppMapFile.parse(try InputBytes.open(name))
        }
        throw FormatError(
            .usage, "there is no map called \(name)",
            fix: (suggestion(for: name, among: builtIn.map(\.name) + ["addressbook", "todo"])
                ?? "")
                + "; or name a map file")
    }

    /// The built-in map whose class a store has.
    static func fitting(_ schema: Schema, className: String?, for content: Format.Content)
        -> AppMap?
    {
        builtIn.first { map in
            map.takes(content) && map.fits(schema)
                && (className == nil || className == map.target.classSchema.name)
        }
    }
}
