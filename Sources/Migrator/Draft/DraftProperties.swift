// The differences of two classes that are meant to be the same: properties and keys. What becomes
// of whole classes is for `PlanDraft`.

internal import Formats

/// Compares the properties of one class before and after.
struct DraftProperties {
    /// The class as it is called when the changes apply.
    let className: String
    /// The classes at that point: answers that cannot be carried out are not offered.
    let schema: Schema
    var old: ClassSchema
    let new: ClassSchema
    private var items: [DraftItem] = []
    /// Properties that are dealt with.
    private var settled: Set<String> = []

    init(_ schema: Schema, _ old: ClassSchema, _ new: ClassSchema, skipping: Set<String> = []) {
        self.schema = schema
        self.old = old
        self.new = new
        className = new.name
        settled = skipping
    }

    /// All differences, each once.
    static func items(
        _ schema: Schema, _ old: ClassSchema, _ new: ClassSchema, skipping: Set<String> = []
    ) -> [DraftItem] {
        var draft = DraftProperties(schema, old, new, skipping: skipping)
        draft.compareKind()
        draft.compareKeys()
        draft.compareProperties()
        return draft.items
    }

    private func name(_ property: String) -> PlanJSON { .string("\(className).\(property)") }

    // MARK: What the class is for

    private mutating func compareKind() {
        guard old.kind != new.kind else { return }
        let subject = className
        switch (old.kind, new.kind) {
        case (.object, .embedded):
            let key = old.primaryKey
            let kept = key.flatMap { new.index(of: $0) } == nil ? nil : key
            func embed(_ orphans: String, _ shared: String) -> [PlanJSON] {
                [
                    .members([
                        ("embed", .string(className)), ("orphans", .string(orphans)),
                        ("shared", .string(shared)), ("keepKeyAs", kept.map { .string($0) }),
                    ])
                ]
            }
            let text =
                "becomes embedded; what of objects that nobody or several link to?"
                + (key != nil && kept == nil ? " (its key \(key ?? "") goes)" : "")
            items.append(
                .ask(
                    subject, text,
                    [
                        ("stop at them", embed("fail", "fail")),
                        ("delete and copy", embed("delete", "clone")),
                    ].filter { isPossible($0.1) }))
            if let key, kept == nil { old.properties.removeAll { $0.name == key } }
            old.primaryKey = nil
        case (.embedded, .object):
            var change: [(String, PlanJSON?)] = [("unembed", .string(className))]
            if let key = new.primaryKey, old.index(of: key) == nil,
                let p = new.index(of: key)
            {
                change += [
                    ("primaryKey", .string(key)),
                    ("type", .string(new.properties[p].type.rawValue)),
                ]
                old.properties.append(new.properties[p])
                old.primaryKey = key
            }
            items.append(
                DraftItem(.safe, subject, "becomes a class of its own", [.members(change)]))
        default:
            items.append(
                .ask(subject, "\(old.kind.rawValue) becomes \(new.kind.rawValue)", []))
        }
        old.kind = new.kind
    }

    // MARK: Keys

    private mutating func compareKeys() {
        guard old.primaryKey != new.primaryKey else { return }
        guard let key = new.primaryKey, let p = new.index(of: key) else {
            items.append(
                DraftItem(
                    .safe, className, "the primary key \(old.primaryKey ?? "") is a key no more",
                    [.members([("removePrimaryKey", .string(className))])]))
            return
        }
        let property = new.properties[p]
        if old.index(of: key) != nil {
            settled.insert(key)
            let options = ["fail", "first", "last", "suffix"].map { rule in
                ("keep \(rule)", [existing(property, rule)])
            }
            items.append(
                .ask(
                    "\(className).\(key)",
                    "becomes the primary key; what of rows that share a value?",
                    options.filter { isPossible($0.1) }.map {
                        ($0.0 == "keep fail" ? "stop" : $0.0, $0.1)
                    }))
            return
        }
        settled.insert(key)
        let made = derived(property)
        if let gone = old.primaryKey, new.index(of: gone) == nil,
            let q = old.index(of: gone)
        {
            settled.insert(gone)
            var rename = [rename(gone, key)]
            let before = old.properties[q]
            if before.type != property.type || before.isOptional != property.isOptional {
                rename.append(existing(property, "fail"))
            }
            let anew = [made, drop(gone)]
            items.append(
                .ask(
                    "\(className).\(key)",
                    "is the primary key instead of \(gone); the same values?",
                    [("rename", rename), ("new values", anew)].filter { isPossible($0.1) }))
            return
        }
        if property.type == .objectId || property.type == .uuid {
            items.append(
                DraftItem(
                    .safe, "\(className).\(key)", "a new primary key, worked out for each row",
                    [made]))
        } else {
            items.append(
                .ask(
                    "\(className).\(key)", "is a new primary key; what values?",
                    [("derive", [made])].filter { isPossible($0.1) }))
        }
    }

    private func existing(_ property: Property, _ rule: String) -> PlanJSON {
        let before = old.index(of: property.name).map { old.properties[$0] }
        let isSame = before?.type == property.type
        return .members([
            ("setPrimaryKey", name(property.name)),
            ("type", isSame ? nil : .string(property.type.rawValue)),
            ("value", .string("existing")), ("onDuplicate", .string(rule)),
            (
                "optional",
                before?.isOptional == property.isOptional ? nil : .bool(property.isOptional)
            ),
        ])
    }

