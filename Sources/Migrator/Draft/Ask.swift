// A question of a draft: part of a plan until a person answers it, and then nothing but the changes
// of the answer.

internal import Formats

/// A decision that a plan leaves open.
///
/// While a question is open nothing is written; a check names it and goes on with the rest.
struct Ask: PlannedChange {
    static let name = "ask"

    /// One way to answer.
    struct Option: Sendable {
        /// What `answer` says to choose it.
        var answer: String
        /// The changes it stands for.
        var changes: [any Change]
    }

    /// What the question is about: a class or `Class.property`.
    var subject: String
    var question: String
    var options: [Option]

    /// The changes of the answer, where one is given.
    var chosen: [any Change]?

    init(_ subject: JSONTree, _ members: inout PlanMembers) throws(FormatError) {
        self.subject = try PlanMembers.text(subject, Self.name)
        question = try members.text("question")
        options = []
        let list = try members.need("options")
        for entry in list.array ?? [] {
            var inner = try PlanMembers(entry, "an option")
            var option = Option(answer: try inner.text("answer"), changes: [])
            _ = inner.take("note")
            for change in try inner.need("changes").array ?? [] {
                option.changes += Ask.expand(try ChangeTable.change(change))
            }
            try inner.finish()
            options.append(option)
        }
        guard let answer = members.take("answer") else { return }
        let text = try PlanMembers.text(answer, "answer")
        guard let option = options.first(where: { $0.answer == text }) else {
            throw FormatError(
                .unknownName, "the question has no answer \"\(text)\"", offset: answer.offset,
                fix: suggestion(for: text, among: options.map(\.answer)))
        }
        chosen = option.changes
    }

    /// A change, or what an answered question stands for.
    static func expand(_ change: any Change) -> [any Change] {
        (change as? Ask)?.chosen ?? [change]
    }

    private var answers: String { options.map { "\"\($0.answer)\"" }.joined(separator: ", ") }
    var line: String { "ask \(subject): \(question)" }
    var classes: [String] { [] }
    var json: PlanJSON? {
        .members([
            (Self.name, .string(subject)), ("question", .string(question)),
            (
                "options",
                .array(
                    options.map { option in
                        .members([
                            ("answer", .string(option.answer)),
                            ("changes", .array(option.changes.compactMap(\.json))),
                        ])
                    })
            ),
        ])
    }

    func stage(_ scope: ChangeScope) throws(FormatError) -> any Stage {
        let subject = subject
        let dot = subject.firstIndex(of: ".")
        let fix =
            options.isEmpty
            ? "put the changes you want in its place"
            : "add \"answer\": one of \(answers); or put the changes you want in its place"
        let stage = MorphStage(scope.schema)
        stage.onPrepare = { (_, log) throws(FormatError) in
            log.note(
                .needsDecision, "open-question",
                class: dot.map { String(subject[..<$0]) } ?? subject,
                property: dot.map { String(subject[subject.index(after: $0)...]) }, fix: fix)
        }
        return stage
    }
}
