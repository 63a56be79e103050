// Columns of one value, and of a value worked out for each row.

internal import Formats

/// The same value for all rows.
final class ConstantMaker: ColumnMaker {
    let value: Value

    init(_ value: Value) { self.value = value }

    func fill(_ column: Column, from batch: RecordBatch, _ pass: MorphPass) throws(FormatError) {
        ConstantMaker.fill(column, with: value, count: batch.rowCount)
    }

    /// Fills an empty column.
    static func fill(_ column: Column, with value: Value, count: Int) {
        guard count > 0 else { return }
        if column.append(value) == false { column.appendNull() }
        // The first one stands; the others are runs of the same bytes.
        switch column.layout {
        case .word, .pair:
            column.words.append(repeating: column.words[0], count: count - 1)
            if column.layout == .pair {
                column.extra.append(repeating: column.extra[0], count: count - 1)
            }
            column.nulls.append(repeating: column.nulls[0], count: count - 1)
        case .bytes:
            // Room first: a column that grows while it is its own source would lose it.
            column.bytes.reserve(adding: column.bytes.count * (count - 1))
            for _ in 1..<count { column.append(0, of: column) }
        default:
            for _ in 1..<count where column.append(value) == false { column.appendNull() }
        }
    }
}

/// A value worked out for each row, and a rule for what does not fit.
final class ValueMaker: ColumnMaker {
    private let bound: BoundValue
    private let onError: OnError
    private let fallback: BoundValue?
    /// Rows it does not apply to keep the value of this column.
    private let condition: (Predicate, Int)?

    init(
        _ bound: BoundValue, _ onError: OnError, of c: Int, _ scope: ChangeScope,
        condition: (Predicate, Int)? = nil
    ) throws(FormatError) {
        self.bound = bound
        self.onError = onError
        self.condition = condition
        fallback = try ErrorRule.fallback(onError, for: bound.property, of: c, scope)
    }

    func fill(_ column: Column, from batch: RecordBatch, _ pass: MorphPass) throws(FormatError) {
        var notes = ConversionNotes(bound.conversions)
        for row in 0..<batch.rowCount {
            if let (predicate, old) = condition, !predicate.matches(batch, row) {
                column.append(row, of: batch.columns[old])
                continue
            }
            do throws(ValueFailure) {
                let value = try bound.value(batch, row)
                notes.note(row, pass, property: bound.property.name)
                if !column.append(value) { throw ValueFailure(reason: "the value does not fit") }
            } catch {
                ErrorRule.apply(
                    onError, fallback, column, batch, row, pass, property: bound.property.name,
                    value: nil, reason: error.reason)
            }
        }
    }
}

/// What conversions met while the rows of a batch went through them.
struct ConversionNotes {
    private let conversions: [Conversions]
    private var odd: Int
    private var cut: Int

    init(_ conversions: [Conversions]) {
        self.conversions = conversions
        odd = conversions.reduce(0) { $0 + $1.oddTimes }
        cut = conversions.reduce(0) { $0 + $1.cutDates }
    }

    /// Notes what the value of a row met, after it was converted.
    mutating func note(_ row: Int, _ pass: MorphPass, property: String) {
        if conversions.isEmpty { return }
        let odd = conversions.reduce(0) { $0 + $1.oddTimes }
        let cut = conversions.reduce(0) { $0 + $1.cutDates }
        if odd != self.odd {
            pass.note(
                .handled, "zone-gap-or-overlap", row, property: property,
                reason: "the zone's clocks were changed at that time")
        }
        if cut != self.cut {
            pass.note(
                .handled, "subsecond-cut", row, property: property,
                reason: "the pattern has no place for fractions of a second")
        }
        (self.odd, self.cut) = (odd, cut)
    }
}

/// What becomes of values that fit no rule.
enum ErrorRule {
    /// The value that stands for what does not fit.
    /// - Throws: `badValue` when null is asked for and the property is required.
    static func fallback(
        _ rule: OnError, for property: Property, of c: Int, _ scope: ChangeScope
    ) throws(FormatError) -> BoundValue? {
        switch rule {
        case .reject, .fail: return nil
        case .null:
            guard property.isOptional || property.collection != nil else {
                throw scope.error(
                    .badValue, "onError: null needs an optional property",
                    property: property.name, fix: "add \"optional\": true")
            }
            return try BoundValue(.constant(.null), for: property, of: c, scope)
        case .value(let value): return try BoundValue(value, for: property, of: c, scope)
        }
    }

    /// Appends one value in place of one that does not fit.
    /// - Parameter isNoted: whether to say so; false where it has been said of the same value.
    static func apply(
        _ rule: OnError, _ fallback: BoundValue?, _ column: Column, _ batch: RecordBatch,
        _ row: Int, _ pass: MorphPass, property: String, value: String?, reason: String,
        isNoted: Bool = true
    ) {
        switch rule {
        case _ where !isNoted: break
        case .reject: pass.reject(row, "value-misfit", property: property, reason: reason)
        case .fail:
            pass.note(
                .needsDecision, "value-misfit", row, property: property, value: value,
                reason: reason, fix: "\"onError\": \"reject\", \"null\" or {\"value\": V}")
        case .null, .value:
            pass.note(
                .handled, "value-misfit", row, property: property, value: value, reason: reason)
        }
        if let fallback, let other = try? fallback.value(batch, row), column.append(other) {
            return
        }
        column.appendPlaceholder()
    }
}

extension Column {
    /// Appends a value of no meaning, for a row that is kept out.
    func appendPlaceholder() {
        if layout == .collection || property.isOptional || layout == .object {
            return appendNull()
        }
        switch layout {
        case .word: append(word: 0)
        case .pair: append(word: 0, 0)
        default: closeBytes()
        }
    }
}

extension MorphStage {
    /// Notes that rows of a class may be kept out.
    func allowRejects(of c: Int, _ rule: OnError = .reject) {
        guard case .reject = rule else { return }
        mayReject.formUnion(input.owners(of: c))
    }

    /// Looks at the batches of a class as they come, in the pass that counts.
    func onRows(of c: Int, _ body: @escaping (RecordBatch, StageLog) -> Void) {
        watchers.append((c, body))
    }
}

extension Schema {
    /// The properties by which an embedded class holds itself, nil when it does not.
    func embeddedCircle(from c: Int) -> [String]? {
        var ways: [Int: [String]] = [c: []]
        var pending = [c]
        while let at = pending.popLast() {
            for property in classes[at].properties where isEmbedded(property) {
                guard let target = property.target.flatMap({ index(of: $0) }) else { continue }
                let way = (ways[at] ?? []) + ["\(classes[at].name).\(property.name)"]
                if target == c { return way }
                if ways[target] == nil {
                    ways[target] = way
                    pending.append(target)
                }
            }
        }
        return nil
    }

    /// The class itself, or the classes whose rows hold its embedded objects.
    func owners(of c: Int) -> Set<Int> {
        guard classes[c].kind == .embedded else { return [c] }
        var found: Set<Int> = [c]
        var isGrowing = true
        while isGrowing {
            isGrowing = false
            for (i, owner) in classes.enumerated() where !found.contains(i) {
                let holds = owner.properties.contains { property in
                    isEmbedded(property)
                        && found.contains(property.target.flatMap { index(of: $0) } ?? -1)
                }
                if holds {
                    found.insert(i)
                    isGrowing = true
                }
            }
        }
        return found.filter { classes[$0].kind != .embedded }
    }
}
