// 4.0 to 3.0, and what never was a card (rows of address books, of apps) to strict 3.0.

extension VCardUpgrade {
    /// Finds the preferred line of each property and the alternatives that 3.0 cannot hold.
    func prepareDown() {
        best.removeAll()
        labelLines.removeAll()
        var seen: Set<String> = []
        var hasName = false
        var hasFormattedName = false
        for i in 0..<src.count {
            let line = src[i]
            if line.tag == ContactProperty.abLabel.rawValue, !line.group.isEmpty {
                labelLines[NameKey.of(src.bytes(line.group))] = i
            }
            let parameters = hasTypesAlone(line) ? Parameters() : parameters(line)
            if let preference = parameters.preference {
                best[line.key] = min(best[line.key] ?? 101, preference)
            }
            // How a name sounds is no other value of it.
            let isName = line.tag == ContactProperty.n.rawValue
            if isName, parameters.isPhonetic { continue }
            if isName, src.dialect == .vCard4 {
                if hasName {
                    taken.insert(i)
                    lost("alternative-dropped", line, "\(targetName) holds one of several names")
                    continue
                }
                hasName = true
            }
            let isFormattedName = line.tag == ContactProperty.fn.rawValue
            defer { hasFormattedName = hasFormattedName || isFormattedName }
            guard
                let altID = parameters.others.first(where: { $0.name.uppercased() == "ALTID" })
            else { continue }
            let id = src.string(line.name).uppercased() + "\u{0}" + src.string(altID.value)
            if !seen.insert(id).inserted || isFormattedName && hasFormattedName {
                taken.insert(i)
                lost("alternative-dropped", line, "\(targetName) holds one of several alternatives")
            }
        }
    }

    /// True for a line without parameters but plain types, none of which says that it is preferred.
    private func hasTypesAlone(_ line: ContentLine) -> Bool {
        for j in src.parameterIndices(line) {
            let parameter = src.parameters[j]
            guard parameter.key == NameKey.type, !parameter.isBare else { return false }
            let text = src.bytes(parameter.value)
            for c in text where (c | 0x20) &- 0x61 >= 26 && c != 0x2C && c != 0x2D { return false }
            if text.isEmpty || ByteSearch.containsFolded(text, "pref") { return false }
        }
        return true
    }

    /// True for a line among those of 3.0 that only 4.0 has.
    func isModern(_ line: ContentLine, _ property: ContactProperty) -> Bool {
        switch property {
        case .anniversary, .gender, .kind, .member, .related, .bday, .deathdate: return true
        default: break
        }
        for j in src.parameterIndices(line)
        where !src.parameters[j].isBare && src.parameters[j].key != NameKey.type {
            switch src.string(src.parameters[j].name).uppercased() {
            case "PREF", "ALTID", "MEDIATYPE", "SORT-AS", "PHONETIC": return true
            case "LABEL" where property == .adr: return true
            default: break
            }
        }
        return false
    }

