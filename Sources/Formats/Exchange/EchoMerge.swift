// Updating a stored contact from a source with fewer words than a card. What the source would say of
// the stored row (its echo) is the common ground: where the row that comes in says the same, nothing
// was edited, and the stored items stay as they are, however they are spelled; where it says something
// else, that was edited, and only the items behind it give way. How rows are written is in
// `EchoMerge+Writing`.

/// What becomes of a stored row when one comes in that a coarser source has said.
final class EchoMerge {
    /// What stands in a list of the result.
    enum Piece {
        case stored(Int)
        case incoming(Int)
        /// The stored item with what was edited of it.
        case merged(stored: Int, said: Int, incoming: Int)
        /// The stored messenger with another user, which the source says in a column for anything.
        case service(stored: Int, user: [UInt8])
    }

    let stored: RowPlace
    let incoming: RowPlace
    let said: RowPlace
    /// By the position of a list, what stands in it.
    private(set) var pieces: [Int: [Piece]] = [:]

    init(_ edits: EchoEdits, _ traces: EchoTraces) {
        stored = edits.stored
        said = edits.said
        incoming = edits.incoming
        let came = edits.incoming
        var new = edits.new
        var givesWay: Set<ItemPlace> = []
        var pairs: [ItemPlace: (said: ItemPlace, incoming: ItemPlace)] = [:]
        var users: [ItemPlace: [UInt8]] = [:]
        for isExact in [true, false] {
            for item in edits.gone {
                let sources = traces.sources(of: item).filter { !edits.claimed.contains($0) }
                givesWay.formUnion(sources)
                guard sources.count == 1, let source = sources.first, pairs[source] == nil,
                    users[source] == nil
                else { continue }
                if source.list != item.list, let (at, user) = newUser(of: source, item, new) {
                    users[source] = user
                    new.remove(at: at)
                    continue
                }
                guard source.list == item.list,
                    let at = new.firstIndex(where: {
                        EchoMerge.isSuccessor($0, of: item, came, said, isExact: isExact)
                    })
                else { continue }
                pairs[source] = (item, new.remove(at: at))
            }
        }
        // What was said already and whose stored item gives way for something else it said.
        let orphans = edits.match.first.filter { _, item in
            let sources = traces.sources(of: item)
            return !sources.isEmpty
                && sources.allSatisfy {
                    givesWay.contains($0) && pairs[$0] == nil && users[$0] == nil
                }
        }
        arrange(givesWay, pairs, users, new + orphans.keys)
    }

    // MARK: What was edited

    /// True when an item that came in stands where another one was said: with the same value, or
    /// else under the same label.
    private static func isSuccessor(
        _ new: ItemPlace, of old: ItemPlace, _ incoming: RowPlace, _ said: RowPlace, isExact: Bool
    ) -> Bool {
        guard new.list == old.list else { return false }
        let list = said.batch.columns[old.list].property.name
        let (a, b) = (said.objects(old.list), incoming.objects(new.list))
        if isExact { return EchoItems.isSameValue(list, a, old.row, b, new.row) }
        if let key = EchoItems.key(list, a, old.row) {
            guard key == EchoItems.key(list, b, new.row) else { return false }
        }
        return zip(a.columns, b.columns).allSatisfy { x, y in
            switch x.property.name {
            case "label": x.isEqual(old.row, to: y, new.row)
            case "types": EchoItems.words(x, old.row) == EchoItems.words(y, new.row)
            default: true
            }
        }
    }

    /// The user that a column for anything now names where it named a stored messenger's, and which of
    /// the new items that is.
    private func newUser(
        of source: ItemPlace, _ old: ItemPlace, _ new: [ItemPlace]
    ) -> (at: Int, user: [UInt8])? {
        let lists = said.batch.classSchema.properties
        guard lists[source.list].name == "services", lists[old.list].name == "extras" else {
            return nil
        }
        func bytes(_ place: RowPlace, _ item: ItemPlace, _ name: String) -> [UInt8] {
            let objects = place.objects(item.list)
            guard let at = objects.classSchema.index(of: name),
                objects.columns[at].layout == .bytes
            else { return [] }
            return Array(objects.columns[at].bytes(item.row))
        }
        let user = bytes(stored, source, "user")
        let value = bytes(said, old, "value")
        guard !user.isEmpty, value.count >= user.count,
            value.suffix(user.count).elementsEqual(user)
        else { return nil }
        // The service stands before it, or is the column's label.
        let head = value.dropLast(user.count)
        let key = EchoItems.key("extras", said.objects(old.list), old.row)
        for (at, item) in new.enumerated() where item.list == old.list {
            let now = bytes(incoming, item, "value")
            if now.starts(with: head), now.count > head.count, !now.contains(0x5C),
                EchoItems.key("extras", incoming.objects(item.list), item.row) == key
            {
                return (at, Array(now[head.count...]))
            }
        }
        return nil
    }

