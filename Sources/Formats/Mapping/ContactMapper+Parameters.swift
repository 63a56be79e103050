// The parameters of a line that become what every item has: types, preference, language, label; the
// others stay as they are.

extension ContactMapper {
    // MARK: Parameters

    func append(_ parameter: ContentParameter, _ lines: ContentLines, _ items: ItemFill) {
        let out = items.parameters.elementBytes
        out.append(bytes: lines.bytes(parameter.name))
        out.append(0x3D)
        out.append(bytes: ContactMapper.unquoted(lines.bytes(parameter.value)))
        items.parameters.closeElement()
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

    /// The decoded text of the parameter at a position; valid until the next call.
    func text(_ j: Int32, _ lines: ContentLines) -> UnsafeRawBufferPointer {
        text(lines.parameters[Int(j)], lines)
    }

    func isCustomLabel(_ word: UnsafeRawBufferPointer) -> Bool {
        word.count > 8 && word[0] | 0x20 == 0x78 && NameKey.starts(word, with: "X-CUSTOM(")
    }

    /// A word without a value; `A=;B=` of old ownCloud are bare words too.
    func bare(
        _ j: Int, _ line: ContentLine, _ lines: ContentLines, _ items: ItemFill,
        _ isMedia: Bool, _ pulled: inout Pulled
    ) {
        let parameter = lines.parameters[j]
        let word = parameter.isBare ? parameter.value : parameter.name
        let text = lines.bytes(word)
        // `TYPE=` says nothing.
        if !parameter.isBare, ParameterText.isUsualName(text) { return }
        switch parameter.key {
        case NameKey.pref: return prefer(&pulled)
        case NameKey.bit7, NameKey.bit8: return
        case NameKey.quotedPrintable where NameKey.equals(text, "QUOTED-PRINTABLE"): return
        case NameKey.base64 where line.flags.contains(.base64),
            NameKey.b where line.flags.contains(.base64):
            if !isMedia {
                items.parameters.elementBytes.append("ENCODING=BASE64")
                items.parameters.closeElement()
            }
            return
        case NameKey.inline: return says("INLINE", items)
        case NameKey.url: return says("URL", items)
        case NameKey.cid: return says("CID", items)
        case keyContentID where NameKey.equals(text, "CONTENT-ID"):
            return says("CONTENT-ID", items)
        default: break
        }
        if isCustomLabel(text) {
            pulled.custom = Pulled.at(j)
            pulled.isExact = false
            return
        }
        if parameter.isBare, 1...8 ~= text.count, !isMedia, !parameter.needsDecoding {
            let type = ShortText(text)
            if !type.contains(0x5C), shortType(type, items, &pulled) { return }
        }
        // `WORK,VOICE` are two words.
        if text.contains(0x2C) { pulled.isExact = false }
        list(text, text.contains(0x5C) ? nil : word, items, isMedia, &pulled)
    }

    func says(_ word: String, _ items: ItemFill) {
        items.parameters.elementBytes.append("VALUE=" + word)
        items.parameters.closeElement()
    }

    private func prefer(_ pulled: inout Pulled) {
        if pulled.preferences == 0 { pulled.preference = 1 }
        pulled.preferences += 1
        if dialect == .vCard4 { pulled.isExact = false }
    }

    func list(
        _ parameter: ContentParameter, _ lines: ContentLines, _ items: ItemFill, _ isMedia: Bool,
        _ pulled: inout Pulled
    ) {
        list(
            lines.bytes(parameter.value), parameter.needsDecoding ? nil : parameter.value, items,
            isMedia, &pulled)
    }

    /// The types between commas; PREF among them is the preference.
    /// - Parameter place: where the text stands; nil when it has to be decoded.
    func list(
        _ bytes: UnsafeRawBufferPointer, _ place: TextRange?, _ items: ItemFill, _ isMedia: Bool,
        _ pulled: inout Pulled
    ) {
        guard let place else {
            return ParameterText.forEachType(bytes, carets: dialect != .legacy, scratch: scratch) {
                if NameKey.equals($0, "PREF") {
                    prefer(&pulled)
                } else {
                    type($0, nil, items, isMedia, &pulled)
                }
            }
        }
        var start = 0
        while start <= bytes.count {
            var i = start
            while i < bytes.count, bytes[i] != 0x2C { i &+= 1 }
            let piece = UnsafeRawBufferPointer(rebasing: bytes[start..<i])
            if piece.count == 4, NameKey.of(piece) == NameKey.pref {
                prefer(&pulled)
            } else if !piece.isEmpty {
                type(piece, place.part(start, i), items, isMedia, &pulled)
            }
            start = i + 1
        }
    }

    /// Appends a type of up to eight bytes, in lower case, or notes the preference.
    /// - Returns: false when it is a list of types.
    @inline(__always)
    func shortType(_ type: ShortText, _ items: ItemFill, _ pulled: inout Pulled) -> Bool {
        if type.contains(0x2C) { return false }
        if type.count == 4, type.key == NameKey.pref {
            prefer(&pulled)
            return true
        }
        let out = items.types.elementBytes
        out.reserve(adding: 8)
        UnsafeMutableRawPointer(out.base + out.count).storeBytes(
            of: type.lowercased.littleEndian, as: UInt64.self)
        out.commit(type.count)
        items.types.closeElement()
        return true
    }

    /// Appends short types that are quoted all together, as 4.0 has them: `TYPE="voice,cell"`.
    /// - Returns: false, with nothing done, for any other text.
    func quotedTypes(
        _ text: UnsafeRawBufferPointer, _ items: ItemFill, _ pulled: inout Pulled
    ) -> Bool {
        let last = text.count - 1
        guard last > 1, text[0] == 0x22, text[last] == 0x22 else { return false }
        var start = 1
        var i = 1
        // Lower-case letters alone are the usual words.
        while i <= last {
            let c = text[i]
            if c &- 0x61 < 26 {
                i &+= 1
                continue
            }
            guard c == 0x2C || i == last else {
                let word = UnsafeRawBufferPointer(rebasing: text[i..<i &+ 1])
                guard ParameterText.isPlainToken(word) else { return false }
                i &+= 1
                continue
            }
            guard i > start, i &- start <= 8 else { return false }
            start = i &+ 1
            i &+= 1
        }
        start = 1
        i = 1
        while i <= last {
            if text[i] == 0x2C || i == last {
                let word = ShortText(UnsafeRawBufferPointer(rebasing: text[start..<i]))
                _ = shortType(word, items, &pulled)
                start = i &+ 1
            }
            i &+= 1
        }
        return true
    }

    func type(
        _ text: UnsafeRawBufferPointer, _ place: TextRange?, _ items: ItemFill, _ isMedia: Bool,
        _ pulled: inout Pulled
    ) {
        if isMedia, pulled.declared.isEmpty, let place, !NameKey.equals(text, "HOME"),
            !NameKey.equals(text, "WORK")
        {
            pulled.declared = place
            return
        }
        let out = items.types.elementBytes.extend(text.count)
        for i in 0..<text.count { out[i] = NameKey.fold(text[i]) }
        items.types.closeElement()
    }

    /// `X-CUSTOM(CHARSET=UTF-8,ENCODING=QUOTED-PRINTABLE,=D0=9F…)` is a label.
    func customLabel(_ j: Int32, _ lines: ContentLines, _ items: ItemFill) {
        let parameter = lines.parameters[Int(j)]
        scratch.removeAll()
        if parameter.isBare {
            scratch.append(bytes: lines.bytes(parameter.value))
        } else {
            scratch.append(bytes: lines.bytes(parameter.name))
            if !parameter.value.isEmpty {
                scratch.append(0x3D)
                scratch.append(bytes: lines.bytes(parameter.value))
            }
        }
        scratch2.removeAll()
        ContactMapper.decode(
            customLabel: UnsafeRawBufferPointer(scratch.elements), into: scratch2)
        if !UTF8Check.isValid(UnsafeRawBufferPointer(scratch2.elements)) { isTextKnown = false }
        items.label.append(bytes: UnsafeRawBufferPointer(scratch2.elements))
    }

    /// Appends the label that stands last in such a word.
    static func decode(customLabel word: UnsafeRawBufferPointer, into out: RawVector<UInt8>) {
        var text = word
        if text.last == 0x29 { text = .init(rebasing: text.dropLast()) }
        text = .init(rebasing: text.dropFirst(9))
        if let comma = text.lastIndex(of: 0x2C) {
            text = .init(rebasing: text[(comma + 1)...])
        }
        QuotedPrintable.decode(text, protect: false, into: out)
    }
}
