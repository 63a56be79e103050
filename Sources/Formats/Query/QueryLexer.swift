// Cuts the text of a predicate, a sort order or a section rule into tokens, with their places.

/// One token of a query text.
struct QueryToken: Sendable {
    enum Kind: Equatable, Sendable {
        case word(String)
        /// A name in backticks, or behind `#`: never a keyword.
        case name(String)
        case number(String)
        case text(String)
        /// A date without quotes.
        case date(Timestamp)
        /// A punctuation mark or operator.
        case symbol(String)
        case end
    }
    let kind: Kind
    /// The bytes it takes in the text.
    let range: Range<Int>
}

/// The tokens of a query text.
struct QueryLexer {
    let source: String
    private let bytes: [UInt8]
    private var at = 0

    init(_ source: String) {
        self.source = source
        bytes = Array(source.utf8)
    }

    /// All tokens, the last of kind `end`.
    static func tokens(_ source: String) throws(FormatError) -> [QueryToken] {
        var lexer = QueryLexer(source)
        var all: [QueryToken] = []
        while true {
            let token = try lexer.next()
            all.append(token)
            if token.kind == .end { return all }
        }
    }

    private func byte(_ i: Int) -> UInt8 { i < bytes.count ? bytes[i] : 0 }

    private func fail(_ offset: Int, _ message: String, fix: String? = nil) -> FormatError {
        FormatError(.usage, message, column: offset + 1, excerpt: source, fix: fix)
    }

    private static func isDigit(_ c: UInt8) -> Bool { c &- 48 < 10 }

    private static func isNameByte(_ c: UInt8) -> Bool {
        (c | 32) &- 97 < 26 || isDigit(c) || c == UInt8(ascii: "_") || c == UInt8(ascii: "$")
            || c >= 0x80
    }

    private mutating func next() throws(FormatError) -> QueryToken {
        while [32, 9, 10, 13].contains(byte(at)), at < bytes.count { at += 1 }
        let start = at
        guard at < bytes.count else { return QueryToken(kind: .end, range: start..<start) }
        let c = bytes[at]
        if c == UInt8(ascii: "'") || c == UInt8(ascii: "\"") {
            let text = try quoted(until: c)
            return QueryToken(kind: .text(text), range: start..<at)
        }
        if c == UInt8(ascii: "`") {
            let text = try quoted(until: c)
            return QueryToken(kind: .name(text), range: start..<at)
        }
        if c == UInt8(ascii: "#") {
            at += 1
            let name = word()
            guard !name.isEmpty else { throw fail(start, "a name must follow #") }
            return QueryToken(kind: .name(name), range: start..<at)
        }
        if let date = try timestamp() { return QueryToken(kind: .date(date), range: start..<at) }
        let signed =
            (c == UInt8(ascii: "-") || c == UInt8(ascii: "+")) && Self.isDigit(byte(at + 1))
        let pointed = c == UInt8(ascii: ".") && Self.isDigit(byte(at + 1))
        if Self.isDigit(c) || signed || pointed {
            let text = number()
            return QueryToken(kind: .number(text), range: start..<at)
        }
        if Self.isNameByte(c) { return QueryToken(kind: .word(word()), range: start..<at) }
        for symbol in ["==", "!=", "<>", "<=", "=<", ">=", "=>", "&&", "||"] {
            if symbol.utf8.elementsEqual(bytes[at...].prefix(2)) {
                at += 2
                return QueryToken(kind: .symbol(symbol), range: start..<at)
            }
        }
        if "=<>!(){}[],.@:-+".utf8.contains(c) {
            at += 1
            return QueryToken(
                kind: .symbol(String(decoding: [c], as: UTF8.self)), range: start..<at)
        }
        let rest = String(decoding: bytes[at...], as: UTF8.self)
        throw fail(start, "\(rest.prefix(1)) has no meaning here")
    }

    private mutating func word() -> String {
        let start = at
        while at < bytes.count, Self.isNameByte(bytes[at]) { at += 1 }
        return String(decoding: bytes[start..<at], as: UTF8.self)
    }

    private mutating func number() -> String {
        let start = at
        at += 1
        while at < bytes.count {
            let c = bytes[at]
            let isExponentSign =
                (c == UInt8(ascii: "-") || c == UInt8(ascii: "+")) && bytes[at - 1] | 32 == 101
                && Self.isDigit(byte(at + 1))
            guard Self.isDigit(c) || c == UInt8(ascii: ".") || c | 32 == 101 || isExponentSign
            else { break }
            at += 1
        }
        return String(decoding: bytes[start..<at], as: UTF8.self)
    }

