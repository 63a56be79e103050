// What the lines of each property become. A line whose typed fields would be written differently
// keeps its text in `raw`.

extension ContactMapper {
    // MARK: Text

    func appendText(
        _ line: ContentLine, _ i: Int, _ lines: ContentLines, _ items: ItemFill,
        _ property: ContactProperty
    ) {
        let isExact = openPlain(line, i, lines, items, property)
        let bytes = lines.bytes(line.value)
        if isURI(property, line, lines) {
            items.own[0].append(bytes: bytes)
        } else {
            value(bytes, of: line, items.own[0])
        }
        close(line, lines, items, isExact && !(isOld && property.isNew))
    }

    /// True for values that have no text escapes: URIs in 4.0 (V34).
    func isURI(_ property: ContactProperty, _ line: ContentLine, _ lines: ContentLines) -> Bool {
        guard dialect == .vCard4 else { return false }
        switch property {
        case .url, .member, .geo: return !isText(line, lines)
        case .related: return !isText(line, lines)
        default: return line.flags.contains(.backslash) && saysURI(line, lines)
        }
    }

    func saysURI(_ line: ContentLine, _ lines: ContentLines) -> Bool {
        guard let parameter = lines.parameter(NameKey.value, of: line) else { return false }
        return NameKey.equals(lines.bytes(parameter.value), "URI")
    }

    func isText(_ line: ContentLine, _ lines: ContentLines) -> Bool {
        guard let parameter = lines.parameter(NameKey.value, of: line) else { return false }
        return NameKey.equals(lines.bytes(parameter.value), "TEXT")
    }

    /// One item for each value of a comma list, all with the line's place and parameters.
    func appendList(
        _ line: ContentLine, _ i: Int, _ lines: ContentLines, _ items: ItemFill
    ) {
        var pieces = ValuePieces(lines.bytes(line.value), separator: 0x2C)
        let property = ContactProperty(rawValue: line.tag) ?? .other
        var isFirst = true
        while let piece = pieces.nextBytes() {
            let isExact = openPlain(line, i, lines, items, property)
            value(piece, of: line, items.own[0])
            close(line, lines, items, isExact || !isFirst)
            isFirst = false
        }
        if property == .categories, dialect != .legacy, line.flags.contains(.backslash) {
            noteEscapedCommas(line, lines)
        }
    }

    private func noteEscapedCommas(_ line: ContentLine, _ lines: ContentLines) {
        let bytes = lines.bytes(line.value)
        for k in 0..<max(bytes.count - 1, 0) where bytes[k] == 0x5C && bytes[k + 1] == 0x2C {
            context?.report.note(
                .guessed, "category-escaped-comma", source: source, record: lines.record,
                property: "CATEGORIES", value: String(decoding: bytes.prefix(80), as: UTF8.self),
                action: "read as one category, as the standard says")
            return
        }
    }

    func appendAgent(
        _ line: ContentLine, _ i: Int, _ lines: ContentLines, _ items: ItemFill
    ) {
        let pulled = open(line, i, lines, items, .agent)
        let bytes = lines.bytes(line.value)
        if line.flags.contains(.nested) {
            items.own[0].append(bytes: bytes)
            if line.name.isEmpty {
                // A card inside a card without AGENT: its own text says how to write it.
                items.raw.append(bytes: bytes)
                return
            }
        } else {
            value(bytes, of: line, items.own[0])
        }
        close(line, lines, items, pulled.isExact)
    }

    func appendExtra(
        _ line: ContentLine, _ i: Int, _ lines: ContentLines, _ columns: ContactColumns
    ) {
        let items = columns.fill(.other)
        let property = ContactProperty(rawValue: line.tag) ?? .other
        // A media line that is kept as it is has no types of its own.
        let isExact = openPlain(line, i, lines, items, property.isMedia ? .other : property)
        items.own[0].append(bytes: lines.bytes(line.name))
        items.own[1].append(bytes: lines.bytes(line.value))
        close(line, lines, items, isExact && !isLabelOfNothing(i, lines))
    }

    // MARK: Structured values

    func appendName(
        _ line: ContentLine, _ i: Int, _ lines: ContentLines, _ items: ItemFill,
        _ first: Firsts
    ) {
        var pulled = open(line, i, lines, items, .n)
        let own = items.own
        let hasCommas = hasComma(lines.bytes(line.value))
        var pieces = ValuePieces(lines.bytes(line.value), separator: 0x3B)
        var count = 0
        while count < 5, let piece = pieces.nextBytes() {
            if count < 2 {
                value(piece, of: line, own[count])
                if hasCommas, hasOpenComma(piece) { pulled.isExact = false }
            } else if !piece.isEmpty {
                strings(piece, of: line, own[count], splits: hasCommas && dialect != .legacy)
            }
            count += 1
        }
        if count < 5 { pulled.isExact = false }
        while count < 2 {
            own[count].closeBytes()
            count += 1
        }
        more(&pieces, line, own[5], &pulled)
        if pulled.sortAs >= 0 {
            let text = text(pulled.sortAs, lines)
            for piece in text.split(separator: 0x2C, omittingEmptySubsequences: false) {
                own[6].elementBytes.append(bytes: UnsafeRawBufferPointer(rebasing: piece))
                own[6].closeElement()
            }
            own[6].closeCollection()
        }
        if items.isFirst {
            phonetic(first.phoneticLast, lines, own[7])
            phonetic(first.phoneticFirst, lines, own[8])
            phonetic(first.phoneticMiddle, lines, own[9])
            if first.phoneticName >= 0 || first.phoneticSound >= 0 {
                phonetics(lines, own, first)
            }
        }
        close(line, lines, items, pulled.isExact)
    }

