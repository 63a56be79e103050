// The reading half of the JSON grammar (RFC 8259, strict): a cursor over bytes that checks what
// it passes. It builds nothing: strings and numbers are handed out as ranges of the input, and
// whoever wants their value decodes them. It does not know lines, files or meanings.
//
//   [ {"name": "Zo\u00e9", "n": 12} ]          enterArray, nextElement -> true at `{`,
//     enterObject, nextMember -> `name`,       string -> bytes 11..<19, hasEscapes
//     nextMember -> `n`, number -> 12          nextMember -> false, nextElement -> false
//
// Depth is counted against a limit and skipping keeps its own bit stack, so no input can exhaust
// the stack.

/// The content of a string (without its quotes), or the characters of a number.
package struct JSONSlice {
    /// Offset of the first byte in the input.
    package var start: Int
    /// The number of bytes.
    package var count: Int
    /// True when the bytes hold backslashes and must be decoded.
    package var hasEscapes: Bool
}

/// A number as it stands in the input.
package struct JSONNumber {
    /// Its characters.
    package var slice: JSONSlice
    /// True without fraction and exponent.
    package var isInteger: Bool
    /// Its value, if it is an integer within Int64.
    package var int: Int64?
}

/// What a value is, by its first byte.
package enum JSONKind: UInt8 {
    case object, array, string, number, `true`, `false`, null
}

