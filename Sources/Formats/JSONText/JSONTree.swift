// A small JSON text as a tree: for schemas, maps and plans, never for rows.

/// A JSON value in memory, with its place in the text.
package struct JSONTree {
    /// The value.
    package indirect enum Value {
        case null
        case bool(Bool)
        /// The characters of the number.
        case number(String)
        case string(String)
        case array([JSONTree])
        /// Members in order; of equal names all.
        case object([(name: String, value: JSONTree)])
    }

    /// The value.
    package var value: Value
    /// Its offset in the text.
    package var offset: Int

    /// A value that never was text.
    package init(_ value: Value, offset: Int = 0) {
        self.value = value
        self.offset = offset
    }

    /// Reads the value at the cursor; nesting is bounded by the cursor's limit.
    package init(_ s: inout JSONScanner) throws(FormatError) {
        let kind = try s.peek()
        offset = s.at
        switch kind {
        case .object:
            var members: [(name: String, value: JSONTree)] = []
            var isFirst = true
            try s.enterObject()
            while try s.nextMember(&isFirst) {
                let name = s.text(s.name)
                members.append((name, try JSONTree(&s)))
            }
            value = .object(members)
        case .array:
            var elements: [JSONTree] = []
            var isFirst = true
            try s.enterArray()
            while try s.nextElement(&isFirst) { elements.append(try JSONTree(&s)) }
            value = .array(elements)
        case .string: value = .string(s.text(try s.string()))
        case .number:
            value = .number(String(decoding: s.bytes(try s.number().slice), as: UTF8.self))
        case .true:
            try s.literal(kind)
            value = .bool(true)
        case .false:
            try s.literal(kind)
            value = .bool(false)
        case .null:
            try s.literal(kind)
            value = .null
        }
    }

    /// Reads a whole text.
    /// - Throws: `malformed`, `badEncoding`, `limitExceeded`, with file, line and column.
    package static func parse(_ input: InputBytes) throws(FormatError) -> JSONTree {
        try parse(JSONSource(input))
    }

    /// The value that a text is.
    package static func parse(_ source: JSONSource) throws(FormatError) -> JSONTree {
        var s = source.scanner()
        do throws(FormatError) {
            let tree = try JSONTree(&s)
            try s.finish()
            return tree
        } catch { throw source.located(error) }
    }

    /// The member of that name (the last one, if repeated).
    package subscript(name: String) -> JSONTree? {
        guard case .object(let members) = value else { return nil }
        return members.last { $0.name == name }?.value
    }

    /// The text of a string.
    package var string: String? { if case .string(let s) = value { s } else { nil } }
    /// The elements of an array.
    package var array: [JSONTree]? { if case .array(let a) = value { a } else { nil } }
    /// The members of an object.
    package var members: [(name: String, value: JSONTree)]? {
        if case .object(let m) = value { m } else { nil }
    }
    /// The elements of an array, or the one value; nulls left out.
    package var elementsOrSelf: [JSONTree] {
        if case .null = value { return [] }
        return array ?? [self]
    }
    /// A string, number or boolean as text.
    package var plainText: String? {
        switch value {
        case .string(let text): text
        case .number(let digits): digits
        case .bool(let flag): flag ? "true" : "false"
        default: nil
        }
    }
    /// A boolean.
    package var bool: Bool? { if case .bool(let b) = value { b } else { nil } }
    /// An int; a `$numberInt` or `$numberLong` counts as one.
    package var int: Int64? {
        switch value {
        case .number(let text): Int64(text)
        case .object(let m) where m.count == 1 && m[0].name.hasPrefix("$number"):
            m[0].value.string.flatMap { Int64($0) }
        default: nil
        }
    }
}
