// The formats there are. A new format is one folder and one line here.

/// All formats, and how one is chosen by name or content.
public enum Registry {
    /// Everything that can be read or written.
    public static let formats: [Format] = [
        .realm, .json, .ndjson, .csv, .vcard, .jcard, .ical, .realmStudio,
        .googleTasks, .msToDo, .todoist, .ticktick, .todoTxt, .outlookTasks,
    ]

    /// Names that are promised but not built.
    package static let planned: [(name: String, summary: String)] = [
        ("jscontact", "contact cards as JSON (RFC 9553)"),
        ("jscalendar", "to-dos as JSON (RFC 8984)"),
        ("taskwarrior", "Taskwarrior JSON"),
        ("things", "Things JSON"),
    ]

    /// A format by its name on the command line.
    /// - Throws: `usage` for unknown names, `notYet` for promised ones.
    public static func named(_ name: String) throws(FormatError) -> Format {
        if let format = formats.first(where: { $0.name == name }) { return format }
        if planned.contains(where: { $0.name == name }) {
            throw FormatError(
                .notYet, "the format \(name) is not built yet",
                fix: "rtool formats lists what can be read and written")
        }
        let near = nearest(to: name, among: formats.map(\.name))
        throw FormatError(
            .usage, "rtool knows no format \"\(name)\"",
            fix: near.map { "did you mean \($0)?" }
                ?? "rtool formats lists what can be read and written")
    }

    /// The format of an input, by its content and, where that leaves a choice, its name.
    /// - Throws: `usage` when nothing fits.
    public static func detect(_ path: String, _ bytes: UnsafeRawBufferPointer)
        throws(FormatError) -> Format
    {
        let ending = fileExtension(path)
        let name = (path.split(separator: "/").last ?? "").lowercased()
        var best: (score: Int, format: Format)?
        for format in formats where format.isReadable {
            var score = format.detect(bytes)
            if format.extensions.contains(ending) { score += 30 }
            if format.fileNames.contains(name) { score += 40 }
            if score > (best?.score ?? 0) { best = (score, format) }
        }
        if let best, best.score >= 20 { return best.format }
        if bytes.isEmpty {
            throw FormatError(
                .emptyFile, "the file is empty", file: path,
                fix: "check that it was copied or exported whole")
        }
        throw FormatError(
            .malformed, "cannot tell what kind of file this is", file: path,
            fix: "name its format with --from; rtool formats lists them")
    }

    /// The format of an output, by its name.
    /// - Throws: `usage` when the ending tells nothing.
    public static func forOutput(_ path: String) throws(FormatError) -> Format {
        let ending = fileExtension(path)
        if let format = formats.first(where: { $0.isWritable && $0.extensions.contains(ending) }) {
            return format
        }
        throw FormatError(
            .usage,
            path == "-"
                ? "the format to write to standard output is not named"
                : "the ending of \(path) does not tell its format",
            fix: "name the format with --to; rtool formats lists them")
    }

    /// The format to write: the named one, else by the output's ending.
    static func target(_ path: String, named name: String?) throws(FormatError) -> Format {
        guard let name else { return try forOutput(path) }
        let format = try named(name)
        guard format.isWritable else {
            throw FormatError(
                .usage, "\(format.name) can be read, not written",
                fix: "rtool formats lists what can be written")
        }
        return format
    }

    /// The ending of a file's name, lower case, without the dot.
    static func fileExtension(_ path: String) -> String {
        let name = path.lastIndex(of: "/").map { path[path.index(after: $0)...] } ?? path[...]
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return "" }
        return name[name.index(after: dot)...].lowercased()
    }
}
