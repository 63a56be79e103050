// What must hold after a step. How it is measured is for the engine.

internal import Formats

/// One line of `expect`.
public enum Expectation: Sendable, Equatable {
    /// What a number of rows must equal.
    public enum Count: Sendable, Equatable {
        /// A number.
        case number(Int)
        /// The rows a class had before the step.
        case rowsBefore(String)
    }

    /// What an aggregate is.
    public enum Aggregate: String, Sendable, Equatable, CaseIterable {
        case sum, min, max
    }

    /// What an aggregate must equal.
    public enum Result: Sendable, Equatable {
        /// A value, as JSON.
        case value(PlanJSON)
        /// The same aggregate of a property before the step.
        case before(PropertyName)
    }

    /// A class has so many rows.
    case count(String, Count)
    /// No value of a property stands twice.
    case distinct(PropertyName)
    /// A sum, least or greatest value.
    case aggregate(Aggregate, PropertyName, Result)
    /// No row of a class fulfils a condition.
    case none(String, where: String)

    /// The expectation in one readable line.
    public var line: String {
        switch self {
        case .count(let name, .number(let n)): "count of \(name) = \(n)"
        case .count(let name, .rowsBefore(let old)): "count of \(name) = count of \(old) before"
        case .distinct(let name): "\(name) distinct"
        case .aggregate(let kind, let name, .value(let value)):
            "\(kind.rawValue) of \(name) = \(value.line)"
        case .aggregate(let kind, let name, .before(let old)):
            "\(kind.rawValue) of \(name) = that of \(old) before"
        case .none(let name, let condition): "no \(name) where \(condition)"
        }
    }

    init(_ tree: JSONTree) throws(FormatError) {
        var members = try PlanMembers(tree, "an expectation")
        let names = ["count", "distinct", "sum", "min", "max", "none"]
        guard let kind = tree.members?.map(\.name).first(where: { names.contains($0) }) else {
            throw FormatError(
                .unknownName, "an expectation begins with one of " + names.joined(separator: ", "),
                offset: tree.offset)
        }
        let subject = try members.need(kind)
        switch kind {
        case "count":
            let name = try PlanMembers.text(subject, "count")
            let equals = try members.need("equals")
            if let number = equals.int, number >= 0 {
                self = .count(name, .number(Int(number)))
            } else {
                var inner = try PlanMembers(equals, "equals")
                self = .count(name, .rowsBefore(try inner.text("count")))
                try inner.finish()
            }
        case "distinct": self = .distinct(try PropertyName(subject, "distinct"))
        case "none":
            self = .none(
                try PlanMembers.text(subject, "none"), where: try members.text("where"))
        default:
            let name = try PropertyName(subject, kind)
            let equals = try members.need("equals")
            let aggregate = Aggregate(rawValue: kind) ?? .sum
            if let old = equals["old"], equals.members?.count == 1 {
                self = .aggregate(aggregate, name, .before(try PropertyName(old, "old")))
            } else {
                self = .aggregate(aggregate, name, .value(PlanJSON(equals)))
            }
        }
        try members.finish()
    }

    var json: PlanJSON {
        switch self {
        case .count(let name, .number(let n)):
            .members([("count", .string(name)), ("equals", .int(n))])
        case .count(let name, .rowsBefore(let old)):
            .members([
                ("count", .string(name)), ("equals", .members([("count", .string(old))])),
            ])
        case .distinct(let name): .members([("distinct", name.json)])
        case .aggregate(let kind, let name, let result):
            switch result {
            case .value(let value): .members([(kind.rawValue, name.json), ("equals", value)])
            case .before(let old):
                .members([
                    (kind.rawValue, name.json), ("equals", .members([("old", old.json)])),
                ])
            }
        case .none(let name, let condition):
            .members([("none", .string(name)), ("where", .string(condition))])
        }
    }
}
