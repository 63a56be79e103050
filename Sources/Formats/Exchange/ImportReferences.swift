// UIDs that give way in an import, and those who name them: members of groups, relations, and the
// instances of a series, which share its UID. A record that was found by its address or its title
// keeps one of two UIDs; whatever names the other one follows.

/// What becomes of the UIDs of one class whose rows name each other by them.
final class ImportReferences {
    /// Where the UIDs stand.
    let incoming: Int
    let stored: Int
    private let isTodo: Bool
    /// The stored column of the instance that a row is of.
    let recurrence: Int?
    /// The stored UIDs that differ from those of rows that may take their place, by object key.
    private var storedUIDs: [Int64: String] = [:]
    /// Stored rows that are newer than those that match them.
    private var newer: Set<Int64> = []
    /// Stored instances by UID and time.
    private var instances: [String: Int64] = [:]
    /// From UIDs that give way, as they are compared, to those that stay.
    private var replaced: [String: String] = [:]
    private let matchesInstances: Bool
    /// What the moments of instances mean.
    private let moments: (incoming: ImportMoment, stored: ImportMoment)?
    private let policy: OnMatch

    /// nil for classes whose rows do not name each other, or without UIDs in what comes in.
    init?(
        _ incoming: RowShape, _ stored: RowShape, _ transfer: ImportTransfer,
        _ options: ImportOptions
    ) {
        let name = stored.classSchema.name
        guard name == "Contact" || name == "TodoItem", options.onMatch != .fail,
            options.onMatch != .keepBoth, let place = stored.classSchema.index(of: "uid"),
            let route = transfer.routes[place],
            stored.classSchema.properties[place].type == .string,
            incoming.classSchema.properties[route.from].collection == nil
        else { return nil }
        self.incoming = route.from
        self.stored = place
        isTodo = name == "TodoItem"
        recurrence = isTodo ? stored.classSchema.index(of: "recurrenceID") : nil
        matchesInstances = recurrence != nil && options.match.map { $0 != ["uid"] } ?? false
        moments = transfer.moments
        policy = options.onMatch
    }

    /// The stored properties that are looked at besides those of the rules.
    func properties(_ schema: ClassSchema) -> Set<Int> {
        var all: Set = [stored]
        if matchesInstances, let recurrence {
            all.insert(recurrence)
            if let zones = schema.index(of: "timeZones") { all.insert(zones) }
        }
        if policy == .newest {
            for name in RowComparison.moments {
                if let place = schema.index(of: name) { all.insert(place) }
            }
        }
        return all
    }

    // MARK: What is stored

    /// Notes the UID of a stored row that an incoming one answers to.
    func note(_ rows: RecordBatch, _ row: Int, answers batch: RecordBatch, _ storedRow: Int) {
        let ours = rows.columns[incoming]
        let theirs = batch.columns[stored]
        guard ours.nulls[row] == 0, theirs.nulls[storedRow] == 0 else { return }
        let bytes = theirs.bytes(storedRow)
        if bytes.isEmpty || bytes.elementsEqual(ours.bytes(row)) { return }
        let key = batch.keys[storedRow]
        storedUIDs[key] = theirs.string(storedRow)
        if policy == .newest, !RowComparison.isNewer((rows, row), than: (batch, storedRow)) {
            newer.insert(key)
        }
    }

    /// Notes the instances among stored rows.
    func noteInstances(_ batch: RecordBatch) {
        guard matchesInstances, let moments else { return }
        let uids = batch.columns[stored]
        for row in 0..<batch.rowCount where uids.nulls[row] == 0 {
            guard let moment = Self.moment(moments.stored, batch, row) else { continue }
            let name = ImportRule.plainUID(uids.string(row)) + "\n" + moment
            if instances[name] == nil { instances[name] = batch.keys[row] }
        }
    }

    /// The moment of an instance, as what it means; nil for a row that is none.
    private static func moment(_ moment: ImportMoment, _ batch: RecordBatch, _ row: Int)
        -> String?
    {
        let bytes = RawVector<UInt8>(capacity: 32)
        defer { bytes.destroy() }
        guard moment.append(batch, row, to: bytes) else { return nil }
        return String(decoding: bytes.elements, as: UTF8.self)
    }

    private static func isInstance(_ rows: RecordBatch, _ row: Int) -> Bool {
        guard let place = rows.classSchema.index(of: "recurrenceID") else { return false }
        let column = rows.columns[place]
        return column.layout == .object && column.nulls[row] == 0
    }

    // MARK: What comes in

