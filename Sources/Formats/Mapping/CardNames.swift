// Relations that name another card by its address (`RELATED:urn:uuid:…`): for formats that have the
// names of people only, the card is looked up among those of the input.

/// The names of the cards that relations lead to.
final class CardNames {
    /// What is kept of names at most, in bytes.
    private static let limit = 32 << 20
    private var used = 0
    private var names: [String: String] = [:]
    private var wanted: Set<String> = []

    /// By the address as it is compared, the names of the cards that are linked to.
    private(set) var found: [String: String] = [:]

    var isEmpty: Bool { found.isEmpty }

    /// True where a contact names others by their addresses, perhaps; text without these words has
    /// no such link.
    static func mayBeIn(_ text: UnsafeRawBufferPointer) -> Bool {
        ByteSearch.containsFolded(text, "relat") && ByteSearch.containsFolded(text, "urn:")
    }

    /// Remembers the cards and the links of a batch.
    func note(_ batch: RecordBatch) {
        guard batch.rowCount > 0, let columns = ContactColumns(batch),
            let at = batch.classSchema.index(of: "relations"), let items = columns.items[at],
            items.owner.layout == .collection
        else { return }
        for row in 0..<batch.rowCount {
            for j in items.owner.range(row) where !items.objects.isNull(j) {
                let text = items.own[0].bytes(Int(items.objects.words[j]))
                guard used < Self.limit, MediaText.hasScheme(text) else { continue }
                let link = ContactGroups.plain(String(decoding: text, as: UTF8.self))
                if wanted.insert(link).inserted { used += link.utf8.count + 48 }
            }
            let name = columns.formattedName.string(row)
            guard used < Self.limit, !name.isEmpty, !columns.uid.isNull(row) else { continue }
            let uid = ContactGroups.plain(columns.uid.string(row))
            if names.updateValue(name, forKey: uid) == nil {
                used += uid.utf8.count + name.utf8.count + 96
            }
        }
    }

    /// Drops what nothing leads to; once, when all was noted.
    func settle() {
        for link in wanted { found[link] = names[link] }
        names = [:]
        wanted = []
    }
}
