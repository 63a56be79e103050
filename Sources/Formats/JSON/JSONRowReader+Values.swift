// Values of every type, from JSON into columns. The common spelling of each type comes first;
// other accepted ones are tried out of line.

extension JSONRowReader {
    /// Reads the value of a property.
    @inline(__always)
    func value(_ s: inout JSONScanner, into column: Column, _ shape: JSONRowShape, _ i: Int)
        throws(FormatError)
    {
        if column.layout == .collection {
            try collection(&s, into: column, shape, i)
        } else {
            try single(&s, into: column, shape, i)
        }
    }

    private func collection(
        _ s: inout JSONScanner, into column: Column, _ shape: JSONRowShape, _ i: Int
    ) throws(FormatError) {
        let kind = try s.peek()
        if kind == .null {
            try s.literal(kind)
            column.closeCollection()
            return
        }
        guard let elements = column.elements else { return column.appendNull() }
        do throws(FormatError) {
            var isFirst = true
            if let keys = column.keys {
                guard kind == .object else { throw mismatch("a dictionary", kind, s.at) }
                var repeats = try repeats(s)
                try s.enterObject()
                while try s.nextMember(&isFirst) {
                    if repeats?.isNextToCount(s.text(s.name)) == false {
                        try s.skip()
                        continue
                    }
                    try dictionaryKey(s, into: keys)
                    try single(&s, into: elements, shape, i)
                }
            } else {
                guard kind == .array else {
                    throw mismatch(
                        column.property.collection == .set ? "an array (a set)" : "an array",
                        kind, s.at)
                }
                try s.enterArray()
                while try s.nextElement(&isFirst) {
                    try single(&s, into: elements, shape, i)
                }
            }
        } catch {
            // Ends the row's collection, so that dropping the row drops all of it.
            column.closeCollection()
            throw error
        }
        column.closeCollection()
    }

    /// Appends a dictionary key; its first `$` of two is dropped.
    private func dictionaryKey(_ s: JSONScanner, into keys: Column) throws(FormatError) {
        var name = s.bytes(s.name)
        if s.name.hasEscapes {
            scratch.removeAll()
            decode(s.name, s, into: scratch)
            name = UnsafeRawBufferPointer(scratch.elements)
        }
        if keys.type == .int {
            guard let key = ScalarText.int(name) else {
                throw FormatError(
                    .badValue, "the keys of this dictionary are ints", offset: s.name.start)
            }
            keys.append(word: key)
        } else {
            keys.append(bytes: unescaped(name))
        }
    }

    /// A dictionary key without the `$` that was put before its own.
    func unescaped(_ name: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        if name.count >= 2, name[0] == 0x24, name[1] == 0x24 {
            return UnsafeRawBufferPointer(rebasing: name[1...])
        }
        return name
    }

    /// Reads a single value or an element.
    @inline(__always)
    private func single(
        _ s: inout JSONScanner, into column: Column, _ shape: JSONRowShape, _ i: Int
    ) throws(FormatError) {
        let kind = try s.peek()
        if kind == .string, column.type == .string {
            let slice = try s.string()
            if slice.hasEscapes {
                decode(slice, s, into: column.bytes)
                column.closeBytes()
            } else {
                column.append(bytes: s.bytes(slice))
            }
        } else if kind == .number, column.type == .int {
            let n = try s.number()
            if let value = n.int { return column.append(word: value) }
            try number(n, s, into: column)
        } else {
            try other(&s, kind, into: column, shape, i)
        }
    }

