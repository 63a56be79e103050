// What a source of to-dos cannot say though it says something: a day where a time was, one word for
// several states. Such a value that fits the stored one says nothing new, and an update leaves what is
// stored. Which source is how coarse is known by its reader; what fits is decided here.

/// How coarse the rows of a source are.
struct CoarseRows: Equatable, Sendable {
    /// Dates of which it says the day alone.
    var days: Set<String> = []
    /// States that it writes alike: one word for each list.
    var states: [Set<String>] = []
    /// Priorities that it writes alike.
    var priorities: [ClosedRange<Int64>] = []
    /// Times of cards and to-dos, which have no parts of a second.
    var hasWholeSeconds = false

    /// True for the date of a stored row without its part of a second.
    fileprivate static func isSameSecond(
        _ source: Column, _ row: Int, _ column: Column, _ baseRow: Int
    ) -> Bool {
        source.type == .date && column.type == .date && source.layout == .pair
            && column.layout == .pair && source.nulls[row] == 0 && column.nulls[baseRow] == 0
            && source.words[row] == column.words[baseRow] && source.extra[row] == 0
    }

    static let dates: Set<String> = ["start", "due", "completed", "created", "modified"]
    /// The three priorities that many programs have.
    static let threePriorities: [ClosedRange<Int64>] = [1...4, 5...5, 6...9]
}

/// How coarse the incoming rows of one class are: each batch has its source's answer.
struct ImportCoarseness {
    private var parts: [(row: Int, coarse: CoarseRows?)] = []

    /// Notes the answer for rows from one on.
    mutating func add(_ coarse: CoarseRows?, from row: Int) {
        if coarse != parts.last?.coarse ?? nil { parts.append((row, coarse)) }
    }

    /// The answer for a row; nil for a source that says everything exactly.
    subscript(row: Int) -> CoarseRows? {
        parts.isEmpty ? nil : parts.last { $0.row <= row }?.coarse
    }
}

extension ImportTransfer {
    /// True when an incoming row says of a property of a to-do only what the stored one says as well,
    /// or what its source cannot tell apart from that.
    func saysNothingNew(
        _ target: Int, _ from: Int, _ row: Int, of rows: RecordBatch,
        _ base: (batch: RecordBatch, row: Int), _ gaps: ImportGaps
    ) -> Bool {
        guard emptySaysNothing else { return false }
        let coarse = gaps.coarseness[row]
        let source = rows.columns[from]
        let column = base.batch.columns[target]
        guard isTodo else {
            return coarse?.hasWholeSeconds == true
                && CoarseRows.isSameSecond(source, row, column, base.row)
        }
        let name = column.property.name
        switch name {
        case "status", "completed", "percent":
            guard isSameState(row, of: rows, base, coarse) else { return false }
            if name == "status" || source.isNull(row) { return true }
            if name == "completed" { return isSameDate(source, row, column, base.row, coarse) }
            // Where the state is all that is said, the percentage is made of it.
            return coarse != nil
                && state(base.batch, base.row, stored.classSchema) != "NEEDS-ACTION"
                && source.layout == .word && source.words[row] == 100
        case "priority":
            guard let coarse, source.layout == .word, column.layout == .word,
                source.nulls[row] == 0, column.nulls[base.row] == 0
            else { return false }
            let (new, old) = (source.words[row], column.words[base.row])
            return coarse.priorities.contains { $0.contains(new) && $0.contains(old) }
        case "relations":
            return coarse != nil && hasSameItems(source, row, column, base.row)
        default:
            return CoarseRows.dates.contains(name)
                && isSameDate(source, row, column, base.row, coarse)
        }
    }

    // MARK: States

    /// True when a row says its state, and it is the one of the stored row.
    private func isSameState(
        _ row: Int, of rows: RecordBatch, _ base: (batch: RecordBatch, row: Int),
        _ coarse: CoarseRows?
    ) -> Bool {
        guard let place = incoming.classSchema.index(of: "status"),
            rows.columns[place].layout == .bytes, !rows.columns[place].isNull(row)
        else { return false }
        let new = rows.columns[place].string(row).uppercased()
        let old = state(base.batch, base.row, stored.classSchema)
        if new == old { return true }
        return coarse?.states.contains { $0.contains(new) && $0.contains(old) } ?? false
    }

    /// The state of a to-do in capitals, which its other lines tell where it says none (T3).
    private func state(_ batch: RecordBatch, _ row: Int, _ schema: ClassSchema) -> String {
        func column(_ name: String) -> Column? {
            schema.index(of: name).map { batch.columns[$0] }.flatMap { $0.isNull(row) ? nil : $0 }
        }
        if let status = column("status"), status.layout == .bytes {
            return status.string(row).uppercased()
        }
        if column("completed") != nil { return "COMPLETED" }
        if let percent = column("percent"), percent.layout == .word, percent.words[row] == 100 {
            return "COMPLETED"
        }
        return "NEEDS-ACTION"
    }

    // MARK: Dates

    /// True when two dates are the same as far as the source of the first can say it.
    private func isSameDate(
        _ source: Column, _ row: Int, _ column: Column, _ baseRow: Int, _ coarse: CoarseRows?
    ) -> Bool {
        guard let coarse, let new = MomentText(source, row), let old = MomentText(column, baseRow)
        else { return false }
        if new.local == old.local, new.tzid == old.tzid { return true }
        guard coarse.days.contains(column.property.name) else { return false }
        // The one of the two that is a day is the day of the other.
        if new.isDay, !old.isDay {
            return old.day == new.day || dayHere?(old.local, old.zones) == new.day
        }
        return old.isDay && new.day == old.day && new.local.hasSuffix("T00:00:00")
    }

    /// True when two lists have the same items, wherever these stand.
    private func hasSameItems(_ a: Column, _ i: Int, _ b: Column, _ j: Int) -> Bool {
        guard let x = a.elements, let y = b.elements, x.layout == .object, y.layout == .object,
            x.child.columns.count == y.child.columns.count
        else { return false }
        let (left, right) = (a.range(i), b.range(j))
        guard left.count == right.count else { return false }
        let order = x.child.classSchema.index(of: "order")
        return zip(left, right).allSatisfy { i, j in
            x.child.columns.indices.allSatisfy {
                $0 == order
                    || x.child.columns[$0].isEqual(
                        Int(x.words[i]), to: y.child.columns[$0], Int(y.words[j]))
            }
        }
    }
}

/// A date of a to-do, as its text and its zone.
struct MomentText {
    let local: String
    let tzid: String?
    /// The names of its zone, the one that is known first.
    let zones: [String]
    var isDay: Bool { !local.utf8.contains(0x54) }
    var day: String { String(local.prefix(10)) }

    /// nil for no date.
    init?(_ column: Column, _ row: Int) {
        guard column.layout == .object, column.nulls[row] == 0 else { return nil }
        let items = column.child
        let item = Int(column.words[row])
        func text(_ name: String) -> String? {
            guard let place = items.classSchema.index(of: name),
                items.columns[place].layout == .bytes, !items.columns[place].isNull(item)
            else { return nil }
            return items.columns[place].string(item)
        }
        guard let local = text("local") else { return nil }
        self.local = local
        tzid = text("tzid")
        zones = [text("zone"), tzid].compactMap { $0 }
    }

    /// The date as people read it.
    var text: String { tzid.map { local + " " + $0 } ?? local }

    /// True when the hour, or the zone, is missing in another date that takes its place.
    func says(moreThan other: MomentText?) -> Bool {
        guard let other else { return true }
        return !isDay && other.isDay || tzid != nil && other.tzid == nil
    }
}
