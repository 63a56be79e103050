// `rtool export`: rows of a store, chosen, ordered and cut.

internal import Formats

extension Command {
    static let export = Command(
        name: "export", synopsis: "STORE",
        summary: "rows of a store, chosen, ordered and cut, to any format",
        discussion: """
            Writes to standard output, or to the file named with -o. Conditions are those of Realm:
            comparisons, AND OR NOT, BEGINSWITH CONTAINS ENDSWITH LIKE, IN, BETWEEN, nil, [c].
            They reach into embedded objects; a link itself is compared with nil or an object key.
            """,
        examples: [
            (
                "rtool export tasks.realm --to csv --sort 'done,-date'",
                "open tasks first, newest first"
            ),
            (
                "rtool export dogs.realm --class Dog --to json --sort name --section-by 'name[0]'",
                "an index by first letter"
            ),
            (
                "rtool export people.realm --to csv --class ContactObject --where 'name BEGINSWITH[c] \"m\"'",
                "a choice of rows"
            ),
            (
                "rtool export dogs.realm --class Person --to json --embed 1 --pretty",
                "persons with their dogs inside"
            ),
            ("rtool export people.realm -o people.vcf", "an address book for any program"),
        ],
        options: .input + .output + .mapping + .writing + [
            Option("output", short: "o", value: "FILE", "write to FILE instead of standard output"),
            Option("columns", value: "A,B", "only these properties, in this order"),
            Option("where", value: "CONDITION", "only rows that fulfil it"),
            Option("sort", value: "A,-B", "the order; a minus for descending"),
            Option("section-by", value: "PATH", "sections, such as name[0] or date.month"),
            Option("limit", value: "N", "at most N rows"),
            Option(
                "split", value: "DIR",
                "into this folder: a file a contact or to-do; CSV: a file a class"),
        ],
        run: { (arguments) throws(FormatError) in
            let session = try Session(arguments)
            let path = try session.operands("STORE")[0]
            let output = arguments["output"] ?? "-"
            try session.refuseTwoOutputs(output)
            var export = Export(path, to: output, context: session.context)
            export.from = arguments["from"]
            export.to = arguments["to"]
            export.map = arguments["map"]
            export.className = arguments["class"]
            export.columns = arguments["columns"]
            export.condition = arguments["where"]
            export.sort = arguments["sort"]
            export.sections = arguments["section-by"]
            export.limit = try arguments.number("limit")
            export.folder = arguments["split"]
            export.beforeFinish = { () throws(FormatError) in try session.refuseLoss() }
            try session.withProgress("records") { (update) throws(FormatError) in
                export.progress = update
                try export.run()
            }
            return try session.end(toStandardOutput: output == "-")
        })
}
