// Bends what a source delivers into what a target holds: a map applied, one class chosen.

/// How rows of a source become rows of a target.
struct Shaping {
    /// A source ready for a target.
    struct Result {
        var reader: any RecordReader
        var content: Format.Content
        /// The one class to write; nil for all.
        var classIndex: Int?
        var fileFormat: Int?
        /// The leading property that holds a section's title.
        var sectionProperty: String?
        /// Spells the primary key of a linked object.
        var linkName: ((Column, Int64, RawVector<UInt8>) throws(FormatError) -> Bool)?
        /// Rows to be written in the place of links to them.
        var linked: LinkTargets?
        /// How many numbered columns of a kind the fullest record needs.
        var widths: [String: Int] = [:]
    }

    var context: ExchangeContext
    let map: AppMap?
    var className: String?

    /// What a text input is wanted as for a target.
    static func wish(for target: Format, map: AppMap?, context: ExchangeContext) -> ReadWish {
        if let map { return .rowsOrRecords(map.reading) }
        switch target.content {
        case .contacts: return .contacts
        case .tasks: return .tasks
        case .store: return target.isText ? profile(context)?.wish ?? .objects : .whatItIs
        case .rows:
            if context.options.extra["profile"] == "plain" { return .contacts }
            let isJSON = target.name == Format.ndjson.name
            return profile(context)?.wish ?? (isJSON ? .objects : .plainRows)
        }
    }

    /// What the records of a CSV of somebody's program are: contacts, or Outlook's tasks.
    private static func profile(_ context: ExchangeContext)
        -> (wish: ReadWish, content: Format.Content)?
    {
        guard let profile = context.options.extra["profile"], profile != "plain" else { return nil }
        return profile == Format.outlookTasks.name ? (.tasks, .tasks) : (.contacts, .contacts)
    }

    /// Shapes a source.
    func shape(_ source: ReadSource, for target: Format, inputName: String) throws(FormatError)
        -> Result
    {
        var source = source
        if let className, map == nil {
            source = source.naming(className)
            _ = try ClassChoice.index(in: source.reader.schema, named: className, file: inputName)
        }
        if let map {
            try refuseStore(source, map, target, inputName)
            source = try apply(map, to: source)
        }
        switch target.content {
        case .contacts, .tasks:
            return try records(of: source, as: target.content, for: target)
        case .rows:
            if target.name == Format.csv.name, let asked = Self.profile(context) {
                return try records(of: source, as: asked.content, for: target)
            }
            return try rows(of: source, inputName: inputName)
        case .store:
            let isSeveral =
                source.content == .store
                || map == nil && ClassChoice.candidates(in: source.reader.schema).count > 1
            if isSeveral, className != nil {
                if target.isText { return try rows(of: source, inputName: inputName) }
                let index = try ClassChoice.index(
                    in: source.reader.schema, named: className, file: inputName)
                source.reader = OneClassReader(source.reader, classIndex: index)
            }
            let one = isSeveral ? nil : mainClass(of: source.reader.schema)
            return Result(
                reader: source.reader, content: source.content,
                classIndex: target.isText ? one : nil, fileFormat: source.fileFormat)
        }
    }

    /// A map says how rows become contacts or tasks, and contacts or tasks of a text rows; rows of a
    /// store that are neither stay what they are, so a map would do nothing.
    private func refuseStore(
        _ source: ReadSource, _ map: AppMap, _ target: Format, _ inputName: String
    ) throws(FormatError) {
        guard source.content == .store, target.content == .rows || target.content == .store,
            source.reader.schema.index(of: map.target.classSchema.name) == nil
        else { return }
        let middle = map.takes(.contacts) ? "contacts.vcf" : "tasks.ics"
        throw FormatError(
            .usage,
            "the store has no class \(map.target.classSchema.name), which the map \(map.name) is for",
            file: inputName,
            fix: "write its records first, such as `rtool convert \(inputName) \(middle)`, and "
                + "convert those with --map")
    }

    /// Applies a map: records become rows of its class; rows of its class get the keys they lack.
    private func apply(_ map: AppMap, to source: ReadSource) throws(FormatError) -> ReadSource {
        switch source.content {
        case .store: return source
        case .contacts, .tasks:
            guard map.takes(source.content) else {
                throw FormatError(
                    .usage, "the map \(map.name) takes no \(source.content.rawValue)",
                    fix: "rtool help import lists the maps")
            }
            return ReadSource(
                reader: try map.reader(over: source.reader, context: context), content: .rows)
        case .rows:
            return ReadSource(
                reader: map.minting(source.reader, context: context), content: .rows)
        }
    }

