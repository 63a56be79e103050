// When two items of contacts say the same, and when they are the same thing told in another way.

/// Compares embedded items of two rows.
enum EchoItems {
    /// Where an item stands in its record.
    static let places: Set<String> = ["order", "group"]

    /// Members that make an item the thing it is; other lists have their first own member.
    private static let values: [String: Set<String>] = [
        "extras": ["value"], "services": ["user"], "dates": ["year", "month", "day", "text"],
        "addresses": [
            "poBox", "extended", "street", "locality", "region", "postalCode", "country",
        ],
        "photos": ["uri"], "logos": ["uri"], "sounds": ["uri"], "keys": ["uri"],
        // A contact has one.
        "names": [], "gender": [], "revision": [],
    ]

    /// Members that do not outlive a new value of the item: they were made from the old one.
    static let bound: Set<String> = [
        "formatted", "countryCode", "uri", "extension", "mediaType", "declaredType", "data", "time",
        "sortAs", "units", "text", "service",
    ]

    /// Parameters of the same kind.
    static let boundParameters: Set<String> = ["GEO", "TZ", "LABEL", "SORT-AS"]

    /// The number of members that every item has.
    static let commonCount = 8

    /// True when two items say the same, wherever they stand.
    static func isSame(
        _ a: RecordBatch, _ i: Int, _ b: RecordBatch, _ j: Int, besides: Set<String> = places
    ) -> Bool {
        guard a.columns.count == b.columns.count else { return false }
        for (x, y) in zip(a.columns, b.columns) {
            let name = x.property.name
            if besides.contains(name) || x.isEqual(i, to: y, j) { continue }
            guard name == "types", words(x, i).sorted() == words(y, j).sorted() else {
                return false
            }
        }
        return true
    }

    /// True when two items of a list have the same value, whatever they say of it.
    static func isSameValue(
        _ list: String, _ a: RecordBatch, _ i: Int, _ b: RecordBatch, _ j: Int
    ) -> Bool {
        let names = values[list]
        for (at, (x, y)) in zip(a.columns, b.columns).enumerated() {
            let isMeant = names?.contains(x.property.name) ?? (at == commonCount)
            if isMeant, at >= commonCount, !x.isEqual(i, to: y, j) { return false }
        }
        return true
    }

    /// True for a list whose items are one thing, whatever they say.
    static func isOneOfAKind(_ list: String) -> Bool { values[list]?.isEmpty ?? false }

    /// The texts of a list of them.
    static func words(_ column: Column, _ row: Int) -> [String] {
        guard column.layout == .collection, let elements = column.elements,
            elements.layout == .bytes
        else { return [] }
        return column.range(row).map { elements.string($0) }
    }

    /// What tells the items of a list apart that holds several kinds; nil for other lists.
    static func key(_ list: String, _ items: RecordBatch, _ row: Int) -> String? {
        guard list == "extras" || list == "dates",
            let at = items.classSchema.index(of: list == "dates" ? "kind" : "name")
        else { return nil }
        var key = items.columns[at].string(row).uppercased()
        if list == "extras", let at = items.classSchema.index(of: "parameters") {
            // Columns that were kept have their name there.
            key += "\u{0}" + words(items.columns[at], row).sorted().joined(separator: "\u{0}")
        }
        return key
    }
}

/// Which items of one row stand for which of another one.
struct EchoMatch {
    /// For each item of the second row the one of the first.
    private(set) var first: [ItemPlace: ItemPlace] = [:]
    /// The items of the first row that nothing stands for.
    private(set) var leftFirst: [ItemPlace] = []
    private(set) var leftSecond: [ItemPlace] = []

    /// Pairs the items that say the same.
    init(_ a: RowPlace, _ b: RowPlace, besides: Set<String> = EchoItems.places) {
        for list in a.batch.columns.indices {
            guard let ours = a.items(list), let theirs = b.items(list) else { continue }
            let (x, y) = (a.objects(list), b.objects(list))
            var open = ours.filter { !ImportTransfer.isAttribute(x, $0) }
            for item in theirs where !ImportTransfer.isAttribute(y, item) {
                let found = open.firstIndex {
                    EchoItems.isSame(x, $0, y, item, besides: besides)
                }
                guard let found else {
                    leftSecond.append(ItemPlace(list: list, row: item))
                    continue
                }
                first[ItemPlace(list: list, row: item)] = ItemPlace(
                    list: list, row: open.remove(at: found))
            }
            leftFirst += open.map { ItemPlace(list: list, row: $0) }
        }
    }
}
