// The line that an item's typed fields say, in the rules of the card's version.

extension ContactMapper {
    /// Escapes text into the arena of lines.
    func escaped(
        _ text: UnsafeRawBufferPointer, _ lines: ContentLines, commas: Bool, semicolons: Bool
    ) -> TextRange {
        let start = lines.arena.count
        let isLegacy = dialect == .legacy
        ValueText.escape(
            text, dialect, commas: commas && !isLegacy, semicolons: semicolons && !isLegacy,
            into: lines.arena)
        return lines.arenaRange(from: start)
    }

    /// Opens the line of an item: name, group and parameters.
    func head(
        _ row: Int, _ items: ItemColumns, _ name: String, _ lines: ContentLines,
        edit: HeadEdit? = nil
    ) {
        lines.open(name: name)
        let at = lines.count - 1
        if !items.group.isNull(row) {
            lines.lines.base[at].group = lines.add(items.group.bytes(row))
        }
        lines.lines.base[at].flags.insert(.backslash)
        if let type = edit?.type {
            writeTypes(row, items, lines, type)
        } else {
            write(types: items.types.range(row).lazy.map { items.typeElements.bytes($0) }, lines)
        }
        if !items.preference.isNull(row) {
            let preference = items.preference.words[row]
            if dialect == .vCard4 {
                lines.addParameter("PREF", String(preference))
            } else if preference != 1 {
                lines.addParameter("PREF", String(preference))
            } else if dialect == .legacy {
                lines.addParameter("", "PREF")
            } else {
                lines.addParameter("TYPE", "PREF")
            }
        }
        if !items.language.isNull(row) {
            parameter("LANGUAGE", items.language.bytes(row), lines)
        }
        for j in items.parameters.range(row) {
            let text = items.parameterElements.bytes(j)
            guard let equal = text.firstIndex(of: 0x3D), equal > 0 else {
                if !text.isEmpty { parameter("TYPE", text, lines) }
                continue
            }
            let name = lines.add(UnsafeRawBufferPointer(rebasing: text[..<equal]))
            if let edit, let at = edit.index(NameKey.of(lines.bytes(name))) {
                if let text = edit.parameters[at].text {
                    parameter(lines.string(name), text, lines)
                }
                continue
            }
            let value = UnsafeRawBufferPointer(rebasing: text[(equal + 1)...])
            let start = lines.arena.count
            let needsQuotes =
                dialect != .legacy && !value.contains(0x22)
                && value.contains(where: { $0 == 0x3A || $0 == 0x3B })
            if needsQuotes { lines.arena.append(0x22) }
            lines.arena.append(bytes: value)
            if needsQuotes { lines.arena.append(0x22) }
            lines.addParameter(name, lines.arenaRange(from: start))
            if NameKey.of(lines.bytes(name)) == NameKey.encoding, let c = value.first,
                c & 0xDF == 0x42
            {
                lines.lines.base[at].flags.insert([.base64, .folded])
            }
        }
    }

    /// A parameter with its text encoded as the dialect wants.
    func parameter(_ name: String, _ text: UnsafeRawBufferPointer, _ lines: ContentLines) {
        let name = lines.add(name)
        let start = lines.arena.count
        ParameterText.encode(text, dialect, into: lines.arena)
        lines.addParameter(name, lines.arenaRange(from: start))
    }

    /// The types with one of them edited.
    private func writeTypes(
        _ row: Int, _ items: ItemColumns, _ lines: ContentLines,
        _ edit: (old: UnsafeRawBufferPointer, new: UnsafeRawBufferPointer?)
    ) {
        var texts = items.types.range(row).map { items.typeElements.bytes($0) }
        if let at = texts.firstIndex(where: { equalBytes($0, edit.old) }) {
            texts.remove(at: at)
            if let new = edit.new { texts.insert(new, at: at) }
        } else if let new = edit.new, edit.old.isEmpty {
            texts.append(new)
        }
        write(types: texts, lines)
    }

    private func write(
        types: some Collection<UnsafeRawBufferPointer>, _ lines: ContentLines
    ) {
        guard !types.isEmpty else { return }
        if dialect == .legacy {
            for text in types {
                let start = lines.arena.count
                ParameterText.encode(type: text, dialect, into: lines.arena)
                for k in start..<lines.arena.count where lines.arena[k] &- 0x61 < 26 {
                    lines.arena.base[k] &= 0xDF
                }
                let word = lines.arenaRange(from: start)
                let isBare = ParameterText.isBareType(lines.bytes(word))
                lines.addParameter(isBare ? .empty : lines.add("TYPE"), word)
            }
            return
        }
        let name = lines.add("TYPE")
        let start = lines.arena.count
        for text in types {
            if lines.arena.count > start { lines.arena.append(0x2C) }
            if ParameterText.isPlainToken(text) {
                for c in text {
                    lines.arena.append(dialect != .vCard4 && c &- 0x61 < 26 ? c & 0xDF : c)
                }
            } else {
                // A type that is no plain word keeps its case out of harm's way in quotes.
                ParameterText.encode(text, dialect, into: lines.arena)
            }
        }
        lines.addParameter(name, lines.arenaRange(from: start))
    }

