// `rtool info`: what a file is, or exactly why it will not open and what to try next.

internal import Formats

extension Command {
    static let info = Command(
        name: "info", synopsis: "FILE",
        summary: "what a file is, or why it will not open and what to try next",
        discussion: """
            Reads the file and changes nothing. The exit code tells the verdict: 0 for a store that
            can be used, 1 where something is damaged, 65 for what is no store, 77 for a key.
            """,
        examples: [
            ("rtool info old.realm", "the verdict and what is in the store"),
            ("rtool info --json old.realm", "the same for a program"),
        ],
        options: .input,
        run: { (arguments) throws(FormatError) in
            let session = try Session(arguments)
            let path = try session.operands("FILE")[0]
            let options = session.context.options
            let verdict = try StoreInspector.inspect(
                path, key: options.key, useOtherTop: options.useOtherTop)
            let text =
                arguments.has("json")
                ? InfoText.json(verdict, path) : InfoText.plain(verdict, path)
            try Console.print(text + "\n")
            return ExitCode(rawValue: verdict.word.exitCode) ?? .findings
        })
}

/// Spells a verdict.
enum InfoText {
    static func plain(_ verdict: StoreVerdict, _ path: String) -> String {
        var lines = ["\(path): \(verdict.word.rawValue)"]
        if !verdict.explanation.isEmpty { lines.append("  " + verdict.explanation) }
        if let next = verdict.nextCommand { lines.append("  next: " + next) }
        if let format = verdict.fileFormat { lines.append("  file format \(format)") }
        lines.append("  \(verdict.fileSize) bytes")
        if let facts = verdict.facts {
            lines.append(
                "  snapshot \(facts.snapshotVersion), "
                    + (facts.isStreaming ? "written in one go" : "top \(facts.liveSlot) is live"))
        }
        if let schema = verdict.schema {
            lines.append("  schema version " + (schema.version.map(String.init) ?? "none"))
            for known in schema.classes {
                var line = "  \(known.isTable ? "table" : known.kind.rawValue) \(known.name)"
                if let count = known.count { line += ", \(count) rows" }
                line += ", \(known.properties.count) properties"
                if let key = known.primaryKey { line += ", key \(key)" }
                lines.append(line)
            }
        }
        if verdict.rowsBroken > 0 { lines.append("  \(verdict.rowsBroken) rows cannot be read") }
        return lines.joined(separator: "\n")
    }

    static func json(_ verdict: StoreVerdict, _ path: String) -> String {
        var object = JSONObjectText()
        object.add("file", path)
        object.add("verdict", verdict.word.rawValue)
        object.add("explanation", verdict.explanation.isEmpty ? nil : verdict.explanation)
        object.add("next", verdict.nextCommand)
        object.add("fileFormat", verdict.fileFormat)
        object.add("fileSize", verdict.fileSize)
        if let facts = verdict.facts {
            object.add("snapshot", Int(facts.snapshotVersion))
            object.add("streaming", facts.isStreaming)
            object.add("sync", facts.isSync)
            object.add("logicalSize", facts.logicalSize)
        }
        object.add("rows", verdict.rowsReadable)
        object.add("rowsBroken", verdict.rowsBroken)
        if let schema = verdict.schema {
            object.add("schemaVersion", raw: schema.version.map(String.init) ?? "null")
            let classes = schema.classes.map { known in
                var entry = JSONObjectText()
                entry.add("name", known.name)
                entry.add("kind", known.isTable ? "table" : known.kind.rawValue)
                entry.add("primaryKey", known.primaryKey)
                entry.add("count", known.count)
                entry.add("properties", known.properties.count)
                return entry.text
            }
            object.add("classes", raw: "[" + classes.joined(separator: ", ") + "]")
        }
        return object.text
    }
}
