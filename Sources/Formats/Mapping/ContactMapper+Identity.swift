// Which contact a card without a UID is: ids are made of what it says, not of how it is spelled, so
// that a card comes back as the same contact from another program, version or table.

extension ContactMapper {
    /// The id of a card: its UID, else made of its content.
    func identity(_ lines: ContentLines, _ first: Firsts) -> ObjectID {
        guard let minter else { return ObjectID(high: 0, low: 0) }
        if first.uid >= 0 {
            var uid = lines.bytes(lines[first.uid].value)
            while let c = uid.last, c <= 0x20 { uid = .init(rebasing: uid.dropLast()) }
            while let c = uid.first, c <= 0x20 { uid = .init(rebasing: uid.dropFirst()) }
            if !uid.isEmpty {
                let id = minter.id(uid: uid)
                if minter.isRepeat {
                    context?.report.note(
                        .changed, "duplicate-key", source: source, record: lines.record,
                        property: "UID", value: String(decoding: uid.prefix(80), as: UTF8.self),
                        action: "a further record of the same UID got an id of its own")
                }
                return id
            }
        }
        // Gathered first: a hash takes one long text faster than many short ones.
        let content = scratch
        content.removeAll()
        addName(lines, first, to: content)
        let nameEnd = content.count
        if !addCore(lines, to: content) {
            // A name alone tells nobody apart.
            content.truncate(to: nameEnd)
            cardContent.append(lines, to: content)
        }
        var hash = minter.content()
        hash.add(UnsafeRawBufferPointer(content.elements))
        return minter.id(content: hash)
    }

    private func add(_ key: UInt64, to content: RawVector<UInt8>) {
        UnsafeMutableRawPointer(content.extend(8)).storeBytes(
            of: key.littleEndian, as: UInt64.self)
    }

    /// Appends a value, or a piece of one, without its escapes.
    @inline(__always)
    private func add(
        _ bytes: UnsafeRawBufferPointer, of line: ContentLine, to content: RawVector<UInt8>
    ) {
        if line.flags.contains(.backslash) {
            ValueText.unescape(
                bytes, dialect, quotedPrintable: line.flags.contains(.quotedPrintable),
                into: content)
        } else {
            content.append(bytes: bytes)
        }
    }

    // MARK: The name

    /// Appends the formatted name, or what a writer makes one of where there is none.
    private func addName(_ lines: ContentLines, _ first: Firsts, to content: RawVector<UInt8>) {
        if first.fn >= 0 {
            add(lines.bytes(lines[first.fn].value), of: lines[first.fn], to: content)
        }
        if content.isEmpty { addDerivedName(lines, to: content) }
        content.append(10)
    }

    @inline(never)
    private func addDerivedName(_ lines: ContentLines, to content: RawVector<UInt8>) {
        let name = line(.n, lines) { lines.parameter(self.keyPhonetic, of: $0) == nil }
        if let name {
            var parts: [UnsafeRawBufferPointer] = []
            parts.reserveCapacity(5)
            var pieces = ValuePieces(lines.bytes(name.value), separator: 0x3B)
            while parts.count < 5, let piece = pieces.nextBytes() { parts.append(piece) }
            for k in [3, 1, 2, 0, 4] where k < parts.count {
                var words = ValuePieces(parts[k], separator: dialect == .legacy ? 0x3B : 0x2C)
                while let word = words.nextBytes() {
                    if word.isEmpty { continue }
                    if !content.isEmpty { content.append(0x20) }
                    add(word, of: name, to: content)
                }
            }
        }
        for property in [ContactProperty.org, .nickname, .email, .tel] where content.isEmpty {
            guard let line = line(property, lines, where: { !$0.value.isEmpty }) else { continue }
            var pieces = ValuePieces(
                lines.bytes(line.value), separator: property == .org ? 0x3B : 0x2C)
            if let piece = pieces.nextBytes() { add(piece, of: line, to: content) }
        }
    }

    private func line(
        _ property: ContactProperty, _ lines: ContentLines, where isWanted: (ContentLine) -> Bool
    ) -> ContentLine? {
        for i in 0..<lines.count where lines[i].tag == property.rawValue && isWanted(lines[i]) {
            return lines[i]
        }
        return nil
    }

    // MARK: What all versions and programs write

    /// Appends what people are told apart by, which all versions and tables have.
    /// - Returns: false when it is too little.
    private func addCore(_ lines: ContentLines, to content: RawVector<UInt8>) -> Bool {
        var isEnough = false
        for i in 0..<lines.count {
            let line = lines[i]
            let property = ContactProperty(rawValue: line.tag) ?? .other
            switch property {
            case .tel, .email, .adr, .note, .bday, .org, .title, .role, .nickname, .categories,
                .url:
                break
            default: continue
            }
            let mark = content.count
            add(line.key, to: content)
            let start = content.count
            let bytes = lines.bytes(line.value)
            switch property {
            case .tel where NameKey.starts(bytes, with: "tel:"):
                add(UnsafeRawBufferPointer(rebasing: bytes[4...]), of: line, to: content)
            case .url where dialect == .vCard4: content.append(bytes: bytes)
            case .bday: addDate(bytes, line, lines, to: content)
            default: add(bytes, of: line, to: content)
            }
            if property == .adr || property == .org {
                while content.count > start, content[content.count - 1] == 0x3B {
                    content.truncate(to: content.count - 1)
                }
            }
            if content.count == start {
                content.truncate(to: mark)
                continue
            }
            content.append(10)
            switch property {
            case .tel, .email, .adr, .note, .bday: isEnough = true
            default: break
            }
        }
        return isEnough
    }

    /// Appends a date as its parts; a year that stands for none is none.
    private func addDate(
        _ bytes: UnsafeRawBufferPointer, _ line: ContentLine, _ lines: ContentLines,
        to content: RawVector<UInt8>
    ) {
        guard var date = CardDate(bytes) else { return add(bytes, of: line, to: content) }
        if date.year == 1604 || lines.parameter(keyOmitYear, of: line) != nil { date.year = nil }
        for part in [date.year, date.month, date.day] {
            add(UInt64(truncatingIfNeeded: part ?? -1), to: content)
        }
    }
}
