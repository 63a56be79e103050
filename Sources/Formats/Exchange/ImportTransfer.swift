// Carrying rows from an incoming class to a stored one: properties matched by name and type, links
// led to the keys the objects get in the store, embedded objects likewise.

/// Where the objects of incoming classes end up.
protocol ImportTargets: AnyObject {
    /// The store's class for an incoming one, nil when its rows are not imported.
    func targetClass(_ incomingClass: Int) -> Int?
    /// The key in the store of an incoming object, nil when there is no such object.
    func targetKey(_ incomingClass: Int, _ key: Int64) -> Int64?
}

/// Carries rows of one class to another.
final class ImportTransfer {
    enum Way {
        /// The value as it is.
        case copy
        /// An int as a double, an exact number in a wider type.
        case intToDouble, intToFloat, floatToDouble
        case embedded(ImportTransfer)
        case link(incomingClass: Int)
        /// `mixed`, whose links must be led on.
        case mixed
    }

    struct Route {
        /// The incoming column.
        let from: Int
        let way: Way
    }

    let incoming: RowShape
    let stored: RowShape
    /// For each stored property the incoming one, nil when the source does not have it.
    private(set) var routes: [Route?] = []
    /// What was chosen, in words, where names differ.
    private(set) var choices: [String] = []
    /// Incoming properties that have no place, and why.
    private(set) var unplaced: [(name: String, reason: String)] = []

    /// The transfers of embedded classes, which may contain themselves.
    private final class Known {
        var transfers: [Int: ImportTransfer] = [:]
    }

    /// The day that a clock time of zones is where the reader of days lives.
    var dayHere: ImportOptions.Day?

    /// What is empty in a row says nothing; an update leaves what is stored.
    private(set) var emptySaysNothing = false

    /// The moments of instances; one that is spelled another way stays as it is stored.
    var moments: (incoming: ImportMoment, stored: ImportMoment)?

    convenience init(
        _ incoming: RowShape, _ stored: RowShape, provided: Set<String>?,
        emptySaysNothing: Bool = false
    ) {
        self.init(incoming, stored, provided: provided, Known())
        self.emptySaysNothing = emptySaysNothing
    }

    private init(
        _ incoming: RowShape, _ stored: RowShape, provided: Set<String>?, _ known: Known
    ) {
        self.incoming = incoming
        self.stored = stored
        known.transfers[stored.classIndex &* 65_536 &+ incoming.classIndex] = self
        var used: Set<Int> = []
        routes = stored.classSchema.properties.indices.map { target in
            let property = stored.classSchema.properties[target]
            guard let from = incoming.index(matching: property.name), !used.contains(from)
            else { return nil }
            let source = incoming.classSchema.properties[from]
            if let provided, !provided.contains(source.name) { return nil }
            guard let way = way(source, from, property, target, known) else { return nil }
            used.insert(from)
            if source.name != property.name {
                choices.append("\(source.name) -> \(stored.classSchema.name).\(property.name)")
            }
            return Route(from: from, way: way)
        }
        for (i, property) in incoming.classSchema.properties.enumerated() where !used.contains(i) {
            if let provided, !provided.contains(property.name) { continue }
            let target = stored.index(matching: property.name)
                .map { stored.classSchema.properties[$0] }
            let reason =
                target.map { "the store's \($0.name) is of another type (\($0.type.rawValue))" }
                ?? "\(stored.classSchema.name) has no such property"
            unplaced.append((property.name, reason))
        }
    }

    private func way(
        _ source: Property, _ from: Int, _ target: Property, _ to: Int, _ known: Known
    ) -> Way? {
        guard source.collection == target.collection, source.hasIntKeys == target.hasIntKeys
        else { return nil }
        if source.type != target.type {
            guard source.collection == nil else { return nil }
            switch (source.type, target.type) {
            case (.int, .double): return .intToDouble
            case (.int, .float): return .intToFloat
            case (.float, .double): return .floatToDouble
            default: return nil
            }
        }
        switch source.type {
        case .mixed: return .mixed
        case .table: return source.columns == target.columns ? .copy : nil
        case .link:
            let a = incoming.embedded(from)
            let b = stored.embedded(to)
            if let a, let b {
                let number = b.classIndex &* 65_536 &+ a.classIndex
                return .embedded(
                    known.transfers[number] ?? ImportTransfer(a, b, provided: nil, known))
            }
            guard a == nil, b == nil, let name = source.target,
                let index = incoming.schema.index(of: name)
            else { return nil }
            return .link(incomingClass: index)
        default: return .copy
        }
    }

    // MARK: Plain rows

