// The parameters of vCalendar 1.0 as iCalendar 2.0 has them: words without a name get one, those of
// the transfer go, and the participants of an event or to-do become addresses.

/// Parameters of vCalendar 1.0.
enum LegacyParameters {
    /// Appends the parameters of a line, which is decoded.
    /// - Parameter skipped: names, in capitals, that the value's form says already.
    static func append(
        _ line: ContentLine, _ lines: ContentLines, without skipped: Set<String> = [],
        to out: RawVector<UInt8>
    ) {
        for j in lines.parameterIndices(line) {
            let parameter = lines.parameters[j]
            let value = lines.string(parameter.value)
            let name = parameter.isBare ? bareName(value) : lines.string(parameter.name)
            guard !skipped.contains(name.uppercased()) else { continue }
            // The encoding says it.
            if line.flags.contains(.base64), name.isInCapitals("VALUE"),
                value.isInCapitals("BINARY")
            {
                continue
            }
            append(name, value, to: out)
        }
    }

    /// What a word without a name says.
    private static func bareName(_ word: String) -> String {
        switch word.uppercased() {
        case "7BIT", "8BIT", "BASE64", "QUOTED-PRINTABLE": "ENCODING"
        case "INLINE", "URL", "CONTENT-ID", "CID": "VALUE"
        default: "TYPE"
        }
    }

    private static func append(_ name: String, _ value: String, to out: RawVector<UInt8>) {
        var text = name + "=" + value
        switch (name.uppercased(), value.uppercased()) {
        case ("ENCODING", "BASE64"), ("ENCODING", "B"): text = "ENCODING=BASE64;VALUE=BINARY"
        case ("ENCODING", _), ("CHARSET", _), ("VALUE", "INLINE"): return
        case ("VALUE", "URL"), ("VALUE", "CONTENT-ID"), ("VALUE", "CID"): text = "VALUE=URI"
        default:
            _ = text.withUTF8 {
                TodoLine.append(parameter: UnsafeRawBufferPointer($0), to: out)
            }
            return
        }
        out.append(0x3B)
        out.append(text)
    }

    // MARK: Participants

    /// An ATTENDEE line, whose value is an address and whose parameters have names and words of
    /// their own in 2.0; nil where there is no address.
    static func attendee(
        _ line: ContentLine, _ lines: ContentLines, value text: String, to out: RawVector<UInt8>
    ) -> Bool {
        guard let (name, address) = address(text) else { return false }
        out.append("ATTENDEE")
        if !name.isEmpty { append("CN", quoted: name, to: out) }
        for j in lines.parameterIndices(line) {
            let parameter = lines.parameters[j]
            let value = lines.string(parameter.value)
            let key = parameter.isBare ? bareName(value) : lines.string(parameter.name)
            let word = value.uppercased()
            switch key.uppercased() {
            case "ROLE":
                if word == "OWNER" || word == "ORGANIZER" { append("ROLE", "CHAIR", to: out) }
                if word != "ATTENDEE" { append("X-RTOOL-ROLE", value, to: out) }
            case "STATUS":
                append("PARTSTAT", states[word] ?? "NEEDS-ACTION", to: out)
                if states[word] != word { append("X-RTOOL-STATUS", quoted: value, to: out) }
            case "RSVP": append("RSVP", word == "YES" || word == "TRUE" ? "TRUE" : "FALSE", to: out)
            case "EXPECT":
                if word == "FYI" { append("ROLE", "NON-PARTICIPANT", to: out) }
                append("X-RTOOL-EXPECT", value, to: out)
            case "VALUE": continue
            default: append(key, value, to: out)
            }
        }
        out.append(0x3A)
        out.append(address)
        return true
    }

    private static let states = [
        "ACCEPTED": "ACCEPTED", "NEEDS ACTION": "NEEDS-ACTION", "NEEDS-ACTION": "NEEDS-ACTION",
        "SENT": "NEEDS-ACTION", "TENTATIVE": "TENTATIVE", "CONFIRMED": "ACCEPTED",
        "DECLINED": "DECLINED", "COMPLETED": "COMPLETED", "DELEGATED": "DELEGATED",
    ]

    private static func append(_ name: String, quoted value: String, to out: RawVector<UInt8>) {
        var value = value
        out.append(0x3B)
        out.append(name)
        out.append(0x3D)
        value.withUTF8 {
            ParameterText.encode(UnsafeRawBufferPointer($0), .iCalendar, into: out)
        }
    }

    private static func trimmed(_ text: String) -> String {
        var rest = text[...]
        while rest.first?.isWhitespace == true { rest.removeFirst() }
        while rest.last?.isWhitespace == true { rest.removeLast() }
        return String(rest)
    }

    /// The name and the address of `John <j@x.example>`, `j@x.example` or `mailto:j@x.example`.
    private static func address(_ text: String) -> (name: String, address: String)? {
        var name = ""
        var address = trimmed(text)
        if address.hasSuffix(">"), let open = address.lastIndex(of: "<") {
            name = trimmed(String(address[..<open]))
            address = trimmed(String(address[address.index(after: open)...].dropLast()))
        }
        if name.count > 1, name.hasPrefix("\""), name.hasSuffix("\"") {
            name = String(name.dropFirst().dropLast())
        }
        guard !address.contains(where: { $0.isWhitespace || "<>\"\\".contains($0) }) else {
            return nil
        }
        let lower = address.lowercased()
        if lower.hasPrefix("mailto:"), lower.contains("@") {
            return (name, "mailto:" + address.dropFirst(7))
        }
        if lower.hasPrefix("http:") || lower.hasPrefix("https:") || lower.hasPrefix("ldap:") {
            return (name, address)
        }
        guard address.contains("@"), !address.contains(":") else { return nil }
        return (name, "mailto:" + address)
    }
}
