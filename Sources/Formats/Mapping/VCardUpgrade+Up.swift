// 3.0 to 4.0.

extension VCardUpgrade {
    /// Pairs LABEL with ADR and X-ABLabel with what it labels, finds SORT-STRING and the line
    /// that becomes ANNIVERSARY.
    func prepareUp() {
        pairedLabels.removeAll()
        labelLines.removeAll()
        sortString = nil
        anniversaryAt = nil
        ungrouped.removeAll()
        phoneticAt = nil
        hasBirthday = false
        var labels: [Int] = []
        var hasAnniversary = false
        var related: [Int] = []
        var dates: [Int] = []
        for i in 0..<src.count {
            switch ContactProperty(rawValue: src[i].tag) ?? .other {
            case .label: labels.append(i)
            case .bday: hasBirthday = true
            case .sound where phoneticAt == nil:
                let isPhonetic = parameters(src[i]).has("x-irmc-n")
                if isPhonetic, !isBlank(src[i]) { phoneticAt = i }
            case .sortString: if sortString == nil { sortString = i }
            case .anniversary: hasAnniversary = true
            case .xAnniversary: if anniversaryAt == nil { anniversaryAt = i }
            case .abDate: dates.append(i)
            case .abRelatedNames: related.append(i)
            case .abLabel where !src[i].group.isEmpty:
                let key = NameKey.of(src.bytes(src[i].group))
                if labelLines[key] == nil { labelLines[key] = i }
            default: break
            }
        }
        if hasAnniversary {
            anniversaryAt = nil
        } else if anniversaryAt == nil {
            anniversaryAt = dates.first { labelText(src[$0])?.lowercased() == "anniversary" }
            if let anniversaryAt { related.append(anniversaryAt) }
        } else if let anniversaryAt {
            ungrouped.insert(anniversaryAt)
        }
        // Their labels become the type of the relation, or the name of the property, where these
        // say the same; others stay beside them.
        var members: [UInt64: Int] = [:]
        if !related.isEmpty {
            for i in 0..<src.count where !src[i].group.isEmpty {
                members[NameKey.of(src.bytes(src[i].group)), default: 0] += 1
            }
        }
        for i in related {
            guard let at = labelLine(src[i]) else {
                ungrouped.insert(i)
                continue
            }
            let label = labelText(src[i]) ?? ""
            let isTold =
                i == anniversaryAt
                ? label == "Anniversary" : label.isEmpty || RelationTypes.isTold(label)
            let isAlone = members[NameKey.of(src.bytes(src[i].group))] == 2
            guard isTold, isAlone else { continue }
            taken.insert(at)
            ungrouped.insert(i)
        }
        if !labels.isEmpty {
            var free = labels.map { ($0, Set(parameters(src[$0]).types.map { $0.lowercased() })) }
            for i in 0..<src.count where src[i].tag == ContactProperty.adr.rawValue {
                let types = Set(parameters(src[i]).types.map { $0.lowercased() })
                guard let k = free.firstIndex(where: { $0.1 == types }) else { continue }
                pairedLabels[i] = free[k].0
                taken.insert(free[k].0)
                free.remove(at: k)
            }
        }
        if let sortString {
            let hasName = (0..<src.count).contains { src[$0].tag == ContactProperty.n.rawValue }
            if hasName { taken.insert(sortString) }
        }
    }

