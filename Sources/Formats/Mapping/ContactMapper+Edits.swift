// Values that a line tells in two ways, of which a person edits one: a number and its URI, a user and
// the address of the profile, a name's sound and the line it stands in, a date and its text. The
// value for use wins, unless the kept line shows that the other one was edited.

extension ContactMapper {
    /// What an edit changes in the head of a line.
    struct HeadEdit {
        /// Parameters by key; without a text they are left out.
        var parameters: [(key: UInt64, text: UnsafeRawBufferPointer?)] = []
        /// A type, and what stands in its place.
        var type: (old: UnsafeRawBufferPointer, new: UnsafeRawBufferPointer?)?

        /// Where a parameter is changed.
        func index(_ key: UInt64) -> Int? { parameters.firstIndex { $0.key == key } }
    }

    /// What the kept text of an item said, read again; nil without one. It is valid, as row 0, until
    /// the checker reads the next line.
    func former(
        _ row: Int, _ items: ItemColumns, _ list: String, _ lines: ContentLines
    ) -> ItemColumns? {
        guard !items.raw.isNull(row) else { return nil }
        let mark = lines.count
        let parameterMark = lines.parameters.count
        let start = lines.arena.count
        lines.arena.append(bytes: items.raw.bytes(row))
        ContentLineScanner.appendLogical(start, to: lines)
        defer {
            lines.lines.truncate(to: mark)
            lines.parameters.truncate(to: parameterMark)
        }
        guard lines.count > mark, !lines[mark].flags.contains(.noColon) else { return nil }
        lines.lines.base[mark].tag = lookup(lines[mark].key, lines.bytes(lines[mark].name))
        let checker = self.checker
        checker.begin(dialect, isApple)
        checker.lines.append(mark, of: lines)
        guard let again = checker.read(list), again.batch.rowCount == 1 else { return nil }
        return again
    }

    private func isSame(_ column: Column, _ row: Int, _ other: Column) -> Bool {
        ContactMapper.equal(column, row, other, 0)
    }

    private func noteRewritten(_ property: String, _ value: UnsafeRawBufferPointer) {
        context?.report.note(
            .changed, "uri-rewritten", property: property,
            value: String(decoding: value.prefix(80), as: UTF8.self),
            action: "the value says something else than its URI, which was written anew")
    }

    // MARK: Phones

    /// Writes a phone: its URI while that says the same number, else the number.
    func phone(_ row: Int, _ items: ItemColumns, _ lines: ContentLines) {
        let own = items.own
        let number = own[0].bytes(row)
        let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
        let ext = own[2].isNull(row) ? nothing : own[2].bytes(row)
        let uri = own[1].isNull(row) ? nothing : own[1].bytes(row)
        if uri.isEmpty, ext.isEmpty {
            head(row, items, "TEL", lines)
            return lines.close(
                value: escaped(number, lines, commas: true, semicolons: true))
        }
        if !uri.isEmpty, number.isEmpty || saysPhone(uri, number, ext) {
            head(row, items, "TEL", lines)
            return lines.close(value: lines.add(uri))
        }
        if !uri.isEmpty {
            if let before = former(row, items, "phones", lines), isSame(own[0], row, before.own[0]),
                isSame(own[2], row, before.own[2]), !isSame(own[1], row, before.own[1])
            {
                head(row, items, "TEL", lines)
                return lines.close(value: lines.add(uri))
            }
            noteRewritten("TEL", number)
        }
        // Blanks have no place in a URI; hyphens mean as much.
        var digits = Array(number)
        if !ext.isEmpty {
            for i in digits.indices where digits[i] == 0x20 { digits[i] = 0x2D }
        }
        guard digits.withUnsafeBytes({ isDialled($0) }), isDialled(ext) else {
            // No number of a URI: text, as it is.
            head(
                row, items, "TEL", lines, edit: HeadEdit(parameters: [(NameKey.value, nil)]))
            scratch.removeAll()
            scratch.append(bytes: number)
            if !ext.isEmpty {
                noteExtension(number, "the extension is part of the number's text")
                scratch.append(";ext=")
                scratch.append(bytes: ext)
            }
            return lines.close(
                value: escaped(
                    UnsafeRawBufferPointer(scratch.elements), lines, commas: true,
                    semicolons: true))
        }
        let word: StaticString = "uri"
        let kind = UnsafeRawBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
        head(row, items, "TEL", lines, edit: HeadEdit(parameters: [(NameKey.value, kind)]))
        if lines.parameter(NameKey.value, of: lines[lines.count - 1]) == nil {
            lines.addParameter("VALUE", "uri")
        }
        let start = lines.arena.count
        lines.arena.append("tel:")
        digits.withUnsafeBytes { lines.arena.append(bytes: $0) }
        if !digits.elementsEqual(number) {
            noteExtension(number, "a number with an extension is a URI, which has no blanks")
        }
        if !ext.isEmpty {
            lines.arena.append(";ext=")
            lines.arena.append(bytes: ext)
        }
        if let rest = uri.firstIndex(of: 0x3B) {
            for piece in uri[rest...].split(separator: 0x3B) {
                let piece = UnsafeRawBufferPointer(rebasing: piece)
                if NameKey.starts(piece, with: "ext=") { continue }
                lines.arena.append(0x3B)
                lines.arena.append(bytes: piece)
            }
        }
        lines.close(value: lines.arenaRange(from: start))
    }

