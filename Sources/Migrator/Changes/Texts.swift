// Texts joined, taken apart and made lists of.

internal import _StringProcessing

public import Formats

/// Several properties joined as one text.
public struct MergeProperties: PlannedChange {
    /// `mergeProperties`.
    public static let name = "mergeProperties"
    /// The properties, in order.
    public var properties: [PropertyName]
    /// The new property.
    public var into: String
    /// What stands between the parts.
    public var separator: String
    /// Whether the parts stay.
    public var keep: Bool

    /// Merges properties.
    public init(
        _ properties: [PropertyName], into: String, separator: String = " ", keep: Bool = false
    ) {
        self.properties = properties
        self.into = into
        self.separator = separator
        self.keep = keep
    }

    package init(_ subject: JSONTree, _ members: inout PlanMembers) throws(FormatError) {
        properties = try PropertyName.list(subject, Self.name)
        into = try members.text("into")
        separator = members.take("separator")?.string ?? " "
        keep = try members.bool("keep", false)
    }

    /// The change in one readable line.
    public var line: String {
        "merge " + properties.map(\.description).joined(separator: " + ") + " -> \(into)"
            + (keep ? ", parts kept" : "")
    }
    /// The change as a plan writes it.
    public var json: PlanJSON? {
        .members([
            (Self.name, .array(properties.map(\.json))), ("into", .string(into)),
            ("separator", separator == " " ? nil : .string(separator)),
            ("keep", keep ? .bool(true) : nil),
        ])
    }
    /// The classes the change names.
    public var classes: [String] { [properties[0].className] }

    package func stage(_ scope: ChangeScope) throws(FormatError) -> any Stage {
        let c = try scope.classIndex(properties[0].className)
        var parts: [Int] = []
        var isOptional = true
        for name in properties {
            let p = try scope.place(name).property
            let part = scope.schema.classes[c].properties[p]
            guard part.collection == nil, part.type != .link, part.type != .table else {
                throw scope.error(
                    .badValue, "\(part.summary) has no text to merge", property: part.name)
            }
            if !part.isOptional { isOptional = false }
            parts.append(p)
        }
        let names = properties.map(\.property)
        try scope.checkFree(into, in: c, except: keep ? [] : names)
        if let key = scope.schema.classes[c].primaryKey, names.contains(key), !keep {
            throw scope.error(.badValue, "the primary key cannot be merged away", property: key)
        }
        let stage = MorphStage(scope.schema)
        let merged = Property(into, .string, isOptional: isOptional)
        let separator = separator
        let maker = RowMaker { (column, batch, row, pass) in
            var text = ""
            var hasPart = false
            for p in parts {
                let value = batch.columns[p].value(row)
                if case .null = value { continue }
                guard let part = try? Conversions.text(value) else {
                    pass.reject(
                        row, "value-misfit", property: batch.columns[p].property.name,
                        reason: "this value has no text")
                    continue
                }
                hasPart = true
                let trimmed = part.trimmed
                if trimmed.utf8.count != part.utf8.count {
                    pass.note(
                        .handled, "trimmed", row, property: batch.columns[p].property.name)
                }
                if trimmed.isEmpty { continue }
                if !text.isEmpty { text += separator }
                text += trimmed
            }
            if hasPart || !isOptional { column.append(text) } else { column.appendNull() }
        }
        if !keep {
            try stage.removeAll(parts, of: c, insert: merged, maker)
        } else {
            stage.add(merged, to: c, maker)
        }
        stage.allowRejects(of: c)
        return stage
    }
}

extension MorphStage {
    /// Puts a property in the place of several.
    func removeAll(_ positions: [Int], of c: Int, insert: Property, _ maker: any ColumnMaker)
        throws(FormatError)
    {
        let first = positions.min() ?? 0
        for p in positions.sorted().reversed() { remove(p, of: c) }
        output.classes[c].properties.insert(insert, at: first)
        plans[c][0].columns.insert(.made(maker), at: first)
    }
}

extension String {
    /// Without spaces, tabs and line breaks at its ends.
    var trimmed: String {
        func isBlank(_ c: Character) -> Bool {
            c == " " || c == "\t" || c == "\n" || c == "\r" || c == "\r\n"
        }
        guard let first = firstIndex(where: { !isBlank($0) }),
            let last = lastIndex(where: { !isBlank($0) })
        else { return "" }
        return String(self[first...last])
    }
}

/// A text taken apart into several properties.
public struct SplitProperty: PlannedChange {
    /// `splitProperty`.
    public static let name = "splitProperty"

    /// Where a text is cut.
    public enum Cut: Sendable, Equatable {
        /// At the first space: the first word, and the rest.
        case firstSpace
        /// At the last space: the last word is the second part.
        case lastSpace
        /// By the groups of a regular expression that fits the whole text.
        case pattern(String)
    }

    /// The property.
    public var property: PropertyName
    /// The new properties.
    public var into: [String]
    /// Where it is cut.
    public var at: Cut
    /// What becomes of texts the pattern does not fit.
    public var onError: OnError
    /// Whether the text stays.
    public var keep: Bool
    /// Whether the parts may be null; nil as the text.
    public var isOptional: Bool?

