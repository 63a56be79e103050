// The grammar of predicates: from tokens to tests. Binds property names and literals to the class
// at once, so that every mistake is reported with its place before a row is read.
//
//   or         = and { ("OR" | "||") and }
//   and        = not { ("AND" | "&&") not }
//   not        = { "NOT" | "!" } ( "(" or ")" | TRUEPREDICATE | FALSEPREDICATE | comparison )
//   comparison = [ANY | SOME | ALL | NONE] operand [ operator [ "[c]" ] operand ]

struct PredicateParser {
    private let source: String
    private let schema: Schema
    private let classIndex: Int
    private let tokens: [QueryToken]
    private var at = 0
    private var depth = 0
    /// The positions of the properties used so far.
    private(set) var properties: Set<Int> = []

    private static let depthLimit = 100

    init(_ source: String, schema: Schema, classIndex: Int) throws(FormatError) {
        self.source = source
        self.schema = schema
        self.classIndex = classIndex
        tokens = try QueryLexer.tokens(source)
    }

    mutating func parse() throws(FormatError) -> Predicate.Condition {
        if tokens[0].kind == .end { throw fail("the condition is empty") }
        let node = try disjunction()
        guard tokens[at].kind == .end else {
            throw fail("expected AND, OR or the end of the condition here")
        }
        return node
    }

    // MARK: Tokens

    private func fail(
        _ message: String, _ code: FormatErrorCode = .usage, at range: Range<Int>? = nil,
        property: String? = nil, fix: String? = nil
    ) -> FormatError {
        FormatError(
            code, message, column: (range ?? tokens[at].range).lowerBound + 1, property: property,
            excerpt: source, fix: fix)
    }

    /// The current token as an upper-case word; empty for anything else.
    private var keyword: String {
        if case .word(let word) = tokens[at].kind { return word.uppercased() }
        return ""
    }

    private mutating func take(keyword word: String) -> Bool {
        guard keyword == word else { return false }
        at += 1
        return true
    }

    private func isSymbol(_ symbol: String) -> Bool { tokens[at].kind == .symbol(symbol) }

    private mutating func take(_ symbol: String) -> Bool {
        guard isSymbol(symbol) else { return false }
        at += 1
        return true
    }

    // MARK: Connectives

    private mutating func disjunction() throws(FormatError) -> Predicate.Condition {
        var nodes = [try conjunction()]
        while take(keyword: "OR") || take("||") { nodes.append(try conjunction()) }
        return nodes.count == 1 ? nodes[0] : .any(nodes)
    }

    private mutating func conjunction() throws(FormatError) -> Predicate.Condition {
        var nodes = [try negation()]
        while take(keyword: "AND") || take("&&") { nodes.append(try negation()) }
        return nodes.count == 1 ? nodes[0] : .all(nodes)
    }

    private mutating func negation() throws(FormatError) -> Predicate.Condition {
        var isNegated = false
        while take(keyword: "NOT") || take("!") { isNegated.toggle() }
        let node = try primary()
        return isNegated ? .not(node) : node
    }

    private mutating func primary() throws(FormatError) -> Predicate.Condition {
        if take("(") {
            depth += 1
            defer { depth -= 1 }
            guard depth <= Self.depthLimit else {
                throw fail(
                    "more than \(Self.depthLimit) parentheses inside one another",
                    .limitExceeded)
            }
            let node = try disjunction()
            guard take(")") else { throw fail("a closing parenthesis is missing here") }
            return node
        }
        if take(keyword: "TRUEPREDICATE") { return .constant(true) }
        if take(keyword: "FALSEPREDICATE") { return .constant(false) }
        return try comparison()
    }

    // MARK: Comparisons

    private enum Operand {
        case path(PropertyPath, Range<Int>)
        case literal(QueryLiteral)
        case list([QueryLiteral], Range<Int>)
    }

