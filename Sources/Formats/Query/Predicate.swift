// What `--where` and migration plans ask of a row. The parser stands in `PredicateParser`; here
// are the tests and what they mean: nil equals only nil, has no order, and differs from all else.

/// A condition on the rows of one class.
///
/// ```swift
/// let predicate = try Predicate.parse("age >= 18 AND name BEGINSWITH[c] 'a'", schema: schema,
///                                     classIndex: 0)
/// let wanted = predicate.matches(batch, row)
/// ```
///
/// The language is the common part of NSPredicate and Realm's query language: `= == != <> < <=
/// > >=`, `AND OR NOT && || !`, `BEGINSWITH CONTAINS ENDSWITH LIKE`, `IN {…}`, `BETWEEN {a, b}`,
/// `ANY ALL NONE`, `nil`, `[c]` and `[d]`, key paths into embedded objects, `@count`, `@keys`.
/// Text is compared byte by byte unless `[c]` or `[d]` says otherwise. A collection without
/// `ANY`, `ALL` or `NONE` means any of its elements; `tags CONTAINS 'x'` without them asks for an
/// element equal to `'x'`.
public struct Predicate: Sendable {
    /// The positions of the properties it looks at; a reader may skip all others.
    public let properties: Set<Int>
    let root: Condition

    /// Reads the text of a predicate for a class.
    /// - Throws: `usage` for the grammar, `unknownName` for a property that the class does not
    ///   have, `badValue` for a literal that does not fit its property, `unsupported`,
    ///   `limitExceeded`; each with the column in the text.
    public static func parse(_ text: String, schema: Schema, classIndex: Int)
        throws(FormatError) -> Predicate
    {
        var parser = try PredicateParser(text, schema: schema, classIndex: classIndex)
        let root = try parser.parse()
        return Predicate(properties: parser.properties, root: root)
    }

    /// True when a row of the class fulfils the condition. The columns of `properties` must be
    /// filled.
    public func matches(_ batch: RecordBatch, _ row: Int) -> Bool { root.matches(batch, row) }

    /// One node of the condition.
    indirect enum Condition: Sendable {
        case constant(Bool)
        case all([Condition])
        case any([Condition])
        case not(Condition)
        case test(PredicateTest)

        func matches(_ batch: RecordBatch, _ row: Int) -> Bool {
            switch self {
            case .constant(let value): return value
            case .test(let test): return test.matches(batch, row)
            case .not(let node): return !node.matches(batch, row)
            case .all(let nodes):
                for node in nodes where !node.matches(batch, row) { return false }
                return true
            case .any(let nodes):
                for node in nodes where node.matches(batch, row) { return true }
                return false
            }
        }
    }
}

/// One comparison of a predicate.
final class PredicateTest: Sendable {
    enum Quantifier: Sendable {
        case any, all, none
    }

    enum Operator: Sendable {
        case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual
        case begins, contains, ends, like

        /// True for the tests that only text and data know.
        var isForText: Bool {
            switch self {
            case .begins, .contains, .ends, .like: true
            default: false
            }
        }

        /// The same comparison with its sides exchanged; nil where that is another question.
        var flipped: Operator? {
            switch self {
            case .equal, .notEqual: self
            case .less: .greater
            case .lessOrEqual: .greaterOrEqual
            case .greater: .less
            case .greaterOrEqual: .lessOrEqual
            default: nil
            }
        }
    }

    enum Side: Sendable {
        case constant(QueryConstant)
        case path(PropertyPath)
        case oneOf([QueryConstant])
        case between(QueryConstant, QueryConstant)
    }

    let path: PropertyPath
    let quantifier: Quantifier
    let `operator`: Operator
    let options: TextOptions
    let side: Side

    init(
        _ path: PropertyPath, _ quantifier: Quantifier, _ op: Operator, _ options: TextOptions,
        _ side: Side
    ) {
        self.path = path
        self.quantifier = quantifier
        self.operator = op
        self.options = options
        self.side = side
    }

    func matches(_ batch: RecordBatch, _ row: Int) -> Bool {
        if path.steps.count == 1, !path.isMany {
            let holds = holds(Scalar(batch.columns[path.first], row), batch, row)
            return quantifier == .none ? !holds : holds
        }
        switch quantifier {
        case .any: return !path.forEach(batch, row) { !holds($0, batch, row) }
        case .all: return path.forEach(batch, row) { holds($0, batch, row) }
        case .none: return path.forEach(batch, row) { !holds($0, batch, row) }
        }
    }

    private func holds(_ value: Scalar, _ batch: RecordBatch, _ row: Int) -> Bool {
        switch side {
        case .constant(let constant): return holds(value, constant.scalar)
        case .oneOf(let constants):
            return withFolded(value) { value in
                constants.contains { Scalar.compare(value, $0.scalar) == 0 }
            }
        case .between(let low, let high):
            return withFolded(value) { value in
                guard let a = Scalar.compare(value, low.scalar),
                    let b = Scalar.compare(value, high.scalar)
                else { return false }
                return a >= 0 && b <= 0
            }
        case .path(let other):
            return !other.forEach(batch, row) { second in
                !withFolded(second) { holds(value, $0) }
            }
        }
    }

    /// Calls `body` with the value, its text folded as the test wants it.
    private func withFolded(_ value: Scalar, _ body: (Scalar) -> Bool) -> Bool {
        guard !options.isEmpty, case .text(let bytes) = value else { return body(value) }
        return TextFolding.withFolded(bytes, options) { body(.text($0)) }
    }

    /// The comparison of a value with another one whose text is folded already.
    private func holds(_ value: Scalar, _ other: Scalar) -> Bool {
        withFolded(value) { value in
            switch self.operator {
            case .equal: return Scalar.compare(value, other) == 0
            case .notEqual: return Scalar.compare(value, other) != 0
            case .begins, .contains, .ends, .like: return textHolds(value, other)
            case .less, .lessOrEqual, .greater, .greaterOrEqual:
                if case .null = value { return false }
                guard let order = Scalar.compare(value, other) else { return false }
                switch self.operator {
                case .less: return order < 0
                case .lessOrEqual: return order <= 0
                case .greater: return order > 0
                default: return order >= 0
                }
            }
        }
    }

    private func textHolds(_ value: Scalar, _ other: Scalar) -> Bool {
        let text: UnsafeRawBufferPointer
        let part: UnsafeRawBufferPointer
        switch (value, other) {
        case (.text(let a), .text(let b)), (.data(let a), .data(let b)): (text, part) = (a, b)
        default: return false
        }
        switch self.operator {
        case .begins: return TextFolding.begins(text, with: part)
        case .ends: return TextFolding.ends(text, with: part)
        case .like: return TextFolding.like(text, part)
        default: return TextFolding.contains(text, part)
        }
    }
}
