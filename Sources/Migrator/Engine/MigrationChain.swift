// All stages of a migration, one on top of the other: built for a schema first, so that slips of
// names and types show before a row is read; readied in order; then read from the top.

internal import Formats

/// The stages from the store's classes to those of the target version.
final class MigrationChain {
    /// The classes the chain begins with.
    let input: Schema
    /// The classes it ends with, in the order the new store has them.
    let output: Schema
    let log: MigrationLog
    /// Where the classes afterwards come from; known once the stages have looked ahead.
    var lineage: [ClassLineage] {
        stages.reduce(ClassLineage.same(input)) { ClassLineage.join($0, $1.stage.lineage) }
    }
    /// Where the columns afterwards come from, where all rows stay under their keys.
    var carried: [CarriedRows]? {
        var whole = CarriedRows.same(input)
        for source in stages {
            guard let next = source.stage.carried else { return nil }
            whole = CarriedRows.join(whole, next)
        }
        return whole
    }
    /// Hashes of what came in.
    let before: ContentDigest
    /// Hashes of what goes out.
    let after: ContentDigest
    /// The position of each class afterwards while the chain works.
    let positions: [Int]

    private let top: any RowSource
    private let stages: [StagedSource]
    private let checks:
        [(
            step: Int, expectation: Expectation, before: ExpectationProbe,
            after: ExpectationProbe
        )]

    /// Builds the chain.
    /// - Throws: what is wrong with the plan for these classes.
    init(
        _ steps: [(position: Int, step: MigrationStep)], base: any RowSource, version: UInt64,
        log: MigrationLog
    ) throws(FormatError) {
        self.log = log
        input = base.schema
        let before = ContentDigest(base.schema)
        self.before = before
        var builder = Builder(top: base, log: log)
        builder.push(TapStage(base.schema) { before.add($0) })
        for (position, step) in steps { try builder.add(step, at: position) }
        let (compacted, positions) = builder.compact(version: version)
        try MigrationChain.refuseCircles(compacted, from: base.schema)
        self.positions = positions
        output = compacted
        let after = ContentDigest(compacted, tokens: positions.map { UInt64($0) })
        self.after = after
        builder.push(TapStage(compacted) { after.add($0, after: before) })
        top = builder.top
        stages = builder.stages
        checks = builder.checks
    }

    /// Refuses classes that Realm would not open; where a store has them already, it has opened.
    private static func refuseCircles(_ schema: Schema, from input: Schema) throws(FormatError) {
        for (c, definition) in schema.classes.enumerated() where definition.kind == .embedded {
            guard let circle = schema.embeddedCircle(from: c) else { continue }
            let old = input.index(of: definition.name)
            if let old, input.embeddedCircle(from: old) != nil { continue }
            throw FormatError(
                .unsupported,
                "the embedded class \(definition.name) would hold objects of its own class, by way "
                    + "of " + circle.joined(separator: ", "),
                recordName: "class \(definition.name)",
                property: circle.first,
                fix: "Realm opens no store whose embedded classes go in a circle: leave one of "
                    + "the properties out")
        }
    }

    /// Lets the stages look ahead, then gives the rows.
    func open() throws(FormatError) -> any RowStream {
        for stage in stages { try stage.prepare() }
        return try top.open(classes: nil, counting: true)
    }

    /// Compares what was expected with what came, once all rows are through.
    func checkExpectations() {
        for check in checks {
            var example: MigrationFinding.Example?
            func fail(_ found: String, key: String = "") {
                example = .init(
                    key: key, value: found, reason: "expected \(check.expectation.line)")
            }
            let after = check.after
            switch check.expectation {
            case .count(let name, let count):
                let rows = after.schema.index(of: name).map { after.rows[$0] } ?? 0
                switch count {
                case .number(let n): if n != rows { fail("\(rows) rows") }
                case .rowsBefore(let old):
                    let n = check.before.schema.index(of: old).map { check.before.rows[$0] } ?? 0
                    if n != rows { fail("\(rows) rows, \(n) before") }
                }
            case .distinct(let name): if after.hasRepeats(name) { fail("values stand twice") }
            case .aggregate(let kind, let name, let result):
                let value = after.aggregate(kind, name)
                switch result {
                case .before(let old):
                    let other = check.before.aggregate(kind, old)
                    if other != value { fail("\(value.text()), \(other.text()) before") }
                case .value(let json):
                    let wanted = try? ConstantValue.value(json, as: value.type)
                    if wanted != value { fail(value.text()) }
                }
            case .none(let name, let text):
                let (count, first) = after.matches(name, text)
                if count > 0 { fail("\(count) rows", key: first) }
            }
            guard let example else { continue }
            log.add(
                MigrationFinding(
                    step: check.step, change: nil, line: "expect \(check.expectation.line)",
                    kind: .needsDecision, code: "expectation-failed", className: "", property: nil,
                    count: 1, examples: [example],
                    fix: "look at the changes of the step, or at the expectation"))
        }
    }