    @inline(never)
    private func other(
        _ s: inout JSONScanner, _ kind: JSONKind, into column: Column, _ shape: JSONRowShape,
        _ i: Int
    ) throws(FormatError) {
        let start = s.at
        if asText, column.type == .string, kind != .null {
            try s.skip()
            return column.append(
                bytes: UnsafeRawBufferPointer(start: s.base + start, count: s.at - start))
        }
        if column.type == .mixed {
            if kind == .null {
                try s.literal(kind)
                return column.appendNull()
            }
            do throws(FormatError) {
                try mixed(&s, MixedEncoder(column.bytes))
            } catch {
                column.closeBytes()
                throw error
            }
            return column.closeBytes()
        }
        switch kind {
        case .null:
            try s.literal(kind)
            let p = column.property
            let isOptional = p.type == .link && p.collection == nil ? true : p.isOptional
            guard isOptional else {
                throw FormatError(
                    .missingValue, "null stands where a value is required", offset: start)
            }
            column.appendNull()
        case .true, .false:
            try s.literal(kind)
            if column.type == .bool { return column.append(word: kind == .true ? 1 : 0) }
            if isLenient, column.type == .string {
                report.note(.changed, "value-as-text", property: column.property.name)
                return column.append(kind == .true ? "true" : "false")
            }
            throw mismatch(JSONRowReader.describe(column.type), kind, start)
        case .number: try number(try s.number(), s, into: column)
        case .string:
            let slice = try s.string()
            if !slice.hasEscapes { return try text(s.bytes(slice), s, start, into: column) }
            scratch.removeAll()
            decode(slice, s, into: scratch)
            try text(UnsafeRawBufferPointer(scratch.elements), s, start, into: column)
        case .array: throw mismatch(JSONRowReader.describe(column.type), kind, start)
        case .object:
            if column.layout == .object {
                let inner = child(column, shape, i)
                column.openObject()
                return try embeddedObject(&s, into: column, inner, i)
            }
            guard let w = try JSONWrapper.read(&s) else {
                let expected =
                    column.type == .link
                    ? "a link (a primary key, or an object of $ref and $key or $id)"
                    : JSONRowReader.describe(column.type)
                throw mismatch(expected, kind, start)
            }
            try wrapped(w, s, start, into: column)
        }
    }

    private func child(_ column: Column, _ shape: JSONRowShape, _ i: Int) -> JSONRowShape {
        shape.child(i) {
            column.type == .table
                ? JSONRowShape(column.child.classSchema)
                : self.shape(class: column.child.classIndex)
        }
    }

    // MARK: Bare values

    /// A number for a property that is no int, or an int that is out of range.
    @inline(never)
    private func number(_ n: JSONNumber, _ s: JSONScanner, into column: Column)
        throws(FormatError)
    {
        let digits = s.bytes(n.slice)
        switch column.type {
        case .int:
            if let value = n.int { return column.append(word: value) }
            // A whole number with a fraction of zeros is one.
            if !n.isInteger, let d = ScalarText.decimal(digits), let value = JSONNumbers.int(d) {
                return column.append(word: value)
            }
            throw FormatError(
                .badValue,
                n.isInteger ? "the int has more than 64 bits" : "this is no whole number",
                offset: n.slice.start)
        case .double:
            if let value = ScalarText.double(digits) {
                if !JSONNumbers.survives(digits, value) { precision(column) }
                return column.append(word: Int64(bitPattern: value.bitPattern))
            }
        case .float:
            if let value = ScalarText.float(digits) {
                return column.append(word: Int64(value.bitPattern))
            }
        case .decimal128:
            if let value = ScalarText.decimal(digits) { return column.append(value) }
        case .bool where isLenient:
            if let value = n.int, value == 0 || value == 1 { return column.append(word: value) }
        case .string where isLenient:
            report.note(.changed, "value-as-text", property: column.property.name)
            return column.append(bytes: digits)
        case .date:
            if let epoch, let value = ScalarText.decimal(digits),
                let date = JSONNumbers.date(value, epoch)
            {
                return column.append(date)
            }
        case .link where isLenient && column.layout == .word:
            return column.append(word: try linkKey(s, n.slice.start, of: column))
        default: break
        }
        throw FormatError(
            .badValue,
            "\(JSONRowReader.describe(column.type)) is expected; found the number "
                + String(decoding: digits.prefix(40), as: UTF8.self), offset: n.slice.start)
    }

    private func precision(_ column: Column) {
        report.note(
            .changed, "number-precision", property: column.property.name,
            action: "a number with more digits than a double keeps was rounded")
    }

    /// Text for a property that is no string.
    private func text(
        _ t: UnsafeRawBufferPointer, _ s: JSONScanner, _ start: Int, into column: Column
    ) throws(FormatError) {
        switch column.type {
        case .string: return column.append(bytes: t)
        case .objectId: if let v = ScalarText.objectID(t) { return column.append(v) }
        case .uuid: if let v = ScalarText.uuid(t) { return column.append(v) }
        case .decimal128: if let v = ScalarText.decimal(t) { return column.append(v) }
        case .date: if let v = date(t) { return column.append(v) }
        case .data where isLenient:
            if dataURI(t, into: column) || ScalarText.base64(t, into: column.bytes) {
                return column.closeBytes()
            }
        case .bool where isLenient:
            switch String(decoding: t.prefix(8), as: UTF8.self).lowercased() {
            case "true", "yes", "1": return column.append(word: 1)
            case "false", "no", "0": return column.append(word: 0)
            default: break
            }
        case .int where isLenient: if let v = ScalarText.int(t) { return column.append(word: v) }
        case .double where isLenient:
            if let v = ScalarText.double(t) {
                return column.append(word: Int64(bitPattern: v.bitPattern))
            }
        case .float where isLenient:
            if let v = ScalarText.float(t) { return column.append(word: Int64(v.bitPattern)) }
        case .link where isLenient && column.layout == .word:
            return column.append(word: try linkKey(s, start, of: column))
        default: break
        }
        throw FormatError(
            .badValue,
            "\(JSONRowReader.describe(column.type)) is expected; found the text "
                + JSONText.quoted(String(decoding: t.prefix(40), as: UTF8.self)), offset: start)
    }