    private mutating func comparison() throws(FormatError) -> Predicate.Condition {
        var quantifier: PredicateTest.Quantifier?
        switch keyword {
        case "ANY", "SOME": quantifier = .any
        case "ALL": quantifier = .all
        case "NONE": quantifier = PredicateTest.Quantifier.none
        default: break
        }
        if quantifier != nil {
            // A property may have such a name, too; then a comparison follows at once.
            let word = at
            at += 1
            if try comparator() != nil { quantifier = nil }
            at = quantifier == nil ? word : word + 1
        }
        let left = try operand()
        let place = tokens[at].range
        guard let (op, isIn, isBetween) = try comparator() else {
            if case .path(let path, _) = left, path.type == .bool, !path.isMany {
                return .test(
                    PredicateTest(path, .any, .equal, [], .constant(QueryConstant(.bool(true)))))
            }
            throw fail("expected a comparison such as =, <, CONTAINS or IN here")
        }
        let options = try modifiers()
        let right = try operand()
        if isIn { return try membership(left, right, quantifier, options, place) }
        if isBetween {
            guard case .path(let path, let range) = left else {
                throw fail("BETWEEN needs a property before it", at: place)
            }
            guard case .list(let literals, _) = right, literals.count == 2 else {
                throw fail(
                    "BETWEEN needs two values", at: place, fix: "write: BETWEEN {1, 10}")
            }
            try check(path, .less, range)
            let low = try constant(literals[0], path, options)
            let high = try constant(literals[1], path, options)
            return .test(
                PredicateTest(path, quantifier ?? .any, .equal, options, .between(low, high)))
        }
        return try relation(left, op, right, quantifier, options, place)
    }

    /// `left op right`, with the property brought to the left.
    private mutating func relation(
        _ left: Operand, _ op: PredicateTest.Operator, _ right: Operand,
        _ quantifier: PredicateTest.Quantifier?, _ options: TextOptions, _ place: Range<Int>
    ) throws(FormatError) -> Predicate.Condition {
        switch (left, right) {
        case (.path(let path, let range), .literal(let literal)):
            var op = op
            if op == .contains, path.endsInCollection, quantifier == nil { op = .equal }
            try check(path, op, range)
            if !options.isEmpty, ![.string, .mixed, .data].contains(path.type) {
                throw fail(
                    "[c] and [d] are for text; \(path.text) is of type \(path.type.rawValue)",
                    .badValue, at: place, property: path.text)
            }
            let value = try constant(literal, path, options)
            return .test(PredicateTest(path, quantifier ?? .any, op, options, .constant(value)))
        case (.literal, .path):
            guard let flipped = op.flipped else {
                throw fail("the property must stand before this comparison", at: place)
            }
            return try relation(right, flipped, left, quantifier, options, place)
        case (.path(let path, let range), .path(let other, let otherRange)):
            try check(path, op, range)
            try check(other, op, otherRange)
            guard Self.areComparable(path.type, other.type) else {
                throw fail(
                    "\(path.text) (\(path.type.rawValue)) cannot be compared with \(other.text) "
                        + "(\(other.type.rawValue))", .badValue, at: otherRange,
                    property: path.text)
            }
            return .test(PredicateTest(path, quantifier ?? .any, op, options, .path(other)))
        case (.list(_, let range), _), (_, .list(_, let range)):
            throw fail("a list of values is for IN and BETWEEN", at: range)
        case (.literal, .literal):
            throw fail("one side of a comparison must be a property", at: place)
        }
    }

    private mutating func membership(
        _ left: Operand, _ right: Operand, _ quantifier: PredicateTest.Quantifier?,
        _ options: TextOptions, _ place: Range<Int>
    ) throws(FormatError) -> Predicate.Condition {
        switch (left, right) {
        case (.path(let path, let range), .list(let literals, _)):
            try check(path, .equal, range)
            var constants: [QueryConstant] = []
            for literal in literals { constants.append(try constant(literal, path, options)) }
            return .test(
                PredicateTest(path, quantifier ?? .any, .equal, options, .oneOf(constants)))
        case (.literal, .path), (.path, .path):
            return try relation(right, .equal, left, quantifier, options, place)
        default:
            throw fail("IN needs a list of values after it", at: place, fix: "write: IN {1, 2, 3}")
        }
    }

    private static func areComparable(_ a: PropertyType, _ b: PropertyType) -> Bool {
        let numbers: Set<PropertyType> = [.int, .float, .double, .decimal128]
        return a == b || a == .mixed || b == .mixed || numbers.isSuperset(of: [a, b])
    }

    private func check(_ path: PropertyPath, _ op: PredicateTest.Operator, _ range: Range<Int>)
        throws(FormatError)
    {
        let isText = [.string, .data, .mixed].contains(path.type)
        if op.isForText, !isText {
            throw fail(
                "\(path.text) is of type \(path.type.rawValue), and this test is for text",
                .badValue, at: range, property: path.text)
        }
        let isEquality = op == .equal || op == .notEqual
        if path.type == .link || path.type == .table, !isEquality {
            throw fail(
                "\(path.text) leads to objects, which have no order", .badValue, at: range,
                property: path.text)
        }
    }

