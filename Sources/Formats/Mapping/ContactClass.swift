// The built-in class of contacts, `Contact`, and the embedded classes it owns (DESIGN 1.4). Only
// the shape: `ContactMapper` fills it from cards and turns it back into lines.

/// The built-in lossless class of contacts.
public enum ContactClass {
    /// The classes: `Contact` first, then the embedded ones.
    public static let schema = Schema(classes: [
        contact, text, name, phone, service, organization, gender, address, labeledDate, moment,
        media, line,
    ])

    /// What every embedded item carries besides its own properties, in this order, before them.
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

    private static func optional(_ name: String) -> Property {
        Property(name, .string, isOptional: true)
    }

    private static func required(_ name: String) -> Property { Property(name, .string) }

    private static func strings(_ name: String) -> Property {
        Property(name, .string, collection: .list)
    }

    private static func list(_ name: String, of target: String) -> Property {
        Property(name, .link, collection: .list, target: target)
    }

    private static func single(_ name: String, of target: String) -> Property {
        Property(name, .link, isOptional: true, target: target)
    }

    private static let contact = ClassSchema(
        "Contact", primaryKey: "_id",
        properties: [
            Property("_id", .objectId),
            optional("uid"), optional("kind"), optional("version"), optional("productID"),
            required("formattedName"),
            single("revision", of: "Moment"),
            list("names", of: "Name"),
            list("formattedNames", of: "Text"), list("nicknames", of: "Text"),
            list("titles", of: "Text"), list("roles", of: "Text"), list("notes", of: "Text"),
            list("categories", of: "Text"), list("emails", of: "Text"), list("urls", of: "Text"),
            list("relations", of: "Text"), list("languages", of: "Text"),
            list("members", of: "Text"), list("timeZones", of: "Text"), list("geo", of: "Text"),
            list("labels", of: "Text"),
            list("organizations", of: "Organization"),
            list("phones", of: "Phone"),
            list("services", of: "Service"),
            list("addresses", of: "Address"),
            list("dates", of: "LabeledDate"),
            list("photos", of: "Media"), list("logos", of: "Media"), list("sounds", of: "Media"),
            list("keys", of: "Media"),
            single("gender", of: "Gender"),
            list("agents", of: "Text"),
            list("extras", of: "Line"),
        ])

    private static let text = embedded("Text", [required("value")])

    private static let name = embedded(
        "Name",
        [
            required("family"), required("given"), strings("additional"), strings("prefixes"),
            strings("suffixes"), strings("more"), strings("sortAs"), optional("phoneticFamily"),
            optional("phoneticGiven"), optional("phoneticMiddle"),
        ])

    private static let phone = embedded(
        "Phone", [required("value"), optional("uri"), optional("extension")])

    private static let service = embedded(
        "Service", [optional("service"), required("user"), optional("uri")])

    private static let organization = embedded(
        "Organization", [required("name"), strings("units"), optional("sortAs")])

    private static let gender = embedded("Gender", [required("sex"), optional("text")])

    private static let address = embedded(
        "Address",
        [
            required("poBox"), required("extended"), required("street"), required("locality"),
            required("region"), required("postalCode"), required("country"), strings("more"),
            optional("formatted"), optional("countryCode"),
        ])

    private static let labeledDate = embedded(
        "LabeledDate",
        [
            required("kind"), Property("year", .int, isOptional: true),
            Property("month", .int, isOptional: true), Property("day", .int, isOptional: true),
            optional("time"), optional("text"),
        ])

    private static let moment = embedded(
        "Moment", [Property("date", .date, isOptional: true), required("text")])

    private static let media = embedded(
        "Media",
        [
            Property("data", .data, isOptional: true), optional("uri"), optional("mediaType"),
            optional("declaredType"),
        ])

    /// A content line kept as it is; the same class that `TodoItem` has.
    private static let line = embedded("Line", [required("name"), required("value")])
}
