// Contacts to cards: the items of a row in the order of their places, each as its kept text while
// that still says the same, else as the canonical line of its fields.

extension ContactMapper {
    /// One item of a row.
    struct Entry {
        var order: Int64
        /// Position of the property in the class.
        var list: Int
        /// Row in the item batch.
        var row: Int
    }

    /// Turns a row of a batch of `Contact` into the lines of a card of its own version.
    package func lines(of row: Int, in batch: RecordBatch, into lines: ContentLines) {
        if columns?.batch !== batch { columns = columns(of: batch) }
        lines.begin(at: nil)
        guard let columns else { return }
        setDialect(row, columns, lines)
        isApple = false
        if !columns.productID.isNull(row) {
            isApple = ContactMapper.isAppleProgram(columns.productID.bytes(row))
        }
        let entries = entries(of: row, columns)
        lines.isComplete =
            lines.isVersionStated || ContactMapper.isCard(entries)
            || (entries.isEmpty && columns.formattedName.bytes(row).isEmpty)
        var scalars = ScalarLines()
        groups = GroupLines()
        note(entries, columns, &scalars)
        let names = columns.names.owner.range(row)
        for j in names where !columns.names.objects.isNull(j) {
            scalars.phonetics.name = Int(columns.names.objects.words[j])
            break
        }

        if !scalars.hasVersion {
            let text: StaticString =
                dialect == .legacy ? "2.1" : dialect == .vCard4 ? "4.0" : "3.0"
            lines.open(name: "VERSION")
            lines.close(value: lines.add("\(text)"))
        }
        if !scalars.hasProductID { scalar("PRODID", columns.productID, row, lines) }
        if !scalars.hasUID { scalar("UID", columns.uid, row, lines) }
        if !scalars.hasKind, !columns.kind.isNull(row) {
            scalar("KIND", columns.kind, row, lines)
            lines.lines.base[lines.count - 1].flags.insert(.made)
            lines.hasMade = true
        }
        if !scalars.hasFormattedName, !columns.formattedName.bytes(row).isEmpty {
            scalar("FN", columns.formattedName, row, lines)
        }
        var i = 0
        while i < entries.count {
            i += write(entries, i, row, columns, &scalars, lines)
        }
        addPhonetics(columns, scalars.phonetics, lines)
        for i in 0..<lines.count where lines[i].tag == 0 {
            lines.lines.base[i].tag = lookup(lines[i].key, lines.bytes(lines[i].name))
        }
    }

    /// What the extras say about the scalars.
    struct ScalarLines {
        var hasVersion = false
        var hasProductID = false
        var hasUID = false
        var hasKind = false
        var hasFormattedName = false
        var isNameWritten = false
        var written: Set<UInt16> = []
        var phonetics = Phonetics()
    }

    /// True for the items of a card: each line has a place of its own, from the first on. Rows of
    /// other sources lack names that a card must have.
    private static func isCard(_ entries: [Entry]) -> Bool {
        guard let first = entries.first else { return false }
        if first.order >= madeOrder { return false }
        for (a, b) in zip(entries, entries.dropFirst()) where a.order == b.order {
            if a.list != b.list { return false }
        }
        return true
    }

    private func setDialect(_ row: Int, _ columns: ContactColumns, _ lines: ContentLines) {
        dialect = .vCard3
        lines.isVersionStated = !columns.version.isNull(row)
        if lines.isVersionStated {
            let text = columns.version.bytes(row)
            if text.elementsEqual("2.1".utf8) {
                dialect = .legacy
            } else if !text.elementsEqual("3.0".utf8) {
                dialect = .vCard4
            }
        }
        lines.dialect = dialect
    }

    private func entries(of row: Int, _ columns: ContactColumns) -> [Entry] {
        var entries: [Entry] = []
        var isSorted = true
        var last = Int64.min
        for (list, items) in columns.items.enumerated() {
            guard let items else { continue }
            func take(_ child: Int) {
                let order = items.order.words[child]
                if order < last { isSorted = false }
                last = order
                entries.append(Entry(order: order, list: list, row: child))
            }
            if items.owner.layout == .collection {
                for j in items.owner.range(row) where !items.objects.isNull(j) {
                    take(Int(items.objects.words[j]))
                }
            } else if !items.owner.isNull(row) {
                take(Int(items.owner.words[row]))
            }
        }
        if !isSorted {
            // Stable, so that items without a place of their own stay in the order of the lists.
            entries = entries.enumerated().sorted {
                ($0.element.order, $0.offset) < ($1.element.order, $1.offset)
            }.map(\.element)
        }
        return entries
    }

