// The class of rows that have no schema: one scan over all of them, noting which kinds of values
// each member has. Digits decide: a number that a double would round makes its column a decimal.

/// Finds out the properties of schemaless rows.
struct JSONInference {
    private struct Kinds: OptionSet {
        let rawValue: UInt32
        static let null = Kinds(rawValue: 1)
        static let bool = Kinds(rawValue: 2)
        static let int = Kinds(rawValue: 4)
        /// Ints beyond 2^53.
        static let wideInt = Kinds(rawValue: 8)
        /// Ints beyond 64 bits.
        static let hugeInt = Kinds(rawValue: 16)
        static let double = Kinds(rawValue: 32)
        /// Numbers that a double would round.
        static let digits = Kinds(rawValue: 64)
        static let string = Kinds(rawValue: 128)
        static let objectId = Kinds(rawValue: 256)
        static let uuid = Kinds(rawValue: 512)
        static let date = Kinds(rawValue: 1024)
        static let decimal = Kinds(rawValue: 2048)
        static let data = Kinds(rawValue: 4096)
        static let float = Kinds(rawValue: 8192)
        static let link = Kinds(rawValue: 16384)
        static let array = Kinds(rawValue: 32768)
        static let object = Kinds(rawValue: 65536)
        /// Numbers that no type keeps.
        static let text = Kinds(rawValue: 131_072)
    }

    private struct Member {
        var name: String
        var kinds: Kinds = []
        var elements: Kinds = []
        var target: String?
        var hasOtherTargets = false
        /// In how many rows the member stands.
        var rows = 0
    }

    private var members: [Member] = []
    private var positions: [String: Int] = [:]
    private var rows = 0
    /// How many rows have a `$key`, and whether the keys rise from row to row.
    private var keyed = 0
    private var lastKey: Int64 = -1
    private var areRising = true
    /// The name bytes of each member, to compare the usual case without a String.
    private var names: [[UInt8]] = []

    /// Scans one row.
    mutating func scan(_ s: inout JSONScanner, kinds: Bool) throws(FormatError) {
        rows += 1
        var isFirst = true
        var guess = 0
        try s.enterObject()
        while try s.nextMember(&isFirst) {
            if s.isEqual(s.name, "$key") {
                try key(&s)
                continue
            }
            let i = position(s, guess: guess)
            guess = i + 1
            members[i].rows += 1
            if kinds {
                try value(&s, i)
            } else {
                try s.skip()
            }
        }
    }

    private mutating func key(_ s: inout JSONScanner) throws(FormatError) {
        var ahead = s
        if let key = try? JSONWrapper.int(&ahead) {
            keyed += 1
            areRising = areRising && key > lastKey
            lastKey = key
        }
        try s.skip()
    }

    /// What the rows' own keys are good for.
    enum Keys {
        /// Every row has one, and they rise: they are the object keys.
        case own
        /// Some have none, or they do not rise.
        case none
    }

    /// What links by key can go by.
    var keys: Keys { rows > 0 && keyed == rows && areRising ? .own : .none }

    /// True when some links lead to one of the classes.
    func hasLinks(to classes: Set<String>) -> Bool {
        members.contains { $0.hasOtherTargets || classes.contains($0.target ?? "") }
    }

    private mutating func position(_ s: JSONScanner, guess: Int) -> Int {
        if !s.name.hasEscapes, guess < names.count {
            let isGuess = names[guess].withUnsafeBytes { equalBytes($0, s.bytes(s.name)) }
            if isGuess { return guess }
        }
        var name = s.text(s.name)
        if name.utf8.starts(with: [0x24, 0x24]) { name = String(name.dropFirst()) }
        if let known = positions[name] { return known }
        positions[name] = members.count
        names.append(Array((name.utf8.first == 0x24 ? "$" + name : name).utf8))
        members.append(Member(name: name))
        return members.count - 1
    }

    private mutating func value(_ s: inout JSONScanner, _ i: Int) throws(FormatError) {
        guard try s.peek() == .array else {
            let kind = try kind(&s, i)
            members[i].kinds.insert(kind)
            return
        }
        members[i].kinds.insert(.array)
        var isFirst = true
        try s.enterArray()
        while try s.nextElement(&isFirst) {
            if try s.peek() == .array {
                try s.skip()
                members[i].elements.insert(.array)
            } else {
                let kind = try kind(&s, i)
                members[i].elements.insert(kind)
            }
        }
    }

