// The built-in class of to-dos, `TodoItem`, and the embedded classes it owns (DESIGN 1.4). Only
// the shape: iCalendar and the task formats fill it, the maps of the small apps read it.

/// The built-in lossless class of to-dos.
public enum TodoClass {
    /// The classes: `TodoItem` first, then the embedded ones.
    public static let schema = Schema(classes: [item, date, relation, line])

    /// What every embedded item carries besides its own properties, in this order.
    package static let itemProperties: [Property] = [
        Property("order", .int),
        Property("group", .string, isOptional: true),
        Property("label", .string, isOptional: true),
        Property("types", .string, collection: .list),
        Property("preference", .int, isOptional: true),
        Property("language", .string, isOptional: true),
        Property("parameters", .string, collection: .list),
        Property("raw", .string, isOptional: true),
    ]

    private static func embedded(_ name: String, _ own: [Property]) -> ClassSchema {
        ClassSchema(name, kind: .embedded, properties: itemProperties + own)
    }

    private static func text(_ name: String) -> Property {
        Property(name, .string, isOptional: true)
    }

    private static func number(_ name: String) -> Property {
        Property(name, .int, isOptional: true)
    }

    private static func moment(_ name: String) -> Property {
        Property(name, .link, isOptional: true, target: "TodoDate")
    }

    private static func texts(_ name: String) -> Property {
        Property(name, .string, collection: .list)
    }

    private static let item = ClassSchema(
        "TodoItem", primaryKey: "_id",
        properties: [
            Property("_id", .objectId),
            text("uid"), text("title"), text("notes"), text("status"),
            moment("completed"), moment("created"), moment("modified"), moment("stamp"),
            moment("recurrenceID"),
            number("percent"), number("priority"), number("sequence"),
            moment("start"), moment("due"), text("duration"),
            texts("recurrence"),
            Property("relations", .link, collection: .list, target: "Relation"),
            texts("categories"),
            text("classification"), text("location"), text("url"), text("geo"), text("color"),
            texts("components"), texts("timeZones"),
            Property("extras", .link, collection: .list, target: "Line"),
        ])

    private static let date = embedded(
        "TodoDate",
        [
            Property("local", .string),
            Property("tzid", .string, isOptional: true),
            Property("zone", .string, isOptional: true),
        ])

    private static let relation = embedded(
        "Relation", [Property("kind", .string), Property("uid", .string)])

    /// A content line kept as it is; the same class that `Contact` has.
    private static let line = embedded(
        "Line", [Property("name", .string), Property("value", .string)])
}
