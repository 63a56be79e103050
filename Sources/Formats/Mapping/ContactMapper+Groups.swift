// What lines say of others of their group: the label of an item, the country of an address.

extension ContactMapper {
    /// The text of the label of a line's group, still escaped; nil without one.
    func label(of line: ContentLine, _ lines: ContentLines) -> UnsafeRawBufferPointer? {
        if line.group.isEmpty || labels.isEmpty { return nil }
        guard let i = labels.line(NameKey.of(lines.bytes(line.group))) else { return nil }
        let text = ContactMapper.unwrapped(lines.bytes(lines[i].value))
        return text.isEmpty ? nil : text
    }

    /// The country that a line of the address's group names, still escaped; nil without one.
    func country(of line: ContentLine, _ lines: ContentLines) -> UnsafeRawBufferPointer? {
        if line.group.isEmpty || countries.isEmpty { return nil }
        guard let i = countries.line(NameKey.of(lines.bytes(line.group))) else { return nil }
        let text = lines.bytes(lines[i].value)
        return text.isEmpty ? nil : text
    }

    /// True for a line that says something of its group, where the group has nothing else.
    func isLabelOfNothing(_ i: Int, _ lines: ContentLines) -> Bool {
        let line = lines[i]
        guard Self.isOfGroup(line.tag), !line.group.isEmpty else { return false }
        let key = NameKey.of(lines.bytes(line.group))
        // What it is said of stands before it nearly always.
        for j in stride(from: i - 1, through: max(0, i - 3), by: -1)
        where !Self.isOfGroup(lines[j].tag) && !lines[j].group.isEmpty {
            if NameKey.of(lines.bytes(lines[j].group)) == key { return false }
        }
        if let named { return !named.contains(key) }
        var all: Set<UInt64> = []
        for j in 0..<lines.count where !Self.isOfGroup(lines[j].tag) && !lines[j].group.isEmpty {
            all.insert(NameKey.of(lines.bytes(lines[j].group)))
        }
        named = all
        return !all.contains(key)
    }

    /// True for the lines that only say something of others of their group.
    static func isOfGroup(_ tag: UInt16) -> Bool {
        tag == ContactProperty.abLabel.rawValue || tag == ContactProperty.abADR.rawValue
    }

    /// A label without Apple's `_$!<…>!$_` around it.
    static func unwrapped(_ text: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        var start = 0
        var end = text.count
        if start < end, text[start] == 0x5F { start += 1 }
        guard end - start >= 6, text[start] == 0x24, text[start + 1] == 0x21,
            text[start + 2] == 0x3C
        else { return text }
        if text[end - 1] == 0x5F { end -= 1 }
        guard end - start >= 6, text[end - 1] == 0x24, text[end - 2] == 0x21, text[end - 3] == 0x3E
        else { return text }
        return UnsafeRawBufferPointer(rebasing: text[start + 3..<end - 3])
    }
}
