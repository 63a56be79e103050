// The converters a plan can name. How values pass through them stands in `Conversions`.

internal import Formats

/// A named way from one type to another.
public enum Converter: Sendable, Equatable {
    /// Text to date by the first pattern that fits, in a zone.
    case parseDate([String], zone: String?)
    /// Date to text by a pattern, in a zone.
    case formatDate(String, zone: String?)
    /// Numbers of seconds or milliseconds since 1970 to dates, and back.
    case epoch(Unit)
    /// Text to a number, strictly.
    case number
    /// Anything to text.
    case text
    /// Text and bytes through base64.
    case base64
    /// Text to a UUID; other text to a name-based one (version 5) where a namespace is given.
    case uuid(namespace: String?)
    /// Text to an ObjectId.
    case objectId
    /// Text and numbers to a decimal.
    case decimal

    /// The unit of a number of time.
    public enum Unit: String, Sendable, CaseIterable {
        case s, ms
    }

    private static let words = ["number", "text", "base64", "uuid", "objectId", "decimal"]

    init(_ tree: JSONTree) throws(FormatError) {
        if let word = tree.string {
            switch word {
            case "number": self = .number
            case "text": self = .text
            case "base64": self = .base64
            case "uuid": self = .uuid(namespace: nil)
            case "objectId": self = .objectId
            case "decimal": self = .decimal
            default:
                throw FormatError(
                    .unknownName, "there is no converter \"\(word)\"", offset: tree.offset,
                    fix: suggestion(
                        for: word,
                        among: Converter.words + ["parseDate", "formatDate", "epoch"]))
            }
            return
        }
        var members = try PlanMembers(tree, "a converter")
        let names = ["parseDate", "formatDate", "epoch", "uuid"]
        // A decoder may have lost the order of the members.
        guard let first = tree.members?.first(where: { names.contains($0.name) }) else {
            throw FormatError(
                .unknownName, "there is no such converter", offset: tree.offset,
                fix: suggestion(
                    for: members.first?.name ?? "", among: Converter.words + names))
        }
        let subject = try members.need(first.name)
        switch first.name {
        case "parseDate":
            let patterns =
                subject.string == nil
                ? try PlanMembers.texts(subject, "parseDate")
                : [try PlanMembers.text(subject, "parseDate")]
            for pattern in patterns { try Converter.check(pattern, subject) }
            self = .parseDate(patterns, zone: try Converter.zone(&members))
        case "formatDate":
            let pattern = try PlanMembers.text(subject, "formatDate")
            try Converter.check(pattern, subject)
            self = .formatDate(pattern, zone: try Converter.zone(&members))
        case "epoch": self = .epoch(try PlanMembers.word(subject, "epoch"))
        default:
            let space = try PlanMembers.text(subject, "uuid")
            guard Conversions.uuid(space) != nil else {
                throw FormatError(
                    .badValue, "the namespace of name-based UUIDs must be a UUID",
                    offset: subject.offset)
            }
            self = .uuid(namespace: space)
        }
        try members.finish()
    }

    private static func zone(_ members: inout PlanMembers) throws(FormatError) -> String? {
        guard let tree = members.take("zone") else { return nil }
        let name = try PlanMembers.text(tree, "zone")
        guard TimeZone.named(name) != nil else {
            throw FormatError(
                .unknownName, "there is no time zone \(name)", offset: tree.offset,
                fix: "zones have names such as Europe/Paris")
        }
        return name
    }

    private static func check(_ pattern: String, _ tree: JSONTree) throws(FormatError) {
        do throws(FormatError) { _ = try DatePattern(pattern) } catch {
            throw error.with { $0.offset = tree.offset }
        }
    }

    var json: PlanJSON {
        switch self {
        case .parseDate(let patterns, let zone):
            .members([
                ("parseDate", .array(patterns.map { .string($0) })),
                ("zone", zone.map { .string($0) }),
            ])
        case .formatDate(let pattern, let zone):
            .members([("formatDate", .string(pattern)), ("zone", zone.map { .string($0) })])
        case .epoch(let unit): .members([("epoch", .string(unit.rawValue))])
        case .number: .string("number")
        case .text: .string("text")
        case .base64: .string("base64")
        case .uuid(let space):
            space.map { .members([("uuid", .string($0))]) } ?? .string("uuid")
        case .objectId: .string("objectId")
        case .decimal: .string("decimal")
        }
    }

    /// The converter in a few words.
    var line: String {
        switch self {
        case .parseDate(let patterns, let zone):
            "date " + patterns.map { "\"\($0)\"" }.joined(separator: " or ")
                + " in \(zone ?? "UTC")"
        case .formatDate(let pattern, let zone): "format \"\(pattern)\" in \(zone ?? "UTC")"
        case .epoch(let unit): "epoch \(unit.rawValue)"
        case .number: "number"
        case .text: "text"
        case .base64: "base64"
        case .uuid(let space): space == nil ? "uuid" : "uuid (name-based)"
        case .objectId: "objectId"
        case .decimal: "decimal"
        }
    }

    /// The zone the converter works in, where it has one.
    var zone: String? {
        switch self {
        case .parseDate(_, let zone), .formatDate(_, let zone): zone ?? "UTC"
        default: nil
        }
    }
}
