// Primary keys given other values, or taken away.

package import Formats

/// The values of a primary key worked out anew; they must stay distinct.
public struct ChangeKeys: PlannedChange {
    /// `changeKeys`.
    public static let name = "changeKeys"
    /// The class.
    public var className: String
    /// The new value.
    public var value: PlanValue
    /// What becomes of rows whose value does not fit.
    public var onError: OnError

    /// Changes the values of a primary key.
    public init(_ className: String, value: PlanValue, onError: OnError = .reject) {
        self.className = className
        self.value = value
        self.onError = onError
    }

    package init(_ subject: JSONTree, _ members: inout PlanMembers) throws(FormatError) {
        self.init(
            try PlanMembers.text(subject, Self.name), value: try PlanValue(members.need("value")),
            onError: try OnError(members.take("onError"), "onError"))
    }

    /// The change in one readable line.
    public var line: String { "keys of \(className) = \(value.line)" }
    /// The change as a plan writes it.
    public var json: PlanJSON? {
        .members([
            (Self.name, .string(className)), ("value", value.json), ("onError", onError.json),
        ])
    }
    /// The classes the change names.
    public var classes: [String] { [className] }

    package func stage(_ scope: ChangeScope) throws(FormatError) -> any Stage {
        let c = try scope.classIndex(className)
        let known = scope.schema.classes[c]
        guard let name = known.primaryKey, let p = known.index(of: name) else {
            throw scope.error(.badValue, "\(className) has no primary key")
        }
        let bound = try BoundValue(value, for: known.properties[p], of: c, scope)
        let stage = MorphStage(scope.schema)
        let maker = try ValueMaker(bound, onError, of: c, scope)
        stage.replace(p, of: c, by: known.properties[p], maker)
        stage.allowRejects(of: c, onError)
        let finder = KeyFinder(stage, c, maker, .fail)
        stage.onPrepare = { (source, log) throws(FormatError) in
            try finder.prepare(source, log)
        }
        return stage
    }
}

/// A class without a primary key; the property stays.
public struct RemovePrimaryKey: PlannedChange {
    /// `removePrimaryKey`.
    public static let name = "removePrimaryKey"
    /// The class.
    public var className: String
    /// Whether the property keeps an ordinary index.
    public var isIndexed: Bool

    /// Removes the primary key of a class.
    public init(_ className: String, indexed: Bool = false) {
        self.className = className
        isIndexed = indexed
    }

    package init(_ subject: JSONTree, _ members: inout PlanMembers) throws(FormatError) {
        self.init(
            try PlanMembers.text(subject, Self.name), indexed: try members.bool("indexed", false))
    }

    /// The change in one readable line.
    public var line: String { "no key \(className)" + (isIndexed ? ", indexed" : "") }
    /// The change as a plan writes it.
    public var json: PlanJSON? {
        .members([
            (Self.name, .string(className)), ("indexed", isIndexed ? .bool(true) : nil),
        ])
    }
    /// The classes the change names.
    public var classes: [String] { [className] }

    package func stage(_ scope: ChangeScope) throws(FormatError) -> any Stage {
        let c = try scope.classIndex(className)
        guard let name = scope.schema.classes[c].primaryKey,
            let p = scope.schema.classes[c].index(of: name)
        else { throw scope.error(.badValue, "\(className) has no primary key") }
        let stage = MorphStage(scope.schema)
        stage.output.classes[c].primaryKey = nil
        stage.output.classes[c].properties[p].isIndexed = isIndexed
        return stage
    }
}