    /// The content of a `data:` URI; false for other text. Its media type has no place in a store.
    private func dataURI(_ t: UnsafeRawBufferPointer, into column: Column) -> Bool {
        guard t.count > 5, String(decoding: t[..<5], as: UTF8.self).lowercased() == "data:",
            let comma = t.firstIndex(of: 0x2C)
        else { return false }
        var type = String(decoding: t[5..<comma], as: UTF8.self)
        let isBase64 = type.lowercased().hasSuffix(";base64")
        if isBase64 { type.removeLast(7) }
        let content = UnsafeRawBufferPointer(rebasing: t[(comma + 1)...])
        if isBase64 {
            guard ScalarText.base64(content, into: column.bytes) else { return false }
        } else {
            var i = 0
            while i < content.count {
                if content[i] == 0x25, i + 2 < content.count,
                    let high = ScalarText.hexValue(content[i + 1]),
                    let low = ScalarText.hexValue(content[i + 2])
                {
                    column.bytes.append(UInt8(truncatingIfNeeded: high << 4 | low))
                    i += 3
                } else {
                    column.bytes.append(content[i])
                    i += 1
                }
            }
        }
        if !type.isEmpty {
            report.note(
                .lost, "data-media-type", property: column.property.name, value: type,
                action: "the bytes of a data: URI were kept without their media type")
        }
        return true
    }

    /// Date text; without a zone it is taken for UTC, which is reported.
    func date(_ t: UnsafeRawBufferPointer) -> Timestamp? {
        if let v = ScalarText.date(t) { return v }
        guard isLenient, t.count >= 8, t.count < 40 else { return nil }
        let text = String(decoding: t, as: UTF8.self)
        for tail in ["Z", "T00:00:00Z"] {
            let v = Array((text + tail).utf8).withUnsafeBytes { ScalarText.date($0) }
            guard let v else { continue }
            report.note(
                .guessed, "date-without-zone", value: text,
                action: "a date without a zone was taken for UTC")
            return v
        }
        return nil
    }

    // MARK: Wrapped values

    private func wrapped(
        _ w: JSONWrapper, _ s: JSONScanner, _ start: Int, into column: Column
    ) throws(FormatError) {
        let t = content(of: w, s)
        switch (w.kind, column.type) {
        case (.objectId, .objectId): if let v = ScalarText.objectID(t) { return column.append(v) }
        case (.uuid, .uuid): if let v = ScalarText.uuid(t) { return column.append(v) }
        case (.objectId, .string) where isLenient, (.uuid, .string) where isLenient:
            // A map reads keys of any kind as text.
            return column.append(bytes: t)
        case (.binary, .uuid) where w.subType == 4 || w.subType == 3:
            scratch.removeAll()
            if ScalarText.base64(t, into: scratch), scratch.count == 16 {
                return column.append(JSONNumbers.uuid(scratch))
            }
        case (.int, .int): if let v = ScalarText.int(t) { return column.append(word: v) }
        case (.double, .int), (.decimal, .int):
            if let d = ScalarText.decimal(t), let v = JSONNumbers.int(d) {
                return column.append(word: v)
            }
        case (.int, .double), (.double, .double), (.float, .double), (.decimal, .double):
            if let v = JSONNumbers.double(t, w.bits.map { s.bytes($0) }) {
                return column.append(word: Int64(bitPattern: v))
            }
        case (.int, .float), (.double, .float), (.float, .float), (.decimal, .float):
            if let v = JSONNumbers.float(t, w.bits.map { s.bytes($0) }) {
                return column.append(word: Int64(v))
            }
        case (.int, .decimal128), (.double, .decimal128), (.decimal, .decimal128):
            if let v = JSONNumbers.decimal(t, w.bits.map { s.bytes($0) }) {
                return column.append(v)
            }
        case (.binary, .data):
            if w.subType != 0 { subTypeDropped(column.property.name) }
            if ScalarText.base64(t, into: column.bytes) { return column.closeBytes() }
        case (.string, .string):
            if ScalarText.base64(t, into: column.bytes) { return column.closeBytes() }
        case (.dateText, .date), (.dateMilliseconds, .date), (.dateParts, .date):
            if let v = date(w, t) { return column.append(v) }
        case (.link, .link) where column.layout == .word:
            return column.append(word: try link(w, s, start, to: column.property.target))
        default:
            throw FormatError(
                .badValue,
                "\(JSONRowReader.describe(column.type)) is expected; found a value of another kind",
                offset: start)
        }
        throw badContent(start)
    }