    /// Rows that could not be read must not vanish with an upgrade.
    func refuseUnread(_ count: Int) {
        guard count > 0 else { return }
        log.add(
            MigrationFinding(
                step: 0, change: nil, line: "reading the store", kind: .needsDecision,
                code: "unreadable-rows", className: "", property: nil, count: count, examples: [],
                fix: "rtool convert saves what can be read into a new store; migrate that one"))
    }

    private struct Builder {
        var top: any RowSource
        let log: MigrationLog
        var stages: [StagedSource] = []
        var checks:
            [(
                step: Int, expectation: Expectation, before: ExpectationProbe,
                after: ExpectationProbe
            )] = []

        mutating func push(_ stage: any Stage, _ scope: ChangeScope? = nil) {
            let scope =
                scope ?? ChangeScope(schema: top.schema, step: 0, change: 0, line: "")
            let staged = StagedSource(top, stage, log: StageLog(log, scope))
            stages.append(staged)
            top = staged
        }

        mutating func add(_ step: MigrationStep, at position: Int) throws(FormatError) {
            let before = ExpectationProbe(top.schema)
            if !step.expectations.isEmpty { push(TapStage(top.schema) { before.see($0) }) }
            var i = 0
            while i < step.changes.count {
                func scope(_ i: Int) -> ChangeScope {
                    ChangeScope(
                        schema: top.schema, step: position, change: i, line: step.changes[i].line)
                }
                if step.changes[i] is RenameProperty {
                    var renames: [(RenameProperty, ChangeScope)] = []
                    while i < step.changes.count, let next = step.changes[i] as? RenameProperty {
                        renames.append((next, scope(i)))
                        i += 1
                    }
                    push(try RenameProperty.stage(renames, renames[0].1), renames[0].1)
                    continue
                }
                let own = scope(i)
                if let change = step.changes[i] as? any PlannedChange {
                    push(try change.stage(own), own)
                } else if let change = step.changes[i] as? any StagedChange {
                    push(try change.stage(own), own)
                } else {
                    throw own.error(.unsupported, "this kind of change cannot be carried out")
                }
                i += 1
            }
            guard !step.expectations.isEmpty else { return }
            let after = ExpectationProbe(top.schema)
            for expectation in step.expectations {
                try bind(expectation, before, after, position)
            }
            push(TapStage(top.schema) { after.see($0) })
        }

        private mutating func bind(
            _ expectation: Expectation, _ before: ExpectationProbe, _ after: ExpectationProbe,
            _ position: Int
        ) throws(FormatError) {
            let line = "expect \(expectation.line)"
            let new = ChangeScope(schema: after.schema, step: position, change: 0, line: line)
            let old = ChangeScope(schema: before.schema, step: position, change: 0, line: line)
            switch expectation {
            case .count(let name, let count):
                _ = try new.classIndex(name)
                if case .rowsBefore(let name) = count { _ = try old.classIndex(name) }
            case .distinct(let name): after.addDistinct(name, try new.place(name))
            case .aggregate(let kind, let name, let result):
                after.addAggregate(kind, name, try new.place(name))
                if case .before(let name) = result {
                    before.addAggregate(kind, name, try old.place(name))
                }
            case .none(let name, let text):
                let c = try new.classIndex(name)
                after.addNone(
                    name, text, c,
                    try Predicate.parse(text, schema: after.schema, classIndex: c))
            }
            checks.append((position, expectation, before, after))
        }

        /// Leaves out the places of dropped classes.
        mutating func compact(version: UInt64) -> (Schema, [Int]) {
            let stage = MorphStage(top.schema)
            let kept = top.schema.classes.indices.filter { !top.schema.classes[$0].isTombstone }
            stage.output = Schema(version: version, classes: kept.map { top.schema.classes[$0] })
            for i in stage.output.classes.indices { stage.output.classes[i].count = nil }
            for i in stage.plans.indices { stage.plans[i] = [] }
            for (new, old) in kept.enumerated() {
                let columns = top.schema.classes[old].properties.indices.map {
                    ColumnSource.view($0)
                }
                stage.plans[old] = [ClassMorph(output: new, columns: columns)]
                stage.keyMaps[old] = KeyMap(output: new)
            }
            push(stage)
            return (stage.output, kept)
        }
    }
}
