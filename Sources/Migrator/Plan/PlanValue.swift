// The values of a plan: constants and expressions over the row at hand. How they are worked out
// is for `BoundValue`.

internal import Formats

/// A value of a plan.
public indirect enum PlanValue: Sendable, Equatable {
    /// A value as a store document spells it.
    case constant(PlanJSON)
    /// A property of the row.
    case property(String)
    /// Texts one after the other.
    case concat([PlanValue])
    /// The first that is not null.
    case coalesce([PlanValue])
    /// A value under a converter.
    case convert(PlanValue, Converter)
    /// One of two values, by a condition on the row.
    case condition(String, then: PlanValue, otherwise: PlanValue)
    /// The sum of two numbers.
    case add(PlanValue, PlanValue)
    /// A date some seconds later.
    case addSeconds(PlanValue, Int64)
    /// An id derived from the class, the row's key (else its number) and a salt.
    case derive(salt: String?)

    /// An id derived from the row.
    public static var derived: PlanValue { .derive(salt: nil) }

    private static let names = [
        "property", "concat", "coalesce", "convert", "if", "add", "addSeconds", "derive",
    ]

    /// Reads a value or an expression.
    init(_ tree: JSONTree) throws(FormatError) {
        guard let list = tree.members,
            let name = list.map(\.name).first(where: { PlanValue.names.contains($0) })
        else {
            if let name = tree.members?.first?.name, !name.hasPrefix("$"),
                let near = nearest(to: name, among: PlanValue.names)
            {
                throw FormatError(
                    .unknownName, "there is no expression \"\(name)\"", offset: tree.offset,
                    fix: "did you mean \(near)?")
            }
            if let value = tree["value"], tree.members?.count == 1 {
                // The way a text is written where a word has a meaning.
                self = .constant(PlanJSON(value))
                return
            }
            self = .constant(PlanJSON(tree))
            return
        }
        var members = try PlanMembers(tree, "the expression \(name)")
        let subject = try members.need(name)
        switch name {
        case "property": self = .property(try PlanMembers.text(subject, name))
        case "concat": self = .concat(try PlanValue.list(subject, name))
        case "coalesce": self = .coalesce(try PlanValue.list(subject, name))
        case "convert":
            self = .convert(
                try PlanValue(subject), try Converter(members.need("using")))
        case "if":
            self = .condition(
                try PlanMembers.text(subject, name),
                then: try PlanValue(members.need("then")),
                otherwise: try PlanValue(members.need("else")))
        case "add":
            let terms = try PlanValue.list(subject, name)
            guard terms.count == 2 else {
                throw FormatError(.badValue, "add takes two values", offset: subject.offset)
            }
            self = .add(terms[0], terms[1])
        case "addSeconds":
            guard let terms = subject.array, terms.count == 2, let n = terms[1].int else {
                throw FormatError(
                    .badValue, "addSeconds takes a value and a whole number of seconds",
                    offset: subject.offset)
            }
            self = .addSeconds(try PlanValue(terms[0]), n)
        default:
            guard subject.string == "row" else {
                throw FormatError(.badValue, "derive is \"row\"", offset: subject.offset)
            }
            self = .derive(salt: try members.optionalText("salt"))
        }
        try members.finish()
    }

    private static func list(_ tree: JSONTree, _ name: String) throws(FormatError) -> [PlanValue] {
        guard let list = tree.array, !list.isEmpty else {
            throw FormatError(.badValue, "\(name) takes a list", offset: tree.offset)
        }
        var result: [PlanValue] = []
        for entry in list { result.append(try PlanValue(entry)) }
        return result
    }

    /// The value as a plan writes it.
    var json: PlanJSON {
        switch self {
        case .constant(let value):
            if case .object(let members) = value,
                members.contains(where: { !$0.name.hasPrefix("$") })
            {
                return .members([("value", value)])
            }
            return value
        case .property(let name): return .members([("property", .string(name))])
        case .concat(let list): return .members([("concat", .array(list.map(\.json)))])
        case .coalesce(let list): return .members([("coalesce", .array(list.map(\.json)))])
        case .convert(let value, let converter):
            return .members([("convert", value.json), ("using", converter.json)])
        case .condition(let text, let then, let otherwise):
            return .members([
                ("if", .string(text)), ("then", then.json), ("else", otherwise.json),
            ])
        case .add(let a, let b): return .members([("add", .array([a.json, b.json]))])
        case .addSeconds(let value, let n):
            return .members([("addSeconds", .array([value.json, .number(String(n))]))])
        case .derive(let salt):
            return .members([("derive", .string("row")), ("salt", salt.map { .string($0) })])
        }
    }

    /// The value in a readable line.
    var line: String {
        switch self {
        case .constant(let value): value.line
        case .property(let name): name
        case .concat(let list): list.map(\.line).joined(separator: " & ")
        case .coalesce(let list): list.map(\.line).joined(separator: " ?? ")
        case .convert(let value, let converter): "\(converter.line)(\(value.line))"
        case .condition(let text, let then, let otherwise):
            "(if \(text) then \(then.line) else \(otherwise.line))"
        case .add(let a, let b): "\(a.line) + \(b.line)"
        case .addSeconds(let value, let n): "\(value.line) + \(n) s"
        case .derive: "derive(row)"
        }
    }
}

extension PlanValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByFloatLiteral, ExpressibleByNilLiteral
{
    /// A text.
    public init(stringLiteral value: String) { self = .constant(.string(value)) }
    /// A whole number.
    public init(integerLiteral value: Int) { self = .constant(.int(value)) }
    /// True or false.
    public init(booleanLiteral value: Bool) { self = .constant(.bool(value)) }
    /// A number.
    public init(floatLiteral value: Double) { self = .constant(.number(value.description)) }
    /// Null.
    public init(nilLiteral: ()) { self = .constant(.null) }
}

/// What becomes of a row whose value fits no rule.
public enum OnError: Sendable, Equatable {
    /// The row is listed and kept out.
    case reject
    /// The value becomes null.
    case null
    /// The value becomes another one.
    case value(PlanValue)
    /// The run stops.
    case fail

    init(_ tree: JSONTree?, _ name: String) throws(FormatError) {
        guard let tree else {
            self = .reject
            return
        }
        switch tree.string {
        case "reject": self = .reject
        case "null": self = .null
        case "fail": self = .fail
        default:
            guard let value = tree["value"], tree.members?.count == 1 else {
                throw FormatError(
                    .badValue, "\(name) is \"reject\", \"null\", \"fail\" or {\"value\": V}",
                    offset: tree.offset)
            }
            self = .value(try PlanValue(value))
        }
    }

    var json: PlanJSON? {
        switch self {
        case .reject: nil
        case .null: .string("null")
        case .fail: .string("fail")
        case .value(let value): .members([("value", value.json)])
        }
    }

    /// What stands in a line after the rule; empty for the default.
    var line: String {
        switch self {
        case .reject: ", else reject"
        case .null: ", else null"
        case .fail: ", else fail"
        case .value(let value): ", else \(value.line)"
        }
    }
}
