// Between 2.1 and 3.0: transfer encodings, bare words, nested cards, Android's custom lines.

extension VCardUpgrade {
    /// Which separators a property's value has.
    func separators(_ property: ContactProperty) -> (semicolons: Bool, commas: Bool) {
        switch property {
        case .n: (true, true)
        case .adr, .org, .gender, .xGender, .clientPIDMap: (true, false)
        case .nickname, .categories: (false, true)
        case .geo: (true, false)
        case .other, .androidCustom, .sound: (true, true)
        default: (false, false)
        }
    }

    // MARK: 2.1 to 3.0

    func fromLegacy(_ i: Int, _ line: ContentLine, _ property: ContactProperty) {
        var parameters = parameters(line)
        if line.flags.contains(.nested) {
            open(line, name: "AGENT", group: !line.name.isEmpty)
            write(parameters)
            out.lines.base[out.count - 1].flags.insert(.nested)
            return closeAsIs(line)
        }
        if property == .androidCustom, android(line) { return }
        if property == .geo {
            open(line)
            write(parameters)
            return position(line, separator: 0x3B)
        }
        if property == .anniversary { return anniversary(line) }
        if property == .bday, hasNoYear(trimmedText(line)) {
            open(line)
            write(parameters)
            changed("bday-no-year", line, "written in Apple's way: a date of 3.0 has a year")
            return close(date: trimmedText(line))
        }
        if property == .email, parameters.types.isEmpty { parameters.types = ["INTERNET"] }
        open(line)
        if isData(line, property, parameters) {
            out.addParameter("ENCODING", "b")
            out.lines.base[out.count - 1].flags.insert([.base64, .folded])
            write(parameters)
            return closeAsIs(line)
        }
        if property.isMedia, MediaText.hasScheme(src.bytes(line.value)) { parameters.value = "uri" }
        write(parameters)
        if property == .n {
            // 2.1 has no comma lists: a comma is text.
            return closeValue(line, semicolons: true)
        }
        let separators = separators(property)
        closeValue(
            line, semicolons: separators.semicolons, commas: separators.commas,
            plain: isURI(line, property, parameters))
    }

    /// The date in 3.0 that Apple shows as an anniversary.
    func anniversary(_ line: ContentLine) {
        let parameters = parameters(line)
        openLabelled("X-ABDATE")
        write(parameters)
        closeValue(line)
        label("Anniversary", builtIn: true)
        changed("anniversary-renamed", line, "3.0 has no ANNIVERSARY; written as a labelled date")
    }

    /// Two numbers between a separator of the target's; anything else as it is.
    private func position(_ line: ContentLine, separator: UInt8) {
        let text = text(line)
        let parts = text.split(omittingEmptySubsequences: false) { $0 == ";" || $0 == "," }
        let isPosition =
            parts.count == 2
            && parts.allSatisfy { part in
                !part.isEmpty
                    && part.utf8.allSatisfy {
                        $0 &- 0x30 < 10 || $0 == 0x2E || $0 == 0x2D || $0 == 0x2B || $0 == 0x20
                    }
            }
        guard isPosition else { return closeValue(line, semicolons: true) }
        let start = out.arena.count
        out.arena.append(String(parts[0]))
        out.arena.append(separator)
        out.arena.append(String(parts[1]))
        out.close(value: out.arenaRange(from: start))
    }

    /// What Android's numbers of relations mean; 0 has a label of its own.
    static let androidRelations = [
        "", "Assistant", "Brother", "Child", "domestic partner", "Father", "Friend", "Manager",
        "Mother", "Parent", "Partner", "referred by", "relative", "Sister", "Spouse",
    ]

