// `Class.property` as plans write it.

internal import Formats

/// A property by class and name, written `Class.property`.
public struct PropertyName: Sendable, Hashable, ExpressibleByStringLiteral,
    CustomStringConvertible
{
    /// The class.
    public var className: String
    /// The property.
    public var property: String

    /// A property of a class.
    public init(_ className: String, _ property: String) {
        self.className = className
        self.property = property
    }

    /// A property as plans write it; without a dot it has no name, and no class has it.
    public init(stringLiteral text: String) {
        let (className, property) = PropertyName.split(text)
        self.init(className, property ?? "")
    }

    /// `Class.property`.
    public var description: String { "\(className).\(property)" }

    private static func split(_ text: String) -> (String, String?) {
        guard let dot = text.firstIndex(of: ".") else { return (text, nil) }
        return (String(text[..<dot]), String(text[text.index(after: dot)...]))
    }

    /// Reads the text of a member.
    init(_ tree: JSONTree, _ name: String) throws(FormatError) {
        let text = try PlanMembers.text(tree, name)
        let (className, property) = PropertyName.split(text)
        guard let property, !property.isEmpty, !className.isEmpty else {
            throw FormatError(
                .badValue, "\(name) must be written \"Class.property\", not \"\(text)\"",
                offset: tree.offset)
        }
        self.init(className, property)
    }

    /// Reads a list of properties of one class.
    static func list(_ tree: JSONTree, _ name: String) throws(FormatError) -> [PropertyName] {
        guard let list = tree.array, !list.isEmpty else {
            throw FormatError(
                .badValue, "\(name) must be a list of \"Class.property\"", offset: tree.offset)
        }
        var result: [PropertyName] = []
        for entry in list { result.append(try PropertyName(entry, name)) }
        if let other = result.first(where: { $0.className != result[0].className }) {
            throw FormatError(
                .badValue, "the properties of \(name) must be of one class: \(other)",
                offset: tree.offset)
        }
        return result
    }

    var json: PlanJSON { .string(description) }
}