    private func noteExtension(_ number: UnsafeRawBufferPointer, _ action: String) {
        context?.report.note(
            .changed, "number-spelling", property: "TEL",
            value: String(decoding: number.prefix(80), as: UTF8.self), action: action)
    }

    /// True when a URI is of this number and extension, or none of a phone.
    private func saysPhone(
        _ uri: UnsafeRawBufferPointer, _ number: UnsafeRawBufferPointer,
        _ ext: UnsafeRawBufferPointer
    ) -> Bool {
        guard NameKey.starts(uri, with: "tel:") else { return true }
        let end = max(uri.firstIndex(of: 0x3B) ?? uri.count, 4)
        guard equalBytes(UnsafeRawBufferPointer(rebasing: uri[4..<end]), number) else {
            return false
        }
        for piece in uri[end...].split(separator: 0x3B) {
            let piece = UnsafeRawBufferPointer(rebasing: piece)
            if NameKey.starts(piece, with: "ext=") {
                return equalBytes(UnsafeRawBufferPointer(rebasing: piece.dropFirst(4)), ext)
            }
        }
        return ext.isEmpty
    }

    /// True for what a `tel:` URI may hold as it is.
    private func isDialled(_ number: UnsafeRawBufferPointer) -> Bool {
        for c in number {
            switch c {
            case 0x30...0x39, 0x41...0x46, 0x61...0x66, 0x23, 0x28, 0x29, 0x2A, 0x2B, 0x2D, 0x2E:
                break
            default: return false
            }
        }
        return true
    }

    // MARK: Services

    /// Writes a messenger or profile.
    func service(_ row: Int, _ items: ItemColumns, _ lines: ContentLines) {
        let own = items.own
        let before = former(row, items, "services", lines)
        if let before {
            let line = checker.lines[0]
            let property = ContactProperty(rawValue: line.tag) ?? .other
            if property == .xSocialProfile || property == .socialProfile {
                return profile(row, items, before, checker.lines.string(line.name), lines)
            }
        }
        var edit = HeadEdit()
        let says = noteService(row, items, &edit)
        if !says, own[2].isNull(row), !own[0].isNull(row) {
            let service = own[0].bytes(row)
            for known in ContactProperty.messengers where NameKey.equals(service, known.service) {
                head(row, items, known.name, lines)
                return lines.close(
                    value: escaped(own[1].bytes(row), lines, commas: true, semicolons: true))
            }
        }
        let user = own[1].bytes(row)
        let uri = own[2].isNull(row) ? nil : own[2].bytes(row)
        let scheme = uri.flatMap { uri in
            uri.firstIndex(of: 0x3A).map { UnsafeRawBufferPointer(rebasing: uri[..<$0]) }
        }
        head(row, items, "IMPP", lines, edit: edit)
        if !own[0].isNull(row), !says {
            let service = own[0].bytes(row)
            let isScheme =
                scheme.map {
                    NameKey.equals($0, String(decoding: service, as: UTF8.self))
                } ?? false
            if !isScheme {
                parameter(
                    dialect == .vCard4 ? "SERVICE-TYPE" : "X-SERVICE-TYPE", service, lines)
            }
        }
        guard let uri, let scheme else { return lines.close(value: plain(uri ?? user, lines)) }
        let rest = UnsafeRawBufferPointer(rebasing: uri[(scheme.count + 1)...])
        let isURIEdited =
            before.map { isSame(own[1], row, $0.own[1]) && !isSame(own[2], row, $0.own[2]) }
            ?? false
        if user.isEmpty || isURIEdited || tells(uri, user) {
            return lines.close(value: plain(uri, lines))
        }
        noteRewritten("IMPP", user)
        scratch.removeAll()
        scratch.append(bytes: scheme)
        scratch.append(0x3A)
        if rest.starts(with: [0x2F, 0x2F]), let slash = rest.lastIndex(of: 0x2F), slash > 1 {
            // The address of a page that ends with the user.
            scratch.append(bytes: UnsafeRawBufferPointer(rebasing: rest[...slash]))
            scratch.append(bytes: user)
        } else if user.count <= scratch.count
            || !equalBytes(
                UnsafeRawBufferPointer(rebasing: user.prefix(scratch.count)),
                UnsafeRawBufferPointer(scratch.elements))
        {
            scratch.append(bytes: user)
        } else {
            // The whole URI was given for the user.
            scratch.removeAll()
            scratch.append(bytes: user)
        }
        lines.close(value: plain(UnsafeRawBufferPointer(scratch.elements), lines))
    }