    /// `X-ANDROID-CUSTOM:mimetype;v1;…;v15`; false when it means nothing here.
    func android(_ line: ContentLine) -> Bool {
        var pieces = ValuePieces(src.bytes(line.value), separator: 0x3B)
        var values: [String] = []
        while let piece = pieces.nextBytes(), values.count < 5 {
            scratch.removeAll()
            ValueText.unescape(
                piece, src.dialect, quotedPrintable: src.dialect == .legacy, into: scratch)
            values.append(String(decoding: scratch.elements, as: UTF8.self))
        }
        guard values.count >= 2, !values[1].isEmpty else { return false }
        let kind = values.count > 2 ? Int(values[2]) : nil
        let custom = values.count > 3 ? values[3] : ""
        let mapped = [
            "vnd.android.cursor.item/nickname", "vnd.android.cursor.item/contact_event",
            "vnd.android.cursor.item/relation",
        ]
        guard mapped.contains(values[0]) else { return false }
        if values[0].hasSuffix("/contact_event"), kind == 3, saysBirthday(values[1]) { return true }
        changed("android-custom-mapped", line, "written as the property it means")
        switch values[0] {
        case "vnd.android.cursor.item/nickname":
            open(line, name: "NICKNAME")
            close(text: values[1])
        case "vnd.android.cursor.item/contact_event":
            let isBirthday = kind == 3
            if isBirthday, !hasOwnBirthday {
                open(line, name: "BDAY")
                close(date: values[1])
                return true
            }
            openLabelled("X-ABDATE")
            close(date: values[1])
            if isBirthday {
                // A card has one birthday of its own.
                label("Birthday", builtIn: false)
            } else if kind == 1 {
                label("Anniversary", builtIn: true)
            } else if kind == 0, !custom.isEmpty {
                label(custom, builtIn: false)
            } else {
                label("Other", builtIn: true)
            }
        case "vnd.android.cursor.item/relation":
            let labels = VCardUpgrade.androidRelations
            openLabelled("X-ABRELATEDNAMES")
            close(text: values[1])
            if let kind, kind > 0, kind < labels.count {
                let name = labels[kind]
                label(name, builtIn: name.first?.isUppercase == true)
            } else {
                label(custom.isEmpty ? "Other" : custom, builtIn: custom.isEmpty)
            }
        default: return false
        }
        return true
    }

    private var hasOwnBirthday: Bool {
        (0..<src.count).contains { src[$0].tag == ContactProperty.bday.rawValue }
    }

    private func hasNoYear(_ text: String) -> Bool {
        Array(text.utf8).withUnsafeBytes { bytes in
            CardDate(bytes).map {
                $0.year == nil && $0.month != nil && $0.day != nil && $0.time == nil
            } ?? false
        }
    }

    /// Closes a line of a date: one without a year in Apple's way, others as they are.
    private func close(date text: String) {
        guard hasNoYear(text) else { return close(text: text) }
        out.addParameter("X-APPLE-OMIT-YEAR", "1604")
        let start = out.arena.count
        Array(text.utf8).withUnsafeBytes { bytes in
            guard let date = CardDate(bytes) else { return }
            CardDate.write(
                year: nil, month: date.month, day: date.day, time: nil, omittedYear: 1604,
                .vCard3, into: out.arena)
        }
        out.close(value: out.arenaRange(from: start))
    }

    /// Whether the card has a BDAY of this day, too.
    private func saysBirthday(_ value: String) -> Bool {
        guard let date = Array(value.utf8).withUnsafeBytes({ CardDate($0) }) else { return false }
        for i in 0..<src.count where src[i].tag == ContactProperty.bday.rawValue {
            let other = CardDate(src.bytes(src[i].value))
            if let other, (other.year, other.month, other.day) == (date.year, date.month, date.day)
            {
                return true
            }
        }
        return false
    }

    // MARK: 3.0 to 2.1

    /// The names that came with 3.0 and its extensions.
    static let namesOf3 = [
        "NICKNAME", "CATEGORIES", "IMPP", "SORT-STRING", "CLASS", "PRODID", "NAME", "SOURCE",
        "PROFILE", "CALURI", "FBURL", "CALADRURI",
    ]

    /// The names that came with 4.0 and its extensions and have none of their own before.
    static let namesOf4 = [
        "LANG", "XML", "CLIENTPIDMAP", "BIRTHPLACE", "DEATHPLACE", "EXPERTISE", "HOBBY", "INTEREST",
        "ORG-DIRECTORY", "CONTACT-URI", "CREATED", "GRAMGENDER", "LANGUAGE", "PRONOUNS",
        "SOCIALPROFILE", "JSPROP",
    ]

