// What a draft consists of: one item a difference, each with its mark and the changes it proposes.

internal import Formats

/// One difference between two schemas, and what a draft proposes.
public struct DraftItem: Sendable {
    /// What the difference means for the data.
    public enum Mark: String, Sendable, CaseIterable {
        /// Every value has its place afterwards.
        case safe
        /// A person must choose.
        case needsDecision = "needs a decision"
        /// Values have no place afterwards.
        case losesData = "loses data"
    }

    /// What it means for the data.
    public var mark: Mark
    /// The class, or `Class.property`.
    public var subject: String
    /// The difference in a few words.
    public var text: String
    /// The proposed changes; none where nothing moves.
    public var changes: [PlanJSON]

    init(_ mark: Mark, _ subject: String, _ text: String, _ changes: [PlanJSON]) {
        self.mark = mark
        self.subject = subject
        self.text = text
        self.changes = changes
    }

    /// A question with ways to answer it.
    static func ask(
        _ subject: String, _ text: String, _ options: [(answer: String, changes: [PlanJSON])]
    ) -> DraftItem {
        let list = options.map { option in
            PlanJSON.members([
                ("answer", .string(option.answer)), ("changes", .array(option.changes)),
            ])
        }
        return DraftItem(
            .needsDecision, subject, text,
            [
                .members([
                    ("ask", .string(subject)), ("question", .string(text)),
                    ("options", .array(list)),
                ])
            ])
    }

    /// The item in one line.
    public var line: String { "\(mark.rawValue): \(subject): \(text)" }

    /// The changes as the plan holds them: with the mark as a note, except questions.
    var noted: [PlanJSON] {
        changes.map { change in
            guard case .object(let members) = change, members.first?.name != "ask" else {
                return change
            }
            return .object(members + [.init("note", .string("\(mark.rawValue): \(text)"))])
        }
    }
}

extension Property {
    /// A value for the rows there are, where nothing better is known.
    var blank: PlanJSON {
        switch type {
        case .int, .float, .double: .int(0)
        case .bool: .bool(false)
        case .string: .string("")
        case .data:
            .members([
                ("$binary", .members([("base64", .string("")), ("subType", .string("00"))]))
            ])
        case .date: .members([("$date", .string("1970-01-01T00:00:00Z"))])
        case .decimal128: .members([("$numberDecimal", .string("0"))])
        case .objectId, .uuid: .members([("derive", .string("row"))])
        case .mixed, .link, .table: .null
        }
    }

    /// True when a new property needs a value for the rows there are.
    var needsValue: Bool {
        collection == nil && !isOptional && type != .mixed && type != .link
    }
}