    /// A text in quotes; a backslash takes the next character as it is or makes a control
    /// character, and a doubled quote stands for itself.
    private mutating func quoted(until quote: UInt8) throws(FormatError) -> String {
        let start = at
        at += 1
        var text: [UInt8] = []
        while at < bytes.count {
            let c = bytes[at]
            at += 1
            if c == quote {
                guard byte(at) == quote, at < bytes.count else {
                    return String(decoding: text, as: UTF8.self)
                }
                at += 1
                text.append(c)
            } else if c == UInt8(ascii: "\\"), at < bytes.count {
                let escaped = bytes[at]
                at += 1
                switch escaped {
                case UInt8(ascii: "n"): text.append(10)
                case UInt8(ascii: "r"): text.append(13)
                case UInt8(ascii: "t"): text.append(9)
                case UInt8(ascii: "0"): text.append(0)
                case UInt8(ascii: "u"): text += try escapedScalar().utf8
                // A pattern's own escapes stay as they are.
                case UInt8(ascii: "*"), UInt8(ascii: "?"): text += [c, escaped]
                default: text.append(escaped)
                }
            } else {
                text.append(c)
            }
        }
        throw fail(start, "the quote that opens here is not closed")
    }

    /// The code point of `\u1234` or `\u{1F600}`.
    private mutating func escapedScalar() throws(FormatError) -> String {
        let start = at
        let braced = byte(at) == UInt8(ascii: "{")
        if braced { at += 1 }
        var value: UInt32 = 0
        var digits = 0
        while digits < (braced ? 6 : 4), let nibble = ScalarText.hexValue(byte(at)) {
            value = value << 4 | UInt32(nibble)
            digits += 1
            at += 1
        }
        if braced, byte(at) == UInt8(ascii: "}") { at += 1 }
        guard digits > 0, let scalar = Unicode.Scalar(value) else {
            throw fail(start, "this is no code point")
        }
        return String(Character(scalar))
    }

    /// `2024-01-31`, with a time or without, or `T1706659200:0` (seconds and nanoseconds).
    private mutating func timestamp() throws(FormatError) -> Timestamp? {
        let start = at
        if bytes[at] == UInt8(ascii: "T"),
            Self.isDigit(byte(at + 1))
                || byte(at + 1) == UInt8(ascii: "-") && Self.isDigit(byte(at + 2))
        {
            var end = at + 2
            while Self.isDigit(byte(end)) { end += 1 }
            guard byte(end) == UInt8(ascii: ":") else { return nil }
            let seconds = Int64(String(decoding: bytes[(at + 1)..<end], as: UTF8.self))
            let fraction = end + 1
            end += byte(fraction) == UInt8(ascii: "-") ? 2 : 1
            while Self.isDigit(byte(end)) { end += 1 }
            let nanoseconds = Int32(String(decoding: bytes[fraction..<end], as: UTF8.self))
            guard let seconds, let nanoseconds, abs(Int(nanoseconds)) < 1_000_000_000 else {
                throw fail(start, "this is no point in time", fix: "write T<seconds>:<nanoseconds>")
            }
            at = end
            return Timestamp(seconds: seconds, nanoseconds: nanoseconds)
        }
        guard (0..<4).allSatisfy({ Self.isDigit(byte(start + $0)) }),
            byte(start + 4) == UInt8(ascii: "-"), Self.isDigit(byte(start + 5)),
            Self.isDigit(byte(start + 6)), byte(start + 7) == UInt8(ascii: "-")
        else { return nil }
        var end = start + 8
        while end < bytes.count, Self.isDigit(bytes[end]) || ":.-+@TtZz".utf8.contains(bytes[end]) {
            end += 1
        }
        let text = String(decoding: bytes[start..<end], as: UTF8.self)
        guard let date = DateLiteral.date(text) else {
            throw fail(start, "\(text) is no date", fix: DateLiteral.fix)
        }
        at = end
        return date
    }
}

/// Dates as people write them in a query.
enum DateLiteral {
    static let fix = "write a date as 2024-01-31 or 2024-01-31T09:30:00Z"

    /// An ISO date, with a time or without; without a zone it is UTC.
    static func date(_ text: String) -> Timestamp? {
        var text = text
        if let at = text.firstIndex(of: "@") { text.replaceSubrange(at...at, with: "T") }
        for tail in ["", "Z", ":00Z", "T00:00:00Z"] {
            var whole = text + tail
            let date = whole.withUTF8 { ScalarText.date(UnsafeRawBufferPointer($0)) }
            if let date { return date }
        }
        return nil
    }
}