    func down(_ i: Int, _ line: ContentLine, _ property: ContactProperty) {
        var parameters = parameters(line)
        parameters.others.removeAll { $0.name.uppercased() == "ALTID" }
        if let preference = parameters.preference {
            if preference == best[line.key] {
                best[line.key] = -1
                if preference > 1 { changed("pref-order", line, "only the best keeps its rank") }
            } else {
                parameters.preference = nil
                lost("pref-order", line, "\(targetName) has no ranking; only the best is preferred")
            }
        }
        if line.flags.contains(.nested) {
            // A card inside a card of an unknown version, or of one that has no such thing.
            open(line, name: "AGENT", group: !line.name.isEmpty)
            write(parameters)
            out.lines.base[out.count - 1].flags.insert(.nested)
            return closeAsIs(line)
        }
        switch property {
        case .tel:
            parameters.value = nil
            open(line)
            write(parameters)
            let value = text(line)
            if value.lowercased().hasPrefix("tel:") {
                if value.contains(";") {
                    changed(
                        "tel-parameters", line,
                        "\(targetName) has numbers as text; the URI's parameters are part of it")
                }
                close(text: String(value.dropFirst(4)))
            } else {
                close(text: value)
            }
        case .email:
            if !parameters.has("internet") { parameters.types.insert("INTERNET", at: 0) }
            open(line)
            write(parameters)
            closeValue(line)
        case .adr: addressDown(line, parameters)
        case .n where parameters.isPhonetic: phoneticDown(line)
        case .n:
            let sortAs = take("SORT-AS", &parameters)
            open(line)
            write(parameters)
            closeValue(line, semicolons: true, commas: true)
            if let sortAs {
                open(line, name: "SORT-STRING", group: false)
                close(text: sortAs)
            }
        case .photo, .logo, .sound, .key: mediaDown(line, property, parameters)
        case .geo:
            open(line)
            write(parameters)
            let value = text(line)
            let parts =
                value.dropFirst(4).split(separator: ";")[0...].first?
                .split(separator: ",") ?? []
            if value.lowercased().hasPrefix("geo:"), parts.count >= 2 {
                if parts.count > 2 || value.contains(";") {
                    lost(
                        "geo-parameters", line,
                        "\(targetName) holds latitude and longitude alone")
                }
                out.close(value: out.add("\(parts[0]);\(parts[1])"))
            } else {
                closeAsIs(line)
            }
        case .url, .impp, .source, .calendarURI, .freeBusyURL, .calendarAddress:
            open(line)
            write(parameters)
            out.close(value: out.add(line.value, of: src))
        case .bday, .deathdate: dateDown(line, parameters, name: src.string(line.name).uppercased())
        case .anniversary where labelText(line) != nil:
            open(line, name: "X-ABDATE")
            dateValue(line, parameters)
            changed(
                "anniversary-renamed", line, "\(targetName) has no ANNIVERSARY; a labelled date")
        case .anniversary:
            openLabelled("X-ABDATE")
            dateValue(line, parameters)
            label("Anniversary", builtIn: true)
            changed(
                "anniversary-renamed", line, "\(targetName) has no ANNIVERSARY; a labelled date")
        case .gender:
            open(line, name: "X-GENDER")
            write(parameters)
            closeValue(line, semicolons: true)
        case .kind: kindDown(line)
        case .member:
            open(line, name: "X-ADDRESSBOOKSERVER-MEMBER")
            write(parameters)
            out.close(value: out.add(line.value, of: src))
        case .related: relatedDown(line, parameters)
        default:
            open(line)
            if line.flags.contains(.base64) {
                out.addParameter("ENCODING", "b")
                out.lines.base[out.count - 1].flags.insert([.base64, .folded])
                write(parameters)
                return closeAsIs(line)
            }
            write(parameters)
            // On the way to 2.1 the next step says it.
            if targetName == "3.0" { noteNew(line, since: VCardUpgrade.namesOf4) }
            if isURI(line, property, parameters) { return closeAsIs(line) }
            let separators = separators(property)
            closeValue(line, semicolons: separators.semicolons, commas: separators.commas)
        }
    }

    // MARK: Pieces

    /// Takes a parameter out, decoded.
    private func take(_ name: String, _ parameters: inout Parameters) -> String? {
        guard let k = parameters.others.firstIndex(where: { $0.name.uppercased() == name }) else {
            return nil
        }
        scratch.removeAll()
        ParameterText.decode(src.bytes(parameters.others[k].value), into: scratch)
        parameters.others.remove(at: k)
        return String(decoding: scratch.elements, as: UTF8.self)
    }

    /// How a name sounds, as Apple's programs write it.
    private func phoneticDown(_ line: ContentLine) {
        var pieces = ValuePieces(src.bytes(line.value), separator: 0x3B)
        for name in ["LAST", "FIRST", "MIDDLE"] {
            guard let piece = pieces.nextBytes() else { break }
            if piece.isEmpty { continue }
            scratch.removeAll()
            ValueText.unescape(piece, src.dialect, into: scratch)
            let text = String(decoding: scratch.elements, as: UTF8.self)
            out.open(name: "X-PHONETIC-\(name)-NAME")
            out.lines.base[out.count - 1].flags.insert(.backslash)
            close(text: text)
        }
        changed("phonetic-renamed", line, "\(targetName) has no PHONETIC; kept as X-PHONETIC-…")
    }

