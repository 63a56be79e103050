// What every line has: its place, group, label and parameters. And the text of values.

extension ContactMapper {
    /// What a line's parameters said besides the columns they filled.
    struct Pulled {
        /// False when the typed fields alone would be written differently.
        var isExact = true
        /// Parameters that belong to fields of their own.
        var sortAs: ContentParameter?
        var label: ContentParameter?
        var countryCode: ContentParameter?
        var mediaType: ContentParameter?
        var service: ContentParameter?
        var user: ContentParameter?
        var omittedYear: ContentParameter?
        /// The VALUE parameter, where the property decides about it itself.
        var value: ContentParameter?
        /// A label made of Samsung's `X-CUSTOM(…)`.
        var custom: ContentParameter?
        /// The first TYPE of a media line that names a media type.
        var declared: TextRange?
    }

    // MARK: Items

    /// Begins an item: all of its columns but `raw` and its own are filled.
    func open(
        _ line: ContentLine, _ i: Int, _ lines: ContentLines, _ items: ItemColumns,
        _ property: ContactProperty
    ) -> Pulled {
        var pulled = Pulled()
        items.objects.openObject()
        items.order.append(word: Int64(firstOrder + i))
        if line.group.isEmpty {
            items.group.appendNull()
        } else {
            items.group.append(bytes: lines.bytes(line.group))
        }
        var hasLabel = false
        if let text = label(of: line, lines), property != .abLabel {
            ValueText.unescape(text, dialect, into: items.label.bytes)
            items.label.closeBytes()
            hasLabel = true
        }
        var preference: Int64 = 0
        var preferenceForms = 0
        var hasLanguage = false
        let isMedia = property.isMedia
        for j in lines.parameterIndices(line) {
            let parameter = lines.parameters[j]
            if isTransfer(parameter, line) { continue }
            if parameter.isBare || parameter.value.isEmpty {
                // `A=;B=` of old ownCloud are bare words too.
                let word = parameter.isBare ? parameter.value : parameter.name
                bare(
                    word, parameter.key, line, lines, items, isMedia, &preference,
                    &preferenceForms, &pulled)
                continue
            }
            switch parameter.key {
            case NameKey.type:
                types(
                    parameter, lines, items, isMedia, &preference, &preferenceForms, &pulled)
                continue
            case NameKey.pref:
                if let number = ScalarText.int(lines.bytes(parameter.value)), preferenceForms == 0 {
                    preference = number
                    preferenceForms = 1
                    if dialect != .vCard4 { pulled.isExact = false }
                } else {
                    pulled.isExact = false
                }
                continue
            case NameKey.language:
                if !hasLanguage {
                    hasLanguage = true
                    items.language.append(bytes: text(parameter, lines))
                    continue
                }
                pulled.isExact = false
            case NameKey.encoding:
                if keepsEncoding(line, property) { break }
                continue
            default:
                if parameter.name.isEmpty {
                    // `=HOME` says HOME.
                    types(
                        parameter, lines, items, isMedia, &preference, &preferenceForms, &pulled)
                    continue
                }
                if pull(parameter, lines, property, &pulled) { continue }
            }
            append(parameter, lines, items)
        }
        if preferenceForms > 0 {
            items.preference.append(word: preference)
            if preferenceForms > 1 { pulled.isExact = false }
        } else {
            items.preference.appendNull()
        }
        if !hasLanguage { items.language.appendNull() }
        if !hasLabel {
            if let custom = pulled.custom {
                customLabel(
                    lines.bytes(custom.isBare ? custom.value : custom.name), custom, lines, items)
            } else {
                items.label.appendNull()
            }
        }
        items.types.closeCollection()
        items.parameters.closeCollection()
        return pulled
    }

    /// Ends an item whose own columns are filled.
    func close(_ line: ContentLine, _ lines: ContentLines, _ items: ItemColumns, _ isExact: Bool) {
        if isExact {
            items.raw.appendNull()
        } else {
            appendRaw(line, lines, to: items.raw.bytes)
            items.raw.closeBytes()
        }
        items.batch.closeRow()
    }

    /// The line as one logical line of UTF-8 text: unfolded, without transfer encoding.
    func appendRaw(
        _ line: ContentLine, _ lines: ContentLines, to out: RawVector<UInt8>, value: Bool = true
    ) {
        if line.flags.contains(.noColon) {
            out.append(bytes: lines.bytes(line.value))
            return
        }
        if !line.group.isEmpty {
            out.append(bytes: lines.bytes(line.group))
            out.append(0x2E)
        }
        out.append(bytes: lines.bytes(line.name))
        for j in lines.parameterIndices(line) {
            let parameter = lines.parameters[j]
            if isTransfer(parameter, line) { continue }
            out.append(0x3B)
            if !parameter.isBare {
                out.append(bytes: lines.bytes(parameter.name))
                out.append(0x3D)
            }
            out.append(bytes: lines.bytes(parameter.value))
        }
        out.append(0x3A)
        if value { out.append(bytes: lines.bytes(line.value)) }
    }

