// One class made two by a condition, and several made one.

package import Formats

/// The rows of a class that fulfil a condition moved to a class of their own.
public struct SplitClass: PlannedChange {
    /// `splitClass`.
    public static let name = "splitClass"

    /// What becomes of links to rows that move.
    public enum Links: String, Sendable, CaseIterable {
        case fail, null, mixed
    }

    /// The class.
    public var className: String
    /// The new class.
    public var into: String
    /// The rows that move.
    public var condition: String
    /// What becomes of links to rows that move.
    public var links: Links

    /// Splits a class.
    public init(
        _ className: String, into: String, where condition: String, links: Links = .fail
    ) {
        self.className = className
        self.into = into
        self.condition = condition
        self.links = links
    }

    package init(_ subject: JSONTree, _ members: inout PlanMembers) throws(FormatError) {
        className = try PlanMembers.text(subject, Self.name)
        into = try members.text("into")
        condition = try members.text("where")
        links = try members.word("links", Links.fail)
    }

    /// The change in one readable line.
    public var line: String { "split class \(className) -> \(into) where \(condition)" }
    /// The change as a plan writes it.
    public var json: PlanJSON? {
        .members([
            (Self.name, .string(className)), ("into", .string(into)),
            ("where", .string(condition)),
            ("links", links == .fail ? nil : .string(links.rawValue)),
        ])
    }
    /// The classes the change names.
    public var classes: [String] { [className, into] }

    package func stage(_ scope: ChangeScope) throws(FormatError) -> any Stage {
        let c = try scope.classIndex(className)
        let known = scope.schema.classes[c]
        guard known.kind == .object else {
            throw scope.error(.badValue, "only classes of their own rows are split")
        }
        try scope.checkFree(className: into)
        let predicate = try scope.predicate(condition, of: c)
        let stage = MorphStage(scope.schema)
        var definition = known
        definition.name = into
        let new = stage.addClass(definition)
        stage.plans[c][0].filter = { batch, row in !predicate.matches(batch, row) }
        var moving = stage.plans[c][0]
        moving.output = new
        moving.filter = { batch, row in predicate.matches(batch, row) }
        stage.plans[c].append(moving)
        let rule = links
        if rule == .mixed {
            for (i, owner) in scope.schema.classes.enumerated() {
                for (p, property) in owner.properties.enumerated()
                where property.target == className {
                    var mixed = property
                    mixed.type = .mixed
                    mixed.target = nil
                    mixed.isOptional = true
                    let maker = SplitLinkMaker(p, stage, c)
                    for m in stage.plans[i].indices {
                        stage.plans[i][m].columns[p] = .made(maker)
                        stage.output.classes[stage.plans[i][m].output].properties[p] = mixed
                    }
                }
            }
        }
        stage.onPrepare = { [unowned stage] (source, log) throws(FormatError) in
            guard stage.input.isLinked(c) else { return }
            var keys: Set<Int64> = []
            let stream = try source.open(classes: [c], counting: false)
            while let batch = try stream.next() {
                for row in 0..<batch.rowCount where predicate.matches(batch, row) {
                    keys.insert(batch.keys[row])
                }
            }
            guard !keys.isEmpty else { return }
            var map = KeyMap(output: c)
            map.elsewhere = (new, keys)
            map.gone = rule == .null ? .handled : .needsDecision
            map.fix = "add \"links\": \"null\" or \"mixed\""
            stage.keyMaps[c] = map
        }
        return stage
    }
}

/// Links to rows of a class that is split, as mixed values.
private final class SplitLinkMaker: ColumnMaker {
    private let position: Int
    private unowned let stage: MorphStage
    private let classIndex: Int

    init(_ position: Int, _ stage: MorphStage, _ c: Int) {
        self.position = position
        self.stage = stage
        classIndex = c
    }

