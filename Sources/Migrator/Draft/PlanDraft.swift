// A plan to begin with: every difference of two schemas once, marked, with a question wherever a
// person must decide. Classes are paired here; what differs inside a class is for
// `DraftProperties`.

public import Formats

/// A draft of a plan that leads from one schema to another.
public struct PlanDraft: Sendable {
    /// The schema version the plan begins at.
    public let from: UInt64
    /// The schema version it leads to.
    public let to: UInt64
    /// What the plan is called.
    public let name: String
    /// All differences, each once, in the order of the changes.
    public let items: [DraftItem]

    /// Drafts a plan.
    public init(from old: Schema, to new: Schema, name: String? = nil) throws(FormatError) {
        let first = old.version == .max ? 0 : old.version ?? 0
        let last = new.version == .max ? 0 : new.version ?? 0
        if last != 0, last < first {
            throw FormatError(
                .unsupportedVersion,
                "the new schema has version \(last), the old one \(first): a plan leads upwards",
                fix: "name the old store first, then the new one")
        }
        from = first
        to = last > first ? last : first + 1
        self.name = name ?? "from \(first) to \(last > first ? last : first + 1)"
        var drafter = ClassDrafter(old, new)
        items = drafter.items()
    }

    /// Questions a person must answer.
    public var openQuestions: Int { items.count { $0.mark == .needsDecision } }

    /// The draft as a plan.
    public var json: PlanJSON {
        .members([
            ("rtoolPlan", .int(1)), ("name", .string(name)),
            (
                "steps",
                .array([
                    .members([
                        ("from", .number(String(from))), ("to", .number(String(to))),
                        ("summary", .string("a draft: \(items.count) differences")),
                        ("changes", .array(items.flatMap(\.noted))),
                    ])
                ])
            ),
        ])
    }

    /// The draft for people, a line a difference.
    public var lines: [String] {
        if items.isEmpty { return ["the schemas are the same; only the version changes"] }
        return items.map(\.line)
            + ["\(items.count) differences, \(openQuestions) questions to answer"]
    }

    /// The differences as JSON.
    public var report: PlanJSON {
        .members([
            ("differences", .int(items.count)), ("questions", .int(openQuestions)),
            (
                "items",
                .array(
                    items.map { item in
                        .members([
                            ("mark", .string(item.mark.rawValue)),
                            ("subject", .string(item.subject)), ("text", .string(item.text)),
                        ])
                    })
            ),
        ])
    }

    /// The classes after some changes; nil where they cannot be carried out.
    static func apply(_ changes: [PlanJSON], to schema: Schema) -> Schema? {
        var list: [any Change] = []
        for json in changes {
            guard let change = try? ChangeTable.change(JSONTree(json)) else { return nil }
            list.append(change)
        }
        var schema = schema
        schema.version = 0
        let plan = MigrationPlan("draft", steps: [MigrationStep(from: 0, to: 1, changes: list)])
        return try? MigrationRun(plan, schema: schema) { () throws(FormatError) in
            throw FormatError(.defect, "a draft reads no rows")
        }.outputSchema()
    }
}

/// Compares the classes of two schemas.
private struct ClassDrafter {
    let old: [ClassSchema]
    let new: [ClassSchema]
    /// Classes of the old schema that may be classes of the new one under another name.
    let pairs: [(old: Int, new: Int)]
    /// The classes when properties are compared: likely renames done, new classes there.
    var schema: Schema

    init(_ old: Schema, _ new: Schema) {
        let before = old.classes.filter { !$0.isTable }
        let after = new.classes.filter { !$0.isTable }
        let gone = before.indices.filter { new.index(of: before[$0].name) == nil }
        let added = after.indices.filter { old.index(of: after[$0].name) == nil }
        var scores: [(old: Int, new: Int, score: Double)] = []
        for i in gone {
            for j in added {
                scores.append((i, j, DraftNames.likeness(before[i], after[j])))
            }
        }
        let pairs = DraftNames.pairs(scores)
        self.old = before
        self.new = after
        self.pairs = pairs
        schema = Schema(version: 0, classes: before)
        for (i, j) in pairs {
            schema.classes[i].name = after[j].name
            schema.retarget([before[i].name], to: after[j].name)
        }
        schema.classes += added.filter { j in !pairs.contains { $0.new == j } }.map { after[$0] }
    }

    /// The old class as it is called once likely renames are done.
    private func mapped(_ i: Int) -> ClassSchema { schema.classes[i] }
    private func newIndex(_ name: String) -> Int? { new.firstIndex { $0.name == name } }

    /// The group of pairs a class name of either schema belongs to.
    private func groups() -> [String: Int] {
        var group = Array(pairs.indices)
        func root(_ i: Int) -> Int { group[i] == i ? i : root(group[i]) }
        var byName: [String: Int] = [:]
        for (k, pair) in pairs.enumerated() {
            byName[old[pair.old].name] = k
            byName[new[pair.new].name] = k
        }
        func join(_ a: String?, _ b: String?) {
            guard let a, let b, let x = byName[a], let y = byName[b] else { return }
            group[root(x)] = root(y)
        }
        for c in old + new {
            for p in c.properties { join(c.name, p.target) }
        }
        // One property that leads from one pair to another ties them.
        for c in old {
            guard let j = newIndex(c.name) else { continue }
            for p in c.properties {
                if let q = new[j].index(of: p.name) { join(p.target, new[j].properties[q].target) }
            }
        }
        return byName.mapValues { root($0) }
    }