    /// Splits a property.
    public init(
        _ property: PropertyName, into: [String], at: Cut, onError: OnError = .reject,
        keep: Bool = false, isOptional: Bool? = nil
    ) {
        self.property = property
        self.into = into
        self.at = at
        self.onError = onError
        self.keep = keep
        self.isOptional = isOptional
    }

    package init(_ subject: JSONTree, _ members: inout PlanMembers) throws(FormatError) {
        property = try PropertyName(subject, Self.name)
        into = try members.texts("into")
        let word = members.take("at")
        let pattern = try members.optionalText("pattern")
        switch (word?.string, pattern) {
        case ("firstSpace"?, nil): at = .firstSpace
        case ("lastSpace"?, nil): at = .lastSpace
        case (nil, let pattern?):
            at = .pattern(pattern)
            if (try? Regex(pattern)) == nil {
                throw FormatError(
                    .badValue, "this is no regular expression: \(pattern)",
                    offset: subject.offset)
            }
        default:
            throw FormatError(
                .badValue, "write \"at\": \"firstSpace\" or \"lastSpace\", or a \"pattern\"",
                offset: word?.offset ?? subject.offset)
        }
        onError = try OnError(members.take("onError"), "onError")
        keep = try members.bool("keep", false)
        isOptional = try members.optionalBool("optional")
    }

    /// The change in one readable line.
    public var line: String {
        let cut =
            switch at {
            case .firstSpace: "at the first space"
            case .lastSpace: "at the last space"
            case .pattern(let text): "by \(text)"
            }
        return "split \(property) -> " + into.joined(separator: ", ") + " \(cut)"
            + (keep ? ", kept" : "")
    }
    /// The change as a plan writes it.
    public var json: PlanJSON? {
        let cut: (String, PlanJSON?) =
            switch at {
            case .firstSpace: ("at", .string("firstSpace"))
            case .lastSpace: ("at", .string("lastSpace"))
            case .pattern(let text): ("pattern", .string(text))
            }
        return .members([
            (Self.name, property.json), ("into", .array(into.map { .string($0) })), cut,
            ("onError", onError.json), ("keep", keep ? .bool(true) : nil),
            ("optional", isOptional.map { .bool($0) }),
        ])
    }
    /// The classes the change names.
    public var classes: [String] { [property.className] }

    package func stage(_ scope: ChangeScope) throws(FormatError) -> any Stage {
        let (c, p) = try scope.place(property)
        let old = scope.schema.classes[c].properties[p]
        guard old.type == .string, old.collection == nil else {
            throw scope.error(.badValue, "only text is split", property: old.name)
        }
        if scope.schema.classes[c].primaryKey == old.name, !keep {
            throw scope.error(.badValue, "the primary key must be kept", property: old.name)
        }
        if Set(into).count != into.count {
            throw scope.error(.badValue, "two parts have the same name")
        }
        if at == .firstSpace || at == .lastSpace, into.count != 2 {
            throw scope.error(.badValue, "at a space a text has two parts")
        }
        for name in into { try scope.checkFree(name, in: c, except: keep ? [] : [old.name]) }
        let part = Property("", .string, isOptional: isOptional ?? old.isOptional)
        let fallback = try ErrorRule.fallback(onError, for: part, of: c, scope)
        let stage = MorphStage(scope.schema)
        var at = p
        if keep { at = p + 1 } else { stage.remove(p, of: c) }
        for (i, name) in into.enumerated() {
            var own = part
            own.name = name
            let maker = try SplitMaker(
                p, i, into.count, self.at, onError, fallback, isOptional: part.isOptional)
            stage.output.classes[c].properties.insert(own, at: at + i)
            stage.plans[c][0].columns.insert(.made(maker), at: at + i)
        }
        stage.allowRejects(of: c, onError)
        return stage
    }
}

/// One part of texts.
private final class SplitMaker: ColumnMaker {
    private let position: Int
    private let part: Int
    private let count: Int
    private let cut: SplitProperty.Cut
    private let regex: Regex<AnyRegexOutput>?
    private let onError: OnError
    private let fallback: BoundValue?
    private let isOptional: Bool

    init(
        _ position: Int, _ part: Int, _ count: Int, _ cut: SplitProperty.Cut,
        _ onError: OnError, _ fallback: BoundValue?, isOptional: Bool
    ) throws(FormatError) {
        self.position = position
        self.part = part
        self.count = count
        self.cut = cut
        self.onError = onError
        self.fallback = fallback
        self.isOptional = isOptional
        guard case .pattern(let text) = cut else {
            regex = nil
            return
        }
        do { regex = try Regex(text) } catch {
            throw FormatError(.badValue, "this is no regular expression: \(text)")
        }
    }