    private func note(
        _ entries: [Entry], _ columns: ContactColumns, _ scalars: inout ScalarLines
    ) {
        for entry in entries {
            guard let items = columns.items[entry.list] else { continue }
            let group = items.group.isNull(entry.row) ? nil : items.group.bytes(entry.row)
            if items === columns.extras {
                let name = items.own[0].bytes(entry.row)
                let property =
                    ContactProperty(rawValue: lookup(NameKey.of(name), name)) ?? .other
                switch property {
                case .version: scalars.hasVersion = true
                case .prodid: scalars.hasProductID = true
                case .uid: scalars.hasUID = true
                case .kind: scalars.hasKind = true
                case .abLabel, .abADR:
                    if let group {
                        groups.note(line: entry.row, property, items, group, dialect)
                    }
                    continue
                case .phoneticFirst, .phoneticMiddle, .phoneticLast, .n, .sound:
                    note(phonetic: property, entry.row, columns, &scalars.phonetics)
                default: break
                }
            } else if columns.name(entry.list) == "formattedNames" {
                scalars.hasFormattedName = true
            }
            if let group {
                groups.note(
                    item: entry.row, items, group, isTyped: items !== columns.extras,
                    isAddress: columns.name(entry.list) == "addresses")
            }
        }
        groups.settle()
    }

    private func scalar(_ name: String, _ column: Column, _ row: Int, _ lines: ContentLines) {
        guard !column.isNull(row) else { return }
        lines.open(name: name)
        lines.close(value: scalarText(column.bytes(row), isUID: name == "UID", lines))
    }

    /// A scalar as its line has it; a UID that is a URI has no separators of ours.
    private func scalarText(
        _ value: UnsafeRawBufferPointer, isUID: Bool, _ lines: ContentLines
    ) -> TextRange {
        isUID && MediaText.hasScheme(value)
            ? plain(value, lines) : escaped(value, lines, commas: true, semicolons: true)
    }

    // MARK: One line

    /// Writes the line of an entry, or of several that share it; returns how many it took.
    private func write(
        _ entries: [Entry], _ i: Int, _ row: Int, _ columns: ContactColumns,
        _ scalars: inout ScalarLines, _ lines: ContentLines
    ) -> Int {
        let entry = entries[i]
        guard let items = columns.items[entry.list] else { return 1 }
        let name = columns.name(entry.list)
        var count = 1
        if name == "nicknames" || name == "categories" {
            while i + count < entries.count, entries[i + count].list == entry.list,
                entries[i + count].order == entry.order
            { count += 1 }
        }
        if items === columns.extras {
            writeExtra(entry.row, row, columns, &scalars, lines)
            return 1
        }
        var edited: UnsafeRawBufferPointer?
        if name == "formattedNames", !scalars.isNameWritten {
            scalars.isNameWritten = true
            let scalar = columns.formattedName.bytes(row)
            if !equalBytes(scalar, items.own[0].bytes(entry.row)) {
                edited = scalar
                noteName(scalar, entry.row, items, lines)
            }
        }
        let isKept =
            edited == nil && !items.raw.isNull(entry.row)
            && writeRaw(entries[i..<i + count], items, name, lines)
        if !isKept {
            let mark = lines.count
            writeCanonical(entries[i..<i + count], items, name, edited, lines)
            if dialect != .vCard4 {
                for k in mark..<lines.count { lines.lines.base[k].flags.insert(.made) }
                lines.hasMade = true
            }
        }
        addLabel(entry.row, items, isKept, lines)
        return count
    }

    private func writeExtra(
        _ row: Int, _ contact: Int, _ columns: ContactColumns, _ scalars: inout ScalarLines,
        _ lines: ContentLines
    ) {
        let items = columns.extras
        let name = items.own[0].bytes(row)
        let value = items.own[1].bytes(row)
        if name.isEmpty {
            var line = ContentLine()
            line.flags = [.noColon, .decoded]
            line.value = lines.add(value)
            lines.lines.append(line)
            return
        }
        let property = ContactProperty(rawValue: lookup(NameKey.of(name), name)) ?? .other
        if ContactMapper.isOfGroup(property.rawValue), !items.group.isNull(row),
            writeOfGroup(row, property, items, lines)
        {
            return
        }
        if let column = columns.scalar(property), scalars.written.insert(property.rawValue).inserted
        {
            if column.isNull(contact) { return }
            scratch.removeAll()
            if isURI(scalar: property, value) {
                scratch.append(bytes: value)
            } else {
                ValueText.unescape(value, dialect, into: scratch)
            }
            var old = UnsafeRawBufferPointer(scratch.elements)
            if property == .version {
                while let c = old.last, c <= 0x20 { old = .init(rebasing: old.dropLast()) }
                while let c = old.first, c <= 0x20 { old = .init(rebasing: old.dropFirst()) }
            }
            if !equalBytes(old, column.bytes(contact)) {
                head(row, items, "", lines)
                lines.lines.base[lines.count - 1].name = lines.add(name)
                return lines.close(
                    value: scalarText(column.bytes(contact), isUID: property == .uid, lines))
            }
        }
        if writePhonetic(row, columns, scalars.phonetics, lines) { return }
        if !items.raw.isNull(row), isKept(row, columns, lines) {
            let start = lines.arena.count
            lines.arena.append(bytes: items.raw.bytes(row))
            ContentLineScanner.appendLogical(start, to: lines)
            return
        }
        head(row, items, "", lines)
        lines.lines.base[lines.count - 1].name = lines.add(name)
        lines.lines.base[lines.count - 1].key = NameKey.of(name)
        lines.lines.base[lines.count - 1].flags.insert(.backslash)
        lines.close(value: lines.add(value))
    }

