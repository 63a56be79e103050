// Which of the options for writing a target takes. An option that would have no effect is an error
// of the command line, said before anything is read; what the options do is for the writers.

/// Options that only some targets take.
enum WritingOptions {
    private static let json: Set<String> = [Format.json.name, Format.ndjson.name]

    /// Refuses options that mean nothing for a target.
    /// - Throws: `usage`.
    static func check(_ target: Format, _ options: ExchangeOptions) throws(FormatError) {
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
    }

    /// The output that text of a target goes to.
    static func sink(_ sink: ByteSink, _ options: ExchangeOptions) -> ByteSink {
        options.extra["pretty"] == nil ? sink : PrettyJSONSink(sink)
    }
}
