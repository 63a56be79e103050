// `rtool convert`: any format to any format.

internal import Formats

extension Command {
    static let convert = Command(
        name: "convert", synopsis: "IN OUT", summary: "any format to any format",
        discussion: """
            The formats are guessed from names and contents; --from and --to choose. A store
            converted to JSON and back is a lossless backup; a store converted to a store upgrades
            its file format. - stands for standard input and output.
            """,
        examples: [
            ("rtool convert people.vcf people.csv", "cards to a table"),
            ("rtool convert store.realm backup.json", "a backup that can be read and restored"),
            ("rtool convert people.vcf --split people", "a file a contact"),
            ("rtool convert old.realm new.realm", "the same content in the current file format"),
            ("rtool convert store.realm - --to ndjson --class Task", "one class, a row a line"),
            ("rtool convert people.vcf people.json --pretty", "JSON to look at"),
            (
                "rtool convert people.vcf g.csv --profile google --photos faces --overflow notes",
                "columns for Google, photos as files, the rest in the notes"
            ),
        ],
        options: .input + .reading + .output + .mapping + .writing + [
            Option("split", value: "DIR", "a file a contact or to-do, into this folder (no OUT)")
        ],
        run: { (arguments) throws(FormatError) in
            let session = try Session(arguments)
            let folder = arguments["split"]
            var names = try folder == nil ? session.operands("IN", "OUT") : session.operands("IN")
            if let folder { names.append(folder) }
            try session.refuseTwoOutputs(names[1])
            var conversion = Conversion(from: names[0], to: names[1], context: session.context)
            conversion.folder = folder
            conversion.from = arguments["from"]
            conversion.to = arguments["to"]
            let maps = session.maps
            (conversion.map, conversion.columns) = (maps.classes, maps.columns)
            conversion.className = arguments["class"]
            conversion.beforeFinish = { () throws(FormatError) in try session.refuseLoss() }
            try session.withProgress("records") { (update) throws(FormatError) in
                conversion.progress = update
                try conversion.run()
            }
            return try session.end(toStandardOutput: names[1] == "-")
        })
}
