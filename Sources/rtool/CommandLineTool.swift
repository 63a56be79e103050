// From words to an exit code: finds the command, runs it, shows what went wrong.

internal import Formats

/// The whole command.
enum CommandLineTool {
    /// The version, as `--version` prints it.
    static let version = "0.1.0"

    /// Runs the command line without the program's name; the result is the exit code.
    static func run(_ words: [String]) -> ExitCode {
        do throws(FormatError) {
            return try dispatch(words)
        } catch {
            if error.code != .interrupted {
                // The words of a wrong command line are no data.
                let isHidden = words.contains("--private") && ExitCode(error.code) == .data
                Console.show(isHidden ? error.hidingValues : error)
            }
            if error.code == .usage, let name = words.first,
                let command = Command.all.first(where: { $0.name == name })
            {
                Console.message("usage: rtool \(command.name) \(command.synopsis)")
            }
            return ExitCode(error.code)
        }
    }

    private static func dispatch(_ words: [String]) throws(FormatError) -> ExitCode {
        guard let first = words.first else {
            Console.message(Help.overview)
            return .usage
        }
        switch first {
        case "--version", "-V":
            try Console.print("rtool \(version)\n")
            return .success
        case "--help", "-h":
            try Console.print(Help.overview + "\n")
            return .success
        default: break
        }
        guard let command = Command.all.first(where: { $0.name == first }) else {
            let near = nearest(to: first, among: Command.all.map(\.name))
            throw FormatError(
                .usage, "rtool knows no command \"\(first)\"",
                fix: near.map { "did you mean rtool \($0)?" } ?? "rtool help lists the commands")
        }
        let rest = Array(words.dropFirst())
        if rest.contains("--help") || rest.contains("-h") {
            try Console.print(Help.page(command) + "\n")
            return .success
        }
        let arguments = try Arguments(
            rest, options: command.options + .everywhere, command: command.name)
        return try command.run(arguments)
    }
}

/// Ends the process.
func exitProcess(_ code: ExitCode) -> Never { System.exit(code.rawValue) }