    private func constant(
        _ literal: QueryLiteral, _ path: PropertyPath, _ options: TextOptions
    ) throws(FormatError) -> QueryConstant {
        if let made = QueryConstant.make(literal, for: path.type, options) { return made }
        throw fail(
            "\(literal.name) does not fit \(path.text), which is of type \(path.type.rawValue)",
            .badValue, at: literal.range, property: path.text,
            fix: QueryConstant.example(path.type))
    }

    /// The comparison that stands here; nil when there is none.
    private mutating func comparator() throws(FormatError) -> (
        PredicateTest.Operator, isIn: Bool, isBetween: Bool
    )? {
        if case .symbol(let symbol) = tokens[at].kind {
            let op: PredicateTest.Operator
            switch symbol {
            case "=", "==": op = .equal
            case "!=", "<>": op = .notEqual
            case "<": op = .less
            case "<=", "=<": op = .lessOrEqual
            case ">": op = .greater
            case ">=", "=>": op = .greaterOrEqual
            default: return nil
            }
            at += 1
            return (op, false, false)
        }
        let op: PredicateTest.Operator
        switch keyword {
        case "BEGINSWITH": op = .begins
        case "CONTAINS": op = .contains
        case "ENDSWITH": op = .ends
        case "LIKE": op = .like
        case "IN", "BETWEEN": op = .equal
        case "MATCHES":
            throw fail(
                "regular expressions are not built in", .unsupported,
                fix: "use LIKE with * and ?, or CONTAINS")
        default: return nil
        }
        let word = keyword
        at += 1
        return (op, word == "IN", word == "BETWEEN")
    }

    /// `[c]`, `[d]`, `[cd]` behind a comparison.
    private mutating func modifiers() throws(FormatError) -> TextOptions {
        guard isSymbol("["), at + 2 < tokens.count, tokens[at + 2].kind == .symbol("]"),
            case .word(let letters) = tokens[at + 1].kind
        else { return [] }
        var options: TextOptions = []
        for letter in letters.lowercased() {
            switch letter {
            case "c": options.insert(.ignoresCase)
            case "d": options.insert(.ignoresAccents)
            // Comparing byte by byte is what happens anyway.
            case "n", "l": break
            default:
                throw fail(
                    "[\(letters)] is no modifier", at: tokens[at + 1].range,
                    fix: "use [c] to ignore case, [d] to ignore accents")
            }
        }
        at += 3
        return options
    }

    // MARK: Operands

    private mutating func operand() throws(FormatError) -> Operand {
        for (open, close) in [("{", "}"), ("[", "]"), ("(", ")")] where isSymbol(open) {
            return try list(open, close)
        }
        if let literal = try literal() { return .literal(literal) }
        let start = tokens[at].range.lowerBound
        let path = try path()
        return .path(path, start..<tokens[at - 1].range.upperBound)
    }

    private mutating func list(_ open: String, _ close: String) throws(FormatError) -> Operand {
        let start = tokens[at].range.lowerBound
        at += 1
        var literals: [QueryLiteral] = []
        if !take(close) {
            repeat {
                guard let literal = try literal() else { throw fail("expected a value here") }
                literals.append(literal)
            } while take(",") || !literals.isEmpty && take(keyword: "AND")
            guard take(close) else { throw fail("expected a comma or \(close) here") }
        }
        return .list(literals, start..<tokens[at - 1].range.upperBound)
    }

    private mutating func literal() throws(FormatError) -> QueryLiteral? {
        let token = tokens[at]
        let kind: QueryLiteral.Kind
        switch token.kind {
        case .text(let text): kind = .text(text)
        case .number(let text): kind = .number(text)
        case .date(let date): kind = .date(date)
        case .word(let word):
            if at + 1 < tokens.count, tokens[at + 1].kind == .symbol("(") {
                return try function(word)
            }
            if word.uppercased() == "B64", case .text(let text) = tokens[at + 1].kind {
                at += 1
                guard let data = Self.base64(text) else {
                    throw fail("this is not base64", .badValue)
                }
                kind = .data(data)
                break
            }
            switch word.uppercased() {
            case "NIL", "NULL": kind = .null
            case "TRUE": kind = .bool(true)
            case "FALSE": kind = .bool(false)
            case "YES" where isProperty(word) == false: kind = .bool(true)
            case "NO" where isProperty(word) == false: kind = .bool(false)
            default: return nil
            }
        default: return nil
        }
        at += 1
        return QueryLiteral(kind: kind, range: token.range)
    }

    private func isProperty(_ name: String) -> Bool {
        schema.classes[classIndex].index(of: name) != nil
    }

    private static func base64(_ text: String) -> [UInt8]? {
        var text = text
        let out = RawVector<UInt8>()
        defer { out.destroy() }
        let isGood = text.withUTF8 { ScalarText.base64(UnsafeRawBufferPointer($0), into: out) }
        return isGood ? Array(out.elements) : nil
    }