/// A strict cursor over JSON text.
package struct JSONScanner {
    package let base: UnsafePointer<UInt8>
    package let end: Int
    /// The place of the next byte.
    package var at: Int
    /// The name of the member that `nextMember` found.
    package private(set) var name = JSONSlice(start: 0, count: 0, hasEscapes: false)
    /// How many objects and arrays are open.
    package private(set) var depth = 0
    private let depthLimit: Int

    /// A cursor over bytes that outlive it.
    package init(_ bytes: UnsafeRawBufferPointer, at: Int = 0, depthLimit: Int = 512) {
        if let start = bytes.baseAddress {
            base = start.assumingMemoryBound(to: UInt8.self)
        } else {
            let nothing: StaticString = " "
            base = nothing.utf8Start
        }
        end = bytes.count
        self.at = at
        self.depthLimit = depthLimit
    }

    // MARK: Places

    /// Moves over white space.
    @inline(__always)
    package mutating func skipSpace() {
        var i = at
        while i < end {
            let c = base[i]
            if c > 0x20 { break }
            if c != 0x20 && c != 0x0A && c != 0x0D && c != 0x09 { break }
            i &+= 1
        }
        at = i
    }

    /// What the next value is; leaves the cursor on its first byte.
    @inline(__always)
    package mutating func peek() throws(FormatError) -> JSONKind {
        skipSpace()
        guard at < end else { throw unexpected("a value") }
        switch base[at] {
        case 0x22: return .string
        case 0x7B: return .object
        case 0x5B: return .array
        case 0x2D, 0x30...0x39: return .number
        case 0x74: return .true
        case 0x66: return .false
        case 0x6E: return .null
        default: throw unexpected("a value")
        }
    }

    /// True when only white space is left.
    package mutating func isAtEnd() -> Bool {
        skipSpace()
        return at >= end
    }

    /// Checks that only white space is left.
    package mutating func finish() throws(FormatError) {
        if !isAtEnd() { throw unexpected("the end of the text") }
    }

    /// Goes back to a place where so many objects and arrays were open.
    package mutating func rewind(to place: Int, depth: Int) {
        at = place
        self.depth = depth
    }

    // MARK: Objects and arrays

    /// Moves into the object that begins here.
    @inline(__always)
    package mutating func enterObject() throws(FormatError) { try enter(0x7B) }

    /// Moves into the array that begins here.
    @inline(__always)
    package mutating func enterArray() throws(FormatError) { try enter(0x5B) }

    @inline(__always)
    private mutating func enter(_ open: UInt8) throws(FormatError) {
        skipSpace()
        guard at < end, base[at] == open else {
            throw unexpected(open == 0x7B ? "an object" : "an array")
        }
        depth &+= 1
        if depth > depthLimit { throw tooDeep() }
        at &+= 1
    }

    /// Moves to the value of the next member and notes its name; false behind the object's end.
    /// - Parameter isFirst: true directly after `enterObject`.
    @inline(__always)
    package mutating func nextMember(_ isFirst: inout Bool) throws(FormatError) -> Bool {
        skipSpace()
        guard at < end else { throw unexpected("a member or `}`") }
        if base[at] == 0x7D {
            at &+= 1
            depth &-= 1
            return false
        }
        if isFirst {
            isFirst = false
        } else {
            guard base[at] == 0x2C else { throw unexpected("`,` or `}`") }
            at &+= 1
            skipSpace()
        }
        guard at < end, base[at] == 0x22 else { throw unexpected("a member name in quotes") }
        name = try string()
        try colon()
        return true
    }

    @inline(__always)
    private mutating func colon() throws(FormatError) {
        skipSpace()
        guard at < end, base[at] == 0x3A else { throw unexpected("`:`") }
        at &+= 1
        skipSpace()
    }

    /// Moves to the next element; false behind the array's end.
    /// - Parameter isFirst: true directly after `enterArray`.
    @inline(__always)
    package mutating func nextElement(_ isFirst: inout Bool) throws(FormatError) -> Bool {
        skipSpace()
        guard at < end else { throw unexpected("a value or `]`") }
        if base[at] == 0x5D {
            at &+= 1
            depth &-= 1
            return false
        }
        if isFirst {
            isFirst = false
        } else {
            guard base[at] == 0x2C else { throw unexpected("`,` or `]`") }
            at &+= 1
            skipSpace()
        }
        return true
    }

    // MARK: Scalars

    /// Passes the string whose opening quote is here.
    @inline(__always)
    package mutating func string() throws(FormatError) -> JSONSlice {
        let start = at &+ 1
        var i = start
        while i &+ 8 <= end {
            let x = UnsafeRawPointer(base + i).loadUnaligned(as: UInt64.self)
            let special = JSONText.special(UInt64(littleEndian: x))
            if special == 0 {
                i &+= 8
                continue
            }
            i &+= special.trailingZeroBitCount &>> 3
            if base[i] == 0x22 {
                at = i &+ 1
                return JSONSlice(start: start, count: i &- start, hasEscapes: false)
            }
            break
        }
        return try stringSlowly(start, i)
    }

    /// The rest of a string from a byte that needs a look, or near the end of the input.
    @inline(never)
    private mutating func stringSlowly(_ start: Int, _ from: Int) throws(FormatError) -> JSONSlice {
        var i = from
        var hasEscapes = false
        while true {
            if i &+ 8 <= end {
                let x = UnsafeRawPointer(base + i).loadUnaligned(as: UInt64.self)
                let special = JSONText.special(UInt64(littleEndian: x))
                if special == 0 {
                    i &+= 8
                    continue
                }
                i &+= special.trailingZeroBitCount &>> 3
            }
            guard i < end else { throw failure(start &- 1, "the string has no closing quote") }
            let c = base[i]
            if c >= 0x80 {
                repeat {
                    let length = UTF8Check.sequence(base, i, end)
                    if length == 0 {
                        throw FormatError(
                            .badEncoding, "a byte that is no UTF-8 stands in a string", offset: i,
                            fix: "convert the file to UTF-8, or say what it is with --encoding")
                    }
                    i &+= length
                } while i < end && base[i] >= 0x80
            } else if c == 0x22 {
                at = i &+ 1
                return JSONSlice(start: start, count: i &- start, hasEscapes: hasEscapes)
            } else if c == 0x5C {
                hasEscapes = true
                i = try escape(i)
            } else if c < 0x20 {
                throw failure(i, "a control character in a string must be escaped")
            } else {
                i &+= 1
            }
        }
    }

    /// Checks the escape at `i` and gives the place behind it.
    private func escape(_ i: Int) throws(FormatError) -> Int {
        guard i &+ 1 < end else { throw failure(i, "the text ends within an escape") }
        switch base[i &+ 1] {
        case 0x22, 0x5C, 0x2F, 0x62, 0x66, 0x6E, 0x72, 0x74: return i &+ 2
        case 0x75:
            for j in i &+ 2..<i &+ 6 {
                guard j < end, ScalarText.hexValue(base[j]) != nil else {
                    throw failure(i, "four hex digits are expected behind `\\u`")
                }
            }
            return i &+ 6
        default: throw failure(i, "there is no such escape in JSON")
        }
    }

    /// Passes the number that begins here.
    @inline(__always)
    package mutating func number() throws(FormatError) -> JSONNumber {
        let start = at
        var i = at
        let negative = i < end && base[i] == 0x2D
        if negative { i &+= 1 }
        let digits = i
        var value: UInt64 = 0
        while i < end {
            let d = base[i] &- 0x30
            if d > 9 { break }
            value = value &* 10 &+ UInt64(d)
            i &+= 1
        }
        let count = i &- digits
        if count == 0 || (count > 1 && base[digits] == 0x30) { throw badNumber(start) }
        if i < end, base[i] == 0x2E || base[i] | 0x20 == 0x65 {
            at = try fraction(start, i)
            return JSONNumber(
                slice: JSONSlice(start: start, count: at &- start, hasEscapes: false),
                isInteger: false, int: nil)
        }
        at = i
        let slice = JSONSlice(start: start, count: i &- start, hasEscapes: false)
        if count <= 18 {
            let v = Int64(bitPattern: value)
            return JSONNumber(slice: slice, isInteger: true, int: negative ? 0 &- v : v)
        }
        return JSONNumber(slice: slice, isInteger: true, int: ScalarText.int(bytes(slice)))
    }

    /// The place behind a number's fraction and exponent.
    private func fraction(_ start: Int, _ from: Int) throws(FormatError) -> Int {
        var i = from
        if base[i] == 0x2E {
            i &+= 1
            let first = i
            while i < end, base[i] &- 0x30 <= 9 { i &+= 1 }
            if i == first { throw badNumber(start) }
        }
        if i < end, base[i] | 0x20 == 0x65 {
            i &+= 1
            if i < end, base[i] == 0x2B || base[i] == 0x2D { i &+= 1 }
            let first = i
            while i < end, base[i] &- 0x30 <= 9 { i &+= 1 }
            if i == first { throw badNumber(start) }
        }
        return i
    }

    /// Passes `true`, `false` or `null`.
    @inline(__always)
    package mutating func literal(_ kind: JSONKind) throws(FormatError) {
        let word: StaticString = kind == .true ? "true" : kind == .false ? "false" : "null"
        let count = word.utf8CodeUnitCount
        guard end &- at >= count else { throw unexpected("a value") }
        for i in 0..<count where base[at &+ i] != word.utf8Start[i] { throw unexpected("a value") }
        at &+= count
    }

    // MARK: Skipping

    /// Passes any value, checking it.
    package mutating func skip() throws(FormatError) {
        switch try peek() {
        case .string: _ = try string()
        case .number: _ = try number()
        case .object, .array: try skipContainer(isInside: false)
        case let kind: try literal(kind)
        }
    }

    /// Passes the rest of the object that was entered, from behind a member's value.
    package mutating func skipMembers() throws(FormatError) {
        try skipContainer(isInside: true)
    }

    /// Passes a whole object or array, or (`isInside`) the rest of an object. The kinds of the
    /// open containers are a stack of bits, 1 for an object.
    private mutating func skipContainer(isInside: Bool) throws(FormatError) {
        let outer = isInside ? depth &- 1 : depth
        var kinds: UInt64 = isInside ? 1 : 0
        var full: [UInt64] = []
        var mustFindValue = !isInside
        while true {
            if mustFindValue {
                skipSpace()
                guard at < end else { throw unexpected("a value") }
                let c = base[at]
                if c == 0x22 {
                    _ = try string()
                } else if c == 0x7B || c == 0x5B {
                    depth &+= 1
                    if depth > depthLimit { throw tooDeep() }
                    // Every 64 levels the full word moves away.
                    if (depth &- outer) & 63 == 0 { full.append(kinds) }
                    kinds = kinds &<< 1 | (c == 0x7B ? 1 : 0)
                    at &+= 1
                    skipSpace()
                    guard at < end else { throw unexpected("a value or the end of this") }
                    if base[at] != (c == 0x7B ? 0x7D : 0x5D) {
                        if c == 0x7B { try memberName() }
                        continue
                    }
                } else if c == 0x2D || c &- 0x30 <= 9 {
                    _ = try number()
                } else {
                    try literal(peek())
                }
            }
            // Behind a value, or at the bracket that ends an empty container.
            skipSpace()
            if depth == outer { return }
            guard at < end else { throw unexpected("`,` or the end of this") }
            let isObject = kinds & 1 == 1
            let c = base[at]
            at &+= 1
            if c == 0x2C {
                skipSpace()
                if isObject { try memberName() }
                mustFindValue = true
            } else if c == (isObject ? 0x7D : 0x5D) {
                if (depth &- outer) & 63 == 0, let word = full.popLast() {
                    kinds = word
                } else {
                    kinds &>>= 1
                }
                depth &-= 1
                mustFindValue = false
                if depth == outer { return }
            } else {
                at &-= 1
                throw unexpected(isObject ? "`,` or `}`" : "`,` or `]`")
            }
        }
    }

    @inline(__always)
    private mutating func memberName() throws(FormatError) {
        guard at < end, base[at] == 0x22 else { throw unexpected("a member name in quotes") }
        _ = try string()
        try colon()
    }

    // MARK: Bytes of the input

    /// The bytes of a slice, escapes and all; valid as long as the input is.
    @inline(__always)
    package func bytes(_ slice: JSONSlice) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: base + slice.start, count: slice.count)
    }

    /// True when a slice has these bytes (and needs no decoding).
    @inline(__always)
    package func isEqual(_ slice: JSONSlice, _ text: StaticString) -> Bool {
        guard !slice.hasEscapes, slice.count == text.utf8CodeUnitCount else { return false }
        let p = base + slice.start
        let q = text.utf8Start
        for i in 0..<slice.count where p[i] != q[i] { return false }
        return true
    }

    /// The text of a slice, decoded.
    package func text(_ slice: JSONSlice) -> String {
        if !slice.hasEscapes { return String(decoding: bytes(slice), as: UTF8.self) }
        let out = RawVector<UInt8>(capacity: slice.count)
        defer { out.destroy() }
        _ = JSONText.decode(bytes(slice), into: out)
        return String(decoding: out.elements, as: UTF8.self)
    }

    // MARK: Errors

    @inline(never)
    package func failure(_ offset: Int, _ message: String) -> FormatError {
        FormatError(.malformed, message, offset: offset)
    }

    @inline(never)
    private func badNumber(_ start: Int) -> FormatError {
        failure(start, "this is no number of JSON")
    }

    @inline(never)
    private func tooDeep() -> FormatError {
        FormatError(
            .limitExceeded, "more than \(depthLimit) objects and arrays inside each other",
            offset: at)
    }

    /// The error for a byte that does not fit the grammar here.
    @inline(never)
    package func unexpected(_ expected: String) -> FormatError {
        guard at < end else {
            return failure(end, "the text ends where \(expected) is expected")
        }
        let c = base[at]
        let found = c > 0x20 && c < 0x7F ? "`\(Character(UnicodeScalar(c)))`" : "byte \(c)"
        return failure(at, "found \(found) where \(expected) is expected")
    }
}
