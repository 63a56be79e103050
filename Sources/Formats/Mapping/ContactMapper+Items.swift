// What every line has: its place, group, label and parameters. And the text of values.

extension ContactMapper {
    /// What a line's parameters said besides the columns they filled: positions of parameters
    /// that belong to fields of their own, -1 for none.
    struct Pulled {
        /// False when the typed fields alone would be written differently.
        var isExact = true
        var sortAs: Int32 = -1
        var label: Int32 = -1
        var countryCode: Int32 = -1
        var mediaType: Int32 = -1
        var service: Int32 = -1
        var user: Int32 = -1
        var omittedYear: Int32 = -1
        /// The VALUE parameter, where the property decides about it itself.
        var value: Int32 = -1
        /// A label made of Samsung's `X-CUSTOM(…)`.
        var custom: Int32 = -1
        /// The first TYPE of a media line that names a media type.
        var declared = TextRange.empty
        /// How often the line says that it is preferred, and how much.
        var preferences = 0
        var preference: Int64 = 0

        /// A position of a parameter.
        @inline(__always)
        static func at(_ j: Int) -> Int32 { Int32(truncatingIfNeeded: j) }
    }

    // MARK: Items

    /// Begins an item: all of its columns but `raw` and its own are filled.
    @inline(__always)
    func open(
        _ line: ContentLine, _ i: Int, _ lines: ContentLines, _ items: ItemFill,
        _ property: ContactProperty
    ) -> Pulled {
        items.begin(order: firstOrder &+ i)
        if line.group.isEmpty,
            line.parameterCount == 0 || hasShortTypes(line, lines, items, property)
        {
            return Pulled()
        }
        return openRest(line, lines, items, property)
    }

    /// The same for an item of which nothing is pulled.
    /// - Returns: `isExact`.
    @inline(__always)
    func openPlain(
        _ line: ContentLine, _ i: Int, _ lines: ContentLines, _ items: ItemFill,
        _ property: ContactProperty
    ) -> Bool {
        items.begin(order: firstOrder &+ i)
        if line.group.isEmpty,
            line.parameterCount == 0 || hasShortTypes(line, lines, items, property)
        {
            return true
        }
        return openRest(line, lines, items, property).isExact
    }

    /// Appends the types of a line that has nothing else, as most that have parameters: each of up
    /// to eight bytes, in a parameter of its own, and at most one of them PREF.
    /// - Returns: false, with nothing done, for any other line.
    @inline(never)
    private func hasShortTypes(
        _ line: ContentLine, _ lines: ContentLines, _ items: ItemFill, _ property: ContactProperty
    ) -> Bool {
        if property.isMedia { return false }
        let types = items.types
        let before = types.elementEnds.count
        let out = types.elementBytes
        var preferences = 0
        var at = lines.parameters.base + Int(line.firstParameter)
        let end = at + Int(line.parameterCount)
        while at < end {
            let value = at.pointee.value
            guard at.pointee.key == NameKey.type, value.length &- 1 < 8, !at.pointee.isBare,
                !at.pointee.needsDecoding
            else { break }
            let text = ShortText(lines.bytes(value))
            if text.contains(0x2C) { break }
            if text.count == 4, text.key == NameKey.pref {
                if preferences == 1 || dialect == .vCard4 { break }
                preferences = 1
            } else {
                out.reserve(adding: 8)
                UnsafeMutableRawPointer(out.base + out.count).storeBytes(
                    of: text.lowercased.littleEndian, as: UInt64.self)
                out.commit(text.count)
                types.closeElement()
            }
            at += 1
        }
        if at < end {
            types.truncateElements(to: before)
            return false
        }
        if types.elementEnds.count > before { types.closeCollection() }
        if preferences > 0 { items.preference.append(word: 1) }
        return true
    }

    @inline(never)
    private func openRest(
        _ line: ContentLine, _ lines: ContentLines, _ items: ItemFill, _ property: ContactProperty
    ) -> Pulled {
        var pulled = Pulled()
        var hasLabel = false
        if !line.group.isEmpty {
            items.group.append(bytes: lines.bytes(line.group))
            if property != .abLabel, let text = label(of: line, lines) {
                ValueText.unescape(text, dialect, into: items.label.bytes)
                items.label.closeBytes()
                hasLabel = true
            }
        }
        if line.parameterCount > 0 { parameters(line, lines, items, property, &pulled) }
        if pulled.custom >= 0, !hasLabel { customLabel(pulled.custom, lines, items) }
        return pulled
    }

