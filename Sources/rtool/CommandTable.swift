// The commands. A new one is one file in Commands/ and one line here.

internal import Formats

/// One command: its words, its help and what it does.
struct Command: Sendable {
    /// The name on the command line.
    let name: String
    /// Its operands, as help shows them.
    let synopsis: String
    /// One line of help.
    let summary: String
    /// Paragraphs of help.
    var discussion = ""
    /// Examples: a command line and what it does.
    var examples: [(line: String, purpose: String)] = []
    /// The options besides those of every command.
    var options: [Option] = []
    /// Does it; the result is the exit code.
    let run: @Sendable (Arguments) throws(FormatError) -> ExitCode
}

extension Command {
    /// All commands, in the order of help.
    static let all: [Command] = [
        .convert, .importing, .export, .info, .schema, .verify, .diff, .migrate, .plan, .formats,
        .help, .completions,
    ]
}
