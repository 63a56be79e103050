// The members of an object of a plan, taken one by one: what was not asked for when all is taken
// is a slip of the pen, and an error that names it.

internal import Formats

/// Takes the members of a JSON object.
package struct PlanMembers {
    /// The object.
    let tree: JSONTree
    /// What messages call the object.
    let title: String
    private let members: [(name: String, value: JSONTree)]
    private var asked: Set<String> = []
    private var order: [String] = []

    /// - Throws: `malformed` for anything but an object, and for a repeated member.
    init(_ tree: JSONTree, _ title: String) throws(FormatError) {
        guard let members = tree.members else {
            throw FormatError(.malformed, "\(title) must be an object", offset: tree.offset)
        }
        var seen: Set<String> = []
        for member in members where !seen.insert(member.name).inserted {
            throw FormatError(
                .malformed, "\(title) has two members \(member.name)", offset: member.value.offset)
        }
        self.tree = tree
        self.title = title
        self.members = members
    }

    /// The first member, which names a change.
    var first: (name: String, value: JSONTree)? { members.first }

    /// A member that may be missing.
    mutating func take(_ name: String) -> JSONTree? {
        if asked.insert(name).inserted { order.append(name) }
        return members.first { $0.name == name }?.value
    }

    /// A member that must be there.
    mutating func need(_ name: String) throws(FormatError) -> JSONTree {
        if let value = take(name) { return value }
        // A slip of the pen shows as a missing member and one that nobody asked for.
        if let slip = nearest(to: name, among: members.map(\.name).filter { !asked.contains($0) }) {
            throw FormatError(
                .unknownName, "\(title) has no member \"\(slip)\"",
                offset: members.first { $0.name == slip }?.value.offset,
                fix: "did you mean \(name)?")
        }
        throw FormatError(
            .missingValue, "\(title) needs a member \"\(name)\"", offset: tree.offset,
            fix: "add it; samples/plans/rtool-plan.schema.json tells editors what a plan may say")
    }

    /// A text that must be there.
    mutating func text(_ name: String) throws(FormatError) -> String {
        try Self.text(need(name), name)
    }

    /// A text that may be missing.
    mutating func optionalText(_ name: String) throws(FormatError) -> String? {
        guard let value = take(name) else { return nil }
        return try Self.text(value, name)
    }

    /// A boolean; `otherwise` where it is missing.
    mutating func bool(_ name: String, _ otherwise: Bool) throws(FormatError) -> Bool {
        try optionalBool(name) ?? otherwise
    }

    /// A boolean that may be missing.
    mutating func optionalBool(_ name: String) throws(FormatError) -> Bool? {
        guard let value = take(name) else { return nil }
        guard let bool = value.bool else {
            throw FormatError(.badValue, "\(name) must be true or false", offset: value.offset)
        }
        return bool
    }

    /// A list of texts.
    mutating func texts(_ name: String) throws(FormatError) -> [String] {
        try Self.texts(need(name), name)
    }

    /// One of some words; the first where the member is missing.
    mutating func word<T: RawRepresentable & CaseIterable>(_ name: String, _ otherwise: T)
        throws(FormatError) -> T where T.RawValue == String
    {
        guard let value = take(name) else { return otherwise }
        return try Self.word(value, name)
    }

    /// Refuses members nobody asked for.
    func finish() throws(FormatError) {
        for member in members where !asked.contains(member.name) {
            throw FormatError(
                .unknownName, "\(title) has no member \"\(member.name)\"",
                offset: member.value.offset, fix: suggestion(for: member.name, among: order))
        }
    }

    /// A text that is not empty.
    static func text(_ tree: JSONTree, _ name: String) throws(FormatError) -> String {
        guard let text = tree.string, !text.isEmpty else {
            throw FormatError(.badValue, "\(name) must be a text", offset: tree.offset)
        }
        return text
    }

    /// A list of texts.
    static func texts(_ tree: JSONTree, _ name: String) throws(FormatError) -> [String] {
        guard let list = tree.array, !list.isEmpty else {
            throw FormatError(.badValue, "\(name) must be a list of texts", offset: tree.offset)
        }
        var result: [String] = []
        for entry in list { result.append(try text(entry, name)) }
        return result
    }

    /// One of some words.
    static func word<T: RawRepresentable & CaseIterable>(_ tree: JSONTree, _ name: String)
        throws(FormatError) -> T where T.RawValue == String
    {
        if let word = tree.string, let value = T(rawValue: word) { return value }
        let words = T.allCases.map(\.rawValue)
        throw FormatError(
            tree.string == nil ? .badValue : .unknownName,
            "\(name) is one of " + words.joined(separator: ", "), offset: tree.offset,
            fix: tree.string.flatMap { suggestion(for: $0, among: words) })
    }

    /// An unsigned number.
    static func unsigned(_ tree: JSONTree, _ name: String) throws(FormatError) -> UInt64 {
        guard case .number(let text) = tree.value, let value = UInt64(text) else {
            throw FormatError(
                .badValue, "\(name) must be a whole number, 0 or more", offset: tree.offset)
        }
        return value
    }
}
