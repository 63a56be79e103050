// The stage most changes are: columns shown or worked out, rows filtered, links led to where
// their rows went, and rows of its own at the end.

internal import Formats

/// Where the rows of a class went.
struct KeyMap {
    /// Keys that are no more (nil), or another row's.
    var moved: [Int64: Int64?] = [:]
    /// Added to all other keys.
    var shift: Int64 = 0
    /// The class the rows stand in now.
    var output: Int
    /// Rows that stand in yet another class; only mixed values can follow them.
    var elsewhere: (classIndex: Int, keys: Set<Int64>)?
    /// True where all rows are gone.
    var isEmpty = false
    /// What a link to a row that is gone means.
    var gone: MigrationFinding.Kind = .handled
    /// What to add to the plan where such a link needs a decision.
    var fix: String?

    init(output: Int) { self.output = output }

    /// True where any key is another one now.
    var moves: Bool { !moved.isEmpty || shift != 0 || isEmpty || elsewhere != nil }

    func key(_ key: Int64) -> Int64? {
        if isEmpty { return nil }
        if let elsewhere, elsewhere.keys.contains(key) { return nil }
        if !moved.isEmpty, let there = moved[key] { return there }
        let (sum, isTooLarge) = key.addingReportingOverflow(shift)
        return isTooLarge ? nil : sum
    }
}

/// A stage made of morphs.
final class MorphStage: Stage {
    /// The classes before.
    let input: Schema
    /// The classes afterwards.
    var output: Schema
    /// What becomes of the rows of each class before.
    var plans: [[ClassMorph]]
    /// Where rows went, by class before; for classes whose links must follow.
    var keyMaps: [Int: KeyMap] = [:]
    /// Looks ahead before the rows are opened.
    var onPrepare: ((any RowSource, StageLog) throws(FormatError) -> Void)?
    /// Rows of the stage's own, after all others.
    var tailRows: RecordBatch?
    /// The classes of those rows.
    var tailClasses: Set<Int> = []
    /// Classes before that must be read for others than their own.
    var extraInputs: [Int: Set<Int>] = [:]
    /// Classes to be read one after the other, where several become one.
    var sequence: [Int]?
    /// Look at batches of a class in the pass that counts.
    var watchers: [(classIndex: Int, body: (RecordBatch, StageLog) -> Void)] = []
    /// Set where rows may be kept out: links to them are looked up beforehand.
    var mayReject: Set<Int> = []

    init(_ input: Schema) {
        self.input = input
        output = input
        plans = input.classes.enumerated().map { i, c in
            [ClassMorph(output: i, columns: c.properties.indices.map { .view($0) })]
        }
    }

    // MARK: Changing classes

    /// Adds a property that is worked out.
    func add(_ property: Property, to c: Int, _ maker: any ColumnMaker) {
        output.classes[c].properties.append(property)
        plans[c][0].columns.append(.made(maker))
    }

    /// Works out a property anew, by its position afterwards.
    func replace(_ p: Int, of c: Int, by property: Property, _ maker: any ColumnMaker) {
        output.classes[c].properties[p] = property
        plans[c][0].columns[p] = .made(maker)
    }

    /// Drops a property, by its position afterwards.
    func remove(_ p: Int, of c: Int) {
        let name = output.classes[c].properties[p].name
        if output.classes[c].primaryKey == name { output.classes[c].primaryKey = nil }
        output.classes[c].properties.remove(at: p)
        plans[c][0].columns.remove(at: p)
    }

    /// Adds a class without rows from before.
    func addClass(_ definition: ClassSchema) -> Int {
        output.classes.append(definition)
        return output.classes.count - 1
    }

    // MARK: Stage

    var lineage: [ClassLineage] {
        var result = output.classes.map {
            ClassLineage(source: nil, columns: $0.properties.map { _ in nil })
        }
        let sealed = sealedPlans()
        for (i, morphs) in sealed.enumerated() where morphs.count == 1 {
            let morph = morphs[0]
            guard morph.filter == nil, morph.keyShift == 0, morph.output < result.count,
                sealed.lazy.joined().filter({ $0.output == morph.output }).count == 1,
                !tailClasses.contains(morph.output)
            else { continue }
            result[morph.output] = ClassLineage(source: i, columns: morph.columns.map(\.viewed))
        }
        return result
    }

    func prepare(_ source: any RowSource, log: StageLog) throws(FormatError) {
        try onPrepare?(source, log)
        try findRejected(source)
    }

