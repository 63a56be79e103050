// What a user says about an import into a store that has rows already: how to tell that an
// incoming row is an old acquaintance, and what to do then.

/// What happens to an incoming row that is in the store already, with other content.
public enum OnMatch: String, CaseIterable, Sendable {
    /// What the source says is set; the rest stays.
    case update
    /// The stored row stays as it is.
    case skip
    /// All properties are set; those that the source does not have are emptied.
    case replace
    /// As `update`, if the incoming row was changed later (`REV`, `LAST-MODIFIED`).
    case newest
    /// Both rows are kept; the incoming one gets a key of its own.
    case keepBoth = "keep-both"
    /// The import ends with an error.
    case fail
}

/// How an import into existing rows goes.
public struct ImportOptions: Sendable {
    /// What rows are matched by, in order of trust: properties, `uid`, `email`, `phone`, `name`,
    /// or several of them joined by `+`. nil: the primary key and, where there is one, the `uid`.
    public var match: [String]?
    /// What happens on a match.
    public var onMatch = OnMatch.update
    /// The class of the store that rows of the incoming class go to; nil: the one of its name.
    public var targetClass: String?
    /// The properties (of the incoming class) that the source really has; nil for all of them.
    public var provided: Set<String>?
    /// True when the incoming primary keys were derived from content, not read: they are then
    /// the last thing to match by.
    public var areKeysDerived = false
    /// True when a null, an empty list or an empty required text of the source says nothing, as
    /// in cards and tables; an update then leaves what is stored.
    public var emptySaysNothing = false

    /// Tells the day of a clock time, by its text and the names of its zone.
    package typealias Day = @Sendable (_ local: String, _ zones: [String]) -> String?
    /// The day of clock times in the zone that was named; nil where none was.
    package var dayHere: Day?

    /// The rows were made of cards or to-dos by a map.
    package var areRowsOfRecords = false

    /// Tells the second since 1970 that a clock time means: by its text, the names of its zone
    /// (none for a time that is the same everywhere), and definitions of zones; nil where it is
    /// not known.
    package typealias Instant =
        @Sendable (_ local: String, _ zones: [String], _ definitions: [String]) -> Int64?
    /// What clock times mean; without it they are compared as they are written.
    package var instant: Instant?

    /// The usual options.
    public init() {}

    /// Reads the list of a `--match` option.
    public mutating func setMatch(_ text: String) throws(FormatError) {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        guard !parts.contains(where: \.isEmpty) else {
            throw FormatError(
                .usage, "--match needs names between its commas", excerpt: text,
                fix: "write for example --match uid,name+email")
        }
        match = parts
    }
}
