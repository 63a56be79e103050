// The lists of an updated contact: stored items as they are, edited ones with what was edited, and new
// ones behind them.

extension EchoMerge {
    /// Appends the values of a property; false for a single value that the source does say anew.
    func append(_ list: Int, to column: Column) -> Bool {
        guard let pieces = pieces[list] else {
            let (x, y) = (incoming.batch.columns[list], said.batch.columns[list])
            guard x.layout != .collection, x.isEqual(incoming.row, to: y, said.row) else {
                return false
            }
            column.append(stored.row, of: stored.batch.columns[list])
            return true
        }
        let isList = column.layout == .collection
        let holder = isList ? column.elements : column
        guard let holder, holder.layout == .object else { return false }
        let behind = lastOrder + 1
        for piece in isList ? pieces[...] : pieces.suffix(1) {
            holder.openObject()
            switch piece {
            case .stored(let row): holder.child.append(row: row, of: stored.objects(list))
            case .incoming(let row):
                appendNew(row, of: incoming.objects(list), to: holder.child, behind: behind)
            case .merged(let row, let old, let new):
                appendMerged(row, old, new, list, piece, to: holder.child)
            case .service(let row, let user):
                appendService(row, user, of: stored.objects(list), to: holder.child)
            }
        }
        if isList {
            column.closeCollection()
        } else if pieces.isEmpty {
            column.appendNull()
        }
        return true
    }

    /// The last place in the stored card.
    private var lastOrder: Int64 {
        var last: Int64 = 0
        for list in stored.batch.columns.indices {
            guard let items = stored.items(list) else { continue }
            let objects = stored.objects(list)
            guard let at = objects.classSchema.index(of: "order") else { continue }
            for row in items { last = max(last, objects.columns[at].words[row]) }
        }
        return min(last, 1 << 40)
    }

    private func appendNew(
        _ row: Int, of items: RecordBatch, to batch: RecordBatch, behind: Int64
    ) {
        for (column, source) in zip(batch.columns, items.columns) {
            switch column.property.name {
            case "order":
                column.append(word: behind &+ min(max(source.words[row], 0), 1 << 40))
            case "group": appendGroup(source, row, to: column)
            default: column.append(row, of: source)
            }
        }
        batch.closeRow()
    }

    private func appendGroup(_ source: Column, _ row: Int, to column: Column) {
        guard source.nulls[row] == 0 else { return column.appendNull() }
        let group = source.string(row)
        column.append(names[group.lowercased()] ?? group)
    }

    /// Appends a stored item with the members that were edited; those the source cannot say stay.
    private func appendMerged(
        _ row: Int, _ old: Int, _ new: Int, _ list: Int, _ piece: Piece, to batch: RecordBatch
    ) {
        let ours = stored.objects(list)
        let (before, after) = (said.objects(list), incoming.objects(list))
        let name = stored.batch.columns[list].property.name
        var isSameValue = EchoItems.isSameValue(name, before, old, after, new)
        // An address of a messenger says which service it is.
        if name == "services" {
            isSameValue = (EchoItems.commonCount..<batch.columns.count).allSatisfy {
                before.columns[$0].isEqual(old, to: after.columns[$0], new)
            }
        }
        let isWhole = EchoItems.isOneOfAKind(name) || name == "addresses"
        let keepsLabel = isLabelKept(piece, list)
        for (k, column) in batch.columns.enumerated() {
            let property = column.property.name
            let (x, y) = (before.columns[k], after.columns[k])
            let isEdited = !x.isEqual(old, to: y, new)
            switch property {
            case "order": column.append(row, of: ours.columns[k])
            case "raw": column.appendNull()
            case "group", "label":
                if keepsLabel {
                    column.append(row, of: ours.columns[k])
                } else if property == "group" {
                    appendGroup(y, new, to: column)
                } else {
                    column.append(new, of: y)
                }
            case "types", "parameters":
                appendWords(
                    ours.columns[k], row, x, old, y, new, to: column,
                    dropsBound: property == "parameters" && !isSameValue)
            default:
                // What kind of thing it is was told in another way.
                let isBound =
                    k >= EchoItems.commonCount && !isSameValue && property != "kind"
                    && property != "name" && (!isWhole || EchoItems.bound.contains(property))
                if isEdited || isBound {
                    column.append(new, of: y)
                } else {
                    column.append(row, of: ours.columns[k])
                }
            }
        }
        batch.closeRow()
    }

    private func appendService(
        _ row: Int, _ user: [UInt8], of items: RecordBatch, to batch: RecordBatch
    ) {
        let old = items.classSchema.index(of: "user").map { Array(items.columns[$0].bytes(row)) }
        for (column, source) in zip(batch.columns, items.columns) {
            switch column.property.name {
            case "raw": column.appendNull()
            case "user": user.withUnsafeBytes { column.append(bytes: $0) }
            case "uri":
                let address = source.bytes(row)
                guard source.nulls[row] == 0, let old, !old.isEmpty, address.count >= old.count,
                    address.suffix(old.count).elementsEqual(old)
                else {
                    column.appendNull()
                    continue
                }
                let whole = Array(address.dropLast(old.count)) + user
                whole.withUnsafeBytes { column.append(bytes: $0) }
            default: column.append(row, of: source)
            }
        }
        batch.closeRow()
    }

    /// Words that were edited, and those that the source cannot say.
    private func appendWords(
        _ stored: Column, _ row: Int, _ said: Column, _ old: Int, _ incoming: Column, _ new: Int,
        to column: Column, dropsBound: Bool
    ) {
        guard let elements = column.elements else { return column.appendNull() }
        let before = EchoItems.words(said, old)
        let after = EchoItems.words(incoming, new)
        var words = EchoItems.words(stored, row)
        if before != after { words = after + words.filter { !(before + after).contains($0) } }
        if dropsBound {
            words.removeAll { word in
                let name = word.prefix { $0 != "=" }.uppercased()
                return EchoItems.boundParameters.contains(name) && !after.contains(word)
            }
        }
        for word in words { elements.append(word) }
        column.closeCollection()
    }
}
