// Where the numbers of contacts get one form (`--phone-format e164 --region XX`): as soon as there
// are contacts, be it those of the input or what a map makes of the rows of an app.

/// Puts the numbers of contacts into one form, where the options ask for it.
enum PhoneFormatting {
    /// Whether the options ask for it.
    static func isAsked(_ options: ExchangeOptions) -> Bool {
        options.extra["phone-format"] != nil
    }

    /// The way to dial that the options name; nil where they ask for nothing.
    /// - Throws: `usage`.
    static func plan(_ options: ExchangeOptions) throws(FormatError) -> DiallingPlan? {
        let region = options.extra["region"]
        guard let form = options.extra["phone-format"] else {
            if region == nil { return nil }
            throw FormatError(
                .usage, "--region says how numbers are dialled for --phone-format only",
                fix: "add --phone-format e164, or leave --region out")
        }
        guard form == "e164" else {
            throw FormatError(
                .usage, "--phone-format knows no \"\(form)\"", fix: "use --phone-format e164")
        }
        guard let region else {
            throw FormatError(
                .usage, "--phone-format needs the country whose numbers have no country's code",
                fix: "name it by its two letters, such as --region DE")
        }
        guard let plan = CallingCodes.plan(region) else {
            throw FormatError(
                .usage, "how numbers are dialled in the region \"\(region)\" is not known",
                fix: "name a country by its two letters (ISO 3166), such as DE, GB or US")
        }
        return plan
    }

    /// A source whose contacts have their numbers in one form.
    static func apply(_ source: ReadSource, _ context: ExchangeContext) throws(FormatError)
        -> ReadSource
    {
        guard hasContacts(source.reader.schema), let plan = try plan(context.options) else {
            return source
        }
        var source = source
        source.reader = PhoneFormatReader(source.reader, plan, context)
        return source
    }

    /// The same for contacts that were made of other rows.
    /// - Parameter source: the schema before.
    /// - Throws: `usage` where there are no contacts.
    static func apply(
        _ reader: any RecordReader, from source: Schema, _ context: ExchangeContext
    ) throws(FormatError) -> any RecordReader {
        guard let plan = try plan(context.options), !hasContacts(source) else { return reader }
        guard hasContacts(reader.schema) else {
            throw FormatError(
                .usage, "--phone-format is for contacts, and the input has none",
                fix: "leave --phone-format out")
        }
        return PhoneFormatReader(reader, plan, context)
    }

    private static func hasContacts(_ schema: Schema) -> Bool {
        schema.index(of: "Contact").map { schema.classes[$0].index(of: "phones") != nil } ?? false
    }
}
