// What rows are matched by: a rule turns a row into the bytes that equal rows have in common.
// Contacts match by parts of their lists (any e-mail address, any phone number), plain classes by
// the value of a property.

/// One way to recognise a row, made for two classes: the incoming and the stored one.
struct ImportRule {
    /// How a text is brought into the form that is compared.
    enum Form {
        case exact, uid, email, phone, name
        /// A date, by the moment it means.
        case moment
    }

    /// Where a part of the rule stands in a class.
    struct Place {
        let property: Int
        /// The property of the embedded object or objects, where the part is one of those.
        let inner: Int?
    }

    struct Part {
        let form: Form
        let incoming: Place
        let stored: Place
        /// A part that may be missing, such as the recurrence of a to-do.
        let mayBeEmpty: Bool
    }

    let name: String
    let parts: [Part]
    /// True for the primary key, which no two rows share.
    let isUnique: Bool
    /// True for an e-mail address or a phone number alone: a household shares one.
    var isShared = false
    /// True where rows were made of cards or to-dos, which have no parts of a second, and no text
    /// that is there and empty.
    var isOfRecords = false
    /// For rows that have nothing else: the properties that must all be equal.
    var content: [(incoming: Int, stored: Int)] = []
    /// The dates of the parts that are moments.
    var moments: (incoming: ImportMoment, stored: ImportMoment)?

    /// The rules of an import for one class, and the errors of those that it does not know.
    static func all(
        _ options: ImportOptions, incoming: RowShape, stored: RowShape
    ) -> (rules: [ImportRule], unknown: [FormatError]) {
        var rules: [ImportRule] = []
        var unknown: [FormatError] = []
        let asked = options.match ?? []
        let shared = asked.filter { isOfPeople(stored) && ($0 == "email" || $0 == "phone") }
        for name in asked {
            do throws(FormatError) {
                if name == shared.first {
                    // Of those who share a number, the one of the same name comes first.
                    for name in shared where !asked.contains("name+" + name) {
                        if let both = try? rule("name+" + name, incoming, stored, options) {
                            rules.append(both)
                        }
                    }
                }
                var rule = try rule(name, incoming, stored, options)
                rule.isShared = shared.contains(name)
                rules.append(rule)
            } catch {
                unknown.append(error)
            }
        }
        if options.match == nil, stored.classSchema.index(of: "uid") != nil,
            let uid = try? rule("uid", incoming, stored, options)
        {
            rules.append(uid)
        }
        if let key = stored.classSchema.primaryKey,
            let from = incoming.index(matching: key), let to = stored.classSchema.index(of: key),
            !rules.contains(where: \.isUnique)
        {
            let part = Part(
                form: .exact, incoming: Place(property: from, inner: nil),
                stored: Place(property: to, inner: nil), mayBeEmpty: true)
            let rule = ImportRule(name: key, parts: [part], isUnique: true)
            // A key that was read is better than a uid; everything a user names comes first.
            if options.match == nil, !options.areKeysDerived {
                rules.insert(rule, at: 0)
            } else {
                rules.append(rule)
            }
        }
        if rules.isEmpty {
            let pairs = sharedProperties(incoming, stored)
            if !pairs.isEmpty {
                var rule = ImportRule(name: "content", parts: [], isUnique: false)
                rule.content = pairs
                rule.isOfRecords = options.areRowsOfRecords
                rules.append(rule)
            }
        }
        return (rules, unknown)
    }

    /// True for classes whose rows are people.
    static func isOfPeople(_ shape: RowShape) -> Bool {
        ["Contact", "ContactObject"].contains(shape.classSchema.name)
    }

    /// The properties that two classes have alike. Links are left out: they lead to objects by
    /// keys, which differ from store to store.
    private static func sharedProperties(_ incoming: RowShape, _ stored: RowShape)
        -> [(incoming: Int, stored: Int)]
    {
        stored.classSchema.properties.enumerated().compactMap { to, property in
            guard let from = incoming.classSchema.index(of: property.name) else { return nil }
            var source = incoming.classSchema.properties[from]
            source.isOptional = property.isOptional
            source.isIndexed = property.isIndexed
            source.isFullText = property.isFullText
            guard source == property else { return nil }
            if property.type == .link {
                guard let a = incoming.embedded(from), let b = stored.embedded(to),
                    a.classSchema == b.classSchema,
                    !a.classSchema.properties.contains(where: { $0.type == .link })
                else { return nil }
            }
            return (from, to)
        }
    }

