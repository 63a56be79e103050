// The moment that tells the instances of a recurring to-do apart. Programs write one moment in many
// ways (a zone, universal time), so it is compared by what it means. What a zone means is not known
// here: `ImportOptions.instant` is asked.

/// The date of one property of a class, as what it means.
struct ImportMoment {
    private let property: Int
    private let local: Int
    private let tzid: Int?
    private let zone: Int?
    /// The property that holds definitions of zones.
    private let definitions: Int?
    private let instant: ImportOptions.Instant?

    /// nil where the class has no such date.
    init?(_ name: String, of shape: RowShape, _ options: ImportOptions) {
        guard let property = shape.classSchema.index(of: name),
            let local = shape.inner(property, "local")
        else { return nil }
        func text(_ name: String) -> Int? {
            shape.inner(property, name).flatMap {
                shape.embedded(property)?.classSchema.properties[$0].type == .string ? $0 : nil
            }
        }
        self.property = property
        self.local = local
        tzid = text("tzid")
        zone = text("zone")
        definitions = shape.classSchema.index(of: "timeZones").flatMap {
            let it = shape.classSchema.properties[$0]
            return it.type == .string && it.collection == .list ? $0 : nil
        }
        instant = options.instant
    }

    /// Appends what equal moments have in common: the second where it is known, else the text.
    /// - Returns: false for a row without the date.
    func append(_ batch: RecordBatch, _ row: Int, to out: RawVector<UInt8>) -> Bool {
        let column = batch.columns[property]
        guard column.nulls[row] == 0 else { return false }
        let items = column.child
        let item = Int(column.words[row])
        func text(_ part: Int?) -> String? {
            guard let part, !items.columns[part].isNull(item) else { return nil }
            let text = items.columns[part].string(item)
            return text.isEmpty ? nil : text
        }
        guard items.columns[local].layout == .bytes, let said = text(local) else { return false }
        // A whole day is no moment: it is the same day everywhere.
        if said.utf8.contains(0x54), let instant {
            let (known, named) = (text(zone), text(tzid))
            let definitions = known == nil && named != nil ? zoneDefinitions(batch, row) : []
            if let second = instant(said, [known, named].compactMap { $0 }, definitions) {
                out.append("@\(second)")
                return true
            }
        }
        out.append(said)
        return true
    }

    private func zoneDefinitions(_ batch: RecordBatch, _ row: Int) -> [String] {
        guard let definitions, let elements = batch.columns[definitions].elements else { return [] }
        return batch.columns[definitions].range(row).map { elements.string($0) }
    }

    /// True when two rows have the date, and it means the same.
    static func areSame(
        _ a: (moment: ImportMoment, batch: RecordBatch, row: Int),
        _ b: (moment: ImportMoment, batch: RecordBatch, row: Int)
    ) -> Bool {
        let first = RawVector<UInt8>(capacity: 32)
        let second = RawVector<UInt8>(capacity: 32)
        defer {
            first.destroy()
            second.destroy()
        }
        return a.moment.append(a.batch, a.row, to: first)
            && b.moment.append(b.batch, b.row, to: second)
            && first.elements.elementsEqual(second.elements)
    }
}
