// Values from type to type, through tables, and set anew.

public import Formats

/// A property's values converted to another type.
public struct ChangeType: PlannedChange {
    /// `changeType`.
    public static let name = "changeType"
    /// The property.
    public var property: PropertyName
    /// The new type.
    public var to: PropertyType
    /// Whether it may be null; nil as before.
    public var isOptional: Bool?
    /// The converter; nil for the usual way between the two types.
    public var using: Converter?
    /// What becomes of values that do not convert.
    public var onError: OnError
    /// The new collection: a set of a list, or a list of a set.
    public var collection: CollectionKind?

    /// Changes a property's type.
    public init(
        _ property: PropertyName, to: PropertyType, isOptional: Bool? = nil,
        using: Converter? = nil, onError: OnError = .reject, collection: CollectionKind? = nil
    ) {
        self.property = property
        self.to = to
        self.isOptional = isOptional
        self.using = using
        self.onError = onError
        self.collection = collection
    }

    package init(_ subject: JSONTree, _ members: inout PlanMembers) throws(FormatError) {
        self.init(
            try PropertyName(subject, Self.name),
            to: try PlanMembers.word(members.need("to"), "to"),
            isOptional: try members.optionalBool("optional"),
            using: try members.take("using").map { (tree) throws(FormatError) in
                try Converter(tree)
            }, onError: try OnError(members.take("onError"), "onError"),
            collection: try members.take("collection").map { (tree) throws(FormatError) in
                try PropertyWords.collection(tree)
            })
    }

    /// The change in one readable line.
    public var line: String {
        "change \(property) -> "
            + (collection.map { "\($0.rawValue) of " } ?? "") + to.rawValue
            + (isOptional == true ? "?" : "") + (using.map { " using \($0.line)" } ?? "")
            + onError.line
    }
    /// The change as a plan writes it.
    public var json: PlanJSON? {
        .members([
            (Self.name, property.json), ("to", .string(to.rawValue)),
            ("optional", isOptional.map { .bool($0) }), ("using", using?.json),
            ("onError", onError.json), ("collection", collection.map { .string($0.rawValue) }),
        ])
    }
    /// The classes the change names.
    public var classes: [String] { [property.className] }

    package func stage(_ scope: ChangeScope) throws(FormatError) -> any Stage {
        let (c, p) = try scope.place(property)
        let old = scope.schema.classes[c].properties[p]
        if scope.schema.classes[c].primaryKey == old.name {
            return try SetPrimaryKey(
                property, type: to, value: .existing, isOptional: isOptional, onError: onError,
                converter: using
            ).stage(scope)
        }
        guard Conversions.isPossible(old.type, to, using), !scope.schema.isEmbedded(old) else {
            throw scope.error(
                .badValue,
                "no way leads from \(old.summary) to \(to.rawValue)"
                    + (using.map { " using \($0.line)" } ?? ""), property: old.name,
                fix: old.type == .date || to == .date
                    ? "name a converter: {\"epoch\": \"s\"}, {\"parseDate\": [...]} or "
                        + "{\"formatDate\": ...}" : nil)
        }
        if let collection,
            old.collection == nil || collection == .dictionary
                || old.collection == .dictionary
        {
            throw scope.error(
                .badValue, "only lists become sets, and sets lists", property: old.name)
        }
        var new = old
        new.type = to
        new.isOptional = isOptional ?? old.isOptional
        if to == .mixed { new.isOptional = true }
        new.target = to == .link ? old.target : nil
        new.isIndexed = old.isIndexed && SetPrimaryKey.indexed.contains(to)
        new.isFullText = old.isFullText && to == .string
        if let collection { new.collection = collection }
        var single = new
        single.collection = nil
        let stage = MorphStage(scope.schema)
        let maker = ConvertMaker(
            p, single, try Conversions(to: to, using: using), onError,
            try ErrorRule.fallback(onError, for: single, of: c, scope))
        if case .formatDate(let pattern, _)? = using {
            maker.losesDay = try !DatePattern(pattern).hasDay
        }
        stage.replace(p, of: c, by: new, maker)
        stage.allowRejects(of: c, onError)
        return stage
    }
}

