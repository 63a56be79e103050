// `rtool plan`: a plan shown in readable lines, or drafted from two stores or schemas.

internal import Formats
internal import Migrator

extension Command {
    static let plan = Command(
        name: "plan", synopsis: "show PLAN | draft OLD NEW",
        summary: "show a migration plan in readable lines, or draft one",
        discussion: """
            show prints one line a change. draft compares two stores, store documents or schemas (as
            rtool schema --as json prints them) and writes a plan with every difference once: what is
            safe, what loses data, and a question wherever a person must decide. A likely rename is
            such a question, never assumed. Answer a question with an "answer" member, or put the
            changes you want in its place; rtool migrate --check lists what is still open.
            """,
        examples: [
            ("rtool plan show notes.plan.json", "what a plan does"),
            ("rtool plan draft old.realm new.realm -o notes.plan.json", "a plan to begin with"),
            ("rtool plan draft old.realm schema.json", "the new classes as a schema"),
        ],
        options: .input.filter { ["from", "key", "key-file", "key-env"].contains($0.name) } + [
            Option("output", short: "o", value: "FILE", "write the draft to FILE"),
            Option("name", value: "NAME", "what the plan is called"),
            Option("force", short: "f", "replace an existing file"),
        ],
        run: { (arguments) throws(FormatError) in
            guard let word = arguments.operands.first else {
                throw FormatError(.usage, "say what to do: show or draft")
            }
            switch word {
            case "show": return try show(arguments)
            case "draft": return try draft(arguments)
            default:
                throw FormatError(
                    .usage, "rtool plan knows no \"\(word)\"",
                    fix: nearest(to: word, among: ["show", "draft"]).map { "did you mean \($0)?" }
                        ?? "it is show or draft")
            }
        })

    private static func show(_ arguments: Arguments) throws(FormatError) -> ExitCode {
        let session = try Session(arguments)
        let path = try session.operands("show", "PLAN")[1]
        let plan = try MigrationPlan.load(path)
        if arguments.has("json") {
            try Console.print(plan.json().text + "\n")
        } else {
            try Console.print(plan.lines.joined(separator: "\n") + "\n")
        }
        return .success
    }

    private static func draft(_ arguments: Arguments) throws(FormatError) -> ExitCode {
        let session = try Session(arguments)
        let names = try session.operands("draft", "OLD", "NEW")
        let from = arguments["from"]
        let old = try SchemaSource.read(names[1], from: from, context: session.context)
        let new = try SchemaSource.read(names[2], context: session.context)
        let draft = try PlanDraft(from: old, to: new, name: arguments["name"])
        let output = arguments["output"]
        if arguments.has("json") {
            if output == nil { try session.refuseTwoOutputs("-") }
            try Console.print(draft.report.text + "\n")
        } else if !arguments.has("quiet") {
            Console.message(draft.lines.joined(separator: "\n"))
        }
        if let output {
            let file = try ByteSink.output(to: output, force: session.context.options.force)
            try file.write(draft.json.text + "\n")
            try file.finish()
        } else {
            try Console.print(draft.json.text + "\n")
        }
        try session.writeReport(draft.report.text)
        return draft.openQuestions > 0 ? .findings : .success
    }
}