    func up(_ i: Int, _ line: ContentLine, _ property: ContactProperty) {
        var parameters = parameters(line)
        if parameters.value == "url" { parameters.value = "uri" }
        switch property {
        case .agent: return agentUp(line, &parameters)
        case .label:
            // A label without an address becomes an address with only a label.
            open(line, name: "ADR")
            addParameter("LABEL", text: text(line))
            write(parameters)
            out.close(value: out.add(";;;;;;"))
            changed("label-without-address", line, "written as an address that has only a label")
        case .sortString:
            open(line, name: "X-SORT-STRING")
            write(parameters)
            closeValue(line)
        case .n:
            open(line)
            if let sortString {
                addParameter("SORT-AS", text: text(src[sortString]))
                self.sortString = nil
            }
            if phoneticAt != nil { out.addParameter("ALTID", "1") }
            write(parameters)
            closeValue(line, semicolons: true, commas: true)
        case .adr:
            open(line)
            if let at = pairedLabels[i] { addParameter("LABEL", text: text(src[at])) }
            write(parameters)
            closeValue(line, semicolons: true)
        case .email:
            parameters.remove("internet")
            open(line)
            write(parameters)
            closeValue(line)
        case .tel:
            if parameters.value == "phone-number" { parameters.value = nil }
            let number = src.bytes(line.value)
            if parameters.value == nil,
                NameKey.starts(number, with: "tel:") || NameKey.starts(number, with: "sip:")
            {
                parameters.value = "uri"
            }
            open(line)
            write(parameters)
            closeValue(line, plain: parameters.value == "uri")
        case .geo:
            if parameters.value == "uri" { parameters.value = nil }
            open(line)
            write(parameters)
            if MediaText.hasScheme(src.bytes(line.value)) { return closeValue(line, plain: true) }
            // Some write the comma of 2.1.
            let parts = text(line).split(omittingEmptySubsequences: false) {
                $0 == ";" || $0 == ","
            }
            if parts.count == 2 {
                out.close(value: out.add("geo:\(parts[0]),\(parts[1])"))
            } else {
                closeAsIs(line)
            }
        case .url, .member, .related, .impp, .source, .calendarURI, .freeBusyURL,
            .calendarAddress:
            if parameters.value == "uri" { parameters.value = nil }
            if property == .impp, !line.value.isEmpty,
                !MediaText.hasScheme(src.bytes(line.value))
            {
                return messengerUp(line, parameters)
            }
            open(line)
            write(parameters)
            closeValue(line, plain: parameters.value != "text")
        case .sound where parameters.has("x-irmc-n") && isBlank(line):
            changed("phonetic-empty", line, "it says nothing and was left out")
        case .sound where i == phoneticAt:
            parameters.remove("x-irmc-n")
            parameters.value = nil
            open(line, name: "N", group: false)
            out.addParameter("ALTID", "1")
            out.addParameter("PHONETIC", "script")
            if !parameters.has("script") { out.addParameter("SCRIPT", script(of: text(line))) }
            write(parameters)
            closeValue(line, semicolons: true, commas: true)
            changed("phonetic-renamed", line, "written as N with the parameter PHONETIC")
        case .photo, .logo, .sound, .key:
            if isData(line, property, parameters)
                || MediaText.hasScheme(src.bytes(line.value)) && parameters.value != "text"
            {
                mediaUp(line, property, parameters)
            } else {
                open(line)
                write(parameters)
                closeValue(line, semicolons: true, commas: true)
            }
        case .bday: dateUp(line, parameters, name: "BDAY")
        case .anniversary: dateUp(line, parameters, name: "ANNIVERSARY")
        case .deathdate, .xDeathdate: dateUp(line, parameters, name: "DEATHDATE")
        case .xBirthday where !hasBirthday:
            hasBirthday = true
            dateUp(line, parameters, name: "BDAY")
        case .xAnniversary where i == anniversaryAt, .abDate where i == anniversaryAt:
            if property == .xAnniversary {
                changed("anniversary-renamed", line, "4.0 has ANNIVERSARY for it")
            }
            dateUp(line, parameters, name: "ANNIVERSARY", group: !ungrouped.contains(i))
        case .rev:
            open(line)
            write(parameters)
            let value = text(line)
            let isDate = Array(value.utf8).withUnsafeBytes { CardDate.timestamp($0) != nil }
            // Basic form: no dashes in the date, no colons in the time.
            var isTime = false
            var basic = ""
            for c in value.unicodeScalars {
                if c == "T" { isTime = true }
                if c == ":" || (c == "-" && !isTime) { continue }
                basic.unicodeScalars.append(c)
            }
            out.close(value: out.add(isDate ? basic : value))
        case .xGender:
            open(line, name: "GENDER")
            write(parameters)
            var pieces = ValuePieces(src.bytes(line.value), separator: 0x3B)
            let sex = pieces.nextBytes().map { String(decoding: $0, as: UTF8.self) } ?? ""
            let isModern = ["M", "F", "O", "N", "U"].contains(sex)
            if isModern || (sex.isEmpty && pieces.next() != nil) {
                return closeValue(line, semicolons: true)
            }
            let value = text(line)
            changed("gender-form", line, "4.0 has a letter and a text of one's own for it")
            switch value.lowercased() {
            case "m", "male": out.close(value: out.add("M"))
            case "f", "female": out.close(value: out.add("F"))
            default:
                let start = out.arena.count
                out.arena.append(0x3B)
                var text = value
                text.withUTF8 {
                    ValueText.escape(UnsafeRawBufferPointer($0), .vCard4, into: out.arena)
                }
                out.close(value: out.arenaRange(from: start))
            }
        case .abRelatedNames:
            relatedUp(
                line, parameters, labelText(line) ?? "", group: !ungrouped.contains(i))
        case .xSpouse, .xManager, .xAssistant, .xChild:
            changed("relation-renamed", line, "4.0 has RELATED for it")
            // Outlook calls it a name.
            parameters.remove("n")
            let labels: [ContactProperty: String] = [
                .xSpouse: "Spouse", .xManager: "Manager", .xChild: "Child",
            ]
            relatedUp(line, parameters, labels[property] ?? "Assistant", group: false)
        case .serverKind:
            open(line, name: "KIND")
            closeValue(line)
        case .serverMember:
            open(line, name: "MEMBER")
            closeValue(line, plain: true)
        case .abShowAs where text(line).uppercased() == "COMPANY":
            open(line, name: "KIND")
            out.close(value: out.add("org"))
        case .profile: changed("property-dropped", line, "PROFILE has no meaning in 4.0")
        case .class_, .mailer, .name:
            if context.options.extra["keep-x"] != nil {
                open(line, name: "X-" + src.string(line.name).uppercased())
                write(parameters)
                closeValue(line)
            } else {
                lost("property-unsupported", line, "4.0 has no such property; --keep-x keeps it")
            }
        default:
            open(line)
            if line.flags.contains(.base64) {
                out.addParameter("ENCODING", "b")
                out.lines.base[out.count - 1].flags.insert([.base64, .folded])
                write(parameters)
                return closeAsIs(line)
            }
            write(parameters)
            let separators = separators(property)
            closeValue(
                line, semicolons: separators.semicolons, commas: separators.commas,
                plain: isURI(line, property, parameters))
        }
    }

