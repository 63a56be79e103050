// The value types of jCard: which one a property has when nothing says otherwise, and the two
// spellings of dates and times, basic in vCard 4.0 and extended in jCard.

enum JCardTypes {
    /// The type of a property of vCard 4.0 (RFC 6350, 6474, 6715, 8605, 9554) without VALUE; nil
    /// for one that is not registered.
    static func usual(_ name: String) -> String? {
        types[name]
    }

    private static let types: [String: String] = {
        var types: [String: String] = [:]
        for (type, names) in [
            (
                "text",
                "VERSION KIND XML FN N NICKNAME GENDER ADR TEL EMAIL TZ TITLE ROLE ORG CATEGORIES "
                    + "NOTE PRODID CLIENTPIDMAP EXPERTISE HOBBY INTEREST BIRTHPLACE DEATHPLACE "
                    + "GRAMGENDER PRONOUNS LABEL SORT-STRING CLASS MAILER AGENT NAME"
            ),
            (
                "uri",
                "SOURCE PHOTO IMPP GEO LOGO MEMBER RELATED SOUND UID URL KEY FBURL CALADRURI "
                    + "CALURI ORG-DIRECTORY CONTACT-URI SOCIALPROFILE"
            ),
            ("date-and-or-time", "BDAY ANNIVERSARY DEATHDATE"),
            ("timestamp", "REV CREATED"),
            ("language-tag", "LANG LANGUAGE"),
        ] {
            for name in names.split(separator: " ") { types[String(name)] = type }
        }
        return types
    }()

    /// True for a type that needs no VALUE in a line of the dialect.
    static func isUsual(_ type: String, _ name: String, _ dialect: ContentDialect) -> Bool {
        if type == "unknown" { return true }
        if dialect != .vCard4 {
            switch name {
            case "PHOTO", "LOGO", "SOUND", "KEY": return type == "binary"
            case "AGENT": return type == "vcard"
            case "GEO": return type == "float"
            case "TZ": return type == "utc-offset"
            case "TEL": return type == "phone-number" || type == "text"
            case "REV": return isTime(type)
            default: break
            }
        }
        let usual = usual(name)
        return type == usual || (isTime(type) && usual == "date-and-or-time")
    }

    /// Properties whose value is a list of texts.
    static func isList(_ name: String) -> Bool { name == "NICKNAME" || name == "CATEGORIES" }

    /// Properties whose value has components.
    static func isStructured(_ name: String) -> Bool {
        ["N", "ADR", "ORG", "GENDER", "CLIENTPIDMAP"].contains(name)
    }

    /// Properties whose components may be lists; in the others a comma is text.
    static func hasLists(_ name: String) -> Bool { name == "N" || name == "ADR" }

    /// True for types whose values are dates, times or both.
    static func isTime(_ type: String) -> Bool {
        ["date", "time", "date-time", "date-and-or-time", "timestamp"].contains(type)
    }

    // MARK: Dates

    /// A date in extended form; the text itself when it is no date.
    static func extended(_ text: String) -> String {
        spelled(text) { year, month, day, time in
            var out = ""
            if let year {
                out = padded(year, 4)
                if let month { out += "-" + padded(month, 2) }
                if month != nil, let day { out += "-" + padded(day, 2) }
            } else if let month {
                out = "--" + padded(month, 2) + (day.map { "-" + padded($0, 2) } ?? "")
            } else if let day {
                out = "---" + padded(day, 2)
            }
            return time.map { out + "T" + extendedTime($0) } ?? out
        }
    }

    /// A date in the basic form of vCard 4.0; the text itself when it is no date.
    static func basic(_ text: String) -> String {
        spelled(text) { year, month, day, time in
            var out = ""
            if let year {
                out = padded(year, 4)
                if let month { out += (day == nil ? "-" : "") + padded(month, 2) }
                if month != nil, let day { out += padded(day, 2) }
            } else if let month {
                out = "--" + padded(month, 2) + (day.map { padded($0, 2) } ?? "")
            } else if let day {
                out = "---" + padded(day, 2)
            }
            return time.map { out + "T" + $0.filter { $0 != ":" } } ?? out
        }
    }

    private static func spelled(
        _ text: String,
        _ body: (_ year: Int?, _ month: Int?, _ day: Int?, _ time: String?) -> String
    ) -> String {
        let bytes = Array(text.utf8)
        return bytes.withUnsafeBytes { bytes in
            guard let date = CardDate(bytes) else { return text }
            let time = date.time.map { String(decoding: bytes[$0], as: UTF8.self) }
            return body(date.year, date.month, date.day, time)
        }
    }

    /// `231000Z` as `23:10:00Z`; parts that are left out stay out.
    static func extendedTime(_ time: String) -> String {
        let bytes = Array(time.utf8)
        if bytes.contains(0x3A) { return time }
        var dashes = 0
        while dashes < bytes.count, bytes[dashes] == 0x2D { dashes += 1 }
        var i = dashes
        while i < bytes.count, bytes[i] &- 0x30 < 10 { i += 1 }
        let digits = bytes[dashes..<i]
        guard digits.count % 2 == 0, digits.count <= 6, dashes <= 2 else { return time }
        var out = String(repeating: "-", count: dashes)
        for (k, byte) in digits.enumerated() {
            if k > 0, k % 2 == 0 { out += ":" }
            out.unicodeScalars.append(Unicode.Scalar(byte))
        }
        let rest = String(decoding: bytes[i...], as: UTF8.self)
        return out + offset(rest)
    }

    /// `-0500` as `-05:00`.
    static func offset(_ text: String) -> String {
        let bytes = Array(text.utf8)
        guard bytes.count == 5, bytes[0] == 0x2B || bytes[0] == 0x2D,
            bytes[1...].allSatisfy({ $0 &- 0x30 < 10 })
        else { return text }
        return String(decoding: bytes[0..<3], as: UTF8.self) + ":"
            + String(decoding: bytes[3...], as: UTF8.self)
    }

    private static func padded(_ value: Int, _ width: Int) -> String {
        let digits = String(value)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
}