    /// The text of a wrapped value; base64 of Swift's own encoder has its slashes escaped.
    func content(of w: JSONWrapper, _ s: JSONScanner) -> UnsafeRawBufferPointer {
        guard w.text.hasEscapes else { return s.bytes(w.text) }
        unescaped.removeAll()
        decode(w.text, s, into: unescaped)
        return UnsafeRawBufferPointer(unescaped.elements)
    }

    func badContent(_ start: Int) -> FormatError {
        FormatError(.badValue, "the value inside this wrapper is no good", offset: start)
    }

    func subTypeDropped(_ property: String) {
        report.note(
            .lost, "binary-subtype", property: property,
            action: "the subtype of binary data has no place in a store")
    }

    /// The date of a wrapper.
    func date(_ w: JSONWrapper, _ t: UnsafeRawBufferPointer) -> Timestamp? {
        switch w.kind {
        case .dateText: return date(t)
        case .dateMilliseconds:
            return Timestamp(
                seconds: w.first / 1000, nanoseconds: Int32(w.first % 1000) * 1_000_000)
        default:
            guard let nanoseconds = Int32(exactly: w.second) else { return nil }
            return Timestamp(seconds: w.first, nanoseconds: nanoseconds)
        }
    }

    /// The object key a link wrapper names, which must lead to `target` (any class if nil).
    func link(_ w: JSONWrapper, _ s: JSONScanner, _ start: Int, to target: String?)
        throws(FormatError) -> Int64
    {
        if let target {
            let isTarget =
                w.text.hasEscapes
                ? s.text(w.text) == target : target.utf8.elementsEqual(s.bytes(w.text))
            guard isTarget else {
                throw FormatError(
                    .schemaMismatch,
                    "the link leads to \(s.text(w.text)), the property to \(target)", offset: start)
            }
        }
        let index = classIndices[s.text(w.text)]
        guard let id = w.offset else {
            guard let resolveKey, let index else { return w.first }
            if let key = try resolveKey(index, w.first) { return key }
            throw FormatError(
                .danglingLink, "there is no \(s.text(w.text)) of this object key", offset: start)
        }
        var value = s
        value.at = id
        guard let index, let key = try resolve?(index, value) else {
            throw FormatError(
                .danglingLink, "there is no \(s.text(w.text)) of this primary key", offset: id)
        }
        return key
    }

    /// The object key for a bare value, taken as the target's primary key.
    private func linkKey(_ s: JSONScanner, _ offset: Int, of column: Column) throws(FormatError)
        -> Int64
    {
        let target = column.property.target ?? ""
        var value = s
        value.at = offset
        if let index = classIndices[target], let key = try resolve?(index, value) { return key }
        throw FormatError(
            .danglingLink, "there is no \(target) of this primary key", offset: offset)
    }

    // MARK: Errors

    @inline(never)
    func mismatch(_ expected: String, _ kind: JSONKind, _ offset: Int) -> FormatError {
        let found =
            switch kind {
            case .object: "an object"
            case .array: "an array"
            case .string: "text"
            case .number: "a number"
            case .true, .false: "a boolean"
            case .null: "null"
            }
        return FormatError(
            .badValue, "\(expected) is expected; found \(found)", offset: offset)
    }

    static func describe(_ type: PropertyType) -> String {
        switch type {
        case .int: "an int"
        case .bool: "true or false"
        case .string: "text"
        case .data: "binary data"
        case .date: "a date"
        case .float, .double: "a number"
        case .decimal128: "a decimal"
        case .objectId: "an ObjectId"
        case .uuid: "a UUID"
        case .mixed: "a value"
        case .link: "an object"
        case .table: "rows of a subtable"
        }
    }
}