    /// The kind of a value that is no array.
    private mutating func kind(_ s: inout JSONScanner, _ i: Int) throws(FormatError) -> Kinds {
        switch try s.peek() {
        case .null:
            try s.literal(.null)
            return .null
        case .true:
            try s.literal(.true)
            return .bool
        case .false:
            try s.literal(.false)
            return .bool
        case .string:
            _ = try s.string()
            return .string
        case .number: return JSONInference.kind(try s.number(), s)
        case .array, .object:
            guard let w = try JSONWrapper.read(&s) else {
                try s.skip()
                return .object
            }
            switch w.kind {
            case .objectId: return .objectId
            case .uuid: return .uuid
            case .int:
                let value = ScalarText.int(s.bytes(w.text)) ?? 0
                return value.magnitude > 1 << 53 ? [.int, .wideInt] : .int
            case .double: return .double
            case .float: return .float
            case .decimal: return .decimal
            case .binary: return w.subType == 4 ? .uuid : .data
            case .dateText, .dateMilliseconds, .dateParts: return .date
            case .string: return .string
            case .table: return .object
            case .link:
                let target = s.text(w.text)
                if members[i].target == nil { members[i].target = target }
                if members[i].target != target { members[i].hasOtherTargets = true }
                return .link
            }
        }
    }

    private static func kind(_ n: JSONNumber, _ s: JSONScanner) -> Kinds {
        if let value = n.int { return value.magnitude > 1 << 53 ? [.int, .wideInt] : .int }
        let digits = s.bytes(n.slice)
        if !n.isInteger, let value = ScalarText.double(digits),
            JSONNumbers.survives(digits, value)
        {
            return .double
        }
        if ScalarText.decimal(digits) != nil { return n.isInteger ? .hugeInt : .digits }
        return .text
    }

    // MARK: The result

    /// The class; `classes` are the names that links may lead to.
    func classSchema(_ name: String, asText: Bool, classes: Set<String>, _ report: Report)
        -> ClassSchema
    {
        ClassSchema(
            name,
            properties: members.map { m in
                if asText { return Property(m.name, .string, isOptional: true) }
                return property(m, classes, report)
            })
    }

    private func property(_ m: Member, _ classes: Set<String>, _ report: Report) -> Property {
        let isMissing = m.rows < rows
        func typed(_ kinds: Kinds, collection: CollectionKind?) -> Property {
            let plain = kinds.subtracting(.null)
            var p = Property(
                m.name, JSONInference.type(plain), collection: collection,
                isOptional: kinds.contains(.null) || (collection == nil && isMissing))
            if plain == .link, let target = m.target, !m.hasOtherTargets, classes.contains(target) {
                p.type = .link
                p.target = target
            }
            switch p.type {
            case .mixed: p.isOptional = true
            case .link: p.isOptional = collection == nil
            case .decimal128 where !plain.contains(.decimal):
                report.note(
                    .changed, "number-as-decimal", property: m.name,
                    action: "numbers with more digits than a double or int keeps became decimals")
            default: break
            }
            return p
        }
        let plain = m.kinds.subtracting(.null)
        if plain == .array {
            var p = typed(m.elements.isEmpty ? .string : m.elements, collection: .list)
            if p.type == .link, m.elements.contains(.null) {
                p = Property(m.name, .mixed, collection: .list, isOptional: true)
            }
            return p
        }
        if plain.isEmpty { return Property(m.name, .string, isOptional: true) }
        return typed(m.kinds, collection: nil)
    }

    /// The narrowest type that keeps all values.
    private static func type(_ kinds: Kinds) -> PropertyType {
        switch kinds {
        case .bool: return .bool
        case .string: return .string
        case .objectId: return .objectId
        case .uuid: return .uuid
        case .date: return .date
        case .data: return .data
        case .float: return .float
        case .text: return .string
        case .int, [.int, .wideInt]: return .int
        case .double, [.double, .int], [.double, .float], [.double, .float, .int]: return .double
        default:
            let numbers: Kinds = [.int, .wideInt, .hugeInt, .double, .digits, .decimal]
            return numbers.isSuperset(of: kinds) ? .decimal128 : .mixed
        }
    }
}
