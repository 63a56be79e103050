// What has to be known of all contacts before the first of them is written: who is in which group, and
// how many columns the fullest needs. The opened input is read once more for it, in silence.

/// A look at all contacts of an input.
struct ContactsAhead {
    let groups: ContactGroups
    let names: CardNames
    /// By the word that numbered columns begin with.
    let widths: [String: Int]

    /// Looks at the contacts of a reader, where something has to be known.
    /// - Parameters:
    ///   - profile: the columns to be written; nil for a map.
    ///   - reader: makes a reader of its own.
    /// - Returns: nil where there is nothing to know.
    static func look(
        at opened: OpenedInput, profile: String?, context: ExchangeContext,
        _ reader: (ExchangeContext) throws(FormatError) -> any RecordReader
    ) throws(FormatError) -> ContactsAhead? {
        let counts = profile.map(AddressBookWidths.vary) ?? false
        let looksUp = profile != nil && mayHold(CardNames.mayBeIn, opened)
        guard counts || looksUp || mayHoldGroups(opened) else { return nil }
        let reader = try reader(ExchangeContext(options: context.options))
        let groups = ContactGroups()
        let names = CardNames()
        let widths = AddressBookWidths()
        let batch = RecordBatch(schema: reader.schema)
        while try reader.next(into: batch) {
            groups.note(batch)
            if looksUp { names.note(batch) }
            if counts { widths.note(batch) }
        }
        names.settle()
        return ContactsAhead(groups: groups, names: names, widths: widths.counts)
    }

    /// The profile that contacts are written with, where it is none of our own.
    static func profile(_ target: Format, _ context: ExchangeContext) -> String? {
        guard target.name == Format.csv.name, let profile = context.options.extra["profile"],
            profile != "plain", profile != Format.outlookTasks.name
        else { return nil }
        return profile
    }

    /// Whether the cards of groups are to become categories of their members; tables do so anyway.
    static func endsGroups(_ target: Format, _ context: ExchangeContext) -> Bool {
        target.content == .contacts && context.options.extra["groups"] != nil
    }

    /// False for text without the word that every group has.
    private static func mayHoldGroups(_ opened: OpenedInput) -> Bool {
        mayHold({ ByteSearch.containsFolded($0, "group") }, opened)
    }

    /// What a look at the bytes says; true where they are no plain text.
    private static func mayHold(
        _ look: (UnsafeRawBufferPointer) -> Bool, _ opened: OpenedInput
    ) -> Bool {
        let bytes = opened.input.bytes
        guard opened.format.isText else { return true }
        // Wide characters.
        if bytes.prefix(4).contains(where: { $0 == 0 || $0 >= 0xFE }) { return true }
        return look(bytes)
    }

    /// Contacts with their groups as categories.
    func withoutGroups(_ reader: any RecordReader, _ context: ExchangeContext) -> any RecordReader {
        groups.isEmpty ? reader : GroupCategoryReader(grouping(reader, context))
    }

    /// A reader that knows the groups.
    func grouping(_ reader: any RecordReader, _ context: ExchangeContext) -> any RecordReader {
        groups.isEmpty && names.isEmpty
            ? reader : GroupingReader(reader, groups, names, context)
    }
}
