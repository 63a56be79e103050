// JSON5 as JSON: comments, trailing commas, names without quotes, single quotes, hex numbers and the
// like are rewritten, byte by byte, so that the strict grammar can read the text (`--json5`). Line
// breaks stay, so that places in messages are those of the source.

/// Turns JSON5 into JSON.
package enum JSON5Text {
    /// The input as JSON; itself when it does not begin like JSON5.
    /// - Throws: `malformed` for a comment or string without an end.
    package static func plain(_ input: InputBytes) throws(FormatError) -> InputBytes {
        var rewriter = Rewriter(input.bytes)
        guard rewriter.beginsLikeIt else { return input }
        let out = RawVector<UInt8>(capacity: input.bytes.count + 64)
        defer { out.destroy() }
        do throws(FormatError) {
            try rewriter.run(into: out)
        } catch { throw error.with { $0.file = input.name } }
        return InputBytes(name: input.name, copying: UnsafeRawBufferPointer(out.elements))
    }

    private struct Rewriter {
        let bytes: UnsafeRawBufferPointer
        var at = 0
        /// The last byte written that is no space, the one before it, and its place.
        var last: UInt8 = 0
        var lastButOne: UInt8 = 0
        var lastPlace = 0

        init(_ bytes: UnsafeRawBufferPointer) {
            self.bytes = bytes
            if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { at = 3 }
        }

        var beginsLikeIt: Bool {
            guard let first = bytes[at...].first(where: { $0 > 0x20 }) else { return false }
            return first == 0x7B || first == 0x5B || first == 0x2F
        }

        func byte(_ i: Int) -> UInt8? { i < bytes.count ? bytes[i] : nil }

        mutating func run(into out: RawVector<UInt8>) throws(FormatError) {
            while let c = byte(at) {
                switch c {
                case 0x20, 0x09, 0x0A, 0x0D:
                    out.append(c)
                    at += 1
                case 0x0B, 0x0C:
                    out.append(0x20)
                    at += 1
                case 0x2F: try comment(out)
                case 0x22, 0x27: try string(c, out)
                case 0x5D, 0x7D:
                    // A comma before the end is dropped, if something stands before it.
                    if last == 0x2C, lastButOne != 0x2C, lastButOne != 0x5B, lastButOne != 0x7B {
                        out[lastPlace] = 0x20
                    }
                    mark(c, out)
                    at += 1
                case 0x5B, 0x7B, 0x2C, 0x3A:
                    mark(c, out)
                    at += 1
                case 0x2B, 0x2D, 0x2E, 0x30...0x39: number(out)
                default:
                    if space(out) { continue }
                    if Rewriter.isName(c) {
                        name(out)
                    } else {
                        mark(c, out)
                        at += 1
                    }
                }
            }
        }

        private mutating func mark(_ c: UInt8, _ out: RawVector<UInt8>) {
            lastButOne = last
            last = c
            lastPlace = out.count
            out.append(c)
        }

        /// The spaces of Unicode; false where none stands.
        private mutating func space(_ out: RawVector<UInt8>) -> Bool {
            for known in [
                [0xC2, 0xA0], [0xEF, 0xBB, 0xBF], [0xE2, 0x80, 0xA8], [0xE2, 0x80, 0xA9],
            ]
                as [[UInt8]]
            where bytes[at...].starts(with: known) {
                out.append(0x20)
                at += known.count
                return true
            }
            return false
        }

        private mutating func comment(_ out: RawVector<UInt8>) throws(FormatError) {
            let start = at
            if byte(at + 1) == 0x2F {
                while let c = byte(at), c != 0x0A, c != 0x0D { at += 1 }
            } else if byte(at + 1) == 0x2A {
                at += 2
                while true {
                    guard let c = byte(at) else {
                        throw FormatError(
                            .malformed, "the comment has no end", offset: start, fix: "close it: */"
                        )
                    }
                    if c == 0x2A, byte(at + 1) == 0x2F { break }
                    if c == 0x0A || c == 0x0D { out.append(c) }
                    at += 1
                }
                at += 2
            } else {
                mark(0x2F, out)
                at += 1
            }
        }

        private mutating func string(_ quote: UInt8, _ out: RawVector<UInt8>) throws(FormatError) {
            let start = at
            mark(0x22, out)
            at += 1
            while true {
                guard let c = byte(at) else {
                    throw FormatError(
                        .malformed, "the string has no closing quote", offset: start)
                }
                at += 1
                if c == quote { break }
                switch c {
                case 0x22: out.append("\\\"")
                case 0x09: out.append("\\t")
                case 0x5C: escape(out)
                default: out.append(c)
                }
            }
            out.append(0x22)
            last = 0x22
        }

        private mutating func escape(_ out: RawVector<UInt8>) {
            guard let c = byte(at) else { return }
            at += 1
            switch c {
            case 0x62, 0x66, 0x6E, 0x72, 0x74, 0x75, 0x22, 0x5C, 0x2F:
                out.append(0x5C)
                out.append(c)
            case 0x0A: break
            case 0x0D: if byte(at) == 0x0A { at += 1 }
            case 0x76: out.append("\\u000b")
            case 0x30: out.append("\\u0000")
            case 0x78:
                out.append("\\u00")
                for _ in 0..<2 {
                    guard let digit = byte(at), ScalarText.hexValue(digit) != nil else { return }
                    out.append(digit)
                    at += 1
                }
            default: out.append(c)
            }
        }

        private static func isName(_ c: UInt8) -> Bool {
            c &- 0x30 < 10 || (c | 0x20) &- 0x61 < 26 || c == 0x5F || c == 0x24 || c >= 0x80
        }

        private mutating func name(_ out: RawVector<UInt8>) {
            let start = at
            while let c = byte(at), Rewriter.isName(c) { at += 1 }
            let word = UnsafeRawBufferPointer(rebasing: bytes[start..<at])
            if isBeforeColon {
                mark(0x22, out)
                out.append(bytes: word)
                out.append(0x22)
                last = 0x22
            } else {
                literal(String(decoding: word, as: UTF8.self), out)
            }
        }

        private mutating func literal(_ word: String, _ out: RawVector<UInt8>) {
            lastButOne = last
            last = 0x61
            if ["NaN", "Infinity", "-Infinity"].contains(word) {
                out.append("{\"$numberDouble\":\"\(word)\"}")
            } else {
                out.append(word)
            }
        }

        /// True when the next thing is a colon: the word before it is a member's name.
        private var isBeforeColon: Bool {
            var i = at
            while let c = byte(i) {
                if c <= 0x20 {
                    i += 1
                } else if c == 0x2F, byte(i + 1) == 0x2A {
                    i += 2
                    while i < bytes.count, !(bytes[i] == 0x2A && byte(i + 1) == 0x2F) { i += 1 }
                    i += 2
                } else if c == 0x2F, byte(i + 1) == 0x2F {
                    while i < bytes.count, bytes[i] != 0x0A { i += 1 }
                } else {
                    return c == 0x3A
                }
            }
            return false
        }

        private mutating func number(_ out: RawVector<UInt8>) {
            let start = at
            while let c = byte(at),
                Rewriter.isName(c) && c < 0x80 || c == 0x2E
                    || (c == 0x2B || c == 0x2D)
                        && (at == start || (bytes[at - 1] | 0x20 == 0x65 && !isHex(start)))
            {
                at += 1
            }
            var word = String(decoding: bytes[start..<at], as: UTF8.self)
            if word.hasPrefix("+") { word.removeFirst() }
            let isNegative = word.hasPrefix("-")
            var digits = isNegative ? String(word.dropFirst()) : word
            if digits.lowercased().hasPrefix("0x"),
                let value = UInt64(digits.dropFirst(2), radix: 16)
            {
                digits = String(value)
            } else if let first = digits.first(where: { $0 != "." }), first != "e", first != "E" {
                if digits.hasPrefix(".") { digits = "0" + digits }
                if digits.hasSuffix(".") { digits += "0" }
                digits = digits.replacing(".e", with: ".0e").replacing(".E", with: ".0E")
            } else {
                // A sign or a point alone is no number, here neither.
                return literal(String(decoding: bytes[start..<at], as: UTF8.self), out)
            }
            literal((isNegative ? "-" : "") + digits, out)
        }

        private func isHex(_ start: Int) -> Bool {
            var i = start
            if let c = byte(i), c == 0x2B || c == 0x2D { i += 1 }
            return byte(i) == 0x30 && byte(i + 1).map { $0 | 0x20 == 0x78 } ?? false
        }
    }
}