/// Converts the values of a column.
final class ConvertMaker: ColumnMaker {
    private let position: Int
    private let property: Property
    private let conversions: Conversions
    private let onError: OnError
    private let fallback: BoundValue?
    var losesDay = false
    private var notes = ConversionNotes([])
    private let keys = ValueKeys()

    /// - Parameter property: the new property, or what an element of it is.
    init(
        _ position: Int, _ property: Property, _ conversions: Conversions, _ onError: OnError,
        _ fallback: BoundValue?
    ) {
        self.position = position
        self.property = property
        self.conversions = conversions
        self.onError = onError
        self.fallback = fallback
    }

    func fill(_ column: Column, from batch: RecordBatch, _ pass: MorphPass) throws(FormatError) {
        let source = batch.columns[position]
        notes = ConversionNotes([conversions])
        if source.elements == nil {
            if !fillQuickly(column, source, batch.rowCount) {
                for row in 0..<batch.rowCount {
                    append(row, row, to: column, of: source, batch, pass)
                }
            }
        } else if let elements = column.elements, let values = source.elements {
            for row in 0..<batch.rowCount {
                for i in source.range(row) {
                    if let keys = column.keys, let from = source.keys { keys.append(i, of: from) }
                    append(i, row, to: elements, of: values, batch, pass)
                }
                if property.collection == nil, column.property.collection == .set {
                    dropRepeats(column, row, pass)
                }
                column.closeCollection()
            }
        }
        let name = property.name
        if losesDay {
            let count = UnsafeBufferPointer(start: source.nulls.base, count: source.nulls.count)
                .count { $0 == 0 }
            pass.log?.note(
                .lost, "day-dropped", class: batch.classSchema.name, property: name, count: count)
        }
    }

    /// Ints to doubles and bools, where each is exact; false where a look at each is needed.
    private func fillQuickly(_ column: Column, _ source: Column, _ count: Int) -> Bool {
        guard source.type == .int, property.type == .double,
            property.isOptional || !hasNulls(source)
        else { return false }
        let from = source.words.base
        for i in 0..<count where from[i].magnitude > 1 << 53 { return false }
        let to = column.words.extend(count)
        for i in 0..<count { to[i] = Int64(bitPattern: Double(from[i]).bitPattern) }
        column.nulls.append(source.nulls.base, count: count)
        for i in 0..<count where source.nulls[i] != 0 { to[i] = 0 }
        return true
    }

    private func hasNulls(_ source: Column) -> Bool {
        UnsafeBufferPointer(start: source.nulls.base, count: source.nulls.count).contains(1)
    }

    /// Drops the elements of the row being made that stand there already.
    private func dropRepeats(_ column: Column, _ row: Int, _ pass: MorphPass) {
        guard let elements = column.elements else { return }
        let begin = column.ends.isEmpty ? 0 : column.ends[column.ends.count - 1]
        var seen: Set<ValueKey> = []
        var kept: [Int] = []
        for i in begin..<elements.count {
            if seen.insert(keys.key(elements, i)).inserted {
                kept.append(i)
            } else {
                pass.note(
                    .handled, "repeat-left-out", row, property: property.name,
                    value: elements.value(i).text(limit: 60))
            }
        }
        guard kept.count < elements.count - begin else { return }
        let values = kept.map { elements.value($0) }
        elements.truncate(to: begin)
        for value in values { elements.append(value) }
    }

    private func append(
        _ i: Int, _ row: Int, to target: Column, of values: Column, _ batch: RecordBatch,
        _ pass: MorphPass
    ) {
        let value = values.value(i)
        do throws(ValueFailure) {
            let converted = try conversions.convert(value)
            notes.note(row, pass, property: property.name)
            try BoundValue.check(converted, for: property)
            if case .link(let name, _) = converted, property.type == .link,
                name != property.target
            {
                throw ValueFailure(reason: "a link to another class")
            }
            if !target.append(converted) { throw ValueFailure(reason: "the value does not fit") }
        } catch {
            let name = values.property.name
            if case .null = value {
                // A null needs a rule of its own, whatever becomes of misfits.
                if case .value = onError, let fallback,
                    let other = try? fallback.value(batch, row), target.append(other)
                {
                    return pass.note(.handled, "null-replaced", row, property: name)
                }
                pass.note(
                    .needsDecision, "null-without-rule", row, property: name, value: "null",
                    reason: "null in a property that becomes required",
                    fix: "\"optional\": true, or makeRequired with a rule before")
                return target.appendPlaceholder()
            }
            ErrorRule.apply(
                onError, fallback, target, batch, row, pass, property: name,
                value: value.text(limit: 60), reason: error.reason)
        }
    }
}

