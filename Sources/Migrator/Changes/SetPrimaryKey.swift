// A class gets a primary key, or another one: its values, what repeated ones become, and where
// links to removed rows lead.

public import Formats

/// A property becomes the primary key of its class.
public struct SetPrimaryKey: PlannedChange {
    /// `setPrimaryKey`.
    public static let name = "setPrimaryKey"

    /// Where the key's values come from.
    public enum Source: Sendable, Equatable {
        /// The property is there.
        case existing
        /// A value worked out for each row.
        case value(PlanValue)
    }

    /// What becomes of rows whose key stands already.
    public enum Duplicates: Sendable, Equatable {
        /// The migration stops.
        case fail
        /// The first row stays; links to the others lead to it.
        case first
        /// The last row stays.
        case last
        /// All stay; `-2`, `-3` … are appended to text.
        case suffix
        /// The row with the greatest value of a property stays.
        case newest(String)
    }

    /// The property.
    public var property: PropertyName
    /// The key's type; nil as the property is.
    public var type: PropertyType?
    /// Where its values come from.
    public var value: Source
    /// What becomes of repeated keys.
    public var onDuplicate: Duplicates
    /// The name the old key is kept under.
    public var keepOldAs: String?
    /// Whether the key may be null; nil as the property is.
    public var isOptional: Bool?
    /// What becomes of rows whose value does not fit.
    public var onError: OnError
    /// How existing values are converted; a plan writes it as an expression.
    var converter: Converter?

    static let types: Set<PropertyType> = [.int, .string, .objectId, .uuid]
    static let indexed: Set<PropertyType> = [.int, .bool, .string, .date, .objectId, .uuid, .mixed]

    /// Sets the primary key.
    public init(
        _ property: PropertyName, type: PropertyType? = nil, value: Source,
        onDuplicate: Duplicates = .fail, keepOldAs: String? = nil, isOptional: Bool? = nil,
        onError: OnError = .reject
    ) {
        self.init(
            property, type: type, value: value, onDuplicate: onDuplicate, keepOldAs: keepOldAs,
            isOptional: isOptional, onError: onError, converter: nil)
    }

    init(
        _ property: PropertyName, type: PropertyType?, value: Source,
        onDuplicate: Duplicates = .fail, keepOldAs: String? = nil, isOptional: Bool?,
        onError: OnError, converter: Converter?
    ) {
        self.property = property
        self.type = type
        self.value = value
        self.onDuplicate = onDuplicate
        self.keepOldAs = keepOldAs
        self.isOptional = isOptional
        self.onError = onError
        self.converter = converter
    }

    package init(_ subject: JSONTree, _ members: inout PlanMembers) throws(FormatError) {
        property = try PropertyName(subject, Self.name)
        type = try members.take("type").map { (tree) throws(FormatError) in
            try PlanMembers.word(tree, "type")
        }
        let source = try members.need("value")
        value = source.string == "existing" ? .existing : .value(try PlanValue(source))
        let words = ["fail", "first", "last", "suffix"]
        if let rule = members.take("onDuplicate") {
            switch rule.string {
            case "fail": onDuplicate = .fail
            case "first": onDuplicate = .first
            case "last": onDuplicate = .last
            case "suffix": onDuplicate = .suffix
            default:
                guard let newest = rule["newest"], rule.members?.count == 1 else {
                    throw FormatError(
                        .unknownName,
                        "onDuplicate is fail, first, last, suffix or {\"newest\": property}",
                        offset: rule.offset,
                        fix: rule.string.flatMap { suggestion(for: $0, among: words) })
                }
                onDuplicate = .newest(try PlanMembers.text(newest, "newest"))
            }
        } else {
            onDuplicate = .fail
        }
        keepOldAs = try members.optionalText("keepOldAs")
        isOptional = try members.optionalBool("optional")
        onError = try OnError(members.take("onError"), "onError")
    }

