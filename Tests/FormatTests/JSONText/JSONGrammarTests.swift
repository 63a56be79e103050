import Foundation
import Testing

@testable import Formats

/// Does the scanner take the whole text?
func accepts(_ text: [UInt8], depthLimit: Int = 512) -> Bool {
    text.withUnsafeBytes { bytes in
        var s = JSONScanner(bytes, depthLimit: depthLimit)
        do throws(FormatError) {
            try s.skip()
            try s.finish()
            return true
        } catch { return false }
    }
}

/// The obvious twin of the scanner: recursive, a byte at a time, UTF-8 by the standard library.
struct SlowJSON {
    var text: [UInt8]
    var i = 0

    static func accepts(_ text: [UInt8]) -> Bool {
        guard String(validating: text, as: UTF8.self) != nil else { return false }
        var s = SlowJSON(text: text)
        return s.value() && s.space() && s.i == text.count
    }

    var next: UInt8? { i < text.count ? text[i] : nil }

    mutating func space() -> Bool {
        while let c = next, [32, 9, 10, 13].contains(c) { i += 1 }
        return true
    }

    mutating func take(_ word: String) -> Bool {
        for c in word.utf8 {
            guard next == c else { return false }
            i += 1
        }
        return true
    }

    mutating func value() -> Bool {
        _ = space()
        switch next {
        case UInt8(ascii: "{"):
            return list("{", "}") {
                $0.space() && $0.string() && $0.space() && $0.take(":") && $0.value()
            }
        case UInt8(ascii: "["): return list("[", "]") { $0.value() }
        case UInt8(ascii: "\""): return string()
        case UInt8(ascii: "t"): return take("true")
        case UInt8(ascii: "f"): return take("false")
        case UInt8(ascii: "n"): return take("null")
        default: return number()
        }
    }

    mutating func list(_ open: String, _ close: String, _ item: (inout SlowJSON) -> Bool) -> Bool {
        guard take(open), space() else { return false }
        if next == close.utf8.first { return take(close) }
        while true {
            guard item(&self), space() else { return false }
            if next == close.utf8.first { return take(close) }
            guard take(",") else { return false }
        }
    }

    mutating func string() -> Bool {
        guard take("\"") else { return false }
        while let c = next {
            i += 1
            if c == UInt8(ascii: "\"") { return true }
            if c < 32 { return false }
            if c == UInt8(ascii: "\\") {
                guard let e = next else { return false }
                i += 1
                if e == UInt8(ascii: "u") {
                    for _ in 0..<4 {
                        guard let h = next, Character(UnicodeScalar(h)).isHexDigit else {
                            return false
                        }
                        i += 1
                    }
                } else if !"\"\\/bfnrt".utf8.contains(e) {
                    return false
                }
            }
        }
        return false
    }

    mutating func number() -> Bool {
        func isDigit(_ c: UInt8?) -> Bool { c.map { $0 >= 48 && $0 <= 57 } ?? false }
        if next == UInt8(ascii: "-") { i += 1 }
        if next == UInt8(ascii: "0") {
            i += 1
        } else {
            guard isDigit(next) else { return false }
            while isDigit(next) { i += 1 }
        }
        if next == UInt8(ascii: ".") {
            i += 1
            guard isDigit(next) else { return false }
            while isDigit(next) { i += 1 }
        }
        if let c = next, c == UInt8(ascii: "e") || c == UInt8(ascii: "E") {
            i += 1
            if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { i += 1 }
            guard isDigit(next) else { return false }
            while isDigit(next) { i += 1 }
        }
        return true
    }
}

@Suite("JSON grammar") struct JSONGrammarTests {
    @Test(arguments: [
        "[]", "{}", "null", " true ", "\"\"", "0", "-0", "-1.5e+10", "1E2", "[1,2,3]", "{\"a\":1}",
        "{\"\":0}", "{\"a\":{\"b\":[null,true,false]}}", "[ ]", "{ }", "\t[\r\n1 , 2 ]\n",
        "\"\\u0000\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\u{2028}\u{FFFF}\u{10FFFF}\"", "\"\u{7F}\"",
        "{\"a\":1,\"a\":2}", "[\"\\uD800\"]", "123456789012345678901234567890", "1e9999",
        "\"0123456789\\n0123456789\"", "[[[[[[[[1]]]]]]]]", "\"\\ud83d\\ude00\"",
    ])
    func takesWhatTheGrammarAllows(_ text: String) {
        #expect(accepts(Array(text.utf8)))
        #expect(SlowJSON.accepts(Array(text.utf8)))
    }

