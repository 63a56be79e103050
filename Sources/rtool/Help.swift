// Help text, made from the command table.

internal import Formats

/// Help for people.
enum Help {
    /// The list of commands.
    static var overview: String {
        var text = """
            rtool - contacts, tasks and any other data in and out of Realm stores

            usage: rtool COMMAND ...

            commands:

            """
        let width = Command.all.map(\.name.count).max() ?? 0
        for command in Command.all {
            text += "  " + padded(command.name, to: width) + "  " + command.summary + "\n"
        }
        text += """

            A person's first steps:
              rtool import people.vcf --into people.realm     an address book becomes a store
              rtool convert people.realm people.json          and a store becomes text
              rtool info old.realm                            what a file is, and what to do next

            rtool help COMMAND explains one command.
            """
        return text
    }

    /// The page of one command.
    static func page(_ command: Command) -> String {
        var text = "rtool \(command.name) - \(command.summary)\n\n"
        text += "usage: rtool \(command.name) \(command.synopsis)\n"
        if !command.discussion.isEmpty { text += "\n" + command.discussion + "\n" }
        let options = command.options + .everywhere
        text += "\noptions:\n"
        let spelled = options.map { option in
            (option.short.map { "-\($0), " } ?? "    ") + "--" + option.name
                + (option.value.map { " " + $0 } ?? "")
        }
        let width = min(spelled.map(\.count).max() ?? 0, 26)
        for (spelling, option) in zip(spelled, options) {
            text += "  " + padded(spelling, to: width) + "  " + option.help + "\n"
        }
        if !command.examples.isEmpty {
            text += "\nexamples:\n"
            for example in command.examples {
                text += "  \(example.line)\n      \(example.purpose)\n"
            }
        }
        text.removeLast()
        return text
    }

    private static func padded(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(width - text.count, 0))
    }
}

extension Command {
    static let help = Command(
        name: "help", synopsis: "[COMMAND]", summary: "explain a command",
        run: { (arguments) throws(FormatError) in
            guard let name = arguments.operands.first else {
                try Console.print(Help.overview + "\n")
                return .success
            }
            guard let command = all.first(where: { $0.name == name }) else {
                let near = nearest(to: name, among: all.map(\.name))
                throw FormatError(
                    .usage, "rtool knows no command \"\(name)\"",
                    fix: near.map { "did you mean \($0)?" } ?? "rtool help lists the commands")
            }
            try Console.print(Help.page(command) + "\n")
            return .success
        })
}