    /// The change in one readable line.
    public var line: String {
        var text = "key \(property)" + (type.map { ": \($0.rawValue)" } ?? "")
        if case .value(let value) = value { text += " = \(value.line)" }
        switch onDuplicate {
        case .fail: break
        case .first: text += ", repeated: first"
        case .last: text += ", repeated: last"
        case .suffix: text += ", repeated: suffix"
        case .newest(let name): text += ", repeated: newest by \(name)"
        }
        return text + (keepOldAs.map { ", old key kept as \($0)" } ?? "")
    }
    /// The change as a plan writes it.
    public var json: PlanJSON? {
        let source: PlanJSON =
            switch value {
            case .existing: .string("existing")
            case .value(.constant(.string("existing"))):
                .members([("value", .string("existing"))])
            case .value(let value): value.json
            }
        let rule: PlanJSON? =
            switch onDuplicate {
            case .fail: nil
            case .first: .string("first")
            case .last: .string("last")
            case .suffix: .string("suffix")
            case .newest(let name): .members([("newest", .string(name))])
            }
        return .members([
            (Self.name, property.json), ("type", type.map { .string($0.rawValue) }),
            ("value", source), ("onDuplicate", rule), ("keepOldAs", keepOldAs.map { .string($0) }),
            ("optional", isOptional.map { .bool($0) }), ("onError", onError.json),
        ])
    }
    /// The classes the change names.
    public var classes: [String] { [property.className] }

    package func stage(_ scope: ChangeScope) throws(FormatError) -> any Stage {
        let c = try scope.classIndex(property.className)
        let known = scope.schema.classes[c]
        guard known.kind == .object else {
            throw scope.error(.badValue, "only classes of their own rows have a primary key")
        }
        let stage = MorphStage(scope.schema)
        let maker = try placeKey(stage, known, c, scope)
        try keepOld(stage, known, c, scope)
        stage.output.classes[c].primaryKey = property.property
        stage.allowRejects(of: c, onError)
        if onDuplicate == .suffix, let key = stage.keyProperty(of: c), key.type != .string {
            throw scope.error(.badValue, "a suffix needs a key of type string")
        }
        if case .newest(let name) = onDuplicate {
            guard known.index(of: name) != nil else {
                throw scope.error(
                    .unknownName, "\(known.name) has no property \(name) at this point",
                    fix: suggestion(for: name, among: known.properties.map(\.name)))
            }
        }
        let finder = KeyFinder(stage, c, maker, onDuplicate)
        stage.onPrepare = { (source, log) throws(FormatError) in
            try finder.prepare(source, log)
        }
        return stage
    }

    /// Puts the key property in place; the maker that works its values out.
    private func placeKey(
        _ stage: MorphStage, _ known: ClassSchema, _ c: Int, _ scope: ChangeScope
    ) throws(FormatError) -> any ColumnMaker {
        let position = known.index(of: property.property)
        let old = position.map { known.properties[$0] }
        var key = old ?? Property(property.property, type ?? .objectId)
        key.isIndexed = false
        key.isFullText = false
        key.type = type ?? key.type
        key.isOptional = isOptional ?? (value == .existing ? key.isOptional : false)
        guard SetPrimaryKey.types.contains(key.type), key.collection == nil else {
            throw scope.error(
                .badValue, "\(key.summary) cannot be a primary key", property: key.name,
                fix: "keys are of type int, string, objectId or uuid")
        }
        let maker: any ColumnMaker
        switch value {
        case .existing:
            guard let position, let old else {
                throw scope.error(
                    .unknownName, "\(known.name) has no property \(property.property)",
                    fix: suggestion(
                        for: property.property, among: known.properties.map(\.name)))
            }
            if old.type == key.type, old.isOptional == key.isOptional, converter == nil {
                stage.output.classes[c].properties[position] = key
                return ViewMaker(position)
            }
            guard Conversions.isPossible(old.type, key.type, converter) else {
                throw scope.error(
                    .badValue, "no way leads from \(old.summary) to \(key.type.rawValue)",
                    property: old.name)
            }
            maker = ConvertMaker(
                position, key, try Conversions(to: key.type, using: converter), onError,
                try ErrorRule.fallback(onError, for: key, of: c, scope))
        case .value(let value):
            if type == nil, old == nil {
                throw scope.error(
                    .missingValue, "a new key needs a \"type\"", property: key.name)
            }
            let bound = try BoundValue(value, for: key, of: c, scope)
            maker = try ValueMaker(bound, onError, of: c, scope)
        }
        if let position, keepOldAs == nil || known.primaryKey != property.property {
            stage.replace(position, of: c, by: key, maker)
            if case .value = value {
                let name = key.name
                stage.onRows(of: c) { batch, log in
                    log.note(
                        .lost, "old-values-replaced", class: known.name, property: name,
                        count: batch.rowCount)
                }
            }
        } else if position != nil {
            stage.replace(position ?? 0, of: c, by: key, maker)
        } else {
            stage.output.classes[c].properties.insert(key, at: 0)
            stage.plans[c][0].columns.insert(.made(maker), at: 0)
        }
        return maker
    }