    /// All differences, in the order of the changes.
    mutating func items() -> [DraftItem] {
        var items: [DraftItem] = []
        let group = groups()
        let added = new.indices.filter { j in
            !old.contains { $0.name == new[j].name } && !pairs.contains { $0.new == j }
        }
        // New classes first, without links to what is not there yet.
        var late: [(owner: String, property: Property)] = []
        var known = Set(old.map(\.name)).subtracting(pairs.map { old[$0.old].name })
        for j in added {
            var definition = new[j]
            definition.count = nil
            known.insert(definition.name)
            definition.properties.removeAll { property in
                guard let target = property.target, !known.contains(target) else { return false }
                late.append((new[j].name, property))
                return true
            }
            let json = AddClass(definition).json ?? .null
            items.append(DraftItem(.safe, definition.name, "a new class", [json]))
        }
        for k in Set(group.values).sorted() {
            items.append(question(k, group, late.filter { group[$0.property.target ?? ""] == k }))
        }
        for entry in late where group[entry.property.target ?? ""] == nil {
            // Part of the new class: no difference of its own.
            let changes = DraftProperties.addition(entry.property, to: entry.owner)
            if let at = items.lastIndex(where: { $0.subject == entry.property.target }) {
                items[at].changes += changes
            } else {
                items.append(
                    DraftItem(
                        .safe, "\(entry.owner).\(entry.property.name)",
                        "added (\(entry.property.summary))", changes))
            }
        }
        for (i, before) in old.enumerated() {
            guard let j = newIndex(before.name) else { continue }
            let asked = Set(tied(before, new[j], group).map(\.name))
            items += DraftProperties.items(schema, mapped(i), new[j], skipping: asked)
        }
        for (i, before) in old.enumerated() {
            guard newIndex(before.name) == nil, !pairs.contains(where: { $0.old == i }) else {
                continue
            }
            items.append(
                DraftItem(
                    .losesData, before.name, "the class and its rows are dropped", [drop(before)]))
        }
        return items
    }

    private func drop(_ definition: ClassSchema) -> PlanJSON {
        let isLinked = old.contains { owner in
            owner.name != definition.name
                && owner.properties.contains { $0.target == definition.name }
        }
        return .members([
            ("dropClass", .string(definition.name)), ("dropLinks", isLinked ? .bool(true) : nil),
        ])
    }

    /// The properties of a class in both schemas that lead to a paired class.
    private func tied(_ before: ClassSchema, _ after: ClassSchema, _ group: [String: Int])
        -> [(name: String, group: Int)]
    {
        var result: [(name: String, group: Int)] = []
        for property in before.properties + after.properties {
            guard let target = property.target, let k = group[target],
                !result.contains(where: { $0.name == property.name })
            else { continue }
            result.append((property.name, k))
        }
        return result
    }

    /// One question for classes that may have new names, with all that hangs on the answer.
    private func question(
        _ k: Int, _ group: [String: Int], _ late: [(owner: String, property: Property)]
    ) -> DraftItem {
        let members = pairs.filter { group[old[$0.old].name] == k }
        let linksOfNew = late.flatMap { DraftProperties.addition($0.property, to: $0.owner) }
        var rename: [PlanJSON] = members.map { pair in
            .members([
                ("renameClass", .string(old[pair.old].name)), ("to", .string(new[pair.new].name)),
            ])
        }
        var dropped: [PlanJSON] = []
        var anew: [PlanJSON] = []
        for (i, before) in old.enumerated() {
            guard let j = newIndex(before.name) else { continue }
            let names = Set(tied(before, new[j], group).filter { $0.group == k }.map(\.name))
            if names.isEmpty { continue }
            var first = mapped(i)
            var second = new[j]
            first.properties.removeAll { !names.contains($0.name) }
            second.properties.removeAll { !names.contains($0.name) }
            (first.primaryKey, second.primaryKey) = (nil, nil)
            first.kind = second.kind
            rename += DraftProperties.items(schema, first, second).flatMap(\.changes)
            dropped += first.properties.map {
                .members([("dropProperty", .string("\(before.name).\($0.name)"))])
            }
            anew += second.properties.flatMap { DraftProperties.addition($0, to: before.name) }
        }
        var classes: [PlanJSON] = []
        var links: [PlanJSON] = []
        var known = Set(new.map(\.name)).subtracting(members.map { new[$0.new].name })
        known.subtract(group.filter { $0.value != k }.keys)
        for pair in members {
            rename += DraftProperties.items(schema, mapped(pair.old), new[pair.new])
                .flatMap(\.changes)
            var definition = new[pair.new]
            definition.count = nil
            known.insert(definition.name)
            definition.properties.removeAll { property in
                guard let target = property.target, !known.contains(target) else { return false }
                links += DraftProperties.addition(property, to: definition.name)
                return true
            }
            if let json = AddClass(definition).json { classes.append(json) }
        }
        let drops = members.map { drop(old[$0.old]) }
        let names = members.map { "\(old[$0.old].name) to \(new[$0.new].name)" }
        let change = dropped + classes + links + anew + linksOfNew + drops
        return .ask(
            members.map { old[$0.old].name }.joined(separator: ", "),
            "renamed (\(names.joined(separator: ", "))), or dropped while the others are new?",
            [("rename", rename + linksOfNew), ("drop and add", change)])
    }
}
