// How many numbered columns the fullest of some contacts needs (`Phone 9 - Value`): profiles whose
// columns vary with the data are written with as many.

/// Counts the items of contacts, by the word that Google's columns begin with.
final class AddressBookWidths {
    /// The most columns of a kind; what is beyond them is reported as lost.
    static let limit = 100

    private var batch: RecordBatch?
    private var reader: AddressBookContactReader?
    private let kinds = AddressBookKinds()
    private let contact = AddressBookContact()
    /// How many items of some lists a contact may have without needing more columns than usual.
    private var bounds: [(lists: [RawVector<Int>], most: Int)] = []
    /// The lists whose items, and lines that may become items, stand in several kinds of columns.
    private var others: [RawVector<Int>] = []
    private var extras: [RawVector<Int>] = []
    private let mostOthers = 3
    /// The most items of a field, and of the contact at hand; titles stand behind the fields.
    private let most = RawVector<Int>(capacity: 64)
    private let own = RawVector<Int>(capacity: 64)
    private let titles = ColumnMeaning.Field.allCases.count

    init() {
        most.append(repeating: 0, count: titles + 1)
        own.append(repeating: 0, count: titles + 1)
    }

    deinit {
        most.destroy()
        own.destroy()
    }

    /// Whether the columns of a profile vary.
    static func vary(in profile: String) -> Bool { profile == "google" || profile == "google-old" }

    /// The columns needed, by the words they begin with.
    var counts: [String: Int] {
        let names: [(String, Int)] = [
            ("E-mail", most(.email)), ("Phone", most(.phone)), ("Address", most(.address)),
            ("Website", most(.url)), ("Relation", most(.relation)), ("Event", most(.event)),
            ("IM", most(.im)), ("Organization", max(most(.org), most[titles])),
            ("Custom Field", most(.custom)),
        ]
        return Dictionary(uniqueKeysWithValues: names).filter { $0.value > 0 }
            .mapValues { min($0, Self.limit) }
    }

    private func most(_ field: ColumnMeaning.Field) -> Int { most[field.rawValue] }

    /// Counts the items of a batch.
    func note(_ batch: RecordBatch) {
        guard batch.classSchema.name == "Contact" else { return }
        if self.batch !== batch {
            self.batch = batch
            reader = AddressBookContactReader(batch, kinds, contact)
            let lists: [([String], Int)] = [
                (["emails"], 5), (["phones"], 8), (["addresses", "labels"], 4), (["urls"], 4),
                (["organizations"], 1), (["titles"], 1),
            ]
            bounds = lists.map { (ends(of: $0, batch), $1) }
            others = ends(of: ["relations", "dates", "services"], batch)
            extras = ends(of: ["extras"], batch)
        }
        guard let reader else { return }
        for row in 0..<batch.rowCount where exceeds(row, reader) {
            reader.read(row)
            count()
        }
    }

    private func ends(of names: [String], _ batch: RecordBatch) -> [RawVector<Int>] {
        names.compactMap { name in
            batch.classSchema.index(of: name).map { batch.columns[$0] }
        }.filter { $0.layout == .collection }.map(\.ends)
    }

    private func exceeds(_ row: Int, _ reader: AddressBookContactReader) -> Bool {
        for bound in bounds where count(bound.lists, row) > bound.most { return true }
        let count = count(others, row)
        if count + self.count(extras, row) <= mostOthers { return false }
        guard let lines = reader.itemLines(row) else { return true }
        return count + lines > mostOthers
    }

    private func count(_ lists: [RawVector<Int>], _ row: Int) -> Int {
        var count = 0
        for ends in lists { count += ends[row] - (row == 0 ? 0 : ends[row - 1]) }
        return count
    }

    private func count() {
        own.base.update(repeating: 0, count: own.count)
        for item in contact.items.elements {
            own[item.list == .titles ? titles : item.field.rawValue] += 1
            // The newer profile has no other place for them.
            if item.field == .im { own[ColumnMeaning.Field.custom.rawValue] += 1 }
        }
        for i in 0..<own.count { most[i] = max(most[i], own[i]) }
    }
}
