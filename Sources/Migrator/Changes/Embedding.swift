// Objects of their own made embedded ones.

package import Formats

/// A class whose objects stand inside the rows that linked to them.
public struct Embed: PlannedChange {
    /// `embed`.
    public static let name = "embed"

    /// What becomes of objects nobody links to.
    public enum Orphans: String, Sendable, CaseIterable {
        case fail, delete
    }

    /// What becomes of objects linked to more than once.
    public enum Shared: String, Sendable, CaseIterable {
        case fail, clone
    }

    /// The class.
    public var className: String
    /// What becomes of objects nobody links to.
    public var orphans: Orphans
    /// What becomes of objects linked to more than once.
    public var shared: Shared
    /// The name the primary key is kept under.
    public var keepKeyAs: String?

    /// Embeds a class.
    public init(
        _ className: String, orphans: Orphans = .fail, shared: Shared = .fail,
        keepKeyAs: String? = nil
    ) {
        self.className = className
        self.orphans = orphans
        self.shared = shared
        self.keepKeyAs = keepKeyAs
    }

    package init(_ subject: JSONTree, _ members: inout PlanMembers) throws(FormatError) {
        className = try PlanMembers.text(subject, Self.name)
        orphans = try members.word("orphans", Orphans.fail)
        shared = try members.word("shared", Shared.fail)
        keepKeyAs = try members.optionalText("keepKeyAs")
    }

    /// The change in one readable line.
    public var line: String {
        "embed \(className), orphans: \(orphans.rawValue), shared: \(shared.rawValue)"
            + (keepKeyAs.map { ", key kept as \($0)" } ?? "")
    }
    /// The change as a plan writes it.
    public var json: PlanJSON? {
        .members([
            (Self.name, .string(className)), ("orphans", .string(orphans.rawValue)),
            ("shared", .string(shared.rawValue)), ("keepKeyAs", keepKeyAs.map { .string($0) }),
        ])
    }
    /// The classes the change names.
    public var classes: [String] { [className] }

    package func stage(_ scope: ChangeScope) throws(FormatError) -> any Stage {
        let c = try scope.classIndex(className)
        let known = scope.schema.classes[c]
        guard known.kind == .object else {
            throw scope.error(.badValue, "\(className) is \(known.kind.rawValue) already")
        }
        let stage = MorphStage(scope.schema)
        var sources = Array(known.properties.indices)
        stage.output.classes[c].kind = .embedded
        if let key = known.primaryKey, let k = known.index(of: key) {
            stage.output.classes[c].primaryKey = nil
            if let keepKeyAs {
                try scope.checkFree(keepKeyAs, in: c, except: [key])
                stage.output.classes[c].properties[k].name = keepKeyAs
            } else {
                stage.output.classes[c].properties.remove(at: k)
                sources.remove(at: k)
                stage.onRows(of: c) { batch, log in
                    log.note(
                        .lost, "key-dropped", class: known.name, property: key,
                        count: batch.rowCount)
                }
            }
        } else if let keepKeyAs {
            throw scope.error(.badValue, "\(className) has no key to keep as \(keepKeyAs)")
        }
        if let circle = stage.output.embeddedCircle(from: c) {
            throw scope.error(
                .unsupported,
                "\(className) would hold objects of its own class, by way of "
                    + circle.joined(separator: ", ") + ": Realm opens no store whose embedded "
                    + "classes go in a circle", property: circle.first,
                fix:
                    "leave it a class of its own, or drop the property that closes the circle first"
            )
        }
        let rows = EmbeddedRows(stage, c, sources, orphans, shared)
        var isHeld = false
        for (i, owner) in scope.schema.classes.enumerated() {
            for (p, property) in owner.properties.enumerated() where property.target == className {
                if property.collection == .set {
                    throw scope.error(
                        .badValue, "a set cannot hold embedded objects",
                        property: "\(owner.name).\(property.name)",
                        fix: "make it a list first: changeType with \"collection\": \"list\"")
                }
                isHeld = true
                stage.plans[i][0].columns[p] = .made(EmbedMaker(p, rows))
            }
        }
        if !isHeld {
            let orphans = orphans
            stage.onRows(of: c) { batch, log in
                for row in 0..<batch.rowCount {
                    log.note(
                        orphans == .fail ? .needsDecision : .lost,
                        orphans == .fail ? "orphan" : "orphan-deleted", batch, row, property: nil,
                        reason: "no property holds the class",
                        fix: orphans == .fail
                            ? "no property holds the class: drop it, or add "
                                + "\"orphans\": \"delete\"" : nil)
                }
            }
        }
        stage.plans[c] = []
        stage.keyMaps[c] = KeyMap(output: c)
        stage.keyMaps[c]?.isEmpty = true
        stage.keyMaps[c]?.gone = .needsDecision
        stage.keyMaps[c]?.fix = "set the links in mixed values to null first"
        stage.onPrepare = { (source, log) throws(FormatError) in
            if isHeld { try rows.prepare(source, log) }
        }
        return stage
    }
}