    /// Contacts or tasks out of whatever the source has.
    private func records(
        of source: ReadSource, as content: Format.Content, for target: Format
    ) throws(FormatError) -> Result {
        if source.content == content {
            return Result(reader: source.reader, content: content, classIndex: 0)
        }
        let schema = source.reader.schema
        if source.content == .store || source.content == .rows {
            let built = content == .contacts ? "Contact" : "TodoItem"
            let wanted = className ?? (schema.index(of: built) != nil ? built : nil)
            if wanted == built, let index = schema.index(of: built) {
                return Result(
                    reader: OneClassReader(source.reader, classIndex: index),
                    content: content, classIndex: index)
            }
            if let map = map ?? AppMap.fitting(schema, className: wanted, for: content) {
                return Result(
                    reader: try map.backReader(over: source.reader, context: context),
                    content: content, classIndex: 0)
            }
        }
        let names = schema.classes.filter { !$0.isTable }.map(\.name).joined(separator: ", ")
        throw FormatError(
            .usage,
            "the input holds no \(content.rawValue) that \(target.name) could take "
                + "(its classes: \(names))",
            fix: "name the map its class belongs to with --map, or write json or csv")
    }

    /// Rows of one class.
    private func rows(of source: ReadSource, inputName: String) throws(FormatError) -> Result {
        let schema = source.reader.schema
        let index: Int
        if source.content == .store || className != nil
            || map == nil && ClassChoice.candidates(in: schema).count > 1
        {
            index = try ClassChoice.index(in: schema, named: className, file: inputName)
        } else {
            index = mainClass(of: schema)
        }
        let content = ClassChoice.content(of: schema.classes[index])
        return Result(
            reader: source.reader, content: source.content == .store ? content : source.content,
            classIndex: index, fileFormat: source.fileFormat)
    }

    /// The class that rows of a text source belong to: the map's, else the first that is not
    /// embedded.
    private func mainClass(of schema: Schema) -> Int {
        if let map, let index = schema.index(of: map.target.classSchema.name) { return index }
        return schema.classes.firstIndex { $0.kind != .embedded && !$0.isTable } ?? 0
    }
}

/// Picks the class of a store that a one-class output is to hold.
enum ClassChoice {
    /// The class of a name, or the only one there is.
    /// - Throws: `usage` when there is no such class, or several and none was named.
    static func index(in schema: Schema, named name: String?, file: String) throws(FormatError)
        -> Int
    {
        let candidates = candidates(in: schema)
        let names = candidates.map { schema.classes[$0].name }
        if let name {
            if let index = candidates.first(where: { schema.classes[$0].name == name }) {
                return index
            }
            throw FormatError(
                .usage, "there is no class \(name)", file: file,
                fix: suggestion(for: name, among: names))
        }
        if candidates.count == 1 { return candidates[0] }
        if candidates.isEmpty {
            throw FormatError(.usage, "the input has no classes", file: file)
        }
        throw FormatError(
            .usage,
            "the input has \(names.count) classes and the output holds one: "
                + names.joined(separator: ", "), file: file,
            fix: "name one with --class NAME, or write json; of a store, "
                + "rtool export STORE --to csv --split DIR writes a file a class")
    }

    /// The classes whose rows stand on their own.
    static func candidates(in schema: Schema) -> [Int] {
        schema.classes.indices.filter {
            schema.classes[$0].kind != .embedded && !schema.classes[$0].isTable
        }
    }

    /// What the rows of a class are.
    static func content(of known: ClassSchema) -> Format.Content {
        switch known.name {
        case "Contact" where known.index(of: "formattedName") != nil: .contacts
        case "TodoItem" where known.index(of: "title") != nil: .tasks
        default: .rows
        }
    }
}

/// The rows of one class of another reader.
final class OneClassReader: WrappingReader {
    let reader: any RecordReader
    private let classIndex: Int

    init(_ reader: any RecordReader, classIndex: Int) {
        self.reader = reader
        self.classIndex = classIndex
    }

    func next(into batch: RecordBatch) throws(FormatError) -> Bool {
        while try reader.next(into: batch) {
            if batch.classIndex == classIndex { return true }
        }
        return false
    }
}

extension ReadSource {
    /// Rows of a text, which know no class, as rows of a class of that name.
    func naming(_ name: String) -> ReadSource {
        let classes = reader.schema.classes
        guard content == .rows, reader.schema.index(of: name) == nil,
            let only = classes.indices.first(where: { classes[$0].kind != .embedded }),
            classes.indices.last(where: { classes[$0].kind != .embedded }) == only
        else { return self }
        var source = self
        source.reader = RenamedClassReader(reader, classIndex: only, name: name)
        return source
    }
}

/// Another reader's rows with one class called differently.
private final class RenamedClassReader: WrappingReader {
    let reader: any RecordReader
    let schema: Schema

    init(_ reader: any RecordReader, classIndex: Int, name: String) {
        self.reader = reader
        var schema = reader.schema
        let old = schema.classes[classIndex].name
        schema.classes[classIndex].name = name
        // Links of rows to each other lead to the new name, too.
        for c in schema.classes.indices {
            for p in schema.classes[c].properties.indices
            where schema.classes[c].properties[p].target == old {
                schema.classes[c].properties[p].target = name
            }
        }
        self.schema = schema
    }

    func next(into batch: RecordBatch) throws(FormatError) -> Bool {
        try reader.next(into: batch)
    }
}
