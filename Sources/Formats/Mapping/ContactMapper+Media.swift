// Photos, logos, sounds and keys: bytes or an address, and what they are by their first bytes.

extension ContactMapper {
    // MARK: Media

    func appendMedia(
        _ line: ContentLine, _ i: Int, _ lines: ContentLines, _ columns: ContactColumns,
        _ property: ContactProperty
    ) {
        let bytes = lines.bytes(line.value)
        let kind = mediaKind(line, lines, property)
        if kind == .other { return appendExtra(line, i, lines, columns) }
        let items = columns.fill(property)
        let data = items.own[0]
        let mark = data.bytes.count
        var uri: MediaText.DataURI?
        switch kind {
        case .dataURI:
            uri = MediaText.dataURI(bytes)
            if let uri {
                let rest = UnsafeRawBufferPointer(rebasing: bytes[uri.start...])
                if uri.isBase64 {
                    if !Base64Text.decode(rest, into: data.bytes) {
                        badBase64(line, lines)
                        return appendExtra(line, i, lines, columns)
                    }
                } else {
                    MediaText.decodePercent(rest, into: data.bytes)
                }
            }
        case .base64:
            if !Base64Text.decode(bytes, into: data.bytes) {
                badBase64(line, lines)
                return appendExtra(line, i, lines, columns)
            }
        default: break
        }
        var pulled = open(line, i, lines, items, property)
        let own = items.own
        if kind == .uri {
            if dialect == .vCard4 {
                own[1].append(bytes: bytes)
            } else {
                value(bytes, of: line, own[1])
            }
        } else {
            data.closeBytes()
            let content = data.bytes.bytes(from: mark, to: data.bytes.count)
            if let type = MediaText.type(of: content) { own[2].append(type) }
        }
        declare(line, lines, items, kind, uri, &pulled)
        if pulled.isExact { return }
        // Without the data, which is written from the field; a data: URI shows by its head.
        appendRaw(line, lines, to: items.raw.bytes, value: false)
        if let uri { items.raw.bytes.append("data:" + uri.type + ";base64,") }
        items.raw.closeBytes()
    }

    enum MediaKind {
        case dataURI, base64, uri, other
    }

    /// What a media value is, whatever its parameters claim.
    func mediaKind(_ line: ContentLine, _ lines: ContentLines, _ property: ContactProperty)
        -> MediaKind
    {
        let bytes = lines.bytes(line.value)
        if bytes.isEmpty { return .other }
        if property == .sound, isPhoneticSound(line, lines) { return .other }
        if MediaText.dataURI(bytes) != nil { return .dataURI }
        if isText(line, lines) { return .other }
        if MediaText.hasScheme(bytes) { return .uri }
        if line.flags.contains(.base64) { return .base64 }
        if let value = lines.parameter(NameKey.value, of: line) {
            if NameKey.equals(lines.bytes(value.value), "URI") { return .uri }
            if NameKey.equals(lines.bytes(value.value), "BINARY") { return .base64 }
        }
        return Base64Text.isPlausible(bytes) ? .base64 : .other
    }

    private func badBase64(_ line: ContentLine, _ lines: ContentLines) {
        context?.report.note(
            .changed, "bad-base64", source: source, record: lines.record,
            property: lines.string(line.name),
            action: "the value is not base64 and was kept as text")
    }

    /// The declared type, and the parameters that the canonical writing brings by itself.
    private func declare(
        _ line: ContentLine, _ lines: ContentLines, _ items: ItemFill, _ kind: MediaKind,
        _ uri: MediaText.DataURI?, _ pulled: inout Pulled
    ) {
        let own = items.own
        if let uri, !uri.type.isEmpty {
            own[3].append(uri.type)
            if pulled.mediaType >= 0 || !pulled.declared.isEmpty { pulled.isExact = false }
        } else if !pulled.declared.isEmpty {
            for c in lines.bytes(pulled.declared) { own[3].bytes.append(NameKey.fold(c)) }
            own[3].closeBytes()
            if pulled.mediaType >= 0 || (dialect == .vCard4 && kind == .uri) {
                pulled.isExact = false
            }
        } else if pulled.mediaType >= 0 {
            own[3].append(bytes: text(pulled.mediaType, lines))
            if dialect != .vCard4 || kind != .uri { pulled.isExact = false }
        }
        // VALUE=uri is written with every URI before 4.0 and with none in 4.0. A VALUE that
        // contradicts the value (`VALUE=BINARY:https://…`) is not kept.
        let says =
            pulled.value >= 0
            && NameKey.equals(lines.bytes(lines.parameters[Int(pulled.value)].value), "URI")
        let isURI = kind != .base64
        if dialect == .vCard4 {
            if pulled.value >= 0 { pulled.isExact = false }
        } else if kind == .dataURI || (isURI && !says)
            || (!isURI && !line.flags.contains(.base64))
        {
            // Before 4.0 data is written as base64 that says so.
            pulled.isExact = false
        }
    }
}