    private static func rule(
        _ name: String, _ incoming: RowShape, _ stored: RowShape, _ options: ImportOptions
    ) throws(FormatError) -> ImportRule {
        var parts: [Part] = []
        var moments: (incoming: ImportMoment, stored: ImportMoment)?
        var isUnique = false
        for part in name.split(separator: "+", omittingEmptySubsequences: false) {
            var word = String(part)
            if word == "key", stored.classSchema.index(of: word) == nil,
                let key = stored.classSchema.primaryKey
            {
                word = key
            }
            guard let from = place(word, incoming), let to = place(word, stored) else {
                let shape = place(word, stored) == nil ? stored : incoming
                throw FormatError(
                    .unknownName,
                    "\(shape.classSchema.name) has nothing called \(word) to match by",
                    property: word,
                    fix: suggestion(for: word, among: shape.classSchema.properties.map(\.name)))
            }
            parts.append(
                Part(form: form(word), incoming: from, stored: to, mayBeEmpty: false))
            if word == stored.classSchema.primaryKey, !name.contains("+") { isUnique = true }
            // Instances of a recurring to-do share their uid.
            if word == "uid", let from = recurrence(incoming), let to = recurrence(stored),
                let ours = ImportMoment("recurrenceID", of: incoming, options),
                let theirs = ImportMoment("recurrenceID", of: stored, options)
            {
                parts.append(Part(form: .moment, incoming: from, stored: to, mayBeEmpty: true))
                moments = (ours, theirs)
            }
        }
        return ImportRule(name: name, parts: parts, isUnique: isUnique, moments: moments)
    }

    /// A UID as it is compared.
    static func plainUID(_ text: String) -> String {
        let text = text.lowercased()
        return text.hasPrefix("urn:uuid:") ? String(text.dropFirst(9)) : text
    }

    private static func form(_ word: String) -> Form {
        switch word {
        case "uid": .uid
        case "email": .email
        case "phone": .phone
        case "name": .name
        default: .exact
        }
    }

    private static func recurrence(_ shape: RowShape) -> Place? {
        shape.classSchema.index(of: "recurrenceID").flatMap { property in
            shape.inner(property, "local").map { Place(property: property, inner: $0) }
        }
    }

    private static func place(_ word: String, _ shape: RowShape) -> Place? {
        if let property = shape.classSchema.index(of: word) {
            let type = shape.classSchema.properties[property]
            if type.collection == nil, !shape.schema.isEmbedded(type) {
                return Place(property: property, inner: nil)
            }
            // Embedded items are compared by what they say: dates, texts.
            if let inner = shape.inner(property, "local") ?? shape.inner(property, "value") {
                return Place(property: property, inner: inner)
            }
        }
        let lists = ["email": "emails", "phone": "phones"]
        if let list = lists[word], let property = shape.classSchema.index(of: list),
            let inner = shape.inner(property, "value")
        {
            return Place(property: property, inner: inner)
        }
        if word == "name" {
            for other in ["formattedName", "title", "taskTitle"] {
                if let property = shape.classSchema.index(of: other) {
                    return Place(property: property, inner: nil)
                }
            }
        }
        return nil
    }

    /// The properties of a rule that is a single number or id, which needs no bytes made.
    func fixed(_ incoming: RowShape, _ stored: RowShape) -> (incoming: Int, stored: Int)? {
        guard isUnique, parts.count == 1, let part = parts.first, part.form == .exact,
            part.incoming.inner == nil, part.stored.inner == nil
        else { return nil }
        let from = incoming.classSchema.properties[part.incoming.property]
        let to = stored.classSchema.properties[part.stored.property]
        guard from.type == to.type, from.collection == nil, to.collection == nil else { return nil }
        switch from.type {
        case .int, .objectId, .uuid, .date: return (part.incoming.property, part.stored.property)
        default: return nil
        }
    }

    // MARK: Values

    /// Calls `body` with the bytes of each way a row answers to the rule; none for a row that
    /// lacks a part of it.
    func forEach(
        _ batch: RecordBatch, _ row: Int, isStored: Bool, scratch: RawVector<UInt8>,
        _ body: (UnsafeRawBufferPointer) -> Void
    ) {
        scratch.removeAll()
        if !content.isEmpty {
            for pair in content {
                let column = batch.columns[isStored ? pair.stored : pair.incoming]
                if column.type == .mixed {
                    RowContent.append(mixed: column, row, to: scratch)
                } else if isOfRecords {
                    ImportRule.append(asRecord: column, row, to: scratch)
                } else {
                    RowContent.append(column, row, to: scratch)
                }
            }
            return body(UnsafeRawBufferPointer(scratch.elements))
        }
        forEach(batch, row, isStored, from: 0, scratch, body)
    }