    @Test(arguments: [
        "", " ", "[", "]", "{", "}", "[1,]", "[,1]", "[1 2]", "[1,,2]", "{\"a\"}", "{\"a\":}",
        "{\"a\":1,}", "{,}", "{a:1}", "{'a':1}", "{\"a\" 1}", "{1:1}", "01", "-", "-01", "+1", ".5",
        "1.", "1e", "1e+", "0x10", "NaN", "-NaN", "Infinity", "-Infinity", "nul", "truE", "True",
        "nulll", "\"", "\"\\", "\"\\x\"", "\"\\u12\"", "\"\\u12g4\"", "\"\t\"", "\"a\nb\"",
        "[1]]", "{}{}", "[][]", "// x\n1", "/* x */1", "{\"a\":1}/**/", "[1}", "{\"a\":1]", "'a'",
        "[\"a\",\"b\"", "{\"a\":\"b\"", "[1 true]", "\u{FEFF}[]", "[\u{A0}1]", "[1\u{B}]", "1 2",
        "\"a\"b", "[-]", "[1e1.5]", "[0e]", "[2.e3]", "[1.2.3]", "[\"a\" \"b\"]",
        "{\"a\":1 \"b\":2}",
    ])
    func refusesWhatItDoesNot(_ text: String) {
        #expect(!accepts(Array(text.utf8)))
        #expect(!SlowJSON.accepts(Array(text.utf8)))
    }

    @Test(
        arguments: [
            [0xFF], [0xC0, 0xAF], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80],
            [0x80], [0xC3], [0xE2, 0x82], [0xF0, 0x9F, 0x98], [0xF5, 0x80, 0x80, 0x80],
        ] as [[UInt8]])
    func refusesBytesThatAreNoUTF8(_ bytes: [UInt8]) {
        for padding in 0..<12 {
            let text = [0x22] + Array(repeating: UInt8(ascii: "a"), count: padding) + bytes + [0x22]
            #expect(!accepts(text))
        }
    }

    @Test func aHundredThousandBracketsAreRefusedWithoutUsingTheStack() {
        #expect(!accepts(Array(repeating: UInt8(ascii: "["), count: 100_000)))
        let objects = Array(String(repeating: "{\"a\":", count: 100_000).utf8)
        #expect(!accepts(objects))
    }

    @Test(arguments: [1, 63, 64, 65, 127, 128, 129, 500, 512])
    func nestsUpToTheLimit(_ depth: Int) {
        let arrays = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        #expect(accepts(Array(arrays.utf8)))
        var mixed = ""
        var ends = ""
        for i in 0..<depth {
            mixed += i % 3 == 0 ? "[" : "{\"k\":"
            ends = (i % 3 == 0 ? "]" : "}") + ends
        }
        let text = mixed + "1" + ends
        #expect(accepts(Array(text.utf8)))
        #expect(!accepts(Array((mixed + "1" + "]" + ends.dropFirst()).utf8)) || ends.first == "]")
        #expect(!accepts(Array("[\(text)]".utf8)) == (depth == 512))
    }

    @Test func everyHandedSuiteFileIsJudgedRight() throws {
        guard let folder = sharedFolder("corpus/interchange/json") else { return }
        var count = 0
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path)
        where name.hasPrefix("jsontestsuite-") {
            let input = try InputBytes.open(folder.appendingPathComponent(name).path)
            let isGood: Bool
            do {
                _ = try JSONTree.parse(input)
                isGood = true
            } catch { isGood = false }
            if name.hasPrefix("jsontestsuite-y_") { #expect(isGood, "\(name)") }
            if name.hasPrefix("jsontestsuite-n_") { #expect(!isGood, "\(name)") }
            count += 1
        }
        #expect(count > 20)
    }

    @Test func agreesWithTheObviousTwinOnBentTexts() {
        var random = SeededGenerator(7)
        let seeds = [
            #"{"a":[1,2.5e3,"x\n\u00e9"],"b":{"c":null,"d":true},"émile":"Zoë 😀"}"#,
            #"[{"k":"0123456789abcdef"},{"k":-0.0},[],{}, "tail" ]"#,
            #""\ud83d\ude00\\""#,
        ].map { Array($0.utf8) }
        let alphabet = Array("{}[]\",:\\u0189.eE+-tfn \n".utf8) + [0xC3, 0xA9, 0xF0, 0x80, 0x00]
        for _ in 0..<20_000 {
            var text = seeds.randomElement(using: &random) ?? []
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let i = Int.random(in: 0..<text.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: text[i] = alphabet.randomElement(using: &random) ?? 0
                case 1: text.remove(at: i)
                default: text.insert(alphabet.randomElement(using: &random) ?? 0, at: i)
                }
                if text.isEmpty { text = [32] }
            }
            #expect(
                accepts(text) == SlowJSON.accepts(text), "\(String(decoding: text, as: UTF8.self))")
        }
    }
}