/// Values replaced through a table.
public struct MapValues: PlannedChange {
    /// `mapValues`.
    public static let name = "mapValues"
    /// The property.
    public var property: PropertyName
    /// The new type.
    public var to: PropertyType
    /// Whether it may be null; nil as before.
    public var isOptional: Bool?
    /// Old and new values.
    public var table: [(PlanValue, PlanValue)]
    /// What becomes of values the table does not have.
    public var otherwise: OnError

    /// Maps values.
    public init(
        _ property: PropertyName, to: PropertyType, isOptional: Bool? = nil,
        table: [(PlanValue, PlanValue)], otherwise: OnError = .reject
    ) {
        self.property = property
        self.to = to
        self.isOptional = isOptional
        self.table = table
        self.otherwise = otherwise
    }

    package init(_ subject: JSONTree, _ members: inout PlanMembers) throws(FormatError) {
        property = try PropertyName(subject, Self.name)
        to = try PlanMembers.word(members.need("to"), "to")
        isOptional = try members.optionalBool("optional")
        table = []
        let list = try members.need("table")
        for entry in list.array ?? [] {
            guard let pair = entry.array, pair.count == 2 else {
                throw FormatError(
                    .badValue, "table is a list of pairs [old, new]", offset: entry.offset)
            }
            table.append((try PlanValue(pair[0]), try PlanValue(pair[1])))
        }
        if table.isEmpty {
            throw FormatError(
                .badValue, "table is a list of pairs [old, new]", offset: list.offset)
        }
        let rest = members.take("else")
        if let rest, rest.members == nil || rest["value"] == nil,
            !["reject", "null", "fail"].contains(rest.string ?? "")
        {
            // A value alone.
            otherwise = .value(try PlanValue(rest))
        } else {
            otherwise = try OnError(rest, "else")
        }
    }

    /// The change in one readable line.
    public var line: String {
        "map \(property) -> \(to.rawValue) {"
            + table.map { "\($0.0.line): \($0.1.line)" }.joined(separator: ", ") + "}"
            + otherwise.line.dropFirst()
    }
    /// The change as a plan writes it.
    public var json: PlanJSON? {
        .members([
            (Self.name, property.json), ("to", .string(to.rawValue)),
            ("optional", isOptional.map { .bool($0) }),
            ("table", .array(table.map { .array([$0.0.json, $0.1.json]) })),
            ("else", otherwise.json),
        ])
    }
    /// The classes the change names.
    public var classes: [String] { [property.className] }

