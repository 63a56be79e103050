// JSON as formats of the registry: the store document, arrays of rows, a row a line, and what
// Realm Studio saves.

extension Format {
    /// The store document, or an array of the rows of one class.
    static let json = Format(
        name: "json", extensions: ["json"],
        summary: "the store document, or an array of rows, contacts or tasks", content: .store,
        detect: { JSONDetection.score($0, lines: false) },
        read: { (request) throws(FormatError) in
            if JSONStoreReader.looksLikeStoreDocument(request.input.bytes) {
                let reader = try JSONStoreReader(input: request.input, context: request.context)
                return ReadSource(reader: reader, content: .store, fileFormat: reader.fileFormat)
            }
            return try JSONDetection.rows(request)
        },
        write: { (request) throws(FormatError) in
            guard let index = request.classIndex else {
                return JSONStoreWriter(
                    sink: request.sink, schema: request.schema, fileFormat: request.fileFormat,
                    context: request.context)
            }
            return JSONDetection.writer(request, index, .array)
        })

    /// An object a line.
    static let ndjson = Format(
        name: "ndjson", extensions: ["ndjson", "jsonl"], summary: "rows of JSON, an object a line",
        content: .rows, detect: { JSONDetection.score($0, lines: true) },
        read: { (request) throws(FormatError) in
            try JSONDetection.rows(request, isLines: true)
        },
        write: { (request) throws(FormatError) in
            JSONDetection.writer(request, request.classIndex ?? 0, .ndjson)
        })

    /// What Realm Studio saves as JSON.
    static let realmStudio = Format(
        name: "realm-studio", extensions: [], summary: "JSON saved by Realm Studio", content: .rows,
        detect: { RealmStudioJSON.looksLikeIt($0) ? 90 : 0 },
        read: { (request) throws(FormatError) in try JSONDetection.rows(request) })
}

/// Tells the kinds of JSON apart, and opens rows as what is wished.
enum JSONDetection {
    /// How surely bytes are JSON, or (`lines`) an object a line.
    static func score(_ bytes: UnsafeRawBufferPointer, lines: Bool) -> Int {
        var s = JSONScanner(bytes)
        if bytes.count >= 3, bytes[0] == 0xEF, bytes[1] == 0xBB, bytes[2] == 0xBF { s.at = 3 }
        if bytes.count >= 4,
            bytes[0] == 0xFF && bytes[1] == 0xFE || bytes[0] == 0xFE && bytes[1] == 0xFF
        {
            let first = bytes[2] | bytes[3]
            return !lines && (first == 0x7B || first == 0x5B) ? 50 : 0
        }
        guard !s.isAtEnd() else { return 0 }
        switch s.base[s.at] {
        case 0x5B: return lines ? 0 : 50
        case 0x7B:
            // Several objects are rows; the first one's end may be far, so only a part is tried.
            guard lines else { return 50 }
            let end = min(bytes.count, s.at + 1 << 16)
            var first = JSONScanner(UnsafeRawBufferPointer(rebasing: bytes[..<end]), at: s.at)
            var objectEnd = end
            do throws(FormatError) {
                try first.skip()
                objectEnd = first.at
                if !first.isAtEnd() { return 60 }
            } catch {
                if end == bytes.count { return 0 }
            }
            // One object alone is a row when it is one line and the file's name says so.
            return bytes[s.at..<objectEnd].contains(0x0A) ? 0 : 30
        default: return 0
        }
    }

    /// A writer of one class; built-in classes leave out what is empty.
    static func writer(_ request: WriteRequest, _ index: Int, _ style: JSONRowsWriter.Style)
        -> any RecordWriter
    {
        if JSONVerbatim.isVerbatim(request.schema.classes[index]) {
            return JSONVerbatimWriter(
                sink: request.sink, style: style, report: request.context.report)
        }
        let writer = JSONRowsWriter(
            sink: request.sink, schema: request.schema, classIndex: index, style: style,
            omitEmpty: request.content == .contacts || request.content == .tasks,
            keys: request.context.options.extra["keys"] != nil, context: request.context)
        writer.embed(request.linked, request.schema)
        return writer
    }

