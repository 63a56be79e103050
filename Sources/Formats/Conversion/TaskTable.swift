// A table of to-dos whose columns have the names of `TodoItem`, or those people give them: its rows
// are read as the objects they would be in JSON. It stands under the roof since it joins the two.

/// Tables of to-dos.
enum TaskTable {
    /// Columns that are known, and the members they are.
    private static let members: [String: String] = {
        var members: [String: String] = [:]
        for name in [
            "uid", "title", "summary", "notes", "description", "status", "completed", "done",
            "created", "modified", "updated", "start", "due", "percent", "priority", "sequence",
            "duration", "recurrence", "rrule", "categories", "tags", "classification", "class",
            "location", "url", "geo", "color", "importance",
        ] { members[name] = name }
        return members
    }()
    /// Columns that are known where to-dos are asked for.
    private static let more = [
        "task": "title", "subject": "title", "todo": "title", "id": "uid",
        "note": "notes", "duedate": "due", "startdate": "start", "category": "categories",
        "percentcomplete": "percent",
    ]

    private static func member(_ header: String, isAsked: Bool) -> String? {
        let name = HeaderNames.fold(header)
        return members[name] ?? (isAsked ? more[name] : nil)
    }

    /// A source of the to-dos of a table; nil where its header is none of a table of to-dos. Where
    /// nobody asks for them every column must be known.
    static func source(
        _ input: InputBytes, isAsked: Bool, context: ExchangeContext
    ) throws(FormatError) -> (any RecordReader)? {
        let table = try DelimitedTable(
            input, knownHeaders: Array(members.keys) + (isAsked ? Array(more.keys) : []),
            context: context)
        let names = table.headers.map { member($0, isAsked: isAsked) }
        let known = Set(names.compactMap { $0 })
        let isWhole = names.allSatisfy { $0 != nil }
        let says = isAsked ? ["status", "due", "done", "completed", "percent"] : ["status", "due"]
        guard known.contains("title") || known.contains("summary"),
            says.contains(where: known.contains) ? isAsked || isWhole : isAsked && isWhole
        else { return nil }
        let out = RawVector<UInt8>(capacity: input.bytes.count + 1024)
        defer { out.destroy() }
        while let row = table.next() {
            out.append(0x7B)
            var isFirst = true
            var taken: Set<String> = []
            for (i, header) in table.headers.enumerated() where !row[i].isEmpty {
                let name = names[i].flatMap { taken.insert($0).inserted ? $0 : nil } ?? header
                if !isFirst { out.append(0x2C) }
                isFirst = false
                write(name, row[i], to: out)
            }
            out.append("}\n")
        }
        let text = InputBytes(name: input.name, copying: UnsafeRawBufferPointer(out.elements))
        return TodoDraftReader(
            try TodoObjectsSource(input: text, isLines: true, context: context), context: context)
    }

    private static func write(_ name: String, _ cell: String, to out: RawVector<UInt8>) {
        var name = name
        if name == "done" {
            switch HeaderNames.fold(cell) {
            case "true", "yes", "y", "1", "x", "done":
                return out.append("\"done\":true")
            case "false", "no", "n", "0": return out.append("\"done\":false")
            default: name = "status"
            }
        }
        JSONText.write(name, to: out)
        out.append(0x3A)
        guard name == "categories" || name == "tags" else {
            return JSONText.write(cell, to: out)
        }
        let separator: Character = cell.contains(";") ? ";" : ","
        out.append(0x5B)
        var isFirst = true
        for word in cell.split(separator: separator) {
            let text = HeaderNames.trim(String(word))
            if text.isEmpty { continue }
            if !isFirst { out.append(0x2C) }
            isFirst = false
            JSONText.write(text, to: out)
        }
        out.append(0x5D)
    }
}