    /// The stored instances that incoming ones are, where the series was found by something else
    /// than its UID.
    /// - Parameter seriesKey: the stored row of an incoming one, nil for a new one.
    func matchedInstances(_ rows: RecordBatch, _ seriesKey: (Int) -> Int64?) -> [Int: Int64] {
        guard let moments, !instances.isEmpty, !storedUIDs.isEmpty else { return [:] }
        var stored: [String: String] = [:]
        var waiting: [(row: Int, uid: String, moment: String)] = []
        let uids = rows.columns[incoming]
        for row in 0..<rows.rowCount where uids.nulls[row] == 0 {
            let uid = uids.string(row)
            if let moment = Self.moment(moments.incoming, rows, row) {
                waiting.append((row, uid, moment))
            } else if let key = seriesKey(row), let old = storedUIDs[key] {
                stored[uid] = ImportRule.plainUID(old)
            }
        }
        var found: [Int: Int64] = [:]
        for it in waiting {
            guard seriesKey(it.row) == nil, let old = stored[it.uid],
                let key = instances[old + "\n" + it.moment]
            else { continue }
            found[it.row] = key
        }
        return found
    }

    /// Finds out which UID of a row's chain stays.
    /// - Parameters:
    ///   - key: the object key of the stored row; nil for a new one.
    ///   - chain: the incoming rows, in order.
    func settle(_ key: Int64?, _ chain: [Int], _ rows: RecordBatch, isMade: (Int) -> Bool) {
        let uids = rows.columns[incoming]
        var stays = key.flatMap { storedUIDs[$0] }
        if key != nil, stays == nil { return }
        var all: [String] = []
        for row in chain where uids.nulls[row] == 0 && !Self.isInstance(rows, row) {
            let uid = uids.string(row)
            if uid.isEmpty { continue }
            all.append(stays ?? uid)
            all.append(uid)
            guard let old = stays else {
                stays = uid
                continue
            }
            if isMade(row) || policy == .skip || key.map(newer.contains) ?? false { continue }
            if ImportRule.plainUID(uid) != ImportRule.plainUID(old) { stays = uid }
        }
        guard let stays else { return }
        let plain = ImportRule.plainUID(stays)
        for uid in Set(all) where ImportRule.plainUID(uid) != plain {
            replaced[ImportRule.plainUID(uid)] = stays
        }
    }

    // MARK: Those who follow

    /// Lists of things that name other records, and the member that does.
    private static let places: [(list: String, member: String)] = [
        ("members", "value"), ("relations", "value"), ("relations", "uid"), ("extras", "value"),
    ]

    /// Lets the rows of a batch follow.
    /// - Returns: how many references and instances did.
    func follow(_ batch: RecordBatch) -> Int {
        if replaced.isEmpty || batch.rowCount == 0 { return 0 }
        var count = 0
        for place in Self.places {
            guard let at = batch.classSchema.index(of: place.list),
                let elements = batch.columns[at].elements, elements.layout == .object,
                let member = elements.child.classSchema.index(of: place.member)
            else { continue }
            let names =
                place.list == "extras"
                ? elements.child.classSchema.index(of: "name").map { elements.child.columns[$0] }
                : nil
            let column = elements.child.columns[member]
            var values: [Int: [UInt8]?] = [:]
            for i in 0..<column.count where column.nulls[i] == 0 {
                if place.list == "extras",
                    names?.string(i).uppercased() != "X-ADDRESSBOOKSERVER-MEMBER"
                {
                    continue
                }
                if let text = following(column.string(i)) {
                    values[i] = Array(text.utf8)
                }
            }
            count += values.count
            if !values.isEmpty { column.replace(values) }
        }
        return count + followSeries(batch)
    }

    /// What a reference becomes; nil for one that stays.
    private func following(_ text: String) -> String? {
        guard let new = replaced[ImportRule.plainUID(text)] else { return nil }
        let prefix = "urn:uuid:"
        guard text.lowercased().hasPrefix(prefix) else { return new }
        return text.prefix(prefix.count)
            + (new.lowercased().hasPrefix(prefix) ? String(new.dropFirst(prefix.count)) : new)
    }

    /// Instances have the UID of their series.
    private func followSeries(_ batch: RecordBatch) -> Int {
        guard isTodo, let place = batch.classSchema.index(of: "uid") else { return 0 }
        let column = batch.columns[place]
        guard column.layout == .bytes else { return 0 }
        var values: [Int: [UInt8]?] = [:]
        for row in 0..<batch.rowCount where column.nulls[row] == 0 && Self.isInstance(batch, row) {
            if let new = replaced[ImportRule.plainUID(column.string(row))] {
                values[row] = Array(new.utf8)
            }
        }
        if !values.isEmpty { column.replace(values) }
        return values.count
    }
}