    /// True where values of a property are the same bytes on both sides.
    private func isPlain(_ i: Int) -> Bool {
        guard let route = routes[i] else { return false }
        switch route.way {
        case .copy: return true
        case .embedded(let inner):
            // The same properties, none of which leads elsewhere.
            return inner.incoming.classSchema.properties == inner.stored.classSchema.properties
                && !inner.stored.classSchema.properties.contains {
                    $0.type == .link || $0.type == .mixed
                }
        default: return false
        }
    }

    /// The stored properties with a source, as pairs of columns, when all of them are plain.
    private(set) lazy var plainPairs: [(stored: Int, incoming: Int)]? = {
        var pairs: [(stored: Int, incoming: Int)] = []
        for (i, route) in routes.enumerated() {
            guard let route else { continue }
            guard isPlain(i) else { return nil }
            pairs.append((i, route.from))
        }
        return pairs
    }()

    /// True when whole runs of rows can be copied: every property has a plain source that cannot
    /// lack a value it must have.
    private(set) lazy var isVerbatim: Bool = routes.indices.allSatisfy { i in
        guard let route = routes[i], isPlain(i) else { return false }
        let property = stored.classSchema.properties[i]
        return property.isOptional || property.collection != nil
            || !incoming.classSchema.properties[route.from].isOptional
    }

    /// True when an incoming row has nothing that a stored row does not say already. False may
    /// also mean that it takes more to find out.
    func isSame(
        _ row: Int, of rows: RecordBatch, as base: RecordBatch, _ baseRow: Int,
        gaps: ImportGaps?
    ) -> Bool {
        guard let plainPairs else { return false }
        let key = stored.classSchema.primaryKey
        for pair in plainPairs {
            let column = base.columns[pair.stored]
            if column.isEqual(baseRow, to: rows.columns[pair.incoming], row) { continue }
            if column.property.name == key { continue }
            guard let gaps, !reopens(pair.stored, row, of: rows, (base, baseRow), gaps),
                isUnsaid(pair.stored, pair.incoming, row, of: rows, gaps)
                    || saysNothingNew(
                        pair.stored, pair.incoming, row, of: rows, (base, baseRow), gaps)
            else { return false }
        }
        return true
    }

    // MARK: What a row does not say

    /// Properties of a to-do that tell one thing together: who says one of them, says all.
    private static let todoUnits: [[String]] = [
        ["due", "duration"], stateUnit,
    ]
    static let stateUnit = ["status", "completed", "percent"]
    /// Lists that hold things of several kinds, each of which is replaced on its own.
    private static let mixedLists = ["extras": "name", "dates": "kind"]

    /// The class has the meaning of the built-in one.
    var isTodo: Bool { stored.classSchema.name == "TodoItem" }
    private var isRecord: Bool { isTodo || stored.classSchema.name == "Contact" }

    /// True when an incoming row says nothing about a stored property.
    func isUnsaid(
        _ target: Int, _ from: Int, _ row: Int, of rows: RecordBatch, _ gaps: ImportGaps
    ) -> Bool {
        if gaps.contains(row, from) { return true }
        guard emptySaysNothing, isEmpty(target, rows.columns[from], row) else { return false }
        guard isTodo else { return true }
        let name = stored.classSchema.properties[target].name
        for unit in Self.todoUnits where unit.contains(name) {
            for other in unit {
                guard let at = stored.classSchema.index(of: other), let route = routes[at]
                else { continue }
                if gaps.contains(row, route.from) { continue }
                if !isEmpty(at, rows.columns[route.from], row) { return false }
            }
        }
        return true
    }

    func isEmpty(_ target: Int, _ column: Column, _ row: Int) -> Bool {
        if column.layout == .collection { return column.range(row).isEmpty }
        if column.nulls[row] != 0 { return true }
        let property = stored.classSchema.properties[target]
        return property.type == .string && !property.isOptional && column.bytes(row).isEmpty
    }

    /// The member by which the elements of a list are replaced; nil for a list replaced whole.
    func mixedKey(_ target: Int, _ way: Way) -> String? {
        guard isRecord, emptySaysNothing, case .embedded = way else { return nil }
        return Self.mixedLists[stored.classSchema.properties[target].name]
    }

