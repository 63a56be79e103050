// `rtool import`: records of any format into an existing or a new store.

internal import Formats

extension Command {
    static let importing = Command(
        name: "import", synopsis: "IN... --into STORE",
        summary: "records of any format into an existing or a new store",
        discussion: """
            Contacts become the class Contact and tasks TodoItem, lossless both ways (the maps
            addressbook and todo), unless a map names the class of an app: mycontacts, taskmanager,
            realmtodo, dogs, or a map file.
            Rows of other tables and JSON go to the class whose properties their columns are, or to
            the one that --class names. Importing the same input twice changes nothing. A record
            that is there already is updated: what the new one says replaces what is stored, what
            it does not say stays; --on-match replace empties it. One thing iCalendar says by silence:
            a done task that comes without STATUS, COMPLETED and PERCENT-COMPLETE is open again. The
            store is written beside the old one and takes its place only when it is whole.

            --dry-run prints what the columns of a CSV input were taken for, one line
            `column = field` each. Put the lines into a file, change what is wrong, and pass it
            with --map FILE. Columns that the file does not name stay as proposed; `keep` holds a
            column under its name, `-` leaves it out, `column 3` is the third one of a file
            without names. The fields: name givenName middleName familyName prefix suffix
            phoneticGivenName phoneticMiddleName phoneticFamilyName nickname organization
            department title role email phone url im address date relation birthday birthYear
            birthMonth birthDay anniversary gender note categories photo uid custom emailNote.
            Behind email phone url im address date relation may stand types (phone work fax), a
            part (address home city: street street2 street3 city region code country pobox
            extended formatted; phone label: the column with its kind), a label of your own
            (date "First met"), and a number where there are several (phone #2).
            """,
        examples: [
            ("rtool import people.vcf --into people.realm", "an address book becomes a store"),
            (
                "rtool import new.csv --into contacts.realm --map mycontacts --match name",
                "rows of an app's class, matched by a property"
            ),
            ("rtool import people.vcf --into people.realm --dry-run", "what would happen"),
            (
                "rtool import people.vcf --into people.realm --dry-run --private",
                "the same, as a report to show to somebody"
            ),
            (
                "rtool import de.csv --into people.realm --phone-format e164 --region DE",
                "030 1234567 becomes +49301234567"
            ),
            (
                "rtool import odd.csv --into people.realm --dry-run > odd.map",
                "what the columns would become, to be changed"
            ),
            ("rtool import odd.csv --into people.realm --map odd.map", "and used"),
        ],
        options: .input + .reading + .output + .mapping + [
            Option("into", value: "STORE", "the store"),
            Option("match", value: "KEY,...", "uid, email, phone, name+email, or a property"),
            Option(
                "on-match", value: "WHAT",
                OnMatch.allCases.map(\.rawValue).joined(separator: ", ") + " (update)"),
            Option("dry-run", "say what would happen; write nothing"),
        ],
        run: { (arguments) throws(FormatError) in
            let session = try Session(arguments)
            guard let store = arguments["into"] else {
                throw FormatError(
                    .usage, "--into is missing", fix: "name the store: --into STORE.realm")
            }
            guard !arguments.operands.isEmpty else {
                throw FormatError(.usage, "IN is missing", fix: "name what to import")
            }
            var job = Import(arguments.operands, into: store, context: session.context)
            job.from = arguments["from"]
            let maps = session.maps
            (job.map, job.columns) = (maps.classes, maps.columns)
            job.className = arguments["class"]
            job.isDryRun = arguments.has("dry-run")
            if let match = arguments["match"] { try job.options.setMatch(match) }
            let words = OnMatch.allCases.map(\.rawValue)
            if let word = try arguments.word("on-match", of: words) {
                job.options.onMatch = OnMatch(rawValue: word) ?? .update
            }
            job.beforeFinish = { () throws(FormatError) in try session.refuseLoss() }
            try session.withProgress("records") { (update) throws(FormatError) in
                job.progress = update
                try job.run()
            }
            guard job.isDryRun else { return try session.end() }
            if !arguments.has("quiet"), !arguments.has("json") {
                try Console.print(ReportText.columns(session.context.report))
                Console.message("dry run: nothing was written")
            }
            return try session.end(showsColumns: true)
        })
}
