// `rtool formats`: what can be read and written.

internal import Formats

extension Command {
    static let formats = Command(
        name: "formats", synopsis: "", summary: "list the formats and what can be done with them",
        run: { (arguments) throws(FormatError) in
            var text = ""
            for format in Registry.formats {
                let can = format.isReadable ? (format.isWritable ? "read, write" : "read") : "write"
                text += column(format.name, 14) + column(can, 13)
                text += column(format.extensions.map { "." + $0 }.joined(separator: " "), 16)
                text += format.summary + "\n"
            }
            for (name, summary) in Registry.planned {
                text += column(name, 14) + column("not yet", 13) + column("", 16) + summary + "\n"
            }
            try Console.print(text)
            return .success
        })

    private static func column(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(width - text.count, 1))
    }
}
