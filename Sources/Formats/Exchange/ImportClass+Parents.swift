// To-dos of a source without UIDs that were matched to stored ones keep the stored UIDs. What is below
// them names the UIDs that were made for the source, and is led to the stored ones here.

extension ImportClass {
    /// The columns of UIDs and relations; nil where no row is below another.
    private var parentColumns: (uid: Int, storedUID: Int, relations: Int, parent: Int)? {
        guard stored.classSchema.name == "TodoItem",
            let uid = incoming.classSchema.index(of: "uid"),
            let storedUID = stored.classSchema.index(of: "uid"),
            stored.classSchema.properties[storedUID].type == .string,
            rows.columns[uid].layout == .bytes,
            let relations = incoming.classSchema.index(of: "relations"),
            let elements = rows.columns[relations].elements, elements.layout == .object,
            elements.count > 0,
            let parent = elements.child.classSchema.index(of: "uid"),
            elements.child.columns[parent].layout == .bytes
        else { return nil }
        return (uid, storedUID, relations, parent)
    }

    /// The stored property that is looked at so that relations can be led to it.
    var relationProperty: Int? { parentColumns?.storedUID }

    /// Keeps the UID of a stored row that may be matched.
    func noteUID(_ batch: RecordBatch, _ row: Int, _ property: Int) {
        let column = batch.columns[property]
        guard column.layout == .bytes, !column.isNull(row) else { return }
        storedUIDs[batch.keys[row]] = column.string(row)
    }

    /// Leads relations from UIDs that were made to those of the stored rows.
    func leadRelations() {
        guard !storedUIDs.isEmpty, let places = parentColumns else { return }
        var known: [String: String] = [:]
        for row in 0..<rows.rowCount where bestRule[row] != ImportClass.noRule {
            guard let uid = storedUIDs[keys[row]], !rows.columns[places.uid].isNull(row) else {
                continue
            }
            let own = rows.columns[places.uid].string(row)
            if own != uid, transfer.isMadeUID(own, row, of: rows) { known[own] = uid }
        }
        storedUIDs = [:]
        guard !known.isEmpty, let elements = rows.columns[places.relations].elements else { return }
        let column = elements.child.columns[places.parent]
        let texts = (0..<column.count).map { column.isNull($0) ? nil : column.string($0) }
        guard texts.contains(where: { $0.map { known[$0] != nil } ?? false }) else { return }
        column.removeAll()
        for text in texts {
            if let text { column.append(known[text] ?? text) } else { column.appendNull() }
        }
    }
}