    /// The property names of the lists whose lines always have the same.
    static let names: [String: String] = [
        "formattedNames": "FN", "nicknames": "NICKNAME", "titles": "TITLE", "roles": "ROLE",
        "notes": "NOTE", "categories": "CATEGORIES", "emails": "EMAIL", "urls": "URL",
        "relations": "RELATED", "languages": "LANG", "members": "MEMBER", "timeZones": "TZ",
        "geo": "GEO", "labels": "LABEL", "names": "N", "organizations": "ORG", "phones": "TEL",
        "addresses": "ADR", "photos": "PHOTO", "logos": "LOGO", "sounds": "SOUND", "keys": "KEY",
        "gender": "GENDER", "agents": "AGENT", "revision": "REV",
    ]

    /// Writes the canonical line of an item, or of the items of a comma list.
    func writeCanonical(
        _ entries: ArraySlice<Entry>, _ items: ItemColumns, _ list: String,
        _ edited: UnsafeRawBufferPointer?, _ lines: ContentLines
    ) {
        guard let row = entries.first?.row else { return }
        let own = items.own
        let name = ContactMapper.names[list] ?? ""
        switch list {
        case "nicknames", "categories":
            head(row, items, name, lines)
            let start = lines.arena.count
            for (k, entry) in entries.enumerated() {
                if k > 0 { lines.arena.append(0x2C) }
                ValueText.escape(
                    own[0].bytes(entry.row), dialect, commas: true, semicolons: dialect != .legacy,
                    into: lines.arena)
            }
            lines.close(value: lines.arenaRange(from: start))
        case "names":
            head(row, items, name, lines)
            if let elements = own[6].elements, !own[6].range(row).isEmpty {
                joined("SORT-AS", own[6].range(row).map { elements.bytes($0) }, lines)
            }
            components(row, Array(own[0..<5]), own[5], lines)
        case "addresses":
            head(row, items, name, lines)
            if !own[8].isNull(row) { parameter("LABEL", own[8].bytes(row), lines) }
            if !own[9].isNull(row), !groups.saysCountry(row, items) {
                parameter("CC", own[9].bytes(row), lines)
            }
            components(row, Array(own[0..<7]), own[7], lines)
        case "organizations":
            head(row, items, name, lines)
            if !own[2].isNull(row) { parameter("SORT-AS", own[2].bytes(row), lines) }
            components(row, [own[0]], own[1], lines)
        case "gender":
            head(row, items, name, lines)
            let start = lines.arena.count
            let commas = dialect != .legacy
            ValueText.escape(
                own[0].bytes(row), dialect, commas: commas, semicolons: true, into: lines.arena)
            if !own[1].isNull(row) {
                lines.arena.append(0x3B)
                ValueText.escape(
                    own[1].bytes(row), dialect, commas: commas, semicolons: true,
                    into: lines.arena)
            }
            lines.close(value: lines.arenaRange(from: start))
        case "phones":
            if own[1].isNull(row), own[2].isNull(row) {
                head(row, items, name, lines)
                let value = own[0].bytes(row)
                lines.close(value: saysURI(row, items) ? plain(value, lines) : text(value, lines))
            } else {
                phone(row, items, lines)
            }
        case "services": service(row, items, lines)
        case "dates": date(row, items, lines)
        case "photos", "logos", "sounds", "keys":
            mediaHead(row, items, name, lines)
            mediaValue(row, items, list, lines)
        case "agents":
            head(row, items, name, lines)
            let value = own[0].bytes(row)
            if NameKey.starts(value, with: "BEGIN:VCARD") {
                lines.lines.base[lines.count - 1].flags.insert(.nested)
                lines.close(value: lines.add(value))
            } else {
                lines.close(value: text(value, lines))
            }
        case "revision": revision(row, items, lines)
        default:
            head(row, items, name, lines)
            let value = edited ?? own[0].bytes(row)
            switch list {
            case "urls", "members", "geo":
                lines.close(value: plain(value, lines))
            case "relations" where dialect == .vCard4 && !saysText(row, items):
                lines.close(value: plain(value, lines))
            default:
                lines.close(value: saysURI(row, items) ? plain(value, lines) : text(value, lines))
            }
        }
    }