    /// True when a URI is that of a user, whatever stands around the name.
    private func tells(
        _ uri: UnsafeRawBufferPointer, _ user: UnsafeRawBufferPointer
    ) -> Bool {
        if equalBytes(uri, user) { return true }
        guard uri.count > user.count else { return false }
        if equalBytes(UnsafeRawBufferPointer(rebasing: uri.suffix(user.count)), user) {
            let before = uri[uri.count - user.count - 1]
            if before == 0x3A || before == 0x2F || before == 0x3D { return true }
        }
        guard let colon = uri.firstIndex(of: 0x3A) else { return false }
        // `skype:joe?chat`
        let rest = UnsafeRawBufferPointer(rebasing: uri[(colon + 1)...])
        return rest.count > user.count && rest[user.count] == 0x3F
            && equalBytes(UnsafeRawBufferPointer(rebasing: rest.prefix(user.count)), user)
    }

    /// Whether a parameter names the service; one that names another is edited.
    private func noteService(_ row: Int, _ items: ItemColumns, _ edit: inout HeadEdit) -> Bool {
        var says = false
        var isSaid = false
        let service = items.own[0]
        for j in items.parameters.range(row) {
            let parameter = items.parameterElements.bytes(j)
            guard let equal = parameter.firstIndex(of: 0x3D) else { continue }
            let key = NameKey.of(UnsafeRawBufferPointer(rebasing: parameter[..<equal]))
            guard key == keyXServiceType || key == keyServiceType else { continue }
            says = true
            scratch2.removeAll()
            ParameterText.decode(
                UnsafeRawBufferPointer(rebasing: parameter[(equal + 1)...]),
                carets: dialect != .legacy, into: scratch2)
            // The last one counts.
            isSaid =
                !service.isNull(row)
                && equalBytes(UnsafeRawBufferPointer(scratch2.elements), service.bytes(row))
        }
        if says, !isSaid {
            let text = service.isNull(row) ? nil : service.bytes(row)
            edit.parameters = [(keyXServiceType, text), (keyServiceType, text)]
        }
        return says
    }

