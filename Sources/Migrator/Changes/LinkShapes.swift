// Links made lists and back, moved to other names and other holders: always the same objects,
// never copies.

package import Formats

/// A single value or link made a list.
public struct ToMany: PlannedChange {
    /// `toMany`.
    public static let name = "toMany"
    /// The property.
    public var property: PropertyName
    /// The list's name; nil for the property's.
    public var name: String?

    /// Makes a list of a single value.
    public init(_ property: PropertyName, as name: String? = nil) {
        self.property = property
        self.name = name
    }

    package init(_ subject: JSONTree, _ members: inout PlanMembers) throws(FormatError) {
        property = try PropertyName(subject, Self.name)
        name = try members.optionalText("as")
    }

    /// The change in one readable line.
    public var line: String { "to many \(property)" + (name.map { " as \($0)" } ?? "") }
    /// The change as a plan writes it.
    public var json: PlanJSON? {
        .members([(Self.name, property.json), ("as", name.map { .string($0) })])
    }
    /// The classes the change names.
    public var classes: [String] { [property.className] }

    package func stage(_ scope: ChangeScope) throws(FormatError) -> any Stage {
        let (c, p) = try scope.place(property)
        let old = scope.schema.classes[c].properties[p]
        guard old.collection == nil, old.type != .table,
            scope.schema.classes[c].primaryKey != old.name
        else { throw scope.error(.badValue, "\(property) is no single value", property: old.name) }
        try scope.checkFree(name ?? old.name, in: c, except: [old.name])
        var list = old
        list.name = name ?? old.name
        list.collection = .list
        list.isIndexed = false
        list.isFullText = false
        list.isOptional = old.type == .mixed
        let stage = MorphStage(scope.schema)
        stage.replace(
            p, of: c, by: list,
            BatchMaker { (column, batch, pass) in
                let source = batch.columns[p]
                for row in 0..<batch.rowCount {
                    if !source.isNull(row) { column.elements?.append(row, of: source) }
                    column.closeCollection()
                }
            })
        return stage
    }
}

/// A list made a single value or link.
public struct ToOne: PlannedChange {
    /// `toOne`.
    public static let name = "toOne"

    /// What becomes of lists of several elements.
    public enum Many: String, Sendable, CaseIterable {
        case fail, first
    }

    /// The property.
    public var property: PropertyName
    /// The new name; nil for the list's.
    public var name: String?
    /// What becomes of lists of several elements.
    public var onMany: Many

    /// Makes a single value of a list.
    public init(_ property: PropertyName, as name: String? = nil, onMany: Many = .fail) {
        self.property = property
        self.name = name
        self.onMany = onMany
    }

    package init(_ subject: JSONTree, _ members: inout PlanMembers) throws(FormatError) {
        property = try PropertyName(subject, Self.name)
        name = try members.optionalText("as")
        onMany = try members.word("onMany", Many.fail)
    }

    /// The change in one readable line.
    public var line: String {
        "to one \(property)" + (name.map { " as \($0)" } ?? "") + ", several: \(onMany.rawValue)"
    }
    /// The change as a plan writes it.
    public var json: PlanJSON? {
        .members([
            (Self.name, property.json), ("as", name.map { .string($0) }),
            ("onMany", .string(onMany.rawValue)),
        ])
    }
    /// The classes the change names.
    public var classes: [String] { [property.className] }

    package func stage(_ scope: ChangeScope) throws(FormatError) -> any Stage {
        let (c, p) = try scope.place(property)
        let old = scope.schema.classes[c].properties[p]
        guard old.collection == .list || old.collection == .set, old.type != .table,
            !scope.schema.isEmbedded(old)
        else { throw scope.error(.badValue, "\(property) is no list", property: old.name) }
        try scope.checkFree(name ?? old.name, in: c, except: [old.name])
        var single = old
        single.name = name ?? old.name
        single.collection = nil
        single.isOptional = true
        let stage = MorphStage(scope.schema)
        let rule = onMany
        stage.replace(
            p, of: c, by: single,
            RowMaker { (column, batch, row, pass) in
                let source = batch.columns[p]
                let range = source.range(row)
                if range.count > 1 {
                    pass.note(
                        rule == .first ? .lost : .needsDecision, "several-elements", row,
                        property: old.name, reason: "\(range.count) elements",
                        fix: rule == .first ? nil : "add \"onMany\": \"first\"")
                }
                if let elements = source.elements, !range.isEmpty {
                    column.append(range.lowerBound, of: elements)
                } else {
                    column.appendNull()
                }
            })
        return stage
    }
}

