// Which of the options for writing a target takes. An option that would have no effect is an error
// of the command line, said before anything is read; what the options do is for the writers.

/// Options that only some targets take.
enum WritingOptions {
    /// Refuses options that mean nothing for a target.
    /// - Parameter isSplit: whether several files are written.
    /// - Throws: `usage`.
    static func check(_ target: Format, _ options: ExchangeOptions, isSplit: Bool = false)
        throws(FormatError)
    {
        let given = options.extra
        func refuse(_ option: String, _ why: String, fix: String) -> FormatError {
            FormatError(.usage, "--\(option) \(why)", fix: fix)
        }
        if given["pretty"] != nil {
            let takes: Set<String> = [
                Format.json.name, Format.jcard.name, Format.googleTasks.name,
            ]
            guard takes.contains(target.name) else {
                throw refuse(
                    "pretty",
                    target.name == Format.ndjson.name
                        ? "would break rows of which each is one line" : "is for JSON",
                    fix: "leave --pretty out, or write json")
            }
        }
        let isJSON = target.name == Format.json.name || target.name == Format.ndjson.name
        if let spelling = given["ejson"] {
            guard isJSON else {
                throw refuse(
                    "ejson", "is for JSON and NDJSON", fix: "leave --ejson out, or write json")
            }
            guard spelling == "relaxed" || spelling == "canonical" else {
                throw refuse(
                    "ejson", "knows no \"\(spelling)\"", fix: "use relaxed or canonical")
            }
        }
        if given["embed"] != nil {
            guard isJSON, !isSplit else {
                throw refuse(
                    "embed", "is for the rows of one class as JSON or NDJSON",
                    fix: "leave --embed out, or write json")
            }
            _ = try EmbeddedLinks.levels(options)
        }
        if given["groups"] != nil {
            let isTable = target.name == Format.csv.name && given["profile"] != nil
            guard target.content == .contacts || isTable && given["profile"] != "plain" else {
                throw refuse(
                    "groups", "is for contacts written as cards or as an address book",
                    fix: "leave --groups out")
            }
        }
        _ = try PhoneFormatting.plan(options)
        if given["photos"] != nil, target.name != Format.csv.name || isSplit {
            throw refuse(
                "photos", "is for contacts written as one CSV",
                fix: "leave --photos out; other formats hold the photos themselves")
        }
        if given["overflow"] != nil {
            let profile = given["profile"] ?? "plain"
            guard target.name == Format.csv.name, profile != "plain",
                profile != Format.outlookTasks.name
            else {
                throw refuse(
                    "overflow", "is for the CSV columns of an address book",
                    fix: "name them with --profile google, outlook or thunderbird, or leave "
                        + "--overflow out")
            }
        }
    }

    /// The output that text of a target goes to.
    static func sink(_ sink: ByteSink, _ options: ExchangeOptions) -> ByteSink {
        options.extra["pretty"] == nil ? sink : PrettyJSONSink(sink)
    }
}