    private func addressDown(_ line: ContentLine, _ parameters: Parameters) {
        var parameters = parameters
        let label = take("LABEL", &parameters)
        let isEmpty = src.bytes(line.value).allSatisfy { $0 == 0x3B }
        if !(isEmpty && label != nil) {
            open(line)
            write(parameters)
            closeValue(line, semicolons: true)
        }
        if let label {
            open(line, name: "LABEL")
            parameters.others.removeAll()
            write(parameters)
            close(text: label)
        }
    }

    private func mediaDown(
        _ line: ContentLine, _ property: ContactProperty, _ parameters: Parameters
    ) {
        var parameters = parameters
        let mediaType = take("MEDIATYPE", &parameters)
        let bytes = src.bytes(line.value)
        open(line)
        if line.flags.contains(.base64) {
            out.addParameter("ENCODING", "b")
            out.lines.base[out.count - 1].flags.insert([.base64, .folded])
            write(parameters)
            return closeAsIs(line)
        }
        if let uri = MediaText.dataURI(bytes) {
            parameters.value = nil
            let data = RawVector<UInt8>(capacity: bytes.count)
            defer { data.destroy() }
            let rest = UnsafeRawBufferPointer(rebasing: bytes[uri.start...])
            if uri.isBase64 ? Base64Text.decode(rest, into: data) : decodePercent(rest, data) {
                let word = VCardUpgrade.typeWord(uri.type)
                if !word.isEmpty { parameters.types.append(word) }
                out.addParameter("ENCODING", "b")
                out.lines.base[out.count - 1].flags.insert([.base64, .folded])
                write(parameters)
                let start = out.arena.count
                ScalarText.write(base64: UnsafeRawBufferPointer(data.elements), to: out.arena)
                return out.close(value: out.arenaRange(from: start))
            }
        }
        if MediaText.hasScheme(bytes) {
            parameters.value = "uri"
            if let mediaType {
                let word = VCardUpgrade.typeWord(mediaType)
                if !word.isEmpty { parameters.types.append(word) }
            }
            write(parameters)
            return out.close(value: out.add(line.value, of: src))
        }
        write(parameters)
        closeValue(line, semicolons: true, commas: true)
    }

    private func decodePercent(_ text: UnsafeRawBufferPointer, _ data: RawVector<UInt8>) -> Bool {
        MediaText.decodePercent(text, into: data)
        return true
    }

    /// The TYPE word of a media type.
    static func typeWord(_ type: String) -> String {
        let name = type.split(separator: ";").first.map(String.init)?.lowercased() ?? ""
        switch name {
        case "application/pkix-cert", "application/x-x509-user-cert": return "X509"
        case "application/pgp-keys": return "PGP"
        case "application/octet-stream", "": return ""
        case "audio/basic": return "BASIC"
        case "audio/wav": return "WAVE"
        default: return name.split(separator: "/").last.map { $0.uppercased() } ?? ""
        }
    }

    private func dateDown(_ line: ContentLine, _ parameters: Parameters, name: String) {
        let value = trimmedText(line)
        if value.isEmpty { return changed("date-empty", line, "it says nothing and was left out") }
        let isWhole = Array(value.utf8).withUnsafeBytes { bytes in
            guard parameters.value != "text", let date = CardDate(bytes) else { return false }
            return date.month != nil && date.day != nil
        }
        guard isWhole, name == "BDAY" else {
            open(line, name: "X-" + name)
            write(parameters)
            close(text: value)
            if name == "BDAY" {
                lost("partial-date", line, "\(targetName) holds whole days only; kept as X-BDAY")
            } else {
                changed(
                    "deathdate-renamed", line, "\(targetName) has no \(name); kept as X-\(name)")
            }
            return
        }
        open(line, name: name)
        dateValue(line, parameters)
    }

