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
    }

    let stored: RowPlace
    let incoming: RowPlace
    let said: RowPlace
    /// True when nothing was edited.
    let saysNothingNew: Bool
    /// By the position of a list, what stands in it.
    private(set) var pieces: [Int: [Piece]] = [:]

    /// Rows with more items are not looked into that closely.
    private static let mostItems = 500

    /// - Parameters:
    ///   - copy: the stored row as the source was asked about it.
    ///   - said: what the source would say of it.
    ///   - ignored: single values that say nothing.
    init?(
        _ stored: RowPlace, copy: RowPlace, _ incoming: RowPlace, said: RowPlace,
        ignoring ignored: Set<String>, _ echo: any RowEcho
    ) {
        self.stored = stored
        self.said = said
        let came = EchoMerge.withoutOverflow(incoming, said, copy, echo)
        self.incoming = came
        let match = EchoMatch(said, came)
        let known = EchoMatch(stored, came, besides: ["order", "group", "raw"])
        // What stands in the card word for word, though the source would have said it otherwise.
        let claimed = Set(match.leftSecond.compactMap { known.first[$0] })
        var new = match.leftSecond.filter { known.first[$0] == nil }
        let gone = match.leftFirst.filter { EchoMerge.isReplaced($0, of: said, in: came) }
        saysNothingNew =
            gone.isEmpty && new.isEmpty
            && EchoMerge.areSingleValuesSame(came, said, ignoring: ignored)
        if saysNothingNew { return }
        guard let traces = EchoTraces(copy, said, echo, most: EchoMerge.mostItems) else {
            return nil
        }
        var givesWay: Set<ItemPlace> = []
        var pairs: [ItemPlace: (said: ItemPlace, incoming: ItemPlace)] = [:]
        for isExact in [true, false] {
            for item in gone {
                let sources = traces.sources(of: item).filter { !claimed.contains($0) }
                givesWay.formUnion(sources)
                guard sources.count == 1, let source = sources.first, source.list == item.list,
                    pairs[source] == nil,
                    let at = new.firstIndex(where: {
                        EchoMerge.isSuccessor($0, of: item, came, said, isExact: isExact)
                    })
                else { continue }
                pairs[source] = (item, new.remove(at: at))
            }
        }
        // What was said already and whose stored item gives way for something else it said.
        let orphans = match.first.filter { _, item in
            let sources = traces.sources(of: item)
            return !sources.isEmpty
                && sources.allSatisfy { givesWay.contains($0) && pairs[$0] == nil }
        }
        arrange(givesWay, pairs, new + orphans.keys)
    }

    // MARK: What was edited

    /// True when the items of a list, or those of one kind, were said anew: a list without any says
    /// nothing.
    private static func isReplaced(
        _ item: ItemPlace, of said: RowPlace, in incoming: RowPlace
    ) -> Bool {
        let list = said.batch.columns[item.list].property.name
        let others = incoming.items(item.list) ?? []
        let objects = incoming.objects(item.list)
        let key = EchoItems.key(list, said.objects(item.list), item.row)
        return others.contains {
            !ImportTransfer.isAttribute(objects, $0) && EchoItems.key(list, objects, $0) == key
        }
    }

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

    /// True when values that a contact has once are the ones that were said, or say nothing.
    private static func areSingleValuesSame(
        _ incoming: RowPlace, _ said: RowPlace, ignoring ignored: Set<String>
    ) -> Bool {
        zip(incoming.batch.columns, said.batch.columns).allSatisfy { x, y in
            if ignored.contains(x.property.name) || x.layout == .collection || x.layout == .object {
                return true
            }
            if x.isNull(incoming.row) || x.layout == .bytes && x.bytes(incoming.row).isEmpty {
                return true
            }
            return x.isEqual(incoming.row, to: y, said.row)
        }
    }

    // MARK: The result

    private func arrange(
        _ givesWay: Set<ItemPlace>,
        _ pairs: [ItemPlace: (said: ItemPlace, incoming: ItemPlace)], _ new: [ItemPlace]
    ) {
        for list in stored.batch.columns.indices {
            guard let items = stored.items(list) else { continue }
            var pieces: [Piece] = []
            for row in items {
                let item = ItemPlace(list: list, row: row)
                if let pair = pairs[item] {
                    pieces.append(
                        .merged(stored: row, said: pair.said.row, incoming: pair.incoming.row))
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
                case .stored(let row):
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