    private func saysText(_ row: Int, _ items: ItemColumns) -> Bool {
        says("VALUE=text", row, items)
    }

    private func saysURI(_ row: Int, _ items: ItemColumns) -> Bool {
        says("VALUE=uri", row, items)
    }

    private func says(_ parameter: String, _ row: Int, _ items: ItemColumns) -> Bool {
        for j in items.parameters.range(row)
        where NameKey.equals(items.parameterElements.bytes(j), parameter) { return true }
        return false
    }

    private func text(_ value: UnsafeRawBufferPointer, _ lines: ContentLines) -> TextRange {
        escaped(value, lines, commas: true, semicolons: true)
    }

    /// A value whose separators are its own: as it is in 4.0, with the few escapes that reading
    /// undoes before.
    func plain(_ value: UnsafeRawBufferPointer, _ lines: ContentLines) -> TextRange {
        dialect == .vCard4
            ? lines.add(value) : escaped(value, lines, commas: false, semicolons: false)
    }

    private func joined(_ name: String, _ texts: [UnsafeRawBufferPointer], _ lines: ContentLines) {
        scratch.removeAll()
        for (k, text) in texts.enumerated() {
            if k > 0 { scratch.append(0x2C) }
            scratch.append(bytes: text)
        }
        parameter(name, UnsafeRawBufferPointer(scratch.elements), lines)
    }

    /// Components between semicolons: single texts, lists between commas, then what is more.
    private func components(
        _ row: Int, _ columns: [Column], _ more: Column, _ lines: ContentLines
    ) {
        let start = lines.arena.count
        let commas = dialect != .legacy
        for (k, column) in columns.enumerated() {
            if k > 0 { lines.arena.append(0x3B) }
            guard let elements = column.elements else {
                ValueText.escape(
                    column.bytes(row), dialect, commas: commas, semicolons: true,
                    into: lines.arena)
                continue
            }
            for j in column.range(row) {
                if j > column.range(row).lowerBound { lines.arena.append(commas ? 0x2C : 0x20) }
                ValueText.escape(
                    elements.bytes(j), dialect, commas: commas, semicolons: true,
                    into: lines.arena)
            }
        }
        if let elements = more.elements {
            for j in more.range(row) {
                lines.arena.append(0x3B)
                ValueText.escape(
                    elements.bytes(j), dialect, commas: commas, semicolons: true,
                    into: lines.arena)
            }
        }
        lines.close(value: lines.arenaRange(from: start))
    }

    // MARK: Dates and media

    private func date(_ row: Int, _ items: ItemColumns, _ lines: ContentLines) {
        let own = items.own
        let kind = own[0].bytes(row)
        let name: String
        if NameKey.equals(kind, "birthday") {
            name = "BDAY"
        } else if NameKey.equals(kind, "anniversary") {
            name = "ANNIVERSARY"
        } else if NameKey.equals(kind, "death") {
            name = "DEATHDATE"
        } else {
            name = "X-ABDATE"
        }
        func number(_ column: Column) -> Int? { column.isNull(row) ? nil : Int(column.words[row]) }
        let year = number(own[1]).flatMap { 0...9999 ~= $0 ? $0 : nil }
        let month = number(own[2]).flatMap { 1...12 ~= $0 ? $0 : nil }
        let day = number(own[3]).flatMap { 1...31 ~= $0 ? $0 : nil }
        let time = own[4].isNull(row) ? nil : own[4].bytes(row)
        for (place, part) in [(1, year), (2, month), (3, day)] where part == nil {
            guard let number = number(own[place]) else { continue }
            context?.report.note(
                .lost, "date-part", record: lines.record, property: name, value: String(number),
                action: "no date has such a \(own[place].property.name); it was left out")
        }
        if year == nil, month == nil, day == nil, time == nil {
            let value = own[5].isNull(row) ? nil : own[5].bytes(row)
            head(row, items, name, lines)
            return lines.close(value: value.map { text($0, lines) } ?? .empty)
        }
        // A date that was a text is none any more.
        head(
            row, items, name, lines,
            edit: saysText(row, items) ? HeadEdit(parameters: [(NameKey.value, nil)]) : nil)
        var omitted: Int?
        for j in items.parameters.range(row) {
            let parameter = items.parameterElements.bytes(j)
            if NameKey.starts(parameter, with: "X-APPLE-OMIT-YEAR=") {
                omitted = ScalarText.int(UnsafeRawBufferPointer(rebasing: parameter.dropFirst(18)))
                    .flatMap { 0...9999 ~= $0 ? Int($0) : nil }
            }
        }
        let start = lines.arena.count
        CardDate.write(
            year: year, month: month, day: day, time: time, omittedYear: omitted, dialect,
            into: lines.arena)
        lines.close(value: lines.arenaRange(from: start))
    }

