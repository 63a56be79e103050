// What the groups of a contact's lines have when the contact is written: the lines that give a group
// its label or the country of its address, and the items that say, edited perhaps, what these are.

/// The groups of one contact.
struct GroupLines {
    /// One group.
    struct Group {
        /// Labels of its items, those of typed ones first; mostly one.
        var labels: [[UInt8]] = []
        /// Labels of its kept lines.
        var keptLabels: [[UInt8]] = []
        /// Row of the extra that gives the label; later ones of the group say something else.
        var labelLine = -1
        var countryLine = -1
        /// The country that its address has.
        var country: [UInt8]?
        var hasAddress = false
        /// It has a line that a label can be of, and typed items.
        var hasLine = false
        var hasTyped = false

        /// The label that is to be written, where the line says another; nil where it has none.
        func label(but said: UnsafeRawBufferPointer) -> [UInt8]? {
            let all = hasTyped ? labels : keptLabels
            // An edited label wins.
            return all.first { !$0.elementsEqual(said) } ?? all.first
        }
    }

    /// More different labels of one group are not told apart.
    private static let few = 8

    private(set) var all: [UInt64: Group] = [:]
    /// The values of label lines whose items have gone to another group, by the label.
    private(set) var moved: [[UInt8]: [UInt8]] = [:]
    /// Label lines, and what they say.
    private var lines: [(group: UInt64, text: [UInt8], value: [UInt8])] = []

    subscript(group: UnsafeRawBufferPointer) -> Group? { all[NameKey.of(group)] }

    /// Notes an extra that says something of its group.
    mutating func note(
        line row: Int, _ property: ContactProperty, _ items: ItemColumns,
        _ group: UnsafeRawBufferPointer, _ dialect: ContentDialect
    ) {
        let key = NameKey.of(group)
        guard property == .abLabel else {
            if all[key, default: Group()].countryLine < 0 {
                all[key, default: Group()].countryLine = row
            }
            return
        }
        guard all[key, default: Group()].labelLine < 0 else { return }
        all[key, default: Group()].labelLine = row
        guard items.raw.isNull(row) else { return }
        let value = items.own[1].bytes(row)
        let text = RawVector<UInt8>(capacity: value.count + 8)
        defer { text.destroy() }
        ValueText.unescape(ContactMapper.unwrapped(value), dialect, into: text)
        lines.append((key, Array(text.elements), Array(value)))
    }

    /// Notes an item of a group.
    mutating func note(
        item row: Int, _ items: ItemColumns, _ group: UnsafeRawBufferPointer, isTyped: Bool,
        isAddress: Bool
    ) {
        let key = NameKey.of(group)
        var known = all[key] ?? Group()
        known.hasLine = true
        if isTyped { known.hasTyped = true }
        if !items.label.isNull(row) {
            let label = Array(items.label.bytes(row))
            if isTyped, known.labels.count < GroupLines.few, !known.labels.contains(label) {
                known.labels.append(label)
            }
            if !isTyped, known.keptLabels.isEmpty { known.keptLabels.append(label) }
        }
        if isAddress {
            known.hasAddress = true
            let code = items.own[9]
            if !code.isNull(row) { known.country = known.country ?? Array(code.bytes(row)) }
        }
        all[key] = known
    }

    /// After the last item: finds the labels of nothing.
    mutating func settle() {
        for line in lines where all[line.group]?.hasLine != true {
            moved[line.text] = line.value
        }
    }

    /// Whether a line of the group names the country of an address.
    func saysCountry(_ row: Int, _ items: ItemColumns) -> Bool {
        guard !items.group.isNull(row) else { return false }
        return (self[items.group.bytes(row)]?.countryLine ?? -1) >= 0
    }
}

extension ContactMapper {
    /// Writes the line that gives a group its label or country as the items of the group have it.
    /// - Returns: false where the line is written as it was kept.
    func writeOfGroup(
        _ row: Int, _ property: ContactProperty, _ items: ItemColumns, _ lines: ContentLines
    ) -> Bool {
        guard let group = groups[items.group.bytes(row)] else { return false }
        // What it was said of is gone; a card that had it so keeps its text.
        guard group.hasLine else { return items.raw.isNull(row) }
        let value = items.own[1].bytes(row)
        scratch.removeAll()
        let edited: [UInt8]?
        if property == .abLabel {
            guard group.labelLine == row else { return false }
            ValueText.unescape(ContactMapper.unwrapped(value), dialect, into: scratch)
            edited = group.label(but: UnsafeRawBufferPointer(scratch.elements))
            // The label was taken off the items of the group.
            if edited == nil { return !scratch.isEmpty && group.hasTyped }
        } else {
            guard group.countryLine == row, group.hasAddress else { return false }
            ValueText.unescape(value, dialect, into: scratch)
            edited = group.country
            if edited == nil { return !scratch.isEmpty }
        }
        guard let edited, !edited.elementsEqual(scratch.elements) else { return false }
        head(row, items, "", lines)
        lines.lines.base[lines.count - 1].name = lines.add(items.own[0].bytes(row))
        let text = edited.withUnsafeBytes { escaped($0, lines, commas: true, semicolons: true) }
        lines.close(value: text)
        return true
    }

    /// Adds the X-ABLabel line of an item whose label has none yet.
    func addLabel(_ row: Int, _ items: ItemColumns, _ isKept: Bool, _ lines: ContentLines) {
        guard !items.label.isNull(row), lines.count > 0 else { return }
        if !items.group.isNull(row) {
            if (groups[items.group.bytes(row)]?.labelLine ?? -1) >= 0 { return }
        } else if isKept, isLabelKept {
            return
        }
        let text = items.label.bytes(row)
        let label =
            groups.moved.isEmpty
            ? nil : groups.moved[Array(text)].map { $0.withUnsafeBytes { lines.add($0) } }
        let value = label ?? escaped(text, lines, commas: true, semicolons: true)
        var range = lines[lines.count - 1].group
        if range.isEmpty {
            var number = lines.count
            while groups.all[NameKey.of("item\(number)")] != nil { number += 1 }
            range = lines.add("item\(number)")
            lines.lines.base[lines.count - 1].group = range
        }
        lines.open(name: "X-ABLabel", group: range)
        lines.close(value: value)
    }

    /// Says that the name in use counts where its line tells another, unless the line's own text
    /// shows that the name in use was edited.
    func noteName(
        _ name: UnsafeRawBufferPointer, _ row: Int, _ items: ItemColumns, _ lines: ContentLines
    ) {
        let told = items.own[0].bytes(row)
        if let before = former(row, items, "formattedNames", lines),
            ContactMapper.equal(items.own[0], row, before.own[0], 0)
        {
            return
        }
        context?.report.note(
            .guessed, "name-choice", property: "formattedNames",
            value: String(decoding: told.prefix(80), as: UTF8.self),
            action: "formattedName says another name, which was written")
    }
}