/// All rows of a class that is being embedded, by their keys.
private final class EmbeddedRows {
    private unowned let stage: MorphStage
    private let classIndex: Int
    private let sources: [Int]
    private let orphans: Embed.Orphans
    private let shared: Embed.Shared
    let rows: RecordBatch
    private(set) var positions: [Int64: Int] = [:]

    init(
        _ stage: MorphStage, _ c: Int, _ sources: [Int], _ orphans: Embed.Orphans,
        _ shared: Embed.Shared
    ) {
        self.stage = stage
        classIndex = c
        self.sources = sources
        self.orphans = orphans
        self.shared = shared
        rows = RecordBatch(schema: stage.output, classIndex: c)
    }

    func prepare(_ source: any RowSource, _ log: StageLog) throws(FormatError) {
        var parents: [Int64: Int] = [:]
        let name = stage.input.classes[classIndex].name
        let all = try source.open(classes: nil, counting: false)
        let walk = BatchWalk(stage.input)
        while let batch = try all.next() {
            if batch.classIndex == classIndex {
                for row in 0..<batch.rowCount { positions[batch.keys[row]] = rows.rowCount + row }
                for (column, p) in zip(rows.columns, sources) {
                    column.append(0..<batch.rowCount, of: batch.columns[p])
                }
                rows.closeRows(batch.rowCount)
            }
            walk.all(in: batch) { batch in
                for column in batch.columns
                where column.type == .link && column.property.target == name {
                    let values = column.elements ?? column
                    for i in 0..<values.count where values.nulls[i] == 0 {
                        parents[values.words[i], default: 0] += 1
                    }
                }
            }
        }
        try judge(source, parents, log)
    }

    private func judge(
        _ source: any RowSource, _ parents: [Int64: Int], _ log: StageLog
    ) throws(FormatError) {
        guard positions.contains(where: { parents[$0.key] ?? 0 != 1 }) else { return }
        let stream = try source.open(classes: [classIndex], counting: false)
        while let batch = try stream.next() {
            for row in 0..<batch.rowCount {
                let count = parents[batch.keys[row]] ?? 0
                if count == 0 {
                    log.note(
                        orphans == .fail ? .needsDecision : .lost,
                        orphans == .fail ? "orphan" : "orphan-deleted", batch, row, property: nil,
                        reason: "nobody links to it",
                        fix: orphans == .fail ? "add \"orphans\": \"delete\"" : nil)
                } else if count > 1 {
                    log.note(
                        shared == .fail ? .needsDecision : .handled,
                        shared == .fail ? "shared-child" : "shared-cloned", batch, row,
                        property: nil, reason: "\(count) links lead to it",
                        fix: shared == .fail ? "add \"shared\": \"clone\"" : nil)
                }
            }
        }
    }
}

/// Puts the objects in the place of links to them.
private final class EmbedMaker: ColumnMaker {
    private let position: Int
    private let rows: EmbeddedRows

    init(_ position: Int, _ rows: EmbeddedRows) {
        self.position = position
        self.rows = rows
    }

    func fill(_ column: Column, from batch: RecordBatch, _ pass: MorphPass) throws(FormatError) {
        let source = batch.columns[position]
        func append(_ i: Int, _ row: Int, _ target: Column, _ values: Column, isList: Bool) {
            if values.nulls[i] == 0, let at = rows.positions[values.words[i]] {
                target.openObject()
                target.child.append(row: at, of: rows.rows)
                return
            }
            if values.nulls[i] == 0 {
                pass.note(
                    .handled, "link-to-removed-row", row, property: source.property.name,
                    reason: "the row it leads to is no more")
            }
            if !isList { target.appendNull() }
        }
        guard let elements = column.elements, let values = source.elements else {
            for row in 0..<batch.rowCount { append(row, row, column, source, isList: false) }
            return
        }
        let isList = source.property.collection != .dictionary
        for row in 0..<batch.rowCount {
            for i in source.range(row) {
                if let keys = column.keys, let from = source.keys { keys.append(i, of: from) }
                append(i, row, elements, values, isList: isList)
            }
            column.closeCollection()
        }
    }
}