    func fill(_ column: Column, from batch: RecordBatch, _ pass: MorphPass) throws(FormatError) {
        let source = batch.columns[position]
        let elsewhere = stage.keyMaps[classIndex]?.elsewhere
        func append(_ i: Int, _ target: Column, _ values: Column) {
            guard values.nulls[i] == 0 else { return target.appendNull() }
            let key = values.words[i]
            let isMoved = elsewhere?.keys.contains(key) ?? false
            MixedEncoder(target.bytes).link(
                classIndex: isMoved ? elsewhere?.classIndex ?? classIndex : classIndex, key: key)
            target.closeBytes()
        }
        for row in 0..<batch.rowCount {
            guard let elements = column.elements, let values = source.elements else {
                append(row, column, source)
                continue
            }
            for i in source.range(row) {
                if let keys = column.keys, let from = source.keys { keys.append(i, of: from) }
                append(i, elements, values)
            }
            column.closeCollection()
        }
    }
}

/// Several classes made one; a tag says where each row comes from.
public struct MergeClasses: PlannedChange {
    /// `mergeClasses`.
    public static let name = "mergeClasses"
    /// The classes, in order.
    public var sources: [String]
    /// The class they become.
    public var into: String
    /// The property that tells the sources apart.
    public var tag: String?
    /// Its value for each source; nil for the class names.
    public var values: [(String, PlanValue)]

    /// Merges classes.
    public init(
        _ sources: [String], into: String, tag: String? = nil,
        values: [(String, PlanValue)] = []
    ) {
        self.sources = sources
        self.into = into
        self.tag = tag
        self.values = values
    }

    package init(_ subject: JSONTree, _ members: inout PlanMembers) throws(FormatError) {
        sources = try PlanMembers.texts(subject, Self.name)
        into = try members.text("into")
        values = []
        if let tree = members.take("tag") {
            if let name = tree.string {
                tag = name
            } else {
                var inner = try PlanMembers(tree, "tag")
                tag = try inner.text("property")
                if let list = inner.take("values") { values = try MergeClasses.values(list) }
                try inner.finish()
            }
        }
        if let list = members.take("values") { values = try MergeClasses.values(list) }
    }

    private static func values(_ tree: JSONTree) throws(FormatError) -> [(String, PlanValue)] {
        guard let members = tree.members else {
            throw FormatError(
                .badValue, "values is an object: a value for each class", offset: tree.offset)
        }
        var result: [(String, PlanValue)] = []
        for member in members { result.append((member.name, try PlanValue(member.value))) }
        return result
    }

    /// The change in one readable line.
    public var line: String {
        "merge classes " + sources.joined(separator: " + ") + " -> \(into)"
            + (tag.map { ", told apart by \($0)" } ?? "")
    }
    /// The change as a plan writes it.
    public var json: PlanJSON? {
        .members([
            (Self.name, .array(sources.map { .string($0) })), ("into", .string(into)),
            ("tag", tag.map { .string($0) }),
            (
                "values",
                values.isEmpty
                    ? nil : .object(values.map { PlanJSON.Member($0.0, $0.1.json) })
            ),
        ])
    }
    /// The classes the change names.
    public var classes: [String] { sources + [into] }

    package func stage(_ scope: ChangeScope) throws(FormatError) -> any Stage {
        var places: [Int] = []
        for name in sources {
            let c = try scope.classIndex(name)
            guard scope.schema.classes[c].kind == .object, !places.contains(c) else {
                throw scope.error(.badValue, "\(name) cannot be merged")
            }
            places.append(c)
        }
        guard places.count > 1 else {
            throw scope.error(.badValue, "two classes or more are merged")
        }
        if !sources.contains(into) { try scope.checkFree(className: into) }
        let key = scope.schema.classes[places[0]].primaryKey
        if let other = places.first(where: { scope.schema.classes[$0].primaryKey != key }) {
            throw scope.error(
                .schemaMismatch,
                "\(scope.schema.classes[other].name) has another primary key",
                fix: "give the classes keys of the same name and type first, or none")
        }
        let stage = MorphStage(scope.schema)
        let slot = places[0]
        let merged = try union(scope, places, key)
        stage.output.classes[slot] = merged
        for c in places.dropFirst() { stage.output.classes[c] = .tombstone(at: c) }
        stage.output.retarget(Set(sources), to: into)
        for c in places {
            let own = scope.schema.classes[c]
            var columns: [ColumnSource] = []
            for property in merged.properties {
                if property.name == tag {
                    columns.append(.made(ConstantMaker(try tagValue(own.name, property, scope, c))))
                } else if let p = own.index(of: property.name) {
                    columns.append(.view(p))
                } else {
                    columns.append(.made(ConstantMaker(.null)))
                }
            }
            stage.plans[c] = [ClassMorph(output: slot, columns: columns)]
            stage.keyMaps[c] = KeyMap(output: slot)
        }
        stage.sequence = places
        stage.onPrepare = { [unowned stage] (source, log) throws(FormatError) in
            try MergeClasses.shift(stage, places, key, source, log)
        }
        return stage
    }