    private func derived(_ property: Property) -> PlanJSON {
        .members([
            ("setPrimaryKey", name(property.name)), ("type", .string(property.type.rawValue)),
            ("value", .members([("derive", .string("row"))])),
            ("optional", property.isOptional ? .bool(true) : nil),
        ])
    }

    // MARK: Properties

    private mutating func compareProperties() {
        var gone: [Property] = []
        for property in old.properties where !settled.contains(property.name) {
            if let j = new.index(of: property.name) {
                compare(property, new.properties[j])
            } else {
                gone.append(property)
            }
        }
        let added = new.properties.filter {
            old.index(of: $0.name) == nil && !settled.contains($0.name)
        }
        // The place of a property among those of its type and shape.
        func place(_ list: [Property], _ at: Int) -> Int {
            list[..<at].count {
                $0.type == list[at].type && $0.collection == list[at].collection
            }
        }
        var scores: [(old: Int, new: Int, score: Double)] = []
        for (i, before) in gone.enumerated() {
            for (j, after) in added.enumerated() {
                let score = DraftNames.likeness(
                    before, at: place(gone, i), after, at: place(added, j))
                scores.append((i, j, score))
            }
        }
        let pairs = DraftNames.pairs(scores)
        for (i, j) in pairs { offerRename(gone[i], added[j]) }
        for (j, after) in added.enumerated() where !pairs.contains(where: { $0.new == j }) {
            items.append(Self.added(after, to: className))
        }
        for (i, before) in gone.enumerated() where !pairs.contains(where: { $0.old == i }) {
            let subject = "\(className).\(before.name)"
            items.append(
                DraftItem(
                    .losesData, subject, "dropped (\(before.summary))", [drop(before.name)]))
        }
    }

    private mutating func offerRename(_ before: Property, _ after: Property) {
        var renamed = before
        renamed.name = after.name
        var within = schema
        if let c = within.index(of: className), let p = within.classes[c].index(of: before.name) {
            within.classes[c].properties[p].name = after.name
        }
        var inner = DraftProperties(within, old, new)
        inner.compare(renamed, after)
        let rename = [rename(before.name, after.name)] + inner.items.flatMap(\.changes)
        let anew = [drop(before.name)] + Self.addition(after, to: className)
        items.append(
            .ask(
                "\(className).\(before.name)",
                "renamed to \(after.name), or dropped while \(after.name) is new?",
                [("rename", rename), ("drop and add", anew)]))
    }

    /// A new property.
    static func added(_ property: Property, to className: String) -> DraftItem {
        let subject = "\(className).\(property.name)"
        let text = "added (\(property.summary))"
        let changes = addition(property, to: className)
        guard property.needsValue else { return DraftItem(.safe, subject, text, changes) }
        let value = property.blank
        let answer = if case .object = value { "derive" } else { value.text }
        return .ask(
            subject, text + "; what do the rows there are get?",
            [(property.type == .date ? "1970" : answer, changes)])
    }

    /// The changes that add a property.
    static func addition(_ property: Property, to className: String) -> [PlanJSON] {
        let name = PlanJSON.string("\(className).\(property.name)")
        let add = PlanJSON.members([
            ("addProperty", name), ("type", .string(property.type.rawValue)),
            (
                "optional",
                property.isOptional && property.type != .link && property.type != .mixed
                    ? .bool(true) : nil
            ), ("collection", property.collection.map { .string($0.rawValue) }),
            ("target", property.target.map { .string($0) }),
            ("value", property.needsValue ? property.blank : nil),
        ])
        guard property.isIndexed else { return [add] }
        return [add, .members([("setIndex", name), ("indexed", .bool(true))])]
    }

    private func rename(_ from: String, _ to: String) -> PlanJSON {
        .members([("renameProperty", name(from)), ("to", .string(to))])
    }
    private func drop(_ property: String) -> PlanJSON {
        .members([("dropProperty", name(property))])
    }

    /// Compares two properties of one name.
    mutating func compare(_ before: Property, _ after: Property) {
        let subject = "\(className).\(after.name)"
        let isKey = new.primaryKey == after.name && old.primaryKey == after.name
        var plain = before
        plain.isIndexed = after.isIndexed
        plain.isFullText = after.isFullText
        if plain != after {
            let item = isKey ? keyChange(before, after) : change(before, after)
            items.append(item)
            // Its answers see to the index.
            if item.mark == .needsDecision { return }
        }
        if before.isIndexed != after.isIndexed, !isKey {
            items.append(
                DraftItem(
                    .safe, subject, after.isIndexed ? "indexed" : "indexed no more",
                    index(after)))
        }
        if before.isFullText != after.isFullText {
            items.append(
                DraftItem(
                    .safe, subject, "the full-text index changes; Realm sees to it on opening", []))
        }
    }

    private func index(_ property: Property) -> [PlanJSON] {
        [.members([("setIndex", name(property.name)), ("indexed", .bool(property.isIndexed))])]
    }

    private func keyChange(_ before: Property, _ after: Property) -> DraftItem {
        let change = existing(after, "fail")
        return .ask(
            "\(className).\(after.name)",
            "the key changes from \(before.summary) to \(after.summary)",
            [("convert", [change])].filter { isPossible($0.1) })
    }

    /// True when changes can be carried out here.
    private func isPossible(_ changes: [PlanJSON]) -> Bool {
        PlanDraft.apply(changes, to: schema) != nil
    }
}