    /// True for the built-in classes of contacts and to-dos.
    private static func isBuiltIn(_ known: ClassSchema) -> Bool {
        known.name == ContactMapper.schema.classes[0].name
            && known.index(of: "formattedName") != nil
            || isTodo(known)
    }

    private static func isTodo(_ known: ClassSchema) -> Bool {
        known.name == TodoClass.schema.classes[0].name && known.index(of: "recurrenceID") != nil
    }

    /// Opens rows as what they are wished to be.
    /// - Parameter isLines: whether an object alone is a row, and never a wrapper of rows.
    static func rows(_ request: ReadRequest, isLines: Bool = false) throws(FormatError)
        -> ReadSource
    {
        let className = request.wantedClass ?? request.className
        // Its objects look like rows, but their strings are numbers.
        let isStudio = RealmStudioJSON.looksLikeIt(request.input.bytes)
        func rows(
            _ target: TargetClass?, _ content: Format.Content, cells: JSONRowsReader.Cells = .typed
        ) throws(FormatError) -> ReadSource {
            let reader = try JSONRowsReader(
                input: request.input, className: className,
                target: target.map { ($0.schema, $0.classIndex) }, cells: cells,
                isLines: isLines, context: request.context)
            reader.limitsValues = request.isForStore
            reader.allowsGaps = target?.allowsGaps ?? false
            // Rows under the name of a class of the store are to join those it has.
            if case .rowsOf = request.wish { reader.allowsGaps = true }
            if let target, isBuiltIn(target.classSchema) { reader.fillsItems = true }
            return ReadSource(reader: reader, content: content)
        }
        func contacts() throws(FormatError) -> ReadSource {
            let reader = try CompletedContacts(
                source: request.input.name, context: request.context
            ) { (target) throws(FormatError) in
                let reader = try JSONRowsReader(
                    input: request.input, className: className,
                    target: (target.schema, target.classIndex), isLines: isLines,
                    context: request.context)
                reader.limitsValues = request.isForStore
                return reader
            }
            return ReadSource(reader: reader, content: .contacts)
        }
        func todos() throws(FormatError) -> ReadSource {
            let source = try TodoObjectsSource(
                input: request.input, isLines: isLines, context: request.context)
            return ReadSource(
                reader: TodoDraftReader(
                    source, context: request.context, isForStore: request.isForStore),
                content: .tasks)
        }
        func objects() throws(FormatError) -> ReadSource {
            let reader = try ContactObjectsReader(
                input: request.input, isLines: isLines, context: request.context)
            reader.limitsValues = request.isForStore
            return ReadSource(reader: reader, content: .contacts)
        }
        let tasks = TargetClass(schema: TodoClass.schema, classIndex: 0)
        switch request.wish {
        case .plainRows: return try rows(nil, .rows)
        case .objects:
            // Options that bear on values need them.
            let isTyped = ["dup", "epoch", "keys", "ejson", "embed"].contains {
                request.context.options.extra[$0] != nil
            }
            return try rows(nil, .rows, cells: isTyped ? .typed : .verbatim)
        case .rows(let target):
            let names = try firstMembers(
                request.input, isLines: isLines, target: target.classSchema)
            let known = target.classSchema.properties
            // A name that begins with $ stands with two of them in what we write.
            let isKnown = known.contains {
                names.contains($0.name) || names.contains("$" + $0.name)
            }
            guard names.isEmpty || isKnown else {
                let found = names.sorted().prefix(8).joined(separator: ", ")
                throw FormatError(
                    .schemaMismatch,
                    "no member is named like a property of \(target.classSchema.name): \(found)",
                    file: request.path,
                    fix: "its properties: " + known.map(\.name).joined(separator: ", "))
            }
            return try rows(target, .rows)
        case .contacts:
            if !isStudio,
                ContactObjectsReader.fits(try firstMembers(request.input, isLines: isLines))
            {
                return try objects()
            }
            return try contacts()
        case .tasks:
            if !isStudio,
                TodoObjectsSource.fits(
                    try firstMembers(request.input, isLines: isLines), isAsked: true)
            {
                return try todos()
            }
            return try rows(tasks, .tasks)
        case .whatItIs, .rowsOrRecords, .rowsOf:
            let names = try firstMembers(request.input, isLines: isLines)
            if case .rowsOrRecords(let target) = request.wish {
                if !isStudio, isTodo(target.classSchema), TodoObjectsSource.changes(names) {
                    return try todos()
                }
                let known = target.classSchema.properties.filter { names.contains($0.name) }.count
                if known > 0, known * 2 >= min(names.count, target.classSchema.properties.count) {
                    return try rows(target, .rows)
                }
            }
            if names.contains("formattedName") { return try contacts() }
            if !isStudio, ContactObjectsReader.fits(names) { return try objects() }
            if !isStudio, TodoObjectsSource.fits(names) { return try todos() }
            if names.contains("title"), names.contains("_id"),
                names.contains("status") || names.contains("due")
            {
                return try rows(tasks, .tasks)
            }
            if case .rowsOrRecords(let target) = request.wish { return try rows(target, .rows) }
            if case .rowsOf(let schema) = request.wish {
                let reader = try JSONRowsReader(
                    input: request.input, className: className, isLines: isLines,
                    known: schema, context: request.context)
                reader.limitsValues = request.isForStore
                return ReadSource(reader: reader, content: .rows)
            }
            return try rows(nil, .rows)
        }
    }