    /// A profile under its own property. `before` is what its kept line says.
    private func profile(
        _ row: Int, _ items: ItemColumns, _ before: ItemColumns, _ name: String,
        _ lines: ContentLines
    ) {
        let own = items.own
        let user = own[1].bytes(row)
        var edit = HeadEdit()
        let says = noteService(row, items, &edit)
        if !says, !isSame(own[0], row, before.own[0]) {
            let service = own[0].isNull(row) ? nil : own[0].bytes(row)
            if !before.own[0].isNull(0) {
                edit.type = (before.own[0].bytes(0), service)
            } else if let service {
                edit.type = (UnsafeRawBufferPointer(start: nil, count: 0), service)
            }
        }
        let isUserEdited = !isSame(own[1], row, before.own[1])
        var hasUser = false
        for j in items.parameters.range(row) {
            let parameter = items.parameterElements.bytes(j)
            if NameKey.starts(parameter, with: "X-USER=")
                || NameKey.starts(parameter, with: "USERNAME=")
            {
                hasUser = true
            }
        }
        if isUserEdited, hasUser {
            edit.parameters += [(keyXUser, user), (keyUserName, user)]
        }
        // The value is found out before the head is written: what was read before is gone then.
        scratch2.removeAll()
        let uri = own[2].isNull(row) ? nil : own[2].bytes(row)
        if let uri, !isSame(own[2], row, before.own[2]) || !isUserEdited {
            scratch2.append(bytes: uri)
        } else if let uri, hasUser {
            let old = before.own[1].bytes(0)
            if !old.isEmpty, uri.count > old.count,
                equalBytes(UnsafeRawBufferPointer(rebasing: uri.suffix(old.count)), old)
            {
                scratch2.append(bytes: UnsafeRawBufferPointer(rebasing: uri.dropLast(old.count)))
                scratch2.append(bytes: user)
            } else {
                scratch2.append(bytes: uri)
            }
        } else {
            scratch2.append(bytes: user)
        }
        head(row, items, name, lines, edit: edit)
        lines.close(value: plain(UnsafeRawBufferPointer(scratch2.elements), lines))
    }

    // MARK: Moments

    /// Writes the time of the last change: its text while that says the same moment.
    func revision(_ row: Int, _ items: ItemColumns, _ lines: ContentLines) {
        let own = items.own
        let text = own[1].bytes(row)
        head(row, items, "REV", lines)
        guard !own[0].isNull(row) else {
            return lines.close(value: escaped(text, lines, commas: true, semicolons: true))
        }
        let date = Timestamp(
            seconds: own[0].words[row],
            nanoseconds: Int32(truncatingIfNeeded: own[0].extra[row]))
        let said = CardDate.timestamp(text)
        if said != date {
            var isTextEdited = false
            if let before = former(row, items, "revision", lines) {
                isTextEdited = isSame(own[0], row, before.own[0])
            }
            scratch.removeAll()
            if !isTextEdited, ScalarText.write(date: date, to: scratch) {
                if dialect == .vCard4 {
                    // The basic form.
                    scratch2.removeAll()
                    for c in scratch.elements where c != 0x2D && c != 0x3A { scratch2.append(c) }
                    return lines.close(value: lines.add(UnsafeRawBufferPointer(scratch2.elements)))
                }
                return lines.close(value: lines.add(UnsafeRawBufferPointer(scratch.elements)))
            }
        }
        lines.close(value: escaped(text, lines, commas: true, semicolons: true))
    }

    // MARK: Kept lines

    /// Whether the kept text of an extra still says what its fields say.
    func isKept(_ row: Int, _ columns: ContactColumns, _ lines: ContentLines) -> Bool {
        let items = columns.extras
        var raw = items.raw.bytes(row)
        let name = items.own[0].bytes(row)
        let value = items.own[1].bytes(row)
        guard raw.count > value.count,
            equalBytes(UnsafeRawBufferPointer(rebasing: raw.suffix(value.count)), value),
            raw[raw.count - value.count - 1] == 0x3A
        else { return false }
        if !items.group.isNull(row) {
            let group = items.group.bytes(row)
            guard raw.count > group.count, raw[group.count] == 0x2E,
                equalBytes(UnsafeRawBufferPointer(rebasing: raw.prefix(group.count)), group)
            else { return false }
            raw = UnsafeRawBufferPointer(rebasing: raw.dropFirst(group.count + 1))
        }
        guard raw.count > name.count,
            equalBytes(UnsafeRawBufferPointer(rebasing: raw.prefix(name.count)), name),
            raw[name.count] == 0x3A || raw[name.count] == 0x3B
        else { return false }
        guard let before = former(row, items, "extras", lines),
            equalBytes(before.own[0].bytes(0), name), equalBytes(before.own[1].bytes(0), value)
        else { return true }
        for c in 3...6
        where !ContactMapper.equal(items.batch.columns[c], row, before.batch.columns[c], 0) {
            return false
        }
        return true
    }
}
