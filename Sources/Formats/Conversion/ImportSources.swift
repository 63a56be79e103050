// What an import reads: each input opened as what the store can take (DESIGN 1.5). A class that was
// named decides; else the class whose properties the columns are; else what the records are. What
// was chosen without being said is reported.

/// The inputs of one import.
struct ImportSources {
    let from: String?
    /// A map of classes, a map of columns.
    let chosen: MapChoice
    /// The class that was named.
    let className: String?
    /// The classes of a store that is there already.
    let existing: Schema?
    let context: ExchangeContext
    /// What rows are matched by, where that was said.
    var match: [String]?
    /// The class all rows go to, where they do not say it themselves.
    private(set) var targetClass: String?
    /// True when primary keys were made by a map.
    private(set) var areKeysDerived = false
    /// True when a map makes rows of cards or to-dos.
    private(set) var areRowsOfRecords = false
    /// True when an input is a store: a null there is a value.
    private(set) var holdsStore = false
    private var opened: [OpenedInput] = []
    /// What the records of each input were read as.
    private var contents: [Format.Content] = []

    init(
        from: String?, map: MapChoice, className: String?, existing: Schema?,
        context: ExchangeContext
    ) {
        self.from = from
        chosen = map
        self.className = className
        self.existing = existing
        self.context = context
    }

    /// Opens all inputs as one reader.
    mutating func open(_ paths: [String]) throws(FormatError) -> any RecordReader {
        let map = try AppMap.optional(chosen.map)
        if let className, let known = existing, map == nil,
            !known.classes.contains(where: { $0.name == className && $0.kind == .object })
        {
            throw FormatError(
                .usage, "the store has no class \(className)",
                fix: suggestion(
                    for: className,
                    among: known.classes.filter { $0.kind == .object && !$0.isTable }.map(\.name)))
        }
        if let map { try check(map.target.classSchema.name, "the map \(map.name) makes") }
        var readers: [any RecordReader] = []
        for path in paths {
            opened.append(
                try OpenedInput(
                    path, from: from, options: context.options, columns: chosen.columns))
        }
        try chosen.check(opened)
        for opened in opened { readers.append(try open(opened, map)) }
        guard let first = readers.first else { throw FormatError(.usage, "nothing to import") }
        if readers.count == 1 { return first }
        for (reader, path) in zip(readers, paths) where reader.schema != first.schema {
            throw FormatError(
                .schemaMismatch,
                "\(path) and \(paths[0]) do not have the same classes, as inputs of one import must",
                file: path, fix: "import them one after the other into the same store")
        }
        return ChainReader(readers, schema: first.schema)
    }

    /// Says that files of cards or tasks held none.
    func noteNoRecords() {
        for (i, input) in opened.enumerated() {
            input.noteNoRecords(context, of: contents.indices.contains(i) ? [contents[i]] : [])
        }
    }

    private mutating func open(_ opened: OpenedInput, _ named: AppMap?) throws(FormatError)
        -> any RecordReader
    {
        var map = named
        var wish: ReadWish
        var isGuessed = false
        if let lossless = LosslessMap.wish(chosen.map) {
            wish = lossless
        } else if let map {
            wish = .rowsOrRecords(map.reading)
        } else if let existing, chosen.columns == nil || className != nil {
            (wish, isGuessed) = try self.wish(opened, existing)
        } else {
            wish = Shaping.wish(for: .realm, map: nil, context: context)
        }
        var source = try opened.read(
            wish: wish, context: context, className: existing == nil ? className : nil,
            isForStore: true)
        try LosslessMap.check(source, for: chosen.map)
        contents.append(source.content)
        if source.content == .store { holdsStore = true }
        if map == nil, chosen.map == nil, let existing {
            map = try self.map(for: source, wish, existing, isGuessed)
        }
        if map == nil { source = try choosingClass(source) }
        switch wish {
        case .rows(let target) where map == nil: source = minting(source, target)
        case .rowsOrRecords(let target) where map == nil && source.content == .rows:
            source = minting(source, target)
        default: break
        }
        if map != nil {
            areKeysDerived = true
            if source.content == .contacts || source.content == .tasks { areRowsOfRecords = true }
        }
        if map == nil, source.content == .rows, let existing { noteNewClasses(source, existing) }
        if map != nil, source.content == .contacts {
            let named = existing == nil ? className : nil
            let ahead = try ContactsAhead.look(at: opened, profile: nil, context: context) {
                [wish] (silent) throws(FormatError) in
                try opened.read(
                    wish: wish, context: silent, className: named, isForStore: true
                ).reader
            }
            if let ahead { source.reader = ahead.grouping(source.reader, context) }
        }
        let reader = try Shaping(context: context, map: map, className: nil)
            .shape(source, for: .realm, inputName: opened.path).reader
        return try PhoneFormatting.apply(reader, from: source.reader.schema, context)
    }