    private func keepsEncoding(_ line: ContentLine, _ property: ContactProperty) -> Bool {
        // Media say by themselves how they are written, but for the form their version forbids.
        if property.isMedia { return dialect == .vCard4 && line.flags.contains(.base64) }
        return line.flags.contains(.base64)
    }

    private func pull(
        _ parameter: ContentParameter, _ lines: ContentLines, _ property: ContactProperty,
        _ pulled: inout Pulled
    ) -> Bool {
        switch (property, parameter.key) {
        case (.n, keySortAs), (.org, keySortAs):
            if pulled.sortAs != nil { return false }
            pulled.sortAs = parameter
        case (.adr, keyLabel):
            if pulled.label != nil { return false }
            pulled.label = parameter
        case (.adr, keyCC):
            if pulled.countryCode != nil { return false }
            pulled.countryCode = parameter
        case (.photo, keyMediaType), (.logo, keyMediaType), (.sound, keyMediaType),
            (.key, keyMediaType):
            if pulled.mediaType != nil { return false }
            pulled.mediaType = parameter
        case (.photo, NameKey.value), (.logo, NameKey.value), (.sound, NameKey.value),
            (.key, NameKey.value):
            if pulled.value != nil { return false }
            pulled.value = parameter
        case (.impp, keyServiceType), (.impp, keyXServiceType), (.socialProfile, keyServiceType):
            pulled.service = parameter
            return false
        case (.xSocialProfile, keyXUser), (.socialProfile, keyUserName):
            pulled.user = parameter
            return false
        default:
            if property == .bday || property == .anniversary, parameter.key == keyOmitYear {
                pulled.omittedYear = parameter
            }
            if NameKey.starts(lines.bytes(parameter.name), with: "X-CUSTOM(") {
                pulled.custom = parameter
                pulled.isExact = false
                return true
            }
            return false
        }
        return true
    }

    // MARK: Parameters

    private func append(_ parameter: ContentParameter, _ lines: ContentLines, _ items: ItemColumns)
    {
        let out = items.parameterElements.bytes
        out.append(bytes: lines.bytes(parameter.name))
        out.append(0x3D)
        out.append(bytes: ContactMapper.unquoted(lines.bytes(parameter.value)))
        items.parameterElements.closeBytes()
    }

    /// A single quoted value without its quotes; lists keep theirs.
    static func unquoted(_ text: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        guard text.count >= 2, text.first == 0x22, text.last == 0x22 else { return text }
        let inner = UnsafeRawBufferPointer(rebasing: text[1..<text.count - 1])
        for c in inner where c == 0x22 || c == 0x2C { return text }
        return inner
    }

    /// The decoded text of a parameter with one value; valid until the next call.
    func text(_ parameter: ContentParameter, _ lines: ContentLines) -> UnsafeRawBufferPointer {
        let bytes = lines.bytes(parameter.value)
        guard parameter.needsDecoding else { return bytes }
        scratch.removeAll()
        ParameterText.decode(bytes, carets: dialect != .legacy, into: scratch)
        return UnsafeRawBufferPointer(scratch.elements)
    }

    private func bare(
        _ word: TextRange, _ key: UInt64, _ line: ContentLine, _ lines: ContentLines,
        _ items: ItemColumns, _ isMedia: Bool, _ preference: inout Int64, _ forms: inout Int,
        _ pulled: inout Pulled
    ) {
        let text = lines.bytes(word)
        if key == NameKey.pref {
            return prefer(&preference, &forms, &pulled)
        }
        for name in ["QUOTED-PRINTABLE", "8BIT", "7BIT"] where NameKey.equals(text, name) { return }
        if line.flags.contains(.base64), key == NameKey.base64 || key == NameKey.b {
            if !isMedia {
                items.parameterElements.append("ENCODING=BASE64")
            }
            return
        }
        for name in ["INLINE", "URL", "CID", "CONTENT-ID"] where NameKey.equals(text, name) {
            items.parameterElements.append("VALUE=" + name)
            return
        }
        if NameKey.starts(text, with: "X-CUSTOM(") {
            pulled.custom = ContentParameter(
                name: .empty, value: word, key: key, isBare: true, needsDecoding: true)
            pulled.isExact = false
            return
        }
        // `WORK,VOICE` are two words.
        if text.contains(0x2C) { pulled.isExact = false }
        list(
            text, text.contains(0x5C) ? nil : word, items, isMedia, &preference, &forms, &pulled)
    }