    // MARK: Pieces

    /// The account of a messenger as the URI that 4.0 wants; a service that only a type names
    /// becomes the scheme.
    private func messengerUp(_ line: ContentLine, _ parameters: Parameters) {
        let user = text(line)
        var parameters = parameters
        var service: String?
        for other in parameters.others
        where ["X-SERVICE-TYPE", "SERVICE-TYPE"].contains(other.name.uppercased()) {
            scratch.removeAll()
            ParameterText.decode(src.bytes(other.value), into: scratch)
            service = String(decoding: scratch.elements, as: UTF8.self)
        }
        var isNamed = service != nil
        if service == nil, let type = parameters.types.first(where: Messengers.isService) {
            service = type.lowercased()
            parameters.remove(type.lowercased())
            isNamed = Messengers.scheme(of: type) != nil
        }
        parameters.value = nil
        open(line)
        if !isNamed, let service { addParameter("SERVICE-TYPE", text: service) }
        write(parameters)
        out.close(value: out.add(Messengers.uri(service: service, user: user)))
        changed("impp-scheme", line, "4.0 has accounts of messengers as URIs")
    }

    private func agentUp(_ line: ContentLine, _ parameters: inout Parameters) {
        let value = line.flags.contains(.nested) ? src.string(line.value) : text(line)
        open(line, name: "RELATED", group: !line.name.isEmpty)
        parameters.types.append("agent")
        if value.uppercased().hasPrefix("BEGIN:VCARD") {
            parameters.value = nil
            write(parameters)
            let start = out.arena.count
            out.arena.append("data:text/vcard;base64,")
            var text = value
            text.withUTF8 { ScalarText.write(base64: UnsafeRawBufferPointer($0), to: out.arena) }
            return out.close(value: out.arenaRange(from: start))
        }
        let isURI = Array(value.utf8).withUnsafeBytes { MediaText.hasScheme($0) }
        parameters.value = isURI ? nil : "text"
        write(parameters)
        if isURI { return out.close(value: out.add(value)) }
        close(text: value)
    }