    /// The parameters and value of a date in the extended form; without a year Apple's way.
    private func dateValue(_ line: ContentLine, _ parameters: Parameters) {
        var parameters = parameters
        let value = trimmedText(line)
        let bytes = Array(value.utf8)
        let isDate = bytes.withUnsafeBytes { bytes -> Bool in
            guard parameters.value != "text", let date = CardDate(bytes) else { return false }
            parameters.value = nil
            let omits = date.year == nil && date.month != nil && date.day != nil
            if omits { out.addParameter("X-APPLE-OMIT-YEAR", "1604") }
            write(parameters)
            let start = out.arena.count
            CardDate.write(
                year: date.year, month: date.month, day: date.day,
                time: date.time.map { UnsafeRawBufferPointer(rebasing: bytes[$0]) },
                omittedYear: omits ? 1604 : nil, .vCard3, into: out.arena)
            out.close(value: out.arenaRange(from: start))
            return true
        }
        if !isDate {
            write(parameters)
            close(text: value)
        }
    }

    private func kindDown(_ line: ContentLine) {
        let value = text(line)
        switch value.lowercased() {
        case "group":
            open(line, name: "X-ADDRESSBOOKSERVER-KIND")
            out.close(value: out.add("group"))
        case "org":
            open(line, name: "X-ABShowAs")
            out.close(value: out.add("COMPANY"))
        case "individual":
            changed("kind-dropped", line, "every card of \(targetName) is an individual")
        default:
            open(line, name: "X-KIND")
            close(text: value)
            changed("kind-renamed", line, "\(targetName) has no such kind; kept as X-KIND")
        }
    }

    private func relatedDown(_ line: ContentLine, _ parameters: Parameters) {
        var parameters = parameters
        let bytes = src.bytes(line.value)
        if parameters.has("agent") {
            if let uri = MediaText.dataURI(bytes), uri.isBase64,
                uri.type.lowercased().hasPrefix("text/vcard")
            {
                let data = RawVector<UInt8>(capacity: bytes.count)
                defer { data.destroy() }
                let rest = UnsafeRawBufferPointer(rebasing: bytes[uri.start...])
                if Base64Text.decode(rest, into: data) {
                    open(line, name: "AGENT")
                    out.lines.base[out.count - 1].flags.insert(.nested)
                    return out.close(value: out.add(UnsafeRawBufferPointer(data.elements)))
                }
            }
            parameters.remove("agent")
            open(line, name: "AGENT")
            let isURI = parameters.value != "text"
            parameters.value = isURI ? "uri" : nil
            write(parameters)
            if isURI { return out.close(value: out.add(line.value, of: src)) }
            return closeValue(line)
        }
        // Before 4.0 a relation is text unless it says otherwise.
        let isURI =
            parameters.value == "uri" || (parameters.value == nil && src.dialect == .vCard4)
        if isURI {
            changed("related-uri", line, "\(targetName) holds relations as text; the link stays")
        }
        let label = labelText(line)
        let said = RelationTypes.label(of: parameters.types)
        var unsaid = said.rest
        if let label {
            let told = RelationTypes.types(of: label)
            unsaid = parameters.types.filter { !told.contains($0.lowercased()) }
        }
        if !unsaid.isEmpty {
            changed("related-types", line, "\(targetName) holds one label for a relation")
        }
        parameters.types = []
        parameters.value = isURI ? "uri" : nil
        if label != nil {
            open(line, name: "X-ABRELATEDNAMES")
        } else {
            openLabelled("X-ABRELATEDNAMES")
        }
        write(parameters)
        if isURI { closeAsIs(line) } else { closeValue(line) }
        if label != nil { return }
        self.label(said.text, builtIn: RelationTypes.builtIn.contains(said.text.lowercased()))
    }
}