/// A link led on: under other names, or from another holder.
public struct MoveLink: PlannedChange {
    /// `moveLink`.
    public static let name = "moveLink"
    /// The link, or list of links.
    public var property: PropertyName
    /// The names it has from now on.
    public var names: [String]
    /// The property of the new holder.
    public var to: PropertyName?
    /// The link between the old and the new holder, of either class.
    public var by: PropertyName?
    /// What becomes of links whose row has no new holder.
    public var dropsUnheld: Bool

    /// The same link under other names.
    public init(_ property: PropertyName, as names: [String]) {
        self.property = property
        self.names = names
        dropsUnheld = false
    }

    /// The same links from another holder.
    public init(
        _ property: PropertyName, to: PropertyName, by: PropertyName, dropUnheld: Bool = false
    ) {
        self.property = property
        names = []
        self.to = to
        self.by = by
        dropsUnheld = dropUnheld
    }

    package init(_ subject: JSONTree, _ members: inout PlanMembers) throws(FormatError) {
        property = try PropertyName(subject, Self.name)
        names = []
        if let list = members.take("as") {
            names =
                list.string == nil
                ? try PlanMembers.texts(list, "as") : [try PlanMembers.text(list, "as")]
        }
        if let tree = members.take("to") {
            to = try PropertyName(tree, "to")
            by = try PropertyName(members.need("by"), "by")
        }
        let missing = try members.optionalText("onMissing")
        guard missing == nil || missing == "drop" || missing == "fail" else {
            throw FormatError(
                .unknownName, "onMissing is \"fail\" or \"drop\"", offset: subject.offset)
        }
        dropsUnheld = missing == "drop"
        if names.isEmpty == (to == nil) {
            throw FormatError(
                .missingValue, "moveLink needs \"as\", or \"to\" with \"by\"",
                offset: subject.offset)
        }
    }

    /// The change in one readable line.
    public var line: String {
        if let to, let by { return "move link \(property) -> \(to) by \(by)" }
        return "move link \(property) -> " + names.joined(separator: ", ")
    }
    /// The change as a plan writes it.
    public var json: PlanJSON? {
        .members([
            (Self.name, property.json),
            (
                "as",
                names.isEmpty
                    ? nil
                    : names.count == 1 ? .string(names[0]) : .array(names.map { .string($0) })
            ), ("to", to?.json), ("by", by?.json),
            ("onMissing", dropsUnheld ? .string("drop") : nil),
        ])
    }
    /// The classes the change names.
    public var classes: [String] { [property.className] + (to.map { [$0.className] } ?? []) }

    package func stage(_ scope: ChangeScope) throws(FormatError) -> any Stage {
        let (c, p) = try scope.place(property)
        let link = scope.schema.classes[c].properties[p]
        guard link.type == .link, !scope.schema.isEmbedded(link) else {
            throw scope.error(.badValue, "\(property) is no link", property: link.name)
        }
        if let to, let by { return try move(scope, (c, p), link, to, by) }
        let stage = MorphStage(scope.schema)
        stage.remove(p, of: c)
        for (i, name) in names.enumerated() {
            try scope.checkFree(name, in: c, except: [link.name])
            if names.firstIndex(of: name) != i {
                throw scope.error(.badValue, "\(name) stands twice")
            }
            var copy = link
            copy.name = name
            stage.output.classes[c].properties.insert(copy, at: p + i)
            stage.plans[c][0].columns.insert(.view(p), at: p + i)
        }
        return stage
    }