    /// Keys of rows that will be kept out, where links may lead to them.
    private func findRejected(_ source: any RowSource) throws(FormatError) {
        for c in mayReject where input.isLinked(c) && input.classes[c].kind != .embedded {
            let stream = try source.open(classes: [c], counting: false)
            let morpher = BatchMorpher(plans: sealedPlans(), output: output)
            var map = keyMaps[c] ?? KeyMap(output: plans[c].first?.output ?? c)
            while let batch = try stream.next() {
                var kept: Set<Int64> = []
                let before = Array(batch.keys.elements)
                for part in try morpher.morph(batch, nil) {
                    kept.formUnion(part.keys.elements.lazy.map { $0 })
                }
                guard kept.count < before.count else { continue }
                let shift = plans[c].first?.keyShift ?? 0
                for key in before where map.moved[key] == nil && !kept.contains(key &+ shift) {
                    map.moved[key] = .some(nil)
                }
            }
            if !map.moved.isEmpty { keyMaps[c] = map }
        }
    }

    /// The plans with all links led to where their rows went.
    private func sealedPlans() -> [[ClassMorph]] {
        let isMoved = keyMaps.contains { $1.moves || $1.output != $0 }
        guard isMoved else { return plans }
        var result = plans
        for (c, morphs) in plans.enumerated() {
            for (m, morph) in morphs.enumerated() {
                for (p, source) in morph.columns.enumerated() {
                    guard let i = source.viewed else { continue }
                    let property = input.classes[c].properties[i]
                    if property.type == .mixed {
                        result[c][m].columns[p] = .made(MixedLinkMaker(i, keyMaps, input))
                    } else if property.type == .link, !input.isEmbedded(property),
                        let target = property.target.flatMap({ input.index(of: $0) }),
                        let map = keyMaps[target], map.moves
                    {
                        result[c][m].columns[p] = .made(LinkMaker(i, map))
                    }
                }
            }
        }
        return result
    }

    func open(_ source: any RowSource, classes: Set<Int>?, log: StageLog?) throws(FormatError)
        -> any RowStream
    {
        let sealed = sealedPlans()
        var groups: [Set<Int>?] = [nil]
        if classes != nil || sequence != nil {
            var wanted = Set<Int>()
            for (i, morphs) in sealed.enumerated()
            where morphs.contains(where: { classes?.contains($0.output) ?? true }) {
                wanted.insert(i)
            }
            // Rows that end here are read where they are counted.
            if log != nil {
                for (i, morphs) in sealed.enumerated() where morphs.isEmpty {
                    if classes?.contains(i) ?? true { wanted.insert(i) }
                }
            }
            for target in tailClasses where classes?.contains(target) ?? true {
                wanted.formUnion(extraInputs[target] ?? [])
            }
            groups = [wanted]
            if let sequence {
                groups = [wanted.subtracting(sequence)] + sequence.map { wanted.intersection([$0]) }
            }
        }
        return MorphStream(
            source, groups: groups, BatchMorpher(plans: sealed, output: output), wanted: classes,
            log: log, watchers: log == nil ? [] : watchers, tail: tailRows)
    }
}

private final class MorphStream: RowStream {
    private let source: any RowSource
    private var groups: [Set<Int>?]
    private let morpher: BatchMorpher
    private let wanted: Set<Int>?
    private let log: StageLog?
    private let tail: RecordBatch?
    private var tailed = 0
    private let watchers: [(classIndex: Int, body: (RecordBatch, StageLog) -> Void)]
    private var stream: (any RowStream)?
    private var ready: [RecordBatch] = []

    init(
        _ source: any RowSource, groups: [Set<Int>?], _ morpher: BatchMorpher, wanted: Set<Int>?,
        log: StageLog?, watchers: [(classIndex: Int, body: (RecordBatch, StageLog) -> Void)],
        tail: RecordBatch?
    ) {
        self.watchers = watchers
        self.source = source
        self.groups = groups
        self.morpher = morpher
        self.wanted = wanted
        self.log = log
        self.tail = tail
    }

    func next() throws(FormatError) -> RecordBatch? {
        while true {
            if let batch = ready.popLast() { return batch }
            if stream == nil {
                guard !groups.isEmpty else { break }
                let group = groups.removeFirst()
                if let group, group.isEmpty { continue }
                stream = try source.open(classes: group, counting: log != nil)
            }
            guard let batch = try stream?.next() else {
                stream = nil
                continue
            }
            if let log {
                for watcher in watchers where watcher.classIndex == batch.classIndex {
                    watcher.body(batch, log)
                }
            }
            ready = try morpher.morph(batch, log).reversed()
            if let wanted { ready.removeAll { !wanted.contains($0.classIndex) } }
        }
        guard let tail, tailed < tail.rowCount, wanted?.contains(tail.classIndex) ?? true else {
            return nil
        }
        let batch = RecordBatch(schema: tail.schema, classIndex: tail.classIndex)
        let end = min(tailed + 1024, tail.rowCount)
        batch.append(rows: tailed..<end, of: tail)
        tailed = end
        return batch
    }
}

extension Schema {
    /// True where links may lead to a class.
    func isLinked(_ c: Int) -> Bool {
        classes.contains { owner in
            owner.properties.contains {
                $0.type == .mixed || ($0.type == .link && $0.target == classes[c].name)
            }
        }
    }
}