    func parameters(
        _ line: ContentLine, _ lines: ContentLines, _ items: ItemFill,
        _ property: ContactProperty, _ pulled: inout Pulled
    ) {
        var hasLanguage = false
        let isMedia = property.isMedia
        let types = items.types.elementEnds.count
        let others = items.parameters.elementEnds.count
        for j in lines.parameterIndices(line) {
            let parameter = lines.parameters[j]
            // Most parameters are one short type.
            if parameter.key == NameKey.type, !parameter.isBare, !isMedia,
                !parameter.value.isEmpty,
                parameter.needsDecoding
                    ? quotedTypes(lines.bytes(parameter.value), items, &pulled)
                    : parameter.value.count <= 8
                        && shortType(ShortText(lines.bytes(parameter.value)), items, &pulled)
            {
                continue
            }
            if isTransfer(parameter, line) { continue }
            if parameter.isBare || parameter.value.isEmpty {
                bare(j, line, lines, items, isMedia, &pulled)
                continue
            }
            switch parameter.key {
            case NameKey.type:
                list(parameter, lines, items, isMedia, &pulled)
                continue
            case NameKey.pref:
                if let number = ScalarText.int(lines.bytes(parameter.value)),
                    pulled.preferences == 0
                {
                    pulled.preference = number
                    pulled.preferences = 1
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
                    list(parameter, lines, items, isMedia, &pulled)
                    continue
                }
                if pull(j, lines, property, &pulled) { continue }
            }
            append(parameter, lines, items)
        }
        if pulled.preferences > 0 {
            items.preference.append(word: pulled.preference)
            if pulled.preferences > 1 { pulled.isExact = false }
        }
        if items.types.elementEnds.count > types { items.types.closeCollection() }
        if items.parameters.elementEnds.count > others { items.parameters.closeCollection() }
    }

    /// Ends an item whose own columns are filled.
    @inline(__always)
    func close(_ line: ContentLine, _ lines: ContentLines, _ items: ItemFill, _ isExact: Bool) {
        if isExact { return }
        appendRaw(line, lines, to: items.raw.bytes)
        items.raw.closeBytes()
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
        _ j: Int, _ lines: ContentLines, _ property: ContactProperty, _ pulled: inout Pulled
    ) -> Bool {
        let parameter = lines.parameters[j]
        let at = Pulled.at(j)
        /// Takes the first parameter of a kind.
        func first(_ place: inout Int32) -> Bool {
            if place >= 0 { return false }
            place = at
            return true
        }
        switch (property, parameter.key) {
        case (.n, keySortAs), (.org, keySortAs): return first(&pulled.sortAs)
        case (.adr, keyLabel): return first(&pulled.label)
        case (.adr, keyCC): return first(&pulled.countryCode)
        case (.photo, keyMediaType), (.logo, keyMediaType), (.sound, keyMediaType),
            (.key, keyMediaType):
            return first(&pulled.mediaType)
        case (.photo, NameKey.value), (.logo, NameKey.value), (.sound, NameKey.value),
            (.key, NameKey.value):
            return first(&pulled.value)
        case (.impp, keyServiceType), (.impp, keyXServiceType), (.socialProfile, keyServiceType):
            pulled.service = at
            return false
        case (.xSocialProfile, keyXUser), (.socialProfile, keyUserName):
            pulled.user = at
            return false
        default:
            if parameter.key == keyOmitYear {
                switch property {
                case .bday, .anniversary, .deathdate, .abDate: pulled.omittedYear = at
                default: break
                }
            }
            if isCustomLabel(lines.bytes(parameter.name)) {
                pulled.custom = at
                pulled.isExact = false
                return true
            }
            return false
        }
    }

    // MARK: Text

    /// Appends the text of a value, or of a piece of one, to a column that is closed afterwards.
    @inline(__always)
    func append(_ bytes: UnsafeRawBufferPointer, of line: ContentLine, _ column: ColumnFill) {
        append(bytes, of: line, into: column.bytes)
    }

    @inline(__always)
    func append(
        _ bytes: UnsafeRawBufferPointer, of line: ContentLine, into out: RawVector<UInt8>
    ) {
        if line.flags.contains(.backslash) {
            ValueText.unescape(
                bytes, dialect, quotedPrintable: line.flags.contains(.quotedPrintable), into: out)
        } else {
            out.append(few: bytes)
        }
    }

    /// Appends a text as a column's value.
    @inline(__always)
    func value(_ bytes: UnsafeRawBufferPointer, of line: ContentLine, _ column: ColumnFill) {
        append(bytes, of: line, into: column.bytes)
        column.closeBytes()
    }

    /// Appends a text as an element of a list.
    func element(_ bytes: UnsafeRawBufferPointer, of line: ContentLine, _ column: ColumnFill) {
        append(bytes, of: line, into: column.elementBytes)
        column.closeElement()
    }

    /// Appends the pieces of a comma list as the strings of a list column.
    func strings(
        _ bytes: UnsafeRawBufferPointer, of line: ContentLine, _ column: ColumnFill, splits: Bool
    ) {
        if bytes.isEmpty { return }
        if splits {
            var pieces = ValuePieces(bytes, separator: 0x2C)
            while let piece = pieces.nextBytes() { element(piece, of: line, column) }
        } else {
            element(bytes, of: line, column)
        }
        column.closeCollection()
    }

    /// True when text holds a comma, whatever it means there.
    @inline(__always)
    func hasComma(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let start = bytes.assumingMemoryBound(to: UInt8.self).baseAddress else {
            return false
        }
        return firstIndex(of: 0x2C, in: start, count: bytes.count) != nil
    }

    /// True when text holds a comma that its dialect takes for a separator.
    func hasOpenComma(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard dialect != .legacy, hasComma(bytes) else { return false }
        var pieces = ValuePieces(bytes, separator: 0x2C)
        _ = pieces.next()
        return pieces.next() != nil
    }
}