    private func mediaUp(
        _ line: ContentLine, _ property: ContactProperty, _ parameters: Parameters
    ) {
        var parameters = parameters
        let bytes = src.bytes(line.value)
        let declared = parameters.types.first { !["home", "work"].contains($0.lowercased()) }
        if let declared { parameters.remove(declared.lowercased()) }
        parameters.value = nil
        open(line)
        if MediaText.hasScheme(bytes) {
            if let uri = MediaText.dataURI(bytes) {
                write(parameters)
                let start = out.arena.count
                out.arena.append("data:" + uri.type + (uri.isBase64 ? ";base64," : ","))
                out.arena.append(
                    bytes: UnsafeRawBufferPointer(rebasing: src.bytes(line.value)[uri.start...]))
                return out.close(value: out.arenaRange(from: start))
            }
            if let declared {
                addParameter("MEDIATYPE", text: VCardUpgrade.mediaType(declared, property))
            }
            write(parameters)
            return closeValue(line, plain: true)
        }
        let data = RawVector<UInt8>(capacity: bytes.count)
        defer { data.destroy() }
        guard Base64Text.decode(bytes, into: data) else {
            parameters.value = "text"
            write(parameters)
            changed("bad-base64", line, "the value is not base64 and was kept as text")
            return closeValue(line)
        }
        write(parameters)
        let content = UnsafeRawBufferPointer(data.elements)
        let said = declared.map { VCardUpgrade.mediaType($0, property) }
        let proven = MediaText.type(of: content)
        let isPicture = property == .photo || property == .logo
        if isPicture, let said, let proven, !proven.hasPrefix(said) {
            changed("media-type", line, "the first bytes say \(proven), not \(said)")
        }
        let type = proven ?? said ?? "application/octet-stream"
        let start = out.arena.count
        out.arena.append("data:" + type + ";base64,")
        ScalarText.write(base64: content, to: out.arena)
        out.close(value: out.arenaRange(from: start))
    }

    /// The media type that a TYPE word of the older versions means.
    static func mediaType(_ word: String, _ property: ContactProperty) -> String {
        let word = word.lowercased()
        if word.contains("/") { return word }
        switch (property, word) {
        case (.key, "x509"): return "application/pkix-cert"
        case (.key, "pgp"): return "application/pgp-keys"
        case (.key, _): return "application/" + word
        case (.sound, "basic"), (.sound, "pcm"): return "audio/basic"
        case (.sound, "wave"): return "audio/wav"
        case (.sound, _): return "audio/" + word
        case (_, "jpg"): return "image/jpeg"
        default: return "image/" + word
        }
    }

