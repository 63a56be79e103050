// Which IANA zone does a name mean? Names travel in many dresses: IANA names, Windows names, and
// IANA names behind a vendor's prefix. The rules of a zone are `TimeZone`'s business.

/// Resolves the names that files give to time zones.
package enum ZoneNames {
    private static func lines(_ text: StaticString) -> [String] {
        text.withUTF8Buffer { bytes in
            // By bytes: to split text by characters takes ten times as long.
            bytes.split(separator: 10).map { String(decoding: $0, as: UTF8.self) }
        }
    }

    /// IANA names by their lower case.
    private static let iana: [String: String] = {
        var names: [String: String] = [:]
        for line in lines(ZoneNameData.iana) { names[line.lowercased()] = line }
        return names
    }()

    /// IANA names by the lower case of the Windows name.
    private static let windows: [String: String] = {
        var names: [String: String] = [:]
        for line in lines(ZoneNameData.windows) {
            guard let equals = line.firstIndex(of: "=") else { continue }
            names[line[..<equals].lowercased()] = String(line[line.index(after: equals)...])
        }
        return names
    }()

    /// The Windows name of an IANA zone, for formats that speak Windows; nil when there is none.
    package static func windowsName(of zone: String) -> String? {
        if zone == "UTC" { return "UTC" }
        for line in lines(ZoneNameData.windows) where line.hasSuffix("=" + zone) {
            return String(line.dropLast(zone.utf8.count + 1))
        }
        return nil
    }

    /// True for an IANA name in its usual spelling.
    package static func isKnown(_ name: String) -> Bool { iana[name.lowercased()] == name }

    /// The IANA name a zone name means, nil when none is known.
    ///
    /// Letter case is ignored. `/vendor.org/20200101/Europe/Berlin` means `Europe/Berlin`;
    /// `W. Europe Standard Time` and Lotus' `W. Europe` are Windows' names for it, and
    /// `(UTC+01:00) Amsterdam, Berlin` is what Windows shows.
    package static func resolve(_ name: String) -> String? {
        guard name.utf8.count <= 200 else { return nil }
        var key = name.lowercased()
        while let c = key.last, c == " " || c == "\"" { key.removeLast() }
        while let c = key.first, c == " " || c == "\"" { key.removeFirst() }
        if let known = iana[key] { return known }
        if let known = windows[key] ?? windows[key + " standard time"] { return known }
        if universal.contains(key) { return "UTC" }
        if key.hasSuffix(" daylight time"),
            let known = windows[key.dropLast(14) + " standard time"]
        {
            return known
        }
        var rest = Substring(key)
        while let slash = rest.firstIndex(of: "/") {
            rest = rest[rest.index(after: slash)...]
            // A tail of one part only counts where the zone itself has one (UTC).
            if let known = iana[String(rest)], rest.contains("/") || known == "UTC" {
                return known
            }
        }
        return old[key] ?? offset(key) ?? city(key)
    }

    /// Names of Windows that are no longer in use, and what Exchange calls them.
    private static let old = [
        "kamchatka standard time": "Asia/Kamchatka", "mid-atlantic standard time": "Etc/GMT+2",
        "greenwich mean time": "Etc/GMT",
    ]

    /// What Windows and Exchange show for zones that they name by no city.
    private static let shown = [
        "eastern time (us & canada)": "America/New_York",
        "central time (us & canada)": "America/Chicago",
        "mountain time (us & canada)": "America/Denver",
        "pacific time (us & canada)": "America/Los_Angeles",
        "pacific time (us & canada); tijuana": "America/Los_Angeles",
        "atlantic time (canada)": "America/Halifax", "indiana (east)": "America/Indianapolis",
        "arizona": "America/Phoenix", "alaska": "America/Anchorage",
        "hawaii": "Pacific/Honolulu", "saskatchewan": "America/Regina",
        "newfoundland": "America/St_Johns", "central america": "America/Guatemala",
        "azores": "Atlantic/Azores", "cape verde is.": "Atlantic/Cape_Verde",
    ]

    /// The zone of a whole number of hours: `UTC+2`, `UTC-05:00`, `GMT+0200`. Other offsets have no
    /// zone of their own.
    private static func offset(_ key: String) -> String? {
        guard key.hasPrefix("utc") || key.hasPrefix("gmt") else { return nil }
        var rest = key.dropFirst(3)
        guard let sign = rest.popFirst(), sign == "+" || sign == "-" else { return nil }
        let digits = rest.filter { $0 != ":" }
        guard digits.allSatisfy({ $0.isASCII && $0.isNumber }) else { return nil }
        var hours = digits
        if digits.count > 2 {
            guard digits.count <= 4, digits.hasSuffix("00") else { return nil }
            hours = String(digits.dropLast(2))
        }
        guard let number = Int(hours), number <= (sign == "+" ? 14 : 12) else { return nil }
        // The signs of these names count westwards.
        return number == 0 ? "Etc/GMT" : "Etc/GMT" + (sign == "+" ? "-" : "+") + "\(number)"
    }

    /// Names of universal time that are in neither list.
    private static let universal: Set = [
        "z", "tzone://microsoft/utc", "coordinated universal time", "universal coordinated time",
    ]

    /// The zone of the first city that has one, of a name as Windows shows it:
    /// `(UTC+01:00) Amsterdam, Berlin, Rome`, and Exchange without what is in front.
    private static func city(_ key: String) -> String? {
        var rest = key[...]
        if key.hasPrefix("(utc") || key.hasPrefix("(gmt"), let end = key.firstIndex(of: ")") {
            rest = key[key.index(after: end)...].drop { $0 == " " }
        } else if !key.contains(", ") {
            return shown[key]
        }
        if let known = shown[String(rest)] { return known }
        for part in rest.split(whereSeparator: { ",/:;".contains($0) }) {
            let name = part.split(separator: " ").joined(separator: "_")
            let ending = "/" + name
            // The first in the order of the alphabet, so that it is always the same.
            let found = iana.keys.filter { !name.isEmpty && $0.hasSuffix(ending) }.min()
            if let found { return iana[found] }
        }
        return nil
    }
}
