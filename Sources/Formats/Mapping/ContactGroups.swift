// Cards of groups: for formats without groups their members have a category of the group's name, and
// so have the members of groups inside it. Which contact is in which group is known only when all
// were read, so they are read twice. What a group's card says besides is in `GroupDetails`.

/// The groups among some contacts.
final class ContactGroups {
    /// What is kept of members at most, in bytes; a list of millions is not for memory.
    private let limit: Int
    private var used = 0
    private(set) var names: [String] = []
    /// The UID of each group, as it is compared; empty without one.
    private var uids: [String] = []
    /// The members in the order they were met.
    private var members: [Member] = []
    /// Where a member stands, by what its address is compared by.
    private var places: [String: Int] = [:]
    private var unkept = 0
    private var hasMail = false
    /// For each group itself and all it is in, when that was found out.
    private var around: [Int: [Int]] = [:]
    private let details = GroupDetails()

    /// Whom a group names.
    private struct Member {
        /// As the group spells it.
        var text: String
        var groups: [Int]
        var isThere = false
    }

    init(limit: Int = 256 << 20) { self.limit = limit }

    var isEmpty: Bool { names.isEmpty }

    /// Remembers the groups of a batch, the first time it is read.
    func note(_ batch: RecordBatch) {
        guard batch.rowCount > 0, let columns = ContactColumns(batch) else { return }
        for row in 0..<batch.rowCount where details.isGroup(row, columns) {
            let group = names.count
            names.append(details.name(row, columns))
            uids.append(columns.uid.isNull(row) ? "" : Self.plain(columns.uid.string(row)))
            for text in details.members(row, columns) {
                let member = Self.plain(text)
                guard used < limit else {
                    unkept += 1
                    continue
                }
                if member.hasPrefix(Self.mail) { hasMail = true }
                guard let place = places[member] else {
                    used += member.utf8.count + text.utf8.count + 160
                    places[member] = members.count
                    members.append(Member(text: text, groups: [group]))
                    continue
                }
                if members[place].groups.contains(group) { continue }
                used += 8
                members[place].groups.append(group)
            }
        }
    }

    /// Says which rows of a batch are groups, and which are in some.
    func mark(_ batch: RecordBatch, _ context: ExchangeContext) {
        guard batch.rowCount > 0, let columns = ContactColumns(batch) else { return }
        for row in 0..<batch.rowCount {
            let found = groups(of: row, columns)
            if details.isGroup(row, columns) {
                batch.groups.isGroup.insert(row)
                // A group that names itself is in no other one.
                let uid = columns.uid.isNull(row) ? "" : Self.plain(columns.uid.string(row))
                let isInside = found.contains { uids[$0] != uid }
                noteGroup(row, columns, isInside: isInside, context)
            } else if !found.isEmpty {
                var all: [Int] = []
                for group in found {
                    for outer in chain(of: group) where !all.contains(outer) { all.append(outer) }
                }
                batch.groups.categories[row] = all.map { names[$0] }
            }
        }
    }

    /// The groups that name a contact by its UID or an address of e-mail.
    private func groups(of row: Int, _ columns: ContactColumns) -> [Int] {
        var found: [Int] = []
        func look(_ key: String) {
            guard let place = places[key] else { return }
            members[place].isThere = true
            found += members[place].groups.filter { !found.contains($0) }
        }
        if !columns.uid.isNull(row) { look(Self.plain(columns.uid.string(row))) }
        guard hasMail, let at = columns.batch.classSchema.index(of: "emails"),
            let items = columns.items[at], items.owner.layout == .collection
        else { return found }
        for j in items.owner.range(row) where !items.objects.isNull(j) {
            look(Self.plain(Self.mail + items.own[0].string(Int(items.objects.words[j]))))
        }
        return found.sorted()
    }

    /// A group and those that it is in, and those that these are in.
    private func chain(of group: Int) -> [Int] {
        if let known = around[group] { return known }
        var all = [group]
        var next = 0
        while next < all.count {
            let uid = uids[all[next]]
            next += 1
            guard !uid.isEmpty, let place = places[uid] else { continue }
            for outer in members[place].groups where !all.contains(outer) { all.append(outer) }
        }
        around[group] = all
        return all
    }

    private func noteGroup(
        _ row: Int, _ columns: ContactColumns, isInside: Bool, _ context: ExchangeContext
    ) {
        let record = columns.batch.firstRecord + row
        let name = details.name(row, columns)
        if details.members(row, columns).isEmpty {
            context.report.note(
                .lost, "group-empty", record: record, property: "KIND", value: name,
                action: "a group without members is a category of nobody")
        } else {
            context.report.note(
                .changed, "group-as-category", record: record, property: "KIND", value: name,
                action: "the card of a group became a category of its members")
        }
        if isInside {
            context.report.note(
                .changed, "group-in-group", record: record, property: "MEMBER", value: name,
                action: "its members got the category of the group that it is in, too")
        }
        details.note(row, columns, record: record, context)
    }

    /// Notes what became of no category.
    func noteRest(_ context: ExchangeContext) {
        for (i, member) in members.enumerated() where !member.isThere {
            for group in member.groups {
                context.report.note(
                    .lost, "group-members", property: "MEMBER",
                    value: "\(member.text) (\(names[group]))",
                    action: "a member of the group that is not among the contacts")
            }
            members[i].isThere = true
        }
        if unkept > 0 {
            context.report.note(
                .lost, "group-members", property: "MEMBER", count: unkept,
                action: "there are more members of groups than are kept in memory")
        }
        unkept = 0
    }

    private static let mail = "mailto:"

    /// A UID as it is compared: `urn:uuid:` and letter case say nothing.
    static func plain(_ uid: String) -> String {
        let prefix = "urn:uuid:"
        let text = uid.lowercased()
        let rest = text.hasPrefix(prefix) ? text.dropFirst(prefix.count) : text[...]
        return rest.split(whereSeparator: { $0 == " " || $0 == "\t" }).joined(separator: " ")
    }
}