@Suite("JSON strings") struct JSONStringTests {
    static func decoded(_ text: String) throws -> (String, Int) {
        let out = RawVector<UInt8>(capacity: 8)
        defer { out.destroy() }
        let replaced = bytes(text) { JSONText.decode($0, into: out) }
        return (String(decoding: out.elements, as: UTF8.self), replaced)
    }

    @Test(arguments: [
        (#"a\nb"#, "a\nb", 0), (#"\u0041\u00e9\u20AC"#, "Aé€", 0), (#"\ud83d\ude00"#, "😀", 0),
        (#"\ud83d"#, "\u{FFFD}", 1), (#"\ude00x"#, "\u{FFFD}x", 1),
        (#"\ud83d\ud83d\ude00"#, "\u{FFFD}😀", 1),
        (#"\ud83d\u0041"#, "\u{FFFD}A", 1), (#"\\\/\"\b\f\r\t"#, "\\/\"\u{8}\u{C}\r\t", 0),
        (#"\u0000"#, "\0", 0), ("", "", 0),
    ])
    func decodes(_ text: String, _ expected: String, _ replaced: Int) throws {
        let result = try Self.decoded(text)
        #expect(result.0.unicodeScalars.elementsEqual(expected.unicodeScalars))
        #expect(result.1 == replaced)
    }

    @Test func writesWhatFoundationReads() throws {
        var random = SeededGenerator(3)
        let pieces = [
            "a", "\"", "\\", "\n", "\u{1}", "é", "漢", "😀", "\u{7F}", "\u{2028}", " ", "/",
        ]
        for _ in 0..<2000 {
            var value = ""
            for _ in 0..<Int.random(in: 0..<40, using: &random) {
                value +=
                    Int.random(in: 0..<4, using: &random) == 0
                    ? pieces.randomElement(using: &random) ?? "" : "x"
            }
            let json = JSONText.quoted(value)
            let back = try JSONDecoder().decode([String].self, from: Data("[\(json)]".utf8))
            #expect(back[0].unicodeScalars.elementsEqual(value.unicodeScalars))
            #expect(accepts(Array(json.utf8)))
        }
    }

    @Test func refusesToWriteBytesThatAreNoUTF8() {
        let bad: [UInt8] = [0x61, 0xFF, 0x62]
        let out = RawVector<UInt8>(capacity: 8)
        defer { out.destroy() }
        let isWritten = bad.withUnsafeBufferPointer { p in
            p.baseAddress.map { JSONText.write(string: $0, count: 3, to: out) } ?? true
        }
        #expect(!isWritten)
        #expect(out.isEmpty)
    }

    @Test func linesAndColumnsArePutIntoErrors() throws {
        let text = "{\n  \"a\": 1,\n  \"b\": tru\n}"
        let input = bytes(text) { InputBytes(name: "x.json", copying: $0) }
        do {
            _ = try JSONTree.parse(input)
            Issue.record("must not be accepted")
        } catch {
            #expect(error.details.line == 3)
            #expect(error.details.column == 8)
            #expect(error.details.file == "x.json")
            #expect(error.details.excerpt == "  \"b\": tru")
        }
    }

    @Test(arguments: ["[\"Zoë\",\"😀\",1]"])
    func readsUTF16(_ text: String) throws {
        for bigEndian in [false, true] {
            for mark in [false, true] {
                var data: [UInt8] = []
                for unit in (mark ? [0xFEFF] : []) + Array(text.utf16) {
                    let parts = [UInt8(unit & 0xFF), UInt8(unit >> 8)]
                    data += bigEndian ? parts.reversed() : parts
                }
                let input = data.withUnsafeBytes { InputBytes(name: "x", copying: $0) }
                let tree = try JSONTree.parse(input)
                #expect(tree.array?.first?.string == "Zoë")
                #expect(tree.array?[1].string == "😀")
            }
        }
    }
}
