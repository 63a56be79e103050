// `rtool verify`: every reference, byte, index, link and backlink of a store.

internal import Formats

extension Command {
    static let verify = Command(
        name: "verify", synopsis: "STORE",
        summary: "check every reference, byte, index, link and backlink of a store",
        discussion: "Reads everything and changes nothing. Exit 1 when something is wrong.",
        examples: [("rtool verify store.realm", "one line a finding, then the totals")],
        options: .input,
        run: { (arguments) throws(FormatError) in
            let session = try Session(arguments)
            let path = try session.operands("STORE")[0]
            let options = session.context.options
            let store = try Store.open(
                path, options: StoreOptions(key: options.key, useOtherTop: options.useOtherTop))
            let result = store.check()
            if arguments.has("json") {
                try Console.print(json(result, path) + "\n")
            } else {
                var text = ""
                for finding in result.findings {
                    text += "\(path): \(finding.code)"
                    if !finding.place.isEmpty { text += ", \(finding.place)" }
                    if let offset = finding.offset { text += ", byte \(offset)" }
                    text += ": \(finding.message)\n"
                }
                if result.more > 0 { text += "\(path): \(result.more) more findings\n" }
                text +=
                    "\(path): \(result.isClean ? "sound" : "not sound"); \(result.tables) tables, "
                    + "\(result.rows) rows, \(result.links) links, "
                    + "\(result.indexEntries) index entries, \(result.nodes) nodes, "
                    + "\(result.liveBytes) bytes live, \(result.freeBytes) free\n"
                try Console.print(text)
            }
            return result.isClean ? .success : .findings
        })

    private static func json(_ result: StoreCheckResult, _ path: String) -> String {
        var object = JSONObjectText()
        object.add("file", path)
        object.add("sound", result.isClean)
        object.add("tables", result.tables)
        object.add("rows", result.rows)
        object.add("links", result.links)
        object.add("indexEntries", result.indexEntries)
        object.add("nodes", result.nodes)
        object.add("liveBytes", result.liveBytes)
        object.add("freeBytes", result.freeBytes)
        let findings = result.findings.map { finding in
            var entry = JSONObjectText()
            entry.add("code", finding.code)
            entry.add("place", finding.place)
            entry.add("offset", finding.offset)
            entry.add("message", finding.message)
            return entry.text
        }
        object.add("findings", raw: "[" + findings.joined(separator: ", ") + "]")
        object.add("more", result.more)
        return object.text
    }
}