    // MARK: A new store, or a class that was named

    private func check(_ name: String, _ what: String) throws(FormatError) {
        guard let className, className != name else { return }
        throw FormatError(
            .usage, "\(what) rows of \(name), not of \(className)",
            fix: "leave --class out, or name a map that makes \(className) with --map")
    }

    /// A source whose rows are of the class that was named, or go there.
    private mutating func choosingClass(_ source: ReadSource) throws(FormatError) -> ReadSource {
        guard let className else { return source }
        let schema = source.reader.schema
        switch source.content {
        case .contacts: try check("Contact", "contacts without a map become")
        case .tasks: try check("TodoItem", "to-dos without a map become")
        case .rows where existing == nil:
            let named = source.naming(className)
            if named.reader.schema.index(of: className) == nil { fallthrough }
            let objects = named.reader.schema.classes.filter { $0.kind == .object }
            if objects.count > 1 { targetClass = className }
            return named
        case .rows, .store:
            let names = schema.classes.filter { $0.kind == .object && !$0.isTable }.map(\.name)
            if existing == nil, !names.contains(className) {
                throw FormatError(
                    .usage, "what comes in has no class \(className)",
                    fix: suggestion(for: className, among: names))
            }
            if existing != nil || names.count > 1 { targetClass = className }
        }
        return source
    }

    // MARK: An existing store

    /// What an input is wanted as, and whether a class was chosen by its columns.
    private func wish(_ opened: OpenedInput, _ existing: Schema) throws(FormatError)
        -> (ReadWish, isGuessed: Bool)
    {
        if let className, let index = existing.index(of: className) {
            let target = TargetClass(schema: existing, classIndex: index)
            if ClassChoice.content(of: existing.classes[index]) != .rows {
                return (.rowsOrRecords(Self.keyless(target)), false)
            }
            if let map = AppMap.of(className, in: existing) {
                return (.rowsOrRecords(map.reading), false)
            }
            return (.rows(Self.keyless(target)), false)
        }
        guard let names = try opened.fieldNames(for: existing), !names.isEmpty else {
            return (.rowsOf(existing), false)
        }
        let candidates = existing.classes.indices.filter {
            existing.classes[$0].kind == .object && !existing.classes[$0].isTable
        }
        var best: (found: Int, wanted: Int, index: Int)?
        var bestMap: (found: Int, map: AppMap)?
        let isExact = opened.format.name != Format.csv.name
        let held = candidates.map {
            FieldFit.held(names, by: existing.classes[$0], isExact: isExact)
        }
        let allHeld = held.reduce(into: Set<String>()) { $0.formUnion($1) }
        // A class that lacks a column comes after all that have what any class has.
        var isBestWhole = false
        for (index, columns) in zip(candidates, held) {
            let known = existing.classes[index]
            let (found, wanted, fits) = FieldFit.of(names, known, isExact: isExact)
            if found > (bestMap?.found ?? 0), let map = AppMap.of(known.name, in: existing) {
                bestMap = (found, map)
            }
            guard fits else { continue }
            let isWhole = columns == allHeld
            if isBestWhole, !isWhole { continue }
            if let best, isBestWhole == isWhole,
                best.found * wanted > found * best.wanted
                    || best.found * wanted == found * best.wanted && best.found >= found
            {
                continue
            }
            best = (found, wanted, index)
            isBestWhole = isWhole
        }
        if let best {
            let name = existing.classes[best.index].name
            if !isBestWhole {
                try refuseLosing(to: name, candidates.map { existing.classes[$0] }, held)
            }
            if let map = AppMap.of(name, in: existing) {
                return (.rowsOrRecords(map.reading), true)
            }
            if ClassChoice.content(of: existing.classes[best.index]) != .rows {
                return (.whatItIs, false)
            }
            let target = TargetClass(schema: existing, classIndex: best.index)
            return (.rows(Self.keyless(target)), true)
        }
        if let bestMap { return (.rowsOrRecords(bestMap.map.reading), false) }
        // Rows that name a record and tell what changes of it.
        let identifying = Set((match ?? []).flatMap { $0.split(separator: "+").map(String.init) })
        let whole = zip(candidates, held).filter { index, columns in
            let known = existing.classes[index]
            return columns.count == names.count
                && names.contains {
                    $0 == known.primaryKey || $0 == "uid" || identifying.contains($0)
                }
        }
        if whole.count == 1, let index = whole.first?.0 {
            let target = TargetClass(schema: existing, classIndex: index)
            if ClassChoice.content(of: existing.classes[index]) != .rows {
                return (.rowsOrRecords(Self.keyless(target)), true)
            }
            return (.rows(Self.keyless(target)), true)
        }
        return (.rowsOf(existing), false)
    }