    /// Keeps the old key under its new name.
    private func keepOld(
        _ stage: MorphStage, _ known: ClassSchema, _ c: Int, _ scope: ChangeScope
    ) throws(FormatError) {
        guard let keepOldAs else { return }
        guard let oldName = known.primaryKey, let position = known.index(of: oldName) else {
            throw scope.error(.badValue, "there is no old key to keep", property: keepOldAs)
        }
        try scope.checkFree(keepOldAs, in: c)
        var old = known.properties[position]
        old.name = keepOldAs
        if oldName == property.property {
            stage.output.classes[c].properties.append(old)
            stage.plans[c][0].columns.append(.view(position))
        } else if let at = stage.output.classes[c].index(of: oldName) {
            stage.output.classes[c].properties[at] = old
        }
    }
}

extension MorphStage {
    /// The primary key's property afterwards.
    func keyProperty(of c: Int) -> Property? {
        let definition = output.classes[c]
        return definition.primaryKey.flatMap { definition.index(of: $0) }
            .map { definition.properties[$0] }
    }
}

/// A copy of a column, where the values are needed while it is only shown.
final class ViewMaker: ColumnMaker {
    private let position: Int
    init(_ position: Int) { self.position = position }

    func fill(_ column: Column, from batch: RecordBatch, _ pass: MorphPass) throws(FormatError) {
        column.append(0..<batch.rowCount, of: batch.columns[position])
    }
}

/// Finds repeated keys before the rows move, and says which row stays.
final class KeyFinder {
    private unowned let stage: MorphStage
    private let classIndex: Int
    private let maker: any ColumnMaker
    private let rule: SetPrimaryKey.Duplicates
    private let keys = ValueKeys()

    init(
        _ stage: MorphStage, _ c: Int, _ maker: any ColumnMaker, _ rule: SetPrimaryKey.Duplicates
    ) {
        self.stage = stage
        classIndex = c
        self.maker = maker
        self.rule = rule
    }