    /// A date in 4.0's basic form; Apple's 1604 is no year.
    private func dateUp(
        _ line: ContentLine, _ parameters: Parameters, name: String, group: Bool = true
    ) {
        var parameters = parameters
        let value = trimmedText(line)
        if value.isEmpty { return changed("date-empty", line, "it says nothing and was left out") }
        var omitted: Int?
        if let k = parameters.others.firstIndex(where: {
            $0.name.uppercased() == "X-APPLE-OMIT-YEAR"
        }) {
            omitted = Int(src.string(parameters.others[k].value))
            parameters.others.remove(at: k)
        }
        open(line, name: name, group: group)
        let bytes = Array(value.utf8)
        let isDate = bytes.withUnsafeBytes { bytes -> Bool in
            guard parameters.value != "text", var date = CardDate(bytes) else { return false }
            if date.year == omitted || (date.year == 1604 && isApple) { date.year = nil }
            parameters.value = nil
            write(parameters)
            let start = out.arena.count
            let time = date.time.map { range in
                basicTime(String(decoding: bytes[range], as: UTF8.self))
            }
            let utf8 = Array((time ?? "").utf8)
            utf8.withUnsafeBytes { text in
                CardDate.write(
                    year: date.year, month: date.month, day: date.day,
                    time: time == nil ? nil : text, .vCard4, into: out.arena)
            }
            out.close(value: out.arenaRange(from: start))
            return true
        }
        if !isDate {
            parameters.value = "text"
            write(parameters)
            close(text: value)
        }
    }

    /// A time in basic form: `23:10:00Z` is `231000Z`.
    private func basicTime(_ time: String) -> String {
        time.filter { $0 != ":" }
    }

    private var isApple: Bool {
        for i in 0..<src.count where src[i].tag == ContactProperty.prodid.rawValue {
            return ContactMapper.isAppleProgram(src.bytes(src[i].value))
        }
        return false
    }

    private func relatedUp(
        _ line: ContentLine, _ parameters: Parameters, _ label: String, group: Bool
    ) {
        var parameters = parameters
        parameters.types += RelationTypes.types(of: label).filter { !parameters.has($0) }
        let isURI = parameters.value == "uri"
        parameters.value = isURI ? nil : "text"
        open(line, name: "RELATED", group: group)
        write(parameters)
        closeValue(line, plain: isURI)
    }

    /// True for nothing but separators.
    private func isBlank(_ line: ContentLine) -> Bool {
        src.bytes(line.value).allSatisfy { $0 == 0x3B || $0 == 0x20 }
    }

    // MARK: Labels

    /// The label of a line's group, unwrapped.
    func labelText(_ line: ContentLine) -> String? {
        guard let i = labelLine(line) else { return nil }
        scratch.removeAll()
        ValueText.unescape(
            ContactMapper.unwrapped(src.bytes(src[i].value)), src.dialect, into: scratch)
        let text = String(decoding: scratch.elements, as: UTF8.self)
        return text.isEmpty ? nil : text
    }

    private func labelLine(_ line: ContentLine) -> Int? {
        line.group.isEmpty ? nil : labelLines[NameKey.of(src.bytes(line.group))]
    }

    /// The script of a reading as ISO 15924 names it; RFC 9554 section 4.6 asks for it.
    func script(of reading: String) -> String {
        var katakana = false
        var hiragana = false
        for scalar in reading.unicodeScalars {
            switch scalar.value {
            case 0x30A0...0x30FF, 0x31F0...0x31FF, 0xFF66...0xFF9F: katakana = true
            case 0x3040...0x309F: hiragana = true
            case 0x1100...0x11FF, 0x3130...0x318F, 0xAC00...0xD7AF: return "Hang"
            case 0x3100...0x312F: return "Bopo"
            case 0x400...0x52F: return "Cyrl"
            default: break
            }
        }
        if katakana || hiragana { return !hiragana ? "Kana" : !katakana ? "Hira" : "Hrkt" }
        let hasLatin = reading.unicodeScalars.contains {
            (0x41...0x24F).contains($0.value) && $0.properties.isAlphabetic
        }
        return hasLatin ? "Latn" : "Zyyy"
    }
}
