// What Realm Studio saves as JSON since version 13 is no plain JSON but the text of the `flatted`
// package: one array in which every string is the position, as digits, of the element that holds
// the value; objects that are met twice (links, cycles) are named by position, too. Element 0
// names the arrays of rows by class. It is turned into arrays by class, links as `$ref`.

/// Realm Studio's JSON.
enum RealmStudioJSON {
    /// The same rows as arrays by class; nil when the text is not of that kind.
    static func plain(_ source: JSONSource) throws(FormatError) -> JSONSource? {
        guard let layout = try Layout(source) else { return nil }
        let out = RawVector<UInt8>(capacity: source.input.bytes.count)
        defer { out.destroy() }
        try layout.write(out)
        return try JSONSource(
            InputBytes(name: source.input.name, copying: UnsafeRawBufferPointer(out.elements)))
    }

    /// True when the first element is an object whose members are all digits in quotes.
    static func looksLikeIt(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var s = JSONScanner(bytes)
        return (try? head(&s)) != nil
    }

    /// The classes and the positions of their arrays; the cursor is then behind element 0.
    private static func head(_ s: inout JSONScanner) throws(FormatError)
        -> [(name: String, at: Int)]?
    {
        guard !s.isAtEnd(), s.base[s.at] == 0x5B else { return nil }
        var isFirst = true
        try s.enterArray()
        guard try s.nextElement(&isFirst), try s.peek() == .object else { return nil }
        var classes: [(name: String, at: Int)] = []
        var isFirstMember = true
        try s.enterObject()
        while try s.nextMember(&isFirstMember) {
            guard try s.peek() == .string else { return nil }
            let name = s.text(s.name)
            guard let at = index(s.bytes(try s.string())), at > 0 else { return nil }
            classes.append((name, at))
        }
        return classes.isEmpty ? nil : classes
    }

    private static func index(_ digits: UnsafeRawBufferPointer) -> Int? {
        guard digits.count > 0, digits.count < 12, digits.allSatisfy({ $0 &- 0x30 < 10 }) else {
            return nil
        }
        return ScalarText.int(digits).map { Int($0) }
    }

    private struct Layout {
        let source: JSONSource
        /// Where each element of the outer array begins.
        var elements: [Int] = []
        var classes: [(name: String, rows: [Int])] = []
        /// Class and row number of the elements that are rows.
        var places: [Int: (class: Int, row: Int)] = [:]

        init?(_ source: JSONSource) throws(FormatError) {
            self.source = source
            var s = source.scanner()
            let mark = s
            guard let heads = try RealmStudioJSON.head(&s) else { return nil }
            s = mark
            var isFirst = true
            try s.enterArray()
            while try s.nextElement(&isFirst) {
                elements.append(s.at)
                try s.skip()
            }
            try s.finish()
            for (name, at) in heads {
                guard at < elements.count else { return nil }
                s.at = elements[at]
                guard try s.peek() == .array else { return nil }
                var rows: [Int] = []
                var isFirst = true
                try s.enterArray()
                while try s.nextElement(&isFirst) {
                    guard try s.peek() == .string,
                        let row = RealmStudioJSON.index(s.bytes(try s.string())),
                        row < elements.count
                    else { return nil }
                    places[row] = (classes.count, rows.count)
                    rows.append(row)
                }
                classes.append((name, rows))
            }
        }

        func write(_ out: RawVector<UInt8>) throws(FormatError) {
            out.append("{")
            for (c, entry) in classes.enumerated() {
                if c > 0 { out.append(",\n") }
                JSONText.write(entry.name, to: out)
                out.append(":[")
                for (i, row) in entry.rows.enumerated() {
                    if i > 0 { out.append(",\n") }
                    try element(row, out, depth: 0, key: i)
                }
                out.append("]")
            }
            out.append("}\n")
        }

        /// Writes an element with all that hangs on it; rows of a class become links.
        private func element(_ at: Int, _ out: RawVector<UInt8>, depth: Int, key: Int?)
            throws(FormatError)
        {
            guard depth < 500 else {
                throw FormatError(
                    .limitExceeded, "objects inside each other without end",
                    offset: elements[at])
            }
            if key == nil, let place = places[at] {
                out.append("{\"$ref\":")
                JSONText.write(classes[place.class].name, to: out)
                out.append(",\"$key\":\(place.row)}")
                return
            }
            var s = source.scanner()
            s.at = elements[at]
            if try s.peek() == .string {
                // Here a string is itself.
                let start = s.at
                _ = try s.string()
                out.append(s.base + start, count: s.at - start)
            } else {
                try value(&s, out, depth: depth, key: key)
            }
            guard out.count <= max(source.input.bytes.count, 1 << 16) &* 64 else {
                throw FormatError(
                    .limitExceeded, "the objects shared in this text unfold beyond measure",
                    offset: elements[at])
            }
        }

        private func value(
            _ s: inout JSONScanner, _ out: RawVector<UInt8>, depth: Int, key: Int?
        ) throws(FormatError) {
            let start = s.at
            var isFirst = true
            switch try s.peek() {
            case .string:
                guard let target = RealmStudioJSON.index(s.bytes(try s.string())),
                    target < elements.count
                else {
                    throw FormatError(
                        .malformed, "a string of Realm Studio's JSON must be a position",
                        offset: start)
                }
                try element(target, out, depth: depth + 1, key: nil)
            case .object:
                try s.enterObject()
                out.append("{")
                if let key { out.append("\"$key\":\(key)") }
                var isEmpty = key == nil
                while try s.nextMember(&isFirst) {
                    if !isEmpty { out.append(0x2C) }
                    isEmpty = false
                    let name = s.text(s.name)
                    JSONText.write(name.hasPrefix("$") ? "$" + name : name, to: out)
                    out.append(0x3A)
                    try value(&s, out, depth: depth + 1, key: nil)
                }
                out.append("}")
            case .array:
                try s.enterArray()
                out.append("[")
                var isEmpty = true
                while try s.nextElement(&isFirst) {
                    if !isEmpty { out.append(0x2C) }
                    isEmpty = false
                    try value(&s, out, depth: depth + 1, key: nil)
                }
                out.append("]")
            default:
                try s.skip()
                out.append(s.base + start, count: s.at - start)
            }
        }
    }
}