    func prepare(_ source: any RowSource, _ log: StageLog) throws(FormatError) {
        guard let property = stage.keyProperty(of: classIndex) else { return }
        let stream = try source.open(classes: [classIndex], counting: false)
        let newest: Int? =
            if case .newest(let name) = rule {
                stage.input.classes[classIndex].index(of: name)
            } else { nil }
        // Which row holds a key, and what it is measured by.
        var holders: [ValueKey: Int64] = [:]
        let measures = newest.map {
            Column(
                stage.input.classes[classIndex].properties[$0],
                schema: stage.input)
        }
        var measureOf: [Int64: Int] = [:]
        var moved: [Int64: Int64?] = [:]
        var repeated: [(key: Int64, text: String)] = []
        while let batch = try stream.next() {
            let pass = MorphPass(batch, nil)
            let column = Column(property, schema: stage.output)
            try maker.fill(column, from: batch, pass)
            for row in 0..<batch.rowCount where !pass.isRejected(row) {
                let key = keys.key(column, row)
                let own = batch.keys[row]
                if let measures, let newest {
                    measureOf[own] = measures.count
                    measures.append(row, of: batch.columns[newest])
                }
                guard let holder = holders[key] else {
                    holders[key] = own
                    continue
                }
                switch rule {
                case .fail:
                    log.note(
                        .needsDecision, "duplicate-key", batch, row, property: property.name,
                        value: column.value(row).text(limit: 60),
                        reason: "row #\(holder) has the same key",
                        fix: "add \"onDuplicate\": \"first\", \"last\", \"suffix\" or "
                            + "{\"newest\": property}")
                case .suffix: repeated.append((own, column.string(row)))
                case .first: moved[own] = .some(holder)
                case .last:
                    moved[holder] = .some(own)
                    holders[key] = own
                case .newest:
                    let isNewer = measures.map {
                        ($0.isNull(measureOf[own] ?? 0) ? 0 : 1)
                            > ($0.isNull(measureOf[holder] ?? 0) ? 0 : 1)
                            || CollectionOrder.compare(
                                $0, measureOf[own] ?? 0, measureOf[holder] ?? 0, []) > 0
                    }
                    if isNewer == true {
                        moved[holder] = .some(own)
                        holders[key] = own
                    } else {
                        moved[own] = .some(holder)
                    }
                }
                if rule != .fail {
                    log.note(
                        .handled, rule == .suffix ? "duplicate-renamed" : "duplicate-removed",
                        batch, row, property: property.name,
                        value: column.value(row).text(limit: 60),
                        reason: "row #\(holder) has the same key")
                }
            }
        }
        if !repeated.isEmpty { try rename(repeated, &holders, property) }
        if !moved.isEmpty { remove(moved, log) }
    }

    /// Leaves removed rows out, and leads their links to the row that stays.
    private func remove(_ moved: [Int64: Int64?], _ log: StageLog) {
        var final = moved
        for key in moved.keys {
            var there = key
            while let next = moved[there], let target = next { there = target }
            final[key] = .some(there)
        }
        var map = KeyMap(output: classIndex)
        map.moved = final
        stage.keyMaps[classIndex] = map
        stage.plans[classIndex][0].filter = { batch, row in final[batch.keys[row]] == nil }
        log.log.removedRows = true
    }

    /// Gives repeated texts a number of their own.
    private func rename(
        _ repeated: [(key: Int64, text: String)], _ holders: inout [ValueKey: Int64],
        _ property: Property
    ) throws(FormatError) {
        let column = Column(property, schema: stage.output)
        var names: [Int64: String] = [:]
        var numbers: [String: Int] = [:]
        for (key, text) in repeated {
            var number = numbers[text] ?? 2
            while let hash = keys.key(.string("\(text)-\(number)"), in: column),
                holders[hash] != nil
            {
                number += 1
            }
            let name = "\(text)-\(number)"
            numbers[text] = number + 1
            if let hash = keys.key(.string(name), in: column) { holders[hash] = key }
            names[key] = name
        }
        guard let p = stage.output.classes[classIndex].index(of: property.name) else { return }
        let maker = maker
        stage.plans[classIndex][0].columns[p] = .made(
            BatchMaker { (column, batch, pass) throws(FormatError) in
                let plain = Column(property, schema: column.schemaForMaker)
                try maker.fill(plain, from: batch, pass)
                for row in 0..<batch.rowCount {
                    if let name = names[batch.keys[row]] {
                        column.append(name)
                    } else {
                        column.append(row, of: plain)
                    }
                }
            })
    }
}

extension Column {
    /// A schema for columns of the same property without links.
    var schemaForMaker: Schema { Schema(classes: []) }
}