    private func prefer(
        _ preference: inout Int64, _ forms: inout Int, _ pulled: inout Pulled
    ) {
        if forms == 0 { preference = 1 }
        forms += 1
        if dialect == .vCard4 { pulled.isExact = false }
    }

    private func types(
        _ parameter: ContentParameter, _ lines: ContentLines, _ items: ItemColumns,
        _ isMedia: Bool, _ preference: inout Int64, _ forms: inout Int, _ pulled: inout Pulled
    ) {
        let bytes = lines.bytes(parameter.value)
        list(
            bytes, parameter.needsDecoding ? nil : parameter.value, items, isMedia, &preference,
            &forms, &pulled)
    }

    /// The types between commas; PREF among them is the preference.
    /// - Parameter place: where the text stands; nil when it has to be decoded.
    private func list(
        _ bytes: UnsafeRawBufferPointer, _ place: TextRange?, _ items: ItemColumns,
        _ isMedia: Bool, _ preference: inout Int64, _ forms: inout Int, _ pulled: inout Pulled
    ) {
        guard let place else {
            return ParameterText.forEachType(bytes, carets: dialect != .legacy, scratch: scratch) {
                if NameKey.equals($0, "PREF") {
                    prefer(&preference, &forms, &pulled)
                } else {
                    type($0, nil, items, isMedia, &pulled)
                }
            }
        }
        var start = 0
        for i in 0...bytes.count where i == bytes.count || bytes[i] == 0x2C {
            let piece = UnsafeRawBufferPointer(rebasing: bytes[start..<i])
            if NameKey.equals(piece, "PREF") {
                prefer(&preference, &forms, &pulled)
            } else if !piece.isEmpty {
                type(piece, place.part(start, i), items, isMedia, &pulled)
            }
            start = i + 1
        }
    }

    private func type(
        _ text: UnsafeRawBufferPointer, _ place: TextRange?, _ items: ItemColumns, _ isMedia: Bool,
        _ pulled: inout Pulled
    ) {
        if isMedia, pulled.declared == nil, let place, !NameKey.equals(text, "HOME"),
            !NameKey.equals(text, "WORK")
        {
            pulled.declared = place
            return
        }
        let out = items.typeElements.bytes
        for c in text { out.append(NameKey.fold(c)) }
        items.typeElements.closeBytes()
    }

    /// `X-CUSTOM(CHARSET=UTF-8,ENCODING=QUOTED-PRINTABLE,=D0=9F…)` is a label.
    private func customLabel(
        _ head: UnsafeRawBufferPointer, _ parameter: ContentParameter, _ lines: ContentLines,
        _ items: ItemColumns
    ) {
        scratch.removeAll()
        scratch.append(bytes: head)
        if !parameter.isBare {
            scratch.append(0x3D)
            scratch.append(bytes: lines.bytes(parameter.value))
        }
        var text = UnsafeRawBufferPointer(scratch.elements)
        if text.last == 0x29 { text = .init(rebasing: text.dropLast()) }
        text = .init(rebasing: text.dropFirst(9))
        if let comma = text.lastIndex(of: 0x2C) {
            text = .init(rebasing: text[(comma + 1)...])
        }
        scratch2.removeAll()
        QuotedPrintable.decode(text, protect: false, into: scratch2)
        items.label.append(bytes: UnsafeRawBufferPointer(scratch2.elements))
    }

    // MARK: Text

    /// Appends the text of a value, or of a piece of one, to a column that is closed afterwards.
    @inline(__always)
    func append(_ bytes: UnsafeRawBufferPointer, of line: ContentLine, _ column: Column) {
        if line.flags.contains(.backslash) {
            ValueText.unescape(
                bytes, dialect, quotedPrintable: line.flags.contains(.quotedPrintable),
                into: column.bytes)
        } else {
            column.bytes.append(bytes: bytes)
        }
    }

    /// Appends a text as a column's value.
    func value(_ bytes: UnsafeRawBufferPointer, of line: ContentLine, _ column: Column) {
        append(bytes, of: line, column)
        column.closeBytes()
    }

    /// Appends the pieces of a comma list as the strings of a list column.
    func strings(
        _ bytes: UnsafeRawBufferPointer, of line: ContentLine, _ column: Column, splits: Bool
    ) {
        guard let elements = column.elements else { return }
        if !bytes.isEmpty {
            if splits {
                var pieces = ValuePieces(bytes, separator: 0x2C)
                while let piece = pieces.nextBytes() { value(piece, of: line, elements) }
            } else {
                value(bytes, of: line, elements)
            }
        }
        column.closeCollection()
    }

    /// True when text holds a comma that its dialect takes for a separator.
    func hasOpenComma(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard dialect != .legacy else { return false }
        var pieces = ValuePieces(bytes, separator: 0x2C)
        _ = pieces.next()
        return pieces.next() != nil
    }
}
