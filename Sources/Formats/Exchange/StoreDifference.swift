// What differs between two stores: classes and properties first, then rows, matched by primary
// key, else by object key, or by a property. Both sides are read as they stream by; kept are 16
// bytes and a dictionary slot a row of the second store. Links are equal when they lead to rows
// of the same primary key, whatever the object keys.

/// The differences of two stores.
public struct StoreDifference: Sendable {
    /// One difference.
    public struct Item: Sendable {
        /// What it is about.
        public enum Kind: String, Sendable {
            /// Classes or properties.
            case schema
            /// A row of the first store that the second does not have.
            case removed
            /// A row of the second store that the first does not have.
            case added
            /// A value of a row that both have.
            case changed
        }

        /// What it is about.
        public var kind: Kind
        /// The class.
        public var className: String
        /// What the row is matched by, as text.
        public var key: String?
        /// The property.
        public var property: String?
        /// The value in the first store, as text.
        public var first: String?
        /// The value in the second store, as text.
        public var second: String?
    }

    /// How the rows of one class compare.
    public struct Counts: Sendable {
        /// The class.
        public var className: String
        /// Rows that are equal.
        public var equal = 0
        /// Rows of both with other values.
        public var changed = 0
        /// Rows of the first store only.
        public var removed = 0
        /// Rows of the second store only.
        public var added = 0
    }

    /// Differences in detail: all of the schema, and the first ones of each class.
    public var items: [Item] = []
    /// The rows of each class that both stores have.
    public var counts: [Counts] = []

    /// True when nothing differs.
    public var isEmpty: Bool {
        items.isEmpty && counts.allSatisfy { $0.changed + $0.removed + $0.added == 0 }
    }

    /// Opens a store anew, from its beginning.
    public typealias Source = () throws(FormatError) -> any RecordReader

    /// Compares two stores.
    /// - Parameters:
    ///   - first: opens the first store; called up to twice.
    ///   - second: opens the second store; called up to three times.
    ///   - property: the property to match rows by, where a class has it; nil for the key.
    ///   - limit: the most rows of a class that are shown in detail.
    /// - Throws: what reading throws, and `unknownName` when no class has the property.
    public init(
        _ first: Source, _ second: Source, by property: String? = nil, limit: Int = 20
    ) throws(FormatError) {
        let a = try first()
        let b = try second()
        let pairs = ClassPair.all(a.schema, b.schema, by: property)
        if let property, !pairs.contains(where: { $0.isBy(property) }) {
            throw FormatError(
                .unknownName, "no class of both stores has a property \(property) to match by")
        }
        items = SchemaDifference.items(a.schema, b.schema)
        let digestA = try DifferenceDigest(a.schema, pairs, isFirst: true, keys: first)
        let digestB = try DifferenceDigest(b.schema, pairs, isFirst: false, keys: second)
        var tables = pairs.map { RowTable($0) }

        let batchB = RecordBatch(schema: b.schema)
        while try b.next(into: batchB) {
            guard let p = pairs.firstIndex(where: { $0.second == batchB.classIndex }) else {
                continue
            }
            for i in 0..<batchB.rowCount {
                tables[p].add(
                    digestB.identity(batchB, i, pairs[p]), digestB.content(batchB, i, pairs[p]))
            }
        }
        let batchA = RecordBatch(schema: a.schema)
        while try a.next(into: batchA) {
            guard let p = pairs.firstIndex(where: { $0.first == batchA.classIndex }) else {
                continue
            }
            for i in 0..<batchA.rowCount {
                let identity = digestA.identity(batchA, i, pairs[p])
                let state = tables[p].match(identity, digestA.content(batchA, i, pairs[p]))
                switch state {
                case .equal: break
                case .changed(let row):
                    if tables[p].details.count < limit {
                        tables[p].details[row] = pairs[p].columns.map { column in
                            RowTable.Detail(
                                hash: digestA.value(batchA.columns[column.first], i),
                                text: batchA.columns[column.first].value(i).text())
                        }
                    }
                case .missing:
                    if tables[p].counts.removed <= limit {
                        items.append(
                            Item(
                                kind: .removed, className: pairs[p].name,
                                key: pairs[p].text(batchA, i, isFirst: true)))
                    }
                }
            }
        }
        for p in tables.indices { tables[p].close() }
        counts = tables.map(\.counts)
        if tables.contains(where: { !$0.details.isEmpty || $0.counts.added > 0 }) {
            try details(second, pairs, &tables, digestB, limit)
        }
    }

    /// The last pass over the second store: values of changed rows, and rows that are new.
    private mutating func details(
        _ second: Source, _ pairs: [ClassPair], _ tables: inout [RowTable],
        _ digest: DifferenceDigest,
        _ limit: Int
    ) throws(FormatError) {
        let reader = try second()
        let batch = RecordBatch(schema: reader.schema)
        var shown = pairs.map { _ in 0 }
        for p in tables.indices { tables[p].rewind() }
        while try reader.next(into: batch) {
            guard let p = pairs.firstIndex(where: { $0.second == batch.classIndex }) else {
                continue
            }
            for i in 0..<batch.rowCount {
                let row = tables[p].again(digest.identity(batch, i, pairs[p]))
                if let values = tables[p].details[row] {
                    let key = pairs[p].text(batch, i, isFirst: false)
                    for (value, column) in zip(values, pairs[p].columns) {
                        let other = batch.columns[column.second]
                        if value.hash == digest.value(other, i) { continue }
                        items.append(
                            Item(
                                kind: .changed, className: pairs[p].name, key: key,
                                property: other.property.name, first: value.text,
                                second: other.value(i).text()))
                    }
                } else if !tables[p].isMatched(row), shown[p] < limit {
                    shown[p] += 1
                    items.append(
                        Item(
                            kind: .added, className: pairs[p].name,
                            key: pairs[p].text(batch, i, isFirst: false)))
                }
            }
        }
    }
}