    /// Appends the stored elements of other kinds than the incoming ones, and those.
    /// - Parameter kept: the groups whose lines about others stay.
    private func merge(
        _ row: Int, of source: Column, over base: Column, _ baseRow: Int, by key: String,
        kept: Set<String>, to column: Column, _ way: Way, _ targets: any ImportTargets
    ) -> Refusal? {
        guard let elements = column.elements, let old = base.elements, source.elements != nil,
            let oldKey = old.child.classSchema.index(of: key)
        else { return append(row, of: source, to: column, way, targets) }
        let kinds = kinds(source, row, by: key)
        for j in base.range(baseRow) where old.nulls[j] == 0 {
            let item = Int(old.words[j])
            let stays =
                if ImportTransfer.isAttribute(old.child, item) {
                    ImportTransfer.group(old.child, item).map(kept.contains) ?? false
                } else {
                    !kinds.contains(old.child.columns[oldKey].string(item).uppercased())
                }
            if stays { elements.append(j, of: old) }
        }
        return append(row, of: source, to: column, way, targets)
    }

    // MARK: Rows

    /// Why a row cannot be carried.
    struct Refusal {
        let property: String
    }

    /// Appends one incoming row to a batch of the stored class, without its object key.
    /// - Parameters:
    ///   - base: the stored row that properties without a source are taken from; nil empties them.
    ///   - gaps: what the source does not say; such properties stay as in `base`, unless this is
    ///     nil.
    ///   - missing: the paths of properties that an embedded object does not say.
    ///   - merge: what becomes of a contact whose source has fewer words.
    /// - Returns: nil, or the required property that has no value (the row is then begun, and
    ///   must be dropped).
    func append(
        _ row: Int, of rows: RecordBatch, to batch: RecordBatch,
        base: (batch: RecordBatch, row: Int)?, replaces: Bool, gaps: ImportGaps? = nil,
        missing: Set<[Int]>? = nil, merge: EchoMerge? = nil, targets: any ImportTargets
    ) -> Refusal? {
        let key = stored.classSchema.primaryKey
        let missing = missing ?? (isRecord ? [] : gaps?.missingMembers(row) ?? [])
        var kept: Set<String> = []
        // The values of the row, where its groups had to be numbered anew.
        var (values, at) = (rows, row)
        if isRecord, emptySaysNothing, merge == nil, let base, let gaps {
            kept = keptGroups(row, of: rows, base, gaps)
            if let other = renumbered(row, of: rows, kept: kept) { (values, at) = (other, 0) }
        }
        for (i, column) in batch.columns.enumerated() {
            let property = stored.classSchema.properties[i]
            if let base, property.name == key {
                column.append(base.row, of: base.batch.columns[i])
                continue
            }
            guard let route = routes[i] else {
                if let base, !replaces || !property.isOptional && property.collection == nil {
                    column.append(base.row, of: base.batch.columns[i])
                } else if property.isOptional || property.collection != nil {
                    column.appendNull()
                } else if property.name == key {
                    return Refusal(property: property.name)
                } else {
                    ImportTransfer.appendDefault(column)
                }
                continue
            }
            if let merge, merge.append(i, to: column) { continue }
            let source = values.columns[route.from]
            if let base, isRecord, property.name == "uid", column.layout == .bytes,
                !source.isNull(at), !base.batch.columns[i].isNull(base.row),
                isMadeUID(source.string(at), row, of: rows)
                    || ImportRule.plainUID(source.string(at))
                        == ImportRule.plainUID(base.batch.columns[i].string(base.row))
            {
                // The same UID, whatever its case, or none that the source brought.
                column.append(base.row, of: base.batch.columns[i])
                continue
            }
            if let base, !replaces, let moments, property.name == "recurrenceID",
                ImportMoment.areSame(
                    (moments.incoming, rows, row), (moments.stored, base.batch, base.row))
            {
                column.append(base.row, of: base.batch.columns[i])
                continue
            }
            if let base, !missing.isEmpty {
                let (old, oldRow) = (base.batch.columns[i], base.row)
                if missing.contains([route.from]) {
                    column.append(oldRow, of: old)
                    continue
                }
                let inside = missing.filter { $0.first == route.from }
                if !inside.isEmpty, case .embedded(let inner) = route.way, !source.isNull(at),
                    !old.isNull(oldRow)
                {
                    // An object that says only what changes.
                    column.openObject()
                    let refusal = inner.append(
                        Int(source.words[at]), of: source.child, to: column.child,
                        base: (old.child, Int(old.words[oldRow])), replaces: false,
                        missing: Set(inside.map { Array($0.dropFirst()) }), targets: targets)
                    if let refusal { return refusal }
                    continue
                }
            }
            if let base, let gaps {
                if let key = mixedKey(i, route.way), !gaps.contains(row, route.from) {
                    let refusal = self.merge(
                        at, of: source, over: base.batch.columns[i], base.row, by: key,
                        kept: kept, to: column, route.way, targets)
                    if let refusal { return refusal }
                    continue
                }
                if !reopens(i, row, of: rows, base, gaps),
                    isUnsaid(i, route.from, row, of: rows, gaps)
                        || saysNothingNew(i, route.from, row, of: rows, base, gaps)
                {
                    column.append(base.row, of: base.batch.columns[i])
                    continue
                }
            }
            if !property.isOptional, property.collection == nil, source.isNull(at) {
                return Refusal(property: property.name)
            }
            if let refusal = append(at, of: source, to: column, route.way, targets) {
                return refusal
            }
        }
        batch.closeRow()
        return nil
    }