    /// Refuses to choose a class that lacks a column another class has.
    private func refuseLosing(
        to best: String, _ classes: [ClassSchema], _ held: [Set<String>]
    ) throws(FormatError) {
        let chosen = zip(classes, held).first { $0.0.name == best }?.1 ?? []
        let others = zip(classes, held).filter { !$0.1.isSubset(of: chosen) }
        guard let other = others.max(by: { $0.1.count < $1.1.count }),
            let column = other.1.subtracting(chosen).min()
        else { return }
        throw FormatError(
            .usage,
            "the columns could be the class \(best), or \(other.0.name), which has \(column)",
            property: column, fix: "name the class with --class, such as --class \(other.0.name)")
    }

    /// A class of which rows may say only what is to change.
    private static func partial(_ target: TargetClass) -> TargetClass {
        var partial = target
        partial.allowsGaps = true
        return partial
    }

    /// The same, whose ids may be missing from a text; they are made then.
    private static func keyless(_ target: TargetClass) -> TargetClass {
        var lenient = partial(target)
        guard let key = madeKey(of: target.classSchema) else { return lenient }
        lenient.schema.classes[target.classIndex].properties[key].isOptional = true
        return lenient
    }

    /// The position of a primary key that can be made from a row's content.
    private static func madeKey(of known: ClassSchema) -> Int? {
        guard let key = known.primaryKey.flatMap({ known.index(of: $0) }),
            known.properties[key].type == .objectId || known.properties[key].type == .uuid
        else { return nil }
        return key
    }

    /// Rows of a class with the ids they lack.
    private func minting(_ source: ReadSource, _ target: TargetClass) -> ReadSource {
        guard let key = Self.madeKey(of: target.classSchema) else { return source }
        let property = target.classSchema.properties[key]
        var source = source
        source.reader = MintingReader(
            source.reader, classIndex: target.classIndex, key: property.name, map: "class",
            keyType: property.type, context: context)
        return source
    }