    /// Phonetic names stand in lines of their own; they are values for use here, the lines are
    /// extras.
    func phonetic(_ i: Int, _ lines: ContentLines, _ column: ColumnFill) {
        if i >= 0 { value(lines.bytes(lines[i].value), of: lines[i], column) }
    }

    /// The sounds that lines of a whole name tell.
    func phonetics(
        _ lines: ContentLines, _ own: UnsafeMutablePointer<ColumnFill>, _ first: Firsts
    ) {
        var isTold = [
            first.phoneticLast >= 0, first.phoneticFirst >= 0, first.phoneticMiddle >= 0,
        ]
        for i in [first.phoneticName, first.phoneticSound] where i >= 0 {
            let line = lines[i]
            var pieces = ValuePieces(lines.bytes(line.value), separator: 0x3B)
            for k in 0..<3 {
                guard let piece = pieces.nextBytes() else { break }
                if isTold[k] || piece.isEmpty { continue }
                value(piece, of: line, own[7 + k])
                isTold[k] = true
            }
        }
    }

    func more(
        _ pieces: inout ValuePieces, _ line: ContentLine, _ column: ColumnFill,
        _ pulled: inout Pulled
    ) {
        var hasMore = false
        while let piece = pieces.nextBytes() {
            element(piece, of: line, column)
            if hasOpenComma(piece) { pulled.isExact = false }
            hasMore = true
        }
        if hasMore { column.closeCollection() }
    }

    func appendAddress(
        _ line: ContentLine, _ i: Int, _ lines: ContentLines, _ items: ItemFill
    ) {
        var pulled = open(line, i, lines, items, .adr)
        let own = items.own
        let hasCommas = hasComma(lines.bytes(line.value))
        var pieces = ValuePieces(lines.bytes(line.value), separator: 0x3B)
        var count = 0
        while count < 7, let piece = pieces.nextBytes() {
            value(piece, of: line, own[count])
            if hasCommas, hasOpenComma(piece) { pulled.isExact = false }
            count += 1
        }
        if count < 7 { pulled.isExact = false }
        while count < 7 {
            own[count].closeBytes()
            count += 1
        }
        more(&pieces, line, own[7], &pulled)
        optional(pulled.label, lines, own[8])
        if pulled.label >= 0, isOld { pulled.isExact = false }
        if pulled.countryCode >= 0 {
            optional(pulled.countryCode, lines, own[9])
        } else if let country = country(of: line, lines) {
            ValueText.unescape(country, dialect, into: own[9].bytes)
            own[9].closeBytes()
        }
        close(line, lines, items, pulled.isExact)
    }

    private func optional(_ j: Int32, _ lines: ContentLines, _ column: ColumnFill) {
        if j >= 0 { column.append(bytes: text(j, lines)) }
    }

    func appendOrganization(
        _ line: ContentLine, _ i: Int, _ lines: ContentLines, _ items: ItemFill
    ) {
        var pulled = open(line, i, lines, items, .org)
        let own = items.own
        var pieces = ValuePieces(lines.bytes(line.value), separator: 0x3B)
        if let piece = pieces.nextBytes() {
            value(piece, of: line, own[0])
            if hasOpenComma(piece) { pulled.isExact = false }
        } else {
            own[0].closeBytes()
        }
        let units = own[1]
        let before = units.elementEnds.count
        var kept = before
        while let piece = pieces.nextBytes() {
            element(piece, of: line, units)
            if hasOpenComma(piece) { pulled.isExact = false }
            if !piece.isEmpty { kept = units.elementEnds.count }
        }
        // Apple ends the value with a semicolon that means nothing.
        if kept < units.elementEnds.count {
            units.truncateElements(to: kept)
            pulled.isExact = false
        }
        if kept > before { units.closeCollection() }
        optional(pulled.sortAs, lines, own[2])
        close(line, lines, items, pulled.isExact)
    }

    func appendGender(
        _ line: ContentLine, _ i: Int, _ lines: ContentLines, _ items: ItemFill
    ) {
        var pulled = open(line, i, lines, items, .gender)
        var pieces = ValuePieces(lines.bytes(line.value), separator: 0x3B)
        if hasOpenComma(lines.bytes(line.value)) { pulled.isExact = false }
        if let piece = pieces.nextBytes() {
            value(piece, of: line, items.own[0])
        } else {
            items.own[0].closeBytes()
        }
        if let start = pieces.next()?.lowerBound {
            let bytes = lines.bytes(line.value)
            value(UnsafeRawBufferPointer(rebasing: bytes[start...]), of: line, items.own[1])
            if pieces.next() != nil { pulled.isExact = false }
        }
        close(line, lines, items, pulled.isExact && !isOld)
    }