    private func move(
        _ scope: ChangeScope, _ from: (c: Int, p: Int), _ link: Property, _ to: PropertyName,
        _ by: PropertyName
    ) throws(FormatError) -> any Stage {
        let holder = try scope.classIndex(to.className)
        try scope.checkFree(to.property, in: holder)
        let (joint, j) = try scope.place(by)
        let bridge = scope.schema.classes[joint].properties[j]
        let isFromOld = joint == from.c && bridge.target == to.className
        let isFromNew = joint == holder && bridge.target == property.className
        guard bridge.type == .link, isFromOld || isFromNew,
            scope.schema.classes[from.c].kind != .embedded,
            scope.schema.classes[holder].kind != .embedded
        else {
            throw scope.error(
                .badValue, "\(by) does not link \(property.className) and \(to.className)")
        }
        var moved = link
        moved.name = to.property
        let stage = MorphStage(scope.schema)
        let mover = LinkMover(
            stage, from: from, bridge: isFromOld ? (from.c, j) : (holder, j),
            isFromOld: isFromOld, dropsUnheld: dropsUnheld)
        stage.remove(from.p, of: from.c)
        stage.add(moved, to: holder, mover)
        stage.onPrepare = { (source, log) throws(FormatError) in try mover.prepare(source, log) }
        return stage
    }
}

/// Gathers the links of the old holders by the new ones.
private final class LinkMover: ColumnMaker {
    private unowned let stage: MorphStage
    private let from: (c: Int, p: Int)
    private let bridge: (c: Int, p: Int)
    private let isFromOld: Bool
    private let dropsUnheld: Bool
    /// Links by the key of their new holder.
    private var links: [Int64: [Int64]] = [:]

    init(
        _ stage: MorphStage, from: (Int, Int), bridge: (Int, Int), isFromOld: Bool,
        dropsUnheld: Bool
    ) {
        self.stage = stage
        self.from = from
        self.bridge = bridge
        self.isFromOld = isFromOld
        self.dropsUnheld = dropsUnheld
    }

    func prepare(_ source: any RowSource, _ log: StageLog) throws(FormatError) {
        // The new holders of each old one, where the new ones link to the old.
        var holders: [Int64: [Int64]] = [:]
        if !isFromOld {
            let stream = try source.open(classes: [bridge.c], counting: false)
            while let batch = try stream.next() {
                for row in 0..<batch.rowCount {
                    for old in LinkMover.keys(batch.columns[bridge.p], row) {
                        holders[old, default: []].append(batch.keys[row])
                    }
                }
            }
        }
        let stream = try source.open(classes: [from.c], counting: false)
        while let batch = try stream.next() {
            for row in 0..<batch.rowCount {
                let found = LinkMover.keys(batch.columns[from.p], row)
                if found.isEmpty { continue }
                let news =
                    isFromOld
                    ? LinkMover.keys(batch.columns[bridge.p], row)
                    : holders[batch.keys[row]] ?? []
                if news.isEmpty {
                    log.note(
                        dropsUnheld ? .lost : .needsDecision, "link-without-holder", batch, row,
                        property: batch.columns[from.p].property.name,
                        reason: "\(found.count) links have no new holder",
                        fix: dropsUnheld ? nil : "add \"onMissing\": \"drop\"")
                }
                for new in news { links[new, default: []] += found }
            }
        }
    }

    static func keys(_ column: Column, _ row: Int) -> [Int64] {
        guard let elements = column.elements else {
            return column.isNull(row) ? [] : [column.words[row]]
        }
        return column.range(row).filter { elements.nulls[$0] == 0 }.map { elements.words[$0] }
    }

    func fill(_ column: Column, from batch: RecordBatch, _ pass: MorphPass) throws(FormatError) {
        for row in 0..<batch.rowCount {
            let found = links[batch.keys[row]] ?? []
            guard let elements = column.elements else {
                if found.count > 1 {
                    pass.note(
                        .needsDecision, "several-elements", row, property: nil,
                        reason: "\(found.count) links for one holder",
                        fix: "make the link a list first, with toMany")
                }
                if let first = found.first {
                    column.append(word: first)
                } else {
                    column.appendNull()
                }
                continue
            }
            var seen: Set<Int64> = []
            for key in found {
                if column.property.collection == .set, !seen.insert(key).inserted { continue }
                elements.append(word: key)
            }
            column.closeCollection()
        }
    }
}
