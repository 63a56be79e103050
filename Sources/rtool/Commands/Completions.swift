// `rtool completions SHELL`: completion scripts, made from the command table.

internal import Formats

extension Command {
    static let completions = Command(
        name: "completions", synopsis: "bash|zsh|fish", summary: "print a completion script",
        examples: [
            (
                "rtool completions bash > ~/.local/share/bash-completion/completions/rtool",
                "install it for bash"
            )
        ],
        run: { (arguments) throws(FormatError) in
            switch arguments.operands.first {
            case "bash": try Console.print(bash)
            case "zsh":
                try Console.print("#compdef rtool\nautoload -U bashcompinit\nbashcompinit\n" + bash)
            case "fish": try Console.print(fish)
            default:
                throw FormatError(
                    .usage, "name a shell", fix: "rtool completions bash, zsh or fish")
            }
            return .success
        })

    private static func spelled(_ command: Command) -> [String] {
        (command.options + .everywhere).map { "--" + $0.name }
    }

    private static var bash: String {
        var text = """
            _rtool() {
                local word="${COMP_WORDS[COMP_CWORD]}"
                if [ "$COMP_CWORD" = 1 ]; then
                    COMPREPLY=($(compgen -W "\(all.map(\.name).joined(separator: " "))" -- "$word"))
                    return
                fi
                case "$word" in -*) ;; *) COMPREPLY=($(compgen -f -- "$word")); return ;; esac
                case "${COMP_WORDS[1]}" in

            """
        for command in all {
            text += "    \(command.name)) COMPREPLY=($(compgen -W \""
            text += spelled(command).joined(separator: " ") + "\" -- \"$word\")) ;;\n"
        }
        return text + "    esac\n}\ncomplete -o filenames -F _rtool rtool\n"
    }

    private static var fish: String {
        var text = ""
        for command in all {
            text += "complete -c rtool -n __fish_use_subcommand -f -a \(command.name)"
            text += " -d '\(command.summary.replacing("'", with: "\\'"))'\n"
            for option in command.options + .everywhere {
                text += "complete -c rtool -n '__fish_seen_subcommand_from \(command.name)'"
                text += " -l \(option.name)" + (option.value == nil ? "" : " -r")
                text += " -d '\(option.help.replacing("'", with: "\\'"))'\n"
            }
        }
        return text
    }
}