    package func stage(_ scope: ChangeScope) throws(FormatError) -> any Stage {
        let (c, p) = try scope.place(property)
        let old = scope.schema.classes[c].properties[p]
        guard scope.schema.classes[c].primaryKey != old.name else {
            throw scope.error(.badValue, "use changeKeys for the primary key", property: old.name)
        }
        guard old.type != .link, old.type != .table, to != .link, to != .table else {
            throw scope.error(.badValue, "links cannot be mapped", property: old.name)
        }
        var new = old
        new.type = to
        new.isOptional = to == .mixed || isOptional ?? old.isOptional
        new.isIndexed = old.isIndexed && SetPrimaryKey.indexed.contains(to)
        new.isFullText = old.isFullText && to == .string
        var single = new
        single.collection = nil
        var from = old
        from.collection = nil
        from.isOptional = true
        var pairs: [(Value, Value)] = []
        for (before, after) in table {
            guard let key = try BoundValue(before, for: from, of: c, scope).constant,
                let value = try BoundValue(after, for: single, of: c, scope).constant
            else { throw scope.error(.badValue, "a table holds constants", property: old.name) }
            if pairs.contains(where: { $0.0 == key }) {
                throw scope.error(
                    .badValue, "\(before.line) stands twice in the table", property: old.name)
            }
            pairs.append((key, value))
        }
        let stage = MorphStage(scope.schema)
        let fallback = try ErrorRule.fallback(otherwise, for: single, of: c, scope)
        let rule = otherwise
        func append(
            _ i: Int, _ row: Int, _ target: Column, _ values: Column, _ batch: RecordBatch,
            _ pass: MorphPass
        ) {
            let value = values.value(i)
            if let found = pairs.first(where: { $0.0 == value }), target.append(found.1) { return }
            if case .null = value, single.isOptional { return target.appendNull() }
            ErrorRule.apply(
                rule, fallback, target, batch, row, pass, property: old.name,
                value: value.text(limit: 60), reason: "no entry in the table")
        }
        stage.replace(
            p, of: c, by: new,
            RowMaker { (column, batch, row, pass) in
                let source = batch.columns[p]
                guard let elements = column.elements, let values = source.elements else {
                    return append(row, row, column, source, batch, pass)
                }
                for i in source.range(row) {
                    if let keys = column.keys, let from = source.keys { keys.append(i, of: from) }
                    append(i, row, elements, values, batch, pass)
                }
                column.closeCollection()
            })
        stage.allowRejects(of: c, otherwise)
        return stage
    }
}

/// Values set anew, where a condition holds.
public struct SetValues: PlannedChange {
    /// `setValues`.
    public static let name = "setValues"
    /// The property.
    public var property: PropertyName
    /// The value.
    public var value: PlanValue
    /// The rows it is set in; nil for all.
    public var condition: String?
    /// What becomes of rows whose value does not fit.
    public var onError: OnError

    /// Sets values.
    public init(
        _ property: PropertyName, value: PlanValue, where condition: String? = nil,
        onError: OnError = .reject
    ) {
        self.property = property
        self.value = value
        self.condition = condition
        self.onError = onError
    }

    package init(_ subject: JSONTree, _ members: inout PlanMembers) throws(FormatError) {
        self.init(
            try PropertyName(subject, Self.name), value: try PlanValue(members.need("value")),
            where: try members.optionalText("where"),
            onError: try OnError(members.take("onError"), "onError"))
    }

    /// The change in one readable line.
    public var line: String {
        "set \(property) = \(value.line)" + (condition.map { " where \($0)" } ?? "")
    }
    /// The change as a plan writes it.
    public var json: PlanJSON? {
        .members([
            (Self.name, property.json), ("value", value.json),
            ("where", condition.map { .string($0) }), ("onError", onError.json),
        ])
    }
    /// The classes the change names.
    public var classes: [String] { [property.className] }

    package func stage(_ scope: ChangeScope) throws(FormatError) -> any Stage {
        let (c, p) = try scope.place(property)
        let known = scope.schema.classes[c].properties[p]
        guard scope.schema.classes[c].primaryKey != known.name else {
            throw scope.error(
                .badValue, "use changeKeys for the primary key", property: known.name)
        }
        let bound = try BoundValue(value, for: known, of: c, scope)
        var rows: (Predicate, Int)?
        if let condition { rows = (try scope.predicate(condition, of: c), p) }
        let stage = MorphStage(scope.schema)
        stage.replace(
            p, of: c, by: known,
            try ValueMaker(bound, onError, of: c, scope, condition: rows))
        stage.allowRejects(of: c, onError)
        return stage
    }
}

extension ChangeScope {
    /// A condition on the rows of a class.
    func predicate(_ text: String, of c: Int) throws(FormatError) -> Predicate {
        do throws(FormatError) {
            return try Predicate.parse(text, schema: schema, classIndex: c)
        } catch {
            throw error.with {
                $0.recordName = "step \(step + 1), change \(change + 1): \(line)"
                $0.excerpt = $0.excerpt ?? text
            }
        }
    }
}
