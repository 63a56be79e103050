// `rtool diff`: what differs between two stores.

internal import Formats

extension Command {
    static let diff = Command(
        name: "diff", synopsis: "A B", summary: "what differs between two stores",
        discussion: """
            Compares the schemas, then the rows: by primary key, else by object key, or by a
            property. Stores and store documents (JSON) can be compared. Exit 1 when they differ.
            """,
        examples: [
            ("rtool diff before.realm after.realm", "all differences"),
            ("rtool diff a.realm b.realm --by name", "rows matched by a property"),
        ],
        options: .input + [
            Option("by", value: "PROPERTY", "match rows by this property"),
            Option("limit", value: "N", "the most rows of a class to show in detail (20)"),
        ],
        run: { (arguments) throws(FormatError) in
            let session = try Session(arguments)
            let names = try session.operands("A", "B")
            let context = session.context
            let from = arguments["from"]
            let difference = try StoreDifference(
                { () throws(FormatError) in
                    try StoreSource.open(names[0], from: from, context: context).reader()
                },
                { () throws(FormatError) in
                    try StoreSource.open(names[1], from: from, context: context).reader()
                }, by: arguments["by"], limit: arguments.number("limit") ?? 20)
            try Console.print(
                arguments.has("json")
                    ? json(difference, names) + "\n" : plain(difference, names))
            return difference.isEmpty ? .success : .findings
        })

    private static func plain(_ difference: StoreDifference, _ names: [String]) -> String {
        var text = ""
        for item in difference.items {
            switch item.kind {
            case .removed: text += "- "
            case .added: text += "+ "
            case .changed, .schema: text += "~ "
            }
            text += item.className
            if let key = item.key { text += "[\(key)]" }
            if let property = item.property { text += ".\(property)" }
            if item.first != nil || item.second != nil {
                text += ": \(item.first ?? "nothing") -> \(item.second ?? "nothing")"
            }
            text += "\n"
        }
        for count in difference.counts
        where count.changed + count.removed + count.added > 0 {
            text += "\(count.className): \(count.equal) equal, \(count.changed) changed, "
            text += "\(count.removed) only in \(names[0]), \(count.added) only in \(names[1])\n"
        }
        return text
    }

    private static func json(_ difference: StoreDifference, _ names: [String]) -> String {
        var object = JSONObjectText()
        object.add("first", names[0])
        object.add("second", names[1])
        object.add("equal", difference.isEmpty)
        let counts = difference.counts.map { count in
            var entry = JSONObjectText()
            entry.add("class", count.className)
            entry.add("equal", count.equal)
            entry.add("changed", count.changed)
            entry.add("removed", count.removed)
            entry.add("added", count.added)
            return entry.text
        }
        object.add("counts", raw: "[" + counts.joined(separator: ", ") + "]")
        let items = difference.items.map { item in
            var entry = JSONObjectText()
            entry.add("kind", item.kind.rawValue)
            entry.add("class", item.className)
            entry.add("key", item.key)
            entry.add("property", item.property)
            entry.add("first", item.first)
            entry.add("second", item.second)
            return entry.text
        }
        object.add("items", raw: "[" + items.joined(separator: ", ") + "]")
        return object.text
    }
}