    func fill(_ column: Column, from batch: RecordBatch, _ pass: MorphPass) throws(FormatError) {
        let source = batch.columns[position]
        let name = source.property.name
        for row in 0..<batch.rowCount {
            if source.isNull(row) {
                if isOptional {
                    column.appendNull()
                    continue
                }
                ErrorRule.apply(
                    onError, fallback, column, batch, row, pass, property: name, value: "null",
                    reason: "null has no parts", isNoted: part == 0)
                continue
            }
            let text = source.string(row)
            if let regex {
                guard let match = (try? regex.wholeMatch(in: text)) ?? nil,
                    match.output.count > count
                else {
                    ErrorRule.apply(
                        onError, fallback, column, batch, row, pass, property: name, value: text,
                        reason: "the pattern does not fit", isNoted: part == 0)
                    continue
                }
                if let found = match.output[part + 1].substring {
                    column.append(String(found))
                } else if isOptional {
                    column.appendNull()
                } else {
                    column.append("")
                }
                continue
            }
            let words = text.trimmed.split(separator: " ", omittingEmptySubsequences: true)
            if part == 0, words.count != 2 {
                pass.note(
                    .handled, words.count < 2 ? "one-part" : "more-parts", row, property: name,
                    value: text, reason: "\(words.count) words")
            }
            let head: [Substring]
            let tail: [Substring]
            switch cut {
            case .lastSpace where words.count > 1:
                (head, tail) = (Array(words.dropLast()), words.suffix(1))
            default: (head, tail) = (Array(words.prefix(1)), Array(words.dropFirst()))
            }
            column.append((part == 0 ? head : tail).joined(separator: " "))
        }
    }
}

/// A text with separators made a list or a set.
public struct SplitText: PlannedChange {
    /// `splitText`.
    public static let name = "splitText"
    /// The property.
    public var property: PropertyName
    /// What stands between the elements.
    public var separator: String
    /// A list, or a set.
    public var collection: CollectionKind

    /// Splits a text into elements.
    public init(
        _ property: PropertyName, separator: String = ",", collection: CollectionKind = .list
    ) {
        self.property = property
        self.separator = separator
        self.collection = collection
    }

    package init(_ subject: JSONTree, _ members: inout PlanMembers) throws(FormatError) {
        property = try PropertyName(subject, Self.name)
        separator = try members.optionalText("separator") ?? ","
        collection =
            try members.take("collection").map { (tree) throws(FormatError) in
                try PropertyWords.collection(tree)
            } ?? .list
    }

    /// The change in one readable line.
    public var line: String {
        "split \(property) at \"\(separator)\" -> \(collection.rawValue)"
    }
    /// The change as a plan writes it.
    public var json: PlanJSON? {
        .members([
            (Self.name, property.json), ("separator", .string(separator)),
            ("collection", .string(collection.rawValue)),
        ])
    }
    /// The classes the change names.
    public var classes: [String] { [property.className] }

    package func stage(_ scope: ChangeScope) throws(FormatError) -> any Stage {
        let (c, p) = try scope.place(property)
        let old = scope.schema.classes[c].properties[p]
        guard old.type == .string, old.collection == nil, collection != .dictionary,
            scope.schema.classes[c].primaryKey != old.name
        else {
            throw scope.error(
                .badValue, "only text becomes a list or a set", property: old.name)
        }
        let separator = separator
        let isSet = collection == .set
        let stage = MorphStage(scope.schema)
        stage.replace(
            p, of: c, by: Property(old.name, .string, collection: collection),
            RowMaker { (column, batch, row, pass) in
                let source = batch.columns[p]
                var kept: [String] = []
                var seen: Set<String> = []
                if !source.isNull(row) {
                    for element in SplitText.elements(source.string(row), separator) {
                        if element.isEmpty {
                            pass.note(.handled, "empty-skipped", row, property: old.name)
                        } else if isSet, !seen.insert(element).inserted {
                            pass.note(
                                .handled, "repeat-left-out", row, property: old.name,
                                value: element)
                        } else {
                            kept.append(element)
                        }
                    }
                }
                for element in kept { column.elements?.append(element) }
                column.closeCollection()
            })
        return stage
    }

    /// The elements of a text; those that hold the separator stand in quotes.
    static func elements(_ text: String, _ separator: String) -> [String] {
        if text.trimmed.isEmpty { return [] }
        var result: [String] = []
        var rest = Substring(text)
        while true {
            while let c = rest.first, c == " " || c == "\t" { rest.removeFirst() }
            if rest.first == "\"" {
                var element = ""
                var inner = rest.dropFirst()
                var isClosed = false
                while let c = inner.popFirst() {
                    if c != "\"" {
                        element.append(c)
                    } else if inner.first == "\"" {
                        element.append(c)
                        inner.removeFirst()
                    } else {
                        isClosed = true
                        break
                    }
                }
                while let c = inner.first, c == " " || c == "\t" { inner.removeFirst() }
                if isClosed, inner.isEmpty || inner.hasPrefix(separator) {
                    result.append(element)
                    if inner.isEmpty { return result }
                    rest = inner.dropFirst(separator.count)
                    continue
                }
            }
            var end = rest.startIndex
            while end < rest.endIndex, !rest[end...].hasPrefix(separator) {
                end = rest.index(after: end)
            }
            result.append(String(rest[..<end]).trimmed)
            if end == rest.endIndex { return result }
            rest = rest[end...].dropFirst(separator.count)
        }
    }
}