    // MARK: The result

    private func arrange(
        _ givesWay: Set<ItemPlace>,
        _ pairs: [ItemPlace: (said: ItemPlace, incoming: ItemPlace)],
        _ users: [ItemPlace: [UInt8]], _ new: [ItemPlace]
    ) {
        for list in stored.batch.columns.indices {
            guard let items = stored.items(list) else { continue }
            var pieces: [Piece] = []
            for row in items {
                let item = ItemPlace(list: list, row: row)
                if let pair = pairs[item] {
                    pieces.append(
                        .merged(stored: row, said: pair.said.row, incoming: pair.incoming.row))
                } else if let user = users[item] {
                    pieces.append(.service(stored: row, user: user))
                } else if !givesWay.contains(item) {
                    pieces.append(.stored(row))
                }
            }
            let added = new.filter { $0.list == list }.map(\.row).sorted()
            pieces += added.map { .incoming($0) }
            self.pieces[list] = pieces
        }
        settleLabels()
    }

    /// Lines that only name the others of their group go with them, and come with them.
    private func settleLabels() {
        guard let extras = stored.batch.classSchema.index(of: "extras"),
            let own = stored.items(extras), let others = incoming.items(extras)
        else { return }
        // The groups of all that is there, of what stays, and of what came in.
        var all: Set<String> = []
        var kept: Set<String> = []
        var came: Set<String> = []
        for list in stored.batch.columns.indices {
            let (ours, theirs) = (stored.objects(list), incoming.objects(list))
            for row in stored.items(list) ?? []
            where list != extras || !ImportTransfer.isAttribute(ours, row) {
                if let group = ImportTransfer.group(ours, row) { all.insert(group) }
            }
            for piece in pieces[list] ?? [] {
                switch piece {
                case .stored(let row), .service(let row, _):
                    guard list != extras || !ImportTransfer.isAttribute(ours, row) else { continue }
                    if let group = ImportTransfer.group(ours, row) { kept.insert(group) }
                case .incoming(let row):
                    if let group = ImportTransfer.group(theirs, row) { came.insert(group) }
                case .merged(let row, _, let new):
                    if isLabelKept(piece, list) {
                        if let group = ImportTransfer.group(ours, row) { kept.insert(group) }
                    } else if let group = ImportTransfer.group(theirs, new) {
                        came.insert(group)
                    }
                }
            }
        }
        let (ours, theirs) = (stored.objects(extras), incoming.objects(extras))
        let gone = Set(
            own.filter { row in
                guard ImportTransfer.isAttribute(ours, row),
                    let group = ImportTransfer.group(ours, row)
                else { return false }
                return all.contains(group) && !kept.contains(group)
            })
        var settled = (pieces[extras] ?? []).filter {
            if case .stored(let row) = $0 { return !gone.contains(row) }
            return true
        }
        for row in others where ImportTransfer.isAttribute(theirs, row) {
            if let group = ImportTransfer.group(theirs, row), came.contains(group) {
                settled.append(.incoming(row))
            }
        }
        pieces[extras] = settled
        names = newNames(for: came, kept: kept.union(all))
    }

    /// The names of the groups that came in, which are free in the stored row.
    private(set) var names: [String: String] = [:]

    private func newNames(for groups: Set<String>, kept: Set<String>) -> [String: String] {
        var names: [String: String] = [:]
        var number = 0
        for group in groups.sorted() {
            guard kept.contains(group) else { continue }
            repeat {
                number += 1
            } while kept.contains("item\(number)") || groups.contains("item\(number)")
            names[group] = "item\(number)"
        }
        return names
    }

    /// True when an item was not given another label.
    func isLabelKept(_ piece: Piece, _ list: Int) -> Bool {
        guard case .merged(_, let old, let new) = piece else { return true }
        let (a, b) = (said.objects(list), incoming.objects(list))
        guard let at = a.classSchema.index(of: "label") else { return true }
        return a.columns[at].isEqual(old, to: b.columns[at], new)
    }
}