    /// `oid(…)`, `uuid(…)`, `date('…')`; the argument with quotes or without.
    private mutating func function(_ name: String) throws(FormatError) -> QueryLiteral? {
        let start = at
        let known = ["oid", "objectid", "uuid", "date", "base64"]
        guard known.contains(name.lowercased()) else {
            throw fail(
                "\(name)(…) is not known here", .unsupported,
                fix: "use oid(…), uuid(…), date('…') or base64('…')")
        }
        at += 2
        let from = tokens[at].range.lowerBound
        var text: String?
        if case .text(let quoted) = tokens[at].kind {
            text = quoted
            at += 1
        }
        var end = from
        while !isSymbol(")"), tokens[at].kind != .end {
            end = tokens[at].range.upperBound
            at += 1
        }
        guard isSymbol(")") else { throw fail("a closing parenthesis is missing here") }
        at += 1
        if text == nil {
            text = String(decoding: Array(source.utf8)[from..<max(end, from)], as: UTF8.self)
        }
        var argument = text ?? ""
        let kind: QueryLiteral.Kind? = argument.withUTF8 { bytes in
            let bytes = UnsafeRawBufferPointer(bytes)
            switch name.lowercased() {
            case "uuid": return ScalarText.uuid(bytes).map(QueryLiteral.Kind.uuid)
            case "date":
                return DateLiteral.date(String(decoding: bytes, as: UTF8.self))
                    .map(QueryLiteral.Kind.date)
            case "base64":
                return Self.base64(String(decoding: bytes, as: UTF8.self))
                    .map(QueryLiteral.Kind.data)
            default: return ScalarText.objectID(bytes).map(QueryLiteral.Kind.objectID)
            }
        }
        guard let kind else {
            throw fail(
                "'\(argument)' is no value of \(name)(…)", .badValue, at: tokens[start + 2].range)
        }
        return QueryLiteral(
            kind: kind,
            range: tokens[start].range.lowerBound..<tokens[at - 1].range.upperBound)
    }

    private mutating func path() throws(FormatError) -> PropertyPath {
        let path = try PathReader.read(
            tokens, &at, source: source, schema: schema, classIndex: classIndex)
        properties.insert(path.first)
        return path
    }
}

/// Reads a key path from tokens: `name`, `address.city`, `tags.@count`, `list[0]`, `map['key']`.
enum PathReader {
    static func read(
        _ tokens: [QueryToken], _ at: inout Int, source: String, schema: Schema, classIndex: Int
    ) throws(FormatError) -> PropertyPath {
        func fail(_ message: String) -> FormatError {
            FormatError(
                .usage, message, column: tokens[at].range.lowerBound + 1, excerpt: source)
        }
        let start = tokens[at].range.lowerBound
        var parts: [PropertyPath.Part] = []
        func name() -> String? {
            switch tokens[at].kind {
            case .word(let name), .name(let name): return name
            default: return nil
            }
        }
        guard let first = name() else {
            throw fail(
                tokens[at].kind == .end
                    ? "the text ends where a property should stand" : "expected a property here")
        }
        parts.append(.init(kind: .name(first), offset: start))
        at += 1
        while true {
            let offset = tokens[at].range.lowerBound
            if tokens[at].kind == .symbol(".") {
                at += 1
                let isFunction = tokens[at].kind == .symbol("@")
                if isFunction { at += 1 }
                guard let next = name() else { throw fail("expected a property here") }
                parts.append(
                    .init(kind: isFunction ? .function(next) : .name(next), offset: offset + 1))
                at += 1
            } else if tokens[at].kind == .symbol("["), at + 2 < tokens.count,
                tokens[at + 2].kind == .symbol("]")
            {
                let kind: PropertyPath.Part.Kind
                switch tokens[at + 1].kind {
                case .number(let text):
                    guard let index = Int(text), index >= 0 else {
                        throw fail("\(text) is no position in a list")
                    }
                    kind = .element(index)
                case .text(let text): kind = .key(text)
                case .word(let word) where word.uppercased() == "FIRST": kind = .element(0)
                case .word(let word) where word.uppercased() == "LAST": kind = .lastElement
                case .word(let word) where word.uppercased() == "SIZE": kind = .function("size")
                default: throw fail("expected a position or a key in […]")
                }
                parts.append(.init(kind: kind, offset: offset))
                at += 3
            } else {
                return try PropertyPath(
                    parts, source: source, at: start..<tokens[at - 1].range.upperBound,
                    schema: schema, classIndex: classIndex)
            }
        }
    }
}
