// The report as text for people and as one JSON object (DESIGN 1.8): the same numbers twice; a
// change here concerns both.

internal import Formats

/// Spells a report.
enum ReportText {
    /// The report for people; a line of numbers, then a line a kind of note.
    static func plain(_ report: Report) -> String {
        var parts = ["read \(report.read)", "written \(report.written)"]
        if report.merged > 0 { parts.append("updated \(report.merged)") }
        if report.skipped > 0 { parts.append("unchanged or skipped \(report.skipped)") }
        if report.setAside > 0 { parts.append("set aside \(report.setAside)") }
        var text = parts.joined(separator: ", ")
        for item in report.items {
            text += "\n  \(word(item.kind)) \(item.code)"
            if let property = item.property { text += " (\(line(property)))" }
            if item.count > 1 { text += " x\(item.count)" }
            var place = line(item.source ?? "")
            if let line = item.line { place += ":\(line)" }
            if let record = item.record {
                place += (place.isEmpty ? "" : ", ") + "record \(record)"
            }
            if !place.isEmpty { text += ", first at \(place)" }
            if let value = item.value { text += ": \(line(value))" }
            if let action = item.action { text += " - \(action)" }
        }
        return text
    }

    /// Text on one line: line breaks, tabs and other controls as spaces.
    static func line(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isControl) else { return text }
        var out = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if !isControl(scalar) {
                out.append(scalar)
            } else if out.last != " " {
                out.append(" ")
            }
        }
        return String(out)
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || scalar.value == 0x7F || scalar.value == 0x85
            || scalar.value == 0x2028 || scalar.value == 0x2029
    }

    private static func word(_ kind: Report.ItemClass) -> String {
        switch kind {
        case .lost: "lost"
        case .changed: "changed"
        case .guessed: "guessed"
        case .setAside: "set aside"
        }
    }

    /// The report as one JSON object on one line.
    /// - Parameter columns: whether to say what the columns of tables were taken for.
    static func json(_ report: Report, columns: Bool = false) -> String {
        var object = JSONObjectText()
        object.add("read", report.read)
        object.add("written", report.written)
        object.add("setAside", report.setAside)
        object.add("skipped", report.skipped)
        object.add("merged", report.merged)
        object.add(
            "items",
            raw: "["
                + report.items.map { item in
                    var entry = JSONObjectText()
                    entry.add("class", item.kind.rawValue)
                    entry.add("code", item.code)
                    entry.add("source", item.source)
                    entry.add("line", item.line)
                    entry.add("record", item.record)
                    entry.add("property", item.property)
                    entry.add("value", item.value)
                    entry.add("count", item.count)
                    entry.add("action", item.action)
                    if !item.others.isEmpty {
                        entry.add("others", raw: "[" + examples(item) + "]")
                    }
                    return entry.text
                }.joined(separator: ", ") + "]")
        if columns {
            let uses = report.columns.map { use in
                var entry = JSONObjectText()
                entry.add("source", use.source)
                entry.add("column", use.column)
                entry.add("field", use.field)
                entry.add("class", use.className)
                entry.add("remark", use.remark)
                return entry.text
            }
            object.add("columns", raw: "[" + uses.joined(separator: ", ") + "]")
        }
        return object.text
    }

    /// The occurrences behind the first.
    private static func examples(_ item: Report.Item) -> String {
        item.others.map { example in
            var entry = JSONObjectText()
            entry.add("source", example.source == item.source ? nil : example.source)
            entry.add("line", example.line)
            entry.add("record", example.record)
            entry.add("value", example.value)
            return entry.text
        }.joined(separator: ", ")
    }

    /// What the columns of tables were taken for, as the file that `--map` reads; empty without
    /// tables.
    static func columns(_ report: Report) -> String {
        var text = ""
        var source: String?
        for use in report.columns {
            if use.source != source {
                source = use.source
                let what = use.className.map { "rows of the class \($0)" } ?? "contacts"
                let file = use.source.filter { !$0.isNewline }
                text += "# \(file): \(what). Change the lines and pass them with --map FILE.\n"
                if use.className != nil, use.field == "keep" {
                    text += "# To make contacts, say what the columns hold: rtool help import.\n"
                }
            }
            text +=
                ColumnMap.line(column: use.column, field: use.field, remark: use.remark) + "\n"
        }
        return text
    }
}

/// Builds one JSON object for messages; members without a value are left out.
struct JSONObjectText {
    private var members: [String] = []

    /// The object.
    var text: String { "{" + members.joined(separator: ", ") + "}" }

    mutating func add(_ name: String, raw: String) {
        members.append(JSONObjectText.quoted(name) + ": " + raw)
    }
    mutating func add(_ name: String, _ value: Int?) {
        if let value { add(name, raw: String(value)) }
    }
    mutating func add(_ name: String, _ value: Bool) { add(name, raw: value ? "true" : "false") }
    mutating func add(_ name: String, _ value: String?) {
        if let value { add(name, raw: JSONObjectText.quoted(value)) }
    }

    /// A JSON string.
    static func quoted(_ text: String) -> String {
        let out = RawVector<UInt8>()
        defer { out.destroy() }
        var text = text
        text.withUTF8 { bytes in
            if let base = bytes.baseAddress {
                _ = JSONText.write(string: base, count: bytes.count, to: out)
            } else {
                out.append("\"\"")
            }
        }
        return String(decoding: out.elements, as: UTF8.self)
    }
}