    /// True for a UID that was made of the row's own key: its source brought none.
    func isMadeUID(_ uid: String, _ row: Int, of rows: RecordBatch) -> Bool {
        guard uid.utf8.count == 24, let key = incoming.classSchema.primaryKey,
            let place = incoming.classSchema.index(of: key),
            case .objectId(let id) = rows.columns[place].value(row)
        else { return false }
        let text = RawVector<UInt8>(capacity: 24)
        defer { text.destroy() }
        ScalarText.write(id, to: text)
        return text.elements.elementsEqual(uid.utf8)
    }

    /// The value that a required property has when nothing says otherwise.
    static func appendDefault(_ column: Column) {
        switch column.layout {
        case .word: column.append(word: 0)
        case .pair: column.append(word: 0, 0)
        case .bytes: column.append(bytes: UnsafeRawBufferPointer(start: nil, count: 0))
        case .object, .collection: column.appendNull()
        }
    }

    private func append(
        _ i: Int, of source: Column, to column: Column, _ way: Way, _ targets: any ImportTargets
    ) -> Refusal? {
        if column.layout == .collection {
            if case .copy = way {
                column.append(i, of: source)
                return nil
            }
            guard let elements = column.elements, let others = source.elements else { return nil }
            for j in source.range(i) {
                if case .link(let classIndex) = way, column.property.collection != .dictionary,
                    targets.targetKey(classIndex, others.words[j]) == nil
                {
                    // A list holds no empty links.
                    continue
                }
                if let keys = column.keys, let otherKeys = source.keys {
                    keys.append(j, of: otherKeys)
                }
                if let refusal = append(j, of: others, to: elements, way, targets) {
                    return refusal
                }
            }
            column.closeCollection()
            return nil
        }
        if source.isNull(i) {
            column.appendNull()
            return nil
        }
        switch way {
        case .copy: column.append(i, of: source)
        case .intToDouble:
            column.append(word: Int64(bitPattern: Double(source.words[i]).bitPattern))
        case .intToFloat: column.append(word: Int64(Float(source.words[i]).bitPattern))
        case .floatToDouble:
            let value = Float(bitPattern: UInt32(truncatingIfNeeded: source.words[i]))
            column.append(word: Int64(bitPattern: Double(value).bitPattern))
        case .link(let classIndex):
            if let key = targets.targetKey(classIndex, source.words[i]) {
                column.append(word: key)
            } else {
                column.appendNull()
            }
        case .mixed:
            var decoder = MixedDecoder(source.bytes(i))
            if decoder.tag() == .link {
                let (index, key) = decoder.link()
                guard targets.targetKey(index, key) != nil else {
                    column.appendNull()
                    return nil
                }
            }
            decoder.offset = 0
            ImportTransfer.copyMixed(&decoder, to: MixedEncoder(column.bytes), targets)
            column.closeBytes()
        case .embedded(let inner):
            column.openObject()
            return inner.append(
                Int(source.words[i]), of: source.child, to: column.child, base: nil,
                replaces: true, targets: targets)
        }
        return nil
    }

    /// Copies a mixed value; its nesting was bounded by the reader that made it.
    private static func copyMixed(
        _ from: inout MixedDecoder, to: MixedEncoder, _ targets: any ImportTargets
    ) {
        let start = from.offset
        switch from.tag() {
        case .link:
            let (index, key) = from.link()
            if let target = targets.targetClass(index),
                let targetKey = targets.targetKey(index, key)
            {
                to.link(classIndex: target, key: targetKey)
            } else {
                to.null()
            }
        case .list:
            let count = from.count()
            let mark = to.openList()
            for _ in 0..<count { copyMixed(&from, to: to, targets) }
            to.close(mark, count: count)
        case .dictionary:
            let count = from.count()
            let mark = to.openDictionary()
            for _ in 0..<count {
                to.key(from.blob())
                copyMixed(&from, to: to, targets)
            }
            to.close(mark, count: count)
        default:
            from.offset = start
            from.skip()
            to.out.append(bytes: UnsafeRawBufferPointer(rebasing: from.bytes[start..<from.offset]))
        }
    }
}