    // MARK: Kept text

    /// Writes the kept text of items when reading it gives these very items; false when not.
    private func writeRaw(
        _ entries: ArraySlice<Entry>, _ items: ItemColumns, _ list: String, _ lines: ContentLines
    ) -> Bool {
        guard let first = entries.first else { return false }
        let raw = items.raw.bytes(first.row)
        isLabelKept = false
        if list == "agents", equalBytes(raw, items.own[0].bytes(first.row)) {
            var line = ContentLine()
            line.flags = [.nested, .decoded]
            line.tag = ContactProperty.agent.rawValue
            line.value = lines.add(raw)
            lines.lines.append(line)
            return true
        }
        let mark = lines.count
        let parameterMark = lines.parameters.count
        let start = lines.arena.count
        lines.arena.append(bytes: raw)
        let isMedia = items.own.count == 4 && items.own[0].type == .data
        ContentLineScanner.appendLogical(start, to: lines)
        if isMedia, lines.count > mark {
            mediaValue(first.row, items, list, lines)
        }
        let line = lines[mark]
        lines.lines.base[mark].tag = lookup(line.key, lines.bytes(line.name))
        if line.flags.contains(.noColon) || !isSame(entries, items, list, mark, lines) {
            lines.lines.truncate(to: mark)
            lines.parameters.truncate(to: parameterMark)
            return false
        }
        return true
    }

    /// True when a line, read again, gives these items.
    private func isSame(
        _ entries: ArraySlice<Entry>, _ items: ItemColumns, _ list: String, _ at: Int,
        _ lines: ContentLines
    ) -> Bool {
        let checker = self.checker
        checker.begin(dialect, isApple)
        checker.lines.append(at, of: lines)
        guard let again = checker.read(list) else { return false }
        isLabelKept = again.batch.rowCount > 0 && !again.label.isNull(0)
        let rows = again.batch.rowCount
        guard rows == entries.count else { return false }
        for (k, entry) in entries.enumerated() {
            for c in 1..<items.batch.columns.count where c != 7 {
                if c == 2, !items.group.isNull(entry.row) || again.batch.columns[2].isNull(k) {
                    continue
                }
                if k > 0, c < 8 { continue }
                let a = items.batch.columns[c]
                let b = again.batch.columns[c]
                // Phonetic names come from other lines.
                if list == "names", c > 14 { continue }
                // So does the country of Apple's addresses.
                if list == "addresses", c == 17, b.isNull(k),
                    groups.saysCountry(entry.row, items)
                {
                    continue
                }
                if !ContactMapper.equal(a, entry.row, b, k) { return false }
            }
        }
        return true
    }

    static func equal(_ a: Column, _ i: Int, _ b: Column, _ j: Int) -> Bool {
        switch a.layout {
        case .word: return a.nulls[i] == b.nulls[j] && a.words[i] == b.words[j]
        case .pair:
            return a.nulls[i] == b.nulls[j] && a.words[i] == b.words[j] && a.extra[i] == b.extra[j]
        case .bytes: return a.nulls[i] == b.nulls[j] && equalBytes(a.bytes(i), b.bytes(j))
        case .object: return false
        case .collection:
            guard let x = a.elements, let y = b.elements else { return false }
            let s = a.range(i)
            let t = b.range(j)
            guard s.count == t.count else { return false }
            for k in 0..<s.count where !equal(x, s.lowerBound + k, y, t.lowerBound + k) {
                return false
            }
            return true
        }
    }
}

/// Reads a kept line again, to see whether it still says what its item says.
final class ItemChecker {
    let lines = ContentLines()
    private let mapper = ContactMapper(mintsIDs: false)
    private let batch = RecordBatch(schema: ContactClass.schema)

    func begin(_ dialect: ContentDialect, _ isApple: Bool) {
        lines.begin(at: nil)
        lines.dialect = dialect
        batch.removeAll()
        mapper.assumesApple = isApple
    }

    /// The items of a list that the line became.
    func read(_ list: String) -> ItemColumns? {
        mapper.assumesLabel = list == "dates"
        mapper.append(lines, to: batch)
        mapper.complete(batch)
        guard let columns = mapper.columns, let at = batch.classSchema.index(of: list) else {
            return nil
        }
        return columns.items[at]
    }
}
