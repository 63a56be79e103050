// Cards of groups: for formats without groups their members have a category of the group's name.
// Which contact is in which group is known only when all were read, so they are read twice.

/// The groups among some contacts.
final class ContactGroups {
    /// What is kept of members at most, in bytes; a list of millions is not for memory.
    private let limit: Int
    private var used = 0
    private(set) var names: [String] = []
    /// The groups of a member, by its UID.
    private var groups: [String: [Int]] = [:]
    /// How many members of a group have not been seen yet.
    private var missing: [Int] = []
    private var unkept = 0
    private let lookup = ContactProperty.Lookup()

    init(limit: Int = 256 << 20) { self.limit = limit }

    var isEmpty: Bool { names.isEmpty }

    /// Remembers the groups of a batch, the first time it is read.
    func note(_ batch: RecordBatch) {
        guard batch.rowCount > 0, let columns = ContactColumns(batch) else { return }
        for row in 0..<batch.rowCount where isGroup(row, columns) {
            let group = names.count
            names.append(name(row, columns))
            missing.append(0)
            for member in members(row, columns) {
                guard used < limit else {
                    unkept += 1
                    continue
                }
                used += member.utf8.count + 96
                if groups[member]?.contains(group) == true { continue }
                groups[member, default: []].append(group)
                missing[group] += 1
            }
        }
    }

    /// Says which rows of a batch are groups, and which are in some.
    func mark(_ batch: RecordBatch, _ context: ExchangeContext) {
        batch.groups = RowGroups()
        guard batch.rowCount > 0, let columns = ContactColumns(batch) else { return }
        for row in 0..<batch.rowCount {
            if !columns.uid.isNull(row), let found = groups[Self.plain(columns.uid.string(row))] {
                batch.groups.categories[row] = found.map { names[$0] }
                for group in found where missing[group] > 0 { missing[group] -= 1 }
            }
            guard isGroup(row, columns) else { continue }
            batch.groups.isGroup.insert(row)
            context.report.note(
                .changed, "group-as-category", record: batch.firstRecord + row,
                property: "KIND", value: name(row, columns),
                action: "the card of a group became a category of its members")
        }
    }

    /// Notes what became of no category.
    func noteRest(_ context: ExchangeContext) {
        for (name, count) in zip(names, missing) where count > 0 {
            context.report.note(
                .lost, "group-members", property: "MEMBER", value: name, count: count,
                action: "members of the group that are not among the contacts")
        }
        if unkept > 0 {
            context.report.note(
                .lost, "group-members", property: "MEMBER", count: unkept,
                action: "there are more members of groups than are kept in memory")
        }
        unkept = 0
        for i in missing.indices { missing[i] = 0 }
    }

    // MARK: Rows

    private func isGroup(_ row: Int, _ columns: ContactColumns) -> Bool {
        if !columns.kind.isNull(row) { return NameKey.equals(columns.kind.bytes(row), "group") }
        var isGroup = false
        forEach(.serverKind, row, columns) { if NameKey.equals($0, "group") { isGroup = true } }
        return isGroup
    }

    private func name(_ row: Int, _ columns: ContactColumns) -> String {
        let full = columns.formattedName.string(row)
        if !full.isEmpty { return full }
        for j in columns.names.owner.range(row) where !columns.names.objects.isNull(j) {
            let family = columns.names.own[0].string(Int(columns.names.objects.words[j]))
            if !family.isEmpty { return family }
        }
        return "Group"
    }

    private func members(_ row: Int, _ columns: ContactColumns) -> [String] {
        var members: [String] = []
        if let at = columns.batch.classSchema.index(of: "members"), let items = columns.items[at] {
            for j in items.owner.range(row) where !items.objects.isNull(j) {
                members.append(Self.plain(items.own[0].string(Int(items.objects.words[j]))))
            }
        }
        forEach(.serverMember, row, columns) {
            members.append(Self.plain(String(decoding: $0, as: UTF8.self)))
        }
        return members
    }

    /// The values of the extras of a property.
    private func forEach(
        _ property: ContactProperty, _ row: Int, _ columns: ContactColumns,
        _ body: (UnsafeRawBufferPointer) -> Void
    ) {
        let items = columns.extras
        for j in items.owner.range(row) where !items.objects.isNull(j) {
            let child = Int(items.objects.words[j])
            let name = items.own[0].bytes(child)
            if lookup(NameKey.of(name), name) == property.rawValue {
                body(items.own[1].bytes(child))
            }
        }
    }

    /// A UID as it is compared: `urn:uuid:` and letter case say nothing.
    private static func plain(_ uid: String) -> String {
        let prefix = "urn:uuid:"
        let text = uid.lowercased()
        let rest = text.hasPrefix(prefix) ? text.dropFirst(prefix.count) : text[...]
        return rest.split(whereSeparator: { $0 == " " || $0 == "\t" }).joined(separator: " ")
    }
}

/// Another reader's contacts, told which of them are groups and who is in them.
final class GroupingReader: WrappingReader {
    let reader: any RecordReader
    private let groups: ContactGroups
    private let context: ExchangeContext

    init(_ reader: any RecordReader, _ groups: ContactGroups, _ context: ExchangeContext) {
        self.reader = reader
        self.groups = groups
        self.context = context
    }

    func next(into batch: RecordBatch) throws(FormatError) -> Bool {
        let isThere = try reader.next(into: batch)
        if isThere {
            groups.mark(batch, context)
        } else {
            groups.noteRest(context)
        }
        return isThere
    }
}