    /// The member names of the first records; nil where rows stand under the names of classes.
    static func rowMembers(_ input: InputBytes, isLines: Bool, path: String?)
        throws(FormatError) -> Set<String>?
    {
        let source = try JSONSource(input)
        if try RealmStudioJSON.plain(source) != nil { return nil }
        do throws(FormatError) {
            let layout = try JSONRowsLayout(source, path: path, target: nil, isLines: isLines)
            if layout.groups.count > 1 { return nil }
        } catch { throw source.located(error) }
        return try firstMembers(input, isLines: isLines, path: path)
    }

    /// The member names of the first records.
    /// - Parameter target: the class that is wanted, where rows stand under the names of classes.
    /// - Throws: `unknownName` when they do and it is not among them.
    static func firstMembers(
        _ input: InputBytes, isLines: Bool, target: ClassSchema? = nil, path: String? = nil
    ) throws(FormatError) -> Set<String> {
        let original = try JSONSource(input)
        let source =
            try target.flatMap { (_) throws(FormatError) in
                try RealmStudioJSON.plain(original)
            } ?? original
        var names: Set<String> = []
        do throws(FormatError) {
            if let target {
                let all = try JSONRowsLayout(source, path: path, target: nil, isLines: isLines)
                let found = all.groups.compactMap(\.name)
                let isRow = found.allSatisfy { target.index(of: $0) != nil }
                if all.groups.count > 1, !found.contains(target.name), !isRow {
                    throw FormatError(
                        .unknownName, "there are no rows of a class \(target.name)",
                        fix: suggestion(for: target.name, among: found))
                }
            }
            let layout = try JSONRowsLayout(
                source, path: path, target: target?.name, isLines: isLines)
            guard let group = layout.groups.first else { return [] }
            var s = source.scanner()
            s.at = group.offset
            var isFirst = true
            if group.kind == .array { try s.enterArray() }
            for _ in 0..<20 {
                if group.kind == .array {
                    guard try s.nextElement(&isFirst) else { break }
                }
                if s.isAtEnd() { break }
                let mark = s
                do throws(FormatError) {
                    guard try s.peek() == .object else {
                        if group.kind == .single { break }
                        try s.skip()
                        continue
                    }
                    var isFirstMember = true
                    try s.enterObject()
                    while try s.nextMember(&isFirstMember) {
                        names.insert(s.text(s.name))
                        try s.skip()
                    }
                } catch {
                    // A line that is no JSON does not make the others bad.
                    guard group.kind == .lines else { throw error }
                    s = mark
                    guard s.skipLine() else { break }
                }
                if group.kind == .single { break }
            }
        } catch { throw source.located(error) }
        return names
    }
}