    private func forEach(
        _ batch: RecordBatch, _ row: Int, _ isStored: Bool, from index: Int,
        _ scratch: RawVector<UInt8>, _ body: (UnsafeRawBufferPointer) -> Void
    ) {
        guard index < parts.count else { return body(UnsafeRawBufferPointer(scratch.elements)) }
        let part = parts[index]
        let place = isStored ? part.stored : part.incoming
        let column = batch.columns[place.property]
        let start = scratch.count
        func one(_ column: Column, _ i: Int) {
            let isPresent = Self.append(column, i, part.form, to: scratch)
            if isPresent || part.mayBeEmpty {
                scratch.append(0xFF)
                forEach(batch, row, isStored, from: index + 1, scratch, body)
            }
            scratch.truncate(to: start)
        }
        if part.form == .moment, let moments {
            let moment = isStored ? moments.stored : moments.incoming
            _ = moment.append(batch, row, to: scratch)
            scratch.append(0xFF)
            forEach(batch, row, isStored, from: index + 1, scratch, body)
            return scratch.truncate(to: start)
        }
        guard let inner = place.inner else { return one(column, row) }
        if column.layout == .collection, let elements = column.elements {
            for j in column.range(row) where elements.nulls[j] == 0 {
                one(elements.child.columns[inner], Int(elements.words[j]))
            }
        } else if column.nulls[row] == 0 {
            one(column.child.columns[inner], Int(column.words[row]))
        } else if part.mayBeEmpty {
            scratch.append(0xFF)
            forEach(batch, row, isStored, from: index + 1, scratch, body)
            scratch.truncate(to: start)
        }
    }

    /// Appends a value as `RowContent` does, without what cards and to-dos cannot say.
    private static func append(asRecord column: Column, _ i: Int, to out: RawVector<UInt8>) {
        if column.layout == .pair, column.type == .date {
            out.append(column.nulls[i])
            append(word: column.nulls[i] == 0 ? column.words[i] : 0, to: out)
        } else if column.layout == .bytes, column.nulls[i] != 0 || column.bytes(i).isEmpty {
            out.append(1)
        } else {
            RowContent.append(column, i, to: out)
        }
    }

    /// Appends a value in the form that is compared; false for one that says nothing.
    private static func append(_ column: Column, _ i: Int, _ form: Form, to out: RawVector<UInt8>)
        -> Bool
    {
        if column.isNull(i) { return false }
        switch column.layout {
        case .word: append(word: column.words[i], to: out)
        case .pair:
            append(word: column.words[i], to: out)
            append(word: column.extra[i], to: out)
        case .bytes:
            let bytes = column.bytes(i)
            if column.type != .string || form == .exact {
                out.append(bytes: bytes)
                return bytes.count > 0
            }
            let start = out.count
            append(text: bytes, form, to: out)
            return out.count > start
        case .object, .collection: return false
        }
        return true
    }

    private static func append(word: Int64, to out: RawVector<UInt8>) {
        UnsafeMutableRawPointer(out.extend(8)).storeBytes(of: word.littleEndian, as: Int64.self)
    }

    private static func append(
        text bytes: UnsafeRawBufferPointer, _ form: Form, to out: RawVector<UInt8>
    ) {
        switch form {
        case .exact, .moment: out.append(bytes: bytes)
        case .phone:
            // Digits only; 00 before a country is the same as +.
            let start = out.count
            for c in bytes where c &- 48 < 10 || c == UInt8(ascii: "+") && out.count == start {
                out.append(c)
            }
            if out.count >= start + 2, out[start] == 48, out[start + 1] == 48 {
                let rest = Array(out.elements[(start + 2)...])
                out.truncate(to: start)
                out.append(UInt8(ascii: "+"))
                for c in rest { out.append(c) }
            }
            if out.count == start + 1, out[start] == UInt8(ascii: "+") { out.truncate(to: start) }
        case .uid, .email, .name:
            var text = String(decoding: bytes, as: UTF8.self).lowercased()[...]
            while text.first?.isWhitespace == true { text.removeFirst() }
            while text.last?.isWhitespace == true { text.removeLast() }
            for prefix in form == .uid ? ["urn:uuid:"] : form == .email ? ["mailto:"] : [] {
                if text.hasPrefix(prefix) { text = text.dropFirst(prefix.count) }
            }
            out.append(String(text))
        }
    }
}

/// A class within its schema.
struct RowShape {
    let schema: Schema
    let classIndex: Int
    var classSchema: ClassSchema { schema.classes[classIndex] }

    /// The class that an embedded property leads to.
    func embedded(_ property: Int) -> RowShape? {
        let it = classSchema.properties[property]
        guard schema.isEmbedded(it), let target = it.target.flatMap({ schema.index(of: $0) })
        else { return nil }
        return RowShape(schema: schema, classIndex: target)
    }

    /// The position of a property of the class that an embedded property leads to.
    func inner(_ property: Int, _ name: String) -> Int? {
        embedded(property)?.classSchema.index(of: name)
    }

    /// The position of the property of a name; else of the one that differs from it only in case,
    /// spaces, hyphens and underscores.
    func index(matching name: String) -> Int? {
        if let exact = classSchema.index(of: name) { return exact }
        let wanted = RowShape.plain(name)
        let near = classSchema.properties.indices.filter {
            RowShape.plain(classSchema.properties[$0].name) == wanted
        }
        return near.count == 1 ? near[0] : nil
    }

    private static func plain(_ name: String) -> String {
        String(name.lowercased().filter { !" -_".contains($0) })
    }
}