    // MARK: Phones and services

    func appendPhone(
        _ line: ContentLine, _ i: Int, _ lines: ContentLines, _ items: ItemFill
    ) {
        let isExact = openPlain(line, i, lines, items, .tel)
        let own = items.own
        let bytes = lines.bytes(line.value)
        guard bytes.count >= 4, bytes[3] == 0x3A, bytes[0] | 0x20 == 0x74,
            bytes[1] | 0x20 == 0x65, bytes[2] | 0x20 == 0x6C
        else {
            value(bytes, of: line, own[0])
            return close(line, lines, items, isExact)
        }
        // Without VALUE=uri it is text, and a URI has no backslash of its own.
        value(bytes, of: line, own[1])
        let uri = own[1].last
        let end = uri.withMemoryRebound(to: UInt8.self) { text in
            text.baseAddress.flatMap { firstIndex(of: 0x3B, in: $0, count: text.count) }
                ?? text.count
        }
        own[0].append(bytes: UnsafeRawBufferPointer(rebasing: uri[4..<max(end, 4)]))
        if end == uri.count { return close(line, lines, items, isExact) }
        var hasExtension = false
        for piece in uri[end...].split(separator: 0x3B) {
            let piece = UnsafeRawBufferPointer(rebasing: piece)
            if !hasExtension, NameKey.starts(piece, with: "ext=") {
                own[2].append(bytes: UnsafeRawBufferPointer(rebasing: piece.dropFirst(4)))
                hasExtension = true
            }
        }
        close(line, lines, items, isExact)
    }

    func appendService(
        _ line: ContentLine, _ i: Int, _ lines: ContentLines, _ items: ItemFill,
        _ property: ContactProperty
    ) {
        var pulled = open(line, i, lines, items, property)
        let own = items.own
        let bytes = lines.bytes(line.value)
        if property == .xMessenger {
            let name = lines.bytes(line.name)
            for j in lines.parameterIndices(line)
            where
                (lines.parameters[j].key == keyServiceType
                || lines.parameters[j].key == keyXServiceType) && !lines.parameters[j].isBare
            {
                // With a parameter that names the service, the fields say IMPP.
                pulled.isExact = false
                if !lines.parameters[j].value.isEmpty { pulled.service = Pulled.at(j) }
            }
            var written = ""
            for known in ContactProperty.messengers where NameKey.equals(name, known.name) {
                if pulled.service < 0 { own[0].append(known.service) }
                written =
                    ContactProperty.messengers.first { $0.service == known.service }?.name ?? ""
                break
            }
            if pulled.service >= 0 { own[0].append(bytes: text(pulled.service, lines)) }
            if !NameKey.equals(name, written) { pulled.isExact = false }
            value(bytes, of: line, own[1])
            return close(line, lines, items, pulled.isExact)
        }
        if property != .impp { pulled.isExact = false }
        let hasScheme = MediaText.hasScheme(bytes)
        if hasScheme {
            if dialect == .vCard4 {
                own[2].append(bytes: bytes)
            } else {
                value(bytes, of: line, own[2])
            }
        }
        let uri = hasScheme ? own[2].last : bytes
        let colon = hasScheme ? (uri.firstIndex(of: 0x3A) ?? 0) : -1
        if pulled.service >= 0 {
            own[0].append(bytes: text(pulled.service, lines))
        } else if property == .xSocialProfile || property == .impp && !hasScheme,
            let type = firstType(items)
        {
            own[0].append(bytes: type)
            // The type says it, not a parameter.
            pulled.isExact = false
        } else if hasScheme, property == .impp {
            for c in uri[..<colon] { own[0].bytes.append(NameKey.fold(c)) }
            own[0].closeBytes()
        }
        if pulled.user >= 0 {
            own[1].append(bytes: text(pulled.user, lines))
        } else if property == .impp, hasScheme, !ContactMapper.isPage(uri) {
            own[1].append(bytes: UnsafeRawBufferPointer(rebasing: uri[(colon + 1)...]))
        } else {
            value(bytes, of: line, own[1])
        }
        close(line, lines, items, pulled.isExact)
    }

    /// True for the address of a page: without its scheme it is nobody's name.
    static func isPage(_ uri: UnsafeRawBufferPointer) -> Bool {
        NameKey.starts(uri, with: "http://") || NameKey.starts(uri, with: "https://")
    }

    private func firstType(_ items: ItemFill) -> UnsafeRawBufferPointer? {
        let types = items.types
        guard !types.isOpen else { return nil }
        for j in types.lastRange {
            let type = types.element(j)
            if !NameKey.equals(type, "home"), !NameKey.equals(type, "work") { return type }
        }
        return nil
    }

}