    /// The map for what a source turned out to be.
    private func map(
        for source: ReadSource, _ wish: ReadWish, _ existing: Schema, _ isGuessed: Bool
    ) throws(FormatError) -> AppMap? {
        func note(_ code: String, _ value: String, _ action: String) {
            if className != nil { return }
            context.report.note(.guessed, code, value: value, action: action)
        }
        switch source.content {
        case .store: return nil
        case .contacts, .tasks:
            let built = source.content == .contacts ? "Contact" : "TodoItem"
            if className == built || className == nil && existing.index(of: built) != nil {
                return nil
            }
            let found = AppMap.fitting(existing, className: className, for: source.content)
            if let found {
                note(
                    "map", found.name,
                    "the store has the class of this map; --map chooses another")
            }
            return found
        case .rows:
            let target: TargetClass
            switch wish {
            case .rows(let it), .rowsOrRecords(let it): target = it
            default: return nil
            }
            let name = target.classSchema.name
            if isGuessed {
                note(
                    "class", name, "its properties are what the columns are; --class names another")
            }
            guard let map = AppMap.of(name, in: existing) else { return nil }
            note("map", map.name, "the store has the class of this map; --map chooses another")
            return map
        }
    }

    /// Says which rows found no class of the store.
    private func noteNewClasses(_ source: ReadSource, _ existing: Schema) {
        for known in source.reader.schema.classes
        where known.kind == .object && existing.index(of: known.name) == nil {
            context.report.note(
                .guessed, "new-class", value: known.name,
                action: "the columns fit no class of the store; --class names one")
        }
    }
}

/// Whether names of columns or members are the properties of a class.
enum FieldFit {
    /// The names that are properties of a class.
    static func held(_ names: Set<String>, by known: ClassSchema, isExact: Bool) -> Set<String> {
        let exact = Set(known.properties.map(\.name))
        let folded = isExact ? [] : Set(exact.map(HeaderNames.fold))
        return names.filter {
            exact.contains($0) || !isExact && folded.contains(HeaderNames.fold($0))
        }
    }

    /// How many of the properties are there, how many there could be, and whether that is enough:
    /// all that must have a value, or most.
    static func of(_ names: Set<String>, _ known: ClassSchema, isExact: Bool) -> (
        found: Int, wanted: Int, fits: Bool
    ) {
        let folded = isExact ? [] : Set(names.map(HeaderNames.fold))
        func has(_ property: Property) -> Bool {
            names.contains(property.name)
                || !isExact && folded.contains(HeaderNames.fold(property.name))
        }
        let wanted = known.properties.filter { $0.name != known.primaryKey }
        let found = wanted.count { has($0) }
        let required = wanted.filter {
            !$0.isOptional && $0.collection == nil && $0.type != .link && $0.type != .mixed
        }
        let key = known.primaryKey.map { names.contains($0) } ?? false
        let fits =
            (found * 3 >= wanted.count * 2 || !required.isEmpty && required.allSatisfy { has($0) })
            && (found + (key ? 1 : 0)) * 2 >= names.count
        return (found, wanted.count, found > 0 && fits)
    }
}

extension OpenedInput {
    /// The names of the columns or members of rows; nil for what names its classes itself or is
    /// no table.
    func fieldNames(for existing: Schema) throws(FormatError) -> Set<String>? {
        // A look ahead, whose notes the reading makes again.
        let silent = ExchangeContext(options: options)
        switch format.name {
        case Format.csv.name:
            let known = existing.classes.flatMap { $0.properties.map(\.name) }
            let document = try CSVDocument(
                input, knownHeaders: known + AddressBook.knownHeaders, context: silent)
            return document.dialect.hasHeader ? Set(document.headers) : nil
        case Format.json.name, Format.ndjson.name:
            if JSONStoreReader.looksLikeStoreDocument(input.bytes) { return nil }
            return try JSONDetection.rowMembers(
                input, isLines: format.name == Format.ndjson.name,
                path: options.extra["path"])
        default: return nil
        }
    }
}

extension AppMap {
    /// The built-in map whose class is the one of a store.
    static func of(_ className: String, in schema: Schema) -> AppMap? {
        builtIn.first {
            $0.source != nil && $0.target.classSchema.name == className && $0.fits(schema)
        }
    }
}

/// A store without rows.
final class EmptyReader: RecordReader {
    let schema: Schema

    init(_ schema: Schema) { self.schema = schema }

    func next(into batch: RecordBatch) -> Bool {
        batch.removeAll()
        return false
    }
}