    private func mediaHead(
        _ row: Int, _ items: ItemColumns, _ name: String, _ lines: ContentLines
    ) {
        let own = items.own
        head(row, items, name, lines)
        let hasData = !own[0].isNull(row)
        let declared = declaredType(row, items)
        if dialect == .vCard4 {
            if !hasData, let declared { parameter("MEDIATYPE", declared, lines) }
            if hasData, lines[lines.count - 1].flags.contains(.base64), let declared {
                parameter("TYPE", declared, lines)
            }
            return
        }
        if hasData {
            lines.addParameter("ENCODING", dialect == .legacy ? "BASE64" : "b")
            lines.lines.base[lines.count - 1].flags.insert([.base64, .folded])
        } else {
            lines.addParameter("VALUE", "uri")
        }
        guard let declared else { return }
        let word = lines.arena.count
        for c in declared { lines.arena.append(c &- 0x61 < 26 ? c & 0xDF : c) }
        lines.addParameter(lines.add("TYPE"), TextRange.empty)
        _ = word
        lines.parameters.base[lines.parameters.count - 1].value = TextRange(
            place: 0x8000_0000 | UInt32(truncatingIfNeeded: word),
            length: UInt32(truncatingIfNeeded: declared.count))
        putFirst(typeOfData: lines.parameters.count - 1, lines)
    }

    /// Moves a TYPE before the others of its line: the first one is what the data is read as.
    private func putFirst(typeOfData last: Int, _ lines: ContentLines) {
        let parameters = lines.parameters.base
        let type = parameters[last]
        guard
            let first = lines.parameterIndices(lines[lines.count - 1]).first(where: {
                $0 < last && !parameters[$0].isBare && parameters[$0].key == NameKey.type
            })
        else { return }
        for j in stride(from: last, to: first, by: -1) { parameters[j] = parameters[j - 1] }
        parameters[first] = type
    }

    /// What the line calls its data: as declared, be it wrong; but other data than was read is what
    /// its first bytes say.
    private func declaredType(_ row: Int, _ items: ItemColumns) -> UnsafeRawBufferPointer? {
        let own = items.own
        let declared = own[3].isNull(row) ? nil : own[3].bytes(row)
        guard !own[0].isNull(row), !own[2].isNull(row), declared != nil,
            let type = MediaText.type(of: own[0].bytes(row)),
            !NameKey.equals(own[2].bytes(row), type)
        else { return declared }
        scratch2.removeAll()
        scratch2.append(dialect == .vCard4 ? type : VCardUpgrade.typeWord(type))
        return UnsafeRawBufferPointer(scratch2.elements)
    }

    /// Sets the value of the media line opened last, in the form its parameters call for.
    func mediaValue(_ row: Int, _ items: ItemColumns, _ list: String, _ lines: ContentLines) {
        let own = items.own
        guard lines.count > 0 else { return }
        let line = lines[lines.count - 1]
        if own[0].isNull(row) {
            let uri = own[1].isNull(row) ? nil : own[1].bytes(row)
            return lines.close(value: uri.map { plain($0, lines) } ?? .empty)
        }
        let data = own[0].bytes(row)
        var isURI = dialect == .vCard4 && !line.flags.contains(.base64)
        if dialect != .vCard4, !line.flags.contains(.base64),
            let value = lines.parameter(NameKey.value, of: line)
        {
            isURI = NameKey.equals(lines.bytes(value.value), "URI")
        }
        let kept = lines.bytes(line.value)
        let keepsHead = NameKey.starts(kept, with: "data:")
        let start = lines.arena.count
        if keepsHead {
            let copy = lines.string(line.value)
            lines.arena.append(copy)
        } else if isURI {
            lines.arena.append("data:")
            let declared = declaredType(row, items)
            if let declared, declared.contains(0x2F) {
                lines.arena.append(bytes: declared)
            } else if let type = MediaText.type(of: data) {
                lines.arena.append(type)
            } else if !own[2].isNull(row) {
                lines.arena.append(bytes: own[2].bytes(row))
            } else {
                lines.arena.append("application/octet-stream")
            }
            lines.arena.append(";base64,")
        }
        ScalarText.write(base64: data, to: lines.arena)
        lines.close(value: lines.arenaRange(from: start))
    }
}
