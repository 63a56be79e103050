// One option of the command line: its spelling and its line of help. Help text, completions and
// the parser are made from the same values.

/// One option.
struct Option {
    /// The long name, without dashes.
    let name: String
    /// A single letter, if it has one.
    var short: Character?
    /// What stands for the value in help; nil for a switch.
    var value: String?
    /// One line of help.
    let help: String

    init(_ name: String, short: Character? = nil, value: String? = nil, _ help: String) {
        self.name = name
        self.short = short
        self.value = value
        self.help = help
    }
}

extension [Option] {
    /// Options that mean the same for every command.
    static let everywhere: [Option] = [
        Option("strict", "refuse any loss; nothing is written then"),
        Option("report", value: "FILE", "write the report as JSON to FILE"),
        Option("json", "the report as JSON on standard output"),
        Option("quiet", short: "q", "no report and no progress"),
        Option("help", short: "h", "this help"),
    ]

    /// How an input store is opened.
    static let input: [Option] = [
        Option("from", value: "FORMAT", "the input's format, where the guess is wrong"),
        Option("key", value: "KEY", "the input's encryption key: 128 hex digits or base64"),
        Option("key-file", value: "FILE", "a file that holds the key (64 bytes, hex or base64)"),
        Option("key-env", value: "NAME", "an environment variable that holds the key"),
        Option("top", value: "other", "read the previous snapshot of a store"),
        Option("encoding", value: "NAME", "the text encoding of the input"),
        Option("zone", value: "NAME", "the time zone of clock times without one"),
        Option("threads", value: "N", "the most threads to use"),
    ]

    /// How an output is written.
    static let output: [Option] = [
        Option("to", value: "FORMAT", "the output's format, where the name does not tell"),
        Option("force", short: "f", "replace an existing file"),
        Option("out-key", value: "KEY", "encrypt the output store with this key"),
        Option("out-key-file", value: "FILE", "a file that holds the output's key"),
        Option("out-key-env", value: "NAME", "an environment variable with the output's key"),
        Option("file-format", value: "N", "the file format of a store to write: 24, 23 or 22"),
    ]

    /// How a text that holds rows is read.
    static let reading: [Option] = [
        Option("path", value: "A.B", "JSON: the members that lead to the rows"),
        Option("epoch", value: "unix|apple", "JSON: numbers for dates count from 1970 or 2001"),
        Option("dup", value: "first|last|error", "JSON: which of two equal members counts (last)"),
        Option("json5", "JSON with comments, trailing commas, single quotes, bare names"),
        Option("null", value: "TEXT", "CSV: unquoted cells of this text are empty, such as NULL"),
    ]

    /// How rows become contacts or tasks, and back.
    static let mapping: [Option] = [
        Option(
            "map", value: "NAME|FILE",
            "addressbook, todo, mycontacts, taskmanager, realmtodo, dogs, or a map file; also a "
                + "file of lines `column = field` for CSV (rtool help import)"),
        Option("class", value: "NAME", "the class to read or write"),
        Option(
            "profile", value: "NAME|FILE",
            "the CSV columns: plain, google, google-old, outlook, outlook-tasks, thunderbird, or "
                + "those of a CSV file"),
        Option("vcard-version", value: "V", "the version of vCards to write: 2.1, 3.0 or 4.0"),
        Option("split-escaped-categories", "vCard: commas that were escaped separate categories"),
        Option("keep-x", "vCard 4.0: keep what it no longer has as X- properties"),
        Option("date-order", value: "dmy|mdy|ymd", "the order of days and months in CSV dates"),
        Option("include-done", "taskmanager: keep finished tasks"),
        Option("rejects", value: "FILE", "keep records that were set aside, verbatim, in FILE"),
        Option(
            "phone-format", value: "e164",
            "contacts: phone numbers as a plus, the country's code and digits"),
        Option(
            "region", value: "XX", "for --phone-format: the country of numbers without a code"),
        Option("private", "in reports and errors, hashes instead of names and other values"),
    ]

    /// How records are written, where there is a choice.
    static let writing: [Option] = [
        Option("pretty", "JSON: indented, a member a line"),
        Option(
            "ejson", value: "relaxed|canonical",
            "JSON: how MongoDB Extended JSON is spelled; canonical tells the type of every number"),
        Option(
            "embed", value: "N",
            "JSON: the rows that links lead to inside of the linking ones, N levels deep (0)"),
        Option(
            "photos", value: "DIR",
            "CSV of contacts: each photo as a file in DIR, named by the contact's UID"),
        Option(
            "overflow", value: "notes",
            "CSV of contacts: what has no column goes to the notes, as lines `Label: value`"),
        Option(
            "groups", value: "categories",
            "cards of groups become categories of their members (CSV profiles do so anyway)"),
        Option(
            "delimiter", value: "C",
            "the separator of the CSV to write, else of that to read (\\t for a tab)"),
        Option("bom", "begin CSV with a byte order mark"),
        Option("excel", "begin CSV as Excel wants it: a mark and a line that names the separator"),
        Option("spreadsheet-safe", "guard CSV cells that a spreadsheet would run"),
    ]
}