    /// Notes a property that the target does not have and others read all the same.
    func noteNew(_ line: ContentLine, since names: [String]) {
        let name = src.bytes(line.name)
        guard names.contains(where: { NameKey.equals(name, $0) }) else { return }
        changed(
            "not-in-\(targetName)", line,
            "not a property of \(targetName), written anyway as others do")
    }

    func toLegacy(_ i: Int, _ line: ContentLine, _ property: ContactProperty) {
        var parameters = parameters(line)
        if property == .agent {
            let text = line.flags.contains(.nested) ? src.string(line.value) : text(line)
            if text.uppercased().hasPrefix("BEGIN:VCARD") {
                open(line)
                out.lines.base[out.count - 1].flags.insert(.nested)
                var end = text
                while end.last?.isNewline == true { end.removeLast() }
                return out.close(value: out.add(end))
            }
        }
        if property == .email, parameters.types.isEmpty { parameters.types = ["INTERNET"] }
        if property.isMedia {
            parameters.types = parameters.types.map {
                $0.contains("/") ? VCardUpgrade.typeWord($0) : $0
            }.filter { !$0.isEmpty }
            if dataToLegacy(line, parameters) { return }
        }
        open(line)
        if isData(line, property, parameters) {
            out.addParameter("ENCODING", "BASE64")
            out.lines.base[out.count - 1].flags.insert([.base64, .folded])
            write(parameters)
            return closeAsIs(line)
        }
        write(parameters)
        if property == .n { return joinedName(line) }
        if property == .geo { return position(line, separator: 0x2C) }
        noteNew(line, since: VCardUpgrade.namesOf3 + VCardUpgrade.namesOf4)
        let separators = separators(property)
        closeValue(line, semicolons: separators.semicolons, commas: separators.commas)
    }

    /// Writes the content of a data: URI; false for any other value.
    private func dataToLegacy(_ line: ContentLine, _ parameters: Parameters) -> Bool {
        var parameters = parameters
        let bytes = src.bytes(line.value)
        guard let uri = MediaText.dataURI(bytes) else { return false }
        let data = RawVector<UInt8>(capacity: bytes.count)
        defer { data.destroy() }
        let rest = UnsafeRawBufferPointer(rebasing: bytes[uri.start...])
        if uri.isBase64 {
            guard Base64Text.decode(rest, into: data) else { return false }
        } else {
            MediaText.decodePercent(rest, into: data)
        }
        let word = VCardUpgrade.typeWord(uri.type)
        if !word.isEmpty, !parameters.has(word.lowercased()) { parameters.types.append(word) }
        parameters.value = nil
        open(line)
        out.addParameter("ENCODING", "BASE64")
        out.lines.base[out.count - 1].flags.insert([.base64, .folded])
        write(parameters)
        let start = out.arena.count
        ScalarText.write(base64: UnsafeRawBufferPointer(data.elements), to: out.arena)
        out.close(value: out.arenaRange(from: start))
        return true
    }

    /// N without comma lists: their values joined with spaces.
    private func joinedName(_ line: ContentLine) {
        var pieces = ValuePieces(src.bytes(line.value), separator: 0x3B)
        let start = out.arena.count
        var isFirst = true
        while let piece = pieces.nextBytes() {
            if !isFirst { out.arena.append(0x3B) }
            isFirst = false
            var words = ValuePieces(piece, separator: 0x2C)
            var count = 0
            while let word = words.nextBytes() {
                if count > 0 { out.arena.append(0x20) }
                count += 1
                scratch.removeAll()
                ValueText.unescape(word, src.dialect, into: scratch)
                ValueText.escape(
                    UnsafeRawBufferPointer(scratch.elements), .legacy, commas: false,
                    semicolons: true, into: out.arena)
            }
            if count > 1 { changed("name-list-joined", line, "2.1 has no lists inside N") }
        }
        out.close(value: out.arenaRange(from: start))
    }
}
