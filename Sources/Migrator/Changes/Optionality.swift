// Properties made required or optional: nulls need a rule, blanks may become null.

package import Formats

/// What stands for null where a property becomes required.
public enum NullRule: Sendable, Equatable {
    /// A value.
    case value(PlanValue)
    /// The row is listed and kept out.
    case reject

    init(_ tree: JSONTree) throws(FormatError) {
        self = tree.string == "reject" ? .reject : .value(try PlanValue(tree))
    }

    var json: PlanJSON {
        switch self {
        case .reject: .string("reject")
        case .value(.constant(.string("reject"))): .members([("value", .string("reject"))])
        case .value(let value): value.json
        }
    }
}

/// An optional property made required.
public struct MakeRequired: PlannedChange {
    /// `makeRequired`.
    public static let name = "makeRequired"
    /// The property.
    public var property: PropertyName
    /// What stands for null; without a rule, nulls stop the migration.
    public var null: NullRule?

    /// Makes a property required.
    public init(_ property: PropertyName, null: NullRule? = nil) {
        self.property = property
        self.null = null
    }

    /// Makes a property required, a value standing for null.
    public init(_ property: PropertyName, null: PlanValue) {
        self.init(property, null: .value(null))
    }

    package init(_ subject: JSONTree, _ members: inout PlanMembers) throws(FormatError) {
        self.init(
            try PropertyName(subject, Self.name),
            null: try members.take("null").map { (tree) throws(FormatError) in
                try NullRule(tree)
            })
    }

    /// The change in one readable line.
    public var line: String {
        switch null {
        case nil: "require \(property)"
        case .reject?: "require \(property), null rejected"
        case .value(let value)?: "require \(property) null -> \(value.line)"
        }
    }
    /// The change as a plan writes it.
    public var json: PlanJSON? { .members([(Self.name, property.json), ("null", null?.json)]) }
    /// The classes the change names.
    public var classes: [String] { [property.className] }

    package func stage(_ scope: ChangeScope) throws(FormatError) -> any Stage {
        let (c, p) = try scope.place(property)
        var required = scope.schema.classes[c].properties[p]
        if required.type == .mixed || required.type == .link {
            throw scope.error(
                .badValue, "\(required.summary) is always optional", property: required.name)
        }
        guard required.isOptional else {
            throw scope.error(
                .schemaMismatch, "\(property) is required already", property: required.name)
        }
        required.isOptional = false
        let stage = MorphStage(scope.schema)
        var bound: BoundValue?
        if case .value(let value)? = null {
            var single = required
            single.collection = nil
            bound = try BoundValue(value, for: single, of: c, scope)
        }
        stage.replace(p, of: c, by: required, RequiredMaker(p, null, bound))
        if null == .reject { stage.allowRejects(of: c) }
        return stage
    }
}

/// Replaces nulls, or finds them.
private final class RequiredMaker: ColumnMaker {
    private let position: Int
    private let rule: NullRule?
    private let bound: BoundValue?

    init(_ position: Int, _ rule: NullRule?, _ bound: BoundValue?) {
        self.position = position
        self.rule = rule
        self.bound = bound
    }

    func fill(_ column: Column, from batch: RecordBatch, _ pass: MorphPass) throws(FormatError) {
        let source = batch.columns[position]
        let values = source.elements ?? source
        let count = values.count
        if !UnsafeBufferPointer(start: values.nulls.base, count: count).contains(1) {
            return column.append(0..<batch.rowCount, of: source)
        }
        guard let elements = column.elements else {
            for row in 0..<batch.rowCount { append(row, row, to: column, of: source, batch, pass) }
            return
        }
        for row in 0..<batch.rowCount {
            for i in source.range(row) {
                if let keys = column.keys, let from = source.keys { keys.append(i, of: from) }
                append(i, row, to: elements, of: values, batch, pass)
            }
            column.closeCollection()
        }
    }

    private func append(
        _ i: Int, _ row: Int, to target: Column, of values: Column, _ batch: RecordBatch,
        _ pass: MorphPass
    ) {
        if values.nulls[i] == 0 { return target.append(i, of: values) }
        let name = target.property.name
        switch rule {
        case .reject?: pass.reject(row, "null-rejected", property: name, reason: "null")
        case .value?:
            if let value = try? bound?.value(batch, row), target.append(value) {
                return pass.note(.handled, "null-replaced", row, property: name)
            }
            pass.reject(row, "null-rejected", property: name, reason: "null, and so is its rule")
        case nil:
            pass.note(
                .needsDecision, "null-without-rule", row, property: name, value: "null",
                reason: "null in a property that becomes required",
                fix: "add \"null\": V or \"null\": \"reject\"")
        }
        target.appendPlaceholder()
    }
}

/// A required property made optional.
public struct MakeOptional: PlannedChange {
    /// `makeOptional`.
    public static let name = "makeOptional"

    /// What becomes of blanks: empty text and data, 0, and the distant past.
    public enum Blank: String, Sendable, CaseIterable {
        case keep, null
    }

    /// The property.
    public var property: PropertyName
    /// What becomes of blanks.
    public var blank: Blank

    /// Makes a property optional.
    public init(_ property: PropertyName, blank: Blank = .keep) {
        self.property = property
        self.blank = blank
    }

    package init(_ subject: JSONTree, _ members: inout PlanMembers) throws(FormatError) {
        self.init(
            try PropertyName(subject, Self.name), blank: try members.word("blank", Blank.keep))
    }

    /// The change in one readable line.
    public var line: String {
        "optional \(property)" + (blank == .null ? ", blank -> null" : "")
    }
    /// The change as a plan writes it.
    public var json: PlanJSON? {
        .members([
            (Self.name, property.json), ("blank", blank == .null ? .string("null") : nil),
        ])
    }
    /// The classes the change names.
    public var classes: [String] { [property.className] }

    /// Seconds of the first moment of the year 1, which Apple's libraries call the distant past.
    static let distantPast: Int64 = -62_135_769_600

    package func stage(_ scope: ChangeScope) throws(FormatError) -> any Stage {
        let (c, p) = try scope.place(property)
        var optional = scope.schema.classes[c].properties[p]
        if optional.type == .link {
            throw scope.error(
                .badValue, "links are what they are: \(optional.summary)", property: optional.name)
        }
        if blank == .null, optional.collection != nil {
            throw scope.error(
                .badValue, "\"blank\": \"null\" is for single values", property: optional.name)
        }
        if optional.isOptional, blank == .keep {
            throw scope.error(
                .schemaMismatch, "\(property) is optional already", property: optional.name)
        }
        optional.isOptional = true
        let stage = MorphStage(scope.schema)
        guard blank == .null else {
            stage.output.classes[c].properties[p] = optional
            return stage
        }
        let name = optional.name
        stage.replace(
            p, of: c, by: optional,
            RowMaker { (column, batch, row, pass) in
                let source = batch.columns[p]
                guard !source.isNull(row), MakeOptional.isBlank(source, row) else {
                    return column.append(row, of: source)
                }
                column.appendNull()
                pass.note(.handled, "blank-to-null", row, property: name)
            })
        return stage
    }

    private static func isBlank(_ column: Column, _ row: Int) -> Bool {
        switch column.type {
        case .string, .data: column.bytes(row).isEmpty
        case .int, .double, .float: column.words[row] == 0
        case .date:
            column.words[row] == distantPast || column.words[row] == -62_135_596_800
        default: false
        }
    }
}
