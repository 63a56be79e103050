// How many numbered columns the fullest of some contacts needs (`Phone 9 - Value`): profiles whose
// columns vary with the data are written with as many.

/// Counts the items of contacts, by the word that Google's columns begin with.
final class AddressBookWidths {
    /// The most columns of a kind; what is beyond them is reported as lost.
    static let limit = 100

    private(set) var counts: [String: Int] = [:]
    private var batch: RecordBatch?
    private var reader: AddressBookContactReader?
    /// How many items of some lists a contact may have without needing more columns than usual.
    private var bounds: [(lists: [Column], most: Int)] = []

    /// Whether the columns of a profile vary.
    static func vary(in profile: String) -> Bool { profile == "google" || profile == "google-old" }

    /// Counts the items of a batch.
    func note(_ batch: RecordBatch) {
        guard batch.classSchema.name == "Contact" else { return }
        if self.batch !== batch {
            self.batch = batch
            reader = AddressBookContactReader(batch)
            let lists: [([String], Int)] = [
                (["emails"], 5), (["phones"], 8), (["addresses", "labels"], 4), (["urls"], 4),
                (["relations", "extras", "dates", "services"], 3), (["organizations"], 1),
                (["titles"], 1),
            ]
            bounds = lists.map { names, most in
                (
                    names.compactMap { name in
                        batch.classSchema.index(of: name).map { batch.columns[$0] }
                    }.filter { $0.layout == .collection }, most
                )
            }
        }
        guard let reader else { return }
        for row in 0..<batch.rowCount
        where bounds.contains(where: { bound in
            bound.lists.reduce(0) { $0 + $1.range(row).count } > bound.most
        }) {
            note(reader.contact(row))
        }
    }

    private func note(_ contact: AddressBookContact) {
        var own: [String: Int] = [:]
        for item in contact.items {
            switch item.field {
            case .email: own["E-mail", default: 0] += 1
            case .phone: own["Phone", default: 0] += 1
            case .address: own["Address", default: 0] += 1
            case .url: own["Website", default: 0] += 1
            case .relation: own["Relation", default: 0] += 1
            case .event: own["Event", default: 0] += 1
            case .org: own[item.list == "titles" ? "title" : "Organization", default: 0] += 1
            case .im:
                own["IM", default: 0] += 1
                // The newer profile has no other place for them.
                own["Custom Field", default: 0] += 1
            default: own["Custom Field", default: 0] += 1
            }
        }
        own["Organization"] = max(own["Organization"] ?? 0, own["title"] ?? 0)
        for (name, count) in own where count > counts[name] ?? 0 {
            counts[name] = min(count, Self.limit)
        }
    }
}