    /// All properties of the sources.
    private func union(_ scope: ChangeScope, _ places: [Int], _ key: String?)
        throws(FormatError) -> ClassSchema
    {
        var properties: [Property] = []
        for c in places {
            for property in scope.schema.classes[c].properties {
                var own = property
                if let target = own.target, sources.contains(target) { own.target = into }
                guard let at = properties.firstIndex(where: { $0.name == own.name }) else {
                    properties.append(own)
                    continue
                }
                guard properties[at].type == own.type, properties[at].target == own.target,
                    properties[at].collection == own.collection
                else {
                    throw scope.error(
                        .schemaMismatch,
                        "\(own.name) is \(own.summary) here and \(properties[at].summary) there",
                        property: own.name, fix: "make the types equal first")
                }
                properties[at].isOptional = properties[at].isOptional || own.isOptional
                properties[at].isIndexed = properties[at].isIndexed || own.isIndexed
            }
        }
        for i in properties.indices where properties[i].collection == nil {
            let isEverywhere = places.allSatisfy {
                scope.schema.classes[$0].index(of: properties[i].name) != nil
            }
            if !isEverywhere { properties[i].isOptional = true }
        }
        if let tag {
            guard !properties.contains(where: { $0.name == tag }) else {
                throw scope.error(.schemaMismatch, "there is a property \(tag) already")
            }
            let isNumber = values.contains { pair in
                if case .constant(.number) = pair.1 { true } else { false }
            }
            properties.append(Property(tag, isNumber ? .int : .string))
        }
        return ClassSchema(into, primaryKey: key, properties: properties)
    }

    private func tagValue(
        _ name: String, _ property: Property, _ scope: ChangeScope, _ c: Int
    ) throws(FormatError) -> Value {
        if values.isEmpty { return .string(name) }
        guard let value = values.first(where: { $0.0 == name })?.1,
            let constant = try BoundValue(value, for: property, of: c, scope).constant
        else {
            throw scope.error(
                .missingValue, "\"values\" needs a constant for \(name)", property: property.name)
        }
        return constant
    }

    /// Makes object keys distinct, and finds primary keys that are not.
    private static func shift(
        _ stage: MorphStage, _ places: [Int], _ key: String?, _ source: any RowSource,
        _ log: StageLog
    ) throws(FormatError) {
        var next: Int64 = 0
        var seen: [ValueKey: String] = [:]
        let keys = ValueKeys()
        for c in places {
            stage.plans[c][0].keyShift = next
            stage.keyMaps[c]?.shift = next
            let stream = try source.open(classes: [c], counting: false)
            var last = next
            let p = key.flatMap { stage.input.classes[c].index(of: $0) }
            while let batch = try stream.next() {
                for row in 0..<batch.rowCount {
                    let (sum, isTooLarge) = batch.keys[row].addingReportingOverflow(next + 1)
                    if isTooLarge {
                        throw FormatError(.limitExceeded, "object keys beyond 64 bits")
                    }
                    last = max(last, sum)
                    guard let p else { continue }
                    let name = stage.input.classes[c].name
                    if let other = seen.updateValue(name, forKey: keys.key(batch.columns[p], row)) {
                        log.note(
                            .needsDecision, "duplicate-key", batch, row, property: key,
                            reason: "\(other) has a row of the same key",
                            fix: "give the rows of \(name) other keys first, with changeKeys")
                    }
                }
            }
            next = last
        }
    }
}
